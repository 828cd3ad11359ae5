//! Ermine, the empirical risk minimization engine: the catalogue of learners, pipelines, trained models on disk, and the
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

#[cfg(feature = "agent")]
pub use ermine_agent as agent;
pub use ermine_compose::ensemble;
pub use ermine_compose::{
    BY_REQUEST, Bound, Catalogue, Fitted, LEARNERS, Pipeline, PipelineModel, PipelineStep, Problem, UnseenCategories, catalogue,
    learner, prepared,
};
pub use ermine_core as core;
pub use ermine_core::{Error, Result, Roles};
#[cfg(feature = "data")]
pub use ermine_data as data;
#[cfg(feature = "derive")]
pub use ermine_derive::{Category, Learner, Row};
pub use ermine_math as math;
pub use ermine_math::optimize::study as optimize;
pub use ermine_math::prior;
#[cfg(feature = "neural")]
pub use ermine_neural as neural;
#[cfg(feature = "report")]
pub use ermine_report::{chart, diagnostics, document, format, report, summary};

/// The best model that a time or a number of fits can buy.
///
/// ```
/// use ermine::auto::{AutoMl, portfolio};
/// use ermine::prelude::*;
///
/// let x: Vec<f64> = (0..240).map(|i| f64::from(i % 40)).collect();
/// let y: Vec<f64> = x.iter().map(|v| (v / 6.0).sin()).collect();
/// let table = Table::new([("x", Column::numbers(x)), ("y", Column::numbers(y))])?;
/// let problem = Problem::from_table(table, &Roles::with_target("y"))?;
/// let task = problem.y.view().task().expect("y is a target");
/// let search = AutoMl { fits: Some(20), ..AutoMl::new("r2", portfolio(task)?) };
/// let found = search.run(&problem.dataset(), &Context::default())?;
/// assert!(found.entries[0].standing.scores("r2").mean > 0.9);
/// # Ok::<(), ermine::Error>(())
/// ```
#[cfg(feature = "auto")]
pub mod auto {
    pub use ermine_auto::automl::WrapLearner;
    pub use ermine_auto::{AutoEntry, AutoMl, AutoOutcome, AutoProgress, Candidate, portfolio};
}

/// The learners by family, with what evaluates and searches them. A family is there with its feature.
pub mod learn {
    #[cfg(feature = "bayes")]
    pub use ermine_bayes as bayes;
    #[cfg(feature = "cluster")]
    pub use ermine_cluster as cluster;
    pub use ermine_compose::baseline;
    pub use ermine_eval::{decide, explain, metrics, outlier};
    #[cfg(feature = "kernel")]
    pub use ermine_kernel::{kernel, kernel_pca, svm};
    #[cfg(feature = "linear")]
    pub use ermine_linear as linear;
    #[cfg(feature = "mixture")]
    pub use ermine_mixture::{self as mixture, em};
    #[cfg(feature = "neighbors")]
    pub use ermine_neighbors as neighbors;
    pub use ermine_prep::{decomposition, features, preprocessing};
    #[cfg(feature = "tree")]
    pub use ermine_tree::{boosting, stump_boosting, tree};

    /// Splits, cross-validation, searches, comparisons, curves.
    pub mod model_selection {
        #[cfg(feature = "auto")]
        pub use ermine_auto::*;
        pub use ermine_eval::model_selection::*;
    }
}

#[cfg(all(doctest, feature = "full"))]
mod pages;

/// The usual imports: the traits, the data types, every learner.
pub mod prelude {
    pub use crate::{Bound, Catalogue, Fitted, Pipeline, Problem, Roles, prepared};
    pub use ermine_core::{
        AnyLearner, Classifier, Clusterer, Column, Context, Csr, CsrRef, DatasetRef, Density, Features, Learner, Mat, MatRef,
        Model, OwnedDataset, OwnedFeatures, OwnedTarget, Regressor, Row, RowClassifier, RowRegressor, Schema, Table, Target,
        Transformer,
    };
    #[cfg(feature = "derive")]
    pub use ermine_derive::{Category, Learner, Row};

    #[cfg(feature = "bayes")]
    pub use ermine_bayes::{BernoulliNb, CategoricalNb, GaussianNb, Lda, MultinomialNb, Qda};
    #[cfg(feature = "cluster")]
    pub use ermine_cluster::{Agglomerative, Dbscan, KMeans, MiniBatchKMeans};
    pub use ermine_compose::baseline::Baseline;
    #[cfg(feature = "tree")]
    pub use ermine_compose::ensemble::{AdaBoost, Bagging};
    #[cfg(feature = "linear")]
    pub use ermine_compose::ensemble::{OneVsOne, OneVsRest};
    pub use ermine_compose::ensemble::{Stacking, Voting};
    #[cfg(feature = "kernel")]
    pub use ermine_kernel::{
        kernel::{KernelRidge, Nystroem, RandomFourier},
        kernel_pca::KernelPca,
        svm::Svm,
    };
    #[cfg(feature = "linear")]
    pub use ermine_linear::{
        ElasticNet, Expectile, Glm, Huber, Lasso, LinearSvm, Logistic, Ols, Perceptron, Quantile, Ridge, Sgd, Stepwise,
    };
    #[cfg(feature = "mixture")]
    pub use ermine_mixture::{Gmm, GmmClassifier, MixtureOfExperts};
    #[cfg(feature = "neighbors")]
    pub use ermine_neighbors::Knn;
    #[cfg(feature = "neural")]
    pub use ermine_neural::{Autoencoder, ConvNet, Gan, Mlp};
    pub use ermine_prep::decomposition::{IncrementalPca, Pca};
    pub use ermine_prep::features::{Fourier, Polynomial, Radial, Spline, Uncorrelate};
    pub use ermine_prep::preprocessing::{Impute, MinMax, OneHot, Ordinal, Prepare, StandardScaler};
    #[cfg(feature = "tree")]
    pub use ermine_tree::boosting::Boosting;
    #[cfg(feature = "tree")]
    pub use ermine_tree::tree::{C45, Tree, forest::RandomForest, gradient_boosting::GradientBoosting};
}
