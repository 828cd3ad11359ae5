"""Decisions from Python: `ermine.decide`."""

import pickle

import numpy as np
import pytest
from ermine import GaussianNB, KNeighborsClassifier, LogisticRegression, RandomForestClassifier
from ermine.decide import (
    ABSTAIN,
    ActiveCurve,
    ActiveLearning,
    CalibratedClassifier,
    Calibration,
    CostSensitiveClassifier,
    SelfTrainingClassifier,
    bayes_action,
    cost_threshold,
    simulate,
    threshold_for_fnr,
    threshold_for_fpr,
    uncertainty,
)
from scipy.stats import binom, norm
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits, load_iris, make_classification, make_moons
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression as Theirs
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_score


def shares(rng, n, k):
    p = rng.gamma(1.0, size=(n, k))
    return p / p.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("abstain", [None, 0.4])
def test_no_action_is_expected_to_cost_less(abstain):
    rng = np.random.RandomState(0)
    p, cost = shares(rng, 200, 3), rng.uniform(0, 2, size=(3, 4))
    found = bayes_action(p, cost, abstain=abstain)
    expected = p @ cost
    best = expected.min(axis=1)
    declined = np.zeros(200, dtype=bool) if abstain is None else abstain < best
    assert (found.action[declined] == ABSTAIN).all()
    assert (found.action[~declined] == expected[~declined].argmin(axis=1)).all()
    np.testing.assert_allclose(found.expected, np.where(declined, abstain or 0.0, best), rtol=0, atol=1e-14)
    # Both kinds are there, or the test says nothing.
    assert abstain is None or 0 < declined.sum() < 200


def test_costs_of_two_classes_are_a_threshold():
    cost = [[0.0, 1.0], [5.0, 0.0]]
    assert cost_threshold(cost) == pytest.approx(1 / 6, abs=1e-15)
    p = np.linspace(0, 1, 101)
    action = bayes_action(np.column_stack([1 - p, p]), cost).action
    np.testing.assert_array_equal(action, p >= 1 / 6)
    assert cost_threshold([[0, 0], [0, 0]]) is None
    # Chow's rule.
    p = shares(np.random.RandomState(1), 300, 3)
    chow = bayes_action(p, 1 - np.eye(3), abstain=0.3).action
    np.testing.assert_array_equal(chow == ABSTAIN, 1 - p.max(axis=1) > 0.3)


def test_costs_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="expected 3"):
        bayes_action([[0.5, 0.5]], np.ones((3, 3)))
    with pytest.raises(ValueError, match="no finite number"):
        bayes_action([[0.5, 0.5]], [[0, np.nan], [1, 0]])
    with pytest.raises(ValueError, match="row 1"):
        bayes_action([[0.5, 0.5], [np.nan, 1.0]], [[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="two dimensions"):
        bayes_action([0.5, 0.5], [[0, 1], [1, 0]])
    with pytest.raises(TypeError, match="abstain"):
        bayes_action([[0.5, 0.5]], [[0, 1], [1, 0]], abstain="little")


def test_a_bound_is_kept_on_fresh_rows():
    """Scores are normal, so that the rate on fresh rows is known exactly."""
    rng = np.random.RandomState(2)
    beyond = missed = 0
    trials = 400
    y = np.arange(150) % 3 == 0
    for _ in range(trials):
        score = rng.randn(150) + 2.0 * y
        found = threshold_for_fpr(y.astype(int), score, 0.1, confidence=0.9)
        # The least rank of 100 negative scores that the binomial allows.
        k = next(k for k in range(1, 101) if binom.sf(k - 1, 100, 0.9) <= 0.1)
        assert found.threshold == np.nextafter(np.sort(score[~y])[k - 1], np.inf)
        assert found.confidence == pytest.approx(binom.cdf(k - 1, 100, 0.9), abs=1e-12)
        assert found.rate == np.mean(score[~y] >= found.threshold) <= 0.1
        assert found.other == np.mean(score[y] < found.threshold)
        beyond += norm.sf(found.threshold) > 0.1
        missed += norm.cdf(threshold_for_fnr(y.astype(int), score, 0.2, confidence=0.9).threshold - 2.0) > 0.2
    # 10% of 400, and three standard errors.
    assert 5 < beyond < 58 and 5 < missed < 58, (beyond, missed)


def test_bounds_say_how_many_rows_they_need():
    score = np.arange(58.0)
    with pytest.raises(ValueError, match="59 are needed"):
        threshold_for_fpr(np.zeros(58), score, 0.05)
    with pytest.raises(ValueError, match="pos_label"):
        threshold_for_fpr(["a"] * 58, score, 0.5)
    named = threshold_for_fpr(["ill", "well"] * 29, score, 0.3, pos_label="ill")
    plain = threshold_for_fpr([1, 0] * 29, score, 0.3)
    assert named == plain
    with pytest.raises(ValueError, match="bound"):
        threshold_for_fnr([1, 0] * 29, score, 1.5)


def too_sure(n=4000, seed=3):
    """Probabilities whose log odds are three times too large."""
    rng = np.random.RandomState(seed)
    odds = 1.5 * rng.randn(n)
    y = rng.uniform(size=n) < 1 / (1 + np.exp(-odds))
    p = 1 / (1 + np.exp(-3 * odds))
    return np.column_stack([1 - p, p]), y.astype(int), odds


def test_calibration_makes_probabilities_honest():
    p, y, odds = too_sure()
    fresh, truth, _ = too_sure(seed=4)
    for method in ["sigmoid", "isotonic"]:
        found = Calibration(method).fit(p, y)
        honest = found.transform(fresh)
        np.testing.assert_allclose(honest.sum(axis=1), 1.0, atol=1e-12)
        assert log_loss(truth, honest) < log_loss(truth, fresh) - 0.05
        order = np.argsort(fresh[:, 1])
        assert (np.diff(honest[order, 1]) >= -1e-15).all()
        again = pickle.loads(pickle.dumps(found))
        np.testing.assert_array_equal(again.transform(fresh), honest)
    # The slope is found again: a third of the log odds.
    honest = Calibration("sigmoid").fit(p, y).transform(p)[:, 1]
    slope = np.polyfit(odds, np.log(honest / (1 - honest)), 1)[0]
    assert slope == pytest.approx(1.0, abs=0.15)
    # Isotonic regression is scikit-learn's.
    theirs = IsotonicRegression(out_of_bounds="clip").fit(p[:, 1], y).predict(fresh[:, 1])
    np.testing.assert_allclose(Calibration("isotonic").fit(p, y).transform(fresh)[:, 1], theirs, atol=1e-9)
    with pytest.raises(ValueError, match="'isotonic'"):
        Calibration("spline").fit(p, y)
    with pytest.raises(ValueError, match="call fit"):
        Calibration().transform(p)
    with pytest.raises(ValueError, match="3 columns"):
        Calibration().fit(np.full((2, 3), 1 / 3), [0, 1])


def test_calibrated_classifier_is_more_honest_than_naive_bayes():
    # Columns told over again make naive Bayes too sure.
    X, y = make_classification(3000, 6, n_informative=3, n_redundant=0, flip_y=0.1, random_state=0)
    X = np.hstack([X, X, X])
    train, test = slice(0, 1500), slice(1500, 3000)
    plain = log_loss(y[test], GaussianNB().fit(X[train], y[train]).predict_proba(X[test]))
    for method in ["sigmoid", "isotonic"]:
        ours = CalibratedClassifier(GaussianNB(), method=method).fit(X[train], y[train])
        theirs = CalibratedClassifierCV(GaussianNB(), method=method, ensemble=False).fit(X[train], y[train])
        found = log_loss(y[test], ours.predict_proba(X[test]))
        assert found < plain - 0.02, method
        assert found < log_loss(y[test], theirs.predict_proba(X[test])) + 0.02, method
    assert ours.n_features_in_ == 18 and clone(ours).get_params()["method"] == "isotonic"


def test_calibration_of_three_classes_keeps_names_and_sums():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = CalibratedClassifier(LogisticRegression(C=100.0)).fit(X, names)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)
    assert (model.classes_ == np.unique(names)).all() and np.mean(model.predict(X) == names) > 0.9
    assert cross_val_score(model, X, names, cv=3).mean() > 0.9
    weighted = CalibratedClassifier(LogisticRegression()).fit(X, names, sample_weight=np.ones(150))
    plain = CalibratedClassifier(LogisticRegression()).fit(X, names)
    np.testing.assert_allclose(weighted.predict_proba(X), plain.predict_proba(X), atol=1e-6)


def test_cost_sensitive_classifiers_pay_less():
    X, y = make_classification(2000, 8, n_informative=4, class_sep=0.6, random_state=1)
    train, test = slice(0, 1000), slice(1000, 2000)
    cost = np.array([[0.0, 1.0], [8.0, 0.0]])
    plain = LogisticRegression().fit(X[train], y[train])
    model = CostSensitiveClassifier(LogisticRegression(), cost).fit(X[train], y[train])
    paid = cost[y[test], model.predict(X[test])].sum()
    assert paid < 0.8 * cost[y[test], plain.predict(X[test])].sum()
    np.testing.assert_array_equal(model.predict(X[test]), plain.predict_proba(X[test])[:, 1] >= 1 / 9)
    # Declining pays too.
    careful = clone(model).set_params(abstain=0.5, abstain_label=-1).fit(X[train], y[train])
    found = careful.predict(X[test])
    assert set(np.unique(found)) == {-1, 0, 1}
    answered = found >= 0
    assert cost[y[test][answered], found[answered]].sum() + 0.5 * (~answered).sum() < paid
    # Labels that are words, and a mark that is none of them.
    words = np.array(["no", "yes"])[y]
    spoken = CostSensitiveClassifier(LogisticRegression(), cost, abstain=0.5).fit(X[train], words[train]).predict(X[test])
    assert set(spoken.tolist()) == {None, "no", "yes"}
    assert [w for w, a in zip(spoken, answered) if a] == np.array(["no", "yes"])[found[answered]].tolist()
    with pytest.raises(ValueError, match=r"must be \(2, 2\)"):
        CostSensitiveClassifier(LogisticRegression(), np.ones((3, 3))).fit(X, y)


def test_around_classifiers_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    model = CostSensitiveClassifier(Theirs(max_iter=1000), 1 - np.eye(3)).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), Theirs(max_iter=1000).fit(X, y).predict(X))
    with pytest.raises(TypeError, match="predict_proba"):
        from sklearn.svm import LinearSVC

        CostSensitiveClassifier(LinearSVC(), 1 - np.eye(3)).fit(X, y).predict(X)


def test_measures_of_uncertainty():
    p = np.array([[0.5, 0.3, 0.2], [1.0, 0.0, 0.0]])
    np.testing.assert_allclose(uncertainty(p, "least_confident"), [0.5, 0.0], atol=1e-15)
    np.testing.assert_allclose(uncertainty(p, "margin"), [-0.2, -1.0], atol=1e-15)
    np.testing.assert_allclose(uncertainty(p, "entropy"), [-(p[0] * np.log(p[0])).sum(), 0.0], atol=1e-15)
    with pytest.raises(ValueError, match="'entropy'"):
        uncertainty(p, "doubt")


def test_rows_near_the_boundary_are_asked_for_and_none_twice():
    X = np.arange(100.0)[:, None] / 10
    asking = ActiveLearning(LogisticRegression(), X, classes=["a", "b"], how="entropy", batch=3)
    assert len(next(asking)) == 3 and asking.model is None
    asking.tell(0, "a")
    asking.tell([99], ["b"])
    first = next(asking)
    assert ((first >= 40) & (first < 60)).all(), first
    seen = []
    for rows in asking:
        seen.extend(rows.tolist())
        asking.tell(rows, ["b" if i >= 63 else "a" for i in rows])
    assert len(seen) == len(set(seen)) == 98
    assert (asking.fit().predict(X) == np.where(np.arange(100) >= 63, "b", "a")).mean() > 0.97
    with pytest.raises(ValueError, match="no row 100"):
        asking.tell(100, "a")
    with pytest.raises(ValueError, match="'c'"):
        asking.tell(1, "c")
    with pytest.raises(ValueError, match="batch"):
        ActiveLearning(LogisticRegression(), X, classes=[0, 1], batch=0)
    with pytest.raises(ValueError, match="2 different classes"):
        ActiveLearning(LogisticRegression(), X, classes=[1])


def test_asking_needs_fewer_labels_than_chance():
    X, y = load_digits(return_X_y=True)
    order = np.random.RandomState(0).permutation(len(y))
    X, y = X[order] / 16, y[order]
    learner = LogisticRegression(C=1.0)

    def curve(how):
        return simulate(learner, X[:1200], y[:1200], X[1200:], y[1200:], how=how, start=40, batch=20, most=600)

    asked, random = curve("margin"), curve("random")
    # The same start.
    assert asked.labels[0] == random.labels[0] == 40 and asked.accuracy[0] == random.accuracy[0]
    assert asked.labels[-1] == 600
    goal = random.accuracy[-1] - 0.005
    assert asked.labels_for(goal) <= 0.6 * random.labels_for(goal), (asked, random)


def test_curves_say_how_many_labels_an_accuracy_takes():
    curve = ActiveCurve("margin", np.array([10, 20, 30, 40]), np.array([0.5, 0.9, 0.8, 0.95]))
    assert (curve.labels_for(0.5), curve.labels_for(0.85), curve.labels_for(0.99)) == (10, 40, None)


def test_rows_without_labels_help_where_classes_are_clusters():
    X, truth = make_moons(600, noise=0.06, random_state=0)
    y = np.full(600, -1)
    few = np.concatenate([np.flatnonzero(truth == c)[:8] for c in (0, 1)])
    y[few] = truth[few]
    learner = KNeighborsClassifier(3, weights="distance")
    alone = learner.fit(X[few], truth[few]).score(X, truth)
    model = SelfTrainingClassifier(learner, threshold=0.9, most=20, max_iter=60).fit(X, y)
    assert model.score(X, truth) > alone
    assert (model.labeled_iter_[few] == 0).all() and (model.transduction_[few] == truth[few]).all()
    rounds = np.bincount(model.labeled_iter_[model.labeled_iter_ > 0])
    assert rounds.max() <= 20 and model.n_iter_ == model.labeled_iter_.max()
    assert model.termination_condition_ == "all_labeled" and set(model.transduction_) == {0, 1}


def test_self_training_with_words_and_what_cannot_be():
    X, y = load_iris(return_X_y=True)
    words = np.array(["setosa", "versicolor", "virginica"], dtype=object)[y]
    words[::3] = None
    model = SelfTrainingClassifier(RandomForestClassifier(20, random_state=0), threshold=0.99).fit(X, words)
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert model.score(X, np.array(["setosa", "versicolor", "virginica"])[y]) > 0.9
    assert model.termination_condition_ in {"no_change", "all_labeled"}
    none = SelfTrainingClassifier(LogisticRegression(), max_iter=0).fit(X, np.where(np.arange(150) % 2, y, -1))
    assert none.n_iter_ == 0 and (none.transduction_[::2] == -1).all()
    with pytest.raises(ValueError, match="no row has a label"):
        SelfTrainingClassifier(LogisticRegression()).fit(X, np.full(150, -1))
    with pytest.raises(ValueError, match="the same one"):
        SelfTrainingClassifier(LogisticRegression()).fit(X, np.where(np.arange(150) < 3, 1, -1))
    with pytest.raises(ValueError, match="between 0 and 1"):
        SelfTrainingClassifier(LogisticRegression(), threshold=2.0).fit(X, np.where(np.arange(150) % 2, y, -1))
    with pytest.raises(ValueError, match="max_iter"):
        SelfTrainingClassifier(LogisticRegression(), max_iter=-1).fit(X, y)
