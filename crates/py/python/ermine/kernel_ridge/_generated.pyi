# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _kernel_ridge

__all__ = [
    "KernelRidge",
]

class KernelRidge(_kernel_ridge.KernelRidge):
    dual_coef_: NDArray[Any]
    X_fit_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        alpha: Any = ...,
        *,
        kernel: Any = ...,
        gamma: float | None = ...,
        degree: float = ...,
        coef0: float = ...,
        kernel_params: Any = ...,
    ) -> None: ...
