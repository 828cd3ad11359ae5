# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _base
from . import _supervised

__all__ = [
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "NearestNeighbors",
]

class KNeighborsClassifier(_supervised.KNeighborsClassifier):
    classes_: NDArray[Any]
    n_samples_fit_: int
    effective_metric_: Any
    effective_metric_params_: dict[str, Any]
    outputs_2d_: bool
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_neighbors: int = ...,
        *,
        weights: Any = ...,
        algorithm: str = ...,
        leaf_size: int = ...,
        p: float = ...,
        metric: Any = ...,
        metric_params: Any = ...,
        n_jobs: int | None = ...,
    ) -> None: ...

class KNeighborsRegressor(_supervised.KNeighborsRegressor):
    n_samples_fit_: int
    effective_metric_: Any
    effective_metric_params_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_neighbors: int = ...,
        *,
        weights: Any = ...,
        algorithm: str = ...,
        leaf_size: int = ...,
        p: float = ...,
        metric: Any = ...,
        metric_params: Any = ...,
        n_jobs: int | None = ...,
    ) -> None: ...

class RadiusNeighborsClassifier(_supervised.RadiusNeighborsClassifier):
    classes_: NDArray[Any]
    n_samples_fit_: int
    effective_metric_: Any
    effective_metric_params_: dict[str, Any]
    outputs_2d_: bool
    outlier_label_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        radius: float = ...,
        *,
        weights: Any = ...,
        algorithm: str = ...,
        leaf_size: int = ...,
        p: float = ...,
        metric: Any = ...,
        outlier_label: Any = ...,
        metric_params: Any = ...,
        n_jobs: int | None = ...,
    ) -> None: ...

class RadiusNeighborsRegressor(_supervised.RadiusNeighborsRegressor):
    n_samples_fit_: int
    effective_metric_: Any
    effective_metric_params_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        radius: float = ...,
        *,
        weights: Any = ...,
        algorithm: str = ...,
        leaf_size: int = ...,
        p: float = ...,
        metric: Any = ...,
        metric_params: Any = ...,
        n_jobs: int | None = ...,
    ) -> None: ...

class NearestNeighbors(_base.NearestNeighbors):
    n_samples_fit_: int
    effective_metric_: Any
    effective_metric_params_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        n_neighbors: int = ...,
        radius: float = ...,
        algorithm: str = ...,
        leaf_size: int = ...,
        metric: Any = ...,
        p: float = ...,
        metric_params: Any = ...,
        n_jobs: int | None = ...,
    ) -> None: ...
