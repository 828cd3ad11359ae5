//! Eigenvalues of symmetric matrices.

#[cfg(feature = "linalg")]
use ermine_core::Error;
use ermine_core::{Mat, MatRef, Result};
#[cfg(feature = "linalg")]
use faer::Par;
#[cfg(feature = "linalg")]
use faer::diag::Diag;
#[cfg(feature = "linalg")]
use faer::dyn_stack::{MemBuffer, MemStack};
#[cfg(feature = "linalg")]
use faer::linalg::evd;

#[cfg(feature = "linalg")]
use super::{of, refuse_non_finite};

/// The spectrum of a symmetric matrix, largest eigenvalue first.
#[derive(Debug, Clone)]
pub struct Eigen {
    /// The eigenvalues, descending.
    pub values: Vec<f64>,
    /// Row k is the eigenvector of `values[k]`; the rows are orthonormal, their signs arbitrary.
    pub vectors: Mat<f64>,
}

/// Eigenvalues and eigenvectors of a symmetric matrix, about 9 n³ operations. Only the lower triangle is read.
///
/// Choose it for covariances and for symmetric systems that may be singular. Eigenvalues are right to rounding of the
/// largest one: of a Gram matrix, the singular values of the data below √ε of the largest are noise, and [`super::svd`]
/// of the data is the answer when those matter.
///
/// # Panics
/// When the matrix is not square.
#[cfg(feature = "linalg")]
pub fn eigen_symmetric(a: MatRef<'_, f64>) -> Result<Eigen> {
    let n = a.rows();
    let mut u = faer::Mat::<f64>::zeros(n, n);
    let values = decompose(a, Some(u.as_mut()))?;
    // faer sorts ascending.
    let vectors = Mat::from_fn(n, n, |k, j| u[(j, n - 1 - k)]);
    Ok(Eigen { values: values.into_iter().rev().collect(), vectors })
}

/// Eigenvalues and eigenvectors of a symmetric positive semidefinite matrix, by [`super::eigen_graded`].
///
/// # Panics
/// When the matrix is not square.
#[cfg(not(feature = "linalg"))]
pub fn eigen_symmetric(a: MatRef<'_, f64>) -> Result<Eigen> {
    super::eigen_graded(a)
}

/// The eigenvalues alone, descending; a third of the work.
///
/// # Panics
/// When the matrix is not square.
#[cfg(feature = "linalg")]
pub fn eigenvalues_symmetric(a: MatRef<'_, f64>) -> Result<Vec<f64>> {
    Ok(decompose(a, None)?.into_iter().rev().collect())
}

#[cfg(feature = "linalg")]
fn decompose(a: MatRef<'_, f64>, u: Option<faer::MatMut<'_, f64>>) -> Result<Vec<f64>> {
    assert_eq!(a.rows(), a.cols(), "a symmetric matrix is square");
    refuse_non_finite(a, "eigenvalues")?;
    let n = a.rows();
    if n == 0 {
        return Ok(Vec::new());
    }
    let mut values = Diag::<f64>::zeros(n);
    let compute = if u.is_some() { evd::ComputeEigenvectors::Yes } else { evd::ComputeEigenvectors::No };
    let mut memory = MemBuffer::new(evd::self_adjoint_evd_scratch::<f64>(n, compute, Par::Seq, Default::default()));
    evd::self_adjoint_evd(of(a), values.as_mut(), u, Par::Seq, MemStack::new(&mut memory), Default::default())
        .map_err(|_| Error::Numeric(format!("the eigenvalues of a {n} x {n} matrix did not converge")))?;
    Ok(values.column_vector().iter().copied().collect())
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::super::{product, svd};
    use super::*;

    #[test]
    fn the_spectrum_gives_the_matrix_back() {
        for &n in &SIZES {
            let g = random(n, n, n as u64);
            let a = Mat::from_fn(n, n, |i, j| g[(i, j)] + g[(j, i)]);
            let e = eigen_symmetric(a.view()).unwrap();
            assert!(e.values.windows(2).all(|w| w[0] >= w[1]));
            let scaled = Mat::from_fn(n, n, |k, j| e.values[k] * e.vectors[(k, j)]);
            assert_near(&product(e.vectors.view().t(), scaled.view()), &a, tolerance(n), "V Λ Vᵀ");
            assert_near(&product(e.vectors.view(), e.vectors.view().t()), &identity(n), tolerance(n), "V Vᵀ");
            let alone = eigenvalues_symmetric(a.view()).unwrap();
            let largest = e.values[0].abs().max(e.values[n - 1].abs());
            assert!(alone.iter().zip(&e.values).all(|(x, y)| (x - y).abs() <= tolerance(n) * largest));
        }
    }

    #[test]
    fn eigenvalues_of_a_gram_matrix_are_squared_singular_values() {
        let g = random(40, 9, 1);
        let e = eigen_symmetric(product(g.view().t(), g.view()).view()).unwrap();
        let s = svd(g.view()).unwrap().values;
        let s0 = s[0];
        assert!(e.values.iter().zip(&s).all(|(e, s)| (e - s * s).abs() <= tolerance(40) * s0 * s0));
    }

    #[test]
    fn degenerate_matrices_are_no_trouble() {
        assert_eq!(eigen_symmetric(Mat::zeros(5, 5).view()).unwrap().values, [0.0; 5]);
        assert_eq!(eigen_symmetric(identity(4).view()).unwrap().values, [1.0; 4]);
        assert!(eigen_symmetric(Mat::zeros(0, 0).view()).unwrap().values.is_empty());
        assert!(eigen_symmetric(Mat::filled(2, 2, f64::NAN).view()).is_err());
        let tiny = Mat::from_fn(6, 6, |i, j| if i == j { 1e-200 * (i + 1) as f64 } else { 0.0 });
        let got = eigen_symmetric(tiny.view()).unwrap().values;
        assert!((got[0] / 6e-200 - 1.0).abs() < 1e-12, "{got:?}");
    }
}
