"""OneHotEncoder."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from .._base import is_nan, to_json_value
from ._categories import as_objects
from ._encoder_base import Encoder


class OneHotEncoder(Encoder):
    """The behavior of OneHotEncoder."""

    def fit(self, X, y=None):
        """Find the values of each column."""
        self._validate_params()
        self._fit_categories(X)
        self._finish()
        return self

    def _finish(self):
        dropped = self._dropped()
        self._drop = [None] * len(self._levels) if dropped is None else dropped
        self.drop_idx_ = None
        if dropped is not None:
            # A group's first value, which for a frequent one is the only.
            first = [None if g is None else int(np.argmax(lv.groups == g)) for g, lv in zip(dropped, self._levels)]
            self.drop_idx_ = as_objects(first)
        widths = [level.n_groups - (group is not None) for level, group in zip(self._levels, self._drop)]
        self._ends = np.cumsum([0, *widths])

    def _dropped(self):
        """The group of each column that gets no column, or None."""
        if self.drop is None:
            return None
        if isinstance(self.drop, str):
            return [0 if self.drop == "first" or level.n_groups == 2 else None for level in self._levels]
        values = np.asarray(self.drop, dtype=object)
        if len(values) != len(self._levels):
            raise ValueError(
                f"`drop` should have length equal to the number of features ({len(self._levels)}), got {len(values)}"
            )
        groups, absent = [], []
        for j, (value, level) in enumerate(zip(values, self._levels)):
            code = level.codes(as_objects([value]))[0]
            if code < 0:
                absent.append(f"Category: {j}, Feature: {value}")
                continue
            if level.rare is not None and code in level.rare:
                raise ValueError(f"Unable to drop category {to_json_value(value)!r} from feature {j} because it is infrequent")
            groups.append(int(level.groups[code]))
        if absent:
            raise ValueError(
                "The following categories were supposed to be dropped, but were not found in the training data.\n"
                + "\n".join(absent)
            )
        return groups

    def transform(self, X):
        """Make a 0/1 column for each value.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        X_out : {ndarray, sparse matrix} of shape (n_samples, n_encoded_features)
            Sparse when `sparse_output` is True.
        """
        check_is_fitted(self)
        output = _get_output_config("transform", estimator=self)["dense"]
        if output != "default" and self.sparse_output:
            raise ValueError(
                f"{output.capitalize()} output does not support sparse data. Set sparse_output=False to output {output} "
                f"dataframes or disable {output.capitalize()} output via"
                '` ohe.set_output(transform="default").'
            )
        codes = self._encode(X)
        self._warn_of_unknown(codes)
        # The new column of each cell, -1 where all its columns are 0.
        places = np.empty(codes.shape, dtype=np.int64)
        for j, (level, drop) in enumerate(zip(self._levels, self._drop)):
            unknown = level.n_groups - 1 if level.rare is not None and self.handle_unknown != "ignore" else -1
            group = np.append(level.groups, unknown)
            place = group + self._ends[j]
            if drop is not None:
                place = np.where(group > drop, place - 1, np.where(group == drop, -1, place))
            places[:, j] = np.where(group < 0, -1, place)[codes[:, j]]
        ones = places >= 0
        width = int(self._ends[-1])
        if not self.sparse_output:
            out = np.zeros((len(codes), width), dtype=self.dtype)
            rows, columns = np.nonzero(ones)
            out[rows, places[rows, columns]] = 1
            return out
        indptr = np.zeros(len(codes) + 1, dtype=np.int64)
        np.cumsum(ones.sum(axis=1), out=indptr[1:])
        kind = np.int32 if max(indptr[-1], width) < 2**31 else np.int64
        cells = np.ones(indptr[-1], dtype=self.dtype)
        return sparse.csr_matrix((cells, places[ones].astype(kind), indptr.astype(kind)), shape=(len(codes), width))

    def _warn_of_unknown(self, codes):
        if not (self.handle_unknown == "warn" or (self.drop is not None and self.handle_unknown != "error")):
            return
        columns = np.flatnonzero((codes < 0).any(axis=0)).tolist()
        if columns:
            fate = "all zeros" if self.handle_unknown == "ignore" else "the infrequent category."
            warnings.warn(
                f"Found unknown categories in columns {columns} during transform. These unknown categories will be encoded "
                f"as {fate}",
                UserWarning,
                stacklevel=3,
            )

    def inverse_transform(self, X):
        """The values behind 0/1 columns. Rows of zeros are the dropped value, or None where they mean an unknown one.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_encoded_features)
            New columns.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = check_array(X, accept_sparse="csr")
        if X.shape[1] != self._ends[-1]:
            raise ValueError(
                f"Shape of the passed X data is not correct. Expected {self._ends[-1]} columns, got {X.shape[1]}."
            )
        names = [level.group_names() for level in self._levels]
        out = np.empty((X.shape[0], len(names)), dtype=np.result_type(*(n.dtype for n in names)))
        unknown = {}
        for j, (values, level, drop) in enumerate(zip(names, self._levels, self._drop)):
            part = X[:, self._ends[j] : self._ends[j + 1]]
            kept = values if drop is None else np.delete(values, drop)
            if len(kept) == 0:
                out[:, j] = values[drop]
                continue
            out[:, j] = kept[np.asarray(part.argmax(axis=1)).ravel()]
            zero = np.asarray(part.sum(axis=1)).ravel() == 0
            if not zero.any():
                continue
            if drop is not None:
                out[zero, j] = values[drop]
            elif self.handle_unknown == "ignore" or (self.handle_unknown != "error" and level.rare is None):
                unknown[j] = zero
            elif self.drop is None:
                raise ValueError(
                    f"Samples {np.flatnonzero(zero)} can not be inverted when drop=None and handle_unknown='error' because "
                    "they contain all zeros"
                )
        if unknown:
            out = out.astype(object)
            for j, zero in unknown.items():
                out[zero, j] = None
        return out

    def get_feature_names_out(self, input_features=None):
        """Names of the new columns.

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
        combine = self.feature_name_combiner
        if not callable(combine):
            combine = "{}_{}".format
        elif not isinstance(answer := combine("feature", "category"), str):
            raise TypeError(
                f"When `feature_name_combiner` is a callable, it should return a Python string. Got {type(answer)} instead."
            )
        names = []
        for column, level, drop in zip(columns, self._levels, self._drop):
            names += [combine(column, value) for g, value in enumerate(level.group_names()) if g != drop]
        return np.array(names, dtype=object)

    def _file_params(self):
        unknown = "infrequent_if_exist" if self.handle_unknown == "warn" else self.handle_unknown
        drop = self.drop
        if drop is not None and not isinstance(drop, str):
            drop = [None if v is None or is_nan(v) else to_json_value(v) for v in np.asarray(drop, dtype=object)]
        return super()._file_params() | {"drop": drop, "handle_unknown": unknown}
