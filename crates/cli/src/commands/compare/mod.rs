//! `ermine compare`: a cross-validated leaderboard.

mod show;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use ermine::core::{AnyLearner, Task};
use ermine::learn::metrics::{self, Direction, holm};
use ermine::learn::model_selection::{
    AutoEntry, AutoOutcome, Budget, Comparison, Contestant, ContestantScores, CvSplits, ParameterSearch, SearchMethod,
    SearchSpace, stratified_k_fold,
};
use ermine::prelude::*;
use ermine::report::{ReportEvaluation, ReportInput, ReportOptions};
use serde_json::{Map, Value};

use show::{as_json, as_text, cut_note, leaderboard, unfinished};

use super::{automl, print, print_notes, report};
use crate::args::CompareArgs;
use crate::args::auto::AutoBudget;
use crate::error::UsageError;
use crate::load;
use crate::progress::ProgressLine;
use crate::text;

/// Models whose parameters are searched with --tune, and trials of each without a budget.
const TUNED: usize = 3;
const TRIALS: usize = 20;
/// Shares of the remaining time that the race gets when the search, the report or the last fit need some of it.
const WITH_SEARCH: f64 = 0.5;
const WITH_REPORT: f64 = 0.6;
const WITH_LAST_FIT: f64 = 0.85;
/// Significance level of a difference.
const LEVEL: f64 = 0.05;

/// One row of the leaderboard.
struct LeaderboardRow {
    name: String,
    /// As it will be fitted to all rows.
    learner: Box<dyn AnyLearner>,
    standing: ContestantScores,
    /// The parameters that a search chose, where one was made.
    tuned: Option<Map<String, Value>>,
    /// p-value of the difference to the best, adjusted for the number of comparisons.
    p_value: Option<f64>,
    /// Its weight in the ensemble.
    weight: Option<f64>,
    /// Why a search within a budget did not measure it to the end.
    cut: Option<String>,
}

/// A model that a search has trained.
type TrainedModel = (Box<dyn AnyLearner>, Box<dyn Model>);

/// A comparison in progress.
struct ComparisonRun<'a> {
    args: &'a CompareArgs,
    problem: &'a Problem,
    rounds: &'a CvSplits,
    metric: &'a str,
    direction: Direction,
    started: Instant,
    limit: Option<Instant>,
    bar: ProgressLine,
}

pub fn run(args: &CompareArgs) -> Result<()> {
    let started = Instant::now();
    args.report.as_deref().map(report::check).transpose()?;
    if let Some(task) = args.learning.task()?.filter(|t| !t.is_supervised()) {
        return Err(UsageError(format!(
            "--task {task}: compare ranks by predictions of a target, and there are none; fit one model"
        ))
        .into());
    }
    let reading = args.splitting.reading(&args.reading);
    let mut problem = args.learning.problem(&reading, &args.data, std::slice::from_ref(&args.target), &args.models)?;
    let mut rounds = args.splitting.rounds(&mut problem, args.everywhere.seed)?;
    let (metric, second) = match (&args.auto.metric, problem.y.view().task()) {
        (Some(name), _) => (name.as_str(), None),
        (None, Some(Task::Classification)) => ("accuracy", Some("log_loss")),
        // A single row has no variance to explain.
        (None, _) if matches!(rounds, CvSplits::LeaveOneOut { .. }) => ("mae", None),
        (None, _) => ("r2", Some("rmse")),
    };
    let direction = metrics::direction(metric)?;
    let budget = args.auto.budget.or(args.learning.time_limit.map(AutoBudget::Time));
    let limit = match budget {
        Some(AutoBudget::Time(time)) => Some(started + time),
        _ => None,
    };
    let (mut trained, mut found): (Option<TrainedModel>, Option<Vec<AutoEntry>>) = (None, None);
    if let (Some(budget), false) = (budget, args.tune) {
        let outcome = search(args, &problem, &rounds, budget, started)?;
        rounds = outcome.splits;
        problem.notes.extend(outcome.notes);
        trained = Some((outcome.learner, outcome.model));
        found = Some(outcome.entries);
    }
    let bar = ProgressLine::new(&args.everywhere, "comparing");
    let candidates = if found.is_some() { Vec::new() } else { given(args, &problem)? };
    let course = ComparisonRun { args, problem: &problem, rounds: &rounds, metric, direction, started, limit, bar };
    let (mut entries, mut failed) = match found {
        Some(found) => course.searched(found),
        None => course.race(candidates),
    };
    if args.tune {
        course.tune(&mut entries)?;
    }
    course.test_against_best(&mut entries);
    drop(course);
    let notes: Vec<String> = entries.iter().filter_map(|e| cut_note(e, &rounds)).collect();
    problem.notes.extend(notes);
    // Models stopped before their first round ended are not on the leaderboard.
    let mut board = Vec::new();
    for entry in entries {
        match entry.standing.done() {
            0 => failed.extend(unfinished(&entry, metric)),
            _ => board.push(entry),
        }
    }
    let cx = Context::seeded(args.everywhere.seed);
    let searched = trained.is_some();
    let wanted = args.output.is_some() || args.report.is_some();
    let kept = match (trained, winner(&board, &rounds)) {
        (Some((learner, model)), _) if wanted => {
            Some(Fitted::of_trained(learner, model, &problem.dataset(), problem.target.clone(), &cx))
        }
        (None, Some(best)) if wanted => Some(Fitted::train(best.learner.boxed(), &problem, &cx)?),
        _ => None,
    };
    if let Some(mut fitted) = kept {
        args.reading.record_read_options(&mut fitted)?;
        args.output.as_ref().map(|path| fitted.save(path)).transpose()?;
        if let Some(path) = &args.report {
            let mut subject = ReportInput::new(&fitted, problem.dataset(), ReportOptions::default());
            // A report shows one model per round; with leave-one-out there would be too many.
            let shown = match rounds {
                CvSplits::LeaveOneOut { rows } => {
                    CvSplits::from(stratified_k_fold(&problem.y.view(), rows, 10.min(rows), args.everywhere.seed)?)
                }
                ref as_they_are => as_they_are.clone(),
            };
            subject.evaluation = Some(ReportEvaluation::of_folds(&fitted, &problem.dataset(), &shown, &cx)?);
            subject.leaderboard = Some(leaderboard(metric, second, &board, &failed, &rounds, started));
            subject.origin.read_file_info(&args.data)?;
            subject.origin.model = args.output.as_ref().map(|p| p.display().to_string());
            subject.origin.notes = problem.notes.clone();
            report::write(path, subject, &args.everywhere)?;
        }
    }
    print_notes(&args.everywhere, &problem.notes);
    let seconds = started.elapsed().as_secs_f64();
    if args.everywhere.json {
        return as_json(args, &problem, &rounds, metric, &board, &failed, seconds);
    }
    print(&as_text(args, &problem, &rounds, metric, second, &board, &failed, seconds)?)?;
    if board.is_empty() && !searched {
        return Err(anyhow::anyhow!("no model could be compared"));
    }
    Ok(())
}

/// The models that are compared.
fn given(args: &CompareArgs, problem: &Problem) -> Result<Vec<Box<dyn AnyLearner>>> {
    if args.models.is_empty() {
        return Ok(load::candidates(&problem.y));
    }
    args.models.iter().map(|n| Ok(ermine::learner(n)?)).collect()
}

/// The search within a budget. Rounds are as asked for, or where nothing was said as rows and time allow.
fn search(args: &CompareArgs, problem: &Problem, rounds: &CvSplits, budget: AutoBudget, started: Instant) -> Result<AutoOutcome> {
    let free = args.models.is_empty() && args.splitting.is_default();
    let search = automl::AutoSearch {
        auto: &args.auto,
        learning: &args.learning,
        everywhere: &args.everywhere,
        budget,
        started,
        share: if args.report.is_some() { WITH_REPORT } else { 1.0 },
        models: if args.models.is_empty() { Vec::new() } else { given(args, problem)? },
        splits: (!free).then(|| rounds.clone()),
    };
    search.run(problem)
}

impl ComparisonRun<'_> {
    fn context(&self, deadline: Option<Instant>) -> Context<'static> {
        Context { seed: self.args.everywhere.seed, deadline, ..Context::default() }
    }

    /// The time at which the race ends.
    fn race_end(&self) -> Option<Instant> {
        let part = match (self.args.tune, self.args.report.is_some(), self.args.output.is_some()) {
            (true, _, _) => WITH_SEARCH,
            (_, true, _) => WITH_REPORT,
            (_, _, true) => WITH_LAST_FIT,
            _ => 1.0,
        };
        let now = Instant::now();
        self.limit.map(|limit| now + limit.saturating_duration_since(now).mul_f64(part))
    }

    /// All rounds of all learners; those that failed, with the reason.
    fn race(&self, candidates: Vec<Box<dyn AnyLearner>>) -> (Vec<LeaderboardRow>, Vec<(String, String)>) {
        let enter = |l: Box<dyn AnyLearner>| Contestant {
            name: l.spec().name.to_owned(),
            learner: self.args.learning.prepared_learner(l),
        };
        let entrants: Vec<Contestant> = candidates.into_iter().map(enter).collect();
        let (done, all) = (AtomicUsize::new(0), entrants.len() * self.rounds.len());
        let data = self.problem.dataset();
        let race = Comparison { entrants: &entrants, data: &data, rounds: self.rounds, cx: self.context(self.race_end()) };
        let standings = race.run(|e, _, _| {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            let gone = self.started.elapsed();
            let by_rate = gone.mul_f64(all.saturating_sub(done) as f64 / done as f64);
            let left = self.limit.map_or(by_rate, |l| by_rate.min(l.saturating_duration_since(Instant::now())));
            self.bar.set_message(format!(
                "{done} of {all} fits, {} last; about {} left",
                entrants[e].name,
                text::seconds(left.as_secs_f64())
            ));
        });
        let mut entries = Vec::new();
        let mut failed = Vec::new();
        for (Contestant { name, learner }, standing) in entrants.into_iter().zip(standings) {
            let applies = standing.rounds.iter().flatten().all(|s| s.value(self.metric).is_some());
            match &standing.failed {
                Some(why) => failed.push((name, why.clone())),
                None if !applies => failed.push((name, format!("{} does not apply", self.metric))),
                None => {
                    entries.push(LeaderboardRow { name, learner, standing, tuned: None, p_value: None, weight: None, cut: None })
                }
            }
        }
        self.sort(&mut entries);
        (entries, failed)
    }

    /// What a search has found, in its order; those that failed, with the reason.
    fn searched(&self, found: Vec<AutoEntry>) -> (Vec<LeaderboardRow>, Vec<(String, String)>) {
        let (mut entries, mut failed) = (Vec::new(), Vec::new());
        for AutoEntry { name, learner, standing, weight, cut } in found {
            let applies = standing.rounds.iter().flatten().all(|s| s.value(self.metric).is_some());
            match &standing.failed {
                Some(why) => failed.push((name, why.clone())),
                None if !applies => failed.push((name, format!("{} does not apply", self.metric))),
                None => entries.push(LeaderboardRow {
                    name,
                    learner,
                    standing,
                    tuned: None,
                    p_value: None,
                    weight: Some(weight),
                    cut,
                }),
            }
        }
        (entries, failed)
    }

    fn sort(&self, entries: &mut [LeaderboardRow]) {
        // NaN goes last, whatever the direction.
        entries.sort_by(|a, b| {
            let (x, y) = (a.standing.scores(self.metric).mean, b.standing.scores(self.metric).mean);
            let order = if self.direction == Direction::Higher { y.total_cmp(&x) } else { x.total_cmp(&y) };
            x.is_nan().cmp(&y.is_nan()).then(order)
        });
    }

    /// Searches the parameters of the best few, and adds the results.
    fn tune(&self, entries: &mut Vec<LeaderboardRow>) -> Result<()> {
        let names: Vec<String> = entries
            .iter()
            .filter(|e| e.name != "baseline" && e.standing.done() == self.rounds.len())
            .map(|e| e.name.clone())
            .take(TUNED)
            .collect();
        let data = self.problem.dataset();
        for (k, name) in names.iter().enumerate() {
            let learner = ermine::learner(name)?;
            let space = SearchSpace::of(&*learner)?;
            let now = Instant::now();
            // An equal share of what is left, with some of it for the last fit.
            let part = WITH_LAST_FIT / (names.len() - k) as f64;
            let time = self.limit.map(|l| l.saturating_duration_since(now).mul_f64(part));
            if space.axes.is_empty() || time.is_some_and(|t| t < Duration::from_millis(200)) {
                continue;
            }
            self.bar.set_message(format!("searching the parameters of {name}"));
            let budget = Budget { trials: if time.is_some() { None } else { Some(TRIALS) }, time: time.map(|t| t.mul_f64(0.8)) };
            let dress = |l: Box<dyn AnyLearner>| self.args.learning.prepared_learner(l);
            let search = ParameterSearch {
                learner: &*learner,
                wrap: &dress,
                space: &space,
                method: SearchMethod::Model,
                metric: self.metric,
                rounds: self.rounds,
                budget,
                give_up: true,
            };
            // A search without a result in its time leaves the leaderboard unchanged.
            let Ok(found) = search.run(&data, Vec::new(), &self.context(None), &|_| {}) else { continue };
            let mut tuned = ermine::learner(name)?;
            tuned.set_all(&found.best().params)?;
            if tuned.params() == learner.params() {
                continue;
            }
            let entrants = [Contestant { name: format!("{name} tuned"), learner: self.args.learning.prepared_learner(tuned) }];
            let race = Comparison { entrants: &entrants, data: &data, rounds: self.rounds, cx: self.context(None) };
            let standing = race.run(|_, _, _| {}).remove(0);
            let [Contestant { name, learner }] = entrants;
            entries.push(LeaderboardRow {
                name,
                learner,
                standing,
                tuned: Some(found.best().params.clone()),
                p_value: None,
                weight: None,
                cut: None,
            });
        }
        self.sort(entries);
        Ok(())
    }

    /// Tests every model against the best.
    fn test_against_best(&self, entries: &mut [LeaderboardRow]) {
        let Some(best) = entries.iter().position(|e| e.standing.done() == self.rounds.len()) else { return };
        let against = entries[best].standing.clone();
        let p: Vec<(usize, f64)> = (0..entries.len())
            .filter(|&k| k != best)
            .filter_map(|k| Some((k, entries[k].standing.difference(&against, self.metric, self.rounds)?.p_value)))
            .collect();
        let adjusted = holm(&p.iter().map(|p| p.1).collect::<Vec<f64>>());
        p.iter().zip(adjusted).for_each(|((k, _), a)| entries[*k].p_value = Some(a));
    }
}

/// The model to save: the best of those that completed all rounds, or of all where none did.
fn winner<'a>(board: &'a [LeaderboardRow], rounds: &CvSplits) -> Option<&'a LeaderboardRow> {
    board.iter().find(|e| e.standing.done() == rounds.len()).or(board.first())
}
