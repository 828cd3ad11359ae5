//! Policies that follow the sample means: explore then commit, ε-greedy; and one that does not learn.

use ermine_core::{Error, Result, RngStream};
use serde::{Deserialize, Serialize};

use super::{ArmChoice, ArmCounts, Policy, check_reward, some_arms};
use crate::tabular::DecaySchedule;

/// Pulls every arm `each` times, then always the best one. Regret grows linearly: the arm it commits to may be wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExploreThenCommit {
    /// Pulls of each arm before the commitment.
    pub each: u64,
    counts: ArmCounts,
    committed: Option<usize>,
}

impl ExploreThenCommit {
    /// A policy without data.
    pub fn new(arms: usize, each: u64) -> Result<Self> {
        if each == 0 {
            return Err(Error::Data("explore-then-commit: every arm needs at least one pull before the commitment".into()));
        }
        Ok(Self { each, counts: ArmCounts::new(arms)?, committed: None })
    }

    pub(super) fn check(&self) -> Result<()> {
        self.counts.check()?;
        match self.committed {
            Some(arm) => check_reward("explore-then-commit", self.counts.arms(), arm, 0.0),
            None => Ok(()),
        }
    }
}

impl Policy for ExploreThenCommit {
    fn arms(&self) -> usize {
        self.counts.arms()
    }

    fn choose(&mut self, _: &[f64], _: &mut RngStream) -> ArmChoice {
        let arms = self.arms() as u64;
        let counts = &self.counts;
        // Rewards may be delayed: exploration counts choices, the commitment uses the rewards so far.
        let arm = if counts.rounds < self.each.saturating_mul(arms) {
            (counts.rounds % arms) as usize
        } else {
            let mean = |arm: usize| if counts.pulls[arm] == 0 { f64::NEG_INFINITY } else { counts.mean(arm) };
            *self.committed.get_or_insert_with(|| counts.largest(mean))
        };
        ArmChoice::certain(self.counts.take(arm))
    }

    fn learn(&mut self, _: &[f64], choice: ArmChoice, reward: f64) -> Result<()> {
        check_reward("explore-then-commit", self.arms(), choice.arm, reward)?;
        self.counts.add(choice.arm, reward);
        Ok(())
    }
}

/// The best arm so far, or with probability ε a random one. With a constant ε regret grows linearly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpsilonGreedy {
    /// ε by round.
    pub epsilon: DecaySchedule,
    counts: ArmCounts,
}

impl EpsilonGreedy {
    /// A policy without data.
    pub fn new(arms: usize, epsilon: DecaySchedule) -> Result<Self> {
        let policy = Self { epsilon, counts: ArmCounts::new(arms)? };
        policy.check()?;
        Ok(policy)
    }

    pub(super) fn check(&self) -> Result<()> {
        self.epsilon.check("epsilon", 0.0, 1.0)?;
        self.counts.check()
    }
}

impl Policy for EpsilonGreedy {
    fn arms(&self) -> usize {
        self.counts.arms()
    }

    #[inline]
    fn choose(&mut self, _: &[f64], rng: &mut RngStream) -> ArmChoice {
        let arms = self.arms();
        let epsilon = self.epsilon.at(self.counts.rounds);
        let counts = &self.counts;
        let best = counts.unknown().unwrap_or_else(|| counts.largest(|arm| counts.mean(arm)));
        let u = rng.uniform();
        let arm = if u < epsilon { ((u / epsilon * arms as f64) as usize).min(arms - 1) } else { best };
        let any = epsilon / arms as f64;
        self.counts.take(arm);
        ArmChoice { arm, probability: Some(if arm == best { 1.0 - epsilon + any } else { any }) }
    }

    #[inline]
    fn learn(&mut self, _: &[f64], choice: ArmChoice, reward: f64) -> Result<()> {
        check_reward("epsilon-greedy", self.arms(), choice.arm, reward)?;
        self.counts.add(choice.arm, reward);
        Ok(())
    }
}

/// Fixed probabilities in every round: the policy behind many logs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stationary {
    probabilities: Vec<f64>,
}

impl Stationary {
    /// A policy with these probabilities.
    pub fn new(probabilities: Vec<f64>) -> Result<Self> {
        let policy = Self { probabilities };
        policy.check()?;
        Ok(policy)
    }

    /// The probabilities.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    pub(super) fn check(&self) -> Result<()> {
        some_arms(self.probabilities.len())?;
        if let Some(arm) = self.probabilities.iter().position(|p| !(0.0..=1.0).contains(p)) {
            return Err(Error::Data(format!("arm {arm}: {} is not a probability", self.probabilities[arm])));
        }
        let sum: f64 = self.probabilities.iter().sum();
        match (sum - 1.0).abs() <= 1e-9 {
            true => Ok(()),
            false => Err(Error::Data(format!("the probabilities of the arms sum to {sum}, not to 1"))),
        }
    }
}

impl Policy for Stationary {
    fn arms(&self) -> usize {
        self.probabilities.len()
    }

    fn choose(&mut self, _: &[f64], rng: &mut RngStream) -> ArmChoice {
        let arm = rng.weighted(&self.probabilities);
        ArmChoice { arm, probability: Some(self.probabilities[arm]) }
    }

    fn learn(&mut self, _: &[f64], choice: ArmChoice, reward: f64) -> Result<()> {
        check_reward("stationary", self.arms(), choice.arm, reward)
    }
}
