"""Boosting of trees."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import GradientBoostingClassifier as TheirGradientBoosting
from sklearn.ensemble import HistGradientBoostingClassifier as TheirClassifier
from sklearn.ensemble import HistGradientBoostingRegressor as TheirRegressor
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import ermine
from ermine import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    load,
)


@pytest.fixture
def numbers():
    X, y = make_regression(3000, 8, noise=20.0, random_state=0)
    X[np.random.default_rng(0).random(X.shape) < 0.05] = np.nan
    return train_test_split(X, y, random_state=0)


@pytest.fixture
def classes():
    X, y = make_classification(3000, 8, n_informative=6, n_classes=3, random_state=0)
    return train_test_split(X, y, random_state=0)


def test_as_good_as_scikit_learn(numbers, classes):
    X, X_test, y, y_test = numbers
    ours, theirs = (c(random_state=0).fit(X, y).score(X_test, y_test) for c in (HistGradientBoostingRegressor, TheirRegressor))
    assert ours > theirs - 0.005
    X, X_test, y, y_test = classes
    models = [c(random_state=0).fit(X, y) for c in (HistGradientBoostingClassifier, TheirClassifier)]
    ours, theirs = (log_loss(y_test, m.predict_proba(X_test)) for m in models)
    assert ours < 1.02 * theirs


def test_stages_end_where_the_model_stands(numbers, classes):
    X, X_test, y, _ = numbers
    model = HistGradientBoostingRegressor(max_iter=7).fit(X, y)
    stages = list(model.staged_predict(X_test))
    assert len(stages) == model.n_iter_ == 7
    np.testing.assert_array_equal(stages[-1], model.predict(X_test))
    X, X_test, y, _ = classes
    model = HistGradientBoostingClassifier(max_iter=5).fit(X, y)
    assert model.n_trees_per_iteration_ == 3
    np.testing.assert_allclose(list(model.staged_predict_proba(X_test))[-1], model.predict_proba(X_test), atol=1e-14)
    np.testing.assert_array_equal(list(model.staged_decision_function(X_test))[-1], model.decision_function(X_test))
    np.testing.assert_array_equal(list(model.staged_predict(X_test))[-1], model.predict(X_test))


def test_a_warm_start_is_one_long_fit(numbers):
    X, X_test, y, _ = numbers
    long = HistGradientBoostingRegressor(max_iter=20, subsample=0.5, random_state=3).fit(X, y)
    short = HistGradientBoostingRegressor(max_iter=8, subsample=0.5, random_state=3, warm_start=True).fit(X, y)
    short.set_params(max_iter=20).fit(X, y)
    np.testing.assert_array_equal(long.predict(X_test), short.predict(X_test))
    with pytest.raises(ValueError, match="max_iter"):
        short.set_params(max_iter=5).fit(X, y)


def test_early_stopping(classes):
    X, X_test, y, y_test = classes
    model = HistGradientBoostingClassifier(max_iter=1000, learning_rate=0.5, early_stopping=True, random_state=0).fit(X, y)
    assert model.n_iter_ < 300 and len(model.validation_score_) == len(model.train_score_) == model.n_iter_ + 1
    held = HistGradientBoostingClassifier(max_iter=1000, learning_rate=0.5).fit(X, y, X_val=X_test, y_val=y_test)
    assert held.n_iter_ < 300
    np.testing.assert_allclose(-held.validation_score_[-1], log_loss(y_test, held.predict_proba(X_test)), rtol=1e-9)
    scored = HistGradientBoostingClassifier(
        max_iter=1000, learning_rate=0.5, early_stopping=True, scoring="accuracy", n_iter_no_change=3, random_state=0
    ).fit(X, y)
    assert scored.n_iter_ < 100 and scored.validation_score_.max() <= 1


def test_categories_from_arrays_and_frames():
    rng = np.random.default_rng(1)
    code = rng.integers(0, 30, 4000)
    other = rng.normal(size=4000)
    y = np.where(code % 2 == 0, 3.0, -3.0) + other
    X = np.column_stack([code.astype(float), other])
    X[::17, 0] = np.nan
    model = HistGradientBoostingRegressor(categorical_features=[0], max_iter=50).fit(X, y)
    assert model.is_categorical_.tolist() == [True, False]
    assert model.score(X[1::17], y[1::17]) > 0.95
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"code": pd.Categorical([f"c{c}" for c in code]), "other": other})
    model = HistGradientBoostingRegressor(max_iter=50).fit(frame, y)
    assert model.score(frame, y) > 0.95
    # Categories are known by name, whatever their order.
    turned = frame.assign(code=frame["code"].cat.reorder_categories(frame["code"].cat.categories[::-1]))
    np.testing.assert_array_equal(model.predict(frame), model.predict(turned))


def test_saved_and_loaded(tmp_path, classes):
    X, X_test, y, _ = classes
    model = HistGradientBoostingClassifier(max_iter=5).fit(X, y)
    model.save(tmp_path / "m.ermine")
    again = load(tmp_path / "m.ermine")
    np.testing.assert_array_equal(model.predict_proba(X_test), again.predict_proba(X_test))
    assert again.n_iter_ == 5
    np.testing.assert_allclose(model.feature_importances_.sum(), 1.0)


def test_weight_two_is_the_row_twice(numbers):
    X, X_test, y, _ = numbers
    w = np.arange(len(y)) % 3
    a = HistGradientBoostingRegressor(max_iter=20).fit(X, y, sample_weight=w)
    b = HistGradientBoostingRegressor(max_iter=20).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_array_equal(a.predict(X_test), b.predict(X_test))


def test_monotone(numbers):
    X, _, y, _ = numbers
    model = HistGradientBoostingRegressor(monotonic_cst=[1] + [0] * 7).fit(X, y)
    probe = np.repeat(np.nan_to_num(X[:1]), 100, axis=0)
    probe[:, 0] = np.linspace(-4, 4, 100)
    assert np.all(np.diff(model.predict(probe)) >= 0)


def test_infinite_values_are_above_and_below_all_others():
    X = np.array([-np.inf, -1.0, 0.0, 1.0, np.inf, np.nan])[:, None]
    for y in np.eye(6):
        model = HistGradientBoostingRegressor(min_samples_leaf=1, learning_rate=1.0, max_iter=20).fit(X, y)
        np.testing.assert_allclose(model.predict(X), y, atol=1e-6)


def test_class_weights_are_sample_weights(classes):
    X, _, y, _ = classes
    X = X.round(1)  # so few values that every one has a bin: bins are cut before classes are weighed
    weighed = HistGradientBoostingClassifier(max_iter=20, class_weight={0: 1.0, 1: 3.0, 2: 2.0}).fit(X, y)
    by_rows = HistGradientBoostingClassifier(max_iter=20).fit(X, y, sample_weight=np.array([1.0, 3.0, 2.0])[y])
    np.testing.assert_allclose(weighed.decision_function(X), by_rows.decision_function(X), rtol=1e-9)


EXPLAINED = [
    "RandomForestClassifier",
    "RandomForestRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
]


@pytest.mark.parametrize("name", EXPLAINED)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_shapley_values_and_the_expected_value_sum_to_the_raw_score(name, n_classes):
    X, y = make_classification(300, 5, n_informative=4, n_redundant=0, n_classes=n_classes, random_state=0)
    X[::7, 1] = np.nan
    model = getattr(ermine, name)(random_state=0).fit(X, y)
    if hasattr(model, "decision_function"):
        said = model.decision_function(X)
    else:
        said = model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)
    values = model.shap_values(X)
    assert values.shape[:2] == X.shape
    np.testing.assert_allclose(values.sum(axis=1) + model.expected_value_, said, atol=1e-10)


def test_softmax_follows_its_recursion():
    """Trees that part four groups of one class each: every leaf takes a Newton step by itself."""
    y = np.arange(10) % 4
    proba = GradientBoostingClassifier(max_depth=3).fit(y[:, None].astype(float), y).predict_proba(np.arange(4.0)[:, None])
    own = np.eye(4, dtype=bool)
    raw = np.tile(np.log(np.bincount(y).astype(np.longdouble) / 10), (4, 1))
    for _ in range(100):
        p = np.exp(raw - raw.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        other = np.where(own, np.where(own, 0, p).sum(axis=1, keepdims=True), 1 - p)
        raw = raw + np.longdouble("0.1") * 3 / 4 * np.where(own, other, -p) / (p * other)
    p = np.exp(raw - raw.max(axis=1, keepdims=True))
    np.testing.assert_allclose(proba, (p / p.sum(axis=1, keepdims=True)).astype(float), rtol=1e-12)


@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
def test_scores_that_start_from_an_estimator_are_those_of_scikit_learn(loss):
    X, y = make_classification(300, 5, random_state=0)
    X = X.astype(np.float32).astype(float)
    settings = {"loss": loss, "init": DecisionTreeClassifier(max_depth=2, min_samples_leaf=20, random_state=0), "n_estimators": 30, "random_state": 0}
    ours, theirs = (c(**settings).fit(X, y) for c in (GradientBoostingClassifier, TheirGradientBoosting))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-8)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    *_, last = ours.staged_decision_function(X)
    np.testing.assert_allclose(last, ours.decision_function(X), atol=1e-12)
    for refused in (lambda: ours.shap_values(X), lambda: ours.save("nowhere.ermine")):
        with pytest.raises(ValueError, match="init"):
            refused()


def test_a_monitor_sees_every_round_and_ends_them():
    X, y = make_regression(200, 4, random_state=0)
    seen = []
    model = GradientBoostingRegressor(random_state=0, subsample=0.7)
    model.fit(X, y, monitor=lambda i, model, _: seen.append((i, len(model.train_score_))) or i == 4)
    assert seen == [(i, i + 1) for i in range(5)]
    whole = GradientBoostingRegressor(random_state=0, subsample=0.7, n_estimators=5).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), whole.predict(X))
