"""Signatures, constraints and documentation; what the classes do is in their bases."""

# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.

from numbers import Integral, Real

from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from .._docs import documented
from . import _discriminant

__all__ = [
    "LinearDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
]


@documented
class LinearDiscriminantAnalysis(_discriminant.LinearDiscriminantAnalysis):
    """Linear discriminant analysis: normal classes with one covariance, and Fisher's projection.

    max sum_i w_i (ln prior_k + ln N(x_i; mean_k, S)), k the class of row i; projection: S_b w = lambda S_w w

    For classes that are roughly normal and spread alike; strong on few rows. One pass of p^2 operations per
    row. The covariance has the divisor n - K (svd, unless divisor is ml) or n (lsqr, eigen). Directions in
    which no class varies are left out and named; with about as many columns as rows use solver lsqr or eigen
    with shrinkage. As a transformer it gives Fisher's directions, at most one less than there are classes. A
    class without rows has probability 0.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        "svd": pooled covariance, Fisher's directions. "lsqr": mean of the covariances of the classes (divisor
        n_k) weighted by the priors, no directions, takes shrinkage. "eigen": as lsqr, with directions by the
        generalized eigenproblem.

    shrinkage : "auto", float or None, default=None
        How far covariances C are drawn toward a multiple of the identity: null for not at all, a share s for (1
        - s) C + s tr(C)/p I, or "auto" for the share of Ledoit and Wolf, which expects the least squared error,
        on the columns divided by their standard deviations.

    priors : array-like of shape (n_classes,) or None, default=None
        Probabilities of the classes, in the order of the sorted class names; they sum to 1. By default the
        shares of the classes in the training rows.

    n_components : int or None, default=None
        Directions that the transformation keeps, at most one less than there are classes and no more than there
        are columns; null keeps all. Predictions do not depend on it.

    store_covariance : bool, default=False
        Keep the covariance within classes in the model; lsqr and eigen always do.

    tol : float, default=0.0001
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

    __module__ = "ermine.discriminant_analysis"
    _learner = "lda"
    _accepts = ()
    _forwarded = {"solver": "solver", "store_covariance": "store_covariance", "tol": "tol"}
    _parameter_constraints: dict = {
        "solver": [StrOptions({"svd", "lsqr", "eigen"})],
        "shrinkage": [StrOptions({"auto"}), Interval(Real, 0.0, 1.0, closed="both"), None],
        "priors": ["array-like", None],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "store_covariance": ["boolean"],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "covariance_estimator": [HasMethods(["fit"]), None],
    }

    def __init__(
        self,
        solver="svd",
        shrinkage=None,
        priors=None,
        n_components=None,
        store_covariance=False,
        tol=0.0001,
        covariance_estimator=None,
    ):
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator


@documented
class QuadraticDiscriminantAnalysis(_discriminant.QuadraticDiscriminantAnalysis):
    """Quadratic discriminant analysis: normal classes, each with its own covariance.

    max sum_i w_i (ln prior_k + ln N(x_i; mean_k, S_k)), k the class of row i

    For classes that spread differently, with many more rows than columns; otherwise lda, or shrinkage. One pass
    of p^2 operations per row. Covariances have the divisor n_k - 1 (svd, unless divisor is ml) or n_k (eigen).
    Directions in which no class varies are left out; where only some classes do not vary, their spread there is
    set to tol of that within all classes, and the certificate says so. A class without rows has probability 0.

    As in scikit-learn, a covariance with a variance of at most `tol` in some direction is an error here; the
    learner itself copes with it.

    Parameters
    ----------
    solver : {"svd", "eigen"}, default="svd"
        "svd": takes reg_param and divisor. "eigen": covariances with divisor n_k, takes shrinkage.

    shrinkage : "auto", float or None, default=None
        How far covariances C are drawn toward a multiple of the identity: null for not at all, a share s for (1
        - s) C + s tr(C)/p I, or "auto" for the share of Ledoit and Wolf, which expects the least squared error,
        on the columns divided by their standard deviations.

    priors : array-like of shape (n_classes,) or None, default=None
        Probabilities of the classes, in the order of the sorted class names; they sum to 1. By default the
        shares of the classes in the training rows.

    reg_param : float, default=0.0
        svd: a share r that makes covariances (1 - r) C + r I, in the units of the columns; standardize them
        first.

    store_covariance : bool, default=False
        Keep the covariances of the classes as `covariance_`.

    tol : float, default=0.0001
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

    __module__ = "ermine.discriminant_analysis"
    _learner = "qda"
    _accepts = ()
    _arrays = ("means", "priors")
    _forwarded = {"solver": "solver"}
    _parameter_constraints: dict = {
        "solver": [StrOptions({"svd", "eigen"})],
        "shrinkage": [StrOptions({"auto"}), Interval(Real, 0.0, 1.0, closed="both"), None],
        "priors": ["array-like", None],
        "reg_param": [Interval(Real, 0.0, 1.0, closed="both")],
        "store_covariance": ["boolean"],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "covariance_estimator": [HasMethods(["fit"]), None],
    }

    def __init__(
        self,
        *,
        solver="svd",
        shrinkage=None,
        priors=None,
        reg_param=0.0,
        store_covariance=False,
        tol=0.0001,
        covariance_estimator=None,
    ):
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
