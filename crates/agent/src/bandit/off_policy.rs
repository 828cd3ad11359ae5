//! Off-policy evaluation: the reward of another policy, estimated from a log of this one.

use ermine_core::{Error, Result, RngStream};
use serde::{Deserialize, Serialize};

use super::{AnyPolicy, Policy, some_arms};

/// A round of a log.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LoggedRound {
    /// The arm that was pulled.
    pub arm: usize,
    /// Its reward.
    pub reward: f64,
    /// The probability with which it was pulled; NaN where the log does not have it.
    pub propensity: f64,
}

/// A mean reward with its standard error and a 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean reward of a round.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The two-sided 95 % point of the normal distribution.
const NORMAL: f64 = 1.959_963_984_540_054;

impl Estimate {
    fn new(value: f64, error: f64) -> Self {
        Self { value, error, low: value - NORMAL * error, high: value + NORMAL * error }
    }

    /// Mean and error of terms.
    fn of(terms: &[f64]) -> Self {
        let n = terms.len() as f64;
        let mean = terms.iter().sum::<f64>() / n;
        let variance = terms.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        Self::new(mean, (variance / n).sqrt())
    }

    /// Wilson's interval where rewards are 0 or 1: it stays an interval when all are the same.
    fn of_rewards(rewards: &[f64]) -> Self {
        let mut estimate = Self::of(rewards);
        if rewards.iter().all(|r| *r == 0.0 || *r == 1.0) {
            let (p, n) = (estimate.value, rewards.len() as f64);
            let share = NORMAL * NORMAL / n;
            let center = (p + share / 2.0) / (1.0 + share);
            let half = NORMAL / (1.0 + share) * (p * (1.0 - p) / n + share / (4.0 * n)).sqrt();
            (estimate.low, estimate.high) = (center - half, center + half);
        }
        estimate
    }

    /// Without observed events the variance estimate is useless: up to three events of the largest weight could have
    /// been missed.
    fn with_unseen(mut self, events: usize, weight: f64) -> Self {
        if events == 0 {
            let missed = -(0.05f64.ln()) * weight;
            (self.low, self.high) = (self.low.min(self.value - missed), self.high.max(self.value + missed));
        }
        self
    }
}

/// Three estimates of a policy's mean reward, with diagnostics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OffPolicyEstimates {
    /// Inverse propensity scoring: `mean(w r)` with `w = π(a) / p`. Unbiased, high variance.
    pub ips: Estimate,
    /// Self-normalized: `Σ w r / Σ w`. A small bias, less variance.
    pub snips: Estimate,
    /// Doubly robust: a model's prediction, corrected by `w (r - model)`. The model is the mean of each arm, from the
    /// other half of the log.
    pub doubly_robust: Estimate,
    /// `(Σ w)² / Σ w²`: the effective sample size.
    pub effective_size: f64,
    /// The largest weight.
    pub largest_weight: f64,
    /// Notes for the user.
    pub notes: Vec<String>,
}

fn check_log(log: &[LoggedRound], arms: usize) -> Result<()> {
    some_arms(arms)?;
    if log.is_empty() {
        return Err(Error::Data("the log is empty".into()));
    }
    for (row, entry) in log.iter().enumerate() {
        if entry.arm >= arms {
            let message = format!("there is no arm {}; arms are 0 to {}", entry.arm, arms - 1);
            return Err(Error::Row { place: "arm".into(), row, message });
        }
        if !entry.reward.is_finite() {
            return Err(Error::NotFinite { column: "reward".into(), row, value: entry.reward.to_string() });
        }
    }
    Ok(())
}

fn check_propensities(log: &[LoggedRound]) -> Result<()> {
    let bad = |p: f64| !(p > 0.0 && p <= 1.0);
    let Some(row) = log.iter().position(|e| bad(e.propensity)) else { return Ok(()) };
    let count = log.iter().filter(|e| bad(e.propensity)).count();
    let value = log[row].propensity;
    let problem = if value.is_nan() { "is missing".to_owned() } else { format!("is {value}, and no probability above 0") };
    let message = format!(
        "the propensity {problem} ({count} such rows); without the probabilities of its choices a log says nothing of other policies: \
         log them, or use replay on a log of uniform choices"
    );
    Err(Error::Row { place: "propensity".into(), row, message })
}

/// Estimates the mean reward of a policy that pulls arm `a` in row `i` with probability `target(i, a)`.
pub fn off_policy(log: &[LoggedRound], arms: usize, target: impl Fn(usize, usize) -> f64) -> Result<OffPolicyEstimates> {
    check_log(log, arms)?;
    check_propensities(log)?;
    let mut weights = Vec::with_capacity(log.len());
    for (row, entry) in log.iter().enumerate() {
        let chance = target(row, entry.arm);
        if !(0.0..=1.0 + 1e-9).contains(&chance) {
            let message = format!("the policy gives arm {} the probability {chance}", entry.arm);
            return Err(Error::Row { place: "target policy".into(), row, message });
        }
        weights.push(chance / entry.propensity);
    }
    let n = log.len() as f64;
    let total: f64 = weights.iter().sum();
    let square: f64 = weights.iter().map(|w| w * w).sum();
    let terms: Vec<f64> = weights.iter().zip(log).map(|(w, e)| w * e.reward).collect();
    let ips = Estimate::of(&terms);
    let mut notes = Vec::new();
    let snips = if total > 0.0 {
        let value = terms.iter().sum::<f64>() / total;
        let spread: f64 = weights.iter().zip(log).map(|(w, e)| (w * (e.reward - value)).powi(2)).sum();
        Estimate::new(value, spread.sqrt() / total)
    } else {
        notes.push("the policy never pulls an arm that the log has pulled: nothing is known of it".to_owned());
        Estimate::new(f64::NAN, f64::NAN)
    };
    let models = [arm_means(log, arms, 1), arm_means(log, arms, 0)];
    let mut robust = Vec::with_capacity(log.len());
    for (row, (entry, weight)) in log.iter().zip(&weights).enumerate() {
        // Cross-fitting: even rows use the model of the odd ones and vice versa.
        let model = &models[row % 2];
        let chances: Vec<f64> = (0..arms).map(|arm| target(row, arm)).collect();
        let sum: f64 = chances.iter().sum();
        if sum.is_nan() || (sum - 1.0).abs() > 1e-6 {
            let message = format!("the probabilities of the policy sum to {sum}, not to 1");
            return Err(Error::Row { place: "target policy".into(), row, message });
        }
        let predicted: f64 = chances.iter().zip(model).map(|(p, m)| p * m).sum();
        robust.push(predicted + weight * (entry.reward - model[entry.arm]));
    }
    let effective_size = if square > 0.0 { total * total / square } else { 0.0 };
    let events = terms.iter().filter(|t| **t != 0.0).count();
    if events < 30 {
        notes
            .push(format!("only {events} of {n} rounds tell of this policy with a reward other than 0: the intervals are rough"));
    }
    if effective_size < 0.1 * n {
        notes.push(format!("the weights leave the information of {effective_size:.0} rounds out of {n}"));
    }
    let largest_weight = weights.iter().copied().fold(0.0, f64::max);
    Ok(OffPolicyEstimates {
        ips: ips.with_unseen(events, largest_weight / n),
        snips: snips.with_unseen(events, if total > 0.0 { largest_weight / total } else { f64::NAN }),
        doubly_robust: Estimate::of(&robust).with_unseen(events, largest_weight / n),
        effective_size,
        largest_weight,
        notes,
    })
}

/// Means of the arms over the rows `parity`, `parity + 2`, …, shrunk to the common mean with the weight of one round.
fn arm_means(log: &[LoggedRound], arms: usize, parity: usize) -> Vec<f64> {
    let (mut sums, mut counts, mut total, mut rows) = (vec![0.0; arms], vec![0.0; arms], 0.0, 0.0);
    for entry in log.iter().skip(parity).step_by(2) {
        sums[entry.arm] += entry.reward;
        counts[entry.arm] += 1.0;
        total += entry.reward;
        rows += 1.0;
    }
    let mean = if rows > 0.0 { total / rows } else { 0.0 };
    (0..arms).map(|arm| (sums[arm] + mean) / (counts[arm] + 1.0)).collect()
}

/// The rewards of a policy on the rounds of a log where it chose the logged arm.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// Mean reward of the matching rounds.
    pub estimate: Estimate,
    /// Their number.
    pub matched: usize,
}

/// Replays a log (Li, Chu, Langford, Wang 2011): where the policy chooses the logged arm, it learns and the reward
/// counts. Unbiased for logs of uniform choices. `context(row)` is the context of a round.
pub fn replay<'a>(
    log: &[LoggedRound],
    policy: &mut AnyPolicy,
    context: impl Fn(usize) -> &'a [f64],
    seed: u64,
) -> Result<Replay> {
    check_log(log, policy.arms())?;
    let mut rng = RngStream::new(seed, "replay", 0);
    let mut rewards = Vec::new();
    for (row, entry) in log.iter().enumerate() {
        let choice = policy.choose(context(row), &mut rng);
        if choice.arm == entry.arm {
            policy.learn(context(row), choice, entry.reward)?;
            rewards.push(entry.reward);
        }
    }
    if rewards.is_empty() {
        return Err(Error::Data(format!("in none of the {} rounds did the policy choose what the log had chosen", log.len())));
    }
    Ok(Replay { estimate: Estimate::of_rewards(&rewards), matched: rewards.len() })
}
