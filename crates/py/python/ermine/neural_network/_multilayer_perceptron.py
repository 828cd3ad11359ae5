"""MLPClassifier and MLPRegressor."""

import json
import warnings

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils.multiclass import _check_partial_fit_first_call

from .._base import encode_classes, seed_of
from .._classifier import NativeClassifier, class_factors
from .._regressor import NativeRegressor
from ._base import EpochTrained, widths


class _Perceptron(EpochTrained):
    """Shared by MLPClassifier and MLPRegressor."""

    def _params(self):
        params = self._learner_params()
        params["hidden_layer_sizes"] = widths(self.hidden_layer_sizes, "hidden_layer_sizes")
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

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        params = about["params"]
        self.hidden_layer_sizes = tuple(params["hidden_layer_sizes"])
        self.batch_size = "auto" if params["batch_size"] is None else params["batch_size"]


class MLPClassifier(NativeClassifier, _Perceptron):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Train the network."""
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
        """Train the network for one epoch on further rows."""
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
        """Train the network."""
        X, y = self._check_X_y(X, y, multi_output=True, y_numeric=True)
        y = self._targets(y)
        weight = self._check_weight(sample_weight, X)
        self._fit_perceptron(X, {"y": y}, {**self._params(), "class_weight": None}, weight)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, sample_weight=None):
        """Train the network for one epoch on further rows."""
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
