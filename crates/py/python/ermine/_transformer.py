"""Shared by transformers."""

import numpy as np
from sklearn.base import TransformerMixin, _fit_context
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from ._base import Estimator


class PreservesDtypeMixin:
    """For transformers whose new columns are float32 where the old ones are; named before scikit-learn's mixins."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class NativeTransformer(TransformerMixin, Estimator):
    """New columns from the model."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        X = self._check_X(X, reset=True)
        self._fit_native(X, seed=self._draw_seed())
        self._set_fitted()
        self._warn_unless_converged()
        return self

    def transform(self, X):
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        return self._call_native("transform", X, single=X.dtype == np.float32)

    def get_feature_names_out(self, input_features=None):
        """Names of the new columns.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns; None: those of fit, or x0, x1 and so on.

        Returns
        -------
        names : ndarray of str
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        return np.array(self._model.names_out([str(name) for name in names]), dtype=object)
