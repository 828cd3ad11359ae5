//! The way to the optimum: Newton's method or Fisher's scoring with step halving, or L-BFGS; what to gather in the next pass,
//! when to renew the metric, when to stop.

mod sample;

use ermine_core::{Certificate, Context, Error, Mat, Result, Trace};
use ermine_math::optimize::{LbfgsDescent, StepStatus};
use serde::{Deserialize, Serialize};

use super::super::passes::{CurvatureKind, CurvatureSums, HessianMetric, refresh_pays};
use super::evaluate::{GlmPassSums, GlmProblem, PassRequest};
use super::target_census::TargetSums;

/// Steps that the quasi-Newton update remembers.
const LBFGS_MEMORY: usize = 20;
/// A direction along which the curvature has fallen to this share of what it was at the start leads to infinity.
const VANISHED_CURVATURE: f64 = 1e-7;
/// A deviance below this share of the sums it is the difference of has lost digits, and is summed row by row.
const CANCELLED_DEVIANCE: f64 = 1e-6;

/// How to solve, fixed before the first pass.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct GlmPlan {
    /// The penalty next to the plain sum of losses: the objective is Σ w loss + alpha/2 |b|².
    pub alpha: f64,
    /// What the metric is made of.
    pub kind: CurvatureKind,
    /// Whether it is the Hessian, made anew on the way.
    pub newton: bool,
    /// The relative distance to the optimum, in the norm of the Hessian, at which to stop.
    pub tol: f64,
    pub max_iter: u64,
    pub sparse: bool,
}

/// A search under way.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GlmSearch {
    pub problem: GlmProblem,
    pub plan: GlmPlan,
    pub totals: TargetSums,
    /// Σ w loss of the model without columns.
    pub null_loss: f64,
    trace: Trace,
    descent: LbfgsDescent,
    metric: Option<HessianMetric>,
    /// The metric where the search began: it tells whether the likelihood has a maximum.
    first: Option<HessianMetric>,
    request: PassRequest,
    /// The relative distance at the last point that was taken.
    distance: f64,
    /// Whether the metric is that of the last point taken.
    metric_is_current: bool,
    /// Where to start again should the optimum of a sample be no place to begin.
    cold: Option<Vec<f64>>,
    /// Loss and Pearson's statistic at the last point taken.
    fit: Option<(f64, f64)>,
    /// The deviance summed row by row, once that was asked for.
    deviance: Option<f64>,
    termination: Option<GlmTermination>,
}

/// How a search ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct GlmTermination {
    converged: bool,
    note: Option<String>,
}

/// What a search found.
pub struct GlmSolution {
    /// Coefficients of the columns, 0 for the held one.
    pub coef: Vec<f64>,
    pub intercept: f64,
    pub certificate: Certificate,
    pub trace: Trace,
    /// Standard errors for a dispersion of 1, the intercept first (0 without one); none where coefficients are not determined.
    pub errors: Option<Vec<f64>>,
    /// Independent columns, the intercept apart.
    pub rank: usize,
    pub deviance: f64,
    pub pearson: f64,
    pub loss: f64,
}

impl GlmSearch {
    /// A search from a point.
    pub fn new(problem: GlmProblem, plan: GlmPlan, totals: TargetSums, null_loss: f64, start: Vec<f64>) -> Self {
        Self {
            descent: LbfgsDescent::new(start, LBFGS_MEMORY),
            trace: Trace::timed(&["objective", "step", "gradient_norm"]),
            request: PassRequest { curvature: plan.kind, closing: false },
            problem,
            plan,
            totals,
            null_loss,
            metric: None,
            first: None,
            distance: f64::MAX,
            metric_is_current: false,
            cold: None,
            fit: None,
            deviance: None,
            termination: None,
        }
    }

    /// What the pass under way gathers.
    pub fn pass_request(&self) -> PassRequest {
        self.request
    }

    /// Where the pass under way evaluates.
    pub fn point(&self) -> &[f64] {
        if self.termination.is_some() { self.descent.best() } else { self.descent.point() }
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.descent.steps()
    }

    /// Half the deviance plus the penalty, a row of weight 1 at a time: the objective as the learner states it.
    pub fn objective(&self) -> Option<f64> {
        let (loss, _) = self.fit?;
        Some((self.half_deviance(loss) + self.penalty(self.descent.best())) / self.totals.weight)
    }

    fn half_deviance(&self, loss: f64) -> f64 {
        self.deviance.map_or_else(|| (loss - self.totals.saturated).max(0.0), |d| 0.5 * d)
    }

    fn penalty(&self, point: &[f64]) -> f64 {
        0.5 * self.plan.alpha * point[..self.problem.cols].iter().map(|w| w * w).sum::<f64>()
    }

    /// Half the deviance of the model without columns; 0 where that has no possible means.
    fn half_null(&self) -> f64 {
        if self.null_loss.is_finite() { (self.null_loss - self.totals.saturated).max(0.0) } else { 0.0 }
    }

    /// What rounding of the loss is relative to. Added to every value, so that the line search knows which differences count.
    fn magnitude(&self) -> f64 {
        let null = if self.null_loss.is_finite() { self.null_loss.abs() } else { 0.0 };
        self.totals.saturated.abs() + null
    }

    /// Takes in the sums of a pass; true when there is nothing left to do.
    pub fn update(&mut self, sums: &GlmPassSums, cx: &Context<'_>) -> Result<bool> {
        let fresh = self.metric_of(sums);
        if self.termination.is_some() {
            self.metric = fresh.or(self.metric.take());
            self.metric_is_current = true;
            self.deviance = Some(sums.deviance);
            return Ok(true);
        }
        let mut gradient = sums.gradient(&self.problem);
        let point = self.descent.point();
        for (j, g) in gradient[..self.problem.cols].iter_mut().enumerate() {
            *g += self.plan.alpha * point[j];
        }
        let value = (sums.loss - self.totals.saturated) + self.penalty(point) + self.magnitude();
        let finite = value.is_finite() && gradient.iter().all(|g| g.is_finite());
        if self.fit.is_none() && !finite {
            if let Some(cold) = self.cold.take() {
                self.restart(cold);
                return Ok(false);
            }
            return Err(self.no_start_error(sums));
        }
        match self.descent.report_value(if finite { value } else { f64::INFINITY }, &gradient) {
            StepStatus::LineSearch => return Ok(false),
            StepStatus::NoProgress => return Ok(self.finish(self.distance <= self.plan.tol.max(1e-9), None)),
            StepStatus::Accepted => {}
        }
        if self.fit.is_none()
            && let Some(metric) = &fresh
        {
            self.refuse_overflow(metric, &gradient, sums.sizes)?;
        }
        self.fit = Some((sums.loss, sums.pearson));
        self.metric_is_current = fresh.is_some();
        if let Some(metric) = fresh {
            self.first.get_or_insert_with(|| metric.clone());
            self.metric = Some(metric);
            // With the expected curvature in place of the observed, the steps so far still teach what lies between them.
            if self.plan.newton && self.problem.family.is_convex(self.problem.link) {
                self.descent.reset_memory();
            }
        }
        let norm = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        let step = self.descent.step_length();
        self.trace.push(&[self.objective().unwrap_or(0.0), step, norm / self.totals.weight]);
        let Some(metric) = &self.metric else { return Ok(self.finish(false, None)) };
        self.descent.propose(!self.plan.newton, |g| metric.solve(g));
        let distance = self.relative();
        let before = std::mem::replace(&mut self.distance, distance);
        Ok(self.decide(before, cx))
    }

    fn metric_of(&self, sums: &GlmPassSums) -> Option<HessianMetric> {
        let (problem, alpha) = (&self.problem, self.plan.alpha);
        let penalty = |j: usize| if j < problem.cols { alpha } else { 0.0 };
        let curvature = sums.curvature.as_ref()?;
        if let CurvatureSums::Diagonal(diagonal) = curvature {
            let with = |(j, s): (usize, &f64)| if problem.is_free(j) { s + penalty(j) } else { 0.0 };
            let diagonal: Vec<f64> = diagonal.iter().enumerate().map(with).collect();
            return Some(HessianMetric::from_matrix(CurvatureKind::Diagonal, Mat::from_vec(1, diagonal.len(), diagonal)));
        }
        let mut matrix = curvature.matrix(&problem.center)?;
        (0..problem.cols).for_each(|j| matrix[(j, j)] += penalty(j));
        if let Some(held) = &problem.held {
            for j in 0..problem.width() {
                matrix[(held.column, j)] = 0.0;
                matrix[(j, held.column)] = 0.0;
            }
        }
        Some(HessianMetric::from_matrix(CurvatureKind::Full, matrix))
    }

    /// The relative distance to the optimum: the root of the decrement, a squared distance in the norm of the Hessian, over
    /// the root of half the deviance, which has the same unit. A fit that is nearly perfect is measured by the model without
    /// columns instead.
    fn relative(&self) -> f64 {
        let decrement = self.descent.decrement();
        let half = self.fit.map_or(0.0, |(loss, _)| self.half_deviance(loss) + self.penalty(self.descent.best()));
        let squares =
            if self.problem.family.power() == Some(0.0) { self.totals.weight * self.totals.largest.powi(2) } else { 0.0 };
        let scale = half.max(1e-12 * self.half_null()).max(1e-18 * (self.magnitude() + squares));
        if decrement <= 0.0 { 0.0 } else { (decrement / scale.max(f64::MIN_POSITIVE)).sqrt() }
    }

    /// After a step: stop, or what to gather next.
    fn decide(&mut self, before: f64, cx: &Context<'_>) -> bool {
        let (tol, warm) = (self.plan.tol, self.cold.is_some());
        // With the Hessian at hand the last digits cost a step or two; of many rows they cost more, and mean less.
        let share = match (self.plan.newton, warm) {
            (true, false) => 1e-6,
            (true, true) => {
                if self.plan.alpha == 0.0 {
                    1e-5
                } else {
                    1e-4
                }
            }
            (false, _) => 1e-1,
        };
        let enough = tol * share;
        let rate = self.distance / before;
        let floor = self.metric_is_current && rate > 0.3 && self.distance <= tol.max(1e-9) * 1e-2;
        if self.distance <= enough || floor {
            return self.finish(true, None);
        }
        if let (Some(first), Some(metric), true) = (&self.first, &self.metric, self.metric_is_current) {
            let d = self.descent.direction();
            if self.steps() > 0 && metric.quadratic(d) <= VANISHED_CURVATURE * first.quadratic(d) {
                let note = match self.problem.family.power() {
                    None => {
                        "separable: some rows can be told apart without error, so the likelihood has no maximum; some \
                         coefficients would grow without end, and are only a sign and a size"
                    }
                    Some(_) => {
                        "the likelihood has no maximum: where every target is 0 the mean falls towards 0 without end; the fit \
                         stopped where it is flat, and some coefficients are only a sign and a size"
                    }
                };
                return self.finish(true, Some(note));
            }
        }
        if self.steps() >= self.plan.max_iter || cx.deadline_passed() {
            return self.finish(false, None);
        }
        let renew = self.plan.newton && self.wants_renewal(rate, enough);
        self.request.curvature = if renew { self.plan.kind } else { CurvatureKind::None };
        false
    }

    /// Whether to gather a new Hessian at the next point.
    fn wants_renewal(&self, rate: f64, enough: f64) -> bool {
        match self.steps() {
            // From the start of a search far away, but not from the optimum of a sample.
            0 => self.metric_is_current,
            _ => refresh_pays(rate, self.distance, enough, self.problem.width() as f64 / 16.0),
        }
    }

    /// Ends the search; true unless a last pass is needed, for standard errors or for a deviance that cancels.
    fn finish(&mut self, converged: bool, note: Option<&str>) -> bool {
        let canonical = self.problem.family.is_canonical(self.problem.link);
        let errors = self.plan.alpha == 0.0 && self.plan.newton && converged && note.is_none();
        let stale = errors && !(self.metric_is_current && canonical);
        let cancelled = self.fit.is_some_and(|(loss, _)| {
            loss - self.totals.saturated <= CANCELLED_DEVIANCE * (loss.abs() + self.totals.saturated.abs())
        });
        self.termination = Some(GlmTermination { converged, note: note.map(str::to_owned) });
        let curvature = if stale { CurvatureKind::Full } else { CurvatureKind::None };
        self.request = PassRequest { curvature, closing: true };
        !(stale || cancelled && self.problem.family.power() != Some(0.0))
    }

    /// What has been found so far.
    pub fn solution(&self) -> GlmSolution {
        let mut point = self.descent.best().to_vec();
        let (loss, pearson) = self.fit.unwrap_or((0.0, 0.0));
        let GlmTermination { converged, note } =
            self.termination.clone().unwrap_or(GlmTermination { converged: false, note: None });
        let mut certificate = Certificate {
            method: match (self.plan.newton, self.problem.family.is_convex(self.problem.link)) {
                (true, true) => "newton",
                (true, false) => "fisher scoring",
                (false, _) => "lbfgs",
            }
            .to_owned(),
            objective: self.objective(),
            iterations: self.steps().max(1).min(self.plan.max_iter.max(1)),
            converged,
            ..Certificate::default()
        };
        certificate.notes.extend(note);
        let free = (0..self.problem.cols).filter(|&j| self.problem.is_free(j)).count();
        let (mut errors, mut rank) = (None, free);
        if let Some(metric) = &self.metric {
            let value = (self.half_deviance(loss) + self.penalty(&point)).max(1e-12 * self.half_null());
            let along = |(at, g): (usize, &f64)| {
                let scale = (metric.diagonal_at(at) * value).sqrt();
                if scale > 0.0 { g.abs() / scale } else { 0.0 }
            };
            certificate.kkt_residual = Some(self.descent.gradient().iter().enumerate().map(along).fold(0.0, f64::max));
            if self.plan.newton {
                if self.metric_is_current {
                    certificate.condition = metric.condition();
                }
                let empty = (0..self.problem.cols).any(|j| self.problem.is_free(j) && metric.diagonal_at(j) == 0.0);
                if metric.is_singular() || empty {
                    rank = free.saturating_sub(self.min_norm_point(metric, &mut point));
                    certificate.notes.push(format!(
                        "singular: rank {rank} of {free} columns; some depend on others, and of all coefficients that fit alike \
                         the shortest were taken"
                    ));
                } else if self.plan.alpha == 0.0 && converged && certificate.notes.is_empty() && self.metric_is_current {
                    errors = self.errors(metric);
                }
                certificate.rank = Some(rank);
            }
        }
        GlmSolution {
            coef: point[..self.problem.cols].to_vec(),
            intercept: self.problem.bias(&point),
            certificate,
            trace: self.trace.clone(),
            errors,
            rank,
            deviance: 2.0 * self.half_deviance(loss),
            pearson,
            loss,
        }
    }

    /// Replaces a point by the one of least length in the coefficients among those that give the same scores; how many
    /// directions are free.
    fn min_norm_point(&self, metric: &HessianMetric, point: &mut [f64]) -> usize {
        let cols = self.problem.cols;
        let dot = |a: &[f64], b: &[f64]| a[..cols].iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut taken: Vec<Vec<f64>> = Vec::new();
        for mut direction in metric.null_directions() {
            if self.problem.held.as_ref().is_some_and(|h| direction[h.column] != 0.0) {
                continue;
            }
            // Twice, so that rounding leaves nothing along the ones before.
            for _ in 0..2 {
                for other in &taken {
                    let along = dot(&direction, other);
                    direction.iter_mut().zip(other).for_each(|(d, o)| *d -= along * o);
                }
                let length = dot(&direction, &direction).sqrt();
                direction.iter_mut().for_each(|d| *d /= length);
            }
            if direction.iter().all(|d| d.is_finite()) {
                let along = dot(point, &direction);
                point.iter_mut().zip(&direction).for_each(|(p, d)| *p -= along * d);
                taken.push(direction);
            }
        }
        taken.len()
    }

    fn errors(&self, metric: &HessianMetric) -> Option<Vec<f64>> {
        let of = metric.standard_errors()?;
        let mut out = vec![0.0; self.problem.cols + 1];
        out[1..].copy_from_slice(&of[..self.problem.cols]);
        if let Some(held) = &self.problem.held {
            out[1 + held.column] = 0.0;
        }
        if self.problem.intercept {
            let mut along: Vec<f64> = self.problem.center.iter().map(|c| -c).collect();
            along.resize(self.problem.cols, 0.0);
            along.push(1.0);
            out[0] = metric.standard_error_along(&along);
        }
        Some(out)
    }

    /// Begins again from a point, with nothing known.
    fn restart(&mut self, start: Vec<f64>) {
        *self = Self::new(self.problem.clone(), self.plan, self.totals, self.null_loss, start);
    }

    /// Why there is no value where the search begins.
    fn no_start_error(&self, sums: &GlmPassSums) -> Error {
        let (family, link) = (self.problem.family, self.problem.link);
        if sums.loss.is_finite() {
            let wide = sums.products.iter().position(|v| !v.is_finite());
            return Error::Numeric(match wide {
                Some(j) => format!("{}: its sums overflow; divide it by a power of ten", self.problem.column(j)),
                None => "the sums of the columns overflow; scale the columns down".into(),
            });
        }
        let way_out = if self.problem.intercept { "" } else { ", fit an intercept" };
        Error::Numeric(format!(
            "where the fit begins the {} link gives some row a mean that the {} family cannot have; use the {} link{way_out}, or \
             give a start",
            link.name(),
            family.name(),
            family.default_link().name(),
        ))
    }

    /// Refuses columns whose squares leave the range of numbers; `sizes` is Σ |residual|.
    fn refuse_overflow(&self, metric: &HessianMetric, gradient: &[f64], sizes: f64) -> Result<()> {
        for j in (0..self.problem.cols).filter(|&j| self.problem.is_free(j)) {
            let along = metric.diagonal_at(j);
            if !along.is_finite() {
                return Err(Error::Numeric(format!(
                    "{}: its squares overflow; divide it by a power of ten",
                    self.problem.column(j)
                )));
            }
            // The squares say that the column does not vary; its products with the residuals, beyond their rounding, that it
            // does.
            let rounding = 1e-8 * self.problem.center.get(j).map_or(0.0, |c| c.abs()) * sizes;
            let lost = along < f64::MIN_POSITIVE / f64::EPSILON;
            if lost && gradient[j].abs() > rounding + f64::MIN_POSITIVE / f64::EPSILON.sqrt() {
                let column = self.problem.column(j);
                return Err(Error::Numeric(format!("{column}: its squares underflow; multiply it by a power of ten")));
            }
        }
        Ok(())
    }
}
