//! Support vector machines.

use super::{CLASS_WEIGHT, CLASSES, Param, PythonClass, VERBOSE, like, own, same, translated};

const KERNEL: Param = translated(
    "kernel",
    "\"rbf\"",
    "[StrOptions({\"linear\", \"poly\", \"rbf\", \"sigmoid\", \"precomputed\", \"laplacian\", \"cosine\"}), callable]",
    "str or callable",
    "\"linear\", \"poly\", \"rbf\", \"sigmoid\", \"laplacian\", \"cosine\" or \"precomputed\"; a callable gives the kernel matrix of two sets of rows.",
);

const GAMMA: Param = like(
    "gamma",
    "\"scale\"",
    "[StrOptions({\"scale\", \"auto\"}), Interval(Real, 0.0, None, closed=\"left\")]",
    "{\"scale\", \"auto\"} or float",
);

const DEGREE: Param = like("degree", "3", "[Interval(Integral, 0, None, closed=\"left\")]", "int");

const COEF0: Param = like("coef0", "0.0", "[Interval(Real, None, None, closed=\"neither\")]", "float");

const TOL: Param = like("tol", "1e-3", "[Interval(Real, 0.0, None, closed=\"neither\")]", "float");

const C: Param =
    translated("C", "1.0", "[Interval(Real, 0.0, None, closed=\"right\")]", "float", "The price of an error; inf allows none.");

const CACHE_SIZE: Param = Param::Learner {
    name: "cache_size",
    theirs: "cache_mb",
    default: "200",
    constraint: "[Interval(Real, 0, None, closed=\"neither\")]",
    kind: "float",
    doc: "",
    by_hand: false,
};

const MAX_ITER: Param = translated(
    "max_iter",
    "-1",
    "[Interval(Integral, -1, None, closed=\"left\")]",
    "int",
    "Most steps on pairs of variables; -1 for no limit.",
);

const SUPPORT: (&str, &str, &str) = ("support_", "ndarray of shape (n_SV,)", "Numbers of the support vectors among the rows.");
const VECTORS: (&str, &str, &str) =
    ("support_vectors_", "ndarray or sparse matrix of shape (n_SV, n_features)", "The support vectors.");
const N_SUPPORT: (&str, &str, &str) = ("n_support_", "ndarray", "Support vectors of each class.");
const SHAPE: (&str, &str, &str) = ("shape_fit_", "tuple of int", "Shape of the rows of the fit.");
const STATUS: (&str, &str, &str) = ("fit_status_", "int", "0 when the fit converged, else 1.");
const SLACK: (&str, &str, &str) =
    ("slack_", "ndarray of the shape of dual_coef_", "How far each support vector is on the wrong side of its margin.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "SVC",
        learner: "svm",
        base: "_svm.SVC",
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
                "\"deprecated\"",
                "[\"boolean\", Hidden(StrOptions({\"deprecated\"}))]",
                "bool",
                "Whether to fit sigmoids to held-out scores, for `predict_proba`; scikit-learn is about to drop it.",
            ),
            TOL,
            CACHE_SIZE,
            CLASS_WEIGHT,
            VERBOSE,
            MAX_ITER,
            Param::Learner {
                name: "decision_function_shape",
                theirs: "decision_shape",
                default: "\"ovr\"",
                constraint: "[StrOptions({\"ovr\", \"ovo\"})]",
                kind: "{\"ovr\", \"ovo\"}",
                doc: "",
                by_hand: false,
            },
            same("break_ties"),
            own(
                "random_state",
                "None",
                "[\"random_state\"]",
                "int, RandomState or None",
                "The seed of the folds of held-out scores.",
            ),
            same("force"),
        ],
        positional: 0,
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
        example: "",
    },
    PythonClass {
        class: "SVR",
        learner: "svm",
        base: "_svm.SVR",
        summary: "Support vector regression with a tube of width epsilon",
        notes: "gamma=\"scale\" takes the variance of the rows with their weights.",
        params: &[
            KERNEL,
            DEGREE,
            GAMMA,
            COEF0,
            TOL,
            C,
            like("epsilon", "0.1", "[Interval(Real, 0.0, None, closed=\"left\")]", "float"),
            same("shrinking"),
            CACHE_SIZE,
            own("verbose", "False", "[\"verbose\"]", "int or bool", "Not used."),
            MAX_ITER,
            same("force"),
        ],
        positional: 0,
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
        example: "",
    },
];
