//! Learning a row at a time: stochastic gradient descent and the perceptron; and stepwise regression.

use super::{BOOL, CLASS_WEIGHT, CLASSES, N_JOBS, Param, PythonClass, RANDOM_STATE, VERBOSE, like, own, same, translated};

const PENALTY: Param = translated(
    "penalty",
    "\"l2\"",
    "[StrOptions({\"l2\", \"l1\", \"elasticnet\"}), None]",
    "{\"l2\", \"l1\", \"elasticnet\"} or None",
    "What the weights carry: half their squares, their sizes, both, or nothing.",
);

const ALPHA: Param = like("alpha", "0.0001", "[Interval(Real, 0, None, closed=\"left\")]", "float");

const L1_RATIO: Param = translated("l1_ratio", "0.15", "[Interval(Real, 0, 1, closed=\"both\"), None]", "float", "");

const MAX_ITER: Param = like("max_iter", "1000", "[Interval(Integral, 1, None, closed=\"left\")]", "int");

const TOL: Param = like("tol", "1e-3", "[Interval(Real, 0, None, closed=\"left\"), None]", "float or None");

const EPSILON: Param = like("epsilon", "0.1", "[Interval(Real, 0, None, closed=\"left\")]", "float");

const RATES: &str =
    "[StrOptions({\"constant\", \"optimal\", \"invscaling\", \"adaptive\", \"inverse\", \"step\", \"pa1\", \"pa2\"})]";

const POWER: &str = "[Interval(Real, None, None, closed=\"neither\")]";

const ETA0: Param = like("eta0", "0.01", "[Interval(Real, 0, None, closed=\"neither\")]", "float");

const FRACTION: Param = like("validation_fraction", "0.1", "[Interval(Real, 0, 1, closed=\"neither\")]", "float");

const PATIENCE: Param = like("n_iter_no_change", "5", "[Interval(Integral, 1, None, closed=\"left\")]", "int");

const WARM_START: Param =
    own("warm_start", "False", BOOL, "bool", "Whether a fit starts from the coefficients of the one before it.");

const AVERAGE: Param = like("average", "False", "[Interval(Integral, 0, None, closed=\"neither\"), \"boolean\"]", "bool or int");

const T: (&str, &str, &str) = ("t_", "float", "One more than the rows that steps were taken for.");

const N_ITER: (&str, &str, &str) = ("n_iter_", "int", "Epochs of the last fit; with more than two classes, of the longest.");

const COEF: (&str, &str, &str) = ("coef_", "ndarray of shape (1, n_features) or (n_classes, n_features)", "The coefficients.");

const INTERCEPT: (&str, &str, &str) = ("intercept_", "ndarray of shape (1,) or (n_classes,)", "The constant terms.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "SGDClassifier",
        learner: "sgd",
        base: "_sgd.SGDClassifier",
        summary: "Linear classifiers (support vector machine, logistic regression, …) learned one row at a time",
        notes: "`predict_proba` is there for the losses log_loss and modified_huber. Sparse rows are treated as dense ones are: the \
                constant term is not slowed down.",
        params: &[
            like(
                "loss",
                "\"hinge\"",
                "[StrOptions({\"hinge\", \"log_loss\", \"modified_huber\", \"squared_hinge\", \"perceptron\", \"squared_error\", \
                 \"huber\", \"epsilon_insensitive\", \"squared_epsilon_insensitive\", \"exponential\", \"linear\", \
                 \"absolute_error\", \"quantile\"})]",
                "str",
            ),
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
            like("learning_rate", "\"optimal\"", RATES, "str"),
            ETA0,
            like("power_t", "0.5", POWER, "float"),
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
        handled: &[],
        attributes: &[CLASSES, COEF, INTERCEPT, N_ITER, T],
        example: "",
    },
    PythonClass {
        class: "SGDRegressor",
        learner: "sgd",
        base: "_sgd.SGDRegressor",
        summary: "Linear regression by many losses, learned one row at a time",
        notes: "Sparse rows are treated as dense ones are: the constant term is not slowed down.",
        params: &[
            like(
                "loss",
                "\"squared_error\"",
                "[StrOptions({\"squared_error\", \"huber\", \"epsilon_insensitive\", \"squared_epsilon_insensitive\", \
                 \"absolute_error\", \"quantile\"})]",
                "str",
            ),
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
            like("learning_rate", "\"invscaling\"", RATES, "str"),
            ETA0,
            like("power_t", "0.25", POWER, "float"),
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
        example: "",
    },
    PythonClass {
        class: "Perceptron",
        learner: "perceptron",
        base: "_sgd.Perceptron",
        summary: "",
        notes: "",
        params: &[
            translated(
                "penalty",
                "None",
                "[StrOptions({\"l2\", \"l1\", \"elasticnet\"}), None]",
                "{\"l2\", \"l1\", \"elasticnet\"} or None",
                "What the weights carry: half their squares, their sizes, both, or nothing.",
            ),
            ALPHA,
            like("l1_ratio", "0.15", "[Interval(Real, 0, 1, closed=\"both\")]", "float"),
            same("fit_intercept"),
            MAX_ITER,
            TOL,
            same("shuffle"),
            VERBOSE,
            like("eta0", "1.0", "[Interval(Real, 0, None, closed=\"neither\")]", "float"),
            N_JOBS,
            own("random_state", "0", "[\"random_state\"]", "int, RandomState or None", "The seed of the orders of the rows."),
            same("early_stopping"),
            FRACTION,
            PATIENCE,
            CLASS_WEIGHT,
            WARM_START,
        ],
        positional: 0,
        handled: &[],
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
        example: "",
    },
    PythonClass {
        class: "StepwiseRegressor",
        learner: "stepwise",
        base: "_sgd.StepwiseRegressor",
        summary: "",
        notes: "",
        params: &[same("criterion"), same("n_features"), same("folds"), same("fit_intercept")],
        positional: 0,
        handled: &[],
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
        example: "",
    },
];
