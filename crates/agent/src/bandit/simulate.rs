//! Many runs side by side: regret with its band, against the bounds.

use ermine_core::{Cell, Curve, Error, Report, Result, Section, Stream};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{AnyPolicy, Arms, Choice, Delay, Policy, World, lai_robbins, proven_bound, same_arms};

/// Pseudo-regret over many runs: what the best arm would have earned on average, less what the chosen arms earn on average. The best arm
/// is the one of each round where means wander or follow a context, and the best fixed one against an adversary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Simulation {
    /// Rounds at which regret was looked at.
    pub rounds: Vec<u64>,
    /// Mean regret.
    pub mean: Vec<f64>,
    /// Standard deviation over the runs.
    pub sd: Vec<f64>,
    /// The tenth part of the runs below.
    pub low: Vec<f64>,
    /// The tenth part of the runs above.
    pub high: Vec<f64>,
    /// Mean pulls of each arm.
    pub pulls: Vec<f64>,
    /// Runs.
    pub runs: u64,
}

impl Simulation {
    /// Mean regret at the last round.
    pub fn last(&self) -> f64 {
        self.mean.last().copied().unwrap_or(0.0)
    }

    /// Standard error of the mean at a place in `rounds`.
    pub fn error(&self, at: usize) -> f64 {
        self.sd[at] / (self.runs as f64).sqrt()
    }
}

/// One run: regret at the given rounds, and pulls.
fn run(arms: &Arms, policy: &AnyPolicy, looks: &[u64], delay: Delay, seed: u64, index: u64) -> Result<(Vec<f64>, Vec<u64>)> {
    let (mut world, mut policy) = (World::new(arms)?, policy.clone());
    // The same worlds for every policy: differences between policies are then not differences between worlds.
    let mut world_rng = Stream::new(seed, "bandit world", index);
    let mut policy_rng = Stream::new(seed, "bandit policy", index);
    let count = arms.count();
    let adversary = matches!(arms, Arms::Adversarial { .. });
    let still = arms.means().map(|means| means.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    let mut totals = vec![0.0; if adversary { count } else { 0 }];
    let (mut best, mut earned) = (0.0, 0.0);
    let mut pulls = vec![0; count];
    let mut regrets = Vec::with_capacity(looks.len());
    let mut late: std::collections::BTreeMap<u64, Vec<(Vec<f64>, Choice, f64)>> = Default::default();
    let mut round = 0;
    for &look in looks {
        while round < look {
            world.advance(&mut world_rng);
            let choice = policy.choose(world.context(), &mut policy_rng);
            let reward = world.draw(choice.arm, &mut world_rng);
            pulls[choice.arm] += 1;
            earned += world.means()[choice.arm];
            match still {
                Some(top) => best += top,
                None if adversary => totals.iter_mut().zip(world.means()).for_each(|(t, m)| *t += m),
                None => best += world.means().iter().copied().fold(f64::NEG_INFINITY, f64::max),
            }
            let wait = match delay {
                Delay::None => 0,
                Delay::Fixed(rounds) => rounds,
                Delay::Uniform { mean } => world_rng.below((mean as usize).saturating_mul(2).saturating_add(1)) as u64,
            };
            if wait == 0 {
                policy.learn(world.context(), choice, reward)?;
            } else {
                late.entry(round.saturating_add(wait)).or_default().push((world.context().to_vec(), choice, reward));
            }
            if delay != Delay::None {
                for (context, choice, reward) in late.remove(&round).unwrap_or_default() {
                    policy.learn(&context, choice, reward)?;
                }
            }
            round += 1;
        }
        let top = if adversary { totals.iter().copied().fold(f64::NEG_INFINITY, f64::max) } else { best };
        regrets.push(top - earned);
    }
    Ok((regrets, pulls))
}

/// Simulates a policy, which starts as it is given, in `runs` independent worlds. `looks` are the rounds at which regret is noted, rising;
/// the last is the end. The number of threads changes nothing.
pub fn simulate(arms: &Arms, policy: &AnyPolicy, looks: &[u64], runs: u64, delay: Delay, seed: u64) -> Result<Simulation> {
    arms.check()?;
    same_arms("arms of the policy", arms.count(), policy.arms())?;
    if looks.is_empty() || runs == 0 || looks[0] == 0 || looks.windows(2).any(|w| w[0] >= w[1]) {
        return Err(Error::Data(format!(
            "a simulation needs rounds that rise from 1 and at least one run; got {looks:?} and {runs}"
        )));
    }
    let results: Vec<(Vec<f64>, Vec<u64>)> =
        (0..runs).into_par_iter().map(|index| run(arms, policy, looks, delay, seed, index)).collect::<Result<_>>()?;
    let n = runs as f64;
    let mut out = Simulation {
        rounds: looks.to_vec(),
        mean: Vec::new(),
        sd: Vec::new(),
        low: Vec::new(),
        high: Vec::new(),
        pulls: (0..arms.count()).map(|arm| results.iter().map(|r| r.1[arm]).sum::<u64>() as f64 / n).collect(),
        runs,
    };
    for at in 0..looks.len() {
        let mut values: Vec<f64> = results.iter().map(|r| r.0[at]).collect();
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        values.sort_by(f64::total_cmp);
        let quantile = |q: f64| values[(q * (n - 1.0)).round() as usize];
        out.mean.push(mean);
        out.sd.push(variance.sqrt());
        out.low.push(quantile(0.1));
        out.high.push(quantile(0.9));
    }
    Ok(out)
}

/// Simulates several policies in the same worlds: one table with regret, band, proven bound and the line of Lai and Robbins, and one plot.
pub fn compare(
    arms: &Arms,
    policies: &[(&str, AnyPolicy)],
    looks: &[u64],
    runs: u64,
    seed: u64,
) -> Result<(Report, Vec<Simulation>)> {
    let simulate = |policy: &AnyPolicy| simulate(arms, policy, looks, runs, Delay::None, seed);
    let results: Vec<Simulation> = policies.iter().map(|(_, policy)| simulate(policy)).collect::<Result<_>>()?;
    let end = looks.last().copied().unwrap_or(1);
    let constant = lai_robbins(arms);
    let number = |value: Option<f64>| value.map_or(Cell::Empty, Cell::Number);
    let (mut rows, mut curves) = (Vec::new(), Vec::new());
    for ((name, policy), result) in policies.iter().zip(&results) {
        let last = looks.len() - 1;
        let bound = proven_bound(policy, arms, end);
        let mut row: Vec<Cell> = vec![(*name).into(), result.last().into(), result.error(last).into()];
        row.extend([result.low[last].into(), result.high[last].into()]);
        row.push(number(bound.as_ref().map(|b| b.value)));
        row.push(bound.map_or(Cell::Empty, |b| b.formula.into()));
        row.push(number(constant.map(|c| c * (end as f64).ln())));
        row.extend(result.pulls.iter().map(|&p| Cell::Number(p)));
        rows.push(row);
        let curve = |name: String, values: &[f64]| Curve {
            name,
            points: looks.iter().zip(values).map(|(&t, &v)| (t as f64, v)).collect(),
        };
        curves.push(curve((*name).to_owned(), &result.mean));
        curves.push(curve(format!("{name}, 10 %"), &result.low));
        curves.push(curve(format!("{name}, 90 %"), &result.high));
    }
    if let Some(c) = constant {
        let points = looks.iter().map(|&t| (t as f64, c * (t as f64).ln())).collect();
        curves.push(Curve { name: "Lai and Robbins".into(), points });
    }
    let heads = ["policy", "regret", "standard error", "10 %", "90 %", "proven bound", "formula", "Lai and Robbins"];
    let pulls: Vec<String> = (0..arms.count()).map(|arm| format!("pulls of {arm}")).collect();
    let columns: Vec<&str> = heads.into_iter().chain(pulls.iter().map(String::as_str)).collect();
    let mut report = Report::default();
    report.table(format!("Regret after {end} rounds, {runs} runs"), &columns, rows);
    report.sections.push(Section::Plot { title: "Regret".into(), x: "round".into(), y: "pseudo-regret".into(), curves });
    Ok((report, results))
}
