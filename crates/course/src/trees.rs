//! Chapter 8: trees, forests, boosting.

use ermine_core::{Mat, Result};
use ermine_math::probability::{entropy, mutual_information};
use ermine_report::chart::{Chart, Series};

use crate::algebra::{mean, mean_and_error};
use crate::check::TheoremCheck;
use crate::theorem::{Chapter, Theorem, TheoremParam, TheoremRun, real, whole};

const N: TheoremParam = whole("n", 80, 20, 300, "rows");
const ROUNDS: TheoremParam = whole("rounds", 12, 2, 40, "rounds");

pub(crate) const CHAPTER: Chapter = Chapter {
    number: 8,
    title: "Trees, forests and boosting",
    theorems: &[
        Theorem::new(
            "T8.1",
            "The best constant of a leaf is the mean for squares and the majority for 0–1 loss",
            "000 L4; 002 §4.1.1; 003 §4.1",
            "algorithm in the open",
            &[N, real("value", 0.5, -2.0, 2.0, "the reader's value")],
            true,
            leaf_values,
        ),
        Theorem::new(
            "T8.2",
            "A split never raises the weighted impurity, for squares, Gini and entropy",
            "000 L4; 002 §4.1.2; 003 §4.2",
            "algorithm in the open",
            &[N],
            false,
            split_gain,
        ),
        Theorem::new(
            "T8.3",
            "Greedy trees are not optimal: on XOR no first split helps, and two levels are perfect",
            "000 L4; 002 §4.1.3",
            "algorithm in the open",
            &[whole("n", 40, 20, 80, "rows")],
            false,
            greedy,
        ),
        Theorem::new(
            "T8.4",
            "Weakest-link pruning: a nested sequence with rising λ holds the smallest minimizer of C + λ|T| for every λ",
            "002 §4.1.4; 003 §4.3",
            "algorithm in the open",
            &[whole("n", 60, 30, 150, "rows"), real("lambda", 0.5, 0.01, 5.0, "λ")],
            false,
            pruning,
        ),
        Theorem::new(
            "T8.5",
            "The gain Ent(D) − Σ|D_v|/|D| Ent(D_v) is the mutual information of label and attribute; with missing cells ρ Gain(D̃)",
            "003 §4.2, 4.4",
            "probability::{entropy, mutual_information}",
            &[N, whole("values", 4, 2, 8, "values of the attribute"), real("missing", 0.2, 0.0, 0.6, "share of missing cells")],
            false,
            gain,
        ),
        Theorem::new(
            "T8.6",
            "Constants on cells of side h approximate an L-Lipschitz function to L h √d / 2",
            "000 L4; 002 §4.1",
            "algorithm in the open",
            &[whole("cells", 8, 2, 40, "cells per axis")],
            false,
            cells,
        ),
        Theorem::new(
            "T8.7",
            "A bootstrap sample leaves out (1 − 1/n)ⁿ of the rows, about 36.8 %",
            "000 L4; 002 §5.1.1; 003 §4.5",
            "RngStream",
            &[whole("n", 100, 5, 1000, "rows"), whole("draws", 400, 100, 1000, "samples")],
            false,
            bootstrap,
        ),
        Theorem::new(
            "T8.8",
            "The variance of a mean of B trees is ρσ² + (1 − ρ)σ²/B",
            "002 §5.1.1; 003 §4.5",
            "algorithm in the open",
            &[
                whole("trees", 20, 2, 100, "B"),
                real("rho", 0.3, 0.0, 0.95, "correlation"),
                whole("draws", 2000, 1000, 4000, "forests"),
            ],
            false,
            averaging,
        ),
        Theorem::new(
            "T8.9",
            "AdaBoost: training error ≤ mean e^{−yH} = Π 2√(ε(1−ε)) ≤ exp(−2Σ(½−ε)²)",
            "000 L4; 002 §5.1.4; 003 §4.5",
            "algorithm in the open",
            &[whole("n", 60, 20, 200, "rows"), ROUNDS],
            false,
            adaboost_bound,
        ),
        Theorem::new(
            "T8.10",
            "After the update of the weights the last stump has a weighted error of ½",
            "000 L4; 002 §5.1.4",
            "algorithm in the open",
            &[whole("n", 60, 20, 200, "rows"), ROUNDS],
            false,
            reweighted_error,
        ),
        Theorem::new(
            "T8.11",
            "Gradient boosting with squares fits the residuals, and with 0 < η ≤ 2 the training loss never rises",
            "002 §5.2.2; 003 §4.5",
            "algorithm in the open",
            &[whole("n", 60, 20, 200, "rows"), whole("rounds", 40, 5, 100, "rounds"), real("rate", 0.3, 0.01, 1.9, "η")],
            false,
            gradient_boosting,
        ),
        Theorem::new(
            "T8.12",
            "Second-order leaves: −G/(H+λ) for the penalty ½λv², and the gain of a split is ½(G_L²/(H_L+λ) + G_R²/(H_R+λ) − G²/(H+λ)) − γ",
            "002 §5.2.3; 003 §4.5",
            "algorithm in the open",
            &[N, real("lambda", 1.0, 0.0, 20.0, "λ")],
            false,
            second_order,
        ),
    ],
};

fn leaf_values(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let mut stream = run.stream(0);
    let y: Vec<f64> = run.given().map_or_else(|| (0..run.whole("n")).map(|_| stream.normal() + 0.3).collect(), |d| d.y.clone());
    let squares = |c: f64| y.iter().map(|v| (v - c).powi(2)).sum::<f64>();
    let positive = y.iter().filter(|v| **v > 0.0).count();
    let wrong = |label: bool| y.iter().filter(|v| (**v > 0.0) != label).count() as f64;
    let mut check = TheoremCheck::new();
    check.at_most("squares: loss at the mean against loss at the reader's value", squares(mean(&y)), squares(run.real("value")));
    check.at_most(
        "0–1: errors of the majority against those of the minority",
        wrong(2 * positive > y.len()),
        wrong(2 * positive <= y.len()),
    );
    Ok(check)
}

/// n points in a square with a noisy label.
fn labeled(run: &TheoremRun<'_>, n: usize) -> Vec<([f64; 2], bool)> {
    let mut stream = run.stream(0);
    (0..n)
        .map(|_| {
            let x = [stream.uniform(), stream.uniform()];
            (x, (x[0] + 0.5 * x[1] > 0.7) != (stream.uniform() < 0.15))
        })
        .collect()
}

fn gini(p: f64) -> f64 {
    2.0 * p * (1.0 - p)
}

/// The impurity of a share of positive rows.
type Impurity = fn(f64) -> f64;

fn bits(p: f64) -> f64 {
    entropy(&[p, 1.0 - p])
}

fn split_gain(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let rows = labeled(run, run.whole("n"));
    let n = rows.len() as f64;
    let share = |part: &[&([f64; 2], bool)]| part.iter().filter(|r| r.1).count() as f64 / (part.len() as f64).max(1.0);
    let all: Vec<&([f64; 2], bool)> = rows.iter().collect();
    let mut check = TheoremCheck::new();
    let mut curve = Vec::new();
    let measures: [(&str, Impurity); 2] = [("Gini", gini), ("entropy", bits)];
    for (name, impurity) in measures {
        let (mut worst, mut unweighted) = (f64::INFINITY, f64::INFINITY);
        for k in 1..40 {
            let cut = f64::from(k) / 40.0;
            let (left, right): (Vec<_>, Vec<_>) = rows.iter().partition(|r| r.0[0] <= cut);
            let (a, b) = (left.len() as f64 / n, right.len() as f64 / n);
            let after = a * impurity(share(&left)) + b * impurity(share(&right));
            let gain = impurity(share(&all)) - after;
            worst = worst.min(gain);
            unweighted = unweighted.min(impurity(share(&all)) - impurity(share(&left)) - impurity(share(&right)));
            if name == "Gini" {
                curve.push((cut, after));
            }
        }
        check.at_most(format!("{name}: 0 against the least gain of any threshold"), 0.0, worst + 1e-12);
        check.misprint_at_most(
            format!("{name} of the regions without their shares N_j/N; 0 against the least gain"),
            0.0,
            unweighted,
        );
    }
    let y: Vec<f64> = rows.iter().map(|r| r.0[1]).collect();
    let squares = |v: &[f64]| if v.is_empty() { 0.0 } else { v.iter().map(|x| (x - mean(v)).powi(2)).sum::<f64>() };
    let worst = (1..40)
        .map(|k| y.split_at((y.len() * k / 40).max(1)))
        .map(|(l, r)| squares(&y) - squares(l) - squares(r))
        .fold(f64::INFINITY, f64::min);
    check.at_most("squares: 0 against the least gain", 0.0, worst + 1e-12);
    check.draw(Chart::new("Impurity by threshold", "threshold", "Gini").with(Series::line("weighted", curve)));
    Ok(check)
}

fn greedy(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let per = run.whole("n") / 4;
    let mut stream = run.stream(0);
    // Four equal clouds: XOR.
    let rows: Vec<([f64; 2], bool)> = (0..4 * per)
        .map(|i| (i % 4, [stream.uniform(), stream.uniform()]))
        .map(|(q, u)| {
            ([u[0] + if q % 2 == 0 { -1.0 } else { 0.0 }, u[1] + if q < 2 { -1.0 } else { 0.0 }], (q % 2 == 0) == (q < 2))
        })
        .collect();
    let errors = |keep: &dyn Fn(&[f64; 2]) -> bool| {
        let own: Vec<&([f64; 2], bool)> = rows.iter().filter(|r| keep(&r.0)).collect();
        let yes = own.iter().filter(|r| r.1).count();
        yes.min(own.len() - yes)
    };
    // The two-level tree with both cuts at 0.
    let best: usize = [(true, true), (true, false), (false, true), (false, false)]
        .iter()
        .map(|(a, b)| errors(&|x| (x[0] < 0.0) == *a && (x[1] < 0.0) == *b))
        .sum();
    // Greedy: the first cut by Gini, then each side its best cut.
    let cuts: Vec<(usize, f64)> = rows.iter().flat_map(|r| [(0, r.0[0]), (1, r.0[1])]).collect();
    let impurity = |keep: &dyn Fn(&[f64; 2]) -> bool| {
        let own: Vec<&([f64; 2], bool)> = rows.iter().filter(|r| keep(&r.0)).collect();
        own.len() as f64 * gini(own.iter().filter(|r| r.1).count() as f64 / (own.len() as f64).max(1.0))
    };
    let first = cuts.iter().copied().min_by(|a, b| {
        let cost = |c: &(usize, f64)| impurity(&|x| x[c.0] <= c.1) + impurity(&|x| x[c.0] > c.1);
        cost(a).total_cmp(&cost(b))
    });
    let (axis, cut) = first.unwrap_or((0, 0.0));
    let mut greedy_errors = 0;
    for side in [true, false] {
        let inside = |x: &[f64; 2]| (x[axis] <= cut) == side;
        greedy_errors += cuts
            .iter()
            .map(|(j, c)| errors(&|x| inside(x) && x[*j] <= *c) + errors(&|x| inside(x) && x[*j] > *c))
            .min()
            .unwrap_or(0);
    }
    let mut check = TheoremCheck::new();
    check.assume("two levels", true);
    check.at_most("errors of the best two levels against those of the greedy ones", best as f64, greedy_errors as f64);
    check.equal("errors of the best two levels", best as f64, 0.0, 0.0);
    check.note(format!("the greedy first cut is at {cut:.3}; {greedy_errors} of {} rows are wrong after two levels", rows.len()));
    Ok(check)
}

/// A regression tree on a line: the sum of squares of each node, and its children.
struct LineTree {
    cost: Vec<f64>,
    children: Vec<Option<(usize, usize)>>,
}

impl LineTree {
    fn grow(y: &[f64], depth: usize) -> Self {
        let mut tree = Self { cost: Vec::new(), children: Vec::new() };
        tree.node(y, depth);
        tree
    }

    fn node(&mut self, y: &[f64], depth: usize) -> usize {
        let squares = |v: &[f64]| v.iter().map(|x| (x - mean(v)).powi(2)).sum::<f64>();
        let at = self.cost.len();
        self.cost.push(squares(y));
        self.children.push(None);
        if depth > 0 && y.len() > 3 {
            let cost = |k: usize| squares(&y[..k]) + squares(&y[k..]);
            let k = (1..y.len()).min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(1);
            let left = self.node(&y[..k], depth - 1);
            let right = self.node(&y[k..], depth - 1);
            self.children[at] = Some((left, right));
        }
        at
    }

    /// Cost and leaves of the branch at a node, where `cut` nodes are leaves.
    fn branch(&self, at: usize, cut: &[bool]) -> (f64, f64) {
        match self.children[at] {
            Some((l, r)) if !cut[at] => {
                let (a, b) = (self.branch(l, cut), self.branch(r, cut));
                (a.0 + b.0, a.1 + b.1)
            }
            _ => (self.cost[at], 1.0),
        }
    }

    /// The least C + λ|T| over all pruned trees, and the fewest leaves that reach it.
    fn best(&self, at: usize, lambda: f64) -> (f64, f64) {
        let leaf = (self.cost[at] + lambda, 1.0);
        match self.children[at] {
            None => leaf,
            Some((l, r)) => {
                let (a, b) = (self.best(l, lambda), self.best(r, lambda));
                if leaf.0 <= a.0 + b.0 + 1e-12 { leaf } else { (a.0 + b.0, a.1 + b.1) }
            }
        }
    }

    /// Inner nodes that are still in the tree.
    fn inner(&self, at: usize, cut: &[bool], out: &mut Vec<usize>) {
        if let (Some((l, r)), false) = (self.children[at], cut[at]) {
            out.push(at);
            self.inner(l, cut, out);
            self.inner(r, cut, out);
        }
    }
}

fn pruning(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let n = run.whole("n");
    let mut stream = run.stream(0);
    let y: Vec<f64> = (0..n).map(|i| (6.0 * i as f64 / n as f64).sin() + 0.4 * stream.normal()).collect();
    let tree = LineTree::grow(&y, 5);
    let mut cut = vec![false; tree.cost.len()];
    let mut path = vec![(0.0, tree.branch(0, &cut))];
    loop {
        let mut inner = Vec::new();
        tree.inner(0, &cut, &mut inner);
        let link = |at: usize| {
            let (cost, leaves) = tree.branch(at, &cut);
            (tree.cost[at] - cost) / (leaves - 1.0)
        };
        let Some(weakest) = inner.iter().copied().min_by(|a, b| link(*a).total_cmp(&link(*b))) else { break };
        let lambda = link(weakest);
        cut[weakest] = true;
        path.push((lambda, tree.branch(0, &cut)));
    }
    let fall = path.windows(2).map(|p| p[0].0 - p[1].0).fold(f64::NEG_INFINITY, f64::max);
    let mut check = TheoremCheck::new();
    check.at_most("largest fall of λ along the sequence", fall - 1e-9, 0.0);
    let mut worst = (0.0f64, 0.0f64);
    for lambda in [0.1, 0.5, 1.0, 3.0].map(|f| f * run.real("lambda")) {
        let here = path.iter().rfind(|p| p.0 <= lambda + 1e-12).map_or(path[0].1, |p| p.1);
        let (best, leaves) = tree.best(0, lambda);
        worst = (worst.0.max((here.0 + lambda * here.1 - best).abs()), worst.1.max((here.1 - leaves).abs()));
    }
    check.zero("C + λ|T| of the sequence less the least over all subtrees, at four λ", worst.0, 1e-8 * (1.0 + tree.cost[0]));
    check.equal("difference in leaves from the smallest minimizer", worst.1, 0.0, 0.0);
    check.draw(
        Chart::new("Pruning", "leaves", "λ")
            .with(Series::step("weakest link", path.iter().rev().map(|p| (p.1.1, p.0)).collect())),
    );
    Ok(check)
}

fn gain(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, values) = (run.whole("n"), run.whole("values"));
    let mut stream = run.stream(0);
    let rows: Vec<(Option<usize>, usize)> = (0..n)
        .map(|_| stream.below(values))
        .map(|v| (v, usize::from(v % 2 == 0)))
        .collect::<Vec<_>>()
        .into_iter()
        .map(|(v, c)| {
            (if stream.uniform() < run.real("missing") { None } else { Some(v) }, if stream.uniform() < 0.25 { 1 - c } else { c })
        })
        .collect();
    let known: Vec<(usize, usize)> = rows.iter().filter_map(|(v, c)| v.map(|v| (v, *c))).collect();
    let m = known.len() as f64;
    let mut check = TheoremCheck::new();
    if !check.given("some cell is known", m > 0.0) {
        return Ok(check);
    }
    let ent = |of: &[usize]| {
        let yes = of.iter().filter(|c| **c == 1).count() as f64 / (of.len() as f64).max(1.0);
        entropy(&[yes, 1.0 - yes])
    };
    let labels: Vec<usize> = known.iter().map(|r| r.1).collect();
    let parts = (0..values).map(|v| known.iter().filter(|r| r.0 == v).map(|r| r.1).collect::<Vec<_>>());
    let gain = ent(&labels) - parts.map(|p| p.len() as f64 / m * ent(&p)).sum::<f64>();
    let mut joint = vec![0.0; 2 * values];
    known.iter().for_each(|(v, c)| joint[2 * v + c] += 1.0 / m);
    check.equal("gain against the mutual information", gain, mutual_information(&joint, 2), 1e-10);
    check.at_most("0 against the gain", 0.0, gain + 1e-12);
    check.note(format!("with ρ = {:.3} of the cells known the gain counts {:.4}", m / n as f64, m / n as f64 * gain));
    Ok(check)
}

fn cells(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let k = run.whole("cells");
    let h = 1.0 / k as f64;
    // sin(3x) + cos(2y): its slope is at most √(9 + 4).
    let f = |x: f64, y: f64| (3.0 * x).sin() + (2.0 * y).cos();
    let center = |v: f64| ((v / h).floor().min(k as f64 - 1.0) + 0.5) * h;
    let mut worst = 0.0f64;
    for i in 0..=100 {
        for j in 0..=100 {
            let (x, y) = (f64::from(i) / 100.0, f64::from(j) / 100.0);
            worst = worst.max((f(x, y) - f(center(x), center(y))).abs());
        }
    }
    let mut check = TheoremCheck::new();
    check.assume("f is Lipschitz on a box", true);
    check.at_most("largest error against L h √d / 2", worst, 13f64.sqrt() * h * 2f64.sqrt() / 2.0);
    Ok(check)
}

fn bootstrap(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let n = run.whole("n");
    let mut stream = run.stream(0);
    let shares: Vec<f64> = (0..run.whole("draws"))
        .map(|_| {
            let mut drawn = vec![false; n];
            (0..n).for_each(|_| drawn[stream.below(n)] = true);
            drawn.iter().filter(|d| !**d).count() as f64 / n as f64
        })
        .collect();
    let mut check = TheoremCheck::new();
    check.assume("equal weights", true);
    check.simulated("mean share of rows left out and (1 − 1/n)ⁿ", mean_and_error(&shares), (1.0 - 1.0 / n as f64).powi(n as i32));
    check.note(format!("1/e is {:.4}", (-1f64).exp()));
    Ok(check)
}

fn averaging(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (b, rho) = (run.whole("trees"), run.real("rho"));
    let mut stream = run.stream(0);
    let squares: Vec<f64> = (0..run.whole("draws"))
        .map(|_| {
            let shared = stream.normal();
            let m = (0..b).map(|_| rho.sqrt() * shared + (1.0 - rho).sqrt() * stream.normal()).sum::<f64>() / b as f64;
            m * m
        })
        .collect();
    let mut check = TheoremCheck::new();
    check.assume("equal variances and correlations", true);
    check.simulated("variance of the mean and ρσ² + (1−ρ)σ²/B", mean_and_error(&squares), rho + (1.0 - rho) / b as f64);
    Ok(check)
}

/// What a round of AdaBoost leaves.
struct BoostingRound {
    error: f64,
    /// Weighted error of the stump after the update.
    after: f64,
    training_error: f64,
    exponential: f64,
}

/// AdaBoost of stumps on noisy labels.
fn adaboost(run: &TheoremRun<'_>, n: usize, rounds: usize) -> Vec<BoostingRound> {
    let rows = labeled(run, n);
    let sign = |b: bool| if b { 1.0 } else { -1.0 };
    let (mut weight, mut score, mut out) = (vec![1.0 / n as f64; n], vec![0.0; n], Vec::new());
    for _ in 0..rounds {
        let mut best = (f64::INFINITY, 0, 0.0, 1.0);
        for axis in 0..2 {
            for row in &rows {
                let cut = row.0[axis];
                let wrong: f64 = (0..n).filter(|&i| (rows[i].0[axis] > cut) != rows[i].1).map(|i| weight[i]).sum();
                for (error, side) in [(wrong, 1.0), (1.0 - wrong, -1.0)] {
                    if error < best.0 {
                        best = (error, axis, cut, side);
                    }
                }
            }
        }
        let (error, axis, cut, side) = best;
        if error <= 1e-12 || error >= 0.5 - 1e-12 {
            break;
        }
        let alpha = 0.5 * ((1.0 - error) / error).ln();
        let vote = |i: usize| side * sign(rows[i].0[axis] > cut);
        for i in 0..n {
            score[i] += alpha * vote(i);
            weight[i] *= (-alpha * sign(rows[i].1) * vote(i)).exp();
        }
        let total: f64 = weight.iter().sum();
        weight.iter_mut().for_each(|w| *w /= total);
        out.push(BoostingRound {
            error,
            after: (0..n).filter(|&i| vote(i) != sign(rows[i].1)).map(|i| weight[i]).sum(),
            training_error: (0..n).filter(|&i| sign(rows[i].1) * score[i] <= 0.0).count() as f64 / n as f64,
            exponential: (0..n).map(|i| (-sign(rows[i].1) * score[i]).exp()).sum::<f64>() / n as f64,
        });
    }
    out
}

fn adaboost_bound(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let rounds = adaboost(run, run.whole("n"), run.whole("rounds"));
    let mut check = TheoremCheck::new();
    let Some(last) = rounds.last() else {
        check.assume("0 < ε < ½ in the first round", false);
        return Ok(check);
    };
    check.assume("two classes, 0 < ε < ½ in every round", true);
    let product: f64 = rounds.iter().map(|r| 2.0 * (r.error * (1.0 - r.error)).sqrt()).product();
    let edges: f64 = rounds.iter().map(|r| (0.5 - r.error).powi(2)).sum();
    check.at_most("training error against mean e^{−yH}", last.training_error, last.exponential);
    check.equal("mean e^{−yH} against Π 2√(ε(1−ε))", last.exponential, product, 1e-8);
    check.at_most("the product against exp(−2Σ(½−ε)²)", product, (-2.0 * edges).exp());
    let printed: f64 = rounds.iter().map(|r| (2.0 * r.error * (1.0 - r.error)).sqrt()).product();
    check.misprint("Π√(2ε(1−ε)) as the value of mean e^{−yH}", last.exponential, printed);
    let curve = |f: fn(&BoostingRound) -> f64| rounds.iter().enumerate().map(|(i, r)| ((i + 1) as f64, f(r))).collect::<Vec<_>>();
    check.draw(
        Chart::new("AdaBoost", "round", "value")
            .with(Series::line("training error", curve(|r| r.training_error)))
            .with(Series::dashed("mean e^{−yH}", curve(|r| r.exponential))),
    );
    Ok(check)
}

fn reweighted_error(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let rounds = adaboost(run, run.whole("n"), run.whole("rounds"));
    let mut check = TheoremCheck::new();
    check.assume("0 < ε < ½", !rounds.is_empty());
    let worst = rounds.iter().map(|r| (r.after - 0.5).abs()).fold(0.0, f64::max);
    check.zero("weighted error after the update less ½, the largest of all rounds", worst, 1e-10);
    Ok(check)
}

fn gradient_boosting(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, rate) = (run.whole("n"), run.real("rate"));
    let mut stream = run.stream(0);
    let y: Vec<f64> = (0..n).map(|i| (6.0 * i as f64 / n as f64).sin() + 0.2 * stream.normal()).collect();
    let mut fit = vec![mean(&y); n];
    let mut trace = Vec::new();
    let mut mismatch = 0.0f64;
    for _ in 0..=run.whole("rounds") {
        let r: Vec<f64> = y.iter().zip(&fit).map(|(y, f)| y - f).collect();
        trace.push(r.iter().map(|v| v * v).sum::<f64>() / n as f64);
        // The negative gradient of ½(y − F)² by a difference quotient.
        let loss = |f: f64| 0.5 * (y[0] - f).powi(2);
        mismatch = mismatch.max((-(loss(fit[0] + 1e-5) - loss(fit[0] - 1e-5)) / 2e-5 - r[0]).abs());
        // A stump: the cut with the least squares, and the mean of each side.
        let gain = |k: usize| {
            let (a, b): (f64, f64) = (r[..k].iter().sum(), r[k..].iter().sum());
            a * a / k as f64 + b * b / (n - k) as f64
        };
        let k = (1..n).max_by(|a, b| gain(*a).total_cmp(&gain(*b))).unwrap_or(1);
        let (left, right) = (mean(&r[..k]), mean(&r[k..]));
        fit.iter_mut().enumerate().for_each(|(i, f)| *f += rate * if i < k { left } else { right });
    }
    let rise = trace.windows(2).map(|t| t[1] - t[0]).fold(f64::NEG_INFINITY, f64::max);
    let mut check = TheoremCheck::new();
    check.assume("trees of means, all rows in every round, η ≤ 2", rate <= 2.0);
    check.at_most("largest rise of the training loss", rise - 1e-12, 0.0);
    check.zero("negative gradient of ½(y−F)² less the residual", mismatch, 1e-6 * (1.0 + trace[0]));
    check.draw(
        Chart::new("Training loss", "round", "mean square")
            .with(Series::line("boosting", trace.iter().enumerate().map(|(i, v)| (i as f64, *v)).collect())),
    );
    Ok(check)
}

fn second_order(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, lambda) = (run.whole("n"), run.real("lambda"));
    let mut stream = run.stream(0);
    // Squares at a fit of 0: gradients −y, curvatures 1.
    let y = Mat::from_fn(n, 1, |i, _| stream.normal() + if i < n / 3 { 1.0 } else { 0.0 });
    let y = y.as_slice();
    let g: f64 = -y.iter().sum::<f64>();
    let objective = |v: f64, rows: &[f64], half: f64| rows.iter().map(|y| 0.5 * (y - v).powi(2)).sum::<f64>() + half * v * v;
    let best = |rows: &[f64], half: f64| {
        (-4000..=4000)
            .map(|k| f64::from(k) / 1000.0)
            .min_by(|a, b| objective(*a, rows, half).total_cmp(&objective(*b, rows, half)))
            .unwrap_or(0.0)
    };
    let h = n as f64;
    let mut check = TheoremCheck::new();
    check.assume("squared loss", true);
    check.zero("minimizer on a grid with ½λv² less −G/(H+λ)", best(y, 0.5 * lambda) + g / (h + lambda), 1e-3);
    check.zero("minimizer on a grid with λv² less −G/(H+2λ)", best(y, lambda) + g / (h + 2.0 * lambda), 1e-3);
    let k = n / 3;
    let value = |rows: &[f64]| {
        let (g, h) = (-rows.iter().sum::<f64>(), rows.len() as f64);
        objective(-g / (h + lambda), rows, 0.5 * lambda)
    };
    let part = |rows: &[f64]| rows.iter().sum::<f64>().powi(2) / (rows.len() as f64 + lambda);
    check.equal(
        "fall of the objective by a split against the formula",
        value(y) - value(&y[..k]) - value(&y[k..]),
        0.5 * (part(&y[..k]) + part(&y[k..]) - part(y)),
        1e-9,
    );
    Ok(check)
}
