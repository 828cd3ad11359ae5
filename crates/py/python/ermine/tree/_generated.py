"""Signatures, constraints and documentation; what the classes do is in their bases."""

# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.

from numbers import Integral, Real

from sklearn.utils._param_validation import Hidden, Interval, RealNotInt, StrOptions

from .._docs import documented
from . import _c45, _tree

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "C45Classifier",
]


@documented
class DecisionTreeClassifier(_tree.DecisionTreeClassifier):
    """Decision tree (CART) for classes.

    greedy: each node takes the test that lowers sum over children of weight * impurity most, with impurity 1 -
    sum p^2 (gini), - sum p log2 p (entropy), 1 - max p (misclassification), variance (squared_error), mean |y -
    median| (absolute_error) or half the Poisson deviance (poisson); then R(T) + ccp_alpha * leaves is minimized
    over subtrees T

    A model people can read, for columns of any scale and kind. A single deep tree overfits: limit depth, leaf
    size or leaves, or prune. Every column is sorted once, then each level costs one pass over the cells; memory
    is four bytes per cell. Missing values take the side that is better in training. The same bits for any order
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
        best tries every threshold; random draws one threshold per column and takes the best column.

    max_depth : int or None, default=None
        Greatest number of tests on the path to a leaf; null for no limit.

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
        Folds of the cross-validation that ccp_alpha=cv asks for; at most one fold per row.

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

    __module__ = "ermine.tree"
    _learner = "tree"
    _accepts = ("sparse", "missing", "categories", "targets")
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


@documented
class DecisionTreeRegressor(_tree.DecisionTreeRegressor):
    """Decision tree (CART) for numbers.

    greedy: each node takes the test that lowers sum over children of weight * impurity most, with impurity 1 -
    sum p^2 (gini), - sum p log2 p (entropy), 1 - max p (misclassification), variance (squared_error), mean |y -
    median| (absolute_error) or half the Poisson deviance (poisson); then R(T) + ccp_alpha * leaves is minimized
    over subtrees T

    A model people can read, for columns of any scale and kind. A single deep tree overfits: limit depth, leaf
    size or leaves, or prune. Every column is sorted once, then each level costs one pass over the cells; memory
    is four bytes per cell. Missing values take the side that is better in training. The same bits for any order
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
        best tries every threshold; random draws one threshold per column and takes the best column.

    max_depth : int or None, default=None
        Greatest number of tests on the path to a leaf; null for no limit.

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
        Folds of the cross-validation that ccp_alpha=cv asks for; at most one fold per row.

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

    __module__ = "ermine.tree"
    _learner = "tree"
    _accepts = ("sparse", "missing", "categories", "targets")
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


@documented
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
        Greatest number of tests on the path to a leaf; null for no limit.

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
        Tests on the longest path to a leaf.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Quinlan: C4.5: Programs for Machine Learning, 1993
    """

    __module__ = "ermine.tree"
    _learner = "c45"
    _accepts = ("sparse", "missing", "categories")
    _forwarded = {"criterion": "criterion", "max_depth": "max_depth", "min_samples_leaf": "min_samples_leaf", "pruning": "pruning", "confidence": "confidence", "subtree_raising": "subtree_raising"}
    _parameter_constraints: dict = {
        "criterion": [StrOptions({"gain_ratio", "gain", "gini"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_leaf": [Interval(Real, 0.0, None, closed="neither")],
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
