"""Lasso and elastic net beside scikit-learn's: the same optimum, path and choice of the penalty."""

import ermine
import numpy as np
import pytest
import sklearn.linear_model as theirs
from scipy import sparse
from sklearn.datasets import make_regression
from sklearn.model_selection import LeaveOneGroupOut, ShuffleSplit

EXACT = dict(tol=1e-12, max_iter=100_000)


@pytest.fixture(scope="module")
def data():
    X, y = make_regression(n_samples=80, n_features=150, n_informative=10, noise=3.0, random_state=3)
    weight = np.random.default_rng(0).uniform(0.2, 3.0, len(y))
    return X + 1.0, y, weight


@pytest.mark.parametrize("kind", ["C", "F", "csr", "float32"])
@pytest.mark.parametrize("settings", [{}, {"fit_intercept": False}, {"positive": True}, {"precompute": True}])
def test_the_optimum_is_scikit_learns(data, kind, settings):
    X, y, weight = data
    ours = {"C": X, "F": np.asfortranarray(X), "csr": sparse.csr_array(X), "float32": X.astype(np.float32)}[kind]
    found = ermine.ElasticNet(alpha=0.7, l1_ratio=0.8, **settings, **EXACT).fit(ours, y, sample_weight=weight)
    want = theirs.ElasticNet(alpha=0.7, l1_ratio=0.8, **settings, **EXACT).fit(X, y, sample_weight=weight)
    near = dict(rtol=1e-4, atol=1e-3) if kind == "float32" else dict(rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(found.coef_, want.coef_, **near)
    np.testing.assert_allclose(found.intercept_, want.intercept_, **near)
    assert found.sparse_coef_.shape == (1, 150)
    assert found.dual_gap_ < 1e-6


def test_paths_are_scikit_learns(data):
    X, y, _ = data
    X, y = X - X.mean(0), y - y.mean()
    alphas, coefs, gaps, n_iters = ermine.lasso_path(X, y, alphas=20, return_n_iter=True, **EXACT)
    want, coefs_want, _ = theirs.lasso_path(X, y, alphas=20, **EXACT)
    np.testing.assert_allclose(alphas, want)
    np.testing.assert_allclose(coefs, coefs_want, rtol=1e-5, atol=1e-6)
    assert gaps.shape == (20,) and len(n_iters) == 20
    shifted = ermine.enet_path(X + 3.0, y + 2.0, l1_ratio=1.0, alphas=alphas, fit_intercept=True, **EXACT)[1]
    np.testing.assert_allclose(shifted, coefs, rtol=1e-6, atol=1e-7)
    both = ermine.enet_path(X, np.c_[y, 2 * y], alphas=[5.0, 1.0], **EXACT)[1]
    assert both.shape == (2, 150, 2)


@pytest.mark.parametrize("settings", [{"cv": 4}, {"cv": ShuffleSplit(3, random_state=0)}, {"alphas": [0.5, 2.0, 8.0]}])
def test_cross_validation_is_scikit_learns(data, settings):
    X, y, weight = data
    settings = {"alphas": 12, **settings, **EXACT}
    found = ermine.LassoCV(**settings).fit(X, y, sample_weight=weight)
    want = theirs.LassoCV(**settings).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(found.alphas_, want.alphas_)
    np.testing.assert_allclose(found.mse_path_, want.mse_path_, rtol=1e-5)
    np.testing.assert_allclose(found.coef_, want.coef_, rtol=1e-5, atol=1e-6)
    assert found.alpha_ == pytest.approx(want.alpha_)


def test_the_share_of_absolute_values_is_chosen_too(data):
    X, y, _ = data
    settings = dict(l1_ratio=[0.2, 0.9], alphas=6, cv=3, **EXACT)
    found, want = ermine.ElasticNetCV(**settings).fit(X, y), theirs.ElasticNetCV(**settings).fit(X, y)
    assert found.l1_ratio_ == want.l1_ratio_ and found.mse_path_.shape == want.mse_path_.shape == (2, 6, 3)
    np.testing.assert_allclose(found.alphas_, want.alphas_)


def test_a_warm_start_takes_no_rounds(data):
    X, y, _ = data
    model = ermine.Lasso(alpha=0.5, warm_start=True).fit(X, y)
    rounds, coef = model.n_iter_, model.coef_.copy()
    assert rounds > 0 and model.fit(X, y).n_iter_ == 0
    np.testing.assert_array_equal(model.coef_, coef)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_weights_in_cross_validation_are_repeated_rows(form):
    rng = np.random.default_rng(7)
    X, weight, group = rng.uniform(size=(30, 40)), rng.integers(0, 5, size=30), np.arange(30) % 3
    y = X[:, :4].sum(1) + rng.normal(size=30)
    splits = [list(LeaveOneGroupOut().split(g, groups=g)) for g in (group, group.repeat(weight))]
    weighted = ermine.LassoCV(cv=splits[0], **EXACT).fit(form(X), y, sample_weight=weight)
    repeated = ermine.LassoCV(cv=splits[1], **EXACT).fit(form(X.repeat(weight, 0)), y.repeat(weight))
    assert weighted.alpha_ == pytest.approx(repeated.alpha_, rel=1e-12)
    np.testing.assert_allclose(weighted.mse_path_, repeated.mse_path_, rtol=1e-7)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-6, atol=1e-8)
