//! Cross-validation, learning and validation curves, bias and variance.

mod curve;
mod cv_cache;
mod decompose;
mod scores;
mod validate;
mod workers;

pub use curve::{FoldScores, LearningCurve, ValidationCurve, even_order, learning_curve, validation_curve};
pub use cv_cache::CvCache;
pub use decompose::{BiasVariance, TrainingDraw, bias_variance};
pub use ermine_core::splits::{CvSplits, FoldIds, group_k_fold, hold_out, k_fold, stratified_k_fold};
pub use scores::{CvScores, cross_validate, default_metric};
pub use validate::{FoldScore, cross_validate_each, cross_validate_with, validate_once};
pub use workers::parallel_map;
