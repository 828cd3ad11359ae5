//! Combinatorial bandits: a set of arms per round, with the reward of each observed (Chen, Wang, Yuan 2013).

use ermine_core::parallel::prelude::*;
use ermine_core::{Context, Error, Progress, Result, RngStream};
use serde::{Deserialize, Serialize};

use super::simulate::SimulationRun;
use super::{ArmCounts, BanditEnv, RegretBound, RewardModel, RewardRange, Simulation};

/// CUCB: the `size` arms with the largest `mean + sqrt(3 ln t / (2 n))`; unpulled arms first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cucb {
    /// Arms in a set.
    pub size: usize,
    /// The range of the rewards.
    pub range: RewardRange,
    counts: ArmCounts,
}

impl Cucb {
    /// A policy without data.
    pub fn new(arms: usize, size: usize, range: RewardRange) -> Result<Self> {
        let policy = Self { size, range, counts: ArmCounts::new(arms)? };
        policy.check()?;
        Ok(policy)
    }

    /// The number of arms.
    pub fn arms(&self) -> usize {
        self.counts.arms()
    }

    /// Checks the consistency of the state.
    pub(super) fn check(&self) -> Result<()> {
        self.range.check()?;
        self.counts.check()?;
        match (1..=self.arms()).contains(&self.size) {
            true => Ok(()),
            false => Err(Error::Data(format!("a set of {} arms is invalid; there are {} arms", self.size, self.arms()))),
        }
    }

    /// A set for the next round, in rising order.
    pub fn choose(&mut self) -> Vec<usize> {
        self.counts.rounds += 1;
        let counts = &self.counts;
        let scale = 1.5 * (counts.rounds as f64).ln();
        let index = |arm: usize| match counts.pulls[arm] {
            0 => f64::INFINITY,
            n => counts.mean(arm) + (scale / n as f64).sqrt(),
        };
        let scores: Vec<f64> = (0..counts.arms()).map(index).collect();
        let mut order: Vec<usize> = (0..counts.arms()).collect();
        ermine_core::order::sort_by_number_descending(&mut order, |a| scores[a]);
        order.truncate(self.size);
        order.sort_unstable();
        order.iter().for_each(|&arm| self.counts.chosen[arm] += 1);
        order
    }

    /// Updates with the rewards of a set, arm by arm.
    pub fn learn(&mut self, set: &[usize], rewards: &[f64]) -> Result<()> {
        super::same_arms("rewards of the set", set.len(), rewards.len())?;
        let arms = self.counts.arms();
        let unit = |(&arm, &reward): (&usize, &f64)| Ok((arm, self.range.unit("cucb", arms, arm, reward)?));
        let rewards: Vec<(usize, f64)> = set.iter().zip(rewards).map(unit).collect::<Result<_>>()?;
        rewards.into_iter().for_each(|(arm, reward)| self.counts.add(arm, reward));
        Ok(())
    }
}

/// The bound of Chen, Wang and Yuan (2013, theorem 1) for sets whose reward is the sum of their arms, which are one-Lipschitz in each of
/// `size` means: `(6 size² ln T / Δmin² + π²/3 + 1) K Δmax`. None where the means change.
pub fn set_bound(arms: &RewardModel, policy: &Cucb, rounds: u64) -> Option<RegretBound> {
    let mut means = arms.means()?.to_vec();
    let range = arms.range()?;
    if !(policy.range.low <= range.low && policy.range.high >= range.high) {
        return None;
    }
    let unit = policy.range.high - policy.range.low;
    means.sort_by(|a, b| b.total_cmp(a));
    let best: f64 = means[..policy.size].iter().sum();
    let worst: f64 = means[means.len() - policy.size..].iter().sum();
    // The nearest worse set replaces one arm by one from outside, the pair with the least difference.
    let inside = means[..policy.size].iter();
    let pairs = inside.flat_map(|a| means[policy.size..].iter().map(move |b| a - b)).filter(|gap| *gap > 0.0);
    let least = pairs.fold(f64::INFINITY, f64::min);
    let formula = "(6 m² ln T / Δmin² + π²/3 + 1) K Δmax";
    if !least.is_finite() {
        return Some(RegretBound { value: 0.0, formula });
    }
    let (least, most) = (least / unit, (best - worst) / unit);
    let samples = 6.0 * (policy.size as f64 / least).powi(2) * (rounds.max(1) as f64).ln();
    Some(RegretBound { value: (samples + std::f64::consts::PI.powi(2) / 3.0 + 1.0) * means.len() as f64 * most * unit, formula })
}

/// Simulates sets whose reward is the sum of their arms. Results do not depend on the number of threads.
pub fn simulate_sets(arms: &RewardModel, policy: &Cucb, looks: &[u64], runs: u64, cx: &Context<'_>) -> Result<Simulation> {
    super::same_arms("arms of the policy", arms.count(), policy.counts.arms())?;
    super::simulate::check_looks(looks, runs)?;
    let seed = cx.seed;
    let one = |index: u64| -> Result<SimulationRun> {
        cx.check(Progress { stage: "runs", done: index, total: Some(runs), objective: None })?;
        let (mut world, mut policy) = (BanditEnv::new(arms)?, policy.clone());
        let mut rng = RngStream::new(seed, "combinatorial bandit", index);
        let (mut regret, mut round, mut seen) = (0.0, 0, Vec::new());
        let mut pulls = vec![0; arms.count()];
        for &look in looks {
            while round < look {
                world.advance(&mut rng);
                let set = policy.choose();
                let mut sorted = world.means().to_vec();
                sorted.sort_by(|a, b| b.total_cmp(a));
                regret += sorted[..set.len()].iter().sum::<f64>() - set.iter().map(|&a| world.means()[a]).sum::<f64>();
                let rewards: Vec<f64> = set.iter().map(|&arm| world.draw(arm, &mut rng)).collect();
                policy.learn(&set, &rewards)?;
                set.iter().for_each(|&arm| pulls[arm] += 1);
                round += 1;
            }
            seen.push(regret);
        }
        Ok((seen, pulls))
    };
    let results: Vec<SimulationRun> = (0..runs).into_par_iter().map(one).collect::<Result<_>>()?;
    Ok(Simulation::of(looks, &results))
}
