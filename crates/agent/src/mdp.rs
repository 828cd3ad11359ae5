//! Finite decision processes: the process as data, and dynamic programming on it.

mod linear;
mod policy;
mod recurrence;
mod solve;
mod transitions;

pub use policy::{PolicyEvaluation, PolicyTable, action_value, evaluate, evaluate_exactly, evaluate_steps};
pub use solve::{MdpSolution, ValueIteration, backward_induction, greedy, policy_iteration};
pub use transitions::{Transition, Transitions};

use ermine_core::{Error, Result};

/// An error for a discount outside [0, 1].
pub(crate) fn check_gamma(gamma: f64) -> Result<()> {
    match (0.0..=1.0).contains(&gamma) {
        true => Ok(()),
        false => Err(Error::Data(format!("gamma {gamma} is invalid; a discount must be in [0, 1]"))),
    }
}
