"""Mixtures from Python: what scikit-learn's tests do not ask."""

import json

import numpy as np
import pytest
from ermine import (
    GaussianMixture,
    GaussianMixtureClassifier,
    MixtureOfExpertsClassifier,
    MixtureOfExpertsRegressor,
    load,
)
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture as Theirs


def groups(n=600, seed=0):
    rng = np.random.RandomState(seed)
    centers = np.array([[0.0, 0.0, 0.0], [4.0, 1.0, -2.0], [-3.0, 4.0, 2.0]])
    labels = rng.randint(3, size=n)
    factors = np.array([np.tril(rng.randn(3, 3) * 0.4) + np.eye(3) * 0.8 for _ in range(3)])
    return centers[labels] + np.einsum("nij,nj->ni", factors[labels], rng.randn(n, 3)), labels


@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical"])
def test_steps_are_scikit_learns(covariance_type):
    X, _ = groups()
    k = 3
    precisions = {
        "full": np.array([np.eye(3)] * k),
        "tied": np.eye(3),
        "diag": np.ones((k, 3)),
        "spherical": np.ones(k),
    }[covariance_type]
    params = dict(
        covariance_type=covariance_type,
        weights_init=np.full(k, 1 / k),
        means_init=X[:k],
        precisions_init=precisions,
        tol=0,
        max_iter=15,
    )
    with pytest.warns(match="did not converge"):
        ours, theirs = GaussianMixture(k, **params).fit(X), Theirs(k, **params).fit(X)
    np.testing.assert_allclose(ours.weights_, theirs.weights_, atol=1e-6)
    np.testing.assert_allclose(ours.means_, theirs.means_, atol=1e-5)
    np.testing.assert_allclose(ours.covariances_, theirs.covariances_, atol=1e-5)
    np.testing.assert_allclose(ours.precisions_, theirs.precisions_, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(ours.precisions_cholesky_, theirs.precisions_cholesky_, rtol=1e-4, atol=1e-4)
    # Theirs are of the parameters before each step, ours after.
    np.testing.assert_allclose(ours.lower_bounds_[:-1], theirs.lower_bounds_[1:], atol=1e-5)
    assert ours.n_iter_ == theirs.n_iter_ == 15
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), atol=1e-4)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose(ours.bic(X), theirs.bic(X), rtol=1e-6)
    np.testing.assert_allclose(ours.aic(X), theirs.aic(X), rtol=1e-6)


@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical", "tied_spherical"])
def test_the_bound_never_falls_and_the_groups_are_found(covariance_type):
    X, labels = groups()
    model = GaussianMixture(3, covariance_type=covariance_type, n_init=3, tol=1e-7, max_iter=500, random_state=0).fit(X)
    bounds = np.array(model.lower_bounds_)
    assert (np.diff(bounds) >= -1e-10 * np.abs(bounds[:-1])).all()
    if covariance_type != "tied_spherical":
        theirs = Theirs(3, covariance_type=covariance_type, n_init=3, tol=1e-7, max_iter=500, random_state=0).fit(X)
        assert model.lower_bound_ == pytest.approx(theirs.lower_bound_, abs=1e-5)
        assert adjusted_rand_score(theirs.predict(X), model.predict(X)) > 0.98
    assert adjusted_rand_score(labels, model.predict(X)) > 0.75
    assert model.converged_ and len(bounds) == model.n_iter_


def test_more_regularization_is_near_scikit_learns():
    X, _ = groups()
    params = dict(means_init=X[:3], precisions_init=np.array([np.eye(3)] * 3), weights_init=np.full(3, 1 / 3), reg_covar=0.1)
    ours, theirs = GaussianMixture(3, tol=1e-9, max_iter=500, **params).fit(X), Theirs(3, tol=1e-9, max_iter=500, **params).fit(X)
    # What is climbed differs: ours knows of the penalty in the E step too, so that it never falls.
    np.testing.assert_allclose(ours.means_, theirs.means_, atol=0.05)
    np.testing.assert_allclose(ours.covariances_, theirs.covariances_, atol=0.05)


def test_missing_cells_are_integrated_over_and_filled_in():
    X, labels = groups(1500)
    rng = np.random.RandomState(1)
    holes = np.where(rng.rand(*X.shape) < 0.15, np.nan, X)
    model = GaussianMixture(3, random_state=0, n_init=3).fit(holes)
    assert adjusted_rand_score(labels, model.predict(holes)) > 0.75
    filled = model.impute(holes)
    seen = ~np.isnan(holes)
    assert np.array_equal(filled[seen], X[seen]) and np.isfinite(filled).all()
    means = np.nanmean(holes, axis=0)
    ours = ((filled - X)[~seen] ** 2).mean()
    theirs = ((np.broadcast_to(means, X.shape) - X)[~seen] ** 2).mean()
    assert ours < 0.5 * theirs


def test_weights_are_rows():
    X, _ = groups(200)
    w = np.arange(200) % 3
    a = GaussianMixture(2, random_state=0, tol=1e-9, max_iter=1000).fit(X, sample_weight=w.astype(float))
    b = GaussianMixture(2, random_state=0, tol=1e-9, max_iter=1000).fit(np.repeat(X, w, axis=0))
    np.testing.assert_allclose(a.means_, b.means_, atol=1e-5)


def test_the_number_of_components_can_be_chosen():
    X, _ = groups()
    model = GaussianMixture(6, choose="bic", n_init=3, random_state=0).fit(X)
    assert model.n_components_ == len(model.weights_) == 3
    assert [c["components"] for c in model.choice_] == [1, 2, 3, 4, 5, 6]
    assert min(c["bic"] for c in model.choice_) == pytest.approx(model.bic(X), rel=1e-9)


def test_outliers_have_their_rate():
    X, _ = groups(2000)
    model = GaussianMixture(3, random_state=0).fit(X)
    for rate in (0.0, 0.01, 0.1):
        tau = model.outlier_threshold(X, rate)
        called = (model.score_samples(X) < tau).mean()
        assert called <= rate < called + 0.001
    assert model.outlier_threshold(X, 1.0) == np.inf
    with pytest.raises(ValueError, match="1.5"):
        model.outlier_threshold(X, 1.5)


def test_a_class_is_a_mixture():
    X, y = load_iris(return_X_y=True)
    model = GaussianMixtureClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.n_components_.shape == (3,) and (model.n_components_ >= 1).all()
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.score_samples(np.full((1, 4), 50.0))[0] < model.score_samples(X).min() - 100
    names = np.array(["a", "b", "c"])[y]
    assert set(GaussianMixtureClassifier(random_state=0).fit(X, names).predict(X)) == {"a", "b", "c"}
    with pytest.raises(ValueError, match="priors"):
        GaussianMixtureClassifier(priors=[0.5, 0.5]).fit(X, y)


def test_experts_have_a_gate_a_mean_and_a_deviation():
    rng = np.random.RandomState(0)
    X = rng.uniform(-3, 3, size=(800, 1))
    y = np.abs(X[:, 0]) + 0.05 * rng.randn(800)
    model = MixtureOfExpertsRegressor(alpha=1e-4, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.98
    assert sorted(np.round(model.coef_[:, 0], 1)) == [-1.0, 1.0]
    mean, std = model.predict(X, return_std=True)
    gate = model.gate(X)
    np.testing.assert_allclose(gate.sum(axis=1), 1.0)
    says = X @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(mean, (gate * says).sum(axis=1), atol=1e-9)
    second = (gate * (model.variance_ + says**2)).sum(axis=1)
    np.testing.assert_allclose(std**2, second - mean**2, atol=1e-9)
    odds = X @ model.gate_coef_.T + model.gate_intercept_
    np.testing.assert_allclose(gate, np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True), atol=1e-9)
    column = model.trace_["columns"].index("objective")
    course = np.array([row[column] for row in model.trace_["rows"]])
    assert (np.diff(course) >= -1e-9 * np.abs(course[:-1])).all()


def test_experts_of_classes_bend_the_border():
    rng = np.random.RandomState(0)
    X = rng.uniform(-3, 3, size=(900, 2))
    y = (np.abs(X[:, 0]) > X[:, 1] + 1).astype(int)
    one = MixtureOfExpertsClassifier(1, random_state=0).fit(X, y)
    two = MixtureOfExpertsClassifier(2, alpha=1e-3, random_state=0).fit(X, y)
    assert two.score(X, y) > 0.97 > one.score(X, y)
    assert two.coef_.shape == (2, 2, 2) and two.gate(X).shape == (900, 2)


@pytest.mark.parametrize("make", ["mixture", "classifier", "regressor", "experts"])
def test_files_say_the_same(make, tmp_path):
    X, labels = groups(200)
    path = tmp_path / "model"
    model = {
        "mixture": lambda: GaussianMixture(2, random_state=0).fit(X),
        "classifier": lambda: GaussianMixtureClassifier(random_state=0).fit(X, labels),
        "regressor": lambda: MixtureOfExpertsRegressor(random_state=0).fit(X, X[:, 0] ** 2),
        "experts": lambda: MixtureOfExpertsClassifier(random_state=0).fit(X, labels),
    }[make]()
    model.save(path)
    again = load(path)
    assert type(again) is type(model)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    if make == "mixture":
        np.testing.assert_array_equal(again.score_samples(X), model.score_samples(X))
        assert json.loads(again._model.field("covariance_type")) == "full"
