//! Mixtures, fitted by [expectation-maximization](crate::em): of Gaussians, of Gaussians within classes, of experts.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod em;

mod classifier;
mod experts;
mod gmm;

pub use classifier::{GmmClassifier, GmmClassifierModel};
pub use experts::{ExpertKind, ExpertsParams, MixtureOfExperts, MixtureOfExpertsModel};
pub use gmm::{
    ComponentCriterion, CovarianceRegularization, CovarianceType, Covariances, EmAlgorithm, GaussianMixture, Gmm, GmmCandidate,
    GmmInitMethod, GmmModel,
};

/// The learners of this crate, in the order people see them.
pub const LEARNERS: &[ermine_core::MakeLearner] =
    &[|| Box::new(Gmm::default()), || Box::new(GmmClassifier::default()), || Box::new(MixtureOfExperts::default())];
