"""ermine.bandits: policies, simulations against the proven bounds, logs."""

import inspect
import json
import pickle

import numpy as np
import pytest
from ermine import _native, bandits


def test_every_policy_of_the_catalogue_has_a_class():
    entries = {e["name"]: e for e in json.loads(_native.agent_catalogue())["policies"]}
    classes = {c._policy: c for c in bandits._classes()}
    assert set(classes) == set(entries)
    for name, cls in classes.items():
        assert cls.__name__ in bandits.__all__
        assert entries[name]["rule"] in inspect.getdoc(cls)


def make(cls, **more):
    features = 2 if cls._policy.startswith("lin") else 0
    return cls(4, rounds=500, n_features=features, seed=3, **more), features


@pytest.mark.parametrize("policy_class", bandits._classes(), ids=lambda c: c.__name__)
def test_policies_learn_are_saved_and_go_on(policy_class, tmp_path):
    policy, features = make(policy_class)
    random = np.random.default_rng(0)
    other = policy
    for round in range(200):
        context = random.normal(size=features) if features else None
        if policy_class is bandits.CUCB:
            chosen, again = policy.choose(), other.choose()
            pay = [float(random.random() < 0.2 * (a + 1)) for a in chosen]
        else:
            chosen, again = policy.choose(context), other.choose(context) if other is not policy else None
            pay = float(random.random() < 0.2 * (chosen + 1))
        if other is policy:
            again = chosen
        assert chosen == again
        args = (chosen, pay) if policy_class is bandits.CUCB else (chosen, pay, context)
        policy.learn(*args)
        if other is not policy:
            other.learn(*args)
        if round == 50:
            policy.save(tmp_path / "p.ermine")
            other = bandits.load(tmp_path / "p.ermine")
        if round == 120:
            other = pickle.loads(pickle.dumps(other))
    assert type(other) is policy_class and other.state_ == policy.state_
    assert "arms" in repr(policy)


def test_bad_choices_and_rewards_are_refused():
    policy = bandits.UCB1(["a", "b"])
    for arm, reward in [("c", 1.0), ("a", float("nan")), ("a", 2.0), ("a", float("inf"))]:
        with pytest.raises(ValueError):
            policy.learn(arm, reward)
    with pytest.raises(ValueError, match="no arms"):
        bandits.UCB1(0)
    with pytest.raises(ValueError, match="number of rounds"):
        bandits.UCB(3)
    with pytest.raises(TypeError, match="its parameters are: c"):
        bandits.UCB1(3, d=1)
    with pytest.raises(ValueError, match="above 0"):
        bandits.UCB1(3, c=-1)
    linear = bandits.LinUCB(2, n_features=3)
    with pytest.raises(ValueError, match="expected 3, found 2"):
        linear.choose([1.0, 2.0])
    with pytest.raises(TypeError):
        bandits.Policy(3)


def test_regrets_lie_below_their_bounds_and_do_not_depend_on_threads():
    import ermine

    kinds = ["ucb", "ucb1", "moss", "kl-ucb", "thompson", "exp3", "epsilon-greedy", ("ucb1", {"c": 3.0})]
    labels = {p if isinstance(p, str) else "bold": p for p in kinds}
    found = bandits.simulate([0.9, 0.8], labels, rounds=5000, runs=50, seed=1)
    assert found.lai_robbins == pytest.approx(2.252, abs=1e-3)
    for name, regret in found.items():
        assert np.all(regret.low <= regret.high) and regret.pulls.sum() == pytest.approx(5000)
        if regret.bound is not None:
            assert np.all(regret.mean <= regret.bound), name
    assert found["thompson"].mean[-1] < found["ucb1"].mean[-1]
    ermine.set_num_threads(1)
    try:
        again = bandits.simulate([0.9, 0.8], labels, rounds=5000, runs=50, seed=1)
    finally:
        ermine.set_num_threads(0)
    assert all(np.array_equal(found[k].mean, again[k].mean) for k in labels)
    late = bandits.simulate([0.9, 0.8], ["ucb1"], rounds=500, runs=5, delay=("uniform", 10))
    assert late["ucb1"].bound is None
    with pytest.raises(ValueError, match="not a probability"):
        bandits.simulate([0.9, 1.8], ["ucb1"], rounds=10, runs=1)
    with pytest.raises(KeyError, match="ucb1"):
        bandits.simulate([0.9, 0.8], ["ucb2"], rounds=10, runs=1)


def test_logs_are_judged():
    random = np.random.default_rng(4)
    means, behavior, target = np.array([0.8, 0.5, 0.2]), np.array([0.2, 0.3, 0.5]), np.array([0.7, 0.2, 0.1])
    arms = random.choice(3, size=4000, p=behavior)
    rewards = (random.random(4000) < means[arms]).astype(float)
    found = bandits.off_policy(arms, rewards, behavior[arms], target)
    weights = target[arms] / behavior[arms]
    assert found["ips"]["value"] == pytest.approx((weights * rewards).mean(), rel=1e-12)
    assert found["snips"]["value"] == pytest.approx((weights * rewards).sum() / weights.sum(), rel=1e-12)
    truth = means @ target
    for kind in ("ips", "snips", "doubly_robust"):
        assert abs(found[kind]["value"] - truth) < 4 * found[kind]["standard_error"]
    each = bandits.off_policy(arms, rewards, behavior[arms], np.tile(target, (4000, 1)))
    assert each["ips"] == found["ips"]
    with pytest.raises(ValueError, match="propensity"):
        bandits.off_policy(arms, rewards, np.full(4000, np.nan), target)
    policy = bandits.ThompsonSampling(3, seed=1)
    answer = policy.replay(arms, rewards)
    assert answer["matched"] > 500 and answer["low"] <= answer["value"] <= answer["high"]
    assert policy.choices_ == 4000


def test_known_rewards_are_played_and_the_best_arms_found():
    random = np.random.default_rng(5)
    means = np.array([0.2, 0.8, 0.5])
    rewards = (random.random((3000, 3)) < means).astype(float)
    chosen = bandits.ThompsonSampling(3).play(rewards)
    assert (chosen[1000:] == 1).mean() > 0.9
    arms, pulls, sure = bandits.top_arms(lambda arm: float(random.random() < means[arm]), 3, 1, delta=0.05)
    assert (arms, sure) == ([1], True) and sum(pulls) < 5000
    assert bandits.top_arms(lambda arm: float(random.random() < means[arm]), 3, 2, budget=3000)[0] == [1, 2]
    with pytest.raises(ZeroDivisionError):
        bandits.top_arms(lambda arm: 1 / 0, 3, 1, budget=30)
    with pytest.raises(ValueError, match="budget"):
        bandits.top_arms(lambda arm: 0.0, 3, 1)
