//! The learners of Ermine: families are folders, a learner is a file.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod baseline;
pub mod bayes;
pub mod boosting;
pub mod cluster;
pub mod decide;
pub mod decomposition;
pub mod em;
pub mod explain;
pub mod features;
pub mod kernel;
pub mod linear;
pub mod metrics;
pub mod mixture;
pub mod model_selection;
pub mod neighbors;
pub mod outlier;
pub mod preprocessing;
pub mod stump_boosting;
pub mod svm;
pub mod tree;
