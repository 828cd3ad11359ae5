"""KernelPCA."""

import json

import numpy as np
from scipy import linalg, sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from .._base import seed_of
from .._kernel import KernelEstimator
from .._transformer import PreservesDtypeMixin


class KernelPCA(PreservesDtypeMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Find the components."""
        precomputed = isinstance(self.kernel, str) and self.kernel == "precomputed"
        if self.fit_inverse_transform and precomputed:
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        X = self._check_X(X, reset=True)
        if self.fit_inverse_transform and sparse.issparse(X):
            raise NotImplementedError("Inverse transform not implemented for sparse matrices!")
        if precomputed and X.shape[0] != X.shape[1]:
            raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix.")
        self.gamma_ = 1 / X.shape[1] if self.gamma is None else self.gamma
        self.X_fit_ = X.copy()
        self._single = X.dtype == np.float32
        params, seed = self._learner_params(), seed_of(self.random_state)
        params["gamma"], params["coef0"] = float(self.gamma_), float(self.coef0)
        if self._is_native():
            params["kernel"], params["degree"] = self.kernel, int(self.degree)
            self._fit_native(X, params=params, seed=seed)
        else:
            # The kernel is known through its matrix alone.
            K = np.ascontiguousarray(self._kernel_matrix(X), dtype=np.float64)
            params.update(kernel="precomputed", degree=3, fit_inverse_transform=False)
            self._fit_native(K, params=params, seed=seed, names=[f"k{j}" for j in range(K.shape[1])])
        self._set_components()
        if self.fit_inverse_transform and not self._is_native():
            self.X_transformed_fit_ = self.eigenvectors_ * np.sqrt(self.eigenvalues_)
            K = self._kernel_matrix(self.X_transformed_fit_)
            K.flat[:: X.shape[0] + 1] += self.alpha
            self.dual_coef_ = linalg.solve(K, X, assume_a="pos", overwrite_a=True)
        return self

    def _kernel_matrix(self, X, Y=None):
        if callable(self.kernel):
            return super()._kernel_matrix(X, Y)
        given = self.gamma
        try:
            # Components are fewer than columns, and the width is that of the columns.
            self.gamma = self.gamma_
            return super()._kernel_matrix(X, Y)
        finally:
            self.gamma = given

    def _set_components(self):
        dtype = np.float32 if getattr(self, "_single", False) else np.float64
        model = self._model
        self.eigenvalues_ = model.array("eigenvalues").astype(dtype)
        self.eigenvectors_ = model.array("eigenvectors").T.astype(dtype)
        total = json.loads(model.field("total_variance"))
        self.explained_variance_ratio_ = self.eigenvalues_ / total if total > 0 else np.zeros_like(self.eigenvalues_)
        if self.fit_inverse_transform and self._is_native():
            self.dual_coef_ = model.array("pre_image/dual_coef").astype(dtype)
            self.X_transformed_fit_ = model.array("pre_image/rows").astype(dtype)

    def _set_fitted(self):
        self._set_components()
        self.X_fit_ = self._rows_of("rows", self.eigenvectors_.shape[0])

    def _restore_fitted(self, about):
        params = about["params"]
        self.kernel, self.degree, self.coef0 = (params[name] for name in ("kernel", "degree", "coef0"))
        self.gamma = None if params["gamma"] in ("auto", "scale") else params["gamma"]
        self.gamma_ = 1 / self.n_features_in_ if self.gamma is None else self.gamma
        super()._restore_fitted(about)

    @property
    def _n_features_out(self):
        return self.eigenvalues_.shape[0]

    def fit_transform(self, X, y=None):
        """Find the components and return those of the rows."""
        self.fit(X)
        return self.eigenvectors_ * np.sqrt(self.eigenvalues_)

    def transform(self, X):
        """The components of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples_fit)
            Rows, or with kernel="precomputed" their kernel matrix with the training rows.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        single = X.dtype == np.float32
        if not self._is_native():
            X = np.ascontiguousarray(self._kernel_matrix(X, self.X_fit_), dtype=np.float64)
        return self._call_native("transform", X, single=single)

    def inverse_transform(self, X):
        """Approximate pre-images of components, by the kernel ridge regression that `fit_inverse_transform` asks for.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Components.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        if not self.fit_inverse_transform:
            raise NotFittedError(
                "The fit_inverse_transform parameter was not set to True when instantiating and hence the inverse transform "
                "is not available."
            )
        X = np.asarray(X)
        if not self._is_native():
            return self._kernel_matrix(X, self.X_transformed_fit_) @ self.dual_coef_
        back = self._model.inverse(np.ascontiguousarray(X, dtype=np.float64), type(self).__name__)
        return back.astype(np.float32) if X.dtype == np.float32 else back
