//! Learning from experience, one value a state and action: Monte Carlo, temporal differences and their kin.
//!
//! What follows a termination is worth nothing; what follows a truncation is worth what the table says of it.

mod control;
mod curve;
mod explore;
mod predict;

pub use control::{ControlMethod, TabularAgent, TabularTraining, TrainingBudget};
pub use curve::{LearningCurve, learning_curve};
pub use explore::{DecaySchedule, Exploration, StepSize};
pub use predict::{PredictionMethod, ValueEstimate, predict};
