//! Learning from experience against known curves and exact values.

use ermine_agent::env::{Environment, FiniteStates, FrozenLake, GridWorld, Taxi, TimeStep, cliff_walking};
use ermine_agent::mdp::{PolicyTable, ValueIteration, evaluate_exactly, evaluate_steps};
use ermine_agent::tabular::{
    ControlMethod, DecaySchedule, Exploration, PredictionMethod, StepSize, TabularAgent, TabularTraining, TrainingBudget,
    learning_curve, predict,
};
use ermine_core::{Result, RngStream};

fn agent(method: ControlMethod, alpha: f64) -> TabularAgent {
    TabularAgent {
        method,
        gamma: 1.0,
        alpha: StepSize::Constant(alpha),
        exploration: Exploration::EpsilonGreedy(DecaySchedule::Constant(0.1)),
        initial: 0.0,
    }
}

/// Steps of the greedy policy from the start of the cliff to the goal; none when it falls or turns in circles.
fn walk(training: &TabularTraining) -> Option<usize> {
    let mut world = cliff_walking(false).unwrap();
    let policy = training.greedy();
    let mut state = world.reset(Some(0));
    for steps in 1..100 {
        let step = world.step(policy[state]).unwrap();
        if step.terminated {
            return Some(steps);
        }
        if step.reward < -1.0 {
            return None;
        }
        state = step.observation;
    }
    None
}

/// Sutton and Barto, example 6.6: Q-learning finds the edge and falls while exploring; the on-policy methods keep away from it.
/// The frozen means are of 500 runs; a mean of 200 runs over a hundred episodes differs by less than 4 standard errors.
#[test]
fn sarsa_takes_the_safe_path_and_q_learning_the_edge() {
    let world = cliff_walking(false).unwrap();
    for (method, alpha, late, edge) in [
        (ControlMethod::QLearning, 0.5, -49.9, true),
        (ControlMethod::Sarsa, 0.5, -26.8, false),
        (ControlMethod::ExpectedSarsa, 0.5, -20.7, false),
        (ControlMethod::QLearning, 0.1, -49.2, true),
        (ControlMethod::Sarsa, 0.1, -22.8, false),
        (ControlMethod::ExpectedSarsa, 0.1, -22.1, false),
    ] {
        let (curve, runs) = learning_curve(&agent(method, alpha), &world, 500, 0..200).unwrap();
        let mean = curve.mean_over(400..500);
        // Episodes of a run are nearly independent: the error of the mean of a hundred is a tenth of one's, and the frozen figure
        // has its own.
        let error = curve.error[400..].iter().sum::<f64>() / 100.0 / 10.0;
        assert!((mean - late).abs() < 4.0 * error * 1.4f64.sqrt() + 0.05, "{method:?} {alpha}: {mean} for {late}, error {error}");
        let shortest = runs.iter().filter(|run| walk(run) == Some(13)).count();
        assert_eq!(shortest, if edge { 200 } else { 0 }, "{method:?} {alpha}");
        assert!(curve.low.iter().zip(&curve.high).all(|(low, high)| low <= high));
    }
}

#[test]
fn other_methods_learn_the_cliff() {
    let world = cliff_walking(false).unwrap();
    for method in [ControlMethod::DoubleQLearning, ControlMethod::NStepSarsa { n: 1 }, ControlMethod::NStepSarsa { n: 3 }] {
        let (curve, _) = learning_curve(&agent(method, 0.3), &world, 800, 0..40).unwrap();
        let mean = curve.mean_over(700..800);
        assert!(mean > -60.0, "{method:?}: {mean}");
    }
    // One step of n-step SARSA is SARSA.
    let train = |method| agent(method, 0.5).train(&mut world.clone(), TrainingBudget::Episodes(50), 3).unwrap();
    assert_eq!(train(ControlMethod::NStepSarsa { n: 1 }).values, train(ControlMethod::Sarsa).values);
}

/// Sutton and Barto, example 6.7: right ends with 0; left leads to a state whose ten actions all end with a normal reward of mean
/// -0.1. The largest of ten noisy values looks good, and it is not.
#[derive(Clone)]
struct TwoRooms {
    left: bool,
    noise: RngStream,
}

impl Environment for TwoRooms {
    type Observation = usize;
    fn reset(&mut self, seed: Option<u64>) -> usize {
        if let Some(seed) = seed {
            self.noise = RngStream::new(seed, "two rooms", 0);
        }
        self.left = false;
        0
    }
    fn step(&mut self, action: usize) -> Result<TimeStep<usize>> {
        if self.left {
            let reward = self.noise.normal() - 0.1;
            return Ok(TimeStep { observation: 1, reward, terminated: true, truncated: false });
        }
        // Half of the doors of the first room lead left.
        self.left = action < 5;
        Ok(TimeStep { observation: 1, reward: 0.0, terminated: !self.left, truncated: false })
    }
    fn actions(&self) -> usize {
        10
    }
    fn render(&self) -> String {
        if self.left { "left room\n".into() } else { "first room\n".into() }
    }
}

impl FiniteStates for TwoRooms {
    fn states(&self) -> usize {
        2
    }
}

#[test]
fn two_tables_do_not_believe_their_own_luck() {
    let world = TwoRooms { left: false, noise: RngStream::new(0, "two rooms", 0) };
    let share = |method, episodes: std::ops::Range<usize>| {
        let (_, runs) = learning_curve(&agent(method, 0.1), &world, 300, 0..1000).unwrap();
        let left = |run: &TabularTraining| run.lengths[episodes.clone()].iter().filter(|n| **n == 2).count();
        runs.iter().map(left).sum::<usize>() as f64 / (1000 * episodes.len()) as f64
    };
    let (single, double) = (share(ControlMethod::QLearning, 50..100), share(ControlMethod::DoubleQLearning, 50..100));
    assert!(single > 0.5 && double < 0.4 && single > double + 0.2, "{single} {double}");
    let late = share(ControlMethod::DoubleQLearning, 250..300);
    assert!(late < double, "{late} {double}");
}

fn taxi_value(training: &TabularTraining, taxi: &Taxi) -> f64 {
    let table = taxi.world().transitions();
    let policy = PolicyTable::certain(&training.greedy(), 6).unwrap();
    let values = evaluate_steps(table, &policy, 1.0, 200).unwrap();
    table.start().iter().zip(&values).map(|(p, v)| p * v).sum()
}

#[test]
fn taxi_is_learned_to_its_optimum() {
    let taxi = Taxi::new(None, None).unwrap();
    let agent = TabularAgent { gamma: 0.9, ..agent(ControlMethod::QLearning, 0.7) };
    let mean = |steps: u64| {
        let values: Vec<f64> = (0..20)
            .map(|seed| taxi_value(&agent.train(&mut taxi.clone(), TrainingBudget::Steps(steps), seed).unwrap(), &taxi))
            .collect();
        (values.iter().sum::<f64>() / 20.0, values.iter().filter(|v| **v > 7.93 - 1e-9).count())
    };
    let (early, _) = mean(100_000);
    let (late, optimal) = mean(1_000_000);
    assert!((early - 7.90).abs() < 0.05, "{early}");
    assert!((late - 7.929).abs() < 0.002, "{late}");
    assert!(optimal >= 14, "{optimal} of 20");
    assert!(late <= 7.93 + 1e-9);
}

#[test]
fn a_decaying_rate_solves_the_slippery_lake_and_every_exploration_does_its_part() {
    let world = FrozenLake::default().build().unwrap();
    let table = world.transitions();
    let value = |training: &TabularTraining| {
        let policy = PolicyTable::certain(&training.greedy(), 4).unwrap();
        evaluate_steps(table, &policy, 1.0, 100).unwrap()[0]
    };
    let base = TabularAgent {
        alpha: StepSize::Visits { power: 0.7 },
        exploration: Exploration::EpsilonGreedy(DecaySchedule::Linear { from: 1.0, to: 0.05, steps: 200_000 }),
        ..TabularAgent::default()
    };
    let optimistic =
        TabularAgent { initial: 1.0, exploration: Exploration::EpsilonGreedy(DecaySchedule::Constant(0.0)), ..base.clone() };
    let softmax = TabularAgent {
        exploration: Exploration::Softmax(DecaySchedule::Exponential { from: 1.0, to: 0.01, decay: 0.99998 }),
        ..base.clone()
    };
    let ucb = TabularAgent { exploration: Exploration::Ucb { c: 0.5 }, ..base.clone() };
    let double = TabularAgent { method: ControlMethod::DoubleQLearning, ..base.clone() };
    let monte_carlo =
        TabularAgent { method: ControlMethod::MonteCarlo { first_visit: true }, alpha: StepSize::Constant(0.01), ..base.clone() };
    for (name, agent, least) in [
        ("epsilon", base, 0.7),
        ("optimistic", optimistic, 0.6),
        ("softmax", softmax, 0.7),
        ("ucb", ucb, 0.7),
        ("double", double, 0.7),
        ("monte carlo", monte_carlo, 0.6),
    ] {
        let mut values: Vec<f64> =
            (0..5).map(|seed| value(&agent.train(&mut world.clone(), TrainingBudget::Steps(400_000), seed).unwrap())).collect();
        values.sort_by(f64::total_cmp);
        assert!(values[2] > least && values[4] <= 0.744191, "{name}: {values:?}");
    }
}

#[test]
fn predictions_come_to_the_exact_values() {
    let mut world = GridWorld::default().build().unwrap();
    let table = world.transitions().clone();
    let policy = PolicyTable::uniform(table.states(), 4);
    let truth = evaluate_exactly(&table, &policy, 0.9).unwrap().values;
    for method in [
        PredictionMethod::MonteCarlo { first_visit: true },
        PredictionMethod::MonteCarlo { first_visit: false },
        PredictionMethod::TemporalDifference { n: 1 },
        PredictionMethod::TemporalDifference { n: 4 },
    ] {
        let alpha = match method {
            PredictionMethod::MonteCarlo { .. } => StepSize::Visits { power: 1.0 },
            PredictionMethod::TemporalDifference { .. } => StepSize::Visits { power: 0.8 },
        };
        let estimate = predict(&mut world, &policy, method, 0.9, alpha, 0.0, 40_000, 1).unwrap();
        for (state, &visits) in estimate.visits.iter().enumerate().filter(|(_, v)| **v > 0) {
            let error = (estimate.values[state] - truth[state]).abs();
            assert!(error < 0.02, "{method:?}, state {state}: off by {error} after {visits} visits");
        }
    }
}

/// A corridor that never ends and pays 1 a step, with a clock.
#[derive(Clone)]
struct Corridor {
    steps: u32,
    reward: f64,
    ends: bool,
}

impl Environment for Corridor {
    type Observation = usize;
    fn reset(&mut self, _: Option<u64>) -> usize {
        self.steps = 0;
        0
    }
    fn step(&mut self, _: usize) -> Result<TimeStep<usize>> {
        self.steps += 1;
        let over = self.steps == 5;
        Ok(TimeStep { observation: 0, reward: self.reward, terminated: over && self.ends, truncated: over && !self.ends })
    }
    fn actions(&self) -> usize {
        1
    }
    fn render(&self) -> String {
        format!("step {}\n", self.steps)
    }
}

impl FiniteStates for Corridor {
    fn states(&self) -> usize {
        1
    }
}

/// One state that pays 1 for ever is worth 1/(1-γ), whatever the clock says; if the fifth step is the end, it is worth less.
#[test]
fn truncation_is_no_end_and_termination_is() {
    for method in [
        ControlMethod::Sarsa,
        ControlMethod::ExpectedSarsa,
        ControlMethod::QLearning,
        ControlMethod::DoubleQLearning,
        ControlMethod::NStepSarsa { n: 3 },
        ControlMethod::MonteCarlo { first_visit: false },
    ] {
        let agent = TabularAgent { method, gamma: 0.9, alpha: StepSize::Constant(0.1), ..TabularAgent::default() };
        let value = |ends| {
            let mut world = Corridor { steps: 0, reward: 1.0, ends };
            agent.train(&mut world, TrainingBudget::Episodes(3000), 0).unwrap().values[0]
        };
        assert!((value(false) - 10.0).abs() < 1e-3, "{method:?}: {}", value(false));
        assert!(value(true) < 6.0, "{method:?}: {}", value(true));
    }
    let mut world = Corridor { steps: 0, reward: 1.0, ends: false };
    let policy = PolicyTable::uniform(1, 1);
    for method in [PredictionMethod::TemporalDifference { n: 2 }, PredictionMethod::MonteCarlo { first_visit: false }] {
        let estimate = predict(&mut world, &policy, method, 0.9, StepSize::Constant(0.1), 0.0, 3000, 0).unwrap();
        assert!((estimate.values[0] - 10.0).abs() < 1e-3);
    }
}

#[test]
fn nonsense_is_refused() {
    let mut broken = Corridor { steps: 0, reward: f64::NAN, ends: true };
    for method in [ControlMethod::QLearning, ControlMethod::NStepSarsa { n: 2 }, ControlMethod::MonteCarlo { first_visit: true }]
    {
        let message = agent(method, 0.5).train(&mut broken, TrainingBudget::Episodes(1), 0).unwrap_err().to_string();
        assert!(message.contains("state 0, action 0") && message.contains("NaN"), "{message}");
    }
    let mut world = cliff_walking(false).unwrap();
    for bad in [
        agent(ControlMethod::QLearning, 0.0),
        agent(ControlMethod::QLearning, f64::NAN),
        agent(ControlMethod::NStepSarsa { n: 0 }, 0.5),
        TabularAgent { gamma: -0.1, ..TabularAgent::default() },
        TabularAgent { exploration: Exploration::EpsilonGreedy(DecaySchedule::Constant(1.5)), ..TabularAgent::default() },
        TabularAgent { exploration: Exploration::Softmax(DecaySchedule::Constant(0.0)), ..TabularAgent::default() },
        TabularAgent { initial: f64::INFINITY, ..TabularAgent::default() },
    ] {
        assert!(bad.train(&mut world, TrainingBudget::Episodes(1), 0).is_err(), "{bad:?}");
    }
    assert!(world.step(4).unwrap_err().to_string().contains("no action 4"));
    // Same seed, same table; another seed, another one.
    let train = |seed| {
        agent(ControlMethod::QLearning, 0.5).train(&mut cliff_walking(false).unwrap(), TrainingBudget::Steps(500), seed).unwrap()
    };
    assert_eq!(train(1), train(1));
    assert_ne!(train(1).values, train(2).values);
    let text = serde_json::to_string(&train(1)).unwrap();
    assert_eq!(serde_json::from_str::<TabularTraining>(&text).unwrap(), train(1));
    assert!(ValueIteration::default().solve(world.transitions()).is_ok());
}
