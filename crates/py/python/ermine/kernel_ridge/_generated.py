"""Signatures, constraints and documentation; what the classes do is in their bases."""

# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.

from numbers import Real

from sklearn.utils._param_validation import Interval, StrOptions

from .._docs import documented
from . import _kernel_ridge

__all__ = [
    "KernelRidge",
]


@documented
class KernelRidge(_kernel_ridge.KernelRidge):
    """Ridge regression with kernels.

    min sum_i w_i (y_i - f(x_i))^2 + alpha |f|^2, f(x) = sum_j c_j k(x_j, x), (K + alpha I) c = y

    Choose it for smooth curves through up to some thousand rows; every row carries the model. Center the
    target: there is no constant term. A Cholesky factorization (n^2 f64, n^3/3 multiplications); a list of
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

    __module__ = "ermine.kernel_ridge"
    _learner = "kernel-ridge"
    _accepts = ("sparse", "targets")
    _forwarded = {}
    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0.0, None, closed="left"), "array-like"],
        "kernel": [StrOptions({"additive_chi2", "chi2", "cosine", "laplacian", "linear", "poly", "polynomial", "rbf", "sigmoid", "precomputed"}), callable],
        "gamma": [Interval(Real, 0.0, None, closed="left"), None],
        "degree": [Interval(Real, 0.0, None, closed="left")],
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
