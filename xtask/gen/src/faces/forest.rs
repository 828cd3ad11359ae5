//! Forests and gradient boosting on exact trees.

use super::tree::{MAX_DEPTH, MIN_SAMPLES_LEAF, MIN_SAMPLES_SPLIT, MONOTONIC};
use super::{BOOL, CLASSES, N_JOBS, Param, PythonClass, RANDOM_STATE, VERBOSE, like, own, same, translated};

const NOTES: &str = "X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or \
    categories, with missing values; in arrays NaN is a missing value.";

const MAX_FEATURES: &str = "[Interval(Integral, 1, None, closed=\"left\"), Interval(RealNotInt, 0.0, 1.0, closed=\"right\"), \
    StrOptions({\"sqrt\", \"log2\"}), None]";
const MAX_FEATURES_KIND: &str = "int, float, {\"sqrt\", \"log2\"} or None";

const CLASS_CRITERION: Param =
    like("criterion", "\"gini\"", "[StrOptions({\"gini\", \"entropy\", \"log_loss\"})]", "{\"gini\", \"entropy\", \"log_loss\"}");

const NUMBER_CRITERION: Param = like(
    "criterion",
    "\"squared_error\"",
    "[StrOptions({\"squared_error\", \"absolute_error\", \"poisson\"}), Hidden(StrOptions({\"friedman_mse\"}))]",
    "{\"squared_error\", \"absolute_error\", \"poisson\"}",
);

const OOB_SCORE: Param = translated(
    "oob_score",
    "False",
    "[\"boolean\", callable]",
    "bool or callable",
    "Whether to predict each row by the trees that have not seen it, and to score that: accuracy or R^2, or what the \
     callable says of the true and the predicted targets.",
);

const MAX_SAMPLES: Param = translated(
    "max_samples",
    "None",
    "[None, Interval(RealNotInt, 0.0, None, closed=\"neither\"), Interval(Integral, 1, None, closed=\"left\")]",
    "int, float or None",
    "",
);

const WARM_START: Param =
    own("warm_start", "False", BOOL, "bool", "Whether a fit adds trees to those that are there, up to n_estimators.");

const CLASS_WEIGHT: Param = translated(
    "class_weight",
    "None",
    "[StrOptions({\"balanced_subsample\", \"balanced\"}), dict, list, None]",
    "dict, \"balanced\", \"balanced_subsample\" or None",
    "Weights of the classes by label, 1 for labels not listed; \"balanced\" gives every class the same total weight, \
     \"balanced_subsample\" does so in each bag.",
);

macro_rules! forest_params {
    ($criterion:expr, $features:literal, $bootstrap:literal $(, $class_weight:expr)?) => {
        &[
            same("n_estimators"),
            $criterion,
            MAX_DEPTH,
            MIN_SAMPLES_SPLIT,
            MIN_SAMPLES_LEAF,
            same("min_weight_fraction_leaf"),
            like("max_features", $features, MAX_FEATURES, MAX_FEATURES_KIND),
            same("max_leaf_nodes"),
            same("min_impurity_decrease"),
            like("bootstrap", $bootstrap, BOOL, "bool"),
            OOB_SCORE,
            N_JOBS,
            RANDOM_STATE,
            VERBOSE,
            WARM_START,
            $($class_weight,)?
            same("ccp_alpha"),
            MAX_SAMPLES,
            MONOTONIC,
            same("splitter"),
            same("max_bins"),
            same("permutation_importances"),
        ]
    };
}

const ESTIMATORS: (&str, &str, &str) = ("estimators_", "list of decision trees", "The trees.");
const SAMPLES: (&str, &str, &str) =
    ("estimators_samples_", "list of arrays", "The rows that each tree was grown on, as often as they were drawn.");
const EXPECTED: (&str, &str, &str) =
    ("expected_value_", "float or ndarray of shape (n_outputs,)", "What the model says of a row of which nothing is known.");
const IMPORTANCES: (&str, &str, &str) =
    ("feature_importances_", "ndarray of shape (n_features,)", "Share of each column in the decrease of the impurity.");
const PERMUTATION: (&str, &str, &str) = (
    "permutation_importances_",
    "ndarray of shape (n_features,)",
    "How much worse the trees are on rows they have not seen when a column is shuffled; with permutation_importances=True.",
);
const OUTPUTS: (&str, &str, &str) = ("n_outputs_", "int", "Number of targets.");
const OOB: (&str, &str, &str) = ("oob_score_", "float", "Score on rows outside the bags; with oob_score=True.");
const OOB_FUNCTION: (&str, &str, &str) = (
    "oob_decision_function_",
    "ndarray of shape (n_samples, n_classes)",
    "Class shares by the trees that have not seen the row, NaN where all have; with oob_score=True.",
);
const OOB_PREDICTION: (&str, &str, &str) = (
    "oob_prediction_",
    "ndarray of shape (n_samples,) or (n_samples, n_outputs)",
    "Predictions by the trees that have not seen the row, NaN where all have; with oob_score=True.",
);
const N_CLASSES: (&str, &str, &str) = ("n_classes_", "int", "Number of classes.");

const FOR_CLASSES: &[(&str, &str, &str)] =
    &[CLASSES, N_CLASSES, OUTPUTS, ESTIMATORS, SAMPLES, IMPORTANCES, PERMUTATION, EXPECTED, OOB, OOB_FUNCTION];
const FOR_NUMBERS: &[(&str, &str, &str)] =
    &[OUTPUTS, ESTIMATORS, SAMPLES, IMPORTANCES, PERMUTATION, EXPECTED, OOB, OOB_PREDICTION];

const LOSS_ALPHA: Param = Param::Learner {
    name: "alpha",
    theirs: "quantile",
    default: "0.9",
    constraint: "[Interval(Real, 0.0, 1.0, closed=\"neither\")]",
    kind: "float",
    doc: "",
    by_hand: false,
};
const SUBSAMPLE: Param = like("subsample", "1.0", "[Interval(Real, 0.0, 1.0, closed=\"right\")]", "float");
const CRITERION: Param = own(
    "criterion",
    "\"deprecated\"",
    "[StrOptions({\"friedman_mse\", \"squared_error\", \"deprecated\"})]",
    "{\"friedman_mse\", \"squared_error\"}",
    "Deprecated: both choose the same splits.",
);
const INIT_DOC: &str = "Where the scores start: the best constant, 0, or what an estimator predicts that is fitted first. A model \
    file does not hold such an estimator.";
const INIT_CLASSES: Param = translated(
    "init",
    "None",
    "[StrOptions({\"zero\"}), None, HasMethods([\"fit\", \"predict_proba\"])]",
    "estimator, \"zero\" or None",
    INIT_DOC,
);
const INIT_NUMBERS: Param = translated(
    "init",
    "None",
    "[StrOptions({\"zero\"}), None, HasMethods([\"fit\", \"predict\"])]",
    "estimator, \"zero\" or None",
    INIT_DOC,
);
const TELL: Param = own(
    "verbose",
    "0",
    "[\"verbose\"]",
    "int or bool",
    "Whether to print the loss: 1 after the first ten rounds and then every tenth, hundredth and so on, more after every round.",
);
const VALIDATION: Param = like("validation_fraction", "0.1", "[Interval(Real, 0.0, 1.0, closed=\"neither\")]", "float");
const TOL: Param = like("tol", "0.0001", "[Interval(Real, 0.0, None, closed=\"left\")]", "float");
const ROUNDS_FEATURES: Param = like("max_features", "None", MAX_FEATURES, MAX_FEATURES_KIND);

macro_rules! boosting_params {
    ($loss:expr, $init:expr $(, $alpha:expr)?) => {
        &[
            $loss,
            same("learning_rate"),
            same("n_estimators"),
            SUBSAMPLE,
            CRITERION,
            MIN_SAMPLES_SPLIT,
            MIN_SAMPLES_LEAF,
            same("min_weight_fraction_leaf"),
            MAX_DEPTH,
            same("min_impurity_decrease"),
            $init,
            RANDOM_STATE,
            ROUNDS_FEATURES,
            $($alpha,)?
            TELL,
            same("max_leaf_nodes"),
            WARM_START,
            VALIDATION,
            same("n_iter_no_change"),
            TOL,
            same("ccp_alpha"),
            same("step"),
            same("decay"),
        ]
    };
}

const ROUNDS: (&str, &str, &str) = ("n_estimators_", "int", "Rounds, fewer than asked when they ended early.");
const TREES: (&str, &str, &str) = ("estimators_", "ndarray of decision trees", "The trees: a row a round, a column a class.");
const TRAIN: (&str, &str, &str) =
    ("train_score_", "ndarray of shape (n_estimators,)", "Mean loss on the rows of each round, after it.");
const OOB_IMPROVEMENT: (&str, &str, &str) = (
    "oob_improvement_",
    "ndarray of shape (n_estimators,)",
    "By how much each round lowered the mean loss of rows it did not see; with subsample below 1.",
);
const ROUND_FEATURES: (&str, &str, &str) = ("max_features_", "int", "Number of columns looked at for each split.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "RandomForestClassifier",
        learner: "forest",
        base: "_forest.ForestClassifier",
        summary: "Random forest for classes",
        notes: NOTES,
        params: forest_params!(CLASS_CRITERION, "\"sqrt\"", "True", CLASS_WEIGHT),
        positional: 1,
        handled: &["thresholds"],
        attributes: FOR_CLASSES,
        example: "",
    },
    PythonClass {
        class: "RandomForestRegressor",
        learner: "forest",
        base: "_forest.ForestRegressor",
        summary: "Random forest for numbers",
        notes: NOTES,
        params: forest_params!(NUMBER_CRITERION, "1.0", "True"),
        positional: 1,
        handled: &["thresholds", "class_weight"],
        attributes: FOR_NUMBERS,
        example: "",
    },
    PythonClass {
        class: "ExtraTreesClassifier",
        learner: "forest",
        base: "_forest.ExtraTreesClassifier",
        summary: "Extremely randomised trees for classes",
        notes: NOTES,
        params: forest_params!(CLASS_CRITERION, "\"sqrt\"", "False", CLASS_WEIGHT),
        positional: 1,
        handled: &["thresholds"],
        attributes: FOR_CLASSES,
        example: "",
    },
    PythonClass {
        class: "ExtraTreesRegressor",
        learner: "forest",
        base: "_forest.ExtraTreesRegressor",
        summary: "Extremely randomised trees for numbers",
        notes: NOTES,
        params: forest_params!(NUMBER_CRITERION, "1.0", "False"),
        positional: 1,
        handled: &["thresholds", "class_weight"],
        attributes: FOR_NUMBERS,
        example: "",
    },
    PythonClass {
        class: "GradientBoostingClassifier",
        learner: "gradient-boosting",
        base: "_gradient.GradientBoostingClassifier",
        summary: "Gradient boosting on exact trees, for classes",
        notes: NOTES,
        params: boosting_params!(
            like("loss", "\"log_loss\"", "[StrOptions({\"log_loss\", \"exponential\"})]", "{\"log_loss\", \"exponential\"}",),
            INIT_CLASSES
        ),
        positional: 0,
        handled: &["quantile", "criterion"],
        attributes: &[CLASSES, N_CLASSES, ROUNDS, TREES, IMPORTANCES, EXPECTED, TRAIN, OOB_IMPROVEMENT, ROUND_FEATURES],
        example: "",
    },
    PythonClass {
        class: "GradientBoostingRegressor",
        learner: "gradient-boosting",
        base: "_gradient.GradientBoostingRegressor",
        summary: "Gradient boosting on exact trees, for numbers",
        notes: NOTES,
        params: boosting_params!(
            like(
                "loss",
                "\"squared_error\"",
                "[StrOptions({\"squared_error\", \"absolute_error\", \"huber\", \"quantile\", \"poisson\"})]",
                "{\"squared_error\", \"absolute_error\", \"huber\", \"quantile\", \"poisson\"}",
            ),
            INIT_NUMBERS,
            LOSS_ALPHA
        ),
        positional: 0,
        handled: &["criterion"],
        attributes: &[ROUNDS, TREES, IMPORTANCES, EXPECTED, TRAIN, OOB_IMPROVEMENT, ROUND_FEATURES],
        example: "",
    },
];
