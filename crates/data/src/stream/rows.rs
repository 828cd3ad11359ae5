//! Streams of training rows, in blocks.

use std::collections::BTreeSet;
use std::sync::Arc;

use ermine_core::{
    Column, ColumnKind, CsrRef, DatasetRef, Error, Features, Field, Flow, OwnedDataset, OwnedTarget, Result, Roles, RowSource,
    Schema, Table, TargetKind, Task, file::TargetInfo,
};

use super::sparse::SparseStream;
use super::table::TableStream;
use super::target::target_of_table;
use crate::options::{Format, ReadOptions};
use crate::read::{MOST_DENSE_COLUMNS, one_format};
use crate::source;

/// Most columns of sparse rows that are given names; more are left unnamed.
const MOST_NAMED: usize = 1 << 20;
/// Cells of sparse rows that are held as a table at a time.
pub(super) const DENSE_CELLS: usize = 1 << 20;

/// Training rows, read in blocks in bounded memory, as often as needed.
///
/// Columns of a table get their roles: text and identifier columns are left out, rows without target too; both are
/// noted. A number target with at most 10 distinct integers, each three times on average, is taken for classes.
pub struct RowStream {
    reading: StreamKind,
    roles: Roles,
    features: Schema,
    missing: Vec<u64>,
    rows: usize,
    target: TargetKind,
    info: TargetInfo,
    notes: Vec<String>,
    /// Whether sparse rows are yielded as tables.
    dense: bool,
}

enum StreamKind {
    Table(Box<TableStream>),
    Sparse(Box<SparseStream>),
}

/// Opens delimited text, Parquet, Arrow IPC or libsvm text as a stream of training rows. See [`TableStream::open`] for
/// what is read when.
pub fn open_stream(spec: &str, options: &ReadOptions, roles: &Roles) -> Result<RowStream> {
    let sources = source::resolve(spec, options)?;
    match one_format(&sources, options)? {
        Format::Libsvm => RowStream::of_sparse(SparseStream::open(sources, options)?, roles),
        _ => RowStream::new(TableStream::of_sources(sources, options)?, roles),
    }
}

impl RowStream {
    /// Assigns the roles of the columns of a table stream.
    pub fn new(mut table: TableStream, roles: &Roles) -> Result<Self> {
        let schema = table.schema().clone();
        let named = roles.targets.iter().chain(&roles.weight).chain(&roles.drop);
        let taken = named.map(|name| schema.position(name)).collect::<Result<BTreeSet<_>>>()?;
        let mut notes = table.notes().to_vec();
        let counts = table.missing();
        let (mut features, mut missing) = (Vec::new(), Vec::new());
        for (j, field) in schema.fields.iter().enumerate().filter(|(j, _)| !taken.contains(j)) {
            match field.kind {
                ColumnKind::Text => notes.push(format!("column \"{}\" is free text and is not used", field.name)),
                ColumnKind::Identifier => notes.push(format!("column \"{}\" is an identifier and is not used", field.name)),
                _ => {
                    features.push(field.clone());
                    missing.push(counts[j]);
                }
            }
        }
        if let Some(weight) = &roles.weight {
            let field = &schema.fields[schema.position(weight)?];
            if field.kind != ColumnKind::Number {
                return Err(Error::Weight(format!("column \"{weight}\" is of type {}, not number", field.kind)));
            }
        }
        let (target, rows) = target_of_table(&mut table, roles, &mut notes)?;
        if rows < table.rows() {
            notes.push(format!("{} of {} rows have no target and are not used", table.rows() - rows, table.rows()));
        }
        let names = features.iter().map(|f| &f.name).chain(&roles.targets).chain(&roles.weight);
        table.select(&names.collect::<Vec<_>>())?;
        let features = Schema { fields: features };
        Ok(Self::assembled(StreamKind::Table(Box::new(table)), roles, features, missing, rows, target, notes))
    }

    fn of_sparse(sparse: SparseStream, roles: &Roles) -> Result<Self> {
        if let Some(other) = roles.targets.iter().find(|t| *t != "target") {
            return Err(Error::unknown("target", other, ["target"]));
        }
        if let Some(column) = roles.weight.iter().chain(&roles.drop).next() {
            return Err(Error::Data(format!("column \"{column}\": the columns of libsvm text have no roles but target")));
        }
        let mut notes = Vec::new();
        let target = if roles.targets.is_empty() {
            TargetKind::None
        } else {
            let field = Field { name: "target".into(), kind: ColumnKind::Number, categories: Arc::default() };
            let numbers = |visit: &mut dyn FnMut(&[f64]) -> Result<Flow>| sparse.scan(&mut |block| visit(&block.targets));
            TargetKind::of_one(&field, roles, sparse.rows, &mut notes, &numbers)?
        };
        let named = if sparse.cols <= MOST_NAMED { sparse.cols } else { 0 };
        let features = Schema::numbers((1..=named).map(|j| format!("x{j}")));
        let (missing, rows) = (vec![0; named], sparse.rows);
        Ok(Self::assembled(StreamKind::Sparse(Box::new(sparse)), roles, features, missing, rows, target, notes))
    }

    fn assembled(
        reading: StreamKind,
        roles: &Roles,
        features: Schema,
        missing: Vec<u64>,
        rows: usize,
        target: TargetKind,
        notes: Vec<String>,
    ) -> Self {
        let info = TargetInfo { names: roles.targets.clone(), classes: target.classes().to_vec() };
        Self { reading, roles: roles.clone(), features, missing, rows, target, info, notes, dense: false }
    }

    /// The same rows as tables, for learners that do not take sparse ones: as [`crate::read`] would read them, in
    /// blocks.
    pub fn into_tables(mut self) -> Result<Self> {
        if let StreamKind::Sparse(sparse) = &self.reading {
            if sparse.cols > MOST_DENSE_COLUMNS {
                return Err(Error::Data(format!(
                    "{} sparse columns are too many for a table (at most {MOST_DENSE_COLUMNS}); a model that takes sparse rows \
                     can have them without preparation (--prepare none)",
                    sparse.cols
                )));
            }
            self.dense = true;
        }
        Ok(self)
    }

    /// Whether the blocks are sparse rows.
    pub fn is_sparse(&self) -> bool {
        matches!(self.reading, StreamKind::Sparse(_)) && !self.dense
    }

    /// Names of the target columns and the classes.
    pub fn target_info(&self) -> &TargetInfo {
        &self.info
    }

    /// The task implied by the target.
    pub fn task(&self) -> Option<Task> {
        self.target.task()
    }

    /// Notes for the user: columns and rows left out and why.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// How many cells of each feature column are missing, in the whole file.
    pub fn missing(&self) -> &[u64] {
        &self.missing
    }

    /// The first rows: as many as asked for, or those of the first block if it has fewer.
    pub fn head(&self, rows: usize) -> Result<OwnedDataset> {
        let mut head = None;
        self.scan(&mut |block| {
            if block.rows() == 0 {
                return Ok(Flow::Continue);
            }
            let wanted: Vec<usize> = (0..block.rows().min(rows)).collect();
            head = Some(block.take_rows(&wanted));
            Ok(Flow::Stop)
        })?;
        head.ok_or_else(|| Error::Data("there are 0 rows".into()))
    }

    /// Features, target and weights of one block; `first` is the row of its first row.
    fn split(&self, table: &TableStream, block: Table, first: usize) -> Result<(Table, OwnedTarget, Option<Vec<f64>>)> {
        let (block, targets) = block.split_off(&self.roles.targets)?;
        let (mut x, weights) = block.split_off(self.roles.weight.as_slice())?;
        let mut targets: Vec<Column> = targets.into_iter().map(|(_, c)| c).collect();
        let mut weight = None;
        if let Some((field, column)) = weights.into_iter().next() {
            let Column::Number { values, .. } = column else { return Err(table.changed()) };
            if let Some(i) = values.iter().position(|v| v.is_nan()) {
                let place = format!("sample weight, column \"{}\"", field.name);
                return Err(Error::Row { place, row: first + i, message: "it is missing".into() });
            }
            weight = Some(values);
        }
        let rows = targets.first().map_or(x.rows(), Column::len);
        let known: Vec<usize> = (0..rows).filter(|&i| targets.iter().all(|c| !c.is_missing(i))).collect();
        if known.len() < rows {
            x = x.take_rows(&known);
            targets = targets.iter().map(|c| c.take_rows(&known)).collect();
            weight = weight.map(|w| known.iter().map(|&i| w[i]).collect());
        }
        let y = self.target.of_block(targets).ok_or_else(|| table.changed())?;
        Ok((x, y, weight))
    }
}

/// Sparse rows as a table of numbers.
fn dense_table(schema: &Schema, x: CsrRef<'_>) -> Result<Table> {
    let mut columns = vec![vec![0.0; x.rows()]; x.cols()];
    for i in 0..x.rows() {
        let (indices, values) = x.row(i);
        indices.iter().zip(values).for_each(|(&j, &v)| columns[j as usize][i] = v);
    }
    Table::with_schema(schema.clone(), columns.into_iter().map(Column::numbers).collect())
}

impl RowSource for RowStream {
    fn schema(&self) -> &Schema {
        &self.features
    }

    fn rows(&self) -> Option<usize> {
        Some(self.rows)
    }

    fn scan(&self, visit: &mut dyn FnMut(&DatasetRef<'_>) -> Result<Flow>) -> Result<()> {
        match &self.reading {
            StreamKind::Table(table) => {
                let mut first = 0;
                table.scan(&mut |block| {
                    let rows = block.rows();
                    let (x, y, weight) = self.split(table, block, first)?;
                    first += rows;
                    let data = DatasetRef::new(Features::Table(x.view())).with_target(y.view()).with_weight(weight.as_deref());
                    visit(&data.with_schema(Some(&self.features)))
                })
            }
            StreamKind::Sparse(sparse) => sparse.scan(&mut |mut block| {
                let targets = std::mem::take(&mut block.targets);
                let y = self.target.of_numbers(targets).ok_or_else(|| sparse.changed())?;
                let (x, _) = block.into_csr(sparse.cols)?;
                let schema = (self.features.len() == sparse.cols).then_some(&self.features);
                if self.dense {
                    // A few megabytes at a time, however wide the rows are.
                    let step = (DENSE_CELLS / sparse.cols.max(1)).max(1);
                    for from in (0..y.view().rows().unwrap_or(x.view().rows())).step_by(step) {
                        let rows = from..(from + step).min(x.view().rows());
                        let block = dense_table(&self.features, x.view().row_range(rows.clone()))?;
                        let data = DatasetRef::new(Features::Table(block.view())).with_target(y.view().row_range(rows));
                        if visit(&data.with_schema(schema))? == Flow::Stop {
                            return Ok(Flow::Stop);
                        }
                    }
                    return Ok(Flow::Continue);
                }
                visit(&DatasetRef::new(Features::Csr(x.view())).with_target(y.view()).with_schema(schema))
            }),
        }
    }
}
