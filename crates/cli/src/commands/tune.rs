//! `ermine tune`: search for the best parameters of a model.

use std::fmt::Write;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::Result;
use ermine::core::Task;
use ermine::learn::metrics;
use ermine::learn::model_selection::{
    Budget, CvSplits, FoldScores, NestedCvRound, ParameterSearch, SearchMethod, SearchResult, SearchSpace, Trial, TrialEnd,
    nested, stratified_k_fold,
};
use ermine::prelude::*;
use serde_json::{Map, Value, json};

use super::{print, print_json, print_notes};
use crate::args::{SearchBudget, TuneArgs};
use crate::error::UsageError;
use crate::load;
use crate::progress::ProgressLine;
use crate::text::{self, Align};
use crate::trial_log::{TrialLog, fingerprint};

/// Default number of trials.
const TRIALS: usize = 50;
/// Trials printed; --json has all.
const SHOWN: usize = 10;
/// Least number of letters of a parameter's name in a table.
const SHORTEST_NAME: usize = 6;

pub fn run(args: &TuneArgs) -> Result<()> {
    let started = Instant::now();
    if let Some(task) = args.learning.task()?.filter(|t| !t.is_supervised()) {
        return Err(UsageError(format!(
            "--task {task}: tune searches by predictions of a target, and there are none; fit one model"
        ))
        .into());
    }
    let reading = args.splitting.reading(&args.reading);
    let mut problem = args.learning.problem(&reading, &args.data, std::slice::from_ref(&args.target), args.model.as_slice())?;
    let seed = args.everywhere.seed;
    let rounds = args.splitting.rounds(&mut problem, seed)?;
    let task = problem.y.view().task();
    let learner = load::resolve_learner(args.model.as_deref(), &args.set, args.learning.task()?, task)?;
    let name = learner.spec().name;
    let mut space = SearchSpace::default();
    args.space.iter().try_for_each(|text| space.set(&*learner, text))?;
    if space.axes.is_empty() {
        space = SearchSpace::of(&*learner)?;
    }
    if space.axes.is_empty() {
        return Err(UsageError(format!("{name} recommends no parameters to search; name some with --space KEY=LO..HI")).into());
    }
    let metric = match (&args.metric, task) {
        (Some(name), _) => name.as_str(),
        (None, Some(Task::Classification)) => "log_loss",
        (None, _) => "rmse",
    };
    metrics::direction(metric)?;
    let method = match args.method.as_str() {
        "grid" => SearchMethod::Grid { steps: args.steps },
        "random" => SearchMethod::Random,
        "halving" => SearchMethod::Halving,
        _ => SearchMethod::Model,
    };
    let budget = match (args.budget, args.trials) {
        (Some(SearchBudget::Trials(n)), also) => Budget { trials: Some(also.map_or(n, |m| n.min(m))), time: None },
        (Some(SearchBudget::Time(t)), trials) => Budget { trials, time: Some(t) },
        (None, Some(n)) => Budget { trials: Some(n), time: None },
        (None, None) if args.method == "grid" => Budget::default(),
        (None, None) => Budget { trials: Some(TRIALS), time: None },
    };
    let head = json!({
        "journal": "ermine tune", "version": env!("CARGO_PKG_VERSION"), "data": fingerprint(&problem), "target": args.target, "model": name,
        "params": learner.params(), "space": &space, "method": method, "metric": metric, "rounds": rounds.describe(), "seed": seed,
        "prepare": args.learning.prepare, "patient": args.patient,
    });
    let opened = args.journal.as_deref().map(|path| TrialLog::open(path, &head)).transpose()?;
    let (journal, history) = opened.map_or((None, Vec::new()), |(j, h)| (Some(j), h));
    if !history.is_empty() {
        problem.notes.push(format!("{} come from the journal", text::counted(history.len(), "trial")));
    }
    let dress = |learner: Box<dyn AnyLearner>| args.learning.prepared_learner(learner);
    let search = ParameterSearch {
        learner: &*learner,
        wrap: &dress,
        space: &space,
        method,
        metric,
        rounds: &rounds,
        budget,
        give_up: !args.patient,
    };
    let data = problem.dataset();
    let bar = ProgressLine::new(&args.everywhere, &format!("tuning {name}"));
    let deadline = args.learning.time_limit.map(|t| started + t);
    let cx = Context { seed, deadline, ..Context::default() };
    let trouble = Mutex::new(None);
    let progress = Mutex::new((history.len(), None::<f64>));
    let higher = metrics::direction(metric)? == metrics::Direction::Higher;
    let result = search.run(&data, history, &cx, &|trial| {
        if let Some(Err(e)) = journal.as_ref().map(|j| j.append(trial)) {
            trouble.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(e);
        }
        let mut progress = progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        progress.0 += 1;
        if trial.ended == TrialEnd::Complete && trial.share == 1.0 {
            let mean = trial.summary().mean;
            progress.1 = Some(progress.1.map_or(mean, |best| if higher { best.max(mean) } else { best.min(mean) }));
        }
        bar.set_message(progress_line(&progress, &budget, started, metric));
    })?;
    if let Some(e) = trouble.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        return Err(e.context("cannot write the journal"));
    }
    let outer = if args.nested { Some(nested_rounds(args, &search, &data, &cx, &bar)?) } else { None };
    drop(bar);
    let mut best = load::learner(name, &args.set)?;
    best.set_all(&result.best().params)?;
    if let Some(path) = &args.output {
        let mut fitted = Fitted::train(args.learning.prepared_learner(best), &problem, &Context::seeded(seed))?;
        args.reading.record_read_options(&mut fitted)?;
        fitted.save(path)?;
    }
    print_notes(&args.everywhere, &problem.notes);
    let seconds = started.elapsed().as_secs_f64();
    if args.everywhere.json {
        let more = as_json(args, name, metric, &space, &rounds, &result, outer.as_deref(), &problem);
        return print_json("tune", &args.everywhere, seconds, more);
    }
    print(&as_text(args, name, metric, &rounds, &result, outer.as_deref(), seconds)?)
}

/// Progress of a search and its budget.
fn progress_line(progress: &(usize, Option<f64>), budget: &Budget, started: Instant, metric: &str) -> String {
    let (done, best) = progress;
    let gone = started.elapsed().as_secs_f64();
    let mut out = format!("{done}{} trials", budget.trials.map_or(String::new(), |n| format!(" of {n}")));
    if let Some(best) = best {
        out += &format!(", best {metric} {}", text::number(*best));
    }
    let left = match (budget.trials, budget.time) {
        (Some(n), _) if *done > 0 => Some(gone / *done as f64 * n.saturating_sub(*done) as f64),
        (_, Some(t)) => Some((t.as_secs_f64() - gone).max(0.0)),
        _ => None,
    };
    if let Some(left) = left {
        out += &format!(", about {} left", text::seconds(left));
    }
    out
}

/// Nested cross-validation: the search, evaluated on rows that take no part in it.
fn nested_rounds(
    args: &TuneArgs,
    search: &ParameterSearch<'_>,
    data: &DatasetRef<'_>,
    cx: &Context<'_>,
    bar: &ProgressLine,
) -> Result<Vec<NestedCvRound>> {
    if args.splitting.group.is_some() || args.splitting.time.is_some() {
        return Err(UsageError("--nested splits rows at random within its folds, which --group and --time exclude".into()).into());
    }
    let seed = cx.seed;
    let inner = |rows: &DatasetRef<'_>| Ok(CvSplits::from(stratified_k_fold(&rows.y, rows.rows(), 5.min(rows.rows()), seed)?));
    let count = search.rounds.len();
    Ok(nested(search, data, search.rounds, &inner, cx, &|k, _| bar.set_message(format!("nested search {} of {count}", k + 1)))?)
}

/// The trials, the best first: complete ones, then those stopped early, then those that failed.
fn ranked<'a>(found: &'a SearchResult, metric: &str) -> Vec<&'a Trial> {
    let higher = metrics::direction(metric).is_ok_and(|d| d == metrics::Direction::Higher);
    let mut trials: Vec<&Trial> = found.trials.iter().collect();
    let class = |t: &Trial| match t.ended {
        TrialEnd::Complete => 0,
        TrialEnd::Pruned => 1,
        TrialEnd::Failed(_) => 2,
    };
    let loss = |t: &Trial| if higher { -t.summary().mean } else { t.summary().mean };
    trials.sort_by(|a, b| class(a).cmp(&class(b)).then(loss(a).total_cmp(&loss(b))).then(a.index.cmp(&b.index)));
    trials
}

fn trial_json(trial: &Trial) -> Value {
    let s = trial.summary();
    let (ended, why) = match &trial.ended {
        TrialEnd::Complete => ("whole", None),
        TrialEnd::Pruned => ("hopeless", None),
        TrialEnd::Failed(why) => ("failed", Some(why)),
    };
    json!({
        "index": trial.index, "params": trial.params, "mean": s.mean, "std": s.std, "standard_error": s.standard_error, "scores": trial.scores,
        "share": trial.share, "ended": ended, "error": why, "fit_seconds": trial.fit_seconds,
    })
}

fn nested_scores(rounds: &[NestedCvRound], metric: &str) -> FoldScores {
    FoldScores::of(rounds.iter().filter_map(|r| r.score.value(metric)).collect())
}

#[allow(clippy::too_many_arguments)]
fn as_json(
    args: &TuneArgs,
    name: &str,
    metric: &str,
    space: &SearchSpace,
    rounds: &CvSplits,
    found: &SearchResult,
    outer: Option<&[NestedCvRound]>,
    problem: &Problem,
) -> Value {
    let nested = outer.map(|rounds| {
        let s = nested_scores(rounds, metric);
        let params: Vec<&Map<String, Value>> = rounds.iter().map(|r| &r.params).collect();
        json!({"mean": s.mean, "std": s.std, "standard_error": s.standard_error, "scores": s.each, "params": params})
    });
    json!({
        "model": name, "metric": metric, "rounds": rounds.describe(), "n_rows": problem.x.rows(), "n_features": problem.x.columns().len(),
        "method": args.method, "space": space, "best": trial_json(found.best()), "trials": found.trials.iter().map(trial_json).collect::<Vec<_>>(),
        "exhausted": found.exhausted, "nested": nested, "output": args.output, "notes": problem.notes,
    })
}

/// A value of a parameter in few characters.
fn short(value: &Value) -> String {
    match value {
        Value::String(s) => s.clone(),
        Value::Number(n) if n.is_f64() => text::number(n.as_f64().unwrap_or(f64::NAN)),
        other => other.to_string(),
    }
}

/// A table of trials in 80 columns: names of parameters are truncated as needed, since the best setting has them in
/// full.
fn narrow_table(spread: &str, names: &[&String], rows: &[Vec<String>]) -> String {
    let of_width = |most: usize| {
        let cut: Vec<String> = names.iter().map(|n| text::truncate(n, most)).collect();
        let mut head = vec!["", spread];
        head.extend(cut.iter().map(String::as_str));
        head.push("fit");
        text::table(&head, &vec![Align::Right; head.len()], rows)
    };
    let fits = |table: &String| table.lines().all(|l| text::width(l) <= 80);
    let longest = names.iter().map(|n| text::width(n)).max().unwrap_or(0);
    (SHORTEST_NAME..=longest).rev().map(of_width).find(fits).unwrap_or_else(|| of_width(SHORTEST_NAME))
}

fn as_text(
    args: &TuneArgs,
    name: &str,
    metric: &str,
    rounds: &CvSplits,
    found: &SearchResult,
    outer: Option<&[NestedCvRound]>,
    seconds: f64,
) -> Result<String> {
    let mut out = format!(
        "{}: {name}, {} by {}, {}\n\n",
        args.data,
        text::counted(found.trials.len(), "trial"),
        args.method,
        rounds.describe()
    );
    let names: Vec<&String> = found.best().params.keys().collect();
    let spread = format!("{metric} ± s.e.");
    let row = |(k, t): (usize, &&Trial)| {
        let s = t.summary();
        let mut cells = vec![(k + 1).to_string(), format!("{} ± {}", text::number(s.mean), text::number(s.standard_error))];
        cells.extend(names.iter().map(|n| t.params.get(n.as_str()).map_or(String::new(), short)));
        cells.push(text::seconds(t.fit_seconds));
        cells
    };
    let ranked = ranked(found, metric);
    let whole: Vec<&Trial> = ranked.iter().filter(|t| t.ended == TrialEnd::Complete).take(SHOWN).copied().collect();
    out += &narrow_table(&spread, &names, &whole.iter().enumerate().map(row).collect::<Vec<_>>());
    let count = |of: fn(&TrialEnd) -> bool| found.trials.iter().filter(|t| of(&t.ended)).count();
    let (left, failed) = (count(|e| *e == TrialEnd::Pruned), count(|e| matches!(e, TrialEnd::Failed(_))));
    if left > 0 {
        writeln!(out, "\n  {} could not become the best and ended early", text::counted(left, "trial"))?;
    }
    if let Some(TrialEnd::Failed(why)) = found.trials.iter().map(|t| &t.ended).find(|e| matches!(e, TrialEnd::Failed(_))) {
        writeln!(out, "\n  {} failed; the first: {why}", text::counted(failed, "trial"))?;
    }
    let best = found.best().summary();
    let settings: Vec<String> = found.best().params.iter().map(|(k, v)| format!("{k}={}", short(v))).collect();
    write!(out, "\n{}", text::wrap_pieces("best: ", &settings))?;
    match outer {
        Some(rounds) => {
            let s = nested_scores(rounds, metric);
            let line = format!(
                "{metric} of the search on rows that took no part in it: {} ± {}",
                text::number(s.mean),
                text::number(s.standard_error)
            );
            out += &text::paragraph(&line, 80);
        }
        None => {
            let line = format!(
                "{metric} {} is the best of {}, and therefore optimistic; --nested estimates by how much",
                text::number(best.mean),
                text::counted(found.trials.len(), "trial")
            );
            out += &text::paragraph(&line, 80);
        }
    }
    match &args.output {
        Some(path) => writeln!(out, "trained on all rows and saved in {}; {} in all", path.display(), text::seconds(seconds))?,
        None => writeln!(out, "{} in all; -o FILE saves the model", text::seconds(seconds))?,
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_keep_to_the_width_of_a_terminal() {
        let names: Vec<String> =
            ["l2_regularization", "learning_rate", "max_iter", "max_leaf_nodes", "min_samples_leaf"].map(str::to_owned).to_vec();
        let names: Vec<&String> = names.iter().collect();
        let row = ["1", "0.07368 ± 0.01982", "0.008922", "0.04206", "143", "40", "16", "110.0 ms"].map(str::to_owned).to_vec();
        let table = narrow_table("log_loss ± s.e.", &names, std::slice::from_ref(&row));
        assert!(table.lines().all(|l| text::width(l) <= 80), "{table}");
        assert!(table.contains("learni") && table.contains('…'), "{table}");
        // A single name is not truncated.
        assert!(narrow_table("rmse ± s.e.", &names[..1], &[row[..4].to_vec()]).contains("l2_regularization"));
    }

    #[test]
    fn values_are_short() {
        let shortened = [json!(0.123456), json!("rbf"), json!(7), Value::Null].map(|v| short(&v));
        assert_eq!(shortened, ["0.1235", "rbf", "7", "null"]);
    }
}
