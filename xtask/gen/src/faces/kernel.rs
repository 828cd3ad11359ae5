//! Linear support vector machines, kernel ridge, and feature maps of kernels.

use super::{CLASS_WEIGHT, CLASSES, N_JOBS, Param, PythonClass, RANDOM_STATE, VERBOSE, like, own, same, translated};

const TOL: Param = like("tol", "1e-4", "[Interval(Real, 0.0, None, closed=\"neither\")]", "float");
const C: Param = like("C", "1.0", "[Interval(Real, 0.0, None, closed=\"neither\")]", "float");
const SCALING: Param = translated("intercept_scaling", "1.0", "[Interval(Real, 0, None, closed=\"neither\")]", "float", "");
const MAX_ITER: Param = like("max_iter", "1000", "[Interval(Integral, 0, None, closed=\"left\")]", "int");
const DUAL: Param = own(
    "dual",
    "\"auto\"",
    "[\"boolean\", StrOptions({\"auto\"})]",
    "bool or \"auto\"",
    "Combinations that liblinear does not know are refused as there; the method follows from penalty and loss.",
);

const NUMBER: &str = "[Interval(Real, 0, None, closed=\"left\"), None]";
const KERNELS: &str = "[StrOptions({\"additive_chi2\", \"chi2\", \"cosine\", \"laplacian\", \"linear\", \"poly\", \"polynomial\", \"rbf\", \
                       \"sigmoid\", \"precomputed\"}), callable]";
const KERNEL_DOC: &str = "A kernel of `sklearn.metrics.pairwise`, \"precomputed\", or a callable on two rows.";
const PARAMS: Param = own("kernel_params", "None", "[dict, None]", "dict", "Further arguments of a kernel that is a callable.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "LinearSVC",
        learner: "linear-svm",
        base: "_linear_svm.LinearSVC",
        summary: "Linear support vector classification by coordinate descent",
        notes: "",
        params: &[
            like("penalty", "\"l2\"", "[StrOptions({\"l1\", \"l2\"})]", "{\"l1\", \"l2\"}"),
            like("loss", "\"squared_hinge\"", "[StrOptions({\"hinge\", \"squared_hinge\"})]", "{\"hinge\", \"squared_hinge\"}"),
            DUAL,
            TOL,
            C,
            like("multi_class", "\"ovr\"", "[StrOptions({\"ovr\", \"crammer_singer\"})]", "{\"ovr\", \"crammer_singer\"}"),
            same("fit_intercept"),
            SCALING,
            CLASS_WEIGHT,
            VERBOSE,
            RANDOM_STATE,
            MAX_ITER,
        ],
        positional: 1,
        handled: &["epsilon", "method"],
        attributes: &[
            CLASSES,
            ("coef_", "ndarray of shape (1, n_features) or (n_classes, n_features)", "The coefficients."),
            ("intercept_", "ndarray of shape (1,) or (n_classes,)", "The constant terms."),
            ("n_iter_", "int", "Rounds over the rows; with more than two classes, of the longest."),
        ],
        example: "",
    },
    PythonClass {
        class: "LinearSVR",
        learner: "linear-svm",
        base: "_linear_svm.LinearSVR",
        summary: "Linear support vector regression by coordinate descent",
        notes: "",
        params: &[
            translated("epsilon", "0.0", "[Real]", "float", ""),
            TOL,
            C,
            like(
                "loss",
                "\"epsilon_insensitive\"",
                "[StrOptions({\"epsilon_insensitive\", \"squared_epsilon_insensitive\"})]",
                "{\"epsilon_insensitive\", \"squared_epsilon_insensitive\"}",
            ),
            same("fit_intercept"),
            SCALING,
            DUAL,
            VERBOSE,
            RANDOM_STATE,
            MAX_ITER,
        ],
        positional: 0,
        handled: &["penalty", "multi_class", "class_weight", "method"],
        attributes: &[
            ("coef_", "ndarray of shape (n_features,)", "The coefficients."),
            ("intercept_", "ndarray of shape (1,)", "The constant term."),
            ("n_iter_", "int", "Rounds over the rows."),
        ],
        example: "",
    },
    PythonClass {
        class: "KernelRidge",
        learner: "kernel-ridge",
        base: "_kernel.KernelRidge",
        summary: "",
        notes: "",
        params: &[
            translated(
                "alpha",
                "1",
                "[Interval(Real, 0, None, closed=\"left\"), \"array-like\"]",
                "float or array-like of shape (n_targets,)",
                "The penalty, or one for each target.",
            ),
            translated("kernel", "\"linear\"", KERNELS, "str or callable", KERNEL_DOC),
            translated(
                "gamma",
                "None",
                NUMBER,
                "float or None",
                "Width of the kernels rbf, laplacian, poly, sigmoid and chi2; None is 1 / n_features.",
            ),
            translated("degree", "3", "[Interval(Real, 0, None, closed=\"left\")]", "float", ""),
            translated("coef0", "1", "[Interval(Real, None, None, closed=\"neither\")]", "float", ""),
            PARAMS,
        ],
        positional: 1,
        handled: &["method", "tol", "max_iter"],
        attributes: &[
            ("dual_coef_", "ndarray of shape (n_samples,) or (n_samples, n_targets)", "Coefficients of the rows."),
            ("X_fit_", "ndarray or sparse matrix of shape (n_samples, n_features)", "The rows, which prediction needs."),
        ],
        example: "",
    },
    PythonClass {
        class: "Nystroem",
        learner: "nystroem",
        base: "_kernel.Nystroem",
        summary: "",
        notes: "",
        params: &[
            translated("kernel", "\"rbf\"", KERNELS, "str or callable", KERNEL_DOC),
            translated(
                "gamma",
                "None",
                NUMBER,
                "float or None",
                "Width of the kernels rbf, laplacian, poly, sigmoid and chi2; None is 1 / n_features.",
            ),
            translated(
                "coef0",
                "None",
                "[Interval(Real, None, None, closed=\"neither\"), None]",
                "float or None",
                "Constant of the kernels poly and sigmoid.",
            ),
            translated(
                "degree",
                "None",
                "[Interval(Real, 1, None, closed=\"left\"), None]",
                "float or None",
                "Degree of the kernel poly.",
            ),
            PARAMS,
            like("n_components", "100", "[Interval(Integral, 1, None, closed=\"left\")]", "int"),
            RANDOM_STATE,
            N_JOBS,
        ],
        positional: 1,
        handled: &[],
        attributes: &[
            ("components_", "ndarray or sparse matrix of shape (n_components, n_features)", "The rows that were drawn."),
            ("component_indices_", "ndarray of shape (n_components,)", "Their numbers."),
            (
                "normalization_",
                "ndarray of shape (n_components, n_components)",
                "The inverse root of the kernel matrix among them.",
            ),
            ("approximation_error_", "float", "‖K - ZZᵀ‖ / ‖K‖, measured on some of the rows."),
        ],
        example: "",
    },
    PythonClass {
        class: "RBFSampler",
        learner: "rff",
        base: "_kernel.RBFSampler",
        summary: "",
        notes: "",
        params: &[
            translated(
                "gamma",
                "1.0",
                "[StrOptions({\"scale\"}), Interval(Real, 0.0, None, closed=\"left\")]",
                "\"scale\" or float",
                "",
            ),
            like("n_components", "100", "[Interval(Integral, 1, None, closed=\"left\")]", "int"),
            RANDOM_STATE,
        ],
        positional: 0,
        handled: &[],
        attributes: &[
            ("random_weights_", "ndarray of shape (n_features, n_components)", "The frequencies."),
            ("random_offset_", "ndarray of shape (n_components,)", "The phases."),
            ("approximation_error_", "float", "‖K - ZZᵀ‖ / ‖K‖, measured on some of the rows."),
        ],
        example: "",
    },
];
