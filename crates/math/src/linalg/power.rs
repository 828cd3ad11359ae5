//! How many power iterations an approximate decomposition takes, as learners take it for a parameter.

use serde::{Deserialize, Serialize};

/// Power iterations of an approximation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PowerIterations {
    /// So many.
    Count(u32),
    /// As many as are right.
    Auto(AutoWord),
}

/// The word "auto".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AutoWord {
    /// The learner decides.
    Auto,
}
