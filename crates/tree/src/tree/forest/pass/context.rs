//! Data shared by all trees, and rows as trees read them.

use ermine_core::{DatasetRef, Error, Partial, Result, Target};
use ermine_math::bins::ColumnBins;
use serde::{Deserialize, Serialize};

use super::super::super::criterion::{WeightGrid, negative_target};
use super::super::super::grow::GrowOptions;
use super::super::binning::RowScales;
use super::super::bins::{BinnedColumn, MISSING_RANK};
use super::super::bootstrap::Bootstrap;
use crate::columns::ColumnCells;

/// Results of the second pass.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct BinSurvey {
    /// Rows that take part, block by block.
    pub counts: Vec<usize>,
    /// Their weights, where rows are drawn in proportion to them.
    pub weights: Vec<f64>,
    /// Rows of each class.
    pub classes: Vec<u64>,
    /// Least and greatest value of each bin of each column.
    pub low: Vec<Vec<f64>>,
    pub high: Vec<Vec<f64>>,
    /// Whether there is a target above 0.
    pub positive: bool,
}

#[cfg(feature = "fit")]
impl Partial for BinSurvey {
    fn merge(&mut self, other: Self) -> Result<()> {
        if self.low.is_empty() {
            *self = other;
            return Ok(());
        }
        self.counts.extend(other.counts);
        self.weights.extend(other.weights);
        self.classes.iter_mut().zip(other.classes).for_each(|(a, b)| *a += b);
        for (a, b) in self.low.iter_mut().flatten().zip(other.low.into_iter().flatten()) {
            *a = a.min(b);
        }
        for (a, b) in self.high.iter_mut().flatten().zip(other.high.into_iter().flatten()) {
            *a = a.max(b);
        }
        self.positive |= other.positive;
        Ok(())
    }
}

impl BinSurvey {
    /// Of a block of rows.
    pub fn of(rows: &DatasetRef<'_>, scales: &RowScales, bins: &[ColumnBins], keep_weights: bool, poisson: bool) -> Result<Self> {
        let own: Vec<f64> = (0..rows.rows()).map(|i| scales.row_weight(rows, i)).collect();
        let kept: Vec<usize> = (0..rows.rows()).filter(|&i| own[i] > 0.0).collect();
        let mut out = Self { counts: vec![kept.len()], ..Self::default() };
        if keep_weights {
            out.weights = kept.iter().map(|&i| own[i]).collect();
        }
        match rows.y {
            Target::Class { codes, names } => {
                out.classes = vec![0; names.len()];
                kept.iter().for_each(|&i| out.classes[codes[i] as usize] += 1);
            }
            _ if poisson => {
                let y = rows.y.reals()?;
                if let Some(&row) = kept.iter().find(|&&i| *y.at(i, 0) < 0.0) {
                    return Err(negative_target(*y.at(row, 0), row));
                }
                out.positive = kept.iter().any(|&i| *y.at(i, 0) > 0.0);
            }
            _ => {}
        }
        let reader = ColumnCells::new(rows.x);
        let mut cells = vec![0.0; rows.rows()];
        for (j, bins) in bins.iter().enumerate() {
            let edges = if bins.is_category() { 0 } else { bins.bins() };
            let (mut low, mut high) = (vec![f64::INFINITY; edges], vec![f64::NEG_INFINITY; edges]);
            if edges > 0 {
                reader.fill(j, 0, &mut cells);
                let mut places = vec![0u16; cells.len()];
                bins.bin_all(&cells, &mut places);
                for (b, v) in kept.iter().map(|&i| (usize::from(places[i]), cells[i] + 0.0)).filter(|(b, _)| *b < edges) {
                    low[b] = low[b].min(v);
                    high[b] = high[b].max(v);
                }
            }
            out.low.push(low);
            out.high.push(high);
        }
        Ok(out)
    }
}

/// Data shared by all trees.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct ForestContext {
    pub scales: RowScales,
    pub bins: Vec<ColumnBins>,
    pub columns: Vec<BinnedColumn>,
    /// How many categories each category column has.
    pub categories: Vec<Option<usize>>,
    pub settings: GrowOptions,
    /// Rows that take part.
    pub rows: usize,
    /// Rows of each class that take part.
    pub class_rows: Vec<u64>,
    /// Rows of a block, and how many rows that take part come before each.
    pub block: usize,
    pub rows_before: Vec<usize>,
    pub bootstrap: Bootstrap,
    /// Without bags: the factors of the classes, and the grid of the weights, if there are any.
    pub factors: Vec<f64>,
    pub grid: Option<WeightGrid>,
}

/// The rows of a block that take part.
pub(super) struct ForestBlock<'a> {
    rows: &'a DatasetRef<'a>,
    reader: ColumnCells<'a>,
    /// Their places in the block, and their weights.
    pub kept: Vec<usize>,
    pub weights: Vec<f64>,
    /// The number of the first.
    pub first: usize,
    codes: Option<&'a [u32]>,
}

impl ForestContext {
    /// A block of rows, of which `first` come before.
    pub fn read<'a>(&self, rows: &'a DatasetRef<'a>, first: usize) -> Result<ForestBlock<'a>> {
        let (mut kept, mut own) = (Vec::with_capacity(rows.rows()), Vec::with_capacity(rows.rows()));
        for i in 0..rows.rows() {
            let weight = self.scales.row_weight(rows, i);
            if weight > 0.0 {
                kept.push(i);
                own.push(weight);
            }
        }
        let codes = match rows.y {
            Target::Class { codes, .. } => Some(codes),
            _ => None,
        };
        let place = first / self.block;
        let changed = || Error::Data("the source had other rows in one pass than in the next".into());
        let before = *self.rows_before.get(place).ok_or_else(changed)?;
        let end = self.rows_before.get(place + 1).copied().unwrap_or(self.rows);
        if before + kept.len() != end || !first.is_multiple_of(self.block) {
            return Err(changed());
        }
        Ok(ForestBlock { reader: ColumnCells::new(rows.x), rows, kept, weights: own, first: before, codes })
    }

    /// Bins of some of the rows of a block that take part, one row after the other.
    pub fn cells(&self, block: &ForestBlock<'_>, range: std::ops::Range<usize>, out: &mut Vec<u32>) {
        let p = self.bins.len();
        let kept = &block.kept[range];
        out.clear();
        out.resize(kept.len() * p, 0);
        let (Some(&first), Some(&last)) = (kept.first(), kept.last()) else { return };
        let mut values = vec![0.0; last + 1 - first];
        let mut places = vec![0u16; values.len()];
        for (j, bins) in self.bins.iter().enumerate() {
            block.reader.fill(j, first, &mut values);
            let missing = bins.missing();
            let put = |b: usize| if b == missing { MISSING_RANK } else { b as u32 };
            if bins.is_category() {
                kept.iter().enumerate().for_each(|(k, &i)| out[k * p + j] = put(bins.bin(values[i - first])));
            } else {
                bins.bin_all(&values, &mut places);
                kept.iter().enumerate().for_each(|(k, &i)| out[k * p + j] = put(usize::from(places[i - first])));
            }
        }
    }
}

impl ForestBlock<'_> {
    /// The class of a row that takes part; 0 for numbers.
    #[inline]
    pub fn class(&self, k: usize) -> u32 {
        self.codes.map_or(0, |c| c[self.kept[k]])
    }

    /// The targets of the rows that take part; empty for classes.
    pub fn targets(&self) -> Result<Vec<f64>> {
        if self.codes.is_some() {
            return Ok(Vec::new());
        }
        let y = self.rows.y.reals()?;
        Ok(self.kept.iter().map(|&i| *y.at(i, 0)).collect())
    }
}
