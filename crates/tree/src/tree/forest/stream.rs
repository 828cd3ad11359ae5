//! Training on rows that do not all lie in memory as they are.

use ermine_core::{Context, DatasetRef, Error, Flow, Learner, Result, RowSource, Target, collect_rows, run_passes_source};

use super::super::sorted::{RowSubset, TreeColumns};
use super::binning::{BinBuilder, ForestSummary, RowScales};
use super::fit::{self, ForestJob, ForestTarget, MANY_ROWS};
use super::oob::OobSums;
use super::{ForestModel, RandomForest};
use crate::columns::ColumnCells;
use crate::stream::{MEMORY_BYTES, first_row, fits_memory};

/// Fits on a source of rows.
///
/// One pass finds the bins. If the binned rows, which take two bytes per cell, fit in memory, a second pass bins them and the trees
/// are grown as in memory. Else trees are grown in passes, see [`super::pass`]. The bytes of the model are those of a fit in
/// memory either way. Rows so few that their values are kept apart are kept as they are.
pub(super) fn fit(forest: &RandomForest, source: &dyn RowSource, cx: &Context<'_>) -> Result<ForestModel> {
    forest.check()?;
    let allowed = cx.memory.unwrap_or(MEMORY_BYTES);
    let head = first_row(source, &RandomForest::SPEC)?;
    let head = head.view();
    let summary = ForestSummary::of_source(source, cx)?;
    let names = match head.y {
        Target::Class { names, .. } => names,
        _ => &[],
    };
    let of_class = summary.class_weights(forest, names)?;
    let rows = summary.rows_with(&of_class);
    if forest.splitter == "auto" && rows < MANY_ROWS as u64 {
        cx.note(|| format!("{rows} rows were kept as they are: so few that all values are kept apart"));
        return fit::fit(forest, None, &collect_rows(source)?.view(), cx);
    }
    needs_memory(forest, &head)?;
    let bytes = rows.saturating_mul(2 * head.cols() as u64 + 16);
    if !fits_memory(bytes, allowed, cx) {
        return run_passes_source(forest, source, cx);
    }
    let columns = TreeColumns::new(&head.x, head.schema);
    let scales = RowScales { of_class };
    let own_weight = |run: &DatasetRef<'_>, i: usize| scales.row_weight(run, i);
    let mut builder = BinBuilder::new(&summary, forest.max_bins as usize);
    let (mut codes, mut y) = (Vec::new(), Vec::new());
    let mut own = head.weight.map(|_| Vec::new());
    source.scan(&mut |run| {
        let kept: Vec<u32> = (0..run.rows()).filter(|&i| own_weight(run, i) > 0.0).map(|i| i as u32).collect();
        match run.y {
            Target::Class { codes: of_run, .. } => codes.extend(kept.iter().map(|&i| of_run[i as usize])),
            _ => {
                let reals = run.y.reals()?;
                y.extend(kept.iter().map(|&i| *reals.at(i as usize, 0)));
            }
        }
        if let (Some(own), Some(weight)) = (&mut own, run.weight) {
            own.extend(kept.iter().map(|&i| weight[i as usize]));
        }
        let rows = if kept.len() == run.rows() { RowSubset::All(kept.len()) } else { RowSubset::Some(kept) };
        builder.append(&ColumnCells::new(run.x), run.rows(), &rows);
        Ok(Flow::Continue)
    })?;
    let n = codes.len().max(y.len());
    let target = match head.y {
        Target::Class { names, .. } => ForestTarget::Classes(codes, names.len()),
        _ => ForestTarget::Numbers(y),
    };
    let all = summary.rows as usize;
    let mut job = ForestJob::new(forest, &head, &columns, all, (target, own, RowSubset::All(n)), cx).map_err(fit::named)?;
    job.binned = Some(builder.finish().into());
    job.run(job.begin(&columns), |model| {
        if forest.oob_score {
            let outside = OobSums::of_source(source, &model.trees, &job.bootstrap, &own_weight)?;
            model.out_of_bag = Some(outside.finish(model.task, model.trees.width())?);
        }
        Ok(())
    })
}

/// Refuses what only rows in memory allow.
pub(super) fn needs_memory(forest: &RandomForest, head: &DatasetRef<'_>) -> Result<()> {
    let refuse =
        |name: &str, value: String, expected: String| Err(Error::parameter(RandomForest::SPEC.name, name, value, expected));
    if forest.splitter == "exact" {
        return refuse("splitter", "exact".into(), "a stream is cut into bins: it must be auto or histogram".into());
    }
    fit::refuse_class_weight(forest, head)?;
    if let Some(why) = fit::uses_sorted_lists(forest, &head.y) {
        return Err(Error::Data(format!(
            "a forest with {why} sorts all rows, which it cannot do on a stream; fit it on rows in memory"
        )));
    }
    if forest.permutation_importances {
        let expected = "it needs the rows in memory; on a stream it must be false";
        return refuse("permutation_importances", "true".into(), expected.into());
    }
    Ok(())
}
