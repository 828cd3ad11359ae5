//! Regression metrics. Several target columns are averaged.

use ermine_core::{Error, MatRef, Partial, Result};
use ermine_math::loss::Family;
use serde::{Deserialize, Serialize};

use super::MeanLoss;

/// Sums of one target column, for all metrics of squared and absolute errors and of explained variance.
///
/// A [`Partial`]. Values are in units of a power of two near the largest, so that no square overflows or underflows;
/// means and sums of squares about them are merged without cancellation (Chan, Golub, LeVeque 1983).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RegressionSums {
    /// The power of two by which the following are scaled.
    unit: f64,
    weight: f64,
    truth: MeanSquares,
    rest: MeanSquares,
    absolute: f64,
    greatest: f64,
}

/// A mean and the sum of squares about it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct MeanSquares {
    mean: f64,
    squares: f64,
}

impl MeanSquares {
    fn of(total: f64, rows: impl Iterator<Item = (f64, f64)> + Clone) -> Self {
        if total <= 0.0 {
            return Self::default();
        }
        let mean = rows.clone().map(|(w, v)| w * v).sum::<f64>() / total;
        Self { mean, squares: rows.map(|(w, v)| w * (v - mean) * (v - mean)).sum() }
    }

    fn merge(&mut self, own: f64, other: Self, weight: f64) {
        let (total, apart) = (own + weight, other.mean - self.mean);
        if total > 0.0 {
            self.mean += apart * (weight / total);
            self.squares += other.squares + apart * apart * (own * (weight / total));
        }
    }

    fn scaled(self, by: f64) -> Self {
        Self { mean: self.mean * by, squares: self.squares * by * by }
    }
}

impl RegressionSums {
    /// The sums of rows: true and predicted values.
    pub fn of(
        truth: impl Iterator<Item = f64> + Clone,
        predictions: impl Iterator<Item = f64> + Clone,
        weight: Option<&[f64]>,
    ) -> Self {
        let w = |i: usize| weight.map_or(1.0, |w| w[i]);
        let rows = truth.zip(predictions).enumerate().map(|(i, (y, p))| (w(i), y, p)).filter(|r| r.0 > 0.0);
        let most = rows.clone().map(|(_, y, p)| y.abs().max(p.abs())).fold(0.0, f64::max);
        // The power of two below it: dividing by that rounds nothing.
        let unit = f64::from_bits(most.to_bits() & f64::INFINITY.to_bits());
        let unit = if unit > 0.0 && unit.is_finite() { unit } else { 1.0 };
        let total: f64 = rows.clone().map(|r| r.0).sum();
        let rest = rows.clone().map(|(w, y, p)| (w, y / unit - p / unit));
        Self {
            unit,
            weight: total,
            truth: MeanSquares::of(total, rows.map(|(w, y, _)| (w, y / unit))),
            absolute: rest.clone().map(|(w, e)| w * e.abs()).sum(),
            greatest: rest.clone().map(|(_, e)| e.abs()).fold(0.0, f64::max),
            rest: MeanSquares::of(total, rest),
        }
    }

    fn in_unit(self, unit: f64) -> Self {
        let by = self.unit / unit;
        Self {
            unit,
            weight: self.weight,
            truth: self.truth.scaled(by),
            rest: self.rest.scaled(by),
            absolute: self.absolute * by,
            greatest: self.greatest * by,
        }
    }

    fn mean_square(&self) -> f64 {
        self.rest.squares / self.weight + self.rest.mean * self.rest.mean
    }

    /// Mean squared error.
    pub fn mse(&self) -> f64 {
        self.mean_square() * self.unit * self.unit
    }

    /// Root of the mean squared error.
    pub fn rmse(&self) -> f64 {
        self.mean_square().sqrt() * self.unit
    }

    /// Mean absolute error.
    pub fn mae(&self) -> f64 {
        self.absolute / self.weight * self.unit
    }

    /// The greatest absolute error.
    pub fn max_error(&self) -> f64 {
        self.greatest * self.unit
    }

    /// Share of explained variance, 1 - RSS/TSS. For a constant target it is 1 when predicted exactly and 0 otherwise.
    pub fn r2(&self) -> f64 {
        self.share(self.mean_square() * self.weight)
    }

    /// [`RegressionSums::r2`] without the mean of the residuals: 1 - Var(y - p)/Var(y).
    pub fn explained_variance(&self) -> f64 {
        self.share(self.rest.squares)
    }

    fn share(&self, lost: f64) -> f64 {
        if self.truth.squares > 0.0 {
            1.0 - lost / self.truth.squares
        } else if lost == 0.0 {
            1.0
        } else {
            0.0
        }
    }
}

impl Partial for RegressionSums {
    fn merge(&mut self, other: Self) -> Result<()> {
        if other.weight <= 0.0 {
            return Ok(());
        }
        if self.weight <= 0.0 {
            *self = other;
            return Ok(());
        }
        let unit = self.unit.max(other.unit);
        let (a, b) = (self.in_unit(unit), other.in_unit(unit));
        *self = a;
        self.truth.merge(a.weight, b.truth, b.weight);
        self.rest.merge(a.weight, b.rest, b.weight);
        self.weight += b.weight;
        self.absolute += b.absolute;
        self.greatest = self.greatest.max(b.greatest);
        Ok(())
    }
}

/// The sums of each target column.
pub fn errors(truth: MatRef<'_, f64>, predictions: MatRef<'_, f64>, weight: Option<&[f64]>) -> Vec<RegressionSums> {
    let rows = 0..truth.rows();
    let of =
        |j: usize| RegressionSums::of(rows.clone().map(|i| *truth.at(i, j)), rows.clone().map(|i| *predictions.at(i, j)), weight);
    (0..truth.cols()).map(of).collect()
}

fn mean(of: &[RegressionSums], measure: impl Fn(&RegressionSums) -> f64) -> f64 {
    of.iter().map(measure).sum::<f64>() / of.len() as f64
}

/// Mean squared error.
pub fn mse(truth: MatRef<'_, f64>, predictions: MatRef<'_, f64>, weight: Option<&[f64]>) -> f64 {
    mean(&errors(truth, predictions, weight), RegressionSums::mse)
}

/// Root of the mean squared error.
pub fn rmse(truth: MatRef<'_, f64>, predictions: MatRef<'_, f64>, weight: Option<&[f64]>) -> f64 {
    mse(truth, predictions, weight).sqrt()
}

/// Mean absolute error.
pub fn mae(truth: MatRef<'_, f64>, predictions: MatRef<'_, f64>, weight: Option<&[f64]>) -> f64 {
    mean(&errors(truth, predictions, weight), RegressionSums::mae)
}

/// Share of explained variance, 1 - RSS/TSS, averaged over targets. For a constant target it is 1 when predicted
/// exactly and 0 otherwise.
pub fn r2(truth: MatRef<'_, f64>, predictions: MatRef<'_, f64>, weight: Option<&[f64]>) -> f64 {
    mean(&errors(truth, predictions, weight), RegressionSums::r2)
}

/// The weighted median of the absolute errors: at least half of the weight is at or below it and at least half at or
/// above; the middle where two values satisfy that.
pub fn median_absolute_error(truth: &[f64], predictions: &[f64], weight: Option<&[f64]>) -> f64 {
    let w = |i: usize| weight.map_or(1.0, |w| w[i]);
    let mut sizes: Vec<(f64, f64)> =
        (0..truth.len()).filter(|&i| w(i) > 0.0).map(|i| ((truth[i] - predictions[i]).abs(), w(i))).collect();
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = sizes.iter().map(|s| s.1).sum::<f64>() / 2.0;
    let mut below = 0.0;
    for (k, (size, w)) in sizes.iter().enumerate() {
        below += w;
        if below == half && k + 1 < sizes.len() {
            return 0.5 * (size + sizes[k + 1].0);
        }
        if below > half {
            return *size;
        }
    }
    f64::NAN
}

/// Mean unit deviance of a family: twice the difference of the log-likelihoods of a perfect fit and the prediction, for
/// dispersion 1. Targets or predictions outside the domain of the family are errors.
pub fn mean_deviance(family: Family, truth: &[f64], predictions: &[f64], weight: Option<&[f64]>) -> Result<f64> {
    let refuse = |what: &str, row: usize, value: f64| Error::OutOfRange {
        what: what.into(),
        row,
        value,
        needed: format!("the deviance of {} needs {}", family.name(), family.range()),
    };
    if let Some(row) = truth.iter().position(|&y| !family.is_in_support(y)) {
        return Err(refuse("target", row, truth[row]));
    }
    if let Some(row) = predictions.iter().position(|&p| !family.is_valid_mean(p)) {
        return Err(refuse("prediction", row, predictions[row]));
    }
    Ok(MeanLoss::of(truth.len(), weight, |i| family.deviance(truth[i], predictions[i])).mean())
}

/// Mean pinball loss max(tau (y - p), (tau - 1) (y - p)): least for the quantile `tau` of the target.
pub fn pinball(truth: &[f64], predictions: &[f64], tau: f64, weight: Option<&[f64]>) -> f64 {
    let loss = |i: usize| {
        let r = truth[i] - predictions[i];
        (tau * r).max((tau - 1.0) * r)
    };
    MeanLoss::of(truth.len(), weight, loss).mean()
}

/// Mean of |y - p| / |y|; for a target of 0 the machine epsilon of f64 is the denominator.
pub fn mape(truth: &[f64], predictions: &[f64], weight: Option<&[f64]>) -> f64 {
    let loss = |i: usize| (truth[i] - predictions[i]).abs() / truth[i].abs().max(f64::EPSILON);
    MeanLoss::of(truth.len(), weight, loss).mean()
}

/// Mean of (log(1 + y) - log(1 + p))²; values at or below -1 are errors.
pub fn msle(truth: &[f64], predictions: &[f64], weight: Option<&[f64]>) -> Result<f64> {
    for (what, values) in [("target", truth), ("prediction", predictions)] {
        if let Some(row) = values.iter().position(|v| v.is_nan() || *v <= -1.0) {
            let needed = "the squared logarithmic error needs numbers above -1".into();
            return Err(Error::OutOfRange { what: what.into(), row, value: values[row], needed });
        }
    }
    Ok(MeanLoss::of(truth.len(), weight, |i| (truth[i].ln_1p() - predictions[i].ln_1p()).powi(2)).mean())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_merge_to_the_whole_in_any_units(
            rows in prop::collection::vec((-5.0..5.0f64, -5.0..5.0f64, 0u8..3), 2..40), cut in 0usize..40, exponent in -140i32..140,
        ) {
            let scale = 10f64.powi(exponent);
            let y: Vec<f64> = rows.iter().map(|r| r.0 * scale).collect();
            let p: Vec<f64> = rows.iter().map(|r| r.1 * scale).collect();
            let w: Vec<f64> = rows.iter().map(|r| f64::from(r.2)).collect();
            prop_assume!(w.iter().sum::<f64>() > 0.0);
            let cut = cut.min(rows.len());
            let of = |a: usize, b: usize| RegressionSums::of(y[a..b].iter().copied(), p[a..b].iter().copied(), Some(&w[a..b]));
            let mut parts = of(0, cut);
            parts.merge(of(cut, rows.len())).unwrap();
            let whole = of(0, rows.len());
            let near = |a: f64, b: f64, size: f64| (a - b).abs() <= 1e-12 * size.abs().max(b.abs()) || (a.is_nan() && b.is_nan());
            prop_assert!(near(parts.mse(), whole.mse(), 0.0) && near(parts.mae(), whole.mae(), 0.0));
            prop_assert!(parts.max_error() == whole.max_error());
            prop_assert!(near(parts.r2(), whole.r2(), 1.0 + (1.0 - whole.r2()).abs() * 10.0) || whole.truth.squares < 1e-20 * whole.weight);
        }
    }

    #[test]
    fn weighted_medians_take_the_middle_of_a_tie() {
        assert_eq!(median_absolute_error(&[1.0, 2.0, 3.0, 4.0], &[0.0; 4], None), 2.5);
        assert_eq!(median_absolute_error(&[1.0, 2.0, 3.0], &[0.0; 3], Some(&[1.0, 1.0, 5.0])), 3.0);
        assert_eq!(median_absolute_error(&[1.0, 9.0, 3.0], &[0.0; 3], Some(&[1.0, 0.0, 1.0])), 2.0);
    }

    #[test]
    fn what_a_measure_does_not_know_is_refused_by_row() {
        assert!(matches!(mean_deviance(Family::Gamma, &[1.0, 0.0], &[1.0, 1.0], None), Err(Error::OutOfRange { row: 1, .. })));
        assert!(matches!(mean_deviance(Family::Poisson, &[1.0], &[-1.0], None), Err(Error::OutOfRange { row: 0, .. })));
        assert!(msle(&[1.0, -2.0], &[0.0, 0.0], None).is_err());
    }
}
