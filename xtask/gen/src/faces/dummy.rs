//! The baseline.

use super::*;

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "DummyClassifier",
        learner: "baseline",
        module: "dummy",
        base: "_dummy.DummyClassifier",
        summary: "Classifier that does not look at X: what any other must beat",
        params: &[
            like("strategy", Word("prior"), &[Words(&["most_frequent", "prior", "stratified", "uniform", "constant"])]),
            RANDOM_STATE,
            translated("constant", Nothing, &[Int, Text, ArrayLike, Null], "The label that the strategy \"constant\" predicts.")
                .kind("int, str or array-like of shape (n_outputs,)"),
        ],
        handled: &["quantile"],
        attributes: &[
            CLASSES,
            ("n_classes_", "int or list of int", "Number of classes of each output."),
            ("class_prior_", "ndarray of shape (n_classes,) or list of such", "Share of each class."),
            ("n_outputs_", "int", "Number of targets."),
            ("sparse_output_", "bool", "Whether predictions are sparse, as the target of fit was."),
        ],
        refuses: &["missing"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "DummyRegressor",
        learner: "baseline",
        module: "dummy",
        base: "_dummy.DummyRegressor",
        summary: "Regressor that does not look at X: what any other must beat",
        params: &[
            like("strategy", Word("mean"), &[Words(&["mean", "median", "quantile", "constant"])]),
            translated(
                "constant",
                Nothing,
                &[reals(f64::NEG_INFINITY, f64::INFINITY, Neither), ArrayLike, Null],
                "The number that the strategy \"constant\" predicts.",
            )
            .kind("float or array-like of shape (n_outputs,)"),
            like("quantile", Nothing, &[reals(0.0, 1.0, Both), Null]),
        ],
        attributes: &[
            ("constant_", "ndarray of shape (1, n_outputs)", "What is predicted for every row."),
            ("n_outputs_", "int", "Number of targets."),
        ],
        refuses: &["missing"],
        ..PythonClass::NEW
    },
];
