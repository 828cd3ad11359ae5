//! Agents by name: training over seeds, trained agents in files, evaluation.

mod catalog;
mod play;
mod train;
mod trained;

pub use catalog::{AGENTS, AgentKind, AnyAgent, EvalSchedule, agent_entry, named, tuned};
pub use play::{Episode, ReturnStats, evaluate, play};
pub use train::{train, train_network, train_seeds, train_table};
pub use trained::{LearnedState, TrainedAgent, TrainedOn};
