"""OrdinalEncoder."""

import numbers

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from .._base import is_nan, to_json_value
from ._encoder_base import Encoder


class OrdinalEncoder(OneToOneFeatureMixin, Encoder):
    """The behavior of OrdinalEncoder."""

    _spare_nan = True

    def fit(self, X, y=None):
        """Find the values of each column."""
        self._validate_params()
        self._check_unknown_value()
        self._fit_categories(X)
        self._check_codes()
        return self

    def _check_unknown_value(self):
        value = self.unknown_value
        if self.handle_unknown != "use_encoded_value":
            if value is not None:
                raise TypeError(
                    f"unknown_value should only be set when handle_unknown is 'use_encoded_value', got {value}."
                )
        elif is_nan(value):
            if np.dtype(self.dtype).kind != "f":
                raise ValueError(
                    f"When unknown_value is np.nan, the dtype parameter should be a float dtype. Got {self.dtype}."
                )
        elif not isinstance(value, numbers.Integral):
            raise TypeError(
                f"unknown_value should be an integer or np.nan when handle_unknown is 'use_encoded_value', got {value}."
            )

    def _check_codes(self):
        """Refuses codes that mean two things."""
        # The codes of groups; that of the infrequent one may be shared.
        used = [
            level.n_groups - (level.rare is not None) - (level.nan is not None and level.rare is None)
            for level in self._levels
        ]
        if self.handle_unknown == "use_encoded_value" and any(0 <= self.unknown_value < n for n in used):
            raise ValueError(
                f"The used value for unknown_value {self.unknown_value} is one of the values already used for encoding the "
                "seen categories."
            )
        missing = [j for j, level in enumerate(self._levels) if level.nan is not None]
        if missing and np.dtype(self.dtype).kind != "f" and is_nan(self.encoded_missing_value):
            raise ValueError(
                f"There are missing values in features {missing}. For OrdinalEncoder to encode missing values with dtype: "
                f"{self.dtype}, set encoded_missing_value to a non-nan value, or set dtype to a float"
            )
        taken = [j for j in missing if 0 <= self.encoded_missing_value < used[j]]
        if taken:
            taken = self.feature_names_in_[taken] if hasattr(self, "feature_names_in_") else taken
            raise ValueError(
                f"encoded_missing_value ({self.encoded_missing_value}) is already used to encode a known category in "
                f"features: {taken}"
            )

    def transform(self, X):
        """Replace each value by its code.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        X_out : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        codes = self._encode(X)
        out = np.empty(codes.shape, dtype=self.dtype)
        for j, level in enumerate(self._levels):
            # A table of what each code becomes; the last entry is that of unknown cells, whose code is -1.
            table = np.append(level.groups, 0).astype(self.dtype)
            if level.nan is not None:
                table[level.nan] = self.encoded_missing_value
            if self.handle_unknown == "use_encoded_value":
                table[-1] = self.unknown_value
            out[:, j] = table[codes[:, j]]
        return out

    def inverse_transform(self, X):
        """The values behind codes; None for the code of unknown ones.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            CategoryCodes.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = check_array(X, ensure_all_finite="allow-nan")
        if X.shape[1] != len(self._levels):
            raise ValueError(
                f"Shape of the passed X data is not correct. Expected {len(self._levels)} columns, got {X.shape[1]}."
            )
        out = np.empty(X.shape, dtype=np.result_type(*(level.categories.dtype for level in self._levels)))
        if self.handle_unknown == "use_encoded_value" or any(level.rare is not None for level in self._levels):
            out = out.astype(object)
        for j, level in enumerate(self._levels):
            codes, values = X[:, j], level.group_names()
            missing, unknown = np.zeros(len(X), dtype=bool), np.zeros(len(X), dtype=bool)
            if level.nan is not None:
                missing = self._same(codes, self.encoded_missing_value)
            if self.handle_unknown == "use_encoded_value":
                unknown = self._same(codes, self.unknown_value) & ~missing
            plain_ = ~(missing | unknown)
            if level.rare is not None and level.nan is not None:
                values = np.delete(values, len(values) - 2)
            out[plain_, j] = values[codes[plain_].astype(np.int64)]
            out[missing, j] = np.nan if missing.any() else 0
            if unknown.any():
                out[unknown, j] = None
        return out

    @staticmethod
    def _same(codes, value):
        return np.isnan(codes) if is_nan(value) else codes == value

    def _file_params(self):
        def code(v):
            return None if v is None or is_nan(v) else to_json_value(v)

        mine = {"unknown_value": code(self.unknown_value), "encoded_missing_value": code(self.encoded_missing_value)}
        return super()._file_params() | mine
