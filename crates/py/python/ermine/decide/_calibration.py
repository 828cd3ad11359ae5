"""Calibration and CalibratedClassifier."""

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils import indexable
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from .. import _native
from .._base import encode_classes
from ._inputs import MetaClassifier, as_probabilities, as_vector, class_codes, fit_clone, model_proba, take_rows


class Calibration:
    """A map from probabilities to honest ones.

    Parameters
    ----------
    method : {"sigmoid", "isotonic"}, default="sigmoid"
        A sigmoid of the log odds, which leaves right probabilities as they are, for few rows; or the best function that never falls, for a thousand
        rows and more. More than two classes are calibrated one against the rest, with the sum brought back to 1.
    """

    def __init__(self, method="sigmoid"):
        self.method = method

    def fit(self, proba, y, *, classes=None, sample_weight=None):
        """Learn from rows that had no part in the training of the classifier.

        Parameters
        ----------
        proba : array-like of shape (n_samples, n_classes)
            What the classifier says.
        y : array-like of shape (n_samples,)
            The true classes.
        classes : array-like of shape (n_classes,), optional
            The class of each column; the distinct ones of y, sorted, when not given.
        sample_weight : array-like of shape (n_samples,), optional
            Weights.

        Returns
        -------
        self : Calibration
        """
        proba = as_probabilities(proba)
        if classes is None:
            classes, codes = encode_classes(y)
        else:
            classes = np.asarray(classes)
            codes = class_codes(y, classes)
        if len(classes) != proba.shape[1]:
            raise ValueError(f"proba has {proba.shape[1]} columns, and there are {len(classes)} classes")
        if len(codes) != len(proba):
            raise ValueError(f"proba has {len(proba)} rows, and y has {len(codes)}")
        weight = None if sample_weight is None else as_vector(sample_weight, np.float64, "sample_weight")
        self.classes_ = classes
        self._native = _native.NativeCalibration(self.method, codes, proba, weight)
        return self

    def transform(self, proba):
        """Honest probabilities.

        Parameters
        ----------
        proba : array-like of shape (n_samples, n_classes)
            What the classifier says.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        if not hasattr(self, "_native"):
            raise ValueError("this Calibration has not learned yet; call fit")
        return self._native.apply(as_probabilities(proba))

    def __getstate__(self):
        state = self.__dict__.copy()
        if "_native" in state:
            state["_native"] = state["_native"].to_json()
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if "_native" in state:
            self._native = _native.NativeCalibration.from_json(state["_native"])


class CalibratedClassifier(MetaClassifier):
    """A classifier with honest probabilities.

    What it says of rows that it was not trained on, by cross-validation, teaches the map; the classifier itself is trained on all rows.

    Parameters
    ----------
    estimator : classifier with predict_proba
        The classifier.
    method : {"sigmoid", "isotonic"}, default="sigmoid"
        The form of the map; see `Calibration`.
    cv : int, splitter or iterable, default=5
        How rows are split.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimator_ : classifier
        The classifier, fitted to all rows.
    calibration_ : Calibration
        The map.
    """

    def __init__(self, estimator, *, method="sigmoid", cv=5):
        self.estimator = estimator
        self.method = method
        self.cv = cv

    def fit(self, X, y, sample_weight=None):
        """Fit the classifier and the map.

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
        X, y = indexable(X, y)
        classes, codes = encode_classes(y)
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        proba = np.zeros((len(codes), len(classes)))
        tested = np.zeros(len(codes), dtype=bool)
        for train, test in check_cv(self.cv, y, classifier=True).split(X, y):
            model = fit_clone(self.estimator, take_rows(X, train), take_rows(y, train), None if weight is None else weight[train])
            # A fold may lack a class, which then has probability 0 there.
            proba[np.ix_(test, class_codes(model.classes_, classes))] = model_proba(model, take_rows(X, test))
            tested[test] = True
        self.calibration_ = Calibration(self.method).fit(
            proba[tested],
            classes[codes[tested]],
            classes=classes,
            sample_weight=None if weight is None else weight[tested],
        )
        self.estimator_ = fit_clone(self.estimator, X, y, weight)
        self.classes_ = classes
        return self

    def predict_proba(self, X):
        """Honest probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return self.calibration_.transform(model_proba(self.estimator_, X))

    def predict(self, X):
        """The most probable class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
