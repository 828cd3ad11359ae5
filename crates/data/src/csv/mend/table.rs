//! The table of a text, whatever state it is in.

use super::align::{RowChange, align};
use super::cell_kind::CellKind;
use super::encoding::decode;
use super::report::{RepairKind, Repairs};
use super::structure::{Known, Structure, named_delimiter};
use super::style::{Cell, Reading, Record, Style};

/// Opening quotes of a record that are tried as ordinary characters.
const MOST_STRAY: usize = 48;
/// Rows at the end that may be a footer.
const MOST_FOOTER_ROWS: usize = 8;
const OTHER_DELIMITERS: [u8; 5] = [b' ', b';', b'\t', b'|', b','];

/// Where a row of the table is, and how it is read.
#[derive(Debug, Clone, Copy)]
struct RowPlace {
    at: usize,
    line: u64,
    reading: Reading,
    delimiter: u8,
    width: u32,
    filled: u32,
    /// Whether a row without any value comes before it.
    after_blank: bool,
}

/// A text and the rows of its table.
#[derive(Debug)]
pub(crate) struct MendedText {
    text: String,
    structure: Option<Structure>,
    /// The names as they stand, if there are any.
    pub(crate) header: Option<Vec<String>>,
    rows: Vec<RowPlace>,
    pub(crate) repairs: Repairs,
}

impl MendedText {
    /// Finds the table in the bytes of a file.
    pub(crate) fn new(bytes: Vec<u8>, known: Known) -> Self {
        let (mut text, encoding) = decode(bytes);
        let mut repairs = Repairs::default();
        repairs.style.extend(encoding.map(|name| format!("the text is {name}")));
        if text.contains('\0') {
            repairs.add_many(RepairKind::Nul, text.matches('\0').count(), 0);
            text.retain(|c| c != '\0');
        }
        let structure = Structure::detect(&text, known);
        let mut mended = Self { text, structure, header: None, rows: Vec::new(), repairs };
        if let Some(structure) = mended.structure.clone() {
            mended.repairs.style.extend(style_notes(&structure));
            mended.find_rows(&structure);
            mended.leave_out_footer(&structure);
            mended.count_changes();
        }
        mended.repairs.rows = mended.rows.len();
        mended
    }

    /// Columns of the table; 0 of a text without any record.
    pub(crate) fn width(&self) -> usize {
        self.structure.as_ref().map_or(0, |s| s.width)
    }

    /// The delimiter of the text.
    pub(crate) fn delimiter(&self) -> u8 {
        self.structure.as_ref().map_or(b',', |s| s.style.delimiter)
    }

    /// Whether the fast parser does not read the text as it should.
    pub(crate) fn is_unusual(&self) -> bool {
        self.repairs.any() || !self.repairs.style.is_empty() || self.structure.as_ref().is_some_and(|s| !s.is_usual())
    }

    /// Shows all rows, each with as many cells as there are columns.
    pub(crate) fn for_each_row<E>(&self, mut visit: impl FnMut(&[Cell<'_>]) -> Result<(), E>) -> Result<(), E> {
        let Some(structure) = &self.structure else { return Ok(()) };
        for row in &self.rows {
            let style = Style { delimiter: row.delimiter, ..structure.style };
            let cells = style.record(&self.text, row.at, row.reading).map(|r| r.cells).unwrap_or_default();
            visit(&align(cells, &structure.columns, row.delimiter).0)?;
        }
        Ok(())
    }

    /// Walks over the records: preamble, header, rows, up to the end or to a second table.
    fn find_rows(&mut self, structure: &Structure) {
        let mut at = if structure.names_delimiter { named_delimiter(&self.text).map_or(0, |n| n.1) } else { 0 };
        let mut lines = LineCounter::new(structure.style.terminator);
        let (mut seen, mut header, mut header_line) = (0, Vec::new(), 0);
        let mut after_blank = false;
        while at < self.text.len() {
            let line = lines.at(&self.text, at);
            let names = seen < structure.preamble + structure.header;
            let (record, reading, delimiter) = read_best(&self.text, at, structure, names);
            let (from, filled) = (at, record.cells.iter().filter(|c| !c.is_empty()).count());
            at = record.next.max(at + 1);
            let blank_line = record.cells.len() == 1 && filled == 0 && !record.cells[0].quoted;
            if blank_line {
                after_blank |= structure.width > 1;
                continue;
            }
            seen += 1;
            if seen <= structure.preamble {
                self.repairs.add(RepairKind::Preamble, line);
            } else if seen <= structure.preamble + structure.header {
                header_line = if header.is_empty() { line } else { header_line };
                header.push(owned(&record));
                self.header = Some(Vec::new());
            } else if filled == 0 && structure.width > 1 {
                self.repairs.add(RepairKind::Blank, line);
                after_blank = true;
            } else if structure.width > 1 && record.cells[0].text.starts_with('#') && record.cells.len() != structure.width {
                self.repairs.add(RepairKind::Comment, line);
            } else if repeats_header(&record, header.last()) {
                let rest = lines.at(&self.text, self.text.len()) - line + u64::from(!self.text.ends_with(['\n', '\r']));
                self.repairs.add_many(RepairKind::SecondTable, rest as usize, line);
                break;
            } else {
                let width = record.cells.len() as u32;
                self.rows.push(RowPlace { at: from, line, reading, delimiter, width, filled: filled as u32, after_blank });
                after_blank = false;
            }
        }
        self.name_columns(structure, header, header_line);
    }

    /// The names, from the rows of the header.
    fn name_columns(&mut self, structure: &Structure, header: Vec<Vec<String>>, line: u64) {
        if header.is_empty() {
            return;
        }
        if header.len() > 1 {
            self.repairs.add_many(RepairKind::HeaderRows, header.len(), line);
        }
        let count = header.len();
        let short = header.iter().any(|row| row.len() + 1 == structure.width);
        let numbered = short && self.rows.len() > 2 && self.numbers_rows(structure);
        if header.iter().any(|row| row.len() != structure.width) {
            self.repairs.add(RepairKind::Header, line);
        }
        let mut rows = header.into_iter().map(|row| fit_header(row, structure.width, numbered));
        let mut names = rows.next().unwrap_or_default();
        let mut below: Vec<Vec<String>> = rows.collect();
        if count > 1 {
            // A name in a row above others stands for the columns to its right that have none.
            spread(&mut names, &below);
            for k in 0..below.len() {
                let (this, rest) = below.split_at_mut(k + 1);
                if !rest.is_empty() {
                    spread(&mut this[k], rest);
                }
            }
        }
        for row in below {
            for (name, more) in names.iter_mut().zip(row) {
                if !more.is_empty() && !name.is_empty() {
                    name.push(' ');
                }
                name.push_str(&more);
            }
        }
        self.header = Some(names);
    }

    /// Whether the first column numbers or names the rows, as when a program wrote no name for it.
    fn numbers_rows(&self, structure: &Structure) -> bool {
        let first = |row: &RowPlace| {
            let style = Style { delimiter: row.delimiter, ..structure.style };
            style.record(&self.text, row.at, row.reading).and_then(|r| r.cells.into_iter().next()).map(|c| c.text.into_owned())
        };
        let firsts: Vec<String> = self.rows.iter().take(1000).filter_map(first).collect();
        let counts = |step: f64| firsts.iter().enumerate().all(|(i, t)| t.trim().parse() == Ok(i as f64 + step));
        let distinct: std::collections::BTreeSet<&str> = firsts.iter().map(String::as_str).collect();
        let words = structure.columns.first().is_some_and(|c| c.kind() == CellKind::Text);
        counts(0.0) || counts(1.0) || (words && distinct.len() == firsts.len())
    }

    /// Leaves out what stands below the table: a table of another width after a blank row, and notes.
    fn leave_out_footer(&mut self, structure: &Structure) {
        if structure.width < 2 {
            return;
        }
        let second = (1..self.rows.len()).find(|&i| {
            let rest = &self.rows[i..];
            let width = rest[0].width;
            self.rows[i].after_blank
                && rest.len() >= 3
                && width > 1
                && width as usize != structure.width
                && 5 * rest.iter().filter(|r| r.width == width).count() >= 4 * rest.len()
        });
        if let Some(i) = second {
            self.repairs.add_many(RepairKind::SecondTable, self.rows.len() - i, self.rows[i].line);
            self.rows.truncate(i);
        }
        if structure.width < 3 {
            return;
        }
        let notes = self.rows.iter().rev().take_while(|r| r.filled <= 1).count();
        let mut from = self.rows.len() - notes;
        // Notes are short of cells, or come after a blank row.
        while from < self.rows.len() && !(self.rows[from].after_blank || self.rows[from].width == 1) {
            from += 1;
        }
        if from > 0 && self.rows.len() - from <= MOST_FOOTER_ROWS {
            for row in self.rows.split_off(from) {
                self.repairs.add(RepairKind::Footer, row.line);
            }
        }
    }

    /// Counts the rows that are changed.
    fn count_changes(&mut self) {
        let Some(structure) = &self.structure else { return };
        for row in &self.rows {
            if row.reading != Reading::Strict {
                self.repairs.add(RepairKind::Quote, row.line);
            }
            if row.delimiter != structure.style.delimiter {
                self.repairs.add(RepairKind::Delimiter, row.line);
            } else if row.width as usize != structure.width {
                let style = Style { delimiter: row.delimiter, ..structure.style };
                let cells = style.record(&self.text, row.at, row.reading).map(|r| r.cells).unwrap_or_default();
                match align(cells, &structure.columns, row.delimiter).1 {
                    RowChange::Unchanged => {}
                    RowChange::Filled => self.repairs.add(RepairKind::Filled, row.line),
                    RowChange::Trimmed => self.repairs.add(RepairKind::Trimmed, row.line),
                    RowChange::Joined => self.repairs.add(RepairKind::Joined, row.line),
                }
            }
        }
    }
}

/// What is unusual about the style.
fn style_notes(structure: &Structure) -> Vec<String> {
    let style = &structure.style;
    let mut notes = Vec::new();
    if style.delimiter == b' ' {
        notes.push("cells are separated by blanks".to_owned());
    }
    if style.quote == Some(b'\'') {
        notes.push("cells are quoted with '".to_owned());
    }
    if style.backslash {
        notes.push("quotes inside cells are written \\\"".to_owned());
    }
    notes
}

fn owned(record: &Record<'_>) -> Vec<String> {
    record.cells.iter().map(|c| c.text.to_string()).collect()
}

/// Whether a row has the names of the header again.
fn repeats_header(record: &Record<'_>, header: Option<&Vec<String>>) -> bool {
    let Some(header) = header else { return false };
    if record.cells.first().map(|c| c.text.trim()) != header.first().map(|name| name.trim()) {
        return false;
    }
    let names: Vec<&str> = record.cells.iter().map(|c| c.text.trim()).take_while(|t| !t.is_empty()).collect();
    names.len() > 1 && 3 * names.len() >= 2 * header.len() && names.iter().zip(header).all(|(a, b)| *a == b.trim())
}

/// The header with as many cells as there are columns.
fn fit_header(mut row: Vec<String>, width: usize, numbered: bool) -> Vec<String> {
    if row.len() + 1 == width && numbered {
        row.insert(0, String::new());
    }
    while row.len() > width
        && let Some(empty) = row.iter().position(|name| name.trim().is_empty())
    {
        row.remove(empty);
    }
    for extra in row.split_off(width.min(row.len())) {
        if let Some(last) = row.last_mut() {
            last.push(' ');
            last.push_str(&extra);
        }
    }
    row.resize(width, String::new());
    row
}

/// Copies each name to the columns on its right that have none but are named in a row below.
fn spread(names: &mut [String], below: &[Vec<String>]) {
    for j in 1..names.len() {
        if names[j].trim().is_empty() && below.iter().any(|row| !row[j].trim().is_empty()) {
            names[j] = names[j - 1].clone();
        }
    }
}

/// Counts lines as one goes on.
struct LineCounter {
    terminator: u8,
    at: usize,
    line: u64,
}

impl LineCounter {
    fn new(terminator: u8) -> Self {
        Self { terminator, at: 0, line: 1 }
    }

    /// The line of a place after the one asked for last.
    fn at(&mut self, text: &str, at: usize) -> u64 {
        self.line += memchr::memchr_iter(self.terminator, &text.as_bytes()[self.at..at]).count() as u64;
        self.at = at;
        self.line
    }
}

/// The record at `at`, read so that it has the width of the table if that can be; `names` where it may be a header.
fn read_best<'t>(text: &'t str, at: usize, structure: &Structure, names: bool) -> (Record<'t>, Reading, u8) {
    let style = &structure.style;
    let width = structure.width;
    let strict = style.record(text, at, Reading::Strict);
    let line_end = style.line_end(text, at);
    match strict {
        Some(record) if record.cells.len() == width => return (record, Reading::Strict, style.delimiter),
        // Quotes that are in order are left alone, unless they hold line breaks.
        Some(record) if record.next <= line_end => return other_delimiter(text, at, (record, Reading::Strict), structure, names),
        _ => {}
    }
    let line = &text[..line_end];
    let plain = || style.record(line, at, Reading::Plain).map(|r| (r, Reading::Plain));
    let stray = (0..MOST_STRAY).map(|k| Reading::Lenient(Some(k)));
    let readings = [Reading::Lenient(None), Reading::CloseAtDelimiter].into_iter().chain(stray).chain([Reading::Plain]);
    let mut best: Option<(f64, Record<'t>, Reading)> = None;
    for reading in readings {
        let Some(record) = style.record(line, at, reading) else { continue };
        if matches!(reading, Reading::Lenient(Some(k)) if k >= record.opened) {
            continue;
        }
        if record.cells.len() != width {
            continue;
        }
        let (_, _, cost) = align(record.cells.clone(), &structure.columns, style.delimiter);
        if best.as_ref().is_none_or(|b| cost < b.0 - 1e-9) {
            best = Some((cost, record, reading));
        }
    }
    if let Some((_, record, reading)) = best {
        return (record, reading, style.delimiter);
    }
    // Nothing gives the width: what was read strictly, the line with its quotes read leniently, or as it stands.
    let fallback = strict.map(|r| (r, Reading::Strict));
    let lenient = || style.record(line, at, Reading::Lenient(None)).map(|r| (r, Reading::Lenient(None)));
    let (record, reading) = fallback
        .or_else(lenient)
        .or_else(plain)
        .unwrap_or((Record { cells: Vec::new(), next: line_end, opened: 0 }, Reading::Plain));
    other_delimiter(text, at, (record, reading), structure, names)
}

/// The record, or what another delimiter makes of its line where that fits clearly better.
fn other_delimiter<'t>(
    text: &'t str,
    at: usize,
    (record, reading): (Record<'t>, Reading),
    structure: &Structure,
    names: bool,
) -> (Record<'t>, Reading, u8) {
    let style = &structure.style;
    if record.cells.len() >= structure.width || structure.width < 3 {
        return (record, reading, style.delimiter);
    }
    let (_, _, cost) = align(record.cells.clone(), &structure.columns, style.delimiter);
    let line = &text[..style.line_end(text, at)];
    let typed = structure.typed().count();
    for delimiter in OTHER_DELIMITERS.into_iter().filter(|&d| d != style.delimiter && line.as_bytes()[at..].contains(&d)) {
        let other = Style { delimiter, padded: false, ..*style };
        let Some(found) = other.record(line, at, Reading::Strict) else { continue };
        let (cells, _, other_cost) = align(found.cells.clone(), &structure.columns, delimiter);
        let same_kind = |(j, kind): &(usize, CellKind)| cells.get(*j).is_some_and(|c| CellKind::of(&c.text) == *kind);
        let fits = structure.typed().filter(same_kind).count();
        let exact = names && found.cells.len() == structure.width && record.cells.len() <= 2;
        if exact || (fits >= 2 && fits == typed && other_cost + 2.0 < cost) {
            return (found, Reading::Strict, delimiter);
        }
    }
    (record, reading, style.delimiter)
}

/// Whether a cell has to be quoted to be read back between commas.
pub(crate) fn needs_quotes(text: &str) -> bool {
    text.bytes().any(|b| matches!(b, b',' | b'"' | b'\n' | b'\r'))
}

/// Adds a cell to text between commas.
pub(crate) fn push_cell(out: &mut Vec<u8>, text: &str, quote: bool) {
    if quote {
        out.push(b'"');
        for b in text.bytes() {
            if b == b'"' {
                out.push(b'"');
            }
            out.push(b);
        }
        out.push(b'"');
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}
