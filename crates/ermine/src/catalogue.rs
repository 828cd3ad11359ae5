//! The catalogue: one explicit list of all learners.

use ermine_core::{AnyLearner, Error, Result};

use ermine_learn::{
    baseline, bayes, boosting, cluster, decomposition, features, kernel, linear, mixture, neighbors, preprocessing, svm, tree,
};

use ermine_neural::{Autoencoder, ConvNet, Gan, Mlp};

use crate::Pipeline;
use crate::ensemble::{AdaBoost, Bagging, OneVsOne, OneVsRest, Stacking, Voting};

/// Every learner, in the order people see them. A new learner is one line here.
pub const LEARNERS: &[fn() -> Box<dyn AnyLearner>] = &[
    || Box::new(baseline::Baseline::default()),
    || Box::new(linear::Ols::default()),
    || Box::new(linear::Ridge::default()),
    || Box::new(linear::Lasso::default()),
    || Box::new(linear::ElasticNet::default()),
    || Box::new(linear::Huber::default()),
    || Box::new(linear::Quantile::default()),
    || Box::new(linear::Expectile::default()),
    || Box::new(linear::Glm::default()),
    || Box::new(linear::Logistic::default()),
    || Box::new(linear::Sgd::default()),
    || Box::new(linear::Perceptron::default()),
    || Box::new(linear::Stepwise::default()),
    || Box::new(svm::Svm::default()),
    || Box::new(linear::LinearSvm::default()),
    || Box::new(kernel::KernelRidge::default()),
    || Box::new(bayes::GaussianNb::default()),
    || Box::new(bayes::MultinomialNb::default()),
    || Box::new(bayes::BernoulliNb::default()),
    || Box::new(bayes::CategoricalNb::default()),
    || Box::new(bayes::Lda::default()),
    || Box::new(bayes::Qda::default()),
    || Box::new(neighbors::Knn::default()),
    || Box::new(tree::Tree::default()),
    || Box::new(tree::forest::Forest::default()),
    || Box::new(tree::gradient_boosting::GradientBoosting::default()),
    || Box::new(tree::C45::default()),
    || Box::new(AdaBoost::default()),
    || Box::new(boosting::Boosting::default()),
    || Box::new(mixture::Gmm::default()),
    || Box::new(mixture::GmmClassifier::default()),
    || Box::new(mixture::MixtureOfExperts::default()),
    || Box::new(Mlp::default()),
    || Box::new(ConvNet::default()),
    || Box::new(Autoencoder::default()),
    || Box::new(Gan::default()),
    || Box::new(decomposition::Pca::default()),
    || Box::new(decomposition::IncrementalPca::default()),
    || Box::new(decomposition::KernelPca::default()),
    || Box::new(cluster::KMeans::default()),
    || Box::new(cluster::MiniBatchKMeans::default()),
    || Box::new(cluster::Dbscan::default()),
    || Box::new(cluster::Agglomerative::default()),
    || Box::new(preprocessing::Standardize::default()),
    || Box::new(preprocessing::MinMax::default()),
    || Box::new(preprocessing::OneHot::default()),
    || Box::new(preprocessing::Ordinal::default()),
    || Box::new(preprocessing::Impute::default()),
    || Box::new(preprocessing::Prepare::default()),
    || Box::new(features::Polynomial::default()),
    || Box::new(features::Spline::default()),
    || Box::new(features::Fourier::default()),
    || Box::new(features::Radial::default()),
    || Box::new(kernel::Nystroem::default()),
    || Box::new(kernel::RandomFourier::default()),
    || Box::new(features::Uncorrelate::default()),
    || Box::new(Bagging::default()),
    || Box::new(Voting::default()),
    || Box::new(Stacking::default()),
    || Box::new(OneVsRest::default()),
    || Box::new(OneVsOne::default()),
    || Box::new(Pipeline::default()),
];

/// Learners that a comparison tries only when they are named, because by default they repeat another (a Gaussian glm and an
/// expectile at one half are least squares), answer another question (a quantile), search in their own way for what others
/// find exactly (stochastic gradients, the perceptron, stepwise selection), or read columns as what most are not (counts, yes and no,
/// codes, the points of an image).
pub const BY_REQUEST: &[&str] = &[
    "glm",
    "quantile",
    "expectile",
    "sgd",
    "perceptron",
    "stepwise",
    "multinomial-nb",
    "bernoulli-nb",
    "categorical-nb",
    "convnet",
];

/// Every learner with its default parameters.
pub fn catalogue() -> impl Iterator<Item = Box<dyn AnyLearner>> {
    LEARNERS.iter().map(|make| make())
}

/// The learner called `name`; an unknown name is answered with the nearest.
pub fn learner(name: &str) -> Result<Box<dyn AnyLearner>> {
    catalogue().find(|l| l.spec().name == name).ok_or_else(|| Error::unknown("model", name, catalogue().map(|l| l.spec().name)))
}
