//! Measures for numbers. Several target columns are averaged.

use ermine_core::MatRef;

fn mean_over(truth: MatRef<'_, f64>, weight: Option<&[f64]>, cell: impl Fn(usize, usize) -> f64) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for i in 0..truth.rows() {
        let w = weight.map_or(1.0, |w| w[i]);
        if w > 0.0 {
            sum += w * (0..truth.cols()).map(|j| cell(i, j)).sum::<f64>();
            total += w;
        }
    }
    sum / (total * truth.cols() as f64)
}

/// Mean squared error.
pub fn mse(truth: MatRef<'_, f64>, found: MatRef<'_, f64>, weight: Option<&[f64]>) -> f64 {
    mean_over(truth, weight, |i, j| (truth.at(i, j) - found.at(i, j)).powi(2))
}

/// Root of the mean squared error.
pub fn rmse(truth: MatRef<'_, f64>, found: MatRef<'_, f64>, weight: Option<&[f64]>) -> f64 {
    mse(truth, found, weight).sqrt()
}

/// Mean absolute error.
pub fn mae(truth: MatRef<'_, f64>, found: MatRef<'_, f64>, weight: Option<&[f64]>) -> f64 {
    mean_over(truth, weight, |i, j| (truth.at(i, j) - found.at(i, j)).abs())
}

/// Share of the variance that is explained, 1 - RSS/TSS, averaged over targets. A constant target gives 1 when it is hit
/// exactly and 0 otherwise.
pub fn r2(truth: MatRef<'_, f64>, found: MatRef<'_, f64>, weight: Option<&[f64]>) -> f64 {
    let w = |i: usize| weight.map_or(1.0, |w| w[i]);
    let total: f64 = (0..truth.rows()).map(w).sum();
    let one = |j: usize| {
        // In units of the largest value, so that no square overflows or vanishes.
        let most = (0..truth.rows()).map(|i| truth.at(i, j).abs()).fold(0.0, f64::max);
        // The power of two below it: dividing by that rounds nothing.
        let unit = f64::from_bits(most.to_bits() & f64::INFINITY.to_bits());
        let unit = if unit > 0.0 && unit.is_finite() { unit } else { 1.0 };
        let mean = (0..truth.rows()).map(|i| w(i) * (truth.at(i, j) / unit)).sum::<f64>() / total;
        let (mut rss, mut tss) = (0.0, 0.0);
        for i in 0..truth.rows() {
            rss += w(i) * (truth.at(i, j) / unit - found.at(i, j) / unit).powi(2);
            tss += w(i) * (truth.at(i, j) / unit - mean).powi(2);
        }
        if tss > 0.0 {
            1.0 - rss / tss
        } else if rss == 0.0 {
            1.0
        } else {
            0.0
        }
    };
    (0..truth.cols()).map(one).sum::<f64>() / truth.cols() as f64
}
