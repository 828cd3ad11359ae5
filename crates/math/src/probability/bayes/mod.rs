//! Bayes rule, risk and consistency for laws that are known.
//!
//! A [`ClassLaw`] is a joint law of a row and its class: Gaussian mixtures, boxes, tables. It has the posterior, so the rule that no other
//! beats ([`ClassLaw::bayes_rule`]) and its risk: in closed form where there is one ([`bayes_risk_of_two_gaussians`], [`BoxClasses::bayes_risk`],
//! [`TableLaw::bayes_risk`]), by quadrature with an error bound in one dimension ([`bayes_risk_on_line`]), by simulation elsewhere.
//! [`excess_risk`] is what any rule loses against it. [`RegressionLaw`] is the same for a number: the regression function, and noise.
//!
//! ```
//! use ermine_math::probability::bayes::{GaussianClasses, bayes_risk_of_two_gaussians, bayes_risk_on_line};
//!
//! // Two classes at a distance of two standard deviations: Φ(−1).
//! let law = GaussianClasses::on_line(&[0.5, 0.5], &[-1.0, 1.0], &[1.0, 1.0])?;
//! let risk = bayes_risk_on_line(&law, -12.0, 12.0, 1e-10);
//! assert!((risk.value - bayes_risk_of_two_gaussians(2.0, 0.5)).abs() < 1e-9);
//! # Ok::<(), ermine_core::Error>(())
//! ```

mod class_law;
mod likelihood_ratio;
mod regression;
mod risk;
#[cfg(test)]
mod tests;

pub use class_law::{BoxClasses, ClassLaw, GaussianClasses, GaussianComponent, TableLaw};
pub use likelihood_ratio::LikelihoodRatioTest;
pub use regression::{BiasVarianceTerms, RegressionLaw, RiskTerms, bias_variance_terms, linear_risk_terms};
pub use risk::{
    QuadratureValue, SimulatedMean, bayes_risk_of_two_gaussians, bayes_risk_on_line, consistency_curve, excess_risk, integrate,
    simulated_bayes_risk,
};
