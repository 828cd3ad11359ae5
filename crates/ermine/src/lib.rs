//! Ermine, the empirical risk minimisation engine: the catalogue of learners, pipelines, trained models on disk, and the
//! prelude.
//!
//! ```
//! use ermine::prelude::*;
//!
//! let table = Table::new([
//!     ("mass", Column::numbers(vec![3.7, 4.1, f64::NAN, 5.4])),
//!     ("species", Column::categories(&[Some("adelie"), Some("adelie"), Some("gentoo"), Some("gentoo")])),
//! ])?;
//! let problem = Problem::from_table(table, &Roles::with_target("species"))?;
//! let learner = prepared(ermine::learner("baseline")?);
//! let fitted = Fitted::train(learner, &problem, &Context::default())?;
//! let proba = fitted.model.as_classifier().expect("species are classes").proba(&Features::Table(problem.x.view()))?;
//! assert_eq!(proba.row(0), [0.5, 0.5]);
//! # Ok::<(), ermine::Error>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod catalogue;
pub mod chart;
mod diagnostics;
pub mod document;
pub mod ensemble;
mod fitted;
pub mod format;
mod original_units;
pub mod page;
mod pipeline;
mod problem;
pub mod report;
pub mod summary;

pub use catalogue::{BY_REQUEST, LEARNERS, catalogue, learner};
pub use ermine_agent as agent;
pub use ermine_core as core;
pub use ermine_core::{Error, Result};
pub use ermine_data as data;
pub use ermine_data::Roles;
pub use ermine_learn as learn;
pub use ermine_math as math;
pub use ermine_math::optimize::study as optimise;
pub use ermine_math::prior;
pub use ermine_neural as neural;
pub use fitted::Fitted;
pub use pipeline::{Pipeline, PipelineModel, PipelineStep, prepared};
pub use problem::Problem;

/// The examples of the README, tested as they stand.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// What most programs need: the traits, the data types, the learners.
pub mod prelude {
    pub use crate::{Fitted, Pipeline, Problem, Roles, prepared};
    pub use ermine_core::{
        AnyLearner, Classifier, Clusterer, Column, Context, Csr, CsrRef, Dataset, Density, Features, Learner, Mat, MatRef, Model,
        OwnedDataset, OwnedFeatures, OwnedTarget, Regressor, Schema, Table, Target, Transformer,
    };
}
