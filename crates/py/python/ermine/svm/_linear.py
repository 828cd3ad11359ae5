"""Linear support vector machines: LinearSVC and LinearSVR."""

import json
import warnings

from sklearn.base import RegressorMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model._base import SparseCoefMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from .._base import Estimator, encode_classes, seed_of
from .._classifier import NativeClassifier

# The problems that liblinear solves: penalty and loss with the values of `dual` that they go with.
_SOLVERS = {
    ("l2", "hinge"): {True},
    ("l2", "squared_hinge"): {True, False},
    ("l1", "squared_hinge"): {False},
    ("l2", "epsilon_insensitive"): {True},
    ("l2", "squared_epsilon_insensitive"): {True, False},
}


class _LinearSupportVectorMachine(SparseCoefMixin, Estimator):
    """Shared by both linear machines."""

    def _check_combination(self, penalty, loss):
        known = _SOLVERS.get((penalty, loss))
        if known is None:
            raise ValueError(
                f"The combination of penalty={penalty!r} and loss={loss!r} is not supported, Parameters: penalty={penalty!r}, "
                f"loss={loss!r}, dual={self.dual!r}"
            )
        if self.dual != "auto" and bool(self.dual) not in known:
            raise ValueError(
                f"The combination of penalty={penalty!r} and loss={loss!r} are not supported when dual={self.dual}, Parameters: "
                f"penalty={penalty!r}, loss={loss!r}, dual={self.dual!r}"
            )

    def _machine_params(self):
        params = self._learner_params()
        params["intercept_scaling"] = float(self.intercept_scaling)
        # Both find the same optimum; a row at a time where that is asked for, else what is faster.
        params["method"] = "descent" if self.dual is True else "auto"
        return params

    def _finish(self):
        self._set_fitted()
        if not self._certificate()["converged"]:
            warnings.warn("Liblinear failed to converge, increase the number of iterations.", ConvergenceWarning, stacklevel=3)

    def _set_fitted(self):
        self.coef_, self.intercept_ = self._model.array("coef"), self._model.array("intercept")
        if not self.fit_intercept:
            self.intercept_ = 0.0
        self.n_iter_ = int(json.loads(self._model.field("n_iter")))


class LinearSVC(_LinearSupportVectorMachine, NativeClassifier):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, which multiply C.

        Returns
        -------
        self : object
        """
        X, y = self._check_X_y(X, y, accept_large_sparse=False)
        weight = self._check_weight(sample_weight, X)
        classes, codes = encode_classes(y)
        if len(classes) < 2:
            raise ValueError(
                "This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
                f"{classes[0]!r}"
            )
        if self.multi_class != "crammer_singer":
            self._check_combination(self.penalty, self.loss)
        self.classes_ = classes
        params = self._machine_params()
        if self.multi_class == "crammer_singer":
            params.update(penalty="l2", loss="auto")
        factors = compute_class_weight(self.class_weight, classes=classes, y=y, sample_weight=weight)
        params["class_weight"] = {str(label): float(w) for label, w in zip(classes.tolist(), factors)}
        self._fit_native(X, codes=codes, classes=classes, sample_weight=weight, params=params, seed=seed_of(self.random_state))
        self._finish()
        return self

    def decision_function(self, X):
        scores = self._call_native("decision", self._rows(X))
        return scores.ravel() if scores.shape[1] == 1 else scores

    def _no_probabilities(self):
        raise AttributeError("LinearSVC has no probabilities; see decision_function")

    predict_proba = property(_no_probabilities)
    predict_log_proba = property(_no_probabilities)


class LinearSVR(RegressorMixin, _LinearSupportVectorMachine):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Target.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, which multiply C.

        Returns
        -------
        self : object
        """
        X, y = self._check_X_y(X, y, y_numeric=True, accept_large_sparse=False)
        weight = self._check_weight(sample_weight, X)
        self._check_combination("l2", self.loss)
        params = self._machine_params()
        params["epsilon"] = float(self.epsilon)
        self._fit_native(X, y=y, sample_weight=weight, params=params, seed=seed_of(self.random_state))
        self._finish()
        return self

    def _set_fitted(self):
        super()._set_fitted()
        self.coef_ = self.coef_.ravel()

    def predict(self, X):
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        return self._call_native("predict", X).ravel()
