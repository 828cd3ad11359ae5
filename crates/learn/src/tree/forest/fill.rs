//! Columns cut into bins, for histograms: one pass finds the bins, a second one fills them. Rows need not all lie in memory
//! as they are for either.

use ermine_core::{Context, Dataset, Partial, Result, RowSource, Target, gather, gather_source};
use ermine_math::bins::ColumnBins;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::sorted::Rows;
use super::Forest;
use super::bins::{Binned, Column, MISSING, MISSING_RANK, NARROW, Place};
use crate::boosting::data::{ColumnSummary, Reader};

/// Rows that the first pass sorts at a time.
const SORTED: usize = 4 * ermine_core::BLOCK_ROWS;
/// Rows that are binned at a time, so that the cells of all columns stay near.
const BLOCK: usize = 4096;

/// What a first pass finds out about rows.
#[derive(Serialize, Deserialize)]
pub(super) struct Spread {
    columns: Vec<ColumnSummary>,
    /// Rows of positive weight.
    pub rows: u64,
    /// The weights of the classes.
    pub classes: Vec<f64>,
}

impl Spread {
    /// Of rows in memory. The bits are those of the same rows from a source.
    pub fn of_rows(data: &Dataset<'_>, cx: &Context<'_>) -> Result<Self> {
        gather(data, cx.block_rows.unwrap_or(SORTED).max(1), cx, &Self::of)
    }

    /// Of the rows of a source.
    pub fn of_source(source: &dyn RowSource, cx: &Context<'_>) -> Result<Self> {
        let spec = <Forest as ermine_core::Learner>::SPEC;
        gather_source(source, &spec, cx.block_rows.unwrap_or(SORTED).max(1), cx, &Self::of)
    }

    fn of(rows: &Dataset<'_>) -> Result<Self> {
        let mut classes = Vec::new();
        if let Target::Class { codes, names } = rows.y {
            classes = vec![0.0; names.len()];
            codes.iter().enumerate().for_each(|(i, &c)| classes[c as usize] += rows.weight_of(i));
        }
        let count = (0..rows.rows()).filter(|&i| rows.weight_of(i) > 0.0).count() as u64;
        Ok(Self { columns: ColumnSummary::all(rows, false)?, rows: count, classes })
    }
}

impl Partial for Spread {
    fn merge(&mut self, other: Self) -> Result<()> {
        ColumnSummary::merge_all(&mut self.columns, other.columns)?;
        self.rows += other.rows;
        self.classes.iter_mut().zip(other.classes).for_each(|(a, b)| *a += b);
        Ok(())
    }
}

/// Rows on their way into bins.
pub(super) struct Filling {
    columns: Vec<Filled>,
    rows: usize,
}

struct Filled {
    bins: ColumnBins,
    /// The bins of a column with few of them, or of one with many; the other is empty.
    narrow: Vec<u8>,
    wide: Vec<u32>,
    /// Least and greatest value of each bin.
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Filling {
    /// Columns of numbers get at most `max_bins` bins of about as much weight each, category columns one a category.
    pub fn new(spread: &Spread, max_bins: usize) -> Self {
        let column = |summary: &ColumnSummary| {
            let bins = match summary {
                ColumnSummary::Numbers(sketch) => ColumnBins::numbers(sketch, max_bins),
                ColumnSummary::Categories(weights) => ColumnBins::categories(weights, usize::MAX),
            };
            let (mut narrow, mut wide) = (Vec::new(), Vec::new());
            if bins.bins() <= NARROW {
                narrow.reserve(spread.rows as usize);
            } else {
                wide.reserve(spread.rows as usize);
            }
            let edges = if bins.is_category() { 0 } else { bins.bins() };
            Filled { bins, narrow, wide, low: vec![f64::INFINITY; edges], high: vec![f64::NEG_INFINITY; edges] }
        };
        Self { columns: spread.columns.iter().map(column).collect(), rows: 0 }
    }

    /// Adds those of `n` rows that take part.
    pub fn append(&mut self, reader: &Reader<'_>, n: usize, rows: &Rows) {
        self.rows += rows.len();
        // Neighbouring columns share the cache lines of a row-major matrix, so they are read together.
        let group = self.columns.len().div_ceil(4 * rayon::current_num_threads()).clamp(1, 8);
        self.columns.par_chunks_mut(group).enumerate().for_each(|(g, columns)| {
            let mut values = vec![0.0; BLOCK.min(n)];
            let mut bins = vec![0u16; values.len()];
            for first in (0..n).step_by(BLOCK) {
                let cells = &mut values[..BLOCK.min(n - first)];
                let kept = match rows {
                    Rows::All(_) => None,
                    Rows::Some(ids) => {
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
    pub fn finish(self) -> Binned {
        let column = |c: Filled| {
            let codes = match &c.bins {
                ColumnBins::Numbers { .. } => None,
                ColumnBins::Categories { bin_of, own, .. } => {
                    let mut codes = vec![0; *own];
                    for (code, &bin) in bin_of.iter().enumerate().filter(|(_, bin)| (**bin as usize) < *own) {
                        codes[bin as usize] = code as u32;
                    }
                    Some(codes)
                }
            };
            let place = if c.bins.bins() <= NARROW { Place::Narrow(0) } else { Place::Wide(c.wide) };
            // A bin without rows has its least above its greatest value.
            let exact = c.low.iter().zip(&c.high).all(|(low, high)| low >= high);
            (Column { place, low: c.low, high: c.high, codes, exact }, c.narrow)
        };
        Binned::assemble(self.rows, self.columns.into_iter().map(column).collect())
    }
}

impl Filled {
    /// Adds cells; `bins` has room for as many.
    fn push(&mut self, values: &[f64], bins: &mut [u16]) {
        let missing = self.bins.missing();
        if self.bins.is_category() {
            let of = |v: &f64| self.bins.bin(*v);
            if missing <= NARROW {
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
