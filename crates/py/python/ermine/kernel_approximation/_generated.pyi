# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _feature_maps

__all__ = [
    "Nystroem",
    "RBFSampler",
]

class Nystroem(_feature_maps.Nystroem):
    components_: NDArray[Any]
    component_indices_: NDArray[Any]
    normalization_: NDArray[Any]
    approximation_error_: float
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        kernel: Any = ...,
        *,
        gamma: float | None = ...,
        coef0: float | None = ...,
        degree: float | None = ...,
        kernel_params: Any = ...,
        n_components: int = ...,
        random_state: Any = ...,
        n_jobs: int | None = ...,
    ) -> None: ...

class RBFSampler(_feature_maps.RBFSampler):
    random_weights_: NDArray[Any]
    random_offset_: NDArray[Any]
    approximation_error_: float
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        gamma: str | float = ...,
        n_components: int = ...,
        random_state: Any = ...,
    ) -> None: ...
