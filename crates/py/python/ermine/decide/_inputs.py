"""Arrays as the bridge takes them, and estimators of any package."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter


def as_matrix(values, what):
    values = np.ascontiguousarray(values, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError(f"{what} must have two dimensions, and it has {values.ndim}")
    return values


def as_vector(values, dtype, what):
    values = np.ascontiguousarray(values, dtype=dtype)
    if values.ndim != 1:
        raise ValueError(f"{what} must have one dimension, and it has {values.ndim}")
    return values


def as_probabilities(proba):
    proba = as_matrix(proba, "proba")
    if not np.isfinite(proba).all():
        row = int(np.flatnonzero(~np.isfinite(proba).all(axis=1))[0])
        raise ValueError(f"the probabilities of row {row} are no finite numbers")
    return proba


def class_codes(y, classes):
    """The place of each label among the classes."""
    place = {label: k for k, label in enumerate(np.asarray(classes).tolist())}
    labels = np.asarray(y).tolist()
    try:
        return np.array([place[label] for label in labels], dtype=np.uint32)
    except (KeyError, TypeError):
        stranger = next(label for label in labels if label not in place)
        raise ValueError(f"{stranger!r} is none of the classes {list(place)[:8]}") from None


def take_rows(X, rows):
    """Rows of whatever X is."""
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, rows)


def fit_clone(estimator, X, y, sample_weight=None):
    estimator = clone(estimator)
    if sample_weight is None:
        return estimator.fit(X, y)
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(f"{type(estimator).__name__} takes no sample_weight")
    return estimator.fit(X, y, sample_weight=sample_weight)


def model_proba(estimator, X):
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(f"{type(estimator).__name__} has no predict_proba, and decisions rest on probabilities")
    return as_probabilities(estimator.predict_proba(X))


class MetaClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Shared by classifiers around a classifier."""

    @property
    def n_features_in_(self):
        """Number of columns, where the estimator has it."""
        check_is_fitted(self)
        return self.estimator_.n_features_in_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags.multi_class = inner.classifier_tags.multi_class if inner.classifier_tags else True
        return tags
