//! Chapter 3: regularization, bias and variance.

use ermine_core::{Learner, Mat, Result};
use ermine_linear::{AlphaSpec, Lasso, Ridge, RidgeAlpha};
use ermine_math::linalg::{PivotedQr, svd};
use ermine_math::optimize::constrained::{ConstrainedObjective, QpMethod, QuadraticProgram, solve_smooth};
use ermine_math::prior::{GaussianPrior, LaplacePrior};
use ermine_math::probability::bayes::{bias_variance_terms, linear_risk_terms};
use ermine_report::chart::{Chart, Series};

use crate::algebra::{dot, gram, least_squares, max_abs, mean, mean_and_error, norm, solve, sub, times, transposed_times};
use crate::check::TheoremCheck;
use crate::data::{TheoremData, line_data};
use crate::least_squares::dataset;
use crate::theorem::{Chapter, Theorem, TheoremParam, TheoremRun, real, whole};

const N: TheoremParam = whole("n", 40, 15, 200, "rows");
const P: TheoremParam = whole("p", 4, 2, 8, "columns");
const LAMBDA: TheoremParam = real("lambda", 5.0, 0.01, 100.0, "weight of the penalty");
const SIGMA: TheoremParam = real("sigma", 1.0, 0.1, 3.0, "standard deviation of the noise");

pub(crate) const CHAPTER: Chapter = Chapter {
    number: 3,
    title: "Regularization, bias and variance",
    theorems: &[
        Theorem::new(
            "T3.1",
            "‖y−Φw‖² + λ‖w‖² has the minimizer (ΦᵀΦ+λI)⁻¹Φᵀy = Φᵀ(ΦΦᵀ+λI)⁻¹y",
            "000 L2; 001 §4.2; 002 §2.3.2",
            "Ridge",
            &[N, P, LAMBDA],
            true,
            two_forms,
        ),
        Theorem::new(
            "T3.2",
            "Each way to write the squares has its factor: 2Nλ for 1/(2N), 2λ for ½, nλ for 1/n",
            "000 L1, L2; 002 §2.4; 004 eq. 1.6",
            "Ridge",
            &[N, P, real("lambda", 0.1, 0.001, 2.0, "λ as it is written")],
            true,
            conventions,
        ),
        Theorem::new(
            "T3.3",
            "Ridge shrinks the fit along uⱼ by dⱼ²/(dⱼ²+λ); these factors sum to the degrees of freedom",
            "001 §4.2; 002 §2.3",
            "RidgeModel::effective_df",
            &[N, P, LAMBDA],
            true,
            shrinkage,
        ),
        Theorem::new(
            "T3.4",
            "With orthonormal columns the lasso ‖y−Qw‖² + λ‖w‖₁ is the soft threshold S(Qᵀy, λ/2)",
            "001 §4.3; 002 §2.3.1",
            "Lasso",
            &[N, P, real("lambda", 1.0, 0.05, 5.0, "weight of the penalty")],
            false,
            soft_threshold,
        ),
        Theorem::new(
            "T3.5",
            "The lasso is optimal if and only if |xⱼᵀr|/n ≤ α, with equality and the sign where wⱼ ≠ 0; all are 0 from α = max|xⱼᵀy|/n",
            "001 §4.3",
            "Lasso",
            &[N, P, real("share", 0.3, 0.02, 0.95, "α as a share of the largest")],
            true,
            lasso_conditions,
        ),
        Theorem::new(
            "T3.6",
            "A penalty is a constraint: ŵ(λ) solves the problem with Σ|wⱼ|^p ≤ Σ|ŵⱼ|^p",
            "001 §4.2; 002 §2.3.2",
            "QuadraticProgram, solve_smooth",
            &[N, whole("p", 3, 2, 5, "columns"), real("lambda", 10.0, 1.0, 20.0, "weight of the penalty")],
            false,
            penalty_and_constraint,
        ),
        Theorem::new(
            "T3.7",
            "A normal prior of variance β² with noise σ² is ridge with λ = σ²/β²; a Laplace prior of scale s is the lasso with α = σ²/(ns)",
            "001 §11.2; 002 §2.4",
            "prior::GaussianPrior, LaplacePrior",
            &[N, P, SIGMA, real("beta", 1.0, 0.2, 5.0, "spread of the prior")],
            false,
            priors,
        ),
        Theorem::new(
            "T3.8",
            "E(f̂−f)² = bias² + variance; against noisy targets + σ²",
            "000 L5; 001 §2.3; 002 §2.2.1; 003 §2.5",
            "probability::bayes::bias_variance_terms",
            &[
                whole("n", 30, 15, 60, "rows"),
                whole("degree", 3, 1, 6, "degree of the polynomial"),
                whole("draws", 300, 100, 500, "training sets"),
                real("sigma", 0.3, 0.1, 1.0, "standard deviation of the noise"),
            ],
            false,
            bias_and_variance,
        ),
        Theorem::new(
            "T3.9",
            "The risk of a line is noise + approximation + estimation",
            "002 §2.2; 001 §4",
            "probability::bayes::linear_risk_terms",
            &[whole("n", 25, 10, 100, "rows"), SIGMA],
            false,
            risk_terms,
        ),
        Theorem::new(
            "T3.10",
            "The estimation error is σ²p/n for a fixed design and σ²p/(n−p−1) for a normal one",
            "002 §2.2",
            "algorithm in the open",
            &[
                whole("n", 25, 15, 60, "rows"),
                whole("p", 4, 2, 8, "columns"),
                whole("draws", 400, 200, 800, "training sets"),
                SIGMA,
            ],
            false,
            estimation_error,
        ),
        Theorem::new(
            "T3.11",
            "Ridge can beat least squares: some λ > 0 lowers the mean squared error of ŵ",
            "001 §4.2; 002 §2.3",
            "algorithm in the open",
            &[N, P, SIGMA],
            false,
            hoerl_kennard,
        ),
        Theorem::new(
            "T3.12",
            "The leave-one-out residual of ridge is r/(1−h)",
            "001 §4.1; 002 §2.3.1",
            "Ridge",
            &[whole("n", 20, 15, 40, "rows"), P, LAMBDA],
            false,
            leave_one_out,
        ),
    ],
};

fn ridge(x: &Mat<f64>, y: &[f64], lambda: f64) -> Result<Vec<f64>> {
    let model = Ridge { alpha: RidgeAlpha::One(lambda), fit_intercept: false, ..Ridge::default() }.fit(&dataset(x, y))?;
    Ok(model.coef().row(0).to_vec())
}

fn lasso(x: &Mat<f64>, y: &[f64], alpha: f64) -> Result<Vec<f64>> {
    let model =
        Lasso { alpha: AlphaSpec::Number(alpha), fit_intercept: false, tol: 1e-12, max_iter: 100_000, ..Lasso::default() }
            .fit(&dataset(x, y))?;
    Ok(model.coef().row(0).to_vec())
}

fn sample(run: &TheoremRun<'_>) -> TheoremData {
    run.line(run.whole("n"), run.whole("p"), 1.0).centered()
}

fn two_forms(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (data, lambda) = (sample(run), run.real("lambda"));
    let primal = solve(&gram(&data.x, lambda), &transposed_times(&data.x, &data.y))?;
    let rows =
        Mat::from_fn(data.y.len(), data.y.len(), |i, j| dot(data.x.row(i), data.x.row(j)) + if i == j { lambda } else { 0.0 });
    let dual = transposed_times(&data.x, &solve(&rows, &data.y)?);
    let s = svd(data.x.view())?;
    let condition = (s.values[0].powi(2) + lambda) / lambda;
    let scale = 1e-10 * condition.max(100.0) * (1.0 + norm(&primal));
    let mut check = TheoremCheck::new();
    check.assume("λ > 0", lambda > 0.0);
    check.zero("primal less dual form", norm(&sub(&primal, &dual)), scale);
    check.zero("primal form less the engine's ridge", norm(&sub(&primal, &ridge(&data.x, &data.y, lambda)?)), scale);
    Ok(check)
}

fn conventions(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (data, lambda) = (sample(run), run.real("lambda"));
    let n = data.y.len() as f64;
    let mut check = TheoremCheck::new();
    // The gradient of c‖y − Xw‖² + λ‖w‖² at the ridge solution with λ/c.
    for (name, c, factor) in [("1/(2N)", 0.5 / n, 2.0 * n), ("1/2", 0.5, 2.0), ("1/n", 1.0 / n, n), ("1", 1.0, 1.0)] {
        let w = ridge(&data.x, &data.y, factor * lambda)?;
        let pull = transposed_times(&data.x, &sub(&data.y, &times(&data.x, &w)));
        let g: Vec<f64> = pull.iter().zip(&w).map(|(p, w)| -2.0 * c * p + 2.0 * lambda * w).collect();
        check.zero(format!("gradient of {name}·‖y−Xw‖² + λ‖w‖² at ridge with {factor}λ"), norm(&g), 1e-9 * (1.0 + norm(&data.y)));
    }
    let (right, printed) = (ridge(&data.x, &data.y, 2.0 * n * lambda)?, ridge(&data.x, &data.y, lambda)?);
    check.misprint("(ΦᵀΦ+λI)⁻¹Φᵀy as the minimizer of (1/2N)‖·‖² + λ‖w‖²; norms", norm(&right), norm(&printed));
    Ok(check)
}

fn shrinkage(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (data, lambda) = (sample(run), run.real("lambda"));
    let s = svd(data.x.view())?;
    let w = ridge(&data.x, &data.y, lambda)?;
    let fit = times(&data.x, &w);
    let factors: Vec<f64> = s.values.iter().map(|d| d * d / (d * d + lambda)).collect();
    let along = |v: &[f64], k: usize| s.u.view().col_iter(k).zip(v).map(|(u, v)| u * v).sum::<f64>();
    let worst = (0..factors.len()).map(|k| (along(&fit, k) - factors[k] * along(&data.y, k)).abs()).fold(0.0, f64::max);
    let model =
        Ridge { alpha: RidgeAlpha::One(lambda), fit_intercept: false, ..Ridge::default() }.fit(&dataset(&data.x, &data.y))?;
    let mut check = TheoremCheck::new();
    check.equal("degrees of freedom of the engine against Σ dⱼ²/(dⱼ²+λ)", model.effective_df()[0], factors.iter().sum(), 1e-8);
    check.zero("fit along each uⱼ less the factor times y along it", worst, 1e-8 * (1.0 + norm(&data.y)));
    let half: f64 = s.values.iter().map(|d| d * d / (d * d + 0.5 * lambda)).sum();
    check.misprint_at_most("smaller degrees of freedom for the more complex model (half of λ)", half, factors.iter().sum());
    Ok(check)
}

fn soft_threshold(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (data, lambda) = (sample(run), run.real("lambda"));
    let q = PivotedQr::new(data.x.view())?.q;
    let n = data.y.len() as f64;
    let z = transposed_times(&q, &data.y);
    let soft: Vec<f64> = z.iter().map(|z| z.signum() * (z.abs() - 0.5 * lambda).max(0.0)).collect();
    let w = lasso(&q, &data.y, lambda / (2.0 * n))?;
    let mut check = TheoremCheck::new();
    check.assume("the columns are orthonormal", true);
    check.zero("coefficients less soft thresholds", max_abs(&sub(&w, &soft)), 1e-6 * (1.0 + max_abs(&z)));
    Ok(check)
}

fn lasso_conditions(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = sample(run);
    let n = data.y.len() as f64;
    let first = max_abs(&transposed_times(&data.x, &data.y)) / n;
    let mut check = TheoremCheck::new();
    if !check.given("some column varies with the target", first > 0.0) {
        return Ok(check);
    }
    let alpha = run.real("share") * first;
    let w = lasso(&data.x, &data.y, alpha)?;
    let r = sub(&data.y, &times(&data.x, &w));
    let pull: Vec<f64> = transposed_times(&data.x, &r).iter().map(|v| v / n).collect();
    let tolerance = 1e-5 * first;
    check.at_most("largest |xⱼᵀr|/n against α", max_abs(&pull) - tolerance, alpha);
    let kept = pull.iter().zip(&w).filter(|(_, w)| **w != 0.0).map(|(p, w)| (p - alpha * w.signum()).abs()).fold(0.0, f64::max);
    check.zero("where wⱼ ≠ 0: xⱼᵀr/n less α sign wⱼ", kept, tolerance);
    check.zero("largest coefficient at α = max|xⱼᵀy|/n", max_abs(&lasso(&data.x, &data.y, first * (1.0 + 1e-9))?), 0.0);
    let bars = pull.iter().enumerate().map(|(j, p)| (j as f64, *p)).collect();
    let level = |v: f64| Series::dashed("±α", vec![(-0.5, v), (pull.len() as f64 - 0.5, v)]);
    check.draw(
        Chart::new("Pull of the columns", "column", "xᵀr / n")
            .with(Series::bars("pull", bars))
            .with(level(alpha))
            .with(level(-alpha)),
    );
    Ok(check)
}

/// `min ½‖y − Xw‖²` in a ball.
struct Ball<'a> {
    data: &'a TheoremData,
    square: f64,
}

impl ConstrainedObjective for Ball<'_> {
    fn objective(&self, w: &[f64]) -> (f64, Vec<f64>) {
        let r = sub(&self.data.y, &times(&self.data.x, w));
        (0.5 * dot(&r, &r), transposed_times(&self.data.x, &r).iter().map(|v| -v).collect())
    }
    fn inequalities(&self, w: &[f64]) -> Vec<(f64, Vec<f64>)> {
        vec![(dot(w, w) - self.square, w.iter().map(|v| 2.0 * v).collect())]
    }
}

fn penalty_and_constraint(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (data, lambda) = (sample(run), run.real("lambda"));
    let (n, p) = (data.y.len() as f64, data.x.cols());
    let rss = |w: &[f64]| dot(&sub(&data.y, &times(&data.x, w)), &sub(&data.y, &times(&data.x, w)));
    let mut check = TheoremCheck::new();
    check.assume("λ > 0", true);
    let w = ridge(&data.x, &data.y, lambda)?;
    let ball = solve_smooth(&Ball { data: &data, square: dot(&w, &w) }, &vec![0.0; p], 1e-8)?;
    check.equal("RSS in the ball of ‖ŵ‖² against ridge's", rss(&ball.x), rss(&w), 1e-6);
    check.equal("the multiplier of the ball against λ/2", ball.multipliers.inequality[0], 0.5 * lambda, 1e-4);
    let alpha = lambda / (2.0 * n);
    let sparse = lasso(&data.x, &data.y, alpha)?;
    // w = u − v with u, v ≥ 0 and Σ(u + v) ≤ t.
    let g = gram(&data.x, 0.0);
    let c = transposed_times(&data.x, &data.y);
    let sign = |i: usize| if i < p { 1.0 } else { -1.0 };
    let square = Mat::from_fn(2 * p, 2 * p, |i, j| sign(i) * sign(j) * g[(i % p, j % p)]);
    let rows = Mat::from_fn(2 * p + 1, 2 * p, |i, j| if i == 2 * p { 1.0 } else { -f64::from(i == j) });
    let t: f64 = sparse.iter().map(|v| v.abs()).sum();
    let bounds = (0..=2 * p).map(|i| if i == 2 * p { t } else { 0.0 }).collect();
    let program =
        QuadraticProgram::new(square, (0..2 * p).map(|i| -sign(i) * c[i % p]).collect())?.with_inequalities(rows, bounds)?;
    if let Some(o) = program.solve(QpMethod::InteriorPoint)?.into_optimum() {
        let w: Vec<f64> = (0..p).map(|j| o.x[j] - o.x[j + p]).collect();
        check.equal("RSS with Σ|wⱼ| ≤ t against the lasso's", rss(&w), rss(&sparse), 1e-6);
    }
    Ok(check)
}

fn priors(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (sigma, beta) = (run.real("sigma"), run.real("beta"));
    let data = line_data(run.whole("n"), run.whole("p"), sigma, &mut run.stream(0)).centered();
    let n = data.y.len() as f64;
    let mut check = TheoremCheck::new();
    check.assume("σ is known", true);
    let lambda = GaussianPrior { variance: beta * beta }.ridge_alpha(sigma * sigma);
    check.equal("the engine's λ against σ²/β²", lambda, (sigma / beta).powi(2), 1e-14);
    let w = ridge(&data.x, &data.y, lambda)?;
    let pull = transposed_times(&data.x, &sub(&data.y, &times(&data.x, &w)));
    let slope: Vec<f64> = pull.iter().zip(&w).map(|(p, w)| p / (sigma * sigma) - w / (beta * beta)).collect();
    check.zero("slope of the log posterior at ridge", norm(&slope), 1e-7 * (1.0 + norm(&data.y) / (sigma * sigma)));
    let alpha = LaplacePrior { scale: beta }.lasso_alpha(sigma * sigma, n);
    check.equal("the engine's α against σ²/(ns)", alpha, sigma * sigma / (n * beta), 1e-14);
    let w = lasso(&data.x, &data.y, alpha)?;
    let log_posterior = |w: &[f64]| {
        let r = sub(&data.y, &times(&data.x, w));
        -dot(&r, &r) / (2.0 * sigma * sigma) - w.iter().map(|v| v.abs()).sum::<f64>() / beta
    };
    let mut stream = run.stream(1);
    let other: Vec<f64> = w.iter().map(|v| v + 0.05 * stream.normal()).collect();
    check.at_most("log posterior nearby against that of the lasso", log_posterior(&other), log_posterior(&w));
    Ok(check)
}

fn powers(x: &[f64], degree: usize) -> Mat<f64> {
    Mat::from_fn(x.len(), degree + 1, |i, j| x[i].powi(j as i32))
}

fn bias_and_variance(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, degree, draws, sigma) = (run.whole("n"), run.whole("degree"), run.whole("draws"), run.real("sigma"));
    let x: Vec<f64> = (0..n).map(|i| -1.0 + 2.0 * i as f64 / (n - 1) as f64).collect();
    let truth: Vec<f64> = x.iter().map(|v| (3.0 * v).sin()).collect();
    let design = powers(&x, degree);
    let mut stream = run.stream(0);
    let mut rows = Vec::with_capacity(n * draws);
    let (mut errors, mut fresh) = (Vec::new(), Vec::new());
    for _ in 0..draws {
        let y: Vec<f64> = truth.iter().map(|f| f + sigma * stream.normal()).collect();
        let fit = times(&design, &least_squares(&design, &y)?);
        let again: Vec<f64> = truth.iter().map(|f| f + sigma * stream.normal()).collect();
        let mse = |t: &[f64]| dot(&sub(&fit, t), &sub(&fit, t)) / n as f64;
        errors.push(mse(&truth));
        fresh.push(mse(&again));
        rows.extend(fit);
    }
    let terms = bias_variance_terms(&Mat::from_vec(draws, n, rows), &truth);
    let best = times(&design, &least_squares(&design, &truth)?);
    let bias = dot(&sub(&best, &truth), &sub(&best, &truth)) / n as f64;
    let variance = sigma * sigma * (degree + 1) as f64 / n as f64;
    let mut check = TheoremCheck::new();
    check.equal(
        "mean squared error against bias² + variance, same draws",
        terms.error,
        terms.bias_squared + terms.variance,
        1e-10,
    );
    check.simulated("error against f, simulated, and bias² + σ²p/n", mean_and_error(&errors), bias + variance);
    check.simulated(
        "error against fresh noisy targets and bias² + σ²p/n + σ²",
        mean_and_error(&fresh),
        bias + variance + sigma * sigma,
    );
    check.misprint("the mean squared error against y without σ²", mean(&fresh), bias + variance);
    check.note(format!("bias² {:.5}, variance {:.5}, noise {:.5}", bias, variance, sigma * sigma));
    Ok(check)
}

fn risk_terms(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, sigma) = (run.whole("n"), run.real("sigma"));
    let points: Vec<f64> = (0..41).map(|i| -1.0 + 0.05 * f64::from(i)).collect();
    let f: Vec<f64> = points.iter().map(|v| v.exp()).collect();
    let mut stream = run.stream(0);
    let chosen: Vec<usize> = (0..n).map(|_| stream.below(41)).collect();
    let sample: Vec<f64> = chosen.iter().map(|&i| points[i]).collect();
    let y: Vec<f64> = chosen.iter().map(|&i| f[i] + sigma * stream.normal()).collect();
    let w = least_squares(&powers(&sample, 1), &y)?;
    let t = linear_risk_terms(&powers(&points, 1), &[1.0 / 41.0; 41], &f, &[sigma * sigma; 41], &w)?;
    let mut check = TheoremCheck::new();
    check.assume("w* minimizes the risk of the population", true);
    check.equal("risk against noise + approximation + estimation", t.risk, t.noise + t.approximation + t.estimation, 1e-8);
    check.misprint("the approximation error with the noise in it", t.approximation, t.approximation + t.noise);
    check.note(format!("noise {:.4}, approximation {:.4}, estimation {:.4}", t.noise, t.approximation, t.estimation));
    Ok(check)
}

fn estimation_error(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, p, sigma) = (run.whole("n"), run.whole("p"), run.real("sigma"));
    let mut stream = run.stream(0);
    let fixed = Mat::from_fn(n, p, |_, _| stream.normal());
    let (mut on_fixed, mut on_normal) = (Vec::new(), Vec::new());
    for _ in 0..run.whole("draws") {
        let noise: Vec<f64> = (0..n).map(|_| sigma * stream.normal()).collect();
        // The true coefficients are 0, so ŵ is the error.
        let fit = times(&fixed, &least_squares(&fixed, &noise)?);
        on_fixed.push(dot(&fit, &fit) / n as f64);
        let x = Mat::from_fn(n, p, |_, _| stream.normal());
        let w = least_squares(&x, &noise)?;
        on_normal.push(dot(&w, &w));
    }
    let (n, p) = (n as f64, p as f64);
    let mut check = TheoremCheck::new();
    check.assume("n > p + 1", n > p + 1.0).assume("the line is right", true);
    check.simulated("fixed design: mean error and σ²p/n", mean_and_error(&on_fixed), sigma * sigma * p / n);
    check.simulated("normal design: mean error and σ²p/(n−p−1)", mean_and_error(&on_normal), sigma * sigma * p / (n - p - 1.0));
    Ok(check)
}

fn hoerl_kennard(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, p, sigma) = (run.whole("n"), run.whole("p"), run.real("sigma"));
    let mut stream = run.stream(0);
    let x = Mat::from_fn(n, p, |_, j| stream.normal() * if j == 0 { 0.2 } else { 1.0 });
    let w: Vec<f64> = (0..p).map(|_| stream.normal()).collect();
    let s = svd(x.view())?;
    let along = times(&s.vt, &w);
    let error = |lambda: f64| {
        let one = |d: f64, a: f64| (sigma * sigma * d * d + lambda * lambda * a * a) / (d * d + lambda).powi(2);
        s.values.iter().zip(&along).map(|(d, a)| one(*d, *a)).sum::<f64>()
    };
    let grid: Vec<f64> = (0..=120).map(|k| 10f64.powf(-4.0 + 0.05 * f64::from(k))).collect();
    let best = grid.iter().copied().min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap_or(1.0);
    let mut check = TheoremCheck::new();
    check.assume("σ² > 0", sigma > 0.0).assume("the model is linear", true);
    check.at_most(format!("mean squared error at λ = {best:.4} against that at 0"), error(best), error(0.0));
    check.at_most("by the theorem already at λ = σ²/max αⱼ²", error(sigma * sigma / max_abs(&along).powi(2)), error(0.0));
    let curve = grid.iter().map(|l| (*l, error(*l))).collect();
    check.draw(
        Chart::new("Mean squared error of ridge", "λ", "error")
            .log_x()
            .with(Series::line("ridge", curve))
            .with(Series::dashed("λ = 0", vec![(grid[0], error(0.0)), (grid[120], error(0.0))])),
    );
    Ok(check)
}

fn leave_one_out(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (data, lambda) = (sample(run), run.real("lambda"));
    let n = data.y.len();
    let g = gram(&data.x, lambda);
    let w = solve(&g, &transposed_times(&data.x, &data.y))?;
    let mut worst = 0.0f64;
    for i in 0..n {
        let kept: Vec<usize> = (0..n).filter(|&k| k != i).collect();
        let x = data.x.view().take_rows(&kept);
        let y: Vec<f64> = kept.iter().map(|&k| data.y[k]).collect();
        let refit = data.y[i] - dot(data.x.row(i), &ridge(&x, &y, lambda)?);
        let h = dot(data.x.row(i), &solve(&g, data.x.row(i))?);
        let formula = (data.y[i] - dot(data.x.row(i), &w)) / (1.0 - h);
        worst = worst.max((refit - formula).abs() / (1.0 + refit.abs()));
    }
    let mut check = TheoremCheck::new();
    check.assume("λ is fixed and the columns are not centered again", true);
    check.zero("refits less r/(1−h), the largest", worst, 1e-8);
    Ok(check)
}
