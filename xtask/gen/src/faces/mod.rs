//! The faces of learners in Python: class names, parameters in scikit-learn's order, fitted attributes.
//!
//! Names, defaults, ranges, texts and what data is accepted come from the learner's declaration; a face adds what only Python has.
//! A class whose fit takes nothing but the learner's parameters needs no more than its face; one that does more names in `base`
//! the hand-written class with its behavior.

mod param;

mod bayes;
mod boosting;
mod cluster;
mod dummy;
mod ensemble;
mod features;
mod forest;
mod glm;
mod kernel;
mod lasso;
mod linear;
mod logistic;
mod mixture;
mod neighbors;
mod neural;
mod prepare;
mod reduce;
mod ridge_cv;
mod robust;
mod sgd;
mod svm;
mod tree;

use Closed::{Both, High, Low, Neither};
use DefaultValue::{Flag, Float64, Nan, Nothing, Number, Numbers, Whole, Wholes, Word};
use Rule::{
    Anything, ArrayLike, Bool, Callable, Dict, Folds, Hidden, Infinity, Int, List, Methods, MissingValue, NotANumber, Null,
    RandomState, Real, ScorerName, SparseMatrix, Text, Tuple, Verbose, Words,
};
use param::{Closed, above, at_least, fractions, ints, ints_from, like, own, reals, renamed, translated, unused};
pub use param::{DefaultValue, Param, Role, Rule, constraint, kind, same};

/// One Python class.
pub struct PythonClass {
    /// Its name, scikit-learn's where it has the class.
    pub class: &'static str,
    /// The learner behind it.
    pub learner: &'static str,
    /// The module of `ermine` that it is in, named as scikit-learn's.
    pub module: &'static str,
    /// The class with its behavior, with its file in the folder of the module; empty: the base for the learner's task.
    pub base: &'static str,
    /// One line; empty: the learner's.
    pub summary: &'static str,
    /// Notes for the Python class only.
    pub notes: &'static str,
    /// Parameters in the order of the signature; empty: all of the learner's that are not `handled`.
    pub params: &'static [Param],
    /// How many of them may be given by position.
    pub positional: usize,
    /// Parameters of the learner that the class sets itself.
    pub handled: &'static [&'static str],
    /// Fitted attributes: name, type, meaning.
    pub attributes: &'static [Attribute],
    /// Arrays of the model that are fitted attributes as they are; `coef` is that of `coef_`.
    pub arrays: &'static [&'static str],
    /// Values of the model that are fitted attributes as they are.
    pub fields: &'static [&'static str],
    /// Data that the learner accepts and the class does not, by the names of `Accepts`.
    pub refuses: &'static [&'static str],
    /// An example for the docstring.
    pub example: &'static str,
}

/// A fitted attribute: name, type, meaning.
pub type Attribute = (&'static str, &'static str, &'static str);

impl PythonClass {
    /// A class with nothing of its own.
    pub const NEW: Self = Self {
        class: "",
        learner: "",
        module: "",
        base: "",
        summary: "",
        notes: "",
        params: &[],
        positional: 0,
        handled: &[],
        attributes: &[],
        arrays: &[],
        fields: &[],
        refuses: &[],
        example: "",
    };
}

const BOOL: &[Rule] = &[Bool];

const RANDOM_STATE: Param = own(
    "random_state",
    Nothing,
    &[RandomState],
    "The seed of all randomness; the same int gives the same model on any number of threads. None draws a seed from \
     NumPy's global generator.",
);

const UNUSED_RANDOM_STATE: Param = unused("random_state", Nothing, &[RandomState], "Nothing in the fit is random.");

const N_JOBS: Param = unused(
    "n_jobs",
    Nothing,
    &[Null, Int],
    "The number of threads is that of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.",
);

const COPY_X: Param = unused("copy_X", Flag(true), BOOL, "X is never changed and never copied as a whole.");

const VERBOSE: Param = unused("verbose", Whole(0), &[Verbose], "");

const CLASS_WEIGHT: Param = translated(
    "class_weight",
    Nothing,
    &[Dict, Words(&["balanced"]), Null],
    "Weights of the classes by label, 1 for labels not listed; \"balanced\" gives every class the same total weight.",
);

const CLASSES: Attribute = ("classes_", "ndarray of shape (n_classes,)", "The class labels, sorted.");

/// All faces, topic by topic.
pub const FACES: &[&[PythonClass]] = &[
    linear::FACES,
    ridge_cv::FACES,
    lasso::FACES,
    robust::FACES,
    glm::FACES,
    logistic::FACES,
    sgd::FACES,
    svm::FACES,
    kernel::FACES,
    bayes::FACES,
    neighbors::FACES,
    neural::FACES,
    tree::FACES,
    forest::FACES,
    ensemble::FACES,
    boosting::FACES,
    mixture::FACES,
    cluster::FACES,
    reduce::FACES,
    dummy::FACES,
    prepare::FACES,
    features::FACES,
];
