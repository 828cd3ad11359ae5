//! Statistics of series: mean, standard deviation, autocorrelation.

use crate::double_double::Dd;

/// The mean, rounded once.
pub fn mean(values: &[f64]) -> f64 {
    center(values).to_f64()
}

/// The standard deviation with divisor n - 1; NaN for fewer than two numbers.
pub fn standard_deviation(values: &[f64]) -> f64 {
    let m = center(values);
    let square: Dd = values.iter().map(|&v| deviation(v, m)).map(|d| d * d).sum();
    (square.to_f64() / (values.len() as f64 - 1.0)).sqrt()
}

/// The autocorrelation at `lag`: `Σ (v_t - m)(v_{t-lag} - m) / Σ (v_t - m)²`, m the mean of all; NaN when nothing varies.
pub fn autocorrelation(values: &[f64], lag: usize) -> f64 {
    let m = center(values);
    let deviations: Vec<Dd> = values.iter().map(|&v| deviation(v, m)).collect();
    let square: Dd = deviations.iter().map(|&d| d * d).sum();
    let product: Dd = deviations.iter().skip(lag).zip(&deviations).map(|(&a, &b)| a * b).sum();
    product.to_f64() / square.to_f64()
}

fn center(values: &[f64]) -> Dd {
    values.iter().map(|&v| Dd::from(v)).sum::<Dd>() / Dd::from(values.len() as f64)
}

fn deviation(v: f64, mean: Dd) -> Dd {
    Dd::from(v) - mean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_cases_by_hand() {
        let v = [1.0, 2.0, 3.0, 4.0];
        assert_eq!((mean(&v), standard_deviation(&v)), (2.5, (5.0f64 / 3.0).sqrt()));
        // (-0.5)(-1.5) + (0.5)(-0.5) + (1.5)(0.5) over 5.
        assert_eq!((autocorrelation(&v, 0), autocorrelation(&v, 1)), (1.0, 0.25));
        assert!(standard_deviation(&[1.0]).is_nan() && autocorrelation(&[2.0, 2.0], 1).is_nan());
        // Sums that no double holds on the way.
        assert_eq!(mean(&[1e16, 1.0, -1e16]), 1.0 / 3.0);
    }
}
