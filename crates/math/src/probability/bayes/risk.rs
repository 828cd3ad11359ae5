//! Risks: closed forms, quadrature with an error bound, simulation with its standard error.

use ermine_core::{Result, RngStream};

use super::class_law::ClassLaw;
use crate::probability::{Distribution, Gaussian};

/// An integral and a bound on its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuadratureValue {
    /// The integral.
    pub value: f64,
    /// The difference of the last two refinements, summed over the pieces.
    pub error: f64,
}

/// A mean of independent draws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimulatedMean {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The number of draws.
    pub draws: usize,
}

impl SimulatedMean {
    /// Of these values.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let (mut n, mut mean, mut square) = (0.0, 0.0, 0.0);
        for v in values {
            n += 1.0;
            let d = v - mean;
            mean += d / n;
            square += d * (v - mean);
        }
        Self { mean, standard_error: (square / (n - 1.0) / n).sqrt(), draws: n as usize }
    }
}

/// The integral of f from `low` to `high` by adaptive Simpson steps; f may have kinks.
pub fn integrate(f: &dyn Fn(f64) -> f64, low: f64, high: f64, tolerance: f64) -> QuadratureValue {
    const PIECES: usize = 64;
    let width = (high - low) / PIECES as f64;
    let mut total = QuadratureValue { value: 0.0, error: 0.0 };
    for i in 0..PIECES {
        let (a, b) = (low + i as f64 * width, low + (i + 1) as f64 * width);
        let (fa, fm, fb) = (f(a), f(0.5 * (a + b)), f(b));
        let piece = simpson(f, (a, b), (fa, fm, fb), tolerance / PIECES as f64, 40);
        total.value += piece.value;
        total.error += piece.error;
    }
    total
}

fn simpson(
    f: &dyn Fn(f64) -> f64,
    (a, b): (f64, f64),
    (fa, fm, fb): (f64, f64, f64),
    tolerance: f64,
    depth: u32,
) -> QuadratureValue {
    let (m, h) = (0.5 * (a + b), b - a);
    let (left, right) = (f(0.5 * (a + m)), f(0.5 * (m + b)));
    let whole = h / 6.0 * (fa + 4.0 * fm + fb);
    let halves = h / 12.0 * (fa + 4.0 * left + 2.0 * fm + 4.0 * right + fb);
    let error = (halves - whole).abs();
    if error <= tolerance || depth == 0 {
        return QuadratureValue { value: halves + (halves - whole) / 15.0, error };
    }
    let first = simpson(f, (a, m), (fa, left, fm), 0.5 * tolerance, depth - 1);
    let second = simpson(f, (m, b), (fm, right, fb), 0.5 * tolerance, depth - 1);
    QuadratureValue { value: first.value + second.value, error: first.error + second.error }
}

/// The Bayes risk of two Gaussians with a shared covariance at the Mahalanobis distance `delta`, the prior of the first being `prior`.
/// With equal priors it is Φ(−Δ/2).
pub fn bayes_risk_of_two_gaussians(delta: f64, prior: f64) -> f64 {
    let phi = |z: f64| Gaussian { mean: 0.0, sd: 1.0 }.cdf(z);
    if delta == 0.0 || prior <= 0.0 || prior >= 1.0 {
        return prior.min(1.0 - prior).max(0.0);
    }
    let shift = (prior / (1.0 - prior)).ln() / delta;
    prior * phi(-0.5 * delta - shift) + (1.0 - prior) * phi(-0.5 * delta + shift)
}

/// The Bayes risk of a law of one number between two ends, by quadrature. Beyond the ends nothing is counted.
pub fn bayes_risk_on_line(law: &dyn ClassLaw, low: f64, high: f64, tolerance: f64) -> QuadratureValue {
    let lost = |x: f64| {
        let p = law.joint(&[x]);
        p.iter().sum::<f64>() - p.iter().copied().fold(0.0, f64::max)
    };
    integrate(&lost, low, high, tolerance)
}

/// What a rule loses against the Bayes rule under 0–1 loss, from rows drawn of the law. Each draw counts the difference of the posterior
/// probabilities, not of two losses, so that the Bayes rule itself loses exactly 0.
pub fn excess_risk(law: &dyn ClassLaw, rule: &mut dyn FnMut(&[f64]) -> usize, draws: usize, seed: u64) -> SimulatedMean {
    let mut stream = RngStream::new(seed, "excess risk", 0);
    SimulatedMean::of((0..draws).map(|_| {
        let (x, _) = law.draw(&mut stream);
        let p = law.posterior(&x).unwrap_or_else(|| law.priors().to_vec());
        p.iter().copied().fold(0.0, f64::max) - p.get(rule(&x)).copied().unwrap_or(0.0)
    }))
}

/// The Bayes risk by simulation: the mean of 1 − max p(c|x).
pub fn simulated_bayes_risk(law: &dyn ClassLaw, draws: usize, seed: u64) -> SimulatedMean {
    let mut stream = RngStream::new(seed, "Bayes risk", 0);
    SimulatedMean::of((0..draws).map(|_| {
        let (x, _) = law.draw(&mut stream);
        1.0 - law.posterior(&x).map_or(1.0, |p| p.into_iter().fold(0.0, f64::max))
    }))
}

/// The mean excess risk of a method for several sample sizes: `excess(n, repetition)` draws n rows, fits, and returns what the fit loses.
pub fn consistency_curve(
    sizes: &[usize],
    repetitions: usize,
    excess: &mut dyn FnMut(usize, u64) -> Result<f64>,
) -> Result<Vec<(usize, SimulatedMean)>> {
    let mut curve = Vec::with_capacity(sizes.len());
    for &n in sizes {
        let values = (0..repetitions as u64).map(|r| excess(n, r)).collect::<Result<Vec<f64>>>()?;
        curve.push((n, SimulatedMean::of(values)));
    }
    Ok(curve)
}
