//! All minimizers of a problem whose columns are dependent: `b + (I - VᵀV) u` for any u, V an orthonormal basis of the rows of X.

use ermine_core::{Error, Mat, Result};
#[cfg(feature = "fit")]
use ermine_math::linalg::PivotedQr;

use ermine_math::scale::ldexp;

/// The family of all minimizers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SolutionFamily {
    /// Orthonormal rows that span those of the centered X: the directions along which coefficients are determined.
    pub row_space: Mat<f64>,
    /// The means of the columns, 0 without intercept: how the intercept follows the coefficients.
    pub means: Vec<f64>,
}

/// Largest basis stored (2^27 f64, 1 GiB).
const MAX_BASIS: usize = 1 << 27;

/// Refuses a basis that would not fit.
pub(super) fn check_size(rank: usize, cols: usize) -> Result<()> {
    if rank.saturating_mul(cols) > MAX_BASIS {
        return Err(Error::Data(format!(
            "the family of solutions of {cols} columns of rank {rank} is a basis of {} GB; leave out family, or columns",
            rank * cols / (1 << 27)
        )));
    }
    Ok(())
}

/// Orthonormal rows that span those of `rows`, which are independent.
#[cfg(feature = "fit")]
pub(super) fn orthonormal(rows: &Mat<f64>) -> Result<Mat<f64>> {
    if rows.rows() == 0 {
        return Ok(rows.clone());
    }
    Ok(PivotedQr::new(rows.view().t())?.q.view().t().to_owned())
}

/// Orthonormal rows for columns `kept` of `cols`, from directions in columns that were multiplied by 2^exponent: one column per direction.
#[cfg(feature = "fit")]
pub(super) fn basis(directions: &Mat<f64>, kept: &[usize], exponent: &[i32], cols: usize) -> Result<Mat<f64>> {
    check_size(directions.cols(), cols)?;
    let common = exponent.iter().copied().min().unwrap_or(0);
    let rows = Mat::from_fn(directions.cols(), kept.len(), |k, j| ldexp(directions[(j, k)], common - exponent[j]));
    let unit = orthonormal(&rows)?;
    let mut out = Mat::zeros(unit.rows(), cols);
    for k in 0..unit.rows() {
        kept.iter().zip(unit.row(k)).for_each(|(&j, &v)| out[(k, j)] = v);
    }
    Ok(out)
}

/// Orthonormal rows that complete `rows` (orthonormal) to the whole space: what of the axes they leave, the longest first.
pub(crate) fn complement(rows: &Mat<f64>) -> Mat<f64> {
    let (rank, n) = (rows.rows(), rows.cols());
    let mut basis: Vec<Vec<f64>> = (0..rank).map(|k| rows.row(k).to_vec()).collect();
    // The length of what is left of each axis.
    let mut left: Vec<f64> = (0..n).map(|j| 1.0 - basis.iter().map(|b| b[j] * b[j]).sum::<f64>()).collect();
    while basis.len() < n {
        let axis = (0..n).fold(0, |best, j| if left[j] > left[best] { j } else { best });
        let mut v = vec![0.0; n];
        v[axis] = 1.0;
        // Orthogonalized twice: once leaves rounding (Kahan).
        for _ in 0..2 {
            for b in &basis {
                let along: f64 = b.iter().zip(&v).map(|(b, v)| b * v).sum();
                v.iter_mut().zip(b).for_each(|(v, b)| *v -= along * b);
            }
        }
        let norm = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        v.iter_mut().for_each(|v| *v /= norm);
        left.iter_mut().zip(&v).for_each(|(l, v)| *l -= v * v);
        left[axis] = 0.0;
        basis.push(v);
    }
    Mat::from_fn(n - rank, n, |k, j| basis[rank + k][j])
}
