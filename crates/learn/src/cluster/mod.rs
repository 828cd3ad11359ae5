//! Clustering.

mod agglomerative;
mod dbscan;
mod kmeans;

pub use agglomerative::{Agglomerative, AgglomerativeModel, Distance, Linkage};
pub use dbscan::{Dbscan, DbscanModel, connect_neighbours};
pub use kmeans::{ElbowRow, KMeans, KMeansAlgorithm, KMeansModel, elbow};
pub(crate) use kmeans::{KMeansPart, KMeansState, Sample, mix};
