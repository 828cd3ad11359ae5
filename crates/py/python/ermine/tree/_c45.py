"""C45Classifier."""

import json

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._classifier import NativeClassifier
from ._input import TabularInputMixin


class C45Classifier(TabularInputMixin, NativeClassifier):
    def _set_fitted(self):
        model = self._model
        feature, weight, gain = model.array("feature"), model.array("weight"), model.array("gain")
        inner = feature >= 0
        importances = np.zeros(self.n_features_in_)
        np.add.at(importances, feature[inner], weight[inner] * gain[inner])
        total = importances.sum()
        self.feature_importances_ = importances / total if total > 0 else importances
        self.n_leaves_ = int((~inner).sum())
        branches, child = model.array("branches"), model.array("child")
        depth = np.zeros(len(feature), dtype=np.int64)
        for node in np.flatnonzero(inner):
            depth[child[branches[node] : branches[node + 1]]] = depth[node] + 1
        self.depth_ = int(depth.max())

    def get_depth(self):
        """The number of tests on the longest path to a leaf.

        Returns
        -------
        depth : int
        """
        check_is_fitted(self)
        return self.depth_

    def get_n_leaves(self):
        """The number of leaves.

        Returns
        -------
        n_leaves : int
        """
        check_is_fitted(self)
        return self.n_leaves_

    def export_text(self):
        """The tree as indented text, a line a branch, with the weights of the leaves; trees of up to 64 leaves.

        Returns
        -------
        text : str
        """
        check_is_fitted(self)
        if self.n_leaves_ > 64:
            raise ValueError(f"the tree has {self.n_leaves_} leaves, too many to be read; prune it or limit its depth")
        texts = [s["text"] for s in json.loads(self._model.report())["sections"] if "text" in s]
        return texts[-1]
