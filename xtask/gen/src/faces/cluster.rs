//! Clusters.

use super::{BOOL, N_JOBS, Param, PythonClass, RANDOM_STATE, VERBOSE, like, own, same, translated, unused};

const INIT: Param = translated(
    "init",
    "\"k-means++\"",
    "[StrOptions({\"k-means++\", \"random\"}), callable, \"array-like\"]",
    "{\"k-means++\", \"random\"}, callable or array-like of shape (n_clusters, n_features)",
    "",
);
const N_INIT: Param =
    like("n_init", "\"auto\"", "[StrOptions({\"auto\"}), Interval(Integral, 1, None, closed=\"left\")]", "\"auto\" or int");
const CENTRES: (&str, &str, &str) = ("cluster_centers_", "ndarray of shape (n_clusters, n_features)", "The centres.");
const LABELS: (&str, &str, &str) = ("labels_", "ndarray of shape (n_samples,)", "The cluster of each row of the training data.");
const INERTIA: (&str, &str, &str) =
    ("inertia_", "float", "Sum of the squared distances of the rows to their centres, with weights.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "KMeans",
        learner: "kmeans",
        base: "_kmeans.KMeans",
        summary: "",
        notes: "",
        params: &[
            like(
                "n_clusters",
                "8",
                "[Interval(Integral, 1, None, closed=\"left\"), StrOptions({\"elbow\", \"penalty\", \"silhouette\"})]",
                "int, \"elbow\", \"penalty\" or \"silhouette\"",
            ),
            INIT,
            N_INIT,
            like("max_iter", "300", "[Interval(Integral, 1, None, closed=\"left\")]", "int"),
            like("tol", "1e-4", "[Interval(Real, 0, None, closed=\"left\")]", "float"),
            VERBOSE,
            RANDOM_STATE,
            unused("copy_x", "True", BOOL, "bool", "X is never changed and never copied as a whole."),
            like("algorithm", "\"lloyd\"", "[StrOptions({\"lloyd\", \"elkan\"})]", "{\"lloyd\", \"elkan\"}"),
            same("max_clusters"),
            same("penalty"),
        ],
        positional: 1,
        handled: &[],
        attributes: &[
            CENTRES,
            LABELS,
            INERTIA,
            ("n_iter_", "int", "Number of steps."),
            (
                "tried_",
                "dict of ndarrays",
                "With a rule for n_clusters: the numbers that were tried (\"clusters\"), and their \"inertia\", \"penalised\" inertia \
                 and \"silhouette\".",
            ),
        ],
        example: "",
    },
    PythonClass {
        class: "MiniBatchKMeans",
        learner: "mini-batch-kmeans",
        base: "_kmeans.MiniBatchKMeans",
        summary: "",
        notes: "",
        params: &[
            like("n_clusters", "8", "[Interval(Integral, 1, None, closed=\"left\")]", "int"),
            INIT,
            like("max_iter", "100", "[Interval(Integral, 1, None, closed=\"left\")]", "int"),
            like("batch_size", "1024", "[Interval(Integral, 1, None, closed=\"left\")]", "int"),
            VERBOSE,
            same("compute_labels"),
            RANDOM_STATE,
            like("tol", "0.0", "[Interval(Real, 0, None, closed=\"left\")]", "float"),
            like("max_no_improvement", "10", "[Interval(Integral, 0, None, closed=\"left\"), None]", "int or None"),
            like("init_size", "None", "[Interval(Integral, 1, None, closed=\"left\"), None]", "int or None"),
            N_INIT,
            like("reassignment_ratio", "0.01", "[Interval(Real, 0, None, closed=\"left\")]", "float"),
        ],
        positional: 1,
        handled: &[],
        attributes: &[
            CENTRES,
            LABELS,
            INERTIA,
            ("n_iter_", "int", "How many times as many rows were drawn as there are, rounded up."),
            ("n_steps_", "int", "Number of steps."),
        ],
        example: "",
    },
    PythonClass {
        class: "DBSCAN",
        learner: "dbscan",
        base: "_density.DBSCAN",
        summary: "",
        notes: "With a metric that is not searched here (a callable, a matrix of distances, a metric of SciPy), or with weights of 0 or below, the \
                groups are found here among the neighbours that scikit-learn finds; there is then no model file and no `predict`.",
        params: &[
            like("eps", "0.5", "[Interval(Real, 0.0, None, closed=\"neither\")]", "float"),
            translated("min_samples", "5", "[Interval(Integral, 1, None, closed=\"left\")]", "int", ""),
            translated("metric", "\"euclidean\"", "[str, callable]", "str or callable", "What near means."),
            own("metric_params", "None", "[dict, None]", "dict or None", "Further parameters of the metric."),
            translated(
                "algorithm",
                "\"auto\"",
                "[StrOptions({\"auto\", \"ball_tree\", \"kd_tree\", \"brute\"})]",
                "{\"auto\", \"ball_tree\", \"kd_tree\", \"brute\"}",
                "",
            ),
            unused(
                "leaf_size",
                "30",
                "[Interval(Integral, 1, None, closed=\"left\")]",
                "int",
                "Leaves of our tree have 48 rows; it is passed on where scikit-learn searches.",
            ),
            translated(
                "p",
                "None",
                "[Interval(Real, 0.0, None, closed=\"left\"), None]",
                "float or None",
                "The order of Minkowski's metric; None is 2.",
            ),
            N_JOBS,
        ],
        positional: 1,
        handled: &[],
        attributes: &[
            ("labels_", "ndarray of shape (n_samples,)", "The cluster of each training row; -1 is noise."),
            ("core_sample_indices_", "ndarray of shape (n_core_samples,)", "The training rows that are core rows."),
            ("components_", "ndarray of shape (n_core_samples, n_features)", "A copy of the core rows."),
        ],
        example: "",
    },
    PythonClass {
        class: "AgglomerativeClustering",
        learner: "agglomerative",
        base: "_agglomerative.AgglomerativeClustering",
        summary: "",
        notes: "Metrics that are not computed here are computed by scikit-learn, as a matrix of distances. A connectivity in several parts is \
                completed, with a warning, by the shortest connections of the parts.",
        params: &[
            like("n_clusters", "2", "[Interval(Integral, 1, None, closed=\"left\"), None]", "int or None"),
            translated("metric", "\"euclidean\"", "[str, callable]", "str or callable", "How far rows are apart."),
            unused(
                "memory",
                "None",
                "[str, HasMethods(\"cache\"), None]",
                "str, object with `cache` or None",
                "Nothing is cached.",
            ),
            translated(
                "connectivity",
                "None",
                "[\"array-like\", \"sparse matrix\", callable, None]",
                "array-like, sparse matrix, callable or None",
                "A matrix of rows by rows whose entries that are not 0 say which rows are connected, or a function that makes it of X: only \
                 groups with connected rows are joined.",
            ),
            translated(
                "compute_full_tree",
                "\"auto\"",
                "[StrOptions({\"auto\"}), \"boolean\"]",
                "\"auto\" or bool",
                "Build the tree to the end even where connectivity and n_clusters need fewer joins.",
            ),
            like(
                "linkage",
                "\"ward\"",
                "[StrOptions({\"ward\", \"complete\", \"average\", \"single\"})]",
                "{\"ward\", \"complete\", \"average\", \"single\"}",
            ),
            like("distance_threshold", "None", "[Interval(Real, 0, None, closed=\"left\"), None]", "float or None"),
            own("compute_distances", "False", BOOL, "bool", "Set `distances_` even without distance_threshold."),
        ],
        positional: 1,
        handled: &[],
        attributes: &[
            ("labels_", "ndarray of shape (n_samples,)", "The cluster of each training row."),
            ("n_clusters_", "int", "Number of clusters."),
            ("n_leaves_", "int", "Number of leaves of the tree: the rows."),
            ("n_connected_components_", "int", "Parts of the connectivity that were not connected."),
            ("children_", "ndarray of shape (n_samples - 1, 2)", "The two nodes that each join made one of."),
            ("distances_", "ndarray of shape (n_samples - 1,)", "The height of each join, where it is wanted."),
        ],
        example: "",
    },
];
