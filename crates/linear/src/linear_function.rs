//! A line with one target: its residuals over rows, and products with them.

use ermine_core::{DatasetRef, Features, Mat, Result};
use ermine_math::affine::affine;
use ermine_math::tall_skinny::rows_at_once;
use serde::{Deserialize, Serialize};

use super::coefficients::Coefficients;

/// `x ↦ x · coef + intercept`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct LinearFunction {
    pub coef: Vec<f64>,
    pub intercept: f64,
}

impl LinearFunction {
    /// The same as a row of coefficients.
    pub fn coefficients(&self) -> Coefficients {
        Coefficients { coef: Mat::from_vec(1, self.coef.len(), self.coef.clone()), intercept: vec![self.intercept] }
    }

    /// Linear interpolation toward `other`.
    pub fn interpolate(&self, other: &Self, share: f64) -> Self {
        let between = |a: f64, b: f64| a + share * (b - a);
        Self {
            coef: self.coef.iter().zip(&other.coef).map(|(&a, &b)| between(a, b)).collect(),
            intercept: between(self.intercept, other.intercept),
        }
    }

    /// Target minus prediction of every row. A cell that is not finite is refused.
    pub fn residuals(&self, rows: &DatasetRef<'_>, learner: &str) -> Result<Vec<f64>> {
        let y = rows.y.reals()?;
        let Coefficients { coef, intercept } = self.coefficients();
        let mut r = affine(&rows.x, &coef, &intercept, learner)?.into_vec();
        r.iter_mut().enumerate().for_each(|(i, f)| *f = *y.at(i, 0) - *f);
        if r.iter().any(|v| !v.is_finite()) {
            rows.x.refuse_non_finite(rows.schema)?;
        }
        Ok(r)
    }
}

/// Adds Σ factor x of the rows whose factor is not 0, a column at a time multiplied by `scales`.
pub(super) fn add_products(rows: &DatasetRef<'_>, factor: &[f64], scales: &[f64], out: &mut [f64], learner: &str) -> Result<()> {
    if let Features::Csr(x) = rows.x {
        for (i, &f) in factor.iter().enumerate().filter(|f| *f.1 != 0.0) {
            let (indices, values) = x.row(i);
            indices.iter().zip(values).for_each(|(&j, v)| out[j as usize] += f * (v * scales[j as usize]));
        }
        return Ok(());
    }
    let (mut scratch, mut row) = (Vec::new(), vec![0.0; rows.cols()]);
    let step = rows_at_once(rows.cols());
    for first in (0..rows.rows()).step_by(step) {
        let x = rows.x.row_range(first..(first + step).min(rows.rows())).f64_rows(&mut scratch, learner)?;
        for i in 0..x.rows() {
            let f = factor[first + i];
            if f != 0.0 {
                x.copy_row(i, &mut row);
                out.iter_mut().zip(&row).zip(scales).for_each(|((o, v), s)| *o += f * (v * s));
            }
        }
    }
    Ok(())
}
