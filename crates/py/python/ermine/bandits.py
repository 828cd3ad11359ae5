"""Bandits: policies that choose and learn, simulations against the proven bounds, evaluation on logs.

A policy chooses an arm and learns from its reward; it can be saved, served and resumed, and goes on as if nothing had happened::

    from ermine.bandits import ThompsonSampling, simulate

    policy = ThompsonSampling(["red", "green", "blue"], seed=1)
    arm = policy.choose()
    policy.learn(arm, reward=1.0)
    policy.save("policy.ermine")

    result = simulate([0.1, 0.5, 0.6], ["ucb", "thompson", "exp3"], rounds=10_000, runs=100)
    result["thompson"].mean[-1], result["ucb"].bound[-1]

`off_policy` estimates what a policy would have earned from a log of what another did; `Policy.replay` lets a policy learn on a log.
"""

import json
import os

import numpy as np

from . import _native

__all__ = [
    "CUCB",
    "DiscountedUCB",
    "EXP3",
    "EXP3Losses",
    "EpsilonDecreasing",
    "EpsilonGreedy",
    "ExploreThenCommit",
    "KLUCB",
    "LinUCB",
    "LinearThompson",
    "MOSS",
    "Policy",
    "SlidingWindowUCB",
    "Stationary",
    "ThompsonGaussian",
    "ThompsonSampling",
    "UCB",
    "UCB1",
    "load",
    "off_policy",
    "simulate",
    "top_arms",
]


def _seed(seed):
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    return int(seed)


class Policy:
    """A policy: chooses among arms and learns from their rewards.

    Parameters
    ----------
    arms : int or list
        How many arms there are, or their names.
    rounds : int, optional
        Rounds to come, for policies that are tuned for them.
    n_features : int, default=0
        Numbers in a context, for policies that look at one.
    reward_range : (float, float) or None, default=(0, 1)
        The least and the largest reward; None where there is no range.
    seed : int, default=0
        The seed of its draws.
    **params
        Parameters of the policy.
    """

    _policy = None
    _defaults = {}

    def __init__(self, arms, *, rounds=None, n_features=0, reward_range=(0.0, 1.0), seed=0, **params):
        if self._policy is None:
            raise TypeError("Policy is abstract; use one of its subclasses")
        if unknown := set(params) - set(self._defaults):
            known = ", ".join(sorted(self._defaults)) or "none"
            raise TypeError(f"{type(self).__name__} has no parameter {sorted(unknown)[0]!r}; its parameters are: {known}")
        names = list(range(arms)) if isinstance(arms, (int, np.integer)) else list(arms)
        self.arms = names
        text = json.dumps(params)
        words = [str(name) for name in names]
        span = None if reward_range is None else (float(reward_range[0]), float(reward_range[1]))
        self._native = _native.NativePolicy(self._policy, text, words, rounds, int(n_features), span, _seed(seed))
        self._index = {name: i for i, name in enumerate(names)}
        self._chances = {}

    @classmethod
    def _of(cls, native):
        about = json.loads(native.describe())
        for kind in _classes():
            if kind._policy == about["name"]:
                cls = kind
        self = cls.__new__(cls)
        self._native = native
        words = about["arms"]
        counted = words == [str(i) for i in range(len(words))]
        self.arms = list(range(len(words))) if counted else words
        self._index = {name: i for i, name in enumerate(self.arms)}
        self._chances = {}
        return self

    def _context(self, context):
        return None if context is None else np.ascontiguousarray(context, dtype=np.float64)

    def _arm(self, arm):
        try:
            return self._index[arm]
        except (KeyError, TypeError):
            raise ValueError(f"there is no arm {arm!r}; arms are {self.arms[:8]}") from None

    def choose(self, context=None):
        """An arm for the next round.

        Parameters
        ----------
        context : array-like, optional
            What is known of the round.

        Returns
        -------
        arm
            Its name, or its number where arms have no names.
        """
        arm, chance = self._native.choose(self._context(context))
        self._chances[arm] = chance
        self.probability_ = chance
        return self.arms[arm]

    def learn(self, arm, reward, context=None, probability=None):
        """Learn from the reward of a choice; an invalid one changes nothing.

        Parameters
        ----------
        arm
            The arm that was chosen.
        reward : float
            What it paid. Rewards may come late, and in any order.
        context : array-like, optional
            The context of the choice.
        probability : float, optional
            The probability with which the arm was chosen; that of its last choice when not given. EXP3 learns from it.
        """
        at = self._arm(arm)
        chance = self._chances.get(at) if probability is None else float(probability)
        self._native.learn(at, float(reward), self._context(context), chance)

    def play(self, rewards, contexts=None):
        """Play round after round against rewards that are all known.

        Parameters
        ----------
        rewards : array-like of shape (rounds, arms)
            What each arm pays in each round; the policy is told of the chosen one alone.
        contexts : array-like of shape (rounds, n_features), optional
            The contexts.

        Returns
        -------
        chosen : ndarray of shape (rounds,)
            The numbers of the arms that were chosen.
        """
        rewards = np.ascontiguousarray(rewards, dtype=np.float64)
        if contexts is not None:
            contexts = np.ascontiguousarray(contexts, dtype=np.float64)
        return self._native.play(rewards, contexts)

    def replay(self, arms, rewards, contexts=None, seed=0):
        """Replay a log: where the policy chooses what was chosen, it learns and the reward counts. Free of bias where the log was made
        by uniform choices.

        Parameters
        ----------
        arms : array-like of shape (rounds,)
            The numbers of the arms that were pulled.
        rewards : array-like of shape (rounds,)
            What they paid.
        contexts : array-like of shape (rounds, n_features), optional
            The contexts.
        seed : int, default=0
            The seed of the policy's draws.

        Returns
        -------
        estimate : dict
            `value`, `standard_error`, `low` and `high` (95 %) of the mean reward, and `matched` rounds.
        """
        arms = np.ascontiguousarray(arms, dtype=np.int64)
        rewards = np.ascontiguousarray(rewards, dtype=np.float64)
        if contexts is not None:
            contexts = np.ascontiguousarray(contexts, dtype=np.float64)
        return self._native.replay(arms, rewards, contexts, _seed(seed))

    @property
    def params(self):
        """All parameters of the policy."""
        return json.loads(self._native.describe())["params"]

    @property
    def choices_(self):
        """Choices made so far."""
        return json.loads(self._native.describe())["choices"]

    @property
    def state_(self):
        """The statistics of the policy, as numbers."""
        return json.loads(self._native.describe())["state"]

    def save(self, path):
        """Write the policy to a file that holds arrays and names and no code; `load` continues it.

        Parameters
        ----------
        path : str or path-like
            Where to write.
        """
        self._native.save(os.fspath(path))

    def __getstate__(self):
        return {"bytes": self._native.to_bytes(), "arms": self.arms}

    def __setstate__(self, state):
        self._native = _native.NativePolicy.from_bytes(state["bytes"])
        self.arms = state["arms"]
        self._index = {name: i for i, name in enumerate(self.arms)}
        self._chances = {}

    def __repr__(self):
        params = ", ".join(f"{k}={v!r}" for k, v in self.params.items() if v != self._defaults.get(k))
        return f"{type(self).__name__}({len(self.arms)} arms{', ' if params else ''}{params})"


def load(path):
    """Read a policy that was saved, here, by the command line or from Rust.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    policy : Policy
        It goes on where it was saved.
    """
    with open(path, "rb") as f:
        return Policy._of(_native.NativePolicy.from_bytes(f.read()))


def _policy(class_name, name, bases=(Policy,), **more):
    entry = _ENTRIES[name]
    defaults = {p["name"]: p["default"] for p in entry["params"]}
    lines = [entry["summary"], "", f"    {entry['rule']}", ""]
    if entry["reference"]:
        lines += [f"{entry['reference']}.", ""]
    if defaults:
        lines += ["Parameters, besides those of `Policy`", "-------------------------------------"]
        for p in entry["params"]:
            lines += [f"{p['name']} : {p['range']}, default={p['default']}", f"    {p['doc']}"]
    body = {"__doc__": "\n".join(lines), "_policy": name, "_defaults": defaults, "__module__": __name__, **more}
    return type(class_name, bases, body)


_ENTRIES = {e["name"]: e for e in json.loads(_native.agent_catalogue())["policies"]}


class _Sets(Policy):
    def choose(self):
        """A set of arms for the next round.

        Returns
        -------
        arms : list
        """
        return [self.arms[i] for i in self._native.choose_set()]

    def learn(self, arms, rewards):
        """Take in the rewards of a set, arm by arm.

        Parameters
        ----------
        arms : list
            The arms of the set.
        rewards : array-like
            What each of them paid.
        """
        self._native.learn_set([self._arm(a) for a in arms], [float(r) for r in rewards])


Stationary = _policy("Stationary", "stationary")
ExploreThenCommit = _policy("ExploreThenCommit", "explore-then-commit")
EpsilonGreedy = _policy("EpsilonGreedy", "epsilon-greedy")
EpsilonDecreasing = _policy("EpsilonDecreasing", "epsilon-decreasing")
UCB = _policy("UCB", "ucb")
UCB1 = _policy("UCB1", "ucb1")
KLUCB = _policy("KLUCB", "kl-ucb")
MOSS = _policy("MOSS", "moss")
ThompsonSampling = _policy("ThompsonSampling", "thompson")
ThompsonGaussian = _policy("ThompsonGaussian", "thompson-gaussian")
EXP3 = _policy("EXP3", "exp3")
EXP3Losses = _policy("EXP3Losses", "exp3-losses")
LinUCB = _policy("LinUCB", "linucb")
LinearThompson = _policy("LinearThompson", "linear-thompson")
SlidingWindowUCB = _policy("SlidingWindowUCB", "sliding-window-ucb")
DiscountedUCB = _policy("DiscountedUCB", "discounted-ucb")
CUCB = _policy("CUCB", "cucb", bases=(_Sets,))


def _classes():
    return [c for c in globals().values() if isinstance(c, type) and issubclass(c, Policy) and c._policy]


class Regret:
    """Pseudo-regret of a policy over many runs.

    Attributes
    ----------
    rounds : ndarray
        The rounds at which regret was looked at.
    mean, sd, low, high : ndarray
        Its mean, standard deviation and the band that holds eight runs of ten.
    bound : ndarray or None
        What is proven at the same rounds, with `formula`.
    pulls : ndarray
        Mean pulls of each arm.
    """

    def __init__(self, about):
        self.name = about["name"]
        for key in ("rounds", "mean", "sd", "low", "high", "pulls"):
            setattr(self, key, np.asarray(about[key]))
        self.runs = about["runs"]
        self.bound = None if about["bound"] is None else np.asarray(about["bound"])
        self.formula = about["formula"]

    def __repr__(self):
        bound = "" if self.bound is None else f", proven {self.bound[-1]:.4g}"
        return f"<{self.name}: regret {self.mean[-1]:.4g} ± {self.sd[-1] / self.runs**0.5:.2g} after {self.rounds[-1]} rounds{bound}>"


class Comparison(dict):
    """Regrets by policy; `lai_robbins` is the constant of the lower bound, where there is one."""

    def __init__(self, about):
        super().__init__({p["name"]: Regret(p) for p in about["policies"]})
        self.rounds = np.asarray(about["rounds"])
        self.runs = about["runs"]
        self.lai_robbins = about["lai_robbins"]


def _arms(arms, kind, sd, half_width, step):
    if isinstance(arms, dict):
        return arms
    arms = np.asarray(arms, dtype=np.float64)
    if kind == "adversarial" or (kind == "linear" and arms.ndim == 2):
        if arms.ndim != 2:
            raise ValueError(f"{kind} arms are a matrix, not an array of {arms.ndim} dimensions")
        key = "rewards" if kind == "adversarial" else "coefficients"
        out = {"arms": kind, key: arms.tolist()}
        return out if kind == "adversarial" else {**out, "sd": sd}
    if arms.ndim != 1:
        raise ValueError(f"the means of the arms are a vector, not an array of {arms.ndim} dimensions")
    more = {"bernoulli": {}, "gaussian": {"sd": sd}, "bounded": {"half_width": half_width}, "drift": {"step": step}}
    if kind not in more:
        raise ValueError(f"kind {kind!r}: it must be one of {', '.join([*more, 'adversarial', 'linear'])}")
    return {"arms": kind, "means": arms.tolist(), **more[kind]}


def simulate(arms, policies, *, rounds=10_000, runs=100, kind="bernoulli", sd=1.0, half_width=0.5, step=0.01, delay=0,
             points=100, seed=0):  # fmt: skip
    """Simulate policies in the same worlds.

    Parameters
    ----------
    arms : array-like
        The means of the arms; for `kind="adversarial"` the rewards, a row a round; for `kind="linear"` the coefficients, a row an
        arm.
    policies : list
        Names, or pairs of a name and a dict of parameters; a dict gives labels to them.
    rounds, runs : int
        Rounds of a run, and runs of each policy.
    kind : {"bernoulli", "gaussian", "bounded", "drift", "linear", "adversarial"}
        What the arms pay.
    sd, half_width, step : float
        Spread of gaussian and linear rewards, of bounded ones, and of a step of drifting arms.
    delay : int or ("uniform", int)
        Rounds until a reward is told, fixed or drawn up to twice the mean.
    points : int
        Rounds at which regret is looked at.
    seed : int
        The seed of worlds and policies. Results do not depend on the number of threads.

    Returns
    -------
    comparison : dict of Regret
        By label, with `lai_robbins`.
    """
    if isinstance(policies, dict):
        named = list(policies.items())
    else:
        named = [(p if isinstance(p, str) else p[0], p) for p in policies]
    typed = []
    for label, policy in named:
        name, params = (policy, {}) if isinstance(policy, str) else policy
        typed.append((str(label), name, json.dumps(params)))
    if len({label for label, *_ in typed}) < len(typed):
        raise ValueError("two policies have the same name; give a dict of labels")
    if isinstance(delay, tuple):
        late = {"uniform": {"mean": int(delay[1])}}
    else:
        late = {"fixed": int(delay)} if delay else "none"
    world = json.dumps(_arms(arms, kind, float(sd), float(half_width), float(step)))
    found = _native.bandit_simulate(world, typed, int(rounds), int(runs), json.dumps(late), int(points), _seed(seed))
    return Comparison(json.loads(found))


def off_policy(arms, rewards, propensities, target):
    """The reward that a policy would have earned, estimated from the log of another.

    Parameters
    ----------
    arms : array-like of shape (rounds,)
        The numbers of the arms that were pulled.
    rewards : array-like of shape (rounds,)
        What they paid.
    propensities : array-like of shape (rounds,)
        The probabilities with which they were pulled.
    target : array-like of shape (n_arms,) or (rounds, n_arms)
        The probabilities of the policy that is asked about.

    Returns
    -------
    estimates : dict
        `ips` (inverse propensity), `snips` (self-normalized) and `doubly_robust`, each with `value`, `standard_error`, `low` and
        `high` (95 %); `effective_size`, `largest_weight`, `notes`.
    """
    target = np.atleast_2d(np.ascontiguousarray(target, dtype=np.float64))
    arms = np.ascontiguousarray(arms, dtype=np.int64)
    rewards = np.ascontiguousarray(rewards, dtype=np.float64)
    propensities = np.ascontiguousarray(propensities, dtype=np.float64)
    return _native.bandit_off_policy(arms, rewards, propensities, target)


def top_arms(sample, n_arms, m, *, budget=None, delta=None, epsilon=0.0, reward_range=(0.0, 1.0)):
    """The best `m` arms with few samples.

    Parameters
    ----------
    sample : callable
        `sample(arm)` draws a reward of an arm.
    n_arms, m : int
        How many arms there are, and how many are wanted.
    budget : int, optional
        Samples that may be drawn: successive accepts and rejects. With `delta`, the most that LUCB may draw.
    delta : float, optional
        The probability of an error that is accepted: LUCB.
    epsilon : float, default=0
        LUCB: how far an arm may be below the best ones.
    reward_range : (float, float), default=(0, 1)
        The least and the largest reward.

    Returns
    -------
    arms : list of int
        The arms, rising.
    pulls : list of int
        Samples of each arm.
    confident : bool
        Whether the demanded confidence was reached; a fixed budget demands none.
    """
    if budget is None and delta is None:
        raise ValueError("give a budget of samples, or delta")
    span = (float(reward_range[0]), float(reward_range[1]))
    return _native.bandit_top(sample, int(n_arms), int(m), 2**62 if budget is None else int(budget), delta, float(epsilon), span)
