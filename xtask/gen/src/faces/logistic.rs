//! Logistic regression.

use super::*;

const DUAL: Param = unused("dual", Flag(false), BOOL, "");
const TOL: Param = translated("tol", Number(0.0001), &[at_least(0.0)], "");
const SOLVER: Param = translated(
    "solver",
    Word("lbfgs"),
    &[Words(&["lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"])],
    "The names of scikit-learn are accepted, with the penalties they take there. All find the same optimum, by the method \
     that suits penalty and shape of X; the constant term is not penalized by any of them.",
)
.kind("str");
const MAX_ITER: Param = translated("max_iter", Whole(100), &[ints_from(0)], "");
const COEF: Attribute = ("coef_", "ndarray of shape (1, n_features) or (n_classes, n_features)", "The coefficients.");
const INTERCEPT: Attribute = ("intercept_", "ndarray of shape (1,) or (n_classes,)", "The constant terms.");

const POSITIVE: &[Rule] = &[above(0.0)];

/// A parameter of liblinear, whose constant term is one more column.
const fn intercept_scaling(default: DefaultValue) -> Param {
    unused("intercept_scaling", default, POSITIVE, "The constant term is never penalized.")
}

pub const FACES: &[PythonClass] = &[ONE, CHOSEN];

const ONE: PythonClass = PythonClass {
    class: "LogisticRegression",
    learner: "logistic",
    module: "linear_model",
    base: "_logistic.LogisticRegression",
    params: &[
        translated(
            "penalty",
            Word("deprecated"),
            &[Words(&["l1", "l2", "elasticnet"]), Null, Hidden(&["deprecated"])],
            "Superseded by `C` and `l1_ratio`; None is C=inf.",
        ),
        translated("C", Number(1.0), &[reals(0.0, f64::INFINITY, High)], ""),
        translated(
            "l1_ratio",
            Number(0.0),
            &[reals(0.0, 1.0, Both), Null],
            "As in scikit-learn, the solvers \"saga\" and (for 1) \"liblinear\" take other values than 0.",
        )
        .kind("float"),
        DUAL,
        TOL,
        same("fit_intercept"),
        intercept_scaling(Whole(1)),
        CLASS_WEIGHT,
        UNUSED_RANDOM_STATE,
        SOLVER,
        MAX_ITER,
        VERBOSE,
        own("warm_start", Flag(false), BOOL, "Whether a fit starts from the coefficients of the last one."),
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
        ("separating_margin_", "float", "The smallest margin of a row along them; 0 when some have none."),
    ],
    ..PythonClass::NEW
};

const CHOSEN: PythonClass = PythonClass {
    class: "LogisticRegressionCV",
    learner: "logistic",
    module: "linear_model",
        base: "_logistic_cv.LogisticRegressionCV",
    summary: "Logistic regression for two classes, softmax regression for more, with C (and the L1 share) chosen by cross-validation",
    notes: "In every fold the fits start from the one before, from the strongest penalty to the weakest, and the last fit on all rows starts from \
            the mean of the folds. A class without rows in a fold has coefficients of 0 and a constant term of minus infinity there. A saved \
            model is opened as LogisticRegression with what was chosen.",
    params: &[
        own("Cs", Whole(10), &[ints_from(1), ArrayLike], "The values of C to choose from, or how many of them, in equal ratios from 1e-4 to 1e4.").kind("int or array-like of shape (n_cs,)"),
        own("l1_ratios", Word("warn"), &[ArrayLike, Null, Hidden(&["warn"])], "The shares of the L1 part of the penalty to choose from; None is no L1 part. As in scikit-learn, other values than 0 are taken by \
             the solvers \"saga\" and (for 1) \"liblinear\".").kind("array-like of shape (n_l1_ratios,) or None"),
        same("fit_intercept"),
        own("cv", Nothing, &[Folds], "How rows are split; None is 5 folds with the classes in their shares.").kind("int, cross-validation generator or iterable"),
        DUAL,
        translated("penalty", Word("deprecated"), &[Words(&["l1", "l2", "elasticnet"]), Hidden(&["deprecated"])], "Superseded by `l1_ratios`."),
        own("scoring", Word("warn"), &[ScorerName, Callable, Null, Hidden(&["warn"])], "How a fit is judged on the rows that had no part in it; None is accuracy."),
        SOLVER,
        TOL,
        MAX_ITER,
        CLASS_WEIGHT,
        N_JOBS,
        VERBOSE,
        own("refit", Flag(true), BOOL, "Whether all rows are fitted with what is best on average. Otherwise the coefficients that are best in each fold are averaged."),
        intercept_scaling(Number(1.0)),
        UNUSED_RANDOM_STATE,
        own("use_legacy_attributes", Word("warn"), &[Bool, Hidden(&["warn"])], "Whether attributes have the shapes of before scikit-learn 1.10: `C_` and `l1_ratio_` repeated for each class, `coefs_paths_` and \
             `scores_` dicts by class, with the axes (folds, Cs, l1_ratios), the last one only where `l1_ratios` is not None."),
    ],
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
        ..PythonClass::NEW
    };
