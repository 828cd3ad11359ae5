//! Integration tests, one binary for the crate.

mod api;
mod checkpoint;
mod common_checks;
mod ensembles;
mod examples;
mod feature_maps;
mod shared_preparation;
