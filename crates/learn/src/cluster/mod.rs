//! Clustering.

mod agglomerative;
mod dbscan;
mod kmeans;

pub use agglomerative::{Agglomerative, AgglomerativeModel, Distance, Linkage};
pub use dbscan::{Dbscan, DbscanModel, connect_neighbours};
pub use kmeans::{ClusterCount, ClusterCountRule, KMeans, KMeansAlgorithm, KMeansModel, MiniBatchKMeans, MiniBatchKMeansModel, ClusterCountScore};
pub(crate) use kmeans::{KMeansPartial, KMeansState, HashSample, mix};
