//! Neighbors.

use super::*;

const N_NEIGHBORS: Param = like("n_neighbors", Whole(5), &[ints_from(1)]);

const RADIUS: Param = like("radius", Number(1.0), &[reals(0.0, f64::INFINITY, Both)]);

const WEIGHTS: Param = translated(
    "weights",
    Word("uniform"),
    &[Words(&["uniform", "distance"]), Callable, Null],
    "How much the neighbors count: all alike, by 1 / distance (where some are at distance 0, only those), or by a function of an array of \
     distances.",
);

const ALGORITHM: Param = translated("algorithm", Word("auto"), &[Words(&["auto", "ball_tree", "kd_tree", "brute"])], "");

const LEAF_SIZE: Param = unused(
    "leaf_size",
    Whole(30),
    &[ints_from(1)],
    "Leaves of our tree have 48 rows; it is passed on where scikit-learn searches.",
);

const ORDER: Param =
    translated("p", Whole(2), &[reals(0.0, f64::INFINITY, High), Null], "The order of Minkowski's metric.").kind("float");

const METRIC: Param = translated(
    "metric",
    Word("minkowski"),
    &[Anything],
    "What near means. \"minkowski\", \"euclidean\", \"manhattan\", \"chebyshev\", \"cosine\" and scikit-learn's other names for \
     them are searched here; any other metric, a callable and \"precomputed\" by scikit-learn.",
)
.kind("str, callable or DistanceMetric");

const METRIC_PARAMS: Param = own("metric_params", Nothing, &[Dict, Null], "Further parameters of the metric.");

const OUTLIER_LABEL: Param =
    own("outlier_label", Nothing, &[Int, Text, ArrayLike, Null], "The class of rows without neighbors; None refuses them.")
        .kind("label, \"most_frequent\", list of labels or None");

const SAMPLES: Attribute = ("n_samples_fit_", "int", "Number of training rows.");
const EFFECTIVE: Attribute = ("effective_metric_", "str or callable", "The metric that is used.");
const EFFECTIVE_PARAMS: Attribute = ("effective_metric_params_", "dict", "Its parameters.");
const OUTPUTS: Attribute = ("outputs_2d_", "bool", "Whether there are several targets.");

pub const FACES: &[PythonClass] = &[
    PythonClass {
        class: "KNeighborsClassifier",
        learner: "knn",
        module: "neighbors",
        base: "_supervised.KNeighborsClassifier",
        summary: "k nearest neighbors for classes",
        params: &[N_NEIGHBORS, WEIGHTS, ALGORITHM, LEAF_SIZE, ORDER, METRIC, METRIC_PARAMS, N_JOBS],
        positional: 1,
        handled: &["radius"],
        attributes: &[CLASSES, SAMPLES, EFFECTIVE, EFFECTIVE_PARAMS, OUTPUTS],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "KNeighborsRegressor",
        learner: "knn",
        module: "neighbors",
        base: "_supervised.KNeighborsRegressor",
        summary: "k nearest neighbors for numbers",
        params: &[N_NEIGHBORS, WEIGHTS, ALGORITHM, LEAF_SIZE, ORDER, METRIC, METRIC_PARAMS, N_JOBS],
        positional: 1,
        handled: &["radius"],
        attributes: &[SAMPLES, EFFECTIVE, EFFECTIVE_PARAMS],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "RadiusNeighborsClassifier",
        learner: "knn",
        module: "neighbors",
        base: "_supervised.RadiusNeighborsClassifier",
        summary: "The majority of the rows within a radius",
        params: &[RADIUS, WEIGHTS, ALGORITHM, LEAF_SIZE, ORDER, METRIC, OUTLIER_LABEL, METRIC_PARAMS, N_JOBS],
        positional: 1,
        handled: &["n_neighbors"],
        attributes: &[
            CLASSES,
            SAMPLES,
            EFFECTIVE,
            EFFECTIVE_PARAMS,
            OUTPUTS,
            ("outlier_label_", "list or None", "The class of rows without neighbors, for each target."),
        ],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "RadiusNeighborsRegressor",
        learner: "knn",
        module: "neighbors",
        base: "_supervised.RadiusNeighborsRegressor",
        summary: "The mean of the rows within a radius",
        notes: "A row without neighbors is predicted NaN, with a warning, as in scikit-learn.",
        params: &[RADIUS, WEIGHTS, ALGORITHM, LEAF_SIZE, ORDER, METRIC, METRIC_PARAMS, N_JOBS],
        positional: 1,
        handled: &["n_neighbors"],
        attributes: &[SAMPLES, EFFECTIVE, EFFECTIVE_PARAMS],
        ..PythonClass::NEW
    },
    PythonClass {
        class: "NearestNeighbors",
        learner: "knn",
        module: "neighbors",
        base: "_base.NearestNeighbors",
        summary: "The rows that are nearest",
        params: &[N_NEIGHBORS, RADIUS, ALGORITHM, LEAF_SIZE, METRIC, ORDER, METRIC_PARAMS, N_JOBS],
        handled: &["weights"],
        attributes: &[SAMPLES, EFFECTIVE, EFFECTIVE_PARAMS],
        ..PythonClass::NEW
    },
];
