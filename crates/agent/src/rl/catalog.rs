//! Agents by name.

use ermine_core::{Error, ParamSpec, Range, Result};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::catalog::{CatalogEntry, ParamDefault, find};
use crate::deep::{ActorCritic, Dqn, Reinforce};
use crate::tabular::{ControlMethod, DecaySchedule, Exploration, StepSize, TabularAgent};

const fn param(name: &'static str, doc: &'static str, range: Range, default: &'static str) -> ParamDefault {
    ParamDefault { spec: ParamSpec { name, doc, range }, default }
}

const SHARE: Range = Range::Real { min: 0.0, max: 1.0, above: false, log: false };
const STEP_SIZE: Range = Range::Real { min: 0.0, max: 1.0, above: true, log: true };
const NUMBER: Range = Range::Real { min: f64::MIN, max: f64::MAX, above: false, log: false };
const WHOLE: Range = Range::int_from(1);

const GAMMA: ParamDefault = param("gamma", "The discount.", SHARE, "0.99");
const ALPHA: ParamDefault = param("alpha", "The step size.", STEP_SIZE, "0.1");
const POWER: ParamDefault = param(
    "alpha_power",
    "The step size is 1 / visits^power instead: averages, which a noisy world needs. null keeps alpha.",
    Range::Optional(&STEP_SIZE),
    "null",
);
const EXPLORATION: ParamDefault = param(
    "exploration",
    "How it tries things: epsilon-greedy, softmax, ucb, or optimistic (greedy on a table that starts at `initial`, above all returns).",
    Range::Choice(&["epsilon-greedy", "softmax", "ucb", "optimistic"]),
    "\"epsilon-greedy\"",
);
const EPSILON: ParamDefault = param("epsilon", "Share of actions that are any action.", SHARE, "0.1");
const EPSILON_START: ParamDefault = param(
    "epsilon_start",
    "The share at first, which falls to epsilon in explore_steps; null means constant.",
    Range::Optional(&SHARE),
    "null",
);
const TEMPERATURE: ParamDefault = param("temperature", "Softmax: the temperature.", Range::above(0.0), "1.0");
const TEMPERATURE_START: ParamDefault = param(
    "temperature_start",
    "Softmax: the temperature at first, which falls in explore_steps; null means constant.",
    Range::Optional(&Range::above(0.0)),
    "null",
);
const EXPLORE_STEPS: ParamDefault = param("explore_steps", "Steps in which exploration falls to its end.", WHOLE, "50000");
const C: ParamDefault = param("c", "UCB: the weight of what is not known.", Range::at_least(0.0), "1.0");
const INITIAL: ParamDefault = param("initial", "What the table says at first; high means optimistic.", NUMBER, "0.0");

const TABULAR: &[ParamDefault] =
    &[GAMMA, ALPHA, POWER, EXPLORATION, EPSILON, EPSILON_START, TEMPERATURE, TEMPERATURE_START, EXPLORE_STEPS, C, INITIAL];

const WIDTHS: ParamDefault =
    param("net_arch", "Widths of the hidden layers.", Range::List(&Range::Int { min: 1, max: 65_536 }), "[64, 64]");
const BATCH: Range = Range::Int { min: 1, max: 1 << 20 };
const JUDGE_EVERY: ParamDefault = param(
    "evaluate_every",
    "Steps between two looks at what the network earns without exploration; the best network is kept. null: the last one is kept.",
    Range::Optional(&WHOLE),
    "1000",
);
const JUDGE_EPISODES: ParamDefault = param("evaluate_episodes", "Episodes of such a look.", WHOLE, "20");
const STOP_AT: ParamDefault =
    param("stop_at", "Mean return at such a look that ends the training; null: never.", Range::Optional(&NUMBER), "null");
const ENTROPY: ParamDefault = param(
    "ent_coef",
    "The weight of the entropy of the policy, which keeps it from deciding too early.",
    Range::at_least(0.0),
    "0.0",
);

/// The parameters of both forms of DQN.
const DQN: &[ParamDefault] = &[
    GAMMA,
    WIDTHS,
    param("learning_rate", "Length of a step of Adam.", Range::above(0.0), "0.001"),
    param("batch_size", "Steps that are drawn from the memory for one step of Adam.", BATCH, "64"),
    param("buffer_size", "Steps that the memory holds.", Range::Int { min: 1, max: 100_000_000 }, "50000"),
    param("learning_starts", "Steps before learning begins.", Range::int_from(0), "1000"),
    param("train_freq", "Steps between two times of learning.", WHOLE, "4"),
    param("gradient_steps", "Steps of Adam at such a time.", WHOLE, "4"),
    param("target_update_interval", "Steps after which the target network moves to the network of now.", WHOLE, "500"),
    param("tau", "How far the target network moves: 1 is all the way.", STEP_SIZE, "1.0"),
    param("epsilon", "Share of actions that are any action.", SHARE, "0.05"),
    param("epsilon_start", "The share at first.", SHARE, "1.0"),
    param("explore_steps", "Steps in which the share falls to epsilon.", WHOLE, "10000"),
    JUDGE_EVERY,
    JUDGE_EPISODES,
    STOP_AT,
];

/// The agents that can be chosen by name.
pub const AGENTS: &[CatalogEntry] = &[
    CatalogEntry {
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
    CatalogEntry {
        name: "sarsa",
        summary: "A table that learns the value of what it does, exploration included.",
        rule: "Q(s, a) += α (r + γ Q(s', a') - Q(s, a))",
        reference: "Rummery, Niranjan 1994",
        params: TABULAR,
    },
    CatalogEntry {
        name: "expected-sarsa",
        summary: "SARSA with the mean over the next action in place of one draw.",
        rule: "Q(s, a) += α (r + γ Σ π(b|s') Q(s', b) - Q(s, a))",
        reference: "van Seijen, van Hasselt, Whiteson, Wiering 2009",
        params: TABULAR,
    },
    CatalogEntry {
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
    CatalogEntry {
        name: "q-learning",
        summary: "A table that learns the value of the best it could do.",
        rule: "Q(s, a) += α (r + γ max_b Q(s', b) - Q(s, a))",
        reference: "Watkins 1989",
        params: TABULAR,
    },
    CatalogEntry {
        name: "double-q-learning",
        summary: "Q-learning with two tables, each valuing the other's choice: no bias from the maximum.",
        rule: "Q1(s, a) += α (r + γ Q2(s', argmax_b Q1(s', b)) - Q1(s, a)), or with 1 and 2 exchanged",
        reference: "van Hasselt 2010",
        params: TABULAR,
    },
    CatalogEntry {
        name: "dqn",
        summary: "Q-learning with a network, a memory of steps, and a target network of some steps ago.",
        rule: "minimise Huber(Q(s, a) - r - γ max_b Q'(s', b)) over steps drawn from the memory",
        reference: "Mnih and others 2015",
        params: DQN,
    },
    CatalogEntry {
        name: "double-dqn",
        summary: "DQN in which the network of now chooses what the target network values: no bias from the maximum.",
        rule: "minimise Huber(Q(s, a) - r - γ Q'(s', argmax_b Q(s', b))) over steps drawn from the memory",
        reference: "van Hasselt, Guez, Silver 2016",
        params: DQN,
    },
    CatalogEntry {
        name: "reinforce",
        summary: "A policy that moves towards what whole episodes have shown to pay.",
        rule: "ascend Σ (G_t - b(s_t)) ln π(a_t | s_t) + ent_coef H(π)",
        reference: "Williams 1992",
        params: &[
            GAMMA,
            WIDTHS,
            param("learning_rate", "Length of a step of Adam.", Range::above(0.0), "0.003"),
            param("baseline", "Whether a network that values what is seen is taken away from the returns.", Range::Bool, "false"),
            param("baseline_rate", "Length of a step of Adam for the baseline.", Range::above(0.0), "0.003"),
            param("normalize", "Whether returns of an episode are brought to mean 0 and deviation 1.", Range::Bool, "true"),
            ENTROPY,
            JUDGE_EVERY,
            JUDGE_EPISODES,
            STOP_AT,
        ],
    },
    CatalogEntry {
        name: "actor-critic",
        summary: "A policy that moves along the advantages which a critic sees on the way, in several environments at once.",
        rule: "ascend A ln π(a | s) + ent_coef H(π), A = Σ (γλ)^k δ_k, δ = r + γ V(s') - V(s)",
        reference: "Mnih and others 2016; Schulman and others 2016",
        params: &[
            GAMMA,
            param("gae_lambda", "λ of the advantages.", SHARE, "0.95"),
            WIDTHS,
            param("learning_rate", "Length of a step of Adam for the policy.", Range::above(0.0), "0.001"),
            param("critic_rate", "Length of a step of Adam for the critic.", Range::above(0.0), "0.003"),
            param(
                "n_envs",
                "Environments side by side; one of another's making stays alone.",
                Range::Int { min: 1, max: 4096 },
                "8",
            ),
            param(
                "n_steps",
                "Steps of each environment between two times of learning.",
                Range::Int { min: 1, max: 65_536 },
                "16",
            ),
            param("normalize", "Whether advantages are brought to mean 0 and deviation 1.", Range::Bool, "true"),
            ENTROPY,
            JUDGE_EVERY,
            JUDGE_EPISODES,
            STOP_AT,
        ],
    },
];

/// The entry of an agent; an unknown name is answered with the nearest.
pub fn agent_entry(name: &str) -> Result<&'static CatalogEntry> {
    find("agent", name, AGENTS)
}

/// Parameters that are known to work for an agent on an environment, and steps that are enough; both give way to what is asked for.
pub fn tuned(agent: &str, environment: &str) -> (Map<String, Value>, u64) {
    let (params, steps) = match (environment, agent) {
        // What suits a table says nothing to a network.
        ("frozen-lake" | "taxi" | "cliff-walking" | "blackjack", "dqn" | "double-dqn" | "reinforce" | "actor-critic") => {
            (json!({}), 100_000)
        }
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
        // Many steps of Adam towards a target that stands still, then a new one; the judge looks at what came out of each.
        ("cartpole", "dqn" | "double-dqn") => (
            json!({"gamma": 0.98, "learning_rate": 0.002, "train_freq": 128, "gradient_steps": 128, "target_update_interval": 128,
                   "explore_steps": 6_000, "epsilon": 0.04, "evaluate_every": 256, "stop_at": 500.0}),
            50_000,
        ),
        // Policies are quick, and a lucky look early on must not end them: the whole budget, and of the best looks the last.
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

/// What learns.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each variant is the type it holds")]
pub enum AgentKind {
    Table(TabularAgent),
    Dqn(Dqn),
    Reinforce(Reinforce),
    ActorCritic(ActorCritic),
}

/// How an agent with a network is watched while it learns.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalSchedule {
    /// Steps between two looks; none where nobody looks.
    pub every: Option<u64>,
    /// Episodes of a look.
    pub episodes: u64,
    /// The mean return that ends the training.
    pub stop_at: Option<f64>,
    /// Environments side by side.
    pub environments: usize,
}

/// An agent that has not learned anything yet.
#[derive(Debug, Clone, PartialEq)]
pub struct AnyAgent {
    /// Its name.
    pub name: String,
    /// All of its parameters.
    pub params: Map<String, Value>,
    /// What learns.
    pub learner: AgentKind,
    /// How it is watched.
    pub watch: EvalSchedule,
}

/// The parameters of all agents; those that one does not have stay at nothing and are not read.
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

/// The agent called `name` with the parameters that are given.
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
                normalise: p.normalize,
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
                normalise: p.normalize,
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
