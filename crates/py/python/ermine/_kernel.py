"""KernelRidge, Nystroem and RBFSampler."""

import json

import numpy as np
from scipy import linalg, sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, MultiOutputMixin, RegressorMixin, TransformerMixin, _fit_context
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.validation import check_is_fitted

from ._base import Estimator, seed_of

# Kernels that the learner knows by scikit-learn's names.
_NATIVE = {"linear", "poly", "polynomial", "rbf", "laplacian", "sigmoid", "cosine", "precomputed"}


class _WithKernel(Estimator):
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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags


class KernelRidge(MultiOutputMixin, RegressorMixin, _WithKernel):
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

    def _loaded(self, about):
        super()._loaded(about)
        params = about["params"]
        self.alpha, self.kernel, self.degree, self.coef0 = (params[name] for name in ("alpha", "kernel", "degree", "coef0"))
        self.gamma = None if params["gamma"] == "auto" else params["gamma"]

    def predict(self, X):
        """Predict the target of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        if not self._is_native():
            X = np.ascontiguousarray(self._kernel_matrix(X, self.X_fit_), dtype=np.float64)
        name = type(self).__name__
        found = np.column_stack([model.predict(X, name) for model in self._models])
        return found.ravel() if self.dual_coef_.ndim == 1 else found


class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _WithKernel):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Draw rows and find the root of their kernel matrix.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : Ignored
            Not used; for scikit-learn's contract.

        Returns
        -------
        self : object
        """
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
        self.component_indices_ = self._model.array("component_indices").astype(np.int64)
        self.components_ = self._rows_of("components", len(self.component_indices_))
        self.normalization_ = self._model.array("normalization")
        self.approximation_error_ = float(json.loads(self._model.field("error")))
        self._n_features_out = len(self.component_indices_)

    def _loaded(self, about):
        super()._loaded(about)
        params = about["params"]
        self.kernel, self.degree, self.coef0 = (params[name] for name in ("kernel", "degree", "coef0"))
        self.gamma = None if params["gamma"] == "auto" else params["gamma"]

    def transform(self, X):
        """The new columns.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        if self._model is not None:
            return self._call("transform", X, single=X.dtype == np.float32)
        K = X[:, self.component_indices_] if self.kernel == "precomputed" else self._kernel_matrix(X, self.components_)
        return K @ self.normalization_.T

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class RBFSampler(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Draw the frequencies.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : Ignored
            Not used; for scikit-learn's contract.

        Returns
        -------
        self : object
        """
        X = self._check_X(X, reset=True)
        params = {"n_components": int(self.n_components), "gamma": self.gamma if self.gamma == "scale" else float(self.gamma)}
        self._fit_native(X, params=params, seed=seed_of(self.random_state))
        self._set_fitted()
        if X.dtype == np.float32:
            self.random_weights_ = self.random_weights_.astype(np.float32)
            self.random_offset_ = self.random_offset_.astype(np.float32)
        return self

    def _set_fitted(self):
        self.random_weights_ = self._model.array("random_weights").T.copy()
        self.random_offset_ = self._model.array("random_offset")
        self.approximation_error_ = float(json.loads(self._model.field("error")))
        self._n_features_out = len(self.random_offset_)

    def _loaded(self, about):
        super()._loaded(about)
        self.gamma = about["params"]["gamma"]

    def transform(self, X):
        """The new columns.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        return self._call("transform", X, single=X.dtype == np.float32)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
