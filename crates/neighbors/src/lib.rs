//! Learners that predict from the nearest training rows.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
// What only training uses is left to the linker in a build without it.
#![cfg_attr(not(feature = "fit"), allow(dead_code, unused_imports, unused_macros))]

mod knn;
mod model;

#[cfg(test)]
mod tests;

pub use ermine_math::neighbors::{KnnAlgorithm, MetricName};
pub use knn::{Knn, NeighborWeights};
pub use model::KnnModel;

/// The learners of this crate, in the order of the catalogue.
#[cfg(feature = "fit")]
pub static LEARNERS: &[ermine_core::MakeLearner] = &[|| Box::new(Knn::default())];

/// What loads their models, in the same order.
pub const MODELS: &[(&str, ermine_core::LoadModel)] = ermine_core::saved_models![
    "knn" => KnnModel::load,
];
