//! Work shared between the settings of a search, and between the rounds of a cross-validation: the rows of the rounds,
//! and sums from which all rounds are fitted.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use ermine_core::parallel::prelude::*;
use ermine_core::{
    AnyLearner, Context, DatasetRef, Error, Features, FoldAssignment, FoldTotals, Mat, Model, OwnedDataset, OwnedFeatures,
    Result, Target, TrainingView, argmax_rows,
};

use super::{CvSplits, FoldScore};
use crate::metrics::{self, Predictions};

/// Most bytes of copied rows cached for other settings, and of prepared ones.
const CACHE_BYTES: usize = 1 << 30;
/// Most preparations whose rows are cached.
const PREPARATIONS: usize = 4;

/// Rows and rounds, with a cache of what several settings share.
pub struct CvCache<'a> {
    data: &'a DatasetRef<'a>,
    rounds: &'a CvSplits,
    /// Training and test rows, by round; not cached where they are used once or are too large.
    train: Option<Vec<OnceLock<OwnedDataset>>>,
    test: Option<Vec<OnceLock<OwnedDataset>>>,
    /// Prepared rows, by the preparation and the round.
    prepared: Mutex<BTreeMap<(String, usize), PreparedSlot>>,
    /// Sums by their key and the repetition of the folds; none where gathering failed: a fit to the rows then reports
    /// the error.
    totals: Mutex<FoldSumsCache>,
}

type FoldSumsCache = BTreeMap<(String, usize), Arc<Option<FoldTotals>>>;

/// A slot for prepared rows, filled by the first user; none where they are not cached.
type PreparedSlot = Arc<OnceLock<Option<PreparedRows>>>;

/// The rows of a round, transformed by a preparation fitted to its training rows.
struct PreparedRows {
    train: OwnedDataset,
    test: OwnedDataset,
    /// Seconds of the fit.
    seconds: f64,
}

/// Cached rows, or rows copied for one use.
enum FoldRows<'a> {
    Borrowed(&'a OwnedDataset),
    Owned(OwnedDataset),
}

impl FoldRows<'_> {
    fn view(&self) -> DatasetRef<'_> {
        match self {
            Self::Borrowed(rows) => rows.view(),
            Self::Owned(rows) => rows.view(),
        }
    }
}

/// Approximate bytes of rows.
fn bytes(data: &DatasetRef<'_>) -> usize {
    match data.x {
        Features::F32(x) => 4 * x.rows() * x.cols(),
        Features::Csr(x) => 12 * x.stored(),
        _ => 8 * data.rows() * data.cols(),
    }
}

impl<'a> CvCache<'a> {
    /// `again`: whether the same rounds will be used with other settings.
    pub fn new(data: &'a DatasetRef<'a>, rounds: &'a CvSplits, again: bool) -> Self {
        let slots = |most: usize| {
            let holds = again && bytes(data).saturating_mul(most) <= CACHE_BYTES;
            holds.then(|| (0..rounds.len()).map(|_| OnceLock::new()).collect())
        };
        let tested = match rounds {
            CvSplits::Folds(each) => each.len(),
            _ => 1,
        };
        Self {
            data,
            rounds,
            train: slots(rounds.len()),
            test: slots(tested),
            prepared: Mutex::default(),
            totals: Mutex::default(),
        }
    }

    /// The repetition of the folds that a round belongs to, and its fold; none for other kinds of rounds.
    fn fold(&self, k: usize) -> Option<(usize, usize)> {
        let CvSplits::Folds(each) = self.rounds else { return None };
        let mut k = k;
        for (r, folds) in each.iter().enumerate() {
            if k < folds.folds {
                return Some((r, k));
            }
            k -= folds.folds;
        }
        None
    }

    fn fold_sums_of(&self, learner: &dyn AnyLearner, k: usize) -> Option<((String, usize), usize)> {
        let ((r, fold), CvSplits::Folds(each)) = (self.fold(k)?, self.rounds) else { return None };
        let cut = FoldAssignment { fold_of: &each[r].fold_of, folds: each[r].folds };
        (cut.fold_of.len() == self.data.rows()).then_some(())?;
        Some(((learner.fold_sums_key(self.data, &cut)?, r), fold))
    }

    /// Gathers what the rounds of these settings will use, with all threads: each round alone has only its own.
    pub fn prepare(&self, learners: &[&dyn AnyLearner], cx: &Context<'_>) -> Result<()> {
        let mut rows = false;
        for learner in learners {
            let firsts: Vec<usize> = (0..self.rounds.len()).filter(|&k| self.fold(k).is_some_and(|f| f.1 == 0)).collect();
            rows |= firsts.is_empty();
            for k in firsts {
                let Some((key, _)) = self.fold_sums_of(*learner, k) else {
                    rows = true;
                    continue;
                };
                if self.lock().contains_key(&key) {
                    continue;
                }
                let CvSplits::Folds(each) = self.rounds else { continue };
                let cut = FoldAssignment { fold_of: &each[key.1].fold_of, folds: each[key.1].folds };
                let sums = match learner.fold_sums_any(self.data, &cut, cx) {
                    Err(e @ (Error::Deadline(_) | Error::Stopped(_))) => return Err(e),
                    sums => sums.ok(),
                };
                self.lock().insert(key, sums.into());
            }
        }
        let few = self.rounds.len() <= 64;
        if few && self.test.is_some() {
            (0..self.rounds.len()).into_par_iter().for_each(|k| {
                self.test(k);
                if rows && self.train.is_some() {
                    self.train(k);
                }
            });
        }
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, FoldSumsCache> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn train(&self, k: usize) -> FoldRows<'_> {
        let take = || self.data.take_rows(&self.rounds.round(k).0);
        self.train.as_ref().map_or_else(|| FoldRows::Owned(take()), |held| FoldRows::Borrowed(held[k].get_or_init(take)))
    }

    fn test(&self, k: usize) -> FoldRows<'_> {
        let take = || self.data.take_rows(&self.rounds.round(k).1);
        self.test.as_ref().map_or_else(|| FoldRows::Owned(take()), |held| FoldRows::Borrowed(held[k].get_or_init(take)))
    }

    /// The model of a round from sums; none where there are none, or where they do not suffice. Errors here also occur
    /// in a fit to the rows, where they can name the row.
    fn model_from_fold_sums(&self, learner: &dyn AnyLearner, k: usize, cx: &Context<'_>) -> Option<Box<dyn Model>> {
        let (key, fold) = self.fold_sums_of(learner, k)?;
        let totals = self.lock().get(&key).cloned()?;
        let rows = |see: &mut dyn FnMut(&DatasetRef<'_>)| see(&self.train(k).view());
        let without = TrainingView { data: self.data, fold, rows: &rows };
        learner.fit_from_fold_sums(totals.as_ref().as_ref()?, &without, cx).ok().flatten()
    }

    /// The prepared rows of a round, where the preparation is fitted once for all settings that share it. None where
    /// caching does not pay or the preparation fails; a complete fit then reports the error.
    fn prepared(&self, front: &dyn AnyLearner, k: usize, cx: &Context<'_>) -> Option<PreparedSlot> {
        // Validation rows would have to be prepared too.
        if self.train.is_none() || cx.validation.is_some() {
            return None;
        }
        let slot = {
            let mut all = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
            let key = (format!("{} {}", front.spec().name, front.params()), k);
            if all.len() >= PREPARATIONS * self.rounds.len() && !all.contains_key(&key) {
                return None;
            }
            all.entry(key).or_default().clone()
        };
        slot.get_or_init(|| self.prepare_round(front, k, cx).ok().flatten());
        Some(slot)
    }

    fn prepare_round(&self, front: &dyn AnyLearner, k: usize, cx: &Context<'_>) -> Result<Option<PreparedRows>> {
        let started = Instant::now();
        let (train, test) = (self.train(k), self.test(k));
        let (train, test) = (train.view(), test.view());
        let model = front.fit_any(&train, &cx.without_checkpoints())?;
        let Some(transformer) = model.as_transformer() else { return Ok(None) };
        let schema = transformer.schema_out(&train.schema_or_unnamed());
        let z = transformer.transform(&train.x)?;
        let seconds = started.elapsed().as_secs_f64();
        // A preparation may make many columns of few.
        if (8 * z.rows() * z.cols()).saturating_mul(self.rounds.len() * PREPARATIONS) > CACHE_BYTES {
            return Ok(None);
        }
        let rows = |x: Mat<f64>, rows: &DatasetRef<'_>| {
            let (y, weight) = (rows.y.take_rows(&(0..rows.rows()).collect::<Vec<_>>()), rows.weight.map(<[f64]>::to_vec));
            OwnedDataset { x: OwnedFeatures::F64(x), y, weight, schema: Some(schema.clone()) }
        };
        Ok(Some(PreparedRows { train: rows(z, &train), test: rows(transformer.transform(&test.x)?, &test), seconds }))
    }

    /// Fits to the training rows of a round and evaluates on its test rows: all metrics that apply, or one.
    pub fn validate(&self, learner: &dyn AnyLearner, k: usize, metric: Option<&str>, cx: &Context<'_>) -> Result<FoldScore> {
        if let Some((front, last)) = learner.as_pipeline_any()
            && let Some(slot) = self.prepared(&*front, k, cx)
            && let Some(Some(rows)) = slot.get()
        {
            let started = Instant::now();
            let model = last.fit_any(&rows.train.view(), &cx.without_checkpoints())?;
            let seconds = rows.seconds + started.elapsed().as_secs_f64();
            return measured(&*model, &rows.test.view(), metric, seconds, cx).map(|m| m.0);
        }
        let started = Instant::now();
        let (model, started) = match self.model_from_fold_sums(learner, k, cx) {
            Some(model) => (model, started),
            None => {
                let train = self.train(k);
                let started = Instant::now();
                (learner.fit_any(&train.view(), cx)?, started)
            }
        };
        let fit_seconds = started.elapsed().as_secs_f64();
        let test = self.test(k);
        measured(&*model, &test.view(), metric, fit_seconds, cx).map(|m| m.0)
    }

    /// Fits settings jointly to the training rows of a round and evaluates each on its test rows. None where that
    /// fails: a single fit then reports the error.
    pub fn validate_joint(
        &self,
        settings: &[&dyn AnyLearner],
        k: usize,
        metric: &str,
        cx: &Context<'_>,
    ) -> Result<Option<Vec<FoldScore>>> {
        let Some(first) = settings.first() else { return Ok(Some(Vec::new())) };
        let (train, test) = (self.train(k), self.test(k));
        let (train, test) = (train.view(), test.view());
        let mut scores: Vec<Option<FoldScore>> = vec![None; settings.len()];
        let started = Instant::now();
        let mut measuring = Duration::ZERO;
        let fitted = first.fit_joint(settings, &train, cx, &mut |s, model| {
            let started = Instant::now();
            scores[s] = Some(measured(&*model, &test, Some(metric), 0.0, cx)?.0);
            measuring += started.elapsed();
            Ok(())
        });
        match fitted {
            Err(e @ (Error::Deadline(_) | Error::Stopped(_))) => return Err(e),
            Err(_) => return Ok(None),
            Ok(()) => {}
        }
        // The time was spent for all of them.
        let fit_seconds = (started.elapsed() - measuring).as_secs_f64() / settings.len() as f64;
        Ok(scores.into_iter().map(|s| s.map(|s| FoldScore { fit_seconds, ..s })).collect())
    }

    /// The scores of all rounds at once, for leave-one-out with a learner that has a closed form.
    pub fn left_out(&self, learner: &dyn AnyLearner, metric: Option<&str>, cx: &Context<'_>) -> Result<Option<Vec<FoldScore>>> {
        if *self.rounds != (CvSplits::LeaveOneOut { rows: self.data.rows() }) {
            return Ok(None);
        }
        let started = Instant::now();
        let predictions = match learner.loo_predictions_any(self.data, cx) {
            Err(e @ (Error::Deadline(_) | Error::Stopped(_))) => return Err(e),
            Ok(Some(predictions)) => predictions,
            // A fit without the invalid row reports the error.
            _ => return Ok(None),
        };
        let fit_seconds = started.elapsed().as_secs_f64() / predictions.rows() as f64;
        let score = |i: usize| -> Result<FoldScore> {
            let (y, weight) = (self.data.y.row_range(i..i + 1), self.data.weight.map(|w| &w[i..i + 1]));
            let one = predictions.view().row_range(i..i + 1);
            let square = |y: f64, p: f64| (y - p) * (y - p);
            let metrics = match (y, metric) {
                (Target::Class { codes, .. }, None) => metrics::of_classes(codes, one, &argmax_rows(one), weight)?,
                (Target::Class { codes, .. }, Some(name)) => {
                    named_metric(name, metrics::one_of_classes(name, codes, one, &argmax_rows(one), weight)?)
                }
                (_, None) => metrics::of_numbers(y.reals()?, one, weight, &square),
                (_, Some(name)) => named_metric(name, metrics::one_of_numbers(name, y.reals()?, one, weight, &square)),
            };
            Ok(FoldScore { metrics, fit_seconds, predict_seconds: 0.0, predicted: 1 })
        };
        (0..predictions.rows()).map(score).collect::<Result<_>>().map(Some)
    }
}

/// A metric with its name.
fn named_metric(name: &str, value: Option<f64>) -> Vec<(&'static str, f64)> {
    let known = metrics::METRICS.iter().find(|m| m.0 == name);
    known.zip(value).map(|(m, v)| (m.0, v)).into_iter().collect()
}

/// Evaluates a model with the given fit time on rows it has not seen.
pub fn measured(
    model: &dyn Model,
    test: &DatasetRef<'_>,
    metric: Option<&str>,
    fit_seconds: f64,
    cx: &Context<'_>,
) -> Result<(FoldScore, Predictions)> {
    // A fit cut short by the deadline does not show how good its learner is.
    if cx.deadline_passed() {
        return Err(Error::Deadline("fitting".into()));
    }
    let started = Instant::now();
    let predictions = Predictions::of(model, &test.x, cx)?;
    let predict_seconds = started.elapsed().as_secs_f64();
    let metrics = match metric {
        None => predictions.measures(model, &test.y, test.weight)?,
        Some(name) => named_metric(name, predictions.measure(name, model, &test.y, test.weight)?),
    };
    Ok((FoldScore { metrics, fit_seconds, predict_seconds, predicted: test.rows() }, predictions))
}

#[cfg(test)]
mod tests {
    use ermine_core::{FoldAssignment, MatRef};

    use super::*;
    use crate::model_selection::{FoldIds, cross_validate_each, cross_validate_with, k_fold, validate_once};
    use ermine_bayes::{GaussianNb, Lda};
    use ermine_fixtures::numbers_and_classes;
    use ermine_kernel::kernel::KernelRidge;
    use ermine_linear::{Logistic, Ridge};
    use ermine_neighbors::Knn;
    use ermine_tree::tree::forest::RandomForest;

    /// The scores of fits to the rows of each round.
    fn plainly(learner: &dyn AnyLearner, data: &DatasetRef<'_>, rounds: &CvSplits) -> Vec<FoldScore> {
        let one = |k: usize| {
            let (train, test) = rounds.round(k);
            let (train, test) = (data.take_rows(&train), data.take_rows(&test));
            validate_once(learner, &train.view(), &test.view(), &Context::default()).unwrap().0
        };
        (0..rounds.len()).map(one).collect()
    }

    fn same(a: &[FoldScore], b: &[FoldScore], tolerance: f64) {
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(b) {
            assert_eq!((a.predicted, a.metrics.len()), (b.predicted, b.metrics.len()));
            for ((name, v), (other, w)) in a.metrics.iter().zip(&b.metrics) {
                let close = (v - w).abs() <= tolerance * v.abs().max(1.0) || v.is_nan() && w.is_nan() || v == w;
                assert!(name == other && close, "{name} {v} {w}");
            }
        }
    }

    #[test]
    fn rounds_have_the_scores_of_fits_to_their_rows() {
        let (x, y, classes) = numbers_and_classes(200);
        let features = Features::F64(MatRef::row_major(&x, 200, 4));
        let weight: Vec<f64> = (0..200).map(|i| [1.0, 0.0, 2.5][i % 3]).collect();
        let twice = CvSplits::Folds(vec![k_fold(200, 4, 1).unwrap(), k_fold(200, 7, 2).unwrap()]);
        let cross = |l: &dyn AnyLearner, data: &DatasetRef<'_>, rounds: &CvSplits| {
            cross_validate_with(l, data, rounds, &Context::default(), &|_, _| {}).unwrap()
        };
        for weight in [None, Some(&weight[..])] {
            let real = DatasetRef::new(features).with_target(Target::Real(&y)).with_weight(weight);
            let class = DatasetRef::new(features).with_target(classes.view()).with_weight(weight);
            let whole = CvCache::new(&real, &twice, false);
            whole.prepare(&[&Ridge::default()], &Context::default()).unwrap();
            assert_eq!(whole.lock().values().filter(|t| t.is_some()).count(), 2, "one for each of two partitions");
            same(&cross(&Ridge::default(), &real, &twice), &plainly(&Ridge::default(), &real, &twice), 1e-10);
            for l in [&Lda::default() as &dyn AnyLearner, &GaussianNb::default(), &Logistic::default()] {
                same(&cross(l, &class, &twice), &plainly(l, &class, &twice), 1e-10);
            }
        }
    }

    #[test]
    fn each_row_left_out_has_the_scores_of_fits_to_the_others() {
        let (x, y, classes) = numbers_and_classes(60);
        let features = Features::F64(MatRef::row_major(&x, 60, 4));
        let (real, class) =
            (DatasetRef::new(features).with_target(Target::Real(&y)), DatasetRef::new(features).with_target(classes.view()));
        let rounds = CvSplits::leave_one_out(60).unwrap();
        let kernel = KernelRidge { gamma: serde_json::from_str("0.2").unwrap(), ..KernelRidge::default() };
        let cases: [(&dyn AnyLearner, &DatasetRef<'_>); 5] = [
            (&Ridge::default(), &real),
            (&kernel, &real),
            (&Knn::default(), &real),
            (&Knn::default(), &class),
            (&Lda::default(), &class),
        ];
        for (learner, data) in cases {
            let shared = CvCache::new(data, &rounds, false);
            let scores = shared.left_out(learner, None, &Context::default()).unwrap().unwrap();
            same(&scores, &plainly(learner, data, &rounds), 1e-8);
            let metric = scores[0].metrics[0].0;
            let one = shared.left_out(learner, Some(metric), &Context::default()).unwrap().unwrap();
            assert!(one.iter().zip(&scores).all(|(a, b)| a.metrics == b.metrics[..1]));
        }
        // Without a closed form, and where the width of a kernel depends on the rows, each round is fitted.
        for l in [&Logistic::default() as &dyn AnyLearner, &KernelRidge::default()] {
            let data = if l.spec().name == "logistic" { &class } else { &real };
            assert!(CvCache::new(data, &rounds, false).left_out(l, None, &Context::default()).unwrap().is_none());
        }
    }

    #[test]
    fn errors_are_those_of_the_rows() {
        let (mut x, y, classes) = numbers_and_classes(90);
        let rounds = CvSplits::from(k_fold(90, 3, 4).unwrap());
        let error = |data: &DatasetRef<'_>, learner: &dyn AnyLearner| {
            cross_validate_with(learner, data, &rounds, &Context::default(), &|_, _| {}).unwrap_err().to_string()
        };
        let plain = |data: &DatasetRef<'_>, learner: &dyn AnyLearner| {
            let round = (0..3).find_map(|k| {
                let (train, test) = rounds.round(k);
                let (train, test) = (data.take_rows(&train), data.take_rows(&test));
                validate_once(learner, &train.view(), &test.view(), &Context::default()).err()
            });
            round.unwrap().to_string()
        };
        x[4 * 50 + 2] = f64::NAN;
        let features = Features::F64(MatRef::row_major(&x, 90, 4));
        let (real, class) =
            (DatasetRef::new(features).with_target(Target::Real(&y)), DatasetRef::new(features).with_target(classes.view()));
        assert_eq!(error(&real, &Ridge::default()), plain(&real, &Ridge::default()));
        assert_eq!(error(&class, &Lda::default()), plain(&class, &Lda::default()));
        // All the weight is in one fold: without it there is none.
        x[4 * 50 + 2] = 0.0;
        let features = Features::F64(MatRef::row_major(&x, 90, 4));
        let CvSplits::Folds(each) = &rounds else { unreachable!() };
        let weight: Vec<f64> = each[0].fold_of.iter().map(|f| if *f == 1 { 1.0 } else { 0.0 }).collect();
        let data = DatasetRef::new(features).with_target(Target::Real(&y)).with_weight(Some(&weight));
        assert_eq!(error(&data, &Ridge::default()), plain(&data, &Ridge::default()));
        assert!(error(&data, &Ridge::default()).contains("weights are 0"));
    }

    #[test]
    fn settings_of_a_forest_score_as_fits_alone_bit_for_bit() {
        let (x, y, classes) = numbers_and_classes(240);
        let features = Features::F64(MatRef::row_major(&x, 240, 4));
        let rounds = CvSplits::from(k_fold(240, 3, 1).unwrap());
        for (target, metric) in [(Target::Real(&y), "mse"), (classes.view(), "log_loss"), (classes.view(), "accuracy")] {
            let data = DatasetRef::new(features).with_target(target);
            let mut settings: Vec<Box<dyn AnyLearner>> = Vec::new();
            for (max_depth, trees) in [(Some(2), 6), (Some(5), 9), (None, 3)] {
                for splitter in ["exact", "histogram"] {
                    let forest =
                        RandomForest { max_depth, n_estimators: trees, splitter: splitter.into(), ..RandomForest::default() };
                    settings.push(Box::new(forest));
                }
            }
            // No other setting shares work with it.
            settings.push(Box::new(Knn::default()));
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| cross_validate_each(&settings, &data, &rounds, metric, &Context::default())).unwrap()
            };
            let (one, two) = (run(1), run(2));
            for ((a, b), l) in one.iter().zip(&two).zip(&settings) {
                let values = |scores: &[FoldScore]| -> Vec<f64> { scores.iter().map(|s| s.value(metric).unwrap()).collect() };
                assert_eq!(values(a), values(b));
                assert_eq!(values(a), values(&plainly(&**l, &data, &rounds)), "{}", l.params());
            }
        }
    }

    #[test]
    fn a_joint_fit_that_fails_leaves_the_word_to_the_setting() {
        let (x, y, _) = numbers_and_classes(60);
        let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 60, 4))).with_target(Target::Real(&y));
        let rounds = CvSplits::from(k_fold(60, 3, 1).unwrap());
        let good = RandomForest { n_estimators: 3, ..RandomForest::default() };
        let bad = RandomForest { criterion: "gini".into(), ..good.clone() };
        let alone = validate_once(&bad, &data, &data, &Context::default()).unwrap_err();
        let settings: Vec<Box<dyn AnyLearner>> = vec![Box::new(good), Box::new(bad)];
        let joint = cross_validate_each(&settings, &data, &rounds, "mse", &Context::default()).unwrap_err();
        assert_eq!(joint.to_string(), alone.to_string());
    }

    #[test]
    fn totals_are_gathered_once_for_settings_that_share_them() {
        let (x, y, _) = numbers_and_classes(100);
        let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 100, 4))).with_target(Target::Real(&y));
        let rounds = CvSplits::from(k_fold(100, 5, 0).unwrap());
        let shared = CvCache::new(&data, &rounds, true);
        let settings: Vec<Ridge> = (1..20).map(|k| Ridge { alpha: f64::from(k).into(), ..Ridge::default() }).collect();
        let learners: Vec<&dyn AnyLearner> = settings.iter().map(|l| l as &dyn AnyLearner).collect();
        shared.prepare(&learners, &Context::default()).unwrap();
        assert_eq!(shared.lock().len(), 1);
        assert!(shared.train.as_ref().unwrap().iter().all(|t| t.get().is_none()), "training rows are not taken");
        assert!(shared.test.as_ref().unwrap().iter().all(|t| t.get().is_some()));
        // The choice of the penalty reads the rows again, and so do fits with fewer rows than columns.
        let chosen = Ridge { alpha: serde_json::from_str("\"loo\"").unwrap(), ..Ridge::default() };
        assert!(shared.fold_sums_of(&chosen, 0).is_none());
        let few = FoldIds { fold_of: (0..100).map(|i| usize::from(i < 4)).collect(), folds: 2 };
        let cut = FoldAssignment { fold_of: &few.fold_of, folds: 2 };
        assert!(Ridge::default().fold_sums_key(&data, &cut).is_none());
    }
}
