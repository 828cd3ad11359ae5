//! Multi-way trees, and learners made of learners.

use super::{CLASSES, Face, N_JOBS, Param, RANDOM_STATE, VERBOSE, like, own, same, translated};

const TABLES: &str = "X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or \
    categories, with missing values; in arrays NaN is a missing value.";

const LOOP: &str = "The members are fitted by scikit-learn's own loop, each of ours in Rust; any estimator that follows its \
    contract may be one.";

const ESTIMATOR: Param = own(
    "estimator",
    "None",
    "[HasMethods([\"fit\", \"predict\"]), None]",
    "object",
    "The estimator of each round, with sample weights. None, and a tree of ours with max_depth=1, are boosted in Rust; \
     other estimators in scikit-learn's own loop.",
);

const LEARNING_RATE: Param = like("learning_rate", "1.0", "[Interval(Real, 0, None, closed=\"neither\")]", "float");

const ESTIMATORS_: (&str, &str, &str) = ("estimators_", "list of estimators", "The members, in the order of their rounds.");
const WEIGHTS_: (&str, &str, &str) = ("estimator_weights_", "ndarray of floats", "The vote of each member.");
const ERRORS_: (&str, &str, &str) = ("estimator_errors_", "ndarray of floats", "The weighted error of each member in its round.");
const IMPORTANCES: (&str, &str, &str) =
    ("feature_importances_", "ndarray of shape (n_features,)", "Share of each column in the decisions.");

pub const FACES: &[Face] = &[
    Face {
        class: "C45Classifier",
        learner: "c45",
        base: "_c45.C45Classifier",
        summary: "",
        notes: TABLES,
        params: &[
            same("criterion"),
            same("max_depth"),
            like("min_samples_leaf", "2", "[Interval(Real, 0, None, closed=\"neither\")]", "float"),
            same("pruning"),
            same("confidence"),
            same("subtree_raising"),
        ],
        positional: 0,
        handled: &[],
        attributes: &[
            CLASSES,
            IMPORTANCES,
            ("n_leaves_", "int", "Number of leaves."),
            ("depth_", "int", "Tests on the longest way to a leaf."),
        ],
        example: "",
    },
    Face {
        class: "AdaBoostClassifier",
        learner: "adaboost",
        base: "_adaboost.AdaBoostClassifier",
        summary: "AdaBoost for classes: stumps or any estimator, combined by weighted votes",
        notes: TABLES,
        params: &[ESTIMATOR, same("n_estimators"), LEARNING_RATE, RANDOM_STATE, same("algorithm"), same("variant"), same("stump_criterion")],
        positional: 1,
        handled: &["base", "loss", "prepare"],
        attributes: &[
            CLASSES,
            ("n_classes_", "int", "Number of classes."),
            ("estimator_", "estimator", "The estimator that was boosted."),
            ESTIMATORS_,
            WEIGHTS_,
            ERRORS_,
            IMPORTANCES,
            ("trace_", "dict", "Columns and rows of the course: error, vote, training error and its bound in each round."),
        ],
        example: "",
    },
    Face {
        class: "AdaBoostRegressor",
        learner: "adaboost",
        base: "_adaboost.AdaBoostRegressor",
        summary: "AdaBoost.R2 for numbers: trees of depth 3 or any estimator, combined by the weighted median",
        notes: TABLES,
        params: &[ESTIMATOR, same("n_estimators"), LEARNING_RATE, same("loss"), RANDOM_STATE],
        positional: 1,
        handled: &["base", "algorithm", "variant", "stump_criterion", "prepare"],
        attributes: &[("estimator_", "estimator", "The estimator that was boosted."), ESTIMATORS_, WEIGHTS_, ERRORS_, IMPORTANCES],
        example: "",
    },
];
