"""SimpleImputer."""

import collections
import json
import os
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.impute import MissingIndicator
from sklearn.utils._missing import is_pandas_na
from sklearn.utils.validation import FLOAT_DTYPES, _check_feature_names_in, check_is_fitted, validate_data

from .._base import FLOATS, Estimator, as_viewable, is_nan, to_json_value


def missing_in(values, missing):
    """Which cells are missing."""
    if is_pandas_na(missing) and values.dtype == object:
        return np.frompyfunc(lambda cell: cell is missing, 1, 1)(values).astype(bool)
    if is_nan(missing) or is_pandas_na(missing):
        # NaN, and it alone, differs from itself.
        return np.isnan(values) if values.dtype.kind == "f" else (values != values).astype(bool)
    return np.equal(values, missing, dtype=object).astype(bool) if values.dtype == object else values == missing


def most_frequent(cells):
    """The most frequent value, the least of several. NaN without any."""
    if len(cells) == 0:
        return np.nan
    if cells.dtype != object:
        values, counts = np.unique(cells, return_counts=True)
        return values[np.argmax(counts)]
    counts = collections.Counter(cells.tolist())
    top = max(counts.values())
    values = [value for value, count in counts.items() if count == top]
    try:
        return min(values)
    except TypeError:
        # Values of several types have no order; the names of their types have.
        return min(values, key=lambda value: (str(type(value)), value))


class SimpleImputer(TransformerMixin, Estimator):
    _restored = ("strategy", "fill_value", "add_indicator", "keep_empty_features")

    """The behavior of SimpleImputer.

    The learner "impute" fills dense floats in which NaN is missing; the rest is done here.
    """

    def fit(self, X, y=None):
        """Find the values that fill the missing cells of each column."""
        self._validate_params()
        X = self._rows(X, fitting=True)
        self._fill_dtype, self._model = X.dtype, None
        fill = self.fill_value
        if fill is None:
            fill = 0 if X.dtype.kind in "iuf" else "missing_value"
        if self._is_native(X) and not np.isnan(X).all():
            self._fit_native(as_viewable(X), params=self._file_params(fill))
            self._set_statistics(X.dtype)
        else:
            self.statistics_ = self._statistics(X, fill)
        self.indicator_ = None
        if self.add_indicator:
            self.indicator_ = MissingIndicator(missing_values=self.missing_values, error_on_new=False).fit(X)
        return self

    def _is_native(self, X):
        return (
            not sparse.issparse(X)
            and X.dtype in FLOATS
            and is_nan(self.missing_values)
            and not callable(self.strategy)
            and (self.strategy != "constant" or self.fill_value is None or np.isfinite(self.fill_value))
        )

    def _file_params(self, fill):
        return {
            "strategy": self.strategy,
            "fill_value": to_json_value(fill) if self.strategy == "constant" else None,
            "add_indicator": bool(self.add_indicator),
            "keep_empty_features": bool(self.keep_empty_features),
        }

    # The door -------------------------------------------------------------------------------------------------

    def _rows(self, X, *, fitting, copy=False):
        """`X` checked; a copy if asked for."""
        dtype = FLOAT_DTYPES
        if self.strategy in ("most_frequent", "constant"):
            text = isinstance(X, list) and any(isinstance(cell, str) for row in X for cell in row)
            dtype = object if text else None
        if not fitting and self._fill_dtype.kind == "O":
            dtype = object
        nan = is_nan(self.missing_values) or is_pandas_na(self.missing_values)
        try:
            X = validate_data(
                self,
                X,
                reset=fitting,
                accept_sparse="csc",
                dtype=dtype,
                force_writeable=not fitting and not self.copy,
                ensure_all_finite="allow-nan" if nan else True,
                copy=copy,
            )
        except ValueError as error:
            if "could not convert" in str(error):
                raise ValueError(f"Cannot use {self.strategy} strategy with non-numeric data:\n{error}") from None
            raise
        self._check_kinds(X)
        if self.strategy == "constant":
            self._check_fill(X, fitting)
        return X

    def _check_kinds(self, X):
        number = isinstance(self.missing_values, (int, float, np.number)) and not isinstance(self.missing_values, bool)
        if X.dtype.kind in "iuf" and not number and not is_pandas_na(self.missing_values):
            raise ValueError(
                f"'X' and 'missing_values' types are expected to be both numerical. Got X.dtype={X.dtype} and  "
                f"type(missing_values)={type(self.missing_values)}."
            )
        if X.dtype.kind not in "iufO":
            raise ValueError(
                f"SimpleImputer does not support data with dtype {X.dtype}. Please provide either a numeric array (with a "
                "floating point or integer dtype) or categorical data represented either as an array with integer dtype or "
                "an array of string values with an object dtype."
            )
        if sparse.issparse(X) and self.missing_values == 0:
            raise ValueError(
                "Imputation not possible when missing_values == 0 and input is sparse. Provide a dense array instead."
            )

    def _check_fill(self, X, fitting):
        if not fitting:
            if not np.can_cast(self._fill_dtype, X.dtype, casting="same_kind"):
                raise ValueError(
                    f"The dtype of the filling value (i.e. {self._fill_dtype!r}) cannot be cast to the input data that is "
                    f"{X.dtype!r}. Make sure that the dtypes of the input data are of the same kind between fit and transform."
                )
        elif self.fill_value is not None and not np.can_cast(type(self.fill_value), X.dtype, casting="same_kind"):
            raise ValueError(
                f"fill_value={self.fill_value!r} (of type {type(self.fill_value)!r}) cannot be cast to the input data that is "
                f"{X.dtype!r}. If fill_value is a Python scalar, instead pass  a numpy scalar (e.g. fill_value=np.uint8(0) if "
                "your data is of type np.uint8). Make sure that both dtypes are of the same kind."
            )

    # The statistics -------------------------------------------------------------------------------------------

    def _set_statistics(self, dtype):
        """Sets the statistics of the learner's model."""
        fills = [
            fill["number"] if isinstance(fill, dict) else np.nan for fill in json.loads(self._model.field("columns"))
        ]
        if self.strategy == "constant":
            self.statistics_ = np.array(fills, dtype=object)
        else:
            self.statistics_ = np.array(fills, dtype=np.float64 if self.strategy == "most_frequent" else dtype)

    def _statistics(self, X, fill):
        columns = list(self._present(X))
        if self.strategy == "constant":
            kept = [len(cells) > 0 or self.keep_empty_features for cells in columns]
            return np.array([fill if keep else np.nan for keep in kept], dtype=object)
        statistics = np.empty(len(columns), dtype=object if X.dtype == object else np.float64)
        for j, cells in enumerate(columns):
            statistics[j] = self._statistic(cells)
        return statistics

    def _statistic(self, cells):
        if callable(self.strategy):
            return self.strategy(cells)
        if len(cells) == 0:
            return 0 if self.keep_empty_features else np.nan
        if self.strategy == "most_frequent":
            return most_frequent(cells)
        return np.mean(cells) if self.strategy == "mean" else np.median(cells)

    def _present(self, X):
        """The cells of each column that are there."""
        if sparse.issparse(X):
            there = ~missing_in(X.data, self.missing_values)
            for start, end in zip(X.indptr[:-1], X.indptr[1:]):
                zeros = np.zeros(X.shape[0] - (end - start), dtype=X.dtype)
                yield np.concatenate([X.data[start:end][there[start:end]], zeros])
        else:
            there = ~missing_in(X, self.missing_values)
            for j in range(X.shape[1]):
                yield X[there[:, j], j]

    def _empty(self):
        """Which columns are left out because no cell was there to fill them from."""
        if self.keep_empty_features:
            return np.zeros(len(self.statistics_), dtype=bool)
        return missing_in(self.statistics_, np.nan)

    # The rows -------------------------------------------------------------------------------------------------

    def transform(self, X):
        """Fill in the missing cells.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        X_imputed : {ndarray, sparse matrix} of shape (n_samples, n_features_out)
        """
        check_is_fitted(self)
        X = self._rows(X, fitting=False)
        empty = self._empty()
        if empty.any():
            names = getattr(self, "feature_names_in_", np.arange(len(empty)))[empty]
            warnings.warn(
                f"Skipping features without any observed values: {names}. At least one non-missing value is needed for "
                f"imputation with strategy='{self.strategy}'.",
                stacklevel=2,
            )
        if self._model is not None and self._is_native(X) and self.copy:
            return self._call_native("transform", as_viewable(X), single=X.dtype == np.float32)
        flags = self.indicator_.transform(X) if self.add_indicator else None
        X = X[:, ~empty] if empty.any() else X.copy() if self.copy else X
        fills = self.statistics_[~empty].astype(self._fill_dtype, copy=False)
        if sparse.issparse(X):
            missing = missing_in(X.data, self.missing_values)
            columns = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
            X.data[missing] = fills[columns[missing]]
            return X if flags is None else sparse.hstack([X, flags], format=X.format)
        missing = missing_in(X, self.missing_values)
        for j in np.flatnonzero(missing.any(axis=0)):
            X[missing[:, j], j] = fills[j]
        return X if flags is None else np.hstack([X, flags])

    def inverse_transform(self, X):
        """Put missing cells back where the indicator columns say so.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features + n_indicators)
            Rows that `transform` made with `add_indicator`.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        if not self.add_indicator:
            raise ValueError(
                "'inverse_transform' works only when 'SimpleImputer' is instantiated with 'add_indicator=True'. Got "
                f"'add_indicator={self.add_indicator}' instead."
            )
        X = np.asarray(X)
        kept = ~self._empty()
        width = np.count_nonzero(kept)
        out = np.zeros((len(X), len(kept)), dtype=object if X.dtype == object else np.float64)
        out[:, kept] = X[:, :width]
        for j, flags in zip(self.indicator_.features_, X[:, width:].astype(bool).T):
            out[flags, j] = self.missing_values
        return out

    def get_feature_names_out(self, input_features=None):
        """Names of the columns that `transform` makes.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns; None: those of fit, or x0, x1 and so on.

        Returns
        -------
        feature_names_out : ndarray of str objects
        """
        check_is_fitted(self)
        columns = _check_feature_names_in(self, input_features)
        names = columns[~missing_in(self.statistics_, np.nan)]
        if self.add_indicator:
            names = np.concatenate([names, self.indicator_.get_feature_names_out(columns)])
        return names

    # The file -------------------------------------------------------------------------------------------------

    def save(self, path):
        check_is_fitted(self)
        if self._model is None:
            raise ValueError(
                "the model file holds fills of numbers that NaN stood for only; pickle this SimpleImputer instead"
            )
        self._model.save(os.fspath(path))

    save.__doc__ = Estimator.save.__doc__

    @classmethod
    def _from_model(cls, model):
        # A model that fills category columns of tables with codes has no counterpart here.
        named = any(isinstance(fill, dict) and "name" in fill for fill in json.loads(model.field("columns")))
        return None if named else super()._from_model(model)

    def _restore_fitted(self, about):
        self._fill_dtype = np.dtype(np.float64)
        self._set_statistics(np.float64)
        self.indicator_ = None
        if self.add_indicator:
            # A row that misses the cells of exactly these columns.
            row = np.zeros((1, self.n_features_in_))
            row[:, json.loads(self._model.field("indicators"))] = np.nan
            self.indicator_ = MissingIndicator(error_on_new=False).fit(row)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "statistics_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = is_nan(self.missing_values) or is_pandas_na(self.missing_values)
        return tags
