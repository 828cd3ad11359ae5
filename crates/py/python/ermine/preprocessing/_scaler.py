"""Scalers: StandardScaler and MinMaxScaler."""

import json
import os

import numpy as np
from scipy import sparse
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import FLOAT_DTYPES, check_array, check_is_fitted, validate_data

from .._base import Estimator, as_viewable, to_json_value
from .._transformer import PreservesDtypeMixin


def _readable(X):
    """`X` as Rust reads it: half precision, which it does not know, becomes single, and sparse columns become rows."""
    if sparse.issparse(X):
        X = X.tocsr()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
    return as_viewable(X.astype(np.float32) if X.dtype == np.float16 else X)


def _multiply_columns(X, factor):
    """Multiplies the columns of sparse `X` where it lies."""
    if X.format == "csr":
        X.data *= factor.take(X.indices, mode="clip")
    else:
        X.data *= np.repeat(factor, np.diff(X.indptr))


class _Scaler(PreservesDtypeMixin, OneToOneFeatureMixin, TransformerMixin, Estimator):
    """Shared by the scalers.

    `_model` is the learner's model of the rows of fit; None once partial_fit has merged more rows into the attributes.
    """

    _fitted_by = None

    def __sklearn_is_fitted__(self):
        return hasattr(self, self._fitted_by)

    def _native_transform(self, X):
        """New columns by the learner's model, or None where it cannot: half precision, or a model of merged rows."""
        if getattr(self, "_model", None) is None or X.dtype == np.float16:
            return None
        return self._call_native("transform", as_viewable(X), single=X.dtype == np.float32)

    def save(self, path):
        check_is_fitted(self)
        if getattr(self, "_model", None) is None:
            self._rebuild_native()
        self._model.save(os.fspath(path))

    save.__doc__ = Estimator.save.__doc__


class StandardScaler(_Scaler):
    """The behavior of StandardScaler."""

    _fitted_by = "scale_"
    __metadata_request__transform = {"copy": UNUSED}
    __metadata_request__inverse_transform = {"copy": UNUSED}

    def fit(self, X, y=None, sample_weight=None):
        """Compute the mean and the standard deviation of each column."""
        for name in ("scale_", "mean_", "var_", "n_samples_seen_", "_model"):
            self.__dict__.pop(name, None)
        return self.partial_fit(X, y, sample_weight)

    def partial_fit(self, X, y=None, sample_weight=None):
        """Take further rows into the means and standard deviations."""
        self._validate_params()
        first = not hasattr(self, "n_samples_seen_")
        X = validate_data(
            self, X, accept_sparse=("csr", "csc"), dtype=FLOAT_DTYPES, ensure_all_finite=False, reset=first
        )
        weight = self._check_weight(sample_weight, X)
        if sparse.issparse(X) and self.with_mean:
            raise ValueError(
                "Cannot center sparse matrices: pass `with_mean=False` instead. See docstring for motivation and "
                "alternatives."
            )
        before = None if first else (self.n_samples_seen_, self.mean_, self.var_)
        model = self._fit_native(_readable(X), sample_weight=weight)
        seen, mean, var = (model.array(name) for name in ("n_samples_seen", "mean", "var"))
        mean, var = np.where(seen > 0, mean, np.nan), np.where(seen > 0, var, np.nan)
        if before is not None:
            seen, mean, var = self._merged(before, seen, mean, var)
            self._model = None
        if weight is None:
            seen = np.rint(seen).astype(np.int64)
        # One number unless columns miss different numbers of cells.
        self.n_samples_seen_ = seen[0] if np.ptp(seen) == 0 else seen
        keeps = self.with_mean or self.with_std
        self.mean_ = mean if keeps else None
        self.var_ = var if self.with_std else None
        self.scale_ = self._scale_of(seen, mean, var) if self.with_std else None
        return self

    @staticmethod
    def _merged(before, seen, mean, var):
        """Weights, means and variances of the rows of both (Chan, Golub and LeVeque)."""
        n = np.broadcast_to(np.asarray(before[0], dtype=np.float64), seen.shape)
        old_mean = np.zeros_like(mean) if before[1] is None else np.where(n > 0, before[1], 0.0)
        old_var = np.zeros_like(var) if before[2] is None else np.where(n > 0, before[2], 0.0)
        new_mean, new_var = np.where(seen > 0, mean, 0.0), np.where(seen > 0, var, 0.0)
        total = n + seen
        with np.errstate(invalid="ignore", divide="ignore"):
            share = seen / total
            step = new_mean - old_mean
            mean = old_mean + step * share
            var = old_var * (n / total) + new_var * share + step * step * share * (n / total)
        return total, mean, var

    @staticmethod
    def _scale_of(seen, mean, var):
        """Standard deviations; 1 for columns whose spread is within the rounding errors of their sums."""
        error = seen * np.finfo(np.float64).eps
        with np.errstate(invalid="ignore"):
            constant = var <= error * var + (error * mean) ** 2
            return np.where(constant, 1.0, np.sqrt(var))

    def _rebuild_native(self):
        # Two rows, one deviation below and above the mean, have exactly these moments.
        n = np.broadcast_to(np.asarray(self.n_samples_seen_, dtype=np.float64), (self.n_features_in_,))
        if self.mean_ is None or np.ptp(n) != 0:
            raise ValueError(
                "the model file cannot hold a StandardScaler whose columns missed different numbers of cells"
            )
        spread = np.sqrt(self.var_) if self.with_std else np.zeros_like(self.mean_)
        self._fit_native(np.array([self.mean_ - spread, self.mean_ + spread]), sample_weight=np.full(2, n[0] / 2))

    def _set_fitted(self):
        seen, mean, var = (self._model.array(name) for name in ("n_samples_seen", "mean", "var"))
        self.n_samples_seen_ = seen[0] if np.ptp(seen) == 0 else seen
        self.mean_ = mean if self.with_mean or self.with_std else None
        self.var_ = var if self.with_std else None
        self.scale_ = self._model.array("scale") if self.with_std else None

    def transform(self, X, copy=None):
        """Take the means away and divide by the standard deviations.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        copy : bool, default=None
            Whether X must stay as it is; None: the parameter `copy`.

        Returns
        -------
        X_tr : {ndarray, sparse matrix} of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        copy = self.copy if copy is None else copy
        X = validate_data(
            self,
            X,
            reset=False,
            accept_sparse=("csr", "csc"),
            dtype=FLOAT_DTYPES,
            force_writeable=not copy,
            ensure_all_finite="allow-nan",
        )
        if sparse.issparse(X):
            if self.with_mean:
                raise ValueError("Cannot center sparse matrices: pass `with_mean=False` instead.")
            X = X.copy() if copy else X
            if self.scale_ is not None:
                _multiply_columns(X, 1 / self.scale_)
            return X
        done = self._native_transform(X) if copy else None
        if done is not None:
            return done
        X = X.copy() if copy else X
        if self.with_mean:
            X -= self.mean_.astype(X.dtype, copy=False)
        if self.with_std:
            X /= self.scale_.astype(X.dtype, copy=False)
        return X

    def inverse_transform(self, X, copy=None):
        """Undo `transform`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows that `transform` made.
        copy : bool, default=None
            Whether X must stay as it is; None: the parameter `copy`.

        Returns
        -------
        X_original : {ndarray, sparse matrix} of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        copy = self.copy if copy is None else copy
        X = check_array(
            X,
            accept_sparse=("csr", "csc"),
            copy=copy,
            dtype=FLOAT_DTYPES,
            force_writeable=True,
            ensure_all_finite="allow-nan",
        )
        if sparse.issparse(X):
            if self.with_mean:
                raise ValueError(
                    "Cannot uncenter sparse matrices: pass `with_mean=False` instead See docstring for motivation and "
                    "alternatives."
                )
            if self.scale_ is not None:
                _multiply_columns(X, self.scale_)
            return X
        if self.with_std:
            X *= self.scale_.astype(X.dtype, copy=False)
        if self.with_mean:
            X += self.mean_.astype(X.dtype, copy=False)
        return X

    def __sklearn_is_fitted__(self):
        return hasattr(self, "n_samples_seen_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.with_mean
        return tags


class MinMaxScaler(_Scaler):
    """The behavior of MinMaxScaler."""

    _fitted_by = "scale_"

    def fit(self, X, y=None):
        """Compute the least and the greatest cell of each column."""
        for name in ("scale_", "min_", "n_samples_seen_", "data_min_", "data_max_", "data_range_", "_model"):
            self.__dict__.pop(name, None)
        return self.partial_fit(X, y)

    def partial_fit(self, X, y=None):
        """Take further rows into the ranges."""
        self._validate_params()
        low, high = self.feature_range
        if low >= high:
            raise ValueError(
                f"Minimum of desired feature range must be smaller than maximum. Got {self.feature_range}."
            )
        if sparse.issparse(X):
            raise TypeError("MinMaxScaler does not support sparse input. Consider using MaxAbsScaler instead.")
        first = not hasattr(self, "n_samples_seen_")
        X = validate_data(self, X, reset=first, dtype=FLOAT_DTYPES, ensure_all_finite=False)
        model = self._fit_native(_readable(X))
        least, most = self._bounds(model, X)
        if not first:
            least, most = np.fmin(self.data_min_, least), np.fmax(self.data_max_, most)
            self._model = None
        self.n_samples_seen_ = X.shape[0] + (0 if first else self.n_samples_seen_)
        self._set_range(least, most)
        return self

    @staticmethod
    def _bounds(model, X):
        """Least and greatest cells; NaN for columns without any, which the model cannot tell from columns of zeros."""
        least, most = model.array("data_min"), model.array("data_max")
        for j in np.flatnonzero((least == 0) & (most == 0)):
            if np.isnan(X[:, j]).all():
                least[j] = most[j] = np.nan
        return least, most

    def _set_range(self, least, most):
        low, high = self.feature_range
        self.data_min_, self.data_max_, self.data_range_ = least, most, most - least
        self.scale_ = (high - low) / np.where(self.data_range_ == 0, 1.0, self.data_range_)
        self.min_ = low - least * self.scale_

    def _rebuild_native(self):
        self._fit_native(np.array([self.data_min_, self.data_max_]), sample_weight=np.full(2, self.n_samples_seen_ / 2))

    def _learner_params(self):
        return {"feature_range": to_json_value(self.feature_range), "clip": bool(self.clip)}

    def _restore_fitted(self, about):
        self.feature_range = tuple(about["params"]["feature_range"])
        self.n_samples_seen_ = int(json.loads(self._model.field("n_samples_seen")))
        self._set_range(self._model.array("data_min"), self._model.array("data_max"))

    def transform(self, X):
        """Move and stretch the columns into the range.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        Xt : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = validate_data(
            self, X, reset=False, dtype=FLOAT_DTYPES, force_writeable=not self.copy, ensure_all_finite="allow-nan"
        )
        done = self._native_transform(X) if self.copy else None
        if done is not None:
            return done
        X = X.copy() if self.copy else X
        X *= self.scale_.astype(X.dtype, copy=False)
        X += self.min_.astype(X.dtype, copy=False)
        if self.clip:
            np.clip(X, *self.feature_range, out=X)
        return X

    def inverse_transform(self, X):
        """Undo `transform`, for rows that were not clipped.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows that `transform` made.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = check_array(X, copy=self.copy, dtype=FLOAT_DTYPES, force_writeable=True, ensure_all_finite="allow-nan")
        X -= self.min_.astype(X.dtype, copy=False)
        X /= self.scale_.astype(X.dtype, copy=False)
        return X
