"""Lasso and elastic net: single penalties, paths, and penalties chosen by cross-validation."""

import json
import numbers
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import RegressorMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.utils import check_array, check_scalar
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _raise_for_params,
    _routing_enabled,
    process_routing,
)
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from .. import _native
from .._base import FLOATS, Estimator, as_viewable, seed_of, to_json_value
from ._base import _LinearModel


def enet_path(
    X,
    y,
    *,
    l1_ratio=0.5,
    eps=1e-3,
    n_alphas="deprecated",
    alphas="warn",
    precompute="auto",
    Xy=None,
    copy_X=True,
    coef_init=None,
    verbose=False,
    return_n_iter=False,
    positive=False,
    check_input=True,
    **params,
):
    """Compute the elastic net for falling penalties, each from the one before.

    No intercept is fitted unless `fit_intercept=True` is given, which solves as if X and y had been centered, without a copy.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows. Float64 and float32 arrays in either memory order are used in place.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Target values; several targets are solved each on its own.
    l1_ratio : float, default=0.5
        The share of the absolute values in the penalty; 1 is the lasso.
    eps : float, default=1e-3
        The last penalty as a share of the first.
    n_alphas : int, default=100
        The old way to give a number of penalties; use `alphas`.
    alphas : int or array-like, default=100
        The penalties, or how many of them.
    precompute : "auto", bool or array-like, default="auto"
        True computes the products of all columns at the start; otherwise those of the columns that become active. A given
        matrix of products is not needed.
    Xy : array-like, default=None
        Not needed.
    copy_X : bool, default=True
        X is never changed and never copied as a whole.
    coef_init : array-like of shape (n_features,), default=None
        Coefficients to start from.
    verbose : bool or int, default=False
        Has no effect.
    return_n_iter : bool, default=False
        Whether the numbers of rounds are returned.
    positive : bool, default=False
        Whether coefficients are kept at or above 0.
    check_input : bool, default=True
        Whether X and y are validated.
    **params : kwargs
        `tol`, `max_iter`, `random_state`, `selection`, `sample_weight` and `fit_intercept` (False), as for the estimators.

    Returns
    -------
    alphas : ndarray of shape (n_alphas,)
        The penalties, falling.
    coefs : ndarray of shape (n_features, n_alphas) or (n_targets, n_features, n_alphas)
        The coefficients.
    dual_gaps : ndarray of shape (n_alphas,) or (n_targets, n_alphas)
        Upper bounds on objective minus optimum.
    n_iters : list of int
        Rounds for each penalty, with `return_n_iter`.
    """
    tol = params.pop("tol", 1e-4)
    max_iter = params.pop("max_iter", 1000)
    random_state = params.pop("random_state", None)
    selection = params.pop("selection", "cyclic")
    sample_weight = params.pop("sample_weight", None)
    fit_intercept = params.pop("fit_intercept", False)
    for theirs in ("X_offset", "X_scale"):
        params.pop(theirs, None)
    if params:
        raise ValueError("Unexpected parameters in params", params.keys())
    if selection not in ("random", "cyclic"):
        raise ValueError("selection should be either random or cyclic.")
    if not isinstance(n_alphas, str):
        warnings.warn("'n_alphas' is deprecated: give the number of penalties as 'alphas'.", FutureWarning, stacklevel=2)
        if isinstance(alphas, str) or alphas is None:
            alphas = n_alphas
    if isinstance(alphas, str) or alphas is None:
        alphas = 100
    if check_input:
        X = check_array(X, accept_sparse="csr", dtype=FLOATS, ensure_all_finite=False)
        y = check_array(y, dtype=np.float64, ensure_2d=False, ensure_all_finite=True)
    elif sparse.issparse(X):
        X = X.tocsr()
    check_consistent_length(X, y)
    if positive and y.ndim > 1 and y.shape[1] > 1:
        raise ValueError("positive=True is not allowed for multi-output (y.ndim != 1)")
    X, y = as_viewable(X), np.ascontiguousarray(y, dtype=np.float64)
    learner = {
        "alpha": "path",
        "l1_ratio": float(l1_ratio),
        "fit_intercept": bool(fit_intercept),
        "precompute": bool(precompute) if isinstance(precompute, (bool, np.bool_)) else False,
        "max_iter": int(max_iter),
        "tol": float(tol),
        "positive": bool(positive),
        "selection": selection,
    }
    if isinstance(alphas, numbers.Integral):
        learner["n_alphas"], learner["eps"] = int(alphas), float(eps)
    else:
        learner["alphas"] = to_json_value(np.ravel(alphas).astype(float).tolist())
    if coef_init is not None:
        learner["start"] = np.atleast_2d(np.asarray(coef_init, dtype=np.float64)).tolist()
    weight = None if sample_weight is None else np.ascontiguousarray(sample_weight, dtype=np.float64)
    model = _native.fit(
        "elastic-net",
        json.dumps(learner, allow_nan=False),
        X,
        y=y,
        weight=weight,
        seed=seed_of(random_state) % 2**64,
        estimator="enet_path",
    )
    paths = [_read_path(model, k, X.shape[1]) for k in range(1 if y.ndim == 1 else y.shape[1])]
    if y.ndim == 1:
        found, coefs, _, gaps, iters = paths[0]
    else:
        found = paths[0][0]
        coefs, gaps = np.stack([p[1] for p in paths]), np.stack([p[3] for p in paths])
        iters = [int(n) for n in np.max([p[4] for p in paths], axis=0)]
    coefs = coefs.astype(X.dtype, copy=False)
    return (found, coefs, gaps, iters) if return_n_iter else (found, coefs, gaps)


def lasso_path(
    X,
    y,
    *,
    eps=1e-3,
    n_alphas="deprecated",
    alphas="warn",
    precompute="auto",
    Xy=None,
    copy_X=True,
    coef_init=None,
    verbose=False,
    return_n_iter=False,
    positive=False,
    **params,
):
    """Compute the lasso for falling penalties, each from the one before.

    It is `enet_path` with l1_ratio=1; see there for the parameters and what is returned.
    """
    return enet_path(
        X,
        y,
        l1_ratio=1.0,
        eps=eps,
        n_alphas=n_alphas,
        alphas=alphas,
        precompute=precompute,
        Xy=Xy,
        copy_X=copy_X,
        coef_init=coef_init,
        verbose=verbose,
        return_n_iter=return_n_iter,
        positive=positive,
        **params,
    )


def _read_path(model, target, n_features):
    """Penalties, coefficients (one column per penalty), intercepts, gaps and rounds of a path."""
    read = lambda name: model.array(f"path{target}/{name}")  # noqa: E731
    alphas, starts = read("alphas"), read("starts").astype(np.int64)
    shape = (len(alphas), n_features)
    steps = sparse.csr_array((read("values"), read("columns").astype(np.int64), starts), shape=shape)
    coefs = np.zeros((n_features, len(alphas)), order="F")
    coefs.T[...] = steps.toarray()
    return alphas, coefs, read("intercepts"), read("gaps"), [int(n) for n in read("iterations")]


def _check_gram(gram, X, weight, fit_intercept):
    """Looks at a matrix of products that the caller brought, as scikit-learn does; the products are computed here anyway."""
    gram = check_array(gram, dtype=None)
    if gram.shape != (X.shape[1], X.shape[1]):
        raise ValueError(f"Gram matrix of shape {gram.shape} for {X.shape[1]} columns")
    if sparse.issparse(X):
        return
    mean = np.average(X, axis=0, weights=weight) if fit_intercept else np.zeros(X.shape[1])
    if not np.allclose(mean, 0):
        warnings.warn(
            "Gram matrix was provided but X was centered to fit intercept: recomputing Gram matrix.", UserWarning, stacklevel=4
        )
        return
    a = X.shape[1] // 2
    b = min(a + 1, X.shape[1] - 1)
    scale = np.ones(len(X)) if weight is None else weight * (len(X) / weight.sum())
    wanted = ((X[:, a] - mean[a]) * scale) @ (X[:, b] - mean[b])
    if not np.isclose(wanted, gram[a, b], rtol=1e-4 if X.dtype == np.float32 else 1e-7, atol=1e-3 * np.abs(wanted) * 1e-3):
        raise ValueError(
            "Gram matrix passed in via 'precompute' parameter did not pass validation when a single element was checked - "
            "please check that it was computed properly. For element "
            f"({a},{b}) we computed {wanted} but the user-supplied value was {gram[a, b]}."
        )


class _CoordinateDescent:
    """Shared by all estimators here: how a fit is started and how it fails."""

    def _fit_native(self, X, **kwargs):
        try:
            return super()._fit_native(X, **kwargs)
        except ValueError as error:
            if "overflow" in str(error):
                raise ValueError(
                    "Coordinate descent iterations resulted in non-finite parameter values. The input data may contain "
                    f"large values and need to be preprocessed: {error}"
                ) from error
            raise

    def _warn_unless_converged(self):
        certificate = self._certificate()
        if not certificate["converged"]:
            gap = certificate.get("duality_gap", certificate.get("kkt_residual"))
            warnings.warn(
                "Objective did not converge. You might want to increase the number of iterations. "
                f"Duality gap: {gap:.3e} after {certificate['iterations']} rounds, tolerance: {self.tol:.3e} times the mean "
                "square of the target.",
                ConvergenceWarning,
                stacklevel=3,
            )


class PenalizedRegressor(_CoordinateDescent, _LinearModel):
    """Shared by ElasticNet and Lasso."""

    path = staticmethod(enet_path)

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None, check_input=True):
        """Fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows. Float64 and float32 arrays in either memory order are used in place.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Target values; several targets are solved each on its own.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights of the rows.
        check_input : bool, default=True
            Has no effect: X and y are always validated.

        Returns
        -------
        self : object
        """
        if self.alpha == 0:
            warnings.warn(
                "With alpha=0, this algorithm does not converge well. You are advised to use the LinearRegression "
                "estimator",
                stacklevel=2,
            )
        if isinstance(sample_weight, numbers.Number):
            sample_weight = None
        params = self._learner_params()
        params["precompute"] = bool(self.precompute) if isinstance(self.precompute, (bool, np.bool_)) else False
        params["max_iter"] = 1000 if self.max_iter is None else int(self.max_iter)
        if self.warm_start and hasattr(self, "coef_") and np.shape(self.coef_)[-1] == np.shape(X)[1]:
            params["start"] = np.atleast_2d(np.asarray(self.coef_, dtype=np.float64)).tolist()
        if self.selection == "random":
            self._seed = seed_of(self.random_state)
        self._fit_rows(X, y, sample_weight, params)
        self._warn_unless_converged()
        return self

    def _fit_native(self, X, *, sample_weight=None, **kwargs):
        if not isinstance(self.precompute, (bool, np.bool_)):
            _check_gram(self.precompute, X, sample_weight, self.fit_intercept)
        return super()._fit_native(X, sample_weight=sample_weight, seed=getattr(self, "_seed", 0), **kwargs)

    def _set_fitted(self):
        super()._set_fitted()
        gap, rounds = self._model.array("dual_gap"), self._model.array("n_iter")
        # A target of one column counts as one target, as in scikit-learn.
        one = self.coef_.ndim == 1 or self.coef_.shape[0] == 1
        if one and self.coef_.ndim == 2:
            self.coef_, self._one_target = self.coef_[0], True
        self.dual_gap_ = gap[0] if one else gap
        self.n_iter_ = int(rounds[0]) if one else [int(n) for n in rounds]

    @property
    def sparse_coef_(self):
        """The coefficients as a sparse matrix of shape (n_targets, n_features)."""
        check_is_fitted(self)
        return sparse.csr_array(np.atleast_2d(self.coef_))


class Lasso(PenalizedRegressor):
    @property
    def l1_ratio(self):
        """1: the whole penalty is on the absolute values."""
        return 1.0


class PenalizedRegressorCV(_CoordinateDescent, RegressorMixin, Estimator):
    """Penalties chosen by cross-validation: a path for each fold, then a fit at the best penalty."""

    path = staticmethod(enet_path)

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None, **params):
        """Choose the penalty by cross-validation and fit with it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Target values.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights of the rows, in the fits and in the errors of the folds.
        **params : dict
            Parameters for the splitter, with metadata routing.

        Returns
        -------
        self : object
        """
        _raise_for_params(params, self, "fit")
        X, y = self._check_X_y(X, y, multi_output=True, y_numeric=True)
        if y.ndim > 1 and y.shape[1] > 1:
            raise ValueError(f"For multi-task outputs, use MultiTask{type(self).__name__}")
        y = column_or_1d(y, warn=True)
        if isinstance(sample_weight, numbers.Number):
            sample_weight = None
        weight = self._check_weight(sample_weight, X)
        ratios = np.atleast_1d(getattr(self, "l1_ratio", 1.0))
        base = {
            "fit_intercept": bool(self.fit_intercept),
            "precompute": bool(self.precompute) if isinstance(self.precompute, (bool, np.bool_)) else False,
            "max_iter": int(self.max_iter),
            "tol": float(self.tol),
            "positive": bool(self.positive),
            "selection": self.selection,
        }
        seed = seed_of(self.random_state) if self.selection == "random" else 0

        def native(X, y, weight, **changes):
            return self._fit_native(
                X, y=y, sample_weight=weight, params={**base, **changes}, seed=seed, learner="elastic-net"
            )

        if isinstance(self.alphas, numbers.Integral):
            alphas = [self._grid(native, X, y, weight, float(ratio)) for ratio in ratios]
        else:
            for k, alpha in enumerate(self.alphas):
                check_scalar(alpha, f"alphas[{k}]", target_type=numbers.Real, min_val=0.0, include_boundaries="left")
            alphas = [np.sort(np.asarray(self.alphas, dtype=float))[::-1]] * len(ratios)

        if _routing_enabled():
            routed = process_routing(self, "fit", sample_weight=sample_weight, **params).splitter.split
        else:
            routed = {}
        folds = list(check_cv(self.cv).split(X, y, **routed))
        errors = np.empty((len(ratios), len(folds), len(alphas[0])))
        for f, (train, test) in enumerate(folds):
            inside = None if weight is None else weight[train]
            X_train, y_train, X_test = X[train], y[train], X[test]
            for r, ratio in enumerate(ratios):
                model = native(X_train, y_train, inside, alpha="path", alphas=to_json_value(alphas[r].tolist()), l1_ratio=float(ratio))
                _, coefs, intercepts, *_ = _read_path(model, 0, X.shape[1])
                rest = y[test][:, None] - (X_test @ coefs + intercepts)
                errors[r, f] = np.average(rest**2, axis=0, weights=None if weight is None else weight[test])
        mean = errors.mean(axis=1)
        best = min(range(len(ratios)), key=lambda r: mean[r].min())
        self.mse_path_ = np.squeeze(np.moveaxis(errors, 2, 1))
        self.alpha_ = float(alphas[best][np.argmin(mean[best])])
        if hasattr(self, "l1_ratio"):
            self.l1_ratio_ = ratios[best]
        if isinstance(self.alphas, numbers.Integral):
            self.alphas_ = np.asarray(alphas) if len(ratios) > 1 else alphas[0]
        else:
            self.alphas_ = alphas[0]
        native(X, y, weight, alpha=self.alpha_, l1_ratio=float(ratios[best]))
        self._set_fitted()
        if X.dtype == np.float32:
            self.coef_ = self.coef_.astype(np.float32)
        self._warn_unless_converged()
        return self

    @staticmethod
    def _first(native, X, y, weight, ratio):
        """The least penalty that makes all coefficients 0."""
        model = native(X, y, weight, alpha="path", n_alphas=1, l1_ratio=ratio)
        return float(model.array("path0/alphas")[0])

    def _grid(self, native, X, y, weight, ratio):
        if ratio == 0:
            raise ValueError(
                "Automatic alpha grid generation is not supported for l1_ratio=0. Please supply a grid by providing your "
                "estimator with the appropriate `alphas=` argument."
            )
        first = self._first(native, X, y, weight, ratio)
        if first <= np.finfo(np.float64).resolution:
            return np.full(self.alphas, np.finfo(np.float64).resolution)
        return np.geomspace(first, first * self.eps, num=self.alphas)

    def _set_fitted(self):
        self.coef_ = self._model.array("coef")[0]
        self.intercept_ = self._model.array("intercept")[0] if self.fit_intercept else 0.0
        self.dual_gap_ = self._model.array("dual_gap")[0]
        self.n_iter_ = int(self._model.array("n_iter")[0])

    def predict(self, X):
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        y = self._call_native("predict", X)
        return (y.astype(np.float32) if X.dtype == np.float32 else y).ravel()

    def get_metadata_routing(self):
        """Get the metadata routing of this object.

        Returns
        -------
        routing : MetadataRouter
        """
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(splitter=check_cv(self.cv), method_mapping=MethodMapping().add(caller="fit", callee="split"))
        )
