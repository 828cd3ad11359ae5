"""DBSCAN."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.base import ClusterMixin, _fit_context
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from .. import _native
from .._base import Estimator
from ..neighbors._base import METRICS


def _has_model(estimator):
    if not hasattr(estimator, "_model") and hasattr(estimator, "labels_"):
        raise AttributeError("this DBSCAN was fitted with a metric that is not searched here, and knows the training rows only")
    return True


class DBSCAN(ClusterMixin, Estimator):
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Find the clusters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
            Rows, or their distances if metric is "precomputed". Float64 and float32 arrays are used in place.
        y : Ignored
            Not used; for scikit-learn's contract.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows. As in scikit-learn, a row of weight 0 can be a core row, and a weight below 0 keeps its neighbors from
            being core rows.

        Returns
        -------
        self : object
        """
        X = self._check_X(X, reset=True)
        weight = None if sample_weight is None else np.ascontiguousarray(_check_sample_weight(sample_weight, X, dtype=np.float64))
        for name in ("_model", "components_"):
            self.__dict__.pop(name, None)
        metric, p = self._search()
        if metric is None or (weight is not None and (weight <= 0).any()):
            self._fit_with_sklearn(X, weight)
            return self
        params = {"eps": float(self.eps), "min_samples": float(self.min_samples), "metric": metric, "p": p}
        tree = self.algorithm in ("kd_tree", "ball_tree") and not sparse.issparse(X)
        params["algorithm"] = self.algorithm if tree or self.algorithm == "brute" else "auto"
        model = self._fit_native(X, sample_weight=weight, params=params)
        self.core_sample_indices_ = model.array("core_sample_indices").astype(np.intp)
        self.labels_ = self._call_native("assign", X).astype(np.intp)
        self._set_components(X)
        return self

    def _search(self):
        """Our name of the metric and its order; no name when it is not searched here."""
        params = dict(self.metric_params or {})
        if self.metric != "minkowski" and params or not isinstance(self.metric, str) or self.metric not in METRICS:
            return None, 2.0
        p = params.pop("p", self.p)
        if params or "p" in (self.metric_params or {}) and self.p is not None:
            return None, 2.0
        p = 2.0 if p is None else float(p)
        if METRICS[self.metric] == "minkowski" and not 0 < p <= 1e6:
            return None, 2.0
        return METRICS[self.metric], p if METRICS[self.metric] == "minkowski" else 2.0

    def _fit_with_sklearn(self, X, weight):
        """The groups of the neighbors that scikit-learn finds."""
        if self.metric == "precomputed" and sparse.issparse(X):
            # A row is its own neighbor, stored or not.
            X = X.copy()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", sparse.SparseEfficiencyWarning)
                X.setdiag(X.diagonal())
        search = NearestNeighbors(
            radius=self.eps,
            algorithm=self.algorithm,
            leaf_size=self.leaf_size,
            metric=self.metric,
            metric_params=self.metric_params,
            p=self.p,
            n_jobs=self.n_jobs,
        ).fit(X)
        near = search.radius_neighbors(X, return_distance=False)
        sizes = np.array([len(rows) if weight is None else weight[rows].sum() for rows in near])
        core = sizes >= self.min_samples
        ends = np.concatenate([[0], np.cumsum([len(rows) for rows in near])])
        rows = np.concatenate(list(near)) if len(near) else np.zeros(0)
        self.labels_ = _native.connect_neighbors(
            ends.astype(np.int64).tolist(), rows.astype(np.int64).tolist(), core.tolist()
        ).astype(np.intp)
        self.core_sample_indices_ = np.flatnonzero(core)
        self._set_components(X)

    def _set_components(self, X):
        if len(self.core_sample_indices_):
            self.components_ = X[self.core_sample_indices_].copy()
        else:
            self.components_ = np.empty((0, X.shape[1]))

    def _set_fitted(self):
        self.core_sample_indices_ = self._model.array("core_sample_indices").astype(np.intp)
        components = dict(self._model.arrays()).get("components")
        if components is not None:
            self.components_ = components

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        params = about["params"]
        self.metric, self.algorithm, self.min_samples = params["metric"], params["algorithm"], int(params["min_samples"])
        self.p = params["p"] if params["metric"] == "minkowski" else None

    def __sklearn_is_fitted__(self):
        return hasattr(self, "core_sample_indices_")

    def fit_predict(self, X, y=None, sample_weight=None):
        """Find the clusters and return that of each row."""
        return self.fit(X, sample_weight=sample_weight).labels_

    @available_if(_has_model)
    def assign(self, X):
        """The cluster of new rows: where a training row in their place would be. -1 is noise.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        if not hasattr(self, "_model"):
            raise NotFittedError("this DBSCAN has no model for new rows")
        return self._call_native("assign", self._check_X(X, reset=False)).astype(np.intp)
