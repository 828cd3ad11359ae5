//! Where the table of a text lies and how its cells are written.

use super::cell_kind::{CellKind, KindCounts};
use super::style::{Cell, Reading, Style};
use crate::csv::sniff;

/// Text that is looked at.
const SAMPLE_BYTES: usize = 1 << 16;
/// Records that are looked at.
const SAMPLE_RECORDS: usize = 1000;
/// Most rows of a header.
const MOST_HEADER_ROWS: usize = 4;
/// Rows among which a table begins after a line above it.
const FEW_ROWS: usize = 12;
const DELIMITERS: [u8; 5] = [b',', b'\t', b';', b'|', b' '];

/// What is known of the text beforehand.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Known {
    pub(crate) delimiter: Option<u8>,
    pub(crate) header: Option<bool>,
}

/// How a text holds its table.
#[derive(Debug, Clone)]
pub(crate) struct Structure {
    pub(crate) style: Style,
    pub(crate) width: usize,
    /// Records before the header, blank lines not counted.
    pub(crate) preamble: usize,
    /// Records of the header.
    pub(crate) header: usize,
    pub(crate) columns: Vec<KindCounts>,
    /// Whether the text begins with a line `sep=…`, which is not among the records.
    pub(crate) names_delimiter: bool,
}

/// A record of the sample.
struct Row<'t> {
    cells: Vec<Cell<'t>>,
    kinds: Vec<CellKind>,
}

impl Row<'_> {
    fn filled(&self) -> usize {
        self.cells.iter().filter(|c| !c.is_empty()).count()
    }

    fn text(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", |c| c.text.trim())
    }
}

/// The delimiter of a first line `sep=;`, and where the next line begins.
pub(crate) fn named_delimiter(text: &str) -> Option<(u8, usize)> {
    let line_end = text.find(['\n', '\r']).unwrap_or(text.len());
    let line = text[..line_end].trim_matches('"');
    let [delimiter] = line.strip_prefix("sep=").or_else(|| line.strip_prefix("SEP="))?.as_bytes()[..] else { return None };
    let rest = text[line_end..].strip_prefix("\r\n").or_else(|| text[line_end..].get(1..)).unwrap_or("");
    Some((delimiter, text.len() - rest.len()))
}

impl Structure {
    /// The structure of a text; none where it has no record.
    pub(crate) fn detect(text: &str, known: Known) -> Option<Self> {
        let named = named_delimiter(text);
        let known = Known { delimiter: known.delimiter.or(named.map(|n| n.0)), ..known };
        let text = named.map_or(text, |(_, next)| &text[next..]);
        let sample = whole_lines(text);
        let terminator = sniff::terminator(sample.as_bytes());
        let style = best_style(sample, terminator, known.delimiter)?;
        let rows = read_rows(sample, &style);
        let width = majority_width(&rows)?;
        let mut columns = vec![KindCounts::default(); width];
        // The first rows may be a header, and the kinds are those of the rows below it.
        let body = rows.iter().skip((rows.len() / 2).clamp(1, MOST_HEADER_ROWS));
        for row in body.filter(|r| r.cells.len() == width && r.filled() > 0) {
            row.kinds.iter().zip(&mut columns).for_each(|(&kind, counts)| counts.add(kind));
        }
        let mut found = Self { style, width, preamble: 0, header: 0, columns, names_delimiter: named.is_some() };
        (found.preamble, found.header) = found.header_of(&rows, known.header);
        Some(found)
    }

    /// Whether the fast parser reads such a text: usual quotes, and a table from the first line on.
    pub(crate) fn is_usual(&self) -> bool {
        self.style.quote == Some(b'"')
            && !self.style.backslash
            && self.style.delimiter != b' '
            && self.preamble == 0
            && self.header <= 1
            && !self.names_delimiter
    }

    /// What is unusual about it.
    pub(crate) fn unusual(&self) -> String {
        let what = if self.preamble > 0 {
            format!("{} line(s) come before the table", self.preamble)
        } else if self.header > 1 {
            format!("the header has {} rows", self.header)
        } else if self.names_delimiter {
            "the first line names the delimiter".to_owned()
        } else {
            "cells are not between commas, tabs, semicolons or bars with quotes as in RFC 4180".to_owned()
        };
        format!("this is not plain CSV: {what}")
    }

    /// Columns whose cells have a kind that names do not have.
    pub(crate) fn typed(&self) -> impl Iterator<Item = (usize, CellKind)> {
        self.columns.iter().enumerate().map(|(j, c)| (j, c.kind())).filter(|(_, k)| k.is_typed())
    }

    /// How many records come before the header and how many it has.
    fn header_of(&self, rows: &[Row<'_>], asked: Option<bool>) -> (usize, usize) {
        let mut at = 0;
        while at < rows.len() && self.is_preamble(rows, at) {
            at += 1;
        }
        // A preamble that swallows everything is none.
        if at == rows.len() {
            at = 0;
        }
        match asked {
            Some(false) => return (at, 0),
            None if self.is_data(rows, at) => return (at, 0),
            _ => {}
        }
        let mut header = 1;
        while header < MOST_HEADER_ROWS && at + header < rows.len() {
            let (upper, lower) = (&rows[at + header - 1], &rows[at + header]);
            if !self.is_header_like(lower) {
                break;
            }
            let same = (0..self.width).all(|j| upper.text(j) == lower.text(j));
            let fills = (0..self.width).any(|j| upper.text(j).is_empty() && !lower.text(j).is_empty());
            if !same && !fills {
                // A row of another width above the names belongs to a preamble.
                if header == 1 && upper.cells.len() != self.width {
                    at += 1;
                    continue;
                }
                break;
            }
            header += 1;
        }
        (at, header)
    }

    /// Whether the row at `at` stands above the table.
    fn is_preamble(&self, rows: &[Row<'_>], at: usize) -> bool {
        let row = &rows[at];
        let filled = row.filled();
        if filled == 0 {
            return true;
        }
        if self.width == 1 {
            return row.text(0).starts_with('#') && rows.get(at + 1).is_some_and(|next| !next.text(0).starts_with('#'));
        }
        if row.text(0).starts_with('#') && rows.get(at + 1).is_some_and(|next| next.text(0).starts_with('#')) {
            return true;
        }
        // A header cut by another delimiter than the rows below.
        let cut = |d: &u8| row.text(0).split(char::from(*d)).filter(|t| !t.is_empty()).count() == self.width;
        let data_next = || at + 1 < rows.len() && self.typed().count() > 0 && self.is_data(rows, at + 1);
        if self.width > 2 && row.cells.len() == 1 && DELIMITERS.iter().any(cut) && data_next() {
            return false;
        }
        let alone = filled == 1 && rows[at + 1..].iter().take(FEW_ROWS).any(|r| r.filled() > 1);
        if self.width == 2 {
            // A header may name one of two columns.
            return alone && (row.cells.len() == 1 || rows.get(at + 1).is_some_and(|next| next.filled() == 0));
        }
        alone || (row.cells.len() + 1 < self.width && 2 * filled <= self.width)
    }

    /// Whether a row has words in columns of numbers, dates and times, at least two of them, and nothing else there.
    fn is_header_like(&self, row: &Row<'_>) -> bool {
        if row.cells.len() != self.width {
            return false;
        }
        let words = self.typed().filter(|&(j, _)| row.kinds[j] == CellKind::Text).count();
        words >= 2 && self.typed().all(|(j, k)| row.kinds[j] != k)
    }

    /// Whether the first row of the table is a row of data.
    fn is_data(&self, rows: &[Row<'_>], at: usize) -> bool {
        let row = &rows[at];
        if row.cells.len() != self.width {
            return false;
        }
        let typed: Vec<(usize, CellKind)> = self.typed().filter(|&(j, _)| row.kinds[j] != CellKind::Missing).collect();
        if typed.is_empty() {
            let number = |&k: &CellKind| k == CellKind::Number;
            let numbers = row.kinds.iter().any(number) && row.kinds.iter().all(|k| number(k) || *k == CellKind::Missing);
            return numbers || (self.typed().count() == 0 && self.recurs(rows, at));
        }
        // Years and other steps are names of columns.
        let numbers: Vec<f64> = typed.iter().filter_map(|&(j, _)| row.text(j).parse().ok()).collect();
        let steps = numbers.len() >= 2 && numbers.len() == typed.len() && numbers.len() < self.width && count_up(&numbers);
        !steps && typed.iter().all(|&(j, k)| row.kinds[j] == k)
    }

    /// Whether all words of a row come again below it, several times each.
    fn recurs(&self, rows: &[Row<'_>], at: usize) -> bool {
        let again = |j: usize| rows[at + 1..].iter().filter(|r| r.text(j) == rows[at].text(j)).count();
        self.width > 1 && rows[at].filled() > 0 && (0..self.width).all(|j| rows[at].text(j).is_empty() || again(j) >= 3)
    }
}

/// Whether whole numbers ascend by equal steps, or are years in ascending order.
fn count_up(numbers: &[f64]) -> bool {
    let years = numbers.iter().all(|v| (1500.0..2200.0).contains(v)) && numbers.is_sorted_by(|a, b| a < b);
    let equal = numbers.len() >= 3 && numbers.windows(2).all(|w| w[1] > w[0] && w[1] - w[0] == numbers[1] - numbers[0]);
    numbers.iter().all(|v| v.fract() == 0.0) && (years || equal)
}

/// The sample: whole lines of the first bytes.
fn whole_lines(text: &str) -> &str {
    if text.len() <= SAMPLE_BYTES {
        return text;
    }
    let mut end = SAMPLE_BYTES;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind(['\n', '\r']).map_or(end, |i| i + 1);
    &text[..end]
}

/// The records of the sample. One that is damaged is read as a line.
fn read_rows<'t>(sample: &'t str, style: &Style) -> Vec<Row<'t>> {
    let (mut at, mut rows) = (0, Vec::new());
    while at < sample.len() && rows.len() < SAMPLE_RECORDS {
        let strict = style.record(sample, at, Reading::Strict);
        let Some(record) = strict.or_else(|| style.record(sample, at, Reading::Plain)) else { break };
        at = record.next;
        if record.cells.len() == 1 && record.cells[0].is_empty() && !record.cells[0].quoted {
            continue;
        }
        let kinds = record.cells.iter().map(|c| CellKind::of(&c.text)).collect();
        rows.push(Row { cells: record.cells, kinds });
    }
    rows
}

/// The width of most rows; of two as frequent the larger.
fn majority_width(rows: &[Row<'_>]) -> Option<usize> {
    most_frequent(rows.iter().map(|r| r.cells.len()))
}

/// The most frequent width; of two as frequent the larger.
pub(super) fn most_frequent(widths: impl Iterator<Item = usize>) -> Option<usize> {
    let mut counts = std::collections::BTreeMap::new();
    widths.for_each(|w| *counts.entry(w).or_insert(0usize) += 1);
    counts.into_iter().max_by_key(|&(width, count)| (count, width)).map(|(width, _)| width)
}

/// The style that cuts the rows best.
fn best_style(sample: &str, terminator: u8, delimiter: Option<u8>) -> Option<Style> {
    if sample.trim().is_empty() {
        return None;
    }
    let usual = Style { delimiter: delimiter.unwrap_or(b','), quote: Some(b'"'), backslash: false, padded: false, terminator };
    let mut best = (f64::NEG_INFINITY, usual);
    for byte in DELIMITERS.into_iter().filter(|&d| delimiter.is_none_or(|asked| asked == d)).chain(delimiter) {
        for (quote, backslash) in [(Some(b'"'), false), (Some(b'"'), true), (Some(b'\''), false)] {
            let style = Style { delimiter: byte, quote, backslash, ..usual };
            if !may_be(sample, &style) {
                continue;
            }
            let score = score(sample, &style);
            // An unusual style has to be clearly better.
            if score > best.0 + 1e-9 {
                best = (score, style);
            }
        }
    }
    best.1.padded = is_padded(sample, &best.1);
    Some(best.1)
}

/// Whether there is any reason to try a style.
fn may_be(sample: &str, style: &Style) -> bool {
    if style.backslash {
        return sample.contains("\\\"");
    }
    if style.quote != Some(b'\'') {
        return true;
    }
    // Cells that begin with an apostrophe end with one, and there are some.
    let delimiter = char::from(style.delimiter);
    let (mut both, mut one) = (0, 0);
    for line in sample.split(char::from(style.terminator)).take(SAMPLE_RECORDS) {
        for cell in line.trim_end_matches('\r').split(delimiter).map(str::trim) {
            let (begins, ends) = (cell.starts_with('\''), cell.ends_with('\'') && cell.len() > 1);
            both += usize::from(begins && ends);
            one += usize::from(begins && cell.len() > 1 && !ends);
        }
    }
    // Cells with a delimiter inside have their quotes in two of the pieces.
    both >= 2 && both >= one
}

/// Whether a blank follows nearly every delimiter.
fn is_padded(sample: &str, style: &Style) -> bool {
    if style.delimiter == b' ' || style.delimiter == b'\t' {
        return false;
    }
    let rows = read_rows(sample, style);
    let after = rows.iter().flat_map(|r| r.cells.iter().skip(1));
    let (mut with, mut without) = (0usize, 0usize);
    for cell in after.filter(|c| !c.text.is_empty()) {
        if cell.text.starts_with(' ') && !cell.text.starts_with("  ") { with += 1 } else { without += 1 }
    }
    with > 0 && with >= 49 * without
}

/// How well a style cuts the sample: the share of rows of the most frequent width, times the share of their cells that look like
/// cells, a little less for few columns.
fn score(sample: &str, style: &Style) -> f64 {
    let padded = Style { padded: style.delimiter != b' ' && style.delimiter != b'\t', ..*style };
    let (mut at, mut rows, mut broken) = (0, Vec::new(), 0usize);
    while at < sample.len() && rows.len() < SAMPLE_RECORDS / 2 {
        let record = match padded.record(sample, at, Reading::Strict) {
            Some(record) => record,
            None => {
                broken += 1;
                at = style.line_end(sample, at);
                continue;
            }
        };
        at = record.next;
        if record.cells.iter().any(|c| !c.is_empty()) {
            rows.push(record.cells);
        }
    }
    // Without any value no style is better than another.
    let Some(width) = most_frequent(rows.iter().map(Vec::len)) else { return 0.0 };
    let even: Vec<_> = rows.iter().filter(|r| r.len() == width).collect();
    let clean = even.iter().flat_map(|r| r.iter()).filter(|c| looks_like_a_cell(c, style)).count();
    let share = even.len() as f64 / (rows.len() + broken) as f64;
    let typed = clean as f64 / (even.len() * width).max(1) as f64;
    let quoted = even.iter().flat_map(|r| r.iter()).any(|c| c.quoted);
    if style.delimiter == b' ' && !quoted {
        // Words with blanks between them are no table.
        let kinds = even.iter().flat_map(|r| r.iter()).filter(|c| CellKind::of(&c.text).is_typed()).count();
        if 2 * kinds < even.len() * width {
            return -0.5;
        }
    }
    share * share * typed * (width as f64 - 1.0) / (width as f64 - 0.5)
}

/// Whether a cell has nothing of a delimiter or quote of another style in it.
fn looks_like_a_cell(cell: &Cell<'_>, style: &Style) -> bool {
    if cell.quoted {
        return true;
    }
    let text = cell.text.trim();
    let other = |b: u8| b != style.delimiter && matches!(b, b'\t' | b';' | b'|');
    let open = |quote: char| text.starts_with(quote) || (text.ends_with(quote) && text.len() > 1);
    if text.bytes().any(other) || open('"') || (style.quote != Some(b'"') && open('\'')) {
        return false;
    }
    if style.quote == Some(b'"') && text.len() > 1 && text.starts_with('\'') && text.ends_with('\'') {
        return false;
    }
    !(style.delimiter != b',' && text.contains(',')) || CellKind::of(text).is_typed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(text: &str) -> Structure {
        Structure::detect(text, Known::default()).unwrap()
    }

    #[test]
    fn delimiters_and_quotes_are_found() {
        let style = |text: &str| {
            let s = detect(text).style;
            (char::from(s.delimiter), s.quote.map(char::from), s.backslash, s.padded)
        };
        assert_eq!(style("a,b\n1,2\n3,4\n"), (',', Some('"'), false, false));
        assert_eq!(style("a;b\n1,5;2,5\n3,1;4\n"), (';', Some('"'), false, false));
        assert_eq!(style("a, b\n1, 2\n3, 4\n"), (',', Some('"'), false, true));
        assert_eq!(style("a b c\n1 2 3\n3 4 5\n"), (' ', Some('"'), false, false));
        assert_eq!(style("a,b\n1,'x, y'\n3,'it''s'\n4,'c'\n"), (',', Some('\''), false, false));
        assert_eq!(style("a,b\n1,\"5\\\" x\"\n3,\"c\"\n"), (',', Some('"'), true, false));
        assert_eq!(style("name\nAnn Lee\nBob Ray\nCat Poe\n").0, ',');
    }

    #[test]
    fn preambles_and_headers_are_told_from_rows() {
        let shape = |text: &str| {
            let s = detect(text);
            (s.preamble, s.header, s.width)
        };
        assert_eq!(shape("a,b\n1,2\n3,4\n"), (0, 1, 2));
        assert_eq!(shape("1,2\n3,4\n5,6\n"), (0, 0, 2));
        assert_eq!(shape("2024-01-01,x,3\n2024-01-02,y,4\n2024-01-03,z,5\n"), (0, 0, 3));
        assert_eq!(shape("country,2019,2020,2021\nA,1,2,3\nB,4,5,6\n"), (0, 1, 4));
        assert_eq!(shape("country,1990,2000,2015\nA,1,2,3\nB,4,5,6\n"), (0, 1, 4));
        assert_eq!(shape("A,1,5,3\nB,4,5,6\nC,2,2,1\n"), (0, 0, 4));
        assert_eq!(shape("Sales of shops\n\nday,shop,sum\n2024-01-01,x,3\n2024-01-02,y,4\n"), (1, 1, 3));
        assert_eq!(shape("Sales,,\n,,\nday,shop,sum\n2024-01-01,x,3\n2024-01-02,y,4\n"), (2, 1, 3));
        assert_eq!(shape("left,,right,\nx,y,x,y\n1,2,3,4\n5,6,7,8\n9,1,2,3\n"), (0, 2, 4));
        assert_eq!(shape("p,x\ne,y\np,x\ne,y\np,x\np,x\n"), (0, 0, 2));
        assert_eq!(shape("name\nAnn\nBob\n"), (0, 1, 1));
        assert_eq!(shape(",x\n0,1\n1,2\n2,9\n"), (0, 1, 2));
        assert_eq!(shape("Sales,,\nof 2024,,\nday,shop,sum\n2024-01-01,x,3\n2024-01-02,y,4\n"), (2, 1, 3));
        assert_eq!(shape("Made by X,on 5, May\nwave,value\n1,2\n3,4\n5,7\n8,2\n"), (1, 1, 2));
    }
}
