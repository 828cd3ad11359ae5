//! `ermine explain`: what a model is, how it came about, and what it says.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, anyhow};
use ermine::chart::{Chart, TreeChart};
use ermine::core::{Report, Task, file};
use ermine::prelude::*;
use serde_json::{Value, json};

use super::fit::{certificate_line, model_name, model_params, task_of};
use super::{print, print_json, remark};
use crate::args::Explain;
use crate::text::{self, wrapped};
use crate::{load, report};

/// Where the texts about the model begin.
const INDENT: usize = 15;

pub fn run(args: &Explain) -> Result<()> {
    let started = Instant::now();
    let fitted = load::open(&args.model)?;
    let model = fitted.report();
    let (mut notes, mut on_data) = (Vec::new(), None);
    if let Some(data) = &args.data {
        let (report, rows, remarks) = examine(args, &fitted, data)?;
        on_data = Some((data, rows, report));
        notes = remarks;
    }
    let written = match &args.svg {
        Some(path) => write_charts(path, &model, args.data.is_some().then_some(&on_data).and_then(|d| Some(&d.as_ref()?.2)))?,
        None => Vec::new(),
    };
    let rules = args.rules.then(|| report::rules(&model));
    if rules.as_ref().is_some_and(Vec::is_empty) {
        return Err(anyhow!("--rules: the report of this model has no tree that could be told in rules"));
    }
    remark(&args.everywhere, &notes);
    if args.everywhere.json {
        let mut more = json!({
            "model": model_name(&fitted), "params": model_params(&fitted), "task": task_of(&fitted), "target": fitted.target,
            "n_rows": fitted.data.rows, "n_features": fitted.schema.len(), "columns": fitted.schema.fields,
            "steps": steps(&fitted), "trained_with": {"seed": fitted.seed}, "certificate": fitted.certificate,
            "report": model, "notes": notes, "svg": written,
        });
        if let Some(rules) = rules {
            more["rules"] = json!(rules);
        }
        if let Some((data, rows, report)) = on_data {
            more["on_data"] = json!({"data": data, "n_rows": rows, "report": report});
        }
        return print_json("explain", &args.everywhere, started.elapsed().as_secs_f64(), more);
    }
    let mut out = head(&fitted)?;
    out += &report::render(&model, args.rows);
    if let Some(rules) = &rules {
        out += &report::render_rules(rules, args.rows);
    }
    if let Some((data, rows, report)) = &on_data {
        writeln!(out, "\nOn {data}, {} rows", text::count(*rows))?;
        out += &report::render(report, args.rows);
    }
    for path in &written {
        writeln!(out, "\nchart written to {path}")?;
    }
    print(&out)
}

/// The learners of a pipeline, in order.
fn steps(fitted: &Fitted) -> Value {
    let params = fitted.learner.params();
    match params.get("steps") {
        Some(steps) => steps.clone(),
        None => json!([{"learner": fitted.learner.spec().name, "params": params}]),
    }
}

fn head(fitted: &Fitted) -> Result<String> {
    let mut out = String::new();
    let name = model_name(fitted);
    let of = match &fitted.target.names[..] {
        [] => String::new(),
        names => format!(" of {}", names.join(", ")),
    };
    writeln!(out, "{name}: {}{of}", task_of(fitted))?;
    if let Ok(learner) = ermine::learner(&name) {
        out += &wrapped("what", learner.spec().summary, INDENT);
        out += &wrapped("parameters", &parameters(&model_params(fitted), &learner.params()), INDENT);
    }
    let rows = fitted.data.rows.map(|n| format!("{} rows, ", text::count(n as usize))).unwrap_or_default();
    let columns: Vec<&str> = fitted.schema.names().take(12).collect();
    let more = if fitted.schema.len() > columns.len() { ", …" } else { "" };
    let on = format!("{rows}{} columns: {}{more}", text::count(fitted.schema.len()), columns.join(", "));
    out += &wrapped("trained on", &on, INDENT);
    if let Some(words) = &fitted.data.missing {
        out += &wrapped("missing", &format!("an empty cell, {}", words.join(", ")), INDENT);
    }
    if !fitted.target.classes.is_empty() {
        out += &wrapped("classes", &fitted.target.classes.join(", "), INDENT);
    }
    if let Some(certificate) = &fitted.certificate {
        out += &wrapped("evidence", &certificate_line(certificate), INDENT);
        for note in &certificate.notes {
            out += &wrapped("", note, INDENT);
        }
    }
    Ok(out)
}

/// What was set, and that the rest is as it is by default.
fn parameters(params: &Value, default: &Value) -> String {
    let empty = serde_json::Map::new();
    let all = params.as_object().unwrap_or(&empty);
    let shown = |v: &Value| text::cut(&v.as_str().map_or_else(|| v.to_string(), str::to_owned), 40);
    let changed: Vec<String> =
        all.iter().filter(|(k, v)| default.get(k.as_str()) != Some(v)).map(|(k, v)| format!("{k}={}", shown(v))).collect();
    let others: Vec<String> =
        all.iter().filter(|(k, v)| default.get(k.as_str()) == Some(v)).map(|(k, v)| format!("{k}={}", shown(v))).collect();
    match (changed.is_empty(), others.is_empty()) {
        (true, true) => "none".into(),
        (true, false) => format!("by default ({})", others.join(", ")),
        (false, true) => changed.join(", "),
        (false, false) => format!("{}; by default {}", changed.join(", "), others.join(", ")),
    }
}

/// How the model does on data whose target is known.
fn examine(args: &Explain, fitted: &Fitted, data: &str) -> Result<(Report, usize, Vec<String>)> {
    let mut read = args.reading.read_for(data, fitted)?;
    let classifier = fitted.model.as_classifier();
    let supervised = classifier.is_some() || fitted.model.as_regressor().is_some();
    let roles = Roles {
        targets: if supervised { fitted.target.names.clone() } else { Vec::new() },
        weight: args.weight.clone(),
        drop: Vec::new(),
        task: Some(if classifier.is_some() { Task::Classification } else { Task::Regression }).filter(|_| supervised),
        classes: classifier.map(|c| c.classes().to_vec()),
    };
    let mut problem = Problem::from_table(load::needed(&read.table, fitted, &roles)?, &roles)?;
    read.sparse = read.sparse.map(|x| problem.take_rows_of(&x));
    read.notes.append(&mut problem.notes);
    read.table = problem.x;
    let rows = read.rows(fitted)?;
    if rows.view().rows() == 0 {
        return Err(anyhow!("{data}: there are no rows with a target to explain the model on"));
    }
    let report = fitted.examine(&rows.view(), &problem.y.view(), problem.weight.as_deref())?;
    Ok((report, rows.view().rows(), read.notes))
}

/// Writes the charts of the reports: the first under the name that was given, others with a number in it. A report without
/// curves is drawn by its most telling table.
fn write_charts(path: &Path, model: &Report, on_data: Option<&Report>) -> Result<Vec<String>> {
    let reports = || std::iter::once(model).chain(on_data);
    let sections = || reports().flat_map(|r| &r.sections);
    let mut charts: Vec<String> = sections().filter_map(TreeChart::of).map(|tree| tree.to_svg()).collect();
    charts.extend(sections().filter_map(Chart::of).map(|chart| chart.to_svg()));
    if charts.is_empty() {
        charts.extend(sections().find_map(Chart::of_table).map(|chart| chart.to_svg()));
    }
    if charts.is_empty() {
        return Err(anyhow!("--svg: the report of this model has no curve and no table that could be drawn"));
    }
    let mut written = Vec::new();
    for (k, chart) in charts.iter().enumerate() {
        let name = match (k, path.file_stem(), path.extension()) {
            (0, ..) | (_, None, _) => path.to_owned(),
            (_, Some(stem), extension) => {
                let extension = extension.map(|e| format!(".{}", e.to_string_lossy())).unwrap_or_default();
                path.with_file_name(format!("{}-{}{extension}", stem.to_string_lossy(), k + 1))
            }
        };
        file::write_atomic(&name, chart.as_bytes())?;
        written.push(name.display().to_string());
    }
    Ok(written)
}
