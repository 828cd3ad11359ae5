//! Learners that predict from the nearest training rows.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod knn;
mod model;

#[cfg(test)]
mod tests;

pub use ermine_math::neighbors::{KnnAlgorithm, MetricName};
pub use knn::{Knn, NeighborWeights};
pub use model::KnnModel;

/// The learners of this crate, in the order of the catalogue.
pub const LEARNERS: &[ermine_core::MakeLearner] = &[|| Box::new(Knn::default())];
