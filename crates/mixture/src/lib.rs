//! Mixtures, fitted by [expectation-maximization](crate::em): of Gaussians, of Gaussians within classes, of experts.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
// What only training uses is left to the linker in a build without it.
#![cfg_attr(not(feature = "fit"), allow(dead_code, unused_imports, unused_macros))]

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
#[cfg(feature = "fit")]
pub static LEARNERS: &[ermine_core::MakeLearner] =
    &[|| Box::new(Gmm::default()), || Box::new(GmmClassifier::default()), || Box::new(MixtureOfExperts::default())];

/// What loads their models, in the same order.
pub const MODELS: &[(&str, ermine_core::LoadModel)] = ermine_core::saved_models![
    "gmm" => GmmModel::load,
    "gmm-classifier" => GmmClassifierModel::load,
    "mixture-of-experts" => MixtureOfExpertsModel::load,
];
