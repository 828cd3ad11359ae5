//! Learning from experience, one value a state and action: Monte Carlo, temporal differences and their kin.
//!
//! What follows a termination is worth nothing; what follows a truncation is worth what the table says of it.

mod control;
mod curve;
mod explore;
mod predict;

pub use control::{Budget, Method, TabularAgent, Training};
pub use curve::{LearningCurve, learning_curve};
pub use explore::{Exploration, Rate, Schedule};
pub use predict::{Prediction, PredictionMethod, predict};
