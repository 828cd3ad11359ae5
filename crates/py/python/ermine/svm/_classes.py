"""Support vector machines: SVC and SVR."""

import json
import math
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import RegressorMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import compute_class_weight
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from .._base import Estimator, encode_classes, seed_of
from .._classifier import NativeClassifier


class _SupportVectorMachine(Estimator):
    """Shared by both machines: kernels that are callables or matrices, and the support vectors."""

    _restored = ("kernel", "probability")

    def _svm_params(self):
        params = self._learner_params()
        params["C"] = None if math.isinf(self.C) else float(self.C)
        params["kernel"] = "precomputed" if callable(self.kernel) else self.kernel
        params["max_iter"] = None if self.max_iter == -1 else int(self.max_iter)
        return params

    def _check_rows(self, X, y, **kwargs):
        """The rows of a fit, or their kernel matrix."""
        if sparse.issparse(X) and isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise TypeError("Sparse precomputed kernels are not supported.")
        if callable(self.kernel):
            check_consistent_length(X, y)
            self._fit_rows = X
            K = self._kernel_matrix(X)
            if K.shape[0] != K.shape[1]:
                raise ValueError("X.shape[0] should be equal to X.shape[1]")
            self.shape_fit_ = X.shape if hasattr(X, "shape") else (len(X),)
            if hasattr(X, "shape") and len(X.shape) > 1:
                self.n_features_in_ = X.shape[1]
            return K, y
        self._fit_rows = None
        X, y = self._check_X_y(X, y, accept_large_sparse=False, **kwargs)
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix."
            )
        self.shape_fit_ = X.shape
        return X, y

    def _positive_weight(self, sample_weight, X):
        """Weights, of which those below 0 leave a row out, as in LIBSVM."""
        if sample_weight is not None and not np.any(np.asarray(sample_weight) > 0):
            raise ValueError("Invalid input - all samples have zero or negative weights.")
        weight = self._check_weight(sample_weight, X)
        return None if weight is None else np.maximum(weight, 0.0)

    def _kernel_matrix(self, X):
        K = self.kernel(X, self._fit_rows)
        K = K.toarray() if sparse.issparse(K) else K
        return np.ascontiguousarray(K, dtype=np.float64)

    def _rows(self, X):
        check_is_fitted(self)
        if callable(self.kernel):
            K = self._kernel_matrix(X)
            if K.shape[1] != self.shape_fit_[0]:
                raise ValueError(
                    f"X.shape[1] = {K.shape[1]} should be equal to {self.shape_fit_[0]}, the number of samples at training time"
                )
            return K
        if self.kernel == "precomputed" and hasattr(X, "shape") and len(X.shape) == 2 and X.shape[1] != self.shape_fit_[0]:
            raise ValueError(
                f"X.shape[1] = {X.shape[1]} should be equal to {self.shape_fit_[0]}, the number of samples at training time"
            )
        return self._check_X(X, reset=False, accept_large_sparse=False)

    def _fit_machine(self, X, **kwargs):
        names = [f"k{j}" for j in range(X.shape[1])] if callable(self.kernel) else None
        self._fit_native(X, names=names, **kwargs)
        self._sparse = sparse.issparse(X)
        self._set_fitted()
        if self.fit_status_:
            warnings.warn(
                f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing your data with StandardScaler or "
                "MinMaxScaler.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _set_fitted(self):
        super()._set_fitted()
        model = self._model
        self.support_ = model.array("support").astype(np.int32)
        machines = json.loads(model.field("machines"))
        self.fit_status_ = int(not all(m["converged"] for m in machines))
        self._n_iter = np.array([m["iterations"] for m in machines], dtype=np.int32)
        cols = int(json.loads(model.field("n_features")))
        try:
            self.support_vectors_ = model.array("support_vectors")
        except AttributeError:
            try:
                model.array("support_vectors_columns")
                self.support_vectors_ = np.empty((0, 0))
            except AttributeError:
                arrays = [model.array(f"support_vectors_{part}") for part in ("values", "indices", "indptr")]
                arrays[1:] = [a.astype(np.int32) for a in arrays[1:]]
                self.support_vectors_ = sparse.csr_matrix(tuple(arrays), shape=(len(self.support_), cols))
        dual, intercept = model.array("dual_coef"), model.array("intercept")
        sign = -1.0 if self._flipped() else 1.0
        self._dual_coef_, self._intercept_ = dual, intercept.copy()
        self.dual_coef_ = sign * dual
        if sparse.issparse(self.support_vectors_):
            self.dual_coef_ = sparse.csr_matrix(self.dual_coef_)
        self.intercept_ = sign * intercept

    def _flipped(self):
        return False

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        params = about["params"]
        self.C = math.inf if params["C"] is None else params["C"]
        self.max_iter = -1 if params["max_iter"] is None else params["max_iter"]
        self.shape_fit_ = (0, self.n_features_in_)
        self._fit_rows = None

    def _linear_only(self):
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return True

    @property
    def coef_(self):
        """The normal vectors, of a linear kernel."""
        self._linear_only()
        try:
            check_is_fitted(self)
        except NotFittedError as error:
            raise AttributeError(str(error)) from None
        coef = self._get_coef()
        if sparse.issparse(coef):
            coef.data.flags.writeable = False
        else:
            coef.flags.writeable = False
        return coef

    def _get_coef(self):
        return safe_sparse_dot(self.dual_coef_, self.support_vectors_)

    @property
    def n_support_(self):
        """Support vectors of each class."""
        if not hasattr(self, "support_"):
            raise AttributeError("not fitted")
        try:
            return self._model.array("n_support").astype(np.int32)
        except AttributeError:
            return np.array([len(self.support_)], dtype=np.int32)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags


def _has_probabilities(self):
    if self.probability == "deprecated" or not self.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class SVC(_SupportVectorMachine, NativeClassifier):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the machines of all pairs of classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
            Rows, or with kernel="precomputed" their kernel matrix.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, which multiply C.

        Returns
        -------
        self : object
        """
        X, y = self._check_rows(X, y)
        y = column_or_1d(y, warn=True)
        weight = self._positive_weight(sample_weight, X)
        classes, codes = encode_classes(y)
        self.class_weight_ = compute_class_weight(self.class_weight, classes=classes, y=y)
        if len(classes) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(classes)} class")
        self.classes_ = classes
        if weight is not None and len(np.unique(codes[weight > 0])) == 1:
            raise ValueError("Invalid input - all samples with positive weights belong to the same class.")
        params = self._svm_params()
        params["class_weight"] = {str(label): float(w) for label, w in zip(classes.tolist(), self.class_weight_)}
        params["probability"] = self.probability is True
        if self.probability != "deprecated":
            warnings.warn(
                "The `probability` parameter was deprecated in 1.9 and will be removed in version 1.11. Use "
                "`CalibratedClassifierCV(SVC(), ensemble=False)` instead of `SVC(probability=True)`",
                FutureWarning,
                stacklevel=2,
            )
        self._fit_machine(X, codes=codes, classes=classes, sample_weight=weight, params=params, seed=seed_of(self.random_state))
        return self

    def _flipped(self):
        return len(self.classes_) == 2

    def _set_fitted(self):
        super()._set_fitted()
        self.n_iter_ = self._n_iter

    @property
    def probA_(self):
        """Slopes of the sigmoids of the pairs."""
        return self._sigmoids("prob_a")

    @property
    def probB_(self):
        """Constants of the sigmoids of the pairs."""
        return self._sigmoids("prob_b")

    def _sigmoids(self, name):
        ours = "probA_" if name == "prob_a" else "probB_"
        warnings.warn(
            f"Attribute `{ours}` was deprecated in version 1.9 and will be removed in 1.11.", FutureWarning, stacklevel=3
        )
        if self.probability == "deprecated" or not self.probability:
            return np.empty(0)
        return self._model.array(name)

    def decision_function(self, X):
        """The scores of the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            Of two classes, the score of the second; of more, as `decision_function_shape` says.
        """
        scores = self._call_native("decision", self._rows(X))
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict(self, X):
        """Predict the class of each row: the one that wins most pairs."""
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if self.break_ties and len(self.classes_) > 2:
            return self.classes_[np.argmax(self.decision_function(X), axis=1)]
        return super().predict(X)

    @available_if(_has_probabilities)
    def predict_proba(self, X):
        """Probabilities of the classes, in the order of `classes_`; with probability=True only.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        return super().predict_proba(X)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X):
        """Logarithms of the probabilities of the classes, in the order of `classes_`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        log_proba : ndarray of shape (n_samples, n_classes)
        """
        return super().predict_log_proba(X)

    def _get_coef(self):
        if len(self.classes_) == 2:
            return super()._get_coef()
        # A normal vector for each pair, from the coefficients of its two classes.
        ends = np.concatenate([[0], np.cumsum(self.n_support_)])
        coef = []
        for a in range(len(self.classes_)):
            for b in range(a + 1, len(self.classes_)):
                one, two = slice(ends[a], ends[a + 1]), slice(ends[b], ends[b + 1])
                left = safe_sparse_dot(self.dual_coef_[[b - 1]][:, one], self.support_vectors_[one])
                right = safe_sparse_dot(self.dual_coef_[[a]][:, two], self.support_vectors_[two])
                coef.append(left + right)
        if sparse.issparse(coef[0]):
            return sparse.vstack(coef).tocsr()
        return np.vstack(coef)


class SVR(RegressorMixin, _SupportVectorMachine):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
            Rows, or with kernel="precomputed" their kernel matrix.
        y : array-like of shape (n_samples,)
            Target.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, which multiply C.

        Returns
        -------
        self : object
        """
        X, y = self._check_rows(X, y, y_numeric=True)
        y = column_or_1d(y, warn=True).astype(np.float64, copy=False)
        weight = self._positive_weight(sample_weight, X)
        self._fit_machine(X, y=y, sample_weight=weight, params=self._svm_params())
        return self

    def _set_fitted(self):
        super()._set_fitted()
        self.n_iter_ = int(self._n_iter[0])

    def predict(self, X):
        return self._call_native("predict", self._rows(X)).ravel()
