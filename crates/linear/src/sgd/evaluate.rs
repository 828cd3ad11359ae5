//! How good the weights are: the objective over all rows, and how far its slope is from 0.

use ermine_core::parallel::prelude::*;
use ermine_math::loss::RowLoss;

use super::rows::SgdRows;
use super::run::{SgdOptions, SgdProblem};

/// The objective and, for smooth losses, the violation of the optimality conditions.
pub(super) struct SgdObjective {
    pub objective: f64,
    /// Length of the gradient (of the least subgradient where weights carry an L1 penalty), as a share of the mean length of the
    /// gradients of single rows: 0 at the optimum, 1 where all gradients are parallel.
    pub residual: Option<f64>,
}

/// Most parts into which rows are cut; their number depends on the rows alone, so the bits do not depend on threads.
const PARTS: usize = 8;
/// Rows of a part at least.
const LEAST: usize = 2048;

fn is_smooth(loss: RowLoss) -> bool {
    matches!(
        loss,
        RowLoss::Squared
            | RowLoss::Huber { .. }
            | RowLoss::Expectile { .. }
            | RowLoss::SquaredEpsilonInsensitive { .. }
            | RowLoss::Logistic
            | RowLoss::SquaredHinge
            | RowLoss::ModifiedHuber
            | RowLoss::Exponential
            | RowLoss::Linear
    )
}

struct SgdObjectiveSums {
    loss: f64,
    /// Σ wᵢ |slopeᵢ| |(xᵢ, 1)|.
    pull: f64,
    gradient: Vec<f64>,
    intercept: f64,
}

pub(super) fn evaluate<R: SgdRows>(task: &SgdProblem<'_, R>, plan: &SgdOptions, coef: &[f64], intercept: f64) -> SgdObjective {
    let smooth = is_smooth(plan.loss);
    let size = task.train.len().div_ceil(PARTS).max(LEAST);
    let part = |rows: &[u32]| -> SgdObjectiveSums {
        let mut sums = SgdObjectiveSums {
            loss: 0.0,
            pull: 0.0,
            gradient: if smooth { vec![0.0; coef.len()] } else { Vec::new() },
            intercept: 0.0,
        };
        for &i in rows {
            let i = i as usize;
            let (y, factor) = task.labels.of(i);
            let weight = factor * task.weight.map_or(1.0, |w| w[i]);
            let z = task.rows.dot(i, coef) + intercept;
            sums.loss += weight * plan.loss.value(y, z);
            if smooth {
                let slope = weight * plan.loss.gradient(y, z);
                if slope != 0.0 {
                    task.rows.add(i, slope, &mut sums.gradient);
                    sums.intercept += slope;
                    let one = f64::from(u8::from(plan.fit_intercept));
                    sums.pull += slope.abs() * (task.rows.square(i) + one).sqrt();
                }
            }
        }
        sums
    };
    let parts: Vec<SgdObjectiveSums> = task.train.par_chunks(size).map(part).collect();
    let count = task.train.len() as f64;
    let (square, absolute) = coef.iter().fold((0.0, 0.0), |(q, a), w| (q + w * w, a + w.abs()));
    let objective = parts.iter().map(|p| p.loss).sum::<f64>() / count + 0.5 * plan.l2 * square + plan.l1 * absolute;
    let residual = smooth.then(|| {
        let mut violation = 0.0;
        for (j, &w) in coef.iter().enumerate() {
            let slope = parts.iter().map(|p| p.gradient[j]).sum::<f64>() / count + plan.l2 * w;
            let short = if w != 0.0 { slope + plan.l1 * w.signum() } else { (slope.abs() - plan.l1).max(0.0) };
            violation += short * short;
        }
        if plan.fit_intercept {
            violation += (parts.iter().map(|p| p.intercept).sum::<f64>() / count).powi(2);
        }
        let scale = parts.iter().map(|p| p.pull).sum::<f64>() / count + plan.l2 * square.sqrt();
        if violation == 0.0 { 0.0 } else { violation.sqrt() / scale }
    });
    SgdObjective { objective, residual: residual.filter(|r| r.is_finite()) }
}

/// The largest eigenvalue of the mean of (xᵢ, 1)(xᵢ, 1)ᵀ, by the power method; 2 over it bounds the steps with which the
/// least-mean-squares rule settles in the mean.
pub(super) fn largest_eigenvalue<R: SgdRows>(task: &SgdProblem<'_, R>, cols: usize, fit_intercept: bool) -> f64 {
    const ROUNDS: usize = 50;
    let (mut v, mut b) = (vec![1.0; cols], f64::from(u8::from(fit_intercept)));
    let mut value = 0.0;
    for _ in 0..ROUNDS {
        let norm = (v.iter().map(|v| v * v).sum::<f64>() + b * b).sqrt();
        if norm == 0.0 || !norm.is_finite() {
            break;
        }
        v.iter_mut().for_each(|v| *v /= norm);
        b /= norm;
        let (mut next, mut next_b) = (vec![0.0; cols], 0.0);
        let mut total = 0.0;
        for &i in task.train {
            let i = i as usize;
            let weight = task.weight.map_or(1.0, |w| w[i]);
            let z = task.rows.dot(i, &v) + b;
            task.rows.add(i, weight * z, &mut next);
            next_b += weight * z;
            total += weight * z * z;
        }
        let before = std::mem::replace(&mut value, total / task.train.len() as f64);
        v = next;
        b = if fit_intercept { next_b } else { 0.0 };
        if (value - before).abs() <= 1e-6 * value {
            break;
        }
    }
    value
}
