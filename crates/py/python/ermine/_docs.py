"""The documentation of methods that all estimators have: parameters and results, from what a class accepts.

A method whose docstring has a section "Parameters" keeps it; to any other the sections are added, and to one without a docstring a
first line too.
"""

import inspect
import types

from sklearn.base import is_classifier, is_clusterer, is_regressor

# First lines of methods that have none.
_SUMMARIES = {
    "fit": "Fit the model.",
    "partial_fit": "Learn from further rows.",
    "predict_proba": "Probabilities of the classes, in the order of `classes_`.",
    "predict_log_proba": "Logarithms of the probabilities of the classes, in the order of `classes_`.",
    "decision_function": "The scores of the rows.",
    "transform": "The new columns.",
    "fit_transform": "Fit the model and return the new columns.",
    "fit_predict": "Fit the model and return the cluster of each row.",
    "score_samples": "The logarithm of the density at each row.",
}

_RESULTS = {
    "fit": "self : object",
    "partial_fit": "self : object",
    "predict_proba": "proba : ndarray of shape (n_samples, n_classes)",
    "predict_log_proba": "log_proba : ndarray of shape (n_samples, n_classes)",
    "decision_function": "scores : ndarray of shape (n_samples,) or (n_samples, n_classes)\n    Of two classes, the score of the second.",
    "transform": "Z : ndarray of shape (n_samples, n_features_out)",
    "fit_transform": "Z : ndarray of shape (n_samples, n_features_out)",
    "fit_predict": "labels : ndarray of shape (n_samples,)",
    "score": "score : float",
    "score_samples": "log_density : ndarray of shape (n_samples,)",
}

_PARAMETERS = {
    "sample_weight": "sample_weight : array-like of shape (n_samples,), default=None\n    Weights of the rows.",
    "classes": "classes : array-like of shape (n_classes,), default=None\n    All labels that will ever occur; needed in the first call.",
    "check_input": (
        "check_input : bool, default=True\n    Accepted so that programs written for scikit-learn run; rows are always checked."
    ),
}


def _rows(accepts, params):
    kind = "array-like or sparse matrix" if "sparse" in accepts else "array-like"
    text = "Rows."
    if "missing" in accepts:
        text += " NaN and null are missing values." if "categories" in accepts else " NaN is a missing cell."
    for name, meaning in (("kernel", "their kernel matrix"), ("metric", "their distances")):
        if name in params:
            text += f' With {name}="precomputed": {meaning}, of shape (n_samples, n_samples).'
    tables = ", DataFrame or Table" if "categories" in accepts and "codes" not in accepts else ""
    return f"X : {kind} of shape (n_samples, n_features){tables}\n    {text}"


def _target(accepts, estimator, required):
    if not required:
        return "y : Ignored\n    Not used; for scikit-learn's contract."
    shape = "(n_samples,) or (n_samples, n_outputs)" if "targets" in accepts else "(n_samples,)"
    return f"y : array-like of shape {shape}\n    {'Class labels' if is_classifier(estimator) else 'Target values'}."


def _predictions(accepts, estimator):
    if is_clusterer(estimator):
        return "The cluster of each row.", "labels : ndarray of shape (n_samples,)"
    shape = "(n_samples,) or (n_samples, n_outputs)" if "targets" in accepts else "(n_samples,)"
    summary = "Predict the class of each row." if is_classifier(estimator) else "Predict the target of each row."
    return summary, f"y : ndarray of shape {shape}"


def _with_doc(function, doc):
    """A copy of a function with another docstring."""
    copy = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__dict__.update(function.__dict__)
    copy.__qualname__, copy.__module__, copy.__doc__ = function.__qualname__, function.__module__, doc
    return copy


def documented(cls):
    """Adds to `cls` the documentation of its methods; for generated classes, which say what they accept."""
    estimator, accepts = cls(), cls._accepts or ()
    supervised = is_classifier(estimator) or is_regressor(estimator)
    rows = _rows(accepts, cls._parameter_constraints)
    for name in ("predict", *_RESULTS):
        function = inspect.getattr_static(cls, name, None)
        if not isinstance(function, types.FunctionType):
            continue
        doc = inspect.cleandoc(function.__doc__ or "")
        if "\nParameters\n---" in doc:
            continue
        if name == "predict":
            summary, result = _predictions(accepts, estimator)
        else:
            summary, result = _SUMMARIES.get(name, ""), _RESULTS[name]
        described = {"X": rows, "y": _target(accepts, estimator, supervised), **_PARAMETERS}
        params = [described[p] for p in inspect.signature(function).parameters if p in described]
        sections = [doc or summary, "Parameters\n----------\n" + "\n".join(params), "Returns\n-------\n" + result]
        setattr(cls, name, _with_doc(function, "\n\n".join(sections) + "\n"))
    return cls
