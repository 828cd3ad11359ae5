//! The parts of AdaBoost that need no other learner: stumps on columns that are sorted once for all rounds, weights as exact
//! whole numbers of steps, and the votes of an ensemble.
//!
//! The learner itself, which boosts any learner of the catalogue, is in the crate that has the catalogue.

#[cfg(feature = "fit")]
mod scan;
#[cfg(feature = "fit")]
mod steps;
mod stumps;
#[cfg(test)]
mod tests;
mod votes;

#[cfg(feature = "fit")]
pub use scan::StumpCriterion;
#[cfg(feature = "fit")]
pub use steps::IntegerWeights;
pub use stumps::{FittedStump, Stump, StumpColumns, StumpList};
pub use votes::{VoteSums, correct_all};
