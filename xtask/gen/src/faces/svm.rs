//! Support vector machines.

use super::*;

const KERNEL: Param = translated("kernel", Word("rbf"), &[Words(&["linear", "poly", "rbf", "sigmoid", "precomputed", "laplacian", "cosine"]), Callable], "\"linear\", \"poly\", \"rbf\", \"sigmoid\", \"laplacian\", \"cosine\" or \"precomputed\"; a callable gives the kernel matrix of two sets of rows.").kind("str or callable");

const GAMMA: Param = like("gamma", Word("scale"), &[Words(&["scale", "auto"]), at_least(0.0)]);

const DEGREE: Param = like("degree", Whole(3), &[ints_from(0)]);

const COEF0: Param = like("coef0", Number(0.0), &[reals(f64::NEG_INFINITY, f64::INFINITY, Neither)]);

const TOL: Param = like("tol", Number(0.001), &[above(0.0)]);

const C: Param = translated("C", Number(1.0), &[reals(0.0, f64::INFINITY, High)], "The price of an error; inf allows none.");

const CACHE_SIZE: Param = renamed("cache_size", "cache_mb", Whole(200), &[above(0.0)]);

const MAX_ITER: Param = translated("max_iter", Whole(-1), &[ints_from(-1)], "Most steps on pairs of variables; -1 for no limit.");

const SUPPORT: Attribute = ("support_", "ndarray of shape (n_SV,)", "Numbers of the support vectors among the rows.");
const VECTORS: Attribute = ("support_vectors_", "ndarray or sparse matrix of shape (n_SV, n_features)", "The support vectors.");
const N_SUPPORT: Attribute = ("n_support_", "ndarray", "Support vectors of each class.");
const SHAPE: Attribute = ("shape_fit_", "tuple of int", "Shape of the rows of the fit.");
const STATUS: Attribute = ("fit_status_", "int", "0 when the fit converged, else 1.");
const SLACK: Attribute =
    ("slack_", "ndarray of the shape of dual_coef_", "How far each support vector is on the wrong side of its margin.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "SVC",
        learner: "svm",
        module: "svm",
        base: "_classes.SVC",
        summary: "Support vector classification",
        notes: "gamma=\"scale\" takes the variance of the rows with their weights.",
        params: &[
            C,
            KERNEL,
            DEGREE,
            GAMMA,
            COEF0,
            same("shrinking"),
            translated(
                "probability",
                Word("deprecated"),
                &[Bool, Hidden(&["deprecated"])],
                "Whether to fit sigmoids to held-out scores, for `predict_proba`; scikit-learn is about to drop it.",
            ),
            TOL,
            CACHE_SIZE,
            CLASS_WEIGHT,
            VERBOSE,
            MAX_ITER,
            renamed("decision_function_shape", "decision_shape", Word("ovr"), &[Words(&["ovr", "ovo"])]),
            same("break_ties"),
            own("random_state", Nothing, &[RandomState], "The seed of the folds of held-out scores."),
            same("force"),
        ],
        handled: &["epsilon", "method"],
        attributes: &[
            CLASSES,
            ("class_weight_", "ndarray of shape (n_classes,)", "The factors on C of the classes."),
            ("coef_", "ndarray of shape (n_pairs, n_features)", "The normal vectors; of a linear kernel only."),
            (
                "dual_coef_",
                "ndarray of shape (n_classes - 1, n_SV)",
                "Coefficients of the support vectors, with the sign of their class.",
            ),
            ("intercept_", "ndarray of shape (n_pairs,)", "The constant terms."),
            STATUS,
            ("n_iter_", "ndarray of shape (n_pairs,)", "Steps on pairs of variables."),
            SUPPORT,
            VECTORS,
            N_SUPPORT,
            SHAPE,
            SLACK,
        ],
        arrays: &["slack"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "SVR",
        learner: "svm",
        module: "svm",
        base: "_classes.SVR",
        summary: "Support vector regression with a tube of width epsilon",
        notes: "gamma=\"scale\" takes the variance of the rows with their weights.",
        params: &[
            KERNEL,
            DEGREE,
            GAMMA,
            COEF0,
            TOL,
            C,
            like("epsilon", Number(0.1), &[at_least(0.0)]),
            same("shrinking"),
            CACHE_SIZE,
            own("verbose", Flag(false), &[Verbose], "Not used."),
            MAX_ITER,
            same("force"),
        ],
        handled: &["class_weight", "probability", "decision_shape", "break_ties", "method"],
        attributes: &[
            ("coef_", "ndarray of shape (1, n_features)", "The normal vector; of a linear kernel only."),
            ("dual_coef_", "ndarray of shape (1, n_SV)", "Coefficients of the support vectors."),
            ("intercept_", "ndarray of shape (1,)", "The constant term."),
            STATUS,
            ("n_iter_", "int", "Steps on pairs of variables."),
            SUPPORT,
            VECTORS,
            N_SUPPORT,
            SHAPE,
            SLACK,
        ],
        arrays: &["slack"],
        ..PythonClass::NEW
    },
];
