//! Coordinates in which a covariance is the identity.

use ermine_core::{Mat, Result};
#[cfg(feature = "fit")]
use ermine_math::linalg::svd;
use ermine_math::linalg::{Cholesky, eigen_symmetric};
#[cfg(not(feature = "fit"))]
use ermine_math::linalg::{eigen_graded, product};

use super::totals::correlation;

/// W with Wᵀ C W = I, one column per direction, for a covariance C. Directions in which C has no spread but rounding are left out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Whitening {
    /// Columns of the data by directions.
    pub matrix: Mat<f64>,
    /// ½ ln det(Wᵀ W): what a density in the new coordinates gains over one in the old.
    pub log_volume: f64,
    /// The least of the kept eigenvalues of the correlation matrix over the greatest, roughly.
    pub reciprocal_condition: f64,
}

impl Whitening {
    /// `cut` is the least variance that counts, with the columns standardized. Columns are brought to one scale first, so that one
    /// that is 10¹² times another costs nothing.
    pub fn new(covariance: &Mat<f64>, cut: f64) -> Result<Self> {
        let p = covariance.rows();
        let (r, sd) = correlation(covariance);
        let varies = (0..p).all(|j| covariance[(j, j)] > 0.0);
        if varies && let Ok(factor) = Cholesky::new(r.view()) {
            // The estimate of the norm of the inverse may be too low by a factor of a few.
            let condition = factor.reciprocal_condition();
            if condition > 100.0 * p as f64 * cut.max(f64::EPSILON) {
                let mut inverse = Mat::from_fn(p, p, |i, j| f64::from(u8::from(i == j)));
                factor.solve_lower(&mut inverse);
                let matrix = Mat::from_fn(p, p, |j, k| inverse[(k, j)] / sd[j]);
                let log_volume = -0.5 * factor.log_determinant() - sd.iter().map(|s| s.ln()).sum::<f64>();
                return Ok(Self { matrix, log_volume, reciprocal_condition: condition });
            }
        }
        let eigen = eigen_symmetric(r.view())?;
        let floor = cut.max(100.0 * p as f64 * f64::EPSILON * eigen.values.first().copied().unwrap_or(0.0));
        let rank = eigen.values.iter().take_while(|v| **v > floor).count();
        let reciprocal_condition = if rank > 0 { eigen.values[rank - 1] / eigen.values[0] } else { 1.0 };
        let matrix = Mat::from_fn(p, rank, |j, k| eigen.vectors[(k, j)] / eigen.values[k].sqrt() / sd[j]);
        Ok(Self { log_volume: log_volume(&matrix)?, matrix, reciprocal_condition })
    }

    pub fn rank(&self) -> usize {
        self.matrix.cols()
    }
}

/// ½ ln det(Wᵀ W).
pub(super) fn log_volume(matrix: &Mat<f64>) -> Result<f64> {
    #[cfg(feature = "fit")]
    let values = svd(matrix.view())?.values;
    // The squares of the singular values, each to digits of its own.
    #[cfg(not(feature = "fit"))]
    let values =
        eigen_graded(product(matrix.view().t(), matrix.view()).view())?.values.into_iter().map(f64::sqrt).collect::<Vec<_>>();
    Ok(values.iter().map(|s| s.max(f64::MIN_POSITIVE).ln()).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_core::RngStream;
    use ermine_math::linalg::product;

    fn scattered(rows: usize, scale: &[f64], seed: u64) -> Mat<f64> {
        let mut rng = RngStream::new(seed, "test", 0);
        let x = Mat::from_fn(rows, scale.len(), |_, j| rng.normal() * scale[j]);
        product(x.view().t(), x.view())
    }

    fn check(c: &Mat<f64>, w: &Whitening) {
        let inner = product(c.view(), w.matrix.view());
        let identity = product(w.matrix.view().t(), inner.view());
        for i in 0..w.rank() {
            for j in 0..w.rank() {
                assert!((identity[(i, j)] - f64::from(u8::from(i == j))).abs() < 1e-7, "{}", identity[(i, j)]);
            }
        }
    }

    #[test]
    fn covariances_become_the_identity_on_any_scale() {
        let c = scattered(40, &[1.0, 1e12, 1e-9, 3.0], 1);
        let w = Whitening::new(&c, 1e-8).unwrap();
        assert_eq!(w.rank(), 4);
        check(&c, &w);
        let sd: f64 = (0..4).map(|j| c[(j, j)].ln()).sum::<f64>() / 2.0;
        let r = correlation(&c).0;
        let want = -0.5 * Cholesky::new(r.view()).unwrap().log_determinant() - sd;
        assert!((w.log_volume - want).abs() < 1e-9);
    }

    #[test]
    fn directions_without_spread_are_left_out_and_both_ways_agree() {
        let mut c = scattered(40, &[1.0, 2.0, 3.0], 2);
        // A fourth column that is the sum of the first two, and a fifth that is constant.
        let base = c.clone();
        c = Mat::zeros(5, 5);
        let map = |i: usize| -> Vec<(usize, f64)> {
            match i {
                0..=2 => vec![(i, 1.0)],
                3 => vec![(0, 1.0), (1, 1.0)],
                _ => vec![],
            }
        };
        for i in 0..5 {
            for j in 0..5 {
                c[(i, j)] =
                    map(i).iter().flat_map(|a| map(j).into_iter().map(move |b| (*a, b))).map(|(a, b)| base[(a.0, b.0)]).sum();
            }
        }
        let w = Whitening::new(&c, 1e-8).unwrap();
        assert_eq!(w.rank(), 3);
        check(&c, &w);
        assert!((0..3).all(|k| w.matrix[(4, k)] == 0.0));
        // Without the dependent column the volume is that of the others.
        let mut four = Mat::zeros(4, 4);
        for (a, i) in [0, 1, 2, 4].into_iter().enumerate() {
            for (b, j) in [0, 1, 2, 4].into_iter().enumerate() {
                four[(a, b)] = c[(i, j)];
            }
        }
        let (constant, whole) = (Whitening::new(&four, 1e-8).unwrap(), Whitening::new(&base, 1e-8).unwrap());
        assert!((constant.log_volume - whole.log_volume).abs() < 1e-12);
        assert_eq!(Whitening::new(&Mat::zeros(2, 2), 1e-8).unwrap().rank(), 0);
    }
}
