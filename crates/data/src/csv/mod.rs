//! Delimited text, in parallel.
//!
//! A thread reads and decompresses the file and cuts it into chunks of whole records ([`chunks`]); the chunks are
//! parsed in parallel to typed column chunks ([`parse`]). Types are guessed from the first records ([`layout`]); a
//! column whose guess a later cell contradicts is read once more, as strings.

mod cell_style;
mod chunks;
mod layout;
mod loose_number;
mod mend;
mod mended;
mod number;
mod parse;
mod record;
mod sniff;

use ermine_core::parallel::prelude::*;
use ermine_core::{Error, Flow, Result};

pub(crate) use cell_style::{CellStyle, ColumnTally};
pub(crate) use chunks::{Chunk, Chunks, next_batch, read_ahead};
pub(crate) use layout::Layout;
pub(crate) use mend::{MendedText, push_cell};
pub use mend::{Repair, RepairKind, Repairs};
pub(crate) use mended::{allow, known};
#[cfg(feature = "arrow")]
pub(crate) use number::is_rounded;
pub(crate) use number::parse as parse_number;
pub(crate) use parse::Parsed;

use crate::column_chunk::{self, ChunkSink, ColumnChunk, InferredColumn, ParseAs};
use crate::dates::DateOrder;
use crate::infer::Profile;
use crate::options::{Format, MissingMarkers, ReadOptions};
use crate::source::ByteSource;

/// The handler of a batch of parsed chunks.
type BatchVisit<'v> = &'v mut dyn FnMut(&Layout, Vec<Result<Parsed>>) -> Result<Flow>;

/// Delimited files that make up one table.
pub(crate) struct Delimited<'a> {
    pub(crate) sources: &'a [ByteSource],
    pub(crate) options: &'a ReadOptions,
    pub(crate) format: Format,
}

impl Delimited<'_> {
    /// Parses all rows in order, with `layout` or, without one, that of the first file; returns the layout. Stops early
    /// when `visit` asks for it.
    pub(crate) fn scan(&self, layout: Option<&Layout>, visit: &mut dyn FnMut(&Layout, Parsed) -> Result<Flow>) -> Result<Layout> {
        self.scan_batches(layout, &mut |layout, batch| {
            for parsed in batch {
                if visit(layout, parsed?)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
            Ok(Flow::Continue)
        })
    }

    /// [`Delimited::scan`] by batches of chunks that were parsed side by side. Of a pipe a batch is what has come.
    pub(crate) fn scan_batches(&self, layout: Option<&Layout>, visit: BatchVisit<'_>) -> Result<Layout> {
        let missing = MissingMarkers::new(self.options);
        let mut layout = layout.cloned();
        for source in self.sources {
            let opened = layout::open(source, self.options, self.format, layout.as_ref())?;
            // Line ends may differ between files.
            let current = opened.layout;
            let parser = parse::Parser { path: &source.name, layout: &current, missing: &missing, options: self.options };
            let chunks = chunks::read_ahead(opened.chunks);
            loop {
                let batch = chunks::next_batch(&chunks, source)?;
                if batch.is_empty() {
                    break;
                }
                if visit(&current, batch.into_par_iter().map(|chunk| parser.parse(&chunk)).collect())? == Flow::Stop {
                    return Ok(current);
                }
            }
            layout.get_or_insert(current);
        }
        layout.ok_or_else(|| Error::Data("there is no file to read".into()))
    }

    /// The inferred kinds of the columns.
    pub(crate) fn infer_columns<'p>(
        &self,
        layout: &Layout,
        profiles: impl IntoIterator<Item = &'p Profile>,
    ) -> Result<Vec<InferredColumn>> {
        let asked = |name: &String| self.options.kind_of(name);
        let columns = layout.names.iter().zip(profiles).zip(layout.plans.iter().zip(&layout.styles));
        let infer = |((name, profile), (&plan, style)): ((&String, &'p Profile), (&ParseAs, &CellStyle))| {
            let mut column = column_chunk::infer(name, plan, profile, asked(name))?;
            if plan == ParseAs::Date && style.date != DateOrder::Iso && asked(name).is_none() {
                column.reason = column.reason.replace(DateOrder::Iso.pattern(), style.date.pattern());
            }
            Ok(column)
        };
        columns.map(infer).collect()
    }

    /// The layout with its guesses resolved, the gathered columns, and the number of rows. Columns whose guess was
    /// contradicted are gathered again, from the beginning.
    pub(crate) fn reread_contradicted<G: ChunkSink>(&self) -> Result<(Layout, Vec<G>, usize)> {
        let mut gathered: Vec<G> = Vec::new();
        let mut tallies: Vec<ColumnTally> = Vec::new();
        let mut wrong: Vec<bool> = Vec::new();
        let mut rows = 0;
        let mut layout = self.scan(None, &mut |layout, parsed| {
            gathered.resize_with(layout.plans.len(), G::default);
            tallies.resize_with(layout.plans.len(), ColumnTally::default);
            wrong.resize(layout.plans.len(), false);
            rows += parsed.rows;
            gather(&mut gathered, &mut tallies, &mut wrong, parsed);
            Ok(Flow::Continue)
        })?;
        let width = layout.plans.len();
        gathered.resize_with(width, G::default);
        tallies.resize_with(width, ColumnTally::default);
        wrong.resize(width, false);
        loop {
            wrong.iter_mut().zip(&tallies).for_each(|(wrong, tally)| *wrong |= tally.is_refuted());
            if !wrong.contains(&true) {
                break;
            }
            for j in (0..width).filter(|&j| wrong[j]) {
                (layout.plans[j], layout.styles[j]) = layout.styles[j].next(layout.plans[j], layout.dialect.decimal_comma);
                (gathered[j], tallies[j]) = (G::default(), ColumnTally::default());
            }
            let again = layout.only(&wrong);
            wrong.fill(false);
            let before = std::mem::take(&mut rows);
            self.scan(Some(&again), &mut |_, parsed| {
                rows += parsed.rows;
                gather(&mut gathered, &mut tallies, &mut wrong, parsed);
                Ok(Flow::Continue)
            })?;
            if before != rows {
                return Err(Error::Data(format!("the data changed while it was read: {before} rows, then {rows}")));
            }
        }
        let columns = layout.names.iter().zip(&tallies).zip(layout.plans.iter().zip(&layout.styles));
        let notes: Vec<String> = columns.filter_map(|((name, tally), (&plan, &style))| tally.note(name, plan, style)).collect();
        layout.notes.extend(notes);
        Ok((layout, gathered, rows))
    }
}

/// Adds the chunks of columns to what was gathered; columns that are not what they seemed are marked.
fn gather<G: ChunkSink>(gathered: &mut [G], tallies: &mut [ColumnTally], wrong: &mut [bool], parsed: Parsed) {
    let columns = gathered.par_iter_mut().zip(tallies).zip(wrong).zip(parsed.parts).zip(parsed.tallies);
    columns.with_min_len(4).for_each(|((((to, tally), wrong), part), more)| {
        tally.add(more);
        match part {
            ColumnChunk::Skipped => {}
            ColumnChunk::Contradicted => *wrong = true,
            part if !*wrong => to.add(part),
            _ => {}
        }
    });
}
