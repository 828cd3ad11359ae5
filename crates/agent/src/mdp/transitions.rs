//! A finite decision process as data.

use ermine_core::{Error, Result};

use crate::numpy_rng::NumpyRng;

/// One outcome of an action.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transition {
    /// Its probability.
    pub probability: f64,
    /// The next state.
    pub next: usize,
    /// The reward.
    pub reward: f64,
    /// Whether the task ends there.
    pub terminated: bool,
}

/// The outcomes of every state and action, and the start distribution: a complete finite process.
#[derive(Debug, Clone, PartialEq)]
pub struct Transitions {
    states: usize,
    actions: usize,
    outcomes: Vec<Transition>,
    /// Cumulative probabilities within each row, beside `outcomes`.
    cumulative: Vec<f64>,
    /// Offset of the row of (state, action); one more at the end.
    starts: Vec<u32>,
    /// Outcomes per row, where all rows have the same number: offsets need not be looked up then.
    width: Option<usize>,
    start_probability: Vec<f64>,
    start_cumulative: Vec<f64>,
    /// Guide table for sampling: for each of as many equal parts of [0, 1) as there are states, the approximate state
    /// of its first number.
    start_guide: Vec<u32>,
}

/// Tolerance of a sum of probabilities.
const SUM: f64 = 1e-9;

impl Transitions {
    /// Makes a table and checks every number: probabilities in [0, 1] that sum to 1, finite rewards, states that exist.
    /// `row(state, action)` gives the outcomes; `start` the probabilities of the first state.
    pub fn new(
        states: usize,
        actions: usize,
        start: Vec<f64>,
        mut row: impl FnMut(usize, usize) -> Vec<Transition>,
    ) -> Result<Self> {
        if states == 0 || actions == 0 {
            return Err(Error::Data(format!(
                "a world needs at least one state and one action; this one has {states} states and {actions} actions"
            )));
        }
        if start.len() != states {
            return Err(Error::Length { what: "start probabilities".into(), expected: states, found: start.len() });
        }
        check_sum(&start, || "the start probabilities".to_owned())?;
        let (mut outcomes, mut cumulative, mut starts) = (Vec::new(), Vec::new(), vec![0]);
        for state in 0..states {
            for action in 0..actions {
                let here = || format!("state {state}, action {action}");
                let row = row(state, action);
                let probabilities: Vec<f64> = row.iter().map(|o| o.probability).collect();
                check_sum(&probabilities, || format!("{}: the probabilities", here()))?;
                let mut sum = 0.0;
                for outcome in &row {
                    if !outcome.reward.is_finite() {
                        return Err(Error::Data(format!("{}: the reward {} is not a finite number", here(), outcome.reward)));
                    }
                    if outcome.next >= states {
                        let last = states - 1;
                        return Err(Error::Data(format!(
                            "{}: leads to state {}, and states are 0 to {last}",
                            here(),
                            outcome.next
                        )));
                    }
                    sum += outcome.probability;
                    cumulative.push(sum);
                }
                outcomes.extend(row);
                starts.push(u32::try_from(outcomes.len()).map_err(|_| Error::Data("more than 4 billion outcomes".into()))?);
            }
        }
        let mut sum = 0.0;
        let start_cumulative: Vec<f64> = start
            .iter()
            .map(|p| {
                sum += p;
                sum
            })
            .collect();
        let part = |k: usize| start_cumulative.partition_point(|&c| c <= k as f64 / states as f64) as u32;
        let start_guide = (0..states).map(part).collect();
        let first = starts[1];
        let width = starts.windows(2).all(|w| w[1] - w[0] == first).then_some(first as usize);
        Ok(Self { states, actions, outcomes, cumulative, starts, width, start_probability: start, start_cumulative, start_guide })
    }

    /// A process from dense arrays: `probability[(s * actions + a) * states + next]`, the expected `reward[s * actions
    /// + a]`, and the terminal states. Episodes start in any other state, with equal probability.
    pub fn from_arrays(states: usize, actions: usize, probability: &[f64], reward: &[f64], terminal: &[bool]) -> Result<Self> {
        let rows = states.saturating_mul(actions);
        for (what, expected, found) in [
            ("transition probabilities (states x actions x states)", rows.saturating_mul(states), probability.len()),
            ("rewards (states x actions)", rows, reward.len()),
            ("terminal states", states, terminal.len()),
        ] {
            if expected != found {
                return Err(Error::Length { what: what.into(), expected, found });
            }
        }
        let open = terminal.iter().filter(|&&end| !end).count();
        if open == 0 {
            return Err(Error::Data(format!("all {states} states are terminal: there is nothing to decide")));
        }
        let start = terminal.iter().map(|&end| if end { 0.0 } else { 1.0 / open as f64 }).collect();
        Self::new(states, actions, start, |state, action| {
            if terminal[state] {
                return vec![Transition { probability: 1.0, next: state, reward: 0.0, terminated: true }];
            }
            let row = state * actions + action;
            let chances = &probability[row * states..(row + 1) * states];
            let outcome =
                |(next, &p): (usize, &f64)| Transition { probability: p, next, reward: reward[row], terminated: terminal[next] };
            // Zeros are left out; anything else, NaN too, goes through the checks.
            chances.iter().enumerate().filter(|(_, p)| **p != 0.0).map(outcome).collect()
        })
    }

    /// The number of states.
    pub fn states(&self) -> usize {
        self.states
    }

    /// The number of actions.
    pub fn actions(&self) -> usize {
        self.actions
    }

    /// The range of the outcomes of a state and action.
    #[inline]
    fn span(&self, state: usize, action: usize) -> std::ops::Range<usize> {
        let row = state * self.actions + action;
        if let Some(width) = self.width {
            return row * width..(row + 1) * width;
        }
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// The outcomes of a state and action.
    #[inline]
    pub fn outcomes(&self, state: usize, action: usize) -> &[Transition] {
        &self.outcomes[self.span(state, action)]
    }

    /// The probabilities of the first state.
    pub fn start(&self) -> &[f64] {
        &self.start_probability
    }

    /// A first state, with one draw.
    pub fn draw_start(&self, rng: &mut NumpyRng) -> usize {
        // The result of a binary search, from a guided starting point: episodes may be shorter than a search.
        let (u, cumulative) = (rng.random(), &self.start_cumulative);
        let mut at = self.start_guide[((u * self.states as f64) as usize).min(self.states - 1)] as usize;
        while at > 0 && cumulative[at - 1] > u {
            at -= 1;
        }
        while at < cumulative.len() && cumulative[at] <= u {
            at += 1;
        }
        if at == cumulative.len() { 0 } else { at }
    }

    /// An outcome of a state and action, always with one draw.
    #[inline]
    pub fn draw(&self, state: usize, action: usize, rng: &mut NumpyRng) -> Transition {
        let span = self.span(state, action);
        // A certain outcome takes its draw too, as in Gymnasium, so that the numbers that follow agree.
        if span.len() == 1 {
            rng.random();
            return self.outcomes[span.start];
        }
        let at = rng.categorical(&self.cumulative[span.clone()]);
        self.outcomes[span.start + at]
    }
}

fn check_sum(probabilities: &[f64], what: impl Fn() -> String) -> Result<()> {
    if let Some(p) = probabilities.iter().find(|p| !(0.0..=1.0 + SUM).contains(*p)) {
        return Err(Error::Data(format!("{}: {p} is not a probability", what())));
    }
    let sum: f64 = probabilities.iter().sum();
    if (sum - 1.0).abs() > SUM {
        return Err(Error::Data(format!("{} sum to {sum}, not to 1", what())));
    }
    Ok(())
}
