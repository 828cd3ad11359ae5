//! Link functions between a mean and a score.

use serde::{Deserialize, Serialize};

use super::sigmoid;
use crate::distribution::Normal;

/// The function g with g(mean) = score.
///
/// | link | g(mu) | mean of a score z | range of the mean |
/// |---|---|---|---|
/// | `Identity` | mu | z | all |
/// | `Log` | log mu | eᶻ | above 0 |
/// | `Logit` | log(mu / (1 - mu)) | 1 / (1 + e⁻ᶻ) | between 0 and 1 |
/// | `Inverse` | 1 / mu | 1 / z | not 0 |
/// | `Probit` | Φ⁻¹(mu) | Φ(z) | between 0 and 1 |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Link {
    /// mu.
    Identity,
    /// log mu.
    Log,
    /// log(mu / (1 - mu)).
    Logit,
    /// 1 / mu.
    Inverse,
    /// The normal quantile of mu.
    Probit,
}

impl Link {
    /// The score of a mean.
    pub fn link(self, mu: f64) -> f64 {
        match self {
            Self::Identity => mu,
            Self::Log => mu.ln(),
            Self::Logit => (mu / (1.0 - mu)).ln(),
            Self::Inverse => 1.0 / mu,
            Self::Probit => Normal.quantile(mu),
        }
    }

    /// The mean of a score.
    pub fn mean(self, z: f64) -> f64 {
        match self {
            Self::Identity => z,
            Self::Log => z.exp(),
            Self::Logit => sigmoid(z),
            Self::Inverse => 1.0 / z,
            Self::Probit => Normal.cdf(z),
        }
    }

    /// The derivative of the mean by the score.
    pub fn slope(self, z: f64) -> f64 {
        match self {
            Self::Identity => 1.0,
            Self::Log => z.exp(),
            Self::Logit => sigmoid(z) * sigmoid(-z),
            Self::Inverse => -1.0 / (z * z),
            Self::Probit => Normal.pdf(z),
        }
    }

    /// The name in parameters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Log => "log",
            Self::Logit => "logit",
            Self::Inverse => "inverse",
            Self::Probit => "probit",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Link; 5] = [Link::Identity, Link::Log, Link::Logit, Link::Inverse, Link::Probit];

    #[test]
    fn the_slope_is_that_of_finite_differences() {
        let h = 1e-6;
        for link in ALL {
            for k in 0..40 {
                let z = -3.9 + 0.2 * f64::from(k);
                let slope = (link.mean(z + h) - link.mean(z - h)) / (2.0 * h);
                assert!((link.slope(z) - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{link:?} {z}: {slope}");
            }
        }
    }

    #[test]
    fn the_link_undoes_the_mean() {
        for link in ALL {
            for z in [-2.5, -0.3, 0.4, 1.0, 3.0] {
                assert!((link.link(link.mean(z)) - z).abs() < 1e-12, "{link:?} {z}");
            }
        }
    }
}
