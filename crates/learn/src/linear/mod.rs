//! Linear models.

mod coefficients;
mod inference;
mod lasso;
mod least_squares;
mod logistic;
mod ols;
mod passes;
mod ridge;

pub use inference::{Inference, Summary};
pub use logistic::{Balanced, ClassWeight, Logistic, LogisticModel, Penalty, Separation, Solver, StandardErrors, Start};
pub use lasso::{Change, ElasticNet, Goal, Lasso, LassoModel, Path, Selection, Strength, Validation};
pub use logistic::{Balanced, ClassWeight, Logistic, LogisticModel, Penalty, Solver, StandardErrors};
pub use ols::{Ols, OlsModel};
pub use ridge::{Alpha, Ridge, RidgeModel};
