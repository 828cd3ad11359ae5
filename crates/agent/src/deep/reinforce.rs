//! REINFORCE (Williams 1992), with and without a baseline.

use ermine_core::{Context, Error, Mat, MatRef, Result};
use ermine_neural::{Activation, Trainer};
use serde::{Deserialize, Serialize};

use super::training::{
    DeepTraining, ObservationScaling, PeriodicEval, TrainingLoop, adam, draw, ends, perceptron, sizes, softmax,
};
use crate::env::NumericStates;
use crate::mdp::check_gamma;
use crate::tabular::TrainingBudget;

/// The policy gradient `Σ_t (G_t - b(s_t)) ∇ ln π(a_t | s_t)` after every episode. Without a baseline the value after a
/// truncation counts as 0; with one, the baseline estimates it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reinforce {
    /// The discount.
    pub gamma: f64,
    /// Widths of the hidden layers.
    pub hidden: Vec<usize>,
    /// Learning rate of the policy.
    pub rate: f64,
    /// Whether a value network is the baseline.
    pub baseline: bool,
    /// Learning rate of the baseline.
    pub baseline_rate: f64,
    /// Whether returns of an episode are standardized.
    #[serde(rename = "normalise")]
    pub normalize: bool,
    /// The weight of the entropy of the policy, against premature convergence.
    pub entropy: f64,
}

/// Rows per gradient step: longer episodes take several.
const ROWS: usize = 512;

impl Reinforce {
    /// Checks the parameters.
    pub fn check(&self) -> Result<()> {
        check_gamma(self.gamma)?;
        match self.entropy >= 0.0 && self.entropy.is_finite() {
            true => Ok(()),
            false => Err(Error::Data(format!("ent_coef {} is invalid; it must be a number from 0 up", self.entropy))),
        }
    }

    /// Trains in an environment, from the start or from an earlier training.
    pub fn train<E: NumericStates>(
        &self,
        env: &mut E,
        start: Option<&DeepTraining>,
        scaling: ObservationScaling,
        budget: TrainingBudget,
        judge: Option<PeriodicEval<'_>>,
        cx: &Context<'_>,
    ) -> Result<DeepTraining> {
        self.check()?;
        let (width, actions) = sizes(env)?;
        let network = match start {
            Some(start) => start.check(width, actions)?,
            None => perceptron(width, &self.hidden, Activation::Relu, actions, cx.seed)?,
        };
        let critic = match start.and_then(|s| s.critic.as_ref()) {
            Some(critic) => critic.network()?,
            None => perceptron(width, &self.hidden, Activation::Relu, 1, cx.seed.wrapping_add(1))?,
        };
        let mut one = network.scratch(1);
        let mut actor = Trainer::new(network, adam(self.rate, 10.0), ROWS)?;
        let mut critic = Trainer::new(critic, adam(self.baseline_rate, 10.0), ROWS)?;
        let mut course = TrainingLoop::new(start, scaling, judge, cx);
        let (max_episodes, max_steps) = ends(budget, &course);
        let (mut seen, mut probabilities) = (vec![0.0; width], vec![0.0; actions]);
        let mut fresh = Some(cx.seed);
        while course.step < max_steps && (course.returns.len() as u64) < max_episodes {
            let (mut trail, mut chosen, mut rewards) = (Vec::new(), Vec::new(), Vec::new());
            let began = course.step;
            let first = env.reset(fresh.take());
            course.observe(env, &first, &mut seen)?;
            let mut tail = 0.0;
            let mut whole = false;
            while course.step < max_steps {
                probabilities.copy_from_slice(actor.network().forward_row(&seen, &mut one)?);
                softmax(&mut probabilities);
                let action = draw(&probabilities, &mut course.rng);
                trail.extend_from_slice(&seen);
                chosen.push(action);
                let step = env.step(action)?;
                course.count_step(step.reward, action)?;
                rewards.push(step.reward);
                course.observe(env, &step.observation, &mut seen)?;
                if step.done() {
                    whole = true;
                    if !step.terminated && self.baseline {
                        let mut scratch = critic.network().scratch(1);
                        tail = f64::from(critic.network().forward_row(&seen, &mut scratch)?[0]);
                    }
                    break;
                }
                // Evaluation does not wait for the end of a long episode.
                if course.evaluate_if_due(actor.network())? {
                    let (actor, critic) = (actor.into_network(), critic.into_network());
                    return course.finish(&actor, self.baseline.then_some(&critic));
                }
            }
            if !whole {
                break;
            }
            course.returns.push(rewards.iter().sum());
            course.lengths.push(course.step - began);
            let mut gains = vec![0.0f32; rewards.len()];
            let mut g = tail;
            for (gain, reward) in gains.iter_mut().zip(&rewards).rev() {
                g = reward + self.gamma * g;
                *gain = g as f32;
            }
            self.learn(&mut actor, &mut critic, &trail, &chosen, gains, width)?;
            if course.evaluate_if_due(actor.network())? {
                break;
            }
        }
        let (actor, critic) = (actor.into_network(), critic.into_network());
        course.finish(&actor, self.baseline.then_some(&critic))
    }

    fn learn(
        &self,
        actor: &mut Trainer,
        critic: &mut Trainer,
        trail: &[f32],
        chosen: &[usize],
        gains: Vec<f32>,
        width: usize,
    ) -> Result<()> {
        let count = chosen.len();
        let rows = |from: usize, to: usize| MatRef::row_major(&trail[from * width..to * width], to - from, width);
        let mut weights = gains.clone();
        if self.baseline {
            for from in (0..count).step_by(ROWS) {
                let to = (from + ROWS).min(count);
                let values = critic.forward(rows(from, to))?;
                let error = Mat::from_fn(to - from, 1, |i, _| {
                    let off = *values.at(i, 0) - gains[from + i];
                    weights[from + i] = -off;
                    off.clamp(-10.0, 10.0) / (to - from) as f32
                });
                critic.step(error.view())?;
            }
        }
        if self.normalize && count > 1 {
            let n = count as f32;
            let mean = weights.iter().sum::<f32>() / n;
            let deviation = (weights.iter().map(|w| (w - mean).powi(2)).sum::<f32>() / (n - 1.0)).sqrt();
            weights.iter_mut().for_each(|w| *w = (*w - mean) / (deviation + 1e-6));
        }
        for from in (0..count).step_by(ROWS) {
            let to = (from + ROWS).min(count);
            let logits = actor.forward(rows(from, to))?;
            let mut gradient = Mat::filled(to - from, logits.cols(), 0.0f32);
            for i in 0..to - from {
                let row = gradient.row_mut(i);
                (0..row.len()).for_each(|a| row[a] = *logits.at(i, a));
                policy_gradient(row, chosen[from + i], weights[from + i], self.entropy as f32);
                // With the sum over an episode, as in the formula, long episodes would dominate; their mean is used.
                row.iter_mut().for_each(|d| *d /= count as f32);
            }
            actor.step(gradient.view())?;
        }
        Ok(())
    }
}

/// Replaces logits by the gradient of `-weight ln π(action) - entropy H(π)` with respect to them.
pub(super) fn policy_gradient(logits: &mut [f32], action: usize, weight: f32, entropy: f32) {
    softmax(logits);
    let h: f32 = logits.iter().filter(|p| **p > 0.0).map(|p| -p * p.ln()).sum();
    for (a, p) in logits.iter_mut().enumerate() {
        let chosen = f32::from(u8::from(a == action));
        let less = if *p > 0.0 { entropy * *p * (p.ln() + h) } else { 0.0 };
        *p = weight * (*p - chosen) + less;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gradient with respect to the logits, against finite differences of the objective.
    #[test]
    fn the_gradient_of_a_policy_is_that_of_its_objective() {
        let objective = |z: [f64; 3], action: usize, weight: f64, entropy: f64| {
            let total: f64 = z.iter().map(|v| v.exp()).sum();
            let p = z.map(|v| v.exp() / total);
            let h: f64 = p.iter().map(|p| -p * p.ln()).sum();
            -weight * p[action].ln() - entropy * h
        };
        for (action, weight, entropy) in [(0, 1.3, 0.0), (2, -0.7, 0.2), (1, 0.0, 1.0)] {
            let z = [0.3f32, -1.1, 0.8];
            let mut gradient = z;
            policy_gradient(&mut gradient, action, weight, entropy);
            for a in 0..3 {
                let at = |shift: f64| {
                    let mut z = z.map(f64::from);
                    z[a] += shift;
                    objective(z, action, weight.into(), entropy.into())
                };
                let expected = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((f64::from(gradient[a]) - expected).abs() < 1e-5, "{action} {a}: {} for {expected}", gradient[a]);
            }
        }
    }
}
