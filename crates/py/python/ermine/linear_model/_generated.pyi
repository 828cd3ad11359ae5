# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _base
from . import _coordinate_descent
from . import _glm
from . import _logistic
from . import _logistic_cv
from . import _ridge
from . import _robust
from . import _stepwise
from . import _stochastic_gradient

__all__ = [
    "LinearRegression",
    "Ridge",
    "RidgeCV",
    "Lasso",
    "ElasticNet",
    "LassoCV",
    "ElasticNetCV",
    "HuberRegressor",
    "QuantileRegressor",
    "ExpectileRegressor",
    "PoissonRegressor",
    "GammaRegressor",
    "TweedieRegressor",
    "GeneralizedLinearRegressor",
    "LogisticRegression",
    "LogisticRegressionCV",
    "SGDClassifier",
    "SGDRegressor",
    "Perceptron",
    "StepwiseRegressor",
]

class LinearRegression(_base.LinearRegression):
    coef_: NDArray[Any]
    intercept_: float
    rank_: int
    singular_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        fit_intercept: bool = ...,
        copy_X: bool = ...,
        tol: float = ...,
        n_jobs: int | None = ...,
        positive: bool = ...,
    ) -> None: ...

class Ridge(_ridge.Ridge):
    coef_: NDArray[Any]
    intercept_: float
    n_iter_: NDArray[Any]
    solver_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        alpha: Any = ...,
        *,
        fit_intercept: bool = ...,
        copy_X: bool = ...,
        max_iter: int | None = ...,
        tol: float = ...,
        solver: str = ...,
        positive: bool = ...,
        random_state: Any = ...,
    ) -> None: ...

class RidgeCV(_ridge.RidgeCV):
    alpha_: float
    best_score_: float
    cv_results_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: float
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        alphas: Any = ...,
        *,
        fit_intercept: bool = ...,
        scoring: Any = ...,
        cv: int | None = ...,
        gcv_mode: str | None = ...,
        store_cv_results: bool = ...,
        alpha_per_target: bool = ...,
    ) -> None: ...

class Lasso(_coordinate_descent.Lasso):
    coef_: NDArray[Any]
    sparse_coef_: Any
    intercept_: float
    dual_gap_: float
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        alpha: float = ...,
        *,
        fit_intercept: bool = ...,
        precompute: Any = ...,
        copy_X: bool = ...,
        max_iter: int = ...,
        tol: float = ...,
        warm_start: bool = ...,
        positive: bool = ...,
        random_state: Any = ...,
        selection: str = ...,
    ) -> None: ...

class ElasticNet(_coordinate_descent.PenalizedRegressor):
    coef_: NDArray[Any]
    sparse_coef_: Any
    intercept_: float
    dual_gap_: float
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        alpha: float = ...,
        *,
        l1_ratio: float = ...,
        fit_intercept: bool = ...,
        precompute: Any = ...,
        max_iter: int = ...,
        copy_X: bool = ...,
        tol: float = ...,
        warm_start: bool = ...,
        positive: bool = ...,
        random_state: Any = ...,
        selection: str = ...,
    ) -> None: ...

class LassoCV(_coordinate_descent.PenalizedRegressorCV):
    alpha_: float
    coef_: NDArray[Any]
    intercept_: float
    mse_path_: NDArray[Any]
    alphas_: NDArray[Any]
    dual_gap_: float
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        eps: float = ...,
        alphas: Any = ...,
        fit_intercept: bool = ...,
        precompute: Any = ...,
        max_iter: int = ...,
        tol: float = ...,
        copy_X: bool = ...,
        cv: int = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        positive: bool = ...,
        random_state: Any = ...,
        selection: str = ...,
    ) -> None: ...

class ElasticNetCV(_coordinate_descent.PenalizedRegressorCV):
    alpha_: float
    l1_ratio_: float
    coef_: NDArray[Any]
    intercept_: float
    mse_path_: NDArray[Any]
    alphas_: NDArray[Any]
    dual_gap_: float
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        l1_ratio: Any = ...,
        eps: float = ...,
        alphas: Any = ...,
        fit_intercept: bool = ...,
        precompute: Any = ...,
        max_iter: int = ...,
        tol: float = ...,
        cv: int = ...,
        copy_X: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        positive: bool = ...,
        random_state: Any = ...,
        selection: str = ...,
    ) -> None: ...

class HuberRegressor(_robust.HuberRegressor):
    coef_: NDArray[Any]
    intercept_: float
    scale_: float
    n_iter_: int
    outliers_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        epsilon: float = ...,
        max_iter: int = ...,
        alpha: float = ...,
        warm_start: bool = ...,
        fit_intercept: bool = ...,
        tol: float = ...,
        scale: float | None = ...,
    ) -> None: ...

class QuantileRegressor(_robust.QuantileRegressor):
    coef_: NDArray[Any]
    intercept_: float
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        quantile: float = ...,
        alpha: float = ...,
        fit_intercept: bool = ...,
        solver: str = ...,
        solver_options: Any = ...,
    ) -> None: ...

class ExpectileRegressor(_robust.SingleTargetRegressor):
    coef_: NDArray[Any]
    intercept_: float
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        tau: float = ...,
        alpha: float = ...,
        fit_intercept: bool = ...,
        max_iter: int = ...,
    ) -> None: ...

class PoissonRegressor(_glm.PoissonRegressor):
    coef_: NDArray[Any]
    intercept_: float
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        alpha: float = ...,
        fit_intercept: bool = ...,
        solver: str = ...,
        max_iter: int = ...,
        tol: float = ...,
        warm_start: bool = ...,
        verbose: int | bool = ...,
    ) -> None: ...

class GammaRegressor(_glm.GammaRegressor):
    coef_: NDArray[Any]
    intercept_: float
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        alpha: float = ...,
        fit_intercept: bool = ...,
        solver: str = ...,
        max_iter: int = ...,
        tol: float = ...,
        warm_start: bool = ...,
        verbose: int | bool = ...,
    ) -> None: ...

class TweedieRegressor(_glm.TweedieRegressor):
    coef_: NDArray[Any]
    intercept_: float
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        power: float = ...,
        alpha: float = ...,
        fit_intercept: bool = ...,
        link: str = ...,
        solver: str = ...,
        max_iter: int = ...,
        tol: float = ...,
        warm_start: bool = ...,
        verbose: int | bool = ...,
    ) -> None: ...

class GeneralizedLinearRegressor(_glm.GeneralizedLinearRegressor):
    coef_: NDArray[Any]
    intercept_: float
    n_iter_: int
    deviance_: float
    null_deviance_: float
    dispersion_: float
    log_likelihood_: float
    aic_: float
    bic_: float
    summary_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        family: str = ...,
        power: float = ...,
        link: str = ...,
        alpha: float = ...,
        fit_intercept: bool = ...,
        solver: str = ...,
        max_iter: int = ...,
        tol: float = ...,
        warm_start: bool = ...,
        verbose: int | bool = ...,
    ) -> None: ...

class LogisticRegression(_logistic.LogisticRegression):
    classes_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    n_iter_: NDArray[Any]
    separating_direction_: NDArray[Any]
    separating_intercept_: NDArray[Any]
    separating_margin_: float
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        penalty: str | None = ...,
        *,
        C: float = ...,
        l1_ratio: float = ...,
        dual: bool = ...,
        tol: float = ...,
        fit_intercept: bool = ...,
        intercept_scaling: float = ...,
        class_weight: Any = ...,
        random_state: Any = ...,
        solver: str = ...,
        max_iter: int = ...,
        verbose: int | bool = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
    ) -> None: ...

class LogisticRegressionCV(_logistic_cv.LogisticRegressionCV):
    classes_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    C_: float
    l1_ratio_: float
    Cs_: NDArray[Any]
    l1_ratios_: NDArray[Any]
    scores_: NDArray[Any]
    coefs_paths_: NDArray[Any]
    n_iter_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        Cs: Any = ...,
        l1_ratios: Any = ...,
        fit_intercept: bool = ...,
        cv: int = ...,
        dual: bool = ...,
        penalty: str = ...,
        scoring: Any = ...,
        solver: str = ...,
        tol: float = ...,
        max_iter: int = ...,
        class_weight: Any = ...,
        n_jobs: int | None = ...,
        verbose: int | bool = ...,
        refit: bool = ...,
        intercept_scaling: float = ...,
        random_state: Any = ...,
        use_legacy_attributes: bool = ...,
    ) -> None: ...

class SGDClassifier(_stochastic_gradient.SGDClassifier):
    classes_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    n_iter_: int
    t_: float
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        loss: str = ...,
        *,
        penalty: str | None = ...,
        alpha: float = ...,
        l1_ratio: float = ...,
        fit_intercept: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        epsilon: float = ...,
        n_jobs: int | None = ...,
        random_state: Any = ...,
        learning_rate: str = ...,
        eta0: float = ...,
        power_t: float = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        class_weight: Any = ...,
        warm_start: bool = ...,
        average: bool | int = ...,
        batch_size: int = ...,
        decay: float = ...,
        drop: float = ...,
        drop_every: int = ...,
        quantile: float = ...,
        preset: str | None = ...,
    ) -> None: ...

class SGDRegressor(_stochastic_gradient.SGDRegressor):
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    n_iter_: int
    t_: float
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        loss: str = ...,
        *,
        penalty: str | None = ...,
        alpha: float = ...,
        l1_ratio: float = ...,
        fit_intercept: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        epsilon: float = ...,
        random_state: Any = ...,
        learning_rate: str = ...,
        eta0: float = ...,
        power_t: float = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        warm_start: bool = ...,
        average: bool | int = ...,
        batch_size: int = ...,
        decay: float = ...,
        drop: float = ...,
        drop_every: int = ...,
        quantile: float = ...,
        preset: str | None = ...,
    ) -> None: ...

class Perceptron(_stochastic_gradient.Perceptron):
    classes_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    n_iter_: int
    t_: float
    mistakes_: Any
    novikoff_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        penalty: str | None = ...,
        alpha: float = ...,
        l1_ratio: float = ...,
        fit_intercept: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        eta0: float = ...,
        n_jobs: int | None = ...,
        random_state: Any = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        class_weight: Any = ...,
        warm_start: bool = ...,
    ) -> None: ...

class StepwiseRegressor(_stepwise.StepwiseRegressor):
    coef_: NDArray[Any]
    intercept_: float
    support_: NDArray[Any]
    ranking_: NDArray[Any]
    steps_: Any
    n_features_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        criterion: str = ...,
        n_features: int | None = ...,
        folds: int = ...,
        fit_intercept: bool = ...,
    ) -> None: ...
