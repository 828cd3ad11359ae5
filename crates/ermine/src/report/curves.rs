//! Curves of a classifier, as figures, and the intervals of its measures.

use ermine_core::Result;
use ermine_learn::metrics::{Bootstrap, CalibrationCurve, Confusion, Thresholds, delong, roc_auc_macro, wilson};

use super::classify::Said;
use super::columns::histogram;
use crate::chart::{Chart, Series};
use crate::page::{Figure, Part};
use crate::words;

/// Points of a drawn curve, about.
const POINTS: usize = 250;
/// Bins of a calibration curve.
const BINS: usize = 12;
/// Width and height of a figure.
const SIZE: (f64, f64) = (400.0, 330.0);
/// Rows up to which intervals are bootstrapped.
const BOOTSTRAPPED: usize = 200_000;

/// The interval of the accuracy; none for weighted rows, which are not trials.
pub(super) fn accuracy(said: &Said<'_>, table: &Confusion) -> Option<(f64, f64)> {
    let rows = said.codes.len() as f64;
    said.weight.is_none().then(|| wilson(table.accuracy() * rows, rows, 0.95))
}

/// The interval of the log loss, as a mean over rows.
pub(super) fn log_loss(said: &Said<'_>, _seed: u64) -> Result<Option<(f64, f64)>> {
    let w = |i: usize| said.weight.map_or(1.0, |w| w[i]);
    let loss = |i: usize| -said.proba[(i, said.codes[i] as usize)].clamp(f64::EPSILON, 1.0).ln();
    let n = said.codes.len();
    let total: f64 = (0..n).map(w).sum();
    let mean = (0..n).map(|i| w(i) / total * loss(i)).sum::<f64>();
    let error = (0..n).map(|i| (w(i) / total * (loss(i) - mean)).powi(2)).sum::<f64>().sqrt();
    Ok((n > 1).then_some((mean - 1.96 * error, mean + 1.96 * error)))
}
