//! The conditions of problems that learners solve.

use ermine_core::Mat;

use super::kkt::KktReport;
use super::{dot, max_abs};

fn pull(x: &Mat<f64>, y: &[f64], w: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; x.cols()];
    (0..x.rows()).for_each(|i| super::add_scaled(&mut out, dot(x.row(i), w) - y[i], x.row(i)));
    out
}

impl KktReport {
    /// Of `½ ‖y − X w‖²` subject to `w ≥ 0`; the multipliers are the gradient.
    ///
    /// # Panics
    /// When lengths differ.
    pub fn of_nonnegative_least_squares(x: &Mat<f64>, y: &[f64], w: &[f64]) -> Self {
        assert!(x.rows() == y.len() && x.cols() == w.len(), "a target per row and a coefficient per column");
        let multipliers = pull(x, y, w);
        let below: Vec<f64> = w.iter().map(|v| -v).collect();
        Self::from_parts((&vec![0.0; w.len()], max_abs(&multipliers)), (&below, &[], max_abs(w)), &multipliers)
    }

    /// Of `1/(2n) ‖y − X w‖² + α |w|₁`: the distance of the negative gradient from α times the subdifferential of |w|₁. The multipliers are
    /// those of `wⱼ ≤ tⱼ` and `−wⱼ ≤ tⱼ`, (α ± gradient)/2, in a program that minimizes α Σ t.
    ///
    /// # Panics
    /// When lengths differ.
    pub fn of_lasso(x: &Mat<f64>, y: &[f64], w: &[f64], alpha: f64) -> Self {
        assert!(x.rows() == y.len() && x.cols() == w.len(), "a target per row and a coefficient per column");
        let gradient: Vec<f64> = pull(x, y, w).iter().map(|g| g / y.len() as f64).collect();
        let multipliers: Vec<f64> =
            gradient.iter().map(|g| 0.5 * (alpha - g)).chain(gradient.iter().map(|g| 0.5 * (alpha + g))).collect();
        let above: Vec<f64> = w.iter().map(|w| w - w.abs()).chain(w.iter().map(|w| -w - w.abs())).collect();
        Self::from_parts((&vec![0.0; w.len()], alpha.max(max_abs(&gradient))), (&above, &[], max_abs(w)), &multipliers)
    }

    /// Of a support vector machine with coefficients `0 ≤ μ ≤ C` per row (no C: a hard margin), `signed[(i, j)] = yᵢ yⱼ k(xᵢ, xⱼ)` and the
    /// bias: stationarity in the slacks and multipliers of `yᵢ f(xᵢ) ≥ 1 − ξᵢ`, row by row.
    ///
    /// # Panics
    /// When lengths differ.
    pub fn of_support_vectors(signed: &Mat<f64>, y: &[f64], mu: &[f64], bias: f64, c: Option<f64>) -> Self {
        assert!(signed.rows() == y.len() && mu.len() == y.len(), "a label and a coefficient per row");
        let margin: Vec<f64> = (0..y.len()).map(|i| dot(signed.row(i), mu) + y[i] * bias).collect();
        // A coefficient below C leaves no slack.
        let slack: Vec<f64> = margin.iter().map(|m| if c.is_some() { (1.0 - m).max(0.0) } else { 0.0 }).collect();
        let upper: Vec<f64> = mu.iter().map(|m| c.map_or(0.0, |c| c - m)).collect();
        let above: Vec<f64> = (0..y.len()).map(|i| 1.0 - slack[i] - margin[i]).chain(slack.iter().map(|s| -s)).collect();
        let multipliers: Vec<f64> = mu.iter().copied().chain(upper).collect();
        Self::from_parts((&[dot(mu, y)], max_abs(mu)), (&above, &[], 1.0), &multipliers)
    }
}
