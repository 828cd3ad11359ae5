//! Names of search algorithms and metrics, as parameters of learners.

use serde::{Deserialize, Serialize};

/// Search algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KnnAlgorithm {
    /// The faster one for the data.
    #[default]
    Auto,
    /// Every row against every row.
    Brute,
    /// A k-d tree.
    KdTree,
    /// Another name for the k-d tree: the neighbors are the same.
    BallTree,
}

/// Metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MetricName {
    /// (Σ |x - y|ᵖ)^(1/p).
    #[default]
    Minkowski,
    /// The root of Σ (x - y)².
    Euclidean,
    /// Σ |x - y|.
    Manhattan,
    /// max |x - y|.
    Chebyshev,
    /// 1 - x·y / (|x| |y|).
    Cosine,
}
