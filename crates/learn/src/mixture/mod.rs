//! Mixtures, fitted by [expectation-maximisation](crate::em): of Gaussians, of Gaussians within classes, of experts.

mod classifier;
mod experts;
mod gmm;

pub use classifier::{GmmClassifier, GmmClassifierModel};
pub use experts::{ExpertKind, ExpertsParams, MixtureOfExperts, MixtureOfExpertsModel};
pub use gmm::{
    ComponentCriterion, CovarianceRegularization, CovarianceType, Covariances, EmAlgorithm, GaussianMixture, Gmm, GmmCandidate,
    GmmInitMethod, GmmModel,
};
