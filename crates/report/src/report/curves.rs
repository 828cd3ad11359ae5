//! Curves of a classifier, as figures, and the intervals of its metrics.

use ermine_core::Result;
use ermine_eval::metrics::{CalibrationCurve, Confusion, Thresholds, delong, roc_auc_macro, wilson};
use ermine_math::distribution::Normal;

use super::classify::ClassifierOutput;
use super::columns::histogram;
use crate::chart::{Chart, Series};
use crate::document::{DocSection, Figure};
use crate::format;

/// Approximate points of a drawn curve.
const POINTS: usize = 250;
/// Bins of a calibration curve.
const BINS: usize = 12;
/// Width and height of a figure.
const SIZE: (f64, f64) = (400.0, 330.0);
/// Level of all intervals.
const LEVEL: f64 = 0.95;

/// The interval of the accuracy; none for weighted rows, which are not independent trials.
pub(super) fn accuracy(output: &ClassifierOutput<'_>, table: &Confusion) -> Option<(f64, f64)> {
    let rows = output.codes.len() as f64;
    output.weight.is_none().then(|| wilson(table.accuracy() * rows, rows, LEVEL))
}

/// The interval of the log loss, as of a mean over rows.
pub(super) fn log_loss(output: &ClassifierOutput<'_>) -> Option<(f64, f64)> {
    let w = |i: usize| output.weight.map_or(1.0, |w| w[i]);
    let loss = |i: usize| -output.proba[(i, output.codes[i] as usize)].clamp(f64::EPSILON, 1.0).ln();
    let n = output.codes.len();
    let total: f64 = (0..n).map(w).sum();
    let mean = (0..n).map(|i| w(i) / total * loss(i)).sum::<f64>();
    let error = (0..n).map(|i| (w(i) / total * (loss(i) - mean)).powi(2)).sum::<f64>().sqrt();
    let reach = Normal.isf(0.5 * (1.0 - LEVEL)) * error;
    (n > 1).then_some((mean - reach, mean + reach))
}

/// The ends of an interval, where there is one.
type IntervalEnds = Option<(f64, f64)>;

/// The area under the ROC curve, and its interval for two classes without weights.
pub(super) fn auc(output: &ClassifierOutput<'_>) -> Result<Option<(f64, IntervalEnds)>> {
    let Some(area) = roc_auc_macro(output.codes, output.proba.view(), output.weight)? else { return Ok(None) };
    if output.names.len() != 2 || output.weight.is_some() {
        return Ok(Some((area, None)));
    }
    let positive = output.positive(1);
    let few = positive.iter().filter(|p| **p).count();
    let enough = few >= 2 && positive.len() - few >= 2;
    let interval = enough.then(|| delong(&positive, &output.score(1), LEVEL)).transpose()?;
    Ok(Some((area, interval.map(|i| (i.low, i.high)))))
}

/// A name for the curve of a class: none where there is one curve.
fn curve_name(output: &ClassifierOutput<'_>, class: usize, many: bool) -> String {
    if many { output.names[class].clone() } else { String::new() }
}

pub(super) fn roc(output: &ClassifierOutput<'_>, shown: &[usize]) -> Result<Option<Figure>> {
    let mut chart = Chart::new("ROC curve", "false positive rate", "true positive rate").within_x(0.0, 1.0).within_y(0.0, 1.0);
    let mut sentences = Vec::new();
    for &class in shown {
        let thresholds = Thresholds::of_class(output.codes, output.proba.view(), class, output.weight)?;
        let (Some(curve), Some(area)) = (thresholds.roc(), thresholds.roc_auc()) else { continue };
        let curve = curve.thinned(POINTS);
        let points = curve.fpr.iter().copied().zip(curve.tpr.iter().copied()).collect();
        chart = chart.with(Series::line(curve_name(output, class, shown.len() > 1), points));
        let (at_five, _) = thresholds.roc().map_or((0.0, 0.0), |c| c.tpr_at_fpr(0.05));
        sentences.push(format!(
            "{}: area {}, {} found at 5% false alarms",
            output.names[class],
            format::number(area),
            format::percent(at_five)
        ));
    }
    if sentences.is_empty() {
        return Ok(None);
    }
    let chart = chart.with(Series::guide(vec![(0.0, 0.0), (1.0, 1.0)])).sized(SIZE.0, SIZE.1);
    let caption = if sentences.len() == 1 {
        format!("{}. The dashed line is chance.", sentences[0])
    } else {
        "The dashed line is chance.".into()
    };
    Ok(Some(Figure::new("roc", "ROC curve", chart).alt_text(format!("ROC curve. {}.", sentences.join("; "))).caption(caption)))
}

pub(super) fn precision_recall(output: &ClassifierOutput<'_>, shown: &[usize]) -> Result<Option<Figure>> {
    let mut chart = Chart::new("Precision over recall", "recall", "precision").within_x(0.0, 1.0).within_y(0.0, 1.0);
    let (mut sentences, mut base) = (Vec::new(), None);
    for &class in shown {
        let thresholds = Thresholds::of_class(output.codes, output.proba.view(), class, output.weight)?;
        let (Some(curve), Some(area)) = (thresholds.precision_recall(), thresholds.average_precision()) else { continue };
        let drawn = curve.thinned(POINTS);
        let points = drawn.recall.iter().copied().zip(drawn.precision.iter().copied()).collect();
        chart = chart.with(Series::line(curve_name(output, class, shown.len() > 1), points));
        base = Some(curve.base);
        sentences.push(format!("{}: average precision {}", output.names[class], format::number(area)));
    }
    if let (Some(base), 1) = (base, sentences.len()) {
        chart = chart.with(Series::guide(vec![(0.0, base), (1.0, base)]));
    }
    if sentences.is_empty() {
        return Ok(None);
    }
    let caption = match sentences.len() {
        1 => format!("{}. The dashed line is the share of the class among all rows.", sentences[0]),
        _ => String::new(),
    };
    let figure = Figure::new("precision-recall", "Precision over recall", chart.sized(SIZE.0, SIZE.1));
    Ok(Some(figure.alt_text(format!("Precision over recall. {}.", sentences.join("; "))).caption(caption)))
}

/// The calibration of the probabilities.
pub(super) fn calibration(output: &ClassifierOutput<'_>, shown: &[usize]) -> Result<Option<DocSection>> {
    let few = &shown[..shown.len().min(4)];
    let mut chart = Chart::new("Calibration", "probability given", "observed share").within_x(0.0, 1.0).within_y(0.0, 1.0);
    let mut sentences = Vec::new();
    for &class in few {
        let score: Vec<f64> = output.score(class).into_iter().map(|p| p.clamp(0.0, 1.0)).collect();
        let curve = CalibrationCurve::of_quantiles(&output.positive(class), &score, output.weight, BINS)?;
        if curve.bins.is_empty() {
            continue;
        }
        let points: Vec<(f64, f64)> = curve.bins.iter().map(|b| (b.predicted, b.observed)).collect();
        let spans = curve.bins.iter().map(|b| (b.low, b.high)).collect();
        let name = curve_name(output, class, few.len() > 1);
        chart = chart.with(Series::line(name, points).with_band(spans));
        sentences.push(format!("{}: mean distance {}", output.names[class], format::percent(curve.expected_calibration_error())));
    }
    if sentences.is_empty() {
        return Ok(None);
    }
    let chart = chart.with(Series::guide(vec![(0.0, 0.0), (1.0, 1.0)])).sized(SIZE.0, SIZE.1);
    let mut figures = vec![
        Figure::new("calibration", "Calibration", chart)
            .alt_text(format!("Observed frequency against predicted probability. {}.", sentences.join("; ")))
            .caption(format!("{} from the dashed line, of perfect calibration. Bands are 95% intervals.", sentences.join("; "))),
    ];
    if output.names.len() == 2 {
        figures.extend(probabilities(output));
    }
    let lead = "Of the rows with a predicted probability of 30%, 30% should be of the class. Bins have equally many rows.";
    Ok(Some(DocSection::new("Calibration").lead(lead).figures(figures)))
}

/// The predicted probabilities of the rows of either class.
fn probabilities(output: &ClassifierOutput<'_>) -> Option<Figure> {
    let (score, positive) = (output.score(1), output.positive(1));
    let of = |which: bool| score.iter().zip(&positive).filter(move |(_, p)| **p == which).map(|(s, _)| s.clamp(0.0, 1.0));
    let bins = 25;
    let count = |which: bool| {
        // Both ends belong to the range whatever the values are.
        let values: Vec<f64> = of(which).chain([0.0, 1.0]).collect();
        let (edges, mut counts) = histogram(&values, bins)?;
        counts[0] -= 1.0;
        counts[bins - 1] -= 1.0;
        let total: f64 = counts.iter().sum();
        (total > 0.0).then(|| (edges, counts.iter().map(|c| c / total).collect::<Vec<f64>>()))
    };
    let mut chart =
        Chart::new("Probabilities", format!("probability of {}", output.names[1]), "share of the class").within_x(0.0, 1.0);
    for (which, name) in [(false, &output.names[0]), (true, &output.names[1])] {
        let (edges, shares) = count(which)?;
        let points = edges.iter().copied().zip(shares.iter().copied().chain(shares.last().copied())).collect();
        chart = chart.with(Series::step(name.as_str(), points));
    }
    let mean = |which: bool| of(which).sum::<f64>() / of(which).count().max(1) as f64;
    let alt_text = format!(
        "The probability of {} is {} in the mean where it is {} and {} where it is {}.",
        output.names[1],
        format::percent(mean(true)),
        output.names[1],
        format::percent(mean(false)),
        output.names[0]
    );
    Some(
        Figure::new("probabilities", "Probabilities of either class", chart.sized(SIZE.0, SIZE.1))
            .alt_text(alt_text.clone())
            .caption(alt_text),
    )
}
