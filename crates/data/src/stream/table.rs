//! Tables in blocks.

use ermine_core::{Error, Field, Flow, Result, Schema, Table};

use crate::column_chunk::{self, ColumnChunk, InferredColumn, ParseAs};
use crate::csv::{Delimited, Layout};
use crate::infer::Profile;
use crate::options::{Format, ReadOptions};
use crate::read::one_format;
use crate::source::{self, ByteSource};

/// A table that is read in blocks of rows: delimited text, Parquet, Arrow IPC.
///
/// Opening reads everything once, to find the kinds, the sorted names of the categories, the missing cells and the number of
/// rows; then every scan yields the same blocks, with one schema. At no time is more than a few megabytes of the file held.
pub struct TableStream {
    sources: Vec<ByteSource>,
    options: ReadOptions,
    format: Format,
    reading: TableFormat,
    /// All columns of the file.
    fields: Vec<Field>,
    /// Which of them the blocks have.
    used: Vec<bool>,
    schema: Schema,
    rows: usize,
    missing: Vec<u64>,
    reasons: Vec<String>,
    notes: Vec<String>,
}

enum TableFormat {
    Delimited(Layout),
    #[cfg(feature = "arrow")]
    Arrow(crate::arrow::ArrowColumns),
}

impl TableStream {
    /// Opens a file, a glob, `-` or `example:NAME` and reads it once.
    pub fn open(spec: &str, options: &ReadOptions) -> Result<Self> {
        Self::of_sources(source::resolve(spec)?, options)
    }

    pub(super) fn of_sources(sources: Vec<ByteSource>, options: &ReadOptions) -> Result<Self> {
        let format = one_format(&sources, options)?;
        let (reading, verdicts, profiles, rows, mut notes) = match format {
            Format::Csv | Format::Tsv => {
                let files = Delimited { sources: &sources, options, format };
                let (layout, profiles, rows) = files.reread_contradicted::<Profile>()?;
                let verdicts = files.infer_columns(&layout, &profiles)?;
                let notes = layout.notes.clone();
                (TableFormat::Delimited(layout), verdicts, profiles, rows, notes)
            }
            #[cfg(feature = "arrow")]
            Format::Parquet | Format::Arrow => {
                let files = crate::arrow::ArrowFiles { sources: &sources, options, format };
                let columns = files.columns()?;
                let (profiles, rows) = files.by_column::<Profile>(&columns)?;
                let verdicts = columns.infer_columns(&profiles)?;
                let notes = columns.notes.clone();
                (TableFormat::Arrow(columns), verdicts, profiles, rows, notes)
            }
            _ => {
                let message = format!("{format} is not read in blocks; read it whole");
                return Err(Error::Format { path: sources[0].name.clone(), message });
            }
        };
        let missing = profiles.iter().map(|p: &Profile| p.missing).collect();
        notes.extend(verdicts.iter().zip(&profiles).filter_map(|(v, p)| column_chunk::rounded(&v.field, p)));
        let (fields, reasons): (Vec<Field>, Vec<String>) =
            verdicts.into_iter().map(|v: InferredColumn| (v.field, v.reason)).unzip();
        let used: Vec<bool> = match &reading {
            TableFormat::Delimited(layout) => layout.plans.iter().map(|p| *p != ParseAs::Skip).collect(),
            #[cfg(feature = "arrow")]
            TableFormat::Arrow(columns) => columns.plans.iter().map(|p| *p != ParseAs::Skip).collect(),
        };
        let kept = fields.iter().zip(&used).filter(|(_, used)| **used);
        let schema = Schema { fields: kept.map(|(field, _)| field.clone()).collect() };
        Ok(Self { sources, options: options.clone(), format, reading, fields, used, schema, rows, missing, reasons, notes })
    }

    /// Names and kinds of the columns of the blocks.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many cells of each column of the blocks are missing.
    pub fn missing(&self) -> Vec<u64> {
        self.of_used(&self.missing)
    }

    /// For each column of the blocks, why it has its kind.
    pub fn reasons(&self) -> Vec<String> {
        self.of_used(&self.reasons)
    }

    /// What a user should know: columns that were renamed.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    fn of_used<T: Clone>(&self, all: &[T]) -> Vec<T> {
        all.iter().zip(&self.used).filter(|(_, used)| **used).map(|(v, _)| v.clone()).collect()
    }

    /// Reads only the named columns from now on; they keep the order of the file.
    pub fn select<S: AsRef<str>>(&mut self, names: &[S]) -> Result<()> {
        let all = Schema { fields: self.fields.clone() };
        self.used = vec![false; self.fields.len()];
        for name in names {
            self.used[all.position(name.as_ref())?] = true;
        }
        self.schema = Schema { fields: self.of_used(&self.fields) };
        Ok(())
    }

    /// Reads all rows in order, in blocks; stops early when `visit` says so.
    pub fn scan(&self, visit: &mut dyn FnMut(Table) -> Result<Flow>) -> Result<()> {
        let mut seen = 0;
        let mut stopped = false;
        let mut block = |parts: Vec<ColumnChunk>, rows: usize| -> Result<Flow> {
            seen += rows;
            if rows == 0 {
                return Ok(Flow::Continue);
            }
            if seen > self.rows {
                return Err(self.changed());
            }
            let columns = self.fields.iter().zip(parts).zip(&self.used).filter(|(_, used)| **used);
            let columns =
                columns.map(|((field, part), _)| column_chunk::column(field, vec![part])).collect::<Result<Vec<_>>>()?;
            let flow = visit(Table::with_schema(self.schema.clone(), columns)?)?;
            stopped = flow == Flow::Stop;
            Ok(flow)
        };
        let plan = |plan: ParseAs, used: bool| if used { plan } else { ParseAs::Skip };
        match &self.reading {
            TableFormat::Delimited(layout) => {
                let plans = layout.plans.iter().zip(&self.used).map(|(p, u)| plan(*p, *u)).collect();
                let mut layout = layout.clone();
                layout.plans = plans;
                let files = Delimited { sources: &self.sources, options: &self.options, format: self.format };
                files.scan(Some(&layout), &mut |_, parsed| block(parsed.parts, parsed.rows))?;
            }
            #[cfg(feature = "arrow")]
            TableFormat::Arrow(columns) => {
                let mut columns = columns.clone();
                columns.plans.iter_mut().zip(&self.used).for_each(|(p, u)| *p = plan(*p, *u));
                let files = crate::arrow::ArrowFiles { sources: &self.sources, options: &self.options, format: self.format };
                let mut first = 0;
                files.scan(&mut |batch| {
                    let parts = columns.parts(batch, first)?;
                    first += batch.num_rows();
                    block(parts, batch.num_rows())
                })?;
            }
        }
        if !stopped && seen != self.rows { Err(self.changed()) } else { Ok(()) }
    }

    pub(super) fn changed(&self) -> Error {
        Error::Data(format!("{}: the data changed since it was first read ({} rows then)", self.sources[0].name, self.rows))
    }
}
