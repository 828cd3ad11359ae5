//! Columns of a design, for coordinate descent methods.
//!
//! [`Design`] is X in its own layout: rows or columns of f64 or f32, sparse rows, number columns of a table. It is
//! never copied as a whole; computations on all columns at once (their means and norms, Xᵀ v) are passes over the data
//! in storage order. [`Columns`] are a few of them stored contiguously, which is what a coordinate descent over a
//! working set needs: columns of a column-major design are borrowed, those of a row-major one are transposed for these
//! columns only, sparse rows become sparse columns.
//!
//! Threads share the work in pieces that depend on the shape alone, so the bits do not depend on their number.

mod cross;
mod gather;
mod kernels;
mod passes;

use std::borrow::Cow;

use ermine_core::parallel::prelude::*;
use ermine_core::{Csr, CsrRef, Features, Mat, MatRef, Result};

pub use gather::CellTransform;
pub use passes::MeanScatter;

/// X in its own layout.
pub struct Design<'a> {
    view: DesignView<'a>,
    rows: usize,
    cols: usize,
}

enum DesignView<'a> {
    /// Contiguous rows.
    Rows64(MatRef<'a, f64>),
    Rows32(MatRef<'a, f32>),
    /// Contiguous columns.
    Cols64(Vec<&'a [f64]>),
    Cols32(Vec<&'a [f32]>),
    /// Sparse rows, every cell stored at most once.
    Csr(CsrRef<'a>),
    /// A copy with sorted entries.
    OwnedRows(Mat<f64>),
    OwnedCsr(Csr),
}

/// The layouts of X that algorithms distinguish.
enum DesignForm<'a> {
    Rows64(MatRef<'a, f64>),
    Rows32(MatRef<'a, f32>),
    Cols64(&'a [&'a [f64]]),
    Cols32(&'a [&'a [f32]]),
    Csr(CsrRef<'a>),
}

impl<'a> Design<'a> {
    /// A design. Tables must be all numbers without missing values (`learner` is named in the error). Only dense data
    /// with neither rows nor columns contiguous and sparse rows that store a cell twice are copied.
    pub fn new(x: &Features<'a>, learner: &str) -> Result<Self> {
        let (rows, cols) = (x.rows(), x.cols());
        let view = match x {
            Features::F64(m) if m.row_stride() == 1 || rows <= 1 => {
                DesignView::Cols64((0..cols).map(|j| m.col(j).unwrap_or(&[])).collect())
            }
            Features::F32(m) if m.row_stride() == 1 || rows <= 1 => {
                DesignView::Cols32((0..cols).map(|j| m.col(j).unwrap_or(&[])).collect())
            }
            Features::F64(m) if m.col_stride() == 1 || cols <= 1 => DesignView::Rows64(*m),
            Features::F32(m) if m.col_stride() == 1 || cols <= 1 => DesignView::Rows32(*m),
            Features::F64(m) => DesignView::OwnedRows(m.to_owned()),
            Features::F32(m) => DesignView::OwnedRows(Mat::from_fn(rows, cols, |i, j| f64::from(*m.at(i, j)))),
            Features::Csr(m) => match without_repeats(*m)? {
                Some(owned) => DesignView::OwnedCsr(owned),
                None => DesignView::Csr(*m),
            },
            Features::Table(t) => match (0..cols).map(|j| t.numbers(j)).collect::<Option<Vec<_>>>() {
                Some(columns) if (0..cols).all(|j| t.missing(j).is_none()) => DesignView::Cols64(columns),
                _ => DesignView::OwnedRows(t.to_numbers(learner)?),
            },
        };
        Ok(Self { view, rows, cols })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Whether rows are sparse.
    pub fn is_sparse(&self) -> bool {
        matches!(self.view, DesignView::Csr(_) | DesignView::OwnedCsr(_))
    }

    /// Stored values.
    pub fn stored(&self) -> usize {
        match self.form() {
            DesignForm::Csr(m) => m.stored(),
            _ => self.rows * self.cols,
        }
    }

    fn form(&self) -> DesignForm<'_> {
        match &self.view {
            DesignView::Rows64(m) => DesignForm::Rows64(*m),
            DesignView::Rows32(m) => DesignForm::Rows32(*m),
            DesignView::Cols64(c) => DesignForm::Cols64(c),
            DesignView::Cols32(c) => DesignForm::Cols32(c),
            DesignView::Csr(m) => DesignForm::Csr(*m),
            DesignView::OwnedRows(m) => DesignForm::Rows64(m.view()),
            DesignView::OwnedCsr(m) => DesignForm::Csr(m.view()),
        }
    }
}

/// The same sparse rows with every cell stored once, if some cell is stored more than once.
fn without_repeats(m: CsrRef<'_>) -> Result<Option<Csr>> {
    let ascending = |i: usize| m.row(i).0.windows(2).all(|w| w[0] < w[1]);
    let each = |i: usize| if ascending(i) { Ok(()) } else { Err(()) };
    if (0..m.rows()).into_par_iter().with_min_len(1024).try_for_each(each).is_ok() {
        return Ok(None);
    }
    // Which row a column was last seen in, and where.
    let mut seen = vec![(usize::MAX, 0); m.cols()];
    let mut repeats = false;
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::with_capacity(m.stored()), Vec::with_capacity(m.stored()));
    for i in 0..m.rows() {
        let (cols, row) = m.row(i);
        for (&j, &v) in cols.iter().zip(row) {
            let last = &mut seen[j as usize];
            if last.0 == i {
                values[last.1] += v;
                repeats = true;
            } else {
                *last = (i, values.len());
                indices.push(j);
                values.push(v);
            }
        }
        indptr.push(values.len());
    }
    if repeats { Csr::new(indptr, indices, values, m.cols()).map(Some) } else { Ok(None) }
}

/// Some columns of a design, one after the other.
pub struct Columns<'a> {
    rows: usize,
    store: ColumnStorage<'a>,
}

enum ColumnStorage<'a> {
    /// Borrowed from the design.
    Borrowed64(Vec<&'a [f64]>),
    Borrowed32(Vec<&'a [f32]>),
    /// A copy, column after column.
    Dense(Cow<'a, [f64]>),
    /// Sparse columns: every index is below `rows`.
    Sparse {
        starts: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<f64>,
    },
}

/// One column.
#[derive(Debug, Clone, Copy)]
pub enum ColumnSlice<'a> {
    /// f64.
    F64(&'a [f64]),
    /// f32.
    F32(&'a [f32]),
    /// Rows and values of what is stored; rows ascend.
    Sparse(&'a [u32], &'a [f64]),
}

impl Columns<'_> {
    /// Number of columns.
    pub fn len(&self) -> usize {
        match &self.store {
            ColumnStorage::Borrowed64(c) => c.len(),
            ColumnStorage::Borrowed32(c) => c.len(),
            ColumnStorage::Dense(v) => v.len() / self.rows.max(1),
            ColumnStorage::Sparse { starts, .. } => starts.len() - 1,
        }
    }

    /// Whether there is no column.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Column `k` of these.
    #[inline]
    pub fn column(&self, k: usize) -> ColumnSlice<'_> {
        match &self.store {
            ColumnStorage::Borrowed64(c) => ColumnSlice::F64(c[k]),
            ColumnStorage::Borrowed32(c) => ColumnSlice::F32(c[k]),
            ColumnStorage::Dense(v) => ColumnSlice::F64(&v[k * self.rows..(k + 1) * self.rows]),
            ColumnStorage::Sparse { starts, indices, values } => {
                let range = starts[k]..starts[k + 1];
                ColumnSlice::Sparse(&indices[range.clone()], &values[range])
            }
        }
    }

    /// Values stored in column `k`.
    pub fn stored(&self, k: usize) -> usize {
        match &self.store {
            ColumnStorage::Sparse { starts, .. } => starts[k + 1] - starts[k],
            _ => self.rows,
        }
    }

    /// `x_k · v`.
    ///
    /// # Panics
    /// When `v` has another length than the columns; this holds for all that follows.
    #[inline]
    pub fn dot(&self, k: usize, v: &[f64]) -> f64 {
        self.expect(v.len());
        match self.column(k) {
            ColumnSlice::F64(x) => kernels::dot(x, v),
            ColumnSlice::F32(x) => kernels::dot(x, v),
            // SAFETY: indices of a sparse column are below `rows`, which is the length of `v`.
            ColumnSlice::Sparse(i, x) => unsafe { kernels::sparse_dot(i, x, v) },
        }
    }

    /// `Σ w x_k v`.
    #[inline]
    pub fn dot_weighted(&self, k: usize, w: &[f64], v: &[f64]) -> f64 {
        self.expect(v.len());
        self.expect(w.len());
        match self.column(k) {
            ColumnSlice::F64(x) => kernels::dot_weighted(x, w, v),
            ColumnSlice::F32(x) => kernels::dot_weighted(x, w, v),
            // SAFETY: as in `dot`, for both vectors.
            ColumnSlice::Sparse(i, x) => unsafe { kernels::sparse_dot_weighted(i, x, w, v) },
        }
    }

    /// `v += a x_k`.
    #[inline]
    pub fn axpy(&self, k: usize, a: f64, v: &mut [f64]) {
        self.expect(v.len());
        match self.column(k) {
            ColumnSlice::F64(x) => kernels::axpy(a, x, v),
            ColumnSlice::F32(x) => kernels::axpy(a, x, v),
            // SAFETY: as in `dot`.
            ColumnSlice::Sparse(i, x) => unsafe { kernels::sparse_axpy(a, i, x, v) },
        }
    }

    /// `Σ x_k²`.
    pub fn norm(&self, k: usize) -> f64 {
        match self.column(k) {
            ColumnSlice::F64(x) | ColumnSlice::Sparse(_, x) => kernels::norm(x),
            ColumnSlice::F32(x) => kernels::norm(x),
        }
    }

    /// `Σ w x_k²`.
    pub fn norm_weighted(&self, k: usize, w: &[f64]) -> f64 {
        self.expect(w.len());
        match self.column(k) {
            ColumnSlice::F64(x) => kernels::norm_weighted(x, w),
            ColumnSlice::F32(x) => kernels::norm_weighted(x, w),
            ColumnSlice::Sparse(i, x) => i.iter().zip(x).map(|(&i, x)| w[i as usize] * x * x).sum(),
        }
    }

    /// `Σ w x_k`.
    pub fn sum_weighted(&self, k: usize, w: &[f64]) -> f64 {
        self.dot(k, w)
    }

    #[inline]
    fn expect(&self, len: usize) {
        assert_eq!(len, self.rows, "columns and a vector of other length");
    }
}

#[cfg(test)]
mod tests;
