"""Signatures, constraints and documentation; what the classes do is in their bases."""

# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.

from numbers import Integral, Real

from sklearn.utils._param_validation import Interval

from .._docs import documented
from . import _discrete, _gaussian

__all__ = [
    "GaussianNB",
    "MultinomialNB",
    "ComplementNB",
    "BernoulliNB",
    "CategoricalNB",
]


@documented
class GaussianNB(_gaussian.GaussianNB):
    """Naive Bayes with normal columns: independent within a class, each with its mean and variance.

    max sum_i w_i (ln prior_k + sum_j ln N(x_ij; mean_kj, var_kj)), k the class of row i

    A first classifier: one pass, few rows per class, nothing to tune. Its classes are often right where its
    probabilities are overconfident, since dependent columns count as independent evidence. The variance has the
    weight of the class as divisor. A class without rows has probability 0.

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

    __module__ = "ermine.naive_bayes"
    _learner = "gaussian-nb"
    _accepts = ()
    _arrays = ("theta", "var", "class_prior", "class_count")
    _fields = ("epsilon",)
    _forwarded = {"var_smoothing": "var_smoothing"}
    _parameter_constraints: dict = {
        "priors": ["array-like", None],
        "var_smoothing": [Interval(Real, 0.0, None, closed="left")],
    }

    def __init__(self, *, priors=None, var_smoothing=1e-9):
        self.priors = priors
        self.var_smoothing = var_smoothing


@documented
class MultinomialNB(_discrete.MultinomialNB):
    """Naive Bayes for counts, such as words of texts: a class is a die with a side for each column.

    theta_kj = (N_kj + alpha_j) / (N_k + sum_j alpha_j); max over k of ln prior_k + sum_j x_j ln theta_kj;
    complement: max over k of -sum_j x_j ln ((alpha_j + sum_{l!=k} N_lj) / (sum_j alpha_j + sum_{l!=k} N_l))

    For texts as counts of words (or tf-idf) and anything that is counted; cells must be 0 or more. One pass;
    sparse rows are read as they lie. alpha is the Dirichlet prior; at 0 what a class has never seen is
    impossible in it. The complement is better where classes differ much in size; its probabilities are the
    softmax of its scores. Probabilities are overconfident, since words count as independent evidence.

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

    __module__ = "ermine.naive_bayes"
    _learner = "multinomial-nb"
    _accepts = ("sparse", "counts")
    _arrays = ("class_count", "class_log_prior")
    _forwarded = {"fit_prior": "fit_prior"}
    _parameter_constraints: dict = {
        "alpha": ["array-like", Interval(Real, 0.0, None, closed="left")],
        "force_alpha": ["boolean"],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", None],
    }

    def __init__(self, *, alpha=1.0, force_alpha=True, fit_prior=True, class_prior=None):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior


@documented
class ComplementNB(_discrete.ComplementNB):
    """Naive Bayes for counts that scores a class by how little a row looks like all others.

    theta_kj = (N_kj + alpha_j) / (N_k + sum_j alpha_j); max over k of ln prior_k + sum_j x_j ln theta_kj;
    complement: max over k of -sum_j x_j ln ((alpha_j + sum_{l!=k} N_lj) / (sum_j alpha_j + sum_{l!=k} N_l))

    For texts as counts of words (or tf-idf) and anything that is counted; cells must be 0 or more. One pass;
    sparse rows are read as they lie. alpha is the Dirichlet prior; at 0 what a class has never seen is
    impossible in it. The complement is better where classes differ much in size; its probabilities are the
    softmax of its scores. Probabilities are overconfident, since words count as independent evidence.

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
        Divide the complement's weights of each class by their sum, so that long texts do not favor a class.

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

    __module__ = "ermine.naive_bayes"
    _learner = "multinomial-nb"
    _accepts = ("sparse", "counts")
    _arrays = ("class_count", "class_log_prior")
    _forwarded = {"fit_prior": "fit_prior", "norm": "norm"}
    _parameter_constraints: dict = {
        "alpha": ["array-like", Interval(Real, 0.0, None, closed="left")],
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


@documented
class BernoulliNB(_discrete.BernoulliNB):
    """Naive Bayes for yes/no columns: independent within a class, each with its probability.

    p_kj = (n_kj + alpha_j) / (n_k + 2 alpha_j); max over k of ln prior_k + sum_j b_j ln p_kj + (1 - b_j) ln (1
    - p_kj), b_j whether cell j is above binarize

    For yes and no, and for short texts, where absent words are evidence too. One pass; sparse rows are read as
    they lie. alpha is the Beta prior; at 0 what a class has never seen is impossible in it. Probabilities are
    overconfident where columns depend on each other.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-counts of yes and of no that are added in every class: one number, or a list with one for each
        column.

    force_alpha : bool, default=True
        Take `alpha` as it is. Otherwise pseudo-counts below 1e-10 are raised to that, with a warning.

    binarize : float or None, default=0.0
        Cells above this number are yes. null: the cells are 0 or 1 already, or shares between.

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

    __module__ = "ermine.naive_bayes"
    _learner = "bernoulli-nb"
    _accepts = ("sparse",)
    _arrays = ("class_count", "class_log_prior")
    _forwarded = {"binarize": "binarize", "fit_prior": "fit_prior"}
    _parameter_constraints: dict = {
        "alpha": ["array-like", Interval(Real, 0.0, None, closed="left")],
        "force_alpha": ["boolean"],
        "binarize": [None, Interval(Real, 0.0, None, closed="left")],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", None],
    }

    def __init__(self, *, alpha=1.0, force_alpha=True, binarize=0.0, fit_prior=True, class_prior=None):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior


@documented
class CategoricalNB(_discrete.CategoricalNB):
    """Naive Bayes for categories: independent within a class, each level with its probability.

    p_kj(l) = (n_kjl + alpha) / (n_kj + alpha L_j); max over k of ln prior_k + sum_j ln p_kj(x_j), L_j the
    levels of column j

    For columns of categories, by name, with missing cells as a level of their own; number columns must hold
    codes, whole numbers from 0 up: bin other numbers first. One pass. alpha is the Dirichlet prior. Levels that
    training has not seen are ignored. Probabilities are overconfident where columns depend on each other.

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

    __module__ = "ermine.naive_bayes"
    _learner = "categorical-nb"
    _accepts = ("categories", "codes")
    _arrays = ("class_count", "class_log_prior")
    _forwarded = {"alpha": "alpha", "fit_prior": "fit_prior"}
    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0.0, None, closed="left")],
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
