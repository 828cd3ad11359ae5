//! The M step: experts and gate.

use ermine_core::{Mat, Result};
use ermine_math::linalg::{Cholesky, eigen_symmetric};
use ermine_math::moments::Moments;

use super::e_step::ExpertsSums;
use super::gate::gram;
use super::{ExpertKind, ExpertsEm, ExpertsParams};

impl ExpertsEm {
    /// Linear experts are solved; gate and softmax experts take a step.
    pub(super) fn m_step(&self, at: &ExpertsParams, sums: ExpertsSums) -> Result<ExpertsParams> {
        let gate = sums.gate.step(&at.gate, self.alpha, self.gram.as_ref())?;
        let say = match &at.experts {
            ExpertKind::Linear { coef, variance } => {
                let (mut coef, mut variance) = (coef.clone(), variance.clone());
                for (k, rows) in sums.rows.iter().enumerate().filter(|(_, rows)| rows.weight() > 0.0) {
                    variance[k] = self.ridge(rows, coef.row_mut(k))?;
                }
                ExpertKind::Linear { coef, variance }
            }
            ExpertKind::Logistic { coef, classes } => {
                let mut all = coef.clone();
                for (k, slopes) in sums.experts.iter().enumerate() {
                    let own = Mat::from_fn(*classes, coef.cols(), |c, d| coef[(k * classes + c, d)]);
                    let bound = sums.rows.get(k).map(gram);
                    let moved = slopes.step(&own, self.alpha, bound.as_ref())?;
                    (0..*classes).for_each(|c| all.row_mut(k * classes + c).copy_from_slice(moved.row(c)));
                }
                ExpertKind::Logistic { coef: all, classes: *classes }
            }
        };
        Ok(ExpertsParams { gate, experts: say })
    }

    /// Ridge regression from the moments of an expert's rows: slopes and intercept go to `coef`, the variance of the noise is returned.
    fn ridge(&self, rows: &Moments, coef: &mut [f64]) -> Result<f64> {
        let (p, s, mean) = (rows.x_cols(), rows.scatter(), rows.mean());
        let system = Mat::from_fn(p, p, |i, j| s[(i, j)] + if i == j { self.alpha } else { 0.0 });
        let right: Vec<f64> = (0..p).map(|i| s[(i, p)]).collect();
        let slopes = solve(&system, right)?;
        coef[..p].copy_from_slice(&slopes);
        coef[p] = mean[p] - (0..p).map(|j| slopes[j] * mean[j]).sum::<f64>();
        let explained: f64 =
            (0..p).map(|i| slopes[i] * (2.0 * s[(i, p)] - (0..p).map(|j| s[(i, j)] * slopes[j]).sum::<f64>())).sum();
        let penalty: f64 = self.alpha * slopes.iter().map(|b| b * b).sum::<f64>();
        Ok((((s[(p, p)] - explained).max(0.0) + penalty) / rows.weight()).max(self.floor))
    }

    /// The penalties on the slopes.
    pub(super) fn log_prior(&self, at: &ExpertsParams) -> f64 {
        let p = at.gate.cols() - 1;
        let squares = |m: &Mat<f64>, row: usize| m.row(row)[..p].iter().map(|v| v * v).sum::<f64>();
        let gate: f64 = (0..at.len()).map(|k| squares(&at.gate, k)).sum();
        let say: f64 = match &at.experts {
            ExpertKind::Linear { coef, variance } => (0..at.len()).map(|k| squares(coef, k) / variance[k]).sum(),
            ExpertKind::Logistic { coef, .. } => (0..coef.rows()).map(|k| squares(coef, k)).sum(),
        };
        -0.5 * self.alpha * (gate + say)
    }
}

/// The solution of a symmetric system; of a singular one the shortest.
fn solve(system: &Mat<f64>, mut right: Vec<f64>) -> Result<Vec<f64>> {
    let p = system.cols();
    if let Ok(factor) = Cholesky::new(system.view())
        && factor.reciprocal_condition() > 1e-14
    {
        factor.solve_vec(&mut right);
        return Ok(right);
    }
    let spectrum = eigen_symmetric(system.view())?;
    let least = spectrum.values.first().copied().unwrap_or(0.0) * p as f64 * f64::EPSILON;
    let mut out = vec![0.0; p];
    for (value, vector) in spectrum.values.iter().enumerate().map(|(k, v)| (*v, spectrum.vectors.row(k))) {
        if value > least {
            let along = vector.iter().zip(&right).map(|(v, r)| v * r).sum::<f64>() / value;
            out.iter_mut().zip(vector).for_each(|(o, v)| *o += along * v);
        }
    }
    Ok(out)
}
