//! Integration tests, one binary for the crate.

mod boosting;
mod forests;
