//! Columns cut into bins, for histograms: one pass finds the bins, a second one fills them. Rows need not all lie in memory
//! as they are for either.

use ermine_core::parallel::prelude::*;
use ermine_core::{Context, DatasetRef, Partial, Result, RowSource, Target, run_pass, run_pass_source};
use ermine_math::bins::ColumnBins;
use ermine_math::double_double::Dd;
use serde::{Deserialize, Serialize};

use super::super::sorted::RowSubset;
use super::RandomForest;
use super::bins::{BinStorage, BinnedColumn, BinnedData, MAX_NARROW_BINS, MISSING, MISSING_RANK};
use crate::columns::{ColumnCells, ColumnSummary};

/// Rows that the first pass sorts at a time.
pub(super) const SORTED: usize = 4 * ermine_core::BLOCK_ROWS;
/// Rows that are binned at a time, so that the cells of all columns stay near.
const BLOCK: usize = 4096;

/// Which rows take part and what they weigh.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct RowScales {
    /// Weights of the classes; empty if these have none.
    pub of_class: Vec<f64>,
}

impl RowScales {
    /// The weight of a row.
    pub fn row_weight(&self, rows: &DatasetRef<'_>, i: usize) -> f64 {
        let class = match rows.y {
            Target::Class { codes, .. } => self.of_class.get(codes[i] as usize).copied().unwrap_or(1.0),
            _ => 1.0,
        };
        rows.weight_of(i) * class
    }
}

/// Statistics of the rows from a first pass.
#[derive(Serialize, Deserialize)]
pub(super) struct ForestSummary {
    columns: Vec<ColumnSummary>,
    /// Rows of positive weight.
    pub rows: u64,
    /// The weights of the classes, in twice the digits, so that they are the same in any order.
    classes: Vec<Dd>,
    /// Rows of positive weight of each class.
    class_rows: Vec<u64>,
}

impl ForestSummary {
    /// Of rows in memory. The bits are those of the same rows from a source.
    pub fn of_rows(data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Self> {
        run_pass(data, cx.block_rows.unwrap_or(SORTED).max(1), cx, &Self::of)
    }

    /// Of the rows of a source.
    pub fn of_source(source: &dyn RowSource, cx: &Context<'_>) -> Result<Self> {
        let spec = <RandomForest as ermine_core::Learner>::SPEC;
        run_pass_source(source, &spec, cx.block_rows.unwrap_or(SORTED).max(1), cx, &Self::of)
    }

    /// Of a block of rows.
    pub fn of(rows: &DatasetRef<'_>) -> Result<Self> {
        let (mut classes, mut class_rows) = (Vec::new(), Vec::new());
        if let Target::Class { codes, names } = rows.y {
            (classes, class_rows) = (vec![Dd::ZERO; names.len()], vec![0; names.len()]);
            for (i, &c) in codes.iter().enumerate() {
                classes[c as usize] += Dd::from(rows.weight_of(i));
                class_rows[c as usize] += u64::from(rows.weight_of(i) > 0.0);
            }
        }
        let count = (0..rows.rows()).filter(|&i| rows.weight_of(i) > 0.0).count() as u64;
        Ok(Self { columns: ColumnSummary::all(rows, false)?, rows: count, classes, class_rows })
    }

    /// The weights that a forest gives to classes; empty if they have none of their own.
    pub fn class_weights(&self, forest: &RandomForest, names: &[String]) -> Result<Vec<f64>> {
        let totals: Vec<f64> = self.classes.iter().map(|t| t.to_f64()).collect();
        match &forest.class_weight {
            Some(weights) if !super::fit::balances_bags(forest) && !names.is_empty() => {
                weights.resolve(<RandomForest as ermine_core::Learner>::SPEC.name, names, &totals)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Rows that take part, given the weights of the classes.
    pub fn rows_with(&self, of_class: &[f64]) -> u64 {
        match of_class {
            [] => self.rows,
            _ => self.class_rows.iter().zip(of_class).filter(|(_, w)| **w > 0.0).map(|(n, _)| n).sum(),
        }
    }

    /// Columns of numbers get at most `max_bins` bins of about as much weight each, category columns one per category.
    pub fn bins(&self, max_bins: usize) -> Vec<ColumnBins> {
        let bins = |summary: &ColumnSummary| match summary {
            ColumnSummary::Numbers(sketch) => ColumnBins::numbers(sketch, max_bins),
            ColumnSummary::Categories(weights) => ColumnBins::categories(weights, usize::MAX),
        };
        self.columns.iter().map(bins).collect()
    }
}

#[cfg(feature = "fit")]
impl Partial for ForestSummary {
    fn merge(&mut self, other: Self) -> Result<()> {
        ColumnSummary::merge_all(&mut self.columns, other.columns)?;
        self.rows += other.rows;
        self.classes.iter_mut().zip(other.classes).for_each(|(a, b)| *a += b);
        self.class_rows.iter_mut().zip(other.class_rows).for_each(|(a, b)| *a += b);
        Ok(())
    }
}

/// The category of each bin of a category column.
pub(super) fn codes_of(bins: &ColumnBins) -> Option<Vec<u32>> {
    match bins {
        ColumnBins::Numbers { .. } => None,
        ColumnBins::Categories { bin_of, own, .. } => {
            let mut codes = vec![0; *own];
            for (code, &bin) in bin_of.iter().enumerate().filter(|(_, bin)| (**bin as usize) < *own) {
                codes[bin as usize] = code as u32;
            }
            Some(codes)
        }
    }
}

/// Rows on their way into bins.
pub(super) struct BinBuilder {
    columns: Vec<ColumnBuilder>,
    rows: usize,
}

struct ColumnBuilder {
    bins: ColumnBins,
    /// The bins of a column with few of them, or of one with many; the other is empty.
    narrow: Vec<u8>,
    wide: Vec<u32>,
    /// Least and greatest value of each bin.
    low: Vec<f64>,
    high: Vec<f64>,
}

impl BinBuilder {
    /// See [`ForestSummary::bins`].
    pub fn new(summary: &ForestSummary, max_bins: usize) -> Self {
        let column = |bins: ColumnBins| {
            let (mut narrow, mut wide) = (Vec::new(), Vec::new());
            if bins.bins() <= MAX_NARROW_BINS {
                narrow.reserve(summary.rows as usize);
            } else {
                wide.reserve(summary.rows as usize);
            }
            let edges = if bins.is_category() { 0 } else { bins.bins() };
            ColumnBuilder { bins, narrow, wide, low: vec![f64::INFINITY; edges], high: vec![f64::NEG_INFINITY; edges] }
        };
        Self { columns: summary.bins(max_bins).into_iter().map(column).collect(), rows: 0 }
    }

    /// Adds those of `n` rows that take part.
    pub fn append(&mut self, reader: &ColumnCells<'_>, n: usize, rows: &RowSubset) {
        self.rows += rows.len();
        // Neighboring columns share the cache lines of a row-major matrix, so they are read together.
        let group = self.columns.len().div_ceil(4 * rayon::current_num_threads()).clamp(1, 8);
        self.columns.par_chunks_mut(group).enumerate().for_each(|(g, columns)| {
            let mut values = vec![0.0; BLOCK.min(n)];
            let mut bins = vec![0u16; values.len()];
            for first in (0..n).step_by(BLOCK) {
                let cells = &mut values[..BLOCK.min(n - first)];
                let kept = match rows {
                    RowSubset::All(_) => None,
                    RowSubset::Some(ids) => {
                        let place = |row: usize| ids.partition_point(|&i| (i as usize) < row);
                        Some(&ids[place(first)..place(first + cells.len())])
                    }
                };
                for (k, column) in columns.iter_mut().enumerate() {
                    reader.fill(g * group + k, first, cells);
                    let mut count = cells.len();
                    if let Some(ids) = kept {
                        // Places only move down, so nothing is overwritten that is still needed.
                        ids.iter().enumerate().for_each(|(to, &i)| cells[to] = cells[i as usize - first]);
                        count = ids.len();
                    }
                    column.push(&cells[..count], &mut bins[..count]);
                }
            }
        });
    }

    /// The columns with all their rows.
    pub fn finish(self) -> BinnedData {
        let column = |c: ColumnBuilder| {
            let place = if c.bins.bins() <= MAX_NARROW_BINS { BinStorage::Narrow(0) } else { BinStorage::Wide(c.wide) };
            (BinnedColumn::new(place, c.low, c.high, codes_of(&c.bins)), c.narrow)
        };
        BinnedData::assemble(self.rows, self.columns.into_iter().map(column).collect())
    }
}

impl ColumnBuilder {
    /// Adds cells; `bins` has room for as many.
    fn push(&mut self, values: &[f64], bins: &mut [u16]) {
        let missing = self.bins.missing();
        if self.bins.is_category() {
            let of = |v: &f64| self.bins.bin(*v);
            if missing <= MAX_NARROW_BINS {
                self.narrow.extend(values.iter().map(of).map(|b| if b == missing { MISSING } else { b as u8 }));
            } else {
                self.wide.extend(values.iter().map(of).map(|b| if b == missing { MISSING_RANK } else { b as u32 }));
            }
            return;
        }
        self.bins.bin_all(values, bins);
        for (&b, &v) in bins.iter().zip(values) {
            let b = usize::from(b);
            if b < missing {
                // One zero, whatever its sign.
                let v = v + 0.0;
                self.low[b] = self.low[b].min(v);
                self.high[b] = self.high[b].max(v);
            }
            self.narrow.push(if b == missing { MISSING } else { b as u8 });
        }
    }
}
