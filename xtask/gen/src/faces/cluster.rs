//! Clusters.

use super::*;

const INIT: Param = translated("init", Word("k-means++"), &[Words(&["k-means++", "random"]), Callable, ArrayLike], "")
    .kind("{\"k-means++\", \"random\"}, callable or array-like of shape (n_clusters, n_features)");
const N_INIT: Param = like("n_init", Word("auto"), &[Words(&["auto"]), ints_from(1)]);
const CENTERS: Attribute = ("cluster_centers_", "ndarray of shape (n_clusters, n_features)", "The centers.");
const LABELS: Attribute = ("labels_", "ndarray of shape (n_samples,)", "The cluster of each row of the training data.");
const INERTIA: Attribute = ("inertia_", "float", "Sum of the squared distances of the rows to their centers, with weights.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "KMeans",
        learner: "kmeans",
        module: "cluster",
        base: "_kmeans.KMeans",
        params: &[
            like("n_clusters", Whole(8), &[ints_from(1), Words(&["elbow", "penalty", "silhouette"])])
                .kind("int, \"elbow\", \"penalty\" or \"silhouette\""),
            INIT,
            N_INIT,
            like("max_iter", Whole(300), &[ints_from(1)]),
            like("tol", Number(0.0001), &[at_least(0.0)]),
            VERBOSE,
            RANDOM_STATE,
            unused("copy_x", Flag(true), BOOL, "X is never changed and never copied as a whole."),
            like("algorithm", Word("lloyd"), &[Words(&["lloyd", "elkan"])]),
            same("max_clusters"),
            same("penalty"),
        ],
        positional: 1,
        attributes: &[
            CENTERS,
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
        fields: &["inertia", "n_iter"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "MiniBatchKMeans",
        learner: "mini-batch-kmeans",
        module: "cluster",
        base: "_kmeans.MiniBatchKMeans",
        params: &[
            like("n_clusters", Whole(8), &[ints_from(1)]),
            INIT,
            like("max_iter", Whole(100), &[ints_from(1)]),
            like("batch_size", Whole(1024), &[ints_from(1)]),
            VERBOSE,
            same("compute_labels"),
            RANDOM_STATE,
            like("tol", Number(0.0), &[at_least(0.0)]),
            like("max_no_improvement", Whole(10), &[ints_from(0), Null]),
            like("init_size", Nothing, &[ints_from(1), Null]),
            N_INIT,
            like("reassignment_ratio", Number(0.01), &[at_least(0.0)]),
        ],
        positional: 1,
        attributes: &[
            CENTERS,
            LABELS,
            INERTIA,
            ("n_iter_", "int", "How many times as many rows were drawn as there are, rounded up."),
            ("n_steps_", "int", "Number of steps."),
        ],
        fields: &["inertia", "n_iter", "n_steps"],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "DBSCAN",
        learner: "dbscan",
        module: "cluster",
        base: "_dbscan.DBSCAN",
        notes: "With a metric that is not searched here (a callable, a matrix of distances, a metric of SciPy), or with weights of 0 or below, the \
                groups are found here among the neighbors that scikit-learn finds; there is then no model file and no `predict`.",
        params: &[
            like("eps", Number(0.5), &[above(0.0)]),
            translated("min_samples", Whole(5), &[ints_from(1)], ""),
            translated("metric", Word("euclidean"), &[Text, Callable], "What near means."),
            own("metric_params", Nothing, &[Dict, Null], "Further parameters of the metric."),
            translated("algorithm", Word("auto"), &[Words(&["auto", "ball_tree", "kd_tree", "brute"])], ""),
            unused(
                "leaf_size",
                Whole(30),
                &[ints_from(1)],
                "Leaves of our tree have 48 rows; it is passed on where scikit-learn searches.",
            ),
            translated("p", Nothing, &[at_least(0.0), Null], "The order of Minkowski's metric; None is 2."),
            N_JOBS,
        ],
        positional: 1,
        attributes: &[
            ("labels_", "ndarray of shape (n_samples,)", "The cluster of each training row; -1 is noise."),
            ("core_sample_indices_", "ndarray of shape (n_core_samples,)", "The training rows that are core rows."),
            ("components_", "ndarray of shape (n_core_samples, n_features)", "A copy of the core rows."),
        ],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "AgglomerativeClustering",
        learner: "agglomerative",
        module: "cluster",
        base: "_agglomerative.AgglomerativeClustering",
        notes: "Metrics that are not computed here are computed by scikit-learn, as a matrix of distances. A connectivity in several parts is \
                completed, with a warning, by the shortest connections of the parts.",
        params: &[
            like("n_clusters", Whole(2), &[ints_from(1), Null]),
            translated("metric", Word("euclidean"), &[Text, Callable], "How far rows are apart."),
            unused("memory", Nothing, &[Text, Methods(&["cache"]), Null], "Nothing is cached.")
                .kind("str, object with `cache` or None"),
            translated(
                "connectivity",
                Nothing,
                &[ArrayLike, SparseMatrix, Callable, Null],
                "A matrix of rows by rows whose entries that are not 0 say which rows are connected, or a function that makes it of X: only \
                 groups with connected rows are joined.",
            ),
            translated(
                "compute_full_tree",
                Word("auto"),
                &[Words(&["auto"]), Bool],
                "Build the tree to the end even where connectivity and n_clusters need fewer joins.",
            ),
            like("linkage", Word("ward"), &[Words(&["ward", "complete", "average", "single"])]),
            like("distance_threshold", Nothing, &[at_least(0.0), Null]),
            own("compute_distances", Flag(false), BOOL, "Set `distances_` even without distance_threshold."),
        ],
        positional: 1,
        attributes: &[
            ("labels_", "ndarray of shape (n_samples,)", "The cluster of each training row."),
            ("n_clusters_", "int", "Number of clusters."),
            ("n_leaves_", "int", "Number of leaves of the tree: the rows."),
            ("n_connected_components_", "int", "Parts of the connectivity that were not connected."),
            ("children_", "ndarray of shape (n_samples - 1, 2)", "The two nodes that each join made one of."),
            ("distances_", "ndarray of shape (n_samples - 1,)", "The height of each join, where it is wanted."),
        ],
        arrays: &["distances"],
        ..PythonClass::NEW
    },
];
