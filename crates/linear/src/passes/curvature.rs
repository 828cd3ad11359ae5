//! Weighted products of the columns, which second derivatives are made of.

use ermine_core::{CsrRef, DatasetRef, Features, Mat, MatRef, Result};
use ermine_math::moments::Moments;
use ermine_math::tall_skinny::rows_at_once;
use serde::{Deserialize, Serialize};

use super::{add, contiguous};

/// The curvature that a pass gathers besides loss and gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CurvatureKind {
    /// Nothing.
    None,
    /// Σ dᵢ xᵢⱼ² for every column, with dᵢ the curvature of a row (for several classes their mean).
    Diagonal,
    /// Σ dᵢ xᵢ xᵢᵀ, one matrix shared by all classes.
    Shared,
    /// The Hessian.
    Full,
}

/// Σ dᵢ xᵢ xᵢᵀ of rows seen so far, or its diagonal, with the intercept as last column if there is one.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum CurvatureSums {
    /// The diagonal.
    Diagonal(Vec<f64>),
    /// Weighted moments of the columns; the intercept is in the weight and the means.
    Moments {
        /// The moments.
        moments: Moments,
        /// Whether there is an intercept.
        intercept: bool,
    },
    /// The upper triangle, cell by cell; of sparse rows.
    Products {
        /// The triangle.
        products: Mat<f64>,
        /// Whether the last column is the intercept.
        intercept: bool,
    },
}

impl CurvatureSums {
    /// The sums of no rows, for every kind but [`CurvatureKind::None`].
    pub fn new(kind: CurvatureKind, cols: usize, intercept: bool, sparse: bool) -> Self {
        let width = cols + usize::from(intercept);
        match (kind, sparse) {
            (CurvatureKind::None | CurvatureKind::Diagonal, _) => Self::Diagonal(vec![0.0; width]),
            (_, true) => Self::Products { products: Mat::zeros(width, width), intercept },
            (_, false) => Self::Moments { moments: Moments::new(cols, 0), intercept },
        }
    }

    /// Adds rows with their curvatures, one per row. With `stride` above 1 a matrix is made of every `stride`th row.
    pub fn add(&mut self, rows: &DatasetRef<'_>, weight: &[f64], stride: usize, learner: &str) -> Result<()> {
        match self {
            Self::Diagonal(diagonal) => add_diagonal(rows, weight, diagonal, learner),
            Self::Moments { moments, .. } => {
                let thinned: Vec<f64>;
                let weight = match stride {
                    0 | 1 => weight,
                    _ => {
                        thinned = weight.iter().step_by(stride).map(|w| w * stride as f64).collect();
                        &thinned
                    }
                };
                match &rows.x {
                    Features::F64(x) => moments.add(every(*x, stride), None, Some(weight)),
                    Features::F32(x) => moments.add(every(*x, stride), None, Some(weight)),
                    other => {
                        let mut scratch = Vec::new();
                        let x = other.f64_rows(&mut scratch, learner)?;
                        moments.add(every(x, stride), None, Some(weight));
                    }
                }
                Ok(())
            }
            Self::Products { products, intercept } => {
                if let Features::Csr(x) = &rows.x {
                    add_sparse_products(*x, *intercept, weight, products);
                }
                Ok(())
            }
        }
    }

    /// Adds the sums of other rows.
    pub fn merge(&mut self, other: Self) {
        match (self, other) {
            (Self::Diagonal(a), Self::Diagonal(b)) => add(a, &b),
            (Self::Moments { moments: a, .. }, Self::Moments { moments: b, .. }) => a.merge(b),
            (Self::Products { products: a, .. }, Self::Products { products: b, .. }) => add(a.as_mut_slice(), b.as_slice()),
            _ => {}
        }
    }

    /// The matrix, both triangles, of columns shifted by `center` (empty for nothing); none of a diagonal.
    pub fn matrix(&self, center: &[f64]) -> Option<Mat<f64>> {
        match self {
            Self::Diagonal(_) => None,
            Self::Products { products: m, .. } => Some(Mat::from_fn(m.rows(), m.rows(), |a, b| m[(a.min(b), a.max(b))])),
            Self::Moments { moments: m, intercept } => {
                let (cols, q) = (m.x_cols(), m.x_cols() + usize::from(*intercept));
                let (mut out, scatter, weight) = (Mat::zeros(q, q), m.scatter(), m.weight());
                let mean: Vec<f64> = match center.is_empty() {
                    true => m.mean().to_vec(),
                    false => m.mean().iter().zip(center).map(|(m, c)| m - c).collect(),
                };
                for a in 0..cols {
                    let (row, from, wa) = (out.row_mut(a), scatter.row(a), weight * mean[a]);
                    for b in 0..cols {
                        row[b] = from[b] + wa * mean[b];
                    }
                    if *intercept {
                        row[cols] = wa;
                    }
                }
                if *intercept {
                    for a in 0..cols {
                        out[(cols, a)] = weight * mean[a];
                    }
                    out[(cols, cols)] = weight;
                }
                Some(out)
            }
        }
    }
}

/// Every `step`th row, from the first.
fn every<T>(x: MatRef<'_, T>, step: usize) -> MatRef<'_, T> {
    let rows = x.rows().div_ceil(step.max(1));
    MatRef::strided(x.as_slice(), rows, x.cols(), x.row_stride() * step, x.col_stride()).unwrap_or(x)
}

fn add_diagonal(rows: &DatasetRef<'_>, weight: &[f64], diagonal: &mut [f64], learner: &str) -> Result<()> {
    let cols = rows.cols();
    match &rows.x {
        Features::Csr(x) => {
            for (i, w) in weight.iter().enumerate() {
                let (indices, values) = x.row(i);
                indices.iter().zip(values).for_each(|(&j, v)| diagonal[j as usize] += w * v * v);
            }
        }
        dense => {
            let mut scratch = Vec::new();
            let step = rows_at_once(cols);
            for start in (0..rows.rows()).step_by(step) {
                let x = contiguous(&dense.row_range(start..rows.rows().min(start + step)), &mut scratch, learner)?;
                for i in 0..x.rows() {
                    let (w, row) = (weight[start + i], x.row(i).unwrap_or(&[]));
                    diagonal.iter_mut().zip(row).for_each(|(d, v)| *d += w * v * v);
                }
            }
        }
    }
    if diagonal.len() > cols {
        diagonal[cols] += weight.iter().sum::<f64>();
    }
    Ok(())
}

/// Adds Σ wᵢ xᵢ xᵢᵀ (with the intercept as last column) to the upper triangle, cell by cell of what is stored.
fn add_sparse_products(x: CsrRef<'_>, intercept: bool, weight: &[f64], products: &mut Mat<f64>) {
    let cols = x.cols();
    for (i, &w) in weight.iter().enumerate() {
        let (indices, values) = x.row(i);
        for (a, (&ja, &va)) in indices.iter().zip(values).enumerate() {
            products[(ja as usize, ja as usize)] += w * va * va;
            for (&jb, &vb) in indices[a + 1..].iter().zip(&values[a + 1..]) {
                let (lo, hi) = (ja.min(jb) as usize, ja.max(jb) as usize);
                // A column stored twice in a row meets itself in both orders.
                let times = if lo == hi { 2.0 } else { 1.0 };
                products[(lo, hi)] += times * w * va * vb;
            }
            if intercept {
                products[(ja as usize, cols)] += w * va;
            }
        }
        if intercept {
            products[(cols, cols)] += w;
        }
    }
}
