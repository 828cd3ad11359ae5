//! Training on rows that do not all lie in memory as they are.

use ermine_core::{Context, Dataset, Error, Flow, Learner, Result, RowSource, run_pass_source, run_passes_source};

use super::data::{self, BinnedRows, ColumnCells, DataSummary};
use super::{BoostSetup, Boosting, BoostingModel, class_names, engine};

/// Bytes that binned rows may take, unless the context says otherwise. Rows beyond it are read again and again, in passes.
const MEMORY_BYTES: u64 = 8 << 30;

/// Fits on a source of rows.
///
/// One pass finds the bins. If the binned rows, which take two bytes a cell, fit in memory, a second pass bins them and the
/// rounds run as in memory. Else every level of every tree is a pass. The bytes of the model are the same, and are those of a
/// fit in memory.
pub(super) fn fit(learner: &Boosting, source: &dyn RowSource, cx: &Context<'_>) -> Result<BoostingModel> {
    fit_within(learner, source, cx, cx.memory.unwrap_or(MEMORY_BYTES))
}

/// [`fit`] with another limit.
pub(super) fn fit_within(learner: &Boosting, source: &dyn RowSource, cx: &Context<'_>, held: u64) -> Result<BoostingModel> {
    learner.check()?;
    let stops = learner.stops_early(cx.validation.is_some());
    let mut head = None;
    source.scan(&mut |rows| {
        if rows.rows() == 0 {
            return Ok(Flow::Continue);
        }
        rows.row_range(0..1).check_block(&<Boosting as Learner>::SPEC)?;
        head = Some((learner.loss_for(&rows.y)?, data::categories(&rows.x), class_names(&rows.y), rows.cols()));
        Ok(Flow::Stop)
    })?;
    let Some((loss, categories, classes, columns)) = head else {
        return Err(Error::Data("there are 0 rows, and boosting needs at least 1".into()));
    };
    if stops && cx.validation.is_none() {
        return Err(Error::Data(
            "early stopping on a stream needs a validation set, since no rows can be held out of it; set early_stopping=false"
                .into(),
        ));
    }
    let block = cx.block_rows.unwrap_or(engine::BLOCK).max(1);
    let quantiles = loss.needs_quantiles();
    let spec = <Boosting as Learner>::SPEC;
    let summary = run_pass_source(source, &spec, block, cx, &|rows: &Dataset<'_>| {
        DataSummary::of(rows, quantiles, learner.allow_infinite)
    })?;
    let outputs = loss.objective().outputs() as u64;
    let cell = if learner.max_bins > 255 { 4 } else { 2 };
    let bytes = summary.rows.saturating_mul(columns as u64 * cell + 24 * outputs + 16);
    let megabytes = |bytes: u64| bytes.div_ceil(1 << 20);
    if bytes > held {
        cx.note(|| {
            let (need, may) = (megabytes(bytes), megabytes(held));
            format!("the trees were grown in passes over the rows: binned they would take {need} MB, and {may} MB may be held")
        });
        return run_passes_source(learner, source, cx);
    }
    cx.note(|| format!("the rows were binned and held, in {} MB", megabytes(bytes)));
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
