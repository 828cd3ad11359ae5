//! A file in runs of whole records.

use std::sync::mpsc::{Receiver, sync_channel};

use ermine_core::{Error, Result};

use super::record::{Dialect, count_lines, last_record_end};
use crate::source::Unpacked;

/// Bytes of a chunk, when records are not longer.
pub(super) const CHUNK_BYTES: usize = 1 << 20;
/// Bytes a single record may have; an unclosed quote would otherwise take in the rest of a file of any size.
const RECORD_BYTES: usize = 1 << 30;
/// Chunks that are read ahead of the parsing.
const AHEAD: usize = 4;

/// Whole records.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) text: Vec<u8>,
    /// Lines of the file before this chunk.
    pub(crate) line: u64,
}

/// Cuts what `reader` gives in chunks; `carry` is what was read already, from the beginning of a record on.
pub(crate) struct Chunks {
    name: String,
    reader: Unpacked,
    dialect: Dialect,
    /// Where the last whole record ends.
    last_end: fn(&[u8], &Dialect) -> Option<usize>,
    carry: Vec<u8>,
    line: u64,
    done: bool,
}

impl Chunks {
    /// Chunks of records in which quotes have their meaning.
    pub(super) fn new(name: String, reader: Unpacked, dialect: Dialect, carry: Vec<u8>, line: u64) -> Self {
        Self { name, reader, dialect, last_end: last_record_end, carry, line, done: false }
    }

    /// Chunks of plain lines.
    pub(crate) fn lines(name: String, reader: Unpacked) -> Self {
        let dialect = Dialect { delimiter: b' ', terminator: b'\n', decimal_comma: false };
        let last_end = |text: &[u8], _: &Dialect| memchr::memrchr(b'\n', text).map(|i| i + 1);
        Self { name, reader, dialect, last_end, carry: Vec::new(), line: 0, done: false }
    }

    fn read(&mut self) -> Result<Option<Chunk>> {
        let mut text = std::mem::take(&mut self.carry);
        loop {
            // A record longer than the chunk is looked through again as it grows, so it grows by doubling.
            let want = CHUNK_BYTES.max(text.len());
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

/// The chunks, read and unpacked by a thread of their own while the caller parses.
pub(crate) fn ahead<I: Iterator<Item = Result<Chunk>> + Send + 'static>(chunks: I) -> Receiver<Result<Chunk>> {
    let (send, receive) = sync_channel(AHEAD);
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
