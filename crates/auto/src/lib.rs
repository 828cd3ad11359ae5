//! Hyper-parameter search: spaces, search methods, comparisons of learners.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod comparison;
mod grid;
mod propose;
mod search;
mod space;

pub use comparison::{Comparison, Contestant, ContestantScores};
pub use grid::{BestOfGrid, GridSearch};
pub use search::{Budget, NestedCvRound, ParameterSearch, SearchMethod, SearchResult, Trial, TrialEnd, identity, nested};
pub use space::{SearchAxis, SearchSpace};
