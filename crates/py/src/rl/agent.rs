//! Trained agents.

use ermine::agent::env::AnyObservation;
use ermine::agent::rl::{self, ReturnStats, TrainedAgent};
use ermine::agent::tabular::TabularTraining;
use ermine::core::{Context, file};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;

use super::{NativeEnvironment, refuse};
use crate::error::EstimatorName;
use crate::fit::{call, interruptible};

/// A trained agent.
#[pyclass(frozen, module = "ermine._native")]
pub struct NativeAgent {
    pub(super) trained: TrainedAgent,
}

impl NativeAgent {
    fn table(&self) -> PyResult<&TabularTraining> {
        let none = || PyAttributeError::new_err(format!("{} keeps no table", self.trained.agent.name));
        self.trained.table().ok_or_else(none)
    }
}

#[pymethods]
impl NativeAgent {
    /// The agent that bytes of a file hold.
    #[staticmethod]
    fn from_bytes(bytes: Vec<u8>) -> PyResult<Self> {
        Ok(Self { trained: TrainedAgent::from_bytes(bytes).map_err(refuse)? })
    }

    /// The bytes of a file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.trained.to_bytes().map_err(refuse)?))
    }

    /// Writes the file; a failure leaves an older one whole.
    fn save(&self, path: std::path::PathBuf) -> PyResult<()> {
        file::write_atomic(&path, &self.trained.to_bytes().map_err(refuse)?).map_err(refuse)
    }

    /// Name, parameters, environment, actions, seed and steps, as JSON.
    fn describe(&self) -> String {
        let t = &self.trained;
        json!({"name": t.agent.name, "params": t.agent.params, "place": t.place, "space": t.space, "actions": t.actions,
               "seed": t.seed, "steps": t.steps()})
        .to_string()
    }

    /// The best action in each of the states.
    fn act_states<'py>(&self, py: Python<'py>, states: PyReadonlyArray1<'py, i64>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let states = states.as_slice().map_err(|_| PyValueError::new_err("states must be contiguous"))?;
        let act = |&s: &i64| self.trained.act(&AnyObservation::State(usize::try_from(s).unwrap_or(usize::MAX))).map(|a| a as i64);
        let actions: Vec<i64> = states.iter().map(act).collect::<Result<_, _>>().map_err(refuse)?;
        Ok(actions.into_pyarray(py))
    }

    /// The value of each action in each state.
    fn table_values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let t = self.table()?;
        t.values.clone().into_pyarray(py).reshape([t.values.len() / t.actions, t.actions])
    }

    /// The number of updates of each action in each state.
    fn table_visits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let t = self.table()?;
        t.visits.clone().into_pyarray(py).reshape([t.visits.len() / t.actions, t.actions])
    }

    /// The best action for each row.
    fn act_rows<'py>(&self, py: Python<'py>, rows: PyReadonlyArray2<'py, f32>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (count, width) = (rows.shape()[0], rows.shape()[1]);
        let values = rows.as_slice().map_err(|_| PyValueError::new_err("observations must be contiguous and in C order"))?;
        let best = |v: Vec<f64>| (1..v.len()).fold(0, |best, a| if v[a] > v[best] { a } else { best }) as i64;
        let act = |i: usize| self.trained.values_of(&values[i * width..(i + 1) * width]).map(best);
        let actions: Vec<i64> = (0..count).map(act).collect::<Result<_, _>>().map_err(refuse)?;
        Ok(actions.into_pyarray(py))
    }

    /// The values of the actions by the network, for each row.
    fn row_values<'py>(&self, py: Python<'py>, rows: PyReadonlyArray2<'py, f32>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (count, width) = (rows.shape()[0], rows.shape()[1]);
        let values = rows.as_slice().map_err(|_| PyValueError::new_err("observations must be contiguous and in C order"))?;
        let mut all = Vec::new();
        for i in 0..count {
            all.extend(self.trained.values_of(&values[i * width..(i + 1) * width]).map_err(refuse)?);
        }
        all.into_pyarray(py).reshape([count, self.trained.actions.len()])
    }

    /// The evaluations without exploration during training: steps, mean return.
    fn evaluation_history(&self) -> Vec<(u64, f64)> {
        self.trained.network().map_or_else(Vec::new, |t| t.judged.clone())
    }

    /// Returns and lengths of the training episodes.
    fn episodes<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u64>>) {
        let (returns, lengths) = self.trained.episodes();
        (PyArray1::from_slice(py, returns), PyArray1::from_slice(py, lengths))
    }

    /// Plays episodes in one of our environments: a summary as JSON.
    #[pyo3(signature = (env, episodes, seed=0))]
    fn evaluate(&self, py: Python<'_>, env: &NativeEnvironment, episodes: u64, seed: u64) -> PyResult<String> {
        let (trained, env) = (&self.trained, &env.env);
        trained.fits(env).map_err(refuse)?;
        let context = Context::seeded(seed);
        let returns: ReturnStats = interruptible(py, EstimatorName::NOBODY, &context, move |cx| {
            rl::evaluate(env, |observation| trained.act(observation), episodes, cx)
        })?;
        Ok(json!(returns).to_string())
    }

    /// Plays one episode in one of our environments: return, steps and frames, as JSON.
    #[pyo3(signature = (env, seed, limit, frames))]
    fn play(&self, py: Python<'_>, env: &NativeEnvironment, seed: u64, limit: u64, frames: bool) -> PyResult<String> {
        let (trained, env) = (&self.trained, &env.env);
        trained.fits(env).map_err(refuse)?;
        let episode = call(py, EstimatorName::NOBODY, move || {
            rl::play(&mut env.clone(), |observation| trained.act(observation), Some(seed), limit, frames)
        })?;
        Ok(json!(episode).to_string())
    }
}
