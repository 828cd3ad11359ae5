//! Clustering.

mod agglomerative;
mod dbscan;
mod kmeans;

pub use agglomerative::{Agglomerative, AgglomerativeModel, Distance, Linkage};
pub use dbscan::{Dbscan, DbscanModel, connect_neighbours};
pub use kmeans::{
    ClusterCount, ClusterCountRule, ClusterCountScore, KMeans, KMeansAlgorithm, KMeansModel, MiniBatchKMeans,
    MiniBatchKMeansModel,
};
pub(crate) use kmeans::{HashSample, KMeansPartial, KMeansState, mix};
