"""ConvNetClassifier."""

import json

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils.validation import check_is_fitted

from .._base import encode_classes, seed_of
from .._classifier import NativeClassifier, class_factors
from ._base import EpochTrained


class ConvNetClassifier(NativeClassifier, EpochTrained):
    _restored = ("input", "class_weight")

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Train the network.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), (n_samples, height, width) or (n_samples, height, width, channels)
            Images.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
        """
        shape, X = self._flat(X)
        X, y = self._check_X_y(X, y)
        weight = self._check_weight(sample_weight, X)
        self.classes_, codes = encode_classes(y)
        params = {**self._learner_params(), "class_weight": class_factors(self.class_weight, self.classes_)}
        given = self.input if self.input is not None else shape
        params["input"] = given if given is None or isinstance(given, str) else "x".join(str(int(n)) for n in given)
        self._fit_native(
            X, codes=codes, classes=self.classes_, sample_weight=weight, params=params, seed=seed_of(self.random_state)
        )
        self._set_fitted()
        return self

    @staticmethod
    def _flat(X):
        """Rows of plain columns, and the shape of an image where X has it."""
        if isinstance(X, np.ndarray) and X.ndim in (3, 4):
            return X.shape[1:], X.reshape(X.shape[0], -1)
        return None, X

    def _rows(self, X):
        check_is_fitted(self)
        return self._check_X(self._flat(X)[1], reset=False)

    def _set_fitted(self):
        super()._set_fitted()
        self.validation_scores_ = self._stand["scores"] or None
        self.architecture_ = json.loads(self._model.field("network/architecture"))
        self.input_shape_ = json.loads(self._model.field("network/input"))
