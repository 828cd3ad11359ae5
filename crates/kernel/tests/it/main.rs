//! Integration tests, one binary for the crate.

mod kernel_machines;
