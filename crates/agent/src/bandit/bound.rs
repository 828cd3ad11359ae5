//! Proven bounds on the regret.

use super::kl::bernoulli_kl;
use super::{AnyPolicy, ConfidenceWidth, Policy, RewardModel};

/// A bound on the expected regret.
#[derive(Debug, Clone, PartialEq)]
pub struct RegretBound {
    /// Its value.
    pub value: f64,
    /// Its source.
    pub formula: &'static str,
}

/// Gaps to the best mean, of the arms that have one.
fn gaps(means: &[f64]) -> Vec<f64> {
    let best = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    means.iter().map(|m| best - m).filter(|gap| *gap > 0.0).collect()
}

/// The constant `C` of the lower bound of Lai and Robbins: no uniformly good policy has regret below `C ln T`
/// asymptotically. At finite `T` good policies may be below.
pub fn lai_robbins(arms: &RewardModel) -> Option<f64> {
    let best = |means: &[f64]| means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match arms {
        RewardModel::Bernoulli { means } => {
            let top = best(means);
            Some(means.iter().filter(|m| **m < top).map(|&m| (top - m) / bernoulli_kl(m, top)).sum())
        }
        RewardModel::Gaussian { means, sd } => Some(gaps(means).iter().map(|gap| 2.0 * sd * sd / gap).sum()),
        _ => None,
    }
}

/// The proven bound on a policy's expected regret after a number of rounds, where there is a finite-time bound.
pub fn proven_bound(policy: &AnyPolicy, arms: &RewardModel, rounds: u64) -> Option<RegretBound> {
    let (t, k) = (rounds as f64, policy.arms() as f64);
    // Regret is in units of rewards, the theory in units of their range.
    let range = arms.range()?;
    let unit = range.high - range.low;
    let scaled = |means: &[f64]| -> Vec<f64> { gaps(means).iter().map(|gap| gap / unit).collect() };
    let covers_range = |policy_range: super::RewardRange| policy_range.low <= range.low && policy_range.high >= range.high;
    let bound = |value: f64, formula| Some(RegretBound { value: value * unit, formula });
    match policy {
        AnyPolicy::ExploreThenCommit(p) => {
            let gaps = scaled(arms.means()?);
            // Early on, the first arms have been pulled once more than the others.
            let each = (p.each as f64).min((t / k).ceil());
            let wrong = |gap: &f64| each * gap + (t - each * k).max(0.0) * gap * (-each * gap * gap).exp();
            bound(gaps.iter().map(wrong).sum(), "m ΣΔ + (T - mK) Σ Δ exp(-m Δ²)")
        }
        AnyPolicy::Ucb(p) if covers_range(p.range) => match p.width {
            // Auer, Cesa-Bianchi, Fischer 2002, theorem 1.
            ConfidenceWidth::Logarithm { c: 2.0 } => {
                let gaps = scaled(arms.means()?);
                let sum = gaps.iter().map(|gap| 8.0 * t.ln() / gap + (1.0 + std::f64::consts::PI.powi(2) / 3.0) * gap);
                bound(sum.sum(), "Σ 8 ln T / Δ + (1 + π²/3) ΣΔ")
            }
            // Bubeck, Cesa-Bianchi 2012, theorem 2.1, with α = 2c.
            ConfidenceWidth::Logarithm { c } if c > 1.0 => {
                let gaps = scaled(arms.means()?);
                bound(gaps.iter().map(|gap| 4.0 * c * t.ln() / gap + c / (c - 1.0)).sum(), "Σ (4c ln T / Δ + c / (c - 1))")
            }
            ConfidenceWidth::Confidence { rounds: n, delta } if rounds <= n => {
                let gaps = scaled(arms.means()?);
                let log = (4.0 * (n as f64 - k) / delta).ln();
                bound(gaps.iter().map(|gap| 2.0 * log / gap + n as f64 * delta * gap).sum(), "2 ln(4(T - K)/δ) Σ 1/Δ + T δ ΣΔ")
            }
            ConfidenceWidth::Moss { rounds: n } if rounds <= n => bound(49.0 * (k * n as f64).sqrt(), "49 sqrt(K T)"),
            _ => None,
        },
        // Agrawal, Goyal 2012, theorem 1: two Bernoulli arms and a uniform prior.
        AnyPolicy::ThompsonBeta(p) if covers_range(p.range) && (p.successes, p.failures) == (1.0, 1.0) => {
            match (arms, policy.arms()) {
                (RewardModel::Bernoulli { means }, 2) => {
                    let value = scaled(means).first().map_or(0.0, |gap| 40.0 * t.ln() / gap + 48.0 / gap.powi(3) + 18.0 * gap);
                    bound(value, "40 ln T / Δ + 48 / Δ³ + 18 Δ")
                }
                _ => None,
            }
        }
        AnyPolicy::Exp3(p) if covers_range(p.range) && !matches!(arms, RewardModel::Drift { .. }) => match (p.losses, k.ln()) {
            (true, log) if p.mix == 0.0 => bound(log / p.eta + p.eta * t * k / 2.0, "ln K / η + η T K / 2"),
            (false, log) if p.mix > 0.0 && p.eta <= p.mix / k + 1e-12 => {
                let best = t; // No arm earns more than 1 a round.
                bound((std::f64::consts::E - 1.0) * p.mix * best + k * log / p.mix, "(e - 1) γ T + K ln K / γ")
            }
            _ => None,
        },
        _ => None,
    }
}
