//! Prediction: the state values of a given policy, estimated from episodes.

use std::collections::{HashSet, VecDeque};

use ermine_core::{Error, Result, RngStream};
use serde::{Deserialize, Serialize};

use super::StepSize;
use super::control::check_reward;
use crate::env::FiniteStates;
use crate::mdp::{PolicyTable, check_gamma};

/// The targets of the updates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PredictionMethod {
    /// The complete return, at the first visit of an episode or at every one.
    MonteCarlo {
        /// Only the first visit of an episode counts.
        first_visit: bool,
    },
    /// The rewards of `n` steps and the value after them; 1 is TD(0).
    TemporalDifference {
        /// Steps.
        n: usize,
    },
}

/// Estimated state values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValueEstimate {
    /// The value of each state.
    pub values: Vec<f64>,
    /// Updates of each state.
    pub visits: Vec<u32>,
    /// Total steps.
    pub steps: u64,
}

/// Estimates the values of a policy by following it for `episodes` episodes. `initial` is the initial value of all states.
#[expect(clippy::too_many_arguments, reason = "each is a choice of its own")]
pub fn predict<E: FiniteStates>(
    env: &mut E,
    policy: &PolicyTable,
    method: PredictionMethod,
    gamma: f64,
    alpha: StepSize,
    initial: f64,
    episodes: u64,
    seed: u64,
) -> Result<ValueEstimate> {
    check_gamma(gamma)?;
    alpha.check()?;
    let n = match method {
        PredictionMethod::TemporalDifference { n: 0 } => {
            return Err(Error::Data("n is 0; learning needs at least one step".into()));
        }
        PredictionMethod::TemporalDifference { n } => n,
        PredictionMethod::MonteCarlo { .. } => usize::MAX,
    };
    let first_visit = method == PredictionMethod::MonteCarlo { first_visit: true };
    if (policy.states(), policy.actions()) != (env.states(), env.actions()) {
        return Err(Error::Length { what: "states of the policy".into(), expected: env.states(), found: policy.states() });
    }
    let mut estimate = ValueEstimate { values: vec![initial; env.states()], visits: vec![0; env.states()], steps: 0 };
    let mut rng = RngStream::new(seed, "tabular prediction", 0);
    let mut fresh = Some(seed);
    for _ in 0..episodes {
        let mut state = env.reset(fresh.take());
        let mut seen = HashSet::new();
        // The states waiting for their update, with the reward that followed and whether they are updated.
        let mut trail: VecDeque<(usize, f64, bool)> = VecDeque::new();
        loop {
            let action = rng.weighted(policy.row(state));
            let step = env.step(action)?;
            check_reward(step.reward, state, action)?;
            estimate.steps += 1;
            trail.push_back((state, step.reward, !first_visit || seen.insert(state)));
            state = step.observation;
            let tail = if step.terminated { 0.0 } else { estimate.values[state] };
            let mut learn = |state: usize, target: f64| {
                estimate.visits[state] = estimate.visits[state].saturating_add(1);
                estimate.values[state] += alpha.at(estimate.visits[state]) * (target - estimate.values[state]);
            };
            if step.done() {
                // Backwards, so that a long episode takes one pass.
                let mut g = tail;
                while let Some((s, reward, counts)) = trail.pop_back() {
                    g = reward + gamma * g;
                    if counts {
                        learn(s, g);
                    }
                }
                break;
            }
            if trail.len() == n {
                let target = trail.iter().rev().fold(tail, |g, (_, reward, _)| reward + gamma * g);
                if let Some((s, _, _)) = trail.pop_front() {
                    learn(s, target);
                }
            }
        }
    }
    Ok(estimate)
}
