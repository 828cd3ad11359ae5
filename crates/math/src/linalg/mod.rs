//! Matrix products, factorizations and eigenvalues: faer behind our own functions. Without the feature `linalg` there are the
//! few that models need to be read from files, as plain loops.
//!
//! | the matrix | choose |
//! |---|---|
//! | symmetric, positive definite, well conditioned | [`Cholesky`]: cheapest |
//! | symmetric, perhaps singular; or the spectrum is wanted | [`eigen_symmetric`] |
//! | symmetric, perhaps singular, on very different scales | [`eigen_graded`] |
//! | tall, ill conditioned, to be solved by least squares | [`PivotedQr`]: works on the matrix itself, not its square |
//! | symmetric, large, and only its largest eigenvalues are wanted; or known by products alone | [`BlockLanczos`] |
//! | any, rank in doubt, or singular vectors wanted | [`svd`]: most expensive, most information |
//!
//! Everything runs on the calling thread, so the bits do not depend on the number of threads.

mod cholesky;
mod eigen;
#[cfg(feature = "linalg")]
mod faer_solvers;
mod jacobi;
#[cfg(feature = "linalg")]
mod lanczos;
#[cfg(not(feature = "linalg"))]
mod plain;
mod power;
#[cfg(feature = "linalg")]
mod qr;
#[cfg(feature = "linalg")]
mod svd;

pub use cholesky::{Cholesky, NotPositiveDefinite};
#[cfg(feature = "linalg")]
pub use eigen::eigenvalues_symmetric;
pub use eigen::{Eigen, eigen_symmetric};
pub use jacobi::eigen_graded;
#[cfg(feature = "linalg")]
pub use lanczos::{BlockLanczos, RitzPairs, largest_eigenvalues};
pub use power::{AutoWord, PowerIterations};
#[cfg(feature = "linalg")]
pub use qr::PivotedQr;
#[cfg(feature = "linalg")]
pub use svd::{Svd, svd};

use ermine_core::{Error, Mat, MatRef, Result};
#[cfg(feature = "linalg")]
use faer_solvers as solvers;
#[cfg(not(feature = "linalg"))]
use plain as solvers;

/// `c = alpha a b + beta c`. A transposed factor is a transposed view: `matmul(1.0, x.t(), x, 0.0, &mut gram)`.
/// With `beta` 0 the old content of `c` does not matter.
///
/// # Panics
/// When the shapes do not fit.
pub fn matmul(alpha: f64, a: MatRef<'_, f64>, b: MatRef<'_, f64>, beta: f64, c: &mut Mat<f64>) {
    assert_eq!(a.cols(), b.rows(), "inner dimensions");
    assert_eq!((c.rows(), c.cols()), (a.rows(), b.cols()), "shape of the product");
    if a.cols() == 0 || beta == 0.0 {
        c.as_mut_slice().iter_mut().for_each(|v| *v = if beta == 0.0 { 0.0 } else { beta * *v });
    } else if beta != 1.0 {
        c.as_mut_slice().iter_mut().for_each(|v| *v *= beta);
    }
    if c.rows() == 0 || c.cols() == 0 || a.cols() == 0 {
        return;
    }
    solvers::add_product(alpha, a, b, beta == 0.0, c);
}

/// The product of two matrices.
///
/// # Panics
/// When the shapes do not fit.
pub fn product(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut c = Mat::zeros(a.rows(), b.cols());
    matmul(1.0, a, b, 0.0, &mut c);
    c
}

/// A view of ours as faer sees it.
#[cfg(feature = "linalg")]
fn of(m: MatRef<'_, f64>) -> faer::MatRef<'_, f64> {
    // SAFETY: a `MatRef` has all its elements inside its slice, which lives as long as the view.
    unsafe {
        faer::MatRef::from_raw_parts(m.as_slice().as_ptr(), m.rows(), m.cols(), m.row_stride() as isize, m.col_stride() as isize)
    }
}

/// A matrix of ours as faer writes it.
#[cfg(feature = "linalg")]
fn of_mut(m: &mut Mat<f64>) -> faer::MatMut<'_, f64> {
    let (rows, cols) = (m.rows(), m.cols());
    faer::MatMut::from_row_major_slice_mut(m.as_mut_slice(), rows, cols)
}

/// An owned copy in our order.
#[cfg(feature = "linalg")]
fn owned(m: faer::MatRef<'_, f64>) -> Mat<f64> {
    Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)])
}

/// An error for a matrix with elements that are not finite.
fn refuse_non_finite(a: MatRef<'_, f64>, what: &str) -> Result<()> {
    for i in 0..a.rows() {
        if let Some(j) = (0..a.cols()).find(|&j| !a.at(i, j).is_finite()) {
            return Err(Error::Numeric(format!("{what} of a matrix whose element ({i}, {j}) is {}", a.at(i, j))));
        }
    }
    Ok(())
}

/// Sum of absolute values of the largest column.
pub fn norm_1(a: MatRef<'_, f64>) -> f64 {
    (0..a.cols()).map(|j| a.col_iter(j).map(f64::abs).sum::<f64>()).fold(0.0, f64::max)
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use ermine_core::RngStream;

    /// Dimensions around the block sizes of the kernels.
    pub const SIZES: [usize; 9] = [1, 2, 3, 4, 5, 16, 33, 70, 131];

    pub fn random(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
        let mut rng = RngStream::new(seed, "test", 0);
        Mat::from_fn(rows, cols, |_, _| rng.normal())
    }

    /// Rounding errors of a product of this dimension, relative to its norm.
    pub fn tolerance(n: usize) -> f64 {
        32.0 * (n as f64).sqrt().max(2.0) * f64::EPSILON
    }

    pub fn frobenius(m: MatRef<'_, f64>) -> f64 {
        (0..m.cols()).map(|j| m.col_iter(j).map(|v| v * v).sum::<f64>()).sum::<f64>().sqrt()
    }

    pub fn assert_near(got: &Mat<f64>, want: &Mat<f64>, tol: f64, what: &str) {
        assert_eq!((got.rows(), got.cols()), (want.rows(), want.cols()), "{what}");
        let diff = Mat::from_fn(got.rows(), got.cols(), |i, j| got[(i, j)] - want[(i, j)]);
        let (err, scale) = (frobenius(diff.view()), frobenius(want.view()));
        assert!(err <= tol * scale, "{what}: off by {err:e} of {scale:e}, tolerance {tol:e}");
    }

    pub fn identity(n: usize) -> Mat<f64> {
        Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)))
    }
}

#[cfg(test)]
mod tests {
    use super::testing::*;
    use super::*;

    #[test]
    fn products_follow_the_definition_with_any_strides() {
        for &n in &SIZES {
            let (a, b) = (random(n, 7, 1), random(7, n + 1, 2));
            let want =
                Mat::from_fn(n, n + 1, |i, j| 2.0 * (0..7).map(|k| a[(i, k)] * b[(k, j)]).sum::<f64>() + 3.0 * (i + j) as f64);
            for beta in [1.0, 3.0] {
                let mut c = Mat::from_fn(n, n + 1, |i, j| 3.0 * (i + j) as f64 / beta);
                matmul(2.0, a.view(), b.view(), beta, &mut c);
                assert_near(&c, &want, tolerance(n), "a b");
                let (at, bt) = (a.view().t().to_owned(), b.view().t().to_owned());
                let mut c = Mat::from_fn(n, n + 1, |i, j| 3.0 * (i + j) as f64 / beta);
                matmul(2.0, at.view().t(), bt.view().t(), beta, &mut c);
                assert_near(&c, &want, tolerance(n), "transposed twice");
            }
            let mut c = Mat::filled(n, n + 1, f64::NAN);
            matmul(1.0, a.view(), b.view(), 0.0, &mut c);
            assert!(c.as_slice().iter().all(|v| v.is_finite()), "the old content does not matter");
        }
        assert_eq!(product(Mat::zeros(2, 0).view(), Mat::zeros(0, 3).view()).as_slice(), [0.0; 6]);
    }
}
