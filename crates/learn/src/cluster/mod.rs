//! Clustering.

mod kmeans;

pub use kmeans::{ElbowRow, KMeans, KMeansAlgorithm, KMeansModel, elbow};
pub(crate) use kmeans::{KMeansPart, KMeansState, Sample, mix};
