//! Integration tests, one binary for the crate.

mod gradients;
mod learners;
mod reference;
mod training;
