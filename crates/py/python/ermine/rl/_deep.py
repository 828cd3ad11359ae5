"""Agents with a network."""

import json

import numpy as np

from .. import _native
from ._agent import Agent, discrete_states
from ._environment import spaces


class _Deep(Agent):
    """Shared by agents with networks."""

    def _train_python(self, env, name, steps, episodes, seed, start):
        space = env.observation_space
        if not isinstance(space, spaces.Box):
            seen = discrete_states(space)
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
        return _native.rl_train_box(
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
        """The output of the network for each action: its value, or for policies the logit of its probability.

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
        """The evaluations without exploration during training: (steps, mean return)."""
        self._check()
        return self._native.evaluation_history()

    def __getstate__(self):
        state = super().__getstate__()
        state.pop("_flatten", None)
        return state


_WATCH = """    evaluate_every : int or None, default=1000
        Steps between two looks at what the network earns without exploration; the best network is kept (in our environments: those of
        others cannot be copied, and the last network is kept).
    evaluate_episodes : int, default=20
        Episodes of an evaluation.
    stop_at : float or None
        Mean return at such a look that ends the training.
    """


_DQN = """    gamma : float, default=0.99
        The discount.
    net_arch : list of int, default=[64, 64]
        Widths of the hidden layers.
    learning_rate : float, default=0.001
        Learning rate of Adam.
    batch_size : int, default=64
        Batch size: steps drawn from the replay memory for one update.
    buffer_size : int, default=50000
        Steps that the replay memory holds.
    learning_starts : int, default=1000
        Steps before learning begins.
    train_freq, gradient_steps : int, default=4
        Steps between two times of learning, and steps of Adam at such a time.
    target_update_interval : int, default=500
        Steps after which the target network becomes the network of now.
    tau : float, default=1
        How far it moves toward it: 1 is all the way.
    epsilon, epsilon_start : float, default=0.05 and 1
        Share of actions that are any action, at last and at first.
    explore_steps : int, default=10000
        Steps in which the share falls to epsilon.
"""


class DQN(_Deep):
    __doc__ = f"""Q-learning with a network, a replay memory and a target network.

        minimize Huber(Q(s, a) - r - gamma max_b Q'(s', b)) over steps drawn from the replay memory

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
    __doc__ = f"""DQN in which the current network chooses the action that the target network evaluates: no bias from the maximum.

        minimize Huber(Q(s, a) - r - gamma Q'(s', argmax_b Q(s', b))) over steps drawn from the replay memory

    Parameters
    ----------
{_DQN}{_WATCH}"""

    _agent = "double-dqn"


class REINFORCE(_Deep):
    __doc__ = f"""A policy gradient from the returns of whole episodes.

        ascend sum_t (G_t - b(s_t)) ln pi(a_t | s_t) + ent_coef H(pi)

    Parameters
    ----------
    gamma : float, default=0.99
        The discount.
    net_arch : list of int, default=[64, 64]
        Widths of the hidden layers.
    learning_rate : float, default=0.003
        Learning rate of Adam.
    baseline : bool, default=False
        Whether a learned value of the observation is subtracted from the returns.
    baseline_rate : float, default=0.003
        Learning rate of the baseline.
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
    __doc__ = f"""A policy gradient along the advantages of a critic, in several environments at once.

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
        Environments that run side by side; a user-defined one runs alone.
    n_steps : int, default=16
        Steps of each environment between two updates.
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
