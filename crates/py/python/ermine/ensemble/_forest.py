"""Random forests and extremely randomized trees."""

import json
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import MultiOutputMixin, _fit_context
from sklearn.exceptions import DataConversionWarning
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from .. import _native
from .._base import class_names, to_json_value
from .._regressor import NativeRegressor
from ..tree._ensemble_member import TreeEnsembleMixin, json_iterations, node_arrays
from ..tree._explain import ExplainedMixin
from ..tree._input import TabularInputMixin
from ..tree._multi_output import TreeClassifier, split_outputs
from ..tree._tree import NumberCriterion


def _refuse_sparse(y):
    if sparse.issparse(y):
        raise ValueError("sparse multilabel-indicator for y is not supported.")


class _Forest(ExplainedMixin, TreeEnsembleMixin, TabularInputMixin, MultiOutputMixin):
    """Shared by all forests."""

    _thresholds = "best"
    _member_params = ("criterion", *TreeEnsembleMixin._member_params, "monotonic_cst")

    @classmethod
    def _from_model(cls, model):
        # Forests with random thresholds are of another class.
        if json.loads(model.describe())["params"]["thresholds"] != cls._thresholds:
            return None
        return super()._from_model(model)

    def _multi_output_error(self):
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), for "
            "example using ravel().",
            DataConversionWarning,
            stacklevel=4,
        )

    def _tree_params(self):
        return dict(super()._tree_params(), splitter=self._thresholds)

    def _forest_params(self, class_weight):
        params = self._learner_params()
        for name in ("min_samples_split", "min_samples_leaf", "max_features"):
            params[name] = to_json_value(getattr(self, name))
        if self.monotonic_cst is not None:
            params["monotonic_cst"] = [int(v) for v in np.asarray(self.monotonic_cst).tolist()]
        params["max_samples"] = to_json_value(self.max_samples) if self.bootstrap else None
        params["oob_score"] = bool(self.oob_score)
        params["thresholds"] = self._thresholds
        params["class_weight"] = class_weight
        if not self.bootstrap and self.max_samples is not None:
            raise ValueError(
                "`max_sample` cannot be set if `bootstrap=False`. Either switch to `bootstrap=True` or set `max_sample=None`."
            )
        if not self.bootstrap and self.oob_score:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        return params

    def _has_enough(self):
        """Whether a warm start has all its trees already, with a warning then."""
        if not self._is_warm_start():
            return False
        self._refuse_fewer(self._n_trees)
        if self.n_estimators > self._n_trees:
            return False
        warnings.warn(
            "Warm-start fitting without increasing n_estimators does not fit new trees.", UserWarning, stacklevel=3
        )
        return not self.oob_score

    def _fit_forest(self, X, truth, params, **target):
        start = self._model if self._is_warm_start() else None
        if start is None:
            self._reset_seed()
        have = self._n_trees if start is not None else 0
        self._drop_fitted()
        self._fit_native(X, params=params, seed=self._seed, start=start, go_on=start is not None, **target)
        self._n_trees = json_iterations(self._model)
        self._set_estimators(have, self._n_trees)
        self._note_draws(params, len(truth), target)
        if self.oob_score:
            self._set_oob(truth)
        return self

    def _note_draws(self, params, rows, target):
        """Keeps the settings that decide which rows are drawn."""
        about = {name: params[name] for name in ("bootstrap", "max_samples") if name in params}
        weighs = isinstance(params["class_weight"], dict) or params["class_weight"] == "balanced"
        of_classes = {}
        if weighs:
            about["class_weight"] = params["class_weight"]
            of_classes = {"codes": target["codes"], "classes": class_names(target["classes"])}
        self._draws = (json.dumps(about), rows, {"weight": target["sample_weight"], **of_classes})

    @property
    def estimators_samples_(self):
        """The rows that each tree was grown on, as often as they were drawn."""
        check_is_fitted(self)
        if "_draws" not in self.__dict__:
            raise AttributeError("a forest that was read from a file does not know the rows it was grown on")
        params, rows, more = self._draws
        return _native.forest_bags(params, rows, self._n_trees, self._seed, **more)

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
            seeds = _native.forest_seeds(self._seed, self._n_trees)
            nodes = node_arrays(self._model)
            self._members = [self._member(of_tree, t, seeds[t], classes) for t, of_tree in enumerate(nodes)]
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
        X = self._rows(X)
        if isinstance(X, _native.NativeTable):
            raise ValueError("decision_path takes arrays; this forest was given a table with categories")
        X = X.toarray() if sparse.issparse(X) else X
        paths = [member.tree_.decision_path(X) for member in self.estimators_]
        starts = np.concatenate([[0], np.cumsum([p.shape[1] for p in paths])])
        return sparse.hstack(paths).tocsr(), starts

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        self._seed = about["seed"]
        self._n_trees = json_iterations(self._model)


class ForestClassifier(_Forest, TreeClassifier):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Grow the trees."""
        _refuse_sparse(y)
        X, y = self._check_classes(X, y)
        if self._has_enough():
            return self
        if self.oob_score and type_of_target(y) == "multiclass-multioutput":
            raise ValueError(
                "The type of target cannot be used to compute OOB estimates. Got multiclass-multioutput while only the "
                "following are supported: continuous, continuous-multioutput, binary, multiclass, multilabel-indicator."
            )
        if self.warm_start and isinstance(self.class_weight, str):
            warnings.warn(
                'class_weight presets "balanced" or "balanced_subsample" are not recommended for warm_start if the fitted data '
                "differs from the full dataset. Give the weights of the classes instead.",
                UserWarning,
                stacklevel=2,
            )
        target, class_weight = self._encode(y, self._weight(sample_weight, y))
        return self._fit_forest(X, y, self._forest_params(class_weight), **target)

    def _balances_bags(self):
        return self.bootstrap and isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample"

    def _set_oob(self, y):
        shares = super()._set_oob(y)
        if self._is_multi_output():
            # All targets have the same two classes, or the fit would have refused.
            self.oob_decision_function_ = np.stack(split_outputs(shares, self.classes_), axis=2)
            said = np.nan_to_num(self.oob_decision_function_).argmax(axis=1)
            truth = np.column_stack([np.searchsorted(c, column) for c, column in zip(self.classes_, y.T)])
            score = self.oob_score if callable(self.oob_score) else accuracy_score
            self.oob_score_ = score(truth, said)
            return
        self.oob_decision_function_ = shares
        if callable(self.oob_score):
            said = self.classes_[np.nan_to_num(shares).argmax(axis=1)]
            self.oob_score_ = self.oob_score(np.asarray(y), said)


class ForestRegressor(_Forest, NumberCriterion, NativeRegressor):
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Grow the trees."""
        _refuse_sparse(y)
        X, y = self._rows_and_target(X, y, multi_output=True, y_numeric=True)
        if y.ndim == 2 and y.shape[1] == 1:
            self._multi_output_error()
            y = y.ravel()
        self._check_numbers(y, "strictly positive")
        if self._has_enough():
            return self
        self.n_outputs_ = 1 if y.ndim == 1 else y.shape[1]
        return self._fit_forest(X, y, self._forest_params(None), y=y, sample_weight=self._weight(sample_weight, y))

    def _set_oob(self, y):
        prediction = super()._set_oob(y)
        self.oob_prediction_ = prediction.ravel() if self.n_outputs_ == 1 else prediction
        if callable(self.oob_score):
            self.oob_score_ = self.oob_score(y, np.nan_to_num(self.oob_prediction_))

    def _restore_fitted(self, about):
        super()._restore_fitted(about)
        self.n_outputs_ = len(about["target"]["names"]) or 1


class ExtraTreesClassifier(ForestClassifier):
    _thresholds = "random"


class ExtraTreesRegressor(ForestRegressor):
    _thresholds = "random"
