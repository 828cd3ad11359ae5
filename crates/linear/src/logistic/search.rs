//! The way to the optimum: what to gather in the next pass, when to renew the metric, when to stop.

use ermine_core::{Certificate, Context, Error, Mat, Progress, Result, Trace};
use ermine_math::optimize::{LbfgsDescent, StepStatus};
use serde::{Deserialize, Serialize};

use super::super::passes::{CurvatureKind, HessianMetric, RowSample, refresh_pays};
use super::evaluate::{LogisticProblem, LogisticSums};
use super::hessian::hessian_metric;
use super::model::StandardErrors;
use super::sample::{as_dataset, class_weights};
use super::separation::{MAX_DIRECTION_LEN, loss_limit};

/// Steps that the quasi-Newton update remembers, and of points so long that going over them costs as much as a pass over the rows.
const LBFGS_MEMORY: usize = 20;
const LBFGS_MEMORY_LONG: usize = 15;
const LONG_POINT: usize = 100_000;
/// The step after which a metric that is not renewed at will is made anew once: by then the probabilities have taken shape.
const REFRESH_STEP: u64 = 4;
/// A direction along which the curvature has fallen to this share of what it was at the start leads to infinity.
const VANISHED_CURVATURE: f64 = 1e-7;

/// How to solve, fixed before the first pass.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct LogisticPlan {
    /// The penalty: the objective is Σ loss + alpha/2 ‖W‖².
    pub alpha: f64,
    /// What the metric is made of.
    pub kind: CurvatureKind,
    /// Whether it is made anew on the way.
    pub refresh_metric: bool,
    /// The relative distance to the optimum, in the norm of the Hessian, at which to stop.
    pub tol: f64,
    pub max_iter: u64,
    pub sparse: bool,
}

/// A search under way.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LogisticSearch {
    pub problem: LogisticProblem,
    pub plan: LogisticPlan,
    /// The names of the columns, where they have any.
    pub columns: Vec<String>,
    pub trace: Trace,
    descent: LbfgsDescent,
    metric: Option<HessianMetric>,
    /// The metric where the search began, kept where nothing penalises: it tells whether the data is separable.
    initial_metric: Option<HessianMetric>,
    /// What the pass under way gathers.
    wanted_curvature: CurvatureKind,
    /// The total weight of the rows.
    weight: f64,
    /// The relative distance at the last point that was taken.
    newton_distance: f64,
    /// Whether the metric is that of the last point taken.
    metric_is_current: bool,
    /// Whether it began at the optimum of a sample.
    from_sample: bool,
    /// The least log odds of the class of a row, at the last point that was taken.
    margin: f64,
    /// The end, once it is known; a last pass may still follow, for the standard errors.
    termination: Option<LogisticTermination>,
}

/// How a search ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct LogisticTermination {
    converged: bool,
    /// Whether the curvature along the last step has all but vanished.
    flat: bool,
}

/// What a search found.
pub struct NewtonSolution {
    pub point: Vec<f64>,
    pub certificate: Certificate,
    pub trace: Trace,
    /// Standard errors, where there are any.
    pub errors: Option<StandardErrors>,
}

impl LogisticSearch {
    /// A search from a point, with a metric if one is known already.
    pub fn new(
        problem: LogisticProblem,
        plan: LogisticPlan,
        start: Vec<f64>,
        metric: Option<HessianMetric>,
        weight: f64,
    ) -> Self {
        let wanted_curvature = if metric.is_some() { CurvatureKind::None } else { plan.kind };
        Self {
            descent: LbfgsDescent::new(start, memory(&problem)),
            trace: Trace::timed(&["objective", "step", "gradient_norm"]),
            problem,
            plan,
            columns: Vec::new(),
            metric,
            initial_metric: None,
            wanted_curvature,
            weight,
            newton_distance: f64::MAX,
            metric_is_current: false,
            from_sample: false,
            margin: -f64::MAX,
            termination: None,
        }
    }

    /// What the pass under way gathers.
    pub fn curvature_wanted(&self) -> CurvatureKind {
        self.wanted_curvature
    }

    /// Where the pass under way evaluates.
    pub fn point(&self) -> &[f64] {
        if self.termination.is_some() { self.descent.best() } else { self.descent.point() }
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.descent.steps()
    }

    /// The objective so far, as the learner states it.
    pub fn objective(&self) -> Option<f64> {
        (self.descent.value() < f64::MAX).then(|| self.reported_objective(self.descent.value()))
    }

    /// The objective of the learner, which multiplies the loss by C, from ours, which divides the penalty by it.
    fn reported_objective(&self, value: f64) -> f64 {
        if self.plan.alpha > 0.0 { value / self.plan.alpha } else { value }
    }

    /// The least log odds of the class of a row.
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// Whether it ended where the likelihood is flat along the last step.
    pub fn is_flat(&self) -> bool {
        self.termination.as_ref().is_some_and(|end| end.flat)
    }

    /// A direction along which the classes may be separable in part: the last step of a search without penalty that came to no end, or
    /// to one where the likelihood is flat.
    pub fn separation_candidate(&self) -> Option<Vec<f64>> {
        let end = self.termination.as_ref()?;
        let open = self.plan.alpha == 0.0 && self.margin <= 0.0 && (end.flat || !end.converged && self.steps() > 0);
        (open && self.problem.len() <= MAX_DIRECTION_LEN).then(|| self.descent.direction().to_vec())
    }

    /// Takes in the sums of a pass; true when there is nothing left to do.
    pub fn update(&mut self, sums: &LogisticSums, cx: &Context<'_>) -> Result<bool> {
        let fresh = hessian_metric(sums, &self.problem, self.plan.alpha);
        if self.termination.is_some() {
            self.metric = fresh.or(self.metric.take());
            self.metric_is_current = true;
            return Ok(true);
        }
        let (value, gradient) = self.objective_of(sums);
        if self.objective().is_none() && !(value.is_finite() && gradient.iter().all(|g| g.is_finite())) {
            let at = gradient.iter().position(|g| !g.is_finite()).map(|at| at % self.problem.width());
            return Err(match at.filter(|&j| j < self.problem.cols) {
                Some(j) => self.out_of_range(j, "sums overflow; divide it by a power of ten"),
                None => Error::Numeric("the sums of the columns overflow; scale the columns down".into()),
            });
        }
        match self.descent.report_value(value, &gradient) {
            StepStatus::LineSearch => return Ok(false),
            StepStatus::NoProgress => return Ok(self.finish(self.newton_distance <= self.plan.tol.max(1e-9), false)),
            StepStatus::Accepted => {}
        }
        self.margin = sums.margin;
        self.metric_is_current = fresh.is_some();
        if let Some(metric) = fresh {
            if self.plan.alpha == 0.0 && self.initial_metric.is_none() {
                self.initial_metric = Some(metric.clone());
            }
            self.metric = Some(metric);
            if self.plan.refresh_metric {
                self.descent.reset_memory();
            }
        }
        // The first step needs a metric that is right in size as well; afterwards the steps say how long they must be.
        if self.steps() > 0 {
            self.metric = self.metric.take().map(|metric| metric.damped(self.plan.alpha));
        }
        let norm = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        self.trace.push(&[self.reported_objective(value), self.descent.step_length(), self.reported_objective(norm)]);
        let Some(metric) = &self.metric else { return Ok(self.finish(false, false)) };
        if self.descent.steps() == 0 {
            self.refuse_range(metric, &gradient)?;
        }
        self.descent.propose(!self.plan.refresh_metric, |g| metric.solve(g));
        let before = std::mem::replace(&mut self.newton_distance, relative(self.descent.decrement(), value));
        Ok(self.decide(sums, before, cx))
    }

    /// Refuses columns whose squares leave the range of numbers: too large, or, where nothing is penalised, so small that they seem constant.
    fn refuse_range(&self, metric: &HessianMetric, gradient: &[f64]) -> Result<()> {
        let (q, cols) = (self.problem.width(), self.problem.cols);
        for (at, g) in gradient.iter().enumerate().filter(|(at, _)| at % q < cols) {
            let (j, along) = (at % q, metric.diagonal_at(at));
            if !along.is_finite() {
                return Err(self.out_of_range(j, "squares overflow; divide it by a power of ten"));
            }
            // The squares say that the column does not vary; its products with the residuals, beyond their rounding, that it does.
            let rounding = 1e-8 * self.problem.center.get(j).map_or(0.0, |c| c.abs()) * self.weight;
            let lost = self.plan.alpha == 0.0 && along < f64::MIN_POSITIVE / f64::EPSILON;
            if lost && g.abs() > rounding + f64::MIN_POSITIVE / f64::EPSILON.sqrt() {
                return Err(self.out_of_range(j, "squares underflow; multiply it by a power of ten"));
            }
        }
        Ok(())
    }

    fn out_of_range(&self, j: usize, what: &str) -> Error {
        let column = self.columns.get(j).map_or_else(|| format!("number {j}"), |name| format!("\"{name}\""));
        Error::Numeric(format!("column {column}: its {what}"))
    }

    /// Value and gradient of the objective from the sums of a pass.
    fn objective_of(&self, sums: &LogisticSums) -> (f64, Vec<f64>) {
        let (cols, q, alpha) = (self.problem.cols, self.problem.width(), self.plan.alpha);
        let mut gradient = sums.gradient(&self.problem);
        let mut square = 0.0;
        for (g, w) in gradient.chunks_exact_mut(q).zip(self.point().chunks_exact(q)) {
            for (g, w) in g[..cols].iter_mut().zip(w) {
                *g += alpha * w;
                square += w * w;
            }
        }
        (sums.loss + 0.5 * alpha * square, gradient)
    }

    /// After a step: stop, or what to gather next.
    fn decide(&mut self, sums: &LogisticSums, before: f64, cx: &Context<'_>) -> bool {
        let tol = self.plan.tol;
        let apart = self.plan.alpha == 0.0 && sums.margin > 0.0;
        if apart && sums.loss <= loss_limit(self.weight, tol) {
            return self.finish(true, false);
        }
        // With the Hessian at hand the last digits cost a step or two.
        let enough = tol
            * match (self.plan.refresh_metric, self.from_sample) {
                (true, false) => 1e-6,
                // Of so many rows the last digit costs more, and means less.
                (true, true) => 1e-5,
                (false, _) => 10.0,
            };
        let rate = self.newton_distance / before;
        let floor = self.metric_is_current && rate > 0.3 && self.newton_distance <= tol.max(1e-9) * 1e-2;
        if !apart && (self.newton_distance <= enough || floor) {
            return self.finish(true, false);
        }
        if let (Some(first), Some(metric), true) = (&self.initial_metric, &self.metric, self.metric_is_current) {
            let d = self.descent.direction();
            if self.steps() > 0 && metric.quadratic(d) <= VANISHED_CURVATURE * first.quadratic(d) {
                return self.finish(true, true);
            }
        }
        if self.steps() >= self.plan.max_iter || cx.deadline_passed() {
            return self.finish(false, false);
        }
        let renew = match self.plan.refresh_metric {
            true => self.wants_renewal(rate, enough),
            false => match self.plan.kind {
                CurvatureKind::Shared => self.steps() + 1 == REFRESH_STEP && !self.from_sample,
                // It costs no more than the pass does, and rows that are told apart well lose their curvature.
                CurvatureKind::Diagonal => self.steps() + 1 >= REFRESH_STEP && (self.steps() + 1).is_power_of_two(),
                CurvatureKind::None | CurvatureKind::Full => false,
            },
        };
        self.wanted_curvature = if renew { self.plan.kind } else { CurvatureKind::None };
        false
    }

    /// Whether to gather a new Hessian at the next point.
    fn wants_renewal(&self, rate: f64, enough: f64) -> bool {
        let (pairs, vectors) = (self.problem.pairs() as f64, self.problem.vectors() as f64);
        match self.steps() {
            // From the start of a search far away, but not from the optimum of a sample.
            0 => self.metric_is_current,
            _ => refresh_pays(rate, self.newton_distance, enough, self.problem.width() as f64 * (pairs / vectors) / 16.0),
        }
    }

    /// Ends the search; true unless a last pass is needed for the standard errors.
    fn finish(&mut self, converged: bool, flat: bool) -> bool {
        self.termination = Some(LogisticTermination { converged, flat });
        if self.may_have_errors() && !self.metric_is_current {
            self.wanted_curvature = CurvatureKind::Full;
            return false;
        }
        true
    }

    /// Whether the end is a maximum of the likelihood, as far as is known, and the Hessian is small enough to ask for.
    fn may_have_errors(&self) -> bool {
        let maximum = self.termination.as_ref().is_some_and(|end| end.converged && !end.flat) && self.margin <= 0.0;
        self.plan.alpha == 0.0 && self.plan.refresh_metric && maximum
    }

    /// What has been found so far; `method` is the name of the solver.
    pub fn solution(&self, method: &str) -> NewtonSolution {
        let mut point = self.descent.best().to_vec();
        self.center_weights(&mut point);
        let converged = self.termination.as_ref().is_some_and(|end| end.converged);
        let mut certificate = Certificate {
            method: method.to_owned(),
            objective: self.objective(),
            iterations: self.steps().max(1).min(self.plan.max_iter),
            converged,
            ..Certificate::default()
        };
        let mut errors = None;
        if let Some(metric) = &self.metric {
            let gradient = self.descent.gradient();
            let value = self.descent.value();
            let along = |(at, g): (usize, &f64)| {
                let scale = (metric.diagonal_at(at) * value).sqrt();
                if scale > 0.0 { g.abs() / scale } else { 0.0 }
            };
            certificate.kkt_residual = Some(gradient.iter().enumerate().map(along).fold(0.0, f64::max));
            certificate.duality_gap = self.gap(metric);
            if self.plan.refresh_metric && self.metric_is_current {
                certificate.condition = metric.condition();
                if metric.is_singular() {
                    certificate
                        .notes
                        .push("singular: some columns depend on others, and their weights are not determined".into());
                } else if self.may_have_errors() {
                    errors = self.errors(metric);
                }
            }
        }
        NewtonSolution { point, certificate, trace: self.trace.clone(), errors }
    }

    /// Standard errors from the inverse of the Hessian. Several classes have weights that sum to 0, and the metric is the Hessian with the
    /// mean curvature of each column added along what classes have in common, where the Hessian is 0; its inverse has the
    /// inverse of that in it, which comes off.
    fn errors(&self, metric: &HessianMetric) -> Option<StandardErrors> {
        let (v, q, cols) = (self.problem.vectors(), self.problem.width(), self.problem.cols);
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
        let intercept = self.problem.intercept.then(|| {
            let mut along: Vec<f64> = self.problem.center.iter().map(|c| -c).collect();
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

    /// Upper bound on objective minus optimum. The objective grows by at least half the square of the way in W, so the dual
    /// point that the residuals make has a gap of half the squared gradient by W; the intercept adds what a step of it
    /// alone would gain.
    fn gap(&self, metric: &HessianMetric) -> Option<f64> {
        if self.plan.alpha == 0.0 {
            return None;
        }
        let (cols, q) = (self.problem.cols, self.problem.width());
        let (mut weights, mut intercepts) = (0.0, 0.0);
        for (c, run) in self.descent.gradient().chunks_exact(q).enumerate() {
            weights += run[..cols].iter().map(|g| g * g).sum::<f64>() / self.plan.alpha;
            if q > cols {
                let curvature = metric.diagonal_at(c * q + cols);
                intercepts += if curvature > 0.0 { run[cols] * run[cols] / curvature } else { 0.0 };
            }
        }
        Some(self.reported_objective(0.5 * weights + intercepts))
    }

    /// Takes off what all weight vectors have in common: it changes no probability, and at the optimum it is 0.
    fn center_weights(&self, point: &mut [f64]) {
        let (v, q) = (self.problem.vectors(), self.problem.width());
        if v == 1 {
            return;
        }
        for j in 0..q {
            let mean = (0..v).map(|c| point[c * q + j]).sum::<f64>() / v as f64;
            (0..v).for_each(|c| point[c * q + j] -= mean);
        }
    }

    /// Starts from the optimum of a sample instead of from nothing: a few small passes save several large ones. The sample
    /// gives the metric too. Leaves everything as it was when the sample cannot be relied upon.
    pub fn warm_start(&mut self, sample: &RowSample<u32>, weights: &[f64], cx: &Context<'_>) -> Result<()> {
        let counts = class_weights(sample, weights.len());
        let fair = |(count, weight): (&f64, &f64)| {
            let expected = weight / sample.stride as f64;
            *weight == 0.0 || (*count >= 5.0 && *count >= 0.5 * expected && *count <= 2.0 * expected)
        };
        if !sample.is_large_enough(self.problem.len()) || self.plan.max_iter == 0 || !counts.iter().zip(weights).all(fair) {
            return Ok(());
        }
        let total = |w: &[f64]| -> f64 {
            let of = |(c, place): (&f64, &Option<u32>)| place.map_or(0.0, |k| c * self.problem.class_weight[k as usize]);
            w.iter().zip(&self.problem.class_position).map(of).sum()
        };
        let share = total(&counts) / total(weights);
        let plan = LogisticPlan { alpha: self.plan.alpha * share, max_iter: 50, tol: 1e-3, ..self.plan };
        let mut small = Self::new(self.problem.clone(), plan, self.descent.best().to_vec(), None, self.weight * share);
        small.columns.clone_from(&self.columns);
        // Beyond the noise of the sample there is nothing to learn from it.
        let noise = 0.02 * self.problem.len() as f64;
        loop {
            cx.report(Progress { stage: "sample", done: small.steps(), total: None, objective: None })?;
            let sums = small.evaluate(sample)?;
            let apart = self.plan.alpha == 0.0 && sums.margin > 0.0;
            if apart || cx.deadline_passed() || !sums.loss.is_finite() {
                return Ok(());
            }
            if small.update(&sums, cx)? || small.descent.decrement() <= noise {
                break;
            }
        }
        let start = small.descent.best().to_vec();
        if !start.iter().all(|v| v.is_finite()) {
            return Ok(());
        }
        // The metric at the end of the sample's way, not at its beginning.
        if !small.metric_is_current {
            small.termination = Some(LogisticTermination { converged: true, flat: false });
            small.wanted_curvature = small.plan.kind;
            let sums = small.evaluate(sample)?;
            small.update(&sums, cx)?;
        }
        self.initial_metric = small.initial_metric.take().map(|m| m.scaled(1.0 / share));
        self.metric = small.metric.take().map(|m| m.scaled(1.0 / share));
        self.descent = LbfgsDescent::new(start, memory(&self.problem));
        self.from_sample = true;
        self.wanted_curvature = if self.metric.is_some() { CurvatureKind::None } else { self.plan.kind };
        Ok(())
    }

    /// One pass over a sample.
    fn evaluate(&self, sample: &RowSample<u32>) -> Result<LogisticSums> {
        sample.gather(
            || self.problem.empty(self.wanted_curvature, self.plan.sparse),
            |piece, sums| self.problem.add(self.point(), self.wanted_curvature, sums, &as_dataset(piece)),
        )
    }
}

fn memory(problem: &LogisticProblem) -> usize {
    if problem.len() > LONG_POINT { LBFGS_MEMORY_LONG } else { LBFGS_MEMORY }
}

/// The distance to the optimum relative to the objective: the root of the decrement, which is a squared distance in the
/// norm of the Hessian, over the root of the value, which has the same unit.
fn relative(decrement: f64, value: f64) -> f64 {
    if decrement <= 0.0 { 0.0 } else { (decrement / value.max(f64::MIN_POSITIVE)).sqrt() }
}
