//! Agents with networks: results on a short budget, independence of threads and files, and faulty environments.

use ermine_agent::deep::ObservationScaling;
use ermine_agent::env::{ENVIRONMENTS, Environment, NumericStates, TimeStep, make};
use ermine_agent::rl::{AGENTS, TrainedAgent, evaluate, named, train, train_network, train_seeds, tuned};
use ermine_agent::tabular::TrainingBudget;
use ermine_core::{Context, Error, Result};
use serde_json::{Map, Value, json};

const DEEP: [&str; 4] = ["dqn", "double-dqn", "reinforce", "actor-critic"];

fn params(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

/// An environment with two numbers that fails after five steps, in the configured way.
#[derive(Clone)]
struct Broken {
    actions: usize,
    start: f32,
    shown: f32,
    reward: f64,
    steps: u32,
}

impl Environment for Broken {
    type Observation = [f32; 2];

    fn reset(&mut self, _: Option<u64>) -> [f32; 2] {
        [self.start, 0.0]
    }

    fn step(&mut self, _: usize) -> Result<TimeStep<[f32; 2]>> {
        self.steps += 1;
        let broken = self.steps >= 5;
        let observation = [0.5, if broken { self.shown } else { 0.0 }];
        let reward = if broken { self.reward } else { 1.0 };
        Ok(TimeStep { observation, reward, terminated: self.steps.is_multiple_of(3), truncated: false })
    }

    fn actions(&self) -> usize {
        self.actions
    }

    fn render(&self) -> String {
        String::new()
    }
}

impl NumericStates for Broken {
    fn numbers(&self) -> usize {
        2
    }

    fn write(&self, observation: &[f32; 2], out: &mut [f32]) {
        out.copy_from_slice(observation);
    }
}

/// Errors of an environment name the step, the place and the number, and a sound environment trains.
#[test]
fn worlds_that_misbehave_are_said() {
    let sound = Broken { actions: 2, start: 0.0, shown: 0.0, reward: 1.0, steps: 0 };
    for name in DEEP {
        let agent = named(name, &params(json!({"net_arch": [8]}))).unwrap();
        let answer = |world: Broken| -> Result<()> {
            let (budget, cx) = (TrainingBudget::Steps(200), Context::seeded(0));
            train_network(&agent, &mut [world], None, ObservationScaling::none(2), budget, None, &cx).map(drop)
        };
        let fails_with = |world: Broken, words: &[&str]| {
            let error = answer(world).unwrap_err();
            assert!(matches!(error, Error::Data(_)), "{name}: {error:?}");
            let text = error.to_string();
            words.iter().for_each(|w| assert!(text.contains(w), "{name}: {text} does not say {w}"));
        };
        answer(sound.clone()).unwrap();
        fails_with(Broken { reward: f64::NAN, ..sound.clone() }, &["step 5", "reward NaN"]);
        fails_with(Broken { reward: f64::NEG_INFINITY, ..sound.clone() }, &["step 5", "reward -inf"]);
        // Finite as f64, not in the numbers that networks are made of.
        fails_with(Broken { reward: 1e300, ..sound.clone() }, &["step 5", "single precision"]);
        fails_with(Broken { shown: f32::NAN, ..sound.clone() }, &["step 5", "number 1", "NaN"]);
        fails_with(Broken { start: f32::INFINITY, ..sound.clone() }, &["number 0", "inf"]);
        fails_with(Broken { actions: 0, ..sound.clone() }, &["0 actions"]);
        let mut none: [Broken; 0] = [];
        let (budget, cx) = (TrainingBudget::Steps(10), Context::default());
        assert!(train_network(&agent, &mut none, None, ObservationScaling::none(2), budget, None, &cx).is_err());
    }
}

#[test]
fn parameters_that_make_no_sense_are_refused() {
    for (name, given) in [
        ("dqn", json!({"tau": 0.0})),
        ("dqn", json!({"tau": 1.5})),
        ("dqn", json!({"train_freq": 0})),
        ("dqn", json!({"epsilon": 1.5})),
        ("double-dqn", json!({"batch_size": 0})),
        ("reinforce", json!({"ent_coef": -1.0})),
        ("reinforce", json!({"learning_rate": 0.0})),
        ("actor-critic", json!({"gae_lambda": 1.1})),
        ("actor-critic", json!({"n_steps": 0})),
        ("actor-critic", json!({"net_arch": [0]})),
    ] {
        let (key, _) = given.as_object().unwrap().iter().next().unwrap();
        let error = named(name, &params(given.clone())).unwrap_err().to_string();
        assert!(error.contains(key.as_str()), "{name} {given}: {error}");
    }
}

/// What is catalogued for an environment is what the agent takes.
#[test]
fn tuned_parameters_are_parameters_of_the_agent() {
    for agent in AGENTS {
        for environment in ENVIRONMENTS {
            // What tables are tuned to must not reach a network, nor the other way round.
            named(agent.spec.name, &tuned(agent.spec.name, environment.spec.name).0).unwrap();
        }
    }
}

/// A replay buffer smaller than the steps before training does not prevent training.
#[test]
fn a_small_memory_learns_too() {
    let env = make("cartpole", &Map::new()).unwrap();
    let settings = json!({"net_arch": [8], "buffer_size": 100, "learning_starts": 300, "evaluate_every": null, "train_freq": 1});
    let agent = named("dqn", &params(settings)).unwrap();
    let after = |steps: u64| train(&agent, &env, None, TrainingBudget::Steps(steps), &Context::seeded(0)).unwrap();
    assert_ne!(after(290).network().unwrap().network, after(400).network().unwrap().network);
    assert_eq!(after(200).network().unwrap().network, after(290).network().unwrap().network);
}

/// The bytes of an agent do not depend on threads, nor on whether it was saved and loaded before it continued.
#[test]
fn threads_and_files_change_nothing() {
    let env = make("cartpole", &Map::new()).unwrap();
    for name in DEEP {
        let agent = named(name, &params(json!({"net_arch": [64, 64], "evaluate_every": 700, "evaluate_episodes": 2}))).unwrap();
        let on = |threads: usize| -> Vec<Vec<u8>> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let all =
                pool.install(|| train_seeds(&agent, &env, TrainingBudget::Steps(1_500), 0..3, &Context::default())).unwrap();
            all.iter().map(|t| t.to_bytes().unwrap()).collect()
        };
        let one = on(1);
        assert_eq!(one, on(4), "{name}");
        let cx = Context::seeded(9);
        let first = train(&agent, &env, None, TrainingBudget::Steps(1_000), &cx).unwrap();
        let kept = TrainedAgent::from_bytes(first.to_bytes().unwrap()).unwrap();
        let on_from =
            |start: &TrainedAgent| train(&agent, &env, Some(start), TrainingBudget::Steps(700), &cx).unwrap().to_bytes().unwrap();
        assert_eq!(on_from(&first), on_from(&kept), "{name}");
    }
}

/// Five seeds of each agent with the parameters of the catalogue, on a part of its budget. A random policy balances for 22 steps.
#[test]
fn agents_learn_to_balance_on_a_short_budget() {
    let env = make("cartpole", &Map::new()).unwrap();
    for (name, steps) in [("dqn", 15_000), ("double-dqn", 15_000), ("reinforce", 30_000), ("actor-critic", 30_000)] {
        let score = |seed: u64| {
            let (mut given, _) = tuned(name, "cartpole");
            given.extend(params(json!({"evaluate_every": 1_000, "evaluate_episodes": 5, "stop_at": 400.0})));
            let agent = named(name, &given).unwrap();
            let trained = train(&agent, &env, None, TrainingBudget::Steps(steps), &Context::seeded(seed)).unwrap();
            evaluate(&env, |seen| trained.act(seen), 20, &Context::seeded(seed)).unwrap().mean
        };
        let mut scores: Vec<f64> = (0..5).map(score).collect();
        scores.sort_by(f64::total_cmp);
        assert!(scores[0] > 100.0 && scores[2] > 300.0, "{name}: {scores:?}");
    }
}
