//! Newton's method on the primal with a squared loss: min ½‖w‖² + Σ Cᵢ r(yᵢ, xᵢ·w)², r the part of an error that costs.
//!
//! The objective is piecewise quadratic: a step solves (I + 2 Σ Cᵢ xᵢxᵢᵀ) d = -gradient over the rows with r ≠ 0, and once these no longer
//! change it is exact (Mangasarian: A finite Newton method for classification, 2002; Keerthi and DeCoste, JMLR 6, 2005). With
//! β = 2 C r as dual variables the duality gap is half the squared gradient.

use ermine_core::parallel::prelude::*;
use ermine_core::{Context, DatasetRef, Features, Progress, Result};
use ermine_math::linalg::Cholesky;
use ermine_math::moments::block_rows;

use super::super::coefficients::Coefficients;
use super::super::passes::{CurvatureKind, CurvatureSums, add};
use super::super::sgd::{RowVisitor, SgdRows, with_rows};
use super::dual::DualCdSolution;

/// Columns up to which a step costs less than the rounds of descent that it saves.
pub(super) const MOST_COLUMNS: usize = 512;
/// Newton steps run to this decrement, whatever the tolerance: near the optimum a step doubles the digits, so that the last ones cost a step or two.
const SURE: f64 = 1e-9;
/// Times a step is halved at most.
const HALVINGS: i32 = 40;

pub(super) struct SvmNewtonProblem<'a> {
    pub x: &'a Features<'a>,
    pub y: &'a [f64],
    pub price: &'a [f64],
    /// Whether y is ±1 and errors are 1 - yf.
    pub hinge: bool,
    pub epsilon: f64,
    /// The value of a constant column; 0 for none.
    pub constant: f64,
}

impl SvmNewtonProblem<'_> {
    /// The part of an error that costs, with the sign of its pull on the score.
    fn residual(&self, i: usize, f: f64) -> f64 {
        let y = self.y[i];
        match self.hinge {
            true => y * (1.0 - y * f).max(0.0),
            false => (y - f).signum() * ((y - f).abs() - self.epsilon).max(0.0),
        }
    }

    fn loss(&self, scores: &[f64], along: &[f64], step: f64) -> f64 {
        let one = |i: usize| self.price[i] * self.residual(i, scores[i] + step * along[i]).powi(2);
        (0..scores.len()).filter(|&i| self.price[i] > 0.0).map(one).sum()
    }

    fn scores(&self, w: &[f64]) -> Result<Vec<f64>> {
        let cols = self.x.cols();
        let line = Coefficients {
            coef: ermine_core::Mat::from_vec(1, cols, w[..cols].to_vec()),
            intercept: vec![w.get(cols).map_or(0.0, |b| b * self.constant)],
        };
        Ok(line.predict(self.x, "linear-svm")?.into_vec())
    }

    /// Σ βᵢ xᵢ and Σ 2 Cᵢ xᵢxᵢᵀ of the rows whose error costs; the constant column counts as 1.
    fn gather(&self, beta: &[f64]) -> Result<(Vec<f64>, CurvatureSums)> {
        let (n, cols, intercept) = (self.x.rows(), self.x.cols(), self.constant != 0.0);
        let sparse = matches!(self.x, Features::Csr(_));
        let rows = block_rows(cols);
        let block = |b: usize| -> Result<(Vec<f64>, CurvatureSums)> {
            let range = b * rows..n.min((b + 1) * rows);
            let x = self.x.row_range(range.clone());
            let beta = &beta[range.clone()];
            let weight: Vec<f64> = range.zip(beta).map(|(i, b)| if *b == 0.0 { 0.0 } else { 2.0 * self.price[i] }).collect();
            let mut curvature = CurvatureSums::new(CurvatureKind::Full, cols, intercept, sparse);
            curvature.add(&DatasetRef::new(x), &weight, 1, "linear-svm")?;
            let mut pull = with_rows(&x, "linear-svm", WeightedRowSum(beta, cols))?;
            if intercept {
                pull.push(beta.iter().sum());
            }
            Ok((pull, curvature))
        };
        // Blocks of fixed rows, added in their order: the same bits on any number of threads.
        let parts: Vec<_> = (0..n.div_ceil(rows)).into_par_iter().map(block).collect::<Result<_>>()?;
        let mut total =
            (vec![0.0; cols + usize::from(intercept)], CurvatureSums::new(CurvatureKind::Full, cols, intercept, sparse));
        for (pull, curvature) in parts {
            add(&mut total.0, &pull);
            total.1.merge(curvature);
        }
        Ok(total)
    }
}

struct WeightedRowSum<'a>(&'a [f64], usize);

impl RowVisitor for WeightedRowSum<'_> {
    type Out = Vec<f64>;
    fn visit(self, rows: &impl SgdRows) -> Result<Vec<f64>> {
        let mut out = vec![0.0; self.1];
        self.0.iter().enumerate().filter(|b| *b.1 != 0.0).for_each(|(i, b)| rows.add(i, *b, &mut out));
        Ok(out)
    }
}

/// Converged when the square root of the duality gap, next to the objective, is at most `tol`.
pub(super) fn minimize(task: &SvmNewtonProblem<'_>, tol: f64, max_iter: u64, cx: &Context<'_>) -> Result<DualCdSolution> {
    let (n, cols) = (task.x.rows(), task.x.cols());
    let width = cols + usize::from(task.constant != 0.0);
    let mut w = vec![0.0; width];
    let mut scores = vec![0.0; n];
    let mut rounds = 0;
    let (beta, violation, converged) = loop {
        let beta: Vec<f64> = (0..n).map(|i| 2.0 * task.price[i] * task.residual(i, scores[i])).collect();
        let (mut pull, curvature) = task.gather(&beta)?;
        if let Some(last) = pull.get_mut(cols) {
            *last *= task.constant;
        }
        let gradient: Vec<f64> = w.iter().zip(&pull).map(|(w, p)| w - p).collect();
        let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>();
        let loss = task.loss(&scores, &scores, 0.0);
        let objective = 0.5 * norm(&w) + loss;
        let violation = (0.5 * norm(&gradient) / objective.max(f64::MIN_POSITIVE)).sqrt();
        let converged = violation <= tol || norm(&gradient) == 0.0;
        cx.report(Progress { stage: "newton step", done: rounds, total: Some(max_iter), objective: Some(objective) })?;
        if violation <= tol.min(SURE) || rounds >= max_iter || cx.deadline_passed() {
            break (beta, violation, converged);
        }
        let Some(mut matrix) = curvature.matrix(&[]) else { break (beta, violation, false) };
        if task.constant != 0.0 {
            (0..width).for_each(|j| {
                matrix[(cols, j)] *= task.constant;
                matrix[(j, cols)] *= task.constant;
            });
        }
        (0..width).for_each(|j| matrix[(j, j)] += 1.0);
        let mut d: Vec<f64> = gradient.iter().map(|g| -g).collect();
        if let Ok(factor) = Cholesky::new(matrix.view()) {
            factor.solve_vec(&mut d);
        }
        let slope: f64 = d.iter().zip(&gradient).map(|(d, g)| d * g).sum();
        let along = task.scores(&d)?;
        let (cross, own) = (w.iter().zip(&d).map(|(w, d)| w * d).sum::<f64>(), norm(&d));
        let lowers = |step: f64| {
            let change = step * cross + 0.5 * step * step * own + (task.loss(&scores, &along, step) - loss);
            change <= 1e-4 * step * slope
        };
        let taken = (0..HALVINGS).map(|k| 0.5f64.powi(k)).find(|&step| lowers(step));
        rounds += 1;
        // Without one, what a step could still gain is below the rounding of the objective.
        let Some(step) = taken else { break (beta, violation, converged) };
        w.iter_mut().zip(&d).for_each(|(w, d)| *w += step * d);
        // Anew, so that rounding does not add up.
        scores = task.scores(&w)?;
    };
    let constant = w.get(cols).copied().unwrap_or(0.0);
    w.truncate(cols);
    Ok(DualCdSolution { w, constant, beta, violation, rounds, converged })
}
