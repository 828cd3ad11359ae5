//! Bandits and reinforcement learning.
//!
//! - [`mod@env`]: environments with the public dynamics (bit for bit Gymnasium's under the same seeds and actions) and
//!   the trait for user-defined ones.
//! - [`mdp`]: finite decision processes as data, and dynamic programming with its certificate.
//! - [`tabular`]: learning from experience, one value per state and action.
//! - [`deep`]: learning from experience with networks.
//! - [`rl`]: agents by name, trained agents in files, evaluation.
//! - [`bandit`]: arms, policies, simulation against the proven bounds, and off-policy evaluation of logged choices.
//! - [`catalog`]: policies, agents and environments by name.
//! - [`numpy_rng`]: numpy's random number generator, for equal results with equal seeds.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod array_state;
pub mod bandit;
pub mod catalog;
pub mod deep;
pub mod env;
pub mod mdp;
pub mod numpy_rng;
pub mod rl;

pub mod tabular;
