//! Environments and agents: ours as Python objects, Python's as environments of ours.

use ermine::agent::deep::ObservationScaling;
use ermine::agent::env::{
    AnyEnvironment, AnyObservation, Blackjack, CartPoleVec, EnvKind, Environment, FiniteStates, NumericStates, ObservationSpace,
    Taxi, TimeStep, VecEnv, env_info, make,
};
use ermine::agent::rl::{self, AnyAgent, LearnedState, ReturnStats, TrainedAgent, TrainedOn, named};
use ermine::agent::tabular::{TabularTraining, TrainingBudget};
use ermine::core::{Context, Error, Flow, Progress, file};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use serde_json::json;

use crate::bandits::params;
use crate::error::{EstimatorName, raise};
use crate::fit::{call, interruptible};

fn refuse(error: Error) -> PyErr {
    raise(error, EstimatorName::NOBODY)
}

/// What is seen, as Gymnasium shows it.
fn show<'py>(py: Python<'py>, world: &EnvKind, seen: AnyObservation) -> PyResult<Bound<'py, PyAny>> {
    Ok(match (world, seen) {
        (EnvKind::Blackjack(_), AnyObservation::State(state)) => {
            let (sum, dealer, ace) = Blackjack::decode(state);
            (sum, dealer, usize::from(ace)).into_pyobject(py)?.into_any()
        }
        (_, AnyObservation::State(state)) => state.into_pyobject(py)?.into_any(),
        (_, AnyObservation::Numbers(values)) => PyArray1::from_slice(py, &values).into_any(),
    })
}

/// What Gymnasium tells besides.
fn info<'py>(py: Python<'py>, world: &EnvKind, seen: AnyObservation) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    match world {
        EnvKind::Table(env) => out.set_item("prob", env.last_probability())?,
        EnvKind::Taxi(env) => {
            out.set_item("prob", env.world().last_probability())?;
            if let AnyObservation::State(state) = seen {
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
    env: AnyEnvironment,
}

/// The least and the largest of each number that is seen.
type PyBounds<'py> = (Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<f32>>);

/// What is seen, the reward, terminated, truncated, what is told besides.
type PyTimeStep<'py> = (Bound<'py, PyAny>, f64, bool, bool, Bound<'py, PyDict>);

#[pymethods]
impl NativeEnvironment {
    #[new]
    #[pyo3(signature = (name, params="{}"))]
    fn new(name: &str, params: &str) -> PyResult<Self> {
        Ok(Self { env: make(name, &self::params(params)?).map_err(refuse)? })
    }

    /// Name, parameters, what can be seen and done, as JSON.
    fn describe(&self) -> String {
        let known = env_info(&self.env.name, &self.env.params);
        json!({"name": self.env.name, "params": self.env.params, "space": self.env.space(), "limits": self.env.limits().is_some(),
               "actions": self.env.action_names(), "gymnasium": known.gymnasium, "solved": known.solved})
        .to_string()
    }

    /// The least and the largest of each number that is seen.
    fn limits<'py>(&self, py: Python<'py>) -> Option<PyBounds<'py>> {
        self.env.limits().map(|(low, high)| (low.into_pyarray(py), high.into_pyarray(py)))
    }

    /// Starts an episode: what is seen, and what is told besides.
    #[pyo3(signature = (seed=None))]
    fn reset<'py>(&mut self, py: Python<'py>, seed: Option<u64>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        let seen = self.env.reset(seed);
        Ok((show(py, &self.env.world, seen)?, info(py, &self.env.world, seen)?))
    }

    /// A step: what is seen, the reward, whether it is over, whether the clock ended it, what is told besides.
    fn step<'py>(&mut self, py: Python<'py>, action: i64) -> PyResult<PyTimeStep<'py>> {
        let action = usize::try_from(action).unwrap_or(usize::MAX);
        let step = self.env.step(action).map_err(refuse)?;
        let seen = show(py, &self.env.world, step.observation)?;
        Ok((seen, step.reward, step.terminated, step.truncated, info(py, &self.env.world, step.observation)?))
    }

    /// The present state, drawn in text.
    fn render(&self) -> String {
        self.env.render()
    }

    /// The numbers behind what is seen, in double precision; None where states are numbered.
    fn state<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        match &self.env.world {
            EnvKind::CartPole(env) => Some(PyArray1::from_slice(py, &env.state())),
            EnvKind::MountainCar(env) => Some(PyArray1::from_slice(py, &env.state())),
            EnvKind::Acrobot(env) => Some(PyArray1::from_slice(py, &env.state())),
            _ => None,
        }
    }

    /// Takes a number of steps, starting anew where episodes end: sum of the rewards and number of episodes that ended. `policy` has an
    /// action for each state; without one, actions are drawn.
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

    /// The whole world as rows (state, action, next, probability, reward, terminated), and the probabilities of the first state; None
    /// where it is no table.
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
    let mut seen = env.reset(seed);
    for _ in 0..steps {
        let action = match policy {
            Some(policy) => usize::try_from(policy[state(&seen)]).unwrap_or(usize::MAX),
            None => {
                // A small generator of actions, so that the environment is what takes the time.
                draws = draws.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                ((u128::from(draws >> 16) * u128::from(actions)) >> 48) as usize
            }
        };
        let step = env.step(action)?;
        total += step.reward;
        let done = step.done();
        seen = if done { env.reset(None) } else { step.observation };
        episodes += u64::from(done);
    }
    Ok((total, episodes))
}

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

/// What is seen, rewards, terminated, truncated.
type PyTimeSteps<'py> = (Bound<'py, PyAny>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<bool>>, Bound<'py, PyArray1<bool>>);

#[pymethods]
impl NativeVector {
    #[new]
    #[pyo3(signature = (name, params, width, exact))]
    fn new(name: &str, params: &str, width: usize, exact: bool) -> PyResult<Self> {
        let env = make(name, &self::params(params)?).map_err(refuse)?;
        let usual = make(name, &Default::default()).map_err(refuse)?;
        let inner = match &env.world {
            // Carts that differ from the usual ones step one by one.
            EnvKind::CartPole(_) if env.params == usual.params => {
                VecEnvKind::Carts(Box::new(CartPoleVec::new(width, exact).map_err(refuse)?))
            }
            _ => VecEnvKind::Any(VecEnv::new(vec![env; width]).map_err(refuse)?),
        };
        Ok(Self { inner, actions: Vec::new() })
    }

    /// Starts all of them.
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
                // What does not fit into a byte is no action either.
                self.actions.clear();
                self.actions.extend(actions.iter().map(|&a| u8::try_from(a).unwrap_or(u8::MAX)));
                carts.step(&self.actions).map_err(refuse)?;
                let seen = PyArray1::from_slice(py, carts.observations()).reshape([carts.width(), 4])?.into_any();
                let rewards: Vec<f64> = carts.rewards().iter().map(|&r| f64::from(r)).collect();
                let flags = |flags: &[bool]| PyArray1::from_slice(py, flags);
                Ok((seen, rewards.into_pyarray(py), flags(carts.terminated()), flags(carts.truncated())))
            }
            VecEnvKind::Any(many) => {
                let actions: Vec<usize> = actions.iter().map(|&a| usize::try_from(a).unwrap_or(usize::MAX)).collect();
                let steps = many.step(&actions).map_err(refuse)?.to_vec();
                let seen = observations(py, many, &steps)?;
                let rewards: Vec<f64> = steps.iter().map(|s| s.reward).collect();
                let flags =
                    |f: fn(&TimeStep<AnyObservation>) -> bool| steps.iter().map(f).collect::<Vec<bool>>().into_pyarray(py);
                Ok((seen, rewards.into_pyarray(py), flags(|s| s.terminated), flags(|s| s.truncated)))
            }
        }
    }
}

/// What all see, in one array; of Blackjack a tuple of three.
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

/// An environment written in Python. What it raises is kept and told by the caller.
struct PyEnv<'py> {
    env: Bound<'py, PyAny>,
    actions: usize,
    first_action: i64,
    failure: Option<PyErr>,
}

/// What an environment written in Python answered.
struct PyEnvReply<'py> {
    observation: Bound<'py, PyAny>,
    reward: f64,
    terminated: bool,
    truncated: bool,
}

impl<'py> PyEnv<'py> {
    fn step(&mut self, action: usize) -> PyResult<PyEnvReply<'py>> {
        let answer = self.env.call_method1("step", (action as i64 + self.first_action,))?;
        let answer = answer.cast::<PyTuple>().map_err(|_| {
            PyTypeError::new_err("step must return (observation, reward, terminated, truncated, info), as Gymnasium's do")
        })?;
        if answer.len() != 5 {
            return Err(PyTypeError::new_err(format!(
                "step returned {} things; Gymnasium's return (observation, reward, terminated, truncated, info)",
                answer.len()
            )));
        }
        Ok(PyEnvReply {
            observation: answer.get_item(0)?,
            reward: answer.get_item(1)?.extract()?,
            terminated: answer.get_item(2)?.is_truthy()?,
            truncated: answer.get_item(3)?.is_truthy()?,
        })
    }

    fn reset(&mut self, seed: Option<u64>) -> PyResult<Bound<'py, PyAny>> {
        let named = PyDict::new(self.env.py());
        named.set_item("seed", seed)?;
        self.env.call_method("reset", (), Some(&named))?.get_item(0)
    }

    /// A step after which `read` makes of an observation what the agent sees; a failure, of this step or of the reset before it, stops.
    fn stepped<O>(&mut self, action: usize, read: impl Fn(&Bound<'py, PyAny>) -> PyResult<O>) -> Result<TimeStep<O>, Error> {
        if self.failure.is_none() {
            let step = self.step(action).and_then(|a| {
                let (reward, terminated, truncated) = (a.reward, a.terminated, a.truncated);
                Ok(TimeStep { observation: read(&a.observation)?, reward, terminated, truncated })
            });
            match step {
                Ok(step) => return Ok(step),
                Err(e) => self.failure = Some(e),
            }
        }
        Err(Error::Stopped("a step of the environment".into()))
    }

    /// A start; the step that follows a failure stops.
    fn started<O>(&mut self, seed: Option<u64>, read: impl Fn(&Bound<'py, PyAny>) -> PyResult<O>, none: O) -> O {
        match self.reset(seed).and_then(|seen| read(&seen)) {
            Ok(seen) => seen,
            Err(e) => {
                self.failure.get_or_insert(e);
                none
            }
        }
    }
}

/// One whose observations are numbers of states, or become such.
struct PyDiscreteEnv<'py> {
    inner: PyEnv<'py>,
    /// Turns an observation into the number of a state; None where it is one.
    encode: Option<Bound<'py, PyAny>>,
    states: usize,
    first: i64,
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
        self.inner.started(seed, |seen| state(encode, states, first, seen), 0)
    }

    fn step(&mut self, action: usize) -> Result<TimeStep<usize>, Error> {
        let (encode, states, first) = (&self.encode, self.states, self.first);
        self.inner.stepped(action, |seen| state(encode, states, first, seen))
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

/// One whose observations are arrays of numbers, or become such.
struct PyBoxEnv<'py> {
    inner: PyEnv<'py>,
    /// Turns an observation into a contiguous array of singles.
    flatten: Bound<'py, PyAny>,
    width: usize,
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
        self.inner.started(seed, |seen| row(flatten, width, seen), vec![0.0; width])
    }

    fn step(&mut self, action: usize) -> Result<TimeStep<Vec<f32>>, Error> {
        let (flatten, width) = (&self.flatten, self.width);
        self.inner.stepped(action, |seen| row(flatten, width, seen))
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

/// A trained agent.
#[pyclass(frozen, module = "ermine._native")]
pub struct NativeAgent {
    trained: TrainedAgent,
}

fn budget(steps: Option<u64>, episodes: Option<u64>, usual: u64) -> PyResult<TrainingBudget> {
    match (steps, episodes) {
        (Some(_), Some(_)) => Err(PyValueError::new_err("give steps or episodes, not both")),
        (Some(0), _) | (_, Some(0)) => Err(PyValueError::new_err("training needs at least one step or episode")),
        (_, Some(episodes)) => Ok(TrainingBudget::Episodes(episodes)),
        (steps, None) => Ok(TrainingBudget::Steps(steps.unwrap_or(usual))),
    }
}

/// Trains an agent in one of our environments, from the start or on from where another training ended.
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
    let agent = named(agent, &self::params(params)?).map_err(refuse)?;
    let (env, start) = (&env.env, start.map(|s| &s.trained));
    let context = Context::seeded(seed);
    let trained = interruptible(py, EstimatorName::NOBODY, &context, move |cx| rl::train(&agent, env, start, budget, cx))?;
    Ok(NativeAgent { trained })
}

/// Trains an agent in an environment written in Python whose observations are numbers of states.
#[pyfunction]
#[pyo3(signature = (agent, params, env, name, states, actions, first_state=0, first_action=0, encode=None, steps=None, episodes=None, seed=0, start=None))]
#[allow(clippy::too_many_arguments)]
pub fn rl_train_foreign<'py>(
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
    let agent = named(agent, &self::params(params)?).map_err(refuse)?;
    let inner = PyEnv { env, actions, first_action, failure: None };
    let mut foreign = PyDiscreteEnv { inner, encode, states, first: first_state };
    let before = start.map(|s| &s.trained);
    let result = with_gil(seed, |cx| rl::train_table(&agent, &mut foreign, before, budget, cx));
    let training = result_or_raised(py, result, foreign.inner.failure)?;
    finished(&agent, name, ObservationSpace::States(states), actions, seed, LearnedState::Table(training))
}

/// Trains an agent with a network in an environment written in Python. `flatten` turns an observation into an array of singles; `low` and
/// `high` are the limits of its numbers.
#[pyfunction]
#[pyo3(signature = (agent, params, env, name, flatten, low, high, actions, first_action=0, steps=None, episodes=None, seed=0, start=None))]
#[allow(clippy::too_many_arguments)]
pub fn rl_train_numbers<'py>(
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
    let agent = named(agent, &self::params(params)?).map_err(refuse)?;
    let (scaling, width) = (ObservationScaling::of_limits(&low, &high), low.len());
    let inner = PyEnv { env, actions, first_action, failure: None };
    let mut foreign = vec![PyBoxEnv { inner, flatten, width }];
    let before = start.map(|s| &s.trained);
    // Nobody else's environment can be copied, so that nobody plays while it learns: the last network is the result.
    let result = with_gil(seed, |cx| rl::train_network(&agent, &mut foreign, before, scaling, budget, None, cx));
    let failure = foreign.pop().and_then(|f| f.inner.failure);
    let training = result_or_raised(py, result, failure)?;
    finished(&agent, name, ObservationSpace::Numbers(width), actions, seed, LearnedState::Network(training))
}

/// Work for which the interpreter stays ours, as the environment needs it; Ctrl-C is asked for on the way.
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

/// The result, or what the environment or a signal has raised.
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

fn finished(
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

    /// The best action in each of some states.
    fn act_states<'py>(&self, py: Python<'py>, states: PyReadonlyArray1<'py, i64>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let states = states.as_slice().map_err(|_| PyValueError::new_err("states must be contiguous"))?;
        let act = |&s: &i64| self.trained.act(&AnyObservation::State(usize::try_from(s).unwrap_or(usize::MAX))).map(|a| a as i64);
        let actions: Vec<i64> = states.iter().map(act).collect::<Result<_, _>>().map_err(refuse)?;
        Ok(actions.into_pyarray(py))
    }

    /// What each action is worth in each state, as far as it knows.
    fn table_values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let t = self.table()?;
        t.values.clone().into_pyarray(py).reshape([t.values.len() / t.actions, t.actions])
    }

    /// How often each action has learned in each state.
    fn table_visits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let t = self.table()?;
        t.visits.clone().into_pyarray(py).reshape([t.visits.len() / t.actions, t.actions])
    }

    /// The best action for each of some rows of numbers.
    fn act_rows<'py>(&self, py: Python<'py>, rows: PyReadonlyArray2<'py, f32>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (count, width) = (rows.shape()[0], rows.shape()[1]);
        let values = rows.as_slice().map_err(|_| PyValueError::new_err("observations must be contiguous and in C order"))?;
        let best = |v: Vec<f64>| (1..v.len()).fold(0, |best, a| if v[a] > v[best] { a } else { best }) as i64;
        let act = |i: usize| self.trained.values_of(&values[i * width..(i + 1) * width]).map(best);
        let actions: Vec<i64> = (0..count).map(act).collect::<Result<_, _>>().map_err(refuse)?;
        Ok(actions.into_pyarray(py))
    }

    /// What its network says of each action, for each of some rows of numbers.
    fn row_values<'py>(&self, py: Python<'py>, rows: PyReadonlyArray2<'py, f32>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (count, width) = (rows.shape()[0], rows.shape()[1]);
        let values = rows.as_slice().map_err(|_| PyValueError::new_err("observations must be contiguous and in C order"))?;
        let mut all = Vec::new();
        for i in 0..count {
            all.extend(self.trained.values_of(&values[i * width..(i + 1) * width]).map_err(refuse)?);
        }
        all.into_pyarray(py).reshape([count, self.trained.actions.len()])
    }

    /// What was earned without exploration while it learned: steps, mean return.
    fn evaluation_history(&self) -> Vec<(u64, f64)> {
        self.trained.network().map_or_else(Vec::new, |t| t.judged.clone())
    }

    /// Returns of the episodes of its training, and their lengths.
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
        let found: ReturnStats = interruptible(py, EstimatorName::NOBODY, &context, move |cx| {
            rl::evaluate(env, |seen| trained.act(seen), episodes, cx)
        })?;
        Ok(json!(found).to_string())
    }

    /// Plays one episode in one of our environments: return, steps and pictures, as JSON.
    #[pyo3(signature = (env, seed, limit, frames))]
    fn play(&self, py: Python<'_>, env: &NativeEnvironment, seed: u64, limit: u64, frames: bool) -> PyResult<String> {
        let (trained, env) = (&self.trained, &env.env);
        trained.fits(env).map_err(refuse)?;
        let found = call(py, EstimatorName::NOBODY, move || {
            rl::play(&mut env.clone(), |seen| trained.act(seen), Some(seed), limit, frames)
        })?;
        Ok(json!(found).to_string())
    }
}
