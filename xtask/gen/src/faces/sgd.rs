//! Learning a row at a time: stochastic gradient descent and the perceptron; and stepwise regression.

use super::*;

const PENALTY: Param = translated(
    "penalty",
    Word("l2"),
    &[Words(&["l2", "l1", "elasticnet"]), Null],
    "The penalty on the weights: half their squares, their absolute values, both, or none.",
);

const ALPHA: Param = like("alpha", Number(0.0001), &[at_least(0.0)]);

const L1_RATIO: Param = translated("l1_ratio", Number(0.15), &[reals(0.0, 1.0, Both), Null], "").kind("float");

const MAX_ITER: Param = like("max_iter", Whole(1000), &[ints_from(1)]);

const TOL: Param = like("tol", Number(0.001), &[at_least(0.0), Null]);

const EPSILON: Param = like("epsilon", Number(0.1), &[at_least(0.0)]);

const RATES: &[Rule] = &[Words(&["constant", "optimal", "invscaling", "adaptive", "inverse", "step", "pa1", "pa2"])];

const POWER: &[Rule] = &[reals(f64::NEG_INFINITY, f64::INFINITY, Neither)];

const ETA0: Param = like("eta0", Number(0.01), &[above(0.0)]);

const FRACTION: Param = like("validation_fraction", Number(0.1), &[reals(0.0, 1.0, Neither)]);

const PATIENCE: Param = like("n_iter_no_change", Whole(5), &[ints_from(1)]);

const WARM_START: Param =
    own("warm_start", Flag(false), BOOL, "Whether a fit starts from the coefficients of the one before it.");

const AVERAGE: Param = like("average", Flag(false), &[ints_from(1), Bool]).kind("bool or int");

const T: Attribute = ("t_", "float", "One more than the rows that steps were taken for.");

const N_ITER: Attribute = ("n_iter_", "int", "Epochs of the last fit; with more than two classes, of the longest.");

const COEF: Attribute = ("coef_", "ndarray of shape (1, n_features) or (n_classes, n_features)", "The coefficients.");

const INTERCEPT: Attribute = ("intercept_", "ndarray of shape (1,) or (n_classes,)", "The constant terms.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "SGDClassifier",
        learner: "sgd",
        module: "linear_model",
        base: "_stochastic_gradient.SGDClassifier",
        summary: "Linear classifiers (support vector machine, logistic regression, …) learned one row at a time",
        notes: "`predict_proba` is there for the losses log_loss and modified_huber. Sparse rows are treated as dense ones are: the \
                constant term is not slowed down.",
        params: &[
            like(
                "loss",
                Word("hinge"),
                &[Words(&[
                    "hinge",
                    "log_loss",
                    "modified_huber",
                    "squared_hinge",
                    "perceptron",
                    "squared_error",
                    "huber",
                    "epsilon_insensitive",
                    "squared_epsilon_insensitive",
                    "exponential",
                    "linear",
                    "absolute_error",
                    "quantile",
                ])],
            )
            .kind("str"),
            PENALTY,
            ALPHA,
            L1_RATIO,
            same("fit_intercept"),
            MAX_ITER,
            TOL,
            same("shuffle"),
            VERBOSE,
            EPSILON,
            N_JOBS,
            RANDOM_STATE,
            like("learning_rate", Word("optimal"), RATES).kind("str"),
            ETA0,
            like("power_t", Number(0.5), POWER),
            same("early_stopping"),
            FRACTION,
            PATIENCE,
            CLASS_WEIGHT,
            WARM_START,
            AVERAGE,
            same("batch_size"),
            same("decay"),
            same("drop"),
            same("drop_every"),
            same("quantile"),
            same("preset"),
        ],
        positional: 1,
        attributes: &[CLASSES, COEF, INTERCEPT, N_ITER, T],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "SGDRegressor",
        learner: "sgd",
        module: "linear_model",
        base: "_stochastic_gradient.SGDRegressor",
        summary: "Linear regression by many losses, learned one row at a time",
        notes: "Sparse rows are treated as dense ones are: the constant term is not slowed down.",
        params: &[
            like(
                "loss",
                Word("squared_error"),
                &[Words(&[
                    "squared_error",
                    "huber",
                    "epsilon_insensitive",
                    "squared_epsilon_insensitive",
                    "absolute_error",
                    "quantile",
                ])],
            )
            .kind("str"),
            PENALTY,
            ALPHA,
            L1_RATIO,
            same("fit_intercept"),
            MAX_ITER,
            TOL,
            same("shuffle"),
            VERBOSE,
            EPSILON,
            RANDOM_STATE,
            like("learning_rate", Word("invscaling"), RATES).kind("str"),
            ETA0,
            like("power_t", Number(0.25), POWER),
            same("early_stopping"),
            FRACTION,
            PATIENCE,
            WARM_START,
            AVERAGE,
            same("batch_size"),
            same("decay"),
            same("drop"),
            same("drop_every"),
            same("quantile"),
            same("preset"),
        ],
        positional: 1,
        handled: &["class_weight"],
        attributes: &[
            ("coef_", "ndarray of shape (n_features,)", "The coefficients."),
            ("intercept_", "ndarray of shape (1,)", "The constant term."),
            N_ITER,
            T,
        ],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "Perceptron",
        learner: "perceptron",
        module: "linear_model",
        base: "_stochastic_gradient.Perceptron",
        params: &[
            translated(
                "penalty",
                Nothing,
                &[Words(&["l2", "l1", "elasticnet"]), Null],
                "The penalty on the weights: half their squares, their absolute values, both, or none.",
            ),
            ALPHA,
            like("l1_ratio", Number(0.15), &[reals(0.0, 1.0, Both)]),
            same("fit_intercept"),
            MAX_ITER,
            TOL,
            same("shuffle"),
            VERBOSE,
            like("eta0", Number(1.0), &[above(0.0)]),
            N_JOBS,
            own("random_state", Whole(0), &[RandomState], "The seed of the orders of the rows."),
            same("early_stopping"),
            FRACTION,
            PATIENCE,
            CLASS_WEIGHT,
            WARM_START,
        ],
        attributes: &[
            CLASSES,
            COEF,
            INTERCEPT,
            N_ITER,
            T,
            ("mistakes_", "list of ndarray", "Mistakes in each epoch, for each row of `coef_`."),
            (
                "novikoff_",
                "list of dict or None",
                "For each row of `coef_` that separated its class by plain steps from zero: radius R, margin, bound (R/margin)^2, \
                 best_margin, best_bound, margin_at_most.",
            ),
        ],
        fields: &["novikoff"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "StepwiseRegressor",
        learner: "stepwise",
        module: "linear_model",
        base: "_stepwise.StepwiseRegressor",
        params: &[same("criterion"), same("n_features"), same("folds"), same("fit_intercept")],
        attributes: &[
            ("coef_", "ndarray of shape (n_features,)", "The coefficients, 0 for columns that were not chosen."),
            ("intercept_", "float", "The constant term; 0.0 without intercept."),
            ("support_", "ndarray of shape (n_features,)", "Whether each column was chosen."),
            (
                "ranking_",
                "ndarray of shape (n_features,)",
                "The step in which each column came in, 1 for the first; columns that never did share the number after the last.",
            ),
            ("steps_", "list of dict", "The path: column (None at first), rss, r2, criterion."),
            ("n_features_", "int", "The number of chosen columns."),
        ],
        fields: &["steps"],
        ..PythonClass::NEW
    },
];
