//! Cells and records of delimited text (RFC 4180, read leniently).
//!
//! A cell that begins with `"` runs to the closing `"`, whatever lies between; `""` inside is one quote. A quote
//! elsewhere is an ordinary character. Blanks around an unquoted cell are ignored. Blank lines are skipped.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr2, memrchr};

/// Separators of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// Between cells.
    pub(crate) delimiter: u8,
    /// Between records: `\n` (a `\r` before it does not count) or, in files that have no `\n`, `\r`.
    pub(crate) terminator: u8,
    /// Whether numbers are written with a comma.
    pub(crate) decimal_comma: bool,
}

/// A parse error at a byte of a chunk.
#[derive(Debug)]
pub(crate) struct RecordError {
    /// Position, in bytes from the start of the chunk.
    pub(crate) at: usize,
    /// The field, from 0.
    pub(crate) field: usize,
    pub(crate) message: String,
}

/// One cell as in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawCell<'a> {
    /// The text without enclosing quotes or surrounding blanks.
    pub(crate) text: &'a [u8],
    /// Whether it was quoted.
    pub(crate) quoted: bool,
    /// Whether it has doubled quotes.
    doubled: bool,
}

impl<'a> RawCell<'a> {
    /// The text with doubled quotes unescaped.
    pub(crate) fn value(&self) -> Cow<'a, [u8]> {
        if !self.doubled {
            return Cow::Borrowed(self.text);
        }
        let mut out = Vec::with_capacity(self.text.len());
        let mut rest = self.text;
        while let Some(quote) = memchr(b'"', rest) {
            out.extend_from_slice(&rest[..=quote]);
            rest = rest.get(quote + 2..).unwrap_or_default();
        }
        out.extend_from_slice(rest);
        Cow::Owned(out)
    }
}

/// The delimiter after a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellEnd {
    /// Another cell.
    Cell,
    /// Another record, or the end of the text.
    Record,
}

/// The end of the unquoted cell that begins at `at`.
#[inline]
fn unquoted_end(text: &[u8], at: usize, dialect: &Dialect) -> usize {
    // Cells are short; a search that sets up vectors pays only for long ones.
    let near = &text[at..text.len().min(at + 16)];
    if let Some(i) = near.iter().position(|&b| b == dialect.delimiter || b == dialect.terminator) {
        return at + i;
    }
    let from = at + near.len();
    memchr2(dialect.delimiter, dialect.terminator, &text[from..]).map_or(text.len(), |i| from + i)
}

/// The cell that begins at `at`, what follows it, and where that begins.
#[inline]
pub(crate) fn cell<'a>(
    text: &'a [u8],
    at: usize,
    field: usize,
    dialect: &Dialect,
) -> Result<(RawCell<'a>, CellEnd, usize), RecordError> {
    if text.get(at) == Some(&b'"') {
        return quoted(text, at, field, dialect);
    }
    let end = unquoted_end(text, at, dialect);
    let (after, next) = after(text, end, dialect);
    Ok((RawCell { text: trim(&text[at..end]), quoted: false, doubled: false }, after, next))
}

fn after(text: &[u8], end: usize, dialect: &Dialect) -> (CellEnd, usize) {
    match text.get(end) {
        Some(&b) if b == dialect.delimiter => (CellEnd::Cell, end + 1),
        _ => (CellEnd::Record, (end + 1).min(text.len())),
    }
}

/// Without blanks at both ends. A `\r` before `\n` is among them.
#[inline]
pub(crate) fn trim(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\r', rest @ ..] = text {
        text = rest;
    }
    while let [rest @ .., b' ' | b'\t' | b'\r'] = text {
        text = rest;
    }
    text
}

#[cold]
#[inline(never)]
fn quoted<'a>(text: &'a [u8], at: usize, field: usize, dialect: &Dialect) -> Result<(RawCell<'a>, CellEnd, usize), RecordError> {
    let Some((close, doubled)) = closing_quote(text, at) else {
        return Err(RecordError { at, field, message: "a quote is opened here and never closed".into() });
    };
    let mut end = close + 1;
    while matches!(text.get(end), Some(b' ' | b'\t' | b'\r')) && text[end] != dialect.delimiter && text[end] != dialect.terminator
    {
        end += 1;
    }
    match text.get(end) {
        Some(&b) if b != dialect.delimiter && b != dialect.terminator => {
            let message = "text follows a closing quote; a quote inside a quoted cell is written twice".into();
            Err(RecordError { at: end, field, message })
        }
        _ => {
            let (after, next) = after(text, end, dialect);
            Ok((RawCell { text: &text[at + 1..close], quoted: true, doubled }, after, next))
        }
    }
}

/// The quote that closes the one at `open`, and whether doubled quotes lie between.
fn closing_quote(text: &[u8], open: usize) -> Option<(usize, bool)> {
    let (mut at, mut doubled) = (open + 1, false);
    loop {
        at += memchr(b'"', text.get(at..)?)?;
        if text.get(at + 1) != Some(&b'"') {
            return Some((at, doubled));
        }
        doubled = true;
        at += 2;
    }
}

/// The end of the last whole record of `text`, which begins with a record and may be cut off anywhere.
pub(crate) fn last_record_end(text: &[u8], dialect: &Dialect) -> Option<usize> {
    let (mut from, mut end) = (0, None);
    // Text before a quote is outside quotes, so any terminator there ends a record.
    for quote in std::iter::from_fn({
        let mut at = 0;
        move || {
            memchr(b'"', &text[at.min(text.len())..]).map(|i| {
                let q = at + i;
                at = q + 1;
                q
            })
        }
    }) {
        if quote < from {
            continue;
        }
        if let Some(i) = memrchr(dialect.terminator, &text[from..quote]) {
            end = Some(from + i + 1);
        }
        let opens = quote == 0 || text[quote - 1] == dialect.delimiter || text[quote - 1] == dialect.terminator;
        from = if !opens {
            quote + 1
        } else {
            match closing_quote(text, quote) {
                // A quote in the last byte may be the first of two.
                Some((close, _)) if close + 1 < text.len() => close + 1,
                _ => return end,
            }
        };
    }
    memrchr(dialect.terminator, &text[from..]).map(|i| from + i + 1).or(end)
}

/// Whether a line without any cell begins at `at`; then where the next line begins.
#[inline]
pub(crate) fn blank_line(text: &[u8], at: usize, dialect: &Dialect) -> Option<usize> {
    match text.get(at) {
        Some(&b) if b == dialect.terminator => Some(at + 1),
        Some(b'\r') if text.get(at + 1) == Some(&dialect.terminator) => Some(at + 2),
        Some(b'\r') if at + 1 == text.len() => Some(at + 1),
        _ => None,
    }
}

/// Lines that end within `text`.
pub(crate) fn count_lines(text: &[u8], dialect: &Dialect) -> u64 {
    memchr_iter(dialect.terminator, text).count() as u64
}

/// All cells of the record at `at`, and where the next one begins.
pub(crate) fn record<'a>(text: &'a [u8], mut at: usize, dialect: &Dialect) -> Result<(Vec<RawCell<'a>>, usize), RecordError> {
    let mut cells = Vec::new();
    loop {
        let (c, after, next) = cell(text, at, cells.len(), dialect)?;
        cells.push(c);
        at = next;
        if after == CellEnd::Record {
            return Ok((cells, at));
        }
    }
}
