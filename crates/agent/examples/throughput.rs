//! Steps and rounds a second: `cargo run --release -p ermine-agent --example throughput [PART OF A NAME]`. All but the networks of DQN
//! runs on one thread.

use std::hint::black_box;
use std::time::Instant;

use ermine_agent::bandit::{
    AnyPolicy, BanditEnv, ConfidenceWidth, EpsilonGreedy, Exp3, KlUcb, LinUcb, Policy, RewardModel, RewardRange, ThompsonBeta,
    Ucb,
};
use ermine_agent::deep::{Dqn, ObservationScaling};
use ermine_agent::env::{
    Acrobot, Blackjack, BlackjackRules, CartPole, CartPoleVec, Environment, FrozenLake, MountainCar, Taxi, cliff_walking,
};
use ermine_agent::tabular::{ControlMethod, DecaySchedule, Exploration, StepSize, TabularAgent, TrainingBudget};
use ermine_core::{Context, Result, RngStream};

/// The best of three, in millions a second; `usual` is the figure of the usual Python tool.
fn report(name: &str, usual: Option<f64>, mut work: impl FnMut() -> Result<u64>) -> Result<()> {
    if std::env::args().nth(1).is_some_and(|part| !name.contains(&part)) {
        return Ok(());
    }
    let mut best: f64 = 0.0;
    for _ in 0..3 {
        let start = Instant::now();
        let count = work()?;
        best = best.max(count as f64 / start.elapsed().as_secs_f64());
    }
    let ratio = usual.map_or(String::new(), |u| format!("{:>9.0} x", best / u));
    println!("{name:<34} {:>9.3} M/s {ratio}", best / 1e6);
    Ok(())
}

fn episodes<E: Environment>(env: &mut E, steps: u64) -> Result<u64> {
    let actions = env.actions() as u64;
    let mut state = 1u64;
    env.reset(Some(1));
    for _ in 0..steps {
        // A small generator of actions, so that the environment is what is measured.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let step = env.step(((state >> 33) % actions) as usize)?;
        if step.done() {
            env.reset(None);
        }
        black_box(step.reward);
    }
    Ok(steps)
}

fn rounds(arms: &RewardModel, policy: &AnyPolicy, count: u64) -> Result<u64> {
    let (mut world, mut policy) = (BanditEnv::new(arms)?, policy.clone());
    let (mut a, mut b) = (RngStream::new(1, "world", 0), RngStream::new(1, "policy", 0));
    for _ in 0..count {
        world.advance(&mut a);
        let choice = policy.choose(world.context(), &mut b);
        let reward = world.draw(choice.arm, &mut a);
        policy.learn(world.context(), choice, reward)?;
    }
    Ok(count)
}

fn main() -> Result<()> {
    println!("{:<34} {:>13} {:>11}", "task", "ours", "the usual");
    let n = 3_000_000;
    report("cartpole", Some(132e3), || episodes(&mut CartPole::default(), n))?;
    report("mountain car", Some(87e3), || episodes(&mut MountainCar::default(), n))?;
    report("acrobot", Some(26e3), || episodes(&mut Acrobot::default(), n / 10))?;
    report("frozen lake", Some(138e3), || episodes(&mut FrozenLake::default().build()?, n))?;
    report("cliff walking", Some(165e3), || episodes(&mut cliff_walking(false)?, n))?;
    report("taxi", Some(103e3), || episodes(&mut Taxi::new(None, None)?, n))?;
    report("blackjack", Some(23e3), || episodes(&mut Blackjack::new(BlackjackRules::Book), n))?;
    for (width, usual) in [(1, None), (64, Some(1.28e6)), (1024, Some(10.7e6)), (4096, Some(18.4e6))] {
        for exact in [false, true] {
            let mut carts = CartPoleVec::new(width, exact)?;
            let actions: Vec<Vec<u8>> = (0..16u8)
                .map(|k| (0..width).map(|i| (i as u8).wrapping_mul(37).wrapping_add(k.wrapping_mul(91)) >> 7).collect())
                .collect();
            let steps = (3_000_000 / width).max(100);
            let name = format!("cartpole x {width}{}", if exact { ", system's sines" } else { "" });
            report(&name, usual, || {
                carts.reset(Some(1));
                for step in 0..steps {
                    carts.step(&actions[step % 16])?;
                    black_box(carts.observations());
                }
                Ok((steps * width) as u64)
            })?;
        }
    }
    let agent = TabularAgent {
        method: ControlMethod::QLearning,
        gamma: 0.9,
        alpha: StepSize::Constant(0.7),
        exploration: Exploration::EpsilonGreedy(DecaySchedule::Constant(0.1)),
        initial: 0.0,
    };
    report("taxi, Q-learning", Some(77e3), || Ok(agent.train(&mut Taxi::new(None, None)?, TrainingBudget::Steps(n), 1)?.steps))?;
    let lake = TabularAgent { alpha: StepSize::Constant(0.1), gamma: 0.99, ..agent.clone() };
    report("frozen lake, Q-learning", Some(120e3), || {
        Ok(lake.train(&mut FrozenLake::default().build()?, TrainingBudget::Steps(n), 1)?.steps)
    })?;
    // As the zoo of Stable-Baselines3 trains it.
    let deep = Dqn {
        double: false,
        gamma: 0.99,
        hidden: vec![256, 256],
        rate: 2.3e-3,
        batch: 64,
        memory: 100_000,
        warm_up: 1_000,
        every: 256,
        updates: 128,
        target_every: 10,
        tau: 1.0,
        epsilon: DecaySchedule::Linear { from: 1.0, to: 0.04, steps: 8_000 },
    };
    let train = |dqn: &Dqn| {
        let budget = TrainingBudget::Steps(5_000);
        Ok(dqn.train(&mut CartPole::default(), None, ObservationScaling::none(4), budget, None, &Context::default())?.steps)
    };
    report("cartpole, dqn of the zoo", Some(460.0), || train(&deep))?;
    // As it does when nobody sets anything.
    let plain =
        Dqn { hidden: vec![64, 64], rate: 1e-4, batch: 32, warm_up: 100, every: 4, updates: 1, target_every: 10_000, ..deep };
    report("cartpole, dqn by default", Some(940.0), || train(&plain))?;
    let mut means = vec![0.8; 10];
    means[0] = 0.9;
    let coins = RewardModel::Bernoulli { means };
    let unit = RewardRange::default();
    for (name, usual, policy, count) in [
        ("ucb1, 10 arms", Some(7.9e3), AnyPolicy::from(Ucb::new(10, ConfidenceWidth::Logarithm { c: 2.0 })?), n),
        ("epsilon-greedy, 10 arms", Some(10.1e3), EpsilonGreedy::new(10, DecaySchedule::Constant(0.1))?.into(), n),
        ("thompson, 10 arms", Some(5.8e3), ThompsonBeta::new(10)?.into(), n / 5),
        ("exp3, 10 arms", Some(12e3), Exp3::on_rewards(10, n, unit)?.into(), n),
        ("kl-ucb, 10 arms", Some(5.7e3), KlUcb::new(10, 0.0)?.into(), n / 5),
    ] {
        report(name, usual, || rounds(&coins, &policy, count))?;
    }
    for (dimension, usual) in [(10, 1_057.0), (50, 918.0)] {
        let coefficients = (0..10).map(|arm| (0..dimension).map(|i| f64::from((arm * 7 + i) % 5) - 2.0).collect()).collect();
        let world = RewardModel::Linear { coefficients, sd: 0.1 };
        let policy = LinUcb::new(10, dimension as usize, false, 1.0, 1.0)?.into();
        report(&format!("linucb, 10 arms, d = {dimension}"), Some(usual), || rounds(&world, &policy, n / 100))?;
    }
    Ok(())
}
