//! The rounds: gradients, trees, scores, stopping.

use std::ops::Range;

use ermine_core::parallel::prelude::*;
use ermine_core::{Context, Error, Progress, Result, RngStream, Trace};
use ermine_math::bins::{PartitionedRows, pack};

use super::data::BinnedRows;
use super::grow::{BoostContext, GrownNodes, HistogramPool, TreeJob, TreeOptions};
use super::objective::{Objective, ScoreBlock};
use super::split::GradientQuantizer;
use crate::tree::ensemble::Trees;

/// Rows of a block: sketches of columns and sums of losses are merged over blocks in a fixed tree. Larger than usual, since
/// sketches are cheaper to make than to merge.
pub(super) const BLOCK: usize = 4 * ermine_core::BLOCK_ROWS;

/// Whole weights up to here are multiplied in whole numbers, so that weight 2 is exactly the row twice.
const WHOLE: f64 = 4096.0;

/// How rows are drawn in a round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum RowSampling {
    All,
    /// Each row with this probability.
    Share(f64),
    /// The share of rows with the greatest gradients, and this share of all drawn from the others, whose weight makes up for
    /// those left out (GOSS).
    Goss(f64, f64),
}

/// When to stop before the last round.
#[derive(Debug, Clone, Copy)]
pub(super) struct EarlyStopRule {
    pub rounds: usize,
    pub tol: f64,
}

/// How gradients become whole numbers, as far as the weights decide it.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct QuantizerRange {
    /// The greatest whole number of a row that counts once.
    pub most: f64,
    /// How often rows may count before packed sums could overflow.
    pub room: u64,
    /// Whether whole numbers are multiplied by whole weights; else weights are multiplied before rounding.
    pub whole: bool,
    /// The greatest weight of a row.
    pub largest: f64,
}

impl QuantizerRange {
    /// `count` is how often the rows count in all.
    pub fn new(count: u64, whole: bool, largest: f64) -> Self {
        let whole = whole && largest <= WHOLE;
        // 31 bits for the sum over all rows, but never fewer than 15 for a row.
        let most = ((i32::MAX as u64) / count.max(1)).clamp(1 << 15, 1 << 28);
        Self { most: most as f64, room: i32::MAX as u64 / most, whole, largest: if whole { largest } else { 1.0 } }
    }

    /// The units for gradients and curvatures up to these bounds: powers of two, so that what is on the grid stays exact.
    pub fn grid(&self, gradient: f64, curvature: f64) -> GradientQuantizer {
        let unit = |bound: f64| {
            if bound > 0.0 { 2f64.powi(((bound / self.most).log2().ceil() as i32).clamp(-1020, 1020)) } else { 1.0 }
        };
        let (gradient, h) = (unit(gradient), unit(curvature));
        GradientQuantizer { gradient, curvature: h, most: ((curvature / h).round() as i64).max(1) }
    }

    /// The word of a row, given the reciprocals of the units.
    #[inline(always)]
    pub fn word(&self, (per_gradient, per_curvature): (f64, f64), g: f64, h: f64, weight: f64) -> u64 {
        let (g, h) = (g * per_gradient, h * per_curvature);
        if self.whole {
            let weight = weight as i32;
            pack(nearest(g) * weight, (nearest(h) * weight) as u32)
        } else {
            pack(nearest(g * weight), nearest(h * weight) as u32)
        }
    }

    /// The rows of a block that cannot overflow.
    pub fn block(&self) -> usize {
        ((self.room as f64 / self.largest) as usize).max(1)
    }
}

/// The nearest whole number, ties to even, for magnitudes below 2³¹: after the addition it is in the lowest bits. No call
/// and no branch, so that rows become vector lanes.
#[inline(always)]
fn nearest(v: f64) -> i32 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
    (v + SHIFT).to_bits() as u32 as i32
}

/// Rows that are watched but not learned from.
pub(super) struct ValidationRows<'a> {
    pub rows: BinnedRows<'a>,
    pub scores: Vec<f64>,
}

/// A running fit.
pub(super) struct BoostingEngine<'a> {
    pub rows: BinnedRows<'a>,
    pub objective: &'a dyn Objective,
    pub shape: TreeOptions,
    pub sampling: RowSampling,
    pub scale: QuantizerRange,
    pub rounds: usize,
    pub patience: Option<EarlyStopRule>,
    /// Whether the model to continue had ended (by early stopping, say): a further fit then adds at least one round.
    pub finished: bool,
    pub validation: Option<ValidationRows<'a>>,
    /// `outputs` runs of one score per row.
    pub scores: Vec<f64>,
    pub trees: Trees,
    pub trace: Trace,
    pub spare: HistogramPool,
}

/// How the rounds ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum BoostStop {
    Rounds,
    Patience,
    Deadline,
}

/// A sum in the shape in which passes merge their parts.
pub(super) fn tree_sum(parts: &[f64]) -> f64 {
    match parts {
        [] => 0.0,
        [one] => *one,
        _ => {
            let (a, b) = parts.split_at(parts.len().next_power_of_two() / 2);
            tree_sum(a) + tree_sum(b)
        }
    }
}

/// A block of rows and its scores, copied so that the outputs lie together.
pub(super) fn with_block<R>(
    rows: &BinnedRows<'_>,
    scores: &[f64],
    outputs: usize,
    range: Range<usize>,
    f: impl FnOnce(&ScoreBlock<'_>) -> R,
) -> R {
    let n = rows.len();
    let together: Vec<f64>;
    let scores = if outputs == 1 {
        &scores[range.clone()]
    } else {
        together = (0..outputs).flat_map(|k| scores[k * n + range.start..k * n + range.end].iter().copied()).collect();
        &together
    };
    let part = |all: &Vec<f64>| all[range.clone()].to_vec();
    let weight = rows.weight.as_ref().map(part).unwrap_or_default();
    let y = if rows.y.is_empty() { &[][..] } else { &rows.y[range.clone()] };
    let codes = if rows.codes.is_empty() { &[][..] } else { &rows.codes[range.clone()] };
    f(&ScoreBlock { scores, y, codes, weight: &weight })
}

/// Derivatives of a block and its loss; one that is not finite is an error.
pub(super) fn derivatives(objective: &dyn Objective, block: &ScoreBlock<'_>, first: usize) -> Result<(Vec<f64>, Vec<f64>, f64)> {
    let n = block.scores.len();
    let (mut g, mut h) = (vec![0.0; n], vec![0.0; n]);
    let loss = objective.evaluate(block, &mut g, &mut h);
    let bad = |g: f64, h: f64| !(g.is_finite() && h.is_finite() && h >= 0.0);
    if g.iter().zip(&h).fold(false, |any, (&g, &h)| any | bad(g, h)) {
        let at = (0..n).find(|&i| bad(g[i], h[i])).unwrap_or(0);
        let row = first + at % block.rows().max(1);
        return Err(Error::Row {
            place: "loss".into(),
            row,
            message: format!("derivatives {} and {} at score {}; lower learning_rate", g[at], h[at], block.scores[at]),
        });
    }
    Ok((g, h, loss))
}

/// The mean loss of rows with these scores.
pub(super) fn mean_loss(objective: &dyn Objective, rows: &BinnedRows<'_>, scores: &[f64]) -> Result<f64> {
    let n = rows.len();
    let one = |b: usize| -> Result<f64> {
        let range = b * BLOCK..((b + 1) * BLOCK).min(n);
        with_block(rows, scores, objective.outputs(), range, |block| Ok(derivatives(objective, block, b * BLOCK)?.2))
    };
    let losses = (0..n.div_ceil(BLOCK)).into_par_iter().map(one).collect::<Result<Vec<f64>>>()?;
    let weight =
        rows.weight.as_ref().map_or(n as f64, |w| tree_sum(&w.chunks(BLOCK).map(|c| c.iter().sum()).collect::<Vec<f64>>()));
    Ok(tree_sum(&losses) / weight)
}

impl BoostingEngine<'_> {
    /// Rounds that the trees so far make up.
    fn done(&self) -> usize {
        self.trees.n_trees() / self.objective.outputs()
    }

    /// Adds rounds until there are enough.
    pub fn run(&mut self, cx: &Context<'_>, mut each: impl FnMut(&Trees, &Trace) -> Result<()>) -> Result<BoostStop> {
        let outputs = self.objective.outputs();
        let mut sets = PartitionedRows::all(self.rows.len());
        let mut words = vec![0u64; outputs * self.rows.len()];
        // A model whose loss had stopped falling resumes without patience.
        let at_the_end = self.finished;
        if let Some(end) = self.already_complete() {
            return Ok(end);
        }
        loop {
            let (round, rounds) = (self.done(), self.rounds as u64);
            let stage = |objective| Progress { stage: "boosting", done: round as u64, total: Some(rounds), objective };
            cx.report(stage(None))?;
            let (grid, loss) = self.gradients(&mut words)?;
            self.note(round, loss)?;
            if round > 0 {
                each(&self.trees, &self.trace)?;
            }
            cx.report(stage(Some(loss)))?;
            let asked_again = std::mem::take(&mut self.finished);
            if self.early_stop(at_the_end) && !asked_again {
                return Ok(BoostStop::Patience);
            }
            if round >= self.rounds {
                return Ok(BoostStop::Rounds);
            }
            if cx.deadline_passed() {
                return Ok(BoostStop::Deadline);
            }
            self.round(&mut words, grid, &mut sets)?;
        }
    }

    /// Whether a model to continue has all its rounds already.
    fn already_complete(&self) -> Option<BoostStop> {
        let known = self.trace.rows.len();
        (known > self.done() && self.done() >= self.rounds).then_some(BoostStop::Rounds)
    }

    /// Writes the loss after `round` rounds into the trace.
    fn note(&mut self, round: usize, loss: f64) -> Result<()> {
        let mut row = vec![round as f64, loss];
        if let Some(watched) = &self.validation {
            row.push(mean_loss(self.objective, &watched.rows, &watched.scores)?);
        }
        self.trace.rows.truncate(round);
        self.trace.push(&row);
        Ok(())
    }

    /// Whether the loss of the watched rows has not fallen for too long: the best of the last rounds is not better, by `tol`,
    /// than what was there before them; `at_the_end`, the last round is not better than all before it.
    fn early_stop(&self, at_the_end: bool) -> bool {
        let (Some(patience), rows) = (self.patience, &self.trace.rows) else { return false };
        let column = self.trace.columns.len() - 1;
        if rows.len() <= patience.rounds {
            return false;
        }
        let at = rows.len() - patience.rounds - 1;
        if at_the_end {
            let (earlier, last) = rows.split_at(rows.len() - 1);
            let best = earlier.iter().map(|r| r[column]).fold(f64::INFINITY, f64::min);
            return last[0][column] >= best - patience.tol;
        }
        let before = rows[at][column] - patience.tol;
        rows[at + 1..].iter().all(|r| r[column] >= before)
    }

    /// Drops the rounds after the first of lowest loss on the rows that are watched, where there are any.
    pub fn drop_rounds_after_best(&mut self) {
        if self.validation.is_none() {
            return;
        }
        let column = self.trace.columns.len() - 1;
        let losses = self.trace.rows.iter().map(|r| r[column]);
        if let Some((round, _)) = losses.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)) {
            self.trees.truncate(round * self.objective.outputs());
            self.trace.rows.truncate(round + 1);
        }
    }

    /// Gradients of all rows as words on a grid, and the mean loss.
    fn gradients(&self, words: &mut [u64]) -> Result<(GradientQuantizer, f64)> {
        let (n, outputs, objective) = (self.rows.len(), self.objective.outputs(), self.objective);
        let weights = self.rows.weight.as_deref();
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        let blocks = n.div_ceil(BLOCK);
        let range = |b: usize| b * BLOCK..((b + 1) * BLOCK).min(n);
        // Weights that are not multiplied in whole numbers belong to the gradient, and so to its bound.
        let factor = |i: usize| if self.scale.whole { 1.0 } else { weight(i) };
        let amplified = match self.sampling {
            RowSampling::Goss(top, other) => (1.0 - top) / other,
            _ => 1.0,
        };
        let bounds = match (objective.bounds(), self.scale.whole) {
            (Some(bounds), true) => bounds,
            _ => {
                let one = |b: usize| -> Result<(f64, f64)> {
                    with_block(&self.rows, &self.scores, outputs, range(b), |block| {
                        let (g, h, _) = derivatives(objective, block, b * BLOCK)?;
                        let rows = block.rows();
                        let most = |values: &[f64]| {
                            values.iter().enumerate().map(|(i, v)| v.abs() * factor(b * BLOCK + i % rows)).fold(0.0, f64::max)
                        };
                        Ok((most(&g), most(&h)))
                    })
                };
                let block_bounds = (0..blocks).into_par_iter().map(one).collect::<Result<Vec<_>>>()?;
                block_bounds.into_iter().fold((0.0f64, 0.0f64), |a, b| (a.0.max(b.0), a.1.max(b.1)))
            }
        };
        let grid = self.scale.grid(bounds.0 * amplified, bounds.1 * amplified);
        let per = (1.0 / grid.gradient, 1.0 / grid.curvature);
        let mut parts: Vec<Vec<&mut [u64]>> = (0..blocks).map(|_| Vec::with_capacity(outputs)).collect();
        for words in words.chunks_mut(n.max(1)) {
            words.chunks_mut(BLOCK).enumerate().for_each(|(b, part)| parts[b].push(part));
        }
        let one = |(b, parts): (usize, Vec<&mut [u64]>)| -> Result<f64> {
            with_block(&self.rows, &self.scores, outputs, range(b), |block| {
                let (g, h, loss) = derivatives(objective, block, b * BLOCK)?;
                let rows = block.rows();
                for (k, part) in parts.into_iter().enumerate() {
                    for (i, word) in part.iter_mut().enumerate() {
                        *word = self.scale.word(per, g[k * rows + i], h[k * rows + i], weight(b * BLOCK + i));
                    }
                }
                Ok(loss)
            })
        };
        let losses = parts.into_par_iter().enumerate().map(one).collect::<Result<Vec<f64>>>()?;
        let total = weights.map_or(n as f64, |w| tree_sum(&w.chunks(BLOCK).map(|c| c.iter().sum()).collect::<Vec<f64>>()));
        Ok((grid, tree_sum(&losses) / total))
    }

    /// One round: a tree for each output.
    fn round(&mut self, words: &mut [u64], grid: GradientQuantizer, sets: &mut PartitionedRows) -> Result<()> {
        let (n, outputs) = (self.rows.len(), self.objective.outputs());
        let round = self.done() as u64;
        let drawn = self.draw(words, round);
        let left_out: Vec<u32> = match &drawn {
            None => Vec::new(),
            Some(drawn) => {
                let mut taken = vec![false; n];
                drawn.iter().for_each(|&r| taken[r as usize] = true);
                (0..n as u32).filter(|&r| !taken[r as usize]).collect()
            }
        };
        for k in 0..outputs {
            match &drawn {
                None => sets.reset(),
                Some(drawn) => *sets = PartitionedRows::of(drawn.clone(), n),
            }
            let tree = self.trees.n_trees() as u64;
            let ground = BoostContext::new(&self.rows.bins, self.rows.counts.as_deref(), &self.shape, &self.spare);
            let task =
                TreeJob { words: &words[k * n..(k + 1) * n], grid, room: self.scale.room, block: self.scale.block(), tree };
            let (growth, ranges) = ground.grow(&task, sets)?;
            let scores = &mut self.scores[k * n..(k + 1) * n];
            let mut values: Vec<f64> = growth.nodes.iter().map(|b| self.shape.rate * b.value(&self.shape, &grid)).collect();
            if let Some(q) = self.objective.leaf_quantile() {
                refit(&growth, &ranges, sets, &self.rows, scores, q, self.shape.rate, &mut values);
            }
            let leaves = |ranges: &[Range<usize>]| -> Vec<(Range<usize>, f64)> {
                let leaf = |i: &usize| growth.children[*i].is_none();
                (0..growth.nodes.len()).filter(leaf).map(|i| (ranges[i].clone(), values[i])).collect()
            };
            sets.add(&leaves(&ranges), scores);
            if !left_out.is_empty() {
                let mut others = PartitionedRows::of(left_out.clone(), n);
                let ranges = replay(&growth, &self.rows, &mut others);
                others.add(&leaves(&ranges), scores);
            }
            if let Some(watched) = &mut self.validation {
                let m = watched.rows.len();
                let mut all = PartitionedRows::all(m);
                let ranges = replay(&growth, &watched.rows, &mut all);
                all.add(&leaves(&ranges), &mut watched.scores[k * m..(k + 1) * m]);
            }
            self.trees.push(&growth.nodes(self.rows.bins.columns(), &values));
        }
        Ok(())
    }

    /// The rows of a round, ascending; none for all. Gradients of rows that stand for others are multiplied.
    fn draw(&self, words: &mut [u64], round: u64) -> Option<Vec<u32>> {
        let n = self.rows.len();
        let uniform = |b: usize| RngStream::new(self.shape.seed, "boosting rows", round << 24 | b as u64);
        match self.sampling {
            RowSampling::All => None,
            RowSampling::Share(share) => {
                let block = |b: usize| {
                    let mut s = uniform(b);
                    let rows = b * BLOCK..((b + 1) * BLOCK).min(n);
                    rows.filter(|_| s.uniform() < share).map(|r| r as u32).collect::<Vec<_>>()
                };
                let rows: Vec<u32> = (0..n.div_ceil(BLOCK)).into_par_iter().flat_map_iter(block).collect();
                // Chance may leave nothing of few rows.
                Some(if rows.is_empty() { vec![0] } else { rows })
            }
            RowSampling::Goss(top, other) => {
                let outputs = self.objective.outputs();
                let size: Vec<u64> = (0..n)
                    .into_par_iter()
                    .map(|i| {
                        let of = |k: usize| {
                            let (g, h) = ermine_math::bins::unpack(words[k * n + i]);
                            g.unsigned_abs() * (h as u64).max(1)
                        };
                        (0..outputs).map(of).fold(0, u64::saturating_add)
                    })
                    .collect();
                let keep = ((top * n as f64) as usize).clamp(1, n);
                let mut sorted = size.clone();
                let (_, &mut least, _) = sorted.select_nth_unstable(n - keep);
                let factor = (1.0 - top) / other;
                let chance = other / (1.0 - top);
                let mut rows = Vec::new();
                for b in 0..n.div_ceil(BLOCK) {
                    let mut s = uniform(b);
                    for i in b * BLOCK..((b + 1) * BLOCK).min(n) {
                        let lucky = s.uniform() < chance;
                        if size[i] >= least {
                            rows.push(i as u32);
                        } else if lucky {
                            rows.push(i as u32);
                            for k in 0..outputs {
                                let (g, h) = ermine_math::bins::unpack(words[k * n + i]);
                                let (g, h) = (g as f64 * factor, h as f64 * factor);
                                words[k * n + i] = pack(nearest(g), nearest(h) as u32);
                            }
                        }
                    }
                }
                Some(rows)
            }
        }
    }
}

/// Divides other rows by the splits of a tree; the rows of each node.
pub(super) fn replay(growth: &GrownNodes, rows: &BinnedRows<'_>, sets: &mut PartitionedRows) -> Vec<Range<usize>> {
    let mut ranges = vec![0..0; growth.nodes.len()];
    ranges[0] = 0..sets.len();
    // Children come after their parents.
    for i in 0..growth.nodes.len() {
        if let (Some((left, missing_left)), Some(split)) = (growth.children[i], &growth.nodes[i].state.split) {
            let range = ranges[i].clone();
            let table = split.table(rows.bins.columns()[split.column].bins(), missing_left);
            let middle = sets.split(range.clone(), &rows.bins, split.column, &table);
            ranges[left] = range.start..middle;
            ranges[left + 1] = middle..range.end;
        }
    }
    ranges
}

/// Leaves take a quantile of the residuals of their rows.
#[allow(clippy::too_many_arguments)]
fn refit(
    growth: &GrownNodes,
    ranges: &[Range<usize>],
    sets: &PartitionedRows,
    rows: &BinnedRows<'_>,
    scores: &[f64],
    q: f64,
    rate: f64,
    values: &mut [f64],
) {
    let weight = |r: usize| rows.weight.as_ref().map_or(1.0, |w| w[r]);
    let medians: Vec<Option<f64>> = (0..values.len())
        .into_par_iter()
        .map(|i| {
            if growth.children[i].is_some() {
                return None;
            }
            let residual = |&r: &u32| (rows.y[r as usize] - scores[r as usize], weight(r as usize));
            let mut residuals: Vec<(f64, f64)> = sets.rows(ranges[i].clone()).iter().map(residual).collect();
            let bounds = growth.nodes[i].state.bounds;
            Some(rate * weighted_quantile(&mut residuals, q).clamp(bounds.0, bounds.1))
        })
        .collect();
    for (v, median) in values.iter_mut().zip(medians) {
        *v = median.unwrap_or(*v);
    }
}

/// The q-quantile of values with weights: the least value at or below which there is the share q of the weight, and the mean of
/// it and the next where the share is met exactly.
pub(super) fn weighted_quantile(values: &mut [(f64, f64)], q: f64) -> f64 {
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = values.iter().map(|v| v.1).sum();
    let target = q * total;
    let mut sum = 0.0;
    for (k, (v, w)) in values.iter().enumerate() {
        sum += w;
        if sum > target || (sum == target && k + 1 == values.len()) {
            return *v;
        }
        if sum == target {
            return v + (values[k + 1].0 - v) / 2.0;
        }
    }
    values.last().map_or(0.0, |v| v.0)
}
