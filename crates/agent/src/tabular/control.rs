//! Control: learning a policy while following it.

use std::collections::VecDeque;

use ermine_core::{Context, Error, Progress, Result, RngStream};
use serde::{Deserialize, Serialize};

use super::explore::{best, top};
use super::{DecaySchedule, Exploration, StepSize};
use crate::env::FiniteStates;
use crate::mdp::check_gamma;

/// The target of the updates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ControlMethod {
    /// `r + γ Q(s', a')` with the next action (on policy).
    Sarsa,
    /// `r + γ Σ π(a|s') Q(s', a)`.
    ExpectedSarsa,
    /// `r + γ max_a Q(s', a)` (off policy; Watkins 1989).
    QLearning,
    /// Q-learning with two tables, each evaluating the other's choice: no maximization bias (van Hasselt 2010).
    DoubleQLearning,
    /// The rewards of `n` steps, then `γ^n Q`.
    NStepSarsa {
        /// Steps.
        n: usize,
    },
    /// The complete return of the episode, at the first visit of a pair or at every one.
    MonteCarlo {
        /// Only the first visit of an episode counts.
        first_visit: bool,
    },
}

/// Length of the training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainingBudget {
    /// Number of episodes.
    Episodes(u64),
    /// Number of steps, with the last episode truncated.
    Steps(u64),
}

/// A tabular agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TabularAgent {
    /// The target of its updates.
    pub method: ControlMethod,
    /// The discount.
    pub gamma: f64,
    /// The step size.
    pub alpha: StepSize,
    /// The exploration.
    pub exploration: Exploration,
    /// Initial values; high ones are optimistic.
    pub initial: f64,
}

impl Default for TabularAgent {
    fn default() -> Self {
        Self {
            method: ControlMethod::QLearning,
            gamma: 0.99,
            alpha: StepSize::Constant(0.1),
            exploration: Exploration::EpsilonGreedy(DecaySchedule::Constant(0.1)),
            initial: 0.0,
        }
    }
}

/// The result of a training, and the state to continue it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TabularTraining {
    /// Action values, one row per state.
    pub values: Vec<f64>,
    /// The number of actions.
    pub actions: usize,
    /// Sum of rewards of each complete episode.
    pub returns: Vec<f64>,
    /// Steps of each complete episode.
    pub lengths: Vec<u64>,
    /// Total steps.
    pub steps: u64,
    /// Updates of each pair of state and action, where they are counted.
    pub visits: Vec<u32>,
    /// The two tables of double Q-learning, each with its own visits; `values` is their mean.
    pub pair: Option<[(Vec<f64>, Vec<u32>); 2]>,
}

impl TabularTraining {
    /// Checks the consistency of the state, and with the numbers of states and actions.
    pub fn check(&self, states: usize, actions: usize) -> Result<()> {
        let size = states.saturating_mul(actions);
        if self.actions != actions || actions == 0 {
            return Err(Error::Length { what: "actions of the table".into(), expected: actions, found: self.actions });
        }
        let half = |what: &str, values: &[f64], visits: &[u32]| {
            for found in [values.len(), visits.len()] {
                if found != size {
                    return Err(Error::Length { what: what.into(), expected: size, found });
                }
            }
            match values.iter().position(|v| !v.is_finite()) {
                Some(at) => Err(Error::Model(format!("state {}: a value is {}", at / actions, values[at]))),
                None => Ok(()),
            }
        };
        half("values of the table", &self.values, &self.visits)?;
        if let Some(pair) = &self.pair {
            pair.iter().try_for_each(|(values, visits)| half("values of a table of two", values, visits))?;
        }
        match self.returns.len() == self.lengths.len() {
            true => Ok(()),
            false => Err(Error::Model("its episodes have returns without lengths".into())),
        }
    }

    /// The best action of each state, the lowest among equals.
    pub fn greedy(&self) -> Vec<usize> {
        let top = |row: &[f64]| (1..row.len()).fold(0, |best, a| if row[a] > row[best] { a } else { best });
        self.values.chunks(self.actions).map(top).collect()
    }
}

/// Steps between two checks of observer and deadline.
const CHECK_EVERY: u64 = 1 << 14;

/// Most steps of an episode for methods that learn at its end: beyond, it counts as endless.
const MAX_EPISODE_STEPS: usize = 10_000_000;

/// The table while it learns.
struct QTable<'a> {
    agent: &'a TabularAgent,
    cx: &'a Context<'a>,
    actions: usize,
    values: Vec<f64>,
    /// The two tables of double Q-learning, each with its visits; `values` is their mean.
    pair: [(Vec<f64>, Vec<u32>); 2],
    visits: Vec<u32>,
    /// Whether the exploration needs visits.
    counts: bool,
    weights: Vec<f64>,
    step: u64,
}

impl QTable<'_> {
    #[inline]
    fn row(&self, state: usize) -> &[f64] {
        &self.values[state * self.actions..(state + 1) * self.actions]
    }

    #[inline]
    fn seen(&self, state: usize) -> &[u32] {
        &self.visits[state * self.actions..(state + 1) * self.actions]
    }

    #[inline]
    fn choose(&self, state: usize, rng: &mut RngStream) -> usize {
        self.choose_knowing(state, None, rng)
    }

    #[inline(always)]
    fn choose_knowing(&self, state: usize, peak: Option<f64>, rng: &mut RngStream) -> usize {
        self.agent.exploration.choose(self.row(state), self.seen(state), peak, self.step, rng)
    }

    /// Counts a step and, at intervals, checks observer and deadline.
    #[inline]
    fn tick(&mut self) -> Result<()> {
        self.step += 1;
        if self.step.is_multiple_of(CHECK_EVERY) {
            self.cx.check(Progress { stage: "steps", done: self.step, total: None, objective: None })?;
        }
        Ok(())
    }

    /// Counts a visit, if needed, and returns its step size.
    #[inline]
    fn rate(&mut self, state: usize, action: usize) -> f64 {
        if let (StepSize::Constant(alpha), false) = (self.agent.alpha, self.counts) {
            return alpha;
        }
        let visits = &mut self.visits[state * self.actions + action];
        *visits = visits.saturating_add(1);
        self.agent.alpha.at(*visits)
    }

    #[inline]
    fn learn(&mut self, state: usize, action: usize, target: f64) {
        let rate = self.rate(state, action);
        let value = &mut self.values[state * self.actions + action];
        *value += rate * (target - *value);
    }

    /// The expected value of a state under the policy.
    fn expected(&mut self, state: usize) -> f64 {
        let span = state * self.actions..(state + 1) * self.actions;
        let (values, visits) = (&self.values[span.clone()], &self.visits[span]);
        self.agent.exploration.probabilities(values, visits, self.step, &mut self.weights);
        self.weights.iter().zip(values).map(|(w, v)| w * v).sum()
    }

    #[inline]
    fn top(&self, state: usize) -> f64 {
        top(self.row(state))
    }

    /// Updates one of the two tables with the other's value of its choice.
    fn learn_double(&mut self, state: usize, action: usize, reward: f64, next: Option<usize>, rng: &mut RngStream) {
        let side = rng.below(2);
        let follow = |next: usize, rng: &mut RngStream| {
            let span = next * self.actions..(next + 1) * self.actions;
            let choice = best(&self.pair[side].0[span.clone()], rng);
            self.pair[1 - side].0[span.start + choice]
        };
        let target = reward + next.map_or(0.0, |next| self.agent.gamma * follow(next, rng));
        let at = state * self.actions + action;
        self.visits[at] = self.visits[at].saturating_add(1);
        let (values, visits) = &mut self.pair[side];
        visits[at] = visits[at].saturating_add(1);
        values[at] += self.agent.alpha.at(visits[at]) * (target - values[at]);
        self.values[at] = 0.5 * (self.pair[0].0[at] + self.pair[1].0[at]);
    }
}

impl TabularAgent {
    /// Checks the parameters.
    pub fn check(&self) -> Result<()> {
        check_gamma(self.gamma)?;
        self.alpha.check()?;
        self.exploration.check()?;
        if !self.initial.is_finite() {
            return Err(Error::Data(format!("the initial value {} is not a finite number", self.initial)));
        }
        match self.method {
            ControlMethod::NStepSarsa { n: 0 } => Err(Error::Data("n is 0; learning needs at least one step".into())),
            _ => Ok(()),
        }
    }

    /// Trains in an environment. The same seed gives the same table.
    pub fn train<E: FiniteStates>(&self, env: &mut E, budget: TrainingBudget, seed: u64) -> Result<TabularTraining> {
        self.train_from(env, None, budget, &Context::seeded(seed))
    }

    /// Trains in an environment, from the start or from an earlier training; the budget is for the additional training.
    /// An observer or a deadline can stop it.
    pub fn train_from<E: FiniteStates>(
        &self,
        env: &mut E,
        start: Option<TabularTraining>,
        budget: TrainingBudget,
        cx: &Context<'_>,
    ) -> Result<TabularTraining> {
        self.check()?;
        let (states, actions) = (env.states(), env.actions());
        let size = states * actions;
        let double = self.method == ControlMethod::DoubleQLearning;
        let half = || (vec![self.initial; size], vec![0; size]);
        let start = match start {
            Some(start) => {
                start.check(states, actions)?;
                start
            }
            None => TabularTraining {
                values: vec![self.initial; size],
                actions,
                returns: Vec::new(),
                lengths: Vec::new(),
                steps: 0,
                visits: vec![0; size],
                pair: None,
            },
        };
        let TabularTraining { values, mut returns, mut lengths, steps: before, visits, pair, .. } = start;
        let (episodes_before, seed) = (returns.len() as u64, cx.seed);
        let mut table = QTable {
            agent: self,
            cx,
            actions,
            values,
            pair: match (double, pair) {
                (true, pair) => pair.unwrap_or_else(|| [half(), half()]),
                (false, _) => Default::default(),
            },
            visits,
            counts: matches!(self.exploration, Exploration::Ucb { .. }),
            weights: vec![0.0; actions],
            step: before,
        };
        // Continued training draws other numbers than the first.
        let mut rng = RngStream::new(seed, "tabular agent", before);
        let (max_episodes, max_steps) = match budget {
            TrainingBudget::Episodes(episodes) => (episodes_before.saturating_add(episodes), u64::MAX),
            TrainingBudget::Steps(steps) => (u64::MAX, before.saturating_add(steps)),
        };
        let mut fresh = Some(seed);
        while (returns.len() as u64) < max_episodes && table.step < max_steps {
            let start = env.reset(fresh.take());
            let before = table.step;
            let whole = match self.method {
                ControlMethod::NStepSarsa { n } => self.many_step_episode(env, &mut table, start, n, max_steps, &mut rng)?,
                ControlMethod::MonteCarlo { first_visit } => {
                    self.monte_carlo_episode(env, &mut table, start, first_visit, max_steps, &mut rng)?
                }
                _ => self.one_step_episode(env, &mut table, start, max_steps, &mut rng)?,
            };
            if let Some(total) = whole {
                returns.push(total);
                lengths.push(table.step - before);
            }
        }
        let QTable { values, visits, pair, step, .. } = table;
        Ok(TabularTraining { values, actions, returns, lengths, steps: step, visits, pair: double.then_some(pair) })
    }

    /// An episode of the one-step methods; its return, unless the steps ran out.
    #[inline]
    fn one_step_episode<E: FiniteStates>(
        &self,
        env: &mut E,
        table: &mut QTable<'_>,
        mut state: usize,
        max_steps: u64,
        rng: &mut RngStream,
    ) -> Result<Option<f64>> {
        let mut total = 0.0;
        let mut action = table.choose(state, rng);
        while table.step < max_steps {
            let step = env.step(action)?;
            check_reward(step.reward, state, action)?;
            table.tick()?;
            total += step.reward;
            let next = step.observation;
            let (mut chosen, mut peak) = (None, None);
            if step.terminated {
                match self.method {
                    ControlMethod::DoubleQLearning => table.learn_double(state, action, step.reward, None, rng),
                    _ => table.learn(state, action, step.reward),
                }
                return Ok(Some(total));
            }
            match self.method {
                ControlMethod::QLearning => {
                    let top = table.top(next);
                    table.learn(state, action, step.reward + self.gamma * top);
                    // The update may have changed the maximum of the state itself.
                    peak = (next != state).then_some(top);
                }
                ControlMethod::DoubleQLearning => table.learn_double(state, action, step.reward, Some(next), rng),
                ControlMethod::ExpectedSarsa => {
                    let expected = table.expected(next);
                    table.learn(state, action, step.reward + self.gamma * expected);
                }
                _ => {
                    let then = table.choose(next, rng);
                    table.learn(state, action, step.reward + self.gamma * table.row(next)[then]);
                    chosen = Some(then);
                }
            }
            if step.truncated {
                return Ok(Some(total));
            }
            state = next;
            action = chosen.unwrap_or_else(|| table.choose_knowing(next, peak, rng));
        }
        Ok(None)
    }

    fn many_step_episode<E: FiniteStates>(
        &self,
        env: &mut E,
        table: &mut QTable<'_>,
        start: usize,
        n: usize,
        max_steps: u64,
        rng: &mut RngStream,
    ) -> Result<Option<f64>> {
        let mut total = 0.0;
        let mut trail: VecDeque<(usize, usize, f64)> = VecDeque::with_capacity(n + 1);
        let (mut state, mut action) = (start, table.choose(start, rng));
        while table.step < max_steps {
            let step = env.step(action)?;
            check_reward(step.reward, state, action)?;
            table.tick()?;
            total += step.reward;
            trail.push_back((state, action, step.reward));
            let next = step.observation;
            let then = if step.terminated { 0 } else { table.choose(next, rng) };
            let tail = |table: &QTable<'_>| if step.terminated { 0.0 } else { table.row(next)[then] };
            // The oldest pair is updated when n steps follow it, all remaining ones when the episode ends.
            while trail.len() == n || step.done() && !trail.is_empty() {
                let target = trail.iter().rev().fold(tail(table), |g, (_, _, reward)| reward + self.gamma * g);
                if let Some((s, a, _)) = trail.pop_front() {
                    table.learn(s, a, target);
                }
            }
            if step.done() {
                return Ok(Some(total));
            }
            (state, action) = (next, then);
        }
        Ok(None)
    }

    fn monte_carlo_episode<E: FiniteStates>(
        &self,
        env: &mut E,
        table: &mut QTable<'_>,
        start: usize,
        first_visit: bool,
        max_steps: u64,
        rng: &mut RngStream,
    ) -> Result<Option<f64>> {
        let mut trail: Vec<(usize, usize, f64)> = Vec::new();
        let mut first = std::collections::HashMap::new();
        let mut state = start;
        loop {
            if table.step >= max_steps {
                return Ok(None);
            }
            if trail.len() >= MAX_EPISODE_STEPS {
                return Err(Error::Data(format!(
                    "an episode has not ended after {MAX_EPISODE_STEPS} steps, and Monte Carlo learns at the end alone; give the environment a \
                     limit of steps, or use a method that learns on the way, such as q-learning"
                )));
            }
            let action = table.choose(state, rng);
            let step = env.step(action)?;
            check_reward(step.reward, state, action)?;
            table.tick()?;
            first.entry((state, action)).or_insert(trail.len());
            trail.push((state, action, step.reward));
            state = step.observation;
            if step.done() {
                let mut g = if step.terminated { 0.0 } else { table.expected(state) };
                for (at, &(s, a, reward)) in trail.iter().enumerate().rev() {
                    g = reward + self.gamma * g;
                    if !first_visit || first.get(&(s, a)) == Some(&at) {
                        table.learn(s, a, g);
                    }
                }
                return Ok(Some(trail.iter().map(|t| t.2).sum()));
            }
        }
    }
}

/// An error for a reward that would corrupt the table.
#[inline]
pub(super) fn check_reward(reward: f64, state: usize, action: usize) -> Result<()> {
    if reward.is_finite() {
        return Ok(());
    }
    Err(Error::Data(format!(
        "state {state}, action {action}: the environment gave the reward {reward}, which is not a finite number"
    )))
}
