//! Thompson sampling: each arm with its posterior probability of being the best (Thompson 1933).

use ermine_core::{Error, Result, RngStream};
use serde::{Deserialize, Serialize};

use super::{ArmChoice, ArmCounts, Policy, RewardRange, check_reward};

/// A sample from the gamma distribution of a shape above 0 and scale 1 (Marsaglia, Tsang 2000).
pub fn draw_gamma(shape: f64, rng: &mut RngStream) -> f64 {
    if shape < 1.0 {
        let u = 1.0 - rng.uniform();
        return draw_gamma(shape + 1.0, rng) * u.powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = rng.normal();
        let v = 1.0 + c * x;
        if v <= 0.0 {
            continue;
        }
        let v = v * v * v;
        let u = rng.uniform();
        let square = x * x;
        if u < 1.0 - 0.0331 * square * square || u.ln() < 0.5 * square + d * (1.0 - v + v.ln()) {
            return d * v;
        }
    }
}

/// A sample from the beta distribution.
pub fn draw_beta(a: f64, b: f64, rng: &mut RngStream) -> f64 {
    let x = draw_gamma(a, rng);
    let y = draw_gamma(b, rng);
    // Both can be 0 for tiny shapes, where the limit is a Bernoulli distribution.
    if x + y > 0.0 { x / (x + y) } else { f64::from(rng.uniform() * (a + b) < a) }
}

/// Beta posteriors of Bernoulli arms. A reward within the range counts as a fraction of a success and of a failure: the
/// expectation of the Bernoulli draw of Agrawal and Goyal (2012), without its noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThompsonBeta {
    /// Prior successes.
    pub successes: f64,
    /// Prior failures.
    pub failures: f64,
    /// The range of the rewards.
    pub range: RewardRange,
    counts: ArmCounts,
}

impl ThompsonBeta {
    /// A policy with a uniform prior, for rewards in [0, 1].
    pub fn new(arms: usize) -> Result<Self> {
        Self::with_prior(arms, 1.0, 1.0, RewardRange::default())
    }

    /// A policy with a prior, for rewards in a range.
    pub fn with_prior(arms: usize, successes: f64, failures: f64, range: RewardRange) -> Result<Self> {
        let policy = Self { successes, failures, range, counts: ArmCounts::new(arms)? };
        policy.check()?;
        Ok(policy)
    }

    pub(super) fn check(&self) -> Result<()> {
        self.range.check()?;
        self.counts.check()?;
        for (name, value) in [("successes", self.successes), ("failures", self.failures)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::Data(format!("prior {name} {value} are refused; they are a number above 0")));
            }
        }
        match (0..self.counts.arms()).find(|&a| !(0.0..=self.counts.pulls[a] as f64).contains(&self.counts.sums[a])) {
            Some(arm) => Err(Error::Model(format!("arm {arm}: more successes than pulls"))),
            None => Ok(()),
        }
    }
}

impl Policy for ThompsonBeta {
    fn arms(&self) -> usize {
        self.counts.arms()
    }

    #[inline]
    fn choose(&mut self, _: &[f64], rng: &mut RngStream) -> ArmChoice {
        let (mut best, mut top) = (0, f64::NEG_INFINITY);
        for arm in 0..self.counts.arms() {
            let (wins, pulls) = (self.counts.sums[arm], self.counts.pulls[arm] as f64);
            let draw = draw_beta(self.successes + wins, self.failures + pulls - wins, rng);
            if draw > top {
                (best, top) = (arm, draw);
            }
        }
        ArmChoice { arm: self.counts.take(best), probability: None }
    }

    #[inline]
    fn learn(&mut self, _: &[f64], choice: ArmChoice, reward: f64) -> Result<()> {
        let reward = self.range.unit("thompson-beta", self.arms(), choice.arm, reward)?;
        self.counts.add(choice.arm, reward);
        Ok(())
    }
}

/// Normal posteriors of the means of normal rewards with known noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThompsonGaussian {
    /// Prior mean.
    pub prior_mean: f64,
    /// Prior standard deviation.
    pub prior_sd: f64,
    /// Standard deviation of a reward.
    pub noise_sd: f64,
    counts: ArmCounts,
}

impl ThompsonGaussian {
    /// A policy with the given prior.
    pub fn new(arms: usize, prior_mean: f64, prior_sd: f64, noise_sd: f64) -> Result<Self> {
        let policy = Self { prior_mean, prior_sd, noise_sd, counts: ArmCounts::new(arms)? };
        policy.check()?;
        Ok(policy)
    }

    pub(super) fn check(&self) -> Result<()> {
        self.counts.check()?;
        if !self.prior_mean.is_finite() {
            return Err(Error::Data(format!("prior mean {} is not a finite number", self.prior_mean)));
        }
        for (name, value) in [("prior", self.prior_sd), ("noise", self.noise_sd)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::Data(format!("the standard deviation {value} of the {name} is invalid; it must be above 0")));
            }
        }
        Ok(())
    }
}

impl Policy for ThompsonGaussian {
    fn arms(&self) -> usize {
        self.counts.arms()
    }

    fn choose(&mut self, _: &[f64], rng: &mut RngStream) -> ArmChoice {
        let (prior, noise) = (self.prior_sd.powi(-2), self.noise_sd.powi(-2));
        let counts = &self.counts;
        let (mut best, mut top) = (0, f64::NEG_INFINITY);
        for arm in 0..counts.arms() {
            let precision = prior + noise * counts.pulls[arm] as f64;
            let mean = (prior * self.prior_mean + noise * counts.sums[arm]) / precision;
            let draw = mean + rng.normal() / precision.sqrt();
            if draw > top {
                (best, top) = (arm, draw);
            }
        }
        ArmChoice { arm: self.counts.take(best), probability: None }
    }

    fn learn(&mut self, _: &[f64], choice: ArmChoice, reward: f64) -> Result<()> {
        check_reward("thompson-gaussian", self.arms(), choice.arm, reward)?;
        self.counts.add(choice.arm, reward);
        Ok(())
    }
}
