//! Evaluation: metrics, cross-validation and curves, explanations, decisions.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod decide;
pub mod explain;
pub mod metrics;
pub mod model_selection;
pub mod outlier;
