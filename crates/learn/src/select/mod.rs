//! Selection: splits and cross-validation.

mod split;
mod validate;

pub use split::{Folds, hold_out, k_fold, stratified_k_fold};
pub use validate::{FoldScore, cross_validate};
