//! Integration tests, one binary for the crate.

mod isotonic;
mod nist;
