//! How long a step is.

use ermine_math::loss::RowLoss;
use serde::{Deserialize, Serialize};

/// The schedule of the steps. t counts the steps from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LearningRate {
    /// `Optimal` for classes, `Invscaling` for numbers.
    Auto,
    /// eta0.
    Constant,
    /// 1 / (alpha (t0 + t - 1)), t0 from a rule of Léon Bottou that depends on alpha and the loss.
    Optimal,
    /// eta0 / t^power_t.
    Invscaling,
    /// eta0 / (1 + decay (t - 1)).
    Inverse,
    /// eta0 · drop^⌊epoch / drop_every⌋, epochs counted from 0.
    Step,
    /// eta0, divided by 5 whenever the stopping rule is met, until it is below 1e-6.
    Adaptive,
    /// Passive-aggressive: min(eta0, loss / |x|²).
    Pa1,
    /// Passive-aggressive: loss / (|x|² + 1 / (2 eta0)).
    Pa2,
}

/// A schedule with its numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct SgdSchedule {
    pub rate: LearningRate,
    pub eta0: f64,
    pub power_t: f64,
    pub decay: f64,
    pub drop: f64,
    pub drop_every: u64,
    pub alpha: f64,
    /// t0 of `Optimal`.
    pub offset: f64,
}

impl SgdSchedule {
    /// t0 of `Optimal`: such that the first step moves a weight to about the size that the penalty lets it have.
    pub fn offset(alpha: f64, loss: RowLoss) -> f64 {
        let typical = (1.0 / alpha.sqrt()).sqrt();
        let first = typical / loss.gradient(1.0, -typical).max(1.0);
        1.0 / (first * alpha)
    }

    /// The length of step `t` (from 1) in `epoch` (from 0); `now` is the length that `Adaptive` has come to. The
    /// passive-aggressive steps depend on the row and are found there.
    #[inline]
    pub fn step(&self, t: f64, epoch: u64, now: f64) -> f64 {
        match self.rate {
            LearningRate::Constant | LearningRate::Auto | LearningRate::Pa1 | LearningRate::Pa2 => self.eta0,
            LearningRate::Optimal => 1.0 / (self.alpha * (self.offset + t - 1.0)),
            LearningRate::Invscaling => self.eta0 / t.powf(self.power_t),
            LearningRate::Inverse => self.eta0 / (1.0 + self.decay * (t - 1.0)),
            LearningRate::Step => self.eta0 * self.drop.powf((epoch / self.drop_every) as f64),
            LearningRate::Adaptive => now,
        }
    }

    /// Whether the length depends on the row.
    pub fn is_passive(&self) -> bool {
        matches!(self.rate, LearningRate::Pa1 | LearningRate::Pa2)
    }

    /// The passive-aggressive length for a row of loss `loss` and squared length `square`.
    #[inline]
    pub fn passive(&self, loss: f64, square: f64) -> f64 {
        match self.rate {
            LearningRate::Pa1 if square > 0.0 => self.eta0.min(loss / square),
            LearningRate::Pa1 => 0.0,
            _ => loss / (square + 0.5 / self.eta0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_their_formulas() {
        let s = |rate| SgdSchedule {
            rate,
            eta0: 0.5,
            power_t: 0.25,
            decay: 0.1,
            drop: 0.5,
            drop_every: 10,
            alpha: 0.01,
            offset: SgdSchedule::offset(0.01, RowLoss::Hinge),
        };
        for t in [1.0, 2.0, 16.0, 1000.0] {
            for epoch in [0, 9, 10, 25] {
                assert_eq!(s(LearningRate::Constant).step(t, epoch, 0.1), 0.5);
                assert_eq!(s(LearningRate::Adaptive).step(t, epoch, 0.1), 0.1);
                assert!((s(LearningRate::Invscaling).step(t, epoch, 0.1) - 0.5 / t.sqrt().sqrt()).abs() < 1e-15);
                assert_eq!(s(LearningRate::Inverse).step(t, epoch, 0.1), 0.5 / (1.0 + 0.1 * (t - 1.0)));
                assert_eq!(s(LearningRate::Step).step(t, epoch, 0.1), [0.5, 0.25, 0.125][epoch as usize / 10]);
                // alpha 0.01: typical weight 10^(1/2), so 1 / (alpha t0) = 10^(1/2).
                let first = 10f64.sqrt();
                assert!((s(LearningRate::Optimal).step(t, epoch, 0.1) - 1.0 / (1.0 / first + 0.01 * (t - 1.0))).abs() < 1e-12);
            }
        }
        assert_eq!(s(LearningRate::Pa1).passive(2.0, 8.0), 0.25);
        assert_eq!(s(LearningRate::Pa1).passive(2.0, 1.0), 0.5);
        assert_eq!(s(LearningRate::Pa2).passive(2.0, 1.0), 1.0);
    }
}
