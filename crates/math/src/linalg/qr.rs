//! QR factorization with column pivoting.

use ermine_core::{Mat, MatRef, Result};
use faer::linalg::solvers::ColPivQr;
use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use faer::{MatMut, Par};

use super::{of, owned, refuse_non_finite};

/// A tall matrix as A P = Q R: orthonormal columns, an upper triangle with falling diagonal, a permutation of columns.
///
/// Choose it for least squares when the Gram matrix would lose too many digits: it works on the data themselves, costs
/// twice the Gram route and needs all rows in memory. The diagonal of R shows the numerical rank.
#[derive(Debug, Clone)]
pub struct PivotedQr {
    /// Q, rows x min(rows, columns).
    pub q: Mat<f64>,
    /// R, min(rows, columns) x columns, in pivoted order; zeros below the diagonal.
    pub r: Mat<f64>,
    /// `order[k]` is the column of A that stands at place k.
    pub order: Vec<usize>,
}

impl PivotedQr {
    /// Factors a matrix.
    pub fn new(a: MatRef<'_, f64>) -> Result<Self> {
        refuse_non_finite(a, "QR factorization")?;
        let qr = ColPivQr::new(of(a));
        let order = qr.P().arrays().0.to_vec();
        let mut r = owned(qr.thin_R());
        for i in 1..r.rows() {
            let cols = r.cols();
            r.row_mut(i)[..i.min(cols)].fill(0.0);
        }
        Ok(Self { q: owned(qr.compute_thin_Q().as_ref()), r, order })
    }

    /// The number of diagonal elements of R above `tolerance` times the first.
    pub fn rank(&self, tolerance: f64) -> usize {
        let k = self.r.rows().min(self.r.cols());
        let first = if k == 0 { 0.0 } else { self.r[(0, 0)].abs() };
        (0..k).take_while(|&i| self.r[(i, i)].abs() > tolerance * first).count()
    }

    /// The least-squares solutions for the columns of `b`, with the first `rank` pivots; other coefficients are 0.
    ///
    /// # Panics
    /// When `b` has another number of rows, or `rank` is more than there is.
    pub fn solve(&self, b: MatRef<'_, f64>, rank: usize) -> Mat<f64> {
        assert!(rank <= self.r.rows(), "rank");
        let c = super::product(self.q.view().t(), b);
        let mut top = Mat::from_fn(rank, b.cols(), |i, j| c[(i, j)]);
        if rank > 0 && b.cols() > 0 {
            let (rows, cols) = (top.rows(), top.cols());
            let top = MatMut::from_row_major_slice_mut(top.as_mut_slice(), rows, cols);
            solve_upper_triangular_in_place(of(self.r.view()).get(..rank, ..rank), top, Par::Seq);
        }
        let mut x = Mat::zeros(self.r.cols(), b.cols());
        for k in 0..rank {
            x.row_mut(self.order[k]).copy_from_slice(top.row(k));
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::super::product;
    use super::super::testing::*;
    use super::*;

    #[test]
    fn the_factors_give_the_matrix_back_and_solve() {
        for &n in &SIZES {
            for m in [n, n + 1, 3 * n + 2] {
                let a = random(m, n, n as u64);
                let qr = PivotedQr::new(a.view()).unwrap();
                let pivoted = Mat::from_fn(m, n, |i, k| a[(i, qr.order[k])]);
                assert_near(&product(qr.q.view(), qr.r.view()), &pivoted, tolerance(m), "Q R");
                assert_near(&product(qr.q.view().t(), qr.q.view()), &identity(n), tolerance(m), "Qᵀ Q");
                assert_eq!(qr.rank(tolerance(m)), n);
                let x = random(n, 2, 9);
                let got = qr.solve(product(a.view(), x.view()).view(), n);
                let condition = qr.r[(0, 0)].abs() / qr.r[(n - 1, n - 1)].abs() * n as f64;
                assert_near(&got, &x, tolerance(m) * condition, "solve");
            }
        }
    }

    #[test]
    fn a_dependent_column_lowers_the_rank() {
        let mut a = random(20, 6, 1);
        for i in 0..20 {
            a[(i, 4)] = a[(i, 1)] - 2.0 * a[(i, 3)];
        }
        let qr = PivotedQr::new(a.view()).unwrap();
        assert_eq!(qr.rank(tolerance(20)), 5);
        let y = product(a.view(), random(6, 1, 2).view());
        let fitted = product(a.view(), qr.solve(y.view(), 5).view());
        assert_near(&fitted, &y, 1e-12, "fitted");
    }
}
