"""Ridge and RidgeCV."""

import numbers
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, RegressorMixin, _fit_context
from sklearn.metrics import check_scoring, get_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.utils import check_scalar
from sklearn.utils._metadata_requests import _raise_for_params, _routing_enabled
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import _check_sample_weight

from .._base import to_json_value
from ._base import _LinearModel


class Ridge(_LinearModel):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows. Float64 and float32 arrays in either memory order are used in place.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Target values.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
        """
        solver = self._named_solver(sparse.issparse(X))
        alpha = to_json_value(np.asarray(self.alpha).tolist())
        params = {"alpha": alpha, "fit_intercept": bool(self.fit_intercept), "positive": bool(self.positive)}
        if isinstance(alpha, list):
            targets = 1 if np.ndim(y) == 1 else np.shape(y)[1]
            params["alpha"] = alpha = np.ravel(alpha).tolist()
            if len(alpha) == 1:
                params["alpha"] = alpha[0]
            elif len(alpha) != targets:
                raise ValueError(
                    f"Number of targets and number of penalties do not correspond: {len(alpha)} != {targets}"
                )
        self._fit_rows(X, y, sample_weight, params)
        self.n_iter_ = np.ones(self._model.array("coef").shape[0], dtype=np.int32)
        self.solver_ = solver
        return self

    def _restore_fitted(self, about):
        alpha = about["params"].get("alpha", 1.0)
        self.alpha = np.asarray(alpha) if isinstance(alpha, list) else alpha
        super()._restore_fitted(about)

    def _set_fitted(self):
        super()._set_fitted()
        # scikit-learn's Ridge keeps a target of one column as a column in intercept_ only.
        if self.coef_.ndim == 2 and self.coef_.shape[0] == 1:
            self.coef_ = self.coef_[0]
            self._one_target = True
        if isinstance(self.alpha, str):
            # A file whose penalty was chosen: the one that was.
            alpha = self._model.array("alpha")
            self.alpha = float(alpha[0]) if len(alpha) == 1 else alpha

    def _named_solver(self, is_sparse):
        """The solver as scikit-learn would name it, after the checks that it makes."""
        if self.positive:
            if self.solver not in ("auto", "lbfgs"):
                raise ValueError(
                    f"solver='{self.solver}' does not support positive fitting. Please set the solver to 'auto' or "
                    "'lbfgs', or set `positive=False`"
                )
            return "lbfgs"
        if self.solver == "lbfgs":
            raise ValueError("'lbfgs' solver can be used only when positive=True. Please use another solver.")
        if is_sparse and self.fit_intercept:
            if self.solver not in ("auto", "lsqr", "sag", "sparse_cg"):
                raise ValueError(
                    f"solver='{self.solver}' does not support fitting the intercept on sparse data. Please set the solver "
                    "to 'auto' or 'lsqr', 'sparse_cg', 'sag', 'lbfgs' or set `fit_intercept=False`"
                )
            if self.solver == "sag" and self.max_iter is None and self.tol > 1e-4:
                warnings.warn(
                    '"sag" solver requires many iterations to fit an intercept with sparse inputs in scikit-learn; the fit '
                    "here is direct, whatever the solver is called.",
                    stacklevel=3,
                )
            return "sparse_cg" if self.solver == "auto" else self.solver
        if self.solver == "auto":
            return "sparse_cg" if is_sparse else "cholesky"
        return self.solver


class RidgeCV(_LinearModel):
    """Ridge with its penalty chosen: by the exact leave-one-out error in Rust, or by a grid search over folds."""

    # One to leave out, and one to learn from.
    _min_samples = 2

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None, **params):
        """Choose the penalty and fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows. Float64 and float32 arrays in either memory order are used in place.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Target values.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights of the rows. A row is left out with all its weight, and its error counts with its weight.
        **params : dict
            Passed on to the scorer, with metadata routing.

        Returns
        -------
        self : object
        """
        _raise_for_params(params, self, "fit")
        for name in ("cv_results_", "_model"):
            self.__dict__.pop(name, None)
        alphas = self._checked_alphas()
        if self.gcv_mode == "svd" and sparse.issparse(X):
            warnings.warn(
                "The 'svd' mode is not supported for sparse X; every mode gives the same errors here. Passing `gcv_mode='svd'` on "
                "sparse X will raise an error in scikit-learn 1.11.",
                FutureWarning,
                stacklevel=2,
            )
        if self.cv is not None:
            return self._search(X, y, sample_weight, alphas, params)
        scorer = None if self.scoring is None else self._get_scorer()
        score_params = self._score_params(sample_weight, params)
        by_scorer = scorer is not None
        native = {
            "alpha": "loo",
            "alphas": alphas,
            "alpha_per_target": bool(self.alpha_per_target),
            "store_cv_results": bool(self.store_cv_results) or by_scorer,
            "fit_intercept": bool(self.fit_intercept),
        }
        X = self._fit_rows(X, y, sample_weight, native)
        y = np.asarray(y, dtype=np.float64)
        y = y.reshape(-1, 1) if y.ndim == 1 else y
        weight = np.ones(len(y)) if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        each = self.alpha_per_target and not self._one_target
        if native["store_cv_results"]:
            residuals = self._model.array("path_residuals").reshape(len(y), y.shape[1], len(alphas))
        if by_scorer:
            found = y[:, :, None] - residuals
            self._choose(found, y, alphas, each, scorer, score_params)
            # The chosen penalty may be another than the errors alone would choose.
            native.update(alpha=to_json_value(np.asarray(self.alpha_).tolist()), store_cv_results=False)
            self._fit_native(X, y=y[:, 0] if self._one_target else y, sample_weight=self._check_weight(sample_weight, X), params=native)
            self._set_fitted()
        else:
            error = self._model.array("path_error") * (weight.sum() / len(y))
            alpha = self._model.array("alpha")
            best = -error.min(axis=1) if each else -error.mean(axis=0).min()
            self.alpha_, self.best_score_ = (alpha, best) if each else (float(alpha[0]), float(best))
            if self.store_cv_results:
                found = weight[:, None, None] * np.where(weight[:, None, None] > 0, residuals, 0.0) ** 2
        if self.store_cv_results:
            found = found[:, 0, :] if self._one_target else found
            self.cv_results_ = np.ascontiguousarray(found, dtype=X.dtype)
        if X.dtype == np.float32:
            self.coef_ = self.coef_.astype(np.float32)
            if self.fit_intercept:
                self.intercept_ = np.float32(self.intercept_)
        return self

    def _checked_alphas(self):
        """The penalties as a list; refused as scikit-learn refuses them."""
        include = "neither" if self.cv is None else "left"
        alphas = self.alphas
        if isinstance(alphas, (np.ndarray, list, tuple)) and np.ndim(alphas) == 1 and len(alphas) > 1:
            for k, alpha in enumerate(alphas):
                check_scalar(alpha, f"alphas[{k}]", numbers.Real, min_val=0.0, include_boundaries=include)
        elif np.ndim(alphas) == 1 and len(alphas) == 1:
            check_scalar(alphas[0], "alphas", numbers.Real, min_val=0.0, include_boundaries=include)
        return [float(alpha) for alpha in np.atleast_1d(np.asarray(alphas, dtype=np.float64))]

    def _choose(self, found, y, alphas, each, scorer, score_params):
        """The penalty with the best score of the predictions of rows left out."""
        identity = _Identity()

        def score(k):
            if each:
                return np.array([scorer(identity, found[:, j, k], y[:, j], **score_params) for j in range(y.shape[1])])
            if self._one_target:
                return scorer(identity, found[:, 0, k], y[:, 0], **score_params)
            return scorer(identity, found[:, :, k], y, **score_params)

        best, alpha = None, None
        for k, candidate in enumerate(alphas):
            now = score(k)
            if best is None:
                best, alpha = now, np.full(y.shape[1], candidate) if each else candidate
            elif each:
                better = now > best
                best[better], alpha[better] = now[better], candidate
            elif now > best:
                best, alpha = now, candidate
        self.alpha_, self.best_score_ = alpha, best

    def _search(self, X, y, sample_weight, alphas, params):
        """By a grid search over the folds of `cv`, with `Ridge`."""
        if self.store_cv_results:
            raise ValueError("cv!=None and store_cv_results=True are incompatible")
        if self.alpha_per_target:
            raise ValueError("cv!=None and alpha_per_target=True are incompatible")
        from . import Ridge as Estimator

        estimator = Estimator(fit_intercept=self.fit_intercept, solver="sparse_cg" if sparse.issparse(X) else "auto")
        if _routing_enabled():
            estimator.set_fit_request(sample_weight=True)
        if sample_weight is not None:
            params = {**params, "sample_weight": sample_weight}
        search = GridSearchCV(estimator, {"alpha": alphas}, cv=self.cv, scoring=self._get_scorer())
        search.fit(X, y, **params)
        best = search.best_estimator_
        self._model, self._one_target = best._model, best._one_target
        self.alpha_, self.best_score_ = best.alpha, search.best_score_
        self.coef_, self.intercept_, self.n_features_in_ = best.coef_, best.intercept_, best.n_features_in_
        if hasattr(best, "feature_names_in_"):
            self.feature_names_in_ = best.feature_names_in_
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def _set_fitted(self):
        super()._set_fitted()
        # As with Ridge, a target of one column is a column in intercept_ only.
        if self.coef_.ndim == 2 and self.coef_.shape[0] == 1:
            self.coef_ = self.coef_[0]

    def _score_params(self, sample_weight, params):
        if sample_weight is not None:
            params = {**params, "sample_weight": sample_weight}
        if _routing_enabled():
            return process_routing(self, "fit", **params).scorer.score
        return {} if sample_weight is None else {"sample_weight": sample_weight}

    def _get_scorer(self):
        if _routing_enabled() and self.scoring is None:
            return get_scorer("neg_mean_squared_error").set_score_request(sample_weight=True)
        return check_scoring(estimator=self, scoring=self.scoring, allow_none=True)

    def get_metadata_routing(self):
        """Get the metadata routing of this object.

        Returns
        -------
        routing : MetadataRouter
        """
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(scorer=self._get_scorer(), method_mapping=MethodMapping().add(caller="fit", callee="score"))
            .add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
        )

    @classmethod
    def _matches_model(cls, capabilities):
        # A file holds the fitted line; it is opened as Ridge.
        return False


class _Identity(RegressorMixin, BaseEstimator):
    """A regressor whose predictions are its rows, so that scorers can judge predictions made elsewhere."""

    def decision_function(self, y_predict):
        return y_predict

    predict = decision_function
