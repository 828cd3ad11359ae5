"""Rows as models of trees take them: arrays, where NaN is a missing value, and tables with categories."""

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import _native
from .._table import Table, is_tabular


def has_categories(X):
    """Whether a DataFrame-like has columns that are not numbers."""
    for dtype in getattr(X, "dtypes", []):
        kind = getattr(dtype, "kind", None)
        if kind is None:  # polars
            if not (dtype.is_numeric() or dtype == bool or str(dtype) == "Boolean"):
                return True
        elif str(dtype) in ("category", "str", "string") or kind == "O":
            return True
    schema = getattr(X, "schema", None)
    if not hasattr(X, "dtypes") and schema is not None:
        return any("dictionary" in str(t) or "string" in str(t) for t in getattr(schema, "types", []))
    return False


class TabularInputMixin:
    """For estimators whose learner takes categories and missing values."""

    def _table(self, X, reset):
        """`X` as a table when it has columns that an array cannot hold, else None."""
        if isinstance(X, (Table, _native.NativeTable)):
            native = X._native if isinstance(X, Table) else X
            if reset:
                self.feature_names_in_ = np.array(native.columns, dtype=object)
                self.n_features_in_ = len(native.columns)
            return native
        if not is_tabular(X) or not has_categories(X):
            return None
        validate_data(self, X, reset=reset, skip_check_array=True)
        return _native.NativeTable.from_arrow(X)

    def _rows(self, X):
        check_is_fitted(self)
        table = self._table(X, False)
        if table is not None:
            return table
        X = self._check_X(X, reset=False)
        _native.refuse_non_finite(X, type(self).__name__, allow_nan=True)
        return X

    def _rows_and_target(self, X, y, **kwargs):
        """`X` as Rust takes it, and `y` as an array of the same length."""
        table = self._table(X, reset=True)
        if table is not None:
            y = np.asarray(y, dtype=np.float64 if kwargs.get("y_numeric") else None)
            return table, y if kwargs.get("multi_output") else np.ravel(y)
        X, y = self._check_X_y(X, y, **kwargs)
        _native.refuse_non_finite(X, type(self).__name__, allow_nan=True)
        return X, y


def take_rows(X, rows):
    """Some rows, in the order given."""
    if isinstance(X, _native.NativeTable):
        return X.take(rows.astype(np.int64))
    return _safe_indexing(X, rows)
