//! Weights as whole numbers of steps, so that their sums are exact.

use rayon::prelude::*;

/// The weights of a round: the weight that a row was given times `exp(log_weight)`, in steps whose sum stays below 2^60.
///
/// A given weight that is a whole number multiplies the rounded step of the row, so that a row of weight 2 has exactly the
/// steps of two rows. Sums of steps do not depend on the order of the rows nor on the number of threads.
#[derive(Debug, Clone)]
pub struct Steps {
    steps: Vec<i64>,
    total: i64,
}

impl Steps {
    /// The steps of rows with the given weights (all 1 without) and logarithms of factors.
    pub fn new(given: Option<&[f64]>, log_factor: &[f64]) -> Self {
        // A row of weight 0 takes no part, whatever its factor.
        let there = |i: usize| given.is_none_or(|w| w[i] > 0.0);
        let top = (0..log_factor.len()).filter(|&i| there(i)).map(|i| log_factor[i]).fold(f64::NEG_INFINITY, f64::max);
        let factors: Vec<f64> = (0..log_factor.len())
            .into_par_iter()
            .with_min_len(4096)
            .map(|i| if there(i) { (log_factor[i] - top).exp() } else { 0.0 })
            .collect();
        let factor = |i: usize| factors[i];
        let whole = given.is_none_or(|w| w.iter().all(|w| w.fract() == 0.0 && *w < (1u64 << 40) as f64));
        let largest = given.map_or(1.0, |w| w.iter().copied().fold(0.0, f64::max));
        let of = |i: usize| given.map_or(1.0, |w| if whole { w[i] } else { w[i] / largest });
        let total: f64 = (0..log_factor.len()).map(|i| of(i) * factor(i)).sum();
        // At least one bit of room for the rounding of the rows.
        let scale = 2f64.powi(58 - total.log2().ceil().clamp(0.0, 57.0) as i32);
        let steps: Vec<i64> = (0..log_factor.len())
            .map(|i| match whole {
                true => of(i) as i64 * (factor(i) * scale).round() as i64,
                false => (of(i) * factor(i) * scale).round() as i64,
            })
            .collect();
        let total = steps.iter().sum();
        Self { steps, total }
    }

    /// The steps of a row.
    #[inline(always)]
    pub fn get(&self, row: usize) -> i64 {
        self.steps[row]
    }

    /// The steps of all rows.
    pub fn all(&self) -> &[i64] {
        &self.steps
    }

    /// Their sum.
    pub fn total(&self) -> i64 {
        self.total
    }

    /// The share of the rows for which `f` holds.
    pub fn share(&self, f: impl Fn(usize) -> bool) -> f64 {
        let sum: i64 = self.steps.iter().enumerate().filter(|(i, _)| f(*i)).map(|(_, s)| s).sum();
        sum as f64 / self.total as f64
    }

    /// The weights as numbers that sum to `sum`.
    pub fn weights(&self, sum: f64) -> Vec<f64> {
        self.steps.iter().map(|&s| s as f64 / self.total as f64 * sum).collect()
    }
}
