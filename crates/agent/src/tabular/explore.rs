//! Exploration, and step sizes of tables.

use ermine_core::{Error, Result, RngStream};
use serde::{Deserialize, Serialize};

/// A schedule of a parameter over the steps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecaySchedule {
    /// Constant.
    Constant(f64),
    /// Linear from one number to another over a number of steps, then constant.
    Linear {
        /// The initial value.
        from: f64,
        /// The final value.
        to: f64,
        /// Number of steps.
        steps: u64,
    },
    /// Multiplied by `decay` at every step, not below `to`.
    Exponential {
        /// The initial value.
        from: f64,
        /// The final value.
        to: f64,
        /// The factor per step.
        decay: f64,
    },
    /// `min(1, scale / t)` at the t-th step.
    Inverse {
        /// The scale.
        scale: f64,
    },
}

impl DecaySchedule {
    /// The value at a step.
    #[inline]
    pub fn at(&self, step: u64) -> f64 {
        match *self {
            Self::Constant(value) => value,
            Self::Linear { to, steps, .. } if step >= steps => to,
            Self::Linear { from, to, steps } => from + (to - from) * (step as f64 / steps as f64),
            Self::Exponential { from, to, decay } => (from * decay.powf(step as f64)).max(to),
            Self::Inverse { scale } => (scale / (step + 1) as f64).min(1.0),
        }
    }

    /// Checks that all values are in a range.
    pub(crate) fn check(&self, name: &str, low: f64, high: f64) -> Result<()> {
        let values = match *self {
            Self::Constant(value) => [value, value],
            Self::Inverse { scale } if scale > 0.0 && scale.is_finite() => return Ok(()),
            Self::Inverse { scale } => return Err(Error::Data(format!("{name}: the scale {scale} is no number above 0"))),
            Self::Linear { from, to, .. } | Self::Exponential { from, to, .. } => [from, to],
        };
        if let Self::Exponential { decay, .. } = self
            && !(0.0..=1.0).contains(decay)
        {
            return Err(Error::Data(format!("{name}: the factor {decay} does not decay; use one in [0, 1]")));
        }
        match values.iter().find(|v| !(low..=high).contains(*v)) {
            Some(v) => Err(Error::Data(format!("{name} {v} is invalid; it must be in [{low}, {high}]"))),
            None => Ok(()),
        }
    }
}

/// The step size of a table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepSize {
    /// Constant: tracks a changing environment and stays noisy.
    Constant(f64),
    /// `1 / visits^power`: 1 averages; above 1/2 the table converges.
    Visits {
        /// The power.
        power: f64,
    },
}

impl StepSize {
    pub(super) fn check(&self) -> Result<()> {
        match *self {
            Self::Constant(alpha) if alpha > 0.0 && alpha <= 1.0 => Ok(()),
            Self::Visits { power } if power > 0.0 && power <= 1.0 => Ok(()),
            Self::Constant(alpha) => Err(Error::Data(format!("alpha {alpha} is invalid; a step size must be in (0, 1]"))),
            Self::Visits { power } => {
                Err(Error::Data(format!("the power {power} of the step size is invalid; it must be in (0, 1]")))
            }
        }
    }

    /// The step size at the given visit, from 1.
    #[inline]
    pub(super) fn at(&self, visit: u32) -> f64 {
        match *self {
            Self::Constant(alpha) => alpha,
            Self::Visits { power: 1.0 } => 1.0 / f64::from(visit),
            Self::Visits { power } => f64::from(visit).powf(-power),
        }
    }
}

/// Exploration strategies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exploration {
    /// The best action, or with probability ε a random one. Optimistic exploration is ε = 0 with high initial values.
    EpsilonGreedy(DecaySchedule),
    /// With probability proportional to `exp(value / temperature)`.
    Softmax(DecaySchedule),
    /// The best `value + c sqrt(ln t / visits)` of the state, unvisited actions first.
    Ucb {
        /// The weight of the uncertainty.
        c: f64,
    },
}

impl Exploration {
    pub(super) fn check(&self) -> Result<()> {
        match self {
            Self::EpsilonGreedy(epsilon) => epsilon.check("epsilon", 0.0, 1.0),
            Self::Softmax(temperature) => temperature.check("temperature", 1e-12, f64::MAX),
            Self::Ucb { c } if *c >= 0.0 && c.is_finite() => Ok(()),
            Self::Ucb { c } => Err(Error::Data(format!("c {c} is invalid; it must be a number from 0 up"))),
        }
    }

    /// An action. `visits` counts the actions of this state; `peak` is the largest of the values, where it is known.
    #[inline(always)]
    pub(super) fn choose(&self, values: &[f64], visits: &[u32], peak: Option<f64>, step: u64, rng: &mut RngStream) -> usize {
        match self {
            Self::EpsilonGreedy(epsilon) => {
                let epsilon = epsilon.at(step);
                let u = rng.uniform();
                // The number that decided to explore is uniform below ε, and chooses the action too.
                if u < epsilon {
                    return ((u / epsilon * values.len() as f64) as usize).min(values.len() - 1);
                }
                best_at(values, peak.unwrap_or_else(|| top(values)), rng)
            }
            Self::Softmax(temperature) => {
                let (temperature, top) = (temperature.at(step), values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
                let weights: Vec<f64> = values.iter().map(|v| ((v - top) / temperature).exp()).collect();
                rng.weighted(&weights)
            }
            Self::Ucb { c } => {
                let total: f64 = visits.iter().map(|&n| f64::from(n)).sum();
                let log = total.max(1.0).ln();
                let bonus = |n: u32| if n == 0 { f64::INFINITY } else { c * (log / f64::from(n)).sqrt() };
                let scores: Vec<f64> = values.iter().zip(visits).map(|(v, &n)| v + bonus(n)).collect();
                best(&scores, rng)
            }
        }
    }

    /// Probabilities of the actions, for expectations over the policy.
    pub(super) fn probabilities(&self, values: &[f64], visits: &[u32], step: u64, out: &mut [f64]) {
        match self {
            Self::Softmax(temperature) => {
                let (temperature, top) = (temperature.at(step), values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
                out.iter_mut().zip(values).for_each(|(o, v)| *o = ((v - top) / temperature).exp());
                let total: f64 = out.iter().sum();
                out.iter_mut().for_each(|o| *o /= total);
            }
            _ => {
                let epsilon = if let Self::EpsilonGreedy(epsilon) = self { epsilon.at(step) } else { 0.0 };
                let score = |a: usize| match self {
                    Self::Ucb { .. } if visits[a] == 0 => f64::INFINITY,
                    Self::Ucb { c } => {
                        let total: f64 = visits.iter().map(|&n| f64::from(n)).sum();
                        values[a] + c * (total.max(1.0).ln() / f64::from(visits[a])).sqrt()
                    }
                    _ => values[a],
                };
                let top = (0..values.len()).map(score).fold(f64::NEG_INFINITY, f64::max);
                let ties = (0..values.len()).filter(|&a| score(a) == top).count();
                for (a, o) in out.iter_mut().enumerate() {
                    let best = if score(a) == top { (1.0 - epsilon) / ties as f64 } else { 0.0 };
                    *o = epsilon / values.len() as f64 + best;
                }
            }
        }
    }
}

/// The largest value.
#[inline(always)]
pub(super) fn top(values: &[f64]) -> f64 {
    let larger = |a: f64, b: f64| if b > a { b } else { a };
    // Two independent chains of comparisons, to halve the latency.
    let pairs = values.chunks_exact(2);
    let last = pairs.remainder().first().copied().unwrap_or(f64::NEG_INFINITY);
    let (a, b) = pairs.fold((last, f64::NEG_INFINITY), |(a, b), pair| (larger(a, pair[0]), larger(b, pair[1])));
    larger(a, b)
}

/// The index of the largest value; ties are broken at random, since always taking the first could loop forever.
#[inline]
pub(super) fn best(values: &[f64], rng: &mut RngStream) -> usize {
    best_at(values, top(values), rng)
}

/// The same, where the largest value is known.
#[inline(always)]
fn best_at(values: &[f64], top: f64, rng: &mut RngStream) -> usize {
    // One bit per action, without unpredictable branches.
    if values.len() <= 64 {
        let mut mask = values.iter().enumerate().fold(0u64, |mask, (i, v)| mask | u64::from(*v == top) << i);
        if !mask.is_power_of_two() && mask != 0 {
            for _ in 0..rng.below(mask.count_ones() as usize) {
                mask &= mask - 1;
            }
        }
        return (mask.trailing_zeros() as usize).min(values.len() - 1);
    }
    let ties = values.iter().filter(|v| **v == top).count();
    let skip = if ties > 1 { rng.below(ties) } else { 0 };
    values.iter().enumerate().filter(|(_, v)| **v == top).nth(skip).map_or(0, |(i, _)| i)
}
