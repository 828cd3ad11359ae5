"""The estimators: signatures, constraints and documentation. What they do is in the modules they import."""

# Written by `cargo xtask gen` from the catalogue and xtask/src/gen/faces.rs. Do not edit.

from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Hidden, Interval, MissingValues, RealNotInt, StrOptions

from . import _dummy, _impute, _one_hot, _ordinal, _scale

__all__ = [
    "DummyClassifier",
    "DummyRegressor",
    "StandardScaler",
    "MinMaxScaler",
    "OneHotEncoder",
    "OrdinalEncoder",
    "SimpleImputer",
]


class DummyClassifier(_dummy.DummyClassifier):
    """Classifier that does not look at X: what any other must beat.

    min over constants c of sum_i w_i loss(y_i, c): log loss for shares, squares for the mean, absolute values
    for the median

    The row of a comparison that every other learner must beat. It never reads the columns, so any column is
    welcome. One pass over the target; median and quantile take a few passes in bounded memory and are exact.

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

    _learner = "baseline"
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


class DummyRegressor(_dummy.DummyRegressor):
    """Regressor that does not look at X: what any other must beat.

    min over constants c of sum_i w_i loss(y_i, c): log loss for shares, squares for the mean, absolute values
    for the median

    The row of a comparison that every other learner must beat. It never reads the columns, so any column is
    welcome. One pass over the target; median and quantile take a few passes in bounded memory and are exact.

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

    _learner = "baseline"
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


class StandardScaler(_scale.StandardScaler):
    """Columns with mean 0 and standard deviation 1.

    z = (x - mean) / sd, with sd^2 = sum_i w_i (x_i - mean)^2 / sum_i w_i

    For learners that compare columns: penalised linear models, k-means, PCA, neighbours. One pass; missing
    cells are left out of the sums and stay missing. A constant column is only centred. A mean many orders
    larger than the spread loses no digits.

    Sparse X is taken when `with_mean` is False.

    Parameters
    ----------
    copy : bool, default=True
        Whether X must stay as it is; if not, it is changed where it lies when its type allows.

    with_mean : bool, default=True
        Whether the mean is taken away.

    with_std : bool, default=True
        Whether to divide by the standard deviation; a constant column is divided by 1.

    Attributes
    ----------
    scale_ : ndarray of shape (n_features,) or None
        What each column is divided by; None without `with_std`.

    mean_ : ndarray of shape (n_features,) or None
        Mean of each column; None when nothing is computed.

    var_ : ndarray of shape (n_features,) or None
        Variance of each column; None without `with_std`.

    n_samples_seen_ : int or ndarray of shape (n_features,)
        Rows seen; for each column when columns miss different numbers of cells; a sum of weights with weights.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Chan, Golub, LeVeque: Algorithms for computing the sample variance, The American Statistician 37 (1983)
    """

    _learner = "standardise"
    _forwarded = {"with_mean": "with_mean", "with_std": "with_std"}
    _parameter_constraints: dict = {
        "copy": ["boolean"],
        "with_mean": ["boolean"],
        "with_std": ["boolean"],
    }

    def __init__(self, *, copy=True, with_mean=True, with_std=True):
        self.copy = copy
        self.with_mean = with_mean
        self.with_std = with_std


class MinMaxScaler(_scale.MinMaxScaler):
    """Columns within a given range.

    z = a + (b - a) (x - min) / (max - min)

    For learners that want bounded columns, when there are no outliers. One pass; missing cells stay missing. A
    constant column comes out as the lower end. Weights do not matter, except that a row of weight 0 is left
    out.

    Parameters
    ----------
    feature_range : tuple (min, max), default=(0, 1)
        The range of the new columns.

    copy : bool, default=True
        Whether X must stay as it is; if not, it is changed where it lies when its type allows.

    clip : bool, default=False
        Whether later data is kept within the range too.

    Attributes
    ----------
    min_ : ndarray of shape (n_features,)
        What is added to each column after it is multiplied by `scale_`.

    scale_ : ndarray of shape (n_features,)
        What each column is multiplied by.

    data_min_ : ndarray of shape (n_features,)
        Least cell of each column.

    data_max_ : ndarray of shape (n_features,)
        Greatest cell of each column.

    data_range_ : ndarray of shape (n_features,)
        Their difference.

    n_samples_seen_ : int
        Rows seen.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Han, Kamber, Pei: Data Mining, 3rd ed. 2012, section 3.5.2
    """

    _learner = "min-max"
    _forwarded = {"clip": "clip"}
    _parameter_constraints: dict = {
        "feature_range": [tuple],
        "copy": ["boolean"],
        "clip": ["boolean"],
    }

    def __init__(self, feature_range=(0, 1), *, copy=True, clip=False):
        self.feature_range = feature_range
        self.copy = copy
        self.clip = clip


class OneHotEncoder(_one_hot.OneHotEncoder):
    """A 0/1 column for each value of a column.

    z_v = 1 if x = v else 0, for each value v of the column

    Before learners that take only numbers, for columns with few values. One pass, with memory for the distinct
    values. Missing cells are a value of their own. Number columns of a table are kept unless "numbers" is
    "encode".

    Columns may hold numbers, text or objects; NaN is a missing cell, None a value of its own. All columns are
    encoded.

    Parameters
    ----------
    categories : "auto" or list of array-like, default="auto"
        "auto" takes the values found in training, in order. Otherwise a list of values for each column; numbers
        in order, NaN last.

    drop : {"first", "if_binary"}, array-like of shape (n_features,) or None, default=None
        Which value of a column gets no column: None for none, "first", "if_binary" (the first, of columns with
        two values), or a value for each column.

    sparse_output : bool, default=True
        Whether the new columns are a sparse matrix in CSR format.

    dtype : type, default=np.float64
        The type of the new columns.

    handle_unknown : {"error", "ignore", "infrequent_if_exist", "warn"}, default="error"
        A value that training has not seen is refused ("error"), becomes all zeros ("ignore"), or goes to the
        column of the infrequent values ("infrequent_if_exist"; all zeros without one); "warn" is the latter
        with a warning.

    min_frequency : int, float or None, default=None
        Values with fewer rows are put together as infrequent: a whole number of rows, or a share of the rows
        between 0 and 1.

    max_categories : int or None, default=None
        At most that many groups for a column, the group of the infrequent values counted; the rarest values go
        there.

    feature_name_combiner : "concat" or callable, default="concat"
        How the name of a new column is made of a column's name and a value: "concat" puts an underscore between
        them.

    Attributes
    ----------
    categories_ : list of ndarray
        The values of each column, in order.

    drop_idx_ : ndarray of shape (n_features,) or None
        Place in `categories_` of the value without a column; None for none.

    infrequent_categories_ : list of ndarray or None
        The infrequent values of each column; None where there are none.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 2.2 (dummy
    variables)
    """

    _learner = "one-hot"
    _forwarded = {}
    _parameter_constraints: dict = {
        "categories": [StrOptions({"auto"}), list],
        "drop": [StrOptions({"first", "if_binary"}), "array-like", None],
        "sparse_output": ["boolean"],
        "dtype": "no_validation",
        "handle_unknown": [StrOptions({"error", "ignore", "infrequent_if_exist", "warn"})],
        "min_frequency": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="neither"), None],
        "max_categories": [Interval(Integral, 1, None, closed="left"), None],
        "feature_name_combiner": [StrOptions({"concat"}), callable],
    }

    def __init__(
        self,
        *,
        categories="auto",
        drop=None,
        sparse_output=True,
        dtype=np.float64,
        handle_unknown="error",
        min_frequency=None,
        max_categories=None,
        feature_name_combiner="concat",
    ):
        self.categories = categories
        self.drop = drop
        self.sparse_output = sparse_output
        self.dtype = dtype
        self.handle_unknown = handle_unknown
        self.min_frequency = min_frequency
        self.max_categories = max_categories
        self.feature_name_combiner = feature_name_combiner


class OrdinalEncoder(_ordinal.OrdinalEncoder):
    """A whole number for each value of a column.

    z = place of x among the sorted values of its column, from 0

    Before trees, or where the order of the values means something. One pass, with memory for the distinct
    values. Missing cells stay missing unless they are given a code. Number columns of a table are kept unless
    "numbers" is "encode".

    Columns may hold numbers, text or objects; NaN is a missing cell, None a value of its own. All columns are
    encoded.

    Parameters
    ----------
    categories : "auto" or list of array-like, default="auto"
        "auto" takes the values found in training, in order. Otherwise a list of values for each column; numbers
        in order, NaN last.

    dtype : type, default=np.float64
        The type of the codes.

    handle_unknown : {"error", "use_encoded_value"}, default="error"
        A value that training has not seen is refused ("error") or gets the code unknown_value
        ("use_encoded_value").

    unknown_value : int, NaN or None, default=None
        The code of values that training has not seen, for "use_encoded_value".

    encoded_missing_value : int or NaN, default=np.nan
        The code of missing cells.

    min_frequency : int, float or None, default=None
        Values with fewer rows are put together as infrequent: a whole number of rows, or a share of the rows
        between 0 and 1.

    max_categories : int or None, default=None
        At most that many groups for a column, the group of the infrequent values counted; the rarest values go
        there.

    Attributes
    ----------
    categories_ : list of ndarray
        The values of each column, in order.

    infrequent_categories_ : list of ndarray or None
        The infrequent values of each column; None where there are none.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Stevens: On the theory of scales of measurement, Science 103 (1946)
    """

    _learner = "ordinal"
    _forwarded = {}
    _parameter_constraints: dict = {
        "categories": [StrOptions({"auto"}), list],
        "dtype": "no_validation",
        "handle_unknown": [StrOptions({"error", "use_encoded_value"})],
        "unknown_value": [Integral, type(np.nan), None],
        "encoded_missing_value": [Integral, type(np.nan)],
        "min_frequency": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="neither"), None],
        "max_categories": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        *,
        categories="auto",
        dtype=np.float64,
        handle_unknown="error",
        unknown_value=None,
        encoded_missing_value=np.nan,
        min_frequency=None,
        max_categories=None,
    ):
        self.categories = categories
        self.dtype = dtype
        self.handle_unknown = handle_unknown
        self.unknown_value = unknown_value
        self.encoded_missing_value = encoded_missing_value
        self.min_frequency = min_frequency
        self.max_categories = max_categories


class SimpleImputer(_impute.SimpleImputer):
    """Missing cells filled with the mean, the median or the most frequent value.

    z = x where it is there, else the mean (median, most frequent value) of the column

    Before learners that take no missing values. One pass; the median takes a few passes in bounded memory and
    is exact. Columns without any cell are dropped unless they are to be kept. Category columns are filled with
    their most frequent name and come out as codes.

    Columns may hold numbers, text or objects; text comes out as text.

    Parameters
    ----------
    missing_values : int, float, str, NaN, None or pandas.NA, default=np.nan
        What stands for a missing cell.

    strategy : {"mean", "median", "most_frequent", "constant"} or callable, default="mean"
        What a missing cell is filled with: the mean, the median or the most frequent value of the column (the
        least of several), or `fill_value`. A callable is given the cells of a column that are there.

    fill_value : str, number or None, default=None
        The value of the strategy "constant"; None is 0 for numbers and "missing_value" for text.

    copy : bool, default=True
        Whether X must stay as it is; if not, it is changed where it lies when its type allows.

    add_indicator : bool, default=False
        Whether to add a 0/1 column for each column that has missing cells in training.

    keep_empty_features : bool, default=False
        Whether columns without any cell in training are kept, filled with 0 (or fill_value), rather than
        dropped.

    Attributes
    ----------
    statistics_ : ndarray of shape (n_features,)
        What the missing cells of each column are filled with.

    indicator_ : MissingIndicator or None
        Which columns get an indicator; None without `add_indicator`.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Little, Rubin: Statistical Analysis with Missing Data, 3rd ed. 2019, chapter 4
    """

    _learner = "impute"
    _forwarded = {}
    _parameter_constraints: dict = {
        "missing_values": [MissingValues()],
        "strategy": [StrOptions({"mean", "median", "most_frequent", "constant"}), callable],
        "fill_value": "no_validation",
        "copy": ["boolean"],
        "add_indicator": ["boolean"],
        "keep_empty_features": ["boolean"],
    }

    def __init__(
        self,
        *,
        missing_values=np.nan,
        strategy="mean",
        fill_value=None,
        copy=True,
        add_indicator=False,
        keep_empty_features=False,
    ):
        self.missing_values = missing_values
        self.strategy = strategy
        self.fill_value = fill_value
        self.copy = copy
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features
