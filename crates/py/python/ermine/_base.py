"""What every estimator shares: validation at the door, the call into Rust, the model file."""

import json
import math
import numbers
import os
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _native

FLOATS = (np.float64, np.float32)


def plain(value):
    """A parameter as JSON has it: NumPy's scalars and arrays become Python's."""
    if isinstance(value, np.ndarray):
        return [plain(v) for v in value.tolist()]
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    return value


def addressable(X):
    """`X` itself when Rust can look at it in place; a copy when a stride is negative or off the element grid."""
    if sparse.issparse(X):
        return X
    size = X.itemsize
    steps_fit = all(step >= 0 and step % size == 0 for step, length in zip(X.strides, X.shape) if length > 1)
    if steps_fit and X.flags.aligned and X.dtype.isnative:
        return X
    return np.array(X, dtype=X.dtype.newbyteorder("="), order="C")


def seed_of(random_state):
    """The seed behind `random_state`: an int is the seed; None and generators are drawn from."""
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def encode_classes(y):
    """The distinct labels of a vector, sorted, and the code of each row. Whole numbers are counted, not sorted."""
    y = np.asarray(y)
    if y.dtype.kind in "iub" and y.dtype.isnative:
        found = _native.encode_integers(y)
        if found is not None:
            values, codes = found
            return np.array(values, dtype=y.dtype), codes
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.reshape(-1).astype(np.uint32)


def class_names(classes):
    """Labels as the model file keeps them: text."""
    return [str(label) for label in classes.tolist()]


def classes_from_names(names):
    """Labels as they were before `class_names`: numbers where all of them are numbers."""
    for convert, dtype in ((int, np.int64), (float, np.float64)):
        try:
            values = [convert(name) for name in names]
        except ValueError:
            continue
        if [str(v) for v in values] == list(names):
            return np.array(values, dtype=dtype)
    if set(names) <= {"False", "True"}:
        return np.array([name == "True" for name in names])
    return np.array(names)


class Estimator(BaseEstimator):
    """An estimator whose fit is one call of a learner of the catalogue.

    Generated classes add the signature, the constraints and the documentation. `_learner` is the learner's name;
    `_forwarded` maps parameters of the class to those of the learner.
    """

    _learner = None
    _forwarded = {}

    # The door -------------------------------------------------------------------------------------------------

    def _check_X(self, X, *, reset, accept_sparse="csr", **kwargs):
        """`X` as an array that Rust can look at. Its cells are not read: Rust refuses bad ones while it computes."""
        kwargs.setdefault("dtype", FLOATS)
        X = validate_data(self, X, reset=reset, accept_sparse=accept_sparse, ensure_all_finite=False, **kwargs)
        return addressable(X)

    def _check_X_y(self, X, y, *, accept_sparse="csr", multi_output=False, y_numeric=False, **kwargs):
        """`X` and `y`, of the same length; the cells of `y` are checked here, those of `X` by Rust."""
        kwargs.setdefault("dtype", FLOATS)
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse=accept_sparse,
            ensure_all_finite=False,
            multi_output=multi_output,
            y_numeric=y_numeric,
            **kwargs,
        )
        return addressable(X), y

    def _check_weight(self, sample_weight, X):
        """Sample weights as float64 without gaps, or None."""
        if sample_weight is None:
            return None
        return np.ascontiguousarray(_check_sample_weight(sample_weight, X, dtype=np.float64))

    # The call -------------------------------------------------------------------------------------------------

    def _learner_params(self):
        """The learner's parameters as a dict."""
        return {theirs: plain(getattr(self, ours)) for ours, theirs in self._forwarded.items()}

    def _fit_native(
        self, X, *, y=None, codes=None, classes=None, sample_weight=None, params=None, seed=0, learner=None, names=None, **more
    ):
        """Fits and keeps the model; returns it.

        `names` are those of the columns of X when they are not those of the fit; with `resume` the fit goes on from the model `start`.
        """
        names = getattr(self, "feature_names_in_", None) if names is None else names
        if y is not None:
            y = np.ascontiguousarray(y, dtype=np.float64)
        model = _native.fit(
            learner or self._learner,
            json.dumps(self._learner_params() if params is None else params, allow_nan=False),
            X,
            y=y,
            codes=codes,
            classes=None if classes is None else class_names(classes),
            weight=sample_weight,
            seed=seed % 2**64,
            names=None if names is None or isinstance(X, _native.NativeTable) else [str(n) for n in names],
            target=None if y is None and codes is None else ["y"] if y is None or y.ndim == 1 else [f"y{j}" for j in range(y.shape[1])],
            estimator=type(self).__name__,
            **more,
        )
        self._model = model
        return model

    def _certificate(self):
        text = self._model.certificate()
        return None if text is None else json.loads(text)

    def _warn_unless_converged(self, advice="Increase the number of iterations (max_iter)."):
        certificate = self._certificate()
        if certificate is not None and not certificate["converged"]:
            notes = "".join(f" ({note})" for note in certificate.get("notes", []))
            warnings.warn(
                f"{type(self).__name__} failed to converge after {certificate['iterations']} iterations{notes}. {advice}",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _call(self, method, X, **kwargs):
        """Calls a method of the model on validated rows."""
        return getattr(self._model, method)(X, type(self).__name__, **kwargs)

    def report(self):
        """What the model shows a person: coefficients (with errors, tests and intervals where it has them), statistics,
        importances, curves.

        Returns
        -------
        sections : list of dict
            In reading order. Each has one key: "text" (a paragraph), "table" (title, columns, rows) or "plot" (title,
            x, y, curves).
        """
        check_is_fitted(self)
        model = getattr(self, "_model", None)
        if not isinstance(model, _native.NativeModel):
            raise ValueError(f"this {type(self).__name__} was fitted in a way that has no report")
        return json.loads(model.report())["sections"]

    # The file -------------------------------------------------------------------------------------------------

    def save(self, path):
        """Write the fitted model to a file that Rust, the command line and `ermine.load` can read.

        The file holds arrays and names and no code. It is written beside `path` and moved there when whole, so a
        failure leaves an older file as it was.

        Parameters
        ----------
        path : str or path-like
            Where to write.
        """
        check_is_fitted(self)
        model = getattr(self, "_model", None)
        if not isinstance(model, _native.NativeModel):
            raise ValueError(f"this {type(self).__name__} was fitted in a way that the model file cannot hold")
        model.save(os.fspath(path))

    @classmethod
    def _holds(cls, capabilities):
        """Whether models with these capabilities are of this class."""
        for kind in ("classifier", "regressor", "clusterer", "transformer"):
            if kind in capabilities:
                return kind == cls()._kind()
        return False

    def _kind(self):
        tags = self.__sklearn_tags__()
        return tags.estimator_type or "transformer"

    @classmethod
    def _from_model(cls, model):
        """An estimator around a model that was read from a file."""
        about = json.loads(model.describe())
        estimator = cls()
        for ours, theirs in cls._forwarded.items():
            if theirs in about["params"]:
                setattr(estimator, ours, about["params"][theirs])
        if "random_state" in estimator.get_params():
            estimator.random_state = about["seed"]
        names = [field["name"] for field in about["schema"]["fields"]]
        estimator.n_features_in_ = len(names)
        if names != [f"x{j}" for j in range(len(names))]:
            estimator.feature_names_in_ = np.array(names, dtype=object)
        estimator._model = model
        estimator._loaded(about)
        return estimator

    def _loaded(self, about):
        """Sets the fitted attributes from the model."""
        if about["target"].get("classes"):
            self.classes_ = classes_from_names(about["target"]["classes"])
        self._set_fitted()

    def _set_fitted(self):
        """Sets the fitted attributes that follow from the model alone."""

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_model")


def is_nan(value):
    """Whether a scalar is NaN."""
    return isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and math.isnan(value)
