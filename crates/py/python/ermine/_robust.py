"""Lines for other losses than the square: HuberRegressor, QuantileRegressor, ExpectileRegressor."""

import json

import numpy as np
from scipy import sparse
from sklearn.base import _fit_context

from ._regress import NativeRegressor


class _Line(NativeRegressor):
    """Coefficients and a constant term for one target."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows. Float64 and float32 arrays in either memory order are read in place.
        y : array-like of shape (n_samples,)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
        """
        self._check_settings(X)
        X, y = self._check_X_y(X, y, accept_sparse="csr", y_numeric=True)
        self._fit_native(X, y=y, sample_weight=self._check_weight(sample_weight, X))
        self._warn_unless_converged()
        self._set_fitted()
        self._look_back(X, y)
        return self

    def _check_settings(self, X):
        """Refuses settings that do not go with the form of X."""

    def _look_back(self, X, y):
        """Keeps what else the class tells of the rows it was fitted to."""

    def _set_fitted(self):
        self.coef_ = self._model.array("coef")[0]
        self.intercept_ = self._model.array("intercept")[0] if self.fit_intercept else 0.0
        self.n_iter_ = json.loads(self._model.field("n_iter"))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class HuberRegressor(_Line):
    def _look_back(self, X, y):
        residual = np.abs(y - self._call("predict", X).ravel())
        self.outliers_ = residual > self.scale_ * self.epsilon

    def _set_fitted(self):
        super()._set_fitted()
        self.scale_ = self._model.array("scale")[0]


class QuantileRegressor(_Line):
    def _check_settings(self, X):
        if self.solver == "interior-point":
            raise ValueError(
                "Solver interior-point is not anymore available in SciPy >= 1.11.0. Here all solvers are one; use 'highs'."
            )
        if sparse.issparse(X) and not self.solver.startswith("highs"):
            raise ValueError(
                f"Solver {self.solver} does not support sparse X. Use solver 'highs' for example."
            )


class ExpectileRegressor(_Line):
    pass
