"""Shared by classifiers."""

import numbers

import numpy as np
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from ._base import Estimator, encode_classes


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

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        X, y = self._rows_and_target(X, y, ensure_min_samples=self._min_samples)
        weight = self._weight(sample_weight, y)
        self.classes_, codes = encode_classes(y)
        self._fit_native(X, codes=codes, classes=self.classes_, sample_weight=weight, seed=self._draw_seed())
        self._set_fitted()
        self._warn_unless_converged()
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = tags.target_tags.multi_output
        return tags

    def _rows(self, X):
        check_is_fitted(self)
        return self._check_X(X, reset=False)

    def predict(self, X):
        codes = self._call_native("classify", self._rows(X))
        return self.classes_[codes]

    def predict_proba(self, X):
        return self._call_native("proba", self._rows(X))

    def predict_log_proba(self, X):
        with np.errstate(divide="ignore"):
            return self._call_native("log_proba", self._rows(X))
