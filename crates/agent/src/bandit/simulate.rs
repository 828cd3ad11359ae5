//! Simulation: mean regret over many parallel runs with confidence bands, against the bounds.

use ermine_core::parallel::prelude::*;
use ermine_core::{Cell, Context, Curve, Error, Progress, Report, Result, RngStream, Section};
use serde::{Deserialize, Serialize};

use super::{
    AnyPolicy, ArmChoice, BanditEnv, Cucb, Policy, RegretBound, RewardDelay, RewardModel, lai_robbins, proven_bound, same_arms,
};
use super::{set_bound, simulate_sets};

/// Pseudo-regret over many runs: the expected reward of the best arm less that of the chosen arms. The best arm is that
/// of each round where means drift or depend on a context, and the best fixed one against an adversary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Simulation {
    /// Rounds at which regret was recorded.
    pub rounds: Vec<u64>,
    /// Mean regret.
    pub mean: Vec<f64>,
    /// Standard deviation over the runs.
    pub sd: Vec<f64>,
    /// The 10 % quantile of the runs.
    pub low: Vec<f64>,
    /// The 90 % quantile of the runs.
    pub high: Vec<f64>,
    /// Mean pulls of each arm.
    pub pulls: Vec<f64>,
    /// Runs.
    pub runs: u64,
}

/// Regret at the recorded rounds, and pulls of each arm.
pub(super) type SimulationRun = (Vec<f64>, Vec<u64>);

impl Simulation {
    /// Means, standard deviations and quantiles of runs.
    pub(super) fn of(looks: &[u64], runs: &[SimulationRun]) -> Self {
        let n = runs.len() as f64;
        let arms = runs.first().map_or(0, |r| r.1.len());
        let mut out = Self {
            rounds: looks.to_vec(),
            mean: Vec::new(),
            sd: Vec::new(),
            low: Vec::new(),
            high: Vec::new(),
            pulls: (0..arms).map(|arm| runs.iter().map(|r| r.1[arm]).sum::<u64>() as f64 / n).collect(),
            runs: runs.len() as u64,
        };
        for at in 0..looks.len() {
            let mut values: Vec<f64> = runs.iter().map(|r| r.0[at]).collect();
            let mean = values.iter().sum::<f64>() / n;
            let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
            ermine_core::order::sort_numbers(&mut values);
            let quantile = |q: f64| values[(q * (n - 1.0)).round() as usize];
            out.mean.push(mean);
            out.sd.push(variance.sqrt());
            out.low.push(quantile(0.1));
            out.high.push(quantile(0.9));
        }
        out
    }

    /// Mean regret at the last round.
    pub fn last(&self) -> f64 {
        self.mean.last().copied().unwrap_or(0.0)
    }

    /// Standard error of the mean at an index of `rounds`.
    pub fn error(&self, at: usize) -> f64 {
        self.sd[at] / (self.runs as f64).sqrt()
    }
}

/// One run: regret at the given rounds, and pulls.
fn run(
    arms: &RewardModel,
    policy: &AnyPolicy,
    looks: &[u64],
    delay: RewardDelay,
    cx: &Context<'_>,
    index: u64,
) -> Result<SimulationRun> {
    let seed = cx.seed;
    let (mut world, mut policy) = (BanditEnv::new(arms)?, policy.clone());
    // Common random numbers: every policy meets the same environments.
    let mut world_rng = RngStream::new(seed, "bandit world", index);
    let mut policy_rng = RngStream::new(seed, "bandit policy", index);
    let count = arms.count();
    let adversary = matches!(arms, RewardModel::Adversarial { .. });
    let still = arms.means().map(|means| means.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    let mut totals = vec![0.0; if adversary { count } else { 0 }];
    let (mut best, mut earned) = (0.0, 0.0);
    let mut pulls = vec![0; count];
    let mut regrets = Vec::with_capacity(looks.len());
    let mut late: std::collections::BTreeMap<u64, Vec<(Vec<f64>, ArmChoice, f64)>> = Default::default();
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
                RewardDelay::None => 0,
                RewardDelay::Fixed(rounds) => rounds,
                RewardDelay::Uniform { mean } => world_rng.below((mean as usize).saturating_mul(2).saturating_add(1)) as u64,
            };
            if wait == 0 {
                policy.learn(world.context(), choice, reward)?;
            } else {
                late.entry(round.saturating_add(wait)).or_default().push((world.context().to_vec(), choice, reward));
            }
            if delay != RewardDelay::None {
                for (context, choice, reward) in late.remove(&round).unwrap_or_default() {
                    policy.learn(&context, choice, reward)?;
                }
            }
            round += 1;
            // A run of many rounds can be stopped within.
            if round.is_multiple_of(1 << 16) {
                cx.check(Progress { stage: "rounds", done: round, total: looks.last().copied(), objective: None })?;
            }
        }
        let top = if adversary { totals.iter().copied().fold(f64::NEG_INFINITY, f64::max) } else { best };
        regrets.push(top - earned);
    }
    Ok((regrets, pulls))
}

/// An error for rounds that do not ascend, and for no runs.
pub(super) fn check_looks(looks: &[u64], runs: u64) -> Result<()> {
    if looks.is_empty() || runs == 0 || looks[0] == 0 || looks.windows(2).any(|w| w[0] >= w[1]) {
        return Err(Error::Data(format!(
            "a simulation needs rounds that rise from 1 and at least one run; got {looks:?} and {runs}"
        )));
    }
    Ok(())
}

/// About `count` rounds for recording, geometrically spaced up to the last.
pub fn look_rounds(last: u64, count: usize) -> Vec<u64> {
    let count = count.max(2);
    let at = |i: usize| (last as f64).powf((i + 1) as f64 / count as f64).round() as u64;
    let mut looks: Vec<u64> = (0..count).map(at).filter(|t| (1..=last).contains(t)).chain([last]).collect();
    looks.dedup();
    looks
}

/// Simulates a policy in `runs` independent environments. Regret is recorded at the ascending rounds `looks`, of which
/// the last is the end. Results do not depend on the number of threads.
pub fn simulate(
    arms: &RewardModel,
    policy: &AnyPolicy,
    looks: &[u64],
    runs: u64,
    delay: RewardDelay,
    cx: &Context<'_>,
) -> Result<Simulation> {
    arms.check()?;
    same_arms("arms of the policy", arms.count(), policy.arms())?;
    check_looks(looks, runs)?;
    let one = |index: u64| {
        cx.check(Progress { stage: "runs", done: index, total: Some(runs), objective: None })?;
        run(arms, policy, looks, delay, cx, index)
    };
    let results: Vec<SimulationRun> = (0..runs).into_par_iter().map(one).collect::<Result<_>>()?;
    Ok(Simulation::of(looks, &results))
}

/// The subject of a simulation: one arm per round, or a set of arms per round.
#[derive(Debug, Clone, PartialEq)]
pub enum SimulatedPolicy {
    /// One arm per round.
    Single(AnyPolicy),
    /// A set of arms per round, whose reward is their sum.
    Sets(Cucb),
}

impl From<AnyPolicy> for SimulatedPolicy {
    fn from(policy: AnyPolicy) -> Self {
        Self::Single(policy)
    }
}

impl From<Cucb> for SimulatedPolicy {
    fn from(policy: Cucb) -> Self {
        Self::Sets(policy)
    }
}

impl SimulatedPolicy {
    /// The proven bound after a number of rounds.
    pub fn bound(&self, arms: &RewardModel, rounds: u64, delay: RewardDelay) -> Option<RegretBound> {
        match self {
            // The proofs assume immediate rewards.
            _ if delay != RewardDelay::None => None,
            Self::Single(policy) => proven_bound(policy, arms, rounds),
            Self::Sets(policy) => set_bound(arms, policy, rounds),
        }
    }
}

/// Results of one policy in a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicyResult {
    /// Its name.
    pub name: String,
    /// Its simulation.
    #[serde(flatten)]
    pub simulation: Simulation,
    /// The proven bound at the same rounds, where there is one.
    pub bound: Option<Vec<f64>>,
    /// The bound as a formula.
    pub formula: Option<String>,
}

/// Several policies in the same environments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The rounds at which regret was recorded.
    pub rounds: Vec<u64>,
    /// Runs of each policy.
    pub runs: u64,
    /// The delay of the rewards.
    pub delay: RewardDelay,
    /// The constant of Lai and Robbins, where there is one: no uniformly good policy stays below this times `ln T`
    /// asymptotically.
    pub lai_robbins: Option<f64>,
    /// The policies.
    pub policies: Vec<PolicyResult>,
}

/// Simulates several policies in the same environments.
pub fn compare(
    arms: &RewardModel,
    policies: &[(String, SimulatedPolicy)],
    looks: &[u64],
    runs: u64,
    delay: RewardDelay,
    cx: &Context<'_>,
) -> Result<Comparison> {
    let sets = policies.iter().any(|p| matches!(p.1, SimulatedPolicy::Sets(_)));
    if sets && (policies.iter().any(|p| matches!(p.1, SimulatedPolicy::Single(_))) || delay != RewardDelay::None) {
        return Err(Error::Data(
            "policies that pull sets of arms compete with their like, and their rewards come at once".into(),
        ));
    }
    let mut compared = Vec::new();
    for (name, policy) in policies {
        let simulation = match policy {
            SimulatedPolicy::Single(policy) => simulate(arms, policy, looks, runs, delay, cx)?,
            SimulatedPolicy::Sets(policy) => simulate_sets(arms, policy, looks, runs, cx)?,
        };
        let bounds: Option<Vec<RegretBound>> = looks.iter().map(|&t| policy.bound(arms, t, delay)).collect();
        let formula = bounds.as_ref().and_then(|b| b.last()).map(|b| b.formula.to_owned());
        let bound = bounds.map(|b| b.into_iter().map(|b| b.value).collect());
        compared.push(PolicyResult { name: name.clone(), simulation, bound, formula });
    }
    // The lower bound is for one arm per round and immediate rewards.
    let lai_robbins = lai_robbins(arms).filter(|_| !sets);
    Ok(Comparison { rounds: looks.to_vec(), runs, delay, lai_robbins, policies: compared })
}

impl Comparison {
    /// Regret, band, proven bound and the lower bound of Lai and Robbins: a table, and plots over the rounds.
    pub fn report(&self) -> Report {
        let last = self.rounds.len() - 1;
        let end = self.rounds[last];
        let number = |value: Option<f64>| value.map_or(Cell::Empty, Cell::Number);
        let line = |t: u64| self.lai_robbins.map(|c| c * (t as f64).ln());
        let rows = self.policies.iter().map(|p| {
            let s = &p.simulation;
            let mut row: Vec<Cell> = vec![p.name.as_str().into(), s.last().into(), s.error(last).into()];
            row.extend([s.low[last].into(), s.high[last].into()]);
            row.extend([number(p.bound.as_ref().map(|b| b[last])), number(line(end))]);
            row.push(p.formula.as_deref().map_or(Cell::Empty, Cell::from));
            row
        });
        let mut report = Report::default();
        let heads = ["policy", "regret", "s.e.", "10 %", "90 %", "proven bound", "Lai-Robbins", "bound"];
        report.table(format!("Regret after {end} rounds, {} runs", self.runs), &heads, rows.collect());
        let arms = self.policies.first().map_or(0, |p| p.simulation.pulls.len());
        let pulls: Vec<String> = (0..arms).map(|arm| format!("arm {arm}")).collect();
        let heads: Vec<&str> = std::iter::once("policy").chain(pulls.iter().map(String::as_str)).collect();
        let rows = self.policies.iter().map(|p| {
            let cells = p.simulation.pulls.iter().map(|&n| Cell::Number(n));
            std::iter::once(p.name.as_str().into()).chain(cells).collect()
        });
        report.table("Mean pulls", &heads, rows.collect());
        let curve = |name: String, value: &dyn Fn(usize) -> f64| Curve {
            name,
            points: self.rounds.iter().enumerate().map(|(at, &t)| (t as f64, value(at))).collect(),
        };
        let mut curves: Vec<Curve> = self.policies.iter().map(|p| curve(p.name.clone(), &|at| p.simulation.mean[at])).collect();
        for p in &self.policies {
            if let Some(bound) = &p.bound {
                curves.push(curve(format!("bound of {}", p.name), &|at| bound[at]));
            }
        }
        if self.lai_robbins.is_some() {
            curves.push(curve("Lai and Robbins".into(), &|at| line(self.rounds[at]).unwrap_or(f64::NAN)));
        }
        report.sections.push(Section::Plot {
            title: "Regret and bounds".into(),
            x: "round".into(),
            y: "pseudo-regret".into(),
            curves,
        });
        report
    }
}
