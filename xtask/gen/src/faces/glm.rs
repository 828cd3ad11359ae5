//! Generalised linear models.

use super::{BOOL, Param, PythonClass, VERBOSE, like, own, same, translated};

const ALPHA: Param = like("alpha", "1.0", "[Interval(Real, 0.0, None, closed=\"left\")]", "float");

const MAX_ITER: Param = like("max_iter", "100", "[Interval(Integral, 1, None, closed=\"left\")]", "int");

const TOL: Param = like("tol", "1e-4", "[Interval(Real, 0.0, None, closed=\"neither\")]", "float");

const SOLVER: Param = translated(
    "solver",
    "\"lbfgs\"",
    "[StrOptions({\"lbfgs\", \"newton-cholesky\"})]",
    "{\"lbfgs\", \"newton-cholesky\"}",
    "\"newton-cholesky\" is Newton's method; \"lbfgs\" is Newton's method where the Hessian is small enough, else L-BFGS. The \
     optimum is the same.",
);

const WARM_START: Param =
    own("warm_start", "False", BOOL, "bool", "Whether a fit starts from the coefficients of the fit before it.");

const HANDLED: &[&str] = &["family", "power", "link", "offset", "exposure", "start"];

const ATTRIBUTES: &[(&str, &str, &str)] = &[
    ("coef_", "ndarray of shape (n_features,)", "The coefficients of the linear score."),
    ("intercept_", "float", "The constant term; 0.0 without intercept."),
    ("n_iter_", "int", "Steps that the fit took."),
];

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "PoissonRegressor",
        learner: "glm",
        base: "_glm.PoissonRegressor",
        summary: "Generalised linear model for counts: Poisson family, log link",
        notes: "",
        params: &[ALPHA, same("fit_intercept"), SOLVER, MAX_ITER, TOL, WARM_START, VERBOSE],
        positional: 0,
        handled: HANDLED,
        attributes: ATTRIBUTES,
        example: "",
    },
    PythonClass {
        class: "GammaRegressor",
        learner: "glm",
        base: "_glm.GammaRegressor",
        summary: "Generalised linear model for positive amounts: Gamma family, log link",
        notes: "",
        params: &[ALPHA, same("fit_intercept"), SOLVER, MAX_ITER, TOL, WARM_START, VERBOSE],
        positional: 0,
        handled: HANDLED,
        attributes: ATTRIBUTES,
        example: "",
    },
    PythonClass {
        class: "TweedieRegressor",
        learner: "glm",
        base: "_glm.TweedieRegressor",
        summary: "Generalised linear model whose variance is a power of the mean",
        notes: "",
        params: &[
            translated("power", "0.0", "[Interval(Real, None, None, closed=\"neither\")]", "float", ""),
            ALPHA,
            same("fit_intercept"),
            translated(
                "link",
                "\"auto\"",
                "[StrOptions({\"auto\", \"identity\", \"log\"})]",
                "{\"auto\", \"identity\", \"log\"}",
                "What stands between mean and score; \"auto\" is the identity for powers up to 0, else the logarithm.",
            ),
            SOLVER,
            MAX_ITER,
            TOL,
            WARM_START,
            VERBOSE,
        ],
        positional: 0,
        handled: HANDLED,
        attributes: ATTRIBUTES,
        example: "",
    },
    PythonClass {
        class: "GeneralizedLinearRegressor",
        learner: "glm",
        base: "_glm.GeneralizedLinearRegressor",
        summary: "",
        notes: "`fit` and `predict` take `offset`, which is added to the score, or `exposure`, which the mean is proportional to.",
        params: &[
            same("family"),
            like("power", "1.5", "[Interval(Real, None, None, closed=\"neither\")]", "float"),
            same("link"),
            like("alpha", "0.0", "[Interval(Real, 0.0, None, closed=\"left\")]", "float"),
            same("fit_intercept"),
            same("solver"),
            MAX_ITER,
            TOL,
            WARM_START,
            VERBOSE,
        ],
        positional: 0,
        handled: &["offset", "exposure", "start"],
        attributes: &[
            ("coef_", "ndarray of shape (n_features,)", "The coefficients of the linear score."),
            ("intercept_", "float", "The constant term; 0.0 without intercept."),
            ("n_iter_", "int", "Steps that the fit took."),
            ("deviance_", "float", "The deviance of the fit."),
            ("null_deviance_", "float", "The deviance of the model without columns."),
            ("dispersion_", "float", "What the variance is in units of V(mu): 1 for counts and shares, else estimated."),
            ("log_likelihood_", "float", "The log-likelihood at its maximum; NaN for Tweedie families."),
            ("aic_", "float", "Akaike's criterion."),
            ("bic_", "float", "The Bayesian criterion."),
            (
                "summary_",
                "dict of ndarray of shape (n_features + 1,)",
                "Of a fit without penalty: `std_err`, `t_value`, `p_value`, `conf_low`, `conf_high`, the constant term first; None \
                 where coefficients are not determined.",
            ),
        ],
        example: "",
    },
];
