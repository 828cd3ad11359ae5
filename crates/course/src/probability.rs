//! Chapter 13: probability and risk.

use ermine_core::{Mat, Result};
use ermine_math::probability::bayes::{
    BoxClasses, ClassLaw, GaussianClasses, RegressionLaw, TableLaw, bayes_risk_of_two_gaussians, consistency_curve, excess_risk,
    simulated_bayes_risk,
};
use ermine_math::probability::{
    Bernoulli, Cauchy, Distribution, Exponential, Gamma, Gaussian, cross_entropy, divergence, entropy, mutual_information,
};
use ermine_report::chart::{Chart, Series};

use crate::algebra::{mean, mean_and_error};
use crate::check::TheoremCheck;
use crate::theorem::{Chapter, Theorem, TheoremRun, real, whole};

pub(crate) const CHAPTER: Chapter = Chapter {
    number: 13,
    title: "Probability and risk",
    theorems: &[
        Theorem::new(
            "T13.1",
            "Bayes: P(A|B) = P(B|A)P(A)/P(B), and the posterior sums to 1",
            "002 §1.1.1",
            "probability::bayes::TableLaw",
            &[
                real("prevalence", 0.01, 0.0001, 0.5, "P(ill)"),
                real("sensitivity", 0.95, 0.5, 1.0, "P(positive | ill)"),
                real("specificity", 0.9, 0.5, 0.999, "P(negative | healthy)"),
            ],
            false,
            bayes,
        ),
        Theorem::new(
            "T13.2",
            "Var X = E(X−EX)² = EX² − (EX)², and Var(X+Y) = Var X + Var Y + 2 Cov(X, Y)",
            "002 §1.1.2",
            "algorithm in the open",
            &[whole("n", 200, 10, 2000, "pairs"), real("rho", 0.5, -0.95, 0.95, "correlation")],
            false,
            variance,
        ),
        Theorem::new(
            "T13.3",
            "Chebyshev: P(|X̄−μ| ≥ ε) ≤ σ²/(nε²)",
            "002 §1.2.1",
            "Gamma, Exponential",
            &[
                whole("n", 30, 5, 200, "values in a mean"),
                real("epsilon", 0.3, 0.05, 1.0, "ε"),
                whole("draws", 2000, 500, 4000, "means drawn"),
            ],
            false,
            chebyshev,
        ),
        Theorem::new(
            "T13.4",
            "The law of large numbers: X̄ → μ where the mean exists",
            "002 §1.2.1; 001 §11.1",
            "Exponential, Cauchy",
            &[whole("n", 4000, 1000, 20000, "values")],
            false,
            large_numbers,
        ),
        Theorem::new(
            "T13.5",
            "Central limit: √n(X̄−μ)/σ tends to a normal law; Berry and Esseen: sup|F_n − Φ| ≤ 0.4748 E|X−μ|³/(σ³√n)",
            "002 §1.2.2",
            "Gamma, Gaussian",
            &[whole("n", 30, 2, 500, "values in a mean")],
            false,
            central_limit,
        ),
        Theorem::new(
            "T13.6",
            "0 ≤ H ≤ ln K, KL ≥ 0, cross-entropy = H + KL, mutual information ≥ 0",
            "002 §4.1.2; 003 §4.2",
            "probability::{entropy, divergence, mutual_information}",
            &[whole("k", 5, 2, 20, "outcomes")],
            false,
            information,
        ),
        Theorem::new(
            "T13.7",
            "Under squared loss f* = E[y|x] and R* = E Var(y|x); under 0–1 loss the largest posterior and R* = 1 − E max p",
            "001 §11.1.1; 002 §2.2.1",
            "probability::bayes",
            &[
                real("rule", 0.3, -2.0, 2.0, "the reader's threshold, and shift of the reader's function"),
                whole("draws", 4000, 1000, 20000, "rows drawn"),
            ],
            false,
            best_rules,
        ),
        Theorem::new(
            "T13.8",
            "Two Gaussians with a shared covariance and equal priors have the Bayes risk Φ(−Δ/2)",
            "002 §9.1; 001 §13.2",
            "bayes_risk_of_two_gaussians",
            &[real("delta", 2.0, 0.2, 5.0, "Mahalanobis distance"), whole("draws", 8000, 2000, 20000, "rows drawn")],
            false,
            gaussian_risk,
        ),
        Theorem::new(
            "T13.9",
            "For M fixed rules sup|R̂ − R| ≤ √(ln(2M/δ)/(2n)) with probability 1 − δ; for a chosen rule one rule's law does not do",
            "002 §1.2.3; 001 §11.1",
            "algorithm in the open",
            &[
                whole("n", 100, 20, 500, "rows"),
                whole("rules", 50, 2, 200, "M"),
                real("delta", 0.1, 0.01, 0.5, "δ"),
                whole("draws", 300, 100, 500, "samples"),
            ],
            false,
            uniform_bound,
        ),
        Theorem::new(
            "T13.10",
            "A method is consistent if its excess risk tends to 0 with n; a class that lacks the Bayes rule stalls",
            "002 §1.2.3",
            "consistency_curve, excess_risk",
            &[whole("n", 40, 20, 100, "rows at first; sixteen times as many at last")],
            false,
            consistency,
        ),
    ],
};

fn bayes(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (p, hit, pass) = (run.real("prevalence"), run.real("sensitivity"), run.real("specificity"));
    // Columns: ill, healthy. Rows: positive, negative.
    let law = TableLaw::new(Mat::from_vec(2, 2, vec![p * hit, (1.0 - p) * (1.0 - pass), p * (1.0 - hit), (1.0 - p) * pass]))?;
    let positive = p * hit + (1.0 - p) * (1.0 - pass);
    let mut check = TheoremCheck::new();
    if !check.given("P(B) > 0", positive > 0.0) {
        return Ok(check);
    }
    let posterior = law.posterior(&[0.0]).unwrap_or_default();
    check.equal("posterior of being ill from the table against the formula", posterior[0], p * hit / positive, 1e-12);
    check.equal("sum of the posterior", posterior.iter().sum(), 1.0, 1e-12);
    check.note(format!("of 1000 people {:.1} are positive, and {:.1} of these are ill", 1000.0 * positive, 1000.0 * p * hit));
    Ok(check)
}

fn variance(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, rho) = (run.whole("n"), run.real("rho"));
    let mut stream = run.stream(0);
    let x: Vec<f64> = (0..n).map(|_| 1.0 + stream.normal()).collect();
    let y: Vec<f64> = x.iter().map(|x| rho * x + (1.0 - rho * rho).sqrt() * stream.normal()).collect();
    let cov = |a: &[f64], b: &[f64]| {
        let (ma, mb) = (mean(a), mean(b));
        a.iter().zip(b).map(|(a, b)| (a - ma) * (b - mb)).sum::<f64>() / n as f64
    };
    let sum: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
    let squares: Vec<f64> = x.iter().map(|x| x * x).collect();
    let mut check = TheoremCheck::new();
    check.assume("second moments are finite", true);
    check.equal("E(X−EX)² against EX² − (EX)²", cov(&x, &x), mean(&squares) - mean(&x).powi(2), 1e-10);
    check.equal("Var(X+Y) against Var X + Var Y + 2 Cov", cov(&sum, &sum), cov(&x, &x) + cov(&y, &y) + 2.0 * cov(&x, &y), 1e-10);
    let m = mean(&x);
    check.misprint("Var X = E(X − EX)", cov(&x, &x), x.iter().map(|v| v - m).sum::<f64>() / n as f64);
    Ok(check)
}

fn chebyshev(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, epsilon) = (run.whole("n") as f64, run.real("epsilon"));
    // The sum of n exponential values is a gamma value.
    let law = Gamma { shape: n, scale: 1.0 / n };
    let exact = law.cdf(1.0 - epsilon) + law.sf(1.0 + epsilon);
    let bound = (1.0 / (n * epsilon * epsilon)).min(1.0);
    let mut stream = run.stream(0);
    let off: Vec<f64> = (0..run.whole("draws")).map(|_| f64::from((law.draw(&mut stream) - 1.0).abs() >= epsilon)).collect();
    let mut check = TheoremCheck::new();
    check.assume("the variance is finite", true);
    check.at_most("P(|X̄−μ| ≥ ε), exactly, against the bound", exact, bound);
    let (share, error) = mean_and_error(&off);
    check.simulated(
        "share of drawn means that are off, and the exact probability",
        (share, error.max((exact * (1.0 - exact) / off.len() as f64).sqrt())),
        exact,
    );
    if bound < 1.0 {
        check.misprint("Chebyshev as an equation", exact, bound);
    }
    Ok(check)
}

fn running_means(law: &dyn Distribution, n: usize, run: &TheoremRun<'_>) -> Vec<f64> {
    let (mut stream, mut sum) = (run.stream(3), 0.0);
    (1..=n)
        .map(|i| {
            sum += law.draw(&mut stream);
            sum / i as f64
        })
        .collect()
}

fn large_numbers(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let n = run.whole("n");
    let means = running_means(&Exponential { rate: 1.0 }, n, run);
    let wild = running_means(&Cauchy { median: 0.0, scale: 1.0 }, n, run);
    // The farthest that the running mean is off in the second tenth, and in the last tenth.
    let off = |m: &[f64], from: usize, to: usize| m[from..to].iter().map(|v| (v - 1.0).abs()).fold(0.0, f64::max);
    let mut check = TheoremCheck::new();
    check.assume("the mean exists", true);
    check.trend("farthest from the mean, early and late", off(&means, n / 100, n / 10), off(&means, 9 * n / 10, n));
    let range = |m: &[f64]| m.iter().copied().fold(f64::NEG_INFINITY, f64::max) - m.iter().copied().fold(f64::INFINITY, f64::min);
    check.note(format!(
        "the Cauchy law has no mean: in the last half its running means still move by {:.3}",
        range(&wild[n / 2..])
    ));
    let curve = |m: &[f64]| {
        m.iter().enumerate().step_by((n / 200).max(1)).map(|(i, v)| ((i + 1) as f64, v.clamp(-5.0, 5.0))).collect::<Vec<_>>()
    };
    check.draw(
        Chart::new("Running means", "values", "mean")
            .log_x()
            .with(Series::line("exponential", curve(&means)))
            .with(Series::line("Cauchy", curve(&wild))),
    );
    Ok(check)
}

fn central_limit(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let n = run.whole("n") as f64;
    let law = Gamma { shape: n, scale: 1.0 };
    let normal = Gaussian { mean: 0.0, sd: 1.0 };
    let distance = |law: &Gamma, n: f64| {
        (-400..=400).map(|k| f64::from(k) / 100.0).map(|z| (law.cdf(n + z * n.sqrt()) - normal.cdf(z)).abs()).fold(0.0, f64::max)
    };
    // E|X − 1|³ of the exponential law is 12/e − 2.
    let third = 12.0 / std::f64::consts::E - 2.0;
    let d = distance(&law, n);
    let mut check = TheoremCheck::new();
    check.assume("the third moment is finite", true);
    check.at_most("distance of the standardized mean from the normal law against the bound", d, 0.4748 * third / n.sqrt());
    let four = distance(&Gamma { shape: 4.0 * n, scale: 1.0 }, 4.0 * n);
    check.trend("distance at n and at 4n", d, four);
    let wrong = |z: f64| law.cdf(n + z * n.sqrt()) - (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
    check.misprint("the density φ as the limit; the difference at z = 1, against 0", wrong(1.0).abs(), 0.0);
    Ok(check)
}

fn information(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let k = run.whole("k");
    let mut stream = run.stream(0);
    let mut law = |n: usize| {
        let v: Vec<f64> = (0..n).map(|_| 0.05 + stream.uniform()).collect();
        let total: f64 = v.iter().sum();
        v.into_iter().map(|v| v / total).collect::<Vec<f64>>()
    };
    let (p, q, joint) = (law(k), law(k), law(2 * k));
    let mut check = TheoremCheck::new();
    check.assume("q > 0 where p > 0", true);
    check.equal("cross-entropy against H + KL", cross_entropy(&p, &q), entropy(&p) + divergence(&p, &q), 1e-12);
    check.at_most("0 against H", 0.0, entropy(&p));
    check.at_most("H against ln K", entropy(&p), (k as f64).ln());
    check.at_most("0 against KL", 0.0, divergence(&p, &q));
    check.at_most("0 against the mutual information", 0.0, mutual_information(&joint, 2));
    Ok(check)
}

fn best_rules(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (rule, draws) = (run.real("rule"), run.whole("draws"));
    let law = GaussianClasses::on_line(&[0.5, 0.5], &[-1.0, 1.0], &[1.0, 1.0])?;
    let best = bayes_risk_of_two_gaussians(2.0, 0.5);
    let phi = |z: f64| Gaussian { mean: 0.0, sd: 1.0 }.cdf(z);
    let mut check = TheoremCheck::new();
    check.assume("the law is known", true);
    check.at_most("R* against the risk of the reader's threshold, exactly", best, 0.5 * (phi(-(rule + 1.0)) + phi(rule - 1.0)));
    let excess = excess_risk(&law, &mut |x| usize::from(x[0] > rule), draws, run.seed());
    check.simulated(
        "its excess risk, simulated",
        (excess.mean, excess.standard_error),
        0.5 * (phi(-(rule + 1.0)) + phi(rule - 1.0)) - best,
    );
    let boxes = BoxClasses::new(&[0.5, 0.5], vec![(vec![0.0], vec![2.0]), (vec![1.0], vec![3.0])])?;
    let risk = simulated_bayes_risk(&boxes, draws, run.seed());
    check.simulated("two boxes: 1 − E max p", (risk.mean, risk.standard_error), boxes.bayes_risk());
    let law = RegressionLaw { draw_row: &|s| vec![s.uniform()], function: &|x| (6.0 * x[0]).sin(), noise: &|x| 0.2 + x[0] };
    let noise = law.bayes_risk(draws, run.seed());
    // ∫ (0.2 + x)² dx.
    check.simulated("regression: E Var(y|x)", (noise.mean, noise.standard_error), (1.2f64.powi(3) - 0.2f64.powi(3)) / 3.0);
    let shifted = law.excess_risk(&mut |x| (6.0 * x[0]).sin() + rule, draws, run.seed());
    check.equal("what a shift of the best function costs", shifted.mean, rule * rule, 1e-9);
    Ok(check)
}

fn gaussian_risk(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let delta = run.real("delta");
    let covariance = Mat::from_vec(2, 2, vec![2.0, 0.8, 0.8, 1.0]);
    // A direction of Mahalanobis length 1: e₁/√(Σ⁻¹)₁₁, (Σ⁻¹)₁₁ = 1/(2 − 0.64).
    let step = delta * (2.0f64 - 0.64).sqrt();
    let law = GaussianClasses::shared(&[0.5, 0.5], &[vec![0.0, 0.0], vec![step, 0.0]], &covariance)?;
    let formula = Gaussian { mean: 0.0, sd: 1.0 }.cdf(-0.5 * delta);
    let risk = simulated_bayes_risk(&law, run.whole("draws"), run.seed());
    let mut check = TheoremCheck::new();
    check.assume("equal priors and one covariance", true);
    check.simulated("simulated Bayes risk and Φ(−Δ/2)", (risk.mean, risk.standard_error), formula);
    check.equal("the engine's closed form against Φ(−Δ/2)", bayes_risk_of_two_gaussians(delta, 0.5), formula, 1e-14);
    Ok(check)
}

fn uniform_bound(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, rules, delta) = (run.whole("n"), run.whole("rules"), run.real("delta"));
    let width = ((2.0 * rules as f64 / delta).ln() / (2.0 * n as f64)).sqrt();
    let coin = Bernoulli { p: 0.5 };
    let mut stream = run.stream(0);
    let (mut off, mut chosen, mut fixed) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..run.whole("draws") {
        // Rules that guess: each has the true risk ½.
        let risks: Vec<f64> = (0..rules).map(|_| (0..n).map(|_| coin.draw(&mut stream)).sum::<f64>() / n as f64).collect();
        let sup = risks.iter().map(|r| (r - 0.5).abs()).fold(0.0, f64::max);
        off.push(f64::from(sup > width));
        chosen.push(risks.iter().copied().fold(1.0, f64::min));
        fixed.push(risks[0]);
    }
    let mut check = TheoremCheck::new();
    check.assume("loss from 0 to 1, finitely many rules", true);
    check.simulated_at_most("share of samples with sup|R̂−R| above the bound, against δ", mean_and_error(&off), delta);
    check.simulated("a fixed rule: mean empirical risk and its risk", mean_and_error(&fixed), 0.5);
    check.misprint_at_most(
        "the law of large numbers for the rule of least empirical risk: its risk against its mean empirical risk",
        0.5,
        mean(&chosen),
    );
    Ok(check)
}

fn consistency(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let first = run.whole("n");
    let law = GaussianClasses::on_line(&[0.5, 0.5], &[-1.0, 1.0], &[1.0, 2.0])?;
    let sizes = [first, 2 * first, 4 * first, 8 * first, 16 * first];
    let draw = |n: usize, r: u64| {
        let mut stream = run.stream(10 + r + 1000 * n as u64);
        let mut rows: Vec<(f64, usize)> = (0..n).map(|_| law.draw(&mut stream)).map(|(x, c)| (x[0], c)).collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        rows
    };
    // Nearest neighbors, k = √n, on a line: the k nearest are consecutive.
    let mut nearest = |n: usize, r: u64| {
        let (rows, k) = (draw(n, r), (n as f64).sqrt() as usize | 1);
        let mut vote = |x: &[f64]| {
            let mut low = rows.partition_point(|row| row.0 < x[0]).saturating_sub(k).min(n - k);
            while low + k < n && rows[low + k].0 - x[0] < x[0] - rows[low].0 {
                low += 1;
            }
            usize::from(2 * rows[low..low + k].iter().map(|r| r.1).sum::<usize>() > k)
        };
        Ok(excess_risk(&law, &mut vote, 300, r).mean)
    };
    let knn = consistency_curve(&sizes, 12, &mut nearest)?;
    // A threshold halfway between the class means: the Bayes rule has two thresholds.
    let mut halfway = |n: usize, r: u64| {
        let rows = draw(n, r);
        let center = |c: usize| mean(&rows.iter().filter(|r| r.1 == c).map(|r| r.0).collect::<Vec<_>>());
        let cut = 0.5 * (center(0) + center(1));
        Ok(excess_risk(&law, &mut |x| usize::from(x[0] > cut), 300, r).mean)
    };
    let line = consistency_curve(&sizes, 12, &mut halfway)?;
    let mut check = TheoremCheck::new();
    check.suppose("a limit from finite n");
    check.trend("excess risk of nearest neighbors, k = √n, at n and at 16 n", knn[0].1.mean, knn[4].1.mean);
    check.note(format!("a single threshold stalls at {:.4} ± {:.4}", line[4].1.mean, line[4].1.standard_error));
    let curve = |c: &[(usize, ermine_math::probability::bayes::SimulatedMean)]| {
        c.iter().map(|(n, m)| (*n as f64, m.mean)).collect::<Vec<_>>()
    };
    check.draw(
        Chart::new("Excess risk", "rows", "excess risk")
            .log_x()
            .with(Series::line("k = √n neighbors", curve(&knn)))
            .with(Series::line("one threshold", curve(&line))),
    );
    Ok(check)
}
