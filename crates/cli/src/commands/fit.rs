//! `ermine fit`: train and save.

use std::fmt::Write;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use ermine::core::{Fingerprint, Flow, Progress, RowSource};
use ermine::learn::metrics::{criteria, evaluate, is_measurable, totals};
use ermine::learn::model_selection::{AutoOutcome, FoldScores, hold_out};
use ermine::prelude::*;
pub use ermine::report::{certificate_line, model_name, model_params};
use serde_json::{Value, json};

use super::{automl, metrics_json, print, print_json, print_notes};
use crate::args::FitArgs;
use crate::args::auto::AutoBudget;
use crate::error::UsageError;
use crate::progress::ProgressLine;
use crate::{load, text, trace_file};

/// The least time between two checkpoints: seldom enough to cost nothing, often enough to lose little.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(30);

/// Result of a fit, in memory or from a stream.
struct FitResult {
    fitted: Fitted,
    /// An error here must not cost the model, which is saved first.
    measured: Result<Measured>,
    notes: Vec<String>,
    /// How a model was chosen that was not named.
    choice: Option<Choice>,
}

/// The choice of a search: how many models were measured, and how good the kept one is.
struct Choice {
    measured: usize,
    metric: String,
    scores: FoldScores,
    rounds: String,
    leaderboard: Vec<Value>,
}

/// How well the model does on the rows of the fit.
struct Measured {
    rows: usize,
    train: Vec<(&'static str, f64)>,
    test: Option<Vec<(&'static str, f64)>>,
}

pub fn run(args: &FitArgs) -> Result<()> {
    let started = Instant::now();
    args.trace.as_deref().map(trace_file::check).transpose()?;
    let mut outcome = match () {
        () if args.stream => from_stream(args, started)?,
        () if is_search(args)? => from_search(args, started)?,
        () => from_memory(args, started)?,
    };
    args.reading.record_read_options(&mut outcome.fitted)?;
    if let Some(path) = &args.output {
        outcome.fitted.save(path)?;
    }
    if let Some(path) = &args.trace {
        match outcome.fitted.model.trace() {
            Some(trace) => trace_file::write(path, trace)?,
            None => outcome.notes.push(format!(
                "{} has no trace, as it was not fitted iteratively; {} is not written",
                model_name(&outcome.fitted),
                path.display()
            )),
        }
    }
    print_notes(&args.everywhere, &outcome.notes);
    let FitResult { fitted, measured, notes, choice } = outcome;
    let measured = measured.context("the model was fitted, and cannot be measured on its rows")?;
    let seconds = started.elapsed().as_secs_f64();
    match args.everywhere.json {
        true => as_json(args, &fitted, &measured, choice.as_ref(), &notes, seconds),
        false => print(&as_text(args, &fitted, &measured, choice.as_ref(), seconds)?),
    }
}

/// The target columns: labels in a file of their own are the target unless another is named.
fn targets(args: &FitArgs) -> &[String] {
    static LABEL: LazyLock<[String; 1]> = LazyLock::new(|| ["label".to_owned()]);
    if args.target.is_empty() && args.reading.labels.is_some() { &*LABEL } else { &args.target }
}

/// Whether the best model is searched: one target, and nothing said that belongs to a model of its own.
fn is_search(args: &FitArgs) -> Result<bool> {
    let target = targets(args);
    let supervised = args.learning.task_for(target)?.is_none_or(|t| t.is_supervised());
    let open = args.model.is_none() && args.set.is_empty() && args.trace.is_none() && args.checkpoint.is_none();
    let asked = args.auto.budget.is_some() || args.auto.metric.is_some() || args.auto.single || args.auto.fast.is_some();
    if asked && !(open && supervised && target.len() == 1) {
        return Err(UsageError(
            "--budget, --metric, --single and --fast belong to the search for a model of one target: leave out --model, --set, \
             --trace and --checkpoint"
                .into(),
        )
        .into());
    }
    Ok(open && supervised && target.len() == 1)
}

/// The best model that a search finds within the budget.
fn from_search(args: &FitArgs, started: Instant) -> Result<FitResult> {
    let mut problem = args.learning.problem(&args.reading, &args.data, targets(args), &[])?;
    let mut notes = std::mem::take(&mut problem.notes);
    let (train, test, fingerprint) = held_out(args, problem)?;
    let budget = args.auto.budget.or(args.learning.time_limit.map(AutoBudget::Time)).unwrap_or(automl::DEFAULT_BUDGET);
    let metric = automl::metric(&args.auto, &train).to_owned();
    let search = automl::AutoSearch {
        auto: &args.auto,
        learning: &args.learning,
        everywhere: &args.everywhere,
        budget,
        started,
        share: 1.0,
        models: Vec::new(),
        splits: None,
    };
    let AutoOutcome { splits, entries, learner, model, notes: found } = search.run(&train)?;
    notes.extend(found);
    let cx = Context::seeded(args.everywhere.seed);
    let mut fitted = Fitted::of_trained(learner, model, &train.dataset(), train.target.clone(), &cx);
    if fingerprint.is_some() {
        fitted.data.fingerprint = fingerprint;
        fitted.data.held_out = args.split;
    }
    // The rows of the fit are not measured: the scores of the rounds are, and they are of rows that were not learned from.
    let test = test.as_ref().map(|p| measure(&fitted, p)).transpose();
    let measured = test.map(|test| Measured { rows: train.x.rows(), train: Vec::new(), test });
    let leaderboard = entries.iter().filter(|e| e.standing.done() > 0).map(|e| {
        let s = e.standing.scores(&metric);
        json!({"model": e.name, "mean": s.mean, "std": s.std, "fit_seconds": e.standing.mean_of(|f| f.fit_seconds), "weight": e.weight})
    });
    let choice = Choice {
        measured: entries.iter().filter(|e| e.standing.done() > 0).count(),
        scores: entries.first().map(|e| e.standing.scores(&metric)).unwrap_or_else(|| FoldScores::of(Vec::new())),
        rounds: splits.describe(),
        leaderboard: leaderboard.collect(),
        metric,
    };
    Ok(FitResult { fitted, measured, notes, choice: Some(choice) })
}

/// The rows of the fit, those that are held out of it, and the fingerprint of all, where some are.
fn held_out(args: &FitArgs, problem: Problem) -> Result<(Problem, Option<Problem>, Option<String>)> {
    let Some(share) = args.split else { return Ok((problem, None, None)) };
    let (train, test) = hold_out(&problem.y.view(), problem.x.rows(), share, args.everywhere.seed)?;
    // Of all rows, so that they are known again together with the part that was held out.
    let fingerprint = problem.dataset().fingerprint();
    Ok((problem.take_rows(&train), Some(problem.take_rows(&test)), Some(fingerprint)))
}

/// Every metric of a model that applies to these rows.
fn measure(fitted: &Fitted, p: &Problem) -> Result<Vec<(&'static str, f64)>> {
    let d = p.dataset();
    let measurable = is_measurable(&*fitted.model, &d.x, &d.y)?;
    let of_table = |e: ermine::Error| e.with_row(|row| p.row_of_table(row));
    Ok(if measurable { evaluate(&*fitted.model, &d.x, &d.y, d.weight).map_err(of_table)? } else { Vec::new() })
}

fn from_memory(args: &FitArgs, started: Instant) -> Result<FitResult> {
    let target = targets(args);
    let asked = args.learning.task_for(target)?;
    let problem = args.learning.problem(&args.reading, &args.data, target, args.model.as_slice())?;
    let learner = load::resolve_learner(args.model.as_deref(), &args.set, asked, problem.y.view().task())?;
    let name = learner.spec().name;
    let learner = args.learning.prepared_learner(learner);
    let bar = ProgressLine::new(&args.everywhere, &format!("fitting {name}"));
    let observer = |p: &Progress| -> Flow { bar.observe(name, p) };
    let deadline = args.learning.time_limit.map(|t| started + t);
    let cx = Context { seed: args.everywhere.seed, observer: Some(&observer), deadline, ..Context::default() };
    let mut problem = problem;
    let notes = std::mem::take(&mut problem.notes);
    let (train, test, fingerprint) = held_out(args, problem)?;
    let mut fitted = match &args.checkpoint {
        Some(path) => Fitted::train_with_checkpoint(learner, &train, path, CHECKPOINT_EVERY, &cx)?,
        None => Fitted::train(learner, &train, &cx)?,
    };
    if fingerprint.is_some() {
        fitted.data.fingerprint = fingerprint;
        fitted.data.held_out = args.split;
    }
    let measure = |p: &Problem| measure(&fitted, p);
    let measured = measure(&train).and_then(|train_metrics| {
        Ok(Measured { rows: train.x.rows(), train: train_metrics, test: test.as_ref().map(measure).transpose()? })
    });
    Ok(FitResult { measured, notes, fitted, choice: None })
}

fn from_stream(args: &FitArgs, started: Instant) -> Result<FitResult> {
    if args.split.is_some() {
        return Err(
            UsageError("--split needs the rows in memory; leave out --stream, or split the file beforehand".into()).into()
        );
    }
    let target = targets(args);
    let asked = args.learning.task_for(target)?;
    let roles = args.learning.roles(target, args.model.as_slice())?;
    let bar = ProgressLine::new(&args.everywhere, &format!("reading {}", args.data));
    let mut source = ermine::data::open_stream(&args.data, &args.reading.options()?, &roles)?;
    let learner = load::resolve_learner(args.model.as_deref(), &args.set, asked, source.task())?;
    let name = learner.spec().name;
    let learner = args.learning.prepared_learner(learner);
    if !learner.spec().accepts.sparse {
        source = source.into_tables()?;
    }
    let observer = |p: &Progress| -> Flow { bar.observe(name, p) };
    let deadline = args.learning.time_limit.map(|t| started + t);
    let notes = Mutex::new(source.notes().to_vec());
    let remarks = |words: String| notes.lock().unwrap_or_else(PoisonError::into_inner).push(words);
    let cx = Context {
        seed: args.everywhere.seed,
        observer: Some(&observer),
        deadline,
        memory: args.memory,
        remarks: Some(&remarks),
        ..Context::default()
    };
    let mut fitted = Fitted::train_source(learner, &source, source.target_info().clone(), &cx)?;
    let mut print = Fingerprint::new(source.schema());
    let measured = measure_blocks(&fitted, &source, &mut print);
    fitted.data.fingerprint = measured.is_ok().then(|| print.finish());
    let notes = notes.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(FitResult { measured: measured.map(|(rows, train)| Measured { rows, train, test: None }), notes, fitted, choice: None })
}

/// The metrics that are means or sums over rows, gathered block by block, and the fingerprint of the rows in the same
/// pass.
fn measure_blocks(fitted: &Fitted, source: &dyn RowSource, print: &mut Fingerprint) -> Result<(usize, Vec<(&'static str, f64)>)> {
    const MEANS: [&str; 5] = ["accuracy", "log_loss", "brier", "mse", "mae"];
    let model = &*fitted.model;
    let predicts = model.as_classifier().is_some() || model.as_regressor().is_some();
    let mut whole: Vec<(&'static str, f64)> = Vec::new();
    let (mut rows, mut total, mut sums) = (0, 0.0, [0.0; MEANS.len()]);
    let mut seen = [false; MEANS.len()];
    source.scan(&mut |block| {
        print.add(block);
        let of_data = |e: ermine::Error| e.with_row(|row| row + rows);
        let weight = block.total_weight();
        if !predicts {
            for (name, value) in totals(model, &block.x, block.weight).map_err(of_data)? {
                match whole.iter_mut().find(|w| w.0 == name) {
                    Some(sum) => sum.1 += value,
                    None => whole.push((name, value)),
                }
            }
        } else if weight > 0.0 && block.y.rows().is_some() {
            for (name, value) in evaluate(model, &block.x, &block.y, block.weight).map_err(of_data)? {
                if let Some(k) = MEANS.iter().position(|m| *m == name) {
                    sums[k] += weight * value;
                    seen[k] = true;
                }
            }
        }
        rows += block.rows();
        total += weight;
        Ok(Flow::Continue)
    })?;
    let mut out: Vec<(&'static str, f64)> = (0..MEANS.len()).filter(|&k| seen[k]).map(|k| (MEANS[k], sums[k] / total)).collect();
    if let Some(&(_, mse)) = out.iter().find(|(n, _)| *n == "mse") {
        out.push(("rmse", mse.sqrt()));
    }
    for (name, value) in whole {
        out.push((name, value));
        if let ("log_likelihood", Some(d)) = (name, model.as_density()) {
            out.extend(criteria(value, d.n_parameters(), total));
        }
    }
    Ok((rows, out))
}

pub fn task_of(fitted: &Fitted) -> &'static str {
    let model = &fitted.model;
    if model.as_classifier().is_some() {
        "classification"
    } else if model.as_regressor().is_some() {
        "regression"
    } else if model.as_clusterer().is_some() {
        "clustering"
    } else if model.as_transformer().is_none() && model.as_density().is_some() {
        "density"
    } else {
        "reduction"
    }
}

fn as_json(args: &FitArgs, fitted: &Fitted, o: &Measured, choice: Option<&Choice>, notes: &[String], seconds: f64) -> Result<()> {
    let mut more = json!({
        "model": model_name(fitted), "params": model_params(fitted), "task": task_of(fitted), "n_rows": o.rows,
        "n_features": fitted.schema.len(), "certificate": fitted.model.certificate(), "train_metrics": metrics_json(&o.train),
        "notes": notes, "output": args.output,
    });
    if let (Some(test), Value::Object(object)) = (&o.test, &mut more) {
        object.insert("test_metrics".into(), metrics_json(test));
    }
    if let Some(choice) = choice {
        more["metric"] = json!(choice.metric);
        more["rounds"] = json!(choice.rounds);
        more["score"] = json!(choice.scores.mean);
        more["leaderboard"] = json!(choice.leaderboard);
    }
    if let Some(path) = &args.trace {
        more["trace"] = json!(fitted.model.trace().map(|_| path));
    }
    print_json("fit", &args.everywhere, seconds, more)
}

fn as_text(args: &FitArgs, fitted: &Fitted, o: &Measured, choice: Option<&Choice>, seconds: f64) -> Result<String> {
    let mut out = String::new();
    let prepared = if fitted.learner.spec().name == "pipeline" { ", columns prepared" } else { "" };
    writeln!(
        out,
        "{} ({}{prepared}) on {}, {} in {}",
        model_name(fitted),
        task_of(fitted),
        text::counted(o.rows, "row"),
        text::counted(fitted.schema.len(), "column"),
        text::seconds(seconds)
    )?;
    if let Some(c) = fitted.model.certificate() {
        out += &text::indent_wrapped("", &certificate_line(c), 2);
        c.notes.iter().for_each(|n| out += &text::indent_wrapped("", &format!("note: {n}"), 2));
    }
    if let Some(c) = choice.filter(|c| c.measured > 0) {
        let spread =
            if c.scores.each.len() > 1 { format!(" ± {}", text::number(c.scores.standard_error)) } else { String::new() };
        let line = format!(
            "the best of {}, by {} {}{spread} on rows not learned from ({})",
            text::counted(c.measured, "model"),
            c.metric,
            text::number(c.scores.mean),
            c.rounds
        );
        out += &text::indent_wrapped("", &line, 2);
    }
    let pieces = |metrics: &[(&str, f64)]| metrics.iter().map(|(n, v)| format!("{n} {}", text::number(*v))).collect::<Vec<_>>();
    if !o.train.is_empty() {
        out += &text::wrap_pieces("  on the training rows  ", &pieces(&o.train));
    }
    if let Some(test) = &o.test {
        out += &text::wrap_pieces("  on rows held out      ", &pieces(test));
    }
    if let (Some(path), Some(trace)) = (&args.trace, fitted.model.trace()) {
        writeln!(out, "  the trace of {} steps is in {}", text::count(trace.rows.len()), path.display())?;
    }
    match &args.output {
        Some(path) => writeln!(out, "  saved in {}", path.display())?,
        None => writeln!(out, "  not saved; -o FILE saves the model")?,
    }
    Ok(out)
}
