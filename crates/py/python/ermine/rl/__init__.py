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

from .. import _native
from ._agent import Agent, load
from ._deep import DQN, REINFORCE, ActorCritic, DoubleDQN
from ._environment import Environment, VectorEnvironment, register
from ._mdp import MDP, Solution
from ._tabular import DoubleQLearning, ExpectedSarsa, MonteCarlo, NStepSarsa, QLearning, Sarsa

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
    """The names of the environments, each with a description.

    Returns
    -------
    environments : dict of str
    """
    return {e["name"]: e["summary"] for e in json.loads(_native.agent_catalogue())["environments"]}


def agents():
    """The names of the agents, each with a description.

    Returns
    -------
    agents : dict of str
    """
    return {e["name"]: e["summary"] for e in json.loads(_native.agent_catalogue())["agents"]}
