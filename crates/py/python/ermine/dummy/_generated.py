"""Signatures, constraints and documentation; what the classes do is in their bases."""

# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.

from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

from .._docs import documented
from . import _dummy

__all__ = [
    "DummyClassifier",
    "DummyRegressor",
]


@documented
class DummyClassifier(_dummy.DummyClassifier):
    """Classifier that does not look at X: what any other must beat.

    min over constants c of sum_i w_i loss(y_i, c): log loss for shares, squares for the mean, absolute values
    for the median

    The row of a comparison that every other learner must beat. It never reads the columns, so any column is
    accepted. One pass over the target; median and quantile take a few passes in bounded memory and are exact.

    Parameters
    ----------
    strategy : {"most_frequent", "prior", "stratified", "uniform", "constant"}, default="prior"
        How to predict. For classes: "prior" (most frequent class, shares as probabilities), "most_frequent",
        "stratified" and "uniform" (drawn for each row), "constant". For numbers: "mean", "median", "quantile",
        "constant". "auto" is "prior" for classes and "mean" for numbers.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    constant : int, str or array-like of shape (n_outputs,), default=None
        The label that the strategy "constant" predicts.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    n_classes_ : int or list of int
        Number of classes of each output.

    class_prior_ : ndarray of shape (n_classes,) or list of such
        Share of each class.

    n_outputs_ : int
        Number of targets.

    sparse_output_ : bool
        Whether predictions are sparse, as the target of fit was.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 2.4 (the best
    constant under a loss)
    """

    __module__ = "ermine.dummy"
    _learner = "baseline"
    _accepts = ("sparse", "categories", "targets")
    _forwarded = {"strategy": "strategy"}
    _parameter_constraints: dict = {
        "strategy": [StrOptions({"most_frequent", "prior", "stratified", "uniform", "constant"})],
        "random_state": ["random_state"],
        "constant": [Integral, str, "array-like", None],
    }

    def __init__(self, *, strategy="prior", random_state=None, constant=None):
        self.strategy = strategy
        self.random_state = random_state
        self.constant = constant


@documented
class DummyRegressor(_dummy.DummyRegressor):
    """Regressor that does not look at X: what any other must beat.

    min over constants c of sum_i w_i loss(y_i, c): log loss for shares, squares for the mean, absolute values
    for the median

    The row of a comparison that every other learner must beat. It never reads the columns, so any column is
    accepted. One pass over the target; median and quantile take a few passes in bounded memory and are exact.

    Parameters
    ----------
    strategy : {"mean", "median", "quantile", "constant"}, default="mean"
        How to predict. For classes: "prior" (most frequent class, shares as probabilities), "most_frequent",
        "stratified" and "uniform" (drawn for each row), "constant". For numbers: "mean", "median", "quantile",
        "constant". "auto" is "prior" for classes and "mean" for numbers.

    constant : float or array-like of shape (n_outputs,), default=None
        The number that the strategy "constant" predicts.

    quantile : float or None, default=None
        The level of the strategy "quantile": 0.5 is the median, 0 the minimum, 1 the maximum.

    Attributes
    ----------
    constant_ : ndarray of shape (1, n_outputs)
        What is predicted for every row.

    n_outputs_ : int
        Number of targets.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 2.4 (the best
    constant under a loss)
    """

    __module__ = "ermine.dummy"
    _learner = "baseline"
    _accepts = ("sparse", "categories", "targets")
    _forwarded = {"strategy": "strategy", "quantile": "quantile"}
    _parameter_constraints: dict = {
        "strategy": [StrOptions({"mean", "median", "quantile", "constant"})],
        "constant": [Interval(Real, None, None, closed="neither"), "array-like", None],
        "quantile": [Interval(Real, 0.0, 1.0, closed="both"), None],
    }

    def __init__(self, *, strategy="mean", constant=None, quantile=None):
        self.strategy = strategy
        self.constant = constant
        self.quantile = quantile
