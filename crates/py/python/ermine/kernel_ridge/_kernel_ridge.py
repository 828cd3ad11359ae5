"""KernelRidge."""

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from .._kernel import KernelEstimator


class KernelRidge(MultiOutputMixin, RegressorMixin, KernelEstimator):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the coefficients of the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
            Rows, or with kernel="precomputed" their kernel matrix.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Target.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
        """
        X, y = self._check_X_y(X, y, multi_output=True, y_numeric=True)
        weight = None if sample_weight is None or isinstance(sample_weight, float) else self._check_weight(sample_weight, X)
        if isinstance(sample_weight, float):
            weight = np.full(X.shape[0], sample_weight)
        self.X_fit_ = X
        K = X if self._is_native() else np.ascontiguousarray(self._kernel_matrix(X), dtype=np.float64)
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix.")
        params = self._kernel_learner_params() if self._is_native() else {"kernel": "precomputed"}
        names = None if self._is_native() else [f"k{j}" for j in range(K.shape[1])]
        alphas = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        columns = y.reshape(len(y), -1)
        if len(alphas) not in (1, columns.shape[1]):
            raise ValueError(f"alpha has {len(alphas)} numbers for {columns.shape[1]} targets")
        if len(alphas) == 1:
            self._fit_native(K, y=columns, sample_weight=weight, params={**params, "alpha": float(alphas[0])}, names=names)
            self._models = [self._model]
        else:
            self._models = []
            for alpha, column in zip(alphas, columns.T):
                one = self._fit_native(K, y=column, sample_weight=weight, params={**params, "alpha": float(alpha)}, names=names)
                self._models.append(one)
        dual = np.column_stack([model.array("dual_coef") for model in self._models])
        self.dual_coef_ = dual.ravel() if y.ndim == 1 else dual
        return self

    def _set_fitted(self):
        self._models = [self._model]
        dual = self._model.array("dual_coef")
        self.dual_coef_ = dual.ravel() if dual.shape[1] == 1 else dual
        self.X_fit_ = self._rows_of("rows", dual.shape[0])

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        params = about["params"]
        self.alpha, self.kernel, self.degree, self.coef0 = (params[name] for name in ("alpha", "kernel", "degree", "coef0"))
        self.gamma = None if params["gamma"] == "auto" else params["gamma"]

    def predict(self, X):
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        if not self._is_native():
            X = np.ascontiguousarray(self._kernel_matrix(X, self.X_fit_), dtype=np.float64)
        name = type(self).__name__
        found = np.column_stack([model.predict(X, name) for model in self._models])
        return found.ravel() if self.dual_coef_.ndim == 1 else found
