"""Linear models of several targets, and LinearRegression."""


import numpy as np
from scipy import sparse
from sklearn.base import MultiOutputMixin, RegressorMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from .._base import Estimator


class _LinearModel(MultiOutputMixin, RegressorMixin, Estimator):
    """Coefficients and a constant term for each target."""

    def _fit_rows(self, X, y, sample_weight, params=None):
        X, y = self._check_X_y(
            X,
            y,
            multi_output=True,
            y_numeric=True,
            ensure_min_samples=self._min_samples,
        )
        weight = self._check_weight(sample_weight, X)
        self._fit_native(X, y=y, sample_weight=weight, params=params)
        self._one_target = y.ndim == 1
        self._set_fitted()
        if X.dtype == np.float32:
            self.coef_ = self.coef_.astype(np.float32)
            if self.fit_intercept:
                self.intercept_ = np.float32(self.intercept_)
        return X

    def _set_fitted(self):
        super()._set_fitted()
        coef, intercept = self._model.array("coef"), self._model.array("intercept")
        one = getattr(self, "_one_target", coef.shape[0] == 1)
        self._one_target = one
        self.coef_ = coef[0] if one else coef
        if not self.fit_intercept:
            self.intercept_ = 0.0
        else:
            self.intercept_ = intercept[0] if one else intercept

    def predict(self, X):
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        y = self._call_native("predict", X)
        if X.dtype == np.float32:
            y = y.astype(np.float32)
        return y.ravel() if self._one_target else y


class LinearRegression(_LinearModel):
    def _sparse_format(self):
        # As in scikit-learn, whose users rely on the refusal.
        return False if self.positive else "csr"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.positive
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows. Float64 and float32 arrays in either memory order are used in place.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows: weight 2 is the row twice for the coefficients. Standard errors and tests (`report()`) take weights
            as precisions (inverse variances): their degrees of freedom count rows, not weights.

        Returns
        -------
        self : object
        """
        X = self._fit_rows(X, y, sample_weight)
        if sparse.issparse(X) or self.positive:
            for name in ("rank_", "singular_"):
                self.__dict__.pop(name, None)
        return self

    def _set_fitted(self):
        super()._set_fitted()
        try:
            self.singular_ = self._model.array("singular")
        except AttributeError:
            self.__dict__.pop("singular_", None)
