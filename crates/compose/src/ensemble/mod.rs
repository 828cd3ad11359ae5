//! Learners composed of other learners: AdaBoost, bagging, voting, stacking.
//!
//! They are in this crate because any learner of the catalogue may be a member. Members are held as
//! [`crate::PipelineStep`]s, so they are serialized, set (`base.max_depth`) and saved like the steps of a pipeline.
//! A learner whose default member belongs to a family is there with the feature of that family: AdaBoost and bagging with
//! `tree`, one against the rest and one against one with `linear`.

#[cfg(feature = "tree")]
mod adaboost;
#[cfg(feature = "tree")]
mod bagging;
#[cfg(feature = "linear")]
mod binary_reduction;
#[cfg(feature = "tree")]
mod columns;
mod member;
mod stacking;
mod voting;

#[cfg(feature = "tree")]
pub use adaboost::{AdaBoost, AdaBoostModel};
#[cfg(feature = "tree")]
pub use bagging::{Bagging, BaggingModel, CountOrShare};
#[cfg(feature = "linear")]
pub use binary_reduction::{BinaryReductionModel, OneVsOne, OneVsRest};
pub use member::{Member, Members};
pub use stacking::{Stacking, StackingModel};
pub use voting::{Voting, VotingModel};
