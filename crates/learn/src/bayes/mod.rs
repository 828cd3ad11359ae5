//! Bayes classifiers.

mod bernoulli;
mod categorical;
mod categorical_model;
mod discrete;
mod discriminant;
mod gaussian;
mod multinomial;
mod posterior;

pub use bernoulli::{BernoulliNb, BernoulliNbModel};
pub use categorical::{CategoricalNb, MinCategories};
pub use categorical_model::CategoricalNbModel;
pub use discrete::Smoothing;
pub use discriminant::{CovarianceDivisor, Lda, LdaModel, LdaSolver, Qda, QdaModel, QdaSolver, Shrinkage};
pub use gaussian::{GaussianNb, GaussianNbModel};
pub use multinomial::{MultinomialNb, MultinomialNbModel};
