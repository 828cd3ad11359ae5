//! Least squares.

use super::*;

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "LinearRegression",
        learner: "ols",
        module: "linear_model",
        base: "_base.LinearRegression",
        params: &[
            same("fit_intercept"),
            COPY_X,
            unused(
                "tol",
                Number(1e-06),
                &[at_least(0.0)],
                "Rank is decided from the rounding errors of the data, not from a fixed cut-off.",
            ),
            N_JOBS,
            same("positive"),
        ],
        handled: &["confidence", "family"],
        attributes: &[
            ("coef_", "ndarray of shape (n_features,) or (n_targets, n_features)", "The coefficients."),
            ("intercept_", "float or ndarray of shape (n_targets,)", "The constant term; 0.0 without intercept."),
            ("rank_", "int", "Rank of the centered X. Dense X only."),
            ("singular_", "ndarray of shape (min(n_samples, n_features),)", "Singular values of the centered X. Dense X only."),
        ],
        fields: &["rank"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "Ridge",
        learner: "ridge",
        module: "linear_model",
        base: "_ridge.Ridge",
        params: &[
            translated(
                "alpha",
                Number(1.0),
                &[at_least(0.0), ArrayLike],
                "The strength of the penalty: one number, or one per target. 0 is least squares.",
            )
            .kind("float or array-like of shape (n_targets,)"),
            same("fit_intercept"),
            COPY_X,
            unused("max_iter", Nothing, &[ints_from(1), Null], "The fit is direct."),
            unused("tol", Number(0.0001), &[at_least(0.0)], "The fit is exact up to rounding."),
            own(
                "solver",
                Word("auto"),
                &[Words(&["auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"])],
                "Accepted so that programs written for scikit-learn run: every name gives the same exact fit, by the method \
                 that suits the shape of X. \"lbfgs\" needs `positive`; the names that scikit-learn refuses for sparse X \
                 with an intercept are refused here too.",
            )
            .kind("str"),
            same("positive"),
            UNUSED_RANDOM_STATE,
        ],
        positional: 1,
        handled: &["alphas", "alpha_per_target", "cv", "store_cv_results"],
        attributes: &[
            ("coef_", "ndarray of shape (n_features,) or (n_targets, n_features)", "The coefficients."),
            ("intercept_", "float or ndarray of shape (n_targets,)", "The constant term; 0.0 without intercept."),
            ("n_iter_", "ndarray of shape (n_targets,)", "1: the fit is direct."),
            ("solver_", "str", "The solver as scikit-learn would name it."),
        ],
        ..PythonClass::NEW
    },
];
