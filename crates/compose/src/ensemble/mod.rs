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

#[cfg(all(feature = "tree", feature = "fit"))]
pub use adaboost::AdaBoost;
#[cfg(feature = "tree")]
pub use adaboost::AdaBoostModel;
#[cfg(all(feature = "tree", feature = "fit"))]
pub use bagging::Bagging;
#[cfg(feature = "tree")]
pub use bagging::{BaggingModel, CountOrShare};
#[cfg(feature = "linear")]
pub use binary_reduction::BinaryReductionModel;
#[cfg(all(feature = "linear", feature = "fit"))]
pub use binary_reduction::{OneVsOne, OneVsRest};
#[cfg(feature = "linear")]
pub(crate) use binary_reduction::{load_one_vs_one, load_one_vs_rest};
#[cfg(feature = "fit")]
pub use member::{Member, Members};
#[cfg(feature = "fit")]
pub use stacking::Stacking;
pub use stacking::StackingModel;
pub use voting::VotingModel;
#[cfg(feature = "fit")]
pub use voting::{TrainedMember, Voting};
