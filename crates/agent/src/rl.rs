//! Agents by name: training over seeds, trained agents in files, play.

mod named;
mod play;
mod train;
mod trained;

pub use named::{AGENTS, AnyAgent, Learner, Watch, agent_entry, named, tuned};
pub use play::{Episode, Evaluation, evaluate, play};
pub use train::{train, train_network, train_seeds, train_table};
pub use trained::{Learned, Place, TrainedAgent};
