//! The learning curve.

use ermine_core::{Context, DatasetRef, Result};
use ermine_eval::metrics::{Direction, direction};
use ermine_eval::model_selection::{FoldScores, LearningCurve, learning_curve, stratified_k_fold};

use crate::chart::{Chart, Series};
use crate::document::{DocSection, Figure};
use crate::format;
use ermine_compose::Fitted;

/// Shares of the training rows.
const SHARES: [f64; 5] = [0.1, 0.2, 0.4, 0.7, 1.0];

/// Trains the learner of a model on shares of the rows, and evaluates on held-out rows.
pub fn learn_in_parts(
    fitted: &Fitted,
    data: &DatasetRef<'_>,
    folds: usize,
    measure: Option<&str>,
    cx: &Context<'_>,
) -> Result<LearningCurve> {
    let usual = if fitted.model.as_classifier().is_some() { "log_loss" } else { "rmse" };
    let folds = stratified_k_fold(&data.y, data.rows(), folds.clamp(2, data.rows().max(2)), cx.seed)?;
    learning_curve(&*fitted.learner, data, &folds.into(), &SHARES, measure.unwrap_or(usual), cx)
}

/// The curve as a chart: means over folds with their standard errors.
pub fn learning_chart(curve: &LearningCurve) -> Chart {
    let measure = curve.metric.replace('_', " ");
    let series = |name: &str, scores: &[FoldScores]| {
        let at = || curve.sizes.iter().map(|&n| n as f64).zip(scores);
        let points = at().map(|(x, s)| (x, s.mean)).collect();
        let spans = at().map(|(_, s)| (s.mean - s.standard_error, s.mean + s.standard_error)).collect();
        Series::line(name, points).with_band(spans)
    };
    Chart::new("Learning curve", "training rows", measure)
        .with(series("rows left out", &curve.test))
        .with(series("training rows", &curve.train))
}

/// The conclusion from the curve.
pub fn learning_words(curve: &LearningCurve) -> String {
    let measure = curve.metric.replace('_', " ");
    let n = curve.test.len();
    let (Some(last), Some(before), Ok(better)) =
        (curve.test.last(), n.checked_sub(2).map(|k| &curve.test[k]), direction(&curve.metric))
    else {
        return String::new();
    };
    let gain = if better == Direction::Higher { last.mean - before.mean } else { before.mean - last.mean };
    let noise = (last.standard_error.powi(2) + before.standard_error.powi(2)).sqrt();
    let verdict = match gain {
        g if g > 2.0 * noise => "It still improves: more rows would help.",
        g if g > 0.0 => "The last step is within its noise: more rows would help little.",
        _ => "It no longer improves: more rows of the same kind would not help.",
    };
    let (from, to) = (curve.sizes[n - 2], curve.sizes[n - 1]);
    format!(
        "From {} to {} training rows {measure} on held-out rows goes from {} to {}. {verdict}",
        format::count(from),
        format::count(to),
        format::number(before.mean),
        format::number(last.mean)
    )
}

pub(super) fn part(curve: &LearningCurve) -> DocSection {
    let conclusion = learning_words(curve);
    let figure = Figure::new("learning-curve", "Learning curve", learning_chart(curve).sized(480.0, 320.0))
        .alt_text(conclusion.clone())
        .caption("Means over folds; bands are standard errors. A gap between the two curves is overfitting.");
    DocSection::new("Learning curve").lead(conclusion).figures(vec![figure])
}
