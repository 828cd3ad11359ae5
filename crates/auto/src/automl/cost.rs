//! What fits will cost, from what fits have cost.

use super::candidate::CostGrowth;

/// Predictions err; what is promised to end is promised with this factor.
const CAUTION: f64 = 1.2;

/// Seconds of one thread that fits (with their predictions) of a candidate have taken, by training rows.
#[derive(Debug, Clone, Default)]
pub(super) struct CostModel {
    /// Ascending in rows.
    seen: Vec<(f64, f64)>,
}

impl CostModel {
    pub fn add(&mut self, rows: usize, seconds: f64) {
        let rows = rows as f64;
        match self.seen.iter_mut().find(|s| s.0 == rows) {
            Some(same) => same.1 = same.1.max(seconds),
            None => self.seen.push((rows, seconds)),
        }
        self.seen.sort_by(|a, b| a.0.total_cmp(&b.0));
    }

    /// The greatest number of rows that was fitted.
    pub fn rows_seen(&self) -> usize {
        self.seen.last().map_or(0, |s| s.0 as usize)
    }

    /// Seconds of a fit to so many rows, on the safe side; none before the first fit.
    ///
    /// Of two sizes a + b rows^p is solved for a and b, neither below 0; a single size is all b, which is too much.
    pub fn predict(&self, rows: usize, growth: CostGrowth) -> Option<f64> {
        let n = (rows as f64).powf(growth.power);
        match self.seen[..] {
            [] => None,
            [(rows, seconds)] => Some(CAUTION * seconds * (n / rows.powf(growth.power)).max(0.1)),
            [.., (r1, t1), (r2, t2)] => {
                let (x1, x2) = (r1.powf(growth.power), r2.powf(growth.power));
                let b = ((t2 - t1) / (x2 - x1)).clamp(0.0, t2 / x2);
                Some(CAUTION * (t2 + b * (n - x2)).max(0.1 * t2))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_sizes_tell_the_fixed_cost_from_the_growth() {
        let growth = CostGrowth { power: 2.0, interruptible: false };
        let mut cost = CostModel::default();
        assert_eq!(cost.predict(1000, growth), None);
        // 0.5 s and 2 µs for each pair of rows.
        let truth = |rows: usize| 0.5 + 2e-6 * (rows * rows) as f64;
        cost.add(500, truth(500));
        assert!((cost.predict(1000, growth).unwrap() - CAUTION * 4.0 * truth(500)).abs() < 1e-12);
        cost.add(2000, truth(2000));
        assert_eq!(cost.rows_seen(), 2000);
        for rows in [4000, 50_000] {
            let predicted = cost.predict(rows, growth).unwrap();
            assert!((predicted - CAUTION * truth(rows)).abs() < 1e-9 * predicted, "{predicted}");
        }
        // A fit that by chance was faster on more rows does not promise that more rows cost nothing less.
        cost.add(3000, 1.0);
        assert!(cost.predict(6000, growth).unwrap() >= 1.0);
    }
}
