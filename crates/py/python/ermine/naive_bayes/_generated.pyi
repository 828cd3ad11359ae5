# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _discrete
from . import _gaussian

__all__ = [
    "GaussianNB",
    "MultinomialNB",
    "ComplementNB",
    "BernoulliNB",
    "CategoricalNB",
]

class GaussianNB(_gaussian.GaussianNB):
    classes_: NDArray[Any]
    class_count_: NDArray[Any]
    class_prior_: NDArray[Any]
    theta_: NDArray[Any]
    var_: NDArray[Any]
    epsilon_: float
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        priors: Any = ...,
        var_smoothing: float = ...,
    ) -> None: ...

class MultinomialNB(_discrete.MultinomialNB):
    classes_: NDArray[Any]
    class_count_: NDArray[Any]
    class_log_prior_: NDArray[Any]
    feature_count_: NDArray[Any]
    feature_log_prob_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        alpha: Any = ...,
        force_alpha: bool = ...,
        fit_prior: bool = ...,
        class_prior: Any = ...,
    ) -> None: ...

class ComplementNB(_discrete.ComplementNB):
    classes_: NDArray[Any]
    class_count_: NDArray[Any]
    class_log_prior_: NDArray[Any]
    feature_count_: NDArray[Any]
    feature_all_: NDArray[Any]
    feature_log_prob_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        alpha: Any = ...,
        force_alpha: bool = ...,
        fit_prior: bool = ...,
        class_prior: Any = ...,
        norm: bool = ...,
    ) -> None: ...

class BernoulliNB(_discrete.BernoulliNB):
    classes_: NDArray[Any]
    class_count_: NDArray[Any]
    class_log_prior_: NDArray[Any]
    feature_count_: NDArray[Any]
    feature_log_prob_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        alpha: Any = ...,
        force_alpha: bool = ...,
        binarize: float | None = ...,
        fit_prior: bool = ...,
        class_prior: Any = ...,
    ) -> None: ...

class CategoricalNB(_discrete.CategoricalNB):
    classes_: NDArray[Any]
    class_count_: NDArray[Any]
    class_log_prior_: NDArray[Any]
    n_categories_: NDArray[Any]
    category_count_: Any
    feature_log_prob_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        alpha: float = ...,
        force_alpha: bool = ...,
        fit_prior: bool = ...,
        class_prior: Any = ...,
        min_categories: Any = ...,
    ) -> None: ...
