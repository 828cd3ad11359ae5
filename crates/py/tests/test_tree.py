"""Decision trees: what they have beyond scikit-learn, against scikit-learn where that is possible."""

import itertools
from math import factorial

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier as TheirTree

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


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_several_class_targets_grow_the_tree_of_scikit_learn(criterion):
    rng = np.random.RandomState(0)
    X = rng.randn(300, 5).astype(np.float32).astype(np.float64)
    Y = np.column_stack([X[:, 0] + X[:, 1] > 0, np.digitize(X[:, 2] + 0.5 * rng.randn(300), [-0.5, 0.5])])
    settings = {"criterion": criterion, "max_depth": 4, "min_impurity_decrease": 0.01, "class_weight": "balanced"}
    weight = rng.rand(300)
    ours = ermine.DecisionTreeClassifier(**settings).fit(X, Y, sample_weight=weight)
    theirs = TheirTree(**settings, random_state=0).fit(X, Y, sample_weight=weight)
    np.testing.assert_array_equal(ours.tree_.feature, theirs.tree_.feature)
    np.testing.assert_allclose(ours.tree_.impurity, theirs.tree_.impurity, atol=1e-12)
    np.testing.assert_allclose(ours.tree_.value, theirs.tree_.value, atol=1e-12)
    for a, b in zip(ours.predict_proba(X), theirs.predict_proba(X)):
        np.testing.assert_allclose(a, b, atol=1e-12)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    with pytest.raises(ValueError, match="several; pickle"):
        ours.save("nowhere.ermine")
