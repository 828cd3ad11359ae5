//! `ermine compare`: a cross-validated leaderboard.

use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use ermine::core::{AnyLearner, Task};
use ermine::learn::metrics::{self, Direction, holm};
use ermine::learn::model_selection::{
    Budget, Comparison, Contestant, ContestantScores, CvSplits, FoldScore, ParameterSearch, SearchMethod, SearchSpace,
    stratified_k_fold,
};
use ermine::prelude::*;
use ermine::report::{self as page, Leaderboard, ReportEvaluation, ReportInput, ReportOptions};
use serde_json::{Map, Value, json};

use super::{print, print_json, print_notes, report};
use crate::args::CompareArgs;
use crate::error::UsageError;
use crate::load;
use crate::progress::ProgressLine;
use crate::text::{self, Align};

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
}

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
    let rounds = args.splitting.rounds(&mut problem, args.everywhere.seed)?;
    let (metric, second) = match (&args.metric, problem.y.view().task()) {
        (Some(name), _) => (name.as_str(), None),
        (None, Some(Task::Classification)) => ("accuracy", Some("log_loss")),
        // A single row has no variance to explain.
        (None, _) if matches!(rounds, CvSplits::LeaveOneOut { .. }) => ("mae", None),
        (None, _) => ("r2", Some("rmse")),
    };
    let direction = metrics::direction(metric)?;
    let candidates = if args.models.is_empty() {
        load::candidates(&problem.y)
    } else {
        args.models.iter().map(|n| Ok(ermine::learner(n)?)).collect::<Result<Vec<_>>>()?
    };
    let limit = args.budget.or(args.learning.time_limit).map(|t| started + t);
    let bar = ProgressLine::new(&args.everywhere, "comparing");
    let course = ComparisonRun { args, problem: &problem, rounds: &rounds, metric, direction, started, limit, bar };
    let (mut entries, mut failed) = course.race(candidates);
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
    if let (Some(best), true) = (winner(&board, &rounds), args.output.is_some() || args.report.is_some()) {
        let mut fitted = Fitted::train(best.learner.boxed(), &problem, &Context::seeded(args.everywhere.seed))?;
        args.reading.record_read_options(&mut fitted)?;
        args.output.as_ref().map(|path| fitted.save(path)).transpose()?;
        if let Some(path) = &args.report {
            let cx = Context::seeded(args.everywhere.seed);
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
    if board.is_empty() {
        return Err(anyhow::anyhow!("no model could be compared"));
    }
    Ok(())
}

/// The leaderboard of a report.
fn leaderboard(
    metric: &str,
    second: Option<&str>,
    board: &[LeaderboardRow],
    failed: &[(String, String)],
    rounds: &CvSplits,
    started: Instant,
) -> Leaderboard {
    let standing = |e: &LeaderboardRow| {
        let s = e.standing.scores(metric);
        page::LeaderboardEntry {
            model: e.name.clone(),
            mean: s.mean,
            error: s.standard_error,
            second: second.map(|name| e.standing.scores(name).mean),
            fit_seconds: e.standing.mean_of(|f| f.fit_seconds),
            predict_seconds: e.standing.mean_of(|f| f.predict_seconds),
            note: standing_note(e, rounds),
            baseline: e.name == "baseline",
        }
    };
    Leaderboard {
        measure: metric.to_owned(),
        second: second.map(str::to_owned),
        folds: rounds.len(),
        seconds: started.elapsed().as_secs_f64(),
        standings: board.iter().map(standing).collect(),
        failed: failed.to_vec(),
        note: String::new(),
    }
}

/// The remark beside a model in a report.
fn standing_note(entry: &LeaderboardRow, rounds: &CvSplits) -> String {
    let mut notes = Vec::new();
    if let Some(p) = entry.p_value.filter(|p| *p >= LEVEL) {
        notes.push(format!("not significantly different from the best (p = {p:.2})"));
    }
    if entry.standing.done() < rounds.len() {
        notes.push(format!("cut after {} of {} rounds", entry.standing.done(), rounds.len()));
    }
    if let Some(params) = &entry.tuned {
        notes.push(settings(params));
    }
    notes.join("; ")
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
                None => entries.push(LeaderboardRow { name, learner, standing, tuned: None, p_value: None }),
            }
        }
        self.sort(&mut entries);
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
            entries.push(LeaderboardRow { name, learner, standing, tuned: Some(found.best().params.clone()), p_value: None });
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

/// A metric with as many digits as columns of a table can show.
fn measure(value: f64) -> String {
    match value.abs() {
        v if v >= 1000.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

/// Parameters in the syntax of the command line.
fn settings(params: &Map<String, Value>) -> String {
    let one = |(k, v): (&String, &Value)| match v {
        Value::String(s) => format!("{k}={s}"),
        other => format!("{k}={other}"),
    };
    params.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn cut_note(entry: &LeaderboardRow, rounds: &CvSplits) -> Option<String> {
    let (done, all) = (entry.standing.done(), rounds.len());
    (done > 0 && done < all)
        .then(|| format!("{} was stopped after {done} of {all} rounds, its share of the time used up", entry.name))
}

/// The remark on a model that did not complete its first round.
fn unfinished(entry: &LeaderboardRow, metric: &str) -> Option<(String, String)> {
    let seconds = entry.standing.pruned?;
    let mut why = match seconds {
        0.0 => "cut, as no time was left to begin".to_owned(),
        _ => format!("stopped after {}, its share of the time", text::seconds(seconds)),
    };
    if let Some((rows, score)) = &entry.standing.sample
        && let Some(v) = score.value(metric)
    {
        why += &format!("; trained on {} it had {metric} {v:.4}", text::counted(*rows, "row"));
    }
    Some((entry.name.clone(), why))
}

fn as_json(
    args: &CompareArgs,
    problem: &Problem,
    rounds: &CvSplits,
    metric: &str,
    board: &[LeaderboardRow],
    failed: &[(String, String)],
    seconds: f64,
) -> Result<()> {
    let row = |e: &LeaderboardRow| {
        let s = e.standing.scores(metric);
        let names: Vec<&str> =
            e.standing.rounds.iter().flatten().next().map_or(Vec::new(), |f| f.metrics.iter().map(|m| m.0).collect());
        let means: Map<String, Value> = names.iter().map(|n| ((*n).to_owned(), json!(e.standing.scores(n).mean))).collect();
        json!({
            "model": e.name, "mean": s.mean, "std": s.std, "standard_error": s.standard_error, "metrics": means,
            "fit_seconds": e.standing.mean_of(|f| f.fit_seconds), "predict_seconds": e.standing.mean_of(|f| f.predict_seconds),
            "scores": s.each, "rounds": e.standing.done(), "p_value": e.p_value, "tuned": e.tuned,
            "like_best": e.p_value.map(|p| p >= LEVEL),
        })
    };
    let failed: Vec<Value> = failed.iter().map(|(n, e)| json!({"model": n, "error": e})).collect();
    let more = json!({
        "metric": metric, "folds": rounds.len(), "rounds": rounds.describe(), "n_rows": problem.x.rows(),
        "n_features": problem.x.columns().len(), "task": problem.y.view().task(), "leaderboard": board.iter().map(row).collect::<Vec<_>>(),
        "best": winner(board, rounds).map(|e| &e.name), "failed": failed, "notes": problem.notes, "output": args.output,
        "report": args.report,
    });
    print_json("compare", &args.everywhere, seconds, more)
}

#[allow(clippy::too_many_arguments)]
fn as_text(
    args: &CompareArgs,
    problem: &Problem,
    rounds: &CvSplits,
    metric: &str,
    second: Option<&str>,
    board: &[LeaderboardRow],
    failed: &[(String, String)],
    seconds: f64,
) -> Result<String> {
    let mut out = String::new();
    let task = match &problem.y {
        OwnedTarget::Class { names, .. } => format!("{} classes", names.len()),
        _ => "regression".into(),
    };
    let head = format!(
        "{}: {} rows, {} columns, target {} ({task}), {}",
        args.data,
        text::count(problem.x.rows()),
        problem.x.columns().len(),
        args.target,
        rounds.describe()
    );
    writeln!(out, "{}", text::paragraph(&head, 80))?;
    let spread = format!("{metric} ± s.e.");
    let mut head = vec!["", "model", spread.as_str()];
    let mut align = vec![Align::Right, Align::Left, Align::Right];
    if let Some(s) = second {
        head.push(s);
        align.push(Align::Right);
    }
    head.extend(["p", "fit", "predict"]);
    align.extend([Align::Right; 3]);
    let row = |(i, e): (usize, &LeaderboardRow)| {
        let s = e.standing.scores(metric);
        let mean = |f: fn(&FoldScore) -> f64| text::seconds(e.standing.mean_of(f));
        // A single round has no standard error.
        let error = if s.each.len() > 1 { measure(s.standard_error) } else { "?".into() };
        let mut cells = vec![(i + 1).to_string(), e.name.clone(), format!("{} ± {error}", measure(s.mean))];
        if let Some(name) = second {
            cells.push(measure(e.standing.scores(name).mean));
        }
        cells.push(match e.p_value {
            Some(p) if p >= LEVEL => format!("≈ {p:.2}"),
            Some(p) if p >= 0.001 => format!("{p:.3}"),
            Some(_) => "<0.001".into(),
            None => String::new(),
        });
        cells.extend([mean(|f| f.fit_seconds), mean(|f| f.predict_seconds)]);
        cells
    };
    out += &text::table(&head, &align, &board.iter().enumerate().map(row).collect::<Vec<_>>());
    if board.iter().any(|e| e.p_value.is_some_and(|p| p >= LEVEL)) {
        out += "\n  ≈ not significantly different from the best (corrected paired t-test)\n";
    }
    for entry in board {
        if let Some(params) = &entry.tuned {
            let pieces: Vec<String> = settings(params).split(' ').map(str::to_owned).collect();
            write!(out, "\n{}", text::wrap_pieces(&format!("  {}: ", entry.name), &pieces))?;
        }
    }
    for (name, why) in failed {
        write!(out, "\n{}", text::indent_wrapped(&format!("{name}:"), why, 4))?;
    }
    if let Some(best) = winner(board, rounds) {
        match &args.output {
            Some(path) => writeln!(
                out,
                "\n{} trained on all rows and saved in {}; {} in all",
                best.name,
                path.display(),
                text::seconds(seconds)
            )?,
            None => writeln!(out, "\nbest: {}; {} in all; -o FILE saves it", best.name, text::seconds(seconds))?,
        }
        if let Some(path) = &args.report {
            writeln!(out, "report written to {}", path.display())?;
        }
    }
    Ok(out)
}
