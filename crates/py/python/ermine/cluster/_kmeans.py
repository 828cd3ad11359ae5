"""KMeans and MiniBatchKMeans."""

import json
import numbers
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import _is_arraylike_not_scalar, check_is_fitted

from .. import _native
from .._base import Estimator, seed_of, to_json_value
from .._transformer import PreservesDtypeMixin


class _Centers(PreservesDtypeMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Estimator):
    """Shared by clusterers with centers."""

    def _starts(self, X):
        """The centers to start from, as a list of rows."""
        if callable(self.init):
            starts = self.init(X, self.n_clusters, random_state=check_random_state(self.random_state))
        else:
            starts = self.init
        starts = check_array(starts, dtype=np.float64, copy=True)
        if starts.shape[0] != self.n_clusters:
            raise ValueError(
                f"The shape of the initial centers {starts.shape} does not match the number of clusters {self.n_clusters}."
            )
        if starts.shape[1] != X.shape[1]:
            raise ValueError(
                f"The shape of the initial centers {starts.shape} does not match the number of features of the data {X.shape[1]}."
            )
        return to_json_value(starts)

    def _enough_rows(self, X):
        if isinstance(self.n_clusters, numbers.Integral) and X.shape[0] < self.n_clusters:
            raise ValueError(f"n_samples={X.shape[0]} should be >= n_clusters={self.n_clusters}.")

    def _start_params(self, X):
        """The learner's parameters, with the centers to start from where they are given."""
        params = self._learner_params()
        given = callable(self.init) or _is_arraylike_not_scalar(self.init)
        params["init"] = self._starts(X) if given else self.init
        if given:
            if not callable(self.init) and self.n_init not in ("auto", 1):
                warnings.warn(
                    f"Explicit initial center position passed: performing only one init in {type(self).__name__} instead of "
                    f"n_init={self.n_init}.",
                    RuntimeWarning,
                    stacklevel=3,
                )
            params["n_init"] = 1
        return params

    def _set_fitted(self):
        super()._set_fitted()
        self.cluster_centers_ = self._model.array("centers")

    def _set_labels(self, X):
        """The clusters of the training rows, which the model still knows, and centers as precise as the rows."""
        labels = self._model.labels()
        self.labels_ = self._call_native("assign", X) if labels is None else labels
        if X.dtype == np.float32:
            self.cluster_centers_ = self.cluster_centers_.astype(np.float32)

    def _warn_of_few(self):
        distinct, wanted = len(np.unique(self.labels_)), self.cluster_centers_.shape[0]
        if distinct < wanted:
            warnings.warn(
                f"Number of distinct clusters ({distinct}) found smaller than n_clusters ({wanted}). Possibly due to "
                "duplicate points in X.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        self.init = about["params"]["init"]

    @property
    def _n_features_out(self):
        return self.cluster_centers_.shape[0]

    def fit_predict(self, X, y=None, sample_weight=None):
        """Find the centers and return the cluster of each row."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def fit_transform(self, X, y=None, sample_weight=None):
        """Find the centers and return the distances of the rows to them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : Ignored
            Not used; for scikit-learn's contract.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters)
        """
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def predict(self, X):
        check_is_fitted(self)
        return self._call_native("assign", self._finite_rows(X))

    def _finite_rows(self, X):
        X = self._check_X(X, reset=False)
        _native.refuse_non_finite(X, type(self).__name__)
        return X

    def transform(self, X):
        """The distances of the rows to the centers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters)
        """
        check_is_fitted(self)
        X = self._finite_rows(X)
        return self._call_native("transform", X, single=X.dtype == np.float32)

    def score(self, X, y=None, sample_weight=None):
        """Minus the sum of the squared distances of the rows to their centers."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        weight = self._check_weight(sample_weight, X)
        labels = self._call_native("assign", X)
        total, centers = 0.0, np.asarray(self.cluster_centers_, dtype=np.float64)
        for start in range(0, X.shape[0], 4096):
            part = X[start : start + 4096]
            part = part.toarray() if sparse.issparse(part) else part
            squares = ((part - centers[labels[start : start + 4096]]) ** 2).sum(axis=1)
            total += float(squares.sum() if weight is None else squares @ weight[start : start + 4096])
        return -total


class KMeans(_Centers):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Find the centers."""
        X = self._check_X(X, reset=True)
        weight = self._check_weight(sample_weight, X)
        self._enough_rows(X)
        params = self._start_params(X)
        if self.algorithm == "elkan" and self.n_clusters == 1:
            warnings.warn(
                "algorithm='elkan' doesn't make sense for a single cluster. Using 'lloyd' instead.", RuntimeWarning, stacklevel=2
            )
            params["algorithm"] = "lloyd"
        self._fit_native(X, sample_weight=weight, params=params, seed=seed_of(self.random_state))
        self._set_fitted()
        self._set_labels(X)
        self._warn_of_few()
        return self

    def _set_fitted(self):
        super()._set_fitted()
        tried = json.loads(self._model.field("tried"))
        if tried:
            self.tried_ = {name: np.array([row[name] for row in tried], dtype=float) for name in tried[0]}
            self.tried_["clusters"] = self.tried_["clusters"].astype(int)


class MiniBatchKMeans(_Centers):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Find the centers by steps on batches of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows. Float64 and float32 arrays in either memory order are used in place.
        y : Ignored
            Not used; for scikit-learn's contract.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows: the odds of being drawn.

        Returns
        -------
        self : object
        """
        X = self._check_X(X, reset=True)
        weight = self._check_weight(sample_weight, X)
        self._enough_rows(X)
        if self.init_size is not None and self.init_size < self.n_clusters:
            warnings.warn(
                f"init_size={self.init_size} should be larger than n_clusters={self.n_clusters}. Setting it to "
                "min(3*n_clusters, n_samples)",
                RuntimeWarning,
                stacklevel=2,
            )
        self._fit_native(X, sample_weight=weight, params=self._start_params(X), seed=seed_of(self.random_state))
        self._set_fitted()
        self._finish_fit(X)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y=None, sample_weight=None):
        """Take one step on the rows given."""
        start = getattr(self, "_model", None)
        X = self._check_X(X, reset=start is None)
        weight = self._check_weight(sample_weight, X)
        if start is None:
            self._enough_rows(X)
            self._seed = seed_of(self.random_state)
        params = self._start_params(X) if start is None else {**self._learner_params(), "init": "random"}
        seed = getattr(self, "_seed", 0)
        self._fit_native(X, sample_weight=weight, params=params, seed=seed, start=start, resume=True)
        self._set_fitted()
        self._finish_fit(X)
        return self

    def _finish_fit(self, X):
        if self.compute_labels:
            self._set_labels(X)
        elif X.dtype == np.float32:
            self.cluster_centers_ = self.cluster_centers_.astype(np.float32)
