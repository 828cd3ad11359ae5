//! The best model that a time or a number of fits can buy: settings of a portfolio, tried in order as far as the budget
//! goes, and an ensemble of what was fitted.

mod candidate;
mod cost;
mod finish;
mod fit;
mod ladder;
mod select;
#[cfg(test)]
mod tests;

use std::time::Instant;

use ermine_core::{AnyLearner, Context, DatasetRef, Error, Model, OwnedDataset, Result, RngStream, Task};
use ermine_eval::model_selection::{CvSplits, FoldScore, even_order, hold_out, parallel_map, stratified_k_fold};

use crate::ContestantScores;
pub use candidate::{Candidate, WrapLearner, portfolio};
use cost::CostModel;
use fit::FoldFit;
use select::Criterion;

/// Share of the time that is kept for the choice and the last fit.
const RESERVE: f64 = 0.05;
/// Share of the remaining time that one candidate may have.
const ONE_CANDIDATE: f64 = 0.4;
/// Shares of the time that a first look at all candidates and at one of them may take.
const FIRST_LOOK: f64 = 0.2;
/// Training and test rows of the first look.
const LOOK_ROWS: (usize, usize) = (1500, 1000);
/// How much longer boosting runs than in the first look.
const MORE_ROUNDS: f64 = 6.0;

/// A search for the best model of a table within a budget.
///
/// Candidates are tried in their order. A deadline of the context is kept, the last fit included: what a fit will cost is
/// predicted from fits to few rows, and one that cannot end is not started; boosting and networks are cut short and keep
/// their best round. On large tables candidates first meet on samples of growing size. Without a deadline the result does
/// not depend on the machine.
pub struct AutoMl<'a> {
    /// What is to be good.
    pub metric: &'a str,
    /// Fits at most, of one candidate to the training rows of one round each.
    pub fits: Option<usize>,
    /// How candidates are judged; chosen by the size of the table and the time where none is given.
    pub splits: Option<CvSplits>,
    /// What is tried, in this order.
    pub candidates: Vec<Candidate>,
    /// Whether a single candidate is kept, and no ensemble.
    pub single: bool,
    /// Seconds that the prediction of a row may take, as measured here.
    pub predict_seconds: Option<f64>,
    /// Is told of each candidate that was fitted.
    pub on_candidate: &'a (dyn Fn(&AutoProgress<'_>) + Sync),
}

/// How far a search has come.
#[derive(Debug, Clone, Copy)]
pub struct AutoProgress<'a> {
    /// The candidate that was fitted last.
    pub name: &'a str,
    /// Candidates that were fitted.
    pub done: usize,
    /// The best so far, with its mean of the metric.
    pub best: (&'a str, f64),
}

/// A row of the leaderboard.
pub struct AutoEntry {
    /// The name of the candidate, or `ensemble`.
    pub name: String,
    /// The learner that would be fitted to all rows.
    pub learner: Box<dyn AnyLearner>,
    /// Its scores.
    pub standing: ContestantScores,
    /// Its weight in the ensemble that is kept.
    pub weight: f64,
    /// Why it was not measured to the end.
    pub cut: Option<String>,
}

/// What a search has found.
pub struct AutoOutcome {
    /// The rounds in which candidates were judged.
    pub splits: CvSplits,
    /// All candidates in the order of the choice, the kept one first; those that were cut come last.
    pub entries: Vec<AutoEntry>,
    /// The learner of the model.
    pub learner: Box<dyn AnyLearner>,
    /// The model that is kept.
    pub model: Box<dyn Model>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// What is known of a candidate.
#[derive(Default)]
struct CandidateResult {
    folds: Vec<FoldFit>,
    /// The scores of the rounds, once the models have gone into the one that is kept.
    scores: Vec<FoldScore>,
    /// The fit to the largest sample: its training rows, and its loss.
    sample: Option<(usize, f64, FoldFit)>,
    cost: CostModel,
    /// Seconds of one thread of a round of boosting, with the training rows of the largest fit.
    round: Option<(usize, f64)>,
    /// The learning rate of boosting in its rounds, where the time asked for another than its own.
    rate: Option<f64>,
    failed: Option<String>,
    cut: Option<String>,
}

/// A search under way.
struct AutoRun<'a> {
    auto: &'a AutoMl<'a>,
    data: &'a DatasetRef<'a>,
    cx: Context<'a>,
    task: Task,
    criterion: Criterion,
    /// Seconds in all, where there is a deadline.
    total: Option<f64>,
    results: Vec<CandidateResult>,
    fits: usize,
    notes: Vec<String>,
}

impl<'a> AutoMl<'a> {
    /// A search for an ensemble without bounds.
    pub fn new(metric: &'a str, candidates: Vec<Candidate>) -> Self {
        Self { metric, fits: None, splits: None, candidates, single: false, predict_seconds: None, on_candidate: &|_| {} }
    }
}

impl AutoMl<'_> {
    /// Runs the search on these rows.
    ///
    /// # Errors
    /// When the target suits no candidate, the metric is unknown, or all fits fail.
    pub fn run(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<AutoOutcome> {
        let Some(task) = data.y.task().filter(|t| t.is_supervised()) else {
            return Err(Error::Target("the search for a model needs a target".into()));
        };
        let criterion = Criterion::of(self.metric, task == Task::Classification)?;
        if data.rows() < 4 {
            return Err(Error::Data(format!("{} rows are too few to choose a model by; fit one that is named", data.rows())));
        }
        let total = cx.deadline.map(|d| d.saturating_duration_since(Instant::now()).as_secs_f64());
        let mut run = AutoRun {
            auto: self,
            data,
            cx: Context { deadline: None, validation: None, ..cx.without_checkpoints() },
            task,
            criterion,
            total,
            results: self.candidates.iter().map(|_| CandidateResult::default()).collect(),
            fits: 0,
            notes: Vec::new(),
        };
        let deadline = cx.deadline;
        if deadline.is_some() {
            run.first_look(deadline)?;
        }
        let splits = match &self.splits {
            Some(splits) => splits.clone(),
            None => run.choose_splits()?,
        };
        let order = run.ladder(&splits, deadline)?;
        for c in order {
            run.try_candidate(c, &splits, deadline)?;
        }
        run.finish(splits, deadline)
    }
}

impl AutoRun<'_> {
    fn rows(&self) -> usize {
        self.data.rows()
    }

    /// Seconds until candidates must have ended; infinite without a deadline.
    fn left(&self, deadline: Option<Instant>) -> f64 {
        let reserve = self.total.map_or(0.0, |t| RESERVE * t);
        deadline.map_or(f64::INFINITY, |d| d.saturating_duration_since(Instant::now()).as_secs_f64() - reserve)
    }

    fn seed(&self, candidate: usize, round: usize) -> u64 {
        RngStream::new(self.cx.seed, "automl fit", (candidate as u64) << 32 | round as u64).next_u64()
    }

    fn is_open(&self, c: usize) -> bool {
        let of = &self.results[c];
        of.failed.is_none() && of.cut.is_none() && self.auto.candidates[c].suits(self.rows(), self.data.cols())
    }

    /// Rows of a list, the first of an even order.
    fn sample(&self, rows: &[usize], count: usize, index: u64) -> OwnedDataset {
        let mut stream = RngStream::new(self.cx.seed, "automl sample", index);
        let mut order = even_order(&self.data.y, rows, &mut stream);
        order.truncate(count);
        order.sort_unstable();
        self.data.take_rows(&order)
    }

    /// Fits few rows with linear models, boosting of few rounds and what may turn out slow: a model that is there from the
    /// start, and what fits cost.
    fn first_look(&mut self, deadline: Option<Instant>) -> Result<()> {
        let Some(total) = self.total else { return Ok(()) };
        let (train, test) = match &self.auto.splits {
            Some(splits) => splits.round(0),
            None => hold_out(&self.data.y, self.rows(), 0.25, self.cx.seed)?,
        };
        let (train, test) = (self.sample(&train, LOOK_ROWS.0, 0), self.sample(&test, LOOK_ROWS.1, 1));
        let rows = train.view().rows();
        let mut boosting = false;
        let mut looks: Vec<usize> = Vec::new();
        for (c, candidate) in self.auto.candidates.iter().enumerate().filter(|(c, _)| self.is_open(*c)) {
            let first_boosting = candidate.learns_in_rounds().is_some() && !std::mem::replace(&mut boosting, true);
            if candidate.learns_in_rounds().is_none() && !candidate.growth().interruptible || first_boosting {
                looks.push(c);
            }
        }
        if total < 3.0 && looks.len() > 3 {
            looks
                .sort_by_key(|&c| !(self.auto.candidates[c].learns_in_rounds().is_some() || self.auto.candidates[c].is_linear()));
            looks.truncate(3);
        }
        let began = Instant::now();
        let ends = |share: f64| {
            let from = began + std::time::Duration::from_secs_f64(share * total);
            deadline.map(|d| d.min(from))
        };
        let fit = |_: usize, c: usize| {
            let candidate = &self.auto.candidates[c];
            let hard = ends(FIRST_LOOK);
            if hard.is_some_and(|h| Instant::now() >= h) {
                return (c, None);
            }
            (c, Some(self.fit_rows(&*candidate.quick(), &train.view(), &test.view(), self.seed(c, usize::MAX >> 33), hard)))
        };
        for (c, found) in parallel_map(looks, fit) {
            let Some(found) = found else { continue };
            self.note_sample(c, rows, &*self.auto.candidates[c].quick(), found, &test);
        }
        Ok(())
    }

    /// Keeps the result of a fit to a sample.
    fn note_sample(&mut self, c: usize, rows: usize, learner: &dyn AnyLearner, found: Result<FoldFit>, test: &OwnedDataset) {
        if let Ok(fit) = &found {
            self.note_round(c, rows, learner, fit, 1.0);
        }
        let of = &mut self.results[c];
        match found {
            Ok(fit) => {
                let loss = self.criterion.loss(
                    self.criterion.project(fit.predictions().view(), &test.y).view(),
                    &test.y,
                    test.weight.as_deref(),
                );
                of.cost.add(rows, fit.score.fit_seconds + fit.score.predict_seconds);
                if of.sample.as_ref().is_none_or(|s| s.0 <= rows) {
                    of.sample = Some((rows, loss, fit));
                }
            }
            // Too slow for a first look: what it has used up is the least that it costs.
            Err(Error::Deadline(_)) => of.cost.add(rows, self.total.map_or(0.0, |t| FIRST_LOOK * t)),
            Err(other) => of.failed = Some(other.with_row(|row| row + 1).to_string()),
        }
    }

    /// Keeps what a round of boosting has taken, on as many threads as `speedup` stands for.
    fn note_round(&mut self, c: usize, rows: usize, learner: &dyn AnyLearner, fit: &FoldFit, speedup: f64) {
        let kept = fit.model.certificate().map_or(0, |c| c.iterations);
        let Some(rounds) = self.auto.candidates[c].rounds_trained(learner, kept) else { return };
        if self.results[c].round.is_none_or(|(seen, _)| seen <= rows) {
            self.results[c].round = Some((rows, speedup * fit.score.fit_seconds / rounds));
        }
    }

    /// How many rounds of boosting a thread can train in so many seconds; none for other learners, or without a deadline.
    fn rounds_within(&self, c: usize, rows: usize, seconds: f64) -> Option<f64> {
        self.auto.candidates[c].learns_in_rounds()?;
        self.total?;
        // Of itself, or else of the one that was seen on most rows.
        let seen = self.results[c].round.or_else(|| self.results.iter().filter_map(|r| r.round).max_by_key(|r| r.0))?;
        let growth = (rows as f64 / seen.0 as f64).max(1.0);
        // A part of a round does not depend on the rows, and weighs the more the fewer they are.
        Some(seconds / (seen.1 * growth.powf(0.9)))
    }

    /// Seconds of one thread that boosting will need for so many rows, where it has been seen.
    fn boosting_seconds(&self, rows: usize) -> Option<f64> {
        let c = (0..self.results.len())
            .find(|&c| self.auto.candidates[c].learns_in_rounds().is_some() && self.results[c].cost.rows_seen() > 0)?;
        let seen = self.results[c].cost.predict(rows, self.auto.candidates[c].growth())?;
        // Few rows cost more each than many, since the histograms are what takes time.
        Some(seen * MORE_ROUNDS * (self.results[c].cost.rows_seen() as f64 / rows as f64).clamp(0.0, 1.0).powf(0.2))
    }

    /// Folds as far as the time goes, else a part of the rows held out.
    fn choose_splits(&self) -> Result<CvSplits> {
        let n = self.rows();
        let threads = rayon::current_num_threads() as f64;
        let folds = match (self.total, self.boosting_seconds(n)) {
            (None, _) | (_, None) => Some(5).filter(|_| n <= 50_000),
            (Some(total), Some(one)) => {
                let fits = |k: usize| k as f64 * one / threads <= total / 5.0;
                let wanted = if n < 1500 && total >= 20.0 { 8 } else { 5 };
                [wanted, 5, 3].into_iter().find(|&k| fits(k) && n / k >= 2).or((n < 400).then_some(5))
            }
        };
        match folds {
            Some(k) => Ok(stratified_k_fold(&self.data.y, n, k.min(n), self.cx.seed)?.into()),
            None => CvSplits::hold_out(&self.data.y, n, (5000.0 / n as f64).clamp(0.02, 0.2), self.cx.seed),
        }
    }
}
