//! Agents by name.

use ermine_core::{Error, ParamSpec, Range, Result};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::catalogue::{Entry, Param, find};
use crate::tabular::{Exploration, Method, Rate, Schedule, TabularAgent};

const fn param(name: &'static str, doc: &'static str, range: Range, default: &'static str) -> Param {
    Param { spec: ParamSpec { name, doc, range }, default }
}

const SHARE: Range = Range::Real { min: 0.0, max: 1.0, above: false, log: false };
const STEP_SIZE: Range = Range::Real { min: 0.0, max: 1.0, above: true, log: true };
const NUMBER: Range = Range::Real { min: f64::MIN, max: f64::MAX, above: false, log: false };
const WHOLE: Range = Range::int_from(1);

const GAMMA: Param = param("gamma", "The discount.", SHARE, "0.99");
const ALPHA: Param = param("alpha", "The step size.", STEP_SIZE, "0.1");
const POWER: Param = param(
    "alpha_power",
    "The step size is 1 / visits^power instead: averages, which a noisy world needs. null keeps alpha.",
    Range::Optional(&STEP_SIZE),
    "null",
);
const EXPLORATION: Param = param(
    "exploration",
    "How it tries things: epsilon-greedy, softmax, ucb, or optimistic (greedy on a table that starts at `initial`, above all returns).",
    Range::Choice(&["epsilon-greedy", "softmax", "ucb", "optimistic"]),
    "\"epsilon-greedy\"",
);
const EPSILON: Param = param("epsilon", "Share of actions that are any action.", SHARE, "0.1");
const EPSILON_START: Param = param(
    "epsilon_start",
    "The share at first, which falls to epsilon in explore_steps; null means constant.",
    Range::Optional(&SHARE),
    "null",
);
const TEMPERATURE: Param = param("temperature", "Softmax: the temperature.", Range::above(0.0), "1.0");
const TEMPERATURE_START: Param = param(
    "temperature_start",
    "Softmax: the temperature at first, which falls in explore_steps; null means constant.",
    Range::Optional(&Range::above(0.0)),
    "null",
);
const EXPLORE_STEPS: Param = param("explore_steps", "Steps in which exploration falls to its end.", WHOLE, "50000");
const C: Param = param("c", "UCB: the weight of what is not known.", Range::at_least(0.0), "1.0");
const INITIAL: Param = param("initial", "What the table says at first; high means optimistic.", NUMBER, "0.0");

const TABULAR: &[Param] =
    &[GAMMA, ALPHA, POWER, EXPLORATION, EPSILON, EPSILON_START, TEMPERATURE, TEMPERATURE_START, EXPLORE_STEPS, C, INITIAL];

/// The agents that can be chosen by name.
pub const AGENTS: &[Entry] = &[
    Entry {
        name: "monte-carlo",
        summary: "A table that learns from whole episodes.",
        rule: "Q(s, a) += α (G - Q(s, a)), G the return of the episode",
        reference: "Sutton, Barto 2018, chapter 5",
        params: &[
            GAMMA,
            ALPHA,
            POWER,
            EXPLORATION,
            EPSILON,
            EPSILON_START,
            TEMPERATURE,
            TEMPERATURE_START,
            EXPLORE_STEPS,
            C,
            INITIAL,
            param("first_visit", "Only the first visit of a pair in an episode counts.", Range::Bool, "true"),
        ],
    },
    Entry {
        name: "sarsa",
        summary: "A table that learns the value of what it does, exploration included.",
        rule: "Q(s, a) += α (r + γ Q(s', a') - Q(s, a))",
        reference: "Rummery, Niranjan 1994",
        params: TABULAR,
    },
    Entry {
        name: "expected-sarsa",
        summary: "SARSA with the mean over the next action in place of one draw.",
        rule: "Q(s, a) += α (r + γ Σ π(b|s') Q(s', b) - Q(s, a))",
        reference: "van Seijen, van Hasselt, Whiteson, Wiering 2009",
        params: TABULAR,
    },
    Entry {
        name: "n-step-sarsa",
        summary: "SARSA over the rewards of n steps.",
        rule: "Q(s, a) += α (r1 + γ r2 + … + γ^n Q(s_n, a_n) - Q(s, a))",
        reference: "Sutton, Barto 2018, chapter 7",
        params: &[
            GAMMA,
            ALPHA,
            POWER,
            EXPLORATION,
            EPSILON,
            EPSILON_START,
            TEMPERATURE,
            TEMPERATURE_START,
            EXPLORE_STEPS,
            C,
            INITIAL,
            param("n", "Steps.", WHOLE, "4"),
        ],
    },
    Entry {
        name: "q-learning",
        summary: "A table that learns the value of the best it could do.",
        rule: "Q(s, a) += α (r + γ max_b Q(s', b) - Q(s, a))",
        reference: "Watkins 1989",
        params: TABULAR,
    },
    Entry {
        name: "double-q-learning",
        summary: "Q-learning with two tables, each valuing the other's choice: no bias from the maximum.",
        rule: "Q1(s, a) += α (r + γ Q2(s', argmax_b Q1(s', b)) - Q1(s, a)), or with 1 and 2 exchanged",
        reference: "van Hasselt 2010",
        params: TABULAR,
    },
];

/// The entry of an agent; an unknown name is answered with the nearest.
pub fn agent_entry(name: &str) -> Result<&'static Entry> {
    find("agent", name, AGENTS)
}

/// Parameters that are known to work for an agent on an environment, and steps that are enough; both give way to what is asked for.
pub fn tuned(agent: &str, environment: &str) -> (Map<String, Value>, u64) {
    let (params, steps) = match (environment, agent) {
        // Slippery ice is noisy: with a constant step size the greedy policy never settles.
        ("frozen-lake", "monte-carlo") => {
            (json!({"alpha": 0.01, "epsilon_start": 1.0, "epsilon": 0.05, "explore_steps": 200_000}), 400_000)
        }
        ("frozen-lake", _) => {
            (json!({"alpha_power": 0.7, "epsilon_start": 1.0, "epsilon": 0.05, "explore_steps": 200_000}), 400_000)
        }
        ("taxi", "monte-carlo") => (json!({"gamma": 0.95, "alpha": 0.1}), 1_000_000),
        ("taxi", "q-learning") => (json!({"gamma": 0.95, "alpha": 0.5}), 400_000),
        // What is learned on the policy itself settles once little is explored and steps are small.
        ("taxi", _) => {
            (json!({"gamma": 0.95, "alpha": 0.1, "epsilon_start": 0.5, "epsilon": 0.02, "explore_steps": 300_000}), 400_000)
        }
        ("cliff-walking", "monte-carlo") => (json!({"gamma": 1.0, "alpha": 0.1}), 200_000),
        ("cliff-walking", _) => (json!({"gamma": 1.0, "alpha": 0.5}), 50_000),
        ("blackjack", _) => (json!({"gamma": 1.0, "alpha_power": 0.8}), 1_000_000),
        _ => (json!({}), 200_000),
    };
    let params = params.as_object().cloned().unwrap_or_default();
    (params, steps)
}

/// An agent that has not learned anything yet.
#[derive(Debug, Clone, PartialEq)]
pub struct AnyAgent {
    /// Its name.
    pub name: String,
    /// All of its parameters.
    pub params: Map<String, Value>,
    /// What learns.
    pub learner: TabularAgent,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Given {
    gamma: f64,
    alpha: f64,
    alpha_power: Option<f64>,
    exploration: String,
    epsilon: f64,
    epsilon_start: Option<f64>,
    temperature: f64,
    temperature_start: Option<f64>,
    explore_steps: u64,
    c: f64,
    initial: f64,
    n: usize,
    first_visit: bool,
}

/// The agent called `name` with the parameters that are given.
pub fn named(name: &str, params: &Map<String, Value>) -> Result<AnyAgent> {
    let entry = agent_entry(name)?;
    let params = entry.complete(params)?;
    let p: Given = entry.read(&params)?;
    let falling = |start: Option<f64>, end: f64| match start {
        Some(from) => Schedule::Linear { from, to: end, steps: p.explore_steps },
        None => Schedule::Constant(end),
    };
    let exploration = match p.exploration.as_str() {
        "softmax" => Exploration::Softmax(falling(p.temperature_start, p.temperature)),
        "ucb" => Exploration::Ucb { c: p.c },
        "optimistic" => Exploration::EpsilonGreedy(Schedule::Constant(0.0)),
        _ => Exploration::EpsilonGreedy(falling(p.epsilon_start, p.epsilon)),
    };
    let method = match name {
        "monte-carlo" => Method::MonteCarlo { first_visit: p.first_visit },
        "sarsa" => Method::Sarsa,
        "expected-sarsa" => Method::ExpectedSarsa,
        "n-step-sarsa" => Method::NStepSarsa { n: p.n },
        "q-learning" => Method::QLearning,
        "double-q-learning" => Method::DoubleQLearning,
        _ => return Err(Error::Data(format!("{name} is in the list of agents and cannot be made"))),
    };
    let alpha = p.alpha_power.map_or(Rate::Constant(p.alpha), |power| Rate::Visits { power });
    let learner = TabularAgent { method, gamma: p.gamma, alpha, exploration, initial: p.initial };
    learner.check()?;
    Ok(AnyAgent { name: name.to_owned(), params, learner })
}
