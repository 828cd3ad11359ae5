//! Smooth minimization, for objectives whose value and gradient come from passes over data.

#[cfg(feature = "linalg")]
pub mod constrained;
#[cfg(feature = "linalg")]
pub mod study;

use std::collections::VecDeque;

use ermine_core::parallel::prelude::*;
use serde::{Deserialize, Serialize};

/// A limited-memory quasi-Newton method with reverse communication: the caller evaluates the function, so values and
/// gradients may come from memory, a file or a cluster. Its state can be serialized between two evaluations.
///
/// The loop is: evaluate at [`LbfgsDescent::point`], pass value and gradient to [`LbfgsDescent::report_value`], and
/// when it returns [`StepStatus::Accepted`], call [`LbfgsDescent::propose`]. The metric passed to `propose` is the
/// inverse of any positive definite approximation of the Hessian: with the Hessian itself and no memory this is
/// Newton's method, with an approximation the steps taken since then correct it (BFGS; Nocedal and Wright, Numerical
/// Optimization, 2nd ed., algorithm 7.4).
///
/// ```
/// use ermine_math::optimize::{LbfgsDescent, StepStatus};
/// // x^4 / 4 - x, whose minimum is at 1.
/// let mut d = LbfgsDescent::new(vec![3.0], 5);
/// loop {
///     let x = d.point()[0];
///     if d.report_value(x.powi(4) / 4.0 - x, &[x.powi(3) - 1.0]) != StepStatus::Accepted {
///         continue;
///     }
///     d.propose(false, |g| g.iter_mut().for_each(|v| *v *= 0.5));
///     if d.decrement() < 1e-20 {
///         break;
///     }
/// }
/// assert!((d.best()[0] - 1.0).abs() < 1e-9);
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LbfgsDescent {
    memory: usize,
    pairs: VecDeque<CurvaturePair>,
    point: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    direction: Vec<f64>,
    slope: f64,
    line: Option<LineSearch>,
    trial: Vec<f64>,
    steps: u64,
    /// The accepted share of the last proposed step.
    #[serde(default)]
    length: f64,
}

/// A step and the change of the gradient along it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct CurvaturePair {
    step: Vec<f64>,
    change: Vec<f64>,
    product: f64,
}

/// A line search: the function at its start and at the ends of the bracket of a good step.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct LineSearch {
    step: f64,
    low: BracketEnd,
    high: Option<BracketEnd>,
    trials: u32,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct BracketEnd {
    step: f64,
    value: f64,
    slope: f64,
}

/// Result of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepStatus {
    /// The point was accepted; call [`LbfgsDescent::propose`].
    Accepted,
    /// The step was too long or too short; evaluate again at [`LbfgsDescent::point`].
    LineSearch,
    /// No step along the line lowers the function: rounding level is reached.
    NoProgress,
}

/// Sufficient decrease: share of the decrease predicted by the slope.
const ARMIJO: f64 = 1e-4;
/// Curvature condition: share of the initial slope allowed at the end of a step.
const CURVATURE_TOL: f64 = 0.9;
/// Differences of function values below this share of the value are rounding; slopes decide then.
const ROUNDING: f64 = 1e-12;
/// Most evaluations per line search.
const MAX_TRIALS: u32 = 30;

impl LbfgsDescent {
    /// Starts at a point with a memory of up to `memory` steps.
    pub fn new(start: Vec<f64>, memory: usize) -> Self {
        Self {
            memory,
            pairs: VecDeque::new(),
            point: start.clone(),
            value: f64::MAX,
            gradient: Vec::new(),
            direction: Vec::new(),
            slope: 0.0,
            line: None,
            trial: start,
            steps: 0,
            length: 0.0,
        }
    }

    /// The point to evaluate.
    #[allow(clippy::misnamed_getters)] // The field `point` is the best one; what callers ask for is the next.
    pub fn point(&self) -> &[f64] {
        &self.trial
    }

    /// The best point so far: the last one accepted.
    pub fn best(&self) -> &[f64] {
        &self.point
    }

    /// The function at [`LbfgsDescent::best`]; the largest number before the first evaluation.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The gradient at [`LbfgsDescent::best`]; empty before the first evaluation.
    pub fn gradient(&self) -> &[f64] {
        &self.gradient
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The share of the proposed step that the last step took; 0 before the first.
    pub fn step_length(&self) -> f64 {
        self.length
    }

    /// gᵀ H⁻¹ g at the best point, with the metric of the last [`LbfgsDescent::propose`]: twice the decrease that a quadratic model
    /// promises, and the squared distance to the minimum in the norm of H.
    pub fn decrement(&self) -> f64 {
        -self.slope
    }

    /// The step that [`LbfgsDescent::propose`] proposed, before any shortening.
    pub fn direction(&self) -> &[f64] {
        &self.direction
    }

    /// Clears the memory. Must be called when the metric changes, since the new one includes what they corrected.
    pub fn reset_memory(&mut self) {
        self.pairs.clear();
    }

    /// Takes value and gradient at [`LbfgsDescent::point`].
    ///
    /// # Panics
    /// When the gradient has another length than the point.
    pub fn report_value(&mut self, value: f64, gradient: &[f64]) -> StepStatus {
        assert_eq!(gradient.len(), self.point.len(), "a gradient has the length of its point");
        let Some(mut line) = self.line else {
            self.value = value;
            self.gradient = gradient.to_vec();
            return StepStatus::Accepted;
        };
        let slope = dot(gradient, &self.direction);
        let finite = value.is_finite() && slope.is_finite();
        // Infinities are not serializable in most formats.
        let here = if finite {
            BracketEnd { step: line.step, value, slope }
        } else {
            BracketEnd { step: line.step, value: f64::MAX, slope: 0.0 }
        };
        let start = BracketEnd { step: 0.0, value: self.value, slope: self.slope };
        line.trials += 1;
        let lower = value <= start.value + ARMIJO * here.step * start.slope;
        // Near the minimum differences of values are rounding errors; the slope must have decreased instead.
        let as_good = value <= start.value + ROUNDING * start.value.abs() && slope <= (2.0 * ARMIJO - 1.0) * start.slope;
        if !(finite && (lower || as_good)) {
            line.high = Some(here);
        } else if slope < CURVATURE_TOL * start.slope {
            line.low = here;
        } else {
            self.accept(value, gradient);
            return StepStatus::Accepted;
        }
        if line.trials >= MAX_TRIALS {
            self.line = None;
            self.trial.copy_from_slice(&self.point);
            return StepStatus::NoProgress;
        }
        line.step = line.next_trial(self.slope);
        self.line = Some(line);
        self.set_trial(line.step);
        StepStatus::LineSearch
    }

    /// Proposes the next step: `solve` replaces a gradient g by H⁻¹ g. With `rescale` the metric is multiplied by the
    /// factor that fits the last step, which helps when only its shape is reliable.
    pub fn propose(&mut self, rescale: bool, mut solve: impl FnMut(&mut [f64])) {
        let mut q = self.gradient.clone();
        let mut factors = Vec::with_capacity(self.pairs.len());
        for pair in self.pairs.iter().rev() {
            let a = dot(&pair.step, &q) / pair.product;
            add_scaled(&mut q, -a, &pair.change);
            factors.push(a);
        }
        solve(&mut q);
        if let (true, Some(last)) = (rescale, self.pairs.back()) {
            let mut change = last.change.clone();
            solve(&mut change);
            let factor = last.product / dot(&last.change, &change);
            if factor.is_finite() && factor > 0.0 {
                q.iter_mut().for_each(|v| *v *= factor);
            }
        }
        for (pair, a) in self.pairs.iter().zip(factors.into_iter().rev()) {
            let b = dot(&pair.change, &q) / pair.product;
            add_scaled(&mut q, a - b, &pair.step);
        }
        q.iter_mut().for_each(|v| *v = -*v);
        self.slope = dot(&q, &self.gradient);
        self.direction = q;
        let low = BracketEnd { step: 0.0, value: self.value, slope: self.slope };
        self.line = Some(LineSearch { step: 1.0, low, high: None, trials: 0 });
        self.set_trial(1.0);
    }

    fn set_trial(&mut self, step: f64) {
        for (t, (p, d)) in self.trial.iter_mut().zip(self.point.iter().zip(&self.direction)) {
            *t = p + step * d;
        }
    }

    fn accept(&mut self, value: f64, gradient: &[f64]) {
        let step: Vec<f64> = self.trial.iter().zip(&self.point).map(|(t, p)| t - p).collect();
        let change: Vec<f64> = gradient.iter().zip(&self.gradient).map(|(a, b)| a - b).collect();
        let product = dot(&step, &change);
        // A pair with rounded or negative curvature would spoil the metric.
        if self.memory > 0 && product > f64::EPSILON * dot(&change, &change).sqrt() * dot(&step, &step).sqrt() {
            if self.pairs.len() == self.memory {
                self.pairs.pop_front();
            }
            self.pairs.push_back(CurvaturePair { step, change, product });
        }
        self.point.copy_from_slice(&self.trial);
        self.value = value;
        self.gradient.copy_from_slice(gradient);
        self.length = self.line.map_or(0.0, |line| line.step);
        self.line = None;
        self.steps += 1;
    }
}

impl LineSearch {
    /// The next trial step: the minimum of the cubic through both ends, kept away from them; extrapolated while no
    /// upper end is known. `slope` is that at the start of the line.
    fn next_trial(&self, slope: f64) -> f64 {
        let low = self.low;
        let Some(high) = self.high else {
            // Where the slope would vanish if it went on as it did.
            let vanishes = slope / (slope - low.slope);
            return low.step * if vanishes.is_finite() { vanishes.clamp(1.5, 10.0) } else { 10.0 };
        };
        let width = high.step - low.step;
        if high.value == f64::MAX {
            return low.step + 0.1 * width;
        }
        let d1 = low.slope + high.slope - 3.0 * (high.value - low.value) / width;
        let d2 = (d1 * d1 - low.slope * high.slope).max(0.0).sqrt();
        let cubic = high.step - width * (high.slope + d2 - d1) / (high.slope - low.slope + 2.0 * d2);
        let inside = if cubic.is_finite() { cubic } else { low.step + 0.5 * width };
        inside.clamp(low.step + 0.1 * width, low.step + 0.9 * width)
    }
}

/// Vectors are worked on in pieces of this size, by all threads when there are several; sums are those of the pieces, in order.
const PIECE: usize = 1 << 14;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    if a.len() <= PIECE {
        return dot_piece(a, b);
    }
    let parts: Vec<f64> = a.par_chunks(PIECE).zip(b.par_chunks(PIECE)).map(|(a, b)| dot_piece(a, b)).collect();
    parts.iter().sum()
}

fn dot_piece(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (mut a, mut b) = (a.chunks_exact(8), b.chunks_exact(8));
    for (a, b) in (&mut a).zip(&mut b) {
        for l in 0..8 {
            lanes[l] += a[l] * b[l];
        }
    }
    lanes.iter().sum::<f64>() + a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum::<f64>()
}

fn add_scaled(to: &mut [f64], factor: f64, what: &[f64]) {
    let add = |(to, what): (&mut [f64], &[f64])| to.iter_mut().zip(what).for_each(|(t, w)| *t += factor * w);
    if to.len() <= PIECE {
        return add((to, what));
    }
    to.par_chunks_mut(PIECE).zip(what.par_chunks(PIECE)).for_each(add);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs to the end and returns the number of evaluations.
    fn minimize(
        d: &mut LbfgsDescent,
        f: impl Fn(&[f64]) -> (f64, Vec<f64>),
        solve: impl Fn(&mut [f64]),
        rescale: bool,
        limit: usize,
        until: f64,
    ) -> usize {
        for evaluations in 1..=limit {
            let (value, gradient) = f(d.point());
            match d.report_value(value, &gradient) {
                StepStatus::Accepted => d.propose(rescale, &solve),
                StepStatus::LineSearch => continue,
                StepStatus::NoProgress => return evaluations,
            }
            if d.decrement() <= until {
                return evaluations;
            }
        }
        panic!("no end after {limit} evaluations: {:?}", d.best());
    }

    fn rosenbrock(x: &[f64]) -> (f64, Vec<f64>) {
        let (mut f, mut g) = (0.0, vec![0.0; x.len()]);
        for i in 0..x.len() - 1 {
            let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
            f += a * a + 100.0 * b * b;
            g[i] += -2.0 * a - 400.0 * x[i] * b;
            g[i + 1] += 200.0 * b;
        }
        (f, g)
    }

    #[test]
    fn the_curved_valley_is_followed_to_its_end() {
        for n in [2, 10] {
            let mut d = LbfgsDescent::new(vec![-1.2; n], 10);
            let scale = 1e-3;
            minimize(&mut d, rosenbrock, |g| g.iter_mut().for_each(|v| *v *= scale), n > 2, 500, 1e-24);
            assert!(d.best().iter().all(|x| (x - 1.0).abs() < 1e-8), "{:?}", d.best());
        }
    }

    #[test]
    fn a_quadratic_with_its_own_hessian_takes_one_step_and_with_another_a_few() {
        let diagonal: Vec<f64> = (0..20).map(|i| 10f64.powi(i % 7)).collect();
        let f = |x: &[f64]| {
            let g: Vec<f64> = x.iter().zip(&diagonal).map(|(x, d)| d * (x - 1.0)).collect();
            (0.5 * x.iter().zip(&g).map(|(x, g)| (x - 1.0) * g).sum::<f64>(), g)
        };
        let exact = |g: &mut [f64]| g.iter_mut().zip(&diagonal).for_each(|(g, d)| *g /= d);
        let mut d = LbfgsDescent::new(vec![0.0; 20], 0);
        assert_eq!(minimize(&mut d, f, exact, false, 10, 1e-25), 2);
        let near = |g: &mut [f64]| g.iter_mut().enumerate().for_each(|(i, g)| *g /= diagonal[i] * (1.0 + 0.1 * (i % 3) as f64));
        let mut d = LbfgsDescent::new(vec![0.0; 20], 10);
        assert!(minimize(&mut d, f, near, false, 50, 1e-25) <= 12);
    }

    #[test]
    fn steps_that_overflow_are_taken_back() {
        // Far too long a first step into a wall of infinities.
        let f = |x: &[f64]| {
            let v = x[0].exp() - 5.0 * x[0];
            (v, vec![x[0].exp() - 5.0])
        };
        let mut d = LbfgsDescent::new(vec![-2.0], 5);
        minimize(&mut d, f, |g| g[0] *= 1e4, false, 100, 1e-22);
        assert!((d.best()[0] - 5f64.ln()).abs() < 1e-10);
        // And far too short a one.
        let mut d = LbfgsDescent::new(vec![-2.0], 5);
        minimize(&mut d, f, |g| g[0] *= 1e-6, false, 100, 1e-26);
        assert!((d.best()[0] - 5f64.ln()).abs() < 1e-5, "{}", d.best()[0]);
    }

    #[test]
    fn written_down_between_evaluations_it_goes_on_as_before() {
        let run = |interrupt: bool| {
            let mut d = LbfgsDescent::new(vec![-1.2, 1.0], 5);
            for _ in 0..30 {
                let (value, gradient) = rosenbrock(d.point());
                if d.report_value(value, &gradient) == StepStatus::Accepted {
                    d.propose(true, |g| g.iter_mut().for_each(|v| *v *= 1e-3));
                }
                if interrupt {
                    d = serde_json::from_str(&serde_json::to_string(&d).unwrap()).unwrap();
                }
            }
            d.best().to_vec()
        };
        assert_eq!(run(false), run(true));
    }
}
