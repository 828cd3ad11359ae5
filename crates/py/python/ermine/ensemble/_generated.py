"""Signatures, constraints and documentation; what the classes do is in their bases."""

# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.

from numbers import Integral, Real

from sklearn.utils._param_validation import HasMethods, Hidden, Interval, RealNotInt, StrOptions

from .._docs import documented
from . import _forest, _gradient_boosting, _hist_gradient_boosting, _meta, _weight_boosting

__all__ = [
    "RandomForestClassifier",
    "RandomForestRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
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
]


@documented
class RandomForestClassifier(_forest.ForestClassifier):
    """Random forest for classes.

    mean over trees of class shares or means; each tree greedily lowers sum over leaves of weight * impurity on
    rows drawn with replacement, each split over max_features columns drawn anew

    A strong model without tuning or preparation; categories and missing values as they are. Rows outside the
    bag of a tree give an honest estimate (oob_score) and the worth of each column (permutation_importances).
    thresholds = random with bootstrap = false is extremely randomized trees. The same bits on any number of
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
        Greatest number of tests on the path to a leaf; null for no limit.

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
        The prediction for a row of which nothing is known.

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

    __module__ = "ermine.ensemble"
    _learner = "forest"
    _accepts = ("sparse", "missing", "categories", "targets")
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


@documented
class RandomForestRegressor(_forest.ForestRegressor):
    """Random forest for numbers.

    mean over trees of class shares or means; each tree greedily lowers sum over leaves of weight * impurity on
    rows drawn with replacement, each split over max_features columns drawn anew

    A strong model without tuning or preparation; categories and missing values as they are. Rows outside the
    bag of a tree give an honest estimate (oob_score) and the worth of each column (permutation_importances).
    thresholds = random with bootstrap = false is extremely randomized trees. The same bits on any number of
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
        Greatest number of tests on the path to a leaf; null for no limit.

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
        The prediction for a row of which nothing is known.

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

    __module__ = "ermine.ensemble"
    _learner = "forest"
    _accepts = ("sparse", "missing", "categories", "targets")
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


@documented
class ExtraTreesClassifier(_forest.ExtraTreesClassifier):
    """Extremely randomized trees for classes.

    mean over trees of class shares or means; each tree greedily lowers sum over leaves of weight * impurity on
    rows drawn with replacement, each split over max_features columns drawn anew

    A strong model without tuning or preparation; categories and missing values as they are. Rows outside the
    bag of a tree give an honest estimate (oob_score) and the worth of each column (permutation_importances).
    thresholds = random with bootstrap = false is extremely randomized trees. The same bits on any number of
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
        Greatest number of tests on the path to a leaf; null for no limit.

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
        The prediction for a row of which nothing is known.

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

    __module__ = "ermine.ensemble"
    _learner = "forest"
    _accepts = ("sparse", "missing", "categories", "targets")
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


@documented
class ExtraTreesRegressor(_forest.ExtraTreesRegressor):
    """Extremely randomized trees for numbers.

    mean over trees of class shares or means; each tree greedily lowers sum over leaves of weight * impurity on
    rows drawn with replacement, each split over max_features columns drawn anew

    A strong model without tuning or preparation; categories and missing values as they are. Rows outside the
    bag of a tree give an honest estimate (oob_score) and the worth of each column (permutation_importances).
    thresholds = random with bootstrap = false is extremely randomized trees. The same bits on any number of
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
        Greatest number of tests on the path to a leaf; null for no limit.

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
        The prediction for a row of which nothing is known.

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

    __module__ = "ermine.ensemble"
    _learner = "forest"
    _accepts = ("sparse", "missing", "categories", "targets")
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


@documented
class GradientBoostingClassifier(_gradient_boosting.GradientBoostingClassifier):
    """Gradient boosting on exact trees, for classes.

    sum w L(y, F(x)), F = F0 + learning_rate * sum of rho_m h_m; h_m is the tree nearest in squares to -dL/dF

    For up to some ten thousand rows and for losses without second derivatives; boosting is much faster on more
    rows. With n_iter_no_change a part of the rows is held out and the rounds end when it stops improving. More
    rounds can be added later without changing those that are there. The same bits on any number of threads.

    X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or categories,
    with missing values; in arrays NaN is a missing value.

    Parameters
    ----------
    loss : {"log_loss", "exponential"}, default="log_loss"
        What is minimized: squared_error, absolute_error, huber, quantile (pinball) or poisson (log link) for
        numbers; log_loss (logistic, softmax) or exponential (two classes) for classes. auto is squared_error or
        log_loss.

    learning_rate : float, default=0.1
        Factor of every step.

    n_estimators : int, default=100
        Rounds; a tree each, or one tree per class.

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
        Greatest number of tests on the path to a leaf; null for no limit.

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
        The trees: one row per round, one column per class.

    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the decrease of the impurity.

    expected_value_ : float or ndarray of shape (n_outputs,)
        The prediction for a row of which nothing is known.

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

    __module__ = "ermine.ensemble"
    _learner = "gradient-boosting"
    _accepts = ("sparse", "missing", "categories")
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


@documented
class GradientBoostingRegressor(_gradient_boosting.GradientBoostingRegressor):
    """Gradient boosting on exact trees, for numbers.

    sum w L(y, F(x)), F = F0 + learning_rate * sum of rho_m h_m; h_m is the tree nearest in squares to -dL/dF

    For up to some ten thousand rows and for losses without second derivatives; boosting is much faster on more
    rows. With n_iter_no_change a part of the rows is held out and the rounds end when it stops improving. More
    rounds can be added later without changing those that are there. The same bits on any number of threads.

    X may be a DataFrame, a table or anything with __arrow_c_stream__ whose columns are numbers or categories,
    with missing values; in arrays NaN is a missing value.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber", "quantile", "poisson"}, default="squared_error"
        What is minimized: squared_error, absolute_error, huber, quantile (pinball) or poisson (log link) for
        numbers; log_loss (logistic, softmax) or exponential (two classes) for classes. auto is squared_error or
        log_loss.

    learning_rate : float, default=0.1
        Factor of every step.

    n_estimators : int, default=100
        Rounds; a tree each, or one tree per class.

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
        Greatest number of tests on the path to a leaf; null for no limit.

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
        The trees: one row per round, one column per class.

    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the decrease of the impurity.

    expected_value_ : float or ndarray of shape (n_outputs,)
        The prediction for a row of which nothing is known.

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

    __module__ = "ermine.ensemble"
    _learner = "gradient-boosting"
    _accepts = ("sparse", "missing", "categories")
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


@documented
class AdaBoostClassifier(_weight_boosting.AdaBoostClassifier):
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
        plain; float removes learners that are in the way after each round; totally_corrective optimizes the
        votes of all learners after each round. The last two need algorithm discrete.

    stump_criterion : {"auto", "gini", "error", "z"}, default="auto"
        What a stump minimizes: gini impurity, weighted error, or z, the factor of the exponential loss in a
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
        Columns and rows of the trace: error, vote, training error and its bound in each round.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Freund, Schapire 1997; Schapire, Singer 1999; Hastie, Rosset, Zhu, Zou: Multi-class AdaBoost, 2009; Drucker:
    Improving regressors using boosting techniques, 1997
    """

    __module__ = "ermine.ensemble"
    _learner = "adaboost"
    _accepts = ("sparse", "missing", "categories")
    _forwarded = {"n_estimators": "n_estimators", "learning_rate": "learning_rate", "algorithm": "algorithm", "variant": "variant", "stump_criterion": "stump_criterion"}
    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0.0, None, closed="neither")],
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


@documented
class AdaBoostRegressor(_weight_boosting.AdaBoostRegressor):
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

    __module__ = "ermine.ensemble"
    _learner = "adaboost"
    _accepts = ("sparse", "missing", "categories")
    _forwarded = {"n_estimators": "n_estimators", "learning_rate": "learning_rate", "loss": "loss"}
    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0.0, None, closed="neither")],
        "loss": [StrOptions({"linear", "square", "exponential"})],
        "random_state": ["random_state"],
    }

    def __init__(self, estimator=None, *, n_estimators=50, learning_rate=1.0, loss="linear", random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.random_state = random_state


@documented
class BaggingClassifier(_meta.BaggingClassifier):
    """One learner on many samples of the rows, averaged, with an out-of-bag estimate.

    f(x) = 1/B sum_b f_b(x), each f_b the base trained on rows (and columns) drawn anew; class probabilities are
    averaged

    For learners of high variance, deep trees above all. Any learner of the catalogue may be the base: --set
    base=NAME, and its parameters are base.NAME: --set base=tree --set base.max_depth=4. Costs n_estimators
    fits. It does not train in passes.

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
        Whether scikit-learn's loop reports its progress.

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

    __module__ = "ermine.ensemble"
    _learner = "bagging"
    _forwarded = {}
    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, None, closed="neither"), None],
        "max_features": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right")],
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


@documented
class BaggingRegressor(_meta.BaggingRegressor):
    """One learner on many samples of the rows, averaged, with an out-of-bag estimate.

    f(x) = 1/B sum_b f_b(x), each f_b the base trained on rows (and columns) drawn anew; class probabilities are
    averaged

    For learners of high variance, deep trees above all. Any learner of the catalogue may be the base: --set
    base=NAME, and its parameters are base.NAME: --set base=tree --set base.max_depth=4. Costs n_estimators
    fits. It does not train in passes.

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
        Whether scikit-learn's loop reports its progress.

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

    __module__ = "ermine.ensemble"
    _learner = "bagging"
    _forwarded = {}
    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, None, closed="neither"), None],
        "max_features": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right")],
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


@documented
class VotingClassifier(_meta.VotingClassifier):
    """Unlike learners on the same rows, combined by averages or by votes.

    f(x) = sum_m w_m f_m(x) / sum_m w_m, f_m predictions or class probabilities (soft), or 1 for the class that
    member m predicts (hard)

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
        hard counts the classes that members predict; soft averages their probabilities.

    weights : array-like or None, default=None
        A weight for each member; None for equal weights.

    n_jobs : int or None, default=None
        Processes or threads in which members are fitted, as joblib counts them; None for one, in which ours use
        all cores.

    flatten_transform : bool, default=True
        Whether `transform` puts the probabilities of all members side by side.

    verbose : bool, default=False
        Whether scikit-learn's loop reports its progress.

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

    __module__ = "ermine.ensemble"
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


@documented
class VotingRegressor(_meta.VotingRegressor):
    """Unlike learners on the same rows, combined by averages or by votes.

    f(x) = sum_m w_m f_m(x) / sum_m w_m, f_m predictions or class probabilities (soft), or 1 for the class that
    member m predicts (hard)

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
        Whether scikit-learn's loop reports its progress.

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

    __module__ = "ermine.ensemble"
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


@documented
class StackingClassifier(_meta.StackingClassifier):
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
        What the final estimator gets from the members; auto takes the first that a member has.

    n_jobs : int or None, default=None
        Processes or threads in which members are fitted, as joblib counts them; None for one, in which ours use
        all cores.

    passthrough : bool, default=False
        Whether the final estimator sees the original columns too.

    verbose : int or bool, default=0
        Whether scikit-learn's loop reports its progress.

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

    __module__ = "ermine.ensemble"
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


@documented
class StackingRegressor(_meta.StackingRegressor):
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
        Whether scikit-learn's loop reports its progress.

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

    __module__ = "ermine.ensemble"
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


@documented
class HistGradientBoostingClassifier(_hist_gradient_boosting.HistGradientBoostingClassifier):
    """Gradient boosting on histograms for classes.

    sum w_i loss(y_i, z_i) + sum over trees of min_split_gain * leaves + 1/2 l2_regularization |v|^2 +
    l1_regularization |v|_1, where z is the sum of the values v of the leaves of a row; each tree lowers the
    quadratic approximation, a leaf of sums G, H takes v = -learning_rate G / (H + l2_regularization), or with
    log loss -2 learning_rate asinh(G / (2 H + 2 l2_regularization))

    The most accurate learner for most tables of numbers and categories. It needs no scaling and takes missing
    values and categories as they are. A round costs one addition per cell for about half the levels of a tree;
    memory is two bytes per cell. Sums are sums of whole numbers, so order of rows, threads and streams do not
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
        Rounds at most, with a tree each, or one tree per class for more than two classes.

    max_leaf_nodes : int or None, default=31
        Leaves of a tree at most; null for no limit.

    max_depth : int or None, default=None
        Greatest number of tests on the path to a leaf; null for no limit.

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
        Which columns may be tested on one path from root to leaf: lists of column numbers, pairwise or
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

    extra_trees : bool, default=False
        Try one random threshold of each column in each node, and one random set of its categories, in place of
        all: faster, less prone to follow noise, and unlike other trees in an ensemble.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    n_iter_ : int
        Number of rounds.

    n_trees_per_iteration_ : int
        Trees per round: one, or one per class for more than two classes.

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
        The prediction for a row of which nothing is known.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Chen, Guestrin: XGBoost, 2016; Ke et al.: LightGBM, 2017; Friedman: Greedy function approximation, 2001
    """

    __module__ = "ermine.ensemble"
    _learner = "boosting"
    _accepts = ("sparse", "missing", "categories")
    _forwarded = {"learning_rate": "learning_rate", "max_iter": "max_iter", "max_leaf_nodes": "max_leaf_nodes", "max_depth": "max_depth", "min_samples_leaf": "min_samples_leaf", "l2_regularization": "l2_regularization", "max_features": "max_features", "max_bins": "max_bins", "n_iter_no_change": "n_iter_no_change", "tol": "tol", "min_child_weight": "min_child_weight", "l1_regularization": "l1_regularization", "min_split_gain": "min_split_gain", "colsample_bytree": "colsample_bytree", "subsample": "subsample", "goss": "goss", "top_rate": "top_rate", "other_rate": "other_rate", "cat_smooth": "cat_smooth", "cat_l2": "cat_l2", "max_cat_threshold": "max_cat_threshold", "max_cat_to_onehot": "max_cat_to_onehot", "min_data_per_group": "min_data_per_group", "extra_trees": "extra_trees"}
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
        "extra_trees": ["boolean"],
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
        extra_trees=False,
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
        self.extra_trees = extra_trees


@documented
class HistGradientBoostingRegressor(_hist_gradient_boosting.HistGradientBoostingRegressor):
    """Gradient boosting on histograms for numbers.

    sum w_i loss(y_i, z_i) + sum over trees of min_split_gain * leaves + 1/2 l2_regularization |v|^2 +
    l1_regularization |v|_1, where z is the sum of the values v of the leaves of a row; each tree lowers the
    quadratic approximation, a leaf of sums G, H takes v = -learning_rate G / (H + l2_regularization), or with
    log loss -2 learning_rate asinh(G / (2 H + 2 l2_regularization))

    The most accurate learner for most tables of numbers and categories. It needs no scaling and takes missing
    values and categories as they are. A round costs one addition per cell for about half the levels of a tree;
    memory is two bytes per cell. Sums are sums of whole numbers, so order of rows, threads and streams do not
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
        Rounds at most, with a tree each, or one tree per class for more than two classes.

    max_leaf_nodes : int or None, default=31
        Leaves of a tree at most; null for no limit.

    max_depth : int or None, default=None
        Greatest number of tests on the path to a leaf; null for no limit.

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
        Which columns may be tested on one path from root to leaf: lists of column numbers, pairwise or
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

    extra_trees : bool, default=False
        Try one random threshold of each column in each node, and one random set of its categories, in place of
        all: faster, less prone to follow noise, and unlike other trees in an ensemble.

    Attributes
    ----------
    n_iter_ : int
        Number of rounds.

    n_trees_per_iteration_ : int
        Trees per round: one, or one per class for more than two classes.

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
        The prediction for a row of which nothing is known.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Chen, Guestrin: XGBoost, 2016; Ke et al.: LightGBM, 2017; Friedman: Greedy function approximation, 2001
    """

    __module__ = "ermine.ensemble"
    _learner = "boosting"
    _accepts = ("sparse", "missing", "categories")
    _forwarded = {"quantile": "quantile", "learning_rate": "learning_rate", "max_iter": "max_iter", "max_leaf_nodes": "max_leaf_nodes", "max_depth": "max_depth", "min_samples_leaf": "min_samples_leaf", "l2_regularization": "l2_regularization", "max_features": "max_features", "max_bins": "max_bins", "n_iter_no_change": "n_iter_no_change", "tol": "tol", "min_child_weight": "min_child_weight", "l1_regularization": "l1_regularization", "min_split_gain": "min_split_gain", "colsample_bytree": "colsample_bytree", "subsample": "subsample", "goss": "goss", "top_rate": "top_rate", "other_rate": "other_rate", "cat_smooth": "cat_smooth", "cat_l2": "cat_l2", "max_cat_threshold": "max_cat_threshold", "max_cat_to_onehot": "max_cat_to_onehot", "min_data_per_group": "min_data_per_group", "extra_trees": "extra_trees"}
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
        "extra_trees": ["boolean"],
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
        extra_trees=False,
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
        self.extra_trees = extra_trees
