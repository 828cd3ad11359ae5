//! Fits to all rows but one fold, from sums that are gathered once.
//!
//! The sums of a pass are additive: those of all rows but a fold are the merged sums of the other folds. So one pass
//! over the rows serves all rounds of a cross-validation, and all settings that differ only in how the sums are solved.
//! Sums are merged and not subtracted, since a difference of large sums would lose the digits of a small one.

use std::any::Any;

use serde::{Deserialize, Serialize};

use crate::pass::{run_pass_from, run_passes_from};
use crate::{Context, DatasetRef, Error, Learner, Mat, Partial, PassLearner, PassStep, Result};

/// Upper bound on the numbers in the sums of all folds: half a gigabyte.
const MAX_NUMBERS: usize = 1 << 26;
/// Folds gathered in one run over the blocks.
const FOLDS_PER_SCAN: usize = 8;

/// Assignment of rows to folds.
#[derive(Debug, Clone, Copy)]
pub struct FoldAssignment<'a> {
    /// The fold of each row.
    pub fold_of: &'a [usize],
    /// Number of folds.
    pub folds: usize,
}

impl FoldAssignment<'_> {
    /// The fewest rows outside a fold, over all folds.
    pub fn min_training_rows(&self) -> usize {
        let mut sizes = vec![0; self.folds];
        self.fold_of.iter().filter(|&&f| f < self.folds).for_each(|&f| sizes[f] += 1);
        self.fold_of.len() - sizes.into_iter().max().unwrap_or(0)
    }

    /// Whether the sums of all folds, `numbers` each, may be held at once.
    pub fn fits_memory(&self, numbers: usize) -> bool {
        numbers.saturating_mul(2 * self.folds) <= MAX_NUMBERS
    }
}

/// The sums over all rows but those of a fold, for each fold. Only the learner that gathered them can read them.
pub struct FoldTotals(Box<dyn Any + Send + Sync>);

/// Callback that receives blocks of the training rows.
pub type VisitRows<'s> = &'s mut dyn FnMut(&DatasetRef<'_>);

/// Fits a model to all rows but a fold, from the sums.
pub type FitFromFoldSums<L> = fn(&L, &FoldTotals, &TrainingView<'_>, &Context<'_>) -> Result<Option<<L as Learner>::Model>>;

/// The training rows of a round: all rows but those of a fold.
pub struct TrainingView<'a> {
    /// All rows.
    pub data: &'a DatasetRef<'a>,
    /// The fold.
    pub fold: usize,
    /// Passes the training rows to a callback, for passes after the first.
    pub rows: &'a dyn Fn(VisitRows<'_>),
}

/// How a learner fits to all rows but a fold, from sums.
pub struct FoldFit<L: Learner> {
    /// The key of the sums besides the rows: settings with equal keys share them. None where these rows are fitted
    /// in another way, or where the sums would not fit in memory.
    pub key: fn(&L, &DatasetRef<'_>, &FoldAssignment<'_>) -> Option<String>,
    /// Gathers the sums.
    pub gather: fn(&L, &DatasetRef<'_>, &FoldAssignment<'_>, &Context<'_>) -> Result<FoldTotals>,
    /// The model of all rows but a fold; none where all of them have weight 0.
    pub fit: FitFromFoldSums<L>,
}

impl<L: PassLearner<Partial: Clone + Sync + 'static>> FoldFit<L> {
    /// For a pass learner whose first pass does not depend on earlier rows; later passes read the rows.
    pub const fn from_pass_learner(key: fn(&L, &DatasetRef<'_>, &FoldAssignment<'_>) -> Option<String>) -> Self {
        Self { key, gather: gather_folds::<L>, fit: fit_without::<L> }
    }
}

/// Leave-one-out predictions of all rows: one column per target, or the class probabilities. None where there is no
/// closed form.
pub type LooPredictions<L> = fn(&L, &DatasetRef<'_>, &Context<'_>) -> Result<Option<Mat<f64>>>;

/// The partial of each fold, and whether a row of it has weight; none for folds without rows so far.
#[derive(Serialize, Deserialize)]
struct FoldPartials<P>(Vec<Option<(P, bool)>>);

impl<P: Partial> Partial for FoldPartials<P> {
    fn merge(&mut self, other: Self) -> Result<()> {
        for (mine, more) in self.0.iter_mut().zip(other.0) {
            merge(mine, more)?;
        }
        Ok(())
    }
}

fn merge<P: Partial>(mine: &mut Option<(P, bool)>, more: Option<(P, bool)>) -> Result<()> {
    match (mine.as_mut(), more) {
        (Some((part, weighs)), Some((more, more_weighs))) => {
            part.merge(more)?;
            *weighs |= more_weighs;
        }
        (None, more) => *mine = more,
        (Some(_), None) => {}
    }
    Ok(())
}

fn block_rows<L: PassLearner>(learner: &L, data: &DatasetRef<'_>, cx: &Context<'_>) -> usize {
    cx.block_rows.unwrap_or_else(|| learner.block_rows(data.cols())).max(1)
}

fn start<L: PassLearner>(learner: &L, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<L::State> {
    learner.initial_state(&data.row_range(0..data.rows().min(block_rows(learner, data, cx))), cx)
}

fn gather_folds<L: PassLearner<Partial: Clone + Sync + 'static>>(
    learner: &L,
    data: &DatasetRef<'_>,
    cut: &FoldAssignment<'_>,
    cx: &Context<'_>,
) -> Result<FoldTotals> {
    learner.check()?;
    data.check(&L::SPEC)?;
    if cut.fold_of.len() != data.rows() {
        return Err(Error::Length { what: "folds of rows".into(), expected: data.rows(), found: cut.fold_of.len() });
    }
    if let Some(row) = cut.fold_of.iter().position(|&f| f >= cut.folds) {
        let message = format!("there is no fold {} of {}", cut.fold_of[row], cut.folds);
        return Err(Error::Row { place: "folds".into(), row, message });
    }
    let state = start(learner, data, cx)?;
    let add = |block: &DatasetRef<'_>, first: usize| -> Result<FoldPartials<L::Partial>> {
        let mut rows = vec![Vec::new(); cut.folds];
        (0..block.rows()).for_each(|i| rows[cut.fold_of[first + i]].push(i));
        let of_fold = |rows: &Vec<usize>| -> Result<Option<(L::Partial, bool)>> {
            if rows.is_empty() {
                return Ok(None);
            }
            let mut part = learner.empty_partial(&state);
            let rows = block.take_rows(rows);
            learner.add_block(&state, &mut part, &rows.view())?;
            Ok(Some((part, rows.weight.is_none_or(|w| w.iter().any(|w| *w > 0.0)))))
        };
        Ok(FoldPartials(rows.iter().map(of_fold).collect::<Result<_>>()?))
    };
    let run = block_rows(learner, data, cx) * cut.folds.clamp(1, FOLDS_PER_SCAN);
    let FoldPartials(folds) = run_pass_from(data, run, cx, &add)?;
    // Sums of all folds before each fold, then merged with those after it.
    let mut before = Vec::with_capacity(folds.len());
    let mut sum = None;
    for fold in &folds {
        before.push(sum.clone());
        merge(&mut sum, fold.clone())?;
    }
    let mut after = None;
    let mut without: Vec<Option<L::Partial>> = Vec::with_capacity(folds.len());
    for (mut others, fold) in before.into_iter().zip(folds).rev() {
        merge(&mut others, after.clone())?;
        merge(&mut after, fold)?;
        without.push(others.filter(|o| o.1).map(|o| o.0));
    }
    without.reverse();
    Ok(FoldTotals(Box::new(without)))
}

fn fit_without<L: PassLearner<Partial: Clone + Sync + 'static>>(
    learner: &L,
    totals: &FoldTotals,
    without: &TrainingView<'_>,
    cx: &Context<'_>,
) -> Result<Option<L::Model>> {
    learner.check()?;
    let Some(totals) = totals.0.downcast_ref::<Vec<Option<L::Partial>>>() else {
        return Err(Error::Data(format!("the sums are not those of {}", L::SPEC.name)));
    };
    let Some(Some(total)) = totals.get(without.fold) else { return Ok(None) };
    match learner.finish(start(learner, without.data, cx)?, total.clone(), cx)? {
        PassStep::Done(model) => Ok(Some(model)),
        PassStep::NextPass(state, _) => {
            let (mut state, mut model) = (Some(state), None);
            let block_rows = block_rows(learner, without.data, cx);
            (without.rows)(&mut |rows| {
                model = state.take().map(|state| run_passes_from(learner, rows, cx, block_rows, state, 1));
            });
            model.transpose()
        }
    }
}
