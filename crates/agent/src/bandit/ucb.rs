//! Upper confidence bounds: optimism in the face of uncertainty.

use ermine_core::{Error, Result, RngStream};
use serde::{Deserialize, Serialize};

use super::{ArmChoice, ArmCounts, Policy, RewardRange};

/// Width of the confidence bound after `n` pulls in `t` rounds. Rewards are scaled to [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConfidenceWidth {
    /// `sqrt(c ln t / n)`; c = 2 is UCB1 (Auer, Cesa-Bianchi, Fischer 2002).
    Logarithm {
        /// The factor.
        c: f64,
    },
    /// `sqrt(β / n)` with `β = ln(4 (T - K) / δ) / 2` for a known number of rounds `T`: by Hoeffding's inequality all
    /// means are in their intervals at all times with probability 1 - δ/2.
    Confidence {
        /// Number of rounds.
        rounds: u64,
        /// δ.
        delta: f64,
    },
    /// `sqrt(max(0, ln(T / (K n))) / n)`: MOSS, optimal in the worst case (Audibert, Bubeck 2009).
    Moss {
        /// Number of rounds.
        rounds: u64,
    },
}

/// The arm with the largest mean plus width; unpulled arms first, the lowest among equals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ucb {
    /// The width.
    pub width: ConfidenceWidth,
    /// The range of the rewards.
    pub range: RewardRange,
    counts: ArmCounts,
}

impl Ucb {
    /// A policy without data, for rewards in [0, 1].
    pub fn new(arms: usize, width: ConfidenceWidth) -> Result<Self> {
        Self::with_range(arms, width, RewardRange::default())
    }

    /// A policy without data, for rewards in a range.
    pub fn with_range(arms: usize, width: ConfidenceWidth, range: RewardRange) -> Result<Self> {
        let policy = Self { width, range, counts: ArmCounts::new(arms)? };
        policy.check()?;
        Ok(policy)
    }

    pub(super) fn check(&self) -> Result<()> {
        self.range.check()?;
        self.counts.check()?;
        let arms = self.counts.arms() as u64;
        match self.width {
            ConfidenceWidth::Logarithm { c } if !(c > 0.0 && c.is_finite()) => {
                Err(Error::Data(format!("the factor {c} of the width is invalid; it must be a number above 0")))
            }
            ConfidenceWidth::Confidence { delta, .. } if !(delta > 0.0 && delta < 1.0) => {
                Err(Error::Data(format!("delta {delta} is invalid; it must be between 0 and 1")))
            }
            ConfidenceWidth::Confidence { rounds, .. } | ConfidenceWidth::Moss { rounds } if rounds <= arms => {
                Err(Error::Data(format!("{rounds} rounds are too few for {arms} arms; each is pulled at least once")))
            }
            _ => Ok(()),
        }
    }
}

impl Policy for Ucb {
    fn arms(&self) -> usize {
        self.counts.arms()
    }

    #[inline]
    fn choose(&mut self, _: &[f64], _: &mut RngStream) -> ArmChoice {
        let arm = self.counts.unknown().unwrap_or_else(|| self.highest());
        ArmChoice::certain(self.counts.take(arm))
    }

    #[inline]
    fn learn(&mut self, _: &[f64], choice: ArmChoice, reward: f64) -> Result<()> {
        let reward = self.range.unit("ucb", self.arms(), choice.arm, reward)?;
        self.counts.add(choice.arm, reward);
        Ok(())
    }
}

impl Ucb {
    /// The arm with the largest upper bound; all have rewards.
    #[inline]
    fn highest(&self) -> usize {
        let counts = &self.counts;
        let (t, arms) = (counts.rounds as f64, counts.arms() as f64);
        match self.width {
            ConfidenceWidth::Moss { rounds } => {
                let share = rounds as f64 / arms;
                counts.largest(|arm| {
                    let n = counts.pulls[arm] as f64;
                    counts.mean(arm) + ((share / n).ln().max(0.0) / n).sqrt()
                })
            }
            ConfidenceWidth::Logarithm { c } => {
                let scale = c * t.max(1.0).ln();
                counts.largest(|arm| counts.mean(arm) + (scale / counts.pulls[arm] as f64).sqrt())
            }
            ConfidenceWidth::Confidence { rounds, delta } => {
                let beta = 0.5 * (4.0 * (rounds as f64 - arms) / delta).ln();
                counts.largest(|arm| counts.mean(arm) + (beta / counts.pulls[arm] as f64).sqrt())
            }
        }
    }
}
