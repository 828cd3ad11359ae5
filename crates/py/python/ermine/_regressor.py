"""Shared by regressors."""

from sklearn.base import RegressorMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from ._base import Estimator


class NativeRegressor(RegressorMixin, Estimator):
    """Numbers from the model."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        several = self._accepts is not None and "targets" in self._accepts
        X, y = self._rows_and_target(X, y, y_numeric=True, multi_output=several, ensure_min_samples=self._min_samples)
        weight = self._weight(sample_weight, y)
        self._fit_native(X, y=y, sample_weight=weight, seed=self._draw_seed())
        self._set_fitted()
        self._set_diagnostics(X, y)
        self._warn_unless_converged()
        return self

    def _set_diagnostics(self, X, y):
        """Keeps further attributes of the rows that it was fitted to."""

    def _rows(self, X):
        check_is_fitted(self)
        return self._check_X(X, reset=False)

    def predict(self, X):
        y = self._call_native("predict", self._rows(X))
        return y.ravel() if y.shape[1] == 1 else y
