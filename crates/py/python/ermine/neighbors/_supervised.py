"""KNeighborsClassifier, KNeighborsRegressor, RadiusNeighborsClassifier, RadiusNeighborsRegressor."""

import warnings

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from ._base import KNeighborsTarget, NeighborsClassifierBase, RadiusNeighborsTarget, mean_of, training_array


class KNeighborsClassifier(NeighborsClassifierBase, ClassifierMixin, KNeighborsTarget):
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Keep the rows and their classes."""
        return self._fit_classes(X, y)

    def predict(self, X):
        """Predict the class of each row: the most frequent among its neighbors, the first of several.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), or None
            Rows; None: the training rows, none of which is its own neighbor.

        Returns
        -------
        y : ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        check_is_fitted(self)
        if self._is_whole(X):
            return self.classes_[self._call_native("classify", self._query(X))]
        votes = self._shares(X)
        if any((v.sum(axis=1) == 0).any() for v in votes):
            raise ValueError(
                "All neighbors of some sample is getting zero weights. Please modify 'weights' to avoid this case if you are using "
                "a user-defined function."
            )
        return self._labels(votes)

    def predict_proba(self, X):
        """Shares of the classes among the neighbors, in the order of `classes_`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), or None
            Rows; None: the training rows, none of which is its own neighbor.

        Returns
        -------
        proba : ndarray of shape (n_queries, n_classes), or a list of such arrays for several targets
        """
        check_is_fitted(self)
        if self._is_whole(X):
            return self._call_native("proba", self._query(X))
        votes = self._shares(X)
        for v in votes:
            total = v.sum(axis=1, keepdims=True)
            if (total == 0).any():
                raise ValueError(
                    "All neighbors of some sample is getting zero weights. Please modify 'weights' to avoid this case if you are "
                    "using a user-defined function."
                )
            v /= total
        return votes if self.outputs_2d_ else votes[0]


class RadiusNeighborsClassifier(NeighborsClassifierBase, ClassifierMixin, RadiusNeighborsTarget):
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Keep the rows and their classes."""
        self._fit_classes(X, y)
        self._set_outlier_label()
        return self

    def _set_outlier_label(self):
        classes = self.classes_ if self.outputs_2d_ else [self.classes_]
        codes = self._y if self.outputs_2d_ else self._y[:, None]
        label = self.outlier_label
        if label is None:
            self.outlier_label_ = None
            return
        if isinstance(label, str) and label == "most_frequent":
            self.outlier_label_ = [c[np.bincount(codes[:, k]).argmax()] for k, c in enumerate(classes)]
            return
        given = isinstance(label, (list, tuple, np.ndarray))
        labels = list(label) if given else [label] * len(classes)
        if len(labels) != len(classes):
            raise ValueError(f"The length of outlier_label: {label} is inconsistent with the output length: {len(classes)}")
        for known, one in zip(classes, labels):
            if isinstance(one, (list, tuple, np.ndarray)):
                raise TypeError(f"The outlier_label of classes {known} is supposed to be a scalar, got {one}.")
            if np.append(known, one).dtype != known.dtype:
                raise TypeError(f"The dtype of outlier_label {one} is inconsistent with classes {known} in y.")
        self.outlier_label_ = labels

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        self._set_outlier_label()

    def _votes(self, X):
        votes = self._shares(X)
        lonely = np.flatnonzero(votes[0].sum(axis=1) == 0)
        if len(lonely) and self.outlier_label_ is None:
            raise ValueError(
                f"No neighbors found for test samples {lonely}, you can try using larger radius, giving a label for outliers, or "
                "considering removing them from your dataset."
            )
        return votes, lonely

    def predict(self, X):
        """Predict the class of each row: the most frequent within the radius, the first of several.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), or None
            Rows; None: the training rows, none of which is its own neighbor.

        Returns
        -------
        y : ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        check_is_fitted(self)
        votes, lonely = self._votes(X)
        labels = self._labels(votes)
        if len(lonely):
            labels[lonely] = self.outlier_label_ if self.outputs_2d_ else self.outlier_label_[0]
        return labels

    def predict_proba(self, X):
        """Shares of the classes within the radius, in the order of `classes_`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), or None
            Rows; None: the training rows, none of which is its own neighbor.

        Returns
        -------
        proba : ndarray of shape (n_queries, n_classes), or a list of such arrays for several targets
        """
        check_is_fitted(self)
        votes, lonely = self._votes(X)
        classes = self.classes_ if self.outputs_2d_ else [self.classes_]
        for k, (v, known) in enumerate(zip(votes, classes)):
            total = v.sum(axis=1, keepdims=True)
            v /= np.where(total == 0, 1.0, total)
            if len(lonely):
                at = np.flatnonzero(known == self.outlier_label_[k])
                if len(at) == 1:
                    v[lonely, at[0]] = 1.0
                else:
                    warnings.warn(
                        f"Outlier label {self.outlier_label_[k]} is not in training classes. All class probabilities of outliers will "
                        "be assigned with 0.",
                        stacklevel=2,
                    )
        return votes if self.outputs_2d_ else votes[0]


class NeighborsRegressorBase(RegressorMixin):
    """Numbers of the neighbors."""

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Keep the rows and their targets."""
        X, y = self._check_X_y(training_array(X), y, multi_output=True)
        y = y.astype(np.float64) if y.dtype.kind in "OUS" else y
        self._store_rows(X)
        self._y = y
        self._fit_native_model(X, {"y": y})
        return self

    def predict(self, X):
        """Predict the target: the mean of the neighbors.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features), or None
            Rows; None: the training rows, none of which is its own neighbor.

        Returns
        -------
        y : ndarray of shape (n_queries,) or (n_queries, n_outputs)
        """
        check_is_fitted(self)
        flat = self._y.ndim == 1
        if self._is_whole(X):
            out = self._call_native("predict", self._query(X))
            return out.ravel() if flat else out
        found, weights = self._asked(X)
        out = mean_of(self._y[:, None] if flat else self._y, found, weights)
        if np.isnan(out).any():
            warnings.warn(
                "One or more samples have no neighbors within specified radius; predicting NaN.", UserWarning, stacklevel=2
            )
        return out.ravel() if flat else out

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        if self._y.shape[1] == 1:
            self._y = self._y.ravel()


class KNeighborsRegressor(NeighborsRegressorBase, KNeighborsTarget):
    pass


class RadiusNeighborsRegressor(NeighborsRegressorBase, RadiusNeighborsTarget):
    pass
