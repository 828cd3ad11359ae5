# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _classes
from . import _linear

__all__ = [
    "SVC",
    "SVR",
    "LinearSVC",
    "LinearSVR",
]

class SVC(_classes.SVC):
    classes_: NDArray[Any]
    class_weight_: NDArray[Any]
    coef_: NDArray[Any]
    dual_coef_: NDArray[Any]
    intercept_: NDArray[Any]
    fit_status_: int
    n_iter_: NDArray[Any]
    support_: NDArray[Any]
    support_vectors_: NDArray[Any]
    n_support_: NDArray[Any]
    shape_fit_: Any
    slack_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        C: float = ...,
        kernel: Any = ...,
        degree: int = ...,
        gamma: str | float = ...,
        coef0: float = ...,
        shrinking: bool = ...,
        probability: bool = ...,
        tol: float = ...,
        cache_size: float = ...,
        class_weight: Any = ...,
        verbose: int | bool = ...,
        max_iter: int = ...,
        decision_function_shape: str = ...,
        break_ties: bool = ...,
        random_state: Any = ...,
        force: bool = ...,
    ) -> None: ...

class SVR(_classes.SVR):
    coef_: NDArray[Any]
    dual_coef_: NDArray[Any]
    intercept_: NDArray[Any]
    fit_status_: int
    n_iter_: int
    support_: NDArray[Any]
    support_vectors_: NDArray[Any]
    n_support_: NDArray[Any]
    shape_fit_: Any
    slack_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        kernel: Any = ...,
        degree: int = ...,
        gamma: str | float = ...,
        coef0: float = ...,
        tol: float = ...,
        C: float = ...,
        epsilon: float = ...,
        shrinking: bool = ...,
        cache_size: float = ...,
        verbose: int | bool = ...,
        max_iter: int = ...,
        force: bool = ...,
    ) -> None: ...

class LinearSVC(_linear.LinearSVC):
    classes_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        penalty: str = ...,
        *,
        loss: str = ...,
        dual: bool | str = ...,
        tol: float = ...,
        C: float = ...,
        multi_class: str = ...,
        fit_intercept: bool = ...,
        intercept_scaling: float = ...,
        class_weight: Any = ...,
        verbose: int | bool = ...,
        random_state: Any = ...,
        max_iter: int = ...,
    ) -> None: ...

class LinearSVR(_linear.LinearSVR):
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        epsilon: float = ...,
        tol: float = ...,
        C: float = ...,
        loss: str = ...,
        fit_intercept: bool = ...,
        intercept_scaling: float = ...,
        dual: bool | str = ...,
        verbose: int | bool = ...,
        random_state: Any = ...,
        max_iter: int = ...,
    ) -> None: ...
