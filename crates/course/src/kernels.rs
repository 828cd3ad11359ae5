//! Chapter 6: kernels, support vector machines, principal components.

use ermine_core::{DatasetRef, Features, Learner, Mat, Result, Target};
use ermine_kernel::kernel_pca::KernelPca;
use ermine_kernel::svm::{BinarySvm, Svm};
use ermine_math::kernel::{Kernel, is_psd};
use ermine_math::linalg::eigen_symmetric;
use ermine_math::optimize::constrained::{QpMethod, QpOptimum, QuadraticProgram};
use ermine_report::chart::{Chart, Series};

use crate::algebra::{dot, gram, max_abs, mean, norm, pseudo_inverse, solve, sub, times, transposed_times};
use crate::check::TheoremCheck;
use crate::data::{TheoremData, blobs, line_data};
use crate::theorem::{Chapter, Theorem, TheoremParam, TheoremRun, real, whole};

const N: TheoremParam = whole("n", 24, 8, 40, "rows");
const GAMMA: TheoremParam = real("gamma", 0.5, 0.05, 5.0, "γ of the Gaussian kernel");
const C: TheoremParam = real("c", 1.0, 0.1, 10.0, "C");
const GAP: TheoremParam = real("gap", 2.0, 0.5, 4.0, "distance of the classes");

pub(crate) const CHAPTER: Chapter = Chapter {
    number: 6,
    title: "Kernels, support vector machines and principal components",
    theorems: &[
        Theorem::new(
            "T6.1",
            "A kernel is valid if and only if every Gram matrix is symmetric and positive semidefinite",
            "000 L2; 001 §7.1; 002 §6.3",
            "math::kernel::is_psd",
            &[N, GAMMA],
            false,
            gram_matrices,
        ),
        Theorem::new(
            "T6.2",
            "Kernels are closed under sums, products, factors f(x)f(z), polynomials with coefficients ≥ 0, exp and maps",
            "000 L2; 001 §7.1; 002 §6.3.2",
            "math::kernel::Kernel",
            &[N, GAMMA],
            false,
            algebra,
        ),
        Theorem::new(
            "T6.3",
            "(1 + x·z)² = φ(x)·φ(z) with φ = [1, √2x₁, √2x₂, x₁², x₂², √2x₁x₂]",
            "000 L2; 002 §6.3.1",
            "Kernel::poly",
            &[
                real("x1", 0.7, -3.0, 3.0, "x₁"),
                real("x2", -1.2, -3.0, 3.0, "x₂"),
                real("z1", 1.5, -3.0, 3.0, "z₁"),
                real("z2", 0.4, -3.0, 3.0, "z₂"),
            ],
            false,
            feature_map,
        ),
        Theorem::new(
            "T6.4",
            "Kernel ridge: α = (K + λI)⁻¹y; with the loss (1/n)‖·‖² it is (K + nλI)⁻¹y",
            "000 L2; 001 §7.2",
            "math::kernel",
            &[N, real("lambda", 0.5, 0.01, 10.0, "λ")],
            false,
            kernel_ridge,
        ),
        Theorem::new(
            "T6.5",
            "Representer: a part of w orthogonal to all φ(xᵢ) changes no fit and makes w longer",
            "000 L2; 002 §6.3.1",
            "algorithm in the open",
            &[
                whole("n", 4, 2, 6, "rows"),
                whole("p", 9, 8, 15, "columns"),
                real("size", 1.0, 0.1, 10.0, "length of the added part"),
            ],
            false,
            representer,
        ),
        Theorem::new(
            "T6.6",
            "The margin is 1/‖w‖, and primal and dual of the hard-margin machine have the same optimum",
            "000 L3; 001 §5.2; 002 §6.2.1",
            "svm::Svm, QuadraticProgram",
            &[N, real("gap", 6.0, 5.0, 10.0, "distance of the classes")],
            false,
            hard_margin,
        ),
        Theorem::new(
            "T6.7",
            "Conditions of the machine: μ = 0 ⇒ y f ≥ 1, 0 < μ < C ⇒ y f = 1, μ = C ⇒ y f ≤ 1, Σ μ y = 0",
            "000 L3; 002 §6.2.2",
            "svm::Svm, QuadraticProgram",
            &[N, C, GAP],
            false,
            conditions,
        ),
        Theorem::new(
            "T6.8",
            "λ/2‖w‖² + Σ hinge has the minimizer of ½‖w‖² + C Σ hinge with C = 1/λ",
            "002 §6.2.3",
            "QuadraticProgram",
            &[N, real("lambda", 0.5, 0.1, 5.0, "λ"), GAP],
            false,
            penalty,
        ),
        Theorem::new(
            "T6.9",
            "The leave-one-out error is at most the share of support vectors",
            "002 §6.2.2",
            "QuadraticProgram",
            &[whole("n", 14, 8, 18, "rows"), C, GAP],
            false,
            leave_one_out,
        ),
        Theorem::new(
            "T6.10",
            "Principal components: the mean squared error of m of them is the sum of the other eigenvalues of the covariance (divisor n)",
            "000 L6; 001 §10.2; 003 §3.2",
            "linalg::eigen_symmetric",
            &[whole("n", 60, 20, 300, "rows"), whole("p", 5, 3, 10, "columns"), whole("m", 2, 1, 2, "components")],
            true,
            principal_components,
        ),
        Theorem::new(
            "T6.11",
            "Kernel components with the linear kernel are the scores of principal components, up to signs; K has to be centered",
            "001 §10.2.2",
            "KernelPca",
            &[whole("n", 30, 15, 60, "rows"), whole("p", 3, 2, 5, "columns")],
            false,
            kernel_components,
        ),
        Theorem::new(
            "T6.12",
            "The Gaussian kernel of distinct points is positive definite: a hard margin is always feasible",
            "001 §7.1; 002 §6.3.3",
            "Kernel::gaussian",
            &[whole("n", 14, 6, 20, "rows"), real("gamma", 5.0, 3.0, 20.0, "γ")],
            false,
            gaussian_separates,
        ),
    ],
};

fn gram_of(k: &Kernel, x: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(x.rows(), x.rows(), |i, j| k.value(x.row(i), x.row(j)))
}

fn points(run: &TheoremRun<'_>, p: usize) -> Mat<f64> {
    let mut stream = run.stream(0);
    Mat::from_fn(run.whole("n"), p, |_, _| stream.normal())
}

/// The largest amount by which the least eigenvalue is below what rounding allows.
fn below(k: &Kernel, x: &Mat<f64>) -> Result<f64> {
    let check = is_psd(gram_of(k, x).view())?;
    Ok((-check.least - check.rounding()).max(0.0))
}

fn gram_matrices(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let x = points(run, 2);
    let mut check = TheoremCheck::new();
    check.assume("the function is symmetric", true);
    for (name, k) in
        [("linear", Kernel::linear()), ("Gaussian", Kernel::gaussian(run.real("gamma"))), ("polynomial", Kernel::poly(1.0, 3))]
    {
        check.at_most(format!("{name}: how far the least eigenvalue is below 0"), below(&k, &x)?, 0.0);
    }
    let distance = Kernel::user(|x, z| x.iter().zip(z).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt());
    let witness = is_psd(gram_of(&distance, &x).view())?;
    check.at_most("the distance ‖x−z‖ is no kernel: its least eigenvalue against 0", witness.least, -1e-6);
    check.note("one sample never proves a kernel valid; one negative eigenvalue disproves it");
    Ok(check)
}

fn algebra(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let x = points(run, 2);
    let (a, b) = (|| Kernel::gaussian(run.real("gamma")), Kernel::linear);
    let mut check = TheoremCheck::new();
    check.assume("the parts are kernels", true);
    let made = [
        ("sum", a() + b()),
        ("product", a() * b()),
        ("polynomial 1 + 2t + t²", b().polynomial(&[1.0, 2.0, 1.0])),
        ("exp", a().exp()),
        ("one column", a().on(&[0])),
    ];
    for (name, k) in made {
        check.at_most(format!("{name}: how far the least eigenvalue is below 0"), below(&k, &x)?, 0.0);
        check.equal(format!("{name}: known by construction"), f64::from(k.psd_by_construction()), 1.0, 0.0);
    }
    let convex = Kernel::user(|x, z| (dot(x, z) - 1.0).powi(2));
    let least = is_psd(gram_of(&convex, &x).view())?.least;
    check.misprint_at_most("f(k) for any convex f, as (t−1)²; 0 against its least eigenvalue", 0.0, least);
    Ok(check)
}

fn feature_map(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (x, z) = ([run.real("x1"), run.real("x2")], [run.real("z1"), run.real("z2")]);
    let root = std::f64::consts::SQRT_2;
    let phi = |v: [f64; 2]| [1.0, root * v[0], root * v[1], v[0] * v[0], v[1] * v[1], root * v[0] * v[1]];
    let mut check = TheoremCheck::new();
    check.equal("φ(x)·φ(z) against (1 + x·z)²", dot(&phi(x), &phi(z)), (1.0 + dot(&x, &z)).powi(2), 1e-12);
    check.equal("the engine's kernel", Kernel::poly(1.0, 2).value(&x, &z), (1.0 + dot(&x, &z)).powi(2), 1e-12);
    Ok(check)
}

fn kernel_ridge(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (lambda, n) = (run.real("lambda"), run.whole("n"));
    let data = line_data(n, 2, 1.0, &mut run.stream(0));
    let phi = Mat::from_fn(n, 6, |i, j| {
        let (a, b, root) = (data.x[(i, 0)], data.x[(i, 1)], std::f64::consts::SQRT_2);
        [1.0, root * a, root * b, a * a, b * b, root * a * b][j]
    });
    let k = gram_of(&Kernel::poly(1.0, 2), &data.x);
    let lifted = |extra: f64| Mat::from_fn(n, n, |i, j| k[(i, j)] + if i == j { extra } else { 0.0 });
    let by_rows = times(&k, &solve(&lifted(lambda), &data.y)?);
    let by_columns = times(&phi, &solve(&gram(&phi, lambda), &transposed_times(&phi, &data.y))?);
    let size = 1.0 + norm(&data.y);
    let mut check = TheoremCheck::new();
    check.assume("λ > 0", lambda > 0.0);
    check.zero("fit by the kernel less fit by the features", max_abs(&sub(&by_rows, &by_columns)), 1e-6 * size);
    // The gradient in α of (1/n)‖y − Kα‖² + λ αᵀKα, divided by K: −(2/n)(y − Kα) + 2λα.
    let slope = |alpha: &[f64]| -> f64 {
        let r = sub(&data.y, &times(&k, alpha));
        max_abs(&r.iter().zip(alpha).map(|(r, a)| -2.0 / n as f64 * r + 2.0 * lambda * a).collect::<Vec<_>>())
    };
    check.zero(
        "gradient of the loss (1/n)‖·‖² at (K + nλI)⁻¹y",
        slope(&solve(&lifted(n as f64 * lambda), &data.y)?),
        1e-8 * size,
    );
    check.misprint(
        "(K + λI)⁻¹y for the loss (1/n)‖·‖²; the gradient there, against 0",
        slope(&solve(&lifted(lambda), &data.y)?),
        0.0,
    );
    Ok(check)
}

fn representer(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let (x, p) = (points(run, run.whole("p")), run.whole("p"));
    let mut stream = run.stream(1);
    let y: Vec<f64> = (0..x.rows()).map(|_| stream.normal()).collect();
    let inverse = pseudo_inverse(&x)?;
    let w = times(&inverse, &y);
    let v: Vec<f64> = (0..p).map(|_| stream.normal()).collect();
    let inside = times(&inverse, &times(&x, &v));
    let mut other = sub(&v, &inside);
    let length = norm(&other);
    other.iter_mut().for_each(|v| *v *= run.real("size") / length);
    let moved: Vec<f64> = w.iter().zip(&other).map(|(w, o)| w + o).collect();
    let mut check = TheoremCheck::new();
    check.assume("the penalty grows with ‖w‖", true);
    check.zero("change of the fits", max_abs(&sub(&times(&x, &moved), &times(&x, &w))), 1e-8 * (1.0 + norm(&moved)));
    check.at_most("‖w‖ against ‖w + w⊥‖", norm(&w), norm(&moved));
    Ok(check)
}

/// The dual of the machine: `max Σμ − ½ ΣΣ μμ y y k` with `0 ≤ μ ≤ C`, `Σ μ y = 0`; without C a hard margin.
fn dual(x: &Mat<f64>, y: &[f64], k: &Kernel, c: Option<f64>) -> Result<Option<QpOptimum>> {
    let n = y.len();
    let g = gram_of(k, x);
    let p = Mat::from_fn(n, n, |i, j| y[i] * y[j] * g[(i, j)]);
    let rows = if c.is_some() { 2 * n } else { n };
    let box_rows = Mat::from_fn(rows, n, |i, j| if i % n == j { if i < n { -1.0 } else { 1.0 } } else { 0.0 });
    let bounds = (0..rows).map(|i| if i < n { 0.0 } else { c.unwrap_or(0.0) }).collect();
    let program = QuadraticProgram::new(p, vec![-1.0; n])?
        .with_inequalities(box_rows, bounds)?
        .with_equalities(Mat::from_vec(1, n, y.to_vec()), vec![0.0])?;
    Ok(program.solve(QpMethod::InteriorPoint)?.into_optimum())
}

/// f(x) of a dual solution; the multiplier of Σ μ y = 0 is the negative bias.
fn score(o: &QpOptimum, x: &Mat<f64>, y: &[f64], k: &Kernel, at: &[f64]) -> f64 {
    (0..y.len()).map(|i| o.x[i] * y[i] * k.value(x.row(i), at)).sum::<f64>() + o.multipliers.equality[0]
}

fn engine(data: &TheoremData, c: Option<f64>) -> Result<BinarySvm> {
    let codes: Vec<u32> = data.y.iter().map(|y| u32::from(*y > 0.0)).collect();
    let names = ["-".to_owned(), "+".to_owned()];
    let rows = DatasetRef::new(Features::F64(data.x.view())).with_target(Target::Class { codes: &codes, names: &names });
    let model = Svm { c, kernel: "linear".into(), tol: 1e-6, ..Svm::default() }.fit(&rows)?;
    Ok(model.machines()[0].clone())
}

fn hard_margin(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = blobs(run.whole("n"), run.real("gap"), &mut run.stream(0));
    let n = data.y.len();
    let rows = Mat::from_fn(n, 3, |i, j| -data.y[i] * if j < 2 { data.x[(i, j)] } else { 1.0 });
    let square = Mat::from_fn(3, 3, |i, j| f64::from(i == j && i < 2));
    let primal = QuadraticProgram::new(square, vec![0.0; 3])?
        .with_inequalities(rows, vec![-1.0; n])?
        .solve(QpMethod::InteriorPoint)?
        .into_optimum();
    let mut check = TheoremCheck::new();
    check.assume("the classes are separable", primal.is_some());
    let (Some(primal), Some(dual)) = (primal, dual(&data.x, &data.y, &Kernel::linear(), None)?) else { return Ok(check) };
    check.equal("primal optimum against dual optimum", primal.objective, -dual.objective, 1e-6);
    let length = norm(&primal.x[..2]);
    let nearest =
        (0..n).map(|i| data.y[i] * (dot(data.x.row(i), &primal.x[..2]) + primal.x[2]) / length).fold(f64::INFINITY, f64::min);
    check.equal("distance of the nearest row against 1/‖w‖", nearest, 1.0 / length, 1e-6);
    let machine = engine(&data, None)?;
    check.equal("the engine's margin against 1/‖w‖", machine.margin(), 1.0 / length, 1e-3);
    check.note(format!("the engine's gap: {:.1e}", machine.primal - machine.dual));
    Ok(check)
}

fn conditions(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let c = run.real("c");
    let data = blobs(run.whole("n"), run.real("gap"), &mut run.stream(0));
    let k = Kernel::linear();
    let mut check = TheoremCheck::new();
    let Some(o) = dual(&data.x, &data.y, &k, Some(c))? else { return Ok(check) };
    check.assume("the solver converged", o.kkt.largest_relative() < 1e-7);
    let margins: Vec<f64> = (0..data.y.len()).map(|i| data.y[i] * score(&o, &data.x, &data.y, &k, data.x.row(i))).collect();
    let (mut at_zero, mut inside, mut at_bound) = (0.0f64, 0.0f64, 0.0f64);
    for (mu, m) in o.x.iter().zip(&margins) {
        if *mu < 1e-7 * c {
            at_zero = at_zero.max(1.0 - m);
        } else if *mu > c * (1.0 - 1e-7) {
            at_bound = at_bound.max(m - 1.0);
        } else {
            inside = inside.max((m - 1.0).abs());
        }
    }
    check.at_most("μ = 0: largest 1 − y f", at_zero - 1e-6, 0.0);
    check.zero("0 < μ < C: largest |y f − 1|", inside, 1e-6);
    check.at_most("μ = C: largest y f − 1", at_bound - 1e-6, 0.0);
    check.zero("Σ μ y", dot(&o.x, &data.y), 1e-8 * (1.0 + c));
    let slack: f64 = margins.iter().map(|m| (1.0 - m).max(0.0)).sum();
    let machine = engine(&data, Some(c))?;
    check.equal("the engine's primal objective against the dual's optimum", machine.primal, -o.objective, 1e-4);
    check.note(format!("sum of slacks {slack:.4}, {} support vectors; a row with y f = 1 may have μ = 0", machine.support));
    check.draw(
        Chart::new("Margins and multipliers", "y f", "μ")
            .with(Series::points("rows", margins.iter().copied().zip(o.x.iter().copied()).collect())),
    );
    Ok(check)
}

/// `min w-part/2 ‖w‖² + weight Σ hinge` as a program in (w, b, ξ).
fn soft(data: &TheoremData, curvature: f64, weight: f64) -> Result<Option<Vec<f64>>> {
    let n = data.y.len();
    let p = Mat::from_fn(n + 3, n + 3, |i, j| if i == j && i < 2 { curvature } else { 0.0 });
    let q = (0..n + 3).map(|j| if j < 3 { 0.0 } else { weight }).collect();
    let rows = Mat::from_fn(2 * n, n + 3, |i, j| match (i < n, j) {
        (true, 0 | 1) => -data.y[i] * data.x[(i, j)],
        (true, 2) => -data.y[i],
        (true, _) => -f64::from(j - 3 == i),
        (false, _) => -f64::from(j == i - n + 3),
    });
    let bounds = (0..2 * n).map(|i| if i < n { -1.0 } else { 0.0 }).collect();
    let o = QuadraticProgram::new(p, q)?.with_inequalities(rows, bounds)?.solve(QpMethod::InteriorPoint)?.into_optimum();
    Ok(o.map(|o| o.x[..2].to_vec()))
}

fn penalty(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let lambda = run.real("lambda");
    let data = blobs(run.whole("n"), run.real("gap"), &mut run.stream(0));
    let mut check = TheoremCheck::new();
    check.assume("λ > 0", lambda > 0.0);
    let (a, b, printed) = (soft(&data, lambda, 1.0)?, soft(&data, 1.0, 1.0 / lambda)?, soft(&data, 1.0, 2.0 / lambda)?);
    if let (Some(a), Some(b), Some(printed)) = (a, b, printed) {
        check.zero("minimizers with λ and with C = 1/λ: distance", norm(&sub(&a, &b)), 1e-6 * (1.0 + norm(&a)));
        check.note(format!("with the printed C = 2/λ it is {:.4} away", norm(&sub(&a, &printed))));
    }
    Ok(check)
}

fn leave_one_out(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let data = blobs(run.whole("n"), run.real("gap"), &mut run.stream(0));
    let (n, k, c) = (data.y.len(), Kernel::linear(), Some(run.real("c")));
    let mut check = TheoremCheck::new();
    check.assume("the machine is fitted again without each row", true);
    let Some(all) = dual(&data.x, &data.y, &k, c)? else { return Ok(check) };
    let support = all.x.iter().filter(|m| **m > 1e-7).count() as f64;
    let mut errors = 0.0;
    for i in 0..n {
        let kept: Vec<usize> = (0..n).filter(|&j| j != i).collect();
        let (x, y) = (data.x.view().take_rows(&kept), kept.iter().map(|&j| data.y[j]).collect::<Vec<_>>());
        if let Some(o) = dual(&x, &y, &k, c)? {
            errors += f64::from(data.y[i] * score(&o, &x, &y, &k, data.x.row(i)) < 0.0);
        }
    }
    check.at_most(
        "share of rows that are wrong when left out against the share of support vectors",
        errors / n as f64,
        support / n as f64,
    );
    Ok(check)
}

fn principal_components(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let mut data = run.line(run.whole("n"), run.whole("p"), 1.0).centered();
    let m = run.whole("m").min(data.x.cols());
    (0..data.x.rows()).for_each(|i| {
        (0..data.x.cols()).for_each(|j| data.x[(i, j)] *= if run.given().is_some() { 1.0 } else { 1.0 + j as f64 })
    });
    let n = data.x.rows() as f64;
    let covariance = Mat::from_fn(data.x.cols(), data.x.cols(), |a, b| {
        data.x.view().col_iter(a).zip(data.x.view().col_iter(b)).map(|(u, v)| u * v).sum::<f64>() / n
    });
    let eigen = eigen_symmetric(covariance.view())?;
    let (mut error, mut kept) = (0.0, 0.0);
    for i in 0..data.x.rows() {
        let scores: Vec<f64> = (0..m).map(|k| dot(eigen.vectors.row(k), data.x.row(i))).collect();
        let back: Vec<f64> = (0..data.x.cols()).map(|j| (0..m).map(|k| scores[k] * eigen.vectors[(k, j)]).sum()).collect();
        error += sub(data.x.row(i), &back).iter().map(|v| v * v).sum::<f64>() / n;
        kept += dot(&scores, &scores) / n;
    }
    let rest: f64 = eigen.values[m..].iter().sum();
    let mut check = TheoremCheck::new();
    check.assume("the columns are centered", true);
    check.equal("mean squared reconstruction error against the sum of the other eigenvalues", error, rest, 1e-8);
    check.equal("variance kept against the sum of the first eigenvalues", kept, eigen.values[..m].iter().sum(), 1e-8);
    if run.given().is_none() {
        let shifted =
            mean(&(0..data.x.rows()).map(|i| data.x.row(i).iter().map(|v| (v + 3.0).powi(2)).sum::<f64>()).collect::<Vec<_>>());
        check.misprint(
            "the covariance without centering; total variance of the same rows shifted by 3",
            eigen.values.iter().sum(),
            shifted,
        );
    }
    Ok(check)
}

fn kernel_components(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let x0 = points(run, run.whole("p"));
    let x = Mat::from_fn(x0.rows(), x0.cols(), |i, j| 2.0 + x0[(i, j)] * (1.0 + j as f64));
    let model = KernelPca { n_components: Some(2), kernel: "linear".into(), ..KernelPca::default() }
        .fit(&DatasetRef::new(Features::F64(x.view())))?;
    let scores = model.training_scores();
    let data = TheoremData { y: vec![0.0; x.rows()], x }.centered();
    let eigen = eigen_symmetric(gram(&data.x, 0.0).view())?;
    let mut worst = 0.0f64;
    for i in 0..data.x.rows() {
        for k in 0..2 {
            worst = worst.max((dot(eigen.vectors.row(k), data.x.row(i)).abs() - scores[(i, k)].abs()).abs());
        }
    }
    let mut check = TheoremCheck::new();
    check.assume(
        "the first eigenvalues are distinct and above 0",
        eigen.values[0] > 1.0001 * eigen.values[1] && eigen.values[1] > 0.0,
    );
    check.zero("|scores| of kernel components less |scores| of components", worst, 1e-6 * (1.0 + max_abs(data.x.as_slice())));
    Ok(check)
}

fn gaussian_separates(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let x = points(run, 2);
    let mut stream = run.stream(1);
    let y: Vec<f64> = (0..x.rows()).map(|i| if i == 0 || (i > 1 && stream.uniform() < 0.5) { 1.0 } else { -1.0 }).collect();
    let k = Kernel::gaussian(run.real("gamma"));
    let least = is_psd(gram_of(&k, &x).view())?.least;
    let mut check = TheoremCheck::new();
    check.assume("no two rows are equal, and the kernel is not numerically singular", least > 1e-9);
    check.at_most("0 against the least eigenvalue", 0.0, least);
    if least > 1e-9
        && let Some(o) = dual(&x, &y, &k, None)?
    {
        let wrong = (0..y.len()).filter(|&i| y[i] * score(&o, &x, &y, &k, x.row(i)) <= 0.0).count();
        check.equal("rows on the wrong side, for random labels", wrong as f64, 0.0, 0.0);
    }
    Ok(check)
}
