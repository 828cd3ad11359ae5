//! Training on rows that do not all lie in memory as they are.

use ermine_core::{
    Context, Dataset, Error, Flow, Learner, OwnedDataset, Result, RowSource, Target, collect_rows, run_passes_source,
};

use super::super::sorted::{RowSubset, TreeColumns};
use super::binning::{BinBuilder, ForestSummary};
use super::fit::{self, ForestJob, ForestTarget, MANY_ROWS};
use super::oob::OobSums;
use super::{Forest, ForestModel};
use crate::boosting::data::ColumnCells;

/// Bytes that a fit on a stream may hold, unless the context says otherwise: binned rows, or what a pass gathers.
pub(super) const MEMORY_BYTES: u64 = 8 << 30;

/// Fits on a source of rows.
///
/// One pass finds the bins. If the binned rows, which take two bytes a cell, fit in memory, a second pass bins them and the trees
/// are grown as in memory. Else trees are grown in passes, see [`super::pass`]. The bytes of the model are those of a fit in
/// memory either way. So few rows that their values are kept apart are held as they are.
pub(super) fn fit(forest: &Forest, source: &dyn RowSource, cx: &Context<'_>) -> Result<ForestModel> {
    forest.check()?;
    let held = cx.memory.unwrap_or(MEMORY_BYTES);
    let mut head: Option<OwnedDataset> = None;
    source.scan(&mut |rows| {
        if rows.rows() == 0 {
            return Ok(Flow::Continue);
        }
        head = Some(rows.take_rows(&[0]));
        Ok(Flow::Stop)
    })?;
    let head = head.ok_or_else(|| Error::Data(format!("there are 0 rows, and {} needs at least 1", Forest::SPEC.name)))?;
    let head = head.view();
    head.check_block(&Forest::SPEC)?;
    let spread = ForestSummary::of_source(source, cx)?;
    let names = match head.y {
        Target::Class { names, .. } => names,
        _ => &[],
    };
    let of_class = spread.class_weights(forest, names)?;
    let rows = spread.rows_with(&of_class);
    if forest.splitter == "auto" && rows < MANY_ROWS as u64 {
        cx.note(|| format!("{rows} rows were held as they are: so few that all values are kept apart"));
        return fit::fit(forest, None, &collect_rows(source)?.view(), cx);
    }
    needs_memory(forest, &head)?;
    let bytes = rows.saturating_mul(2 * head.cols() as u64 + 16);
    let megabytes = |bytes: u64| bytes.div_ceil(1 << 20);
    if bytes > held {
        cx.note(|| {
            let (need, may) = (megabytes(bytes), megabytes(held));
            format!("the trees were grown in passes over the rows: binned they would take {need} MB, and {may} MB may be held")
        });
        return run_passes_source(forest, source, cx);
    }
    cx.note(|| format!("the rows were binned and held, in {} MB", megabytes(bytes)));
    let columns = TreeColumns::new(&head.x, head.schema);
    let own_weight = |run: &Dataset<'_>, i: usize| {
        let class = match run.y {
            Target::Class { codes, .. } => of_class.get(codes[i] as usize).copied().unwrap_or(1.0),
            _ => 1.0,
        };
        run.weight_of(i) * class
    };
    let mut filling = BinBuilder::new(&spread, forest.max_bins as usize);
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
        filling.append(&ColumnCells::new(run.x), run.rows(), &rows);
        Ok(Flow::Continue)
    })?;
    let n = codes.len().max(y.len());
    let target = match head.y {
        Target::Class { names, .. } => ForestTarget::Classes(codes, names.len()),
        _ => ForestTarget::Numbers(y),
    };
    let all = spread.rows as usize;
    let mut job = ForestJob::new(forest, &head, &columns, all, (target, own, RowSubset::All(n)), cx).map_err(fit::named)?;
    job.binned = Some(filling.finish().into());
    job.run(job.begin(&columns), |model| {
        if forest.oob_score {
            let outside = OobSums::of_source(source, &model.trees, &job.lottery, &own_weight)?;
            model.out_of_bag = Some(outside.finish(model.task, model.trees.width())?);
        }
        Ok(())
    })
}

/// Refuses what only rows in memory allow.
pub(super) fn needs_memory(forest: &Forest, head: &Dataset<'_>) -> Result<()> {
    let refuse = |name: &str, value: String, expected: String| {
        Err(Error::Parameter { learner: Forest::SPEC.name, name: name.into(), value, expected })
    };
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
