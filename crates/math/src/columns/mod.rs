//! Columns of a design, for methods that move one coefficient at a time.
//!
//! [`Design`] is X as it lies: rows or columns of doubles or singles, sparse rows, number columns of a table. It is never
//! copied as a whole; what concerns all columns at once (their means and norms, Xᵀ v) is computed in passes over the data in the order it has.
//! [`Columns`] are a few of them laid out one after the other, which is what a coordinate descent over a working set
//! needs: a column-major design lends them, a row-major one is transposed for these columns only, sparse rows become
//! sparse columns.
//!
//! Threads share the work in pieces that depend on the shape alone, so the bits do not depend on their number.

mod cross;
mod gather;
mod kernels;
mod passes;

use std::borrow::Cow;

use ermine_core::{Csr, CsrRef, Features, Mat, MatRef, Result};
use rayon::prelude::*;

pub use gather::Change;
pub use passes::Summary;

/// X as it lies.
pub struct Design<'a> {
    view: View<'a>,
    rows: usize,
    cols: usize,
}

enum View<'a> {
    /// Contiguous rows.
    Rows64(MatRef<'a, f64>),
    Rows32(MatRef<'a, f32>),
    /// Contiguous columns.
    Cols64(Vec<&'a [f64]>),
    Cols32(Vec<&'a [f32]>),
    /// Sparse rows, every cell stored at most once.
    Csr(CsrRef<'a>),
    /// What had to be put in order first.
    OwnedRows(Mat<f64>),
    OwnedCsr(Csr),
}

/// How X lies, in the cases that algorithms tell apart.
enum Form<'a> {
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
                View::Cols64((0..cols).map(|j| m.col(j).unwrap_or(&[])).collect())
            }
            Features::F32(m) if m.row_stride() == 1 || rows <= 1 => {
                View::Cols32((0..cols).map(|j| m.col(j).unwrap_or(&[])).collect())
            }
            Features::F64(m) if m.col_stride() == 1 || cols <= 1 => View::Rows64(*m),
            Features::F32(m) if m.col_stride() == 1 || cols <= 1 => View::Rows32(*m),
            Features::F64(m) => View::OwnedRows(m.to_owned()),
            Features::F32(m) => View::OwnedRows(Mat::from_fn(rows, cols, |i, j| f64::from(*m.at(i, j)))),
            Features::Csr(m) => match without_repeats(*m)? {
                Some(owned) => View::OwnedCsr(owned),
                None => View::Csr(*m),
            },
            Features::Table(t) => match (0..cols).map(|j| t.numbers(j)).collect::<Option<Vec<_>>>() {
                Some(columns) if (0..cols).all(|j| t.missing(j).is_none()) => View::Cols64(columns),
                _ => View::OwnedRows(t.to_numbers(learner)?),
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
        matches!(self.view, View::Csr(_) | View::OwnedCsr(_))
    }

    /// Stored values.
    pub fn stored(&self) -> usize {
        match self.form() {
            Form::Csr(m) => m.stored(),
            _ => self.rows * self.cols,
        }
    }

    fn form(&self) -> Form<'_> {
        match &self.view {
            View::Rows64(m) => Form::Rows64(*m),
            View::Rows32(m) => Form::Rows32(*m),
            View::Cols64(c) => Form::Cols64(c),
            View::Cols32(c) => Form::Cols32(c),
            View::Csr(m) => Form::Csr(*m),
            View::OwnedRows(m) => Form::Rows64(m.view()),
            View::OwnedCsr(m) => Form::Csr(m.view()),
        }
    }
}

/// The same sparse rows with every cell stored once, if some cell is stored more than once.
fn without_repeats(m: CsrRef<'_>) -> Result<Option<Csr>> {
    let ascending = |i: usize| m.row(i).0.windows(2).all(|w| w[0] < w[1]);
    if (0..m.rows()).into_par_iter().with_min_len(1024).all(ascending) {
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
    store: Store<'a>,
}

enum Store<'a> {
    /// Lent by the design.
    Lent64(Vec<&'a [f64]>),
    Lent32(Vec<&'a [f32]>),
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
pub enum Column<'a> {
    /// Doubles.
    F64(&'a [f64]),
    /// Singles.
    F32(&'a [f32]),
    /// Rows and values of what is stored; rows ascend.
    Sparse(&'a [u32], &'a [f64]),
}

impl Columns<'_> {
    /// Number of columns.
    pub fn len(&self) -> usize {
        match &self.store {
            Store::Lent64(c) => c.len(),
            Store::Lent32(c) => c.len(),
            Store::Dense(v) => v.len() / self.rows.max(1),
            Store::Sparse { starts, .. } => starts.len() - 1,
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
    pub fn column(&self, k: usize) -> Column<'_> {
        match &self.store {
            Store::Lent64(c) => Column::F64(c[k]),
            Store::Lent32(c) => Column::F32(c[k]),
            Store::Dense(v) => Column::F64(&v[k * self.rows..(k + 1) * self.rows]),
            Store::Sparse { starts, indices, values } => {
                let range = starts[k]..starts[k + 1];
                Column::Sparse(&indices[range.clone()], &values[range])
            }
        }
    }

    /// Values stored in column `k`.
    pub fn stored(&self, k: usize) -> usize {
        match &self.store {
            Store::Sparse { starts, .. } => starts[k + 1] - starts[k],
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
            Column::F64(x) => kernels::dot(x, v),
            Column::F32(x) => kernels::dot(x, v),
            // SAFETY: indices of a sparse column are below `rows`, which is the length of `v`.
            Column::Sparse(i, x) => unsafe { kernels::sparse_dot(i, x, v) },
        }
    }

    /// `Σ w x_k v`.
    #[inline]
    pub fn dot_weighted(&self, k: usize, w: &[f64], v: &[f64]) -> f64 {
        self.expect(v.len());
        self.expect(w.len());
        match self.column(k) {
            Column::F64(x) => kernels::dot_weighted(x, w, v),
            Column::F32(x) => kernels::dot_weighted(x, w, v),
            // SAFETY: as in `dot`, for both vectors.
            Column::Sparse(i, x) => unsafe { kernels::sparse_dot_weighted(i, x, w, v) },
        }
    }

    /// `v += a x_k`.
    #[inline]
    pub fn axpy(&self, k: usize, a: f64, v: &mut [f64]) {
        self.expect(v.len());
        match self.column(k) {
            Column::F64(x) => kernels::axpy(a, x, v),
            Column::F32(x) => kernels::axpy(a, x, v),
            // SAFETY: as in `dot`.
            Column::Sparse(i, x) => unsafe { kernels::sparse_axpy(a, i, x, v) },
        }
    }

    /// `Σ x_k²`.
    pub fn norm(&self, k: usize) -> f64 {
        match self.column(k) {
            Column::F64(x) | Column::Sparse(_, x) => kernels::norm(x),
            Column::F32(x) => kernels::norm(x),
        }
    }

    /// `Σ w x_k²`.
    pub fn norm_weighted(&self, k: usize, w: &[f64]) -> f64 {
        self.expect(w.len());
        match self.column(k) {
            Column::F64(x) => kernels::norm_weighted(x, w),
            Column::F32(x) => kernels::norm_weighted(x, w),
            Column::Sparse(i, x) => i.iter().zip(x).map(|(&i, x)| w[i as usize] * x * x).sum(),
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
