"""Networks: MLPClassifier, MLPRegressor, ConvNetClassifier, Autoencoder, GAN."""

import json
import numbers
import warnings

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import _check_partial_fit_first_call
from sklearn.utils.validation import check_is_fitted

from ._base import Estimator, encode_classes, seed_of
from ._classify import NativeClassifier, class_factors
from ._regress import NativeRegressor


def _widths(sizes, what):
    """Widths of hidden layers as a list of int."""
    sizes = [sizes] if isinstance(sizes, numbers.Integral) else list(sizes)
    if any(not isinstance(size, numbers.Integral) or size <= 0 for size in sizes):
        raise ValueError(f"{what} must be > 0, got {sizes}.")
    return [int(size) for size in sizes]


class _Course(Estimator):
    """What networks tell of their training."""

    def _set_fitted(self):
        stand = json.loads(self._model.field("stand"))
        self.loss_curve_ = stand["losses"]
        self.loss_ = self.loss_curve_[-1] if self.loss_curve_ else float("nan")
        self.n_iter_ = int(stand["epochs"])
        self._stand = stand

    def _warn_of_the_end(self):
        certificate = self._certificate()
        if certificate is None or certificate["converged"]:
            return
        notes = "".join(f" ({note})" for note in certificate.get("notes", []))
        warnings.warn(
            f"Stochastic Optimizer: Maximum iterations ({self.max_iter}) reached and the optimization hasn't converged yet.{notes}",
            ConvergenceWarning,
            stacklevel=4,
        )


class _Perceptron(_Course):
    """What MLPClassifier and MLPRegressor share."""

    def _params(self):
        params = self._learner_params()
        params["hidden_layer_sizes"] = _widths(self.hidden_layer_sizes, "hidden_layer_sizes")
        params["batch_size"] = None if isinstance(self.batch_size, str) else int(self.batch_size)
        if self.n_iter_no_change == np.inf:
            params["n_iter_no_change"] = self.max_iter
        return params

    def _fit_perceptron(self, X, target, params, weight):
        if not isinstance(self.batch_size, str) and self.batch_size > X.shape[0]:
            warnings.warn("Got `batch_size` less than 1 or larger than sample size. It is going to be clipped.", stacklevel=4)
        start = getattr(self, "_model", None) if self.warm_start else None
        more = {} if start is None else {"start": start, "go_on": True}
        self._fit_native(X, **target, sample_weight=weight, params=params, seed=seed_of(self.random_state), **more)
        self._set_fitted()
        self._warn_of_the_end()

    def _fit_further(self, X, target, params, weight):
        start = getattr(self, "_model", None)
        seed = seed_of(self.random_state)
        self._fit_native(X, **target, sample_weight=weight, params=params, seed=seed, start=start, resume=True)
        self._set_fitted()

    def _set_fitted(self):
        super()._set_fitted()
        scores = self._stand["scores"]
        self.validation_scores_ = scores or None
        self.best_validation_score_ = max(scores) if scores else None
        self.best_loss_ = None if scores else min(self.loss_curve_, default=None)
        self.t_ = int(self._stand["rows"])
        names = [name for name, _ in self._layers()]
        self.coefs_ = [self._model.array(f"network/{name}") for name in names if name.endswith(".weights")]
        self.intercepts_ = [self._model.array(f"network/{name}").ravel() for name in names if name.endswith(".bias")]
        self.n_layers_ = len(self.coefs_) + 1
        self.n_outputs_ = int(self.coefs_[-1].shape[1])
        self.out_activation_ = self._out_activation()

    def _layers(self):
        """Names of the runs of weights, from input to output."""
        count = json.loads(self._model.field("network/architecture")).count("dense(")
        found, layer = [], 0
        while sum(name.endswith(".weights") for name, _ in found) < count:
            for run in ("weights", "bias"):
                name = f"layer{layer}.{run}"
                try:
                    found.append((name, self._model.array(f"network/{name}").shape))
                except AttributeError:
                    continue
            layer += 1
        return found

    def _loaded(self, about):
        super()._loaded(about)
        params = about["params"]
        self.hidden_layer_sizes = tuple(params["hidden_layer_sizes"])
        self.batch_size = "auto" if params["batch_size"] is None else params["batch_size"]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class MLPClassifier(NativeClassifier, _Perceptron):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Train the network.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows. Float64 and float32 arrays by rows are read in place.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
        """
        X, y = self._check_X_y(X, y)
        weight = self._check_weight(sample_weight, X)
        classes, codes = encode_classes(y)
        if self.warm_start and hasattr(self, "classes_") and set(classes.tolist()) != set(self.classes_.tolist()):
            raise ValueError(
                "warm_start can only be used where `y` has the same classes as in the previous call to fit. "
                f"Previously got {self.classes_}, `y` has {classes}"
            )
        self.classes_ = classes
        params = {**self._params(), "class_weight": class_factors(self.class_weight, classes), "loss": "squared_error"}
        self._fit_perceptron(X, {"codes": codes, "classes": classes}, {**params, "scale_target": False}, weight)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Train the network for one epoch on further rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever occur; needed in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
        """
        if self.solver == "lbfgs":
            raise AttributeError(f"partial_fit is only available for stochastic optimizers. {self.solver} is not stochastic.")
        first = not hasattr(self, "_model")
        X, y = self._check_X_y(X, y, reset=first)
        _check_partial_fit_first_call(self, classes)
        weight = self._check_weight(sample_weight, X)
        here, codes = encode_classes(y)
        unseen = ~np.isin(here, self.classes_)
        if unseen.any():
            raise ValueError(f"`y` has classes not in `self.classes_`. `self.classes_` has {self.classes_}. 'y' has {here}.")
        codes = np.searchsorted(self.classes_, here).astype(np.uint32)[codes]
        params = {**self._params(), "class_weight": class_factors(self.class_weight, self.classes_), "loss": "squared_error"}
        self._fit_further(X, {"codes": codes, "classes": self.classes_}, {**params, "scale_target": False}, weight)
        return self

    def _out_activation(self):
        return "logistic" if len(self.classes_) == 2 else "softmax"


class MLPRegressor(NativeRegressor, _Perceptron):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Train the network.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows. Float64 and float32 arrays by rows are read in place.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
        """
        X, y = self._check_X_y(X, y, multi_output=True, y_numeric=True)
        y = self._targets(y)
        weight = self._check_weight(sample_weight, X)
        self._fit_perceptron(X, {"y": y}, {**self._params(), "class_weight": None}, weight)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, sample_weight=None):
        """Train the network for one epoch on further rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
        """
        if self.solver == "lbfgs":
            raise AttributeError(f"partial_fit is only available for stochastic optimizers. {self.solver} is not stochastic.")
        X, y = self._check_X_y(X, y, multi_output=True, y_numeric=True, reset=not hasattr(self, "_model"))
        weight = self._check_weight(sample_weight, X)
        self._fit_further(X, {"y": self._targets(y)}, {**self._params(), "class_weight": None}, weight)
        return self

    def _targets(self, y):
        return y.ravel() if y.ndim == 2 and y.shape[1] == 1 else y

    def _out_activation(self):
        return "exp" if self.loss == "poisson" else "identity"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class ConvNetClassifier(NativeClassifier, _Course):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Train the network.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), (n_samples, height, width) or (n_samples, height, width, channels)
            Images.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
        """
        shape, X = self._flat(X)
        X, y = self._check_X_y(X, y, accept_sparse=False)
        weight = self._check_weight(sample_weight, X)
        self.classes_, codes = encode_classes(y)
        params = {**self._learner_params(), "class_weight": class_factors(self.class_weight, self.classes_)}
        given = self.input if self.input is not None else shape
        params["input"] = given if given is None or isinstance(given, str) else "x".join(str(int(n)) for n in given)
        self._fit_native(
            X, codes=codes, classes=self.classes_, sample_weight=weight, params=params, seed=seed_of(self.random_state)
        )
        self._set_fitted()
        return self

    @staticmethod
    def _flat(X):
        """Rows of plain columns, and the shape of an image where X tells it."""
        if isinstance(X, np.ndarray) and X.ndim in (3, 4):
            return X.shape[1:], X.reshape(X.shape[0], -1)
        return None, X

    def _rows(self, X):
        check_is_fitted(self)
        return self._check_X(self._flat(X)[1], reset=False, accept_sparse=False)

    def _set_fitted(self):
        super()._set_fitted()
        self.validation_scores_ = self._stand["scores"] or None
        self.architecture_ = json.loads(self._model.field("network/architecture"))
        self.input_shape_ = json.loads(self._model.field("network/input"))

    def _loaded(self, about):
        super()._loaded(about)
        self.input = about["params"]["input"]
        self.class_weight = about["params"]["class_weight"]


class Autoencoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Course):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Train the encoder and the decoder.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : Ignored
            Not used; for scikit-learn's contract.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
        """
        X = self._check_X(X, reset=True, accept_sparse=False)
        params = {**self._learner_params(), "hidden_layer_sizes": _widths(self.hidden_layer_sizes, "hidden_layer_sizes")}
        weight = self._check_weight(sample_weight, X)
        self._fit_native(X, sample_weight=weight, params=params, seed=seed_of(self.random_state))
        self._set_fitted()
        return self

    @property
    def _n_features_out(self):
        check_is_fitted(self)
        return self.n_components

    def transform(self, X):
        """The codes of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        codes : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = self._check_X(X, reset=False, accept_sparse=False)
        return self._call("transform", X, single=X.dtype == np.float32)

    def inverse_transform(self, X):
        """The rows that codes stand for.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Codes.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = np.asarray(X)
        back = self._model.inverse(np.ascontiguousarray(X, dtype=np.float64), type(self).__name__)
        return back.astype(np.float32) if X.dtype == np.float32 else back

    def reconstruct(self, X):
        """The rows as the network says them again.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        return self.inverse_transform(self.transform(X))

    def _loaded(self, about):
        super()._loaded(about)
        self.hidden_layer_sizes = tuple(about["params"]["hidden_layer_sizes"])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class GAN(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Play the game.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : Ignored
            Not used; for scikit-learn's contract.
        sample_weight : array-like of shape (n_samples,), default=None
            Rows are drawn in proportion to their weights.

        Returns
        -------
        self : object
        """
        X = self._check_X(X, reset=True, accept_sparse=False)
        params = self._learner_params()
        params["generator"] = _widths(self.generator, "generator")
        params["discriminator"] = _widths(self.discriminator, "discriminator")
        weight = self._check_weight(sample_weight, X)
        self._fit_native(X, sample_weight=weight, params=params, seed=seed_of(self.random_state))
        self._set_fitted()
        return self

    def _set_fitted(self):
        about = json.loads(self._model.describe())
        certificate = about["certificate"] or {}
        self.value_ = certificate.get("objective")
        self.duality_gap_ = certificate.get("duality_gap")
        self.n_iter_ = int(certificate.get("iterations", 0))
        self.coverage_ = json.loads(self._model.field("coverage"))
        trace = about["trace"]
        columns = [] if trace is None else trace["columns"]
        self.trace_ = {name: [row[k] for row in trace["rows"]] for k, name in enumerate(columns)}

    @property
    def _n_features_out(self):
        check_is_fitted(self)
        return 1

    def transform(self, X):
        """The discriminator's probability that each row is real.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        proba : ndarray of shape (n_samples, 1)
        """
        check_is_fitted(self)
        return self._call("transform", self._check_X(X, reset=False, accept_sparse=False))

    def sample(self, n_samples=1, random_state=None):
        """Draw rows from the generator.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, RandomState or None, default=None
            The seed of the noise.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return self._model.sample(int(n_samples), seed_of(random_state) % 2**64)

    def _loaded(self, about):
        super()._loaded(about)
        self.generator = tuple(about["params"]["generator"])
        self.discriminator = tuple(about["params"]["discriminator"])
