//! Ermine, the empirical risk minimization engine: machine learning for tables of numbers and categories.
//!
//! A learner is a struct of its parameters. [`fit`](prelude::Learner::fit) takes rows and returns a model, which is asked in
//! one word: [`predict`](prelude::Predict::predict), `classify`, `proba`, `transform`, `assign`. Rows may be arrays, vectors,
//! views of `ndarray`, `faer` or `nalgebra`, tables with categories and missing cells; a [`Dataset`](prelude::Dataset) has rows
//! and their target.
//!
//! ```
//! use ermine::prelude::*;
//!
//! # fn main() -> ermine::Result<()> {
//! let x: Vec<[f64; 2]> = (0..200).map(|i| [f64::from(i % 20), f64::from(i / 20)]).collect();
//! let y: Vec<&str> = x.iter().map(|p| if p[0] + 2.0 * p[1] > 18.0 { "above" } else { "below" }).collect();
//!
//! // Rows and their target, in two parts; classes keep their shares.
//! let data = Dataset::try_from((&x, &y))?;
//! let (train, test) = data.split(0.25, 42)?;
//!
//! // A learner is a struct of parameters; fitting returns a model of another type.
//! let model = RandomForest { n_estimators: 50, ..Default::default() }.fit(&train)?;
//! let predicted = model.classify(&test)?;
//! println!("{}", metrics::confusion_matrix(&test.labels()?, &predicted));
//! assert!(metrics::accuracy(&test.labels()?, &predicted) > 0.85);
//! assert_eq!(model.classify(&[[19.0, 9.0], [0.0, 0.0]])?, ["above", "below"]);
//!
//! // How well it does on rows it has not seen.
//! let scores = cross_validate(&Logistic::default(), &data, 5)?;
//! assert!(scores.mean > 0.95, "{scores}");
//!
//! // Preparation and learner as one learner, saved with all it needs.
//! let pipeline = Pipeline::new().then(StandardScaler::default()).then(Polynomial::degree(2)).then(Logistic::default());
//! let fitted = Fitted::fit(&pipeline, &train)?;
//! let again = Fitted::from_bytes(fitted.to_bytes()?)?;
//! assert_eq!(again.classify(&test)?, fitted.classify(&test)?);
//! # Ok(())
//! # }
//! ```
//!
//! Families of learners are features of the crate, as are `data` (files), `auto` (searches), `report` and `agent`; `full` has
//! all of them.
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
pub use ermine_core::{Error, Model, Result, Roles};
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

/// Metrics of predictions.
///
/// The functions here take labels and numbers as they are: `metrics::accuracy(&truth, &predicted)`. Those in
/// [`weighted`](metrics::weighted) have the same names and take codes of classes, several targets and sample weights.
pub mod metrics {
    pub use ermine_eval::metrics as weighted;
    pub use ermine_eval::metrics::plain::*;
    pub use ermine_eval::metrics::{
        Average, CalibrationCurve, Confusion, Direction, METRICS, PrecisionRecallCurve, RocCurve, Thresholds, direction, evaluate,
    };
}

#[cfg(feature = "bayes")]
pub use ermine_bayes as bayes;
#[cfg(feature = "cluster")]
pub use ermine_cluster as cluster;
pub use ermine_eval::{decide, explain};
#[cfg(feature = "kernel")]
pub use ermine_kernel as kernel;
#[cfg(feature = "linear")]
pub use ermine_linear as linear;
#[cfg(feature = "mixture")]
pub use ermine_mixture as mixture;
#[cfg(feature = "neighbors")]
pub use ermine_neighbors as neighbors;
pub use ermine_prep::{decomposition, features, preprocessing};
#[cfg(feature = "tree")]
pub use ermine_tree as tree;
pub use learn::model_selection;

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
    pub use crate::{Bound, Catalogue, Fitted, Pipeline, Problem, Roles, metrics, prepared};
    #[cfg(feature = "auto")]
    pub use ermine_auto::GridSearch;
    pub use ermine_core::predict::Predict;
    pub use ermine_core::{
        AnyLearner, AsDataset, AsFeatures, AsLabels, AsTarget, CancelToken, Column, Context, Csr, CsrRef, Dataset, DatasetRef,
        Features, Label, Labels, Learner, Mat, MatRef, OwnedDataset, OwnedFeatures, OwnedTarget, Row, RowClassifier,
        RowRegressor, Schema, Table, Target,
    };
    #[cfg(feature = "derive")]
    pub use ermine_derive::{Category, Learner, Row};
    pub use ermine_eval::model_selection::cross_validate;

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
