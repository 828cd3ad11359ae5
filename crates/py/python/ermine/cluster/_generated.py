"""Signatures, constraints and documentation; what the classes do is in their bases."""

# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.

from numbers import Integral, Real

from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from .._docs import documented
from . import _agglomerative, _dbscan, _kmeans

__all__ = [
    "KMeans",
    "MiniBatchKMeans",
    "DBSCAN",
    "AgglomerativeClustering",
]


@documented
class KMeans(_kmeans.KMeans):
    """Groups around centers: every row belongs to the nearest of k means.

    min over centers c_1..c_k of sum_i w_i min_j |x_i - c_j|^2

    For compact groups of similar size in columns that can be compared; standardize first. n k p operations per
    step, without a copy of the rows. The inertia falls in every step; the end is a grouping that no step
    improves, not the best of all. Not for long or nested groups. Ties go to the first center; a center without
    rows moves to the row farthest from its own center.

    Parameters
    ----------
    n_clusters : int, "elbow", "penalty" or "silhouette", default=8
        How many groups, or a rule that tries up to max_clusters: "elbow" takes the number at which the inertia
        bends most (farthest below the line from the first to the last), "penalty" the one of least inertia +
        penalty * k or of least BIC, "silhouette" the one at which rows are nearest to their own group next to
        the others.

    init : {"k-means++", "random"}, callable or array-like of shape (n_clusters, n_features), default="k-means++"
        Where to start: "k-means++" (spread out, each further center the best of a few draws), "random" (rows
        drawn at random), or a list of centers, one list of numbers each.

    n_init : "auto" or int, default="auto"
        Number of starts; the one with the least inertia wins. "auto" is 1 for k-means++ and 10 for random.

    max_iter : int, default=300
        At most that many steps.

    tol : float, default=0.0001
        The end is reached when the squared moves of the centers add up to at most tol times the mean variance
        of the columns. With 0 only when no row changes its group.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    copy_x : bool, default=True
        Accepted so that programs written for scikit-learn run; it has no effect. X is never changed and never
        copied as a whole.

    algorithm : {"lloyd", "elkan"}, default="lloyd"
        "lloyd" or "elkan": two names for the same steps and the same answer. Distances that bounds rule out are
        not computed, in memory and with many clusters, as long as that leaves few.

    max_clusters : int, default=10
        The most groups that a rule tries.

    penalty : float or None, default=None
        What a group costs by the rule "penalty", in inertia; null for the Bayesian information criterion of
        spherical normal groups.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers.

    labels_ : ndarray of shape (n_samples,)
        The cluster of each row of the training data.

    inertia_ : float
        Sum of the squared distances of the rows to their centers, with weights.

    n_iter_ : int
        Number of steps.

    tried_ : dict of ndarrays
        With a rule for n_clusters: the numbers that were tried ("clusters"), and their "inertia", "penalised"
        inertia and "silhouette".

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Lloyd: Least squares quantization in PCM, IEEE Trans. Inf. Theory 28 (1982); Arthur, Vassilvitskii:
    k-means++, SODA 2007
    """

    __module__ = "ermine.cluster"
    _learner = "kmeans"
    _accepts = ("sparse", "targets")
    _fields = ("inertia", "n_iter")
    _forwarded = {"n_clusters": "n_clusters", "n_init": "n_init", "max_iter": "max_iter", "tol": "tol", "algorithm": "algorithm", "max_clusters": "max_clusters", "penalty": "penalty"}
    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), StrOptions({"elbow", "penalty", "silhouette"})],
        "init": [StrOptions({"k-means++", "random"}), callable, "array-like"],
        "n_init": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "copy_x": ["boolean"],
        "algorithm": [StrOptions({"lloyd", "elkan"})],
        "max_clusters": [Interval(Integral, 2, 65536, closed="both")],
        "penalty": [Interval(Real, 0.0, None, closed="left"), None],
    }

    def __init__(
        self,
        n_clusters=8,
        *,
        init="k-means++",
        n_init="auto",
        max_iter=300,
        tol=0.0001,
        verbose=0,
        random_state=None,
        copy_x=True,
        algorithm="lloyd",
        max_clusters=10,
        penalty=None,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.copy_x = copy_x
        self.algorithm = algorithm
        self.max_clusters = max_clusters
        self.penalty = penalty


@documented
class MiniBatchKMeans(_kmeans.MiniBatchKMeans):
    """k-means by steps on small batches of rows.

    min over centers c_1..c_k of sum_i w_i min_j |x_i - c_j|^2, approximately: c <- c + sum (x - c) / (rows so
    far)

    Where rows are many and a pass is expensive, or arrive over time (partial_fit); kmeans reaches a lower
    inertia. Ends when the smoothed inertia of the batches no longer falls. Centers with few rows are moved to
    rows of the batch. The answer depends on the order of the rows, since batches are drawn by their numbers.

    Parameters
    ----------
    n_clusters : int, default=8
        How many groups.

    init : {"k-means++", "random"}, callable or array-like of shape (n_clusters, n_features), default="k-means++"
        Where to start: "k-means++" (spread out, each further center the best of a few draws), "random" (rows
        drawn at random), or a list of centers, one list of numbers each.

    max_iter : int, default=100
        Upper bound on the rows drawn, as a multiple of the number of rows.

    batch_size : int, default=1024
        Rows that are drawn for a step.

    verbose : int or bool, default=0
        Accepted so that programs written for scikit-learn run; it has no effect.

    compute_labels : bool, default=True
        Whether a last pass assigns all rows to clusters and computes the inertia.

    random_state : int, RandomState or None, default=None
        The seed of all randomness; the same int gives the same model on any number of threads. None draws a
        seed from NumPy's global generator.

    tol : float, default=0.0
        The end is reached when the squared moves of the centers in a step add up to at most tol times the mean
        variance of the columns; 0 for no such end.

    max_no_improvement : int or None, default=10
        Steps without a better smoothed inertia after which it stops; null disables this rule.

    init_size : int or None, default=None
        Rows that the start is drawn from; null for three batches, and at least three per cluster.

    n_init : "auto" or int, default="auto"
        Number of starts, evaluated on init_size rows; the best one wins. "auto" is 1 for k-means++ and 3 for
        random.

    reassignment_ratio : float, default=0.01
        A center with fewer rows than this share of those of the largest is moved to a row of the batch, now and
        then.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers.

    labels_ : ndarray of shape (n_samples,)
        The cluster of each row of the training data.

    inertia_ : float
        Sum of the squared distances of the rows to their centers, with weights.

    n_iter_ : int
        How many times as many rows were drawn as there are, rounded up.

    n_steps_ : int
        Number of steps.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Sculley: Web-scale k-means clustering, WWW 2010
    """

    __module__ = "ermine.cluster"
    _learner = "mini-batch-kmeans"
    _accepts = ("sparse", "targets")
    _fields = ("inertia", "n_iter", "n_steps")
    _forwarded = {"n_clusters": "n_clusters", "max_iter": "max_iter", "batch_size": "batch_size", "compute_labels": "compute_labels", "tol": "tol", "max_no_improvement": "max_no_improvement", "init_size": "init_size", "n_init": "n_init", "reassignment_ratio": "reassignment_ratio"}
    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"k-means++", "random"}), callable, "array-like"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "verbose": ["verbose"],
        "compute_labels": ["boolean"],
        "random_state": ["random_state"],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "max_no_improvement": [Interval(Integral, 0, None, closed="left"), None],
        "init_size": [Interval(Integral, 1, None, closed="left"), None],
        "n_init": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "reassignment_ratio": [Interval(Real, 0.0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters=8,
        *,
        init="k-means++",
        max_iter=100,
        batch_size=1024,
        verbose=0,
        compute_labels=True,
        random_state=None,
        tol=0.0,
        max_no_improvement=10,
        init_size=None,
        n_init="auto",
        reassignment_ratio=0.01,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.verbose = verbose
        self.compute_labels = compute_labels
        self.random_state = random_state
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.init_size = init_size
        self.n_init = n_init
        self.reassignment_ratio = reassignment_ratio


@documented
class DBSCAN(_dbscan.DBSCAN):
    """Density-based clusters of any shape; rows between them are noise.

    core rows: weight of the rows within eps at least min_samples; groups: core rows connected by steps of at
    most eps, and the rows within eps of them

    For groups of any shape and number in columns that can be compared; standardize first. One eps serves all
    groups, so they should be about equally dense. Every row's neighbors are searched once, in memory that grows
    with the rows only. A row between two groups joins the one whose first core row comes first; new rows go
    where a training row in their place would be.

    With a metric that is not searched here (a callable, a matrix of distances, a metric of SciPy), or with
    weights of 0 or below, the groups are found here among the neighbors that scikit-learn finds; there is then
    no model file and no `predict`.

    Parameters
    ----------
    eps : float, default=0.5
        How far apart neighbors are at most. Not the size of a group: the most important parameter, in the units
        of the columns.

    min_samples : int, default=5
        The weight of the rows within eps of a row, itself included, that makes it a core row. More asks for
        denser groups.

    metric : str or callable, default="euclidean"
        What near means.

    metric_params : dict or None, default=None
        Further parameters of the metric.

    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How neighbors are searched for, with the same result: "brute", "kd_tree" ("ball_tree" is another name
        for it), or "auto".

    leaf_size : int, default=30
        Accepted so that programs written for scikit-learn run; it has no effect. Leaves of our tree have 48
        rows; it is passed on where scikit-learn searches.

    p : float or None, default=None
        The order of Minkowski's metric; None is 2.

    n_jobs : int or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. The number of threads is that
        of `ermine.set_num_threads`, or ERMINE_NUM_THREADS, or all cores.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each training row; -1 is noise.

    core_sample_indices_ : ndarray of shape (n_core_samples,)
        The training rows that are core rows.

    components_ : ndarray of shape (n_core_samples, n_features)
        A copy of the core rows.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Ester, Kriegel, Sander, Xu: A density-based algorithm for discovering clusters in large spatial databases
    with noise, KDD 1996
    """

    __module__ = "ermine.cluster"
    _learner = "dbscan"
    _accepts = ("sparse", "targets")
    _forwarded = {"eps": "eps"}
    _parameter_constraints: dict = {
        "eps": [Interval(Real, 0.0, None, closed="neither")],
        "min_samples": [Interval(Integral, 1, None, closed="left")],
        "metric": [str, callable],
        "metric_params": [dict, None],
        "algorithm": [StrOptions({"auto", "ball_tree", "kd_tree", "brute"})],
        "leaf_size": [Interval(Integral, 1, None, closed="left")],
        "p": [Interval(Real, 0.0, None, closed="left"), None],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        eps=0.5,
        *,
        min_samples=5,
        metric="euclidean",
        metric_params=None,
        algorithm="auto",
        leaf_size=30,
        p=None,
        n_jobs=None,
    ):
        self.eps = eps
        self.min_samples = min_samples
        self.metric = metric
        self.metric_params = metric_params
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.n_jobs = n_jobs


@documented
class AgglomerativeClustering(_agglomerative.AgglomerativeClustering):
    """Groups that are joined one by one, the nearest first: a tree, cut into clusters.

    join the two groups least apart: ward sqrt(2 * increase of the sum of squares within), complete max, average
    mean, single min of the distances of their rows

    For few rows, since time and memory grow with their square (single and ward need no table of distances),
    where the tree is of interest or groups need not be round; standardize first. ward and complete find compact
    groups, single follows chains. A new row goes to the group of the nearest training row.

    Metrics that are not computed here are computed by scikit-learn, as a matrix of distances. A connectivity in
    several parts is completed, with a warning, by the shortest connections of the parts.

    Parameters
    ----------
    n_clusters : int or None, default=2
        How many groups the tree is cut into. null where distance_threshold is given.

    metric : str or callable, default="euclidean"
        How far rows are apart.

    memory : str, object with `cache` or None, default=None
        Accepted so that programs written for scikit-learn run; it has no effect. Nothing is cached.

    connectivity : array-like, sparse matrix, callable or None, default=None
        A matrix of rows by rows whose entries that are not 0 say which rows are connected, or a function that
        makes it of X: only groups with connected rows are joined.

    compute_full_tree : "auto" or bool, default="auto"
        Build the tree to the end even where connectivity and n_clusters need fewer joins.

    linkage : {"ward", "complete", "average", "single"}, default="ward"
        How far groups are apart: "ward" (what the sum of squares within groups grows by), "complete" (the
        greatest distance of their rows), "average" (the mean), "single" (the least).

    distance_threshold : float or None, default=None
        Groups that are this far apart or farther are not joined; n_clusters must then be null.

    compute_distances : bool, default=False
        Set `distances_` even without distance_threshold.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each training row.

    n_clusters_ : int
        Number of clusters.

    n_leaves_ : int
        Number of leaves of the tree: the rows.

    n_connected_components_ : int
        Parts of the connectivity that were not connected.

    children_ : ndarray of shape (n_samples - 1, 2)
        The two nodes that each join made one of.

    distances_ : ndarray of shape (n_samples - 1,)
        The height of each join, where it is wanted.

    n_features_in_ : int
        Number of columns seen during fit.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they all had names that are text.

    References
    ----------
    Ward: Hierarchical grouping to optimize an objective function, JASA 58 (1963); Lance, Williams, Computer
    Journal 9 (1967); Murtagh, Computer Journal 26 (1983)
    """

    __module__ = "ermine.cluster"
    _learner = "agglomerative"
    _accepts = ("targets",)
    _arrays = ("distances",)
    _forwarded = {"n_clusters": "n_clusters", "linkage": "linkage", "distance_threshold": "distance_threshold"}
    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "metric": [str, callable],
        "memory": [str, HasMethods(["cache"]), None],
        "connectivity": ["array-like", "sparse matrix", callable, None],
        "compute_full_tree": [StrOptions({"auto"}), "boolean"],
        "linkage": [StrOptions({"ward", "complete", "average", "single"})],
        "distance_threshold": [Interval(Real, 0.0, None, closed="left"), None],
        "compute_distances": ["boolean"],
    }

    def __init__(
        self,
        n_clusters=2,
        *,
        metric="euclidean",
        memory=None,
        connectivity=None,
        compute_full_tree="auto",
        linkage="ward",
        distance_threshold=None,
        compute_distances=False,
    ):
        self.n_clusters = n_clusters
        self.metric = metric
        self.memory = memory
        self.connectivity = connectivity
        self.compute_full_tree = compute_full_tree
        self.linkage = linkage
        self.distance_threshold = distance_threshold
        self.compute_distances = compute_distances
