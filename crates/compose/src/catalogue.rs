//! The catalogue: one explicit list of all learners.

use std::sync::LazyLock;

use ermine_core::{AnyLearner, Error, MakeLearner, Result};

use crate::Pipeline;
use crate::baseline::Baseline;
#[cfg(feature = "tree")]
use crate::ensemble::{AdaBoost, Bagging};
#[cfg(feature = "linear")]
use crate::ensemble::{OneVsOne, OneVsRest};
use crate::ensemble::{Stacking, Voting};

/// The slices of the families that were compiled in, in the order of the catalogue. They are named, not copied: so a family
/// compiles its learners, and this crate does not compile them again.
static FAMILIES: &[&&[MakeLearner]] = &[
    &FIRST,
    #[cfg(feature = "linear")]
    &ermine_linear::LEARNERS,
    #[cfg(feature = "kernel")]
    &ermine_kernel::LEARNERS,
    #[cfg(feature = "bayes")]
    &ermine_bayes::LEARNERS,
    #[cfg(feature = "neighbors")]
    &ermine_neighbors::LEARNERS,
    #[cfg(feature = "tree")]
    &ermine_tree::LEARNERS,
    #[cfg(feature = "tree")]
    &AFTER_TREES,
    #[cfg(feature = "mixture")]
    &ermine_mixture::LEARNERS,
    #[cfg(feature = "neural")]
    &ermine_neural::LEARNERS,
    #[cfg(feature = "cluster")]
    &ermine_cluster::LEARNERS,
    &ermine_prep::LEARNERS,
    #[cfg(feature = "tree")]
    &BAGGING,
    &ENSEMBLES,
    #[cfg(feature = "linear")]
    &BINARY_PROBLEMS,
    &PIPELINE,
];

static FIRST: &[MakeLearner] = &[|| Box::new(Baseline::default())];
#[cfg(feature = "tree")]
static AFTER_TREES: &[MakeLearner] = &[|| Box::new(AdaBoost::default())];
#[cfg(feature = "tree")]
static BAGGING: &[MakeLearner] = &[|| Box::new(Bagging::default())];
static ENSEMBLES: &[MakeLearner] = &[|| Box::new(Voting::default()), || Box::new(Stacking::default())];
#[cfg(feature = "linear")]
static BINARY_PROBLEMS: &[MakeLearner] = &[|| Box::new(OneVsRest::default()), || Box::new(OneVsOne::default())];
static PIPELINE: &[MakeLearner] = &[|| Box::new(Pipeline::default())];

/// Every learner that was compiled in, family by family. A new learner is one line in the slice of its family.
pub static LEARNERS: LazyLock<Vec<MakeLearner>> =
    LazyLock::new(|| FAMILIES.iter().flat_map(|family| family.iter().copied()).collect());

/// Learners that a comparison tries only when they are named, because by default they repeat another (a Gaussian glm
/// and an expectile at one half are least squares), answer another question (a quantile), only approximate what others
/// solve exactly (stochastic gradients, the perceptron, stepwise selection), or need columns of a special meaning
/// (counts, bits, codes, the pixels of an image).
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
