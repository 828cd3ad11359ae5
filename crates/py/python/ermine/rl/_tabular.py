"""Agents that keep a table."""

from ._agent import Agent


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
        UCB: the weight of the uncertainty.
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
    __doc__ = _doc("A table that learns the values of its own policy, exploration included.", "Q(s, a) += alpha (r + gamma Q(s', a') - Q(s, a))")
    _agent = "sarsa"


class ExpectedSarsa(_Temporal):
    __doc__ = _doc(
        "SARSA with the mean over the next action in place of one draw.",
        "Q(s, a) += alpha (r + gamma sum_b pi(b|s') Q(s', b) - Q(s, a))",
    )
    _agent = "expected-sarsa"


class QLearning(_Temporal):
    __doc__ = _doc(
        "A table that learns the values of the best policy.", "Q(s, a) += alpha (r + gamma max_b Q(s', b) - Q(s, a))"
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
