"""GaussianMixture and GaussianMixtureClassifier."""

import json
import warnings

import numpy as np
from sklearn.base import DensityMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from .. import _native
from .._base import Estimator, encode_classes, seed_of, to_json_value
from .._classifier import NativeClassifier

ILL_DEFINED = (
    "Fitting the mixture model failed because some components have ill-defined empirical covariance (for instance caused by "
    "singleton or collapsed samples). Try to decrease the number of components, increase reg_covar, or scale the input data."
)


def _check_shape(param, shape, name):
    if param.shape != shape:
        raise ValueError(f"The parameter '{name}' should have the shape of {shape}, but got {param.shape}")


def _flag_singular(error):
    """The error of a covariance that is not positive definite in scikit-learn's words, with ours behind."""
    if "not positive definite" in str(error):
        raise ValueError(f"{ILL_DEFINED} ({error})") from error
    raise error


class GaussianMixture(DensityMixin, Estimator):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Find weights, means and covariances by expectation-maximization."""
        X = self._check_X(X, reset=True, ensure_min_samples=2)
        weight = self._check_weight(sample_weight, X)
        if self.choose is None and X.shape[0] < self.n_components:
            raise ValueError(
                f"Expected n_samples >= n_components but got n_components = {self.n_components}, n_samples = {X.shape[0]}"
            )
        params = self._learner_params()
        params.update(self._start(X))
        again = self.warm_start and hasattr(self, "converged_")
        before = self.lower_bound_ if again else None
        if again:
            params.update(self._here())
        try:
            self._fit_native(X, sample_weight=weight, params=params, seed=seed_of(self.random_state))
        except ValueError as error:
            _flag_singular(error)
        self._set_fitted()
        self._set_course()
        if again and self.n_iter_ > 0 and abs(self.lower_bounds_[0] - before) < self.tol:
            self.converged_ = True
        if not self.converged_ and self.max_iter > 0:
            warnings.warn(
                "Best performing initialization did not converge. Try different init parameters, or increase max_iter, tol, or "
                "check for degenerate data.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _start(self, X):
        """The parts of a start that were given, in the words of scikit-learn's refusals."""
        k, p = self.n_components, X.shape[1]
        out = {}
        if self.weights_init is not None:
            weights = check_array(self.weights_init, dtype=(np.float64, np.float32), ensure_2d=False)
            _check_shape(weights, (k,), "weights")
            if (weights < 0.0).any() or (weights > 1.0).any():
                raise ValueError(
                    "The parameter 'weights' should be in the range [0, 1], but got max value "
                    f"{weights.min():.5f}, min value {weights.max():.5f}"
                )
            if not np.allclose(abs(1.0 - weights.sum()), 0.0, atol=1e-6):
                raise ValueError(f"The parameter 'weights' should be normalized, but got sum(weights) = {weights.sum():.5f}")
            out["weights_init"] = to_json_value(weights.astype(np.float64) / weights.sum(dtype=np.float64))
        if self.means_init is not None:
            means = check_array(self.means_init, dtype=(np.float64, np.float32), ensure_2d=False)
            _check_shape(means, (k, p), "means")
            out["means_init"] = to_json_value(means.astype(np.float64))
        if self.precisions_init is not None:
            out["precisions_init"] = to_json_value(self._checked_precisions(k, p))
        return out

    def _checked_precisions(self, k, p):
        kind = self.covariance_type
        precisions = check_array(
            self.precisions_init, dtype=(np.float64, np.float32), ensure_2d=False, allow_nd=kind == "full"
        ).astype(np.float64)
        shapes = {"full": (k, p, p), "tied": (p, p), "diag": (k, p), "spherical": (k,), "tied_spherical": ()}
        _check_shape(precisions, shapes[kind], f"{kind} precision")
        if kind in ("full", "tied"):
            for matrix in precisions.reshape(-1, p, p):
                if not (np.allclose(matrix, matrix.T) and (np.linalg.eigvalsh(matrix) > 0.0).all()):
                    raise ValueError(f"'{kind} precision' should be symmetric, positive-definite")
        elif (precisions <= 0.0).any():
            raise ValueError(f"'{kind} precision' should be positive")
        return precisions

    def _here(self):
        """The present parameters as a start."""
        return {
            "weights_init": to_json_value(self.weights_ / self.weights_.sum()),
            "means_init": to_json_value(self.means_),
            "precisions_init": to_json_value(self.precisions_ if self.covariance_type != "tied_spherical" else self.precisions_[()]),
            "n_init": 1,
            "choose": None,
        }

    def _set_fitted(self):
        super()._set_fitted()
        model = self._model
        kind = json.loads(model.field("covariance_type"))
        p = self.means_.shape[1]
        if kind == "tied_spherical":
            self.covariances_ = self.covariances_[0]
        if kind in ("full", "tied"):
            lower = np.linalg.cholesky(self.covariances_)
            inverse = np.linalg.solve(lower, np.broadcast_to(np.eye(p), lower.shape))
            self.precisions_cholesky_ = np.swapaxes(inverse, -1, -2)
            self.precisions_ = self.precisions_cholesky_ @ np.swapaxes(self.precisions_cholesky_, -1, -2)
        else:
            self.precisions_cholesky_ = 1.0 / np.sqrt(self.covariances_)
            self.precisions_ = self.precisions_cholesky_**2
        certificate = self._certificate()
        self.n_iter_, self.converged_ = certificate["iterations"], certificate["converged"]
        self.n_components_ = len(self.weights_)
        weight = json.loads(model.field("rows_weight"))
        self.lower_bound_ = certificate["objective"] / weight
        self.lower_bounds_ = [self.lower_bound_]

    def _set_course(self):
        """The objective after every step."""
        trace = json.loads(self._model.describe())["trace"]
        weight = json.loads(self._model.field("rows_weight"))
        at = trace["columns"].index("objective")
        self.lower_bounds_ = [row[at] / weight for row in trace["rows"]][1:]

    def _model_kind(self):
        return "clusterer"

    def _rows(self, X):
        check_is_fitted(self)
        return self._check_X(X, reset=False)

    def fit_predict(self, X, y=None, sample_weight=None):
        """Fit, and return the most probable component of each row."""
        return self.fit(X, sample_weight=sample_weight).predict(X)

    def predict(self, X):
        """The most probable component of each row."""
        return self._call_native("assign", self._rows(X)).astype(np.int64)

    def predict_proba(self, X):
        """Posterior probabilities of the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; NaN is a missing cell.

        Returns
        -------
        posterior : ndarray of shape (n_samples, n_components)
        """
        X = self._rows(X)
        return _native.mixture_posterior(self._model, X, type(self).__name__)

    def score_samples(self, X):
        """The logarithm of the density at each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; of those with missing cells, that of the cells they have.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
        """
        return self._call_native("log_density", self._rows(X))

    def score(self, X, y=None):
        """The mean of the log densities of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : Ignored
            Not used; for scikit-learn's contract.

        Returns
        -------
        log_likelihood : float
        """
        return float(self.score_samples(X).mean())

    def _n_parameters(self):
        k, p = self.means_.shape
        triangle = p * (p + 1) // 2
        kind = json.loads(self._model.field("covariance_type"))
        spread = {"full": k * triangle, "tied": triangle, "diag": k * p, "spherical": k, "tied_spherical": 1}[kind]
        return int(spread + k * p + (0 if self.equal_weights else k - 1))

    def bic(self, X):
        """Bayesian information criterion; less is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        bic : float
        """
        log_density = self.score_samples(X)
        return float(-2.0 * log_density.sum() + self._n_parameters() * np.log(len(log_density)))

    def aic(self, X):
        """Akaike information criterion; less is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        aic : float
        """
        return float(-2.0 * self.score_samples(X).sum() + 2 * self._n_parameters())

    def sample(self, n_samples=1):
        """Draw rows from the mixture.

        Parameters
        ----------
        n_samples : int, default=1
            How many.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Rows, component after component.
        y : ndarray of shape (n_samples,)
            The components they come from.
        """
        check_is_fitted(self)
        if n_samples < 1:
            raise ValueError(f"Invalid value for 'n_samples': {n_samples} . The sampling requires at least one sample.")
        return _native.mixture_sample(self._model, int(n_samples), seed_of(self.random_state) % 2**64)

    def impute(self, X):
        """The rows with their missing cells (NaN) filled in by their expectation given the others.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        """
        return _native.mixture_impute(self._model, self._rows(X), type(self).__name__)

    def outlier_threshold(self, X, false_positive_rate):
        """The greatest log density below which at most this share of rows lies that are no outliers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows that are no outliers.
        false_positive_rate : float
            The share of them that may be called outliers.

        Returns
        -------
        threshold : float
            Rows whose `score_samples` is below it are outliers.
        """
        if not 0.0 <= false_positive_rate <= 1.0:
            raise ValueError(f"false_positive_rate must lie between 0 and 1, and it is {false_positive_rate}")
        order = np.sort(self.score_samples(X))
        below = int(np.floor(false_positive_rate * len(order) * (1.0 + 1e-12)))
        if below >= len(order):
            return np.inf
        return float(order[below])


class GaussianMixtureClassifier(NativeClassifier):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Find a mixture for each class."""
        X, y = self._check_X_y(X, y)
        weight = self._check_weight(sample_weight, X)
        classes, codes = encode_classes(y)
        params = self._learner_params()
        try:
            self._fit_native(
                X, codes=codes, classes=classes, sample_weight=weight, params=params, seed=seed_of(self.random_state)
            )
        except ValueError as error:
            _flag_singular(error)
        self.classes_ = classes
        self._set_fitted()
        self._warn_unless_converged()
        return self

    def _set_fitted(self):
        super()._set_fitted()
        certificate = self._certificate()
        self.n_iter_ = certificate["iterations"]
        self.n_components_ = np.array(
            [len(self._model.array(f"{c}/weights")) if n > 0 else 0 for c, n in enumerate(self.class_count_)]
        )

    def score_samples(self, X):
        """The logarithm of the density at each row, whatever its class."""
        return self._call_native("log_density", self._rows(X))
