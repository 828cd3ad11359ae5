"""Finite decision processes and their exact solutions."""

import numpy as np

from .. import _native
from ._environment import Environment


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
        # Zeros are left out; all else, NaN included, is checked.
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
        """The value of a policy in each state.

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
