# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _dummy

__all__ = [
    "DummyClassifier",
    "DummyRegressor",
]

class DummyClassifier(_dummy.DummyClassifier):
    classes_: NDArray[Any]
    n_classes_: int
    class_prior_: NDArray[Any]
    n_outputs_: int
    sparse_output_: bool
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        strategy: str = ...,
        random_state: Any = ...,
        constant: Any = ...,
    ) -> None: ...

class DummyRegressor(_dummy.DummyRegressor):
    constant_: NDArray[Any]
    n_outputs_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        strategy: str = ...,
        constant: Any = ...,
        quantile: float | None = ...,
    ) -> None: ...
