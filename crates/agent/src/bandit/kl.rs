//! KL-UCB: upper confidence bounds as tight as Bernoulli rewards allow (Garivier, Cappé 2011).

use ermine_core::{Error, Result, RngStream};
use serde::{Deserialize, Serialize};

use super::{ArmChoice, ArmCounts, Policy, RewardRange};

/// `kl(p, q) = p ln(p/q) + (1-p) ln((1-p)/(1-q))`, the divergence of two Bernoulli distributions.
pub fn bernoulli_kl(p: f64, q: f64) -> f64 {
    let term = |a: f64, b: f64| if a == 0.0 { 0.0 } else { a * (a / b).ln() };
    term(p, q) + term(1.0 - p, 1.0 - q)
}

/// The largest `q` with `kl(p, q) <= level`, for `p` in [0, 1].
///
/// The divergence is convex in `q`, so Newton's steps from above converge monotonically; a step that would leave the
/// bracket is replaced by bisection.
pub fn kl_upper(p: f64, level: f64) -> f64 {
    if p >= 1.0 {
        return 1.0;
    }
    if p <= 0.0 {
        return -(-level).exp_m1();
    }
    if level <= 0.0 {
        return p;
    }
    // Two bounds from above: Pinsker's inequality, and the divergence without its first logarithm.
    let pinsker = p + (level / 2.0).sqrt();
    let steep = 1.0 - (1.0 - p) * (-(level - p * p.ln()) / (1.0 - p)).exp();
    let (mut low, mut high) = (p, pinsker.min(steep).min(1.0 - f64::EPSILON));
    let entropy = p * p.ln() + (1.0 - p) * (-p).ln_1p();
    let mut q = high;
    for _ in 0..60 {
        let excess = entropy - p * q.ln() - (1.0 - p) * (-q).ln_1p() - level;
        if excess > 0.0 {
            high = q
        } else {
            low = q
        }
        let step = excess * q * (1.0 - q) / (q - p);
        let next = q - step;
        let next = if next > low && next < high { next } else { 0.5 * (low + high) };
        if (next - q).abs() <= 1e-9 * q.min(1.0 - q) || high - low <= 1e-15 {
            return next;
        }
        q = next;
    }
    q
}

/// The arm with the largest upper confidence bound of the mean: `n kl(mean, q) <= ln t + c ln ln t`. Unpulled arms
/// first, the lowest among equals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KlUcb {
    /// The weight of `ln ln t`; 0 in practice, 3 in the proof.
    pub c: f64,
    /// The range of the rewards.
    pub range: RewardRange,
    counts: ArmCounts,
}

impl KlUcb {
    /// A policy without data, for rewards in [0, 1].
    pub fn new(arms: usize, c: f64) -> Result<Self> {
        Self::with_range(arms, c, RewardRange::default())
    }

    /// A policy without data, for rewards in a range.
    pub fn with_range(arms: usize, c: f64, range: RewardRange) -> Result<Self> {
        let policy = Self { c, range, counts: ArmCounts::new(arms)? };
        policy.check()?;
        Ok(policy)
    }

    pub(super) fn check(&self) -> Result<()> {
        self.range.check()?;
        self.counts.check()?;
        if let Some(arm) = (0..self.counts.arms()).find(|&a| !(0.0..=self.counts.pulls[a] as f64).contains(&self.counts.sums[a]))
        {
            return Err(Error::Model(format!("arm {arm}: more reward than pulls")));
        }
        match self.c >= 0.0 && self.c.is_finite() {
            true => Ok(()),
            false => Err(Error::Data(format!("c {} is invalid; it must be a number from 0 up", self.c))),
        }
    }
}

impl Policy for KlUcb {
    fn arms(&self) -> usize {
        self.counts.arms()
    }

    fn choose(&mut self, _: &[f64], _: &mut RngStream) -> ArmChoice {
        let arm = self.counts.unknown().unwrap_or_else(|| self.highest());
        ArmChoice::certain(self.counts.take(arm))
    }

    fn learn(&mut self, _: &[f64], choice: ArmChoice, reward: f64) -> Result<()> {
        let reward = self.range.unit("kl-ucb", self.arms(), choice.arm, reward)?;
        self.counts.add(choice.arm, reward);
        Ok(())
    }
}

impl KlUcb {
    /// The arm with the largest upper bound; all have rewards.
    fn highest(&self) -> usize {
        let counts = &self.counts;
        let t = counts.rounds as f64;
        let log = t.max(1.0).ln();
        let level = log + if self.c > 0.0 && log > 1.0 { self.c * log.ln() } else { 0.0 };
        let (mut best, mut top) = (0, f64::NEG_INFINITY);
        for arm in 0..counts.arms() {
            let (mean, share) = (counts.mean(arm), level / counts.pulls[arm] as f64);
            // An arm whose divergence at the best bound so far is already too large cannot beat it: one evaluation
            // instead of a search.
            if top > mean && (top >= 1.0 || bernoulli_kl(mean, top) >= share) {
                continue;
            }
            let upper = kl_upper(mean, share);
            if upper > top {
                (best, top) = (arm, upper);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_solves_its_equation() {
        for i in 0..=100 {
            for level in [1e-12, 1e-6, 1e-3, 0.1, 1.0, 10.0, 100.0] {
                let p = f64::from(i) / 100.0;
                let q = kl_upper(p, level);
                assert!((p..=1.0).contains(&q), "{p} {level}: {q}");
                if q < 1.0 - 1e-9 && p > 0.0 {
                    let divergence = bernoulli_kl(p, q);
                    assert!((divergence - level).abs() <= 1e-6 * level + 1e-13, "{p} {level}: {q} has {divergence}");
                }
            }
        }
        assert_eq!(kl_upper(0.0, 2.0), 1.0 - (-2.0f64).exp());
        assert_eq!(kl_upper(1.0, 2.0), 1.0);
        assert_eq!(kl_upper(0.3, 0.0), 0.3);
    }
}
