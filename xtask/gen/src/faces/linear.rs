//! Least squares.

use super::{COPY_X, N_JOBS, PythonClass, RANDOM_STATE, own, same, translated, unused};

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "LinearRegression",
        learner: "ols",
        base: "_linear.LinearRegression",
        summary: "",
        notes: "",
        params: &[
            same("fit_intercept"),
            COPY_X,
            unused(
                "tol",
                "1e-6",
                "[Interval(Real, 0, None, closed=\"left\")]",
                "float",
                "Rank is decided from the rounding errors of the data, not from a fixed cut-off.",
            ),
            N_JOBS,
            same("positive"),
        ],
        positional: 0,
        handled: &["confidence", "family"],
        attributes: &[
            ("coef_", "ndarray of shape (n_features,) or (n_targets, n_features)", "The coefficients."),
            ("intercept_", "float or ndarray of shape (n_targets,)", "The constant term; 0.0 without intercept."),
            ("rank_", "int", "Rank of the centred X. Dense X only."),
            ("singular_", "ndarray of shape (min(n_samples, n_features),)", "Singular values of the centred X. Dense X only."),
        ],
        example: "",
    },
    PythonClass {
        class: "Ridge",
        learner: "ridge",
        base: "_linear.Ridge",
        summary: "",
        notes: "",
        params: &[
            translated(
                "alpha",
                "1.0",
                "[Interval(Real, 0, None, closed=\"left\"), \"array-like\"]",
                "float or array-like of shape (n_targets,)",
                "The strength of the penalty: one number, or one a target. 0 is least squares.",
            ),
            same("fit_intercept"),
            COPY_X,
            unused(
                "max_iter",
                "None",
                "[Interval(Integral, 1, None, closed=\"left\"), None]",
                "int or None",
                "The fit is direct.",
            ),
            unused("tol", "1e-4", "[Interval(Real, 0, None, closed=\"left\")]", "float", "The fit is exact up to rounding."),
            own(
                "solver",
                "\"auto\"",
                "[StrOptions({\"auto\", \"svd\", \"cholesky\", \"lsqr\", \"sparse_cg\", \"sag\", \"saga\", \"lbfgs\"})]",
                "str",
                "Accepted so that programs written for scikit-learn run: every name gives the same exact fit, by the method \
                 that suits the shape of X. \"lbfgs\" needs `positive`; the names that scikit-learn refuses for sparse X \
                 with an intercept are refused here too.",
            ),
            same("positive"),
            RANDOM_STATE,
        ],
        positional: 1,
        handled: &["alphas", "alpha_per_target", "cv", "store_cv_results"],
        attributes: &[
            ("coef_", "ndarray of shape (n_features,) or (n_targets, n_features)", "The coefficients."),
            ("intercept_", "float or ndarray of shape (n_targets,)", "The constant term; 0.0 without intercept."),
            ("n_iter_", "ndarray of shape (n_targets,)", "1: the fit is direct."),
            ("solver_", "str", "The solver as scikit-learn would name it."),
        ],
        example: "",
    },
];
