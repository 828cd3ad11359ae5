//! The catalogue: one explicit list of all learners.

use ermine_core::{AnyLearner, Error, MakeLearner, Result};

use crate::Pipeline;
use crate::baseline::Baseline;
#[cfg(feature = "tree")]
use crate::ensemble::{AdaBoost, Bagging};
#[cfg(feature = "linear")]
use crate::ensemble::{OneVsOne, OneVsRest};
use crate::ensemble::{Stacking, Voting};

/// The slices of the families that were compiled in, in the order of the catalogue.
const FAMILIES: &[&[MakeLearner]] = &[
    &[|| Box::new(Baseline::default())],
    #[cfg(feature = "linear")]
    ermine_linear::LEARNERS,
    #[cfg(feature = "kernel")]
    ermine_kernel::LEARNERS,
    #[cfg(feature = "bayes")]
    ermine_bayes::LEARNERS,
    #[cfg(feature = "neighbors")]
    ermine_neighbors::LEARNERS,
    #[cfg(feature = "tree")]
    ermine_tree::LEARNERS,
    #[cfg(feature = "tree")]
    &[|| Box::new(AdaBoost::default())],
    #[cfg(feature = "mixture")]
    ermine_mixture::LEARNERS,
    #[cfg(feature = "neural")]
    ermine_neural::LEARNERS,
    #[cfg(feature = "cluster")]
    ermine_cluster::LEARNERS,
    ermine_prep::LEARNERS,
    #[cfg(feature = "tree")]
    &[|| Box::new(Bagging::default())],
    &[|| Box::new(Voting::default()), || Box::new(Stacking::default())],
    #[cfg(feature = "linear")]
    &[|| Box::new(OneVsRest::default()), || Box::new(OneVsOne::default())],
    &[|| Box::new(Pipeline::default())],
];

const COUNT: usize = {
    let (mut count, mut family) = (0, 0);
    while family < FAMILIES.len() {
        count += FAMILIES[family].len();
        family += 1;
    }
    count
};

static ALL: [MakeLearner; COUNT] = {
    let mut all: [MakeLearner; COUNT] = [FAMILIES[0][0]; COUNT];
    let (mut next, mut family) = (0, 0);
    while family < FAMILIES.len() {
        let mut k = 0;
        while k < FAMILIES[family].len() {
            all[next] = FAMILIES[family][k];
            next += 1;
            k += 1;
        }
        family += 1;
    }
    all
};

/// Every learner that was compiled in, family by family. A new learner is one line in the slice of its family.
pub static LEARNERS: &[MakeLearner] = &ALL;

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
