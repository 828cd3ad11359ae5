//! Metrics of predictions. Every metric takes sample weights; weight 2 is the row twice.
//!
//! Names are the usual ones: accuracy, balanced_accuracy, log_loss, brier, roc_auc, average_precision, f1, mse, rmse,
//! mae, r2, deviance, inertia, silhouette, adjusted_rand, log_likelihood, bic, aic, and the others in [`METRICS`].
//!
//! Sums over rows are [`ermine_core::Partial`]s: [`Confusion`], [`MeanLoss`], [`Thresholds`], [`CalibrationBins`],
//! [`RegressionSums`], [`Contingency`]. Parts of the rows are gathered independently and merged, and all metrics follow
//! from the result; [`evaluate_source`] does that for a model and rows larger than memory.

mod agreement;
mod calibration;
mod classify;
mod cluster;
mod difference;
mod interval;
pub mod plain;
mod predictions;
mod probability;
mod rank;
mod regress;
mod stream;
mod threshold;

pub use agreement::{Contingency, adjusted_rand};
pub use calibration::{CalibrationBin, CalibrationBins, CalibrationCurve};
pub use classify::{
    Average, Confusion, accuracy, average_precision, average_precision_macro, balanced_accuracy, confusion, f1_macro,
    precision_recall_f1, roc_auc, roc_auc_macro, roc_auc_pairs,
};
pub use cluster::{calinski_harabasz, davies_bouldin, inertia, silhouette};
pub use difference::{Difference, corrected_t_test, holm, mcnemar, mcnemar_of};
pub use interval::{BootstrapInterval, Interval, IntervalMethod, delong, delong_difference, wilson};
pub use predictions::Predictions;
pub use probability::{MeanLoss, brier, confidence, hinge, log_loss, top_k_accuracy};
pub use rank::{DcgGain, dcg, kendall, ndcg, pearson, ranks, spearman};
pub use regress::{RegressionSums, errors, mae, mape, mean_deviance, median_absolute_error, mse, msle, pinball, r2, rmse};
pub use stream::{Evaluation, evaluate_source};
pub use threshold::{BinaryCounts, LiftCurve, PrecisionRecallCurve, RocCurve, Thresholds};

use ermine_core::{Context, Error, Features, MatRef, Model, NOISE_LABEL, Result, Target};
use ermine_math::moments::Moments;

/// The direction in which a metric improves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Larger is better.
    Higher,
    /// Smaller is better.
    Lower,
}

/// All metrics by name, with their direction and meaning.
pub const METRICS: &[(&str, Direction, &str)] = &[
    ("accuracy", Direction::Higher, "share of rows whose class is right"),
    ("balanced_accuracy", Direction::Higher, "mean over classes of the share that is found"),
    ("log_loss", Direction::Lower, "mean of -log of the probability of the true class"),
    ("brier", Direction::Lower, "mean squared distance of the probabilities from the truth"),
    ("roc_auc", Direction::Higher, "probability that a positive row scores above a negative one; one against the rest, averaged"),
    ("average_precision", Direction::Higher, "area under precision over recall; one against the rest, averaged"),
    ("f1", Direction::Higher, "harmonic mean of precision and recall; averaged over classes when there are more than two"),
    (
        "precision",
        Direction::Higher,
        "share of the rows predictions as a class that are of it; averaged over classes when there are more than two",
    ),
    (
        "recall",
        Direction::Higher,
        "share of the rows of a class that is found; averaged over classes when there are more than two",
    ),
    ("mcc", Direction::Higher, "Matthews' correlation of true and predictions classes"),
    ("kappa", Direction::Higher, "agreement of true and predictions classes beyond chance"),
    (
        "calibration_error",
        Direction::Lower,
        "mean distance of shares from probabilities in ten bins; of the class that is found when there are more than two",
    ),
    ("mse", Direction::Lower, "mean squared error"),
    ("rmse", Direction::Lower, "square root of the mean squared error"),
    ("mae", Direction::Lower, "mean absolute error"),
    ("r2", Direction::Higher, "share of the variance that is explained"),
    (
        "deviance",
        Direction::Lower,
        "twice the log-likelihood short of a perfect fit, in the family of the model; the sum of squares but for glm",
    ),
    ("explained_variance", Direction::Higher, "r2 of the predictions after their mean error is removed"),
    ("median_absolute_error", Direction::Lower, "median of the absolute errors"),
    ("max_error", Direction::Lower, "greatest absolute error"),
    ("inertia", Direction::Lower, "sum of squared distances to the nearest center"),
    ("silhouette", Direction::Higher, "how much nearer rows are to their own cluster than to the next"),
    ("adjusted_rand", Direction::Higher, "agreement of two groupings, 0 by chance and 1 when equal"),
    ("log_likelihood", Direction::Higher, "log-likelihood of the rows"),
    ("bic", Direction::Lower, "Bayesian information criterion"),
    ("aic", Direction::Lower, "Akaike information criterion"),
];

/// The direction of a metric; an unknown name is answered with the nearest.
pub fn direction(name: &str) -> Result<Direction> {
    let direction = METRICS.iter().find(|(n, _, _)| *n == name).map(|(_, b, _)| *b);
    direction.ok_or_else(|| Error::unknown("metric", name, METRICS.iter().map(|(n, _, _)| *n)))
}

/// Bins of the calibration error.
const CALIBRATION_BINS: usize = 10;

/// All classification metrics, from probabilities and predicted classes.
pub fn of_classes(
    truth: &[u32],
    proba: MatRef<'_, f64>,
    predictions: &[u32],
    weight: Option<&[f64]>,
) -> Result<Vec<(&'static str, f64)>> {
    let bins = calibration_bins(truth, proba, weight)?;
    let areas = (roc_auc_macro(truth, proba, weight)?, average_precision_macro(truth, proba, weight)?);
    let losses = (log_loss(truth, proba, weight), brier(truth, proba, weight));
    Ok(class_measures(&confusion(truth, predictions, proba.cols(), weight), losses, areas, &bins))
}

/// The bins of the second class of two, or of the predicted class.
fn calibration_bins(truth: &[u32], proba: MatRef<'_, f64>, weight: Option<&[f64]>) -> Result<CalibrationBins> {
    let (hit, p) = match proba.cols() {
        2 => (truth.iter().map(|&t| t == 1).collect(), proba.col_iter(1).collect()),
        _ => confidence(truth, proba),
    };
    // Sums of probabilities may exceed 1 by rounding.
    let p: Vec<f64> = p.into_iter().map(|p| p.clamp(0.0, 1.0)).collect();
    CalibrationBins::of(&hit, &p, weight, CALIBRATION_BINS)
}

/// One metric of [`of_classes`], without computing the others; none where it does not apply.
pub fn one_of_classes(
    name: &str,
    truth: &[u32],
    proba: MatRef<'_, f64>,
    predictions: &[u32],
    weight: Option<&[f64]>,
) -> Result<Option<f64>> {
    Ok(match name {
        "log_loss" => Some(log_loss(truth, proba, weight)),
        "brier" => Some(brier(truth, proba, weight)),
        "roc_auc" => roc_auc_macro(truth, proba, weight)?,
        "average_precision" => average_precision_macro(truth, proba, weight)?,
        "calibration_error" => Some(calibration_bins(truth, proba, weight)?.curve(0.95).expected_calibration_error()),
        _ => {
            let (shares, others) = table_measures(&confusion(truth, predictions, proba.cols(), weight));
            shares.into_iter().chain(others).find(|m| m.0 == name).map(|m| m.1)
        }
    })
}

/// A metric and its name.
type NamedMetric = (&'static str, f64);

/// The metrics of a confusion matrix.
fn table_measures(table: &Confusion) -> ([NamedMetric; 2], [NamedMetric; 5]) {
    let two = table.classes() == 2;
    let one = |measure: fn(&BinaryCounts) -> f64| {
        if two { measure(&table.of_class(1)) } else { table.average(Average::Macro, measure) }
    };
    let others = [
        ("f1", one(|c| c.f(1.0))),
        ("precision", one(|c| c.precision().unwrap_or(0.0))),
        ("recall", one(|c| c.recall().unwrap_or(0.0))),
        ("mcc", table.matthews()),
        ("kappa", table.kappa()),
    ];
    ([("accuracy", table.accuracy()), ("balanced_accuracy", table.balanced_accuracy())], others)
}

fn class_measures(
    table: &Confusion,
    (log_loss, brier): (f64, f64),
    (auc, ap): (Option<f64>, Option<f64>),
    bins: &CalibrationBins,
) -> Vec<(&'static str, f64)> {
    let (shares, others) = table_measures(table);
    let mut out = Vec::from(shares);
    out.extend([("log_loss", log_loss), ("brier", brier)]);
    out.extend(auc.map(|v| ("roc_auc", v)));
    out.extend(ap.map(|v| ("average_precision", v)));
    out.extend(others);
    out.push(("calibration_error", bins.curve(0.95).expected_calibration_error()));
    out
}

/// All regression metrics; `deviance` is the unit deviance of a prediction.
pub fn of_numbers(
    truth: MatRef<'_, f64>,
    predictions: MatRef<'_, f64>,
    weight: Option<&[f64]>,
    deviance: &dyn Fn(f64, f64) -> f64,
) -> Vec<(&'static str, f64)> {
    let mut out = number_measures(&errors(truth, predictions, weight), &total_deviance(truth, predictions, weight, deviance));
    let at = out.len() - 1;
    out.insert(at, ("median_absolute_error", median_error(truth, predictions, weight)));
    out
}

fn total_deviance(
    truth: MatRef<'_, f64>,
    predictions: MatRef<'_, f64>,
    weight: Option<&[f64]>,
    deviance: &dyn Fn(f64, f64) -> f64,
) -> MeanLoss {
    let of_row = |i: usize| (0..truth.cols()).map(|j| deviance(*truth.at(i, j), *predictions.at(i, j))).sum::<f64>();
    MeanLoss::of(truth.rows(), weight, of_row)
}

/// The one regression metric that is no sum over rows, averaged over targets.
fn median_error(truth: MatRef<'_, f64>, predictions: MatRef<'_, f64>, weight: Option<&[f64]>) -> f64 {
    let column = |m: MatRef<'_, f64>, j: usize| m.col_iter(j).collect::<Vec<f64>>();
    let median = |j: usize| median_absolute_error(&column(truth, j), &column(predictions, j), weight);
    (0..truth.cols()).map(median).sum::<f64>() / truth.cols() as f64
}

/// One metric of [`of_numbers`], without computing the others; none where it does not apply.
pub fn one_of_numbers(
    name: &str,
    truth: MatRef<'_, f64>,
    predictions: MatRef<'_, f64>,
    weight: Option<&[f64]>,
    deviance: &dyn Fn(f64, f64) -> f64,
) -> Option<f64> {
    match name {
        "median_absolute_error" => Some(median_error(truth, predictions, weight)),
        "deviance" => Some(total_deviance(truth, predictions, weight, deviance).sum),
        _ => {
            let all = number_measures(&errors(truth, predictions, weight), &MeanLoss::default());
            all.into_iter().find(|m| m.0 == name).map(|m| m.1)
        }
    }
}

fn number_measures(of: &[RegressionSums], deviance: &MeanLoss) -> Vec<(&'static str, f64)> {
    let mean = |measure: fn(&RegressionSums) -> f64| of.iter().map(measure).sum::<f64>() / of.len() as f64;
    vec![
        ("mse", mean(RegressionSums::mse)),
        ("rmse", mean(RegressionSums::mse).sqrt()),
        ("mae", mean(RegressionSums::mae)),
        ("r2", mean(RegressionSums::r2)),
        ("deviance", deviance.sum),
        ("explained_variance", mean(RegressionSums::explained_variance)),
        ("max_error", of.iter().map(RegressionSums::max_error).fold(0.0, f64::max)),
    ]
}

/// All metrics that apply to a model and rows: with a known target those of predictions; without one those of clusters,
/// densities and reconstructions, and with known classes the agreement of clusters with them.
pub fn evaluate(model: &dyn Model, x: &Features<'_>, y: &Target<'_>, weight: Option<&[f64]>) -> Result<Vec<(&'static str, f64)>> {
    if predicts(model, y) {
        return Predictions::of(model, x, &Context::default())?.measures(model, y, weight);
    }
    if !is_measurable(model, x, y)? {
        return Err(match y {
            Target::None => Error::Data(
                "this model neither predicts nor clusters nor has an inverse transform, so that there is nothing to measure"
                    .into(),
            ),
            _ => Error::Target("the model predicts something else than this target".into()),
        });
    }
    let mut out = Vec::new();
    let sums = totals(model, x, weight)?;
    let of = |name: &str| sums.iter().find(|s| s.0 == name).copied();
    if let Some(c) = model.as_clusterer() {
        let labels = c.assign(x)?;
        out.extend(of("inertia"));
        // Of large data only the sample is prepared. Noise rows have no silhouette.
        let grouped: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] != NOISE_LABEL).collect();
        let rows: Vec<usize> = cluster::silhouette_rows(grouped.len()).into_iter().map(|k| grouped[k]).collect();
        let sample = x.take_rows(&rows);
        let of_sample: Vec<u32> = rows.iter().map(|&i| labels[i]).collect();
        let space = c.metric_space(&sample.view())?;
        let space = space.as_ref().map_or(sample.view(), |z| Features::F64(z.view()));
        // Rows with categories or missing cells have no Euclidean distances.
        if is_complete_numbers(&space)
            && let Some(s) = silhouette(&space, &of_sample)?
        {
            out.push(("silhouette", s));
        }
        if let Target::Class { codes, .. } = y {
            out.push(("adjusted_rand", adjusted_rand(codes, &labels)));
        }
    }
    if let (Some(d), Some((_, ll))) = (model.as_density(), of("log_likelihood")) {
        let rows = weight.map_or(x.rows() as f64, |w| w.iter().sum());
        out.push(("log_likelihood", ll));
        out.extend(criteria(ll, d.n_parameters(), rows));
    }
    if model.as_clusterer().is_none() {
        out.extend(reconstruction(model, x, weight)?);
    }
    Ok(out)
}

/// Whether [`evaluate`] has anything to measure: a preparation neither predicts, groups nor leads back.
pub fn is_measurable(model: &dyn Model, x: &Features<'_>, y: &Target<'_>) -> Result<bool> {
    Ok(predicts(model, y) || model.as_clusterer().is_some() || model.as_density().is_some() || reduces(model, x)?)
}

/// Whether a model predicts targets of this kind.
fn predicts(model: &dyn Model, y: &Target<'_>) -> bool {
    let classifies = model.as_classifier().is_some() && matches!(y, Target::Class { .. });
    classifies || (model.as_regressor().is_some() && matches!(y, Target::Real(_) | Target::Reals(_)))
}

/// The information criteria of a log-likelihood over so many rows: bic and aic.
pub fn criteria(log_likelihood: f64, parameters: usize, rows: f64) -> [(&'static str, f64); 2] {
    let k = parameters as f64;
    [("bic", k * rows.ln() - 2.0 * log_likelihood), ("aic", 2.0 * k - 2.0 * log_likelihood)]
}

/// The metrics of a clustering or a density that are sums over rows, so that blocks of rows can be added up: inertia,
/// log_likelihood.
pub fn totals(model: &dyn Model, x: &Features<'_>, weight: Option<&[f64]>) -> Result<Vec<(&'static str, f64)>> {
    // A row of weight 0 does not count, even where its density is 0.
    let weighted = |(i, v): (usize, f64)| match weight.map_or(1.0, |w| w[i]) {
        0.0 => 0.0,
        w => w * v,
    };
    let mut out = Vec::new();
    if let (Some(c), Some(t)) = (model.as_clusterer(), model.as_transformer()) {
        // A clusterer transforms rows to the distances to its centers.
        let (labels, distances) = (c.assign(x)?, t.transform(x)?);
        let nearest = |i: usize| (i, distances.row(i).get(labels[i] as usize).map_or(0.0, |d| d * d));
        out.push(("inertia", (0..labels.len()).map(nearest).map(weighted).sum()));
    }
    if let Some(d) = model.as_density() {
        out.push(("log_likelihood", d.log_density(x)?.into_iter().enumerate().map(weighted).sum()));
    }
    Ok(out)
}

/// Whether a model reduces the number of columns and has an inverse transform.
fn reduces(model: &dyn Model, x: &Features<'_>) -> Result<bool> {
    let Some(t) = model.as_transformer() else { return Ok(false) };
    let z = t.transform(&x.row_range(0..x.rows().min(1)))?;
    Ok(z.cols() < x.cols() && t.inverse(z.view())?.is_some_and(|back| back.cols() == x.cols()))
}

/// Whether all cells are numbers that are there.
fn is_complete_numbers(x: &Features<'_>) -> bool {
    match x {
        Features::Table(t) => (0..t.cols()).all(|j| t.numbers(j).is_some()) && t.to_numbers("the measures").is_ok(),
        _ => true,
    }
}

/// Reconstruction by the inverse transform: the mean squared error per cell, and the explained share of the variance.
fn reconstruction(model: &dyn Model, x: &Features<'_>, weight: Option<&[f64]>) -> Result<Vec<(&'static str, f64)>> {
    const BLOCK: usize = 4096;
    let (true, true, Some(t)) = (is_complete_numbers(x), reduces(model, x)?, model.as_transformer()) else {
        return Ok(Vec::new());
    };
    let (rows, cols) = (x.rows(), x.cols());
    let (mut total, mut off) = (0.0, 0.0);
    let mut moments = Moments::new(cols, 0);
    let mut scratch = Vec::new();
    for first in (0..rows).step_by(BLOCK) {
        let block = x.row_range(first..rows.min(first + BLOCK));
        let transformed = t.transform(&block).map_err(|e| e.with_row(|row| row + first))?;
        let Some(back) = t.inverse(transformed.view())? else { return Ok(Vec::new()) };
        let view = block.f64_rows(&mut scratch, "the measures")?;
        let weight = weight.map(|w| &w[first..first + block.rows()]);
        for i in 0..block.rows() {
            let w = weight.map_or(1.0, |w| w[i]);
            total += w;
            off += w * (0..cols).map(|j| (view.at(i, j) - back[(i, j)]).powi(2)).sum::<f64>();
        }
        moments.add(view, None, weight);
    }
    let spread: f64 = moments.scatter_diagonal().iter().sum();
    let mse = off / (total * cols as f64);
    let r2 = if spread > 0.0 { 1.0 - off / spread } else { f64::from(u8::from(off == 0.0)) };
    Ok(vec![("mse", mse), ("rmse", mse.sqrt()), ("r2", r2)])
}
