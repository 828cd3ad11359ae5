//! Lines for other losses than the square.

use super::{BOOL, PythonClass, like, own, same, unused};

const COEF: (&str, &str, &str) = ("coef_", "ndarray of shape (n_features,)", "The coefficients.");
const INTERCEPT: (&str, &str, &str) = ("intercept_", "float", "The constant term; 0.0 without intercept.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "HuberRegressor",
        learner: "huber",
        base: "_robust.HuberRegressor",
        summary: "",
        notes: "",
        params: &[
            like("epsilon", "1.35", "[Interval(Real, 1.0, None, closed=\"left\")]", "float"),
            like("max_iter", "100", "[Interval(Integral, 0, None, closed=\"left\")]", "int"),
            like("alpha", "0.0001", "[Interval(Real, 0, None, closed=\"left\")]", "float"),
            unused("warm_start", "False", BOOL, "bool", "Every fit starts anew."),
            same("fit_intercept"),
            like("tol", "1e-5", "[Interval(Real, 0.0, None, closed=\"left\")]", "float"),
            like("scale", "None", "[Interval(Real, 0, None, closed=\"neither\"), None]", "float or None"),
        ],
        positional: 0,
        handled: &[],
        attributes: &[
            COEF,
            INTERCEPT,
            ("scale_", "float", "The scale of the residuals."),
            ("n_iter_", "int", "Steps that were taken."),
            ("outliers_", "ndarray of shape (n_samples,)", "Whether a row is farther than `epsilon * scale_` from the line."),
        ],
        example: "",
    },
    PythonClass {
        class: "QuantileRegressor",
        learner: "quantile",
        base: "_robust.QuantileRegressor",
        summary: "",
        notes: "",
        params: &[
            like("quantile", "0.5", "[Interval(Real, 0, 1, closed=\"both\")]", "float"),
            like("alpha", "1.0", "[Interval(Real, 0, None, closed=\"left\")]", "float"),
            same("fit_intercept"),
            own(
                "solver",
                "\"highs\"",
                "[StrOptions({\"highs-ds\", \"highs-ipm\", \"highs\", \"interior-point\", \"revised simplex\"})]",
                "str",
                "The names of scikit-learn are accepted, with its refusals; one exact method stands behind all of them.",
            ),
            unused("solver_options", "None", "[dict, None]", "dict or None", "The method has no options."),
        ],
        positional: 0,
        handled: &[],
        attributes: &[COEF, INTERCEPT, ("n_iter_", "int", "Steps of the interior point and exchanges of rows.")],
        example: "",
    },
    PythonClass {
        class: "ExpectileRegressor",
        learner: "expectile",
        base: "_robust.ExpectileRegressor",
        summary: "",
        notes: "",
        params: &[
            like("tau", "0.5", "[Interval(Real, 0, 1, closed=\"neither\")]", "float"),
            like("alpha", "0.0", "[Interval(Real, 0, None, closed=\"left\")]", "float"),
            same("fit_intercept"),
            like("max_iter", "100", "[Interval(Integral, 1, None, closed=\"left\")]", "int"),
        ],
        positional: 0,
        handled: &[],
        attributes: &[COEF, INTERCEPT, ("n_iter_", "int", "Weighted least-squares fits that were made.")],
        example: "",
    },
];
