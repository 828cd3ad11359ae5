//! Priors on coefficients, as penalties.

/// Independent normal priors with mean 0: density ∝ exp(-|b|² / (2 variance)).
///
/// ```
/// use ermine_math::prior::GaussianPrior;
/// // Noise of variance 4 and coefficients believed to be within ±2 or so: ridge with alpha 1.
/// let prior = GaussianPrior { variance: 4.0 };
/// assert_eq!(prior.ridge_alpha(4.0), 1.0);
/// assert_eq!(GaussianPrior::from_ridge(1.0, 4.0), prior);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GaussianPrior {
    /// The variance β² of each coefficient.
    pub variance: f64,
}

impl GaussianPrior {
    /// The `alpha` of ridge for noise of variance σ²: σ²/β².
    pub fn ridge_alpha(self, noise_variance: f64) -> f64 {
        noise_variance / self.variance
    }

    /// The prior behind a ridge: β² = σ²/alpha.
    pub fn from_ridge(alpha: f64, noise_variance: f64) -> Self {
        Self { variance: noise_variance / alpha }
    }

    /// The `C` of logistic or softmax regression with an L2 penalty: β².
    pub fn logistic_c(self) -> f64 {
        self.variance
    }

    /// The prior behind a logistic regression with an L2 penalty.
    pub fn from_logistic(c: f64) -> Self {
        Self { variance: c }
    }

    /// The `alpha` of a generalized linear model with dispersion φ: φ/(β² Σw). The dispersion is 1 for counts and shares, the
    /// variance of the noise for the Gaussian family.
    pub fn glm_alpha(self, dispersion: f64, total_weight: f64) -> f64 {
        dispersion / (self.variance * total_weight)
    }

    /// The prior behind a penalized generalized linear model: β² = φ/(alpha Σw).
    pub fn from_glm(alpha: f64, dispersion: f64, total_weight: f64) -> Self {
        Self { variance: dispersion / (alpha * total_weight) }
    }

    /// The logarithm of the density of coefficients.
    pub fn log_density(self, coef: &[f64]) -> f64 {
        let square: f64 = coef.iter().map(|b| b * b).sum();
        -0.5 * (square / self.variance + coef.len() as f64 * (std::f64::consts::TAU * self.variance).ln())
    }
}

/// Independent Laplace priors with mean 0: density ∝ exp(-|b|₁ / scale). Its MAP estimates have coefficients that are exactly 0.
///
/// ```
/// use ermine_math::prior::LaplacePrior;
/// let prior = LaplacePrior { scale: 0.5 };
/// assert_eq!(prior.lasso_alpha(2.0, 100.0), 0.04);
/// assert_eq!(LaplacePrior::from_lasso(0.04, 2.0, 100.0), prior);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LaplacePrior {
    /// The scale s of each coefficient; its variance is 2 s².
    pub scale: f64,
}

impl LaplacePrior {
    /// The `alpha` of lasso for noise of variance σ² and `rows` rows (the sum of their weights): σ²/(n s).
    pub fn lasso_alpha(self, noise_variance: f64, rows: f64) -> f64 {
        noise_variance / (rows * self.scale)
    }

    /// The prior behind a lasso: s = σ²/(n alpha).
    pub fn from_lasso(alpha: f64, noise_variance: f64, rows: f64) -> Self {
        Self { scale: noise_variance / (rows * alpha) }
    }

    /// The `C` of logistic regression with an L1 penalty: s.
    pub fn logistic_c(self) -> f64 {
        self.scale
    }

    /// The prior behind a logistic regression with an L1 penalty.
    pub fn from_logistic(c: f64) -> Self {
        Self { scale: c }
    }

    /// The logarithm of the density of coefficients.
    pub fn log_density(self, coef: &[f64]) -> f64 {
        let size: f64 = coef.iter().map(|b| b.abs()).sum();
        -size / self.scale - coef.len() as f64 * (2.0 * self.scale).ln()
    }
}

/// A Gaussian and a Laplace prior together: density ∝ exp(-|b|² / (2 variance) - |b|₁ / scale), the elastic net.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElasticPrior {
    /// The Gaussian part.
    pub gaussian: GaussianPrior,
    /// The Laplace part.
    pub laplace: LaplacePrior,
}

impl ElasticPrior {
    /// `alpha` and `l1_ratio` of the elastic net for noise of variance σ² and `rows` rows: alpha is the sum of σ²/(n s) and
    /// σ²/(n β²), `l1_ratio` the share of the first.
    pub fn elastic_net(self, noise_variance: f64, rows: f64) -> (f64, f64) {
        let l1 = self.laplace.lasso_alpha(noise_variance, rows);
        split(l1, self.gaussian.ridge_alpha(noise_variance) / rows)
    }

    /// The prior behind an elastic net.
    pub fn from_elastic_net(alpha: f64, l1_ratio: f64, noise_variance: f64, rows: f64) -> Self {
        Self {
            gaussian: GaussianPrior::from_ridge(alpha * (1.0 - l1_ratio) * rows, noise_variance),
            laplace: LaplacePrior::from_lasso(alpha * l1_ratio, noise_variance, rows),
        }
    }

    /// `C` and `l1_ratio` of logistic regression with an elastic-net penalty, C Σ loss + ρ |b|₁ + (1 - ρ)/2 |b|²: C is
    /// 1/(1/s + 1/β²), ρ is C/s.
    pub fn logistic(self) -> (f64, f64) {
        let (alpha, l1_ratio) = split(1.0 / self.laplace.scale, 1.0 / self.gaussian.variance);
        (1.0 / alpha, l1_ratio)
    }

    /// The prior behind a logistic regression with an elastic-net penalty.
    pub fn from_logistic(c: f64, l1_ratio: f64) -> Self {
        Self { gaussian: GaussianPrior::from_logistic(c / (1.0 - l1_ratio)), laplace: LaplacePrior::from_logistic(c / l1_ratio) }
    }
}

/// The sum of two strengths and the share of the first; no penalty at all is all of the second.
fn split(l1: f64, l2: f64) -> (f64, f64) {
    let alpha = l1 + l2;
    (alpha, if alpha > 0.0 { l1 / alpha } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_translation_leads_back() {
        let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-14 * b.abs(), "{a} {b}");
        for variance in [1e-3, 1.0, 250.0] {
            let g = GaussianPrior { variance };
            near(GaussianPrior::from_ridge(g.ridge_alpha(2.5), 2.5).variance, variance);
            near(GaussianPrior::from_logistic(g.logistic_c()).variance, variance);
            near(GaussianPrior::from_glm(g.glm_alpha(1.5, 80.0), 1.5, 80.0).variance, variance);
            for scale in [0.02, 3.0] {
                let l = LaplacePrior { scale };
                near(LaplacePrior::from_lasso(l.lasso_alpha(0.7, 33.0), 0.7, 33.0).scale, scale);
                near(LaplacePrior::from_logistic(l.logistic_c()).scale, scale);
                let e = ElasticPrior { gaussian: g, laplace: l };
                let (alpha, ratio) = e.elastic_net(0.7, 33.0);
                let back = ElasticPrior::from_elastic_net(alpha, ratio, 0.7, 33.0);
                assert!(
                    (back.gaussian.variance / variance - 1.0).abs() < 1e-9 && (back.laplace.scale / scale - 1.0).abs() < 1e-9
                );
                let (c, ratio) = e.logistic();
                let back = ElasticPrior::from_logistic(c, ratio);
                assert!(
                    (back.gaussian.variance / variance - 1.0).abs() < 1e-9 && (back.laplace.scale / scale - 1.0).abs() < 1e-9
                );
            }
        }
    }

    #[test]
    fn no_prior_is_no_penalty() {
        let flat = GaussianPrior { variance: f64::INFINITY };
        assert_eq!((flat.ridge_alpha(2.0), flat.glm_alpha(1.0, 10.0)), (0.0, 0.0));
        assert_eq!(GaussianPrior::from_ridge(0.0, 2.0), flat);
        let flat = ElasticPrior { gaussian: flat, laplace: LaplacePrior { scale: f64::INFINITY } };
        assert_eq!(flat.elastic_net(1.0, 5.0), (0.0, 0.0));
        let lasso = ElasticPrior { laplace: LaplacePrior { scale: 2.0 }, ..flat };
        assert_eq!(lasso.elastic_net(1.0, 5.0), (0.1, 1.0));
    }

    #[test]
    fn densities_integrate_to_one() {
        let (h, n) = (1e-3, 60_000);
        let sum = |f: &dyn Fn(f64) -> f64| -> f64 { (-n..n).map(|k| f((f64::from(k) + 0.5) * h).exp() * h).sum() };
        let g = GaussianPrior { variance: 1.7 };
        assert!((sum(&|b| g.log_density(&[b])) - 1.0).abs() < 1e-6);
        let l = LaplacePrior { scale: 0.8 };
        assert!((sum(&|b| l.log_density(&[b])) - 1.0).abs() < 1e-6);
        assert!((g.log_density(&[1.0, 2.0]) - g.log_density(&[1.0]) - g.log_density(&[2.0])).abs() < 1e-14);
    }
}
