//! Training on rows that do not all lie in memory as they are.

use ermine_core::{Context, DatasetRef, Error, Flow, Learner, Result, RowSource, run_pass_source, run_passes_source};

use super::data::{BinnedRows, DataSummary};
use super::{BoostSetup, Boosting, BoostingModel, engine};
use crate::columns::{ColumnCells, categories, task_of};
use crate::stream::{MEMORY_BYTES, first_row, fits_memory};

/// Fits on a source of rows.
///
/// One pass finds the bins. If the binned rows, which take two bytes per cell, fit in memory, a second pass bins them and the
/// rounds run as in memory. Else every level of every tree is a pass. The bytes of the model are the same, and are those of a
/// fit in memory.
pub(super) fn fit(learner: &Boosting, source: &dyn RowSource, cx: &Context<'_>) -> Result<BoostingModel> {
    fit_within(learner, source, cx, cx.memory.unwrap_or(MEMORY_BYTES))
}

/// [`fit`] with another limit.
pub(super) fn fit_within(learner: &Boosting, source: &dyn RowSource, cx: &Context<'_>, allowed: u64) -> Result<BoostingModel> {
    learner.check()?;
    let stops = learner.stops_early(cx.validation.is_some());
    let head = first_row(source, &<Boosting as Learner>::SPEC)?;
    let head = head.view();
    let (loss, categories, classes) = (learner.loss_for(&head.y)?, categories(&head.x), task_of(&head.y).1);
    if stops && cx.validation.is_none() {
        return Err(Error::Data(
            "early stopping on a stream needs a validation set, since no rows can be held out of it; set early_stopping=false"
                .into(),
        ));
    }
    let block = cx.block_rows.unwrap_or(engine::BLOCK).max(1);
    let quantiles = loss.needs_quantiles();
    let spec = <Boosting as Learner>::SPEC;
    let summary = run_pass_source(source, &spec, block, cx, &|rows: &DatasetRef<'_>| {
        DataSummary::of(rows, quantiles, learner.allow_infinite)
    })?;
    let outputs = loss.objective().outputs() as u64;
    let cell = if learner.max_bins > 255 { 4 } else { 2 };
    let bytes = summary.rows.saturating_mul(head.cols() as u64 * cell + 24 * outputs + 16);
    if !fits_memory(bytes, allowed, cx) {
        return run_passes_source(learner, source, cx);
    }
    let mut class_weight = None;
    let mut rows: Option<BinnedRows<'static>> = None;
    source.scan(&mut |run| {
        if class_weight.is_none() {
            class_weight = Some(learner.class_weights(&run.y, &summary)?);
        }
        let bins = || {
            let mut rows = BinnedRows::new(summary.bins(learner.max_bins as usize));
            rows.bins.reserve(summary.rows as usize);
            rows
        };
        rows.get_or_insert_with(bins).append(run, &ColumnCells::new(run.x), class_weight.as_deref().unwrap_or(&[]))?;
        Ok(Flow::Continue)
    })?;
    let Some(rows) = rows else {
        return Err(Error::Data("the source had rows in one pass and none in the next".into()));
    };
    let prepared = BoostSetup { loss, summary, categories, class_weight: class_weight.unwrap_or_default(), classes };
    learner.boost(prepared, rows, None, None, cx.validation.filter(|_| stops), cx)
}
