//! Agents by name.

use ermine_core::{Error, Family, ParamSpec, Range, Result, Spec};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::catalog::{CatalogEntry, blank, find, param};
use crate::deep::{ActorCritic, Dqn, Reinforce};
use crate::tabular::{ControlMethod, DecaySchedule, Exploration, StepSize, TabularAgent};

const AGENT: Spec = blank(Family::Agent);

const STEP_SIZE: Range = Range::Real { min: 0.0, max: 1.0, above: true, log: true };
const WHOLE: Range = Range::int_from(1);

const GAMMA: ParamSpec = param("gamma", "The discount.", Range::SHARE);
const ALPHA: ParamSpec = param("alpha", "The step size.", STEP_SIZE);
const POWER: ParamSpec = param(
    "alpha_power",
    "The step size is 1 / visits^power instead: averages, for noisy environments. null uses alpha.",
    Range::Optional(&STEP_SIZE),
);
const EXPLORATION: ParamSpec = param(
    "exploration",
    "Exploration: epsilon-greedy, softmax, ucb, or optimistic (greedy on a table that starts at `initial`, above all returns).",
    Range::Choice(&["epsilon-greedy", "softmax", "ucb", "optimistic"]),
);
const EPSILON: ParamSpec = param("epsilon", "Share of random actions.", Range::SHARE);
const EPSILON_START: ParamSpec = param(
    "epsilon_start",
    "The initial share, which falls to epsilon in explore_steps; null means constant.",
    Range::Optional(&Range::SHARE),
);
const TEMPERATURE: ParamSpec = param("temperature", "Softmax: the temperature.", Range::above(0.0));
const TEMPERATURE_START: ParamSpec = param(
    "temperature_start",
    "Softmax: the temperature at first, which falls in explore_steps; null means constant.",
    Range::Optional(&Range::above(0.0)),
);
const EXPLORE_STEPS: ParamSpec = param("explore_steps", "Steps in which exploration falls to its end.", WHOLE);
const C: ParamSpec = param("c", "UCB: the weight of the uncertainty.", Range::at_least(0.0));
const INITIAL: ParamSpec = param("initial", "Initial values of the table; high ones are optimistic.", Range::FINITE);

const TABULAR: &[ParamSpec] =
    &[GAMMA, ALPHA, POWER, EXPLORATION, EPSILON, EPSILON_START, TEMPERATURE, TEMPERATURE_START, EXPLORE_STEPS, C, INITIAL];

const WIDTHS: ParamSpec = param("net_arch", "Widths of the hidden layers.", Range::List(&Range::Int { min: 1, max: 65_536 }));
const BATCH: Range = Range::Int { min: 1, max: 1 << 20 };
const JUDGE_EVERY: ParamSpec = param(
    "evaluate_every",
    "Steps between evaluations of the network without exploration; the best network is the result. null: the last one is.",
    Range::Optional(&WHOLE),
);
const JUDGE_EPISODES: ParamSpec = param("evaluate_episodes", "Episodes of an evaluation.", WHOLE);
const STOP_AT: ParamSpec =
    param("stop_at", "Mean return in an evaluation that ends the training; null: never.", Range::Optional(&Range::FINITE));
const ENTROPY: ParamSpec =
    param("ent_coef", "The weight of the entropy of the policy, which keeps it from deciding too early.", Range::at_least(0.0));

/// The parameters of both forms of DQN.
const DQN: &[ParamSpec] = &[
    GAMMA,
    WIDTHS,
    param("learning_rate", "Learning rate of Adam.", Range::above(0.0)),
    param("batch_size", "Batch size: steps drawn from the replay memory for one update.", BATCH),
    param("buffer_size", "Steps that the replay memory holds.", Range::Int { min: 1, max: 100_000_000 }),
    param("learning_starts", "Steps before learning begins.", Range::int_from(0)),
    param("train_freq", "Steps between two updates.", WHOLE),
    param("gradient_steps", "Gradient steps per update.", WHOLE),
    param("target_update_interval", "Steps between two updates of the target network.", WHOLE),
    param("tau", "How far the target network moves toward the current network: 1 copies it.", STEP_SIZE),
    param("epsilon", "Share of random actions.", Range::SHARE),
    param("epsilon_start", "The initial share of random actions.", Range::SHARE),
    param("explore_steps", "Steps in which the share falls to epsilon.", WHOLE),
    JUDGE_EVERY,
    JUDGE_EPISODES,
    STOP_AT,
];

/// Default parameters of a table.
fn table_defaults() -> Value {
    json!({"gamma": 0.99, "alpha": 0.1, "alpha_power": null, "exploration": "epsilon-greedy", "epsilon": 0.1, "epsilon_start": null, "temperature": 1.0, "temperature_start": null, "explore_steps": 50000, "c": 1.0, "initial": 0.0})
}

/// Default parameters of both forms of DQN.
fn dqn_defaults() -> Value {
    json!({"gamma": 0.99, "net_arch": [64, 64], "learning_rate": 0.001, "batch_size": 64, "buffer_size": 50000, "learning_starts": 1000, "train_freq": 4, "gradient_steps": 4, "target_update_interval": 500, "tau": 1.0, "epsilon": 0.05, "epsilon_start": 1.0, "explore_steps": 10000, "evaluate_every": 1000, "evaluate_episodes": 20, "stop_at": null})
}

/// Defaults with one more parameter.
fn with(mut defaults: Value, name: &str, value: impl Into<Value>) -> Value {
    defaults[name] = value.into();
    defaults
}

/// The agents that can be chosen by name.
pub const AGENTS: &[CatalogEntry] = &[
    CatalogEntry {
        spec: Spec {
            name: "monte-carlo",
            summary: "A table that learns from whole episodes.",
            objective: "Q(s, a) += α (G - Q(s, a)), G the return of the episode",
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
                param("first_visit", "Only the first visit of a pair in an episode counts.", Range::Bool),
            ],
            ..AGENT
        },
        defaults: || with(table_defaults(), "first_visit", true),
    },
    CatalogEntry {
        spec: Spec {
            name: "sarsa",
            summary: "A table that learns the values of its own policy, exploration included.",
            objective: "Q(s, a) += α (r + γ Q(s', a') - Q(s, a))",
            reference: "Rummery, Niranjan 1994",
            params: TABULAR,
            ..AGENT
        },
        defaults: table_defaults,
    },
    CatalogEntry {
        spec: Spec {
            name: "expected-sarsa",
            summary: "SARSA with the mean over the next action in place of one draw.",
            objective: "Q(s, a) += α (r + γ Σ π(b|s') Q(s', b) - Q(s, a))",
            reference: "van Seijen, van Hasselt, Whiteson, Wiering 2009",
            params: TABULAR,
            ..AGENT
        },
        defaults: table_defaults,
    },
    CatalogEntry {
        spec: Spec {
            name: "n-step-sarsa",
            summary: "SARSA over the rewards of n steps.",
            objective: "Q(s, a) += α (r1 + γ r2 + … + γ^n Q(s_n, a_n) - Q(s, a))",
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
                param("n", "Steps.", WHOLE),
            ],
            ..AGENT
        },
        defaults: || with(table_defaults(), "n", 4),
    },
    CatalogEntry {
        spec: Spec {
            name: "q-learning",
            summary: "A table that learns the values of the best policy.",
            objective: "Q(s, a) += α (r + γ max_b Q(s', b) - Q(s, a))",
            reference: "Watkins 1989",
            params: TABULAR,
            ..AGENT
        },
        defaults: table_defaults,
    },
    CatalogEntry {
        spec: Spec {
            name: "double-q-learning",
            summary: "Q-learning with two tables, each valuing the other's choice: no bias from the maximum.",
            objective: "Q1(s, a) += α (r + γ Q2(s', argmax_b Q1(s', b)) - Q1(s, a)), or with 1 and 2 exchanged",
            reference: "van Hasselt 2010",
            params: TABULAR,
            ..AGENT
        },
        defaults: table_defaults,
    },
    CatalogEntry {
        spec: Spec {
            name: "dqn",
            summary: "Q-learning with a network, a replay memory and a target network.",
            objective: "minimize Huber(Q(s, a) - r - γ max_b Q'(s', b)) over steps drawn from the replay memory",
            reference: "Mnih and others 2015",
            params: DQN,
            ..AGENT
        },
        defaults: dqn_defaults,
    },
    CatalogEntry {
        spec: Spec {
            name: "double-dqn",
            summary: "DQN in which the current network chooses the action that the target network evaluates: no bias from the maximum.",
            objective: "minimize Huber(Q(s, a) - r - γ Q'(s', argmax_b Q(s', b))) over steps drawn from the replay memory",
            reference: "van Hasselt, Guez, Silver 2016",
            params: DQN,
            ..AGENT
        },
        defaults: dqn_defaults,
    },
    CatalogEntry {
        spec: Spec {
            name: "reinforce",
            summary: "A policy gradient from the returns of whole episodes.",
            objective: "ascend Σ (G_t - b(s_t)) ln π(a_t | s_t) + ent_coef H(π)",
            reference: "Williams 1992",
            params: &[
                GAMMA,
                WIDTHS,
                param("learning_rate", "Learning rate of Adam.", Range::above(0.0)),
                param("baseline", "Whether a learned value of the observation is subtracted from the returns.", Range::Bool),
                param("baseline_rate", "Learning rate of the baseline.", Range::above(0.0)),
                param("normalize", "Whether returns of an episode are brought to mean 0 and deviation 1.", Range::Bool),
                ENTROPY,
                JUDGE_EVERY,
                JUDGE_EPISODES,
                STOP_AT,
            ],
            ..AGENT
        },
        defaults: || json!({"gamma": 0.99, "net_arch": [64, 64], "learning_rate": 0.003, "baseline": false, "baseline_rate": 0.003, "normalize": true, "ent_coef": 0.0, "evaluate_every": 1000, "evaluate_episodes": 20, "stop_at": null}),
    },
    CatalogEntry {
        spec: Spec {
            name: "actor-critic",
            summary: "A policy gradient along the advantages of a critic, in several environments at once.",
            objective: "ascend A ln π(a | s) + ent_coef H(π), A = Σ (γλ)^k δ_k, δ = r + γ V(s') - V(s)",
            reference: "Mnih and others 2016; Schulman and others 2016",
            params: &[
                GAMMA,
                param("gae_lambda", "λ of the advantages.", Range::SHARE),
                WIDTHS,
                param("learning_rate", "Learning rate of the policy.", Range::above(0.0)),
                param("critic_rate", "Learning rate of the critic.", Range::above(0.0)),
                param(
                    "n_envs",
                    "Environments that run side by side; a user-defined one runs alone.",
                    Range::Int { min: 1, max: 4096 },
                ),
                param("n_steps", "Steps of each environment between two updates.", Range::Int { min: 1, max: 65_536 }),
                param("normalize", "Whether advantages are brought to mean 0 and deviation 1.", Range::Bool),
                ENTROPY,
                JUDGE_EVERY,
                JUDGE_EPISODES,
                STOP_AT,
            ],
            ..AGENT
        },
        defaults: || json!({"gamma": 0.99, "gae_lambda": 0.95, "net_arch": [64, 64], "learning_rate": 0.001, "critic_rate": 0.003, "n_envs": 8, "n_steps": 16, "normalize": true, "ent_coef": 0.0, "evaluate_every": 1000, "evaluate_episodes": 20, "stop_at": null}),
    },
];

/// The entry of an agent; an unknown name is answered with the nearest.
pub fn agent_entry(name: &str) -> Result<&'static CatalogEntry> {
    find("agent", name, AGENTS)
}

/// Parameters that are known to work for an agent on an environment, and a sufficient number of steps; explicit ones
/// take precedence.
pub fn tuned(agent: &str, environment: &str) -> (Map<String, Value>, u64) {
    let (params, steps) = match (environment, agent) {
        // Parameters for a table do not apply to a network.
        ("frozen-lake" | "taxi" | "cliff-walking" | "blackjack", "dqn" | "double-dqn" | "reinforce" | "actor-critic") => {
            (json!({}), 100_000)
        }
        // Slippery ice is noisy: with a constant step size the greedy policy never converges.
        ("frozen-lake", "monte-carlo") => {
            (json!({"alpha": 0.01, "epsilon_start": 1.0, "epsilon": 0.05, "explore_steps": 200_000}), 400_000)
        }
        ("frozen-lake", _) => {
            (json!({"alpha_power": 0.7, "epsilon_start": 1.0, "epsilon": 0.05, "explore_steps": 200_000}), 400_000)
        }
        ("taxi", "monte-carlo") => (json!({"gamma": 0.95, "alpha": 0.1}), 1_000_000),
        ("taxi", "q-learning") => (json!({"gamma": 0.95, "alpha": 0.5}), 400_000),
        // On-policy learning converges with little exploration and small steps.
        ("taxi", _) => {
            (json!({"gamma": 0.95, "alpha": 0.1, "epsilon_start": 0.5, "epsilon": 0.02, "explore_steps": 300_000}), 400_000)
        }
        ("cliff-walking", "monte-carlo") => (json!({"gamma": 1.0, "alpha": 0.1}), 200_000),
        ("cliff-walking", _) => (json!({"gamma": 1.0, "alpha": 0.5}), 50_000),
        // Many steps of Adam toward a fixed target network, then a new one; each is evaluated.
        ("cartpole", "dqn" | "double-dqn") => (
            json!({"gamma": 0.98, "learning_rate": 0.002, "train_freq": 128, "gradient_steps": 128, "target_update_interval": 128,
                   "explore_steps": 6_000, "epsilon": 0.04, "evaluate_every": 256, "stop_at": 500.0}),
            50_000,
        ),
        // Policies learn fast, and a lucky early evaluation must not end them: the whole budget, and of the best
        // evaluations the last.
        ("cartpole", "reinforce") => (json!({"net_arch": [128], "learning_rate": 0.002, "ent_coef": 0.01}), 100_000),
        ("cartpole", "actor-critic") => (json!({}), 50_000),
        ("mountain-car", "dqn" | "double-dqn") => (
            json!({"gamma": 0.98, "net_arch": [256, 256], "learning_rate": 0.004, "batch_size": 128, "buffer_size": 10_000,
                   "train_freq": 16, "gradient_steps": 8, "target_update_interval": 600, "explore_steps": 24_000, "epsilon": 0.07,
                   "evaluate_every": 2_000}),
            120_000,
        ),
        ("acrobot", "dqn" | "double-dqn") => (
            json!({"train_freq": 128, "gradient_steps": 128, "target_update_interval": 256, "explore_steps": 12_000, "epsilon": 0.1,
                   "evaluate_every": 1_024}),
            100_000,
        ),
        ("blackjack", _) => (json!({"gamma": 1.0, "alpha_power": 0.8}), 1_000_000),
        _ => (json!({}), 200_000),
    };
    let params = params.as_object().cloned().unwrap_or_default();
    (params, steps)
}

/// The learning algorithm.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each variant is the type it holds")]
pub enum AgentKind {
    Table(TabularAgent),
    Dqn(Dqn),
    Reinforce(Reinforce),
    ActorCritic(ActorCritic),
}

/// Schedule of the evaluations of an agent with a network in training.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalSchedule {
    /// Steps between evaluations; none without evaluation.
    pub every: Option<u64>,
    /// Episodes per evaluation.
    pub episodes: u64,
    /// The mean return at which training ends.
    pub stop_at: Option<f64>,
    /// Parallel environments.
    pub environments: usize,
}

/// An untrained agent.
#[derive(Debug, Clone, PartialEq)]
pub struct AnyAgent {
    /// Its name.
    pub name: String,
    /// All of its parameters.
    pub params: Map<String, Value>,
    /// The learning algorithm.
    pub learner: AgentKind,
    /// Schedule of its evaluations.
    pub watch: EvalSchedule,
}

/// The parameters of all agents; those that one does not have are unset.
#[derive(Default, Deserialize)]
#[serde(default)]
struct AgentParams {
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
    net_arch: Vec<usize>,
    learning_rate: f64,
    batch_size: usize,
    buffer_size: usize,
    learning_starts: u64,
    train_freq: u64,
    gradient_steps: u64,
    target_update_interval: u64,
    tau: f64,
    baseline: bool,
    baseline_rate: f64,
    normalize: bool,
    ent_coef: f64,
    gae_lambda: f64,
    critic_rate: f64,
    n_envs: usize,
    n_steps: usize,
    evaluate_every: Option<u64>,
    evaluate_episodes: u64,
    stop_at: Option<f64>,
}

/// The agent called `name` with the given parameters.
pub fn named(name: &str, params: &Map<String, Value>) -> Result<AnyAgent> {
    let entry = agent_entry(name)?;
    let params = entry.complete(params)?;
    let p: AgentParams = entry.read(&params)?;
    let watch = EvalSchedule {
        every: p.evaluate_every,
        episodes: p.evaluate_episodes.max(1),
        stop_at: p.stop_at,
        environments: p.n_envs.max(1),
    };
    let learner = match name {
        "dqn" | "double-dqn" => {
            let learner = Dqn {
                double: name == "double-dqn",
                gamma: p.gamma,
                epsilon: falling(&p, p.epsilon_start, p.epsilon),
                hidden: p.net_arch,
                rate: p.learning_rate,
                batch: p.batch_size,
                memory: p.buffer_size,
                warm_up: p.learning_starts,
                every: p.train_freq,
                updates: p.gradient_steps,
                target_every: p.target_update_interval,
                tau: p.tau,
            };
            learner.check()?;
            AgentKind::Dqn(learner)
        }
        "reinforce" => {
            let learner = Reinforce {
                gamma: p.gamma,
                hidden: p.net_arch,
                rate: p.learning_rate,
                baseline: p.baseline,
                baseline_rate: p.baseline_rate,
                normalize: p.normalize,
                entropy: p.ent_coef,
            };
            learner.check()?;
            AgentKind::Reinforce(learner)
        }
        "actor-critic" => {
            let learner = ActorCritic {
                gamma: p.gamma,
                lambda: p.gae_lambda,
                hidden: p.net_arch,
                rate: p.learning_rate,
                critic_rate: p.critic_rate,
                steps: p.n_steps,
                entropy: p.ent_coef,
                normalize: p.normalize,
            };
            learner.check()?;
            AgentKind::ActorCritic(learner)
        }
        _ => AgentKind::Table(tabular(name, &p)?),
    };
    Ok(AnyAgent { name: name.to_owned(), params, learner, watch })
}

fn falling(p: &AgentParams, start: Option<f64>, end: f64) -> DecaySchedule {
    match start {
        Some(from) => DecaySchedule::Linear { from, to: end, steps: p.explore_steps },
        None => DecaySchedule::Constant(end),
    }
}

fn tabular(name: &str, p: &AgentParams) -> Result<TabularAgent> {
    let exploration = match p.exploration.as_str() {
        "softmax" => Exploration::Softmax(falling(p, p.temperature_start, p.temperature)),
        "ucb" => Exploration::Ucb { c: p.c },
        "optimistic" => Exploration::EpsilonGreedy(DecaySchedule::Constant(0.0)),
        _ => Exploration::EpsilonGreedy(falling(p, p.epsilon_start, p.epsilon)),
    };
    let method = match name {
        "monte-carlo" => ControlMethod::MonteCarlo { first_visit: p.first_visit },
        "sarsa" => ControlMethod::Sarsa,
        "expected-sarsa" => ControlMethod::ExpectedSarsa,
        "n-step-sarsa" => ControlMethod::NStepSarsa { n: p.n },
        "q-learning" => ControlMethod::QLearning,
        "double-q-learning" => ControlMethod::DoubleQLearning,
        _ => return Err(Error::Data(format!("{name} is in the list of agents and cannot be made"))),
    };
    let alpha = p.alpha_power.map_or(StepSize::Constant(p.alpha), |power| StepSize::Visits { power });
    let agent = TabularAgent { method, gamma: p.gamma, alpha, exploration, initial: p.initial };
    agent.check()?;
    Ok(agent)
}
