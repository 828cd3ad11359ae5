//! Logistic regression.

use super::{BOOL, CLASS_WEIGHT, CLASSES, N_JOBS, Param, PythonClass, RANDOM_STATE, VERBOSE, own, same, translated, unused};

const DUAL: Param = unused("dual", "False", BOOL, "bool", "");
const TOL: Param = translated("tol", "1e-4", "[Interval(Real, 0, None, closed=\"left\")]", "float", "");
const SOLVER: Param = translated(
    "solver",
    "\"lbfgs\"",
    "[StrOptions({\"lbfgs\", \"liblinear\", \"newton-cg\", \"newton-cholesky\", \"sag\", \"saga\"})]",
    "str",
    "The names of scikit-learn are accepted, with the penalties they take there. All find the same optimum, by the method \
     that suits penalty and shape of X; the constant term is not penalised by any of them.",
);
const MAX_ITER: Param = translated("max_iter", "100", "[Interval(Integral, 0, None, closed=\"left\")]", "int", "");
const COEF: (&str, &str, &str) = ("coef_", "ndarray of shape (1, n_features) or (n_classes, n_features)", "The coefficients.");
const INTERCEPT: (&str, &str, &str) = ("intercept_", "ndarray of shape (1,) or (n_classes,)", "The constant terms.");

/// A parameter of liblinear, whose constant term is one more column.
const fn intercept_scaling(default: &'static str) -> Param {
    unused(
        "intercept_scaling",
        default,
        "[Interval(Real, 0, None, closed=\"neither\")]",
        "float",
        "The constant term is never penalised.",
    )
}

pub const FACES: &[PythonClass] = &[ONE, CHOSEN];

const ONE: PythonClass = PythonClass {
    class: "LogisticRegression",
    learner: "logistic",
    base: "_logistic.LogisticRegression",
    summary: "",
    notes: "",
    params: &[
        translated(
            "penalty",
            "\"deprecated\"",
            "[StrOptions({\"l1\", \"l2\", \"elasticnet\"}), None, Hidden(StrOptions({\"deprecated\"}))]",
            "{\"l1\", \"l2\", \"elasticnet\"} or None",
            "The old way to say what `C` and `l1_ratio` say; None is C=inf.",
        ),
        translated("C", "1.0", "[Interval(Real, 0, None, closed=\"right\")]", "float", ""),
        translated(
            "l1_ratio",
            "0.0",
            "[Interval(Real, 0, 1, closed=\"both\"), None]",
            "float",
            "As in scikit-learn, the solvers \"saga\" and (for 1) \"liblinear\" take other values than 0.",
        ),
        DUAL,
        TOL,
        same("fit_intercept"),
        intercept_scaling("1"),
        CLASS_WEIGHT,
        RANDOM_STATE,
        SOLVER,
        MAX_ITER,
        VERBOSE,
        own("warm_start", "False", BOOL, "bool", "Whether a fit starts from the coefficients of the last one."),
        N_JOBS,
    ],
    positional: 1,
    handled: &["start"],
    attributes: &[
        CLASSES,
        COEF,
        INTERCEPT,
        ("n_iter_", "ndarray of shape (1,)", "Iterations of the solver."),
        (
            "separating_direction_",
            "ndarray of shape (1, n_features) or (n_classes, n_features)",
            "Only without penalty, and only when the classes can be told apart: coefficients of norm 1 along which every row has its \
             own class rise, or stay. The likelihood then has no maximum.",
        ),
        ("separating_intercept_", "ndarray of shape (1,) or (n_classes,)", "The constant terms that go with them."),
        ("separating_margin_", "float", "The least lead of its own class that a row has along them; 0 when some have none."),
    ],
    example: "",
};

const CHOSEN: PythonClass = PythonClass {
    class: "LogisticRegressionCV",
    learner: "logistic",
    base: "_logistic_cv.LogisticRegressionCV",
    summary: "Logistic regression for two classes, softmax regression for more, with C (and the L1 share) chosen by cross-validation",
    notes: "In every fold the fits start from the one before, from the strongest penalty to the weakest, and the last fit on all rows starts from \
            the mean of the folds. A class without rows in a fold has coefficients of 0 and a constant term of minus infinity there. A saved \
            model is opened as LogisticRegression with what was chosen.",
    params: &[
        own(
            "Cs",
            "10",
            "[Interval(Integral, 1, None, closed=\"left\"), \"array-like\"]",
            "int or array-like of shape (n_cs,)",
            "The values of C to choose from, or how many of them, in equal ratios from 1e-4 to 1e4.",
        ),
        own(
            "l1_ratios",
            "\"warn\"",
            "[\"array-like\", None, Hidden(StrOptions({\"warn\"}))]",
            "array-like of shape (n_l1_ratios,) or None",
            "The shares of the L1 part of the penalty to choose from; None is no L1 part. As in scikit-learn, other values than 0 are taken by \
             the solvers \"saga\" and (for 1) \"liblinear\".",
        ),
        same("fit_intercept"),
        own(
            "cv",
            "None",
            "[\"cv_object\"]",
            "int, cross-validation generator or iterable",
            "How rows are split; None is 5 folds with the classes in their shares.",
        ),
        DUAL,
        translated(
            "penalty",
            "\"deprecated\"",
            "[StrOptions({\"l1\", \"l2\", \"elasticnet\"}), Hidden(StrOptions({\"deprecated\"}))]",
            "{\"l1\", \"l2\", \"elasticnet\"}",
            "The old way to say what `l1_ratios` says.",
        ),
        own(
            "scoring",
            "\"warn\"",
            "[StrOptions(set(get_scorer_names())), callable, None, Hidden(StrOptions({\"warn\"}))]",
            "str, callable or None",
            "How a fit is judged on the rows that had no part in it; None is accuracy.",
        ),
        SOLVER,
        TOL,
        MAX_ITER,
        CLASS_WEIGHT,
        N_JOBS,
        VERBOSE,
        own(
            "refit",
            "True",
            BOOL,
            "bool",
            "Whether all rows are fitted with what is best on average. Otherwise the coefficients that are best in each fold are averaged.",
        ),
        intercept_scaling("1.0"),
        RANDOM_STATE,
        own(
            "use_legacy_attributes",
            "\"warn\"",
            "[\"boolean\", Hidden(StrOptions({\"warn\"}))]",
            "bool",
            "Whether attributes have the shapes of before scikit-learn 1.10: `C_` and `l1_ratio_` repeated for each class, `coefs_paths_` and \
             `scores_` dicts by class, with the axes (folds, Cs, l1_ratios), the last one only where `l1_ratios` is not None.",
        ),
    ],
    positional: 0,
    handled: &["C", "l1_ratio", "start"],
    attributes: &[
        CLASSES,
        COEF,
        INTERCEPT,
        ("C_", "float", "The C that was chosen; without `refit` the mean of the best of each fold."),
        ("l1_ratio_", "float", "The share of the L1 part that goes with it."),
        ("Cs_", "ndarray of shape (n_cs,)", "The values to choose from."),
        ("l1_ratios_", "ndarray of shape (n_l1_ratios,)", "The shares to choose from."),
        ("scores_", "ndarray of shape (n_folds, n_l1_ratios, n_cs)", "The scores on the rows left out."),
        (
            "coefs_paths_",
            "ndarray of shape (n_folds, n_l1_ratios, n_cs, n_classes, n_features + 1)",
            "The coefficients of the folds, the constant term last (not there without `fit_intercept`). Of two classes, those of the second.",
        ),
        ("n_iter_", "ndarray of shape (n_folds, n_l1_ratios, n_cs)", "Iterations of the solver."),
    ],
    example: "",
};
