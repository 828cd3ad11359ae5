"""The distinct values of a column: counts, codes, and which of them are infrequent."""

import collections
import json
import numbers

import numpy as np

from .. import _native
from .._base import as_viewable, is_nan


def distinct(values):
    """The distinct values of a column in order, None and NaN last, and how often each occurs."""
    if values.dtype != object:
        return np.unique(values, return_counts=True)
    cells = values.tolist()
    try:
        # NaN differs from itself: taken out, so that it counts as one value.
        counts = collections.Counter(cell for cell in cells if not is_nan(cell))
        absent = counts.pop(None, 0)
        nan = len(cells) - absent - sum(counts.values())
        found = sorted(counts)
    except TypeError:
        kinds = sorted(kind.__qualname__ for kind in {type(cell) for cell in cells})
        raise TypeError(
            f"Encoders require their input argument must be uniformly strings or numbers. Got {kinds}"
        ) from None
    weights = [counts[value] for value in found]
    for value, count in ((None, absent), (np.nan, nan)):
        if count:
            found.append(value)
            weights.append(count)
    return as_objects(found), np.array(weights, dtype=np.int64)


def as_objects(values):
    """A vector of objects, whatever they are."""
    vector = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        vector[i] = value
    return vector


def check_given_categories(values, column, dtype):
    """A column's values as the user gave them, checked. `dtype` is that of the data."""
    # Text as objects: a fixed width would cut longer values off.
    values = np.array(values, dtype=object if dtype.kind == "U" else dtype)
    if any(is_nan(value) for value in values[:-1]):
        raise ValueError(
            f"Nan should be the last element in user provided categories, see categories {values} in column #{column}"
        )
    if len(distinct(values)[0]) != len(values):
        raise ValueError(f"In column {column}, the predefined categories contain duplicate elements.")
    if dtype.kind not in "OUS":
        finite = values[:-1] if is_nan(values[-1]) else values
        if np.any(finite[1:] < finite[:-1]):
            raise ValueError("Unsorted categories are not supported for numerical categories")
    return values


class CategoryIndex:
    """The values of one column and their groups: each frequent value is one, all infrequent ones together the last."""

    def __init__(self, categories):
        self.categories = categories
        self.nan = len(categories) - 1 if len(categories) and is_nan(categories[-1]) else None
        self.rare = None
        self.groups = np.arange(len(categories))
        self.n_groups = len(categories)

    def codes(self, values):
        """The place of each cell among the categories; -1 where it is none of them."""
        if values.dtype.kind in "OUS" or self.categories.dtype.kind in "OUS":
            return self._lookup(values)
        k = len(self.categories) if self.nan is None else self.nan
        codes = np.searchsorted(self.categories[:k], values)
        codes[codes == k] = 0
        if k:
            codes[self.categories[codes] != values] = -1
        else:
            codes[:] = -1
        if self.nan is not None:
            codes[np.isnan(values)] = self.nan
        return codes

    def _lookup(self, values):
        place = {value: i for i, value in enumerate(self.categories.tolist())}
        cells = values.tolist()
        codes = np.fromiter((place.get(cell, -1) for cell in cells), dtype=np.int64, count=len(cells))
        if self.nan is not None:
            for i in np.flatnonzero(codes == -1):
                if is_nan(cells[i]):
                    codes[i] = self.nan
        return codes

    def counts(self, values):
        """How often each category occurs."""
        codes = self.codes(values)
        return np.bincount(codes[codes >= 0], minlength=len(self.categories))

    def group(self, counts, rows, min_frequency, max_categories, spare_nan):
        """Puts the infrequent values together; with `spare_nan` NaN is neither counted nor put there."""
        if spare_nan and self.nan is not None:
            counts = counts[: self.nan]
        rare = np.zeros(len(counts), dtype=bool)
        if isinstance(min_frequency, numbers.Integral):
            rare = counts < min_frequency
        elif min_frequency is not None:
            rare = counts < min_frequency * rows
        frequent = int(np.count_nonzero(~rare))
        if max_categories is not None and max_categories < frequent + 1:
            # The rarest go; of equally rare ones the first.
            kept = np.argsort(counts, kind="stable")[len(counts) - (max_categories - 1) :]
            rare = np.ones(len(counts), dtype=bool)
            rare[kept] = False
        if not rare.any():
            return
        frequent = int(np.count_nonzero(~rare))
        self.rare = np.flatnonzero(rare)
        self.groups = np.where(rare, frequent, np.cumsum(~rare) - 1)
        self.n_groups = frequent + 1
        if len(counts) < len(self.categories):
            self.groups = np.append(self.groups, self.n_groups)

    def group_names(self):
        """The value that represents each group."""
        if self.rare is None:
            return self.categories
        frequent = np.ones(len(self.categories), dtype=bool)
        frequent[self.rare] = False
        return np.append(self.categories[frequent].astype(object), as_objects(["infrequent_sklearn"]))


# Whole numbers up to here are float64 numbers too.
EXACT = 2**53


def as_floats(X):
    """A matrix of numbers as Rust takes it, or None when it is none or has whole numbers that float64 cannot hold."""
    if not isinstance(X, np.ndarray) or X.dtype.kind not in "fiu" or X.dtype.itemsize > 8:
        return None
    if X.dtype.kind in "iu" and X.dtype.itemsize == 8 and X.size and not (-EXACT <= X.min() and X.max() <= EXACT):
        return None
    return as_viewable(X if X.dtype in (np.float64, np.float32) else X.astype(np.float64))


class CategoryCodes:
    """The codes of all columns of a matrix of numbers, by Rust."""

    # CategoryCodes of cells that training has not seen, and of missing cells.
    UNKNOWN, MISSING = -1, -2
    PARAMS = {
        "numbers": "encode",
        "handle_unknown": "use_encoded_value",
        "unknown_value": -1,
        "encoded_missing_value": -2,
    }

    def __init__(self, X, estimator, categories=None):
        params = dict(self.PARAMS)
        if categories is not None:
            params["categories"] = [[None if is_nan(v) else float(v) for v in column] for column in categories]
        self.model = _native.fit("ordinal", json.dumps(params), X, estimator=estimator)

    def categories(self, dtype):
        """The values of each column."""
        columns = json.loads(self.model.field("categories"))
        return [np.array([np.nan if v is None else v for v in column], dtype=dtype) for column in columns]

    def of(self, X, levels):
        """The place of each cell among the categories; -1 where it is none of them."""
        codes = self.model.transform(X).astype(np.int64)
        for j, level in enumerate(levels):
            column = codes[:, j]
            column[column == self.MISSING] = self.UNKNOWN if level.nan is None else level.nan
        return codes
