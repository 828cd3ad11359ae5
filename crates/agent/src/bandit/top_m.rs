//! The best `m` arms with few samples: pure exploration.

use ermine_core::{Error, Result};
use serde::{Deserialize, Serialize};

use super::{RewardRange, some_arms};

/// Gaps of the arms to the boundary between the best `m` and the others, in units of the range; infinite where there is
/// no boundary.
fn gaps(means: &[f64], m: usize, range: RewardRange) -> Vec<f64> {
    let mut sorted = means.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let border = |at: usize| sorted.get(at).copied();
    let (Some(inside), Some(outside)) = (m.checked_sub(1).and_then(border), border(m)) else {
        return vec![f64::INFINITY; means.len()];
    };
    let gap = |mu: f64| if mu >= inside { mu - outside } else { inside - mu };
    means.iter().map(|&mu| gap(mu) / (range.high - range.low)).collect()
}

/// The proven bound on the probability that [`successive_accepts_rejects`] errs (Bubeck, Wang, Viswanathan 2013, theorem 1):
/// `2 K² exp(-(n - K) / (8 L H))` with `L = 1/2 + Σ 1/i` and `H = max i / Δ(i)²` over the gaps in rising order.
pub fn accepts_rejects_bound(means: &[f64], m: usize, budget: u64, range: RewardRange) -> f64 {
    let mut gaps = gaps(means, m, range);
    ermine_core::order::sort_numbers(&mut gaps);
    let k = means.len() as f64;
    let weight = 0.5 + (2..=means.len()).map(|i| 1.0 / i as f64).sum::<f64>();
    let hardness = gaps.iter().enumerate().map(|(i, gap)| (i + 1) as f64 / (gap * gap)).fold(0.0, f64::max);
    let left = (budget as f64 - k).max(0.0);
    let exponent = if hardness > 0.0 { left / (8.0 * weight * hardness) } else { f64::INFINITY };
    (2.0 * k * k * (-exponent).exp()).min(1.0)
}

/// The proven bound on the expected samples of [`lucb`] (Kalyanakrishnan, Tewari, Auer, Stone 2012, theorem 6):
/// `292 H ln(H / δ) + 16` with `H = Σ 1 / max(Δ, ε/2)²`.
pub fn lucb_bound(means: &[f64], m: usize, delta: f64, epsilon: f64, range: RewardRange) -> f64 {
    let half = epsilon / (range.high - range.low) / 2.0;
    let hardness: f64 = gaps(means, m, range).iter().map(|gap| gap.max(half).powi(-2)).sum();
    // Without a boundary, one sample of each arm is enough.
    if hardness > 0.0 { 292.0 * hardness * (hardness / delta).ln() + 16.0 } else { means.len() as f64 }
}

/// Result of best-m identification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TopArms {
    /// The arms, ascending.
    pub arms: Vec<usize>,
    /// Samples of each arm.
    pub pulls: Vec<u64>,
    /// Whether the required confidence was reached; always with a fixed budget.
    pub confident: bool,
}

struct ArmSampler<'a> {
    pulls: Vec<u64>,
    sums: Vec<f64>,
    range: RewardRange,
    sample: &'a mut dyn FnMut(usize) -> f64,
}

impl<'a> ArmSampler<'a> {
    fn new(arms: usize, m: usize, range: RewardRange, sample: &'a mut dyn FnMut(usize) -> f64) -> Result<Self> {
        some_arms(arms)?;
        range.check()?;
        if m == 0 || m > arms {
            return Err(Error::Data(format!("the best {m} of {arms} arms are no question")));
        }
        Ok(Self { pulls: vec![0; arms], sums: vec![0.0; arms], range, sample })
    }

    fn draw(&mut self, arm: usize) -> Result<()> {
        let reward = (self.sample)(arm);
        self.sums[arm] += self.range.unit("top-m", self.pulls.len(), arm, reward)?;
        self.pulls[arm] += 1;
        Ok(())
    }

    fn mean(&self, arm: usize) -> f64 {
        self.sums[arm] / self.pulls[arm].max(1) as f64
    }

    /// Arms by descending mean, the lower one first among equals.
    fn ranked(&self, arms: &[usize]) -> Vec<usize> {
        let mut order = arms.to_vec();
        order.sort_by(|&a, &b| self.mean(b).total_cmp(&self.mean(a)).then(a.cmp(&b)));
        order
    }
}

/// Successive accepts and rejects with a budget of samples (Bubeck, Wang, Viswanathan 2013): in each phase all
/// undecided arms are sampled equally, then the one with the largest gap is accepted or rejected.
pub fn successive_accepts_rejects(
    arms: usize,
    m: usize,
    budget: u64,
    range: RewardRange,
    sample: &mut dyn FnMut(usize) -> f64,
) -> Result<TopArms> {
    let mut samples = ArmSampler::new(arms, m, range, sample)?;
    if budget < arms as u64 {
        return Err(Error::Data(format!("{budget} samples are too few for {arms} arms; each needs at least one")));
    }
    let weight = 0.5 + (2..=arms).map(|i| 1.0 / i as f64).sum::<f64>();
    let mut open: Vec<usize> = (0..arms).collect();
    let mut accepted = Vec::new();
    for phase in 1..arms {
        let each = ((budget - arms as u64) as f64 / (weight * (arms + 1 - phase) as f64)).ceil() as u64;
        for &arm in &open {
            while samples.pulls[arm] < each.max(1) {
                samples.draw(arm)?;
            }
        }
        let wanted = m - accepted.len();
        let order = samples.ranked(&open);
        // When all or none of the undecided arms are wanted, nothing is left to decide.
        if wanted == 0 || wanted == order.len() {
            break;
        }
        let accept_gap = samples.mean(order[0]) - samples.mean(order[wanted]);
        let reject_gap = samples.mean(order[wanted - 1]) - samples.mean(order[order.len() - 1]);
        let settled = if accept_gap > reject_gap { order[0] } else { order[order.len() - 1] };
        if accept_gap > reject_gap {
            accepted.push(settled);
        }
        open.retain(|&arm| arm != settled);
    }
    let wanted = m - accepted.len();
    accepted.extend(samples.ranked(&open).into_iter().take(wanted));
    accepted.sort_unstable();
    Ok(TopArms { arms: accepted, pulls: samples.pulls, confident: false })
}

/// LUCB (Kalyanakrishnan, Tewari, Auer, Stone 2012): samples the weakest of the chosen and the strongest of the others until they are
/// at most `epsilon` apart with probability 1 - `delta`; at most `budget` samples.
pub fn lucb(
    arms: usize,
    m: usize,
    delta: f64,
    epsilon: f64,
    budget: u64,
    range: RewardRange,
    sample: &mut dyn FnMut(usize) -> f64,
) -> Result<TopArms> {
    let mut samples = ArmSampler::new(arms, m, range, sample)?;
    if !(delta > 0.0 && delta < 1.0 && epsilon >= 0.0) {
        return Err(Error::Data(format!("delta {delta} and epsilon {epsilon} are refused; 0 < delta < 1 and epsilon from 0 up")));
    }
    let all: Vec<usize> = (0..arms).collect();
    all.iter().try_for_each(|&arm| samples.draw(arm))?;
    let epsilon = epsilon / (range.high - range.low);
    for round in 1u64.. {
        let order = samples.ranked(&all);
        let (chosen, others) = order.split_at(m);
        let level = (5.0 * arms as f64 * (round as f64).powi(4) / (4.0 * delta)).ln();
        let width = |arm: usize| (level / (2.0 * samples.pulls[arm] as f64)).sqrt();
        let (low, high) = (|arm: usize| samples.mean(arm) - width(arm), |arm: usize| samples.mean(arm) + width(arm));
        let weakest = chosen.iter().copied().min_by(|&a, &b| low(a).total_cmp(&low(b)));
        let strongest = others.iter().copied().max_by(|&a, &b| high(a).total_cmp(&high(b)).then(b.cmp(&a)));
        let confident = match (weakest, strongest) {
            (Some(weak), Some(strong)) => high(strong) - low(weak) <= epsilon,
            _ => true,
        };
        if confident || samples.pulls.iter().sum::<u64>() + 2 > budget {
            let mut arms = chosen.to_vec();
            arms.sort_unstable();
            return Ok(TopArms { arms, pulls: samples.pulls, confident });
        }
        for arm in [weakest, strongest].into_iter().flatten() {
            samples.draw(arm)?;
        }
    }
    Err(Error::Numeric("more rounds than numbers".into()))
}
