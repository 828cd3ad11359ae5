//! Bandit policies against a frozen table of regrets, against the bounds that are proven for them, and against each other.

use ermine_agent::bandit::{
    AnyPolicy, ArmChoice, ConfidenceWidth, Cucb, DiscountedUcb, EpsilonGreedy, Exp3, ExploreThenCommit, KlUcb, LinUcb,
    LinearThompson, Policy, RewardDelay, RewardModel, RewardRange, Simulation, SlidingWindowUcb, Stationary, ThompsonBeta,
    ThompsonGaussian, Ucb, accepts_rejects_bound, compare, draw_beta, draw_gamma, lai_robbins, look_rounds, lucb, lucb_bound,
    proven_bound, set_bound, simulate, simulate_sets, successive_accepts_rejects,
};
use ermine_agent::tabular::DecaySchedule;
use ermine_core::{Cell, Context, RngStream, Section};

const UNIT: RewardRange = RewardRange { low: 0.0, high: 1.0 };

fn coins(means: &[f64]) -> RewardModel {
    RewardModel::Bernoulli { means: means.to_vec() }
}

/// The three problems of the table.
fn problems() -> [RewardModel; 3] {
    let mut close = vec![0.8; 10];
    close[0] = 0.9;
    [coins(&[0.9, 0.8]), coins(&close), coins(&[0.1, 0.05, 0.05, 0.05, 0.02, 0.02, 0.02, 0.01, 0.01, 0.01])]
}

const HORIZON: u64 = 20_000;

fn policy(name: &str, arms: usize) -> AnyPolicy {
    match name {
        "ucb1" => Ucb::new(arms, ConfidenceWidth::Logarithm { c: 2.0 }).unwrap().into(),
        "ucb" => Ucb::new(arms, ConfidenceWidth::Logarithm { c: 0.5 }).unwrap().into(),
        "kl-ucb" => KlUcb::new(arms, 0.0).unwrap().into(),
        "thompson" => ThompsonBeta::new(arms).unwrap().into(),
        "epsilon" => EpsilonGreedy::new(arms, DecaySchedule::Constant(0.1)).unwrap().into(),
        "exp3" => Exp3::on_rewards(arms, HORIZON, UNIT).unwrap().into(),
        "exp3-losses" => Exp3::on_losses(arms, HORIZON, UNIT).unwrap().into(),
        _ => unreachable!("{name}"),
    }
}

/// Mean regrets after 1,000, 10,000 and 20,000 rounds, of an independent implementation: 400 runs (KL-UCB 200).
const FROZEN: [(&str, [[f64; 3]; 3], f64); 7] = [
    ("ucb1", [[24.7, 87.2, 112.6], [82.9, 590.0, 878.0], [61.6, 501.0, 843.0]], 400.0),
    ("ucb", [[12.8, 31.0, 36.5], [70.2, 260.0, 319.0], [55.8, 297.0, 395.0]], 400.0),
    ("kl-ucb", [[7.8, 15.2, 17.2], [52.4, 130.0, 153.0], [43.2, 113.0, 132.0]], 200.0),
    ("thompson", [[6.6, 9.9, 11.0], [46.1, 85.4, 96.4], [41.0, 81.7, 91.9]], 400.0),
    ("epsilon", [[10.2, 55.5, 105.5], [43.5, 149.0, 239.0], [16.0, 84.9, 151.0]], 400.0),
    ("exp3", [[46.2, 220.0, 247.0], [88.8, 724.0, 1030.0], [65.0, 541.0, 810.0]], 400.0),
    ("exp3-losses", [[42.8, 121.0, 124.0], [87.6, 495.0, 541.0], [64.2, 494.0, 766.0]], 400.0),
];

#[test]
fn regrets_are_those_of_the_table_and_below_their_bounds() {
    let looks = [1_000, 10_000, HORIZON];
    let runs = 200;
    let mut wrong = Vec::new();
    for (name, table, frozen_runs) in FROZEN {
        for (arms, row) in problems().iter().zip(table) {
            let policy = policy(name, arms.count());
            let simulation = simulate(arms, &policy, &looks, runs, RewardDelay::None, &Context::seeded(1)).unwrap();
            for (at, expected) in row.iter().enumerate() {
                let error = simulation.sd[at] * (1.0 / runs as f64 + 1.0 / frozen_runs).sqrt();
                // The table has three digits.
                let rounding = expected * 1e-3 + 0.05;
                if (simulation.mean[at] - expected).abs() > 4.0 * error + rounding {
                    let t = looks[at];
                    wrong.push(format!(
                        "{name}, {} arms, {t}: {:.1} for {expected}, error {error:.2}",
                        arms.count(),
                        simulation.mean[at]
                    ));
                }
                if let Some(bound) = proven_bound(&policy, arms, looks[at]) {
                    assert!(simulation.mean[at] <= bound.value, "{name}: {} over {}", simulation.mean[at], bound.value);
                }
            }
            let total: f64 = simulation.pulls.iter().sum();
            assert!((total - HORIZON as f64).abs() < 1e-6);
            assert!(simulation.low.iter().zip(&simulation.high).all(|(low, high)| low <= high));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn bounds_and_constants_are_the_known_ones() {
    for (arms, (c, ucb1)) in problems().iter().zip([(2.252, 737.0), (20.27, 6635.0), (17.45, 9643.0)]) {
        assert!((lai_robbins(arms).unwrap() - c).abs() < 5e-3 * c.max(1.0));
        let bound = proven_bound(&policy("ucb1", arms.count()), arms, 10_000).unwrap().value;
        assert!((bound - ucb1).abs() < 1.0, "{bound}");
        let k = arms.count() as f64;
        let root = (k * HORIZON as f64 * k.ln()).sqrt();
        let exp3 = proven_bound(&policy("exp3", arms.count()), arms, HORIZON).unwrap().value;
        assert!((exp3 - 2.0 * (std::f64::consts::E - 1.0).sqrt() * root).abs() < 1e-6 * exp3, "{exp3}");
        let losses = proven_bound(&policy("exp3-losses", arms.count()), arms, HORIZON).unwrap().value;
        assert!((losses - 2f64.sqrt() * root).abs() < 1e-6 * losses, "{losses}");
    }
    let normal = RewardModel::Gaussian { means: vec![0.0, 1.0], sd: 2.0 };
    assert!((lai_robbins(&normal).unwrap() - 8.0).abs() < 1e-12);
}

fn slope(found: &Simulation) -> f64 {
    // Regret of the second half over that of the first: 1 for linear growth, ln 2 / ln T for logarithmic.
    (found.mean[1] - found.mean[0]) / found.mean[0]
}

#[test]
fn some_policies_pay_for_ever_and_others_do_not() {
    let arms = coins(&[0.6, 0.5, 0.4]);
    let run =
        |policy: AnyPolicy| simulate(&arms, &policy, &[10_000, 20_000], 200, RewardDelay::None, &Context::seeded(2)).unwrap();
    let fixed = run(EpsilonGreedy::new(3, DecaySchedule::Constant(0.1)).unwrap().into());
    // ε times the mean gap in every round, once the best arm is known.
    let paid = (fixed.mean[1] - fixed.mean[0]) / (10_000.0 * 0.1 * 0.1);
    assert!((paid - 1.0).abs() < 0.1, "{paid}");
    // One run in a few commits to a wrong arm, and pays its gap for ever.
    let early = run(ExploreThenCommit::new(3, 10).unwrap().into());
    assert!((slope(&early) - 1.0).abs() < 0.1, "{}", slope(&early));
    let late: AnyPolicy = ExploreThenCommit::new(3, 1000).unwrap().into();
    let bound = proven_bound(&late, &arms, 20_000).unwrap().value;
    assert!(run(late).last() <= bound);
    let decaying = run(EpsilonGreedy::new(3, DecaySchedule::Inverse { scale: 200.0 }).unwrap().into());
    assert!(slope(&decaying) < 0.4, "{}", slope(&decaying));
    for width in [
        ConfidenceWidth::Logarithm { c: 2.0 },
        ConfidenceWidth::Confidence { rounds: 20_000, delta: 1e-4 },
        ConfidenceWidth::Moss { rounds: 20_000 },
    ] {
        let policy: AnyPolicy = Ucb::new(3, width).unwrap().into();
        let bound = proven_bound(&policy, &arms, 20_000).unwrap().value;
        let simulation = run(policy);
        assert!(
            simulation.last() <= bound && slope(&simulation) < 0.6,
            "{width:?}: {} {bound} {}",
            simulation.last(),
            slope(&simulation)
        );
    }
    // The draws of a policy do not depend on how many runs there are.
    let short = simulate(&arms, &policy("thompson", 3), &[100], 3, RewardDelay::None, &Context::seeded(5)).unwrap();
    assert_eq!(short, simulate(&arms, &policy("thompson", 3), &[100], 3, RewardDelay::None, &Context::seeded(5)).unwrap());
    assert_ne!(short, simulate(&arms, &policy("thompson", 3), &[100], 3, RewardDelay::None, &Context::seeded(6)).unwrap());
}

#[test]
fn normal_and_bounded_rewards_are_learned_from_too() {
    let normal = RewardModel::Gaussian { means: vec![-1.0, -0.5, -2.0], sd: 1.0 };
    let thompson: AnyPolicy = ThompsonGaussian::new(3, 0.0, 2.0, 1.0).unwrap().into();
    let simulation = simulate(&normal, &thompson, &[2_000, 4_000], 100, RewardDelay::None, &Context::seeded(3)).unwrap();
    assert!(simulation.last() < 40.0 && slope(&simulation) < 0.3, "{}", simulation.last());
    // Negative rewards, with and without their range.
    let bounded = RewardModel::Bounded { means: vec![-3.0, -2.0], half_width: 1.0 };
    let range = bounded.range().unwrap();
    assert_eq!((range.low, range.high), (-4.0, -1.0));
    let ranged_ucb: AnyPolicy = Ucb::with_range(2, ConfidenceWidth::Logarithm { c: 2.0 }, range).unwrap().into();
    let simulation = simulate(&bounded, &ranged_ucb, &[4_000], 100, RewardDelay::None, &Context::seeded(3)).unwrap();
    assert!(simulation.last() < proven_bound(&ranged_ucb, &bounded, 4_000).unwrap().value && simulation.pulls[1] > 3_500.0);
    let beta: AnyPolicy = ThompsonBeta::with_prior(2, 1.0, 1.0, range).unwrap().into();
    assert!(simulate(&bounded, &beta, &[4_000], 50, RewardDelay::None, &Context::seeded(3)).unwrap().pulls[1] > 3_800.0);
    let message =
        simulate(&bounded, &policy("ucb1", 2), &[10], 1, RewardDelay::None, &Context::seeded(3)).unwrap_err().to_string();
    assert!(message.contains("outside [0, 1]") && message.contains("arm 0"), "{message}");
}

/// An adversary who knows UCB1 pays whatever it does not choose: arms that switch all the time.
#[test]
fn exp3_beats_ucb1_on_a_sequence_built_to_hurt_it() {
    let rounds = 6_000;
    let mut victim = policy("ucb1", 2);
    let mut rng = RngStream::new(0, "adversary", 0);
    let mut rewards = Vec::new();
    for _ in 0..rounds {
        let choice = victim.choose(&[], &mut rng);
        victim.learn(&[], choice, 0.0).unwrap();
        rewards.push((0..2).map(|arm| f64::from(arm != choice.arm)).collect());
    }
    let arms = RewardModel::Adversarial { rewards };
    let ucb1 = simulate(&arms, &policy("ucb1", 2), &[rounds], 1, RewardDelay::None, &Context::seeded(4)).unwrap();
    assert!(ucb1.last() >= 0.49 * rounds as f64, "{}", ucb1.last());
    for exp3 in [Exp3::on_rewards(2, rounds, UNIT).unwrap(), Exp3::on_losses(2, rounds, UNIT).unwrap()] {
        let exp3: AnyPolicy = exp3.into();
        let simulation = simulate(&arms, &exp3, &[rounds], 200, RewardDelay::None, &Context::seeded(4)).unwrap();
        let bound = proven_bound(&exp3, &arms, rounds).unwrap().value;
        assert!(
            simulation.last() <= bound && simulation.last() * 4.0 < ucb1.last(),
            "{} {} {bound}",
            simulation.last(),
            ucb1.last()
        );
    }
}

#[test]
fn policies_that_forget_follow_arms_that_change() {
    // The first arm is the better one, and after half the time the worse: its good old days must be forgotten.
    let rounds = 20_000;
    let row = |t: u64| if t < rounds / 2 { vec![0.6, 0.5] } else { vec![0.4, 0.5] };
    let arms = RewardModel::Adversarial { rewards: (0..rounds).map(row).collect() };
    // Regret against a fixed arm; 1,000 of it less is what the best arm of each half would earn.
    let regret =
        |policy: AnyPolicy| simulate(&arms, &policy, &[rounds], 1, RewardDelay::None, &Context::seeded(5)).unwrap().last();
    let keeps = regret(Ucb::new(2, ConfidenceWidth::Logarithm { c: 0.1 }).unwrap().into());
    let window = regret(SlidingWindowUcb::new(2, 1_000, 0.1, UNIT).unwrap().into());
    let discounted = regret(DiscountedUcb::new(2, 0.998, 0.1, UNIT).unwrap().into());
    assert!(window < keeps - 200.0 && discounted < keeps - 200.0, "{keeps} {window} {discounted}");
    assert!(window > -1_000.0 - 1e-6 && discounted > -1_000.0 - 1e-6);
    let drift = RewardModel::Drift { means: vec![0.5, 0.5], step: 0.01 };
    let regret =
        |policy: AnyPolicy| simulate(&drift, &policy, &[20_000], 50, RewardDelay::None, &Context::seeded(6)).unwrap().last();
    let forgets = regret(SlidingWindowUcb::new(2, 400, 0.6, UNIT).unwrap().into());
    let remembers = regret(policy("ucb1", 2));
    assert!(forgets < 0.9 * remembers, "{forgets} {remembers}");
}

#[test]
fn late_rewards_cost_something_and_not_everything() {
    let arms = coins(&[0.9, 0.6]);
    for name in ["ucb1", "thompson", "exp3", "epsilon"] {
        let run = |delay| simulate(&arms, &policy(name, 2), &[5_000], 200, delay, &Context::seeded(7)).unwrap();
        let (prompt, late, mixed) =
            (run(RewardDelay::None), run(RewardDelay::Fixed(200)), run(RewardDelay::Uniform { mean: 200 }));
        for delayed in [&late, &mixed] {
            // At most the delay times the gap is added while nothing is known, and some for what is learned late.
            let added = delayed.last() - prompt.last();
            assert!(added > -4.0 * (prompt.error(0) + delayed.error(0)) && added < 200.0 * 0.3 * 4.0, "{name}: {added}");
        }
    }
}

/// While rewards are on their way, arms of which nothing is known take turns.
#[test]
fn unknown_arms_take_turns_while_rewards_are_late() {
    for mut policy in every_policy() {
        let mut rng = RngStream::new(1, "turns", 0);
        let chosen: Vec<usize> = (0..6).map(|_| policy.choose(&[1.0, 0.5], &mut rng).arm).collect();
        if let AnyPolicy::Ucb(_) | AnyPolicy::KlUcb(_) | AnyPolicy::SlidingWindowUcb(_) | AnyPolicy::DiscountedUcb(_) = policy {
            assert_eq!(chosen, [0, 1, 2, 0, 1, 2], "{policy:?}");
        }
    }
    assert_eq!(look_rounds(1000, 3), [10, 100, 1000]);
    assert_eq!(look_rounds(1, 50), [1]);
    assert!(look_rounds(7, 100).windows(2).all(|w| w[0] < w[1]) && look_rounds(7, 100).ends_with(&[7]));
}

#[test]
fn linear_policies_learn_the_coefficients_and_regret_grows_like_a_root() {
    let mut rng = RngStream::new(8, "coefficients", 0);
    let coefficients: Vec<Vec<f64>> = (0..5).map(|_| (0..4).map(|_| rng.normal()).collect()).collect();
    let arms = RewardModel::Linear { coefficients: coefficients.clone(), sd: 0.5 };
    let ucb: AnyPolicy = LinUcb::new(5, 4, false, 1.0, 1.0).unwrap().into();
    let thompson: AnyPolicy = LinearThompson::new(5, 4, false, 0.5, 1.0).unwrap().into();
    for (name, policy) in [("linucb", &ucb), ("thompson", &thompson)] {
        let simulation = simulate(&arms, policy, &[2_000, 4_000], 40, RewardDelay::None, &Context::seeded(9)).unwrap();
        assert!(simulation.mean[1] / simulation.mean[0] < 2f64.sqrt() * 1.15, "{name}: {:?}", simulation.mean);
        let blind: AnyPolicy = Stationary::new(vec![0.2; 5]).unwrap().into();
        let uniform = simulate(&arms, &blind, &[4_000], 5, RewardDelay::None, &Context::seeded(9)).unwrap();
        assert!(simulation.last() < 0.05 * uniform.last(), "{name}: {} {}", simulation.last(), uniform.last());
    }
    // Arms of different features under one set of coefficients.
    let mut shared = LinUcb::new(3, 2, true, 1.0, 1.0).unwrap();
    let context = [1.0, 0.0, 0.0, 1.0, 0.7, 0.7];
    for _ in 0..500 {
        let choice = shared.choose(&context, &mut rng);
        let x = &context[2 * choice.arm..2 * choice.arm + 2];
        shared.learn(&context, choice, 0.3 * x[0] + 0.9 * x[1] + 0.1 * rng.normal()).unwrap();
    }
    assert!((shared.coefficients(0)[1] - 0.9).abs() < 0.05);
    assert_eq!(shared.choose(&context, &mut rng).arm, 1);
}

/// Abbasi-Yadkori, Pál, Szepesvári 2011, theorem 2: with probability 1 - δ the truth is in the ellipsoid all the time,
/// `(θ - truth)' A (θ - truth) <= (σ sqrt(2 ln(sqrt(det A / λ^d) / δ)) + sqrt(λ) |truth|)²`.
#[test]
fn the_confidence_ellipsoid_covers_the_truth() {
    let (d, delta, lambda, sd, rounds) = (3, 0.1, 1.0, 0.5, 200);
    let truth = [0.5, -0.5, 0.5];
    let norm = truth.iter().map(|v| v * v).sum::<f64>().sqrt();
    let (mut missed, mut tight) = (0, 0);
    for run in 0..1000 {
        let mut rng = RngStream::new(run, "ellipsoid", 0);
        let mut policy = LinUcb::new(1, d, false, 1.0, lambda).unwrap();
        let mut a = [[lambda, 0.0, 0.0], [0.0, lambda, 0.0], [0.0, 0.0, lambda]];
        let (mut out, mut farthest) = (false, 0.0f64);
        for _ in 0..rounds {
            let x: Vec<f64> = (0..d).map(|_| rng.normal() / (d as f64).sqrt()).collect();
            let mean: f64 = x.iter().zip(truth).map(|(a, b)| a * b).sum();
            policy.learn(&x, ArmChoice { arm: 0, probability: None }, mean + sd * rng.normal()).unwrap();
            (0..d).for_each(|i| (0..d).for_each(|j| a[i][j] += x[i] * x[j]));
            let det = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0])
                + a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
            let radius = sd * (2.0 * (det.sqrt() / lambda.powf(d as f64 / 2.0) / delta).ln()).sqrt() + lambda.sqrt() * norm;
            let off: Vec<f64> = policy.coefficients(0).iter().zip(truth).map(|(a, b)| a - b).collect();
            let distance: f64 = (0..d).map(|i| (0..d).map(|j| off[i] * a[i][j] * off[j]).sum::<f64>()).sum();
            out |= distance > radius * radius;
            farthest = farthest.max(distance.sqrt() / radius);
        }
        missed += usize::from(out);
        tight += usize::from(farthest > 0.5);
    }
    assert!(missed <= 100, "{missed} of 1000");
    // The ellipsoid is no empty promise: many runs come at least half the way to its edge.
    assert!(tight >= 200, "{tight} of 1000");
}

#[test]
fn sets_and_the_best_few_are_found() {
    let means = [0.8, 0.7, 0.6, 0.4, 0.3, 0.2];
    let arms = coins(&means);
    let policy = Cucb::new(6, 2, UNIT).unwrap();
    let simulation = simulate_sets(&arms, &policy, &[5_000, 10_000], 50, &Context::seeded(10)).unwrap();
    assert!((simulation.mean[1] - simulation.mean[0]) / simulation.mean[0] < 0.4, "{:?}", simulation.mean);
    assert!(simulation.pulls[0] > 8_500.0 && simulation.pulls[1] > 7_500.0, "{:?}", simulation.pulls);
    let bound = set_bound(&arms, &policy, 10_000).unwrap().value;
    // (6 * 4 * ln 10^4 / 0.01 + π²/3 + 1) * 6 * 1.0: the worst set of two earns 1.0 less than the best, the nearest 0.1 less.
    assert!((bound - (6.0 * 4.0 * 10_000f64.ln() / 0.01 + std::f64::consts::PI.powi(2) / 3.0 + 1.0) * 6.0).abs() < 1e-6 * bound);
    assert!(simulation.last() <= bound, "{} {bound}", simulation.last());
    let draws = |seed: u64| {
        let mut rng = RngStream::new(seed, "top", 0);
        move |arm: usize| f64::from(rng.uniform() < means[arm])
    };
    let (mut hits, mut sure, mut samples) = (0, 0, 0);
    for seed in 0..200 {
        let by_budget = successive_accepts_rejects(6, 3, 1_200, UNIT, &mut draws(seed)).unwrap();
        hits += usize::from(by_budget.arms == [0, 1, 2]);
        assert!(by_budget.pulls.iter().sum::<u64>() <= 1_200, "{:?}", by_budget.pulls);
        let by_confidence = lucb(6, 3, 0.1, 0.0, 100_000, UNIT, &mut draws(seed + 1_000)).unwrap();
        assert!(by_confidence.confident);
        sure += usize::from(by_confidence.arms == [0, 1, 2]);
        samples += by_confidence.pulls.iter().sum::<u64>();
    }
    assert!(hits >= 190, "{hits} of 200");
    // The proof promises 180.
    assert!(sure >= 180, "{sure} of 200");
    assert!(samples / 200 < 10_000);
    // Gaps to the border are 0.2, 0.3 and 0.4 on either side: H = 2 (1/0.2² + 1/0.3² + 1/0.4²).
    let hardness = 2.0 * (1.0 / 0.04 + 1.0 / 0.09 + 1.0 / 0.16);
    let most = lucb_bound(&means, 3, 0.1, 0.0, UNIT);
    assert!((most - (292.0 * hardness * (hardness / 0.1f64).ln() + 16.0)).abs() < 1e-6 * most);
    assert!(((samples / 200) as f64) < most);
    let likely = accepts_rejects_bound(&means, 3, 20_000, UNIT);
    // Gaps 0.2, 0.2, 0.3, 0.3, 0.4, 0.4: the largest i / Δ(i)² is 2 / 0.2² = 50.
    let exponent = (20_000.0 - 6.0) / (8.0 * (0.5 + 0.5 + 1.0 / 3.0 + 0.25 + 0.2 + 1.0 / 6.0) * 50.0);
    assert!((likely - 72.0 * f64::exp(-exponent)).abs() < 1e-9, "{likely}");
    let wrong = (0..50).filter(|&s| successive_accepts_rejects(6, 3, 20_000, UNIT, &mut draws(s)).unwrap().arms != [0, 1, 2]);
    assert!(wrong.count() as f64 / 50.0 <= likely + 0.02);
    assert_eq!(accepts_rejects_bound(&means, 3, 6, UNIT), 1.0);
    assert_eq!(accepts_rejects_bound(&means, 6, 100, UNIT), 0.0);
    assert!(lucb(6, 3, 0.1, 0.0, 20, UNIT, &mut draws(1)).is_ok_and(|t| !t.confident));
    for (arms, m) in [(0, 1), (3, 0), (3, 4)] {
        assert!(lucb(arms, m, 0.1, 0.0, 100, UNIT, &mut draws(1)).is_err());
        assert!(successive_accepts_rejects(arms, m, 100, UNIT, &mut draws(1)).is_err());
    }
    assert!(successive_accepts_rejects(6, 3, 5, UNIT, &mut draws(1)).is_err());
    assert!(lucb(2, 1, 0.1, 0.0, 100, UNIT, &mut |_| f64::NAN).unwrap_err().to_string().contains("NaN"));
    assert_eq!(lucb(2, 2, 0.1, 0.0, 100, UNIT, &mut |_| 0.5).unwrap().arms, [0, 1]);
}

fn every_policy() -> Vec<AnyPolicy> {
    vec![
        Stationary::new(vec![0.2, 0.3, 0.5]).unwrap().into(),
        ExploreThenCommit::new(3, 5).unwrap().into(),
        EpsilonGreedy::new(3, DecaySchedule::Constant(0.2)).unwrap().into(),
        policy("ucb1", 3),
        Ucb::new(3, ConfidenceWidth::Moss { rounds: 1000 }).unwrap().into(),
        Ucb::new(3, ConfidenceWidth::Confidence { rounds: 1000, delta: 0.01 }).unwrap().into(),
        policy("kl-ucb", 3),
        policy("thompson", 3),
        ThompsonGaussian::new(3, 0.0, 1.0, 0.5).unwrap().into(),
        policy("exp3", 3),
        policy("exp3-losses", 3),
        LinUcb::new(3, 2, false, 0.5, 1.0).unwrap().into(),
        LinearThompson::new(3, 2, false, 0.5, 1.0).unwrap().into(),
        SlidingWindowUcb::new(3, 20, 2.0, UNIT).unwrap().into(),
        DiscountedUcb::new(3, 0.9, 2.0, UNIT).unwrap().into(),
    ]
}

/// A policy that is saved and loaded half-way continues as if uninterrupted; broken states and rewards are errors.
#[test]
fn policies_are_saved_resumed_and_guarded() {
    for mut whole in every_policy() {
        let mut rng = RngStream::new(11, "rewards", 0);
        let mut policy_rng = RngStream::new(11, "policy", 0);
        let mut resumed = whole.clone();
        for round in 0..200 {
            let context = [1.0, rng.normal()];
            let (choice, other) = (whole.choose(&context, &mut policy_rng.clone()), resumed.choose(&context, &mut policy_rng));
            assert_eq!(choice, other);
            assert!(choice.arm < 3 && choice.probability.is_none_or(|p| p > 0.0 && p <= 1.0));
            let reward = f64::from(rng.uniform() < 0.2 * (choice.arm + 1) as f64);
            whole.learn(&context, choice, reward).unwrap();
            resumed.learn(&context, choice, reward).unwrap();
            if round % 37 == 0 {
                resumed = AnyPolicy::load(&resumed.save().unwrap()).unwrap();
            }
        }
        assert_eq!(whole, resumed);
        let before = whole.clone();
        let choice = ArmChoice { arm: 1, probability: Some(0.5) };
        for reward in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let message = whole.learn(&[1.0, 0.0], choice, reward).unwrap_err().to_string();
            assert!(message.contains("arm 1") && message.contains("finite"), "{message}");
        }
        assert!(whole.learn(&[1.0, 0.0], ArmChoice { arm: 3, probability: Some(0.5) }, 0.5).is_err());
        assert_eq!(before, whole, "a refused reward changes nothing");
        let text = whole.save().unwrap();
        for (from, to) in [("[", "[1e999,"), ("\"policy\"", "\"police\""), ("{", "{\"x\":")] {
            let broken = text.replacen(from, to, 1);
            assert!(broken == text || AnyPolicy::load(&broken).is_err(), "{broken}");
        }
    }
    let mut exp3 = policy("exp3", 3);
    let message = exp3.learn(&[], ArmChoice { arm: 0, probability: None }, 1.0).unwrap_err().to_string();
    assert!(message.contains("missing"), "{message}");
    let mut linear = LinUcb::new(3, 2, false, 0.5, 1.0).unwrap();
    let choice = linear.choose(&[1.0], &mut RngStream::new(0, "short", 0));
    assert!(linear.learn(&[1.0], choice, 1.0).is_err());
    assert!(linear.learn(&[1.0, f64::NAN], choice, 1.0).is_err());
}

#[test]
fn nonsense_is_refused() {
    assert!(Ucb::new(0, ConfidenceWidth::Logarithm { c: 2.0 }).unwrap_err().to_string().contains("no arms"));
    assert!(ThompsonBeta::new(0).is_err() && KlUcb::new(0, 0.0).is_err() && Exp3::on_rewards(0, 10, UNIT).is_err());
    assert!(ExploreThenCommit::new(0, 1).is_err() && ExploreThenCommit::new(2, 0).is_err());
    assert!(LinUcb::new(0, 2, false, 1.0, 1.0).is_err() && LinUcb::new(2, 0, false, 1.0, 1.0).is_err());
    assert!(Ucb::new(5, ConfidenceWidth::Moss { rounds: 5 }).is_err());
    assert!(Ucb::new(2, ConfidenceWidth::Confidence { rounds: 100, delta: 0.0 }).is_err());
    assert!(SlidingWindowUcb::new(5, 4, 2.0, UNIT).is_err() && DiscountedUcb::new(2, 1.0, 2.0, UNIT).is_err());
    assert!(Stationary::new(vec![0.5, 0.4]).unwrap_err().to_string().contains("0.9"));
    assert!(EpsilonGreedy::new(2, DecaySchedule::Constant(-0.1)).is_err());
    assert!(Cucb::new(3, 4, UNIT).is_err());
    for arms in [
        coins(&[]),
        coins(&[0.5, 1.5]),
        coins(&[0.5, f64::NAN]),
        RewardModel::Gaussian { means: vec![0.0, f64::INFINITY], sd: 1.0 },
        RewardModel::Gaussian { means: vec![0.0, 0.0], sd: -1.0 },
        RewardModel::Adversarial { rewards: vec![vec![0.0, 1.0], vec![0.0]] },
        RewardModel::Adversarial { rewards: vec![] },
        RewardModel::Linear { coefficients: vec![vec![], vec![]], sd: 1.0 },
    ] {
        assert!(simulate(&arms, &policy("ucb1", 2), &[10], 1, RewardDelay::None, &Context::seeded(0)).is_err(), "{arms:?}");
    }
    let fine = coins(&[0.5, 0.4]);
    assert!(simulate(&fine, &policy("ucb1", 3), &[10], 1, RewardDelay::None, &Context::seeded(0)).is_err());
    assert!(simulate(&fine, &policy("ucb1", 2), &[], 1, RewardDelay::None, &Context::seeded(0)).is_err());
    assert!(simulate(&fine, &policy("ucb1", 2), &[10, 5], 1, RewardDelay::None, &Context::seeded(0)).is_err());
    // One arm is a valid problem.
    for name in ["ucb1", "kl-ucb", "thompson", "exp3", "exp3-losses", "epsilon"] {
        assert_eq!(
            simulate(&coins(&[0.3]), &policy(name, 1), &[50], 2, RewardDelay::None, &Context::seeded(0)).unwrap().last(),
            0.0
        );
    }
}

#[test]
fn the_comparison_holds_bound_and_line_in_one_table() {
    let arms = coins(&[0.6, 0.5]);
    let policies = [("UCB1".into(), policy("ucb1", 2).into()), ("KL-UCB".into(), policy("kl-ucb", 2).into())];
    let cx = Context::seeded(1);
    let comparison = compare(&arms, &policies, &[500, 1000], 50, RewardDelay::None, &cx).unwrap();
    let report = comparison.report();
    let Section::Table { columns, rows, .. } = &report.sections[0] else { panic!("a table first") };
    assert_eq!((rows.len(), columns.len(), rows[0].len()), (2, 8, 8));
    let regret = comparison.policies[0].simulation.last();
    assert_eq!(rows[0][1], Cell::Number(regret));
    assert!(matches!(rows[0][5], Cell::Number(b) if b > regret) && rows[1][5] == Cell::Empty);
    assert!(matches!(rows[1][6], Cell::Number(line) if line > 0.0));
    let Section::Plot { curves, .. } = &report.sections[2] else { panic!("then pulls and a plot") };
    assert_eq!(
        curves.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(),
        ["UCB1", "KL-UCB", "bound of UCB1", "Lai and Robbins"]
    );
    // Late rewards have no proven bound, and sets compete with sets.
    let late = compare(&arms, &policies, &[500], 5, RewardDelay::Fixed(3), &cx).unwrap();
    assert!(late.policies.iter().all(|p| p.bound.is_none()));
    let mixed = [policies[0].clone(), ("CUCB".into(), Cucb::new(2, 1, UNIT).unwrap().into())];
    assert!(compare(&arms, &mixed, &[500], 5, RewardDelay::None, &cx).is_err());
    // A simulation that is to stop stops.
    let stop = |_: &ermine_core::Progress| ermine_core::Flow::Stop;
    let cx = Context { observer: Some(&stop), ..Context::default() };
    assert!(matches!(compare(&arms, &policies, &[500], 5, RewardDelay::None, &cx), Err(ermine_core::Error::Stopped(_))));
}

#[test]
fn samplers_have_their_moments() {
    let mut rng = RngStream::new(12, "moments", 0);
    let n = 100_000;
    for (a, b) in [(0.3, 0.7), (1.0, 1.0), (2.5, 40.0), (1e-3, 1e-3)] {
        let draws: Vec<f64> = (0..n).map(|_| draw_beta(a, b, &mut rng)).collect();
        let mean = draws.iter().sum::<f64>() / f64::from(n);
        let (m, v) = (a / (a + b), a * b / ((a + b) * (a + b) * (a + b + 1.0)));
        assert!((mean - m).abs() < 5.0 * (v / f64::from(n)).sqrt(), "beta({a}, {b}): {mean} for {m}");
        let gamma = (0..n).map(|_| draw_gamma(a, &mut rng)).sum::<f64>() / f64::from(n);
        assert!((gamma - a).abs() < 5.0 * (a / f64::from(n)).sqrt(), "gamma({a}): {gamma}");
    }
}
