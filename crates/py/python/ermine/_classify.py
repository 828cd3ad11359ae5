"""What classifiers share."""

import numbers

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ._base import Estimator


def class_factors(class_weight, classes):
    """`class_weight` as the learner takes it: factors by class name."""
    if class_weight is None or isinstance(class_weight, str):
        return class_weight
    factors = {}
    known = classes.tolist()
    for label, factor in class_weight.items():
        # 1, 1.0 and True are the same label.
        for k, have in enumerate(known):
            same = have == label
            if same and isinstance(have, numbers.Number) == isinstance(label, numbers.Number):
                factors[str(known[k])] = float(factor)
    return factors


class NativeClassifier(ClassifierMixin, Estimator):
    """Labels, probabilities and their logarithms from the model."""

    def _rows(self, X):
        check_is_fitted(self)
        return self._check_X(X, reset=False)

    def predict(self, X):
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        codes = self._call("classify", self._rows(X))
        return self.classes_[codes]

    def predict_proba(self, X):
        """Probabilities of the classes, in the order of `classes_`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        return self._call("proba", self._rows(X))

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
        with np.errstate(divide="ignore"):
            return self._call("log_proba", self._rows(X))
