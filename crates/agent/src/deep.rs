//! Agents with networks: values of actions (DQN and double DQN), and policies (REINFORCE, actor–critic).
//!
//! The value after a termination is 0; after a truncation it is the network's estimate. Training is in f32 and on one
//! thread, since the networks are small; seeds run in parallel.

mod actor_critic;
mod dqn;
mod reinforce;
mod replay_buffer;
mod training;

pub use actor_critic::ActorCritic;
pub use dqn::Dqn;
pub use reinforce::Reinforce;
pub use training::{DeepTraining, NetworkWeights, ObservationScaling, PeriodicEval};
