//! Deep Q-networks (Mnih and others 2015) and their double form (van Hasselt, Guez, Silver 2016).

use ermine_core::{Context, Error, Mat, MatRef, Result};
use ermine_neural::{Activation, Trainer};
use serde::{Deserialize, Serialize};

use super::replay_buffer::{ReplayBatch, ReplayBuffer};
use super::training::{DeepTraining, ObservationScaling, PeriodicEval, TrainingLoop, adam, ends, largest, perceptron, sizes};
use crate::env::NumericStates;
use crate::mdp::check_gamma;
use crate::tabular::{DecaySchedule, TrainingBudget};

/// A network that learns `r + γ max_a Q'(s', a)`, with Q' a target network, from steps sampled from a replay buffer. In
/// the double form the online network chooses the action and the target network evaluates it: no maximization bias.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dqn {
    /// Whether the online network chooses the action that the target network evaluates.
    pub double: bool,
    /// The discount.
    pub gamma: f64,
    /// Widths of the hidden layers.
    pub hidden: Vec<usize>,
    /// Learning rate.
    pub rate: f64,
    /// Steps per batch.
    pub batch: usize,
    /// Capacity of the replay buffer.
    pub memory: usize,
    /// Steps before training starts.
    pub warm_up: u64,
    /// Environment steps between updates.
    pub every: u64,
    /// Gradient steps per update.
    pub updates: u64,
    /// Environment steps between updates of the target network.
    pub target_every: u64,
    /// Share of the target update: 1 copies the online network.
    pub tau: f64,
    /// Probability of a random action.
    pub epsilon: DecaySchedule,
}

impl Dqn {
    /// Checks the parameters.
    pub fn check(&self) -> Result<()> {
        check_gamma(self.gamma)?;
        self.epsilon.check("epsilon", 0.0, 1.0)?;
        if !(self.tau > 0.0 && self.tau <= 1.0) {
            return Err(Error::Data(format!("tau {} is invalid; it must be in (0, 1]", self.tau)));
        }
        let whole = [
            ("batch_size", self.batch as u64),
            ("buffer_size", self.memory as u64),
            ("train_freq", self.every),
            ("gradient_steps", self.updates),
            ("target_update_interval", self.target_every),
        ];
        match whole.iter().find(|w| w.1 == 0) {
            Some((name, _)) => Err(Error::Data(format!("{name} 0 is invalid; it must be a whole number from 1 up"))),
            None => Ok(()),
        }
    }

    /// Trains in an environment, from the start or from an earlier training (with an empty replay buffer).
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
        let mut target = network.clone();
        let mut trainer = Trainer::new(network, adam(self.rate, 10.0), self.batch)?;
        let blocks = trainer.blocks();
        let mut course = TrainingLoop::new(start, scaling, judge, cx);
        let (max_episodes, max_steps) = ends(budget, &course);
        let mut memory = ReplayBuffer::new(width, self.memory);
        let mut learn = DqnUpdate::new(self, width, actions, &target);
        let mut one = target.scratch(1);
        let (mut seen, mut next) = (vec![0.0; width], vec![0.0; width]);
        let first = env.reset(Some(cx.seed));
        course.observe(env, &first, &mut seen)?;
        let first_step = course.step;
        let (mut total, mut began) = (0.0, course.step);
        while course.step < max_steps && (course.returns.len() as u64) < max_episodes {
            let epsilon = self.epsilon.at(course.step);
            let u = course.rng.uniform();
            let action = match u < epsilon {
                // The number that decided to explore is uniform below ε, and chooses the action too.
                true => ((u / epsilon * actions as f64) as usize).min(actions - 1),
                false => largest(trainer.network().forward_row(&seen, &mut one)?),
            };
            let step = env.step(action)?;
            course.count_step(step.reward, action)?;
            total += step.reward;
            course.observe(env, &step.observation, &mut next)?;
            memory.push(&seen, action, step.reward, &next, step.terminated);
            if step.done() {
                course.returns.push(total);
                course.lengths.push(course.step - began);
                (total, began) = (0.0, course.step);
                let first = env.reset(None);
                course.observe(env, &first, &mut seen)?;
            } else {
                std::mem::swap(&mut seen, &mut next);
            }
            if course.step - first_step >= self.warm_up && course.step.is_multiple_of(self.every) {
                let rng = &mut course.rng;
                let mut updates = || -> Result<()> {
                    let mut left = self.updates;
                    while left > 0 {
                        let count = left.min(TOGETHER) as usize;
                        memory.sample(count * self.batch, rng, &mut learn.batch);
                        learn.steps(self, &mut trainer, &target, count)?;
                        left -= count as u64;
                    }
                    Ok(())
                };
                // With several blocks, run on a pool thread, so that threads need not be woken for every update.
                match blocks > 1 {
                    true => rayon::scope(|_| updates())?,
                    false => updates()?,
                }
            }
            if course.step.is_multiple_of(self.target_every) {
                target.soft_update(trainer.network(), self.tau)?;
            }
            if course.evaluate_if_due(trainer.network())? {
                break;
            }
        }
        let network = trainer.into_network();
        course.finish(&network, None)
    }
}

/// Updates whose batches are sampled together: the target network is fixed meanwhile, so that it is evaluated once for
/// all.
const TOGETHER: u64 = 16;

/// Buffers of the updates.
struct DqnUpdate {
    batch: ReplayBatch,
    width: usize,
    targets: Vec<f32>,
    gradient: Mat<f32>,
    scratch: ermine_neural::InferenceScratch,
    chooser: ermine_neural::InferenceScratch,
}

impl DqnUpdate {
    fn new(dqn: &Dqn, width: usize, actions: usize, network: &ermine_neural::Network) -> Self {
        let together = dqn.updates.min(TOGETHER) as usize;
        Self {
            batch: ReplayBatch::new(width, together * dqn.batch),
            width,
            targets: vec![0.0; dqn.batch],
            gradient: Mat::filled(dqn.batch, actions, 0.0),
            scratch: network.scratch(dqn.batch),
            chooser: network.scratch(dqn.batch),
        }
    }

    /// Some steps of Adam on the mean Huber loss of `Q(s, a) - target` over each batch.
    fn steps(&mut self, dqn: &Dqn, trainer: &mut Trainer, target: &ermine_neural::Network, count: usize) -> Result<()> {
        let (rows, width) = (dqn.batch, self.width);
        let next = MatRef::row_major(&self.batch.next_observations, count * rows, width);
        if count == 1 {
            let then = target.forward(next, &mut self.scratch)?;
            return step(dqn, trainer, &self.batch, 0, then, (&mut self.targets, &mut self.gradient, &mut self.chooser));
        }
        let then = target.predict(next)?;
        for k in 0..count {
            let then = then.view().row_range(k * rows..(k + 1) * rows);
            step(dqn, trainer, &self.batch, k * rows, then, (&mut self.targets, &mut self.gradient, &mut self.chooser))?;
        }
        Ok(())
    }
}

/// One step of Adam with the rows of `batch` from `first` on; `then` has the target network's values of the next
/// states.
fn step(
    dqn: &Dqn,
    trainer: &mut Trainer,
    batch: &ReplayBatch,
    first: usize,
    then: MatRef<'_, f32>,
    (targets, gradient, chooser): (&mut [f32], &mut Mat<f32>, &mut ermine_neural::InferenceScratch),
) -> Result<()> {
    let (count, gamma, actions) = (dqn.batch, dqn.gamma as f32, then.cols());
    let width = batch.next_observations.len() / batch.actions.len();
    let span = first * width..(first + count) * width;
    let now = match dqn.double {
        true => {
            Some(trainer.network().forward(MatRef::row_major(&batch.next_observations[span.clone()], count, width), chooser)?)
        }
        false => None,
    };
    for k in 0..count {
        let value = match &now {
            Some(now) => {
                let choice = (1..actions).fold(0, |best, a| if now.at(k, a) > now.at(k, best) { a } else { best });
                *then.at(k, choice)
            }
            None => (0..actions).map(|a| *then.at(k, a)).fold(f32::NEG_INFINITY, f32::max),
        };
        targets[k] = batch.rewards[first + k] + gamma * batch.not_terminal[first + k] * value;
    }
    let out = trainer.forward(MatRef::row_major(&batch.observations[span], count, width))?;
    for k in 0..count {
        let row = gradient.row_mut(k);
        row.fill(0.0);
        let action = batch.actions[first + k] as usize;
        row[action] = (*out.at(k, action) - targets[k]).clamp(-1.0, 1.0) / count as f32;
    }
    trainer.step(gradient.view())
}
