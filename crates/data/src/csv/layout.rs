//! Dialect, names and guessed types of a delimited file, from its first bytes.

use ermine_core::{ColumnKind, Error, Result};

use super::cell_style::{CellSample, CellStyle};
use super::chunks::{CHUNK_BYTES, Chunks};
use super::mend::Structure;
use super::record::{Dialect, RawCell, RecordError, blank_line, count_lines, record};
use super::sniff;
use super::{mended, number};
use crate::column_chunk::{self, ParseAs};
use crate::dates::DateOrder;
use crate::options::{Format, MissingMarkers, ReadOptions};
use crate::source::ByteSource;

/// Bytes read to detect the dialect; a longer first record is read whole.
const HEAD_BYTES: usize = 1 << 18;
/// Bytes looked at for preambles, headers of several rows, unusual quotes.
const INSPECTED_BYTES: usize = 1 << 16;
/// Records read to guess the types.
const SAMPLE_RECORDS: usize = 1000;
/// Upper bound on the bytes of the first record.
const FIRST_RECORD_BYTES: usize = 1 << 28;

/// Dialect, names and types of the whole file (or all files of a glob).
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) dialect: Dialect,
    pub(crate) names: Vec<String>,
    pub(crate) plans: Vec<ParseAs>,
    /// How the numbers and dates of each column are written.
    pub(crate) styles: Vec<CellStyle>,
    /// Changes made to the names, for the user.
    pub(crate) notes: Vec<String>,
    header: bool,
}

/// A file opened for reading its records: the layout and the chunks after the header.
pub(super) struct OpenedCsv {
    pub(super) layout: Layout,
    pub(super) chunks: Chunks,
}

/// The error for a parse failure in a piece of text after `line` lines.
pub(super) fn record_error(path: &str, text: &[u8], line: u64, dialect: &Dialect, flaw: RecordError) -> Error {
    let line = line + 1 + count_lines(&text[..flaw.at.min(text.len())], dialect);
    Error::Parse { path: path.to_owned(), line, column: flaw.field as u64 + 1, message: flaw.message }
}

/// Opens a file. `known` is the layout of an earlier file of the same table, which this one must match.
pub(super) fn open(source: &ByteSource, options: &ReadOptions, format: Format, known: Option<&Layout>) -> Result<OpenedCsv> {
    let (path, missing) = (&source.name, MissingMarkers::new(options));
    let broken = |message: &str| Error::Format { path: path.clone(), message: message.to_owned() };
    let mut reader = source.open(options)?;
    let mut head = Vec::new();
    let mut whole = !reader.fill(&mut head, HEAD_BYTES)? || (head.len() < HEAD_BYTES && !source.is_pipe());
    source.refuse_foreign()?;
    if head.starts_with(&[0xFF, 0xFE]) || head.starts_with(&[0xFE, 0xFF]) {
        return Err(broken("the text is UTF-16; save it as UTF-8"));
    }
    if head.starts_with(&[0xEF, 0xBB, 0xBF]) {
        head.drain(..3);
    }
    // A file without any line end so far, or whose first record is longer than the head, or a pipe with little in it: read on.
    let mut dialect = dialect(&head, whole, options, format, known);
    let enough = |head: &[u8], dialect: &Dialect| {
        super::record::last_record_end(head, dialect).is_some() && (!source.is_pipe() || shows_layout(head, dialect, &missing))
    };
    while !whole && !enough(&head, &dialect) {
        if head.len() > FIRST_RECORD_BYTES {
            return Err(broken("the first line is longer than 256 MB; is a quote left open?"));
        }
        let want = head.len();
        whole = !reader.fill(&mut head, want)?;
        dialect = self::dialect(&head, whole, options, format, known);
    }
    let mut structure = None;
    if known.is_none() && !source.is_pipe() {
        structure = structure_of(&head, options, format).map_err(|e| broken(&e))?;
    }
    if let Some(delimiter) = structure.as_ref().map(|s| s.style.delimiter).filter(|&d| d != dialect.delimiter) {
        dialect = Dialect { delimiter, decimal_comma: false, ..dialect };
        dialect.decimal_comma = options.decimal_comma.unwrap_or_else(|| sniff::decimal_comma(&head, &dialect));
    }
    let fail = |text: &[u8], flaw: RecordError| record_error(path, text, 0, &dialect, flaw);
    let mut at = 0;
    while let Some(next) = blank_line(&head, at, &dialect) {
        at = next;
    }
    if head[at..].iter().all(|b| b.is_ascii_whitespace()) && whole {
        return Err(broken("the file is empty"));
    }
    let (first, next) = record(&head, at, &dialect).map_err(|f| fail(&head, f))?;
    let header = match (known, &structure) {
        (Some(known), _) => known.header,
        (None, Some(structure)) => structure.header > 0,
        (None, None) => options.header.unwrap_or_else(|| !all_numbers(&first, &dialect, &missing)),
    };
    let (mut names, mut notes) = (Vec::new(), Vec::new());
    notes.extend(source.notes().iter().cloned());
    if header {
        for (field, cell) in first.iter().enumerate() {
            let name = text_of(cell, field, at).map_err(|f| fail(&head, f))?;
            names.push(name);
        }
        column_chunk::make_unique(&mut names, &mut notes);
        at = next;
    } else {
        names.extend((0..first.len()).map(|j| format!("x{j}")));
    }
    let (plans, styles): (Vec<ParseAs>, Vec<CellStyle>) = match known {
        Some(known) => {
            same_names(path, &known.names, &names)?;
            (known.plans.clone(), known.styles.clone())
        }
        None => {
            options.check_types(names.iter().map(String::as_str))?;
            let guess = sample(&head, at, whole, &dialect, &missing, names.len());
            let order = options.date_order()?;
            tell_day_from_month(&names, &guess, options, order)?;
            let dropped = options.dropped(names.iter().map(String::as_str))?;
            let plan = |((name, (guess, style)), dropped): ((&String, (ParseAs, CellStyle)), bool)| match dropped {
                true => (ParseAs::Skip, style),
                false => match options.kind_of(name) {
                    None if options.only_expected => (ParseAs::Skip, style),
                    kind => (kind.map_or(guess, plan_of), style),
                },
            };
            names.iter().zip(guess.iter().map(|g| g.plan(order))).zip(dropped).map(plan).unzip()
        }
    };
    let line = count_lines(&head[..at], &dialect);
    head.drain(..at);
    let layout = Layout { dialect, names, plans, styles, notes, header };
    Ok(OpenedCsv { layout, chunks: Chunks::new(path.clone(), reader, dialect, head, line) })
}

/// The structure of the first bytes, if they have a record; an error where the fast parser does not read such a text.
fn structure_of(head: &[u8], options: &ReadOptions, format: Format) -> Result<Option<Structure>, String> {
    let head = &head[..head.len().min(INSPECTED_BYTES)];
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // The last character may be cut off.
        Err(e) if e.error_len().is_none() => std::str::from_utf8(&head[..e.valid_up_to()]).unwrap_or_default(),
        // The parser says where.
        Err(_) => return Ok(None),
    };
    let mut known = mended::known(options, format);
    // The columns of a model are found by their names.
    if let Some(expected) = &options.expected {
        let first = text.lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
        let named = first.split([',', ';', '\t', '|']).any(|name| expected.contains_key(name.trim().trim_matches('"')));
        known.header = known.header.or(named.then_some(true));
    }
    match Structure::detect(text, known) {
        Some(structure) if !structure.is_usual() => Err(structure.unusual()),
        found => Ok(found),
    }
}

/// Whether the first bytes tell how the rows are written: a header alone does not. A pipe may give one before the other.
fn shows_layout(head: &[u8], dialect: &Dialect, missing: &MissingMarkers) -> bool {
    let mut at = 0;
    while let Some(next) = blank_line(head, at, dialect) {
        at = next;
    }
    let Ok((first, next)) = record(head, at, dialect) else { return true };
    let more = next < head.len() && super::record::last_record_end(&head[next..], dialect).is_some();
    more || all_numbers(&first, dialect, missing)
}

fn dialect(head: &[u8], whole: bool, options: &ReadOptions, format: Format, known: Option<&Layout>) -> Dialect {
    let terminator = sniff::terminator(head);
    if let Some(known) = known {
        return Dialect { terminator, ..known.dialect };
    }
    let delimiter = options.delimiter.unwrap_or_else(|| match format {
        Format::Tsv => b'\t',
        _ => sniff::delimiter(head, terminator, whole),
    });
    let mut dialect = Dialect { delimiter, terminator, decimal_comma: false };
    dialect.decimal_comma = options.decimal_comma.unwrap_or_else(|| sniff::decimal_comma(head, &dialect));
    dialect
}

/// How a column is read whose kind was requested. For identifiers the cells decide between numbers and strings.
fn plan_of(kind: ColumnKind) -> ParseAs {
    match kind {
        ColumnKind::Number => ParseAs::Number,
        ColumnKind::Date => ParseAs::Date,
        ColumnKind::Category | ColumnKind::Text | ColumnKind::Identifier => ParseAs::Strings,
    }
}

/// The number in a cell of this dialect.
pub(super) fn number_of(text: &[u8], dialect: &Dialect) -> Option<f64> {
    if dialect.decimal_comma { number::parse_comma(text) } else { number::parse(text) }
}

/// The text of a cell, which must be UTF-8 without NUL.
pub(super) fn text_of(cell: &RawCell<'_>, field: usize, at: usize) -> Result<String, RecordError> {
    let value = cell.value();
    match check_text(&value) {
        Ok(()) => Ok(String::from_utf8_lossy(&value).into_owned()),
        Err(message) => Err(RecordError { at, field, message }),
    }
}

/// The error for bytes that are not text.
pub(super) fn check_text(value: &[u8]) -> Result<(), String> {
    if let Err(e) = std::str::from_utf8(value) {
        let byte = value.get(e.valid_up_to()).copied().unwrap_or(0);
        return Err(format!("byte 0x{byte:02X} is not UTF-8; save the file as UTF-8"));
    }
    if memchr::memchr(0, value).is_some() {
        return Err("a NUL byte in the text; is this a binary file, or UTF-16?".into());
    }
    Ok(())
}

fn all_numbers(cells: &[RawCell<'_>], dialect: &Dialect, missing: &MissingMarkers) -> bool {
    let number = |c: &RawCell<'_>| !c.quoted && number_of(c.text, dialect).is_some_and(|v| v.is_finite());
    cells.iter().any(number) && cells.iter().all(|c| missing.is(c.text) || number(c))
}

fn same_names(path: &str, expected: &[String], found: &[String]) -> Result<()> {
    if expected.len() != found.len() {
        let message = format!("{} columns, and the files before have {}", found.len(), expected.len());
        return Err(Error::Format { path: path.to_owned(), message });
    }
    match expected.iter().zip(found).position(|(a, b)| a != b) {
        Some(j) => Err(Error::Format {
            path: path.to_owned(),
            message: format!("column {} is \"{}\", and \"{}\" in the files before", j + 1, found[j], expected[j]),
        }),
        None => Ok(()),
    }
}

/// An error for dates for a model that could be read in two ways: the model has seen them in one.
fn tell_day_from_month(names: &[String], samples: &[CellSample], options: &ReadOptions, asked: Option<DateOrder>) -> Result<()> {
    if options.expected.is_none() || asked.is_some() {
        return Ok(());
    }
    let ambiguous =
        |(name, sample): &(&String, &CellSample)| sample.is_ambiguous() && options.kind_of(name) == Some(ColumnKind::Date);
    match names.iter().zip(samples).find(ambiguous) {
        Some((name, _)) => Err(Error::Data(format!(
            "column \"{name}\": no date tells day from month; say --date-format %d/%m/%Y or --date-format %m/%d/%Y"
        ))),
        None => Ok(()),
    }
}

/// The first guess: a column is what all its cells in the first records are, or nearly all of them where they are numbers.
fn sample(head: &[u8], mut at: usize, whole: bool, dialect: &Dialect, missing: &MissingMarkers, width: usize) -> Vec<CellSample> {
    let mut columns = vec![CellSample::default(); width];
    for _ in 0..SAMPLE_RECORDS {
        if let Some(next) = blank_line(head, at, dialect) {
            at = next;
            continue;
        }
        if at >= head.len() {
            break;
        }
        let Ok((cells, next)) = record(head, at, dialect) else { break };
        // The head may end within the last record.
        if next >= head.len() && !whole {
            break;
        }
        for (column, cell) in columns.iter_mut().zip(&cells) {
            if !missing.is(cell.text) {
                column.add(cell.text, number_of(cell.text, dialect).is_some());
            }
        }
        at = next;
    }
    columns
}

impl Layout {
    /// The layout that reads only the marked columns: a further pass after a contradicted guess.
    pub(crate) fn only(&self, columns: &[bool]) -> Self {
        let plans = self.plans.iter().zip(columns).map(|(&plan, &c)| if c { plan } else { ParseAs::Skip }).collect();
        Self { plans, ..self.clone() }
    }
}

/// Expected number of rows in a piece of text, from its first lines; used to reserve. A cell takes at least a byte, so
/// that all columns together never reserve more than a few times the text.
pub(super) fn likely_rows(text: &[u8], dialect: &Dialect, width: usize) -> usize {
    let head = &text[..text.len().min(CHUNK_BYTES / 64)];
    let lines = count_lines(head, dialect).max(1) as usize;
    (text.len() / (head.len() / lines).max(1) + 8).min(text.len() / width.max(1) + 1)
}
