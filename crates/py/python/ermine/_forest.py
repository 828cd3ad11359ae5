"""Random forests and extremely randomised trees."""

import json
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import MultiOutputMixin, RegressorMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._base import Estimator, encode_classes, plain, seed_of
from ._classify import NativeClassifier, class_factors
from ._tree import LEAF, DecisionTreeClassifier, DecisionTreeRegressor, Tree, _DecisionTree


class MemberTree(Tree):
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
        value = nodes["value"]
        cost = np.where(inner, nodes["gain"], 0.0)
        for node in np.flatnonzero(inner)[::-1]:
            cost[node] += cost[node + 1] + cost[self.children_right[node]]
        with np.errstate(divide="ignore", invalid="ignore"):
            self.impurity = np.where(nodes["cover"] > 0, cost / nodes["cover"], 0.0)
        self.n_features = n_features
        self.node_count = self.capacity = len(inner)
        if classes is None:
            self.n_outputs = value.shape[1]
            self.n_classes = np.ones(self.n_outputs, dtype=np.int64)
            self.value = value[:, :, None]
        else:
            self.n_outputs = 1
            self.n_classes = np.array([len(classes)], dtype=np.int64)
            self.value = value[:, None, :]
        self.max_n_classes = int(self.n_classes.max())
        self.n_leaves = int((~inner).sum())
        depth = np.zeros(self.node_count, dtype=np.int64)
        for node in np.flatnonzero(inner):
            depth[[node + 1, self.children_right[node]]] = depth[node] + 1
        self.max_depth = int(depth.max()) if self.node_count else 0


class _Member:
    """A tree of an ensemble: it predicts from its nodes alone and takes arrays of numbers."""

    def __init__(self, *, criterion="auto", splitter="best", max_depth=None, random_state=None, monotonic_cst=None):
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.random_state = random_state
        self.monotonic_cst = monotonic_cst

    def __sklearn_is_fitted__(self):
        return "_tree" in self.__dict__

    @property
    def tree_(self):
        return self._tree

    def _values(self, X):
        return self.tree_.predict(self._dense(X))


class MemberClassifier(_Member, DecisionTreeClassifier):
    """A tree of a forest; its classes are codes."""

    def predict_proba(self, X, check_input=True):
        return self._values(X)

    def predict(self, X, check_input=True):
        return self.classes_[self._values(X).argmax(axis=1)]


class MemberRegressor(_Member, DecisionTreeRegressor):
    """A tree of a forest or of boosting."""

    def predict(self, X, check_input=True):
        y = self._values(X)
        return y.ravel() if y.shape[1] == 1 else y


def _node_arrays(model):
    """The node arrays of every tree of a model, as one dict a tree."""
    names = ("feature", "right", "threshold", "missing_left", "cover", "gain", "value")
    arrays = {name: model.array(f"trees/{name}") for name in names}
    start = model.array("trees/start").astype(np.int64)
    return [{name: arrays[name][a:b] for name in names} for a, b in zip(start[:-1], start[1:])]


class _Ensemble:
    """What forests and boosting share: rows of numbers or tables, trees that can be looked at."""

    _table = _DecisionTree._table
    _tree_rows = _DecisionTree._tree_rows

    def _member(self, nodes, seed, classes):
        """One tree as an estimator."""
        depth = getattr(self, "max_depth", None)
        shared = {"max_depth": depth, "random_state": seed}
        member = MemberRegressor(**shared) if classes is None else MemberClassifier(**shared)
        member.n_features_in_ = self.n_features_in_
        member.n_outputs_ = nodes["value"].shape[1] if classes is None else 1
        if classes is not None:
            member.classes_ = np.arange(len(classes), dtype=np.float64)
            member.n_classes_ = len(classes)
        member._tree = MemberTree(nodes, self.n_features_in_, classes)
        return member

    def _warm(self):
        """Whether the fit adds to what is there."""
        return self.warm_start and "_model" in self.__dict__

    def _refuse_fewer(self, have):
        if self.n_estimators < have:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={have} when warm_start==True"
            )

    def _forget(self):
        for name in ("_members", "_importances"):
            self.__dict__.pop(name, None)

    def _ensemble_params(self):
        params = self._learner_params()
        for name in ("min_samples_split", "min_samples_leaf", "max_features"):
            params[name] = plain(getattr(self, name))
        return params

    def _leaves(self, X):
        check_is_fitted(self)
        return self._call("leaves", self._tree_rows(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


class _Forest(_Ensemble, MultiOutputMixin):
    """What all forests share."""

    _thresholds = "best"

    @classmethod
    def _from_model(cls, model):
        # Forests with random thresholds are of another class.
        if json.loads(model.describe())["params"]["thresholds"] != cls._thresholds:
            return None
        return super()._from_model(model)

    def _forest_params(self):
        params = self._ensemble_params()
        if self.monotonic_cst is not None:
            params["monotonic_cst"] = [int(v) for v in np.asarray(self.monotonic_cst).tolist()]
        params["max_samples"] = plain(self.max_samples) if self.bootstrap else None
        params["oob_score"] = bool(self.oob_score)
        params["thresholds"] = self._thresholds
        if not self.bootstrap and self.max_samples is not None:
            raise ValueError(
                "`max_sample` cannot be set if `bootstrap=False`. Either switch to `bootstrap=True` or set `max_sample=None`."
            )
        if not self.bootstrap and self.oob_score:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        return params

    def _fit_forest(self, X, truth, **target):
        params = self._forest_params()
        start = None
        if self._warm():
            have = self._n_trees
            self._refuse_fewer(have)
            if self.n_estimators == have:
                warnings.warn(
                    "Warm-start fitting without increasing n_estimators does not fit new trees.", UserWarning, stacklevel=3
                )
            start = self._model
        else:
            self._seed = seed_of(self.random_state)
        self._forget()
        self._fit_native(X, params=params, seed=self._seed, start=start, go_on=start is not None, **target)
        self._set_forest()
        if self.oob_score:
            self._set_oob(truth)
        return self

    def _set_forest(self):
        self._n_trees = json_iterations(self._model)

    def _set_oob(self, y):
        prediction = self._model.array("oob_prediction")
        if np.isnan(prediction).any():
            warnings.warn(
                "Some inputs do not have OOB scores. This probably means too few trees were used to compute any reliable OOB "
                "estimates.",
                UserWarning,
                stacklevel=4,
            )
        self.oob_score_ = float(self._model.array("oob_score")[0])
        return prediction

    @property
    def estimators_(self):
        """The trees."""
        check_is_fitted(self)
        if "_members" not in self.__dict__:
            classes = getattr(self, "classes_", None)
            self._members = [self._member(nodes, t, classes) for t, nodes in enumerate(_node_arrays(self._model))]
        return self._members

    @property
    def feature_importances_(self):
        """Share of each column in the decrease of the impurity, averaged over trees."""
        check_is_fitted(self)
        if "_importances" not in self.__dict__:
            sums = self._model.array("importance_sums")
            total = sums.sum()
            self._importances = sums / total if total > 0 else sums
        return self._importances

    @property
    def permutation_importances_(self):
        """How much worse the trees are on rows outside their bags when a column is shuffled."""
        check_is_fitted(self)
        if not self.permutation_importances:
            raise AttributeError("permutation_importances_ is there after a fit with permutation_importances=True")
        return self._model.array("permutation_importances")

    def __len__(self):
        return len(self.estimators_)

    def __getitem__(self, index):
        return self.estimators_[index]

    def __iter__(self):
        return iter(self.estimators_)

    def apply(self, X):
        """The leaf that each row ends in, for each tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Returns
        -------
        leaves : ndarray of shape (n_samples, n_estimators)
        """
        return self._leaves(X)

    def decision_path(self, X):
        """The nodes that each row passes in each tree.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        indicator : sparse matrix of shape (n_samples, n_nodes)
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            Where the nodes of each tree begin among the columns.
        """
        check_is_fitted(self)
        X = self._tree_rows(X)
        if isinstance(X, _native.NativeTable):
            raise ValueError("decision_path takes arrays; this forest was given a table with categories")
        X = X.toarray() if sparse.issparse(X) else X
        paths = [member.tree_.decision_path(X) for member in self.estimators_]
        starts = np.concatenate([[0], np.cumsum([p.shape[1] for p in paths])])
        return sparse.hstack(paths).tocsr(), starts

    def _loaded(self, about):
        super()._loaded(about)
        self._seed = about["seed"]
        self._set_forest()


def json_iterations(model):
    """Trees or rounds of a model."""
    return json.loads(model.certificate())["iterations"]


class ForestClassifier(_Forest, NativeClassifier):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows; NaN and null are missing values.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
        """
        table = self._table(X, reset=True)
        if table is None:
            X, y = self._check_X_y(X, y, accept_sparse="csr")
            _native.refuse_non_finite(X, type(self).__name__, allow_nan=True)
        else:
            X, y = table, np.ravel(np.asarray(y))
        weight = None if sample_weight is None else self._check_weight(sample_weight, np.empty((len(y), 1)))
        classes, codes = encode_classes(y)
        if isinstance(self.class_weight, list):
            raise ValueError("class_weight is a list, which is for several targets, and there is one")
        if self.warm_start and isinstance(self.class_weight, str):
            warnings.warn(
                'class_weight presets "balanced" or "balanced_subsample" are not recommended for warm_start if the fitted data '
                "differs from the full dataset. Give the weights of the classes instead.",
                UserWarning,
                stacklevel=2,
            )
        self.classes_, self.n_classes_, self.n_outputs_ = classes, len(classes), 1
        return self._fit_forest(X, y, codes=codes, classes=classes, sample_weight=weight)

    def _forest_params(self):
        params = super()._forest_params()
        params["class_weight"] = class_factors(self.class_weight, self.classes_)
        return params

    def _set_oob(self, y):
        self.oob_decision_function_ = super()._set_oob(y)
        if callable(self.oob_score):
            said = self.classes_[np.nan_to_num(self.oob_decision_function_).argmax(axis=1)]
            self.oob_score_ = self.oob_score(np.asarray(y), said)

    def _loaded(self, about):
        super()._loaded(about)
        self.n_classes_, self.n_outputs_ = len(self.classes_), 1

    def _rows(self, X):
        check_is_fitted(self)
        return self._tree_rows(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = False
        tags.target_tags.multi_output = False
        return tags


class ForestRegressor(_Forest, RegressorMixin, Estimator):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows; NaN and null are missing values.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
        """
        if self.criterion == "friedman_mse":
            warnings.warn(
                "`criterion='friedman_mse'` is deprecated: it gives the splits of 'squared_error'; use that.",
                FutureWarning,
                stacklevel=2,
            )
        if sparse.issparse(y):
            raise ValueError("sparse multilabel-indicator for y is not supported.")
        table = self._table(X, reset=True)
        if table is None:
            X, y = self._check_X_y(X, y, accept_sparse="csr", multi_output=True, y_numeric=True)
            _native.refuse_non_finite(X, type(self).__name__, allow_nan=True)
        else:
            X, y = table, np.asarray(y, dtype=np.float64)
        if y.ndim == 2 and y.shape[1] == 1:
            from sklearn.exceptions import DataConversionWarning

            warnings.warn(
                "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), for "
                "example using ravel().",
                DataConversionWarning,
                stacklevel=2,
            )
            y = y.ravel()
        if self.criterion == "poisson":
            if np.any(y < 0):
                raise ValueError("Some value(s) of y are negative which is not allowed for Poisson regression.")
            if np.sum(y) <= 0:
                raise ValueError("Sum of y is not strictly positive which is necessary for Poisson regression.")
        weight = None if sample_weight is None else self._check_weight(sample_weight, np.empty((len(y), 1)))
        self.n_outputs_ = 1 if y.ndim == 1 else y.shape[1]
        return self._fit_forest(X, y, y=y, sample_weight=weight)

    def _set_oob(self, y):
        prediction = super()._set_oob(y)
        self.oob_prediction_ = prediction.ravel() if self.n_outputs_ == 1 else prediction
        if callable(self.oob_score):
            self.oob_score_ = self.oob_score(y, np.nan_to_num(self.oob_prediction_))

    def _loaded(self, about):
        super()._loaded(about)
        self.n_outputs_ = len(about["target"]["names"]) or 1

    def predict(self, X):
        """Predict the target: the mean over trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), DataFrame or Table
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        check_is_fitted(self)
        y = self._call("predict", self._tree_rows(X))
        return y.ravel() if y.shape[1] == 1 else y


class ExtraTreesClassifier(ForestClassifier):
    _thresholds = "random"


class ExtraTreesRegressor(ForestRegressor):
    _thresholds = "random"
