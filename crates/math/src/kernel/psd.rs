//! Check whether a matrix can be the Gram matrix of a kernel.

use ermine_core::{Error, Mat, MatRef, Result};

use crate::linalg::eigen_symmetric;

/// Result of [`is_psd`].
#[derive(Clone, Debug)]
pub struct PsdCheck {
    /// The least eigenvalue of the symmetric part.
    pub least: f64,
    /// The largest.
    pub largest: f64,
    /// A unit vector v with vᵀ K v = `least`: the proof.
    pub direction: Vec<f64>,
    /// The largest |K_ij - K_ji|.
    pub asymmetry: f64,
    size: usize,
}

impl PsdCheck {
    /// How far below 0 an eigenvalue may lie by rounding alone.
    pub fn rounding(&self) -> f64 {
        8.0 * self.size as f64 * f64::EPSILON * self.largest.abs().max(self.least.abs())
    }

    /// Whether the matrix is symmetric and has no negative eigenvalue, up to rounding.
    pub fn is_psd(&self) -> bool {
        self.least >= -self.rounding() && self.asymmetry <= self.rounding()
    }
}

/// Checks the eigenvalues of a square matrix: those of a Gram matrix are never negative.
pub fn is_psd(k: MatRef<'_, f64>) -> Result<PsdCheck> {
    let n = k.rows();
    if k.cols() != n || n == 0 {
        return Err(Error::Data(format!("a Gram matrix is square, and this one is {n} x {}", k.cols())));
    }
    let mut asymmetry = 0.0f64;
    let symmetric = Mat::from_fn(n, n, |i, j| {
        asymmetry = asymmetry.max((k.at(i, j) - k.at(j, i)).abs());
        0.5 * k.at(i, j) + 0.5 * k.at(j, i)
    });
    let eigen = eigen_symmetric(symmetric.view())?;
    Ok(PsdCheck {
        least: eigen.values[n - 1],
        largest: eigen.values[0],
        direction: eigen.vectors.row(n - 1).to_vec(),
        asymmetry,
        size: n,
    })
}
