//! Methods of minimisation as objects of study: one interface, and every run returns its course.
//!
//! These are the methods as textbooks state them, each with the parameters that its theory speaks of; [`rate`] says how fast
//! theory expects them to be. Learners use [`super::Descent`] and solvers of their own.
//!
//! ```
//! use ermine_math::optimise::study::{Method, Quadratic, Stop, minimise, rate};
//!
//! // ½ (x² + 10 y²), from (10, 1): the worst start for steepest descent.
//! let f = Quadratic::diagonal(&[1.0, 10.0]);
//! let method = Method::OptimalStep { least: 1.0, most: 10.0 };
//! let run = minimise(&f, &[10.0, 1.0], &method, &Stop::default());
//! assert!(run.converged && run.value < 1e-12);
//! assert!((run.observed_rate().unwrap() - rate::optimal_step(1.0, 10.0)).abs() < 1e-6);
//! ```

use std::time::Instant;

use ermine_core::{Mat, Stream, Trace};

use super::{Descent, Told, dot};
use crate::linalg::Cholesky;

/// A function to be minimised: a smooth part f, and for proximal methods a part g that is simple but need not be smooth.
pub trait Objective {
    /// How many numbers a point has.
    fn dim(&self) -> usize;

    /// f(x) + g(x).
    fn value(&self, x: &[f64]) -> f64;

    /// The gradient of f; a subgradient of f + g for the subgradient method.
    fn gradient(&self, x: &[f64], out: &mut [f64]);

    /// The Hessian of f, for Newton's method.
    fn hessian(&self, x: &[f64]) -> Option<Mat<f64>> {
        let _ = x;
        None
    }

    /// How many terms f is the mean of, for mini-batches.
    fn terms(&self) -> usize {
        1
    }

    /// The mean gradient of some of the terms.
    fn batch_gradient(&self, x: &[f64], terms: &[usize], out: &mut [f64]) {
        let _ = terms;
        self.gradient(x, out);
    }

    /// The derivative of f by one coordinate, and a bound on its second derivative there, for coordinate descent.
    fn coordinate(&self, x: &[f64], j: usize) -> Option<(f64, f64)> {
        let _ = (x, j);
        None
    }

    /// The proximal step of g: replaces x by argmin_u g(u) + |u - x|² / (2 step). Nothing to do without g. Coordinate descent
    /// calls it with one coordinate, `first` being its place.
    fn prox(&self, first: usize, x: &mut [f64], step: f64) {
        let _ = (first, x, step);
    }
}

/// A method with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum Method {
    /// x -= step ∇f.
    FixedStep {
        /// The step.
        step: f64,
    },
    /// The fixed step 2 / (λmin + λmax), the best there is for a quadratic with these eigenvalues.
    OptimalStep {
        /// The least eigenvalue of the Hessian.
        least: f64,
        /// The greatest.
        most: f64,
    },
    /// Steps that are halved until they bring enough (Armijo 1966), the next one starting at twice the last.
    Backtracking {
        /// The first step to try.
        first: f64,
    },
    /// Heavy ball (Polyak 1964): v = momentum v - step ∇f(x), x += v.
    Momentum {
        /// The step.
        step: f64,
        /// How much of the last change goes on.
        momentum: f64,
    },
    /// Nesterov's accelerated gradient: the gradient is taken where the momentum leads. `None` is the momentum of his sequence for
    /// functions that are convex only.
    Nesterov {
        /// The step, at most 1 / λmax.
        step: f64,
        /// How much of the last change goes on.
        momentum: Option<f64>,
    },
    /// Adam (Kingma, Ba 2015): steps by the running mean of the gradients over the root of that of their squares.
    Adam {
        /// The step.
        step: f64,
        /// Decay of the mean of the gradients.
        beta1: f64,
        /// Decay of the mean of their squares.
        beta2: f64,
        /// Keeps the division sound.
        epsilon: f64,
    },
    /// Steps by the mean gradient of a few random terms; a pass over all terms is one line of the course.
    MiniBatch {
        /// Terms in a batch.
        batch: usize,
        /// The first step.
        step: f64,
        /// Step t is step / (1 + decay t).
        decay: f64,
        /// The seed of the order.
        seed: u64,
    },
    /// Newton's method, the step halved until it brings enough.
    Newton,
    /// Limited-memory BFGS ([`Descent`]).
    Lbfgs {
        /// Steps that are remembered.
        memory: usize,
    },
    /// One coordinate after another; a round is one line of the course. With g it is proximal.
    CoordinateDescent,
    /// FISTA (Beck, Teboulle 2009): proximal gradient with Nesterov's sequence.
    Fista {
        /// The step, at most 1 / λmax of f.
        step: f64,
    },
    /// x -= step / √t times a subgradient, the best point being kept.
    Subgradient {
        /// The first step.
        step: f64,
    },
}

/// When a run ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Steps at most.
    pub max_iter: usize,
    /// The norm of the gradient (of the change over the step for proximal methods), relative to the first, at which to end.
    pub tol: f64,
}

impl Default for Stop {
    fn default() -> Self {
        Self { max_iter: 1000, tol: 1e-10 }
    }
}

/// One line of a course.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// The function.
    pub objective: f64,
    /// The step that led here; 0 at the start.
    pub step: f64,
    /// The norm of the gradient.
    pub gradient_norm: f64,
    /// Seconds since the start.
    pub seconds: f64,
}

/// What a run returns.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The last point; the best one for the subgradient method.
    pub point: Vec<f64>,
    /// The function there.
    pub value: f64,
    /// Whether the tolerance was reached.
    pub converged: bool,
    /// A line a step, the start being the first.
    pub course: Vec<Moment>,
}

impl Run {
    /// By what factor the norm of the gradient falls in a step, from the second half of the course; none when it is too short.
    pub fn observed_rate(&self) -> Option<f64> {
        let n = self.course.len().checked_sub(1)?;
        let (a, b) = (self.course.get(n / 2)?, &self.course[n]);
        let steps = n - n / 2;
        (steps > 1 && a.gradient_norm > 0.0).then(|| (b.gradient_norm / a.gradient_norm).powf(1.0 / steps as f64))
    }

    /// The course as a trace.
    pub fn trace(&self) -> Trace {
        let mut trace = Trace::new(&["iteration", "objective", "step", "gradient_norm", "seconds"]);
        for (k, m) in self.course.iter().enumerate() {
            trace.push(&[k as f64, m.objective, m.step, m.gradient_norm, m.seconds]);
        }
        trace
    }
}

/// Factors by which the distance to the minimum of a quadratic with Hessian eigenvalues from `least` to `most` shrinks in a step, in
/// the long run.
pub mod rate {
    /// A fixed step: the slowest of |1 - step λ|.
    pub fn fixed_step(step: f64, least: f64, most: f64) -> f64 {
        (1.0 - step * least).abs().max((1.0 - step * most).abs())
    }

    /// The step 2 / (least + most): (κ - 1) / (κ + 1).
    pub fn optimal_step(least: f64, most: f64) -> f64 {
        (most - least) / (most + least)
    }

    /// Heavy ball: the root of the momentum, where that is large enough for every eigenvalue; else the larger root of the recurrence.
    pub fn momentum(step: f64, momentum: f64, least: f64, most: f64) -> f64 {
        let one = |l: f64| root(1.0 + momentum - step * l, momentum);
        one(least).max(one(most))
    }

    /// The step and the momentum of the heavy ball that are best for a quadratic (Polyak 1964); the rate is then (√κ - 1) / (√κ + 1).
    pub fn best_momentum(least: f64, most: f64) -> (f64, f64) {
        let (a, b) = (least.sqrt(), most.sqrt());
        (4.0 / (a + b).powi(2), ((b - a) / (b + a)).powi(2))
    }

    /// Nesterov's gradient with a constant momentum.
    pub fn nesterov(step: f64, momentum: f64, least: f64, most: f64) -> f64 {
        let one = |l: f64| root((1.0 + momentum) * (1.0 - step * l), momentum * (1.0 - step * l));
        one(least).max(one(most))
    }

    /// The size of the larger root of z² - b z + c.
    fn root(b: f64, c: f64) -> f64 {
        let d = b * b - 4.0 * c;
        if d < 0.0 { c.sqrt() } else { 0.5 * (b.abs() + d.sqrt()) }
    }
}

/// ½ xᵀ A x - bᵀ x.
#[derive(Debug, Clone, PartialEq)]
pub struct Quadratic {
    a: Mat<f64>,
    b: Vec<f64>,
}

impl Quadratic {
    /// With a symmetric matrix and a vector.
    ///
    /// # Panics
    /// When the shapes differ.
    pub fn new(a: Mat<f64>, b: Vec<f64>) -> Self {
        assert!(a.rows() == a.cols() && a.rows() == b.len(), "a square matrix and a vector of its size");
        Self { a, b }
    }

    /// With given eigenvalues along the axes and its minimum at 0.
    pub fn diagonal(values: &[f64]) -> Self {
        let n = values.len();
        Self { a: Mat::from_fn(n, n, |i, j| if i == j { values[i] } else { 0.0 }), b: vec![0.0; n] }
    }
}

impl Objective for Quadratic {
    fn dim(&self) -> usize {
        self.b.len()
    }

    fn value(&self, x: &[f64]) -> f64 {
        (0..x.len()).map(|i| x[i] * (0.5 * dot(self.a.row(i), x) - self.b[i])).sum()
    }

    fn gradient(&self, x: &[f64], out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(i, g)| *g = dot(self.a.row(i), x) - self.b[i]);
    }

    fn hessian(&self, _: &[f64]) -> Option<Mat<f64>> {
        Some(self.a.clone())
    }

    fn coordinate(&self, x: &[f64], j: usize) -> Option<(f64, f64)> {
        Some((dot(self.a.row(j), x) - self.b[j], self.a[(j, j)]))
    }
}

/// The course of a run as it is written.
struct Log<'a> {
    objective: &'a dyn Objective,
    stop: &'a Stop,
    started: Instant,
    first: f64,
    course: Vec<Moment>,
}

impl Log<'_> {
    /// Takes down a point; whether the run is to end.
    fn take(&mut self, value: f64, step: f64, gradient: &[f64]) -> bool {
        let gradient_norm = dot(gradient, gradient).sqrt();
        if self.course.is_empty() {
            self.first = gradient_norm;
        }
        let seconds = self.started.elapsed().as_secs_f64();
        self.course.push(Moment { objective: value, step, gradient_norm, seconds });
        self.is_converged() || !value.is_finite() || self.course.len() > self.stop.max_iter
    }

    fn is_converged(&self) -> bool {
        self.course.last().is_some_and(|m| m.gradient_norm <= self.stop.tol * self.first)
    }

    fn end(self, point: Vec<f64>) -> Run {
        let (value, converged) = (self.objective.value(&point), self.is_converged());
        Run { point, value, converged, course: self.course }
    }
}

fn add(to: &mut [f64], factor: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(t, w)| *t += factor * w);
}

/// Runs a method from a start. A method that needs what the objective does not offer (a Hessian, coordinates) ends at once, not
/// converged. A run that diverges ends at the first value that is not finite.
///
/// # Panics
/// When the start has another length than the objective's points.
pub fn minimise(objective: &dyn Objective, start: &[f64], method: &Method, stop: &Stop) -> Run {
    assert_eq!(start.len(), objective.dim(), "a start of the objective's length");
    let mut log = Log { objective, stop, started: Instant::now(), first: 0.0, course: Vec::new() };
    let mut x = start.to_vec();
    let mut g = vec![0.0; x.len()];
    objective.gradient(&x, &mut g);
    if log.take(objective.value(&x), 0.0, &g) {
        return log.end(x);
    }
    match *method {
        Method::FixedStep { step } => heavy_ball(&mut log, &mut x, &mut g, step, 0.0),
        Method::OptimalStep { least, most } => heavy_ball(&mut log, &mut x, &mut g, 2.0 / (least + most), 0.0),
        Method::Momentum { step, momentum } => heavy_ball(&mut log, &mut x, &mut g, step, momentum),
        Method::Backtracking { first } => backtracking(&mut log, &mut x, &mut g, first),
        Method::Nesterov { step, momentum } => accelerated(&mut log, &mut x, &mut g, step, momentum, false),
        Method::Fista { step } => accelerated(&mut log, &mut x, &mut g, step, None, true),
        Method::Adam { step, beta1, beta2, epsilon } => adam(&mut log, &mut x, &mut g, [step, beta1, beta2, epsilon]),
        Method::MiniBatch { batch, step, decay, seed } => mini_batch(&mut log, &mut x, &mut g, (batch, step, decay, seed)),
        Method::Newton => newton(&mut log, &mut x, &mut g),
        Method::Lbfgs { memory } => lbfgs(&mut log, &mut x, memory),
        Method::CoordinateDescent => coordinates(&mut log, &mut x, &mut g),
        Method::Subgradient { step } => subgradient(&mut log, &mut x, &mut g, step),
    }
    log.end(x)
}

fn heavy_ball(log: &mut Log<'_>, x: &mut [f64], g: &mut [f64], step: f64, momentum: f64) {
    let mut v = vec![0.0; x.len()];
    loop {
        v.iter_mut().zip(&*g).for_each(|(v, g)| *v = momentum * *v - step * g);
        add(x, 1.0, &v);
        log.objective.gradient(x, g);
        if log.take(log.objective.value(x), step, g) {
            return;
        }
    }
}

/// Share of the decrease that the slope promises which a step must bring.
const ARMIJO: f64 = 1e-4;

/// Differences of function values below this share of the value are rounding; slopes decide then.
const ROUNDING: f64 = 1e-12;

/// Halves a step along `direction` until it brings enough; none when no step does.
fn halve(f: &dyn Objective, x: &[f64], value: f64, slope: f64, direction: &[f64], first: f64) -> Option<(f64, Vec<f64>)> {
    let mut step = first;
    let mut g = vec![0.0; x.len()];
    for _ in 0..100 {
        let mut trial = x.to_vec();
        add(&mut trial, step, direction);
        let there = f.value(&trial);
        let near = (there - value).abs() <= ROUNDING * value.abs();
        if near {
            // Near the minimum the value cannot tell any more; the slope must not have turned round instead.
            f.gradient(&trial, &mut g);
        }
        let lower = there <= value + ARMIJO * step * slope;
        if (lower && !near) || (near && dot(&g, direction) <= (2.0 * ARMIJO - 1.0) * slope) {
            return Some((step, trial));
        }
        step *= 0.5;
    }
    None
}

fn backtracking(log: &mut Log<'_>, x: &mut [f64], g: &mut [f64], first: f64) {
    let mut step = first;
    loop {
        let direction: Vec<f64> = g.iter().map(|g| -g).collect();
        let Some((taken, next)) = halve(log.objective, x, log.objective.value(x), -dot(g, g), &direction, step) else { return };
        x.copy_from_slice(&next);
        log.objective.gradient(x, g);
        if log.take(log.objective.value(x), taken, g) {
            return;
        }
        step = 2.0 * taken;
    }
}

/// Nesterov's gradient and, with the proximal step, FISTA, whose gradient norm is that of the change over the step.
fn accelerated(log: &mut Log<'_>, x: &mut [f64], g: &mut [f64], step: f64, momentum: Option<f64>, proximal: bool) {
    let mut ahead = x.to_vec();
    let mut t = 1.0f64;
    loop {
        log.objective.gradient(&ahead, g);
        let mut next = ahead.clone();
        add(&mut next, -step, g);
        if proximal {
            log.objective.prox(0, &mut next, step);
        }
        let t_next = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
        let factor = momentum.unwrap_or((t - 1.0) / t_next);
        t = t_next;
        if proximal {
            g.iter_mut().zip(ahead.iter().zip(&next)).for_each(|(g, (a, n))| *g = (a - n) / step);
        }
        for (a, (n, old)) in ahead.iter_mut().zip(next.iter().zip(&*x)) {
            *a = n + factor * (n - old);
        }
        x.copy_from_slice(&next);
        if !proximal {
            log.objective.gradient(x, g);
        }
        if log.take(log.objective.value(x), step, g) {
            return;
        }
    }
}

fn adam(log: &mut Log<'_>, x: &mut [f64], g: &mut [f64], [step, beta1, beta2, epsilon]: [f64; 4]) {
    let (mut mean, mut square) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    for t in 1.. {
        // What the zeros that the means start with make them too small by.
        let (first, second) = (1.0 - beta1.powi(t), 1.0 - beta2.powi(t));
        for j in 0..x.len() {
            mean[j] = beta1 * mean[j] + (1.0 - beta1) * g[j];
            square[j] = beta2 * square[j] + (1.0 - beta2) * g[j] * g[j];
            x[j] -= step * (mean[j] / first) / ((square[j] / second).sqrt() + epsilon);
        }
        log.objective.gradient(x, g);
        if log.take(log.objective.value(x), step, g) {
            return;
        }
    }
}

fn mini_batch(log: &mut Log<'_>, x: &mut [f64], g: &mut [f64], (batch, first, decay, seed): (usize, f64, f64, u64)) {
    let mut stream = Stream::new(seed, "mini-batch", 0);
    let mut t = 0.0;
    loop {
        let order = stream.permutation(log.objective.terms());
        let mut step = first;
        for terms in order.chunks(batch.max(1)) {
            step = first / (1.0 + decay * t);
            log.objective.batch_gradient(x, terms, g);
            add(x, -step, g);
            t += 1.0;
        }
        log.objective.gradient(x, g);
        if log.take(log.objective.value(x), step, g) {
            return;
        }
    }
}

fn newton(log: &mut Log<'_>, x: &mut [f64], g: &mut [f64]) {
    loop {
        let Some(hessian) = log.objective.hessian(x) else { return };
        let Ok(factor) = Cholesky::new(hessian.view()) else { return };
        let mut direction: Vec<f64> = g.iter().map(|g| -g).collect();
        factor.solve_vec(&mut direction);
        let slope = dot(g, &direction);
        let Some((step, next)) = halve(log.objective, x, log.objective.value(x), slope, &direction, 1.0) else { return };
        x.copy_from_slice(&next);
        log.objective.gradient(x, g);
        if log.take(log.objective.value(x), step, g) {
            return;
        }
    }
}

fn lbfgs(log: &mut Log<'_>, x: &mut [f64], memory: usize) {
    let mut descent = Descent::new(x.to_vec(), memory);
    let mut g = vec![0.0; x.len()];
    let mut begun = false;
    loop {
        log.objective.gradient(descent.point(), &mut g);
        match descent.tell(log.objective.value(descent.point()), &g) {
            Told::Accepted => {
                let moved: f64 = descent.best().iter().zip(&*x).map(|(a, b)| (a - b) * (a - b)).sum();
                x.copy_from_slice(descent.best());
                if begun && log.take(descent.value(), moved.sqrt(), descent.gradient()) {
                    return;
                }
                begun = true;
                descent.aim(true, |_| {});
            }
            Told::Trying => {}
            Told::Stuck => return,
        }
    }
}

fn coordinates(log: &mut Log<'_>, x: &mut [f64], g: &mut [f64]) {
    loop {
        for j in 0..x.len() {
            let Some((slope, curvature)) = log.objective.coordinate(x, j) else { return };
            if curvature <= 0.0 {
                g[j] = 0.0;
                continue;
            }
            let old = x[j];
            let mut one = [old - slope / curvature];
            log.objective.prox(j, &mut one, 1.0 / curvature);
            x[j] = one[0];
            // What the coordinate was away from its own optimum, in units of the gradient.
            g[j] = (old - x[j]) * curvature;
        }
        if log.take(log.objective.value(x), 1.0, g) {
            return;
        }
    }
}

fn subgradient(log: &mut Log<'_>, x: &mut [f64], g: &mut [f64], first: f64) {
    let (mut best, mut least) = (x.to_vec(), log.objective.value(x));
    for t in 1.. {
        let step = first / f64::from(t).sqrt();
        add(x, -step, g);
        log.objective.gradient(x, g);
        let value = log.objective.value(x);
        if value < least {
            least = value;
            best.copy_from_slice(x);
        }
        if log.take(value, step, g) {
            break;
        }
    }
    x.copy_from_slice(&best);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{PivotedQr, product};

    /// A quadratic with these eigenvalues in random directions, and where its minimum is.
    fn quadratic(values: &[f64], seed: u64) -> (Quadratic, Vec<f64>) {
        let n = values.len();
        let mut s = Stream::new(seed, "quadratic", 0);
        // Reflections turn the axes: H = I - 2 v vᵀ, three times over.
        let mut a = Quadratic::diagonal(values).a;
        for _ in 0..3 {
            let v: Vec<f64> = (0..n).map(|_| s.normal()).collect();
            let norm = dot(&v, &v);
            let h = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - 2.0 * v[i] * v[j] / norm);
            a = product(product(h.view(), a.view()).view(), h.view());
        }
        let at: Vec<f64> = (0..n).map(|_| s.normal()).collect();
        let b = (0..n).map(|i| dot(a.row(i), &at)).collect();
        (Quadratic::new(a, b), at)
    }

    fn spread(least: f64, most: f64, n: usize) -> Vec<f64> {
        (0..n).map(|k| least + (most - least) * k as f64 / (n - 1) as f64).collect()
    }

    #[test]
    fn observed_rates_are_the_predicted_ones() {
        for (least, most) in [(1.0, 10.0), (0.5, 40.0), (1e3, 1e5)] {
            let (f, at) = quadratic(&spread(least, most, 12), 1);
            let start = vec![0.3; 12];
            let ball = 0.8 * rate::best_momentum(least, most).1;
            let (root_least, root_most) = (least.sqrt(), most.sqrt());
            let beta = 0.9 * (root_most - root_least) / (root_most + root_least);
            let cases = [
                (Method::FixedStep { step: 1.0 / most }, rate::fixed_step(1.0 / most, least, most)),
                (Method::FixedStep { step: 1.5 / most }, rate::fixed_step(1.5 / most, least, most)),
                (Method::OptimalStep { least, most }, rate::optimal_step(least, most)),
                (Method::Momentum { step: 1.0 / most, momentum: ball }, rate::momentum(1.0 / most, ball, least, most)),
                (Method::Nesterov { step: 1.0 / most, momentum: Some(beta) }, rate::nesterov(1.0 / most, beta, least, most)),
            ];
            for (method, predicted) in cases {
                // As many steps as leave the gradient well above rounding.
                let max_iter = ((1e-11f64).ln() / predicted.ln()) as usize;
                let run = minimise(&f, &start, &method, &Stop { max_iter, tol: 0.0 });
                let observed = run.observed_rate().unwrap();
                assert!((observed / predicted - 1.0).abs() < 0.01, "{method:?}: {observed} for {predicted}");
                assert!(run.point.iter().zip(&at).all(|(a, b)| (a - b).abs() < 1e-4));
            }
        }
        // At the best momentum two roots fall together, and the error is t times a power: only a long course shows the rate.
        let (f, _) = quadratic(&spread(1.0, 1e4, 12), 2);
        let (step, momentum) = rate::best_momentum(1.0, 1e4);
        let run = minimise(&f, &[0.3; 12], &Method::Momentum { step, momentum }, &Stop { max_iter: 1000, tol: 0.0 });
        assert!((run.observed_rate().unwrap() / (99.0 / 101.0) - 1.0).abs() < 0.01, "{:?}", run.observed_rate());
        // The best momentum beats the best step, as theory says.
        assert!((rate::momentum(4.0 / 121.0, 81.0 / 121.0, 1.0, 100.0) - 9.0 / 11.0).abs() < 1e-7);
        assert!((rate::optimal_step(1.0, 100.0) - 99.0 / 101.0).abs() < 1e-15);
    }

    #[test]
    fn steps_beyond_the_limit_diverge_and_the_run_says_so() {
        let f = Quadratic::diagonal(&[1.0, 10.0]);
        let run = minimise(&f, &[1.0, 1.0], &Method::FixedStep { step: 0.21 }, &Stop { max_iter: 100_000, tol: 1e-8 });
        assert!(!run.converged && run.course.len() < 100_000);
        assert!(rate::fixed_step(0.21, 1.0, 10.0) > 1.0);
    }

    #[test]
    fn every_method_finds_the_minimum_of_a_quadratic() {
        let (f, at) = quadratic(&spread(1.0, 20.0, 8), 2);
        let all = [
            Method::FixedStep { step: 0.05 },
            Method::OptimalStep { least: 1.0, most: 20.0 },
            Method::Backtracking { first: 1.0 },
            Method::Momentum { step: 0.05, momentum: 0.5 },
            Method::Nesterov { step: 0.05, momentum: None },
            Method::Nesterov { step: 0.05, momentum: Some(0.6) },
            Method::MiniBatch { batch: 1, step: 0.05, decay: 0.0, seed: 1 },
            Method::Newton,
            Method::Lbfgs { memory: 5 },
            Method::CoordinateDescent,
            Method::Fista { step: 0.05 },
        ];
        for method in all {
            let run = minimise(&f, &[0.0; 8], &method, &Stop { max_iter: 5000, tol: 1e-9 });
            assert!(run.converged, "{method:?}: {:?}", run.course.last());
            assert!(run.point.iter().zip(&at).all(|(a, b)| (a - b).abs() < 1e-6), "{method:?}");
            let trace = run.trace();
            assert_eq!(trace.rows.len(), run.course.len());
            let seconds = trace.column("seconds").unwrap();
            assert!(seconds.windows(2).all(|w| w[0] <= w[1]));
        }
        let adam = Method::Adam { step: 0.05, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };
        let run = minimise(&f, &[0.0; 8], &adam, &Stop { max_iter: 5000, tol: 1e-6 });
        assert!(run.point.iter().zip(&at).all(|(a, b)| (a - b).abs() < 1e-3), "{:?}", run.point);
        let run = minimise(&f, &[0.0; 8], &Method::Newton, &Stop::default());
        assert_eq!(run.course.len(), 2);
    }

    /// ½ |A x - y|² / n + lambda |x|₁.
    struct Lasso {
        a: Mat<f64>,
        y: Vec<f64>,
        lambda: f64,
    }

    impl Lasso {
        fn residual(&self, x: &[f64], i: usize) -> f64 {
            dot(self.a.row(i), x) - self.y[i]
        }
    }

    impl Objective for Lasso {
        fn dim(&self) -> usize {
            self.a.cols()
        }
        fn value(&self, x: &[f64]) -> f64 {
            let n = self.y.len();
            let squares: f64 = (0..n).map(|i| self.residual(x, i).powi(2)).sum();
            0.5 * squares / n as f64 + self.lambda * x.iter().map(|v| v.abs()).sum::<f64>()
        }
        fn gradient(&self, x: &[f64], out: &mut [f64]) {
            let all: Vec<usize> = (0..self.y.len()).collect();
            self.batch_gradient(x, &all, out);
        }
        fn terms(&self) -> usize {
            self.y.len()
        }
        fn batch_gradient(&self, x: &[f64], terms: &[usize], out: &mut [f64]) {
            out.fill(0.0);
            terms.iter().for_each(|&i| add(out, self.residual(x, i) / terms.len() as f64, self.a.row(i)));
        }
        fn coordinate(&self, x: &[f64], j: usize) -> Option<(f64, f64)> {
            let n = self.y.len();
            let slope: f64 = (0..n).map(|i| self.residual(x, i) * self.a[(i, j)]).sum();
            let square: f64 = (0..n).map(|i| self.a[(i, j)].powi(2)).sum();
            Some((slope / n as f64, square / n as f64))
        }
        fn prox(&self, _: usize, x: &mut [f64], step: f64) {
            x.iter_mut().for_each(|v| *v = v.signum() * (v.abs() - step * self.lambda).max(0.0));
        }
    }

    fn lasso(lambda: f64) -> Lasso {
        let mut s = Stream::new(5, "lasso", 0);
        let a = Mat::from_fn(60, 6, |_, _| s.normal());
        let y = (0..60).map(|i| 2.0 * a[(i, 0)] - a[(i, 3)] + 0.1 * s.normal()).collect();
        Lasso { a, y, lambda }
    }

    #[test]
    fn proximal_methods_meet_the_conditions_of_the_lasso() {
        let f = lasso(0.1);
        for method in [Method::Fista { step: 0.3 }, Method::CoordinateDescent] {
            let run = minimise(&f, &[0.0; 6], &method, &Stop { max_iter: 20_000, tol: 1e-12 });
            assert!(run.converged, "{method:?} {:?}", run.course.last());
            let mut g = vec![0.0; 6];
            f.gradient(&run.point, &mut g);
            for (x, g) in run.point.iter().zip(&g) {
                match *x == 0.0 {
                    true => assert!(g.abs() <= 0.1 + 1e-9),
                    false => assert!((g + 0.1 * x.signum()).abs() < 1e-9, "{method:?} {x} {g}"),
                }
            }
            assert!(run.point.contains(&0.0));
        }
    }

    #[test]
    fn mini_batches_go_to_the_least_squares_solution() {
        let f = lasso(0.0);
        let exact = PivotedQr::new(f.a.view()).unwrap().solve(Mat::from_vec(60, 1, f.y.clone()).view(), 6);
        let method = Method::MiniBatch { batch: 10, step: 0.2, decay: 0.02, seed: 3 };
        let run = minimise(&f, &[0.0; 6], &method, &Stop { max_iter: 2000, tol: 0.0 });
        for j in 0..6 {
            assert!((run.point[j] - exact[(j, 0)]).abs() < 1e-3, "{:?} {exact:?}", run.point);
        }
    }

    /// Σ |x_j - j|, which has no gradient at its minimum.
    struct Corners;

    impl Objective for Corners {
        fn dim(&self) -> usize {
            3
        }
        fn value(&self, x: &[f64]) -> f64 {
            x.iter().enumerate().map(|(j, v)| (v - j as f64).abs()).sum()
        }
        fn gradient(&self, x: &[f64], out: &mut [f64]) {
            out.iter_mut().enumerate().for_each(|(j, g)| *g = (x[j] - j as f64).signum());
        }
    }

    #[test]
    fn subgradients_keep_the_best_point_and_what_is_missing_ends_a_run() {
        let run = minimise(&Corners, &[5.0, -5.0, 0.5], &Method::Subgradient { step: 1.0 }, &Stop { max_iter: 20_000, tol: 0.0 });
        assert!(run.value < 0.05, "{}", run.value);
        assert!(run.course.iter().all(|m| m.objective >= run.value));
        for method in [Method::Newton, Method::CoordinateDescent] {
            let run = minimise(&Corners, &[5.0, -5.0, 0.5], &method, &Stop::default());
            assert!(!run.converged && run.course.len() == 1);
        }
    }
}
