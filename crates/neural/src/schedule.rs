//! Learning-rate schedules.

use serde::{Deserialize, Serialize};

/// Learning-rate schedules. η₀ is the initial rate, t counts steps from 0, e epochs from 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LearningRateSchedule {
    /// η₀.
    Constant,
    /// η₀ · drop^⌊e / every⌋.
    Step {
        /// From 0 to 1.
        drop: f64,
        /// Epochs.
        every: u64,
    },
    /// η₀ (1 + cos(π e / epochs)) / 2: from η₀ down to 0 over all epochs.
    Cosine {
        /// All epochs.
        epochs: u64,
    },
    /// η₀ / (1 + decay · t).
    Inverse {
        /// γ.
        decay: f64,
    },
    /// η₀ / (t + 1)^power.
    Invscaling {
        /// At or above 0.
        power: f64,
    },
    /// η₀, multiplied by `factor` whenever the loss has not improved for as many epochs as the stopping rule waits;
    /// training ends when the rate falls below `least`.
    Plateau {
        /// From 0 to 1.
        factor: f64,
        /// The rate at which it ends.
        least: f64,
    },
}

impl LearningRateSchedule {
    /// The rate of a step; `now` is the current rate of a plateau schedule.
    pub fn rate(&self, first: f64, step: u64, epoch: u64, now: f64) -> f64 {
        match *self {
            Self::Constant => first,
            Self::Step { drop, every } => first * drop.powf((epoch / every.max(1)) as f64),
            Self::Cosine { epochs } => {
                0.5 * first * (1.0 + (std::f64::consts::PI * epoch.min(epochs) as f64 / epochs.max(1) as f64).cos())
            }
            Self::Inverse { decay } => first / (1.0 + decay * step as f64),
            Self::Invscaling { power } => first / ((step + 1) as f64).powf(power),
            Self::Plateau { .. } => now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_their_formulas() {
        let rate = |s: LearningRateSchedule, step, epoch| s.rate(0.8, step, epoch, 0.1);
        assert_eq!(rate(LearningRateSchedule::Constant, 9, 9), 0.8);
        assert_eq!(rate(LearningRateSchedule::Step { drop: 0.5, every: 3 }, 0, 2), 0.8);
        assert_eq!(rate(LearningRateSchedule::Step { drop: 0.5, every: 3 }, 0, 7), 0.2);
        assert_eq!(rate(LearningRateSchedule::Cosine { epochs: 10 }, 0, 0), 0.8);
        assert!((rate(LearningRateSchedule::Cosine { epochs: 10 }, 0, 5) - 0.4).abs() < 1e-15);
        assert!(rate(LearningRateSchedule::Cosine { epochs: 10 }, 0, 10).abs() < 1e-15);
        assert_eq!(rate(LearningRateSchedule::Inverse { decay: 0.5 }, 6, 0), 0.2);
        assert_eq!(rate(LearningRateSchedule::Invscaling { power: 0.5 }, 3, 0), 0.4);
        assert_eq!(rate(LearningRateSchedule::Plateau { factor: 0.2, least: 1e-6 }, 3, 0), 0.1);
    }
}
