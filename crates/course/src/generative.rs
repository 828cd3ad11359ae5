//! Chapter 9: generative models, mixtures, expectation-maximization.

use ermine_bayes::Lda;
use ermine_core::{DatasetRef, Features, Learner, Mat, Result, RngStream, Target};
use ermine_math::linalg::Cholesky;
use ermine_math::loss::log_sum_exp;
use ermine_math::prior::Wishart;
use ermine_report::chart::{Chart, Series};

use crate::algebra::{dot, max_abs, mean, mean_and_error, norm, solve, sub, times};
use crate::check::TheoremCheck;
use crate::data::{TheoremData, blobs};
use crate::theorem::{Chapter, Theorem, TheoremParam, TheoremRun, real, whole};

const N: TheoremParam = whole("n", 80, 30, 300, "rows");
const GAP: TheoremParam = real("gap", 2.0, 0.5, 5.0, "distance of the classes");
const K: TheoremParam = whole("k", 3, 2, 5, "components");

pub(crate) const CHAPTER: Chapter = Chapter {
    number: 9,
    title: "Generative models, mixtures and expectation-maximization",
    theorems: &[
        Theorem::new(
            "T9.1",
            "Linear discriminants: δ_r − δ_q = (μ_r−μ_q)ᵀΣ⁻¹x − ½(μ_rᵀΣ⁻¹μ_r − μ_qᵀΣ⁻¹μ_q) + ln π_r/π_q",
            "001 §13.2; 002 §9.1",
            "Lda",
            &[N, GAP],
            false,
            linear_discriminant,
        ),
        Theorem::new(
            "T9.2",
            "Naive Bayes with shared variances is linear, with weights (μ₊−μ₋)/σ²; with variances by class it is quadratic",
            "001 §13.1, 13.3",
            "algorithm in the open",
            &[
                real("gap", 1.0, 0.1, 4.0, "distance of the means"),
                real("ratio", 2.0, 1.2, 5.0, "ratio of the standard deviations"),
            ],
            false,
            naive_bayes,
        ),
        Theorem::new(
            "T9.3",
            "Fisher: the largest J(w) is (μ₀−μ₁)ᵀS_w⁻¹(μ₀−μ₁), at w ∝ S_w⁻¹(μ₀−μ₁)",
            "003 §3.2; 001 §13.4",
            "algorithm in the open",
            &[N, GAP, real("angle", 0.8, 0.0, 3.0, "the reader's direction")],
            false,
            fisher,
        ),
        Theorem::new(
            "T9.4",
            "The normal likelihood is largest at the mean and the covariance with divisor n",
            "001 §13.5; 002 §9.2",
            "algorithm in the open",
            &[whole("n", 60, 20, 300, "rows"), real("shift", 0.1, 0.01, 1.0, "how far other parameters are away")],
            false,
            gaussian_fit,
        ),
        Theorem::new(
            "T9.5",
            "Lloyd's steps never raise the inertia and end after finitely many",
            "001 §10.1",
            "algorithm in the open",
            &[N, K],
            false,
            lloyd,
        ),
        Theorem::new(
            "T9.6",
            "k-means++ with one draw per center: E inertia ≤ 8(ln k + 2) times the optimum",
            "001 §10.1",
            "algorithm in the open",
            &[whole("n", 9, 6, 10, "rows"), whole("k", 2, 2, 3, "clusters"), whole("draws", 400, 200, 800, "seedings")],
            false,
            seeding,
        ),
        Theorem::new(
            "T9.7",
            "EM never lowers the likelihood: L = Q + H + KL, and the bound touches after the E step",
            "001 §14.3; 002 §9.2.2",
            "algorithm in the open",
            &[N, whole("k", 2, 2, 4, "components"), whole("steps", 15, 5, 40, "steps")],
            false,
            em_ascent,
        ),
        Theorem::new(
            "T9.8",
            "The M step: π = N_j/N, weighted means and variances; Σπ = 1 fixes the multiplier at −N",
            "001 §14.3; 002 §9.2.2",
            "algorithm in the open",
            &[N, whole("k", 2, 2, 4, "components")],
            false,
            m_step,
        ),
        Theorem::new(
            "T9.9",
            "Hard EM with equal weights and one shared spherical covariance is Lloyd's algorithm",
            "001 §14.2",
            "algorithm in the open",
            &[N, K],
            false,
            hard_em,
        ),
        Theorem::new(
            "T9.10",
            "With an inverse Wishart prior |Σ|^{−m/2}e^{−½tr Σ⁻¹S} the covariance is (N Σ̂ + S)/(N + m)",
            "001 §14.5; 002 §9.2.3",
            "prior::Wishart",
            &[whole("n", 20, 5, 100, "rows"), real("nu", 1.0, 0.1, 3.0, "S = ν² I"), real("m", 6.0, 5.0, 20.0, "m")],
            false,
            wishart,
        ),
        Theorem::new(
            "T9.11",
            "The likelihood of a mixture has no bound: a component on one point with σ → 0",
            "001 §14.5",
            "algorithm in the open",
            &[whole("n", 30, 5, 100, "rows")],
            false,
            unbounded,
        ),
        Theorem::new(
            "T9.12",
            "Largest L − ½|θ| ln N is least −2L + |θ| ln N",
            "001 §14.6",
            "algorithm in the open",
            &[N, whole("most", 4, 2, 6, "components at most")],
            false,
            bic,
        ),
        Theorem::new(
            "T9.13",
            "Mixture of experts: responsibilities g_j p_j / Σ g_l p_l sum to 1, and EM raises the likelihood",
            "002 §9.2.3",
            "algorithm in the open",
            &[N, whole("steps", 12, 3, 30, "steps")],
            false,
            experts,
        ),
        Theorem::new(
            "T9.14",
            "The best guess of x_a from x_b under a normal law is μ_a + Σ_ab Σ_bb⁻¹(x_b − μ_b)",
            "001 §14.6",
            "algorithm in the open",
            &[whole("n", 60, 20, 300, "rows")],
            false,
            imputation,
        ),
    ],
};

fn class_means(data: &TheoremData) -> [Vec<f64>; 2] {
    [-1.0, 1.0].map(|c| {
        let rows: Vec<usize> = (0..data.y.len()).filter(|&i| data.y[i] == c).collect();
        (0..data.x.cols()).map(|j| mean(&rows.iter().map(|&i| data.x[(i, j)]).collect::<Vec<_>>())).collect()
    })
}

/// Sums of squares within the classes.
fn scatter(data: &TheoremData, means: &[Vec<f64>; 2]) -> Mat<f64> {
    let p = data.x.cols();
    let d = |i: usize, j: usize| data.x[(i, j)] - means[usize::from(data.y[i] > 0.0)][j];
    Mat::from_fn(p, p, |a, b| (0..data.y.len()).map(|i| d(i, a) * d(i, b)).sum())
}

fn linear_discriminant(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = blobs(run.whole("n"), run.real("gap"), &mut run.stream(0));
    let n = data.y.len();
    let codes: Vec<u32> = data.y.iter().map(|y| u32::from(*y > 0.0)).collect();
    let names = ["-".to_owned(), "+".to_owned()];
    let rows = DatasetRef::new(Features::F64(data.x.view())).with_target(Target::Class { codes: &codes, names: &names });
    let model = Lda::default().fit(&rows)?;
    let means = class_means(&data);
    // The predictions do not depend on the divisor by more than the scale of the discriminant; the engine's is what its coefficients show.
    let mut within = scatter(&data, &means);
    let count = codes.iter().sum::<u32>() as f64;
    let prior = (count / (n as f64 - count)).ln();
    let direction = solve(&within, &sub(&means[1], &means[0]))?;
    let coef: Vec<f64> = model.coef().row(model.coef().rows() - 1).to_vec();
    let last = model.coef().rows() - 1;
    let (coef, bias): (Vec<f64>, f64) = if model.coef().rows() == 2 {
        (sub(&coef, model.coef().row(0)), model.intercept()[1] - model.intercept()[0])
    } else {
        (coef, model.intercept()[last])
    };
    let divisor = norm(&coef) / norm(&direction);
    within.as_mut_slice().iter_mut().for_each(|v| *v /= divisor);
    let w = solve(&within, &sub(&means[1], &means[0]))?;
    let b = -0.5 * (dot(&means[1], &solve(&within, &means[1])?) - dot(&means[0], &solve(&within, &means[0])?)) + prior;
    let mut check = TheoremCheck::new();
    check.assume("one covariance for all classes, and it is regular", true);
    check.zero("coefficients of the engine less Σ⁻¹(μ₊−μ₋)", norm(&sub(&coef, &w)), 1e-8 * (1.0 + norm(&w)));
    check.equal("its intercept against the formula", bias, b, 1e-7);
    check.note(format!("the engine divides the scatter by {divisor:.3} (rows: {n})"));
    let printed = -(dot(&means[1], &solve(&within, &means[1])?) - dot(&means[0], &solve(&within, &means[0])?)) + prior;
    check.misprint("the quadratic terms without their factor ½", bias, printed);
    Ok(check)
}

fn naive_bayes(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (gap, ratio) = (run.real("gap"), run.real("ratio"));
    let log_density = |x: f64, m: f64, s: f64| -0.5 * ((x - m) / s).powi(2) - s.ln();
    let sd = [1.0, 0.7];
    let odds =
        |x: &[f64; 2], r: f64| (0..2).map(|j| log_density(x[j], gap, sd[j]) - log_density(x[j], 0.0, r * sd[j])).sum::<f64>();
    // Second differences vanish for a linear function.
    let bend = |r: f64| odds(&[1.0, 0.5], r) - 2.0 * odds(&[0.0, 0.5], r) + odds(&[-1.0, 0.5], r);
    let mut check = TheoremCheck::new();
    check.zero("second difference of the log odds, shared variances", bend(1.0), 1e-8 * (1.0 + gap * gap));
    check.equal("slope against (μ₊−μ₋)/σ²", odds(&[1.0, 0.5], 1.0) - odds(&[0.0, 0.5], 1.0), gap / sd[0].powi(2), 1e-8);
    check.equal(
        "second difference with variances by class against 1/(rσ)² − 1/σ²",
        bend(ratio),
        1.0 / (ratio * sd[0]).powi(2) - 1.0 / sd[0].powi(2),
        1e-8,
    );
    check.misprint("a linear discriminant with variances by class; second difference against 0", bend(ratio), 0.0);
    Ok(check)
}

fn fisher(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = blobs(run.whole("n"), run.real("gap"), &mut run.stream(0));
    let means = class_means(&data);
    let (within, d) = (scatter(&data, &means), sub(&means[0], &means[1]));
    let best = solve(&within, &d)?;
    let j = |w: &[f64]| dot(w, &d).powi(2) / dot(w, &times(&within, w));
    let angle = run.real("angle");
    let mut check = TheoremCheck::new();
    check.assume("S_w is positive definite, two classes", true);
    check.equal("J at S_w⁻¹(μ₀−μ₁) against (μ₀−μ₁)ᵀS_w⁻¹(μ₀−μ₁)", j(&best), dot(&d, &best), 1e-9);
    check.at_most("J of the reader's direction against the largest", j(&[angle.cos(), angle.sin()]), j(&best));
    let curve = (0..=180).map(|k| f64::from(k).to_radians()).map(|a| (a, j(&[a.cos(), a.sin()]))).collect();
    check.draw(Chart::new("Fisher's ratio by direction", "angle", "J").with(Series::line("J", curve)));
    Ok(check)
}

fn gaussian_fit(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let mut stream = run.stream(0);
    let x: Vec<f64> = (0..run.whole("n")).map(|_| 1.0 + 2.0 * stream.normal()).collect();
    let n = x.len() as f64;
    let m = mean(&x);
    let v = x.iter().map(|x| (x - m).powi(2)).sum::<f64>() / n;
    let l = |m: f64, v: f64| x.iter().map(|x| -0.5 * ((x - m).powi(2) / v + v.ln())).sum::<f64>();
    let shift = run.real("shift");
    let mut check = TheoremCheck::new();
    check.assume("n > d", true);
    for (name, m2, v2) in [
        ("another mean", m + shift, v),
        ("a larger variance", m, v * (1.0 + shift)),
        ("a smaller variance", m, v / (1.0 + shift)),
        ("divisor n − 1", m, v * n / (n - 1.0)),
    ] {
        check.at_most(format!("log-likelihood with {name} against the largest"), l(m2, v2), l(m, v));
    }
    Ok(check)
}

/// Three clouds in the plane.
fn clouds(n: usize, stream: &mut RngStream) -> Vec<[f64; 2]> {
    let centers = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]];
    (0..n).map(|i| centers[i % 3]).map(|c| [c[0] + stream.normal(), c[1] + stream.normal()]).collect()
}

fn square(a: &[f64; 2], b: &[f64; 2]) -> f64 {
    (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)
}

fn nearest(x: &[f64; 2], centers: &[[f64; 2]]) -> usize {
    (1..centers.len()).fold(0, |best, k| if square(x, &centers[k]) < square(x, &centers[best]) { k } else { best })
}

fn inertia(x: &[[f64; 2]], centers: &[[f64; 2]]) -> f64 {
    x.iter().map(|x| square(x, &centers[nearest(x, centers)])).sum()
}

/// One step of Lloyd: rows to the nearest center, centers to the means; an empty cluster stays where it is.
fn lloyd_step(x: &[[f64; 2]], centers: &mut [[f64; 2]]) -> Vec<usize> {
    let to: Vec<usize> = x.iter().map(|x| nearest(x, centers)).collect();
    for (k, center) in centers.iter_mut().enumerate() {
        let own: Vec<&[f64; 2]> = x.iter().zip(&to).filter(|(_, t)| **t == k).map(|(x, _)| x).collect();
        if !own.is_empty() {
            *center = [0, 1].map(|j| own.iter().map(|x| x[j]).sum::<f64>() / own.len() as f64);
        }
    }
    to
}

fn lloyd(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let x = clouds(run.whole("n"), &mut run.stream(0));
    let mut centers: Vec<[f64; 2]> = x[..run.whole("k")].to_vec();
    let (mut trace, mut before, mut steps) = (vec![inertia(&x, &centers)], Vec::new(), 0);
    loop {
        let to = lloyd_step(&x, &mut centers);
        trace.push(inertia(&x, &centers));
        steps += 1;
        if to == before || steps == 500 {
            break;
        }
        before = to;
    }
    let rise = trace.windows(2).map(|t| t[1] - t[0]).fold(f64::NEG_INFINITY, f64::max);
    let mut check = TheoremCheck::new();
    check.assume("no center is moved when its cluster is empty", true);
    check.at_most("largest rise of the inertia", rise - 1e-9, 0.0);
    check.at_most("steps until nothing changes, against 500", f64::from(steps), 499.0);
    check.note("the end is a local optimum; another start may end lower");
    check.draw(
        Chart::new("Inertia", "step", "inertia")
            .with(Series::line("Lloyd", trace.iter().enumerate().map(|(i, v)| (i as f64, *v)).collect())),
    );
    Ok(check)
}

fn seeding(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, k) = (run.whole("n"), run.whole("k"));
    let mut stream = run.stream(0);
    let x = clouds(n, &mut stream);
    // The optimum, over all assignments.
    let mut best = f64::INFINITY;
    for code in 0..k.pow(n as u32) {
        let mut rest = code;
        let mut digit = || {
            let d = rest % k;
            rest /= k;
            d
        };
        let to: Vec<usize> = (0..n).map(|_| digit()).collect();
        let mut total = 0.0;
        for c in 0..k {
            let own: Vec<&[f64; 2]> = x.iter().zip(&to).filter(|(_, t)| **t == c).map(|(x, _)| x).collect();
            let center = [0, 1].map(|j| own.iter().map(|x| x[j]).sum::<f64>() / (own.len() as f64).max(1.0));
            total += own.iter().map(|x| square(x, &center)).sum::<f64>();
        }
        best = best.min(total);
    }
    let mut inertias = Vec::new();
    for _ in 0..run.whole("draws") {
        let mut centers = vec![x[stream.below(n)]];
        while centers.len() < k {
            let weights: Vec<f64> = x.iter().map(|x| square(x, &centers[nearest(x, &centers)])).collect();
            centers.push(x[stream.weighted(&weights)]);
        }
        inertias.push(inertia(&x, &centers));
    }
    let mut check = TheoremCheck::new();
    check.assume("one draw by D² for each center", true);
    check.simulated_at_most(
        "mean inertia of the seeding against 8(ln k + 2) times the optimum",
        mean_and_error(&inertias),
        8.0 * ((k as f64).ln() + 2.0) * best,
    );
    check.note(format!("mean over optimum: {:.2}", mean(&inertias) / best));
    Ok(check)
}

/// A mixture of normals on a line.
#[derive(Clone)]
struct LineMixture {
    weight: Vec<f64>,
    mean: Vec<f64>,
    variance: Vec<f64>,
}

impl LineMixture {
    fn start(x: &[f64], k: usize) -> Self {
        let (low, high) = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
        let at = |j: usize| low + (high - low) * (j as f64 + 0.5) / k as f64;
        Self { weight: vec![1.0 / k as f64; k], mean: (0..k).map(at).collect(), variance: vec![(high - low).powi(2) / 12.0; k] }
    }

    /// log π_j p_j(x).
    fn joint(&self, x: f64) -> Vec<f64> {
        let one = |j: usize| {
            self.weight[j].ln()
                - 0.5 * ((x - self.mean[j]).powi(2) / self.variance[j] + (std::f64::consts::TAU * self.variance[j]).ln())
        };
        (0..self.weight.len()).map(one).collect()
    }

    fn log_likelihood(&self, x: &[f64]) -> f64 {
        x.iter().map(|x| log_sum_exp(&self.joint(*x))).sum()
    }

    fn posterior(&self, x: f64) -> Vec<f64> {
        let joint = self.joint(x);
        let total = log_sum_exp(&joint);
        joint.iter().map(|v| (v - total).exp()).collect()
    }

    /// The M step for responsibilities.
    fn fitted(x: &[f64], gamma: &[Vec<f64>]) -> Self {
        let k = gamma[0].len();
        let count: Vec<f64> = (0..k).map(|j| gamma.iter().map(|g| g[j]).sum::<f64>()).collect();
        let mean: Vec<f64> = (0..k).map(|j| x.iter().zip(gamma).map(|(x, g)| g[j] * x).sum::<f64>() / count[j]).collect();
        let variance =
            (0..k).map(|j| x.iter().zip(gamma).map(|(x, g)| g[j] * (x - mean[j]).powi(2)).sum::<f64>() / count[j]).collect();
        Self { weight: count.iter().map(|c| c / x.len() as f64).collect(), mean, variance }
    }

    /// Σ γ log π p: what the M step maximizes.
    fn expected(&self, x: &[f64], gamma: &[Vec<f64>]) -> f64 {
        x.iter().zip(gamma).map(|(x, g)| dot(g, &self.joint(*x))).sum()
    }
}

fn two_bumps(n: usize, stream: &mut RngStream) -> Vec<f64> {
    (0..n).map(|i| stream.normal() + if i % 3 == 0 { 4.0 } else { 0.0 }).collect()
}

fn em_ascent(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let x = two_bumps(run.whole("n"), &mut run.stream(0));
    let mut now = LineMixture::start(&x, run.whole("k"));
    let (mut trace, mut touch) = (vec![now.log_likelihood(&x)], 0.0f64);
    for _ in 0..run.whole("steps") {
        let gamma: Vec<Vec<f64>> = x.iter().map(|x| now.posterior(*x)).collect();
        let entropy: f64 = gamma.iter().flatten().filter(|g| **g > 0.0).map(|g| -g * g.ln()).sum();
        touch = touch.max((now.expected(&x, &gamma) + entropy - now.log_likelihood(&x)).abs());
        let next = LineMixture::fitted(&x, &gamma);
        // L(next) = Q + H + KL(γ ‖ posterior of next).
        let after: Vec<Vec<f64>> = x.iter().map(|x| next.posterior(*x)).collect();
        let kl: f64 = gamma
            .iter()
            .flatten()
            .zip(after.iter().flatten())
            .filter(|(g, _)| **g > 0.0)
            .map(|(g, a)| g * (g / a.max(1e-300)).ln())
            .sum();
        touch = touch.max((next.expected(&x, &gamma) + entropy + kl - next.log_likelihood(&x)).abs());
        trace.push(next.log_likelihood(&x));
        now = next;
    }
    let fall = trace.windows(2).map(|t| t[0] - t[1]).fold(f64::NEG_INFINITY, f64::max);
    let mut check = TheoremCheck::new();
    check.assume("exact E and M steps", true);
    check.at_most("largest fall of the log-likelihood", fall - 1e-9, 0.0);
    check.zero("L less Q + H + KL, before and after each M step", touch, 1e-8 * (1.0 + trace[0].abs()));
    check.draw(
        Chart::new("Log-likelihood of EM", "step", "log-likelihood")
            .with(Series::line("EM", trace.iter().enumerate().map(|(i, v)| (i as f64, *v)).collect())),
    );
    Ok(check)
}

fn m_step(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let x = two_bumps(run.whole("n"), &mut run.stream(0));
    let start = LineMixture::start(&x, run.whole("k"));
    let gamma: Vec<Vec<f64>> = x.iter().map(|x| start.posterior(*x)).collect();
    let best = LineMixture::fitted(&x, &gamma);
    let q = best.expected(&x, &gamma);
    let mut check = TheoremCheck::new();
    check.assume("γ is fixed", true);
    check.equal("Σπ", best.weight.iter().sum(), 1.0, 1e-12);
    // ∂/∂π_j of Q + λ(Σπ − 1) vanishes with λ = −N.
    let n = x.len() as f64;
    let slope =
        (0..best.weight.len()).map(|j| (gamma.iter().map(|g| g[j]).sum::<f64>() / best.weight[j] - n).abs()).fold(0.0, f64::max);
    check.zero("N_j/π_j − N", slope, 1e-8 * n);
    let mut stream = run.stream(1);
    for part in ["means", "variances", "weights"] {
        let mut other = best.clone();
        match part {
            "means" => other.mean.iter_mut().for_each(|m| *m += 0.1 * stream.normal()),
            "variances" => other.variance.iter_mut().for_each(|v| *v *= (0.1 * stream.normal()).exp()),
            _ => {
                other.weight.iter_mut().for_each(|w| *w *= (0.1 * stream.normal()).exp());
                let total: f64 = other.weight.iter().sum();
                other.weight.iter_mut().for_each(|w| *w /= total);
            }
        }
        check.at_most(format!("Q with other {part} against the largest"), other.expected(&x, &gamma), q);
    }
    Ok(check)
}

fn hard_em(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let x = clouds(run.whole("n"), &mut run.stream(0));
    let k = run.whole("k");
    let mut centers: Vec<[f64; 2]> = x[..k].to_vec();
    let (mut means, mut variance) = (centers.clone(), 1.0);
    let mut different = 0;
    for _ in 0..15 {
        let by_lloyd = lloyd_step(&x, &mut centers);
        // The most probable component under equal weights and one spherical covariance.
        let log_density = |x: &[f64; 2], m: &[f64; 2]| -0.5 * square(x, m) / variance - f64::ln(variance);
        let by_em: Vec<usize> = x
            .iter()
            .map(|x| (1..k).fold(0, |b, j| if log_density(x, &means[j]) > log_density(x, &means[b]) { j } else { b }))
            .collect();
        different += by_lloyd.iter().zip(&by_em).filter(|(a, b)| a != b).count();
        for (j, m) in means.iter_mut().enumerate() {
            let own: Vec<&[f64; 2]> = x.iter().zip(&by_em).filter(|(_, t)| **t == j).map(|(x, _)| x).collect();
            if !own.is_empty() {
                *m = [0, 1].map(|d| own.iter().map(|x| x[d]).sum::<f64>() / own.len() as f64);
            }
        }
        variance = x.iter().zip(&by_em).map(|(x, j)| square(x, &means[*j])).sum::<f64>() / (2.0 * x.len() as f64);
    }
    let mut check = TheoremCheck::new();
    check.assume("equal weights, one shared spherical covariance, the same start", true);
    check.equal("assignments that differ in fifteen steps", different as f64, 0.0, 0.0);
    check.note("with variances by component the boundaries are curved, and the assignments differ");
    Ok(check)
}

fn wishart(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (n, nu, m) = (run.whole("n"), run.real("nu"), run.real("m"));
    let mut stream = run.stream(0);
    let x = Mat::from_fn(n, 2, |_, _| stream.normal());
    let sums = Mat::from_fn(2, 2, |a, b| (0..n).map(|i| x[(i, a)] * x[(i, b)]).sum());
    let prior = Mat::from_fn(2, 2, |i, j| if i == j { nu * nu } else { 0.0 });
    let map = Mat::from_fn(2, 2, |i, j| (sums[(i, j)] + prior[(i, j)]) / (n as f64 + m));
    let log_posterior = |sigma: &Mat<f64>| -> Result<f64> {
        let factor = Cholesky::new(sigma.view())?;
        let inverse = factor.inverse();
        let trace: f64 = (0..2).map(|i| (0..2).map(|j| inverse[(i, j)] * (sums[(j, i)] + prior[(j, i)])).sum::<f64>()).sum();
        Ok(-0.5 * ((n as f64 + m) * factor.log_determinant() + trace))
    };
    let best = log_posterior(&map)?;
    let mut check = TheoremCheck::new();
    check.assume("the mean is known", true);
    for _ in 0..4 {
        let other = Mat::from_fn(2, 2, |i, j| {
            map[(i, j)] * if i == j { 1.1 } else { 1.0 } + if i == j { 0.05 * stream.uniform() } else { 0.0 }
        });
        check.at_most("log posterior of another covariance against the largest", log_posterior(&other)?, best);
    }
    // The density of the inverse Wishart law has the exponent (ν + p + 1)/2.
    let engine = Wishart::new(m - 3.0, prior.clone())?.update(n as f64, sums.view())?.covariance_mode();
    check.equal("the engine's mode with ν = m − p − 1 against the formula", engine[(0, 0)], map[(0, 0)], 1e-10);
    check.misprint("Σ̂ + ν²I as the mode", map[(0, 0)], sums[(0, 0)] / n as f64 + nu * nu);
    Ok(check)
}

fn unbounded(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let x = two_bumps(run.whole("n"), &mut run.stream(0));
    let at = |sd: f64| {
        LineMixture { weight: vec![0.5, 0.5], mean: vec![mean(&x), x[0]], variance: vec![4.0, sd * sd] }.log_likelihood(&x)
    };
    let sds: Vec<f64> = (0..8).map(|k| 10f64.powi(-k)).collect();
    let values: Vec<f64> = sds.iter().map(|s| at(*s)).collect();
    let mut check = TheoremCheck::new();
    check.assume("two components, no floor of the variance", true);
    check.trend("the negative log-likelihood at σ = 10⁻² and at σ = 10⁻⁷", -values[2], -values[7]);
    // A tenth of the width adds ln 10 in the end.
    check.equal("gain of the last tenth against ln 10", values[7] - values[6], 10f64.ln(), 1e-3);
    check.draw(
        Chart::new("Log-likelihood as a component shrinks", "σ", "log-likelihood")
            .log_x()
            .with(Series::line("mixture", sds.iter().copied().zip(values).collect())),
    );
    Ok(check)
}

fn bic(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let x = two_bumps(run.whole("n"), &mut run.stream(0));
    let n = x.len() as f64;
    let (mut up, mut down) = (Vec::new(), Vec::new());
    for k in 1..=run.whole("most") {
        let mut now = LineMixture::start(&x, k);
        for _ in 0..30 {
            let gamma: Vec<Vec<f64>> = x.iter().map(|x| now.posterior(*x)).collect();
            now = LineMixture::fitted(&x, &gamma);
            now.variance.iter_mut().for_each(|v| *v = v.max(1e-2));
        }
        let (l, parameters) = (now.log_likelihood(&x), (3 * k - 1) as f64);
        up.push(l - 0.5 * parameters * n.ln());
        down.push(-2.0 * l + parameters * n.ln());
    }
    let place =
        |v: &[f64], better: &dyn Fn(f64, f64) -> bool| (1..v.len()).fold(0, |b, i| if better(v[i], v[b]) { i } else { b });
    let (a, b) = (place(&up, &|x, y| x > y), place(&down, &|x, y| x < y));
    let mut check = TheoremCheck::new();
    check.equal("components chosen by the two forms", (a + 1) as f64, (b + 1) as f64, 0.0);
    check.equal("−2 times the one against the other", -2.0 * up[a], down[a], 1e-12);
    Ok(check)
}

fn experts(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let mut stream = run.stream(0);
    let x: Vec<f64> = (0..run.whole("n")).map(|_| 4.0 * stream.uniform() - 2.0).collect();
    let y: Vec<f64> = x.iter().map(|x| x.abs() + 0.1 * stream.normal()).collect();
    // Two lines, and a gate of normal densities of x, for which the M step is in closed form.
    let (mut line, mut noise) = ([[0.5, 0.5], [0.5, -0.5]], [1.0, 1.0]);
    let mut gate = LineMixture { weight: vec![0.5, 0.5], mean: vec![1.0, -1.0], variance: vec![1.0, 1.0] };
    let (mut trace, mut sums) = (Vec::new(), 0.0f64);
    for _ in 0..=run.whole("steps") {
        let joint: Vec<Vec<f64>> = x
            .iter()
            .zip(&y)
            .map(|(x, y)| {
                let g = gate.joint(*x);
                let p = |j: usize| {
                    -0.5 * ((y - line[j][0] - line[j][1] * x).powi(2) / noise[j] + f64::ln(std::f64::consts::TAU * noise[j]))
                };
                (0..2).map(|j| g[j] + p(j)).collect()
            })
            .collect();
        trace.push(joint.iter().map(|j| log_sum_exp(j)).sum::<f64>());
        let gamma: Vec<Vec<f64>> = joint.iter().map(|j| j.iter().map(|v| (v - log_sum_exp(j)).exp()).collect()).collect();
        sums = sums.max(max_abs(&gamma.iter().map(|g: &Vec<f64>| g.iter().sum::<f64>() - 1.0).collect::<Vec<_>>()));
        gate = LineMixture::fitted(&x, &gamma);
        for j in 0..2 {
            let moment = |f: &dyn Fn(usize) -> f64| (0..x.len()).map(|i| gamma[i][j] * f(i)).sum::<f64>();
            let (s, sx, sxx) = (moment(&|_| 1.0), moment(&|i| x[i]), moment(&|i| x[i] * x[i]));
            let (sy, sxy) = (moment(&|i| y[i]), moment(&|i| x[i] * y[i]));
            let slope = (s * sxy - sx * sy) / (s * sxx - sx * sx);
            line[j] = [(sy - slope * sx) / s, slope];
            noise[j] = moment(&|i| (y[i] - line[j][0] - line[j][1] * x[i]).powi(2)) / s;
        }
    }
    let fall = trace.windows(2).map(|t| t[0] - t[1]).fold(f64::NEG_INFINITY, f64::max);
    let mut check = TheoremCheck::new();
    check.assume("exact E and M steps", true);
    check.at_most("largest fall of the log-likelihood", fall - 1e-8, 0.0);
    check.zero("Σγ − 1, the largest", sums, 1e-12);
    check.note(format!("the experts' slopes: {:.3} and {:.3}", line[0][1], line[1][1]));
    Ok(check)
}

fn imputation(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let mut stream = run.stream(0);
    let n = run.whole("n");
    let mut x = Mat::from_fn(n, 3, |_, _| stream.normal());
    (0..n).for_each(|i| x[(i, 0)] = 1.0 + x[(i, 1)] - 0.5 * x[(i, 2)] + 0.3 * x[(i, 0)]);
    let m: Vec<f64> = (0..3).map(|j| x.view().col_iter(j).sum::<f64>() / n as f64).collect();
    let s = Mat::from_fn(3, 3, |a, b| (0..n).map(|i| (x[(i, a)] - m[a]) * (x[(i, b)] - m[b])).sum::<f64>() / n as f64);
    let bb = Mat::from_fn(2, 2, |i, j| s[(i + 1, j + 1)]);
    let at = [0.7, -0.4];
    let formula = m[0] + dot(&[s[(0, 1)], s[(0, 2)]], &solve(&bb, &[at[0] - m[1], at[1] - m[2]])?);
    let data = TheoremData { x: Mat::from_fn(n, 2, |i, j| x[(i, j + 1)]), y: x.view().col_iter(0).collect() };
    let w = crate::algebra::least_squares(&data.with_ones(), &data.y)?;
    let mut check = TheoremCheck::new();
    check.assume("Σ_bb is regular", true);
    check.equal("conditional mean against the least-squares line", formula, dot(&w, &[1.0, at[0], at[1]]), 1e-8);
    // On a grid of x_a the joint density is largest there.
    let factor = Cholesky::new(s.view())?;
    let quadratic = |a: f64| {
        let d = [a - m[0], at[0] - m[1], at[1] - m[2]];
        let mut v = d.to_vec();
        factor.solve_vec(&mut v);
        dot(&d, &v)
    };
    check.at_most(
        "Mahalanobis distance at the formula against a little beside",
        quadratic(formula),
        quadratic(formula + 0.01).min(quadratic(formula - 0.01)),
    );
    Ok(check)
}
