"""Agents and environments against the usual Python tools, in turns: steps or rounds a second, and the ratio.

    python bench/agents.py [--rounds 3] target/release/examples/throughput [TASK ...]

Needs gymnasium, mabwiser and stable-baselines3 (with torch), and the example `throughput` of crate ermine-agent. The
tasks go by the names that the example prints, and behind a bar by that of the other's way. All run on one thread but the networks of DQN, which have two on either side.
"""

import argparse
import os
import random
import statistics
import subprocess
import time

import gymnasium
import numpy as np


def scalar(name, **settings):
    def run(steps=40_000):
        env = gymnasium.make(name, **settings)
        env.reset(seed=1)
        actions = np.random.default_rng(1).integers(env.action_space.n, size=steps).tolist()
        started = time.perf_counter()
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
        return steps / (time.perf_counter() - started)

    return run


def carts(width):
    def run():
        env = gymnasium.make_vec("CartPole-v1", num_envs=width, vectorization_mode="vector_entry_point")
        env.reset(seed=1)
        steps = max(200, 400_000 // width)
        actions = np.random.default_rng(1).integers(2, size=(16, width))
        started = time.perf_counter()
        for step in range(steps):
            env.step(actions[step % 16])
        return steps * width / (time.perf_counter() - started)

    return run


def q_learning_with_arrays(name, alpha, gamma, **settings):
    """The loop that most people write: a table of numpy's."""

    def run(steps=20_000):
        env = gymnasium.make(name, **settings)
        q = np.zeros((env.observation_space.n, env.action_space.n))
        state, _ = env.reset(seed=1)
        draw = np.random.default_rng(1)
        started = time.perf_counter()
        for _ in range(steps):
            if draw.random() < 0.1:
                action = env.action_space.sample()
            else:
                action = int(draw.choice(np.flatnonzero(q[state] == q[state].max())))
            after, reward, terminated, truncated, _ = env.step(action)
            target = reward if terminated else reward + gamma * q[after].max()
            q[state, action] += alpha * (target - q[state, action])
            state = env.reset()[0] if terminated or truncated else after
        return steps / (time.perf_counter() - started)

    return run


def q_learning(name, alpha, gamma, **settings):
    """The same loop with lists, which are faster for rows as short as these."""

    def run(steps=40_000):
        env = gymnasium.make(name, **settings)
        actions = int(env.action_space.n)
        q = [[0.0] * actions for _ in range(int(env.observation_space.n))]
        state, _ = env.reset(seed=1)
        draw = random.Random(1)
        started = time.perf_counter()
        for _ in range(steps):
            row = q[state]
            if draw.random() < 0.1:
                action = draw.randrange(actions)
            else:
                most = max(row)
                action = draw.choice([a for a in range(actions) if row[a] == most])
            after, reward, terminated, truncated, _ = env.step(action)
            target = reward if terminated else reward + gamma * max(q[after])
            row[action] += alpha * (target - row[action])
            state = env.reset()[0] if terminated or truncated else after
        return steps / (time.perf_counter() - started)

    return run


def bandit(policy, dimension=0):
    def run(rounds=1_000 if dimension else 5_000):
        from mabwiser.mab import MAB

        arms = list(range(10))
        draw = np.random.default_rng(1)
        means = [0.9] + [0.8] * 9
        coefficients = np.array([[(arm * 7 + i) % 5 - 2.0 for i in range(max(dimension, 1))] for arm in arms])
        mab = MAB(arms, policy(), seed=1)
        first = draw.standard_normal((10, dimension)) if dimension else None
        mab.fit(arms, [1] * 10, first) if dimension else mab.fit(arms, [1] * 10)
        started = time.perf_counter()
        for _ in range(rounds):
            if dimension:
                context = draw.standard_normal((1, dimension))
                arm = mab.predict(context)
                reward = float(coefficients[arm] @ context[0]) + 0.1 * draw.standard_normal()
                mab.partial_fit([arm], [reward], context)
            else:
                arm = mab.predict()
                mab.partial_fit([arm], [int(draw.random() < means[arm])])
        return rounds / (time.perf_counter() - started)

    return run


def learning_policy(name, **settings):
    def make():
        from mabwiser.mab import LearningPolicy

        return getattr(LearningPolicy, name)(**settings)

    return make


ZOO = dict(
    learning_rate=2.3e-3, batch_size=64, buffer_size=100_000, learning_starts=1_000, gamma=0.99, target_update_interval=10,
    train_freq=256, gradient_steps=128, exploration_fraction=0.16, exploration_final_eps=0.04,
    policy_kwargs=dict(net_arch=[256, 256]),
)


def dqn(steps=5_000, **settings):
    def run():
        import torch
        from stable_baselines3 import DQN

        torch.set_num_threads(2)
        model = DQN("MlpPolicy", gymnasium.make("CartPole-v1"), device="cpu", seed=1, **settings)
        started = time.perf_counter()
        model.learn(total_timesteps=steps)
        return steps / (time.perf_counter() - started)

    return run


TASKS = {
    "cartpole": scalar("CartPole-v1"),
    "mountain car": scalar("MountainCar-v0"),
    "acrobot": scalar("Acrobot-v1"),
    "frozen lake": scalar("FrozenLake-v1"),
    "cliff walking": scalar("CliffWalking-v1"),
    "taxi": scalar("Taxi-v4"),
    "blackjack": scalar("Blackjack-v1"),
    **{f"cartpole x {width}": carts(width) for width in (1, 64, 1024, 4096)},
    "taxi, Q-learning | lists": q_learning("Taxi-v4", 0.7, 0.9),
    "taxi, Q-learning | arrays": q_learning_with_arrays("Taxi-v4", 0.7, 0.9),
    "frozen lake, Q-learning | lists": q_learning("FrozenLake-v1", 0.1, 0.99),
    "frozen lake, Q-learning | arrays": q_learning_with_arrays("FrozenLake-v1", 0.1, 0.99),
    "cartpole, dqn of the zoo": dqn(**ZOO),
    "cartpole, dqn by default": dqn(),
    "ucb1, 10 arms": bandit(learning_policy("UCB1", alpha=1.0)),
    "epsilon-greedy, 10 arms": bandit(learning_policy("EpsilonGreedy", epsilon=0.1)),
    "thompson, 10 arms": bandit(learning_policy("ThompsonSampling")),
    "linucb, 10 arms, d = 10": bandit(learning_policy("LinUCB", alpha=1.0), 10),
    "linucb, 10 arms, d = 50": bandit(learning_policy("LinUCB", alpha=1.0), 50),
}


def ours(example):
    """The output of the example, by task."""
    lines = subprocess.run([example], check=True, capture_output=True, text=True).stdout.splitlines()[1:]
    return {line[:34].strip(): float(line[34:].split()[0]) * 1e6 for line in lines}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("example")
    parser.add_argument("tasks", nargs="*")
    args = parser.parse_args()
    tasks = {name: TASKS[name] for name in args.tasks or TASKS}
    mine, theirs = [], {name: [] for name in tasks}
    for _ in range(args.rounds):
        mine.append(ours(args.example))
        for name, run in tasks.items():
            theirs[name].append(run())
    print(f"{'task':<33} {'ermine':>12} {'the other':>12} {'ratio':>8} {'least':>8} {'most':>8}   (a second, medians of {args.rounds} turns)")
    for name in tasks:
        a = [turn[name.split(" | ")[0]] for turn in mine]
        ratios = [x / y for x, y in zip(a, theirs[name])]
        print(
            f"{name:<33} {statistics.median(a):>12,.0f} {statistics.median(theirs[name]):>12,.0f} "
            f"{statistics.median(ratios):>8.1f} {min(ratios):>8.1f} {max(ratios):>8.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
