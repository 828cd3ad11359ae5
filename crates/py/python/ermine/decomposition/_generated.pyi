# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _kernel_pca
from . import _pca

__all__ = [
    "PCA",
    "IncrementalPCA",
    "KernelPCA",
]

class PCA(_pca.PCA):
    components_: NDArray[Any]
    explained_variance_: NDArray[Any]
    explained_variance_ratio_: NDArray[Any]
    singular_values_: NDArray[Any]
    mean_: NDArray[Any]
    n_components_: int
    n_samples_: int
    noise_variance_: float
    held_out_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_components: int | float | str | None = ...,
        *,
        copy: bool = ...,
        whiten: bool = ...,
        svd_solver: str = ...,
        tol: float = ...,
        iterated_power: str | int = ...,
        n_oversamples: int = ...,
        power_iteration_normalizer: str = ...,
        random_state: Any = ...,
        folds: int = ...,
    ) -> None: ...

class IncrementalPCA(_pca.IncrementalPCA):
    components_: NDArray[Any]
    explained_variance_: NDArray[Any]
    explained_variance_ratio_: NDArray[Any]
    singular_values_: NDArray[Any]
    mean_: NDArray[Any]
    var_: NDArray[Any]
    noise_variance_: float
    n_components_: int
    n_samples_seen_: int
    batch_size_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_components: int | None = ...,
        *,
        whiten: bool = ...,
        copy: bool = ...,
        batch_size: int | None = ...,
    ) -> None: ...

class KernelPCA(_kernel_pca.KernelPCA):
    eigenvalues_: NDArray[Any]
    eigenvectors_: NDArray[Any]
    explained_variance_ratio_: NDArray[Any]
    dual_coef_: NDArray[Any]
    X_transformed_fit_: NDArray[Any]
    X_fit_: NDArray[Any]
    gamma_: float
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_components: int | None = ...,
        *,
        kernel: Any = ...,
        gamma: float | None = ...,
        degree: float = ...,
        coef0: float = ...,
        kernel_params: Any = ...,
        alpha: float = ...,
        fit_inverse_transform: bool = ...,
        eigen_solver: str = ...,
        tol: float = ...,
        max_iter: int | None = ...,
        iterated_power: str | int = ...,
        remove_zero_eig: bool = ...,
        random_state: Any = ...,
        copy_X: bool = ...,
        n_jobs: int | None = ...,
    ) -> None: ...
