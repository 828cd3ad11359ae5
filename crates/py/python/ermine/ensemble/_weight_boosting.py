"""AdaBoost: stumps in Rust; any other estimator in scikit-learn's own loop."""

import json

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.ensemble import AdaBoostClassifier as _Classifier
from sklearn.ensemble import AdaBoostRegressor as _Regressor
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from .._base import Estimator, encode_classes, seed_of
from ..tree._input import TabularInputMixin
from ..tree._tree import DecisionTreeClassifier as _TreeClassifier

MAX_SEED = np.iinfo(np.int32).max


class Stump(ClassifierMixin, BaseEstimator):
    """One stump of an ensemble: rows with a value up to the threshold go left.

    Attributes
    ----------
    feature_ : int
        The column that is tested.
    threshold_ : float
        Values up to it go left.
    missing_go_to_left_ : bool
        Whether NaN goes left.
    value_ : ndarray of shape (2, n_classes)
        Shares of the classes on the left and on the right.
    """

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Stumps are found by the ensemble, for the weights of their round."""
        raise ValueError("a stump is found by its ensemble; fit that")

    def _left(self, X):
        cell = np.asarray(X[:, [self.feature_]].toarray() if hasattr(X, "toarray") else X[:, self.feature_], dtype=np.float64)
        cell = cell.ravel()
        return np.where(np.isnan(cell), self.missing_go_to_left_, cell <= self.threshold_)

    def predict_proba(self, X):
        """Shares of the classes on the side of each row."""
        return self.value_[np.where(self._left(X), 0, 1)]

    def predict(self, X):
        """The class of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    @property
    def feature_importances_(self):
        """All of the importance is that of the column tested."""
        out = np.zeros(self.n_features_in_)
        if np.isfinite(self.threshold_):
            out[self.feature_] = 1.0
        return out

    def __sklearn_is_fitted__(self):
        return hasattr(self, "feature_")


def _is_stump(estimator):
    """Whether an estimator is a tree of ours that is a plain stump."""
    if estimator is None:
        return True
    if not isinstance(estimator, _TreeClassifier):
        return False
    params = estimator.get_params()
    plain = type(estimator)(max_depth=1, random_state=params["random_state"]).get_params()
    return params == plain


class _Boosted:
    """Shared base: the model of Rust where there is one, else the estimators of scikit-learn's loop."""

    # Parameters that scikit-learn's loop hands on to its members: none.
    estimator_params = ()

    def __sklearn_is_fitted__(self):
        return hasattr(self, "estimators_") or hasattr(self, "_model")

    def _is_native(self):
        return "_model" in self.__dict__

    def _drop_fitted(self):
        for name in ("_model", "estimators_", "estimator_weights_", "estimator_errors_"):
            self.__dict__.pop(name, None)

    def _set_votes(self):
        model = self._model
        self.estimator_weights_ = model.array("vote")
        self.estimator_errors_ = model.array("error")

    @classmethod
    def _from_model(cls, model):
        # Other learners than stumps and trees have been boosted by the command line: such a file opens as a Model.
        if json.loads(model.field("stumps")) or [s["learner"] for s in json.loads(model.field("models/stages"))] == ["tree"]:
            if "classifier" not in model.capabilities or json.loads(model.field("stumps")):
                return super()._from_model(model)
        return None

    @property
    def trace_(self):
        """The trace of the boosting, one row per round: error, vote, training error and its bound."""
        check_is_fitted(self)
        if not self._is_native():
            raise AttributeError("only ensembles that were boosted in Rust keep their course")
        return json.loads(self._model.describe())["trace"]


class AdaBoostClassifier(_Boosted, TabularInputMixin, Estimator, _Classifier):
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Boost.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows; for stumps NaN and null are missing values.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
        """
        self._drop_fitted()
        if not _is_stump(self.estimator):
            if self.algorithm != "discrete" or self.variant != "plain":
                raise ValueError("algorithm and variant other than the default need stumps: estimator=None")
            return _Classifier.fit(self, X, y, sample_weight)
        X, y = self._rows_and_target(X, y)
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(
                sample_weight, np.empty((len(y), 1)), dtype=np.float64, copy=True, ensure_non_negative=True
            )
        classes, codes = encode_classes(y)
        self.classes_, self.n_classes_ = classes, len(classes)
        self._fit_native(X, codes=codes, classes=classes, sample_weight=weight, seed=seed_of(self.random_state))
        self._set_fitted()
        return self

    def _set_fitted(self):
        self.n_classes_ = len(self.classes_)
        self._set_votes()
        self.estimator_ = _tree_of_depth_one()
        self.estimators_ = self._stumps()

    def _stumps(self):
        model = self._model
        if any(s is not None for s in json.loads(model.field("stumps/sets"))):
            return []
        random = check_random_state(self.random_state)
        feature, threshold = model.array("stumps/feature"), model.array("stumps/threshold")
        missing, left, right = (model.array(f"stumps/{name}") for name in ("missing_left", "left", "right"))
        out = []
        for k in range(len(feature)):
            stump = Stump(random_state=random.randint(MAX_SEED))
            stump.feature_, stump.threshold_ = int(feature[k]), float(threshold[k])
            stump.missing_go_to_left_ = bool(missing[k])
            stump.value_ = np.stack([left[k], right[k]])
            stump.classes_, stump.n_features_in_ = self.classes_, self.n_features_in_
            out.append(stump)
        return out

    @property
    def feature_importances_(self):
        """Share of each column in the votes of the stumps that test it; of other estimators the mean of theirs."""
        check_is_fitted(self)
        if not self._is_native():
            return _Classifier.feature_importances_.fget(self)
        out = np.zeros(self.n_features_in_)
        cut = np.isfinite(self._model.array("stumps/threshold"))
        np.add.at(out, self._model.array("stumps/feature")[cut], self.estimator_weights_[cut])
        total = out.sum()
        return out / total if total > 0 else out

    def predict(self, X):
        if not self._is_native():
            return _Classifier.predict(self, X)
        return self.classes_[self._call_native("classify", self._rows(X))]

    def predict_proba(self, X):
        """Probabilities of the classes: the softmax of the votes."""
        if not self._is_native():
            return _Classifier.predict_proba(self, X)
        return self._call_native("proba", self._rows(X))

    def predict_log_proba(self, X):
        """Logarithms of the probabilities."""
        return np.log(self.predict_proba(X))

    def decision_function(self, X):
        """The votes: for two classes those of the second less those of the first, else one column per class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Returns
        -------
        score : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        if not self._is_native():
            return _Classifier.decision_function(self, X)
        scores = self._call_native("decision", self._rows(X))
        return scores.ravel() if scores.shape[1] == 1 else scores

    def _check_X(self, X, reset=False, **kwargs):
        # scikit-learn's loop has a method of this name for rows of any estimator.
        if self._is_native() or kwargs:
            return Estimator._check_X(self, X, reset=reset, **kwargs)
        return _Classifier._check_X(self, X)

    def staged_decision_function(self, X):
        """The votes after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Yields
        ------
        score : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        if not self._is_native():
            yield from _Classifier.staged_decision_function(self, X)
            return
        X = self._rows(X)
        if not self.estimators_:
            raise ValueError("stages are told for columns of numbers; these stumps test categories")
        if self.algorithm == "discrete":
            yield from _Classifier.staged_decision_function(self, X)
            return
        smooth = json.loads(self._model.field("smooth"))
        total = 0.0
        for vote, stump in zip(self.estimator_weights_, self.estimators_):
            shares = stump.predict_proba(X)
            logs = np.log((shares + smooth) / (1.0 + self.n_classes_ * smooth))
            total = total + vote * (self.n_classes_ - 1) * (logs - logs.mean(axis=1, keepdims=True))
            yield total[:, 1] - total[:, 0] if self.n_classes_ == 2 else total.copy()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = _is_stump(self.estimator)
        return tags


def _tree_of_depth_one():
    from ..tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=1)


class AdaBoostRegressor(_Boosted, TabularInputMixin, Estimator, _Regressor):
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Boost.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows; without an estimator NaN and null are missing values.
        y : array-like of shape (n_samples,)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
        """
        self._drop_fitted()
        if self.estimator is not None:
            return _Regressor.fit(self, X, y, sample_weight)
        X, y = self._rows_and_target(X, y, y_numeric=True)
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(
                sample_weight, np.empty((len(y), 1)), dtype=np.float64, copy=True, ensure_non_negative=True
            )
        self._fit_native(X, y=y, sample_weight=weight, seed=seed_of(self.random_state))
        self._set_fitted()
        return self

    def _set_fitted(self):
        from ..tree import DecisionTreeRegressor

        self._set_votes()
        random = check_random_state(self.random_state)
        self.estimator_ = DecisionTreeRegressor(max_depth=3)
        self.estimators_ = []
        for model in self._model.members("models"):
            tree = DecisionTreeRegressor(max_depth=3, random_state=random.randint(MAX_SEED))
            tree._model, tree.n_features_in_ = model, self.n_features_in_
            tree._set_tree()
            self.estimators_.append(tree)

    @property
    def feature_importances_(self):
        """The mean of the importances of the members, weighted by their votes."""
        check_is_fitted(self)
        return _Regressor.feature_importances_.fget(self)

    def predict(self, X):
        """Predict the target: the weighted median of the members."""
        if not self._is_native():
            return _Regressor.predict(self, X)
        return self._call_native("predict", self._rows(X)).ravel()

    def staged_predict(self, X):
        """Predictions after each round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Yields
        ------
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = self._rows(X) if self._is_native() else self._check_X(X)
        for k in range(1, len(self.estimators_) + 1):
            yield self._get_median_predict(X, k)

    def _check_X(self, X, reset=False, **kwargs):
        if self._is_native() or kwargs:
            return Estimator._check_X(self, X, reset=reset, **kwargs)
        return _Regressor._check_X(self, X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.estimator is None
        return tags
