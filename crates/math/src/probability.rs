//! Probability tools: the usual distributions, and information measures.
//!
//! Laws of numbers are [`Distribution`]s: density, both tails, quantiles, moments, entropy, and draws from a [`ermine_core::RngStream`], which are frozen like all our random
//! numbers. Tails are computed as such ([`crate::distribution`]), so that small probabilities keep their digits. Information is in nats: [`entropy`],
//! [`cross_entropy`], [`divergence`].

#[cfg(feature = "linalg")]
pub mod bayes;
mod distributions;
mod information;

pub use distributions::{
    Bernoulli, Beta, Binomial, Categorical, Cauchy, Distribution, Exponential, Gamma, Gaussian, Geometric, Laplace, LogNormal,
    NegativeBinomial, Poisson, Uniform, Weibull,
};
pub use information::{
    conditional_entropy, cross_entropy, divergence, entropy, gaussian_divergence, jensen_shannon, mutual_information,
};
