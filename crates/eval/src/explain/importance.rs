//! Permutation importances: the loss of a measure when a column is permuted.

use ermine_core::{Context, DatasetRef, Error, Model, OwnedDataset, OwnedFeatures, Progress, Result, RngStream};
use ermine_math::distribution::StudentT;
use serde::{Deserialize, Serialize};

use super::ModelOutput;
use super::column::{ColumnValues, replace_column};
use crate::metrics::Direction;
use crate::model_selection::stratified_k_fold;

/// Most groups of rows of the jackknife; and about how many rows per group, where rows are few.
const GROUPS: usize = 20;
const GROUP_ROWS: usize = 10;

/// Parameters of permutation importances.
///
/// The importance of a column is the change of a measure when the cells of the column are permuted among rows, so that
/// they keep their distribution and carry no information on the row: with loss L, `E L(y, f(x with x_j from another
/// row)) - E L(y, f(x))`. It is averaged over `repeats` permutations.
///
/// Intervals are those of the importance of this model on further rows of the same kind. They come from a grouped
/// jackknife with up to 20 groups of rows, so that they exist for every measure, and include the variance of the rows
/// and of the permutations. For this, cells are permuted within groups: a held-out row then leaves with the cell that
/// it gave away. No row keeps its own cell.
///
/// Redundant columns share their importance: each is needed little when the other is present.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PermutationImportance {
    /// The measure; log loss for classes and the root mean squared error for numbers when not given.
    pub measure: Option<String>,
    /// Permutations of each column.
    pub repeats: usize,
    /// Most rows used; of more a random sample.
    pub rows: usize,
    /// Level of the intervals.
    pub level: f64,
}

impl Default for PermutationImportance {
    fn default() -> Self {
        Self { measure: None, repeats: 5, rows: 20_000, level: 0.95 }
    }
}

/// A model and evaluation rows: rows that it was not trained on, or else importances overestimate overfitted columns.
/// Several models are those of a cross-validation, each with the rows held out from it.
#[derive(Clone, Copy)]
pub struct ModelOnData<'a> {
    /// The model.
    pub model: &'a dyn Model,
    /// The rows, with their target.
    pub data: DatasetRef<'a>,
}

/// The importance of a column.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Importance {
    /// The change of the measure.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The importances of all columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Importances {
    /// The measure.
    pub measure: String,
    /// Its value on the original rows.
    pub base: f64,
    /// Rows used.
    pub rows: usize,
    /// Permutations of each column.
    pub repeats: usize,
    /// One per column, in the order of the columns.
    pub columns: Vec<Importance>,
}

impl Importances {
    /// Column numbers, the most important first.
    pub fn ranking(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        ermine_core::order::sort_by_number_descending(&mut order, |a| self.columns[a].mean);
        order
    }
}

impl PermutationImportance {
    /// The importances of all columns. The seed of `cx` determines the permutations and the sample of rows; its
    /// observer can stop it.
    pub fn importances(&self, judged: &[ModelOnData<'_>], cx: &Context<'_>) -> Result<Importances> {
        let rows: usize = judged.iter().map(|j| j.data.rows()).sum();
        let columns = judged.first().map_or(0, |j| j.data.cols());
        if rows < 4 || columns == 0 || self.repeats == 0 {
            let sizes = format!("{rows} rows, {columns} columns, {} repeats", self.repeats);
            return Err(Error::Data(format!("{sizes}: importances need at least 4 rows, a column and a repeat")));
        }
        if !(self.level > 0.0 && self.level < 1.0) {
            return Err(Error::Data(format!("a level of {}: it must lie between 0 and 1", self.level)));
        }
        let mut parts = self.parts(judged, rows, cx.seed);
        let (y, weight) = pooled(&parts);
        let mut views: Vec<ModelOutput> = Vec::new();
        for (part, judged) in parts.iter().zip(judged) {
            views.push(ModelOutput::of(judged.model, &part.x.view())?);
        }
        let base = joined(views);
        let name = self.measure.as_deref().unwrap_or(base.default_metric());
        let total = base.rows();
        let least = parts.iter().map(|p| p.x.view().rows()).min().unwrap_or(0);
        let groups = (least / GROUP_ROWS).clamp(2, GROUPS);
        if least < 2 * groups {
            return Err(Error::Data(format!(
                "{least} rows are too few for importances; each model needs {} for its evaluation",
                2 * groups
            )));
        }
        let folds = parts.iter().map(|p| Ok(stratified_k_fold(&p.y.view(), p.x.view().rows(), groups, cx.seed)?.fold_of));
        let folds = folds.collect::<Result<Vec<Vec<usize>>>>()?;
        let fold: Vec<usize> = folds.iter().flatten().copied().collect();
        // Weight 0 leaves a row out: one list of weights for all rows, and one without each group.
        let without = |g: usize| -> Vec<f64> { (0..total).map(|i| if fold[i] == g { 0.0 } else { weight[i] }).collect() };
        let lists: Vec<Vec<f64>> =
            std::iter::once(weight.clone()).chain((0..groups).map(without)).filter(|w| w.iter().any(|w| *w > 0.0)).collect();
        let measured = |predictions: &ModelOutput| -> Result<Vec<f64>> {
            let signed = |w: &Vec<f64>| {
                let (value, better) = predictions.measure(name, &y.view(), Some(w))?;
                Ok(if better == Direction::Higher { -value } else { value })
            };
            lists.iter().map(signed).collect()
        };
        let before = measured(&base)?;
        let student = StudentT { df: (lists.len() as f64 - 2.0).max(1.0) }.isf(0.5 * (1.0 - self.level));
        let mut out = Vec::with_capacity(columns);
        for j in 0..columns {
            cx.check(Progress { stage: "importances", done: j as u64, total: Some(columns as u64), objective: None })?;
            // The change of the measure over all rows, and without each group.
            let mut lost = vec![0.0; lists.len()];
            for repeat in 0..self.repeats {
                let mut views = Vec::new();
                for (k, (part, judged)) in parts.iter_mut().zip(judged).enumerate() {
                    let index = ((j * self.repeats + repeat) * 1024 + k) as u64;
                    let cells = ColumnValues::of(&part.x.view(), j);
                    let dealt = cells.take(&permute_within_groups(
                        &folds[k],
                        groups,
                        &mut RngStream::new(cx.seed, "permutation importance", index),
                    ));
                    replace_column(&mut part.x, j, dealt)?;
                    let predictions = ModelOutput::of(judged.model, &part.x.view());
                    replace_column(&mut part.x, j, cells)?;
                    views.push(predictions?);
                }
                let after = measured(&joined(views))?;
                lost.iter_mut().zip(after.iter().zip(&before)).for_each(|(l, (a, b))| *l += (a - b) / self.repeats as f64);
            }
            let (mean, left) = (lost[0], &lost[1..]);
            let k = left.len() as f64;
            let middle = left.iter().sum::<f64>() / k;
            let error = ((k - 1.0) / k * left.iter().map(|v| (v - middle) * (v - middle)).sum::<f64>()).sqrt();
            out.push(Importance { mean, error, low: mean - student * error, high: mean + student * error });
        }
        let (value, _) = base.measure(name, &y.view(), Some(&weight))?;
        Ok(Importances { measure: name.to_owned(), base: value, rows: total, repeats: self.repeats, columns: out })
    }

    /// The rows of each model, sampled where they are too many.
    fn parts(&self, judged: &[ModelOnData<'_>], rows: usize, seed: u64) -> Vec<OwnedDataset> {
        let mut drawn = vec![true; rows];
        if rows > self.rows {
            let order = RngStream::new(seed, "rows for importances", 0).permutation(rows);
            order[self.rows.max(4).min(rows)..].iter().for_each(|&i| drawn[i] = false);
        }
        let mut first = 0;
        let mut part = |j: &ModelOnData<'_>| {
            let taken: Vec<usize> = (0..j.data.rows()).filter(|i| drawn[first + i]).collect();
            first += j.data.rows();
            j.data.take_rows(&taken)
        };
        judged.iter().map(&mut part).collect()
    }
}

/// For each row the row whose cell it gets: within a group each gives its cell to the next of a random cycle.
fn permute_within_groups(fold: &[usize], groups: usize, stream: &mut RngStream) -> Vec<usize> {
    let mut from: Vec<usize> = (0..fold.len()).collect();
    let mut members = vec![Vec::new(); groups];
    fold.iter().enumerate().for_each(|(i, &g)| members[g].push(i));
    for mut round in members {
        stream.shuffle(&mut round);
        (0..round.len()).for_each(|k| from[round[k]] = round[(k + 1) % round.len()]);
    }
    from
}

fn joined(parts: Vec<ModelOutput>) -> ModelOutput {
    parts.into_iter().reduce(ModelOutput::joined).expect("there is a part")
}

/// The targets and weights of all parts, concatenated.
fn pooled(parts: &[OwnedDataset]) -> (ermine_core::OwnedTarget, Vec<f64>) {
    use ermine_core::OwnedTarget;
    let mut all = parts[0].y.clone();
    for part in &parts[1..] {
        match (&mut all, &part.y) {
            (OwnedTarget::Real(a), OwnedTarget::Real(b)) => a.extend(b),
            (OwnedTarget::Reals(a), OwnedTarget::Reals(b)) => a.append_rows(b.clone()),
            (OwnedTarget::Class { codes: a, .. }, OwnedTarget::Class { codes: b, .. }) => a.extend(b),
            _ => {}
        }
    }
    let weights = |p: &OwnedDataset| p.weight.clone().unwrap_or_else(|| vec![1.0; rows_of(&p.x)]);
    (all, parts.iter().flat_map(weights).collect())
}

fn rows_of(x: &OwnedFeatures) -> usize {
    x.view().rows()
}
