//! Linear support vector machines, kernel ridge, and feature maps of kernels.

use super::*;

const TOL: Param = like("tol", Number(0.0001), &[above(0.0)]);
const C: Param = like("C", Number(1.0), &[above(0.0)]);
const SCALING: Param = translated("intercept_scaling", Number(1.0), &[above(0.0)], "");
const MAX_ITER: Param = like("max_iter", Whole(1000), &[ints_from(0)]);
const DUAL: Param = own(
    "dual",
    Word("auto"),
    &[Bool, Words(&["auto"])],
    "Combinations that liblinear does not know are refused as there; the method follows from penalty and loss.",
);

const NUMBER: &[Rule] = &[at_least(0.0), Null];
const KERNELS: &[Rule] = &[
    Words(&["additive_chi2", "chi2", "cosine", "laplacian", "linear", "poly", "polynomial", "rbf", "sigmoid", "precomputed"]),
    Callable,
];
const KERNEL_DOC: &str = "A kernel of `sklearn.metrics.pairwise`, \"precomputed\", or a callable on two rows.";
const PARAMS: Param =
    own("kernel_params", Nothing, &[Dict, Null], "Further arguments of a kernel that is a callable.").kind("dict");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "LinearSVC",
        learner: "linear-svm",
        module: "svm",
        base: "_linear.LinearSVC",
        summary: "Linear support vector classification by coordinate descent",
        params: &[
            like("penalty", Word("l2"), &[Words(&["l1", "l2"])]),
            like("loss", Word("squared_hinge"), &[Words(&["hinge", "squared_hinge"])]),
            DUAL,
            TOL,
            C,
            like("multi_class", Word("ovr"), &[Words(&["ovr", "crammer_singer"])]),
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
        ..PythonClass::NEW
    },
    PythonClass {
        class: "LinearSVR",
        learner: "linear-svm",
        module: "svm",
        base: "_linear.LinearSVR",
        summary: "Linear support vector regression by coordinate descent",
        params: &[
            translated("epsilon", Number(0.0), &[Real], ""),
            TOL,
            C,
            like("loss", Word("epsilon_insensitive"), &[Words(&["epsilon_insensitive", "squared_epsilon_insensitive"])]),
            same("fit_intercept"),
            SCALING,
            DUAL,
            VERBOSE,
            RANDOM_STATE,
            MAX_ITER,
        ],
        handled: &["penalty", "multi_class", "class_weight", "method"],
        attributes: &[
            ("coef_", "ndarray of shape (n_features,)", "The coefficients."),
            ("intercept_", "ndarray of shape (1,)", "The constant term."),
            ("n_iter_", "int", "Rounds over the rows."),
        ],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "KernelRidge",
        learner: "kernel-ridge",
        module: "kernel_ridge",
        base: "_kernel_ridge.KernelRidge",
        params: &[
            translated("alpha", Whole(1), &[at_least(0.0), ArrayLike], "The penalty, or one for each target.")
                .kind("float or array-like of shape (n_targets,)"),
            translated("kernel", Word("linear"), KERNELS, KERNEL_DOC).kind("str or callable"),
            translated(
                "gamma",
                Nothing,
                NUMBER,
                "Width of the kernels rbf, laplacian, poly, sigmoid and chi2; None is 1 / n_features.",
            ),
            translated("degree", Whole(3), &[at_least(0.0)], ""),
            translated("coef0", Whole(1), &[reals(f64::NEG_INFINITY, f64::INFINITY, Neither)], ""),
            PARAMS,
        ],
        positional: 1,
        handled: &["method", "tol", "max_iter"],
        attributes: &[
            ("dual_coef_", "ndarray of shape (n_samples,) or (n_samples, n_targets)", "Coefficients of the rows."),
            ("X_fit_", "ndarray or sparse matrix of shape (n_samples, n_features)", "The rows, which prediction needs."),
        ],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "Nystroem",
        learner: "nystroem",
        module: "kernel_approximation",
        base: "_feature_maps.Nystroem",
        params: &[
            translated("kernel", Word("rbf"), KERNELS, KERNEL_DOC).kind("str or callable"),
            translated(
                "gamma",
                Nothing,
                NUMBER,
                "Width of the kernels rbf, laplacian, poly, sigmoid and chi2; None is 1 / n_features.",
            ),
            translated(
                "coef0",
                Nothing,
                &[reals(f64::NEG_INFINITY, f64::INFINITY, Neither), Null],
                "Constant of the kernels poly and sigmoid.",
            ),
            translated("degree", Nothing, &[at_least(1.0), Null], "Degree of the kernel poly."),
            PARAMS,
            like("n_components", Whole(100), &[ints_from(1)]),
            RANDOM_STATE,
            N_JOBS,
        ],
        positional: 1,
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
        arrays: &["normalization"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "RBFSampler",
        learner: "rff",
        module: "kernel_approximation",
        base: "_feature_maps.RBFSampler",
        params: &[
            translated("gamma", Number(1.0), &[Words(&["scale"]), at_least(0.0)], ""),
            like("n_components", Whole(100), &[ints_from(1)]),
            RANDOM_STATE,
        ],
        attributes: &[
            ("random_weights_", "ndarray of shape (n_features, n_components)", "The frequencies."),
            ("random_offset_", "ndarray of shape (n_components,)", "The phases."),
            ("approximation_error_", "float", "‖K - ZZᵀ‖ / ‖K‖, measured on some of the rows."),
        ],
        arrays: &["random_offset"],
        ..PythonClass::NEW
    },
];
