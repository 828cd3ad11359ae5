//! Singular values.

use ermine_core::{Error, Mat, MatRef, Result};
use faer::Par;
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, svd as faer_svd, svd_scratch};

use super::{of, owned, refuse_non_finite};

/// The thin singular value decomposition A = U diag(s) Vᵀ, with k = min(rows, columns) singular values.
#[derive(Debug, Clone)]
pub struct Svd {
    /// Left singular vectors, rows x k.
    pub u: Mat<f64>,
    /// The singular values, descending.
    pub values: Vec<f64>,
    /// Right singular vectors as rows, k x columns.
    pub vt: Mat<f64>,
}

/// The thin singular value decomposition of any matrix: the most expensive factorization (about 6 to 20 times a matrix
/// product of the same size) and the most informative. Choose it when the rank is in doubt and small singular values
/// matter.
pub fn svd(a: MatRef<'_, f64>) -> Result<Svd> {
    refuse_non_finite(a, "singular values")?;
    let (m, n) = (a.rows(), a.cols());
    let k = m.min(n);
    let mut u = faer::Mat::<f64>::zeros(m, k);
    let mut v = faer::Mat::<f64>::zeros(n, k);
    let mut s = Diag::<f64>::zeros(k);
    if k > 0 {
        let thin = ComputeSvdVectors::Thin;
        let mut memory = MemBuffer::new(svd_scratch::<f64>(m, n, thin, thin, Par::Seq, Default::default()));
        faer_svd(of(a), s.as_mut(), Some(u.as_mut()), Some(v.as_mut()), Par::Seq, MemStack::new(&mut memory), Default::default())
            .map_err(|_| Error::Numeric(format!("the singular values of a {m} x {n} matrix did not converge")))?;
    }
    Ok(Svd { u: owned(u.as_ref()), values: s.column_vector().iter().copied().collect(), vt: owned(v.transpose()) })
}

#[cfg(test)]
mod tests {
    use super::super::product;
    use super::super::testing::*;
    use super::*;

    #[test]
    fn the_factors_give_the_matrix_back() {
        for &n in &SIZES {
            for m in [1, n, 2 * n + 3, 11 * n] {
                let a = random(m, n, n as u64);
                let d = svd(a.view()).unwrap();
                let k = m.min(n);
                assert!(d.values.windows(2).all(|w| w[0] >= w[1]) && d.values[k - 1] >= 0.0);
                let scaled = Mat::from_fn(k, n, |i, j| d.values[i] * d.vt[(i, j)]);
                assert_near(&product(d.u.view(), scaled.view()), &a, tolerance(m.max(n)), "U S Vᵀ");
                assert_near(&product(d.vt.view(), d.vt.view().t()), &identity(k), tolerance(m.max(n)), "Vᵀ V");
                assert_near(&product(d.u.view().t(), d.u.view()), &identity(k), tolerance(m.max(n)), "Uᵀ U");
                let turned = svd(a.view().t()).unwrap();
                assert!(d.values.iter().zip(&turned.values).all(|(x, y)| (x - y).abs() <= tolerance(m) * d.values[0]));
            }
        }
    }

    #[test]
    fn rank_is_seen_and_degenerate_matrices_are_no_trouble() {
        let (a, b) = (random(30, 3, 1), random(3, 20, 2));
        let s = svd(product(a.view(), b.view()).view()).unwrap().values;
        assert!(s[2] > 0.1 && s[3] <= tolerance(30) * s[0]);
        assert_eq!(svd(Mat::zeros(4, 3).view()).unwrap().values, [0.0; 3]);
        assert!(svd(Mat::zeros(0, 3).view()).unwrap().values.is_empty());
        assert!(svd(Mat::filled(3, 2, f64::INFINITY).view()).is_err());
    }
}
