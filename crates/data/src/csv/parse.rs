//! From the text of a chunk to column chunks.

use ermine_core::{ColumnKind, Result};

use super::cell_style::ColumnTally;
use super::chunks::Chunk;
use super::layout::{Layout, check_text, likely_rows, number_of, record_error};
use super::number;
use super::record::{CellEnd, Dialect, RawCell, RecordError, blank_line, cell, count_lines};
use crate::column_chunk::{CodedStrings, ColumnChunk, ParseAs};
use crate::options::{MissingMarkers, ReadOptions};

/// Inputs of the parser.
pub(super) struct Parser<'a> {
    pub(super) path: &'a str,
    pub(super) layout: &'a Layout,
    pub(super) missing: &'a MissingMarkers,
    pub(super) options: &'a ReadOptions,
}

/// A chunk, parsed.
pub(crate) struct Parsed {
    pub(crate) rows: usize,
    pub(crate) parts: Vec<ColumnChunk>,
    /// Of columns that are dates or not plain numbers, what was seen.
    pub(crate) tallies: Vec<ColumnTally>,
}

/// The end of a number that stood at the start of a cell, if the cell ends there: what follows and where that begins.
#[inline(always)]
fn number_end(text: &[u8], end: usize, dialect: &Dialect) -> Option<(CellEnd, usize)> {
    let byte = *text.get(end)?;
    if byte == dialect.delimiter {
        Some((CellEnd::Cell, end + 1))
    } else if byte == dialect.terminator {
        Some((CellEnd::Record, end + 1))
    } else if byte == b'\r' && text.get(end + 1) == Some(&dialect.terminator) {
        Some((CellEnd::Record, end + 2))
    } else {
        None
    }
}

/// A row that has too few or too many cells.
fn ragged(text: &[u8], row: usize, width: usize, dialect: &Dialect) -> RecordError {
    match super::record::record(text, row, dialect) {
        Ok((cells, _)) => {
            let count = cells.len();
            let s = if width == 1 { "" } else { "s" };
            let message =
                format!("this record has {count} cell{}, and {width} column{s} are expected", if count == 1 { "" } else { "s" });
            RecordError { at: row, field: count.min(width + 1) - 1, message }
        }
        Err(flaw) => flaw,
    }
}

/// Whether a record is one empty cell: a line of blanks, skipped like a blank line where there are several columns.
fn only_blanks(cell: &RawCell<'_>, after: CellEnd, field: usize, width: usize) -> bool {
    field == 0 && width > 1 && after == CellEnd::Record && cell.text.is_empty() && !cell.quoted
}

impl Parser<'_> {
    /// Parses a chunk. A column whose cells contradict its plan is given up, unless its kind was requested: then the
    /// cell is an error.
    pub(super) fn parse(&self, chunk: &Chunk) -> Result<Parsed> {
        self.parse_text(chunk).map_err(|f| record_error(self.path, &chunk.text, chunk.line, &self.layout.dialect, f))
    }

    fn parse_text(&self, chunk: &Chunk) -> Result<Parsed, RecordError> {
        let text = &chunk.text[..];
        let mut tallies = vec![ColumnTally::default(); self.layout.plans.len()];
        let dialect = &self.layout.dialect;
        let width = self.layout.plans.len();
        let likely = likely_rows(text, dialect, width);
        let mut parts: Vec<ColumnChunk> = self
            .layout
            .plans
            .iter()
            .map(|plan| match plan {
                ParseAs::Skip => ColumnChunk::Skipped,
                ParseAs::Number | ParseAs::Date => ColumnChunk::Numbers(Vec::with_capacity(likely), 0),
                ParseAs::Strings => {
                    ColumnChunk::Strings(CodedStrings { codes: Vec::with_capacity(likely), ..CodedStrings::default() })
                }
            })
            .collect();
        let fast = !dialect.decimal_comma && !self.missing.has_numbers();
        let (mut at, mut rows) = (0, 0);
        'records: while at < text.len() {
            if let Some(next) = blank_line(text, at, dialect) {
                at = next;
                continue;
            }
            let row = at;
            for field in 0..width {
                if fast
                    && let (ColumnChunk::Numbers(values, _), ParseAs::Number) = (&mut parts[field], self.layout.plans[field])
                    && let Some((value, end)) = number::short(text, at)
                    && let Some((after, next)) = number_end(text, end, dialect)
                {
                    if (after == CellEnd::Record) != (field + 1 == width) {
                        return Err(ragged(text, row, width, dialect));
                    }
                    values.push(value);
                    at = next;
                    continue;
                }
                let (cell, after, next) = cell(text, at, field, dialect)?;
                if only_blanks(&cell, after, field, width) {
                    at = next;
                    continue 'records;
                }
                if (after == CellEnd::Record) != (field + 1 == width) {
                    return Err(ragged(text, row, width, dialect));
                }
                self.take(&mut parts[field], field, &cell, at, (chunk, &mut tallies[field]))?;
                at = next;
            }
            rows += 1;
        }
        for (tally, part) in tallies.iter_mut().zip(&parts).filter(|(tally, _)| tally.strays > 0) {
            if let ColumnChunk::Numbers(values, _) = part {
                tally.cells = values.iter().filter(|v| !v.is_nan()).count() as u64;
            }
        }
        Ok(Parsed { rows, parts, tallies })
    }

    fn take(
        &self,
        part: &mut ColumnChunk,
        field: usize,
        cell: &RawCell<'_>,
        at: usize,
        (chunk, tally): (&Chunk, &mut ColumnTally),
    ) -> Result<(), RecordError> {
        match part {
            ColumnChunk::Skipped | ColumnChunk::Contradicted => {}
            ColumnChunk::Numbers(values, rounded) => {
                if self.missing.is(cell.text) {
                    values.push(f64::NAN);
                    return Ok(());
                }
                let style = &self.layout.styles[field];
                let (value, what) = match self.layout.plans[field] {
                    ParseAs::Date => {
                        let value = style.date.parse(cell.text);
                        if let Some(other) = style.date.exchanged().map(|order| order.parse(cell.text)) {
                            tally.settled += u64::from(other.is_none());
                            tally.cells += u64::from(other.is_some() && other != value);
                        }
                        (value, style.date.pattern())
                    }
                    _ => {
                        let plain = number_of(cell.text, &self.layout.dialect);
                        (plain.or_else(|| style.number?.parse(cell.text)), "a number")
                    }
                };
                match value {
                    Some(v) => {
                        *rounded += u64::from(number::is_rounded(cell.text, v));
                        values.push(v);
                    }
                    None if self.asked(field).is_some() => {
                        return Err(parse_error(what, cell, field, at, &self.layout.names[field]));
                    }
                    None if style.number.is_some() => {
                        let line = chunk.line + 1 + count_lines(&chunk.text[..at], &self.layout.dialect);
                        tally.stray(cell.text, line);
                        values.push(f64::NAN);
                    }
                    None => *part = ColumnChunk::Contradicted,
                }
            }
            ColumnChunk::Strings(strings) => {
                if self.missing.is(cell.text) {
                    strings.push_missing();
                    return Ok(());
                }
                let value = cell.value();
                if strings.push(&value) {
                    check_text(&value).map_err(|message| RecordError { at, field, message })?;
                }
            }
        }
        Ok(())
    }

    fn asked(&self, field: usize) -> Option<ColumnKind> {
        self.options.kind_of(&self.layout.names[field])
    }
}

/// The flaw of a cell that cannot be read as it has to be.
fn parse_error(what: &str, cell: &RawCell<'_>, field: usize, at: usize, name: &str) -> RecordError {
    let text = String::from_utf8_lossy(cell.text);
    let short: String = text.chars().take(40).collect();
    let dots = if short.len() < text.len() { "…" } else { "" };
    RecordError { at, field, message: format!("\"{short}{dots}\" in column \"{name}\" is not {what}") }
}
