//! Bayes classifiers.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
// What only training uses is left to the linker in a build without it.
#![cfg_attr(not(feature = "fit"), allow(dead_code, unused_imports, unused_macros))]

mod bernoulli;
mod categorical;
mod categorical_model;
mod counts;
mod discrete;
mod discriminant;
mod gaussian;
mod multinomial;
mod posterior;
mod priors;

pub use bernoulli::{BernoulliNb, BernoulliNbModel};
pub use categorical::{CategoricalNb, MinCategories};
pub use categorical_model::CategoricalNbModel;
pub use discrete::Smoothing;
pub use discriminant::{CovarianceDivisor, Lda, LdaModel, LdaSolver, Qda, QdaModel, QdaSolver, Shrinkage};
pub use gaussian::{GaussianNb, GaussianNbModel};
pub use multinomial::{MultinomialNb, MultinomialNbModel};

/// The learners of this crate, in the order people see them.
#[cfg(feature = "fit")]
pub static LEARNERS: &[ermine_core::MakeLearner] = &[
    || Box::new(GaussianNb::default()),
    || Box::new(MultinomialNb::default()),
    || Box::new(BernoulliNb::default()),
    || Box::new(CategoricalNb::default()),
    || Box::new(Lda::default()),
    || Box::new(Qda::default()),
];

/// What loads their models, in the same order.
pub const MODELS: &[(&str, ermine_core::LoadModel)] = ermine_core::saved_models![
    "gaussian-nb" => GaussianNbModel::load,
    "multinomial-nb" => MultinomialNbModel::load,
    "bernoulli-nb" => BernoulliNbModel::load,
    "categorical-nb" => CategoricalNbModel::load,
    "lda" => LdaModel::load,
    "qda" => QdaModel::load,
];
