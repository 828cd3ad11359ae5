//! Chapter 1: least squares and feature maps.

use ermine_core::{DatasetRef, Features, Learner, Mat, Model, Result, Target};
use ermine_linear::{Huber, Ols, OlsModel, Stepwise, StepwiseCriterion};
use ermine_math::loss::RowLoss;
use ermine_math::optimize::study::{EmpiricalRisk, OptimizationMethod, Quadratic, StopRule, StudyObjective, minimize};
use ermine_report::chart::{Chart, Series};

use crate::algebra::{dot, gram, least_squares, max_abs, mean, norm, pseudo_inverse, sub, times, transposed_times};
use crate::check::TheoremCheck;
use crate::data::TheoremData;
use crate::theorem::{Chapter, Theorem, TheoremParam, TheoremRun, real, whole};

const N: TheoremParam = whole("n", 60, 10, 400, "rows");
const P: TheoremParam = whole("p", 3, 1, 6, "columns");
const NOISE: TheoremParam = real("noise", 1.0, 0.05, 5.0, "standard deviation of the noise");

pub(crate) const CHAPTER: Chapter = Chapter {
    number: 1,
    title: "Least squares and feature maps",
    theorems: &[
        Theorem::new(
            "T1.1",
            "The least-squares coefficients solve the normal equations XᵀX ŵ = Xᵀy",
            "000 L1; 001 §2.1; 002 §2.1; 003 §2.1; 004 §1.1.3",
            "Ols",
            &[N, P, NOISE],
            true,
            normal_equations,
        ),
        Theorem::new(
            "T1.2",
            "One feature: w₁ = Σ(x−x̄)(y−ȳ) / Σ(x−x̄)², w₀ = ȳ − w₁x̄",
            "002 §2.1.1; 003 §2.1; 004 §1.1.3",
            "Ols",
            &[N, NOISE],
            true,
            one_feature,
        ),
        Theorem::new(
            "T1.3",
            "With an intercept the residuals have mean 0 and no correlation with any column",
            "000 L1; 001 §2.1.1",
            "OlsModel::residual_checks",
            &[N, P, NOISE],
            true,
            residuals,
        ),
        Theorem::new(
            "T1.4",
            "‖y−ȳ‖² = ‖ŷ−ȳ‖² + ‖y−ŷ‖², and R² is the ratio of the first two",
            "000 L1; 003 §2.1",
            "FitStatistics",
            &[N, P, NOISE],
            true,
            pythagoras,
        ),
        Theorem::new(
            "T1.5",
            "All minimizers are Φ†y + (I − Φ†Φ)u; they fit alike, and Φ†y is the shortest",
            "000 L1; 001 §2.2; 002 §2.1.3",
            "OlsModel::solution, null_space",
            &[
                N,
                whole("p", 4, 2, 8, "columns, the last being the sum of the others"),
                real("u", 1.0, -5.0, 5.0, "how far to go along the family"),
            ],
            false,
            family,
        ),
        Theorem::new(
            "T1.6",
            "Gradient descent from 0 on squares tends to Φ†y",
            "001 §3; 000 L5",
            "optimize::study::minimize",
            &[
                whole("n", 8, 4, 12, "rows"),
                whole("p", 14, 13, 20, "columns, more than rows"),
                whole("steps", 2000, 200, 4000, "steps"),
            ],
            false,
            implicit_bias,
        ),
        Theorem::new(
            "T1.7",
            "Under normal noise the least-squares coefficients have the largest likelihood, with σ̂² = RSS/n",
            "002 §2.2.2; 003 §2.1",
            "FitStatistics::log_likelihood",
            &[N, P, NOISE, real("shift", 0.1, 0.001, 2.0, "how far other coefficients are away")],
            true,
            gaussian_likelihood,
        ),
        Theorem::new(
            "T1.8",
            "∂(aᵀb)/∂a = b, ∂(aᵀBa)/∂a = (B+Bᵀ)a, and the Hessian of ½‖Xw−y‖² is XᵀX",
            "002 §4.2",
            "StudyObjective::gradient",
            &[whole("p", 4, 2, 10, "dimension")],
            false,
            matrix_calculus,
        ),
        Theorem::new(
            "T1.9",
            "Huber's loss bounds the pull of a residual: |dL/dr| ≤ δ, while that of the square grows without end",
            "000 L1; 001 §2.2",
            "RowLoss::Huber, Huber",
            &[
                whole("n", 40, 20, 200, "rows"),
                real("outlier", 100.0, 20.0, 1000.0, "how far one target is moved"),
                real("delta", 1.0, 0.1, 10.0, "where the loss turns"),
            ],
            false,
            huber_bound,
        ),
        Theorem::new(
            "T1.10",
            "A constant fitted by squares is the mean, by absolute loss the median, by pinball loss a quantile, by expectile loss an expectile",
            "000 L1; 002 §1.2.4",
            "RowLoss",
            &[whole("n", 41, 11, 201, "values"), real("tau", 0.7, 0.1, 0.9, "level")],
            true,
            constants,
        ),
        Theorem::new(
            "T1.11",
            "Greedy stepwise selection never raises the RSS, and never has less than the best subset of its size",
            "002 §5.2.1",
            "Stepwise",
            &[whole("n", 60, 20, 200, "rows"), whole("p", 6, 3, 8, "columns"), whole("size", 2, 1, 3, "columns taken"), NOISE],
            false,
            stepwise,
        ),
    ],
};

pub(crate) fn dataset<'a>(x: &'a Mat<f64>, y: &'a [f64]) -> DatasetRef<'a> {
    DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(y))
}

fn ols(data: &TheoremData) -> Result<OlsModel> {
    Ols::default().fit(&dataset(&data.x, &data.y))
}

fn predictions(model: &OlsModel, x: &Mat<f64>) -> Vec<f64> {
    times(x, model.coef().row(0)).iter().map(|v| v + model.intercept()[0]).collect()
}

fn spread(v: &[f64]) -> f64 {
    let m = mean(v);
    norm(&v.iter().map(|v| v - m).collect::<Vec<_>>())
}

fn normal_equations(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = run.line(run.whole("n"), run.whole("p"), run.real("noise"));
    let model = ols(&data)?;
    let (x, y) = (data.with_ones(), &data.y);
    let r = sub(y, &predictions(&model, &data.x));
    let size = norm(x.as_slice()) * norm(y);
    let mut check = TheoremCheck::new();
    check.assume("the target or a column varies", size > 0.0);
    check.zero("‖Xᵀ(y − Xŵ)‖ / ‖X‖‖y‖", norm(&transposed_times(&x, &r)) / size.max(f64::MIN_POSITIVE), 1e-8);
    if let Some(kkt) = model.certificate().and_then(|c| c.kkt_residual) {
        check.note(format!("the model's own certificate: {kkt:.1e}"));
    }
    Ok(check)
}

fn one_feature(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = run.line(run.whole("n"), 1, run.real("noise"));
    let x: Vec<f64> = data.x.view().col_iter(0).collect();
    let (mx, my, m) = (mean(&x), mean(&data.y), x.len() as f64);
    let spread: f64 = x.iter().map(|v| (v - mx).powi(2)).sum();
    let mut check = TheoremCheck::new();
    if !check.given("not all x are equal", spread > 0.0) {
        return Ok(check);
    }
    let first = x.iter().zip(&data.y).map(|(x, y)| (x - mx) * (y - my)).sum::<f64>() / spread;
    let second =
        x.iter().zip(&data.y).map(|(x, y)| y * (x - mx)).sum::<f64>() / (dot(&x, &x) - x.iter().sum::<f64>().powi(2) / m);
    let condition = dot(&x, &x) / spread;
    let column = Mat::from_vec(x.len(), 1, x.clone());
    let model = Ols::default().fit(&dataset(&column, &data.y))?;
    check.equal("w₁ of the engine against the closed form", model.coef()[(0, 0)], first, 1e-8 * condition);
    check.equal("the closed form in centered and in plain sums", first, second, 1e-8 * condition);
    check.equal("w₀ against ȳ − w₁x̄", model.intercept()[0], my - first * mx, 1e-8 * condition);
    let line = |v: f64| model.intercept()[0] + model.coef()[(0, 0)] * v;
    let (low, high) = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let points = x.iter().copied().zip(data.y.iter().copied()).collect();
    let fit = Series::line("fit", vec![(low, line(low)), (high, line(high))]);
    check.draw(Chart::new("The line of least squares", "x", "y").with(Series::points("rows", points)).with(fit));
    Ok(check)
}

fn residuals(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = run.line(run.whole("n"), run.whole("p"), run.real("noise"));
    let model = ols(&data)?;
    let r = sub(&data.y, &predictions(&model, &data.x));
    let (size, whole) = (norm(&r), spread(&data.y));
    let mut check = TheoremCheck::new();
    if !check.given("the fit is not exact", size > 1e-12 * whole) {
        return Ok(check);
    }
    check.zero("mean residual over its size", mean(&r) * (r.len() as f64).sqrt() / size, 1e-10 * (1.0 + norm(&data.y) / size));
    for j in 0..data.x.cols() {
        let column: Vec<f64> = data.x.view().col_iter(j).collect();
        let s = spread(&column);
        if s > 0.0 {
            let c = mean(&column);
            let correlation = column.iter().zip(&r).map(|(x, r)| (x - c) * r).sum::<f64>() / (s * size);
            check.zero(
                format!("correlation of the residuals with column {j}"),
                correlation,
                1e-10 * (1.0 + norm(&column) / s + whole / size),
            );
        }
    }
    Ok(check)
}

fn pythagoras(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = run.line(run.whole("n"), run.whole("p"), run.real("noise"));
    let model = ols(&data)?;
    let fit = predictions(&model, &data.x);
    let m = mean(&data.y);
    let total: f64 = data.y.iter().map(|v| (v - m).powi(2)).sum();
    let mut check = TheoremCheck::new();
    if !check.given("the target varies", total > 0.0) {
        return Ok(check);
    }
    let explained: f64 = fit.iter().map(|v| (v - m).powi(2)).sum();
    let rest = dot(&sub(&data.y, &fit), &sub(&data.y, &fit));
    check.equal("total against explained + residual sum of squares", total, explained + rest, 1e-8);
    check.equal("R² of the engine against the ratio", model.summary()[0].r2, explained / total, 1e-8);
    Ok(check)
}

fn family(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, p, u) = (run.whole("n"), run.whole("p"), run.real("u"));
    let mut stream = run.stream(0);
    let mut x = Mat::from_fn(n, p, |_, _| stream.normal());
    (0..n).for_each(|i| x[(i, p - 1)] = x.row(i)[..p - 1].iter().sum());
    let y: Vec<f64> = (0..n).map(|i| x[(i, 0)] + stream.normal()).collect();
    let model = Ols { family: true, fit_intercept: false, ..Ols::default() }.fit(&dataset(&x, &y))?;
    let free: Vec<f64> = (0..p).map(|j| u * (1.0 + j as f64)).collect();
    let mut check = TheoremCheck::new();
    check.assume("the columns are dependent", model.rank() < p);
    let (Some((shortest, _)), Some((other, _))) = (model.solution(0, &vec![0.0; p]), model.solution(0, &free)) else {
        return Ok(check);
    };
    let rss = |w: &[f64]| dot(&sub(&y, &times(&x, w)), &sub(&y, &times(&x, w)));
    check.equal("RSS(u) against RSS(0)", rss(&other), rss(&shortest), 1e-8);
    let moved = sub(&other, &shortest);
    check.equal(
        "‖w(u)‖² against ‖w(0)‖² + ‖(I−Φ†Φ)u‖²",
        dot(&other, &other),
        dot(&shortest, &shortest) + dot(&moved, &moved),
        1e-8,
    );
    let inverse = pseudo_inverse(&x)?;
    check.zero("w(0) − Φ†y", norm(&sub(&shortest, &times(&inverse, &y))), 1e-8 * (1.0 + norm(&shortest)));
    check.at_most("the shortest: ‖w(0)‖ against ‖w(u)‖", norm(&shortest), norm(&other));
    Ok(check)
}

fn implicit_bias(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, p) = (run.whole("n"), run.whole("p").max(run.whole("n") + 1));
    let mut stream = run.stream(0);
    let x = Mat::from_fn(n, p, |_, _| stream.normal());
    let y: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
    let shortest = times(&pseudo_inverse(&x)?, &y);
    let risk = EmpiricalRisk::new(RowLoss::Squared, x, y);
    let (_, most) = risk.curvatures(&vec![0.0; p])?;
    let at = |steps: usize, start: &[f64]| {
        minimize(&risk, start, &OptimizationMethod::FixedStep { step: 1.0 / most }, &StopRule { max_iter: steps, tol: 0.0 }).point
    };
    let zero = vec![0.0; p];
    let mut check = TheoremCheck::new();
    check.assume("the step is below 2/λmax", true).assume("the start is in the row space", true);
    let marks: Vec<usize> = (0..6).map(|k| run.whole("steps") >> (5 - k)).collect();
    let distances: Vec<f64> = marks.iter().map(|&t| norm(&sub(&at(t, &zero), &shortest))).collect();
    check.trend("distance to Φ†y after all steps, against the start", norm(&shortest), distances[5]);
    let elsewhere = at(run.whole("steps"), &vec![1.0; p]);
    check.note(format!("from a start outside the row space it ends {:.3} away from Φ†y", norm(&sub(&elsewhere, &shortest))));
    let curve = marks.iter().zip(&distances).map(|(t, d)| (*t as f64, d.max(1e-16))).collect();
    check.draw(Chart::new("Distance to the shortest solution", "step", "distance").log_y().with(Series::line("from 0", curve)));
    Ok(check)
}

fn gaussian_likelihood(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = run.line(run.whole("n"), run.whole("p"), run.real("noise"));
    let model = ols(&data)?;
    let n = data.y.len() as f64;
    let r = sub(&data.y, &predictions(&model, &data.x));
    let rss = dot(&r, &r);
    let mut check = TheoremCheck::new();
    check.suppose("the noise is independent and normal");
    if !check.given("RSS is not 0", rss > 0.0) {
        return Ok(check);
    }
    let log_likelihood = |rss: f64, variance: f64| -0.5 * (n * (std::f64::consts::TAU * variance).ln() + rss / variance);
    let mut stream = run.stream(1);
    let moved: Vec<f64> = model.coef().row(0).iter().map(|w| w + run.real("shift") * stream.normal()).collect();
    let other = sub(&sub(&data.y, &times(&data.x, &moved)), &vec![model.intercept()[0]; data.y.len()]);
    check.at_most(
        "log-likelihood of other coefficients against that of ŵ",
        log_likelihood(dot(&other, &other), rss / n),
        log_likelihood(rss, rss / n),
    );
    check.at_most(
        "log-likelihood of 1.1 σ̂² against that of σ̂²",
        log_likelihood(rss, 1.1 * rss / n),
        log_likelihood(rss, rss / n),
    );
    check.equal(
        "the engine's log-likelihood against the formula",
        model.summary()[0].log_likelihood,
        log_likelihood(rss, rss / n),
        1e-8,
    );
    Ok(check)
}

fn matrix_calculus(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let p = run.whole("p");
    let mut stream = run.stream(0);
    let b = Mat::from_fn(p, p, |_, _| stream.normal());
    let (a, c): (Vec<f64>, Vec<f64>) = ((0..p).map(|_| stream.normal()).collect(), (0..p).map(|_| stream.normal()).collect());
    let difference = |f: &dyn Fn(&[f64]) -> f64, j: usize| {
        let (mut up, mut down) = (a.clone(), a.clone());
        up[j] += 1e-5;
        down[j] -= 1e-5;
        (f(&up) - f(&down)) / 2e-5
    };
    let right: Vec<f64> = times(&b, &a).iter().zip(transposed_times(&b, &a)).map(|(u, v)| u + v).collect();
    let quadratic = |v: &[f64]| dot(&times(&b, v), v);
    let worst = |f: &dyn Fn(&[f64]) -> f64, g: &[f64]| (0..p).map(|j| (difference(f, j) - g[j]).abs()).fold(0.0, f64::max);
    let mut check = TheoremCheck::new();
    check.zero("∂(aᵀBa)/∂a − (B+Bᵀ)a", worst(&quadratic, &right), 1e-6 * (1.0 + max_abs(&right)));
    check.zero("∂(aᵀc)/∂a − c", worst(&|v| dot(v, &c), &c), 1e-6 * (1.0 + max_abs(&c)));
    let x = Mat::from_fn(p + 3, p, |_, _| stream.normal());
    let h = gram(&x, 0.0);
    let f = Quadratic::new(h.clone(), c.clone());
    let mut g = vec![0.0; p];
    f.gradient(&a, &mut g);
    check.zero("gradient of ½aᵀXᵀXa − cᵀa, difference less formula", worst(&|v| f.value(v), &g), 1e-6 * (1.0 + max_abs(&g)));
    let twice: Vec<f64> = times(&b, &a).iter().map(|v| 2.0 * v).collect();
    check.misprint("∂(aᵀBa)/∂a = 2Ba for any B", right[0], twice[0]);
    Ok(check)
}

fn huber_bound(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (delta, outlier) = (run.real("delta"), run.real("outlier"));
    let loss = RowLoss::Huber { delta };
    let steepest = (-400..=400).map(|k| loss.gradient(0.0, outlier * f64::from(k) / 400.0).abs()).fold(0.0, f64::max);
    let mut check = TheoremCheck::new();
    check.assume("δ > 0", delta > 0.0);
    check.at_most("largest |dL/dr| against δ", steepest, delta);
    let (wide, narrow) = (RowLoss::Huber { delta: 1e6 }, RowLoss::Huber { delta: 1e-6 });
    check.equal("δ → ∞: half the square", wide.value(0.0, outlier), 0.5 * outlier * outlier, 1e-12);
    check.equal("δ → 0: δ|r|", narrow.value(0.0, outlier) / 1e-6, outlier, 1e-5);
    let data = crate::data::line_data(run.whole("n"), 1, 1.0, &mut run.stream(0));
    let mut moved = data.clone();
    moved.y[0] += outlier;
    let shift = |fit: &dyn Fn(&TheoremData) -> Result<f64>| Ok::<f64, ermine_core::Error>((fit(&moved)? - fit(&data)?).abs());
    let squares = shift(&|d| Ok(ols(d)?.intercept()[0]))?;
    let robust = shift(&|d| Ok(Huber::default().fit(&dataset(&d.x, &d.y))?.intercept()))?;
    check.at_most("what one outlier does to the intercept: Huber against squares", robust, squares);
    check.note("the learner's δ is ε times a scale that is fitted too; outlying x are not bounded");
    Ok(check)
}

fn constants(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let tau = run.real("tau");
    let mut stream = run.stream(0);
    let mut y = run.given().map_or_else(|| (0..run.whole("n")).map(|_| stream.normal().exp()).collect(), |d| d.y.clone());
    y.sort_by(f64::total_cmp);
    let (low, high) = (y[0], y[y.len() - 1]);
    let total = |loss: RowLoss, c: f64| y.iter().map(|v| loss.value(*v, c)).sum::<f64>();
    let step = (high - low) / 2000.0;
    let best = |loss: RowLoss| {
        (0..=2000).map(|k| low + step * f64::from(k)).min_by(|a, b| total(loss, *a).total_cmp(&total(loss, *b))).unwrap_or(low)
    };
    let mut check = TheoremCheck::new();
    if !check.given("the values differ", high > low) {
        return Ok(check);
    }
    check.zero("squares: minimizer less mean", best(RowLoss::Squared) - mean(&y), step);
    // A quantile need not be unique: the minimizer lies between two values, and beyond them by less than a step of the grid.
    let n = y.len();
    let between = |level: f64| {
        let k = level * n as f64;
        let (a, b) = ((k.ceil() as usize).clamp(1, n) - 1, (k.floor() as usize).min(n - 1));
        (y[a], y[b.max(a)])
    };
    let outside = |v: f64, (a, b): (f64, f64)| (a - v).max(v - b).max(0.0);
    check.zero("absolute loss: distance of the minimizer from the median", outside(best(RowLoss::Absolute), between(0.5)), step);
    check.zero(
        "pinball loss: distance of the minimizer from the τ-quantile",
        outside(best(RowLoss::Pinball { tau }), between(tau)),
        step,
    );
    let e = best(RowLoss::Expectile { tau });
    let balance = y.iter().map(|v| if *v > e { tau * (v - e) } else { (1.0 - tau) * (v - e) }).sum::<f64>();
    check.zero("expectile: balance of weighted distances at the minimizer", balance / n as f64, step);
    Ok(check)
}

fn stepwise(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, p, size) = (run.whole("n"), run.whole("p"), run.whole("size"));
    let data = crate::data::line_data(n, p, run.real("noise"), &mut run.stream(0)).centered();
    let greedy = Stepwise { criterion: StepwiseCriterion::K, n_features: Some(size as u64), ..Stepwise::default() };
    let steps: Vec<f64> = greedy.fit(&dataset(&data.x, &data.y))?.steps().iter().map(|s| s.rss).collect();
    let mut best = f64::INFINITY;
    for set in 0u32..1 << p {
        if set.count_ones() as usize == size {
            let columns: Vec<usize> = (0..p).filter(|j| set >> j & 1 == 1).collect();
            let x = Mat::from_fn(n, size, |i, j| data.x[(i, columns[j])]);
            let r = sub(&data.y, &times(&x, &least_squares(&x, &data.y)?));
            best = best.min(dot(&r, &r));
        }
    }
    let mut check = TheoremCheck::new();
    check.assume("no more columns than the rank", size <= p.min(n - 1));
    check.at_most("RSS of the best subset against that of the greedy one", best, steps[steps.len() - 1]);
    for pair in steps.windows(2) {
        check.at_most("RSS after a step against before", pair[1], pair[0]);
    }
    Ok(check)
}
