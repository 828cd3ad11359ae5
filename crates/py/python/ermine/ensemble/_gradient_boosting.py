"""Gradient boosting on exact trees."""

import time
import warnings

import numpy as np
from sklearn.base import _fit_context, clone
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import check_is_fitted, column_or_1d

from .._base import encode_classes, to_json_value
from .._classifier import NativeClassifier
from .._regressor import NativeRegressor
from ..tree._ensemble_member import TreeEnsembleMixin, json_iterations, node_arrays
from ..tree._explain import ExplainedMixin
from ..tree._input import TabularInputMixin, take_rows
from ..tree._tree import columns_drawn
from ._staged import StagedClassifierMixin, StagedRegressorMixin


class VerboseReporter:
    """Prints the course of the rounds: each of the first ten, then every tenth, and so on; or all of them."""

    def __init__(self, estimator, first):
        self.first, self.every, self.begin = first, 1, time.perf_counter()
        self.seldom = estimator.verbose == 1
        names = ["Train Loss"] + ["OOB Improve"] * (estimator.subsample < 1) + ["Remaining Time"]
        print(" ".join([f"{'Iter':>10}"] + [f"{name:>16}" for name in names]))

    def next(self, done):
        """The round that is reported next."""
        return self.first + (done - self.first) // self.every * self.every + self.every

    def tell(self, estimator, done):
        rounds = done - self.first
        if rounds % self.every:
            return
        left = (estimator.n_estimators - done) * (time.perf_counter() - self.begin) / rounds
        cells = [f"{done:>10d}", f"{estimator.train_score_[-1]:>16.4f}"]
        if estimator.subsample < 1:
            cells.append(f"{estimator.oob_improvement_[-1]:>16.4f}")
        print(" ".join([*cells, f"{f'{left / 60:.2f}m' if left > 60 else f'{left:.2f}s':>16}"]))
        if self.seldom and rounds >= 10 * self.every:
            self.every *= 10


def _fit_start(estimator, X, y, weight):
    """Fits the estimator that the scores start from."""
    if weight is None:
        return estimator.fit(X, y)
    refusal = f"The initial estimator {type(estimator).__name__} does not support sample weights."
    try:
        return estimator.fit(X, y, sample_weight=weight)
    except TypeError as error:
        if "unexpected keyword argument 'sample_weight'" in str(error):
            raise ValueError(refusal) from error
        raise
    except ValueError as error:
        if "stepname__parameter" in str(error):  # a pipeline
            raise ValueError(refusal) from error
        raise


class _GradientBoosting(ExplainedMixin, TreeEnsembleMixin, TabularInputMixin):
    """Shared base."""

    def _boosting_params(self):
        params = self._learner_params()
        for name in ("min_samples_split", "min_samples_leaf", "max_features"):
            params[name] = to_json_value(getattr(self, name))
        params["init"] = "prior" if self.init is None else "zero"
        if self.criterion != "deprecated":
            warnings.warn(
                "The parameter `criterion` is deprecated and has no effect: its values choose the same splits.",
                FutureWarning,
                stacklevel=4,
            )
        return params

    def _has_init_estimator(self):
        return not (self.init is None or isinstance(self.init, str))

    def _split(self, X, target, weight):
        """The rows to learn from and those that are watched for early stopping."""
        if self.n_iter_no_change is None:
            return X, target, weight, None
        classes = target.astype(np.float64) if self._model_kind() == "classifier" else None
        train, held = train_test_split(
            np.arange(len(target)), random_state=self.random_state, test_size=self.validation_fraction, stratify=classes
        )
        if classes is not None and len(np.unique(target[train])) < len(self.classes_):
            raise ValueError(
                "The training data after the early stopping split is missing some classes. Try using another random seed."
            )
        part = lambda a, rows: None if a is None else np.ascontiguousarray(a[rows])  # noqa: E731
        watched = (take_rows(X, held), part(target, held), part(weight, held))
        return take_rows(X, train), part(target, train), part(weight, train), watched

    def _fit_boosting(self, X, key, target, weight, monitor, classes=None):
        """The rounds; `target` is y, or the codes of classes, as `key` says."""
        start = self._model if self._is_warm_start() else None
        if start is None:
            self._reset_seed()
        else:
            self._refuse_fewer(self.n_estimators_)
        have = 0 if start is None else self.n_estimators_
        params = self._boosting_params()
        self._drop_fitted()
        X, target, weight, watched = self._split(X, target, weight)
        offsets = {}
        if self._has_init_estimator():
            if start is None:
                labels = target if classes is None else classes[target]
                self.init_ = _fit_start(clone(self.init), X, labels, weight)
            offsets["offset"] = self._offset(X)
            if watched is not None:
                offsets["watched_offset"] = self._offset(watched[0])
        fit = {key: target, "classes": classes, "sample_weight": weight, "seed": self._seed, "watched": watched, **offsets}
        teller = VerboseReporter(self, have) if self.verbose else None
        done, wanted = have, self.n_estimators
        while True:
            # Monitors are called in between; the following rounds continue from there.
            until = done + 1 if monitor is not None else wanted if teller is None else min(wanted, teller.next(done))
            model = self._fit_native(X, params=dict(params, n_estimators=max(until, 1)), start=start, go_on=True, **fit)
            start, before, done = model, done, json_iterations(model)
            self._set_estimators(have * self._width(), done * self._width())
            self._set_boosting()
            stops = done < until
            if teller is not None and done > before:
                teller.tell(self, done)
            if monitor is not None and done > before:
                stops |= bool(monitor(done - 1, self, locals()))
            if stops or done >= wanted:
                return self

    def _width(self):
        return len(self._model.array("start"))

    def _offset(self, X):
        """Where the scores of rows start, by the estimator that was fitted first."""
        return np.ascontiguousarray(self._first_scores(X), dtype=np.float64)

    def _add_init(self, X, scores):
        return scores + self._offset(X) if self._has_init_estimator() else scores

    def _set_boosting(self):
        self.n_estimators_ = json_iterations(self._model)
        self.n_trees_per_iteration_ = self._width()
        self.train_score_ = self._model.array("train_score")
        self.max_features_ = columns_drawn(self.max_features, self.n_features_in_)
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
        monitor : callable, default=None
            Called after each round with its number, the estimator and the local variables of the fit; the rounds end when
            it returns True.

        Returns
        -------
        self : object
        """
        X, y = self._rows_and_target(X, y, y_numeric=self._model_kind() == "regressor")
        y = column_or_1d(y, warn=True)
        return self._fit_target(X, y, self._weight(sample_weight, y), monitor)

    @property
    def estimators_(self):
        """The trees: one row per round, one column per class."""
        check_is_fitted(self)
        if "_members" not in self.__dict__:
            trees = [self._member(nodes, t, t, None) for t, nodes in enumerate(node_arrays(self._model))]
            width = self._width()
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

    def _staged_scores(self, X):
        """The scores after each round."""
        X = self._rows(X)
        leaves = self._call_native("leaves", X).astype(np.int64)
        start, value = self._model.array("trees/start").astype(np.int64), self._model.array("trees/value")[:, 0]
        width = self._width()
        raw = self._add_init(X, np.tile(self._model.array("start"), (leaves.shape[0], 1)))
        for tree in range(0, leaves.shape[1], width):
            for k in range(width):
                raw[:, k] += value[start[tree + k] + leaves[:, tree + k]]
            yield raw.copy()

    def _parts(self, X):
        check_is_fitted(self)
        if self._has_init_estimator():
            raise ValueError("what the estimator `init` adds has no parts; columns are explained with init=None or \"zero\"")
        return super()._parts(X)

    def save(self, path):
        """Write the fitted model to a file that Rust, the command line and `ermine.load` can read.

        Parameters
        ----------
        path : str or path-like
            Where to write.
        """
        if self._has_init_estimator():
            raise ValueError("a model file does not hold the estimator `init` that the scores start from; pickle the estimator")
        super().save(path)

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        self._seed = about["seed"]
        self._set_boosting()


class GradientBoostingClassifier(_GradientBoosting, StagedClassifierMixin, NativeClassifier):
    fit = _fit_context(prefer_skip_nested_validation=True)(_GradientBoosting.fit)

    def _fit_target(self, X, y, weight, monitor):
        classes, codes = encode_classes(y)
        there = len(classes) if weight is None else len(np.unique(codes[weight > 0]))
        if there < 2:
            raise ValueError(
                f"y contains {there} class after sample_weight trimmed classes with zero weights, while a minimum of 2 "
                "classes are required."
            )
        if self.loss == "exponential" and len(classes) > 2:
            raise ValueError(
                f"loss='exponential' is only suitable for a binary classification problem, you have n_classes={len(classes)}. "
                "Please use loss='log_loss' instead."
            )
        self.classes_, self.n_classes_ = classes, len(classes)
        return self._fit_boosting(X, "codes", codes, weight, monitor, classes)

    def _first_scores(self, X):
        tiny = np.finfo(np.float64).eps
        proba = np.clip(self.init_.predict_proba(X), tiny, 1.0 - tiny)
        if len(self.classes_) == 2:
            odds = np.log(proba[:, [1]]) - np.log1p(-proba[:, [1]])
            return odds / self._log_odds_scale()
        logs = np.log(proba)
        return logs - logs.mean(axis=1, keepdims=True)

    def _log_odds_scale(self):
        return 2.0 if self.loss == "exponential" else 1.0

    def _scores(self, X):
        X = self._rows(X)
        return self._add_init(X, self._call_native("decision", X))

    def predict(self, X):
        if not self._has_init_estimator():
            return super().predict(X)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X):
        return self._proba_of(self._scores(X)) if self._has_init_estimator() else super().predict_proba(X)

    def predict_log_proba(self, X):
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

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
        leaves = super().apply(X).astype(np.float64)
        return leaves.reshape(len(leaves), -1, self.n_trees_per_iteration_)

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        self.n_classes_ = len(self.classes_)


class GradientBoostingRegressor(_GradientBoosting, StagedRegressorMixin, NativeRegressor):
    fit = _fit_context(prefer_skip_nested_validation=True)(_GradientBoosting.fit)

    def _fit_target(self, X, y, weight, monitor):
        return self._fit_boosting(X, "y", np.asarray(y, dtype=np.float64), weight, monitor)

    def _first_scores(self, X):
        first = np.asarray(self.init_.predict(X), dtype=np.float64).reshape(-1, 1)
        return np.log(np.maximum(first, np.finfo(np.float64).tiny)) if self.loss == "poisson" else first

    def _mean_of(self, scores):
        return np.exp(scores) if self.loss == "poisson" else scores

    def predict(self, X):
        if not self._has_init_estimator():
            return super().predict(X)
        X = self._rows(X)
        added = self._call_native("predict", X)
        # Before the start is added, predictions of counts are factors.
        return (added * np.exp(self._offset(X)) if self.loss == "poisson" else added + self._offset(X)).ravel()

    def apply(self, X):
        """The leaf that each row ends in, for each tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Returns
        -------
        leaves : ndarray of shape (n_samples, n_estimators)
        """
        return super().apply(X).astype(np.float64)
