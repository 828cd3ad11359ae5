//! Weights as whole numbers of steps, so that their sums are exact.

use ermine_core::parallel::prelude::*;

/// The weights of a round: the given weight of a row times `exp(log_factor)`, in steps whose sum stays below 2^60.
///
/// A given weight that is a whole number multiplies the rounded step of the row, so that a row of weight 2 has exactly the
/// steps of two rows. Sums of steps do not depend on the order of the rows nor on the number of threads.
#[derive(Debug, Clone)]
pub struct IntegerWeights {
    steps: Vec<i64>,
    total: i64,
}

impl IntegerWeights {
    /// The steps of rows with the given weights (all 1 without) and logarithms of factors.
    pub fn new(weight: Option<&[f64]>, log_factor: &[f64]) -> Self {
        let rows = log_factor.len();
        let whole = weight.is_none_or(|w| w.iter().all(|w| w.fract() == 0.0) && w.iter().sum::<f64>() < (1u64 << 50) as f64);
        let times = |i: usize| weight.map_or(1.0, |w| w[i]);
        // The fractional part goes into the factor, where it cannot overflow.
        let log = |i: usize| match whole {
            true if times(i) > 0.0 => log_factor[i],
            true => f64::NEG_INFINITY,
            false => log_factor[i] + times(i).ln(),
        };
        let top = (0..rows).map(log).fold(f64::NEG_INFINITY, f64::max);
        let factors: Vec<f64> = (0..rows).into_par_iter().with_min_len(4096).map(|i| (log(i) - top).exp()).collect();
        let multiple = |i: usize| if whole { times(i) } else { 1.0 };
        let total: f64 = (0..rows).map(|i| multiple(i) * factors[i]).sum();
        // The largest factor is 1, so the sum is at least 1; a bit of room is left for the rounding of the rows.
        let scale = 2f64.powi(58 - total.log2().ceil().clamp(0.0, 57.0) as i32);
        let steps: Vec<i64> = (0..rows).map(|i| multiple(i) as i64 * (factors[i] * scale).round() as i64).collect();
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
