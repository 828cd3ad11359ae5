//! Tests against a walk by the published nodes, one row at a time.

mod engine;
mod shapley;
