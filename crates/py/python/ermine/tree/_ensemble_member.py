"""The trees of an ensemble, one by one, as estimators."""

import json

import numpy as np

from .._base import seed_of
from ._tree import LEAF, DecisionTreeClassifier, DecisionTreeRegressor, Tree


class EnsembleTree(Tree):
    """The nodes of one tree of an ensemble.

    `n_node_samples` is the weight of the training rows, rounded. For numbers `impurity` is what the splits below a node
    take away: it is 0 in every leaf, and its differences are those of the squared error.
    """

    def __init__(self, nodes, n_features, classes):
        inner = nodes["feature"] >= 0
        at = np.arange(len(inner))
        self.children_left = np.where(inner, at + 1, LEAF).astype(np.int64)
        self.children_right = np.where(inner, nodes["right"].astype(np.int64), LEAF)
        self.feature = np.where(inner, nodes["feature"], -2).astype(np.int64)
        self.threshold = np.where(inner, nodes["threshold"], -2.0)
        self.missing_go_to_left = nodes["missing_left"]
        self.weighted_n_node_samples = nodes["cover"]
        self.n_node_samples = np.rint(nodes["cover"]).astype(np.int64)
        cost = np.where(inner, nodes["gain"], 0.0)
        for node in np.flatnonzero(inner)[::-1]:
            cost[node] += cost[node + 1] + cost[self.children_right[node]]
        with np.errstate(divide="ignore", invalid="ignore"):
            self.impurity = np.where(nodes["cover"] > 0, cost / nodes["cover"], 0.0)
        self._measure(nodes["value"], n_features, classes)


def node_arrays(model):
    """The node arrays of every tree of a model, one dict per tree."""
    names = ("feature", "right", "threshold", "missing_left", "cover", "gain", "value")
    arrays = {name: model.array(f"trees/{name}") for name in names}
    start = model.array("trees/start").astype(np.int64)
    return [{name: arrays[name][a:b] for name in names} for a, b in zip(start[:-1], start[1:])]


class _EnsembleTree:
    """A tree of an ensemble: it predicts from its nodes alone and takes arrays of numbers.

    Fitted again, it grows like a tree of a forest: on the rows of its bag it becomes the tree that it was.
    """

    _learner = "forest"

    def __init__(
        self,
        *,
        criterion="auto",
        splitter="best",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=None,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        random_state=None,
        ccp_alpha=0.0,
        monotonic_cst=None,
    ):
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.random_state = random_state
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst

    # The ensemble weighs its classes, and has checked its parameters.
    class_weight = None
    _parameter_constraints = {}

    _forwarded = {
        name: name
        for name in (
            "criterion",
            "max_depth",
            "min_weight_fraction_leaf",
            "max_leaf_nodes",
            "min_impurity_decrease",
            "ccp_alpha",
        )
    }

    def _tree_params(self):
        return dict(super()._tree_params(), n_estimators=1, bootstrap=False, thresholds=self.splitter)

    def _set_tree(self):
        (nodes,) = node_arrays(self._model)
        self._tree = EnsembleTree(nodes, self.n_features_in_, getattr(self, "classes_", None))
        self.n_outputs_ = self._tree.n_outputs

    def __sklearn_is_fitted__(self):
        return "_tree" in self.__dict__

    @property
    def tree_(self):
        return self._tree

    def _values(self, X):
        return self.tree_.predict(self._dense(X))


class EnsembleTreeClassifier(_EnsembleTree, DecisionTreeClassifier):
    """A tree of a forest; its classes are codes."""

    def predict_proba(self, X, check_input=True):
        values = self._values(X)
        if not self._is_multi_output():
            return values
        return [values[:, k, : len(classes)] for k, classes in enumerate(self.classes_)]

    def predict(self, X, check_input=True):
        proba = self.predict_proba(X)
        if not self._is_multi_output():
            return self.classes_[proba.argmax(axis=1)]
        return np.column_stack([c[p.argmax(axis=1)] for c, p in zip(self.classes_, proba)])


class EnsembleTreeRegressor(_EnsembleTree, DecisionTreeRegressor):
    """A tree of a forest or of boosting."""

    def predict(self, X, check_input=True):
        y = self._values(X)
        return y.ravel() if y.shape[1] == 1 else y


def json_iterations(model):
    """Trees or rounds of a model."""
    return json.loads(model.certificate())["iterations"]


class TreeEnsembleMixin:
    """Shared by forests and boosting: trees that can be looked at, and added to."""

    # Parameters that the trees have from their ensemble.
    _member_params = (
        "max_depth",
        "min_samples_split",
        "min_samples_leaf",
        "min_weight_fraction_leaf",
        "max_features",
        "max_leaf_nodes",
        "min_impurity_decrease",
        "ccp_alpha",
    )

    def _tree_params(self):
        """The parameters of the trees of this fit."""
        return {name: getattr(self, name) for name in self._member_params}

    def _set_estimators(self, have, count):
        """Keeps the parameters of the trees that were added to the `have` first ones."""
        kept = self.__dict__.get("_made", [])[:have] if have else []
        self._made = kept + [self._tree_params()] * (count - len(kept))

    def _member(self, nodes, number, seed, classes):
        """One tree as an estimator."""
        made = self.__dict__.get("_made") or [self._tree_params()]
        params = dict(made[min(number, len(made) - 1)], random_state=seed)
        member = EnsembleTreeRegressor(**params) if classes is None else EnsembleTreeClassifier(**params)
        member.n_features_in_ = self.n_features_in_
        if classes is not None:
            codes = [np.arange(len(c), dtype=np.float64) for c in (classes if isinstance(classes, list) else [classes])]
            member.classes_ = codes if isinstance(classes, list) else codes[0]
            member.n_classes_ = [len(c) for c in codes] if isinstance(classes, list) else len(codes[0])
        member._tree = EnsembleTree(nodes, self.n_features_in_, classes)
        member.n_outputs_ = member._tree.n_outputs
        return member

    def _is_warm_start(self):
        """Whether the fit adds to the existing trees."""
        return self.warm_start and "_model" in self.__dict__

    def _refuse_fewer(self, have):
        if self.n_estimators < have:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={have} when warm_start==True"
            )

    def _reset_seed(self):
        self._seed = seed_of(self.random_state)

    def _drop_fitted(self):
        for name in ("_members", "_importances"):
            self.__dict__.pop(name, None)

    def apply(self, X):
        """The leaf that each row ends in, for each tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Returns
        -------
        leaves : ndarray of shape (n_samples, n_estimators), for gradient boosting of classes with an axis for them
        """
        return self._call_native("leaves", self._rows(X))

    def __len__(self):
        return len(self.estimators_)

    def __getitem__(self, index):
        return self.estimators_[index]

    def __iter__(self):
        return iter(self.estimators_)
