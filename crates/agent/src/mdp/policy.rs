//! Tabular policies and their values.

use ermine_core::{Error, Result};
use serde::{Deserialize, Serialize};

use super::{Transitions, check_gamma, linear, recurrence};

/// Probabilities of the actions in each state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicyTable {
    actions: usize,
    probability: Vec<f64>,
}

impl PolicyTable {
    /// One action per state.
    pub fn certain(choice: &[usize], actions: usize) -> Result<Self> {
        let mut probability = vec![0.0; choice.len() * actions];
        for (state, &action) in choice.iter().enumerate() {
            if action >= actions {
                let last = actions.saturating_sub(1);
                return Err(Error::Data(format!("state {state}: there is no action {action}; actions are 0 to {last}")));
            }
            probability[state * actions + action] = 1.0;
        }
        Ok(Self { actions, probability })
    }

    /// All actions equally probable.
    pub fn uniform(states: usize, actions: usize) -> Self {
        Self { actions, probability: vec![1.0 / actions.max(1) as f64; states * actions] }
    }

    /// Probabilities in rows, one row per state.
    pub fn new(actions: usize, probability: Vec<f64>) -> Result<Self> {
        if actions == 0 || !probability.len().is_multiple_of(actions) {
            let count = probability.len();
            return Err(Error::Data(format!("{count} probabilities do not make rows of {actions} actions")));
        }
        for (state, row) in probability.chunks(actions).enumerate() {
            let sum: f64 = row.iter().sum();
            if row.iter().any(|p| !(0.0..=1.0).contains(p)) || (sum - 1.0).abs() > 1e-9 {
                return Err(Error::Data(format!("state {state}: the probabilities of the actions sum to {sum}, not to 1")));
            }
        }
        Ok(Self { actions, probability })
    }

    /// The number of states.
    pub fn states(&self) -> usize {
        self.probability.len() / self.actions
    }

    /// The number of actions.
    pub fn actions(&self) -> usize {
        self.actions
    }

    /// Probabilities of the actions in a state.
    pub fn row(&self, state: usize) -> &[f64] {
        &self.probability[state * self.actions..(state + 1) * self.actions]
    }
}

/// The values of a policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicyEvaluation {
    /// The value of each state.
    pub values: Vec<f64>,
    /// Sweeps over all states; 0 for a direct solution.
    pub sweeps: usize,
    /// Whether the tolerance was met.
    pub converged: bool,
    /// Upper bound on the error of any value, γ/(1-γ) times the last change; none for γ = 1.
    pub bound: Option<f64>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// `E[reward + γ value(next)]` of an action; the value after a termination is 0.
#[inline]
pub fn action_value(table: &Transitions, values: &[f64], gamma: f64, state: usize, action: usize) -> f64 {
    let worth = |o: &super::Transition| o.probability * (o.reward + if o.terminated { 0.0 } else { gamma * values[o.next] });
    table.outcomes(state, action).iter().map(worth).sum()
}

fn policy_value(table: &Transitions, policy: &PolicyTable, values: &[f64], gamma: f64, state: usize) -> f64 {
    let weights = policy.row(state).iter().enumerate().filter(|(_, w)| **w > 0.0);
    weights.map(|(action, w)| w * action_value(table, values, gamma, state, action)).sum()
}

fn fits(table: &Transitions, policy: &PolicyTable) -> Result<()> {
    for (what, expected, found) in
        [("states of the policy", table.states(), policy.states()), ("actions of the policy", table.actions(), policy.actions())]
    {
        if expected != found {
            return Err(Error::Length { what: what.into(), expected, found });
        }
    }
    Ok(())
}

/// An error for recurrent classes with rewards, which are infinite for γ = 1; notes those without.
fn check_recurrent_rewards(table: &Transitions, policy: &PolicyTable, gamma: f64) -> Result<(Vec<Vec<usize>>, Vec<String>)> {
    if gamma < 1.0 {
        return Ok((Vec::new(), Vec::new()));
    }
    let classes = recurrence::recurrent_classes(table, policy);
    let mut notes = Vec::new();
    for class in &classes {
        if let Some((state, action, reward)) = recurrence::reward_inside(table, policy, class) {
            return Err(Error::Data(format!(
                "state {state}, action {action}: the policy stays in a loop of {} states forever and earns {reward} there, so with \
                 gamma 1 its value is not a number; use gamma below 1 or give the loop an end",
                class.len()
            )));
        }
        notes.push(format!(
            "state {} is in an absorbing loop of {} states without reward; its value is 0",
            class[0],
            class.len()
        ));
    }
    Ok((classes, notes))
}

/// Iterative policy evaluation by sweeps `v <- r + γ P v`, until no value changes by more than `tolerance`.
pub fn evaluate(
    table: &Transitions,
    policy: &PolicyTable,
    gamma: f64,
    tolerance: f64,
    max_sweeps: usize,
) -> Result<PolicyEvaluation> {
    check_gamma(gamma)?;
    fits(table, policy)?;
    let (_, notes) = check_recurrent_rewards(table, policy, gamma)?;
    let mut values = vec![0.0; table.states()];
    let (mut sweeps, mut change) = (0, f64::INFINITY);
    while sweeps < max_sweeps && change > tolerance {
        let next: Vec<f64> = (0..values.len()).map(|s| policy_value(table, policy, &values, gamma, s)).collect();
        change = values.iter().zip(&next).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        values = next;
        sweeps += 1;
    }
    let bound = (gamma < 1.0).then(|| gamma / (1.0 - gamma) * change);
    Ok(PolicyEvaluation { values, sweeps, converged: change <= tolerance, bound, notes })
}

/// Most states for the dense system of [`evaluate_exactly`].
const DENSE: usize = 4000;

/// The value of a policy as the solution of `(I - γ P) v = r`.
pub fn evaluate_exactly(table: &Transitions, policy: &PolicyTable, gamma: f64) -> Result<PolicyEvaluation> {
    check_gamma(gamma)?;
    fits(table, policy)?;
    let n = table.states();
    if n > DENSE {
        return Err(Error::Data(format!("{n} states are too many for a direct solution (up to {DENSE}); evaluate by sweeps")));
    }
    let (classes, notes) = check_recurrent_rewards(table, policy, gamma)?;
    let mut idle = vec![false; n];
    classes.iter().flatten().for_each(|&state| idle[state] = true);
    let (mut matrix, mut right) = (vec![0.0; n * n], vec![0.0; n]);
    for state in 0..n {
        matrix[state * n + state] = 1.0;
        if idle[state] {
            continue;
        }
        for (action, &weight) in policy.row(state).iter().enumerate().filter(|(_, w)| **w > 0.0) {
            for o in table.outcomes(state, action) {
                right[state] += weight * o.probability * o.reward;
                if !o.terminated {
                    matrix[state * n + o.next] -= gamma * weight * o.probability;
                }
            }
        }
    }
    let values = linear::solve(matrix, right)?;
    Ok(PolicyEvaluation { values, sweeps: 0, converged: true, bound: None, notes })
}

/// The expected sum of rewards of a policy over a number of steps.
pub fn evaluate_steps(table: &Transitions, policy: &PolicyTable, gamma: f64, steps: usize) -> Result<Vec<f64>> {
    check_gamma(gamma)?;
    fits(table, policy)?;
    let mut values = vec![0.0; table.states()];
    for _ in 0..steps {
        values = (0..values.len()).map(|s| policy_value(table, policy, &values, gamma, s)).collect();
    }
    Ok(values)
}
