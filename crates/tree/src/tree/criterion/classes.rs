//! Gini, entropy and misclassification.

use std::sync::Arc;

use super::super::sorted::SortedEntry;
use super::{BestCut, NodeStats, QuantizedWeights, SortedEntries, SplitCriterion, SplitLimits, SplitSweep, scan};

/// An impurity of class shares.
pub(in super::super) trait ClassImpurity: Clone + Send + Sync {
    /// The impurity of classes with the given weights, in steps.
    fn impurity(&self, classes: &[i64], total: i64) -> f64;
    /// Two classes: `left` of `ones` are left, where `l` of `n` are. Larger is better.
    fn gain_of_two(&self, left: i64, l: i64, ones: i64, n: i64) -> f64;
    /// Many classes, with the sums of squares of the weights of the classes on each side.
    fn gain(&self, left: &[i64], l: i64, total: &[i64], n: i64, squares: (u64, u64)) -> f64;
    /// Whether [`Self::gain`] looks at the squares.
    const SQUARES: bool;
    /// A little more than a gain, to be safe from rounding.
    fn padded_gain(&self, gain: f64, n: i64) -> f64;
}

/// 1 - sum p^2.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Gini;

/// Products of weights below this are exact in 64 bits.
const EXACT: i64 = 1 << 31;

impl ClassImpurity for Gini {
    fn impurity(&self, classes: &[i64], total: i64) -> f64 {
        let n = total as f64;
        classes.iter().map(|&c| (c as f64 / n) * ((total - c) as f64 / n)).sum()
    }

    /// The decrease of the impurity is 2 d^2 / (l (n - l)) / n^4 with d = left n - l ones.
    #[inline(always)]
    fn gain_of_two(&self, left: i64, l: i64, ones: i64, n: i64) -> f64 {
        let d = if n < EXACT { (left * n - l * ones) as f64 } else { left as f64 * n as f64 - l as f64 * ones as f64 };
        d * d / (l as f64 * (n - l) as f64)
    }

    #[inline(always)]
    fn gain(&self, left: &[i64], l: i64, total: &[i64], n: i64, squares: (u64, u64)) -> f64 {
        let r = n - l;
        if n < EXACT {
            return squares.0 as f64 / l as f64 + squares.1 as f64 / r as f64;
        }
        let (mut sum_l, mut sum_r) = (0.0, 0.0);
        for (&a, &t) in left.iter().zip(total) {
            sum_l += a as f64 * a as f64;
            sum_r += (t - a) as f64 * (t - a) as f64;
        }
        sum_l / l as f64 + sum_r / r as f64
    }

    const SQUARES: bool = true;

    #[inline(always)]
    fn padded_gain(&self, gain: f64, n: i64) -> f64 {
        let slack = if n < EXACT { 0.0 } else { 1e-12 * n as f64 * n as f64 };
        gain * (1.0 + 1e-12) + slack
    }
}

/// The impurities but Gini. One type for both, since they are not the default, and every type of impurity is another instance of the
/// whole grower.
#[derive(Clone, Debug)]
pub(in super::super) enum OtherImpurity {
    /// - sum p log2 p.
    Entropy {
        /// x log2 x for whole x.
        table: Arc<Vec<f64>>,
        unit: f64,
    },
    /// 1 - max p: the share of rows that the most frequent class gets wrong.
    Misclassification,
}

impl OtherImpurity {
    /// Entropy, for weights of the given unit and sum, in steps.
    pub fn entropy(unit: f64, total: i64) -> Self {
        let len = if unit == 1.0 { total.clamp(0, 1 << 22) as usize + 1 } else { 0 };
        Self::Entropy { table: Arc::new((0..len).map(|x| x_log_x(x as f64)).collect()), unit }
    }
}

#[inline(always)]
fn h(table: &[f64], unit: f64, x: i64) -> f64 {
    match table.get(x as usize) {
        Some(&h) => h,
        None => x_log_x(x as f64 * unit),
    }
}

fn x_log_x(x: f64) -> f64 {
    if x > 0.0 { x * x.log2() } else { 0.0 }
}

impl ClassImpurity for OtherImpurity {
    fn impurity(&self, classes: &[i64], total: i64) -> f64 {
        match self {
            // Never negative, and 0 for one class, whatever the rounding.
            Self::Entropy { .. } => classes
                .iter()
                .filter(|&&c| c > 0 && c < total)
                .map(|&c| (total as f64 / c as f64).log2() * (c as f64 / total as f64))
                .sum(),
            Self::Misclassification => {
                let most = classes.iter().copied().max().unwrap_or(total);
                (total - most) as f64 / total as f64
            }
        }
    }

    #[inline(always)]
    fn gain_of_two(&self, left: i64, l: i64, ones: i64, n: i64) -> f64 {
        let (right, r) = (ones - left, n - l);
        match self {
            Self::Entropy { table, unit } => {
                let h = |x: i64| h(table, *unit, x);
                (h(left) + h(l - left) - h(l)) + (h(right) + h(r - right) - h(r))
            }
            // The weight that the most frequent classes of the two sides get right.
            Self::Misclassification => (left.max(l - left) + right.max(r - right)) as f64,
        }
    }

    fn gain(&self, left: &[i64], l: i64, total: &[i64], n: i64, _: (u64, u64)) -> f64 {
        match self {
            Self::Entropy { table, unit } => {
                let h = |x: i64| h(table, *unit, x);
                let (mut sum_l, mut sum_r) = (0.0, 0.0);
                for (&a, &t) in left.iter().zip(total) {
                    sum_l += h(a);
                    sum_r += h(t - a);
                }
                (sum_l - h(l)) + (sum_r - h(n - l))
            }
            Self::Misclassification => {
                let (mut most_l, mut most_r) = (0, 0);
                for (&a, &t) in left.iter().zip(total) {
                    most_l = most_l.max(a);
                    most_r = most_r.max(t - a);
                }
                (most_l + most_r) as f64
            }
        }
    }

    const SQUARES: bool = false;

    #[inline(always)]
    fn padded_gain(&self, gain: f64, n: i64) -> f64 {
        match self {
            Self::Entropy { table, unit } => gain + 1e-12 * h(table, *unit, n).abs(),
            // Sums of whole numbers round the same way whoever takes them.
            Self::Misclassification => gain,
        }
    }
}

/// Two classes.
#[derive(Clone, Debug)]
pub(in super::super) struct Binary<I> {
    ones: Vec<bool>,
    weights: QuantizedWeights,
    impurity: I,
}

impl<I: ClassImpurity> Binary<I> {
    pub fn new(ones: Vec<bool>, weights: QuantizedWeights, impurity: I) -> Self {
        Self { ones, weights, impurity }
    }

    /// One pass over a list with weights of 1, best-known split first. The gain is convex in the counts of the two classes
    /// on the left, and within a block of entries these stay inside a parallelogram; if the gain at its corners is too
    /// small, no entry of the block needs to be looked at.
    fn scan_fast<S: SortedEntry>(
        &self,
        list: &SortedEntries<'_, S>,
        from: BinaryTotals,
        total: BinaryTotals,
        range: (usize, usize),
        floor: f64,
    ) -> Option<(f64, usize)> {
        const BLOCK: usize = 32;
        let present = list.present;
        let (low, high) = range;
        let gain = |c: BinaryTotals| self.impurity.gain_of_two(c.ones, c.all, total.ones, total.all);
        let mut state = from;
        state.add(&present[..low - 1]);
        let mut best: Option<(f64, usize)> = None;
        let mut corner = gain(state);
        let mut at = low;
        while at <= high {
            let block = &present[at - 1..high.min(at - 1 + BLOCK)];
            let mut end = state;
            end.add(block);
            let (ones, zeros) = (end.ones - state.ones, (end.all - state.all) - (end.ones - state.ones));
            let last = gain(end);
            // A corner where a side is empty has no gain: 0/0, which max passes over.
            let bound = f64::NEG_INFINITY
                .max(corner)
                .max(last)
                .max(gain(BinaryTotals { ones: end.ones, all: state.all + ones }))
                .max(gain(BinaryTotals { ones: state.ones, all: state.all + zeros }));
            let bound = self.impurity.padded_gain(bound, total.all);
            if bound > best.map_or(f64::NEG_INFINITY, |b| b.0) && bound >= floor {
                for (k, e) in block.iter().enumerate() {
                    state.ones += e.bit() as i64;
                    state.all += 1;
                    let g = gain(state);
                    if g > best.map_or(f64::NEG_INFINITY, |b| b.0) && list.cuts(at + k) {
                        best = Some((g, at + k));
                    }
                }
            }
            state = end;
            corner = last;
            at += block.len();
        }
        best
    }
}

/// Rows, and those of the second class among them.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct BinaryTotals {
    ones: i64,
    all: i64,
}

impl BinaryTotals {
    #[inline(always)]
    fn add<S: SortedEntry>(&mut self, entries: &[S]) {
        self.ones += entries.iter().map(|e| e.bit()).sum::<usize>() as i64;
        self.all += entries.len() as i64;
    }
}

impl<I: ClassImpurity> SplitCriterion for Binary<I> {
    type Total = BinaryTotals;
    type Sweep<'a>
        = BinarySweep<'a, I>
    where
        I: 'a;

    fn bit(&self, id: usize) -> bool {
        self.ones[id]
    }

    fn prepare(&mut self, ids: &[u32]) -> NodeStats<BinaryTotals> {
        let mut total = BinaryTotals { ones: 0, all: 0 };
        for &id in ids {
            let w = self.weights.get(id as usize);
            total.all += w;
            total.ones += if self.ones[id as usize] { w } else { 0 };
        }
        let zeros = total.all - total.ones;
        NodeStats {
            rows: ids.len(),
            weight: total.all as f64 * self.weights.unit,
            value: vec![zeros as f64 / total.all as f64, total.ones as f64 / total.all as f64],
            impurity: self.impurity.impurity(&[zeros, total.ones], total.all),
            pure: zeros == 0 || total.ones == 0,
            total,
        }
    }

    fn sweep<'a>(&'a self, stats: &'a NodeStats<BinaryTotals>) -> BinarySweep<'a, I> {
        BinarySweep { from: self, total: stats.total, left: BinaryTotals { ones: 0, all: 0 } }
    }

    fn select(&self, ids: &[u32]) -> Self {
        let ones = ids.iter().map(|&i| self.ones[i as usize]).collect();
        Self { ones, weights: self.weights.select(ids), impurity: self.impurity.clone() }
    }

    fn orders(&self) -> usize {
        1
    }

    fn scan<S: SortedEntry>(
        &self,
        sweep: &mut BinarySweep<'_, I>,
        list: &SortedEntries<'_, S>,
        limits: &SplitLimits,
        floor: f64,
    ) -> Option<BestCut> {
        if !self.weights.is_one() || limits.monotone.is_some() || limits.min_weight > 0.0 {
            return scan(sweep, list, limits);
        }
        let mut best: Option<BestCut> = None;
        for (missing_left, low, high) in list.missing_sides(limits.min_rows) {
            let mut from = BinaryTotals { ones: 0, all: 0 };
            if missing_left {
                from.add(list.missing);
            }
            let floor = best.map_or(floor, |b| b.gain.max(floor));
            if let Some((gain, at)) = self.scan_fast(list, from, sweep.total, (low, high), floor)
                && gain > best.map_or(f64::NEG_INFINITY, |b| b.gain)
            {
                best = Some(BestCut { gain, at, missing_left });
            }
        }
        best
    }
}

/// The search with two classes.
pub(in super::super) struct BinarySweep<'a, I> {
    from: &'a Binary<I>,
    total: BinaryTotals,
    left: BinaryTotals,
}

impl<I: ClassImpurity> SplitSweep for BinarySweep<'_, I> {
    fn clear(&mut self) {
        self.left = BinaryTotals { ones: 0, all: 0 };
    }

    #[inline(always)]
    fn push<S: SortedEntry>(&mut self, entry: S) {
        let w = self.from.weights.get(entry.id());
        self.left.all += w;
        self.left.ones += w * entry.bit() as i64;
    }

    #[inline(always)]
    fn gain(&self) -> f64 {
        self.from.impurity.gain_of_two(self.left.ones, self.left.all, self.total.ones, self.total.all)
    }

    fn weights(&self) -> (f64, f64) {
        let unit = self.from.weights.unit;
        (self.left.all as f64 * unit, (self.total.all - self.left.all) as f64 * unit)
    }

    fn values(&self) -> (f64, f64) {
        let right = (self.total.ones - self.left.ones) as f64 / (self.total.all - self.left.all) as f64;
        (self.left.ones as f64 / self.left.all as f64, right)
    }

    fn key<S: SortedEntry>(&self, entries: &[S], _: usize) -> f64 {
        let mut sum = BinaryTotals { ones: 0, all: 0 };
        for e in entries {
            let w = self.from.weights.get(e.id());
            sum.all += w;
            sum.ones += w * e.bit() as i64;
        }
        sum.ones as f64 / sum.all as f64
    }
}

/// Any number of classes.
#[derive(Clone, Debug)]
pub(in super::super) struct Classes<I> {
    codes: Vec<u32>,
    count: usize,
    weights: QuantizedWeights,
    impurity: I,
}

impl<I: ClassImpurity> Classes<I> {
    pub fn new(codes: Vec<u32>, count: usize, weights: QuantizedWeights, impurity: I) -> Self {
        Self { codes, count, weights, impurity }
    }
}

impl<I: ClassImpurity> SplitCriterion for Classes<I> {
    type Total = Vec<i64>;
    type Sweep<'a>
        = ClassesSweep<'a, I>
    where
        I: 'a;

    fn prepare(&mut self, ids: &[u32]) -> NodeStats<Vec<i64>> {
        let mut classes = vec![0; self.count];
        for &id in ids {
            classes[self.codes[id as usize] as usize] += self.weights.get(id as usize);
        }
        let all: i64 = classes.iter().sum();
        NodeStats {
            rows: ids.len(),
            weight: all as f64 * self.weights.unit,
            value: classes.iter().map(|&c| c as f64 / all as f64).collect(),
            impurity: self.impurity.impurity(&classes, all),
            pure: classes.contains(&all),
            total: classes,
        }
    }

    fn sweep<'a>(&'a self, stats: &'a NodeStats<Vec<i64>>) -> ClassesSweep<'a, I> {
        let total = &stats.total[..];
        let all = total.iter().sum();
        let squares = if all < EXACT { total.iter().map(|&c| (c * c) as u64).sum() } else { 0 };
        let left = vec![0; total.len()];
        ClassesSweep { from: self, total, all, squares, left, sum: 0, left_squares: 0, right_squares: squares }
    }

    fn select(&self, ids: &[u32]) -> Self {
        let codes = ids.iter().map(|&i| self.codes[i as usize]).collect();
        Self { codes, weights: self.weights.select(ids), impurity: self.impurity.clone(), ..*self }
    }

    fn orders(&self) -> usize {
        self.count
    }
}

/// The search with any number of classes.
pub(in super::super) struct ClassesSweep<'a, I> {
    from: &'a Classes<I>,
    total: &'a [i64],
    all: i64,
    squares: u64,
    left: Vec<i64>,
    sum: i64,
    left_squares: u64,
    right_squares: u64,
}

impl<I: ClassImpurity> SplitSweep for ClassesSweep<'_, I> {
    fn clear(&mut self) {
        self.left.fill(0);
        self.sum = 0;
        self.left_squares = 0;
        self.right_squares = self.squares;
    }

    #[inline(always)]
    fn push<S: SortedEntry>(&mut self, entry: S) {
        let w = self.from.weights.get(entry.id());
        let class = self.from.codes[entry.id()] as usize;
        let left = &mut self.left[class];
        if I::SQUARES && self.all < EXACT {
            self.left_squares += (w * (2 * *left + w)) as u64;
            self.right_squares -= (w * (2 * (self.total[class] - *left) - w)) as u64;
        }
        *left += w;
        self.sum += w;
    }

    #[inline(always)]
    fn gain(&self) -> f64 {
        self.from.impurity.gain(&self.left, self.sum, self.total, self.all, (self.left_squares, self.right_squares))
    }

    fn weights(&self) -> (f64, f64) {
        let unit = self.from.weights.unit;
        (self.sum as f64 * unit, (self.all - self.sum) as f64 * unit)
    }

    // Monotonic constraints are refused for more than two classes.
    fn values(&self) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn key<S: SortedEntry>(&self, entries: &[S], order: usize) -> f64 {
        let (mut here, mut all) = (0, 0);
        for e in entries {
            let w = self.from.weights.get(e.id());
            all += w;
            here += if self.from.codes[e.id()] as usize == order { w } else { 0 };
        }
        here as f64 / all as f64
    }
}
