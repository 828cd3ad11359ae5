//! Selection: splits, cross-validation, learning and validation curves.

mod curve;
mod split;
mod validate;
mod workers;

pub use curve::{LearningCurve, Scores, ValidationCurve, learning_curve, validation_curve};
pub use split::{Folds, Rounds, group_k_fold, hold_out, k_fold, stratified_k_fold};
pub use validate::{FoldScore, cross_validate, validate_once};
