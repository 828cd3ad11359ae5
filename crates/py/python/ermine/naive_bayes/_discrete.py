"""Naive Bayes of counts, bits and codes: MultinomialNB, ComplementNB, BernoulliNB, CategoricalNB."""

import json
import re
import warnings
from functools import cached_property

import numpy as np
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import _check_partial_fit_first_call
from sklearn.utils.validation import check_is_fitted, check_non_negative

from .. import _native
from .._base import encode_classes, to_json_value
from .._classifier import NativeClassifier

# The least pseudo-count without `force_alpha`.
LEAST_ALPHA = 1e-10


class DiscreteNB(NativeClassifier):
    """Shared by the naive Bayes classifiers of counts: pseudo-counts, priors, partial fits."""

    # Parameters that are translated by hand.
    _restored = ("alpha", "class_prior")

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Count."""
        X, y = self._check_rows_and_target(X, y, True)
        weight = self._check_weight(sample_weight, X)
        self.classes_, codes = encode_classes(y)
        self._count(X, codes=codes, classes=self.classes_, sample_weight=weight, params=self._params(len(self.classes_)))
        self._set_fitted()
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Count some more rows."""
        first = not hasattr(self, "classes_")
        X, y = self._check_rows_and_target(X, y, first)
        if _check_partial_fit_first_call(self, classes):
            self.__dict__.pop("_model", None)
        weight = self._check_weight(sample_weight, X)
        here, codes = encode_classes(y)
        unseen = ~np.isin(here, self.classes_)
        if unseen.any():
            raise ValueError(f"The target label(s) {here[unseen]} in y do not exist in the initial classes {self.classes_}")
        codes = np.searchsorted(self.classes_, here).astype(np.uint32)[codes]
        self._count(
            X,
            codes=codes,
            classes=self.classes_,
            sample_weight=weight,
            params=self._params(len(self.classes_)),
            start=getattr(self, "_model", None),
            resume=True,
        )
        self._set_fitted()
        return self

    def _check_rows_and_target(self, X, y, reset):
        return self._check_X_y(X, y, reset=reset)

    def _count(self, X, **kwargs):
        try:
            self._fit_native(X, **kwargs)
        except ValueError as error:
            if "from 0 up" not in str(error):
                raise
            name = type(self).__name__
            raise ValueError(f"Negative values in data passed to {name} (input X): {error}") from None

    def _params(self, n_classes):
        params = self._learner_params()
        params["alpha"] = self._checked_alpha()
        if self.class_prior is not None:
            if len(self.class_prior) != n_classes:
                raise ValueError("Number of priors must match number of classes.")
            params["class_prior"] = to_json_value(np.asarray(self.class_prior, dtype=np.float64))
        return params

    def _checked_alpha(self):
        """Pseudo-counts as the learner takes them."""
        alpha = np.asarray(self.alpha) if not np.isscalar(self.alpha) else self.alpha
        least = np.min(alpha)
        if isinstance(alpha, np.ndarray):
            if alpha.shape[0] != self.n_features_in_:
                raise ValueError(
                    f"When alpha is an array, it should contains `n_features`. Got {alpha.shape[0]} elements instead of "
                    f"{self.n_features_in_}."
                )
            if least < 0:
                raise ValueError("All values in alpha must be greater than 0.")
        if least < LEAST_ALPHA and not self.force_alpha:
            warnings.warn(
                "alpha too small will result in numeric errors, setting alpha ="
                f" {LEAST_ALPHA:.1e}. Use `force_alpha=True` to keep alpha unchanged.",
                stacklevel=4,
            )
            alpha = np.maximum(alpha, LEAST_ALPHA)
        return to_json_value(np.asarray(alpha, dtype=np.float64)) if isinstance(alpha, np.ndarray) else float(alpha)

    def _set_fitted(self):
        super()._set_fitted()
        self._set_counts(self._model)

    def _set_counts(self, model):
        # A number for each column and class: fetched when somebody looks.
        self.__dict__.pop("feature_count_", None)
        self.__dict__.pop("feature_log_prob_", None)

    @cached_property
    def feature_count_(self):
        check_is_fitted(self)
        return self._model.array("feature_count")

    @cached_property
    def feature_log_prob_(self):
        check_is_fitted(self)
        return self._model.array("feature_log_prob")

    def predict_joint_log_proba(self, X):
        """Logarithms of the joint probabilities of row and class, up to what all classes share.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        joint : ndarray of shape (n_samples, n_classes)
        """
        return self._joint(self._rows(X))

    def _joint(self, X):
        with np.errstate(invalid="ignore"):
            return safe_sparse_dot(X, self.feature_log_prob_.T) + self.class_log_prior_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


class _Dense:
    """Densities of rows."""

    def score_samples(self, X):
        """Logarithms of the probabilities of the rows, whatever their classes."""
        return self._call_native("log_density", self._rows(X))


class MultinomialNB(_Dense, DiscreteNB):
    @classmethod
    def _matches_model(cls, capabilities):
        return "density" in capabilities


class ComplementNB(DiscreteNB):
    @classmethod
    def _matches_model(cls, capabilities):
        return "density" not in capabilities

    def _params(self, n_classes):
        return {**super()._params(n_classes), "complement": True}

    def _set_counts(self, model):
        super()._set_counts(model)
        self.feature_all_ = self.feature_count_.sum(axis=0)

    def _joint(self, X):
        scores = safe_sparse_dot(X, self.feature_log_prob_.T)
        return scores + self.class_log_prior_ if len(self.classes_) == 1 else scores


class BernoulliNB(_Dense, DiscreteNB):
    def _joint(self, X):
        if self.binarize is not None:
            if sparse.issparse(X):
                X = X.copy()
                X.data = (X.data > self.binarize).astype(np.float64)
            else:
                X = (X > self.binarize).astype(np.float64)
        no = np.log1p(-np.exp(self.feature_log_prob_))
        return safe_sparse_dot(X, (self.feature_log_prob_ - no).T) + self.class_log_prior_ + no.sum(axis=1)


class CategoricalNB(_Dense, DiscreteNB):
    _restored = ("class_prior", "min_categories")

    def _check_rows_and_target(self, X, y, reset):
        X, y = self._check_X_y(X, y, reset=reset)
        return self._codes(X), y

    def _rows(self, X):
        check_is_fitted(self)
        X = self._codes(self._check_X(X, reset=False))
        for column, known in enumerate(self.n_categories_):
            beyond = X[:, column] >= known
            if beyond.any():
                raise IndexError(
                    f"column {column}: category {X[beyond, column][0]:.0f} is out of bounds, since training has seen {known} categories"
                )
        return X

    def _codes(self, X):
        """Whole numbers from 0 up, as scikit-learn reads them: fractions are cut off."""
        name = type(self).__name__
        try:
            _native.refuse_non_finite(X, name)
        except ValueError as error:
            names = getattr(self, "feature_names_in_", None)
            if names is None:
                raise
            named = re.sub(r"column (\d+)", lambda found: f'column "{names[int(found[1])]}"', str(error))
            raise ValueError(named) from None
        check_non_negative(X, f"{name} (input X)")
        return np.trunc(X)

    def _params(self, n_classes):
        params = super()._params(n_classes)
        if self.min_categories is not None:
            least = np.array(self.min_categories)
            if not np.issubdtype(least.dtype, np.signedinteger):
                raise ValueError(f"'min_categories' should have integral type. Got {least.dtype} instead.")
            if least.ndim and least.shape != (self.n_features_in_,):
                raise ValueError(
                    f"'min_categories' should have shape ({self.n_features_in_},) when an array-like is provided. Got {least.shape} "
                    "instead."
                )
            params["min_categories"] = to_json_value(least) if least.ndim else int(least)
        return params

    def _set_counts(self, model):
        counts, columns = model.array("category_count"), json.loads(model.field("columns"))
        alpha = json.loads(model.field("alpha"))
        self.n_categories_ = np.array([c["levels"] for c in columns], dtype=np.int64)
        self.category_count_, self.feature_log_prob_ = [], []
        start = 0
        for column in columns:
            end = start + column["levels"] + column["missing"]
            here = np.ascontiguousarray(counts[start:end].T)
            start = end
            self.category_count_.append(here)
            smooth = here + alpha
            with np.errstate(divide="ignore", invalid="ignore"):
                self.feature_log_prob_.append(np.log(smooth) - np.log(smooth.sum(axis=1, keepdims=True)))

    def _joint(self, X):
        joint = np.tile(self.class_log_prior_, (X.shape[0], 1))
        for column, logs in enumerate(self.feature_log_prob_):
            joint += logs[:, X[:, column].astype(np.intp)].T
        return joint
