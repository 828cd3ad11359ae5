//! Linear models.

mod coefficients;
mod expectile;
mod huber;
mod inference;
mod lasso;
mod least_squares;
mod line;
mod logistic;
mod ols;
mod passes;
mod quantile;
mod ridge;
mod sgd;

pub use expectile::{Expectile, ExpectileModel};
pub use huber::{Huber, HuberModel};
pub use inference::{Inference, Summary};
pub use logistic::{Balanced, ClassWeight, Logistic, LogisticModel, Penalty, Separation, Solver, StandardErrors, Start};
pub use lasso::{Change, ElasticNet, Goal, Lasso, LassoModel, Path, Selection, Strength, Validation};
pub use ols::{Ols, OlsModel};
pub use quantile::{Quantile, QuantileModel};
pub use ridge::{Alpha, Ridge, RidgeModel};
pub use sgd::{Average, Preset, Rate, Sgd, SgdModel, SgdPenalty, Surrogate};
