//! The gain of a test, and the choice among tests.

use ermine_core::parallel::prelude::*;

use super::super::split::between;
use super::columns::{MISSING, RankedColumn};
use super::grow::{C45Data, FractionalRow};

/// A row whole, in steps of the grid on which the shares of rows are kept.
pub(super) const WHOLE: u32 = 1 << 30;

/// Below this a gain, in bits or as a Gini index, is rounding.
const NOTHING: f64 = 1e-12;

/// Shares of rows of unknown value that one test may make; a test on categories that would make more is passed over.
const SPREAD: usize = 1 << 24;

/// The criterion of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum C45Criterion {
    Gain,
    GainRatio,
    Gini,
}

impl C45Criterion {
    /// The impurity of class weights that sum to `total`: entropy in bits, or the Gini index.
    pub fn impurity(self, weights: &[i128], total: i128) -> f64 {
        if total <= 0 {
            return 0.0;
        }
        let total = total as f64;
        let shares = weights.iter().filter(|&&w| w > 0).map(|&w| w as f64 / total);
        match self {
            Self::Gini => 1.0 - shares.map(|p| p * p).sum::<f64>(),
            _ => -shares.map(|p| p * p.log2()).sum::<f64>(),
        }
    }
}

/// The test of a node.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum C45Test {
    /// Values up to the threshold go to the first branch, others to the second.
    Number { column: usize, threshold: f64 },
    /// A branch for each of these categories, ascending.
    Categories { column: usize, codes: Vec<u32> },
}

impl C45Test {
    pub fn column(&self) -> usize {
        match self {
            Self::Number { column, .. } | Self::Categories { column, .. } => *column,
        }
    }
}

/// A test with what it gains.
#[derive(Debug, Clone)]
pub(super) struct ScoredTest {
    pub test: C45Test,
    /// The decrease of the impurity, times the share of the rows with a known value.
    pub gain: f64,
    /// The entropy of the branches, with the rows of unknown value as one more (Quinlan).
    pub split_info: f64,
}

/// The best test of each column, if it has one.
pub(super) fn candidates(
    rows: &C45Data<'_>,
    entries: &[FractionalRow],
    criterion: C45Criterion,
    least: i128,
) -> Vec<Option<ScoredTest>> {
    (0..rows.columns.len()).into_par_iter().map(|j| best_of_column(rows, entries, j, criterion, least)).collect()
}

/// The test to take. For the gain ratio only tests that gain at least the average count, since a ratio of two small numbers
/// is unstable (Quinlan 1993, section 2.2.3). Of equals the first column wins.
pub(super) fn choose(scored: Vec<Option<ScoredTest>>, criterion: C45Criterion) -> Option<ScoredTest> {
    let scored: Vec<ScoredTest> = scored.into_iter().flatten().collect();
    let average = scored.iter().map(|f| f.gain).sum::<f64>() / scored.len().max(1) as f64;
    // The average of equal gains may come out a bit above them.
    let enough = average * (1.0 - 1e-12);
    let score = |f: &ScoredTest| if criterion == C45Criterion::GainRatio { f.gain / f.split_info } else { f.gain };
    scored.into_iter().filter(|f| criterion != C45Criterion::GainRatio || f.gain >= enough).fold(None, |best, f| match best {
        Some(b) if score(&f) <= score(&b) => Some(b),
        _ => Some(f),
    })
}

/// The class weights of the rows of one value.
struct ValueGroup {
    rank: u32,
    weights: Vec<i128>,
    total: i128,
}

fn best_of_column(
    rows: &C45Data<'_>,
    entries: &[FractionalRow],
    j: usize,
    criterion: C45Criterion,
    least: i128,
) -> Option<ScoredTest> {
    let column = &rows.columns[j];
    let mut order: Vec<(u32, u32)> = Vec::with_capacity(entries.len());
    let (mut all, mut unknown) = (0i128, 0i128);
    for (k, e) in entries.iter().enumerate() {
        let w = rows.weight(e);
        all += w;
        match column.rank[e.row as usize] {
            MISSING => unknown += w,
            rank => order.push((rank, k as u32)),
        }
    }
    order.sort_unstable();
    if order.first().map(|o| o.0) == order.last().map(|o| o.0) {
        return None;
    }
    let runs = SortedValues { rows, entries, order: &order };
    let mut whole = vec![0i128; rows.classes];
    order.iter().for_each(|&(_, k)| rows.add(&entries[k as usize], &mut whole));
    let known = all - unknown;
    let before = criterion.impurity(&whole, known);
    let rho = known as f64 / all as f64;
    let (test, after, mut split_info) = match column.categories {
        Some(_) => categories(j, runs, criterion, known, all, least, entries.len() - order.len())?,
        None => number(j, column, &runs, criterion, &whole, known, all, least)?,
    };
    split_info += part(unknown, all);
    let gain = rho * (before - after);
    (gain > NOTHING && split_info > 0.0).then_some(ScoredTest { test, gain, split_info })
}

/// A term of the entropy of the branches.
fn part(weight: i128, all: i128) -> f64 {
    if weight <= 0 {
        return 0.0;
    }
    let share = weight as f64 / all as f64;
    -share * share.log2()
}

/// The values of a column in a node, in ascending order.
struct SortedValues<'a> {
    rows: &'a C45Data<'a>,
    entries: &'a [FractionalRow],
    order: &'a [(u32, u32)],
}

impl Iterator for SortedValues<'_> {
    type Item = ValueGroup;
    fn next(&mut self) -> Option<ValueGroup> {
        let &(rank, _) = self.order.first()?;
        let end = self.order.iter().position(|o| o.0 != rank).unwrap_or(self.order.len());
        let (here, rest) = self.order.split_at(end);
        self.order = rest;
        let mut weights = vec![0; self.rows.classes];
        here.iter().for_each(|&(_, k)| self.rows.add(&self.entries[k as usize], &mut weights));
        let total = weights.iter().sum();
        Some(ValueGroup { rank, weights, total })
    }
}

/// A branch for each category; at least two of them must be large enough.
fn categories(
    j: usize,
    runs: SortedValues<'_>,
    criterion: C45Criterion,
    known: i128,
    all: i128,
    least: i128,
    unknown: usize,
) -> Option<(C45Test, f64, f64)> {
    let (mut after, mut split_info, mut large) = (0.0, 0.0, 0);
    let mut codes = Vec::new();
    for run in runs {
        after += run.total as f64 / known as f64 * criterion.impurity(&run.weights, run.total);
        split_info += part(run.total, all);
        large += usize::from(run.total >= least);
        codes.push(run.rank);
    }
    // Each row of unknown value goes down every branch.
    let affordable = unknown.saturating_mul(codes.len()) <= SPREAD;
    (large >= 2 && affordable).then_some((C45Test::Categories { column: j, codes }, after, split_info))
}

/// The threshold that leaves the least impurity; both sides must be large enough.
#[allow(clippy::too_many_arguments)]
fn number(
    j: usize,
    column: &RankedColumn,
    runs: &SortedValues<'_>,
    criterion: C45Criterion,
    whole: &[i128],
    known: i128,
    all: i128,
    least: i128,
) -> Option<(C45Test, f64, f64)> {
    let mut left = vec![0i128; whole.len()];
    let mut right = whole.to_vec();
    let mut below = 0i128;
    let mut best: Option<(f64, u32, u32, i128)> = None;
    let mut last = runs.order.first()?.0;
    for &(rank, k) in runs.order {
        if rank != last {
            if below >= least && known - below >= least {
                let after = below as f64 / known as f64 * criterion.impurity(&left, below)
                    + (known - below) as f64 / known as f64 * criterion.impurity(&right, known - below);
                // Less by rounding is not less.
                if best.is_none_or(|b| after < b.0 - NOTHING) {
                    best = Some((after, last, rank, below));
                }
            }
            last = rank;
        }
        let entry = &runs.entries[k as usize];
        let (class, weight) = (runs.rows.codes[entry.row as usize] as usize, runs.rows.weight(entry));
        left[class] += weight;
        right[class] -= weight;
        below += weight;
    }
    let (after, low, high, below) = best?;
    let threshold = between(column.values[low as usize], column.values[high as usize]);
    Some((C45Test::Number { column: j, threshold }, after, part(below, all) + part(known - below, all)))
}
