//! The model itself: parameters, evidence, convergence, coefficients, tree.

use ermine_core::{AnyLearner, Certificate, Section, Trace};
use serde_json::Value;

use super::evaluation::ReportEvaluation;
use crate::chart::{Chart, Series};
use crate::document::{DocBlock, DocSection, DocTable, Figure, TableCell, TableHead};
use crate::format;
use ermine_compose::Fitted;

/// Most rows of a table.
const ROWS: usize = 60;
/// Most leaves of a tree that is drawn at once; a larger one is collapsed.
const LEAVES: usize = 14;

/// The last step of a pipeline is the requested model.
pub fn model_name(fitted: &Fitted) -> String {
    last_step(fitted)
        .map_or_else(|| fitted.learner.spec().name.to_owned(), |s| s["learner"].as_str().unwrap_or_default().to_owned())
}

/// The parameters of the requested model.
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
        note: "Values other than the default are highlighted.".into(),
        ..DocTable::default()
    }
}

/// A section of a model's report as a block of the page.
fn block(section: &Section, k: usize) -> Option<DocBlock> {
    let mut block = DocBlock::of(section, &format!("model-{k}"))?;
    if let DocBlock::Table(table) = &mut block
        && table.rows.len() > ROWS
    {
        table.note = format!("{} more rows; ermine explain prints all.", format::count(table.rows.len() - ROWS));
        table.rows.truncate(ROWS);
    }
    Some(block)
}

/// The quality of the solution, and the method.
pub(super) fn evidence(fitted: &Fitted, evaluation: Option<&ReportEvaluation>) -> Option<DocSection> {
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
    let traces = evaluation
        .map(|j| j.traces(fitted))
        .unwrap_or_else(|| fitted.model.trace().map(|t| ("all rows".to_owned(), t)).into_iter().collect());
    part = part.figures(trace_figure(&traces).into_iter().collect());
    (!part.blocks.is_empty()).then_some(part)
}

/// The objective, step by step.
fn trace_figure(traces: &[(String, &Trace)]) -> Option<Figure> {
    let measured =
        |t: &Trace| ["objective", "gradient_norm"].into_iter().find(|name| t.column(name).is_some_and(|c| c.len() > 1));
    let name = traces.iter().find_map(|(_, t)| measured(t))?;
    let words = name.replace('_', " ");
    let mut chart = Chart::new("Convergence of the fit", "iteration", &words).sized(400.0, 270.0);
    let (mut first, mut last, mut steps) = (f64::NAN, f64::NAN, 0);
    for (k, (label, trace)) in traces.iter().enumerate() {
        let Some(values) = trace.column(name) else { continue };
        let at = trace.column("iteration").unwrap_or_else(|| (0..values.len()).map(|k| k as f64).collect());
        // Long traces are thinned, with the last step kept.
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
    let alt_text =
        format!("{} goes from {} to {} in {steps} steps.", crate::format::capital(&words), number(first), number(last));
    let of = if traces.len() > 1 { " The other lines are the models of the folds." } else { "" };
    Some(Figure::new("course", "Convergence of the fit", chart).alt_text(alt_text.clone()).caption(format!("{alt_text}{of}")))
}

fn number(v: f64) -> String {
    format::number(v)
}
