//! Tables in blocks.

use std::collections::HashMap;

use ermine_core::{ColumnKind, Error, Field, Flow, Result, Schema, Table};

use crate::column_chunk::{self, ColumnChunk, InferredColumn, ParseAs};
use crate::csv::{Delimited, Layout};
use crate::infer::Profile;
use crate::options::{Format, ReadOptions};
use crate::read::{LoadedTable, one_format, read_sources};
use crate::source::{self, ByteSource};

/// A table read in blocks of rows: delimited text, Parquet, Arrow IPC.
///
/// Opening reads everything once, to find the kinds, the sorted names of the categories, the missing cells and the
/// number of rows; then every scan yields the same blocks, with one schema. At most a few megabytes of the file are
/// held at a time.
pub struct TableStream {
    sources: Vec<ByteSource>,
    options: ReadOptions,
    format: Format,
    reading: TableFormat,
    /// All columns of the file.
    fields: Vec<Field>,
    /// Which of them are in the blocks.
    used: Vec<bool>,
    schema: Schema,
    rows: usize,
    missing: Vec<u64>,
    bytes: Vec<u64>,
    reasons: Vec<String>,
    notes: Vec<String>,
}

/// A table that is read in blocks where its format allows it.
pub enum TableSource {
    /// In blocks.
    Stream(Box<TableStream>),
    /// In memory: libsvm text, IDX images.
    Memory(LoadedTable),
}

/// Opens a table in blocks ([`TableStream::open`]), or reads it whole ([`crate::read`]) where its format is not read in blocks.
pub fn open_table(spec: &str, options: &ReadOptions) -> Result<TableSource> {
    let sources = source::resolve(spec, options)?;
    match one_format(&sources, options)? {
        Format::Libsvm | Format::Idx => Ok(TableSource::Memory(read_sources(&sources, options)?)),
        _ => Ok(TableSource::Stream(Box::new(TableStream::of_sources(sources, options)?))),
    }
}

enum TableFormat {
    Delimited(Layout),
    #[cfg(feature = "arrow")]
    Arrow(crate::arrow::ArrowColumns),
}

impl TableStream {
    /// Opens a file, a glob, `-` or `example:NAME` and reads it once.
    pub fn open(spec: &str, options: &ReadOptions) -> Result<Self> {
        Self::of_sources(source::resolve(spec, options)?, options)
    }

    pub(super) fn of_sources(sources: Vec<ByteSource>, options: &ReadOptions) -> Result<Self> {
        let format = one_format(&sources, options)?;
        if !matches!(format, Format::Csv | Format::Tsv) {
            return Self::of_sources_in_order(sources, options, format);
        }
        let refused = match Self::of_sources_in_order(sources.clone(), options, format) {
            Err(refused) => refused,
            opened => return opened,
        };
        let mended = Delimited { sources: &sources, options, format }.mend(refused)?;
        let mut opened = Self::of_sources_in_order(mended.sources, &mended.options, Format::Csv)?;
        opened.notes.splice(0..0, mended.notes);
        Ok(opened)
    }

    /// Opens files that have nothing to be repaired.
    fn of_sources_in_order(sources: Vec<ByteSource>, options: &ReadOptions, format: Format) -> Result<Self> {
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
        let bytes = profiles.iter().map(Profile::bytes_in_memory).collect();
        notes.extend(verdicts.iter().zip(&profiles).filter_map(|(v, p)| column_chunk::rounded(&v.field, p.rounded)));
        let (fields, reasons): (Vec<Field>, Vec<String>) =
            verdicts.into_iter().map(|v: InferredColumn| (v.field, v.reason)).unzip();
        let used: Vec<bool> = match &reading {
            TableFormat::Delimited(layout) => layout.plans.iter().map(|p| *p != ParseAs::Skip).collect(),
            #[cfg(feature = "arrow")]
            TableFormat::Arrow(columns) => columns.plans.iter().map(|p| *p != ParseAs::Skip).collect(),
        };
        let kept = fields.iter().zip(&used).filter(|(_, used)| **used);
        let schema = Schema { fields: kept.map(|(field, _)| field.clone()).collect() };
        Ok(Self {
            sources,
            options: options.clone(),
            format,
            reading,
            fields,
            used,
            schema,
            rows,
            missing,
            bytes,
            reasons,
            notes,
        })
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

    /// How many bytes each column of the blocks would take in memory, about.
    pub fn bytes_in_memory(&self) -> Vec<u64> {
        self.of_used(&self.bytes)
    }

    /// For each column of the blocks, why it has its kind.
    pub fn reasons(&self) -> Vec<String> {
        self.of_used(&self.reasons)
    }

    /// Notes for the user: columns that were renamed.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    fn of_used<T: Clone>(&self, all: &[T]) -> Vec<T> {
        all.iter().zip(&self.used).filter(|(_, used)| **used).map(|(v, _)| v.clone()).collect()
    }

    /// Reads only the named columns from now on; they keep the order of the file.
    pub fn select<S: AsRef<str>>(&mut self, names: &[S]) -> Result<()> {
        let places: HashMap<&str, usize> = self.fields.iter().enumerate().map(|(j, f)| (f.name.as_str(), j)).collect();
        let mut used = vec![false; self.fields.len()];
        for name in names.iter().map(S::as_ref) {
            let all = || self.fields.iter().map(|f| f.name.as_str());
            used[*places.get(name).ok_or_else(|| Error::unknown("column", name, all()))?] = true;
        }
        self.used = used;
        self.schema = Schema { fields: self.of_used(&self.fields) };
        Ok(())
    }

    /// The same table with a column read as another kind. Reads everything once more.
    pub fn with_kind(self, column: &str, kind: ColumnKind) -> Result<Self> {
        let mut options = self.options;
        options.types.insert(column.to_owned(), kind);
        Self::of_sources(self.sources, &options)
    }

    /// Reads the selected columns whole.
    pub fn read(&self) -> Result<Table> {
        let mut all: Option<Table> = None;
        self.scan(&mut |block| {
            match &mut all {
                Some(all) => all.append_rows(block),
                None => all = Some(block),
            }
            Ok(Flow::Continue)
        })?;
        all.map_or_else(|| self.no_rows(), Ok)
    }

    fn no_rows(&self) -> Result<Table> {
        let columns = self.schema.fields.iter().map(|field| column_chunk::column(field, Vec::new()));
        Table::with_schema(self.schema.clone(), columns.collect::<Result<Vec<_>>>()?)
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
