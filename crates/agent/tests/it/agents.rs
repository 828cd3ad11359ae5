//! Agents by name: learning, resuming, files, and invalid input.

use ermine_agent::bandit::{PolicyService, RewardRange};
use ermine_agent::env::{AnyObservation, Environment, ObservationSpace, make};
use ermine_agent::mdp::{PolicyTable, evaluate_steps};
use ermine_agent::rl::{AGENTS, LearnedState, TrainedAgent, TrainedOn, evaluate, named, play, train, train_seeds, tuned};
use ermine_agent::tabular::{LearningCurve, TrainingBudget};
use ermine_core::{Context, Error, Flow, Progress, file};
use serde_json::{Map, Value, json};

const DEEP: [&str; 4] = ["dqn", "double-dqn", "reinforce", "actor-critic"];

fn params(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

fn trained(agent: &str, environment: &str, budget: TrainingBudget, seed: u64) -> TrainedAgent {
    let env = make(environment, &Map::new()).unwrap();
    train(&named(agent, &tuned(agent, environment).0).unwrap(), &env, None, budget, &Context::seeded(seed)).unwrap()
}

/// Exact return of the greedy policy on a table, over the steps of an episode.
fn exact(agent: &TrainedAgent, steps: usize) -> f64 {
    let env = agent.environment().unwrap();
    let table = env.transitions().unwrap();
    let policy = PolicyTable::certain(&agent.table().unwrap().greedy(), env.actions()).unwrap();
    let values = evaluate_steps(table, &policy, 1.0, steps).unwrap();
    table.start().iter().zip(&values).map(|(p, v)| p * v).sum()
}

/// With the recommended parameters and steps of an environment, agents come near the optimum: Taxi 7.93, the cliff -13
/// for methods that learn the best path, the slippery lake 0.74 within a hundred steps.
#[test]
fn tuned_agents_learn_what_is_known() {
    for (agent, environment, steps, least, most) in [
        ("q-learning", "taxi", 200, 7.8, 7.93),
        ("sarsa", "taxi", 200, 7.0, 7.93),
        ("expected-sarsa", "taxi", 200, 7.0, 7.93),
        ("double-q-learning", "taxi", 200, 6.0, 7.93),
        ("q-learning", "cliff-walking", 100, -13.0, -13.0),
        ("sarsa", "cliff-walking", 100, -17.0, -15.0),
        ("q-learning", "frozen-lake", 100, 0.70, 0.7402),
        ("double-q-learning", "frozen-lake", 100, 0.65, 0.7402),
    ] {
        let budget = TrainingBudget::Steps(tuned(agent, environment).1);
        let mut returns: Vec<f64> = (0..3).map(|seed| exact(&trained(agent, environment, budget, seed), steps)).collect();
        returns.sort_by(f64::total_cmp);
        assert!(returns[1] >= least - 1e-9 && returns[2] <= most + 1e-4, "{agent} on {environment}: {returns:?}");
    }
}

#[test]
fn an_evaluation_is_the_exact_value_within_its_error() {
    let agent = trained("q-learning", "frozen-lake", TrainingBudget::Steps(400_000), 1);
    let env = agent.environment().unwrap();
    let truth = exact(&agent, 100);
    let returns = evaluate(&env, |seen| agent.act(seen), 4000, &Context::seeded(3)).unwrap();
    assert!((returns.mean - truth).abs() < 4.0 * returns.sd / 4000f64.sqrt(), "{} for {truth}", returns.mean);
    assert_eq!(returns, evaluate(&env, |seen| agent.act(seen), 4000, &Context::seeded(3)).unwrap());
    assert!(evaluate(&env, |seen| agent.act(seen), 0, &Context::default()).is_err());
    // An episode with frames: the start and every step.
    let film = play(&mut env.clone(), |seen| agent.act(seen), Some(1), 50, true).unwrap();
    assert_eq!(film.frames.len() as u64, film.steps + 1);
    assert!(film.frames[0].contains("[S]"), "{}", film.frames[0]);
}

#[test]
fn agents_go_on_from_where_they_were_and_seeds_are_told_apart() {
    let tables = AGENTS.iter().map(|e| e.spec.name).filter(|n| !DEEP.contains(n));
    for entry in tables {
        let env = make("frozen-lake", &Map::new()).unwrap();
        let agent = named(entry, &Map::new()).unwrap();
        let cx = Context::seeded(4);
        let first = train(&agent, &env, None, TrainingBudget::Steps(3_000), &cx).unwrap();
        let back = TrainedAgent::from_bytes(first.to_bytes().unwrap()).unwrap();
        assert_eq!(first, back, "{entry}");
        assert_eq!(first.to_bytes().unwrap(), back.to_bytes().unwrap());
        let (more, again) = (
            train(&agent, &env, Some(&first), TrainingBudget::Steps(2_000), &cx).unwrap(),
            train(&agent, &env, Some(&back), TrainingBudget::Steps(2_000), &cx).unwrap(),
        );
        assert_eq!(more, again, "{entry}: from memory or from a file");
        assert_eq!(more.steps(), 5_000);
        assert!(more.episodes().0.len() > first.episodes().0.len());
        assert_eq!(more.episodes().0[..first.episodes().0.len()], *first.episodes().0);
        let seeds = train_seeds(&agent, &env, TrainingBudget::Episodes(20), 4..6, &cx).unwrap();
        assert_eq!((seeds[0].seed, seeds[1].seed), (4, 5));
        assert_ne!(seeds[0].episodes(), seeds[1].episodes(), "{entry}");
        let runs: Vec<(&[f64], &[u64])> = seeds.iter().map(TrainedAgent::episodes).collect();
        let curve = LearningCurve::by_steps(&runs, 10);
        assert!(curve.mean.len() == 10 && curve.low.iter().zip(&curve.high).all(|(a, b)| a <= b || a.is_nan()));
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let agent = named("q-learning", &Map::new()).unwrap();
    let cart = make("cartpole", &Map::new()).unwrap();
    let message = train(&agent, &cart, None, TrainingBudget::Steps(10), &Context::default()).unwrap_err().to_string();
    assert!(message.contains("table of states") && message.contains("cartpole"), "{message}");
    let lake = trained("q-learning", "frozen-lake", TrainingBudget::Steps(100), 0);
    let taxi = make("taxi", &Map::new()).unwrap();
    assert!(train(&agent, &taxi, Some(&lake), TrainingBudget::Steps(10), &Context::default()).is_err());
    assert!(lake.act(&AnyObservation::State(16)).unwrap_err().to_string().contains("no state 16"));
    assert!(lake.act(&AnyObservation::from([0.0f32; 4])).is_err());
    for (name, given, says) in [
        ("q-lerning", json!({}), "q-learning"),
        ("q-learning", json!({"alpha": 0}), "alpha"),
        ("q-learning", json!({"gamma": 1.5}), "gamma"),
        ("q-learning", json!({"n": 3}), "n"),
        ("n-step-sarsa", json!({"n": 0}), "n"),
        ("sarsa", json!({"exploration": "curiosity"}), "epsilon-greedy"),
        ("sarsa", json!({"exploration": "softmax", "temperature": 0}), "temperature"),
    ] {
        let message = named(name, &params(given)).unwrap_err().to_string();
        assert!(message.contains(says), "{name}: {message}");
    }
    // Training can be stopped, and an endless episode of a method that learns at the end is an error.
    let stop = |_: &Progress| Flow::Stop;
    let cx = Context { observer: Some(&stop), ..Context::default() };
    assert!(matches!(train(&agent, &taxi, None, TrainingBudget::Steps(100_000), &cx), Err(Error::Stopped(_))));
    let walls = make("grid-world", &params(json!({"map": "S#G", "slip": 0.0}))).unwrap();
    let waits = named("monte-carlo", &Map::new()).unwrap();
    let message = train(&waits, &walls, None, TrainingBudget::Episodes(1), &Context::default()).unwrap_err().to_string();
    assert!(message.contains("has not ended") && message.contains("limit"), "{message}");
}

/// Files that are cut, edited or made of parts that do not fit are errors, never panics and never agents.
#[test]
fn damaged_and_edited_files_are_refused() {
    let agent = trained("double-q-learning", "frozen-lake", TrainingBudget::Steps(500), 0);
    let bytes = agent.to_bytes().unwrap();
    for cut in (0..bytes.len()).step_by(7) {
        assert!(TrainedAgent::from_bytes(bytes[..cut].to_vec()).is_err(), "cut at {cut}");
    }
    for at in (0..bytes.len()).step_by(11) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        assert!(TrainedAgent::from_bytes(flipped).is_err(), "flipped at {at}");
    }
    // Behind the hash: digits of the header changed one by one are refused or read, and what is read acts.
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    for at in (8..header).filter(|&at| bytes[at].is_ascii_digit()) {
        let mut edited = bytes.clone();
        edited[at] = b'0' + (bytes[at] - b'0' + 1) % 10;
        if file::fix_hash(&mut edited).is_ok()
            && let Ok(read) = TrainedAgent::from_bytes(edited)
            && let ObservationSpace::States(states) = read.space
        {
            for state in 0..states {
                assert!(read.act(&AnyObservation::State(state)).is_ok_and(|a| a < read.actions.len()));
            }
        }
    }
    let served = PolicyService::new("ucb1", &Map::new(), vec!["a".into()], None, 0, Some(RewardRange::default()), 0).unwrap();
    assert!(TrainedAgent::from_bytes(served.to_bytes().unwrap()).unwrap_err().to_string().contains("not an agent"));
    assert!(PolicyService::from_bytes(bytes).unwrap_err().to_string().contains("not a bandit policy"));
    // A table for another number of states does not come back.
    let mut table = agent.table().unwrap().clone();
    table.values.pop();
    let remade = |place: TrainedOn, learned: LearnedState| {
        TrainedAgent::new(&agent.agent, place, agent.space.clone(), agent.actions.clone(), 0, learned)
    };
    assert!(remade(agent.place.clone(), LearnedState::Table(table)).is_err());
    let elsewhere = remade(TrainedOn::External { name: "Maze-v0".into() }, agent.learned().clone()).unwrap();
    let back = TrainedAgent::from_bytes(elsewhere.to_bytes().unwrap()).unwrap();
    assert!(back.environment().unwrap_err().to_string().contains("Maze-v0"));
}

/// A trained network is saved, resumed, and read back to the bit; the same seed gives the same network.
#[test]
fn networks_learn_are_kept_and_go_on() {
    let env = make("cartpole", &Map::new()).unwrap();
    for name in DEEP {
        let agent = named(name, &params(json!({"net_arch": [32], "evaluate_every": 500, "evaluate_episodes": 3}))).unwrap();
        let cx = Context::seeded(2);
        let first = train(&agent, &env, None, TrainingBudget::Steps(3_000), &cx).unwrap();
        assert_eq!(first, train(&agent, &env, None, TrainingBudget::Steps(3_000), &cx).unwrap(), "{name}");
        assert_ne!(
            first.network().unwrap().network,
            train(&agent, &env, None, TrainingBudget::Steps(3_000), &Context::seeded(3)).unwrap().network().unwrap().network
        );
        let network = first.network().unwrap();
        assert!(network.steps >= 3_000 && network.judged.len() >= 6, "{name}: {:?}", network.judged);
        // The result is the best evaluated network.
        let best = network.judged.iter().map(|j| j.1).fold(f64::NEG_INFINITY, f64::max);
        let kept = network.judged.iter().find(|j| j.0 == network.taken_at).unwrap();
        assert_eq!(kept.1, best, "{name}");
        let back = TrainedAgent::from_bytes(first.to_bytes().unwrap()).unwrap();
        assert_eq!(first, back);
        let seen = AnyObservation::from([0.01f32, -0.2, 0.03, 0.4]);
        assert_eq!(first.action_values(&seen).unwrap(), back.action_values(&seen).unwrap());
        let more = train(&agent, &env, Some(&back), TrainingBudget::Steps(500), &cx).unwrap();
        assert!(more.steps() >= first.steps() + 500);
        assert!(first.act(&AnyObservation::State(0)).is_err() && first.values_of(&[0.0; 3]).is_err());
    }
    // Numbered states reach a network as a 1 among zeros.
    let lake = make("frozen-lake", &params(json!({"is_slippery": false}))).unwrap();
    let agent = named("dqn", &params(json!({"learning_starts": 200, "explore_steps": 4000, "stop_at": 1.0}))).unwrap();
    let trained = train(&agent, &lake, None, TrainingBudget::Steps(20_000), &Context::seeded(0)).unwrap();
    assert_eq!(evaluate(&lake, |seen| trained.act(seen), 5, &Context::default()).unwrap().mean, 1.0);
    // A network behind which there is another agent, or none, does not come back.
    let table = named("q-learning", &Map::new()).unwrap();
    let learned = trained.learned().clone();
    assert!(
        TrainedAgent::new(&table, trained.place.clone(), trained.space.clone(), trained.actions.clone(), 0, learned).is_err()
    );
    let stop = |_: &Progress| Flow::Stop;
    let cx = Context { observer: Some(&stop), ..Context::default() };
    assert!(matches!(train(&agent, &lake, None, TrainingBudget::Steps(5_000), &cx), Err(Error::Stopped(_))));
}

/// A corridor of five cells, one step per cell to the right, whose end pays 1: with a discount of 0.5 the first cell is
/// worth 1/8. Truncation after three steps does not change the values.
#[test]
fn values_of_a_network_are_those_of_the_world() {
    for limit in [Value::from(3), Value::Null] {
        let world = params(json!({"map": "S...G", "slip": 0.0, "step": 0.0, "max_episode_steps": limit}));
        let env = make("grid-world", &world).unwrap();
        let settings = json!({"gamma": 0.5, "learning_starts": 100, "epsilon_start": 1.0, "epsilon": 1.0, "target_update_interval": 100,
                           "learning_rate": 0.003, "train_freq": 1, "gradient_steps": 1, "evaluate_every": null});
        let dqn = named("dqn", &params(settings)).unwrap();
        // Three steps do not reach the end from the first cell alone, so that the clock case starts anywhere.
        let env = match limit {
            Value::Null => env,
            _ => make("grid-world", &params(json!({"map": "....G", "slip": 0.0, "step": 0.0, "max_episode_steps": 3}))).unwrap(),
        };
        let trained = train(&dqn, &env, None, TrainingBudget::Steps(12_000), &Context::seeded(1)).unwrap();
        for (cell, value) in [(3, 1.0), (2, 0.5), (1, 0.25), (0, 0.125)] {
            // Action 1 goes right.
            let learned = trained.action_values(&AnyObservation::State(cell)).unwrap()[1];
            assert!((learned - value).abs() < 0.05, "cell {cell}: {learned} for {value}, limit {limit}");
        }
    }
}
