"""Shared by all agents: training, evaluation, files."""

import json
import os

import numpy as np
from sklearn.base import BaseEstimator

from .. import _native
from ._environment import Environment, gymnasium, spaces

# Wrappers of Gymnasium that only watch: without them an environment does the same.
_WATCHERS = ("PassiveEnvChecker", "OrderEnforcing")


def _native_environment(env):
    """The native environment behind an object, if no wrapper changes its behavior."""
    while type(env).__name__ in _WATCHERS and hasattr(env, "env"):
        env = env.env
    return env if isinstance(env, Environment) else None


def discrete_states(space):
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
    """Shared by all agents. Use one of its subclasses."""

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
        """Continue the training.

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
        ours = _native_environment(env)
        if ours is not None:
            self._native = _native.rl_train(self._agent, self._params(), ours.native, steps, episodes, int(seed), start)
            self.env_ = ours
            self._encode = discrete_states(ours.observation_space) if spaces and ours.name == "blackjack" else None
            return self
        if gymnasium is None or not isinstance(env, gymnasium.Env):
            raise TypeError(f"{type(env).__name__} is no environment: use ermine.rl.Environment or one of Gymnasium")
        if not isinstance(env.action_space, spaces.Discrete):
            raise TypeError(f"{type(self).__name__} chooses among numbered actions, and the environment has {env.action_space}")
        name = env.spec.id if getattr(env, "spec", None) is not None else type(env).__name__
        self._native = self._train_python(env, name, steps, episodes, int(seed), start)
        self.env_ = env
        return self

    def _train_python(self, env, name, steps, episodes, seed, start):
        seen = discrete_states(env.observation_space)
        if seen is None:
            raise TypeError(f"{type(self).__name__} keeps a table of states, and the environment shows {env.observation_space}")
        states, first, encode = seen
        self._encode = seen
        return _native.rl_train_discrete(
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
        """The return of the agent when it always takes the best-valued action.

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
        ours = _native_environment(env)
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
        ours = _native_environment(env)
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
        """The estimated value of each action in each state: (n_states, n_actions)."""
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
        for kind in agent_classes():
            if kind._agent == about["name"]:
                agent = kind(**about["params"])
                agent._native = native
                return agent
        raise ValueError(f"there is no class for the agent {about['name']}")


def agent_classes(base=None):
    """The classes of agents that can be trained."""
    for cls in (base or Agent).__subclasses__():
        if cls._agent:
            yield cls
        yield from agent_classes(cls)


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
