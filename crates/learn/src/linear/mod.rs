//! Linear models.

mod coefficients;
mod expectile;
mod huber;
mod glm;
mod inference;
mod lasso;
mod least_squares;
mod line;
mod logistic;
mod novikoff;
mod ols;
mod passes;
mod quantile;
mod perceptron;
mod ridge;
mod sgd;
mod stepwise;

pub use expectile::{Expectile, ExpectileModel};
pub use huber::{Huber, HuberModel};
pub use glm::{Glm, GlmFamily, GlmLink, GlmModel, GlmSolver, GlmSummary};
pub use inference::{Inference, Summary};
pub use logistic::{Balanced, ClassWeight, Logistic, LogisticModel, Penalty, Separation, Solver, StandardErrors, Start};
pub use lasso::{Change, ElasticNet, Goal, Lasso, LassoModel, Path, Selection, Strength, Validation};
pub use ols::{Ols, OlsModel};
pub use quantile::{Quantile, QuantileModel};
pub use logistic::{Balanced, ClassWeight, Logistic, LogisticModel, Penalty, Solver, StandardErrors};
pub use novikoff::Novikoff;
pub use ols::{Ols, OlsModel};
pub use perceptron::{Perceptron, PerceptronModel};
pub use ridge::{Alpha, Ridge, RidgeModel};
pub use sgd::{Average, Preset, Rate, Sgd, SgdModel, SgdPenalty, Surrogate};
pub use stepwise::{Criterion, Stepwise, StepwiseModel, StepwiseStep};
pub use least_squares::{Path as RidgePath, ResidualCheck};
pub use logistic::{Balanced, ClassWeight, Logistic, LogisticModel, Penalty, Solver, StandardErrors};
pub use ols::{Ols, OlsModel};
pub use ridge::{Alpha, Choose, Ridge, RidgeModel};
