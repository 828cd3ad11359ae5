"""LogisticRegressionCV against scikit-learn's."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.special import softmax
from sklearn import linear_model
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneGroupOut, StratifiedKFold
from sklearn.preprocessing import StandardScaler

import ermine

CS = [1e-3, 0.05, 1.0, 30.0]


def data(classes, seed=0):
    return make_classification(
        150, 6, n_informative=4, n_redundant=1, n_classes=classes, n_clusters_per_class=1, flip_y=0.15, random_state=seed
    )


def pair(X, y, weight=None, ours_tol=1e-10, **settings):
    """Ours and theirs, the latter solved to the end."""
    shared = {"l1_ratios": (0,), "use_legacy_attributes": False, "max_iter": 20_000, "tol": 1e-10, **settings}
    ours = ermine.LogisticRegressionCV(**{**shared, "tol": ours_tol}).fit(X, y, sample_weight=weight)
    theirs = linear_model.LogisticRegressionCV(**{"solver": "newton-cholesky", **shared}).fit(X, y, sample_weight=weight)
    return ours, theirs


def assert_same(ours, theirs, scale=1e-6):
    np.testing.assert_array_equal(ours.C_, theirs.C_)
    np.testing.assert_array_equal(ours.l1_ratio_, theirs.l1_ratio_)
    np.testing.assert_array_equal(ours.Cs_, theirs.Cs_)
    np.testing.assert_array_equal(ours.l1_ratios_, theirs.l1_ratios_)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    assert ours.n_iter_.shape == theirs.n_iter_.shape
    for name in ("scores_", "coefs_paths_", "coef_", "intercept_"):
        found, wanted = getattr(ours, name), getattr(theirs, name)
        if isinstance(wanted, dict):
            assert list(found) == list(wanted)
            found, wanted = np.array(list(found.values())), np.array(list(wanted.values()))
        np.testing.assert_allclose(found, wanted, rtol=scale, atol=scale * np.abs(wanted).max(), err_msg=name)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("scoring", [None, "neg_log_loss", "neg_brier_score", "balanced_accuracy"])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_as_scikit_learn(classes, fit_intercept, scoring, weighted):
    X, y = data(classes)
    weight = np.random.RandomState(1).uniform(0.5, 3.0, len(X)) if weighted else None
    assert_same(*pair(X, y, weight, Cs=CS, cv=4, fit_intercept=fit_intercept, scoring=scoring))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0, 1: 0.5}])
@pytest.mark.parametrize("refit", [True, False])
def test_class_weights_and_averages_over_folds(classes, class_weight, refit):
    X, y = data(classes, seed=1)
    ours, theirs = pair(X, y, Cs=5, cv=3, class_weight=class_weight, refit=refit, scoring="neg_log_loss")
    assert_same(ours, theirs)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(ours.score(X, y), theirs.score(X, y), rtol=1e-6)


@pytest.mark.parametrize("classes", [2, 3])
def test_shares_of_absolute_values(classes):
    X, y = data(classes, seed=2)
    settings = {"Cs": [0.05, 0.5, 5.0], "l1_ratios": (0.0, 0.4, 1.0), "solver": "saga", "scoring": "neg_log_loss", "cv": 3, "ours_tol": 1e-7}
    ours, theirs = pair(X, y, **settings)
    # saga stops at steps that are small, some digits before the optimum.
    assert_same(ours, theirs, scale=1e-5)
    again = pair(X, y, **{**settings, "refit": False, "l1_ratios": np.array(settings["l1_ratios"])})
    assert_same(*again, scale=1e-5)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("ratios", [None, (0,)])
def test_attributes_in_the_older_shapes(classes, ratios):
    X, y = data(classes)
    y = np.array(["red", "green", "blue"])[y]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        ours, theirs = pair(X, y, Cs=CS, cv=3, l1_ratios=ratios, use_legacy_attributes=True, scoring="accuracy")
    assert_same(ours, theirs)
    for name in ("C_", "l1_ratio_", "n_iter_"):
        assert np.shape(getattr(ours, name)) == np.shape(getattr(theirs, name))


def test_the_c_of_a_grid_search_with_fewer_steps():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    grid, cv = np.logspace(-3, 2, 9), StratifiedKFold(4)
    ours = ermine.LogisticRegressionCV(
        Cs=grid, cv=cv, l1_ratios=(0,), scoring="neg_log_loss", use_legacy_attributes=False
    ).fit(X, y)
    search = GridSearchCV(ermine.LogisticRegression(), {"C": grid}, cv=cv, scoring="neg_log_loss").fit(X, y)
    assert ours.C_ == search.best_params_["C"]
    np.testing.assert_allclose(ours.scores_[:, 0].mean(axis=0), search.cv_results_["mean_test_score"], rtol=1e-4)
    np.testing.assert_allclose(ours.predict_proba(X), search.predict_proba(X), atol=1e-4)
    cold = 0
    for train, _ in cv.split(X, y):
        for C in grid:
            cold += ermine.LogisticRegression(C=C).fit(X[train], y[train]).n_iter_.sum()
    assert ours.n_iter_.sum() < 0.8 * cold, "every fit starts from the one before"


def test_weights_are_repeated_rows():
    X, y = data(3)
    weight, group = np.random.RandomState(3).randint(0, 4, len(X)), np.arange(len(X)) % 3
    splits = [list(LeaveOneGroupOut().split(g, groups=g)) for g in (group, group.repeat(weight))]
    settings = {"Cs": CS, "l1_ratios": (0,), "use_legacy_attributes": False, "tol": 1e-8, "class_weight": "balanced"}
    for scoring in [None, "neg_log_loss"]:
        weighted = ermine.LogisticRegressionCV(cv=splits[0], scoring=scoring, **settings).fit(X, y, sample_weight=weight)
        repeated = ermine.LogisticRegressionCV(cv=splits[1], scoring=scoring, **settings).fit(X.repeat(weight, 0), y.repeat(weight))
        assert_same(weighted, repeated)


def test_sparse_rows_orders_and_single_numbers():
    X, y = data(2)
    X[np.abs(X) < 0.7] = 0.0
    settings = {"l1_ratios": (0,), "scoring": "neg_log_loss", "use_legacy_attributes": False, "cv": 3}
    dense = ermine.LogisticRegressionCV(Cs=CS, **settings).fit(X, y)
    rows = ermine.LogisticRegressionCV(Cs=CS, **settings).fit(sparse.csr_matrix(X), y)
    assert dense.C_ == rows.C_
    np.testing.assert_allclose(dense.scores_, rows.scores_, rtol=1e-4)
    falling = ermine.LogisticRegressionCV(Cs=CS[::-1], **settings).fit(X, y)
    assert falling.C_ == dense.C_
    np.testing.assert_array_equal(falling.scores_[:, :, ::-1], dense.scores_)
    single = ermine.LogisticRegressionCV(Cs=CS, **settings).fit(X.astype(np.float32), y)
    np.testing.assert_allclose(single.coef_, dense.coef_, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("ratio", [0.0, 0.5, 1.0])
def test_folds_without_a_class(ratio):
    # Sorted labels: every fold is without one class, which then has probability 0 there.
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X) + np.random.RandomState(0).normal(0, 0.7, X.shape)
    settings = {"Cs": [0.1, 1.0], "cv": KFold(3), "l1_ratios": (ratio,), "scoring": "neg_brier_score", "tol": 1e-7}
    settings.update(solver="saga" if ratio else "lbfgs", max_iter=2000, use_legacy_attributes=False)
    ours = ermine.LogisticRegressionCV(**settings).fit(X, y)
    for f, (train, test) in enumerate(KFold(3).split(X)):
        present = [k for k in range(3) if k != f]
        assert (ours.coefs_paths_[f, 0, :, f, :-1] == 0).all() and (ours.coefs_paths_[f, 0, :, f, -1] == -np.inf).all()
        for c, C in enumerate(ours.Cs_):
            # What holds at the optimum of softmax regression with the penalty as it is stated, one weight vector a class.
            coef = ours.coefs_paths_[f, 0, c]
            P = softmax(X[train] @ coef[:, :-1].T + coef[:, -1], axis=1)
            slope = C * (P - np.eye(3)[y[train]]).T @ X[train]
            W = coef[present, :-1]
            violation = np.where(W != 0, np.abs(slope[present] + ratio * np.sign(W) + (1 - ratio) * W), np.abs(slope[present]) - ratio)
            assert violation.max() < 1e-3
            proba = softmax(X[test] @ coef[:, :-1].T + coef[:, -1], axis=1)
            brier = np.mean(np.sum((proba - np.eye(3)[y[test]]) ** 2, axis=1))
            np.testing.assert_allclose(ours.scores_[f, 0, c], -brier, rtol=1e-9)
    if ratio == 0:
        # Its constant term of that class goes on and on, and so does saga's of the others.
        theirs = linear_model.LogisticRegressionCV(**settings).fit(X, y)
        assert ours.C_ == theirs.C_
        np.testing.assert_allclose(ours.scores_, theirs.scores_, rtol=1e-3)
    with pytest.raises(ValueError, match="no rows of class"):
        ermine.LogisticRegressionCV(**{**settings, "fit_intercept": False}).fit(X, y)
    one = ermine.LogisticRegressionCV(**{**settings, "cv": KFold(2), "scoring": None}).fit(X[:100], y[:100])
    assert (one.scores_ == 0).all(), "each half has one class, and says it of the other half"


def test_penalties_that_are_none_and_words_that_change():
    X, y = data(2)
    settings = {"cv": 3, "use_legacy_attributes": False, "scoring": None}
    free = ermine.LogisticRegressionCV(Cs=[np.inf], l1_ratios=(0,), **settings).fit(X, y)
    # One column is a sum of others, so that only the scores are determined.
    wanted = ermine.LogisticRegression(C=np.inf).fit(X, y).decision_function(X)
    np.testing.assert_allclose(free.decision_function(X), wanted, rtol=1e-4, atol=1e-4)
    for Cs in ([0.0], [-1.0, 1.0], []):
        with pytest.raises(ValueError, match="Cs"):
            ermine.LogisticRegressionCV(Cs=Cs, l1_ratios=(0,), **settings).fit(X, y)
    with pytest.raises(ValueError, match="l1_ratios"):
        ermine.LogisticRegressionCV(l1_ratios=(0.5, 2.0), solver="saga", **settings).fit(X, y)
    with pytest.raises(ValueError, match="supports only 'l2'"):
        ermine.LogisticRegressionCV(l1_ratios=(0.5,), **settings).fit(X, y)
    for change, words in [
        ({"l1_ratios": "warn"}, "l1_ratios will change"),
        ({"l1_ratios": None}, "'l1_ratios=None' was deprecated"),
        ({"scoring": "warn"}, "'scoring' will change"),
        ({"use_legacy_attributes": "warn"}, "use_legacy_attributes will change"),
        ({"penalty": "l2"}, "'penalty' was deprecated"),
    ]:
        with pytest.warns(FutureWarning, match=words):
            ermine.LogisticRegressionCV(**{"l1_ratios": (0,), "Cs": 2, **settings, **change}).fit(X, y)


def test_pickles_and_files(tmp_path):
    X, y = load_iris(return_X_y=True)
    settings = {"Cs": 4, "l1_ratios": (0,), "scoring": None, "use_legacy_attributes": False}
    model = ermine.LogisticRegressionCV(**settings).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    model.save(tmp_path / "m.ermine")
    opened = ermine.load(tmp_path / "m.ermine")
    assert type(opened) is ermine.LogisticRegression and opened.C == model.C_
    np.testing.assert_array_equal(opened.predict_proba(X), model.predict_proba(X))
    dense = model.predict_proba(X)
    np.testing.assert_allclose(model.sparsify().predict_proba(X), dense)
    assert sparse.issparse(model.coef_) and not sparse.issparse(model.densify().coef_)
    averaged = ermine.LogisticRegressionCV(**settings, refit=False).fit(X, y)
    assert averaged.score(X, y) > 0.9
    with pytest.raises(ValueError, match="cannot hold"):
        averaged.save(tmp_path / "a.ermine")
