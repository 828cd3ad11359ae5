//! EXP3: exponential weights against an adversary who chooses the rewards (Auer, Cesa-Bianchi, Freund, Schapire 2002).

use ermine_core::{Error, Result, RngStream};
use serde::{Deserialize, Serialize};

use super::{ArmChoice, Policy, RewardRange, some_arms};

/// Exponential weights of the estimated rewards of each arm, reward / probability (importance weighting); or of the
/// losses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exp3 {
    /// Learning rate of the weights.
    pub eta: f64,
    /// Share of uniform exploration.
    pub mix: f64,
    /// Learn from 1 - reward: less variance where rewards are large.
    pub losses: bool,
    /// The range of the rewards.
    pub range: RewardRange,
    weights: Vec<f64>,
}

impl Exp3 {
    /// Tuned on rewards for a known number of rounds: `γ = min(1, sqrt(K ln K / ((e-1) T)))`, regret at most
    /// `2 sqrt(e-1) sqrt(K T ln K)`.
    pub fn on_rewards(arms: usize, rounds: u64, range: RewardRange) -> Result<Self> {
        some_arms(arms)?;
        let k = arms as f64;
        let gamma = (k * k.ln() / ((std::f64::consts::E - 1.0) * rounds.max(1) as f64)).sqrt().min(1.0);
        // With one arm any learning rate will do.
        let gamma = if gamma > 0.0 { gamma } else { 1.0 };
        Self::new(arms, gamma / k, gamma, false, range)
    }

    /// Tuned on losses for a known number of rounds: `η = sqrt(2 ln K / (K T))`, regret at most `sqrt(2 K T ln K)`.
    pub fn on_losses(arms: usize, rounds: u64, range: RewardRange) -> Result<Self> {
        some_arms(arms)?;
        let k = arms as f64;
        let eta = (2.0 * k.ln() / (k * rounds.max(1) as f64)).sqrt();
        Self::new(arms, if eta > 0.0 { eta } else { 1.0 }, 0.0, true, range)
    }

    /// With any learning rate and exploration.
    pub fn new(arms: usize, eta: f64, mix: f64, losses: bool, range: RewardRange) -> Result<Self> {
        let policy = Self { eta, mix, losses, range, weights: vec![1.0; arms] };
        policy.check()?;
        Ok(policy)
    }

    pub(super) fn check(&self) -> Result<()> {
        some_arms(self.weights.len())?;
        self.range.check()?;
        if !(self.eta > 0.0 && self.eta.is_finite()) {
            return Err(Error::Data(format!("eta {} is invalid; it must be a number above 0", self.eta)));
        }
        if !(0.0..=1.0).contains(&self.mix) {
            return Err(Error::Data(format!("mix {} is invalid; it must be a share in [0, 1]", self.mix)));
        }
        match self.weights.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
            Some(arm) => Err(Error::Model(format!("arm {arm}: {} is not a weight", self.weights[arm]))),
            None if (f64::MIN_POSITIVE..=f64::MAX).contains(&self.weights.iter().sum()) => Ok(()),
            None => Err(Error::Model("the weights sum to 0 or to more than a number can hold".into())),
        }
    }
}

impl Policy for Exp3 {
    fn arms(&self) -> usize {
        self.weights.len()
    }

    #[inline]
    fn choose(&mut self, _: &[f64], rng: &mut RngStream) -> ArmChoice {
        let arms = self.weights.len();
        let total: f64 = self.weights.iter().sum();
        let (scale, floor) = ((1.0 - self.mix) / total, self.mix / arms as f64);
        let mut left = rng.uniform();
        let mut arm = 0;
        // Rounding may leave a remainder beyond the last arm; it belongs to the last arm with a positive probability.
        for (i, &weight) in self.weights.iter().enumerate() {
            let p = scale * weight + floor;
            if p > 0.0 {
                arm = i;
                if left < p {
                    break;
                }
                left -= p;
            }
        }
        ArmChoice { arm, probability: Some(scale * self.weights[arm] + floor) }
    }

    #[inline]
    fn learn(&mut self, _: &[f64], choice: ArmChoice, reward: f64) -> Result<()> {
        let reward = self.range.unit("exp3", self.arms(), choice.arm, reward)?;
        let Some(probability) = choice.probability.filter(|p| *p > 0.0 && *p <= 1.0 + 1e-9) else {
            let shown = choice.probability.map_or("missing".to_owned(), |p| p.to_string());
            return Err(Error::Data(format!(
                "exp3: the probability of arm {} is {shown}, and it cannot learn without",
                choice.arm
            )));
        };
        let gain = if self.losses { -(1.0 - reward) / probability } else { reward / probability };
        // The exponent is bounded, so that no weight overflows before the others are scaled down.
        self.weights[choice.arm] *= (self.eta * gain).clamp(-500.0, 500.0).exp();
        let top = self.weights.iter().copied().fold(0.0, f64::max);
        if !(1e-60..=1e60).contains(&top) {
            // The least weight stays above 0: an adversary may make any arm the best one later.
            self.weights.iter_mut().for_each(|w| *w = (*w / top).max(1e-290));
        }
        Ok(())
    }
}
