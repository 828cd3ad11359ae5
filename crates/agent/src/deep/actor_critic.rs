//! Advantage actor–critic (Mnih and others 2016), with several environments in parallel.

use ermine_core::{Context, Error, Mat, MatRef, Result};
use ermine_neural::{Activation, Network, Trainer};
use serde::{Deserialize, Serialize};

use super::reinforce::policy_gradient;
use super::training::{
    DeepTraining, ObservationScaling, PeriodicEval, TrainingLoop, adam, draw, ends, perceptron, sizes, softmax,
};
use crate::env::NumericStates;
use crate::mdp::check_gamma;
use crate::tabular::TrainingBudget;

/// A policy gradient `A ∇ ln π(a | s)`, with the advantage `A = Σ (γλ)^k δ_k`, `δ = r + γ V(s') - V(s)`, of a critic
/// that learns V at the same time (generalized advantage estimation: Schulman and others 2016; λ = 1 is the return less
/// V).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActorCritic {
    /// The discount.
    pub gamma: f64,
    /// λ of the advantages.
    pub lambda: f64,
    /// Widths of the hidden layers.
    pub hidden: Vec<usize>,
    /// Learning rate of the policy.
    pub rate: f64,
    /// Learning rate of the critic.
    pub critic_rate: f64,
    /// Steps of each environment per update.
    pub steps: usize,
    /// The weight of the entropy of the policy.
    pub entropy: f64,
    /// Whether advantages are standardized.
    #[serde(rename = "normalise")]
    pub normalize: bool,
}

/// Observations, actions and rewards since the last update.
struct Rollout {
    observations: Vec<f32>,
    actions: Vec<usize>,
    rewards: Vec<f64>,
    /// The value after a step that ended an episode: 0, or the critic's estimate after a truncation.
    after: Vec<Option<f64>>,
}

fn value(critic: &Network, seen: &[f32], scratch: &mut ermine_neural::InferenceScratch) -> Result<f64> {
    Ok(f64::from(critic.forward_row(seen, scratch)?[0]))
}

impl ActorCritic {
    /// Checks the parameters.
    pub fn check(&self) -> Result<()> {
        check_gamma(self.gamma)?;
        if !(0.0..=1.0).contains(&self.lambda) {
            return Err(Error::Data(format!("gae_lambda {} is invalid; it must be in [0, 1]", self.lambda)));
        }
        if self.steps == 0 {
            return Err(Error::Data("n_steps 0 is invalid; learning needs at least one step".into()));
        }
        match self.entropy >= 0.0 && self.entropy.is_finite() {
            true => Ok(()),
            false => Err(Error::Data(format!("ent_coef {} is invalid; it must be a number from 0 up", self.entropy))),
        }
    }

    /// Trains in several environments of one kind, from the start or from an earlier training. The first starts from
    /// the seed, the others from seeds drawn after it.
    pub fn train<E: NumericStates>(
        &self,
        envs: &mut [E],
        start: Option<&DeepTraining>,
        scaling: ObservationScaling,
        budget: TrainingBudget,
        judge: Option<PeriodicEval<'_>>,
        cx: &Context<'_>,
    ) -> Result<DeepTraining> {
        self.check()?;
        let Some(one_env) = envs.first() else {
            return Err(Error::Data("an agent needs at least one environment".into()));
        };
        let ((width, actions), count) = (sizes(one_env)?, envs.len());
        let network = match start {
            Some(start) => start.check(width, actions)?,
            None => perceptron(width, &self.hidden, Activation::Tanh, actions, cx.seed)?,
        };
        let critic = match start.and_then(|s| s.critic.as_ref()) {
            Some(critic) => critic.network()?,
            None => perceptron(width, &self.hidden, Activation::Tanh, 1, cx.seed.wrapping_add(1))?,
        };
        let rows = count * self.steps;
        let (mut act_scratch, mut value_scratch) = (network.scratch(1), critic.scratch(1));
        let mut actor = Trainer::new(network, adam(self.rate, 0.5), rows)?;
        let mut critic = Trainer::new(critic, adam(self.critic_rate, 0.5), rows)?;
        let mut course = TrainingLoop::new(start, scaling, judge, cx);
        let (max_episodes, max_steps) = ends(budget, &course);
        let mut seen = vec![0.0; count * width];
        for (k, env) in envs.iter_mut().enumerate() {
            let seed = if k == 0 { cx.seed } else { course.rng.next_u64() >> 1 };
            let first = env.reset(Some(seed));
            course.observe(env, &first, &mut seen[k * width..(k + 1) * width])?;
        }
        let (mut totals, mut lengths) = (vec![0.0; count], vec![0u64; count]);
        let mut probabilities = vec![0.0; actions];
        let mut enough = false;
        while !enough && course.step < max_steps && (course.returns.len() as u64) < max_episodes {
            let mut roll = Rollout {
                observations: Vec::with_capacity(rows * width),
                actions: Vec::with_capacity(rows),
                rewards: Vec::with_capacity(rows),
                after: Vec::with_capacity(rows),
            };
            // Steps of all environments in turn: row t * count + k is step t of environment k.
            for _ in 0..self.steps {
                for (k, env) in envs.iter_mut().enumerate() {
                    let place = k * width..(k + 1) * width;
                    probabilities.copy_from_slice(actor.network().forward_row(&seen[place.clone()], &mut act_scratch)?);
                    softmax(&mut probabilities);
                    let action = draw(&probabilities, &mut course.rng);
                    roll.observations.extend_from_slice(&seen[place.clone()]);
                    let step = env.step(action)?;
                    course.count_step(step.reward, action)?;
                    totals[k] += step.reward;
                    lengths[k] += 1;
                    course.observe(env, &step.observation, &mut seen[place.clone()])?;
                    let after = match (step.terminated, step.truncated) {
                        (true, _) => Some(0.0),
                        (false, true) => Some(value(critic.network(), &seen[place.clone()], &mut value_scratch)?),
                        (false, false) => None,
                    };
                    roll.actions.push(action);
                    roll.rewards.push(step.reward);
                    roll.after.push(after);
                    if step.done() {
                        course.returns.push(std::mem::take(&mut totals[k]));
                        course.lengths.push(std::mem::take(&mut lengths[k]));
                        let first = env.reset(None);
                        course.observe(env, &first, &mut seen[place])?;
                    }
                }
            }
            self.learn(&roll, &seen, &mut actor, &mut critic, &mut value_scratch, count, width)?;
            enough = course.evaluate_if_due(actor.network())?;
        }
        let (actor, critic) = (actor.into_network(), critic.into_network());
        course.finish(&actor, Some(&critic))
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one training")]
    fn learn(
        &self,
        roll: &Rollout,
        last: &[f32],
        actor: &mut Trainer,
        critic: &mut Trainer,
        scratch: &mut ermine_neural::InferenceScratch,
        count: usize,
        width: usize,
    ) -> Result<()> {
        let rows = roll.actions.len();
        let x = MatRef::row_major(&roll.observations, rows, width);
        let ends: Vec<f64> =
            (0..count).map(|k| value(critic.network(), &last[k * width..(k + 1) * width], scratch)).collect::<Result<_>>()?;
        let out = critic.forward(x)?;
        let values: Vec<f64> = (0..rows).map(|i| f64::from(*out.at(i, 0))).collect();
        let advantages = advantages(self, &roll.rewards, &roll.after, &values, &ends);
        // The critic's target is the return that the advantage implies.
        let error = Mat::from_fn(rows, 1, |i, _| (-advantages[i] / rows as f64) as f32);
        critic.step(error.view())?;
        let mut weights: Vec<f32> = advantages.iter().map(|a| *a as f32).collect();
        if self.normalize && rows > 1 {
            let n = rows as f32;
            let mean = weights.iter().sum::<f32>() / n;
            let deviation = (weights.iter().map(|w| (w - mean).powi(2)).sum::<f32>() / (n - 1.0)).sqrt();
            weights.iter_mut().for_each(|w| *w = (*w - mean) / (deviation + 1e-6));
        }
        let logits = actor.forward(x)?;
        let mut gradient = Mat::filled(rows, logits.cols(), 0.0f32);
        for i in 0..rows {
            let row = gradient.row_mut(i);
            (0..row.len()).for_each(|a| row[a] = *logits.at(i, a));
            policy_gradient(row, roll.actions[i], weights[i], self.entropy as f32);
            row.iter_mut().for_each(|d| *d /= rows as f32);
        }
        actor.step(gradient.view())
    }
}

/// `A_t = δ_t + γλ A_{t+1}` within an episode, for rows `t * count + k`; `ends` are the values of the current state of
/// each environment.
fn advantages(agent: &ActorCritic, rewards: &[f64], after: &[Option<f64>], values: &[f64], ends: &[f64]) -> Vec<f64> {
    let (count, rows) = (ends.len(), rewards.len());
    let mut out = vec![0.0; rows];
    for k in 0..count {
        let (mut next, mut trace) = (ends[k], 0.0);
        for i in (k..rows).step_by(count).collect::<Vec<_>>().into_iter().rev() {
            if let Some(value) = after[i] {
                // The next episode does not count here.
                (next, trace) = (value, 0.0);
            }
            let delta = rewards[i] + agent.gamma * next - values[i];
            trace = delta + agent.gamma * agent.lambda * trace;
            out[i] = trace;
            next = values[i];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(gamma: f64, lambda: f64) -> ActorCritic {
        ActorCritic { gamma, lambda, hidden: vec![4], rate: 1e-3, critic_rate: 1e-3, steps: 3, entropy: 0.0, normalize: false }
    }

    /// With λ = 1 an advantage is the discounted return less the value; with λ = 0 one step's error. Episodes do not
    /// mix, the value after a termination is 0 and after a truncation the critic's.
    #[test]
    fn advantages_are_returns_less_values() {
        // Two environments, three steps each: the first terminates after its second step, the second is truncated after
        // its first.
        let rewards = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let after = [None, Some(0.7), Some(0.0), None, None, None];
        let values = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
        let ends = [0.9, 0.8];
        let full = advantages(&agent(0.5, 1.0), &rewards, &after, &values, &ends);
        let expected = [
            1.0 + 0.5 * 3.0 - 0.1,
            2.0 + 0.5 * 0.7 - 0.2,
            3.0 - 0.3,
            4.0 + 0.5 * 6.0 + 0.25 * 0.8 - 0.4,
            5.0 + 0.5 * 0.9 - 0.5,
            6.0 + 0.5 * 0.8 - 0.6,
        ];
        for (a, b) in full.iter().zip(expected) {
            assert!((a - b).abs() < 1e-12, "{full:?}");
        }
        let short = advantages(&agent(0.5, 0.0), &rewards, &after, &values, &ends);
        assert!((short[0] - (1.0 + 0.5 * 0.3 - 0.1)).abs() < 1e-12 && (short[3] - (4.0 + 0.5 * 0.6 - 0.4)).abs() < 1e-12);
        assert!(agent(0.5, 1.5).check().is_err() && agent(-0.1, 1.0).check().is_err());
    }
}
