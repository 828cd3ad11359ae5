"""Signatures, constraints and documentation; what the classes do is in their bases."""

# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.

from numbers import Integral, Real

from sklearn.utils._param_validation import Hidden, Interval, StrOptions

from .._docs import documented
from . import _classes, _linear

__all__ = [
    "SVC",
    "SVR",
    "LinearSVC",
    "LinearSVR",
]


@documented
class SVC(_classes.SVC):
    """Support vector classification.

    min 1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (w.phi(x_i) + b)); with numbers, max(0, |y_i - f(x_i)| - epsilon)

    Choose it for a few thousand to some ten thousand rows where the border between classes is curved. Columns
    should be on one scale. Time grows between the square and the cube of the number of rows, so that beyond
    200,000 rows it asks to be forced; feature maps (nystroem, rff) in front of linear-svm go on from there.
    Steps on pairs of variables within working sets, rows of the kernel matrix in f32 within cache_mb, the
    certificate in f64. C=null is the hard margin, and an error where classes cannot be separated. Probabilities
    come from a sigmoid of the scores of the training rows, or with probability=true of rows held out in 5
    folds, which is less sure of itself and right more often.

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

    tol : float, default=0.001
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
        Scores of more than two classes: ovr, one per class made of votes and scores; ovo, one per pair.

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

    __module__ = "ermine.svm"
    _learner = "svm"
    _accepts = ("sparse",)
    _arrays = ("slack",)
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
        "cache_size": [Interval(Real, 0.0, None, closed="neither")],
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
        tol=0.001,
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


@documented
class SVR(_classes.SVR):
    """Support vector regression with a tube of width epsilon.

    min 1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (w.phi(x_i) + b)); with numbers, max(0, |y_i - f(x_i)| - epsilon)

    Choose it for a few thousand to some ten thousand rows where the border between classes is curved. Columns
    should be on one scale. Time grows between the square and the cube of the number of rows, so that beyond
    200,000 rows it asks to be forced; feature maps (nystroem, rff) in front of linear-svm go on from there.
    Steps on pairs of variables within working sets, rows of the kernel matrix in f32 within cache_mb, the
    certificate in f64. C=null is the hard margin, and an error where classes cannot be separated. Probabilities
    come from a sigmoid of the scores of the training rows, or with probability=true of rows held out in 5
    folds, which is less sure of itself and right more often.

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

    tol : float, default=0.001
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

    __module__ = "ermine.svm"
    _learner = "svm"
    _accepts = ("sparse",)
    _arrays = ("slack",)
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
        "cache_size": [Interval(Real, 0.0, None, closed="neither")],
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
        tol=0.001,
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


@documented
class LinearSVC(_linear.LinearSVC):
    """Linear support vector classification by coordinate descent.

    min 1/2 |w|^2 + sum_i C_i loss(y_i, w.x_i + b), or |w|_1 in the place of 1/2 |w|^2

    Choose it for many rows or many sparse columns, and behind feature maps in the place of a kernel machine.
    Columns should be on one scale: the constant term is penalized like a weight, less so the larger
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

    tol : float, default=0.0001
        Largest violation of the optimality conditions at the end, in units of the scores; with the l1 penalty,
        next to that of the first round; with newton, the root of the duality gap next to the objective.

    C : float, default=1.0
        The price of an error, times the weight of its row.

    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        ovr, each class from all others; crammer_singer, all in one problem with the hinge.

    fit_intercept : bool, default=True
        Whether there is a constant term.

    intercept_scaling : float, default=1.0
        The value of the constant column, whose weight is penalized like the others.

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

    __module__ = "ermine.svm"
    _learner = "linear-svm"
    _accepts = ("sparse",)
    _forwarded = {"penalty": "penalty", "loss": "loss", "tol": "tol", "C": "C", "multi_class": "multi_class", "fit_intercept": "fit_intercept", "max_iter": "max_iter"}
    _parameter_constraints: dict = {
        "penalty": [StrOptions({"l1", "l2"})],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "dual": ["boolean", StrOptions({"auto"})],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "multi_class": [StrOptions({"ovr", "crammer_singer"})],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0.0, None, closed="neither")],
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
        tol=0.0001,
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


@documented
class LinearSVR(_linear.LinearSVR):
    """Linear support vector regression by coordinate descent.

    min 1/2 |w|^2 + sum_i C_i loss(y_i, w.x_i + b), or |w|_1 in the place of 1/2 |w|^2

    Choose it for many rows or many sparse columns, and behind feature maps in the place of a kernel machine.
    Columns should be on one scale: the constant term is penalized like a weight, less so the larger
    intercept_scaling is. A round costs one look at every row; memory is that of the rows and one number each.
    Rows are visited in random order, so that another order of the rows changes the last digits.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the tube around a regression within which errors cost nothing.

    tol : float, default=0.0001
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
        The value of the constant column, whose weight is penalized like the others.

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

    __module__ = "ermine.svm"
    _learner = "linear-svm"
    _accepts = ("sparse",)
    _forwarded = {"tol": "tol", "C": "C", "loss": "loss", "fit_intercept": "fit_intercept", "max_iter": "max_iter"}
    _parameter_constraints: dict = {
        "epsilon": [Real],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "loss": [StrOptions({"epsilon_insensitive", "squared_epsilon_insensitive"})],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0.0, None, closed="neither")],
        "dual": ["boolean", StrOptions({"auto"})],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        epsilon=0.0,
        tol=0.0001,
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
