//! Environments written in Python, as environments to train in.

use ermine::agent::env::{Environment, FiniteStates, NumericStates, TimeStep};
use ermine::core::Error;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// An environment written in Python. What it raises is kept for the caller to raise.
pub struct PyEnv<'py> {
    pub env: Bound<'py, PyAny>,
    pub actions: usize,
    /// The number that Python has for the first action.
    pub first_action: i64,
    pub failure: Option<PyErr>,
}

/// The result of a step in Python.
struct PyEnvReply<'py> {
    observation: Bound<'py, PyAny>,
    reward: f64,
    terminated: bool,
    truncated: bool,
}

impl<'py> PyEnv<'py> {
    fn step(&mut self, action: usize) -> PyResult<PyEnvReply<'py>> {
        let reply = self.env.call_method1("step", (action as i64 + self.first_action,))?;
        let reply = reply.cast::<PyTuple>().map_err(|_| {
            PyTypeError::new_err("step must return (observation, reward, terminated, truncated, info), as Gymnasium's do")
        })?;
        if reply.len() != 5 {
            return Err(PyTypeError::new_err(format!(
                "step returned {} things; Gymnasium's return (observation, reward, terminated, truncated, info)",
                reply.len()
            )));
        }
        Ok(PyEnvReply {
            observation: reply.get_item(0)?,
            reward: reply.get_item(1)?.extract()?,
            terminated: reply.get_item(2)?.is_truthy()?,
            truncated: reply.get_item(3)?.is_truthy()?,
        })
    }

    fn reset(&mut self, seed: Option<u64>) -> PyResult<Bound<'py, PyAny>> {
        let arguments = PyDict::new(self.env.py());
        arguments.set_item("seed", seed)?;
        self.env.call_method("reset", (), Some(&arguments))?.get_item(0)
    }

    /// A step whose observation `read` converts for the agent; a failure of this step, or of the reset before it, stops the training.
    fn stepped<O>(&mut self, action: usize, read: impl Fn(&Bound<'py, PyAny>) -> PyResult<O>) -> Result<TimeStep<O>, Error> {
        if self.failure.is_none() {
            let step = self.step(action).and_then(|reply| {
                let (reward, terminated, truncated) = (reply.reward, reply.terminated, reply.truncated);
                Ok(TimeStep { observation: read(&reply.observation)?, reward, terminated, truncated })
            });
            match step {
                Ok(step) => return Ok(step),
                Err(e) => self.failure = Some(e),
            }
        }
        Err(Error::Stopped("a step of the environment".into()))
    }

    /// A reset; after a failure `fallback` stands for the observation, and the next step stops the training.
    fn started<O>(&mut self, seed: Option<u64>, read: impl Fn(&Bound<'py, PyAny>) -> PyResult<O>, fallback: O) -> O {
        match self.reset(seed).and_then(|observation| read(&observation)) {
            Ok(observation) => observation,
            Err(e) => {
                self.failure.get_or_insert(e);
                fallback
            }
        }
    }
}

/// An environment with discrete observations, or with observations that `encode` makes discrete.
pub struct PyDiscreteEnv<'py> {
    pub inner: PyEnv<'py>,
    /// Turns an observation into the number of a state; None where it is one.
    pub encode: Option<Bound<'py, PyAny>>,
    pub states: usize,
    /// The number that Python has for the first state.
    pub first: i64,
}

fn state(encode: &Option<Bound<'_, PyAny>>, states: usize, first: i64, observation: &Bound<'_, PyAny>) -> PyResult<usize> {
    let state: i64 = match encode {
        Some(encode) => encode.call1((observation,))?.extract()?,
        None => observation.extract::<i64>()? - first,
    };
    usize::try_from(state)
        .ok()
        .filter(|s| *s < states)
        .ok_or_else(|| PyValueError::new_err(format!("the environment shows state {state}, and there are {states} states")))
}

impl Environment for PyDiscreteEnv<'_> {
    type Observation = usize;

    fn reset(&mut self, seed: Option<u64>) -> usize {
        let (encode, states, first) = (&self.encode, self.states, self.first);
        self.inner.started(seed, |observation| state(encode, states, first, observation), 0)
    }

    fn step(&mut self, action: usize) -> Result<TimeStep<usize>, Error> {
        let (encode, states, first) = (&self.encode, self.states, self.first);
        self.inner.stepped(action, |observation| state(encode, states, first, observation))
    }

    fn actions(&self) -> usize {
        self.inner.actions
    }

    fn render(&self) -> String {
        String::new()
    }
}

impl FiniteStates for PyDiscreteEnv<'_> {
    fn states(&self) -> usize {
        self.states
    }
}

/// An environment whose observations `flatten` makes vectors.
pub struct PyBoxEnv<'py> {
    pub inner: PyEnv<'py>,
    /// Turns an observation into a contiguous array of f32.
    pub flatten: Bound<'py, PyAny>,
    pub width: usize,
}

fn row(flatten: &Bound<'_, PyAny>, width: usize, observation: &Bound<'_, PyAny>) -> PyResult<Vec<f32>> {
    let flat = flatten.call1((observation,))?;
    let row: PyReadonlyArray1<'_, f32> = flat.extract()?;
    let row = row.as_slice().map_err(|_| PyValueError::new_err("an observation must be contiguous"))?;
    match row.len() == width {
        true => Ok(row.to_vec()),
        false => Err(PyValueError::new_err(format!("the environment shows {} numbers, and its space has {width}", row.len()))),
    }
}

impl Environment for PyBoxEnv<'_> {
    type Observation = Vec<f32>;

    fn reset(&mut self, seed: Option<u64>) -> Vec<f32> {
        let (flatten, width) = (&self.flatten, self.width);
        self.inner.started(seed, |observation| row(flatten, width, observation), vec![0.0; width])
    }

    fn step(&mut self, action: usize) -> Result<TimeStep<Vec<f32>>, Error> {
        let (flatten, width) = (&self.flatten, self.width);
        self.inner.stepped(action, |observation| row(flatten, width, observation))
    }

    fn actions(&self) -> usize {
        self.inner.actions
    }

    fn render(&self) -> String {
        String::new()
    }
}

impl NumericStates for PyBoxEnv<'_> {
    fn numbers(&self) -> usize {
        self.width
    }

    fn write(&self, observation: &Vec<f32>, out: &mut [f32]) {
        out.copy_from_slice(observation);
    }
}
