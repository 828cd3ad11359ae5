//! The search for the best parameters of a learner: grid, random, successive halving, or guided by a model of the trials so far.

mod halving;
mod nested_cv;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ermine_core::{AnyLearner, Context, DatasetRef, Error, Result, RngStream};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use ermine_eval::metrics::{self, Direction};
use ermine_eval::model_selection::{CvCache, CvSplits, FoldScore, FoldScores, even_order, parallel_map, validate_once};

use crate::SearchSpace;
use crate::propose::{self, ScoredPoint};

pub use nested_cv::{NestedCvRound, nested};

/// Search methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchMethod {
    /// All combinations of a number of values per axis.
    Grid {
        /// Most values per axis.
        steps: usize,
    },
    /// Random search.
    Random,
    /// Successive halving: low-discrepancy settings tried on few rows; the best third is tried on three times as many
    /// rows, and so on up to all.
    Halving,
    /// Model-based: a tree-structured Parzen estimator of the trials so far.
    Model,
}

/// Budget of a search: trials, time, or whichever ends first. At least one must be given.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Budget {
    /// Number of settings to try.
    pub trials: Option<usize>,
    /// Time for all of them.
    pub time: Option<Duration>,
}

/// How a trial ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrialEnd {
    /// All rounds are complete.
    #[serde(rename = "whole")]
    Complete,
    /// Stopped after some rounds, or on few rows, since it could not become the best.
    #[serde(rename = "hopeless")]
    Pruned,
    /// The fit failed.
    Failed(String),
}

/// A tried setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Its number, from 0.
    pub index: usize,
    /// The parameters that were set.
    pub params: Map<String, Value>,
    /// The metric in each completed round.
    pub scores: Vec<f64>,
    /// The share of the training rows in its last rung.
    pub share: f64,
    /// How the trial ended.
    pub ended: TrialEnd,
    /// Mean seconds of a fit.
    pub fit_seconds: f64,
    /// Seconds since the search began.
    pub at: f64,
}

impl Trial {
    /// Mean and spread of the metric over the completed rounds.
    pub fn summary(&self) -> FoldScores {
        FoldScores::of(self.scores.clone())
    }
}

/// Result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    /// All trials, in order.
    pub trials: Vec<Trial>,
    /// The number of the best one.
    pub best: usize,
    /// Whether every setting of a finite space was tried.
    pub exhausted: bool,
}

impl SearchResult {
    /// The best trial.
    pub fn best(&self) -> &Trial {
        &self.trials[self.best]
    }
}

/// The learner unchanged.
pub fn identity(learner: Box<dyn AnyLearner>) -> Box<dyn AnyLearner> {
    learner
}

/// A search.
pub struct ParameterSearch<'a> {
    /// The learner; parameters without an axis are not changed.
    pub learner: &'a dyn AnyLearner,
    /// Wraps the learner before it is fitted, for example in a pipeline with a preparation; [`identity`] for nothing.
    pub wrap: &'a (dyn Fn(Box<dyn AnyLearner>) -> Box<dyn AnyLearner> + Sync),
    /// The search space.
    pub space: &'a SearchSpace,
    /// The search method.
    pub method: SearchMethod,
    /// The metric.
    pub metric: &'a str,
    /// The rounds of the evaluation.
    pub rounds: &'a CvSplits,
    /// When to end.
    pub budget: Budget,
    /// Whether to stop trials early that cannot become the best.
    pub give_up: bool,
}

/// Trials that are proposed together and run in parallel. It must not depend on the machine, since later proposals
/// depend on earlier trials.
const BATCH: usize = 4;
/// Settings of one bracket of successive halving, and the factor by which settings decrease and rows increase.
const BRACKET: usize = 27;
const FACTOR: usize = 3;
/// Fewest training rows of the first rung.
const FEWEST_ROWS: usize = 300;

impl ParameterSearch<'_> {
    /// Runs the search. `history` are the trials of an earlier, interrupted run of the same search; the result is that
    /// of an uninterrupted run. `on_trial` is called with each new trial, in order within a batch.
    pub fn run(
        &self,
        data: &DatasetRef<'_>,
        history: Vec<Trial>,
        cx: &Context<'_>,
        on_trial: &(dyn Fn(&Trial) + Sync),
    ) -> Result<SearchResult> {
        let direction = metrics::direction(self.metric)?;
        if self.space.axes.is_empty() {
            return Err(Error::Data(format!("{} has no parameters to search; name some", self.learner.spec().name)));
        }
        if self.budget.trials.is_none() && self.budget.time.is_none() && !matches!(self.method, SearchMethod::Grid { .. }) {
            return Err(Error::Data("a search needs a budget: a number of trials or a time".into()));
        }
        let before = history.iter().map(|t| t.at).fold(0.0, f64::max);
        let started = Instant::now();
        let deadline = self.budget.time.map(|t| started + t.saturating_sub(Duration::from_secs_f64(before)));
        let deadline = match (deadline, cx.deadline) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let cx = Context { deadline, ..*cx };
        let shared = CvCache::new(data, self.rounds, true);
        let trials = Vec::new();
        let mut state =
            SearchRun { search: self, data, shared, cx, direction, started, spent_before: before, trials, history, on_trial };
        let exhausted = match self.method {
            SearchMethod::Grid { steps } => state.grid(steps)?,
            SearchMethod::Halving => state.halving()?,
            SearchMethod::Random | SearchMethod::Model => state.run_sequential()?,
        };
        let best = state.best(&state.trials).ok_or_else(|| state.nothing())?;
        Ok(SearchResult { best, trials: state.trials, exhausted })
    }
}

/// A search in progress.
struct SearchRun<'a> {
    search: &'a ParameterSearch<'a>,
    data: &'a DatasetRef<'a>,
    shared: CvCache<'a>,
    cx: Context<'a>,
    direction: Direction,
    started: Instant,
    /// Seconds of earlier runs.
    spent_before: f64,
    trials: Vec<Trial>,
    /// Trials of earlier runs that are not yet used.
    history: Vec<Trial>,
    on_trial: &'a (dyn Fn(&Trial) + Sync),
}

/// A setting to try.
struct PlannedTrial {
    index: usize,
    params: Map<String, Value>,
    share: f64,
}

impl SearchRun<'_> {
    fn loss(&self, score: f64) -> f64 {
        if self.direction == Direction::Higher { -score } else { score }
    }

    /// The complete trial with the least mean loss; ties go to the first.
    fn best(&self, trials: &[Trial]) -> Option<usize> {
        let whole = trials.iter().filter(|t| t.ended == TrialEnd::Complete && t.share == 1.0);
        whole.min_by(|a, b| self.mean_loss(a).total_cmp(&self.mean_loss(b)).then(a.index.cmp(&b.index))).map(|t| t.index)
    }

    /// The error when there is no result.
    fn nothing(&self) -> Error {
        let failed = self.trials.iter().find_map(|t| if let TrialEnd::Failed(why) = &t.ended { Some(why) } else { None });
        match failed {
            Some(why) => {
                Error::Data(format!("no trial of {} could be fitted; the first said: {why}", self.search.learner.spec().name))
            }
            None => Error::Deadline("the first trial of the search".into()),
        }
    }

    fn out_of_trials(&self, next: usize) -> bool {
        self.search.budget.trials.is_some_and(|n| next >= n)
    }

    fn grid(&mut self, steps: usize) -> Result<bool> {
        let all = self.search.space.grid(steps);
        for (b, batch) in all.chunks(BATCH).enumerate() {
            let plans = batch.iter().enumerate().map(|(k, params)| (b * BATCH + k, params.clone()));
            let plans: Vec<PlannedTrial> = plans
                .filter(|(index, _)| !self.out_of_trials(*index))
                .map(|(index, params)| PlannedTrial { index, params, share: 1.0 })
                .collect();
            if plans.is_empty() || !self.run_batch(plans)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Random and model-based search.
    fn run_sequential(&mut self) -> Result<bool> {
        let space = self.search.space;
        let count = space.count();
        // An initial exploration of the whole space before the model is used.
        let first = (2 * space.axes.len() as u64).max(8);
        loop {
            let from = self.trials.len();
            let known: Vec<ScoredPoint> = self.trials.iter().filter_map(|t| self.scored_point(t)).collect();
            let mut plans: Vec<PlannedTrial> = Vec::new();
            for index in from..from + BATCH {
                if self.out_of_trials(index) {
                    break;
                }
                if let Some(params) = self.propose(index, first, &known, &plans) {
                    plans.push(PlannedTrial { index, params, share: 1.0 });
                }
            }
            if plans.is_empty() {
                return Ok(count.is_some_and(|n| self.trials_in_space() >= n));
            }
            if !self.run_batch(plans)? {
                return Ok(false);
            }
        }
    }

    /// Trials within the space: the learner's default setting may be outside.
    fn trials_in_space(&self) -> usize {
        self.trials.iter().filter(|t| self.search.space.place(&t.params).is_some()).count()
    }

    /// The next setting, one that was not tried before; `None` where none is left.
    fn propose(&self, index: usize, first: u64, known: &[ScoredPoint], planned: &[PlannedTrial]) -> Option<Map<String, Value>> {
        let space = self.search.space;
        let tried = |params: &Map<String, Value>| {
            self.trials.iter().any(|t| t.params == *params) || planned.iter().any(|p| p.params == *params)
        };
        let ahead = planned.iter().filter(|p| space.place(&p.params).is_some()).count();
        if space.count().is_some_and(|n| self.trials_in_space() + ahead >= n) {
            return None;
        }
        let own = self.search.learner.params();
        for again in 0..200u64 {
            // Repeated draws are drawn again from another part of the stream.
            let k = index as u64 + again * 1_000_003;
            let params = match self.search.method {
                // The default setting is the first to beat, wherever it is.
                _ if index == 0 && again == 0 => {
                    space.axes.iter().filter_map(|(name, _)| Some((name.clone(), own.get(name)?.clone()))).collect()
                }
                SearchMethod::Model if (index as u64) < first => {
                    space.at(&propose::low_discrepancy_point(space, self.cx.seed, k))
                }
                SearchMethod::Model => space.at(&propose::tpe_proposal(space, known, self.cx.seed, k)),
                _ => space.at(&propose::random_point(space, self.cx.seed, k)),
            };
            if !tried(&params) {
                return Some(params);
            }
        }
        // Nearly all of a finite space was tried: the first that is left.
        space.count().and_then(|_| space.grid(usize::MAX).into_iter().find(|p| !tried(p)))
    }

    /// The mean loss of a trial over the completed rounds.
    fn mean_loss(&self, trial: &Trial) -> f64 {
        if let TrialEnd::Failed(_) = trial.ended { f64::INFINITY } else { self.loss(trial.summary().mean) }
    }

    /// The position and loss of a trial, if it is in the space.
    fn scored_point(&self, trial: &Trial) -> Option<ScoredPoint> {
        Some(ScoredPoint { place: self.search.space.place(&trial.params)?, loss: self.mean_loss(trial) })
    }

    /// Runs settings in parallel, or takes them from the history. False when the time is over.
    fn run_batch(&mut self, plans: Vec<PlannedTrial>) -> Result<bool> {
        let mut known: Vec<Trial> = Vec::new();
        let mut open: Vec<PlannedTrial> = Vec::new();
        for plan in plans {
            let same = |t: &Trial| t.index == plan.index && t.params == plan.params && t.share == plan.share;
            match self.history.iter().position(same) {
                Some(at) => known.push(self.history.swap_remove(at)),
                None => open.push(plan),
            }
        }
        let open: Vec<(PlannedTrial, Result<Box<dyn AnyLearner>>)> =
            open.into_iter().map(|plan| self.build_learner(plan)).collect();
        if !self.cx.deadline_passed() {
            let whole = open.iter().filter(|(plan, _)| plan.share == 1.0);
            let learners: Vec<&dyn AnyLearner> = whole.filter_map(|(_, l)| l.as_ref().ok().map(|l| &**l)).collect();
            match self.shared.prepare(&learners, &self.cx) {
                // The trials find that the time is over.
                Err(Error::Deadline(_)) => {}
                prepared => prepared?,
            }
        }
        // The best trial before this batch.
        let best = self.best(&self.trials).map(|i| self.trials[i].clone());
        let stopped = AtomicBool::new(false);
        let results = parallel_map(open, |_, (plan, learner)| {
            if self.cx.deadline_passed() || stopped.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let trial = self.run_trial(plan, learner, best.as_ref());
            if !matches!(trial, Ok(Some(_))) {
                stopped.store(true, Ordering::Relaxed);
            }
            trial
        });
        let mut whole = true;
        let mut new = Vec::new();
        for result in results {
            match result? {
                Some(trial) => new.push(trial),
                None => whole = false,
            }
        }
        new.iter().for_each(|t| (self.on_trial)(t));
        known.extend(new);
        known.sort_by_key(|t| t.index);
        for trial in known {
            // A later rung of a setting replaces an earlier one; a gap where the time ended ends the list.
            match trial.index {
                i if i < self.trials.len() => self.trials[i] = trial,
                i if i == self.trials.len() => self.trials.push(trial),
                _ => whole = false,
            }
        }
        Ok(whole)
    }

    /// A plan with its learner; an error for an invalid setting.
    fn build_learner(&self, plan: PlannedTrial) -> (PlannedTrial, Result<Box<dyn AnyLearner>>) {
        let mut learner = self.search.learner.boxed();
        let set = learner.set_all(&plan.params);
        (plan, set.map(|()| (self.search.wrap)(learner)))
    }

    /// One setting; `None` when the time is over.
    fn run_trial(&self, plan: PlannedTrial, learner: Result<Box<dyn AnyLearner>>, best: Option<&Trial>) -> Result<Option<Trial>> {
        let mut trial = Trial {
            index: plan.index,
            params: plan.params.clone(),
            scores: Vec::new(),
            share: plan.share,
            ended: TrialEnd::Complete,
            fit_seconds: 0.0,
            at: 0.0,
        };
        let now = || self.spent_before + self.started.elapsed().as_secs_f64();
        let learner = match learner {
            Ok(learner) => learner,
            Err(e) => return Ok(Some(Trial { ended: TrialEnd::Failed(e.to_string()), at: now(), ..trial })),
        };
        let rounds = self.search.rounds.len();
        let at_once = match plan.share == 1.0 {
            true => self.shared.left_out(&*learner, Some(self.search.metric), &self.cx),
            false => Ok(None),
        };
        let at_once = match at_once {
            Err(Error::Deadline(_)) => return Ok(None),
            at_once => at_once?,
        };
        for k in 0..rounds {
            let round = at_once.as_ref().map_or_else(|| self.round(&*learner, k, plan.share), |all| Ok(all[k].clone()));
            match round {
                Ok(score) => {
                    trial.fit_seconds += (score.fit_seconds - trial.fit_seconds) / (k + 1) as f64;
                    match score.value(self.search.metric) {
                        Some(v) if !v.is_nan() => trial.scores.push(v),
                        Some(_) => trial.ended = TrialEnd::Failed(format!("{} is no number", self.search.metric)),
                        None => {
                            return Err(Error::Data(format!("the measure \"{}\" does not apply here", self.search.metric)));
                        }
                    }
                }
                Err(Error::Deadline(_)) if self.cx.deadline_passed() => return Ok(None),
                Err(e @ (Error::Stopped(_) | Error::Target(_) | Error::Weight(_))) => return Err(e),
                Err(e) => trial.ended = TrialEnd::Failed(e.to_string()),
            }
            // A fit cut short by the deadline does not show how good its setting is.
            if self.cx.deadline_passed() {
                return Ok(None);
            }
            if trial.ended != TrialEnd::Complete {
                break;
            }
            if self.search.give_up && k + 1 < rounds && plan.share == 1.0 && best.is_some_and(|b| self.is_dominated(&trial, b)) {
                trial.ended = TrialEnd::Pruned;
                break;
            }
        }
        trial.at = now();
        Ok(Some(trial))
    }

    fn round(&self, learner: &dyn AnyLearner, k: usize, share: f64) -> Result<FoldScore> {
        if share == 1.0 {
            return self.shared.validate(learner, k, Some(self.search.metric), &self.cx);
        }
        let (train, test) = self.search.rounds.round(k);
        let order = even_order(&self.data.y, &train, &mut RngStream::new(self.cx.seed, "halving", k as u64));
        let mut train = order[..((train.len() as f64 * share).ceil() as usize).max(1)].to_vec();
        train.sort_unstable();
        validate_once(learner, &self.data.take_rows(&train).view(), &self.data.take_rows(&test).view(), &self.cx).map(|r| r.0)
    }

    /// Whether a trial is dominated by the best one on the same rounds: worse by more than twice the standard error of
    /// the difference, which is taken at least as large as half the spread of the best one's rounds.
    fn is_dominated(&self, trial: &Trial, best: &Trial) -> bool {
        let d: Vec<f64> = trial.scores.iter().zip(&best.scores).map(|(a, b)| self.loss(*a) - self.loss(*b)).collect();
        let behind = FoldScores::of(d);
        let spread = behind.std.max(0.5 * best.summary().std);
        behind.mean > 2.0 * spread / (behind.each.len() as f64).sqrt() && spread > 0.0
    }
}

#[cfg(test)]
mod tests;
