//! Delimited numbers straight into a row-major matrix.
//!
//! A plain file is read twice in pieces that stay in the cache: once to count lines, so that the matrix is allocated once and
//! every piece knows its rows; once to parse. Nothing of the size of the file is ever held but the matrix. Packed files,
//! several files, and files with quotes among the numbers go through the chunks of the table reader.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use ermine_core::{Error, Mat, Result};
use memchr::{memchr, memchr_iter};
use rayon::prelude::*;

use super::chunks;
use super::layout::{self, Layout, number_of, record_error};
use super::number;
use super::parse::{number_end, only_blanks, parse_error, ragged};
use super::record::{CellEnd, RecordError, blank_line, cell, count_lines};
use crate::options::{Format, MissingMarkers, ReadOptions};
use crate::source::{ByteSource, Compression};

/// Bytes of a piece: text and numbers of one piece fit in the second-level cache.
const PIECE: u64 = 1 << 18;

/// How the cells are read.
struct NumberParser<'a> {
    layout: &'a Layout,
    missing: &'a MissingMarkers,
}

impl NumberParser<'_> {
    /// Parses whole records into `out`, row after row; returns how many rows there were. `out` has room for as many rows as
    /// there are lines.
    fn rows(&self, text: &[u8], out: &mut [f64]) -> Result<usize, RecordError> {
        let dialect = &self.layout.dialect;
        let width = self.layout.names.len();
        let fast = !dialect.decimal_comma && !self.missing.has_numbers();
        let (mut at, mut rows) = (0, 0);
        'records: while at < text.len() {
            if let Some(next) = blank_line(text, at, dialect) {
                at = next;
                continue;
            }
            let row = at;
            let Some(cells) = out.get_mut(rows * width..(rows + 1) * width) else {
                return Err(RecordError { at, field: 0, message: "the file grew while it was read".into() });
            };
            for (field, slot) in cells.iter_mut().enumerate() {
                let last = field + 1 == width;
                if fast
                    && let Some((value, end)) = number::short(text, at)
                    && let Some((after, next)) = number_end(text, end, dialect)
                {
                    if (after == CellEnd::Record) != last {
                        return Err(ragged(text, row, width, dialect));
                    }
                    *slot = value;
                    at = next;
                    continue;
                }
                let (cell, after, next) = cell(text, at, field, dialect)?;
                if only_blanks(&cell, after, field, width) {
                    at = next;
                    continue 'records;
                }
                if (after == CellEnd::Record) != last {
                    return Err(ragged(text, row, width, dialect));
                }
                *slot = if self.missing.is(cell.text) {
                    f64::NAN
                } else {
                    let name = &self.layout.names[field];
                    number_of(cell.text, dialect).ok_or_else(|| parse_error("a number", &cell, field, at, name))?
                };
                at = next;
            }
            rows += 1;
        }
        Ok(rows)
    }
}

/// All rows as numbers, NaN where missing, and the names of the columns.
pub(crate) fn read_matrix(sources: &[ByteSource], options: &ReadOptions, format: Format) -> Result<(Mat<f64>, Vec<String>)> {
    if let [source] = sources
        && let Some(path) = source.path()
        && source.compression()? == Compression::Uncompressed
        && let Some(result) = in_place(source, path, options, format)?
    {
        return Ok(result);
    }
    by_chunks(sources, options, format)
}

fn by_chunks(sources: &[ByteSource], options: &ReadOptions, format: Format) -> Result<(Mat<f64>, Vec<String>)> {
    let missing = MissingMarkers::new(options);
    let mut known: Option<Layout> = None;
    let mut pieces: Vec<Vec<f64>> = Vec::new();
    for source in sources {
        let opened = layout::open(source, options, format, known.as_ref())?;
        let current = opened.layout;
        let width = current.names.len();
        let numbers = NumberParser { layout: &current, missing: &missing };
        let chunks = chunks::read_ahead(opened.chunks);
        loop {
            let batch = chunks.iter().take(2 * rayon::current_num_threads()).collect::<Result<Vec<_>>>()?;
            if batch.is_empty() {
                break;
            }
            let parsed: Vec<Result<Vec<f64>>> = batch
                .into_par_iter()
                .map(|chunk| {
                    let lines = count_lines(&chunk.text, &current.dialect) as usize + 1;
                    let mut out = vec![0.0; cells(lines, width)?];
                    let rows = numbers.rows(&chunk.text, &mut out);
                    let rows = rows.map_err(|f| record_error(&source.name, &chunk.text, chunk.line, &current.dialect, f))?;
                    out.truncate(rows * width);
                    Ok(out)
                })
                .collect();
            for piece in parsed {
                pieces.push(piece?);
            }
        }
        known.get_or_insert(current);
    }
    let names = known.map(|k| k.names).unwrap_or_default();
    let mut all = Vec::with_capacity(pieces.iter().map(Vec::len).sum());
    pieces.into_iter().for_each(|p| all.extend(p));
    let rows = all.len() / names.len().max(1);
    Ok((Mat::from_vec(rows, names.len(), all), names))
}

fn cells(rows: usize, width: usize) -> Result<usize> {
    rows.checked_mul(width)
        .filter(|n| *n <= isize::MAX as usize / 8)
        .ok_or_else(|| Error::Data(format!("a matrix of {rows} x {width} numbers does not fit in memory")))
}

/// The lines of one piece of the file.
struct LineStats {
    /// Where the first line that begins in the piece begins, if one does.
    first: Option<u64>,
    /// Line ends in the piece.
    ends: usize,
    quotes: bool,
}

/// A run of lines: where it begins and ends, how many lines end in it.
struct LineRange {
    from: u64,
    to: u64,
    lines: usize,
}

/// The parallel way, or `None` if the file has quotes after its header.
fn in_place(source: &ByteSource, path: &Path, options: &ReadOptions, format: Format) -> Result<Option<(Mat<f64>, Vec<String>)>> {
    let opened = layout::open(source, options, format, None)?;
    let layout = &opened.layout;
    let (dialect, width) = (layout.dialect, layout.names.len());
    let length = path.metadata().map_err(|e| Error::io(path, e))?.len();
    let io = |e| Error::io(path, e);
    let piece = |file: &mut File, from: u64, to: u64, buffer: &mut Vec<u8>| -> Result<()> {
        buffer.clear();
        file.seek(SeekFrom::Start(from)).map_err(io)?;
        buffer.reserve((to - from) as usize);
        let n = file.take(to - from).read_to_end(buffer).map_err(io)?;
        if n as u64 == to - from {
            Ok(())
        } else {
            Err(Error::Data(format!("{}: the file shrank while it was read", source.name)))
        }
    };
    let start = opened.start;
    let pieces = length.saturating_sub(start).div_ceil(PIECE);
    let lines: Vec<LineStats> = (0..pieces)
        .into_par_iter()
        .map_init(
            || (File::open(path), Vec::new()),
            |(file, buffer), k| {
                let file = file.as_mut().map_err(|e| Error::io(path, std::io::Error::from(e.kind())))?;
                let (from, to) = (start + k * PIECE, (start + (k + 1) * PIECE).min(length));
                piece(file, from, to, buffer)?;
                Ok(LineStats {
                    first: memchr(dialect.terminator, buffer).map(|i| from + i as u64 + 1),
                    ends: memchr_iter(dialect.terminator, buffer).count(),
                    quotes: memchr(b'"', buffer).is_some(),
                })
            },
        )
        .collect::<Result<_>>()?;
    if lines.iter().any(|l| l.quotes) {
        return Ok(None);
    }
    let runs = runs(&lines, start, length);
    let room: usize = runs.iter().map(|r| r.lines).sum();
    let mut all = vec![0.0f64; cells(room, width)?];
    let missing = MissingMarkers::new(options);
    let numbers = NumberParser { layout, missing: &missing };
    let mut jobs = Vec::with_capacity(runs.len());
    let (mut rest, mut line) = (all.as_mut_slice(), opened.line);
    for run in &runs {
        let (own, after) = rest.split_at_mut(run.lines * width);
        jobs.push((run, line, own));
        (rest, line) = (after, line + run.lines as u64);
    }
    let rows: Vec<usize> = jobs
        .into_par_iter()
        .map_init(
            || (File::open(path), Vec::new()),
            |(file, buffer), (run, line, out)| {
                let file = file.as_mut().map_err(|e| Error::io(path, std::io::Error::from(e.kind())))?;
                piece(file, run.from, run.to, buffer)?;
                numbers.rows(buffer, out).map_err(|f| record_error(&source.name, buffer, line, &dialect, f))
            },
        )
        .collect::<Result<_>>()?;
    // Blank lines have left gaps; usually there are none.
    let (mut to, mut from) = (0, 0);
    for (run, rows) in runs.iter().zip(&rows) {
        if to != from {
            all.copy_within(from..from + rows * width, to);
        }
        to += rows * width;
        from += run.lines * width;
    }
    all.truncate(to);
    Ok(Some((Mat::from_vec(rows.iter().sum(), width, all), opened.layout.names)))
}

/// The lines that begin in each piece, as runs of whole lines.
fn runs(lines: &[LineStats], start: u64, length: u64) -> Vec<LineRange> {
    let mut runs: Vec<LineRange> = Vec::new();
    let mut from = start;
    // Line ends after `from` that belong to the current run.
    let mut pending = 0;
    for piece in lines {
        if let Some(first) = piece.first {
            runs.push(LineRange { from, to: first, lines: pending + 1 });
            from = first;
            pending = piece.ends - 1;
        }
    }
    if from < length {
        // The last line may have no end.
        runs.push(LineRange { from, to: length, lines: pending + 1 });
    }
    runs
}
