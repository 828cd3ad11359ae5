"""Clusters and components, beside scikit-learn's."""

import numpy as np
import pytest
import sklearn.decomposition
from scipy import sparse
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import silhouette_score

import ermine


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)[0]


@pytest.fixture(scope="module")
def blobs():
    # Corners of a square: no two of the groups are one from afar, so that every rule has the same answer.
    return make_blobs(600, centers=[[0, 0], [6, 0], [0, 6], [6, 6]], cluster_std=0.6, random_state=1)[0]


@pytest.mark.parametrize("rule", ["elbow", "penalty", "silhouette"])
def test_a_rule_finds_the_number_of_clusters(blobs, rule):
    model = ermine.KMeans(n_clusters=rule, max_clusters=8, n_init=3, random_state=0).fit(blobs)
    assert model.cluster_centers_.shape[0] == 4
    assert model.tried_["clusters"][-1] == 8
    assert np.all(np.diff(model.tried_["inertia"]) <= 1e-9 * model.tried_["inertia"][0])
    at = list(model.tried_["clusters"]).index(4)
    assert model.tried_["silhouette"][at] == pytest.approx(silhouette_score(blobs, model.labels_), rel=1e-9)
    assert np.array_equal(model.labels_, model.predict(blobs))


def test_labels_are_those_of_predict_and_of_a_saved_model(blobs, tmp_path):
    model = ermine.KMeans(n_clusters=5, random_state=0).fit(blobs)
    assert np.array_equal(model.labels_, model.predict(blobs))
    model.save(tmp_path / "kmeans.ermine")
    assert np.array_equal(ermine.load(tmp_path / "kmeans.ermine").predict(blobs), model.labels_)


def test_mini_batches_come_near_and_go_on(blobs):
    whole = ermine.KMeans(n_clusters=4, n_init=3, random_state=0).fit(blobs)
    near = ermine.MiniBatchKMeans(n_clusters=4, init=whole.cluster_centers_, batch_size=100, random_state=0).fit(blobs)
    assert near.inertia_ < 1.1 * whole.inertia_
    assert near.n_steps_ >= 1 and near.labels_.shape == (600,)
    further = ermine.MiniBatchKMeans(n_clusters=4, init=whole.cluster_centers_, random_state=0)
    for part in np.array_split(blobs, 6):
        further.partial_fit(part)
    assert further.n_steps_ == 6
    assert -further.score(blobs) < 1.1 * whole.inertia_
    assert np.array_equal(further.labels_, further.predict(np.array_split(blobs, 6)[-1]))
    sparse_rows = sparse.csr_matrix(blobs)
    assert ermine.MiniBatchKMeans(n_clusters=4, random_state=0).fit(sparse_rows).cluster_centers_.shape == (4, 2)


def test_components_by_rows_left_out():
    rng = np.random.RandomState(0)
    X = rng.randn(800, 3) @ (2 * rng.randn(3, 10)) + rng.randn(800, 10)
    model = ermine.PCA(n_components="cv", random_state=0).fit(X)
    assert model.n_components_ == 3
    assert model.held_out_.shape == (9,) and model.held_out_.argmax() == 2


def test_the_likelihood_is_that_of_scikit_learn(iris):
    for n in (1, 2, 3):
        ours, theirs = ermine.PCA(n).fit(iris), sklearn.decomposition.PCA(n).fit(iris)
        np.testing.assert_allclose(ours.score_samples(iris), theirs.score_samples(iris), rtol=1e-9)


def test_randomized_components_of_wide_rows():
    rng = np.random.RandomState(0)
    X = rng.randn(500, 8) @ (rng.randn(8, 900) * np.exp(-np.arange(8) / 2)[:, None]) + 0.01 * rng.randn(500, 900)
    exact = sklearn.decomposition.PCA(4, svd_solver="full").fit(X)
    for solver, rtol in (("auto", 1e-9), ("arpack", 1e-9), ("randomized", 1e-4)):
        model = ermine.PCA(4, svd_solver=solver, random_state=0).fit(X)
        np.testing.assert_allclose(model.explained_variance_, exact.explained_variance_, rtol=rtol)
        np.testing.assert_allclose(model.explained_variance_ratio_, exact.explained_variance_ratio_, rtol=rtol)
        np.testing.assert_allclose(model.noise_variance_, exact.noise_variance_, rtol=1e-3)


def test_incremental_components_are_those_of_scikit_learn(iris):
    for batch_size in (10, 40, None):
        for n in (None, 2):
            ours = ermine.IncrementalPCA(n, batch_size=batch_size).fit(iris)
            theirs = sklearn.decomposition.IncrementalPCA(n, batch_size=batch_size).fit(iris)
            for name in ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_", "var_"):
                np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8, atol=1e-10, err_msg=name)
            assert (ours.n_samples_seen_, ours.n_components_) == (theirs.n_samples_seen_, theirs.n_components_)
            assert ours.noise_variance_ == pytest.approx(theirs.noise_variance_, rel=1e-8)
            np.testing.assert_allclose(ours.transform(iris), theirs.transform(iris), atol=1e-9)
    parts = ermine.IncrementalPCA(2)
    for part in np.array_split(iris, 5):
        parts.partial_fit(part)
    assert parts.n_samples_seen_ == 150


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "cosine"])
@pytest.mark.parametrize("solver", ["auto", "dense", "arpack"])
def test_kernel_components_are_those_of_scikit_learn(iris, kernel, solver):
    # In units of the standard deviations: cubes of the raw cells make the pre-images a system of condition 1e9.
    iris = (iris - iris.mean(0)) / iris.std(0)
    given = dict(n_components=3, kernel=kernel, gamma=0.3, fit_inverse_transform=True, alpha=0.1)
    ours = ermine.KernelPCA(eigen_solver=solver, **given).fit(iris)
    theirs = sklearn.decomposition.KernelPCA(eigen_solver="dense", **given).fit(iris)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
    new = iris[::7] + 0.01
    signs = np.sign((ours.eigenvectors_ * theirs.eigenvectors_).sum(0))
    np.testing.assert_allclose(ours.transform(new) * signs, theirs.transform(new), atol=1e-7 * np.sqrt(ours.eigenvalues_[0]))
    np.testing.assert_allclose(
        ours.inverse_transform(ours.transform(new)), theirs.inverse_transform(theirs.transform(new)), rtol=1e-5, atol=1e-5
    )
    assert 0 < ours.explained_variance_ratio_.sum() <= 1 + 1e-12


def test_kernel_components_survive_saving(iris, tmp_path):
    model = ermine.KernelPCA(2, kernel="rbf", gamma=0.5, fit_inverse_transform=True).fit(iris)
    model.save(tmp_path / "kernel.ermine")
    again = ermine.load(tmp_path / "kernel.ermine")
    assert np.array_equal(again.transform(iris), model.transform(iris))
    assert np.array_equal(again.inverse_transform(model.transform(iris)), model.inverse_transform(model.transform(iris)))
