//! Generalized linear models.

use super::*;

const ALPHA: Param = like("alpha", Number(1.0), &[at_least(0.0)]);

const MAX_ITER: Param = like("max_iter", Whole(100), &[ints_from(1)]);

const TOL: Param = like("tol", Number(0.0001), &[above(0.0)]);

const SOLVER: Param = translated(
    "solver",
    Word("lbfgs"),
    &[Words(&["lbfgs", "newton-cholesky"])],
    "\"newton-cholesky\" is Newton's method; \"lbfgs\" is Newton's method where the Hessian is small enough, else L-BFGS. The \
     optimum is the same.",
);

const WARM_START: Param =
    own("warm_start", Flag(false), BOOL, "Whether a fit starts from the coefficients of the fit before it.");

const HANDLED: &[&str] = &["family", "power", "link", "offset", "exposure", "start"];

const ATTRIBUTES: &[Attribute] = &[
    ("coef_", "ndarray of shape (n_features,)", "The coefficients of the linear score."),
    ("intercept_", "float", "The constant term; 0.0 without intercept."),
    ("n_iter_", "int", "Steps that the fit took."),
];

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "PoissonRegressor",
        learner: "glm",
        module: "linear_model",
        base: "_glm.PoissonRegressor",
        summary: "Generalized linear model for counts: Poisson family, log link",
        params: &[ALPHA, same("fit_intercept"), SOLVER, MAX_ITER, TOL, WARM_START, VERBOSE],
        handled: HANDLED,
        attributes: ATTRIBUTES,
        fields: &["n_iter"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "GammaRegressor",
        learner: "glm",
        module: "linear_model",
        base: "_glm.GammaRegressor",
        summary: "Generalized linear model for positive amounts: Gamma family, log link",
        params: &[ALPHA, same("fit_intercept"), SOLVER, MAX_ITER, TOL, WARM_START, VERBOSE],
        handled: HANDLED,
        attributes: ATTRIBUTES,
        fields: &["n_iter"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "TweedieRegressor",
        learner: "glm",
        module: "linear_model",
        base: "_glm.TweedieRegressor",
        summary: "Generalized linear model whose variance is a power of the mean",
        params: &[
            translated("power", Number(0.0), &[reals(f64::NEG_INFINITY, f64::INFINITY, Neither)], ""),
            ALPHA,
            same("fit_intercept"),
            translated(
                "link",
                Word("auto"),
                &[Words(&["auto", "identity", "log"])],
                "The link between mean and score; \"auto\" is the identity for powers up to 0, else the logarithm.",
            ),
            SOLVER,
            MAX_ITER,
            TOL,
            WARM_START,
            VERBOSE,
        ],
        handled: HANDLED,
        attributes: ATTRIBUTES,
        fields: &["n_iter"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "GeneralizedLinearRegressor",
        learner: "glm",
        module: "linear_model",
        base: "_glm.GeneralizedLinearRegressor",
        notes: "`fit` and `predict` take `offset`, which is added to the score, or `exposure`, which the mean is proportional to.",
        params: &[
            same("family"),
            like("power", Number(1.5), &[reals(f64::NEG_INFINITY, f64::INFINITY, Neither)]),
            same("link"),
            like("alpha", Number(0.0), &[at_least(0.0)]),
            same("fit_intercept"),
            same("solver"),
            MAX_ITER,
            TOL,
            WARM_START,
            VERBOSE,
        ],
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
        fields: &["n_iter"],
        ..PythonClass::NEW
    },
];
