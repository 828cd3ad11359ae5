# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _discriminant

__all__ = [
    "LinearDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
]

class LinearDiscriminantAnalysis(_discriminant.LinearDiscriminantAnalysis):
    classes_: NDArray[Any]
    means_: NDArray[Any]
    priors_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    covariance_: NDArray[Any]
    scalings_: NDArray[Any]
    explained_variance_ratio_: NDArray[Any]
    xbar_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        solver: str = ...,
        shrinkage: str | float | None = ...,
        priors: Any = ...,
        n_components: int | None = ...,
        store_covariance: bool = ...,
        tol: float = ...,
        covariance_estimator: Any = ...,
    ) -> None: ...

class QuadraticDiscriminantAnalysis(_discriminant.QuadraticDiscriminantAnalysis):
    classes_: NDArray[Any]
    means_: NDArray[Any]
    priors_: NDArray[Any]
    covariance_: Any
    rotations_: Any
    scalings_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        solver: str = ...,
        shrinkage: str | float | None = ...,
        priors: Any = ...,
        reg_param: float = ...,
        store_covariance: bool = ...,
        tol: float = ...,
        covariance_estimator: Any = ...,
    ) -> None: ...
