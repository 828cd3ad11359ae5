//! Isotonic regression: the non-decreasing function with the least squared error.

/// A non-decreasing function: level `levels[k]` at `knots[k]`, linear between, constant beyond both ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Isotonic {
    /// Distinct places, ascending.
    pub knots: Vec<f64>,
    /// The level at each of them, non-decreasing.
    pub levels: Vec<f64>,
}

/// Minimizes Σ wᵢ (yᵢ - f(xᵢ))² over all non-decreasing f, exactly, by the pool-adjacent-violators algorithm: time n
/// log n to sort x, then n. Rows of equal x share a level; rows of weight 0 are left out; no rows give a function
/// without knots.
///
/// ```
/// use ermine_math::isotonic::isotonic;
/// let f = isotonic(&[1.0, 2.0, 3.0, 4.0], &[1.0, 3.0, 2.0, 4.0], None);
/// assert_eq!(f.levels, [1.0, 2.5, 2.5, 4.0]);
/// assert_eq!(f.at(1.5), 1.75);
/// ```
///
/// R. E. Barlow, D. J. Bartholomew, J. M. Bremner, H. D. Brunk (1972), Statistical Inference under Order Restrictions.
pub fn isotonic(x: &[f64], y: &[f64], weight: Option<&[f64]>) -> Isotonic {
    let weight_of = |i: usize| weight.map_or(1.0, |w| w[i]);
    let mut order: Vec<usize> = (0..x.len()).filter(|&i| weight_of(i) > 0.0).collect();
    // Rows of equal x in the order of y: the sums, and so the bits, do not depend on the order of the rows.
    order.sort_by(|&a, &b| x[a].total_cmp(&x[b]).then(y[a].total_cmp(&y[b])));

    let mut knots: Vec<f64> = Vec::new();
    let mut at_knot: Vec<PavaBlock> = Vec::new();
    for i in order {
        let row = PavaBlock { mean: y[i], weight: weight_of(i), knots: 1 };
        match at_knot.last_mut() {
            Some(pool) if knots.last() == Some(&x[i]) => pool.join(PavaBlock { knots: 0, ..row }),
            _ => {
                knots.push(x[i]);
                at_knot.push(row);
            }
        }
    }

    let mut pools: Vec<PavaBlock> = Vec::with_capacity(at_knot.len());
    for mut pool in at_knot {
        while let Some(before) = pools.last()
            && before.mean >= pool.mean
        {
            let mut joined = *before;
            joined.join(pool);
            pool = joined;
            pools.pop();
        }
        pools.push(pool);
    }
    let levels = pools.iter().flat_map(|p| std::iter::repeat_n(p.mean, p.knots)).collect();
    Isotonic { knots, levels }
}

/// Neighboring knots of one level.
#[derive(Clone, Copy)]
struct PavaBlock {
    mean: f64,
    weight: f64,
    knots: usize,
}

impl PavaBlock {
    fn join(&mut self, other: Self) {
        self.weight += other.weight;
        // The mean moves by a share of the difference, which cannot overflow where the products with the weights could.
        self.mean += (other.mean - self.mean) * (other.weight / self.weight);
        self.knots += other.knots;
    }
}

impl Isotonic {
    /// The function at `x`; NaN at NaN and where there are no knots.
    pub fn at(&self, x: f64) -> f64 {
        let above = self.knots.partition_point(|&k| k < x);
        match (above.checked_sub(1), self.knots.get(above)) {
            _ if x.is_nan() => f64::NAN,
            (None, None) => f64::NAN,
            (None, Some(_)) => self.levels[0],
            (Some(below), None) => self.levels[below],
            (Some(_), Some(&k)) if k == x => self.levels[above],
            (Some(below), Some(&k)) => {
                let share = (x - self.knots[below]) / (k - self.knots[below]);
                self.levels[below] + (self.levels[above] - self.levels[below]) * share
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The max-min formula: at each point the maximum over all beginnings of the minimum over all ends of the mean.
    fn max_min(y: &[f64], w: &[f64]) -> Vec<f64> {
        let mean = |a: usize, b: usize| {
            let total: f64 = w[a..=b].iter().sum();
            (a..=b).map(|i| w[i] * y[i]).sum::<f64>() / total
        };
        let least = |a: usize, i: usize| (i..y.len()).map(|b| mean(a, b)).fold(f64::INFINITY, f64::min);
        (0..y.len()).map(|i| (0..=i).map(|a| least(a, i)).fold(f64::NEG_INFINITY, f64::max)).collect()
    }

    proptest! {
        #[test]
        fn the_levels_are_those_of_the_max_min_formula(
            rows in prop::collection::vec((-10.0..10.0f64, 0.1..5.0f64), 1..12),
        ) {
            let (y, w): (Vec<f64>, Vec<f64>) = rows.into_iter().unzip();
            let x: Vec<f64> = (0..y.len()).map(|i| i as f64).collect();
            let fit = isotonic(&x, &y, Some(&w));
            for (a, b) in fit.levels.iter().zip(max_min(&y, &w)) {
                prop_assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()));
            }
            prop_assert!(fit.levels.windows(2).all(|l| l[0] <= l[1]));
        }
    }

    #[test]
    fn equal_places_are_pooled_and_rows_without_weight_are_absent() {
        let f = isotonic(&[2.0, 1.0, 2.0, 3.0], &[4.0, 0.0, 6.0, -9.0], Some(&[1.0, 1.0, 3.0, 0.0]));
        assert_eq!(f, Isotonic { knots: vec![1.0, 2.0], levels: vec![0.0, 5.5] });
        assert_eq!((f.at(0.0), f.at(1.5), f.at(9.0)), (0.0, 2.75, 5.5));
        assert!(f.at(f64::NAN).is_nan() && isotonic(&[], &[], None).at(1.0).is_nan());
    }
}
