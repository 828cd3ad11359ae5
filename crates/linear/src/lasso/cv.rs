//! The penalty chosen by cross-validation.

use ermine_core::{Context, DatasetRef, Error, ModelReader, ModelWriter, Result};
use ermine_math::affine::affine;

#[cfg(feature = "fit")]
use super::path::{path_options, solve_path};
#[cfg(feature = "fit")]
use super::problem::LassoProblem;
#[cfg(feature = "fit")]
use super::solver::{LassoSolver, LassoSolverOptions};
use ermine_core::splits::k_fold;

/// Errors of cross-validation along a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Validation {
    /// The penalties, falling.
    pub alphas: Vec<f64>,
    /// The mean squared error on the rows left out, averaged over the folds.
    pub mean: Vec<f64>,
    /// Its standard error over the folds.
    pub std_err: Vec<f64>,
    /// The step with the least error.
    pub best: usize,
    /// The step with the largest penalty whose error is within one standard error of the least.
    pub one_std_err: usize,
}

impl Validation {
    fn new(alphas: &[f64], errors: &[Vec<f64>]) -> Self {
        let folds = errors.len() as f64;
        let at = |k: usize| errors.iter().map(move |e| e[k]);
        let mean: Vec<f64> = (0..alphas.len()).map(|k| at(k).sum::<f64>() / folds).collect();
        let spread = |k: usize| at(k).map(|e| (e - mean[k]).powi(2)).sum::<f64>() / (folds - 1.0);
        let std_err: Vec<f64> = (0..alphas.len()).map(|k| (spread(k) / folds).sqrt()).collect();
        let best = (1..mean.len()).fold(0, |b, k| if mean[k] < mean[b] { k } else { b });
        let one_std_err = (0..=best).find(|&k| mean[k] <= mean[best] + std_err[best]).unwrap_or(best);
        Self { alphas: alphas.to_vec(), mean, std_err, best, one_std_err }
    }

    pub(super) fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.vec("alphas", &self.alphas);
        out.vec("mean", &self.mean);
        out.vec("std_err", &self.std_err);
        out.field("best", &self.best)?;
        out.field("one_std_err", &self.one_std_err)
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let alphas: Vec<f64> = input.vec("alphas")?;
        let (best, one_std_err) = (input.field("best")?, input.field("one_std_err")?);
        if best >= alphas.len() || one_std_err > best {
            return Err(Error::Model(format!("step {best} or {one_std_err} chosen of {}", alphas.len())));
        }
        Ok(Self {
            mean: input.vec_of("mean", alphas.len())?,
            std_err: input.vec_of("std_err", alphas.len())?,
            alphas,
            best,
            one_std_err,
        })
    }
}

/// Settings of the fits of the folds.
#[cfg(feature = "fit")]
pub(super) struct LassoCvOptions<'p> {
    pub learner: &'static str,
    pub folds: usize,
    pub fit_intercept: bool,
    pub kind: (f64, bool),
    pub options: LassoSolverOptions,
    /// A path for each target.
    pub alphas: &'p [Vec<f64>],
}

/// Errors along the path of each target. A fold is left out by weight 0, so the data is not copied.
#[cfg(feature = "fit")]
pub(super) fn cross_validate(data: &DatasetRef<'_>, plan: &LassoCvOptions<'_>, cx: &Context<'_>) -> Result<Vec<Validation>> {
    let rows: Vec<usize> = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).collect();
    let folds = k_fold(rows.len(), plan.folds, cx.seed)?;
    let y = data.y.reals()?;
    let mut errors = vec![Vec::with_capacity(plan.folds); plan.alphas.len()];
    for fold in 0..plan.folds {
        let mut weight: Vec<f64> = (0..data.rows()).map(|i| data.weight_of(i)).collect();
        let tested: Vec<usize> = rows.iter().zip(&folds.fold_of).filter(|(_, f)| **f == fold).map(|(&i, _)| i).collect();
        tested.iter().for_each(|&i| weight[i] = 0.0);
        let part = data.with_weight(Some(&weight));
        let problem = LassoProblem::new(&part, plan.fit_intercept, plan.learner)?;
        let held_out = data.x.take_rows(&tested);
        let mut solver = LassoSolver::new(&problem, path_options(plan.options, &plan.alphas[0]), cx.seed);
        for (k, alphas) in plan.alphas.iter().enumerate() {
            let (path, ..) = solve_path(&problem, &mut solver, k, alphas, plan.kind, None, cx)?;
            if path.len() < alphas.len() {
                return Err(Error::Deadline("cross-validation".into()));
            }
            let predicted = affine(&held_out.view(), &path.coefs(), &path.intercepts, plan.learner)?;
            let total: f64 = tested.iter().map(|&i| data.weight_of(i)).sum();
            let error = |step: usize| -> f64 {
                let squares = tested.iter().enumerate().map(|(at, &i)| {
                    let e = y.at(i, k) - predicted[(at, step)];
                    data.weight_of(i) * e * e
                });
                squares.sum::<f64>() / total
            };
            errors[k].push((0..alphas.len()).map(error).collect::<Vec<f64>>());
        }
    }
    Ok(plan.alphas.iter().zip(&errors).map(|(alphas, errors)| Validation::new(alphas, errors)).collect())
}
