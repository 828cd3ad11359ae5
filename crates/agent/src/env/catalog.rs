//! Environments by name, with Gymnasium's names for their parameters.

use ermine_core::{Error, Family, ParamSpec, Range, Result, Spec};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Acrobot, AnyEnvironment, Blackjack, BlackjackRules, CartPole, EnvKind, FrozenLake, GridWorld, MountainCar, Taxi,
    cliff_walking,
};
use crate::catalog::{CatalogEntry, blank, find, param};

const ENVIRONMENT: Spec = blank(Family::Environment);

const STEPS: Range = Range::Int { min: 1, max: u32::MAX as i64 };

const LIMIT: ParamSpec = param(
    "max_episode_steps",
    "Steps after which an episode is cut short: \"usual\" is Gymnasium's limit, null none.",
    Range::Either(&Range::Choice(&["usual"]), &Range::Optional(&STEPS)),
);

/// The environments that can be chosen by name.
pub const ENVIRONMENTS: &[CatalogEntry] = &[
    CatalogEntry {
        spec: Spec {
            name: "cartpole",
            summary: "Balance a pole on a cart by pushing left or right.",
            objective: "1 per step until the pole is 12 degrees or the cart 2.4 off",
            reference: "Barto, Sutton, Anderson 1983",
            params: &[param("sutton_barto_reward", "0 per step and -1 for the fall, instead of 1 per step.", Range::Bool), LIMIT],
            ..ENVIRONMENT
        },
        defaults: || json!({"sutton_barto_reward": false, "max_episode_steps": "usual"}),
    },
    CatalogEntry {
        spec: Spec {
            name: "mountain-car",
            summary: "Swing a car with a weak engine out of a valley.",
            objective: "-1 per step until the flag at 0.5",
            reference: "Moore 1990",
            params: &[LIMIT],
            ..ENVIRONMENT
        },
        defaults: || json!({"max_episode_steps": "usual"}),
    },
    CatalogEntry {
        spec: Spec {
            name: "acrobot",
            summary: "Swing two links up, with a motor between them.",
            objective: "-1 per step until the tip is a link above the bar",
            reference: "Sutton 1996",
            params: &[LIMIT],
            ..ENVIRONMENT
        },
        defaults: || json!({"max_episode_steps": "usual"}),
    },
    CatalogEntry {
        spec: Spec {
            name: "frozen-lake",
            summary: "Over slippery ice to the goal, without falling into a hole.",
            objective: "1 at the goal, 0 elsewhere",
            reference: "OpenAI Gym 2016",
            params: &[
                param("map_name", "The map.", Range::Choice(&["4x4", "8x8"])),
                param(
                    "desc",
                    "A user-defined map, one line per row: S start, F frozen, H hole, G goal.",
                    Range::Optional(&Range::Text),
                ),
                param("is_slippery", "Whether steps may go to either side.", Range::Bool),
                param("success_rate", "Probability of the intended direction on slippery ice.", Range::SHARE),
                param("reward_schedule", "Rewards of the goal, a hole, any other cell.", Range::List(&Range::FINITE)),
                LIMIT,
            ],
            ..ENVIRONMENT
        },
        defaults: || json!({"map_name": "4x4", "desc": null, "is_slippery": true, "success_rate": 0.3333333333333333, "reward_schedule": [1.0, 0.0, 0.0], "max_episode_steps": "usual"}),
    },
    CatalogEntry {
        spec: Spec {
            name: "cliff-walking",
            summary: "Along a cliff: at its edge or at a safe distance.",
            objective: "-1 per step, -100 and back to the start for the cliff",
            reference: "Sutton, Barto 2018, example 6.6",
            params: &[param("is_slippery", "Whether steps may go to either side.", Range::Bool), LIMIT],
            ..ENVIRONMENT
        },
        defaults: || json!({"is_slippery": false, "max_episode_steps": "usual"}),
    },
    CatalogEntry {
        spec: Spec {
            name: "taxi",
            summary: "Fetch a passenger at one of four pads and deliver at another.",
            objective: "-1 per step, -10 for a wrong pick-up or drop, 20 for the delivery",
            reference: "Dietterich 2000",
            params: &[
                param("is_rainy", "Moves go astray with probability 0.2.", Range::Bool),
                param("fickle_passenger", "The passenger may change the destination once.", Range::Bool),
                LIMIT,
            ],
            ..ENVIRONMENT
        },
        defaults: || json!({"is_rainy": false, "fickle_passenger": false, "max_episode_steps": "usual"}),
    },
    CatalogEntry {
        spec: Spec {
            name: "blackjack",
            summary: "Draw cards up to 21, against a dealer who stops at 17.",
            objective: "1 for a win, 0 for a draw, -1 for a loss",
            reference: "Sutton, Barto 2018, example 5.1",
            params: &[
                param("natural", "A natural that wins pays 1.5; only without sab.", Range::Bool),
                param("sab", "The book's rules: a natural wins unless the dealer has one too.", Range::Bool),
            ],
            ..ENVIRONMENT
        },
        defaults: || json!({"natural": false, "sab": true}),
    },
    CatalogEntry {
        spec: Spec {
            name: "grid-world",
            summary: "A user-defined map: S start, . floor, # wall, G goal, X pit.",
            objective: "rewards for a step, the goal and a pit",
            reference: "Russell, Norvig 1995",
            params: &[
                param("map", "The map, one line per row.", Range::Text),
                param("slip", "Probability to go to either side of the intended direction, half each.", Range::SHARE),
                param("step", "Reward of a step.", Range::FINITE),
                param("goal", "Reward of a goal, in place of that of the step.", Range::FINITE),
                param("pit", "Reward of a pit, in place of that of the step.", Range::FINITE),
                LIMIT,
            ],
            ..ENVIRONMENT
        },
        defaults: || json!({"map": "...G\n.#.X\nS...", "slip": 0.2, "step": -0.04, "goal": 1.0, "pit": -1.0, "max_episode_steps": "usual"}),
    },
];

/// Reference facts about an environment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnvInfo {
    /// Its name in Gymnasium.
    pub gymnasium: Option<&'static str>,
    /// Gymnasium's step limit.
    pub limit: Option<u32>,
    /// The mean return from which it counts as solved. Taxi's is the exact optimum, 7.93: the 8 of Gymnasium's registry
    /// cannot be reached.
    pub solved: Option<f64>,
}

/// Reference facts about an environment.
pub fn env_info(name: &str, params: &Map<String, Value>) -> EnvInfo {
    let (gymnasium, limit, solved) = match name {
        "cartpole" => (Some("CartPole-v1"), Some(500), Some(475.0)),
        "mountain-car" => (Some("MountainCar-v0"), Some(200), Some(-110.0)),
        "acrobot" => (Some("Acrobot-v1"), Some(500), Some(-100.0)),
        "frozen-lake" if params.get("map_name").and_then(Value::as_str) == Some("8x8") => {
            (Some("FrozenLake8x8-v1"), Some(200), Some(0.85))
        }
        "frozen-lake" => (Some("FrozenLake-v1"), Some(100), Some(0.70)),
        "cliff-walking" => (Some("CliffWalking-v1"), None, None),
        "taxi" => (Some("Taxi-v4"), Some(200), Some(7.93)),
        "blackjack" => (Some("Blackjack-v1"), None, None),
        _ => (None, None, None),
    };
    EnvInfo { gymnasium, limit, solved }
}

/// The entry of an environment; an unknown name is answered with the nearest.
pub fn environment_entry(name: &str) -> Result<&'static CatalogEntry> {
    find("environment", name, ENVIRONMENTS)
}

/// The parameters of all environments; those that one does not have are unset.
#[derive(Default, Deserialize)]
#[serde(default)]
struct EnvParams {
    sutton_barto_reward: bool,
    max_episode_steps: Value,
    map_name: String,
    desc: Option<String>,
    is_slippery: bool,
    success_rate: f64,
    reward_schedule: Vec<f64>,
    is_rainy: bool,
    fickle_passenger: bool,
    natural: bool,
    sab: bool,
    map: String,
    slip: f64,
    step: f64,
    goal: f64,
    pit: f64,
}

/// The environment called `name` with the given parameters.
pub fn make(name: &str, params: &Map<String, Value>) -> Result<AnyEnvironment> {
    let entry = environment_entry(name)?;
    let params = entry.complete(params)?;
    let p: EnvParams = entry.read(&params)?;
    let limit = match &p.max_episode_steps {
        Value::String(_) => env_info(name, &params).limit,
        other => other.as_u64().map(|n| n as u32),
    };
    let world = match name {
        "cartpole" => EnvKind::CartPole(CartPole::new(limit, p.sutton_barto_reward)),
        "mountain-car" => EnvKind::MountainCar(MountainCar::new(limit)),
        "acrobot" => EnvKind::Acrobot(Acrobot::new(limit)),
        "frozen-lake" => {
            let usual = if p.map_name == "8x8" { FrozenLake::large() } else { FrozenLake::default() };
            let rewards = <[f64; 3]>::try_from(&p.reward_schedule[..]).map_err(|_| {
                let schedule = Value::from(p.reward_schedule.clone());
                Error::parameter(
                    entry.spec.name,
                    "reward_schedule",
                    schedule,
                    "it must be three numbers: goal, hole, any other cell",
                )
            })?;
            let lake = FrozenLake {
                map: p.desc.unwrap_or(usual.map),
                slippery: p.is_slippery,
                success_rate: p.success_rate,
                rewards,
                limit,
            };
            EnvKind::Table(lake.build()?)
        }
        "cliff-walking" => EnvKind::Table(cliff_walking(p.is_slippery)?.with_limit(limit)),
        "taxi" => {
            let taxi = Taxi::new(p.is_rainy.then_some(0.8), p.fickle_passenger.then_some(0.3))?;
            EnvKind::Taxi(taxi.with_limit(limit))
        }
        "blackjack" => EnvKind::Blackjack(Blackjack::new(match (p.sab, p.natural) {
            (true, _) => BlackjackRules::Book,
            (false, true) => BlackjackRules::Bonus,
            (false, false) => BlackjackRules::Plain,
        })),
        "grid-world" => {
            let grid = GridWorld { map: p.map, slip: p.slip, step: p.step, goal: p.goal, pit: p.pit, limit };
            EnvKind::Table(grid.build()?)
        }
        _ => return Err(Error::Data(format!("{name} is in the list of environments and cannot be made"))),
    };
    Ok(AnyEnvironment { name: name.to_owned(), params, world })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::{AnyObservation, Environment, NumericStates, ObservationSpace};

    #[test]
    fn every_environment_of_the_list_can_be_made_and_stepped() {
        for entry in ENVIRONMENTS {
            let mut env = make(entry.spec.name, &Map::new()).unwrap();
            let mut out = vec![0.0; env.numbers()];
            let seen = env.reset(Some(1));
            env.write(&seen, &mut out);
            match (env.space(), seen) {
                (ObservationSpace::States(n), AnyObservation::State(s)) => {
                    assert!(s < n && out[s] == 1.0 && out.iter().sum::<f32>() == 1.0)
                }
                (ObservationSpace::Numbers(n), AnyObservation::Numbers(v)) => assert!(v.len() == n && out == v[..]),
                other => panic!("{}: {other:?}", entry.spec.name),
            }
            assert_eq!(env.action_names().len(), env.actions());
            assert_eq!(env.limits().is_some(), matches!(env.space(), ObservationSpace::Numbers(_)));
            env.step(0).unwrap();
            assert!(!env.render().is_empty());
        }
        let made = |name: &str, params: Value| make(name, params.as_object().unwrap());
        let mut short = made("cartpole", json!({"max_episode_steps": 3})).unwrap();
        short.reset(Some(0));
        assert_eq!((0..3).map(|i| short.step(i % 2).unwrap().truncated).collect::<Vec<_>>(), [false, false, true]);
        assert_eq!(made("frozen-lake", json!({"map_name": "8x8"})).unwrap().space(), ObservationSpace::States(64));
        assert_eq!(made("frozen-lake", json!({"desc": "SG"})).unwrap().space(), ObservationSpace::States(2));
        for (name, params, says) in [
            ("cart-pole", json!({}), "cartpole"),
            ("cartpole", json!({"max_episode_steps": 0}), "max_episode_steps"),
            ("frozen-lake", json!({"reward_schedule": [1.0]}), "three numbers"),
            ("frozen-lake", json!({"desc": "SQ"}), "\"Q\""),
            ("grid-world", json!({"slip": 2.0}), "slip"),
            ("taxi", json!({"rain": true}), "is_rainy"),
        ] {
            let error = made(name, params).unwrap_err().to_string();
            assert!(error.contains(says), "{name}: {error}");
        }
        assert!(made("taxi", json!({"fickle_passenger": true})).unwrap().transitions().is_none());
    }
}
