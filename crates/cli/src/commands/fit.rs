//! `ermine fit`: train and save.

use std::fmt::Write;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use ermine::core::{Fingerprint, Flow, Progress, RowSource};
use ermine::learn::metrics::{criteria, evaluate, totals};
use ermine::learn::model_selection::hold_out;
use ermine::prelude::*;
pub use ermine::report::{certificate_line, model_name, model_params};
use serde_json::{Value, json};

use super::{metrics_json, print, print_json, print_notes};
use crate::args::FitArgs;
use crate::error::UsageError;
use crate::progress::ProgressLine;
use crate::{load, text, trace_file};

/// The least time between two checkpoints: seldom enough to cost nothing, often enough to lose little.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(30);

/// What a fit brought, whatever way the rows came.
struct FitResult {
    fitted: Fitted,
    rows: usize,
    train: Vec<(&'static str, f64)>,
    test: Option<Vec<(&'static str, f64)>>,
    notes: Vec<String>,
}

pub fn run(args: &FitArgs) -> Result<()> {
    let started = Instant::now();
    args.trace.as_deref().map(trace_file::check).transpose()?;
    let mut outcome = if args.stream { from_stream(args, started)? } else { from_memory(args, started)? };
    args.reading.record_read_options(&mut outcome.fitted)?;
    if let Some(path) = &args.output {
        outcome.fitted.save(path)?;
    }
    if let Some(path) = &args.trace {
        match outcome.fitted.model.trace() {
            Some(trace) => trace_file::write(path, trace)?,
            None => outcome.notes.push(format!(
                "{} has no course to tell, as it was not found step by step; {} is not written",
                model_name(&outcome.fitted),
                path.display()
            )),
        }
    }
    print_notes(&args.everywhere, &outcome.notes);
    let seconds = started.elapsed().as_secs_f64();
    if args.everywhere.json { as_json(args, &outcome, seconds) } else { print(&as_text(args, &outcome, seconds)?) }
}

/// The columns to learn: labels in a file of their own are the target unless another is named.
fn targets(args: &FitArgs) -> &[String] {
    static LABEL: LazyLock<[String; 1]> = LazyLock::new(|| ["label".to_owned()]);
    if args.target.is_empty() && args.reading.labels.is_some() { &*LABEL } else { &args.target }
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
    let (train, test) = match args.split {
        Some(share) => {
            let (train, test) = hold_out(&problem.y.view(), problem.x.rows(), share, args.everywhere.seed)?;
            (problem.take_rows(&train), Some(problem.take_rows(&test)))
        }
        None => (problem.clone(), None),
    };
    let mut fitted = match &args.checkpoint {
        Some(path) => Fitted::train_with_checkpoint(learner, &train, path, CHECKPOINT_EVERY, &cx)?,
        None => Fitted::train(learner, &train, &cx)?,
    };
    if args.split.is_some() {
        // Of all rows, so that they are known again together with the part that was held out.
        fitted.data.fingerprint = Some(problem.dataset().fingerprint());
        fitted.data.held_out = args.split;
    }
    let measure = |p: &Problem| -> Result<Vec<(&'static str, f64)>> {
        let d = p.dataset();
        Ok(evaluate(&*fitted.model, &d.x, &d.y, d.weight).unwrap_or_default())
    };
    let (rows, train, test) = (train.x.rows(), measure(&train)?, test.as_ref().map(measure).transpose()?);
    Ok(FitResult { rows, train, test, notes: problem.notes, fitted })
}

fn from_stream(args: &FitArgs, started: Instant) -> Result<FitResult> {
    if args.split.is_some() {
        return Err(UsageError("--split needs the rows in memory; leave out --stream, or hold out rows beforehand".into()).into());
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
    let told = Mutex::new(source.notes().to_vec());
    let remarks = |words: String| told.lock().unwrap_or_else(PoisonError::into_inner).push(words);
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
    let (rows, train) = measure_blocks(&fitted, &source, &mut print)?;
    fitted.data.fingerprint = Some(print.finish());
    let notes = told.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(FitResult { rows, train, test: None, notes, fitted })
}

/// The measures that are means or sums over rows, gathered block by block, and the print of the rows in the same pass.
fn measure_blocks(fitted: &Fitted, source: &dyn RowSource, print: &mut Fingerprint) -> Result<(usize, Vec<(&'static str, f64)>)> {
    const MEANS: [&str; 5] = ["accuracy", "log_loss", "brier", "mse", "mae"];
    let model = &*fitted.model;
    let predicts = model.as_classifier().is_some() || model.as_regressor().is_some();
    let mut whole: Vec<(&'static str, f64)> = Vec::new();
    let (mut rows, mut total, mut sums) = (0, 0.0, [0.0; MEANS.len()]);
    let mut seen = [false; MEANS.len()];
    source.scan(&mut |block| {
        print.add(block);
        let weight = block.total_weight();
        if !predicts {
            for (name, value) in totals(model, &block.x, block.weight)? {
                match whole.iter_mut().find(|w| w.0 == name) {
                    Some(sum) => sum.1 += value,
                    None => whole.push((name, value)),
                }
            }
        } else if weight > 0.0 && block.y.rows().is_some() {
            for (name, value) in evaluate(&*fitted.model, &block.x, &block.y, block.weight)? {
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

fn as_json(args: &FitArgs, o: &FitResult, seconds: f64) -> Result<()> {
    let mut more = json!({
        "model": model_name(&o.fitted), "params": model_params(&o.fitted), "task": task_of(&o.fitted), "n_rows": o.rows,
        "n_features": o.fitted.schema.len(), "certificate": o.fitted.model.certificate(), "train_metrics": metrics_json(&o.train),
        "notes": o.notes, "output": args.output,
    });
    if let (Some(test), Value::Object(object)) = (&o.test, &mut more) {
        object.insert("test_metrics".into(), metrics_json(test));
    }
    if let Some(path) = &args.trace {
        more["trace"] = json!(o.fitted.model.trace().map(|_| path));
    }
    print_json("fit", &args.everywhere, seconds, more)
}

fn as_text(args: &FitArgs, o: &FitResult, seconds: f64) -> Result<String> {
    let mut out = String::new();
    let prepared = if o.fitted.learner.spec().name == "pipeline" { ", columns prepared" } else { "" };
    writeln!(
        out,
        "{} ({}{prepared}) on {}, {} in {}",
        model_name(&o.fitted),
        task_of(&o.fitted),
        text::counted(o.rows, "row"),
        text::counted(o.fitted.schema.len(), "column"),
        text::seconds(seconds)
    )?;
    if let Some(c) = o.fitted.model.certificate() {
        out += &text::indent_wrapped("", &certificate_line(c), 2);
        c.notes.iter().for_each(|n| out += &text::indent_wrapped("", &format!("note: {n}"), 2));
    }
    let pieces = |metrics: &[(&str, f64)]| metrics.iter().map(|(n, v)| format!("{n} {}", text::number(*v))).collect::<Vec<_>>();
    if !o.train.is_empty() {
        out += &text::wrap_pieces("  on the training rows  ", &pieces(&o.train));
    }
    if let Some(test) = &o.test {
        out += &text::wrap_pieces("  on rows held out      ", &pieces(test));
    }
    if let (Some(path), Some(trace)) = (&args.trace, o.fitted.model.trace()) {
        writeln!(out, "  the course of {} steps is in {}", text::count(trace.rows.len()), path.display())?;
    }
    match &args.output {
        Some(path) => writeln!(out, "  saved in {}", path.display())?,
        None => writeln!(out, "  not saved; -o FILE keeps the model")?,
    }
    Ok(out)
}
