//! The elastic-net penalty l1 Σ |w| + l2 / 2 Σ w², added to the sum of losses.

use serde::{Deserialize, Serialize};

/// The two parts of an elastic-net penalty. Intercepts are not penalized.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ElasticPenalty {
    /// The factor of the absolute values.
    pub l1: f64,
    /// The factor of half the squares.
    pub l2: f64,
}

impl ElasticPenalty {
    /// No penalty.
    pub const FREE: Self = Self { l1: 0.0, l2: 0.0 };

    /// Whether nothing is penalized.
    pub fn is_free(self) -> bool {
        self == Self::FREE
    }

    /// The penalty of one weight.
    pub fn of(self, w: f64) -> f64 {
        self.l1 * w.abs() + 0.5 * self.l2 * w * w
    }

    /// The penalty of weights.
    pub fn value(self, w: &[f64]) -> f64 {
        let (mut sum, mut square) = (0.0, 0.0);
        for w in w {
            sum += w.abs();
            square += w * w;
        }
        self.l1 * sum + 0.5 * self.l2 * square
    }

    /// The convex conjugate sup_w (v w - penalty): (|v| - l1)₊² / (2 l2), infinity beyond l1 where there is no l2.
    pub fn conjugate(self, v: f64) -> f64 {
        let over = (v.abs() - self.l1).max(0.0);
        if over == 0.0 { 0.0 } else { over * over / (2.0 * self.l2) }
    }

    /// The shift of the weights that several classes have for one column at which their penalty is least; the
    /// probabilities do not change by it. Where 0 is as good as anything it is 0, which keeps zeros.
    pub fn common(self, weights: &mut [f64]) -> f64 {
        let n = weights.len() as f64;
        let mean = weights.iter().sum::<f64>() / n;
        if self.l1 == 0.0 {
            return mean;
        }
        weights.sort_unstable_by(f64::total_cmp);
        // The slopes of the cost just before and just after a shift s, which rise with s.
        let slopes = |s: f64| {
            let below = weights.iter().filter(|w| **w < s).count() as f64;
            let at = weights.iter().filter(|w| **w == s).count() as f64;
            let smooth = self.l2 * n * (s - mean) + self.l1 * (2.0 * below + at - n);
            (smooth - self.l1 * at, smooth + self.l1 * at)
        };
        let (before, after) = slopes(0.0);
        if before <= 0.0 && after >= 0.0 {
            return 0.0;
        }
        let mut from = f64::NEG_INFINITY;
        for &w in weights.iter() {
            let (before, after) = slopes(w);
            if before <= 0.0 && after >= 0.0 {
                return w;
            }
            if before > 0.0 {
                // Between two weights the slope is a line of slope n l2.
                let s = if self.l2 > 0.0 { w - before / (self.l2 * n) } else { w };
                return s.max(from).min(w);
            }
            from = w;
        }
        from
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_core::RngStream;

    #[test]
    fn conjugates_bound_and_touch() {
        for e in [ElasticPenalty { l1: 0.7, l2: 0.3 }, ElasticPenalty { l1: 0.0, l2: 2.0 }] {
            for k in -30..30 {
                let w = f64::from(k) * 0.17;
                // The slope at w.
                let v = e.l1 * w.signum() + e.l2 * w;
                assert!((e.of(w) + e.conjugate(v) - v * w).abs() < 1e-12);
                for v in [-2.0, -0.5, 0.0, 0.6, 3.0] {
                    assert!(e.of(w) + e.conjugate(v) >= v * w - 1e-12);
                }
            }
        }
        assert_eq!(ElasticPenalty { l1: 1.0, l2: 0.0 }.conjugate(0.9), 0.0);
        assert_eq!(ElasticPenalty { l1: 1.0, l2: 0.0 }.conjugate(1.1), f64::INFINITY);
    }

    #[test]
    fn the_common_part_is_the_cheapest_to_take_off() {
        let mut s = RngStream::new(1, "common", 0);
        for round in 0..300 {
            let e = ElasticPenalty { l1: [0.0, 1.0, 1.0][round % 3], l2: [1.0, 0.0, 0.4][round % 3] };
            let weights: Vec<f64> = (0..3 + round % 4).map(|_| if s.below(3) == 0 { 0.0 } else { s.normal() }).collect();
            let cost = |c: f64| weights.iter().map(|w| e.of(w - c)).sum::<f64>();
            let best = e.common(&mut weights.clone());
            for k in -400..400 {
                let c = f64::from(k) * 0.01;
                assert!(cost(best) <= cost(c) + 1e-12, "{weights:?}: {best} costs {}, {c} costs {}", cost(best), cost(c));
            }
        }
    }
}
