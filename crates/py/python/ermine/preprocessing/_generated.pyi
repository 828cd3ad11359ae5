# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _feature_maps
from . import _one_hot
from . import _ordinal
from . import _scaler
from .._transformer import NativeTransformer

__all__ = [
    "StandardScaler",
    "MinMaxScaler",
    "OneHotEncoder",
    "OrdinalEncoder",
    "PolynomialFeatures",
    "SplineTransformer",
    "FourierFeatures",
]

class StandardScaler(_scaler.StandardScaler):
    scale_: NDArray[Any]
    mean_: NDArray[Any]
    var_: NDArray[Any]
    n_samples_seen_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        copy: bool = ...,
        with_mean: bool = ...,
        with_std: bool = ...,
    ) -> None: ...

class MinMaxScaler(_scaler.MinMaxScaler):
    min_: NDArray[Any]
    scale_: NDArray[Any]
    data_min_: NDArray[Any]
    data_max_: NDArray[Any]
    data_range_: NDArray[Any]
    n_samples_seen_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        feature_range: Any = ...,
        *,
        copy: bool = ...,
        clip: bool = ...,
    ) -> None: ...

class OneHotEncoder(_one_hot.OneHotEncoder):
    categories_: Any
    drop_idx_: NDArray[Any]
    infrequent_categories_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        categories: Any = ...,
        drop: Any = ...,
        sparse_output: bool = ...,
        dtype: Any = ...,
        handle_unknown: str = ...,
        min_frequency: int | float | None = ...,
        max_categories: int | None = ...,
        feature_name_combiner: Any = ...,
    ) -> None: ...

class OrdinalEncoder(_ordinal.OrdinalEncoder):
    categories_: Any
    infrequent_categories_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        categories: Any = ...,
        dtype: Any = ...,
        handle_unknown: str = ...,
        unknown_value: int | None = ...,
        encoded_missing_value: int = ...,
        min_frequency: int | float | None = ...,
        max_categories: int | None = ...,
    ) -> None: ...

class PolynomialFeatures(_feature_maps.PolynomialFeatures):
    powers_: NDArray[Any]
    n_output_features_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        degree: Any = ...,
        *,
        interaction_only: bool = ...,
        include_bias: bool = ...,
        order: str = ...,
    ) -> None: ...

class SplineTransformer(_feature_maps.SplineTransformer):
    bsplines_: Any
    n_features_out_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_knots: int = ...,
        degree: int = ...,
        *,
        knots: Any = ...,
        extrapolation: str = ...,
        include_bias: bool = ...,
        order: str = ...,
        handle_missing: str = ...,
        sparse_output: bool = ...,
    ) -> None: ...

class FourierFeatures(NativeTransformer):
    period_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        order: int = ...,
        period: Any = ...,
    ) -> None: ...
