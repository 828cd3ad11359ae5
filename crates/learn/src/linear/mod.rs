//! Linear models.

mod coefficients;
mod inference;
mod least_squares;
mod ols;
mod ridge;

pub use inference::{Inference, Summary};
pub use ols::{Ols, OlsModel};
pub use ridge::{Alpha, Ridge, RidgeModel};
