//! Report on a regression: metrics, predictions against the truth, residuals.

use ermine_core::{DatasetRef, Features, Mat, MatRef};
use ermine_eval::metrics;

use super::columns::histogram;
use crate::chart::{Chart, Series};
use crate::document::{DocBlock, DocSection, DocTable, Figure, MetricTile, TableCell, TableHead};
use crate::format;
use ermine_compose::Fitted;

/// Most targets with figures; of more the first.
const TARGETS: usize = 3;
/// Rows with the largest errors.
const WORST: usize = 10;

/// Rows with their targets and predictions.
pub(super) struct RegressorOutput<'a> {
    pub truth: MatRef<'a, f64>,
    pub predictions: &'a Mat<f64>,
    pub weight: Option<&'a [f64]>,
}

impl RegressorOutput<'_> {
    fn residuals(&self, k: usize) -> Vec<f64> {
        (0..self.truth.rows()).map(|i| self.truth.at(i, k) - self.predictions[(i, k)]).collect()
    }

    fn w(&self, i: usize) -> f64 {
        self.weight.map_or(1.0, |w| w[i])
    }
}

pub(super) fn tiles(output: &RegressorOutput<'_>) -> Vec<MetricTile> {
    let (truth, predictions, weight) = (output.truth, output.predictions.view(), output.weight);
    let n = truth.rows();
    let total: f64 = (0..n).map(|i| output.w(i)).sum();
    let targets = truth.cols() as f64;
    // The baseline: the mean for squares, the median for absolute values.
    let (mut spread, mut absolute) = (0.0, 0.0);
    for k in 0..truth.cols() {
        let mean: f64 = (0..n).map(|i| output.w(i) / total * truth.at(i, k)).sum();
        spread += (0..n).map(|i| output.w(i) / total * (truth.at(i, k) - mean).powi(2)).sum::<f64>() / targets;
        let mut sorted: Vec<f64> = (0..n).filter(|&i| output.w(i) > 0.0).map(|i| *truth.at(i, k)).collect();
        ermine_core::order::sort_numbers(&mut sorted);
        let middle = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
        absolute += (0..n).map(|i| output.w(i) / total * (truth.at(i, k) - middle).abs()).sum::<f64>() / targets;
    }
    let mse = metrics::mse(truth, predictions, weight);
    // The standard error of the mean of squares; that of the root is half of it, relatively.
    let square = |i: usize| (0..truth.cols()).map(|k| (truth.at(i, k) - predictions.at(i, k)).powi(2)).sum::<f64>() / targets;
    let error = (0..n).map(|i| (output.w(i) / total * (square(i) - mse)).powi(2)).sum::<f64>().sqrt();
    let (low, high) = ((mse - 1.96 * error).max(0.0).sqrt(), (mse + 1.96 * error).sqrt());
    vec![
        MetricTile {
            name: "R²".into(),
            value: format::number(metrics::r2(truth, predictions, weight)),
            detail: "share of the variance explained; 0 by always predicting the mean".into(),
        },
        MetricTile {
            name: "Root mean squared error".into(),
            value: format::number(mse.sqrt()),
            detail: format!(
                "95%: {} to {}; {} by the mean",
                format::number(low),
                format::number(high),
                format::number(spread.sqrt())
            ),
        },
        MetricTile {
            name: "Mean absolute error".into(),
            value: format::number(metrics::mae(truth, predictions, weight)),
            detail: format!("{} by the median", format::number(absolute)),
        },
    ]
}

pub(super) fn sentence(output: &RegressorOutput<'_>) -> String {
    let r2 = metrics::r2(output.truth, output.predictions.view(), output.weight);
    let rmse = metrics::rmse(output.truth, output.predictions.view(), output.weight);
    format!("{} of the variance is explained; the root mean squared error is {}.", format::percent(r2), format::number(rmse))
}

/// Predictions against the truth, and residuals.
pub(super) fn errors(fitted: &Fitted, output: &RegressorOutput<'_>, rows: Option<&DatasetRef<'_>>) -> DocSection {
    let mut part = DocSection::new("Errors")
        .lead("Predictions against the truth, and residuals. The residuals of a good model are noise: no shape, no trend.");
    for k in 0..output.truth.cols().min(TARGETS) {
        let name = fitted.target.names.get(k).cloned().unwrap_or_else(|| format!("target {k}"));
        let end = if output.truth.cols() > 1 { format!("-{}", k + 1) } else { String::new() };
        let pairs: Vec<(f64, f64)> =
            (0..output.truth.rows()).map(|i| (output.predictions[(i, k)], *output.truth.at(i, k))).collect();
        let residuals = output.residuals(k);
        let finite = |values: &mut dyn Iterator<Item = f64>| {
            values.filter(|v| v.is_finite()).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
        };
        let (low, high) = finite(&mut pairs.iter().flat_map(|p| [p.0, p.1]));
        let (from, to) = finite(&mut pairs.iter().map(|p| p.0));
        let correlation = correlation(&pairs, output.weight);
        let against = Chart::new(format!("{name}: true by predicted"), "predicted", format!("true {name}"))
            .with(Series::cloud("", pairs.clone()))
            .with(Series::guide(vec![(low, low), (high, high)]))
            .sized(400.0, 330.0);
        let left = Chart::new(format!("{name}: residuals by predicted"), "predicted", "true − predicted")
            .with(Series::cloud("", pairs.iter().zip(&residuals).map(|(p, r)| (p.0, *r)).collect()))
            .with(Series::guide(vec![(from, 0.0), (to, 0.0)]))
            .sized(400.0, 330.0);
        let mut figures = vec![
            Figure::new(format!("predicted{end}"), "True by predicted", against)
                .alt_text(format!(
                    "True {name} against predicted; correlation {}. The dashed line is equality.",
                    format::number(correlation)
                ))
                .caption("Predictions on the dashed line are exact."),
            Figure::new(format!("residuals{end}"), "Residuals by predicted", left)
                .alt_text("Residuals against the predictions.")
                .caption("A bend shows a missing nonlinear term; a widening cone, errors that grow with the prediction."),
        ];
        if let Some((edges, counts)) = histogram(&residuals, 40) {
            let chart = Chart::new(format!("{name}: residuals"), "true − predicted", "rows")
                .with(Series::histogram("", &edges, &counts))
                .sized(400.0, 280.0);
            let mut sorted = residuals.clone();
            ermine_core::order::sort_numbers(&mut sorted);
            let at = |q: f64| format::number(sorted[(q * (sorted.len() - 1) as f64).round() as usize]);
            let alt_text = format!(
                "Half of the residuals are between {} and {}, nine of ten between {} and {}.",
                at(0.25),
                at(0.75),
                at(0.05),
                at(0.95)
            );
            figures.push(
                Figure::new(format!("residual-histogram{end}"), "Residuals", chart).alt_text(alt_text.clone()).caption(alt_text),
            );
        }
        if let Some(chart) = normal_plot(&residuals) {
            figures.push(
                Figure::new(format!("normal{end}"), "Residuals against a normal distribution", chart)
                    .alt_text("Sorted residuals against the quantiles of a normal distribution; the dashed line is equality.")
                    .caption(
                        "Ends that leave the dashed line are heavier or lighter tails than those of the normal distribution.",
                    ),
            );
        }
        part = part.figures(figures);
        if k == 0 {
            part = part.with(DocBlock::Fold {
                title: "The largest errors".into(),
                blocks: vec![DocBlock::Table(worst(fitted, output, k, rows))],
            });
        }
    }
    part
}

fn correlation(pairs: &[(f64, f64)], weight: Option<&[f64]>) -> f64 {
    let w = |i: usize| weight.map_or(1.0, |w| w[i]);
    let total: f64 = (0..pairs.len()).map(w).sum();
    let mean = |f: fn(&(f64, f64)) -> f64| pairs.iter().enumerate().map(|(i, p)| w(i) / total * f(p)).sum::<f64>();
    let (a, b) = (mean(|p| p.0), mean(|p| p.1));
    let sum = |f: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().enumerate().map(|(i, p)| w(i) / total * f(p)).sum::<f64>();
    let both = sum(&|p| (p.0 - a) * (p.1 - b));
    both / (sum(&|p| (p.0 - a).powi(2)) * sum(&|p| (p.1 - b).powi(2))).sqrt()
}

/// Normal quantile plot of the standardized residuals.
fn normal_plot(residuals: &[f64]) -> Option<Chart> {
    let mut sorted: Vec<f64> = residuals.iter().copied().filter(|v| v.is_finite()).collect();
    ermine_core::order::sort_numbers(&mut sorted);
    let n = sorted.len();
    let mean = sorted.iter().sum::<f64>() / n as f64;
    let spread = (sorted.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64).sqrt();
    if n < 8 || spread.is_nan() || spread <= 0.0 {
        return None;
    }
    // Some hundred of them: all at the ends, which matter, and few in the middle.
    let shown: Vec<usize> = if n <= 400 {
        (0..n).collect()
    } else {
        let middle = (0..300).map(|k| 50 + k * (n - 100) / 300);
        (0..50).chain(middle).chain(n - 50..n).collect()
    };
    let quantile = |i: usize| ermine_math::distribution::Normal.quantile((i as f64 + 0.5) / n as f64);
    let points: Vec<(f64, f64)> = shown.into_iter().map(|i| (quantile(i), (sorted[i] - mean) / spread)).collect();
    let (a, b) = (points[0].0, points[points.len() - 1].0);
    Some(
        Chart::new("Residuals against a normal distribution", "normal quantile", "standardized residual")
            .with(Series::cloud("", points))
            .with(Series::guide(vec![(a, a), (b, b)]))
            .sized(400.0, 280.0),
    )
}

/// The rows with the largest errors.
fn worst(fitted: &Fitted, output: &RegressorOutput<'_>, k: usize, rows: Option<&DatasetRef<'_>>) -> DocTable {
    let residuals = output.residuals(k);
    let mut order: Vec<usize> = (0..residuals.len()).filter(|&i| output.w(i) > 0.0).collect();
    ermine_core::order::sort_by_number_descending(&mut order, |a| residuals[a].abs());
    order.truncate(WORST);
    let columns = rows.map_or(0, |d| d.cols().min(4));
    let mut heads = vec![TableHead::number("true"), TableHead::number("predicted"), TableHead::number("residual")];
    heads.extend((0..columns).map(|j| TableHead::word(fitted.schema.name(j))));
    let row = |&i: &usize| {
        let mut cells: Vec<TableCell> = [*output.truth.at(i, k), output.predictions[(i, k)], residuals[i]]
            .map(|v| TableCell::from(format::number(v)))
            .to_vec();
        cells.extend((0..columns).filter_map(|j| Some(cell(&rows?.x, i, j).into())));
        cells
    };
    DocTable { heads, rows: order.iter().map(row).collect(), ..DocTable::default() }
}

/// A cell as text.
pub(super) fn cell(x: &Features<'_>, row: usize, column: usize) -> String {
    match x {
        Features::F64(m) => format::number(*m.at(row, column)),
        Features::F32(m) => format::number(f64::from(*m.at(row, column))),
        Features::Csr(m) => {
            let (at, values) = m.row(row);
            format::number(at.binary_search(&(column as u32)).map_or(0.0, |k| values[k]))
        }
        Features::Table(t) if t.is_missing(row, column) => "missing".into(),
        Features::Table(t) => match (t.numbers(column), t.categories(column)) {
            (Some(values), _) => format::number(values[row]),
            (_, Some((codes, names))) => names[codes[row] as usize].clone(),
            _ => String::new(),
        },
    }
}
