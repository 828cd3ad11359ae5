"""ermine.rl: our environments as Gymnasium's, agents on both, exact solutions."""

import inspect
import json
import pickle
import warnings

import numpy as np
import pytest
from ermine import _native, rl
from ermine.rl._agent import agent_classes
from ermine.rl._deep import _Deep
from ermine.rl._environment import IDS

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

THEIRS = {
    "cartpole": "CartPole-v1",
    "mountain-car": "MountainCar-v0",
    "acrobot": "Acrobot-v1",
    "frozen-lake": "FrozenLake-v1",
    "cliff-walking": "CliffWalking-v1",
    "taxi": "Taxi-v4",
    "blackjack": "Blackjack-v1",
}


@pytest.mark.parametrize("name", IDS)
def test_environments_pass_gymnasium_s_checks(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # What Gymnasium says of its own environments too: observations without limits.
        warnings.filterwarnings("ignore", message=".*(infinity|infinite).*")
        check_env(gymnasium.make(name).unwrapped)


@pytest.mark.parametrize("name", THEIRS)
def test_environments_go_through_gymnasium_s_states(name):
    ours, theirs = rl.Environment(name), gymnasium.make(THEIRS[name])
    assert ours.action_space == theirs.action_space and ours.observation_space == theirs.observation_space
    actions = np.random.default_rng(7)
    for seed in range(20):
        (a, first), (b, second) = ours.reset(seed=seed), theirs.reset(seed=seed)
        for _ in range(120):
            assert np.array_equal(a, b) and np.asarray(a).dtype == np.asarray(b).dtype
            assert {k: np.asarray(v).tolist() for k, v in first.items()} == {k: np.asarray(v).tolist() for k, v in second.items()}
            action = int(actions.integers(ours.n_actions))
            a, reward, over, cut, first = ours.step(action)
            b, other, ends, stops, second = theirs.step(action)
            assert (reward, over, cut) == (other, ends, stops)
            if over or cut:
                (a, first), (b, second) = ours.reset(), theirs.reset()


def test_gymnasium_makes_them_and_refuses_what_is_wrong():
    env = gymnasium.make("ermine/Taxi-v4", render_mode="ansi")
    env.reset(seed=1)
    assert "passenger" in env.render()
    with pytest.raises(ValueError, match="no action 9"):
        env.unwrapped.step(9)
    with pytest.raises(KeyError, match="cartpole"):
        rl.Environment("cart-pole")
    with pytest.raises(KeyError, match="is_slippery"):
        rl.Environment("frozen-lake", slippery=False)
    lake = rl.Environment("frozen-lake", desc=["SF", "HG"], is_slippery=False)
    assert lake.observation_space.n == 4
    # Without a seed no two are the same.
    assert not np.array_equal(rl.Environment("cartpole").reset()[0], rl.Environment("cartpole").reset()[0])
    assert rl.Environment("taxi").rollout(1000, seed=1) == rl.Environment("taxi").rollout(1000, seed=1)


@pytest.mark.parametrize("name", ["cartpole", "taxi", "blackjack", "acrobot"])
def test_vectors_step_together(name):
    many = rl.VectorEnvironment(name, num_envs=3)
    seen, _ = many.reset(seed=5)
    assert many.observation_space.contains(seen)
    for _ in range(60):
        seen, rewards, over, cut, _ = many.step(np.zeros(3, dtype=int))
        assert many.observation_space.contains(seen)
        assert rewards.shape == over.shape == cut.shape == (3,)
    with pytest.raises(ValueError, match="expected 3, found 2"):
        many.step(np.zeros(2, dtype=int))


def test_a_vector_of_carts_is_gymnasium_s():
    ours = rl.VectorEnvironment("cartpole", num_envs=16, exact=True)
    theirs = gymnasium.make_vec("CartPole-v1", num_envs=16, vectorization_mode="vector_entry_point")
    fast = gymnasium.make_vec("ermine/CartPole-v1", num_envs=16, vectorization_mode="vector_entry_point")
    actions = np.random.default_rng(0)
    a, b, c = (env.reset(seed=3)[0] for env in (ours, theirs, fast))
    for _ in range(300):
        assert np.array_equal(a, b) and np.allclose(a, c, rtol=1e-5, atol=1e-6)
        action = actions.integers(2, size=16)
        (a, ra, oa, ta, _), (b, rb, ob, tb, _), (c, *_) = (env.step(action) for env in (ours, theirs, fast))
        assert np.array_equal(ra, rb) and np.array_equal(oa, ob) and np.array_equal(ta, tb)


def test_every_agent_of_the_catalogue_has_a_class_with_its_parameters():
    entries = {e["name"]: e for e in json.loads(_native.agent_catalogue())["agents"]}
    classes = {c._agent: c for c in agent_classes()}
    assert set(classes) == set(entries)
    for name, cls in classes.items():
        defaults = {p["name"]: p["default"] for p in entries[name]["params"]}
        ours = {k: list(v) if isinstance(v, tuple) else v for k, v in cls().get_params().items()}
        assert ours == defaults, name
        text = inspect.getdoc(cls)
        assert all(p in text for p in defaults), name


TABLES = [c for c in agent_classes() if not issubclass(c, _Deep)]
NETWORKS = [c for c in agent_classes() if issubclass(c, _Deep)]


@pytest.mark.parametrize("agent_class", NETWORKS, ids=lambda c: c.__name__)
def test_networks_learn_are_saved_and_learn_more(agent_class, tmp_path):
    # What `ermine rl train cartpole` gives it; the usual rate drives some policies to one action before they have seen the others.
    given = dict(net_arch=[128], learning_rate=0.002, ent_coef=0.01) if agent_class is rl.REINFORCE else {}
    agent = agent_class(stop_at=200.0, **given).fit("cartpole", steps=6_000, seed=1)
    again = agent_class(stop_at=200.0, **given).fit("cartpole", steps=6_000, seed=1)
    seen = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32) * 0.1
    assert np.array_equal(agent.action_values(seen), again.action_values(seen)), "the same seed gives the same network"
    assert agent.predict(seen).shape == (5,) and agent.predict(seen[0]) == agent.predict(seen)[0]
    assert max(score for _, score in agent.evaluations_) > 40, "better than chance, which earns 22"
    agent.save(tmp_path / "a.ermine")
    for other in (rl.load(tmp_path / "a.ermine"), pickle.loads(pickle.dumps(agent))):
        assert type(other) is agent_class and np.array_equal(other.action_values(seen), agent.action_values(seen))
    assert agent.partial_fit(steps=500).n_steps_ >= 500
    # An environment of another's making, with numbers and with states.
    theirs = agent_class().fit(gymnasium.make("CartPole-v1"), steps=600, seed=1)
    assert theirs.predict(seen[0]) in (0, 1) and theirs.evaluate(episodes=2)["episodes"] == 2
    lake = agent_class().fit(gymnasium.make("FrozenLake-v1"), steps=300, seed=1)
    assert lake.predict(3) in range(4)
    with pytest.raises(ValueError, match="expected 4, found 3"):
        agent.predict(np.zeros((2, 3)))
    with pytest.raises(AttributeError, match="table"):
        agent.q_table_
    with pytest.raises(RuntimeError, match="no step today"):
        agent_class().fit(Broken("step"), steps=100)
    with pytest.raises(ValueError, match="NaN"):
        agent_class().fit(Broken("nan"), steps=100)


@pytest.mark.parametrize("agent_class", TABLES, ids=lambda c: c.__name__)
def test_agents_learn_are_saved_and_learn_more(agent_class, tmp_path):
    env = rl.Environment("cliff-walking", max_episode_steps=500)
    agent = agent_class(gamma=1.0, alpha=0.3).fit(env, steps=20_000, seed=2)
    assert agent.q_table_.shape == (48, 4) and agent.n_steps_ == 20_000
    assert agent.returns_[-50:].mean() > agent.returns_[:20].mean()
    agent.save(tmp_path / "a.ermine")
    for other in (rl.load(tmp_path / "a.ermine"), pickle.loads(pickle.dumps(agent))):
        assert type(other) is agent_class and np.array_equal(other.q_table_, agent.q_table_)
        assert other.get_params() == agent.get_params()
    again = agent_class(gamma=1.0, alpha=0.3).fit(env, steps=20_000, seed=2)
    assert np.array_equal(agent.q_table_, again.q_table_)
    assert agent.partial_fit(steps=1000).n_steps_ == 21_000


def test_agents_reach_the_known_optima():
    taxi = rl.QLearning(gamma=0.95, alpha=0.5).fit("taxi", steps=400_000)
    value = rl.MDP.of("taxi").evaluate(taxi.policy_, 1.0, steps=200) @ rl.MDP.of("taxi").start
    assert 7.8 < value <= 7.93 + 1e-9
    found = taxi.evaluate(episodes=200)
    assert found["episodes"] == 200 and found["mean"] > 7
    film = taxi.play(seed=1, render=True)
    assert len(film["frames"]) == film["steps"] + 1


def test_agents_train_on_gymnasium_s_environments_as_on_ours():
    for ours, theirs in [("frozen-lake", "FrozenLake-v1"), ("blackjack", "Blackjack-v1"), ("taxi", "Taxi-v4")]:
        a = rl.QLearning().fit(rl.Environment(ours), steps=3000, seed=1)
        b = rl.QLearning().fit(gymnasium.make(theirs), steps=3000, seed=1)
        assert np.array_equal(a.q_table_, b.q_table_) and np.array_equal(a.returns_, b.returns_), ours
        seen, _ = rl.Environment(ours).reset(seed=3)
        assert a.predict(seen) == b.predict(seen)
        assert b.evaluate(episodes=5)["episodes"] == 5


class Broken(gymnasium.Env):
    observation_space = gymnasium.spaces.Discrete(2)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, how):
        self.how, self.steps = how, 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.how == "reset":
            raise RuntimeError("no reset today")
        return (5 if self.how == "state" else 0), {}

    def step(self, action):
        self.steps += 1
        if self.how == "step" and self.steps > 10:
            raise RuntimeError("no step today")
        if self.how == "old":
            return 0, 0.0, False, {}
        return 1, float("nan") if self.how == "nan" else 1.0, self.steps % 5 == 0, False, {}


@pytest.mark.parametrize(
    "how, error, says",
    [
        ("reset", RuntimeError, "no reset today"),
        ("step", RuntimeError, "no step today"),
        ("state", ValueError, "state 5"),
        ("nan", ValueError, "NaN"),
        ("old", TypeError, "terminated"),
    ],
)
def test_what_an_environment_raises_is_raised(how, error, says):
    with pytest.raises(error, match=says):
        rl.Sarsa().fit(Broken(how), steps=100)


def test_agents_refuse_what_they_cannot_learn():
    with pytest.raises(TypeError, match="table of states"):
        rl.QLearning().fit(gymnasium.make("CartPole-v1"), steps=10)
    with pytest.raises(ValueError, match="table of states"):
        rl.QLearning().fit("cartpole", steps=10)
    with pytest.raises(TypeError, match="no environment"):
        rl.QLearning().fit(3)
    with pytest.raises(ValueError, match="not both"):
        rl.QLearning().fit("taxi", steps=1, episodes=1)
    with pytest.raises(ValueError, match="alpha"):
        rl.QLearning(alpha=0).fit("taxi", steps=1)
    with pytest.raises(ValueError, match="fit first"):
        rl.QLearning().predict(0)


def test_finite_worlds_are_solved():
    for world, gamma, value in [
        ("frozen-lake", 0.99, 0.54202593),
        ("cliff-walking", 1.0, -13.0),
        ("taxi", 1.0, 7.93),
        ("blackjack", 1.0, -0.0431131),
    ]:
        mdp = rl.MDP.of(world)
        for found in (mdp.value_iteration(gamma), mdp.policy_iteration(gamma)):
            assert found.converged and found.start_value == pytest.approx(value, abs=1e-7)
    # Values stay within the bound that each sweep proves.
    mdp = rl.MDP.of("frozen-lake")
    truth = mdp.policy_iteration(0.9).values
    for sweeps in (1, 5, 50):
        part = mdp.value_iteration(0.9, tol=0, max_iter=sweeps)
        assert np.abs(part.values - truth).max() <= part.bound + 1e-12
    P = np.array([[[0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]]])
    R = np.array([[5.0, 1.0], [0.0, 0.0]])
    found = rl.MDP(P, R, terminal=[False, True]).value_iteration(0.9)
    assert found.values == pytest.approx([10.0, 0.0]) and found.policy[0] == 1
    with pytest.raises(ValueError, match="sum to 0.9"):
        rl.MDP(P * 0.9, R)
    with pytest.raises(ValueError, match="infinite"):
        rl.MDP(P, R, terminal=[False, True]).value_iteration(1.0)
    with pytest.raises(ValueError, match="shape"):
        rl.MDP(P, np.zeros(3))
    with pytest.raises(ValueError, match="not a probability"):
        rl.MDP(np.full((1, 1, 1), np.nan), np.zeros(1))
