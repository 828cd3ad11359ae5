//! Any of the environments, chosen by name.

use ermine_core::Result;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Acrobot, Blackjack, CartPole, Environment, FiniteStates, GridLayout, MountainCar, NumericStates, TabularEnv, Taxi, TimeStep,
};
use crate::mdp::Transitions;

/// Up to six numbers, stored inline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmallVector {
    values: [f32; 6],
    count: u8,
}

impl SmallVector {
    fn of(values: &[f32]) -> Self {
        let mut out = Self { values: [0.0; 6], count: values.len() as u8 };
        out.values[..values.len()].copy_from_slice(values);
        out
    }
}

impl std::ops::Deref for SmallVector {
    type Target = [f32];
    fn deref(&self) -> &[f32] {
        &self.values[..self.count.into()]
    }
}

/// An observation of any environment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AnyObservation {
    /// The number of a state.
    State(usize),
    /// Numbers.
    Numbers(SmallVector),
}

/// The space of the observations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ObservationSpace {
    /// State numbers below this one.
    States(usize),
    /// This many numbers.
    Numbers(usize),
}

/// The kinds of environments.
#[derive(Clone)]
#[expect(missing_docs, reason = "each variant is the type it holds")]
pub enum EnvKind {
    Table(TabularEnv),
    Taxi(Taxi),
    Blackjack(Blackjack),
    CartPole(CartPole),
    MountainCar(MountainCar),
    Acrobot(Acrobot),
}

/// Runs the same code on any environment.
macro_rules! on {
    ($world:expr, $env:ident => $do:expr) => {
        match $world {
            EnvKind::Table($env) => $do,
            EnvKind::Taxi($env) => $do,
            EnvKind::Blackjack($env) => $do,
            EnvKind::CartPole($env) => $do,
            EnvKind::MountainCar($env) => $do,
            EnvKind::Acrobot($env) => $do,
        }
    };
}

impl From<usize> for AnyObservation {
    fn from(state: usize) -> Self {
        Self::State(state)
    }
}

impl<const N: usize> From<[f32; N]> for AnyObservation {
    fn from(values: [f32; N]) -> Self {
        Self::Numbers(SmallVector::of(&values))
    }
}

/// An environment with its name and parameters.
#[derive(Clone)]
pub struct AnyEnvironment {
    /// Its name.
    pub name: String,
    /// All of its parameters.
    pub params: Map<String, Value>,
    /// The environment itself.
    pub world: EnvKind,
}

impl std::fmt::Debug for AnyEnvironment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AnyEnvironment").field("name", &self.name).field("params", &self.params).finish_non_exhaustive()
    }
}

impl AnyEnvironment {
    /// The space of the observations.
    pub fn space(&self) -> ObservationSpace {
        match &self.world {
            EnvKind::Table(env) => ObservationSpace::States(env.states()),
            EnvKind::Taxi(env) => ObservationSpace::States(env.states()),
            EnvKind::Blackjack(env) => ObservationSpace::States(env.states()),
            EnvKind::CartPole(_) => ObservationSpace::Numbers(4),
            EnvKind::MountainCar(_) => ObservationSpace::Numbers(2),
            EnvKind::Acrobot(_) => ObservationSpace::Numbers(6),
        }
    }

    /// Lower and upper limits of each number of an observation; none where states are numbered.
    pub fn limits(&self) -> Option<(Vec<f32>, Vec<f32>)> {
        let pi = std::f64::consts::PI;
        let high: Vec<f64> = match &self.world {
            EnvKind::CartPole(_) => vec![4.8, f64::INFINITY, 24.0 * pi / 180.0, f64::INFINITY],
            EnvKind::MountainCar(_) => return Some((vec![-1.2, -0.07], vec![0.6, 0.07])),
            EnvKind::Acrobot(_) => vec![1.0, 1.0, 1.0, 1.0, 4.0 * pi, 9.0 * pi],
            _ => return None,
        };
        let high: Vec<f32> = high.into_iter().map(|v| v as f32).collect();
        Some((high.iter().map(|v| -v).collect(), high))
    }

    /// The table of transitions, where there is one.
    pub fn transitions(&self) -> Option<&Transitions> {
        match &self.world {
            EnvKind::Table(env) => Some(env.transitions()),
            EnvKind::Taxi(env) => Some(env.world().transitions()).filter(|_| !env.is_fickle()).map(|t| &**t),
            _ => None,
        }
    }

    /// The grid of the states, where there is one.
    pub fn grid(&self) -> Option<&GridLayout> {
        match &self.world {
            EnvKind::Table(env) => env.grid(),
            _ => None,
        }
    }

    /// The names of the actions.
    pub fn action_names(&self) -> Vec<String> {
        let names: &[&str] = match &self.world {
            EnvKind::Table(env) => return env.action_names(),
            EnvKind::Taxi(env) => return env.world().action_names(),
            EnvKind::Blackjack(_) => &["Stick", "Hit"],
            EnvKind::CartPole(_) => &["Left", "Right"],
            EnvKind::MountainCar(_) => &["Left", "Coast", "Right"],
            EnvKind::Acrobot(_) => &["-1", "0", "+1"],
        };
        names.iter().map(|n| (*n).to_owned()).collect()
    }
}

impl Environment for AnyEnvironment {
    type Observation = AnyObservation;

    fn reset(&mut self, seed: Option<u64>) -> AnyObservation {
        on!(&mut self.world, env => env.reset(seed).into())
    }

    #[inline]
    fn step(&mut self, action: usize) -> Result<TimeStep<AnyObservation>> {
        on!(&mut self.world, env => {
            let step = env.step(action)?;
            Ok(TimeStep {
                observation: step.observation.into(),
                reward: step.reward,
                terminated: step.terminated,
                truncated: step.truncated,
            })
        })
    }

    fn actions(&self) -> usize {
        on!(&self.world, env => env.actions())
    }

    fn render(&self) -> String {
        on!(&self.world, env => env.render())
    }
}

/// Writes a state as a one-hot vector.
fn one_hot(state: usize, out: &mut [f32]) {
    out.fill(0.0);
    if let Some(place) = out.get_mut(state) {
        *place = 1.0;
    }
}

impl NumericStates for AnyEnvironment {
    fn numbers(&self) -> usize {
        match self.space() {
            ObservationSpace::States(n) | ObservationSpace::Numbers(n) => n,
        }
    }

    fn write(&self, observation: &AnyObservation, out: &mut [f32]) {
        match observation {
            AnyObservation::State(state) => one_hot(*state, out),
            AnyObservation::Numbers(values) => out.copy_from_slice(values),
        }
    }
}

macro_rules! numeric {
    ($($env:ty => $n:literal),*) => {$(
        impl NumericStates for $env {
            fn numbers(&self) -> usize {
                $n
            }
            #[inline]
            fn write(&self, observation: &[f32; $n], out: &mut [f32]) {
                out.copy_from_slice(observation);
            }
        }
    )*};
}
numeric!(CartPole => 4, MountainCar => 2, Acrobot => 6);

macro_rules! states {
    ($($env:ty),*) => {$(
        impl NumericStates for $env {
            fn numbers(&self) -> usize {
                self.states()
            }
            fn write(&self, observation: &usize, out: &mut [f32]) {
                one_hot(*observation, out);
            }
        }
    )*};
}
states!(TabularEnv, Taxi, Blackjack);
