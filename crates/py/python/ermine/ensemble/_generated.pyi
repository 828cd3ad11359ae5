# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _forest
from . import _gradient_boosting
from . import _hist_gradient_boosting
from . import _meta
from . import _weight_boosting

__all__ = [
    "RandomForestClassifier",
    "RandomForestRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "VotingClassifier",
    "VotingRegressor",
    "StackingClassifier",
    "StackingRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
]

class RandomForestClassifier(_forest.ForestClassifier):
    classes_: NDArray[Any]
    n_classes_: int
    n_outputs_: int
    estimators_: Any
    estimators_samples_: Any
    feature_importances_: NDArray[Any]
    permutation_importances_: NDArray[Any]
    expected_value_: float
    oob_score_: float
    oob_decision_function_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_estimators: int = ...,
        *,
        criterion: str = ...,
        max_depth: int | None = ...,
        min_samples_split: int | float = ...,
        min_samples_leaf: int | float = ...,
        min_weight_fraction_leaf: float = ...,
        max_features: int | float | str | None = ...,
        max_leaf_nodes: int | None = ...,
        min_impurity_decrease: float = ...,
        bootstrap: bool = ...,
        oob_score: Any = ...,
        n_jobs: int | None = ...,
        random_state: Any = ...,
        verbose: int | bool = ...,
        warm_start: bool = ...,
        class_weight: Any = ...,
        ccp_alpha: float = ...,
        max_samples: int | float | None = ...,
        monotonic_cst: Any = ...,
        splitter: str = ...,
        max_bins: int = ...,
        permutation_importances: bool = ...,
    ) -> None: ...

class RandomForestRegressor(_forest.ForestRegressor):
    n_outputs_: int
    estimators_: Any
    estimators_samples_: Any
    feature_importances_: NDArray[Any]
    permutation_importances_: NDArray[Any]
    expected_value_: float
    oob_score_: float
    oob_prediction_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_estimators: int = ...,
        *,
        criterion: str = ...,
        max_depth: int | None = ...,
        min_samples_split: int | float = ...,
        min_samples_leaf: int | float = ...,
        min_weight_fraction_leaf: float = ...,
        max_features: int | float | str | None = ...,
        max_leaf_nodes: int | None = ...,
        min_impurity_decrease: float = ...,
        bootstrap: bool = ...,
        oob_score: Any = ...,
        n_jobs: int | None = ...,
        random_state: Any = ...,
        verbose: int | bool = ...,
        warm_start: bool = ...,
        ccp_alpha: float = ...,
        max_samples: int | float | None = ...,
        monotonic_cst: Any = ...,
        splitter: str = ...,
        max_bins: int = ...,
        permutation_importances: bool = ...,
    ) -> None: ...

class ExtraTreesClassifier(_forest.ExtraTreesClassifier):
    classes_: NDArray[Any]
    n_classes_: int
    n_outputs_: int
    estimators_: Any
    estimators_samples_: Any
    feature_importances_: NDArray[Any]
    permutation_importances_: NDArray[Any]
    expected_value_: float
    oob_score_: float
    oob_decision_function_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_estimators: int = ...,
        *,
        criterion: str = ...,
        max_depth: int | None = ...,
        min_samples_split: int | float = ...,
        min_samples_leaf: int | float = ...,
        min_weight_fraction_leaf: float = ...,
        max_features: int | float | str | None = ...,
        max_leaf_nodes: int | None = ...,
        min_impurity_decrease: float = ...,
        bootstrap: bool = ...,
        oob_score: Any = ...,
        n_jobs: int | None = ...,
        random_state: Any = ...,
        verbose: int | bool = ...,
        warm_start: bool = ...,
        class_weight: Any = ...,
        ccp_alpha: float = ...,
        max_samples: int | float | None = ...,
        monotonic_cst: Any = ...,
        splitter: str = ...,
        max_bins: int = ...,
        permutation_importances: bool = ...,
    ) -> None: ...

class ExtraTreesRegressor(_forest.ExtraTreesRegressor):
    n_outputs_: int
    estimators_: Any
    estimators_samples_: Any
    feature_importances_: NDArray[Any]
    permutation_importances_: NDArray[Any]
    expected_value_: float
    oob_score_: float
    oob_prediction_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_estimators: int = ...,
        *,
        criterion: str = ...,
        max_depth: int | None = ...,
        min_samples_split: int | float = ...,
        min_samples_leaf: int | float = ...,
        min_weight_fraction_leaf: float = ...,
        max_features: int | float | str | None = ...,
        max_leaf_nodes: int | None = ...,
        min_impurity_decrease: float = ...,
        bootstrap: bool = ...,
        oob_score: Any = ...,
        n_jobs: int | None = ...,
        random_state: Any = ...,
        verbose: int | bool = ...,
        warm_start: bool = ...,
        ccp_alpha: float = ...,
        max_samples: int | float | None = ...,
        monotonic_cst: Any = ...,
        splitter: str = ...,
        max_bins: int = ...,
        permutation_importances: bool = ...,
    ) -> None: ...

class GradientBoostingClassifier(_gradient_boosting.GradientBoostingClassifier):
    classes_: NDArray[Any]
    n_classes_: int
    n_estimators_: int
    estimators_: NDArray[Any]
    feature_importances_: NDArray[Any]
    expected_value_: float
    train_score_: NDArray[Any]
    oob_improvement_: NDArray[Any]
    max_features_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        loss: str = ...,
        learning_rate: float = ...,
        n_estimators: int = ...,
        subsample: float = ...,
        criterion: str = ...,
        min_samples_split: int | float = ...,
        min_samples_leaf: int | float = ...,
        min_weight_fraction_leaf: float = ...,
        max_depth: int | None = ...,
        min_impurity_decrease: float = ...,
        init: Any = ...,
        random_state: Any = ...,
        max_features: int | float | str | None = ...,
        verbose: int | bool = ...,
        max_leaf_nodes: int | None = ...,
        warm_start: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int | None = ...,
        tol: float = ...,
        ccp_alpha: float = ...,
        step: str = ...,
        decay: float = ...,
    ) -> None: ...

class GradientBoostingRegressor(_gradient_boosting.GradientBoostingRegressor):
    n_estimators_: int
    estimators_: NDArray[Any]
    feature_importances_: NDArray[Any]
    expected_value_: float
    train_score_: NDArray[Any]
    oob_improvement_: NDArray[Any]
    max_features_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        loss: str = ...,
        learning_rate: float = ...,
        n_estimators: int = ...,
        subsample: float = ...,
        criterion: str = ...,
        min_samples_split: int | float = ...,
        min_samples_leaf: int | float = ...,
        min_weight_fraction_leaf: float = ...,
        max_depth: int | None = ...,
        min_impurity_decrease: float = ...,
        init: Any = ...,
        random_state: Any = ...,
        max_features: int | float | str | None = ...,
        alpha: float = ...,
        verbose: int | bool = ...,
        max_leaf_nodes: int | None = ...,
        warm_start: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int | None = ...,
        tol: float = ...,
        ccp_alpha: float = ...,
        step: str = ...,
        decay: float = ...,
    ) -> None: ...

class AdaBoostClassifier(_weight_boosting.AdaBoostClassifier):
    classes_: NDArray[Any]
    n_classes_: int
    estimator_: Any
    estimators_: Any
    estimator_weights_: NDArray[Any]
    estimator_errors_: NDArray[Any]
    feature_importances_: NDArray[Any]
    trace_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        estimator: Any = ...,
        *,
        n_estimators: int = ...,
        learning_rate: float = ...,
        random_state: Any = ...,
        algorithm: str = ...,
        variant: str = ...,
        stump_criterion: str = ...,
    ) -> None: ...

class AdaBoostRegressor(_weight_boosting.AdaBoostRegressor):
    estimator_: Any
    estimators_: Any
    estimator_weights_: NDArray[Any]
    estimator_errors_: NDArray[Any]
    feature_importances_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        estimator: Any = ...,
        *,
        n_estimators: int = ...,
        learning_rate: float = ...,
        loss: str = ...,
        random_state: Any = ...,
    ) -> None: ...

class BaggingClassifier(_meta.BaggingClassifier):
    estimator_: Any
    estimators_: Any
    estimators_samples_: Any
    estimators_features_: Any
    oob_score_: float
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        estimator: Any = ...,
        n_estimators: int = ...,
        *,
        max_samples: int | float | None = ...,
        max_features: int | float = ...,
        bootstrap: bool = ...,
        bootstrap_features: bool = ...,
        oob_score: Any = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        random_state: Any = ...,
        verbose: int | bool = ...,
    ) -> None: ...

class BaggingRegressor(_meta.BaggingRegressor):
    estimator_: Any
    estimators_: Any
    estimators_samples_: Any
    estimators_features_: Any
    oob_score_: float
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        estimator: Any = ...,
        n_estimators: int = ...,
        *,
        max_samples: int | float | None = ...,
        max_features: int | float = ...,
        bootstrap: bool = ...,
        bootstrap_features: bool = ...,
        oob_score: Any = ...,
        warm_start: bool = ...,
        n_jobs: int | None = ...,
        random_state: Any = ...,
        verbose: int | bool = ...,
    ) -> None: ...

class VotingClassifier(_meta.VotingClassifier):
    classes_: NDArray[Any]
    estimators_: Any
    named_estimators_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        estimators: Any = ...,
        *,
        voting: str = ...,
        weights: Any = ...,
        n_jobs: int | None = ...,
        flatten_transform: bool = ...,
        verbose: bool = ...,
    ) -> None: ...

class VotingRegressor(_meta.VotingRegressor):
    estimators_: Any
    named_estimators_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        estimators: Any = ...,
        *,
        weights: Any = ...,
        n_jobs: int | None = ...,
        verbose: bool = ...,
    ) -> None: ...

class StackingClassifier(_meta.StackingClassifier):
    classes_: NDArray[Any]
    estimators_: Any
    named_estimators_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        estimators: Any = ...,
        final_estimator: Any = ...,
        *,
        cv: int | None = ...,
        stack_method: str = ...,
        n_jobs: int | None = ...,
        passthrough: bool = ...,
        verbose: int | bool = ...,
    ) -> None: ...

class StackingRegressor(_meta.StackingRegressor):
    estimators_: Any
    named_estimators_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        estimators: Any = ...,
        final_estimator: Any = ...,
        *,
        cv: int | None = ...,
        n_jobs: int | None = ...,
        passthrough: bool = ...,
        verbose: int | bool = ...,
    ) -> None: ...

class HistGradientBoostingClassifier(_hist_gradient_boosting.HistGradientBoostingClassifier):
    classes_: NDArray[Any]
    n_iter_: int
    n_trees_per_iteration_: int
    train_score_: NDArray[Any]
    validation_score_: NDArray[Any]
    do_early_stopping_: bool
    is_categorical_: NDArray[Any]
    feature_importances_: NDArray[Any]
    expected_value_: float
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        loss: str = ...,
        *,
        learning_rate: float = ...,
        max_iter: int = ...,
        max_leaf_nodes: int | None = ...,
        max_depth: int | None = ...,
        min_samples_leaf: int = ...,
        l2_regularization: float = ...,
        max_features: float = ...,
        max_bins: int = ...,
        categorical_features: Any = ...,
        monotonic_cst: Any = ...,
        interaction_cst: str | None = ...,
        warm_start: bool = ...,
        early_stopping: str | bool = ...,
        scoring: Any = ...,
        validation_fraction: int | float | None = ...,
        n_iter_no_change: int = ...,
        tol: float = ...,
        verbose: int | bool = ...,
        random_state: Any = ...,
        class_weight: Any = ...,
        min_child_weight: float = ...,
        l1_regularization: float = ...,
        min_split_gain: float = ...,
        colsample_bytree: float = ...,
        subsample: float = ...,
        goss: bool = ...,
        top_rate: float = ...,
        other_rate: float = ...,
        cat_smooth: float = ...,
        cat_l2: float = ...,
        max_cat_threshold: int = ...,
        max_cat_to_onehot: int = ...,
        min_data_per_group: int = ...,
        extra_trees: bool = ...,
    ) -> None: ...

class HistGradientBoostingRegressor(_hist_gradient_boosting.HistGradientBoostingRegressor):
    n_iter_: int
    n_trees_per_iteration_: int
    train_score_: NDArray[Any]
    validation_score_: NDArray[Any]
    do_early_stopping_: bool
    is_categorical_: NDArray[Any]
    feature_importances_: NDArray[Any]
    expected_value_: float
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        loss: str = ...,
        *,
        quantile: float | None = ...,
        learning_rate: float = ...,
        max_iter: int = ...,
        max_leaf_nodes: int | None = ...,
        max_depth: int | None = ...,
        min_samples_leaf: int = ...,
        l2_regularization: float = ...,
        max_features: float = ...,
        max_bins: int = ...,
        categorical_features: Any = ...,
        monotonic_cst: Any = ...,
        interaction_cst: str | None = ...,
        warm_start: bool = ...,
        early_stopping: str | bool = ...,
        scoring: Any = ...,
        validation_fraction: int | float | None = ...,
        n_iter_no_change: int = ...,
        tol: float = ...,
        verbose: int | bool = ...,
        random_state: Any = ...,
        min_child_weight: float = ...,
        l1_regularization: float = ...,
        min_split_gain: float = ...,
        colsample_bytree: float = ...,
        subsample: float = ...,
        goss: bool = ...,
        top_rate: float = ...,
        other_rate: float = ...,
        cat_smooth: float = ...,
        cat_l2: float = ...,
        max_cat_threshold: int = ...,
        max_cat_to_onehot: int = ...,
        min_data_per_group: int = ...,
        extra_trees: bool = ...,
    ) -> None: ...
