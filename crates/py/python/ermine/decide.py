"""Decisions: what to do with probabilities, and which labels to ask for.

A classifier says how probable classes are; what follows from it depends on what errors cost::

    from ermine.decide import bayes_action, threshold_for_fpr

    proba = model.predict_proba(X)
    bayes_action(proba, cost=[[0, 1], [5, 0]]).action          # a miss costs five false alarms
    bayes_action(proba, cost=[[0, 1], [5, 0]], abstain=0.5)     # -1: ask a person

    # at most 1% of healthy people are called ill, with 95% confidence over the choice of these rows
    threshold_for_fpr(y_held_out, proba_held_out[:, 1], bound=0.01)

`CostSensitiveClassifier` does so around any classifier, `CalibratedClassifier` makes its probabilities honest, `SelfTrainingClassifier` learns from rows
without labels, and `ActiveLearning` asks for the labels that teach most::

    from ermine.decide import ActiveLearning

    asking = ActiveLearning(LogisticRegression(), X, classes=["cat", "dog"], batch=10)
    for rows in asking:
        asking.tell(rows, [person(X[i]) for i in rows])         # a person looks at the rows
        if len(asking.labels) >= 200:
            break
    asking.fit().predict(X)
"""

import numbers
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _num_samples, check_is_fitted, has_fit_parameter

from . import _native
from ._base import encode_classes

__all__ = [
    "ABSTAIN",
    "ActiveCurve",
    "ActiveLearning",
    "BoundedThreshold",
    "CalibratedClassifier",
    "Calibration",
    "CostSensitiveClassifier",
    "Decisions",
    "SelfTrainingClassifier",
    "bayes_action",
    "cost_threshold",
    "simulate",
    "threshold_for_fnr",
    "threshold_for_fpr",
    "uncertainty",
]

ABSTAIN = -1
"""The action of declining."""


class Decisions(NamedTuple):
    """Actions and what they are expected to cost."""

    action: np.ndarray
    """The action of each row: a column of the costs, or `ABSTAIN`."""
    expected: np.ndarray
    """Its expected cost."""


class BoundedThreshold(NamedTuple):
    """A threshold that keeps a bound, and how sure that is."""

    threshold: float
    """Rows from this score on are called positive."""
    bound: float
    """The bound on the rate."""
    confidence: float
    """The probability that the bound is kept on all rows there could be; at least what was asked for."""
    rate: float
    """The rate on the rows at hand."""
    other: float
    """The rate of the other kind of error on the rows at hand."""


def _matrix(values, what):
    values = np.ascontiguousarray(values, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError(f"{what} must have two dimensions, and it has {values.ndim}")
    return values


def _column(values, dtype, what):
    values = np.ascontiguousarray(values, dtype=dtype)
    if values.ndim != 1:
        raise ValueError(f"{what} must have one dimension, and it has {values.ndim}")
    return values


def _probabilities(proba):
    proba = _matrix(proba, "proba")
    if not np.isfinite(proba).all():
        row = int(np.flatnonzero(~np.isfinite(proba).all(axis=1))[0])
        raise ValueError(f"the probabilities of row {row} are no finite numbers")
    return proba


def bayes_action(proba, cost, *, abstain=None):
    """The action of least expected cost for each row of probabilities.

    Parameters
    ----------
    proba : array-like of shape (n_samples, n_classes)
        Probabilities of the classes.
    cost : array-like of shape (n_classes, n_actions)
        What each action costs where each class is true; gains are negative. Actions are mostly the classes in order, but may be others.
    abstain : float, optional
        What declining costs, whatever is true. With all errors costing 1 this is Chow's rule: decline where the most probable class is less probable
        than `1 - abstain`.

    Returns
    -------
    decisions : Decisions
        `action`, the number of the column of `cost`, or `ABSTAIN` (-1); `expected`, its expected cost.

    Examples
    --------
    >>> from ermine.decide import bayes_action
    >>> bayes_action([[0.95, 0.05], [0.85, 0.15], [0.3, 0.7]], [[0, 1], [5, 0]], abstain=0.5).action
    array([ 0, -1, -1])
    """
    return Decisions(*_native.decide_actions(_probabilities(proba), _matrix(cost, "cost"), _number(abstain, "abstain")))


def _number(value, name):
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} is {value!r}; it must be a number or None")
    return float(value)


def cost_threshold(cost):
    """The probability of the second of two classes from which on calling it is the cheaper action.

    Parameters
    ----------
    cost : array-like of shape (2, 2)
        What calling the first and the second class costs, where the first (row 0) and the second (row 1) is true.

    Returns
    -------
    threshold : float or None
        None where one action is never the dearer one.
    """
    return _native.decide_cost_threshold(_matrix(cost, "cost"))


def _positive(y_true, pos_label):
    y_true = np.asarray(y_true)
    if y_true.ndim != 1:
        raise ValueError(f"y_true must have one dimension, and it has {y_true.ndim}")
    if pos_label is not None:
        return np.ascontiguousarray(y_true == pos_label)
    known = set(np.unique(y_true).tolist())
    if not (known <= {0, 1} or known <= {-1, 1}):
        raise ValueError(f"y_true takes the values {sorted(known, key=str)}; name the positive one with pos_label")
    return np.ascontiguousarray(y_true == 1)


def _threshold(rate, y_true, y_score, bound, confidence, pos_label):
    y_score = _column(y_score, np.float64, "y_score")
    threshold, sure, here, other = _native.decide_threshold(
        rate, _positive(y_true, pos_label), y_score, float(bound), float(confidence)
    )
    return BoundedThreshold(threshold, float(bound), sure, here, other)


def threshold_for_fpr(y_true, y_score, bound, *, confidence=0.95, pos_label=None):
    """The lowest threshold whose false positive rate on rows to come is at most `bound`, with probability `confidence` at least.

    The threshold at which the rate on the rows at hand is `bound` would exceed it on fresh rows in half of all cases; this one is an order statistic for
    which the binomial distribution vouches, whatever the distribution of the scores (Tong, Feng and Li 2018). The rows must have had no part in the
    training of the scores.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The true classes: 0 and 1, or any two with `pos_label`.
    y_score : array-like of shape (n_samples,)
        Scores, higher for the positive class.
    bound : float
        The largest rate allowed, between 0 and 1.
    confidence : float, default=0.95
        How sure it must be.
    pos_label : label, optional
        The positive class.

    Returns
    -------
    found : BoundedThreshold
    """
    return _threshold("fpr", y_true, y_score, bound, confidence, pos_label)


def threshold_for_fnr(y_true, y_score, bound, *, confidence=0.95, pos_label=None):
    """The highest threshold whose false negative rate on rows to come is at most `bound`, with probability `confidence` at least.

    `threshold_for_fpr` with the two classes exchanged.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The true classes: 0 and 1, or any two with `pos_label`.
    y_score : array-like of shape (n_samples,)
        Scores, higher for the positive class.
    bound : float
        The largest rate allowed, between 0 and 1.
    confidence : float, default=0.95
        How sure it must be.
    pos_label : label, optional
        The positive class.

    Returns
    -------
    found : BoundedThreshold
    """
    return _threshold("fnr", y_true, y_score, bound, confidence, pos_label)


def uncertainty(proba, how="margin"):
    """How unsure the probabilities of each row are; larger is more so.

    Parameters
    ----------
    proba : array-like of shape (n_samples, n_classes)
        Probabilities of the classes.
    how : {"least_confident", "margin", "entropy"}, default="margin"
        1 less the largest probability; the second largest less the largest; the entropy in nats.

    Returns
    -------
    unsure : ndarray of shape (n_samples,)
    """
    return _native.decide_uncertainty(how, _probabilities(proba))


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
        proba = _probabilities(proba)
        if classes is None:
            classes, codes = encode_classes(y)
        else:
            classes = np.asarray(classes)
            codes = _codes(y, classes)
        if len(classes) != proba.shape[1]:
            raise ValueError(f"proba has {proba.shape[1]} columns, and there are {len(classes)} classes")
        if len(codes) != len(proba):
            raise ValueError(f"proba has {len(proba)} rows, and y has {len(codes)}")
        weight = None if sample_weight is None else _column(sample_weight, np.float64, "sample_weight")
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
        return self._native.apply(_probabilities(proba))

    def __getstate__(self):
        state = self.__dict__.copy()
        if "_native" in state:
            state["_native"] = state["_native"].to_json()
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if "_native" in state:
            self._native = _native.NativeCalibration.from_json(state["_native"])


def _codes(y, classes):
    """The place of each label among the classes."""
    place = {label: k for k, label in enumerate(np.asarray(classes).tolist())}
    labels = np.asarray(y).tolist()
    try:
        return np.array([place[label] for label in labels], dtype=np.uint32)
    except (KeyError, TypeError):
        stranger = next(label for label in labels if label not in place)
        raise ValueError(f"{stranger!r} is none of the classes {list(place)[:8]}") from None


def _rows(X, rows):
    """Rows of whatever X is."""
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, rows)


def _fit(estimator, X, y, sample_weight=None):
    estimator = clone(estimator)
    if sample_weight is None:
        return estimator.fit(X, y)
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(f"{type(estimator).__name__} takes no sample_weight")
    return estimator.fit(X, y, sample_weight=sample_weight)


def _proba(estimator, X):
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(f"{type(estimator).__name__} has no predict_proba, and decisions rest on probabilities")
    return _probabilities(estimator.predict_proba(X))


class _Around(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """What classifiers around a classifier share."""

    @property
    def n_features_in_(self):
        """Number of columns, where the estimator says it."""
        check_is_fitted(self)
        return self.estimator_.n_features_in_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags.multi_class = inner.classifier_tags.multi_class if inner.classifier_tags else True
        return tags


class CostSensitiveClassifier(_Around):
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
        cost = _matrix(self.cost, "cost")
        n_classes = len(encode_classes(y)[0])
        if cost.shape != (n_classes, n_classes):
            raise ValueError(f"cost has the shape {cost.shape}, and there are {n_classes} classes: it must be {(n_classes,) * 2}")
        self.estimator_ = _fit(self.estimator, X, y, sample_weight)
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
        return bayes_action(_proba(self.estimator_, X), self.cost, abstain=self.abstain)

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
        """Probabilities of the classes, as the classifier says them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return _proba(self.estimator_, X)


class CalibratedClassifier(_Around):
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
            model = _fit(self.estimator, _rows(X, train), _rows(y, train), None if weight is None else weight[train])
            # A fold may lack a class, which then has probability 0 there.
            proba[np.ix_(test, _codes(model.classes_, classes))] = _proba(model, _rows(X, test))
            tested[test] = True
        self.calibration_ = Calibration(self.method).fit(
            proba[tested],
            classes[codes[tested]],
            classes=classes,
            sample_weight=None if weight is None else weight[tested],
        )
        self.estimator_ = _fit(self.estimator, X, y, weight)
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
        return self.calibration_.transform(_proba(self.estimator_, X))

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


class SelfTrainingClassifier(_Around):
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
            proba = _proba(model, _rows(X, open_rows))
            sure, column = _native.decide_sure(proba, float(self.threshold), self.most)
            if len(sure) == 0:
                ended = "no_change"
                break
            rounds += 1
            code[open_rows[sure]] = _codes(model.classes_, classes)[column]
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
        return _fit(self.estimator, _rows(X, rows), classes[code[rows]])

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
        return _proba(self.estimator_, X)


class ActiveLearning:
    """A loop that asks for the labels that teach most: an iterator over rows, to which labels are given back.

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
        # Refuses what is no way to be unsure.
        uncertainty(np.full((1, 2), 0.5), how)
        self.how = how
        self.batch = int(batch)
        self.seed = int(seed)
        self.labels = {}
        self.model = None
        self._known = set(self.classes.tolist())
        self._order = _native.decide_order(_num_samples(X), self.seed % 2**64)

    def tell(self, rows, labels):
        """Give the label of a row, or of several, asked for or not.

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
            self.model = _fit(self.estimator, _rows(self.X, np.array(rows)), np.array(told, dtype=self.classes.dtype))
        return self.model

    def __iter__(self):
        return self

    def __next__(self):
        """The numbers of the rows to be labelled next, those that teach most first.

        Rows that were asked for and not labelled may come again.
        """
        known = np.zeros(len(self._order), dtype=bool)
        known[list(self.labels)] = True
        open_rows = self._order[~known[self._order]]
        if len(open_rows) == 0:
            raise StopIteration
        model = self.fit()
        if model is None or self.how == "random":
            return open_rows[: self.batch]
        return open_rows[_native.decide_ask(self.how, _proba(model, _rows(self.X, open_rows)), self.batch)]


class ActiveCurve(NamedTuple):
    """How the accuracy grows with the labels that were asked for."""

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
