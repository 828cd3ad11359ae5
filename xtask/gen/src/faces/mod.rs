//! The faces of learners in Python: class names, parameters in scikit-learn's order, fitted attributes.
//!
//! Names, defaults, ranges and texts come from the learner's declaration; a face adds what only Python has. Behaviour is
//! hand-written in the class that `base` names.
//!
//! A family is a file with its faces and the parameters that only they share.

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
mod neighbours;
mod neural;
mod prepare;
mod reduce;
mod ridge_cv;
mod robust;
mod sgd;
mod svm;
mod tree;

/// One Python class.
pub struct PythonClass {
    /// Its name, scikit-learn's where it has the class.
    pub class: &'static str,
    /// The learner behind it.
    pub learner: &'static str,
    /// The class with its behaviour, with its module.
    pub base: &'static str,
    /// One line; empty: the learner's.
    pub summary: &'static str,
    /// What holds for the Python class only.
    pub notes: &'static str,
    /// Parameters in the order of the signature.
    pub params: &'static [Param],
    /// How many of them may be given by position.
    pub positional: usize,
    /// Parameters of the learner that the class sets itself.
    pub handled: &'static [&'static str],
    /// Fitted attributes: name, type, meaning.
    pub attributes: &'static [(&'static str, &'static str, &'static str)],
    /// An example for the docstring.
    pub example: &'static str,
}

/// One parameter of a class. Empty texts are filled from the learner.
pub enum Param {
    /// A parameter of the learner; `by_hand` when the class translates its value.
    Learner {
        name: &'static str,
        theirs: &'static str,
        default: &'static str,
        constraint: &'static str,
        kind: &'static str,
        doc: &'static str,
        by_hand: bool,
    },
    /// A parameter of the class itself.
    Own { name: &'static str, default: &'static str, constraint: &'static str, kind: &'static str, doc: &'static str },
    /// A parameter that scikit-learn has and that has nothing to do here.
    Unused { name: &'static str, default: &'static str, constraint: &'static str, kind: &'static str, doc: &'static str },
}

impl Param {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Learner { name, .. } | Self::Own { name, .. } | Self::Unused { name, .. } => name,
        }
    }
}

/// The learner's parameter as it is.
const fn same(name: &'static str) -> Param {
    Param::Learner { name, theirs: name, default: "", constraint: "", kind: "", doc: "", by_hand: false }
}

/// The learner's parameter with Python's own constraint, type and default.
const fn like(name: &'static str, default: &'static str, constraint: &'static str, kind: &'static str) -> Param {
    Param::Learner { name, theirs: name, default, constraint, kind, doc: "", by_hand: false }
}

/// The learner's parameter, whose value the class translates.
const fn translated(
    name: &'static str,
    default: &'static str,
    constraint: &'static str,
    kind: &'static str,
    doc: &'static str,
) -> Param {
    Param::Learner { name, theirs: name, default, constraint, kind, doc, by_hand: true }
}

const fn own(
    name: &'static str,
    default: &'static str,
    constraint: &'static str,
    kind: &'static str,
    doc: &'static str,
) -> Param {
    Param::Own { name, default, constraint, kind, doc }
}

const fn unused(
    name: &'static str,
    default: &'static str,
    constraint: &'static str,
    kind: &'static str,
    doc: &'static str,
) -> Param {
    Param::Unused { name, default, constraint, kind, doc }
}

const BOOL: &str = "[\"boolean\"]";

const RANDOM_STATE: Param = own(
    "random_state",
    "None",
    "[\"random_state\"]",
    "int, RandomState or None",
    "The seed of all randomness; the same int gives the same model on any number of threads. None draws a seed from \
     NumPy's global generator.",
);

const N_JOBS: Param = unused(
    "n_jobs",
    "None",
    "[None, Integral]",
    "int or None",
    "The number of threads is that of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.",
);

const COPY_X: Param = unused("copy_X", "True", BOOL, "bool", "X is never changed and never copied as a whole.");

const VERBOSE: Param = unused("verbose", "0", "[\"verbose\"]", "int or bool", "");

const CLASS_WEIGHT: Param = translated(
    "class_weight",
    "None",
    "[dict, StrOptions({\"balanced\"}), None]",
    "dict, \"balanced\" or None",
    "Weights of the classes by label, 1 for labels not listed; \"balanced\" gives every class the same total weight.",
);

const CLASSES: (&str, &str, &str) = ("classes_", "ndarray of shape (n_classes,)", "The class labels, sorted.");

/// All faces, family by family; one whose learner is not in the catalogue, or whose module is not written, is left out.
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
    neighbours::FACES,
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
