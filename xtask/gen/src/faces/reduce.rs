//! Components.

use super::*;

const SOLVERS: &[Rule] = &[Words(&["auto", "dense", "arpack", "randomized"])];
const KERNELS: &[Rule] = &[Words(&["linear", "poly", "rbf", "sigmoid", "cosine", "precomputed"]), Callable];

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "PCA",
        learner: "pca",
        module: "decomposition",
        base: "_pca.PCA",
        params: &[
            like("n_components", Nothing, &[ints_from(0), fractions(0.0, 1.0, Neither), Words(&["mle", "cv"]), Null])
                .kind("int, float, \"mle\", \"cv\" or None"),
            unused("copy", Flag(true), BOOL, "X is never changed and never copied as a whole."),
            same("whiten"),
            same("svd_solver"),
            same("tol"),
            like("iterated_power", Word("auto"), &[Words(&["auto"]), ints_from(0)]),
            like("n_oversamples", Whole(10), &[ints_from(1)]),
            unused("power_iteration_normalizer", Word("auto"), &[Words(&["auto", "QR", "LU", "none"])], "").kind("str"),
            RANDOM_STATE,
            same("folds"),
        ],
        positional: 1,
        attributes: &[
            ("components_", "ndarray of shape (n_components, n_features)", "The axes, by falling variance."),
            ("explained_variance_", "ndarray of shape (n_components,)", "Variance along each axis."),
            ("explained_variance_ratio_", "ndarray of shape (n_components,)", "Share of the variance along each axis."),
            ("singular_values_", "ndarray of shape (n_components,)", "Singular values of the centered X."),
            ("mean_", "ndarray of shape (n_features,)", "Mean of each column."),
            ("n_components_", "int", "Number of axes."),
            ("n_samples_", "int", "Number of rows."),
            ("noise_variance_", "float", "Mean variance along the axes left out."),
            (
                "held_out_",
                "ndarray of shape (n_features - 1,)",
                "With n_components=\"cv\", the mean log-likelihood of rows left out under 1, 2, … axes.",
            ),
        ],
        arrays: &["components", "explained_variance", "explained_variance_ratio", "singular_values", "mean"],
        fields: &["noise_variance", "n_samples"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "IncrementalPCA",
        learner: "incremental-pca",
        module: "decomposition",
        base: "_pca.IncrementalPCA",
        params: &[
            like("n_components", Nothing, &[ints_from(1), Null]),
            same("whiten"),
            unused("copy", Flag(true), BOOL, "X is never changed."),
            like("batch_size", Nothing, &[ints_from(1), Null]),
        ],
        positional: 1,
        attributes: &[
            ("components_", "ndarray of shape (n_components, n_features)", "The axes, by falling variance."),
            ("explained_variance_", "ndarray of shape (n_components,)", "Variance along each axis."),
            ("explained_variance_ratio_", "ndarray of shape (n_components,)", "Share of the variance along each axis."),
            ("singular_values_", "ndarray of shape (n_components,)", "Singular values of the centered X."),
            ("mean_", "ndarray of shape (n_features,)", "Mean of each column."),
            ("var_", "ndarray of shape (n_features,)", "Variance of each column, with divisor n."),
            ("noise_variance_", "float", "Mean variance along the axes left out of the last batch."),
            ("n_components_", "int", "Number of axes."),
            ("n_samples_seen_", "int", "Number of rows so far."),
            ("batch_size_", "int", "Rows that `fit` takes in together."),
        ],
        arrays: &["components", "explained_variance", "explained_variance_ratio", "singular_values", "mean", "var"],
        fields: &["noise_variance"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "KernelPCA",
        learner: "kernel-pca",
        module: "decomposition",
        base: "_kernel_pca.KernelPCA",
        params: &[
            like("n_components", Nothing, &[ints_from(1), Null]),
            translated(
                "kernel",
                Word("linear"),
                KERNELS,
                "\"linear\", \"poly\", \"rbf\", \"sigmoid\", \"cosine\", \"precomputed\", or a callable on two rows.",
            )
            .kind("str or callable"),
            translated(
                "gamma",
                Nothing,
                &[at_least(0.0), Null],
                "Width of the kernels rbf, poly and sigmoid; None is 1 / n_features.",
            ),
            translated("degree", Whole(3), &[at_least(0.0)], ""),
            translated("coef0", Whole(1), &[reals(f64::NEG_INFINITY, f64::INFINITY, Neither)], ""),
            own("kernel_params", Nothing, &[Dict, Null], "Further arguments of a kernel that is a callable.").kind("dict"),
            like("alpha", Number(1.0), &[at_least(0.0)]),
            same("fit_inverse_transform"),
            like("eigen_solver", Word("auto"), SOLVERS),
            like("tol", Whole(0), &[at_least(0.0)]),
            like("max_iter", Nothing, &[ints_from(1), Null]),
            like("iterated_power", Word("auto"), &[Words(&["auto"]), ints_from(0)]),
            same("remove_zero_eig"),
            RANDOM_STATE,
            COPY_X,
            N_JOBS,
        ],
        positional: 1,
        attributes: &[
            ("eigenvalues_", "ndarray of shape (n_components,)", "Eigenvalues of the centered kernel matrix, descending."),
            ("eigenvectors_", "ndarray of shape (n_samples, n_components)", "Eigenvectors of the centered kernel matrix."),
            ("explained_variance_ratio_", "ndarray of shape (n_components,)", "Share of the variance behind the kernel."),
            (
                "dual_coef_",
                "ndarray of shape (n_samples, n_features)",
                "With fit_inverse_transform, the coefficients of the inverse transform.",
            ),
            (
                "X_transformed_fit_",
                "ndarray of shape (n_samples, n_components)",
                "With fit_inverse_transform, the components of the training rows.",
            ),
            ("X_fit_", "ndarray or sparse matrix of shape (n_samples, n_features)", "The rows, which projections need."),
            ("gamma_", "float", "The width of the kernel."),
        ],
        ..PythonClass::NEW
    },
];
