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
pub use inference::{Inference, Summary};
pub use lasso::{Change, ElasticNet, Goal, Lasso, LassoModel, Path, Selection, Strength, Validation};
pub use least_squares::{Path as RidgePath, ResidualCheck};
pub use linear_svm::{LinearSvm, LinearSvmModel, LinearSvmPenalty, Method, MultiClass, SvmLoss};
pub use logistic::{Balanced, ClassWeight, Logistic, LogisticModel, Penalty, Separation, Solver, StandardErrors, Start};
pub use novikoff::Novikoff;
pub use ols::{Ols, OlsModel};
pub use perceptron::{Perceptron, PerceptronModel};
pub use quantile::{Quantile, QuantileModel};
pub use ridge::{Alpha, Choose, Ridge, RidgeModel};
pub use sgd::{Average, Preset, Rate, Sgd, SgdModel, SgdPenalty, Surrogate};
pub use stepwise::{Criterion, Stepwise, StepwiseModel, StepwiseStep};
