//! The usual distributions.

mod continuous;
mod discrete;

use ermine_core::RngStream;

pub use continuous::{Beta, Cauchy, Exponential, Gamma, Gaussian, Laplace, LogNormal, Uniform, Weibull};
pub use discrete::{Bernoulli, Binomial, Categorical, Geometric, NegativeBinomial, Poisson};

use crate::distribution::ln_gamma;

/// A distribution of numbers. Discrete distributions are on the integers, and their density is the probability.
pub trait Distribution {
    /// Density, or for discrete laws probability, at x.
    fn density(&self, x: f64) -> f64;
    /// The probability of a value at or below x.
    fn cdf(&self, x: f64) -> f64;
    /// The probability of a value above x.
    fn sf(&self, x: f64) -> f64;
    /// The least value with a probability of at least p at or below it.
    fn quantile(&self, p: f64) -> f64;
    /// The mean; NaN where there is none.
    fn mean(&self) -> f64;
    /// The variance; NaN or infinite where there is none.
    fn variance(&self) -> f64;
    /// The entropy in nats: of the density, or of the probabilities.
    fn entropy(&self) -> f64;
    /// A value drawn by it.
    fn draw(&self, stream: &mut RngStream) -> f64;
}

const EULER: f64 = 0.577_215_664_901_532_9;

/// The derivative of log Γ, by its recurrence and asymptotic series.
fn digamma(mut x: f64) -> f64 {
    let mut low = 0.0;
    while x < 12.0 {
        low -= 1.0 / x;
        x += 1.0;
    }
    let z = 1.0 / (x * x);
    let series =
        z * (1.0 / 12.0 - z * (1.0 / 120.0 - z * (1.0 / 252.0 - z * (1.0 / 240.0 - z * (1.0 / 132.0 - z * 691.0 / 32760.0)))));
    low + x.ln() - 0.5 / x - series
}

fn ln_beta(a: f64, b: f64) -> f64 {
    ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b)
}

/// log of n over k.
fn ln_choose(n: f64, k: f64) -> f64 {
    ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0)
}

/// A probability outside 0 and 1 has no quantile.
fn inside(p: f64) -> bool {
    (0.0..=1.0).contains(&p)
}

/// The entropy of a discrete law from its probabilities, around its mean up to where they vanish.
fn entropy_of(law: &impl Distribution, from: f64, to: f64) -> f64 {
    let (low, high) = (
        from.max((law.mean() - 60.0 * law.variance().sqrt() - 60.0).floor()),
        to.min(law.mean() + 60.0 * law.variance().sqrt() + 60.0),
    );
    let mut sum = 0.0;
    let mut k = low;
    while k <= high {
        let p = law.density(k);
        if p > 0.0 {
            sum -= p * p.ln();
        }
        k += 1.0;
    }
    sum
}

/// The least whole number from `from` on with probability of at least p at or below it.
fn least(law: &impl Distribution, p: f64, from: f64, to: f64) -> f64 {
    if !inside(p) {
        return f64::NAN;
    }
    if p == 1.0 {
        return to;
    }
    let reached = |k: f64| law.cdf(k) >= p;
    let (mut lo, mut step) = (from, 1.0);
    if reached(lo) {
        return lo;
    }
    while lo + step < to && !reached(lo + step) {
        step *= 2.0;
    }
    let mut hi = (lo + step).min(to);
    while hi - lo > 1.0 {
        let mid = ((lo + hi) / 2.0).floor();
        if reached(mid) { hi = mid } else { lo = mid }
    }
    hi
}

#[cfg(test)]
mod tests;
