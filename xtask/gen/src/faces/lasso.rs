//! Lasso and elastic net.

use super::{BOOL, COPY_X, N_JOBS, Param, PythonClass, RANDOM_STATE, VERBOSE, like, own, same, translated};

const ALPHA: Param = like("alpha", "1.0", "[Interval(Real, 0, None, closed=\"left\")]", "float");
const L1_RATIO: Param = like("l1_ratio", "0.5", "[Interval(Real, 0, 1, closed=\"both\")]", "float");
const PRECOMPUTE: Param = translated(
    "precompute",
    "False",
    "[\"boolean\", \"array-like\"]",
    "bool or array-like of shape (n_features, n_features)",
    "Whether the products of all columns are computed at the start; otherwise those of the columns that come into play. A \
     given matrix of products is not needed.",
);
const MAX_ITER: Param = translated("max_iter", "1000", "[Interval(Integral, 1, None, closed=\"left\"), None]", "int", "");
const TOL: Param = like("tol", "1e-4", "[Interval(Real, 0, None, closed=\"left\")]", "float");
const WARM_START: Param =
    own("warm_start", "False", BOOL, "bool", "Whether a fit starts from the coefficients of the one before.");
const SELECTION: Param = like("selection", "\"cyclic\"", "[StrOptions({\"cyclic\", \"random\"})]", "{\"cyclic\", \"random\"}");
const HANDLED: &[&str] = &["alphas", "n_alphas", "eps", "cv", "start"];

const COEF: (&str, &str, &str) = ("coef_", "ndarray of shape (n_features,) or (n_targets, n_features)", "The coefficients.");
const INTERCEPT: (&str, &str, &str) =
    ("intercept_", "float or ndarray of shape (n_targets,)", "The constant term; 0.0 without intercept.");
const GAP: (&str, &str, &str) =
    ("dual_gap_", "float or ndarray of shape (n_targets,)", "An upper bound on objective minus optimum.");
const N_ITER: (&str, &str, &str) = ("n_iter_", "int or list of int", "Rounds of coordinate descent.");
const SPARSE: (&str, &str, &str) =
    ("sparse_coef_", "sparse array of shape (n_targets, n_features)", "The coefficients that are not 0.");
const CHOSEN: (&str, &str, &str) = ("alpha_", "float", "The penalty with the least error.");
const MSE_PATH: (&str, &str, &str) = (
    "mse_path_",
    "ndarray of shape (n_alphas, n_folds) or (n_l1_ratio, n_alphas, n_folds)",
    "The mean squared error on each fold.",
);
const ALPHAS: (&str, &str, &str) =
    ("alphas_", "ndarray of shape (n_alphas,) or (n_l1_ratio, n_alphas)", "The penalties, falling.");

const CV_EPS: Param = translated(
    "eps",
    "1e-3",
    "[Interval(Real, 0, None, closed=\"neither\")]",
    "float",
    "The last penalty of the path, as a share of the first, which is the least that makes all coefficients 0.",
);
const CV_ALPHAS: Param = translated(
    "alphas",
    "100",
    "[Interval(Integral, 1, None, closed=\"left\"), \"array-like\"]",
    "int or array-like",
    "The penalties to choose from, or how many of them.",
);
const CV_PRECOMPUTE: Param = translated(
    "precompute",
    "\"auto\"",
    "[StrOptions({\"auto\"}), \"array-like\", \"boolean\"]",
    "\"auto\", bool or array-like",
    "True computes the products of all columns at the start; otherwise those of the columns that come into play.",
);
const CV_MAX_ITER: Param = translated("max_iter", "1000", "[Interval(Integral, 1, None, closed=\"left\")]", "int", "");
const CV_CV: Param = translated(
    "cv",
    "None",
    "[\"cv_object\"]",
    "int, cross-validation generator or iterable",
    "How rows are split; None is 5 folds.",
);
const CV_HANDLED: &[&str] = &["alpha", "n_alphas", "start"];

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "Lasso",
        learner: "lasso",
        base: "_lasso.Lasso",
        summary: "",
        notes: "",
        params: &[
            ALPHA,
            same("fit_intercept"),
            PRECOMPUTE,
            COPY_X,
            MAX_ITER,
            TOL,
            WARM_START,
            same("positive"),
            RANDOM_STATE,
            SELECTION,
        ],
        positional: 1,
        handled: HANDLED,
        attributes: &[COEF, SPARSE, INTERCEPT, GAP, N_ITER],
        example: "",
    },
    PythonClass {
        class: "ElasticNet",
        learner: "elastic-net",
        base: "_lasso.ElasticNet",
        summary: "",
        notes: "",
        params: &[
            ALPHA,
            L1_RATIO,
            same("fit_intercept"),
            PRECOMPUTE,
            MAX_ITER,
            COPY_X,
            TOL,
            WARM_START,
            same("positive"),
            RANDOM_STATE,
            SELECTION,
        ],
        positional: 1,
        handled: HANDLED,
        attributes: &[COEF, SPARSE, INTERCEPT, GAP, N_ITER],
        example: "",
    },
    PythonClass {
        class: "LassoCV",
        learner: "lasso",
        base: "_lasso.LassoCV",
        summary: "Lasso whose penalty is chosen by cross-validation",
        notes: "",
        params: &[
            CV_EPS,
            CV_ALPHAS,
            same("fit_intercept"),
            CV_PRECOMPUTE,
            CV_MAX_ITER,
            TOL,
            COPY_X,
            CV_CV,
            VERBOSE,
            N_JOBS,
            same("positive"),
            RANDOM_STATE,
            SELECTION,
        ],
        positional: 0,
        handled: CV_HANDLED,
        attributes: &[CHOSEN, COEF, INTERCEPT, MSE_PATH, ALPHAS, GAP, N_ITER],
        example: "",
    },
    PythonClass {
        class: "ElasticNetCV",
        learner: "elastic-net",
        base: "_lasso.ElasticNetCV",
        summary: "Elastic net whose penalty is chosen by cross-validation",
        notes: "",
        params: &[
            translated(
                "l1_ratio",
                "0.5",
                "[Interval(Real, 0, 1, closed=\"both\"), \"array-like\"]",
                "float or array-like",
                "The share of the absolute values in the penalty; of several, the best is chosen.",
            ),
            CV_EPS,
            CV_ALPHAS,
            same("fit_intercept"),
            CV_PRECOMPUTE,
            CV_MAX_ITER,
            TOL,
            CV_CV,
            COPY_X,
            VERBOSE,
            N_JOBS,
            same("positive"),
            RANDOM_STATE,
            SELECTION,
        ],
        positional: 0,
        handled: CV_HANDLED,
        attributes: &[
            CHOSEN,
            ("l1_ratio_", "float", "The share of the absolute values that goes with it."),
            COEF,
            INTERCEPT,
            MSE_PATH,
            ALPHAS,
            GAP,
            N_ITER,
        ],
        example: "",
    },
];
