"""Signatures, constraints and documentation; what the classes do is in their bases."""

# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.

from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from .._docs import documented
from . import _kernel_pca, _pca

__all__ = [
    "PCA",
    "IncrementalPCA",
    "KernelPCA",
]


@documented
class PCA(_pca.PCA):
    """Principal components: the directions in which rows differ most.

    min over orthonormal V of sum_i w_i ||x_i - mean - V' V (x_i - mean)||^2

    To look at data in two dimensions, to compress correlated columns, to rid a linear model of collinear ones.
    Standardize columns on different scales first. One pass gathers the covariance and rows are not copied; a
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
        Most further products of randomized after the first; auto continues until tol is met.

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
        Singular values of the centered X.

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

    __module__ = "ermine.decomposition"
    _learner = "pca"
    _accepts = ("sparse", "targets")
    _arrays = ("components", "explained_variance", "explained_variance_ratio", "singular_values", "mean")
    _fields = ("noise_variance", "n_samples")
    _forwarded = {"n_components": "n_components", "whiten": "whiten", "svd_solver": "svd_solver", "tol": "tol", "iterated_power": "iterated_power", "n_oversamples": "n_oversamples", "folds": "folds"}
    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 0, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="neither"), StrOptions({"mle", "cv"}), None],
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


@documented
class IncrementalPCA(_pca.IncrementalPCA):
    """Principal components of rows that arrive in batches.

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
        Singular values of the centered X.

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

    __module__ = "ermine.decomposition"
    _learner = "incremental-pca"
    _accepts = ("sparse", "targets")
    _arrays = ("components", "explained_variance", "explained_variance_ratio", "singular_values", "mean", "var")
    _fields = ("noise_variance",)
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


@documented
class KernelPCA(_kernel_pca.KernelPCA):
    """Principal components in the feature space of a kernel, for curved structure.

    max over orthonormal v of the variance of phi(x).v, phi(x).phi(z) = k(x, z): eigenvectors of the centered
    kernel matrix H K H

    For groups inside one another or along curves, to draw them or in front of a linear model; with the linear
    kernel it is pca. Standardize columns on different scales first. Holds the n x n kernel matrix while it
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
        Penalty of the kernel ridge regression that learns the inverse transform.

    fit_inverse_transform : bool, default=False
        Whether to learn an approximate map from components back to columns (pre-images), by kernel ridge
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
        Most further products of randomized after the first; auto continues until tol is met.

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
        Eigenvalues of the centered kernel matrix, descending.

    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Eigenvectors of the centered kernel matrix.

    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of the variance behind the kernel.

    dual_coef_ : ndarray of shape (n_samples, n_features)
        With fit_inverse_transform, the coefficients of the inverse transform.

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

    __module__ = "ermine.decomposition"
    _learner = "kernel-pca"
    _accepts = ("sparse", "targets")
    _forwarded = {"n_components": "n_components", "alpha": "alpha", "fit_inverse_transform": "fit_inverse_transform", "eigen_solver": "eigen_solver", "tol": "tol", "max_iter": "max_iter", "iterated_power": "iterated_power", "remove_zero_eig": "remove_zero_eig"}
    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "kernel": [StrOptions({"linear", "poly", "rbf", "sigmoid", "cosine", "precomputed"}), callable],
        "gamma": [Interval(Real, 0.0, None, closed="left"), None],
        "degree": [Interval(Real, 0.0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "kernel_params": [dict, None],
        "alpha": [Interval(Real, 0.0, None, closed="left")],
        "fit_inverse_transform": ["boolean"],
        "eigen_solver": [StrOptions({"auto", "dense", "arpack", "randomized"})],
        "tol": [Interval(Real, 0.0, None, closed="left")],
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
