"""GeneralizedLinearRegressor and scikit-learn's three: offsets, warm starts, evidence, and scikit-learn's own values."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model
from sklearn.exceptions import ConvergenceWarning

import ermine


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    expo = rng.uniform(0.2, 2.0, 3000)
    y = rng.poisson(expo * np.exp(0.3 + X @ [0.4, -0.3, 0.2, 0.0])).astype(float)
    return X, expo, y


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cholesky"])
@pytest.mark.parametrize("name, params", [
    ("PoissonRegressor", {"alpha": 0.01}),
    ("PoissonRegressor", {"alpha": 0}),
    ("GammaRegressor", {"alpha": 0.1}),
    ("GammaRegressor", {"alpha": 0, "fit_intercept": False}),
    ("TweedieRegressor", {"power": 1.5, "alpha": 0.01}),
    ("TweedieRegressor", {"power": 0, "alpha": 0.01}),
    ("TweedieRegressor", {"power": 3, "alpha": 0.01}),
    ("TweedieRegressor", {"power": -1, "alpha": 0.01, "link": "log"}),
])
def test_the_optimum_is_scikit_learns(counts, name, params, solver):
    X, _, y = counts
    y = y + 0.5
    weight = np.arange(len(y)) % 3 + 0.5
    ours = getattr(ermine, name)(**params, solver=solver).fit(X, y, sample_weight=weight)
    theirs = getattr(linear_model, name)(**params, solver="newton-cholesky", tol=1e-10, max_iter=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-5)
    assert ours.score(X, y, weight) == pytest.approx(theirs.score(X, y, weight), rel=1e-6)
    by_rows = getattr(ermine, name)(**params, solver=solver).fit(sparse.csr_array(X), y, sample_weight=weight)
    np.testing.assert_allclose(by_rows.coef_, ours.coef_, rtol=1e-5, atol=1e-8)


def test_an_exposure_is_an_offset_of_its_logarithm(counts):
    X, expo, y = counts
    model = ermine.GeneralizedLinearRegressor(family="poisson").fit(X, y, exposure=expo)
    other = ermine.GeneralizedLinearRegressor(family="poisson").fit(X, y, offset=np.log(expo))
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-9)
    assert model.coef_.shape == (4,) and model.n_features_in_ == 4
    np.testing.assert_allclose(model.predict(X, exposure=2 * expo), 2 * model.predict(X, exposure=expo), rtol=1e-12)
    np.testing.assert_allclose(model.predict(X, exposure=expo).sum(), y.sum(), rtol=1e-9)
    rate = linear_model.PoissonRegressor(alpha=0, tol=1e-10, solver="newton-cholesky").fit(X, y / expo, sample_weight=expo)
    np.testing.assert_allclose(model.coef_, rate.coef_, rtol=1e-6)
    assert abs(model.coef_ - [0.4, -0.3, 0.2, 0.0]).max() < 4 * model.summary_["std_err"].max()
    assert model.summary_["std_err"].shape == (5,) and model.dispersion_ == 1.0
    sparse_model = ermine.GeneralizedLinearRegressor(family="poisson").fit(sparse.csr_array(X), y, exposure=expo)
    np.testing.assert_allclose(sparse_model.coef_, model.coef_, rtol=1e-7)
    with pytest.raises(ValueError, match="with exposure"):
        model.predict(X)
    with pytest.raises(ValueError, match="not both"):
        model.predict(X, offset=expo, exposure=expo)
    with pytest.raises(ValueError, match="row 0.*above 0"):
        model.fit(X, y, exposure=expo * 0)
    with pytest.raises(ValueError, match="link=log"):
        ermine.GeneralizedLinearRegressor(family="gaussian").fit(X, y, exposure=expo)
    with pytest.raises(ValueError, match="2999 values"):
        model.fit(X, y, exposure=expo[1:])


def test_a_saved_exposure_comes_back(counts, tmp_path):
    X, expo, y = counts
    model = ermine.GeneralizedLinearRegressor(family="poisson").fit(X, y, exposure=expo)
    model.save(tmp_path / "m.ermine")
    again = ermine.load(tmp_path / "m.ermine")
    assert type(again) is ermine.GeneralizedLinearRegressor and again.family == "poisson"
    np.testing.assert_array_equal(again.predict(X, exposure=expo), model.predict(X, exposure=expo))
    np.testing.assert_array_equal(again.coef_, model.coef_)
    assert again.deviance_ == model.deviance_
    ermine.TweedieRegressor(power=1.7, link="log").fit(X, y).save(tmp_path / "t.ermine")
    tweedie = ermine.load(tmp_path / "t.ermine")
    assert type(tweedie) is ermine.TweedieRegressor and tweedie.power == 1.7


def test_a_warm_start_begins_where_the_last_fit_ended(counts):
    X, _, y = counts
    full = ermine.PoissonRegressor(alpha=0.1).fit(X, y)
    step = ermine.PoissonRegressor(alpha=0.1, warm_start=True, max_iter=1)
    with pytest.warns(ConvergenceWarning):
        step.fit(X[:50], y[:50] * 40)
    step.set_params(max_iter=100).fit(X, y)
    np.testing.assert_allclose(step.coef_, full.coef_, rtol=1e-7)
    before = step.coef_.copy()
    step.fit(X, y)
    assert step.n_iter_ <= 1
    np.testing.assert_allclose(step.coef_, before, rtol=1e-9)


@pytest.mark.parametrize("family, link", [("bernoulli", "probit"), ("gamma", "inverse"), ("inverse-gaussian", "log")])
def test_other_families_have_their_evidence(counts, family, link):
    X, _, y = counts
    y = (y > 1).astype(float) if family == "bernoulli" else 20 + X[:, 0] + np.minimum(y, 5)
    model = ermine.GeneralizedLinearRegressor(family=family, link=link).fit(X, y)
    assert 0 <= model.deviance_ < model.null_deviance_
    assert model.score(X, y) == pytest.approx(1 - model.deviance_ / model.null_deviance_, rel=1e-6)
    assert model.aic_ == pytest.approx(10 - 2 * model.log_likelihood_)
    low, high = model.summary_["conf_low"], model.summary_["conf_high"]
    assert np.all(low < np.r_[model.intercept_, model.coef_]) and np.all(np.r_[model.intercept_, model.coef_] < high)


def test_the_score_compares_with_a_constant_beside_the_exposure(counts):
    X, expo, y = counts
    weight = np.arange(len(y)) % 3 + 0.5
    model = ermine.GeneralizedLinearRegressor(family="poisson").fit(X, y, weight, exposure=expo)
    # The best constant rate of counts is their sum over that of the exposures.
    null = expo * (weight @ y) / (weight @ expo)
    deviance = lambda mu: weight @ (2 * (np.where(y > 0, y * np.log(np.maximum(y, 1) / mu), 0) - y + mu))
    expected = 1 - deviance(model.predict(X, exposure=expo)) / deviance(null)
    assert model.score(X, y, weight, exposure=expo) == pytest.approx(expected, rel=1e-9)
    by_offset = ermine.GeneralizedLinearRegressor(family="poisson").fit(X, y, weight, offset=np.log(expo))
    assert by_offset.score(X, y, weight, offset=np.log(expo)) == pytest.approx(expected, rel=1e-9)
