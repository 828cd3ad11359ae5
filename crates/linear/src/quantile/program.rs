//! The linear program of a quantile regression, in scaled units.
//!
//! `min over b: Σᵢ max(loᵢ rᵢ, hiᵢ rᵢ)` with `r = y - A b` and `lo <= 0 <= hi`. The rows of A are rows of the data with a 1 for
//! the intercept, and, for a column with a penalty `c |b|`, the unit row with target 0 and limits ± c. Its dual is
//! `max yᵀ u` with `Aᵀ u = 0` and `lo <= u <= hi`: u is the dual variable of a row.

use ermine_core::parallel::prelude::*;
use ermine_core::{Csr, Mat};
use ermine_math::moments::Moments;
use ermine_math::tall_skinny::{add_products, rows_at_once, scores};

/// Rows that a task takes; sums over tasks are merged in order, so the bits do not depend on the threads.
const TASK: usize = 4096;

/// Rows of the data, scaled and in the columns of the program.
#[derive(Debug, Clone)]
pub enum LpRows {
    Dense(Mat<f64>),
    Sparse(Csr),
}

impl LpRows {
    pub fn count(&self) -> usize {
        match self {
            Self::Dense(m) => m.rows(),
            Self::Sparse(m) => m.view().rows(),
        }
    }

    fn cols(&self) -> usize {
        match self {
            Self::Dense(m) => m.cols(),
            Self::Sparse(m) => m.view().cols(),
        }
    }
}

#[derive(Debug, Clone)]
pub struct LinearProgram {
    pub rows: LpRows,
    pub intercept: bool,
    /// Targets and limits, of the rows first, then of the penalized columns.
    pub y: Vec<f64>,
    pub lo: Vec<f64>,
    pub hi: Vec<f64>,
    /// The columns with a penalty.
    pub penalized: Vec<usize>,
}

impl LinearProgram {
    /// Columns of the data.
    pub fn cols(&self) -> usize {
        self.rows.cols()
    }

    /// Unknowns.
    pub fn width(&self) -> usize {
        self.cols() + usize::from(self.intercept)
    }

    /// Rows of A.
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// `A b`.
    pub fn apply(&self, b: &[f64], out: &mut [f64]) {
        let (n, p) = (self.rows.count(), self.cols());
        let bias = if self.intercept { b[p] } else { 0.0 };
        let (real, unit) = out.split_at_mut(n);
        match &self.rows {
            LpRows::Dense(m) => {
                let step = rows_at_once(p);
                real.par_chunks_mut(TASK).enumerate().for_each(|(t, out)| {
                    for (k, out) in out.chunks_mut(step).enumerate() {
                        let first = t * TASK + k * step;
                        scores(m.view().row_range(first..first + out.len()), b, p.max(1), &[bias], out, &[]);
                    }
                });
            }
            LpRows::Sparse(m) => {
                let x = m.view();
                real.par_chunks_mut(TASK).enumerate().for_each(|(t, out)| {
                    for (i, o) in out.iter_mut().enumerate() {
                        let (indices, values) = x.row(t * TASK + i);
                        *o = bias + indices.iter().zip(values).map(|(&j, v)| v * b[j as usize]).sum::<f64>();
                    }
                });
            }
        }
        unit.iter_mut().zip(&self.penalized).for_each(|(o, &j)| *o = b[j]);
    }

    /// `Aᵀ f`.
    pub fn products(&self, f: &[f64]) -> Vec<f64> {
        let (n, p) = (self.rows.count(), self.cols());
        let parts: Vec<Vec<f64>> = f[..n]
            .par_chunks(TASK)
            .enumerate()
            .map(|(t, f)| {
                let mut out = vec![0.0; p + 1];
                match &self.rows {
                    LpRows::Dense(m) => {
                        let step = rows_at_once(p);
                        for (k, f) in f.chunks(step).enumerate() {
                            let first = t * TASK + k * step;
                            add_products(m.view().row_range(first..first + f.len()), f, 1, &mut out, p.max(1), &[]);
                        }
                    }
                    LpRows::Sparse(m) => {
                        let x = m.view();
                        for (i, f) in f.iter().enumerate().filter(|f| *f.1 != 0.0) {
                            let (indices, values) = x.row(t * TASK + i);
                            indices.iter().zip(values).for_each(|(&j, v)| out[j as usize] += f * v);
                        }
                    }
                }
                out[p] = f.iter().sum();
                out
            })
            .collect();
        let mut out = vec![0.0; p + 1];
        parts.iter().for_each(|part| out.iter_mut().zip(part).for_each(|(o, v)| *o += v));
        self.penalized.iter().zip(&f[n..]).for_each(|(&j, f)| out[j] += f);
        out.truncate(self.width());
        out
    }

    /// `Aᵀ diag(f) A`.
    pub fn gram(&self, f: &[f64]) -> Mat<f64> {
        let (n, p, q) = (self.rows.count(), self.cols(), self.width());
        let mut out = Mat::zeros(q, q);
        match &self.rows {
            LpRows::Dense(m) => {
                let parts: Vec<Moments> = f[..n]
                    .par_chunks(TASK)
                    .enumerate()
                    .map(|(t, f)| {
                        let mut part = Moments::new(p, 0);
                        part.add(m.view().row_range(t * TASK..t * TASK + f.len()), None, Some(f));
                        part
                    })
                    .collect();
                let mut all = Moments::new(p, 0);
                parts.into_iter().for_each(|part| all.merge(part));
                let (scatter, mean, weight) = (all.scatter(), all.mean(), all.weight());
                for a in 0..p {
                    for b in 0..p {
                        out[(a, b)] = scatter[(a, b)] + weight * mean[a] * mean[b];
                    }
                    if self.intercept {
                        out[(a, p)] = weight * mean[a];
                        out[(p, a)] = weight * mean[a];
                    }
                }
                if self.intercept {
                    out[(p, p)] = weight;
                }
            }
            LpRows::Sparse(m) => {
                let x = m.view();
                for (i, &w) in f[..n].iter().enumerate() {
                    let (indices, values) = x.row(i);
                    for (&a, va) in indices.iter().zip(values) {
                        let row = out.row_mut(a as usize);
                        indices.iter().zip(values).for_each(|(&b, vb)| row[b as usize] += w * va * vb);
                        if self.intercept {
                            row[p] += w * va;
                        }
                    }
                    if self.intercept {
                        out[(p, p)] += w;
                    }
                }
                if self.intercept {
                    for a in 0..p {
                        out[(p, a)] = out[(a, p)];
                    }
                }
            }
        }
        self.penalized.iter().zip(&f[n..]).for_each(|(&j, f)| out[(j, j)] += f);
        out
    }

    /// Row i of A.
    pub fn row(&self, i: usize, out: &mut [f64]) {
        let (n, p) = (self.rows.count(), self.cols());
        out.fill(0.0);
        if i >= n {
            out[self.penalized[i - n]] = 1.0;
            return;
        }
        match &self.rows {
            LpRows::Dense(m) => out[..p].copy_from_slice(m.row(i)),
            LpRows::Sparse(m) => {
                let (indices, values) = m.view().row(i);
                indices.iter().zip(values).for_each(|(&j, v)| out[j as usize] += v);
            }
        }
        if self.intercept {
            out[p] = 1.0;
        }
    }

    /// Σ max(lo r, hi r).
    pub fn objective(&self, r: &[f64]) -> f64 {
        r.iter().zip(self.lo.iter().zip(&self.hi)).map(|(r, (lo, hi))| (lo * r).max(hi * r)).sum()
    }
}
