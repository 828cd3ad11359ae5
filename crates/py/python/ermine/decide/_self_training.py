"""SelfTrainingClassifier."""

import numbers

import numpy as np
from sklearn.utils import indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from .. import _native
from .._base import encode_classes
from ._inputs import MetaClassifier, class_codes, fit_clone, model_proba, take_rows


class SelfTrainingClassifier(MetaClassifier):
    """Learns from rows of which only some have labels: it labels those that it is sure of, and learns from them too.

    It helps where classes form clusters that labels are scattered in, and harms where early errors confirm themselves; measure it on rows with labels
    that had no part (Yarowsky 1995).

    Parameters
    ----------
    estimator : classifier with predict_proba
        The classifier.
    threshold : float, default=0.75
        The least probability at which a label is taken over.
    most : int, optional
        Labels that are taken over in a round at most, the surest first; None for all.
    max_iter : int, default=10
        Rounds at most.
    unlabelled : label, default=-1
        What y says of rows without a label; None and NaN say so too.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimator_ : classifier
        The classifier of the last round.
    transduction_ : ndarray of shape (n_samples,)
        The label of each row, its own or the one it was given; `unlabelled` for rows that were never sure.
    labeled_iter_ : ndarray of shape (n_samples,)
        The round in which a row was given its label: 0 for its own, -1 for none.
    n_iter_ : int
        Rounds.
    termination_condition_ : {"max_iter", "no_change", "all_labeled"}
        Why it ended.
    """

    def __init__(self, estimator, *, threshold=0.75, most=None, max_iter=10, unlabelled=-1):
        self.estimator = estimator
        self.threshold = threshold
        self.most = most
        self.max_iter = max_iter
        self.unlabelled = unlabelled

    def fit(self, X, y):
        """Fit to rows with and without labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Class labels, and `unlabelled` where there is none.

        Returns
        -------
        self : object
        """
        if not isinstance(self.max_iter, numbers.Integral) or self.max_iter < 0:
            raise ValueError(f"max_iter is {self.max_iter!r}; it must be a whole number, 0 or more")
        X, y = indexable(X, y)
        labels = np.asarray(y)
        if labels.ndim != 1:
            raise ValueError(f"y must have one dimension, and it has {labels.ndim}")
        known = np.array([not self._open(label) for label in labels.tolist()], dtype=bool)
        if not known.any():
            raise ValueError(f"no row has a label: y is {self.unlabelled!r} everywhere")
        own = np.array(labels[known].tolist())
        check_classification_targets(own)
        classes, codes = encode_classes(own)
        if len(classes) < 2:
            raise ValueError(f"all rows with a label have the same one, {classes[0]!r}; there must be at least 2 classes")
        code = np.full(len(labels), -1, dtype=np.int64)
        code[known] = codes
        given = np.where(known, 0, -1)
        ended = "max_iter"
        rounds = 0
        model = self._fit_known(X, classes, code)
        while rounds < self.max_iter:
            open_rows = np.flatnonzero(code < 0)
            if len(open_rows) == 0:
                ended = "all_labeled"
                break
            proba = model_proba(model, take_rows(X, open_rows))
            sure, column = _native.decide_sure(proba, float(self.threshold), self.most)
            if len(sure) == 0:
                ended = "no_change"
                break
            rounds += 1
            code[open_rows[sure]] = class_codes(model.classes_, classes)[column]
            given[open_rows[sure]] = rounds
            model = self._fit_known(X, classes, code)
        else:
            ended = "all_labeled" if (code >= 0).all() else "max_iter"
        self.estimator_ = model
        self.classes_ = classes
        self.transduction_ = self._labels(classes, code)
        self.labeled_iter_ = given
        self.n_iter_ = rounds
        self.termination_condition_ = ended
        return self

    def _open(self, label):
        if label is None or (isinstance(label, float) and np.isnan(label)):
            return True
        # -1 is not True, and "1" is not 1.
        return isinstance(label, str) == isinstance(self.unlabelled, str) and label == self.unlabelled

    def _fit_known(self, X, classes, code):
        rows = np.flatnonzero(code >= 0)
        return fit_clone(self.estimator, take_rows(X, rows), classes[code[rows]])

    def _labels(self, classes, code):
        mark = np.asarray([self.unlabelled])
        kind = np.result_type(mark.dtype, classes.dtype) if mark.dtype.kind == classes.dtype.kind else object
        out = classes.astype(kind)[code]
        out[code < 0] = self.unlabelled
        return out if (code < 0).any() else classes[code]

    def predict(self, X):
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.estimator_.predict(X)

    def predict_proba(self, X):
        """Probabilities of the classes, in the order of `classes_`.

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
