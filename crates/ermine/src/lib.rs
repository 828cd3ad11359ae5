//! Ermine, the empirical risk minimisation engine: the catalogue, pipelines and the prelude.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub use ermine_core as core;
pub use ermine_data as data;
pub use ermine_learn as learn;
pub use ermine_math as math;
