//! Chapter 5: evaluation and decisions.

use ermine_core::{Mat, Result, RngStream};
use ermine_eval::decide::{CostMatrix, threshold_for_fpr};
use ermine_eval::metrics::{roc_auc, wilson};
use ermine_math::probability::bayes::LikelihoodRatioTest;
use ermine_math::probability::{Distribution, Gaussian};
use ermine_report::chart::{Chart, Series};

use crate::algebra::{dot, least_squares, mean_and_error};
use crate::check::TheoremCheck;
use crate::theorem::{Chapter, Theorem, TheoremRun, real, whole};

pub(crate) const CHAPTER: Chapter = Chapter {
    number: 5,
    title: "Evaluation and decisions",
    theorems: &[
        Theorem::new(
            "T5.1",
            "The cross-validated score has the expectation of the risk of a fit to n(1 − 1/K) rows",
            "000 L4; 001 §4.1; 002 §2.3.1",
            "algorithm in the open",
            &[
                whole("n", 30, 20, 60, "rows; a multiple of the folds is taken"),
                whole("folds", 5, 2, 10, "folds"),
                whole("draws", 400, 200, 800, "samples"),
            ],
            false,
            cross_validation,
        ),
        Theorem::new(
            "T5.2",
            "The area under the ROC curve is P(s₊ > s₋) + ½P(s₊ = s₋)",
            "001 §6.1; 003 §1.2",
            "metrics::roc_auc",
            &[
                whole("n", 80, 10, 300, "rows"),
                real("gap", 1.0, 0.0, 4.0, "distance of the scores"),
                whole("ties", 5, 1, 20, "values per unit of the score: few make ties"),
            ],
            false,
            area,
        ),
        Theorem::new(
            "T5.3",
            "Neyman and Pearson: no test of the same size has more power than the likelihood ratio",
            "001 §12.1, 12.3",
            "LikelihoodRatioTest",
            &[
                real("gap", 1.5, 0.3, 3.0, "distance of the means"),
                real("sd", 1.5, 0.6, 2.5, "standard deviation of the alternative"),
                real("cut", 1.0, -1.0, 2.5, "the reader's test rejects above this"),
            ],
            false,
            neyman_pearson,
        ),
        Theorem::new(
            "T5.4",
            "A threshold at an order statistic of fresh negatives keeps the false-positive rate below α with probability 1 − δ",
            "001 §12.3",
            "decide::threshold_for_fpr",
            &[
                whole("n", 150, 100, 400, "negatives"),
                real("alpha", 0.1, 0.05, 0.3, "α"),
                real("delta", 0.1, 0.05, 0.3, "δ"),
                whole("draws", 600, 300, 1000, "samples"),
            ],
            false,
            order_statistic,
        ),
        Theorem::new(
            "T5.5",
            "The expected cost is least if the call is positive where p ≥ c_FP / (c_FP + c_FN)",
            "001 §12.2",
            "CostMatrix::threshold",
            &[real("fp", 1.0, 0.1, 10.0, "cost of a false positive"), real("fn", 4.0, 0.1, 10.0, "cost of a false negative")],
            false,
            cost_threshold,
        ),
        Theorem::new(
            "T5.6",
            "Chow: decline where the largest posterior is below 1 − c; from c = 1 − 1/K on this is never",
            "001 §12.2",
            "CostMatrix::with_abstention",
            &[
                real("cost", 0.2, 0.01, 0.9, "cost of declining"),
                whole("k", 3, 2, 8, "classes"),
                whole("n", 500, 100, 2000, "rows"),
            ],
            false,
            chow,
        ),
        Theorem::new(
            "T5.7",
            "The best of M models on one validation set looks better than it is",
            "002 §1.2.3; 000 L4",
            "algorithm in the open",
            &[
                whole("models", 20, 2, 100, "M"),
                whole("n", 50, 20, 200, "validation rows"),
                whole("draws", 500, 200, 1000, "validation sets"),
            ],
            false,
            optimism,
        ),
        Theorem::new(
            "T5.8",
            "Hoeffding: |R̂ − R| ≤ √(ln(2/δ)/(2n)) with probability 1 − δ, for a fixed rule",
            "002 §1.2.3; 001 §6",
            "metrics::wilson",
            &[
                whole("n", 100, 20, 500, "rows"),
                real("risk", 0.2, 0.05, 0.5, "R"),
                real("delta", 0.1, 0.02, 0.5, "δ"),
                whole("draws", 1000, 400, 2000, "samples"),
            ],
            false,
            hoeffding,
        ),
    ],
};

/// The mean squared error of the least-squares line from some rows on others.
fn line_error(rows: &[(f64, f64)], on: &[(f64, f64)]) -> Result<f64> {
    let x = Mat::from_fn(rows.len(), 2, |i, j| if j == 0 { 1.0 } else { rows[i].0 });
    let w = least_squares(&x, &rows.iter().map(|r| r.1).collect::<Vec<_>>())?;
    Ok(on.iter().map(|(x, y)| (y - dot(&w, &[1.0, *x])).powi(2)).sum::<f64>() / on.len() as f64)
}

fn cross_validation(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let folds = run.whole("folds");
    let size = (run.whole("n") / folds).max(1);
    let n = size * folds;
    let draw = |stream: &mut RngStream, n: usize| -> Vec<(f64, f64)> {
        (0..n)
            .map(|_| stream.normal())
            .map(|x| (x, (2.0 * x).sin()))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|(x, f)| (x, f + 0.3 * stream.normal()))
            .collect()
    };
    let mut stream = run.stream(0);
    let (mut validated, mut smaller, mut full) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..run.whole("draws") {
        let rows = draw(&mut stream, n);
        let mut total = 0.0;
        for k in 0..folds {
            let rest: Vec<(f64, f64)> = rows.iter().enumerate().filter(|(i, _)| i / size != k).map(|(_, r)| *r).collect();
            total += line_error(&rest, &rows[k * size..(k + 1) * size])? / folds as f64;
        }
        validated.push(total);
        let fresh = draw(&mut stream, 40);
        smaller.push(line_error(&rows[..n - size], &fresh)?);
        full.push(line_error(&rows, &fresh)?);
    }
    let ((m, e), (r, f)) = (mean_and_error(&validated), mean_and_error(&smaller));
    let mut check = TheoremCheck::new();
    check.assume("equal folds, independent rows", true);
    check.simulated("mean cross-validated score and mean risk of fits to n(1−1/K) rows", (m, e.hypot(f)), r);
    check.note(format!("fits to all rows have the risk {:.4}", mean_and_error(&full).0));
    Ok(check)
}

fn area(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, per) = (run.whole("n"), run.real("ties"));
    let mut stream = run.stream(0);
    let positive: Vec<bool> = (0..n).map(|i| i % 3 == 0).collect();
    let score: Vec<f64> =
        positive.iter().map(|p| ((stream.normal() + f64::from(*p) * run.real("gap")) * per).round() / per).collect();
    let (mut wins, mut pairs) = (0.0, 0.0);
    for i in (0..n).filter(|&i| positive[i]) {
        for j in (0..n).filter(|&j| !positive[j]) {
            wins += if score[i] > score[j] { 1.0 } else { f64::from(score[i] == score[j]) / 2.0 };
            pairs += 1.0;
        }
    }
    let mut check = TheoremCheck::new();
    check.assume("both classes occur", pairs > 0.0);
    check.equal(
        "area of the engine against counted pairs",
        roc_auc(&positive, &score, None)?.unwrap_or(f64::NAN),
        wins / pairs,
        1e-12,
    );
    Ok(check)
}

fn neyman_pearson(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let null = Gaussian { mean: 0.0, sd: 1.0 };
    let alternative = Gaussian { mean: run.real("gap"), sd: run.real("sd") };
    let test = LikelihoodRatioTest::new(&null, &alternative, (-15.0, 15.0));
    let cut = run.real("cut");
    let (size, power) = test.probabilities(&|x| x > cut);
    let mut check = TheoremCheck::new();
    check.assume("both laws are known and continuous", true);
    let (ratio, best) = test.at_level(size);
    check.at_most(
        format!("power of the reader's test of size {size:.4} against that of the likelihood ratio"),
        power,
        best + 1e-7,
    );
    check.note(format!("it rejects where the ratio of the densities is above {ratio:.4}"));
    let levels: Vec<f64> = (1..10).map(|k| 0.1 * f64::from(k)).collect();
    let curve = levels.iter().map(|l| (*l, test.at_level(*l).1)).collect();
    let other = levels.iter().map(|l| (*l, alternative.sf(null.quantile(1.0 - l)))).collect();
    check.draw(
        Chart::new("Power by size", "size", "power")
            .with(Series::line("likelihood ratio", curve))
            .with(Series::dashed("above a cut", other)),
    );
    Ok(check)
}

fn order_statistic(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, alpha, delta) = (run.whole("n"), run.real("alpha"), run.real("delta"));
    let law = Gaussian { mean: 0.0, sd: 1.0 };
    let mut stream = run.stream(0);
    let positive: Vec<bool> = (0..n + 1).map(|i| i == n).collect();
    let mut check = TheoremCheck::new();
    // All below the largest of n: (1 − α)^n must be at most δ.
    if !check.given("there are enough negatives", (1.0 - alpha).powi(n as i32) <= delta) {
        return Ok(check);
    }
    let (mut kept, mut promised) = (Vec::new(), 1.0f64);
    for _ in 0..run.whole("draws") {
        let mut score: Vec<f64> = (0..n).map(|_| law.draw(&mut stream)).collect();
        score.push(3.0);
        let t = threshold_for_fpr(&positive, &score, alpha, 1.0 - delta)?;
        kept.push(f64::from(law.sf(t.threshold) <= alpha));
        promised = t.confidence;
    }
    let (m, e) = mean_and_error(&kept);
    check.suppose("the negatives had no part in training");
    check.simulated(
        "share of samples whose true rate is within α, and the confidence of the rank",
        (m, e.max(1.0 / kept.len() as f64)),
        promised,
    );
    check.at_most("1 − δ against that confidence", 1.0 - delta, promised);
    Ok(check)
}

fn cost_threshold(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (fp, miss) = (run.real("fp"), run.real("fn"));
    // p uniform on [0, 1] and calibrated: the expected cost of the threshold t is fp ∫_t^1 (1−p) dp + fn ∫_0^t p dp.
    let cost = |t: f64| fp * 0.5 * (1.0 - t).powi(2) + miss * 0.5 * t * t;
    let best = (0..=1000).map(|k| f64::from(k) / 1000.0).min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(0.0);
    let mut check = TheoremCheck::new();
    check.assume("the probabilities are calibrated", true);
    let engine = CostMatrix::two(fp, miss)?.threshold().unwrap_or(f64::NAN);
    check.equal("the engine's threshold against c_FP/(c_FP+c_FN)", engine, fp / (fp + miss), 1e-12);
    check.zero("threshold of least expected cost on a grid, less the formula", best - fp / (fp + miss), 1e-3);
    let curve = (0..=100).map(|k| f64::from(k) / 100.0).map(|t| (t, cost(t))).collect();
    check.draw(Chart::new("Expected cost by threshold", "threshold", "cost").with(Series::line("cost", curve)));
    Ok(check)
}

fn chow(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (c, k, n) = (run.real("cost"), run.whole("k"), run.whole("n"));
    let mut stream = run.stream(0);
    let mut proba = Mat::zeros(n, k);
    for i in 0..n {
        let row: Vec<f64> = (0..k).map(|_| (1.5 * stream.normal()).exp()).collect();
        let total: f64 = row.iter().sum();
        (0..k).for_each(|j| proba[(i, j)] = row[j] / total);
    }
    let top: Vec<f64> = (0..n).map(|i| proba.row(i).iter().copied().fold(0.0, f64::max)).collect();
    let decisions = CostMatrix::zero_one(k)?.with_abstention(c)?.decide(proba.view())?;
    let declined = decisions.action.iter().filter(|a| **a as usize == k).count() as f64;
    let mut check = TheoremCheck::new();
    check.assume("0–1 costs, and the probabilities are true", true);
    check.equal(
        "rows the engine declines against rows with max p < 1 − c",
        declined,
        top.iter().filter(|p| **p < 1.0 - c).count() as f64,
        0.0,
    );
    let with: f64 = top.iter().map(|p| (1.0 - p).min(c)).sum();
    check.at_most("expected cost with declining against without", with, top.iter().map(|p| 1.0 - p).sum());
    if c >= 1.0 - 1.0 / k as f64 {
        check.zero("c ≥ 1 − 1/K: rows declined", declined, 0.0);
    }
    Ok(check)
}

fn optimism(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (models, n) = (run.whole("models"), run.whole("n"));
    let mut stream = run.stream(0);
    let mut better = Vec::new();
    for _ in 0..run.whole("draws") {
        // Models of accuracy ½ to ½ + 0.1: the one that looks best, and its true accuracy.
        let best = (0..models)
            .map(|m| 0.5 + 0.1 * m as f64 / models as f64)
            .map(|p| ((0..n).filter(|_| stream.uniform() < p).count() as f64 / n as f64, p))
            .fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
        better.push(best.1 - best.0);
    }
    let mut check = TheoremCheck::new();
    check.assume("M > 1", models > 1);
    check.simulated_at_most("mean of true less validated accuracy of the chosen model, against 0", mean_and_error(&better), 0.0);
    Ok(check)
}

fn hoeffding(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, risk, delta) = (run.whole("n"), run.real("risk"), run.real("delta"));
    let width = ((2.0 / delta).ln() / (2.0 * n as f64)).sqrt();
    let mut stream = run.stream(0);
    let (mut outside, mut narrow, mut wide) = (Vec::new(), 0.0, 0.0);
    let draws = run.whole("draws");
    for _ in 0..draws {
        let errors = (0..n).filter(|_| stream.uniform() < risk).count() as f64;
        outside.push(f64::from((errors / n as f64 - risk).abs() > width));
        let (low, high) = wilson(errors, n as f64, 1.0 - delta);
        narrow += f64::from(low <= risk && risk <= high) / draws as f64;
        wide += (high - low) / draws as f64;
    }
    let mut check = TheoremCheck::new();
    check.assume("the rule is fixed and its loss is 0 or 1", true);
    check.simulated_at_most("share of samples outside the bound, against δ", mean_and_error(&outside), delta);
    check.note(format!("Hoeffding's interval is {:.4} wide, Wilson's {wide:.4} and covers {narrow:.3}", 2.0 * width));
    Ok(check)
}
