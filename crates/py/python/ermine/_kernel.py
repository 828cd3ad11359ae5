"""Estimators whose rows are known by a kernel."""

import json

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels

from ._base import Estimator

# Kernels that the learner knows by scikit-learn's names.
_NATIVE = {"linear", "poly", "polynomial", "rbf", "laplacian", "sigmoid", "cosine", "precomputed"}


class KernelEstimator(Estimator):
    """Kernels by name, or as callables, whose matrix is computed here."""

    def _is_native(self):
        whole = self.degree is None or float(self.degree).is_integer()
        return isinstance(self.kernel, str) and self.kernel in _NATIVE and whole

    def _kernel_matrix(self, X, Y=None):
        if callable(self.kernel):
            params = self.kernel_params or {}
        else:
            given = {name: getattr(self, name) for name in ("gamma", "degree", "coef0")}
            params = {name: value for name, value in given.items() if value is not None}
        return pairwise_kernels(X, Y, metric=self.kernel, filter_params=True, **params)

    def _refuse_params(self):
        given = any(getattr(self, name) is not None for name in ("gamma", "coef0", "degree"))
        if (callable(self.kernel) or self.kernel == "precomputed") and given:
            raise ValueError("Don't pass gamma, coef0 or degree to Nystroem if using a callable or precomputed kernel")

    def _kernel_learner_params(self):
        params = {"kernel": "poly" if self.kernel == "polynomial" else self.kernel}
        params["gamma"] = "auto" if self.gamma is None else float(self.gamma)
        params["degree"] = 3 if self.degree is None else int(self.degree)
        params["coef0"] = 1.0 if self.coef0 is None else float(self.coef0)
        return params

    def _rows_of(self, name, count):
        """Rows that the model holds, dense or sparse."""
        try:
            return self._model.array(name)
        except AttributeError:
            parts = [self._model.array(f"{name}_{part}") for part in ("values", "indices", "indptr")]
            parts[1:] = [a.astype(np.int32) for a in parts[1:]]
            return sparse.csr_matrix(tuple(parts), shape=(count, int(json.loads(self._model.field("n_features")))))
