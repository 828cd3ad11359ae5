"""The estimators: signatures, constraints and documentation. What they do is in the modules they import."""

# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.

from numbers import Integral, Real

import numpy as np
from sklearn.metrics import get_scorer_names
from sklearn.utils._param_validation import HasMethods, Hidden, Interval, MissingValues, Options, RealNotInt, StrOptions

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
    """Least squares, with standard errors, tests and intervals.

    min sum_i w_i (y_i - b0 - x_i b)^2

    The first choice for a number when rows are many and columns few and not nearly dependent; use ridge
    otherwise. Takes time rows x columns^2 and one pass over the data, two when the columns are nearly dependent
    or the fit is nearly perfect. Dependent columns get the coefficients of least length. Weight 2 is the row
    twice for the coefficients; standard errors and tests take weights as inverse variances. Does not select
    columns.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether an intercept is fitted; without it the line goes through the origin.

    copy_X : bool, default=True
        Accepted so that programs written for scikit-learn run; it has no effect. X is never changed and never
        copied as a whole.

    tol : float, default=1e-6
        Accepted so that programs written for scikit-learn run; it has no effect. Rank is decided from the
        rounding errors of the data, not from a fixed cut-off.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    positive : bool, default=False
        Whether coefficients are kept at or above 0. The intercept stays free; there are no standard errors
        then.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        The coefficients.

    intercept_ : float or ndarray of shape (n_targets,)
        The constant term; 0.0 without intercept.

    rank_ : int
        Rank of the centred X. Dense X only.

    singular_ : ndarray of shape (min(n_samples, n_features),)
        Singular values of the centred X. Dense X only.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    A. Björck (1996), Numerical Methods for Least Squares Problems, SIAM
    """

    _learner = "ols"
    _forwarded = {"fit_intercept": "fit_intercept", "positive": "positive"}
    _parameter_constraints: dict = {
        "fit_intercept": ["boolean"],
        "copy_X": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "n_jobs": [None, Integral],
        "positive": ["boolean"],
    }

    def __init__(self, *, fit_intercept=True, copy_X=True, tol=1e-6, n_jobs=None, positive=False):
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive


class Ridge(_linear.Ridge):
    """Least squares with a penalty on the squared coefficients.

    min sum_i w_i (y_i - b0 - x_i b)^2 + alpha |b|^2, intercept not penalised

    Choose it when columns are many or nearly dependent; standardise them first. One pass over the data and time
    rows x columns^2, or rows^2 x columns with more columns than rows. Does not select columns.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1.0
        The strength of the penalty: one number, or one a target. 0 is least squares.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalised.

    copy_X : bool, default=True
        Accepted so that programs written for scikit-learn run; it has no effect. X is never changed and never
        copied as a whole.

    max_iter : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The fit is direct.

    tol : float, default=1e-4
        Accepted so that programs written for scikit-learn run; it has no effect. The fit is exact up to
        rounding.

    solver : str, default="auto"
        Accepted so that programs written for scikit-learn run: every name gives the same exact fit, by the
        method that suits the shape of X. "lbfgs" needs `positive`; the names that scikit-learn refuses for
        sparse X with an intercept are refused here too.

    positive : bool, default=False
        Whether coefficients are kept at or above 0. The intercept stays free.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        The coefficients.

    intercept_ : float or ndarray of shape (n_targets,)
        The constant term; 0.0 without intercept.

    n_iter_ : ndarray of shape (n_targets,)
        1: the fit is direct.

    solver_ : str
        The solver as scikit-learn would name it.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    A. E. Hoerl, R. W. Kennard (1970), Technometrics 12, 55-67
    """

    _learner = "ridge"
    _forwarded = {"fit_intercept": "fit_intercept", "positive": "positive"}
    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0, None, closed="left"), "array-like"],
        "fit_intercept": ["boolean"],
        "copy_X": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0, None, closed="left")],
        "solver": [StrOptions({"auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"})],
        "positive": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        copy_X=True,
        max_iter=None,
        tol=1e-4,
        solver="auto",
        positive=False,
        random_state=None,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state


class RidgeCV(_linear.RidgeCV):
    """Ridge regression with the penalty chosen by leave-one-out or cross-validation.

    min sum_i w_i (y_i - b0 - x_i b)^2 + alpha |b|^2, intercept not penalised

    Choose it when columns are many or nearly dependent; standardise them first. One pass over the data and time
    rows x columns^2, or rows^2 x columns with more columns than rows. Does not select columns.

    Without `cv` the leave-one-out error of every penalty is exact and takes one factorisation for all of them.
    A saved model is opened as Ridge with the chosen penalty.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,), default=(0.1, 1.0, 10.0)
        The penalties to choose from.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalised.

    scoring : str, callable or None, default=None
        How predictions of rows that had no part in the fit are judged. None is the mean squared error without
        `cv`, and R² with.

    cv : int, splitter, iterable or None, default=None
        None leaves out one row at a time; anything else is a grid search over these folds.

    gcv_mode : {"auto", "svd", "eigen"} or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The smaller of X'X and XX' is
        factorised, whatever this says.

    store_cv_results : bool, default=False
        Whether `cv_results_` is kept. Only without `cv`.

    alpha_per_target : bool, default=False
        Whether each target gets the penalty that is best for itself. Only without `cv`.

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
        The penalty chosen; one a target with `alpha_per_target`.

    best_score_ : float or ndarray of shape (n_targets,)
        Its score.

    cv_results_ : ndarray of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)
        Squared errors of the rows left out, times their weights; with `scoring` their predictions. Only with
        `store_cv_results`.

    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        The coefficients.

    intercept_ : float or ndarray of shape (n_targets,)
        The constant term; 0.0 without intercept.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    A. E. Hoerl, R. W. Kennard (1970), Technometrics 12, 55-67
    """

    _learner = "ridge"
    _forwarded = {"fit_intercept": "fit_intercept"}
    _parameter_constraints: dict = {
        "alphas": ["array-like", Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "scoring": [StrOptions(set(get_scorer_names())), callable, None],
        "cv": ["cv_object"],
        "gcv_mode": [StrOptions({"auto", "svd", "eigen"}), None],
        "store_cv_results": ["boolean"],
        "alpha_per_target": ["boolean"],
    }

    def __init__(
        self,
        alphas=(0.1, 1.0, 10.0),
        *,
        fit_intercept=True,
        scoring=None,
        cv=None,
        gcv_mode=None,
        store_cv_results=False,
        alpha_per_target=False,
    ):
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target


class Lasso(_lasso.Lasso):
    """Least squares with a penalty on the absolute values of the coefficients.

    min 1/(2 sum w) sum_i w_i (y_i - b0 - x_i b)^2 + alpha |b|_1, intercept not penalised

    Choose it when few of many columns matter: most coefficients come out exactly 0. Standardise the columns
    first. A few passes over the data, and time rows x active^2 for the columns that come into play. Gives no
    tests.

    Parameters
    ----------
    alpha : float, default=1.0
        The strength of the penalty; 0 is least squares. "cv" chooses it by cross-validation on a path of
        penalties, "path" follows the path to its end and keeps all of it.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalised.

    precompute : bool or array-like of shape (n_features, n_features), default=False
        Whether the products of all columns are computed at the start; otherwise those of the columns that come
        into play. A given matrix of products is not needed.

    copy_X : bool, default=True
        Accepted so that programs written for scikit-learn run; it has no effect. X is never changed and never
        copied as a whole.

    max_iter : int, default=1000
        Rounds of coordinate descent at most.

    tol : float, default=1e-4
        The duality gap at which to stop, relative to the mean square of the centred target.

    warm_start : bool, default=False
        Whether a fit starts from the coefficients of the one before.

    positive : bool, default=False
        Whether coefficients are kept at or above 0. The intercept stays free.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    selection : {"cyclic", "random"}, default="cyclic"
        The order of the coefficients in a round: one after the other, or a new random order every round.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        The coefficients.

    sparse_coef_ : sparse array of shape (n_targets, n_features)
        The coefficients that are not 0.

    intercept_ : float or ndarray of shape (n_targets,)
        The constant term; 0.0 without intercept.

    dual_gap_ : float or ndarray of shape (n_targets,)
        An upper bound on objective minus optimum.

    n_iter_ : int or list of int
        Rounds of coordinate descent.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    R. Tibshirani (1996), JRSS B 58, 267-288
    """

    _learner = "lasso"
    _forwarded = {"alpha": "alpha", "fit_intercept": "fit_intercept", "tol": "tol", "positive": "positive", "selection": "selection"}
    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "precompute": ["boolean", "array-like"],
        "copy_X": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0, None, closed="left")],
        "warm_start": ["boolean"],
        "positive": ["boolean"],
        "random_state": ["random_state"],
        "selection": [StrOptions({"cyclic", "random"})],
    }

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        precompute=False,
        copy_X=True,
        max_iter=1000,
        tol=1e-4,
        warm_start=False,
        positive=False,
        random_state=None,
        selection="cyclic",
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection


class ElasticNet(_lasso.ElasticNet):
    """Least squares with a penalty on the absolute values and the squares of the coefficients.

    min 1/(2 sum w) sum_i w_i (y_i - b0 - x_i b)^2 + alpha (l1_ratio |b|_1 + (1 - l1_ratio)/2 |b|^2), intercept
    not penalised

    Choose it over the lasso where columns come in groups that say nearly the same: they are kept together.
    Standardise the columns first. A few passes over the data, and time rows x active^2 for the columns that
    come into play. Gives no tests.

    Parameters
    ----------
    alpha : float, default=1.0
        The strength of the penalty; 0 is least squares. "cv" chooses it by cross-validation on a path of
        penalties, "path" follows the path to its end and keeps all of it.

    l1_ratio : float, default=0.5
        The share of the absolute values in the penalty; 1 is the lasso, 0 ridge regression.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalised.

    precompute : bool or array-like of shape (n_features, n_features), default=False
        Whether the products of all columns are computed at the start; otherwise those of the columns that come
        into play. A given matrix of products is not needed.

    max_iter : int, default=1000
        Rounds of coordinate descent at most.

    copy_X : bool, default=True
        Accepted so that programs written for scikit-learn run; it has no effect. X is never changed and never
        copied as a whole.

    tol : float, default=1e-4
        The duality gap at which to stop, relative to the mean square of the centred target.

    warm_start : bool, default=False
        Whether a fit starts from the coefficients of the one before.

    positive : bool, default=False
        Whether coefficients are kept at or above 0. The intercept stays free.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    selection : {"cyclic", "random"}, default="cyclic"
        The order of the coefficients in a round: one after the other, or a new random order every round.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        The coefficients.

    sparse_coef_ : sparse array of shape (n_targets, n_features)
        The coefficients that are not 0.

    intercept_ : float or ndarray of shape (n_targets,)
        The constant term; 0.0 without intercept.

    dual_gap_ : float or ndarray of shape (n_targets,)
        An upper bound on objective minus optimum.

    n_iter_ : int or list of int
        Rounds of coordinate descent.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    H. Zou, T. Hastie (2005), JRSS B 67, 301-320
    """

    _learner = "elastic-net"
    _forwarded = {"alpha": "alpha", "l1_ratio": "l1_ratio", "fit_intercept": "fit_intercept", "tol": "tol", "positive": "positive", "selection": "selection"}
    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
        "fit_intercept": ["boolean"],
        "precompute": ["boolean", "array-like"],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "copy_X": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "warm_start": ["boolean"],
        "positive": ["boolean"],
        "random_state": ["random_state"],
        "selection": [StrOptions({"cyclic", "random"})],
    }

    def __init__(
        self,
        alpha=1.0,
        *,
        l1_ratio=0.5,
        fit_intercept=True,
        precompute=False,
        max_iter=1000,
        copy_X=True,
        tol=1e-4,
        warm_start=False,
        positive=False,
        random_state=None,
        selection="cyclic",
    ):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection


class LassoCV(_lasso.LassoCV):
    """Lasso whose penalty is chosen by cross-validation.

    min 1/(2 sum w) sum_i w_i (y_i - b0 - x_i b)^2 + alpha |b|_1, intercept not penalised

    Choose it when few of many columns matter: most coefficients come out exactly 0. Standardise the columns
    first. A few passes over the data, and time rows x active^2 for the columns that come into play. Gives no
    tests.

    Parameters
    ----------
    eps : float, default=1e-3
        The last penalty of the path, as a share of the first, which is the least that makes all coefficients 0.

    alphas : int or array-like, default=100
        The penalties to choose from, or how many of them.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalised.

    precompute : "auto", bool or array-like, default="auto"
        True computes the products of all columns at the start; otherwise those of the columns that come into
        play.

    max_iter : int, default=1000
        Rounds of coordinate descent at most.

    tol : float, default=1e-4
        The duality gap at which to stop, relative to the mean square of the centred target.

    copy_X : bool, default=True
        Accepted so that programs written for scikit-learn run; it has no effect. X is never changed and never
        copied as a whole.

    cv : int, cross-validation generator or iterable, default=None
        How rows are split; None is 5 folds.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    positive : bool, default=False
        Whether coefficients are kept at or above 0. The intercept stays free.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    selection : {"cyclic", "random"}, default="cyclic"
        The order of the coefficients in a round: one after the other, or a new random order every round.

    Attributes
    ----------
    alpha_ : float
        The penalty with the least error.

    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        The coefficients.

    intercept_ : float or ndarray of shape (n_targets,)
        The constant term; 0.0 without intercept.

    mse_path_ : ndarray of shape (n_alphas, n_folds) or (n_l1_ratio, n_alphas, n_folds)
        The mean squared error on each fold.

    alphas_ : ndarray of shape (n_alphas,) or (n_l1_ratio, n_alphas)
        The penalties, falling.

    dual_gap_ : float or ndarray of shape (n_targets,)
        An upper bound on objective minus optimum.

    n_iter_ : int or list of int
        Rounds of coordinate descent.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    R. Tibshirani (1996), JRSS B 58, 267-288
    """

    _learner = "lasso"
    _forwarded = {"fit_intercept": "fit_intercept", "tol": "tol", "positive": "positive", "selection": "selection"}
    _parameter_constraints: dict = {
        "eps": [Interval(Real, 0, None, closed="neither")],
        "alphas": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "fit_intercept": ["boolean"],
        "precompute": [StrOptions({"auto"}), "array-like", "boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "copy_X": ["boolean"],
        "cv": ["cv_object"],
        "verbose": ["verbose"],
        "n_jobs": [None, Integral],
        "positive": ["boolean"],
        "random_state": ["random_state"],
        "selection": [StrOptions({"cyclic", "random"})],
    }

    def __init__(
        self,
        *,
        eps=1e-3,
        alphas=100,
        fit_intercept=True,
        precompute="auto",
        max_iter=1000,
        tol=1e-4,
        copy_X=True,
        cv=None,
        verbose=0,
        n_jobs=None,
        positive=False,
        random_state=None,
        selection="cyclic",
    ):
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection


class ElasticNetCV(_lasso.ElasticNetCV):
    """Elastic net whose penalty is chosen by cross-validation.

    min 1/(2 sum w) sum_i w_i (y_i - b0 - x_i b)^2 + alpha (l1_ratio |b|_1 + (1 - l1_ratio)/2 |b|^2), intercept
    not penalised

    Choose it over the lasso where columns come in groups that say nearly the same: they are kept together.
    Standardise the columns first. A few passes over the data, and time rows x active^2 for the columns that
    come into play. Gives no tests.

    Parameters
    ----------
    l1_ratio : float or array-like, default=0.5
        The share of the absolute values in the penalty; of several, the best is chosen.

    eps : float, default=1e-3
        The last penalty of the path, as a share of the first, which is the least that makes all coefficients 0.

    alphas : int or array-like, default=100
        The penalties to choose from, or how many of them.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalised.

    precompute : "auto", bool or array-like, default="auto"
        True computes the products of all columns at the start; otherwise those of the columns that come into
        play.

    max_iter : int, default=1000
        Rounds of coordinate descent at most.

    tol : float, default=1e-4
        The duality gap at which to stop, relative to the mean square of the centred target.

    cv : int, cross-validation generator or iterable, default=None
        How rows are split; None is 5 folds.

    copy_X : bool, default=True
        Accepted so that programs written for scikit-learn run; it has no effect. X is never changed and never
        copied as a whole.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    positive : bool, default=False
        Whether coefficients are kept at or above 0. The intercept stays free.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    selection : {"cyclic", "random"}, default="cyclic"
        The order of the coefficients in a round: one after the other, or a new random order every round.

    Attributes
    ----------
    alpha_ : float
        The penalty with the least error.

    l1_ratio_ : float
        The share of the absolute values that goes with it.

    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        The coefficients.

    intercept_ : float or ndarray of shape (n_targets,)
        The constant term; 0.0 without intercept.

    mse_path_ : ndarray of shape (n_alphas, n_folds) or (n_l1_ratio, n_alphas, n_folds)
        The mean squared error on each fold.

    alphas_ : ndarray of shape (n_alphas,) or (n_l1_ratio, n_alphas)
        The penalties, falling.

    dual_gap_ : float or ndarray of shape (n_targets,)
        An upper bound on objective minus optimum.

    n_iter_ : int or list of int
        Rounds of coordinate descent.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    H. Zou, T. Hastie (2005), JRSS B 67, 301-320
    """

    _learner = "elastic-net"
    _forwarded = {"fit_intercept": "fit_intercept", "tol": "tol", "positive": "positive", "selection": "selection"}
    _parameter_constraints: dict = {
        "l1_ratio": [Interval(Real, 0, 1, closed="both"), "array-like"],
        "eps": [Interval(Real, 0, None, closed="neither")],
        "alphas": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "fit_intercept": ["boolean"],
        "precompute": [StrOptions({"auto"}), "array-like", "boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "cv": ["cv_object"],
        "copy_X": ["boolean"],
        "verbose": ["verbose"],
        "n_jobs": [None, Integral],
        "positive": ["boolean"],
        "random_state": ["random_state"],
        "selection": [StrOptions({"cyclic", "random"})],
    }

    def __init__(
        self,
        *,
        l1_ratio=0.5,
        eps=1e-3,
        alphas=100,
        fit_intercept=True,
        precompute="auto",
        max_iter=1000,
        tol=1e-4,
        cv=None,
        copy_X=True,
        verbose=0,
        n_jobs=None,
        positive=False,
        random_state=None,
        selection="cyclic",
    ):
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.copy_X = copy_X
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection


class HuberRegressor(_robust.HuberRegressor):
    """Regression that bounds the pull of targets far off, with the scale of the residuals fitted too.

    min over b, b0, s: sum_i w_i (s + H(r_i / s) s) + alpha |b|^2, H(z) = z^2 for |z| <= epsilon, else 2 epsilon
    |z| - epsilon^2; r_i = y_i - b0 - x_i b, intercept not penalised

    Choose it instead of ols when some targets may be far off. Rows whose columns are far off still pull. Five
    to ten passes, time rows x columns^2 each. No standard errors.

    Parameters
    ----------
    epsilon : float, default=1.35
        Where the loss turns from squared to absolute, in units of the scale; the smaller, the more robust.

    max_iter : int, default=100
        Steps at most. A fit that needs more returns what it has and says so.

    alpha : float, default=0.0001
        The strength of the penalty on the squared coefficients; 0 is none.

    warm_start : bool, default=False
        Accepted so that programs written for scikit-learn run; it has no effect. Every fit starts anew.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalised.

    tol : float, default=1e-5
        The fit ends when the distance to the optimum, in the norm of the Hessian and relative to the objective,
        is estimated below a millionth of this.

    scale : float or None, default=None
        The scale of the residuals: null fits it, a number holds it, so that the loss turns at epsilon x scale.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients.

    intercept_ : float
        The constant term; 0.0 without intercept.

    scale_ : float
        The scale of the residuals.

    n_iter_ : int
        Steps that were taken.

    outliers_ : ndarray of shape (n_samples,)
        Whether a row is farther than `epsilon * scale_` from the line.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    P. J. Huber, E. M. Ronchetti (2009), Robust Statistics, 2nd ed., Wiley, section 7.7
    """

    _learner = "huber"
    _forwarded = {"epsilon": "epsilon", "max_iter": "max_iter", "alpha": "alpha", "fit_intercept": "fit_intercept", "tol": "tol", "scale": "scale"}
    _parameter_constraints: dict = {
        "epsilon": [Interval(Real, 1.0, None, closed="left")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "warm_start": ["boolean"],
        "fit_intercept": ["boolean"],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "scale": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(
        self,
        *,
        epsilon=1.35,
        max_iter=100,
        alpha=0.0001,
        warm_start=False,
        fit_intercept=True,
        tol=1e-5,
        scale=None,
    ):
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.alpha = alpha
        self.warm_start = warm_start
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.scale = scale


class QuantileRegressor(_robust.QuantileRegressor):
    """The plane with a given share of the rows below it: median and other quantiles.

    min sum_i w_i pinball(r_i) / sum_i w_i + alpha |b|_1, pinball(r) = quantile r for r >= 0, (quantile - 1) r
    below; r_i = y_i - b0 - x_i b, intercept not penalised

    For the median instead of the mean, for limits that hold nine times in ten, for spreads that change. The
    optimum is exact and proved. Of many rows most are taken together, so the time is a few passes and some
    twenty least-squares steps over few rows. The default penalty is strong: lower alpha. No standard errors;
    needs all rows in memory.

    Parameters
    ----------
    quantile : float, default=0.5
        The level: the share of the rows that lie below the plane. 0 and 1 give the nearest plane below and
        above all rows.

    alpha : float, default=1.0
        The strength of the penalty on the absolute coefficients; 0 is none.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalised.

    solver : str, default="highs"
        The names of scikit-learn are accepted, with its refusals; one exact method stands behind all of them.

    solver_options : dict or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The method has no options.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients.

    intercept_ : float
        The constant term; 0.0 without intercept.

    n_iter_ : int
        Steps of the interior point and exchanges of rows.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    R. Koenker (2005), Quantile Regression, Cambridge University Press
    """

    _learner = "quantile"
    _forwarded = {"quantile": "quantile", "alpha": "alpha", "fit_intercept": "fit_intercept"}
    _parameter_constraints: dict = {
        "quantile": [Interval(Real, 0, 1, closed="both")],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "solver": [StrOptions({"highs-ds", "highs-ipm", "highs", "interior-point", "revised simplex"})],
        "solver_options": [dict, None],
    }

    def __init__(self, *, quantile=0.5, alpha=1.0, fit_intercept=True, solver="highs", solver_options=None):
        self.quantile = quantile
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.solver_options = solver_options


class ExpectileRegressor(_robust.ExpectileRegressor):
    """Least squares that counts rows above and below the line differently.

    min sum_i w_i |tau - 1(r_i < 0)| r_i^2 + alpha |b|^2, r_i = y_i - b0 - x_i b, intercept not penalised

    Choose it when being too low costs more than being too high, or the other way round; tau = 0.5 is the mean.
    Smoother than a quantile, but moved by outliers. Some five to ten weighted least-squares fits, one pass
    each, time rows x columns^2. No standard errors.

    Parameters
    ----------
    tau : float, default=0.5
        The level, above 0 and below 1: rows above the line count tau, rows below it 1 - tau.

    alpha : float, default=0.0
        The strength of the penalty on the squared coefficients; 0 is none.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalised.

    max_iter : int, default=100
        Steps at most. A fit that needs more returns what it has and says so.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients.

    intercept_ : float
        The constant term; 0.0 without intercept.

    n_iter_ : int
        Weighted least-squares fits that were made.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    W. K. Newey, J. L. Powell (1987), Econometrica 55, 819-847
    """

    _learner = "expectile"
    _forwarded = {"tau": "tau", "alpha": "alpha", "fit_intercept": "fit_intercept", "max_iter": "max_iter"}
    _parameter_constraints: dict = {
        "tau": [Interval(Real, 0, 1, closed="neither")],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, *, tau=0.5, alpha=0.0, fit_intercept=True, max_iter=100):
        self.tau = tau
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter


class PoissonRegressor(_glm.PoissonRegressor):
    """Generalised linear model for counts: Poisson family, log link.

    min 1 / (2 sum_i w_i) sum_i w_i d(y_i, mu_i) + alpha/2 |b|^2 with link(mu_i) = b0 + x_i b + offset_i and the
    unit deviance d of the family; intercept not penalised

    Choose it for counts (poisson), positive amounts (gamma, inverse-gaussian, tweedie) and shares (bernoulli),
    where the spread grows with the mean. The usual link is the identity for gaussian, logit for bernoulli, else
    the logarithm, under which effects multiply. Without penalty it gives standard errors, tests and intervals.
    Newton's method (Fisher's scoring where the loss is not convex): some passes over the rows, each columns^2 a
    row at most. Weights of rows are counts for bernoulli and poisson, and precisions where the dispersion is
    estimated. Does not select columns.

    Parameters
    ----------
    alpha : float, default=1.0
        The strength of the penalty on the squared coefficients; 0 is maximum likelihood.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalised.

    solver : {"lbfgs", "newton-cholesky"}, default="lbfgs"
        "newton-cholesky" is Newton's method; "lbfgs" is Newton's method where the Hessian is small enough, else
        L-BFGS. The optimum is the same.

    max_iter : int, default=100
        Steps at most. A fit that needs more returns what it has and says so.

    tol : float, default=1e-4
        The fit ends when the distance to the optimum, in the norm of the Hessian and relative to the deviance,
        is estimated below a tenth of this; with the Hessian at hand it goes on to a millionth of it, which
        costs a step or two.

    warm_start : bool, default=False
        Whether a fit starts from the coefficients of the fit before it.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients of the linear score.

    intercept_ : float
        The constant term; 0.0 without intercept.

    n_iter_ : int
        Steps that the fit took.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    P. McCullagh, J. A. Nelder (1989), Generalized Linear Models, 2nd ed., Chapman & Hall
    """

    _learner = "glm"
    _forwarded = {"alpha": "alpha", "fit_intercept": "fit_intercept", "max_iter": "max_iter", "tol": "tol"}
    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "solver": [StrOptions({"lbfgs", "newton-cholesky"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        alpha=1.0,
        fit_intercept=True,
        solver="lbfgs",
        max_iter=100,
        tol=1e-4,
        warm_start=False,
        verbose=0,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose


class GammaRegressor(_glm.GammaRegressor):
    """Generalised linear model for positive amounts: Gamma family, log link.

    min 1 / (2 sum_i w_i) sum_i w_i d(y_i, mu_i) + alpha/2 |b|^2 with link(mu_i) = b0 + x_i b + offset_i and the
    unit deviance d of the family; intercept not penalised

    Choose it for counts (poisson), positive amounts (gamma, inverse-gaussian, tweedie) and shares (bernoulli),
    where the spread grows with the mean. The usual link is the identity for gaussian, logit for bernoulli, else
    the logarithm, under which effects multiply. Without penalty it gives standard errors, tests and intervals.
    Newton's method (Fisher's scoring where the loss is not convex): some passes over the rows, each columns^2 a
    row at most. Weights of rows are counts for bernoulli and poisson, and precisions where the dispersion is
    estimated. Does not select columns.

    Parameters
    ----------
    alpha : float, default=1.0
        The strength of the penalty on the squared coefficients; 0 is maximum likelihood.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalised.

    solver : {"lbfgs", "newton-cholesky"}, default="lbfgs"
        "newton-cholesky" is Newton's method; "lbfgs" is Newton's method where the Hessian is small enough, else
        L-BFGS. The optimum is the same.

    max_iter : int, default=100
        Steps at most. A fit that needs more returns what it has and says so.

    tol : float, default=1e-4
        The fit ends when the distance to the optimum, in the norm of the Hessian and relative to the deviance,
        is estimated below a tenth of this; with the Hessian at hand it goes on to a millionth of it, which
        costs a step or two.

    warm_start : bool, default=False
        Whether a fit starts from the coefficients of the fit before it.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients of the linear score.

    intercept_ : float
        The constant term; 0.0 without intercept.

    n_iter_ : int
        Steps that the fit took.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    P. McCullagh, J. A. Nelder (1989), Generalized Linear Models, 2nd ed., Chapman & Hall
    """

    _learner = "glm"
    _forwarded = {"alpha": "alpha", "fit_intercept": "fit_intercept", "max_iter": "max_iter", "tol": "tol"}
    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "solver": [StrOptions({"lbfgs", "newton-cholesky"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        alpha=1.0,
        fit_intercept=True,
        solver="lbfgs",
        max_iter=100,
        tol=1e-4,
        warm_start=False,
        verbose=0,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose


class TweedieRegressor(_glm.TweedieRegressor):
    """Generalised linear model whose variance is a power of the mean.

    min 1 / (2 sum_i w_i) sum_i w_i d(y_i, mu_i) + alpha/2 |b|^2 with link(mu_i) = b0 + x_i b + offset_i and the
    unit deviance d of the family; intercept not penalised

    Choose it for counts (poisson), positive amounts (gamma, inverse-gaussian, tweedie) and shares (bernoulli),
    where the spread grows with the mean. The usual link is the identity for gaussian, logit for bernoulli, else
    the logarithm, under which effects multiply. Without penalty it gives standard errors, tests and intervals.
    Newton's method (Fisher's scoring where the loss is not convex): some passes over the rows, each columns^2 a
    row at most. Weights of rows are counts for bernoulli and poisson, and precisions where the dispersion is
    estimated. Does not select columns.

    Parameters
    ----------
    power : float, default=0.0
        The power of the tweedie family: at most 0, or from 1 up. Between 1 and 2 targets are amounts with zeros
        among them; 0, 1, 2 and 3 are gaussian, poisson, gamma and inverse gaussian.

    alpha : float, default=1.0
        The strength of the penalty on the squared coefficients; 0 is maximum likelihood.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalised.

    link : {"auto", "identity", "log"}, default="auto"
        What stands between mean and score; "auto" is the identity for powers up to 0, else the logarithm.

    solver : {"lbfgs", "newton-cholesky"}, default="lbfgs"
        "newton-cholesky" is Newton's method; "lbfgs" is Newton's method where the Hessian is small enough, else
        L-BFGS. The optimum is the same.

    max_iter : int, default=100
        Steps at most. A fit that needs more returns what it has and says so.

    tol : float, default=1e-4
        The fit ends when the distance to the optimum, in the norm of the Hessian and relative to the deviance,
        is estimated below a tenth of this; with the Hessian at hand it goes on to a millionth of it, which
        costs a step or two.

    warm_start : bool, default=False
        Whether a fit starts from the coefficients of the fit before it.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients of the linear score.

    intercept_ : float
        The constant term; 0.0 without intercept.

    n_iter_ : int
        Steps that the fit took.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    P. McCullagh, J. A. Nelder (1989), Generalized Linear Models, 2nd ed., Chapman & Hall
    """

    _learner = "glm"
    _forwarded = {"alpha": "alpha", "fit_intercept": "fit_intercept", "max_iter": "max_iter", "tol": "tol"}
    _parameter_constraints: dict = {
        "power": [Interval(Real, None, None, closed="neither")],
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "link": [StrOptions({"auto", "identity", "log"})],
        "solver": [StrOptions({"lbfgs", "newton-cholesky"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        power=0.0,
        alpha=1.0,
        fit_intercept=True,
        link="auto",
        solver="lbfgs",
        max_iter=100,
        tol=1e-4,
        warm_start=False,
        verbose=0,
    ):
        self.power = power
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.link = link
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose


class GeneralizedLinearRegressor(_glm.GeneralizedLinearRegressor):
    """Generalised linear model: counts, amounts and shares whose spread follows their mean.

    min 1 / (2 sum_i w_i) sum_i w_i d(y_i, mu_i) + alpha/2 |b|^2 with link(mu_i) = b0 + x_i b + offset_i and the
    unit deviance d of the family; intercept not penalised

    Choose it for counts (poisson), positive amounts (gamma, inverse-gaussian, tweedie) and shares (bernoulli),
    where the spread grows with the mean. The usual link is the identity for gaussian, logit for bernoulli, else
    the logarithm, under which effects multiply. Without penalty it gives standard errors, tests and intervals.
    Newton's method (Fisher's scoring where the loss is not convex): some passes over the rows, each columns^2 a
    row at most. Weights of rows are counts for bernoulli and poisson, and precisions where the dispersion is
    estimated. Does not select columns.

    `fit` and `predict` take `offset`, which is added to the score, or `exposure`, which the mean is
    proportional to.

    Parameters
    ----------
    family : {"gaussian", "bernoulli", "binomial", "poisson", "gamma", "inverse-gaussian", "tweedie"}, default="gaussian"
        How the variance follows the mean: "gaussian" not at all, "bernoulli" (or "binomial") mu (1 - mu),
        "poisson" mu, "gamma" mu^2, "inverse-gaussian" mu^3, "tweedie" mu^power.

    power : float, default=1.5
        The power of the tweedie family: at most 0, or from 1 up. Between 1 and 2 targets are amounts with zeros
        among them; 0, 1, 2 and 3 are gaussian, poisson, gamma and inverse gaussian.

    link : {"auto", "identity", "log", "logit", "inverse", "probit"}, default="auto"
        What stands between mean and score: "auto" is the usual one of the family, identity for gaussian and
        tweedie powers up to 0, logit for bernoulli, else log.

    alpha : float, default=0.0
        The strength of the penalty on the squared coefficients; 0 is maximum likelihood.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalised.

    solver : {"auto", "newton", "lbfgs"}, default="auto"
        How the optimum is found: "newton" with the Hessian, "lbfgs" without, "auto" for the first up to a
        thousand columns. The optimum is the same.

    max_iter : int, default=100
        Steps at most. A fit that needs more returns what it has and says so.

    tol : float, default=1e-4
        The fit ends when the distance to the optimum, in the norm of the Hessian and relative to the deviance,
        is estimated below a tenth of this; with the Hessian at hand it goes on to a millionth of it, which
        costs a step or two.

    warm_start : bool, default=False
        Whether a fit starts from the coefficients of the fit before it.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients of the linear score.

    intercept_ : float
        The constant term; 0.0 without intercept.

    n_iter_ : int
        Steps that the fit took.

    deviance_ : float
        The deviance of the fit.

    null_deviance_ : float
        The deviance of the model without columns.

    dispersion_ : float
        What the variance is in units of V(mu): 1 for counts and shares, else estimated.

    log_likelihood_ : float
        The log-likelihood at its maximum; NaN for Tweedie families.

    aic_ : float
        Akaike's criterion.

    bic_ : float
        The Bayesian criterion.

    summary_ : dict of ndarray of shape (n_features + 1,)
        Of a fit without penalty: `std_err`, `t_value`, `p_value`, `conf_low`, `conf_high`, the constant term
        first; None where coefficients are not determined.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    P. McCullagh, J. A. Nelder (1989), Generalized Linear Models, 2nd ed., Chapman & Hall
    """

    _learner = "glm"
    _forwarded = {"family": "family", "power": "power", "link": "link", "alpha": "alpha", "fit_intercept": "fit_intercept", "solver": "solver", "max_iter": "max_iter", "tol": "tol"}
    _parameter_constraints: dict = {
        "family": [StrOptions({"gaussian", "bernoulli", "binomial", "poisson", "gamma", "inverse-gaussian", "tweedie"})],
        "power": [Interval(Real, None, None, closed="neither")],
        "link": [StrOptions({"auto", "identity", "log", "logit", "inverse", "probit"})],
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "solver": [StrOptions({"auto", "newton", "lbfgs"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        family="gaussian",
        power=1.5,
        link="auto",
        alpha=0.0,
        fit_intercept=True,
        solver="auto",
        max_iter=100,
        tol=1e-4,
        warm_start=False,
        verbose=0,
    ):
        self.family = family
        self.power = power
        self.link = link
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose


class LogisticRegression(_logistic.LogisticRegression):
    """Logistic regression for two classes, softmax regression for more, with an L2, L1 or elastic-net penalty.

    min over W, b: C sum_i w_i loss_i + r ||W||_1 + (1 - r)/2 ||W||^2; loss_i = log(1 + exp(-s_i (w.x_i + b)))
    for two classes, log sum_k exp(z_ik) - z_i,y(i) with z_ik = w_k.x_i + b_k for more; intercepts are not
    penalised

    The first choice for classification with numeric columns: one optimum, found exactly and with a certificate,
    probabilities that are well calibrated, weights that can be read (with standard errors without penalty). An
    L1 part selects columns: many weights are exactly 0. Standardise columns of different units, since the
    penalty sees the units. Classes that can be told apart without error are found out when nothing is
    penalised, and the direction that tells them apart is kept. Weights of rows are counts, for standard errors
    too. Costs some tens of passes at most over the rows.

    Parameters
    ----------
    penalty : {"l1", "l2", "elasticnet"} or None, default="deprecated"
        The old way to say what `C` and `l1_ratio` say; None is C=inf.

    C : float, default=1.0
        How much the losses count next to the penalty: small values keep the weights small. null is no penalty.

    l1_ratio : float, default=0.0
        As in scikit-learn, the solvers "saga" and (for 1) "liblinear" take other values than 0.

    dual : bool, default=False
        Accepted so that programs written for scikit-learn run; it has no effect.

    tol : float, default=1e-4
        The fit ends when the distance to the optimum, in the norm of the Hessian and relative to the objective,
        is estimated below ten times this; with the Hessian at hand it goes on to a millionth of it, which costs
        a step or two. Coordinate descent (an L1 part) and the dual end when the duality gap proves that less
        than 50 tol^2 of the objective is missing, which is the same distance.

    fit_intercept : bool, default=True
        Whether scores have an intercept, which is not penalised.

    intercept_scaling : float, default=1
        Accepted so that programs written for scikit-learn run; it has no effect. The constant term is never
        penalised.

    class_weight : dict, "balanced" or None, default=None
        Weights of the classes by label, 1 for labels not listed; "balanced" gives every class the same total
        weight.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    solver : str, default="lbfgs"
        The names of scikit-learn are accepted, with the penalties they take there. All find the same optimum,
        by the method that suits penalty and shape of X; the constant term is not penalised by any of them.

    max_iter : int, default=100
        Steps at most. A fit that needs more returns what it has and says so.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    warm_start : bool, default=False
        Whether a fit starts from the coefficients of the last one.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The coefficients.

    intercept_ : ndarray of shape (1,) or (n_classes,)
        The constant terms.

    n_iter_ : ndarray of shape (1,)
        Iterations of the solver.

    separating_direction_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Only without penalty, and only when the classes can be told apart: coefficients of norm 1 along which
        every row has its own class rise, or stay. The likelihood then has no maximum.

    separating_intercept_ : ndarray of shape (1,) or (n_classes,)
        The constant terms that go with them.

    separating_margin_ : float
        The least lead of its own class that a row has along them; 0 when some have none.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 2nd ed., 2009, section 4.4
    """

    _learner = "logistic"
    _forwarded = {"fit_intercept": "fit_intercept"}
    _parameter_constraints: dict = {
        "penalty": [StrOptions({"l1", "l2", "elasticnet"}), None, Hidden(StrOptions({"deprecated"}))],
        "C": [Interval(Real, 0, None, closed="right")],
        "l1_ratio": [Interval(Real, 0, 1, closed="both"), None],
        "dual": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0, None, closed="neither")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "random_state": ["random_state"],
        "solver": [StrOptions({"lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"})],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        penalty="deprecated",
        *,
        C=1.0,
        l1_ratio=0.0,
        dual=False,
        tol=1e-4,
        fit_intercept=True,
        intercept_scaling=1,
        class_weight=None,
        random_state=None,
        solver="lbfgs",
        max_iter=100,
        verbose=0,
        warm_start=False,
        n_jobs=None,
    ):
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs


class LogisticRegressionCV(_logistic_cv.LogisticRegressionCV):
    """Logistic regression for two classes, softmax regression for more, with C (and the L1 share) chosen by cross-validation.

    min over W, b: C sum_i w_i loss_i + r ||W||_1 + (1 - r)/2 ||W||^2; loss_i = log(1 + exp(-s_i (w.x_i + b)))
    for two classes, log sum_k exp(z_ik) - z_i,y(i) with z_ik = w_k.x_i + b_k for more; intercepts are not
    penalised

    The first choice for classification with numeric columns: one optimum, found exactly and with a certificate,
    probabilities that are well calibrated, weights that can be read (with standard errors without penalty). An
    L1 part selects columns: many weights are exactly 0. Standardise columns of different units, since the
    penalty sees the units. Classes that can be told apart without error are found out when nothing is
    penalised, and the direction that tells them apart is kept. Weights of rows are counts, for standard errors
    too. Costs some tens of passes at most over the rows.

    In every fold the fits start from the one before, from the strongest penalty to the weakest, and the last
    fit on all rows starts from the mean of the folds. A class without rows in a fold has coefficients of 0 and
    a constant term of minus infinity there. A saved model is opened as LogisticRegression with what was chosen.

    Parameters
    ----------
    Cs : int or array-like of shape (n_cs,), default=10
        The values of C to choose from, or how many of them, in equal ratios from 1e-4 to 1e4.

    l1_ratios : array-like of shape (n_l1_ratios,) or None, default="warn"
        The shares of the L1 part of the penalty to choose from; None is no L1 part. As in scikit-learn, other
        values than 0 are taken by the solvers "saga" and (for 1) "liblinear".

    fit_intercept : bool, default=True
        Whether scores have an intercept, which is not penalised.

    cv : int, cross-validation generator or iterable, default=None
        How rows are split; None is 5 folds with the classes in their shares.

    dual : bool, default=False
        Accepted so that programs written for scikit-learn run; it has no effect.

    penalty : {"l1", "l2", "elasticnet"}, default="deprecated"
        The old way to say what `l1_ratios` says.

    scoring : str, callable or None, default="warn"
        How a fit is judged on the rows that had no part in it; None is accuracy.

    solver : str, default="lbfgs"
        The names of scikit-learn are accepted, with the penalties they take there. All find the same optimum,
        by the method that suits penalty and shape of X; the constant term is not penalised by any of them.

    tol : float, default=1e-4
        The fit ends when the distance to the optimum, in the norm of the Hessian and relative to the objective,
        is estimated below ten times this; with the Hessian at hand it goes on to a millionth of it, which costs
        a step or two. Coordinate descent (an L1 part) and the dual end when the duality gap proves that less
        than 50 tol^2 of the objective is missing, which is the same distance.

    max_iter : int, default=100
        Steps at most. A fit that needs more returns what it has and says so.

    class_weight : dict, "balanced" or None, default=None
        Weights of the classes by label, 1 for labels not listed; "balanced" gives every class the same total
        weight.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    refit : bool, default=True
        Whether all rows are fitted with what is best on average. Otherwise the coefficients that are best in
        each fold are averaged.

    intercept_scaling : float, default=1.0
        Accepted so that programs written for scikit-learn run; it has no effect. The constant term is never
        penalised.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    use_legacy_attributes : bool, default="warn"
        Whether attributes have the shapes of before scikit-learn 1.10: `C_` and `l1_ratio_` repeated for each
        class, `coefs_paths_` and `scores_` dicts by class, with the axes (folds, Cs, l1_ratios), the last one
        only where `l1_ratios` is not None.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The coefficients.

    intercept_ : ndarray of shape (1,) or (n_classes,)
        The constant terms.

    C_ : float
        The C that was chosen; without `refit` the mean of the best of each fold.

    l1_ratio_ : float
        The share of the L1 part that goes with it.

    Cs_ : ndarray of shape (n_cs,)
        The values to choose from.

    l1_ratios_ : ndarray of shape (n_l1_ratios,)
        The shares to choose from.

    scores_ : ndarray of shape (n_folds, n_l1_ratios, n_cs)
        The scores on the rows left out.

    coefs_paths_ : ndarray of shape (n_folds, n_l1_ratios, n_cs, n_classes, n_features + 1)
        The coefficients of the folds, the constant term last (not there without `fit_intercept`). Of two
        classes, those of the second.

    n_iter_ : ndarray of shape (n_folds, n_l1_ratios, n_cs)
        Iterations of the solver.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 2nd ed., 2009, section 4.4
    """

    _learner = "logistic"
    _forwarded = {"fit_intercept": "fit_intercept"}
    _parameter_constraints: dict = {
        "Cs": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "l1_ratios": ["array-like", None, Hidden(StrOptions({"warn"}))],
        "fit_intercept": ["boolean"],
        "cv": ["cv_object"],
        "dual": ["boolean"],
        "penalty": [StrOptions({"l1", "l2", "elasticnet"}), Hidden(StrOptions({"deprecated"}))],
        "scoring": [StrOptions(set(get_scorer_names())), callable, None, Hidden(StrOptions({"warn"}))],
        "solver": [StrOptions({"lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"})],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "n_jobs": [None, Integral],
        "verbose": ["verbose"],
        "refit": ["boolean"],
        "intercept_scaling": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
        "use_legacy_attributes": ["boolean", Hidden(StrOptions({"warn"}))],
    }

    def __init__(
        self,
        *,
        Cs=10,
        l1_ratios="warn",
        fit_intercept=True,
        cv=None,
        dual=False,
        penalty="deprecated",
        scoring="warn",
        solver="lbfgs",
        tol=1e-4,
        max_iter=100,
        class_weight=None,
        n_jobs=None,
        verbose=0,
        refit=True,
        intercept_scaling=1.0,
        random_state=None,
        use_legacy_attributes="warn",
    ):
        self.Cs = Cs
        self.l1_ratios = l1_ratios
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.dual = dual
        self.penalty = penalty
        self.scoring = scoring
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.refit = refit
        self.intercept_scaling = intercept_scaling
        self.random_state = random_state
        self.use_legacy_attributes = use_legacy_attributes


class SGDClassifier(_sgd.SGDClassifier):
    """Linear classifiers (support vector machine, logistic regression, …) learned one row at a time.

    min 1/n sum_i w_i loss(y_i, x_i b + b0) + alpha R(b); R = 1/2 |b|^2, |b|_1, their mixture or 0; more than
    two classes one against the rest; intercepts are not penalised

    Choose it for very many rows, for sparse rows, or for rows that keep coming. It comes near the optimum in a
    few epochs and stays near it; ridge, logistic and support vector machines find the optimum itself.
    Standardise the columns: one step length serves them all. A row of weight 2 is a step twice as long. Of the
    losses, log_loss has probabilities, those of modified_huber, squared_error, squared_hinge and exponential
    follow from their minimisers, and the others give the logistic function of the score, which is not
    calibrated.

    `predict_proba` is there for the losses log_loss and modified_huber. Sparse rows are treated as dense ones
    are: the constant term is not slowed down.

    Parameters
    ----------
    loss : str, default="hinge"
        The loss of a row. For classes: hinge (a linear support vector machine), log_loss (logistic regression),
        modified_huber, squared_hinge, exponential, perceptron, linear. For numbers and for classes as numbers
        -1 and 1: squared_error, absolute_error, huber, epsilon_insensitive, squared_epsilon_insensitive,
        quantile. auto is hinge for classes and squared_error for numbers.

    penalty : {"l2", "l1", "elasticnet"} or None, default="l2"
        What the weights carry: half their squares, their sizes, both, or nothing.

    alpha : float, default=0.0001
        The strength of the penalty; the steps of learning_rate=optimal depend on it too.

    l1_ratio : float, default=0.15
        The share of the sizes in an elasticnet penalty.

    fit_intercept : bool, default=True
        Whether scores have an intercept, which is not penalised.

    max_iter : int, default=1000
        Epochs at most.

    tol : float or None, default=1e-3
        An epoch whose objective (or score, with early_stopping) is not better by this much than the best so far
        counts as one without improvement. null goes through all epochs.

    shuffle : bool, default=True
        Whether every epoch has an order of its own.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    epsilon : float, default=0.1
        Where the huber loss turns; half the width of the band in which the epsilon_insensitive losses are 0.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    learning_rate : str, default="optimal"
        The length of step t: constant, eta0; optimal, 1/(alpha (t0 + t - 1)); invscaling, eta0/t^power_t;
        inverse, eta0/(1 + decay (t - 1)); step, eta0 times drop for every drop_every epochs; adaptive, eta0
        divided by 5 whenever there is no improvement; pa1 and pa2, passive-aggressive steps of at most or about
        eta0. auto is optimal for classes and invscaling for numbers.

    eta0 : float, default=0.01
        The first step. null is 0.01, or less where rows are so long that such a step would overshoot.

    power_t : float, default=0.5
        The exponent of learning_rate=invscaling.

    early_stopping : bool, default=False
        Whether a share of the rows is set aside and the score on them (accuracy, or r2) decides when to end. A
        validation set given to the fit takes the place of that share.

    validation_fraction : float, default=0.1
        The share of the rows set aside.

    n_iter_no_change : int, default=5
        Epochs in a row without improvement after which the fit ends.

    class_weight : dict, "balanced" or None, default=None
        Weights of the classes by label, 1 for labels not listed; "balanced" gives every class the same total
        weight.

    warm_start : bool, default=False
        Whether a fit starts from the coefficients of the one before it.

    average : bool or int, default=False
        Whether the model is the average of the weights of all steps, or from which step on it is.

    batch_size : int, default=1
        Rows in a step, whose gradients are averaged.

    decay : float, default=0.001
        The decay of learning_rate=inverse.

    drop : float, default=0.5
        The factor of learning_rate=step.

    drop_every : int, default=10
        Epochs between two drops.

    quantile : float, default=0.5
        The level of the quantile loss.

    preset : {"widrow_hoff"} or None, default=None
        A named choice that stands above loss, penalty and learning_rate: widrow_hoff, the least-mean-squares
        rule (squared loss, no penalty, constant steps), whose bound 2/lambda_max on eta0 is in the certificate.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The coefficients.

    intercept_ : ndarray of shape (1,) or (n_classes,)
        The constant terms.

    n_iter_ : int
        Epochs of the last fit; with more than two classes, of the longest.

    t_ : float
        One more than the rows that steps were taken for.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    L. Bottou (2012), Stochastic gradient descent tricks; B. Widrow, M. E. Hoff (1960), Adaptive switching
    circuits
    """

    _learner = "sgd"
    _forwarded = {"loss": "loss", "alpha": "alpha", "fit_intercept": "fit_intercept", "max_iter": "max_iter", "tol": "tol", "shuffle": "shuffle", "epsilon": "epsilon", "learning_rate": "learning_rate", "eta0": "eta0", "power_t": "power_t", "early_stopping": "early_stopping", "validation_fraction": "validation_fraction", "n_iter_no_change": "n_iter_no_change", "average": "average", "batch_size": "batch_size", "decay": "decay", "drop": "drop", "drop_every": "drop_every", "quantile": "quantile", "preset": "preset"}
    _parameter_constraints: dict = {
        "loss": [StrOptions({"hinge", "log_loss", "modified_huber", "squared_hinge", "perceptron", "squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive", "exponential", "linear", "absolute_error", "quantile"})],
        "penalty": [StrOptions({"l2", "l1", "elasticnet"}), None],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "l1_ratio": [Interval(Real, 0, 1, closed="both"), None],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "shuffle": ["boolean"],
        "verbose": ["verbose"],
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "learning_rate": [StrOptions({"constant", "optimal", "invscaling", "adaptive", "inverse", "step", "pa1", "pa2"})],
        "eta0": [Interval(Real, 0, None, closed="neither")],
        "power_t": [Interval(Real, None, None, closed="neither")],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "warm_start": ["boolean"],
        "average": [Interval(Integral, 0, None, closed="neither"), "boolean"],
        "batch_size": [Interval(Integral, 1, 16777216, closed="both")],
        "decay": [Interval(Real, 0.0, None, closed="left")],
        "drop": [Interval(Real, 0.0, 1.0, closed="right")],
        "drop_every": [Interval(Integral, 1, None, closed="left")],
        "quantile": [Interval(Real, 0.0, 1.0, closed="both")],
        "preset": [StrOptions({"widrow_hoff"}), None],
    }

    def __init__(
        self,
        loss="hinge",
        *,
        penalty="l2",
        alpha=0.0001,
        l1_ratio=0.15,
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        shuffle=True,
        verbose=0,
        epsilon=0.1,
        n_jobs=None,
        random_state=None,
        learning_rate="optimal",
        eta0=0.01,
        power_t=0.5,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        class_weight=None,
        warm_start=False,
        average=False,
        batch_size=1,
        decay=0.001,
        drop=0.5,
        drop_every=10,
        quantile=0.5,
        preset=None,
    ):
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.average = average
        self.batch_size = batch_size
        self.decay = decay
        self.drop = drop
        self.drop_every = drop_every
        self.quantile = quantile
        self.preset = preset


class SGDRegressor(_sgd.SGDRegressor):
    """Linear regression by many losses, learned one row at a time.

    min 1/n sum_i w_i loss(y_i, x_i b + b0) + alpha R(b); R = 1/2 |b|^2, |b|_1, their mixture or 0; more than
    two classes one against the rest; intercepts are not penalised

    Choose it for very many rows, for sparse rows, or for rows that keep coming. It comes near the optimum in a
    few epochs and stays near it; ridge, logistic and support vector machines find the optimum itself.
    Standardise the columns: one step length serves them all. A row of weight 2 is a step twice as long. Of the
    losses, log_loss has probabilities, those of modified_huber, squared_error, squared_hinge and exponential
    follow from their minimisers, and the others give the logistic function of the score, which is not
    calibrated.

    Sparse rows are treated as dense ones are: the constant term is not slowed down.

    Parameters
    ----------
    loss : str, default="squared_error"
        The loss of a row. For classes: hinge (a linear support vector machine), log_loss (logistic regression),
        modified_huber, squared_hinge, exponential, perceptron, linear. For numbers and for classes as numbers
        -1 and 1: squared_error, absolute_error, huber, epsilon_insensitive, squared_epsilon_insensitive,
        quantile. auto is hinge for classes and squared_error for numbers.

    penalty : {"l2", "l1", "elasticnet"} or None, default="l2"
        What the weights carry: half their squares, their sizes, both, or nothing.

    alpha : float, default=0.0001
        The strength of the penalty; the steps of learning_rate=optimal depend on it too.

    l1_ratio : float, default=0.15
        The share of the sizes in an elasticnet penalty.

    fit_intercept : bool, default=True
        Whether scores have an intercept, which is not penalised.

    max_iter : int, default=1000
        Epochs at most.

    tol : float or None, default=1e-3
        An epoch whose objective (or score, with early_stopping) is not better by this much than the best so far
        counts as one without improvement. null goes through all epochs.

    shuffle : bool, default=True
        Whether every epoch has an order of its own.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    epsilon : float, default=0.1
        Where the huber loss turns; half the width of the band in which the epsilon_insensitive losses are 0.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    learning_rate : str, default="invscaling"
        The length of step t: constant, eta0; optimal, 1/(alpha (t0 + t - 1)); invscaling, eta0/t^power_t;
        inverse, eta0/(1 + decay (t - 1)); step, eta0 times drop for every drop_every epochs; adaptive, eta0
        divided by 5 whenever there is no improvement; pa1 and pa2, passive-aggressive steps of at most or about
        eta0. auto is optimal for classes and invscaling for numbers.

    eta0 : float, default=0.01
        The first step. null is 0.01, or less where rows are so long that such a step would overshoot.

    power_t : float, default=0.25
        The exponent of learning_rate=invscaling.

    early_stopping : bool, default=False
        Whether a share of the rows is set aside and the score on them (accuracy, or r2) decides when to end. A
        validation set given to the fit takes the place of that share.

    validation_fraction : float, default=0.1
        The share of the rows set aside.

    n_iter_no_change : int, default=5
        Epochs in a row without improvement after which the fit ends.

    warm_start : bool, default=False
        Whether a fit starts from the coefficients of the one before it.

    average : bool or int, default=False
        Whether the model is the average of the weights of all steps, or from which step on it is.

    batch_size : int, default=1
        Rows in a step, whose gradients are averaged.

    decay : float, default=0.001
        The decay of learning_rate=inverse.

    drop : float, default=0.5
        The factor of learning_rate=step.

    drop_every : int, default=10
        Epochs between two drops.

    quantile : float, default=0.5
        The level of the quantile loss.

    preset : {"widrow_hoff"} or None, default=None
        A named choice that stands above loss, penalty and learning_rate: widrow_hoff, the least-mean-squares
        rule (squared loss, no penalty, constant steps), whose bound 2/lambda_max on eta0 is in the certificate.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients.

    intercept_ : ndarray of shape (1,)
        The constant term.

    n_iter_ : int
        Epochs of the last fit; with more than two classes, of the longest.

    t_ : float
        One more than the rows that steps were taken for.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    L. Bottou (2012), Stochastic gradient descent tricks; B. Widrow, M. E. Hoff (1960), Adaptive switching
    circuits
    """

    _learner = "sgd"
    _forwarded = {"loss": "loss", "alpha": "alpha", "fit_intercept": "fit_intercept", "max_iter": "max_iter", "tol": "tol", "shuffle": "shuffle", "epsilon": "epsilon", "learning_rate": "learning_rate", "eta0": "eta0", "power_t": "power_t", "early_stopping": "early_stopping", "validation_fraction": "validation_fraction", "n_iter_no_change": "n_iter_no_change", "average": "average", "batch_size": "batch_size", "decay": "decay", "drop": "drop", "drop_every": "drop_every", "quantile": "quantile", "preset": "preset"}
    _parameter_constraints: dict = {
        "loss": [StrOptions({"squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive", "absolute_error", "quantile"})],
        "penalty": [StrOptions({"l2", "l1", "elasticnet"}), None],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "l1_ratio": [Interval(Real, 0, 1, closed="both"), None],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "shuffle": ["boolean"],
        "verbose": ["verbose"],
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
        "learning_rate": [StrOptions({"constant", "optimal", "invscaling", "adaptive", "inverse", "step", "pa1", "pa2"})],
        "eta0": [Interval(Real, 0, None, closed="neither")],
        "power_t": [Interval(Real, None, None, closed="neither")],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
        "average": [Interval(Integral, 0, None, closed="neither"), "boolean"],
        "batch_size": [Interval(Integral, 1, 16777216, closed="both")],
        "decay": [Interval(Real, 0.0, None, closed="left")],
        "drop": [Interval(Real, 0.0, 1.0, closed="right")],
        "drop_every": [Interval(Integral, 1, None, closed="left")],
        "quantile": [Interval(Real, 0.0, 1.0, closed="both")],
        "preset": [StrOptions({"widrow_hoff"}), None],
    }

    def __init__(
        self,
        loss="squared_error",
        *,
        penalty="l2",
        alpha=0.0001,
        l1_ratio=0.15,
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        shuffle=True,
        verbose=0,
        epsilon=0.1,
        random_state=None,
        learning_rate="invscaling",
        eta0=0.01,
        power_t=0.25,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        warm_start=False,
        average=False,
        batch_size=1,
        decay=0.001,
        drop=0.5,
        drop_every=10,
        quantile=0.5,
        preset=None,
    ):
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.average = average
        self.batch_size = batch_size
        self.decay = decay
        self.drop = drop
        self.drop_every = drop_every
        self.quantile = quantile
        self.preset = preset


class Perceptron(_sgd.Perceptron):
    """A line between classes that learns from its mistakes only.

    b += eta0 s_i x_i for every row with s_i (x_i b + b0) <= 0: steps against sum_i max(0, -s_i (x_i b + b0));
    more than two classes one against the rest

    Choose it for rows that a line separates: it then stops making mistakes after at most (R/margin)^2 of them,
    and the report shows the count against that bound. On other rows the weights never settle; use logistic
    regression or a support vector machine there. It has no probabilities: what is given is the logistic
    function of the score, which is not calibrated.

    Parameters
    ----------
    penalty : {"l2", "l1", "elasticnet"} or None, default=None
        What the weights carry: half their squares, their sizes, both, or nothing.

    alpha : float, default=0.0001
        The strength of the penalty.

    l1_ratio : float, default=0.15
        The share of the sizes in an elasticnet penalty.

    fit_intercept : bool, default=True
        Whether scores have an intercept, which is not penalised.

    max_iter : int, default=1000
        Epochs at most.

    tol : float or None, default=1e-3
        An epoch whose mean loss is not below the best so far by this much counts as one without improvement.
        null goes on to the last epoch, or to the first without a mistake.

    shuffle : bool, default=True
        Whether every epoch has an order of its own.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    eta0 : float, default=1.0
        What a mistaken row is multiplied by.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    random_state : int, RandomState or None, default=0
        The seed of the orders of the rows.

    early_stopping : bool, default=False
        Whether a share of the rows is set aside and the accuracy on them decides when to end.

    validation_fraction : float, default=0.1
        The share of the rows set aside.

    n_iter_no_change : int, default=5
        Epochs in a row without improvement after which the fit ends.

    class_weight : dict, "balanced" or None, default=None
        Weights of the classes by label, 1 for labels not listed; "balanced" gives every class the same total
        weight.

    warm_start : bool, default=False
        Whether a fit starts from the coefficients of the one before it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The coefficients.

    intercept_ : ndarray of shape (1,) or (n_classes,)
        The constant terms.

    n_iter_ : int
        Epochs of the last fit; with more than two classes, of the longest.

    t_ : float
        One more than the rows that steps were taken for.

    mistakes_ : list of ndarray
        Mistakes in each epoch, for each row of `coef_`.

    novikoff_ : list of dict or None
        For each row of `coef_` that separated its class by plain steps from zero: radius R, margin, bound
        (R/margin)^2, best_margin, best_bound, margin_at_most.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    F. Rosenblatt (1958), The perceptron; A. Novikoff (1962), On convergence proofs on perceptrons
    """

    _learner = "perceptron"
    _forwarded = {"alpha": "alpha", "l1_ratio": "l1_ratio", "fit_intercept": "fit_intercept", "max_iter": "max_iter", "tol": "tol", "shuffle": "shuffle", "eta0": "eta0", "early_stopping": "early_stopping", "validation_fraction": "validation_fraction", "n_iter_no_change": "n_iter_no_change"}
    _parameter_constraints: dict = {
        "penalty": [StrOptions({"l2", "l1", "elasticnet"}), None],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "shuffle": ["boolean"],
        "verbose": ["verbose"],
        "eta0": [Interval(Real, 0, None, closed="neither")],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "warm_start": ["boolean"],
    }

    def __init__(
        self,
        *,
        penalty=None,
        alpha=0.0001,
        l1_ratio=0.15,
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        shuffle=True,
        verbose=0,
        eta0=1.0,
        n_jobs=None,
        random_state=0,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        class_weight=None,
        warm_start=False,
    ):
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start


class StepwiseRegressor(_sgd.StepwiseRegressor):
    """Least squares on few columns, chosen one by one.

    min sum_i w_i (y_i - b0 - x_i b)^2 with k coefficients that are not 0, greedily: at each step the column
    that lowers the residual sum of squares most; k by AIC, BIC, cross-validation, or given

    Choose it when few columns are wanted and a person will read which. The path is greedy, so that another set
    of k columns may be better, and tests of the chosen columns do not know that they were chosen. One pass over
    the rows, rows x columns^2; step k costs columns x k.

    Parameters
    ----------
    criterion : {"bic", "aic", "cv", "k"}, default="bic"
        What decides the number of columns: bic, m log n - 2 log-likelihood; aic, 2 m - 2 log-likelihood; cv,
        the error of cross-validation, whose folds are interleaved rows; k, n_features.

    n_features : int or None, default=None
        The number of columns for criterion=k, else columns at most. null is all.

    folds : int, default=5
        Folds of the cross-validation.

    fit_intercept : bool, default=True
        Whether an intercept is fitted.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients, 0 for columns that were not chosen.

    intercept_ : float
        The constant term; 0.0 without intercept.

    support_ : ndarray of shape (n_features,)
        Whether each column was chosen.

    ranking_ : ndarray of shape (n_features,)
        The step in which each column came in, 1 for the first; columns that never did share the number after
        the last.

    steps_ : list of dict
        The path: column (None at first), rss, r2, criterion.

    n_features_ : int
        The number of chosen columns.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 2nd ed., 2009, section 3.3.2
    """

    _learner = "stepwise"
    _forwarded = {"criterion": "criterion", "n_features": "n_features", "folds": "folds", "fit_intercept": "fit_intercept"}
    _parameter_constraints: dict = {
        "criterion": [StrOptions({"bic", "aic", "cv", "k"})],
        "n_features": [Interval(Integral, 1, None, closed="left"), None],
        "folds": [Interval(Integral, 2, 1000, closed="both")],
        "fit_intercept": ["boolean"],
    }

    def __init__(self, *, criterion="bic", n_features=None, folds=5, fit_intercept=True):
        self.criterion = criterion
        self.n_features = n_features
        self.folds = folds
        self.fit_intercept = fit_intercept


class SVC(_svm.SVC):
    """Support vector classification.

    min 1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (w.phi(x_i) + b)); with numbers, max(0, |y_i - f(x_i)| - epsilon)

    Choose it for a few thousand to some ten thousand rows where the border between classes is curved. Columns
    should be on one scale. Time grows between the square and the cube of the number of rows, so that beyond
    200,000 rows it asks to be forced; feature maps (nystroem, rff) in front of linear-svm go on from there.
    Steps on pairs of variables within working sets, rows of the kernel matrix in singles within cache_mb, the
    certificate in doubles. C=null is the hard margin, and an error where classes cannot be separated.
    Probabilities come from a sigmoid of the scores of the training rows, or with probability=true of rows held
    out in 5 folds, which is less sure of itself and right more often.

    gamma="scale" takes the variance of the rows with their weights.

    Parameters
    ----------
    C : float, default=1.0
        The price of an error; inf allows none.

    kernel : str or callable, default="rbf"
        "linear", "poly", "rbf", "sigmoid", "laplacian", "cosine" or "precomputed"; a callable gives the kernel
        matrix of two sets of rows.

    degree : int, default=3
        Degree of the kernel "poly".

    gamma : {"scale", "auto"} or float, default="scale"
        Width of the kernels rbf, poly, sigmoid and laplacian: a number, "scale" for 1 / (columns * variance of
        all cells), "auto" for 1 / columns.

    coef0 : float, default=0.0
        Constant of the kernels poly and sigmoid.

    shrinking : bool, default=True
        Whether variables that rest at a bound are left out until the others are solved.

    probability : bool, default="deprecated"
        Whether to fit sigmoids to held-out scores, for `predict_proba`; scikit-learn is about to drop it.

    tol : float, default=1e-3
        Largest violation of the optimality conditions at the end, in units of the scores.

    cache_size : float, default=200
        Megabytes for rows of the kernel matrix.

    class_weight : dict, "balanced" or None, default=None
        Weights of the classes by label, 1 for labels not listed; "balanced" gives every class the same total
        weight.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    max_iter : int, default=-1
        Most steps on pairs of variables; -1 for no limit.

    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Scores of more than two classes: ovr, one a class made of votes and scores; ovo, one a pair.

    break_ties : bool, default=False
        Whether the class of a row with equal votes is that of the greatest score, not the first.

    random_state : int, RandomState or None, default=None
        The seed of the folds of held-out scores.

    force : bool, default=False
        Whether to try however many rows there are.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    class_weight_ : ndarray of shape (n_classes,)
        The factors on C of the classes.

    coef_ : ndarray of shape (n_pairs, n_features)
        The normal vectors; of a linear kernel only.

    dual_coef_ : ndarray of shape (n_classes - 1, n_SV)
        Coefficients of the support vectors, with the sign of their class.

    intercept_ : ndarray of shape (n_pairs,)
        The constant terms.

    fit_status_ : int
        0 when the fit converged, else 1.

    n_iter_ : ndarray of shape (n_pairs,)
        Steps on pairs of variables.

    support_ : ndarray of shape (n_SV,)
        Numbers of the support vectors among the rows.

    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features)
        The support vectors.

    n_support_ : ndarray
        Support vectors of each class.

    shape_fit_ : tuple of int
        Shape of the rows of the fit.

    slack_ : ndarray of the shape of dual_coef_
        How far each support vector is on the wrong side of its margin.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Cortes and Vapnik: Support-vector networks, Machine Learning 20 (1995); Fan, Chen and Lin, JMLR 6 (2005);
    Platt (1999)
    """

    _learner = "svm"
    _forwarded = {"degree": "degree", "gamma": "gamma", "coef0": "coef0", "shrinking": "shrinking", "tol": "tol", "cache_size": "cache_mb", "decision_function_shape": "decision_shape", "break_ties": "break_ties", "force": "force"}
    _parameter_constraints: dict = {
        "C": [Interval(Real, 0.0, None, closed="right")],
        "kernel": [StrOptions({"linear", "poly", "rbf", "sigmoid", "precomputed", "laplacian", "cosine"}), callable],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "shrinking": ["boolean"],
        "probability": ["boolean", Hidden(StrOptions({"deprecated"}))],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "cache_size": [Interval(Real, 0, None, closed="neither")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "verbose": ["verbose"],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "decision_function_shape": [StrOptions({"ovr", "ovo"})],
        "break_ties": ["boolean"],
        "random_state": ["random_state"],
        "force": ["boolean"],
    }

    def __init__(
        self,
        *,
        C=1.0,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        shrinking=True,
        probability="deprecated",
        tol=1e-3,
        cache_size=200,
        class_weight=None,
        verbose=0,
        max_iter=-1,
        decision_function_shape="ovr",
        break_ties=False,
        random_state=None,
        force=False,
    ):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.force = force


class SVR(_svm.SVR):
    """Support vector regression with a tube of width epsilon.

    min 1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (w.phi(x_i) + b)); with numbers, max(0, |y_i - f(x_i)| - epsilon)

    Choose it for a few thousand to some ten thousand rows where the border between classes is curved. Columns
    should be on one scale. Time grows between the square and the cube of the number of rows, so that beyond
    200,000 rows it asks to be forced; feature maps (nystroem, rff) in front of linear-svm go on from there.
    Steps on pairs of variables within working sets, rows of the kernel matrix in singles within cache_mb, the
    certificate in doubles. C=null is the hard margin, and an error where classes cannot be separated.
    Probabilities come from a sigmoid of the scores of the training rows, or with probability=true of rows held
    out in 5 folds, which is less sure of itself and right more often.

    gamma="scale" takes the variance of the rows with their weights.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        "linear", "poly", "rbf", "sigmoid", "laplacian", "cosine" or "precomputed"; a callable gives the kernel
        matrix of two sets of rows.

    degree : int, default=3
        Degree of the kernel "poly".

    gamma : {"scale", "auto"} or float, default="scale"
        Width of the kernels rbf, poly, sigmoid and laplacian: a number, "scale" for 1 / (columns * variance of
        all cells), "auto" for 1 / columns.

    coef0 : float, default=0.0
        Constant of the kernels poly and sigmoid.

    tol : float, default=1e-3
        Largest violation of the optimality conditions at the end, in units of the scores.

    C : float, default=1.0
        The price of an error; inf allows none.

    epsilon : float, default=0.1
        Half the width of the tube around a regression within which errors cost nothing.

    shrinking : bool, default=True
        Whether variables that rest at a bound are left out until the others are solved.

    cache_size : float, default=200
        Megabytes for rows of the kernel matrix.

    verbose : int or bool, default=False
        Not used.

    max_iter : int, default=-1
        Most steps on pairs of variables; -1 for no limit.

    force : bool, default=False
        Whether to try however many rows there are.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        The normal vector; of a linear kernel only.

    dual_coef_ : ndarray of shape (1, n_SV)
        Coefficients of the support vectors.

    intercept_ : ndarray of shape (1,)
        The constant term.

    fit_status_ : int
        0 when the fit converged, else 1.

    n_iter_ : int
        Steps on pairs of variables.

    support_ : ndarray of shape (n_SV,)
        Numbers of the support vectors among the rows.

    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features)
        The support vectors.

    n_support_ : ndarray
        Support vectors of each class.

    shape_fit_ : tuple of int
        Shape of the rows of the fit.

    slack_ : ndarray of the shape of dual_coef_
        How far each support vector is on the wrong side of its margin.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Cortes and Vapnik: Support-vector networks, Machine Learning 20 (1995); Fan, Chen and Lin, JMLR 6 (2005);
    Platt (1999)
    """

    _learner = "svm"
    _forwarded = {"degree": "degree", "gamma": "gamma", "coef0": "coef0", "tol": "tol", "epsilon": "epsilon", "shrinking": "shrinking", "cache_size": "cache_mb", "force": "force"}
    _parameter_constraints: dict = {
        "kernel": [StrOptions({"linear", "poly", "rbf", "sigmoid", "precomputed", "laplacian", "cosine"}), callable],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "C": [Interval(Real, 0.0, None, closed="right")],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "shrinking": ["boolean"],
        "cache_size": [Interval(Real, 0, None, closed="neither")],
        "verbose": ["verbose"],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "force": ["boolean"],
    }

    def __init__(
        self,
        *,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        tol=1e-3,
        C=1.0,
        epsilon=0.1,
        shrinking=True,
        cache_size=200,
        verbose=False,
        max_iter=-1,
        force=False,
    ):
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.force = force


class LinearSVC(_linear_svm.LinearSVC):
    """Linear support vector classification by coordinate descent.

    min 1/2 |w|^2 + sum_i C_i loss(y_i, w.x_i + b), or |w|_1 in the place of 1/2 |w|^2

    Choose it for many rows or many sparse columns, and behind feature maps in the place of a kernel machine.
    Columns should be on one scale: the constant term is penalised like a weight, less so the larger
    intercept_scaling is. A round costs one look at every row; memory is that of the rows and one number each.
    Rows are visited in random order, so that another order of the rows changes the last digits.

    Parameters
    ----------
    penalty : {"l1", "l2"}, default="l2"
        l2, or l1 (with the squared hinge) for few columns.

    loss : {"hinge", "squared_hinge"}, default="squared_hinge"
        hinge or squared_hinge for classes; epsilon_insensitive or squared_epsilon_insensitive for numbers; auto
        is squared_hinge or epsilon_insensitive (its square with newton).

    dual : bool or "auto", default="auto"
        Combinations that liblinear does not know are refused as there; the method follows from penalty and
        loss.

    tol : float, default=1e-4
        Largest violation of the optimality conditions at the end, in units of the scores; with the l1 penalty,
        next to that of the first round; with newton, the root of the duality gap next to the objective.

    C : float, default=1.0
        The price of an error, times the weight of its row.

    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        ovr, each class from all others; crammer_singer, all in one problem with the hinge.

    fit_intercept : bool, default=True
        Whether there is a constant term.

    intercept_scaling : float, default=1.0
        The value of the constant column, whose weight is penalised like the others.

    class_weight : dict, "balanced" or None, default=None
        Weights of the classes by label, 1 for labels not listed; "balanced" gives every class the same total
        weight.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    max_iter : int, default=1000
        Most rounds over the rows; exactly as many for pegasos.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The coefficients.

    intercept_ : ndarray of shape (1,) or (n_classes,)
        The constant terms.

    n_iter_ : int
        Rounds over the rows; with more than two classes, of the longest.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hsieh et al., ICML 2008; Ho and Lin, JMLR 13 (2012); Yuan et al., JMLR 11 (2010); Keerthi et al., KDD 2008;
    Shalev-Shwartz et al., Mathematical Programming 127 (2011)
    """

    _learner = "linear-svm"
    _forwarded = {"penalty": "penalty", "loss": "loss", "tol": "tol", "C": "C", "multi_class": "multi_class", "fit_intercept": "fit_intercept", "max_iter": "max_iter"}
    _parameter_constraints: dict = {
        "penalty": [StrOptions({"l1", "l2"})],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "dual": ["boolean", StrOptions({"auto"})],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "multi_class": [StrOptions({"ovr", "crammer_singer"})],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0, None, closed="neither")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        penalty="l2",
        *,
        loss="squared_hinge",
        dual="auto",
        tol=1e-4,
        C=1.0,
        multi_class="ovr",
        fit_intercept=True,
        intercept_scaling=1.0,
        class_weight=None,
        verbose=0,
        random_state=None,
        max_iter=1000,
    ):
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter


class LinearSVR(_linear_svm.LinearSVR):
    """Linear support vector regression by coordinate descent.

    min 1/2 |w|^2 + sum_i C_i loss(y_i, w.x_i + b), or |w|_1 in the place of 1/2 |w|^2

    Choose it for many rows or many sparse columns, and behind feature maps in the place of a kernel machine.
    Columns should be on one scale: the constant term is penalised like a weight, less so the larger
    intercept_scaling is. A round costs one look at every row; memory is that of the rows and one number each.
    Rows are visited in random order, so that another order of the rows changes the last digits.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the tube around a regression within which errors cost nothing.

    tol : float, default=1e-4
        Largest violation of the optimality conditions at the end, in units of the scores; with the l1 penalty,
        next to that of the first round; with newton, the root of the duality gap next to the objective.

    C : float, default=1.0
        The price of an error, times the weight of its row.

    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        hinge or squared_hinge for classes; epsilon_insensitive or squared_epsilon_insensitive for numbers; auto
        is squared_hinge or epsilon_insensitive (its square with newton).

    fit_intercept : bool, default=True
        Whether there is a constant term.

    intercept_scaling : float, default=1.0
        The value of the constant column, whose weight is penalised like the others.

    dual : bool or "auto", default="auto"
        Combinations that liblinear does not know are refused as there; the method follows from penalty and
        loss.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    max_iter : int, default=1000
        Most rounds over the rows; exactly as many for pegasos.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients.

    intercept_ : ndarray of shape (1,)
        The constant term.

    n_iter_ : int
        Rounds over the rows.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hsieh et al., ICML 2008; Ho and Lin, JMLR 13 (2012); Yuan et al., JMLR 11 (2010); Keerthi et al., KDD 2008;
    Shalev-Shwartz et al., Mathematical Programming 127 (2011)
    """

    _learner = "linear-svm"
    _forwarded = {"tol": "tol", "C": "C", "loss": "loss", "fit_intercept": "fit_intercept", "max_iter": "max_iter"}
    _parameter_constraints: dict = {
        "epsilon": [Real],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "loss": [StrOptions({"epsilon_insensitive", "squared_epsilon_insensitive"})],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0, None, closed="neither")],
        "dual": ["boolean", StrOptions({"auto"})],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        epsilon=0.0,
        tol=1e-4,
        C=1.0,
        loss="epsilon_insensitive",
        fit_intercept=True,
        intercept_scaling=1.0,
        dual="auto",
        verbose=0,
        random_state=None,
        max_iter=1000,
    ):
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter


class KernelRidge(_kernel.KernelRidge):
    """Ridge regression with kernels.

    min sum_i w_i (y_i - f(x_i))^2 + alpha |f|^2, f(x) = sum_j c_j k(x_j, x), (K + alpha I) c = y

    Choose it for smooth curves through up to some thousand rows; every row carries the model. Centre the
    target: there is no constant term. A Cholesky factorisation (n^2 doubles, n^3/3 multiplications); a list of
    alphas costs one eigendecomposition and is chosen from by exact leave-one-out errors. Beyond 15,000 rows
    conjugate gradients compute the kernel matrix in blocks, in memory that does not grow with its square.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1
        The penalty, or one for each target.

    kernel : str or callable, default="linear"
        A kernel of `sklearn.metrics.pairwise`, "precomputed", or a callable on two rows.

    gamma : float or None, default=None
        Width of the kernels rbf, laplacian, poly, sigmoid and chi2; None is 1 / n_features.

    degree : float, default=3
        Degree of the kernel "poly".

    coef0 : float, default=1
        Constant of the kernels poly and sigmoid.

    kernel_params : dict, default=None
        Further arguments of a kernel that is a callable.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Coefficients of the rows.

    X_fit_ : ndarray or sparse matrix of shape (n_samples, n_features)
        The rows, which prediction needs.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Saunders, Gammerman and Vovk: Ridge regression learning algorithm in dual variables, ICML 1998
    """

    _learner = "kernel-ridge"
    _forwarded = {}
    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0, None, closed="left"), "array-like"],
        "kernel": [StrOptions({"additive_chi2", "chi2", "cosine", "laplacian", "linear", "poly", "polynomial", "rbf", "sigmoid", "precomputed"}), callable],
        "gamma": [Interval(Real, 0, None, closed="left"), None],
        "degree": [Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "kernel_params": [dict, None],
    }

    def __init__(self, alpha=1, *, kernel="linear", gamma=None, degree=3, coef0=1, kernel_params=None):
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params


class Nystroem(_kernel.Nystroem):
    """Columns whose inner products are near any kernel, from some of the rows.

    z(x) = K_mm^(-1/2) [k(x_1, x) ... k(x_m, x)] for m rows drawn at random

    In front of a linear learner in the place of an exact kernel machine: memory and time grow with rows times
    n_components. The error next to the kernel is measured on 200 rows and said in the certificate.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        A kernel of `sklearn.metrics.pairwise`, "precomputed", or a callable on two rows.

    gamma : float or None, default=None
        Width of the kernels rbf, laplacian, poly, sigmoid and chi2; None is 1 / n_features.

    coef0 : float or None, default=None
        Constant of the kernels poly and sigmoid.

    degree : float or None, default=None
        Degree of the kernel poly.

    kernel_params : dict, default=None
        Further arguments of a kernel that is a callable.

    n_components : int, default=100
        How many rows are drawn; as many new columns.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    Attributes
    ----------
    components_ : ndarray or sparse matrix of shape (n_components, n_features)
        The rows that were drawn.

    component_indices_ : ndarray of shape (n_components,)
        Their numbers.

    normalization_ : ndarray of shape (n_components, n_components)
        The inverse root of the kernel matrix among them.

    approximation_error_ : float
        ‖K - ZZᵀ‖ / ‖K‖, measured on some of the rows.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Williams and Seeger: Using the Nystroem method to speed up kernel machines, NIPS 2000
    """

    _learner = "nystroem"
    _forwarded = {"n_components": "n_components"}
    _parameter_constraints: dict = {
        "kernel": [StrOptions({"additive_chi2", "chi2", "cosine", "laplacian", "linear", "poly", "polynomial", "rbf", "sigmoid", "precomputed"}), callable],
        "gamma": [Interval(Real, 0, None, closed="left"), None],
        "coef0": [Interval(Real, None, None, closed="neither"), None],
        "degree": [Interval(Real, 1, None, closed="left"), None],
        "kernel_params": [dict, None],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        kernel="rbf",
        *,
        gamma=None,
        coef0=None,
        degree=None,
        kernel_params=None,
        n_components=100,
        random_state=None,
        n_jobs=None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs


class RBFSampler(_kernel.RBFSampler):
    """Random waves whose inner products are near the Gaussian kernel.

    z_j(x) = sqrt(2/D) cos(w_j.x + b_j), w_j normal with variance 2 gamma, b_j uniform on a circle

    In front of a linear learner in the place of an exact kernel machine. Needs nothing but the scale of the
    rows; its error falls as one over the root of n_components, slower than that of nystroem where the kernel is
    smooth. The error is measured on 200 rows and said in the certificate.

    Parameters
    ----------
    gamma : "scale" or float, default=1.0
        Width of the kernel: a number, "scale" for 1 / (columns * variance of all cells), "auto" for 1 /
        columns.

    n_components : int, default=100
        Number of new columns.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    Attributes
    ----------
    random_weights_ : ndarray of shape (n_features, n_components)
        The frequencies.

    random_offset_ : ndarray of shape (n_components,)
        The phases.

    approximation_error_ : float
        ‖K - ZZᵀ‖ / ‖K‖, measured on some of the rows.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Rahimi and Recht: Random features for large-scale kernel machines, NIPS 2007
    """

    _learner = "rff"
    _forwarded = {"n_components": "n_components"}
    _parameter_constraints: dict = {
        "gamma": [StrOptions({"scale"}), Interval(Real, 0.0, None, closed="left")],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(self, *, gamma=1.0, n_components=100, random_state=None):
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state


class GaussianNB(_bayes.GaussianNB):
    """Naive Bayes with normal columns: independent within a class, each with its mean and variance.

    max sum_i w_i (ln prior_k + sum_j ln N(x_ij; mean_kj, var_kj)), k the class of row i

    A first classifier: one pass, few rows a class, nothing to tune. Its classes are often right where its
    probabilities are too sure of themselves, since dependent columns count as if each were news. The variance
    has the weight of the class as divisor. A class without rows has probability 0.

    Parameters
    ----------
    priors : array-like of shape (n_classes,) or None, default=None
        Probabilities of the classes, in the order of the sorted class names; they sum to 1. By default the
        shares of the classes in the training rows.

    var_smoothing : float, default=1e-9
        The part of the largest variance of a column that is added to every variance, so that none is 0.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    class_count_ : ndarray of shape (n_classes,)
        Weight of each class.

    class_prior_ : ndarray of shape (n_classes,)
        Probability of each class.

    theta_ : ndarray of shape (n_classes, n_features)
        Mean of each column in each class.

    var_ : ndarray of shape (n_classes, n_features)
        Variance of each column in each class, smoothing included.

    epsilon_ : float
        What smoothing added to the variances.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 6.6.3; the moments
    by Chan, Golub, LeVeque, The American Statistician 37 (1983)
    """

    _learner = "gaussian-nb"
    _forwarded = {"var_smoothing": "var_smoothing"}
    _parameter_constraints: dict = {
        "priors": ["array-like", None],
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, *, priors=None, var_smoothing=1e-9):
        self.priors = priors
        self.var_smoothing = var_smoothing


class MultinomialNB(_naive_bayes.MultinomialNB):
    """Naive Bayes for counts, such as words of texts: a class is a die with a side for each column.

    theta_kj = (N_kj + alpha_j) / (N_k + sum_j alpha_j); max over k of ln prior_k + sum_j x_j ln theta_kj;
    complement: max over k of -sum_j x_j ln ((alpha_j + sum_{l!=k} N_lj) / (sum_j alpha_j + sum_{l!=k} N_l))

    For texts as counts of words (or tf-idf) and anything that is counted; cells must be 0 or more. One pass;
    sparse rows are read as they lie. alpha is the Dirichlet prior; at 0 what a class has never seen is
    impossible in it. The complement is better where classes differ much in size; its probabilities are the
    softmax of its scores. Probabilities are too sure of themselves, since every word counts as news.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-counts that are added to the counts of every column in every class: one number, or a list with
        one for each column.

    force_alpha : bool, default=True
        Take `alpha` as it is. Otherwise pseudo-counts below 1e-10 are raised to that, with a warning.

    fit_prior : bool, default=True
        Whether the classes are as probable as their shares of the training rows. Otherwise all are equally
        probable.

    class_prior : array-like of shape (n_classes,) or None, default=None
        Probabilities of the classes, in the order of the sorted class names, in place of those of `fit_prior`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    class_count_ : ndarray of shape (n_classes,)
        Weight of each class.

    class_log_prior_ : ndarray of shape (n_classes,)
        Logarithm of the probability of each class.

    feature_count_ : ndarray of shape (n_classes, n_features)
        Sum of each column in each class, with weights.

    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Logarithm of the probability of each column in each class.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Manning, Raghavan, Schuetze: Introduction to Information Retrieval, 2008, chapter 13; Rennie, Shih, Teevan,
    Karger: Tackling the poor assumptions of naive Bayes text classifiers, ICML 2003
    """

    _learner = "multinomial-nb"
    _forwarded = {"fit_prior": "fit_prior"}
    _parameter_constraints: dict = {
        "alpha": ["array-like", Interval(Real, 0, None, closed="left")],
        "force_alpha": ["boolean"],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", None],
    }

    def __init__(self, *, alpha=1.0, force_alpha=True, fit_prior=True, class_prior=None):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior


class ComplementNB(_naive_bayes.ComplementNB):
    """Naive Bayes for counts that scores a class by how little a row looks like all others.

    theta_kj = (N_kj + alpha_j) / (N_k + sum_j alpha_j); max over k of ln prior_k + sum_j x_j ln theta_kj;
    complement: max over k of -sum_j x_j ln ((alpha_j + sum_{l!=k} N_lj) / (sum_j alpha_j + sum_{l!=k} N_l))

    For texts as counts of words (or tf-idf) and anything that is counted; cells must be 0 or more. One pass;
    sparse rows are read as they lie. alpha is the Dirichlet prior; at 0 what a class has never seen is
    impossible in it. The complement is better where classes differ much in size; its probabilities are the
    softmax of its scores. Probabilities are too sure of themselves, since every word counts as news.

    The learner is multinomial-nb with `complement`.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-counts that are added to the counts of every column in every class: one number, or a list with
        one for each column.

    force_alpha : bool, default=True
        Take `alpha` as it is. Otherwise pseudo-counts below 1e-10 are raised to that, with a warning.

    fit_prior : bool, default=True
        Whether the classes are as probable as their shares of the training rows. Otherwise all are equally
        probable.

    class_prior : array-like of shape (n_classes,) or None, default=None
        Probabilities of the classes, in the order of the sorted class names, in place of those of `fit_prior`.

    norm : bool, default=False
        Divide the complement's weights of each class by their sum, so that long texts do not favour a class.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    class_count_ : ndarray of shape (n_classes,)
        Weight of each class.

    class_log_prior_ : ndarray of shape (n_classes,)
        Logarithm of the probability of each class.

    feature_count_ : ndarray of shape (n_classes, n_features)
        Sum of each column in each class, with weights.

    feature_all_ : ndarray of shape (n_features,)
        Sum of each column in all classes.

    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Weight of each column in each class.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Manning, Raghavan, Schuetze: Introduction to Information Retrieval, 2008, chapter 13; Rennie, Shih, Teevan,
    Karger: Tackling the poor assumptions of naive Bayes text classifiers, ICML 2003
    """

    _learner = "multinomial-nb"
    _forwarded = {"fit_prior": "fit_prior", "norm": "norm"}
    _parameter_constraints: dict = {
        "alpha": ["array-like", Interval(Real, 0, None, closed="left")],
        "force_alpha": ["boolean"],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", None],
        "norm": ["boolean"],
    }

    def __init__(self, *, alpha=1.0, force_alpha=True, fit_prior=True, class_prior=None, norm=False):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm


class BernoulliNB(_naive_bayes.BernoulliNB):
    """Naive Bayes for columns that hold or do not hold: independent within a class, each with its probability.

    p_kj = (n_kj + alpha_j) / (n_k + 2 alpha_j); max over k of ln prior_k + sum_j b_j ln p_kj + (1 - b_j) ln (1
    - p_kj), b_j whether cell j is above binarize

    For yes and no, and for short texts, where absent words speak too. One pass; sparse rows are read as they
    lie. alpha is the Beta prior; at 0 what a class has never seen is impossible in it. Probabilities are too
    sure of themselves where columns depend on each other.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-counts of yes and of no that are added in every class: one number, or a list with one for each
        column.

    force_alpha : bool, default=True
        Take `alpha` as it is. Otherwise pseudo-counts below 1e-10 are raised to that, with a warning.

    binarize : float or None, default=0.0
        Cells above this number hold. null: the cells are 0 or 1 already, or shares between.

    fit_prior : bool, default=True
        Whether the classes are as probable as their shares of the training rows. Otherwise all are equally
        probable.

    class_prior : array-like of shape (n_classes,) or None, default=None
        Probabilities of the classes, in the order of the sorted class names, in place of those of `fit_prior`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    class_count_ : ndarray of shape (n_classes,)
        Weight of each class.

    class_log_prior_ : ndarray of shape (n_classes,)
        Logarithm of the probability of each class.

    feature_count_ : ndarray of shape (n_classes, n_features)
        Weight of the rows in which each column holds.

    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        Logarithm of the probability that each column holds in each class.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Manning, Raghavan, Schuetze: Introduction to Information Retrieval, 2008, section 13.3
    """

    _learner = "bernoulli-nb"
    _forwarded = {"binarize": "binarize", "fit_prior": "fit_prior"}
    _parameter_constraints: dict = {
        "alpha": ["array-like", Interval(Real, 0, None, closed="left")],
        "force_alpha": ["boolean"],
        "binarize": [None, Interval(Real, 0, None, closed="left")],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", None],
    }

    def __init__(self, *, alpha=1.0, force_alpha=True, binarize=0.0, fit_prior=True, class_prior=None):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior


class CategoricalNB(_naive_bayes.CategoricalNB):
    """Naive Bayes for categories: independent within a class, each level with its probability.

    p_kj(l) = (n_kjl + alpha) / (n_kj + alpha L_j); max over k of ln prior_k + sum_j ln p_kj(x_j), L_j the
    levels of column j

    For columns of categories, by name, with missing cells as a level of their own; number columns must hold
    codes, whole numbers from 0 up: bin other numbers first. One pass. alpha is the Dirichlet prior. Levels that
    training has not seen say nothing. Probabilities are too sure of themselves where columns depend on each
    other.

    Columns hold codes, whole numbers from 0 up. A code that training has not seen is refused.

    Parameters
    ----------
    alpha : float, default=1.0
        Pseudo-counts that are added to every level of every column in every class.

    force_alpha : bool, default=True
        Take `alpha` as it is. Otherwise pseudo-counts below 1e-10 are raised to that, with a warning.

    fit_prior : bool, default=True
        Whether the classes are as probable as their shares of the training rows. Otherwise all are equally
        probable.

    class_prior : array-like of shape (n_classes,) or None, default=None
        Probabilities of the classes, in the order of the sorted class names, in place of those of `fit_prior`.

    min_categories : int, array-like of shape (n_features,) or None, default=None
        The least number of levels of a column: one number, or a list with one for each column. null: as many as
        the data shows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    class_count_ : ndarray of shape (n_classes,)
        Weight of each class.

    class_log_prior_ : ndarray of shape (n_classes,)
        Logarithm of the probability of each class.

    n_categories_ : ndarray of shape (n_features,)
        Number of levels of each column.

    category_count_ : list of ndarray of shape (n_classes, n_categories)
        For each column the weight of the rows of each class with each level.

    feature_log_prob_ : list of ndarray of shape (n_classes, n_categories)
        For each column the logarithm of the probability of each level in each class.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 6.6.3
    """

    _learner = "categorical-nb"
    _forwarded = {"alpha": "alpha", "fit_prior": "fit_prior"}
    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "force_alpha": ["boolean"],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", None],
        "min_categories": [None, "array-like", Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, *, alpha=1.0, force_alpha=True, fit_prior=True, class_prior=None, min_categories=None):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories


class LinearDiscriminantAnalysis(_discriminant.LinearDiscriminantAnalysis):
    """Linear discriminant analysis: normal classes with one covariance, and Fisher's projection.

    max sum_i w_i (ln prior_k + ln N(x_i; mean_k, S)), k the class of row i; projection: S_b w = lambda S_w w

    For classes that are roughly normal and spread alike; strong on few rows. One pass of p^2 operations a row.
    The covariance has the divisor n - K (svd, unless divisor is ml) or n (lsqr, eigen). Directions in which no
    class varies are left out and named; with about as many columns as rows use solver lsqr or eigen with
    shrinkage. As a transformer it gives Fisher's directions, at most one less than there are classes. A class
    without rows has probability 0.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        "svd": pooled covariance, Fisher's directions. "lsqr": mean of the covariances of the classes (divisor
        n_k) weighted by the priors, no directions, takes shrinkage. "eigen": as lsqr, with directions by the
        generalised eigenproblem.

    shrinkage : "auto", float or None, default=None
        How far covariances C are drawn towards a multiple of the identity: null for not at all, a share s for
        (1 - s) C + s tr(C)/p I, or "auto" for the share of Ledoit and Wolf, which expects the least squared
        error, on the columns divided by their standard deviations.

    priors : array-like of shape (n_classes,) or None, default=None
        Probabilities of the classes, in the order of the sorted class names; they sum to 1. By default the
        shares of the classes in the training rows.

    n_components : int or None, default=None
        Directions that the transformation keeps, at most one less than there are classes and no more than there
        are columns; null keeps all. Predictions do not depend on it.

    store_covariance : bool, default=False
        Keep the covariance within classes in the model; lsqr and eigen always do.

    tol : float, default=1e-4
        svd: directions whose standard deviation within classes is at most this, with columns of standard
        deviation 1, are left out. Below about 1e-7 a direction cannot be told from none.

    covariance_estimator : estimator or None, default=None
        An object with `fit` and an attribute `covariance_`, which estimates covariances in place of
        `shrinkage`; not for svd.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    means_ : ndarray of shape (n_classes, n_features)
        Mean of each column in each class.

    priors_ : ndarray of shape (n_classes,)
        Probability of each class.

    coef_ : ndarray of shape (n_classes, n_features) or (1, n_features)
        Slopes of the scores.

    intercept_ : ndarray of shape (n_classes,) or (1,)
        Scores of a row of zeros.

    covariance_ : ndarray of shape (n_features, n_features)
        Covariance within classes, where it is kept.

    scalings_ : ndarray of shape (n_features, n_directions)
        Fisher's directions; not for lsqr.

    explained_variance_ratio_ : ndarray of shape (n_components,)
        Shares of the variance between classes.

    xbar_ : ndarray of shape (n_features,)
        Mean of the classes by their priors; svd only.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Fisher: The use of multiple measurements in taxonomic problems, Annals of Eugenics 7 (1936); Hastie,
    Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 4.3; Ledoit, Wolf: A
    well-conditioned estimator for large-dimensional covariance matrices, J. Multivariate Analysis 88 (2004)
    """

    _learner = "lda"
    _forwarded = {"solver": "solver", "store_covariance": "store_covariance", "tol": "tol"}
    _parameter_constraints: dict = {
        "solver": [StrOptions({"svd", "lsqr", "eigen"})],
        "shrinkage": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both"), None],
        "priors": ["array-like", None],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "store_covariance": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "covariance_estimator": [HasMethods("fit"), None],
    }

    def __init__(
        self,
        solver="svd",
        shrinkage=None,
        priors=None,
        n_components=None,
        store_covariance=False,
        tol=1e-4,
        covariance_estimator=None,
    ):
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator


class QuadraticDiscriminantAnalysis(_discriminant.QuadraticDiscriminantAnalysis):
    """Quadratic discriminant analysis: normal classes, each with its own covariance.

    max sum_i w_i (ln prior_k + ln N(x_i; mean_k, S_k)), k the class of row i

    For classes that spread differently, with many more rows than columns; otherwise lda, or shrinkage. One pass
    of p^2 operations a row. Covariances have the divisor n_k - 1 (svd, unless divisor is ml) or n_k (eigen).
    Directions in which no class varies are left out; where only some classes do not vary, their spread there is
    set to tol of that within all classes, and the certificate says so. A class without rows has probability 0.

    As in scikit-learn, a covariance with a variance of at most `tol` in some direction is an error here; the
    learner itself copes with it.

    Parameters
    ----------
    solver : {"svd", "eigen"}, default="svd"
        "svd": takes reg_param and divisor. "eigen": covariances with divisor n_k, takes shrinkage.

    shrinkage : "auto", float or None, default=None
        How far covariances C are drawn towards a multiple of the identity: null for not at all, a share s for
        (1 - s) C + s tr(C)/p I, or "auto" for the share of Ledoit and Wolf, which expects the least squared
        error, on the columns divided by their standard deviations.

    priors : array-like of shape (n_classes,) or None, default=None
        Probabilities of the classes, in the order of the sorted class names; they sum to 1. By default the
        shares of the classes in the training rows.

    reg_param : float, default=0.0
        svd: a share r that makes covariances (1 - r) C + r I, in the units of the columns; standardise them
        first.

    store_covariance : bool, default=False
        Keep the covariances of the classes as `covariance_`.

    tol : float, default=1e-4
        The least variance in any direction, in the units of the columns; less is refused.

    covariance_estimator : estimator or None, default=None
        An object with `fit` and an attribute `covariance_`, which estimates covariances in place of
        `shrinkage`; not for svd.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    means_ : ndarray of shape (n_classes, n_features)
        Mean of each column in each class.

    priors_ : ndarray of shape (n_classes,)
        Probability of each class.

    covariance_ : list of ndarray of shape (n_features, n_features)
        Covariance of each class, where it is kept.

    rotations_ : list of ndarray of shape (n_features, n_features)
        Principal axes of each class, as columns.

    scalings_ : list of ndarray of shape (n_features,)
        Variances along these axes.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 4.3; Friedman:
    Regularized discriminant analysis, JASA 84 (1989); Ledoit, Wolf, J. Multivariate Analysis 88 (2004)
    """

    _learner = "qda"
    _forwarded = {"solver": "solver"}
    _parameter_constraints: dict = {
        "solver": [StrOptions({"svd", "eigen"})],
        "shrinkage": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="both"), None],
        "priors": ["array-like", None],
        "reg_param": [Interval(Real, 0, 1, closed="both")],
        "store_covariance": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "covariance_estimator": [HasMethods("fit"), None],
    }

    def __init__(
        self,
        *,
        solver="svd",
        shrinkage=None,
        priors=None,
        reg_param=0.0,
        store_covariance=False,
        tol=1e-4,
        covariance_estimator=None,
    ):
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator


class KNeighborsClassifier(_asking.KNeighborsClassifier):
    """k nearest neighbours for classes.

    y(x) = sum_i w_i y_i / sum_i w_i over the k training rows i nearest to x; w_i = 1 or 1 / d(x, x_i)

    For few columns that can be compared (standardise first) and a target that changes slowly among them. A fit
    copies the rows; a prediction takes n p multiplications by brute force and far fewer by the tree, which pays
    up to about 6 columns. Neighbours are exact: singles only say which rows to measure in doubles. Of equally
    near rows the first is taken, of equally frequent classes the first. No weights, no missing cells.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbours are asked. Few follow the data closely, many give a smoother and more biased answer.

    weights : {"uniform", "distance"}, callable or None, default="uniform"
        How much the neighbours count: all alike, by 1 / distance (where some are at distance 0, only those), or
        by a function of an array of distances.

    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How they are searched for, with the same result: "brute", "kd_tree" ("ball_tree" is another name for
        it), or "auto": the tree from 1000 rows on and up to 6 columns.

    leaf_size : int, default=30
        Accepted so that programs written for scikit-learn run; it has no effect. Leaves of our tree have 48
        rows; it is passed on where scikit-learn searches.

    p : float, default=2
        The order of Minkowski's metric.

    metric : str, callable or DistanceMetric, default="minkowski"
        What near means. "minkowski", "euclidean", "manhattan", "chebyshev", "cosine" and scikit-learn's other
        names for them are searched here; any other metric, a callable and "precomputed" by scikit-learn.

    metric_params : dict or None, default=None
        Further parameters of the metric.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    n_samples_fit_ : int
        Number of training rows.

    effective_metric_ : str or callable
        The metric that is used.

    effective_metric_params_ : dict
        Its parameters.

    outputs_2d_ : bool
        Whether there are several targets.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Fix, Hodges 1951; Cover, Hart: Nearest neighbor pattern classification, IEEE Trans. Inf. Theory 13 (1967)
    """

    _learner = "knn"
    _forwarded = {"n_neighbors": "n_neighbors"}
    _parameter_constraints: dict = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"uniform", "distance"}), callable, None],
        "algorithm": [StrOptions({"auto", "ball_tree", "kd_tree", "brute"})],
        "leaf_size": [Interval(Integral, 1, None, closed="left")],
        "p": [Interval(Real, 0, None, closed="right"), None],
        "metric": "no_validation",
        "metric_params": [dict, None],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        n_neighbors=5,
        *,
        weights="uniform",
        algorithm="auto",
        leaf_size=30,
        p=2,
        metric="minkowski",
        metric_params=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs


class KNeighborsRegressor(_asking.KNeighborsRegressor):
    """k nearest neighbours for numbers.

    y(x) = sum_i w_i y_i / sum_i w_i over the k training rows i nearest to x; w_i = 1 or 1 / d(x, x_i)

    For few columns that can be compared (standardise first) and a target that changes slowly among them. A fit
    copies the rows; a prediction takes n p multiplications by brute force and far fewer by the tree, which pays
    up to about 6 columns. Neighbours are exact: singles only say which rows to measure in doubles. Of equally
    near rows the first is taken, of equally frequent classes the first. No weights, no missing cells.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbours are asked. Few follow the data closely, many give a smoother and more biased answer.

    weights : {"uniform", "distance"}, callable or None, default="uniform"
        How much the neighbours count: all alike, by 1 / distance (where some are at distance 0, only those), or
        by a function of an array of distances.

    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How they are searched for, with the same result: "brute", "kd_tree" ("ball_tree" is another name for
        it), or "auto": the tree from 1000 rows on and up to 6 columns.

    leaf_size : int, default=30
        Accepted so that programs written for scikit-learn run; it has no effect. Leaves of our tree have 48
        rows; it is passed on where scikit-learn searches.

    p : float, default=2
        The order of Minkowski's metric.

    metric : str, callable or DistanceMetric, default="minkowski"
        What near means. "minkowski", "euclidean", "manhattan", "chebyshev", "cosine" and scikit-learn's other
        names for them are searched here; any other metric, a callable and "precomputed" by scikit-learn.

    metric_params : dict or None, default=None
        Further parameters of the metric.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of training rows.

    effective_metric_ : str or callable
        The metric that is used.

    effective_metric_params_ : dict
        Its parameters.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Fix, Hodges 1951; Cover, Hart: Nearest neighbor pattern classification, IEEE Trans. Inf. Theory 13 (1967)
    """

    _learner = "knn"
    _forwarded = {"n_neighbors": "n_neighbors"}
    _parameter_constraints: dict = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"uniform", "distance"}), callable, None],
        "algorithm": [StrOptions({"auto", "ball_tree", "kd_tree", "brute"})],
        "leaf_size": [Interval(Integral, 1, None, closed="left")],
        "p": [Interval(Real, 0, None, closed="right"), None],
        "metric": "no_validation",
        "metric_params": [dict, None],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        n_neighbors=5,
        *,
        weights="uniform",
        algorithm="auto",
        leaf_size=30,
        p=2,
        metric="minkowski",
        metric_params=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs


class RadiusNeighborsClassifier(_asking.RadiusNeighborsClassifier):
    """The majority of the rows within a radius.

    y(x) = sum_i w_i y_i / sum_i w_i over the k training rows i nearest to x; w_i = 1 or 1 / d(x, x_i)

    For few columns that can be compared (standardise first) and a target that changes slowly among them. A fit
    copies the rows; a prediction takes n p multiplications by brute force and far fewer by the tree, which pays
    up to about 6 columns. Neighbours are exact: singles only say which rows to measure in doubles. Of equally
    near rows the first is taken, of equally frequent classes the first. No weights, no missing cells.

    Parameters
    ----------
    radius : float, default=1.0
        Asks all rows that are at most this far, instead of n_neighbors of them. A row without any such
        neighbour is refused.

    weights : {"uniform", "distance"}, callable or None, default="uniform"
        How much the neighbours count: all alike, by 1 / distance (where some are at distance 0, only those), or
        by a function of an array of distances.

    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How they are searched for, with the same result: "brute", "kd_tree" ("ball_tree" is another name for
        it), or "auto": the tree from 1000 rows on and up to 6 columns.

    leaf_size : int, default=30
        Accepted so that programs written for scikit-learn run; it has no effect. Leaves of our tree have 48
        rows; it is passed on where scikit-learn searches.

    p : float, default=2
        The order of Minkowski's metric.

    metric : str, callable or DistanceMetric, default="minkowski"
        What near means. "minkowski", "euclidean", "manhattan", "chebyshev", "cosine" and scikit-learn's other
        names for them are searched here; any other metric, a callable and "precomputed" by scikit-learn.

    outlier_label : label, "most_frequent", list of labels or None, default=None
        The class of rows without neighbours; None refuses them.

    metric_params : dict or None, default=None
        Further parameters of the metric.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    n_samples_fit_ : int
        Number of training rows.

    effective_metric_ : str or callable
        The metric that is used.

    effective_metric_params_ : dict
        Its parameters.

    outputs_2d_ : bool
        Whether there are several targets.

    outlier_label_ : list or None
        The class of rows without neighbours, for each target.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Fix, Hodges 1951; Cover, Hart: Nearest neighbor pattern classification, IEEE Trans. Inf. Theory 13 (1967)
    """

    _learner = "knn"
    _forwarded = {"radius": "radius"}
    _parameter_constraints: dict = {
        "radius": [Interval(Real, 0, None, closed="both")],
        "weights": [StrOptions({"uniform", "distance"}), callable, None],
        "algorithm": [StrOptions({"auto", "ball_tree", "kd_tree", "brute"})],
        "leaf_size": [Interval(Integral, 1, None, closed="left")],
        "p": [Interval(Real, 0, None, closed="right"), None],
        "metric": "no_validation",
        "outlier_label": [Integral, str, "array-like", None],
        "metric_params": [dict, None],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        radius=1.0,
        *,
        weights="uniform",
        algorithm="auto",
        leaf_size=30,
        p=2,
        metric="minkowski",
        outlier_label=None,
        metric_params=None,
        n_jobs=None,
    ):
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.outlier_label = outlier_label
        self.metric_params = metric_params
        self.n_jobs = n_jobs


class RadiusNeighborsRegressor(_asking.RadiusNeighborsRegressor):
    """The mean of the rows within a radius.

    y(x) = sum_i w_i y_i / sum_i w_i over the k training rows i nearest to x; w_i = 1 or 1 / d(x, x_i)

    For few columns that can be compared (standardise first) and a target that changes slowly among them. A fit
    copies the rows; a prediction takes n p multiplications by brute force and far fewer by the tree, which pays
    up to about 6 columns. Neighbours are exact: singles only say which rows to measure in doubles. Of equally
    near rows the first is taken, of equally frequent classes the first. No weights, no missing cells.

    A row without neighbours is predicted NaN, with a warning, as in scikit-learn.

    Parameters
    ----------
    radius : float, default=1.0
        Asks all rows that are at most this far, instead of n_neighbors of them. A row without any such
        neighbour is refused.

    weights : {"uniform", "distance"}, callable or None, default="uniform"
        How much the neighbours count: all alike, by 1 / distance (where some are at distance 0, only those), or
        by a function of an array of distances.

    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How they are searched for, with the same result: "brute", "kd_tree" ("ball_tree" is another name for
        it), or "auto": the tree from 1000 rows on and up to 6 columns.

    leaf_size : int, default=30
        Accepted so that programs written for scikit-learn run; it has no effect. Leaves of our tree have 48
        rows; it is passed on where scikit-learn searches.

    p : float, default=2
        The order of Minkowski's metric.

    metric : str, callable or DistanceMetric, default="minkowski"
        What near means. "minkowski", "euclidean", "manhattan", "chebyshev", "cosine" and scikit-learn's other
        names for them are searched here; any other metric, a callable and "precomputed" by scikit-learn.

    metric_params : dict or None, default=None
        Further parameters of the metric.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of training rows.

    effective_metric_ : str or callable
        The metric that is used.

    effective_metric_params_ : dict
        Its parameters.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Fix, Hodges 1951; Cover, Hart: Nearest neighbor pattern classification, IEEE Trans. Inf. Theory 13 (1967)
    """

    _learner = "knn"
    _forwarded = {"radius": "radius"}
    _parameter_constraints: dict = {
        "radius": [Interval(Real, 0, None, closed="both")],
        "weights": [StrOptions({"uniform", "distance"}), callable, None],
        "algorithm": [StrOptions({"auto", "ball_tree", "kd_tree", "brute"})],
        "leaf_size": [Interval(Integral, 1, None, closed="left")],
        "p": [Interval(Real, 0, None, closed="right"), None],
        "metric": "no_validation",
        "metric_params": [dict, None],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        radius=1.0,
        *,
        weights="uniform",
        algorithm="auto",
        leaf_size=30,
        p=2,
        metric="minkowski",
        metric_params=None,
        n_jobs=None,
    ):
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs


class NearestNeighbors(_neighbours.NearestNeighbors):
    """The rows that are nearest.

    y(x) = sum_i w_i y_i / sum_i w_i over the k training rows i nearest to x; w_i = 1 or 1 / d(x, x_i)

    For few columns that can be compared (standardise first) and a target that changes slowly among them. A fit
    copies the rows; a prediction takes n p multiplications by brute force and far fewer by the tree, which pays
    up to about 6 columns. Neighbours are exact: singles only say which rows to measure in doubles. Of equally
    near rows the first is taken, of equally frequent classes the first. No weights, no missing cells.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbours are asked. Few follow the data closely, many give a smoother and more biased answer.

    radius : float, default=1.0
        Asks all rows that are at most this far, instead of n_neighbors of them. A row without any such
        neighbour is refused.

    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How they are searched for, with the same result: "brute", "kd_tree" ("ball_tree" is another name for
        it), or "auto": the tree from 1000 rows on and up to 6 columns.

    leaf_size : int, default=30
        Accepted so that programs written for scikit-learn run; it has no effect. Leaves of our tree have 48
        rows; it is passed on where scikit-learn searches.

    metric : str, callable or DistanceMetric, default="minkowski"
        What near means. "minkowski", "euclidean", "manhattan", "chebyshev", "cosine" and scikit-learn's other
        names for them are searched here; any other metric, a callable and "precomputed" by scikit-learn.

    p : float, default=2
        The order of Minkowski's metric.

    metric_params : dict or None, default=None
        Further parameters of the metric.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of training rows.

    effective_metric_ : str or callable
        The metric that is used.

    effective_metric_params_ : dict
        Its parameters.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Fix, Hodges 1951; Cover, Hart: Nearest neighbor pattern classification, IEEE Trans. Inf. Theory 13 (1967)
    """

    _learner = "knn"
    _forwarded = {"n_neighbors": "n_neighbors", "radius": "radius"}
    _parameter_constraints: dict = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "radius": [Interval(Real, 0, None, closed="both")],
        "algorithm": [StrOptions({"auto", "ball_tree", "kd_tree", "brute"})],
        "leaf_size": [Interval(Integral, 1, None, closed="left")],
        "metric": "no_validation",
        "p": [Interval(Real, 0, None, closed="right"), None],
        "metric_params": [dict, None],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        *,
        n_neighbors=5,
        radius=1.0,
        algorithm="auto",
        leaf_size=30,
        metric="minkowski",
        p=2,
        metric_params=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs


class MLPClassifier(_neural.MLPClassifier):
    """Multi-layer perceptron for classes.

    min 1/n (sum_i w_i loss(y_i, f(x_i)) + alpha/2 sum w^2); f = layers of weighted sums behind activations;
    -log p of the class, or half the squared error

    Choose it for smooth relations among many columns of one kind; on tables of mixed columns boosted trees are
    usually better. Standardise the columns. It finds a local minimum that depends on the seed. Computes in
    singles; lbfgs in doubles.

    Computes in single precision, lbfgs in double.

    Parameters
    ----------
    hidden_layer_sizes : array-like of int, or int, default=(100,)
        Units of each hidden layer, from input to output.

    activation : {"identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"}, default="relu"
        What follows each hidden layer: identity, logistic, tanh, relu, leaky_relu (0.01 below 0) or gelu.

    solver : {"lbfgs", "sgd", "adam", "rmsprop", "adagrad"}, default="adam"
        How weights move: adam, sgd (with momentum), rmsprop, adagrad, or lbfgs, which takes all rows at once
        and is good for a few thousand.

    alpha : float, default=0.0001
        The strength of the penalty on squares of weights.

    batch_size : int or "auto", default="auto"
        Rows of a batch; "auto" is min(200, n_samples).

    learning_rate : {"constant", "invscaling", "adaptive", "step", "cosine", "inverse"}, default="constant"
        The rate of step t and epoch e (from 0): constant; invscaling, init / (rows seen + 1)^power_t; adaptive,
        a fifth whenever nothing has improved for n_iter_no_change epochs; step, init drop^(e / drop_every);
        cosine, from init to 0 over max_iter epochs; inverse, init / (1 + decay t).

    learning_rate_init : float, default=0.001
        The first rate.

    power_t : float, default=0.5
        The exponent of invscaling.

    max_iter : int, default=200
        Epochs at most; steps at most with lbfgs.

    shuffle : bool, default=True
        Whether every epoch has an order of its own.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    tol : float, default=1e-4
        Improvement of the loss, or of the score with early stopping, below which an epoch counts as none; null
        goes through all epochs. With lbfgs, the largest slope at which it ends.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    warm_start : bool, default=False
        Whether a fit starts from the weights of the one before it.

    momentum : float, default=0.9
        The momentum of sgd.

    nesterovs_momentum : bool, default=True
        Whether that momentum looks ahead.

    early_stopping : bool, default=False
        Whether the score on rows set aside (accuracy, or r2) decides when to end; the weights of its best epoch
        are kept.

    validation_fraction : float, default=0.1
        The share of the rows set aside.

    beta_1 : float, default=0.9
        The share of the old mean gradient in adam.

    beta_2 : float, default=0.999
        The share of the old mean square in adam.

    epsilon : float, default=1e-8
        Added to the root in adam, rmsprop and adagrad.

    n_iter_no_change : int, default=10
        Epochs without improvement after which it ends.

    max_fun : int, default=15000
        Evaluations of the loss at most, with lbfgs.

    class_weight : dict, "balanced" or None, default=None
        Weights of the classes by label, 1 for labels not listed; "balanced" gives every class the same total
        weight.

    layers : str or None, default=None
        Hidden layers as a line of text, instead of hidden_layer_sizes, activation and dropout: "dense(64)
        batchnorm relu dropout(0.2) dense(32) tanh".

    dropout : float, default=0.0
        The share of the units of each hidden layer that is left out in a step.

    weight_decay : float, default=0.0
        Decoupled weight decay: a step also takes away this share of each weight, times the rate. With adam it
        is AdamW.

    clip : float or None, default=None
        The gradient of all weights together is scaled down to this length where it is longer; null leaves it.

    decay : float, default=0.001
        The decay of inverse.

    drop : float, default=0.5
        The factor of step.

    drop_every : int, default=10
        Epochs between two drops of step.

    init : {"auto", "he", "glorot", "glorot-with-bias"}, default="glorot-with-bias"
        What weights are drawn from: he, glorot, auto (he before relu and its relatives, glorot before others),
        or glorot-with-bias, which draws constants too.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    loss_ : float
        The loss of the last epoch.

    best_loss_ : float or None
        The least loss of an epoch; None with early_stopping.

    loss_curve_ : list of float
        The loss of every epoch.

    validation_scores_ : list of float or None
        The score on the rows set aside after every epoch, with early_stopping.

    best_validation_score_ : float or None
        The best of them.

    t_ : int
        Rows seen in all epochs.

    coefs_ : list of ndarray of shape (inputs, outputs)
        The weights of each layer.

    intercepts_ : list of ndarray of shape (outputs,)
        The constants of each layer.

    n_iter_ : int
        Epochs.

    n_layers_ : int
        Layers, with the input.

    out_activation_ : str
        What follows the last layer.

    n_outputs_ : int
        Outputs of the last layer.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    D. E. Rumelhart, G. E. Hinton, R. J. Williams (1986), Learning representations by back-propagating errors;
    D. P. Kingma, J. Ba (2015), Adam: a method for stochastic optimization
    """

    _learner = "mlp"
    _forwarded = {"activation": "activation", "solver": "solver", "alpha": "alpha", "learning_rate": "learning_rate", "learning_rate_init": "learning_rate_init", "power_t": "power_t", "max_iter": "max_iter", "shuffle": "shuffle", "tol": "tol", "momentum": "momentum", "nesterovs_momentum": "nesterovs_momentum", "early_stopping": "early_stopping", "validation_fraction": "validation_fraction", "beta_1": "beta_1", "beta_2": "beta_2", "epsilon": "epsilon", "n_iter_no_change": "n_iter_no_change", "max_fun": "max_fun", "layers": "layers", "dropout": "dropout", "weight_decay": "weight_decay", "clip": "clip", "decay": "decay", "drop": "drop", "drop_every": "drop_every", "init": "init"}
    _parameter_constraints: dict = {
        "hidden_layer_sizes": ["array-like", Interval(Integral, 1, None, closed="left")],
        "activation": [StrOptions({"identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"})],
        "solver": [StrOptions({"lbfgs", "sgd", "adam", "rmsprop", "adagrad"})],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "batch_size": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "learning_rate": [StrOptions({"constant", "invscaling", "adaptive", "step", "cosine", "inverse"})],
        "learning_rate_init": [Interval(Real, 0, None, closed="neither")],
        "power_t": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "momentum": [Interval(Real, 0, 1, closed="both")],
        "nesterovs_momentum": ["boolean"],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="left")],
        "beta_1": [Interval(Real, 0, 1, closed="left")],
        "beta_2": [Interval(Real, 0, 1, closed="left")],
        "epsilon": [Interval(Real, 0, None, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), Options(Real, {np.inf})],
        "max_fun": [Interval(Integral, 1, None, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "layers": [str, None],
        "dropout": [Interval(Real, 0.0, 0.999999999, closed="both")],
        "weight_decay": [Interval(Real, 0.0, None, closed="left")],
        "clip": [Interval(Real, 0.0, None, closed="neither"), None],
        "decay": [Interval(Real, 0.0, None, closed="left")],
        "drop": [Interval(Real, 0.0, 1.0, closed="right")],
        "drop_every": [Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"auto", "he", "glorot", "glorot-with-bias"})],
    }

    def __init__(
        self,
        hidden_layer_sizes=(100,),
        activation="relu",
        *,
        solver="adam",
        alpha=0.0001,
        batch_size="auto",
        learning_rate="constant",
        learning_rate_init=0.001,
        power_t=0.5,
        max_iter=200,
        shuffle=True,
        random_state=None,
        tol=1e-4,
        verbose=0,
        warm_start=False,
        momentum=0.9,
        nesterovs_momentum=True,
        early_stopping=False,
        validation_fraction=0.1,
        beta_1=0.9,
        beta_2=0.999,
        epsilon=1e-8,
        n_iter_no_change=10,
        max_fun=15000,
        class_weight=None,
        layers=None,
        dropout=0.0,
        weight_decay=0.0,
        clip=None,
        decay=0.001,
        drop=0.5,
        drop_every=10,
        init="glorot-with-bias",
    ):
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.class_weight = class_weight
        self.layers = layers
        self.dropout = dropout
        self.weight_decay = weight_decay
        self.clip = clip
        self.decay = decay
        self.drop = drop
        self.drop_every = drop_every
        self.init = init


class MLPRegressor(_neural.MLPRegressor):
    """Multi-layer perceptron for numbers.

    min 1/n (sum_i w_i loss(y_i, f(x_i)) + alpha/2 sum w^2); f = layers of weighted sums behind activations;
    -log p of the class, or half the squared error

    Choose it for smooth relations among many columns of one kind; on tables of mixed columns boosted trees are
    usually better. Standardise the columns. It finds a local minimum that depends on the seed. Computes in
    singles; lbfgs in doubles.

    Computes in single precision, lbfgs in double.

    Parameters
    ----------
    loss : {"squared_error", "poisson", "absolute_error", "huber"}, default="squared_error"
        The loss of numbers: squared_error, absolute_error, huber (absolute beyond 1), or poisson for counts,
        whose logarithm the network then gives. Classes have the cross-entropy.

    hidden_layer_sizes : array-like of int, or int, default=(100,)
        Units of each hidden layer, from input to output.

    activation : {"identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"}, default="relu"
        What follows each hidden layer: identity, logistic, tanh, relu, leaky_relu (0.01 below 0) or gelu.

    solver : {"lbfgs", "sgd", "adam", "rmsprop", "adagrad"}, default="adam"
        How weights move: adam, sgd (with momentum), rmsprop, adagrad, or lbfgs, which takes all rows at once
        and is good for a few thousand.

    alpha : float, default=0.0001
        The strength of the penalty on squares of weights.

    batch_size : int or "auto", default="auto"
        Rows of a batch; "auto" is min(200, n_samples).

    learning_rate : {"constant", "invscaling", "adaptive", "step", "cosine", "inverse"}, default="constant"
        The rate of step t and epoch e (from 0): constant; invscaling, init / (rows seen + 1)^power_t; adaptive,
        a fifth whenever nothing has improved for n_iter_no_change epochs; step, init drop^(e / drop_every);
        cosine, from init to 0 over max_iter epochs; inverse, init / (1 + decay t).

    learning_rate_init : float, default=0.001
        The first rate.

    power_t : float, default=0.5
        The exponent of invscaling.

    max_iter : int, default=200
        Epochs at most; steps at most with lbfgs.

    shuffle : bool, default=True
        Whether every epoch has an order of its own.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    tol : float, default=1e-4
        Improvement of the loss, or of the score with early stopping, below which an epoch counts as none; null
        goes through all epochs. With lbfgs, the largest slope at which it ends.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    warm_start : bool, default=False
        Whether a fit starts from the weights of the one before it.

    momentum : float, default=0.9
        The momentum of sgd.

    nesterovs_momentum : bool, default=True
        Whether that momentum looks ahead.

    early_stopping : bool, default=False
        Whether the score on rows set aside (accuracy, or r2) decides when to end; the weights of its best epoch
        are kept.

    validation_fraction : float, default=0.1
        The share of the rows set aside.

    beta_1 : float, default=0.9
        The share of the old mean gradient in adam.

    beta_2 : float, default=0.999
        The share of the old mean square in adam.

    epsilon : float, default=1e-8
        Added to the root in adam, rmsprop and adagrad.

    n_iter_no_change : int, default=10
        Epochs without improvement after which it ends.

    max_fun : int, default=15000
        Evaluations of the loss at most, with lbfgs.

    scale_target : bool, default=False
        Whether numbers to predict are brought to mean 0 and deviation 1 while training; the model gives them in
        their own units.

    layers : str or None, default=None
        Hidden layers as a line of text, instead of hidden_layer_sizes, activation and dropout: "dense(64)
        batchnorm relu dropout(0.2) dense(32) tanh".

    dropout : float, default=0.0
        The share of the units of each hidden layer that is left out in a step.

    weight_decay : float, default=0.0
        Decoupled weight decay: a step also takes away this share of each weight, times the rate. With adam it
        is AdamW.

    clip : float or None, default=None
        The gradient of all weights together is scaled down to this length where it is longer; null leaves it.

    decay : float, default=0.001
        The decay of inverse.

    drop : float, default=0.5
        The factor of step.

    drop_every : int, default=10
        Epochs between two drops of step.

    init : {"auto", "he", "glorot", "glorot-with-bias"}, default="glorot-with-bias"
        What weights are drawn from: he, glorot, auto (he before relu and its relatives, glorot before others),
        or glorot-with-bias, which draws constants too.

    Attributes
    ----------
    loss_ : float
        The loss of the last epoch.

    best_loss_ : float or None
        The least loss of an epoch; None with early_stopping.

    loss_curve_ : list of float
        The loss of every epoch.

    validation_scores_ : list of float or None
        The score on the rows set aside after every epoch, with early_stopping.

    best_validation_score_ : float or None
        The best of them.

    t_ : int
        Rows seen in all epochs.

    coefs_ : list of ndarray of shape (inputs, outputs)
        The weights of each layer.

    intercepts_ : list of ndarray of shape (outputs,)
        The constants of each layer.

    n_iter_ : int
        Epochs.

    n_layers_ : int
        Layers, with the input.

    out_activation_ : str
        What follows the last layer.

    n_outputs_ : int
        Outputs of the last layer.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    D. E. Rumelhart, G. E. Hinton, R. J. Williams (1986), Learning representations by back-propagating errors;
    D. P. Kingma, J. Ba (2015), Adam: a method for stochastic optimization
    """

    _learner = "mlp"
    _forwarded = {"loss": "loss", "activation": "activation", "solver": "solver", "alpha": "alpha", "learning_rate": "learning_rate", "learning_rate_init": "learning_rate_init", "power_t": "power_t", "max_iter": "max_iter", "shuffle": "shuffle", "tol": "tol", "momentum": "momentum", "nesterovs_momentum": "nesterovs_momentum", "early_stopping": "early_stopping", "validation_fraction": "validation_fraction", "beta_1": "beta_1", "beta_2": "beta_2", "epsilon": "epsilon", "n_iter_no_change": "n_iter_no_change", "max_fun": "max_fun", "scale_target": "scale_target", "layers": "layers", "dropout": "dropout", "weight_decay": "weight_decay", "clip": "clip", "decay": "decay", "drop": "drop", "drop_every": "drop_every", "init": "init"}
    _parameter_constraints: dict = {
        "loss": [StrOptions({"squared_error", "poisson", "absolute_error", "huber"})],
        "hidden_layer_sizes": ["array-like", Interval(Integral, 1, None, closed="left")],
        "activation": [StrOptions({"identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"})],
        "solver": [StrOptions({"lbfgs", "sgd", "adam", "rmsprop", "adagrad"})],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "batch_size": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "learning_rate": [StrOptions({"constant", "invscaling", "adaptive", "step", "cosine", "inverse"})],
        "learning_rate_init": [Interval(Real, 0, None, closed="neither")],
        "power_t": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "momentum": [Interval(Real, 0, 1, closed="both")],
        "nesterovs_momentum": ["boolean"],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="left")],
        "beta_1": [Interval(Real, 0, 1, closed="left")],
        "beta_2": [Interval(Real, 0, 1, closed="left")],
        "epsilon": [Interval(Real, 0, None, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), Options(Real, {np.inf})],
        "max_fun": [Interval(Integral, 1, None, closed="left")],
        "scale_target": ["boolean"],
        "layers": [str, None],
        "dropout": [Interval(Real, 0.0, 0.999999999, closed="both")],
        "weight_decay": [Interval(Real, 0.0, None, closed="left")],
        "clip": [Interval(Real, 0.0, None, closed="neither"), None],
        "decay": [Interval(Real, 0.0, None, closed="left")],
        "drop": [Interval(Real, 0.0, 1.0, closed="right")],
        "drop_every": [Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"auto", "he", "glorot", "glorot-with-bias"})],
    }

    def __init__(
        self,
        loss="squared_error",
        hidden_layer_sizes=(100,),
        activation="relu",
        *,
        solver="adam",
        alpha=0.0001,
        batch_size="auto",
        learning_rate="constant",
        learning_rate_init=0.001,
        power_t=0.5,
        max_iter=200,
        shuffle=True,
        random_state=None,
        tol=1e-4,
        verbose=0,
        warm_start=False,
        momentum=0.9,
        nesterovs_momentum=True,
        early_stopping=False,
        validation_fraction=0.1,
        beta_1=0.9,
        beta_2=0.999,
        epsilon=1e-8,
        n_iter_no_change=10,
        max_fun=15000,
        scale_target=False,
        layers=None,
        dropout=0.0,
        weight_decay=0.0,
        clip=None,
        decay=0.001,
        drop=0.5,
        drop_every=10,
        init="glorot-with-bias",
    ):
        self.loss = loss
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.scale_target = scale_target
        self.layers = layers
        self.dropout = dropout
        self.weight_decay = weight_decay
        self.clip = clip
        self.decay = decay
        self.drop = drop
        self.drop_every = drop_every
        self.init = init


class ConvNetClassifier(_neural.ConvNetClassifier):
    """Convolutional network for images, to classes.

    min 1/n sum_i w_i loss(y_i, f(x_i)); f = filters that slide over the image, pools, dense layers; -log p of
    the class, or half the squared error; decoupled weight decay beside it

    Choose it where columns are the points of an image or the times of a signal, in their order. The channels of
    a point lie side by side; input says the shape (28x28, 32x32x3). Trains by AdamW in singles. A local minimum
    that depends on the seed.

    Rows are images by lines, the channels of a point side by side; arrays of shape (n_samples, height, width)
    and (n_samples, height, width, channels) are taken as they are.

    Parameters
    ----------
    layers : str or None, default=None
        All layers but the last, as a line of text: "conv(6,5,pad=2) relu pool(2) conv(16,5) relu pool(2)
        dense(120) relu". null takes two convolutions of 32 and 64 filters with pools and dropout, fewer for
        small images.

    input : str, tuple of int or None, default=None
        The shape of an image: "28x28", "32x32x3" or a tuple. None takes that of X, or a square of one channel.

    learning_rate_init : float, default=0.001
        The first rate of Adam.

    cosine : bool, default=True
        Whether the rate falls to 0 over the epochs, along a cosine.

    weight_decay : float, default=0.01
        A step also takes away this share of each weight, times the rate.

    batch_size : int, default=64
        Rows of a batch.

    max_iter : int, default=12
        Epochs at most.

    tol : float or None, default=None
        Improvement of the loss, or of the score with early stopping, below which an epoch counts as none; null
        goes through all epochs.

    n_iter_no_change : int, default=5
        Epochs without improvement after which it ends.

    clip : float or None, default=None
        The gradient of all weights together is scaled down to this length where it is longer; null leaves it.

    early_stopping : bool, default=False
        Whether the score on rows set aside decides when to end; the weights of its best epoch are kept.

    validation_fraction : float, default=0.1
        The share of the rows set aside.

    class_weight : dict, "balanced" or None, default=None
        Weights of the classes by label, 1 for labels not listed; "balanced" gives every class the same total
        weight.

    standardise : bool, default=True
        Whether the channels are brought to mean 0 and deviation 1; the model keeps the shift and the scale.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    loss_ : float
        The loss of the last epoch.

    loss_curve_ : list of float
        The loss of every epoch.

    validation_scores_ : list of float or None
        The score on the rows set aside after every epoch, with early_stopping.

    n_iter_ : int
        Epochs.

    architecture_ : str
        All layers as a line of text.

    input_shape_ : str
        The shape of an image.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Y. LeCun, L. Bottou, Y. Bengio, P. Haffner (1998), Gradient-based learning applied to document recognition
    """

    _learner = "convnet"
    _forwarded = {"layers": "layers", "learning_rate_init": "learning_rate_init", "cosine": "cosine", "weight_decay": "weight_decay", "batch_size": "batch_size", "max_iter": "max_iter", "tol": "tol", "n_iter_no_change": "n_iter_no_change", "clip": "clip", "early_stopping": "early_stopping", "validation_fraction": "validation_fraction", "standardise": "standardise"}
    _parameter_constraints: dict = {
        "layers": [str, None],
        "input": [str, "array-like", None],
        "learning_rate_init": [Interval(Real, 0, None, closed="neither")],
        "cosine": ["boolean"],
        "weight_decay": [Interval(Real, 0.0, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "clip": [Interval(Real, 0.0, None, closed="neither"), None],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "standardise": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        layers=None,
        input=None,
        *,
        learning_rate_init=0.001,
        cosine=True,
        weight_decay=0.01,
        batch_size=64,
        max_iter=12,
        tol=None,
        n_iter_no_change=5,
        clip=None,
        early_stopping=False,
        validation_fraction=0.1,
        class_weight=None,
        standardise=True,
        random_state=None,
    ):
        self.layers = layers
        self.input = input
        self.learning_rate_init = learning_rate_init
        self.cosine = cosine
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.clip = clip
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.class_weight = class_weight
        self.standardise = standardise
        self.random_state = random_state


class Autoencoder(_neural.Autoencoder):
    """Autoencoder: few numbers from which a network rebuilds all columns.

    min 1/(2n) sum_i w_i |x_i - g(f(x_i))|^2 + alpha/2 sum w^2; encoder f to n_components numbers, decoder g

    Choose it for few numbers that stand for many columns whose relation is not linear. With activation identity
    the codes span the space of the first principal components, which pca finds at once. Columns are centred and
    share one scale.

    Parameters
    ----------
    n_components : int, default=2
        Numbers of a code.

    hidden_layer_sizes : array-like of int, or int, default=(64,)
        Units of the hidden layers of the encoder, from input to code; the decoder has them in reverse.

    activation : {"identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"}, default="relu"
        What follows each hidden layer: identity, logistic, tanh, relu, leaky_relu or gelu. Codes and results
        have none.

    solver : {"adam", "lbfgs"}, default="adam"
        adam takes batches; lbfgs takes all rows at once, in doubles, and is good for a few thousand.

    alpha : float, default=0.0
        The strength of the penalty on squares of weights.

    batch_size : int, default=64
        Rows of a batch.

    learning_rate_init : float, default=0.001
        The rate of Adam.

    max_iter : int, default=200
        Epochs at most.

    tol : float or None, default=1e-5
        Improvement of the loss below which an epoch counts as none; null goes through all epochs.

    n_iter_no_change : int, default=10
        Epochs without improvement after which it ends.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    Attributes
    ----------
    loss_ : float
        The loss of the last epoch.

    loss_curve_ : list of float
        The loss of every epoch.

    n_iter_ : int
        Epochs.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    P. Baldi, K. Hornik (1989), Neural networks and principal component analysis; G. E. Hinton, R. R.
    Salakhutdinov (2006), Reducing the dimensionality of data with neural networks
    """

    _learner = "autoencoder"
    _forwarded = {"n_components": "n_components", "activation": "activation", "solver": "solver", "alpha": "alpha", "batch_size": "batch_size", "learning_rate_init": "learning_rate_init", "max_iter": "max_iter", "tol": "tol", "n_iter_no_change": "n_iter_no_change"}
    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "hidden_layer_sizes": ["array-like", Interval(Integral, 1, None, closed="left")],
        "activation": [StrOptions({"identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"})],
        "solver": [StrOptions({"adam", "lbfgs"})],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "learning_rate_init": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components=2,
        *,
        hidden_layer_sizes=(64,),
        activation="relu",
        solver="adam",
        alpha=0.0,
        batch_size=64,
        learning_rate_init=0.001,
        max_iter=200,
        tol=1e-5,
        n_iter_no_change=10,
        random_state=None,
    ):
        self.n_components = n_components
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate_init = learning_rate_init
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state


class GAN(_neural.GAN):
    """Generative adversarial network: draws rows like those it has seen.

    min_G max_D E log D(x) + E log(1 - D(G(z))); z standard normal; the best D is p/(p + q)

    Choose it to draw rows like those that were seen; for densities of few columns a mixture is easier. The
    model gives D, the probability that a row is real, as its column, and draws rows. The trace has the value of
    the game, an estimate of its duality gap, and the share of the modes that the generator reaches. Columns are
    standardised inside.

    `transform` gives D, the probability that a row is real; `sample` draws rows.

    Parameters
    ----------
    n_latent : int, default=4
        Numbers of noise that a row is made of.

    generator : array-like of int, default=(64, 64)
        Units of the hidden layers of the generator.

    discriminator : array-like of int, default=(64, 64)
        Units of the hidden layers of the discriminator.

    activation : str, default="leaky_relu"
        What follows each hidden layer of both: identity, logistic, tanh, relu, leaky_relu or gelu.

    non_saturating : bool, default=True
        Whether the generator raises log D(G(z)) instead of lowering log(1 - D(G(z))).

    d_steps : int, default=1
        Steps of the discriminator for each of the generator.

    learning_rate_init : float, default=0.001
        The rate of Adam, for both.

    beta_1 : float, default=0.5
        The share of the old mean gradient in Adam.

    batch_size : int, default=128
        Rows of a batch.

    max_iter : int, default=100
        Epochs.

    gap_every : int, default=10
        Epochs between two estimates of the duality gap; 0 estimates none.

    gap_steps : int, default=50
        Steps that the copies of either side take for an estimate.

    n_modes : int, default=8
        Modes that coverage is counted over: rows far apart, each standing for the rows nearest to it; 0 counts
        none.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    Attributes
    ----------
    value_ : float
        The value of the game after the last epoch; -log 4 at the equilibrium.

    duality_gap_ : float or None
        The last estimate of the duality gap.

    coverage_ : float or None
        The share of the modes that the generator reaches.

    trace_ : dict of str to list of float
        Value, gap and coverage after every epoch.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    I. J. Goodfellow et al. (2014), Generative adversarial nets; P. Grnarova et al. (2019), A domain agnostic
    measure for monitoring and evaluating GANs
    """

    _learner = "gan"
    _forwarded = {"n_latent": "n_latent", "activation": "activation", "non_saturating": "non_saturating", "d_steps": "d_steps", "learning_rate_init": "learning_rate_init", "beta_1": "beta_1", "batch_size": "batch_size", "max_iter": "max_iter", "gap_every": "gap_every", "gap_steps": "gap_steps", "n_modes": "n_modes"}
    _parameter_constraints: dict = {
        "n_latent": [Interval(Integral, 1, None, closed="left")],
        "generator": ["array-like"],
        "discriminator": ["array-like"],
        "activation": [StrOptions({"identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"})],
        "non_saturating": ["boolean"],
        "d_steps": [Interval(Integral, 1, 1000, closed="both")],
        "learning_rate_init": [Interval(Real, 0, None, closed="neither")],
        "beta_1": [Interval(Real, 0, 1, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "gap_every": [Interval(Integral, 0, None, closed="left")],
        "gap_steps": [Interval(Integral, 1, None, closed="left")],
        "n_modes": [Interval(Integral, 0, 10000, closed="both")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_latent=4,
        generator=(64, 64),
        discriminator=(64, 64),
        activation="leaky_relu",
        non_saturating=True,
        d_steps=1,
        learning_rate_init=0.001,
        beta_1=0.5,
        batch_size=128,
        max_iter=100,
        gap_every=10,
        gap_steps=50,
        n_modes=8,
        random_state=None,
    ):
        self.n_latent = n_latent
        self.generator = generator
        self.discriminator = discriminator
        self.activation = activation
        self.non_saturating = non_saturating
        self.d_steps = d_steps
        self.learning_rate_init = learning_rate_init
        self.beta_1 = beta_1
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.gap_every = gap_every
        self.gap_steps = gap_steps
        self.n_modes = n_modes
        self.random_state = random_state


class DecisionTreeClassifier(_tree.DecisionTreeClassifier):
    """Decision tree (CART) for classes.

    greedy: each node takes the test that lowers sum over children of weight * impurity most, with impurity 1 -
    sum p^2 (gini), - sum p log2 p (entropy), 1 - max p (misclassification), variance (squared_error), mean |y -
    median| (absolute_error) or half the Poisson deviance (poisson); then R(T) + ccp_alpha * leaves is minimised
    over subtrees T

    A model people can read, for columns of any scale and kind. A single deep tree overfits: limit depth, leaf
    size or leaves, or prune. Every column is sorted once, then each level costs one pass over the cells; memory
    is four bytes a cell. Missing values take the side that is better in training. The same bits for any order
    of rows and any number of threads. It has no multi-way or oblique splits.

    X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or categories,
    with missing values; in arrays NaN is a missing value. `sklearn.tree.export_text` and `plot_tree` read it.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "misclassification"}, default="gini"
        What makes a split good: gini, entropy or log_loss (the same) or misclassification for classes;
        squared_error, absolute_error, poisson or friedman_mse (the same splits as squared_error) for numbers.
        auto is gini or squared_error.

    splitter : {"best", "random"}, default="best"
        best tries every threshold; random draws one threshold a column and takes the best column.

    max_depth : int or None, default=None
        Greatest number of tests on the way to a leaf; null for no limit.

    min_samples_split : int or float, default=2
        Rows a node needs to be split: a whole number, or a share of all rows.

    min_samples_leaf : int or float, default=1
        Rows that must be left on each side of a split: a whole number, or a share of all rows.

    min_weight_fraction_leaf : float, default=0.0
        Share of the total weight that must be left on each side of a split.

    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Columns drawn at random for each split: a whole number, a share, sqrt or log2 of their number; null for
        all. Columns that are constant in the node count among the drawn, but the draw goes on until there is
        one that is not.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    max_leaf_nodes : int or None, default=None
        Greatest number of leaves: the node whose split gains most is split first; null for no limit.

    min_impurity_decrease : float, default=0.0
        A node is split if this lowers the impurity, weighted by the share of the node, by at least this much.

    class_weight : dict, "balanced" or None, default=None
        Weights of the classes by label, 1 for labels not listed; "balanced" gives every class the same total
        weight.

    ccp_alpha : non-negative float or "cv", default=0.0
        Price of a leaf in cost-complexity pruning; 0 does not prune. cv tries the trees of the whole pruning
        sequence in cross-validation and takes the best.

    monotonic_cst : array-like of shape (n_features,) or None, default=None
        For each column 1 if the prediction must not fall as it grows, -1 if it must not rise, 0 for no
        constraint. For one number, or two classes (the probability of the second).

    folds : int, default=10
        Folds of the cross-validation that ccp_alpha=cv asks for; at most a fold a row.

    one_se : bool, default=False
        Whether ccp_alpha=cv takes the smallest tree whose error is within one standard error of the best, not
        the best itself.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    n_classes_ : int
        Number of classes.

    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the decrease of the impurity.

    max_features_ : int
        Number of columns looked at for each split.

    n_outputs_ : int
        Number of targets.

    tree_ : Tree
        The nodes as arrays: children_left, children_right, feature, threshold, impurity, value, …

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and Regression Trees, 1984
    """

    _learner = "tree"
    _forwarded = {"criterion": "criterion", "splitter": "splitter", "max_depth": "max_depth", "min_samples_split": "min_samples_split", "min_samples_leaf": "min_samples_leaf", "min_weight_fraction_leaf": "min_weight_fraction_leaf", "max_features": "max_features", "max_leaf_nodes": "max_leaf_nodes", "min_impurity_decrease": "min_impurity_decrease", "ccp_alpha": "ccp_alpha", "folds": "folds", "one_se": "one_se"}
    _parameter_constraints: dict = {
        "criterion": [StrOptions({"gini", "entropy", "log_loss", "misclassification"})],
        "splitter": [StrOptions({"best", "random"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [Interval(Integral, 2, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="neither")],
        "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
        "max_features": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right"), StrOptions({"sqrt", "log2"}), None],
        "random_state": ["random_state"],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
        "class_weight": [dict, list, StrOptions({"balanced"}), None],
        "ccp_alpha": [Interval(Real, 0.0, None, closed="left"), StrOptions({"cv"})],
        "monotonic_cst": ["array-like", None],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "one_se": ["boolean"],
    }

    def __init__(
        self,
        *,
        criterion="gini",
        splitter="best",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=None,
        random_state=None,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        class_weight=None,
        ccp_alpha=0.0,
        monotonic_cst=None,
        folds=10,
        one_se=False,
    ):
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.folds = folds
        self.one_se = one_se


class DecisionTreeRegressor(_tree.DecisionTreeRegressor):
    """Decision tree (CART) for numbers.

    greedy: each node takes the test that lowers sum over children of weight * impurity most, with impurity 1 -
    sum p^2 (gini), - sum p log2 p (entropy), 1 - max p (misclassification), variance (squared_error), mean |y -
    median| (absolute_error) or half the Poisson deviance (poisson); then R(T) + ccp_alpha * leaves is minimised
    over subtrees T

    A model people can read, for columns of any scale and kind. A single deep tree overfits: limit depth, leaf
    size or leaves, or prune. Every column is sorted once, then each level costs one pass over the cells; memory
    is four bytes a cell. Missing values take the side that is better in training. The same bits for any order
    of rows and any number of threads. It has no multi-way or oblique splits.

    X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or categories,
    with missing values; in arrays NaN is a missing value. `sklearn.tree.export_text` and `plot_tree` read it.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        What makes a split good: gini, entropy or log_loss (the same) or misclassification for classes;
        squared_error, absolute_error, poisson or friedman_mse (the same splits as squared_error) for numbers.
        auto is gini or squared_error.

    splitter : {"best", "random"}, default="best"
        best tries every threshold; random draws one threshold a column and takes the best column.

    max_depth : int or None, default=None
        Greatest number of tests on the way to a leaf; null for no limit.

    min_samples_split : int or float, default=2
        Rows a node needs to be split: a whole number, or a share of all rows.

    min_samples_leaf : int or float, default=1
        Rows that must be left on each side of a split: a whole number, or a share of all rows.

    min_weight_fraction_leaf : float, default=0.0
        Share of the total weight that must be left on each side of a split.

    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Columns drawn at random for each split: a whole number, a share, sqrt or log2 of their number; null for
        all. Columns that are constant in the node count among the drawn, but the draw goes on until there is
        one that is not.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    max_leaf_nodes : int or None, default=None
        Greatest number of leaves: the node whose split gains most is split first; null for no limit.

    min_impurity_decrease : float, default=0.0
        A node is split if this lowers the impurity, weighted by the share of the node, by at least this much.

    ccp_alpha : non-negative float or "cv", default=0.0
        Price of a leaf in cost-complexity pruning; 0 does not prune. cv tries the trees of the whole pruning
        sequence in cross-validation and takes the best.

    monotonic_cst : array-like of shape (n_features,) or None, default=None
        For each column 1 if the prediction must not fall as it grows, -1 if it must not rise, 0 for no
        constraint. For one number, or two classes (the probability of the second).

    folds : int, default=10
        Folds of the cross-validation that ccp_alpha=cv asks for; at most a fold a row.

    one_se : bool, default=False
        Whether ccp_alpha=cv takes the smallest tree whose error is within one standard error of the best, not
        the best itself.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the decrease of the impurity.

    max_features_ : int
        Number of columns looked at for each split.

    n_outputs_ : int
        Number of targets.

    tree_ : Tree
        The nodes as arrays: children_left, children_right, feature, threshold, impurity, value, …

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and Regression Trees, 1984
    """

    _learner = "tree"
    _forwarded = {"criterion": "criterion", "splitter": "splitter", "max_depth": "max_depth", "min_samples_split": "min_samples_split", "min_samples_leaf": "min_samples_leaf", "min_weight_fraction_leaf": "min_weight_fraction_leaf", "max_features": "max_features", "max_leaf_nodes": "max_leaf_nodes", "min_impurity_decrease": "min_impurity_decrease", "ccp_alpha": "ccp_alpha", "folds": "folds", "one_se": "one_se"}
    _parameter_constraints: dict = {
        "criterion": [StrOptions({"squared_error", "absolute_error", "poisson"}), Hidden(StrOptions({"friedman_mse"}))],
        "splitter": [StrOptions({"best", "random"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [Interval(Integral, 2, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="neither")],
        "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
        "max_features": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right"), StrOptions({"sqrt", "log2"}), None],
        "random_state": ["random_state"],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
        "ccp_alpha": [Interval(Real, 0.0, None, closed="left"), StrOptions({"cv"})],
        "monotonic_cst": ["array-like", None],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "one_se": ["boolean"],
    }

    def __init__(
        self,
        *,
        criterion="squared_error",
        splitter="best",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=None,
        random_state=None,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        ccp_alpha=0.0,
        monotonic_cst=None,
        folds=10,
        one_se=False,
    ):
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.folds = folds
        self.one_se = one_se


class RandomForestClassifier(_forest.ForestClassifier):
    """Random forest for classes.

    mean over trees of class shares or means; each tree greedily lowers sum over leaves of weight * impurity on
    rows drawn with replacement, each split over max_features columns drawn anew

    A strong model without tuning or preparation; categories and missing values as they are. Rows outside the
    bag of a tree give an honest estimate (oob_score) and the worth of each column (permutation_importances).
    thresholds = random with bootstrap = false is extremely randomised trees. The same bits on any number of
    threads; more trees can be added later without changing those that are there.

    X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or categories,
    with missing values; in arrays NaN is a missing value.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.

    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        What makes a split good: gini, entropy or log_loss (the same) or misclassification for classes;
        squared_error, absolute_error, poisson or friedman_mse (the same splits as squared_error) for numbers.
        auto is gini or squared_error.

    max_depth : int or None, default=None
        Greatest number of tests on the way to a leaf; null for no limit.

    min_samples_split : int or float, default=2
        Rows a node needs to be split: a whole number, or a share of all rows.

    min_samples_leaf : int or float, default=1
        Rows that must be left on each side of a split: a whole number, or a share of all rows. A row that was
        drawn several times counts once.

    min_weight_fraction_leaf : float, default=0.0
        Share of the weight of a tree's rows that must be left on each side of a split.

    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        Columns drawn at random for each split: a whole number, a share, sqrt or log2 of their number; null for
        all. auto is sqrt for classes and a third for numbers. Columns that are constant in the node count among
        the drawn, but the draw goes on until there is one that is not.

    max_leaf_nodes : int or None, default=None
        Greatest number of leaves of a tree: the node whose split gains most is split first; null for no limit.

    min_impurity_decrease : float, default=0.0
        A node is split if this lowers the impurity, weighted by the share of the node, by at least this much.

    bootstrap : bool, default=True
        Whether each tree is grown on rows drawn with replacement; false grows each on all rows.

    oob_score : bool or callable, default=False
        Whether to predict each row by the trees that have not seen it, and to score that: accuracy or R^2, or
        what the callable says of the true and the predicted targets.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    warm_start : bool, default=False
        Whether a fit adds trees to those that are there, up to n_estimators.

    class_weight : dict, "balanced", "balanced_subsample" or None, default=None
        Weights of the classes by label, 1 for labels not listed; "balanced" gives every class the same total
        weight, "balanced_subsample" does so in each bag.

    ccp_alpha : float, default=0.0
        Price of a leaf in cost-complexity pruning of each tree; 0 does not prune.

    max_samples : int, float or None, default=None
        Rows drawn for each tree: a whole number, or a share of all rows; null for as many as there are. Rows
        with weights are drawn in proportion to them.

    monotonic_cst : array-like of shape (n_features,) or None, default=None
        For each column 1 if the prediction must not fall as it grows, -1 if it must not rise, 0 for no
        constraint. For one number, or two classes (the probability of the second).

    splitter : {"auto", "exact", "histogram"}, default="auto"
        exact keeps all values apart; histogram cuts columns into max_bins bins, which is faster on many rows;
        auto is exact below 10000 rows.

    max_bins : int, default=255
        Bins of a column of numbers, for histograms. Columns with fewer values keep them apart.

    permutation_importances : bool, default=False
        Whether to measure how much worse the trees are on rows they have not seen when a column is shuffled.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    n_classes_ : int
        Number of classes.

    n_outputs_ : int
        Number of targets.

    estimators_ : list of decision trees
        The trees.

    estimators_samples_ : list of arrays
        The rows that each tree was grown on, as often as they were drawn.

    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the decrease of the impurity.

    permutation_importances_ : ndarray of shape (n_features,)
        How much worse the trees are on rows they have not seen when a column is shuffled; with
        permutation_importances=True.

    expected_value_ : float or ndarray of shape (n_outputs,)
        What the model says of a row of which nothing is known.

    oob_score_ : float
        Score on rows outside the bags; with oob_score=True.

    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Class shares by the trees that have not seen the row, NaN where all have; with oob_score=True.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Breiman: Random Forests, Machine Learning 45, 2001; Geurts, Ernst, Wehenkel: Extremely randomized trees,
    Machine Learning 63, 2006
    """

    _learner = "forest"
    _forwarded = {"n_estimators": "n_estimators", "criterion": "criterion", "max_depth": "max_depth", "min_samples_split": "min_samples_split", "min_samples_leaf": "min_samples_leaf", "min_weight_fraction_leaf": "min_weight_fraction_leaf", "max_features": "max_features", "max_leaf_nodes": "max_leaf_nodes", "min_impurity_decrease": "min_impurity_decrease", "bootstrap": "bootstrap", "ccp_alpha": "ccp_alpha", "splitter": "splitter", "max_bins": "max_bins", "permutation_importances": "permutation_importances"}
    _parameter_constraints: dict = {
        "n_estimators": [Interval(Integral, 1, 1000000, closed="both")],
        "criterion": [StrOptions({"gini", "entropy", "log_loss"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [Interval(Integral, 2, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="neither")],
        "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
        "max_features": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right"), StrOptions({"sqrt", "log2"}), None],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
        "bootstrap": ["boolean"],
        "oob_score": ["boolean", callable],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "class_weight": [StrOptions({"balanced_subsample", "balanced"}), dict, list, None],
        "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
        "max_samples": [None, Interval(RealNotInt, 0.0, None, closed="neither"), Interval(Integral, 1, None, closed="left")],
        "monotonic_cst": ["array-like", None],
        "splitter": [StrOptions({"auto", "exact", "histogram"})],
        "max_bins": [Interval(Integral, 2, 255, closed="both")],
        "permutation_importances": ["boolean"],
    }

    def __init__(
        self,
        n_estimators=100,
        *,
        criterion="gini",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features="sqrt",
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        bootstrap=True,
        oob_score=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
        warm_start=False,
        class_weight=None,
        ccp_alpha=0.0,
        max_samples=None,
        monotonic_cst=None,
        splitter="auto",
        max_bins=255,
        permutation_importances=False,
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.splitter = splitter
        self.max_bins = max_bins
        self.permutation_importances = permutation_importances


class RandomForestRegressor(_forest.ForestRegressor):
    """Random forest for numbers.

    mean over trees of class shares or means; each tree greedily lowers sum over leaves of weight * impurity on
    rows drawn with replacement, each split over max_features columns drawn anew

    A strong model without tuning or preparation; categories and missing values as they are. Rows outside the
    bag of a tree give an honest estimate (oob_score) and the worth of each column (permutation_importances).
    thresholds = random with bootstrap = false is extremely randomised trees. The same bits on any number of
    threads; more trees can be added later without changing those that are there.

    X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or categories,
    with missing values; in arrays NaN is a missing value.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.

    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        What makes a split good: gini, entropy or log_loss (the same) or misclassification for classes;
        squared_error, absolute_error, poisson or friedman_mse (the same splits as squared_error) for numbers.
        auto is gini or squared_error.

    max_depth : int or None, default=None
        Greatest number of tests on the way to a leaf; null for no limit.

    min_samples_split : int or float, default=2
        Rows a node needs to be split: a whole number, or a share of all rows.

    min_samples_leaf : int or float, default=1
        Rows that must be left on each side of a split: a whole number, or a share of all rows. A row that was
        drawn several times counts once.

    min_weight_fraction_leaf : float, default=0.0
        Share of the weight of a tree's rows that must be left on each side of a split.

    max_features : int, float, {"sqrt", "log2"} or None, default=1.0
        Columns drawn at random for each split: a whole number, a share, sqrt or log2 of their number; null for
        all. auto is sqrt for classes and a third for numbers. Columns that are constant in the node count among
        the drawn, but the draw goes on until there is one that is not.

    max_leaf_nodes : int or None, default=None
        Greatest number of leaves of a tree: the node whose split gains most is split first; null for no limit.

    min_impurity_decrease : float, default=0.0
        A node is split if this lowers the impurity, weighted by the share of the node, by at least this much.

    bootstrap : bool, default=True
        Whether each tree is grown on rows drawn with replacement; false grows each on all rows.

    oob_score : bool or callable, default=False
        Whether to predict each row by the trees that have not seen it, and to score that: accuracy or R^2, or
        what the callable says of the true and the predicted targets.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    warm_start : bool, default=False
        Whether a fit adds trees to those that are there, up to n_estimators.

    ccp_alpha : float, default=0.0
        Price of a leaf in cost-complexity pruning of each tree; 0 does not prune.

    max_samples : int, float or None, default=None
        Rows drawn for each tree: a whole number, or a share of all rows; null for as many as there are. Rows
        with weights are drawn in proportion to them.

    monotonic_cst : array-like of shape (n_features,) or None, default=None
        For each column 1 if the prediction must not fall as it grows, -1 if it must not rise, 0 for no
        constraint. For one number, or two classes (the probability of the second).

    splitter : {"auto", "exact", "histogram"}, default="auto"
        exact keeps all values apart; histogram cuts columns into max_bins bins, which is faster on many rows;
        auto is exact below 10000 rows.

    max_bins : int, default=255
        Bins of a column of numbers, for histograms. Columns with fewer values keep them apart.

    permutation_importances : bool, default=False
        Whether to measure how much worse the trees are on rows they have not seen when a column is shuffled.

    Attributes
    ----------
    n_outputs_ : int
        Number of targets.

    estimators_ : list of decision trees
        The trees.

    estimators_samples_ : list of arrays
        The rows that each tree was grown on, as often as they were drawn.

    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the decrease of the impurity.

    permutation_importances_ : ndarray of shape (n_features,)
        How much worse the trees are on rows they have not seen when a column is shuffled; with
        permutation_importances=True.

    expected_value_ : float or ndarray of shape (n_outputs,)
        What the model says of a row of which nothing is known.

    oob_score_ : float
        Score on rows outside the bags; with oob_score=True.

    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Predictions by the trees that have not seen the row, NaN where all have; with oob_score=True.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Breiman: Random Forests, Machine Learning 45, 2001; Geurts, Ernst, Wehenkel: Extremely randomized trees,
    Machine Learning 63, 2006
    """

    _learner = "forest"
    _forwarded = {"n_estimators": "n_estimators", "criterion": "criterion", "max_depth": "max_depth", "min_samples_split": "min_samples_split", "min_samples_leaf": "min_samples_leaf", "min_weight_fraction_leaf": "min_weight_fraction_leaf", "max_features": "max_features", "max_leaf_nodes": "max_leaf_nodes", "min_impurity_decrease": "min_impurity_decrease", "bootstrap": "bootstrap", "ccp_alpha": "ccp_alpha", "splitter": "splitter", "max_bins": "max_bins", "permutation_importances": "permutation_importances"}
    _parameter_constraints: dict = {
        "n_estimators": [Interval(Integral, 1, 1000000, closed="both")],
        "criterion": [StrOptions({"squared_error", "absolute_error", "poisson"}), Hidden(StrOptions({"friedman_mse"}))],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [Interval(Integral, 2, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="neither")],
        "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
        "max_features": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right"), StrOptions({"sqrt", "log2"}), None],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
        "bootstrap": ["boolean"],
        "oob_score": ["boolean", callable],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
        "max_samples": [None, Interval(RealNotInt, 0.0, None, closed="neither"), Interval(Integral, 1, None, closed="left")],
        "monotonic_cst": ["array-like", None],
        "splitter": [StrOptions({"auto", "exact", "histogram"})],
        "max_bins": [Interval(Integral, 2, 255, closed="both")],
        "permutation_importances": ["boolean"],
    }

    def __init__(
        self,
        n_estimators=100,
        *,
        criterion="squared_error",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=1.0,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        bootstrap=True,
        oob_score=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
        warm_start=False,
        ccp_alpha=0.0,
        max_samples=None,
        monotonic_cst=None,
        splitter="auto",
        max_bins=255,
        permutation_importances=False,
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.splitter = splitter
        self.max_bins = max_bins
        self.permutation_importances = permutation_importances


class ExtraTreesClassifier(_forest.ExtraTreesClassifier):
    """Extremely randomised trees for classes.

    mean over trees of class shares or means; each tree greedily lowers sum over leaves of weight * impurity on
    rows drawn with replacement, each split over max_features columns drawn anew

    A strong model without tuning or preparation; categories and missing values as they are. Rows outside the
    bag of a tree give an honest estimate (oob_score) and the worth of each column (permutation_importances).
    thresholds = random with bootstrap = false is extremely randomised trees. The same bits on any number of
    threads; more trees can be added later without changing those that are there.

    X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or categories,
    with missing values; in arrays NaN is a missing value.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.

    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        What makes a split good: gini, entropy or log_loss (the same) or misclassification for classes;
        squared_error, absolute_error, poisson or friedman_mse (the same splits as squared_error) for numbers.
        auto is gini or squared_error.

    max_depth : int or None, default=None
        Greatest number of tests on the way to a leaf; null for no limit.

    min_samples_split : int or float, default=2
        Rows a node needs to be split: a whole number, or a share of all rows.

    min_samples_leaf : int or float, default=1
        Rows that must be left on each side of a split: a whole number, or a share of all rows. A row that was
        drawn several times counts once.

    min_weight_fraction_leaf : float, default=0.0
        Share of the weight of a tree's rows that must be left on each side of a split.

    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        Columns drawn at random for each split: a whole number, a share, sqrt or log2 of their number; null for
        all. auto is sqrt for classes and a third for numbers. Columns that are constant in the node count among
        the drawn, but the draw goes on until there is one that is not.

    max_leaf_nodes : int or None, default=None
        Greatest number of leaves of a tree: the node whose split gains most is split first; null for no limit.

    min_impurity_decrease : float, default=0.0
        A node is split if this lowers the impurity, weighted by the share of the node, by at least this much.

    bootstrap : bool, default=False
        Whether each tree is grown on rows drawn with replacement; false grows each on all rows.

    oob_score : bool or callable, default=False
        Whether to predict each row by the trees that have not seen it, and to score that: accuracy or R^2, or
        what the callable says of the true and the predicted targets.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    warm_start : bool, default=False
        Whether a fit adds trees to those that are there, up to n_estimators.

    class_weight : dict, "balanced", "balanced_subsample" or None, default=None
        Weights of the classes by label, 1 for labels not listed; "balanced" gives every class the same total
        weight, "balanced_subsample" does so in each bag.

    ccp_alpha : float, default=0.0
        Price of a leaf in cost-complexity pruning of each tree; 0 does not prune.

    max_samples : int, float or None, default=None
        Rows drawn for each tree: a whole number, or a share of all rows; null for as many as there are. Rows
        with weights are drawn in proportion to them.

    monotonic_cst : array-like of shape (n_features,) or None, default=None
        For each column 1 if the prediction must not fall as it grows, -1 if it must not rise, 0 for no
        constraint. For one number, or two classes (the probability of the second).

    splitter : {"auto", "exact", "histogram"}, default="auto"
        exact keeps all values apart; histogram cuts columns into max_bins bins, which is faster on many rows;
        auto is exact below 10000 rows.

    max_bins : int, default=255
        Bins of a column of numbers, for histograms. Columns with fewer values keep them apart.

    permutation_importances : bool, default=False
        Whether to measure how much worse the trees are on rows they have not seen when a column is shuffled.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    n_classes_ : int
        Number of classes.

    n_outputs_ : int
        Number of targets.

    estimators_ : list of decision trees
        The trees.

    estimators_samples_ : list of arrays
        The rows that each tree was grown on, as often as they were drawn.

    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the decrease of the impurity.

    permutation_importances_ : ndarray of shape (n_features,)
        How much worse the trees are on rows they have not seen when a column is shuffled; with
        permutation_importances=True.

    expected_value_ : float or ndarray of shape (n_outputs,)
        What the model says of a row of which nothing is known.

    oob_score_ : float
        Score on rows outside the bags; with oob_score=True.

    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Class shares by the trees that have not seen the row, NaN where all have; with oob_score=True.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Breiman: Random Forests, Machine Learning 45, 2001; Geurts, Ernst, Wehenkel: Extremely randomized trees,
    Machine Learning 63, 2006
    """

    _learner = "forest"
    _forwarded = {"n_estimators": "n_estimators", "criterion": "criterion", "max_depth": "max_depth", "min_samples_split": "min_samples_split", "min_samples_leaf": "min_samples_leaf", "min_weight_fraction_leaf": "min_weight_fraction_leaf", "max_features": "max_features", "max_leaf_nodes": "max_leaf_nodes", "min_impurity_decrease": "min_impurity_decrease", "bootstrap": "bootstrap", "ccp_alpha": "ccp_alpha", "splitter": "splitter", "max_bins": "max_bins", "permutation_importances": "permutation_importances"}
    _parameter_constraints: dict = {
        "n_estimators": [Interval(Integral, 1, 1000000, closed="both")],
        "criterion": [StrOptions({"gini", "entropy", "log_loss"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [Interval(Integral, 2, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="neither")],
        "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
        "max_features": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right"), StrOptions({"sqrt", "log2"}), None],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
        "bootstrap": ["boolean"],
        "oob_score": ["boolean", callable],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "class_weight": [StrOptions({"balanced_subsample", "balanced"}), dict, list, None],
        "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
        "max_samples": [None, Interval(RealNotInt, 0.0, None, closed="neither"), Interval(Integral, 1, None, closed="left")],
        "monotonic_cst": ["array-like", None],
        "splitter": [StrOptions({"auto", "exact", "histogram"})],
        "max_bins": [Interval(Integral, 2, 255, closed="both")],
        "permutation_importances": ["boolean"],
    }

    def __init__(
        self,
        n_estimators=100,
        *,
        criterion="gini",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features="sqrt",
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        bootstrap=False,
        oob_score=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
        warm_start=False,
        class_weight=None,
        ccp_alpha=0.0,
        max_samples=None,
        monotonic_cst=None,
        splitter="auto",
        max_bins=255,
        permutation_importances=False,
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.splitter = splitter
        self.max_bins = max_bins
        self.permutation_importances = permutation_importances


class ExtraTreesRegressor(_forest.ExtraTreesRegressor):
    """Extremely randomised trees for numbers.

    mean over trees of class shares or means; each tree greedily lowers sum over leaves of weight * impurity on
    rows drawn with replacement, each split over max_features columns drawn anew

    A strong model without tuning or preparation; categories and missing values as they are. Rows outside the
    bag of a tree give an honest estimate (oob_score) and the worth of each column (permutation_importances).
    thresholds = random with bootstrap = false is extremely randomised trees. The same bits on any number of
    threads; more trees can be added later without changing those that are there.

    X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or categories,
    with missing values; in arrays NaN is a missing value.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.

    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        What makes a split good: gini, entropy or log_loss (the same) or misclassification for classes;
        squared_error, absolute_error, poisson or friedman_mse (the same splits as squared_error) for numbers.
        auto is gini or squared_error.

    max_depth : int or None, default=None
        Greatest number of tests on the way to a leaf; null for no limit.

    min_samples_split : int or float, default=2
        Rows a node needs to be split: a whole number, or a share of all rows.

    min_samples_leaf : int or float, default=1
        Rows that must be left on each side of a split: a whole number, or a share of all rows. A row that was
        drawn several times counts once.

    min_weight_fraction_leaf : float, default=0.0
        Share of the weight of a tree's rows that must be left on each side of a split.

    max_features : int, float, {"sqrt", "log2"} or None, default=1.0
        Columns drawn at random for each split: a whole number, a share, sqrt or log2 of their number; null for
        all. auto is sqrt for classes and a third for numbers. Columns that are constant in the node count among
        the drawn, but the draw goes on until there is one that is not.

    max_leaf_nodes : int or None, default=None
        Greatest number of leaves of a tree: the node whose split gains most is split first; null for no limit.

    min_impurity_decrease : float, default=0.0
        A node is split if this lowers the impurity, weighted by the share of the node, by at least this much.

    bootstrap : bool, default=False
        Whether each tree is grown on rows drawn with replacement; false grows each on all rows.

    oob_score : bool or callable, default=False
        Whether to predict each row by the trees that have not seen it, and to score that: accuracy or R^2, or
        what the callable says of the true and the predicted targets.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    warm_start : bool, default=False
        Whether a fit adds trees to those that are there, up to n_estimators.

    ccp_alpha : float, default=0.0
        Price of a leaf in cost-complexity pruning of each tree; 0 does not prune.

    max_samples : int, float or None, default=None
        Rows drawn for each tree: a whole number, or a share of all rows; null for as many as there are. Rows
        with weights are drawn in proportion to them.

    monotonic_cst : array-like of shape (n_features,) or None, default=None
        For each column 1 if the prediction must not fall as it grows, -1 if it must not rise, 0 for no
        constraint. For one number, or two classes (the probability of the second).

    splitter : {"auto", "exact", "histogram"}, default="auto"
        exact keeps all values apart; histogram cuts columns into max_bins bins, which is faster on many rows;
        auto is exact below 10000 rows.

    max_bins : int, default=255
        Bins of a column of numbers, for histograms. Columns with fewer values keep them apart.

    permutation_importances : bool, default=False
        Whether to measure how much worse the trees are on rows they have not seen when a column is shuffled.

    Attributes
    ----------
    n_outputs_ : int
        Number of targets.

    estimators_ : list of decision trees
        The trees.

    estimators_samples_ : list of arrays
        The rows that each tree was grown on, as often as they were drawn.

    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the decrease of the impurity.

    permutation_importances_ : ndarray of shape (n_features,)
        How much worse the trees are on rows they have not seen when a column is shuffled; with
        permutation_importances=True.

    expected_value_ : float or ndarray of shape (n_outputs,)
        What the model says of a row of which nothing is known.

    oob_score_ : float
        Score on rows outside the bags; with oob_score=True.

    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Predictions by the trees that have not seen the row, NaN where all have; with oob_score=True.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Breiman: Random Forests, Machine Learning 45, 2001; Geurts, Ernst, Wehenkel: Extremely randomized trees,
    Machine Learning 63, 2006
    """

    _learner = "forest"
    _forwarded = {"n_estimators": "n_estimators", "criterion": "criterion", "max_depth": "max_depth", "min_samples_split": "min_samples_split", "min_samples_leaf": "min_samples_leaf", "min_weight_fraction_leaf": "min_weight_fraction_leaf", "max_features": "max_features", "max_leaf_nodes": "max_leaf_nodes", "min_impurity_decrease": "min_impurity_decrease", "bootstrap": "bootstrap", "ccp_alpha": "ccp_alpha", "splitter": "splitter", "max_bins": "max_bins", "permutation_importances": "permutation_importances"}
    _parameter_constraints: dict = {
        "n_estimators": [Interval(Integral, 1, 1000000, closed="both")],
        "criterion": [StrOptions({"squared_error", "absolute_error", "poisson"}), Hidden(StrOptions({"friedman_mse"}))],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [Interval(Integral, 2, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="neither")],
        "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
        "max_features": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right"), StrOptions({"sqrt", "log2"}), None],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
        "bootstrap": ["boolean"],
        "oob_score": ["boolean", callable],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
        "max_samples": [None, Interval(RealNotInt, 0.0, None, closed="neither"), Interval(Integral, 1, None, closed="left")],
        "monotonic_cst": ["array-like", None],
        "splitter": [StrOptions({"auto", "exact", "histogram"})],
        "max_bins": [Interval(Integral, 2, 255, closed="both")],
        "permutation_importances": ["boolean"],
    }

    def __init__(
        self,
        n_estimators=100,
        *,
        criterion="squared_error",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=1.0,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        bootstrap=False,
        oob_score=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
        warm_start=False,
        ccp_alpha=0.0,
        max_samples=None,
        monotonic_cst=None,
        splitter="auto",
        max_bins=255,
        permutation_importances=False,
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.splitter = splitter
        self.max_bins = max_bins
        self.permutation_importances = permutation_importances


class GradientBoostingClassifier(_gradient.GradientBoostingClassifier):
    """Gradient boosting on exact trees, for classes.

    sum w L(y, F(x)), F = F0 + learning_rate * sum of rho_m h_m; h_m is the tree nearest in squares to -dL/dF

    For up to some ten thousand rows and for losses without second derivatives; boosting is much faster on more
    rows. With n_iter_no_change a part of the rows is held out and the rounds end when it stops to gain. More
    rounds can be added later without changing those that are there. The same bits on any number of threads.

    X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or categories,
    with missing values; in arrays NaN is a missing value.

    Parameters
    ----------
    loss : {"log_loss", "exponential"}, default="log_loss"
        What is minimised: squared_error, absolute_error, huber, quantile (pinball) or poisson (log link) for
        numbers; log_loss (logistic, softmax) or exponential (two classes) for classes. auto is squared_error or
        log_loss.

    learning_rate : float, default=0.1
        Factor of every step.

    n_estimators : int, default=100
        Rounds; a tree each, or a tree a class.

    subsample : float, default=1.0
        Share of the rows, drawn without replacement, that each round sees.

    criterion : {"friedman_mse", "squared_error"}, default="deprecated"
        Deprecated: both choose the same splits.

    min_samples_split : int or float, default=2
        Rows a node needs to be split: a whole number, or a share of all rows.

    min_samples_leaf : int or float, default=1
        Rows that must be left on each side of a split: a whole number, or a share of all rows.

    min_weight_fraction_leaf : float, default=0.0
        Share of the total weight that must be left on each side of a split.

    max_depth : int or None, default=3
        Greatest number of tests on the way to a leaf; null for no limit.

    min_impurity_decrease : float, default=0.0
        A node is split if this lowers the impurity, weighted by the share of the node, by at least this much.

    init : estimator, "zero" or None, default=None
        Where the scores start: the best constant, 0, or what an estimator predicts that is fitted first. A
        model file does not hold such an estimator.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Columns drawn at random for each split: a whole number, a share, sqrt or log2 of their number; null for
        all.

    verbose : int or bool, default=0
        Whether to print the loss: 1 after the first ten rounds and then every tenth, hundredth and so on, more
        after every round.

    max_leaf_nodes : int or None, default=None
        Greatest number of leaves of a tree: the node whose split gains most is split first; null for no limit.

    warm_start : bool, default=False
        Whether a fit adds trees to those that are there, up to n_estimators.

    validation_fraction : float, default=0.1
        Share of the rows held out for n_iter_no_change, of each class alike.

    n_iter_no_change : int or None, default=None
        Stop when the loss on held-out rows has not fallen by tol below any of so many rounds before; null never
        stops.

    tol : float, default=0.0001
        What counts as progress for n_iter_no_change.

    ccp_alpha : float, default=0.0
        Price of a leaf in cost-complexity pruning of each tree; 0 does not prune.

    step : {"leaf", "line-search", "fixed", "decay"}, default="leaf"
        How far a tree goes: leaf finds the best value for each leaf, line-search one factor for the whole tree,
        fixed takes the tree as it is, decay divides it by 1 + decay * (rounds before). All are multiplied by
        learning_rate.

    decay : float, default=0.1
        How fast steps shrink, for step = decay.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    n_classes_ : int
        Number of classes.

    n_estimators_ : int
        Rounds, fewer than asked when they ended early.

    estimators_ : ndarray of decision trees
        The trees: a row a round, a column a class.

    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the decrease of the impurity.

    expected_value_ : float or ndarray of shape (n_outputs,)
        What the model says of a row of which nothing is known.

    train_score_ : ndarray of shape (n_estimators,)
        Mean loss on the rows of each round, after it.

    oob_improvement_ : ndarray of shape (n_estimators,)
        By how much each round lowered the mean loss of rows it did not see; with subsample below 1.

    max_features_ : int
        Number of columns looked at for each split.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Friedman: Greedy function approximation: a gradient boosting machine, Annals of Statistics 29, 2001
    """

    _learner = "gradient-boosting"
    _forwarded = {"loss": "loss", "learning_rate": "learning_rate", "n_estimators": "n_estimators", "subsample": "subsample", "min_samples_split": "min_samples_split", "min_samples_leaf": "min_samples_leaf", "min_weight_fraction_leaf": "min_weight_fraction_leaf", "max_depth": "max_depth", "min_impurity_decrease": "min_impurity_decrease", "max_features": "max_features", "max_leaf_nodes": "max_leaf_nodes", "validation_fraction": "validation_fraction", "n_iter_no_change": "n_iter_no_change", "tol": "tol", "ccp_alpha": "ccp_alpha", "step": "step", "decay": "decay"}
    _parameter_constraints: dict = {
        "loss": [StrOptions({"log_loss", "exponential"})],
        "learning_rate": [Interval(Real, 0.0, None, closed="left")],
        "n_estimators": [Interval(Integral, 1, 1000000, closed="both")],
        "subsample": [Interval(Real, 0.0, 1.0, closed="right")],
        "criterion": [StrOptions({"friedman_mse", "squared_error", "deprecated"})],
        "min_samples_split": [Interval(Integral, 2, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="neither")],
        "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
        "init": [StrOptions({"zero"}), None, HasMethods(["fit", "predict_proba"])],
        "random_state": ["random_state"],
        "max_features": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right"), StrOptions({"sqrt", "log2"}), None],
        "verbose": ["verbose"],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "warm_start": ["boolean"],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
        "step": [StrOptions({"leaf", "line-search", "fixed", "decay"})],
        "decay": [Interval(Real, 0.0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        loss="log_loss",
        learning_rate=0.1,
        n_estimators=100,
        subsample=1.0,
        criterion="deprecated",
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_depth=3,
        min_impurity_decrease=0.0,
        init=None,
        random_state=None,
        max_features=None,
        verbose=0,
        max_leaf_nodes=None,
        warm_start=False,
        validation_fraction=0.1,
        n_iter_no_change=None,
        tol=0.0001,
        ccp_alpha=0.0,
        step="leaf",
        decay=0.1,
    ):
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.min_impurity_decrease = min_impurity_decrease
        self.init = init
        self.random_state = random_state
        self.max_features = max_features
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.ccp_alpha = ccp_alpha
        self.step = step
        self.decay = decay


class GradientBoostingRegressor(_gradient.GradientBoostingRegressor):
    """Gradient boosting on exact trees, for numbers.

    sum w L(y, F(x)), F = F0 + learning_rate * sum of rho_m h_m; h_m is the tree nearest in squares to -dL/dF

    For up to some ten thousand rows and for losses without second derivatives; boosting is much faster on more
    rows. With n_iter_no_change a part of the rows is held out and the rounds end when it stops to gain. More
    rounds can be added later without changing those that are there. The same bits on any number of threads.

    X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or categories,
    with missing values; in arrays NaN is a missing value.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber", "quantile", "poisson"}, default="squared_error"
        What is minimised: squared_error, absolute_error, huber, quantile (pinball) or poisson (log link) for
        numbers; log_loss (logistic, softmax) or exponential (two classes) for classes. auto is squared_error or
        log_loss.

    learning_rate : float, default=0.1
        Factor of every step.

    n_estimators : int, default=100
        Rounds; a tree each, or a tree a class.

    subsample : float, default=1.0
        Share of the rows, drawn without replacement, that each round sees.

    criterion : {"friedman_mse", "squared_error"}, default="deprecated"
        Deprecated: both choose the same splits.

    min_samples_split : int or float, default=2
        Rows a node needs to be split: a whole number, or a share of all rows.

    min_samples_leaf : int or float, default=1
        Rows that must be left on each side of a split: a whole number, or a share of all rows.

    min_weight_fraction_leaf : float, default=0.0
        Share of the total weight that must be left on each side of a split.

    max_depth : int or None, default=3
        Greatest number of tests on the way to a leaf; null for no limit.

    min_impurity_decrease : float, default=0.0
        A node is split if this lowers the impurity, weighted by the share of the node, by at least this much.

    init : estimator, "zero" or None, default=None
        Where the scores start: the best constant, 0, or what an estimator predicts that is fitted first. A
        model file does not hold such an estimator.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Columns drawn at random for each split: a whole number, a share, sqrt or log2 of their number; null for
        all.

    alpha : float, default=0.9
        The quantile of loss = quantile; for huber the share of residuals that count in squares.

    verbose : int or bool, default=0
        Whether to print the loss: 1 after the first ten rounds and then every tenth, hundredth and so on, more
        after every round.

    max_leaf_nodes : int or None, default=None
        Greatest number of leaves of a tree: the node whose split gains most is split first; null for no limit.

    warm_start : bool, default=False
        Whether a fit adds trees to those that are there, up to n_estimators.

    validation_fraction : float, default=0.1
        Share of the rows held out for n_iter_no_change, of each class alike.

    n_iter_no_change : int or None, default=None
        Stop when the loss on held-out rows has not fallen by tol below any of so many rounds before; null never
        stops.

    tol : float, default=0.0001
        What counts as progress for n_iter_no_change.

    ccp_alpha : float, default=0.0
        Price of a leaf in cost-complexity pruning of each tree; 0 does not prune.

    step : {"leaf", "line-search", "fixed", "decay"}, default="leaf"
        How far a tree goes: leaf finds the best value for each leaf, line-search one factor for the whole tree,
        fixed takes the tree as it is, decay divides it by 1 + decay * (rounds before). All are multiplied by
        learning_rate.

    decay : float, default=0.1
        How fast steps shrink, for step = decay.

    Attributes
    ----------
    n_estimators_ : int
        Rounds, fewer than asked when they ended early.

    estimators_ : ndarray of decision trees
        The trees: a row a round, a column a class.

    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the decrease of the impurity.

    expected_value_ : float or ndarray of shape (n_outputs,)
        What the model says of a row of which nothing is known.

    train_score_ : ndarray of shape (n_estimators,)
        Mean loss on the rows of each round, after it.

    oob_improvement_ : ndarray of shape (n_estimators,)
        By how much each round lowered the mean loss of rows it did not see; with subsample below 1.

    max_features_ : int
        Number of columns looked at for each split.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Friedman: Greedy function approximation: a gradient boosting machine, Annals of Statistics 29, 2001
    """

    _learner = "gradient-boosting"
    _forwarded = {"loss": "loss", "learning_rate": "learning_rate", "n_estimators": "n_estimators", "subsample": "subsample", "min_samples_split": "min_samples_split", "min_samples_leaf": "min_samples_leaf", "min_weight_fraction_leaf": "min_weight_fraction_leaf", "max_depth": "max_depth", "min_impurity_decrease": "min_impurity_decrease", "max_features": "max_features", "alpha": "quantile", "max_leaf_nodes": "max_leaf_nodes", "validation_fraction": "validation_fraction", "n_iter_no_change": "n_iter_no_change", "tol": "tol", "ccp_alpha": "ccp_alpha", "step": "step", "decay": "decay"}
    _parameter_constraints: dict = {
        "loss": [StrOptions({"squared_error", "absolute_error", "huber", "quantile", "poisson"})],
        "learning_rate": [Interval(Real, 0.0, None, closed="left")],
        "n_estimators": [Interval(Integral, 1, 1000000, closed="both")],
        "subsample": [Interval(Real, 0.0, 1.0, closed="right")],
        "criterion": [StrOptions({"friedman_mse", "squared_error", "deprecated"})],
        "min_samples_split": [Interval(Integral, 2, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="neither")],
        "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
        "init": [StrOptions({"zero"}), None, HasMethods(["fit", "predict"])],
        "random_state": ["random_state"],
        "max_features": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right"), StrOptions({"sqrt", "log2"}), None],
        "alpha": [Interval(Real, 0.0, 1.0, closed="neither")],
        "verbose": ["verbose"],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "warm_start": ["boolean"],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
        "step": [StrOptions({"leaf", "line-search", "fixed", "decay"})],
        "decay": [Interval(Real, 0.0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        loss="squared_error",
        learning_rate=0.1,
        n_estimators=100,
        subsample=1.0,
        criterion="deprecated",
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_depth=3,
        min_impurity_decrease=0.0,
        init=None,
        random_state=None,
        max_features=None,
        alpha=0.9,
        verbose=0,
        max_leaf_nodes=None,
        warm_start=False,
        validation_fraction=0.1,
        n_iter_no_change=None,
        tol=0.0001,
        ccp_alpha=0.0,
        step="leaf",
        decay=0.1,
    ):
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.min_impurity_decrease = min_impurity_decrease
        self.init = init
        self.random_state = random_state
        self.max_features = max_features
        self.alpha = alpha
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.ccp_alpha = ccp_alpha
        self.step = step
        self.decay = decay


class C45Classifier(_c45.C45Classifier):
    """Multi-way decision tree (ID3, C4.5): a branch for each category, shares of rows for missing values.

    greedy: each node takes the test with the largest gain = rho * (I(D) - sum_v r_v I(D_v)) over the rows of
    known value, I entropy in bits (gain, gain_ratio) or 1 - sum p^2 (gini); gain_ratio divides by the entropy
    of the branches, among tests of at least average gain; then branches that lower the expected errors n * U(e,
    n) too little are pruned

    A tree that reads like the questions one would ask, for tables of categories with missing values. A number
    column is split at a threshold. Rows of unknown value go down every branch with its share of the weight, in
    training and in prediction. Of category columns with very many categories none gains a ratio worth taking;
    with gain and gini they do, so leave identifiers out. Each node sorts its rows anew by every column. It does
    not do regression.

    X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or categories,
    with missing values; in arrays NaN is a missing value.

    Parameters
    ----------
    criterion : {"gain_ratio", "gain", "gini"}, default="gain_ratio"
        What makes a test good: gain (ID3), gain_ratio (C4.5: the best ratio among tests of at least average
        gain), or gini (the Gini index).

    max_depth : int or None, default=None
        Greatest number of tests on the way to a leaf; null for no limit.

    min_samples_leaf : float, default=2
        Weight of rows that at least two branches of a test must have; both sides of a threshold.

    pruning : {"pessimistic", "none"}, default="pessimistic"
        pessimistic replaces a branch by a leaf, or by its own largest branch, when no more errors are to be
        expected then; none keeps the grown tree.

    confidence : float, default=0.25
        Confidence of pessimistic pruning: the expected error rate of a leaf is the one at which its errors or
        fewer have this probability. Smaller values prune more.

    subtree_raising : bool, default=True
        Whether pruning may put the largest branch of a node in its place.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the decisions.

    n_leaves_ : int
        Number of leaves.

    depth_ : int
        Tests on the longest way to a leaf.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Quinlan: C4.5: Programs for Machine Learning, 1993
    """

    _learner = "c45"
    _forwarded = {"criterion": "criterion", "max_depth": "max_depth", "min_samples_leaf": "min_samples_leaf", "pruning": "pruning", "confidence": "confidence", "subtree_raising": "subtree_raising"}
    _parameter_constraints: dict = {
        "criterion": [StrOptions({"gain_ratio", "gain", "gini"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_leaf": [Interval(Real, 0, None, closed="neither")],
        "pruning": [StrOptions({"pessimistic", "none"})],
        "confidence": [Interval(Real, 0.0, 0.5, closed="right")],
        "subtree_raising": ["boolean"],
    }

    def __init__(
        self,
        *,
        criterion="gain_ratio",
        max_depth=None,
        min_samples_leaf=2,
        pruning="pessimistic",
        confidence=0.25,
        subtree_raising=True,
    ):
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.pruning = pruning
        self.confidence = confidence
        self.subtree_raising = subtree_raising


class AdaBoostClassifier(_adaboost.AdaBoostClassifier):
    """AdaBoost for classes: stumps or any estimator, combined by weighted votes.

    sum_i w_i exp(-F(x_i)), F the weighted votes for the right class against the others, lowered one learner at
    a time: vote learning_rate * (log((1 - e) / e) + log(K - 1)) for a learner of weighted error e among K
    classes; numbers by AdaBoost.R2 and the weighted median

    A strong classifier out of weak ones, for clean labels. Without base it boosts stumps, on columns that are
    sorted once for all rounds; any learner of the catalogue that takes weights may be the base: --set base=tree
    --set base.max_depth=3. Regressions boost trees of depth 3. The trace has error, vote, training error and
    its bound for each round.

    X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or categories,
    with missing values; in arrays NaN is a missing value.

    Parameters
    ----------
    estimator : object, default=None
        The estimator of each round, with sample weights. None, and a tree of ours with max_depth=1, are boosted
        in Rust; other estimators in scikit-learn's own loop.

    n_estimators : int, default=50
        Rounds at most: a perfect learner ends the boosting, and so does one no better than chance.

    learning_rate : float, default=1.0
        Factor of every vote; smaller values need more rounds.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    algorithm : {"discrete", "real"}, default="discrete"
        discrete: a learner votes for one class (SAMME). real: it votes for every class by its share
        (confidence-rated).

    variant : {"plain", "float", "totally_corrective"}, default="plain"
        plain; float removes learners that are in the way after each round; totally_corrective optimises the
        votes of all learners after each round. The last two need algorithm discrete.

    stump_criterion : {"auto", "gini", "error", "z"}, default="auto"
        What a stump makes small: gini impurity, weighted error, or z, the factor of the exponential loss in a
        round of real boosting of two classes. auto is gini for discrete and z for real.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    n_classes_ : int
        Number of classes.

    estimator_ : estimator
        The estimator that was boosted.

    estimators_ : list of estimators
        The members, in the order of their rounds.

    estimator_weights_ : ndarray of floats
        The vote of each member.

    estimator_errors_ : ndarray of floats
        The weighted error of each member in its round.

    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the decisions.

    trace_ : dict
        Columns and rows of the course: error, vote, training error and its bound in each round.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Freund, Schapire 1997; Schapire, Singer 1999; Hastie, Rosset, Zhu, Zou: Multi-class AdaBoost, 2009; Drucker:
    Improving regressors using boosting techniques, 1997
    """

    _learner = "adaboost"
    _forwarded = {"n_estimators": "n_estimators", "learning_rate": "learning_rate", "algorithm": "algorithm", "variant": "variant", "stump_criterion": "stump_criterion"}
    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
        "algorithm": [StrOptions({"discrete", "real"})],
        "variant": [StrOptions({"plain", "float", "totally_corrective"})],
        "stump_criterion": [StrOptions({"auto", "gini", "error", "z"})],
    }

    def __init__(
        self,
        estimator=None,
        *,
        n_estimators=50,
        learning_rate=1.0,
        random_state=None,
        algorithm="discrete",
        variant="plain",
        stump_criterion="auto",
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.algorithm = algorithm
        self.variant = variant
        self.stump_criterion = stump_criterion


class AdaBoostRegressor(_adaboost.AdaBoostRegressor):
    """AdaBoost.R2 for numbers: trees of depth 3 or any estimator, combined by the weighted median.

    sum_i w_i exp(-F(x_i)), F the weighted votes for the right class against the others, lowered one learner at
    a time: vote learning_rate * (log((1 - e) / e) + log(K - 1)) for a learner of weighted error e among K
    classes; numbers by AdaBoost.R2 and the weighted median

    A strong classifier out of weak ones, for clean labels. Without base it boosts stumps, on columns that are
    sorted once for all rounds; any learner of the catalogue that takes weights may be the base: --set base=tree
    --set base.max_depth=3. Regressions boost trees of depth 3. The trace has error, vote, training error and
    its bound for each round.

    X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or categories,
    with missing values; in arrays NaN is a missing value.

    Parameters
    ----------
    estimator : object, default=None
        The estimator of each round, with sample weights. None, and a tree of ours with max_depth=1, are boosted
        in Rust; other estimators in scikit-learn's own loop.

    n_estimators : int, default=50
        Rounds at most: a perfect learner ends the boosting, and so does one no better than chance.

    learning_rate : float, default=1.0
        Factor of every vote; smaller values need more rounds.

    loss : {"linear", "square", "exponential"}, default="linear"
        What a residual costs in a regression, as a share of the largest: linear, square or exponential.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    Attributes
    ----------
    estimator_ : estimator
        The estimator that was boosted.

    estimators_ : list of estimators
        The members, in the order of their rounds.

    estimator_weights_ : ndarray of floats
        The vote of each member.

    estimator_errors_ : ndarray of floats
        The weighted error of each member in its round.

    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the decisions.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Freund, Schapire 1997; Schapire, Singer 1999; Hastie, Rosset, Zhu, Zou: Multi-class AdaBoost, 2009; Drucker:
    Improving regressors using boosting techniques, 1997
    """

    _learner = "adaboost"
    _forwarded = {"n_estimators": "n_estimators", "learning_rate": "learning_rate", "loss": "loss"}
    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "loss": [StrOptions({"linear", "square", "exponential"})],
        "random_state": ["random_state"],
    }

    def __init__(self, estimator=None, *, n_estimators=50, learning_rate=1.0, loss="linear", random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.random_state = random_state


class BaggingClassifier(_ensemble.BaggingClassifier):
    """One learner on many samples of the rows, averaged, with an out-of-bag estimate.

    f(x) = 1/B sum_b f_b(x), each f_b the base trained on rows (and columns) drawn anew; class probabilities are
    averaged

    For learners that change much with their rows, deep trees above all. Any learner of the catalogue may be the
    base: --set base=NAME, and its parameters are base.NAME: --set base=tree --set base.max_depth=4. Costs
    n_estimators fits. It does not train in passes.

    The members are fitted by scikit-learn's own loop, each of ours in Rust; any estimator that follows its
    contract may be one.

    Parameters
    ----------
    estimator : object, default=None
        The estimator of each sample; None for a decision tree of ours.

    n_estimators : int, default=10
        Members of the ensemble.

    max_samples : int, float or None, default=None
        Rows drawn for each member: a number, a share, or None for as many as there are.

    max_features : int or float, default=1.0
        Columns drawn for each member: a number, or a share.

    bootstrap : bool, default=True
        Whether rows are drawn with replacement.

    bootstrap_features : bool, default=False
        Whether columns are drawn with replacement.

    oob_score : bool or callable, default=False
        Whether, or by which score, rows out of bag estimate new rows.

    warm_start : bool, default=False
        Whether a further fit adds members to those there are.

    n_jobs : int or None, default=None
        Processes or threads in which members are fitted, as joblib counts them; None for one, in which ours use
        all cores.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    verbose : int or bool, default=0
        Whether scikit-learn's loop tells of its progress.

    Attributes
    ----------
    estimator_ : estimator
        The estimator that members are copies of.

    estimators_ : list of estimators
        The members, in the order of their rounds.

    estimators_samples_ : list of ndarray
        The rows of each member.

    estimators_features_ : list of ndarray
        The columns of each member.

    oob_score_ : float
        The score of the rows out of bag, if it was asked for.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Breiman: Bagging predictors, Machine Learning 24, 1996
    """

    _learner = "bagging"
    _forwarded = {}
    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, None, closed="neither"), None],
        "max_features": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="right")],
        "bootstrap": ["boolean"],
        "bootstrap_features": ["boolean"],
        "oob_score": ["boolean", callable],
        "warm_start": ["boolean"],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator=None,
        n_estimators=10,
        *,
        max_samples=None,
        max_features=1.0,
        bootstrap=True,
        bootstrap_features=False,
        oob_score=False,
        warm_start=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose


class BaggingRegressor(_ensemble.BaggingRegressor):
    """One learner on many samples of the rows, averaged, with an out-of-bag estimate.

    f(x) = 1/B sum_b f_b(x), each f_b the base trained on rows (and columns) drawn anew; class probabilities are
    averaged

    For learners that change much with their rows, deep trees above all. Any learner of the catalogue may be the
    base: --set base=NAME, and its parameters are base.NAME: --set base=tree --set base.max_depth=4. Costs
    n_estimators fits. It does not train in passes.

    The members are fitted by scikit-learn's own loop, each of ours in Rust; any estimator that follows its
    contract may be one.

    Parameters
    ----------
    estimator : object, default=None
        The estimator of each sample; None for a decision tree of ours.

    n_estimators : int, default=10
        Members of the ensemble.

    max_samples : int, float or None, default=None
        Rows drawn for each member: a number, a share, or None for as many as there are.

    max_features : int or float, default=1.0
        Columns drawn for each member: a number, or a share.

    bootstrap : bool, default=True
        Whether rows are drawn with replacement.

    bootstrap_features : bool, default=False
        Whether columns are drawn with replacement.

    oob_score : bool or callable, default=False
        Whether, or by which score, rows out of bag estimate new rows.

    warm_start : bool, default=False
        Whether a further fit adds members to those there are.

    n_jobs : int or None, default=None
        Processes or threads in which members are fitted, as joblib counts them; None for one, in which ours use
        all cores.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    verbose : int or bool, default=0
        Whether scikit-learn's loop tells of its progress.

    Attributes
    ----------
    estimator_ : estimator
        The estimator that members are copies of.

    estimators_ : list of estimators
        The members, in the order of their rounds.

    estimators_samples_ : list of ndarray
        The rows of each member.

    estimators_features_ : list of ndarray
        The columns of each member.

    oob_score_ : float
        The score of the rows out of bag, if it was asked for.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Breiman: Bagging predictors, Machine Learning 24, 1996
    """

    _learner = "bagging"
    _forwarded = {}
    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, None, closed="neither"), None],
        "max_features": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="right")],
        "bootstrap": ["boolean"],
        "bootstrap_features": ["boolean"],
        "oob_score": ["boolean", callable],
        "warm_start": ["boolean"],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator=None,
        n_estimators=10,
        *,
        max_samples=None,
        max_features=1.0,
        bootstrap=True,
        bootstrap_features=False,
        oob_score=False,
        warm_start=False,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose


class VotingClassifier(_ensemble.VotingClassifier):
    """Unlike learners on the same rows, combined by averages or by votes.

    f(x) = sum_m w_m f_m(x) / sum_m w_m, f_m predictions or class probabilities (soft), or 1 for the class that
    member m says (hard)

    For good learners that err on different rows. Members are learners of the catalogue: --set
    estimators=tree,logistic --set tree.max_depth=4. Costs the sum of their fits. It does not train in passes.

    The members are fitted by scikit-learn's own loop, each of ours in Rust; any estimator that follows its
    contract may be one.

    Parameters
    ----------
    estimators : list of (str, estimator) or None, default=None
        The members with their names; "drop" leaves one out. None for LogisticRegression, GaussianNB and
        DecisionTreeClassifier, or Ridge and DecisionTreeRegressor.

    voting : {"hard", "soft"}, default="hard"
        hard counts the classes that members say; soft averages their probabilities.

    weights : array-like or None, default=None
        A weight for each member; None for equal weights.

    n_jobs : int or None, default=None
        Processes or threads in which members are fitted, as joblib counts them; None for one, in which ours use
        all cores.

    flatten_transform : bool, default=True
        Whether `transform` puts the probabilities of all members side by side.

    verbose : bool, default=False
        Whether scikit-learn's loop tells of its progress.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    estimators_ : list of estimators
        The members, in the order of their rounds.

    named_estimators_ : Bunch
        The members by their names.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Kittler, Hatef, Duin, Matas: On combining classifiers, IEEE PAMI 20, 1998
    """

    _learner = "voting"
    _forwarded = {}
    _parameter_constraints: dict = {
        "estimators": [list, None],
        "voting": [StrOptions({"hard", "soft"})],
        "weights": ["array-like", None],
        "n_jobs": [None, Integral],
        "flatten_transform": ["boolean"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimators=None,
        *,
        voting="hard",
        weights=None,
        n_jobs=None,
        flatten_transform=True,
        verbose=False,
    ):
        self.estimators = estimators
        self.voting = voting
        self.weights = weights
        self.n_jobs = n_jobs
        self.flatten_transform = flatten_transform
        self.verbose = verbose


class VotingRegressor(_ensemble.VotingRegressor):
    """Unlike learners on the same rows, combined by averages or by votes.

    f(x) = sum_m w_m f_m(x) / sum_m w_m, f_m predictions or class probabilities (soft), or 1 for the class that
    member m says (hard)

    For good learners that err on different rows. Members are learners of the catalogue: --set
    estimators=tree,logistic --set tree.max_depth=4. Costs the sum of their fits. It does not train in passes.

    The members are fitted by scikit-learn's own loop, each of ours in Rust; any estimator that follows its
    contract may be one.

    Parameters
    ----------
    estimators : list of (str, estimator) or None, default=None
        The members with their names; "drop" leaves one out. None for LogisticRegression, GaussianNB and
        DecisionTreeClassifier, or Ridge and DecisionTreeRegressor.

    weights : array-like or None, default=None
        A weight for each member; None for equal weights.

    n_jobs : int or None, default=None
        Processes or threads in which members are fitted, as joblib counts them; None for one, in which ours use
        all cores.

    verbose : bool, default=False
        Whether scikit-learn's loop tells of its progress.

    Attributes
    ----------
    estimators_ : list of estimators
        The members, in the order of their rounds.

    named_estimators_ : Bunch
        The members by their names.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Kittler, Hatef, Duin, Matas: On combining classifiers, IEEE PAMI 20, 1998
    """

    _learner = "voting"
    _forwarded = {}
    _parameter_constraints: dict = {
        "estimators": [list, None],
        "weights": ["array-like", None],
        "n_jobs": [None, Integral],
        "verbose": ["verbose"],
    }

    def __init__(self, estimators=None, *, weights=None, n_jobs=None, verbose=False):
        self.estimators = estimators
        self.weights = weights
        self.n_jobs = n_jobs
        self.verbose = verbose


class StackingClassifier(_ensemble.StackingClassifier):
    """Unlike learners, and a final one that learns from their cross-validated predictions.

    g(f_1(x), …, f_M(x)), g trained on predictions of each f_m for rows that it had not seen

    For good learners that err on different rows. Members are learners of the catalogue: --set
    estimators=tree,ridge --set tree.max_depth=4 --set final_estimator=ols. Costs cv + 1 fits of each member. It
    does not train in passes.

    The members are fitted by scikit-learn's own loop, each of ours in Rust; any estimator that follows its
    contract may be one.

    Parameters
    ----------
    estimators : list of (str, estimator) or None, default=None
        The members with their names; "drop" leaves one out. None for LogisticRegression, GaussianNB and
        DecisionTreeClassifier, or Ridge and DecisionTreeRegressor.

    final_estimator : object, default=None
        The estimator on top; None for LogisticRegression, or Ridge.

    cv : int, splitter or None, default=None
        Folds of the cross-validated predictions; None for 5.

    stack_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        What members say to the final estimator; auto takes the first that a member has.

    n_jobs : int or None, default=None
        Processes or threads in which members are fitted, as joblib counts them; None for one, in which ours use
        all cores.

    passthrough : bool, default=False
        Whether the final estimator sees the original columns too.

    verbose : int or bool, default=0
        Whether scikit-learn's loop tells of its progress.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    estimators_ : list of estimators
        The members, in the order of their rounds.

    named_estimators_ : Bunch
        The members by their names.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Wolpert: Stacked generalization, Neural Networks 5, 1992
    """

    _learner = "stacking"
    _forwarded = {}
    _parameter_constraints: dict = {
        "estimators": [list, None],
        "final_estimator": [None, HasMethods(["fit", "predict"])],
        "cv": ["cv_object", StrOptions({"prefit"})],
        "stack_method": [StrOptions({"auto", "predict_proba", "decision_function", "predict"})],
        "n_jobs": [None, Integral],
        "passthrough": ["boolean"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimators=None,
        final_estimator=None,
        *,
        cv=None,
        stack_method="auto",
        n_jobs=None,
        passthrough=False,
        verbose=0,
    ):
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.stack_method = stack_method
        self.n_jobs = n_jobs
        self.passthrough = passthrough
        self.verbose = verbose


class StackingRegressor(_ensemble.StackingRegressor):
    """Unlike learners, and a final one that learns from their cross-validated predictions.

    g(f_1(x), …, f_M(x)), g trained on predictions of each f_m for rows that it had not seen

    For good learners that err on different rows. Members are learners of the catalogue: --set
    estimators=tree,ridge --set tree.max_depth=4 --set final_estimator=ols. Costs cv + 1 fits of each member. It
    does not train in passes.

    The members are fitted by scikit-learn's own loop, each of ours in Rust; any estimator that follows its
    contract may be one.

    Parameters
    ----------
    estimators : list of (str, estimator) or None, default=None
        The members with their names; "drop" leaves one out. None for LogisticRegression, GaussianNB and
        DecisionTreeClassifier, or Ridge and DecisionTreeRegressor.

    final_estimator : object, default=None
        The estimator on top; None for LogisticRegression, or Ridge.

    cv : int, splitter or None, default=None
        Folds of the cross-validated predictions; None for 5.

    n_jobs : int or None, default=None
        Processes or threads in which members are fitted, as joblib counts them; None for one, in which ours use
        all cores.

    passthrough : bool, default=False
        Whether the final estimator sees the original columns too.

    verbose : int or bool, default=0
        Whether scikit-learn's loop tells of its progress.

    Attributes
    ----------
    estimators_ : list of estimators
        The members, in the order of their rounds.

    named_estimators_ : Bunch
        The members by their names.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Wolpert: Stacked generalization, Neural Networks 5, 1992
    """

    _learner = "stacking"
    _forwarded = {}
    _parameter_constraints: dict = {
        "estimators": [list, None],
        "final_estimator": [None, HasMethods(["fit", "predict"])],
        "cv": ["cv_object", StrOptions({"prefit"})],
        "n_jobs": [None, Integral],
        "passthrough": ["boolean"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimators=None,
        final_estimator=None,
        *,
        cv=None,
        n_jobs=None,
        passthrough=False,
        verbose=0,
    ):
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.cv = cv
        self.n_jobs = n_jobs
        self.passthrough = passthrough
        self.verbose = verbose


class HistGradientBoostingClassifier(_boosting.HistGradientBoostingClassifier):
    """Gradient boosting on histograms for classes.

    sum w_i loss(y_i, z_i) + sum over trees of min_split_gain * leaves + 1/2 l2_regularization |v|^2 +
    l1_regularization |v|_1, where z is the sum of the values v of the leaves of a row; each tree lowers the
    quadratic approximation, a leaf of sums G, H takes v = -learning_rate G / (H + l2_regularization), or with
    log loss -2 learning_rate asinh(G / (2 H + 2 l2_regularization))

    The most accurate learner for most tables of numbers and categories. It needs no scaling and takes missing
    values and categories as they are. A round costs one addition a cell for about half the levels of a tree;
    memory is two bytes a cell. Sums are sums of whole numbers, so order of rows, threads and streams do not
    change a bit. It does not extrapolate, and small data asks for a small learning_rate or early stopping.

    X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or categories,
    with missing values; in arrays NaN is a missing value. The parameters after `random_state` and
    `class_weight` are not in scikit-learn.

    Parameters
    ----------
    loss : {"log_loss"}, default="log_loss"
        What is lowered: log_loss for classes; squared_error, absolute_error, gamma, poisson or quantile for
        numbers. auto is log_loss or squared_error. With gamma and poisson the score is the logarithm of the
        mean.

    learning_rate : float, default=0.1
        Factor of every leaf value: smaller is slower and often better.

    max_iter : int, default=100
        Rounds at most, with a tree each, or a tree a class for more than two classes.

    max_leaf_nodes : int or None, default=31
        Leaves of a tree at most; null for no limit.

    max_depth : int or None, default=None
        Greatest number of tests on the way to a leaf; null for no limit.

    min_samples_leaf : int, default=20
        Rows that must be left on each side of a split; a row of whole weight counts so many times.

    l2_regularization : float, default=0.0
        Price of the square of a leaf value (lambda).

    max_features : float, default=1.0
        Share of the columns, drawn at random, that each node looks at.

    max_bins : int, default=255
        Bins of a column at most, besides that of missing values; up to 255 a cell takes a byte, above it two.

    categorical_features : array-like of {bool, int, str}, "from_dtype" or None, default="from_dtype"
        Which columns hold categories: a mask, numbers or names of columns; "from_dtype" takes the category
        columns of a DataFrame. None treats all columns as numbers.

    monotonic_cst : array-like of int of shape (n_features,), dict or None, default=None
        For each column 1 if the prediction must not fall as it grows, -1 if it must not rise, 0 for no
        constraint. For numbers, or two classes (the probability of the second).

    interaction_cst : {"pairwise", "no_interactions"}, sequence of lists or None, default=None
        Which columns may be tested on one way from root to leaf: lists of column numbers, pairwise or
        no_interactions; columns that are not listed form one more list.

    warm_start : bool, default=False
        Add rounds to the model that is there instead of beginning anew; the result is that of one long fit. A
        model that stopped early gets one more round at least.

    early_stopping : "auto" or bool, default="auto"
        Stop when rows that are held out get no better; "auto" does so for more than 10000 rows or when X_val is
        given.

    scoring : str, callable or None, default="loss"
        What early stopping looks at: "loss", or a scorer, which is then computed round by round; None is the
        score method.

    validation_fraction : int, float or None, default=0.1
        Share (or number) of rows held out for early stopping; None looks at the training rows.

    n_iter_no_change : int, default=10
        Rounds without progress after which early stopping stops.

    tol : float, default=1e-7
        By how much the loss must fall to count as progress.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    class_weight : dict, "balanced" or None, default=None
        Weights of the classes by label, 1 for labels not listed; "balanced" gives every class the same total
        weight.

    min_child_weight : float, default=0.001
        Sum of second derivatives that must be left on each side of a split.

    l1_regularization : float, default=0.0
        Price of the magnitude of a leaf value (alpha).

    min_split_gain : float, default=0.0
        Price of a leaf (gamma): what a split must gain.

    colsample_bytree : float, default=1.0
        Share of the columns, drawn at random, that each tree looks at.

    subsample : float, default=1.0
        Share of the rows, drawn at random for each round, that its trees are grown on.

    goss : bool, default=False
        Draw rows by their gradients: top_rate of them with the greatest ones, and other_rate from the others,
        whose weight makes up for those left out.

    top_rate : float, default=0.2
        Share of rows with the greatest gradients that goss keeps.

    other_rate : float, default=0.1
        Share of rows that goss draws from the others.

    cat_smooth : float, default=10.0
        Added to the second derivatives of a category where categories are ordered; categories with fewer rows
        in a node stay together.

    cat_l2 : float, default=10.0
        Added to l2_regularization where a set of categories is split off.

    max_cat_threshold : int, default=32
        Most categories that are split off at a time.

    max_cat_to_onehot : int, default=4
        Up to so many categories are split off one by one.

    min_data_per_group : int, default=100
        Rows that categories must have together before a split between them is tried.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    n_iter_ : int
        Number of rounds.

    n_trees_per_iteration_ : int
        Trees a round: one, or one a class for more than two classes.

    train_score_ : ndarray
        Scores of the training rows before the first round and after each, with early stopping; else empty.

    validation_score_ : ndarray
        Scores of the rows held out before the first round and after each; else empty.

    do_early_stopping_ : bool
        Whether early stopping was on.

    is_categorical_ : ndarray of bool or None
        Which columns hold categories.

    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in what all splits gained.

    expected_value_ : float or ndarray of shape (n_classes,)
        What the model says of a row of which nothing is known.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Chen, Guestrin: XGBoost, 2016; Ke et al.: LightGBM, 2017; Friedman: Greedy function approximation, 2001
    """

    _learner = "boosting"
    _forwarded = {"learning_rate": "learning_rate", "max_iter": "max_iter", "max_leaf_nodes": "max_leaf_nodes", "max_depth": "max_depth", "min_samples_leaf": "min_samples_leaf", "l2_regularization": "l2_regularization", "max_features": "max_features", "max_bins": "max_bins", "n_iter_no_change": "n_iter_no_change", "tol": "tol", "min_child_weight": "min_child_weight", "l1_regularization": "l1_regularization", "min_split_gain": "min_split_gain", "colsample_bytree": "colsample_bytree", "subsample": "subsample", "goss": "goss", "top_rate": "top_rate", "other_rate": "other_rate", "cat_smooth": "cat_smooth", "cat_l2": "cat_l2", "max_cat_threshold": "max_cat_threshold", "max_cat_to_onehot": "max_cat_to_onehot", "min_data_per_group": "min_data_per_group"}
    _parameter_constraints: dict = {
        "loss": [StrOptions({"log_loss"})],
        "learning_rate": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "l2_regularization": [Interval(Real, 0.0, None, closed="left")],
        "max_features": [Interval(Real, 0.0, 1.0, closed="right")],
        "max_bins": [Interval(Integral, 2, 65000, closed="both")],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "monotonic_cst": ["array-like", dict, None],
        "interaction_cst": [list, tuple, StrOptions({"pairwise", "no_interactions"}), None],
        "warm_start": ["boolean"],
        "early_stopping": [StrOptions({"auto"}), "boolean"],
        "scoring": [str, callable, None],
        "validation_fraction": [Interval(RealNotInt, 0.0, 1.0, closed="neither"), Interval(Integral, 1, None, closed="left"), None],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "min_child_weight": [Interval(Real, 0.0, None, closed="left")],
        "l1_regularization": [Interval(Real, 0.0, None, closed="left")],
        "min_split_gain": [Interval(Real, 0.0, None, closed="left")],
        "colsample_bytree": [Interval(Real, 0.0, 1.0, closed="right")],
        "subsample": [Interval(Real, 0.0, 1.0, closed="right")],
        "goss": ["boolean"],
        "top_rate": [Interval(Real, 0.0, 1.0, closed="right")],
        "other_rate": [Interval(Real, 0.0, 1.0, closed="right")],
        "cat_smooth": [Interval(Real, 0.0, None, closed="left")],
        "cat_l2": [Interval(Real, 0.0, None, closed="left")],
        "max_cat_threshold": [Interval(Integral, 1, None, closed="left")],
        "max_cat_to_onehot": [Interval(Integral, 0, None, closed="left")],
        "min_data_per_group": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        loss="log_loss",
        *,
        learning_rate=0.1,
        max_iter=100,
        max_leaf_nodes=31,
        max_depth=None,
        min_samples_leaf=20,
        l2_regularization=0.0,
        max_features=1.0,
        max_bins=255,
        categorical_features="from_dtype",
        monotonic_cst=None,
        interaction_cst=None,
        warm_start=False,
        early_stopping="auto",
        scoring="loss",
        validation_fraction=0.1,
        n_iter_no_change=10,
        tol=1e-7,
        verbose=0,
        random_state=None,
        class_weight=None,
        min_child_weight=0.001,
        l1_regularization=0.0,
        min_split_gain=0.0,
        colsample_bytree=1.0,
        subsample=1.0,
        goss=False,
        top_rate=0.2,
        other_rate=0.1,
        cat_smooth=10.0,
        cat_l2=10.0,
        max_cat_threshold=32,
        max_cat_to_onehot=4,
        min_data_per_group=100,
    ):
        self.loss = loss
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.class_weight = class_weight
        self.min_child_weight = min_child_weight
        self.l1_regularization = l1_regularization
        self.min_split_gain = min_split_gain
        self.colsample_bytree = colsample_bytree
        self.subsample = subsample
        self.goss = goss
        self.top_rate = top_rate
        self.other_rate = other_rate
        self.cat_smooth = cat_smooth
        self.cat_l2 = cat_l2
        self.max_cat_threshold = max_cat_threshold
        self.max_cat_to_onehot = max_cat_to_onehot
        self.min_data_per_group = min_data_per_group


class HistGradientBoostingRegressor(_boosting.HistGradientBoostingRegressor):
    """Gradient boosting on histograms for numbers.

    sum w_i loss(y_i, z_i) + sum over trees of min_split_gain * leaves + 1/2 l2_regularization |v|^2 +
    l1_regularization |v|_1, where z is the sum of the values v of the leaves of a row; each tree lowers the
    quadratic approximation, a leaf of sums G, H takes v = -learning_rate G / (H + l2_regularization), or with
    log loss -2 learning_rate asinh(G / (2 H + 2 l2_regularization))

    The most accurate learner for most tables of numbers and categories. It needs no scaling and takes missing
    values and categories as they are. A round costs one addition a cell for about half the levels of a tree;
    memory is two bytes a cell. Sums are sums of whole numbers, so order of rows, threads and streams do not
    change a bit. It does not extrapolate, and small data asks for a small learning_rate or early stopping.

    X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or categories,
    with missing values; in arrays NaN is a missing value. The parameters after `random_state` and
    `class_weight` are not in scikit-learn.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "gamma", "poisson", "quantile"}, default="squared_error"
        What is lowered: log_loss for classes; squared_error, absolute_error, gamma, poisson or quantile for
        numbers. auto is log_loss or squared_error. With gamma and poisson the score is the logarithm of the
        mean.

    quantile : float or None, default=None
        The quantile that loss quantile estimates.

    learning_rate : float, default=0.1
        Factor of every leaf value: smaller is slower and often better.

    max_iter : int, default=100
        Rounds at most, with a tree each, or a tree a class for more than two classes.

    max_leaf_nodes : int or None, default=31
        Leaves of a tree at most; null for no limit.

    max_depth : int or None, default=None
        Greatest number of tests on the way to a leaf; null for no limit.

    min_samples_leaf : int, default=20
        Rows that must be left on each side of a split; a row of whole weight counts so many times.

    l2_regularization : float, default=0.0
        Price of the square of a leaf value (lambda).

    max_features : float, default=1.0
        Share of the columns, drawn at random, that each node looks at.

    max_bins : int, default=255
        Bins of a column at most, besides that of missing values; up to 255 a cell takes a byte, above it two.

    categorical_features : array-like of {bool, int, str}, "from_dtype" or None, default="from_dtype"
        Which columns hold categories: a mask, numbers or names of columns; "from_dtype" takes the category
        columns of a DataFrame. None treats all columns as numbers.

    monotonic_cst : array-like of int of shape (n_features,), dict or None, default=None
        For each column 1 if the prediction must not fall as it grows, -1 if it must not rise, 0 for no
        constraint. For numbers, or two classes (the probability of the second).

    interaction_cst : {"pairwise", "no_interactions"}, sequence of lists or None, default=None
        Which columns may be tested on one way from root to leaf: lists of column numbers, pairwise or
        no_interactions; columns that are not listed form one more list.

    warm_start : bool, default=False
        Add rounds to the model that is there instead of beginning anew; the result is that of one long fit. A
        model that stopped early gets one more round at least.

    early_stopping : "auto" or bool, default="auto"
        Stop when rows that are held out get no better; "auto" does so for more than 10000 rows or when X_val is
        given.

    scoring : str, callable or None, default="loss"
        What early stopping looks at: "loss", or a scorer, which is then computed round by round; None is the
        score method.

    validation_fraction : int, float or None, default=0.1
        Share (or number) of rows held out for early stopping; None looks at the training rows.

    n_iter_no_change : int, default=10
        Rounds without progress after which early stopping stops.

    tol : float, default=1e-7
        By how much the loss must fall to count as progress.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    min_child_weight : float, default=0.001
        Sum of second derivatives that must be left on each side of a split.

    l1_regularization : float, default=0.0
        Price of the magnitude of a leaf value (alpha).

    min_split_gain : float, default=0.0
        Price of a leaf (gamma): what a split must gain.

    colsample_bytree : float, default=1.0
        Share of the columns, drawn at random, that each tree looks at.

    subsample : float, default=1.0
        Share of the rows, drawn at random for each round, that its trees are grown on.

    goss : bool, default=False
        Draw rows by their gradients: top_rate of them with the greatest ones, and other_rate from the others,
        whose weight makes up for those left out.

    top_rate : float, default=0.2
        Share of rows with the greatest gradients that goss keeps.

    other_rate : float, default=0.1
        Share of rows that goss draws from the others.

    cat_smooth : float, default=10.0
        Added to the second derivatives of a category where categories are ordered; categories with fewer rows
        in a node stay together.

    cat_l2 : float, default=10.0
        Added to l2_regularization where a set of categories is split off.

    max_cat_threshold : int, default=32
        Most categories that are split off at a time.

    max_cat_to_onehot : int, default=4
        Up to so many categories are split off one by one.

    min_data_per_group : int, default=100
        Rows that categories must have together before a split between them is tried.

    Attributes
    ----------
    n_iter_ : int
        Number of rounds.

    n_trees_per_iteration_ : int
        Trees a round: one, or one a class for more than two classes.

    train_score_ : ndarray
        Scores of the training rows before the first round and after each, with early stopping; else empty.

    validation_score_ : ndarray
        Scores of the rows held out before the first round and after each; else empty.

    do_early_stopping_ : bool
        Whether early stopping was on.

    is_categorical_ : ndarray of bool or None
        Which columns hold categories.

    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in what all splits gained.

    expected_value_ : float or ndarray of shape (n_classes,)
        What the model says of a row of which nothing is known.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Chen, Guestrin: XGBoost, 2016; Ke et al.: LightGBM, 2017; Friedman: Greedy function approximation, 2001
    """

    _learner = "boosting"
    _forwarded = {"quantile": "quantile", "learning_rate": "learning_rate", "max_iter": "max_iter", "max_leaf_nodes": "max_leaf_nodes", "max_depth": "max_depth", "min_samples_leaf": "min_samples_leaf", "l2_regularization": "l2_regularization", "max_features": "max_features", "max_bins": "max_bins", "n_iter_no_change": "n_iter_no_change", "tol": "tol", "min_child_weight": "min_child_weight", "l1_regularization": "l1_regularization", "min_split_gain": "min_split_gain", "colsample_bytree": "colsample_bytree", "subsample": "subsample", "goss": "goss", "top_rate": "top_rate", "other_rate": "other_rate", "cat_smooth": "cat_smooth", "cat_l2": "cat_l2", "max_cat_threshold": "max_cat_threshold", "max_cat_to_onehot": "max_cat_to_onehot", "min_data_per_group": "min_data_per_group"}
    _parameter_constraints: dict = {
        "loss": [StrOptions({"squared_error", "absolute_error", "gamma", "poisson", "quantile"})],
        "quantile": [Interval(Real, 0.0, 1.0, closed="both"), None],
        "learning_rate": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "l2_regularization": [Interval(Real, 0.0, None, closed="left")],
        "max_features": [Interval(Real, 0.0, 1.0, closed="right")],
        "max_bins": [Interval(Integral, 2, 65000, closed="both")],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "monotonic_cst": ["array-like", dict, None],
        "interaction_cst": [list, tuple, StrOptions({"pairwise", "no_interactions"}), None],
        "warm_start": ["boolean"],
        "early_stopping": [StrOptions({"auto"}), "boolean"],
        "scoring": [str, callable, None],
        "validation_fraction": [Interval(RealNotInt, 0.0, 1.0, closed="neither"), Interval(Integral, 1, None, closed="left"), None],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "min_child_weight": [Interval(Real, 0.0, None, closed="left")],
        "l1_regularization": [Interval(Real, 0.0, None, closed="left")],
        "min_split_gain": [Interval(Real, 0.0, None, closed="left")],
        "colsample_bytree": [Interval(Real, 0.0, 1.0, closed="right")],
        "subsample": [Interval(Real, 0.0, 1.0, closed="right")],
        "goss": ["boolean"],
        "top_rate": [Interval(Real, 0.0, 1.0, closed="right")],
        "other_rate": [Interval(Real, 0.0, 1.0, closed="right")],
        "cat_smooth": [Interval(Real, 0.0, None, closed="left")],
        "cat_l2": [Interval(Real, 0.0, None, closed="left")],
        "max_cat_threshold": [Interval(Integral, 1, None, closed="left")],
        "max_cat_to_onehot": [Interval(Integral, 0, None, closed="left")],
        "min_data_per_group": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        loss="squared_error",
        *,
        quantile=None,
        learning_rate=0.1,
        max_iter=100,
        max_leaf_nodes=31,
        max_depth=None,
        min_samples_leaf=20,
        l2_regularization=0.0,
        max_features=1.0,
        max_bins=255,
        categorical_features="from_dtype",
        monotonic_cst=None,
        interaction_cst=None,
        warm_start=False,
        early_stopping="auto",
        scoring="loss",
        validation_fraction=0.1,
        n_iter_no_change=10,
        tol=1e-7,
        verbose=0,
        random_state=None,
        min_child_weight=0.001,
        l1_regularization=0.0,
        min_split_gain=0.0,
        colsample_bytree=1.0,
        subsample=1.0,
        goss=False,
        top_rate=0.2,
        other_rate=0.1,
        cat_smooth=10.0,
        cat_l2=10.0,
        max_cat_threshold=32,
        max_cat_to_onehot=4,
        min_data_per_group=100,
    ):
        self.loss = loss
        self.quantile = quantile
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.min_child_weight = min_child_weight
        self.l1_regularization = l1_regularization
        self.min_split_gain = min_split_gain
        self.colsample_bytree = colsample_bytree
        self.subsample = subsample
        self.goss = goss
        self.top_rate = top_rate
        self.other_rate = other_rate
        self.cat_smooth = cat_smooth
        self.cat_l2 = cat_l2
        self.max_cat_threshold = max_cat_threshold
        self.max_cat_to_onehot = max_cat_to_onehot
        self.min_data_per_group = min_data_per_group


class GaussianMixture(_mixture.GaussianMixture):
    """Mixture of Gaussians: groups that may overlap, and the density they make.

    max over weights, means, covariances of sum_i w_i log sum_k weight_k N(x_i; mean_k, cov_k)

    For groups of different size, shape and direction that may overlap, for densities of several bumps, for
    outliers and for filling in missing cells: a row counts with the cells it has. One pass a step, about n k
    p^2 operations with full covariances. The log likelihood never falls; the end is a mixture that no step
    improves, not the best of all, so try several starts (n_init). A component that closes in on too few rows is
    tried again from another start, and said where it still happened.

    Where scikit-learn has the parameter, its name, meaning and default are the same; `reg_covar` is added to
    the variances unless `regularise="floor"`. A mean to start from that is given alone starts with equal
    weights and the covariance of all rows.

    Parameters
    ----------
    n_components : int, default=1
        How many components; with choose, the most that are tried.

    covariance_type : {"full", "tied", "diag", "spherical", "tied_spherical"}, default="full"
        What the covariances may be: "full" (any, one a component), "tied" (any, one for all), "diag" (diagonal,
        one a component), "spherical" (a variance a component), "tied_spherical" (one variance for all).

    tol : float, default=1e-3
        The end is reached when a step changes the mean log likelihood of a row by less than this.

    reg_covar : float, default=1e-6
        Keeps covariances from collapsing, see regularise; a variance, in squared units of the columns.

    max_iter : int, default=100
        At most that many steps.

    n_init : int, default=1
        How many starts are tried; the one with the greatest likelihood is kept, one with a collapsed component
        only where there is no other.

    init_params : {"kmeans", "k-means++", "random_from_data", "random"}, default="kmeans"
        Where to start: "kmeans" (the groups of k-means, in columns of equal spread unless covariances are
        spherical), "k-means++" (rows spread out as means, the covariance of all rows for all components, equal
        weights), "random_from_data" (the same with rows drawn at random), "random" (shares of components drawn
        at random for each row).

    weights_init : array-like of shape (n_components,) or None, default=None
        Weights to start from.

    means_init : array-like of shape (n_components, n_features) or None, default=None
        Means to start from, one list of numbers a component. Unless they are given too, weights are then equal
        and covariances that of all rows.

    precisions_init : array-like or None, default=None
        Inverses of the covariances to start from: a list of matrices for "full", a matrix for "tied", a list of
        numbers a component for "diag", a number a component for "spherical", a number for "tied_spherical".

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    warm_start : bool, default=False
        Whether a further fit starts from the parameters of the last one; n_init and choose are then left aside.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    verbose_interval : int, default=10
        Accepted so that programs written for scikit-learn run; it has no effect.

    regularise : {"add", "floor", "relative"}, default="add"
        What reg_covar does. "floor": no covariance is narrower than it in any direction, and one that is wide
        enough stays as it is. "add": it is added to all variances; what is maximised is then the expected log
        likelihood of the rows with noise of this variance on every cell. "relative": a floor in units of the
        columns, reg_covar times the variance of all rows.

    algorithm : {"soft", "hard"}, default="soft"
        "soft": a row belongs to all components by their probabilities. "hard": it belongs to the most probable
        one; with covariance_type tied_spherical and equal_weights these are the steps of k-means.

    equal_weights : bool, default=False
        Whether all components have the same weight.

    degrees_of_freedom_prior : float or None, default=None
        Degrees of freedom of a Wishart prior on the precisions, above the number of columns minus 1: rows that
        count as seen before. The most probable parameters are then found instead of the most likely ones. null
        is no prior.

    covariance_prior : float, array-like of shape (n_features, n_features) or None, default=None
        The scatter matrix of the prior: a matrix, or a number that multiplies the identity. By default the
        covariance of all rows over k^(2/p), for k components and p columns.

    choose : {"bic", "aic", "cv"} or None, default=None
        Tries every number of components from 1 to n_components and keeps the best: by "bic" or "aic" (least
        information criterion) or by "cv" (greatest likelihood of rows held out). null takes n_components as it
        is.

    folds : int, default=5
        Folds of choose="cv".

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Weights of the components.

    means_ : ndarray of shape (n_components, n_features)
        Means of the components.

    covariances_ : ndarray
        Covariances, in the shape that `covariance_type` asks for.

    precisions_ : ndarray
        Inverses of the covariances.

    precisions_cholesky_ : ndarray
        Cholesky factors of the inverses.

    converged_ : bool
        Whether the likelihood settled.

    n_iter_ : int
        Number of steps.

    lower_bound_ : float
        Mean log likelihood of a row, less penalties.

    lower_bounds_ : list of float
        The same after every step; it never falls.

    n_components_ : int
        Number of components, where it was chosen.

    choice_ : list of dict
        The numbers of components that were tried and what each is worth.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Dempster, Laird, Rubin: Maximum likelihood from incomplete data via the EM algorithm, JRSS B 39 (1977);
    Bishop: Pattern Recognition and Machine Learning (2006), section 9.2; Ghahramani, Jordan: Supervised
    learning from incomplete data via an EM approach, NIPS 6 (1993); Fraley, Raftery: Bayesian regularization
    for normal mixture estimation, J. Classification 24 (2007)
    """

    _learner = "gmm"
    _forwarded = {"n_components": "n_components", "covariance_type": "covariance_type", "tol": "tol", "reg_covar": "reg_covar", "max_iter": "max_iter", "n_init": "n_init", "init_params": "init_params", "regularise": "regularise", "algorithm": "algorithm", "equal_weights": "equal_weights", "degrees_of_freedom_prior": "degrees_of_freedom_prior", "covariance_prior": "covariance_prior", "choose": "choose", "folds": "folds"}
    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "covariance_type": [StrOptions({"full", "tied", "diag", "spherical", "tied_spherical"})],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "reg_covar": [Interval(Real, 0.0, None, closed="left")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "init_params": [StrOptions({"kmeans", "k-means++", "random_from_data", "random"})],
        "weights_init": ["array-like", None],
        "means_init": ["array-like", None],
        "precisions_init": ["array-like", Real, None],
        "random_state": ["random_state"],
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
        "verbose_interval": [Interval(Integral, 1, None, closed="left")],
        "regularise": [StrOptions({"add", "floor", "relative"})],
        "algorithm": [StrOptions({"soft", "hard"})],
        "equal_weights": ["boolean"],
        "degrees_of_freedom_prior": [Interval(Real, 0.0, None, closed="neither"), None],
        "covariance_prior": [Interval(Real, 0.0, None, closed="neither"), "array-like", None],
        "choose": [StrOptions({"bic", "aic", "cv"}), None],
        "folds": [Interval(Integral, 2, 1000, closed="both")],
    }

    def __init__(
        self,
        n_components=1,
        *,
        covariance_type="full",
        tol=1e-3,
        reg_covar=1e-6,
        max_iter=100,
        n_init=1,
        init_params="kmeans",
        weights_init=None,
        means_init=None,
        precisions_init=None,
        random_state=None,
        warm_start=False,
        verbose=0,
        verbose_interval=10,
        regularise="add",
        algorithm="soft",
        equal_weights=False,
        degrees_of_freedom_prior=None,
        covariance_prior=None,
        choose=None,
        folds=5,
    ):
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval
        self.regularise = regularise
        self.algorithm = algorithm
        self.equal_weights = equal_weights
        self.degrees_of_freedom_prior = degrees_of_freedom_prior
        self.covariance_prior = covariance_prior
        self.choose = choose
        self.folds = folds


class GaussianMixtureClassifier(_mixture.GaussianMixtureClassifier):
    """Bayes classifier with a mixture of Gaussians for each class.

    max sum_i w_i log p(x_i | y_i), p(x | y) a mixture of Gaussians; p(y | x) ~ p(y) p(x | y)

    For classes with several bumps or curved borders, and where rows like no other should be noticed; missing
    cells are integrated over. Each class has as many components as its BIC asks for, at most n_components. With
    one component a class it is quadratic discriminant analysis (with divisor n). Classes share nothing: one of
    few rows has a covariance of few rows. A class without rows has probability 0.

    Parameters
    ----------
    n_components : int, default=5
        The most components of a class; without choose, their number.

    choose : {"bic", "aic", "cv"} or None, default="bic"
        How the number of components of each class is chosen from 1 to n_components: by "bic" or "aic" (least
        information criterion) or by "cv" (greatest likelihood of rows held out). null takes n_components for
        all.

    covariance_type : {"full", "tied", "diag", "spherical", "tied_spherical"}, default="full"
        What the covariances may be: "full" (any, one a component), "tied" (any, one for all), "diag" (diagonal,
        one a component), "spherical" (a variance a component), "tied_spherical" (one variance for all).

    priors : array-like of shape (n_classes,) or None, default=None
        Probabilities of the classes, in the order of the sorted class names; they sum to 1. By default the
        shares of the classes in the training rows.

    tol : float, default=1e-3
        The end is reached when a step changes the mean log likelihood of a row by less than this.

    reg_covar : float, default=1e-6
        Keeps covariances from collapsing, see regularise; a variance, in squared units of the columns.

    regularise : {"add", "floor", "relative"}, default="relative"
        What reg_covar does. "floor": no covariance is narrower than it in any direction, and one that is wide
        enough stays as it is. "add": it is added to all variances; what is maximised is then the expected log
        likelihood of the rows with noise of this variance on every cell. "relative": a floor in units of the
        columns, reg_covar times the variance of all rows.

    max_iter : int, default=100
        At most that many steps.

    n_init : int, default=1
        How many starts are tried; the one with the greatest likelihood is kept, one with a collapsed component
        only where there is no other.

    init_params : {"kmeans", "k-means++", "random_from_data", "random"}, default="kmeans"
        Where to start: "kmeans" (the groups of k-means, in columns of equal spread unless covariances are
        spherical), "k-means++" (rows spread out as means, the covariance of all rows for all components, equal
        weights), "random_from_data" (the same with rows drawn at random), "random" (shares of components drawn
        at random for each row).

    algorithm : {"soft", "hard"}, default="soft"
        "soft": a row belongs to all components by their probabilities. "hard": it belongs to the most probable
        one; with covariance_type tied_spherical and equal_weights these are the steps of k-means.

    degrees_of_freedom_prior : float or None, default=None
        Degrees of freedom of a Wishart prior on the precisions, above the number of columns minus 1: rows that
        count as seen before. The most probable parameters are then found instead of the most likely ones. null
        is no prior.

    covariance_prior : float, array-like of shape (n_features, n_features) or None, default=None
        The scatter matrix of the prior: a matrix, or a number that multiplies the identity. By default the
        covariance of all rows over k^(2/p), for k components and p columns.

    folds : int, default=5
        Folds of choose="cv".

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    class_prior_ : ndarray of shape (n_classes,)
        Probability of each class.

    class_count_ : ndarray of shape (n_classes,)
        Weight of each class.

    n_components_ : ndarray of shape (n_classes,)
        Number of components of each class.

    n_iter_ : int
        Number of steps.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hastie, Tibshirani: Discriminant analysis by Gaussian mixtures, JRSS B 58 (1996)
    """

    _learner = "gmm-classifier"
    _forwarded = {"n_components": "n_components", "choose": "choose", "covariance_type": "covariance_type", "priors": "priors", "tol": "tol", "reg_covar": "reg_covar", "regularise": "regularise", "max_iter": "max_iter", "n_init": "n_init", "init_params": "init_params", "algorithm": "algorithm", "degrees_of_freedom_prior": "degrees_of_freedom_prior", "covariance_prior": "covariance_prior", "folds": "folds"}
    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "choose": [StrOptions({"bic", "aic", "cv"}), None],
        "covariance_type": [StrOptions({"full", "tied", "diag", "spherical", "tied_spherical"})],
        "priors": ["array-like", None],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "reg_covar": [Interval(Real, 0.0, None, closed="left")],
        "regularise": [StrOptions({"add", "floor", "relative"})],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "init_params": [StrOptions({"kmeans", "k-means++", "random_from_data", "random"})],
        "algorithm": [StrOptions({"soft", "hard"})],
        "degrees_of_freedom_prior": [Interval(Real, 0.0, None, closed="neither"), None],
        "covariance_prior": [Interval(Real, 0.0, None, closed="neither"), "array-like", None],
        "folds": [Interval(Integral, 2, 1000, closed="both")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components=5,
        *,
        choose="bic",
        covariance_type="full",
        priors=None,
        tol=1e-3,
        reg_covar=1e-6,
        regularise="relative",
        max_iter=100,
        n_init=1,
        init_params="kmeans",
        algorithm="soft",
        degrees_of_freedom_prior=None,
        covariance_prior=None,
        folds=5,
        random_state=None,
    ):
        self.n_components = n_components
        self.choose = choose
        self.covariance_type = covariance_type
        self.priors = priors
        self.tol = tol
        self.reg_covar = reg_covar
        self.regularise = regularise
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.algorithm = algorithm
        self.degrees_of_freedom_prior = degrees_of_freedom_prior
        self.covariance_prior = covariance_prior
        self.folds = folds
        self.random_state = random_state


class MixtureOfExpertsRegressor(_mixture.MixtureOfExpertsRegressor):
    """Several linear models with Gaussian noise and a softmax gate that says which of them a row should listen to.

    max sum_i w_i log sum_k g_k(x_i) p_k(y_i | x_i) - alpha/2 (|gate slopes|^2 + |expert slopes|^2 [/ var_k])

    For regimes: where one straight line is not enough but a few are, each in its own region, perhaps with its
    own noise. Experts are linear with Gaussian noise for numbers and softmax regressions for classes; each can
    be read like a linear model. The penalised log likelihood never falls; the end is a mixture that no step
    improves, so try several starts (n_init). One pass a step, about n k^2 p^2 / 4 operations for the gate. The
    prediction is the mean over experts, the variance adds the spread between them.

    Parameters
    ----------
    n_experts : int, default=2
        How many experts.

    alpha : float, default=0.01
        Strength of the penalty on the slopes of gate and experts; without it, the gate of regimes that do not
        overlap grows without end.

    reg_variance : float, default=1e-6
        The least variance of the noise of an expert, as a part of the variance of the target: keeps an expert
        from closing in on rows that lie on a line by chance.

    tol : float, default=0.00001
        The end is reached when a step changes the mean log likelihood of a row by less than this.

    max_iter : int, default=300
        At most that many steps.

    n_init : int, default=3
        How many starts are tried; the likeliest end is kept. The first ones cut the rows into slabs: along the
        direction in which the columns vary most, by what one linear model leaves, by what it says. Further ones
        group rows around some that are spread out.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    Attributes
    ----------
    coef_ : ndarray of shape (n_experts, n_features)
        Slopes of the experts.

    intercept_ : ndarray of shape (n_experts,)
        Intercepts of the experts.

    variance_ : ndarray of shape (n_experts,)
        Variance of the noise of the experts.

    gate_coef_ : ndarray of shape (n_experts, n_features)
        Slopes of the gate: log odds.

    gate_intercept_ : ndarray of shape (n_experts,)
        Intercepts of the gate.

    n_iter_ : int
        Number of steps.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Jacobs, Jordan, Nowlan, Hinton: Adaptive mixtures of local experts, Neural Computation 3 (1991); Jordan,
    Jacobs: Hierarchical mixtures of experts and the EM algorithm, Neural Computation 6 (1994); Lange: A
    gradient algorithm locally equivalent to the EM algorithm, JRSS B 57 (1995); Boehning: Multinomial logistic
    regression algorithm, Ann. Inst. Statist. Math. 44 (1992)
    """

    _learner = "mixture-of-experts"
    _forwarded = {"n_experts": "n_experts", "alpha": "alpha", "reg_variance": "reg_variance", "tol": "tol", "max_iter": "max_iter", "n_init": "n_init"}
    _parameter_constraints: dict = {
        "n_experts": [Interval(Integral, 1, 4096, closed="both")],
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "reg_variance": [Interval(Real, 0.0, 1.0, closed="both")],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_experts=2,
        *,
        alpha=0.01,
        reg_variance=1e-6,
        tol=0.00001,
        max_iter=300,
        n_init=3,
        random_state=None,
    ):
        self.n_experts = n_experts
        self.alpha = alpha
        self.reg_variance = reg_variance
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.random_state = random_state


class MixtureOfExpertsClassifier(_mixture.MixtureOfExpertsClassifier):
    """Several softmax regressions and a softmax gate that says which of them a row should listen to.

    max sum_i w_i log sum_k g_k(x_i) p_k(y_i | x_i) - alpha/2 (|gate slopes|^2 + |expert slopes|^2 [/ var_k])

    For regimes: where one straight line is not enough but a few are, each in its own region, perhaps with its
    own noise. Experts are linear with Gaussian noise for numbers and softmax regressions for classes; each can
    be read like a linear model. The penalised log likelihood never falls; the end is a mixture that no step
    improves, so try several starts (n_init). One pass a step, about n k^2 p^2 / 4 operations for the gate. The
    prediction is the mean over experts, the variance adds the spread between them.

    Parameters
    ----------
    n_experts : int, default=2
        How many experts.

    alpha : float, default=0.01
        Strength of the penalty on the slopes of gate and experts; without it, the gate of regimes that do not
        overlap grows without end.

    tol : float, default=0.00001
        The end is reached when a step changes the mean log likelihood of a row by less than this.

    max_iter : int, default=300
        At most that many steps.

    n_init : int, default=3
        How many starts are tried; the likeliest end is kept. The first ones cut the rows into slabs: along the
        direction in which the columns vary most, by what one linear model leaves, by what it says. Further ones
        group rows around some that are spread out.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    coef_ : ndarray of shape (n_experts, n_classes, n_features)
        Slopes of the experts.

    intercept_ : ndarray of shape (n_experts, n_classes)
        Intercepts of the experts.

    gate_coef_ : ndarray of shape (n_experts, n_features)
        Slopes of the gate: log odds.

    gate_intercept_ : ndarray of shape (n_experts,)
        Intercepts of the gate.

    n_iter_ : int
        Number of steps.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Jacobs, Jordan, Nowlan, Hinton: Adaptive mixtures of local experts, Neural Computation 3 (1991); Jordan,
    Jacobs: Hierarchical mixtures of experts and the EM algorithm, Neural Computation 6 (1994); Lange: A
    gradient algorithm locally equivalent to the EM algorithm, JRSS B 57 (1995); Boehning: Multinomial logistic
    regression algorithm, Ann. Inst. Statist. Math. 44 (1992)
    """

    _learner = "mixture-of-experts"
    _forwarded = {"n_experts": "n_experts", "alpha": "alpha", "tol": "tol", "max_iter": "max_iter", "n_init": "n_init"}
    _parameter_constraints: dict = {
        "n_experts": [Interval(Integral, 1, 4096, closed="both")],
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(self, n_experts=2, *, alpha=0.01, tol=0.00001, max_iter=300, n_init=3, random_state=None):
        self.n_experts = n_experts
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.random_state = random_state


class KMeans(_kmeans.KMeans):
    """Groups around centres: every row belongs to the nearest of k means.

    min over centres c_1..c_k of sum_i w_i min_j |x_i - c_j|^2

    For compact groups of similar size in columns that can be compared; standardise first. n k p operations a
    step, rows read where they lie. The inertia falls in every step; the end is a grouping that no step
    improves, not the best of all. Not for long or nested groups. Ties go to the first centre; a centre without
    rows moves to the row farthest from its own centre.

    Parameters
    ----------
    n_clusters : int, "elbow", "penalty" or "silhouette", default=8
        How many groups, or a rule that tries up to max_clusters: "elbow" takes the number at which the inertia
        bends most (farthest below the line from the first to the last), "penalty" the one of least inertia +
        penalty * k or of least BIC, "silhouette" the one at which rows are nearest to their own group next to
        the others.

    init : {"k-means++", "random"}, callable or array-like of shape (n_clusters, n_features), default="k-means++"
        Where to start: "k-means++" (spread out, each further centre the best of a few draws), "random" (rows
        drawn at random), or a list of centres, one list of numbers each.

    n_init : "auto" or int, default="auto"
        How many starts are tried; the one with the least inertia is kept. "auto" is 1 for k-means++ and 10 for
        random.

    max_iter : int, default=300
        At most that many steps.

    tol : float, default=1e-4
        The end is reached when the squared moves of the centres add up to at most tol times the mean variance
        of the columns. With 0 only when no row changes its group.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    copy_x : bool, default=True
        Accepted so that programs written for scikit-learn run; it has no effect. X is never changed and never
        copied as a whole.

    algorithm : {"lloyd", "elkan"}, default="lloyd"
        "lloyd" or "elkan": two names for the same steps and the same answer. Distances that bounds rule out are
        not computed, in memory and with many clusters, as long as that leaves few.

    max_clusters : int, default=10
        The most groups that a rule tries.

    penalty : float or None, default=None
        What a group costs by the rule "penalty", in inertia; null for the Bayesian information criterion of
        spherical normal groups.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres.

    labels_ : ndarray of shape (n_samples,)
        The cluster of each row of the training data.

    inertia_ : float
        Sum of the squared distances of the rows to their centres, with weights.

    n_iter_ : int
        Number of steps.

    tried_ : dict of ndarrays
        With a rule for n_clusters: the numbers that were tried ("clusters"), and their "inertia", "penalised"
        inertia and "silhouette".

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Lloyd: Least squares quantization in PCM, IEEE Trans. Inf. Theory 28 (1982); Arthur, Vassilvitskii:
    k-means++, SODA 2007
    """

    _learner = "kmeans"
    _forwarded = {"n_clusters": "n_clusters", "n_init": "n_init", "max_iter": "max_iter", "tol": "tol", "algorithm": "algorithm", "max_clusters": "max_clusters", "penalty": "penalty"}
    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), StrOptions({"elbow", "penalty", "silhouette"})],
        "init": [StrOptions({"k-means++", "random"}), callable, "array-like"],
        "n_init": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "copy_x": ["boolean"],
        "algorithm": [StrOptions({"lloyd", "elkan"})],
        "max_clusters": [Interval(Integral, 2, 65536, closed="both")],
        "penalty": [Interval(Real, 0.0, None, closed="left"), None],
    }

    def __init__(
        self,
        n_clusters=8,
        *,
        init="k-means++",
        n_init="auto",
        max_iter=300,
        tol=1e-4,
        verbose=0,
        random_state=None,
        copy_x=True,
        algorithm="lloyd",
        max_clusters=10,
        penalty=None,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.copy_x = copy_x
        self.algorithm = algorithm
        self.max_clusters = max_clusters
        self.penalty = penalty


class MiniBatchKMeans(_kmeans.MiniBatchKMeans):
    """k-means by steps on small batches of rows.

    min over centres c_1..c_k of sum_i w_i min_j |x_i - c_j|^2, approximately: c <- c + sum (x - c) / (rows so
    far)

    Where rows are many and a pass is dear, or arrive over time (partial_fit); kmeans reaches a lower inertia.
    Ends when the smoothed inertia of the batches no longer falls. Centres with few rows are moved to rows of
    the batch. The answer depends on the order of the rows, since batches are drawn by their numbers.

    Parameters
    ----------
    n_clusters : int, default=8
        How many groups.

    init : {"k-means++", "random"}, callable or array-like of shape (n_clusters, n_features), default="k-means++"
        Where to start: "k-means++" (spread out, each further centre the best of a few draws), "random" (rows
        drawn at random), or a list of centres, one list of numbers each.

    max_iter : int, default=100
        Steps go on until so many times as many rows were drawn as there are.

    batch_size : int, default=1024
        Rows that are drawn for a step.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    compute_labels : bool, default=True
        Whether a last pass says where all rows belong and what the inertia is.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    tol : float, default=0.0
        The end is reached when the squared moves of the centres in a step add up to at most tol times the mean
        variance of the columns; 0 for no such end.

    max_no_improvement : int or None, default=10
        The end is reached after so many steps without a better smoothed inertia; null for no such end.

    init_size : int or None, default=None
        Rows that the start is drawn from; null for three batches, and at least three a cluster.

    n_init : "auto" or int, default="auto"
        How many starts are tried, on the rows of init_size; the best is kept. "auto" is 1 for k-means++ and 3
        for random.

    reassignment_ratio : float, default=0.01
        A centre with fewer rows than this share of those of the largest is moved to a row of the batch, now and
        then.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres.

    labels_ : ndarray of shape (n_samples,)
        The cluster of each row of the training data.

    inertia_ : float
        Sum of the squared distances of the rows to their centres, with weights.

    n_iter_ : int
        How many times as many rows were drawn as there are, rounded up.

    n_steps_ : int
        Number of steps.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Sculley: Web-scale k-means clustering, WWW 2010
    """

    _learner = "mini-batch-kmeans"
    _forwarded = {"n_clusters": "n_clusters", "max_iter": "max_iter", "batch_size": "batch_size", "compute_labels": "compute_labels", "tol": "tol", "max_no_improvement": "max_no_improvement", "init_size": "init_size", "n_init": "n_init", "reassignment_ratio": "reassignment_ratio"}
    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"k-means++", "random"}), callable, "array-like"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "verbose": ["verbose"],
        "compute_labels": ["boolean"],
        "random_state": ["random_state"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_no_improvement": [Interval(Integral, 0, None, closed="left"), None],
        "init_size": [Interval(Integral, 1, None, closed="left"), None],
        "n_init": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "reassignment_ratio": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters=8,
        *,
        init="k-means++",
        max_iter=100,
        batch_size=1024,
        verbose=0,
        compute_labels=True,
        random_state=None,
        tol=0.0,
        max_no_improvement=10,
        init_size=None,
        n_init="auto",
        reassignment_ratio=0.01,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.verbose = verbose
        self.compute_labels = compute_labels
        self.random_state = random_state
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.init_size = init_size
        self.n_init = n_init
        self.reassignment_ratio = reassignment_ratio


class DBSCAN(_density.DBSCAN):
    """Groups of any shape where rows lie densely; rows between them are noise.

    core rows: weight of the rows within eps at least min_samples; groups: core rows connected by steps of at
    most eps, and the rows within eps of them

    For groups of any shape and number in columns that can be compared; standardise first. One eps serves all
    groups, so they should be about equally dense. Every row's neighbours are searched once, in memory that
    grows with the rows only. A row between two groups joins the one whose first core row comes first; new rows
    go where a training row in their place would be.

    With a metric that is not searched here (a callable, a matrix of distances, a metric of SciPy), or with
    weights of 0 or below, the groups are found here among the neighbours that scikit-learn finds; there is then
    no model file and no `predict`.

    Parameters
    ----------
    eps : float, default=0.5
        How far apart neighbours are at most. Not the size of a group: the most important parameter, in the
        units of the columns.

    min_samples : int, default=5
        The weight of the rows within eps of a row, itself included, that makes it a core row. More asks for
        denser groups.

    metric : str or callable, default="euclidean"
        What near means.

    metric_params : dict or None, default=None
        Further parameters of the metric.

    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How neighbours are searched for, with the same result: "brute", "kd_tree" ("ball_tree" is another name
        for it), or "auto".

    leaf_size : int, default=30
        Accepted so that programs written for scikit-learn run; it has no effect. Leaves of our tree have 48
        rows; it is passed on where scikit-learn searches.

    p : float or None, default=None
        The order of Minkowski's metric; None is 2.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each training row; -1 is noise.

    core_sample_indices_ : ndarray of shape (n_core_samples,)
        The training rows that are core rows.

    components_ : ndarray of shape (n_core_samples, n_features)
        A copy of the core rows.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Ester, Kriegel, Sander, Xu: A density-based algorithm for discovering clusters in large spatial databases
    with noise, KDD 1996
    """

    _learner = "dbscan"
    _forwarded = {"eps": "eps"}
    _parameter_constraints: dict = {
        "eps": [Interval(Real, 0.0, None, closed="neither")],
        "min_samples": [Interval(Integral, 1, None, closed="left")],
        "metric": [str, callable],
        "metric_params": [dict, None],
        "algorithm": [StrOptions({"auto", "ball_tree", "kd_tree", "brute"})],
        "leaf_size": [Interval(Integral, 1, None, closed="left")],
        "p": [Interval(Real, 0.0, None, closed="left"), None],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        eps=0.5,
        *,
        min_samples=5,
        metric="euclidean",
        metric_params=None,
        algorithm="auto",
        leaf_size=30,
        p=None,
        n_jobs=None,
    ):
        self.eps = eps
        self.min_samples = min_samples
        self.metric = metric
        self.metric_params = metric_params
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.n_jobs = n_jobs


class AgglomerativeClustering(_agglomerative.AgglomerativeClustering):
    """Groups that are joined one by one, the nearest first: a tree, cut into clusters.

    join the two groups least apart: ward sqrt(2 * increase of the sum of squares within), complete max, average
    mean, single min of the distances of their rows

    For few rows, since time and memory grow with their square (single and ward need no table of distances),
    where the tree is of interest or groups need not be round; standardise first. ward and complete find compact
    groups, single follows chains. A new row goes to the group of the nearest training row.

    Metrics that are not computed here are computed by scikit-learn, as a matrix of distances. A connectivity in
    several parts is completed, with a warning, by the shortest connections of the parts.

    Parameters
    ----------
    n_clusters : int or None, default=2
        How many groups the tree is cut into. null where distance_threshold is given.

    metric : str or callable, default="euclidean"
        How far rows are apart.

    memory : str, object with `cache` or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. Nothing is cached.

    connectivity : array-like, sparse matrix, callable or None, default=None
        A matrix of rows by rows whose entries that are not 0 say which rows are connected, or a function that
        makes it of X: only groups with connected rows are joined.

    compute_full_tree : "auto" or bool, default="auto"
        Build the tree to the end even where connectivity and n_clusters need fewer joins.

    linkage : {"ward", "complete", "average", "single"}, default="ward"
        How far groups are apart: "ward" (what the sum of squares within groups grows by), "complete" (the
        greatest distance of their rows), "average" (the mean), "single" (the least).

    distance_threshold : float or None, default=None
        Groups that are this far apart or farther are not joined; n_clusters must then be null.

    compute_distances : bool, default=False
        Set `distances_` even without distance_threshold.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each training row.

    n_clusters_ : int
        Number of clusters.

    n_leaves_ : int
        Number of leaves of the tree: the rows.

    n_connected_components_ : int
        Parts of the connectivity that were not connected.

    children_ : ndarray of shape (n_samples - 1, 2)
        The two nodes that each join made one of.

    distances_ : ndarray of shape (n_samples - 1,)
        The height of each join, where it is wanted.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Ward: Hierarchical grouping to optimize an objective function, JASA 58 (1963); Lance, Williams, Computer
    Journal 9 (1967); Murtagh, Computer Journal 26 (1983)
    """

    _learner = "agglomerative"
    _forwarded = {"n_clusters": "n_clusters", "linkage": "linkage", "distance_threshold": "distance_threshold"}
    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "metric": [str, callable],
        "memory": [str, HasMethods("cache"), None],
        "connectivity": ["array-like", "sparse matrix", callable, None],
        "compute_full_tree": [StrOptions({"auto"}), "boolean"],
        "linkage": [StrOptions({"ward", "complete", "average", "single"})],
        "distance_threshold": [Interval(Real, 0, None, closed="left"), None],
        "compute_distances": ["boolean"],
    }

    def __init__(
        self,
        n_clusters=2,
        *,
        metric="euclidean",
        memory=None,
        connectivity=None,
        compute_full_tree="auto",
        linkage="ward",
        distance_threshold=None,
        compute_distances=False,
    ):
        self.n_clusters = n_clusters
        self.metric = metric
        self.memory = memory
        self.connectivity = connectivity
        self.compute_full_tree = compute_full_tree
        self.linkage = linkage
        self.distance_threshold = distance_threshold
        self.compute_distances = compute_distances


class PCA(_pca.PCA):
    """Principal components: the directions in which rows differ most.

    min over orthonormal V of sum_i w_i ||x_i - mean - V' V (x_i - mean)||^2

    To look at data in two dimensions, to compress correlated columns, to rid a linear model of collinear ones.
    Standardise columns on different scales first. One pass gathers the covariance and rows are not copied; a
    few components of many columns are found by passes that multiply rows with a few vectors; with fewer rows
    than columns the rows are decomposed in memory. Each component is signed so that its largest element is
    positive. Also a density: normal, with the kept variances along the components and the mean of the others
    across. It does not see curved structure and does not use a target.

    Parameters
    ----------
    n_components : int, float, "mle", "cv" or None, default=None
        How many components to keep: null for all, a whole number, a share of the variance between 0 and 1 that
        the kept components must exceed, "mle" for the most probable number by Minka's rule, or "cv" for the
        number under which rows left out are most probable.

    copy : bool, default=True
        Accepted so that programs written for scikit-learn run; it has no effect. X is never changed and never
        copied as a whole.

    whiten : bool, default=False
        Whether transformed columns are divided by their standard deviation, so that each has variance 1.

    svd_solver : {"auto", "full", "covariance_eigh", "arpack", "randomized"}, default="auto"
        full decomposes the rows in memory, exact for the smallest variances too; covariance_eigh decomposes the
        covariance, in one pass; randomized multiplies the rows with a few vectors, pass after pass, until the
        variances are known to about six digits (the certificate says how well); auto and arpack take whatever
        is fastest to the exact answer.

    tol : float, default=0.0
        Products with vectors end when |C v - lambda v| is below this share of the largest variance, for all
        components; 0 asks for what rounding allows, and for 0.001 of randomized.

    iterated_power : "auto" or int, default="auto"
        At most that many further products of randomized after the first; auto goes on until tol is met.

    n_oversamples : int, default=10
        Vectors besides those that are wanted, where rows are multiplied with vectors.

    power_iteration_normalizer : str, default="auto"
        Accepted so that programs written for scikit-learn run; it has no effect.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    folds : int, default=5
        Parts of the rows that are left out in turn, for "cv".

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The axes, by falling variance.

    explained_variance_ : ndarray of shape (n_components,)
        Variance along each axis.

    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of the variance along each axis.

    singular_values_ : ndarray of shape (n_components,)
        Singular values of the centred X.

    mean_ : ndarray of shape (n_features,)
        Mean of each column.

    n_components_ : int
        Number of axes.

    n_samples_ : int
        Number of rows.

    noise_variance_ : float
        Mean variance along the axes left out.

    held_out_ : ndarray of shape (n_features - 1,)
        With n_components="cv", the mean log-likelihood of rows left out under 1, 2, … axes.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 14.5.1; Minka:
    Automatic choice of dimensionality for PCA, NIPS 2000; Tipping, Bishop: Probabilistic principal component
    analysis, JRSS B 61 (1999)
    """

    _learner = "pca"
    _forwarded = {"n_components": "n_components", "whiten": "whiten", "svd_solver": "svd_solver", "tol": "tol", "iterated_power": "iterated_power", "n_oversamples": "n_oversamples", "folds": "folds"}
    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 0, None, closed="left"), Interval(RealNotInt, 0, 1, closed="neither"), StrOptions({"mle", "cv"}), None],
        "copy": ["boolean"],
        "whiten": ["boolean"],
        "svd_solver": [StrOptions({"auto", "full", "covariance_eigh", "arpack", "randomized"})],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "iterated_power": [StrOptions({"auto"}), Interval(Integral, 0, None, closed="left")],
        "n_oversamples": [Interval(Integral, 1, None, closed="left")],
        "power_iteration_normalizer": [StrOptions({"auto", "QR", "LU", "none"})],
        "random_state": ["random_state"],
        "folds": [Interval(Integral, 2, 100, closed="both")],
    }

    def __init__(
        self,
        n_components=None,
        *,
        copy=True,
        whiten=False,
        svd_solver="auto",
        tol=0.0,
        iterated_power="auto",
        n_oversamples=10,
        power_iteration_normalizer="auto",
        random_state=None,
        folds=5,
    ):
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.folds = folds


class IncrementalPCA(_pca.IncrementalPCA):
    """Principal components of rows that come bit by bit.

    min over orthonormal V of sum_i ||x_i - mean - V' V (x_i - mean)||^2, as far as the components kept of
    earlier batches tell

    Where rows arrive over time (partial_fit), or columns are too many for their covariance; otherwise pca takes
    streams as well and is exact. Holds the components and one batch. The answer depends on the order of the
    rows unless all components are kept.

    Parameters
    ----------
    n_components : int or None, default=None
        How many components to keep; null for as many as the first batch has rows or columns.

    whiten : bool, default=False
        Whether transformed columns are divided by their standard deviation, so that each has variance 1.

    copy : bool, default=True
        Accepted so that programs written for scikit-learn run; it has no effect. X is never changed.

    batch_size : int or None, default=None
        Rows that are taken in together; null for five times the columns.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The axes, by falling variance.

    explained_variance_ : ndarray of shape (n_components,)
        Variance along each axis.

    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of the variance along each axis.

    singular_values_ : ndarray of shape (n_components,)
        Singular values of the centred X.

    mean_ : ndarray of shape (n_features,)
        Mean of each column.

    var_ : ndarray of shape (n_features,)
        Variance of each column, with divisor n.

    noise_variance_ : float
        Mean variance along the axes left out of the last batch.

    n_components_ : int
        Number of axes.

    n_samples_seen_ : int
        Number of rows so far.

    batch_size_ : int
        Rows that `fit` takes in together.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Ross, Lim, Lin, Yang: Incremental learning for robust visual tracking, IJCV 77 (2008)
    """

    _learner = "incremental-pca"
    _forwarded = {"n_components": "n_components", "whiten": "whiten", "batch_size": "batch_size"}
    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "whiten": ["boolean"],
        "copy": ["boolean"],
        "batch_size": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(self, n_components=None, *, whiten=False, copy=True, batch_size=None):
        self.n_components = n_components
        self.whiten = whiten
        self.copy = copy
        self.batch_size = batch_size


class KernelPCA(_kernel_pca.KernelPCA):
    """Principal components behind a kernel: curved structure made straight.

    max over orthonormal v of the variance of phi(x).v, phi(x).phi(z) = k(x, z): eigenvectors of the centred
    kernel matrix H K H

    For groups inside one another or along curves, to draw them or in front of a linear model; with the linear
    kernel it is pca. Standardise columns on different scales first. Holds the n x n kernel matrix while it
    trains, and all rows afterwards; for many rows put nystroem in front of pca. Each component is signed so
    that its largest score is positive.

    Parameters
    ----------
    n_components : int or None, default=None
        How many components to keep; null for all that have variance.

    kernel : str or callable, default="linear"
        "linear", "poly", "rbf", "sigmoid", "cosine", "precomputed", or a callable on two rows.

    gamma : float or None, default=None
        Width of the kernels rbf, poly and sigmoid; None is 1 / n_features.

    degree : float, default=3
        Degree of the kernel "poly".

    coef0 : float, default=1
        Constant of the kernels poly and sigmoid.

    kernel_params : dict, default=None
        Further arguments of a kernel that is a callable.

    alpha : float, default=1.0
        Penalty of the kernel ridge regression that learns the way back.

    fit_inverse_transform : bool, default=False
        Whether to learn an approximate way back from components to columns (pre-images), by kernel ridge
        regression.

    eigen_solver : {"auto", "dense", "arpack", "randomized"}, default="auto"
        dense computes all eigenvalues; arpack multiplies the kernel matrix with a few vectors until the answer
        is exact; randomized stops when eigenvalues are known to about six digits; auto takes dense for few rows
        or many components and arpack otherwise.

    tol : float, default=0
        Products end when |K v - lambda v| is below this share of the largest eigenvalue, for all components; 0
        asks for what rounding allows, and for 0.001 of randomized.

    max_iter : int or None, default=None
        Most products of arpack; null for as many as it takes.

    iterated_power : "auto" or int, default="auto"
        At most that many further products of randomized after the first; auto goes on until tol is met.

    remove_zero_eig : bool, default=False
        Whether components without variance are left out; with n_components null they always are.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    copy_X : bool, default=True
        Accepted so that programs written for scikit-learn run; it has no effect. X is never changed and never
        copied as a whole.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the centred kernel matrix, descending.

    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Eigenvectors of the centred kernel matrix.

    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of the variance behind the kernel.

    dual_coef_ : ndarray of shape (n_samples, n_features)
        With fit_inverse_transform, the coefficients of the way back.

    X_transformed_fit_ : ndarray of shape (n_samples, n_components)
        With fit_inverse_transform, the components of the training rows.

    X_fit_ : ndarray or sparse matrix of shape (n_samples, n_features)
        The rows, which projections need.

    gamma_ : float
        The width of the kernel.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Schölkopf, Smola, Müller: Nonlinear component analysis as a kernel eigenvalue problem, Neural Computation 10
    (1998); Bakır, Weston, Schölkopf: Learning to find pre-images, NIPS 2003
    """

    _learner = "kernel-pca"
    _forwarded = {"n_components": "n_components", "alpha": "alpha", "fit_inverse_transform": "fit_inverse_transform", "eigen_solver": "eigen_solver", "tol": "tol", "max_iter": "max_iter", "iterated_power": "iterated_power", "remove_zero_eig": "remove_zero_eig"}
    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "kernel": [StrOptions({"linear", "poly", "rbf", "sigmoid", "cosine", "precomputed"}), callable],
        "gamma": [Interval(Real, 0, None, closed="left"), None],
        "degree": [Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "kernel_params": [dict, None],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "fit_inverse_transform": ["boolean"],
        "eigen_solver": [StrOptions({"auto", "dense", "arpack", "randomized"})],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "iterated_power": [StrOptions({"auto"}), Interval(Integral, 0, None, closed="left")],
        "remove_zero_eig": ["boolean"],
        "random_state": ["random_state"],
        "copy_X": ["boolean"],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        n_components=None,
        *,
        kernel="linear",
        gamma=None,
        degree=3,
        coef0=1,
        kernel_params=None,
        alpha=1.0,
        fit_inverse_transform=False,
        eigen_solver="auto",
        tol=0,
        max_iter=None,
        iterated_power="auto",
        remove_zero_eig=False,
        random_state=None,
        copy_X=True,
        n_jobs=None,
    ):
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs


class DummyClassifier(_dummy.DummyClassifier):
    """Classifier that does not look at X: what any other must beat.

    min over constants c of sum_i w_i loss(y_i, c): log loss for shares, squares for the mean, absolute values
    for the median

    The row of a comparison that every other learner must beat. It never reads the columns, so any column is
    welcome. One pass over the target; median and quantile take a few passes in bounded memory and are exact.

    Parameters
    ----------
    strategy : {"most_frequent", "prior", "stratified", "uniform", "constant"}, default="prior"
        How to predict. For classes: "prior" (most frequent class, shares as probabilities), "most_frequent",
        "stratified" and "uniform" (drawn for each row), "constant". For numbers: "mean", "median", "quantile",
        "constant". "auto" is "prior" for classes and "mean" for numbers.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    constant : int, str or array-like of shape (n_outputs,), default=None
        The label that the strategy "constant" predicts.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    n_classes_ : int or list of int
        Number of classes of each output.

    class_prior_ : ndarray of shape (n_classes,) or list of such
        Share of each class.

    n_outputs_ : int
        Number of targets.

    sparse_output_ : bool
        Whether predictions are sparse, as the target of fit was.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 2.4 (the best
    constant under a loss)
    """

    _learner = "baseline"
    _forwarded = {"strategy": "strategy"}
    _parameter_constraints: dict = {
        "strategy": [StrOptions({"most_frequent", "prior", "stratified", "uniform", "constant"})],
        "random_state": ["random_state"],
        "constant": [Integral, str, "array-like", None],
    }

    def __init__(self, *, strategy="prior", random_state=None, constant=None):
        self.strategy = strategy
        self.random_state = random_state
        self.constant = constant


class DummyRegressor(_dummy.DummyRegressor):
    """Regressor that does not look at X: what any other must beat.

    min over constants c of sum_i w_i loss(y_i, c): log loss for shares, squares for the mean, absolute values
    for the median

    The row of a comparison that every other learner must beat. It never reads the columns, so any column is
    welcome. One pass over the target; median and quantile take a few passes in bounded memory and are exact.

    Parameters
    ----------
    strategy : {"mean", "median", "quantile", "constant"}, default="mean"
        How to predict. For classes: "prior" (most frequent class, shares as probabilities), "most_frequent",
        "stratified" and "uniform" (drawn for each row), "constant". For numbers: "mean", "median", "quantile",
        "constant". "auto" is "prior" for classes and "mean" for numbers.

    constant : float or array-like of shape (n_outputs,), default=None
        The number that the strategy "constant" predicts.

    quantile : float or None, default=None
        The level of the strategy "quantile": 0.5 is the median, 0 the minimum, 1 the maximum.

    Attributes
    ----------
    constant_ : ndarray of shape (1, n_outputs)
        What is predicted for every row.

    n_outputs_ : int
        Number of targets.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 2.4 (the best
    constant under a loss)
    """

    _learner = "baseline"
    _forwarded = {"strategy": "strategy", "quantile": "quantile"}
    _parameter_constraints: dict = {
        "strategy": [StrOptions({"mean", "median", "quantile", "constant"})],
        "constant": [Interval(Real, None, None, closed="neither"), "array-like", None],
        "quantile": [Interval(Real, 0.0, 1.0, closed="both"), None],
    }

    def __init__(self, *, strategy="mean", constant=None, quantile=None):
        self.strategy = strategy
        self.constant = constant
        self.quantile = quantile


class StandardScaler(_scale.StandardScaler):
    """Columns with mean 0 and standard deviation 1.

    z = (x - mean) / sd, with sd^2 = sum_i w_i (x_i - mean)^2 / sum_i w_i

    For learners that compare columns: penalised linear models, k-means, PCA, neighbours. One pass; missing
    cells are left out of the sums and stay missing. A constant column is only centred. A mean many orders
    larger than the spread loses no digits.

    Sparse X is taken when `with_mean` is False.

    Parameters
    ----------
    copy : bool, default=True
        Whether X must stay as it is; if not, it is changed where it lies when its type allows.

    with_mean : bool, default=True
        Whether the mean is taken away.

    with_std : bool, default=True
        Whether to divide by the standard deviation; a constant column is divided by 1.

    Attributes
    ----------
    scale_ : ndarray of shape (n_features,) or None
        What each column is divided by; None without `with_std`.

    mean_ : ndarray of shape (n_features,) or None
        Mean of each column; None when nothing is computed.

    var_ : ndarray of shape (n_features,) or None
        Variance of each column; None without `with_std`.

    n_samples_seen_ : int or ndarray of shape (n_features,)
        Rows seen; for each column when columns miss different numbers of cells; a sum of weights with weights.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Chan, Golub, LeVeque: Algorithms for computing the sample variance, The American Statistician 37 (1983)
    """

    _learner = "standardise"
    _forwarded = {"with_mean": "with_mean", "with_std": "with_std"}
    _parameter_constraints: dict = {
        "copy": ["boolean"],
        "with_mean": ["boolean"],
        "with_std": ["boolean"],
    }

    def __init__(self, *, copy=True, with_mean=True, with_std=True):
        self.copy = copy
        self.with_mean = with_mean
        self.with_std = with_std


class MinMaxScaler(_scale.MinMaxScaler):
    """Columns within a given range.

    z = a + (b - a) (x - min) / (max - min)

    For learners that want bounded columns, when there are no outliers. One pass; missing cells stay missing. A
    constant column comes out as the lower end. Weights do not matter, except that a row of weight 0 is left
    out.

    Parameters
    ----------
    feature_range : tuple (min, max), default=(0, 1)
        The range of the new columns.

    copy : bool, default=True
        Whether X must stay as it is; if not, it is changed where it lies when its type allows.

    clip : bool, default=False
        Whether later data is kept within the range too.

    Attributes
    ----------
    min_ : ndarray of shape (n_features,)
        What is added to each column after it is multiplied by `scale_`.

    scale_ : ndarray of shape (n_features,)
        What each column is multiplied by.

    data_min_ : ndarray of shape (n_features,)
        Least cell of each column.

    data_max_ : ndarray of shape (n_features,)
        Greatest cell of each column.

    data_range_ : ndarray of shape (n_features,)
        Their difference.

    n_samples_seen_ : int
        Rows seen.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Han, Kamber, Pei: Data Mining, 3rd ed. 2012, section 3.5.2
    """

    _learner = "min-max"
    _forwarded = {"clip": "clip"}
    _parameter_constraints: dict = {
        "feature_range": [tuple],
        "copy": ["boolean"],
        "clip": ["boolean"],
    }

    def __init__(self, feature_range=(0, 1), *, copy=True, clip=False):
        self.feature_range = feature_range
        self.copy = copy
        self.clip = clip


class OneHotEncoder(_one_hot.OneHotEncoder):
    """A 0/1 column for each value of a column.

    z_v = 1 if x = v else 0, for each value v of the column

    Before learners that take only numbers, for columns with few values. One pass, with memory for the distinct
    values. Missing cells are a value of their own. Number columns of a table are kept unless "numbers" is
    "encode".

    Columns may hold numbers, text or objects; NaN is a missing cell, None a value of its own. All columns are
    encoded.

    Parameters
    ----------
    categories : "auto" or list of array-like, default="auto"
        "auto" takes the values found in training, in order. Otherwise a list of values for each column; numbers
        in order, NaN last.

    drop : {"first", "if_binary"}, array-like of shape (n_features,) or None, default=None
        Which value of a column gets no column: None for none, "first", "if_binary" (the first, of columns with
        two values), or a value for each column.

    sparse_output : bool, default=True
        Whether the new columns are a sparse matrix in CSR format.

    dtype : type, default=np.float64
        The type of the new columns.

    handle_unknown : {"error", "ignore", "infrequent_if_exist", "warn"}, default="error"
        A value that training has not seen is refused ("error"), becomes all zeros ("ignore"), or goes to the
        column of the infrequent values ("infrequent_if_exist"; all zeros without one); "warn" is the latter
        with a warning.

    min_frequency : int, float or None, default=None
        Values with fewer rows are put together as infrequent: a whole number of rows, or a share of the rows
        between 0 and 1.

    max_categories : int or None, default=None
        At most that many groups for a column, the group of the infrequent values counted; the rarest values go
        there.

    feature_name_combiner : "concat" or callable, default="concat"
        How the name of a new column is made of a column's name and a value: "concat" puts an underscore between
        them.

    Attributes
    ----------
    categories_ : list of ndarray
        The values of each column, in order.

    drop_idx_ : ndarray of shape (n_features,) or None
        Place in `categories_` of the value without a column; None for none.

    infrequent_categories_ : list of ndarray or None
        The infrequent values of each column; None where there are none.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 2.2 (dummy
    variables)
    """

    _learner = "one-hot"
    _forwarded = {}
    _parameter_constraints: dict = {
        "categories": [StrOptions({"auto"}), list],
        "drop": [StrOptions({"first", "if_binary"}), "array-like", None],
        "sparse_output": ["boolean"],
        "dtype": "no_validation",
        "handle_unknown": [StrOptions({"error", "ignore", "infrequent_if_exist", "warn"})],
        "min_frequency": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="neither"), None],
        "max_categories": [Interval(Integral, 1, None, closed="left"), None],
        "feature_name_combiner": [StrOptions({"concat"}), callable],
    }

    def __init__(
        self,
        *,
        categories="auto",
        drop=None,
        sparse_output=True,
        dtype=np.float64,
        handle_unknown="error",
        min_frequency=None,
        max_categories=None,
        feature_name_combiner="concat",
    ):
        self.categories = categories
        self.drop = drop
        self.sparse_output = sparse_output
        self.dtype = dtype
        self.handle_unknown = handle_unknown
        self.min_frequency = min_frequency
        self.max_categories = max_categories
        self.feature_name_combiner = feature_name_combiner


class OrdinalEncoder(_ordinal.OrdinalEncoder):
    """A whole number for each value of a column.

    z = place of x among the sorted values of its column, from 0

    Before trees, or where the order of the values means something. One pass, with memory for the distinct
    values. Missing cells stay missing unless they are given a code. Number columns of a table are kept unless
    "numbers" is "encode".

    Columns may hold numbers, text or objects; NaN is a missing cell, None a value of its own. All columns are
    encoded.

    Parameters
    ----------
    categories : "auto" or list of array-like, default="auto"
        "auto" takes the values found in training, in order. Otherwise a list of values for each column; numbers
        in order, NaN last.

    dtype : type, default=np.float64
        The type of the codes.

    handle_unknown : {"error", "use_encoded_value"}, default="error"
        A value that training has not seen is refused ("error") or gets the code unknown_value
        ("use_encoded_value").

    unknown_value : int, NaN or None, default=None
        The code of values that training has not seen, for "use_encoded_value".

    encoded_missing_value : int or NaN, default=np.nan
        The code of missing cells.

    min_frequency : int, float or None, default=None
        Values with fewer rows are put together as infrequent: a whole number of rows, or a share of the rows
        between 0 and 1.

    max_categories : int or None, default=None
        At most that many groups for a column, the group of the infrequent values counted; the rarest values go
        there.

    Attributes
    ----------
    categories_ : list of ndarray
        The values of each column, in order.

    infrequent_categories_ : list of ndarray or None
        The infrequent values of each column; None where there are none.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Stevens: On the theory of scales of measurement, Science 103 (1946)
    """

    _learner = "ordinal"
    _forwarded = {}
    _parameter_constraints: dict = {
        "categories": [StrOptions({"auto"}), list],
        "dtype": "no_validation",
        "handle_unknown": [StrOptions({"error", "use_encoded_value"})],
        "unknown_value": [Integral, type(np.nan), None],
        "encoded_missing_value": [Integral, type(np.nan)],
        "min_frequency": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="neither"), None],
        "max_categories": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        *,
        categories="auto",
        dtype=np.float64,
        handle_unknown="error",
        unknown_value=None,
        encoded_missing_value=np.nan,
        min_frequency=None,
        max_categories=None,
    ):
        self.categories = categories
        self.dtype = dtype
        self.handle_unknown = handle_unknown
        self.unknown_value = unknown_value
        self.encoded_missing_value = encoded_missing_value
        self.min_frequency = min_frequency
        self.max_categories = max_categories


class SimpleImputer(_impute.SimpleImputer):
    """Missing cells filled with the mean, the median or the most frequent value.

    z = x where it is there, else the mean (median, most frequent value) of the column

    Before learners that take no missing values. One pass; the median takes a few passes in bounded memory and
    is exact. Columns without any cell are dropped unless they are to be kept. Category columns are filled with
    their most frequent name and come out as codes.

    Columns may hold numbers, text or objects; text comes out as text.

    Parameters
    ----------
    missing_values : int, float, str, NaN, None or pandas.NA, default=np.nan
        What stands for a missing cell.

    strategy : {"mean", "median", "most_frequent", "constant"} or callable, default="mean"
        What a missing cell is filled with: the mean, the median or the most frequent value of the column (the
        least of several), or `fill_value`. A callable is given the cells of a column that are there.

    fill_value : str, number or None, default=None
        The value of the strategy "constant"; None is 0 for numbers and "missing_value" for text.

    copy : bool, default=True
        Whether X must stay as it is; if not, it is changed where it lies when its type allows.

    add_indicator : bool, default=False
        Whether to add a 0/1 column for each column that has missing cells in training.

    keep_empty_features : bool, default=False
        Whether columns without any cell in training are kept, filled with 0 (or fill_value), rather than
        dropped.

    Attributes
    ----------
    statistics_ : ndarray of shape (n_features,)
        What the missing cells of each column are filled with.

    indicator_ : MissingIndicator or None
        Which columns get an indicator; None without `add_indicator`.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Little, Rubin: Statistical Analysis with Missing Data, 3rd ed. 2019, chapter 4
    """

    _learner = "impute"
    _forwarded = {}
    _parameter_constraints: dict = {
        "missing_values": [MissingValues()],
        "strategy": [StrOptions({"mean", "median", "most_frequent", "constant"}), callable],
        "fill_value": "no_validation",
        "copy": ["boolean"],
        "add_indicator": ["boolean"],
        "keep_empty_features": ["boolean"],
    }

    def __init__(
        self,
        *,
        missing_values=np.nan,
        strategy="mean",
        fill_value=None,
        copy=True,
        add_indicator=False,
        keep_empty_features=False,
    ):
        self.missing_values = missing_values
        self.strategy = strategy
        self.fill_value = fill_value
        self.copy = copy
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features


class PolynomialFeatures(_features.PolynomialFeatures):
    """All products of columns up to a degree.

    z_a = x_1^a1 x_2^a2 ... for all exponents a with sum at most degree

    In front of a linear model that is to follow curves and interactions; standardise first. p columns become (p
    + degree)! / (p! degree!) columns. Sparse rows cost only the products of their stored cells. Does not
    orthogonalise: for high degrees of one column take spline.

    Sparse X comes out sparse.

    Parameters
    ----------
    degree : int or tuple (min_degree, max_degree), default=2
        The greatest degree of a product, or the least and the greatest.

    interaction_only : bool, default=False
        Whether only products of different columns are made, no powers.

    include_bias : bool, default=True
        Whether there is a column of ones, the product of nothing. Learners with an intercept do not need it.

    order : {"C", "F"}, default="C"
        The memory order of the new columns, where they are dense.

    Attributes
    ----------
    powers_ : ndarray of shape (n_output_features_, n_features_in_)
        The exponent of each column in each new one.

    n_output_features_ : int
        Number of new columns.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 2nd ed., 2009, section 5.1
    """

    _learner = "polynomial"
    _forwarded = {}
    _parameter_constraints: dict = {
        "degree": [Interval(Integral, 0, None, closed="left"), "array-like"],
        "interaction_only": ["boolean"],
        "include_bias": ["boolean"],
        "order": [StrOptions({"C", "F"})],
    }

    def __init__(self, degree=2, *, interaction_only=False, include_bias=True, order="C"):
        self.degree = degree
        self.interaction_only = interaction_only
        self.include_bias = include_bias
        self.order = order


class SplineTransformer(_features.SplineTransformer):
    """B-splines of each column: local polynomials that join smoothly.

    z_jk = B_k(x_j), B-splines of a degree over the knots of column j; they add up to 1

    In front of a linear model that is to follow curves; better conditioned than powers, and it says what
    happens beyond the data. n_knots + degree - 1 columns for each column (n_knots - 1 when periodic). One pass
    for uniform knots, about four more for each inner quantile. Does not choose the number of knots.

    Parameters
    ----------
    n_knots : int, default=5
        How many knots there are along each column, both ends included; of no effect when knots are given.

    degree : int, default=3
        The degree of the pieces: 0 steps, 1 lines, 3 cubic curves with continuous curvature.

    knots : {"uniform", "quantile"} or array-like of shape (n_knots, n_features), default="uniform"
        Where the knots are: at equal distances over the range of the column, at its quantiles, or given,
        ascending.

    extrapolation : {"error", "constant", "linear", "continue", "periodic"}, default="constant"
        Beyond the first and the last knot: "error" refuses the row, "constant" goes on with the values at the
        end, "linear" with their tangents, "continue" with the outermost polynomials, "periodic" starts over.

    include_bias : bool, default=True
        Whether the last spline of each column is kept. All of them add up to 1, which an intercept says
        already.

    order : {"C", "F"}, default="C"
        The memory order of the new columns, where they are dense.

    handle_missing : {"error", "zeros"}, default="error"
        What becomes of missing cells: "error" refuses them, "zeros" makes all their splines 0.

    sparse_output : bool, default=False
        Whether the new columns are a sparse matrix in CSR format.

    Attributes
    ----------
    bsplines_ : list of scipy.interpolate.BSpline
        The splines of each column.

    n_features_out_ : int
        Number of new columns.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    de Boor, A Practical Guide to Splines, 1978; Eilers, Marx, Statistical Science 11 (1996)
    """

    _learner = "spline"
    _forwarded = {"n_knots": "n_knots", "degree": "degree", "extrapolation": "extrapolation", "include_bias": "include_bias", "handle_missing": "handle_missing"}
    _parameter_constraints: dict = {
        "n_knots": [Interval(Integral, 2, None, closed="left")],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "knots": [StrOptions({"uniform", "quantile"}), "array-like"],
        "extrapolation": [StrOptions({"error", "constant", "linear", "continue", "periodic"})],
        "include_bias": ["boolean"],
        "order": [StrOptions({"C", "F"})],
        "handle_missing": [StrOptions({"error", "zeros"})],
        "sparse_output": ["boolean"],
    }

    def __init__(
        self,
        n_knots=5,
        degree=3,
        *,
        knots="uniform",
        extrapolation="constant",
        include_bias=True,
        order="C",
        handle_missing="error",
        sparse_output=False,
    ):
        self.n_knots = n_knots
        self.degree = degree
        self.knots = knots
        self.extrapolation = extrapolation
        self.include_bias = include_bias
        self.order = order
        self.handle_missing = handle_missing
        self.sparse_output = sparse_output
