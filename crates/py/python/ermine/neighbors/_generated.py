"""Signatures, constraints and documentation; what the classes do is in their bases."""

# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.

from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

from .._docs import documented
from . import _base, _supervised

__all__ = [
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "NearestNeighbors",
]


@documented
class KNeighborsClassifier(_supervised.KNeighborsClassifier):
    """k nearest neighbors for classes.

    y(x) = sum_i w_i y_i / sum_i w_i over the k training rows i nearest to x; w_i = 1 or 1 / d(x, x_i)

    For few columns that can be compared (standardize first) and a target that changes slowly among them. A fit
    copies the rows; a prediction takes n p multiplications by brute force and far fewer by the tree, which pays
    up to about 6 columns. Neighbors are exact: f32 only selects the rows to measure in f64. Of equally near
    rows the first is taken, of equally frequent classes the first. No weights, no missing cells.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbors are asked. Few follow the data closely, many give a smoother and more biased answer.

    weights : {"uniform", "distance"}, callable or None, default="uniform"
        How much the neighbors count: all alike, by 1 / distance (where some are at distance 0, only those), or
        by a function of an array of distances.

    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How they are searched for, with the same result: "brute", "kd_tree" ("ball_tree" is another name for
        it), or "auto": the tree from 1000 rows on and up to 6 columns.

    leaf_size : int, default=30
        Accepted so that programs written for scikit-learn run; it has no effect. Leaves of our tree have 48
        rows; it is passed on where scikit-learn searches.

    p : float, default=2
        The order of Minkowski's metric.

    metric : str, callable or DistanceMetric, default="minkowski"
        What near means. "minkowski", "euclidean", "manhattan", "chebyshev", "cosine" and scikit-learn's other
        names for them are searched here; any other metric, a callable and "precomputed" by scikit-learn.

    metric_params : dict or None, default=None
        Further parameters of the metric.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    n_samples_fit_ : int
        Number of training rows.

    effective_metric_ : str or callable
        The metric that is used.

    effective_metric_params_ : dict
        Its parameters.

    outputs_2d_ : bool
        Whether there are several targets.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Fix, Hodges 1951; Cover, Hart: Nearest neighbor pattern classification, IEEE Trans. Inf. Theory 13 (1967)
    """

    __module__ = "ermine.neighbors"
    _learner = "knn"
    _accepts = ("sparse", "targets")
    _forwarded = {"n_neighbors": "n_neighbors"}
    _parameter_constraints: dict = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"uniform", "distance"}), callable, None],
        "algorithm": [StrOptions({"auto", "ball_tree", "kd_tree", "brute"})],
        "leaf_size": [Interval(Integral, 1, None, closed="left")],
        "p": [Interval(Real, 0.0, None, closed="right"), None],
        "metric": "no_validation",
        "metric_params": [dict, None],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        n_neighbors=5,
        *,
        weights="uniform",
        algorithm="auto",
        leaf_size=30,
        p=2,
        metric="minkowski",
        metric_params=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs


@documented
class KNeighborsRegressor(_supervised.KNeighborsRegressor):
    """k nearest neighbors for numbers.

    y(x) = sum_i w_i y_i / sum_i w_i over the k training rows i nearest to x; w_i = 1 or 1 / d(x, x_i)

    For few columns that can be compared (standardize first) and a target that changes slowly among them. A fit
    copies the rows; a prediction takes n p multiplications by brute force and far fewer by the tree, which pays
    up to about 6 columns. Neighbors are exact: f32 only selects the rows to measure in f64. Of equally near
    rows the first is taken, of equally frequent classes the first. No weights, no missing cells.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbors are asked. Few follow the data closely, many give a smoother and more biased answer.

    weights : {"uniform", "distance"}, callable or None, default="uniform"
        How much the neighbors count: all alike, by 1 / distance (where some are at distance 0, only those), or
        by a function of an array of distances.

    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How they are searched for, with the same result: "brute", "kd_tree" ("ball_tree" is another name for
        it), or "auto": the tree from 1000 rows on and up to 6 columns.

    leaf_size : int, default=30
        Accepted so that programs written for scikit-learn run; it has no effect. Leaves of our tree have 48
        rows; it is passed on where scikit-learn searches.

    p : float, default=2
        The order of Minkowski's metric.

    metric : str, callable or DistanceMetric, default="minkowski"
        What near means. "minkowski", "euclidean", "manhattan", "chebyshev", "cosine" and scikit-learn's other
        names for them are searched here; any other metric, a callable and "precomputed" by scikit-learn.

    metric_params : dict or None, default=None
        Further parameters of the metric.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of training rows.

    effective_metric_ : str or callable
        The metric that is used.

    effective_metric_params_ : dict
        Its parameters.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Fix, Hodges 1951; Cover, Hart: Nearest neighbor pattern classification, IEEE Trans. Inf. Theory 13 (1967)
    """

    __module__ = "ermine.neighbors"
    _learner = "knn"
    _accepts = ("sparse", "targets")
    _forwarded = {"n_neighbors": "n_neighbors"}
    _parameter_constraints: dict = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"uniform", "distance"}), callable, None],
        "algorithm": [StrOptions({"auto", "ball_tree", "kd_tree", "brute"})],
        "leaf_size": [Interval(Integral, 1, None, closed="left")],
        "p": [Interval(Real, 0.0, None, closed="right"), None],
        "metric": "no_validation",
        "metric_params": [dict, None],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        n_neighbors=5,
        *,
        weights="uniform",
        algorithm="auto",
        leaf_size=30,
        p=2,
        metric="minkowski",
        metric_params=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs


@documented
class RadiusNeighborsClassifier(_supervised.RadiusNeighborsClassifier):
    """The majority of the rows within a radius.

    y(x) = sum_i w_i y_i / sum_i w_i over the k training rows i nearest to x; w_i = 1 or 1 / d(x, x_i)

    For few columns that can be compared (standardize first) and a target that changes slowly among them. A fit
    copies the rows; a prediction takes n p multiplications by brute force and far fewer by the tree, which pays
    up to about 6 columns. Neighbors are exact: f32 only selects the rows to measure in f64. Of equally near
    rows the first is taken, of equally frequent classes the first. No weights, no missing cells.

    Parameters
    ----------
    radius : float, default=1.0
        Asks all rows that are at most this far, instead of n_neighbors of them. A row without any such neighbor
        is refused.

    weights : {"uniform", "distance"}, callable or None, default="uniform"
        How much the neighbors count: all alike, by 1 / distance (where some are at distance 0, only those), or
        by a function of an array of distances.

    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How they are searched for, with the same result: "brute", "kd_tree" ("ball_tree" is another name for
        it), or "auto": the tree from 1000 rows on and up to 6 columns.

    leaf_size : int, default=30
        Accepted so that programs written for scikit-learn run; it has no effect. Leaves of our tree have 48
        rows; it is passed on where scikit-learn searches.

    p : float, default=2
        The order of Minkowski's metric.

    metric : str, callable or DistanceMetric, default="minkowski"
        What near means. "minkowski", "euclidean", "manhattan", "chebyshev", "cosine" and scikit-learn's other
        names for them are searched here; any other metric, a callable and "precomputed" by scikit-learn.

    outlier_label : label, "most_frequent", list of labels or None, default=None
        The class of rows without neighbors; None refuses them.

    metric_params : dict or None, default=None
        Further parameters of the metric.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    n_samples_fit_ : int
        Number of training rows.

    effective_metric_ : str or callable
        The metric that is used.

    effective_metric_params_ : dict
        Its parameters.

    outputs_2d_ : bool
        Whether there are several targets.

    outlier_label_ : list or None
        The class of rows without neighbors, for each target.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Fix, Hodges 1951; Cover, Hart: Nearest neighbor pattern classification, IEEE Trans. Inf. Theory 13 (1967)
    """

    __module__ = "ermine.neighbors"
    _learner = "knn"
    _accepts = ("sparse", "targets")
    _forwarded = {"radius": "radius"}
    _parameter_constraints: dict = {
        "radius": [Interval(Real, 0.0, None, closed="both")],
        "weights": [StrOptions({"uniform", "distance"}), callable, None],
        "algorithm": [StrOptions({"auto", "ball_tree", "kd_tree", "brute"})],
        "leaf_size": [Interval(Integral, 1, None, closed="left")],
        "p": [Interval(Real, 0.0, None, closed="right"), None],
        "metric": "no_validation",
        "outlier_label": [Integral, str, "array-like", None],
        "metric_params": [dict, None],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        radius=1.0,
        *,
        weights="uniform",
        algorithm="auto",
        leaf_size=30,
        p=2,
        metric="minkowski",
        outlier_label=None,
        metric_params=None,
        n_jobs=None,
    ):
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.outlier_label = outlier_label
        self.metric_params = metric_params
        self.n_jobs = n_jobs


@documented
class RadiusNeighborsRegressor(_supervised.RadiusNeighborsRegressor):
    """The mean of the rows within a radius.

    y(x) = sum_i w_i y_i / sum_i w_i over the k training rows i nearest to x; w_i = 1 or 1 / d(x, x_i)

    For few columns that can be compared (standardize first) and a target that changes slowly among them. A fit
    copies the rows; a prediction takes n p multiplications by brute force and far fewer by the tree, which pays
    up to about 6 columns. Neighbors are exact: f32 only selects the rows to measure in f64. Of equally near
    rows the first is taken, of equally frequent classes the first. No weights, no missing cells.

    A row without neighbors is predicted NaN, with a warning, as in scikit-learn.

    Parameters
    ----------
    radius : float, default=1.0
        Asks all rows that are at most this far, instead of n_neighbors of them. A row without any such neighbor
        is refused.

    weights : {"uniform", "distance"}, callable or None, default="uniform"
        How much the neighbors count: all alike, by 1 / distance (where some are at distance 0, only those), or
        by a function of an array of distances.

    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How they are searched for, with the same result: "brute", "kd_tree" ("ball_tree" is another name for
        it), or "auto": the tree from 1000 rows on and up to 6 columns.

    leaf_size : int, default=30
        Accepted so that programs written for scikit-learn run; it has no effect. Leaves of our tree have 48
        rows; it is passed on where scikit-learn searches.

    p : float, default=2
        The order of Minkowski's metric.

    metric : str, callable or DistanceMetric, default="minkowski"
        What near means. "minkowski", "euclidean", "manhattan", "chebyshev", "cosine" and scikit-learn's other
        names for them are searched here; any other metric, a callable and "precomputed" by scikit-learn.

    metric_params : dict or None, default=None
        Further parameters of the metric.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of training rows.

    effective_metric_ : str or callable
        The metric that is used.

    effective_metric_params_ : dict
        Its parameters.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Fix, Hodges 1951; Cover, Hart: Nearest neighbor pattern classification, IEEE Trans. Inf. Theory 13 (1967)
    """

    __module__ = "ermine.neighbors"
    _learner = "knn"
    _accepts = ("sparse", "targets")
    _forwarded = {"radius": "radius"}
    _parameter_constraints: dict = {
        "radius": [Interval(Real, 0.0, None, closed="both")],
        "weights": [StrOptions({"uniform", "distance"}), callable, None],
        "algorithm": [StrOptions({"auto", "ball_tree", "kd_tree", "brute"})],
        "leaf_size": [Interval(Integral, 1, None, closed="left")],
        "p": [Interval(Real, 0.0, None, closed="right"), None],
        "metric": "no_validation",
        "metric_params": [dict, None],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        radius=1.0,
        *,
        weights="uniform",
        algorithm="auto",
        leaf_size=30,
        p=2,
        metric="minkowski",
        metric_params=None,
        n_jobs=None,
    ):
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs


@documented
class NearestNeighbors(_base.NearestNeighbors):
    """The rows that are nearest.

    y(x) = sum_i w_i y_i / sum_i w_i over the k training rows i nearest to x; w_i = 1 or 1 / d(x, x_i)

    For few columns that can be compared (standardize first) and a target that changes slowly among them. A fit
    copies the rows; a prediction takes n p multiplications by brute force and far fewer by the tree, which pays
    up to about 6 columns. Neighbors are exact: f32 only selects the rows to measure in f64. Of equally near
    rows the first is taken, of equally frequent classes the first. No weights, no missing cells.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbors are asked. Few follow the data closely, many give a smoother and more biased answer.

    radius : float, default=1.0
        Asks all rows that are at most this far, instead of n_neighbors of them. A row without any such neighbor
        is refused.

    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How they are searched for, with the same result: "brute", "kd_tree" ("ball_tree" is another name for
        it), or "auto": the tree from 1000 rows on and up to 6 columns.

    leaf_size : int, default=30
        Accepted so that programs written for scikit-learn run; it has no effect. Leaves of our tree have 48
        rows; it is passed on where scikit-learn searches.

    metric : str, callable or DistanceMetric, default="minkowski"
        What near means. "minkowski", "euclidean", "manhattan", "chebyshev", "cosine" and scikit-learn's other
        names for them are searched here; any other metric, a callable and "precomputed" by scikit-learn.

    p : float, default=2
        The order of Minkowski's metric.

    metric_params : dict or None, default=None
        Further parameters of the metric.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of training rows.

    effective_metric_ : str or callable
        The metric that is used.

    effective_metric_params_ : dict
        Its parameters.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Fix, Hodges 1951; Cover, Hart: Nearest neighbor pattern classification, IEEE Trans. Inf. Theory 13 (1967)
    """

    __module__ = "ermine.neighbors"
    _learner = "knn"
    _accepts = ("sparse", "targets")
    _forwarded = {"n_neighbors": "n_neighbors", "radius": "radius"}
    _parameter_constraints: dict = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "radius": [Interval(Real, 0.0, None, closed="both")],
        "algorithm": [StrOptions({"auto", "ball_tree", "kd_tree", "brute"})],
        "leaf_size": [Interval(Integral, 1, None, closed="left")],
        "metric": "no_validation",
        "p": [Interval(Real, 0.0, None, closed="right"), None],
        "metric_params": [dict, None],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        *,
        n_neighbors=5,
        radius=1.0,
        algorithm="auto",
        leaf_size=30,
        metric="minkowski",
        p=2,
        metric_params=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs
