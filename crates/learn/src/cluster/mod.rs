//! Clustering.
