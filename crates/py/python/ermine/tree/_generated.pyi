# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _c45
from . import _tree

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "C45Classifier",
]

class DecisionTreeClassifier(_tree.DecisionTreeClassifier):
    classes_: NDArray[Any]
    n_classes_: int
    feature_importances_: NDArray[Any]
    max_features_: int
    n_outputs_: int
    tree_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        criterion: str = ...,
        splitter: str = ...,
        max_depth: int | None = ...,
        min_samples_split: int | float = ...,
        min_samples_leaf: int | float = ...,
        min_weight_fraction_leaf: float = ...,
        max_features: int | float | str | None = ...,
        random_state: Any = ...,
        max_leaf_nodes: int | None = ...,
        min_impurity_decrease: float = ...,
        class_weight: Any = ...,
        ccp_alpha: float | str = ...,
        monotonic_cst: Any = ...,
        folds: int = ...,
        one_se: bool = ...,
    ) -> None: ...

class DecisionTreeRegressor(_tree.DecisionTreeRegressor):
    feature_importances_: NDArray[Any]
    max_features_: int
    n_outputs_: int
    tree_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        criterion: str = ...,
        splitter: str = ...,
        max_depth: int | None = ...,
        min_samples_split: int | float = ...,
        min_samples_leaf: int | float = ...,
        min_weight_fraction_leaf: float = ...,
        max_features: int | float | str | None = ...,
        random_state: Any = ...,
        max_leaf_nodes: int | None = ...,
        min_impurity_decrease: float = ...,
        ccp_alpha: float | str = ...,
        monotonic_cst: Any = ...,
        folds: int = ...,
        one_se: bool = ...,
    ) -> None: ...

class C45Classifier(_c45.C45Classifier):
    classes_: NDArray[Any]
    feature_importances_: NDArray[Any]
    n_leaves_: int
    depth_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        criterion: str = ...,
        max_depth: int | None = ...,
        min_samples_leaf: float = ...,
        pruning: str = ...,
        confidence: float = ...,
        subtree_raising: bool = ...,
    ) -> None: ...
