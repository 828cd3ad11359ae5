//! Lasso and elastic net.

use super::*;

const ALPHA: Param = like("alpha", Number(1.0), &[at_least(0.0)]);
const L1_RATIO: Param = like("l1_ratio", Number(0.5), &[reals(0.0, 1.0, Both)]);
const PRECOMPUTE: Param = translated(
    "precompute",
    Flag(false),
    &[Bool, ArrayLike],
    "Whether the products of all columns are computed at the start; otherwise those of the columns that become active. A \
     given matrix of products is not needed.",
)
.kind("bool or array-like of shape (n_features, n_features)");
const MAX_ITER: Param = translated("max_iter", Whole(1000), &[ints_from(1), Null], "").kind("int");
const TOL: Param = like("tol", Number(0.0001), &[at_least(0.0)]);
const WARM_START: Param = own("warm_start", Flag(false), BOOL, "Whether a fit starts from the coefficients of the one before.");
const SELECTION: Param = like("selection", Word("cyclic"), &[Words(&["cyclic", "random"])]);
const SELECTION_SEED: Param = RANDOM_STATE.doc("The seed of the order of the coefficients; used with selection=\"random\" only.");
const HANDLED: &[&str] = &["alphas", "n_alphas", "eps", "cv", "start"];

const COEF: Attribute = ("coef_", "ndarray of shape (n_features,) or (n_targets, n_features)", "The coefficients.");
const INTERCEPT: Attribute =
    ("intercept_", "float or ndarray of shape (n_targets,)", "The constant term; 0.0 without intercept.");
const GAP: Attribute = ("dual_gap_", "float or ndarray of shape (n_targets,)", "An upper bound on objective minus optimum.");
const N_ITER: Attribute = ("n_iter_", "int or list of int", "Rounds of coordinate descent.");
const SPARSE: Attribute = ("sparse_coef_", "sparse array of shape (n_targets, n_features)", "The coefficients that are not 0.");
const CHOSEN: Attribute = ("alpha_", "float", "The penalty with the least error.");
const MSE_PATH: Attribute = (
    "mse_path_",
    "ndarray of shape (n_alphas, n_folds) or (n_l1_ratio, n_alphas, n_folds)",
    "The mean squared error on each fold.",
);
const ALPHAS: Attribute = ("alphas_", "ndarray of shape (n_alphas,) or (n_l1_ratio, n_alphas)", "The penalties, falling.");

const CV_EPS: Param = translated(
    "eps",
    Number(0.001),
    &[above(0.0)],
    "The last penalty of the path, as a share of the first, which is the least that makes all coefficients 0.",
);
const CV_ALPHAS: Param =
    translated("alphas", Whole(100), &[ints_from(1), ArrayLike], "The penalties to choose from, or how many of them.");
const CV_PRECOMPUTE: Param = translated(
    "precompute",
    Word("auto"),
    &[Words(&["auto"]), ArrayLike, Bool],
    "True computes the products of all columns at the start; otherwise those of the columns that become active.",
)
.kind("\"auto\", bool or array-like");
const CV_MAX_ITER: Param = translated("max_iter", Whole(1000), &[ints_from(1)], "");
const CV_CV: Param = translated("cv", Nothing, &[Folds], "How rows are split; None is 5 folds.")
    .kind("int, cross-validation generator or iterable");
const CV_HANDLED: &[&str] = &["alpha", "n_alphas", "start"];

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "Lasso",
        learner: "lasso",
        module: "linear_model",
        base: "_coordinate_descent.Lasso",
        params: &[
            ALPHA,
            same("fit_intercept"),
            PRECOMPUTE,
            COPY_X,
            MAX_ITER,
            TOL,
            WARM_START,
            same("positive"),
            SELECTION_SEED,
            SELECTION,
        ],
        positional: 1,
        handled: HANDLED,
        attributes: &[COEF, SPARSE, INTERCEPT, GAP, N_ITER],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "ElasticNet",
        learner: "elastic-net",
        module: "linear_model",
        base: "_coordinate_descent.PenalizedRegressor",
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
            SELECTION_SEED,
            SELECTION,
        ],
        positional: 1,
        handled: HANDLED,
        attributes: &[COEF, SPARSE, INTERCEPT, GAP, N_ITER],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "LassoCV",
        learner: "lasso",
        module: "linear_model",
        base: "_coordinate_descent.PenalizedRegressorCV",
        summary: "Lasso whose penalty is chosen by cross-validation",
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
            SELECTION_SEED,
            SELECTION,
        ],
        handled: CV_HANDLED,
        attributes: &[CHOSEN, COEF, INTERCEPT, MSE_PATH, ALPHAS, GAP, N_ITER],
        refuses: &["targets"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "ElasticNetCV",
        learner: "elastic-net",
        module: "linear_model",
        base: "_coordinate_descent.PenalizedRegressorCV",
        summary: "Elastic net whose penalty is chosen by cross-validation",
        params: &[
            translated(
                "l1_ratio",
                Number(0.5),
                &[reals(0.0, 1.0, Both), ArrayLike],
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
            SELECTION_SEED,
            SELECTION,
        ],
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
        refuses: &["targets"],
        ..PythonClass::NEW
    },
];
