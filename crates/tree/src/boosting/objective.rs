//! Losses: what a round of boosting lowers.

use ermine_core::{Error, Result};
use ermine_math::loss::{exp_in_place, logistic_block, softmax_block};

#[cfg(feature = "fit")]
use super::data::DataSummary;

/// A block of rows with their scores. Scores of several outputs lie output after output, a run of rows for each.
#[derive(Debug, Clone, Copy)]
pub struct ScoreBlock<'a> {
    /// `outputs` runs of one score per row.
    pub scores: &'a [f64],
    /// The target of a regression, else empty.
    pub y: &'a [f64],
    /// The classes of a classification, else empty.
    pub codes: &'a [u32],
    /// One weight per row; empty where all are 1.
    pub weight: &'a [f64],
}

impl ScoreBlock<'_> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.y.len().max(self.codes.len())
    }

    fn weight_of(&self, row: usize) -> f64 {
        self.weight.get(row).copied().unwrap_or(1.0)
    }
}

/// A loss with its first and second derivative by the score.
///
/// Own losses are fitted by [`super::Boosting::fit_objective`]. Both derivatives are those of one row of weight 1; the engine
/// multiplies by weights.
pub trait Objective: Sync {
    /// Scores per row, which is the number of trees per round.
    fn outputs(&self) -> usize {
        1
    }

    /// Writes first and second derivatives, in the order of the scores, and returns the sum of weight times loss. Second
    /// derivatives are not negative.
    fn evaluate(&self, block: &ScoreBlock<'_>, gradient: &mut [f64], curvature: &mut [f64]) -> f64;

    /// Numbers that no first derivative exceeds in magnitude and no second derivative exceeds, where there are such; else
    /// they are looked for in every round.
    fn bounds(&self) -> Option<(f64, f64)> {
        None
    }

    /// The quantile of the residuals that a leaf takes as its value, for losses that are piecewise linear: with a second
    /// derivative of 0 there is no Newton step.
    fn leaf_quantile(&self) -> Option<f64> {
        None
    }
}

/// ½ (y - z)².
pub(super) struct Squared;
/// |y - z|.
pub(super) struct Absolute;
/// q (y - z) above the line, (1 - q) (z - y) below it.
pub(super) struct Pinball(pub f64);
/// e^z - y z: the negative log likelihood of a Poisson distribution of mean e^z, up to a constant.
pub(super) struct Poisson;
/// z + y e^{-z}: that of a gamma distribution of mean e^z, up to constants.
pub(super) struct Gamma;
/// log(1 + e^{-s z}) with s = ±1.
pub(super) struct Logistic;
/// log Σ e^{z_k} - z_c, with as many scores as classes.
pub(super) struct Softmax(pub usize);

impl Objective for Squared {
    fn evaluate(&self, block: &ScoreBlock<'_>, gradient: &mut [f64], curvature: &mut [f64]) -> f64 {
        curvature.fill(1.0);
        let mut loss = 0.0;
        for (i, ((g, z), y)) in gradient.iter_mut().zip(block.scores).zip(block.y).enumerate() {
            *g = z - y;
            loss += block.weight_of(i) * 0.5 * (*g * *g);
        }
        loss
    }
}

impl Objective for Absolute {
    fn evaluate(&self, block: &ScoreBlock<'_>, gradient: &mut [f64], curvature: &mut [f64]) -> f64 {
        curvature.fill(1.0);
        let mut loss = 0.0;
        for (i, ((g, z), y)) in gradient.iter_mut().zip(block.scores).zip(block.y).enumerate() {
            // On the line, where the loss has a corner, as scikit-learn does.
            *g = if y < z { 1.0 } else { -1.0 };
            loss += block.weight_of(i) * (z - y).abs();
        }
        loss
    }
    fn bounds(&self) -> Option<(f64, f64)> {
        Some((1.0, 1.0))
    }
    fn leaf_quantile(&self) -> Option<f64> {
        Some(0.5)
    }
}

impl Objective for Pinball {
    fn evaluate(&self, block: &ScoreBlock<'_>, gradient: &mut [f64], curvature: &mut [f64]) -> f64 {
        curvature.fill(1.0);
        let mut loss = 0.0;
        for (i, ((g, z), y)) in gradient.iter_mut().zip(block.scores).zip(block.y).enumerate() {
            *g = if y < z { 1.0 - self.0 } else { -self.0 };
            loss += block.weight_of(i) * (z - y) * *g;
        }
        loss
    }
    fn bounds(&self) -> Option<(f64, f64)> {
        Some((1.0, 1.0))
    }
    fn leaf_quantile(&self) -> Option<f64> {
        Some(self.0)
    }
}

impl Objective for Poisson {
    fn evaluate(&self, block: &ScoreBlock<'_>, gradient: &mut [f64], curvature: &mut [f64]) -> f64 {
        curvature.copy_from_slice(block.scores);
        exp_in_place(curvature);
        let mut loss = 0.0;
        for i in 0..block.y.len() {
            gradient[i] = curvature[i] - block.y[i];
            loss += block.weight_of(i) * (curvature[i] - block.y[i] * block.scores[i]);
        }
        loss
    }
}

impl Objective for Gamma {
    fn evaluate(&self, block: &ScoreBlock<'_>, gradient: &mut [f64], curvature: &mut [f64]) -> f64 {
        curvature.iter_mut().zip(block.scores).for_each(|(h, z)| *h = -z);
        exp_in_place(curvature);
        let mut loss = 0.0;
        for i in 0..block.y.len() {
            // y e^{-z}, which is the curvature of the row; its expectation is 1. Newton's step with the first alone has no lower
            // bound where y is far below its mean, and with the second alone no upper one; with their mean it stays within 2.
            let ratio = curvature[i] * block.y[i];
            gradient[i] = 1.0 - ratio;
            curvature[i] = 0.5 + 0.5 * ratio;
            loss += block.weight_of(i) * (block.scores[i] + ratio);
        }
        loss
    }
}

impl Objective for Logistic {
    fn evaluate(&self, block: &ScoreBlock<'_>, gradient: &mut [f64], curvature: &mut [f64]) -> f64 {
        gradient.copy_from_slice(block.scores);
        let positive: Vec<bool> = block.codes.iter().map(|&c| c == 1).collect();
        if block.weight.is_empty() {
            return logistic_block(gradient, &positive, &[], curvature).loss;
        }
        // The kernel multiplies by weights, and the engine wants a row of weight 1.
        let mut weighted = block.scores.to_vec();
        let loss = logistic_block(&mut weighted, &positive, block.weight, &mut []).loss;
        logistic_block(gradient, &positive, &[], curvature);
        loss
    }
    fn bounds(&self) -> Option<(f64, f64)> {
        Some((1.0, 0.25))
    }
}

impl Objective for Softmax {
    fn outputs(&self) -> usize {
        self.0
    }
    fn evaluate(&self, block: &ScoreBlock<'_>, gradient: &mut [f64], curvature: &mut [f64]) -> f64 {
        gradient.copy_from_slice(block.scores);
        let mut loss = softmax_block(gradient, block.codes, &[], curvature).loss;
        curvature.iter_mut().for_each(|p| *p *= 1.0 - *p);
        if !block.weight.is_empty() {
            let mut weighted = block.scores.to_vec();
            loss = softmax_block(&mut weighted, block.codes, block.weight, &mut []).loss;
        }
        loss
    }
    fn bounds(&self) -> Option<(f64, f64)> {
        Some((1.0, 0.25))
    }
}

/// The losses by name.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Loss {
    SquaredError,
    AbsoluteError,
    Quantile(f64),
    Poisson,
    Gamma,
    Logistic,
    Softmax(usize),
    /// One that a Rust user has written; predictions are its scores.
    Custom,
}

impl Loss {
    pub fn objective(self) -> Box<dyn Objective + Send> {
        match self {
            Self::SquaredError | Self::Custom => Box::new(Squared),
            Self::AbsoluteError => Box::new(Absolute),
            Self::Quantile(q) => Box::new(Pinball(q)),
            Self::Poisson => Box::new(Poisson),
            Self::Gamma => Box::new(Gamma),
            Self::Logistic => Box::new(Logistic),
            Self::Softmax(k) => Box::new(Softmax(k)),
        }
    }

    /// Whether the distribution of the target is needed to begin.
    pub fn needs_quantiles(self) -> bool {
        matches!(self, Self::AbsoluteError | Self::Quantile(_))
    }

    /// Whether scores are logarithms of what is predicted.
    pub fn is_log_link(self) -> bool {
        matches!(self, Self::Poisson | Self::Gamma)
    }

    /// Refuses targets outside the range of the loss.
    #[cfg(feature = "fit")]
    pub fn check_target(self, summary: &DataSummary) -> Result<()> {
        let least = summary.range.0;
        match self {
            Self::Poisson if least < 0.0 => {
                Err(Error::Target(format!("loss poisson needs numbers from 0 up, and there is {least}")))
            }
            Self::Poisson if summary.sum.to_f64() <= 0.0 => {
                Err(Error::Target("loss poisson needs at least one number above 0".into()))
            }
            Self::Gamma if least <= 0.0 => Err(Error::Target(format!("loss gamma needs numbers above 0, and there is {least}"))),
            _ => Ok(()),
        }
    }

    /// The scores that minimize the loss without any tree. `class_weight` has one weight per class or is empty.
    #[cfg(feature = "fit")]
    pub fn start(self, summary: &DataSummary, class_weight: &[f64]) -> Vec<f64> {
        // Rounding must not take the mean of equal numbers away from them.
        let mean = || (summary.sum.to_f64() / summary.weight.to_f64()).max(summary.range.0).min(summary.range.1);
        let weight = |k: usize| summary.classes.get(k).copied().unwrap_or(0.0) * class_weight.get(k).copied().unwrap_or(1.0);
        let quantile = |q: f64| summary.target.as_ref().and_then(|t| t.quantile(q)).unwrap_or(0.0);
        match self {
            Self::SquaredError => vec![mean()],
            Self::Custom => vec![0.0],
            Self::AbsoluteError => vec![quantile(0.5)],
            Self::Quantile(q) => vec![quantile(q)],
            Self::Poisson | Self::Gamma => vec![mean().ln()],
            Self::Logistic => {
                // A class without rows has no finite odds; the other one is then all but certain.
                vec![(weight(1).max(f64::MIN_POSITIVE) / weight(0).max(f64::MIN_POSITIVE)).ln().clamp(-36.0, 36.0)]
            }
            Self::Softmax(classes) => {
                let total: f64 = (0..classes).map(weight).sum();
                (0..classes).map(|k| (weight(k) / total).max(1e-16).ln()).collect()
            }
        }
    }
}
