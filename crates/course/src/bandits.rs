//! Chapter 11: bandits.

use ermine_agent::bandit::{
    AnyPolicy, ConfidenceWidth, Cucb, EpsilonGreedy, Exp3, ExploreThenCommit, LoggedRound, RewardDelay, RewardModel, RewardRange,
    Simulation, Ucb, accepts_rejects_bound, bernoulli_kl, lai_robbins, look_rounds, lucb, lucb_bound, off_policy, proven_bound,
    set_bound, simulate, simulate_sets, successive_accepts_rejects,
};
use ermine_agent::tabular::DecaySchedule;
use ermine_core::{Context, Result};
use ermine_report::chart::{Chart, Series};

use crate::algebra::mean_and_error;
use crate::check::TheoremCheck;
use crate::theorem::{Chapter, Theorem, TheoremParam, TheoremRun, real, whole};

const GAP: TheoremParam = real("gap", 0.2, 0.05, 0.4, "gap between neighboring arms");
const ARMS: TheoremParam = whole("arms", 3, 2, 5, "arms");
const ROUNDS: TheoremParam = whole("rounds", 1000, 200, 3000, "rounds");
const RUNS: TheoremParam = whole("runs", 40, 20, 80, "runs");

pub(crate) const CHAPTER: Chapter = Chapter {
    number: 11,
    title: "Bandits",
    theorems: &[
        Theorem::new(
            "T11.1",
            "The expected regret is Σ Δ_a E N_a: gaps times pulls",
            "002 §7.1",
            "bandit::simulate",
            &[ARMS, GAP, ROUNDS, RUNS],
            false,
            decomposition,
        ),
        Theorem::new(
            "T11.2",
            "Hoeffding: P(|μ̂ − μ| > √(ln(2/δ)/(2s))) ≤ δ after s pulls",
            "002 §7.2",
            "algorithm in the open",
            &[
                whole("pulls", 50, 5, 300, "s"),
                real("mean", 0.4, 0.05, 0.95, "μ"),
                real("delta", 0.1, 0.01, 0.5, "δ"),
                whole("draws", 2000, 500, 4000, "samples"),
            ],
            false,
            hoeffding,
        ),
        Theorem::new(
            "T11.3",
            "UCB with β = ½ ln(4(n−k)/δ): E R_n ≤ 2 ln(4(n−k)/δ) Σ 1/Δ + nδ ΣΔ + ΣΔ",
            "002 §7.2",
            "Ucb, proven_bound",
            &[ARMS, GAP, ROUNDS, RUNS, real("delta", 0.01, 0.0005, 0.1, "δ")],
            false,
            confidence_bound,
        ),
        Theorem::new(
            "T11.4",
            "With δ = 1/n the regret is at most 2√(2nk ln(4n(n−k))) + 2k whatever the gaps",
            "002 §7.2",
            "Ucb",
            &[ARMS, ROUNDS, RUNS],
            false,
            gap_free,
        ),
        Theorem::new(
            "T11.5",
            "UCB1: R ≤ Σ 8 ln n/Δ + (1 + π²/3)ΣΔ; EXP3: √(2nK ln K); MOSS: 49√(nK)",
            "002 §7.2",
            "proven_bound",
            &[ARMS, GAP, ROUNDS, RUNS],
            false,
            other_bounds,
        ),
        Theorem::new(
            "T11.6",
            "Lai and Robbins: the regret of a uniformly good policy is at least ln n · Σ Δ/kl, as n → ∞",
            "002 §7.2",
            "lai_robbins",
            &[ARMS, GAP, RUNS],
            false,
            lower_bound,
        ),
        Theorem::new(
            "T11.7",
            "With a constant ε the regret is at least (ε/k) n ΣΔ; explore-then-commit with a fixed m is linear too",
            "002 §7.1",
            "EpsilonGreedy, ExploreThenCommit",
            &[ARMS, GAP, ROUNDS, RUNS, real("epsilon", 0.1, 0.02, 0.5, "ε")],
            false,
            linear_regret,
        ),
        Theorem::new(
            "T11.8",
            "Sets of arms, and the best m arms: regret of CUCB, errors of SAR and samples of LUCB within their bounds",
            "002 §7.2",
            "Cucb, successive_accepts_rejects, lucb",
            &[whole("arms", 4, 3, 6, "arms"), real("gap", 0.15, 0.1, 0.18, "gap between neighboring arms"), RUNS],
            false,
            sets,
        ),
        Theorem::new(
            "T11.9",
            "Inverse propensity: E[r π(a)/p] is the value of π",
            "002 §7",
            "off_policy",
            &[
                whole("rows", 1000, 200, 5000, "logged rounds"),
                real("epsilon", 0.3, 0.2, 0.9, "share of uniform choices of the logging policy"),
            ],
            false,
            propensity,
        ),
    ],
};

/// Means from 0.9 down, `gap` apart, at least 0.02.
fn means(run: &TheoremRun<'_>) -> Vec<f64> {
    (0..run.whole("arms")).map(|a| (0.9 - run.real("gap") * a as f64).max(0.02)).collect()
}

fn gaps(means: &[f64]) -> Vec<f64> {
    means.iter().map(|m| means[0] - m).filter(|g| *g > 0.0).collect()
}

fn play(policy: AnyPolicy, means: &[f64], rounds: usize, run: &TheoremRun<'_>) -> Result<Simulation> {
    let arms = RewardModel::Bernoulli { means: means.to_vec() };
    let cx = Context::seeded(run.seed());
    simulate(&arms, &policy, &look_rounds(rounds as u64, 20), run.whole("runs") as u64, RewardDelay::None, &cx)
}

fn last(s: &Simulation) -> (f64, f64) {
    (s.last(), s.error(s.rounds.len() - 1))
}

fn ucb(arms: usize, width: ConfidenceWidth) -> Result<AnyPolicy> {
    Ok(AnyPolicy::Ucb(Ucb::new(arms, width)?))
}

fn decomposition(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let m = means(run);
    let s = play(ucb(m.len(), ConfidenceWidth::Logarithm { c: 2.0 })?, &m, run.whole("rounds"), run)?;
    let by_pulls: f64 = s.pulls.iter().zip(&m).map(|(n, v)| n * (m[0] - v)).sum();
    let mut check = TheoremCheck::new();
    check.assume("the means do not drift", true);
    check.equal("mean regret against Σ gap · pulls", s.last(), by_pulls, 1e-9);
    Ok(check)
}

fn hoeffding(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (s, mean, delta) = (run.whole("pulls"), run.real("mean"), run.real("delta"));
    let width = ((2.0 / delta).ln() / (2.0 * s as f64)).sqrt();
    let mut stream = run.stream(0);
    let off: Vec<f64> = (0..run.whole("draws"))
        .map(|_| (0..s).filter(|_| stream.uniform() < mean).count() as f64 / s as f64)
        .map(|m| f64::from((m - mean).abs() > width))
        .collect();
    let mut check = TheoremCheck::new();
    check.assume("rewards in [0, 1], independent", true);
    check.simulated_at_most("share of samples outside the width, against δ", mean_and_error(&off), delta);
    Ok(check)
}

fn confidence_bound(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (m, n, delta) = (means(run), run.whole("rounds"), run.real("delta"));
    let policy = ucb(m.len(), ConfidenceWidth::Confidence { rounds: n as u64, delta })?;
    let s = play(policy.clone(), &m, n, run)?;
    let g = gaps(&m);
    let sum: f64 = g.iter().sum();
    let log = (4.0 * (n - m.len()) as f64 / delta).ln();
    let printed = g.iter().map(|g| 2.0 * log / g).sum::<f64>() + n as f64 * delta * sum;
    let mut check = TheoremCheck::new();
    check.assume("rewards in [0, 1], independent, gaps above 0", g.len() + 1 == m.len());
    check.simulated_at_most("mean regret against the bound", last(&s), printed + sum);
    let arms = RewardModel::Bernoulli { means: m };
    if let Some(b) = proven_bound(&policy, &arms, n as u64) {
        check.equal("the engine's bound, which leaves ΣΔ out, against the formula without it", b.value, printed, 1e-9);
    }
    check.note(format!("the proof bounds the pulls before the last one of each arm: {sum:.3} = ΣΔ is missing in the notes"));
    Ok(check)
}

fn gap_free(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, k) = (run.whole("rounds"), run.whole("arms"));
    let bound = 2.0 * (2.0 * (n * k) as f64 * (4.0 * n as f64 * (n - k) as f64).ln()).sqrt() + 2.0 * k as f64;
    let mut check = TheoremCheck::new();
    check.assume("rewards in [0, 1], independent, δ = 1/n", true);
    let mut worst = (0.0, 0.0);
    let mut curve = Vec::new();
    for gap in [0.02, 0.05, 0.1, 0.2, 0.4] {
        let m: Vec<f64> = (0..k).map(|a| if a == 0 { 0.5 + 0.5 * gap } else { 0.5 - 0.5 * gap }).collect();
        let s = play(ucb(k, ConfidenceWidth::Confidence { rounds: n as u64, delta: 1.0 / n as f64 })?, &m, n, run)?;
        curve.push((gap, s.last()));
        if s.last() > worst.0 {
            worst = last(&s);
        }
    }
    check.simulated_at_most("mean regret at the worst of five gaps against the bound", worst, bound);
    check.draw(Chart::new("Regret by gap", "gap", "regret").with(Series::line("UCB", curve)));
    Ok(check)
}

fn other_bounds(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (m, n) = (means(run), run.whole("rounds"));
    let (k, t) = (m.len(), n as f64);
    let mut check = TheoremCheck::new();
    check.assume("rewards in [0, 1], the policies tuned for n", true);
    let s = play(ucb(k, ConfidenceWidth::Logarithm { c: 2.0 })?, &m, n, run)?;
    let formula: f64 = gaps(&m).iter().map(|g| 8.0 * t.ln() / g + (1.0 + std::f64::consts::PI.powi(2) / 3.0) * g).sum();
    check.simulated_at_most("UCB1", last(&s), formula);
    let s = play(ucb(k, ConfidenceWidth::Moss { rounds: n as u64 })?, &m, n, run)?;
    check.simulated_at_most("MOSS", last(&s), 49.0 * (t * k as f64).sqrt());
    let log = (k as f64).ln();
    let eta = (2.0 * log / (t * k as f64)).sqrt();
    let s = play(AnyPolicy::Exp3(Exp3::new(k, eta, 0.0, true, RewardRange::default())?), &m, n, run)?;
    check.simulated_at_most("EXP3", last(&s), (2.0 * t * k as f64 * log).sqrt());
    Ok(check)
}

fn lower_bound(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let m = means(run);
    let arms = RewardModel::Bernoulli { means: m.clone() };
    let constant: f64 = m[1..].iter().map(|v| (m[0] - v) / bernoulli_kl(*v, m[0])).sum();
    let s = play(ucb(m.len(), ConfidenceWidth::Logarithm { c: 2.0 })?, &m, 3000, run)?;
    let at = |t: u64| s.rounds.iter().position(|r| *r >= t).unwrap_or(0);
    let (i, j) = (at(300), s.rounds.len() - 1);
    let slope = (s.mean[j] - s.mean[i]) / ((s.rounds[j] as f64).ln() - (s.rounds[i] as f64).ln());
    let mut check = TheoremCheck::new();
    check.suppose("n → ∞; at finite n a good policy may lie below");
    check.equal("the engine's constant against Σ Δ/kl", lai_robbins(&arms).unwrap_or(f64::NAN), constant, 1e-12);
    check.note(format!(
        "slope of UCB1's regret in ln n from {} to {}: {slope:.3}; the constant is {constant:.3}",
        s.rounds[i], s.rounds[j]
    ));
    let curve = s.rounds.iter().zip(&s.mean).map(|(t, r)| (*t as f64, *r)).collect();
    let bound = s.rounds.iter().map(|t| (*t as f64, constant * (*t as f64).ln())).collect();
    check.draw(
        Chart::new("Regret", "round", "regret")
            .log_x()
            .with(Series::line("UCB1", curve))
            .with(Series::dashed("Lai and Robbins", bound)),
    );
    Ok(check)
}

fn linear_regret(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (m, n, epsilon) = (means(run), run.whole("rounds"), run.real("epsilon"));
    let sum: f64 = gaps(&m).iter().sum();
    let s = play(AnyPolicy::EpsilonGreedy(EpsilonGreedy::new(m.len(), DecaySchedule::Constant(epsilon))?), &m, n, run)?;
    let least = epsilon / m.len() as f64 * n as f64 * sum;
    let (mean, error) = last(&s);
    let mut check = TheoremCheck::new();
    check.assume("ε does not fall", true);
    check.simulated_at_most("(ε/k) n ΣΔ against the mean regret", (least, error), mean);
    let commit =
        |each: u64| play(AnyPolicy::ExploreThenCommit(ExploreThenCommit::new(m.len(), each)?), &m, n, run).map(|s| s.last());
    check.note(format!("explore-then-commit: regret {:.1} with m = 2, {:.1} with m = 30", commit(2)?, commit(30)?));
    Ok(check)
}

fn sets(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let m = means(run);
    let range = RewardRange::default();
    let arms = RewardModel::Bernoulli { means: m.clone() };
    let cx = Context::seeded(run.seed());
    let mut check = TheoremCheck::new();
    check.assume("gaps above 0", gaps(&m).len() + 1 == m.len());
    let policy = Cucb::new(m.len(), 2, range)?;
    let s = simulate_sets(&arms, &policy, &[800], run.whole("runs") as u64, &cx)?;
    if let Some(bound) = set_bound(&arms, &policy, 800) {
        check.simulated_at_most("CUCB: mean regret of pairs after 800 rounds", last(&s), bound.value);
    }
    let mut stream = run.stream(0);
    let (mut wrong, mut samples, mut missed) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..run.whole("runs") {
        let mut pull = |a: usize| f64::from(stream.uniform() < m[a]);
        let top = successive_accepts_rejects(m.len(), 1, 2000, range, &mut pull)?;
        wrong.push(f64::from(top.arms != [0]));
        let top = lucb(m.len(), 1, 0.1, 0.05, 100_000, range, &mut pull)?;
        samples.push(top.pulls.iter().sum::<u64>() as f64);
        missed.push(f64::from(top.arms != [0]));
    }
    let with_floor = |(m, e): (f64, f64), n: usize| (m, f64::max(e, 0.5 / n as f64));
    check.simulated_at_most(
        "SAR: share of runs that miss the best arm with 2000 samples",
        with_floor(mean_and_error(&wrong), wrong.len()),
        accepts_rejects_bound(&m, 1, 2000, range),
    );
    check.simulated_at_most("LUCB: mean samples for δ = 0.1", mean_and_error(&samples), lucb_bound(&m, 1, 0.1, 0.05, range));
    check.simulated_at_most("LUCB: share of runs that miss", with_floor(mean_and_error(&missed), missed.len()), 0.1);
    Ok(check)
}

fn propensity(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let epsilon = run.real("epsilon");
    let m = [0.2, 0.5, 0.7];
    let target = [0.1, 0.2, 0.7];
    let mut stream = run.stream(0);
    let logging = [1.0 - epsilon + epsilon / 3.0, epsilon / 3.0, epsilon / 3.0];
    let log: Vec<LoggedRound> = (0..run.whole("rows"))
        .map(|_| stream.weighted(&logging))
        .collect::<Vec<_>>()
        .into_iter()
        .map(|arm| LoggedRound { arm, reward: f64::from(stream.uniform() < m[arm]), propensity: logging[arm] })
        .collect();
    let estimates = off_policy(&log, 3, |_, arm| target[arm])?;
    let value: f64 = m.iter().zip(&target).map(|(m, p)| m * p).sum();
    let mut check = TheoremCheck::new();
    check.assume("every action of π has a logged probability above 0", true);
    check.simulated("inverse propensity and the value of π", (estimates.ips.value, estimates.ips.error), value);
    check.simulated("doubly robust and the value of π", (estimates.doubly_robust.value, estimates.doubly_robust.error), value);
    check.note(format!("the rows are worth {:.0} of π's own", estimates.effective_size));
    Ok(check)
}
