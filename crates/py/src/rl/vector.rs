//! Many of our environments that step together.

use ermine::agent::env::{
    AnyEnvironment, AnyObservation, Blackjack, CartPoleVec, EnvKind, ObservationSpace, TimeStep, VecEnv, make,
};
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::refuse;
use crate::bandits::params as params_of;

enum VecEnvKind {
    Carts(Box<CartPoleVec>),
    Any(VecEnv<AnyEnvironment>),
}

/// Many of our environments that step together.
#[pyclass(module = "ermine._native")]
pub struct NativeVector {
    inner: VecEnvKind,
    actions: Vec<u8>,
}

/// Observations, rewards, terminated, truncated.
type PyTimeSteps<'py> = (Bound<'py, PyAny>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<bool>>, Bound<'py, PyArray1<bool>>);

#[pymethods]
impl NativeVector {
    #[new]
    #[pyo3(signature = (name, params, width, exact))]
    fn new(name: &str, params: &str, width: usize, exact: bool) -> PyResult<Self> {
        let env = make(name, &params_of(params)?).map_err(refuse)?;
        let default = make(name, &Default::default()).map_err(refuse)?;
        let inner = match &env.world {
            // Only the default cart-pole has the vectorized form.
            EnvKind::CartPole(_) if env.params == default.params => {
                VecEnvKind::Carts(Box::new(CartPoleVec::new(width, exact).map_err(refuse)?))
            }
            _ => VecEnvKind::Any(VecEnv::new(vec![env; width]).map_err(refuse)?),
        };
        Ok(Self { inner, actions: Vec::new() })
    }

    /// Starts an episode in each.
    #[pyo3(signature = (seed=None))]
    fn reset<'py>(&mut self, py: Python<'py>, seed: Option<u64>) -> PyResult<Bound<'py, PyAny>> {
        match &mut self.inner {
            VecEnvKind::Carts(carts) => {
                carts.reset(seed);
                Ok(PyArray1::from_slice(py, carts.observations()).reshape([carts.width(), 4])?.into_any())
            }
            VecEnvKind::Any(many) => {
                let steps = many.reset(seed).to_vec();
                observations(py, many, &steps)
            }
        }
    }

    /// One step of each.
    fn step<'py>(&mut self, py: Python<'py>, actions: PyReadonlyArray1<'py, i64>) -> PyResult<PyTimeSteps<'py>> {
        let actions = actions.as_slice().map_err(|_| PyValueError::new_err("actions must be contiguous"))?;
        match &mut self.inner {
            VecEnvKind::Carts(carts) => {
                // Numbers that do not fit into a byte are no actions either.
                self.actions.clear();
                self.actions.extend(actions.iter().map(|&a| u8::try_from(a).unwrap_or(u8::MAX)));
                carts.step(&self.actions).map_err(refuse)?;
                let observed = PyArray1::from_slice(py, carts.observations()).reshape([carts.width(), 4])?.into_any();
                let rewards: Vec<f64> = carts.rewards().iter().map(|&r| f64::from(r)).collect();
                let flags = |flags: &[bool]| PyArray1::from_slice(py, flags);
                Ok((observed, rewards.into_pyarray(py), flags(carts.terminated()), flags(carts.truncated())))
            }
            VecEnvKind::Any(many) => {
                let actions: Vec<usize> = actions.iter().map(|&a| usize::try_from(a).unwrap_or(usize::MAX)).collect();
                let steps = many.step(&actions).map_err(refuse)?.to_vec();
                let observed = observations(py, many, &steps)?;
                let rewards: Vec<f64> = steps.iter().map(|s| s.reward).collect();
                let flags =
                    |f: fn(&TimeStep<AnyObservation>) -> bool| steps.iter().map(f).collect::<Vec<bool>>().into_pyarray(py);
                Ok((observed, rewards.into_pyarray(py), flags(|s| s.terminated), flags(|s| s.truncated)))
            }
        }
    }
}

/// All observations in one array; of Blackjack a tuple of three.
fn observations<'py>(
    py: Python<'py>,
    many: &VecEnv<AnyEnvironment>,
    steps: &[TimeStep<AnyObservation>],
) -> PyResult<Bound<'py, PyAny>> {
    let first = &many.environments()[0];
    let states = || steps.iter().map(|s| if let AnyObservation::State(state) = s.observation { state } else { 0 });
    Ok(match (&first.world, first.space()) {
        (EnvKind::Blackjack(_), _) => {
            let part = |f: fn((usize, usize, bool)) -> i64| {
                states().map(|s| f(Blackjack::decode(s))).collect::<Vec<i64>>().into_pyarray(py)
            };
            let parts = [part(|h| h.0 as i64), part(|h| h.1 as i64), part(|h| i64::from(h.2))];
            PyTuple::new(py, parts)?.into_any()
        }
        (_, ObservationSpace::States(_)) => states().map(|s| s as i64).collect::<Vec<_>>().into_pyarray(py).into_any(),
        (_, ObservationSpace::Numbers(d)) => {
            let mut all: Vec<f32> = Vec::with_capacity(steps.len() * d);
            for step in steps {
                if let AnyObservation::Numbers(values) = &step.observation {
                    all.extend_from_slice(values);
                }
            }
            all.into_pyarray(py).reshape([steps.len(), d])?.into_any()
        }
    })
}
