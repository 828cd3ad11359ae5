//! From probabilities to decisions: costs, abstention, thresholds under a bound, calibration, active learning,
//! self-training.

mod active;
mod calibrate;
mod cost;
mod self_training;
mod threshold;

pub use active::{ActiveCurve, ActiveLearning, UncertaintyMeasure, random_order, simulate};
pub use calibrate::{Calibration, Calibrator, ProbabilityMap};
pub use cost::{CostMatrix, Decisions};
pub use self_training::{SelfTrained, SelfTraining};
pub use threshold::{ThresholdBound, threshold_for_fnr, threshold_for_fpr};
