//! Access to single rows, in any layout.

use ermine_core::{CsrRef, Error, Features, Mat, MatRef, Result};
use ermine_math::moments::Real;
use ermine_math::row_ops;

/// Rows that can be multiplied with a vector and added to one, one at a time and in any order.
pub(in super::super) trait SgdRows: Sync {
    fn rows(&self) -> usize;
    /// x_i · w.
    fn dot(&self, i: usize, w: &[f64]) -> f64;
    /// w += c x_i.
    fn add(&self, i: usize, c: f64, w: &mut [f64]);
    /// |x_i|².
    fn square(&self, i: usize) -> f64;
    /// Calls `each` with the columns that the row has values in.
    fn columns(&self, i: usize, each: impl FnMut(usize));
    /// Lets memory fetch a row that comes next.
    fn prefetch(&self, i: usize);
}

/// Dense rows without gaps between their cells.
pub(super) struct DenseRows<'a, T>(pub MatRef<'a, T>);

impl<T: Real> DenseRows<'_, T> {
    #[inline]
    fn row(&self, i: usize) -> &[T] {
        // `with_rows` lets only contiguous rows in.
        self.0.row(i).unwrap_or(&[])
    }
}

impl<T: Real> SgdRows for DenseRows<'_, T> {
    fn rows(&self) -> usize {
        self.0.rows()
    }
    #[inline]
    fn dot(&self, i: usize, w: &[f64]) -> f64 {
        row_ops::dot(self.row(i), w)
    }
    #[inline]
    fn add(&self, i: usize, c: f64, w: &mut [f64]) {
        row_ops::add_scaled(w, c, self.row(i));
    }
    fn square(&self, i: usize) -> f64 {
        row_ops::square(self.row(i))
    }
    #[inline]
    fn columns(&self, i: usize, each: impl FnMut(usize)) {
        (0..self.row(i).len()).for_each(each);
    }
    #[inline]
    fn prefetch(&self, i: usize) {
        row_ops::prefetch(self.row(i));
    }
}

/// Sparse rows.
pub(super) struct SparseRows<'a>(pub CsrRef<'a>);

impl SgdRows for SparseRows<'_> {
    fn rows(&self) -> usize {
        self.0.rows()
    }
    #[inline]
    fn dot(&self, i: usize, w: &[f64]) -> f64 {
        let (indices, values) = self.0.row(i);
        row_ops::sparse_dot(indices, values, w)
    }
    #[inline]
    fn add(&self, i: usize, c: f64, w: &mut [f64]) {
        let (indices, values) = self.0.row(i);
        row_ops::sparse_add_scaled(w, c, indices, values);
    }
    fn square(&self, i: usize) -> f64 {
        // Equal indices add up, and one sum is not the sum of the squares of its parts.
        let (indices, values) = self.0.row(i);
        let sorted = indices.windows(2).all(|w| w[0] < w[1]);
        if sorted {
            return row_ops::square(values);
        }
        let mut cells: Vec<(u32, f64)> = indices.iter().copied().zip(values.iter().copied()).collect();
        cells.sort_by_key(|c| c.0);
        cells.chunk_by(|a, b| a.0 == b.0).map(|c| c.iter().map(|v| v.1).sum::<f64>().powi(2)).sum()
    }
    #[inline]
    fn columns(&self, i: usize, mut each: impl FnMut(usize)) {
        self.0.row(i).0.iter().for_each(|&j| each(j as usize));
    }
    #[inline]
    fn prefetch(&self, i: usize) {
        let (indices, values) = self.0.row(i);
        row_ops::prefetch(indices);
        row_ops::prefetch(values);
    }
}

/// A task on rows of any layout.
pub(in super::super) trait RowVisitor {
    type Out;
    fn visit(self, rows: &impl SgdRows) -> Result<Self::Out>;
}

/// Shows features as rows: in place where their cells lie side by side, else from one copy by rows.
pub(in super::super) fn with_rows<V: RowVisitor>(x: &Features<'_>, learner: &str, visit: V) -> Result<V::Out> {
    fn by_rows<T: Real + Default>(m: &MatRef<'_, T>) -> Mat<T> {
        Mat::from_fn(m.rows(), m.cols(), |i, j| *m.at(i, j))
    }
    match x {
        Features::F64(m) if m.rows() == 0 || m.row(0).is_some() => visit.visit(&DenseRows(*m)),
        Features::F64(m) => visit.visit(&DenseRows(by_rows(m).view())),
        Features::F32(m) if m.rows() == 0 || m.row(0).is_some() => visit.visit(&DenseRows(*m)),
        Features::F32(m) => visit.visit(&DenseRows(by_rows(m).view())),
        Features::Csr(m) => visit.visit(&SparseRows(*m)),
        Features::Table(t) => visit.visit(&DenseRows(t.to_numbers(learner)?.view())),
    }
}

/// The error for rows whose squares are beyond the range of f64: no step along them can be computed.
pub(super) fn too_large(epoch: u64, row: usize, square: f64) -> Error {
    Error::Data(format!(
        "Floating-point under-/overflow occurred at epoch #{epoch}: row {} has a squared length of {square:e}, beyond what a \
         step can be computed with; standardize the columns first",
        row + 1
    ))
}
