"""HuberRegressor, QuantileRegressor and ExpectileRegressor."""

import numpy as np
from scipy import sparse
from sklearn.base import _fit_context

from .._regressor import NativeRegressor


class SingleTargetRegressor(NativeRegressor):
    """Coefficients and a constant term for one target."""

    def _set_fitted(self):
        super()._set_fitted()
        self.coef_ = self._model.array("coef")[0]
        self.intercept_ = self._model.array("intercept")[0] if self.fit_intercept else 0.0


class HuberRegressor(SingleTargetRegressor):
    def _set_diagnostics(self, X, y):
        residual = np.abs(y - self._call_native("predict", X).ravel())
        self.outliers_ = residual > self.scale_ * self.epsilon

    def _set_fitted(self):
        super()._set_fitted()
        self.scale_ = self._model.array("scale")[0]


class QuantileRegressor(SingleTargetRegressor):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        if self.solver == "interior-point":
            raise ValueError(
                "Solver interior-point is not anymore available in SciPy >= 1.11.0. Here all solvers are one; use 'highs'."
            )
        if sparse.issparse(X) and not self.solver.startswith("highs"):
            raise ValueError(f"Solver {self.solver} does not support sparse X. Use solver 'highs' for example.")
        return super().fit(X, y, sample_weight)
