//! Trained agents and their files.

use ermine_core::{Error, Result};
use ermine_neural::Network;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::catalog::{AgentKind, AnyAgent, named};
use crate::array_state;
use crate::deep::DeepTraining;
use crate::env::{AnyEnvironment, AnyObservation, Environment, ObservationSpace, make};
use crate::tabular::TabularTraining;

/// The environment of the training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainedOn {
    /// A built-in environment.
    #[serde(rename = "ours")]
    BuiltIn {
        /// Its name.
        name: String,
        /// Its parameters.
        params: Map<String, Value>,
    },
    /// An external environment, by its name.
    #[serde(rename = "elsewhere")]
    External {
        /// Its name.
        name: String,
    },
}

/// The learned state of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LearnedState {
    /// A table.
    Table(TabularTraining),
    /// A network.
    Network(DeepTraining),
}

/// A trained agent.
#[derive(Debug, Clone)]
pub struct TrainedAgent {
    /// The agent with its parameters.
    pub agent: AnyAgent,
    /// Where it was trained.
    pub place: TrainedOn,
    /// The space of its observations.
    pub space: ObservationSpace,
    /// The names of its actions.
    pub actions: Vec<String>,
    /// The seed of its training.
    pub seed: u64,
    learned: LearnedState,
    /// The network of `learned`, ready for prediction.
    brain: Option<Network>,
}

/// The network is derived from `learned`.
impl PartialEq for TrainedAgent {
    fn eq(&self, other: &Self) -> bool {
        let parts = |t: &Self| (t.agent.clone(), t.place.clone(), t.space.clone(), t.actions.clone(), t.seed);
        parts(self) == parts(other) && self.learned == other.learned
    }
}

/// The content of a file, without the agent's name and parameters.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrainedRepr {
    place: TrainedOn,
    space: ObservationSpace,
    actions: Vec<String>,
    learned: LearnedState,
}

impl TrainedAgent {
    /// An agent after its training. Its consistency is checked, so that it can act without further checks.
    pub fn new(
        agent: &AnyAgent,
        place: TrainedOn,
        space: ObservationSpace,
        actions: Vec<String>,
        seed: u64,
        learned: LearnedState,
    ) -> Result<Self> {
        let brain = match (&learned, &space, &agent.learner) {
            (LearnedState::Table(t), ObservationSpace::States(states), AgentKind::Table(_)) => {
                t.check(*states, actions.len())?;
                None
            }
            (LearnedState::Table(_), ObservationSpace::Numbers(_), AgentKind::Table(_)) => {
                return Err(Error::Model("it has a table and no state observations".into()));
            }
            (LearnedState::Network(t), ObservationSpace::States(width) | ObservationSpace::Numbers(width), learner)
                if !matches!(learner, AgentKind::Table(_)) =>
            {
                Some(t.check(*width, actions.len())?)
            }
            _ => return Err(Error::Model(format!("what it has learned is not what {} learns", agent.name))),
        };
        Ok(Self { agent: agent.clone(), place, space, actions, seed, learned, brain })
    }

    /// Its learned state.
    pub fn learned(&self) -> &LearnedState {
        &self.learned
    }

    /// Returns and lengths of the complete episodes of its training.
    pub fn episodes(&self) -> (&[f64], &[u64]) {
        match &self.learned {
            LearnedState::Table(t) => (&t.returns, &t.lengths),
            LearnedState::Network(t) => (&t.returns, &t.lengths),
        }
    }

    /// Steps of its training.
    pub fn steps(&self) -> u64 {
        match &self.learned {
            LearnedState::Table(t) => t.steps,
            LearnedState::Network(t) => t.steps,
        }
    }

    /// Its table, if it has one.
    pub fn table(&self) -> Option<&TabularTraining> {
        match &self.learned {
            LearnedState::Table(t) => Some(t),
            LearnedState::Network(_) => None,
        }
    }

    /// Its network with the history of its training, if it has one.
    pub fn network(&self) -> Option<&DeepTraining> {
        match &self.learned {
            LearnedState::Network(t) => Some(t),
            LearnedState::Table(_) => None,
        }
    }

    /// The values of the actions; for policies their logits.
    pub fn action_values(&self, seen: &AnyObservation) -> Result<Vec<f64>> {
        match (&self.learned, seen, &self.space) {
            (_, AnyObservation::State(state), ObservationSpace::States(n)) if state >= n => {
                Err(Error::Data(format!("there is no state {state}; states are 0 to {}", n.saturating_sub(1))))
            }
            (LearnedState::Table(t), AnyObservation::State(state), _) => {
                Ok(t.values[state * t.actions..(state + 1) * t.actions].to_vec())
            }
            (LearnedState::Table(_), AnyObservation::Numbers(_), _) => {
                Err(Error::Data(format!("{} has a table of states and was given numbers", self.agent.name)))
            }
            (LearnedState::Network(_), AnyObservation::Numbers(values), _) => self.values_of(values),
            (LearnedState::Network(_), AnyObservation::State(state), ObservationSpace::States(n)) => {
                let mut row = vec![0.0; *n];
                row[*state] = 1.0;
                self.values_of(&row)
            }
            (LearnedState::Network(_), AnyObservation::State(_), ObservationSpace::Numbers(n)) => {
                Err(Error::Data(format!("{} takes {n} numbers and was given a state", self.agent.name)))
            }
        }
    }

    /// The same for an agent with a network, from the numbers of an observation.
    pub fn values_of(&self, seen: &[f32]) -> Result<Vec<f64>> {
        let (Some(network), LearnedState::Network(t)) = (&self.brain, &self.learned) else {
            return Err(Error::Data(format!("{} has a table of states and was given numbers", self.agent.name)));
        };
        if seen.len() != t.scaling.width() {
            let (what, expected, found) = ("numbers of the observation".into(), t.scaling.width(), seen.len());
            return Err(Error::Length { what, expected, found });
        }
        let mut row = seen.to_vec();
        t.scaling.apply(&mut row);
        let mut scratch = network.scratch(1);
        Ok(network.forward_row(&row, &mut scratch)?.iter().map(|&v| f64::from(v)).collect())
    }

    /// The best action, the lowest among equals.
    pub fn act(&self, seen: &AnyObservation) -> Result<usize> {
        let values = self.action_values(seen)?;
        Ok((1..values.len()).fold(0, |best, a| if values[a] > values[best] { a } else { best }))
    }

    /// A new environment like that of its training.
    pub fn environment(&self) -> Result<AnyEnvironment> {
        match &self.place {
            TrainedOn::BuiltIn { name, params } => make(name, params),
            TrainedOn::External { name } => Err(Error::Data(format!(
                "it was trained in {name}, which is not in the list of environments; run it from the program that defines it"
            ))),
        }
    }

    /// An error for an environment with other observations or actions than that of its training.
    pub fn fits(&self, env: &AnyEnvironment) -> Result<()> {
        if env.space() != self.space || env.actions() != self.actions.len() {
            return Err(Error::Data(format!(
                "{} with {} actions and {:?} is not what the agent was trained for: {} actions and {:?}",
                env.name,
                env.actions(),
                env.space(),
                self.actions.len(),
                self.space
            )));
        }
        Ok(())
    }

    /// The bytes of the agent's file. The same agent gives the same bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let kept = TrainedRepr {
            place: self.place.clone(),
            space: self.space.clone(),
            actions: self.actions.clone(),
            learned: self.learned.clone(),
        };
        array_state::to_bytes(&format!("rl/{}", self.agent.name), Value::Object(self.agent.params.clone()), self.seed, &kept)
    }

    /// Reads the bytes of an agent's file and checks its consistency, so that the agent can act without further checks.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        let (header, kept): (_, TrainedRepr) = array_state::from_bytes(bytes, "rl")?;
        let name = header.learner.split_once('/').map_or("", |p| p.1);
        let Value::Object(params) = header.params else {
            return Err(Error::Model("its parameters are no object".into()));
        };
        let agent = named(name, &params).map_err(|e| Error::Model(e.to_string()))?;
        let TrainedRepr { place, space, actions, learned } = kept;
        Self::new(&agent, place, space, actions, header.seed, learned)
    }
}
