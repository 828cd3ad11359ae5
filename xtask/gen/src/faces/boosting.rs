//! Boosting on histograms.

use super::*;

const NOTES: &str = "X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or \
    categories, with missing values; in arrays NaN is a missing value. The parameters after `random_state` and `class_weight` \
    are not in scikit-learn.";

const CATEGORICAL: Param = own(
    "categorical_features",
    Word("from_dtype"),
    &[ArrayLike, Words(&["from_dtype"]), Null],
    "Which columns hold categories: a mask, numbers or names of columns; \"from_dtype\" takes the category columns of a \
     DataFrame. None treats all columns as numbers.",
)
.kind("array-like of {bool, int, str}, \"from_dtype\" or None");

const MONOTONIC: Param = translated("monotonic_cst", Nothing, &[ArrayLike, Dict, Null], "")
    .kind("array-like of int of shape (n_features,), dict or None");

const INTERACTION: Param =
    translated("interaction_cst", Nothing, &[List, Tuple, Words(&["pairwise", "no_interactions"]), Null], "")
        .kind("{\"pairwise\", \"no_interactions\"}, sequence of lists or None");

const WARM_START: Param = own(
    "warm_start",
    Flag(false),
    BOOL,
    "Add rounds to the model that is there instead of beginning anew; the result is that of one long fit. A model that stopped \
     early gets one more round at least.",
);

const EARLY: Param = translated(
    "early_stopping",
    Word("auto"),
    &[Words(&["auto"]), Bool],
    "Stop when rows that are held out get no better; \"auto\" does so for more than 10000 rows or when X_val is given.",
);

const SCORING: Param = own(
    "scoring",
    Word("loss"),
    &[Text, Callable, Null],
    "What early stopping looks at: \"loss\", or a scorer, which is then computed round by round; None is the score method.",
);

const FRACTION: Param = translated(
    "validation_fraction",
    Number(0.1),
    &[fractions(0.0, 1.0, Neither), ints_from(1), Null],
    "Share (or number) of rows held out for early stopping; None looks at the training rows.",
)
.kind("int, float or None");

const N_ITER: Attribute = ("n_iter_", "int", "Number of rounds.");
const N_TREES: Attribute = ("n_trees_per_iteration_", "int", "Trees per round: one, or one per class for more than two classes.");
const TRAIN: Attribute = (
    "train_score_",
    "ndarray",
    "Scores of the training rows before the first round and after each, with early stopping; else empty.",
);
const VALIDATION: Attribute =
    ("validation_score_", "ndarray", "Scores of the rows held out before the first round and after each; else empty.");
const STOPS: Attribute = ("do_early_stopping_", "bool", "Whether early stopping was on.");
const IS_CATEGORICAL: Attribute = ("is_categorical_", "ndarray of bool or None", "Which columns hold categories.");
const IMPORTANCES: Attribute =
    ("feature_importances_", "ndarray of shape (n_features,)", "Share of each column in what all splits gained.");

const EXPECTED: Attribute =
    ("expected_value_", "float or ndarray of shape (n_classes,)", "The prediction for a row of which nothing is known.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "HistGradientBoostingClassifier",
        learner: "boosting",
        module: "ensemble",
        base: "_hist_gradient_boosting.HistGradientBoostingClassifier",
        summary: "Gradient boosting on histograms for classes",
        notes: NOTES,
        params: &[
            translated("loss", Word("log_loss"), &[Words(&["log_loss"])], "").kind("{\"log_loss\"}"),
            same("learning_rate"),
            same("max_iter"),
            same("max_leaf_nodes"),
            same("max_depth"),
            same("min_samples_leaf"),
            same("l2_regularization"),
            same("max_features"),
            same("max_bins"),
            CATEGORICAL,
            MONOTONIC,
            INTERACTION,
            WARM_START,
            EARLY,
            SCORING,
            FRACTION,
            same("n_iter_no_change"),
            same("tol"),
            VERBOSE,
            RANDOM_STATE,
            CLASS_WEIGHT,
            same("min_child_weight"),
            same("l1_regularization"),
            same("min_split_gain"),
            same("colsample_bytree"),
            same("subsample"),
            same("goss"),
            same("top_rate"),
            same("other_rate"),
            same("cat_smooth"),
            same("cat_l2"),
            same("max_cat_threshold"),
            same("max_cat_to_onehot"),
            same("min_data_per_group"),
            same("extra_trees"),
        ],
        positional: 1,
        handled: &["quantile", "allow_infinite", "keep_best"],
        attributes: &[CLASSES, N_ITER, N_TREES, TRAIN, VALIDATION, STOPS, IS_CATEGORICAL, IMPORTANCES, EXPECTED],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "HistGradientBoostingRegressor",
        learner: "boosting",
        module: "ensemble",
        base: "_hist_gradient_boosting.HistGradientBoostingRegressor",
        summary: "Gradient boosting on histograms for numbers",
        notes: NOTES,
        params: &[
            translated(
                "loss",
                Word("squared_error"),
                &[Words(&["squared_error", "absolute_error", "gamma", "poisson", "quantile"])],
                "",
            ),
            same("quantile"),
            same("learning_rate"),
            same("max_iter"),
            same("max_leaf_nodes"),
            same("max_depth"),
            same("min_samples_leaf"),
            same("l2_regularization"),
            same("max_features"),
            same("max_bins"),
            CATEGORICAL,
            MONOTONIC,
            INTERACTION,
            WARM_START,
            EARLY,
            SCORING,
            FRACTION,
            same("n_iter_no_change"),
            same("tol"),
            VERBOSE,
            RANDOM_STATE,
            same("min_child_weight"),
            same("l1_regularization"),
            same("min_split_gain"),
            same("colsample_bytree"),
            same("subsample"),
            same("goss"),
            same("top_rate"),
            same("other_rate"),
            same("cat_smooth"),
            same("cat_l2"),
            same("max_cat_threshold"),
            same("max_cat_to_onehot"),
            same("min_data_per_group"),
            same("extra_trees"),
        ],
        positional: 1,
        handled: &["class_weight", "allow_infinite", "keep_best"],
        attributes: &[N_ITER, N_TREES, TRAIN, VALIDATION, STOPS, IS_CATEGORICAL, IMPORTANCES, EXPECTED],
        ..PythonClass::NEW
    },
];
