//! Cholesky factorization.

use ermine_core::parallel::prelude::*;
use ermine_core::{Error, Mat, MatRef};

use super::{norm_1, solvers};

/// The matrix is not positive definite: its leading block of `pivot + 1` columns is not, the one of `pivot` columns is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotPositiveDefinite {
    /// The column where the factorization stopped, from 0.
    pub pivot: usize,
}

impl std::fmt::Display for NotPositiveDefinite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the matrix is not positive definite: column {} depends on the columns before it", self.pivot)
    }
}

impl std::error::Error for NotPositiveDefinite {}

impl From<NotPositiveDefinite> for Error {
    fn from(e: NotPositiveDefinite) -> Self {
        Self::Numeric(e.to_string())
    }
}

/// Columns of the inverse of L that are solved for together.
const STRIP: usize = 64;

/// A symmetric positive definite matrix as L Lᵀ, L lower triangular.
///
/// The cheapest way to solve with such a matrix (n³/3 multiplications, then n² per right-hand side). It loses digits
/// with the condition number of the matrix, which for a Gram matrix is the square of that of the data; check
/// [`Cholesky::reciprocal_condition`] and use [`super::PivotedQr`] or [`super::svd`] on the data when it is small.
#[derive(Debug, Clone)]
pub struct Cholesky {
    factor: Mat<f64>,
    norm: f64,
}

impl Cholesky {
    /// Factors a symmetric matrix; only its lower triangle is read, except for the norm that the condition needs.
    ///
    /// # Panics
    /// When the matrix is not square.
    pub fn new(a: MatRef<'_, f64>) -> Result<Self, NotPositiveDefinite> {
        assert_eq!(a.rows(), a.cols(), "a symmetric matrix is square");
        let n = a.rows();
        let mut factor = Mat::from_fn(n, n, |i, j| if j <= i { *a.at(i, j) } else { 0.0 });
        // NaN pivots pass the test for small pivots.
        if let Some(pivot) = (0..n).find(|&i| !factor.row(i).iter().all(|v| v.is_finite())) {
            return Err(NotPositiveDefinite { pivot });
        }
        let norm = norm_1(a);
        solvers::cholesky_in_place(&mut factor).map_err(|pivot| NotPositiveDefinite { pivot })?;
        for i in 0..n {
            factor.row_mut(i)[i + 1..].fill(0.0);
        }
        Ok(Self { factor, norm })
    }

    /// The dimension.
    pub fn dim(&self) -> usize {
        self.factor.rows()
    }

    /// L; zeros above the diagonal.
    pub fn factor(&self) -> &Mat<f64> {
        &self.factor
    }

    /// Replaces the columns of `b` by the solutions of A x = b.
    ///
    /// # Panics
    /// When `b` has another number of rows.
    pub fn solve(&self, b: &mut Mat<f64>) {
        self.solve_lower(b);
        self.solve_upper(b);
    }

    /// Replaces `b` by the solution of A x = b.
    ///
    /// # Panics
    /// When `b` has another length.
    pub fn solve_vec(&self, b: &mut [f64]) {
        assert_eq!(b.len(), self.dim(), "length of the right-hand side");
        solvers::solve_vec(self.factor.view(), b);
    }

    /// Replaces the columns of `b` by the solutions of L x = b.
    ///
    /// # Panics
    /// When `b` has another number of rows.
    pub fn solve_lower(&self, b: &mut Mat<f64>) {
        assert_eq!(b.rows(), self.dim(), "rows of the right-hand side");
        if b.cols() > 0 {
            solvers::solve_lower(self.factor.view(), b);
        }
    }

    /// Replaces the columns of `b` by the solutions of Lᵀ x = b.
    ///
    /// # Panics
    /// When `b` has another number of rows.
    pub fn solve_upper(&self, b: &mut Mat<f64>) {
        assert_eq!(b.rows(), self.dim(), "rows of the right-hand side");
        if b.cols() > 0 {
            solvers::solve_upper(self.factor.view(), b);
        }
    }

    /// The inverse of A, symmetric to the last bit. To solve, use [`Cholesky::solve`]; this is for standard errors.
    pub fn inverse(&self) -> Mat<f64> {
        let n = self.dim();
        let mut x = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
        self.solve(&mut x);
        for i in 0..n {
            for j in 0..i {
                let v = 0.5 * (x[(i, j)] + x[(j, i)]);
                x[(i, j)] = v;
                x[(j, i)] = v;
            }
        }
        x
    }

    /// The diagonal of the inverse of A, which standard errors need: the squared lengths of the columns of L⁻¹. A sixth of the work of
    /// [`Cholesky::inverse`], and threads share it.
    pub fn inverse_diagonal(&self) -> Vec<f64> {
        let n = self.dim();
        let starts: Vec<usize> = (0..n).step_by(STRIP).collect();
        let strip = |first: usize| -> Vec<f64> {
            let (rows, width) = (n - first, STRIP.min(n - first));
            // A column of L⁻¹ is zero above the diagonal, so that the rows from there on are enough.
            let mut x = Mat::from_fn(rows, width, |i, j| f64::from(u8::from(i == j)));
            let below = self.factor.view().row_range(first..n).col_range(first..n);
            solvers::solve_lower(below, &mut x);
            let mut out = vec![0.0; width];
            for i in 0..rows {
                out.iter_mut().zip(x.row(i)).for_each(|(o, v)| *o += v * v);
            }
            out
        };
        let strips: Vec<Vec<f64>> = starts.into_par_iter().map(strip).collect();
        strips.concat()
    }

    /// The logarithm of the determinant of A.
    pub fn log_determinant(&self) -> f64 {
        2.0 * (0..self.dim()).map(|i| self.factor[(i, i)].ln()).sum::<f64>()
    }

    /// An estimate of 1 / (‖A‖₁ ‖A⁻¹‖₁), from a few solves; it is rarely more than 3 times too large. Zero when it
    /// underflows, 1 for no columns.
    ///
    /// The method is Higham's (1988) of the largest column sum of the inverse, as in LAPACK.
    pub fn reciprocal_condition(&self) -> f64 {
        let n = self.dim();
        if n == 0 {
            return 1.0;
        }
        let inverse_norm = self.inverse_norm_1();
        let rcond = 1.0 / self.norm / inverse_norm;
        if rcond.is_finite() { rcond.min(1.0) } else { 0.0 }
    }

    fn inverse_norm_1(&self) -> f64 {
        let n = self.dim();
        let sum = |v: &[f64]| v.iter().map(|v| v.abs()).sum::<f64>();
        let mut x = vec![1.0 / n as f64; n];
        self.solve_vec(&mut x);
        let mut best = sum(&x);
        let mut at = usize::MAX;
        for _ in 0..5 {
            let mut z: Vec<f64> = x.iter().map(|v| if *v < 0.0 { -1.0 } else { 1.0 }).collect();
            self.solve_vec(&mut z);
            let largest = (0..n).fold(0, |m, i| if z[i].abs() > z[m].abs() { i } else { m });
            if largest == at {
                break;
            }
            at = largest;
            x.fill(0.0);
            x[at] = 1.0;
            self.solve_vec(&mut x);
            let norm = sum(&x);
            if norm <= best {
                break;
            }
            best = norm;
        }
        // A vector of alternating, growing elements catches the cases that the ascent misses.
        let step = if n > 1 { 1.0 / (n - 1) as f64 } else { 0.0 };
        let mut x: Vec<f64> = (0..n).map(|i| (1.0 + i as f64 * step) * if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        self.solve_vec(&mut x);
        best.max(2.0 * sum(&x) / (3.0 * n as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::super::{eigen_symmetric, product};
    use super::*;

    fn definite(n: usize, seed: u64) -> Mat<f64> {
        let g = random(n + 5, n, seed);
        product(g.view().t(), g.view())
    }

    #[test]
    fn the_factor_gives_the_matrix_back_and_solves() {
        for &n in &SIZES {
            let a = definite(n, n as u64);
            let c = Cholesky::new(a.view()).unwrap();
            assert_near(&product(c.factor().view(), c.factor().view().t()), &a, tolerance(n), "L Lᵀ");
            let x = random(n, 3, 7);
            let mut b = product(a.view(), x.view());
            c.solve(&mut b);
            // Errors of a solve grow with the condition.
            let tol = tolerance(n) / c.reciprocal_condition();
            assert_near(&b, &x, tol, "solve");
            assert_near(&product(a.view(), c.inverse().view()), &identity(n), tol, "inverse");
            let (inverse, diagonal) = (c.inverse(), c.inverse_diagonal());
            assert!((0..n).all(|j| (diagonal[j] - inverse[(j, j)]).abs() <= tol * inverse[(j, j)]), "diagonal of the inverse");
            let logs: f64 = eigen_symmetric(a.view()).unwrap().values.iter().map(|v| v.ln()).sum();
            assert!((logs - c.log_determinant()).abs() <= 1e-10 * logs.abs().max(1.0));
            let mut v: Vec<f64> = product(a.view(), x.view()).view().col_iter(1).collect();
            c.solve_vec(&mut v);
            assert_near(&Mat::from_vec(n, 1, v), &Mat::from_fn(n, 1, |i, _| x[(i, 1)]), tol, "one column");
        }
    }

    #[test]
    fn the_failing_column_is_named() {
        for &n in &SIZES[2..] {
            let g = random(n + 5, n, 3);
            let mut a = product(g.view().t(), g.view());
            let at = n / 2;
            a[(at, at)] = -1.0;
            assert_eq!(Cholesky::new(a.view()).unwrap_err(), NotPositiveDefinite { pivot: at });
            a[(at, at)] = f64::NAN;
            assert_eq!(Cholesky::new(a.view()).unwrap_err(), NotPositiveDefinite { pivot: at });
        }
        assert_eq!(Cholesky::new(Mat::zeros(3, 3).view()).unwrap_err().pivot, 0);
    }

    #[test]
    fn the_condition_is_near_the_true_one() {
        for &n in &SIZES {
            for scale in [1.0, 1e-4, 1e-7] {
                let mut g = definite(n, 5);
                for j in 0..n {
                    for i in 0..n {
                        g[(i, j)] *= if i == 0 { scale } else { 1.0 } * if j == 0 { scale } else { 1.0 };
                    }
                }
                let c = Cholesky::new(g.view()).unwrap();
                let truth = 1.0 / (norm_1(g.view()) * norm_1(c.inverse().view()));
                let got = c.reciprocal_condition();
                assert!(got >= truth * 0.999 && got <= truth * 10.0, "{n}: {got:e} for {truth:e}");
            }
        }
    }
}
