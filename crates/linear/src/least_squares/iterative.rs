//! Many sparse columns and many sparse rows, in memory: conjugate gradients on the data itself.
//!
//! No table of products is made; each step reads the stored values twice. The steps for each target end when the optimality
//! conditions hold to rounding, and the certificate says how well they do.

use ermine_core::parallel::prelude::*;
use ermine_core::{Context, CsrRef, DatasetRef, Error, Features, Progress, Result};
use ermine_math::double_double::Dd;

use super::pass::EXACT_COLS;
use super::row_space::{ColumnStore, EXACT_ROWS};
use super::{LeastSquaresProblem, LeastSquaresSolution, coefficient_overflow};

/// Violation of the optimality conditions, relative to the scale of the problem, that ends the steps.
const SMALL_ENOUGH: f64 = 1e-13;
/// Violation that still counts as an optimum when rounding allows no better.
const ACCEPTABLE: f64 = 1e-9;
/// Steps without a new best after which rounding has won.
const PATIENCE: u64 = 100;
/// Rows or columns a thread takes at a time.
const RUN: usize = 1024;

/// Whether data has this shape: too many columns for a table of products and too many rows for the other one.
pub(crate) fn is_applicable(data: &DatasetRef<'_>) -> bool {
    matches!(data.x, Features::Csr(_)) && data.cols() > EXACT_COLS && data.rows() > EXACT_ROWS
}

/// The centered, weighted data as a linear map.
struct CenteredOperator<'a> {
    x: CsrRef<'a>,
    starts: Vec<usize>,
    cells: Vec<(u32, f64)>,
    weight: Vec<f64>,
    mean: Vec<f64>,
}

impl CenteredOperator<'_> {
    /// `rᵀ W r`.
    fn weighted_square(&self, r: &[f64]) -> f64 {
        r.iter().zip(&self.weight).map(|(v, w)| w * v * v).sum()
    }

    /// `(X - 1 meanᵀ) v`.
    fn apply(&self, v: &[f64]) -> Vec<f64> {
        let middle: f64 = self.mean.iter().zip(v).map(|(m, v)| m * v).sum();
        let mut out = vec![0.0; self.x.rows()];
        out.par_chunks_mut(RUN).enumerate().for_each(|(c, out)| {
            for (i, o) in out.iter_mut().enumerate() {
                let (indices, values) = self.x.row(c * RUN + i);
                *o = indices.iter().zip(values).map(|(&j, x)| x * v[j as usize]).sum::<f64>() - middle;
            }
        });
        out
    }

    /// `(X - 1 meanᵀ)ᵀ W r`.
    fn apply_transposed(&self, r: &[f64]) -> Vec<f64> {
        let total: f64 = self.weight.iter().zip(r).map(|(w, r)| w * r).sum();
        let mut out = vec![0.0; self.mean.len()];
        out.par_chunks_mut(RUN).enumerate().for_each(|(c, out)| {
            for (j, o) in out.iter_mut().enumerate() {
                let j = c * RUN + j;
                let cells = &self.cells[self.starts[j]..self.starts[j + 1]];
                let sum: f64 = cells.iter().map(|&(i, x)| x * self.weight[i as usize] * r[i as usize]).sum();
                *o = sum - self.mean[j] * total;
            }
        });
        out
    }
}

/// Solves by conjugate gradients.
pub(crate) fn solve(problem: &LeastSquaresProblem<'_>, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<LeastSquaresSolution> {
    let (Features::Csr(x), y) = (data.x, data.y.reals()?) else {
        return Err(Error::Data("only sparse rows are solved by conjugate gradients".into()));
    };
    let (n, p, t) = (x.rows(), x.cols(), y.cols());
    if problem.family {
        return Err(Error::Data(format!(
            "{n} sparse rows of {p} columns are solved by steps, which find one minimizer and not the family of all; leave out family"
        )));
    }
    problem.check_penalties(t)?;
    let ColumnStore::Sparse(starts, cells) = ColumnStore::transposed(&x) else {
        return Err(Error::Data("sparse rows have sparse columns".into()));
    };
    let weight: Vec<f64> = (0..n).map(|i| data.weight_of(i)).collect();
    let total: Dd = weight.iter().map(|&w| Dd::from(w)).sum();
    let column = |j: usize| &cells[starts[j]..starts[j + 1]];
    let mean: Vec<f64> = (0..p)
        .into_par_iter()
        .map(|j| match problem.fit_intercept {
            true => (column(j).iter().map(|&(i, v)| Dd::product(v, weight[i as usize])).sum::<Dd>() / total).to_f64(),
            false => 0.0,
        })
        .collect();
    // Sums of squares about the mean, from the stored cells and the weight of the zeros between them.
    let square: Vec<f64> = (0..p)
        .into_par_iter()
        .map(|j| {
            let stored: f64 = column(j).iter().map(|&(i, v)| weight[i as usize] * (v - mean[j]).powi(2)).sum();
            let zeros = total.to_f64() - column(j).iter().map(|&(i, _)| weight[i as usize]).sum::<f64>();
            stored + zeros.max(0.0) * mean[j].powi(2)
        })
        .collect();
    if let Some(j) = square.iter().position(|s| !s.is_finite()) {
        data.x.refuse_non_finite(data.schema)?;
        return Err(Error::Numeric(format!("the squares of column {j} overflow; scale it down")));
    }
    let map = CenteredOperator { x, starts, cells, weight, mean };
    let rows = map.weight.iter().filter(|w| **w > 0.0).count();
    let log_weight = map.weight.iter().filter(|w| **w > 0.0).map(|w| w.ln()).sum();
    let mut out = LeastSquaresSolution::zeros("conjugate gradients", p, rows as u64, log_weight, vec![0; t], vec![0.0; t]);
    (out.effective_df, out.steps) = (vec![f64::NAN; t], 0);
    out.rank = p.min(rows - usize::from(problem.fit_intercept));
    for k in 0..t {
        descend(problem, &map, &square, y.col_iter(k), k, &mut out, cx)?;
    }
    if problem.penalty.is_empty() {
        out.notes.push("the rank was not determined; the coefficients are the shortest among the minimizers".into());
    }
    if !out.converged {
        out.notes.push(format!("the optimality conditions hold to {:.0e} only", out.residual));
    }
    Ok(out)
}

/// One target: its coefficients, by conjugate gradients on `|√W (y - X b)|² + alpha |b|²` from b = 0, so that without penalty the
/// shortest minimizer is reached, and what follows from them.
fn descend(
    problem: &LeastSquaresProblem<'_>,
    map: &CenteredOperator<'_>,
    square: &[f64],
    y: impl ExactSizeIterator<Item = f64>,
    k: usize,
    out: &mut LeastSquaresSolution,
    cx: &Context<'_>,
) -> Result<()> {
    let alpha = problem.penalty_of(k);
    let total: f64 = map.weight.iter().sum();
    let y: Vec<f64> = y.collect();
    let y_mean = match problem.fit_intercept {
        true => (y.iter().zip(&map.weight).map(|(&y, &w)| Dd::product(y, w)).sum::<Dd>() / total.into()).to_f64(),
        false => 0.0,
    };
    let centered: Vec<f64> = y.iter().map(|y| y - y_mean).collect();
    out.tss[k] = map.weighted_square(&centered);
    let mut b = vec![0.0; square.len()];
    if out.tss[k] > 0.0 {
        let task = ConjugateGradients { map, square, alpha, size: out.tss[k].sqrt() };
        let optimum = task.solve(centered, cx)?;
        b = optimum.b;
        out.steps = out.steps.max(optimum.steps);
        out.residual = out.residual.max(optimum.violation);
        out.converged &= optimum.violation <= ACCEPTABLE;
    }
    if let Some(j) = b.iter().position(|b| !b.is_finite()) {
        return Err(coefficient_overflow(j));
    }
    let fitted = map.apply(&b);
    let r: Vec<f64> = y.iter().zip(fitted).map(|(y, f)| y - y_mean - f).collect();
    out.rss[k] = map.weighted_square(&r);
    out.penalty[k] = alpha * dot(&b, &b);
    if problem.fit_intercept {
        let middle: Dd = map.mean.iter().zip(&b).map(|(&m, &b)| Dd::product(m, b)).sum();
        out.intercept[k] = (Dd::from(y_mean) - middle).to_f64();
    }
    out.coef.row_mut(k).copy_from_slice(&b);
    Ok(())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The system of one target, whose centered values have the length `size`.
struct ConjugateGradients<'a> {
    map: &'a CenteredOperator<'a>,
    /// Sums of squares of the centered columns.
    square: &'a [f64],
    alpha: f64,
    size: f64,
}

struct CgOptimum {
    b: Vec<f64>,
    /// Largest violation of the optimality conditions, relative to the scale of the problem.
    violation: f64,
    steps: u64,
}

impl ConjugateGradients<'_> {
    fn violation(&self, gradient: &[f64]) -> f64 {
        let each = gradient.iter().zip(self.square);
        let each = each.map(|(s, q)| if *q > 0.0 { s.abs() / (q + self.alpha).sqrt() } else { 0.0 });
        each.fold(0.0, f64::max) / self.size
    }

    /// The steps from b = 0, where the residuals are `r`; the best point among them.
    fn solve(&self, mut r: Vec<f64>, cx: &Context<'_>) -> Result<CgOptimum> {
        let (map, alpha) = (self.map, self.alpha);
        // A penalty allows columns to be weighed by their sizes; without one that would change which minimizer is the shortest.
        let scale = |s: f64| match (alpha > 0.0, s > 0.0) {
            (true, _) => 1.0 / (s + alpha),
            (false, true) => 1.0,
            (false, false) => 0.0,
        };
        let scale: Vec<f64> = self.square.iter().map(|&s| scale(s)).collect();
        let scaled = |s: &[f64]| -> Vec<f64> { s.iter().zip(&scale).map(|(s, m)| s * m).collect() };
        let mut b = vec![0.0; scale.len()];
        let mut best = CgOptimum { b: b.clone(), violation: f64::INFINITY, steps: 0 };
        let (mut since, mut steps) = (0, 0);
        let mut s = map.apply_transposed(&r);
        let mut direction = scaled(&s);
        let mut gamma = dot(&s, &direction);
        let limit = 20 * r.len().min(b.len()) as u64 + 1000;
        for step in 0..=limit {
            let violation = self.violation(&s);
            if violation < best.violation {
                best = CgOptimum { b: b.clone(), violation, steps: 0 };
                since = 0;
            } else {
                since += 1;
            }
            let objective = Some(map.weighted_square(&r));
            cx.report(Progress { stage: "conjugate gradients", done: step, total: None, objective })?;
            if violation <= SMALL_ENOUGH || since > PATIENCE || gamma <= 0.0 || cx.deadline_passed() {
                break;
            }
            steps = step + 1;
            let q = map.apply(&direction);
            let length = gamma / (map.weighted_square(&q) + alpha * dot(&direction, &direction));
            b.iter_mut().zip(&direction).for_each(|(b, d)| *b += length * d);
            r.iter_mut().zip(&q).for_each(|(r, q)| *r -= length * q);
            s = map.apply_transposed(&r);
            s.iter_mut().zip(&b).for_each(|(s, b)| *s -= alpha * b);
            let next = scaled(&s);
            let gamma_next = dot(&s, &next);
            let beta = gamma_next / gamma;
            direction.iter_mut().zip(next).for_each(|(d, z)| *d = z + beta * *d);
            gamma = gamma_next;
        }
        Ok(CgOptimum { steps, ..best })
    }
}
