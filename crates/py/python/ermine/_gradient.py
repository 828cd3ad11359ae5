"""Gradient boosting on exact trees."""

import warnings

import numpy as np
from sklearn.base import RegressorMixin, _fit_context
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _native
from ._base import Estimator, encode_classes, seed_of
from ._classify import NativeClassifier
from ._forest import _Ensemble, _node_arrays, json_iterations


class _GradientBoosting(_Ensemble):
    """What both share."""

    def _boosting_params(self):
        params = self._ensemble_params()
        if self.init not in (None, "zero"):
            raise ValueError(
                f"init={self.init!r} is refused: the scores start at the best constant (None) or at \"zero\"; for another start "
                "fit on what that leaves"
            )
        params["init"] = "zero" if self.init == "zero" else "prior"
        if self.criterion != "deprecated":
            warnings.warn(
                "The parameter `criterion` is deprecated and has no effect: its values choose the same splits.",
                FutureWarning,
                stacklevel=4,
            )
        return params

    def _fit_boosting(self, X, **target):
        start = None
        if self._warm():
            self._refuse_fewer(self.n_estimators_)
            start = self._model
        else:
            self._seed = seed_of(self.random_state)
        params = self._boosting_params()
        self._forget()
        self._fit_native(X, params=params, seed=self._seed, start=start, go_on=start is not None, **target)
        self._set_boosting()
        return self

    def _set_boosting(self):
        self.n_estimators_ = json_iterations(self._model)
        self.train_score_ = self._model.array("train_score")
        p, m = self.n_features_in_, self.max_features
        if m is None:
            self.max_features_ = p
        elif isinstance(m, str):
            self.max_features_ = max(1, int(np.sqrt(p) if m == "sqrt" else np.log2(p)))
        else:
            self.max_features_ = int(m) if isinstance(m, (int, np.integer)) else max(1, int(m * p))
        if self.subsample < 1.0:
            self.oob_improvement_ = self._model.array("oob_improvement")
            self.oob_scores_ = self._model.array("oob_scores")
            self.oob_score_ = float(self.oob_scores_[-1])

    def fit(self, X, y, sample_weight=None, monitor=None):
        """Add trees round by round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows; NaN and null are missing values.
        y : array-like of shape (n_samples,)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        monitor : None
            Not supported: the rounds run outside Python.

        Returns
        -------
        self : object
        """
        if monitor is not None:
            raise ValueError("monitor is not supported: the rounds run outside Python; use n_iter_no_change to stop early")
        table = self._table(X, reset=True)
        if table is None:
            X, y = self._check_X_y(X, y, accept_sparse="csr", y_numeric=self._kind() == "regressor")
            _native.refuse_non_finite(X, type(self).__name__, allow_nan=True)
            y = column_or_1d(y, warn=True)
        else:
            X, y = table, np.ravel(np.asarray(y))
        weight = None if sample_weight is None else self._check_weight(sample_weight, np.empty((len(y), 1)))
        return self._fit_target(X, y, weight)

    def _raw_start(self):
        return self._model.array("start")

    @property
    def estimators_(self):
        """The trees: a row a round, a column a class."""
        check_is_fitted(self)
        if "_members" not in self.__dict__:
            trees = [self._member(nodes, t, None) for t, nodes in enumerate(_node_arrays(self._model))]
            width = len(self._raw_start())
            self._members = np.empty((len(trees) // width, width), dtype=object)
            self._members.ravel()[:] = trees
        return self._members

    @property
    def feature_importances_(self):
        """Share of each column in the decrease of the squared error of the slopes."""
        check_is_fitted(self)
        if "_importances" not in self.__dict__:
            gains = np.zeros(self.n_features_in_)
            feature, gain = self._model.array("trees/feature"), self._model.array("trees/gain")
            np.add.at(gains, feature[feature >= 0], gain[feature >= 0])
            total = gains.sum()
            self._importances = gains / total if total > 0 else gains
        return self._importances

    def apply(self, X):
        """The leaf that each row ends in, for each tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Returns
        -------
        leaves : ndarray of shape (n_samples, n_estimators) or (n_samples, n_estimators, n_classes)
        """
        return self._leaves(X).astype(np.float64)

    def _staged_raw(self, X):
        """The scores after each round."""
        leaves = self._leaves(X).astype(np.int64)
        start, value = self._model.array("trees/start").astype(np.int64), self._model.array("trees/value")[:, 0]
        first = self._raw_start()
        width = len(first)
        raw = np.tile(first, (leaves.shape[0], 1))
        for tree in range(0, leaves.shape[1], width):
            for k in range(width):
                raw[:, k] += value[start[tree + k] + leaves[:, tree + k]]
            yield raw.copy()

    def __len__(self):
        return len(self.estimators_)

    def __getitem__(self, index):
        return self.estimators_[index]

    def __iter__(self):
        return iter(self.estimators_)

    def _loaded(self, about):
        super()._loaded(about)
        self._seed = about["seed"]
        self._set_boosting()


class GradientBoostingClassifier(_GradientBoosting, NativeClassifier):
    fit = _fit_context(prefer_skip_nested_validation=True)(_GradientBoosting.fit)

    def _fit_target(self, X, y, weight):
        classes, codes = encode_classes(y)
        if len(classes) < 2:
            raise ValueError(
                f"y contains {len(classes)} class after sample_weight trimmed classes with zero weights, while a minimum of 2 "
                "classes are required."
            )
        self.classes_, self.n_classes_ = classes, len(classes)
        self.n_trees_per_iteration_ = 1 if len(classes) == 2 else len(classes)
        return self._fit_boosting(X, codes=codes, classes=classes, sample_weight=weight)

    def _rows(self, X):
        check_is_fitted(self)
        return self._tree_rows(X)

    def apply(self, X):
        """The leaf that each row ends in, for each tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Returns
        -------
        leaves : ndarray of shape (n_samples, n_estimators, n_classes)
        """
        leaves = super().apply(X)
        return leaves.reshape(len(leaves), -1, self.n_trees_per_iteration_)

    def decision_function(self, X):
        """The scores of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Returns
        -------
        score : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        raw = self._call("decision", self._rows(X))
        return raw.ravel() if raw.shape[1] == 1 else raw

    def staged_decision_function(self, X):
        """The scores of rows after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Yields
        ------
        score : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        for raw in self._staged_raw(X):
            yield raw.ravel() if raw.shape[1] == 1 else raw

    def _proba_of(self, raw):
        if raw.shape[1] == 1:
            score = raw[:, 0] * (2.0 if self.loss == "exponential" else 1.0)
            with np.errstate(over="ignore"):
                one = 1.0 / (1.0 + np.exp(-score))
            return np.stack([1.0 - one, one], axis=1)
        raw = np.exp(raw - raw.max(axis=1, keepdims=True))
        return raw / raw.sum(axis=1, keepdims=True)

    def staged_predict_proba(self, X):
        """Probabilities of the classes after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Yields
        ------
        proba : ndarray of shape (n_samples, n_classes)
        """
        for raw in self._staged_raw(X):
            yield self._proba_of(raw)

    def staged_predict(self, X):
        """The class of each row after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Yields
        ------
        y : ndarray of shape (n_samples,)
        """
        for proba in self.staged_predict_proba(X):
            yield self.classes_[proba.argmax(axis=1)]

    def _loaded(self, about):
        super()._loaded(about)
        self.n_classes_ = len(self.classes_)
        self.n_trees_per_iteration_ = 1 if self.n_classes_ == 2 else self.n_classes_


class GradientBoostingRegressor(_GradientBoosting, RegressorMixin, Estimator):
    fit = _fit_context(prefer_skip_nested_validation=True)(_GradientBoosting.fit)

    def _fit_target(self, X, y, weight):
        self.n_trees_per_iteration_ = 1
        return self._fit_boosting(X, y=np.asarray(y, dtype=np.float64), sample_weight=weight)

    def predict(self, X):
        """Predict the target.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._call("predict", self._tree_rows(X)).ravel()

    def staged_predict(self, X):
        """Predict the target after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Yields
        ------
        y : ndarray of shape (n_samples,)
        """
        for raw in self._staged_raw(X):
            yield np.exp(raw[:, 0]) if self.loss == "poisson" else raw[:, 0]

    def _loaded(self, about):
        super()._loaded(about)
        self.n_trees_per_iteration_ = 1
