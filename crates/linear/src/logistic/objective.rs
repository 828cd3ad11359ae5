//! The objective of logistic regression in passes, and what the search for its optimum found.

use ermine_core::{Certificate, Context, DatasetRef, Error, Mat, Result, Trace};
use serde::{Deserialize, Serialize};

use super::super::passes::{CurvatureKind, HessianMetric, NewtonPlan, NewtonSearch, Objective, PassRequest, RowSample};
use super::super::passes::{SamplePiece, Termination, squares_underflow};
use super::evaluate::{LogisticProblem, LogisticSums};
use super::hessian::hessian_metric;
use super::model::StandardErrors;
use super::sample::{as_dataset, class_weights};
use super::separation::{MAX_DIRECTION_LEN, loss_limit};

/// The sum of the losses as the objective of a search.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LogisticObjective {
    pub problem: LogisticProblem,
    /// The names of the columns, where they have any.
    columns: Vec<String>,
    /// The total weight of the rows.
    weight: f64,
    /// The smallest log odds of the class of a row, at the last accepted point.
    margin: f64,
}

/// A search for the optimum.
pub type LogisticSearch = NewtonSearch<LogisticObjective>;

/// The result of a search.
pub struct LogisticOptimum {
    pub point: Vec<f64>,
    pub certificate: Certificate,
    pub trace: Trace,
    /// Standard errors, where there are any.
    pub errors: Option<StandardErrors>,
}

impl LogisticObjective {
    pub fn new(problem: LogisticProblem, columns: Vec<String>, weight: f64) -> Self {
        Self { problem, columns, weight, margin: -f64::MAX }
    }

    fn out_of_range(&self, j: usize, what: &str) -> Error {
        let column = self.columns.get(j).map_or_else(|| format!("number {j}"), |name| format!("\"{name}\""));
        Error::Numeric(format!("column {column}: its {what}"))
    }

    /// Whether the end is a maximum of the likelihood, as far as is known, and the Hessian is small enough to ask for.
    fn may_have_errors(&self, plan: &NewtonPlan, end: Termination) -> bool {
        plan.alpha == 0.0 && plan.newton && end.converged && !end.flat && self.margin <= 0.0
    }
}

impl Objective for LogisticObjective {
    type Sums = LogisticSums;
    type Target = u32;
    const SAMPLE_MUST_CONVERGE: bool = false;

    fn empty(&self, request: PassRequest, sparse: bool) -> LogisticSums {
        self.problem.empty(request.curvature, sparse)
    }

    fn add(&self, point: &[f64], request: PassRequest, sums: &mut LogisticSums, rows: &DatasetRef<'_>) -> Result<()> {
        self.problem.add(point, request.curvature, sums, rows)
    }

    fn sample_rows(piece: &SamplePiece<u32>) -> DatasetRef<'_> {
        as_dataset(piece)
    }

    fn value_and_gradient(&self, sums: &LogisticSums, point: &[f64], alpha: f64) -> (f64, Vec<f64>) {
        let (cols, q) = (self.problem.cols, self.problem.width());
        let mut gradient = sums.gradient(&self.problem);
        let mut square = 0.0;
        for (g, w) in gradient.chunks_exact_mut(q).zip(point.chunks_exact(q)) {
            for (g, w) in g[..cols].iter_mut().zip(w) {
                *g += alpha * w;
                square += w * w;
            }
        }
        (sums.loss + 0.5 * alpha * square, gradient)
    }

    fn metric(&self, sums: &LogisticSums, alpha: f64) -> Option<HessianMetric> {
        hessian_metric(sums, &self.problem, alpha)
    }

    fn accept(&mut self, sums: &LogisticSums, closing: bool) {
        if !closing {
            self.margin = sums.margin;
        }
    }

    fn decrement_scale(&self, value: f64, _: &[f64], _: f64) -> f64 {
        value
    }

    /// The learner multiplies the loss by C where the sums divide the penalty by it.
    fn reported(&self, value: f64, _: &[f64], plan: &NewtonPlan) -> f64 {
        value / plan.unit
    }

    fn separated(&self, sums: &LogisticSums, plan: &NewtonPlan) -> Option<bool> {
        (plan.alpha == 0.0 && sums.margin > 0.0).then(|| sums.loss <= loss_limit(self.weight, plan.tol))
    }

    /// For the standard errors.
    fn closing_pass(&self, plan: &NewtonPlan, end: Termination, metric_is_current: bool) -> Option<CurvatureKind> {
        (self.may_have_errors(plan, end) && !metric_is_current).then_some(CurvatureKind::Full)
    }

    fn start_error(&self, _: &LogisticSums, gradient: &[f64]) -> Error {
        let at = gradient.iter().position(|g| !g.is_finite()).map(|at| at % self.problem.width());
        match at.filter(|&j| j < self.problem.cols) {
            Some(j) => self.out_of_range(j, "sums overflow; divide it by a power of ten"),
            None => Error::Numeric("the sums of the columns overflow; scale the columns down".into()),
        }
    }

    /// Columns that are too large or, where nothing is penalized, so small that they seem constant.
    fn check_range(&self, plan: &NewtonPlan, metric: &HessianMetric, gradient: &[f64], _: &LogisticSums, _: bool) -> Result<()> {
        let (q, cols) = (self.problem.width(), self.problem.cols);
        for (at, g) in gradient.iter().enumerate().filter(|(at, _)| at % q < cols) {
            let (j, along) = (at % q, metric.diagonal_at(at));
            if !along.is_finite() {
                return Err(self.out_of_range(j, "squares overflow; divide it by a power of ten"));
            }
            let center = self.problem.center.get(j).map_or(0.0, |c| c.abs());
            if plan.alpha == 0.0 && squares_underflow(along, *g, center * self.weight) {
                return Err(self.out_of_range(j, "squares underflow; multiply it by a power of ten"));
            }
        }
        Ok(())
    }

    fn sample_noise(&self, sums: &LogisticSums, plan: &NewtonPlan) -> Option<f64> {
        let separated = plan.alpha == 0.0 && sums.margin > 0.0;
        (!separated && sums.loss.is_finite()).then(|| 0.02 * self.problem.len() as f64)
    }
}

impl LogisticSearch {
    /// The smallest log odds of the class of a row.
    pub fn margin(&self) -> f64 {
        self.objective.margin
    }

    /// Whether it ended where the likelihood is flat along the last step.
    pub fn is_flat(&self) -> bool {
        self.termination().is_some_and(|end| end.flat)
    }

    /// A direction along which the classes may be separable in part: the last step of a search without penalty that came to no end, or
    /// to one where the likelihood is flat.
    pub fn separation_candidate(&self) -> Option<Vec<f64>> {
        let end = self.termination()?;
        let open = self.plan.alpha == 0.0 && self.margin() <= 0.0 && (end.flat || !end.converged && self.steps() > 0);
        (open && self.objective.problem.len() <= MAX_DIRECTION_LEN).then(|| self.direction().to_vec())
    }

    /// Starts from the optimum of a sample where every class has its share of the rows; `weights` are those of all classes.
    pub fn start_from_sample(&mut self, sample: &RowSample<u32>, weights: &[f64], cx: &Context<'_>) -> Result<()> {
        let problem = &self.objective.problem;
        let counts = class_weights(sample, weights.len());
        let fair = |(count, weight): (&f64, &f64)| {
            let expected = weight / sample.stride as f64;
            *weight == 0.0 || (*count >= 5.0 && *count >= 0.5 * expected && *count <= 2.0 * expected)
        };
        if !sample.is_large_enough(problem.len()) || self.plan.max_iter == 0 || !counts.iter().zip(weights).all(fair) {
            return Ok(());
        }
        let total = |w: &[f64]| -> f64 {
            let of = |(c, place): (&f64, &Option<u32>)| place.map_or(0.0, |k| c * problem.class_weight[k as usize]);
            w.iter().zip(&problem.class_position).map(of).sum()
        };
        let share = total(&counts) / total(weights);
        let small = LogisticObjective { weight: self.objective.weight * share, ..self.objective.clone() };
        self.warm_start(sample, share, small, cx)
    }

    /// The result so far.
    pub fn solution(&self) -> LogisticOptimum {
        let mut point = self.best().to_vec();
        self.center_weights(&mut point);
        let mut certificate = self.certificate(if self.plan.newton { "newton" } else { "lbfgs" }, self.value());
        let mut errors = None;
        if let Some(metric) = self.metric() {
            certificate.duality_gap = self.gap(metric);
            if self.hessian_is_current() && metric.is_singular() {
                certificate.notes.push("singular: some columns depend on others, and their weights are not determined".into());
            } else if self.hessian_is_current()
                && self.termination().is_some_and(|end| self.objective.may_have_errors(&self.plan, end))
            {
                errors = self.errors(metric);
            }
        }
        LogisticOptimum { point, certificate, trace: self.trace().clone(), errors }
    }

    /// Standard errors from the inverse of the Hessian. Several classes have weights that sum to 0, and the metric is the Hessian with the
    /// mean curvature of each column added along what classes have in common, where the Hessian is 0; its inverse has the
    /// inverse of that in it, which comes off.
    fn errors(&self, metric: &HessianMetric) -> Option<StandardErrors> {
        let (v, q, cols) = (self.objective.problem.vectors(), self.objective.problem.width(), self.objective.problem.cols);
        let all = metric.standard_errors()?;
        let common: Vec<f64> = (0..q)
            .map(|j| match v {
                1 => 0.0,
                _ => {
                    let sum: f64 = (0..v).map(|c| metric.diagonal_at(c * q + j)).sum();
                    (v + 1) as f64 / (v as f64 * sum)
                }
            })
            .collect();
        let of = |c: usize, j: usize| (all[c * q + j] * all[c * q + j] - common[j]).max(0.0).sqrt();
        let coef = Mat::from_fn(v, cols, of);
        let intercept = self.objective.problem.intercept.then(|| {
            let mut along: Vec<f64> = self.objective.problem.center.iter().map(|c| -c).collect();
            along.resize(cols, 0.0);
            along.push(1.0);
            let taken_off: f64 = along.iter().zip(&common).map(|(a, c)| a * a * c).sum();
            let one = |c: usize| {
                let mut factors = vec![0.0; v * q];
                factors[c * q..(c + 1) * q].copy_from_slice(&along);
                let error = metric.standard_error_along(&factors);
                (error * error - taken_off).max(0.0).sqrt()
            };
            (0..v).map(one).collect()
        });
        Some(StandardErrors { coef, intercept })
    }

    /// Upper bound on objective minus optimum. The objective grows by at least half the squared distance in W, so the dual
    /// point that the residuals make has a gap of half the squared gradient by W; the intercept adds what a step of it
    /// alone would gain.
    fn gap(&self, metric: &HessianMetric) -> Option<f64> {
        if self.plan.alpha == 0.0 {
            return None;
        }
        let (cols, q) = (self.objective.problem.cols, self.objective.problem.width());
        let (mut weights, mut intercepts) = (0.0, 0.0);
        for (c, run) in self.gradient().chunks_exact(q).enumerate() {
            weights += run[..cols].iter().map(|g| g * g).sum::<f64>() / self.plan.alpha;
            if q > cols {
                let curvature = metric.diagonal_at(c * q + cols);
                intercepts += if curvature > 0.0 { run[cols] * run[cols] / curvature } else { 0.0 };
            }
        }
        Some((0.5 * weights + intercepts) / self.plan.unit)
    }

    /// Takes off what all weight vectors have in common: it changes no probability, and at the optimum it is 0.
    fn center_weights(&self, point: &mut [f64]) {
        let (v, q) = (self.objective.problem.vectors(), self.objective.problem.width());
        if v == 1 {
            return;
        }
        for j in 0..q {
            let mean = (0..v).map(|c| point[c * q + j]).sum::<f64>() / v as f64;
            (0..v).for_each(|c| point[c * q + j] -= mean);
        }
    }
}
