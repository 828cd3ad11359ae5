//! The matrices of a program: dense or in compressed sparse rows.

use ermine_core::{Csr, Error, Mat, Result};

use super::{add_scaled, dot};
use crate::linalg::matmul;

/// A matrix of a program. Products with sparse rows cost what is stored; the systems that are solved are dense.
#[derive(Debug, Clone)]
pub enum ProgramMatrix {
    /// All numbers.
    Dense(Mat<f64>),
    /// Compressed sparse rows.
    Sparse(Csr),
}

impl From<Mat<f64>> for ProgramMatrix {
    fn from(m: Mat<f64>) -> Self {
        Self::Dense(m)
    }
}

impl From<Csr> for ProgramMatrix {
    fn from(m: Csr) -> Self {
        Self::Sparse(m)
    }
}

impl ProgramMatrix {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense(m) => m.rows(),
            Self::Sparse(m) => m.view().rows(),
        }
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        match self {
            Self::Dense(m) => m.cols(),
            Self::Sparse(m) => m.view().cols(),
        }
    }

    /// Row `i` as dense numbers.
    pub fn dense_row(&self, i: usize) -> Vec<f64> {
        match self {
            Self::Dense(m) => m.row(i).to_vec(),
            Self::Sparse(m) => {
                let mut out = vec![0.0; self.cols()];
                m.view().copy_row(i, &mut out);
                out
            }
        }
    }

    /// The product of row `i` with a vector.
    pub fn row_dot(&self, i: usize, x: &[f64]) -> f64 {
        match self {
            Self::Dense(m) => dot(m.row(i), x),
            Self::Sparse(m) => {
                let (indices, values) = m.view().row(i);
                indices.iter().zip(values).map(|(&j, v)| v * x[j as usize]).sum()
            }
        }
    }

    /// M x.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        (0..self.rows()).map(|i| self.row_dot(i, x)).collect()
    }

    /// Adds Mᵀ y to `out`.
    pub fn add_transposed_times(&self, y: &[f64], out: &mut [f64]) {
        for (i, &y) in y.iter().enumerate() {
            if y != 0.0 {
                self.add_row(i, y, out);
            }
        }
    }

    /// Adds a multiple of row `i` to `out`.
    pub fn add_row(&self, i: usize, factor: f64, out: &mut [f64]) {
        match self {
            Self::Dense(m) => add_scaled(out, factor, m.row(i)),
            Self::Sparse(m) => {
                let (indices, values) = m.view().row(i);
                indices.iter().zip(values).for_each(|(&j, v)| out[j as usize] += factor * v);
            }
        }
    }

    /// Adds Mᵀ diag(w) M to `out`, w ≥ 0.
    pub(super) fn add_weighted_gram(&self, w: &[f64], out: &mut Mat<f64>) {
        match self {
            Self::Dense(m) => {
                if m.rows() == 0 {
                    return;
                }
                let mut scaled = m.clone();
                for (i, w) in w.iter().enumerate() {
                    let root = w.sqrt();
                    scaled.row_mut(i).iter_mut().for_each(|v| *v *= root);
                }
                matmul(1.0, scaled.view().t(), scaled.view(), 1.0, out);
            }
            Self::Sparse(m) => {
                for (i, &w) in w.iter().enumerate() {
                    let (indices, values) = m.view().row(i);
                    for (&a, va) in indices.iter().zip(values) {
                        let to = out.row_mut(a as usize);
                        indices.iter().zip(values).for_each(|(&b, vb)| to[b as usize] += w * va * vb);
                    }
                }
            }
        }
    }

    /// The largest absolute value of row `i`.
    pub(super) fn row_size(&self, i: usize) -> f64 {
        match self {
            Self::Dense(m) => super::max_abs(m.row(i)),
            Self::Sparse(m) => super::max_abs(m.view().row(i).1),
        }
    }

    /// The largest absolute value.
    pub(super) fn size(&self) -> f64 {
        (0..self.rows()).fold(0.0, |m, i| self.row_size(i).max(m))
    }

    /// Multiplies row i by `factors[i]`.
    pub(super) fn scaled_rows(&self, factors: &[f64]) -> Self {
        match self {
            Self::Dense(m) => Self::Dense(Mat::from_fn(m.rows(), m.cols(), |i, j| factors[i] * m[(i, j)])),
            Self::Sparse(m) => {
                let m = m.view();
                let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
                for i in 0..m.rows() {
                    let (index, value) = m.row(i);
                    indices.extend_from_slice(index);
                    values.extend(value.iter().map(|v| factors[i] * v));
                    indptr.push(indices.len());
                }
                Self::Sparse(Csr::new(indptr, indices, values, m.cols()).expect("the shape of a checked matrix"))
            }
        }
    }

    /// The whole as dense numbers.
    pub fn to_dense(&self) -> Mat<f64> {
        match self {
            Self::Dense(m) => m.clone(),
            Self::Sparse(m) => m.view().to_dense(),
        }
    }

    pub(super) fn check(&self, name: &str, cols: usize) -> Result<()> {
        if self.cols() != cols {
            return Err(Error::Length { what: format!("columns of {name}"), expected: cols, found: self.cols() });
        }
        let finite = |i: usize| match self {
            Self::Dense(m) => m.row(i).iter().all(|v| v.is_finite()),
            Self::Sparse(m) => m.view().row(i).1.iter().all(|v| v.is_finite()),
        };
        match (0..self.rows()).find(|&i| !finite(i)) {
            Some(i) => Err(Error::Data(format!("row {i} of {name} has a number that is not finite"))),
            None => Ok(()),
        }
    }
}
