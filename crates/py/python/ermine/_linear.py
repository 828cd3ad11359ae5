"""Least squares: LinearRegression and Ridge."""

import json
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import MultiOutputMixin, RegressorMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from ._base import Estimator, plain


class _LinearModel(MultiOutputMixin, RegressorMixin, Estimator):
    """Coefficients and a constant term for each target."""

    def _fit_rows(self, X, y, sample_weight, params=None):
        X, y = self._check_X_y(
            X, y, accept_sparse="csr" if self._takes_sparse() else False, multi_output=True, y_numeric=True
        )
        weight = self._check_weight(sample_weight, X)
        self._fit_native(X, y=y, sample_weight=weight, params=params)
        self._one_target = y.ndim == 1
        self._set_fitted()
        if X.dtype == np.float32:
            self.coef_ = self.coef_.astype(np.float32)
            if self.fit_intercept:
                self.intercept_ = np.float32(self.intercept_)
        return X

    def _set_fitted(self):
        coef, intercept = self._model.array("coef"), self._model.array("intercept")
        one = getattr(self, "_one_target", coef.shape[0] == 1)
        self._one_target = one
        self.coef_ = coef[0] if one else coef
        if not self.fit_intercept:
            self.intercept_ = 0.0
        else:
            self.intercept_ = intercept[0] if one else intercept

    def predict(self, X):
        """Predict the target.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        y = self._call("predict", X)
        if X.dtype == np.float32:
            y = y.astype(np.float32)
        return y.ravel() if self._one_target else y

    def _takes_sparse(self):
        return True

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse()
        return tags


class LinearRegression(_LinearModel):
    def _takes_sparse(self):
        # As in scikit-learn, whose users rely on the refusal.
        return not self.positive

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows. Float64 and float32 arrays in either memory order are used in place.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
        """
        X = self._fit_rows(X, y, sample_weight)
        if sparse.issparse(X) or self.positive:
            for name in ("rank_", "singular_"):
                self.__dict__.pop(name, None)
        return self

    def _set_fitted(self):
        super()._set_fitted()
        self.rank_ = json.loads(self._model.field("rank"))
        try:
            self.singular_ = self._model.array("singular")
        except AttributeError:
            self.__dict__.pop("singular_", None)


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
        alpha = plain(np.asarray(self.alpha).tolist())
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

    def _set_fitted(self):
        super()._set_fitted()
        # scikit-learn's Ridge keeps a target of one column as a column in intercept_ only.
        if self.coef_.ndim == 2 and self.coef_.shape[0] == 1:
            self.coef_ = self.coef_[0]
            self._one_target = True

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
