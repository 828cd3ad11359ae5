//! A file in chunks of whole records.

use std::sync::mpsc::{Receiver, sync_channel};

use ermine_core::{Error, Result};

use super::record::{Dialect, count_lines, last_record_end};
use crate::source::{ByteSource, Decompressor};

/// Bytes of a chunk, when records are not longer.
pub(super) const CHUNK_BYTES: usize = 1 << 20;
/// Upper bound on the bytes of a record; an unclosed quote would otherwise span the rest of a file of any size.
const RECORD_BYTES: usize = 1 << 30;
/// Chunks read ahead of the parsing.
const READ_AHEAD_CHUNKS: usize = 4;

/// Whole records.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) text: Vec<u8>,
    /// Lines of the file before this chunk.
    pub(crate) line: u64,
}

/// Cuts the bytes of `reader` into chunks; `carry` holds bytes already read, from the beginning of a record on.
pub(crate) struct Chunks {
    name: String,
    reader: Decompressor,
    dialect: Dialect,
    /// The end of the last whole record.
    last_end: fn(&[u8], &Dialect) -> Option<usize>,
    carry: Vec<u8>,
    size: usize,
    line: u64,
    done: bool,
}

impl Chunks {
    /// Chunks of records with quoted cells.
    pub(super) fn new(name: String, reader: Decompressor, dialect: Dialect, carry: Vec<u8>, line: u64) -> Self {
        Self { name, reader, dialect, last_end: last_record_end, carry, size: CHUNK_BYTES, line, done: false }
    }

    /// Chunks of plain lines.
    pub(crate) fn lines(name: String, reader: Decompressor) -> Self {
        let dialect = Dialect { delimiter: b' ', terminator: b'\n', decimal_comma: false };
        let last_end = |text: &[u8], _: &Dialect| memchr::memrchr(b'\n', text).map(|i| i + 1);
        Self { name, reader, dialect, last_end, carry: Vec::new(), size: CHUNK_BYTES, line: 0, done: false }
    }

    fn read(&mut self) -> Result<Option<Chunk>> {
        let mut text = std::mem::take(&mut self.carry);
        loop {
            // A record longer than the chunk is scanned again as it grows, so it grows by doubling.
            let want = self.size.max(text.len());
            self.done = !self.reader.fill(&mut text, want)?;
            let end = if self.done { Some(text.len()) } else { (self.last_end)(&text, &self.dialect) };
            if let Some(end) = end {
                self.carry = text[end..].to_vec();
                text.truncate(end);
                let line = self.line;
                self.line += count_lines(&text, &self.dialect);
                return Ok((!text.is_empty()).then_some(Chunk { text, line }));
            }
            if text.len() > RECORD_BYTES {
                let message = format!("a record of more than {RECORD_BYTES} bytes begins here; is a quote left open?");
                return Err(Error::Parse { path: self.name.clone(), line: self.line + 1, column: 1, message });
            }
        }
    }
}

impl Iterator for Chunks {
    type Item = Result<Chunk>;
    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let chunk = self.read();
        self.done |= chunk.is_err();
        chunk.transpose()
    }
}

/// The chunks, read and decompressed by a thread of their own while the caller parses.
pub(crate) fn read_ahead<I: Iterator<Item = Result<Chunk>> + Send + 'static>(chunks: I) -> Receiver<Result<Chunk>> {
    let (send, receive) = sync_channel(READ_AHEAD_CHUNKS);
    std::thread::spawn(move || {
        for chunk in chunks {
            // The receiver is gone when the caller has stopped early.
            if send.send(chunk).is_err() {
                return;
            }
        }
    });
    receive
}

/// The chunks that are parsed side by side; of a pipe, those that have come. None at the end.
pub(crate) fn next_batch(chunks: &Receiver<Result<Chunk>>, source: &ByteSource) -> Result<Vec<Chunk>> {
    let most = 2 * rayon::current_num_threads();
    let first = chunks.iter().take(1);
    match source.is_pipe() {
        true => first.chain(chunks.try_iter()).take(most).collect(),
        false => first.chain(chunks.iter()).take(most).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::{RecordError, blank_line, record};
    use super::*;
    use crate::options::ReadOptions;
    use crate::source::Bytes;
    use proptest::prelude::*;

    const COMMA: Dialect = Dialect { delimiter: b',', terminator: b'\n', decimal_comma: false };

    /// All cells, parsed sequentially.
    fn cells(text: &[u8]) -> Result<Vec<Vec<Vec<u8>>>, RecordError> {
        let (mut at, mut out) = (0, Vec::new());
        while at < text.len() {
            if let Some(next) = blank_line(text, at, &COMMA) {
                at = next;
                continue;
            }
            let (cells, next) = record(text, at, &COMMA)?;
            out.push(cells.iter().map(|c| c.value().into_owned()).collect());
            at = next;
        }
        Ok(out)
    }

    /// An independent parser, one character at a time; `None` where the text is invalid.
    fn reference(text: &str) -> Option<Vec<Vec<Vec<u8>>>> {
        #[derive(PartialEq)]
        enum QuoteState {
            Start,
            Plain,
            Quoted,
            Closed,
        }
        let (mut out, mut row, mut cell, mut at) = (Vec::new(), Vec::new(), String::new(), QuoteState::Start);
        let trimmed = |cell: &str, quoted: bool| {
            if quoted { cell.as_bytes().to_vec() } else { cell.trim_matches([' ', '\t', '\r']).as_bytes().to_vec() }
        };
        let mut chars = text.chars().chain(if text.ends_with('\n') { "" } else { "\n" }.chars()).peekable();
        while let Some(c) = chars.next() {
            match (&at, c) {
                (QuoteState::Quoted, '"') if chars.peek() == Some(&'"') => cell.push(chars.next()?),
                (QuoteState::Quoted, '"') => at = QuoteState::Closed,
                (QuoteState::Quoted, c) => cell.push(c),
                (_, ',' | '\n') => {
                    let blank = row.is_empty() && c == '\n' && at != QuoteState::Closed && (cell.is_empty() || cell == "\r");
                    if !blank {
                        row.push(trimmed(&cell, at == QuoteState::Closed));
                    }
                    cell.clear();
                    at = QuoteState::Start;
                    if c == '\n' && !blank {
                        out.push(std::mem::take(&mut row));
                    }
                }
                (QuoteState::Start, '"') => at = QuoteState::Quoted,
                (QuoteState::Closed, ' ' | '\t' | '\r') => {}
                (QuoteState::Closed, _) => return None,
                (_, c) => {
                    cell.push(c);
                    at = QuoteState::Plain;
                }
            }
        }
        // The line end that was appended may have been taken into an open quote.
        (at != QuoteState::Quoted).then_some(out)
    }

    fn chunked(text: &[u8], size: usize) -> Result<Vec<Vec<Vec<u8>>>, String> {
        let source = ByteSource::new("memory".into(), Bytes::Memory(text.into()));
        let reader = source.open(&ReadOptions::default()).unwrap();
        let mut chunks = Chunks::new("memory".into(), reader, COMMA, Vec::new(), 0);
        chunks.size = size;
        let (mut out, mut lines) = (Vec::new(), 0);
        for chunk in chunks {
            let chunk = chunk.unwrap();
            assert_eq!(chunk.line, lines);
            lines += count_lines(&chunk.text, &COMMA);
            out.extend(cells(&chunk.text).map_err(|f| f.message)?);
        }
        Ok(out)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn cells_do_not_depend_on_the_chunks(text in "[ab1,,\"\"\n\n\r ]{0,40}", size in 1usize..12) {
            let whole = cells(text.as_bytes()).map_err(|f| f.message);
            prop_assert_eq!(&whole.clone().ok(), &reference(&text));
            match chunked(text.as_bytes(), size) {
                Ok(parts) => prop_assert_eq!(Ok(parts), whole),
                Err(message) => prop_assert_eq!(Err(message), whole),
            }
        }
    }
}
