"""Shared by OneHotEncoder and OrdinalEncoder."""

import json
import os

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils import _safe_indexing, check_array
from sklearn.utils.validation import _check_feature_names, _check_n_features, check_is_fitted

from .. import _native
from .._base import Estimator, is_nan, to_json_value
from ._categories import CategoryCodes, CategoryIndex, as_floats, as_objects, check_given_categories, distinct


class Encoder(TransformerMixin, Estimator):
    """Shared by the encoders.

    The learner "ordinal" finds the codes in matrices of numbers; the cells of other columns are looked up here.
    """

    _restored = ("handle_unknown", "min_frequency", "max_categories", "drop", "unknown_value", "encoded_missing_value")

    _spare_nan = False

    # The door -------------------------------------------------------------------------------------------------

    def _columns(self, X, *, reset):
        """The columns of `X` as vectors, each of its own type, and the matrix itself when it is one."""
        _check_feature_names(self, X, reset=reset)
        if hasattr(X, "iloc") and getattr(X, "ndim", 0) == 2:
            _check_n_features(self, X, reset=reset)
            pick = (_safe_indexing(X, j, axis=1) for j in range(X.shape[1]))
            return [check_array(c, ensure_2d=False, dtype=None, ensure_all_finite="allow-nan") for c in pick], None
        matrix = check_array(X, dtype=None, ensure_all_finite="allow-nan")
        if matrix.dtype.kind == "U" and not hasattr(X, "dtype"):
            # Lists of text: as objects no value is cut off, and numbers among them stay numbers.
            matrix = check_array(X, dtype=object, ensure_all_finite="allow-nan")
        _check_n_features(self, matrix, reset=reset)
        return [matrix[:, j] for j in range(matrix.shape[1])], matrix

    @property
    def _groups_enabled(self):
        return self.max_categories is not None or self.min_frequency is not None

    def _fit_categories(self, X):
        """Sets `categories_` and `_levels`."""
        columns, matrix = self._columns(X, reset=True)
        numbers_ = as_floats(matrix)
        auto = isinstance(self.categories, str)
        if not auto and len(self.categories) != len(columns):
            raise ValueError("Shape mismatch: if categories is an array, it has to be of shape (n_features,).")
        self._codes, name = None, type(self).__name__
        counts = [None] * len(columns)
        if not auto:
            found = [self._given_categories(j, column) for j, column in enumerate(columns)]
            if numbers_ is not None:
                self._codes = CategoryCodes(numbers_, name, found)
        elif numbers_ is not None:
            self._codes = CategoryCodes(numbers_, name)
            found = self._codes.categories(matrix.dtype)
        else:
            found, counts = zip(*(distinct(column) for column in columns))
        self.categories_ = list(found)
        self._levels = [CategoryIndex(categories) for categories in found]
        if not auto and self.handle_unknown == "error":
            self._refuse_unknown(columns, self._codes_of(columns, numbers_), "fit")
        if self._groups_enabled:
            codes = None if self._codes is None else self._codes.of(numbers_, self._levels)
            for j, (level, column) in enumerate(zip(self._levels, columns)):
                count = counts[j]
                if count is None and codes is not None:
                    seen = codes[:, j]
                    count = np.bincount(seen[seen >= 0], minlength=len(level.categories))
                elif count is None:
                    count = level.counts(column)
                level.group(count, len(column), self.min_frequency, self.max_categories, self._spare_nan)

    def _given_categories(self, j, column):
        values = self.categories[j]
        if column.dtype.kind in "UO" and len(values) and isinstance(values[0], bytes):
            raise ValueError(
                f"In column {j}, the predefined categories have type 'bytes' which is incompatible with values of type "
                f"'{type(column[0]).__name__}'."
            )
        return check_given_categories(values, j, column.dtype)

    def _codes_of(self, columns, numbers_):
        """The place of each cell among the categories of its column; -1 where it is none of them."""
        if self._codes is not None and numbers_ is not None:
            return self._codes.of(numbers_, self._levels)
        codes = np.empty((len(columns[0]), len(columns)), dtype=np.int64)
        for j, (level, column) in enumerate(zip(self._levels, columns)):
            codes[:, j] = level.codes(column)
        return codes

    def _refuse_unknown(self, columns, codes, when):
        for j in np.flatnonzero((codes < 0).any(axis=0)):
            unknown = distinct(columns[j][codes[:, j] < 0])[0].tolist()
            raise ValueError(f"Found unknown categories {unknown} in column {j} during {when}")

    def _encode(self, X):
        """CategoryCodes before grouping; -1 for unknown cells, which are refused here if they are to be."""
        columns, matrix = self._columns(X, reset=False)
        codes = self._codes_of(columns, as_floats(matrix))
        if self.handle_unknown == "error":
            self._refuse_unknown(columns, codes, "transform")
        return codes

    @property
    def infrequent_categories_(self):
        """The infrequent values of each column; None where there are none."""
        if not self._groups_enabled:
            raise AttributeError("there are no infrequent categories without min_frequency or max_categories")
        check_is_fitted(self)
        return [None if level.rare is None else level.categories[level.rare] for level in self._levels]

    # The file -------------------------------------------------------------------------------------------------

    def __sklearn_is_fitted__(self):
        return hasattr(self, "categories_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags

    def _file_params(self):
        """The learner's parameters, for a file."""
        params = {"numbers": "encode", "handle_unknown": self.handle_unknown}
        params["categories"] = [
            [None if v is None or is_nan(v) else to_json_value(v) for v in c.tolist()] for c in self.categories_
        ]
        if self._groups_enabled:
            params |= {"min_frequency": to_json_value(self.min_frequency), "max_categories": to_json_value(self.max_categories)}
        return params

    def save(self, path):
        check_is_fitted(self)
        if any(level.rare is not None for level in self._levels):
            raise ValueError(f"this {type(self).__name__} has infrequent categories; pickle it instead")
        # A model with given categories is the same whatever rows it is trained on; one row will do.
        params = {k: v for k, v in self._file_params().items() if k not in ("min_frequency", "max_categories")}
        self._fit_native(self._one_row(), params=params).save(os.fspath(path))

    def _one_row(self):
        """A row of known cells: an array of numbers, or a table when there is text."""
        if all(level.categories.dtype.kind in "fiu" for level in self._levels):
            return np.array([[level.categories[0] for level in self._levels]], dtype=np.float64)
        try:
            import pyarrow
        except ImportError:
            raise ValueError("writing an encoder of text to a model file needs pyarrow; pickle it instead") from None
        columns = []
        for j, categories in enumerate(self.categories_):
            if categories.dtype.kind in "fiu":
                columns.append(pyarrow.array([float(categories[0])]))
                continue
            names = [value for value in categories.tolist() if not (value is None or is_nan(value))]
            if not all(isinstance(name, str) for name in names):
                raise ValueError(
                    f"column {j} has categories that are neither text nor float numbers; pickle the encoder instead"
                )
            code = pyarrow.array([0 if names else None], type=pyarrow.int32())
            columns.append(pyarrow.DictionaryArray.from_arrays(code, pyarrow.array(names, type=pyarrow.string())))
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(len(columns))])
        return _native.NativeTable.from_arrow(pyarrow.table(columns, names=[str(name) for name in names]))

    save.__doc__ = Estimator.save.__doc__

    @classmethod
    def _from_model(cls, model):
        # A model of tables that passes number columns through has no counterpart here.
        return None if None in json.loads(model.field("categories")) else super()._from_model(model)

    def _restore_fitted(self, about):
        params = about["params"]
        if getattr(self, "encoded_missing_value", 0) is None:
            self.encoded_missing_value = np.nan
        if self.handle_unknown == "use_encoded_value" and self.unknown_value is None:
            self.unknown_value = np.nan
        if isinstance(getattr(self, "drop", None), list):
            self.drop = [np.nan if value is None else value for value in self.drop]
        columns = json.loads(self._model.field("categories"))
        self.categories = "auto" if isinstance(params["categories"], str) else params["categories"]
        self._codes, self.categories_ = None, []
        for column in columns:
            text = any(isinstance(value, str) for value in column)
            values = [np.nan if value is None else value for value in column]
            self.categories_.append(as_objects(values) if text else np.array(values, dtype=np.float64))
        self._levels = [CategoryIndex(categories) for categories in self.categories_]
        for level, rare in zip(self._levels, json.loads(self._model.field("infrequent"))):
            if rare:
                counts = np.ones(len(level.categories))
                counts[rare] = 0
                level.group(counts, 0, 1, None, self._spare_nan)
        self._finish()

    def _finish(self):
        """Attributes derived from the levels."""
