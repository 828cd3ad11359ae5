"""Autoencoder."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from .._base import seed_of
from .._transformer import PreservesDtypeMixin
from ._base import EpochTrained, widths


class Autoencoder(PreservesDtypeMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, EpochTrained):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Train the encoder and the decoder."""
        X = self._check_X(X, reset=True)
        params = {**self._learner_params(), "hidden_layer_sizes": widths(self.hidden_layer_sizes, "hidden_layer_sizes")}
        weight = self._check_weight(sample_weight, X)
        self._fit_native(X, sample_weight=weight, params=params, seed=seed_of(self.random_state))
        self._set_fitted()
        return self

    @property
    def _n_features_out(self):
        check_is_fitted(self)
        return self.n_components

    def transform(self, X):
        """The codes of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        codes : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        return self._call_native("transform", X, single=X.dtype == np.float32)

    def inverse_transform(self, X):
        """The rows decoded from codes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            CategoryCodes.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = np.asarray(X)
        back = self._model.inverse(np.ascontiguousarray(X, dtype=np.float64), type(self).__name__)
        return back.astype(np.float32) if X.dtype == np.float32 else back

    def reconstruct(self, X):
        """The rows as the network reconstructs them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        return self.inverse_transform(self.transform(X))

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        self.hidden_layer_sizes = tuple(about["params"]["hidden_layer_sizes"])
