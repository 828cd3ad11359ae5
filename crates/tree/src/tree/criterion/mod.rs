//! Criteria: what makes a split good.
//!
//! A criterion sees the rows of a node moving one by one from the right child to the left and scores each step: how good
//! the split is. All totals are sums of integers (class counts, whole weights, targets on a fine grid), so they do not
//! depend on the order of the rows, and neither does the split that is chosen.

mod classes;
mod means;
mod medians;

pub(super) use classes::{Binary, ClassImpurity, Classes, Gini, OtherImpurity};
pub(super) use means::{LogLoss, Means, Squared, negative_target, no_positive_target};
pub(super) use medians::Medians;

use ermine_math::double_double::Dd;
use serde::{Deserialize, Serialize};

use super::sorted::SortedEntry;

/// Statistics of the rows of a node.
#[derive(Clone, Debug)]
pub(super) struct NodeStats<T> {
    /// How many there are.
    pub rows: usize,
    /// Their weight.
    pub weight: f64,
    /// Class shares, means or medians.
    pub value: Vec<f64>,
    /// Their impurity; 0 is best.
    pub impurity: f64,
    /// Whether nothing is left to separate.
    pub pure: bool,
    /// The totals the search starts from.
    pub total: T,
}

/// A criterion together with the targets of the rows.
pub(super) trait SplitCriterion: Send + Sync + Sized {
    /// Totals of a node.
    type Total: Clone + Send + Sync;
    /// The search within a node.
    type Sweep<'a>: SplitSweep
    where
        Self: 'a;

    /// The class of a row, when there are two.
    fn bit(&self, id: usize) -> bool {
        let _ = id;
        false
    }

    /// Totals, value and impurity of the rows of a node; must be called before [`Self::sweep`] on the same rows.
    fn prepare(&mut self, ids: &[u32]) -> NodeStats<Self::Total>;

    /// The search within a node that was prepared.
    fn sweep<'a>(&'a self, stats: &'a NodeStats<Self::Total>) -> Self::Sweep<'a>;

    /// The same for some of the rows, which get new numbers: row `k` is what was `ids[k]`.
    fn select(&self, ids: &[u32]) -> Self;

    /// How many orders of categories are worth a try: one is optimal for two classes or one target.
    fn orders(&self) -> usize;

    /// The best split of a list between neighboring values; by default [`scan`].
    fn scan<S: SortedEntry>(
        &self,
        sweep: &mut Self::Sweep<'_>,
        list: &SortedEntries<'_, S>,
        limits: &SplitLimits,
        floor: f64,
    ) -> Option<BestCut> {
        let _ = floor;
        scan(sweep, list, limits)
    }
}

/// Rows moving from the right child to the left.
pub(super) trait SplitSweep {
    /// Moves all rows to the right.
    fn clear(&mut self);
    /// Moves a row to the left.
    fn push<S: SortedEntry>(&mut self, entry: S);
    /// How good the split is, up to constants of the node; negative infinity if it is not allowed.
    fn gain(&self) -> f64;
    /// The weights of the two sides.
    fn weights(&self) -> (f64, f64);
    /// The values of the two sides for monotonic constraints.
    fn values(&self) -> (f64, f64);
    /// Where some rows of one category stand in an order of categories (see [`Criterion::orders`]).
    fn key<S: SortedEntry>(&self, entries: &[S], order: usize) -> f64;
}

/// Constraints on every split.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitLimits {
    /// Rows on each side, at least.
    pub min_rows: usize,
    /// Weight on each side, at least.
    pub min_weight: f64,
    /// The monotonic constraint of the column.
    pub monotone: Option<MonotoneBounds>,
}

/// A monotonic constraint: the direction of the column and the bounds that splits above have set.
#[derive(Clone, Copy, Debug)]
pub(super) struct MonotoneBounds {
    pub sign: f64,
    pub low: f64,
    pub high: f64,
}

impl SplitLimits {
    /// Whether the present state of a sweep is allowed.
    #[inline]
    pub fn allows(&self, sweep: &impl SplitSweep) -> bool {
        if self.min_weight > 0.0 {
            let (left, right) = sweep.weights();
            if left < self.min_weight || right < self.min_weight {
                return false;
            }
        }
        match self.monotone {
            None => true,
            Some(m) => {
                let (left, right) = sweep.values();
                let inside = |v: f64| m.low <= v && v <= m.high;
                inside(left) && inside(right) && (left - right) * m.sign <= 0.0
            }
        }
    }
}

/// The sorted list of a node: entries with a value, then entries without.
#[derive(Clone, Copy)]
pub(super) struct SortedEntries<'a, S> {
    pub present: &'a [S],
    pub missing: &'a [S],
    /// The value of an entry, for columns whose marks are not kept right.
    pub value: Option<&'a (dyn Fn(S) -> f64 + Sync)>,
}

impl<'a, S: SortedEntry> SortedEntries<'a, S> {
    pub fn rows(&self) -> usize {
        self.present.len() + self.missing.len()
    }

    /// Whether the first `at` present entries can be cut from the rest: a new value, or nothing, follows.
    #[inline(always)]
    pub fn cuts(&self, at: usize) -> bool {
        match self.present.get(at) {
            None => true,
            Some(e) => e.starts() || self.value.is_some_and(|value| value(self.present[at - 1]) < value(*e)),
        }
    }

    /// Whether there is one value only; missing counts as one.
    pub fn constant(&self) -> bool {
        let last = self.present.len().saturating_sub(1);
        if self.present.is_empty() || !self.missing.is_empty() {
            return self.present.is_empty();
        }
        !self.present[1..].iter().any(|e| e.starts())
            && self.value.is_none_or(|value| value(self.present[0]) == value(self.present[last]))
    }

    /// For each side the missing values may take, right first: whether it is the left, and the least and greatest number
    /// of present entries that may go left.
    pub fn missing_sides(&self, min_rows: usize) -> impl Iterator<Item = (bool, usize, usize)> + use<'a, S> {
        let (present, missing, rows) = (self.present.len(), self.missing.len(), self.rows());
        (0..1 + usize::from(missing > 0)).filter_map(move |pass| {
            let left = if pass == 1 { missing } else { 0 };
            // All present values against the missing ones is a split too.
            let most = if pass == 0 && missing > 0 { present } else { present.saturating_sub(1) };
            let low = min_rows.saturating_sub(left).max(1);
            let high = most.min(rows.saturating_sub(left + min_rows));
            (low <= high).then_some((pass == 1, low, high))
        })
    }
}

/// The best split of a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BestCut {
    pub gain: f64,
    /// How many present entries go left.
    pub at: usize,
    /// Whether the missing values go left.
    pub missing_left: bool,
}

/// The best split of a list between neighboring values, the first of equals: missing values right, then left; low
/// thresholds before high ones.
pub(super) fn scan<S: SortedEntry>(
    sweep: &mut impl SplitSweep,
    list: &SortedEntries<'_, S>,
    limits: &SplitLimits,
) -> Option<BestCut> {
    let mut best: Option<BestCut> = None;
    for (missing_left, low, high) in list.missing_sides(limits.min_rows) {
        sweep.clear();
        if missing_left {
            list.missing.iter().for_each(|&e| sweep.push(e));
        }
        list.present[..low - 1].iter().for_each(|&e| sweep.push(e));
        for at in low..=high {
            sweep.push(list.present[at - 1]);
            let marked = list.value.is_none();
            if marked && !list.cuts(at) || !limits.allows(sweep) {
                continue;
            }
            let gain = sweep.gain();
            if gain > best.map_or(f64::NEG_INFINITY, |b| b.gain) && (marked || list.cuts(at)) {
                best = Some(BestCut { gain, at, missing_left });
            }
        }
    }
    best
}

/// The weights of the rows as whole numbers of a unit.
///
/// Weights that are whole numbers are taken as they are. Others are rounded to a grid of 2^61 steps for their sum, so that
/// sums are exact and do not depend on the order of rows.
#[derive(Clone, Debug)]
pub(super) struct QuantizedWeights {
    steps: Option<Vec<i64>>,
    /// The weight of one step.
    pub unit: f64,
    /// Whether a step is a row.
    pub whole: bool,
}

impl QuantizedWeights {
    pub const ONE: Self = Self { steps: None, unit: 1.0, whole: true };

    /// From weights above 0.
    pub fn new(weights: Vec<f64>) -> Self {
        let mut range = WeightRange::default();
        weights.iter().for_each(|&w| range.add(w));
        if range.ones {
            return Self::ONE;
        }
        let grid = range.exact().unwrap_or_else(|| range.rounded(weights.iter().map(|&w| range.scaled(w)).sum()));
        let steps = weights.iter().map(|&w| grid.to_steps(w)).collect();
        Self { steps: Some(steps), unit: grid.unit, whole: grid.whole }
    }

    #[inline(always)]
    pub fn get(&self, id: usize) -> i64 {
        self.steps.as_ref().map_or(1, |s| s[id])
    }

    pub fn is_one(&self) -> bool {
        self.steps.is_none()
    }

    pub fn select(&self, ids: &[u32]) -> Self {
        let steps = self.steps.as_ref().map(|s| ids.iter().map(|&i| s[i as usize]).collect());
        Self { steps, ..*self }
    }
}

/// Statistics of weights needed to count them in steps; they do not depend on the order.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct WeightRange {
    /// Whether all are 1.
    pub ones: bool,
    whole: bool,
    most: f64,
    total: f64,
}

impl Default for WeightRange {
    fn default() -> Self {
        Self { ones: true, whole: true, most: 0.0, total: 0.0 }
    }
}

impl WeightRange {
    #[inline]
    pub fn add(&mut self, w: f64) {
        self.add_many(w, 1.0);
    }

    /// Adds a weight that occurs several times.
    #[inline]
    pub fn add_many(&mut self, w: f64, times: f64) {
        self.ones &= w == 1.0;
        self.whole &= w.fract() == 0.0;
        self.most = self.most.max(w);
        self.total += w * times;
    }

    pub fn merge(&mut self, other: Self) {
        self.ones &= other.ones;
        self.whole &= other.whole;
        self.most = self.most.max(other.most);
        self.total += other.total;
    }

    /// The grid of whole weights. Their sum is exact in any order as long as it is this small.
    pub fn exact(&self) -> Option<WeightGrid> {
        (self.whole && self.total < (1u64 << 52) as f64).then_some(WeightGrid { whole: true, down: 1.0, up: 1.0, unit: 1.0 })
    }

    /// A weight over a power of two near the largest: the sum of the weights themselves may be beyond the largest number.
    /// Sums of it are of twice the digits, so that they are the same in any order.
    #[inline]
    pub fn scaled(&self, w: f64) -> Dd {
        Dd::from(w * power(-exponent(self.most)))
    }

    /// The grid of other weights, given the sum of [`WeightRange::scaled`].
    pub fn rounded(&self, total: Dd) -> WeightGrid {
        let top = exponent(self.most);
        let shift = 60 - exponent(total.to_f64());
        WeightGrid { whole: false, down: power(-top), up: power(shift), unit: power(top - shift) }
    }
}

/// How weights become whole numbers of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct WeightGrid {
    /// Whether a step is a row.
    pub whole: bool,
    down: f64,
    up: f64,
    /// The weight of one step.
    pub unit: f64,
}

impl WeightGrid {
    #[inline]
    pub fn to_steps(self, w: f64) -> i64 {
        if self.whole { w as i64 } else { ((w * self.down * self.up) as i64).max(1) }
    }
}

/// The exponent of a number above 0: 2^exponent <= v < 2^(exponent + 1), kept away from the ends of the range.
pub(super) fn exponent(v: f64) -> i32 {
    if v.is_normal() { ((v.to_bits() >> 52) as i32 & 2047) - 1023 } else { -1022 }.clamp(-1000, 1000)
}

/// A power of two.
pub(super) fn power(e: i32) -> f64 {
    2f64.powi(e)
}

/// To the nearest whole number.
#[inline]
pub(super) fn nearest(v: f64) -> i64 {
    (v + 0.5f64.copysign(v)) as i64
}
