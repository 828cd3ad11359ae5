//! Integration tests, one binary for the crate.

mod agents;
mod bandits;
mod deep;
mod dynamic_programming;
mod environments;
mod off_policy;
mod parity;
mod tabular;
