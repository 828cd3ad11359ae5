//! Model-agnostic explanations: which columns matter, predictions as a function of a column, what each column adds to
//! each prediction.
//!
//! All of it works on any model, because it only predicts. Columns are the original ones: a category is permuted as a
//! whole, not level by level.

mod column;
mod dependence;
mod importance;
mod predictions;
mod shap;

pub use dependence::{Dependence, GridValues, PartialDependence};
pub use importance::{Importance, Importances, ModelOnData, PermutationImportance};
pub use predictions::ModelOutput;
pub use shap::{Attributions, attributions, can_attribute};

#[cfg(test)]
mod tests;
