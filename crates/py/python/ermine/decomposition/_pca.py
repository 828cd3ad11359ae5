"""PCA and IncrementalPCA."""

import json
import numbers

import numpy as np
from scipy import linalg, sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from .._base import Estimator, seed_of, to_json_value
from .._transformer import PreservesDtypeMixin


class _Components(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Shared by estimators of axes."""

    def _set_fitted(self):
        super()._set_fitted()
        self.n_components_ = self.components_.shape[0]

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def transform(self, X):
        """The rows in the coordinates of the axes."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        return self._call_native("transform", X, single=X.dtype == np.float32)

    def _narrow(self, X):
        """Attributes as precise as the rows."""
        if X.dtype == np.float32:
            for name in ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"):
                setattr(self, name, getattr(self, name).astype(np.float32))

    def inverse_transform(self, X):
        """The inverse transform from the coordinates of the axes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Coordinates.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = np.asarray(X)
        back = self._model.inverse(np.ascontiguousarray(X, dtype=np.float64), type(self).__name__)
        return back.astype(np.float32) if X.dtype == np.float32 else back

    def get_covariance(self):
        """The covariance of the columns under the model: what the axes explain, and noise of equal variance elsewhere.

        Returns
        -------
        covariance : ndarray of shape (n_features, n_features)
        """
        check_is_fitted(self)
        axes = self.components_
        above = np.maximum(self.explained_variance_ - self.noise_variance_, 0.0)
        covariance = (axes.T * above) @ axes
        covariance[np.diag_indices_from(covariance)] += self.noise_variance_
        return covariance

    def get_precision(self):
        """The inverse of `get_covariance`.

        Returns
        -------
        precision : ndarray of shape (n_features, n_features)
        """
        check_is_fitted(self)
        n_features = self.components_.shape[1]
        if self.n_components_ == 0:
            return np.eye(n_features) / self.noise_variance_
        if self.noise_variance_ == 0.0:
            return linalg.inv(self.get_covariance())
        # The matrix inversion lemma: on the axes 1/variance, elsewhere 1/noise.
        above = np.maximum(self.explained_variance_ - self.noise_variance_, 0.0)
        on_axes = 1.0 / (above + self.noise_variance_) - 1.0 / self.noise_variance_
        precision = (self.components_.T * on_axes) @ self.components_
        precision[np.diag_indices_from(precision)] += 1.0 / self.noise_variance_
        return precision


class PCA(PreservesDtypeMixin, _Components):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Find the axes."""
        self._fit_rows(X)
        return self

    def _fit_rows(self, X):
        if sparse.issparse(X) and self.svd_solver not in ("auto", "arpack", "covariance_eigh"):
            raise TypeError(
                'PCA only support sparse inputs with the "arpack" and "covariance_eigh" solvers, while '
                f'"{self.svd_solver}" was passed. See TruncatedSVD for a possible alternative.'
            )
        X = self._check_X(X, reset=True, ensure_min_samples=1)
        params = {name: to_json_value(getattr(self, name)) for name in self._forwarded}
        self._check_components(X.shape)
        self._fit_native(X, params=params, seed=seed_of(self.random_state) if self.svd_solver != "full" else 0)
        self._set_fitted()
        self._narrow(X)
        return X

    def _check_components(self, shape):
        """Refuses numbers of axes that the shape of X does not allow, in scikit-learn's words."""
        n, least = self.n_components, min(shape)
        if n in ("mle", "cv"):
            if n == "mle" and shape[0] < shape[1]:
                raise ValueError("n_components='mle' is only supported if n_samples >= n_features")
            if self.svd_solver in ("arpack", "randomized"):
                raise ValueError(f"n_components='{n}' cannot be a string with svd_solver='{self.svd_solver}'")
        elif n is not None and self.svd_solver in ("arpack", "randomized"):
            if not isinstance(n, numbers.Integral) or not 1 <= n <= least:
                raise ValueError(
                    f"n_components={n!r} must be between 1 and min(n_samples, n_features)={least} with "
                    f"svd_solver='{self.svd_solver}'"
                )
            if self.svd_solver == "arpack" and n == least:
                raise ValueError(
                    f"n_components={n!r} must be strictly less than min(n_samples, n_features)={least} with svd_solver='arpack'"
                )
        elif isinstance(n, numbers.Integral) and not 0 <= n <= least:
            raise ValueError(
                f"n_components={n} must be between 0 and min(n_samples, n_features)={least} with "
                f"svd_solver='{self.svd_solver if self.svd_solver != 'auto' else 'full'}'"
            )

    def _set_fitted(self):
        super()._set_fitted()
        held_out = json.loads(self._model.field("held_out"))
        if held_out:
            self.held_out_ = np.array(held_out)

    @_fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, X, y=None):
        """Find the axes and return the rows in their coordinates."""
        X = self._fit_rows(X)
        return self._call_native("transform", X, single=X.dtype == np.float32)

    def score_samples(self, X):
        """The log-likelihood of each row under the normal distribution of the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        log_likelihood : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._call_native("log_density", self._check_X(X, reset=False))

    def score(self, X, y=None):
        """The mean of `score_samples`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : Ignored
            Not used; for scikit-learn's contract.

        Returns
        -------
        log_likelihood : float
        """
        return float(np.mean(self.score_samples(X)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.svd_solver in ("auto", "arpack", "covariance_eigh")
        return tags


class IncrementalPCA(_Components):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Find the axes, batch by batch."""
        X = self._check_X(X, reset=True)
        self.batch_size_ = 5 * X.shape[1] if self.batch_size is None else self.batch_size
        least = self.n_components or 0
        first = X.shape[0] if self.batch_size_ + least > X.shape[0] else self.batch_size_
        self._check_components(first, X.shape[1])
        self._fit_native(X)
        self._set_fitted()
        self._narrow(X)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y=None, check_input=True):
        """Take in all rows as one batch.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : Ignored
            Not used; for scikit-learn's contract.
        check_input : bool, default=True
            Without effect: checks cost nothing next to the step.

        Returns
        -------
        self : object
        """
        if sparse.issparse(X):
            raise TypeError(
                "IncrementalPCA.partial_fit does not support sparse input. Either convert data to dense or use "
                "IncrementalPCA.fit to do so in batches."
            )
        start = getattr(self, "_model", None)
        X = self._check_X(X, reset=start is None)
        if start is None:
            self._check_components(X.shape[0], X.shape[1])
        elif self.n_components is not None and self.n_components != self.n_components_:
            raise ValueError(
                f"Number of input features has changed from {self.n_components_} to {self.n_components} between calls to "
                "partial_fit! Try setting n_components to a fixed value."
            )
        self._fit_native(X, start=start, resume=True)
        self._set_fitted()
        self._narrow(X)
        return self

    def _check_components(self, n_samples, n_features):
        n = self.n_components
        if n is not None and n > n_features:
            raise ValueError(
                f"n_components={n} invalid for n_features={n_features}, need more rows than columns for IncrementalPCA processing"
            )
        if n is not None and n > n_samples:
            raise ValueError(
                f"n_components={n} must be less or equal to the batch number of samples {n_samples} for the first "
                "partial_fit call."
            )

    def _set_fitted(self):
        super()._set_fitted()
        seen = json.loads(self._model.field("n_samples"))
        self.n_samples_seen_ = int(seen) if float(seen).is_integer() else seen
