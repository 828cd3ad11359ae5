//! Learners composed of other learners: the catalogue, pipelines, ensembles, problems, fitted models on disk.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod baseline;
mod catalogue;
pub mod ensemble;
mod fitted;
mod original_units;
mod pipeline;
mod problem;

pub use catalogue::{BY_REQUEST, LEARNERS, catalogue, learner};
pub use fitted::Fitted;
pub use pipeline::{Pipeline, PipelineModel, PipelineStep, prepared};
pub use problem::{Problem, UnseenCategories};
