//! Clustering.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
// What only training uses is left to the linker in a build without it.
#![cfg_attr(not(feature = "fit"), allow(dead_code, unused_imports, unused_macros))]

mod agglomerative;
mod dbscan;
mod kmeans;

pub use agglomerative::{Agglomerative, AgglomerativeModel, Distance, Linkage};
pub use dbscan::{Dbscan, DbscanModel, connect_neighbors};
pub use kmeans::{
    ClusterCount, ClusterCountRule, ClusterCountScore, HashSample, KMeans, KMeansAlgorithm, KMeansModel, MiniBatchKMeans,
    MiniBatchKMeansModel,
};
#[cfg(feature = "fit")]
pub use kmeans::{KMeansPartial, KMeansState};

/// The learners of this crate, in the order of the catalogue.
#[cfg(feature = "fit")]
pub static LEARNERS: &[ermine_core::MakeLearner] = &[
    || Box::new(KMeans::default()),
    || Box::new(MiniBatchKMeans::default()),
    || Box::new(Dbscan::default()),
    || Box::new(Agglomerative::default()),
];

/// What loads their models, in the same order.
pub const MODELS: &[(&str, ermine_core::LoadModel)] = ermine_core::saved_models![
    "kmeans" => KMeansModel::load,
    "mini-batch-kmeans" => MiniBatchKMeansModel::load,
    "dbscan" => DbscanModel::load,
    "agglomerative" => AgglomerativeModel::load,
];
