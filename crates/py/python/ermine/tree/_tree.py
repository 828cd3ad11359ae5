"""Decision trees."""

import numbers
import warnings
from math import log2, sqrt

import numpy as np
from scipy import sparse
from sklearn.base import MultiOutputMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from .. import _native
from .._base import seed_of, to_json_value
from .._regressor import NativeRegressor
from ._explain import ExplainedMixin
from ._input import TabularInputMixin
from ._multi_output import TreeClassifier, split_outputs

LEAF = -1


def columns_drawn(max_features, n_features):
    """The number of columns that `max_features` means."""
    if max_features is None:
        return n_features
    if max_features == "sqrt":
        return max(1, int(sqrt(n_features)))
    if max_features == "log2":
        return max(1, int(log2(n_features)))
    if isinstance(max_features, numbers.Integral):
        return int(max_features)
    return max(1, int(max_features * n_features)) if max_features > 0.0 else 0


class NumberCriterion:
    """The criterion of a regression: one of its names is deprecated, and one does not take every target."""

    @property
    def criterion(self):
        return self.__dict__["criterion"]

    @criterion.setter
    def criterion(self, value):
        if isinstance(value, str) and value == "friedman_mse":
            warnings.warn(
                "`criterion='friedman_mse'` is deprecated: it gives the splits of 'squared_error'; use that.",
                FutureWarning,
                stacklevel=3,
            )
        self.__dict__["criterion"] = value

    def _check_numbers(self, y, positive):
        """Refuses targets that the criterion does not take; `positive` is the word for their sum."""
        if self.criterion == "poisson":
            if np.any(y < 0):
                raise ValueError("Some value(s) of y are negative which is not allowed for Poisson regression.")
            if np.sum(y) <= 0:
                raise ValueError(f"Sum of y is not {positive} which is necessary for Poisson regression.")


def refuse_sparse(y):
    """Refuses a sparse target."""
    if sparse.issparse(y):
        raise TypeError("y is sparse, and the target of a tree must be dense; use y.toarray()")


class Tree:
    """The nodes of a fitted tree as arrays, under the names that scikit-learn gives them.

    Node 0 is the root and children follow their parents. A row goes left when its value is at most the threshold;
    NaN goes where `missing_go_to_left` says. The tests of category columns are sets, not thresholds.
    """

    def __init__(self, model, n_features, classes):
        self.children_left = model.array("left").astype(np.int64)
        self.children_right = model.array("right").astype(np.int64)
        self.feature = model.array("feature").astype(np.int64)
        self.threshold = model.array("threshold")
        self.impurity = model.array("impurity")
        self.n_node_samples = model.array("n_node_samples")
        self.weighted_n_node_samples = model.array("weighted_n_node_samples")
        self.missing_go_to_left = model.array("missing_left")
        self._measure(model.array("value"), n_features, classes)

    def _measure(self, value, n_features, classes):
        """Sizes, and the values of the nodes: one row per output, one column per class."""
        self.n_features = n_features
        self.node_count = self.capacity = len(self.children_left)
        if classes is None:
            self.n_outputs = value.shape[1]
            self.n_classes = np.ones(self.n_outputs, dtype=np.int64)
            self.value = value[:, :, None]
        else:
            classes = classes if isinstance(classes, list) else [classes]
            self.n_outputs = len(classes)
            self.n_classes = np.array([len(c) for c in classes], dtype=np.int64)
            self.value = np.zeros((len(value), self.n_outputs, self.n_classes.max()))
            for k, shares in enumerate(split_outputs(value, classes)):
                self.value[:, k, : shares.shape[1]] = shares
        self.max_n_classes = int(self.n_classes.max())
        inner = np.flatnonzero(self.children_left != LEAF)
        self.n_leaves = self.node_count - len(inner)
        depth = np.zeros(self.node_count, dtype=np.int64)
        for node in inner:
            depth[[self.children_left[node], self.children_right[node]]] = depth[node] + 1
        self.max_depth = int(depth.max()) if self.node_count else 0

    def apply(self, X):
        """The leaf of each row of a dense array."""
        node = np.zeros(X.shape[0], dtype=np.int64)
        inside = np.flatnonzero(self.children_left[node] != LEAF)
        while len(inside):
            at = node[inside]
            cell = X[inside, self.feature[at]]
            left = np.where(np.isnan(cell), self.missing_go_to_left[at] != 0, cell <= self.threshold[at])
            node[inside] = np.where(left, self.children_left[at], self.children_right[at])
            inside = inside[self.children_left[node[inside]] != LEAF]
        return node

    def predict(self, X):
        """The value of the leaf of each row."""
        value = self.value[self.apply(X)]
        return value[:, :, 0] if self.max_n_classes == 1 else value[:, 0, :] if self.n_outputs == 1 else value

    def decision_path(self, X):
        """The nodes that each row passes, as a sparse indicator matrix."""
        parent = np.full(self.node_count, -1)
        for node in np.flatnonzero(self.children_left != LEAF):
            parent[[self.children_left[node], self.children_right[node]]] = node
        paths = []
        for leaf in range(self.node_count):
            path, node = [], leaf
            while node >= 0:
                path.append(node)
                node = parent[node]
            paths.append(path[::-1])
        leaves = self.apply(X)
        lengths = np.array([len(paths[leaf]) for leaf in leaves])
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        indices = np.concatenate([paths[leaf] for leaf in leaves]) if len(leaves) else np.zeros(0, dtype=np.int64)
        return sparse.csr_matrix((np.ones(len(indices), dtype=np.int64), indices, indptr), shape=(X.shape[0], self.node_count))

    def compute_feature_importances(self, normalize=True):
        """The share of each column in the decrease of the impurity."""
        out = np.zeros(self.n_features)
        mass = self.weighted_n_node_samples * self.impurity
        inner = np.flatnonzero(self.children_left != LEAF)
        gain = mass[inner] - mass[self.children_left[inner]] - mass[self.children_right[inner]]
        np.add.at(out, self.feature[inner], gain)
        out /= self.weighted_n_node_samples[0]
        total = out.sum()
        return out / total if normalize and total > 0 else out


class _DecisionTree(ExplainedMixin, TabularInputMixin, MultiOutputMixin):
    """Shared by both trees."""

    def _tree_params(self):
        params = self._learner_params()
        if self.monotonic_cst is not None:
            params["monotonic_cst"] = [int(v) for v in np.asarray(self.monotonic_cst).tolist()]
        for name in ("min_samples_split", "min_samples_leaf", "max_features"):
            params[name] = to_json_value(getattr(self, name))
        return params

    def _set_tree(self):
        self.n_outputs_ = self.tree_.n_outputs
        self.max_features_ = columns_drawn(self.max_features, self.n_features_in_)

    @property
    def tree_(self):
        if "_model" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'tree_' before fit")
        if "_tree" not in self.__dict__:
            self._tree = Tree(self._model, self.n_features_in_, getattr(self, "classes_", None))
        return self._tree

    @property
    def feature_importances_(self):
        """Share of each column in the decrease of the impurity."""
        check_is_fitted(self)
        return self.tree_.compute_feature_importances()

    def get_depth(self):
        """The number of tests on the longest path to a leaf.

        Returns
        -------
        depth : int
        """
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self):
        """The number of leaves.

        Returns
        -------
        n_leaves : int
        """
        check_is_fitted(self)
        return self.tree_.n_leaves

    def _dense(self, X):
        X = self._rows(X)
        if isinstance(X, _native.NativeTable):
            raise ValueError("apply and decision_path take arrays; this tree was given a table with categories")
        return X.toarray() if sparse.issparse(X) else X

    def apply(self, X, check_input=True):
        """The leaf that each row ends in.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        check_input : bool, default=True
            Accepted so that programs written for scikit-learn run; rows are always checked.

        Returns
        -------
        leaves : ndarray of shape (n_samples,)
        """
        rows = self._dense(X)
        return self.tree_.apply(rows)

    def decision_path(self, X, check_input=True):
        """The nodes that each row passes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        check_input : bool, default=True
            Accepted so that programs written for scikit-learn run; rows are always checked.

        Returns
        -------
        indicator : sparse matrix of shape (n_samples, n_nodes)
        """
        rows = self._dense(X)
        return self.tree_.decision_path(rows)

    def cost_complexity_pruning_path(self, X, y, sample_weight=None):
        """The alphas at which pruning cuts, and the impurities of the remaining tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Target.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        path : Bunch
            With `ccp_alphas` and `impurities`.
        """
        from sklearn.base import clone
        from sklearn.utils import Bunch

        tree = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight).tree_
        return Bunch(**_pruning_path(tree))


def _pruning_path(tree):
    """Weakest-link pruning (Breiman et al. 1984): the effective alphas and the impurities of the leaves."""
    n = tree.node_count
    share = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    risk = share * tree.impurity
    left, right = tree.children_left, tree.children_right
    leaf = left == LEAF
    below_risk, below_leaves = risk.copy(), np.ones(n)
    parent = np.full(n, -1)
    for node in np.flatnonzero(~leaf):
        parent[[left[node], right[node]]] = node
    for node in range(n - 1, -1, -1):
        if not leaf[node]:
            below_risk[node] = below_risk[left[node]] + below_risk[right[node]]
            below_leaves[node] = below_leaves[left[node]] + below_leaves[right[node]]
    alive = np.ones(n, dtype=bool)
    inner = ~leaf
    alphas, impurities = [0.0], [below_risk[0]]
    while inner[0]:
        nodes = np.flatnonzero(inner & alive)
        price = (risk[nodes] - below_risk[nodes]) / (below_leaves[nodes] - 1)
        best = nodes[price.argmin()]
        alpha = max(price.min(), alphas[-1])
        stack = [left[best], right[best]]
        while stack:
            node = stack.pop()
            alive[node] = False
            if inner[node]:
                stack += [left[node], right[node]]
        change_risk, change_leaves = risk[best] - below_risk[best], below_leaves[best] - 1
        inner[best] = False
        node = best
        while node >= 0:
            below_risk[node] += change_risk
            below_leaves[node] -= change_leaves
            node = parent[node]
        alphas.append(alpha)
        impurities.append(below_risk[0])
    return {"ccp_alphas": np.array(alphas), "impurities": np.array(impurities)}


class DecisionTreeClassifier(_DecisionTree, TreeClassifier):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None, check_input=True):
        """Grow the tree."""
        refuse_sparse(y)
        X, y = self._check_classes(X, y)
        target, class_weight = self._encode(y, self._weight(sample_weight, y))
        self.__dict__.pop("_tree", None)
        params = dict(self._tree_params(), class_weight=class_weight)
        self._fit_native(X, params=params, seed=seed_of(self.random_state), **target)
        self._set_tree()
        return self

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        self._set_tree()

    def predict(self, X, check_input=True):
        return super().predict(X)

    def predict_proba(self, X, check_input=True):
        """Shares of the classes in the leaf of each row."""
        return super().predict_proba(X)


class DecisionTreeRegressor(_DecisionTree, NumberCriterion, NativeRegressor):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None, check_input=True):
        """Grow the tree."""
        refuse_sparse(y)
        X, y = self._rows_and_target(X, y, multi_output=True, y_numeric=True)
        self._check_numbers(y, "positive")
        weight = self._weight(sample_weight, y)
        self.__dict__.pop("_tree", None)
        self._fit_native(X, y=y, sample_weight=weight, params=self._tree_params(), seed=seed_of(self.random_state))
        self._set_tree()
        return self

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        self._set_tree()

    def predict(self, X, check_input=True):
        return super().predict(X)
