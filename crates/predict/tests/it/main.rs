//! The predictor against model files that were committed with their predictions, and its own promises about what it is built of.

mod files;
mod tree_of_dependencies;
