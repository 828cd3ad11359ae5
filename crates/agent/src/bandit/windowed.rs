//! Non-stationary bandits: older rewards count less (Garivier, Moulines 2011).

use std::collections::VecDeque;

use ermine_core::{Error, Result, RngStream};
use serde::{Deserialize, Serialize};

use super::{ArmChoice, ArmCounts, Policy, RewardRange, same_arms, some_arms};

/// UCB over the last `window` rewards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlidingWindowUcb {
    /// Rewards that count.
    pub window: usize,
    /// The factor of the width `sqrt(c ln(min(t, window)) / n)`.
    pub c: f64,
    /// The range of the rewards.
    pub range: RewardRange,
    counts: ArmCounts,
    recent: VecDeque<(usize, f64)>,
}

impl SlidingWindowUcb {
    /// A policy without data.
    pub fn new(arms: usize, window: usize, c: f64, range: RewardRange) -> Result<Self> {
        let policy = Self { window, c, range, counts: ArmCounts::new(arms)?, recent: VecDeque::new() };
        policy.check()?;
        Ok(policy)
    }

    pub(super) fn check(&self) -> Result<()> {
        self.range.check()?;
        self.counts.check()?;
        check_factor(self.c)?;
        if self.window < self.counts.arms() {
            let (window, arms) = (self.window, self.counts.arms());
            return Err(Error::Data(format!("a window of {window} is too short for {arms} arms")));
        }
        let mut pulls = vec![0; self.counts.arms()];
        for (arm, reward) in &self.recent {
            if *arm >= pulls.len() || !(0.0..=1.0).contains(reward) {
                return Err(Error::Model(format!("the window holds reward {reward} of arm {arm}")));
            }
            pulls[*arm] += 1;
        }
        match pulls == self.counts.pulls {
            true => Ok(()),
            false => Err(Error::Model("the pulls are not those of the window".into())),
        }
    }
}

fn check_factor(c: f64) -> Result<()> {
    match c > 0.0 && c.is_finite() {
        true => Ok(()),
        false => Err(Error::Data(format!("the factor {c} of the width is invalid; it must be a number above 0"))),
    }
}

impl Policy for SlidingWindowUcb {
    fn arms(&self) -> usize {
        self.counts.arms()
    }

    fn choose(&mut self, _: &[f64], _: &mut RngStream) -> ArmChoice {
        let counts = &self.counts;
        let scale = self.c * ((counts.rounds + 1).min(self.window as u64) as f64).ln();
        let index = |arm: usize| counts.mean(arm) + (scale / counts.pulls[arm] as f64).sqrt();
        let arm = counts.unknown().unwrap_or_else(|| counts.largest(index));
        ArmChoice::certain(self.counts.take(arm))
    }

    fn learn(&mut self, _: &[f64], choice: ArmChoice, reward: f64) -> Result<()> {
        let reward = self.range.unit("sliding-window-ucb", self.arms(), choice.arm, reward)?;
        self.counts.add(choice.arm, reward);
        self.recent.push_back((choice.arm, reward));
        if self.recent.len() > self.window
            && let Some((arm, old)) = self.recent.pop_front()
        {
            self.counts.pulls[arm] -= 1;
            // Without rewards in the window, rounding errors of the sum are cleared.
            self.counts.sums[arm] = if self.counts.pulls[arm] == 0 { 0.0 } else { self.counts.sums[arm] - old };
        }
        Ok(())
    }
}

/// UCB with rewards discounted by `discount` per reward.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiscountedUcb {
    /// The discount factor per step back in time.
    pub discount: f64,
    /// The factor of the width `sqrt(c ln(effective rounds) / effective pulls)`.
    pub c: f64,
    /// The range of the rewards.
    pub range: RewardRange,
    pulls: Vec<f64>,
    sums: Vec<f64>,
    /// Choices whose reward is pending.
    waiting: Vec<u64>,
}

impl DiscountedUcb {
    /// A policy without data.
    pub fn new(arms: usize, discount: f64, c: f64, range: RewardRange) -> Result<Self> {
        let policy = Self { discount, c, range, pulls: vec![0.0; arms], sums: vec![0.0; arms], waiting: vec![0; arms] };
        policy.check()?;
        Ok(policy)
    }

    pub(super) fn check(&self) -> Result<()> {
        some_arms(self.pulls.len())?;
        same_arms("sums of rewards", self.pulls.len(), self.sums.len())?;
        same_arms("choices", self.pulls.len(), self.waiting.len())?;
        self.range.check()?;
        check_factor(self.c)?;
        if let Some(value) = self.pulls.iter().chain(&self.sums).find(|v| !(**v >= 0.0 && v.is_finite())) {
            return Err(Error::Model(format!("{value} is neither a number of pulls nor a sum of rewards")));
        }
        match self.discount > 0.0 && self.discount < 1.0 {
            true => Ok(()),
            false => Err(Error::Data(format!("discount {} is invalid; it must be between 0 and 1", self.discount))),
        }
    }
}

impl Policy for DiscountedUcb {
    fn arms(&self) -> usize {
        self.pulls.len()
    }

    fn choose(&mut self, _: &[f64], _: &mut RngStream) -> ArmChoice {
        let total: f64 = self.pulls.iter().sum();
        let scale = self.c * total.max(1.0).ln();
        let (mut best, mut top) = (0, f64::NEG_INFINITY);
        for (arm, (&n, &sum)) in self.pulls.iter().zip(&self.sums).enumerate() {
            // An arm whose discounted pulls vanish counts as unpulled; of several, the least chosen.
            let index = if n < 1e-9 { f64::INFINITY } else { sum / n + (scale / n).sqrt() };
            if index > top || index == f64::INFINITY && self.waiting[arm] < self.waiting[best] {
                (best, top) = (arm, index);
            }
        }
        self.waiting[best] += 1;
        ArmChoice::certain(best)
    }

    fn learn(&mut self, _: &[f64], choice: ArmChoice, reward: f64) -> Result<()> {
        let reward = self.range.unit("discounted-ucb", self.arms(), choice.arm, reward)?;
        self.pulls.iter_mut().chain(&mut self.sums).for_each(|v| *v *= self.discount);
        self.waiting[choice.arm] = self.waiting[choice.arm].saturating_sub(1);
        self.pulls[choice.arm] += 1.0;
        self.sums[choice.arm] += reward;
        Ok(())
    }
}
