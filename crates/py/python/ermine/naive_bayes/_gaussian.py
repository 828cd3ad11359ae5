"""GaussianNB."""

import json

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from .. import _native
from .._base import class_names, encode_classes, to_json_value
from .._classifier import NativeClassifier


class GaussianNB(NativeClassifier):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Learn the mean and variance of each column in each class."""
        X, y = self._check_X_y(X, y)
        weight = self._check_weight(sample_weight, X)
        classes, codes = encode_classes(y)
        params = {"priors": self._checked_priors(len(classes)), "var_smoothing": float(self.var_smoothing)}
        self._fit_native(X, codes=codes, classes=classes, sample_weight=weight, params=params)
        self.classes_ = classes
        self._set_fitted()
        return self

    def _checked_priors(self, n_classes):
        if self.priors is None:
            return None
        priors = np.asarray(self.priors)
        if len(priors) != n_classes:
            raise ValueError("Number of priors must match number of classes.")
        if not np.isclose(priors.sum(), 1.0):
            raise ValueError("The sum of the priors should be 1.")
        if (priors < 0).any():
            raise ValueError("Priors must be non-negative.")
        return to_json_value(priors.astype(np.float64))

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from some more rows."""
        first = not hasattr(self, "classes_")
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if classes is not None:
            known = np.unique(np.asarray(classes))
            if not first and not np.array_equal(known, self.classes_):
                raise ValueError(
                    f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
                )
        else:
            known = self.classes_
        X, y = self._check_X_y_again(X, y, first)
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        here, codes = encode_classes(y)
        unseen = ~np.isin(here, known)
        if unseen.any():
            raise ValueError(f"The target label(s) {here[unseen]} in y do not exist in the initial classes {known}")
        codes = np.searchsorted(known, here).astype(np.uint32)[codes]
        if first:
            self.classes_ = known
            old = (np.zeros(len(known)), np.zeros((len(known), X.shape[1])), np.zeros((len(known), X.shape[1])))
        else:
            old = (self.class_count_, self.theta_, self.var_ - self.epsilon_)
        # Without smoothing the variances of the batch are those of its rows.
        batch = self._fit_native(
            X,
            codes=codes,
            classes=known,
            sample_weight=weight,
            params={"priors": self._checked_priors(len(known)), "var_smoothing": 0.0},
        )
        spread = X.var(axis=0).max() if X.shape[0] else 0.0
        self.epsilon_ = float(self.var_smoothing * spread)
        count, mean, variance = _pooled(old, (batch.array("class_count"), batch.array("theta"), batch.array("var")))
        self.class_count_, self.theta_, self.var_ = count, mean, variance + self.epsilon_
        if self.priors is None:
            self.class_prior_ = count / count.sum()
        else:
            self.class_prior_ = np.asarray(self.priors, dtype=np.float64)
        self._model = _native.model_with_arrays(
            batch,
            {"theta": self.theta_, "var": self.var_, "class_count": count, "class_prior": self.class_prior_},
            json.dumps({"epsilon": self.epsilon_, "classes": class_names(known)}),
        )
        return self

    def _check_X_y_again(self, X, y, first):
        return self._check_X_y(X, y, reset=first)

    def predict_joint_log_proba(self, X):
        """Logarithms of the joint densities of row and class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        joint : ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        out = np.empty((X.shape[0], len(self.classes_)))
        with np.errstate(divide="ignore"):
            prior = np.log(self.class_prior_)
        for k in range(len(self.classes_)):
            constant = -0.5 * np.log(2.0 * np.pi * self.var_[k]).sum()
            out[:, k] = prior[k] + constant - 0.5 * ((X - self.theta_[k]) ** 2 / self.var_[k]).sum(axis=1)
        return out


def _pooled(a, b):
    """Weights, means and variances of two sets of rows taken together (Chan, Golub, LeVeque 1983)."""
    (n, mean_a, var_a), (m, mean_b, var_b) = a, b
    total = n + m
    share_a = np.divide(n, total, out=np.zeros_like(total), where=total > 0)[:, None]
    share_b = np.divide(m, total, out=np.zeros_like(total), where=total > 0)[:, None]
    # A class without rows has no mean; its share is 0.
    mean_b, var_b = np.where(m[:, None] > 0, mean_b, 0.0), np.where(m[:, None] > 0, var_b, 0.0)
    mean = share_a * mean_a + share_b * mean_b
    variance = share_a * var_a + share_b * var_b + share_a * share_b * (mean_a - mean_b) ** 2
    return total, mean, variance
