//! Bandit environments: models of the rewards.

use ermine_core::{Error, Result, RngStream};
use serde::{Deserialize, Serialize};

use super::{RewardRange, same_arms, some_arms};

/// The reward distributions of the arms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "arms", rename_all = "kebab-case")]
pub enum RewardModel {
    /// 1 with a probability, else 0.
    Bernoulli {
        /// The probabilities.
        means: Vec<f64>,
    },
    /// Normal rewards.
    Gaussian {
        /// The means.
        means: Vec<f64>,
        /// Their common standard deviation.
        sd: f64,
    },
    /// Rewards uniform around the means.
    Bounded {
        /// The means.
        means: Vec<f64>,
        /// Half the width of the distribution.
        half_width: f64,
    },
    /// Rewards chosen in advance by an adversary: one row per round, repeated from the start when they end.
    Adversarial {
        /// The rows.
        rewards: Vec<Vec<f64>>,
    },
    /// Bernoulli arms whose probabilities follow a random walk reflected at 0 and 1: a bounded adversary.
    Drift {
        /// The initial probabilities.
        means: Vec<f64>,
        /// Standard deviation of a step.
        step: f64,
    },
    /// Rewards linear in a context, which is a random direction in every round.
    Linear {
        /// Coefficients per arm.
        coefficients: Vec<Vec<f64>>,
        /// Standard deviation of the noise.
        sd: f64,
    },
}

/// Delay of a reward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RewardDelay {
    /// Before the next choice.
    #[default]
    None,
    /// A number of rounds.
    Fixed(u64),
    /// A random number of rounds, uniform up to twice the mean.
    Uniform {
        /// The mean.
        mean: u64,
    },
}

impl RewardModel {
    /// The number of arms.
    pub fn count(&self) -> usize {
        match self {
            Self::Bernoulli { means }
            | Self::Gaussian { means, .. }
            | Self::Bounded { means, .. }
            | Self::Drift { means, .. } => means.len(),
            Self::Adversarial { rewards } => rewards.first().map_or(0, Vec::len),
            Self::Linear { coefficients, .. } => coefficients.len(),
        }
    }

    /// Dimension of the context.
    pub fn context(&self) -> usize {
        match self {
            Self::Linear { coefficients, .. } => coefficients.first().map_or(0, Vec::len),
            _ => 0,
        }
    }

    /// The range of the rewards, where there is one.
    pub fn range(&self) -> Option<RewardRange> {
        let fold = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
        };
        let (low, high) = match self {
            Self::Bernoulli { .. } | Self::Drift { .. } => (0.0, 1.0),
            Self::Bounded { means, half_width } => {
                let (low, high) = fold(&mut means.iter().copied());
                (low - half_width, high + half_width)
            }
            Self::Adversarial { rewards } => fold(&mut rewards.iter().flatten().copied()),
            Self::Gaussian { .. } | Self::Linear { .. } => return None,
        };
        // Constant rewards still need a range.
        Some(RewardRange { low, high: if high > low { high } else { low + 1.0 } })
    }

    /// The means, where they are constant.
    pub fn means(&self) -> Option<&[f64]> {
        match self {
            Self::Bernoulli { means } | Self::Gaussian { means, .. } | Self::Bounded { means, .. } => Some(means),
            _ => None,
        }
    }

    /// Checks the parameters.
    pub fn check(&self) -> Result<()> {
        some_arms(self.count())?;
        let probabilities = |means: &[f64]| match means.iter().position(|m| !(0.0..=1.0).contains(m)) {
            Some(arm) => Err(Error::Data(format!("arm {arm}: {} is not a probability", means[arm]))),
            None => Ok(()),
        };
        let finite = |what: &str, values: &[f64]| match values.iter().position(|v| !v.is_finite()) {
            Some(at) => Err(Error::Data(format!("{what} {at}: {} is not a finite number", values[at]))),
            None => Ok(()),
        };
        let spread = |what: &str, sd: f64| match sd >= 0.0 && sd.is_finite() {
            true => Ok(()),
            false => Err(Error::Data(format!("{what} {sd} is invalid; it must be a number from 0 up"))),
        };
        match self {
            Self::Bernoulli { means } => probabilities(means),
            Self::Gaussian { means, sd } => finite("arm", means).and(spread("the standard deviation", *sd)),
            Self::Bounded { means, half_width } => finite("arm", means).and(spread("the half width", *half_width)),
            Self::Drift { means, step } => probabilities(means).and(spread("the step", *step)),
            Self::Adversarial { rewards } => rewards.iter().enumerate().try_for_each(|(round, row)| {
                same_arms(&format!("rewards of round {round}"), self.count(), row.len())?;
                finite(&format!("round {round}, arm"), row)
            }),
            Self::Linear { coefficients, sd } => {
                spread("the standard deviation", *sd)?;
                if self.context() == 0 {
                    return Err(Error::Data("a linear bandit needs at least one coefficient per arm".into()));
                }
                coefficients.iter().enumerate().try_for_each(|(arm, row)| {
                    same_arms(&format!("coefficients of arm {arm}"), self.context(), row.len())?;
                    finite(&format!("arm {arm}, coefficient"), row)
                })
            }
        }
    }
}

/// An environment in a certain round.
#[derive(Debug, Clone)]
pub struct BanditEnv<'a> {
    arms: &'a RewardModel,
    means: Vec<f64>,
    context: Vec<f64>,
    round: u64,
}

impl<'a> BanditEnv<'a> {
    /// The environment before its first round.
    pub fn new(arms: &'a RewardModel) -> Result<Self> {
        arms.check()?;
        let means = match arms {
            RewardModel::Bernoulli { means }
            | RewardModel::Gaussian { means, .. }
            | RewardModel::Bounded { means, .. }
            | RewardModel::Drift { means, .. } => means.clone(),
            _ => vec![0.0; arms.count()],
        };
        Ok(Self { arms, means, context: vec![0.0; arms.context()], round: 0 })
    }

    /// Advances to the next round.
    #[inline]
    pub fn advance(&mut self, rng: &mut RngStream) {
        match self.arms {
            RewardModel::Bernoulli { .. } | RewardModel::Gaussian { .. } | RewardModel::Bounded { .. } => {}
            RewardModel::Adversarial { rewards } => {
                let row = (self.round % rewards.len() as u64) as usize;
                self.means.copy_from_slice(&rewards[row]);
            }
            RewardModel::Drift { step, .. } => {
                for mean in &mut self.means {
                    let next = *mean + step * rng.normal();
                    let thrown = if next < 0.0 {
                        -next
                    } else if next > 1.0 {
                        2.0 - next
                    } else {
                        next
                    };
                    *mean = thrown.clamp(0.0, 1.0);
                }
            }
            RewardModel::Linear { coefficients, .. } => {
                self.context.fill_with(|| rng.normal());
                let norm = self.context.iter().map(|v| v * v).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
                self.context.iter_mut().for_each(|v| *v /= norm);
                for (mean, row) in self.means.iter_mut().zip(coefficients) {
                    *mean = row.iter().zip(&self.context).map(|(c, x)| c * x).sum();
                }
            }
        }
        self.round += 1;
    }

    /// Expected rewards of this round.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// The context of this round.
    pub fn context(&self) -> &[f64] {
        &self.context
    }

    /// The reward of an arm in this round.
    #[inline]
    pub fn draw(&self, arm: usize, rng: &mut RngStream) -> f64 {
        let mean = self.means[arm];
        match self.arms {
            RewardModel::Bernoulli { .. } | RewardModel::Drift { .. } => f64::from(rng.uniform() < mean),
            RewardModel::Gaussian { sd, .. } | RewardModel::Linear { sd, .. } => mean + sd * rng.normal(),
            RewardModel::Bounded { half_width, .. } => mean + half_width * (2.0 * rng.uniform() - 1.0),
            RewardModel::Adversarial { .. } => mean,
        }
    }
}
