//! Trees.

use super::*;

const TREE_NOTES: &str = "X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or \
    categories, with missing values; in arrays NaN is a missing value. `sklearn.tree.export_text` and `plot_tree` read it.";

pub const MAX_DEPTH: Param = same("max_depth");

pub const MIN_SAMPLES_SPLIT: Param = like("min_samples_split", Whole(2), &[ints_from(2), fractions(0.0, 1.0, High)]);

pub const MIN_SAMPLES_LEAF: Param = like("min_samples_leaf", Whole(1), &[ints_from(1), fractions(0.0, 1.0, Neither)]);

const MAX_FEATURES: Param =
    like("max_features", Nothing, &[ints_from(1), fractions(0.0, 1.0, High), Words(&["sqrt", "log2"]), Null]);

const CCP_ALPHA: Param = like("ccp_alpha", Number(0.0), &[at_least(0.0), Words(&["cv"])]).kind("non-negative float or \"cv\"");

pub const MONOTONIC: Param =
    translated("monotonic_cst", Nothing, &[ArrayLike, Null], "").kind("array-like of shape (n_features,) or None");

const TREE_IMPORTANCES: Attribute =
    ("feature_importances_", "ndarray of shape (n_features,)", "Share of each column in the decrease of the impurity.");

const TREE_ARRAYS: Attribute =
    ("tree_", "Tree", "The nodes as arrays: children_left, children_right, feature, threshold, impurity, value, …");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "DecisionTreeClassifier",
        learner: "tree",
        module: "tree",
        base: "_tree.DecisionTreeClassifier",
        summary: "Decision tree (CART) for classes",
        notes: TREE_NOTES,
        params: &[
            like("criterion", Word("gini"), &[Words(&["gini", "entropy", "log_loss", "misclassification"])]),
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
                Nothing,
                &[Dict, List, Words(&["balanced"]), Null],
                "Weights of the classes by label, 1 for labels not listed; \"balanced\" gives every class the same total weight.",
            )
            .kind("dict, \"balanced\" or None"),
            CCP_ALPHA,
            MONOTONIC,
            same("folds"),
            same("one_se"),
        ],
        attributes: &[
            CLASSES,
            ("n_classes_", "int", "Number of classes."),
            TREE_IMPORTANCES,
            ("max_features_", "int", "Number of columns looked at for each split."),
            ("n_outputs_", "int", "Number of targets."),
            TREE_ARRAYS,
        ],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "DecisionTreeRegressor",
        learner: "tree",
        module: "tree",
        base: "_tree.DecisionTreeRegressor",
        summary: "Decision tree (CART) for numbers",
        notes: TREE_NOTES,
        params: &[
            like(
                "criterion",
                Word("squared_error"),
                &[Words(&["squared_error", "absolute_error", "poisson"]), Hidden(&["friedman_mse"])],
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
        handled: &["class_weight"],
        attributes: &[
            TREE_IMPORTANCES,
            ("max_features_", "int", "Number of columns looked at for each split."),
            ("n_outputs_", "int", "Number of targets."),
            TREE_ARRAYS,
        ],
        ..PythonClass::NEW
    },
];
