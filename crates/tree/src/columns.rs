//! Columns as trees read them: cells as numbers, and statistics from a first pass.

use std::sync::Arc;

use ermine_core::blocks::column_label;
use ermine_core::{CsrRef, DatasetRef, Error, Features, MISSING_CODE, Result, Target, Task};
use ermine_math::bins::QuantileSketch;
use serde::{Deserialize, Serialize};

use crate::tree::CodeMaps;

/// The category names of each column, `None` for numbers.
pub(crate) type Categories = Vec<Option<Arc<Vec<String>>>>;

/// The category names of the columns of `x`.
pub(crate) fn categories(x: &Features<'_>) -> Categories {
    match x {
        Features::Table(t) => (0..t.cols()).map(|j| t.categories(j).map(|(_, names)| names.clone())).collect(),
        _ => vec![None; x.cols()],
    }
}

/// The task of a target, and the names of its classes.
pub(crate) fn task_of(y: &Target<'_>) -> (Task, Vec<String>) {
    match y {
        Target::Class { names, .. } => (Task::Classification, names.to_vec()),
        _ => (Task::Regression, Vec::new()),
    }
}

/// A sparse matrix by columns.
pub(crate) struct SparseColumns {
    /// Where each column begins, and one more for the end.
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl SparseColumns {
    pub fn new(csr: &CsrRef<'_>) -> Self {
        let mut starts = vec![0usize; csr.cols() + 1];
        (0..csr.rows()).for_each(|i| csr.row(i).0.iter().for_each(|&j| starts[j as usize + 1] += 1));
        (0..csr.cols()).for_each(|j| starts[j + 1] += starts[j]);
        let (mut rows, mut values) = (vec![0u32; starts[csr.cols()]], vec![0.0; starts[csr.cols()]]);
        let mut next = starts.clone();
        for i in 0..csr.rows() {
            let (indices, cells) = csr.row(i);
            for (&j, &v) in indices.iter().zip(cells) {
                (rows[next[j as usize]], values[next[j as usize]]) = (i as u32, v);
                next[j as usize] += 1;
            }
        }
        Self { starts, rows, values }
    }

    /// The rows of the stored cells of a column, ascending, and the cells.
    pub fn column(&self, column: usize) -> (&[u32], &[f64]) {
        let range = self.starts[column]..self.starts[column + 1];
        (&self.rows[range.clone()], &self.values[range])
    }

    /// How many rows up to the last that has a stored cell.
    pub fn rows(&self) -> usize {
        self.rows.iter().map(|&i| i as usize + 1).max().unwrap_or(0)
    }
}

/// Reads cells column by column, as numbers: NaN where missing, the code where there are categories.
pub(crate) struct ColumnCells<'a> {
    x: Features<'a>,
    /// Sparse rows by column.
    by_column: Option<SparseColumns>,
    codes: CodeMaps,
}

impl<'a> ColumnCells<'a> {
    /// Reads the cells as they are.
    pub fn new(x: Features<'a>) -> Self {
        Self::with_codes(x, CodeMaps::default())
    }

    /// Reads cells of other rows than those of training: categories are found by name, unknown ones are missing.
    pub fn matched(x: Features<'a>, known: &Categories) -> Result<Self> {
        x.expect_cols(known.len())?;
        let codes = CodeMaps::new(&x, known)?;
        Ok(Self::with_codes(x, codes))
    }

    fn with_codes(x: Features<'a>, codes: CodeMaps) -> Self {
        let by_column = if let Features::Csr(csr) = &x { Some(SparseColumns::new(csr)) } else { None };
        Self { codes, by_column, x }
    }

    /// The cells of a column from row `first` on.
    pub fn fill(&self, column: usize, first: usize, out: &mut [f64]) {
        match &self.x {
            Features::F64(m) => {
                let m = m.row_range(first..first + out.len());
                out.iter_mut().enumerate().for_each(|(i, v)| *v = *m.at(i, column));
            }
            Features::F32(m) => {
                let m = m.row_range(first..first + out.len());
                out.iter_mut().enumerate().for_each(|(i, v)| *v = f64::from(*m.at(i, column)));
            }
            Features::Csr(_) => {
                out.fill(0.0);
                if let Some(by_column) = &self.by_column {
                    let (rows, values) = by_column.column(column);
                    let from = rows.partition_point(|&r| (r as usize) < first);
                    for (&r, &v) in rows[from..].iter().zip(&values[from..]) {
                        match out.get_mut(r as usize - first) {
                            Some(cell) => *cell += v,
                            None => break,
                        }
                    }
                }
            }
            Features::Table(t) => {
                if let Some(values) = t.numbers(column) {
                    out.copy_from_slice(&values[first..first + out.len()]);
                } else if let Some((codes, _)) = t.categories(column) {
                    for (v, &c) in out.iter_mut().zip(&codes[first..]) {
                        *v = match self.codes.of(column) {
                            _ if c == MISSING_CODE => f64::NAN,
                            Some(map) => map[c as usize],
                            None => f64::from(c),
                        };
                    }
                } else {
                    out.fill(f64::NAN);
                }
            }
        }
    }
}

/// Statistics of a column before it is binned.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum ColumnSummary {
    Numbers(QuantileSketch),
    /// The weight of each category.
    Categories(Vec<f64>),
}

impl ColumnSummary {
    /// Of all columns of a block of rows; `infinite` is whether infinite cells are taken.
    pub fn all(rows: &DatasetRef<'_>, infinite: bool) -> Result<Vec<Self>> {
        let reader = ColumnCells::new(rows.x);
        let mut cells = vec![0.0; rows.rows()];
        let mut out = Vec::with_capacity(rows.cols());
        for (j, names) in categories(&rows.x).iter().enumerate() {
            reader.fill(j, 0, &mut cells);
            out.push(match names {
                Some(names) => {
                    let mut weights = vec![0.0; names.len()];
                    for (i, v) in cells.iter().enumerate().filter(|(_, v)| !v.is_nan()) {
                        weights[*v as usize] += rows.weight_of(i);
                    }
                    Self::Categories(weights)
                }
                None => {
                    if !infinite && cells.iter().fold(false, |any, v| any | v.is_infinite()) {
                        refuse_infinite(&cells, rows, j)?;
                    }
                    Self::Numbers(QuantileSketch::of(&cells, rows.weight))
                }
            });
        }
        Ok(out)
    }

    /// Takes in the same columns of other rows.
    pub fn merge_all(columns: &mut [Self], other: Vec<Self>) -> Result<()> {
        for (a, b) in columns.iter_mut().zip(other) {
            match (a, b) {
                (Self::Numbers(a), Self::Numbers(b)) => a.merge(b),
                (Self::Categories(a), Self::Categories(b)) => a.iter_mut().zip(b).for_each(|(a, b)| *a += b),
                _ => return Err(Error::Data("a column changed its kind between blocks of rows".into())),
            }
        }
        Ok(())
    }
}

/// Refuses an infinite cell of a row that has weight.
fn refuse_infinite(cells: &[f64], rows: &DatasetRef<'_>, column: usize) -> Result<()> {
    let Some(row) = (0..cells.len()).find(|&i| cells[i].is_infinite() && rows.weight_of(i) > 0.0) else { return Ok(()) };
    let value = if cells[row] > 0.0 { "infinity" } else { "-infinity" };
    Err(Error::NotFinite { column: column_label(rows.schema, column), row, value: value.into() })
}
