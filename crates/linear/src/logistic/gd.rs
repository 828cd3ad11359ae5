//! Accelerated proximal gradient descent in passes, for every penalty.
//!
//! Steps are taken in columns scaled to unit curvature at the start, so that units do not matter. The step length comes from a
//! line search, the momentum from Nesterov's sequence, which starts over when the objective rises.
//!
//! Reference: A. Beck, M. Teboulle (2009), A fast iterative shrinkage-thresholding algorithm for linear inverse problems, SIAM J.
//! Imaging Sciences 2; B. O'Donoghue, E. Candès (2015), Adaptive restart for accelerated gradient schemes.

use ermine_core::{Certificate, Context, Error, Result, Trace};
use ermine_math::coordinate::{elastic_violation, soft_threshold};
use serde::{Deserialize, Serialize};

use super::super::passes::{CurvatureKind, CurvatureSums};
use super::cd::StopLimits;
use super::evaluate::{LogisticProblem, LogisticSums};
use super::penalty::ElasticPenalty;

/// How much longer the next step may be than the last.
const LONGER: f64 = 0.9;
/// Differences of objectives below this share are rounding.
const ROUNDING: f64 = 1e-14;
/// Trials of a step length.
const TRIALS: u32 = 60;

/// State of a descent between passes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GradientDescent {
    pub problem: LogisticProblem,
    pub trace: Trace,
    penalty: ElasticPenalty,
    limits: StopLimits,
    /// The curvature of each number of a run; empty before the first pass.
    metric: Vec<f64>,
    /// The last point taken, with its objective and the gradient of its loss.
    best: Vec<f64>,
    value: f64,
    slope: Vec<f64>,
    /// Where the current step starts, with loss and gradient.
    from: Vec<f64>,
    loss: f64,
    gradient: Vec<f64>,
    /// The point that the current pass evaluates.
    point: Vec<f64>,
    stage: DescentPhase,
    /// The inverse of the step length.
    steep: f64,
    momentum: f64,
    trials: u32,
    steps: u64,
    margin: f64,
    converged: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum DescentPhase {
    /// At the start of everything.
    Start,
    /// At the extrapolated point.
    Extrapolated,
    /// At the end of a step.
    AtIterate,
}

impl GradientDescent {
    pub fn new(problem: LogisticProblem, penalty: ElasticPenalty, start: Vec<f64>, limits: StopLimits) -> Self {
        Self {
            problem,
            trace: Trace::timed(&["objective", "step", "gradient_norm"]),
            penalty,
            limits,
            metric: Vec::new(),
            best: start.clone(),
            value: f64::MAX,
            slope: Vec::new(),
            from: start.clone(),
            loss: 0.0,
            gradient: Vec::new(),
            point: start,
            stage: DescentPhase::Start,
            steep: 1.0,
            momentum: 1.0,
            trials: 0,
            steps: 0,
            margin: f64::MIN,
            converged: None,
        }
    }

    /// The purpose of the current pass.
    pub fn curvature_wanted(&self) -> CurvatureKind {
        if self.stage == DescentPhase::Start { CurvatureKind::Diagonal } else { CurvatureKind::None }
    }

    /// The point that the current pass evaluates.
    pub fn point(&self) -> &[f64] {
        &self.point
    }

    /// The last point taken.
    pub fn best(&self) -> &[f64] {
        &self.best
    }

    /// The objective so far, as the learner states it.
    pub fn objective(&self) -> Option<f64> {
        (self.value < f64::MAX).then_some(self.value * self.limits.scale)
    }

    /// Processes the sums of a pass; true when there is nothing left to do.
    pub fn update(&mut self, sums: &LogisticSums, cx: &Context<'_>) -> Result<bool> {
        let gradient = sums.gradient(&self.problem);
        let finite = sums.loss.is_finite() && gradient.iter().all(|g| g.is_finite());
        match self.stage {
            DescentPhase::Start => {
                if !finite {
                    return Err(Error::Numeric("the sums of the columns overflow; scale the columns down".into()));
                }
                if let Some(CurvatureSums::Diagonal(diagonal)) = sums.curvature.first() {
                    let of = |(j, d): (usize, &f64)| d + if j < self.problem.cols { self.penalty.l2 } else { 0.0 };
                    self.metric = diagonal.iter().enumerate().map(of).collect();
                }
                (self.value, self.slope) = (sums.loss + self.cost(&self.best), gradient.clone());
                (self.loss, self.gradient) = (sums.loss, gradient);
                self.margin = sums.margin;
                if self.check_convergence(cx) {
                    return Ok(true);
                }
                self.step();
            }
            DescentPhase::Extrapolated => {
                (self.loss, self.gradient) = (sums.loss, gradient);
                if finite { self.step() } else { self.start_over() }
            }
            DescentPhase::AtIterate => {
                // The loss must lie below the parabola that the step went down.
                let (mut slope, mut square) = (0.0, 0.0);
                for (at, (p, f)) in self.point.iter().zip(&self.from).enumerate() {
                    slope += self.gradient[at] * (p - f);
                    square += self.diagonal_curvature(at) * (p - f) * (p - f);
                }
                let parabola = self.loss + slope + 0.5 * self.steep * square;
                self.trials += 1;
                if !(finite && sums.loss <= parabola + ROUNDING * self.loss.abs()) && self.trials < TRIALS {
                    self.steep *= 2.0;
                    self.step();
                    return Ok(false);
                }
                let value = sums.loss + self.cost(&self.point);
                if value > self.value + ROUNDING * self.value.abs() && self.momentum > 1.0 {
                    self.start_over();
                    return Ok(false);
                }
                return Ok(self.accept_point(value, gradient, sums.margin, cx));
            }
        }
        Ok(false)
    }

    /// Takes the point; true at the end.
    fn accept_point(&mut self, value: f64, slope: Vec<f64>, margin: f64, cx: &Context<'_>) -> bool {
        let stuck = value >= self.value && self.trials >= TRIALS;
        let before = std::mem::replace(&mut self.best, self.point.clone());
        (self.value, self.slope, self.margin) = (value, slope, margin);
        self.steps += 1;
        self.trials = 0;
        if stuck || self.check_convergence(cx) {
            self.converged.get_or_insert(false);
            return true;
        }
        let next = 0.5 * (1.0 + (1.0 + 4.0 * self.momentum * self.momentum).sqrt());
        let carry = (self.momentum - 1.0) / next;
        self.momentum = next;
        self.steep *= LONGER;
        if carry == 0.0 {
            self.restart_at_best();
            self.step();
            return false;
        }
        self.from = self.best.iter().zip(&before).map(|(b, a)| b + carry * (b - a)).collect();
        self.point.clone_from(&self.from);
        self.stage = DescentPhase::Extrapolated;
        false
    }

    /// Writes down the point and looks whether it is the end.
    fn check_convergence(&mut self, cx: &Context<'_>) -> bool {
        let (left, _) = self.violation();
        let norm = self.slope.iter().map(|g| g * g).sum::<f64>().sqrt();
        self.trace.push(&[self.value * self.limits.scale, 1.0 / self.steep, norm * self.limits.scale]);
        let distance = (2.0 * left / self.value.max(f64::MIN_POSITIVE)).sqrt();
        if self.limits.is_separated(self.value, self.margin).unwrap_or(distance <= self.limits.tol) {
            self.converged = Some(true);
        } else if self.steps >= self.limits.max_iter || cx.deadline_passed() {
            self.converged = Some(false);
        }
        self.converged.is_some()
    }

    /// Drops the momentum and continues from the last accepted point.
    fn start_over(&mut self) {
        self.momentum = 1.0;
        self.trials = 0;
        self.restart_at_best();
        self.step();
    }

    fn restart_at_best(&mut self) {
        self.from.clone_from(&self.best);
        self.loss = self.value - self.cost(&self.best);
        self.gradient.clone_from(&self.slope);
    }

    /// Aims at the end of a proximal step from `from`.
    fn step(&mut self) {
        let q = self.problem.width();
        for at in 0..self.from.len() {
            let bend = self.steep * self.diagonal_curvature(at);
            let (from, g) = (self.from[at], self.gradient[at]);
            self.point[at] = if bend <= 0.0 {
                from
            } else if at % q < self.problem.cols {
                // The squared part is taken exactly, like the absolute values.
                soft_threshold(bend * from - g, self.penalty.l1) / (bend + self.penalty.l2)
            } else {
                from - g / bend
            };
        }
        self.stage = DescentPhase::AtIterate;
    }

    fn diagonal_curvature(&self, at: usize) -> f64 {
        self.metric[at % self.metric.len()]
    }

    fn cost(&self, point: &[f64]) -> f64 {
        let (q, cols) = (self.problem.width(), self.problem.cols);
        point.chunks_exact(q).map(|run| self.penalty.value(&run[..cols])).sum()
    }

    /// An estimate of the decrease that is left, and the largest violation of optimality in units of the root of curvature and
    /// objective.
    fn violation(&self) -> (f64, f64) {
        let (q, cols) = (self.problem.width(), self.problem.cols);
        let (mut left, mut most) = (0.0, 0.0f64);
        for (at, (g, w)) in self.slope.iter().zip(&self.best).enumerate() {
            let ElasticPenalty { l1, l2 } = if at % q < cols { self.penalty } else { ElasticPenalty::FREE };
            let (bend, violation) = (self.diagonal_curvature(at), elastic_violation(-g, *w, l1, l2, false));
            if violation > 0.0 && bend > 0.0 {
                left += violation * violation / (2.0 * bend);
                most = most.max(violation / (bend * self.value.max(f64::MIN_POSITIVE)).sqrt());
            }
        }
        (left, most)
    }

    /// The last accepted point.
    pub fn certificate(&self) -> Certificate {
        Certificate {
            method: "gd".into(),
            objective: self.objective(),
            kkt_residual: (!self.metric.is_empty()).then(|| self.violation().1),
            iterations: self.steps.max(1).min(self.limits.max_iter),
            converged: self.converged == Some(true),
            ..Certificate::default()
        }
    }

    /// The least log odds of the class of a row at the last point taken.
    pub fn margin(&self) -> f64 {
        self.margin
    }
}
