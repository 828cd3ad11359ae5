//! What the settings of a search, and the rounds of a cross-validation, have in common: the rows of the rounds, and totals from which all rounds are fitted.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use ermine_core::{
    AnyLearner, Context, Cut, Dataset, Error, Features, FoldTotals, Model, OwnedDataset, Result, Target, argmax_rows,
};
use rayon::prelude::*;

use super::{FoldScore, Rounds};
use crate::metrics::{self, Outcome};

/// Bytes of taken rows that are held for other settings.
const HELD: usize = 1 << 30;

/// Rows and rounds, with all that is worth keeping of them from one setting to the next.
pub(super) struct Shared<'a> {
    data: &'a Dataset<'a>,
    rounds: &'a Rounds,
    /// Rows to train on and to test on, by round; none are kept where they are not used again or do not fit.
    train: Option<Vec<OnceLock<OwnedDataset>>>,
    test: Option<Vec<OnceLock<OwnedDataset>>>,
    /// Totals by their key and the repetition of the folds; none where gathering failed, and a fit to the rows says why.
    totals: Mutex<Gathered>,
}

type Gathered = BTreeMap<(String, usize), std::sync::Arc<Option<FoldTotals>>>;

/// Rows that are held or were taken for once.
enum Rows<'a> {
    Held(&'a OwnedDataset),
    Taken(OwnedDataset),
}

impl Rows<'_> {
    fn view(&self) -> Dataset<'_> {
        match self {
            Self::Held(rows) => rows.view(),
            Self::Taken(rows) => rows.view(),
        }
    }
}

/// About how many bytes rows take.
fn bytes(data: &Dataset<'_>) -> usize {
    match data.x {
        Features::F32(x) => 4 * x.rows() * x.cols(),
        Features::Csr(x) => 12 * x.stored(),
        _ => 8 * data.rows() * data.cols(),
    }
}

impl<'a> Shared<'a> {
    /// `again`: whether the same rounds will be asked for with other settings.
    pub fn new(data: &'a Dataset<'a>, rounds: &'a Rounds, again: bool) -> Self {
        let slots = |most: usize| {
            let holds = again && bytes(data).saturating_mul(most) <= HELD;
            holds.then(|| (0..rounds.len()).map(|_| OnceLock::new()).collect())
        };
        let tested = match rounds {
            Rounds::Folds(each) => each.len(),
            _ => 1,
        };
        Self { data, rounds, train: slots(rounds.len()), test: slots(tested), totals: Mutex::default() }
    }

    /// The repetition of the folds that a round belongs to, and its fold; none for rounds that are no partition.
    fn fold(&self, k: usize) -> Option<(usize, usize)> {
        let Rounds::Folds(each) = self.rounds else { return None };
        let mut k = k;
        for (r, folds) in each.iter().enumerate() {
            if k < folds.folds {
                return Some((r, k));
            }
            k -= folds.folds;
        }
        None
    }

    fn totals_of(&self, learner: &dyn AnyLearner, k: usize) -> Option<((String, usize), usize)> {
        let ((r, fold), Rounds::Folds(each)) = (self.fold(k)?, self.rounds) else { return None };
        let cut = Cut { fold_of: &each[r].fold_of, folds: each[r].folds };
        (cut.fold_of.len() == self.data.rows()).then_some(())?;
        Some(((learner.totals_key(self.data, &cut)?, r), fold))
    }

    /// Gathers what the rounds of these settings will use, on all threads at hand: within a round each has but its own.
    pub fn prepare(&self, learners: &[&dyn AnyLearner], cx: &Context<'_>) -> Result<()> {
        let mut rows = false;
        for learner in learners {
            let firsts: Vec<usize> = (0..self.rounds.len()).filter(|&k| self.fold(k).is_some_and(|f| f.1 == 0)).collect();
            rows |= firsts.is_empty();
            for k in firsts {
                let Some((key, _)) = self.totals_of(*learner, k) else {
                    rows = true;
                    continue;
                };
                if self.lock().contains_key(&key) {
                    continue;
                }
                let Rounds::Folds(each) = self.rounds else { continue };
                let cut = Cut { fold_of: &each[key.1].fold_of, folds: each[key.1].folds };
                let found = match learner.totals_any(self.data, &cut, cx) {
                    Err(e @ (Error::Deadline(_) | Error::Stopped(_))) => return Err(e),
                    found => found.ok(),
                };
                self.lock().insert(key, found.into());
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

    fn lock(&self) -> std::sync::MutexGuard<'_, Gathered> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn train(&self, k: usize) -> Rows<'_> {
        let take = || self.data.take(&self.rounds.round(k).0);
        self.train.as_ref().map_or_else(|| Rows::Taken(take()), |held| Rows::Held(held[k].get_or_init(take)))
    }

    fn test(&self, k: usize) -> Rows<'_> {
        let take = || self.data.take(&self.rounds.round(k).1);
        self.test.as_ref().map_or_else(|| Rows::Taken(take()), |held| Rows::Held(held[k].get_or_init(take)))
    }

    /// The model of a round from totals; none where there are none, or where they do not suffice. What goes wrong here goes wrong with the rows
    /// themselves too, where the error can name them.
    fn from_totals(&self, learner: &dyn AnyLearner, k: usize, cx: &Context<'_>) -> Option<Box<dyn Model>> {
        let (key, fold) = self.totals_of(learner, k)?;
        let totals = self.lock().get(&key).cloned()?;
        learner.fit_without(totals.as_ref().as_ref()?, fold, self.data, cx).ok().flatten()
    }

    /// Fits to the training rows of a round and measures on its test rows: all that applies, or one measure.
    pub fn validate(&self, learner: &dyn AnyLearner, k: usize, metric: Option<&str>, cx: &Context<'_>) -> Result<FoldScore> {
        let started = Instant::now();
        let (model, started) = match self.from_totals(learner, k, cx) {
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

    /// The scores of all rounds at once, where each row is left out in turn and the learner knows what it would say.
    pub fn left_out(&self, learner: &dyn AnyLearner, metric: Option<&str>, cx: &Context<'_>) -> Result<Option<Vec<FoldScore>>> {
        if *self.rounds != (Rounds::LeaveOneOut { rows: self.data.rows() }) {
            return Ok(None);
        }
        let started = Instant::now();
        let said = match learner.left_out_any(self.data, cx) {
            Err(e @ (Error::Deadline(_) | Error::Stopped(_))) => return Err(e),
            Ok(Some(said)) => said,
            // The fit without the row that is refused says so.
            _ => return Ok(None),
        };
        let fit_seconds = started.elapsed().as_secs_f64() / said.rows() as f64;
        let score = |i: usize| -> Result<FoldScore> {
            let (y, weight) = (self.data.y.row_range(i..i + 1), self.data.weight.map(|w| &w[i..i + 1]));
            let one = said.view().row_range(i..i + 1);
            let square = |y: f64, p: f64| (y - p) * (y - p);
            let metrics = match (y, metric) {
                (Target::Class { codes, .. }, None) => metrics::of_classes(codes, one, &argmax_rows(one), weight)?,
                (Target::Class { codes, .. }, Some(name)) => {
                    named(name, metrics::one_of_classes(name, codes, one, &argmax_rows(one), weight)?)
                }
                (_, None) => metrics::of_numbers(y.reals()?, one, weight, &square),
                (_, Some(name)) => named(name, metrics::one_of_numbers(name, y.reals()?, one, weight, &square)),
            };
            Ok(FoldScore { metrics, fit_seconds, predict_seconds: 0.0, predicted: 1 })
        };
        (0..said.rows()).map(score).collect::<Result<_>>().map(Some)
    }
}

/// A measure under its own name.
fn named(name: &str, value: Option<f64>) -> Vec<(&'static str, f64)> {
    let known = metrics::METRICS.iter().find(|m| m.0 == name);
    known.zip(value).map(|(m, v)| (m.0, v)).into_iter().collect()
}

/// What a model that took so long to fit makes of rows it has not seen.
pub(super) fn measured(
    model: &dyn Model,
    test: &Dataset<'_>,
    metric: Option<&str>,
    fit_seconds: f64,
    cx: &Context<'_>,
) -> Result<(FoldScore, Outcome)> {
    // A fit that the clock cut short does not say how good its learner is.
    if cx.out_of_time() {
        return Err(Error::Deadline("fitting".into()));
    }
    let started = Instant::now();
    let outcome = Outcome::of(model, &test.x, cx)?;
    let predict_seconds = started.elapsed().as_secs_f64();
    let metrics = match metric {
        None => outcome.measures(model, &test.y, test.weight)?,
        Some(name) => named(name, outcome.measure(name, model, &test.y, test.weight)?),
    };
    Ok((FoldScore { metrics, fit_seconds, predict_seconds, predicted: test.rows() }, outcome))
}
