//! Importances, attributions and partial dependences of a model.

use std::time::Instant;

use ermine_core::{Context, DatasetRef, Features, Result, RngStream};
use ermine_eval::explain::{
    Dependence, GridValues, Importances, ModelOutput, PartialDependence, PermutationImportance, attributions, can_attribute,
};

use super::ReportOptions;
use super::evaluation::ReportEvaluation;
use crate::chart::{Bar, Bars, BeeswarmChart, BeeswarmRow, Chart, Series};
use crate::document::{DocBlock, DocSection, DocTable, Figure, TableCell, TableHead};
use crate::format;
use ermine_compose::Fitted;

/// Most columns in the figures.
const SHOWN: usize = 15;
/// Columns whose dependence is drawn.
const DEPENDENCES: usize = 6;
/// Most predictions for importances, and least rows.
const PREDICTIONS: usize = 1_000_000;
const FEW_ROWS: usize = 250;
/// Most columns for which importances are computed by default.
const MANY_COLUMNS: usize = 500;
/// Rows whose attributions are drawn, and most operations for them.
const SWARM_ROWS: usize = 300;
const SWARM_WORK: f64 = 2e10;
/// Curves of single rows.
const CURVES: usize = 40;

/// The importances of the columns for an evaluated model, on as many rows as time allows; their number is in the
/// result.
pub fn importances(
    fitted: &Fitted,
    data: &DatasetRef<'_>,
    evaluation: &ReportEvaluation,
    settings: &ReportOptions,
    cx: &Context<'_>,
) -> Result<Importances> {
    let judged = evaluation.models_with_rows(fitted, data);
    let mut how = PermutationImportance { measure: settings.measure.clone(), ..PermutationImportance::default() };
    let asked = |how: &PermutationImportance| data.cols() * how.repeats;
    how.rows = match settings.sample {
        Some(rows) => rows.max(2),
        None => {
            let affordable = (PREDICTIONS / asked(&how).max(1)).clamp(FEW_ROWS, how.rows);
            // A slow model gets fewer rows; the page and its command have the number.
            let few: Vec<usize> = (0..judged[0].data.rows().min(FEW_ROWS)).collect();
            let trial = judged[0].data.take_rows(&few);
            let started = Instant::now();
            ModelOutput::of(judged[0].model, &trial.x.view())?;
            let a_row = started.elapsed().as_secs_f64() / few.len().max(1) as f64;
            let in_time = settings.patience.as_secs_f64() / (a_row * asked(&how) as f64).max(1e-12);
            let mut rows = affordable;
            while rows > FEW_ROWS && rows as f64 > in_time {
                rows = (rows / 2).max(FEW_ROWS);
            }
            rows
        }
    };
    how.importances(&judged, cx)
}

/// Whether there are few enough columns for importances.
pub(super) fn few_enough(data: &DatasetRef<'_>) -> bool {
    data.cols() <= MANY_COLUMNS
}

/// The most important columns, as bars.
pub fn importance_bars(fitted: &Fitted, importances: &Importances) -> Bars {
    let bar = |&j: &usize| {
        let i = &importances.columns[j];
        Bar {
            name: fitted.schema.name(j),
            value: i.mean,
            span: Some((i.low, i.high)),
            label: format::number(i.mean),
            quiet: i.low <= 0.0,
        }
    };
    let rows = importances.ranking().iter().take(SHOWN).map(bar).collect();
    let label = format!("rise of {} when the column is permuted", measure_words(&importances.measure));
    Bars { title: "Importance".into(), label, rows, ..Bars::default() }
}

fn measure_words(measure: &str) -> String {
    match measure {
        "log_loss" => "log loss".into(),
        "rmse" => "the root mean squared error".into(),
        other => other.replace('_', " "),
    }
}

pub(super) fn part(fitted: &Fitted, data: &DatasetRef<'_>, importances: &Importances, cx: &Context<'_>) -> Result<DocSection> {
    let bars = importance_bars(fitted, importances);
    let top: Vec<String> = bars.rows.iter().take(3).map(|b| format!("{} ({})", b.name, b.label)).collect();
    let alt_text = format!("Importances with 95% intervals; the largest are {}.", top.join(", "));
    let caption = format!(
        "Lines are 95% intervals; gray where they are not significantly above 0. {}, {} permutations of each column.",
        format::capital(&format::counted(importances.rows, "row")),
        importances.repeats
    );
    let mut figures = vec![Figure::new("importances", "Importance of the columns", bars).alt_text(alt_text).caption(caption)];
    figures.extend(swarm(fitted, data, cx)?);
    let mut part = DocSection::new("What matters")
        .lead("How much worse the model predicts when the cells of a column are permuted among the rows. Redundant columns share their importance.")
        .figures(figures);
    let rows = importances.ranking().into_iter().map(|j| {
        let i = &importances.columns[j];
        let cells = [i.mean, i.low, i.high].map(|v| TableCell::from(format::number(v)));
        std::iter::once(TableCell::from(fitted.schema.name(j))).chain(cells).collect()
    });
    let heads = vec![
        TableHead::word("column"),
        TableHead::number("importance"),
        TableHead::number("95% low"),
        TableHead::number("95% high"),
    ];
    let grid = DocTable { heads, rows: rows.take(200).collect(), ..DocTable::default() };
    part = part.with(DocBlock::Fold { title: "All importances".into(), blocks: vec![DocBlock::Table(grid)] });
    Ok(part)
}

/// Attributions, for models that have them.
fn swarm(fitted: &Fitted, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Option<Figure>> {
    if !can_attribute(&*fitted.model) {
        return Ok(None);
    }
    let outputs = fitted.model.as_attributor().map(|e| e.n_outputs()).or(fitted.model.as_additive().map(|a| a.n_outputs()));
    let work = fitted.model.as_attributor().map_or((data.cols() * outputs.unwrap_or(1)) as f64 * 50.0, |e| e.attribution_cost());
    let most = ((SWARM_WORK / work.max(1.0)) as usize).clamp(20, SWARM_ROWS);
    let mut rows: Vec<usize> = (0..data.rows()).collect();
    if rows.len() > most {
        rows = RngStream::new(cx.seed, "rows for attributions", 0).permutation(data.rows());
        rows.truncate(most);
        rows.sort_unstable();
    }
    let taken = data.take_rows(&rows);
    let Some(attributions) = attributions(&*fitted.model, &taken.x.view(), taken.weight.as_deref())? else { return Ok(None) };
    // Of two complementary classes the second; of several the most frequent.
    let classes = fitted.model.as_classifier().map(|c| c.classes());
    let output = match (classes, attributions.outputs) {
        (Some(_), 2) => 1,
        (Some(names), n) if n == names.len() => frequent(&data.y),
        _ => 0,
    };
    let of = match classes {
        Some(names) if attributions.outputs == names.len() => format!(" of {}", names[output]),
        Some(names) if names.len() == 2 => format!(" of {}", names[1]),
        _ => String::new(),
    };
    let size = |j: usize| (0..rows.len()).map(|i| attributions.at(i, output, j).abs()).sum::<f64>();
    let mut order: Vec<usize> = (0..attributions.columns()).collect();
    ermine_core::order::sort_by_number_descending(&mut order, size);
    let row = |&j: &usize| {
        let shades = shades(&taken.x.view(), j);
        let points = (0..rows.len()).map(|i| (attributions.at(i, output, j), shades.as_ref().and_then(|s| s[i]))).collect();
        BeeswarmRow { name: fitted.schema.name(j), points }
    };
    let rows_shown: Vec<BeeswarmRow> = order.iter().take(SHOWN).map(row).collect();
    let names: Vec<&str> = rows_shown.iter().take(3).map(|r| r.name.as_str()).collect();
    let alt_text = format!(
        "What the columns add to the {}{of}, one dot per row. Most is added by {}.",
        attributions.explains,
        names.join(", ")
    );
    let label = format!("added to the {}{of}", attributions.explains);
    let swarm = BeeswarmChart {
        title: "What the columns add".into(),
        label,
        shades: ("low value".into(), "high value".into()),
        rows: rows_shown,
        width: None,
    };
    let caption = format!(
        "A dot is a row ({} of them), its color the value of the column; gray for categories. Shapley values.",
        rows.len()
    );
    Ok(Some(Figure::new("attributions", "What the columns add to a prediction", swarm).alt_text(alt_text).caption(caption)))
}

fn frequent(y: &ermine_core::Target<'_>) -> usize {
    let Ok((codes, names)) = y.classes() else { return 0 };
    let mut counts = vec![0usize; names.len()];
    codes.iter().for_each(|&c| counts[c as usize] += 1);
    (0..counts.len()).max_by_key(|&c| (counts[c], usize::MAX - c)).unwrap_or(0)
}

/// The rank of each number in its column, from 0 to 1; none for categories.
fn shades(x: &Features<'_>, column: usize) -> Option<Vec<Option<f64>>> {
    let values: Vec<f64> = match x {
        Features::F64(m) => m.col_iter(column).collect(),
        Features::F32(m) => m.col_iter(column).map(f64::from).collect(),
        Features::Csr(m) => m.to_dense().view().col_iter(column).collect(),
        Features::Table(t) => t.numbers(column)?.to_vec(),
    };
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    ermine_core::order::sort_numbers(&mut sorted);
    let last = sorted.len().saturating_sub(1).max(1) as f64;
    let rank = |v: f64| {
        let (below, up_to) = (sorted.partition_point(|s| *s < v), sorted.partition_point(|s| *s <= v));
        (0.5 * (below + up_to.saturating_sub(1)) as f64 / last).clamp(0.0, 1.0)
    };
    Some(values.into_iter().map(|v| v.is_finite().then(|| rank(v))).collect())
}

/// The dependences on the most important columns.
pub fn dependences(
    fitted: &Fitted,
    data: &DatasetRef<'_>,
    order: &[usize],
    most: usize,
    cx: &Context<'_>,
) -> Result<Vec<Dependence>> {
    let mut out = Vec::new();
    for &j in order {
        if out.len() == most {
            break;
        }
        out.extend(PartialDependence::default().of(&*fitted.model, &data.x, data.weight, j, cx)?);
    }
    Ok(out)
}

/// Predictions as functions of the most important columns.
pub(super) fn dependence_part(
    fitted: &Fitted,
    data: &DatasetRef<'_>,
    order: &[usize],
    cx: &Context<'_>,
) -> Result<Option<DocSection>> {
    let curves = dependences(fitted, data, order, DEPENDENCES, cx)?;
    if curves.is_empty() {
        return Ok(None);
    }
    let figure = |d: &Dependence| {
        let chart = dependence_chart(fitted, d).sized(400.0, 270.0);
        let name = fitted.schema.name(d.column);
        let alt_text = dependence_text(fitted, d);
        Figure::new(format!("dependence-{}", d.column), format!("{} by {name}", chart.y.label.clone()), chart).alt_text(alt_text)
    };
    let figures = curves.iter().map(figure).collect();
    Ok(Some(
        DocSection::new("How predictions move")
            .lead(
                "The mean prediction when every row has the value along the axis (blue, with its 95% interval), and the curves of single rows \
                 (gray): where these are not parallel, the effect depends on other columns. Marks along the axis are deciles.",
            )
            .figures(figures),
    ))
}

fn output_names(fitted: &Fitted, outputs: usize) -> Vec<String> {
    match fitted.model.as_classifier() {
        Some(c) if outputs == 1 => vec![format!("probability of {}", c.classes().get(1).map_or("", |n| n))],
        Some(c) => c.classes().to_vec(),
        None => (0..outputs).map(|o| fitted.target.names.get(o).cloned().unwrap_or_else(|| format!("target {o}"))).collect(),
    }
}

/// The chart of a dependence.
pub fn dependence_chart(fitted: &Fitted, d: &Dependence) -> Chart {
    let names = output_names(fitted, d.each.len());
    let single = names.len() == 1;
    let label = match (fitted.model.as_classifier(), single) {
        (_, true) => names[0].clone(),
        (Some(_), false) => "probability".into(),
        (None, false) => "prediction".into(),
    };
    let column = fitted.schema.name(d.column);
    let mut chart = Chart::new(format!("{label} by {column}"), &column, label);
    let at = |k: usize| match &d.places {
        GridValues::Numbers(v) => v[k],
        GridValues::Names(_) => k as f64,
    };
    let numbers = matches!(d.places, GridValues::Numbers(_));
    if single && numbers {
        let rows = d.each[0].rows();
        let step = rows.div_ceil(CURVES).max(1);
        for i in (0..rows).step_by(step) {
            let points = d.each[0].row(i).iter().enumerate().map(|(k, v)| (at(k), *v)).collect();
            chart = chart.with(Series::line("", points).in_background());
        }
    }
    for (o, name) in names.iter().enumerate() {
        let points: Vec<(f64, f64)> = (0..d.mean.rows()).map(|k| (at(k), d.mean[(k, o)])).collect();
        let spans =
            (0..d.mean.rows()).map(|k| (d.mean[(k, o)] - 1.96 * d.error[(k, o)], d.mean[(k, o)] + 1.96 * d.error[(k, o)]));
        let named = if single { "" } else { name };
        let series = if numbers { Series::line(named, points) } else { Series::points(named, points) };
        chart = chart.with(if single || !numbers { series.with_band(spans.collect()) } else { series });
    }
    if let GridValues::Names(names) = &d.places {
        chart = chart.named_x(names.iter().map(String::as_str));
    }
    chart.with_rug(d.deciles.clone())
}

/// A dependence as text.
fn dependence_text(fitted: &Fitted, d: &Dependence) -> String {
    let names = output_names(fitted, d.each.len());
    let of = |o: usize| {
        let value = |k: usize| d.mean[(k, o)];
        let order = |a: &usize, b: &usize| value(*a).total_cmp(&value(*b));
        let (low, high) = ((0..d.mean.rows()).min_by(order).unwrap_or(0), (0..d.mean.rows()).max_by(order).unwrap_or(0));
        let place = |k: usize| match &d.places {
            GridValues::Numbers(v) => format::number(v[k]),
            GridValues::Names(v) => v[k].clone(),
        };
        format!(
            "{}: from {} at {} to {} at {}",
            names[o],
            format::number(value(low)),
            place(low),
            format::number(value(high)),
            place(high)
        )
    };
    let all: Vec<String> = (0..names.len().min(8)).map(of).collect();
    format!("Partial dependence on {}. {}.", fitted.schema.name(d.column), all.join("; "))
}
