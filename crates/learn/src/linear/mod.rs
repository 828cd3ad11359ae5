//! Linear models.

mod additive;
mod coefficients;
mod expectile;
mod glm;
mod huber;
mod inference;
mod lasso;
mod least_squares;
mod line;
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
pub use inference::{Inference, FitStatistics};
pub use lasso::{PathEvent, ElasticNet, PathGoal, Lasso, LassoModel, LassoPath, Selection, AlphaSpec, Validation};
pub use least_squares::{RidgePath as RidgePath, ResidualCheck};
pub use linear_svm::{LinearSvm, LinearSvmModel, LinearSvmPenalty, LinearSvmSolver, MultiClass, SvmLoss};
pub use logistic::{BalancedWord, ClassWeight, Logistic, LogisticModel, PenaltyKind, Separation, LogisticSolver, StandardErrors, LogisticStart};
pub use novikoff::Novikoff;
pub use ols::{Ols, OlsModel};
pub use perceptron::{Perceptron, PerceptronModel};
pub use quantile::{Quantile, QuantileModel};
pub use ridge::{RidgeAlpha, RidgeCv, Ridge, RidgeModel};
pub use sgd::{AveragingChoice, SgdPreset, LearningRate, Sgd, SgdModel, SgdPenalty, SgdLoss};
pub use stepwise::{StepwiseCriterion, Stepwise, StepwiseModel, StepwiseStep};
