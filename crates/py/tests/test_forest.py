"""Forests and gradient boosting in Python, side by side with scikit-learn."""

import pickle

import numpy as np
import pytest
import sklearn.ensemble
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_classification
from sklearn.metrics import log_loss, r2_score
from sklearn.model_selection import train_test_split

import ermine

CLASSES = ["RandomForestClassifier", "ExtraTreesClassifier", "GradientBoostingClassifier"]
NUMBERS = ["RandomForestRegressor", "ExtraTreesRegressor", "GradientBoostingRegressor"]


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_classes_are_told_as_well_as_by_scikit_learn(name, load):
    X, y = load(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.4, random_state=0)
    ours = getattr(ermine, name)(random_state=0).fit(X, y)
    theirs = getattr(sklearn.ensemble, name)(random_state=0).fit(X, y)
    assert abs(ours.score(X_test, y_test) - theirs.score(X_test, y_test)) < 0.04
    assert log_loss(y_test, ours.predict_proba(X_test)) < 1.5 * log_loss(y_test, theirs.predict_proba(X_test)) + 0.02
    if load is load_iris:  # either length or width of the petals tells the kinds apart; which is taken is a matter of chance
        np.testing.assert_allclose(ours.feature_importances_[2:].sum(), theirs.feature_importances_[2:].sum(), atol=0.12)
    else:
        np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=0.12)
    np.testing.assert_allclose(ours.feature_importances_.sum(), 1.0)


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_predicted_as_well_as_by_scikit_learn(name):
    X, y = load_diabetes(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.4, random_state=0)
    ours = getattr(ermine, name)(random_state=0).fit(X, y)
    theirs = getattr(sklearn.ensemble, name)(random_state=0).fit(X, y)
    assert r2_score(y_test, ours.predict(X_test)) > r2_score(y_test, theirs.predict(X_test)) - 0.06


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile"])
def test_gradient_boosting_takes_the_steps_of_scikit_learn(loss):
    # Without draws and without ties the two grow the same trees.
    rng = np.random.default_rng(0)
    X = rng.standard_normal((201, 4))
    y = X[:, 0] + np.sin(3 * X[:, 1]) + 0.1 * rng.standard_normal(201)
    settings = dict(loss=loss, n_estimators=15, max_depth=2, random_state=0)
    ours = ermine.GradientBoostingRegressor(**settings).fit(X, y)
    theirs = sklearn.ensemble.GradientBoostingRegressor(**settings).fit(X, y)
    tolerance = 1e-6 if loss == "squared_error" else 0.1
    assert np.abs(ours.predict(X) - theirs.predict(X)).max() < tolerance * np.abs(y).max()
    if loss == "squared_error":
        np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-6)
        np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-6)


@pytest.mark.parametrize("classes", [2, 3])
def test_boosted_classes_take_the_steps_of_scikit_learn(classes):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((250, 4))
    y = (np.abs(X[:, 0] + 0.5 * rng.standard_normal(250)) * 1.5).astype(int) % classes
    settings = dict(n_estimators=10, max_depth=2, random_state=0)
    ours = ermine.GradientBoostingClassifier(**settings).fit(X, y)
    theirs = sklearn.ensemble.GradientBoostingClassifier(**settings).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    np.testing.assert_allclose(ours.train_score_, theirs.train_score_, rtol=1e-6)
    for ours_stage, their_stage in zip(ours.staged_predict_proba(X), theirs.staged_predict_proba(X)):
        np.testing.assert_allclose(ours_stage, their_stage, atol=1e-6)
    np.testing.assert_array_equal(list(ours.staged_predict(X))[-1], ours.predict(X))


def test_one_tree_without_draws_is_the_single_tree():
    X, y = load_breast_cancer(return_X_y=True)
    forest = ermine.RandomForestClassifier(1, bootstrap=False, max_features=None).fit(X, y)
    tree = ermine.DecisionTreeClassifier().fit(X, y)
    ours, single = forest.estimators_[0].tree_, tree.tree_
    np.testing.assert_array_equal(ours.children_left, single.children_left)
    np.testing.assert_array_equal(ours.children_right, single.children_right)
    np.testing.assert_array_equal(ours.threshold, single.threshold)
    np.testing.assert_allclose(ours.impurity, single.impurity, atol=1e-12)
    np.testing.assert_allclose(forest.feature_importances_, tree.feature_importances_)
    np.testing.assert_array_equal(forest.apply(X)[:, 0], tree.apply(X))
    np.testing.assert_array_equal(forest.estimators_[0].predict_proba(X), forest.predict_proba(X))


@pytest.mark.parametrize("name", CLASSES + NUMBERS)
def test_more_trees_can_be_added(name):
    X, y = load_iris(return_X_y=True)
    make = getattr(ermine, name)
    whole = make(n_estimators=20, random_state=3).fit(X, y)
    part = make(n_estimators=8, random_state=3, warm_start=True).fit(X, y)
    part.set_params(n_estimators=20).fit(X, y)
    np.testing.assert_array_equal(part.predict(X), whole.predict(X))
    with pytest.raises(ValueError, match="must be larger or equal"):
        part.set_params(n_estimators=5).fit(X, y)


@pytest.mark.parametrize("name", CLASSES + NUMBERS)
def test_the_file_and_the_pickle_keep_the_model(name, tmp_path):
    X, y = load_iris(return_X_y=True)
    model = getattr(ermine, name)(n_estimators=7, random_state=0).fit(X, y)
    model.save(tmp_path / "model")
    again = ermine.load(tmp_path / "model")
    assert type(again) is type(model)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_rows_outside_the_bags_score_like_a_test_set():
    X, y = load_breast_cancer(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    for splitter in ("exact", "histogram"):
        forest = ermine.RandomForestClassifier(oob_score=True, random_state=0, splitter=splitter).fit(X, y)
        assert abs(forest.oob_score_ - forest.score(X_test, y_test)) < 0.05
        assert forest.oob_decision_function_.shape == (len(X), 2)
        said = forest.classes_[forest.oob_decision_function_.argmax(axis=1)]
        assert forest.oob_score_ == pytest.approx((said == y).mean())
    with pytest.raises(ValueError, match="bootstrap"):
        ermine.RandomForestClassifier(oob_score=True, bootstrap=False).fit(X, y)


def test_permutation_importances_find_the_columns_that_matter():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 5))
    y = 3 * X[:, 2] + 0.1 * rng.standard_normal(400)
    forest = ermine.RandomForestRegressor(30, permutation_importances=True, random_state=0).fit(X, y)
    assert forest.permutation_importances_.argmax() == 2
    assert np.abs(np.delete(forest.permutation_importances_, 2)).max() < 0.05 * forest.permutation_importances_[2]


@pytest.mark.parametrize("name", CLASSES)
def test_tables_with_categories_and_missing_values(name):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 300)
    size = np.where(rng.random(300) < 0.1, np.nan, rng.standard_normal(300))
    X = pd.DataFrame({"colour": pd.Categorical(colour), "size": size})
    y = np.where((colour == "red") | (np.nan_to_num(size) > 0.5), "yes", "no")
    model = getattr(ermine, name)(n_estimators=30, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.97
    np.testing.assert_array_equal(model.predict(X[["size", "colour"]][["colour", "size"]]), model.predict(X))


def test_early_stopping_holds_rows_out():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 3))
    y = (X[:, 0] > 0) + 0.5 * rng.standard_normal(400)
    model = ermine.GradientBoostingRegressor(n_estimators=500, n_iter_no_change=5, random_state=0).fit(X, y)
    assert 5 < model.n_estimators_ < 300
    assert len(model.train_score_) == model.n_estimators_ == len(model.estimators_)
    sampled = ermine.GradientBoostingRegressor(n_estimators=20, subsample=0.5, random_state=0).fit(X, y)
    assert sampled.oob_improvement_.shape == (20,)


@pytest.mark.parametrize("step", ["leaf", "line-search", "fixed", "decay"])
def test_every_kind_of_step_learns(step):
    X, y = load_diabetes(return_X_y=True)
    model = ermine.GradientBoostingRegressor(step=step, n_estimators=60).fit(X, y)
    assert (np.diff(model.train_score_) < 0).all()
    assert model.score(X, y) > 0.4


@pytest.mark.parametrize("bootstrap", [True, False])
def test_a_tree_grows_again_from_its_bag(bootstrap):
    X, y = load_breast_cancer(return_X_y=True)
    forest = ermine.RandomForestClassifier(5, bootstrap=bootstrap, random_state=3).fit(X, y, sample_weight=1.0 + (y == 0))
    assert len({tree.random_state for tree in forest.estimators_}) == 5
    for rows, tree in zip(forest.estimators_samples_, forest.estimators_):
        weight = None if bootstrap else 1.0 + (y[rows] == 0)
        again = clone(tree).fit(X[rows], y[rows], sample_weight=weight)
        np.testing.assert_array_equal(again.tree_.feature, tree.tree_.feature)
        np.testing.assert_allclose(again.tree_.value, tree.tree_.value)


def test_bags_follow_the_weights():
    X = np.arange(100.0)[:, None]
    weight = np.where(np.arange(100) < 20, 0.0, np.where(np.arange(100) < 40, 3.0, 1.0))
    forest = ermine.RandomForestRegressor(200, random_state=0).fit(X, X.ravel(), sample_weight=weight)
    counts = np.bincount(np.concatenate(forest.estimators_samples_), minlength=100)
    assert counts[:20].sum() == 0 and counts.sum() == 200 * 80
    # 20 rows of weight 3 and 60 of weight 1: half of the draws each, with a spread of about 63.
    assert abs(counts[20:40].sum() - 8000) < 300


def test_trees_draw_anew_in_every_node():
    """Of 8 columns that are alike, a node takes any; the left edge once repeated the draw of the root."""
    X = np.random.default_rng(0).integers(0, 2, size=(4000, 8)).astype(float)
    forest = ermine.RandomForestRegressor(300, max_features=1, max_depth=2, bootstrap=False, random_state=0).fit(X, X.sum(axis=1))
    same = [tree.tree_.feature[0] == tree.tree_.feature[1] for tree in forest.estimators_]
    assert not any(same)  # a column that was tested is constant below
    pairs = {(tree.tree_.feature[0], tree.tree_.feature[1]) for tree in forest.estimators_}
    assert len(pairs) > 45  # of 56


@pytest.mark.parametrize("name", ["RandomForestClassifier", "ExtraTreesClassifier"])
def test_over_many_draws_forests_are_as_good_as_those_of_scikit_learn(name):
    X, y = make_classification(n_samples=1000, n_classes=3, n_informative=6, random_state=0)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0)

    def scores(cls):
        fits = [cls(n_estimators=40, bootstrap=True, oob_score=True, random_state=seed).fit(X, y) for seed in range(20)]
        return np.array([(fit.oob_score_, fit.score(X_test, y_test)) for fit in fits])

    ours, theirs = scores(getattr(ermine, name)), scores(getattr(sklearn.ensemble, name))
    error = np.sqrt((ours.var(axis=0, ddof=1) + theirs.var(axis=0, ddof=1)) / 20)
    assert (np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) < 4 * error).all()
