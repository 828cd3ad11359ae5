//! Parquet and Arrow IPC, through Arrow record batches.

mod convert;
mod files;
mod write;

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema as ArrowSchema};
use ermine_core::parallel::prelude::*;
use ermine_core::{ColumnKind, Error, Result, Table};

pub(crate) use files::ArrowFiles;
pub(crate) use write::BatchWriter;
pub use write::to_batch;

use crate::column_chunk::{self, ChunkSink, ColumnChunk, InferredColumn, ParseAs, ProfiledColumn};
use crate::infer::Profile;
use crate::options::ReadOptions;
use crate::read::{self, LoadedTable};

/// Names and read plans of the columns of an Arrow schema.
#[derive(Debug, Clone)]
pub(crate) struct ArrowColumns {
    pub(crate) names: Vec<String>,
    pub(crate) plans: Vec<ParseAs>,
    pub(crate) notes: Vec<String>,
    /// Columns that are dictionaries: always categories.
    dictionary: Vec<bool>,
    asked: Vec<Option<ColumnKind>>,
}

impl ArrowColumns {
    pub(crate) fn new(schema: &ArrowSchema, options: &ReadOptions) -> Result<Self> {
        let mut names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
        let mut notes = Vec::new();
        column_chunk::make_unique(&mut names, &mut notes);
        options.check_types(names.iter().map(String::as_str))?;
        let dropped = options.dropped(names.iter().map(String::as_str))?;
        let asked: Vec<Option<ColumnKind>> = names.iter().map(|n| options.kind_of(n)).collect();
        let mut plans = Vec::with_capacity(names.len());
        for (j, field) in schema.fields().iter().enumerate() {
            plans.push(match convert::plan_as(field.data_type(), asked[j]) {
                _ if dropped[j] || (options.only_expected && asked[j].is_none()) => ParseAs::Skip,
                Some(plan) => plan,
                // Columns that the model does not have are skipped.
                None if options.expected.is_some() && asked[j].is_none() => ParseAs::Skip,
                None => return Err(convert::unreadable(&names[j], field.data_type())),
            });
        }
        let dictionary = schema.fields().iter().map(|f| matches!(f.data_type(), DataType::Dictionary(..))).collect();
        Ok(Self { names, plans, notes, dictionary, asked })
    }

    /// The column chunks of a batch; `first` is the row of its first row.
    pub(crate) fn parts(&self, batch: &RecordBatch, first: usize) -> Result<Vec<ColumnChunk>> {
        if batch.num_columns() != self.names.len() {
            let message = format!("a batch has {} columns, and the schema has {}", batch.num_columns(), self.names.len());
            return Err(Error::Data(message));
        }
        (0..self.names.len())
            .into_par_iter()
            .map(|j| convert::part(&self.names[j], batch.column(j), self.plans[j], first))
            .collect()
    }

    /// The resolved kinds of the columns.
    pub(crate) fn infer_columns<'p>(&self, profiles: impl IntoIterator<Item = &'p Profile>) -> Result<Vec<InferredColumn>> {
        profiles
            .into_iter()
            .enumerate()
            .map(|(j, profile)| {
                let plan = self.plans[j];
                let few = plan == ParseAs::Strings && self.dictionary[j] && profile.names().is_some();
                let asked = self.asked[j].or(few.then_some(ColumnKind::Category));
                let mut verdict = column_chunk::infer(&self.names[j], plan, profile, asked)?;
                if few && self.asked[j].is_none() {
                    verdict.reason = format!("a dictionary of {} strings", verdict.field.categories.len());
                }
                Ok(verdict)
            })
            .collect()
    }
}

/// A table from Arrow record batches of one schema.
///
/// Numbers, decimals, times of day and durations (in seconds) become number columns, dates and time stamps date columns
/// (days since 1970-01-01), booleans categories `false` and `true`, dictionaries categories whose codes follow the sorted
/// names of all batches, text whatever its cells look like. Null and NaN are missing. `types` overrules, by column name.
/// Nested and binary columns are errors that name the column.
pub fn table_from_batches(schema: &ArrowSchema, batches: &[RecordBatch], types: &BTreeMap<String, ColumnKind>) -> Result<Table> {
    let columns = ArrowColumns::new(schema, &ReadOptions { types: types.clone(), ..ReadOptions::default() })?;
    let mut gathered: Vec<ProfiledColumn> = columns.names.iter().map(|_| ProfiledColumn::default()).collect();
    let mut rows = 0;
    for batch in batches {
        let parts = columns.parts(batch, rows)?;
        rows += batch.num_rows();
        gathered.par_iter_mut().zip(parts).for_each(|(to, part)| to.add(part));
    }
    Ok(assemble(columns, gathered)?.table)
}

/// Reads whole files.
pub(crate) fn read_files(files: &ArrowFiles<'_>) -> Result<LoadedTable> {
    let columns = files.columns()?;
    let (gathered, _) = files.by_column::<ProfiledColumn>(&columns)?;
    assemble(columns, gathered)
}

fn assemble(columns: ArrowColumns, gathered: Vec<ProfiledColumn>) -> Result<LoadedTable> {
    let verdicts = columns.infer_columns(gathered.iter().map(|g| &g.profile))?;
    read::assemble(verdicts, &columns.plans, gathered, columns.notes)
}
