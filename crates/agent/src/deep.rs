//! Agents with networks: values of actions (DQN and double DQN), and policies (REINFORCE, actor–critic).
//!
//! What follows a termination is worth nothing; what follows a truncation is worth what the network says of it. Training is in single
//! precision and on one thread, since the networks are small; seeds go side by side.

mod actor_critic;
mod dqn;
mod reinforce;
mod replay_buffer;
mod training;

pub use actor_critic::ActorCritic;
pub use dqn::Dqn;
pub use reinforce::Reinforce;
pub use training::{DeepTraining, NetworkWeights, ObservationScaling, PeriodicEval};
