//! Selection: splits, cross-validation, search for parameters, learning and validation curves, bias and
//! variance.

mod curve;
mod decompose;
mod propose;
mod race;
mod search;
mod shared;
mod space;
mod split;
mod validate;
mod workers;

pub use curve::{LearningCurve, Scores, ValidationCurve, learning_curve, validation_curve};
pub use decompose::{BiasVariance, Draw, bias_variance};
pub use race::{Entrant, Race, Standing};
pub use search::{Budget, Ended, Found, Method, NestedRound, Search, Trial, bare, nested};
pub use space::{Axis, Space};
pub use split::{Folds, Rounds, group_k_fold, hold_out, k_fold, stratified_k_fold};
pub use validate::{FoldScore, cross_validate, cross_validate_each, validate_once};
