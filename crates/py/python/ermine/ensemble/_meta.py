"""Bagging, voting and stacking: scikit-learn's loops around any estimators, ours by default and in model files."""

import contextlib
import json
import os

import numpy as np
from sklearn.ensemble import BaggingClassifier as _BaggingClassifier
from sklearn.ensemble import BaggingRegressor as _BaggingRegressor
from sklearn.ensemble import StackingClassifier as _StackingClassifier
from sklearn.ensemble import StackingRegressor as _StackingRegressor
from sklearn.ensemble import VotingClassifier as _VotingClassifier
from sklearn.ensemble import VotingRegressor as _VotingRegressor
from sklearn.ensemble._stacking import _estimator_has
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .. import _native
from .._base import Estimator, class_names
from .._table import to_native

CERTIFICATE = {"method": "members trained one by one", "iterations": 0, "converged": True}


def _stage(model):
    """A trained model's learner, as a model file writes it down."""
    about = json.loads(model.describe())
    return {"learner": about["learner"], "params": about["params"]}


def _native_of(estimator, classes):
    """The model of a member, with the ensemble's names of the classes."""
    model = getattr(estimator, "_model", None)
    if not isinstance(model, _native.NativeModel):
        raise ValueError(f"{type(estimator).__name__} has no model that a file can hold; pickle the ensemble instead")
    if classes is None:
        return model
    known = json.loads(model.field("classes"))
    if known == classes:
        return model
    if len(known) != len(classes):
        raise ValueError("a member has not seen every class, and a model file needs members that have; pickle the ensemble")
    return _native.model_with_arrays(model, {}, json.dumps({"classes": classes}))


class _Ensemble:
    """Shared base: members fitted by scikit-learn's loop, a model file made of theirs, and predictions from one."""

    def __sklearn_is_fitted__(self):
        return hasattr(self, "estimators_") or "_model" in self.__dict__

    def _file(self):
        """Fields, arrays and members of the model file."""
        raise NotImplementedError

    def save(self, path):
        """Write the fitted ensemble to a file that Rust, the command line and `ermine.load` can read.

        All members must be estimators of this package.

        Parameters
        ----------
        path : str or path-like
            Where to write.
        """
        check_is_fitted(self)
        self._as_native().save(os.fspath(path))

    def _as_native(self):
        if "_model" in self.__dict__:
            return self._model
        classes = class_names(self.classes_) if hasattr(self, "classes_") else None
        fields, arrays, members = self._file(classes)
        fields |= {
            "task": "regression" if classes is None else "classification",
            "classes": classes or [],
            "certificate": CERTIFICATE,
        }
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        return _native.compose(
            self._learner,
            json.dumps(self._file_params()),
            json.dumps(fields),
            arrays,
            members,
            [str(n) for n in names],
            ["y"],
            classes or [],
        )

    def _file_params(self):
        return {"prepare": False}

    @classmethod
    def _from_model(cls, model):
        # TreeEnsembleMixin that get their rows prepared have no estimators here: such a file opens as a Model.
        if json.loads(model.describe())["params"].get("prepare", True):
            return None
        return super()._from_model(model)

    def _is_loaded(self):
        return "_model" in self.__dict__

    def _drop_fitted(self):
        self.__dict__.pop("_model", None)

    def _call_loaded(self, method, X):
        names = getattr(self, "feature_names_in_", range(self.n_features_in_))
        return getattr(self._model, method)(to_native(X, names), type(self).__name__)

    def predict(self, X, **params):
        """Predict the class of each row, or the target.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        **params : dict
            Parameters for the predictions of the members; of a stack for that of its final estimator.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        if not self._is_loaded():
            return super().predict(X, **params)
        if hasattr(self, "classes_"):
            return self.classes_[self._call_loaded("classify", X)]
        return self._call_loaded("predict", X).ravel()


# Bagging --------------------------------------------------------------------------------------------------------------


def _estimator_named(name):
    import ermine

    return getattr(ermine, name)()


class _Bagging(_Ensemble):
    # Parameters that scikit-learn's loop hands on to its members: none.
    estimator_params = ()

    def _get_estimator(self):
        return _estimator_named(self._default_member) if self.estimator is None else self.estimator

    def fit(self, X, y, sample_weight=None, **fit_params):
        """Fit a member on each sample of the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Class labels or target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        **fit_params : dict
            Parameters for the fits of the members.

        Returns
        -------
        self : object
        """
        self._drop_fitted()
        return super().fit(X, y, sample_weight, **fit_params)

    def _file(self, classes):
        models = [_native_of(e, classes) for e in self.estimators_]
        every = np.arange(self.n_features_in_)
        columns = [None if np.array_equal(f, every) else [int(j) for j in f] for f in self.estimators_features_]
        fields = {
            "n_features": self.n_features_in_,
            "columns": columns,
            "oob_score": None,
            "stages": [_stage(models[0])],
        }
        return fields, {}, [(str(k), m) for k, m in enumerate(models)]

    def _file_params(self):
        return {"prepare": False, "n_estimators": self.n_estimators, "base": _stage(self.estimators_[0]._model)}

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        if hasattr(self, "classes_"):
            self.n_classes_ = len(self.classes_)


class BaggingClassifier(_Bagging, Estimator, _BaggingClassifier):
    _default_member = "DecisionTreeClassifier"

    def predict_proba(self, X, **params):
        """The mean of the probabilities of the members.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        **params : dict
            Parameters for the predictions of the members.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        return self._call_loaded("proba", X) if self._is_loaded() else super().predict_proba(X, **params)


class BaggingRegressor(_Bagging, Estimator, _BaggingRegressor):
    _default_member = "DecisionTreeRegressor"


# Voting and stacking --------------------------------------------------------------------------------------------------


def _for_classes():
    from ..linear_model import LogisticRegression
    from ..naive_bayes import GaussianNB
    from ..tree import DecisionTreeClassifier

    return [("logistic", LogisticRegression()), ("gaussian-nb", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))]


def _for_numbers():
    from ..linear_model import Ridge
    from ..tree import DecisionTreeRegressor

    return [("ridge", Ridge()), ("tree", DecisionTreeRegressor(random_state=0))]


class _NamedEnsemble(_Ensemble):
    """TreeEnsembleMixin with names; those of the class when none are given."""

    @contextlib.contextmanager
    def _members(self):
        """The members in place of None while scikit-learn's loop looks at them."""
        given = self.estimators
        if given is None:
            self.estimators = self._default_members()
        try:
            yield
        finally:
            self.estimators = given

    def __sklearn_tags__(self):
        with self._members():
            return super().__sklearn_tags__()

    def fit(self, X, y, **fit_params):
        """Fit the members; of a stack also the final estimator, on their cross-validated predictions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Class labels or target values.
        **fit_params : dict
            `sample_weight`, for members that take it.

        Returns
        -------
        self : object
        """
        self._drop_fitted()
        self.__dict__.pop("_n_features", None)
        with self._members():
            return super().fit(X, y, **fit_params)

    @property
    def n_features_in_(self):
        """Number of columns seen during fit."""
        if "_n_features" in self.__dict__:
            return self._n_features
        return super().n_features_in_

    @n_features_in_.setter
    def n_features_in_(self, value):
        self._n_features = value

    def _names(self):
        with self._members():
            return [name for name, e in self.estimators if not isinstance(e, str)]

    def get_feature_names_out(self, input_features=None):
        """Names of the columns that `transform` makes.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Not used: the names are those of the members.

        Returns
        -------
        names : ndarray of str
        """
        with self._members():
            return super().get_feature_names_out(input_features)

    @classmethod
    def _from_model(cls, model):
        estimator = super()._from_model(model)
        if estimator is not None:
            # The members of the file have models but no estimators; the default ones would be others.
            estimator.estimators = None
        return estimator


class _Voting(_NamedEnsemble):
    @property
    def _weights_not_none(self):
        with self._members():
            return super()._weights_not_none

    def _file(self, classes):
        models = [_native_of(e, classes) for e in self.estimators_]
        weights = self._weights_not_none
        arrays = {"weights": np.asarray([1.0] * len(models) if weights is None else weights, dtype=np.float64)}
        fields = {
            "names": self._names(),
            "hard": getattr(self, "voting", "soft") == "hard",
            "stages": [_stage(m) for m in models],
        }
        return fields, arrays, [(str(k), m) for k, m in enumerate(models)]


class VotingClassifier(_Voting, Estimator, _VotingClassifier):
    _default_members = staticmethod(_for_classes)

    def _collect_probas(self, X):
        return self._call_loaded("proba", X)[None] if self._is_loaded() else super()._collect_probas(X)

    def _file_params(self):
        return {"prepare": False, "voting": self.voting}

    @classmethod
    def _from_model(cls, model):
        estimator = super()._from_model(model)
        if estimator is not None:
            estimator.voting = json.loads(model.describe())["params"]["voting"]
        return estimator


class VotingRegressor(_Voting, Estimator, _VotingRegressor):
    _default_members = staticmethod(_for_numbers)


class _Stacking(_NamedEnsemble):
    def _validate_final_estimator(self):
        if self.final_estimator is None:
            self._clone_final_estimator(default=_estimator_named(self._default_final))
        else:
            super()._validate_final_estimator()

    def _file(self, classes):
        if any(m not in ("predict", "predict_proba") for m in self.stack_method_) or self.passthrough:
            raise ValueError("a model file holds stacks of predictions or probabilities without passthrough; pickle it")
        models = [_native_of(e, classes) for e in self.estimators_]
        last = _native_of(self.final_estimator_, classes)
        fields = {
            "names": self._names(),
            "passthrough": False,
            "stages": [_stage(m) for m in models],
            "final": _stage(last),
        }
        return fields, {}, [(str(k), m) for k, m in enumerate(models)] + [("final", last)]


def _has_proba(stack):
    if stack._is_loaded():
        return True
    return _estimator_has("predict_proba", delegates=("final_estimator_", "final_estimator"))(stack)


class StackingClassifier(_Stacking, Estimator, _StackingClassifier):
    _default_members = staticmethod(_for_classes)
    _default_final = "LogisticRegression"

    @available_if(_has_proba)
    def predict_proba(self, X):
        """Probabilities of the classes, of the final estimator.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        return self._call_loaded("proba", X) if self._is_loaded() else super().predict_proba(X)


class StackingRegressor(_Stacking, Estimator, _StackingRegressor):
    _default_members = staticmethod(_for_numbers)
    _default_final = "Ridge"
    stack_method = "predict"
