"""Gradient boosting on histograms."""

import json
import numbers

import numpy as np
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.metrics import check_scoring
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import _native
from .._base import encode_classes, seed_of
from .._classifier import NativeClassifier, class_factors
from .._regressor import NativeRegressor
from .._table import Table, is_tabular
from ..tree._explain import ExplainedMixin
from ..tree._input import take_rows
from ._staged import StagedClassifierMixin, StagedRegressorMixin

MISSING = np.uint32(2**32 - 1)


def _names_of(X):
    """Names of the columns of a DataFrame, or None."""
    columns = getattr(X, "columns", None)
    return None if columns is None else list(columns)


def _category_dtypes(X):
    """Which columns of a DataFrame have the dtype of categories; None for what has no such dtypes."""
    dtypes = getattr(X, "dtypes", None)
    if dtypes is None:
        return None
    kinds = [str(d) for d in dtypes]
    return np.array([k == "category" or k.startswith(("Categorical", "Enum")) for k in kinds])


def _column(X, j):
    """Column j as a one-dimensional NumPy array."""
    if hasattr(X, "iloc"):
        return X.iloc[:, j].to_numpy()
    if hasattr(X, "get_column"):  # polars
        return X[:, j].to_numpy()
    return np.asarray(X[:, j])


def _label(value):
    """A category as text: whole numbers are the same whatever their dtype."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _categories(column):
    """CategoryCodes and names of a column of categories; None, NaN and numbers below 0 are missing."""
    column = np.asarray(column)
    if column.dtype.kind in "fi":
        missing = np.isnan(column) | (column < 0)
    elif column.dtype.kind == "O":
        missing = np.array([v is None or v != v for v in column], dtype=bool)
    else:
        missing = np.zeros(len(column), dtype=bool)
    cells = column[~missing]
    if column.dtype.kind == "O":
        cells = np.array([_label(v) for v in cells], dtype=str)
    values, found = np.unique(cells, return_inverse=True)
    codes = np.full(len(column), MISSING, dtype=np.uint32)
    codes[~missing] = found
    return codes, [_label(v) for v in values.tolist()]


class _Boosting(ExplainedMixin):
    """Shared by both classes."""

    # The columns ----------------------------------------------------------------------------------------------

    def _find_categories(self, X):
        """The mask of category columns, or None when there are none."""
        wanted = self.categorical_features
        if wanted is None:
            return None
        if isinstance(wanted, str):  # from_dtype
            mask = _category_dtypes(X)
            return mask if mask is not None and mask.any() else None
        wanted = np.asarray(wanted)
        if wanted.size == 0:
            return None
        n = X.shape[1]
        if wanted.dtype.kind not in "iubUO":
            raise ValueError(
                "categorical_features must be an array-like of bool, int or str, "
                f"got: {wanted.dtype.name}."
            )
        if wanted.dtype.kind == "O" and len({type(v) for v in wanted}) != 1:
            kinds = sorted(type(v).__name__ for v in wanted)
            raise ValueError(f"categorical_features must be an array-like of bool, int or str, got: {', '.join(sorted(set(kinds)))}.")
        mask = np.zeros(n, dtype=bool)
        if wanted.dtype.kind == "b":
            if wanted.shape[0] != n:
                raise ValueError(
                    f"categorical_features set as a boolean mask must have shape (n_features,), got: {wanted.shape}"
                )
            mask = wanted
        elif wanted.dtype.kind in "iu":
            if wanted.max() >= n or wanted.min() < 0:
                raise ValueError(
                    "categorical_features set as integer indices must be in [0, n_features - 1]"
                )
            mask[wanted] = True
        else:
            names = _names_of(X)
            if names is None:
                raise ValueError(
                    "categorical_features should be passed as an array of integers or as a boolean mask "
                    "when the model is fitted on data without feature names."
                )
            for name in wanted.tolist():
                if name not in names:
                    raise ValueError(
                        f"categorical_features has an item value '{name}' which is not a valid feature name of the "
                        f"training data. Observed feature names: {names}"
                    )
                mask[names.index(name)] = True
        return mask if mask.any() else None

    def _rows_of(self, X, reset):
        """Rows as Rust takes them: an array, or a table where there are categories."""
        if isinstance(X, (Table, _native.NativeTable)):
            native = X._native if isinstance(X, Table) else X
            if reset:
                self.feature_names_in_ = np.array(native.columns, dtype=object)
                self.n_features_in_ = len(native.columns)
                self.is_categorical_ = np.array([k == "category" for k in native.kinds])
            return native
        if is_tabular(X) and not hasattr(X, "shape"):
            return self._rows_of(_native.NativeTable.from_arrow(X), reset)
        if reset:
            mask = None if sparse.issparse(X) or not hasattr(X, "shape") else self._find_categories(X)
            if mask is None and not isinstance(self.categorical_features, (str, type(None))):
                mask = self._find_categories(np.asarray(X))
            self.is_categorical_ = mask
        mask = self.is_categorical_
        if mask is None:
            return self._check_X(X, reset=reset)
        validate_data(self, X, reset=reset, skip_check_array=True)
        if not hasattr(X, "shape"):
            X = np.asarray(X)
        names = [str(n) for n in _names_of(X)] if _names_of(X) is not None else [f"x{j}" for j in range(X.shape[1])]

        def columns():
            # One after the other: a copy of a column goes before that of the next is made.
            for j, name in enumerate(names):
                if mask[j]:
                    codes, categories = _categories(_column(X, j))
                    yield name, None, codes, categories
                else:
                    yield name, np.ascontiguousarray(_column(X, j), dtype=np.float64), None, []

        return _native.NativeTable.from_columns(columns())

    # The fit --------------------------------------------------------------------------------------------------

    def _boosting_params(self):
        params = self._learner_params()
        params["loss"] = self.loss
        cst = self.monotonic_cst
        if isinstance(cst, dict):
            names = getattr(self, "feature_names_in_", None)
            if names is None:
                raise ValueError(
                    f"{type(self).__name__} was not fitted on data with feature names. Pass monotonic_cst as an integer "
                    "array instead."
                )
            unknown = sorted(set(cst) - set(names))
            if unknown:
                raise ValueError(f"monotonic_cst contains unexpected feature names: {unknown}.")
            cst = [cst.get(name, 0) for name in names]
        if cst is not None:
            cst = np.asarray(cst)
            if cst.shape[0] != self.n_features_in_:
                raise ValueError(
                    f"monotonic_cst has shape {cst.shape} but the input data X has {self.n_features_in_} features."
                )
            if set(np.unique(cst)) - {-1, 0, 1}:
                raise ValueError("monotonic_cst must be an array-like of -1, 0 or 1. Observed values: "
                                 f"{np.unique(cst).tolist()}.")
            params["monotonic_cst"] = [int(v) for v in cst.tolist()]
            if self.is_categorical_ is not None and np.any(cst[self.is_categorical_] != 0):
                raise ValueError("Categorical features cannot have monotonic constraints.")
        params["interaction_cst"] = self._interactions()
        # scikit-learn takes infinite values.
        params["allow_infinite"] = True
        return params

    def _interactions(self):
        """Which columns may interact on a path, as lists."""
        if self.interaction_cst is None or isinstance(self.interaction_cst, str):
            return self.interaction_cst
        try:
            groups = [set(group) for group in self.interaction_cst]
        except TypeError:
            raise ValueError(
                f"Interaction constraints must be a sequence of tuples or lists, got: {self.interaction_cst!r}."
            ) from None
        last = self.n_features_in_ - 1
        for group in groups:
            if not all(isinstance(v, numbers.Integral) and 0 <= v <= last for v in group):
                raise ValueError(
                    f"Interaction constraints must consist of integer indices in [0, n_features - 1] = [0, {last}], "
                    f"specifying the position of features, got invalid indices: {group!r}"
                )
        return [sorted(int(v) for v in group) for group in groups]

    def _stops_early(self, rows, watched):
        if self.early_stopping == "auto":
            return rows > 10_000 or watched
        return bool(self.early_stopping)

    def _boost(self, X, target, weight, X_val, target_val, weight_val, classes=None):
        """The fit. `target` is y, or the codes of classes."""
        rows = X.shape[0]
        params = self._boosting_params()
        if classes is not None:
            params["class_weight"] = class_factors(self.class_weight, classes)
        stops = self.do_early_stopping_ = self._stops_early(rows, X_val is not None)
        earlier = self._model if self.warm_start and hasattr(self, "_model") else None
        if earlier is not None:
            if params["max_iter"] < self.n_iter_:
                raise ValueError(
                    f"max_iter={params['max_iter']} must be larger than or equal to n_iter_={self.n_iter_} "
                    "when warm_start==True"
                )
        else:
            # As scikit-learn draws it, so that the same rows are held out.
            self._split_seed = check_random_state(self.random_state).randint(np.iinfo(np.uint32).max, dtype="u8")
            self._seed = seed_of(self.random_state)
        if X_val is None and stops and self.validation_fraction is not None:
            train, held = train_test_split(
                np.arange(rows),
                test_size=self.validation_fraction,
                stratify=target if classes is not None else None,
                random_state=self._split_seed,
            )
            part = lambda a, rows: None if a is None else np.ascontiguousarray(a[rows])  # noqa: E731
            X_val, target_val, weight_val = take_rows(X, held), part(target, held), part(weight, held)
            X, target, weight = take_rows(X, train), part(target, train), part(weight, train)
        elif X_val is None and stops:
            X_val, target_val, weight_val = X, target, weight
        params["early_stopping"] = bool(stops and X_val is not None)
        params["validation_fraction"] = 0.1
        key = "codes" if classes is not None else "y"
        watched = None
        if params["early_stopping"]:
            target_val = np.ascontiguousarray(target_val, dtype=np.uint32 if classes is not None else np.float64)
            watched = (X_val, target_val, weight_val)
        common = dict(classes=classes, sample_weight=weight, seed=self._seed, **{key: target})
        if stops and self.scoring != "loss":
            self._boost_by_score(X, params, earlier, watched, common)
        else:
            self._fit_native(X, params=params, start=earlier, go_on=True, watched=watched, **common)
            self._set_fitted()
        return self

    def _boost_by_score(self, X, params, earlier, watched, common):
        """Round by round, with a scorer."""
        scorer = check_scoring(self, None if self.scoring is None else self.scoring)
        X_val, target_val, weight_val = watched
        params = dict(params, early_stopping=False)
        labels = (lambda t: self.classes_[t]) if "codes" in common else (lambda t: t)
        y, y_val = labels(common["codes" if "codes" in common else "y"]), labels(target_val)
        weights = common["sample_weight"]

        def score(X, y, weight):
            return scorer(self, X, y) if weight is None else scorer(self, X, y, sample_weight=weight)

        train, held, rounds = [], [], 0
        if earlier is not None:
            train, held, rounds = list(self.train_score_), list(self.validation_score_), self.n_iter_
        model, wanted = earlier, params["max_iter"]
        # These rows have no names, and that is no reason to warn.
        names = self.__dict__.pop("feature_names_in_", None)
        try:
            while rounds < wanted:
                rounds += 1
                step = dict(params, max_iter=rounds)
                model = self._fit_native(X, params=step, start=model, go_on=True, names=names, **common)
                self._set_fitted()
                train.append(score(X, y, weights))
                held.append(score(X_val, y_val, weight_val))
                if len(held) > self.n_iter_no_change:
                    reference = held[-self.n_iter_no_change - 1] + self.tol
                    if not any(s > reference for s in held[-self.n_iter_no_change :]):
                        break
        finally:
            if names is not None:
                self.feature_names_in_ = names
        self.train_score_, self.validation_score_ = np.array(train), np.array(held)

    def _set_fitted(self):
        about = json.loads(self._model.describe())
        trace = about["trace"]
        self.n_iter_ = about["certificate"]["iterations"]
        outputs = len(self._model.array("start"))
        self.n_trees_per_iteration_ = outputs
        columns = np.array(trace["rows"], dtype=np.float64).reshape(len(trace["rows"]), -1)
        watched = "validation_loss" in trace["columns"]
        self.do_early_stopping_ = getattr(self, "do_early_stopping_", watched)
        self.train_score_ = -columns[:, 1] if watched else np.array([])
        self.validation_score_ = -columns[:, 2] if watched else np.array([])

    def _restore_fitted(self, about):
        kinds = [f["kind"] for f in about["schema"]["fields"]]
        mask = np.array([k == "category" for k in kinds])
        self.is_categorical_ = mask if mask.any() else None
        self._seed = about["seed"]
        self._split_seed = self._seed % 2**32
        super()._restore_fitted(about)

    @property
    def feature_importances_(self):
        """Share of each column in the gain of all splits."""
        check_is_fitted(self)
        return self._model.boosting_importances()

    def _rows(self, X):
        check_is_fitted(self)
        return self._rows_of(X, reset=False)

    def _scores(self, X):
        return self._call_native("boosting_scores", self._rows(X))

    def _staged_scores(self, X):
        rows = self._rows(X)
        yield from self._call_native("boosting_stages", rows)

    def _check_held(self, X_val, y_val):
        """Whether there are rows for early stopping; refuses incomplete ones, and parameters that exclude them."""
        if X_val is None and y_val is None:
            return False
        if y_val is None:
            raise ValueError("X_val is provided, but y_val was not provided.")
        if X_val is None:
            raise ValueError("y_val is provided, but X_val was not provided.")
        if self.early_stopping is False:
            raise ValueError(
                "X_val and y_val are passed to fit while at the same time early_stopping is False. When passing X_val and "
                "y_val to fit, early_stopping should be set to either 'auto' or True."
            )
        return True


class HistGradientBoostingClassifier(_Boosting, StagedClassifierMixin, NativeClassifier):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None, *, X_val=None, y_val=None, sample_weight_val=None):
        """Boost trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows; NaN and null are missing values.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        X_val : array-like of shape (n_val, n_features), default=None
            Rows for early stopping.
        y_val : array-like of shape (n_val,), default=None
            Their labels.
        sample_weight_val : array-like of shape (n_val,), default=None
            Their weights.

        Returns
        -------
        self : object
        """
        rows, y = _checked(self, X, y)
        weight = self._check_weight(sample_weight, np.empty((len(y), 1)))
        classes, codes = encode_classes(y)
        self.classes_ = classes
        held = (None, None, None)
        if self._check_held(X_val, y_val):
            found = np.searchsorted(classes, y_val)
            if np.any(found >= len(classes)) or np.any(classes[np.minimum(found, len(classes) - 1)] != np.asarray(y_val)):
                raise ValueError("y_val has labels that y does not have")
            weight_val = self._check_weight(sample_weight_val, np.empty((len(found), 1)))
            held = (self._rows_of(X_val, reset=False), found.astype(np.uint32), weight_val)
        return self._boost(rows, codes, weight, *held, classes=classes)


class HistGradientBoostingRegressor(_Boosting, StagedRegressorMixin, NativeRegressor):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None, *, X_val=None, y_val=None, sample_weight_val=None):
        """Boost trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows; NaN and null are missing values.
        y : array-like of shape (n_samples,)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        X_val : array-like of shape (n_val, n_features), default=None
            Rows for early stopping.
        y_val : array-like of shape (n_val,), default=None
            Their targets.
        sample_weight_val : array-like of shape (n_val,), default=None
            Their weights.

        Returns
        -------
        self : object
        """
        rows, y = _checked(self, X, y, numeric=True)
        if self.loss == "gamma" and not np.all(y > 0):
            raise ValueError("loss='gamma' requires strictly positive y.")
        if self.loss == "poisson" and not (np.all(y >= 0) and np.sum(y) > 0):
            raise ValueError("loss='poisson' requires non-negative y and sum(y) > 0.")
        weight = self._check_weight(sample_weight, np.empty((len(y), 1)))
        held = (None, None, None)
        if self._check_held(X_val, y_val):
            weight_val = self._check_weight(sample_weight_val, np.empty((len(y_val), 1)))
            held = (self._rows_of(X_val, reset=False), np.asarray(y_val, dtype=np.float64), weight_val)
        return self._boost(rows, y, weight, *held)

    def _mean_of(self, scores):
        return np.exp(scores) if self.loss in ("poisson", "gamma") else scores


def _checked(estimator, X, y, numeric=False):
    """Rows and target, of the same length."""
    tabular = isinstance(X, (Table, _native.NativeTable)) or (is_tabular(X) and not hasattr(X, "shape"))
    if not tabular:
        mask = None if sparse.issparse(X) or not hasattr(X, "shape") or np.ndim(X) != 2 else estimator._find_categories(X)
        if mask is None:
            X, y = estimator._check_X_y(X, y, y_numeric=numeric)
            estimator.is_categorical_ = None
            return X, np.asarray(y, dtype=np.float64) if numeric else y
    rows = estimator._rows_of(X, reset=True)
    y = np.ravel(np.asarray(y, dtype=np.float64 if numeric else None))
    if rows.shape[0] != len(y):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows.shape[0]}, {len(y)}]")
    return rows, y
