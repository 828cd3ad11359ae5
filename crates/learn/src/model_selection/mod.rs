//! Selection: splits, cross-validation, search for parameters, learning and validation curves, bias and
//! variance.

mod comparison;
mod curve;
mod cv_cache;
mod decompose;
mod propose;
mod search;
mod space;
mod split;
mod validate;
mod workers;

pub use comparison::{Comparison, Contestant, ContestantScores};
pub use curve::{FoldScores, LearningCurve, ValidationCurve, learning_curve, validation_curve};
pub use decompose::{BiasVariance, TrainingDraw, bias_variance};
pub use search::{Budget, NestedCvRound, ParameterSearch, SearchMethod, SearchResult, Trial, TrialEnd, identity, nested};
pub use space::{SearchAxis, SearchSpace};
pub use split::{CvSplits, FoldIds, group_k_fold, hold_out, k_fold, stratified_k_fold};
pub use validate::{FoldScore, cross_validate, cross_validate_each, validate_once};
