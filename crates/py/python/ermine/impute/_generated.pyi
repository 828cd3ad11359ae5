# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _simple

__all__ = [
    "SimpleImputer",
]

class SimpleImputer(_simple.SimpleImputer):
    statistics_: NDArray[Any]
    indicator_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        missing_values: int | float | str | None = ...,
        strategy: Any = ...,
        fill_value: str | None = ...,
        copy: bool = ...,
        add_indicator: bool = ...,
        keep_empty_features: bool = ...,
    ) -> None: ...
