"""CostSensitiveClassifier."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._base import encode_classes
from ._costs import ABSTAIN, bayes_action
from ._inputs import MetaClassifier, as_matrix, fit_clone, model_proba


class CostSensitiveClassifier(MetaClassifier):
    """Calls the class of least expected cost, or declines.

    Parameters
    ----------
    estimator : classifier with predict_proba
        What says how probable classes are.
    cost : array-like of shape (n_classes, n_classes)
        What calling each class costs where each class is true, in the order of the sorted labels.
    abstain : float, optional
        What declining costs.
    abstain_label : label, default=None
        What is predicted for rows that are declined.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimator_ : classifier
        The fitted classifier.
    """

    def __init__(self, estimator, cost, *, abstain=None, abstain_label=None):
        self.estimator = estimator
        self.cost = cost
        self.abstain = abstain
        self.abstain_label = abstain_label

    def fit(self, X, y, sample_weight=None):
        """Fit the classifier.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights.

        Returns
        -------
        self : object
        """
        cost = as_matrix(self.cost, "cost")
        n_classes = len(encode_classes(y)[0])
        if cost.shape != (n_classes, n_classes):
            raise ValueError(f"cost has the shape {cost.shape}, and there are {n_classes} classes: it must be {(n_classes,) * 2}")
        self.estimator_ = fit_clone(self.estimator, X, y, sample_weight)
        self.classes_ = self.estimator_.classes_
        return self

    def decide(self, X):
        """The action of each row, and its expected cost.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        decisions : Decisions
            `action` is a place in `classes_`, or `ABSTAIN`.
        """
        check_is_fitted(self)
        return bayes_action(model_proba(self.estimator_, X), self.cost, abstain=self.abstain)

    def predict(self, X):
        """The class of least expected cost of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            With `abstain_label` for rows that are declined; of dtype object where that is no label of the same kind.
        """
        action = self.decide(X).action
        if self.abstain is None:
            return self.classes_[action]
        label = np.asarray([self.abstain_label])
        same_kind = label.dtype.kind == self.classes_.dtype.kind
        kind = np.result_type(label.dtype, self.classes_.dtype) if same_kind else object
        out = self.classes_.astype(kind)[action]
        out[action == ABSTAIN] = self.abstain_label
        return out

    def predict_proba(self, X):
        """Probabilities of the classes, as the classifier predicts them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return model_proba(self.estimator_, X)
