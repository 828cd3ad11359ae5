//! Bayes classifiers.

mod gaussian;

pub use gaussian::{GaussianNb, GaussianNbModel};
