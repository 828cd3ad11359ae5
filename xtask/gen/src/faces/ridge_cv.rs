//! Ridge with its penalty chosen.

use super::*;

pub const FACES: &[PythonClass] = &[PythonClass {
    class: "RidgeCV",
    learner: "ridge",
    module: "linear_model",
    base: "_ridge.RidgeCV",
    summary: "Ridge regression with the penalty chosen by leave-one-out or cross-validation",
    notes: "Without `cv` the leave-one-out error of every penalty is exact and takes one factorization for all of them. A saved model is \
            opened as Ridge with the chosen penalty.",
    params: &[
        translated("alphas", Numbers(&[0.1, 1.0, 10.0]), &[ArrayLike, above(0.0)], "The penalties to choose from.")
            .kind("array-like of shape (n_alphas,)"),
        same("fit_intercept"),
        own(
            "scoring",
            Nothing,
            &[ScorerName, Callable, Null],
            "How predictions of rows that had no part in the fit are judged. None is the mean squared error without `cv`, and R² with.",
        ),
        translated(
            "cv",
            Nothing,
            &[Folds],
            "None leaves out one row at a time; anything else is a grid search over these folds.",
        ),
        unused(
            "gcv_mode",
            Nothing,
            &[Words(&["auto", "svd", "eigen"]), Null],
            "The smaller of X'X and XX' is factorized, whatever this says.",
        ),
        translated("store_cv_results", Flag(false), BOOL, "Whether `cv_results_` is kept. Only without `cv`."),
        translated(
            "alpha_per_target",
            Flag(false),
            BOOL,
            "Whether each target gets the penalty that is best for itself. Only without `cv`.",
        ),
    ],
    positional: 1,
    handled: &["alpha", "positive"],
    attributes: &[
        ("alpha_", "float or ndarray of shape (n_targets,)", "The penalty chosen; one per target with `alpha_per_target`."),
        ("best_score_", "float or ndarray of shape (n_targets,)", "Its score."),
        (
            "cv_results_",
            "ndarray of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)",
            "Squared errors of the rows left out, times their weights; with `scoring` their predictions. Only with `store_cv_results`.",
        ),
        ("coef_", "ndarray of shape (n_features,) or (n_targets, n_features)", "The coefficients."),
        ("intercept_", "float or ndarray of shape (n_targets,)", "The constant term; 0.0 without intercept."),
    ],
    ..PythonClass::NEW
}];
