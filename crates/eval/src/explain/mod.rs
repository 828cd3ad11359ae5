//! What a fitted model does, asked from outside: which columns matter, how predictions move with a column, what each column
//! adds to each prediction.
//!
//! All of it works on any model, because it only predicts. Columns are those that came in: a category is exchanged as a whole, not
//! level by level.

mod column;
mod dependence;
mod importance;
mod predictions;
mod shap;

pub use dependence::{Dependence, GridValues, PartialDependence};
pub use importance::{Importance, Importances, ModelOnData, PermutationImportance};
pub use predictions::Found;
pub use shap::{Attributions, attributions, can_attribute};

#[cfg(test)]
mod tests;
