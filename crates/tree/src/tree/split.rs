//! The best split of a node on one column.

use ermine_core::RngStream;

use super::criterion::{BestCut, SortedEntries, SplitCriterion, SplitLimits, SplitSweep};
use super::sorted::{SortedEntry, TreeColumns};

/// How a split cuts a column.
#[derive(Clone, Debug)]
pub(super) enum SplitRule {
    /// The first entries of the sorted list go left; the threshold, when it was drawn and is not simply between the two
    /// values.
    At(usize, Option<f64>),
    /// Rows of these categories go left.
    Categories(Vec<u32>),
}

/// A split of a node.
#[derive(Clone, Debug)]
pub(super) struct Split {
    /// How good it is; comparable within a node.
    pub gain: f64,
    /// The column.
    pub feature: usize,
    /// Where it is cut.
    pub cut: SplitRule,
    /// Whether missing values go left; meaningful when the node has some.
    pub missing_left: bool,
}

/// One column of a node.
pub(super) struct ColumnCandidate<'a, S> {
    pub feature: usize,
    pub list: SortedEntries<'a, S>,
    pub columns: &'a TreeColumns<'a>,
    /// The row of the data behind a row of the node.
    pub row: &'a (dyn Fn(usize) -> usize + Sync),
}

/// Separates the entries of a list with a value from those without.
pub(super) fn parts<'a, S: SortedEntry>(
    list: &'a [S],
    may_miss: bool,
    value: Option<&'a (dyn Fn(S) -> f64 + Sync)>,
) -> SortedEntries<'a, S> {
    let missing = if may_miss { list.iter().rev().take_while(|e| e.missing()).count() } else { 0 };
    let (present, missing) = list.split_at(list.len() - missing);
    SortedEntries { present, missing, value }
}

impl<'a, S: SortedEntry> ColumnCandidate<'a, S> {
    /// The best split, or the best that can beat `floor`.
    pub fn best<C: SplitCriterion>(
        &self,
        criterion: &C,
        sweep: &mut C::Sweep<'_>,
        limits: &SplitLimits,
        floor: f64,
    ) -> Option<Split> {
        if self.columns.categories[self.feature].is_some() {
            return self.best_categories(criterion.orders(), sweep, limits);
        }
        let BestCut { gain, at, missing_left } = criterion.scan(sweep, &self.list, limits, floor)?;
        Some(Split { gain, feature: self.feature, cut: SplitRule::At(at, None), missing_left })
    }

    /// The best of the splits that put a beginning of an ordered list of categories on the left. Ordered by the mean
    /// response this is the best of all subsets for two classes and for one target (Fisher 1958; Breiman and others
    /// 1984); for more classes each class in turn is set against the rest.
    fn best_categories<W: SplitSweep>(&self, orders: usize, sweep: &mut W, limits: &SplitLimits) -> Option<Split> {
        let runs = self.runs();
        let mut order: Vec<usize> = Vec::with_capacity(runs.len());
        let mut best: Option<(f64, Vec<usize>, bool)> = None;
        // With very many classes and categories only some classes take their turn, so that a node stays affordable.
        const WORK: usize = 1 << 30;
        let affordable = (WORK / (self.list.rows() + runs.len() * orders).max(1)).max(1);
        for o in 0..orders.min(affordable) {
            let keys: Vec<f64> = runs.iter().map(|r| sweep.key(r, o)).collect();
            order.clear();
            order.extend(0..runs.len());
            order.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]));
            let mut of_order: Option<(f64, usize, bool)> = None;
            for missing_left in [false, true] {
                if missing_left && self.list.missing.is_empty() {
                    continue;
                }
                sweep.clear();
                let mut left = 0;
                if missing_left {
                    left = self.list.missing.len();
                    self.list.missing.iter().for_each(|&e| sweep.push(e));
                }
                // All categories against the missing values is a split too.
                let most = if missing_left || self.list.missing.is_empty() { runs.len() - 1 } else { runs.len() };
                for (k, &run) in order[..most].iter().enumerate() {
                    runs[run].iter().for_each(|&e| sweep.push(e));
                    left += runs[run].len();
                    let enough = left >= limits.min_rows && self.list.rows() - left >= limits.min_rows;
                    if enough && limits.allows(sweep) {
                        let gain = sweep.gain();
                        let to_beat = best.as_ref().map_or(f64::NEG_INFINITY, |b| b.0);
                        if gain > to_beat && gain > of_order.map_or(f64::NEG_INFINITY, |b| b.0) {
                            of_order = Some((gain, k + 1, missing_left));
                        }
                    }
                }
            }
            if let Some((gain, k, missing_left)) = of_order {
                best = Some((gain, order[..k].to_vec(), missing_left));
            }
        }
        let (gain, left, missing_left) = best?;
        Some(Split { gain, feature: self.feature, cut: SplitRule::Categories(self.codes(&runs, &left)), missing_left })
    }

    /// The entries of each value.
    fn runs(&self) -> Vec<&'a [S]> {
        let present = self.list.present;
        let starts: Vec<usize> = (0..present.len()).filter(|&i| i == 0 || present[i].starts()).collect();
        let ends = starts.iter().skip(1).copied().chain([present.len()]);
        starts.iter().zip(ends).map(|(&from, to)| &present[from..to]).collect()
    }

    fn codes(&self, runs: &[&[S]], which: &[usize]) -> Vec<u32> {
        let code = |&run: &usize| self.columns.code((self.row)(runs[run][0].id()), self.feature);
        let mut codes: Vec<u32> = which.iter().map(code).collect();
        codes.sort_unstable();
        codes
    }

    /// A split drawn at random: a threshold between least and greatest value, a random set of categories, a random side
    /// for missing values.
    pub fn draw<W: SplitSweep>(&self, sweep: &mut W, limits: &SplitLimits, mut stream: RngStream) -> Option<Split> {
        let present = self.list.present;
        let several = !SortedEntries { missing: &[], ..self.list }.constant();
        let mut missing_left = !self.list.missing.is_empty() && stream.below(2) == 1;
        sweep.clear();
        let mut left = 0;
        let cut = if !several {
            // One value and missing ones: the only possible split.
            missing_left = false;
            present.iter().for_each(|&e| sweep.push(e));
            left = present.len();
            if self.columns.categories[self.feature].is_some() {
                SplitRule::Categories(self.codes(&[present], &[0]))
            } else {
                SplitRule::At(left, None)
            }
        } else if self.columns.categories[self.feature].is_some() {
            let runs = self.runs();
            let mut order = stream.permutation(runs.len());
            order.truncate(1 + stream.below(runs.len() - 1));
            for &run in &order {
                runs[run].iter().for_each(|&e| sweep.push(e));
                left += runs[run].len();
            }
            SplitRule::Categories(self.codes(&runs, &order))
        } else {
            let value = |e: S| self.columns.value((self.row)(e.id()), self.feature);
            let (low, high) = (value(present[0]), value(present[present.len() - 1]));
            let share = stream.uniform();
            let drawn = low * (1.0 - share) + high * share;
            // The lowest value always goes left and the highest right.
            let threshold = if drawn >= low && drawn < high { drawn } else { low };
            left = present.partition_point(|&e| value(e) <= threshold);
            present[..left].iter().for_each(|&e| sweep.push(e));
            SplitRule::At(left, Some(threshold))
        };
        if missing_left {
            self.list.missing.iter().for_each(|&e| sweep.push(e));
            left += self.list.missing.len();
        }
        let enough = left >= limits.min_rows && self.list.rows() - left >= limits.min_rows;
        let gain = if enough && limits.allows(sweep) { sweep.gain() } else { f64::NEG_INFINITY };
        (gain > f64::NEG_INFINITY).then_some(Split { gain, feature: self.feature, cut, missing_left })
    }
}

/// A threshold that separates `low` from the greater `high`: their middle, or `low` if the middle rounds to `high`.
pub(crate) fn between(low: f64, high: f64) -> f64 {
    let sum = low + high;
    let middle = if sum.is_finite() { 0.5 * sum } else { 0.5 * low + 0.5 * high };
    if middle < high { middle.max(low) } else { low }
}
