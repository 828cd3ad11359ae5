//! Records of text whose style is not the usual one, or that are damaged.

use std::borrow::Cow;

use memchr::memchr;

/// Bytes that a quoted cell may span before its quote counts as never closed.
const LONGEST_CELL: usize = 1 << 20;

/// How cells are written in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) delimiter: u8,
    pub(crate) quote: Option<u8>,
    /// Whether a backslash takes the meaning of the character after it.
    pub(crate) backslash: bool,
    /// Whether blanks that follow a delimiter belong to it.
    pub(crate) padded: bool,
    /// Between records.
    pub(crate) terminator: u8,
}

/// A cell without its quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell<'t> {
    pub(crate) text: Cow<'t, str>,
    pub(crate) quoted: bool,
}

impl Cell<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// How a quote is read that is not where it belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// It is an error.
    Strict,
    /// A quote inside a quoted cell that no delimiter follows is part of the cell. So is the opening quote of this number.
    Lenient(Option<usize>),
    /// As lenient; and of two quotes before a delimiter the second closes the cell.
    CloseAtDelimiter,
    /// No quote means anything.
    Plain,
}

/// A record that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record<'t> {
    pub(crate) cells: Vec<Cell<'t>>,
    /// Where the next record begins.
    pub(crate) next: usize,
    /// Cells that began with a quote.
    pub(crate) opened: usize,
}

impl Style {
    /// The record at `at`; none where it cannot be read this way.
    pub(crate) fn record<'t>(&self, text: &'t str, at: usize, reading: Reading) -> Option<Record<'t>> {
        let bytes = text.as_bytes();
        let mut record = Record { cells: Vec::new(), next: at, opened: 0 };
        loop {
            let from = if self.padded && !record.cells.is_empty() { skip_blanks(bytes, record.next) } else { record.next };
            let (cell, end) = self.cell(text, from, reading, &mut record.opened)?;
            record.cells.push(cell);
            record.next = (end + 1).min(bytes.len());
            if bytes.get(end) != Some(&self.delimiter) {
                return Some(record);
            }
        }
    }

    /// The cell at `from`, and the place of the delimiter or line end after it.
    fn cell<'t>(&self, text: &'t str, from: usize, reading: Reading, opened: &mut usize) -> Option<(Cell<'t>, usize)> {
        let bytes = text.as_bytes();
        if let Some(quote) = self.quote.filter(|&q| bytes.get(from) == Some(&q) && reading != Reading::Plain) {
            *opened += 1;
            if reading != Reading::Lenient(Some(*opened - 1)) {
                return self.quoted(text, from, quote, reading);
            }
        }
        let mut end = from;
        let mut escaped = false;
        while let Some(&b) = bytes.get(end) {
            if b == self.delimiter || b == self.terminator {
                break;
            }
            if b == b'\\' && self.backslash && end + 1 < bytes.len() && bytes[end + 1] != self.terminator {
                escaped = true;
                end += 1;
            }
            end += 1;
        }
        let end = end.min(bytes.len());
        let mut cell = text.get(from..end)?;
        if bytes.get(end) != Some(&self.delimiter) {
            cell = cell.strip_suffix('\r').unwrap_or(cell);
        }
        let text = if escaped { Cow::Owned(self.unescape(cell, None)) } else { Cow::Borrowed(cell) };
        Some((Cell { text, quoted: false }, end))
    }

    fn quoted<'t>(&self, text: &'t str, from: usize, quote: u8, reading: Reading) -> Option<(Cell<'t>, usize)> {
        let bytes = text.as_bytes();
        let mut at = from + 1;
        let mut changed = false;
        loop {
            let limit = bytes.len().min(from + LONGEST_CELL);
            at += memchr(quote, bytes.get(at..limit)?)?;
            if self.backslash && (bytes[from + 1..at].iter().rev().take_while(|&&b| b == b'\\').count() % 2) == 1 {
                changed = true;
                at += 1;
                continue;
            }
            let doubled = bytes.get(at + 1) == Some(&quote);
            let end = self.after_quote(bytes, at + 1);
            if doubled && !(reading == Reading::CloseAtDelimiter && self.after_quote(bytes, at + 2).is_some()) {
                changed = true;
                at += 2;
                continue;
            }
            if doubled {
                // The first of the two is part of the cell.
                let end = self.after_quote(bytes, at + 2)?;
                return Some((self.unquote(text.get(from + 1..at + 1)?, quote, changed), end));
            }
            match end {
                Some(end) => return Some((self.unquote(text.get(from + 1..at)?, quote, changed), end)),
                None if reading == Reading::Strict => return None,
                None => at += 1,
            }
        }
    }

    /// The end of a quoted cell whose quote lies before `at`, unless text follows.
    fn after_quote(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let mut end = at;
        while bytes.get(end).is_some_and(|&b| matches!(b, b' ' | b'\t' | b'\r') && b != self.delimiter && b != self.terminator) {
            end += 1;
        }
        match bytes.get(end) {
            Some(&b) if b != self.delimiter && b != self.terminator => None,
            _ => Some(end),
        }
    }

    fn unquote<'t>(&self, cell: &'t str, quote: u8, changed: bool) -> Cell<'t> {
        let text = if changed || (self.backslash && cell.contains('\\')) {
            Cow::Owned(self.unescape(cell, Some(quote)))
        } else {
            Cow::Borrowed(cell)
        };
        Cell { text, quoted: true }
    }

    /// Without the escape characters.
    fn unescape(&self, cell: &str, quote: Option<u8>) -> String {
        let mut out = String::with_capacity(cell.len());
        let quote = quote.map(char::from);
        let mut chars = cell.chars().peekable();
        while let Some(c) = chars.next() {
            let next = chars.peek().copied();
            let doubled = Some(c) == quote && next == quote;
            let escape = c == '\\' && self.backslash && next.is_some_and(|n| n.is_ascii_punctuation());
            if (doubled || escape)
                && let Some(n) = chars.next()
            {
                out.push(n);
            } else {
                out.push(c);
            }
        }
        out
    }

    /// The end of the line at `at`, after its terminator.
    pub(crate) fn line_end(&self, text: &str, at: usize) -> usize {
        memchr(self.terminator, &text.as_bytes()[at..]).map_or(text.len(), |i| at + i + 1)
    }
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at) == Some(&b' ') {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Style = Style { delimiter: b',', quote: Some(b'"'), backslash: false, padded: false, terminator: b'\n' };

    fn cells(style: Style, text: &str, reading: Reading) -> Option<Vec<String>> {
        Some(style.record(text, 0, reading)?.cells.into_iter().map(|c| c.text.into_owned()).collect())
    }

    fn words(cells: &[&str]) -> Option<Vec<String>> {
        Some(cells.iter().map(|c| (*c).to_owned()).collect())
    }

    #[test]
    fn the_usual_style_keeps_blanks_and_unescapes_doubled_quotes() {
        assert_eq!(cells(USUAL, "a, b ,\"c \"\"d\"\"\"\r\nnext", Reading::Strict), words(&["a", " b ", "c \"d\""]));
        assert_eq!(cells(USUAL, "a,\"b\nc\",d\n", Reading::Strict), words(&["a", "b\nc", "d"]));
        assert_eq!(cells(USUAL, "a,\n", Reading::Strict), words(&["a", ""]));
    }

    #[test]
    fn stray_quotes_are_read_as_they_stand_when_asked() {
        assert_eq!(cells(USUAL, "\"a,b,\"c d\",e\n", Reading::Strict), None);
        assert_eq!(cells(USUAL, "\"a,b,\"c d\",e\n", Reading::Lenient(Some(0))), words(&["\"a", "b", "c d", "e"]));
        assert_eq!(cells(USUAL, "\"say \"hi\" now\",e\n", Reading::Lenient(None)), words(&["say \"hi\" now", "e"]));
        assert_eq!(cells(USUAL, "\"size 48\"\",\"b\"\n", Reading::CloseAtDelimiter), words(&["size 48\"", "b"]));
        assert_eq!(cells(USUAL, "\"a,b\n", Reading::Plain), words(&["\"a", "b"]));
    }

    #[test]
    fn other_styles_are_read() {
        let single = Style { quote: Some(b'\''), padded: true, ..USUAL };
        assert_eq!(cells(single, "a, 'b, c',  d\n", Reading::Strict), words(&["a", "b, c", "d"]));
        let escaped = Style { backslash: true, ..USUAL };
        assert_eq!(cells(escaped, "\"5\\\" wide\",c\\,d,e\n", Reading::Strict), words(&["5\" wide", "c,d", "e"]));
    }
}
