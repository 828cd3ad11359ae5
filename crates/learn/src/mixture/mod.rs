//! Mixtures, fitted by [expectation-maximisation](crate::em): of Gaussians, of Gaussians within classes, of experts.

mod classifier;
mod experts;
mod gmm;

pub use classifier::{GmmClassifier, GmmClassifierModel};
pub use experts::{Experts, MixtureOfExperts, MixtureOfExpertsModel, Say};
pub use gmm::{Algorithm, Choice, Choose, CovarianceType, Covariances, Gmm, GmmModel, Init, Mixture, Regularise};
