//! Clusters and components.

use super::{BOOL, Face, RANDOM_STATE, VERBOSE, like, same, translated, unused};

pub const FACES: &[Face] = &[
    Face {
        class: "KMeans",
        learner: "kmeans",
        base: "_kmeans.KMeans",
        summary: "",
        notes: "",
        params: &[
            like("n_clusters", "8", "[Interval(Integral, 1, None, closed=\"left\")]", "int"),
            translated(
                "init",
                "\"k-means++\"",
                "[StrOptions({\"k-means++\", \"random\"}), callable, \"array-like\"]",
                "{\"k-means++\", \"random\"}, callable or array-like of shape (n_clusters, n_features)",
                "",
            ),
            like(
                "n_init",
                "\"auto\"",
                "[StrOptions({\"auto\"}), Interval(Integral, 1, None, closed=\"left\")]",
                "\"auto\" or int",
            ),
            like("max_iter", "300", "[Interval(Integral, 1, None, closed=\"left\")]", "int"),
            like("tol", "1e-4", "[Interval(Real, 0, None, closed=\"left\")]", "float"),
            VERBOSE,
            RANDOM_STATE,
            unused("copy_x", "True", BOOL, "bool", "X is never changed and never copied as a whole."),
            like("algorithm", "\"lloyd\"", "[StrOptions({\"lloyd\", \"elkan\"})]", "{\"lloyd\", \"elkan\"}"),
        ],
        positional: 1,
        handled: &[],
        attributes: &[
            ("cluster_centers_", "ndarray of shape (n_clusters, n_features)", "The centres."),
            ("labels_", "ndarray of shape (n_samples,)", "The cluster of each row of the training data."),
            ("inertia_", "float", "Sum of the squared distances of the rows to their centres, with weights."),
            ("n_iter_", "int", "Number of steps."),
        ],
        example: "",
    },
    Face {
        class: "PCA",
        learner: "pca",
        base: "_pca.PCA",
        summary: "",
        notes: "",
        params: &[
            like(
                "n_components",
                "None",
                "[Interval(Integral, 0, None, closed=\"left\"), Interval(RealNotInt, 0, 1, closed=\"neither\"), \
                 StrOptions({\"mle\"}), None]",
                "int, float, \"mle\" or None",
            ),
            unused("copy", "True", BOOL, "bool", "X is never changed and never copied as a whole."),
            same("whiten"),
            same("svd_solver"),
            same("tol"),
            like(
                "iterated_power",
                "\"auto\"",
                "[StrOptions({\"auto\"}), Interval(Integral, 0, None, closed=\"left\")]",
                "\"auto\" or int",
            ),
            like("n_oversamples", "10", "[Interval(Integral, 1, None, closed=\"left\")]", "int"),
            unused("power_iteration_normalizer", "\"auto\"", "[StrOptions({\"auto\", \"QR\", \"LU\", \"none\"})]", "str", ""),
            RANDOM_STATE,
        ],
        positional: 1,
        handled: &[],
        attributes: &[
            ("components_", "ndarray of shape (n_components, n_features)", "The axes, by falling variance."),
            ("explained_variance_", "ndarray of shape (n_components,)", "Variance along each axis."),
            ("explained_variance_ratio_", "ndarray of shape (n_components,)", "Share of the variance along each axis."),
            ("singular_values_", "ndarray of shape (n_components,)", "Singular values of the centred X."),
            ("mean_", "ndarray of shape (n_features,)", "Mean of each column."),
            ("n_components_", "int", "Number of axes."),
            ("n_samples_", "int", "Number of rows."),
            ("noise_variance_", "float", "Mean variance along the axes left out."),
        ],
        example: "",
    },
];
