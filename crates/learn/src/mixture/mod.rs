//! Mixtures, fitted by [expectation-maximisation](crate::em): of Gaussians, of Gaussians within classes, of experts.

mod classifier;
mod experts;
mod gmm;

pub use classifier::{GmmClassifier, GmmClassifierModel};
pub use experts::{ExpertsParams, MixtureOfExperts, MixtureOfExpertsModel, ExpertKind};
pub use gmm::{EmAlgorithm, GmmCandidate, ComponentCriterion, CovarianceType, Covariances, Gmm, GmmModel, GmmInitMethod, GaussianMixture, CovarianceRegularization};
