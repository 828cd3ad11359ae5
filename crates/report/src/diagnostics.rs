//! Diagnostics of a model on data: metrics, and for regressions an analysis of the residuals.

use ermine_core::{Attributor, Cell, Column, ColumnKind, Features, MatRef, Report, Result, Target};
use ermine_eval::metrics;

use ermine_compose::Fitted;

/// Most columns whose correlation with the residuals is computed.
const MOST_COLUMNS: usize = 1000;
/// Most rows that are explained; of more, evenly spaced ones.
const MOST_EXPLAINED: usize = 2000;
/// Most operations of the attributions: some ten seconds on one core. A few rows are explained in any case.
const MOST_WORK: f64 = 2e10;
const FEW_EXPLAINED: usize = 50;

/// Diagnostics on rows whose target is known: all metrics that apply and, for a regression, the mean and spread of the
/// residuals and their correlations with the predictions and the number columns.
pub fn diagnose(fitted: &Fitted, x: &Features<'_>, y: &Target<'_>, weight: Option<&[f64]>) -> Result<Report> {
    let mut out = Report::default();
    let predicts = fitted.model.as_regressor().is_some() || fitted.model.as_classifier().is_some();
    if !predicts && fitted.model.as_clusterer().is_none() && fitted.model.as_density().is_none() {
        out.text("This model neither predicts nor clusters, so it cannot be evaluated on data.");
        return Ok(out);
    }
    let measures = metrics::evaluate(&*fitted.model, x, y, weight)?;
    out.table("Measures", &["measure", "value"], measures.iter().map(|&(n, v)| vec![n.into(), v.into()]).collect());
    if let (Some(regressor), Target::Real(_) | Target::Reals(_)) = (fitted.model.as_regressor(), y) {
        let (truth, predictions) = (y.reals()?, regressor.predict(x)?);
        for k in 0..truth.cols() {
            let of = match truth.cols() {
                1 => String::new(),
                _ => format!(" of {}", fitted.target.names.get(k).cloned().unwrap_or_else(|| format!("target {k}"))),
            };
            let residual: Vec<f64> = (0..truth.rows()).map(|i| truth.at(i, k) - predictions[(i, k)]).collect();
            residuals(&mut out, &of, &residual, predictions.view(), k, x, weight);
        }
    }
    if let Some(explained) = fitted.model.as_attributor() {
        contributions(fitted, &mut out, explained, x, weight)?;
    }
    Ok(out)
}

/// How much each column adds to the predictions, by Shapley values.
fn contributions(
    fitted: &Fitted,
    out: &mut Report,
    model: &dyn Attributor,
    x: &Features<'_>,
    weight: Option<&[f64]>,
) -> Result<()> {
    let affordable = (MOST_WORK / model.attribution_cost()) as usize;
    let step = x.rows().div_ceil(affordable.clamp(FEW_EXPLAINED, MOST_EXPLAINED)).max(1);
    let rows: Vec<usize> = (0..x.rows()).step_by(step).collect();
    let taken = x.take_rows(&rows);
    let parts = model.attributions(&taken.view())?;
    let (outputs, width) = (model.n_outputs(), model.n_features() + 1);
    let w = |k: usize| weight.map_or(1.0, |w| w[rows[k]]);
    let total: f64 = (0..rows.len()).map(w).sum();
    if total <= 0.0 {
        return Ok(());
    }
    let size = |j: usize| {
        let of_row = |k: usize| (0..outputs).map(|o| parts[(k, o * width + j)].abs()).sum::<f64>();
        (0..rows.len()).map(|k| w(k) / total * of_row(k)).sum::<f64>()
    };
    let mut sizes: Vec<(usize, f64)> = (0..width - 1).map(|j| (j, size(j))).collect();
    sizes.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let over = if outputs > 1 { ", summed over the outputs" } else { "" };
    let title = format!("Contributions: mean |SHAP value| of the {}{over}", model.output_name());
    out.table(
        title,
        &["column", "mean |SHAP|"],
        sizes.into_iter().map(|(j, v)| vec![fitted.schema.name(j).into(), v.into()]).collect(),
    );
    if step > 1 {
        out.text(format!("Contributions are those of {} rows, one of every {step}.", rows.len()));
    }
    Ok(())
}

fn residuals(
    out: &mut Report,
    of: &str,
    residual: &[f64],
    predictions: MatRef<'_, f64>,
    k: usize,
    x: &Features<'_>,
    weight: Option<&[f64]>,
) {
    let w = |i: usize| weight.map_or(1.0, |w| w[i]);
    let total: f64 = (0..residual.len()).map(w).sum();
    let mean = residual.iter().enumerate().map(|(i, r)| w(i) / total * r).sum::<f64>();
    let spread = residual.iter().enumerate().map(|(i, r)| w(i) / total * (r - mean) * (r - mean)).sum::<f64>().sqrt();
    let mut sorted: Vec<f64> = (0..residual.len()).filter(|&i| w(i) > 0.0).map(|i| residual[i]).collect();
    ermine_core::order::sort_numbers(&mut sorted);
    let Some(last) = sorted.len().checked_sub(1) else { return };
    let quantile = |q: f64| sorted[(q * last as f64).round() as usize];
    let rows = [
        ("mean", mean),
        ("standard deviation", spread),
        ("least", sorted[0]),
        ("quarter", quantile(0.25)),
        ("median", quantile(0.5)),
        ("three quarters", quantile(0.75)),
        ("greatest", sorted[last]),
    ];
    out.table(format!("Residuals{of}"), &["statistic", "value"], rows.iter().map(|&(n, v)| vec![n.into(), v.into()]).collect());
    let correlate = |value: &dyn Fn(usize) -> f64| correlation(residual, value, weight);
    let mut rows: Vec<Vec<Cell>> =
        vec![vec!["(predicted)".into(), correlate(&|i| *predictions.at(i, k)).map_or(Cell::Empty, Cell::from)]];
    match x {
        Features::Table(t) => {
            let range = t.range();
            for (column, field) in t.table().columns().zip(&t.schema().fields).take(MOST_COLUMNS) {
                if let (Column::Number { values, .. }, ColumnKind::Number | ColumnKind::Date) = (column, field.kind) {
                    let value = |i: usize| if column.is_missing(range.start + i) { f64::NAN } else { values[range.start + i] };
                    rows.push(vec![field.name.as_str().into(), correlate(&value).map_or(Cell::Empty, Cell::from)]);
                }
            }
        }
        Features::F64(m) => {
            for j in 0..m.cols().min(MOST_COLUMNS) {
                rows.push(vec![format!("x{j}").into(), correlate(&|i| *m.at(i, j)).map_or(Cell::Empty, Cell::from)]);
            }
        }
        _ => {}
    }
    out.table(format!("Correlation of the residuals{of}"), &["with", "correlation"], rows);
    let chance = 2.0 / (sorted.len() as f64).sqrt();
    out.text(format!(
        "On its training rows least squares leaves residuals of mean 0, uncorrelated with its columns. A correlation beyond \
         ±{chance:.2} is rarely chance (2/√n): it points at what the model misses."
    ));
}

/// The weighted correlation of the residuals with a column over the rows where the column has a value; `None` where one
/// of them is constant.
fn correlation(residual: &[f64], value: &dyn Fn(usize) -> f64, weight: Option<&[f64]>) -> Option<f64> {
    let rows: Vec<(f64, f64, f64)> = (0..residual.len())
        .map(|i| (weight.map_or(1.0, |w| w[i]), value(i), residual[i]))
        .filter(|r| r.0 > 0.0 && r.1.is_finite())
        .collect();
    // A constant differs from its mean by rounding only, which is no variation.
    let varies = |f: &dyn Fn(&(f64, f64, f64)) -> f64| rows.windows(2).any(|w| f(&w[0]) != f(&w[1]));
    if !(varies(&|r| r.1) && varies(&|r| r.2)) {
        return None;
    }
    let total: f64 = rows.iter().map(|r| r.0).sum();
    // Scaled first, so that squares do not overflow.
    let size = |f: &dyn Fn(&(f64, f64, f64)) -> f64| rows.iter().map(|r| f(r).abs()).fold(0.0, f64::max);
    let (a, b) = (size(&|r| r.1), size(&|r| r.2));
    if !(a > 0.0 && b > 0.0 && b.is_finite()) {
        return None;
    }
    let mean = |f: &dyn Fn(&(f64, f64, f64)) -> f64| rows.iter().map(|r| r.0 / total * f(r)).sum::<f64>();
    let (ma, mb) = (mean(&|r| r.1 / a), mean(&|r| r.2 / b));
    let (va, vb) = (mean(&|r| (r.1 / a - ma).powi(2)), mean(&|r| (r.2 / b - mb).powi(2)));
    let both = mean(&|r| (r.1 / a - ma) * (r.2 / b - mb));
    let correlation = both / (va * vb).sqrt();
    correlation.is_finite().then_some(correlation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_compose::{Problem, prepared};
    use ermine_core::{Context, Roles};

    /// The value beside a name in the table called `title`.
    fn cell(report: &Report, title: &str, name: &str) -> f64 {
        let rows = report.sections.iter().find_map(|s| match s {
            ermine_core::Section::Table { title: t, rows, .. } if t == title => Some(rows),
            _ => None,
        });
        let row = rows.unwrap().iter().find(|r| r[0] == Cell::from(name)).unwrap();
        let Cell::Number(v) = row[1] else { panic!("{row:?}") };
        v
    }

    #[test]
    fn residuals_of_least_squares_have_mean_zero_and_no_correlation() {
        let table = ermine_data::read_table("example:diabetes").unwrap();
        let problem = Problem::from_table(table, &Roles::with_target("progression")).unwrap();
        let data = problem.dataset();
        let fitted = Fitted::train(prepared(ermine_compose::learner("ols").unwrap()), &problem, &Context::default()).unwrap();
        let report = diagnose(&fitted, &data.x, &data.y, None).unwrap();
        let spread = cell(&report, "Residuals", "standard deviation");
        assert!(cell(&report, "Residuals", "mean").abs() < 1e-12 * spread);
        for name in problem.x.schema().names().chain(["(predicted)"]) {
            assert!(cell(&report, "Correlation of the residuals", name).abs() < 1e-11, "{name}");
        }
        // A model without a column leaves its correlation in the residuals.
        let (less, _) = problem.x.clone().split_off(&["bmi"]).unwrap();
        let mut short = problem.clone();
        short.x = less;
        let fitted = Fitted::train(prepared(ermine_compose::learner("ols").unwrap()), &short, &Context::default()).unwrap();
        let residual = problem.y.view().reals().unwrap();
        let predictions = fitted.model.as_regressor().unwrap().predict(&short.dataset().x).unwrap();
        let residual: Vec<f64> = (0..residual.rows()).map(|i| residual.at(i, 0) - predictions[(i, 0)]).collect();
        let Column::Number { values, .. } = problem.x.column("bmi").unwrap() else { panic!("numbers") };
        assert!(correlation(&residual, &|i| values[i], None).unwrap() > 0.2);
        assert!((correlation(&residual, &|i| 1e300 * residual[i], None).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(correlation(&residual, &|_| 7.0, None), None);
    }
}
