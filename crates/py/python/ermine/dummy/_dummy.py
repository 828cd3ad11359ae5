"""Baselines: DummyClassifier and DummyRegressor."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_array,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from .._base import Estimator, class_names, encode_classes, seed_of, to_json_value


def _ignored_features(estimator, rows):
    """An `X` of the right shape that holds one zero: a baseline does not look at it, so it may be anything."""
    return np.broadcast_to(np.float64(0.0), (rows, max(1, getattr(estimator, "n_features_in_", 1))))


class _Dummy(Estimator):
    def _weight(self, sample_weight, rows):
        if sample_weight is None:
            return None
        return _check_sample_weight(sample_weight, np.empty((rows, 1)), dtype=np.float64)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.no_validation = True
        return tags


class DummyClassifier(MultiOutputMixin, ClassifierMixin, _Dummy):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Learn the shares of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Not looked at; only its length counts.
        y : array-like or sparse matrix of shape (n_samples,) or (n_samples, n_outputs)
            Target labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
        """
        validate_data(self, X, skip_check_array=True)
        self._strategy = self.strategy
        self.sparse_output_ = sparse.issparse(y)
        if self.sparse_output_ and self.strategy == "uniform":
            warnings.warn(
                "The sparse target is made dense: predicting sparse targets with the uniform strategy would not save memory.",
                UserWarning,
                stacklevel=2,
            )
            y, self.sparse_output_ = y.toarray(), False
        columns = y.toarray() if self.sparse_output_ else np.atleast_1d(np.asarray(y))
        if columns.ndim == 1:
            columns = columns.reshape(-1, 1)
        check_consistent_length(X, columns)
        rows, self.n_outputs_ = columns.shape
        weight = self._weight(sample_weight, rows)
        constants = self._constants()

        classes, priors, models = [], [], []
        for k in range(self.n_outputs_):
            labels, codes = self._encode(columns[:, k])
            params = {"strategy": self.strategy}
            if constants is not None:
                if constants[k] not in labels.tolist():
                    raise ValueError(
                        "The constant target value must be present in the training data. You provided "
                        f"constant={self.constant}. Possible values are: {labels.tolist()}."
                    )
                params["constant"] = str(to_json_value(constants[k]))
            model = self._fit_native(
                _ignored_features(self, rows),
                codes=codes,
                classes=labels,
                sample_weight=weight,
                params=params,
                seed=0 if self.random_state is None else seed_of(self.random_state),
            )
            models.append(model)
            classes.append(labels)
            priors.append(model.array("class_prior"))
        self._model = models[0] if self.n_outputs_ == 1 else models
        self.classes_, self.class_prior_ = classes, priors
        self.n_classes_ = [len(labels) for labels in classes]
        if self.n_outputs_ == 1:
            self.classes_, self.class_prior_, self.n_classes_ = classes[0], priors[0], self.n_classes_[0]
        return self

    @staticmethod
    def _encode(labels):
        if labels.dtype.kind in "iub":
            return encode_classes(labels)
        classes, codes = np.unique(labels, return_inverse=True)
        return classes, codes.reshape(-1).astype(np.uint32)

    def _constants(self):
        if self.strategy != "constant":
            return None
        if self.constant is None:
            raise ValueError("Constant target value has to be specified when the constant strategy is used.")
        constants = np.atleast_1d(self.constant).reshape(-1)
        if len(constants) != self.n_outputs_:
            raise ValueError(f"Constant target value should have shape ({self.n_outputs_}, 1).")
        return constants.tolist()

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        self.n_outputs_, self.sparse_output_ = 1, False
        self._strategy = self.strategy
        self.class_prior_ = self._model.array("class_prior")
        self.n_classes_ = len(self.classes_)
        if self.strategy == "constant":
            self.constant = self.classes_[class_names(self.classes_).index(about["params"]["constant"])]

    def _outputs(self):
        """Classes, shares and constant of each output."""
        if self.n_outputs_ == 1:
            return [(self.classes_, self.class_prior_, np.atleast_1d(self.constant).ravel()[0])]
        constants = [None] * self.n_outputs_ if self.constant is None else np.ravel(self.constant).tolist()
        return list(zip(self.classes_, self.class_prior_, constants))

    def predict(self, X):
        """Predict labels without looking at `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Only its length counts.

        Returns
        -------
        y : ndarray or sparse matrix of shape (n_samples,) or (n_samples, n_outputs)
        """
        check_is_fitted(self)
        rows = _num_samples(X)
        draw = check_random_state(self.random_state)
        columns = []
        for labels, prior, constant in self._outputs():
            if self._strategy in ("most_frequent", "prior"):
                column = np.repeat(labels[[prior.argmax()]], rows)
            elif self._strategy == "stratified":
                column = labels[draw.multinomial(1, prior, size=rows).argmax(axis=1)]
            elif self._strategy == "uniform":
                column = labels[draw.randint(len(labels), size=rows)]
            else:
                column = np.repeat(np.asarray([constant]), rows)
            columns.append(column)
        if self.sparse_output_:
            return sparse.csc_matrix(np.stack(columns, axis=1))
        return columns[0] if self.n_outputs_ == 1 else np.stack(columns, axis=1)

    def predict_proba(self, X):
        """Probabilities of the classes, the same for every row unless they are drawn.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Only its length counts.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes) or list of such
        """
        check_is_fitted(self)
        rows = _num_samples(X)
        draw = check_random_state(self.random_state)
        out = []
        for labels, prior, constant in self._outputs():
            if self._strategy == "prior":
                row = prior
            elif self._strategy == "most_frequent":
                row = np.arange(len(labels)) == prior.argmax()
            elif self._strategy == "uniform":
                row = np.full(len(labels), 1.0 / len(labels))
            elif self._strategy == "constant":
                row = labels == constant
            else:
                out.append(draw.multinomial(1, prior, size=rows).astype(np.float64))
                continue
            out.append(np.tile(np.asarray(row, dtype=np.float64), (rows, 1)))
        return out[0] if self.n_outputs_ == 1 else out

    def predict_log_proba(self, X):
        """Logarithms of `predict_proba`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Only its length counts.

        Returns
        -------
        log_proba : ndarray of shape (n_samples, n_classes) or list of such
        """
        proba = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(proba) if self.n_outputs_ == 1 else [np.log(p) for p in proba]

    def score(self, X, y, sample_weight=None):
        """Accuracy of the predictions; `X` may be None.

        Parameters
        ----------
        X : None or array-like of shape (n_samples, n_features)
            Only its length counts; None stands for one as long as `y`.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        score : float
        """
        return super().score(np.zeros((len(y), 1)) if X is None else X, y, sample_weight)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


class DummyRegressor(MultiOutputMixin, RegressorMixin, _Dummy):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Learn the number to predict.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Not looked at; only its length counts.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
        """
        validate_data(self, X, skip_check_array=True)
        y = check_array(y, ensure_2d=False, input_name="y")
        if len(y) == 0:
            raise ValueError("y must not be empty.")
        columns = y.reshape(-1, 1) if y.ndim == 1 else y
        check_consistent_length(X, columns)
        rows, self.n_outputs_ = columns.shape
        params = {"strategy": self.strategy}
        if self.strategy == "constant":
            params["constant"] = self._constants()
        elif self.strategy == "quantile":
            if self.quantile is None:
                raise ValueError(
                    "When using `strategy='quantile', you have to specify the desired quantile in the range [0, 1]."
                )
            params["quantile"] = float(self.quantile)
        self._fit_native(
            _ignored_features(self, rows),
            y=columns,
            sample_weight=self._weight(sample_weight, rows),
            params=params,
        )
        self._set_fitted()
        return self

    def _constants(self):
        if self.constant is None:
            raise TypeError("Constant target value has to be specified when the constant strategy is used.")
        constants = check_array(self.constant, accept_sparse=False, ensure_2d=False, ensure_min_samples=0)
        if self.n_outputs_ != 1 and constants.shape[-1] != self.n_outputs_:
            raise ValueError(f"Constant target value should have shape ({self.n_outputs_}, 1).")
        return [float(v) for v in np.ravel(constants)]

    def _set_fitted(self):
        self.constant_ = self._model.array("constant").reshape(1, -1)
        self.n_outputs_ = self.constant_.shape[1]

    def predict(self, X, return_std=False):
        """Predict the same number for every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Only its length counts.
        return_std : bool, default=False
            Whether to return the standard deviation of the prediction too, which is 0.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        y_std : ndarray of the same shape
            Only with `return_std`.
        """
        check_is_fitted(self)
        y = np.repeat(self.constant_, _num_samples(X), axis=0)
        if self.n_outputs_ == 1:
            y = y.ravel()
        return (y, np.zeros_like(y)) if return_std else y

    def score(self, X, y, sample_weight=None):
        """Coefficient of determination of the predictions; `X` may be None.

        Parameters
        ----------
        X : None or array-like of shape (n_samples, n_features)
            Only its length counts; None stands for one as long as `y`.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            True values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        score : float
        """
        return super().score(np.zeros((len(y), 1)) if X is None else X, y, sample_weight)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags
