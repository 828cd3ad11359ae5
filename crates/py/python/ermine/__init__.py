"""Ermine: machine learning in Rust behind scikit-learn's contract.

The estimators have scikit-learn's names, parameters and attributes, so that replacing the import is all there is to do::

    from ermine import LogisticRegression, Ridge

`load` and `Estimator.save` read and write the same files as the command line, `read_table` reads CSV, Parquet and the
like, `models` lists the catalogue, `set_num_threads` sets the number of threads.
"""

from . import _generated
from ._catalogue import models
from ._file import Model, load
from ._generated import *  # noqa: F403
from ._lasso import enet_path, lasso_path
from ._native import __version__, num_threads, set_num_threads
from ._search import GridSearchCV
from ._table import Table, read_table

__all__ = [
    *_generated.__all__,
    "GridSearchCV",
    "Model",
    "Table",
    "__version__",
    "enet_path",
    "lasso_path",
    "load",
    "models",
    "num_threads",
    "read_table",
    "set_num_threads",
]
