"""StepwiseRegressor."""

import json

import numpy as np

from .._regressor import NativeRegressor


class StepwiseRegressor(NativeRegressor):
    def _set_fitted(self):
        super()._set_fitted()
        self.coef_ = self._model.array("coef")[0]
        self.intercept_ = float(self._model.array("intercept")[0])
        self.n_features_ = int(json.loads(self._model.field("size")))
        order = [step["column"] for step in self.steps_[1:]]
        self.support_ = np.zeros(self.coef_.shape, dtype=bool)
        self.support_[order[: self.n_features_]] = True
        self.ranking_ = np.full(self.coef_.shape, len(order) + 1)
        self.ranking_[order] = np.arange(1, len(order) + 1)
