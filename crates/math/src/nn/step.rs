//! Steps of optimisers: one sweep over weights, gradients and what the optimiser remembers of them.

use super::Float;
use super::lanes::{SimdLanes, SimdOp};

/// How weights w move when their gradient is g. The length of the step is η.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OptimizerRule {
    /// w -= η g; with momentum μ v = μ v + g and w -= η v, with Nesterov's w -= η (g + μ v).
    Sgd {
        /// μ.
        momentum: f64,
        /// Whether the step looks ahead.
        nesterov: bool,
    },
    /// m = β₁ m + (1 - β₁) g, s = β₂ s + (1 - β₂) g², w -= η m̂ / (√ŝ + ε) with m̂ = m / (1 - β₁ᵗ), ŝ = s / (1 - β₂ᵗ).
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
    /// Numbers that are remembered of each weight.
    pub fn moments_per_weight(self) -> usize {
        match self {
            Self::Sgd { momentum: 0.0, .. } => 0,
            Self::Sgd { .. } | Self::RmsProp { .. } | Self::Adagrad { .. } => 1,
            Self::Adam { .. } => 2,
        }
    }
}

/// Weights, their gradient and what is remembered of them; memories that a rule has no use for are empty.
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
                // Both corrections in two numbers a step: η m̂ / (√ŝ + ε) = η √c₂ / c₁ · m / (√s + ε √c₂).
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

/// Takes step number `count` (from 1) of length `rate`. The gradient is multiplied with `scale` first, which is how it is clipped;
/// `l2` times the weights is added to it, and `decay` times the step takes that share of the weights away beside it.
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
