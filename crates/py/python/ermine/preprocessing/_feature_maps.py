"""Feature maps: PolynomialFeatures and SplineTransformer."""

import itertools
import math
from collections.abc import Iterable
from numbers import Integral

import numpy as np
from scipy import sparse
from scipy.interpolate import BSpline
from sklearn.base import TransformerMixin, _fit_context
from sklearn.utils.validation import FLOAT_DTYPES, _check_feature_names_in, check_array, check_is_fitted, validate_data

from .._base import Estimator, as_viewable, to_json_value
from .._transformer import PreservesDtypeMixin


class _FeatureMap(TransformerMixin, Estimator):
    """Shared by the feature maps."""

    def _readable(self, X):
        """`X` as Rust reads it: half precision, which it does not know, becomes single, and sparse columns become rows."""
        if sparse.issparse(X):
            X = X.tocsr()
        return as_viewable(X.astype(np.float32) if X.dtype == np.float16 else X)

    def _dense(self, X):
        """The new columns, of the type of `X` and in the requested order."""
        Z = self._call_native("transform", self._readable(X), single=X.dtype != np.float64)
        Z = Z.astype(X.dtype, copy=False)
        return np.asfortranarray(Z) if self.order == "F" else Z

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
        names = _check_feature_names_in(self, input_features)
        return np.array(self._model.names_out([str(name) for name in names]), dtype=object)


class PolynomialFeatures(PreservesDtypeMixin, _FeatureMap):
    def _degrees(self):
        """The least and the greatest degree, after the checks that scikit-learn makes."""
        if isinstance(self.degree, Integral):
            if self.degree == 0 and not self.include_bias:
                raise ValueError(
                    "Setting degree to zero and include_bias to False would result in an empty output array."
                )
            return 0, int(self.degree)
        if not isinstance(self.degree, Iterable) or len(self.degree) != 2:
            raise ValueError(f"degree must be a non-negative int or tuple (min_degree, max_degree), got {self.degree}.")
        least, most = self.degree
        if not (isinstance(least, Integral) and isinstance(most, Integral) and 0 <= least <= most):
            raise ValueError(
                "degree=(min_degree, max_degree) must be non-negative integers that fulfill min_degree <= max_degree, got "
                f"{self.degree}."
            )
        if most == 0 and not self.include_bias:
            raise ValueError(
                "Setting both min_degree and max_degree to zero and include_bias to False would result in an empty output "
                "array."
            )
        return int(least), int(most)

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Learn how many columns there are."""
        X = self._readable(self._check_X(X, reset=True, accept_sparse=("csr", "csc")))
        least, most = self._degrees()
        width = self._count(X.shape[1], least, most)
        if width > np.iinfo(np.intp).max:
            raise ValueError(
                "The output that would result from the current configuration would have "
                f"{width} features which is too large to be indexed by {np.intp().dtype.name}. Please change some or all of "
                f"the following:\n- The number of features in the input, currently n_features={X.shape[1]}\n- The range of "
                f"degrees to calculate, currently [{least}, {most}]\n- Whether to include only interaction terms, currently "
                f"{self.interaction_only}\n- Whether to include a bias term, currently {self.include_bias}."
            )
        self._fit_native(X)
        self._set_fitted()
        return self

    def _count(self, columns, least, most):
        """The number of products."""
        first = max(1, least)
        if self.interaction_only:
            products = sum(math.comb(columns, d) for d in range(first, min(most, columns) + 1))
        else:
            products = sum(math.comb(columns + d - 1, d) for d in range(first, most + 1))
        return products + bool(self.include_bias)

    def _learner_params(self):
        least, most = self._degrees()
        return {
            "degree": [least, most],
            "interaction_only": bool(self.interaction_only),
            "include_bias": bool(self.include_bias),
        }

    def _set_fitted(self):
        self.n_output_features_ = self._count(self.n_features_in_, *self._degrees())

    def _restore_fitted(self, about):
        params = about["params"]
        degree = params["degree"]
        self.degree = degree if isinstance(degree, int) else degree[1] if degree[0] == 0 else tuple(degree)
        self.interaction_only, self.include_bias = params["interaction_only"], params["include_bias"]
        self._set_fitted()

    @property
    def powers_(self):
        """The exponent of each column in each new column."""
        check_is_fitted(self)
        least, most = self._degrees()
        combine = itertools.combinations if self.interaction_only else itertools.combinations_with_replacement
        powers = np.zeros((self.n_output_features_, self.n_features_in_), dtype=np.int64)
        place = itertools.count(int(self.include_bias))
        for degree in range(max(1, least), most + 1):
            for product in combine(range(self.n_features_in_), degree):
                np.add.at(powers[next(place)], list(product), 1)
        return powers

    def transform(self, X):
        """Multiply columns.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        XP : {ndarray, sparse matrix} of shape (n_samples, n_output_features_)
            Sparse where X is.
        """
        check_is_fitted(self)
        X = validate_data(
            self, X, reset=False, accept_sparse=("csr", "csc"), dtype=FLOAT_DTYPES, ensure_all_finite=False
        )
        if not sparse.issparse(X):
            return self._dense(X)
        ends, columns, cells = self._call_native("transform_sparse", self._readable(X))
        kind = np.int32 if max(self.n_output_features_, len(cells)) < 2**31 else np.int64
        parts = (cells.astype(X.dtype, copy=False), columns.astype(kind), ends.astype(kind))
        make = sparse.csr_array if isinstance(X, sparse.sparray) else sparse.csr_matrix
        Z = make(parts, shape=(X.shape[0], self.n_output_features_))
        return Z.asformat(X.format)


class SplineTransformer(_FeatureMap):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Place the knots.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, for quantiles; rows of weight 0 are left out.

        Returns
        -------
        self : object
        """
        X = self._check_X(X, reset=True, ensure_min_samples=2)
        weight = self._check_weight(sample_weight, X)
        count = self.n_knots
        if not isinstance(self.knots, str):
            knots = check_array(self.knots, dtype=np.float64)
            count = knots.shape[0]
            if count < 2:
                raise ValueError("Number of knots, knots.shape[0], must be >= 2.")
            if knots.shape[1] != X.shape[1]:
                raise ValueError("knots.shape[1] == n_features is violated.")
            if not np.all(np.diff(knots, axis=0) > 0):
                raise ValueError("knots must be sorted without duplicates.")
        if self.extrapolation == "periodic" and count <= self.degree:
            raise ValueError(
                f"Periodic splines require degree < n_knots. Got n_knots={count} and degree={self.degree}."
            )
        try:
            self._fit_native(X, sample_weight=weight)
        except ValueError as error:
            if "Input X contains NaN." in str(error):
                raise ValueError(
                    "Input X contains NaN values and `SplineTransformer` is configured to error in this case "
                    "(handle_missing='error'). To avoid this error, set handle_missing='zeros' to encode missing values as "
                    f"splines with value 0 or ensure no missing values in X.\n{error}"
                ) from error
            raise
        self._set_fitted()
        return self

    def _learner_params(self):
        knots = self.knots if isinstance(self.knots, str) else to_json_value(check_array(self.knots, dtype=np.float64))
        return super()._learner_params() | {"knots": knots}

    def _set_fitted(self):
        knots = self._model.array("knots")
        splines = knots.shape[0] - self.degree - 1
        eye = np.eye(splines)
        if self.extrapolation == "periodic":
            splines -= self.degree
            eye = np.eye(splines)
            eye = np.concatenate([eye, eye[: self.degree]])
        beyond = self.extrapolation in ("periodic", "continue")
        self.bsplines_ = [
            BSpline.construct_fast(np.ascontiguousarray(column), eye, self.degree, extrapolate=beyond)
            for column in knots.T
        ]
        self.n_features_out_ = (splines - (not self.include_bias)) * knots.shape[1]

    def _restore_fitted(self, about):
        knots = about["params"]["knots"]
        self.knots = knots if isinstance(knots, str) else np.array(knots)
        self._set_fitted()

    def transform(self, X):
        """Evaluate the splines.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        XBS : {ndarray, sparse matrix} of shape (n_samples, n_features_out_)
            Sparse when `sparse_output` is True.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse=False, dtype=FLOAT_DTYPES, ensure_all_finite=False)
        try:
            Z = self._dense(X)
        except ValueError as error:
            if "beyond the limits of the knots" in str(error):
                raise ValueError(f"Out of bounds: `X` contains values beyond the limits of the knots. {error}") from error
            raise
        return sparse.csr_array(Z) if self.sparse_output else Z

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.handle_missing == "zeros"
        return tags
