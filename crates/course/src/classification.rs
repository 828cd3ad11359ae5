//! Chapter 4: classification.

use ermine_core::{DatasetRef, Features, Learner, Mat, Result, Target};
use ermine_linear::{Logistic, PenaltyKind, Perceptron};
use ermine_math::linalg::eigenvalues_symmetric;
use ermine_math::loss::{RowLoss, log_sum_exp};
use ermine_math::optimize::constrained::{QpMethod, QuadraticProgram};
use ermine_math::optimize::study::{EmpiricalRisk, OptimizationMethod, StopRule, StudyObjective, minimize};
use ermine_math::probability::bayes::{ClassLaw, GaussianClasses, TableLaw, bayes_risk_on_line, excess_risk, integrate};
use ermine_report::chart::{Chart, Series};

use crate::algebra::{dot, max_abs, mean, mean_and_error, norm, solve, sub, times};
use crate::check::TheoremCheck;
use crate::data::{TheoremData, blobs};
use crate::theorem::{Chapter, Theorem, TheoremParam, TheoremRun, real, whole};

const N: TheoremParam = whole("n", 60, 20, 300, "rows");
const GAP: TheoremParam = real("gap", 1.0, 0.2, 2.0, "distance of the classes");

pub(crate) const CHAPTER: Chapter = Chapter {
    number: 4,
    title: "Classification",
    theorems: &[
        Theorem::new(
            "T4.1",
            "Exponential, log₂-logistic, hinge and squared hinge loss lie above the 0–1 loss",
            "001 §5; 002 §3.1",
            "RowLoss",
            &[N, GAP],
            true,
            surrogates,
        ),
        Theorem::new(
            "T4.2",
            "∇ log(1 + e^{−y w·x}) = −y x / (1 + e^{y w·x}), and σ' = σ(1−σ)",
            "001 §5.1; 002 §3.1.2",
            "RowLoss::gradient",
            &[real("score", 0.7, -5.0, 5.0, "w·x")],
            false,
            logistic_gradient,
        ),
        Theorem::new(
            "T4.3",
            "Maximum likelihood of logistic regression: Σ(yᵢ − pᵢ)xᵢ = 0, so Σpᵢ = Σyᵢ with an intercept",
            "002 §3.1.1; 003 §3.1",
            "Logistic",
            &[N, GAP],
            true,
            likelihood_equations,
        ),
        Theorem::new(
            "T4.4",
            "Newton on the log-likelihood is w − H⁻¹g, which is iteratively reweighted least squares",
            "002 §3.1.3",
            "OptimizationMethod::Newton",
            &[N, GAP],
            false,
            reweighted,
        ),
        Theorem::new(
            "T4.5",
            "The log-likelihood of logistic regression is concave: H = −Xᵀdiag(p(1−p))X ⪯ 0",
            "002 §3.2",
            "StudyObjective::hessian",
            &[N, GAP, real("size", 1.0, 0.0, 5.0, "size of the weights")],
            true,
            concave,
        ),
        Theorem::new(
            "T4.6",
            "Separable classes have no maximum likelihood: ‖w‖ grows without end, and its direction tends to that of the largest margin",
            "002 §3.3.2; 001 §5.2",
            "QuadraticProgram, minimize",
            &[
                whole("n", 30, 10, 80, "rows"),
                real("gap", 8.0, 6.0, 12.0, "distance of the classes"),
                whole("steps", 4000, 1000, 8000, "steps"),
            ],
            false,
            separable,
        ),
        Theorem::new(
            "T4.7",
            "Novikoff: a perceptron makes at most (R/γ)² mistakes on separable rows",
            "002 §10.1.1",
            "Perceptron, Novikoff",
            &[whole("n", 40, 10, 200, "rows"), real("gap", 6.0, 5.0, 12.0, "distance of the classes")],
            false,
            novikoff,
        ),
        Theorem::new(
            "T4.8",
            "Softmax does not change when all scores shift, is σ(f₁ − f₂) for two classes, and has the gradient p − e_y",
            "000 L1; 001 §11.3; 002 §3.3.3",
            "loss::log_sum_exp",
            &[whole("k", 4, 2, 20, "classes"), real("shift", 1000.0, -1000.0, 1000.0, "what is added to all scores")],
            false,
            softmax,
        ),
        Theorem::new(
            "T4.9",
            "The rule of the largest posterior is optimal, and a plug-in rule loses at most 2 E|p̂ − p|",
            "001 §11.3; 002 §9.1",
            "probability::bayes::TableLaw",
            &[whole("values", 10, 3, 40, "values of x"), real("error", 0.2, 0.01, 0.8, "size of the errors of p̂")],
            false,
            plug_in,
        ),
        Theorem::new(
            "T4.10",
            "Cover and Hart: R* ≤ R of the nearest neighbor, as n → ∞, ≤ 2R*(1 − R*)",
            "003 §2.2",
            "probability::bayes::integrate",
            &[
                real("gap", 2.0, 0.5, 4.0, "distance of the classes"),
                whole("n", 100, 50, 200, "rows at first; ten times as many at last"),
            ],
            false,
            nearest_neighbor,
        ),
        Theorem::new(
            "T4.11",
            "k nearest neighbors are consistent if k → ∞ and k/n → 0",
            "003 §2.2; 001 §8.1",
            "excess_risk",
            &[whole("n", 40, 20, 80, "rows at first; sixteen times as many at last")],
            false,
            consistent_neighbors,
        ),
        Theorem::new(
            "T4.12",
            "The curse of dimension: the shell of width ε holds 1 − (1−2ε)^d of the cube, a share s needs edges s^{1/d}, and E d² = d/6",
            "000 L5; 003 §2.4",
            "algorithm in the open",
            &[
                whole("d", 20, 1, 100, "dimension"),
                real("epsilon", 0.05, 0.01, 0.2, "width of the shell"),
                whole("draws", 2000, 1000, 4000, "points"),
            ],
            false,
            curse,
        ),
        Theorem::new(
            "T4.13",
            "max_r{s_r + 1 − δ_ry} − s_y is at least the 0–1 loss",
            "002 §3.3.3",
            "algorithm in the open",
            &[whole("k", 4, 2, 10, "classes"), whole("n", 200, 50, 1000, "rows")],
            false,
            multi_class_margin,
        ),
    ],
};

/// The reader's rows with targets of two values as −1 and 1, or two clouds.
fn two_classes(run: &TheoremRun<'_>) -> Option<TheoremData> {
    let Some(data) = run.given() else { return Some(blobs(run.whole("n"), run.real("gap"), &mut run.stream(0))) };
    let low = data.y.iter().copied().fold(f64::INFINITY, f64::min);
    let high = data.y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let two = low < high && data.y.iter().all(|v| *v == low || *v == high);
    let scaled = Mat::from_fn(data.x.rows(), data.x.cols(), |i, j| {
        let size = data.x.view().col_iter(j).fold(0.0f64, |m, v| m.max(v.abs())).max(1e-300);
        data.x[(i, j)] / size
    });
    two.then(|| TheoremData { x: scaled, y: data.y.iter().map(|v| if *v == high { 1.0 } else { -1.0 }).collect() })
}

fn sigmoid(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

fn not_two_classes() -> TheoremCheck {
    let mut check = TheoremCheck::new();
    check.assume("the target has two values", false);
    check
}

fn surrogates(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let Some(data) = two_classes(run) else { return Ok(not_two_classes()) };
    let losses = [
        ("exponential", RowLoss::Exponential, 1.0),
        ("log₂-logistic", RowLoss::Logistic, std::f64::consts::LN_2),
        ("hinge", RowLoss::Hinge, 1.0),
        ("squared hinge", RowLoss::SquaredHinge, 1.0),
    ];
    let w: Vec<f64> = (0..data.x.cols()).map(|j| 0.5 - 0.1 * j as f64).collect();
    let scores = times(&data.x, &w);
    let total = |loss: RowLoss| data.y.iter().zip(&scores).map(|(y, z)| loss.value(*y, *z)).sum::<f64>();
    let mut check = TheoremCheck::new();
    let mut chart = Chart::new("Losses of the margin", "margin", "loss");
    for (name, loss, unit) in losses {
        let grid = (-300..=300).map(|k| f64::from(k) / 100.0);
        let excess =
            grid.clone().map(|m| RowLoss::ZeroOne.value(1.0, m) - loss.value(1.0, m) / unit).fold(f64::NEG_INFINITY, f64::max);
        check.at_most(format!("{name}: the most that the 0–1 loss is above it"), excess, 0.0);
        check.at_most(format!("{name}: errors on the rows against its sum"), total(RowLoss::ZeroOne), total(loss) / unit);
        chart = chart.with(Series::line(name, grid.map(|m| (m, loss.value(1.0, m) / unit)).collect()));
    }
    // Without the minus the losses grow with the margin.
    check.misprint_at_most("log(1 + e^{yf}) as a bound, in base 2; at the margin −2", 1.0, (1.0 + (-2.0f64).exp()).log2());
    check.note(format!(
        "with the natural logarithm the logistic loss is {:.3} at the margin 0, below 1",
        RowLoss::Logistic.value(1.0, 0.0)
    ));
    check.draw(chart);
    Ok(check)
}

fn logistic_gradient(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let z = run.real("score");
    let h = 1e-5;
    let mut check = TheoremCheck::new();
    for y in [1.0, -1.0] {
        let difference = (RowLoss::Logistic.value(y, z + h) - RowLoss::Logistic.value(y, z - h)) / (2.0 * h);
        check.equal(format!("y = {y}: difference quotient against −y/(1+e^(yz))"), difference, -y / (1.0 + (y * z).exp()), 1e-6);
        check.equal(
            format!("y = {y}: the engine's gradient"),
            RowLoss::Logistic.gradient(y, z),
            -y / (1.0 + (y * z).exp()),
            1e-12,
        );
    }
    let slope = (sigmoid(z + h) - sigmoid(z - h)) / (2.0 * h);
    check.equal("σ' against σ(1−σ)", slope, sigmoid(z) * (1.0 - sigmoid(z)), 1e-6);
    check.misprint(
        "y x/(1 + e^{yw·x}) as the gradient, without the minus",
        RowLoss::Logistic.gradient(1.0, z),
        1.0 / (1.0 + z.exp()),
    );
    Ok(check)
}

/// The same rows with some labels turned, so that no line separates them.
fn overlapping(mut data: TheoremData) -> TheoremData {
    data.y.iter_mut().step_by(7).for_each(|y| *y = -*y);
    data
}

fn likelihood_equations(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let Some(data) = two_classes(run) else { return Ok(not_two_classes()) };
    let data = if run.given().is_some() { data } else { overlapping(data) };
    let codes: Vec<u32> = data.y.iter().map(|y| u32::from(*y > 0.0)).collect();
    let names = ["no".to_owned(), "yes".to_owned()];
    let rows = DatasetRef::new(Features::F64(data.x.view())).with_target(Target::Class { codes: &codes, names: &names });
    let model = Logistic { penalty: PenaltyKind::None, tol: 1e-12, max_iter: 500, ..Logistic::default() }.fit(&rows)?;
    let mut check = TheoremCheck::new();
    if !check.given("the classes are not separable", model.separation().is_none()) {
        return Ok(check);
    }
    let p: Vec<f64> = times(&data.x, model.coef().row(0)).iter().map(|z| sigmoid(z + model.intercept()[0])).collect();
    let y: Vec<f64> = codes.iter().map(|c| f64::from(*c)).collect();
    check.equal("Σpᵢ against Σyᵢ", p.iter().sum(), y.iter().sum(), 1e-6);
    let residual = crate::algebra::transposed_times(&data.x, &sub(&y, &p));
    check.zero("largest of |Σ(yᵢ−pᵢ)xᵢ|", max_abs(&residual), 1e-6 * (1.0 + norm(data.x.as_slice())));
    Ok(check)
}

fn logistic_risk(data: &TheoremData) -> EmpiricalRisk {
    EmpiricalRisk::new(RowLoss::Logistic, data.with_ones(), data.y.clone())
}

fn reweighted(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = overlapping(blobs(run.whole("n"), run.real("gap"), &mut run.stream(0)));
    let (x, start) = (data.with_ones(), vec![0.1; 3]);
    let risk = logistic_risk(&data);
    let newton = minimize(&risk, &start, &OptimizationMethod::Newton, &StopRule { max_iter: 1, tol: 0.0 }).point;
    // Weighted least squares of the working response z = Xw + (y − p)/(p(1−p)).
    let scores = times(&x, &start);
    let p: Vec<f64> = scores.iter().map(|z| sigmoid(*z)).collect();
    let weight: Vec<f64> = p.iter().map(|p| p * (1.0 - p)).collect();
    let response: Vec<f64> = (0..p.len()).map(|i| scores[i] + (0.5 * (data.y[i] + 1.0) - p[i]) / weight[i]).collect();
    let gram = Mat::from_fn(3, 3, |a, b| (0..p.len()).map(|i| weight[i] * x[(i, a)] * x[(i, b)]).sum());
    let right: Vec<f64> = (0..3).map(|a| (0..p.len()).map(|i| weight[i] * x[(i, a)] * response[i]).sum()).collect();
    let irls = solve(&gram, &right)?;
    let mut check = TheoremCheck::new();
    check.assume("X has full rank", true);
    check.zero("Newton's step less reweighted least squares", norm(&sub(&newton, &irls)), 1e-8 * (1.0 + norm(&irls)));
    let wrong: Vec<f64> = start.iter().zip(&irls).map(|(w, n)| 2.0 * w - n).collect();
    check.misprint_at_most("w + H⁻¹g as a step that raises the log-likelihood", -risk.value(&start), -risk.value(&wrong));
    Ok(check)
}

fn concave(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let Some(data) = two_classes(run) else { return Ok(not_two_classes()) };
    let mut stream = run.stream(1);
    let risk = logistic_risk(&data);
    let w: Vec<f64> = (0..=data.x.cols()).map(|_| run.real("size") * stream.normal()).collect();
    let mut check = TheoremCheck::new();
    if let Some(h) = risk.hessian(&w) {
        let values = eigenvalues_symmetric(h.view())?;
        check.at_most("largest eigenvalue of the Hessian of the log-likelihood", -values[values.len() - 1] - 1e-14, 0.0);
        check.note(format!("its eigenvalues, per row: from {:.2e} to {:.2e}", -values[0], -values[values.len() - 1]));
    }
    Ok(check)
}

fn separable(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = blobs(run.whole("n"), run.real("gap"), &mut run.stream(0));
    // The hard margin without intercept: min ½‖w‖² with y w·x ≥ 1.
    let rows = Mat::from_fn(data.y.len(), 2, |i, j| -data.y[i] * data.x[(i, j)]);
    let program = QuadraticProgram::new(Mat::from_fn(2, 2, |i, j| f64::from(i == j)), vec![0.0; 2])?;
    let hard = program.with_inequalities(rows, vec![-1.0; data.y.len()])?.solve(QpMethod::ActiveSet)?.into_optimum();
    let mut check = TheoremCheck::new();
    if !check.given("the classes are separable", hard.is_some()) {
        return Ok(check);
    }
    let direction = hard.map(|h| h.x).unwrap_or_default();
    let risk = EmpiricalRisk::new(RowLoss::Logistic, data.x, data.y);
    let (_, most) = risk.curvatures(&[0.0; 2])?;
    let at = |steps: usize| {
        minimize(&risk, &[0.0; 2], &OptimizationMethod::FixedStep { step: 1.0 / most }, &StopRule { max_iter: steps, tol: 0.0 })
            .point
    };
    let angle = |w: &[f64]| (1.0 - (dot(w, &direction) / norm(w) / norm(&direction)).powi(2)).max(0.0).sqrt();
    let (early, late) = (at(run.whole("steps") / 100), at(run.whole("steps")));
    check.at_most("‖w‖ early against late", norm(&early), norm(&late));
    check.trend("sine of the angle to the hard margin, early and late", angle(&early).max(1e-3), angle(&late));
    check.note(format!("‖w‖ went from {:.3} to {:.3}; the direction turns by 1/log t", norm(&early), norm(&late)));
    Ok(check)
}

fn novikoff(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = blobs(run.whole("n"), run.real("gap"), &mut run.stream(0));
    let codes: Vec<u32> = data.y.iter().map(|y| u32::from(*y > 0.0)).collect();
    let names = ["-".to_owned(), "+".to_owned()];
    let rows = DatasetRef::new(Features::F64(data.x.view())).with_target(Target::Class { codes: &codes, names: &names });
    let model = Perceptron { tol: None, max_iter: 1000, ..Perceptron::default() }.fit(&rows)?;
    let mut check = TheoremCheck::new();
    let Some(Some(bound)) = model.novikoff().first() else {
        check.assume("the classes are separable, the start is 0, the steps are equal", false);
        return Ok(check);
    };
    check.assume("the classes are separable, the start is 0, the steps are equal", true);
    let mistakes: u64 = model.mistakes()[0].iter().sum();
    check.at_most("mistakes against (R/γ)² of the widest margin found", mistakes as f64, bound.best_bound);
    check.at_most("that bound against the one of the perceptron's own margin", bound.best_bound, bound.bound);
    Ok(check)
}

fn softmax(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (k, shift) = (run.whole("k"), run.real("shift"));
    let mut stream = run.stream(0);
    let scores: Vec<f64> = (0..k).map(|_| 2.0 * stream.normal()).collect();
    let of = |z: &[f64]| -> Vec<f64> {
        let top = log_sum_exp(z);
        z.iter().map(|v| (v - top).exp()).collect()
    };
    let (p, shifted) = (of(&scores), of(&scores.iter().map(|v| v + shift).collect::<Vec<_>>()));
    let mut check = TheoremCheck::new();
    check.zero("softmax less softmax of shifted scores", max_abs(&sub(&p, &shifted)), 1e-12 * (1.0 + shift.abs()));
    let pair = of(&scores[..2]);
    check.equal("two classes: softmax against σ(f₁ − f₂)", pair[0], sigmoid(scores[0] - scores[1]), 1e-12);
    let loss = |z: &[f64]| log_sum_exp(z) - z[0];
    let worst = (0..k).map(|j| {
        let (mut up, mut down) = (scores.clone(), scores.clone());
        up[j] += 1e-5;
        down[j] -= 1e-5;
        ((loss(&up) - loss(&down)) / 2e-5 - (p[j] - f64::from(j == 0))).abs()
    });
    check.zero("difference quotients of the loss less p − e_y", worst.fold(0.0, f64::max), 1e-6);
    check.equal("Σp", p.iter().sum(), 1.0, 1e-12);
    Ok(check)
}

fn plug_in(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let values = run.whole("values");
    let mut stream = run.stream(0);
    let raw: Vec<f64> = (0..2 * values).map(|_| stream.uniform() + 0.01).collect();
    let total: f64 = raw.iter().sum();
    let law = TableLaw::new(Mat::from_vec(values, 2, raw.iter().map(|v| v / total).collect()))?;
    let (mut rule, mut distance) = (Vec::new(), 0.0);
    for i in 0..values {
        let here = law.table().row(i);
        let p = here[1] / (here[0] + here[1]);
        let guess = (p + run.real("error") * (2.0 * stream.uniform() - 1.0)).clamp(0.0, 1.0);
        rule.push(usize::from(guess > 0.5));
        distance += (here[0] + here[1]) * (guess - p).abs();
    }
    let mut check = TheoremCheck::new();
    check.assume("the law is known", true);
    check.at_most("excess risk of the plug-in rule against 2E|p̂−p|", law.risk(&rule) - law.bayes_risk(), 2.0 * distance);
    check.at_most("R* against the risk of the plug-in rule", law.bayes_risk(), law.risk(&rule));
    Ok(check)
}

/// The risk of the k nearest neighbors on n rows of a law on a line, less the Bayes risk.
fn neighbors_excess(law: &GaussianClasses, n: usize, k: usize, run: &TheoremRun<'_>, r: u64) -> f64 {
    let mut stream = run.stream(100 + r);
    let mut rows: Vec<(f64, usize)> = (0..n).map(|_| law.draw(&mut stream)).map(|(x, c)| (x[0], c)).collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut vote = |x: &[f64]| {
        let mut low = rows.partition_point(|row| row.0 < x[0]).saturating_sub(k).min(n - k);
        while low + k < n && rows[low + k].0 - x[0] < x[0] - rows[low].0 {
            low += 1;
        }
        usize::from(2 * rows[low..low + k].iter().map(|r| r.1).sum::<usize>() > k)
    };
    excess_risk(law, &mut vote, 300, r).mean
}

fn nearest_neighbor(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let gap = run.real("gap");
    let law = GaussianClasses::on_line(&[0.5, 0.5], &[-0.5 * gap, 0.5 * gap], &[1.0, 1.0])?;
    let best = bayes_risk_on_line(&law, -12.0, 12.0, 1e-10).value;
    // In the limit the neighbor has the posterior of the row: it errs with probability 2p(1−p).
    let limit = integrate(
        &|x| {
            let p = law.joint(&[x]);
            2.0 * p[0] * p[1] / (p[0] + p[1]).max(1e-300)
        },
        -12.0,
        12.0,
        1e-10,
    );
    let mut check = TheoremCheck::new();
    check.suppose("n → ∞");
    check.at_most("R* against the limit E 2p(1−p)", best, limit.value);
    check.at_most("that limit against 2R*(1−R*)", limit.value, 2.0 * best * (1.0 - best));
    let off = |n: usize| {
        let draws: Vec<f64> = (0..24).map(|r| neighbors_excess(&law, n, 1, run, r)).collect();
        let (m, e) = mean_and_error(&draws);
        (best + m, e)
    };
    let (risk, error) = off(10 * run.whole("n"));
    check.note(format!(
        "simulated at n = {}: {risk:.4} ± {error:.4}, limit {:.4}; small samples may exceed it",
        10 * run.whole("n"),
        limit.value
    ));
    Ok(check)
}

fn consistent_neighbors(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let law = GaussianClasses::on_line(&[0.5, 0.5], &[-0.5, 0.5], &[1.0, 1.0])?;
    let first = run.whole("n");
    let curve = |k: &dyn Fn(usize) -> usize| -> Vec<(f64, f64)> {
        (0..5)
            .map(|d| first << d)
            .map(|n| (n as f64, mean(&(0..12).map(|r| neighbors_excess(&law, n, k(n), run, r)).collect::<Vec<_>>())))
            .collect()
    };
    let (growing, fixed) = (curve(&|n| (n as f64).sqrt() as usize | 1), curve(&|_| 1));
    let mut check = TheoremCheck::new();
    check.assume("k → ∞ and k/n → 0 (k = √n)", true);
    check.trend("excess risk with k = √n at n and at 16n", growing[0].1, growing[4].1);
    check.note(format!("with k = 1 it stays at {:.4}", fixed[4].1));
    check.draw(
        Chart::new("Excess risk of nearest neighbors", "rows", "excess risk")
            .log_x()
            .with(Series::line("k = √n", growing))
            .with(Series::line("k = 1", fixed)),
    );
    Ok(check)
}

fn curse(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (d, epsilon, draws) = (run.whole("d"), run.real("epsilon"), run.whole("draws"));
    let mut stream = run.stream(0);
    let (mut shell, mut square) = (Vec::new(), Vec::new());
    for _ in 0..draws {
        let x: Vec<f64> = (0..d).map(|_| stream.uniform()).collect();
        shell.push(f64::from(x.iter().any(|v| *v < epsilon || *v > 1.0 - epsilon)));
        square.push(x.iter().map(|v| (v - stream.uniform()).powi(2)).sum::<f64>());
    }
    let share = 1.0 - (1.0 - 2.0 * epsilon).powi(d as i32);
    let mut check = TheoremCheck::new();
    check.assume("uniform on the cube", true);
    let (m, e) = mean_and_error(&shell);
    check.simulated("share in the shell and 1 − (1−2ε)^d", (m, e.max((share * (1.0 - share) / draws as f64).sqrt())), share);
    check.simulated("mean squared distance and d/6", mean_and_error(&square), d as f64 / 6.0);
    let edge = 0.1f64.powf(1.0 / d as f64);
    check.equal("a cube with edges s^{1/d} holds the share s = 0.1", edge.powi(d as i32), 0.1, 1e-12);
    // Var (u−v)² = 7/180: the relative spread of d² is √(7/180)·6/√d.
    let spread = (square.iter().map(|v| (v - d as f64 / 6.0).powi(2)).sum::<f64>() / draws as f64).sqrt();
    check.note(format!(
        "relative spread of squared distances {:.4}, by formula {:.4}",
        spread / (d as f64 / 6.0),
        (7.0f64 / 180.0).sqrt() * 6.0 / (d as f64).sqrt()
    ));
    Ok(check)
}

fn multi_class_margin(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let k = run.whole("k");
    let mut stream = run.stream(0);
    let (mut worst, mut loss, mut errors) = (f64::NEG_INFINITY, 0.0, 0.0);
    for _ in 0..run.whole("n") {
        let s: Vec<f64> = (0..k).map(|_| stream.normal()).collect();
        let y = stream.below(k);
        let margin = (0..k).map(|r| s[r] + f64::from(r != y)).fold(f64::NEG_INFINITY, f64::max) - s[y];
        let wrong = f64::from((0..k).any(|r| r != y && s[r] >= s[y]));
        worst = worst.max(wrong - margin);
        (loss, errors) = (loss + margin, errors + wrong);
    }
    let mut check = TheoremCheck::new();
    check.at_most("the most that the 0–1 loss of a row is above", worst, 0.0);
    check.at_most("errors against the sum of the loss", errors, loss);
    Ok(check)
}
