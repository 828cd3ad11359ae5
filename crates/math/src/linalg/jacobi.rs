//! Eigenvalues of covariances whose columns are on very different scales.

use ermine_core::{Error, Mat, MatRef, Result};

use super::{Eigen, refuse_non_finite};

/// Most sweeps over all pairs; five to ten are usual.
const MOST_SWEEPS: usize = 60;

/// Eigenvalues and eigenvectors of a symmetric positive semidefinite matrix, each to relative accuracy of its own: a
/// column of 10¹² times the size of the others does not reduce the digits of these.
///
/// Jacobi's method, which stops when every off-diagonal element is negligible next to the two diagonal ones (Demmel and
/// Veselić, SIAM Journal on Matrix Analysis 13, 1992). About 30 n³ operations; where all columns are of similar size,
/// [`super::eigen_symmetric`] is faster.
///
/// # Panics
/// When the matrix is not square.
pub fn eigen_graded(a: MatRef<'_, f64>) -> Result<Eigen> {
    assert_eq!(a.rows(), a.cols(), "a symmetric matrix is square");
    refuse_non_finite(a, "eigenvalues")?;
    let n = a.rows();
    let mut a = Mat::from_fn(n, n, |i, j| if j <= i { *a.at(i, j) } else { *a.at(j, i) });
    let mut v = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
    for _ in 0..MOST_SWEEPS {
        let mut turned = false;
        for p in 0..n {
            for q in p + 1..n {
                turned |= rotate(&mut a, &mut v, p, q);
            }
        }
        if !turned {
            let mut order: Vec<usize> = (0..n).collect();
            ermine_core::order::sort_by_number_descending(&mut order, |i| a[(i, i)]);
            let vectors = Mat::from_fn(n, n, |k, j| v[(j, order[k])]);
            return Ok(Eigen { values: order.iter().map(|&k| a[(k, k)]).collect(), vectors });
        }
    }
    Err(Error::Numeric(format!("the eigenvalues of a {n} x {n} matrix did not converge")))
}

/// Rotates the plane of two columns so that their off-diagonal element vanishes; false where it is negligible already.
fn rotate(a: &mut Mat<f64>, v: &mut Mat<f64>, p: usize, q: usize) -> bool {
    let (app, aqq, apq) = (a[(p, p)], a[(q, q)], a[(p, q)]);
    if apq == 0.0 || apq.abs() <= f64::EPSILON * (app.abs().sqrt() * aqq.abs().sqrt()) {
        return false;
    }
    // tan of the angle: the smaller root of t² + 2 θ t - 1 = 0.
    let theta = (aqq - app) / (2.0 * apq);
    let t = if theta.is_finite() { theta.signum() / (theta.abs() + theta.hypot(1.0)) } else { 0.0 };
    if t == 0.0 {
        (a[(p, q)], a[(q, p)]) = (0.0, 0.0);
        return true;
    }
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    (a[(p, p)], a[(q, q)]) = (app - t * apq, aqq + t * apq);
    (a[(p, q)], a[(q, p)]) = (0.0, 0.0);
    for k in (0..a.rows()).filter(|&k| k != p && k != q) {
        let (x, y) = (a[(k, p)], a[(k, q)]);
        let (x, y) = (c * x - s * y, s * x + c * y);
        (a[(k, p)], a[(p, k)], a[(k, q)], a[(q, k)]) = (x, x, y, y);
    }
    for k in 0..v.rows() {
        let (x, y) = (v[(k, p)], v[(k, q)]);
        (v[(k, p)], v[(k, q)]) = (c * x - s * y, s * x + c * y);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::super::{eigen_symmetric, product};
    use super::*;

    #[test]
    fn it_agrees_with_the_general_method_on_even_scales() {
        for &n in &SIZES[..7] {
            let g = random(n + 5, n, n as u64);
            let a = product(g.view().t(), g.view());
            let (here, there) = (eigen_graded(a.view()).unwrap(), eigen_symmetric(a.view()).unwrap());
            for (x, y) in here.values.iter().zip(&there.values) {
                assert!((x - y).abs() <= 1e-12 * there.values[0], "{x} {y}");
            }
            let scaled = Mat::from_fn(n, n, |k, j| here.values[k] * here.vectors[(k, j)]);
            assert_near(&product(here.vectors.view().t(), scaled.view()), &a, tolerance(n) * 10.0, "V Λ Vᵀ");
            assert_near(&product(here.vectors.view(), here.vectors.view().t()), &identity(n), tolerance(n) * 10.0, "V Vᵀ");
        }
    }

    #[test]
    fn small_eigenvalues_keep_their_digits_beside_huge_ones() {
        // Blocks that do not touch: the spectrum of each is that of the block alone, whatever the scale of the other.
        let small = Mat::from_vec(2, 2, vec![2.0, 1.0, 1.0, 2.0]);
        let mut a = Mat::zeros(4, 4);
        for i in 0..2 {
            for j in 0..2 {
                a[(i, j)] = 1e24 * small[(i, j)];
                a[(2 + i, 2 + j)] = small[(i, j)];
            }
        }
        let e = eigen_graded(a.view()).unwrap();
        for (got, want) in e.values.iter().zip([3e24, 1e24, 3.0, 1.0]) {
            assert!((got / want - 1.0).abs() < 1e-14, "{:?}", e.values);
        }
        // A correlated pair a million times apart: the product of the eigenvalues is the determinant.
        let a = Mat::from_vec(2, 2, vec![1e24, 0.5e12, 0.5e12, 1.0]);
        let e = eigen_graded(a.view()).unwrap();
        assert!((e.values[0] * e.values[1] / 0.75e24 - 1.0).abs() < 1e-14);
        // A column that does not vary has eigenvalue 0, exactly.
        let a = Mat::from_vec(3, 3, vec![1e24, 0.0, 3e11, 0.0, 0.0, 0.0, 3e11, 0.0, 1.0]);
        assert_eq!(eigen_graded(a.view()).unwrap().values[2], 0.0);
    }
}
