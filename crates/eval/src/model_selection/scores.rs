//! Cross-validation in one call.

use ermine_core::{AnyLearner, AsDataset, Context, Result, Target, splits::stratified_k_fold};

use super::{CvSplits, FoldScore, FoldScores, cross_validate_with};

/// Scores of a cross-validation.
///
/// The score is accuracy for classes, r2 for numbers, and for rows without a target the first metric that applies;
/// [`CvScores::by`] has those of all other metrics.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CvScores {
    /// The metric.
    pub metric: &'static str,
    /// The mean over the folds.
    pub mean: f64,
    /// The standard deviation over the folds, with divisor n - 1.
    pub std: f64,
    /// The score of each fold.
    pub folds: Vec<f64>,
    /// All metrics of each fold, and its times.
    pub rounds: Vec<FoldScore>,
}

impl CvScores {
    fn new(metric: &'static str, rounds: Vec<FoldScore>) -> Self {
        let FoldScores { mean, std, each, .. } = of_metric(&rounds, metric);
        Self { metric, mean, std, folds: each, rounds }
    }

    /// Mean and spread of another metric; NaN where no fold has it.
    ///
    /// The names are in [`crate::metrics::METRICS`].
    pub fn by(&self, metric: &str) -> FoldScores {
        of_metric(&self.rounds, metric)
    }
}

fn of_metric(rounds: &[FoldScore], metric: &str) -> FoldScores {
    FoldScores::of(rounds.iter().filter_map(|r| r.value(metric)).collect())
}

impl std::fmt::Display for CvScores {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:.4} ± {:.4} ({} folds)", self.metric, self.mean, self.std, self.folds.len())
    }
}

/// Fits to all rows but a fold and predicts that fold, for each of so many folds. Classes keep their shares in the folds;
/// the same rows give the same folds. [`cross_validate_with`] takes other splits, a seed, and reports progress.
///
/// ```
/// use ermine_eval::model_selection::cross_validate;
/// use ermine_linear::Ridge;
///
/// let x: Vec<[f64; 1]> = (0..30).map(|i| [f64::from(i)]).collect();
/// let y: Vec<f64> = x.iter().map(|row| 3.0 * row[0] + 1.0).collect();
/// let scores = cross_validate(&Ridge::default(), &(&x, &y), 5)?;
/// assert!(scores.mean > 0.999 && scores.folds.len() == 5);
/// # Ok::<(), ermine_core::Error>(())
/// ```
#[doc(alias = "cross_val_score")]
pub fn cross_validate(learner: &dyn AnyLearner, data: &(impl AsDataset + ?Sized), folds: usize) -> Result<CvScores> {
    let data = data.as_dataset()?;
    let view = data.view();
    let rounds = CvSplits::from(stratified_k_fold(&view.y, view.rows(), folds, 0)?);
    let scores = cross_validate_with(learner, &view, &rounds, &Context::default(), &|_, _| {})?;
    let first = || scores.first().and_then(|s| s.metrics.first()).map_or("score", |m| m.0);
    let metric = default_metric(&view.y).unwrap_or_else(first);
    Ok(CvScores::new(metric, scores))
}

/// The metric that scores predictions of a target where none is named: accuracy of classes, r2 of numbers.
pub fn default_metric(y: &Target<'_>) -> Option<&'static str> {
    match y {
        Target::None => None,
        Target::Class { .. } => Some("accuracy"),
        Target::Real(_) | Target::Reals(_) => Some("r2"),
    }
}
