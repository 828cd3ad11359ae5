//! Clustering.

mod agglomerative;
mod dbscan;
mod kmeans;

pub use agglomerative::{Agglomerative, AgglomerativeModel, Distance, Linkage};
pub use dbscan::{Dbscan, DbscanModel, connect_neighbours};
pub use kmeans::{Clusters, ClustersRule, KMeans, KMeansAlgorithm, KMeansModel, MiniBatchKMeans, MiniBatchKMeansModel, Tried};
pub(crate) use kmeans::{KMeansPart, KMeansState, Sample, mix};
