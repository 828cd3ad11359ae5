//! Logistic regression.

use super::{BOOL, CLASS_WEIGHT, CLASSES, Face, N_JOBS, RANDOM_STATE, VERBOSE, own, same, translated, unused};

pub const FACES: &[Face] = &[Face {
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
        unused("dual", "False", BOOL, "bool", ""),
        translated("tol", "1e-4", "[Interval(Real, 0, None, closed=\"left\")]", "float", ""),
        same("fit_intercept"),
        unused(
            "intercept_scaling",
            "1",
            "[Interval(Real, 0, None, closed=\"neither\")]",
            "float",
            "The constant term is never penalised.",
        ),
        CLASS_WEIGHT,
        RANDOM_STATE,
        translated(
            "solver",
            "\"lbfgs\"",
            "[StrOptions({\"lbfgs\", \"liblinear\", \"newton-cg\", \"newton-cholesky\", \"sag\", \"saga\"})]",
            "str",
            "The names of scikit-learn are accepted, with the penalties they take there. All find the same optimum, by the method \
                 that suits penalty and shape of X; the constant term is not penalised by any of them.",
        ),
        translated("max_iter", "100", "[Interval(Integral, 0, None, closed=\"left\")]", "int", ""),
        VERBOSE,
        own("warm_start", "False", BOOL, "bool", "Whether a fit starts from the coefficients of the last one."),
        N_JOBS,
    ],
    positional: 1,
    handled: &["start"],
    attributes: &[
        CLASSES,
        ("coef_", "ndarray of shape (1, n_features) or (n_classes, n_features)", "The coefficients."),
        ("intercept_", "ndarray of shape (1,) or (n_classes,)", "The constant terms."),
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
}];
