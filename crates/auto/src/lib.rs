//! Hyper-parameter search: spaces, search methods, comparisons of learners.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod automl;
mod comparison;
mod propose;
mod search;
mod space;

pub use automl::{AutoEntry, AutoMl, AutoOutcome, AutoProgress, Candidate, portfolio};
pub use comparison::{Comparison, Contestant, ContestantScores};
pub use search::{Budget, NestedCvRound, ParameterSearch, SearchMethod, SearchResult, Trial, TrialEnd, identity, nested};
pub use space::{SearchAxis, SearchSpace};
