//! Clustering.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod agglomerative;
mod dbscan;
mod kmeans;

pub use agglomerative::{Agglomerative, AgglomerativeModel, Distance, Linkage};
pub use dbscan::{Dbscan, DbscanModel, connect_neighbors};
pub use kmeans::{
    ClusterCount, ClusterCountRule, ClusterCountScore, KMeans, KMeansAlgorithm, KMeansModel, MiniBatchKMeans,
    MiniBatchKMeansModel,
};
pub use kmeans::{HashSample, KMeansPartial, KMeansState};

/// The learners of this crate, in the order of the catalogue.
pub const LEARNERS: &[ermine_core::MakeLearner] = &[
    || Box::new(KMeans::default()),
    || Box::new(MiniBatchKMeans::default()),
    || Box::new(Dbscan::default()),
    || Box::new(Agglomerative::default()),
];
