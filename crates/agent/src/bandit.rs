//! Bandits: choosing arms when only the reward of the chosen one is observed.
//!
//! A policy is a value: it can be saved, sent, served and resumed. Rewards are checked as they come: a reward that is
//! not a number, or outside the range that a policy's theory needs, is an error that names it and changes nothing.

mod bandit_env;
mod bound;
mod catalog;
mod combinatorial;
mod exp3;
mod greedy;
mod kl;
mod linear;
mod off_policy;
mod service;
mod simulate;
mod thompson;
mod top_m;
mod ucb;
mod windowed;

pub use bandit_env::{BanditEnv, RewardDelay, RewardModel};
pub use bound::{RegretBound, lai_robbins, proven_bound};
pub use catalog::{POLICIES, PolicySetting, named, policy_entry};
pub use combinatorial::{Cucb, set_bound, simulate_sets};
pub use exp3::Exp3;
pub use greedy::{EpsilonGreedy, ExploreThenCommit, Stationary};
pub use kl::{KlUcb, bernoulli_kl, kl_upper};
pub use linear::{LinUcb, LinearThompson};
pub use off_policy::{Estimate, LoggedRound, OffPolicyEstimates, Replay, off_policy, replay};
pub use service::PolicyService;
pub use simulate::{Comparison, PolicyResult, SimulatedPolicy, Simulation, compare, look_rounds, simulate};
pub use thompson::{ThompsonBeta, ThompsonGaussian, draw_beta, draw_gamma};
pub use top_m::{TopArms, accepts_rejects_bound, lucb, lucb_bound, successive_accepts_rejects};
pub use ucb::{ConfidenceWidth, Ucb};
pub use windowed::{DiscountedUcb, SlidingWindowUcb};

use ermine_core::{Error, Result, RngStream};
use serde::{Deserialize, Serialize};

/// An arm, and the probability with which it was chosen where the policy knows it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ArmChoice {
    /// The arm, from 0.
    pub arm: usize,
    /// Its probability (propensity), which a log needs for off-policy evaluation.
    pub probability: Option<f64>,
}

impl ArmChoice {
    fn certain(arm: usize) -> Self {
        Self { arm, probability: Some(1.0) }
    }
}

/// A rule that chooses arms and learns from their rewards. The reward of a choice may come later than the next choice.
pub trait Policy {
    /// The number of arms.
    fn arms(&self) -> usize;

    /// An arm for the next round. The context is empty where there is none.
    fn choose(&mut self, context: &[f64], rng: &mut RngStream) -> ArmChoice;

    /// Updates with the reward of a choice and its context.
    fn learn(&mut self, context: &[f64], choice: ArmChoice, reward: f64) -> Result<()>;
}

/// Any policy, for files and choice by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "policy", rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each variant is the type it holds")]
pub enum AnyPolicy {
    Stationary(Stationary),
    ExploreThenCommit(ExploreThenCommit),
    EpsilonGreedy(EpsilonGreedy),
    Ucb(Ucb),
    KlUcb(KlUcb),
    ThompsonBeta(ThompsonBeta),
    ThompsonGaussian(ThompsonGaussian),
    Exp3(Exp3),
    LinUcb(LinUcb),
    LinearThompson(LinearThompson),
    SlidingWindowUcb(SlidingWindowUcb),
    DiscountedUcb(DiscountedUcb),
}

macro_rules! each {
    ($self:expr, $policy:ident => $do:expr) => {
        match $self {
            AnyPolicy::Stationary($policy) => $do,
            AnyPolicy::ExploreThenCommit($policy) => $do,
            AnyPolicy::EpsilonGreedy($policy) => $do,
            AnyPolicy::Ucb($policy) => $do,
            AnyPolicy::KlUcb($policy) => $do,
            AnyPolicy::ThompsonBeta($policy) => $do,
            AnyPolicy::ThompsonGaussian($policy) => $do,
            AnyPolicy::Exp3($policy) => $do,
            AnyPolicy::LinUcb($policy) => $do,
            AnyPolicy::LinearThompson($policy) => $do,
            AnyPolicy::SlidingWindowUcb($policy) => $do,
            AnyPolicy::DiscountedUcb($policy) => $do,
        }
    };
}

macro_rules! from {
    ($($policy:ident),*) => {$(
        impl From<$policy> for AnyPolicy {
            fn from(policy: $policy) -> Self {
                Self::$policy(policy)
            }
        }
    )*};
}
from!(Stationary, ExploreThenCommit, EpsilonGreedy, Ucb, KlUcb, ThompsonBeta, ThompsonGaussian, Exp3);
from!(LinUcb, LinearThompson, SlidingWindowUcb, DiscountedUcb);

impl Policy for AnyPolicy {
    fn arms(&self) -> usize {
        each!(self, p => p.arms())
    }

    #[inline]
    fn choose(&mut self, context: &[f64], rng: &mut RngStream) -> ArmChoice {
        each!(self, p => p.choose(context, rng))
    }

    #[inline]
    fn learn(&mut self, context: &[f64], choice: ArmChoice, reward: f64) -> Result<()> {
        each!(self, p => p.learn(context, choice, reward))
    }
}

impl AnyPolicy {
    /// The policy with all it has learned, as JSON.
    pub fn save(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|e| Error::Model(format!("the policy cannot be written: {e}")))
    }

    /// Reads a saved policy and checks its consistency, so that it can be used without further checks.
    pub fn load(text: &str) -> Result<Self> {
        let policy: Self = serde_json::from_str(text).map_err(|e| Error::Model(format!("this is not a policy: {e}")))?;
        policy.check()?;
        Ok(policy)
    }

    /// Checks the consistency of the state.
    fn check(&self) -> Result<()> {
        each!(self, p => p.check())
    }

    /// The dimension of the context; none for policies without context.
    pub fn dimension(&self) -> Option<usize> {
        match self {
            Self::LinUcb(p) => Some(p.context()),
            Self::LinearThompson(p) => Some(p.context()),
            _ => None,
        }
    }
}

/// The state of most policies: pulls and sums of rewards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ArmCounts {
    /// Observed rewards, per arm.
    pulls: Vec<u64>,
    sums: Vec<f64>,
    /// Choices, with or without their reward so far.
    chosen: Vec<u64>,
    /// The number of choices.
    rounds: u64,
}

impl ArmCounts {
    fn new(arms: usize) -> Result<Self> {
        some_arms(arms)?;
        Ok(Self { pulls: vec![0; arms], sums: vec![0.0; arms], chosen: vec![0; arms], rounds: 0 })
    }

    fn arms(&self) -> usize {
        self.pulls.len()
    }

    #[inline]
    fn mean(&self, arm: usize) -> f64 {
        self.sums[arm] / self.pulls[arm] as f64
    }

    #[inline]
    fn add(&mut self, arm: usize, reward: f64) {
        self.pulls[arm] += 1;
        self.sums[arm] += reward;
    }

    /// Counts a choice.
    #[inline]
    fn take(&mut self, arm: usize) -> usize {
        self.rounds += 1;
        self.chosen[arm] += 1;
        arm
    }

    /// An arm without rewards, the lowest of the least chosen: with delayed rewards, such arms take turns.
    #[inline]
    fn unknown(&self) -> Option<usize> {
        if self.pulls.iter().all(|&n| n > 0) {
            return None;
        }
        (0..self.arms()).filter(|&arm| self.pulls[arm] == 0).min_by_key(|&arm| self.chosen[arm])
    }

    /// The arm with the largest index, the lowest among equals.
    #[inline]
    fn largest(&self, index: impl Fn(usize) -> f64) -> usize {
        let (mut best, mut top) = (0, f64::NEG_INFINITY);
        for arm in 0..self.pulls.len() {
            let value = index(arm);
            if value > top {
                (best, top) = (arm, value);
            }
        }
        best
    }

    fn check(&self) -> Result<()> {
        some_arms(self.pulls.len())?;
        same_arms("sums of rewards", self.pulls.len(), self.sums.len())?;
        same_arms("choices", self.pulls.len(), self.chosen.len())?;
        // Counts stay far below where they would no longer be exact as f64.
        if let Some(count) = self.pulls.iter().chain(&self.chosen).chain([&self.rounds]).find(|n| **n > 1 << 50) {
            return Err(Error::Model(format!("{count} rounds are too many")));
        }
        match self.sums.iter().find(|s| !s.is_finite()) {
            Some(sum) => Err(Error::Model(format!("a sum of rewards is {sum}"))),
            None => Ok(()),
        }
    }
}

fn some_arms(arms: usize) -> Result<()> {
    match arms {
        0 => Err(Error::Data("there are no arms to choose from; a bandit needs at least one".into())),
        _ => Ok(()),
    }
}

fn same_arms(what: &str, expected: usize, found: usize) -> Result<()> {
    match expected == found {
        true => Ok(()),
        false => Err(Error::Length { what: what.into(), expected, found }),
    }
}

/// An error for an unknown arm or a reward that is not a number.
#[inline]
fn check_reward(policy: &'static str, arms: usize, arm: usize, reward: f64) -> Result<()> {
    if arm < arms && reward.is_finite() {
        return Ok(());
    }
    Err(match arm < arms {
        true => Error::Data(format!("{policy}: the reward of arm {arm} is {reward}, which is not a finite number")),
        false => Error::Data(format!("{policy}: there is no arm {arm}; arms are 0 to {}", arms - 1)),
    })
}

/// The range of the rewards.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RewardRange {
    /// The least reward.
    pub low: f64,
    /// The largest.
    pub high: f64,
}

impl Default for RewardRange {
    fn default() -> Self {
        Self { low: 0.0, high: 1.0 }
    }
}

impl RewardRange {
    fn check(&self) -> Result<()> {
        match self.low.is_finite() && self.high.is_finite() && self.low < self.high {
            true => Ok(()),
            false => Err(Error::Data(format!("rewards from {} to {} are no range", self.low, self.high))),
        }
    }

    /// A reward scaled to [0, 1]; an error outside the range.
    #[inline]
    fn unit(&self, policy: &'static str, arms: usize, arm: usize, reward: f64) -> Result<f64> {
        check_reward(policy, arms, arm, reward)?;
        if (self.low..=self.high).contains(&reward) {
            return Ok((reward - self.low) / (self.high - self.low));
        }
        Err(Error::Data(format!(
            "{policy}: the reward {reward} of arm {arm} is outside [{}, {}], its range of rewards; set the range",
            self.low, self.high
        )))
    }
}
