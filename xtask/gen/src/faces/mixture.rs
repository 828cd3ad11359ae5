//! Mixtures.

use super::{BOOL, CLASSES, Param, PythonClass, RANDOM_STATE, VERBOSE, like, own, same, translated, unused};

const TOL: Param = like("tol", "1e-3", "[Interval(Real, 0.0, None, closed=\"left\")]", "float");
const REG_COVAR: Param = like("reg_covar", "1e-6", "[Interval(Real, 0.0, None, closed=\"left\")]", "float");
const REGULARISE: Param = like("regularise", "\"add\"", REGULARISATIONS, REGULARISATION_KIND);
const REGULARISATIONS: &str = "[StrOptions({\"add\", \"floor\", \"relative\"})]";
const REGULARISATION_KIND: &str = "{\"add\", \"floor\", \"relative\"}";
const N_INIT: Param = like("n_init", "1", "[Interval(Integral, 1, None, closed=\"left\")]", "int");
const PRIOR_DF: Param =
    like("degrees_of_freedom_prior", "None", "[Interval(Real, 0.0, None, closed=\"neither\"), None]", "float or None");
const PRIOR_SCATTER: Param = like(
    "covariance_prior",
    "None",
    "[Interval(Real, 0.0, None, closed=\"neither\"), \"array-like\", None]",
    "float, array-like of shape (n_features, n_features) or None",
);
const FOLDS: Param = like("folds", "5", "[Interval(Integral, 2, 1000, closed=\"both\")]", "int");
const CHOOSE: &str = "[StrOptions({\"bic\", \"aic\", \"cv\"}), None]";
const CHOOSE_KIND: &str = "{\"bic\", \"aic\", \"cv\"} or None";
const ITERATIONS: (&str, &str, &str) = ("n_iter_", "int", "Number of steps.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "GaussianMixture",
        learner: "gmm",
        base: "_mixture.GaussianMixture",
        summary: "",
        notes: "Where scikit-learn has the parameter, its name, meaning and default are the same; `reg_covar` is added to the variances unless \
                `regularise=\"floor\"`. A mean to start from that is given alone starts with equal weights and the covariance of all rows.",
        params: &[
            like("n_components", "1", "[Interval(Integral, 1, None, closed=\"left\")]", "int"),
            same("covariance_type"),
            TOL,
            REG_COVAR,
            like("max_iter", "100", "[Interval(Integral, 0, None, closed=\"left\")]", "int"),
            N_INIT,
            same("init_params"),
            translated("weights_init", "None", "[\"array-like\", None]", "array-like of shape (n_components,) or None", ""),
            translated(
                "means_init",
                "None",
                "[\"array-like\", None]",
                "array-like of shape (n_components, n_features) or None",
                "",
            ),
            translated("precisions_init", "None", "[\"array-like\", Real, None]", "array-like or None", ""),
            RANDOM_STATE,
            own(
                "warm_start",
                "False",
                BOOL,
                "bool",
                "Whether a further fit starts from the parameters of the last one; n_init and choose are then left aside.",
            ),
            VERBOSE,
            unused("verbose_interval", "10", "[Interval(Integral, 1, None, closed=\"left\")]", "int", ""),
            REGULARISE,
            same("algorithm"),
            same("equal_weights"),
            PRIOR_DF,
            PRIOR_SCATTER,
            like("choose", "None", CHOOSE, CHOOSE_KIND),
            FOLDS,
        ],
        positional: 1,
        handled: &[],
        attributes: &[
            ("weights_", "ndarray of shape (n_components,)", "Weights of the components."),
            ("means_", "ndarray of shape (n_components, n_features)", "Means of the components."),
            ("covariances_", "ndarray", "Covariances, in the shape that `covariance_type` asks for."),
            ("precisions_", "ndarray", "Inverses of the covariances."),
            ("precisions_cholesky_", "ndarray", "Cholesky factors of the inverses."),
            ("converged_", "bool", "Whether the likelihood settled."),
            ITERATIONS,
            ("lower_bound_", "float", "Mean log likelihood of a row, less penalties."),
            ("lower_bounds_", "list of float", "The same after every step; it never falls."),
            ("n_components_", "int", "Number of components, where it was chosen."),
            ("choice_", "list of dict", "The numbers of components that were tried and what each is worth."),
        ],
        example: "",
    },
    PythonClass {
        class: "GaussianMixtureClassifier",
        learner: "gmm-classifier",
        base: "_mixture.GaussianMixtureClassifier",
        summary: "",
        notes: "",
        params: &[
            like("n_components", "5", "[Interval(Integral, 1, None, closed=\"left\")]", "int"),
            like("choose", "\"bic\"", CHOOSE, CHOOSE_KIND),
            same("covariance_type"),
            like("priors", "None", "[\"array-like\", None]", "array-like of shape (n_classes,) or None"),
            TOL,
            REG_COVAR,
            like("regularise", "\"relative\"", REGULARISATIONS, REGULARISATION_KIND),
            like("max_iter", "100", "[Interval(Integral, 0, None, closed=\"left\")]", "int"),
            N_INIT,
            same("init_params"),
            same("algorithm"),
            PRIOR_DF,
            PRIOR_SCATTER,
            FOLDS,
            RANDOM_STATE,
        ],
        positional: 1,
        handled: &[],
        attributes: &[
            CLASSES,
            ("class_prior_", "ndarray of shape (n_classes,)", "Probability of each class."),
            ("class_count_", "ndarray of shape (n_classes,)", "Weight of each class."),
            ("n_components_", "ndarray of shape (n_classes,)", "Number of components of each class."),
            ITERATIONS,
        ],
        example: "",
    },
    PythonClass {
        class: "MixtureOfExpertsRegressor",
        learner: "mixture-of-experts",
        base: "_mixture.MixtureOfExpertsRegressor",
        summary: "Several linear models with Gaussian noise and a softmax gate that says which of them a row should listen to",
        notes: "",
        params: &[N_EXPERTS, same("alpha"), same("reg_variance"), same("tol"), STEPS, STARTS, RANDOM_STATE],
        positional: 1,
        handled: &[],
        attributes: &[
            ("coef_", "ndarray of shape (n_experts, n_features)", "Slopes of the experts."),
            ("intercept_", "ndarray of shape (n_experts,)", "Intercepts of the experts."),
            ("variance_", "ndarray of shape (n_experts,)", "Variance of the noise of the experts."),
            GATE,
            GATE_INTERCEPT,
            ITERATIONS,
        ],
        example: "",
    },
    PythonClass {
        class: "MixtureOfExpertsClassifier",
        learner: "mixture-of-experts",
        base: "_mixture.MixtureOfExpertsClassifier",
        summary: "Several softmax regressions and a softmax gate that says which of them a row should listen to",
        notes: "",
        params: &[N_EXPERTS, same("alpha"), same("tol"), STEPS, STARTS, RANDOM_STATE],
        positional: 1,
        handled: &["reg_variance"],
        attributes: &[
            CLASSES,
            ("coef_", "ndarray of shape (n_experts, n_classes, n_features)", "Slopes of the experts."),
            ("intercept_", "ndarray of shape (n_experts, n_classes)", "Intercepts of the experts."),
            GATE,
            GATE_INTERCEPT,
            ITERATIONS,
        ],
        example: "",
    },
];

const GATE: (&str, &str, &str) = ("gate_coef_", "ndarray of shape (n_experts, n_features)", "Slopes of the gate: log odds.");
const GATE_INTERCEPT: (&str, &str, &str) = ("gate_intercept_", "ndarray of shape (n_experts,)", "Intercepts of the gate.");

const N_EXPERTS: Param = like("n_experts", "2", "[Interval(Integral, 1, 4096, closed=\"both\")]", "int");
const STEPS: Param = like("max_iter", "300", "[Interval(Integral, 1, None, closed=\"left\")]", "int");
const STARTS: Param = like("n_init", "3", "[Interval(Integral, 1, None, closed=\"left\")]", "int");
