"""GridSearchCV that runs in Rust where it can."""

import json
import time

import numpy as np
from sklearn import model_selection
from sklearn.base import ClassifierMixin, RegressorMixin, clone, is_classifier
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.utils import indexable

from .. import _native
from .._base import Estimator, class_names, to_json_value

# Estimators whose fit is one call into Rust, and whose predictions are the model's.
NATIVE = {
    "BernoulliNB",
    "ElasticNet",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GaussianNB",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KernelRidge",
    "Lasso",
    "LinearDiscriminantAnalysis",
    "LinearRegression",
    "LogisticRegression",
    "MultinomialNB",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Ridge",
}

# Scorers by name: the measure, and whether more of it is better.
SCORERS = {
    "accuracy": ("accuracy", 1.0),
    "neg_log_loss": ("log_loss", -1.0),
    "r2": ("r2", 1.0),
    "neg_mean_squared_error": ("mse", -1.0),
    "neg_root_mean_squared_error": ("rmse", -1.0),
    "neg_mean_absolute_error": ("mae", -1.0),
    "roc_auc": ("roc_auc", 1.0),
}


class _DryRunDone(Exception):
    """Ends a fit where it would call Rust, with the arguments of the call."""


def _dry_run(estimator, X, y):
    """The arguments with which the fit of an estimator would call Rust, after all its own checks; None where they are more than rows and targets."""

    def record(
        X,
        *,
        y=None,
        codes=None,
        classes=None,
        sample_weight=None,
        params=None,
        seed=0,
        learner=None,
        names=None,
        start=None,
        go_on=False,
        **more,
    ):
        found = dict(X=X, y=y, codes=codes, classes=classes, seed=seed, learner=learner or estimator._learner)
        found["params"] = estimator._learner_params() if params is None else params
        found["names"] = getattr(estimator, "feature_names_in_", None) if names is None else names
        more_than_rows = more or go_on or start is not None or sample_weight is not None
        raise _DryRunDone(None if more_than_rows or isinstance(X, _native.NativeTable) else found)

    estimator._fit_native = record
    try:
        estimator.fit(X, y)
    except _DryRunDone as end:
        return end.args[0]
    return None


def _folds(splits, rows):
    """The fold of each row, or None where the splits are not a partition with all other rows to train on."""
    fold = np.full(rows, -1, dtype=np.int64)
    for k, (train, test) in enumerate(splits):
        train, test = np.asarray(train), np.asarray(test)
        if train.dtype.kind not in "iu" or test.dtype.kind not in "iu" or len(train) + len(test) != rows:
            return None
        seen = np.zeros(rows, dtype=bool)
        seen[train] = True
        if np.any(fold[test] != -1) or np.any(seen[test]) or seen.sum() != len(train):
            return None
        fold[test] = k
    return None if np.any(fold == -1) else fold.astype(np.uint32)


class GridSearchCV(model_selection.GridSearchCV):
    """Exhaustive search over parameters, as scikit-learn's, run in Rust where that gives the same scores.

    In Rust, the settings share what a fold has in common: its rows are taken once, learners that need only totals of the rows
    (LinearRegression, Ridge, LinearDiscriminantAnalysis, naive Bayes) read them once for all folds and all settings, and forests
    bin them once. Forests that differ only in `n_estimators`, `max_depth`, `min_samples_split` or `ccp_alpha` are moreover parts of
    one another, and their trees are grown once. With `random_state=None` all settings have one seed, drawn for the search.

    That is the way for a single estimator of Ermine out of BernoulliNB, ElasticNet, ExtraTreesClassifier, ExtraTreesRegressor,
    GaussianNB, KernelRidge, KNeighborsClassifier, KNeighborsRegressor, Lasso, LinearDiscriminantAnalysis, LinearRegression,
    LogisticRegression, MultinomialNB, RandomForestClassifier, RandomForestRegressor and Ridge, scored by one name (accuracy,
    neg_log_loss, r2, neg_mean_squared_error, neg_root_mean_squared_error, neg_mean_absolute_error, roc_auc of two classes) or by its
    own score, in folds that are a partition of the rows, without parameters of the fit. All other searches are scikit-learn's own,
    `n_jobs` and all: pipelines, several scorers, train scores, `verbose`, weights, values of `random_state`, and those in which a fit
    fails. A setting that did not converge warns only there; the refit warns in both.

    Parameters, attributes and methods are those of :class:`sklearn.model_selection.GridSearchCV`. `n_jobs` is for scikit-learn's way;
    Rust uses the threads of `ermine.set_num_threads`.

    Examples
    --------
    >>> import numpy as np
    >>> from ermine import GridSearchCV, Ridge
    >>> X = np.arange(20.0).reshape(-1, 1)
    >>> search = GridSearchCV(Ridge(), {"alpha": [0.1, 10.0, 1000.0]}, cv=4).fit(X, 2 * X[:, 0])
    >>> search.best_params_
    {'alpha': 0.1}
    """

    def fit(self, X, y=None, **params):
        """Run fit with all sets of parameters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
            Target values.
        **params : dict of str -> object
            Passed on to the estimator, the scorer and the splitter, by scikit-learn's own search.

        Returns
        -------
        self : object
        """
        found = None if params else self._native_scores(X, y)
        if found is None:
            return super().fit(X, y, **params)
        candidates, out, n_splits = found
        self.scorer_, _ = self._get_scorers()
        self.n_splits_, self.multimetric_ = n_splits, False
        results = self._format_results(candidates, n_splits, out)
        self.best_index_ = self._select_best_index(self.refit, "score", results)
        if not callable(self.refit):
            self.best_score_ = results["mean_test_score"][self.best_index_]
        self.best_params_ = results["params"][self.best_index_]
        if self.refit:
            started = time.time()
            best = clone(self.estimator).set_params(**clone(self.best_params_, safe=False))
            self.best_estimator_ = best.fit(X, y)
            self.refit_time_ = time.time() - started
            if hasattr(best, "feature_names_in_"):
                self.feature_names_in_ = best.feature_names_in_
        self.cv_results_ = results
        return self

    def _native_scores(self, X, y):
        """Candidates, their scores as scikit-learn's search gathers them, and the number of folds; None where that is not for Rust."""
        named = self._measure()
        candidates = list(ParameterGrid(self.param_grid))
        one_shot = hasattr(self.cv, "__next__")
        if y is None or named is None or not candidates or one_shot or self.return_train_score or self.verbose:
            return None
        if any("random_state" in params for params in candidates):
            return None
        metric, sign = named
        # Where a setting or the rows are refused, scikit-learn's search says so in its own way.
        try:
            X, y = indexable(X, y)
            calls = []
            for params in candidates:
                call = _dry_run(clone(self.estimator).set_params(**clone(params, safe=False)), X, y)
                if call is None:
                    return None
                # The rows are the same for all settings; one copy of them is enough.
                calls.append(call if not calls else {"params": call["params"], "learner": call["learner"]})
            first = calls[0]
            if any(call["learner"] != first["learner"] for call in calls):
                return None
            splits = list(check_cv(self.cv, y, classifier=is_classifier(self.estimator)).split(X, y))
            fold = _folds(splits, first["X"].shape[0])
            if fold is None or not self._comparable(metric, first, fold):
                return None
            scores, fit_times, score_times = _native.score_settings(
                first["learner"],
                json.dumps([plain_object(call["params"]) for call in calls], allow_nan=False),
                first["X"],
                fold,
                metric,
                y=None if first["y"] is None else np.ascontiguousarray(first["y"], dtype=np.float64),
                codes=first["codes"],
                classes=None if first["classes"] is None else class_names(first["classes"]),
                seed=first["seed"] % 2**64,
                names=None if first["names"] is None else [str(name) for name in first["names"]],
                estimator=type(self.estimator).__name__,
            )
        except (TypeError, ValueError):
            return None
        if not np.all(np.isfinite(scores)):
            return None
        out = [
            {"test_scores": sign * score, "fit_time": fit, "score_time": predict, "n_test_samples": len(test)}
            for of_fold in zip(scores, fit_times, score_times)
            for score, fit, predict, (_, test) in zip(*of_fold, splits)
        ]
        return candidates, out, len(splits)

    def _measure(self):
        """The measure behind the scorer, and its sign; None where the scorer is not known to Rust."""
        estimator = self.estimator
        ours = isinstance(estimator, Estimator) and type(estimator).__module__.startswith("ermine.")
        if not ours or type(estimator).__name__ not in NATIVE:
            return None
        if isinstance(self.refit, str) or not (self.refit is True or self.refit is False or callable(self.refit)):
            return None
        if self.scoring is None:
            own = type(estimator).score
            if own is ClassifierMixin.score:
                return SCORERS["accuracy"]
            return SCORERS["r2"] if own is RegressorMixin.score else None
        return SCORERS.get(self.scoring) if isinstance(self.scoring, str) else None

    def _comparable(self, metric, call, fold):
        """Whether scikit-learn means the same by the measure on these rows and folds."""
        if is_classifier(self.estimator) != (call["codes"] is not None):
            # Several targets of classes are fitted as numbers.
            return False
        if call["codes"] is None:
            # Several targets have a root each there and one in common here.
            return metric in ("r2", "mse", "mae") or (metric == "rmse" and np.ndim(call["y"]) == 1)
        if metric not in ("accuracy", "log_loss", "roc_auc") or (metric == "roc_auc" and len(call["classes"]) != 2):
            return False
        # A class that a fold lacks is one that an estimator there does not know of.
        counts = np.zeros((fold.max() + 1, len(call["classes"])), dtype=np.int64)
        np.add.at(counts, (fold, call["codes"]), 1)
        all_trained = np.all(counts.sum(axis=0) > counts)
        return bool(all_trained and (metric == "accuracy" or np.all(counts > 0)))


def plain_object(params):
    """Parameters as JSON has them."""
    return {name: to_json_value(value) for name, value in params.items()}
