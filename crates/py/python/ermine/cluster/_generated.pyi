# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _agglomerative
from . import _dbscan
from . import _kmeans

__all__ = [
    "KMeans",
    "MiniBatchKMeans",
    "DBSCAN",
    "AgglomerativeClustering",
]

class KMeans(_kmeans.KMeans):
    cluster_centers_: NDArray[Any]
    labels_: NDArray[Any]
    inertia_: float
    n_iter_: int
    tried_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_clusters: int | str = ...,
        *,
        init: Any = ...,
        n_init: str | int = ...,
        max_iter: int = ...,
        tol: float = ...,
        verbose: int | bool = ...,
        random_state: Any = ...,
        copy_x: bool = ...,
        algorithm: str = ...,
        max_clusters: int = ...,
        penalty: float | None = ...,
    ) -> None: ...

class MiniBatchKMeans(_kmeans.MiniBatchKMeans):
    cluster_centers_: NDArray[Any]
    labels_: NDArray[Any]
    inertia_: float
    n_iter_: int
    n_steps_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_clusters: int = ...,
        *,
        init: Any = ...,
        max_iter: int = ...,
        batch_size: int = ...,
        verbose: int | bool = ...,
        compute_labels: bool = ...,
        random_state: Any = ...,
        tol: float = ...,
        max_no_improvement: int | None = ...,
        init_size: int | None = ...,
        n_init: str | int = ...,
        reassignment_ratio: float = ...,
    ) -> None: ...

class DBSCAN(_dbscan.DBSCAN):
    labels_: NDArray[Any]
    core_sample_indices_: NDArray[Any]
    components_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        eps: float = ...,
        *,
        min_samples: int = ...,
        metric: Any = ...,
        metric_params: Any = ...,
        algorithm: str = ...,
        leaf_size: int = ...,
        p: float | None = ...,
        n_jobs: int | None = ...,
    ) -> None: ...

class AgglomerativeClustering(_agglomerative.AgglomerativeClustering):
    labels_: NDArray[Any]
    n_clusters_: int
    n_leaves_: int
    n_connected_components_: int
    children_: NDArray[Any]
    distances_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_clusters: int | None = ...,
        *,
        metric: Any = ...,
        memory: Any = ...,
        connectivity: Any = ...,
        compute_full_tree: str | bool = ...,
        linkage: str = ...,
        distance_threshold: float | None = ...,
        compute_distances: bool = ...,
    ) -> None: ...
