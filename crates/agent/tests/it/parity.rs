//! The environments go through Gymnasium's states, bit for bit: `fixtures/agent/trajectories.json`, whose maker stands beside it.
//! Sines, cosines and powers are the system library's there and here, so equality is asked where the library is the same.
#![cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]

use ermine_agent::env::{
    Acrobot, Blackjack, BlackjackRules, CartPole, CartPoleVec, Environment, FrozenLake, MountainCar, TabularEnv, Taxi,
    cliff_walking,
};
use ermine_agent::mdp::Transitions;
use ermine_agent::numpy_rng::NumpyRng;
use serde_json::Value;

struct Digest(u64);

impl Digest {
    fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    fn add(&mut self, numbers: impl IntoIterator<Item = f64>) {
        for x in numbers {
            self.0 = (self.0 ^ x.to_bits()).wrapping_mul(0x0100_0000_01B3);
        }
    }

    fn hex(&self) -> String {
        format!("{:016x}", self.0)
    }
}

fn book() -> Value {
    ermine_fixtures::json("agent/trajectories.json")
}

/// The numbers of a state and an observation, as the maker writes them down.
type ToNumbers<E> = fn(&E, &<E as Environment>::Observation) -> Vec<f64>;

fn drive<E: Environment>(env: &mut E, numbers: ToNumbers<E>, seed: u64, steps: usize, digest: &mut Digest) {
    let mut actions = NumpyRng::new(1_000_000 + seed);
    let seen = env.reset(Some(seed));
    digest.add(numbers(env, &seen));
    for _ in 0..steps {
        let action = (actions.random() * env.actions() as f64) as usize;
        let step = env.step(action).unwrap();
        digest.add([action as f64]);
        digest.add(numbers(env, &step.observation));
        digest.add([step.reward, f64::from(step.terminated), f64::from(step.truncated)]);
        if step.done() {
            let seen = env.reset(None);
            digest.add(numbers(env, &seen));
        }
    }
}

fn same<E: Environment>(book: &Value, name: &str, mut env: E, numbers: ToNumbers<E>) {
    let case = book["cases"].as_array().unwrap().iter().find(|c| c["environment"] == name).unwrap();
    // The first steps in full, so that a difference can be looked at.
    let hex = |numbers: &Value| -> Vec<f64> { numbers.as_array().unwrap().iter().map(|n| parse(n.as_str().unwrap())).collect() };
    let seen = env.reset(Some(123));
    assert_eq!(numbers(&env, &seen), hex(&case["first"][0]["reset"]), "{name}");
    for entry in &case["first"].as_array().unwrap()[1..] {
        let step = env.step(entry["action"].as_u64().unwrap() as usize).unwrap();
        let mut actual = numbers(&env, &step.observation);
        actual.push(step.reward);
        assert_eq!(actual, hex(&entry["numbers"]), "{name}");
        if step.done() {
            env.reset(None);
        }
    }
    let (steps, block) = (book["steps"].as_u64().unwrap() as usize, book["block"].as_u64().unwrap());
    for (at, expected) in (0..).zip(case["digests"].as_array().unwrap()) {
        let mut digest = Digest::new();
        (at * block..(at + 1) * block).for_each(|seed| drive(&mut env, numbers, seed, steps, &mut digest));
        assert_eq!(digest.hex(), expected.as_str().unwrap(), "{name}, seeds from {}", at * block);
    }
}

/// Reads Python's float.hex().
fn parse(text: &str) -> f64 {
    let (sign, text) = text.strip_prefix('-').map_or((1.0, text), |t| (-1.0, t));
    let (mantissa, exponent) = text.strip_prefix("0x").unwrap().split_once('p').unwrap();
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).unwrap() as f64;
    sign * digits * 2f64.powi(exponent.parse::<i32>().unwrap() - 4 * fraction.len() as i32)
}

fn cell(_: &TabularEnv, state: &usize) -> Vec<f64> {
    vec![*state as f64]
}

fn hand(_: &Blackjack, state: &usize) -> Vec<f64> {
    let (sum, dealer, ace) = Blackjack::decode(*state);
    vec![sum as f64, dealer as f64, f64::from(ace)]
}

fn both(state: &[f64], seen: &[f32]) -> Vec<f64> {
    state.iter().copied().chain(seen.iter().map(|&v| f64::from(v))).collect()
}

fn lake_with_a_map() -> FrozenLake {
    FrozenLake { map: "SFFFF\nFHFFH\nFFFHG".into(), success_rate: 0.75, rewards: [10.0, -5.0, -0.5], ..FrozenLake::default() }
}

#[test]
fn tables_and_walks_are_gymnasium_s() {
    let book = book();
    let dry = FrozenLake { slippery: false, ..FrozenLake::default() };
    same(&book, "frozen-lake-4x4", FrozenLake::default().build().unwrap(), cell);
    same(&book, "frozen-lake-8x8", FrozenLake::large().build().unwrap(), cell);
    same(&book, "frozen-lake-dry", dry.build().unwrap(), cell);
    same(&book, "frozen-lake-map", lake_with_a_map().build().unwrap(), cell);
    same(&book, "cliff-walking", cliff_walking(false).unwrap(), cell);
    same(&book, "cliff-walking-slippery", cliff_walking(true).unwrap(), cell);
    same(&book, "taxi", Taxi::new(None, None).unwrap(), |_, s| vec![*s as f64]);
    same(&book, "taxi-rainy-fickle", Taxi::new(Some(0.8), Some(0.3)).unwrap(), |_, s| vec![*s as f64]);
    same(&book, "blackjack", Blackjack::new(BlackjackRules::Book), hand);
    same(&book, "blackjack-natural", Blackjack::new(BlackjackRules::Bonus), hand);
}

#[test]
fn transition_tables_are_gymnasium_s() {
    let book = book();
    let check = |name: &str, table: &Transitions| {
        let mut digest = Digest::new();
        for state in 0..table.states() {
            for action in 0..table.actions() {
                for o in table.outcomes(state, action) {
                    digest.add([o.probability, o.next as f64, o.reward, f64::from(o.terminated)]);
                }
            }
        }
        digest.add(table.start().iter().copied());
        assert_eq!(digest.hex(), book["tables"][name].as_str().unwrap(), "{name}");
    };
    check("frozen-lake-4x4", FrozenLake::default().build().unwrap().transitions());
    check("frozen-lake-8x8", FrozenLake::large().build().unwrap().transitions());
    check("frozen-lake-map", lake_with_a_map().build().unwrap().transitions());
    check("cliff-walking", cliff_walking(false).unwrap().transitions());
    check("cliff-walking-slippery", cliff_walking(true).unwrap().transitions());
    check("taxi", Taxi::new(None, None).unwrap().world().transitions());
    check("taxi-rainy-fickle", Taxi::new(Some(0.8), None).unwrap().world().transitions());
}

#[test]
fn motions_are_gymnasium_s() {
    let book = book();
    same(&book, "cartpole", CartPole::default(), |e, o| both(&e.state(), o));
    same(&book, "cartpole-short", CartPole::new(Some(200), true), |e, o| both(&e.state(), o));
    same(&book, "mountain-car", MountainCar::default(), |e, o| both(&e.state(), o));
    same(&book, "acrobot", Acrobot::default(), |e, o| both(&e.state(), o));
}

#[test]
fn carts_side_by_side_are_gymnasium_s_and_the_fast_ones_stay_close() {
    for case in book()["vector"].as_array().unwrap() {
        let width = case["width"].as_u64().unwrap() as usize;
        let (mut exact, mut fast) = (CartPoleVec::new(width, true).unwrap(), CartPoleVec::new(width, false).unwrap());
        let mut draws = NumpyRng::new(1_000_000);
        let mut digest = Digest::new();
        let seed = case["seed"].as_u64();
        exact.reset(seed);
        fast.reset(seed);
        let numbers = |carts: &CartPoleVec| {
            let state = carts.state().iter().flatten().copied();
            state.chain(carts.observations().iter().map(|&v| f64::from(v))).collect::<Vec<_>>()
        };
        digest.add(numbers(&exact));
        for _ in 0..case["steps"].as_u64().unwrap() {
            let actions: Vec<u8> = (0..width).map(|_| (draws.random() * 2.0) as u8).collect();
            exact.step(&actions).unwrap();
            fast.step(&actions).unwrap();
            digest.add(actions.iter().map(|&a| f64::from(a)));
            digest.add(numbers(&exact));
            digest.add(exact.rewards().iter().map(|&r| f64::from(r)));
            digest.add(exact.terminated().iter().map(|&t| f64::from(t)));
            digest.add(exact.truncated().iter().map(|&t| f64::from(t)));
            assert_eq!(exact.terminated(), fast.terminated());
            for (a, b) in exact.state().iter().flatten().zip(fast.state().iter().flatten()) {
                assert!((a - b).abs() <= 1e-12 * (1.0 + a.abs()), "{a} {b}");
            }
        }
        assert_eq!(digest.hex(), case["digest"].as_str().unwrap(), "width {width}");
    }
}
