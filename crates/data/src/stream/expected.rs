//! The rows that a trained model needs, read once.

use ermine_core::parallel::prelude::*;
use ermine_core::{CsrRef, Field, Flow, Result, Table};

use super::rows::DENSE_CELLS;
use crate::column_chunk::{self, ChunkSink, ColumnChunk, InferredColumn, ParseAs, ProfiledColumn};
use crate::csv::Delimited;
use crate::infer::Profile;
use crate::libsvm;
use crate::options::{Format, ReadOptions};
use crate::read::{assemble, dense_table, one_format, read_sources};
use crate::source;

/// Chunks of text, of a megabyte each, that make a block.
const BLOCK_CHUNKS: usize = 4;

/// Reads the columns that a model knows ([`ReadOptions::expect`]) in blocks of rows, in bounded memory and in a single pass: since
/// their kinds are known, nothing has to be looked at first. The names of the categories of a block are those of its rows. Rows out
/// of a pipe are given as they come. There is at least one block, which may be empty; `visit` may stop the reading. Returns what a
/// user should know.
///
/// IDX images are read whole.
pub fn scan_expected(spec: &str, options: &ReadOptions, visit: &mut dyn FnMut(Table) -> Result<Flow>) -> Result<Vec<String>> {
    let options = &ReadOptions { only_expected: true, ..options.clone() };
    let sources = source::resolve_for_one_pass(spec, options)?;
    let mut blocks = ExpectedBlocks { visit, begun: false, fields: Vec::new(), rounded: Vec::new() };
    match one_format(&sources, options)? {
        format @ (Format::Csv | Format::Tsv) => {
            let files = Delimited { sources: &sources, options, format };
            let layout = files.scan_batches(None, &mut |layout, batch| {
                let mut batch = batch.into_iter().map(|parsed| Ok(parsed?.parts));
                while batch.len() > 0 {
                    let chunks = batch.by_ref().take(BLOCK_CHUNKS).collect::<Result<Vec<_>>>()?;
                    if blocks.add(chunks, &layout.plans, &|all| files.infer_columns(layout, profiles(all)))? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                }
                Ok(Flow::Continue)
            })?;
            if !blocks.begun {
                blocks.add(Vec::new(), &layout.plans, &|all| files.infer_columns(&layout, profiles(all)))?;
            }
            Ok(blocks.notes(layout.notes))
        }
        #[cfg(feature = "arrow")]
        format @ (Format::Parquet | Format::Arrow) => {
            let files = crate::arrow::ArrowFiles { sources: &sources, options, format };
            let columns = files.columns()?;
            let mut first = 0;
            files.scan(&mut |batch| {
                let parts = columns.parts(batch, first)?;
                first += batch.num_rows();
                blocks.add(vec![parts], &columns.plans, &|all| columns.infer_columns(profiles(all)))
            })?;
            if !blocks.begun {
                blocks.add(Vec::new(), &columns.plans, &|all| columns.infer_columns(profiles(all)))?;
            }
            Ok(blocks.notes(columns.notes))
        }
        Format::Libsvm => libsvm::scan_expected(&sources, options, &mut |rows| {
            let (x, y) = rows.into_csr(0)?;
            // A few megabytes at a time, however wide the rows are.
            let step = (DENSE_CELLS / x.view().cols().max(1)).max(1);
            for from in (0..y.len()).step_by(step) {
                let range = from..(from + step).min(y.len());
                let (x, y) = (x.view().row_range(range.clone()), y[range].to_vec());
                let table = dense_table(x, y, Vec::new(), &sources[0].name, options)?.table;
                if (blocks.visit)(table)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
            }
            Ok(Flow::Continue)
        }),
        _ => {
            let loaded = read_sources(&sources, options)?;
            (blocks.visit)(loaded.table)?;
            Ok(loaded.notes)
        }
    }
}

/// [`scan_expected`] of libsvm text as sparse rows, as wide as the model.
pub fn scan_sparse_expected(
    spec: &str,
    options: &ReadOptions,
    visit: &mut dyn FnMut(CsrRef<'_>) -> Result<Flow>,
) -> Result<Vec<String>> {
    let sources = source::resolve_for_one_pass(spec, options)?;
    libsvm::scan_expected(&sources, options, &mut |rows| visit(rows.into_csr(0)?.0.view()))
}

fn profiles(columns: &[ProfiledColumn]) -> impl Iterator<Item = &Profile> {
    columns.iter().map(|c| &c.profile)
}

/// State of the reader.
struct ExpectedBlocks<'a> {
    visit: &'a mut dyn FnMut(Table) -> Result<Flow>,
    begun: bool,
    /// The columns of the file, as the last block shows them.
    fields: Vec<Field>,
    /// How many numbers of each were rounded.
    rounded: Vec<u64>,
}

impl ExpectedBlocks<'_> {
    /// Makes a block of parsed chunks and hands it on.
    fn add(
        &mut self,
        chunks: Vec<Vec<ColumnChunk>>,
        plans: &[ParseAs],
        infer: &dyn Fn(&[ProfiledColumn]) -> Result<Vec<InferredColumn>>,
    ) -> Result<Flow> {
        let mut gathered: Vec<ProfiledColumn> = plans.iter().map(|_| ProfiledColumn::default()).collect();
        for chunk in chunks {
            gathered.par_iter_mut().zip(chunk).with_min_len(4).for_each(|(to, part)| to.add(part));
        }
        let inferred = infer(&gathered)?;
        self.rounded.resize(plans.len(), 0);
        self.rounded.iter_mut().zip(profiles(&gathered)).for_each(|(sum, profile)| *sum += profile.rounded);
        self.fields = inferred.iter().map(|c| c.field.clone()).collect();
        let table = assemble(inferred, plans, gathered, Vec::new())?.table;
        if self.begun && table.rows() == 0 {
            return Ok(Flow::Continue);
        }
        self.begun = true;
        (self.visit)(table)
    }

    fn notes(self, mut notes: Vec<String>) -> Vec<String> {
        notes.extend(self.fields.iter().zip(self.rounded).filter_map(|(field, rounded)| column_chunk::rounded(field, rounded)));
        notes
    }
}
