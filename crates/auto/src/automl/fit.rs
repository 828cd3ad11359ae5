//! Fits of a candidate to the rounds.

use std::time::{Duration, Instant};

use ermine_core::{AnyLearner, Context, DatasetRef, Error, Mat, Model, Result};
use ermine_eval::metrics::{self, Direction, Predictions};
use ermine_eval::model_selection::{CvSplits, FoldScore, parallel_map};

use super::{AutoProgress, AutoRun, ONE_CANDIDATE};
use crate::ContestantScores;

/// A candidate fitted to the training rows of a round, with its predictions of the test rows.
pub(super) struct FoldFit {
    pub model: Box<dyn Model>,
    pub outcome: Predictions,
    pub score: FoldScore,
    /// Whether the time ended before the fit did.
    pub cut: bool,
}

impl FoldFit {
    /// Probabilities of the classes, or numbers.
    pub fn predictions(&self) -> &Mat<f64> {
        match &self.outcome {
            Predictions::Numbers(numbers) => numbers,
            Predictions::Classes { proba, .. } => proba,
        }
    }
}

impl AutoRun<'_> {
    /// Fits to some rows and predicts others, which also say when boosting stops.
    pub fn fit_rows(
        &self,
        learner: &dyn AnyLearner,
        train: &DatasetRef<'_>,
        test: &DatasetRef<'_>,
        seed: u64,
        deadline: Option<Instant>,
    ) -> Result<FoldFit> {
        let started = Instant::now();
        let model = learner.fit_any(train, &Context { seed, deadline, validation: Some(test), ..self.cx })?;
        let fit_seconds = started.elapsed().as_secs_f64();
        let cut = deadline.is_some_and(|d| Instant::now() >= d) && model.certificate().is_some_and(|c| !c.converged);
        let started = Instant::now();
        let outcome = Predictions::of(&*model, &test.x, &Context { seed, ..self.cx })?;
        let predict_seconds = started.elapsed().as_secs_f64();
        let metrics = outcome.measures(&*model, &test.y, test.weight)?;
        let score = FoldScore { metrics, fit_seconds, predict_seconds, predicted: test.rows() };
        Ok(FoldFit { model, outcome, score, cut })
    }

    /// Fits a candidate to all rounds, if it can end in time.
    pub fn try_candidate(&mut self, c: usize, splits: &CvSplits, deadline: Option<Instant>) -> Result<()> {
        let candidate = &self.auto.candidates[c];
        let rounds = splits.len();
        if !self.is_open(c) {
            return Ok(());
        }
        if self.auto.fits.is_some_and(|most| self.fits + rounds > most) {
            self.results[c].cut = Some("cut, as the fits of the budget were used up".into());
            return Ok(());
        }
        let rows = splits.round(0).0.len();
        let Some(allowed) = self.allowance(c, rows, rounds, deadline) else { return Ok(()) };
        self.fits += rounds;
        let waves = rounds.div_ceil(rayon::current_num_threads()) as f64;
        let hard = deadline.map(|d| d - Duration::from_secs_f64((0.5 * super::RESERVE * self.total.unwrap_or(0.0)).max(0.0)));
        // A round that has all threads for itself uses them in part.
        let alone = if rounds < rayon::current_num_threads() { 1.5 } else { 1.0 };
        let learner = candidate.learner(rows, self.rounds_within(c, rows, alone * allowed / waves));
        let run = |_: usize, r: usize| {
            let (train, test) = splits.round(r);
            let (train, test) = (self.data.take_rows(&train), self.data.take_rows(&test));
            let ends = match (hard, allowed.is_finite()) {
                (Some(hard), true) => Some(hard.min(Instant::now() + Duration::from_secs_f64(allowed / waves))),
                (hard, _) => hard,
            };
            self.fit_rows(&*learner, &train.view(), &test.view(), self.seed(c, r), ends)
        };
        let mut folds = Vec::with_capacity(rounds);
        let mut stopped = None;
        for found in parallel_map((0..rounds).collect(), run) {
            match found {
                Ok(fit) => folds.push(fit),
                Err(error @ Error::Stopped(_)) => return Err(error),
                Err(error) => stopped = stopped.or(Some(error)),
            }
        }
        if let Some(fit) = folds.first() {
            self.note_round(c, rows, &*learner, fit, alone);
            let rate = candidate.learns_in_rounds().and_then(|_| learner.params()["learning_rate"].as_f64());
            self.results[c].rate = rate;
        }
        let of = &mut self.results[c];
        let seconds = folds.iter().map(|f: &FoldFit| f.score.fit_seconds + f.score.predict_seconds);
        if let Some(most) = seconds.max_by(f64::total_cmp) {
            of.cost.add(rows, most);
        }
        match stopped {
            None => of.folds = folds,
            Some(Error::Deadline(_)) => {
                of.cut = Some(format!("cut after {} of {rounds} rounds, its time used up", folds.len()));
            }
            // The rows of a round are not the rows of the table, but they are counted from 1 too.
            Some(other) => of.failed = Some(other.with_row(|row| row + 1).to_string()),
        }
        self.tell(c);
        Ok(())
    }

    /// Seconds that a candidate may have for all its rounds; none, with the reason noted, when it is not to start.
    fn allowance(&mut self, c: usize, rows: usize, rounds: usize, deadline: Option<Instant>) -> Option<f64> {
        let left = self.left(deadline);
        let Some(total) = self.total else { return Some(f64::INFINITY) };
        let growth = self.auto.candidates[c].growth();
        let threads = rayon::current_num_threads();
        // A fit alone uses the threads in part only.
        let wall = |one: f64| if rounds >= threads { one * rounds.div_ceil(threads) as f64 } else { one / 1.2 };
        let boosting = self.auto.candidates[c].learns_in_rounds().is_some();
        let predicted = self.results[c].cost.predict(rows, growth).filter(|_| !boosting).map(wall);
        let cut = if left < 0.02 * total {
            Some("cut, as no time was left to begin".to_owned())
        } else if let Some(seconds) = predicted.filter(|s| !growth.interruptible && *s > 0.7 * left) {
            Some(format!("cut before it began: it would take about {seconds:.1} s of the {left:.1} s that were left"))
        } else {
            None
        };
        if cut.is_some() {
            self.results[c].cut = cut;
            return None;
        }
        Some(if growth.interruptible { (ONE_CANDIDATE * left).max((0.1 * total).min(0.8 * left)) } else { f64::INFINITY })
    }

    /// Tells the caller of a candidate that was tried.
    fn tell(&self, c: usize) {
        let done = self.results.iter().filter(|r| !r.folds.is_empty()).count();
        let scored = |c: usize| Some((c, standing(&self.results[c]).scores(self.auto.metric).mean)).filter(|s| s.1.is_finite());
        let higher = matches!(metrics::direction(self.auto.metric), Ok(Direction::Higher));
        let best = (0..self.results.len()).filter_map(scored).max_by(|a, b| {
            let order = a.1.total_cmp(&b.1);
            if higher { order } else { order.reverse() }
        });
        if let Some((best, mean)) = best {
            let names = &self.auto.candidates;
            (self.auto.on_candidate)(&AutoProgress { name: &names[c].name, done, best: (&names[best].name, mean) });
        }
    }
}

/// The scores of a candidate, in the form of a comparison.
pub(super) fn standing(of: &super::CandidateResult) -> ContestantScores {
    ContestantScores {
        rounds: of.folds.iter().map(|f| Some(f.score.clone())).collect(),
        failed: of.failed.clone(),
        pruned: of.cut.as_ref().map(|_| 0.0),
        sample: of.sample.as_ref().map(|(rows, _, fit)| (*rows, fit.score.clone())),
    }
}
