//! Bytes out of a pipe, as they come.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// Bytes of a single read.
const READ_BYTES: usize = 1 << 16;
/// Reads that may wait to be taken.
const READS_AHEAD: usize = 16;
/// How long rows that have come wait for others to be answered with.
const PATIENCE: Duration = Duration::from_millis(50);

/// A pipe that a thread of its own reads, so that one can ask for what has come without waiting for the rest.
#[derive(Debug)]
pub(crate) struct PipeReader {
    pieces: Receiver<io::Result<Vec<u8>>>,
    /// Bytes read and not yet consumed.
    rest: Vec<u8>,
}

impl PipeReader {
    pub(crate) fn new(mut pipe: impl Read + Send + 'static) -> Self {
        let (send, pieces) = sync_channel(READS_AHEAD);
        std::thread::spawn(move || {
            loop {
                let mut piece = vec![0; READ_BYTES];
                let piece = match pipe.read(&mut piece) {
                    Ok(0) => return,
                    Ok(n) => {
                        piece.truncate(n);
                        Ok(piece)
                    }
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                    Err(e) => Err(e),
                };
                let last = piece.is_err();
                // Nobody takes the pieces any more when the reader is gone.
                if send.send(piece).is_err() || last {
                    return;
                }
            }
        });
        Self { pieces, rest: Vec::new() }
    }

    /// The first bytes, which stay to be read; zeros where there are fewer.
    pub(crate) fn peek<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut start = std::mem::take(&mut self.rest);
        self.fill(&mut start, N)?;
        let mut out = [0; N];
        let there = start.len().min(N);
        out[..there].copy_from_slice(&start[..there]);
        start.append(&mut self.rest);
        self.rest = start;
        Ok(out)
    }

    /// Adds up to `count` bytes to `to`: waits for the first of them as long as it takes, and for others [`PATIENCE`]. Returns
    /// how many there were, 0 only at the end.
    pub(crate) fn fill(&mut self, to: &mut Vec<u8>, count: usize) -> io::Result<usize> {
        let start = to.len();
        to.append(&mut self.rest);
        let mut until = (to.len() > start).then(|| Instant::now() + PATIENCE);
        while to.len() - start < count {
            let piece = match until {
                None => self.pieces.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(until) => self.pieces.recv_timeout(until.saturating_duration_since(Instant::now())),
            };
            match piece {
                Ok(piece) => to.extend(piece?),
                Err(_) => break,
            }
            until.get_or_insert_with(|| Instant::now() + PATIENCE);
        }
        if to.len() - start > count {
            self.rest = to.split_off(start + count);
        }
        Ok(to.len() - start)
    }
}

impl Read for PipeReader {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let mut piece = Vec::new();
        let n = self.fill(&mut piece, buf.len().min(READ_BYTES))?;
        buf[..n].copy_from_slice(&piece);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Sender, channel};

    /// A pipe whose other end is a channel.
    struct ChannelPipe(Receiver<Vec<u8>>);

    impl Read for ChannelPipe {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let Ok(bytes) = self.0.recv() else { return Ok(0) };
            buf[..bytes.len()].copy_from_slice(&bytes);
            Ok(bytes.len())
        }
    }

    fn pipe() -> (Sender<Vec<u8>>, PipeReader) {
        let (send, receive) = channel();
        (send, PipeReader::new(ChannelPipe(receive)))
    }

    #[test]
    fn what_has_come_is_given_before_the_pipe_ends() {
        let (send, mut reader) = pipe();
        send.send(b"one".to_vec()).unwrap();
        assert_eq!(reader.peek::<4>().unwrap(), *b"one\0");
        let mut out = Vec::new();
        assert_eq!(reader.fill(&mut out, 100).unwrap(), 3, "the pipe is open and empty");
        send.send(b"two".to_vec()).unwrap();
        assert_eq!(reader.fill(&mut out, 2).unwrap(), 2);
        assert_eq!(reader.fill(&mut out, 2).unwrap(), 1);
        drop(send);
        assert_eq!(reader.fill(&mut out, 2).unwrap(), 0);
        assert_eq!(out, b"onetwo");
    }

    #[test]
    fn a_fast_pipe_is_read_whole() {
        let all: Vec<u8> = (0..1_000_000u32).map(|i| (i % 251) as u8).collect();
        let mut reader = PipeReader::new(io::Cursor::new(all.clone()));
        let mut out = Vec::new();
        reader.read_to_end(&mut out).unwrap();
        assert_eq!(out, all);
    }
}
