//! The model itself: parameters, evidence, course of the fit, coefficients, tree.

use ermine_core::{AnyLearner, Cell, Certificate, ColumnMeaning, Section, Trace};
use serde_json::Value;

use super::evaluation::ReportEvaluation;
use crate::chart::{Chart, Series, TreeChart};
use crate::document::{DocBlock, DocSection, DocTable, Figure, TableCell, TableHead};
use crate::format;
use ermine_compose::Fitted;

/// Rows of a table that are shown.
const ROWS: usize = 60;
/// Leaves of a tree that is drawn at once; a larger one has to be asked for.
const LEAVES: usize = 14;

/// The last step of a pipeline is the model a person asked for.
pub fn model_name(fitted: &Fitted) -> String {
    last_step(fitted)
        .map_or_else(|| fitted.learner.spec().name.to_owned(), |s| s["learner"].as_str().unwrap_or_default().to_owned())
}

/// The parameters of the model a person asked for.
pub fn model_params(fitted: &Fitted) -> Value {
    last_step(fitted).map_or_else(|| fitted.learner.params(), |s| s["params"].clone())
}

fn last_step(fitted: &Fitted) -> Option<Value> {
    if fitted.learner.spec().name != "pipeline" {
        return None;
    }
    fitted.learner.params()["steps"].as_array()?.last().cloned()
}

/// The evidence of a fit, in a line.
pub fn certificate_line(c: &Certificate) -> String {
    let mut out = format!("solved by {}", c.method);
    if c.iterations > 1 {
        out += &format!(", {} iterations", c.iterations);
    }
    if let Some(v) = c.objective {
        out += &format!(", objective {}", format::number(v));
    }
    if let Some(v) = c.duality_gap {
        out += &format!(", duality gap {v:.1e}");
    }
    if let Some(v) = c.kkt_residual {
        out += &format!(", optimality residual {v:.1e}");
    }
    if let Some(v) = c.condition {
        out += &format!(", condition {v:.1e}");
    }
    if !c.converged {
        out += ", NOT converged";
    }
    out
}

pub(super) fn part(fitted: &Fitted) -> DocSection {
    let name = model_name(fitted);
    let mut part = DocSection::new("The model");
    let known = ermine_compose::learner(&name).ok();
    if let Some(learner) = &known {
        part = part.lead(format!("{name}: {}.", learner.spec().summary.trim_end_matches('.')));
    }
    let report = fitted.report();
    let (mut open, mut folded): (Vec<DocBlock>, Vec<DocBlock>) = (Vec::new(), Vec::new());
    for (k, section) in report.sections.iter().enumerate() {
        let large = match section {
            Section::Tree { nodes, .. } => nodes.iter().filter(|n| n.children.is_empty()).count() > LEAVES,
            Section::Table { rows, .. } => rows.len() > 24 || !open.is_empty(),
            _ => false,
        };
        if large { folded.extend(block(section, k)) } else { open.extend(block(section, k)) }
    }
    part.blocks.extend(open);
    if !folded.is_empty() {
        part = part.with(DocBlock::Fold { title: "More of the model".into(), blocks: folded });
    }
    part.with(DocBlock::Fold { title: "Parameters".into(), blocks: vec![DocBlock::Table(parameters(fitted, known.as_deref()))] })
}

fn parameters(fitted: &Fitted, known: Option<&dyn AnyLearner>) -> DocTable {
    let params = model_params(fitted);
    let empty = serde_json::Map::new();
    let default = known.map(AnyLearner::params).unwrap_or_default();
    let row = |(key, value): (&String, &Value)| {
        let changed = default.get(key) != Some(value);
        let shown = format::short(&value.as_str().map_or_else(|| value.to_string(), str::to_owned), 60);
        let meaning = known.and_then(|l| l.spec().param(key).ok()).map_or("", |p| p.doc);
        vec![TableCell::from(key.as_str()), TableCell { text: shown, strong: changed, ..TableCell::default() }, meaning.into()]
    };
    DocTable {
        heads: vec![TableHead::word("parameter"), TableHead::word("value"), TableHead::word("meaning")],
        rows: params.as_object().unwrap_or(&empty).iter().map(row).collect(),
        note: "Values that are not the default stand out.".into(),
        ..DocTable::default()
    }
}

/// A section of a model's report as a piece of a page.
fn block(section: &Section, k: usize) -> Option<DocBlock> {
    Some(match section {
        Section::Text(text) if text.trim().contains('\n') => {
            DocBlock::Code { name: String::new(), text: text.trim_end().to_owned() }
        }
        Section::Text(text) => DocBlock::Text(text.clone()),
        Section::Table { title, columns, meanings, rows } => DocBlock::Table(grid(title, columns, meanings, rows)),
        Section::Plot { title, .. } => {
            let chart = Chart::of(section)?.sized(560.0, 340.0);
            DocBlock::Figures(vec![
                Figure::new(format!("model-{k}"), title, chart).alt_text(format!("{title}, as curves.")).wide(),
            ])
        }
        Section::Tree { title, nodes, .. } => {
            let chart = TreeChart::of(section)?;
            let leaves = nodes.iter().filter(|n| n.children.is_empty()).count();
            let told = format!("{title} with {leaves} leaves; the text of the model says the same.");
            DocBlock::Figures(vec![Figure::new(format!("model-{k}"), title, chart).alt_text(told).wide()])
        }
    })
}

fn grid(title: &str, columns: &[String], meanings: &[ColumnMeaning], rows: &[Vec<Cell>]) -> DocTable {
    let number = |j: usize| rows.iter().all(|r| !matches!(r.get(j), Some(Cell::Text(_))));
    let heads = columns.iter().enumerate().map(|(j, c)| TableHead { text: c.clone(), number: j > 0 && number(j) }).collect();
    let cell = |(j, c): (usize, &Cell)| -> TableCell {
        match (c, meanings.get(j)) {
            (Cell::Text(t), _) => t.as_str().into(),
            (Cell::Number(p), Some(ColumnMeaning::Probability)) if *p < 1e-16 => "<1e-16".into(),
            (Cell::Number(p), Some(ColumnMeaning::Probability)) if *p < 1e-3 => format!("{p:.1e}").into(),
            (Cell::Number(p), Some(ColumnMeaning::Probability)) => format!("{p:.3}").into(),
            (Cell::Number(v), _) => format::number(*v).into(),
            (Cell::Empty, _) => TableCell::default(),
        }
    };
    let shown = rows.iter().take(ROWS).map(|row| row.iter().enumerate().map(cell).collect()).collect();
    let note = match rows.len() > ROWS {
        true => format!("{} more rows; ermine explain prints all.", format::count(rows.len() - ROWS)),
        false => String::new(),
    };
    DocTable { caption: format::capital(title), heads, rows: shown, note, tight: false }
}

/// How good the solution is, and how it was found.
pub(super) fn evidence(fitted: &Fitted, judgement: Option<&ReportEvaluation>) -> Option<DocSection> {
    let mut part = DocSection::new("Evidence of the fit");
    if let Some(c) = &fitted.certificate {
        part = part.lead(format!("{}.", format::capital(&certificate_line(c))));
        let mut rows: Vec<(&str, String)> = vec![("method", c.method.clone()), ("iterations", c.iterations.to_string())];
        rows.push(("converged", if c.converged { "yes" } else { "no" }.into()));
        let more = [
            ("objective", c.objective.map(format::number)),
            ("duality gap", c.duality_gap.map(|v| format!("{v:.2e}"))),
            ("optimality residual", c.kkt_residual.map(|v| format!("{v:.2e}"))),
            ("condition", c.condition.map(|v| format!("{v:.2e}"))),
            ("rank", c.rank.map(|v| v.to_string())),
        ];
        rows.extend(more.into_iter().filter_map(|(name, value)| Some((name, value?))));
        let grid = DocTable {
            caption: "Certificate".into(),
            heads: vec![TableHead::word("what"), TableHead::number("value")],
            rows: rows.into_iter().map(|(name, value)| vec![TableCell::from(name), value.into()]).collect(),
            ..DocTable::default()
        };
        part = part.with(DocBlock::Table(grid));
        part.blocks.extend(c.notes.iter().map(|n| DocBlock::Note(format::capital(n))));
    }
    let traces = judgement
        .map(|j| j.traces(fitted))
        .unwrap_or_else(|| fitted.model.trace().map(|t| ("all rows".to_owned(), t)).into_iter().collect());
    part = part.figures(trace_figure(&traces).into_iter().collect());
    (!part.blocks.is_empty()).then_some(part)
}

/// What is minimised, step by step.
fn trace_figure(traces: &[(String, &Trace)]) -> Option<Figure> {
    let measured =
        |t: &Trace| ["objective", "gradient_norm"].into_iter().find(|name| t.column(name).is_some_and(|c| c.len() > 1));
    let name = traces.iter().find_map(|(_, t)| measured(t))?;
    let words = name.replace('_', " ");
    let mut chart = Chart::new("The course of the fit", "iteration", &words).sized(400.0, 270.0);
    let (mut first, mut last, mut steps) = (f64::NAN, f64::NAN, 0);
    for (k, (label, trace)) in traces.iter().enumerate() {
        let Some(values) = trace.column(name) else { continue };
        let at = trace.column("iteration").unwrap_or_else(|| (0..values.len()).map(|k| k as f64).collect());
        // Long courses are drawn by some of their steps, the last among them.
        let every = values.len().div_ceil(300).max(1);
        let kept = |i: &usize| i.is_multiple_of(every) || i + 1 == values.len();
        let points: Vec<(f64, f64)> = (0..values.len()).filter(kept).map(|i| (at[i], values[i])).collect();
        if k == 0 {
            (first, last, steps) = (values[0], values[values.len() - 1], values.len() - 1);
        }
        chart = chart.with(Series::line(label.as_str(), points));
    }
    let wide = last > 0.0 && first / last > 1e3;
    let chart = if wide { chart.log_y() } else { chart };
    let told = format!("{} goes from {} to {} in {steps} steps.", crate::format::capital(&words), number(first), number(last));
    let of = if traces.len() > 1 { " The models of the folds took the other courses." } else { "" };
    Some(Figure::new("course", "The course of the fit", chart).alt_text(told.clone()).caption(format!("{told}{of}")))
}

fn number(v: f64) -> String {
    format::number(v)
}
