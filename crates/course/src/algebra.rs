//! Small dense algebra, written for reading.

use ermine_core::{Mat, Result};
use ermine_math::linalg::{Cholesky, product, svd};

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

pub(crate) fn sub(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

pub(crate) fn mean(a: &[f64]) -> f64 {
    a.iter().sum::<f64>() / a.len() as f64
}

pub(crate) fn max_abs(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, v| v.abs().max(m))
}

/// M x.
pub(crate) fn times(m: &Mat<f64>, x: &[f64]) -> Vec<f64> {
    (0..m.rows()).map(|i| dot(m.row(i), x)).collect()
}

/// Mᵀ y.
pub(crate) fn transposed_times(m: &Mat<f64>, y: &[f64]) -> Vec<f64> {
    (0..m.cols()).map(|j| (0..m.rows()).map(|i| m[(i, j)] * y[i]).sum()).collect()
}

/// MᵀM + ridge I.
pub(crate) fn gram(m: &Mat<f64>, ridge: f64) -> Mat<f64> {
    let mut g = product(m.view().t(), m.view());
    (0..g.rows()).for_each(|i| g[(i, i)] += ridge);
    g
}

/// The solution of A x = b, A symmetric positive definite.
pub(crate) fn solve(a: &Mat<f64>, b: &[f64]) -> Result<Vec<f64>> {
    let mut x = b.to_vec();
    Cholesky::new(a.view())?.solve_vec(&mut x);
    Ok(x)
}

/// The pseudo-inverse.
pub(crate) fn pseudo_inverse(m: &Mat<f64>) -> Result<Mat<f64>> {
    let s = svd(m.view())?;
    let cut = 1e-12 * s.values.first().copied().unwrap_or(0.0) * m.rows().max(m.cols()) as f64;
    let rank = s.values.iter().filter(|v| **v > cut).count();
    Ok(Mat::from_fn(m.cols(), m.rows(), |i, j| (0..rank).map(|k| s.vt[(k, i)] * s.u[(j, k)] / s.values[k]).sum()))
}

/// Least squares by normal equations, refined once with the residual.
pub(crate) fn least_squares(x: &Mat<f64>, y: &[f64]) -> Result<Vec<f64>> {
    let g = gram(x, 0.0);
    let mut w = solve(&g, &transposed_times(x, y))?;
    let r = sub(y, &times(x, &w));
    let more = solve(&g, &transposed_times(x, &r))?;
    w.iter_mut().zip(&more).for_each(|(w, m)| *w += m);
    Ok(w)
}

pub(crate) fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let (n, m) = (values.len() as f64, mean(values));
    (m, (values.iter().map(|v| (v - m).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt())
}
