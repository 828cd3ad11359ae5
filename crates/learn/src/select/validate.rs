//! Cross-validation of any learner.

use std::time::Instant;

use ermine_core::{AnyLearner, Context, Dataset, Result};

use super::Folds;
use crate::metrics::evaluate;

/// What one round of cross-validation gave.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldScore {
    /// Every measure that fits, on the rows left out.
    pub metrics: Vec<(&'static str, f64)>,
    /// Seconds to fit.
    pub fit_seconds: f64,
    /// Seconds to predict the rows left out.
    pub predict_seconds: f64,
    /// Rows that were predicted.
    pub predicted: usize,
}

/// Trains on all folds but one and measures on that one, for each fold in turn. `on_fold` is called after each.
pub fn cross_validate(
    learner: &dyn AnyLearner,
    data: &Dataset<'_>,
    folds: &Folds,
    cx: &Context<'_>,
    mut on_fold: impl FnMut(usize, &FoldScore),
) -> Result<Vec<FoldScore>> {
    let mut out = Vec::with_capacity(folds.folds);
    for fold in 0..folds.folds {
        let (train, test) = folds.round(fold);
        let (train, test) = (data.take(&train), data.take(&test));
        let started = Instant::now();
        let model = learner.fit_any(&train.view(), cx)?;
        let fit_seconds = started.elapsed().as_secs_f64();
        let rows = test.view();
        let started = Instant::now();
        let metrics = evaluate(&*model, &rows.x, &rows.y, rows.weight)?;
        let score = FoldScore { metrics, fit_seconds, predict_seconds: started.elapsed().as_secs_f64(), predicted: rows.rows() };
        on_fold(fold, &score);
        out.push(score);
    }
    Ok(out)
}
