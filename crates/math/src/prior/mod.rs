//! Priors, as penalties and as conjugate updates.
//!
//! The maximum a posteriori (MAP) estimate minimizes -log likelihood - log prior; leave the prior out and it is maximum
//! likelihood (MLE). A prior on coefficients is therefore a penalty, and the strength of the penalty says how the spread of the
//! prior compares with the noise. For least squares with noise of variance σ² and a Gaussian prior of variance β²,
//!
//! ```text
//! -log posterior = 1/(2σ²) Σ (yᵢ - xᵢ·b)² + 1/(2β²) |b|² + constant,   so   λ = σ²/β².
//! ```
//!
//! Learners write their objectives with different factors; the methods here translate to each convention and back.
//!
//! | learner | objective | [`GaussianPrior`] of variance β² | [`LaplacePrior`] of scale s |
//! |---|---|---|---|
//! | ridge | Σ r² + alpha \|b\|² | alpha = σ²/β² | |
//! | lasso | 1/(2n) Σ r² + alpha \|b\|₁ | | alpha = σ²/(n s) |
//! | elastic net | 1/(2n) Σ r² + alpha (ρ \|b\|₁ + (1 - ρ)/2 \|b\|²) | alpha (1 - ρ) = σ²/(n β²) | alpha ρ = σ²/(n s) |
//! | logistic | C Σ loss + ½ \|b\|², or C Σ loss + \|b\|₁ | C = β² | C = s |
//! | glm | 1/(2 Σw) Σ w d + alpha/2 \|b\|² | alpha = φ/(β² Σw) | |
//!
//! with r the residuals, n the rows, w their weights, d the unit deviances and φ the dispersion. A variance or scale of infinity
//! is no prior: a penalty of 0, maximum likelihood.
//!
//! [`Beta`], [`Dirichlet`] and [`Wishart`] are conjugate: the posterior of a proportion, of proportions and of a
//! precision matrix is of the same form as the prior, and an update adds counts.

mod conjugate;
mod penalty;

pub use conjugate::{Beta, Dirichlet, Wishart};
pub use penalty::{ElasticPrior, GaussianPrior, LaplacePrior};
