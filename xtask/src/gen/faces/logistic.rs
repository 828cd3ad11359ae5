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
            "{\"l2\"} or None",
            "The old way to say what `C` and `l1_ratio` say; None is C=inf.",
        ),
        translated("C", "1.0", "[Interval(Real, 0, None, closed=\"right\")]", "float", ""),
        own("l1_ratio", "0.0", "[Interval(Real, 0, 1, closed=\"both\"), None]", "float", "0 is the squared penalty."),
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
            "The names of scikit-learn are accepted. All find the same optimum, by Newton's method or by L-BFGS, \
                 whichever suits the shape of X; the constant term is not penalised by any of them.",
        ),
        translated("max_iter", "100", "[Interval(Integral, 0, None, closed=\"left\")]", "int", ""),
        VERBOSE,
        unused("warm_start", "False", BOOL, "bool", "Every fit starts anew."),
        N_JOBS,
    ],
    positional: 1,
    handled: &[],
    attributes: &[
        CLASSES,
        ("coef_", "ndarray of shape (1, n_features) or (n_classes, n_features)", "The coefficients."),
        ("intercept_", "ndarray of shape (1,) or (n_classes,)", "The constant terms."),
        ("n_iter_", "ndarray of shape (1,)", "Iterations of the solver."),
    ],
    example: "",
}];
