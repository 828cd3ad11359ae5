//! The best split of a node, from its histogram.

use ermine_core::RngStream;
use ermine_math::bins::{ColumnBins, HistogramRef, split_gain, threshold_gains, unpack};

/// Gradients and curvatures as whole numbers: the value of a unit.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct GradientQuantizer {
    /// A gradient is so many times its whole number.
    pub gradient: f64,
    pub curvature: f64,
    /// No row that counts once has a curvature above it, in units.
    pub most: i64,
}

/// Sums over the rows of a node, in units of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct NodeSums {
    pub g: i64,
    pub h: i64,
    /// How often its rows count.
    pub count: u64,
}

/// Regularization of trees.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct SplitPenalty {
    pub l1: f64,
    pub l2: f64,
    /// The least gain of a split.
    pub gamma: f64,
    pub min_count: u64,
    /// Least sum of curvatures of a child.
    pub min_curvature: f64,
    pub cat_l2: f64,
    pub cat_smooth: f64,
    pub max_cat_threshold: usize,
    pub max_cat_to_onehot: usize,
    pub min_group: f64,
}

impl SplitPenalty {
    /// The value that minimizes g v + ½ (h + l2) v² + l1 |v| within bounds.
    pub fn value(&self, g: f64, h: f64, l2: f64, bounds: (f64, f64)) -> f64 {
        let shrunk = g.signum() * (g.abs() - self.l1).max(0.0);
        // Rows whose curvature is exactly 0 have no step.
        let v = if shrunk == 0.0 || h + l2 <= 0.0 { 0.0 } else { -shrunk / (h + l2) };
        v.clamp(bounds.0, bounds.1)
    }

    /// The value that minimizes g v + 4 h (cosh(v/2) - 1) within bounds, with the penalties in h and g.
    ///
    /// Of log losses the curvature of a row may grow e^|v|-fold over a step v. Where a rare class is found among rows that were
    /// sure of its absence, h is next to nothing and Newton's step would leap far beyond the minimum, and rows left out of the
    /// round with it. Here the curvature grows with cosh(v/2): small steps are Newton's, and great ones grow like logarithms.
    pub fn cosh_step(&self, g: f64, h: f64, l2: f64, bounds: (f64, f64)) -> f64 {
        let newton = self.value(g, h, l2, (f64::NEG_INFINITY, f64::INFINITY));
        (2.0 * (0.5 * newton).asinh()).clamp(bounds.0, bounds.1)
    }

    /// By how much a value lowers the objective: -(g v + ½ (h + l2) v² + l1 |v|).
    pub fn gain(&self, g: f64, h: f64, l2: f64, v: f64) -> f64 {
        -(g * v + 0.5 * (h + l2) * v * v + self.l1 * v.abs())
    }

    /// The same at the best value without bounds: ½ S(g)² / (h + l2), with S(g) = g moved toward 0 by l1.
    #[inline(always)]
    fn best(&self, g: f64, h: f64, l2: f64) -> f64 {
        let s = (g.abs() - self.l1).max(0.0);
        0.5 * s * s / (h + l2)
    }
}

/// Which bins go left.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) enum LeftBins {
    /// Bins up to this one.
    UpTo(usize),
    /// The marked ones, that of missing values included.
    Set(Vec<bool>),
}

/// A split of a node.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct BoostSplit {
    pub column: usize,
    pub gain: f64,
    pub left: LeftBins,
    /// Where missing values go; none when the node has none.
    pub missing_left: Option<bool>,
    /// Sums of the left child; `count` is known only when it was counted.
    pub sums: (i64, i64),
    /// Whether both children are known to keep enough rows.
    pub certain: bool,
    /// Decides between splits of equal gain, so that the order of columns does not: the threshold.
    pub tie: f64,
}

impl BoostSplit {
    /// Which bins go left, that of missing values last.
    pub fn table(&self, bins: usize, missing_left: bool) -> Vec<bool> {
        match &self.left {
            LeftBins::UpTo(last) => (0..=bins).map(|b| if b == bins { missing_left } else { b <= *last }).collect(),
            LeftBins::Set(set) => {
                let mut set = set.clone();
                set[bins] = missing_left;
                set
            }
        }
    }
}

/// A node that looks for a split.
#[derive(Debug, Clone, Copy)]
pub(super) struct SplitQuery<'a> {
    pub sums: NodeSums,
    pub grid: &'a GradientQuantizer,
    pub penalty: &'a SplitPenalty,
    /// Bounds of the values of the node's leaves, where there are monotonic constraints.
    pub bounds: (f64, f64),
    /// The constraint of each column; empty without any.
    pub monotone: &'a [i8],
    /// Seed and path of a node that tries one random threshold of each column; none where all are tried.
    pub random: Option<(u64, u64)>,
}

/// The sums of one column by bin, that of missing values last.
trait BinSequence: Copy {
    fn len(self) -> usize;
    fn at(self, bin: usize) -> (i64, i64);
    /// The packed sums, if they are.
    fn packed<'a>(self) -> Option<&'a [u64]>
    where
        Self: 'a;
}

impl BinSequence for &[u64] {
    #[inline(always)]
    fn len(self) -> usize {
        <[u64]>::len(self)
    }
    #[inline(always)]
    fn at(self, bin: usize) -> (i64, i64) {
        unpack(self[bin])
    }
    #[inline(always)]
    fn packed<'a>(self) -> Option<&'a [u64]>
    where
        Self: 'a,
    {
        Some(self)
    }
}

impl BinSequence for &[[i64; 2]] {
    #[inline(always)]
    fn len(self) -> usize {
        <[[i64; 2]]>::len(self)
    }
    #[inline(always)]
    fn at(self, bin: usize) -> (i64, i64) {
        (self[bin][0], self[bin][1])
    }
    #[inline(always)]
    fn packed<'a>(self) -> Option<&'a [u64]>
    where
        Self: 'a,
    {
        None
    }
}

/// Bins that are looked through at once.
const SCANNED: usize = 256;

/// The best so far of a column.
struct BestBin {
    gain: f64,
    bin: usize,
    missing_left: bool,
    sums: (i64, i64),
    certain: bool,
}

impl SplitQuery<'_> {
    /// The best split on a column. `counts` has how often rows count by bin, where that is known.
    pub fn split(&self, column: usize, bins: &ColumnBins, sums: HistogramRef<'_>, counts: Option<&[u64]>) -> Option<BoostSplit> {
        match (sums, bins) {
            (HistogramRef::Narrow(s), ColumnBins::Numbers { cuts }) => self.numbers(column, cuts, s, counts),
            (HistogramRef::Wide(s), ColumnBins::Numbers { cuts }) => self.numbers(column, cuts, s, counts),
            (HistogramRef::Narrow(s), ColumnBins::Categories { own, rest, .. }) => {
                self.categories(column, s, counts, rest.then_some(*own))
            }
            (HistogramRef::Wide(s), ColumnBins::Categories { own, rest, .. }) => {
                self.categories(column, s, counts, rest.then_some(*own))
            }
        }
    }

    /// Real gradient and curvature.
    #[inline(always)]
    fn to_real(self, g: i64, h: i64) -> (f64, f64) {
        (g as f64 * self.grid.gradient, h as f64 * self.grid.curvature)
    }

    /// The decrease of the objective by the node as a leaf.
    fn own_gain(&self, l2: f64) -> f64 {
        let (g, h) = self.to_real(self.sums.g, self.sums.h);
        let v = self.penalty.value(g, h, l2, self.bounds);
        self.penalty.gain(g, h, l2, v)
    }

    /// The least curvature, in units, that a child must have.
    fn least_curvature(&self) -> i64 {
        ((self.penalty.min_curvature / self.grid.curvature).ceil() as i64).max(1)
    }

    /// Whether the children may keep enough rows, and whether that is certain, from their curvatures or their counts.
    #[inline(always)]
    fn enough(&self, h_left: i64, h_right: i64, count_left: Option<u64>) -> Option<bool> {
        let least = self.penalty.min_count as i64;
        match count_left {
            Some(left) => (left as i64 >= least && (self.sums.count - left) as i64 >= least).then_some(true),
            None => {
                let (all, need) = (self.sums.count as i64 * self.grid.most, least * self.grid.most);
                if h_left >= need && h_right >= need {
                    return Some(true);
                }
                // A row has at most so much curvature, so the other side has at least so many rows.
                (all - h_right >= need && all - h_left >= need).then_some(false)
            }
        }
    }

    fn numbers<S: BinSequence>(&self, column: usize, cuts: &[f64], sums: S, counts: Option<&[u64]>) -> Option<BoostSplit> {
        let bins = sums.len() - 1;
        let missing = sums.at(bins);
        let monotone = self.monotone.get(column).copied().unwrap_or(0);
        let mut best = BestBin { gain: f64::NEG_INFINITY, bin: 0, missing_left: false, sums: (0, 0), certain: false };
        let with_missing = missing != (0, 0);
        let mut unit = 1.0;
        if let Some(only) = self.random {
            let gain = |lg: i64, lh: i64| self.general(lg, lh, self.penalty.l2, monotone);
            self.scan_one(random_bin(only, column, sums)?, sums, counts, with_missing, gain, &mut best);
        } else if self.monotone.is_empty() && self.penalty.l1 == 0.0 {
            // In units of the grid, so that packed sums need not be converted one by one.
            unit = 0.5 * self.grid.gradient * (self.grid.gradient / self.grid.curvature);
            let l2 = self.penalty.l2 / self.grid.curvature;
            let (g, h) = (self.sums.g as f64, self.sums.h as f64);
            let gain = |lg: i64, lh: i64| split_gain(lg as f64, lh as f64, g, h, l2);
            for missing_left in [false, true] {
                match sums.packed() {
                    _ if missing_left && !with_missing => {}
                    Some(words) if counts.is_none() && bins < SCANNED => {
                        self.scan_packed(words, missing_left, with_missing, l2, &mut best);
                    }
                    _ => self.scan(sums, counts, missing_left, with_missing, gain, &mut best),
                }
            }
        } else {
            let gain = |lg: i64, lh: i64| self.general(lg, lh, self.penalty.l2, monotone);
            self.scan(sums, counts, false, with_missing, gain, &mut best);
            if with_missing {
                self.scan(sums, counts, true, with_missing, gain, &mut best);
            }
        }
        let gain = best.gain * unit - self.own_gain(self.penalty.l2);
        (gain > self.penalty.gamma && gain > 0.0).then_some(BoostSplit {
            column,
            gain,
            left: LeftBins::UpTo(best.bin),
            missing_left: with_missing.then_some(best.missing_left),
            sums: best.sums,
            certain: best.certain,
            tie: cuts.get(best.bin).copied().unwrap_or(f64::INFINITY),
        })
    }

    /// The decrease of the objective by two children, with bounds and a monotonic constraint.
    fn general(&self, lg: i64, lh: i64, l2: f64, monotone: i8) -> f64 {
        let ((gl, hl), (gr, hr)) = (self.to_real(lg, lh), self.to_real(self.sums.g - lg, self.sums.h - lh));
        if self.monotone.is_empty() {
            return self.penalty.best(gl, hl, l2) + self.penalty.best(gr, hr, l2);
        }
        let (vl, vr) = (self.penalty.value(gl, hl, l2, self.bounds), self.penalty.value(gr, hr, l2, self.bounds));
        if (monotone > 0 && vl > vr) || (monotone < 0 && vl < vr) {
            return f64::NEG_INFINITY;
        }
        self.penalty.gain(gl, hl, l2, vl) + self.penalty.gain(gr, hr, l2, vr)
    }

    /// Tries all thresholds with missing values on one side.
    #[inline(always)]
    fn scan<S: BinSequence>(
        &self,
        sums: S,
        counts: Option<&[u64]>,
        missing_left: bool,
        with_missing: bool,
        gain: impl Fn(i64, i64) -> f64,
        best: &mut BestBin,
    ) {
        let bins = sums.len() - 1;
        let least = self.least_curvature();
        let (mut lg, mut lh) = if missing_left { sums.at(bins) } else { (0, 0) };
        let mut count = counts.map(|c| if missing_left { c[bins] } else { 0 });
        // Missing values alone on the right are a split too.
        let last = if with_missing && !missing_left { bins } else { bins.saturating_sub(1) };
        for bin in 0..last {
            let (g, h) = sums.at(bin);
            (lg, lh) = (lg + g, lh + h);
            if let (Some(count), Some(counts)) = (&mut count, counts) {
                *count += counts[bin];
            }
            let rh = self.sums.h - lh;
            if rh < least {
                break;
            }
            if lh < least || (g == 0 && h == 0) {
                continue;
            }
            let value = gain(lg, lh);
            if value > best.gain
                && let Some(certain) = self.enough(lh, rh, count)
            {
                *best = BestBin { gain: value, bin, missing_left, sums: (lg, lh), certain };
            }
        }
    }

    /// Tries one threshold, with missing values on either side where there are any.
    fn scan_one<S: BinSequence>(
        &self,
        bin: usize,
        sums: S,
        counts: Option<&[u64]>,
        with_missing: bool,
        gain: impl Fn(i64, i64) -> f64,
        best: &mut BestBin,
    ) {
        let missing = sums.len() - 1;
        let least = self.least_curvature();
        let below = (0..=bin).map(|b| sums.at(b)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        let counted = counts.map(|c| (c[..=bin].iter().sum::<u64>(), c[missing]));
        for missing_left in [false, true].into_iter().take(if with_missing { 2 } else { 1 }) {
            let (g, h) = if missing_left { sums.at(missing) } else { (0, 0) };
            let (lg, lh) = (below.0 + g, below.1 + h);
            let rh = self.sums.h - lh;
            if lh < least || rh < least {
                continue;
            }
            let value = gain(lg, lh);
            let count = counted.map(|(below, of_missing)| below + if missing_left { of_missing } else { 0 });
            if value > best.gain
                && let Some(certain) = self.enough(lh, rh, count)
            {
                *best = BestBin { gain: value, bin, missing_left, sums: (lg, lh), certain };
            }
        }
    }

    /// [`Asking::scan`] for packed sums without constraints, whose gains are worked out many at a time.
    fn scan_packed(&self, words: &[u64], missing_left: bool, with_missing: bool, l2: f64, best: &mut BestBin) {
        let bins = words.len() - 1;
        let least = self.least_curvature();
        let before = if missing_left { words[bins] } else { 0 };
        let last = if with_missing && !missing_left { bins } else { bins.saturating_sub(1) };
        let (mut sums, mut gains) = ([0u64; SCANNED], [0.0; SCANNED]);
        let (sums, gains) = (&mut sums[..last], &mut gains[..last]);
        threshold_gains(&words[..last], before, (self.sums.g, self.sums.h), l2, sums, gains);
        for bin in 0..last {
            if gains[bin] > best.gain && words[bin] != 0 {
                let (lg, lh) = unpack(sums[bin]);
                let rh = self.sums.h - lh;
                if lh >= least
                    && rh >= least
                    && let Some(certain) = self.enough(lh, rh, None)
                {
                    *best = BestBin { gain: gains[bin], bin, missing_left, sums: (lg, lh), certain };
                }
            }
        }
    }

    fn categories<S: BinSequence>(
        &self,
        column: usize,
        sums: S,
        counts: Option<&[u64]>,
        rest: Option<usize>,
    ) -> Option<BoostSplit> {
        let bins = sums.len() - 1;
        let p = self.penalty;
        let least = self.least_curvature();
        let used: Vec<usize> = (0..=bins).filter(|&b| sums.at(b) != (0, 0)).collect();
        if used.len() < 2 {
            return None;
        }
        // Gain, bins that go left, their sums, whether they are sorted.
        #[allow(clippy::type_complexity)]
        let mut best: Option<(f64, Vec<usize>, (i64, i64), bool)> = None;
        let mut consider = |set: &[usize], (lg, lh): (i64, i64), l2: f64, base: f64| {
            if lh < least || self.sums.h - lh < least {
                return;
            }
            let gain = self.general(lg, lh, l2, 0) - base;
            let count = counts.map(|c| set.iter().map(|&b| c[b]).sum());
            if best.as_ref().is_none_or(|b| gain > b.0)
                && let Some(certain) = self.enough(lh, self.sums.h - lh, count)
            {
                best = Some((gain, set.to_vec(), (lg, lh), certain));
            }
        };
        if used.len() <= p.max_cat_to_onehot {
            let base = self.own_gain(p.l2);
            used.iter().for_each(|&b| consider(&[b], sums.at(b), p.l2, base));
        } else {
            let (l2, base) = (p.l2 + p.cat_l2, self.own_gain(p.l2));
            let chosen = self.random.map(|of| {
                let mut sets = 0;
                self.ordered_sets(sums, &used, |_, _| sets += 1);
                stream_of(of, column).below(sets.max(1))
            });
            let mut at = 0;
            self.ordered_sets(sums, &used, |set, left| {
                if chosen.is_none_or(|only| only == at) {
                    consider(set, left, l2, base);
                }
                at += 1;
            });
        }
        let (gain, set, mut left_sums, certain) = best?;
        if !(gain > p.gamma && gain > 0.0) {
            return None;
        }
        let mut left = vec![false; bins + 1];
        set.iter().for_each(|&b| left[b] = true);
        // Categories that share a bin always go right, so that no node has to list them.
        if rest.is_some_and(|rest| left[rest]) {
            left.iter_mut().for_each(|l| *l = !*l);
            left_sums = (self.sums.g - left_sums.0, self.sums.h - left_sums.1);
        }
        let missing_left = (sums.at(bins) != (0, 0)).then_some(left[bins]);
        Some(BoostSplit {
            column,
            gain,
            left: LeftBins::Set(left),
            missing_left,
            sums: left_sums,
            certain,
            tie: f64::NEG_INFINITY,
        })
    }

    /// Hands the beginnings of the bins, in the order of their mean gradients and backwards, to `consider`, with their sums.
    fn ordered_sets<S: BinSequence>(&self, sums: S, used: &[usize], mut consider: impl FnMut(&[usize], (i64, i64))) {
        let p = self.penalty;
        // How often the rows of a bin count, estimated from the curvatures.
        let share = self.sums.count as f64 / self.sums.h.max(1) as f64;
        let about = |h: i64| h as f64 * share;
        let mean = |&b: &usize| {
            let (g, h) = sums.at(b);
            let (g, h) = self.to_real(g, h);
            (g / (h + p.cat_smooth), b)
        };
        let mut order: Vec<(f64, usize)> = used.iter().filter(|&&b| about(sums.at(b).1) >= p.cat_smooth).map(mean).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let most = p.max_cat_threshold.min(order.len().div_ceil(2));
        for backwards in [false, true] {
            let (mut set, mut lg, mut lh, mut group) = (Vec::new(), 0, 0, 0.0);
            for k in 0..most {
                let bin = order[if backwards { order.len() - 1 - k } else { k }].1;
                let (g, h) = sums.at(bin);
                (lg, lh) = (lg + g, lh + h);
                set.push(bin);
                group += about(h);
                if about(self.sums.h - lh) < p.min_group {
                    break;
                }
                // Categories are grouped until their rows are enough.
                if group < p.min_group {
                    continue;
                }
                group = 0.0;
                consider(&set, (lg, lh));
            }
        }
    }
}

/// The random draw of a column in a node. It depends on neither the order of columns nor the number of threads.
fn stream_of((seed, path): (u64, u64), column: usize) -> RngStream {
    RngStream::new(seed, "boosting thresholds", path ^ (column as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// A bin after which a node splits a column of numbers: any but the last of those in which it has rows.
fn random_bin<S: BinSequence>(of: (u64, u64), column: usize, sums: S) -> Option<usize> {
    let bins = sums.len() - 1;
    let first = (0..bins).find(|&b| sums.at(b) != (0, 0))?;
    let last = (first..bins).rev().find(|&b| sums.at(b) != (0, 0))?;
    // Where all numbers share a bin, missing values can still be told from them.
    let draws = (last - first).max(1);
    Some(first + stream_of(of, column).below(draws))
}

/// The better of two splits: more gain; of equal ones the lower threshold, then the first.
pub(super) fn better(a: Option<BoostSplit>, b: Option<BoostSplit>) -> Option<BoostSplit> {
    match (&a, &b) {
        (Some(x), Some(y)) if y.gain > x.gain || (y.gain == x.gain && y.tie < x.tie) => b,
        (None, _) => b,
        _ => a,
    }
}
