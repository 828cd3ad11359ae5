"""Actions and thresholds from costs and bounds."""

import numbers
from typing import NamedTuple

import numpy as np

from .. import _native
from ._inputs import as_matrix, as_probabilities, as_vector

ABSTAIN = -1
"""The action of declining."""


class Decisions(NamedTuple):
    """Actions and their expected costs."""

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
    """The probability that the bound holds on all future rows; at least the one requested."""
    rate: float
    """The rate on the rows at hand."""
    other: float
    """The rate of the other kind of error on the rows at hand."""


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
    return Decisions(*_native.decide_actions(as_probabilities(proba), as_matrix(cost, "cost"), _number(abstain, "abstain")))


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
    return _native.decide_cost_threshold(as_matrix(cost, "cost"))


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
    y_score = as_vector(y_score, np.float64, "y_score")
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
    threshold : BoundedThreshold
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
    threshold : BoundedThreshold
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
    return _native.decide_uncertainty(how, as_probabilities(proba))
