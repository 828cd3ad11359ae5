//! Tabular methods, one value per state and action: Monte Carlo, temporal differences and their relatives.
//!
//! The value after a termination is 0; after a truncation it is that of the table.

mod control;
mod curve;
mod explore;
mod predict;

pub use control::{ControlMethod, TabularAgent, TabularTraining, TrainingBudget};
pub use curve::{LearningCurve, learning_curve};
pub use explore::{DecaySchedule, Exploration, StepSize};
pub use predict::{PredictionMethod, ValueEstimate, predict};
