"""Signatures, constraints and documentation; what the classes do is in their bases."""

# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.

from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from .._docs import documented
from .._transformer import NativeTransformer
from . import _feature_maps, _one_hot, _ordinal, _scaler

__all__ = [
    "StandardScaler",
    "MinMaxScaler",
    "OneHotEncoder",
    "OrdinalEncoder",
    "PolynomialFeatures",
    "SplineTransformer",
    "FourierFeatures",
]


@documented
class StandardScaler(_scaler.StandardScaler):
    """Columns with mean 0 and standard deviation 1.

    z = (x - mean) / sd, with sd^2 = sum_i w_i (x_i - mean)^2 / sum_i w_i

    For learners that compare columns: penalized linear models, k-means, PCA, neighbors. One pass; missing cells
    are left out of the sums and stay missing. A constant column is only centered. A mean many orders larger
    than the spread loses no digits.

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

    __module__ = "ermine.preprocessing"
    _learner = "standardise"
    _accepts = ("sparse", "missing", "targets")
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


@documented
class MinMaxScaler(_scaler.MinMaxScaler):
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

    __module__ = "ermine.preprocessing"
    _learner = "min-max"
    _accepts = ("missing", "targets")
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


@documented
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

    __module__ = "ermine.preprocessing"
    _learner = "one-hot"
    _accepts = ("missing", "categories", "targets")
    _forwarded = {}
    _parameter_constraints: dict = {
        "categories": [StrOptions({"auto"}), list],
        "drop": [StrOptions({"first", "if_binary"}), "array-like", None],
        "sparse_output": ["boolean"],
        "dtype": "no_validation",
        "handle_unknown": [StrOptions({"error", "ignore", "infrequent_if_exist", "warn"})],
        "min_frequency": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="neither"), None],
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


@documented
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

    __module__ = "ermine.preprocessing"
    _learner = "ordinal"
    _accepts = ("missing", "categories", "targets")
    _forwarded = {}
    _parameter_constraints: dict = {
        "categories": [StrOptions({"auto"}), list],
        "dtype": "no_validation",
        "handle_unknown": [StrOptions({"error", "use_encoded_value"})],
        "unknown_value": [Integral, type(np.nan), None],
        "encoded_missing_value": [Integral, type(np.nan)],
        "min_frequency": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="neither"), None],
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


@documented
class PolynomialFeatures(_feature_maps.PolynomialFeatures):
    """All products of columns up to a degree.

    z_a = x_1^a1 x_2^a2 ... for all exponents a with sum at most degree

    In front of a linear model that is to follow curves and interactions; standardize first. p columns become (p
    + degree)! / (p! degree!) columns. Sparse rows cost only the products of their stored cells. Does not
    orthogonalize: for high degrees of one column take spline.

    Sparse X comes out sparse.

    Parameters
    ----------
    degree : int or tuple (min_degree, max_degree), default=2
        The greatest degree of a product, or the least and the greatest.

    interaction_only : bool, default=False
        Whether only products of different columns are made, no powers.

    include_bias : bool, default=True
        Whether there is a column of ones, the product of nothing. Learners with an intercept do not need it.

    order : {"C", "F"}, default="C"
        The memory order of the new columns, where they are dense.

    Attributes
    ----------
    powers_ : ndarray of shape (n_output_features_, n_features_in_)
        The exponent of each column in each new one.

    n_output_features_ : int
        Number of new columns.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 2nd ed., 2009, section 5.1
    """

    __module__ = "ermine.preprocessing"
    _learner = "polynomial"
    _accepts = ("sparse", "targets")
    _forwarded = {}
    _parameter_constraints: dict = {
        "degree": [Interval(Integral, 0, None, closed="left"), "array-like"],
        "interaction_only": ["boolean"],
        "include_bias": ["boolean"],
        "order": [StrOptions({"C", "F"})],
    }

    def __init__(self, degree=2, *, interaction_only=False, include_bias=True, order="C"):
        self.degree = degree
        self.interaction_only = interaction_only
        self.include_bias = include_bias
        self.order = order


@documented
class SplineTransformer(_feature_maps.SplineTransformer):
    """B-splines of each column: local polynomials that join smoothly.

    z_jk = B_k(x_j), B-splines of a degree over the knots of column j; they add up to 1

    In front of a linear model that is to follow curves; better conditioned than powers, and it says what
    happens beyond the data. n_knots + degree - 1 columns for each column (n_knots - 1 when periodic). One pass
    for uniform knots, about four more for each inner quantile. Does not choose the number of knots.

    Parameters
    ----------
    n_knots : int, default=5
        How many knots there are along each column, both ends included; of no effect when knots are given.

    degree : int, default=3
        The degree of the pieces: 0 steps, 1 lines, 3 cubic curves with continuous curvature.

    knots : {"uniform", "quantile"} or array-like of shape (n_knots, n_features), default="uniform"
        Where the knots are: at equal distances over the range of the column, at its quantiles, or given,
        ascending.

    extrapolation : {"error", "constant", "linear", "continue", "periodic"}, default="constant"
        Beyond the first and the last knot: "error" is an error, "constant" continues with the values at the
        end, "linear" with their tangents, "continue" with the outermost polynomials, "periodic" starts over.

    include_bias : bool, default=True
        Whether the last spline of each column is kept. All of them add up to 1, which an intercept already
        represents.

    order : {"C", "F"}, default="C"
        The memory order of the new columns, where they are dense.

    handle_missing : {"error", "zeros"}, default="error"
        What to do with missing cells: "error" refuses them, "zeros" makes all their splines 0.

    sparse_output : bool, default=False
        Whether the new columns are a sparse matrix in CSR format.

    Attributes
    ----------
    bsplines_ : list of scipy.interpolate.BSpline
        The splines of each column.

    n_features_out_ : int
        Number of new columns.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    de Boor, A Practical Guide to Splines, 1978; Eilers, Marx, Statistical Science 11 (1996)
    """

    __module__ = "ermine.preprocessing"
    _learner = "spline"
    _accepts = ("targets",)
    _forwarded = {"n_knots": "n_knots", "degree": "degree", "extrapolation": "extrapolation", "include_bias": "include_bias", "handle_missing": "handle_missing"}
    _parameter_constraints: dict = {
        "n_knots": [Interval(Integral, 2, None, closed="left")],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "knots": [StrOptions({"uniform", "quantile"}), "array-like"],
        "extrapolation": [StrOptions({"error", "constant", "linear", "continue", "periodic"})],
        "include_bias": ["boolean"],
        "order": [StrOptions({"C", "F"})],
        "handle_missing": [StrOptions({"error", "zeros"})],
        "sparse_output": ["boolean"],
    }

    def __init__(
        self,
        n_knots=5,
        degree=3,
        *,
        knots="uniform",
        extrapolation="constant",
        include_bias=True,
        order="C",
        handle_missing="error",
        sparse_output=False,
    ):
        self.n_knots = n_knots
        self.degree = degree
        self.knots = knots
        self.extrapolation = extrapolation
        self.include_bias = include_bias
        self.order = order
        self.handle_missing = handle_missing
        self.sparse_output = sparse_output


@documented
class FourierFeatures(NativeTransformer):
    """Sines and cosines of each column, for periodic effects.

    sin(2 pi k x / P), cos(2 pi k x / P) for k = 1 ... order, with P the period

    In front of a linear model for cycles: hours, days of the year, angles. 2 x order columns for each column,
    one pass. Does not find periods, nor draw random frequencies.

    Parameters
    ----------
    order : int, default=3
        How many multiples of the frequency there are; each adds a sine and a cosine.

    period : float or array-like or None, default=None
        The period of a column: a number, a list with one per column, or null for the range of each column in
        training (1 for a constant one).

    Attributes
    ----------
    period_ : ndarray of shape (n_features,)
        The period of each column.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hyndman, Athanasopoulos, Forecasting: Principles and Practice, 3rd ed., 2021, section 7.4
    """

    __module__ = "ermine.preprocessing"
    _learner = "fourier"
    _accepts = ("sparse", "targets")
    _arrays = ("period",)
    _forwarded = {"order": "order", "period": "period"}
    _parameter_constraints: dict = {
        "order": [Interval(Integral, 1, 100000, closed="both")],
        "period": [Interval(Real, 0.0, 1.7976931348623157e308, closed="right"), "array-like", None],
    }

    def __init__(self, *, order=3, period=None):
        self.order = order
        self.period = period
