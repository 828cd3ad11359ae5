//! Combinatorial bandits: a set of arms a round, each telling its reward (Chen, Wang, Yuan 2013).

use ermine_core::{Error, Result, Stream};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Arms, Counts, RewardRange, World};

/// CUCB: the `size` arms with the largest `mean + sqrt(3 ln t / (2 n))`; unknown arms first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cucb {
    /// Arms in a set.
    pub size: usize,
    /// The range of the rewards.
    pub range: RewardRange,
    counts: Counts,
}

impl Cucb {
    /// A policy that knows nothing yet.
    pub fn new(arms: usize, size: usize, range: RewardRange) -> Result<Self> {
        let counts = Counts::new(arms)?;
        range.check()?;
        if size == 0 || size > arms {
            return Err(Error::Data(format!("a set of {size} arms is refused; there are {arms} arms")));
        }
        Ok(Self { size, range, counts })
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
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        order.truncate(self.size);
        order.sort_unstable();
        order
    }

    /// Takes in the rewards of a set, arm by arm.
    pub fn learn(&mut self, set: &[usize], rewards: &[f64]) -> Result<()> {
        super::same_arms("rewards of the set", set.len(), rewards.len())?;
        let arms = self.counts.arms();
        let unit = |(&arm, &reward): (&usize, &f64)| Ok((arm, self.range.unit("cucb", arms, arm, reward)?));
        let rewards: Vec<(usize, f64)> = set.iter().zip(rewards).map(unit).collect::<Result<_>>()?;
        rewards.into_iter().for_each(|(arm, reward)| self.counts.add(arm, reward));
        Ok(())
    }
}

/// Regret of sets over many runs.
#[derive(Debug, Clone, PartialEq)]
pub struct CombinatorialRun {
    /// Mean regret at each of the rounds asked for.
    pub mean: Vec<f64>,
    /// Standard deviation over the runs.
    pub sd: Vec<f64>,
    /// Mean pulls of each arm.
    pub pulls: Vec<f64>,
}

/// Regret at the rounds asked for, and pulls.
type Run = (Vec<f64>, Vec<f64>);

/// Simulates sets whose reward is the sum of their arms.
pub fn simulate_sets(arms: &Arms, policy: &Cucb, looks: &[u64], runs: u64, seed: u64) -> Result<CombinatorialRun> {
    super::same_arms("arms of the policy", arms.count(), policy.counts.arms())?;
    let one = |index: u64| -> Result<Run> {
        let (mut world, mut policy) = (World::new(arms)?, policy.clone());
        let mut rng = Stream::new(seed, "combinatorial bandit", index);
        let (mut regret, mut round, mut seen) = (0.0, 0, Vec::new());
        let mut pulls = vec![0.0; arms.count()];
        for &look in looks {
            while round < look {
                world.advance(&mut rng);
                let set = policy.choose();
                let mut sorted = world.means().to_vec();
                sorted.sort_by(|a, b| b.total_cmp(a));
                regret += sorted[..set.len()].iter().sum::<f64>() - set.iter().map(|&a| world.means()[a]).sum::<f64>();
                let rewards: Vec<f64> = set.iter().map(|&arm| world.draw(arm, &mut rng)).collect();
                policy.learn(&set, &rewards)?;
                set.iter().for_each(|&arm| pulls[arm] += 1.0);
                round += 1;
            }
            seen.push(regret);
        }
        Ok((seen, pulls))
    };
    let results: Vec<Run> = (0..runs).into_par_iter().map(one).collect::<Result<_>>()?;
    let n = runs.max(1) as f64;
    let mean_of = |get: &dyn Fn(&Run) -> f64| results.iter().map(get).sum::<f64>() / n;
    let mean: Vec<f64> = (0..looks.len()).map(|at| mean_of(&|r| r.0[at])).collect();
    let sd = (0..looks.len()).map(|at| (mean_of(&|r| (r.0[at] - mean[at]).powi(2)) * n / (n - 1.0).max(1.0)).sqrt()).collect();
    let pulls = (0..arms.count()).map(|arm| mean_of(&|r| r.1[arm])).collect();
    Ok(CombinatorialRun { mean, sd, pulls })
}
