"""Signatures, constraints and documentation; what the classes do is in their bases."""

# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.

import numpy as np
from sklearn.utils._param_validation import MissingValues, StrOptions

from .._docs import documented
from . import _simple

__all__ = [
    "SimpleImputer",
]


@documented
class SimpleImputer(_simple.SimpleImputer):
    """Missing cells filled with the mean, the median or the most frequent value.

    z = x where it is present, else the mean (median, most frequent value) of the column

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

    __module__ = "ermine.impute"
    _learner = "impute"
    _accepts = ("missing", "categories", "targets")
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
