"""Classifiers of trees for one target of classes or several.

Several targets are fitted as the indicators of their classes: one column per class, with the criteria of classes.
"""

import numpy as np
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets

from .._base import encode_classes
from .._classifier import NativeClassifier, class_factors


def split_outputs(values, classes):
    """Shares of the classes of several targets: one array per target."""
    ends = np.cumsum([len(c) for c in classes])
    return np.split(values, ends[:-1], axis=1)


class TreeClassifier(NativeClassifier):
    """Labels and shares of the classes of each target."""

    def _check_classes(self, X, y):
        """`X` as Rust takes it, and `y` with one column per target when there are several."""
        X, y = self._rows_and_target(X, y, multi_output=True)
        if y.ndim == 2 and y.shape[1] == 1:
            self._multi_output_error()
            y = y.ravel()
        return X, y

    def _multi_output_error(self):
        """No warning for a target that is a column instead of a vector."""

    def _encode(self, y, weight):
        """Keeps the classes; returns target and weights as the keywords of the fit, and the class weights it is given."""
        if y.ndim == 1:
            classes, codes = encode_classes(y)
            if isinstance(self.class_weight, list):
                raise ValueError("class_weight is a list, which is for several targets, and there is one")
            self.classes_, self.n_classes_, self.n_outputs_ = classes, len(classes), 1
            target = {"codes": codes, "classes": classes, "sample_weight": weight}
            return target, class_factors(self.class_weight, classes)
        check_classification_targets(y)
        found = [np.unique(column, return_inverse=True) for column in y.T]
        self.classes_ = [classes for classes, _ in found]
        self.n_classes_ = [len(classes) for classes in self.classes_]
        self.n_outputs_ = len(found)
        indicators = np.concatenate([np.eye(len(classes))[codes.ravel()] for classes, codes in found], axis=1)
        if self._balances_bags():
            return {"y": indicators, "sample_weight": weight}, "balanced_subsample"
        if self.class_weight is not None:
            preset = "balanced" if isinstance(self.class_weight, str) else self.class_weight
            factors = compute_sample_weight(preset, y)
            weight = factors if weight is None else weight * factors
        return {"y": indicators, "sample_weight": weight}, None

    def _balances_bags(self):
        """Whether classes are balanced in each bag."""
        return False

    def _is_multi_output(self):
        return isinstance(self.classes_, list)

    def predict(self, X):
        rows = self._rows(X)
        if not self._is_multi_output():
            return self.classes_[self._call_native("classify", rows)]
        shares = split_outputs(self._call_native("predict", rows), self.classes_)
        return np.column_stack([classes[p.argmax(axis=1)] for classes, p in zip(self.classes_, shares)])

    def predict_proba(self, X):
        """Shares of the classes in the leaves of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes), or a list of such arrays for several targets
        """
        rows = self._rows(X)
        return split_outputs(self._call_native("predict", rows), self.classes_) if self._is_multi_output() else self._call_native("proba", rows)

    def predict_log_proba(self, X):
        """Logarithms of the shares of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Returns
        -------
        log_proba : ndarray of shape (n_samples, n_classes), or a list of such arrays for several targets
        """
        proba = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(p) for p in proba] if isinstance(proba, list) else np.log(proba)

    def save(self, path):
        """Write the fitted model to a file that Rust, the command line and `ermine.load` can read.

        Parameters
        ----------
        path : str or path-like
            Where to write.
        """
        if isinstance(getattr(self, "classes_", None), list):
            raise ValueError("a model file holds the classes of one target, and there are several; pickle the estimator")
        super().save(path)

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        self.n_classes_, self.n_outputs_ = len(self.classes_), 1
