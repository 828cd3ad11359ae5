"""Ermine: machine learning in Rust behind scikit-learn's contract.

The estimators have scikit-learn's names, parameters and attributes, in modules of the same names, so that replacing the import is
all there is to do::

    from ermine.linear_model import LogisticRegression, Ridge

All of them are in `ermine` too. `load` and `Estimator.save` read and write the same files as the command line, `read_table` reads CSV,
Parquet and the like, `models` lists the catalogue, `set_num_threads` sets the number of threads. `ermine.decide`, `ermine.bandits` and
`ermine.rl` are about decisions, bandits and reinforcement learning, `ermine.optimize` solves quadratic programs, `ermine.course` runs theorems.

A module is loaded when something in it is first asked for.
"""

import importlib

from . import _moved
from ._index import ESTIMATORS, MODULES
from ._native import __version__, num_threads, set_num_threads

_moved.install()

_MODULES = {*MODULES, "bandits", "course", "decide", "model_selection", "optimize", "rl"}

_HOMES = {
    **{name: module for name, (module, _) in ESTIMATORS.items()},
    "GridSearchCV": "model_selection",
    "Model": "_model_file",
    "Table": "_table",
    "enet_path": "linear_model",
    "lasso_path": "linear_model",
    "load": "_model_file",
    "models": "_catalog",
    "read_table": "_table",
}

__all__ = [*_HOMES, "__version__", "num_threads", "set_num_threads"]


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_HOMES, *_MODULES})
