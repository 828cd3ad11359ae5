# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _experts
from . import _gaussian_mixture

__all__ = [
    "GaussianMixture",
    "GaussianMixtureClassifier",
    "MixtureOfExpertsRegressor",
    "MixtureOfExpertsClassifier",
]

class GaussianMixture(_gaussian_mixture.GaussianMixture):
    weights_: NDArray[Any]
    means_: NDArray[Any]
    covariances_: NDArray[Any]
    precisions_: NDArray[Any]
    precisions_cholesky_: NDArray[Any]
    converged_: bool
    n_iter_: int
    lower_bound_: float
    lower_bounds_: Any
    n_components_: int
    choice_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_components: int = ...,
        *,
        covariance_type: str = ...,
        tol: float = ...,
        reg_covar: float = ...,
        max_iter: int = ...,
        n_init: int = ...,
        init_params: str = ...,
        weights_init: Any = ...,
        means_init: Any = ...,
        precisions_init: Any = ...,
        random_state: Any = ...,
        warm_start: bool = ...,
        verbose: int | bool = ...,
        verbose_interval: int = ...,
        regularise: str = ...,
        algorithm: str = ...,
        equal_weights: bool = ...,
        degrees_of_freedom_prior: float | None = ...,
        covariance_prior: Any = ...,
        choose: str | None = ...,
        folds: int = ...,
    ) -> None: ...

class GaussianMixtureClassifier(_gaussian_mixture.GaussianMixtureClassifier):
    classes_: NDArray[Any]
    class_prior_: NDArray[Any]
    class_count_: NDArray[Any]
    n_components_: NDArray[Any]
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_components: int = ...,
        *,
        choose: str | None = ...,
        covariance_type: str = ...,
        priors: Any = ...,
        tol: float = ...,
        reg_covar: float = ...,
        regularise: str = ...,
        max_iter: int = ...,
        n_init: int = ...,
        init_params: str = ...,
        algorithm: str = ...,
        degrees_of_freedom_prior: float | None = ...,
        covariance_prior: Any = ...,
        folds: int = ...,
        random_state: Any = ...,
    ) -> None: ...

class MixtureOfExpertsRegressor(_experts.MixtureOfExpertsRegressor):
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    variance_: NDArray[Any]
    gate_coef_: NDArray[Any]
    gate_intercept_: NDArray[Any]
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_experts: int = ...,
        *,
        alpha: float = ...,
        reg_variance: float = ...,
        tol: float = ...,
        max_iter: int = ...,
        n_init: int = ...,
        random_state: Any = ...,
    ) -> None: ...

class MixtureOfExpertsClassifier(_experts.MixtureOfExpertsClassifier):
    classes_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    gate_coef_: NDArray[Any]
    gate_intercept_: NDArray[Any]
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_experts: int = ...,
        *,
        alpha: float = ...,
        tol: float = ...,
        max_iter: int = ...,
        n_init: int = ...,
        random_state: Any = ...,
    ) -> None: ...
