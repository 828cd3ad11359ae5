//! Integration tests, one binary for the crate.

mod mixtures;
