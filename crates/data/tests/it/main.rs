//! Integration tests, one binary for the crate.

mod damaged;
mod dirty;
mod fixtures;
mod formats;
mod hostile;
mod round_trip;
mod streams;
