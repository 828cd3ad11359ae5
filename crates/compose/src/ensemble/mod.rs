//! Learners made of learners: AdaBoost, bagging, voting, stacking.
//!
//! They live here because any learner of the catalogue may be a member. Members are held as [`crate::Stage`]s, so they are
//! written down, set (`base.max_depth`) and saved like the steps of a pipeline.

mod adaboost;
mod bagging;
mod binary_reduction;
mod columns;
mod member;
mod stacking;
mod voting;

pub use adaboost::{AdaBoost, AdaBoostModel};
pub use bagging::{Bagging, BaggingModel, CountOrShare};
pub use binary_reduction::{BinaryReductionModel, OneVsOne, OneVsRest};
pub use member::{Member, Members};
pub use stacking::{Stacking, StackingModel};
pub use voting::{Voting, VotingModel};
