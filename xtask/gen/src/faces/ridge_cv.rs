//! Ridge with its penalty chosen.

use super::{BOOL, PythonClass, own, same, translated, unused};

pub const FACES: &[PythonClass] = &[PythonClass {
    class: "RidgeCV",
    learner: "ridge",
    base: "_linear.RidgeCV",
    summary: "Ridge regression with the penalty chosen by leave-one-out or cross-validation",
    notes: "Without `cv` the leave-one-out error of every penalty is exact and takes one factorisation for all of them. A saved model is \
            opened as Ridge with the chosen penalty.",
    params: &[
        translated(
            "alphas",
            "(0.1, 1.0, 10.0)",
            "[\"array-like\", Interval(Real, 0, None, closed=\"neither\")]",
            "array-like of shape (n_alphas,)",
            "The penalties to choose from.",
        ),
        same("fit_intercept"),
        own(
            "scoring",
            "None",
            "[StrOptions(set(get_scorer_names())), callable, None]",
            "str, callable or None",
            "How predictions of rows that had no part in the fit are judged. None is the mean squared error without `cv`, and R² with.",
        ),
        translated(
            "cv",
            "None",
            "[\"cv_object\"]",
            "int, splitter, iterable or None",
            "None leaves out one row at a time; anything else is a grid search over these folds.",
        ),
        unused(
            "gcv_mode",
            "None",
            "[StrOptions({\"auto\", \"svd\", \"eigen\"}), None]",
            "{\"auto\", \"svd\", \"eigen\"} or None",
            "The smaller of X'X and XX' is factorised, whatever this says.",
        ),
        translated("store_cv_results", "False", BOOL, "bool", "Whether `cv_results_` is kept. Only without `cv`."),
        translated(
            "alpha_per_target",
            "False",
            BOOL,
            "bool",
            "Whether each target gets the penalty that is best for itself. Only without `cv`.",
        ),
    ],
    positional: 1,
    handled: &["alpha", "positive"],
    attributes: &[
        ("alpha_", "float or ndarray of shape (n_targets,)", "The penalty chosen; one a target with `alpha_per_target`."),
        ("best_score_", "float or ndarray of shape (n_targets,)", "Its score."),
        (
            "cv_results_",
            "ndarray of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)",
            "Squared errors of the rows left out, times their weights; with `scoring` their predictions. Only with `store_cv_results`.",
        ),
        ("coef_", "ndarray of shape (n_features,) or (n_targets, n_features)", "The coefficients."),
        ("intercept_", "float or ndarray of shape (n_targets,)", "The constant term; 0.0 without intercept."),
    ],
    example: "",
}];
