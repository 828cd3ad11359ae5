//! The columns as ranks: which of its distinct values each row has.

use std::sync::Arc;

use ermine_core::blocks::column_label;
use ermine_core::parallel::prelude::*;
use ermine_core::{Context, Error, Features, MISSING_CODE, Progress, Result, Schema};

/// The rank of a missing value.
pub(super) const MISSING: u32 = u32::MAX;

/// One column.
pub(super) struct RankedColumn {
    /// For each row the rank of its value, or its category; [`MISSING`] where it has none.
    pub rank: Vec<u32>,
    /// The distinct values of a number column, ascending.
    pub values: Vec<f64>,
    /// The names of a category column.
    pub categories: Option<Arc<Vec<String>>>,
}

impl RankedColumn {
    /// The rank that a value of this column is looked up by at a test of numbers: values up to the threshold have ranks below it.
    pub fn ranks_below(&self, threshold: f64) -> u32 {
        self.values.partition_point(|&v| v <= threshold) as u32
    }
}

/// Reads the given rows of all columns; infinite cells are refused.
pub(super) fn read(x: &Features<'_>, schema: Option<&Schema>, rows: &[u32], cx: &Context<'_>) -> Result<Vec<RankedColumn>> {
    let refuse = |row: usize, col: usize, v: f64| Error::NotFinite {
        column: column_label(schema, col),
        row,
        value: if v > 0.0 { "infinity" } else { "-infinity" }.into(),
    };
    (0..x.cols())
        .into_par_iter()
        .map(|col| {
            cx.check(Progress { stage: "sorting", done: col as u64, total: Some(x.cols() as u64), objective: None })?;
            if let Features::Table(t) = x
                && let Some((codes, names)) = t.categories(col)
            {
                let code = |&row: &u32| match codes[row as usize] {
                    MISSING_CODE => MISSING,
                    code => code,
                };
                return Ok(RankedColumn {
                    rank: rows.iter().map(code).collect(),
                    values: Vec::new(),
                    categories: Some(names.clone()),
                });
            }
            let value = |row: usize| match x {
                Features::F64(m) => *m.at(row, col),
                Features::F32(m) => f64::from(*m.at(row, col)),
                Features::Table(t) => t.numbers(col).map_or(f64::NAN, |v| v[row]),
                Features::Csr(m) => {
                    let (indices, values) = m.row(row);
                    indices.iter().zip(values).filter(|(j, _)| **j as usize == col).map(|(_, v)| v).sum()
                }
            };
            let cells: Vec<f64> = rows.iter().map(|&row| value(row as usize)).collect();
            if let Some(at) = cells.iter().position(|v| v.is_infinite()) {
                return Err(refuse(rows[at] as usize, col, cells[at]));
            }
            let mut values: Vec<f64> = cells.iter().copied().filter(|v| !v.is_nan()).collect();
            values.sort_unstable_by(f64::total_cmp);
            // The two zeros are one value.
            values.dedup_by(|a, b| *a == *b);
            let rank = |&v: &f64| if v.is_nan() { MISSING } else { values.partition_point(|&u| u < v) as u32 };
            let rank = cells.iter().map(rank).collect();
            Ok(RankedColumn { rank, values, categories: None })
        })
        .collect()
}
