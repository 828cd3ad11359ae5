"""Signatures, constraints and documentation; what the classes do is in their bases."""

# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.

from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

from .._docs import documented
from . import _feature_maps

__all__ = [
    "Nystroem",
    "RBFSampler",
]


@documented
class Nystroem(_feature_maps.Nystroem):
    """Columns whose inner products approximate any kernel, from some of the rows.

    z(x) = K_mm^(-1/2) [k(x_1, x) ... k(x_m, x)] for m rows drawn at random

    In front of a linear learner in the place of an exact kernel machine: memory and time grow with rows times
    n_components. The error next to the kernel is measured on 200 rows and reported in the certificate.

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

    __module__ = "ermine.kernel_approximation"
    _learner = "nystroem"
    _accepts = ("sparse", "targets")
    _arrays = ("normalization",)
    _forwarded = {"n_components": "n_components"}
    _parameter_constraints: dict = {
        "kernel": [StrOptions({"additive_chi2", "chi2", "cosine", "laplacian", "linear", "poly", "polynomial", "rbf", "sigmoid", "precomputed"}), callable],
        "gamma": [Interval(Real, 0.0, None, closed="left"), None],
        "coef0": [Interval(Real, None, None, closed="neither"), None],
        "degree": [Interval(Real, 1.0, None, closed="left"), None],
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


@documented
class RBFSampler(_feature_maps.RBFSampler):
    """Random waves whose inner products approximate the Gaussian kernel.

    z_j(x) = sqrt(2/D) cos(w_j.x + b_j), w_j normal with variance 2 gamma, b_j uniform on a circle

    In front of a linear learner in the place of an exact kernel machine. Needs nothing but the scale of the
    rows; its error falls as one over the root of n_components, slower than that of nystroem where the kernel is
    smooth. The error is measured on 200 rows and reported in the certificate.

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

    __module__ = "ermine.kernel_approximation"
    _learner = "rff"
    _accepts = ("sparse", "targets")
    _arrays = ("random_offset",)
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
