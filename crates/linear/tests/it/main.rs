//! Integration tests, one binary for the crate.

mod glm;
mod lasso;
mod least_squares;
mod online;
mod prior;
mod ridge_path;
mod robust;
