"""SGDClassifier, SGDRegressor and Perceptron."""

import json
import warnings

import numpy as np
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model._base import SparseCoefMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _check_partial_fit_first_call

from .. import _native
from .._base import Estimator, encode_classes
from .._classifier import NativeClassifier
from .._regressor import NativeRegressor


class _StochasticGradient(SparseCoefMixin, Estimator):
    """Shared by the estimators: initial coefficients, partial_fit, the state after a fit."""

    def _params(self):
        """The learner's parameters, but for those that depend on the target."""
        params = self._learner_params()
        params["penalty"] = "none" if self.penalty is None else self.penalty
        if "l1_ratio" not in params:
            if self.penalty == "elasticnet" and self.l1_ratio is None:
                raise ValueError("l1_ratio must be set when penalty is 'elasticnet'")
            params["l1_ratio"] = 0.0 if self.l1_ratio is None else float(self.l1_ratio)
        return params

    def _check_weight(self, sample_weight, X):
        if self.early_stopping and sample_weight is not None and not np.any(sample_weight):
            raise ValueError(
                "The sample weights for validation set are all zero, consider using a different random state."
            )
        return super()._check_weight(sample_weight, X)

    def _fit_native(self, X, **kwargs):
        try:
            return super()._fit_native(X, **kwargs)
        except ValueError as error:
            if "under-/overflow" not in str(error):
                raise
            advice = "Scaling input data with StandardScaler or MinMaxScaler might help."
            raise ValueError(f"{error}. {advice}") from None

    def _fit_steps(self, X, target, params, weight, coef_init, intercept_init):
        """A whole fit, from given coefficients where there are some."""
        if self.warm_start and hasattr(self, "coef_"):
            coef_init = self.coef_ if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        seed = self._draw_seed()
        if coef_init is None and intercept_init is None:
            self._fit_native(X, **target, sample_weight=weight, params=params, seed=seed)
        else:
            start = self._start(X, target, params, coef_init, intercept_init)
            self._fit_native(X, **target, sample_weight=weight, params=params, seed=seed, start=start, resume=True)
        self.t_ = 1.0
        self._keep_state(X)
        self._warn_of_the_end()

    def _start(self, X, target, params, coef_init, intercept_init):
        """A model at given coefficients that has taken no step."""
        first = {name: value if name == "classes" else value[:1] for name, value in target.items()}
        bare = {**params, "max_iter": 1, "tol": None, "early_stopping": False, "penalty": "none"}
        if "average" in bare:
            bare["average"] = False
        bare["class_weight"] = None
        model = self._fit_native(X[:1], **first, params=bare, resume=True)
        shape = model.array("coef").shape
        arrays = {"coef": np.zeros(shape), "intercept": np.zeros(shape[0])}
        for name, given in (("coef", coef_init), ("intercept", intercept_init)):
            if given is None:
                continue
            given = np.asarray(given.toarray() if hasattr(given, "toarray") else given, dtype=np.float64)
            flat = given.size == arrays[name].size and (given.ndim < 2 or given.shape == arrays[name].shape)
            if shape[0] > 1 and given.shape != arrays[name].shape or not flat:
                raise ValueError(f"Provided {name}_init does not match dataset.")
            arrays[name] = np.ascontiguousarray(given.reshape(arrays[name].shape))
        fields = {"steps": [0] * shape[0], "epochs": [0] * shape[0]}
        return _native.model_with_arrays(model, arrays, json.dumps(fields))

    def _fit_further(self, X, target, params, weight):
        """One epoch over further rows."""
        params = {**params, "max_iter": 1, "tol": None}
        start = getattr(self, "_model", None)
        self._fit_native(X, **target, sample_weight=weight, params=params, seed=self._draw_seed(), start=start, resume=True)
        self._keep_state(X)

    def _keep_state(self, X):
        self._set_fitted()
        self.t_ = getattr(self, "t_", 1.0) + self.n_iter_ * X.shape[0]
        if X.dtype == np.float32:
            self.coef_, self.intercept_ = self.coef_.astype(np.float32), self.intercept_.astype(np.float32)

    def _set_fitted(self):
        super()._set_fitted()
        self.coef_, self.intercept_ = self._model.array("coef"), self._model.array("intercept")
        self.n_iter_ = int(json.loads(self._model.field("n_iter")))

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        params = about["params"]
        self.penalty = None if params["penalty"] == "none" else params["penalty"]
        self.l1_ratio = params["l1_ratio"]
        self.t_ = 1.0 + max(json.loads(self._model.field("steps")))

    def _warn_of_the_end(self):
        certificate = self._certificate()
        if self.tol is not None and not certificate["converged"]:
            notes = "".join(f" ({note})" for note in certificate.get("notes", []))
            warnings.warn(
                "Maximum number of iteration reached before convergence. Consider increasing max_iter to improve the fit."
                + notes,
                ConvergenceWarning,
                stacklevel=4,
            )
        if getattr(self, "power_t", 0.0) < 0:
            warnings.warn(
                "Negative values for `power_t` are deprecated in version 1.8 and will raise an error in 1.10. Use values in "
                "the range [0.0, inf) instead.",
                FutureWarning,
                stacklevel=4,
            )

    def __sklearn_is_fitted__(self):
        return hasattr(self, "coef_")


class _StochasticGradientClassifier(_StochasticGradient, NativeClassifier):
    """Classes by steps: factors by class, further rows, scores."""

    def _factors(self, y):
        """`class_weight` as factors by class name."""
        if self.class_weight is None:
            return None
        factors = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
        return {str(label): float(factor) for label, factor in zip(self.classes_.tolist(), factors)}

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, coef_init=None, intercept_init=None, sample_weight=None):
        """Fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows. Float64 and float32 arrays by rows are used in place.
        y : array-like of shape (n_samples,)
            Class labels.
        coef_init : array-like of shape (n_classes, n_features), default=None
            Coefficients to start from.
        intercept_init : array-like of shape (n_classes,), default=None
            Constant terms to start from.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, which multiply their steps.

        Returns
        -------
        self : object
        """
        X, y = self._check_X_y(X, y, accept_large_sparse=False)
        weight = self._check_weight(sample_weight, X)
        classes, codes = encode_classes(y)
        if len(classes) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(classes)} class")
        self.classes_ = classes
        params = {**self._params(), "class_weight": self._factors(y)}
        self._fit_steps(X, {"codes": codes, "classes": classes}, params, weight, coef_init, intercept_init)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Take the steps of one epoch over further rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever occur; needed in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, which multiply their steps.

        Returns
        -------
        self : object
        """
        if not hasattr(self, "classes_"):
            if self.early_stopping:
                raise ValueError("early_stopping should be False with partial_fit")
            if isinstance(self.class_weight, str):
                raise ValueError(
                    f"class_weight '{self.class_weight}' is not supported for partial_fit. In order to use 'balanced' weights, use "
                    f"compute_class_weight('{self.class_weight}', classes=classes, y=y) on a large enough sample of the target "
                    "and pass the resulting weights as class_weight."
                )
        X, y = self._check_X_y(X, y, accept_large_sparse=False, reset=not hasattr(self, "classes_"))
        _check_partial_fit_first_call(self, classes)
        if len(self.classes_) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(self.classes_)} class")
        weight = self._check_weight(sample_weight, X)
        here, codes = encode_classes(y)
        unseen = ~np.isin(here, self.classes_)
        if unseen.any():
            raise ValueError(f"The target label(s) {here[unseen]} in y do not exist in the initial classes {self.classes_}")
        codes = np.searchsorted(self.classes_, here).astype(np.uint32)[codes]
        params = {**self._params(), "class_weight": self._factors(y)}
        self._fit_further(X, {"codes": codes, "classes": self.classes_}, params, weight)
        return self

    def decision_function(self, X):
        scores = self._call_native("decision", self._rows(X))
        return scores.ravel() if scores.shape[1] == 1 else scores


def _has_probabilities(self):
    if self.loss in ("log_loss", "modified_huber"):
        return True
    raise AttributeError(f"probability estimates are not available for loss={self.loss!r}")


class SGDClassifier(_StochasticGradientClassifier):
    @available_if(_has_probabilities)
    def predict_proba(self, X):
        """Probabilities of the classes, in the order of `classes_`; of the losses log_loss and modified_huber only.

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

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        if self.loss == "auto":
            self.loss = "hinge"
        if self.learning_rate == "auto":
            self.learning_rate = "optimal"
        self.eta0 = 0.01 if self.eta0 is None else self.eta0


class Perceptron(_StochasticGradientClassifier):
    def _no_probabilities(self):
        raise AttributeError("a perceptron has no probabilities; see decision_function")

    predict_proba = property(_no_probabilities)
    predict_log_proba = property(_no_probabilities)

    def _set_fitted(self):
        super()._set_fitted()
        self.mistakes_ = [np.array(counts, dtype=np.int64) for counts in json.loads(self._model.field("mistakes"))]

    def _start(self, X, target, params, coef_init, intercept_init):
        start = super()._start(X, target, params, coef_init, intercept_init)
        nothing = [[] for _ in range(start.array("coef").shape[0])]
        return _native.model_with_arrays(start, {}, json.dumps({"mistakes": nothing}))


class SGDRegressor(NativeRegressor, _StochasticGradient):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, coef_init=None, intercept_init=None, sample_weight=None):
        """Fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows. Float64 and float32 arrays by rows are used in place.
        y : array-like of shape (n_samples,)
            Target values.
        coef_init : array-like of shape (n_features,), default=None
            Coefficients to start from.
        intercept_init : array-like of shape (1,), default=None
            Constant term to start from.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, which multiply their steps.

        Returns
        -------
        self : object
        """
        X, y = self._check_X_y(X, y, accept_large_sparse=False, y_numeric=True)
        weight = self._check_weight(sample_weight, X)
        self._fit_steps(X, {"y": y}, {**self._params(), "class_weight": None}, weight, coef_init, intercept_init)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, sample_weight=None):
        """Take the steps of one epoch over further rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, which multiply their steps.

        Returns
        -------
        self : object
        """
        first = not hasattr(self, "coef_")
        if first and self.early_stopping:
            raise ValueError("early_stopping should be False with partial_fit")
        X, y = self._check_X_y(X, y, accept_large_sparse=False, y_numeric=True, reset=first)
        weight = self._check_weight(sample_weight, X)
        self._fit_further(X, {"y": y}, {**self._params(), "class_weight": None}, weight)
        return self

    def _set_fitted(self):
        super()._set_fitted()
        self.coef_ = self.coef_[0]

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        if self.loss == "auto":
            self.loss = "squared_error"
        if self.learning_rate == "auto":
            self.learning_rate = "invscaling"
        self.eta0 = 0.01 if self.eta0 is None else self.eta0
