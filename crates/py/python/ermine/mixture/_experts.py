"""MixtureOfExpertsRegressor and MixtureOfExpertsClassifier."""

import json

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _native
from .._classifier import NativeClassifier
from .._regressor import NativeRegressor


class _Experts:
    """Shared by both mixtures of experts."""

    _min_samples = 2

    def _set_fitted(self):
        model = self._model
        center = model.array("centre")
        gate = model.array("gate")
        self.gate_coef_ = gate[:, :-1]
        self.gate_intercept_ = gate[:, -1] - self.gate_coef_ @ center
        coef = model.array("coef")
        intercept = coef[:, -1] - coef[:, :-1] @ center + json.loads(model.field("target_mean"))
        k = len(gate)
        if "variance" in {name for name, _ in model.arrays()}:
            self.coef_, self.intercept_ = coef[:, :-1], intercept
            self.variance_ = model.array("variance")
        else:
            self.coef_ = coef[:, :-1].reshape(k, -1, len(center))
            self.intercept_ = intercept.reshape(k, -1)
        self.n_iter_ = self._certificate()["iterations"]

    def gate(self, X):
        """How much each row listens to each expert.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        gate : ndarray of shape (n_samples, n_experts)
            Rows sum to 1.
        """
        X = self._rows(X)
        return _native.experts_gate(self._model, X, type(self).__name__)

    @property
    def trace_(self):
        """The course of the fit, as long as it is known: columns and rows."""
        check_is_fitted(self)
        return json.loads(self._model.describe())["trace"]


class MixtureOfExpertsRegressor(_Experts, NativeRegressor):
    def predict(self, X, return_std=False):
        """Predict the target.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        return_std : bool, default=False
            Whether to return the standard deviation too: of the experts' noise and of the spread between experts.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        std : ndarray of shape (n_samples,)
            Only with `return_std`.
        """
        X = self._rows(X)
        both = _native.experts_moments(self._model, X, type(self).__name__)
        return (both[:, 0].copy(), np.sqrt(both[:, 1])) if return_std else both[:, 0].copy()


class MixtureOfExpertsClassifier(_Experts, NativeClassifier):
    pass
