# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _adaboost, _agglomerative, _asking, _bayes, _boosting, _c45, _density, _discriminant, _dummy, _ensemble, _features, _forest, _glm, _gradient, _impute, _kernel, _kernel_pca, _kmeans, _lasso, _linear, _linear_svm, _logistic, _logistic_cv, _mixture, _naive_bayes, _neighbours, _neural, _one_hot, _ordinal, _pca, _robust, _scale, _sgd, _svm, _tree

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
    "SVC",
    "SVR",
    "LinearSVC",
    "LinearSVR",
    "KernelRidge",
    "Nystroem",
    "RBFSampler",
    "GaussianNB",
    "MultinomialNB",
    "ComplementNB",
    "BernoulliNB",
    "CategoricalNB",
    "LinearDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "NearestNeighbors",
    "MLPClassifier",
    "MLPRegressor",
    "ConvNetClassifier",
    "Autoencoder",
    "GAN",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "C45Classifier",
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
    "GaussianMixture",
    "GaussianMixtureClassifier",
    "MixtureOfExpertsRegressor",
    "MixtureOfExpertsClassifier",
    "KMeans",
    "MiniBatchKMeans",
    "DBSCAN",
    "AgglomerativeClustering",
    "PCA",
    "IncrementalPCA",
    "KernelPCA",
    "DummyClassifier",
    "DummyRegressor",
    "StandardScaler",
    "MinMaxScaler",
    "OneHotEncoder",
    "OrdinalEncoder",
    "SimpleImputer",
    "PolynomialFeatures",
    "SplineTransformer",
]

class LinearRegression(_linear.LinearRegression):
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

class Ridge(_linear.Ridge):
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

class RidgeCV(_linear.RidgeCV):
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

class Lasso(_lasso.Lasso):
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

class ElasticNet(_lasso.ElasticNet):
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

class LassoCV(_lasso.LassoCV):
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

class ElasticNetCV(_lasso.ElasticNetCV):
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

class ExpectileRegressor(_robust.ExpectileRegressor):
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

class SGDClassifier(_sgd.SGDClassifier):
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

class SGDRegressor(_sgd.SGDRegressor):
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

class Perceptron(_sgd.Perceptron):
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

class StepwiseRegressor(_sgd.StepwiseRegressor):
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

class SVC(_svm.SVC):
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

class SVR(_svm.SVR):
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

class LinearSVC(_linear_svm.LinearSVC):
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

class LinearSVR(_linear_svm.LinearSVR):
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

class KernelRidge(_kernel.KernelRidge):
    dual_coef_: NDArray[Any]
    X_fit_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        alpha: Any = ...,
        *,
        kernel: Any = ...,
        gamma: float | None = ...,
        degree: float = ...,
        coef0: float = ...,
        kernel_params: Any = ...,
    ) -> None: ...

class Nystroem(_kernel.Nystroem):
    components_: NDArray[Any]
    component_indices_: NDArray[Any]
    normalization_: NDArray[Any]
    approximation_error_: float
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        kernel: Any = ...,
        *,
        gamma: float | None = ...,
        coef0: float | None = ...,
        degree: float | None = ...,
        kernel_params: Any = ...,
        n_components: int = ...,
        random_state: Any = ...,
        n_jobs: int | None = ...,
    ) -> None: ...

class RBFSampler(_kernel.RBFSampler):
    random_weights_: NDArray[Any]
    random_offset_: NDArray[Any]
    approximation_error_: float
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        gamma: str | float = ...,
        n_components: int = ...,
        random_state: Any = ...,
    ) -> None: ...

class GaussianNB(_bayes.GaussianNB):
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

class MultinomialNB(_naive_bayes.MultinomialNB):
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

class ComplementNB(_naive_bayes.ComplementNB):
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

class BernoulliNB(_naive_bayes.BernoulliNB):
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

class CategoricalNB(_naive_bayes.CategoricalNB):
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

class LinearDiscriminantAnalysis(_discriminant.LinearDiscriminantAnalysis):
    classes_: NDArray[Any]
    means_: NDArray[Any]
    priors_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    covariance_: NDArray[Any]
    scalings_: NDArray[Any]
    explained_variance_ratio_: NDArray[Any]
    xbar_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        solver: str = ...,
        shrinkage: str | float | None = ...,
        priors: Any = ...,
        n_components: int | None = ...,
        store_covariance: bool = ...,
        tol: float = ...,
        covariance_estimator: None = ...,
    ) -> None: ...

class QuadraticDiscriminantAnalysis(_discriminant.QuadraticDiscriminantAnalysis):
    classes_: NDArray[Any]
    means_: NDArray[Any]
    priors_: NDArray[Any]
    covariance_: Any
    rotations_: Any
    scalings_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        solver: str = ...,
        shrinkage: str | float | None = ...,
        priors: Any = ...,
        reg_param: float = ...,
        store_covariance: bool = ...,
        tol: float = ...,
        covariance_estimator: None = ...,
    ) -> None: ...

class KNeighborsClassifier(_asking.KNeighborsClassifier):
    classes_: NDArray[Any]
    n_samples_fit_: int
    effective_metric_: Any
    effective_metric_params_: dict[str, Any]
    outputs_2d_: bool
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_neighbors: int = ...,
        *,
        weights: Any = ...,
        algorithm: str = ...,
        leaf_size: int = ...,
        p: float = ...,
        metric: Any = ...,
        metric_params: Any = ...,
        n_jobs: int | None = ...,
    ) -> None: ...

class KNeighborsRegressor(_asking.KNeighborsRegressor):
    n_samples_fit_: int
    effective_metric_: Any
    effective_metric_params_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        n_neighbors: int = ...,
        *,
        weights: Any = ...,
        algorithm: str = ...,
        leaf_size: int = ...,
        p: float = ...,
        metric: Any = ...,
        metric_params: Any = ...,
        n_jobs: int | None = ...,
    ) -> None: ...

class RadiusNeighborsClassifier(_asking.RadiusNeighborsClassifier):
    classes_: NDArray[Any]
    n_samples_fit_: int
    effective_metric_: Any
    effective_metric_params_: dict[str, Any]
    outputs_2d_: bool
    outlier_label_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        radius: float = ...,
        *,
        weights: Any = ...,
        algorithm: str = ...,
        leaf_size: int = ...,
        p: float = ...,
        metric: Any = ...,
        outlier_label: Any = ...,
        metric_params: Any = ...,
        n_jobs: int | None = ...,
    ) -> None: ...

class RadiusNeighborsRegressor(_asking.RadiusNeighborsRegressor):
    n_samples_fit_: int
    effective_metric_: Any
    effective_metric_params_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        radius: float = ...,
        *,
        weights: Any = ...,
        algorithm: str = ...,
        leaf_size: int = ...,
        p: float = ...,
        metric: Any = ...,
        metric_params: Any = ...,
        n_jobs: int | None = ...,
    ) -> None: ...

class NearestNeighbors(_neighbours.NearestNeighbors):
    n_samples_fit_: int
    effective_metric_: Any
    effective_metric_params_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        n_neighbors: int = ...,
        radius: float = ...,
        algorithm: str = ...,
        leaf_size: int = ...,
        metric: Any = ...,
        p: float = ...,
        metric_params: Any = ...,
        n_jobs: int | None = ...,
    ) -> None: ...

class MLPClassifier(_neural.MLPClassifier):
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

class MLPRegressor(_neural.MLPRegressor):
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

class ConvNetClassifier(_neural.ConvNetClassifier):
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

class Autoencoder(_neural.Autoencoder):
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

class GAN(_neural.GAN):
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

class GradientBoostingClassifier(_gradient.GradientBoostingClassifier):
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
        init: str | None = ...,
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

class GradientBoostingRegressor(_gradient.GradientBoostingRegressor):
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
        init: str | None = ...,
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

class AdaBoostClassifier(_adaboost.AdaBoostClassifier):
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

class AdaBoostRegressor(_adaboost.AdaBoostRegressor):
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

class BaggingClassifier(_ensemble.BaggingClassifier):
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

class BaggingRegressor(_ensemble.BaggingRegressor):
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

class VotingClassifier(_ensemble.VotingClassifier):
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

class VotingRegressor(_ensemble.VotingRegressor):
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

class StackingClassifier(_ensemble.StackingClassifier):
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

class StackingRegressor(_ensemble.StackingRegressor):
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

class HistGradientBoostingClassifier(_boosting.HistGradientBoostingClassifier):
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
    ) -> None: ...

class HistGradientBoostingRegressor(_boosting.HistGradientBoostingRegressor):
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
    ) -> None: ...

class GaussianMixture(_mixture.GaussianMixture):
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

class GaussianMixtureClassifier(_mixture.GaussianMixtureClassifier):
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

class MixtureOfExpertsRegressor(_mixture.MixtureOfExpertsRegressor):
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

class MixtureOfExpertsClassifier(_mixture.MixtureOfExpertsClassifier):
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

class DBSCAN(_density.DBSCAN):
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

class DummyClassifier(_dummy.DummyClassifier):
    classes_: NDArray[Any]
    n_classes_: int
    class_prior_: NDArray[Any]
    n_outputs_: int
    sparse_output_: bool
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        strategy: str = ...,
        random_state: Any = ...,
        constant: Any = ...,
    ) -> None: ...

class DummyRegressor(_dummy.DummyRegressor):
    constant_: NDArray[Any]
    n_outputs_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        strategy: str = ...,
        constant: Any = ...,
        quantile: float | None = ...,
    ) -> None: ...

class StandardScaler(_scale.StandardScaler):
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

class MinMaxScaler(_scale.MinMaxScaler):
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

class SimpleImputer(_impute.SimpleImputer):
    statistics_: NDArray[Any]
    indicator_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    def __init__(
        self,
        *,
        missing_values: int | float | str | None = ...,
        strategy: Any = ...,
        fill_value: str | None = ...,
        copy: bool = ...,
        add_indicator: bool = ...,
        keep_empty_features: bool = ...,
    ) -> None: ...

class PolynomialFeatures(_features.PolynomialFeatures):
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

class SplineTransformer(_features.SplineTransformer):
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
