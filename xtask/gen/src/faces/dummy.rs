//! The baseline.

use super::{CLASSES, PythonClass, RANDOM_STATE, like, translated};

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "DummyClassifier",
        learner: "baseline",
        base: "_dummy.DummyClassifier",
        summary: "Classifier that does not look at X: what any other must beat",
        notes: "",
        params: &[
            like(
                "strategy",
                "\"prior\"",
                "[StrOptions({\"most_frequent\", \"prior\", \"stratified\", \"uniform\", \"constant\"})]",
                "{\"most_frequent\", \"prior\", \"stratified\", \"uniform\", \"constant\"}",
            ),
            RANDOM_STATE,
            translated(
                "constant",
                "None",
                "[Integral, str, \"array-like\", None]",
                "int, str or array-like of shape (n_outputs,)",
                "The label that the strategy \"constant\" predicts.",
            ),
        ],
        positional: 0,
        handled: &["quantile"],
        attributes: &[
            CLASSES,
            ("n_classes_", "int or list of int", "Number of classes of each output."),
            ("class_prior_", "ndarray of shape (n_classes,) or list of such", "Share of each class."),
            ("n_outputs_", "int", "Number of targets."),
            ("sparse_output_", "bool", "Whether predictions are sparse, as the target of fit was."),
        ],
        example: "",
    },
    PythonClass {
        class: "DummyRegressor",
        learner: "baseline",
        base: "_dummy.DummyRegressor",
        summary: "Regressor that does not look at X: what any other must beat",
        notes: "",
        params: &[
            like(
                "strategy",
                "\"mean\"",
                "[StrOptions({\"mean\", \"median\", \"quantile\", \"constant\"})]",
                "{\"mean\", \"median\", \"quantile\", \"constant\"}",
            ),
            translated(
                "constant",
                "None",
                "[Interval(Real, None, None, closed=\"neither\"), \"array-like\", None]",
                "float or array-like of shape (n_outputs,)",
                "The number that the strategy \"constant\" predicts.",
            ),
            like("quantile", "None", "[Interval(Real, 0.0, 1.0, closed=\"both\"), None]", "float or None"),
        ],
        positional: 0,
        handled: &[],
        attributes: &[
            ("constant_", "ndarray of shape (1, n_outputs)", "What is predicted for every row."),
            ("n_outputs_", "int", "Number of targets."),
        ],
        example: "",
    },
];
