//! Many sparse columns and many sparse rows, in memory: conjugate gradients on the data itself.
//!
//! No table of products is made; each step reads the stored values twice. The steps for each target end when the optimality
//! conditions hold to rounding, and the certificate says how well they do.

use ermine_core::{Context, CsrRef, Dataset, Error, Features, Mat, Progress, Result};
use ermine_math::double_double::Dd;
use rayon::prelude::*;

use super::moments::too_large;
use super::pass::EXACT_COLS;
use super::row_space::{ColumnStore, EXACT_ROWS};
use super::{LeastSquaresProblem, LeastSquaresSolution};

/// Violation of the optimality conditions, relative to the scale of the problem, that ends the steps.
const SMALL_ENOUGH: f64 = 1e-13;
/// Violation that still counts as an optimum when rounding allows no better.
const ACCEPTABLE: f64 = 1e-9;
/// Steps without a new best after which rounding has won.
const PATIENCE: u64 = 100;
/// Rows or columns a thread takes at a time.
const RUN: usize = 1024;

/// Whether data has this shape: too many columns for a table of products and too many rows for the other one.
pub(crate) fn is_applicable(data: &Dataset<'_>) -> bool {
    matches!(data.x, Features::Csr(_)) && data.cols() > EXACT_COLS && data.rows() > EXACT_ROWS
}

/// The centred, weighted data as a linear map.
struct CenteredOperator<'a> {
    x: CsrRef<'a>,
    starts: Vec<usize>,
    cells: Vec<(u32, f64)>,
    weight: Vec<f64>,
    mean: Vec<f64>,
}

impl CenteredOperator<'_> {
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
pub(crate) fn solve(problem: &LeastSquaresProblem<'_>, data: &Dataset<'_>, cx: &Context<'_>) -> Result<LeastSquaresSolution> {
    let (Features::Csr(x), y) = (data.x, data.y.reals()?) else {
        return Err(Error::Data("only sparse rows are solved by conjugate gradients".into()));
    };
    let (n, p, t) = (x.rows(), x.cols(), y.cols());
    if problem.family {
        return Err(Error::Data(format!(
            "{n} sparse rows of {p} columns are solved by steps, which find one minimiser and not the family of all; leave out family"
        )));
    }
    if problem.penalty.len() > 1 && problem.penalty.len() != t {
        let what = "penalties (alpha), one a target".into();
        return Err(Error::Length { what, expected: t, found: problem.penalty.len() });
    }
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
    let mut out = LeastSquaresSolution {
        coef: Mat::zeros(t, p),
        intercept: vec![0.0; t],
        rss: vec![0.0; t],
        tss: vec![0.0; t],
        penalty: vec![0.0; t],
        exponent: vec![0; t],
        unit_error: None,
        effective_df: vec![f64::NAN; t],
        singular: None,
        rank: p.min(rows - usize::from(problem.fit_intercept)),
        rows: rows as u64,
        log_weight: map.weight.iter().filter(|w| **w > 0.0).map(|w| w.ln()).sum(),
        residual: 0.0,
        condition: None,
        method: "conjugate gradients",
        steps: 0,
        converged: true,
        notes: Vec::new(),
        path: None,
        family: None,
        checks: None,
    };
    for k in 0..t {
        descend(problem, &map, &square, y.col_iter(k), k, &mut out, cx)?;
    }
    if problem.penalty.is_empty() {
        out.notes.push("the rank was not determined; the coefficients are the shortest among the minimisers".into());
    }
    if !out.converged {
        out.notes.push(format!("the optimality conditions hold to {:.0e} only", out.residual));
    }
    Ok(out)
}

/// Conjugate gradients on `|√W (y - X b)|² + alpha |b|²` from b = 0, so that without penalty the shortest minimiser is reached.
fn descend(
    problem: &LeastSquaresProblem<'_>,
    map: &CenteredOperator<'_>,
    square: &[f64],
    y: impl ExactSizeIterator<Item = f64>,
    k: usize,
    out: &mut LeastSquaresSolution,
    cx: &Context<'_>,
) -> Result<()> {
    let (n, p, alpha) = (y.len(), square.len(), problem.penalty_of(k));
    let total: f64 = map.weight.iter().sum();
    let y: Vec<f64> = y.collect();
    let y_mean = match problem.fit_intercept {
        true => (y.iter().zip(&map.weight).map(|(&y, &w)| Dd::product(y, w)).sum::<Dd>() / total.into()).to_f64(),
        false => 0.0,
    };
    // A penalty allows columns to be weighed by their sizes; without one that would change which minimiser is the shortest.
    let scale: Vec<f64> = square
        .iter()
        .map(|s| {
            if alpha > 0.0 {
                1.0 / (s + alpha)
            } else if *s > 0.0 {
                1.0
            } else {
                0.0
            }
        })
        .collect();
    let mut r: Vec<f64> = y.iter().map(|y| y - y_mean).collect();
    let weighted = |a: &[f64]| a.iter().zip(&map.weight).map(|(v, w)| w * v * v).sum::<f64>();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    out.tss[k] = weighted(&r);
    let size = out.tss[k].sqrt();
    let violation = |s: &[f64]| {
        let each = s.iter().zip(square).map(|(s, q)| if *q > 0.0 { s.abs() / (q + alpha).sqrt() } else { 0.0 });
        each.fold(0.0, f64::max) / size
    };
    let mut b = vec![0.0; p];
    let (mut best, mut since) = ((f64::INFINITY, b.clone()), 0);
    if size > 0.0 {
        let mut s = map.apply_transposed(&r);
        let mut direction: Vec<f64> = s.iter().zip(&scale).map(|(s, m)| s * m).collect();
        let mut gamma = dot(&s, &direction);
        let limit = 20 * n.min(p) as u64 + 1000;
        for step in 0..=limit {
            let bad = violation(&s);
            if bad < best.0 {
                best = (bad, b.clone());
                since = 0;
            } else {
                since += 1;
            }
            let progress = Progress { stage: "conjugate gradients", done: step, total: None, objective: Some(weighted(&r)) };
            cx.report(progress)?;
            if bad <= SMALL_ENOUGH || since > PATIENCE || gamma <= 0.0 || cx.deadline_passed() {
                break;
            }
            out.steps = out.steps.max(step + 1);
            let q = map.apply(&direction);
            let length = gamma / (weighted(&q) + alpha * dot(&direction, &direction));
            b.iter_mut().zip(&direction).for_each(|(b, d)| *b += length * d);
            r.iter_mut().zip(&q).for_each(|(r, q)| *r -= length * q);
            s = map.apply_transposed(&r);
            s.iter_mut().zip(&b).for_each(|(s, b)| *s -= alpha * b);
            let next: Vec<f64> = s.iter().zip(&scale).map(|(s, m)| s * m).collect();
            let gamma_next = dot(&s, &next);
            let beta = gamma_next / gamma;
            direction.iter_mut().zip(next).for_each(|(d, z)| *d = z + beta * *d);
            gamma = gamma_next;
        }
        b = best.1;
        out.residual = out.residual.max(best.0);
        out.converged &= best.0 <= ACCEPTABLE;
    }
    if let Some(j) = b.iter().position(|b| !b.is_finite()) {
        return Err(too_large(j));
    }
    let fitted = map.apply(&b);
    let r: Vec<f64> = y.iter().zip(fitted).map(|(y, f)| y - y_mean - f).collect();
    out.rss[k] = weighted(&r);
    out.penalty[k] = alpha * dot(&b, &b);
    if problem.fit_intercept {
        let middle: Dd = map.mean.iter().zip(&b).map(|(&m, &b)| Dd::product(m, b)).sum();
        out.intercept[k] = (Dd::from(y_mean) - middle).to_f64();
    }
    out.coef.row_mut(k).copy_from_slice(&b);
    Ok(())
}
