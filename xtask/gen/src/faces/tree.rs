//! Trees.

use super::{CLASSES, Param, PythonClass, RANDOM_STATE, like, same, translated};

const TREE_NOTES: &str = "X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or \
    categories, with missing values; in arrays NaN is a missing value. `sklearn.tree.export_text` and `plot_tree` read it.";

pub const MAX_DEPTH: Param = same("max_depth");

pub const MIN_SAMPLES_SPLIT: Param = like(
    "min_samples_split",
    "2",
    "[Interval(Integral, 2, None, closed=\"left\"), Interval(RealNotInt, 0.0, 1.0, closed=\"right\")]",
    "int or float",
);

pub const MIN_SAMPLES_LEAF: Param = like(
    "min_samples_leaf",
    "1",
    "[Interval(Integral, 1, None, closed=\"left\"), Interval(RealNotInt, 0.0, 1.0, closed=\"neither\")]",
    "int or float",
);

const MAX_FEATURES: Param = like(
    "max_features",
    "None",
    "[Interval(Integral, 1, None, closed=\"left\"), Interval(RealNotInt, 0.0, 1.0, closed=\"right\"), \
     StrOptions({\"sqrt\", \"log2\"}), None]",
    "int, float, {\"sqrt\", \"log2\"} or None",
);

const CCP_ALPHA: Param = like(
    "ccp_alpha",
    "0.0",
    "[Interval(Real, 0.0, None, closed=\"left\"), StrOptions({\"cv\"})]",
    "non-negative float or \"cv\"",
);

pub const MONOTONIC: Param =
    translated("monotonic_cst", "None", "[\"array-like\", None]", "array-like of shape (n_features,) or None", "");

const TREE_IMPORTANCES: (&str, &str, &str) =
    ("feature_importances_", "ndarray of shape (n_features,)", "Share of each column in the decrease of the impurity.");

const TREE_ARRAYS: (&str, &str, &str) =
    ("tree_", "Tree", "The nodes as arrays: children_left, children_right, feature, threshold, impurity, value, …");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "DecisionTreeClassifier",
        learner: "tree",
        base: "_tree.DecisionTreeClassifier",
        summary: "Decision tree (CART) for classes",
        notes: TREE_NOTES,
        params: &[
            like(
                "criterion",
                "\"gini\"",
                "[StrOptions({\"gini\", \"entropy\", \"log_loss\", \"misclassification\"})]",
                "{\"gini\", \"entropy\", \"log_loss\", \"misclassification\"}",
            ),
            same("splitter"),
            MAX_DEPTH,
            MIN_SAMPLES_SPLIT,
            MIN_SAMPLES_LEAF,
            same("min_weight_fraction_leaf"),
            MAX_FEATURES,
            RANDOM_STATE,
            same("max_leaf_nodes"),
            same("min_impurity_decrease"),
            translated(
                "class_weight",
                "None",
                "[dict, list, StrOptions({\"balanced\"}), None]",
                "dict, \"balanced\" or None",
                "Weights of the classes by label, 1 for labels not listed; \"balanced\" gives every class the same total weight.",
            ),
            CCP_ALPHA,
            MONOTONIC,
            same("folds"),
            same("one_se"),
        ],
        positional: 0,
        handled: &[],
        attributes: &[
            CLASSES,
            ("n_classes_", "int", "Number of classes."),
            TREE_IMPORTANCES,
            ("max_features_", "int", "Number of columns looked at for each split."),
            ("n_outputs_", "int", "Number of targets."),
            TREE_ARRAYS,
        ],
        example: "",
    },
    PythonClass {
        class: "DecisionTreeRegressor",
        learner: "tree",
        base: "_tree.DecisionTreeRegressor",
        summary: "Decision tree (CART) for numbers",
        notes: TREE_NOTES,
        params: &[
            like(
                "criterion",
                "\"squared_error\"",
                "[StrOptions({\"squared_error\", \"absolute_error\", \"poisson\"}), Hidden(StrOptions({\"friedman_mse\"}))]",
                "{\"squared_error\", \"absolute_error\", \"poisson\"}",
            ),
            same("splitter"),
            MAX_DEPTH,
            MIN_SAMPLES_SPLIT,
            MIN_SAMPLES_LEAF,
            same("min_weight_fraction_leaf"),
            MAX_FEATURES,
            RANDOM_STATE,
            same("max_leaf_nodes"),
            same("min_impurity_decrease"),
            CCP_ALPHA,
            MONOTONIC,
            same("folds"),
            same("one_se"),
        ],
        positional: 0,
        handled: &["class_weight"],
        attributes: &[
            TREE_IMPORTANCES,
            ("max_features_", "int", "Number of columns looked at for each split."),
            ("n_outputs_", "int", "Number of targets."),
            TREE_ARRAYS,
        ],
        example: "",
    },
];
