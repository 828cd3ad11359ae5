//! Common parts of agents with networks: the networks as data, the training loop, and the periodic evaluation.

use ermine_core::{Context, Error, Progress, Result, RngStream};
use ermine_neural::{Activation, Architecture, InferenceScratch, Network, Optimizer, Shape, WeightInit};
use serde::{Deserialize, Serialize};

use crate::env::NumericStates;
use crate::tabular::TrainingBudget;

/// Scaling of observations before the network: `(x - shift) * factor`, for each number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObservationScaling {
    /// Subtracted.
    pub shift: Vec<f32>,
    /// Multiplied.
    pub factor: Vec<f32>,
}

impl ObservationScaling {
    /// No scaling.
    pub fn none(width: usize) -> Self {
        Self { shift: vec![0.0; width], factor: vec![1.0; width] }
    }

    /// Numbers with limits are scaled to [-1, 1]; others are unchanged.
    pub fn of_limits(low: &[f32], high: &[f32]) -> Self {
        let mut out = Self::none(low.len());
        for (i, (&a, &b)) in low.iter().zip(high).enumerate() {
            // Limits that are only those of the number type are ignored.
            if a.is_finite() && b.is_finite() && b > a && b.abs().max(a.abs()) < 1e6 {
                (out.shift[i], out.factor[i]) = (0.5 * (a + b), 2.0 / (b - a));
            }
        }
        out
    }

    /// How many numbers it scales.
    pub fn width(&self) -> usize {
        self.shift.len()
    }

    #[inline]
    pub(crate) fn apply(&self, values: &mut [f32]) {
        for ((v, s), f) in values.iter_mut().zip(&self.shift).zip(&self.factor) {
            *v = (*v - s) * f;
        }
    }

    fn check(&self, width: usize) -> Result<()> {
        for found in [self.shift.len(), self.factor.len()] {
            if found != width {
                return Err(Error::Length { what: "numbers that are scaled".into(), expected: width, found });
            }
        }
        match self.shift.iter().chain(&self.factor).find(|v| !v.is_finite()) {
            Some(v) => Err(Error::Model(format!("observations are scaled by {v}"))),
            None => Ok(()),
        }
    }
}

/// A network as plain data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkWeights {
    /// Its layers, as text.
    pub layers: String,
    /// Number of inputs.
    pub inputs: usize,
    /// Its weights: layer, name, numbers.
    pub weights: Vec<(usize, String, Vec<f32>)>,
}

impl NetworkWeights {
    pub(super) fn of(network: &Network) -> Self {
        let weights = network.weights().into_iter().map(|w| (w.layer, w.name, w.values)).collect();
        Self { layers: network.architecture().to_string(), inputs: network.input().len(), weights }
    }

    /// The network itself. Layers that are not those of a perceptron, and weights that do not fit or are not finite,
    /// are errors.
    pub fn network(&self) -> Result<Network> {
        let layers: Architecture = self.layers.parse()?;
        let known =
            |l: &ermine_neural::Layer| matches!(l, ermine_neural::Layer::Dense { .. } | ermine_neural::Layer::Activation(_));
        if let Some(odd) = layers.layers.iter().find(|l| !known(l)) {
            return Err(Error::Model(format!("its network has the layer {odd}, which agents do not use")));
        }
        // The stored weights bound the memory of the network made for them.
        let stored: usize = self.weights.iter().map(|w| w.2.len()).sum();
        let mut wanted = 0usize;
        let mut width = self.inputs;
        for layer in &layers.layers {
            if let ermine_neural::Layer::Dense { units, bias } = layer {
                wanted = wanted.saturating_add(width.saturating_mul(*units)).saturating_add(if *bias { *units } else { 0 });
                width = *units;
            }
        }
        if wanted != stored {
            return Err(Error::Length { what: "weights of the network".into(), expected: wanted, found: stored });
        }
        let mut network = Network::new(&layers, Shape::flat(self.inputs), WeightInit::Auto, 0)?;
        for (layer, name, values) in &self.weights {
            network.set_weights(*layer, name, values)?;
        }
        match network.is_finite() && network.n_weights() == stored {
            true => Ok(network),
            false => Err(Error::Model("its network has weights that are missing or no numbers".into())),
        }
    }
}

/// The result of a training with networks, and the state to continue it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeepTraining {
    /// Values of the actions (DQN), or their logits (policies).
    pub network: NetworkWeights,
    /// State values, where the method learns them.
    pub critic: Option<NetworkWeights>,
    /// Scaling of observations.
    pub scaling: ObservationScaling,
    /// Sum of rewards of each complete episode.
    pub returns: Vec<f64>,
    /// Steps of each complete episode.
    pub lengths: Vec<u64>,
    /// Total steps.
    pub steps: u64,
    /// Periodic evaluations: steps, mean return.
    pub judged: Vec<(u64, f64)>,
    /// The step at which the network was taken.
    pub taken_at: u64,
}

impl DeepTraining {
    /// Checks the consistency of the state; returns the network.
    pub fn check(&self, width: usize, actions: usize) -> Result<Network> {
        self.scaling.check(width)?;
        let network = self.network.network()?;
        for (what, expected, found) in
            [("inputs of the network", width, network.input().len()), ("actions of the network", actions, network.output().len())]
        {
            if expected != found {
                return Err(Error::Length { what: what.into(), expected, found });
            }
        }
        if let Some(critic) = &self.critic {
            let critic = critic.network()?;
            if (critic.input().len(), critic.output().len()) != (width, 1) {
                return Err(Error::Model("its critic and its policy have different inputs".into()));
            }
        }
        match self.returns.len() == self.lengths.len() {
            true => Ok(network),
            false => Err(Error::Model("its episodes have returns without lengths".into())),
        }
    }
}

/// Periodic evaluation of the network without exploration; training keeps the best network, and ends when it is good
/// enough.
pub struct PeriodicEval<'a> {
    /// Steps between evaluations.
    pub every: u64,
    /// The mean return at which training ends.
    pub enough: Option<f64>,
    /// Runs episodes: the policy maps an observation to an action; returns the mean return.
    #[expect(clippy::type_complexity, reason = "a way to act goes in, a mean return comes out")]
    pub play: &'a mut dyn FnMut(&mut dyn FnMut(&[f32]) -> Result<usize>) -> Result<f64>,
}

/// A perceptron with weights drawn from the seed.
pub(super) fn perceptron(inputs: usize, hidden: &[usize], activation: Activation, outputs: usize, seed: u64) -> Result<Network> {
    Network::new(&Architecture::perceptron(hidden, activation, outputs), Shape::flat(inputs), WeightInit::Auto, seed)
}

/// Adam with clipped gradients.
pub(super) fn adam(rate: f64, clip: f64) -> Optimizer {
    Optimizer { clip: Some(clip), ..Optimizer::adam(rate) }
}

/// The index of the largest number, the lowest among equals.
#[inline]
pub(super) fn largest(values: &[f32]) -> usize {
    (1..values.len()).fold(0, |best, a| if values[a] > values[best] { a } else { best })
}

/// The training loop, common to all methods.
pub(super) struct TrainingLoop<'c, 'j> {
    pub cx: &'c Context<'c>,
    pub scaling: ObservationScaling,
    pub returns: Vec<f64>,
    pub lengths: Vec<u64>,
    pub step: u64,
    pub rng: RngStream,
    judge: Option<PeriodicEval<'j>>,
    judged: Vec<(u64, f64)>,
    next_look: u64,
    best: Option<(f64, NetworkWeights, u64)>,
    scratch: Option<InferenceScratch>,
}

impl<'c, 'j> TrainingLoop<'c, 'j> {
    pub fn new(
        start: Option<&DeepTraining>,
        scaling: ObservationScaling,
        judge: Option<PeriodicEval<'j>>,
        cx: &'c Context<'c>,
    ) -> Self {
        let (returns, lengths, step, judged) = match start {
            Some(t) => (t.returns.clone(), t.lengths.clone(), t.steps, t.judged.clone()),
            None => Default::default(),
        };
        let next_look = step + judge.as_ref().map_or(u64::MAX, |j| j.every.max(1)).min(u64::MAX - step);
        // Continued training draws other numbers than the first.
        let rng = RngStream::new(cx.seed, "deep agent", step);
        Self { cx, scaling, returns, lengths, step, rng, judge, judged, next_look, best: None, scratch: None }
    }

    /// The scaled observation. A number that is not finite would corrupt the network, and is an error.
    #[inline]
    pub fn observe<E: NumericStates>(&self, env: &E, observation: &E::Observation, out: &mut [f32]) -> Result<()> {
        env.write(observation, out);
        self.scaling.apply(out);
        match out.iter().position(|v| !v.is_finite()) {
            None => Ok(()),
            Some(i) => {
                env.write(observation, out);
                Err(Error::Data(format!("step {}: number {i} of the observation is {}, which is not finite", self.step, out[i])))
            }
        }
    }

    /// Counts a step; an error for a reward that would corrupt the network.
    #[inline]
    pub fn count_step(&mut self, reward: f64, action: usize) -> Result<()> {
        self.step += 1;
        // Networks are trained in f32.
        if !(reward as f32).is_finite() {
            return Err(Error::Data(format!(
                "step {}, action {action}: the environment gave the reward {reward}, which is not a finite number in single precision",
                self.step
            )));
        }
        // The first step is reported too, so that a short training can be stopped.
        if self.step % (1 << 10) == 1 {
            self.cx.check(Progress { stage: "steps", done: self.step, total: None, objective: self.returns.last().copied() })?;
        }
        Ok(())
    }

    /// Evaluates the network if it is due; true when it is good enough.
    pub fn evaluate_if_due(&mut self, network: &Network) -> Result<bool> {
        if self.step < self.next_look {
            return Ok(false);
        }
        let Some(judge) = &mut self.judge else { return Ok(false) };
        self.next_look = self.step + judge.every.max(1);
        let scratch = self.scratch.get_or_insert_with(|| network.scratch(1));
        let scaling = &self.scaling;
        let mut seen = vec![0.0; scaling.width()];
        let mut act = |x: &[f32]| -> Result<usize> {
            seen.copy_from_slice(x);
            scaling.apply(&mut seen);
            Ok(largest(network.forward_row(&seen, scratch)?))
        };
        let mean = (judge.play)(&mut act)?;
        self.judged.push((self.step, mean));
        // Of equally good networks the later one: it has seen more.
        if self.best.as_ref().is_none_or(|(best, ..)| mean >= *best) {
            self.best = Some((mean, NetworkWeights::of(network), self.step));
        }
        Ok(judge.enough.is_some_and(|enough| mean >= enough))
    }

    /// The result: the best evaluated network, or the last one.
    pub fn finish(mut self, network: &Network, critic: Option<&Network>) -> Result<DeepTraining> {
        if !network.is_finite() {
            return Err(Error::Numeric("the outputs of the network are no longer finite; lower learning_rate".into()));
        }
        // The last network is evaluated too.
        if self.judge.is_some() && self.judged.last().is_none_or(|(step, _)| *step < self.step) {
            self.next_look = self.step;
            self.evaluate_if_due(network)?;
        }
        let (net, taken_at) = match self.best.take() {
            Some((_, net, at)) => (net, at),
            None => (NetworkWeights::of(network), self.step),
        };
        Ok(DeepTraining {
            network: net,
            critic: critic.map(NetworkWeights::of),
            scaling: self.scaling,
            returns: self.returns,
            lengths: self.lengths,
            steps: self.step,
            judged: self.judged,
            taken_at,
        })
    }
}

/// Numbers of observations and actions; none of either is an error.
pub(super) fn sizes<E: NumericStates>(env: &E) -> Result<(usize, usize)> {
    match (env.numbers(), env.actions()) {
        (0, _) => Err(Error::Data("an observation of the environment has 0 numbers; a network needs at least one".into())),
        (_, 0) => Err(Error::Data("the environment has 0 actions; an agent needs at least one".into())),
        sizes => Ok(sizes),
    }
}

/// Episodes and steps at which a training ends.
pub(super) fn ends(budget: TrainingBudget, course: &TrainingLoop<'_, '_>) -> (u64, u64) {
    match budget {
        TrainingBudget::Episodes(episodes) => ((course.returns.len() as u64).saturating_add(episodes), u64::MAX),
        TrainingBudget::Steps(steps) => (u64::MAX, course.step.saturating_add(steps)),
    }
}

/// Probabilities of the actions from their logits, in place.
#[inline]
pub(super) fn softmax(logits: &mut [f32]) {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut total = 0.0;
    for z in logits.iter_mut() {
        *z = (*z - top).exp();
        total += *z;
    }
    logits.iter_mut().for_each(|z| *z /= total);
}

/// An action drawn from probabilities.
#[inline]
pub(super) fn draw(probabilities: &[f32], rng: &mut RngStream) -> usize {
    let mut left = rng.uniform() as f32;
    for (action, p) in probabilities.iter().enumerate() {
        if left < *p {
            return action;
        }
        left -= p;
    }
    largest(probabilities)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_come_back_from_their_data_and_others_do_not() {
        let network = perceptron(3, &[8, 5], Activation::Tanh, 2, 7).unwrap();
        let net = NetworkWeights::of(&network);
        let back = net.network().unwrap();
        let mut a = network.scratch(1);
        let mut b = back.scratch(1);
        let x = [0.3, -1.0, 2.0];
        assert_eq!(network.forward_row(&x, &mut a).unwrap(), back.forward_row(&x, &mut b).unwrap());
        let text = serde_json::to_string(&net).unwrap();
        assert_eq!(serde_json::from_str::<NetworkWeights>(&text).unwrap(), net);
        let edited = |edit: &dyn Fn(&mut NetworkWeights)| {
            let mut net = net.clone();
            edit(&mut net);
            net.network()
        };
        assert!(edited(&|n| n.inputs = 4).is_err());
        assert!(edited(&|n| n.layers = "dense(1000000000) relu dense(2)".into()).is_err(), "no memory for what is not there");
        assert!(edited(&|n| n.layers = "conv(6,5) dense(2)".into()).is_err());
        assert!(edited(&|n| n.weights[0].2[0] = f32::NAN).is_err());
        assert!(edited(&|n| drop(n.weights.pop())).is_err());
        assert!(edited(&|n| n.weights[1] = n.weights[0].clone()).is_err());
    }

    #[test]
    fn numbers_with_limits_are_scaled() {
        let scaling = ObservationScaling::of_limits(&[-1.2, -0.07, f32::NEG_INFINITY], &[0.6, 0.07, f32::INFINITY]);
        let mut x = [0.6, -0.07, 5.0];
        scaling.apply(&mut x);
        assert!((x[0] - 1.0).abs() < 1e-6 && (x[1] + 1.0).abs() < 1e-6 && x[2] == 5.0, "{x:?}");
    }

    #[test]
    fn draws_follow_their_probabilities() {
        let mut p = [1.0, 2.0, 0.0];
        softmax(&mut p);
        let total: f32 = p.iter().sum();
        assert!((total - 1.0).abs() < 1e-6 && (p[1] / p[0] - std::f32::consts::E).abs() < 1e-5);
        let mut rng = RngStream::new(3, "draws", 0);
        let mut counts = [0.0; 3];
        (0..40_000).for_each(|_| counts[draw(&p, &mut rng)] += 1.0 / 40_000.0);
        for (count, p) in counts.iter().zip(p) {
            let p = f64::from(p);
            assert!((count - p).abs() < 5.0 * (p * (1.0 - p) / 40_000.0).sqrt(), "{count} for {p}");
        }
        let mut far = [1000.0, -1000.0];
        softmax(&mut far);
        assert_eq!(far, [1.0, 0.0]);
    }
}
