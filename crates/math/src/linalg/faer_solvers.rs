//! The primitives of this module, by faer.

use ermine_core::{Mat, MatRef};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, MatMut, Par};

use super::{of, of_mut};

/// `c = alpha a b`, or that added to `c`.
pub fn add_product(alpha: f64, a: MatRef<'_, f64>, b: MatRef<'_, f64>, replace: bool, c: &mut Mat<f64>) {
    let accumulate = if replace { Accum::Replace } else { Accum::Add };
    faer::linalg::matmul::matmul(of_mut(c), accumulate, of(a), of(b), alpha, Par::Seq);
}

/// Replaces the lower triangle of a symmetric matrix by its Cholesky factor; the column of a pivot that is not positive is the error.
pub fn cholesky_in_place(a: &mut Mat<f64>) -> Result<(), usize> {
    let mut memory = MemBuffer::new(llt::factor::cholesky_in_place_scratch::<f64>(a.rows(), Par::Seq, Default::default()));
    llt::factor::cholesky_in_place(of_mut(a), Default::default(), Par::Seq, MemStack::new(&mut memory), Default::default())
        .map(|_| ())
        .map_err(|llt::factor::LltError::NonPositivePivot { index }| index)
}

/// Replaces the columns of `b` by the solutions of L x = b.
pub fn solve_lower(l: MatRef<'_, f64>, b: &mut Mat<f64>) {
    solve_lower_triangular_in_place(of(l), of_mut(b), Par::Seq);
}

/// Replaces the columns of `b` by the solutions of Lᵀ x = b.
pub fn solve_upper(l: MatRef<'_, f64>, b: &mut Mat<f64>) {
    solve_upper_triangular_in_place(of(l).transpose(), of_mut(b), Par::Seq);
}

/// Replaces `b` by the solution of L Lᵀ x = b.
pub fn solve_vec(l: MatRef<'_, f64>, b: &mut [f64]) {
    let mut b = MatMut::from_column_major_slice_mut(b, l.rows(), 1);
    solve_lower_triangular_in_place(of(l), b.as_mut(), Par::Seq);
    solve_upper_triangular_in_place(of(l).transpose(), b, Par::Seq);
}
