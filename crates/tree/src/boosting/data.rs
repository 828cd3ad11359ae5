//! Training rows of boosting: bins, targets, weights; and their statistics from a first pass.

use std::borrow::Cow;

use ermine_core::{DatasetRef, Partial, Result, Target};
use ermine_math::bins::{BinMatrix, ColumnBins, QuantileSketch};
use ermine_math::double_double::Dd;
use serde::{Deserialize, Serialize};

use crate::columns::{ColumnCells, ColumnSummary};

/// Statistics of the rows from a first pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct DataSummary {
    pub columns: Vec<ColumnSummary>,
    /// Rows of positive weight.
    pub rows: u64,
    /// How often they count.
    pub count: u64,
    /// Sum of weights.
    pub weight: Dd,
    /// Sum of weight times target.
    pub sum: Dd,
    /// The weights of the classes.
    pub classes: Vec<f64>,
    /// The distribution of the target, for the losses that need a quantile of it.
    pub target: Option<QuantileSketch>,
    /// The least and the greatest target.
    pub range: (f64, f64),
    pub largest_weight: f64,
    /// Whether all weights are whole numbers.
    pub whole: bool,
}

impl DataSummary {
    /// Of a block of rows. `quantiles` asks for the distribution of the target; `infinite` is whether infinite cells are taken.
    pub fn of(rows: &DatasetRef<'_>, quantiles: bool, infinite: bool) -> Result<Self> {
        let n = rows.rows();
        let mut out = Self {
            columns: ColumnSummary::all(rows, infinite)?,
            rows: 0,
            count: 0,
            weight: Dd::ZERO,
            sum: Dd::ZERO,
            classes: Vec::new(),
            target: None,
            range: (f64::INFINITY, f64::NEG_INFINITY),
            largest_weight: 0.0,
            whole: true,
        };
        for i in 0..n {
            let w = rows.weight_of(i);
            out.rows += u64::from(w > 0.0);
            out.count += u64::from(count_of(w));
            out.weight += Dd::from(w);
            out.largest_weight = out.largest_weight.max(w);
            out.whole &= w.fract() == 0.0;
        }
        match rows.y {
            Target::Class { codes, names } => {
                out.classes = vec![0.0; names.len()];
                codes.iter().enumerate().for_each(|(i, &c)| out.classes[c as usize] += rows.weight_of(i));
            }
            _ => {
                let y = rows.y.reals()?;
                for i in 0..n {
                    let (v, w) = (*y.at(i, 0), rows.weight_of(i));
                    if w > 0.0 {
                        out.sum += Dd::product(v, w);
                        out.range = (out.range.0.min(v), out.range.1.max(v));
                    }
                }
                if quantiles {
                    let values: Vec<f64> = (0..n).map(|i| *y.at(i, 0)).collect();
                    out.target = Some(QuantileSketch::of(&values, rows.weight));
                }
            }
        }
        Ok(out)
    }

    /// How often the rows count when classes are weighed: sample weights of the same size would count as much.
    pub fn count_with(&self, class_weight: &[f64]) -> u64 {
        if class_weight.is_empty() || !self.whole {
            return self.count;
        }
        self.classes.iter().zip(class_weight).map(|(&rows, &w)| rows as u64 * u64::from(count_of(w))).sum()
    }

    /// The bins of the columns.
    pub fn bins(&self, max_bins: usize) -> Vec<ColumnBins> {
        let bins = |c: &ColumnSummary| match c {
            ColumnSummary::Numbers(sketch) => ColumnBins::numbers(sketch, max_bins),
            ColumnSummary::Categories(weights) => ColumnBins::categories(weights, max_bins),
        };
        self.columns.iter().map(bins).collect()
    }
}

#[cfg(feature = "fit")]
impl Partial for DataSummary {
    fn merge(&mut self, other: Self) -> Result<()> {
        ColumnSummary::merge_all(&mut self.columns, other.columns)?;
        self.rows += other.rows;
        self.count += other.count;
        self.weight += other.weight;
        self.sum += other.sum;
        self.classes.iter_mut().zip(other.classes).for_each(|(a, b)| *a += b);
        if let (Some(a), Some(b)) = (&mut self.target, other.target) {
            a.merge(b);
        }
        self.range = (self.range.0.min(other.range.0), self.range.1.max(other.range.1));
        self.largest_weight = self.largest_weight.max(other.largest_weight);
        self.whole &= other.whole;
        Ok(())
    }
}

/// Rows to learn from or to watch: bins, target and weights. All weights are positive.
pub(super) struct BinnedRows<'a> {
    pub bins: BinMatrix,
    /// The target of a regression, else empty.
    pub y: Cow<'a, [f64]>,
    /// The classes of a classification, else empty.
    pub codes: Cow<'a, [u32]>,
    /// The weight of each row, class weights included; none where all are 1.
    pub weight: Option<Vec<f64>>,
    /// How often each row counts among the rows of a leaf; none where all count once.
    pub counts: Option<Vec<u32>>,
}

/// How often a row counts: its weight where that is a whole number, else once.
fn count_of(weight: f64) -> u32 {
    if weight.fract() == 0.0 && weight < f64::from(u32::MAX) { weight as u32 } else { 1 }
}

impl<'a> BinnedRows<'a> {
    /// No rows yet.
    pub fn new(columns: Vec<ColumnBins>) -> Self {
        Self { bins: BinMatrix::new(columns), y: Cow::default(), codes: Cow::default(), weight: None, counts: None }
    }

    /// Adds the rows of a block, leaving out those without weight. `class_weight` has one weight per class or is empty.
    pub fn append(&mut self, rows: &DatasetRef<'_>, reader: &ColumnCells<'_>, class_weight: &[f64]) -> Result<()> {
        let keep: Option<Vec<usize>> = match rows.weight {
            Some(w) if w.contains(&0.0) => Some((0..w.len()).filter(|&i| w[i] > 0.0).collect()),
            _ => None,
        };
        let n = keep.as_ref().map_or(rows.rows(), Vec::len);
        let before = self.bins.rows();
        match &keep {
            None => self.bins.append(n, |j, first, out| reader.fill(j, first, out)),
            Some(keep) => self.bins.append(n, |j, first, out| {
                let span = keep[first]..keep[first + out.len() - 1] + 1;
                let mut all = vec![0.0; span.len()];
                reader.fill(j, span.start, &mut all);
                out.iter_mut().zip(&keep[first..]).for_each(|(v, &i)| *v = all[i - span.start]);
            }),
        }
        let at = |k: usize| keep.as_ref().map_or(k, |keep| keep[k]);
        match rows.y {
            Target::Class { codes, .. } => self.codes.to_mut().extend((0..n).map(|k| codes[at(k)])),
            _ => {
                let y = rows.y.reals()?;
                self.y.to_mut().extend((0..n).map(|k| *y.at(at(k), 0)));
            }
        }
        self.weigh(before, n, |k| rows.weight.map(|w| w[at(k)]), class_weight);
        Ok(())
    }

    /// All rows of a data set, whose target is borrowed where it can be.
    pub fn borrowed(columns: Vec<ColumnBins>, rows: &DatasetRef<'a>, class_weight: &[f64]) -> Result<Self> {
        let reader = ColumnCells::new(rows.x);
        let mut out = Self::new(columns);
        if rows.weight.is_some_and(|w| w.contains(&0.0)) || matches!(rows.y, Target::Reals(_)) {
            out.append(rows, &reader, class_weight)?;
            return Ok(out);
        }
        out.bins.append(rows.rows(), |j, first, cells| reader.fill(j, first, cells));
        match rows.y {
            Target::Class { codes, .. } => out.codes = Cow::Borrowed(codes),
            Target::Real(y) => out.y = Cow::Borrowed(y),
            _ => {}
        }
        out.weigh(0, rows.rows(), |i| rows.weight.map(|w| w[i]), class_weight);
        Ok(out)
    }

    /// Puts together sample weights and class weights of the rows from `before` on.
    fn weigh(&mut self, before: usize, n: usize, sample: impl Fn(usize) -> Option<f64>, class_weight: &[f64]) {
        let weighted = n > 0 && sample(0).is_some();
        if weighted || !class_weight.is_empty() {
            let codes = &self.codes;
            let class = |k: usize| class_weight.get(codes.get(before + k).map_or(0, |&c| c as usize)).copied().unwrap_or(1.0);
            let weights: Vec<f64> = (0..n).map(|k| sample(k).unwrap_or(1.0) * class(k)).collect();
            self.counts.get_or_insert_with(Vec::new).extend(weights.iter().map(|&w| count_of(w)));
            self.weight.get_or_insert_with(Vec::new).extend(weights);
        }
    }

    pub fn len(&self) -> usize {
        self.bins.rows()
    }
}
