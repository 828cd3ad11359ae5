//! One of our environments as a Python object with Gymnasium's results.

use ermine::agent::env::{
    AnyEnvironment, AnyObservation, Blackjack, EnvKind, Environment, ObservationSpace, Taxi, env_info, make,
};
use ermine::core::Error;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use super::refuse;
use crate::bandits::params as params_of;
use crate::error::EstimatorName;
use crate::fit::call;

/// An observation as Gymnasium has it.
fn observation_object<'py>(py: Python<'py>, world: &EnvKind, observation: AnyObservation) -> PyResult<Bound<'py, PyAny>> {
    Ok(match (world, observation) {
        (EnvKind::Blackjack(_), AnyObservation::State(state)) => {
            let (sum, dealer, ace) = Blackjack::decode(state);
            (sum, dealer, usize::from(ace)).into_pyobject(py)?.into_any()
        }
        (_, AnyObservation::State(state)) => state.into_pyobject(py)?.into_any(),
        (_, AnyObservation::Numbers(values)) => PyArray1::from_slice(py, &values).into_any(),
    })
}

/// The `info` that Gymnasium's environment gives with an observation.
fn info<'py>(py: Python<'py>, world: &EnvKind, observation: AnyObservation) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    match world {
        EnvKind::Table(env) => out.set_item("prob", env.last_probability())?,
        EnvKind::Taxi(env) => {
            out.set_item("prob", env.world().last_probability())?;
            if let AnyObservation::State(state) = observation {
                let mask = Taxi::action_mask(state).map(i8::from);
                out.set_item("action_mask", PyArray1::from_slice(py, &mask))?;
            }
        }
        _ => {}
    }
    Ok(out)
}

/// One of our environments.
#[pyclass(module = "ermine._native")]
pub struct NativeEnvironment {
    pub(super) env: AnyEnvironment,
}

/// The bounds of the numbers of an observation.
type PyBounds<'py> = (Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<f32>>);

/// Observation, reward, terminated, truncated, info.
type PyTimeStep<'py> = (Bound<'py, PyAny>, f64, bool, bool, Bound<'py, PyDict>);

#[pymethods]
impl NativeEnvironment {
    #[new]
    #[pyo3(signature = (name, params="{}"))]
    fn new(name: &str, params: &str) -> PyResult<Self> {
        Ok(Self { env: make(name, &params_of(params)?).map_err(refuse)? })
    }

    /// Name, parameters, spaces of observations and actions, as JSON.
    fn describe(&self) -> String {
        let known = env_info(&self.env.name, &self.env.params);
        json!({"name": self.env.name, "params": self.env.params, "space": self.env.space(), "limits": self.env.limits().is_some(),
               "actions": self.env.action_names(), "gymnasium": known.gymnasium, "solved": known.solved})
        .to_string()
    }

    /// The bounds of the numbers of an observation.
    fn limits<'py>(&self, py: Python<'py>) -> Option<PyBounds<'py>> {
        self.env.limits().map(|(low, high)| (low.into_pyarray(py), high.into_pyarray(py)))
    }

    /// Starts an episode: observation and info.
    #[pyo3(signature = (seed=None))]
    fn reset<'py>(&mut self, py: Python<'py>, seed: Option<u64>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        let observation = self.env.reset(seed);
        Ok((observation_object(py, &self.env.world, observation)?, info(py, &self.env.world, observation)?))
    }

    /// A step.
    fn step<'py>(&mut self, py: Python<'py>, action: i64) -> PyResult<PyTimeStep<'py>> {
        let action = usize::try_from(action).unwrap_or(usize::MAX);
        let step = self.env.step(action).map_err(refuse)?;
        let observation = observation_object(py, &self.env.world, step.observation)?;
        Ok((observation, step.reward, step.terminated, step.truncated, info(py, &self.env.world, step.observation)?))
    }

    /// The present state, drawn in text.
    fn render(&self) -> String {
        self.env.render()
    }

    /// The state as f64; None where states are numbered.
    fn state<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        match &self.env.world {
            EnvKind::CartPole(env) => Some(PyArray1::from_slice(py, &env.state())),
            EnvKind::MountainCar(env) => Some(PyArray1::from_slice(py, &env.state())),
            EnvKind::Acrobot(env) => Some(PyArray1::from_slice(py, &env.state())),
            _ => None,
        }
    }

    /// Takes a number of steps, with a reset after each episode: sum of the rewards and number of episodes that ended. `policy` has an
    /// action for each state; without one, actions are random.
    #[pyo3(signature = (steps, policy=None, seed=None))]
    fn rollout(
        &mut self,
        py: Python<'_>,
        steps: u64,
        policy: Option<PyReadonlyArray1<'_, i64>>,
        seed: Option<u64>,
    ) -> PyResult<(f64, u64)> {
        let policy = match &policy {
            Some(p) => Some(p.as_slice().map_err(|_| PyValueError::new_err("policy must be contiguous"))?),
            None => None,
        };
        if let (Some(p), ObservationSpace::States(n)) = (policy, self.env.space())
            && p.len() != n
        {
            return Err(refuse(Error::Length { what: "actions of the policy".into(), expected: n, found: p.len() }));
        }
        if policy.is_some() && matches!(self.env.space(), ObservationSpace::Numbers(_)) {
            return Err(PyValueError::new_err(format!("{} has no numbered states for a policy", self.env.name)));
        }
        let env = &mut self.env;
        call(py, EstimatorName::NOBODY, move || match &mut env.world {
            EnvKind::Table(env) => rollout(env, steps, policy, seed, |s| *s),
            EnvKind::Taxi(env) => rollout(env, steps, policy, seed, |s| *s),
            EnvKind::Blackjack(env) => rollout(env, steps, policy, seed, |s| *s),
            EnvKind::CartPole(env) => rollout(env, steps, None, seed, |_| 0),
            EnvKind::MountainCar(env) => rollout(env, steps, None, seed, |_| 0),
            EnvKind::Acrobot(env) => rollout(env, steps, None, seed, |_| 0),
        })
    }

    /// The decision process as rows (state, action, next, probability, reward, terminated), and the probabilities of the first state; None
    /// where it is not finite.
    #[expect(clippy::type_complexity, reason = "a tuple of columns is what Python unpacks")]
    fn transitions<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>, usize, usize)>> {
        let own;
        let table = match (&self.env.world, self.env.transitions()) {
            (_, Some(table)) => table,
            (EnvKind::Blackjack(game), None) => {
                own = Blackjack::transitions(game.rules()).map_err(refuse)?;
                &own
            }
            _ => return Ok(None),
        };
        let mut rows = Vec::new();
        for state in 0..table.states() {
            for action in 0..table.actions() {
                for o in table.outcomes(state, action) {
                    rows.extend([state as f64, action as f64, o.next as f64, o.probability, o.reward, f64::from(o.terminated)]);
                }
            }
        }
        let count = rows.len() / 6;
        let rows = rows.into_pyarray(py).reshape([count, 6])?;
        Ok(Some((rows, PyArray1::from_slice(py, table.start()), table.states(), table.actions())))
    }
}

fn rollout<E: Environment>(
    env: &mut E,
    steps: u64,
    policy: Option<&[i64]>,
    seed: Option<u64>,
    state: impl Fn(&E::Observation) -> usize,
) -> Result<(f64, u64), Error> {
    let actions = env.actions() as u64;
    let (mut total, mut episodes) = (0.0, 0);
    let mut draws = seed.unwrap_or(0) ^ 0x9E37_79B9_7F4A_7C15;
    let mut observation = env.reset(seed);
    for _ in 0..steps {
        let action = match policy {
            Some(policy) => usize::try_from(policy[state(&observation)]).unwrap_or(usize::MAX),
            None => {
                // A small generator of actions, so that the environment is what takes the time.
                draws = draws.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                ((u128::from(draws >> 16) * u128::from(actions)) >> 48) as usize
            }
        };
        let step = env.step(action)?;
        total += step.reward;
        let done = step.done();
        observation = if done { env.reset(None) } else { step.observation };
        episodes += u64::from(done);
    }
    Ok((total, episodes))
}
