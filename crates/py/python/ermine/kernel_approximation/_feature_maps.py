"""Nystroem and RBFSampler."""

import json

import numpy as np
from scipy import linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from .._base import seed_of
from .._kernel import KernelEstimator
from .._transformer import NativeTransformer, PreservesDtypeMixin


class Nystroem(PreservesDtypeMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Draw rows and find the root of their kernel matrix."""
        self._refuse_params()
        X = self._check_X(X, reset=True)
        if self._is_native() and self.kernel != "precomputed":
            params = {**self._kernel_learner_params(), "n_components": int(self.n_components)}
            self._fit_native(X, params=params, seed=seed_of(self.random_state))
            self._set_fitted()
        else:
            # The kernel is known through its matrix alone.
            count = min(int(self.n_components), X.shape[0])
            order = np.random.RandomState(seed_of(self.random_state) % 2**32).permutation(X.shape[0])
            self.component_indices_ = order[:count]
            self.components_ = X[self.component_indices_]
            if self.kernel == "precomputed":
                K = self.components_[:, self.component_indices_]
            else:
                K = self._kernel_matrix(self.components_)
            U, S, V = linalg.svd(K)
            self.normalization_ = (U / np.sqrt(np.maximum(S, 1e-12))) @ V
            self._model = None
        self._n_features_out = self.normalization_.shape[0]
        return self

    def _set_fitted(self):
        super()._set_fitted()
        self.component_indices_ = self._model.array("component_indices").astype(np.int64)
        self.components_ = self._rows_of("components", len(self.component_indices_))
        self.approximation_error_ = float(json.loads(self._model.field("error")))
        self._n_features_out = len(self.component_indices_)

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        params = about["params"]
        self.kernel, self.degree, self.coef0 = (params[name] for name in ("kernel", "degree", "coef0"))
        self.gamma = None if params["gamma"] == "auto" else params["gamma"]

    def transform(self, X):
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        if self._model is not None:
            return self._call_native("transform", X, single=X.dtype == np.float32)
        K = X[:, self.component_indices_] if self.kernel == "precomputed" else self._kernel_matrix(X, self.components_)
        return K @ self.normalization_.T


class RBFSampler(PreservesDtypeMixin, ClassNamePrefixFeaturesOutMixin, NativeTransformer):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Draw the frequencies."""
        X = self._check_X(X, reset=True)
        params = {"n_components": int(self.n_components), "gamma": self.gamma if self.gamma == "scale" else float(self.gamma)}
        self._fit_native(X, params=params, seed=seed_of(self.random_state))
        self._set_fitted()
        if X.dtype == np.float32:
            self.random_weights_ = self.random_weights_.astype(np.float32)
            self.random_offset_ = self.random_offset_.astype(np.float32)
        return self

    def _set_fitted(self):
        super()._set_fitted()
        self.random_weights_ = self._model.array("random_weights").T.copy()
        self.approximation_error_ = float(json.loads(self._model.field("error")))
        self._n_features_out = len(self.random_offset_)

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        self.gamma = about["params"]["gamma"]
