//! Shared by the naive Bayes classifiers of counts, bits and codes: pseudo-counts, priors, and scores that are linear in
//! the cells.

use std::sync::OnceLock;

use ermine_core::parallel::prelude::*;
use ermine_core::*;
use ermine_math::affine::{affine, affine_by_columns};
use serde::{Deserialize, Serialize};

use super::posterior::{give_to_best, log_sum_exp};

/// Pseudo-counts: the parameters of the Dirichlet or Beta prior.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Smoothing {
    /// The same in every column.
    All(f64),
    /// One per column.
    Each(Vec<f64>),
}

impl Smoothing {
    pub(super) const RANGE: Range = Range::Either(&Range::at_least(0.0), &Range::List(&Range::at_least(0.0)));

    /// The pseudo-count of a column.
    pub fn of(&self, column: usize) -> f64 {
        match self {
            Self::All(a) => *a,
            Self::Each(each) => each[column],
        }
    }

    /// Refuses a list of another length than there are columns.
    pub(super) fn expect_cols(&self, learner: &'static str, cols: usize) -> Result<()> {
        match self {
            Self::Each(each) if each.len() != cols => Err(Error::parameter(
                learner,
                "alpha",
                format!("a list of {} numbers", each.len()),
                format!("the data has {cols} columns, and a list must have a number for each"),
            )),
            _ => Ok(()),
        }
    }
}

pub(super) const FIT_PRIOR: ParamSpec = ParamSpec {
    name: "fit_prior",
    doc: "Whether the classes are as probable as their shares of the training rows. Otherwise all are equally probable.",
    range: Range::Bool,
};

pub(super) const CLASS_PRIOR: ParamSpec = ParamSpec {
    name: "class_prior",
    doc: "Probabilities of the classes, in the order of the sorted class names, in place of those of `fit_prior`.",
    range: Range::Optional(&Range::List(&Range::at_least(0.0))),
};

/// Prior probabilities of the classes.
pub(super) struct ClassPriors<'a> {
    pub learner: &'static str,
    pub fit: bool,
    pub given: Option<&'a [f64]>,
}

impl ClassPriors<'_> {
    fn refuse(&self, expected: String) -> Error {
        let value = format!("{:?}", self.given.unwrap_or_default());
        Error::parameter(self.learner, "class_prior", value, expected)
    }

    pub fn check(&self) -> Result<()> {
        match self.given {
            Some(p) if !p.iter().sum::<f64>().is_finite() || p.iter().all(|p| *p == 0.0) => {
                Err(self.refuse("some class must be possible, and all probabilities finite".into()))
            }
            _ => Ok(()),
        }
    }

    pub fn expect_classes(&self, classes: usize) -> Result<()> {
        match self.given {
            Some(p) if p.len() != classes => {
                Err(self.refuse(format!("there are {classes} classes and {} probabilities", p.len())))
            }
            _ => Ok(()),
        }
    }

    /// Logarithms of the probabilities of the classes that have these weights.
    pub fn logs(&self, counts: &[f64]) -> Vec<f64> {
        if let Some(given) = self.given {
            return given.iter().map(|p| p.ln()).collect();
        }
        if !self.fit {
            return vec![-(counts.len() as f64).ln(); counts.len()];
        }
        let total: f64 = counts.iter().sum();
        counts.iter().map(|c| (c / total).ln()).collect()
    }
}

/// Scores of classes that are linear in the cells: base + Σⱼ xⱼ wⱼ, with some of the weights minus infinity.
///
/// With a pseudo-count of 0 what training never saw is impossible. Where a row is impossible in every class, the classes in
/// which the least of it is impossible are compared by the rest: the limit of pseudo-counts that go to 0.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LinearScores {
    finite: LogWeights,
    impossible: Option<LogWeights>,
}

/// The same numbers by class and by column: dense rows are multiplied with the one, sparse rows with the other, which is made when
/// the first of them come.
#[derive(Debug, Clone)]
struct LogWeights {
    by_class: Mat<f64>,
    by_column: OnceLock<Mat<f64>>,
    base: Vec<f64>,
}

impl PartialEq for LogWeights {
    fn eq(&self, other: &Self) -> bool {
        (&self.by_class, &self.base) == (&other.by_class, &other.base)
    }
}

impl LogWeights {
    fn new(by_class: Mat<f64>, base: Vec<f64>) -> Self {
        Self { by_class, by_column: OnceLock::new(), base }
    }

    fn by_column(&self) -> &Mat<f64> {
        self.by_column.get_or_init(|| self.by_class.view().t().to_owned())
    }

    fn of(&self, x: &Features<'_>, learner: &str) -> Result<Mat<f64>> {
        match x {
            Features::Csr(m) => Ok(affine_by_columns(*m, self.by_column(), &self.base)),
            _ => affine(x, &self.by_class, &self.base, learner),
        }
    }
}

/// Log-probabilities split into a finite part and a 1 for each that is minus infinity. A pseudo-count a makes of such a cell
/// ln a - ln n, n the weight of the class; `rest` is the part that stays when a goes to 0.
fn split(v: f64, rest: f64) -> (f64, f64) {
    if v == f64::NEG_INFINITY { (rest, 1.0) } else { (v, 0.0) }
}

/// The limit of the logarithm of an impossible cell in classes of these weights.
fn rests(weight: &[f64]) -> Vec<f64> {
    weight.iter().map(|w| if *w > 0.0 { -w.ln() } else { 0.0 }).collect()
}

impl LinearScores {
    /// Classes by columns: what a unit of each cell adds to the score. `weight` is what the probabilities of each class were divided by.
    pub fn new(weights: &Mat<f64>, base: &[f64], weight: &[f64]) -> Self {
        Self::of_two(weights, None, base, weight)
    }

    /// Classes by columns: what a 1 adds to the score, and what a 0 adds.
    pub fn of_bits(ones: &Mat<f64>, zeros: &Mat<f64>, base: &[f64], weight: &[f64]) -> Self {
        Self::of_two(ones, Some(zeros), base, weight)
    }

    fn of_two(ones: &Mat<f64>, zeros: Option<&Mat<f64>>, base: &[f64], weight: &[f64]) -> Self {
        let (classes, cols) = (ones.rows(), ones.cols());
        if zeros.is_none() && ones.as_slice().iter().all(|v| *v != f64::NEG_INFINITY) {
            return Self { finite: LogWeights::new(ones.clone(), base.to_vec()), impossible: None };
        }
        let rests = rests(weight);
        let zero = |k: usize, j: usize| zeros.map_or((0.0, 0.0), |z| split(z[(k, j)], rests[k]));
        let one = |k: usize, j: usize| split(ones[(k, j)], rests[k]);
        let all: f64 = (0..classes).flat_map(|k| (0..cols).map(move |j| (k, j))).map(|(k, j)| one(k, j).1 + zero(k, j).1).sum();
        let finite = Mat::from_fn(classes, cols, |k, j| one(k, j).0 - zero(k, j).0);
        let finite_base = (0..classes).map(|k| base[k] + (0..cols).map(|j| zero(k, j).0).sum::<f64>()).collect();
        let impossible = (all > 0.0).then(|| {
            let weights = Mat::from_fn(classes, cols, |k, j| one(k, j).1 - zero(k, j).1);
            LogWeights::new(weights, (0..classes).map(|k| (0..cols).map(|j| zero(k, j).1).sum::<f64>()).collect())
        });
        Self { finite: LogWeights::new(finite, finite_base), impossible }
    }

    /// The logarithms of the joint probabilities of rows and classes, up to what all classes share; minus infinity where
    /// something is impossible, even in all classes.
    pub fn joint(&self, x: &Features<'_>, learner: &str) -> Result<Mat<f64>> {
        let (mut joint, impossible) = self.parts(x, learner)?;
        if let Some(impossible) = impossible {
            for (v, n) in joint.as_mut_slice().iter_mut().zip(impossible.as_slice()) {
                if *n > 0.0 {
                    *v = f64::NEG_INFINITY;
                }
            }
        }
        Ok(joint)
    }

    fn parts(&self, x: &Features<'_>, learner: &str) -> Result<(Mat<f64>, Option<Mat<f64>>)> {
        x.expect_cols(self.finite.by_class.cols())?;
        let finite = self.finite.of(x, learner)?;
        let base = self.finite.base.iter().cycle();
        if finite.as_slice().iter().zip(base).any(|(v, base)| !v.is_finite() && base.is_finite()) {
            x.refuse_non_finite(None)?;
        }
        let impossible = self.impossible.as_ref().map(|i| i.of(x, learner)).transpose()?;
        Ok((finite, impossible))
    }

    /// The scores of each row, of which `end` makes what is wanted. Some class of every row has a finite score.
    pub fn rows(&self, x: &Features<'_>, learner: &str, end: impl Fn(&mut [f64]) + Sync) -> Result<Mat<f64>> {
        let (mut scores, impossible) = self.parts(x, learner)?;
        let classes = scores.cols();
        let far: Vec<usize> = scores
            .as_mut_slice()
            .par_chunks_mut(classes * 256)
            .enumerate()
            .flat_map_iter(|(block, rows)| {
                let mut far = Vec::new();
                for (r, row) in rows.chunks_exact_mut(classes).enumerate() {
                    let i = block * 256 + r;
                    if let Some(impossible) = &impossible {
                        let n = impossible.row(i);
                        let possible = |k: &usize| self.finite.base[*k] > f64::NEG_INFINITY;
                        let least = (0..classes).filter(possible).map(|k| n[k]).fold(f64::INFINITY, f64::min);
                        row.iter_mut().zip(n).filter(|(_, n)| **n > least).for_each(|(v, _)| *v = f64::NEG_INFINITY);
                    }
                    if row.iter().any(|v| v.is_nan() || *v == f64::INFINITY) || row.iter().all(|v| *v == f64::NEG_INFINITY) {
                        far.push(i);
                    } else {
                        end(row);
                    }
                }
                far
            })
            .collect();
        for i in far {
            self.far_away(&x.row_range(i..i + 1), learner, scores.row_mut(i))?;
            end(scores.row_mut(i));
        }
        Ok(scores)
    }

    /// A row of numbers so great that scores overflow: the class that wins on a small part of it takes it.
    fn far_away(&self, one: &Features<'_>, learner: &str, out: &mut [f64]) -> Result<()> {
        let mut scratch = Vec::new();
        let mut part = one.f64_rows(&mut scratch, learner)?.to_owned();
        part.as_mut_slice().iter_mut().for_each(|v| *v *= 2f64.powi(-1000));
        let scores = self.finite.of(&Features::F64(part.view()), learner)?;
        give_to_best(out, &self.finite.base, |k| scores[(0, k)]);
        Ok(())
    }
}

/// The log marginal probability of each row over all classes; `priors` need not sum to 1.
pub(super) fn log_density(joint: &Mat<f64>, priors: &[f64]) -> Vec<f64> {
    let norm = log_sum_exp(priors);
    (0..joint.rows()).map(|i| log_sum_exp(joint.row(i)) - norm).collect()
}

/// Refuses what cannot be the weights of classes or the logarithms of their probabilities.
pub(super) fn check_classes(learner: &str, classes: &[String], counts: &[f64], log_priors: &[f64]) -> Result<()> {
    let bad = |m: &str| Error::Model(format!("{learner}: {m}"));
    if classes.is_empty() || counts.len() != classes.len() || log_priors.len() != classes.len() {
        return Err(bad(&format!("{} classes with {} counts", classes.len(), counts.len())));
    }
    if !counts.iter().all(|c| c.is_finite() && *c >= 0.0) || log_priors.iter().any(|p| p.is_nan() || *p == f64::INFINITY) {
        return Err(bad("its class shares are no shares"));
    }
    if log_priors.iter().all(|p| *p == f64::NEG_INFINITY) {
        return Err(bad("no class is possible"));
    }
    Ok(())
}

/// Whether these are logarithms of probabilities, give or take their scale.
pub(super) fn are_logs(values: &[f64]) -> bool {
    values.iter().all(|v| v.is_finite() || *v == f64::NEG_INFINITY)
}

/// Refuses to continue a model of other columns or classes.
pub(super) fn expect_same(learner: &str, cols: usize, classes: &[String], data: &DatasetRef<'_>) -> Result<()> {
    data.x.expect_cols(cols)?;
    let (_, names) = data.y.classes()?;
    if names != classes {
        return Err(Error::Target(format!("{learner} continues a model of the classes {classes:?}, and the data has {names:?}")));
    }
    Ok(())
}

/// The sums of one pass, without its end.
pub(super) fn totals<L: PassLearner>(
    learner: &L,
    state: &L::State,
    data: &DatasetRef<'_>,
    cx: &Context<'_>,
) -> Result<L::Partial> {
    let block_rows = cx.block_rows.unwrap_or_else(|| learner.block_rows(data.cols())).max(1);
    run_pass(data, block_rows, cx, &|block| {
        let mut part = learner.empty_partial(state);
        learner.add_block(state, &mut part, block)?;
        Ok(part)
    })
}
