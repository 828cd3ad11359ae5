//! Optimal policies: value iteration, policy iteration, backward induction.

use ermine_core::{Certificate, Error, Result, Trace};
use serde::{Deserialize, Serialize};

use super::{PolicyTable, Transitions, action_value, check_gamma, evaluate_exactly, recurrence};

/// Optimal values, a policy that attains them, and the evidence.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MdpSolution {
    /// The value of each state.
    pub values: Vec<f64>,
    /// The best action in each state.
    pub policy: Vec<usize>,
    /// `duality_gap` is the proven bound on the error of any value, where γ < 1; `kkt_residual` the largest violation
    /// of the optimality equation.
    pub certificate: Certificate,
    /// One row per sweep: the largest change, and the error bound it proves.
    pub trace: Trace,
}

impl MdpSolution {
    /// The expected value of an episode.
    pub fn start_value(&self, table: &Transitions) -> f64 {
        table.start().iter().zip(&self.values).map(|(p, v)| p * v).sum()
    }
}

fn best(table: &Transitions, values: &[f64], gamma: f64, state: usize) -> f64 {
    (0..table.actions()).map(|a| action_value(table, values, gamma, state, a)).fold(f64::NEG_INFINITY, f64::max)
}

/// Actions whose values differ by less than this, relative to the size of the values, are equally good.
const TIE: f64 = 1e-9;

/// A greedy policy: the best action in each state, the lowest among equals. With γ = 1, ties are broken in favor of
/// actions that lead to termination.
pub fn greedy(table: &Transitions, values: &[f64], gamma: f64) -> Vec<usize> {
    let size = values.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
    let top: Vec<f64> = (0..table.states()).map(|s| best(table, values, gamma, s)).collect();
    let good = |s: usize, a: usize| action_value(table, values, gamma, s, a) >= top[s] - TIE * size;
    let lowest = |s: usize| (0..table.actions()).find(|&a| good(s, a)).unwrap_or(0);
    if gamma < 1.0 {
        return (0..table.states()).map(lowest).collect();
    }
    recurrence::actions_toward_terminal(table, good)
        .into_iter()
        .enumerate()
        .map(|(s, a)| a.unwrap_or_else(|| lowest(s)))
        .collect()
}

/// Value iteration: sweeps `v <- max_a E[r + γ v(next)]` from zero.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ValueIteration {
    /// The discount.
    pub gamma: f64,
    /// Stop when no value changes by more.
    pub tolerance: f64,
    /// Most sweeps.
    pub max_sweeps: usize,
}

impl Default for ValueIteration {
    fn default() -> Self {
        Self { gamma: 0.99, tolerance: 1e-12, max_sweeps: 100_000 }
    }
}

impl ValueIteration {
    /// Solves a process. Every sweep proves a bound: the operator contracts by γ, so no value is further from the
    /// optimum than γ/(1-γ) times the last change.
    pub fn solve(&self, table: &Transitions) -> Result<MdpSolution> {
        let gamma = self.gamma;
        check_gamma(gamma)?;
        let mut values = vec![0.0; table.states()];
        let mut trace = Trace::new(&["change", "bound"]);
        let (mut sweeps, mut change, mut look) = (0, f64::INFINITY, 1024);
        while sweeps < self.max_sweeps && change > self.tolerance {
            let next: Vec<f64> = (0..values.len()).map(|s| best(table, &values, gamma, s)).collect();
            change = values.iter().zip(&next).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            values = next;
            sweeps += 1;
            trace.push(&[change, if gamma < 1.0 { gamma / (1.0 - gamma) * change } else { f64::NAN }]);
            if gamma == 1.0 && sweeps == look {
                refuse_endless_earnings(table, &values)?;
                look *= 2;
            }
        }
        let converged = change <= self.tolerance;
        let policy = greedy(table, &values, gamma);
        let mut notes = Vec::new();
        if gamma == 1.0 {
            if !converged {
                refuse_endless_earnings(table, &values)?;
            }
            let endless = recurrence::recurrent_classes(table, &PolicyTable::certain(&policy, table.actions())?);
            notes.extend(endless.first().map(|class| {
                format!("state {} is in an absorbing loop; without a discount its value is the sum of what it earns, 0", class[0])
            }));
            notes.push("gamma is 1: the sweeps do not contract, and no bound is proven".to_owned());
        }
        if !converged {
            notes.push(format!("values still change by {change} after {sweeps} sweeps"));
        }
        let residual = (0..values.len()).map(|s| (best(table, &values, gamma, s) - values[s]).abs()).fold(0.0, f64::max);
        let certificate = Certificate {
            method: "value iteration".into(),
            duality_gap: (gamma < 1.0).then(|| gamma / (1.0 - gamma) * change),
            kkt_residual: Some(residual),
            iterations: sweeps as u64,
            converged,
            notes,
            ..Certificate::default()
        };
        Ok(MdpSolution { values, policy, certificate, trace })
    }
}

/// With γ = 1, a recurrent class of the greedy policy with positive rewards has no finite value; neither has one with
/// costs that cannot be left.
fn refuse_endless_earnings(table: &Transitions, values: &[f64]) -> Result<()> {
    let policy = PolicyTable::certain(&greedy(table, values, 1.0), table.actions())?;
    let escape = recurrence::actions_toward_terminal(table, |_, _| true);
    for class in recurrence::recurrent_classes(table, &policy) {
        let Some((state, action, reward)) = recurrence::reward_inside(table, &policy, &class) else { continue };
        let outcomes = class.iter().flat_map(|&s| {
            let chosen = policy.row(s).iter().position(|&w| w > 0.0).unwrap_or(0);
            table.outcomes(s, chosen)
        });
        // Gains and costs in one class may cancel out; such a class is left to the sweeps, which then report that they
        // do not converge.
        let (gains, costs) = outcomes
            .filter(|o| o.probability > 0.0)
            .fold((false, false), |(gains, costs), o| (gains || o.reward > 0.0, costs || o.reward < 0.0));
        let trapped = class.iter().all(|&s| escape[s].is_none());
        if gains != costs && (gains || trapped) {
            return Err(Error::Data(format!(
                "state {state}, action {action}: a loop of {} states never ends and earns {reward} again and again, so with gamma 1 \
                 its value is infinite; use gamma below 1 or give the loop an end",
                class.len()
            )));
        }
    }
    Ok(())
}

/// Policy iteration: evaluates exactly and improves until no action is better. With γ = 1 it starts from a policy that
/// terminates.
pub fn policy_iteration(table: &Transitions, gamma: f64, max_rounds: usize) -> Result<MdpSolution> {
    check_gamma(gamma)?;
    let mut policy: Vec<usize> = match gamma < 1.0 {
        true => vec![0; table.states()],
        false => recurrence::actions_toward_terminal(table, |_, _| true).into_iter().map(|a| a.unwrap_or(0)).collect(),
    };
    let mut trace = Trace::new(&["switched", "objective"]);
    for round in 1..=max_rounds {
        let evaluation = evaluate_exactly(table, &PolicyTable::certain(&policy, table.actions())?, gamma)?;
        let values = evaluation.values;
        let size = values.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
        let mut switched = 0;
        for (state, action) in policy.iter_mut().enumerate() {
            let worth = |a: usize| action_value(table, &values, gamma, state, a);
            let now = worth(*action);
            let better = (0..table.actions()).max_by(|&a, &b| worth(a).total_cmp(&worth(b)).then(b.cmp(&a))).unwrap_or(*action);
            if worth(better) > now + TIE * size {
                *action = better;
                switched += 1;
            }
        }
        let start: f64 = table.start().iter().zip(&values).map(|(p, v)| p * v).sum();
        trace.push(&[f64::from(switched), start]);
        if switched == 0 || round == max_rounds {
            let residual = (0..values.len()).map(|s| (best(table, &values, gamma, s) - values[s]).abs()).fold(0.0, f64::max);
            let certificate = Certificate {
                method: "policy iteration".into(),
                duality_gap: (gamma < 1.0).then(|| residual / (1.0 - gamma)),
                kkt_residual: Some(residual),
                iterations: round as u64,
                converged: switched == 0,
                notes: evaluation.notes,
                ..Certificate::default()
            };
            return Ok(MdpSolution { values, policy, certificate, trace });
        }
    }
    Err(Error::Data("policy iteration needs at least one round".into()))
}

/// Finite-horizon optimum, when the choice may depend on the steps that are left: the values with all steps ahead, and
/// the best action with 1, 2, … steps left.
pub fn backward_induction(table: &Transitions, gamma: f64, steps: usize) -> Result<(Vec<f64>, Vec<Vec<usize>>)> {
    check_gamma(gamma)?;
    let mut values = vec![0.0; table.states()];
    let mut choices = Vec::with_capacity(steps);
    for _ in 0..steps {
        choices.push(greedy(table, &values, gamma.min(1.0 - f64::EPSILON)));
        values = (0..values.len()).map(|s| best(table, &values, gamma, s)).collect();
    }
    Ok((values, choices))
}
