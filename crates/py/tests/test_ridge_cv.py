"""RidgeCV against scikit-learn's, and functions of the user's in front of our classes."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model
from sklearn.datasets import load_diabetes, make_regression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import ermine

ALPHAS = [0.01, 0.3, 2.0, 50.0]


def data(n, p, targets=1, seed=0):
    X, y = make_regression(n, p, n_targets=targets, noise=5.0, random_state=seed)
    return X + 3.0, y


@pytest.mark.parametrize("shape", [(60, 5), (15, 15), (12, 40)])
@pytest.mark.parametrize("targets", [1, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error", "r2"])
def test_same_as_scikit_learn(shape, targets, fit_intercept, weighted, scoring):
    X, y = data(*shape, targets)
    weight = np.random.RandomState(1).uniform(0.5, 3.0, len(X)) if weighted else None
    params = {"alphas": ALPHAS, "fit_intercept": fit_intercept, "scoring": scoring, "store_cv_results": True}
    for per_target in [False, True]:
        if per_target and scoring is not None and targets == 1:
            continue  # scikit-learn's own fails on one target
        ours = ermine.RidgeCV(**params, alpha_per_target=per_target).fit(X, y, sample_weight=weight)
        theirs = linear_model.RidgeCV(**params, alpha_per_target=per_target).fit(X, y, sample_weight=weight)
        np.testing.assert_array_equal(ours.alpha_, theirs.alpha_)
        np.testing.assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-6)
        np.testing.assert_allclose(ours.cv_results_, theirs.cv_results_, rtol=1e-4, atol=1e-6 * np.abs(theirs.cv_results_).max())
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-8 * np.abs(theirs.coef_).max())
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6, atol=1e-8)
        assert ours.coef_.shape == theirs.coef_.shape and np.shape(ours.alpha_) == np.shape(theirs.alpha_)


def test_sparse_rows_and_folds():
    X, y = data(50, 8)
    X[np.abs(X - 3.0) < 1.0] = 0.0
    dense = ermine.RidgeCV(ALPHAS).fit(X, y)
    rows = ermine.RidgeCV(ALPHAS).fit(sparse.csr_matrix(X), y)
    assert dense.alpha_ == rows.alpha_
    np.testing.assert_allclose(dense.coef_, rows.coef_, rtol=1e-9)
    cv = KFold(4)
    ours = ermine.RidgeCV(ALPHAS, cv=cv).fit(X, y)
    search = GridSearchCV(ermine.Ridge(), {"alpha": ALPHAS}, cv=cv).fit(X, y)
    assert ours.alpha_ == search.best_params_["alpha"]
    assert ours.best_score_ == search.best_score_
    np.testing.assert_array_equal(ours.predict(X), search.predict(X))
    for params in [{"store_cv_results": True}, {"alpha_per_target": True}]:
        with pytest.raises(ValueError, match="incompatible"):
            ermine.RidgeCV(ALPHAS, cv=3, **params).fit(X, y)


def test_pickles_and_files(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    model = ermine.RidgeCV(np.logspace(-3, 1, 9)).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    model.save(tmp_path / "m.ermine")
    opened = ermine.load(tmp_path / "m.ermine")
    assert isinstance(opened, ermine.Ridge)
    np.testing.assert_array_equal(opened.predict(X), model.predict(X))
    np.testing.assert_array_equal(opened.fit(X, y).coef_, model.coef_)


@pytest.mark.parametrize("alphas", [[-1.0], [0.0, 1.0], [0.1, -0.5]])
def test_penalties_that_are_none(alphas):
    X, y = data(20, 3)
    with pytest.raises(ValueError, match="alphas"):
        ermine.RidgeCV(alphas).fit(X, y)


def test_functions_stand_in_front_of_our_classes():
    X, y = load_diabetes(return_X_y=True)
    products = FunctionTransformer(lambda X: np.column_stack([X, X[:, 2] * X[:, 3], X[:, 2] ** 2]))
    model = make_pipeline(products, ermine.StandardScaler(), ermine.RidgeCV(ALPHAS)).fit(X, y)
    plain = make_pipeline(ermine.StandardScaler(), ermine.RidgeCV(ALPHAS)).fit(X, y)
    assert model.score(X, y) > plain.score(X, y) + 0.005
    labels = y > np.median(y)
    for last in [ermine.LogisticRegression(), ermine.DecisionTreeClassifier(max_depth=3)]:
        assert make_pipeline(products, ermine.StandardScaler(), last).fit(X, labels).score(X, labels) > 0.7
