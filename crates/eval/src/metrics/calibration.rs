//! Calibration: whether events predicted with probability p occur with frequency p.

use ermine_core::{Error, Partial, Result};
use serde::{Deserialize, Serialize};

use super::wilson;

/// Rows binned by their probability in bins of equal width on [0, 1].
///
/// A [`Partial`]; [`CalibrationBins::curve`] computes the curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CalibrationBins {
    /// Weight of the rows of each bin.
    pub weight: Vec<f64>,
    /// Weighted sum of their probabilities.
    pub predicted: Vec<f64>,
    /// Weight of those that are positive.
    pub positive: Vec<f64>,
    /// Number of rows, for the intervals.
    pub rows: Vec<u64>,
}

impl CalibrationBins {
    /// No rows yet, in `bins` bins.
    pub fn empty(bins: usize) -> Self {
        let zeros = || vec![0.0; bins.max(1)];
        Self { weight: zeros(), predicted: zeros(), positive: zeros(), rows: vec![0; bins.max(1)] }
    }

    /// Bins rows: which are positive, their predicted probability, their weights. A bin includes its lower end; the
    /// last one both.
    pub fn of(positive: &[bool], proba: &[f64], weight: Option<&[f64]>, bins: usize) -> Result<Self> {
        check(positive, proba, weight)?;
        let mut out = Self::empty(bins);
        let bins = out.weight.len();
        for (i, &p) in proba.iter().enumerate() {
            let b = ((p * bins as f64) as usize).min(bins - 1);
            out.add(b, p, positive[i], weight.map_or(1.0, |w| w[i]));
        }
        Ok(out)
    }

    fn add(&mut self, b: usize, p: f64, positive: bool, w: f64) {
        self.weight[b] += w;
        self.predicted[b] += w * p;
        self.positive[b] += if positive { w } else { 0.0 };
        self.rows[b] += u64::from(w > 0.0);
    }

    /// The curve: one point per bin with rows, with intervals of the given level (such as 0.95).
    pub fn curve(&self, level: f64) -> CalibrationCurve {
        let total: f64 = self.weight.iter().sum();
        let width = 1.0 / self.weight.len() as f64;
        let bin = |b: usize| {
            let share = self.positive[b] / self.weight[b];
            // Weights do not make rows: the interval is that of the counted rows, at the weighted share.
            let (low, high) = wilson(share * self.rows[b] as f64, self.rows[b] as f64, level);
            CalibrationBin {
                from: b as f64 * width,
                to: (b + 1) as f64 * width,
                weight: self.weight[b],
                predicted: self.predicted[b] / self.weight[b],
                observed: share,
                low,
                high,
            }
        };
        let bins: Vec<CalibrationBin> = (0..self.weight.len()).filter(|&b| self.weight[b] > 0.0).map(bin).collect();
        CalibrationCurve { bins, total }
    }
}

impl Partial for CalibrationBins {
    fn merge(&mut self, other: Self) -> Result<()> {
        if self.weight.len() != other.weight.len() {
            return Err(Error::Length {
                what: "calibration bins".into(),
                expected: self.weight.len(),
                found: other.weight.len(),
            });
        }
        for b in 0..self.weight.len() {
            self.weight[b] += other.weight[b];
            self.predicted[b] += other.predicted[b];
            self.positive[b] += other.positive[b];
            self.rows[b] += other.rows[b];
        }
        Ok(())
    }
}

fn check(positive: &[bool], proba: &[f64], weight: Option<&[f64]>) -> Result<()> {
    let rows = positive.len();
    for (what, found) in [("probabilities", proba.len()), ("sample weights", weight.map_or(rows, <[f64]>::len))] {
        if found != rows {
            return Err(Error::Length { what: what.into(), expected: rows, found });
        }
    }
    match proba.iter().position(|p| !(0.0..=1.0).contains(p)) {
        Some(row) => Err(Error::OutOfRange {
            what: "probability".into(),
            row,
            value: proba[row],
            needed: "probabilities lie between 0 and 1".into(),
        }),
        None => Ok(()),
    }
}

/// One point of a calibration curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CalibrationBin {
    /// Least probability of the bin.
    pub from: f64,
    /// Greatest probability of the bin.
    pub to: f64,
    /// Weight of its rows.
    pub weight: f64,
    /// Mean predicted probability of the positive class.
    pub predicted: f64,
    /// Share of the rows that are positive.
    pub observed: f64,
    /// Lower end of an interval for that share (Wilson).
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Observed frequencies among rows of similar probability: on the diagonal when the probabilities are calibrated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CalibrationCurve {
    /// The bins with rows, by ascending probability.
    pub bins: Vec<CalibrationBin>,
    /// The weight of all rows.
    pub total: f64,
}

impl CalibrationCurve {
    /// The curve in bins of equal width, with intervals of 95%.
    pub fn of(positive: &[bool], proba: &[f64], weight: Option<&[f64]>, bins: usize) -> Result<Self> {
        Ok(CalibrationBins::of(positive, proba, weight, bins)?.curve(0.95))
    }

    /// The curve in bins with about equally many rows, with intervals of 95%: finer where probabilities are dense. Rows
    /// of equal probability stay together.
    pub fn of_quantiles(positive: &[bool], proba: &[f64], weight: Option<&[f64]>, bins: usize) -> Result<Self> {
        check(positive, proba, weight)?;
        let w = |i: usize| weight.map_or(1.0, |w| w[i]);
        let mut order: Vec<usize> = (0..proba.len()).filter(|&i| w(i) > 0.0).collect();
        ermine_core::order::sort_by_number(&mut order, |a| proba[a]);
        let total: f64 = order.iter().map(|&i| w(i)).sum();
        let bins = bins.max(1);
        let mut cut = CalibrationBins::empty(bins);
        let mut ends = vec![(f64::INFINITY, f64::NEG_INFINITY); bins];
        let (mut seen, mut at) = (0.0, 0);
        for (k, &i) in order.iter().enumerate() {
            // A bin ends where its share is full and the probability changes.
            if k > 0 && proba[i] != proba[order[k - 1]] {
                at = ((seen / total * bins as f64 + 1e-9) as usize).clamp(at, bins - 1);
            }
            cut.add(at, proba[i], positive[i], w(i));
            ends[at] = (ends[at].0.min(proba[i]), ends[at].1.max(proba[i]));
            seen += w(i);
        }
        let mut curve = cut.curve(0.95);
        let ends: Vec<(f64, f64)> = (0..bins).filter(|&b| cut.weight[b] > 0.0).map(|b| ends[b]).collect();
        for (bin, (from, to)) in curve.bins.iter_mut().zip(ends) {
            (bin.from, bin.to) = (from, to);
        }
        Ok(curve)
    }

    /// The expected calibration error: the mean over rows of the difference of observed and predicted in their bin.
    pub fn expected_calibration_error(&self) -> f64 {
        self.bins.iter().map(|b| b.weight / self.total * (b.observed - b.predicted).abs()).sum()
    }

    /// The greatest such difference.
    pub fn max_calibration_error(&self) -> f64 {
        self.bins.iter().map(|b| (b.observed - b.predicted).abs()).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_their_lower_end_and_parts_merge() {
        let (positive, proba) = ([true, false, true, true], [0.0, 0.5, 1.0, 0.49]);
        let curve = CalibrationCurve::of(&positive, &proba, None, 2).unwrap();
        assert_eq!(curve.bins.len(), 2);
        assert_eq!((curve.bins[0].weight, curve.bins[0].predicted, curve.bins[0].observed), (2.0, 0.245, 1.0));
        assert_eq!((curve.bins[1].weight, curve.bins[1].observed), (2.0, 0.5));
        assert!((curve.expected_calibration_error() - (0.5 * 0.755 + 0.5 * 0.25)).abs() < 1e-15);
        assert!((curve.max_calibration_error() - 0.755).abs() < 1e-15);
        let mut parts = CalibrationBins::of(&positive[..1], &proba[..1], None, 2).unwrap();
        parts.merge(CalibrationBins::of(&positive[1..], &proba[1..], None, 2).unwrap()).unwrap();
        assert_eq!(parts.curve(0.95), curve);
        assert!(parts.merge(CalibrationBins::empty(3)).is_err());
        assert!(matches!(CalibrationCurve::of(&[true], &[1.5], None, 2), Err(Error::OutOfRange { row: 0, .. })));
    }

    #[test]
    fn quantile_bins_hold_about_equally_many_rows_and_keep_ties_together() {
        let proba: Vec<f64> = (0..1000).map(|i| (f64::from(i) / 1000.0).powi(3)).collect();
        let positive: Vec<bool> = (0..1000).map(|i| i % 2 == 0).collect();
        let curve = CalibrationCurve::of_quantiles(&positive, &proba, None, 10).unwrap();
        assert_eq!(curve.bins.len(), 10);
        assert!(
            curve.bins.iter().all(|b| b.weight == 100.0 && b.observed == 0.5 && b.from <= b.predicted && b.predicted <= b.to)
        );
        let curve = CalibrationCurve::of_quantiles(&positive, &[0.3; 1000], None, 10).unwrap();
        assert_eq!((curve.bins.len(), curve.bins[0].weight), (1, 1000.0));
    }
}
