//! Forests and gradient boosting on exact trees.

use super::tree::{MAX_DEPTH, MIN_SAMPLES_LEAF, MIN_SAMPLES_SPLIT, MONOTONIC};
use super::*;

const NOTES: &str = "X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or \
    categories, with missing values; in arrays NaN is a missing value.";

const MAX_FEATURES: &[Rule] = &[ints_from(1), fractions(0.0, 1.0, High), Words(&["sqrt", "log2"]), Null];

const CLASS_CRITERION: Param = like("criterion", Word("gini"), &[Words(&["gini", "entropy", "log_loss"])]);

const NUMBER_CRITERION: Param = like(
    "criterion",
    Word("squared_error"),
    &[Words(&["squared_error", "absolute_error", "poisson"]), Hidden(&["friedman_mse"])],
);

const OOB_SCORE: Param = translated(
    "oob_score",
    Flag(false),
    &[Bool, Callable],
    "Whether to predict each row by the trees that have not seen it, and to score that: accuracy or R^2, or what the \
     callable says of the true and the predicted targets.",
);

const MAX_SAMPLES: Param = translated("max_samples", Nothing, &[Null, fractions(0.0, f64::INFINITY, Neither), ints_from(1)], "")
    .kind("int, float or None");

const WARM_START: Param =
    own("warm_start", Flag(false), BOOL, "Whether a fit adds trees to those that are there, up to n_estimators.");

const CLASS_WEIGHT: Param = translated(
    "class_weight",
    Nothing,
    &[Words(&["balanced_subsample", "balanced"]), Dict, List, Null],
    "Weights of the classes by label, 1 for labels not listed; \"balanced\" gives every class the same total weight, \
     \"balanced_subsample\" does so in each bag.",
)
.kind("dict, \"balanced\", \"balanced_subsample\" or None");

macro_rules! forest_params {
    ($criterion:expr, $features:expr, $bootstrap:expr $(, $class_weight:expr)?) => {
        &[
            same("n_estimators"),
            $criterion,
            MAX_DEPTH,
            MIN_SAMPLES_SPLIT,
            MIN_SAMPLES_LEAF,
            same("min_weight_fraction_leaf"),
            like("max_features", $features, MAX_FEATURES),
            same("max_leaf_nodes"),
            same("min_impurity_decrease"),
            like("bootstrap", $bootstrap, BOOL),
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

const ESTIMATORS: Attribute = ("estimators_", "list of decision trees", "The trees.");
const SAMPLES: Attribute =
    ("estimators_samples_", "list of arrays", "The rows that each tree was grown on, as often as they were drawn.");
const EXPECTED: Attribute =
    ("expected_value_", "float or ndarray of shape (n_outputs,)", "The prediction for a row of which nothing is known.");
const IMPORTANCES: Attribute =
    ("feature_importances_", "ndarray of shape (n_features,)", "Share of each column in the decrease of the impurity.");
const PERMUTATION: Attribute = (
    "permutation_importances_",
    "ndarray of shape (n_features,)",
    "How much worse the trees are on rows they have not seen when a column is shuffled; with permutation_importances=True.",
);
const OUTPUTS: Attribute = ("n_outputs_", "int", "Number of targets.");
const OOB: Attribute = ("oob_score_", "float", "Score on rows outside the bags; with oob_score=True.");
const OOB_FUNCTION: Attribute = (
    "oob_decision_function_",
    "ndarray of shape (n_samples, n_classes)",
    "Class shares by the trees that have not seen the row, NaN where all have; with oob_score=True.",
);
const OOB_PREDICTION: Attribute = (
    "oob_prediction_",
    "ndarray of shape (n_samples,) or (n_samples, n_outputs)",
    "Predictions by the trees that have not seen the row, NaN where all have; with oob_score=True.",
);
const N_CLASSES: Attribute = ("n_classes_", "int", "Number of classes.");

const FOR_CLASSES: &[Attribute] =
    &[CLASSES, N_CLASSES, OUTPUTS, ESTIMATORS, SAMPLES, IMPORTANCES, PERMUTATION, EXPECTED, OOB, OOB_FUNCTION];
const FOR_NUMBERS: &[Attribute] = &[OUTPUTS, ESTIMATORS, SAMPLES, IMPORTANCES, PERMUTATION, EXPECTED, OOB, OOB_PREDICTION];

const LOSS_ALPHA: Param = renamed("alpha", "quantile", Number(0.9), &[reals(0.0, 1.0, Neither)]);
const SUBSAMPLE: Param = like("subsample", Number(1.0), &[reals(0.0, 1.0, High)]);
const CRITERION: Param = own(
    "criterion",
    Word("deprecated"),
    &[Words(&["friedman_mse", "squared_error", "deprecated"])],
    "Deprecated: both choose the same splits.",
)
.kind("{\"friedman_mse\", \"squared_error\"}");
const INIT_DOC: &str = "Where the scores start: the best constant, 0, or what an estimator predicts that is fitted first. A model \
    file does not hold such an estimator.";
const INIT_CLASSES: Param = translated("init", Nothing, &[Words(&["zero"]), Null, Methods(&["fit", "predict_proba"])], INIT_DOC)
    .kind("estimator, \"zero\" or None");
const INIT_NUMBERS: Param = translated("init", Nothing, &[Words(&["zero"]), Null, Methods(&["fit", "predict"])], INIT_DOC)
    .kind("estimator, \"zero\" or None");
const TELL: Param = own(
    "verbose",
    Whole(0),
    &[Verbose],
    "Whether to print the loss: 1 after the first ten rounds and then every tenth, hundredth and so on, more after every round.",
);
const VALIDATION: Param = like("validation_fraction", Number(0.1), &[reals(0.0, 1.0, Neither)]);
const TOL: Param = like("tol", Number(0.0001), &[at_least(0.0)]);
const ROUNDS_FEATURES: Param = like("max_features", Nothing, MAX_FEATURES);

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

const ROUNDS: Attribute = ("n_estimators_", "int", "Rounds, fewer than asked when they ended early.");
const TREES: Attribute = ("estimators_", "ndarray of decision trees", "The trees: one row per round, one column per class.");
const TRAIN: Attribute = ("train_score_", "ndarray of shape (n_estimators,)", "Mean loss on the rows of each round, after it.");
const OOB_IMPROVEMENT: Attribute = (
    "oob_improvement_",
    "ndarray of shape (n_estimators,)",
    "By how much each round lowered the mean loss of rows it did not see; with subsample below 1.",
);
const ROUND_FEATURES: Attribute = ("max_features_", "int", "Number of columns looked at for each split.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "RandomForestClassifier",
        learner: "forest",
        module: "ensemble",
        base: "_forest.ForestClassifier",
        summary: "Random forest for classes",
        notes: NOTES,
        params: forest_params!(CLASS_CRITERION, Word("sqrt"), Flag(true), CLASS_WEIGHT),
        positional: 1,
        handled: &["thresholds"],
        attributes: FOR_CLASSES,
        ..PythonClass::NEW
    },
    PythonClass {
        class: "RandomForestRegressor",
        learner: "forest",
        module: "ensemble",
        base: "_forest.ForestRegressor",
        summary: "Random forest for numbers",
        notes: NOTES,
        params: forest_params!(NUMBER_CRITERION, Number(1.0), Flag(true)),
        positional: 1,
        handled: &["thresholds", "class_weight"],
        attributes: FOR_NUMBERS,
        ..PythonClass::NEW
    },
    PythonClass {
        class: "ExtraTreesClassifier",
        learner: "forest",
        module: "ensemble",
        base: "_forest.ExtraTreesClassifier",
        summary: "Extremely randomized trees for classes",
        notes: NOTES,
        params: forest_params!(CLASS_CRITERION, Word("sqrt"), Flag(false), CLASS_WEIGHT),
        positional: 1,
        handled: &["thresholds"],
        attributes: FOR_CLASSES,
        ..PythonClass::NEW
    },
    PythonClass {
        class: "ExtraTreesRegressor",
        learner: "forest",
        module: "ensemble",
        base: "_forest.ExtraTreesRegressor",
        summary: "Extremely randomized trees for numbers",
        notes: NOTES,
        params: forest_params!(NUMBER_CRITERION, Number(1.0), Flag(false)),
        positional: 1,
        handled: &["thresholds", "class_weight"],
        attributes: FOR_NUMBERS,
        ..PythonClass::NEW
    },
    PythonClass {
        class: "GradientBoostingClassifier",
        learner: "gradient-boosting",
        module: "ensemble",
        base: "_gradient_boosting.GradientBoostingClassifier",
        summary: "Gradient boosting on exact trees, for classes",
        notes: NOTES,
        params: boosting_params!(like("loss", Word("log_loss"), &[Words(&["log_loss", "exponential"])]), INIT_CLASSES),
        handled: &["quantile", "criterion"],
        attributes: &[CLASSES, N_CLASSES, ROUNDS, TREES, IMPORTANCES, EXPECTED, TRAIN, OOB_IMPROVEMENT, ROUND_FEATURES],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "GradientBoostingRegressor",
        learner: "gradient-boosting",
        module: "ensemble",
        base: "_gradient_boosting.GradientBoostingRegressor",
        summary: "Gradient boosting on exact trees, for numbers",
        notes: NOTES,
        params: boosting_params!(
            like("loss", Word("squared_error"), &[Words(&["squared_error", "absolute_error", "huber", "quantile", "poisson"])]),
            INIT_NUMBERS,
            LOSS_ALPHA
        ),
        handled: &["criterion"],
        attributes: &[ROUNDS, TREES, IMPORTANCES, EXPECTED, TRAIN, OOB_IMPROVEMENT, ROUND_FEATURES],
        ..PythonClass::NEW
    },
];
