//! Clusters.

use super::{BOOL, Face, Param, RANDOM_STATE, VERBOSE, like, same, translated, unused};

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

pub const FACES: &[Face] = &[
    Face {
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
    Face {
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
];
