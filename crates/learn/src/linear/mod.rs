//! Linear models.

mod additive_models;
mod coefficients;
mod expectile;
mod glm;
mod huber;
mod inference;
mod lasso;
mod least_squares;
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
pub use linear_svm::{LinearSvm, LinearSvmModel, LinearSvmPenalty, LinearSvmSolver, MultiClass, SvmLoss};
pub use logistic::{
    BalancedWord, ClassWeight, Logistic, LogisticModel, LogisticSolver, LogisticStart, PenaltyKind, Separation, StandardErrors,
};
pub use novikoff::Novikoff;
pub use ols::{Ols, OlsModel};
pub use perceptron::{Perceptron, PerceptronModel};
pub use quantile::{Quantile, QuantileModel};
pub use ridge::{Ridge, RidgeAlpha, RidgeCv, RidgeModel};
pub use sgd::{AveragingChoice, LearningRate, Sgd, SgdLoss, SgdModel, SgdPenalty, SgdPreset};
pub use stepwise::{Stepwise, StepwiseCriterion, StepwiseModel, StepwiseStep};
