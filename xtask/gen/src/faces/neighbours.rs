//! Neighbours.

use super::{CLASSES, N_JOBS, Param, PythonClass, like, own, translated, unused};

const N_NEIGHBORS: Param = like("n_neighbors", "5", "[Interval(Integral, 1, None, closed=\"left\")]", "int");

const RADIUS: Param = like("radius", "1.0", "[Interval(Real, 0, None, closed=\"both\")]", "float");

const WEIGHTS: Param = translated(
    "weights",
    "\"uniform\"",
    "[StrOptions({\"uniform\", \"distance\"}), callable, None]",
    "{\"uniform\", \"distance\"}, callable or None",
    "How much the neighbours count: all alike, by 1 / distance (where some are at distance 0, only those), or by a function of an array of \
     distances.",
);

const ALGORITHM: Param = translated(
    "algorithm",
    "\"auto\"",
    "[StrOptions({\"auto\", \"ball_tree\", \"kd_tree\", \"brute\"})]",
    "{\"auto\", \"ball_tree\", \"kd_tree\", \"brute\"}",
    "",
);

const LEAF_SIZE: Param = unused(
    "leaf_size",
    "30",
    "[Interval(Integral, 1, None, closed=\"left\")]",
    "int",
    "Leaves of our tree have 48 rows; it is passed on where scikit-learn searches.",
);

const ORDER: Param =
    translated("p", "2", "[Interval(Real, 0, None, closed=\"right\"), None]", "float", "The order of Minkowski's metric.");

const METRIC: Param = translated(
    "metric",
    "\"minkowski\"",
    "\"no_validation\"",
    "str, callable or DistanceMetric",
    "What near means. \"minkowski\", \"euclidean\", \"manhattan\", \"chebyshev\", \"cosine\" and scikit-learn's other names for \
     them are searched here; any other metric, a callable and \"precomputed\" by scikit-learn.",
);

const METRIC_PARAMS: Param = own("metric_params", "None", "[dict, None]", "dict or None", "Further parameters of the metric.");

const OUTLIER_LABEL: Param = own(
    "outlier_label",
    "None",
    "[Integral, str, \"array-like\", None]",
    "label, \"most_frequent\", list of labels or None",
    "The class of rows without neighbours; None refuses them.",
);

const SAMPLES: (&str, &str, &str) = ("n_samples_fit_", "int", "Number of training rows.");
const EFFECTIVE: (&str, &str, &str) = ("effective_metric_", "str or callable", "The metric that is used.");
const EFFECTIVE_PARAMS: (&str, &str, &str) = ("effective_metric_params_", "dict", "Its parameters.");
const OUTPUTS: (&str, &str, &str) = ("outputs_2d_", "bool", "Whether there are several targets.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "KNeighborsClassifier",
        learner: "knn",
        base: "_asking.KNeighborsClassifier",
        summary: "k nearest neighbours for classes",
        notes: "",
        params: &[N_NEIGHBORS, WEIGHTS, ALGORITHM, LEAF_SIZE, ORDER, METRIC, METRIC_PARAMS, N_JOBS],
        positional: 1,
        handled: &["radius"],
        attributes: &[CLASSES, SAMPLES, EFFECTIVE, EFFECTIVE_PARAMS, OUTPUTS],
        example: "",
    },
    PythonClass {
        class: "KNeighborsRegressor",
        learner: "knn",
        base: "_asking.KNeighborsRegressor",
        summary: "k nearest neighbours for numbers",
        notes: "",
        params: &[N_NEIGHBORS, WEIGHTS, ALGORITHM, LEAF_SIZE, ORDER, METRIC, METRIC_PARAMS, N_JOBS],
        positional: 1,
        handled: &["radius"],
        attributes: &[SAMPLES, EFFECTIVE, EFFECTIVE_PARAMS],
        example: "",
    },
    PythonClass {
        class: "RadiusNeighborsClassifier",
        learner: "knn",
        base: "_asking.RadiusNeighborsClassifier",
        summary: "The majority of the rows within a radius",
        notes: "",
        params: &[RADIUS, WEIGHTS, ALGORITHM, LEAF_SIZE, ORDER, METRIC, OUTLIER_LABEL, METRIC_PARAMS, N_JOBS],
        positional: 1,
        handled: &["n_neighbors"],
        attributes: &[
            CLASSES,
            SAMPLES,
            EFFECTIVE,
            EFFECTIVE_PARAMS,
            OUTPUTS,
            ("outlier_label_", "list or None", "The class of rows without neighbours, for each target."),
        ],
        example: "",
    },
    PythonClass {
        class: "RadiusNeighborsRegressor",
        learner: "knn",
        base: "_asking.RadiusNeighborsRegressor",
        summary: "The mean of the rows within a radius",
        notes: "A row without neighbours is predicted NaN, with a warning, as in scikit-learn.",
        params: &[RADIUS, WEIGHTS, ALGORITHM, LEAF_SIZE, ORDER, METRIC, METRIC_PARAMS, N_JOBS],
        positional: 1,
        handled: &["n_neighbors"],
        attributes: &[SAMPLES, EFFECTIVE, EFFECTIVE_PARAMS],
        example: "",
    },
    PythonClass {
        class: "NearestNeighbors",
        learner: "knn",
        base: "_neighbours.NearestNeighbors",
        summary: "The rows that are nearest",
        notes: "",
        params: &[N_NEIGHBORS, RADIUS, ALGORITHM, LEAF_SIZE, METRIC, ORDER, METRIC_PARAMS, N_JOBS],
        positional: 0,
        handled: &["weights"],
        attributes: &[SAMPLES, EFFECTIVE, EFFECTIVE_PARAMS],
        example: "",
    },
];
