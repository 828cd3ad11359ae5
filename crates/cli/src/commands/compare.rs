//! `ermine compare`: a cross-validated leaderboard.

use std::fmt::Write;
use std::time::Instant;

use anyhow::Result;
use ermine::core::{AnyLearner, Flow, Progress, Task};
use ermine::learn::metrics::{self, Better};
use ermine::learn::select::{FoldScore, Rounds, cross_validate, stratified_k_fold};
use ermine::prelude::*;
use ermine::report::{Judgement, Leaderboard, Settings, Standing, Subject};
use serde_json::{Value, json};

use super::{print, print_json, remark, report};
use crate::args::Compare;
use crate::failure::Usage;
use crate::load;
use crate::progress::Bar;
use crate::text::{self, Align};

/// One row of the leaderboard.
struct Entry {
    learner: Box<dyn AnyLearner>,
    name: &'static str,
    scores: Vec<FoldScore>,
}

impl Entry {
    fn values(&self, metric: &str) -> Vec<f64> {
        let of = |s: &FoldScore| s.metrics.iter().find(|(n, _)| *n == metric).map(|(_, v)| *v);
        self.scores.iter().filter_map(of).collect()
    }

    /// Mean, standard deviation over folds and standard error of the mean.
    fn summary(&self, metric: &str) -> (f64, f64, f64) {
        let v = self.values(metric);
        let n = v.len() as f64;
        let mean = v.iter().sum::<f64>() / n;
        let sd = (v.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0)).sqrt();
        (mean, sd, sd / n.sqrt())
    }

    fn mean_of(&self, f: impl Fn(&FoldScore) -> f64) -> f64 {
        self.scores.iter().map(f).sum::<f64>() / self.scores.len() as f64
    }
}

pub fn run(args: &Compare) -> Result<()> {
    let started = Instant::now();
    args.report.as_deref().map(report::check).transpose()?;
    if let Some(task) = args.learning.task()?.filter(|t| !t.is_supervised()) {
        return Err(
            Usage(format!("--task {task}: compare ranks by predictions of a target, and there are none; fit one model")).into()
        );
    }
    let mut problem = args.learning.problem(&args.reading, &args.data, std::slice::from_ref(&args.target), &args.models)?;
    let task = problem.y.view().task();
    let (metric, second) = match (&args.metric, task) {
        (Some(name), _) => (name.as_str(), None),
        (None, Some(Task::Classification)) => ("accuracy", Some("log_loss")),
        (None, _) => ("r2", Some("rmse")),
    };
    let direction = metrics::direction(metric)?;
    let candidates = if args.models.is_empty() {
        load::candidates(&problem.y)
    } else {
        args.models.iter().map(|n| Ok(ermine::learner(n)?)).collect::<Result<Vec<_>>>()?
    };
    let folds = Rounds::from(stratified_k_fold(&problem.y.view(), problem.x.rows(), args.folds, args.everywhere.seed)?);
    let limit = args.budget.or(args.learning.time_limit).map(|t| started + t);
    let bar = Bar::new(&args.everywhere, "comparing");
    let mut entries = Vec::new();
    let mut failed: Vec<(&'static str, String)> = Vec::new();
    for candidate in candidates {
        let name = candidate.spec().name;
        if limit.is_some_and(|d| Instant::now() >= d) {
            problem.notes.push(format!("the time was over before {name} began"));
            continue;
        }
        let learner = args.learning.ready(candidate);
        let observer = |p: &Progress| -> Flow { bar.observe(name, p) };
        let cx = Context { seed: args.everywhere.seed, observer: Some(&observer), deadline: limit, ..Context::default() };
        let seen = |fold: usize, _: &FoldScore| bar.say(format!("{name}: fold {} of {}", fold + 1, args.folds));
        match cross_validate(&*learner, &problem.dataset(), &folds, &cx, &seen) {
            Ok(scores) if scores.iter().all(|s| s.metrics.iter().any(|(n, _)| *n == metric)) => {
                entries.push(Entry { learner, name, scores })
            }
            Ok(_) => failed.push((name, format!("{metric} does not apply"))),
            // The rows of a fold are not the rows of the table, but they too count from 1.
            Err(e) => failed.push((name, e.with_row(|row| row + 1).to_string())),
        }
    }
    drop(bar);
    // A mean that is no number goes last, whatever the direction.
    entries.sort_by(|a, b| {
        let (x, y) = (a.summary(metric).0, b.summary(metric).0);
        let order = if direction == Better::Higher { y.total_cmp(&x) } else { x.total_cmp(&y) };
        x.is_nan().cmp(&y.is_nan()).then(order)
    });
    if let (Some(best), true) = (entries.first(), args.output.is_some() || args.report.is_some()) {
        let mut fitted = Fitted::train(best.learner.boxed(), &problem, &Context::seeded(args.everywhere.seed))?;
        args.reading.remember(&mut fitted)?;
        args.output.as_ref().map(|path| fitted.save(path)).transpose()?;
        if let Some(path) = &args.report {
            let cx = Context::seeded(args.everywhere.seed);
            let mut subject = Subject::new(&fitted, problem.dataset(), Settings::default());
            subject.judgement = Some(Judgement::of_folds(&fitted, &problem.dataset(), &folds, &cx)?);
            subject.leaderboard = Some(leaderboard(args, metric, second, &entries, &failed, started));
            subject.origin.look_at(&args.data)?;
            subject.origin.model = args.output.as_ref().map(|p| p.display().to_string());
            subject.origin.notes = problem.notes.clone();
            report::write(path, subject, &args.everywhere)?;
        }
    }
    remark(&args.everywhere, &problem.notes);
    let seconds = started.elapsed().as_secs_f64();
    if args.everywhere.json {
        return as_json(args, &problem, metric, &entries, &failed, seconds);
    }
    print(&as_text(args, &problem, metric, second, &entries, &failed, seconds)?)?;
    if entries.is_empty() {
        return Err(anyhow::anyhow!("no model could be compared"));
    }
    Ok(())
}

/// The leaderboard for a page.
fn leaderboard(
    args: &Compare,
    metric: &str,
    second: Option<&str>,
    entries: &[Entry],
    failed: &[(&'static str, String)],
    started: Instant,
) -> Leaderboard {
    let standing = |e: &Entry| {
        let (mean, _, error) = e.summary(metric);
        Standing {
            model: e.name.to_owned(),
            mean,
            error,
            second: second.map(|s| e.summary(s).0),
            fit_seconds: e.mean_of(|s| s.fit_seconds),
            predict_seconds: e.mean_of(|s| s.predict_seconds),
            baseline: e.name == "baseline",
            ..Standing::default()
        }
    };
    Leaderboard {
        measure: metric.to_owned(),
        second: second.map(str::to_owned),
        folds: args.folds,
        seconds: started.elapsed().as_secs_f64(),
        standings: entries.iter().map(standing).collect(),
        failed: failed.iter().map(|(n, e)| ((*n).to_owned(), e.clone())).collect(),
        note: String::new(),
    }
}

fn as_json(
    args: &Compare,
    problem: &Problem,
    metric: &str,
    entries: &[Entry],
    failed: &[(&'static str, String)],
    seconds: f64,
) -> Result<()> {
    let row = |e: &Entry| {
        let (mean, std, error) = e.summary(metric);
        let names: Vec<&str> = e.scores[0].metrics.iter().map(|(n, _)| *n).collect();
        let means: serde_json::Map<String, Value> = names.iter().map(|n| ((*n).to_owned(), json!(e.summary(n).0))).collect();
        json!({
            "model": e.name, "mean": mean, "std": std, "standard_error": error, "metrics": means,
            "fit_seconds": e.mean_of(|s| s.fit_seconds), "predict_seconds": e.mean_of(|s| s.predict_seconds),
            "scores": e.values(metric),
        })
    };
    let failed: Vec<Value> = failed.iter().map(|(n, e)| json!({"model": n, "error": e})).collect();
    let more = json!({
        "metric": metric, "folds": args.folds, "n_rows": problem.x.rows(), "n_features": problem.x.columns().len(),
        "task": problem.y.view().task(), "leaderboard": entries.iter().map(row).collect::<Vec<_>>(), "failed": failed,
        "notes": problem.notes, "output": args.output, "report": args.report,
    });
    print_json("compare", &args.everywhere, seconds, more)
}

fn as_text(
    args: &Compare,
    problem: &Problem,
    metric: &str,
    second: Option<&str>,
    entries: &[Entry],
    failed: &[(&'static str, String)],
    seconds: f64,
) -> Result<String> {
    let mut out = String::new();
    let task = match &problem.y {
        OwnedTarget::Class { names, .. } => format!("{} classes", names.len()),
        _ => "regression".into(),
    };
    writeln!(
        out,
        "{}: {} rows, {} columns, target {} ({task}), {} folds\n",
        args.data,
        text::count(problem.x.rows()),
        problem.x.columns().len(),
        args.target,
        args.folds
    )?;
    let spread = format!("{metric} ± s.e.");
    let mut head = vec!["", "model", spread.as_str()];
    let mut align = vec![Align::Right, Align::Left, Align::Right];
    if let Some(s) = second {
        head.push(s);
        align.push(Align::Right);
    }
    head.extend(["fit", "predict"]);
    align.extend([Align::Right; 2]);
    let row = |(i, e): (usize, &Entry)| {
        let (mean, _, error) = e.summary(metric);
        let mut cells = vec![(i + 1).to_string(), e.name.to_owned(), format!("{mean:.4} ± {error:.4}")];
        if let Some(s) = second {
            cells.push(format!("{:.4}", e.summary(s).0));
        }
        cells.push(text::seconds(e.mean_of(|s| s.fit_seconds)));
        cells.push(text::seconds(e.mean_of(|s| s.predict_seconds)));
        cells
    };
    out += &text::table(&head, &align, &entries.iter().enumerate().map(row).collect::<Vec<_>>());
    for (name, why) in failed {
        writeln!(out, "\n  {name} failed: {why}")?;
    }
    if let Some(best) = entries.first() {
        match &args.output {
            Some(path) => writeln!(
                out,
                "\n{} trained on all rows and saved in {}; {} in all",
                best.name,
                path.display(),
                text::seconds(seconds)
            )?,
            None => writeln!(out, "\nbest: {}; {} in all; -o FILE keeps it", best.name, text::seconds(seconds))?,
        }
        if let Some(path) = &args.report {
            writeln!(out, "report written to {}", path.display())?;
        }
    }
    Ok(out)
}
