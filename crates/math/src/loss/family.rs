//! Families of generalized linear models: how the variance follows the mean.

use serde::{Deserialize, Serialize};

use super::Link;
use crate::distribution::{ln_gamma, relative_entropy};

/// A distribution of the target around its mean mu, up to a dispersion: variance = dispersion · V(mu).
///
/// | family | V(mu) | unit deviance d(y, mu) | targets |
/// |---|---|---|---|
/// | `Gaussian` | 1 | (y - mu)² | all |
/// | `Binomial` | mu (1 - mu) | 2 (y log(y / mu) + (1 - y) log((1 - y) / (1 - mu))) | 0 to 1 |
/// | `Poisson` | mu | 2 (y log(y / mu) - y + mu) | 0 up |
/// | `Gamma` | mu² | 2 (log(mu / y) + y / mu - 1) | above 0 |
/// | `InverseGaussian` | mu³ | (y - mu)² / (y mu²) | above 0 |
/// | `Tweedie { power: p }` | muᵖ | 2 (y₊²⁻ᵖ / ((1 - p)(2 - p)) - y mu¹⁻ᵖ / (1 - p) + mu²⁻ᵖ / (2 - p)) | p < 1: all; 1 to 2: 0 up; 2 up: above 0 |
///
/// The Tweedie family has Gaussian, Poisson, Gamma and inverse Gaussian at the powers 0, 1, 2 and 3, and none between 0
/// and 1. In all of them the derivative of d by mu is 2 (mu - y) / V(mu).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Constant variance.
    Gaussian,
    /// Shares of successes; Bernoulli for targets 0 and 1.
    Binomial,
    /// Counts.
    Poisson,
    /// Positive amounts with a constant coefficient of variation.
    Gamma,
    /// Positive amounts with a heavy tail.
    InverseGaussian,
    /// Variance muᵖ; amounts with zeros for powers between 1 and 2.
    Tweedie {
        /// The power p.
        power: f64,
    },
}

impl Family {
    /// The power of the mean that the variance follows; none for the binomial.
    pub fn power(self) -> Option<f64> {
        match self {
            Self::Gaussian => Some(0.0),
            Self::Binomial => None,
            Self::Poisson => Some(1.0),
            Self::Gamma => Some(2.0),
            Self::InverseGaussian => Some(3.0),
            Self::Tweedie { power } => Some(power),
        }
    }

    /// The variance of a mean, for a dispersion of 1.
    pub fn variance(self, mu: f64) -> f64 {
        match self.power() {
            None => mu * (1.0 - mu),
            Some(p) => power(mu, p),
        }
    }

    /// The unit deviance: 0 where the mean is the target, and growing away from it. Infinite for means outside the range.
    pub fn deviance(self, y: f64, mu: f64) -> f64 {
        if !self.is_valid_mean(mu) {
            return f64::INFINITY;
        }
        match self.power() {
            None => 2.0 * (relative_entropy(y, mu) + relative_entropy(1.0 - y, 1.0 - mu)),
            Some(0.0) => (y - mu) * (y - mu),
            Some(1.0) => 2.0 * relative_entropy(y, mu),
            Some(2.0) => 2.0 * relative_entropy(1.0, y / mu),
            Some(3.0) => ((y - mu) / mu).powi(2) / y,
            // y²⁻ᵖ in front of a function of the ratio alone, which keeps its digits where the mean is near the target.
            Some(p) if y > 0.0 => {
                let log = ((mu - y) / y).ln_1p();
                let part = |q: f64| (q * log).exp_m1() / q;
                2.0 * power(y, 2.0 - p) * (part(2.0 - p) - part(1.0 - p)).max(0.0)
            }
            Some(_) => 2.0 * self.loss(y, mu).max(0.0),
        }
    }

    /// Half the unit deviance without the terms that only the target decides: what a fit minimizes.
    ///
    /// Gaussian (y - mu)² / 2; binomial -y log mu - (1 - y) log(1 - mu); Poisson mu - y log mu; Gamma log mu + y / mu;
    /// otherwise mu²⁻ᵖ / (2 - p) - y mu¹⁻ᵖ / (1 - p).
    pub fn loss(self, y: f64, mu: f64) -> f64 {
        if !self.is_valid_mean(mu) {
            return f64::INFINITY;
        }
        match self.power() {
            None => -(if y > 0.0 { y * mu.ln() } else { 0.0 }) - if y < 1.0 { (1.0 - y) * (-mu).ln_1p() } else { 0.0 },
            Some(0.0) => 0.5 * (y - mu) * (y - mu),
            Some(1.0) => mu - if y > 0.0 { y * mu.ln() } else { 0.0 },
            Some(2.0) => mu.ln() + y / mu,
            Some(p) => power(mu, 2.0 - p) / (2.0 - p) - y * power(mu, 1.0 - p) / (1.0 - p),
        }
    }

    /// [`Family::loss`] of the best mean there is, the target itself: the deviance is twice the difference to it.
    pub fn saturated(self, y: f64) -> f64 {
        match self.power() {
            None => -log_times(y) - log_times(1.0 - y),
            Some(0.0) => 0.0,
            Some(1.0) => y - log_times(y),
            Some(2.0) => y.ln() + 1.0,
            Some(p) if y > 0.0 => power(y, 2.0 - p) / (2.0 - p) - power(y, 2.0 - p) / (1.0 - p),
            Some(_) => 0.0,
        }
    }

    /// The derivative of [`Family::loss`] by the mean: (mu - y) / V(mu).
    pub fn slope(self, y: f64, mu: f64) -> f64 {
        (mu - y) / self.variance(mu)
    }

    /// The log-likelihood of the saturated model, for families whose dispersion is 1: less half the deviance
    /// it is that of any mean. Shares are taken as they are, without a binomial coefficient.
    pub fn saturated_log_likelihood(self, y: f64) -> Option<f64> {
        match self {
            Self::Binomial => Some(log_times(y) + log_times(1.0 - y)),
            Self::Poisson => Some(log_times(y) - y - ln_gamma(y + 1.0)),
            _ => None,
        }
    }

    /// Whether the dispersion is 1 by the meaning of the target.
    pub fn has_known_dispersion(self) -> bool {
        matches!(self, Self::Binomial | Self::Poisson)
    }

    /// Whether a target is possible.
    pub fn is_in_support(self, y: f64) -> bool {
        match self.power() {
            None => (0.0..=1.0).contains(&y),
            Some(p) if p < 1.0 => y.is_finite(),
            Some(p) if p < 2.0 => y >= 0.0 && y.is_finite(),
            Some(_) => y > 0.0 && y.is_finite(),
        }
    }

    /// The possible targets in words.
    pub fn range(self) -> &'static str {
        match self.power() {
            None => "numbers from 0 to 1",
            Some(p) if p < 1.0 => "finite numbers",
            Some(p) if p < 2.0 => "numbers from 0 up",
            Some(_) => "numbers above 0",
        }
    }

    /// Whether a mean is possible.
    pub fn is_valid_mean(self, mu: f64) -> bool {
        match self.power() {
            None => mu > 0.0 && mu < 1.0,
            Some(0.0) => mu.is_finite(),
            Some(_) => mu > 0.0 && mu.is_finite(),
        }
    }

    /// The usual link: logit for the binomial, identity where means may be negative, else the logarithm, which keeps means
    /// positive (for Gamma and inverse Gaussian the canonical ones do not).
    pub fn default_link(self) -> Link {
        match self.power() {
            None => Link::Logit,
            Some(p) if p <= 0.0 => Link::Identity,
            Some(_) => Link::Log,
        }
    }

    /// Whether the loss is convex in the score whatever the target: the observed second derivative is never negative then.
    /// That is so for the canonical links, for the logarithm with powers from 1 to 2, and for the probit.
    pub fn is_convex(self, link: Link) -> bool {
        match (self.power(), link) {
            (None, Link::Logit | Link::Probit) | (Some(0.0), Link::Identity) | (Some(2.0), Link::Inverse) => true,
            (Some(p), Link::Log) => (1.0..=2.0).contains(&p),
            _ => false,
        }
    }

    /// Whether a link is canonical: observed and expected second derivatives are the same then, and so are the sums of
    /// targets and means, weighted with any column, at the maximum of the likelihood.
    pub fn is_canonical(self, link: Link) -> bool {
        matches!(
            (self.power(), link),
            (None, Link::Logit) | (Some(0.0), Link::Identity) | (Some(1.0), Link::Log) | (Some(2.0), Link::Inverse)
        )
    }

    /// The name in parameters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gaussian => "gaussian",
            Self::Binomial => "binomial",
            Self::Poisson => "poisson",
            Self::Gamma => "gamma",
            Self::InverseGaussian => "inverse-gaussian",
            Self::Tweedie { .. } => "tweedie",
        }
    }
}

/// muᵖ, exactly where a product does it.
fn power(mu: f64, p: f64) -> f64 {
    if p.fract() == 0.0 && p.abs() <= 8.0 { mu.powi(p as i32) } else { mu.powf(p) }
}

/// t log t, 0 at 0.
fn log_times(t: f64) -> f64 {
    if t > 0.0 { t * t.ln() } else { 0.0 }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub const ALL: [Family; 9] = [
        Family::Gaussian,
        Family::Binomial,
        Family::Poisson,
        Family::Gamma,
        Family::InverseGaussian,
        Family::Tweedie { power: 1.5 },
        Family::Tweedie { power: 1.9 },
        Family::Tweedie { power: 2.7 },
        Family::Tweedie { power: -0.5 },
    ];

    pub fn targets(family: Family) -> Vec<f64> {
        [-1.5, 0.0, 0.25, 1.0, 3.0].into_iter().filter(|&y| family.is_in_support(y)).collect()
    }

    pub fn means(family: Family) -> Vec<f64> {
        [-2.0, 0.1, 0.6, 0.93, 2.5, 17.0].into_iter().filter(|&m| family.is_valid_mean(m)).collect()
    }

    #[test]
    fn slopes_are_those_of_finite_differences() {
        for family in ALL {
            for y in targets(family) {
                for mu in means(family) {
                    let h = 1e-5 * mu.abs();
                    let slope = (family.loss(y, mu + h) - family.loss(y, mu - h)) / (2.0 * h);
                    assert!((family.slope(y, mu) - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{family:?} {y} {mu}: {slope}");
                    let half = (family.deviance(y, mu + h) - family.deviance(y, mu - h)) / (4.0 * h);
                    assert!((half - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{family:?} {y} {mu}: {half} {slope}");
                }
            }
        }
    }

    #[test]
    fn the_deviance_is_twice_the_loss_above_the_best() {
        for family in ALL {
            for y in targets(family) {
                for mu in means(family) {
                    let twice = 2.0 * (family.loss(y, mu) - family.saturated(y));
                    let d = family.deviance(y, mu);
                    assert!(
                        (d - twice).abs() < 1e-12 * (1.0 + d + family.saturated(y).abs()),
                        "{family:?} {y} {mu}: {d} {twice}"
                    );
                    assert!(d >= 0.0);
                }
                if family.is_valid_mean(y) {
                    assert!(family.deviance(y, y) < 1e-13, "{family:?} {y}");
                }
            }
            assert_eq!(family.deviance(0.5, f64::NAN), f64::INFINITY);
        }
    }

    #[test]
    fn a_tweedie_of_a_whole_power_is_the_family_of_that_power() {
        let pairs = [(0.0, Family::Gaussian), (1.0, Family::Poisson), (2.0, Family::Gamma), (3.0, Family::InverseGaussian)];
        for (p, family) in pairs {
            for y in targets(family) {
                for mu in means(family) {
                    assert_eq!(Family::Tweedie { power: p }.deviance(y, mu), family.deviance(y, mu));
                }
            }
            // And the powers beside it come near.
            let (y, mu) = (1.3, 0.8);
            let near = Family::Tweedie { power: p + 1e-7 }.deviance(y, mu);
            assert!((near - family.deviance(y, mu)).abs() < 1e-5, "{p}");
        }
    }
}
