"""AgglomerativeClustering."""

import json
import warnings

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.base import ClusterMixin, _fit_context
from sklearn.metrics import pairwise_distances
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from .._base import Estimator

# scikit-learn's names of the distances that are computed here, and ours.
METRICS = {
    "euclidean": "euclidean",
    "l2": "euclidean",
    "manhattan": "manhattan",
    "cityblock": "manhattan",
    "l1": "manhattan",
    "chebyshev": "chebyshev",
    "cosine": "cosine",
    "precomputed": "precomputed",
}


class AgglomerativeClustering(ClusterMixin, Estimator):
    _restored = ("metric", "compute_full_tree")

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Build the tree and cut it."""
        X = self._check_X(X, reset=True, ensure_min_samples=2)
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError("Exactly one of n_clusters and distance_threshold has to be set, and the other needs to be None.")
        if self.distance_threshold is not None and not self.compute_full_tree:
            raise ValueError("compute_full_tree must be True if distance_threshold is set.")
        if self.linkage == "ward" and self.metric not in ("euclidean", "l2"):
            raise ValueError(
                f"{self.metric} was provided as metric. Ward can only work with euclidean distances (i.e. 'euclidean' and 'l2')."
            )
        rows, metric = self._distances(X)
        params = self._learner_params()
        params["metric"] = metric
        n = X.shape[0]
        full = self.compute_full_tree
        if self.connectivity is None:
            full = True
        if full == "auto":
            full = self.distance_threshold is not None or self.n_clusters < max(100, 0.02 * n)
        params["compute_full_tree"] = bool(full)
        pairs, parts = self._pairs(X)
        params["connectivity"] = pairs
        # A table of distances has other columns than X.
        names = None if rows is X else [f"x{j}" for j in range(rows.shape[1])]
        self._fit_native(rows, params=params, names=names)
        self.n_connected_components_ = parts
        self._set_fitted()
        if not (self.compute_distances or self.distance_threshold is not None):
            del self.distances_
        return self

    def _distances(self, X):
        """The rows and our name of their distance, or the distances themselves."""
        if self.metric == "precomputed":
            if X.shape[0] != X.shape[1]:
                raise ValueError(f"Distance matrix should be square, got matrix of shape {X.shape}")
            return X, "precomputed"
        if isinstance(self.metric, str) and self.metric in METRICS:
            if self.metric == "cosine" and not np.any(X, axis=1).all():
                raise ValueError("Cosine affinity cannot be used when X contains zero vectors")
            return X, METRICS[self.metric]
        if callable(self.metric):
            table = np.asarray(self.metric(X), dtype=np.float64)
            if table.shape != (X.shape[0], X.shape[0]):
                raise ValueError(f"the metric returned an array of shape {table.shape} for {X.shape[0]} rows")
        else:
            table = np.asarray(pairwise_distances(X, metric=self.metric), dtype=np.float64)
        return np.ascontiguousarray(table), "precomputed"

    def _pairs(self, X):
        """Pairs of connected rows, and how many parts were not connected."""
        if self.connectivity is None:
            return None, 1
        connectivity = self.connectivity(X) if callable(self.connectivity) else self.connectivity
        connectivity = sparse.coo_matrix(check_array(connectivity, accept_sparse=["csr", "coo", "lil"]))
        n = X.shape[0]
        if connectivity.shape != (n, n):
            raise ValueError(f"Wrong shape for connectivity matrix: {connectivity.shape} when X is {X.shape}")
        held = (connectivity.row != connectivity.col) & (connectivity.data != 0)
        a, b = connectivity.row[held], connectivity.col[held]
        ends = np.unique(np.stack([np.minimum(a, b), np.maximum(a, b)], axis=1), axis=0)
        graph = sparse.coo_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n))
        parts, part = connected_components(graph, directed=False)
        if parts > 1:
            warnings.warn(
                f"the number of connected components of the connectivity matrix is {parts} > 1. Completing it to avoid stopping the "
                "tree early.",
                UserWarning,
                stacklevel=3,
            )
            ends = np.concatenate([ends, self._bridges(X, part, parts)])
        return ends.astype(np.int64).tolist(), int(parts)

    def _bridges(self, X, part, parts):
        """The shortest connection of any two parts."""
        out = []
        for i in range(parts):
            of_i = np.flatnonzero(part == i)
            for j in range(i):
                of_j = np.flatnonzero(part == j)
                if self.metric == "precomputed":
                    table = X[np.ix_(of_i, of_j)]
                else:
                    table = pairwise_distances(X[of_i], X[of_j], metric=self.metric)
                at = np.unravel_index(np.argmin(table), table.shape)
                out.append((of_i[at[0]], of_j[at[1]]))
        return np.array(out, dtype=np.int64).reshape(-1, 2)

    def _set_fitted(self):
        super()._set_fitted()
        model = self._model
        self.labels_ = model.array("labels").astype(np.int64)
        self.children_ = model.array("children").astype(np.int64)
        self.n_leaves_ = len(self.labels_)
        self.n_clusters_ = int(self.labels_.max()) + 1
        if not hasattr(self, "n_connected_components_"):
            self.n_connected_components_ = json.loads(model.field("n_connected"))

    def fit_predict(self, X, y=None):
        """Build the tree, cut it and return the cluster of each row."""
        return self.fit(X).labels_

    def assign(self, X):
        """The cluster of new rows: that of the nearest training row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_training_samples)
            Rows, or their distances from the training rows if the tree was built from distances.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._call_native("assign", self._check_X(X, reset=False)).astype(np.int64)
