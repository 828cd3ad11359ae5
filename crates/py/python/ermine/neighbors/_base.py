"""NearestNeighbors, and the classifiers and regressors that ask neighbors.

Euclidean, Manhattan, Chebyshev, Minkowski and cosine distances are searched here. Any other metric (a callable, a matrix of distances,
a metric of SciPy) is searched by scikit-learn, and what the neighbors say is worked out here.
"""

import json
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.exceptions import DataConversionWarning
from sklearn.metrics import DistanceMetric
from sklearn.neighbors import VALID_METRICS, BallTree, KDTree
from sklearn.neighbors import NearestNeighbors as OtherNeighbors
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from .. import _native
from .._base import Estimator

# scikit-learn's names of the metrics that are searched here, and ours.
METRICS = {
    "minkowski": "minkowski",
    "p": "minkowski",
    "euclidean": "euclidean",
    "l2": "euclidean",
    "manhattan": "manhattan",
    "cityblock": "manhattan",
    "l1": "manhattan",
    "chebyshev": "chebyshev",
    "infinity": "chebyshev",
    "cosine": "cosine",
}


def rows_of(arrays):
    """An array of arrays, one per row."""
    out = np.empty(len(arrays), dtype=object)
    out[:] = arrays
    return out


def training_array(X):
    """The rows of a search that was made ready elsewhere; `X` itself otherwise."""
    if isinstance(X, (KDTree, BallTree)):
        return np.asarray(X.data)
    return getattr(X, "_fit_X", X)


class NeighborsBase(Estimator):
    """Rows to search in, and the search."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = isinstance(self.metric, str) and self.metric == "nan_euclidean"
        return tags

    # The door -------------------------------------------------------------------------------------------------

    def _check_metric(self):
        """Refuses a metric that the algorithm has no use for, and finds the metric that is meant."""
        metric, algorithm = self.metric, self.algorithm
        if callable(metric):
            if algorithm == "kd_tree":
                raise ValueError(
                    f"kd_tree does not support callable metric '{metric}'; a function call for each pair would be very slow"
                )
        elif not isinstance(metric, DistanceMetric):
            valid = VALID_METRICS["brute" if algorithm == "auto" else algorithm]
            if not (metric in valid or (algorithm == "auto" and metric in VALID_METRICS["ball_tree"])):
                raise ValueError(
                    f"Metric '{metric}' not valid. Use sorted(sklearn.neighbors.VALID_METRICS['{algorithm}']) to get valid "
                    "options. Metric can also be a callable function."
                )
        params = dict(self.metric_params or {})
        if "p" in params and self.p is not None:
            warnings.warn(
                "Parameter p is found in metric_params. The corresponding parameter from __init__ is ignored.",
                SyntaxWarning,
                stacklevel=4,
            )
        self.effective_metric_ = metric
        if isinstance(metric, str) and metric == "minkowski":
            p, w = params.pop("p", self.p), params.pop("w", None)
            names = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}
            if w is None and p in names:
                self.effective_metric_ = names[p]
            else:
                params["p"] = p
                params["w"] = w
            if p is not None and p < 1:
                if algorithm in ("kd_tree", "ball_tree"):
                    raise ValueError(
                        f'algorithm="{algorithm}" does not support 0 < p < 1 for the Minkowski metric. To resolve this problem '
                        'either set p >= 1 or algorithm="brute".'
                    )
                if algorithm == "auto":
                    warnings.warn(
                        "Mind that for 0 < p < 1, Minkowski metrics are not distance metrics. Continuing the execution with "
                        "`algorithm='brute'`.",
                        stacklevel=4,
                    )
        self.effective_metric_params_ = params

    def _has_native_metric(self, X):
        """Whether the search is done here."""
        if not isinstance(self.effective_metric_, str) or self.effective_metric_ not in METRICS:
            return False
        weighed = any(value is not None for name, value in self.effective_metric_params_.items() if name != "p")
        return not weighed and hasattr(X, "shape") and self.effective_metric_params_.get("p", 2) is not None

    def _search_params(self, X):
        """Parameters of the learner for the metric."""
        metric = METRICS[self.effective_metric_]
        # Sparse rows are searched by brute force, as in scikit-learn.
        algorithm = "brute" if sparse.issparse(X) else self.algorithm
        params = {"metric": metric, "algorithm": algorithm}
        if metric == "minkowski":
            params["p"] = float(self.effective_metric_params_.get("p", self.p))
        return params

    def _store_rows(self, X):
        """Keeps the rows, ready to be searched in."""
        self._check_metric()
        for name in ("_index", "_other", "_model"):
            self.__dict__.pop(name, None)
        self._fit_X = X
        self.n_samples_fit_ = X.shape[0]
        if self._has_native_metric(X):
            if sparse.issparse(X) and self.algorithm in ("kd_tree", "ball_tree"):
                warnings.warn("cannot use tree with sparse input: using brute force", stacklevel=4)
        else:
            self._other = self._use_sklearn().fit(X)

    def _use_sklearn(self):
        """scikit-learn's search, with our parameters."""
        names = ("algorithm", "leaf_size", "metric", "p", "metric_params", "n_jobs")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return OtherNeighbors(**{name: getattr(self, name) for name in names})

    def _native_index(self):
        """The rows of the index."""
        model = self.__dict__.get("_model")
        if model is not None:
            return model
        if "_index" not in self.__dict__:
            names = getattr(self, "feature_names_in_", None)
            self._index = _native.NativeIndex(
                self._fit_X,
                json.dumps(self._search_params(self._fit_X)),
                type(self).__name__,
                None if names is None else [str(name) for name in names],
            )
        return self._index

    def __getstate__(self):
        # The index is made of the rows again when it is needed.
        return {name: value for name, value in super().__getstate__().items() if name != "_index"}

    def __sklearn_is_fitted__(self):
        return hasattr(self, "n_samples_fit_")

    def _query(self, X):
        """Rows to find neighbors of."""
        if "_other" in self.__dict__:
            return X
        return self._check_X(X, reset=False)

    # The search -----------------------------------------------------------------------------------------------

    def _kneighbors(self, X, k, return_distance=True):
        """Distances and numbers of the k nearest rows; of the training rows, each without itself, when X is None."""
        own = X is None
        n = self.n_samples_fit_
        if "_other" in self.__dict__:
            return self._other.kneighbors(X, k, return_distance=True)
        rows = self._fit_X if own else self._query(X)
        if k + own > n:
            sign = "<" if own else "<="
            raise ValueError(
                f"Expected n_neighbors {sign} n_samples_fit, but n_neighbors = {k}, n_samples_fit = {n}, n_samples = {rows.shape[0]}"
            )
        distances, found = _native.neighbors(self._native_index(), rows, int(k) + own, type(self).__name__)
        if own:
            # Without the row itself; where as many equal rows come before it, without the last of them.
            others = found != np.arange(n)[:, None]
            others[others.all(axis=1), -1] = False
            distances, found = distances[others].reshape(n, k), found[others].reshape(n, k)
        return distances, found

    def _radius_neighbors(self, X, radius, sort_results=True):
        """Distances and numbers of the rows within a radius, as arrays of arrays."""
        own = X is None
        if "_other" in self.__dict__:
            return self._other.radius_neighbors(X, radius, sort_results=sort_results)
        rows = self._fit_X if own else self._query(X)
        most = np.max(radius) if np.ndim(radius) > 0 else radius
        ends, distances, found = _native.neighbors_within(self._native_index(), rows, float(most), type(self).__name__)
        distances, found = np.split(distances, ends[1:-1]), np.split(found, ends[1:-1])
        for i in range(rows.shape[0]):
            keep = None
            if np.ndim(radius) > 0:
                keep = distances[i] <= radius[i]
            if own:
                others = found[i] != i
                keep = others if keep is None else keep & others
            if keep is not None:
                distances[i], found[i] = distances[i][keep], found[i][keep]
        return rows_of(distances), rows_of(found)


class KNeighborsMixin(NeighborsBase):
    """Searches for a number of neighbors."""

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """The nearest training rows of each row, from near to far; of equally near ones the first.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), default=None
            Rows; (n_queries, n_samples) distances when metric is "precomputed". None: the training rows, none of which is its own
            neighbor.
        n_neighbors : int, default=None
            How many; None: the parameter of the estimator.
        return_distance : bool, default=True
            Whether distances are returned too.

        Returns
        -------
        neigh_dist : ndarray of shape (n_queries, n_neighbors)
            Distances, when asked for.
        neigh_ind : ndarray of shape (n_queries, n_neighbors)
            Numbers of the training rows.
        """
        check_is_fitted(self)
        k = self._count(n_neighbors)
        distances, found = self._kneighbors(X, k)
        return (distances, found) if return_distance else found

    def _count(self, n_neighbors):
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if not isinstance(k, (int, np.integer)) or isinstance(k, bool):
            raise TypeError(f"n_neighbors does not take {type(k)} value, enter integer value")
        if k <= 0:
            raise ValueError(f"Expected n_neighbors > 0. Got {k}")
        return k

    def kneighbors_graph(self, X=None, n_neighbors=None, mode="connectivity"):
        """The graph of the nearest training rows of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), default=None
            Rows; None: the training rows, none of which is its own neighbor.
        n_neighbors : int, default=None
            How many; None: the parameter of the estimator.
        mode : {"connectivity", "distance"}, default="connectivity"
            Ones, or the distances.

        Returns
        -------
        graph : CSR matrix of shape (n_queries, n_samples_fit)
        """
        check_is_fitted(self)
        k = self._count(n_neighbors)
        if mode not in ("connectivity", "distance"):
            raise ValueError(f'Unsupported mode, must be one of "connectivity", or "distance" but got "{mode}" instead')
        distances, found = self._kneighbors(X, k)
        data = np.ones(found.size) if mode == "connectivity" else distances.ravel()
        ends = np.arange(0, found.size + 1, k)
        return sparse.csr_matrix((data, found.ravel(), ends), shape=(found.shape[0], self.n_samples_fit_))


class RadiusNeighborsMixin(NeighborsBase):
    """Searches within a radius."""

    def radius_neighbors(self, X=None, radius=None, return_distance=True, sort_results=False):
        """The training rows that are near each row, from near to far.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), default=None
            Rows; None: the training rows, none of which is its own neighbor.
        radius : float, default=None
            How far; None: the parameter of the estimator.
        return_distance : bool, default=True
            Whether distances are returned too.
        sort_results : bool, default=False
            They are sorted in any case, except where scikit-learn searches.

        Returns
        -------
        neigh_dist : ndarray of shape (n_queries,) of arrays
            Distances, when asked for.
        neigh_ind : ndarray of shape (n_queries,) of arrays
            Numbers of the training rows.
        """
        check_is_fitted(self)
        if sort_results and not return_distance:
            raise ValueError("return_distance must be True if sort_results is True.")
        distances, found = self._radius_neighbors(X, self.radius if radius is None else radius, sort_results)
        return (distances, found) if return_distance else found

    def radius_neighbors_graph(self, X=None, radius=None, mode="connectivity", sort_results=False):
        """The graph of the training rows that are near each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), default=None
            Rows; None: the training rows, none of which is its own neighbor.
        radius : float, default=None
            How far; None: the parameter of the estimator.
        mode : {"connectivity", "distance"}, default="connectivity"
            Ones, or the distances.
        sort_results : bool, default=False
            They are sorted in any case, except where scikit-learn searches.

        Returns
        -------
        graph : CSR matrix of shape (n_queries, n_samples_fit)
        """
        check_is_fitted(self)
        if mode not in ("connectivity", "distance"):
            raise ValueError(f'Unsupported mode, must be one of "connectivity", or "distance" but got {mode} instead')
        distances, found = self._radius_neighbors(X, self.radius if radius is None else radius, sort_results)
        lengths = np.array([len(f) for f in found], dtype=np.int64)
        ends = np.concatenate([[0], np.cumsum(lengths)])
        columns = np.concatenate([*found, []]).astype(np.int64)
        data = np.ones(len(columns)) if mode == "connectivity" else np.concatenate([*distances, []])
        return sparse.csr_matrix((data, columns, ends), shape=(len(found), self.n_samples_fit_))


class NearestNeighbors(KNeighborsMixin, RadiusNeighborsMixin):
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Keep the rows."""
        self._store_rows(self._check_X(training_array(X), reset=True))
        if "_other" not in self.__dict__:
            self._native_index()
        return self

    def save(self, path):
        """Not for rows without a target: they are no model. Pickle the estimator instead.

        Parameters
        ----------
        path : str or path-like
            Where to write.
        """
        raise ValueError("NearestNeighbors holds rows and no model that a file could hold; pickle it")

    @classmethod
    def _matches_model(cls, capabilities):
        return False


def neighbor_weights(weights, distances):
    """The weights of neighbors at these distances, in an array like theirs; None when all count alike."""
    if weights in (None, "uniform"):
        return None
    if callable(weights):
        return weights(distances)
    if distances.dtype == object:
        return rows_of([neighbor_weights(weights, np.atleast_1d(d)) for d in distances])
    # As shares of the nearest one, so that no distance is too small to be divided by.
    if distances.ndim == 1:
        return neighbor_weights(weights, distances[None, :])[0] if len(distances) else distances
    nearest = distances.min(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        out = np.where(nearest == 0, (distances == 0).astype(float), nearest / distances)
    return out


class SupervisedNeighbors(NeighborsBase):
    """The target of a neighbors estimator."""

    _restored = ("weights", "algorithm", "metric", "p")

    def _native_params(self, X):
        """Parameters of the learner, or None when it does not support the request."""
        if "_other" in self.__dict__ or callable(self.weights):
            return None
        params = self._search_params(X)
        params["weights"] = self.weights or "uniform"
        return params

    def _fit_native_model(self, X, target):
        """Fits the learner, where it can do the whole."""
        params = self._native_params(X)
        if params is not None:
            self._fit_native(X, params=params, **target)
        elif "_other" not in self.__dict__:
            self._native_index()

    def _is_whole(self, X):
        return X is not None and "_model" in self.__dict__

    def _restore_fitted(self, about):
        self._check_metric()
        model = self._model
        names = dict(model.arrays())
        if "x" in names:
            self._fit_X = names["x"]
        else:
            parts = (names["x_values"], names["x_indices"].astype(np.int64), names["x_indptr"].astype(np.int64))
            self._fit_X = sparse.csr_matrix(parts, shape=(len(parts[2]) - 1, self.n_features_in_))
        self.n_samples_fit_ = self._fit_X.shape[0]
        self._y = names["y"] if "y" in names else names["codes"].astype(np.intp)
        super()._restore_fitted(about)
        self.outputs_2d_ = False

    def save(self, path):
        """Write the fitted model to a file that Rust, the command line and `ermine.load` can read.

        Parameters
        ----------
        path : str or path-like
            Where to write.
        """
        check_is_fitted(self)
        if "_model" not in self.__dict__ or isinstance(getattr(self, "classes_", None), list):
            raise ValueError(
                "a model file holds one target, one of the five metrics and weights that have a name, and no more neighbors than rows; "
                "pickle the estimator"
            )
        super().save(path)


class KNeighborsTarget(SupervisedNeighbors, KNeighborsMixin):
    """The n_neighbors nearest rows."""

    def _native_params(self, X):
        params = super()._native_params(X)
        if params is None or self.n_neighbors > X.shape[0]:
            return None
        return {**params, "n_neighbors": int(self.n_neighbors)}

    def _asked(self, X):
        """Numbers of the neighbors of each row, and their weights."""
        distances, found = self._kneighbors(X, self.n_neighbors)
        return found, neighbor_weights(self.weights, distances)

    @classmethod
    def _from_model(cls, model):
        if json.loads(model.describe())["params"]["radius"] is not None:
            return None
        return super()._from_model(model)


class RadiusNeighborsTarget(SupervisedNeighbors, RadiusNeighborsMixin):
    """All rows within the radius."""

    def _native_params(self, X):
        params = super()._native_params(X)
        if params is None or not np.isfinite(self.radius):
            return None
        return {**params, "radius": float(self.radius)}

    def _is_whole(self, X):
        # Rows without neighbors have an answer here and none in the model.
        return False

    def _asked(self, X):
        distances, found = self._radius_neighbors(X, self.radius)
        return found, neighbor_weights(self.weights, distances)

    @classmethod
    def _from_model(cls, model):
        if json.loads(model.describe())["params"]["radius"] is None:
            return None
        return super()._from_model(model)


class NeighborsClassifierBase:
    """Classes of the neighbors."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _fit_classes(self, X, y):
        X, y = self._check_X_y(training_array(X), y, multi_output=True)
        if y.ndim == 2 and y.shape[1] == 1:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), for "
                "example using ravel().",
                DataConversionWarning,
                stacklevel=3,
            )
            y = y.ravel()
        check_classification_targets(y)
        self.outputs_2d_ = y.ndim == 2
        found = [np.unique(column, return_inverse=True) for column in (y.T if self.outputs_2d_ else [y])]
        codes = np.column_stack([codes.ravel() for _, codes in found]).astype(np.intp)
        classes = [labels for labels, _ in found]
        self._store_rows(X)
        if self.outputs_2d_:
            self.classes_, self._y = classes, codes
            if "_other" not in self.__dict__:
                self._native_index()
        else:
            self.classes_, self._y = classes[0], codes.ravel()
            self._fit_native_model(X, {"codes": codes.ravel().astype(np.uint32), "classes": classes[0]})
        return self

    def _shares(self, X):
        """For each target the total weight of each class among the neighbors."""
        found, weights = self._asked(X)
        codes = self._y if self.outputs_2d_ else self._y[:, None]
        classes = self.classes_ if self.outputs_2d_ else [self.classes_]
        lengths = np.array([len(f) for f in found], dtype=np.intp)
        rows = np.repeat(np.arange(len(found)), lengths)
        flat = np.concatenate([*found, []]).astype(np.intp)
        counts = np.ones(len(flat)) if weights is None else np.concatenate([*(np.ravel(w) for w in weights), []])
        out = []
        for k, labels in enumerate(classes):
            votes = np.zeros((len(found), len(labels)))
            np.add.at(votes, (rows, codes[flat, k]), counts)
            out.append(votes)
        return out

    def _labels(self, votes):
        classes = self.classes_ if self.outputs_2d_ else [self.classes_]
        picked = [labels[v.argmax(axis=1)] for labels, v in zip(classes, votes)]
        return np.column_stack(picked) if self.outputs_2d_ else picked[0]


def mean_of(y, found, weights):
    """Weighted means of the rows of `y` that were found, NaN where none was."""
    out = np.full((len(found), y.shape[1]), np.nan)
    for i, rows in enumerate(found):
        if len(rows):
            w = None if weights is None else weights[i]
            out[i] = np.average(y[rows], axis=0, weights=w)
    return out
