//! Learners composed of other learners: the catalogue, pipelines, ensembles, problems, fitted models on disk.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
// What only training uses is left to the linker in a build without it.
#![cfg_attr(not(feature = "fit"), allow(dead_code, unused_imports, unused_macros))]

pub mod baseline;
#[cfg(feature = "fit")]
mod bound;
#[cfg(feature = "fit")]
mod catalogue;
pub mod ensemble;
#[cfg(feature = "fit")]
mod fitted;
mod models;
mod original_units;
mod pipeline;
mod problem;
#[cfg(not(feature = "fit"))]
mod saved_step;

#[cfg(feature = "fit")]
pub use bound::Bound;
#[cfg(feature = "fit")]
pub use catalogue::{BY_REQUEST, Catalogue, LEARNERS, catalogue, learner};
#[cfg(feature = "fit")]
pub use fitted::Fitted;
pub use models::{check_header, load_model, model_names, open_file};
#[cfg(feature = "fit")]
pub use pipeline::{Pipeline, prepared};
pub use pipeline::{PipelineModel, PipelineStep};
pub use problem::{Problem, UnseenCategories, align};
