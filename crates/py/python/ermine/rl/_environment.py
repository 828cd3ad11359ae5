"""Our environments as Gymnasium's, where Gymnasium is installed; with the same methods where it is not."""

import json

import numpy as np

from .. import _native

try:
    import gymnasium
    from gymnasium import spaces
except ImportError:
    gymnasium = spaces = None

_Base = gymnasium.Env if gymnasium else object
_VectorBase = gymnasium.vector.VectorEnv if gymnasium else object


def _need_gymnasium(what):
    if gymnasium is None:
        raise ImportError(f"{what} needs Gymnasium: pip install gymnasium")


def _params(params):
    params = dict(params)
    # Gymnasium's maps are lists of rows; ours are lines of a text.
    for key in ("desc", "map"):
        if isinstance(params.get(key), (list, tuple, np.ndarray)):
            rows = [r if isinstance(r, str) else "".join(c.decode() if isinstance(c, bytes) else c for c in r) for r in params[key]]
            params[key] = "\n".join(rows)
    if isinstance(params.get("reward_schedule"), tuple):
        params["reward_schedule"] = list(params["reward_schedule"])
    return params


def _spaces(native, about):
    if spaces is None:
        return None, None
    actions = spaces.Discrete(len(about["actions"]))
    if about["name"] == "blackjack":
        return spaces.Tuple((spaces.Discrete(32), spaces.Discrete(11), spaces.Discrete(2))), actions
    if "states" in about["space"]:
        return spaces.Discrete(about["space"]["states"]), actions
    low, high = native.limits()
    return spaces.Box(low, high, dtype=np.float32), actions


class Environment(_Base):
    """One of our environments, with Gymnasium's interface: under the same seed and actions it goes through the states of
    Gymnasium's own, bit for bit.

    Parameters
    ----------
    name : str, default="cartpole"
        One of `ermine.rl.environments()`.
    render_mode : {None, "ansi"}
        With "ansi", `render` returns the present state drawn in text.
    **params
        Parameters of the environment, with Gymnasium's names: `is_slippery`, `map_name`, `max_episode_steps`, …
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 15}

    def __init__(self, name="cartpole", render_mode=None, **params):
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode {render_mode!r}: it must be None or 'ansi'")
        self.native = _native.NativeEnvironment(name, json.dumps(_params(params)))
        self.about = json.loads(self.native.describe())
        self.name, self.params = self.about["name"], self.about["params"]
        self.render_mode = render_mode
        self.observation_space, self.action_space = _spaces(self.native, self.about)
        self._step = self.native.step
        self._fresh = True

    @property
    def n_actions(self):
        """The number of actions."""
        return len(self.about["actions"])

    def reset(self, *, seed=None, options=None):
        """Start an episode.

        Parameters
        ----------
        seed : int, optional
            Starts the random numbers anew; without one they go on.
        options : dict, optional
            Not used.

        Returns
        -------
        observation, info
        """
        if gymnasium is not None:
            super().reset(seed=seed)
        if seed is None and self._fresh:
            # No seed was given yet: no two such environments are the same.
            random = self.np_random if gymnasium is not None else np.random.default_rng()
            seed = int(random.integers(2**63))
        self._fresh = False
        return self.native.reset(None if seed is None else int(seed))

    def step(self, action):
        """Take an action.

        Parameters
        ----------
        action : int
            The action.

        Returns
        -------
        observation, reward, terminated, truncated, info
        """
        return self._step(action)

    def render(self):
        """The present state, drawn in text; None without `render_mode="ansi"`."""
        return self.native.render() if self.render_mode == "ansi" else None

    def close(self):
        """Nothing to close."""

    def rollout(self, steps, policy=None, seed=None):
        """Take a number of steps at full speed, with a reset where episodes end.

        Parameters
        ----------
        steps : int
            Steps.
        policy : array-like of shape (n_states,), optional
            An action for each state; drawn actions when not given.
        seed : int, optional
            The seed.

        Returns
        -------
        total : float
            Sum of the rewards.
        episodes : int
            Episodes that ended.
        """
        if policy is not None:
            policy = np.ascontiguousarray(policy, dtype=np.int64)
        return self.native.rollout(int(steps), policy, seed)

    def __repr__(self):
        return f"<ermine.rl.Environment {self.name}>"


class VectorEnvironment(_VectorBase):
    """Many of our environments that step together. One whose episode ended starts anew on the next step, whose action is not used
    (Gymnasium's "next step" reset).

    Parameters
    ----------
    name : str, default="cartpole"
        One of `ermine.rl.environments()`.
    num_envs : int, default=1
        How many.
    exact : bool, default=False
        Carts only: with the system's sines they are bit for bit those of Gymnasium's vector of carts; otherwise sines are polynomials,
        right to the last bit or the one before, and several times as fast.
    render_mode : None
        Vectors are not drawn.
    **params
        Parameters of the environment.
    """

    metadata = {"render_modes": []}

    def __init__(self, name="cartpole", num_envs=1, exact=False, render_mode=None, **params):
        _need_gymnasium("VectorEnvironment")
        if render_mode is not None:
            raise ValueError(f"render_mode {render_mode!r}: vectors are not drawn")
        text = json.dumps(_params(params))
        one = _native.NativeEnvironment(name, text)
        about = json.loads(one.describe())
        self.name, self.num_envs, self.render_mode = about["name"], int(num_envs), None
        self.native = _native.NativeVector(name, text, self.num_envs, bool(exact))
        self.single_observation_space, self.single_action_space = _spaces(one, about)
        batch = gymnasium.vector.utils.batch_space
        self.observation_space = batch(self.single_observation_space, self.num_envs)
        self.action_space = batch(self.single_action_space, self.num_envs)
        self.metadata = {**self.metadata, "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}
        self._fresh = True

    def reset(self, *, seed=None, options=None):
        """Start all of them.

        Parameters
        ----------
        seed : int, optional
            Starts the random numbers anew.
        options : dict, optional
            Not used.

        Returns
        -------
        observations, infos
        """
        super().reset(seed=seed)
        if seed is None and self._fresh:
            seed = int(self.np_random.integers(2**63))
        self._fresh = False
        return self.native.reset(None if seed is None else int(seed)), {}

    def step(self, actions):
        """One step of each.

        Parameters
        ----------
        actions : array-like of shape (num_envs,)
            The actions.

        Returns
        -------
        observations, rewards, terminated, truncated, infos
        """
        return *self.native.step(np.ascontiguousarray(actions, dtype=np.int64)), {}

    def close_extras(self, **kwargs):
        """Nothing to close."""


IDS = {
    "ermine/CartPole-v1": "cartpole",
    "ermine/MountainCar-v0": "mountain-car",
    "ermine/Acrobot-v1": "acrobot",
    "ermine/FrozenLake-v1": "frozen-lake",
    "ermine/CliffWalking-v1": "cliff-walking",
    "ermine/Taxi-v4": "taxi",
    "ermine/Blackjack-v1": "blackjack",
    "ermine/GridWorld-v0": "grid-world",
}


def register():
    """Makes our environments known to `gymnasium.make`."""
    if gymnasium is None:
        return
    for name, ours in IDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                id=name,
                entry_point="ermine.rl:Environment",
                vector_entry_point="ermine.rl:VectorEnvironment",
                kwargs={"name": ours},
            )
