//! Metrics of probabilities and scores.

use ermine_core::{MatRef, Partial, Result};
use serde::{Deserialize, Serialize};

/// A weighted sum over rows and the weight of the rows: the [`Partial`] of all metrics that are means of a loss.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct MeanLoss {
    /// The weighted sum of the losses.
    pub sum: f64,
    /// The weight of the rows.
    pub weight: f64,
}

impl MeanLoss {
    /// Sums the losses of rows. Rows of weight 0 are ignored, whatever their loss.
    pub fn of(rows: usize, weight: Option<&[f64]>, loss: impl Fn(usize) -> f64) -> Self {
        let mut out = Self::default();
        for i in 0..rows {
            let w = weight.map_or(1.0, |w| w[i]);
            if w > 0.0 {
                out.sum += w * loss(i);
                out.weight += w;
            }
        }
        out
    }

    /// The mean; NaN without rows.
    pub fn mean(&self) -> f64 {
        self.sum / self.weight
    }
}

impl Partial for MeanLoss {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.sum += other.sum;
        self.weight += other.weight;
        Ok(())
    }
}

/// The negative log-probability of the true class. Probabilities are clipped at the machine epsilon of f64, so that one
/// certain error is expensive but not infinite.
pub(super) fn log_loss_of(truth: u32, proba: MatRef<'_, f64>, row: usize) -> f64 {
    -proba.at(row, truth as usize).clamp(f64::EPSILON, 1.0).ln()
}

/// The squared distance of the probabilities from the truth: for two classes (p - y)², for more the sum over classes.
pub(super) fn brier_of(truth: u32, proba: MatRef<'_, f64>, row: usize) -> f64 {
    let square = |c: usize| (proba.at(row, c) - f64::from(c == truth as usize)).powi(2);
    if proba.cols() == 2 { square(1) } else { (0..proba.cols()).map(square).sum() }
}

/// Mean negative log-probability of the true class. Probabilities are clipped at the machine epsilon of f64, so that
/// one certain error is expensive but not infinite.
pub fn log_loss(truth: &[u32], proba: MatRef<'_, f64>, weight: Option<&[f64]>) -> f64 {
    MeanLoss::of(truth.len(), weight, |i| log_loss_of(truth[i], proba, i)).mean()
}

/// Mean squared distance of the probabilities from the truth: for two classes (p - y)², for more the sum over classes.
pub fn brier(truth: &[u32], proba: MatRef<'_, f64>, weight: Option<&[f64]>) -> f64 {
    MeanLoss::of(truth.len(), weight, |i| brier_of(truth[i], proba, i)).mean()
}

/// Share of rows whose true class is among the `k` most probable; ties go to the first class.
pub fn top_k_accuracy(truth: &[u32], proba: MatRef<'_, f64>, k: usize, weight: Option<&[f64]>) -> f64 {
    let hit = |i: usize| {
        let (t, p) = (truth[i] as usize, *proba.at(i, truth[i] as usize));
        let before = (0..proba.cols()).filter(|&c| *proba.at(i, c) > p || (*proba.at(i, c) == p && c < t)).count();
        f64::from(before < k)
    };
    MeanLoss::of(truth.len(), weight, hit).mean()
}

/// Mean hinge loss max(0, 1 - s·f) of scores f, where s is 1 for positive rows and -1 for the others.
pub fn hinge(positive: &[bool], score: &[f64], weight: Option<&[f64]>) -> f64 {
    let loss = |i: usize| (1.0 - if positive[i] { score[i] } else { -score[i] }).max(0.0);
    MeanLoss::of(score.len(), weight, loss).mean()
}

/// The probability of the predicted class and whether it is right: the input of calibration for more than two classes.
pub fn confidence(truth: &[u32], proba: MatRef<'_, f64>) -> (Vec<bool>, Vec<f64>) {
    let best = ermine_core::argmax_rows(proba);
    let p = (0..truth.len()).map(|i| *proba.at(i, best[i] as usize)).collect();
    (truth.iter().zip(best).map(|(t, b)| *t == b).collect(), p)
}
