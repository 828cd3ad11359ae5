//! Finite decision processes.

use ermine::agent::mdp::{
    MdpSolution, PolicyEvaluation, PolicyTable, Transition, Transitions, ValueIteration, evaluate, evaluate_exactly,
    evaluate_steps, policy_iteration,
};
use ermine::core::Error;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{EstimatorName, raise};
use crate::fit::call;

fn refuse(error: Error) -> PyErr {
    raise(error, EstimatorName::NOBODY)
}

/// A finite decision process.
#[pyclass(frozen, module = "ermine._native")]
pub struct NativeMdp {
    table: Transitions,
}

impl NativeMdp {
    fn policy(&self, policy: &PyReadonlyArray2<'_, f64>) -> PyResult<PolicyTable> {
        let rows = policy.as_slice().map_err(|_| PyValueError::new_err("policy must be contiguous and in C order"))?;
        if policy.shape() != [self.table.states(), self.table.actions()] {
            let (what, expected, found) = ("probabilities of the policy", self.table.states() * self.table.actions(), rows.len());
            return Err(refuse(Error::Length { what: what.into(), expected, found }));
        }
        PolicyTable::new(self.table.actions(), rows.to_vec()).map_err(refuse)
    }
}

#[pymethods]
impl NativeMdp {
    /// From rows (state, action, next, probability, reward, terminated) and the probabilities of the first state.
    #[new]
    fn new(states: usize, actions: usize, rows: PyReadonlyArray2<'_, f64>, start: PyReadonlyArray1<'_, f64>) -> PyResult<Self> {
        let dense = |_| PyValueError::new_err("rows and start must be contiguous and in C order");
        if rows.shape()[1] != 6 {
            return Err(PyValueError::new_err(format!("rows of {} numbers; six are needed", rows.shape()[1])));
        }
        let (rows, start) = (rows.as_slice().map_err(dense)?, start.as_slice().map_err(dense)?);
        let mut outcomes: Vec<Vec<Transition>> = vec![Vec::new(); states.saturating_mul(actions)];
        for (at, row) in rows.chunks_exact(6).enumerate() {
            let (state, action) = (row[0] as usize, row[1] as usize);
            if state >= states || action >= actions || row[0] < 0.0 || row[1] < 0.0 {
                return Err(PyValueError::new_err(format!("row {at}: there is no state {} with action {}", row[0], row[1])));
            }
            let next = if row[2] >= 0.0 { row[2] as usize } else { usize::MAX };
            let outcome = Transition { probability: row[3], next, reward: row[4], terminated: row[5] != 0.0 };
            outcomes[state * actions + action].push(outcome);
        }
        let row = |s: usize, a: usize| std::mem::take(&mut outcomes[s * actions + a]);
        Ok(Self { table: Transitions::new(states, actions, start.to_vec(), row).map_err(refuse)? })
    }

    /// Optimal values and actions, and the certificate.
    #[pyo3(signature = (gamma, tolerance, max_sweeps))]
    fn value_iteration<'py>(
        &self,
        py: Python<'py>,
        gamma: f64,
        tolerance: f64,
        max_sweeps: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let how = ValueIteration { gamma, tolerance, max_sweeps };
        let solution = call(py, EstimatorName::NOBODY, || how.solve(&self.table))?;
        solution_dict(py, solution)
    }

    /// Optimal values and actions, and the certificate.
    #[pyo3(signature = (gamma, max_rounds))]
    fn policy_iteration<'py>(&self, py: Python<'py>, gamma: f64, max_rounds: usize) -> PyResult<Bound<'py, PyDict>> {
        let solution = call(py, EstimatorName::NOBODY, || policy_iteration(&self.table, gamma, max_rounds))?;
        solution_dict(py, solution)
    }

    /// The value of a policy in each state: exactly, by sweeps to a tolerance, or over a number of steps.
    #[pyo3(signature = (policy, gamma, tolerance=None, steps=None))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        policy: PyReadonlyArray2<'py, f64>,
        gamma: f64,
        tolerance: Option<f64>,
        steps: Option<usize>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Vec<String>)> {
        let policy = self.policy(&policy)?;
        let (values, notes) = call(py, EstimatorName::NOBODY, || match (tolerance, steps) {
            (_, Some(steps)) => Ok((evaluate_steps(&self.table, &policy, gamma, steps)?, Vec::new())),
            (Some(tolerance), None) => {
                let PolicyEvaluation { values, converged, mut notes, sweeps, .. } =
                    evaluate(&self.table, &policy, gamma, tolerance, 10_000_000)?;
                if !converged {
                    notes.push(format!("values still change after {sweeps} sweeps"));
                }
                Ok((values, notes))
            }
            (None, None) => evaluate_exactly(&self.table, &policy, gamma).map(|e| (e.values, e.notes)),
        })?;
        Ok((values.into_pyarray(py), notes))
    }
}

fn solution_dict(py: Python<'_>, solution: MdpSolution) -> PyResult<Bound<'_, PyDict>> {
    let out = PyDict::new(py);
    let c = solution.certificate;
    out.set_item("bound", c.duality_gap)?;
    out.set_item("residual", c.kkt_residual)?;
    out.set_item("iterations", c.iterations)?;
    out.set_item("converged", c.converged)?;
    out.set_item("notes", c.notes)?;
    let trace = PyDict::new(py);
    for name in &solution.trace.columns {
        if let Some(values) = solution.trace.column(name) {
            trace.set_item(name, values.into_pyarray(py))?;
        }
    }
    out.set_item("trace", trace)?;
    out.set_item("values", solution.values.into_pyarray(py))?;
    out.set_item("policy", solution.policy.into_iter().map(|a| a as i64).collect::<Vec<_>>().into_pyarray(py))?;
    Ok(out)
}
