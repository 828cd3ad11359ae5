//! k-means on rows in memory: passes that keep the labels.

use std::sync::atomic::{AtomicUsize, Ordering};

use ermine_core::*;

use super::bounds::{CenterMoves, GroupBounds};
use super::init::HashSample;
use super::pass::{KMeansPartial, KMeansPhase, KMeansState, add_with_labels};
use super::{KMeans, KMeansModel};

/// [`run_passes`](ermine_core::run_passes) with the labels of the training rows kept, and bounds on their distances
/// where those pay: the same blocks, the same tree, the same bits.
pub(super) fn fit(learner: &KMeans, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<KMeansModel> {
    fit_with(learner, data, cx, GroupBounds::new(data))
}

pub(super) fn fit_with(
    learner: &KMeans,
    data: &DatasetRef<'_>,
    cx: &Context<'_>,
    mut bounds: GroupBounds,
) -> Result<KMeansModel> {
    learner.check()?;
    data.check(&KMeans::SPEC)?;
    let rows = data.rows();
    let block_rows = cx.block_rows.unwrap_or_else(|| learner.block_rows(data.cols())).max(1);
    let mut state = learner.initial_state(&data.row_range(0..rows.min(block_rows)), cx)?;
    if let KMeansPhase::Sample(limit) = &mut state.phase {
        *limit = HashSample::new(learner.range().1, data.cols()).limit_for(rows);
    }
    let mut labels = vec![0u32; rows];
    let mut kept: Option<(u64, Vec<u32>)> = None;
    for pass in 1.. {
        let known = bounds.bounds_for_pass(&state, rows);
        let mut lower = std::mem::take(&mut bounds.lower);
        let lower_bounds = if known.is_some() { &mut lower[..] } else { &mut [] };
        let work = PassBlocks { state: &state, data, cx, block_rows, learner, known: known.as_ref(), compared: &bounds.compared };
        let total = work.reduce(0, rows.div_ceil(block_rows), &mut labels, lower_bounds);
        bounds.lower = lower;
        if let (Some(known), Ok(_)) = (&known, &total) {
            bounds.update_payoff(&state, known, rows);
        }
        let total = match total {
            Err(e @ Error::Deadline(_)) => {
                let model = learner.model_so_far(&state).ok_or(e)?;
                return Ok(match kept {
                    Some((run, labels)) if run == model.run() => model.with_labels(labels),
                    _ => model,
                });
            }
            total => total?,
        };
        let run = state.run;
        match learner.finish(state, total, cx)? {
            // The chosen start is not the one with the last labels.
            PassStep::Done(model) if !model.tried().is_empty() => {
                let labels = model.assign(&data.x)?;
                return Ok(model.with_labels(labels));
            }
            PassStep::Done(model) => {
                let labels = match kept {
                    Some((run, labels)) if run == model.run() => labels,
                    _ => labels,
                };
                return Ok(model.with_labels(labels));
            }
            PassStep::NextPass(next, objective) => {
                if next.run > run && next.best.as_ref().is_some_and(|b| b.run == run) {
                    kept = Some((run, labels.clone()));
                }
                state = next;
                cx.report(Progress { stage: "passes", done: pass, total: None, objective })?;
            }
        }
    }
    unreachable!("passes have an end")
}

/// The blocks of one pass.
struct PassBlocks<'a> {
    state: &'a KMeansState,
    data: &'a DatasetRef<'a>,
    cx: &'a Context<'a>,
    block_rows: usize,
    learner: &'a KMeans,
    known: Option<&'a CenterMoves>,
    compared: &'a AtomicUsize,
}

impl PassBlocks<'_> {
    /// `lower` has the bounds of these rows, where some are known.
    fn reduce(&self, lo: usize, hi: usize, labels: &mut [u32], lower: &mut [f32]) -> Result<KMeansPartial> {
        if hi - lo == 1 {
            let first = lo * self.block_rows;
            self.cx.check(Progress { stage: "pass", done: lo as u64, total: None, objective: None })?;
            let mut part = self.learner.empty_partial(self.state);
            let rows = self.data.row_range(first..first + labels.len());
            let added = match (&mut part, self.known) {
                (KMeansPartial::Totals(totals), Some(known)) => {
                    let (centers, cache) = (&self.state.centers, &self.state.cache);
                    totals.add_bounded(centers, cache, &rows, labels, lower, &known.moves).map(|compared| {
                        self.compared.fetch_add(compared, Ordering::Relaxed);
                    })
                }
                (part, _) => add_with_labels(self.state, part, &rows, labels),
            };
            added.map_err(|e| e.with_row(|row| row + first))?;
            return Ok(part);
        }
        let mid = lo + (hi - lo).next_power_of_two() / 2;
        let rows = (mid - lo) * self.block_rows;
        let (left, right) = labels.split_at_mut(rows);
        let (low, high) = lower.split_at_mut(self.known.map_or(0, |k| rows * k.groups));
        let (left, right) = rayon::join(|| self.reduce(lo, mid, left, low), || self.reduce(mid, hi, right, high));
        let mut left = left?;
        left.merge(right?)?;
        Ok(left)
    }
}
