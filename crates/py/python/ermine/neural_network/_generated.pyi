# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _autoencoder
from . import _convolution
from . import _gan
from . import _multilayer_perceptron

__all__ = [
    "MLPClassifier",
    "MLPRegressor",
    "ConvNetClassifier",
    "Autoencoder",
    "GAN",
]

class MLPClassifier(_multilayer_perceptron.MLPClassifier):
    classes_: NDArray[Any]
    loss_: float
    best_loss_: float
    loss_curve_: Any
    validation_scores_: Any
    best_validation_score_: float
    t_: int
    coefs_: Any
    intercepts_: Any
    n_iter_: int
    n_layers_: int
    out_activation_: Any
    n_outputs_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        hidden_layer_sizes: Any = ...,
        activation: str = ...,
        *,
        solver: str = ...,
        alpha: float = ...,
        batch_size: int | str = ...,
        learning_rate: str = ...,
        learning_rate_init: float = ...,
        power_t: float = ...,
        max_iter: int = ...,
        shuffle: bool = ...,
        random_state: Any = ...,
        tol: float = ...,
        verbose: int | bool = ...,
        warm_start: bool = ...,
        momentum: float = ...,
        nesterovs_momentum: bool = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        beta_1: float = ...,
        beta_2: float = ...,
        epsilon: float = ...,
        n_iter_no_change: int = ...,
        max_fun: int = ...,
        class_weight: Any = ...,
        layers: str | None = ...,
        dropout: float = ...,
        weight_decay: float = ...,
        clip: float | None = ...,
        decay: float = ...,
        drop: float = ...,
        drop_every: int = ...,
        init: str = ...,
    ) -> None: ...

class MLPRegressor(_multilayer_perceptron.MLPRegressor):
    loss_: float
    best_loss_: float
    loss_curve_: Any
    validation_scores_: Any
    best_validation_score_: float
    t_: int
    coefs_: Any
    intercepts_: Any
    n_iter_: int
    n_layers_: int
    out_activation_: Any
    n_outputs_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        loss: str = ...,
        hidden_layer_sizes: Any = ...,
        activation: str = ...,
        *,
        solver: str = ...,
        alpha: float = ...,
        batch_size: int | str = ...,
        learning_rate: str = ...,
        learning_rate_init: float = ...,
        power_t: float = ...,
        max_iter: int = ...,
        shuffle: bool = ...,
        random_state: Any = ...,
        tol: float = ...,
        verbose: int | bool = ...,
        warm_start: bool = ...,
        momentum: float = ...,
        nesterovs_momentum: bool = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        beta_1: float = ...,
        beta_2: float = ...,
        epsilon: float = ...,
        n_iter_no_change: int = ...,
        max_fun: int = ...,
        scale_target: bool = ...,
        layers: str | None = ...,
        dropout: float = ...,
        weight_decay: float = ...,
        clip: float | None = ...,
        decay: float = ...,
        drop: float = ...,
        drop_every: int = ...,
        init: str = ...,
    ) -> None: ...

class ConvNetClassifier(_convolution.ConvNetClassifier):
    classes_: NDArray[Any]
    loss_: float
    loss_curve_: Any
    validation_scores_: Any
    n_iter_: int
    architecture_: Any
    input_shape_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        layers: str | None = ...,
        input: Any = ...,
        *,
        learning_rate_init: float = ...,
        cosine: bool = ...,
        weight_decay: float = ...,
        batch_size: int = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        n_iter_no_change: int = ...,
        clip: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        class_weight: Any = ...,
        standardise: bool = ...,
        random_state: Any = ...,
    ) -> None: ...

class Autoencoder(_autoencoder.Autoencoder):
    loss_: float
    loss_curve_: Any
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_components: int = ...,
        *,
        hidden_layer_sizes: Any = ...,
        activation: str = ...,
        solver: str = ...,
        alpha: float = ...,
        batch_size: int = ...,
        learning_rate_init: float = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        n_iter_no_change: int = ...,
        random_state: Any = ...,
    ) -> None: ...

class GAN(_gan.GAN):
    value_: float
    duality_gap_: float
    coverage_: float
    trace_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        n_latent: int = ...,
        generator: Any = ...,
        discriminator: Any = ...,
        activation: str = ...,
        non_saturating: bool = ...,
        d_steps: int = ...,
        learning_rate_init: float = ...,
        beta_1: float = ...,
        batch_size: int = ...,
        max_iter: int = ...,
        gap_every: int = ...,
        gap_steps: int = ...,
        n_modes: int = ...,
        random_state: Any = ...,
    ) -> None: ...
