//! Lines for other losses than the square.

use super::*;

const COEF: Attribute = ("coef_", "ndarray of shape (n_features,)", "The coefficients.");
const INTERCEPT: Attribute = ("intercept_", "float", "The constant term; 0.0 without intercept.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "HuberRegressor",
        learner: "huber",
        module: "linear_model",
        base: "_robust.HuberRegressor",
        params: &[
            like("epsilon", Number(1.35), &[at_least(1.0)]),
            like("max_iter", Whole(100), &[ints_from(0)]),
            like("alpha", Number(0.0001), &[at_least(0.0)]),
            unused("warm_start", Flag(false), BOOL, "Every fit starts anew."),
            same("fit_intercept"),
            like("tol", Number(1e-05), &[at_least(0.0)]),
            like("scale", Nothing, &[above(0.0), Null]),
        ],
        attributes: &[
            COEF,
            INTERCEPT,
            ("scale_", "float", "The scale of the residuals."),
            ("n_iter_", "int", "Steps that were taken."),
            ("outliers_", "ndarray of shape (n_samples,)", "Whether a row is farther than `epsilon * scale_` from the line."),
        ],
        fields: &["n_iter"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "QuantileRegressor",
        learner: "quantile",
        module: "linear_model",
        base: "_robust.QuantileRegressor",
        params: &[
            like("quantile", Number(0.5), &[reals(0.0, 1.0, Both)]),
            like("alpha", Number(1.0), &[at_least(0.0)]),
            same("fit_intercept"),
            own(
                "solver",
                Word("highs"),
                &[Words(&["highs-ds", "highs-ipm", "highs", "interior-point", "revised simplex"])],
                "The names of scikit-learn are accepted, with its refusals; one exact method stands behind all of them.",
            )
            .kind("str"),
            unused("solver_options", Nothing, &[Dict, Null], "The method has no options."),
        ],
        attributes: &[COEF, INTERCEPT, ("n_iter_", "int", "Steps of the interior point and exchanges of rows.")],
        fields: &["n_iter"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "ExpectileRegressor",
        learner: "expectile",
        module: "linear_model",
        base: "_robust.SingleTargetRegressor",
        params: &[
            like("tau", Number(0.5), &[reals(0.0, 1.0, Neither)]),
            like("alpha", Number(0.0), &[at_least(0.0)]),
            same("fit_intercept"),
            like("max_iter", Whole(100), &[ints_from(1)]),
        ],
        attributes: &[COEF, INTERCEPT, ("n_iter_", "int", "Weighted least-squares fits that were made.")],
        fields: &["n_iter"],
        ..PythonClass::NEW
    },
];
