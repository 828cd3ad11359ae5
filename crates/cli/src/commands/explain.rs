//! `ermine explain`: what a model is, how it was trained, and how it predicts.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, anyhow};
use ermine::chart::{Bars, Chart, TreeChart};
use ermine::core::{Cell, Flow, Progress, Report, file};
use ermine::learn::explain::{Dependence, GridValues, Importances};
use ermine::prelude::*;
use ermine::report::{self, EvaluationKind, NeighborExamples, ReportEvaluation, ReportOptions};
use serde_json::{Map, Value, json};

use super::fit::{certificate_line, model_name, model_params, task_of};
use super::{print, print_json, print_notes};
use crate::args::ExplainArgs;
use crate::load::{self, LabeledRows};
use crate::progress::ProgressLine;
use crate::report as render;
use crate::text::{self, indent_wrapped};

/// Indentation of the texts about the model.
const INDENT: usize = 15;
/// Width of charts in characters, their lines, and the number of dependence charts.
const WIDTH: usize = 80;
const LINES: usize = 10;
const DEPENDENCES: usize = 3;
/// Most columns for which importances are computed without `--sample`.
const MOST_COLUMNS: usize = 500;

pub fn run(args: &ExplainArgs) -> Result<()> {
    let started = Instant::now();
    let fitted = load::open(&args.model)?;
    let model = fitted.report();
    let on_data = args.data.as_ref().map(|data| Ok::<_, anyhow::Error>((data, examine(args, &fitted, data)?))).transpose()?;
    let notes = on_data.as_ref().map(|(_, d)| d.notes.clone()).unwrap_or_default();
    let written = match &args.svg {
        Some(path) => write_charts(path, &model, on_data.as_ref().map(|(_, d)| d))?,
        None => Vec::new(),
    };
    let rules = args.rules.then(|| render::rules(&model));
    if rules.as_ref().is_some_and(Vec::is_empty) {
        return Err(anyhow!("--rules: the report of this model has no tree to print as rules"));
    }
    print_notes(&args.everywhere, &notes);
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
        if let Some((data, found)) = on_data {
            let mut object = found.json;
            object.extend([
                ("data".to_owned(), json!(data)),
                ("n_rows".to_owned(), json!(found.rows)),
                ("report".to_owned(), json!(found.report)),
            ]);
            more["on_data"] = Value::Object(object);
        }
        return print_json("explain", &args.everywhere, started.elapsed().as_secs_f64(), more);
    }
    let mut out = head(&fitted)?;
    out += &render::render(&model, args.rows);
    if let Some(rules) = &rules {
        out += &render::render_rules(rules, args.rows);
    }
    if let Some((data, found)) = &on_data {
        writeln!(out, "\nOn {data}, {} rows", text::count(found.rows))?;
        out += &render::render(&found.report, args.rows);
        out += &found.text;
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
        out += &indent_wrapped("what", learner.spec().summary, INDENT);
        out += &indent_wrapped("parameters", &parameters(&model_params(fitted), &learner.params()), INDENT);
    }
    let rows = fitted.data.rows.map(|n| format!("{} rows, ", text::count(n as usize))).unwrap_or_default();
    let columns: Vec<&str> = fitted.schema.names().take(12).collect();
    let more = if fitted.schema.len() > columns.len() { ", …" } else { "" };
    let on = format!("{rows}{} columns: {}{more}", text::count(fitted.schema.len()), columns.join(", "));
    out += &indent_wrapped("trained on", &on, INDENT);
    if let Some(words) = &fitted.data.missing {
        out += &indent_wrapped("missing", &format!("an empty cell, {}", words.join(", ")), INDENT);
    }
    if !fitted.target.classes.is_empty() {
        out += &indent_wrapped("classes", &fitted.target.classes.join(", "), INDENT);
    }
    if let Some(certificate) = &fitted.certificate {
        out += &indent_wrapped("evidence", &certificate_line(certificate), INDENT);
        for note in &certificate.notes {
            out += &indent_wrapped("", note, INDENT);
        }
    }
    Ok(out)
}

/// The parameters that differ from their defaults.
fn parameters(params: &Value, default: &Value) -> String {
    let empty = serde_json::Map::new();
    let all = params.as_object().unwrap_or(&empty);
    let shown = |v: &Value| text::truncate(&v.as_str().map_or_else(|| v.to_string(), str::to_owned), 40);
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

/// Report of a model on data.
struct DataReport {
    rows: usize,
    report: Report,
    notes: Vec<String>,
    /// Text and charts below the report.
    text: String,
    charts: Vec<String>,
    json: Map<String, Value>,
}

/// Evaluates the model on data whose target is known: metrics, importances, partial dependences.
fn examine(args: &ExplainArgs, fitted: &Fitted, data: &str) -> Result<DataReport> {
    let known = LabeledRows::read(&args.reading, data, args.weight.as_ref(), fitted)?;
    let rows = known.dataset(fitted);
    let report = ermine::diagnostics::diagnose(fitted, &rows.x, &rows.y, rows.weight)?;
    let mut out = DataReport {
        rows: rows.rows(),
        report,
        notes: known.notes.clone(),
        text: String::new(),
        charts: Vec::new(),
        json: Map::new(),
    };
    if fitted.model.as_classifier().is_none() && fitted.model.as_regressor().is_none() {
        return Ok(out);
    }
    let bar = ProgressLine::new(&args.everywhere, "explaining");
    let observer = |p: &Progress| -> Flow { bar.observe("explaining", p) };
    let cx = Context { seed: args.everywhere.seed, observer: Some(&observer), ..Context::default() };
    let settings = ReportOptions { folds: 0, sample: args.sample, measure: args.metric.clone(), ..ReportOptions::default() };
    let evaluation = ReportEvaluation::evaluate(fitted, &rows, 0, &cx)?;
    out.notes.extend(
        (evaluation.how == EvaluationKind::TrainingRows)
            .then(|| "the model was trained on these rows: importances are optimistic".to_owned()),
    );
    if rows.cols() <= MOST_COLUMNS || args.sample.is_some() {
        let importances = report::importances(fitted, &rows, &evaluation, &settings, &cx)?;
        out.add_importances(fitted, &importances, rows.rows());
        for d in report::dependences(fitted, &rows, &importances.ranking(), DEPENDENCES, &cx)? {
            out.add_dependence(fitted, &d)?;
        }
    } else {
        out.notes.push(format!(
            "{} columns are too many for importances by default; --sample N computes them",
            text::count(rows.cols())
        ));
    }
    let first: Vec<usize> = (0..rows.rows().min(3)).collect();
    if let Some(near) = report::neighborhoods(fitted, &rows.x, &first, 5)? {
        let report = nearest_examples(fitted, &near);
        out.text += &render::render(&report, args.rows);
        out.json.insert("nearest_examples".into(), json!(report));
    }
    if args.learning_curve {
        let curve = report::learn_in_parts(fitted, &rows, 5, args.metric.as_deref(), &cx)?;
        let chart = report::learning_chart(&curve);
        write!(out.text, "\n{}", chart.to_text(WIDTH, LINES))?;
        out.text += &text::paragraph(&report::learning_words(&curve), WIDTH);
        out.charts.push(chart.to_svg());
        out.json.insert("learning_curve".into(), json!(curve));
    }
    Ok(out)
}

impl DataReport {
    /// Adds permutation importances measured on rows out of `all`.
    fn add_importances(&mut self, fitted: &Fitted, importances: &Importances, all: usize) {
        let bars = report::importance_bars(fitted, importances);
        let rows_of = format!("{} of {} rows", text::count(importances.rows), text::count(all));
        self.text +=
            &format!("\n{}", text::paragraph(&format!("{} ({}; {rows_of}, 95% intervals)", bars.title, bars.label), WIDTH));
        self.text += &Bars { title: String::new(), ..bars.clone() }.to_text(WIDTH);
        self.charts.push(bars.to_svg());
        let columns: Vec<Value> = importances
            .ranking()
            .into_iter()
            .map(|j| {
                let name = fitted.schema.fields.get(j).map(|f| f.name.clone());
                let i = importances.columns[j];
                json!({"column": name, "importance": i.mean, "error": i.error, "low": i.low, "high": i.high})
            })
            .collect();
        let Importances { measure, base, rows, repeats, .. } = importances;
        let object = json!({"measure": measure, "base": base, "rows": rows, "repeats": repeats, "columns": columns});
        self.json.insert("importances".into(), object);
    }

    /// Adds the partial dependence on one column.
    fn add_dependence(&mut self, fitted: &Fitted, d: &Dependence) -> Result<()> {
        let chart = report::dependence_chart(fitted, d);
        if matches!(d.places, GridValues::Numbers(_)) {
            // Curves of single rows are only drawn in SVG; characters are too coarse for them.
            let mut mean = chart.clone();
            mean.series.retain(|s| !s.quiet);
            write!(self.text, "\n{}", mean.to_text(WIDTH, LINES))?;
        }
        self.charts.push(chart.to_svg());
        let places = match &d.places {
            GridValues::Numbers(v) => json!(v),
            GridValues::Names(v) => json!(v),
        };
        let column = fitted.schema.fields.get(d.column).map(|f| f.name.clone());
        let mean: Vec<&[f64]> = (0..d.mean.rows()).map(|k| d.mean.row(k)).collect();
        let one = json!({"column": column, "places": places, "mean": mean, "deciles": d.deciles});
        match self.json.entry("partial_dependence").or_insert_with(|| json!([])) {
            Value::Array(all) => all.push(one),
            _ => unreachable!("it was made a list"),
        }
        Ok(())
    }
}

/// The nearest training rows of some rows, as a table.
fn nearest_examples(fitted: &Fitted, near: &[NeighborExamples]) -> Report {
    let mut report = Report::default();
    let names: Vec<&str> = fitted.schema.names().take(4).collect();
    let heads: Vec<&str> = ["row", "nearest", "distance", "is"].into_iter().chain(names.iter().copied()).collect();
    let mut cells: Vec<Vec<Cell>> = Vec::new();
    for n in near {
        for (number, far, answer, values) in &n.examples {
            let is: Vec<String> = answer.iter().map(cell_words).collect();
            let mut row: Vec<Cell> = vec![
                format!("row {}", n.row + 1).into(),
                format!("training row {}", number + 1).into(),
                (*far).into(),
                is.join(", ").into(),
            ];
            row.extend((0..names.len()).map(|j| values.get(j).map_or(Cell::Empty, |v| Cell::from(v.as_str()))));
            cells.push(row);
        }
    }
    report.table("Nearest examples of the first rows", &heads, cells);
    report
}

fn cell_words(cell: &Cell) -> String {
    match cell {
        Cell::Text(t) => t.clone(),
        Cell::Number(v) => text::number(*v),
        Cell::Empty => String::new(),
    }
}

/// Writes the charts of the reports: the first under the given name, others with a number in it. A report without
/// curves is drawn by its first table that can be.
fn write_charts(path: &Path, model: &Report, on_data: Option<&DataReport>) -> Result<Vec<String>> {
    let reports = || std::iter::once(model).chain(on_data.map(|d| &d.report));
    let sections = || reports().flat_map(|r| &r.sections);
    let mut charts: Vec<String> = sections().filter_map(TreeChart::of).map(|tree| tree.to_svg()).collect();
    charts.extend(sections().filter_map(Chart::of).map(|chart| chart.to_svg()));
    charts.extend(on_data.iter().flat_map(|d| d.charts.iter().cloned()));
    if charts.is_empty() {
        charts.extend(sections().find_map(Chart::of_table).map(|chart| chart.to_svg()));
    }
    if charts.is_empty() {
        return Err(anyhow!("--svg: the report of this model has no curve and no table to draw"));
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
