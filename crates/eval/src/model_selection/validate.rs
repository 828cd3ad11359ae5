//! Cross-validation of any learner.

use std::collections::BTreeMap;
use std::time::Instant;

use ermine_core::{AnyLearner, Context, DatasetRef, Result};

use super::cv_cache::{CvCache, measured};
use super::{CvSplits, workers::parallel_map};
use crate::metrics::{self, Predictions};

/// Rounds per thread below which joint fits run one after the other.
const FEW_ROUNDS: usize = 8;

/// Result of one round of cross-validation.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldScore {
    /// Every metric that applies, on the held-out rows.
    pub metrics: Vec<(&'static str, f64)>,
    /// Seconds to fit.
    pub fit_seconds: f64,
    /// Seconds to predict the held-out rows.
    pub predict_seconds: f64,
    /// Number of predicted rows.
    pub predicted: usize,
}

impl FoldScore {
    /// The value of a metric.
    pub fn value(&self, metric: &str) -> Option<f64> {
        self.metrics.iter().find(|(n, _)| *n == metric).map(|(_, v)| *v)
    }
}

/// Fits on one set of rows and evaluates on another.
pub fn validate_once(
    learner: &dyn AnyLearner,
    train: &DatasetRef<'_>,
    test: &DatasetRef<'_>,
    cx: &Context<'_>,
) -> Result<(FoldScore, Predictions)> {
    let started = Instant::now();
    let model = learner.fit_any(train, cx)?;
    measured(&*model, test, None, started.elapsed().as_secs_f64(), cx)
}

/// Trains on the training rows of each round and evaluates on its test rows, rounds in parallel. `on_fold` is called
/// with each, as it ends. The scores do not depend on the number of threads; where several rounds fail, the error is
/// that of the first.
///
/// Learners with [`ermine_core::Learner::FOLD_SUMS`] read the rows once for all folds, and with leave-one-out those
/// with [`ermine_core::Learner::LOO_PREDICTIONS`] are fitted once. The scores are those of one fit per round, up to
/// rounding.
pub fn cross_validate_with(
    learner: &dyn AnyLearner,
    data: &DatasetRef<'_>,
    rounds: &CvSplits,
    cx: &Context<'_>,
    on_fold: &(dyn Fn(usize, &FoldScore) + Sync),
) -> Result<Vec<FoldScore>> {
    let shared = CvCache::new(data, rounds, false);
    if let Some(scores) = shared.left_out(learner, None, cx)? {
        scores.iter().enumerate().for_each(|(k, score)| on_fold(k, score));
        return Ok(scores);
    }
    shared.prepare(&[learner], cx)?;
    let run = |_: usize, k: usize| {
        let score = shared.validate(learner, k, None, cx)?;
        on_fold(k, &score);
        Ok(score)
    };
    parallel_map((0..rounds.len()).collect(), run).into_iter().collect()
}

/// The scores of several settings by one metric, one row per setting and one column per round. They share the rows of
/// the rounds, their preparation and their sums, and where possible ([`ermine_core::Learner::JOINT_FIT`]) the fit;
/// where fits fail, the error is that of the first.
pub fn cross_validate_each(
    learners: &[Box<dyn AnyLearner>],
    data: &DatasetRef<'_>,
    rounds: &CvSplits,
    metric: &str,
    cx: &Context<'_>,
) -> Result<Vec<Vec<FoldScore>>> {
    metrics::direction(metric)?;
    let shared = CvCache::new(data, rounds, learners.len() > 1);
    let mut scores_by_setting: Vec<Option<Vec<FoldScore>>> =
        learners.iter().map(|l| shared.left_out(&**l, Some(metric), cx)).collect::<Result<_>>()?;
    let open = |scores: &[Option<_>]| -> Vec<usize> { (0..learners.len()).filter(|&s| scores[s].is_none()).collect() };
    let waiting: Vec<&dyn AnyLearner> = open(&scores_by_setting).iter().map(|&s| &*learners[s]).collect();
    shared.prepare(&waiting, cx)?;
    for joint in joint_fits(learners, &open(&scores_by_setting)) {
        let settings: Vec<&dyn AnyLearner> = joint.iter().map(|&s| &*learners[s]).collect();
        let run = |k: usize| shared.validate_joint(&settings, k, metric, cx);
        // A joint fit is long and keeps all threads busy by itself: few rounds run one after the other, since in
        // parallel some threads would be idle at the end.
        let scores: Option<Vec<Vec<FoldScore>>> = match rounds.len() < FEW_ROUNDS * rayon::current_num_threads() {
            true => (0..rounds.len()).map(run).collect::<Result<_>>()?,
            false => parallel_map((0..rounds.len()).collect(), |_, k| run(k)).into_iter().collect::<Result<_>>()?,
        };
        for (at, &s) in joint.iter().enumerate() {
            scores_by_setting[s] = scores.as_ref().map(|rounds| rounds.iter().map(|settings| settings[at].clone()).collect());
        }
    }
    let tasks: Vec<(usize, usize)> =
        open(&scores_by_setting).iter().flat_map(|&s| (0..rounds.len()).map(move |k| (s, k))).collect();
    let mut alone = parallel_map(tasks, |_, (s, k)| shared.validate(&*learners[s], k, Some(metric), cx)).into_iter();
    let of = |scores: Option<Vec<FoldScore>>| scores.map_or_else(|| alone.by_ref().take(rounds.len()).collect(), Ok);
    scores_by_setting.into_iter().map(of).collect()
}

/// Groups of settings with a joint fit, by key.
fn joint_fits(learners: &[Box<dyn AnyLearner>], settings: &[usize]) -> Vec<Vec<usize>> {
    let mut joint: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for &s in settings {
        if let Some(key) = learners[s].joint_key() {
            joint.entry(key).or_default().push(s);
        }
    }
    joint.into_values().filter(|settings| settings.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    use ermine_core::{Features, MatRef, RngStream, Target};

    use super::*;
    use crate::model_selection::k_fold;
    use ermine_tree::tree::Tree;

    #[test]
    fn scores_do_not_depend_on_the_threads() {
        let mut s = RngStream::new(4, "rows", 0);
        let x: Vec<f64> = (0..300 * 4).map(|_| s.normal()).collect();
        let y: Vec<f64> = (0..300).map(|i| (x[4 * i] > 0.2) as u8 as f64 + s.normal()).collect();
        let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 300, 4))).with_target(Target::Real(&y));
        let rounds = CvSplits::from(k_fold(300, 7, 0).unwrap());
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let scores =
                pool.install(|| cross_validate_with(&Tree::default(), &data, &rounds, &Context::default(), &|_, _| {})).unwrap();
            scores.into_iter().map(|s| s.metrics).collect::<Vec<_>>()
        };
        let one = run(1);
        assert_eq!(one.len(), 7);
        assert!(run(2) == one && run(5) == one);
    }
}
