//! The steps of the search: which point is next, and when to stop.

use ermine_core::{Certificate, Context, DatasetRef, Progress, Result, Trace};
use ermine_math::scale::ldexp;
use serde::{Deserialize, Serialize};

use super::newton::{HuberNewtonSums, HuberPoint, HuberStep, HuberStepKind, StepRequest, newton_step};
use super::{Huber, HuberModel, NAME};
use crate::least_squares::{self, LeastSquaresSolution, LeastSquaresState};
use crate::linear_function::{LinearFunction, add_products};

/// The least scale, relative to the spread of the target: below it residuals are rounding.
const FLOOR: f64 = 1e-9;
/// Objectives that differ by less are equal but for rounding.
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// Times a step is halved before another kind of step is tried, and before the search ends.
const HALVINGS: u32 = 4;
const LAST_HALVING: u32 = 40;
/// The most that the scale may fall and rise in a step.
const FALL: f64 = 0.9;
const RISE: f64 = 4.0;

/// State of the search.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HuberSearch {
    /// The point to be evaluated, or evaluated last.
    here: HuberPoint,
    /// The point the step to `here` began at; `None` when `here` has been accepted before.
    before: Option<HuberPoint>,
    curvature: HuberStepKind,
    /// Steps left before Newton's is tried again, and how many to take the next time it fails.
    bounded: u32,
    patience: u32,
    halvings: u32,
    /// The objective at the last accepted point, in units of the target times 2^exponent.
    objective: Option<f64>,
    exponent: i32,
    floor: f64,
    free_scale: bool,
    steps: u64,
    residual: f64,
    condition: f64,
    rank: usize,
    done: bool,
    converged: bool,
    notes: Vec<String>,
    trace: Trace,
}

impl HuberSearch {
    /// Starts from least squares.
    pub fn new(learner: &Huber, solution: &LeastSquaresSolution, exponent: i32, weight: f64) -> Self {
        let to = 2 * (exponent - solution.exponent[0]);
        let rms = |square: f64| (ldexp(square, to) / weight).sqrt();
        let (spread, scale) = (rms(solution.tss[0]), rms(solution.rss[0]));
        let floor = FLOOR * spread;
        let perfect = learner.scale.is_none() && scale <= floor;
        let line = LinearFunction { coef: solution.coef.row(0).to_vec(), intercept: solution.intercept[0] };
        let scale = learner.scale.map_or(if perfect { scale } else { scale.max(floor) }, |s| ldexp(s, exponent));
        let mut notes = solution.notes.clone();
        if perfect {
            notes.push("perfect fit: least squares leaves no residuals, so the scale is 0 to rounding".into());
        }
        Self {
            here: HuberPoint { line, scale },
            before: None,
            curvature: HuberStepKind::Newton,
            bounded: 0,
            patience: 1,
            halvings: 0,
            objective: perfect.then_some(weight * scale),
            exponent,
            floor,
            free_scale: learner.scale.is_none(),
            steps: 0,
            residual: solution.residual,
            condition: solution.condition.unwrap_or(1.0),
            rank: solution.rank,
            done: perfect,
            converged: perfect,
            notes,
            trace: Trace::timed(&["objective", "step", "kkt_residual", "scale"]),
        }
    }

    pub fn cols(&self) -> usize {
        self.here.line.coef.len()
    }

    pub fn point(&self) -> &HuberPoint {
        &self.here
    }

    pub fn curvature(&self) -> HuberStepKind {
        self.curvature
    }

    pub fn is_done(&self) -> bool {
        self.done
    }

    /// The objective in the units of the data.
    pub fn objective(&self) -> Option<f64> {
        self.objective.map(|v| ldexp(v, -self.exponent)).filter(|v| v.is_finite())
    }

    /// Processes the sums at the point and chooses the next.
    pub fn advance(&mut self, learner: &Huber, stage: &LeastSquaresState, sums: &HuberNewtonSums) -> Result<()> {
        let root = learner.alpha.sqrt();
        let penalty: f64 = self.here.line.coef.iter().map(|b| ldexp(b * root, self.exponent) * (b * root)).sum();
        let objective = sums.objective(learner.epsilon, self.here.scale) + penalty;
        let mut gain = f64::INFINITY;
        if let (Some(before), Some(last)) = (&self.before, self.objective) {
            if objective.is_nan() || objective > last * (1.0 + ROUNDING) {
                let before = before.clone();
                self.shorten(before);
                return Ok(());
            }
            gain = last - objective;
        }
        self.objective = Some(objective);
        let at_floor = self.here.scale <= self.floor && sums.scale_slope(learner.epsilon, self.here.scale) > 0.0;
        let ask = StepRequest {
            epsilon: learner.epsilon,
            alpha: learner.alpha,
            fit_intercept: learner.fit_intercept,
            free_scale: self.free_scale && !at_floor,
            curvature: self.curvature,
        };
        let Some(step) = newton_step(&ask, stage, sums, &self.here)? else {
            self.before = None;
            self.bound();
            return Ok(());
        };
        self.residual = step.residual;
        if step.condition.is_finite() {
            self.condition = step.condition;
        }
        self.trace.push(&[
            ldexp(objective, -self.exponent),
            if self.steps > 0 { 0.5f64.powi(self.halvings as i32) } else { 0.0 },
            step.residual,
            ldexp(self.here.scale, -self.exponent),
        ]);
        self.halvings = 0;
        let small = 1e-6 * learner.tol;
        let is_newton = self.curvature == HuberStepKind::Newton;
        if (step.decrement <= small * small * objective && is_newton) || gain <= ROUNDING * objective {
            (self.done, self.converged) = (true, true);
        } else if self.steps >= learner.max_iter {
            self.done = true;
        }
        if self.done {
            if at_floor {
                self.notes.push(
                    "the scale is at its least value, a billionth of the spread of the target: so many rows lie on the line that the \
                     best scale is 0, and the line is that of the least absolute residuals"
                        .into(),
                );
            }
            return Ok(());
        }
        self.steps += 1;
        let scale_change = ask.free_scale.then(|| sums.scale_change(learner.epsilon, self.here.scale));
        self.take(&step, scale_change);
        Ok(())
    }

    /// Goes back toward the point that a step too long began at.
    fn shorten(&mut self, before: HuberPoint) {
        self.halvings += 1;
        if self.halvings >= LAST_HALVING {
            // No step lowers the objective any more: the limit of rounding.
            self.here = before;
            (self.done, self.converged) = (true, self.residual < 1e-6);
        } else if self.halvings == HALVINGS && self.curvature == HuberStepKind::Newton {
            self.here = before;
            self.before = None;
            self.bound();
        } else {
            let line = before.line.interpolate(&self.here.line, 0.5);
            self.here = HuberPoint { line, scale: 0.5 * (before.scale + self.here.scale) };
        }
    }

    /// Moves by a step; a bounded one does not move the scale, which changes by `scale_change` then.
    fn take(&mut self, step: &HuberStep, scale_change: Option<f64>) {
        let is_newton = self.curvature == HuberStepKind::Newton;
        // Coefficients and scale go together: a step that would take the scale too far is shortened as a whole.
        let share = if step.scale < -FALL { FALL / -step.scale } else { 1.0 };
        let change = match scale_change {
            Some(change) if !is_newton => change.max(-FALL),
            _ => share * step.scale,
        };
        let mut scale = self.here.scale * (1.0 + change.min(RISE));
        if self.free_scale {
            scale = scale.max(self.floor);
        }
        let coef = self.here.line.coef.iter().zip(&step.coef).map(|(b, d)| b + share * d).collect();
        let intercept = self.here.line.intercept + share * step.intercept;
        let next = HuberPoint { line: LinearFunction { coef, intercept }, scale };
        self.before = Some(std::mem::replace(&mut self.here, next));
        if !is_newton {
            self.bounded = self.bounded.saturating_sub(1);
            if self.bounded == 0 {
                self.curvature = HuberStepKind::Newton;
            }
        }
    }

    /// Falls back to steps that always descend, for longer each time Newton's fail.
    fn bound(&mut self) {
        self.curvature = HuberStepKind::Majorized;
        self.bounded = self.patience;
        self.patience = (2 * self.patience).min(16);
        self.halvings = 0;
    }

    pub fn model(&self) -> HuberModel {
        let mut notes = self.notes.clone();
        if !self.converged {
            notes.push(format!("not converged after {} steps: raise max_iter", self.steps));
        }
        let certificate = Certificate {
            method: "newton".into(),
            objective: self.objective(),
            kkt_residual: Some(self.residual),
            condition: Some(self.condition),
            rank: Some(self.rank),
            iterations: self.steps,
            converged: self.converged,
            notes,
            ..Default::default()
        };
        let scale = vec![ldexp(self.here.scale, -self.exponent)];
        HuberModel::new(self.here.line.coefficients(), scale, self.steps, certificate, Some(self.trace.clone()))
    }
}

impl Huber {
    /// Shapes that least squares solves in memory: iteratively reweighted least squares, the scale between the steps.
    pub(super) fn in_memory(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Option<HuberModel>> {
        let Some(start) = least_squares::in_memory(&self.problem(), data, cx)? else { return Ok(None) };
        let exponent = start.exponent[0];
        let mut search = HuberSearch::new(self, &start, exponent, data.total_weight());
        let ones = vec![1.0; data.cols()];
        while !search.done {
            let r = search.here.line.residuals(data, NAME)?;
            let scaled: Vec<f64> = r.iter().map(|&r| ldexp(r, exponent)).collect();
            if search.free_scale {
                search.here.scale = best_scale(data, &scaled, self.epsilon).max(search.floor);
            }
            let (scale, limit) = (search.here.scale, self.epsilon * search.here.scale);
            let mut sums = HuberNewtonSums::new(0);
            sums.add_losses(data, &r, limit, exponent);
            let root = self.alpha.sqrt();
            let penalty: f64 = search.here.line.coef.iter().map(|b| ldexp(b * root, exponent) * (b * root)).sum();
            let objective = sums.objective(self.epsilon, scale) + penalty;
            let gain = search.objective.map_or(f64::INFINITY, |last| last - objective);
            search.objective = Some(objective);
            // Half the gradient by a coefficient, next to the lengths of what it is a sum of.
            let force: Vec<f64> = scaled
                .iter()
                .enumerate()
                .map(|(i, r)| data.weight_of(i) * (r / scale).clamp(-self.epsilon, self.epsilon))
                .collect();
            let (mut pull, mut size) = (vec![0.0; data.cols()], vec![0.0; data.cols()]);
            add_products(data, &force, &ones, &mut pull, NAME)?;
            let lengths: Vec<f64> = force.iter().map(|f| f.abs()).collect();
            add_products(data, &lengths, &ones, &mut size, NAME)?;
            search.residual = (0..data.cols())
                .filter(|&j| size[j] != 0.0)
                .map(|j| (pull[j] - self.alpha * search.here.line.coef[j]).abs() / size[j].abs())
                .fold(0.0, f64::max);
            search.trace.push(&[ldexp(objective, -exponent), 1.0, search.residual, ldexp(scale, -exponent)]);
            if gain <= ROUNDING * objective {
                (search.done, search.converged) = (true, true);
                if scale <= search.floor {
                    search.notes.push(
                        "nearly perfect fit: the scale is at its least value, a billionth of the spread of the target".into(),
                    );
                }
                break;
            }
            if search.steps >= self.max_iter {
                break;
            }
            cx.report(Progress { stage: "steps", done: search.steps, total: None, objective: search.objective() })?;
            if cx.deadline_passed() {
                break;
            }
            // In units of the loss: the penalty stays as it is.
            let unit = ldexp(1.0, exponent);
            let weight: Vec<f64> =
                scaled.iter().enumerate().map(|(i, r)| data.weight_of(i) * unit / scale * (limit / r.abs()).min(1.0)).collect();
            let Some(next) = least_squares::in_memory(&self.problem(), &data.with_weight(Some(&weight)), cx)? else { break };
            search.here.line = LinearFunction { coef: next.coef.row(0).to_vec(), intercept: next.intercept[0] };
            search.steps += 1;
        }
        let mut model = search.model();
        if let Some(certificate) = model.certificate_mut() {
            certificate.method = "iteratively reweighted least squares".into();
        }
        Ok(Some(model))
    }
}

/// The scale that is best for given residuals: where Σ w min(r² / σ², ε²) = Σ w; 0 when so many are 0 that there is none.
fn best_scale(data: &DatasetRef<'_>, r: &[f64], epsilon: f64) -> f64 {
    let total = data.total_weight();
    let at = |scale: f64| -> f64 {
        r.iter().enumerate().map(|(i, r)| data.weight_of(i) * (r / scale).clamp(-epsilon, epsilon).powi(2)).sum()
    };
    let largest = r.iter().map(|v| v.abs()).fold(0.0, f64::max);
    let (mut low, mut high) = (1e-12 * largest, largest);
    if largest == 0.0 || at(low) <= total {
        return 0.0;
    }
    for _ in 0..100 {
        let middle = (low * high).sqrt();
        if at(middle) > total { low = middle } else { high = middle }
    }
    high
}
