//! Losses of one row: of a residual for numbers, of a margin for two classes.

use super::{log1p_exp, sigmoid};

/// The loss of one row with target `y` and score `z`.
///
/// For numbers, with the residual r = y - z:
///
/// | loss | value |
/// |---|---|
/// | `Squared` | r² / 2 |
/// | `Absolute` | \|r\| |
/// | `Huber { delta }` | r² / 2 where \|r\| <= delta, else delta \|r\| - delta² / 2 |
/// | `Pinball { tau }` | tau r where r >= 0, else (tau - 1) r |
/// | `Expectile { tau }` | tau r² where r >= 0, else (1 - tau) r² |
/// | `EpsilonInsensitive { epsilon }` | max(0, \|r\| - epsilon) |
/// | `SquaredEpsilonInsensitive { epsilon }` | max(0, \|r\| - epsilon)² |
///
/// For two classes, `y` being +1 or -1, with the margin m = y z:
///
/// | loss | value |
/// |---|---|
/// | `Logistic` | log(1 + e⁻ᵐ) |
/// | `Hinge` | max(0, 1 - m) |
/// | `SquaredHinge` | max(0, 1 - m)² |
/// | `ModifiedHuber` | max(0, 1 - m)² where m >= -1, else -4 m |
/// | `Exponential` | e⁻ᵐ |
/// | `Perceptron` | max(0, -m) |
/// | `Linear` | -m |
/// | `ZeroOne` | 1 where m <= 0, else 0; for evaluation only |
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RowLoss {
    /// r² / 2, whose minimizer is the mean.
    Squared,
    /// |r|, whose minimizer is the median.
    Absolute,
    /// Squared near 0 and absolute beyond `delta`.
    Huber {
        /// Where it turns.
        delta: f64,
    },
    /// Tilted absolute loss, whose minimizer is the `tau` quantile.
    Pinball {
        /// The level, between 0 and 1.
        tau: f64,
    },
    /// Tilted squared loss, whose minimizer is the `tau` expectile; at 1/2 it is `Squared`.
    Expectile {
        /// The level, between 0 and 1.
        tau: f64,
    },
    /// Absolute beyond a band of width `epsilon` on either side in which residuals cost nothing.
    EpsilonInsensitive {
        /// Half the width of the band, at or above 0.
        epsilon: f64,
    },
    /// Squared beyond such a band.
    SquaredEpsilonInsensitive {
        /// Half the width of the band, at or above 0.
        epsilon: f64,
    },
    /// log(1 + e⁻ᵐ).
    Logistic,
    /// max(0, 1 - m).
    Hinge,
    /// max(0, 1 - m)².
    SquaredHinge,
    /// The squared hinge, straight where the margin is below -1.
    ModifiedHuber,
    /// e⁻ᵐ.
    Exponential,
    /// max(0, -m).
    Perceptron,
    /// -m.
    Linear,
    /// 1 where m <= 0.
    ZeroOne,
}

impl RowLoss {
    /// The loss.
    pub fn value(self, y: f64, z: f64) -> f64 {
        let (r, m) = (y - z, y * z);
        match self {
            Self::Squared => 0.5 * r * r,
            Self::Absolute => r.abs(),
            Self::Huber { delta } => {
                if r.abs() <= delta {
                    0.5 * r * r
                } else {
                    delta * (r.abs() - 0.5 * delta)
                }
            }
            Self::Pinball { tau } => r * if r >= 0.0 { tau } else { tau - 1.0 },
            Self::Expectile { tau } => r * r * if r >= 0.0 { tau } else { 1.0 - tau },
            Self::EpsilonInsensitive { epsilon } => (r.abs() - epsilon).max(0.0),
            Self::SquaredEpsilonInsensitive { epsilon } => (r.abs() - epsilon).max(0.0).powi(2),
            Self::Logistic => log1p_exp(-m),
            Self::Hinge => (1.0 - m).max(0.0),
            Self::SquaredHinge => (1.0 - m).max(0.0).powi(2),
            Self::ModifiedHuber => {
                if m >= -1.0 {
                    (1.0 - m).max(0.0).powi(2)
                } else {
                    -4.0 * m
                }
            }
            Self::Exponential => (-m).exp(),
            Self::Perceptron => (-m).max(0.0),
            Self::Linear => -m,
            Self::ZeroOne => f64::from(u8::from(m <= 0.0)),
        }
    }

    /// Its derivative by `z`; at a kink the one of least size, 0 for `ZeroOne`.
    pub fn gradient(self, y: f64, z: f64) -> f64 {
        let (r, m) = (y - z, y * z);
        match self {
            Self::Squared => -r,
            Self::Absolute => -sign(r),
            Self::Huber { delta } => -r.clamp(-delta, delta),
            Self::Pinball { tau } => {
                if r > 0.0 {
                    -tau
                } else if r < 0.0 {
                    1.0 - tau
                } else {
                    0.0
                }
            }
            Self::Expectile { tau } => -2.0 * r * if r >= 0.0 { tau } else { 1.0 - tau },
            Self::EpsilonInsensitive { epsilon } => -sign(r) * f64::from(u8::from(r.abs() > epsilon)),
            Self::SquaredEpsilonInsensitive { epsilon } => -2.0 * sign(r) * (r.abs() - epsilon).max(0.0),
            Self::Logistic => -y * sigmoid(-m),
            Self::Hinge => -y * f64::from(u8::from(m < 1.0)),
            Self::SquaredHinge => -2.0 * y * (1.0 - m).max(0.0),
            Self::ModifiedHuber => -2.0 * y * (1.0 - m).clamp(0.0, 2.0),
            Self::Exponential => -y * (-m).exp(),
            Self::Perceptron => -y * f64::from(u8::from(m < 0.0)),
            Self::Linear => -y,
            Self::ZeroOne => 0.0,
        }
    }

    /// Its second derivative by `z` wherever there is one, else 0.
    pub fn curvature(self, y: f64, z: f64) -> f64 {
        let (r, m) = (y - z, y * z);
        match self {
            Self::Squared => 1.0,
            Self::Huber { delta } => f64::from(u8::from(r.abs() <= delta)),
            Self::Expectile { tau } => 2.0 * if r >= 0.0 { tau } else { 1.0 - tau },
            Self::SquaredEpsilonInsensitive { epsilon } => 2.0 * f64::from(u8::from(r.abs() > epsilon)),
            Self::Logistic => y * y * sigmoid(m) * sigmoid(-m),
            Self::SquaredHinge => 2.0 * y * y * f64::from(u8::from(m < 1.0)),
            Self::ModifiedHuber => 2.0 * y * y * f64::from(u8::from((-1.0..1.0).contains(&m))),
            Self::Exponential => y * y * (-m).exp(),
            Self::Absolute
            | Self::Pinball { .. }
            | Self::EpsilonInsensitive { .. }
            | Self::Hinge
            | Self::Perceptron
            | Self::Linear
            | Self::ZeroOne => 0.0,
        }
    }

    /// The convex conjugate sup_z (u z - loss(y, z)); infinity where that has no bound, `None` where the loss is not
    /// convex. With it Σ -conjugate(yᵢ, uᵢ) is a lower bound of the loss for every u with Xᵀ u = 0, which is what
    /// certificates are made of.
    pub fn conjugate(self, y: f64, u: f64) -> Option<f64> {
        let within = |inside: bool, value: f64| if inside { value } else { f64::INFINITY };
        // The slope in the direction of the margin; y is +1 or -1 there.
        let a = u * y;
        Some(match self {
            Self::Squared => u * (y + 0.5 * u),
            Self::Absolute => within(u.abs() <= 1.0, u * y),
            Self::Huber { delta } => within(u.abs() <= delta, u * (y + 0.5 * u)),
            Self::Pinball { tau } => within((-tau..=1.0 - tau).contains(&u), u * y),
            Self::Expectile { tau } => u * (y + 0.25 * u / if u <= 0.0 { tau } else { 1.0 - tau }),
            Self::EpsilonInsensitive { epsilon } => within(u.abs() <= 1.0, u * y + epsilon * u.abs()),
            Self::SquaredEpsilonInsensitive { epsilon } => u * (y + 0.25 * u) + epsilon * u.abs(),
            Self::Logistic => within((-1.0..=0.0).contains(&a), entropy(-a) + entropy(1.0 + a)),
            Self::Hinge => within((-1.0..=0.0).contains(&a), a),
            Self::SquaredHinge => within(a <= 0.0, a * (1.0 + 0.25 * a)),
            Self::ModifiedHuber => within((-4.0..=0.0).contains(&a), a * (1.0 + 0.25 * a)),
            Self::Exponential => within(a <= 0.0, entropy(-a) + a),
            Self::Perceptron => within((-1.0..=0.0).contains(&a), 0.0),
            Self::Linear => within(a == -1.0, 0.0),
            Self::ZeroOne => return None,
        })
    }
}

/// t log t, 0 at 0.
fn entropy(t: f64) -> f64 {
    if t > 0.0 { t * t.ln() } else { 0.0 }
}

/// -1, 0 or 1.
fn sign(v: f64) -> f64 {
    if v == 0.0 { 0.0 } else { v.signum() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: [RowLoss; 10] = [
        RowLoss::Squared,
        RowLoss::Absolute,
        RowLoss::Huber { delta: 1.35 },
        RowLoss::Pinball { tau: 0.5 },
        RowLoss::Pinball { tau: 0.9 },
        RowLoss::Expectile { tau: 0.2 },
        RowLoss::Expectile { tau: 0.5 },
        RowLoss::EpsilonInsensitive { epsilon: 0.4 },
        RowLoss::SquaredEpsilonInsensitive { epsilon: 0.4 },
        RowLoss::SquaredEpsilonInsensitive { epsilon: 0.0 },
    ];
    const MARGINS: [RowLoss; 7] = [
        RowLoss::Logistic,
        RowLoss::Hinge,
        RowLoss::SquaredHinge,
        RowLoss::ModifiedHuber,
        RowLoss::Exponential,
        RowLoss::Perceptron,
        RowLoss::Linear,
    ];

    fn all() -> Vec<(RowLoss, Vec<f64>)> {
        let numbers = NUMBERS.into_iter().map(|l| (l, vec![-2.25, 0.0, 1.7]));
        numbers.chain(MARGINS.into_iter().map(|l| (l, vec![-1.0, 1.0]))).collect()
    }

    /// Scores off every kink.
    fn scores() -> impl Iterator<Item = f64> {
        (-40..=40).map(|k| 0.137 + f64::from(k) * 0.211)
    }

    #[test]
    fn gradients_and_curvatures_are_those_of_finite_differences() {
        let h = 1e-5;
        for (loss, targets) in all() {
            for &y in &targets {
                for z in scores() {
                    let value = |z: f64| loss.value(y, z);
                    let g = (value(z + h) - value(z - h)) / (2.0 * h);
                    let scale = 1.0 + g.abs();
                    assert!((loss.gradient(y, z) - g).abs() < 1e-7 * scale, "{loss:?} {y} {z}: {g}");
                    let c = (loss.gradient(y, z + h) - loss.gradient(y, z - h)) / (2.0 * h);
                    assert!((loss.curvature(y, z) - c).abs() < 1e-6 * (1.0 + c.abs()), "{loss:?} {y} {z}: {c}");
                }
            }
        }
    }

    #[test]
    fn conjugates_bound_and_touch() {
        for (loss, targets) in all() {
            for &y in &targets {
                for z in scores() {
                    // Fenchel and Young: equality where u is the gradient.
                    let u = loss.gradient(y, z);
                    let (value, conjugate) = (loss.value(y, z), loss.conjugate(y, u).unwrap());
                    assert!((value + conjugate - u * z).abs() < 1e-12 * (1.0 + value + (u * z).abs()), "{loss:?} {y} {z}");
                    for u in [-3.0, -1.0, -0.7, -0.1, 0.0, 0.2, 0.9, 2.5] {
                        let conjugate = loss.conjugate(y, u).unwrap();
                        assert!(value + conjugate >= u * z - 1e-12 * (1.0 + value + (u * z).abs()), "{loss:?} {y} {z} {u}");
                    }
                }
            }
        }
        assert_eq!(RowLoss::ZeroOne.conjugate(1.0, 0.0), None);
    }

    #[test]
    fn surrogates_lie_above_the_error() {
        for z in scores() {
            for y in [-1.0, 1.0] {
                let error = RowLoss::ZeroOne.value(y, z);
                assert!(RowLoss::Logistic.value(y, z) / std::f64::consts::LN_2 >= error);
                for loss in [RowLoss::Hinge, RowLoss::SquaredHinge, RowLoss::ModifiedHuber, RowLoss::Exponential] {
                    assert!(loss.value(y, z) >= error, "{loss:?}");
                }
            }
        }
        assert_eq!(RowLoss::ZeroOne.value(1.0, 0.0), 1.0);
    }

    #[test]
    fn large_scores_do_not_overflow_where_the_value_is_finite() {
        for (z, y) in [(1e300, -1.0), (-1e300, 1.0)] {
            assert_eq!(RowLoss::Logistic.value(y, z), 1e300);
            assert_eq!(RowLoss::Logistic.gradient(y, z), -y);
            assert_eq!(RowLoss::Huber { delta: 1.0 }.value(0.0, z), 1e300);
        }
    }
}
