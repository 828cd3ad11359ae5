//! Reinforcement learning: native environments as Python objects, Python's environments for native agents, and training.

mod agent;
mod environment;
mod python_env;
mod train;
mod vector;

use ermine::core::Error;
use pyo3::prelude::*;

use crate::error::{EstimatorName, raise};

pub use agent::NativeAgent;
pub use environment::NativeEnvironment;
pub use train::{rl_train, rl_train_box, rl_train_discrete};
pub use vector::NativeVector;

fn refuse(error: Error) -> PyErr {
    raise(error, EstimatorName::NOBODY)
}
