"""Logistic regression: what it says of classes that can be told apart."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from ermine import LogisticRegression


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cholesky", "saga"])
def test_separable_classes_without_penalty_are_said_to_be_separable(solver):
    x = np.arange(-10.0, 11.0)[:, None]
    x = x[x[:, 0] != 0]
    y = x[:, 0] > 0
    with pytest.warns(ConvergenceWarning, match="separable: the classes can be told apart.*Penalize"):
        model = LogisticRegression(C=np.inf, solver=solver).fit(x, y)
    assert model.separating_margin_ == pytest.approx(1.0)
    assert np.array_equal(model.predict(x), y)


def test_classes_that_are_separable_in_part_are_said_to_be():
    rng = np.random.default_rng(0)
    x = np.c_[rng.normal(size=300), np.arange(300) % 10 == 0].astype(float)
    y = np.where(x[:, 1] == 1, 0, rng.integers(0, 2, 300))
    with pytest.warns(ConvergenceWarning, match="separable in part"):
        model = LogisticRegression(C=np.inf).fit(x, y)
    assert model.separating_margin_ == 0 and abs(model.separating_direction_[0, 1]) > 0.99


def test_a_penalty_or_an_overlap_leaves_nothing_to_warn_of():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(200, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LogisticRegression().fit(x, x[:, 0] > 0)
        LogisticRegression(C=np.inf).fit(x, x[:, 0] + rng.normal(size=200) > 0)
