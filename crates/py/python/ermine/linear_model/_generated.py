"""Signatures, constraints and documentation; what the classes do is in their bases."""

# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.

from numbers import Integral, Real

from sklearn.metrics import get_scorer_names
from sklearn.utils._param_validation import Hidden, Interval, StrOptions

from .._docs import documented
from . import _base, _coordinate_descent, _glm, _logistic, _logistic_cv, _ridge, _robust, _stepwise, _stochastic_gradient

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


@documented
class LinearRegression(_base.LinearRegression):
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
        Rank of the centered X. Dense X only.

    singular_ : ndarray of shape (min(n_samples, n_features),)
        Singular values of the centered X. Dense X only.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    A. Björck (1996), Numerical Methods for Least Squares Problems, SIAM
    """

    __module__ = "ermine.linear_model"
    _learner = "ols"
    _accepts = ("sparse", "targets")
    _fields = ("rank",)
    _forwarded = {"fit_intercept": "fit_intercept", "positive": "positive"}
    _parameter_constraints: dict = {
        "fit_intercept": ["boolean"],
        "copy_X": ["boolean"],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "n_jobs": [None, Integral],
        "positive": ["boolean"],
    }

    def __init__(self, *, fit_intercept=True, copy_X=True, tol=1e-6, n_jobs=None, positive=False):
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive


@documented
class Ridge(_ridge.Ridge):
    """Least squares with a penalty on the squared coefficients.

    min sum_i w_i (y_i - b0 - x_i b)^2 + alpha |b|^2, intercept not penalized

    Choose it when columns are many or nearly dependent; standardize them first. One pass over the data and time
    rows x columns^2, or rows^2 x columns with more columns than rows. Does not select columns.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1.0
        The strength of the penalty: one number, or one per target. 0 is least squares.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalized.

    copy_X : bool, default=True
        Accepted so that programs written for scikit-learn run; it has no effect. X is never changed and never
        copied as a whole.

    max_iter : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The fit is direct.

    tol : float, default=0.0001
        Accepted so that programs written for scikit-learn run; it has no effect. The fit is exact up to
        rounding.

    solver : str, default="auto"
        Accepted so that programs written for scikit-learn run: every name gives the same exact fit, by the
        method that suits the shape of X. "lbfgs" needs `positive`; the names that scikit-learn refuses for
        sparse X with an intercept are refused here too.

    positive : bool, default=False
        Whether coefficients are kept at or above 0. The intercept stays free.

    random_state : int, RandomState or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. Nothing in the fit is random.

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

    __module__ = "ermine.linear_model"
    _learner = "ridge"
    _accepts = ("sparse", "targets")
    _forwarded = {"fit_intercept": "fit_intercept", "positive": "positive"}
    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0.0, None, closed="left"), "array-like"],
        "fit_intercept": ["boolean"],
        "copy_X": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0.0, None, closed="left")],
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
        tol=0.0001,
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


@documented
class RidgeCV(_ridge.RidgeCV):
    """Ridge regression with the penalty chosen by leave-one-out or cross-validation.

    min sum_i w_i (y_i - b0 - x_i b)^2 + alpha |b|^2, intercept not penalized

    Choose it when columns are many or nearly dependent; standardize them first. One pass over the data and time
    rows x columns^2, or rows^2 x columns with more columns than rows. Does not select columns.

    Without `cv` the leave-one-out error of every penalty is exact and takes one factorization for all of them.
    A saved model is opened as Ridge with the chosen penalty.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,), default=(0.1, 1.0, 10.0)
        The penalties to choose from.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalized.

    scoring : str, callable or None, default=None
        How predictions of rows that had no part in the fit are judged. None is the mean squared error without
        `cv`, and R² with.

    cv : int, splitter, iterable or None, default=None
        None leaves out one row at a time; anything else is a grid search over these folds.

    gcv_mode : {"auto", "svd", "eigen"} or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The smaller of X'X and XX' is
        factorized, whatever this says.

    store_cv_results : bool, default=False
        Whether `cv_results_` is kept. Only without `cv`.

    alpha_per_target : bool, default=False
        Whether each target gets the penalty that is best for itself. Only without `cv`.

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
        The penalty chosen; one per target with `alpha_per_target`.

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

    __module__ = "ermine.linear_model"
    _learner = "ridge"
    _accepts = ("sparse", "targets")
    _forwarded = {"fit_intercept": "fit_intercept"}
    _parameter_constraints: dict = {
        "alphas": ["array-like", Interval(Real, 0.0, None, closed="neither")],
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


@documented
class Lasso(_coordinate_descent.Lasso):
    """Least squares with a penalty on the absolute values of the coefficients.

    min 1/(2 sum w) sum_i w_i (y_i - b0 - x_i b)^2 + alpha |b|_1, intercept not penalized

    Choose it when few of many columns matter: most coefficients come out exactly 0. Standardize the columns
    first. A few passes over the data, and time rows x active^2 for the columns that become active. Gives no
    tests.

    Parameters
    ----------
    alpha : float, default=1.0
        The strength of the penalty; 0 is least squares. "cv" chooses it by cross-validation on a path of
        penalties, "path" follows the path to its end and keeps all of it.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalized.

    precompute : bool or array-like of shape (n_features, n_features), default=False
        Whether the products of all columns are computed at the start; otherwise those of the columns that
        become active. A given matrix of products is not needed.

    copy_X : bool, default=True
        Accepted so that programs written for scikit-learn run; it has no effect. X is never changed and never
        copied as a whole.

    max_iter : int, default=1000
        Rounds of coordinate descent at most.

    tol : float, default=0.0001
        The duality gap at which to stop, relative to the mean square of the centered target.

    warm_start : bool, default=False
        Whether a fit starts from the coefficients of the one before.

    positive : bool, default=False
        Whether coefficients are kept at or above 0. The intercept stays free.

    random_state : int, RandomState or None, default=None
        The seed of the order of the coefficients; used with selection="random" only.

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

    __module__ = "ermine.linear_model"
    _learner = "lasso"
    _accepts = ("sparse", "targets")
    _forwarded = {"alpha": "alpha", "fit_intercept": "fit_intercept", "tol": "tol", "positive": "positive", "selection": "selection"}
    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "precompute": ["boolean", "array-like"],
        "copy_X": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0.0, None, closed="left")],
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
        tol=0.0001,
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


@documented
class ElasticNet(_coordinate_descent.PenalizedRegressor):
    """Least squares with a penalty on the absolute values and the squares of the coefficients.

    min 1/(2 sum w) sum_i w_i (y_i - b0 - x_i b)^2 + alpha (l1_ratio |b|_1 + (1 - l1_ratio)/2 |b|^2), intercept
    not penalized

    Choose it over the lasso where columns come in groups that say nearly the same: they are kept together.
    Standardize the columns first. A few passes over the data, and time rows x active^2 for the columns that
    become active. Gives no tests.

    Parameters
    ----------
    alpha : float, default=1.0
        The strength of the penalty; 0 is least squares. "cv" chooses it by cross-validation on a path of
        penalties, "path" follows the path to its end and keeps all of it.

    l1_ratio : float, default=0.5
        The share of the absolute values in the penalty; 1 is the lasso, 0 ridge regression.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalized.

    precompute : bool or array-like of shape (n_features, n_features), default=False
        Whether the products of all columns are computed at the start; otherwise those of the columns that
        become active. A given matrix of products is not needed.

    max_iter : int, default=1000
        Rounds of coordinate descent at most.

    copy_X : bool, default=True
        Accepted so that programs written for scikit-learn run; it has no effect. X is never changed and never
        copied as a whole.

    tol : float, default=0.0001
        The duality gap at which to stop, relative to the mean square of the centered target.

    warm_start : bool, default=False
        Whether a fit starts from the coefficients of the one before.

    positive : bool, default=False
        Whether coefficients are kept at or above 0. The intercept stays free.

    random_state : int, RandomState or None, default=None
        The seed of the order of the coefficients; used with selection="random" only.

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

    __module__ = "ermine.linear_model"
    _learner = "elastic-net"
    _accepts = ("sparse", "targets")
    _forwarded = {"alpha": "alpha", "l1_ratio": "l1_ratio", "fit_intercept": "fit_intercept", "tol": "tol", "positive": "positive", "selection": "selection"}
    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "l1_ratio": [Interval(Real, 0.0, 1.0, closed="both")],
        "fit_intercept": ["boolean"],
        "precompute": ["boolean", "array-like"],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "copy_X": ["boolean"],
        "tol": [Interval(Real, 0.0, None, closed="left")],
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
        tol=0.0001,
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


@documented
class LassoCV(_coordinate_descent.PenalizedRegressorCV):
    """Lasso whose penalty is chosen by cross-validation.

    min 1/(2 sum w) sum_i w_i (y_i - b0 - x_i b)^2 + alpha |b|_1, intercept not penalized

    Choose it when few of many columns matter: most coefficients come out exactly 0. Standardize the columns
    first. A few passes over the data, and time rows x active^2 for the columns that become active. Gives no
    tests.

    Parameters
    ----------
    eps : float, default=0.001
        The last penalty of the path, as a share of the first, which is the least that makes all coefficients 0.

    alphas : int or array-like, default=100
        The penalties to choose from, or how many of them.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalized.

    precompute : "auto", bool or array-like, default="auto"
        True computes the products of all columns at the start; otherwise those of the columns that become
        active.

    max_iter : int, default=1000
        Rounds of coordinate descent at most.

    tol : float, default=0.0001
        The duality gap at which to stop, relative to the mean square of the centered target.

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
        The seed of the order of the coefficients; used with selection="random" only.

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

    __module__ = "ermine.linear_model"
    _learner = "lasso"
    _accepts = ("sparse",)
    _forwarded = {"fit_intercept": "fit_intercept", "tol": "tol", "positive": "positive", "selection": "selection"}
    _parameter_constraints: dict = {
        "eps": [Interval(Real, 0.0, None, closed="neither")],
        "alphas": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "fit_intercept": ["boolean"],
        "precompute": [StrOptions({"auto"}), "array-like", "boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="left")],
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
        eps=0.001,
        alphas=100,
        fit_intercept=True,
        precompute="auto",
        max_iter=1000,
        tol=0.0001,
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


@documented
class ElasticNetCV(_coordinate_descent.PenalizedRegressorCV):
    """Elastic net whose penalty is chosen by cross-validation.

    min 1/(2 sum w) sum_i w_i (y_i - b0 - x_i b)^2 + alpha (l1_ratio |b|_1 + (1 - l1_ratio)/2 |b|^2), intercept
    not penalized

    Choose it over the lasso where columns come in groups that say nearly the same: they are kept together.
    Standardize the columns first. A few passes over the data, and time rows x active^2 for the columns that
    become active. Gives no tests.

    Parameters
    ----------
    l1_ratio : float or array-like, default=0.5
        The share of the absolute values in the penalty; of several, the best is chosen.

    eps : float, default=0.001
        The last penalty of the path, as a share of the first, which is the least that makes all coefficients 0.

    alphas : int or array-like, default=100
        The penalties to choose from, or how many of them.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalized.

    precompute : "auto", bool or array-like, default="auto"
        True computes the products of all columns at the start; otherwise those of the columns that become
        active.

    max_iter : int, default=1000
        Rounds of coordinate descent at most.

    tol : float, default=0.0001
        The duality gap at which to stop, relative to the mean square of the centered target.

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
        The seed of the order of the coefficients; used with selection="random" only.

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

    __module__ = "ermine.linear_model"
    _learner = "elastic-net"
    _accepts = ("sparse",)
    _forwarded = {"fit_intercept": "fit_intercept", "tol": "tol", "positive": "positive", "selection": "selection"}
    _parameter_constraints: dict = {
        "l1_ratio": [Interval(Real, 0.0, 1.0, closed="both"), "array-like"],
        "eps": [Interval(Real, 0.0, None, closed="neither")],
        "alphas": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "fit_intercept": ["boolean"],
        "precompute": [StrOptions({"auto"}), "array-like", "boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="left")],
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
        eps=0.001,
        alphas=100,
        fit_intercept=True,
        precompute="auto",
        max_iter=1000,
        tol=0.0001,
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


@documented
class HuberRegressor(_robust.HuberRegressor):
    """Regression that bounds the pull of targets far off, with the scale of the residuals fitted too.

    min over b, b0, s: sum_i w_i (s + H(r_i / s) s) + alpha |b|^2, H(z) = z^2 for |z| <= epsilon, else 2 epsilon
    |z| - epsilon^2; r_i = y_i - b0 - x_i b, intercept not penalized

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
        Whether an intercept is fitted; it is never penalized.

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

    __module__ = "ermine.linear_model"
    _learner = "huber"
    _accepts = ("sparse",)
    _fields = ("n_iter",)
    _forwarded = {"epsilon": "epsilon", "max_iter": "max_iter", "alpha": "alpha", "fit_intercept": "fit_intercept", "tol": "tol", "scale": "scale"}
    _parameter_constraints: dict = {
        "epsilon": [Interval(Real, 1.0, None, closed="left")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "warm_start": ["boolean"],
        "fit_intercept": ["boolean"],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "scale": [Interval(Real, 0.0, None, closed="neither"), None],
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


@documented
class QuantileRegressor(_robust.QuantileRegressor):
    """The plane with a given share of the rows below it: median and other quantiles.

    min sum_i w_i pinball(r_i) / sum_i w_i + alpha |b|_1, pinball(r) = quantile r for r >= 0, (quantile - 1) r
    below; r_i = y_i - b0 - x_i b, intercept not penalized

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
        Whether an intercept is fitted; it is never penalized.

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

    __module__ = "ermine.linear_model"
    _learner = "quantile"
    _accepts = ("sparse",)
    _fields = ("n_iter",)
    _forwarded = {"quantile": "quantile", "alpha": "alpha", "fit_intercept": "fit_intercept"}
    _parameter_constraints: dict = {
        "quantile": [Interval(Real, 0.0, 1.0, closed="both")],
        "alpha": [Interval(Real, 0.0, None, closed="left")],
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


@documented
class ExpectileRegressor(_robust.SingleTargetRegressor):
    """Least squares that counts rows above and below the line differently.

    min sum_i w_i |tau - 1(r_i < 0)| r_i^2 + alpha |b|^2, r_i = y_i - b0 - x_i b, intercept not penalized

    Choose it when being too low costs more than being too high, or less; tau = 0.5 is the mean. Smoother than a
    quantile, but moved by outliers. Some five to ten weighted least-squares fits, one pass each, time rows x
    columns^2. No standard errors.

    Parameters
    ----------
    tau : float, default=0.5
        The level, above 0 and below 1: rows above the line count tau, rows below it 1 - tau.

    alpha : float, default=0.0
        The strength of the penalty on the squared coefficients; 0 is none.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalized.

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

    __module__ = "ermine.linear_model"
    _learner = "expectile"
    _accepts = ("sparse",)
    _fields = ("n_iter",)
    _forwarded = {"tau": "tau", "alpha": "alpha", "fit_intercept": "fit_intercept", "max_iter": "max_iter"}
    _parameter_constraints: dict = {
        "tau": [Interval(Real, 0.0, 1.0, closed="neither")],
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, *, tau=0.5, alpha=0.0, fit_intercept=True, max_iter=100):
        self.tau = tau
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter


@documented
class PoissonRegressor(_glm.PoissonRegressor):
    """Generalized linear model for counts: Poisson family, log link.

    min 1 / (2 sum_i w_i) sum_i w_i d(y_i, mu_i) + alpha/2 |b|^2 with link(mu_i) = b0 + x_i b + offset_i and the
    unit deviance d of the family; intercept not penalized

    Choose it for counts (poisson), positive amounts (gamma, inverse-gaussian, tweedie) and shares (bernoulli),
    where the spread grows with the mean. The usual link is the identity for gaussian, logit for bernoulli, else
    the logarithm, under which effects multiply. Without penalty it gives standard errors, tests and intervals.
    Newton's method (Fisher's scoring where the loss is not convex): some passes over the rows, each columns^2
    per row at most. Weights of rows are counts for bernoulli and poisson, and precisions where the dispersion
    is estimated. Does not select columns.

    Parameters
    ----------
    alpha : float, default=1.0
        The strength of the penalty on the squared coefficients; 0 is maximum likelihood.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalized.

    solver : {"lbfgs", "newton-cholesky"}, default="lbfgs"
        "newton-cholesky" is Newton's method; "lbfgs" is Newton's method where the Hessian is small enough, else
        L-BFGS. The optimum is the same.

    max_iter : int, default=100
        Steps at most. A fit that needs more returns what it has and says so.

    tol : float, default=0.0001
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

    __module__ = "ermine.linear_model"
    _learner = "glm"
    _accepts = ("sparse",)
    _fields = ("n_iter",)
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
        tol=0.0001,
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


@documented
class GammaRegressor(_glm.GammaRegressor):
    """Generalized linear model for positive amounts: Gamma family, log link.

    min 1 / (2 sum_i w_i) sum_i w_i d(y_i, mu_i) + alpha/2 |b|^2 with link(mu_i) = b0 + x_i b + offset_i and the
    unit deviance d of the family; intercept not penalized

    Choose it for counts (poisson), positive amounts (gamma, inverse-gaussian, tweedie) and shares (bernoulli),
    where the spread grows with the mean. The usual link is the identity for gaussian, logit for bernoulli, else
    the logarithm, under which effects multiply. Without penalty it gives standard errors, tests and intervals.
    Newton's method (Fisher's scoring where the loss is not convex): some passes over the rows, each columns^2
    per row at most. Weights of rows are counts for bernoulli and poisson, and precisions where the dispersion
    is estimated. Does not select columns.

    Parameters
    ----------
    alpha : float, default=1.0
        The strength of the penalty on the squared coefficients; 0 is maximum likelihood.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalized.

    solver : {"lbfgs", "newton-cholesky"}, default="lbfgs"
        "newton-cholesky" is Newton's method; "lbfgs" is Newton's method where the Hessian is small enough, else
        L-BFGS. The optimum is the same.

    max_iter : int, default=100
        Steps at most. A fit that needs more returns what it has and says so.

    tol : float, default=0.0001
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

    __module__ = "ermine.linear_model"
    _learner = "glm"
    _accepts = ("sparse",)
    _fields = ("n_iter",)
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
        tol=0.0001,
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


@documented
class TweedieRegressor(_glm.TweedieRegressor):
    """Generalized linear model whose variance is a power of the mean.

    min 1 / (2 sum_i w_i) sum_i w_i d(y_i, mu_i) + alpha/2 |b|^2 with link(mu_i) = b0 + x_i b + offset_i and the
    unit deviance d of the family; intercept not penalized

    Choose it for counts (poisson), positive amounts (gamma, inverse-gaussian, tweedie) and shares (bernoulli),
    where the spread grows with the mean. The usual link is the identity for gaussian, logit for bernoulli, else
    the logarithm, under which effects multiply. Without penalty it gives standard errors, tests and intervals.
    Newton's method (Fisher's scoring where the loss is not convex): some passes over the rows, each columns^2
    per row at most. Weights of rows are counts for bernoulli and poisson, and precisions where the dispersion
    is estimated. Does not select columns.

    Parameters
    ----------
    power : float, default=0.0
        The power of the tweedie family: at most 0, or from 1 up. Between 1 and 2 targets are amounts with zeros
        among them; 0, 1, 2 and 3 are gaussian, poisson, gamma and inverse gaussian.

    alpha : float, default=1.0
        The strength of the penalty on the squared coefficients; 0 is maximum likelihood.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalized.

    link : {"auto", "identity", "log"}, default="auto"
        The link between mean and score; "auto" is the identity for powers up to 0, else the logarithm.

    solver : {"lbfgs", "newton-cholesky"}, default="lbfgs"
        "newton-cholesky" is Newton's method; "lbfgs" is Newton's method where the Hessian is small enough, else
        L-BFGS. The optimum is the same.

    max_iter : int, default=100
        Steps at most. A fit that needs more returns what it has and says so.

    tol : float, default=0.0001
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

    __module__ = "ermine.linear_model"
    _learner = "glm"
    _accepts = ("sparse",)
    _fields = ("n_iter",)
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
        tol=0.0001,
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


@documented
class GeneralizedLinearRegressor(_glm.GeneralizedLinearRegressor):
    """Generalized linear model: counts, amounts and shares whose spread follows their mean.

    min 1 / (2 sum_i w_i) sum_i w_i d(y_i, mu_i) + alpha/2 |b|^2 with link(mu_i) = b0 + x_i b + offset_i and the
    unit deviance d of the family; intercept not penalized

    Choose it for counts (poisson), positive amounts (gamma, inverse-gaussian, tweedie) and shares (bernoulli),
    where the spread grows with the mean. The usual link is the identity for gaussian, logit for bernoulli, else
    the logarithm, under which effects multiply. Without penalty it gives standard errors, tests and intervals.
    Newton's method (Fisher's scoring where the loss is not convex): some passes over the rows, each columns^2
    per row at most. Weights of rows are counts for bernoulli and poisson, and precisions where the dispersion
    is estimated. Does not select columns.

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
        The link between mean and score: "auto" is the usual one of the family, identity for gaussian and
        tweedie powers up to 0, logit for bernoulli, else log.

    alpha : float, default=0.0
        The strength of the penalty on the squared coefficients; 0 is maximum likelihood.

    fit_intercept : bool, default=True
        Whether an intercept is fitted; it is never penalized.

    solver : {"auto", "newton", "lbfgs"}, default="auto"
        How the optimum is found: "newton" with the Hessian, "lbfgs" without, "auto" for the first up to a
        thousand columns. The optimum is the same.

    max_iter : int, default=100
        Steps at most. A fit that needs more returns what it has and says so.

    tol : float, default=0.0001
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

    __module__ = "ermine.linear_model"
    _learner = "glm"
    _accepts = ("sparse",)
    _fields = ("n_iter",)
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
        tol=0.0001,
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


@documented
class LogisticRegression(_logistic.LogisticRegression):
    """Logistic regression for two classes, softmax regression for more, with an L2, L1 or elastic-net penalty.

    min over W, b: C sum_i w_i loss_i + r ||W||_1 + (1 - r)/2 ||W||^2; loss_i = log(1 + exp(-s_i (w.x_i + b)))
    for two classes, log sum_k exp(z_ik) - z_i,y(i) with z_ik = w_k.x_i + b_k for more; intercepts are not
    penalized

    The first choice for classification with numeric columns: one optimum, found exactly and with a certificate,
    probabilities that are well calibrated, weights that can be read (with standard errors without penalty). An
    L1 part selects columns: many weights are exactly 0. Standardize columns of different units, since the
    penalty sees the units. Classes that can be told apart without error are found out when nothing is
    penalized, and the direction that tells them apart is kept. Weights of rows are counts, for standard errors
    too. Costs some tens of passes at most over the rows.

    Parameters
    ----------
    penalty : {"l1", "l2", "elasticnet"} or None, default="deprecated"
        Superseded by `C` and `l1_ratio`; None is C=inf.

    C : float, default=1.0
        How much the losses count next to the penalty: small values keep the weights small. null is no penalty.

    l1_ratio : float, default=0.0
        As in scikit-learn, the solvers "saga" and (for 1) "liblinear" take other values than 0.

    dual : bool, default=False
        Accepted so that programs written for scikit-learn run; it has no effect.

    tol : float, default=0.0001
        The fit ends when the distance to the optimum, in the norm of the Hessian and relative to the objective,
        is estimated below ten times this; with the Hessian at hand it goes on to a millionth of it, which costs
        a step or two. Coordinate descent (an L1 part) and the dual end when the duality gap proves that less
        than 50 tol^2 of the objective is missing, which is the same distance.

    fit_intercept : bool, default=True
        Whether scores have an intercept, which is not penalized.

    intercept_scaling : float, default=1
        Accepted so that programs written for scikit-learn run; it has no effect. The constant term is never
        penalized.

    class_weight : dict, "balanced" or None, default=None
        Weights of the classes by label, 1 for labels not listed; "balanced" gives every class the same total
        weight.

    random_state : int, RandomState or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. Nothing in the fit is random.

    solver : str, default="lbfgs"
        The names of scikit-learn are accepted, with the penalties they take there. All find the same optimum,
        by the method that suits penalty and shape of X; the constant term is not penalized by any of them.

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
        The smallest margin of a row along them; 0 when some have none.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 2nd ed., 2009, section 4.4
    """

    __module__ = "ermine.linear_model"
    _learner = "logistic"
    _accepts = ("sparse",)
    _forwarded = {"fit_intercept": "fit_intercept"}
    _parameter_constraints: dict = {
        "penalty": [StrOptions({"l1", "l2", "elasticnet"}), None, Hidden(StrOptions({"deprecated"}))],
        "C": [Interval(Real, 0.0, None, closed="right")],
        "l1_ratio": [Interval(Real, 0.0, 1.0, closed="both"), None],
        "dual": ["boolean"],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0.0, None, closed="neither")],
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
        tol=0.0001,
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


@documented
class LogisticRegressionCV(_logistic_cv.LogisticRegressionCV):
    """Logistic regression for two classes, softmax regression for more, with C (and the L1 share) chosen by cross-validation.

    min over W, b: C sum_i w_i loss_i + r ||W||_1 + (1 - r)/2 ||W||^2; loss_i = log(1 + exp(-s_i (w.x_i + b)))
    for two classes, log sum_k exp(z_ik) - z_i,y(i) with z_ik = w_k.x_i + b_k for more; intercepts are not
    penalized

    The first choice for classification with numeric columns: one optimum, found exactly and with a certificate,
    probabilities that are well calibrated, weights that can be read (with standard errors without penalty). An
    L1 part selects columns: many weights are exactly 0. Standardize columns of different units, since the
    penalty sees the units. Classes that can be told apart without error are found out when nothing is
    penalized, and the direction that tells them apart is kept. Weights of rows are counts, for standard errors
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
        Whether scores have an intercept, which is not penalized.

    cv : int, cross-validation generator or iterable, default=None
        How rows are split; None is 5 folds with the classes in their shares.

    dual : bool, default=False
        Accepted so that programs written for scikit-learn run; it has no effect.

    penalty : {"l1", "l2", "elasticnet"}, default="deprecated"
        Superseded by `l1_ratios`.

    scoring : str, callable or None, default="warn"
        How a fit is judged on the rows that had no part in it; None is accuracy.

    solver : str, default="lbfgs"
        The names of scikit-learn are accepted, with the penalties they take there. All find the same optimum,
        by the method that suits penalty and shape of X; the constant term is not penalized by any of them.

    tol : float, default=0.0001
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
        penalized.

    random_state : int, RandomState or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. Nothing in the fit is random.

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

    __module__ = "ermine.linear_model"
    _learner = "logistic"
    _accepts = ("sparse",)
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
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "n_jobs": [None, Integral],
        "verbose": ["verbose"],
        "refit": ["boolean"],
        "intercept_scaling": [Interval(Real, 0.0, None, closed="neither")],
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
        tol=0.0001,
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


@documented
class SGDClassifier(_stochastic_gradient.SGDClassifier):
    """Linear classifiers (support vector machine, logistic regression, …) learned one row at a time.

    min 1/n sum_i w_i loss(y_i, x_i b + b0) + alpha R(b); R = 1/2 |b|^2, |b|_1, their mixture or 0; more than
    two classes one against the rest; intercepts are not penalized

    Choose it for very many rows, for sparse rows, or for rows that keep coming. It comes near the optimum in a
    few epochs and stays near it; ridge, logistic and support vector machines find the optimum itself.
    Standardize the columns: one step length serves them all. A row of weight 2 is a step twice as long. Of the
    losses, log_loss has probabilities, those of modified_huber, squared_error, squared_hinge and exponential
    follow from their minimizers, and the others give the logistic function of the score, which is not
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
        The penalty on the weights: half their squares, their absolute values, both, or none.

    alpha : float, default=0.0001
        The strength of the penalty; the steps of learning_rate=optimal depend on it too.

    l1_ratio : float, default=0.15
        The share of the absolute values in an elasticnet penalty.

    fit_intercept : bool, default=True
        Whether scores have an intercept, which is not penalized.

    max_iter : int, default=1000
        Epochs at most.

    tol : float or None, default=0.001
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

    __module__ = "ermine.linear_model"
    _learner = "sgd"
    _accepts = ("sparse",)
    _forwarded = {"loss": "loss", "alpha": "alpha", "fit_intercept": "fit_intercept", "max_iter": "max_iter", "tol": "tol", "shuffle": "shuffle", "epsilon": "epsilon", "learning_rate": "learning_rate", "eta0": "eta0", "power_t": "power_t", "early_stopping": "early_stopping", "validation_fraction": "validation_fraction", "n_iter_no_change": "n_iter_no_change", "average": "average", "batch_size": "batch_size", "decay": "decay", "drop": "drop", "drop_every": "drop_every", "quantile": "quantile", "preset": "preset"}
    _parameter_constraints: dict = {
        "loss": [StrOptions({"hinge", "log_loss", "modified_huber", "squared_hinge", "perceptron", "squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive", "exponential", "linear", "absolute_error", "quantile"})],
        "penalty": [StrOptions({"l2", "l1", "elasticnet"}), None],
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "l1_ratio": [Interval(Real, 0.0, 1.0, closed="both"), None],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="left"), None],
        "shuffle": ["boolean"],
        "verbose": ["verbose"],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "learning_rate": [StrOptions({"constant", "optimal", "invscaling", "adaptive", "inverse", "step", "pa1", "pa2"})],
        "eta0": [Interval(Real, 0.0, None, closed="neither")],
        "power_t": [Interval(Real, None, None, closed="neither")],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "warm_start": ["boolean"],
        "average": [Interval(Integral, 1, None, closed="left"), "boolean"],
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
        tol=0.001,
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


@documented
class SGDRegressor(_stochastic_gradient.SGDRegressor):
    """Linear regression by many losses, learned one row at a time.

    min 1/n sum_i w_i loss(y_i, x_i b + b0) + alpha R(b); R = 1/2 |b|^2, |b|_1, their mixture or 0; more than
    two classes one against the rest; intercepts are not penalized

    Choose it for very many rows, for sparse rows, or for rows that keep coming. It comes near the optimum in a
    few epochs and stays near it; ridge, logistic and support vector machines find the optimum itself.
    Standardize the columns: one step length serves them all. A row of weight 2 is a step twice as long. Of the
    losses, log_loss has probabilities, those of modified_huber, squared_error, squared_hinge and exponential
    follow from their minimizers, and the others give the logistic function of the score, which is not
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
        The penalty on the weights: half their squares, their absolute values, both, or none.

    alpha : float, default=0.0001
        The strength of the penalty; the steps of learning_rate=optimal depend on it too.

    l1_ratio : float, default=0.15
        The share of the absolute values in an elasticnet penalty.

    fit_intercept : bool, default=True
        Whether scores have an intercept, which is not penalized.

    max_iter : int, default=1000
        Epochs at most.

    tol : float or None, default=0.001
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

    __module__ = "ermine.linear_model"
    _learner = "sgd"
    _accepts = ("sparse",)
    _forwarded = {"loss": "loss", "alpha": "alpha", "fit_intercept": "fit_intercept", "max_iter": "max_iter", "tol": "tol", "shuffle": "shuffle", "epsilon": "epsilon", "learning_rate": "learning_rate", "eta0": "eta0", "power_t": "power_t", "early_stopping": "early_stopping", "validation_fraction": "validation_fraction", "n_iter_no_change": "n_iter_no_change", "average": "average", "batch_size": "batch_size", "decay": "decay", "drop": "drop", "drop_every": "drop_every", "quantile": "quantile", "preset": "preset"}
    _parameter_constraints: dict = {
        "loss": [StrOptions({"squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive", "absolute_error", "quantile"})],
        "penalty": [StrOptions({"l2", "l1", "elasticnet"}), None],
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "l1_ratio": [Interval(Real, 0.0, 1.0, closed="both"), None],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="left"), None],
        "shuffle": ["boolean"],
        "verbose": ["verbose"],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "random_state": ["random_state"],
        "learning_rate": [StrOptions({"constant", "optimal", "invscaling", "adaptive", "inverse", "step", "pa1", "pa2"})],
        "eta0": [Interval(Real, 0.0, None, closed="neither")],
        "power_t": [Interval(Real, None, None, closed="neither")],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
        "average": [Interval(Integral, 1, None, closed="left"), "boolean"],
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
        tol=0.001,
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


@documented
class Perceptron(_stochastic_gradient.Perceptron):
    """A linear classifier that learns from its mistakes only.

    b += eta0 s_i x_i for every row with s_i (x_i b + b0) <= 0: steps against sum_i max(0, -s_i (x_i b + b0));
    more than two classes one against the rest

    Choose it for rows that a line separates: it then stops making mistakes after at most (R/margin)^2 of them,
    and the report shows the count against that bound. On other rows the weights never settle; use logistic
    regression or a support vector machine there. It has no probabilities: what is given is the logistic
    function of the score, which is not calibrated.

    Parameters
    ----------
    penalty : {"l2", "l1", "elasticnet"} or None, default=None
        The penalty on the weights: half their squares, their absolute values, both, or none.

    alpha : float, default=0.0001
        The strength of the penalty.

    l1_ratio : float, default=0.15
        The share of the absolute values in an elasticnet penalty.

    fit_intercept : bool, default=True
        Whether scores have an intercept, which is not penalized.

    max_iter : int, default=1000
        Epochs at most.

    tol : float or None, default=0.001
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

    __module__ = "ermine.linear_model"
    _learner = "perceptron"
    _accepts = ("sparse",)
    _fields = ("novikoff",)
    _forwarded = {"alpha": "alpha", "l1_ratio": "l1_ratio", "fit_intercept": "fit_intercept", "max_iter": "max_iter", "tol": "tol", "shuffle": "shuffle", "eta0": "eta0", "early_stopping": "early_stopping", "validation_fraction": "validation_fraction", "n_iter_no_change": "n_iter_no_change"}
    _parameter_constraints: dict = {
        "penalty": [StrOptions({"l2", "l1", "elasticnet"}), None],
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "l1_ratio": [Interval(Real, 0.0, 1.0, closed="both")],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="left"), None],
        "shuffle": ["boolean"],
        "verbose": ["verbose"],
        "eta0": [Interval(Real, 0.0, None, closed="neither")],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
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
        tol=0.001,
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


@documented
class StepwiseRegressor(_stepwise.StepwiseRegressor):
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

    __module__ = "ermine.linear_model"
    _learner = "stepwise"
    _accepts = ("sparse",)
    _fields = ("steps",)
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
