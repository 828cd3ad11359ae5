//! Clustering.

mod kmeans;

pub use kmeans::{ElbowRow, KMeans, KMeansAlgorithm, KMeansModel, elbow};
