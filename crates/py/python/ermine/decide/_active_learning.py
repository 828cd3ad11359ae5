"""Active learning: whose label to ask for next."""

import numbers
from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import _num_samples

from .. import _native
from ._costs import uncertainty
from ._inputs import fit_clone, model_proba, take_rows


class ActiveLearning:
    """A loop that queries the most informative labels: an iterator over rows, to which labels are given back.

    Each step trains on the labels so far and asks for the rows that the classifier is least sure of (Lewis and Gale 1994). While fewer than two classes have
    been seen, rows are asked for at random.

    Parameters
    ----------
    estimator : classifier with predict_proba
        The classifier.
    X : array-like of shape (n_samples, n_features)
        All rows.
    classes : array-like of shape (n_classes,)
        The labels there may be.
    how : {"least_confident", "margin", "entropy", "random"}, default="margin"
        What being unsure means; "random" to compare with.
    batch : int, default=1
        Rows that are asked for at a time.
    seed : int, default=0
        The seed of the order in which equally unsure rows are asked for.

    Attributes
    ----------
    labels : dict
        The labels so far, by the numbers of their rows.
    model : classifier or None
        The classifier of the last question.
    """

    def __init__(self, estimator, X, *, classes, how="margin", batch=1, seed=0):
        self.estimator = estimator
        self.X = X
        self.classes = np.asarray(classes)
        if self.classes.ndim != 1 or len(set(self.classes.tolist())) < 2:
            raise ValueError("classes must name at least 2 different classes to be unsure of")
        if not isinstance(batch, numbers.Integral) or batch < 1:
            raise ValueError(f"batch is {batch!r}; at least 1 row must be asked for")
        # Refuses unknown measures of uncertainty.
        uncertainty(np.full((1, 2), 0.5), how)
        self.how = how
        self.batch = int(batch)
        self.seed = int(seed)
        self.labels = {}
        self.model = None
        self._known = set(self.classes.tolist())
        self._order = _native.decide_order(_num_samples(X), self.seed % 2**64)

    def tell(self, rows, labels):
        """Give the label of a row, or of several, queried or not.

        Parameters
        ----------
        rows : int or array-like of int
            Numbers of rows.
        labels : label or array-like of labels
            Their labels.
        """
        if np.ndim(rows) == 0:
            rows, labels = [rows], [labels]
        rows, labels = np.asarray(rows).tolist(), np.asarray(labels).tolist()
        if len(rows) != len(labels):
            raise ValueError(f"there are {len(rows)} rows and {len(labels)} labels")
        for row, label in zip(rows, labels):
            if isinstance(row, bool) or not isinstance(row, int) or not 0 <= row < len(self._order):
                raise ValueError(f"there is no row {row!r}: there are {len(self._order)}, counted from 0")
            if label not in self._known:
                raise ValueError(f"row {row}: {label!r} is none of the classes {self.classes.tolist()[:8]}")
        self.labels.update(zip(rows, labels))

    def fit(self):
        """Train on the labels so far.

        Returns
        -------
        model : classifier or None
            None with fewer than two classes among the labels.
        """
        rows = sorted(self.labels)
        told = [self.labels[row] for row in rows]
        if len(set(told)) < 2:
            self.model = None
        else:
            self.model = fit_clone(self.estimator, take_rows(self.X, np.array(rows)), np.array(told, dtype=self.classes.dtype))
        return self.model

    def __iter__(self):
        return self

    def __next__(self):
        """The numbers of the rows to be labeled next, those that teach most first.

        Rows that were asked for and not labeled may come again.
        """
        known = np.zeros(len(self._order), dtype=bool)
        known[list(self.labels)] = True
        open_rows = self._order[~known[self._order]]
        if len(open_rows) == 0:
            raise StopIteration
        model = self.fit()
        if model is None or self.how == "random":
            return open_rows[: self.batch]
        return open_rows[_native.decide_ask(self.how, model_proba(model, take_rows(self.X, open_rows)), self.batch)]


class ActiveCurve(NamedTuple):
    """The accuracy by the number of queried labels."""

    how: str
    """How rows were chosen."""
    labels: np.ndarray
    """Labels known."""
    accuracy: np.ndarray
    """Share of the test rows whose class is right with that many."""

    def labels_for(self, accuracy):
        """The least number of labels from which on the accuracy stays at or above `accuracy`; None where it never does.

        Parameters
        ----------
        accuracy : float
            The accuracy that is wanted.

        Returns
        -------
        labels : int or None
        """
        below = np.flatnonzero(self.accuracy < accuracy)
        first = below[-1] + 1 if len(below) else 0
        return int(self.labels[first]) if first < len(self.labels) else None


def simulate(estimator, X, y, X_test, y_test, *, how="margin", start=20, batch=10, most=200, seed=0):
    """Play the loop on rows whose labels are known.

    `start` labels at random, then `batch` at a time up to `most`, with the accuracy on test rows after each. The same seed starts from the same rows
    whatever `how` is, so that curves can be compared.

    Parameters
    ----------
    estimator : classifier with predict_proba
        The classifier.
    X : array-like of shape (n_samples, n_features)
        Rows to ask for.
    y : array-like of shape (n_samples,)
        Their labels.
    X_test : array-like of shape (n_test, n_features)
        Rows to measure on.
    y_test : array-like of shape (n_test,)
        Their labels.
    how : {"least_confident", "margin", "entropy", "random"}, default="margin"
        What being unsure means.
    start : int, default=20
        Labels at random.
    batch : int, default=10
        Labels at a time.
    most : int, default=200
        Labels in all.
    seed : int, default=0
        The seed of the random rows.

    Returns
    -------
    curve : ActiveCurve
    """
    y, y_test = np.asarray(y), np.asarray(y_test)
    asking = ActiveLearning(estimator, X, classes=np.unique(y), how=how, batch=batch, seed=seed)
    first = asking._order[: max(int(start), 1)]
    asking.tell(first, y[first])
    labels, accuracy = [], []
    for rows in asking:
        known = len(asking.labels)
        if asking.model is not None:
            labels.append(known)
            accuracy.append(float(np.mean(asking.model.predict(X_test) == y_test)))
        if known >= most:
            break
        rows = rows[: most - known]
        asking.tell(rows, y[rows])
    return ActiveCurve(how, np.array(labels, dtype=np.int64), np.array(accuracy))
