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

pub use ermine_agent as agent;
pub use ermine_compose::ensemble;
pub use ermine_compose::{
    BY_REQUEST, Fitted, LEARNERS, Pipeline, PipelineModel, PipelineStep, Problem, catalogue, learner, prepared,
};
pub use ermine_core as core;
pub use ermine_core::{Error, Result};
pub use ermine_data as data;
pub use ermine_data::Roles;
pub use ermine_math as math;
pub use ermine_math::optimize::study as optimise;
pub use ermine_math::prior;
pub use ermine_neural as neural;
pub use ermine_report::{chart, diagnostics, document, format, page, report, summary};

/// The learners by family, with what evaluates and searches them.
pub mod learn {
    pub use ermine_bayes as bayes;
    pub use ermine_cluster as cluster;
    pub use ermine_compose::baseline;
    pub use ermine_eval::{decide, explain, metrics, outlier};
    pub use ermine_kernel::{kernel, kernel_pca, svm};
    pub use ermine_linear as linear;
    pub use ermine_mixture as mixture;
    pub use ermine_mixture::em;
    pub use ermine_neighbors as neighbors;
    pub use ermine_prep::{decomposition, features, preprocessing};
    pub use ermine_tree::{boosting, stump_boosting, tree};

    /// Splits, cross-validation, searches, comparisons, curves.
    pub mod model_selection {
        pub use ermine_auto::*;
        pub use ermine_eval::model_selection::*;
    }
}

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
