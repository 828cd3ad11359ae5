//! Newton's method or L-BFGS in passes over rows: what the next pass gathers, when the metric is renewed, when to stop.

use ermine_core::{Certificate, Context, DatasetRef, Error, Partial, Progress, Result, Trace};
use ermine_math::optimize::{LbfgsDescent, StepStatus};
use serde::{Deserialize, Serialize};

use super::{CurvatureKind, HessianMetric, RowSample, SamplePiece};

/// The step after which a metric shared by all classes is renewed once: by then the probabilities have taken shape.
const REFRESH_STEP: u64 = 4;
/// A direction along which the curvature has fallen to this share of what it was at the start leads to infinity.
const VANISHED_CURVATURE: f64 = 1e-7;

/// The curvature that a pass gathers besides loss and gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassRequest {
    pub curvature: CurvatureKind,
    /// Whether this is the last pass, after the search has ended.
    pub closing: bool,
}

/// How to solve, fixed before the first pass. The objective is Σ w loss + alpha/2 |b|².
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct NewtonPlan {
    /// The penalty next to the plain sum of losses.
    pub alpha: f64,
    /// The kind of the metric.
    pub kind: CurvatureKind,
    /// Whether the metric is the Hessian, renewed during the search.
    pub newton: bool,
    /// The relative distance to the optimum, in the norm of the Hessian, at which to stop: this times `share`, of a search from the
    /// start and of one from the optimum of a sample.
    pub tol: f64,
    pub share: [f64; 2],
    pub max_iter: u64,
    pub sparse: bool,
    /// Steps that the quasi-Newton update remembers.
    pub memory: usize,
    /// Passes that a Hessian costs.
    pub hessian_cost: f64,
    /// The divisor of the objective where the learner reports it.
    pub unit: f64,
    /// Whether a new Hessian makes the steps so far worthless. With the expected curvature in place of the observed, they still
    /// teach what lies between the two.
    pub exact_hessian: bool,
    /// Whether a vanishing curvature means that the likelihood has no maximum.
    pub watch_curvature: bool,
    /// Whether a metric that is not the Hessian is renewed.
    pub renew_metric: bool,
    /// The argument of [`HessianMetric::damped`] after the first step; 0 for no damping.
    pub damping: f64,
}

/// How a search ended.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Termination {
    pub converged: bool,
    /// Whether the curvature along the last step has all but vanished.
    pub flat: bool,
}

/// A smooth convex function that is evaluated in passes over rows.
pub trait Objective: Clone + Sync {
    type Sums: Partial;
    /// The target of a row in a sample.
    type Target: Copy + Sync;
    /// Whether the optimum of a sample is a place to start only where the search for it has converged.
    const SAMPLE_MUST_CONVERGE: bool;

    fn empty(&self, request: PassRequest, sparse: bool) -> Self::Sums;
    fn add(&self, point: &[f64], request: PassRequest, sums: &mut Self::Sums, rows: &DatasetRef<'_>) -> Result<()>;
    fn sample_rows(piece: &SamplePiece<Self::Target>) -> DatasetRef<'_>;

    /// The value, finite differences of which matter, and the gradient.
    fn value_and_gradient(&self, sums: &Self::Sums, point: &[f64], alpha: f64) -> (f64, Vec<f64>);
    /// The metric of the curvature in the sums, if they have any.
    fn metric(&self, sums: &Self::Sums, alpha: f64) -> Option<HessianMetric>;
    /// Records further sums at an accepted point, or at the best one in a closing pass.
    fn accept(&mut self, sums: &Self::Sums, closing: bool);
    /// The scale of a decrement, at the last accepted point.
    fn decrement_scale(&self, value: f64, point: &[f64], alpha: f64) -> f64;
    /// The objective as the learner states it, at the last accepted point.
    fn reported(&self, value: f64, point: &[f64], plan: &NewtonPlan) -> f64;

    /// Whether classes are separated far enough, where they are separated at all and nothing is penalized.
    fn separated(&self, sums: &Self::Sums, plan: &NewtonPlan) -> Option<bool>;
    /// The purpose of a pass after the end; none for no such pass.
    fn closing_pass(&self, plan: &NewtonPlan, end: Termination, metric_is_current: bool) -> Option<CurvatureKind>;
    /// Why there is no finite value where the search starts.
    fn start_error(&self, sums: &Self::Sums, gradient: &[f64]) -> Error;
    /// Refuses columns whose squares leave the range of f64; `is_fresh` is whether the metric is of this pass.
    fn check_range(
        &self,
        plan: &NewtonPlan,
        metric: &HessianMetric,
        gradient: &[f64],
        sums: &Self::Sums,
        is_fresh: bool,
    ) -> Result<()>;
    /// The decrement below which the optimum of a sample is noise; none for sums that make the sample useless.
    fn sample_noise(&self, sums: &Self::Sums, plan: &NewtonPlan) -> Option<f64>;
}

/// State of a search between passes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NewtonSearch<O> {
    pub objective: O,
    pub plan: NewtonPlan,
    trace: Trace,
    descent: LbfgsDescent,
    metric: Option<HessianMetric>,
    /// The metric where the search began, kept where it decides whether the likelihood has a maximum.
    initial_metric: Option<HessianMetric>,
    request: PassRequest,
    /// The relative distance at the last accepted point.
    distance: f64,
    /// Whether the metric is that of the last accepted point.
    metric_is_current: bool,
    /// Where to start again should the optimum of a sample be no place to start.
    cold_start: Option<Vec<f64>>,
    /// The end, once it is known; a closing pass may still follow.
    termination: Option<Termination>,
}

impl<O: Objective> NewtonSearch<O> {
    /// A search from a point.
    pub fn new(objective: O, plan: NewtonPlan, start: Vec<f64>) -> Self {
        Self {
            descent: LbfgsDescent::new(start, plan.memory),
            trace: Trace::timed(&["objective", "step", "gradient_norm"]),
            request: PassRequest { curvature: plan.kind, closing: false },
            objective,
            plan,
            metric: None,
            initial_metric: None,
            distance: f64::MAX,
            metric_is_current: false,
            cold_start: None,
            termination: None,
        }
    }

    /// Empty sums for the current pass.
    pub fn empty(&self) -> O::Sums {
        self.objective.empty(self.request, self.plan.sparse)
    }

    /// Adds a block of rows in the current pass.
    pub fn add(&self, sums: &mut O::Sums, rows: &DatasetRef<'_>) -> Result<()> {
        self.objective.add(self.point(), self.request, sums, rows)
    }

    /// The point that the current pass evaluates.
    pub fn point(&self) -> &[f64] {
        if self.termination.is_some() { self.descent.best() } else { self.descent.point() }
    }

    /// The last accepted point.
    pub fn best(&self) -> &[f64] {
        self.descent.best()
    }

    /// The value at the last accepted point.
    pub fn value(&self) -> f64 {
        self.descent.value()
    }

    /// The gradient at the last accepted point.
    pub fn gradient(&self) -> &[f64] {
        self.descent.gradient()
    }

    /// The last step, before any shortening.
    pub fn direction(&self) -> &[f64] {
        self.descent.direction()
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.descent.steps()
    }

    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    pub fn metric(&self) -> Option<&HessianMetric> {
        self.metric.as_ref()
    }

    /// Whether the metric is the Hessian at the last accepted point.
    pub fn hessian_is_current(&self) -> bool {
        self.plan.newton && self.metric_is_current
    }

    pub fn termination(&self) -> Option<Termination> {
        self.termination
    }

    fn is_started(&self) -> bool {
        self.descent.value() < f64::MAX
    }

    /// The objective so far, as the learner states it.
    pub fn reported_objective(&self) -> Option<f64> {
        self.is_started().then(|| self.objective.reported(self.descent.value(), self.descent.best(), &self.plan))
    }

    /// Processes the sums of a pass; true when there is nothing left to do.
    pub fn update(&mut self, sums: &O::Sums, cx: &Context<'_>) -> Result<bool> {
        let fresh = self.objective.metric(sums, self.plan.alpha);
        if self.termination.is_some() {
            self.metric = fresh.or(self.metric.take());
            self.metric_is_current = true;
            self.objective.accept(sums, true);
            return Ok(true);
        }
        let (value, gradient) = self.objective.value_and_gradient(sums, self.descent.point(), self.plan.alpha);
        let is_finite = value.is_finite() && gradient.iter().all(|g| g.is_finite());
        if !is_finite && !self.is_started() {
            let Some(cold) = self.cold_start.take() else { return Err(self.objective.start_error(sums, &gradient)) };
            *self = Self::new(self.objective.clone(), self.plan, cold);
            return Ok(false);
        }
        match self.descent.report_value(if is_finite { value } else { f64::INFINITY }, &gradient) {
            StepStatus::LineSearch => return Ok(false),
            StepStatus::NoProgress => return Ok(self.finish(self.distance <= self.plan.tol.max(1e-9), false)),
            StepStatus::Accepted => {}
        }
        self.objective.accept(sums, false);
        self.metric_is_current = fresh.is_some();
        if let Some(metric) = fresh {
            if self.plan.watch_curvature && self.initial_metric.is_none() {
                self.initial_metric = Some(metric.clone());
            }
            self.metric = Some(metric);
            if self.plan.newton && self.plan.exact_hessian {
                self.descent.reset_memory();
            }
        }
        // The first step needs a metric of the right size as well; afterwards the steps give their length.
        if self.steps() > 0 {
            self.metric = self.metric.take().map(|metric| metric.damped(self.plan.damping));
        }
        let norm = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        let objective = self.reported_objective().unwrap_or(0.0);
        self.trace.push(&[objective, self.descent.step_length(), norm / self.plan.unit]);
        let Some(metric) = &self.metric else { return Ok(self.finish(false, false)) };
        if self.steps() == 0 {
            self.objective.check_range(&self.plan, metric, &gradient, sums, self.metric_is_current)?;
        }
        self.descent.propose(!self.plan.newton, |g| metric.solve(g));
        let distance = self.relative_distance();
        let before = std::mem::replace(&mut self.distance, distance);
        Ok(self.decide(sums, before, cx))
    }

    /// The relative distance to the optimum: the root of the decrement, a squared distance in the norm of the Hessian, over the root
    /// of a number of the same unit.
    fn relative_distance(&self) -> f64 {
        let decrement = self.descent.decrement();
        if decrement <= 0.0 {
            return 0.0;
        }
        let scale = self.objective.decrement_scale(self.descent.value(), self.descent.best(), self.plan.alpha);
        (decrement / scale.max(f64::MIN_POSITIVE)).sqrt()
    }

    /// After a step: stop, or what to gather next.
    fn decide(&mut self, sums: &O::Sums, before: f64, cx: &Context<'_>) -> bool {
        let tol = self.plan.tol;
        let separated = self.objective.separated(sums, &self.plan);
        if separated == Some(true) {
            return self.finish(true, false);
        }
        let is_warm = self.cold_start.is_some();
        let enough = tol * self.plan.share[usize::from(is_warm)];
        let rate = self.distance / before;
        let floor = self.metric_is_current && rate > 0.3 && self.distance <= tol.max(1e-9) * 1e-2;
        if separated.is_none() && (self.distance <= enough || floor) {
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
        let next = self.steps() + 1;
        let renew = match (self.plan.newton, self.plan.kind) {
            // From a start far away a new Hessian is always worth it, from the optimum of a sample it is not.
            (true, _) if self.steps() == 0 => self.metric_is_current,
            (true, _) => refresh_pays(rate, self.distance, enough, self.plan.hessian_cost),
            (false, CurvatureKind::Shared) => self.plan.renew_metric && next == REFRESH_STEP && !is_warm,
            // It costs no more than the pass does, and rows that are classified with certainty lose their curvature.
            (false, CurvatureKind::Diagonal) => self.plan.renew_metric && next >= REFRESH_STEP && next.is_power_of_two(),
            (false, CurvatureKind::None | CurvatureKind::Full) => false,
        };
        self.request.curvature = if renew { self.plan.kind } else { CurvatureKind::None };
        false
    }

    /// Ends the search; true unless a closing pass is needed.
    fn finish(&mut self, converged: bool, flat: bool) -> bool {
        let end = Termination { converged, flat };
        self.termination = Some(end);
        match self.objective.closing_pass(&self.plan, end, self.metric_is_current) {
            None => true,
            Some(curvature) => {
                self.request = PassRequest { curvature, closing: true };
                false
            }
        }
    }

    /// The last accepted point; `value` is the scale of its gradient.
    pub fn certificate(&self, method: &str, value: f64) -> Certificate {
        let largest = |metric: &HessianMetric| {
            let along = |(at, g): (usize, &f64)| {
                let scale = (metric.diagonal_at(at) * value).sqrt();
                if scale > 0.0 { g.abs() / scale } else { 0.0 }
            };
            self.gradient().iter().enumerate().map(along).fold(0.0, f64::max)
        };
        Certificate {
            method: method.to_owned(),
            objective: self.reported_objective(),
            kkt_residual: self.metric().map(largest),
            condition: self.metric().filter(|_| self.hessian_is_current()).and_then(HessianMetric::condition),
            iterations: self.steps().max(1).min(self.plan.max_iter),
            converged: self.termination.is_some_and(|end| end.converged),
            ..Certificate::default()
        }
    }

    /// Starts from the optimum of a sample, which weighs `share` of all rows and has the objective `small`, instead of from nothing: a
    /// few small passes save several large ones. The sample gives the metric too. Leaves everything as it was when the sample
    /// cannot be relied upon.
    pub fn warm_start(&mut self, sample: &RowSample<O::Target>, share: f64, small: O, cx: &Context<'_>) -> Result<()> {
        let plan = NewtonPlan {
            alpha: self.plan.alpha * share,
            damping: self.plan.damping * share,
            max_iter: 50,
            tol: 1e-3,
            ..self.plan
        };
        let mut small = Self::new(small, plan, self.descent.best().to_vec());
        loop {
            cx.report(Progress { stage: "sample", done: small.steps(), total: None, objective: None })?;
            let sums = small.evaluate(sample)?;
            // Beyond the noise of the sample there is nothing to learn from it.
            let Some(noise) = small.objective.sample_noise(&sums, &plan).filter(|_| !cx.deadline_passed()) else { return Ok(()) };
            if small.update(&sums, cx)? || small.descent.decrement() <= noise {
                break;
            }
        }
        let start = small.descent.best().to_vec();
        let failed = O::SAMPLE_MUST_CONVERGE && small.termination.is_some_and(|e| !e.converged || e.flat);
        if failed || !start.iter().all(|v| v.is_finite()) {
            return Ok(());
        }
        // The metric at the end of the search on the sample, not at its beginning.
        if !small.metric_is_current {
            small.termination = Some(Termination { converged: true, flat: false });
            small.request = PassRequest { curvature: plan.kind, closing: false };
            let sums = small.evaluate(sample)?;
            small.update(&sums, cx)?;
        }
        self.initial_metric = small.initial_metric.take().map(|m| m.scaled(1.0 / share));
        // A diagonal that is never renewed must account for columns that are all zeros in the sample.
        let keeps_metric = self.plan.newton || self.plan.renew_metric;
        self.metric = small.metric.take().filter(|_| keeps_metric).map(|m| m.scaled(1.0 / share));
        self.cold_start = Some(self.descent.best().to_vec());
        self.descent = LbfgsDescent::new(start, self.plan.memory);
        self.request.curvature = if self.metric.is_some() { CurvatureKind::None } else { self.plan.kind };
        Ok(())
    }

    /// One pass over a sample.
    fn evaluate(&self, sample: &RowSample<O::Target>) -> Result<O::Sums> {
        sample.gather(|| self.empty(), |piece, sums| self.add(sums, &O::sample_rows(piece)))
    }
}

/// Whether a new Hessian at the next point is worth its `cost` in passes: at the rate of the last step, would going on with the old one
/// from this distance take longer than two steps with new ones?
fn refresh_pays(rate: f64, distance: f64, enough: f64, cost: f64) -> bool {
    rate >= 0.5 || (enough / distance).ln() / rate.ln() > 2.0 * (1.0 + cost)
}

/// Whether the squares of a column underflow: its curvature says that it does not vary, but the sum of its products with the residuals
/// exceeds the rounding of that sum. `center` is what was subtracted from the column times the sum of the residuals' sizes.
pub fn squares_underflow(curvature: f64, gradient: f64, center: f64) -> bool {
    let is_lost = curvature < f64::MIN_POSITIVE / f64::EPSILON;
    is_lost && gradient.abs() > 1e-8 * center + f64::MIN_POSITIVE / f64::EPSILON.sqrt()
}
