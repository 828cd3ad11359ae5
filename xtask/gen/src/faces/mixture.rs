//! Mixtures.

use super::*;

const TOL: Param = like("tol", Number(0.001), &[at_least(0.0)]);
const REG_COVAR: Param = like("reg_covar", Number(1e-06), &[at_least(0.0)]);
const REGULARIZE: Param = like("regularise", Word("add"), REGULARIZATIONS);
const REGULARIZATIONS: &[Rule] = &[Words(&["add", "floor", "relative"])];
const N_INIT: Param = like("n_init", Whole(1), &[ints_from(1)]);
const PRIOR_DF: Param = like("degrees_of_freedom_prior", Nothing, &[above(0.0), Null]);
const PRIOR_SCATTER: Param = like("covariance_prior", Nothing, &[above(0.0), ArrayLike, Null])
    .kind("float, array-like of shape (n_features, n_features) or None");
const FOLDS: Param = like("folds", Whole(5), &[ints(2, 1000)]);
const CHOOSE: &[Rule] = &[Words(&["bic", "aic", "cv"]), Null];
const ITERATIONS: Attribute = ("n_iter_", "int", "Number of steps.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "GaussianMixture",
        learner: "gmm",
        module: "mixture",
        base: "_gaussian_mixture.GaussianMixture",
        notes: "Where scikit-learn has the parameter, its name, meaning and default are the same; `reg_covar` is added to the variances unless \
                `regularise=\"floor\"`. A mean to start from that is given alone starts with equal weights and the covariance of all rows.",
        params: &[
            like("n_components", Whole(1), &[ints_from(1)]),
            same("covariance_type"),
            TOL,
            REG_COVAR,
            like("max_iter", Whole(100), &[ints_from(0)]),
            N_INIT,
            same("init_params"),
            translated("weights_init", Nothing, &[ArrayLike, Null], "").kind("array-like of shape (n_components,) or None"),
            translated("means_init", Nothing, &[ArrayLike, Null], "")
                .kind("array-like of shape (n_components, n_features) or None"),
            translated("precisions_init", Nothing, &[ArrayLike, Real, Null], "").kind("array-like or None"),
            RANDOM_STATE,
            own(
                "warm_start",
                Flag(false),
                BOOL,
                "Whether a further fit starts from the parameters of the last one; n_init and choose are then left aside.",
            ),
            VERBOSE,
            unused("verbose_interval", Whole(10), &[ints_from(1)], ""),
            REGULARIZE,
            same("algorithm"),
            same("equal_weights"),
            PRIOR_DF,
            PRIOR_SCATTER,
            like("choose", Nothing, CHOOSE),
            FOLDS,
        ],
        positional: 1,
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
        arrays: &["weights", "means", "covariances"],
        fields: &["choice"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "GaussianMixtureClassifier",
        learner: "gmm-classifier",
        module: "mixture",
        base: "_gaussian_mixture.GaussianMixtureClassifier",
        params: &[
            like("n_components", Whole(5), &[ints_from(1)]),
            like("choose", Word("bic"), CHOOSE),
            same("covariance_type"),
            like("priors", Nothing, &[ArrayLike, Null]).kind("array-like of shape (n_classes,) or None"),
            TOL,
            REG_COVAR,
            like("regularise", Word("relative"), REGULARIZATIONS),
            like("max_iter", Whole(100), &[ints_from(0)]),
            N_INIT,
            same("init_params"),
            same("algorithm"),
            PRIOR_DF,
            PRIOR_SCATTER,
            FOLDS,
            RANDOM_STATE,
        ],
        positional: 1,
        attributes: &[
            CLASSES,
            ("class_prior_", "ndarray of shape (n_classes,)", "Probability of each class."),
            ("class_count_", "ndarray of shape (n_classes,)", "Weight of each class."),
            ("n_components_", "ndarray of shape (n_classes,)", "Number of components of each class."),
            ITERATIONS,
        ],
        arrays: &["class_prior", "class_count"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "MixtureOfExpertsRegressor",
        learner: "mixture-of-experts",
        module: "mixture",
        base: "_experts.MixtureOfExpertsRegressor",
        summary: "Several linear models with Gaussian noise and a softmax gate that weights them for each row",
        params: &[N_EXPERTS, same("alpha"), same("reg_variance"), same("tol"), STEPS, STARTS, RANDOM_STATE],
        positional: 1,
        attributes: &[
            ("coef_", "ndarray of shape (n_experts, n_features)", "Slopes of the experts."),
            ("intercept_", "ndarray of shape (n_experts,)", "Intercepts of the experts."),
            ("variance_", "ndarray of shape (n_experts,)", "Variance of the noise of the experts."),
            GATE,
            GATE_INTERCEPT,
            ITERATIONS,
        ],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "MixtureOfExpertsClassifier",
        learner: "mixture-of-experts",
        module: "mixture",
        base: "_experts.MixtureOfExpertsClassifier",
        summary: "Several softmax regressions and a softmax gate that weights them for each row",
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
        ..PythonClass::NEW
    },
];

const GATE: Attribute = ("gate_coef_", "ndarray of shape (n_experts, n_features)", "Slopes of the gate: log odds.");
const GATE_INTERCEPT: Attribute = ("gate_intercept_", "ndarray of shape (n_experts,)", "Intercepts of the gate.");

const N_EXPERTS: Param = like("n_experts", Whole(2), &[ints(1, 4096)]);
const STEPS: Param = like("max_iter", Whole(300), &[ints_from(1)]);
const STARTS: Param = like("n_init", Whole(3), &[ints_from(1)]);
