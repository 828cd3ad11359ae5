"""Generalized linear models: GeneralizedLinearRegressor and scikit-learn's three."""

import json
import warnings

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgWarning
from scipy.special import xlogy
from sklearn.base import RegressorMixin, _fit_context
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, column_or_1d

from .._base import Estimator

POWERS = {"gaussian": 0.0, "poisson": 1.0, "gamma": 2.0, "inverse-gaussian": 3.0}


def unit_deviance(y, mu, power):
    """The unit deviance of each row; `power` is None for shares."""
    if power is None:
        return 2 * (xlogy(y, y / mu) + xlogy(1 - y, (1 - y) / (1 - mu)))
    if power == 0:
        return (y - mu) ** 2
    if power == 1:
        return 2 * (xlogy(y, y / mu) - y + mu)
    if power == 2:
        return 2 * (np.log(mu / y) + y / mu - 1)
    saturated = np.maximum(y, 0) ** (2 - power) / ((1 - power) * (2 - power))
    return 2 * (saturated - y * mu ** (1 - power) / (1 - power) + mu ** (2 - power) / (2 - power))


class _GeneralizedLinear(RegressorMixin, Estimator):
    """A linear score behind a link."""

    def _family(self):
        """The learner's parameters `family`, `power` and `link`."""
        raise NotImplementedError

    def _power(self):
        """The power of the mean that the variance follows; None for shares."""
        family = self._family()
        return family["power"] if family["family"] == "tweedie" else POWERS.get(family["family"])

    def _solver(self):
        """The learner's name of the solver."""
        return {"newton-cholesky": "newton", "lbfgs": "auto"}[self.solver]

    def _params(self):
        return {
            **self._family(),
            "alpha": float(self.alpha),
            "fit_intercept": bool(self.fit_intercept),
            "solver": self._solver(),
            "max_iter": int(self.max_iter),
            "tol": float(self.tol),
        }

    def _fit(self, X, y, sample_weight, role=None, values=None):
        X, y = self._check_X_y(X, y, y_numeric=True)
        weight = self._check_weight(sample_weight, X)
        single = X.dtype == np.float32
        params, names = self._params(), None
        if self.warm_start and hasattr(self, "coef_") and self.coef_.shape == (X.shape[1],):
            start = [*self.coef_.astype(float), *([0.0] if role else []), *([float(self.intercept_)] if self.fit_intercept else [])]
            params["start"] = start
        if role:
            params[role] = X.shape[1]
            names = [*getattr(self, "feature_names_in_", [f"x{j}" for j in range(X.shape[1])]), role]
            X = self._beside(X, values, role)
        try:
            self._fit_native(X, y=y, sample_weight=weight, params=params, names=names)
        except ValueError as error:
            if "target, row" in str(error):
                raise ValueError(f"Some value(s) of y are out of the valid range of the loss: {error}") from None
            raise
        self._role = role
        self._set_fitted()
        if single:
            self.coef_ = self.coef_.astype(np.float32)
            if self.fit_intercept:
                self.intercept_ = np.float32(self.intercept_)
        self._warn_unless_converged()
        notes = (self._certificate() or {}).get("notes", [])
        if self.solver == "newton-cholesky" and any(note.startswith("singular") for note in notes):
            warnings.warn(
                "The inner solver of NewtonCholeskySolver stumbled upon a singular or very ill-conditioned Hessian matrix; "
                "of all coefficients that fit alike the shortest were taken. Drop collinear columns or use alpha > 0.",
                LinAlgWarning,
                stacklevel=4,
            )
        return self

    @staticmethod
    def _beside(X, values, role):
        """`X` with the offset or exposure as its last column."""
        values = column_or_1d(check_array(values, ensure_2d=False, dtype=np.float64, input_name=role))
        if values.shape[0] != X.shape[0]:
            raise ValueError(f"{role} has {values.shape[0]} values for {X.shape[0]} rows")
        if sparse.issparse(X):
            return sparse.csr_array(sparse.hstack([X, sparse.csr_array(values[:, None])], format="csr"))
        return np.column_stack([X, values])

    def _set_fitted(self):
        super()._set_fitted()
        coef = self._model.array("coef")[0]
        self.coef_ = coef[:-1] if getattr(self, "_role", None) else coef
        self.intercept_ = float(self._model.array("intercept")[0]) if self.fit_intercept else 0.0

    @classmethod
    def _from_model(cls, model):
        about = json.loads(model.describe())["params"]
        return super()._from_model(model) if cls._is_of(about) else None

    def _predict(self, X, role=None, values=None):
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        fitted = getattr(self, "_role", None)
        if role != fitted:
            raise ValueError(
                f"this {type(self).__name__} was fitted {f'with {fitted}' if fitted else 'without offset and exposure'}, and "
                f"{f'{role} is given' if role else 'none is given'} for these rows"
            )
        single = X.dtype == np.float32
        if role:
            X = self._beside(X, values, role)
        y = self._call_native("predict", X).ravel()
        return y.astype(np.float32) if single else y

    def _d2(self, y, mu, sample_weight, role=None, values=None):
        y = column_or_1d(check_array(y, ensure_2d=False, dtype=np.float64, input_name="y"))
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, mu, dtype=np.float64)
        power, mu = self._power(), mu.astype(np.float64)
        least = {True: 0.0, False: -np.inf}[power is None or power >= 1]
        strictly = power is not None and power >= 2
        if np.any(y <= 0 if strictly else y < least) or (power is None and np.any(y > 1)):
            raise ValueError("Some value(s) of y are out of the valid range of the loss.")
        if role is None:
            mean = np.average(y, weights=weight)
            null = np.average(unit_deviance(y, np.full_like(y, mean), power), weights=weight)
        else:
            # The best constant next to an offset has no closed form for every link: a fit without columns finds it.
            constant = type(self)(**self._family()).fit(np.zeros((len(y), 1)), y, weight, **{role: values})
            null = constant.null_deviance_ / (len(y) if weight is None else weight.sum())
        return float(1 - np.average(unit_deviance(y, mu, power), weights=weight) / null)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        try:
            power = self._power()
            tags.target_tags.positive_only = power is None or power >= 1
        except TypeError:
            pass  # A power that is no number: fit will refuse it.
        return tags


class _PlainGeneralizedLinear(_GeneralizedLinear):
    """Without offset, as in scikit-learn."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the coefficients."""
        return self._fit(X, y, sample_weight)

    def predict(self, X):
        """Predict the means."""
        return self._predict(X)

    def score(self, X, y, sample_weight=None):
        """The share of the deviance that is explained, D².

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        score : float
            1 - deviance / deviance of the mean.
        """
        return self._d2(y, self.predict(X), sample_weight)


class PoissonRegressor(_PlainGeneralizedLinear):
    def _family(self):
        return {"family": "poisson", "link": "log"}

    @classmethod
    def _is_of(cls, params):
        return params["family"] == "poisson" and params["link"] == "log" and _without_columns(params)


class GammaRegressor(_PlainGeneralizedLinear):
    def _family(self):
        return {"family": "gamma", "link": "log"}

    @classmethod
    def _is_of(cls, params):
        return params["family"] == "gamma" and params["link"] == "log" and _without_columns(params)


class TweedieRegressor(_PlainGeneralizedLinear):
    def _family(self):
        return {"family": "tweedie", "power": float(self.power), "link": self.link}

    @classmethod
    def _is_of(cls, params):
        return params["family"] == "tweedie" and params["link"] in ("auto", "identity", "log") and _without_columns(params)

    @classmethod
    def _from_model(cls, model):
        estimator = super()._from_model(model)
        if estimator is not None:
            params = json.loads(model.describe())["params"]
            estimator.power, estimator.link = params["power"], params["link"]
        return estimator


def _without_columns(params):
    return params["offset"] is None and params["exposure"] is None


class GeneralizedLinearRegressor(_GeneralizedLinear):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None, *, offset=None, exposure=None):
        """Fit the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows. Float64 and float32 arrays in either memory order are used in place.
        y : array-like of shape (n_samples,)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows. For the coefficients, weight 2 is the row twice. For the standard errors of "poisson" and
            "bernoulli", whose dispersion is 1, it is so too: weights are counts. Of the other families the dispersion is
            estimated and divides by rows, not by weights: weights are precisions (inverse variances).
        offset : array-like of shape (n_samples,), default=None
            What is added to the score of each row.
        exposure : array-like of shape (n_samples,), default=None
            What the mean of each row is proportional to, above 0; for the log link, and instead of an offset.

        Returns
        -------
        self : object
        """
        return self._fit(X, y, sample_weight, *_role(offset, exposure))

    def predict(self, X, *, offset=None, exposure=None):
        """Predict the means.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        offset : array-like of shape (n_samples,), default=None
            Of these rows; needed when the fit had one.
        exposure : array-like of shape (n_samples,), default=None
            Of these rows; needed when the fit had one.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        return self._predict(X, *_role(offset, exposure))

    def score(self, X, y, sample_weight=None, *, offset=None, exposure=None):
        """The share of the deviance that is explained, D².

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        offset : array-like of shape (n_samples,), default=None
            Of these rows; needed when the fit had one.
        exposure : array-like of shape (n_samples,), default=None
            Of these rows; needed when the fit had one.

        Returns
        -------
        score : float
            1 - deviance / deviance of the best constant, beside the offset or exposure where there is one.
        """
        return self._d2(y, self.predict(X, offset=offset, exposure=exposure), sample_weight, *_role(offset, exposure))

    def _family(self):
        return {"family": self.family, "power": float(self.power), "link": self.link}

    def _solver(self):
        return self.solver

    @classmethod
    def _is_of(cls, params):
        return True

    def _restore_fitted(self, about):
        params = about["params"]
        at = params["offset"] if params["offset"] is not None else params["exposure"]
        if at == self.n_features_in_ - 1:
            # The column that `fit` put beside X.
            self._role = "offset" if params["offset"] is not None else "exposure"
            self.n_features_in_ -= 1
            if hasattr(self, "feature_names_in_"):
                names = self.feature_names_in_[:-1]
                self.feature_names_in_ = names
                if list(names) == [f"x{j}" for j in range(len(names))]:
                    del self.feature_names_in_
        self._set_fitted()

    def _set_fitted(self):
        super()._set_fitted()
        names = ("n_obs", "df_model", "df_resid", "deviance", "null_deviance", "d2", "pearson_chi2", "dispersion", "log_likelihood", "aic", "bic")
        summary = dict(zip(names, self._model.array("summary").ravel().tolist()))
        for name in ("deviance", "null_deviance", "dispersion", "log_likelihood", "aic", "bic"):
            setattr(self, f"{name}_", summary[name])
        try:
            arrays = {name: self._model.array(name)[0] for name in ("std_err", "t_value", "p_value", "conf_low", "conf_high")}
            self.summary_ = {name: v[:-1] if getattr(self, "_role", None) else v for name, v in arrays.items()}
        except AttributeError:
            self.summary_ = None


def _role(offset, exposure):
    """Which of the two is given, and its values."""
    if offset is not None and exposure is not None:
        raise ValueError("give an offset or an exposure, not both: add the logarithm of one to the other")
    if offset is not None:
        return "offset", offset
    return ("exposure", exposure) if exposure is not None else (None, None)
