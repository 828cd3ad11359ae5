//! Linear models.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
// What only training uses is left to the linker in a build without it.
#![cfg_attr(not(feature = "fit"), allow(dead_code, unused_imports, unused_macros))]

mod additive_models;
mod coefficients;
mod expectile;
mod glm;
mod huber;
mod inference;
mod lasso;
mod least_squares;
mod line_model;
#[cfg(feature = "fit")]
mod linear_function;
mod linear_svm;
mod logistic;
mod novikoff;
mod ols;
mod passes;
mod perceptron;
mod quantile;
mod ridge;
mod sgd;
mod stepwise;

pub use expectile::{Expectile, ExpectileModel};
pub use glm::{Glm, GlmFamily, GlmLink, GlmModel, GlmSolver, GlmSummary};
pub use huber::{Huber, HuberModel};
pub use inference::{FitStatistics, Inference};
pub use lasso::{AlphaSpec, ElasticNet, Lasso, LassoModel, LassoPath, PathEvent, PathGoal, Selection, Validation};
pub use least_squares::{ResidualCheck, RidgePath};
pub use line_model::{LineLearner, LineModel};
pub use linear_svm::{LinearSvm, LinearSvmModel, LinearSvmPenalty, LinearSvmSolver, MultiClass, SvmLoss};
pub use logistic::{Logistic, LogisticModel, LogisticSolver, LogisticStart, PenaltyKind, Separation, StandardErrors};
#[cfg(feature = "fit")]
pub use novikoff::Novikoff;
pub use ols::{Ols, OlsModel};
pub use perceptron::{Perceptron, PerceptronModel};
pub use quantile::{Quantile, QuantileModel};
pub use ridge::{Ridge, RidgeAlpha, RidgeCv, RidgeModel};
pub use sgd::{AveragingChoice, LearningRate, Sgd, SgdLoss, SgdModel, SgdPenalty, SgdPreset};
pub use stepwise::{Stepwise, StepwiseCriterion, StepwiseModel, StepwiseStep};

/// The learners of this crate, in the order people see them.
#[cfg(feature = "fit")]
pub static LEARNERS: &[ermine_core::MakeLearner] = &[
    || Box::new(Ols::default()),
    || Box::new(Ridge::default()),
    || Box::new(Lasso::default()),
    || Box::new(ElasticNet::default()),
    || Box::new(Huber::default()),
    || Box::new(Quantile::default()),
    || Box::new(Expectile::default()),
    || Box::new(Glm::default()),
    || Box::new(Logistic::default()),
    || Box::new(Sgd::default()),
    || Box::new(Perceptron::default()),
    || Box::new(Stepwise::default()),
    || Box::new(LinearSvm::default()),
];

/// What loads their models, in the same order.
pub const MODELS: &[(&str, ermine_core::LoadModel)] = ermine_core::saved_models![
    "ols" => OlsModel::load,
    "ridge" => RidgeModel::load,
    "lasso" => |file| LassoModel::load(file, "lasso"),
    "elastic-net" => |file| LassoModel::load(file, "elastic-net"),
    "huber" => HuberModel::load,
    "quantile" => QuantileModel::load,
    "expectile" => ExpectileModel::load,
    "glm" => glm::load,
    "logistic" => logistic::load,
    "sgd" => sgd::load,
    "perceptron" => PerceptronModel::load,
    "stepwise" => stepwise::load,
    "linear-svm" => linear_svm::load,
];
