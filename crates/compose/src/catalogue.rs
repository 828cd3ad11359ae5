//! The catalogue: one explicit list of all learners, and those that a program adds.

use std::any::Any;
use std::sync::{LazyLock, PoisonError, RwLock};

use ermine_core::{AnyLearner, Error, Learner, MakeLearner, Result};

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

/// The learners that the program has added.
static INSTALLED: RwLock<Vec<MakeLearner>> = RwLock::new(Vec::new());

/// Learners of a program's own. Once installed they are found by name like those that were compiled in: by [`learner`] and [`catalogue`],
/// as steps of pipelines and members of ensembles, and when a saved model is loaded.
///
/// # Example
/// ```
/// # use ermine_core::*;
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Clone, Default, Serialize, Deserialize)]
/// # #[serde(default, deny_unknown_fields)]
/// # struct First {}
/// # #[derive(Serialize, Deserialize)]
/// # struct FirstModel(f64);
/// # impl RowRegressor for FirstModel {
/// #     type Params = First;
/// #     fn fit(_: &First, _: MatRef<'_, f64>, y: &[f64]) -> Result<Self> { Ok(Self(y[0])) }
/// #     fn predict(&self, _: &[f64]) -> f64 { self.0 }
/// # }
/// # impl Learner for First {
/// #     type Model = RowRegressorModel<FirstModel>;
/// #     const SPEC: Spec = Spec {
/// #         name: "first", summary: "The first target", objective: "none", notes: "", reference: "", family: Family::Custom,
/// #         tasks: &[Task::Regression], accepts: Accepts::NUMBERS, params: &[],
/// #     };
/// #     fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Self::Model> { RowRegressorModel::fit_rows(self, data, cx) }
/// #     fn load(input: &ModelReader) -> Result<Self::Model> { RowRegressorModel::load(input) }
/// # }
/// use ermine_compose::{Catalogue, learner};
///
/// Catalogue::new().with::<First>().install()?;
/// assert_eq!(learner("first")?.spec().summary, "The first target");
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Catalogue(Vec<MakeLearner>);

impl Catalogue {
    /// No learners yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more learner.
    pub fn with<L: Learner>(mut self) -> Self {
        self.0.push(|| Box::new(L::default()));
        self
    }

    /// Makes the learners known by name, in this process, from now on. What is known already stays as it is; another learner of a name that
    /// is taken is an error, and nothing is added then.
    pub fn install(self) -> Result<()> {
        let mut installed = INSTALLED.write().unwrap_or_else(PoisonError::into_inner);
        let mut all = installed.clone();
        for make in self.0 {
            let new = make();
            let name = new.spec().name;
            if name.is_empty() || name.contains(['/', '.', ' ', ',']) {
                return Err(Error::Data(format!("a learner cannot be called \"{name}\": use letters, digits and -")));
            }
            match LEARNERS.iter().chain(&all).map(|make| make()).find(|l| l.spec().name == name) {
                None => all.push(make),
                Some(known) if type_of(&*known) == type_of(&*new) => {}
                Some(_) => return Err(Error::Data(format!("there is another learner called \"{name}\"; choose another name"))),
            }
        }
        *installed = all;
        Ok(())
    }
}

fn type_of(learner: &dyn AnyLearner) -> std::any::TypeId {
    (learner as &dyn Any).type_id()
}

/// Every learner with its default parameters: those that were compiled in, then those that were installed.
pub fn catalogue() -> impl Iterator<Item = Box<dyn AnyLearner>> {
    let installed = INSTALLED.read().unwrap_or_else(PoisonError::into_inner).clone();
    LEARNERS.iter().copied().chain(installed).map(|make| make())
}

/// The learner called `name`; an unknown name is answered with the nearest.
pub fn learner(name: &str) -> Result<Box<dyn AnyLearner>> {
    catalogue().find(|l| l.spec().name == name).ok_or_else(|| Error::unknown("model", name, catalogue().map(|l| l.spec().name)))
}
