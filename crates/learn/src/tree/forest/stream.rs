//! Training on rows that do not all lie in memory as they are.

use ermine_core::{Context, Dataset, Error, Flow, Learner, OwnedDataset, Result, RowSource, Target, hold};

use super::super::sorted::{Columns, Rows};
use super::fill::{Filling, Spread};
use super::fit::{self, Job, MANY_ROWS, Y};
use super::{Forest, ForestModel};
use crate::boosting::data::Reader;

/// Bytes that binned rows may take.
const HELD: u64 = 8 << 30;

/// Fits on a source of rows.
///
/// One pass finds the bins, a second one bins the rows, which then take two bytes a cell; the trees are grown as in memory,
/// and the bytes of the model are those of a fit in memory. So few rows that their values are kept apart are held as they
/// are.
pub(super) fn fit(forest: &Forest, source: &dyn RowSource, cx: &Context<'_>) -> Result<ForestModel> {
    fit_within(forest, source, cx, HELD)
}

/// [`fit`] with another limit.
pub(super) fn fit_within(forest: &Forest, source: &dyn RowSource, cx: &Context<'_>, held: u64) -> Result<ForestModel> {
    forest.check()?;
    let mut head: Option<OwnedDataset> = None;
    source.scan(&mut |rows| {
        if rows.rows() == 0 {
            return Ok(Flow::Continue);
        }
        head = Some(rows.take(&[0]));
        Ok(Flow::Stop)
    })?;
    let head = head.ok_or_else(|| Error::Data(format!("there are 0 rows, and {} needs at least 1", Forest::SPEC.name)))?;
    let head = head.view();
    head.check_part(&Forest::SPEC)?;
    let spread = Spread::of_source(source, cx)?;
    if forest.splitter == "auto" && spread.rows < MANY_ROWS as u64 {
        return fit::fit(forest, None, &hold(source)?.view(), cx);
    }
    needs_memory(forest, &head)?;
    let bytes = spread.rows.saturating_mul(2 * head.cols() as u64 + 16);
    if bytes > held {
        return Err(Error::Data(format!(
            "the rows take {} MB when they are binned, and a forest holds at most {} MB; use fewer rows or columns, or boosting, \
             which reads them again for every level of its trees",
            bytes >> 20,
            held >> 20
        )));
    }
    let columns = Columns::new(&head.x, head.schema);
    let classes = matches!(head.y, Target::Class { .. });
    let tree = forest.tree(classes, columns.len());
    let of_class = match (&tree.class_weight, head.y) {
        (Some(weights), Target::Class { names, .. }) => weights.resolve(Forest::SPEC.name, names, &spread.classes)?,
        _ => Vec::new(),
    };
    let mut filling = Filling::new(&spread, forest.max_bins as usize);
    let (mut codes, mut y) = (Vec::new(), Vec::new());
    let mut own = head.weight.map(|_| Vec::new());
    source.scan(&mut |run| {
        let class = |i: usize| match run.y {
            Target::Class { codes, .. } => of_class.get(codes[i] as usize).copied().unwrap_or(1.0),
            _ => 1.0,
        };
        let kept: Vec<u32> = (0..run.rows()).filter(|&i| run.weight_of(i) * class(i) > 0.0).map(|i| i as u32).collect();
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
        let rows = if kept.len() == run.rows() { Rows::All(kept.len()) } else { Rows::Some(kept) };
        filling.append(&Reader::new(run.x), run.rows(), &rows);
        Ok(Flow::Continue)
    })?;
    let n = codes.len().max(y.len());
    if forest.splitter == "auto" && n < MANY_ROWS {
        // Classes of weight 0 leave so few.
        return fit::fit(forest, None, &hold(source)?.view(), cx);
    }
    let target = match head.y {
        Target::Class { names, .. } => Y::Classes(codes, names.len()),
        _ => Y::Numbers(y),
    };
    let mut job = Job::new(forest, &head, &columns, (target, own, Rows::All(n)), cx).map_err(fit::named)?;
    job.binned = Some(filling.finish());
    job.run(job.begin(&columns), |_| Ok(()))
}

/// Refuses what only rows in memory allow.
fn needs_memory(forest: &Forest, head: &Dataset<'_>) -> Result<()> {
    let refuse = |name: &str, value: String, expected: String| {
        Err(Error::Parameter { learner: Forest::SPEC.name, name: name.into(), value, expected })
    };
    if forest.splitter == "exact" {
        return refuse("splitter", "exact".into(), "a stream is cut into bins: it must be auto or histogram".into());
    }
    let given = match () {
        _ if forest.oob_score => "oob_score",
        _ if forest.permutation_importances => "permutation_importances",
        _ => match fit::needs_lists(forest, &head.y) {
            Some(why) => {
                return Err(Error::Data(format!(
                    "a forest with {why} sorts all rows, which it cannot do on a stream; fit it on rows in memory"
                )));
            }
            None => return Ok(()),
        },
    };
    refuse(given, "true".into(), "it needs the rows in memory; on a stream it must be false".into())
}
