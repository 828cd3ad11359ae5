//! Integration tests, one binary for the crate.

mod checkpoint;
mod common_checks;
mod ensembles;
mod feature_maps;
mod shared_preparation;
