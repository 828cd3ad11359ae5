"""Model files."""

import importlib
import json
import os

import numpy as np

from . import _native
from ._base import classes_from_names
from ._index import ESTIMATORS
from ._table import to_native


class Model:
    """A model of a kind that has no estimator class: a pipeline made by the command line, say.

    It is what `ermine.load` returns for such files. Rows are given as a DataFrame, a `Table`, anything with
    `__arrow_c_stream__`, or as an array with the columns in the order of `feature_names_in_`.

    Attributes
    ----------
    learner : str
        The learner's name.
    params : dict
        Its parameters.
    classes_ : ndarray
        The class labels; classifiers only.
    feature_names_in_ : ndarray
        The columns it was trained on.
    """

    def __init__(self, native):
        about = json.loads(native.describe())
        self._model = native
        self.learner = about["learner"]
        self.params = about["params"]
        self.certificate = about["certificate"]
        self.feature_names_in_ = np.array([f["name"] for f in about["schema"]["fields"]], dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        if about["target"].get("classes"):
            self.classes_ = classes_from_names(about["target"]["classes"])

    def _rows(self, X):
        return to_native(X, self.feature_names_in_)

    def predict(self, X):
        """Labels, numbers or groups, whatever the model predicts.

        Parameters
        ----------
        X : DataFrame, Table or array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        rows, can = self._rows(X), self._model.capabilities
        if "classifier" in can:
            return self.classes_[self._model.classify(rows)]
        if "clusterer" in can:
            return self._model.assign(rows)
        y = self._model.predict(rows)
        return y.ravel() if y.shape[1] == 1 else y

    def predict_proba(self, X):
        """Probabilities of the classes, in the order of `classes_`.

        Parameters
        ----------
        X : DataFrame, Table or array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        return self._model.proba(self._rows(X))

    def transform(self, X):
        """The columns that the model makes.

        Parameters
        ----------
        X : DataFrame, Table or array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_columns)
        """
        return self._model.transform(self._rows(X))

    def report(self):
        """A report of the model: coefficients (with errors, tests and intervals where it has them), statistics,
        importances, curves.

        Returns
        -------
        sections : list of dict
            In reading order. Each has one key: "text" (a paragraph), "table" (title, columns, rows) or "plot" (title,
            x, y, curves).
        """
        return json.loads(self._model.report())["sections"]

    def save(self, path):
        """Write the model to a file.

        Parameters
        ----------
        path : str or path-like
            Where to write.
        """
        self._model.save(os.fspath(path))

    def __repr__(self):
        return f"<ermine.Model {self.learner} of {self.n_features_in_} columns>"


def load(path):
    """Read a model file, written by `save`, by the command line or from Rust.

    The file holds arrays and names and no code; a damaged or hostile one gives a ValueError.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    model : estimator or Model
        A fitted estimator of the class that the learner has here, else a `Model`.
    """
    native = _native.load(os.fspath(path))
    can = native.capabilities
    for name, (module, learner) in ESTIMATORS.items():
        if learner != native.learner:
            continue
        cls = getattr(importlib.import_module(f".{module}", __package__), name)
        if cls._matches_model(can):
            estimator = cls._from_model(native)
            if estimator is not None:
                return estimator
    return Model(native)
