//! The best `m` arms with few samples: pure exploration.

use ermine_core::{Error, Result};

use super::{RewardRange, some_arms};

/// The arms that were found.
#[derive(Debug, Clone, PartialEq)]
pub struct TopM {
    /// The arms, rising.
    pub arms: Vec<usize>,
    /// Samples of each arm.
    pub pulls: Vec<u64>,
    /// Whether the demanded confidence was reached; a fixed budget demands none.
    pub confident: bool,
}

struct Samples<'a> {
    pulls: Vec<u64>,
    sums: Vec<f64>,
    range: RewardRange,
    sample: &'a mut dyn FnMut(usize) -> f64,
}

impl<'a> Samples<'a> {
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

    /// Arms from the best mean down, the lower one first among equals.
    fn ranked(&self, arms: &[usize]) -> Vec<usize> {
        let mut order = arms.to_vec();
        order.sort_by(|&a, &b| self.mean(b).total_cmp(&self.mean(a)).then(a.cmp(&b)));
        order
    }
}

/// Successive accepts and rejects with a budget of samples (Bubeck, Wang, Viswanathan 2013): in each phase all open arms are sampled
/// alike, then the one that is surest to be in or out is settled.
pub fn successive_accepts_rejects(
    arms: usize,
    m: usize,
    budget: u64,
    range: RewardRange,
    sample: &mut dyn FnMut(usize) -> f64,
) -> Result<TopM> {
    let mut samples = Samples::new(arms, m, range, sample)?;
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
        // With all or none of the open arms wanted, there is nothing left to settle.
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
    Ok(TopM { arms: accepted, pulls: samples.pulls, confident: false })
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
) -> Result<TopM> {
    let mut samples = Samples::new(arms, m, range, sample)?;
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
            return Ok(TopM { arms, pulls: samples.pulls, confident });
        }
        for arm in [weakest, strongest].into_iter().flatten() {
            samples.draw(arm)?;
        }
    }
    Err(Error::Numeric("more rounds than numbers".into()))
}
