//! Curves, paths, courses, trees: what a fit looks like.

use anyhow::{Context as _, Result};
use ermine::chart::{Chart, Series, TreeChart};
use ermine::core::{Cell, Context, Section};
use ermine::{Fitted, Problem, Roles};
use serde_json::{Value, json};

use super::data::{self, Rows, grid, predictions};
use super::inline;

/// Lines of learners through the eruptions of a geyser: learner, name of the curve, parameters.
pub fn line(learners: &[(&str, &str, Value)]) -> Result<String> {
    let rows = Rows::example("faithful", &["eruptions"], "waiting")?;
    fitted_curves(&rows, learners, ("eruption, minutes", "waiting time, minutes"))
}

/// Curves of learners through a noisy wave.
pub fn curve(learners: &[(&str, &str, Value)]) -> Result<String> {
    fitted_curves(&data::wave(), learners, ("x", "y"))
}

/// A learner after several numbers of rounds.
pub fn rounds(name: &str, parameter: &str, counts: &[u64], params: Value) -> Result<String> {
    let names: Vec<String> = counts.iter().map(|n| format!("{n} rounds")).collect();
    let with = |n: u64| {
        let mut params = params.clone();
        params[parameter] = json!(n);
        params
    };
    let learners: Vec<(&str, &str, Value)> = names.iter().zip(counts).map(|(text, &n)| (name, text.as_str(), with(n))).collect();
    curve(&learners)
}

/// Several levels of one learner where the spread grows.
pub fn levels(name: &str, parameter: &str, levels: &[f64], params: Value) -> Result<String> {
    let names: Vec<String> = levels.iter().map(|level| format!("{parameter} {level}")).collect();
    let with = |level: f64| {
        let mut params = params.clone();
        params[parameter] = json!(level);
        params
    };
    let learners: Vec<(&str, &str, Value)> =
        names.iter().zip(levels).map(|(text, &level)| (name, text.as_str(), with(level))).collect();
    fitted_curves(&data::fan(), &learners, ("x", "y"))
}

/// Learners on a line with some targets far off.
pub fn outliers(names: &[&str]) -> Result<String> {
    let learners: Vec<(&str, &str, Value)> = names.iter().map(|&n| (n, n, json!({}))).collect();
    fitted_curves(&data::line_with_outliers(), &learners, ("x", "y"))
}

/// A Poisson regression of counts.
pub fn counts() -> Result<String> {
    fitted_curves(&data::counts(), &[("glm", "mean", json!({"family": "poisson"}))], ("x", "count"))
}

fn fitted_curves(rows: &Rows, learners: &[(&str, &str, Value)], axes: (&str, &str)) -> Result<String> {
    let x: Vec<f64> = rows.x.as_slice().to_vec();
    let (low, high) = (x.iter().copied().fold(f64::INFINITY, f64::min), x.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    let places = grid(low, high, 241);
    let points: Vec<(f64, f64)> = x.iter().copied().zip(rows.y.iter().copied()).collect();
    let mut chart = Chart::new("", axes.0, axes.1).with(Series::points("", points).in_background());
    for (name, text, params) in learners {
        let model = rows.fit(name, params)?;
        let text = if text.is_empty() { name } else { text };
        chart = chart.with(Series::line(*text, predictions(&*model, &places)?));
    }
    Ok(inline(chart, "Training rows and the fitted curves"))
}

/// Coefficients along the penalty.
pub fn coefficient_paths(name: &str, params: Value) -> Result<String> {
    let rows = Rows::whole("diabetes", "progression")?.standardized();
    let alphas: Vec<f64> = match name {
        "ridge" => grid(-1.0, 5.0, 61),
        _ => grid(-2.0, 1.7, 61),
    };
    let mut curves: Vec<Vec<(f64, f64)>> = vec![Vec::new(); rows.x.cols()];
    for alpha in alphas.into_iter().map(|a| 10f64.powf(a)) {
        let mut params = params.clone();
        params["alpha"] = json!(alpha);
        let model = rows.fit(name, &params)?;
        for (curve, value) in curves.iter_mut().zip(coefficients(&rows, &*model)?) {
            curve.push((alpha, value));
        }
    }
    let mut chart = Chart::new("", "alpha", "coefficient").log_x();
    for (name, curve) in rows.schema.names().zip(curves) {
        chart = chart.with(Series::line(name, curve));
    }
    Ok(inline(chart, "Coefficients as the penalty grows"))
}

/// The coefficients of a linear model, from predictions at the origin and one step along each column.
fn coefficients(rows: &Rows, model: &dyn ermine::core::Model) -> Result<Vec<f64>> {
    let p = rows.x.cols();
    let places = ermine::core::Mat::from_fn(p + 1, p, |i, j| f64::from(u8::from(i == j + 1)));
    let regressor = model.as_regressor().context("it predicts no numbers")?;
    let y = regressor.predict(&ermine::core::Features::F64(places.view()))?;
    Ok((0..p).map(|j| y[(j + 1, 0)] - y[(0, 0)]).collect())
}

/// The objective by iteration.
pub fn trace(name: &str, params: Value) -> Result<String> {
    let rows = Rows::example("penguins", &["bill_length_mm", "bill_depth_mm"], "species")?.standardized();
    let model = rows.fit(name, &params)?;
    let trace = model.trace().context("it has no trace")?;
    let objective = trace.column("objective").context("its trace has no objective")?;
    let steps = trace.column("iteration").unwrap_or_else(|| (0..objective.len()).map(|i| i as f64).collect());
    let chart = Chart::new("", "epoch", "objective").with(Series::line("", steps.into_iter().zip(objective).collect()));
    Ok(inline(chart, "The objective by epoch"))
}

fn fitted(name: &str, data: &str, target: &str, params: &Value) -> Result<Fitted> {
    let table = ermine::data::read_table(format!("example:{data}"))?;
    let problem = Problem::from_table(table, &Roles::with_target(target))?;
    let mut learner = ermine::learner(name)?;
    if let Value::Object(params) = params {
        learner.set_all(params)?;
    }
    Ok(Fitted::train(ermine::prepared(learner), &problem, &Context::default())?)
}

/// A tree as a drawing.
pub fn tree(name: &str, data: &str, target: &str, params: Value) -> Result<String> {
    let report = fitted(name, data, target, &params)?.report();
    let chart = report.sections.iter().find_map(TreeChart::of).context("its report has no tree")?;
    Ok(chart.to_inline("The fitted tree"))
}

/// The importances of the columns.
pub fn importances(name: &str) -> Result<String> {
    let report = fitted(name, "penguins", "species", &json!({}))?.report();
    let table = report.sections.iter().find_map(|section| match section {
        Section::Table { title, rows, .. } if title.starts_with("Importance") => Some(rows),
        _ => None,
    });
    let bar = |row: &Vec<Cell>| match row[..] {
        [Cell::Text(ref name), Cell::Number(value), ..] => Some((name.clone(), value)),
        _ => None,
    };
    let bars: Vec<(String, f64)> = table.context("its report has no importances")?.iter().filter_map(bar).collect();
    let points = bars.iter().enumerate().map(|(k, bar)| (k as f64, bar.1)).collect();
    let chart = Chart::new("", "column", "importance").with(Series::bars("", points)).named_x(bars.into_iter().map(|bar| bar.0));
    Ok(inline(chart, "Importances of the columns"))
}

/// The first plot of a learner's report.
pub fn report_plot(name: &str) -> Result<String> {
    let report = fitted(name, "diabetes", "progression", &json!({}))?.report();
    let plot = report.sections.iter().find(|s| matches!(s, Section::Plot { .. })).context("its report has no plot")?;
    Ok(inline(Chart::of(plot).context("a plot without a chart")?, "The course of the selection"))
}
