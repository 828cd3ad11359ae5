"""LinearDiscriminantAnalysis and QuadraticDiscriminantAnalysis."""

import json
import warnings

import numpy as np
from scipy import linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from .. import _native
from .._base import encode_classes, to_json_value
from .._classifier import NativeClassifier


class _Discriminant(NativeClassifier):
    """Shared base: rows, scores, densities, covariances by an estimator."""

    _restored = ("priors", "shrinkage", "n_components", "reg_param")

    def _rows(self, X):
        check_is_fitted(self)
        return self._check_X(X, reset=False)

    def decision_function(self, X):
        """Scores of the classes: log posteriors up to what all classes share; of two classes the log odds of the second."""
        scores = self._call_native("decision", self._rows(X))
        return scores.ravel() if len(self.classes_) == 2 else scores

    def score_samples(self, X):
        """Logarithms of the densities of the rows, whatever their classes: low ones are outliers."""
        return self._call_native("log_density", self._rows(X))

    def _check_shrinkage(self, words):
        """Refuses parameters that exclude each other; `words` is scikit-learn's message for an estimator with svd."""
        if self.solver == "svd":
            if self.shrinkage is not None:
                raise NotImplementedError("shrinkage not supported with 'svd' solver.")
            if self.covariance_estimator is not None:
                raise ValueError(words)
        elif self.covariance_estimator is not None and self.shrinkage is not None and self.shrinkage != 0:
            raise ValueError("covariance_estimator and shrinkage parameters are not None. Only one of the two can be set.")

    def _covariance_by_estimator(self, X):
        estimator = self.covariance_estimator
        estimator.fit(X)
        if not hasattr(estimator, "covariance_"):
            raise ValueError(f"{type(estimator).__name__} does not have a covariance_ attribute")
        return np.atleast_2d(np.asarray(estimator.covariance_, dtype=np.float64))

    def _shrinkage_param(self):
        return self.shrinkage if self.shrinkage is None or isinstance(self.shrinkage, str) else float(self.shrinkage)


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Discriminant):
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y):
        """Learn means, the covariance within classes and Fisher's directions."""
        X, y = self._check_X_y(X, y, ensure_min_samples=2)
        check_classification_targets(y)
        classes, codes = encode_classes(y)
        if X.shape[0] == len(classes):
            raise ValueError("The number of samples must be more than the number of classes.")
        params = self._learner_params()
        params["priors"] = self._checked_priors(len(classes))
        most = min(len(classes) - 1, X.shape[1])
        if self.n_components is not None and self.n_components > most:
            raise ValueError("n_components cannot be larger than min(n_features, n_classes - 1).")
        self._max_components = most if self.n_components is None else int(self.n_components)
        params["divisor"] = "ml"
        params["n_components"] = None if self.n_components is None else int(self.n_components)
        self._check_shrinkage("covariance estimator is not supported with svd solver. Try another solver")
        params["shrinkage"] = self._shrinkage_param()
        self._single = X.dtype == np.float32
        self._fit_native(X, codes=codes, classes=classes, params=params)
        self.classes_ = classes
        if self.covariance_estimator is not None:
            self._use_estimator(X, codes)
        self._set_fitted()
        return self

    def _checked_priors(self, n_classes):
        if self.priors is None:
            return None
        priors = np.asarray(self.priors, dtype=np.float64)
        if (priors < 0).any():
            raise ValueError("priors must be non-negative")
        if abs(priors.sum() - 1.0) > 1e-5:
            warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=3)
            priors = priors / priors.sum()
        return to_json_value(priors)

    def _use_estimator(self, X, codes):
        """Replaces the covariances by those of an estimator."""
        priors, means = self._model.array("priors"), self._model.array("means")
        within = sum(priors[k] * self._covariance_by_estimator(X[codes == k]) for k in range(len(priors)))
        factor = linalg.cholesky(within, lower=True)
        whitening = np.ascontiguousarray(linalg.solve_triangular(factor, np.eye(len(within)), lower=True).T)
        arrays = {"covariance": within, "whitening": whitening, "means": means}
        if self.solver == "eigen":
            between = self._covariance_by_estimator(X) - within
            values, vectors = linalg.eigh(between, within)
            order = np.argsort(values)[::-1]
            arrays["scalings"] = np.ascontiguousarray(vectors[:, order])
            arrays["explained_variance_ratio"] = (values / values.sum())[order][: self._max_components]
        fields = {"log_volume": float(-np.log(np.diag(factor)).sum()), "stores_covariance": True}
        self._model = _native.model_with_arrays(self._model, arrays, json.dumps(fields))

    def _set_fitted(self):
        model, dtype = self._model, np.float32 if getattr(self, "_single", False) else np.float64
        solver = json.loads(model.field("solver"))
        names = {name for name, _ in model.arrays()}
        coef, intercept = model.array("coef"), model.array("intercept")
        if len(self.classes_) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = coef.astype(dtype, copy=False), intercept.astype(dtype, copy=False)
        self.means_, self.priors_ = model.array("means").astype(dtype, copy=False), model.array("priors").astype(dtype, copy=False)
        for name in ("xbar_", "scalings_", "explained_variance_ratio_", "covariance_"):
            self.__dict__.pop(name, None)
        if solver == "svd":
            self.xbar_ = model.array("xbar").astype(dtype, copy=False)
        if "scalings" in names:
            self.scalings_ = model.array("scalings").astype(dtype, copy=False)
            self.explained_variance_ratio_ = model.array("explained_variance_ratio").astype(dtype, copy=False)
            self._max_components = json.loads(model.field("n_components"))
        if "covariance" in names:
            self.covariance_ = model.array("covariance").astype(dtype, copy=False)

    @property
    def _n_features_out(self):
        return self._max_components

    def transform(self, X):
        """Places of the rows along Fisher's directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        places : ndarray of shape (n_samples, n_components)
        """
        if self.solver == "lsqr":
            raise NotImplementedError("transform not implemented for 'lsqr' solver (use 'svd' or 'eigen').")
        X = self._rows(X)
        return self._call_native("transform", X, single=X.dtype == np.float32)


class QuadraticDiscriminantAnalysis(_Discriminant):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Learn the mean and the covariance of each class."""
        X, y = self._check_X_y(X, y)
        check_classification_targets(y)
        classes, codes = encode_classes(y)
        if len(classes) < 2:
            raise ValueError(f"The number of classes has to be greater than one. Got {len(classes)} class.")
        self._check_shrinkage("covariance_estimator is not supported with solver='svd'. Try solver='eigen' instead.")
        sizes = np.bincount(codes, minlength=len(classes))
        if (sizes == 1).any():
            alone = classes[int(np.argmin(sizes))]
            raise ValueError(f"y has only 1 sample in class {alone}, covariance is ill defined.")
        params = self._learner_params()
        params["priors"] = None if self.priors is None else to_json_value(np.asarray(self.priors, dtype=np.float64))
        params["shrinkage"] = self._shrinkage_param()
        params["divisor"] = "ml"
        params["reg_param"] = float(self.reg_param) if self.solver == "svd" else 0.0
        self._fit_native(X, codes=codes, classes=classes, params=params)
        if self.covariance_estimator is not None:
            all_ = [self._covariance_by_estimator(X[codes == k]) for k in range(len(classes))]
            self._model = _native.model_with_arrays(self._model, {"covariances": np.concatenate(all_)}, "{}")
        try:
            self._axes(classes, sizes)
        except linalg.LinAlgError:
            self.__dict__.pop("_model", None)
            raise
        self.classes_ = classes
        self._set_fitted()
        return self

    def _covariances(self):
        all_ = self._model.array("covariances")
        p = all_.shape[1]
        return [np.ascontiguousarray(all_[k : k + p]) for k in range(0, len(all_), p)]

    def _axes(self, classes, sizes):
        """Refuses a class that does not vary in all directions, as scikit-learn does."""
        for label, size, covariance in zip(classes, sizes, self._covariances()):
            p = covariance.shape[0]
            variances = np.linalg.eigvalsh(covariance)[::-1]
            if self.solver == "svd":
                variances = variances[: min(size, p)]
            if np.sum(variances > self.tol) < p:
                if self.solver == "svd" and size <= p:
                    raise linalg.LinAlgError(
                        f"The covariance matrix of class {label} is not full rank. When using `solver='svd'` the number of samples in "
                        f"each class should be more than the number of features, but class {label} has {size} samples and {p} "
                        "features. Try using `solver='eigen'` and setting the parameter `shrinkage` for regularization."
                    )
                name = "shrinkage" if self.solver == "eigen" else "reg_param"
                raise linalg.LinAlgError(
                    f"The covariance matrix of class {label} is not full rank. Increase the value of `{name}` to reduce the "
                    "collinearity."
                )

    def _set_fitted(self):
        super()._set_fitted()
        covariances = self._covariances()
        self.__dict__.pop("covariance_", None)
        if self.store_covariance:
            self.covariance_ = covariances
        self.rotations_, self.scalings_ = [], []
        for covariance in covariances:
            values, vectors = np.linalg.eigh(covariance)
            self.scalings_.append(values[::-1].copy())
            self.rotations_.append(np.ascontiguousarray(vectors[:, ::-1]))
