"""Reinforcement learning: environments, agents, exact solutions.

Agents train on our environments, at full speed, and on any environment of Gymnasium::

    from ermine.rl import Environment, QLearning, MDP

    agent = QLearning(gamma=0.95, alpha=0.5).fit(Environment("taxi"), steps=400_000)
    agent.evaluate(episodes=100)["mean"]
    agent.save("taxi.ermine")                    # the same file as the command line's

    MDP.of(Environment("frozen-lake")).value_iteration(gamma=0.99).start_value

Our environments have Gymnasium's interface, and are known to `gymnasium.make` as `ermine/CartPole-v1` and so on.
"""

import json
import os

import numpy as np
from sklearn.base import BaseEstimator

from . import _native
from ._environment import Environment, VectorEnvironment, gymnasium, register, spaces

__all__ = [
    "DQN",
    "REINFORCE",
    "ActorCritic",
    "Agent",
    "DoubleDQN",
    "DoubleQLearning",
    "Environment",
    "ExpectedSarsa",
    "MDP",
    "MonteCarlo",
    "NStepSarsa",
    "QLearning",
    "Sarsa",
    "Solution",
    "VectorEnvironment",
    "agents",
    "environments",
    "load",
]

register()


def environments():
    """The names of our environments, each with what it is.

    Returns
    -------
    environments : dict of str
    """
    return {e["name"]: e["summary"] for e in json.loads(_native.agent_catalogue())["environments"]}


def agents():
    """The names of the agents, each with what it is.

    Returns
    -------
    agents : dict of str
    """
    return {e["name"]: e["summary"] for e in json.loads(_native.agent_catalogue())["agents"]}


# Wrappers of Gymnasium that only watch: without them an environment does the same.
_WATCHERS = ("PassiveEnvChecker", "OrderEnforcing")


def _ours(env):
    """Our environment behind an object, where nothing changes what it does."""
    while type(env).__name__ in _WATCHERS and hasattr(env, "env"):
        env = env.env
    return env if isinstance(env, Environment) else None


def _states(space):
    """How many states a space numbers, the first of them, and how an observation becomes a number; None where it does not."""
    if isinstance(space, spaces.Discrete):
        return int(space.n), int(space.start), None
    if isinstance(space, spaces.MultiDiscrete):
        sizes = [int(n) for n in np.ravel(space.nvec)]
        starts = [int(s) for s in np.ravel(space.start)]
    elif isinstance(space, spaces.Tuple) and all(isinstance(s, spaces.Discrete) for s in space.spaces):
        sizes, starts = [int(s.n) for s in space.spaces], [int(s.start) for s in space.spaces]
    else:
        return None

    def encode(observation):
        state = 0
        for part, size, start in zip(np.ravel(observation), sizes, starts):
            state = state * size + (int(part) - start)
        return state

    return int(np.prod(sizes)), 0, encode


class Agent(BaseEstimator):
    """What all agents share. Use one of its subclasses."""

    _agent = None

    def _params(self):
        return json.dumps(self.get_params(deep=False))

    def fit(self, env, *, steps=None, episodes=None, seed=0):
        """Learn in an environment, from the start.

        Parameters
        ----------
        env : Environment, gymnasium.Env or str
            One of ours (a name will do) or any environment of Gymnasium with numbered states and actions.
        steps, episodes : int, optional
            How long to learn; steps that are known to be enough when neither is given.
        seed : int, default=0
            The same seed gives the same agent.

        Returns
        -------
        self
        """
        return self._train(env, steps, episodes, seed, None)

    def partial_fit(self, env=None, *, steps=None, episodes=None, seed=0):
        """Learn more, on from what is known.

        Parameters
        ----------
        env : Environment, gymnasium.Env or str, optional
            The environment; the one of the earlier training when not given.
        steps, episodes : int, optional
            How long to learn.
        seed : int, default=0
            The seed.

        Returns
        -------
        self
        """
        start = getattr(self, "_native", None)
        return self._train(self.env_ if env is None else env, steps, episodes, seed, start)

    def _train(self, env, steps, episodes, seed, start):
        if isinstance(env, str):
            env = Environment(env)
        ours = _ours(env)
        if ours is not None:
            self._native = _native.rl_train(self._agent, self._params(), ours.native, steps, episodes, int(seed), start)
            self.env_ = ours
            self._encode = _states(ours.observation_space) if spaces and ours.name == "blackjack" else None
            return self
        if gymnasium is None or not isinstance(env, gymnasium.Env):
            raise TypeError(f"{type(env).__name__} is no environment: use ermine.rl.Environment or one of Gymnasium")
        if not isinstance(env.action_space, spaces.Discrete):
            raise TypeError(f"{type(self).__name__} chooses among numbered actions, and the environment has {env.action_space}")
        name = env.spec.id if getattr(env, "spec", None) is not None else type(env).__name__
        self._native = self._train_foreign(env, name, steps, episodes, int(seed), start)
        self.env_ = env
        return self

    def _train_foreign(self, env, name, steps, episodes, seed, start):
        seen = _states(env.observation_space)
        if seen is None:
            raise TypeError(f"{type(self).__name__} keeps a table of states, and the environment shows {env.observation_space}")
        states, first, encode = seen
        self._encode = seen
        return _native.rl_train_foreign(
            self._agent, self._params(), env, name, states, int(env.action_space.n), first, int(env.action_space.start),
            encode, steps, episodes, seed, start,
        )  # fmt: skip

    def _check(self):
        if not hasattr(self, "_native"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(f"this {type(self).__name__} has not learned anything yet; call fit first")

    def predict(self, observation):
        """The best action, as far as is known.

        Parameters
        ----------
        observation : int, tuple or array-like
            One observation, or a vector of states.

        Returns
        -------
        action : int or ndarray
        """
        self._check()
        many = isinstance(observation, (list, np.ndarray)) and np.ndim(observation) == 1 and not self._has_parts()
        states = observation if many else [self._state(observation)]
        found = self._native.act_states(np.ascontiguousarray(states, dtype=np.int64))
        first = int(self.env_.action_space.start) if getattr(self, "env_", None) is not None and spaces else 0
        return found + first if many else int(found[0]) + first

    def _has_parts(self):
        return getattr(self, "_encode", None) is not None and self._encode[2] is not None

    def _state(self, observation):
        encode = getattr(self, "_encode", None)
        if isinstance(observation, tuple) and encode is None:
            # A hand of Blackjack: sum, dealer's card, usable ace.
            total, dealer, ace = observation
            return (int(total) * 11 + int(dealer)) * 2 + int(ace)
        if encode is None:
            return int(observation)
        return encode[2](observation) if encode[2] is not None else int(observation) - encode[1]

    def evaluate(self, env=None, *, episodes=100, seed=0):
        """What the agent earns when it always does what it takes for best.

        Parameters
        ----------
        env : Environment, gymnasium.Env or str, optional
            The environment; the one it was trained in when not given.
        episodes : int, default=100
            Episodes.
        seed : int, default=0
            The seed of the first episode.

        Returns
        -------
        found : dict
            `mean`, `sd`, `min` and `max` of the returns, mean `steps`.
        """
        self._check()
        env = self._place() if env is None else Environment(env) if isinstance(env, str) else env
        ours = _ours(env)
        if ours is not None:
            return json.loads(self._native.evaluate(ours.native, int(episodes), int(seed)))
        returns, lengths = [], []
        for k in range(episodes):
            observation, _ = env.reset(seed=seed if k == 0 else None)
            total, steps, done = 0.0, 0, False
            while not done:
                observation, reward, terminated, truncated, _ = env.step(self.predict(observation))
                total, steps, done = total + float(reward), steps + 1, terminated or truncated
            returns.append(total)
            lengths.append(steps)
        returns = np.asarray(returns)
        return {
            "episodes": episodes, "mean": float(returns.mean()), "sd": float(returns.std(ddof=1)) if episodes > 1 else 0.0,
            "min": float(returns.min()), "max": float(returns.max()), "steps": float(np.mean(lengths)),
        }  # fmt: skip

    def play(self, env=None, *, seed=0, limit=1000, render=False):
        """Play one episode in one of our environments.

        Parameters
        ----------
        env : Environment or str, optional
            The environment; the one it was trained in when not given.
        seed : int, default=0
            The seed.
        limit : int, default=1000
            Steps after which the episode is cut short.
        render : bool, default=False
            Whether to keep every step, drawn in text, as `frames`.

        Returns
        -------
        episode : dict
            `return`, `steps`, `terminated`, `truncated`, `frames`.
        """
        self._check()
        env = self._place() if env is None else Environment(env) if isinstance(env, str) else env
        ours = _ours(env)
        if ours is None:
            raise TypeError("play draws our own environments; step Gymnasium's with predict")
        return json.loads(self._native.play(ours.native, int(seed), int(limit), bool(render)))

    def _place(self):
        if getattr(self, "env_", None) is not None:
            return self.env_
        place = json.loads(self._native.describe())["place"]
        if "ours" in place:
            return Environment(place["ours"]["name"], **place["ours"]["params"])
        raise ValueError(f"the agent was trained in {place['elsewhere']['name']}; give an environment")

    @property
    def q_table_(self):
        """What each action is worth in each state, as far as is known: (n_states, n_actions)."""
        self._check()
        return self._native.table_values()

    @property
    def visits_(self):
        """How often each action has learned in each state, where that is counted."""
        self._check()
        return self._native.table_visits()

    @property
    def policy_(self):
        """The best action of each state, the lowest among equals."""
        return self.q_table_.argmax(axis=1)

    @property
    def returns_(self):
        """Sum of the rewards of each whole episode of the training."""
        self._check()
        return self._native.episodes()[0]

    @property
    def lengths_(self):
        """Steps of each whole episode of the training."""
        self._check()
        return self._native.episodes()[1]

    @property
    def n_steps_(self):
        """Steps of the training."""
        self._check()
        return json.loads(self._native.describe())["steps"]

    def save(self, path):
        """Write the agent to a file that holds arrays and names and no code; the command line plays it too.

        Parameters
        ----------
        path : str or path-like
            Where to write.
        """
        self._check()
        self._native.save(os.fspath(path))

    def __getstate__(self):
        state = {k: v for k, v in self.__dict__.items() if k not in ("_native", "env_", "_encode")}
        if hasattr(self, "_native"):
            state["_bytes"] = self._native.to_bytes()
        return state

    def __setstate__(self, state):
        data = state.pop("_bytes", None)
        self.__dict__.update(state)
        if data is not None:
            self._native = _native.NativeAgent.from_bytes(data)

    @classmethod
    def _of(cls, native):
        about = json.loads(native.describe())
        for kind in _classes():
            if kind._agent == about["name"]:
                agent = kind(**about["params"])
                agent._native = native
                return agent
        raise ValueError(f"there is no class for the agent {about['name']}")


def load(path):
    """Read an agent that was saved, here, by the command line or from Rust.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    agent : Agent
    """
    with open(path, "rb") as f:
        return Agent._of(_native.NativeAgent.from_bytes(f.read()))


class MonteCarlo(Agent):
    """A table that learns from whole episodes.

        Q(s, a) += alpha (G - Q(s, a)), G the return of the episode

    Parameters
    ----------
    gamma : float, default=0.99
        The discount.
    alpha : float, default=0.1
        The step size.
    alpha_power : float or None
        The step size is 1 / visits^power instead: averages, which a noisy world needs.
    exploration : {"epsilon-greedy", "softmax", "ucb", "optimistic"}
        How it tries things; "optimistic" is greedy on a table that starts at `initial`, above all returns.
    epsilon, epsilon_start : float
        Share of actions that are any action; with a start it falls from there in `explore_steps`.
    temperature, temperature_start : float
        Softmax: the temperature, likewise.
    explore_steps : int, default=50000
        Steps in which exploration falls to its end.
    c : float, default=1
        UCB: the weight of what is not known.
    initial : float, default=0
        What the table says at first.
    first_visit : bool, default=True
        Only the first visit of a pair in an episode counts.
    """

    _agent = "monte-carlo"

    def __init__(self, *, gamma=0.99, alpha=0.1, alpha_power=None, exploration="epsilon-greedy", epsilon=0.1, epsilon_start=None,
                 temperature=1.0, temperature_start=None, explore_steps=50000, c=1.0, initial=0.0, first_visit=True):  # fmt: skip
        self.gamma = gamma
        self.alpha = alpha
        self.alpha_power = alpha_power
        self.exploration = exploration
        self.epsilon = epsilon
        self.epsilon_start = epsilon_start
        self.temperature = temperature
        self.temperature_start = temperature_start
        self.explore_steps = explore_steps
        self.c = c
        self.initial = initial
        self.first_visit = first_visit


class _Temporal(Agent):
    def __init__(self, *, gamma=0.99, alpha=0.1, alpha_power=None, exploration="epsilon-greedy", epsilon=0.1, epsilon_start=None,
                 temperature=1.0, temperature_start=None, explore_steps=50000, c=1.0, initial=0.0):  # fmt: skip
        self.gamma = gamma
        self.alpha = alpha
        self.alpha_power = alpha_power
        self.exploration = exploration
        self.epsilon = epsilon
        self.epsilon_start = epsilon_start
        self.temperature = temperature
        self.temperature_start = temperature_start
        self.explore_steps = explore_steps
        self.c = c
        self.initial = initial


_PARAMETERS = MonteCarlo.__doc__.split("    Parameters\n")[1].split("    first_visit")[0].rstrip()


def _doc(summary, rule, more=""):
    return f"{summary}\n\n        {rule}\n\n    Parameters\n{_PARAMETERS}\n{more}    "


class Sarsa(_Temporal):
    __doc__ = _doc("A table that learns the value of what it does, exploration included.", "Q(s, a) += alpha (r + gamma Q(s', a') - Q(s, a))")
    _agent = "sarsa"


class ExpectedSarsa(_Temporal):
    __doc__ = _doc(
        "SARSA with the mean over the next action in place of one draw.",
        "Q(s, a) += alpha (r + gamma sum_b pi(b|s') Q(s', b) - Q(s, a))",
    )
    _agent = "expected-sarsa"


class QLearning(_Temporal):
    __doc__ = _doc(
        "A table that learns the value of the best it could do.", "Q(s, a) += alpha (r + gamma max_b Q(s', b) - Q(s, a))"
    )
    _agent = "q-learning"


class DoubleQLearning(_Temporal):
    __doc__ = _doc(
        "Q-learning with two tables, each valuing the other's choice: no bias from the maximum.",
        "Q1(s, a) += alpha (r + gamma Q2(s', argmax_b Q1(s', b)) - Q1(s, a)), or with 1 and 2 exchanged",
    )
    _agent = "double-q-learning"


class NStepSarsa(Agent):
    __doc__ = _doc(
        "SARSA over the rewards of n steps.",
        "Q(s, a) += alpha (r1 + gamma r2 + ... + gamma^n Q(s_n, a_n) - Q(s, a))",
        "    n : int, default=4\n        Steps.\n",
    )
    _agent = "n-step-sarsa"

    def __init__(self, *, gamma=0.99, alpha=0.1, alpha_power=None, exploration="epsilon-greedy", epsilon=0.1, epsilon_start=None,
                 temperature=1.0, temperature_start=None, explore_steps=50000, c=1.0, initial=0.0, n=4):  # fmt: skip
        self.gamma = gamma
        self.alpha = alpha
        self.alpha_power = alpha_power
        self.exploration = exploration
        self.epsilon = epsilon
        self.epsilon_start = epsilon_start
        self.temperature = temperature
        self.temperature_start = temperature_start
        self.explore_steps = explore_steps
        self.c = c
        self.initial = initial
        self.n = n


class _Deep(Agent):
    """What agents with networks share."""

    def _train_foreign(self, env, name, steps, episodes, seed, start):
        space = env.observation_space
        if not isinstance(space, spaces.Box):
            seen = _states(space)
            if seen is None:
                raise TypeError(f"{type(self).__name__} sees numbers or states, and the environment shows {space}")
            count, first, encode = seen
            low, high = np.zeros(count, dtype=np.float32), np.ones(count, dtype=np.float32)
            number = encode or (lambda observation: int(observation) - first)

            def flatten(observation):
                row = np.zeros(count, dtype=np.float32)
                row[number(observation)] = 1.0
                return row

            # A 1 among zeros needs no scaling.
            low[:], high[:] = -1.0, 1.0
        else:
            low, high = (np.ravel(side).astype(np.float32) for side in (space.low, space.high))

            def flatten(observation):
                return np.ascontiguousarray(observation, dtype=np.float32).ravel()

        self._flatten = flatten
        return _native.rl_train_numbers(
            self._agent, self._params(), env, name, flatten, low.tolist(), high.tolist(), int(env.action_space.n),
            int(env.action_space.start), steps, episodes, seed, start,
        )  # fmt: skip

    def _rows(self, observation):
        self._check()
        width = json.loads(self._native.describe())["space"]
        if "states" in width and (np.ndim(observation) == 0 or isinstance(observation, tuple)):
            row = np.zeros(width["states"], dtype=np.float32)
            row[self._state(observation)] = 1.0
            return row[None], True
        flatten = getattr(self, "_flatten", None)
        if flatten and (np.ndim(observation) == 0 or isinstance(observation, tuple)):
            return flatten(observation)[None], True
        rows = np.asarray(observation, dtype=np.float32)
        count = width.get("numbers", width.get("states"))
        if rows.size == count:
            return (flatten(observation) if flatten else rows.ravel())[None], rows.ndim < 2
        return np.ascontiguousarray(rows.reshape(len(rows), -1)), False

    def predict(self, observation):
        """The best action, as far as is known.

        Parameters
        ----------
        observation : array-like
            One observation, or several, a row each.

        Returns
        -------
        action : int or ndarray
        """
        rows, one = self._rows(observation)
        found = self._native.act_rows(np.ascontiguousarray(rows))
        first = int(self.env_.action_space.start) if getattr(self, "env_", None) is not None and spaces else 0
        return int(found[0]) + first if one else found + first

    def action_values(self, observation):
        """What the network says of each action: its value, or for policies the logit of its probability.

        Parameters
        ----------
        observation : array-like
            One observation, or several, a row each.

        Returns
        -------
        values : ndarray of shape (n_actions,) or (n_observations, n_actions)
        """
        rows, one = self._rows(observation)
        found = self._native.row_values(np.ascontiguousarray(rows))
        return found[0] if one else found

    @property
    def evaluations_(self):
        """What was earned without exploration while it learned: (steps, mean return)."""
        self._check()
        return self._native.judged()

    def __getstate__(self):
        state = super().__getstate__()
        state.pop("_flatten", None)
        return state


_WATCH = """    evaluate_every : int or None, default=1000
        Steps between two looks at what the network earns without exploration; the best network is kept (in our environments: those of
        others cannot be copied, and the last network is kept).
    evaluate_episodes : int, default=20
        Episodes of such a look.
    stop_at : float or None
        Mean return at such a look that ends the training.
    """

_DQN = """    gamma : float, default=0.99
        The discount.
    net_arch : list of int, default=[64, 64]
        Widths of the hidden layers.
    learning_rate : float, default=0.001
        Length of a step of Adam.
    batch_size : int, default=64
        Steps that are drawn from the memory for one step of Adam.
    buffer_size : int, default=50000
        Steps that the memory holds.
    learning_starts : int, default=1000
        Steps before learning begins.
    train_freq, gradient_steps : int, default=4
        Steps between two times of learning, and steps of Adam at such a time.
    target_update_interval : int, default=500
        Steps after which the target network becomes the network of now.
    tau : float, default=1
        How far it moves towards it: 1 is all the way.
    epsilon, epsilon_start : float, default=0.05 and 1
        Share of actions that are any action, at last and at first.
    explore_steps : int, default=10000
        Steps in which the share falls to epsilon.
"""


class DQN(_Deep):
    __doc__ = f"""Q-learning with a network, a memory of steps, and a target network of some steps ago.

        minimise Huber(Q(s, a) - r - gamma max_b Q'(s', b)) over steps drawn from the memory

    Parameters
    ----------
{_DQN}{_WATCH}"""

    _agent = "dqn"

    def __init__(self, *, gamma=0.99, net_arch=(64, 64), learning_rate=0.001, batch_size=64, buffer_size=50000, learning_starts=1000,
                 train_freq=4, gradient_steps=4, target_update_interval=500, tau=1.0, epsilon=0.05, epsilon_start=1.0, explore_steps=10000,
                 evaluate_every=1000, evaluate_episodes=20, stop_at=None):  # fmt: skip
        self.gamma = gamma
        self.net_arch = net_arch
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.buffer_size = buffer_size
        self.learning_starts = learning_starts
        self.train_freq = train_freq
        self.gradient_steps = gradient_steps
        self.target_update_interval = target_update_interval
        self.tau = tau
        self.epsilon = epsilon
        self.epsilon_start = epsilon_start
        self.explore_steps = explore_steps
        self.evaluate_every = evaluate_every
        self.evaluate_episodes = evaluate_episodes
        self.stop_at = stop_at


class DoubleDQN(DQN):
    __doc__ = f"""DQN in which the network of now chooses what the target network values: no bias from the maximum.

        minimise Huber(Q(s, a) - r - gamma Q'(s', argmax_b Q(s', b))) over steps drawn from the memory

    Parameters
    ----------
{_DQN}{_WATCH}"""

    _agent = "double-dqn"


class REINFORCE(_Deep):
    __doc__ = f"""A policy that moves towards what whole episodes have shown to pay.

        ascend sum_t (G_t - b(s_t)) ln pi(a_t | s_t) + ent_coef H(pi)

    Parameters
    ----------
    gamma : float, default=0.99
        The discount.
    net_arch : list of int, default=[64, 64]
        Widths of the hidden layers.
    learning_rate : float, default=0.003
        Length of a step of Adam.
    baseline : bool, default=False
        Whether a network that values what is seen is taken away from the returns.
    baseline_rate : float, default=0.003
        Length of a step of Adam for the baseline.
    normalize : bool, default=True
        Whether returns of an episode are brought to mean 0 and deviation 1.
    ent_coef : float, default=0
        The weight of the entropy of the policy.
{_WATCH}"""

    _agent = "reinforce"

    def __init__(self, *, gamma=0.99, net_arch=(64, 64), learning_rate=0.003, baseline=False, baseline_rate=0.003, normalize=True,
                 ent_coef=0.0, evaluate_every=1000, evaluate_episodes=20, stop_at=None):  # fmt: skip
        self.gamma = gamma
        self.net_arch = net_arch
        self.learning_rate = learning_rate
        self.baseline = baseline
        self.baseline_rate = baseline_rate
        self.normalize = normalize
        self.ent_coef = ent_coef
        self.evaluate_every = evaluate_every
        self.evaluate_episodes = evaluate_episodes
        self.stop_at = stop_at


class ActorCritic(_Deep):
    __doc__ = f"""A policy that moves along the advantages which a critic sees on the way, in several environments at once.

        ascend A ln pi(a | s) + ent_coef H(pi), A = sum_k (gamma lambda)^k delta_k, delta = r + gamma V(s') - V(s)

    Parameters
    ----------
    gamma : float, default=0.99
        The discount.
    gae_lambda : float, default=0.95
        Lambda of the advantages.
    net_arch : list of int, default=[64, 64]
        Widths of the hidden layers.
    learning_rate, critic_rate : float, default=0.001 and 0.003
        Length of a step of Adam for the policy and for the critic.
    n_envs : int, default=8
        Environments side by side; one of another's making stays alone.
    n_steps : int, default=16
        Steps of each environment between two times of learning.
    normalize : bool, default=True
        Whether advantages are brought to mean 0 and deviation 1.
    ent_coef : float, default=0
        The weight of the entropy of the policy.
{_WATCH}"""

    _agent = "actor-critic"

    def __init__(self, *, gamma=0.99, gae_lambda=0.95, net_arch=(64, 64), learning_rate=0.001, critic_rate=0.003, n_envs=8, n_steps=16,
                 normalize=True, ent_coef=0.0, evaluate_every=1000, evaluate_episodes=20, stop_at=None):  # fmt: skip
        self.gamma = gamma
        self.gae_lambda = gae_lambda
        self.net_arch = net_arch
        self.learning_rate = learning_rate
        self.critic_rate = critic_rate
        self.n_envs = n_envs
        self.n_steps = n_steps
        self.normalize = normalize
        self.ent_coef = ent_coef
        self.evaluate_every = evaluate_every
        self.evaluate_episodes = evaluate_episodes
        self.stop_at = stop_at


def _classes():
    return [c for c in globals().values() if isinstance(c, type) and issubclass(c, Agent) and c._agent]


class Solution:
    """The best that can be done in a finite world.

    Attributes
    ----------
    values : ndarray of shape (n_states,)
        The value of each state.
    policy : ndarray of shape (n_states,)
        The best action in each state.
    start_value : float
        The expected value of an episode.
    bound : float or None
        Proven bound on the error of any value; None without a discount.
    residual : float
        The largest violation of the optimality equation.
    iterations : int
        Sweeps or rounds.
    converged : bool
        Whether the tolerance was met.
    trace : dict of ndarray
        The course.
    notes : list of str
        What a person should know.
    """

    def __init__(self, found, start):
        self.__dict__.update(found)
        self.start_value = float(start @ self.values)

    def __repr__(self):
        return f"<Solution: start {self.start_value:.6g}, {self.iterations} iterations, converged={self.converged}>"


class MDP:
    """A finite decision process as data.

    Parameters
    ----------
    P : array-like of shape (n_states, n_actions, n_states)
        Probabilities of the next state; every row sums to 1.
    R : array-like of shape (n_states,), (n_states, n_actions) or (n_states, n_actions, n_states)
        Rewards of leaving a state, of an action, or of a transition.
    terminal : array-like of shape (n_states,), optional
        Which states end the task; their rows are not looked at.
    start : array-like of shape (n_states,), optional
        Probabilities of the first state; all that are no end alike when not given.
    """

    def __init__(self, P, R, terminal=None, start=None):
        P = np.asarray(P, dtype=np.float64)
        if P.ndim != 3 or P.shape[0] != P.shape[2]:
            raise ValueError(f"P has shape {P.shape}; it must be (n_states, n_actions, n_states)")
        n, m, _ = P.shape
        R = np.asarray(R, dtype=np.float64)
        if R.shape == (n,):
            R = R[:, None, None]
        elif R.shape == (n, m):
            R = R[:, :, None]
        elif R.shape != (n, m, n):
            raise ValueError(f"R has shape {R.shape}; it must be ({n},), ({n}, {m}) or ({n}, {m}, {n})")
        R = np.broadcast_to(R, P.shape)
        ends = np.zeros(n, dtype=bool) if terminal is None else np.asarray(terminal, dtype=bool)
        if ends.shape != (n,):
            raise ValueError(f"terminal has shape {ends.shape}; it must be ({n},)")
        if start is None:
            if ends.all():
                raise ValueError(f"all {n} states are terminal: there is nothing to decide")
            start = np.where(ends, 0.0, 1.0 / max(1, (~ends).sum()))
        # What is 0 says nothing; anything else, NaN too, is for the check to judge.
        s, a, t = np.nonzero(np.where(ends[:, None, None], 0.0, P))
        rows = np.column_stack([s, a, t, P[s, a, t], R[s, a, t], ends[t]]).astype(np.float64)
        stay = np.array([[s, a, s, 1.0, 0.0, 1.0] for s in np.flatnonzero(ends) for a in range(m)]).reshape(-1, 6)
        self._set(n, m, np.concatenate([rows, stay]), start)

    def _set(self, states, actions, rows, start):
        self.n_states, self.n_actions = int(states), int(actions)
        self.start = np.ascontiguousarray(start, dtype=np.float64)
        rows = np.ascontiguousarray(rows, dtype=np.float64)
        self._native = _native.NativeMdp(self.n_states, self.n_actions, rows, self.start)

    @classmethod
    def of(cls, env):
        """The process behind one of our environments.

        Parameters
        ----------
        env : Environment or str
            An environment that is a table: frozen-lake, cliff-walking, taxi, blackjack, grid-world.

        Returns
        -------
        mdp : MDP
        """
        env = Environment(env) if isinstance(env, str) else env
        found = env.native.transitions()
        if found is None:
            raise ValueError(f"{env.name} is no finite world that is known as a table")
        rows, start, states, actions = found
        self = cls.__new__(cls)
        self._set(states, actions, rows, start)
        return self

    def value_iteration(self, gamma=0.99, tol=1e-12, max_iter=1_000_000):
        """Sweeps v <- max_a E[r + gamma v(next)] from zero, until no value changes by more than `tol`.

        Parameters
        ----------
        gamma : float, default=0.99
            The discount.
        tol : float, default=1e-12
            Stop when no value changes by more.
        max_iter : int
            Sweeps at most.

        Returns
        -------
        solution : Solution
        """
        return Solution(self._native.value_iteration(float(gamma), float(tol), int(max_iter)), self.start)

    def policy_iteration(self, gamma=0.99, max_iter=10_000):
        """Evaluate exactly, improve where an action is better, until none is.

        Parameters
        ----------
        gamma : float, default=0.99
            The discount.
        max_iter : int
            Rounds at most.

        Returns
        -------
        solution : Solution
        """
        return Solution(self._native.policy_iteration(float(gamma), int(max_iter)), self.start)

    def evaluate(self, policy, gamma=0.99, *, tol=None, steps=None):
        """What a policy is worth in each state.

        Parameters
        ----------
        policy : array-like of shape (n_states,) or (n_states, n_actions)
            Actions, or their probabilities.
        gamma : float, default=0.99
            The discount.
        tol : float, optional
            Sweep until no value changes by more, instead of solving exactly.
        steps : int, optional
            The expected sum of rewards over so many steps instead.

        Returns
        -------
        values : ndarray of shape (n_states,)
        """
        policy = np.asarray(policy)
        if policy.ndim == 1:
            if policy.shape != (self.n_states,) or policy.min() < 0 or policy.max() >= self.n_actions:
                raise ValueError(f"a policy has {self.n_states} actions from 0 to {self.n_actions - 1}")
            policy = np.eye(self.n_actions)[policy.astype(int)]
        values, _ = self._native.evaluate(np.ascontiguousarray(policy, dtype=np.float64), float(gamma), tol, steps)
        return values
