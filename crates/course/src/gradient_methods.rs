//! Chapter 2: gradient methods.

use ermine_core::Result;
use ermine_math::linalg::eigenvalues_symmetric;
use ermine_math::loss::RowLoss;
use ermine_math::optimize::study::{
    EmpiricalRisk, OptimizationMethod, Quadratic, StepSchedule, StopRule, StudyObjective, minimize, rate,
};
use ermine_report::chart::{Chart, Series};

use crate::algebra::{dot, gram, least_squares, mean_and_error, norm, solve, sub, times};
use crate::check::TheoremCheck;
use crate::data::{TheoremData, blobs, line_data};
use crate::theorem::{Chapter, Theorem, TheoremParam, TheoremRun, real, whole};

const N: TheoremParam = whole("n", 60, 20, 400, "rows");
const P: TheoremParam = whole("p", 3, 2, 6, "columns");
const KAPPA: TheoremParam = real("kappa", 10.0, 2.0, 100.0, "condition number, λmax / λmin");
const STEPS: TheoremParam = whole("steps", 40, 10, 200, "steps");

pub(crate) const CHAPTER: Chapter = Chapter {
    number: 2,
    title: "Gradient methods",
    theorems: &[
        Theorem::new(
            "T2.1",
            "On a quadratic ‖w_t − w*‖ ≤ ρᵗ‖w₀ − w*‖ with ρ = ‖I − ηH‖, H the Hessian of the loss that is used",
            "001 §3, 3.1; 000 L5",
            "optimize::study::rate::fixed_step",
            &[N, P, STEPS, real("step", 1.0, 0.1, 1.9, "η in units of 1/λmax")],
            true,
            linear_rate,
        ),
        Theorem::new(
            "T2.2",
            "The best fixed step is 2/(λmin + λmax), with rate (κ−1)/(κ+1)",
            "001 §3.1",
            "OptimizationMethod::OptimalStep",
            &[KAPPA],
            false,
            best_step,
        ),
        Theorem::new(
            "T2.3",
            "Gradient descent diverges if and only if η > 2/λmax; there it grows by |1 − ηλmax| per step",
            "001 §3.1; 002 §2.5",
            "rate::fixed_step",
            &[KAPPA, real("step", 2.2, 1.8, 3.0, "η in units of 1/λmax")],
            false,
            divergence,
        ),
        Theorem::new(
            "T2.4",
            "Convex and L-smooth, η ≤ 1/L: f(w_t) − f* ≤ ‖w₀ − w*‖² / (2ηt)",
            "002 §3.2; 004 §1.1.3",
            "EmpiricalRisk, minimize",
            &[N, STEPS, real("gap", 1.0, 0.2, 2.0, "distance of the classes")],
            false,
            convex_rate,
        ),
        Theorem::new(
            "T2.5",
            "Heavy ball with η = 4/(√m+√L)², γ = ((√κ−1)/(√κ+1))² has rate (√κ−1)/(√κ+1)",
            "002 §10.1.3",
            "rate::best_momentum, OptimizationMethod::Momentum",
            &[real("kappa", 50.0, 10.0, 400.0, "condition number")],
            false,
            heavy_ball,
        ),
        Theorem::new(
            "T2.6",
            "A mini-batch gradient is unbiased, with variance σ²/B · (n−B)/(n−1) without replacement",
            "000 L5; 004 §1.1.3",
            "StudyObjective::batch_gradient",
            &[whole("n", 9, 4, 11, "rows"), whole("batch", 3, 1, 3, "rows in a batch")],
            false,
            mini_batches,
        ),
        Theorem::new(
            "T2.7",
            "SGD with a constant step stalls at a floor that is proportional to a small step, and at 0 where every row is fitted exactly",
            "000 L5; 002 §3.3.1",
            "algorithm in the open",
            &[whole("n", 60, 30, 120, "rows"), real("step", 0.02, 0.005, 0.03, "step")],
            false,
            sgd_floor,
        ),
        Theorem::new(
            "T2.8",
            "Steps with Σηₜ = ∞ and Σηₜ² < ∞ let SGD converge (Robbins and Monro)",
            "000 L5; 002 §3.3.1",
            "algorithm in the open",
            &[whole("n", 60, 30, 200, "rows"), whole("epochs", 120, 80, 200, "passes over the rows")],
            false,
            robbins_monro,
        ),
        Theorem::new(
            "T2.9",
            "Newton's method solves a quadratic in one step, and near a minimum squares the error: stop by ½gᵀH⁻¹g",
            "002 §3.1.3; 001 §3",
            "OptimizationMethod::Newton",
            &[N, P],
            false,
            newton,
        ),
        Theorem::new(
            "T2.10",
            "The rule of Widrow and Hoff, w += η(y − w·x)x, is a gradient step on ½r²",
            "004 §1.1.3; 002 §2.5",
            "StudyObjective::batch_gradient",
            &[whole("p", 3, 1, 10, "columns"), real("step", 0.1, 0.001, 1.0, "η")],
            false,
            widrow_hoff,
        ),
        Theorem::new(
            "T2.11",
            "Proximal gradient with step 1/L: F(w_t) − F* ≤ L‖w₀ − w*‖²/(2t)",
            "002 §2.5",
            "OptimizationMethod::ProximalGradient",
            &[N, P, STEPS, real("l1", 0.2, 0.01, 1.0, "weight of |w|₁")],
            false,
            proximal,
        ),
    ],
};

fn after(f: &dyn StudyObjective, start: &[f64], method: &OptimizationMethod, steps: usize) -> Vec<f64> {
    if steps == 0 { start.to_vec() } else { minimize(f, start, method, &StopRule { max_iter: steps, tol: 0.0 }).point }
}

fn linear_rate(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = run.line(run.whole("n"), run.whole("p"), 1.0).centered();
    let best = least_squares(&data.x, &data.y);
    let h = gram(&data.x, 0.0);
    let values = eigenvalues_symmetric(h.view())?;
    let (most, least) = (values[0], values[values.len() - 1]);
    let mut check = TheoremCheck::new();
    let regular = best.is_ok() && least > 1e-10 * most;
    if !check.given("H is positive definite", regular) {
        return Ok(check);
    }
    let best = best?;
    // ½‖Xw − y‖², whose Hessian is XᵀX.
    let right: Vec<f64> = crate::algebra::transposed_times(&data.x, &data.y);
    let f = Quadratic::new(h, right);
    let step = run.real("step") / most;
    let rho = rate::fixed_step(step, least, most);
    let start = vec![0.0; best.len()];
    let first = norm(&best);
    let steps = run.whole("steps");
    let method = OptimizationMethod::FixedStep { step };
    let distances: Vec<f64> = (0..=steps).map(|t| norm(&sub(&after(&f, &start, &method, t), &best))).collect();
    let floor = 1e-12 * first;
    let worst = (0..=steps).map(|t| distances[t] - rho.powi(t as i32) * first).fold(f64::NEG_INFINITY, f64::max);
    check.at_most("distance after all steps against ρᵗ‖w₀ − w*‖", distances[steps] - floor, rho.powi(steps as i32) * first);
    check.at_most("largest excess over the bound at any step", worst, floor);
    check.note(format!("ρ = {rho:.4}, condition {:.1}", most / least));
    let n = data.y.len() as f64;
    check.misprint(
        "ρ = ‖I − ηXᵀX‖ for the loss (1/n)‖·‖², whose contraction along the first eigenvector is",
        (1.0 - step * 2.0 / n * most).abs(),
        (1.0 - step * most).abs(),
    );
    let bound = (0..=steps).map(|t| (t as f64, (rho.powi(t as i32) * first).max(1e-16))).collect();
    let seen = distances.iter().enumerate().map(|(t, d)| (t as f64, d.max(1e-16))).collect();
    check.draw(
        Chart::new("Distance to the minimum", "step", "distance")
            .log_y()
            .with(Series::line("observed", seen))
            .with(Series::dashed("ρᵗ", bound)),
    );
    Ok(check)
}

fn best_step(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let kappa = run.real("kappa");
    let f = Quadratic::diagonal(&[1.0, kappa]);
    let path = minimize(
        &f,
        &[kappa, 1.0],
        &OptimizationMethod::OptimalStep { least: 1.0, most: kappa },
        &StopRule { max_iter: 60, tol: 1e-13 },
    );
    let mut check = TheoremCheck::new();
    check.assume("the start has parts along both extreme eigenvectors", true);
    check.equal(
        "observed rate from the worst start against (κ−1)/(κ+1)",
        path.observed_rate().unwrap_or(f64::NAN),
        (kappa - 1.0) / (kappa + 1.0),
        1e-3,
    );
    for factor in [0.8, 1.2] {
        let step = factor * 2.0 / (1.0 + kappa);
        check.at_most(
            format!("rate of the best step against that of {factor} times it"),
            rate::optimal_step(1.0, kappa),
            rate::fixed_step(step, 1.0, kappa),
        );
    }
    Ok(check)
}

fn divergence(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (kappa, step) = (run.real("kappa"), run.real("step") / run.real("kappa"));
    let f = Quadratic::diagonal(&[1.0, kappa]);
    let method = OptimizationMethod::FixedStep { step };
    let start = [0.0, 1.0];
    let (ten, eleven) = (after(&f, &start, &method, 10), after(&f, &start, &method, 11));
    let growth = norm(&eleven) / norm(&ten);
    let mut check = TheoremCheck::new();
    check.assume("the start has a part along the eigenvector of λmax", true);
    check.equal("growth per step against |1 − ηλmax|", growth, (1.0 - step * kappa).abs(), 1e-3);
    check.equal(
        "diverges (1) or not (0), against η > 2/λmax",
        f64::from(growth > 1.0 + 1e-9),
        f64::from(step > 2.0 / kappa * (1.0 + 1e-9)),
        0.0,
    );
    Ok(check)
}

fn convex_rate(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = blobs(run.whole("n"), run.real("gap"), &mut run.stream(0));
    let n = data.y.len() as f64;
    // Rows of both classes in the same places, so that the minimum exists.
    let mut x = data.x.clone();
    x.append_rows(data.x.clone());
    let y: Vec<f64> =
        data.y.iter().copied().chain(data.y.iter().enumerate().map(|(i, y)| if i % 3 == 0 { -y } else { *y })).collect();
    let most = eigenvalues_symmetric(gram(&x, 0.0).view())?[0] / (2.0 * n);
    let (risk, bound) = (EmpiricalRisk::new(RowLoss::Logistic, x, y), 0.25 * most);
    let start = vec![0.0; 2];
    let minimum = minimize(&risk, &start, &OptimizationMethod::Newton, &StopRule { max_iter: 100, tol: 1e-9 });
    let mut check = TheoremCheck::new();
    check.assume("a minimum exists (the classes are not separable)", minimum.converged);
    check.assume("η ≤ 1/L", true);
    let step = 1.0 / bound;
    let path =
        minimize(&risk, &start, &OptimizationMethod::FixedStep { step }, &StopRule { max_iter: run.whole("steps"), tol: 0.0 });
    let square = dot(&minimum.point, &minimum.point);
    let gaps: Vec<f64> = path.course.iter().map(|c| c.objective - minimum.value).collect();
    let t = gaps.len() - 1;
    check.at_most("gap after all steps against the bound", gaps[t], square / (2.0 * step * t as f64));
    let worst = (1..gaps.len()).map(|t| gaps[t] - square / (2.0 * step * t as f64)).fold(f64::NEG_INFINITY, f64::max);
    check.at_most("largest excess over the bound", worst, 1e-12);
    Ok(check)
}

fn heavy_ball(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let kappa = run.real("kappa");
    let (step, momentum) = rate::best_momentum(1.0, kappa);
    let f = Quadratic::diagonal(&[1.0, kappa]);
    let predicted = (kappa.sqrt() - 1.0) / (kappa.sqrt() + 1.0);
    // Long enough for the polynomial factor in front of the power to matter little.
    let steps = (25.0 / -predicted.ln()) as usize;
    let path =
        minimize(&f, &[1.0, 1.0], &OptimizationMethod::Momentum { step, momentum }, &StopRule { max_iter: steps, tol: 0.0 });
    let mut check = TheoremCheck::new();
    check.assume("the objective is quadratic", true);
    check.equal("√γ against (√κ−1)/(√κ+1)", momentum.sqrt(), predicted, 1e-12);
    check.equal("observed rate against √γ", path.observed_rate().unwrap_or(f64::NAN), predicted, 2e-2);
    check.at_most("rate against that of gradient descent", predicted, rate::optimal_step(1.0, kappa));
    Ok(check)
}

/// All subsets of a size as bit sets.
fn subsets(n: usize, size: usize) -> impl Iterator<Item = Vec<usize>> {
    (0u32..1 << n).filter(move |s| s.count_ones() as usize == size).map(move |s| (0..n).filter(|i| s >> i & 1 == 1).collect())
}

fn mini_batches(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, size) = (run.whole("n"), run.whole("batch"));
    let data = line_data(n, 1, 1.0, &mut run.stream(0));
    let risk = EmpiricalRisk::new(RowLoss::Squared, data.x, data.y);
    let (at, mut g) = ([0.3], vec![0.0]);
    let gradient = |rows: &[usize]| {
        let mut g = vec![0.0];
        risk.batch_gradient(&at, rows, &mut g);
        g[0]
    };
    risk.gradient(&at, &mut g);
    let all: Vec<f64> = subsets(n, size).map(|b| gradient(&b)).collect();
    let single: Vec<f64> = (0..n).map(|i| gradient(&[i])).collect();
    let variance = |v: &[f64]| {
        let m = crate::algebra::mean(v);
        v.iter().map(|v| (v - m).powi(2)).sum::<f64>() / v.len() as f64
    };
    let (n, b) = (n as f64, size as f64);
    let mut check = TheoremCheck::new();
    check.equal("mean over all batches against the gradient", crate::algebra::mean(&all), g[0], 1e-10);
    check.equal(
        "variance over all batches against σ²/B · (n−B)/(n−1)",
        variance(&all),
        variance(&single) / b * (n - b) / (n - 1.0),
        1e-10,
    );
    Ok(check)
}

/// Distances to the minimum at the end of each epoch of SGD on ½r², rows drawn with replacement.
fn sgd(data: &TheoremData, best: &[f64], step: &dyn Fn(usize) -> f64, epochs: usize, run: &TheoremRun<'_>) -> Vec<f64> {
    let (n, mut w, mut stream) = (data.y.len(), vec![0.0; best.len()], run.stream(7));
    let mut out = Vec::with_capacity(epochs);
    for epoch in 0..epochs {
        let mut total = 0.0;
        for t in 0..n {
            let i = stream.below(n);
            let r = data.y[i] - dot(data.x.row(i), &w);
            let eta = step(epoch * n + t);
            w.iter_mut().zip(data.x.row(i)).for_each(|(w, x)| *w += eta * r * x);
            total += sub(&w, best).iter().map(|d| d * d).sum::<f64>();
        }
        out.push(total / n as f64);
    }
    out
}

fn sgd_floor(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = line_data(run.whole("n"), 2, 1.0, &mut run.stream(0)).centered();
    let best = least_squares(&data.x, &data.y)?;
    let step = run.real("step");
    // The mean over many epochs after the start is forgotten; epochs are correlated over 1/(ηλ n) of them, so blocks give the error.
    let floor = |eta: f64| {
        let d = sgd(&data, &best, &|_| eta, 1200, run);
        let blocks: Vec<f64> = d[200..].chunks(100).map(crate::algebra::mean).collect();
        mean_and_error(&blocks)
    };
    let ((a, ea), (b, eb)) = (floor(step), floor(0.5 * step));
    let ratio = a / b;
    let error = ratio * ((ea / a).powi(2) + (eb / b).powi(2)).sqrt();
    let mut check = TheoremCheck::new();
    check.assume("strongly convex", true).suppose("the step is small enough for the first order");
    // A band of 10 % for the terms of higher order in the step.
    check.simulated("floor at η over floor at η/2, against 2", (ratio, error.max(0.05)), 2.0);
    let exact = TheoremData { y: times(&data.x, &best), x: data.x.clone() };
    let d = sgd(&exact, &best, &|_| step.max(0.01), 200, run);
    check.zero("floor where every row is fitted exactly", d[d.len() - 1], 1e-6);
    Ok(check)
}

fn robbins_monro(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = line_data(run.whole("n"), 2, 1.0, &mut run.stream(0)).centered();
    let best = least_squares(&data.x, &data.y)?;
    let epochs = run.whole("epochs");
    let n = data.y.len() as f64;
    let falling = sgd(&data, &best, &|t| 0.1 / (1.0 + 0.1 * t as f64 / 2.0), epochs, run);
    let constant = sgd(&data, &best, &|_| 0.1, epochs, run);
    let mut check = TheoremCheck::new();
    check.assume("convex, noise of bounded variance", true);
    let tail = |d: &[f64]| crate::algebra::mean(&d[d.len() - 20..]);
    check.trend("mean squared distance: constant step against falling steps", tail(&constant), tail(&falling));
    let curve = |d: &[f64]| d.iter().enumerate().map(|(t, d)| (n * (t + 1) as f64, d.max(1e-16))).collect::<Vec<_>>();
    check.draw(
        Chart::new("Squared distance of SGD", "row", "distance")
            .log_y()
            .with(Series::line("falling steps", curve(&falling)))
            .with(Series::line("constant step", curve(&constant))),
    );
    Ok(check)
}

fn newton(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = line_data(run.whole("n"), run.whole("p"), 1.0, &mut run.stream(0)).centered();
    let best = least_squares(&data.x, &data.y)?;
    let squares = EmpiricalRisk::new(RowLoss::Squared, data.x.clone(), data.y.clone());
    let one = after(&squares, &vec![0.0; best.len()], &OptimizationMethod::Newton, 1);
    let mut check = TheoremCheck::new();
    check.assume("H is positive definite", true);
    check.zero("distance to the minimum of a quadratic after one step", norm(&sub(&one, &best)), 1e-8 * (1.0 + norm(&best)));
    let labels: Vec<f64> = data.y.iter().map(|v| v.signum()).collect();
    let logistic = EmpiricalRisk::new(RowLoss::Logistic, data.x, labels).penalized(0.0, 0.1);
    let start = vec![0.0; best.len()];
    let minimum = after(&logistic, &start, &OptimizationMethod::Newton, 60);
    let errors: Vec<f64> =
        (0..8).map(|t| norm(&sub(&after(&logistic, &start, &OptimizationMethod::Newton, t), &minimum))).collect();
    let near: Vec<f64> = errors.iter().copied().filter(|e| *e > 1e-7 && *e < 0.5).collect();
    if let [.., a, b] = near[..] {
        check.note(format!("errors {a:.1e}, then {b:.1e}: the exponent is {:.2}", b.ln() / a.ln()));
    }
    check.trend("error of the logistic risk after one and after four steps", errors[1], errors[4]);
    // The decrement against the true gap, one step before the end.
    let at = after(&logistic, &start, &OptimizationMethod::Newton, 1);
    let mut g = vec![0.0; at.len()];
    logistic.gradient(&at, &mut g);
    if let Some(h) = logistic.hessian(&at) {
        let step = solve(&h, &g)?;
        check.equal(
            "½gᵀH⁻¹g against the gap, relative to the value",
            0.5 * dot(&g, &step),
            logistic.value(&at) - logistic.value(&minimum),
            1e-2,
        );
        // The log-likelihood has the Hessian −nH and the gradient −ng: the step that rises is w − H⁻¹g, which is the step above.
        let up = |sign: f64| {
            let moved: Vec<f64> = at.iter().zip(&step).map(|(w, s)| w - sign * s).collect();
            -logistic.value(&moved)
        };
        check.misprint_at_most(
            "w + H⁻¹g with the Hessian of the log-likelihood as a step that raises it",
            -logistic.value(&at),
            up(-1.0),
        );
        check.at_most("log-likelihood before against after the step w − H⁻¹g", -logistic.value(&at), up(1.0));
    }
    Ok(check)
}

fn widrow_hoff(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (p, step) = (run.whole("p"), run.real("step"));
    let data = line_data(8, p, 1.0, &mut run.stream(0));
    let mut stream = run.stream(1);
    let w: Vec<f64> = (0..p).map(|_| stream.normal()).collect();
    let r = data.y[0] - dot(data.x.row(0), &w);
    let rule: Vec<f64> = w.iter().zip(data.x.row(0)).map(|(w, x)| w + step * r * x).collect();
    let mut g = vec![0.0; p];
    EmpiricalRisk::new(RowLoss::Squared, data.x, data.y).batch_gradient(&w, &[0], &mut g);
    let descent: Vec<f64> = w.iter().zip(&g).map(|(w, g)| w - step * g).collect();
    let mut check = TheoremCheck::new();
    check.zero("step of the rule less step of the gradient of ½r²", norm(&sub(&rule, &descent)), 1e-12 * (1.0 + norm(&rule)));
    Ok(check)
}

fn proximal(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = line_data(run.whole("n"), run.whole("p"), 1.0, &mut run.stream(0)).centered();
    let p = data.x.cols();
    let risk = EmpiricalRisk::new(RowLoss::Squared, data.x, data.y).penalized(run.real("l1"), 0.0);
    let (_, most) = risk.curvatures(&vec![0.0; p])?;
    let start = vec![0.0; p];
    let method = OptimizationMethod::ProximalGradient { step: 1.0 / most };
    let minimum = after(&risk, &start, &OptimizationMethod::CoordinateDescent, 2000);
    let path = minimize(&risk, &start, &method, &StopRule { max_iter: run.whole("steps"), tol: 0.0 });
    let (best, square) = (risk.value(&minimum), dot(&minimum, &minimum));
    let mut check = TheoremCheck::new();
    check.assume("the step is at most 1/L", true).assume("convex", true);
    let gap = |t: usize| path.course[t].objective - best;
    let last = path.course.len() - 1;
    check.at_most("gap after all steps against L‖w₀−w*‖²/(2t)", gap(last) - 1e-13, most * square / (2.0 * last as f64));
    let worst = (1..=last).map(|t| gap(t) - most * square / (2.0 * t as f64)).fold(f64::NEG_INFINITY, f64::max);
    check.at_most("largest excess over the bound", worst, 1e-12);
    let schedule = StepSchedule::Inverse { first: 1.0 / most, decay: 0.1 };
    let sub = minimize(
        &risk,
        &start,
        &OptimizationMethod::Subgradient { schedule },
        &StopRule { max_iter: run.whole("steps"), tol: 0.0 },
    );
    check.note(format!("gap of as many subgradient steps: {:.2e}, of proximal ones: {:.2e}", sub.value - best, gap(last)));
    Ok(check)
}
