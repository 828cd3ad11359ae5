"""Decision trees: what they have beyond scikit-learn, against scikit-learn where that is possible."""

import itertools
from math import factorial

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import ermine


def shapley(tree, row):
    """Shapley values by their definition: over all subsets of the columns, on the arrays of `tree_`."""
    p = len(row)

    def value(known, node=0):
        left, right = tree.children_left[node], tree.children_right[node]
        if left < 0:
            return tree.value[node].ravel()
        if tree.feature[node] in known:
            goes = row[tree.feature[node]] <= tree.threshold[node]
            return value(known, left if goes else right)
        weight = tree.weighted_n_node_samples
        return (weight[left] * value(known, left) + weight[right] * value(known, right)) / (weight[left] + weight[right])

    out = np.zeros((p, tree.value[0].size))
    for i in range(p):
        others = [j for j in range(p) if j != i]
        for size in range(p):
            weight = factorial(size) * factorial(p - size - 1) / factorial(p)
            for known in itertools.combinations(others, size):
                out[i] += weight * (value({*known, i}) - value(set(known)))
    return out, value(set())


def test_shap_values_are_those_of_the_definition():
    X, y = load_iris(return_X_y=True)
    tree = ermine.DecisionTreeClassifier(max_depth=4).fit(X, y)
    values = tree.shap_values(X[::10])
    assert values.shape == (15, 4, 3)
    for row, found in zip(X[::10], values):
        truth, base = shapley(tree.tree_, row)
        np.testing.assert_allclose(found, truth, atol=1e-13)
        np.testing.assert_allclose(tree.expected_value_, base, atol=1e-13)
    np.testing.assert_allclose(values.sum(axis=1) + tree.expected_value_, tree.predict_proba(X[::10]), atol=1e-12)


def test_shap_values_of_numbers_sum_to_the_prediction():
    X, y = load_diabetes(return_X_y=True)
    tree = ermine.DecisionTreeRegressor(min_samples_leaf=5).fit(X, y)
    values = tree.shap_values(X)
    assert values.shape == X.shape
    np.testing.assert_allclose(values.sum(axis=1) + tree.expected_value_, tree.predict(X), rtol=1e-12)


def test_shap_values_of_tables():
    frame = pd.DataFrame({"kind": pd.Categorical(list("aabbcc") * 10), "size": np.tile([1.0, np.nan, 3.0], 20)})
    y = (frame["kind"] == "b").astype(float) + frame["size"].fillna(0)
    tree = ermine.DecisionTreeRegressor().fit(frame, y)
    np.testing.assert_allclose(tree.shap_values(frame).sum(axis=1) + tree.expected_value_, y, atol=1e-12)


@pytest.mark.parametrize("one_se", [False, True])
def test_pruning_is_chosen_by_cross_validation(one_se):
    X, y = load_breast_cancer(return_X_y=True)
    full = ermine.DecisionTreeClassifier(random_state=0).fit(X[::2], y[::2])
    pruned = ermine.DecisionTreeClassifier(random_state=0, ccp_alpha="cv", one_se=one_se).fit(X[::2], y[::2])
    assert pruned.get_n_leaves() < full.get_n_leaves()
    assert pruned.score(X[1::2], y[1::2]) >= full.score(X[1::2], y[1::2]) - 0.02


def test_misclassification_counts_wrong_rows():
    X, y = load_iris(return_X_y=True)
    tree = ermine.DecisionTreeClassifier(criterion="misclassification", max_depth=2).fit(X, y)
    share = tree.tree_.value[:, 0, :].max(axis=1)
    np.testing.assert_allclose(tree.tree_.impurity, 1 - share, atol=1e-15)
    assert tree.score(X, y) > 0.9
