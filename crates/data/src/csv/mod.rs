//! Delimited text, in parallel.
//!
//! A thread reads and decompresses the file and cuts it into chunks of whole records ([`chunks`]); the chunks are
//! parsed in parallel to typed column chunks ([`parse`]). Types are guessed from the first records ([`layout`]); a
//! column whose guess a later cell contradicts is read once more, as strings.

mod chunks;
mod layout;
mod mend;
mod mended;
mod number;
mod parse;
mod record;
mod sniff;

use ermine_core::parallel::prelude::*;
use ermine_core::{Error, Flow, Result};

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
        let columns = layout.names.iter().zip(profiles).zip(&layout.plans);
        columns.map(|((name, profile), &plan)| column_chunk::infer(name, plan, profile, asked(name))).collect()
    }

    /// The layout with its guesses resolved, the gathered columns, and the number of rows. A column whose guess was
    /// contradicted is gathered once more, from the beginning.
    pub(crate) fn reread_contradicted<G: ChunkSink>(&self) -> Result<(Layout, Vec<G>, usize)> {
        let mut gathered: Vec<G> = Vec::new();
        let mut contradicted: Vec<bool> = Vec::new();
        let mut rows = 0;
        let mut layout = self.scan(None, &mut |layout, parsed| {
            gathered.resize_with(layout.plans.len(), G::default);
            contradicted.resize(layout.plans.len(), false);
            rows += parsed.rows;
            let columns = gathered.par_iter_mut().zip(&mut contradicted).zip(parsed.parts);
            columns.with_min_len(4).for_each(|((to, contradicted), part)| {
                *contradicted |= matches!(part, ColumnChunk::Contradicted);
                if !*contradicted {
                    to.add(part);
                }
            });
            Ok(Flow::Continue)
        })?;
        gathered.resize_with(layout.plans.len(), G::default);
        contradicted.resize(layout.plans.len(), false);
        if contradicted.contains(&true) {
            let again = layout.only_strings(&contradicted);
            for j in (0..contradicted.len()).filter(|&j| contradicted[j]) {
                layout.plans[j] = ParseAs::Strings;
                gathered[j] = G::default();
            }
            let before = std::mem::take(&mut rows);
            self.scan(Some(&again), &mut |_, parsed| {
                rows += parsed.rows;
                let columns = gathered.par_iter_mut().zip(&contradicted).zip(parsed.parts);
                columns.with_min_len(4).for_each(|((to, again), part)| {
                    if *again {
                        to.add(part);
                    }
                });
                Ok(Flow::Continue)
            })?;
            if before != rows {
                return Err(Error::Data(format!("the data changed while it was read: {before} rows, then {rows}")));
            }
        }
        Ok((layout, gathered, rows))
    }
}
