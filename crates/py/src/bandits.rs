//! Bandits: policies at work, simulations, logs.

use ermine::agent::bandit::{
    ArmChoice, LoggedRound, POLICIES, PolicyService, PolicySetting, RewardDelay, RewardModel, RewardRange, SimulatedPolicy,
    TopArms, compare, look_rounds, lucb, named, off_policy, replay, successive_accepts_rejects,
};
use ermine::agent::catalog::CatalogEntry;
use ermine::agent::{env, rl};
use ermine::core::{Context, Error, ParamSpec, file};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::{Map, Value, json};

use crate::error::{EstimatorName, raise};
use crate::fit::{call, interruptible};

fn refuse(error: Error) -> PyErr {
    raise(error, EstimatorName::NOBODY)
}

/// Parameters as JSON.
pub fn params(text: &str) -> PyResult<Map<String, Value>> {
    serde_json::from_str(text).map_err(|e| PyValueError::new_err(format!("parameters: {e}")))
}

fn entries(entries: &[CatalogEntry]) -> Value {
    let entry = |e: &CatalogEntry| {
        let (spec, defaults) = (&e.spec, (e.defaults)());
        let param =
            |p: &ParamSpec| json!({"name": p.name, "default": defaults[p.name], "range": p.range.describe(), "doc": p.doc});
        json!({"name": spec.name, "summary": spec.summary, "rule": spec.objective, "reference": spec.reference,
               "params": spec.params.iter().map(param).collect::<Vec<_>>()})
    };
    Value::from(entries.iter().map(entry).collect::<Vec<_>>())
}

/// Policies, agents and environments that can be chosen by name, as JSON.
#[pyfunction]
pub fn agent_catalogue() -> String {
    json!({"policies": entries(POLICIES), "agents": entries(rl::AGENTS), "environments": entries(env::ENVIRONMENTS)}).to_string()
}

/// A policy at work.
#[pyclass(module = "ermine._native")]
pub struct NativePolicy {
    served: PolicyService,
}

/// A context where there is one.
fn numbers<'a>(context: &'a Option<PyReadonlyArray1<'_, f64>>) -> PyResult<&'a [f64]> {
    match context {
        Some(context) => context.as_slice().map_err(|_| PyValueError::new_err("a context must be contiguous")),
        None => Ok(&[]),
    }
}

#[pymethods]
impl NativePolicy {
    #[new]
    #[pyo3(signature = (name, params, arms, rounds=None, dimension=0, range=None, seed=0))]
    fn new(
        name: &str,
        params: &str,
        arms: Vec<String>,
        rounds: Option<u64>,
        dimension: usize,
        range: Option<(f64, f64)>,
        seed: u64,
    ) -> PyResult<Self> {
        let range = range.map(|(low, high)| RewardRange { low, high });
        let served = PolicyService::new(name, &self::params(params)?, arms, rounds, dimension, range, seed).map_err(refuse)?;
        Ok(Self { served })
    }

    /// The policy that bytes of a file hold.
    #[staticmethod]
    fn from_bytes(bytes: Vec<u8>) -> PyResult<Self> {
        Ok(Self { served: PolicyService::from_bytes(bytes).map_err(refuse)? })
    }

    /// The bytes of a file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.served.to_bytes().map_err(refuse)?))
    }

    /// Writes the file; a failure leaves an older one whole.
    fn save(&self, path: std::path::PathBuf) -> PyResult<()> {
        file::write_atomic(&path, &self.served.to_bytes().map_err(refuse)?).map_err(refuse)
    }

    /// Name, parameters, arms, seed, choices and dimension, as JSON.
    fn describe(&self) -> String {
        let s = &self.served;
        let state = match s.policy() {
            SimulatedPolicy::Single(policy) => json!(policy),
            SimulatedPolicy::Sets(policy) => json!(policy),
        };
        json!({"name": s.name, "params": s.params, "arms": s.arms, "seed": s.seed, "choices": s.choices, "dimension": s.dimension,
               "sets": matches!(s.policy(), SimulatedPolicy::Sets(_)), "state": state})
        .to_string()
    }

    /// The number of an arm and the probability with which it was chosen, where the policy knows it.
    #[pyo3(signature = (context=None))]
    fn choose(&mut self, context: Option<PyReadonlyArray1<'_, f64>>) -> PyResult<(usize, Option<f64>)> {
        let choice = self.served.choose(numbers(&context)?).map_err(refuse)?;
        Ok((choice.arm, choice.probability))
    }

    /// Takes in the reward of a choice.
    #[pyo3(signature = (arm, reward, context=None, probability=None))]
    fn learn(
        &mut self,
        arm: usize,
        reward: f64,
        context: Option<PyReadonlyArray1<'_, f64>>,
        probability: Option<f64>,
    ) -> PyResult<()> {
        self.served.learn(numbers(&context)?, ArmChoice { arm, probability }, reward).map_err(refuse)
    }

    /// A set of arms.
    fn choose_set(&mut self) -> PyResult<Vec<usize>> {
        self.served.choose_set().map_err(refuse)
    }

    /// Takes in the rewards of a set.
    fn learn_set(&mut self, set: Vec<usize>, rewards: Vec<f64>) -> PyResult<()> {
        self.served.learn_set(&set, &rewards).map_err(refuse)
    }

    /// Plays round after round against rewards that are all known: one row per round, one column per arm. Returns the arms that were
    /// chosen.
    #[pyo3(signature = (rewards, contexts=None))]
    fn play<'py>(
        &mut self,
        py: Python<'py>,
        rewards: PyReadonlyArray2<'py, f64>,
        contexts: Option<PyReadonlyArray2<'py, f64>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (rows, arms) = (rewards.shape()[0], rewards.shape()[1]);
        if arms != self.served.arms.len() {
            let expected = self.served.arms.len();
            return Err(refuse(Error::Length { what: "columns of the rewards".into(), expected, found: arms }));
        }
        if contexts.as_ref().is_some_and(|c| c.shape()[0] != rows) {
            let context_rows = contexts.as_ref().map_or(0, |c| c.shape()[0]);
            return Err(refuse(Error::Length { what: "rows of the contexts".into(), expected: rows, found: context_rows }));
        }
        let dense = |_| PyValueError::new_err("rewards and contexts must be contiguous and in C order");
        let rewards = rewards.as_slice().map_err(dense)?;
        let contexts = match &contexts {
            Some(c) => Some((c.as_slice().map_err(dense)?, c.shape()[1])),
            None => None,
        };
        let served = &mut self.served;
        let chosen = call(py, EstimatorName::NOBODY, move || {
            (0..rows)
                .map(|row| {
                    let context = contexts.map_or(&[][..], |(all, d)| &all[row * d..(row + 1) * d]);
                    let choice = served.choose(context)?;
                    served.learn(context, choice, rewards[row * arms + choice.arm])?;
                    Ok(choice.arm as i64)
                })
                .collect::<Result<Vec<i64>, Error>>()
        })?;
        Ok(chosen.into_pyarray(py))
    }

    /// Replays a log: mean reward with its interval, and the rounds that matched. The policy learns from them.
    #[pyo3(signature = (arms, rewards, contexts=None, seed=0))]
    fn replay<'py>(
        &mut self,
        py: Python<'py>,
        arms: PyReadonlyArray1<'py, i64>,
        rewards: PyReadonlyArray1<'py, f64>,
        contexts: Option<PyReadonlyArray2<'py, f64>>,
        seed: u64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let log = log(&arms, &rewards, None)?;
        let dense = |_| PyValueError::new_err("contexts must be contiguous and in C order");
        let contexts = match &contexts {
            Some(c) => Some((c.as_slice().map_err(dense)?, c.shape()[0], c.shape()[1])),
            None => None,
        };
        if let Some((_, rows, width)) = contexts {
            for (what, expected, found) in
                [("rows of the contexts", log.len(), rows), ("numbers of a context", self.served.dimension, width)]
            {
                if expected != found {
                    return Err(refuse(Error::Length { what: what.into(), expected, found }));
                }
            }
        } else if self.served.dimension > 0 {
            return Err(PyValueError::new_err(format!("{} needs the contexts of the log", self.served.name)));
        }
        let SimulatedPolicy::Single(policy) = self.served.policy() else {
            return Err(PyValueError::new_err("a log of single choices says nothing of sets"));
        };
        let mut policy = policy.clone();
        let replayed = {
            let policy = &mut policy;
            let log = &log;
            call(py, EstimatorName::NOBODY, move || {
                replay(log, policy, |row| contexts.map_or(&[][..], |(all, _, d)| &all[row * d..(row + 1) * d]), seed)
            })?
        };
        let choices = self.served.choices + log.len() as u64;
        self.served = self.served.clone().with_policy(policy, choices).map_err(refuse)?;
        let out = estimate(py, &replayed.estimate)?;
        out.set_item("matched", replayed.matched)?;
        Ok(out)
    }
}

fn estimate<'py>(py: Python<'py>, e: &ermine::agent::bandit::Estimate) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    for (name, value) in [("value", e.value), ("standard_error", e.error), ("low", e.low), ("high", e.high)] {
        out.set_item(name, value)?;
    }
    Ok(out)
}

fn log(
    arms: &PyReadonlyArray1<'_, i64>,
    rewards: &PyReadonlyArray1<'_, f64>,
    propensities: Option<&PyReadonlyArray1<'_, f64>>,
) -> PyResult<Vec<LoggedRound>> {
    let dense = |_| PyValueError::new_err("the columns of a log must be contiguous");
    let (arms, rewards) = (arms.as_slice().map_err(dense)?, rewards.as_slice().map_err(dense)?);
    let propensities = propensities.map(|p| p.as_slice()).transpose().map_err(dense)?;
    for (what, found) in [("rewards", rewards.len()), ("propensities", propensities.map_or(arms.len(), <[f64]>::len))] {
        if found != arms.len() {
            return Err(refuse(Error::Length { what: what.into(), expected: arms.len(), found }));
        }
    }
    let entry = |row: usize| {
        let arm = usize::try_from(arms[row]).unwrap_or(usize::MAX);
        LoggedRound { arm, reward: rewards[row], propensity: propensities.map_or(f64::NAN, |p| p[row]) }
    };
    Ok((0..arms.len()).map(entry).collect())
}

/// Estimates of what a policy would have earned, from a log of what another did. `target` has a row a round, or one for all.
#[pyfunction]
pub fn bandit_off_policy<'py>(
    py: Python<'py>,
    arms: PyReadonlyArray1<'py, i64>,
    rewards: PyReadonlyArray1<'py, f64>,
    propensities: PyReadonlyArray1<'py, f64>,
    target: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let log = log(&arms, &rewards, Some(&propensities))?;
    let (rows, count) = (target.shape()[0], target.shape()[1]);
    if rows != 1 && rows != log.len() {
        return Err(refuse(Error::Length { what: "rows of the target policy".into(), expected: log.len(), found: rows }));
    }
    let chances = target.as_slice().map_err(|_| PyValueError::new_err("target must be contiguous and in C order"))?;
    let estimates = call(py, EstimatorName::NOBODY, || {
        off_policy(&log, count, |row, arm| chances[if rows == 1 { arm } else { row * count + arm }])
    })?;
    let out = PyDict::new(py);
    out.set_item("ips", estimate(py, &estimates.ips)?)?;
    out.set_item("snips", estimate(py, &estimates.snips)?)?;
    out.set_item("doubly_robust", estimate(py, &estimates.doubly_robust)?)?;
    out.set_item("effective_size", estimates.effective_size)?;
    out.set_item("largest_weight", estimates.largest_weight)?;
    out.set_item("notes", estimates.notes)?;
    Ok(out)
}

/// Simulates policies in the same worlds; `arms` is JSON, a policy is (label, name, parameters as JSON). The answer is JSON.
#[pyfunction]
#[pyo3(signature = (arms, policies, rounds, runs, delay, points, seed))]
#[allow(clippy::too_many_arguments)]
pub fn bandit_simulate(
    py: Python<'_>,
    arms: &str,
    policies: Vec<(String, String, String)>,
    rounds: u64,
    runs: u64,
    delay: &str,
    points: usize,
    seed: u64,
) -> PyResult<String> {
    let arms: RewardModel = serde_json::from_str(arms).map_err(|e| PyValueError::new_err(format!("arms: {e}")))?;
    let delay: RewardDelay = serde_json::from_str(delay).map_err(|e| PyValueError::new_err(format!("delay: {e}")))?;
    arms.check().map_err(refuse)?;
    let setting = PolicySetting { arms: arms.count(), rounds: Some(rounds), dimension: arms.context(), range: arms.range() };
    let contenders = policies
        .into_iter()
        .map(|(label, name, given)| Ok((label, named(&name, &params(&given)?, &setting).map_err(refuse)?)))
        .collect::<PyResult<Vec<_>>>()?;
    let looks = look_rounds(rounds, points);
    let context = Context::seeded(seed);
    let comparison =
        interruptible(py, EstimatorName::NOBODY, &context, move |cx| compare(&arms, &contenders, &looks, runs, delay, cx))?;
    serde_json::to_string(&comparison).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// The best `m` arms; `sample(arm)` gives a reward. With `delta` LUCB, else successive accepts and rejects.
#[pyfunction]
#[pyo3(signature = (sample, arms, m, budget, delta, epsilon, range))]
pub fn bandit_top(
    sample: &Bound<'_, PyAny>,
    arms: usize,
    m: usize,
    budget: u64,
    delta: Option<f64>,
    epsilon: f64,
    range: (f64, f64),
) -> PyResult<(Vec<usize>, Vec<u64>, bool)> {
    let range = RewardRange { low: range.0, high: range.1 };
    let mut failure = None;
    let mut draw = |arm: usize| match sample.call1((arm,)).and_then(|r| r.extract::<f64>()) {
        Ok(reward) => reward,
        Err(e) => {
            // A result that is no number ends the search; the caller's own exception is raised then.
            failure.get_or_insert(e);
            f64::NAN
        }
    };
    let top = match delta {
        Some(delta) => lucb(arms, m, delta, epsilon, budget, range, &mut draw),
        None => successive_accepts_rejects(arms, m, budget, range, &mut draw),
    };
    match (top, failure) {
        (_, Some(e)) => Err(e),
        (Ok(TopArms { arms, pulls, confident }), None) => Ok((arms, pulls, confident)),
        (Err(e), None) => Err(refuse(e)),
    }
}
