//! The number of power iterations, as a parameter of learners.

use serde::{Deserialize, Serialize};

/// Power iterations of an approximation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PowerIterations {
    /// A fixed number.
    Count(u32),
    /// The default of the learner.
    Auto(AutoWord),
}

/// The word "auto".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AutoWord {
    /// The learner decides.
    Auto,
}
