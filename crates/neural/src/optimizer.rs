//! Optimizers.

use ermine_core::{Error, Result};
use ermine_math::nn::OptimizerRule;
use serde::{Deserialize, Serialize};

/// A method with its numbers. Penalties and decay are for weights, never for constants or what normalization learns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Optimizer {
    /// The rule.
    pub method: OptimizerRule,
    /// η, the length of a step; a schedule may set it anew before every step.
    pub rate: f64,
    /// l2 / 2 · Σ w² is part of the objective: l2 w is added to the gradient.
    pub l2: f64,
    /// Decoupled weight decay: a step also takes the share η · decay of a weight away. With Adam it is AdamW (Loshchilov, Hutter 2019).
    pub decay: f64,
    /// The gradient of all weights together is scaled down to this norm where it is larger.
    pub clip: Option<f64>,
}

impl Optimizer {
    /// Gradient descent.
    pub fn sgd(rate: f64) -> Self {
        Self { method: OptimizerRule::Sgd { momentum: 0.0, nesterov: false }, rate, l2: 0.0, decay: 0.0, clip: None }
    }

    /// Gradient descent with momentum.
    pub fn momentum(rate: f64, momentum: f64, nesterov: bool) -> Self {
        Self { method: OptimizerRule::Sgd { momentum, nesterov }, ..Self::sgd(rate) }
    }

    /// Adam with its default parameters.
    pub fn adam(rate: f64) -> Self {
        Self { method: OptimizerRule::Adam { beta_1: 0.9, beta_2: 0.999, epsilon: 1e-8 }, ..Self::sgd(rate) }
    }

    /// Adam with decoupled weight decay.
    pub fn adamw(rate: f64, decay: f64) -> Self {
        Self { decay, ..Self::adam(rate) }
    }

    /// The same, with gradient clipping.
    #[must_use]
    pub fn clipped(self, clip: f64) -> Self {
        Self { clip: Some(clip), ..self }
    }

    /// Checks the parameters.
    pub fn check(&self) -> Result<()> {
        let share = |v: f64| (0.0..1.0).contains(&v);
        let sound = match self.method {
            OptimizerRule::Sgd { momentum, .. } => share(momentum),
            OptimizerRule::Adam { beta_1, beta_2, epsilon } => share(beta_1) && share(beta_2) && epsilon > 0.0,
            OptimizerRule::RmsProp { rho, epsilon } => share(rho) && epsilon > 0.0,
            OptimizerRule::Adagrad { epsilon } => epsilon > 0.0,
        };
        let finite = |v: f64| v.is_finite() && v >= 0.0;
        if !sound
            || !finite(self.rate)
            || !finite(self.l2)
            || !finite(self.decay)
            || self.clip.is_some_and(|c| c.is_nan() || c <= 0.0)
        {
            return Err(Error::Data(format!(
                "{self:?} makes no steps: shares are from 0 to below 1, epsilon and clip above 0, the rest finite and not negative"
            )));
        }
        Ok(())
    }
}
