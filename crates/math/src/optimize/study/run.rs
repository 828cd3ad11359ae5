//! Runs: stopping rule, trajectory and result.

use std::time::Instant;

use ermine_core::Trace;

use super::curved::{coordinates, lbfgs, levenberg_marquardt, newton};
use super::steps::{accelerated, adam, backtracking, heavy_ball, mini_batch, scheduled, subgradient};
use super::{OptimizationMethod, StudyObjective};
use crate::optimize::dot;

/// The stopping rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StopRule {
    /// Most steps.
    pub max_iter: usize,
    /// The norm of the gradient (of the change over the step for proximal methods), relative to the first, at which to end.
    pub tol: f64,
}

impl Default for StopRule {
    fn default() -> Self {
        Self { max_iter: 1000, tol: 1e-10 }
    }
}

/// A point of a trajectory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrajectoryPoint {
    /// The function.
    pub objective: f64,
    /// The step that led here; 0 at the start.
    pub step: f64,
    /// The norm of the gradient.
    pub gradient_norm: f64,
    /// Seconds since the start.
    pub seconds: f64,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct OptimizationRun {
    /// The last point; the best one for the subgradient method.
    pub point: Vec<f64>,
    /// The function there.
    pub value: f64,
    /// Whether the tolerance was reached.
    pub converged: bool,
    /// One line per step, the start being the first.
    pub course: Vec<TrajectoryPoint>,
}

impl OptimizationRun {
    /// Factor by which the norm of the gradient falls per step, from the second half of the trajectory; none when it is
    /// too short.
    pub fn observed_rate(&self) -> Option<f64> {
        let n = self.course.len().checked_sub(1)?;
        let (a, b) = (self.course.get(n / 2)?, &self.course[n]);
        let steps = n - n / 2;
        (steps > 1 && a.gradient_norm > 0.0).then(|| (b.gradient_norm / a.gradient_norm).powf(1.0 / steps as f64))
    }

    /// The trajectory as a trace.
    pub fn trace(&self) -> Trace {
        let mut trace = Trace::new(&["iteration", "objective", "step", "gradient_norm", "seconds"]);
        for (k, m) in self.course.iter().enumerate() {
            trace.push(&[k as f64, m.objective, m.step, m.gradient_norm, m.seconds]);
        }
        trace
    }
}

/// Runs a method from a start. A method that needs what the objective does not offer (a Hessian, coordinates,
/// residuals) ends at once, not converged. A run that diverges ends at the first value that is not finite.
///
/// # Panics
/// When the start has another length than the objective's points.
pub fn minimize(objective: &dyn StudyObjective, start: &[f64], method: &OptimizationMethod, stop: &StopRule) -> OptimizationRun {
    assert_eq!(start.len(), objective.dim(), "a start of the objective's length");
    let mut log = RunRecorder { objective, stop, started: Instant::now(), first: 0.0, course: Vec::new() };
    let mut x = start.to_vec();
    let mut g = vec![0.0; x.len()];
    objective.gradient(&x, &mut g);
    if log.take(objective.value(&x), 0.0, &g) {
        return log.end(x);
    }
    match *method {
        OptimizationMethod::FixedStep { step } => heavy_ball(&mut log, &mut x, &mut g, step, 0.0),
        OptimizationMethod::OptimalStep { least, most } => heavy_ball(&mut log, &mut x, &mut g, 2.0 / (least + most), 0.0),
        OptimizationMethod::Momentum { step, momentum } => heavy_ball(&mut log, &mut x, &mut g, step, momentum),
        OptimizationMethod::Scheduled { schedule } => scheduled(&mut log, &mut x, &mut g, schedule),
        OptimizationMethod::Backtracking { first } => backtracking(&mut log, &mut x, &mut g, first),
        OptimizationMethod::Nesterov { step, momentum } => accelerated(&mut log, &mut x, &mut g, step, momentum, false),
        OptimizationMethod::ProximalGradient { step } => accelerated(&mut log, &mut x, &mut g, step, Some(0.0), true),
        OptimizationMethod::Fista { step } => accelerated(&mut log, &mut x, &mut g, step, None, true),
        OptimizationMethod::Adam { step, beta1, beta2, epsilon } => adam(&mut log, &mut x, &mut g, [step, beta1, beta2, epsilon]),
        OptimizationMethod::MiniBatch { batch, schedule, seed } => mini_batch(&mut log, &mut x, &mut g, batch, schedule, seed),
        OptimizationMethod::Newton => newton(&mut log, &mut x, &mut g),
        OptimizationMethod::Lbfgs { memory } => lbfgs(&mut log, &mut x, memory),
        OptimizationMethod::CoordinateDescent => coordinates(&mut log, &mut x, &mut g),
        OptimizationMethod::Subgradient { schedule } => subgradient(&mut log, &mut x, &mut g, schedule),
        OptimizationMethod::LevenbergMarquardt { damping } => levenberg_marquardt(&mut log, &mut x, damping),
    }
    log.end(x)
}

/// Records a run.
pub(super) struct RunRecorder<'a> {
    pub objective: &'a dyn StudyObjective,
    stop: &'a StopRule,
    started: Instant,
    first: f64,
    course: Vec<TrajectoryPoint>,
}

impl RunRecorder<'_> {
    /// Records a point; returns whether the run ends.
    pub fn take(&mut self, value: f64, step: f64, gradient: &[f64]) -> bool {
        let gradient_norm = dot(gradient, gradient).sqrt();
        if self.course.is_empty() {
            self.first = gradient_norm;
        }
        let seconds = self.started.elapsed().as_secs_f64();
        self.course.push(TrajectoryPoint { objective: value, step, gradient_norm, seconds });
        self.is_converged() || !value.is_finite() || self.course.len() > self.stop.max_iter
    }

    fn is_converged(&self) -> bool {
        self.course.last().is_some_and(|m| m.gradient_norm <= self.stop.tol * self.first)
    }

    fn end(self, point: Vec<f64>) -> OptimizationRun {
        let (value, converged) = (self.objective.value(&point), self.is_converged());
        OptimizationRun { point, value, converged, course: self.course }
    }
}
