"""The contract between the harness and an adapter in peers/.

An adapter is a file with

    PACKAGES = ("distribution", ...)   whose versions are recorded; one of them must be installed
    TASKS = {"task": factory, "task:variant": factory, ...}

where factory(d, p) returns a Contestant; d is the data of the task and p its parameters (tasks.py)
with the thread count added as p["threads"]. What the factory itself does is not timed: imports
belong there, conversions that a user would pay for belong in `fit`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Contestant:
    """One package on one task; quality.py defines what `predict` and `info` must return."""

    fit: Callable[[], Any]  # timed as "fit"
    predict: Callable[[Any], Any] | None = None  # of the model; timed as "predict"
    info: Callable[[Any], dict] | None = None  # of the model; what the quality function reads
    save: Callable[[Any, str], None] | None = None  # of the model and a path; timed in io tasks
    load: Callable[[str], Any] | None = None  # of the path; timed in io tasks
    jit: bool = False  # the first fit compiles code: never count it


def estimator(make, X="X", y="y", predict="predict", X_test="X_test", info=None):
    """Factory for anything of scikit-learn's fit/predict shape; make(p) returns the estimator."""

    def factory(d, p):
        make(p)  # imports what it needs, outside the timed part

        def fit():
            model = make(p)
            return model.fit(d[X], d[y]) if y else model.fit(d[X])

        predicts = predict and X_test in d
        return Contestant(
            fit, (lambda m: getattr(m, predict)(d[X_test])) if predicts else None, info
        )

    return factory


def linear_info(model):
    return {"coef": model.coef_, "intercept": model.intercept_}


def coef_info(model):
    return {"coef": model.coef_}


def test_rows(d, p):
    """The rows of a prediction task."""
    return np.ascontiguousarray(d["X_test"][: p["rows"]], np.float32)


def csv_reader(read):
    """Factory for csv_read from read(path, p), whose result must become a row-major f64 matrix."""

    def factory(d, p):
        def fit():
            return np.ascontiguousarray(read(str(d["path"]), p), dtype=np.float64)

        return Contestant(fit, None, lambda a: {"array": a})

    return factory
