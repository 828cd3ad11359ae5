//! Environments: a trait, and the classic ones with the public dynamics.

mod acrobot;
mod any;
mod blackjack;
mod cartpole;
mod catalog;
mod cliff_walking;
mod frozen_lake;
mod grid_world;
mod mountain_car;
mod table;
mod taxi;
mod vec_env;

pub use acrobot::Acrobot;
pub use any::{AnyEnvironment, AnyObservation, EnvKind, ObservationSpace, SmallVector};
pub use blackjack::{Blackjack, BlackjackRules};
pub use cartpole::{CartPole, CartPoleVec};
pub use catalog::{ENVIRONMENTS, EnvInfo, env_info, environment_entry, make};
pub use cliff_walking::cliff_walking;
pub use frozen_lake::FrozenLake;
pub use grid_world::GridWorld;
pub use mountain_car::MountainCar;
pub use table::{GridLayout, TabularEnv};
pub use taxi::Taxi;
pub use vec_env::VecEnv;

use ermine_core::{Error, Result};

/// Result of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeStep<O> {
    /// The new observation.
    pub observation: O,
    /// The reward of the step.
    pub reward: f64,
    /// The task itself has ended, and the value of what follows is 0.
    pub terminated: bool,
    /// The step limit has ended the episode: the value of what follows is not 0.
    pub truncated: bool,
}

impl<O> TimeStep<O> {
    /// Whether the episode is over, one way or the other.
    pub fn done(&self) -> bool {
        self.terminated || self.truncated
    }
}

/// An environment with finitely many actions.
pub trait Environment {
    /// The observation: a state number, or an array of numbers.
    type Observation: Clone;

    /// Starts an episode. A seed restarts the random numbers; without one they continue.
    fn reset(&mut self, seed: Option<u64>) -> Self::Observation;

    /// Takes an action in `0..self.actions()`.
    fn step(&mut self, action: usize) -> Result<TimeStep<Self::Observation>>;

    /// The number of actions.
    fn actions(&self) -> usize;

    /// The present state, drawn in text.
    fn render(&self) -> String;
}

/// An environment whose observations are state numbers below a known bound.
pub trait FiniteStates: Environment<Observation = usize> {
    /// The number of states.
    fn states(&self) -> usize;
}

/// An environment whose observations can be written as numbers.
pub trait NumericStates: Environment {
    /// How many numbers an observation has.
    fn numbers(&self) -> usize;

    /// Writes an observation into `out`, which is as long as [`NumericStates::numbers`].
    fn write(&self, observation: &Self::Observation, out: &mut [f32]);
}

#[cold]
fn no_such_action(what: &str, action: usize, actions: usize) -> Error {
    Error::Data(format!("{what}: there is no action {action}; actions are 0 to {}", actions - 1))
}

/// Counts the steps of an episode up to its limit.
#[derive(Debug, Clone)]
struct StepLimit {
    steps: u32,
    limit: Option<u32>,
}

impl StepLimit {
    fn new(limit: Option<u32>) -> Self {
        Self { steps: 0, limit }
    }

    fn start(&mut self) {
        self.steps = 0;
    }

    /// Counts a step; true when the limit is reached.
    #[inline]
    fn tick(&mut self) -> bool {
        self.steps += 1;
        self.limit.is_some_and(|limit| self.steps >= limit)
    }
}
