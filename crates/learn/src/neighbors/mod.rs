//! Learners that keep the training rows and ask the nearest of them.

pub(crate) mod file;
mod knn;
mod model;

#[cfg(test)]
mod tests;

pub use knn::{Knn, KnnAlgorithm, MetricName, NeighborWeights};
pub use model::KnnModel;
