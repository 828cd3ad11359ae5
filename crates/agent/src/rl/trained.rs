//! A trained agent: it acts, and it is kept in a file.

use ermine_core::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::named::{AnyAgent, named};
use crate::env::{AnyEnvironment, Environment, Seen, Space, make};
use crate::state;
use crate::tabular::Training;

/// Where an agent was trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// One of our environments.
    Ours {
        /// Its name.
        name: String,
        /// Its parameters.
        params: Map<String, Value>,
    },
    /// An environment from elsewhere, by what it is called there.
    Elsewhere {
        /// What it is called.
        name: String,
    },
}

/// What an agent knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Learned {
    /// A table.
    Table(Training),
}

/// A trained agent.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainedAgent {
    /// What it was before it learned.
    pub agent: AnyAgent,
    /// Where it was trained.
    pub place: Place,
    /// What it sees.
    pub space: Space,
    /// The names of its actions.
    pub actions: Vec<String>,
    /// The seed of its training.
    pub seed: u64,
    /// What it has learned.
    pub learned: Learned,
}

/// What a file holds besides the agent's name and parameters.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    place: Place,
    space: Space,
    actions: Vec<String>,
    learned: Learned,
}

impl TrainedAgent {
    /// An agent after its training.
    pub fn new(agent: &AnyAgent, place: Place, space: Space, actions: Vec<String>, seed: u64, learned: Learned) -> Self {
        Self { agent: agent.clone(), place, space, actions, seed, learned }
    }

    /// Returns of the whole episodes of its training, and their lengths.
    pub fn episodes(&self) -> (&[f64], &[u64]) {
        let Learned::Table(t) = &self.learned;
        (&t.returns, &t.lengths)
    }

    /// Steps of its training.
    pub fn steps(&self) -> u64 {
        let Learned::Table(t) = &self.learned;
        t.steps
    }

    /// Its table, where it keeps one.
    pub fn table(&self) -> Option<&Training> {
        let Learned::Table(t) = &self.learned;
        Some(t)
    }

    /// What each action is worth, as far as it knows.
    pub fn action_values(&self, seen: &Seen) -> Result<Vec<f64>> {
        let Learned::Table(t) = &self.learned;
        match (seen, &self.space) {
            (Seen::State(state), Space::States(n)) if state < n => {
                Ok(t.values[state * t.actions..(state + 1) * t.actions].to_vec())
            }
            (Seen::State(state), Space::States(n)) => {
                Err(Error::Data(format!("there is no state {state}; states are 0 to {}", n.saturating_sub(1))))
            }
            _ => Err(Error::Data(format!("{} keeps a table of states and was shown numbers", self.agent.name))),
        }
    }

    /// The best action, the lowest among equals.
    pub fn act(&self, seen: &Seen) -> Result<usize> {
        let values = self.action_values(seen)?;
        Ok((1..values.len()).fold(0, |best, a| if values[a] > values[best] { a } else { best }))
    }

    /// The environment it was trained in, made anew.
    pub fn environment(&self) -> Result<AnyEnvironment> {
        match &self.place {
            Place::Ours { name, params } => make(name, params),
            Place::Elsewhere { name } => Err(Error::Data(format!(
                "it was trained in {name}, which is not one of our environments; play it from where that is"
            ))),
        }
    }

    /// Refuses an environment that does not look like the one it was trained in.
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
        let kept = Kept {
            place: self.place.clone(),
            space: self.space.clone(),
            actions: self.actions.clone(),
            learned: self.learned.clone(),
        };
        state::to_bytes(&format!("rl/{}", self.agent.name), Value::Object(self.agent.params.clone()), self.seed, &kept)
    }

    /// Reads the bytes of an agent's file. What does not fit together is refused, so that the agent can act without a check.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        let (header, kept): (_, Kept) = state::from_bytes(bytes, "rl")?;
        let name = header.learner.split_once('/').map_or("", |p| p.1);
        let Value::Object(params) = header.params else {
            return Err(Error::Model("its parameters are no object".into()));
        };
        let agent = named(name, &params).map_err(|e| Error::Model(e.to_string()))?;
        let Kept { place, space, actions, learned } = kept;
        match (&learned, &space) {
            (Learned::Table(t), Space::States(states)) => t.check(*states, actions.len())?,
            (Learned::Table(_), Space::Numbers(_)) => {
                return Err(Error::Model("it keeps a table and sees no states".into()));
            }
        }
        Ok(Self { agent, place, space, actions, seed: header.seed, learned })
    }
}
