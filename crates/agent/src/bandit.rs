//! Bandits: which arm to pull, when only the pulled one tells its reward.
//!
//! A policy is a value: it can be saved, sent, served and resumed. Rewards are checked as they come: what is not a number, or
//! outside the range that a policy's theory needs, is refused with its number and changes nothing.

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
    /// Its probability: what a log must keep for others to be evaluated on it.
    pub probability: Option<f64>,
}

impl ArmChoice {
    fn certain(arm: usize) -> Self {
        Self { arm, probability: Some(1.0) }
    }
}

/// A way to choose among arms and to learn from what came of it. The reward of a choice may come later than the next choice.
pub trait Policy {
    /// The number of arms.
    fn arms(&self) -> usize;

    /// An arm for the next round. The context is empty where there is none.
    fn choose(&mut self, context: &[f64], rng: &mut RngStream) -> ArmChoice;

    /// Takes in the reward of a choice, with the context it was made in.
    fn learn(&mut self, context: &[f64], choice: ArmChoice, reward: f64) -> Result<()>;
}

/// Any policy, to be kept in a file or chosen by name.
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

    /// A policy as it was saved. What does not fit together is refused, so that the policy can go on without a check.
    pub fn load(text: &str) -> Result<Self> {
        let policy: Self = serde_json::from_str(text).map_err(|e| Error::Model(format!("this is not a policy: {e}")))?;
        policy.check()?;
        Ok(policy)
    }

    /// Refuses a state that does not fit together.
    fn check(&self) -> Result<()> {
        each!(self, p => p.check())
    }

    /// Numbers that a context must have; none for policies that look at no context.
    pub fn dimension(&self) -> Option<usize> {
        match self {
            Self::LinUcb(p) => Some(p.context()),
            Self::LinearThompson(p) => Some(p.context()),
            _ => None,
        }
    }
}

/// What most policies keep: pulls and sums of rewards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ArmCounts {
    /// Rewards that came, an arm each.
    pulls: Vec<u64>,
    sums: Vec<f64>,
    /// Choices made, whether their reward has come or not.
    chosen: Vec<u64>,
    /// Their sum.
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

    /// An arm of which nothing is known, the lowest of those that were chosen least: while rewards are on their way, all unknown arms take
    /// their turns.
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
        // Counts stay far below where they would no longer be exact as numbers.
        if let Some(count) = self.pulls.iter().chain(&self.chosen).chain([&self.rounds]).find(|n| **n > 1 << 50) {
            return Err(Error::Model(format!("{count} rounds are more than anybody has played")));
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

/// Refuses an arm that is not there and a reward that is no number.
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

/// The range that rewards come from.
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

    /// A reward in [0, 1], refused where it is outside the range.
    #[inline]
    fn unit(&self, policy: &'static str, arms: usize, arm: usize, reward: f64) -> Result<f64> {
        check_reward(policy, arms, arm, reward)?;
        if (self.low..=self.high).contains(&reward) {
            return Ok((reward - self.low) / (self.high - self.low));
        }
        Err(Error::Data(format!(
            "{policy}: the reward {reward} of arm {arm} is outside [{}, {}], the range it was told; give the range of the rewards",
            self.low, self.high
        )))
    }
}
