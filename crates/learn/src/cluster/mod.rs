//! Clustering.

mod kmeans;

pub(crate) use kmeans::mix;
pub use kmeans::{Clusters, ClustersRule, KMeans, KMeansAlgorithm, KMeansModel, MiniBatchKMeans, MiniBatchKMeansModel, Tried};
