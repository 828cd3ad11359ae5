//! How weights move.

use ermine_core::{Error, Result};
use ermine_math::nn::OptimizerRule;
use serde::{Deserialize, Serialize};

/// The rule by which a gradient becomes a step. η is the rate, g the gradient, w a weight, t the number of the step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UpdateRule {
    /// w -= η g; with momentum μ: v = μ v + g, w -= η v; with Nesterov's, w -= η (g + μ v).
    Sgd {
        /// μ.
        momentum: f64,
        /// Whether the step looks ahead.
        nesterov: bool,
    },
    /// m = β₁ m + (1 - β₁) g, s = β₂ s + (1 - β₂) g², w -= η m̂ / (√ŝ + ε), the hats dividing by 1 - βᵗ (Kingma, Ba 2015). With
    /// [`Optimiser::decay`] it is AdamW (Loshchilov, Hutter 2019).
    Adam {
        /// β₁.
        beta_1: f64,
        /// β₂.
        beta_2: f64,
        /// ε.
        epsilon: f64,
    },
    /// s = ρ s + (1 - ρ) g², w -= η g / (√s + ε).
    RmsProp {
        /// ρ.
        rho: f64,
        /// ε.
        epsilon: f64,
    },
    /// s += g², w -= η g / (√s + ε).
    Adagrad {
        /// ε.
        epsilon: f64,
    },
}

impl UpdateRule {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sgd { .. } => "sgd",
            Self::Adam { .. } => "adam",
            Self::RmsProp { .. } => "rmsprop",
            Self::Adagrad { .. } => "adagrad",
        }
    }

    pub(crate) fn rule(self) -> OptimizerRule {
        match self {
            Self::Sgd { momentum, nesterov } => OptimizerRule::Sgd { momentum, nesterov },
            Self::Adam { beta_1, beta_2, epsilon } => OptimizerRule::Adam { beta_1, beta_2, epsilon },
            Self::RmsProp { rho, epsilon } => OptimizerRule::RmsProp { rho, epsilon },
            Self::Adagrad { epsilon } => OptimizerRule::Adagrad { epsilon },
        }
    }
}

/// A method with its numbers. Penalties and decay are for weights, never for constants or what normalisation learns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Optimizer {
    /// The rule.
    pub method: UpdateRule,
    /// η, the length of a step; a schedule may set it anew before every step.
    pub rate: f64,
    /// l2 / 2 · Σ w² is part of the objective: l2 w is added to the gradient.
    pub l2: f64,
    /// Decoupled weight decay: a step also takes the share η · decay of a weight away.
    pub decay: f64,
    /// The gradient of all weights together is scaled down to this length where it is longer.
    pub clip: Option<f64>,
}

impl Optimizer {
    /// Steps against the gradient.
    pub fn sgd(rate: f64) -> Self {
        Self { method: UpdateRule::Sgd { momentum: 0.0, nesterov: false }, rate, l2: 0.0, decay: 0.0, clip: None }
    }

    /// Steps with momentum.
    pub fn momentum(rate: f64, momentum: f64, nesterov: bool) -> Self {
        Self { method: UpdateRule::Sgd { momentum, nesterov }, ..Self::sgd(rate) }
    }

    /// Adam with its usual numbers.
    pub fn adam(rate: f64) -> Self {
        Self { method: UpdateRule::Adam { beta_1: 0.9, beta_2: 0.999, epsilon: 1e-8 }, ..Self::sgd(rate) }
    }

    /// Adam with decoupled weight decay.
    pub fn adamw(rate: f64, decay: f64) -> Self {
        Self { decay, ..Self::adam(rate) }
    }

    /// The same, with gradients scaled down to a length.
    #[must_use]
    pub fn clipped(self, clip: f64) -> Self {
        Self { clip: Some(clip), ..self }
    }

    /// Refuses numbers that no step can be made of.
    pub fn check(&self) -> Result<()> {
        let share = |v: f64| (0.0..1.0).contains(&v);
        let sound = match self.method {
            UpdateRule::Sgd { momentum, .. } => share(momentum),
            UpdateRule::Adam { beta_1, beta_2, epsilon } => share(beta_1) && share(beta_2) && epsilon > 0.0,
            UpdateRule::RmsProp { rho, epsilon } => share(rho) && epsilon > 0.0,
            UpdateRule::Adagrad { epsilon } => epsilon > 0.0,
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
