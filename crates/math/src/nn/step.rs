//! Optimizer steps: one sweep over weights, gradients and optimizer state.

use serde::{Deserialize, Serialize};

use super::Float;
use super::lanes::{SimdLanes, SimdOp};

/// The rule by which a gradient becomes a step: η is the rate, g the gradient, w a weight, t the number of the step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptimizerRule {
    /// w -= η g; with momentum μ: v = μ v + g, w -= η v; with Nesterov's, w -= η (g + μ v).
    Sgd {
        /// μ.
        momentum: f64,
        /// Nesterov momentum.
        nesterov: bool,
    },
    /// m = β₁ m + (1 - β₁) g, s = β₂ s + (1 - β₂) g², w -= η m̂ / (√ŝ + ε), the hats dividing by 1 - βᵗ (Kingma, Ba 2015).
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

impl OptimizerRule {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sgd { .. } => "sgd",
            Self::Adam { .. } => "adam",
            Self::RmsProp { .. } => "rmsprop",
            Self::Adagrad { .. } => "adagrad",
        }
    }

    /// Numbers that are remembered of each weight.
    pub fn moments_per_weight(self) -> usize {
        match self {
            Self::Sgd { momentum: 0.0, .. } => 0,
            Self::Sgd { .. } | Self::RmsProp { .. } | Self::Adagrad { .. } => 1,
            Self::Adam { .. } => 2,
        }
    }
}

/// Weights, their gradient and optimizer state; unused state is empty.
pub struct OptimizerSlots<'a, T> {
    /// w.
    pub weights: &'a mut [T],
    /// g.
    pub gradient: &'a [T],
    /// v, m or s.
    pub first: &'a mut [T],
    /// s of Adam.
    pub second: &'a mut [T],
}

struct OptimizerStepOp<'a, T> {
    rule: OptimizerRule,
    slots: OptimizerSlots<'a, T>,
    rate: T,
    scale: T,
    l2: T,
    decay: T,
    count: u64,
}

impl<T: Float> SimdOp<T> for OptimizerStepOp<'_, T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: SimdLanes<T>>(self, _: L) {
        let Self { rule, slots: OptimizerSlots { weights, gradient, first, second }, rate, scale, l2, decay, count } = self;
        let n = weights.len();
        let gradient = &gradient[..n];
        let keep = T::ONE - rate * decay;
        match rule {
            OptimizerRule::Sgd { momentum: 0.0, .. } => {
                for (w, g) in weights.iter_mut().zip(gradient) {
                    *w = *w * keep - rate * (*g * scale + l2 * *w);
                }
            }
            OptimizerRule::Sgd { momentum, nesterov } => {
                let (mu, first) = (T::from_f64(momentum), &mut first[..n]);
                for i in 0..n {
                    let g = gradient[i] * scale + l2 * weights[i];
                    let v = mu * first[i] + g;
                    first[i] = v;
                    weights[i] = weights[i] * keep - rate * if nesterov { g + mu * v } else { v };
                }
            }
            OptimizerRule::Adam { beta_1, beta_2, epsilon } => {
                let (first, second) = (&mut first[..n], &mut second[..n]);
                // Both corrections in two numbers per step: η m̂ / (√ŝ + ε) = η √c₂ / c₁ · m / (√s + ε √c₂).
                let t = count as f64;
                let (c1, c2) = (-(t * beta_1.ln()).exp_m1(), -(t * beta_2.ln()).exp_m1());
                let length = T::from_f64(rate.to_f64() * c2.sqrt() / c1);
                let epsilon = T::from_f64(epsilon * c2.sqrt());
                let (b1, b2) = (T::from_f64(beta_1), T::from_f64(beta_2));
                let (a1, a2) = (T::from_f64(1.0 - beta_1), T::from_f64(1.0 - beta_2));
                for i in 0..n {
                    let g = gradient[i] * scale + l2 * weights[i];
                    let m = b1 * first[i] + a1 * g;
                    let s = b2 * second[i] + a2 * (g * g);
                    first[i] = m;
                    second[i] = s;
                    weights[i] = weights[i] * keep - length * (m / (s.sqrt() + epsilon));
                }
            }
            OptimizerRule::RmsProp { rho, epsilon } => {
                let (rho, rest, epsilon, first) =
                    (T::from_f64(rho), T::from_f64(1.0 - rho), T::from_f64(epsilon), &mut first[..n]);
                for i in 0..n {
                    let g = gradient[i] * scale + l2 * weights[i];
                    let s = rho * first[i] + rest * (g * g);
                    first[i] = s;
                    weights[i] = weights[i] * keep - rate * (g / (s.sqrt() + epsilon));
                }
            }
            OptimizerRule::Adagrad { epsilon } => {
                let (epsilon, first) = (T::from_f64(epsilon), &mut first[..n]);
                for i in 0..n {
                    let g = gradient[i] * scale + l2 * weights[i];
                    let s = first[i] + g * g;
                    first[i] = s;
                    weights[i] = weights[i] * keep - rate * (g / (s.sqrt() + epsilon));
                }
            }
        }
    }
}

/// Takes step number `count` (from 1) with learning rate `rate`. The gradient is multiplied by `scale` first, for
/// clipping; `l2` times the weights is added to it, and weight decay subtracts `decay` times the step of the weights.
///
/// # Panics
/// When a slice is too short.
pub fn step<T: Float>(rule: OptimizerRule, slots: OptimizerSlots<'_, T>, rate: f64, scale: f64, l2: f64, decay: f64, count: u64) {
    T::dispatch(OptimizerStepOp {
        rule,
        slots,
        rate: T::from_f64(rate),
        scale: T::from_f64(scale),
        l2: T::from_f64(l2),
        decay: T::from_f64(decay),
        count,
    });
}
