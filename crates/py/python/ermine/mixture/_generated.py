"""Signatures, constraints and documentation; what the classes do is in their bases."""

# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.

from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

from .._docs import documented
from . import _experts, _gaussian_mixture

__all__ = [
    "GaussianMixture",
    "GaussianMixtureClassifier",
    "MixtureOfExpertsRegressor",
    "MixtureOfExpertsClassifier",
]


@documented
class GaussianMixture(_gaussian_mixture.GaussianMixture):
    """Mixture of Gaussians: groups that may overlap, and the density they make.

    max over weights, means, covariances of sum_i w_i log sum_k weight_k N(x_i; mean_k, cov_k)

    For groups of different size, shape and direction that may overlap, for densities of several bumps, for
    outliers and for filling in missing cells: a row counts with the cells it has. One pass per step, about n k
    p^2 operations with full covariances. The log likelihood never falls; the end is a mixture that no step
    improves, not the best of all, so try several starts (n_init). A component that closes in on too few rows is
    tried again from another start, and named where it still happened.

    Where scikit-learn has the parameter, its name, meaning and default are the same; `reg_covar` is added to
    the variances unless `regularise="floor"`. A mean to start from that is given alone starts with equal
    weights and the covariance of all rows.

    Parameters
    ----------
    n_components : int, default=1
        How many components; with choose, the most that are tried.

    covariance_type : {"full", "tied", "diag", "spherical", "tied_spherical"}, default="full"
        What the covariances may be: "full" (any, one per component), "tied" (any, one for all), "diag"
        (diagonal, one per component), "spherical" (one variance per component), "tied_spherical" (one variance
        for all).

    tol : float, default=0.001
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
        Means to start from, one list of numbers per component. Unless they are given too, weights are then
        equal and covariances that of all rows.

    precisions_init : array-like or None, default=None
        Inverses of the covariances to start from: a list of matrices for "full", a matrix for "tied", a list of
        numbers per component for "diag", a number per component for "spherical", a number for "tied_spherical".

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
        enough stays as it is. "add": it is added to all variances; what is maximized is then the expected log
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

    __module__ = "ermine.mixture"
    _learner = "gmm"
    _accepts = ("missing", "targets")
    _arrays = ("weights", "means", "covariances")
    _fields = ("choice",)
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
        tol=0.001,
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


@documented
class GaussianMixtureClassifier(_gaussian_mixture.GaussianMixtureClassifier):
    """Bayes classifier with a mixture of Gaussians for each class.

    max sum_i w_i log p(x_i | y_i), p(x | y) a mixture of Gaussians; p(y | x) ~ p(y) p(x | y)

    For classes with several bumps or curved borders, and where rows like no other should be noticed; missing
    cells are integrated over. Each class has as many components as its BIC asks for, at most n_components. With
    one component per class it is quadratic discriminant analysis (with divisor n). Classes share nothing: one
    of few rows has a covariance of few rows. A class without rows has probability 0.

    Parameters
    ----------
    n_components : int, default=5
        The most components of a class; without choose, their number.

    choose : {"bic", "aic", "cv"} or None, default="bic"
        How the number of components of each class is chosen from 1 to n_components: by "bic" or "aic" (least
        information criterion) or by "cv" (greatest likelihood of rows held out). null takes n_components for
        all.

    covariance_type : {"full", "tied", "diag", "spherical", "tied_spherical"}, default="full"
        What the covariances may be: "full" (any, one per component), "tied" (any, one for all), "diag"
        (diagonal, one per component), "spherical" (one variance per component), "tied_spherical" (one variance
        for all).

    priors : array-like of shape (n_classes,) or None, default=None
        Probabilities of the classes, in the order of the sorted class names; they sum to 1. By default the
        shares of the classes in the training rows.

    tol : float, default=0.001
        The end is reached when a step changes the mean log likelihood of a row by less than this.

    reg_covar : float, default=1e-6
        Keeps covariances from collapsing, see regularise; a variance, in squared units of the columns.

    regularise : {"add", "floor", "relative"}, default="relative"
        What reg_covar does. "floor": no covariance is narrower than it in any direction, and one that is wide
        enough stays as it is. "add": it is added to all variances; what is maximized is then the expected log
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

    __module__ = "ermine.mixture"
    _learner = "gmm-classifier"
    _accepts = ("missing",)
    _arrays = ("class_prior", "class_count")
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
        tol=0.001,
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


@documented
class MixtureOfExpertsRegressor(_experts.MixtureOfExpertsRegressor):
    """Several linear models with Gaussian noise and a softmax gate that weights them for each row.

    max sum_i w_i log sum_k g_k(x_i) p_k(y_i | x_i) - alpha/2 (|gate slopes|^2 + |expert slopes|^2 [/ var_k])

    For regimes: where one straight line is not enough but a few are, each in its own region, perhaps with its
    own noise. Experts are linear with Gaussian noise for numbers and softmax regressions for classes; each can
    be read like a linear model. The penalized log likelihood never falls; the end is a mixture that no step
    improves, so try several starts (n_init). One pass per step, about n k^2 p^2 / 4 operations for the gate.
    The prediction is the mean over experts, the variance adds the spread between them.

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
        direction in which the columns vary most, by the residuals of one linear model, by its predictions.
        Further ones group rows around some that are spread out.

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

    __module__ = "ermine.mixture"
    _learner = "mixture-of-experts"
    _accepts = ()
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


@documented
class MixtureOfExpertsClassifier(_experts.MixtureOfExpertsClassifier):
    """Several softmax regressions and a softmax gate that weights them for each row.

    max sum_i w_i log sum_k g_k(x_i) p_k(y_i | x_i) - alpha/2 (|gate slopes|^2 + |expert slopes|^2 [/ var_k])

    For regimes: where one straight line is not enough but a few are, each in its own region, perhaps with its
    own noise. Experts are linear with Gaussian noise for numbers and softmax regressions for classes; each can
    be read like a linear model. The penalized log likelihood never falls; the end is a mixture that no step
    improves, so try several starts (n_init). One pass per step, about n k^2 p^2 / 4 operations for the gate.
    The prediction is the mean over experts, the variance adds the spread between them.

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
        direction in which the columns vary most, by the residuals of one linear model, by its predictions.
        Further ones group rows around some that are spread out.

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

    __module__ = "ermine.mixture"
    _learner = "mixture-of-experts"
    _accepts = ()
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
