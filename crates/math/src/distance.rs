//! Distances between rows and centres.
