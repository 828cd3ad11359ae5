"""Shared by every estimator: validation at the door, the call into Rust, the model file."""

import json
import math
import numbers
import os
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _native

FLOATS = (np.float64, np.float32)


def to_json_value(value):
    """A parameter as JSON has it: NumPy's scalars and arrays become Python's."""
    if isinstance(value, np.ndarray):
        return [to_json_value(v) for v in value.tolist()]
    if isinstance(value, (list, tuple)):
        return [to_json_value(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    return value


def as_viewable(X):
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
    `_forwarded` maps parameters of the class to those of the learner; `_accepts` names the data that it takes ("sparse", "missing",
    "categories", "targets" for several, "counts" or "codes" for what the numbers stand for), None where the members of an ensemble
    decide; `_arrays` and `_fields` name parts of the model that are fitted attributes as they are; `_restored`
    names parameters that are translated for a fit and are in a model file as they were given.
    """

    _learner = None
    _forwarded = {}
    _accepts = None
    _arrays = ()
    _fields = ()
    _restored = ()
    _min_samples = 1

    # The door -------------------------------------------------------------------------------------------------

    def _sparse_format(self):
        """The sparse format that rows are taken in, or False."""
        return "csr" if self._accepts is None or "sparse" in self._accepts else False

    def _check_X(self, X, *, reset, accept_sparse=None, **kwargs):
        """`X` as an array that Rust can look at. Its cells are not read: Rust refuses bad ones while it computes."""
        kwargs.setdefault("dtype", FLOATS)
        accept_sparse = self._sparse_format() if accept_sparse is None else accept_sparse
        X = validate_data(self, X, reset=reset, accept_sparse=accept_sparse, ensure_all_finite=False, **kwargs)
        return as_viewable(X)

    def _check_X_y(self, X, y, *, accept_sparse=None, multi_output=False, y_numeric=False, **kwargs):
        """`X` and `y`, of the same length; the cells of `y` are checked here, those of `X` by Rust."""
        kwargs.setdefault("dtype", FLOATS)
        accept_sparse = self._sparse_format() if accept_sparse is None else accept_sparse
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
        return as_viewable(X), y

    def _check_weight(self, sample_weight, X):
        """Sample weights as float64 without gaps, or None."""
        if sample_weight is None:
            return None
        return np.ascontiguousarray(_check_sample_weight(sample_weight, X, dtype=np.float64))

    def _rows_and_target(self, X, y, **kwargs):
        """`X` as Rust takes it, and `y`; the mixin for tables has another."""
        return self._check_X_y(X, y, **kwargs)

    def _weight(self, sample_weight, y):
        """Sample weights for rows of which only their number is known."""
        return None if sample_weight is None else self._check_weight(sample_weight, np.empty((len(y), 1)))

    def _draw_seed(self):
        """The seed of a fit: that of `random_state` where the class has it."""
        return seed_of(self.random_state) if hasattr(self, "random_state") else 0

    # The call -------------------------------------------------------------------------------------------------

    def _learner_params(self):
        """The learner's parameters as a dict."""
        return {theirs: to_json_value(getattr(self, ours)) for ours, theirs in self._forwarded.items()}

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

    def _call_native(self, method, X, **kwargs):
        """Calls a method of the model on validated rows."""
        return getattr(self._model, method)(X, type(self).__name__, **kwargs)

    def report(self):
        """A report of the model: coefficients (with errors, tests and intervals where it has them), statistics,
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
    def _matches_model(cls, capabilities):
        """Whether models with these capabilities are of this class."""
        for kind in ("classifier", "regressor", "clusterer", "transformer"):
            if kind in capabilities:
                return kind == cls()._model_kind()
        return False

    def _model_kind(self):
        tags = self.__sklearn_tags__()
        return tags.estimator_type or "transformer"

    @classmethod
    def _from_model(cls, model):
        """An estimator around a model that was read from a file."""
        about = json.loads(model.describe())
        estimator = cls()
        settable = estimator.get_params(deep=False)
        for ours, theirs in {**cls._forwarded, **{name: name for name in cls._restored}}.items():
            if theirs in about["params"] and ours in settable:
                setattr(estimator, ours, about["params"][theirs])
        if "random_state" in settable:
            estimator.random_state = about["seed"]
        names = [field["name"] for field in about["schema"]["fields"]]
        estimator.n_features_in_ = len(names)
        if names != [f"x{j}" for j in range(len(names))]:
            estimator.feature_names_in_ = np.array(names, dtype=object)
        estimator._model = model
        estimator._restore_fitted(about)
        return estimator

    def _restore_fitted(self, about):
        """Sets the fitted attributes from the model."""
        if about["target"].get("classes"):
            self.classes_ = classes_from_names(about["target"]["classes"])
        self._set_fitted()

    def _set_fitted(self):
        """Sets the fitted attributes that follow from the model alone."""
        for name in self._arrays:
            setattr(self, f"{name}_", self._model.array(name))
        for name in self._fields:
            setattr(self, f"{name}_", json.loads(self._model.field(name)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if self._accepts is None:
            return tags
        rows = tags.input_tags
        rows.sparse, rows.allow_nan = "sparse" in self._accepts, "missing" in self._accepts
        rows.categorical = "codes" in self._accepts
        rows.positive_only = "counts" in self._accepts or "codes" in self._accepts
        given = (getattr(self, name, None) for name in ("kernel", "metric"))
        rows.pairwise = any(isinstance(value, str) and value == "precomputed" for value in given)
        tags.target_tags.multi_output = "targets" in self._accepts and isinstance(self, (ClassifierMixin, RegressorMixin))
        return tags

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_model")


def is_nan(value):
    """Whether a scalar is NaN."""
    return isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and math.isnan(value)
