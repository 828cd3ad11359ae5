//! Training of agents.

use ermine::agent::deep::ObservationScaling;
use ermine::agent::env::ObservationSpace;
use ermine::agent::rl::{self, AnyAgent, LearnedState, TrainedAgent, TrainedOn, named};
use ermine::agent::tabular::TrainingBudget;
use ermine::core::{Context, Error, Flow, Progress};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::python_env::{PyBoxEnv, PyDiscreteEnv, PyEnv};
use super::{NativeAgent, NativeEnvironment, refuse};
use crate::bandits::params as params_of;
use crate::error::EstimatorName;
use crate::fit::interruptible;

fn budget(steps: Option<u64>, episodes: Option<u64>, default: u64) -> PyResult<TrainingBudget> {
    match (steps, episodes) {
        (Some(_), Some(_)) => Err(PyValueError::new_err("give steps or episodes, not both")),
        (Some(0), _) | (_, Some(0)) => Err(PyValueError::new_err("training needs at least one step or episode")),
        (_, Some(episodes)) => Ok(TrainingBudget::Episodes(episodes)),
        (steps, None) => Ok(TrainingBudget::Steps(steps.unwrap_or(default))),
    }
}

/// Trains an agent in one of our environments, from the start or from the state of another training.
#[pyfunction]
#[pyo3(signature = (agent, params, env, steps=None, episodes=None, seed=0, start=None))]
#[allow(clippy::too_many_arguments)]
pub fn rl_train(
    py: Python<'_>,
    agent: &str,
    params: &str,
    env: &NativeEnvironment,
    steps: Option<u64>,
    episodes: Option<u64>,
    seed: u64,
    start: Option<&NativeAgent>,
) -> PyResult<NativeAgent> {
    let budget = budget(steps, episodes, rl::tuned(agent, &env.env.name).1)?;
    let agent = named(agent, &params_of(params)?).map_err(refuse)?;
    let (env, start) = (&env.env, start.map(|s| &s.trained));
    let context = Context::seeded(seed);
    let trained = interruptible(py, EstimatorName::NOBODY, &context, move |cx| rl::train(&agent, env, start, budget, cx))?;
    Ok(NativeAgent { trained })
}

/// Trains an agent in an environment written in Python whose observations are numbers of states.
#[pyfunction]
#[pyo3(signature = (agent, params, env, name, states, actions, first_state=0, first_action=0, encode=None, steps=None, episodes=None, seed=0, start=None))]
#[allow(clippy::too_many_arguments)]
pub fn rl_train_discrete<'py>(
    py: Python<'py>,
    agent: &str,
    params: &str,
    env: Bound<'py, PyAny>,
    name: String,
    states: usize,
    actions: usize,
    first_state: i64,
    first_action: i64,
    encode: Option<Bound<'py, PyAny>>,
    steps: Option<u64>,
    episodes: Option<u64>,
    seed: u64,
    start: Option<&NativeAgent>,
) -> PyResult<NativeAgent> {
    let budget = budget(steps, episodes, 100_000)?;
    let agent = named(agent, &params_of(params)?).map_err(refuse)?;
    let inner = PyEnv { env, actions, first_action, failure: None };
    let mut python_env = PyDiscreteEnv { inner, encode, states, first: first_state };
    let start = start.map(|s| &s.trained);
    let result = with_gil(seed, |cx| rl::train_table(&agent, &mut python_env, start, budget, cx));
    let training = result_or_raised(py, result, python_env.inner.failure)?;
    trained_agent(&agent, name, ObservationSpace::States(states), actions, seed, LearnedState::Table(training))
}

/// Trains an agent with a network in an environment written in Python. `flatten` turns an observation into an array of f32; `low` and
/// `high` are the limits of its numbers.
#[pyfunction]
#[pyo3(signature = (agent, params, env, name, flatten, low, high, actions, first_action=0, steps=None, episodes=None, seed=0, start=None))]
#[allow(clippy::too_many_arguments)]
pub fn rl_train_box<'py>(
    py: Python<'py>,
    agent: &str,
    params: &str,
    env: Bound<'py, PyAny>,
    name: String,
    flatten: Bound<'py, PyAny>,
    low: Vec<f32>,
    high: Vec<f32>,
    actions: usize,
    first_action: i64,
    steps: Option<u64>,
    episodes: Option<u64>,
    seed: u64,
    start: Option<&NativeAgent>,
) -> PyResult<NativeAgent> {
    let budget = budget(steps, episodes, 50_000)?;
    let agent = named(agent, &params_of(params)?).map_err(refuse)?;
    let (scaling, width) = (ObservationScaling::of_limits(&low, &high), low.len());
    let inner = PyEnv { env, actions, first_action, failure: None };
    let mut python_env = vec![PyBoxEnv { inner, flatten, width }];
    let start = start.map(|s| &s.trained);
    // An environment of Python's cannot be copied, so that there is no evaluation during training: the last network is the result.
    let result = with_gil(seed, |cx| rl::train_network(&agent, &mut python_env, start, scaling, budget, None, cx));
    let failure = python_env.pop().and_then(|f| f.inner.failure);
    let training = result_or_raised(py, result, failure)?;
    trained_agent(&agent, name, ObservationSpace::Numbers(width), actions, seed, LearnedState::Network(training))
}

/// Runs work that keeps the interpreter, which the environment needs; signals are checked meanwhile.
fn with_gil<T>(seed: u64, work: impl FnOnce(&Context<'_>) -> Result<T, Error>) -> (Result<T, Error>, Option<PyErr>) {
    let interrupt = std::sync::Mutex::new(None);
    let observer = |_: &Progress| match Python::attach(|py| py.check_signals()) {
        Ok(()) => Flow::Continue,
        Err(e) => {
            *interrupt.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(e);
            Flow::Stop
        }
    };
    let context = Context { seed, observer: Some(&observer), ..Context::default() };
    let result = work(&context);
    (result, interrupt.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
}

/// The result, or the exception that the environment or a signal has raised.
fn result_or_raised<T>(
    py: Python<'_>,
    (result, interrupt): (Result<T, Error>, Option<PyErr>),
    failure: Option<PyErr>,
) -> PyResult<T> {
    if let Some(e) = failure.or(interrupt) {
        return Err(e);
    }
    py.check_signals()?;
    result.map_err(refuse)
}

fn trained_agent(
    agent: &AnyAgent,
    name: String,
    space: ObservationSpace,
    actions: usize,
    seed: u64,
    learned: LearnedState,
) -> PyResult<NativeAgent> {
    let names = (0..actions).map(|a| a.to_string()).collect();
    let trained = TrainedAgent::new(agent, TrainedOn::External { name }, space, names, seed, learned).map_err(refuse)?;
    Ok(NativeAgent { trained })
}
