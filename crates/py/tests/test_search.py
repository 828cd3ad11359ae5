"""GridSearchCV: in Rust the scores are those of scikit-learn's search, and all else is scikit-learn's search."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import model_selection
from sklearn.base import clone
from sklearn.datasets import make_classification, make_regression
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit
from sklearn.pipeline import make_pipeline

import ermine
from ermine.model_selection._search import NATIVE

GRIDS = {
    "BernoulliNB": {"alpha": [0.1, 1.0], "binarize": [0.0, 0.5]},
    "ElasticNet": {"alpha": [0.01, 0.1, 1.0]},
    "ExtraTreesClassifier": {"n_estimators": [4, 9], "max_depth": [2, None], "max_features": [2, 4]},
    "ExtraTreesRegressor": {"n_estimators": [4, 9], "min_samples_split": [2, 0.2], "criterion": ["squared_error", "absolute_error"]},
    "GaussianNB": {"var_smoothing": [1e-9, 1e-3, 1.0]},
    "KNeighborsClassifier": {"n_neighbors": [1, 5, 9], "weights": ["uniform", "distance"]},
    "KNeighborsRegressor": {"n_neighbors": [1, 5, 9], "p": [1, 2]},
    "KernelRidge": {"alpha": [0.1, 1.0], "kernel": ["linear", "rbf"]},
    "Lasso": {"alpha": [0.01, 0.1, 1.0]},
    "LinearDiscriminantAnalysis": [{"solver": ["svd"]}, {"solver": ["lsqr"], "shrinkage": [None, "auto", 0.0, 0.3, 1.0]}],
    "LinearRegression": {"fit_intercept": [True, False], "positive": [True, False]},
    "LogisticRegression": {"C": [0.01, 1.0, 100.0], "class_weight": [None, "balanced"]},
    "MultinomialNB": {"alpha": [0.1, 1.0], "fit_prior": [True, False]},
    "RandomForestClassifier": {"n_estimators": [4, 9], "max_depth": [2, 5, None], "min_samples_leaf": [1, 5]},
    "RandomForestRegressor": {"n_estimators": [4, 9], "max_depth": [2, None], "ccp_alpha": [0.0, 20.0], "max_leaf_nodes": [None, 7]},
    "Ridge": {"alpha": np.logspace(-3, 3, 7), "fit_intercept": [True, False]},
}


def rows(name, seed=0):
    if "predict_proba" in dir(getattr(ermine, name)):
        X, y = make_classification(200, 6, n_informative=4, n_classes=3, random_state=seed)
        return (np.abs(np.round(X)) if name == "MultinomialNB" else X), np.array(["a", "b", "c"])[y]
    return make_regression(200, 6, noise=20.0, random_state=seed)


@pytest.fixture
def only_rust(monkeypatch):
    def fit(self, *args, **kwargs):
        raise AssertionError("this search is for Rust")

    monkeypatch.setattr(model_selection.GridSearchCV, "fit", fit)


def pair(estimator, grid, X, y, monkeypatch, **options):
    """The search in Rust, and scikit-learn's."""
    theirs = model_selection.GridSearchCV(estimator, grid, **options).fit(X, y)
    with monkeypatch.context() as patch:
        patch.setattr(model_selection.GridSearchCV, "fit", None)
        ours = ermine.GridSearchCV(estimator, grid, **options).fit(X, y)
    return ours, theirs


def same(ours, theirs, tolerance=1e-9):
    assert set(ours.cv_results_) == set(theirs.cv_results_)
    for key, value in theirs.cv_results_.items():
        if key.startswith(("split", "mean_test", "std_test")):
            np.testing.assert_allclose(ours.cv_results_[key], value, rtol=tolerance, atol=tolerance)
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    assert ours.n_splits_ == theirs.n_splits_ and ours.multimetric_ == theirs.multimetric_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=tolerance, abs=tolerance)


def last(results):
    return len(results["params"]) - 1


def test_the_grids_are_those_of_all_estimators_for_rust():
    assert set(GRIDS) == NATIVE


@pytest.mark.parametrize("name", sorted(GRIDS))
def test_scores_are_those_of_scikit_learns_search(name, monkeypatch):
    X, y = rows(name)
    estimator = getattr(ermine, name)()
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=3)
    ours, theirs = pair(estimator, GRIDS[name], X, y, monkeypatch, cv=4)
    same(ours, theirs)
    assert ours.best_params_ == theirs.best_params_
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.score(X, y) == theirs.score(X, y)


@pytest.mark.parametrize("scoring", ["neg_mean_squared_error", "neg_root_mean_squared_error", "neg_mean_absolute_error", "r2"])
def test_measures_of_numbers(scoring, monkeypatch):
    X, y = rows("Ridge")
    same(*pair(ermine.Ridge(), {"alpha": [0.1, 10.0]}, X, y, monkeypatch, scoring=scoring))
    if scoring != "neg_root_mean_squared_error":
        both = np.column_stack([y, y**2])
        same(*pair(ermine.Ridge(), {"alpha": [0.1, 10.0]}, X, both, monkeypatch, scoring=scoring))


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "roc_auc"])
def test_measures_of_classes(scoring, monkeypatch):
    X, y = make_classification(150, 5, random_state=1)
    for estimator, grid in [(ermine.LogisticRegression(tol=1e-10), {"C": [0.1, 1.0]}), (ermine.GaussianNB(), {"var_smoothing": [1e-9, 0.1]})]:
        same(*pair(estimator, grid, X, y, monkeypatch, scoring=scoring, cv=KFold(3, shuffle=True, random_state=0)))


def test_other_forms_of_rows(monkeypatch):
    X, y = rows("Ridge")
    frame = pd.DataFrame(X, columns=list("abcdef"))
    grid = {"alpha": [0.1, 10.0]}
    ours, theirs = pair(ermine.Ridge(), grid, frame, y, monkeypatch)
    same(ours, theirs)
    assert list(ours.feature_names_in_) == list("abcdef") and ours.n_features_in_ == 6
    same(*pair(ermine.Ridge(), grid, sparse.csr_matrix(np.where(np.abs(X) > 1, X, 0.0)), y, monkeypatch))
    same(*pair(ermine.Ridge(), grid, X.astype(np.float32), y, monkeypatch), tolerance=1e-4)


def test_without_and_with_another_choice(monkeypatch):
    X, y = rows("Ridge")
    grid = {"alpha": [0.1, 10.0, 100.0]}
    ours, theirs = pair(ermine.Ridge(), grid, X, y, monkeypatch, refit=False)
    same(ours, theirs)
    assert not hasattr(ours, "best_estimator_")
    ours, _ = pair(ermine.Ridge(), grid, X, y, monkeypatch, refit=last)
    assert ours.best_params_ == {"alpha": 100.0} and not hasattr(ours, "best_score_")
    again = pickle.loads(pickle.dumps(ours))
    np.testing.assert_array_equal(again.predict(X), ours.predict(X))
    assert clone(ours).get_params()["param_grid"] == grid


def test_each_row_left_out(monkeypatch):
    X, y = make_regression(60, 4, noise=10.0, random_state=0)
    options = dict(cv=LeaveOneOut(), scoring="neg_mean_absolute_error")
    same(*pair(ermine.Ridge(), {"alpha": [0.1, 10.0]}, X, y, monkeypatch, **options), tolerance=1e-8)
    same(*pair(ermine.KNeighborsRegressor(), {"n_neighbors": [1, 3]}, X, y, monkeypatch, **options))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("splitter", ["exact", "histogram"])
@pytest.mark.parametrize("forest_class", [ermine.RandomForestClassifier, ermine.ExtraTreesClassifier])
def test_forests_score_bit_for_bit_as_fits_alone(forest_class, splitter, dtype, monkeypatch):
    X, y = make_classification(600, 8, n_informative=5, n_classes=3, random_state=0)
    X = X.astype(dtype)
    X[::7, 3] = np.nan
    forest = forest_class(12, splitter=splitter, class_weight="balanced", random_state=5)
    grid = {"max_depth": [2, 6, None], "max_features": [2, 5], "n_estimators": [7, 12]}
    ours, theirs = pair(forest, grid, X, y, monkeypatch, cv=3)
    for fold in range(3):
        np.testing.assert_array_equal(*(s.cv_results_[f"split{fold}_test_score"] for s in (ours, theirs)))
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    for setting, mean in zip(ours.cv_results_["params"], ours.cv_results_["mean_test_score"]):
        alone = model_selection.cross_val_score(clone(forest).set_params(**setting), X, y, cv=3)
        assert mean == alone.mean()


def test_forests_without_a_seed_are_searched_with_one_for_all(only_rust):
    X, y = rows("RandomForestClassifier")
    search = ermine.GridSearchCV(ermine.RandomForestClassifier(5), {"max_depth": [3, 3]}, cv=3, refit=False).fit(X, y)
    assert len(set(search.cv_results_["mean_test_score"])) == 1


def test_seeds_and_several_targets_of_classes_are_scikit_learns_search():
    X, y = make_classification(120, 5, random_state=0)
    both = np.column_stack([y, X[:, 0] > 0])
    forest = ermine.RandomForestClassifier(5, random_state=0)
    for grid, target, scoring in [({"random_state": [0, 1, 2]}, y, None), ({"max_depth": [1, 3]}, both, "r2")]:
        ours, theirs = (cls(forest, grid, scoring=scoring, cv=3).fit(X, target) for cls in (ermine.GridSearchCV, model_selection.GridSearchCV))
        np.testing.assert_array_equal(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])


def test_all_else_is_scikit_learns_search():
    X, y = rows("Ridge")
    grid, weight = {"alpha": [0.1, 10.0]}, np.arange(len(y)) + 1.0
    ours, theirs = ermine.GridSearchCV, model_selection.GridSearchCV

    def both(estimator, grid, fit=None, **options):
        a, b = (cls(estimator, grid, **options).fit(X, y, **(fit or {})) for cls in (ours, theirs))
        key = next(k for k in b.cv_results_ if k.startswith("mean_test"))
        np.testing.assert_array_equal(a.cv_results_[key], b.cv_results_[key])

    both(ermine.Ridge(), grid, fit={"sample_weight": weight})
    both(ermine.Ridge(), grid, cv=ShuffleSplit(3, random_state=0))
    both(ermine.Ridge(), grid, scoring=["r2", "explained_variance"], refit="r2")
    both(ermine.Ridge(), grid, scoring="explained_variance")
    both(ermine.Ridge(), grid, scoring=lambda model, X, y: float(len(y)))
    both(ermine.Ridge(), grid, return_train_score=True)
    both(ermine.DecisionTreeRegressor(random_state=0), {"max_depth": [1, 2]})
    both(make_pipeline(ermine.StandardScaler(), ermine.Ridge()), {"ridge__alpha": [0.1, 1.0]})
    # Splits that can be read once are read by scikit-learn alone.
    assert ours(ermine.Ridge(), grid, cv=KFold(3).split(X)).fit(X, y).n_splits_ == 3


def test_fits_that_fail_are_told_by_scikit_learn():
    X, y = rows("Ridge")
    with pytest.raises(ValueError, match="alpha"):
        ermine.GridSearchCV(ermine.Ridge(), {"alpha": [-1.0, -2.0]}).fit(X, y)
    with pytest.warns(match="Scoring failed"):
        search = ermine.GridSearchCV(ermine.KNeighborsRegressor(), {"n_neighbors": [3, 1000]}).fit(X, y)
    assert search.best_params_ == {"n_neighbors": 3}
    X[7, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        ermine.GridSearchCV(ermine.Ridge(), {"alpha": [0.1, 1.0]}).fit(X, y)


def test_a_class_that_a_fold_lacks(monkeypatch):
    X, y = make_classification(60, 4, random_state=0)
    y[:2] = 2
    a = ermine.GridSearchCV(ermine.GaussianNB(), {"var_smoothing": [1e-9, 0.1]}, cv=KFold(3)).fit(X, y)
    b = model_selection.GridSearchCV(ermine.GaussianNB(), {"var_smoothing": [1e-9, 0.1]}, cv=KFold(3)).fit(X, y)
    np.testing.assert_array_equal(a.cv_results_["mean_test_score"], b.cv_results_["mean_test_score"])


def test_only_rust_is_asked(only_rust):
    X, y = rows("Ridge")
    assert ermine.GridSearchCV(ermine.Ridge(), {"alpha": [0.1, 1.0]}).fit(X, y).best_estimator_.alpha == 0.1
