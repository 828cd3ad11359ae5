//! Chapter 7: constrained optimization.

use ermine_core::{Error, Mat, Result};
use ermine_math::optimize::constrained::{
    ConstrainedObjective, ConstraintQualification, Multipliers, QpMethod, QuadraticProgram, SlaterPoint, solve_smooth,
};
use ermine_report::chart::{Chart, Series};

use crate::algebra::{dot, max_abs, norm, sub};
use crate::check::TheoremCheck;
use crate::theorem::{Chapter, Theorem, TheoremParam, TheoremRun, real, whole};

const DIM: TheoremParam = whole("n", 6, 2, 20, "variables");
const ROWS: TheoremParam = whole("m", 8, 1, 30, "inequalities");

pub(crate) const CHAPTER: Chapter = Chapter {
    number: 7,
    title: "Constrained optimization",
    theorems: &[
        Theorem::new(
            "T7.1",
            "At a regular optimum under G = 0 there is a λ with ∇f + λ∇G = 0",
            "002 §6.1; 003 §3.2",
            "solve_smooth",
            &[
                real("a", 1.0, 0.3, 3.0, "slope of f along the first axis"),
                real("b", 2.0, 0.3, 3.0, "slope of f along the second axis"),
            ],
            false,
            lagrange,
        ),
        Theorem::new(
            "T7.2",
            "A convex f lies above its tangents: f(y) ≥ f(x) + ∇f(x)ᵀ(y − x)",
            "002 §3.2",
            "algorithm in the open",
            &[whole("pairs", 400, 50, 2000, "pairs of points")],
            false,
            tangents,
        ),
        Theorem::new(
            "T7.3",
            "w is optimal on a convex set if and only if ∇f(w)ᵀ(v − w) ≥ 0 for all feasible v",
            "002 §3.2",
            "QuadraticProgram",
            &[DIM, whole("points", 400, 50, 2000, "feasible points")],
            false,
            variational,
        ),
        Theorem::new(
            "T7.4",
            "In a convex problem the conditions of Karush, Kuhn and Tucker are sufficient, and with affine constraints or under Slater necessary",
            "000 L3; 002 §6.1",
            "KktReport",
            &[DIM, ROWS],
            false,
            kkt,
        ),
        Theorem::new(
            "T7.5",
            "Weak duality: d(λ) ≤ f(x) for λ ≥ 0 and feasible x",
            "000 L3; 002 §6.1",
            "QuadraticProgram::dual",
            &[DIM, ROWS, whole("points", 40, 10, 100, "pairs of multipliers and points")],
            false,
            weak_duality,
        ),
        Theorem::new(
            "T7.6",
            "Convex with a strictly feasible point (Slater): the optimum of the dual is that of the primal",
            "000 L3; 002 §6.1",
            "QuadraticProgram::slater",
            &[DIM, ROWS],
            false,
            strong_duality,
        ),
        Theorem::new(
            "T7.7",
            "The dual function is concave, and λ* = −∂p*/∂u is the price of relaxing G ≤ u",
            "002 §6.1",
            "Multipliers",
            &[DIM, ROWS],
            false,
            prices,
        ),
        Theorem::new(
            "T7.8",
            "Active set and interior point find the same optimum of a quadratic program",
            "000 L3",
            "QpMethod",
            &[DIM, ROWS],
            false,
            two_methods,
        ),
    ],
};

/// A strictly convex program whose constraints have the point 0 strictly inside.
fn program(run: &TheoremRun<'_>, m: usize) -> Result<QuadraticProgram> {
    relaxed(run, m, 0, 0.0)
}

/// The same with bound `which` raised by u.
fn relaxed(run: &TheoremRun<'_>, m: usize, which: usize, u: f64) -> Result<QuadraticProgram> {
    let n = run.whole("n");
    let mut stream = run.stream(0);
    let f = Mat::from_fn(n, n, |_, _| stream.normal());
    let p = Mat::from_fn(n, n, |i, j| dot(f.row(i), f.row(j)) + f64::from(i == j));
    let q = (0..n).map(|_| 3.0 * stream.normal()).collect();
    let g = Mat::from_fn(m, n, |_, _| stream.normal());
    let h = (0..m).map(|i| 0.05 + 0.5 * stream.uniform() + if i == which { u } else { 0.0 }).collect();
    QuadraticProgram::new(p, q)?.with_inequalities(g, h)
}

fn prices_of(inequality: Vec<f64>) -> Multipliers {
    Multipliers { inequality, equality: Vec::new() }
}

/// a x + b y on the unit circle.
struct LinearOnCircle {
    slope: [f64; 2],
}

impl ConstrainedObjective for LinearOnCircle {
    fn objective(&self, x: &[f64]) -> (f64, Vec<f64>) {
        (dot(&self.slope, x), self.slope.to_vec())
    }
    fn equalities(&self, x: &[f64]) -> Vec<(f64, Vec<f64>)> {
        vec![(dot(x, x) - 1.0, x.iter().map(|v| 2.0 * v).collect())]
    }
}

fn lagrange(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let slope = [run.real("a"), run.real("b")];
    let o = solve_smooth(&LinearOnCircle { slope }, &[-0.9, -0.1], 1e-9)?;
    let size = norm(&slope);
    let mut check = TheoremCheck::new();
    check.assume("∇G ≠ 0 at the optimum", o.qualification == ConstraintQualification::IndependentGradients);
    let lambda = o.multipliers.equality[0];
    let residual: Vec<f64> = (0..2).map(|i| slope[i] + lambda * 2.0 * o.x[i]).collect();
    check.zero("‖∇f + λ∇G‖", norm(&residual), 1e-6);
    check.equal("the optimum against −(a, b)/‖(a, b)‖", o.x[0], -slope[0] / size, 1e-6);
    check.equal("λ against ‖(a, b)‖/2", lambda, 0.5 * size, 1e-6);
    let top: Vec<f64> = (0..2).map(|i| slope[i] - 0.5 * size * 2.0 * slope[i] / size).collect();
    check.zero("the maximum passes too: ‖∇f − λ∇G‖ there", norm(&top), 1e-12 * (1.0 + size));
    check.note(
        "the condition is necessary only; written as (x²+y²−1)² = 0 the gradient of the constraint vanishes and there is no λ",
    );
    Ok(check)
}

fn tangents(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let mut stream = run.stream(0);
    // log Σ exp is convex; x² − y² is not.
    let f = |x: &[f64; 2]| (x[0].exp() + x[1].exp()).ln();
    let g = |x: &[f64; 2]| {
        let t = x[0].exp() + x[1].exp();
        [x[0].exp() / t, x[1].exp() / t]
    };
    let saddle = |x: &[f64; 2]| x[0] * x[0] - x[1] * x[1];
    let (mut least, mut chord, mut broken) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
    for _ in 0..run.whole("pairs") {
        let mut point = || [2.0 * stream.normal(), 2.0 * stream.normal()];
        let (x, y) = (point(), point());
        let d = [y[0] - x[0], y[1] - x[1]];
        least = least.min(f(&y) - f(&x) - dot(&g(&x), &d));
        let middle = [0.5 * (x[0] + y[0]), 0.5 * (x[1] + y[1])];
        chord = chord.min(0.5 * (f(&x) + f(&y)) - f(&middle));
        broken = broken.min(saddle(&y) - saddle(&x) - 2.0 * x[0] * d[0] + 2.0 * x[1] * d[1]);
    }
    let mut check = TheoremCheck::new();
    check.assume("log Σ exp is convex", true);
    check.at_most("0 against the smallest gap above a tangent", 0.0, least + 1e-12);
    check.at_most("0 against the smallest gap below a chord (Jensen)", 0.0, chord + 1e-12);
    check.note(format!("x² − y² is not convex: a pair breaks it by {:.3}", -broken));
    Ok(check)
}

fn variational(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let n = run.whole("n");
    let p = program(run, 0)?;
    let rows = Mat::from_fn(2 * n, n, |i, j| if i % n == j { if i < n { 1.0 } else { -1.0 } } else { 0.0 });
    let p = p.with_inequalities(rows, vec![0.3; 2 * n])?;
    let mut check = TheoremCheck::new();
    check.assume("f and the set are convex", true);
    let Some(o) = p.solve(QpMethod::ActiveSet)?.into_optimum() else { return Ok(check) };
    let g = p.gradient(&o.x);
    let mut stream = run.stream(1);
    let mut least = f64::INFINITY;
    for _ in 0..run.whole("points") {
        let v: Vec<f64> = (0..n).map(|_| 0.3 * (2.0 * stream.uniform() - 1.0)).collect();
        least = least.min(dot(&g, &sub(&v, &o.x)));
    }
    check.at_most("0 against the least ∇f(w)ᵀ(v − w) at the optimum", 0.0, least + 1e-9);
    // Over a box the worst v is a corner.
    let worst = |w: &[f64]| p.gradient(w).iter().zip(w).map(|(g, w)| -0.3 * g.abs() - g * w).sum::<f64>();
    check.zero("its infimum over the whole set", worst(&o.x), 1e-8 * (1.0 + max_abs(&g)));
    let other: Vec<f64> = o.x.iter().map(|v| 0.5 * v).collect();
    check.note(format!("at half of w the infimum is {:.4}: not optimal", worst(&other)));
    Ok(check)
}

/// min x subject to x² ≤ 0: no multiplier exists.
struct NoQualification;

impl ConstrainedObjective for NoQualification {
    fn objective(&self, x: &[f64]) -> (f64, Vec<f64>) {
        (x[0], vec![1.0])
    }
    fn inequalities(&self, x: &[f64]) -> Vec<(f64, Vec<f64>)> {
        vec![(x[0] * x[0], vec![2.0 * x[0]])]
    }
}

fn kkt(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let p = program(run, run.whole("m"))?;
    let mut check = TheoremCheck::new();
    check.assume("convex, affine constraints", p.qualification() == ConstraintQualification::Affine);
    let Some(o) = p.solve(QpMethod::InteriorPoint)?.into_optimum() else { return Ok(check) };
    check.zero("stationarity", o.kkt.stationarity.value, 1e-6);
    check.zero("primal feasibility", o.kkt.primal.value, 1e-6);
    check.zero("dual feasibility", o.kkt.dual.value, 1e-6);
    check.zero("complementary slackness", o.kkt.slackness.value, 1e-6);
    let none = prices_of(vec![0.0; o.multipliers.inequality.len()]);
    check.note(format!("residual without multipliers: {:.3}", p.kkt(&o.x, &none).largest()));
    let lost = solve_smooth(&NoQualification, &[0.5], 1e-9)?;
    check.note(format!(
        "min x with x² ≤ 0 has no constraint qualification: at x = {:.4} the residual stays {:.3}",
        lost.x[0],
        lost.kkt.largest()
    ));
    Ok(check)
}

fn weak_duality(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let m = run.whole("m");
    let p = program(run, m)?;
    let mut stream = run.stream(1);
    let (mut highest, mut lowest) = (f64::NEG_INFINITY, f64::INFINITY);
    for _ in 0..run.whole("points") {
        highest = highest.max(p.dual(&prices_of((0..m).map(|_| stream.uniform()).collect()))?);
        // 0 is strictly inside; a random ray is followed until it leaves.
        let d: Vec<f64> = (0..p.dim()).map(|_| stream.normal()).collect();
        let inside = |t: f64| {
            let x: Vec<f64> = d.iter().map(|v| t * v).collect();
            p.kkt(&x, &prices_of(vec![0.0; m])).primal.value <= 0.0
        };
        let t = (0..12).map(|k| 0.5f64.powi(k)).find(|t| inside(*t)).unwrap_or(0.0);
        lowest = lowest.min(p.objective(&d.iter().map(|v| t * v).collect::<Vec<_>>()));
    }
    let mut check = TheoremCheck::new();
    check.assume("λ ≥ 0 and x feasible", true);
    check.at_most("the highest d(λ) against the lowest f(x)", highest, lowest);
    Ok(check)
}

fn strong_duality(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let p = program(run, run.whole("m"))?;
    let mut check = TheoremCheck::new();
    match p.slater()? {
        SlaterPoint::Strict { margin, .. } => {
            check.assume(format!("a point is strictly feasible (by {margin:.3})"), true);
        }
        _ => return Ok(std::mem::take(check.assume("a point is strictly feasible", false))),
    }
    if let Some(o) = p.solve(QpMethod::InteriorPoint)?.into_optimum() {
        check.equal("p* against d(λ*)", o.objective, p.dual(&o.multipliers)?, 1e-6);
    }
    check.note("without convexity a gap can stay: min −x² on 0 ≤ x ≤ 1 is −1, and its dual is −∞ for every multiplier");
    Ok(check)
}

fn prices(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let m = run.whole("m");
    let base = program(run, m)?;
    let mut check = TheoremCheck::new();
    let Some(o) = base.solve(QpMethod::ActiveSet)?.into_optimum() else { return Ok(check) };
    let lambda = &o.multipliers.inequality;
    let strict = lambda.iter().zip(slacks(&base, &o.x, m)).all(|(l, s)| *l > 1e-4 || s > 1e-4);
    if !check.given("no constraint is active with multiplier 0 (no kink)", strict) {
        return Ok(check);
    }
    let dearest = (0..m).max_by(|a, b| lambda[*a].total_cmp(&lambda[*b])).unwrap_or(0);
    let value = |u: f64| {
        Ok::<f64, Error>(
            relaxed(run, m, dearest, u)?.solve(QpMethod::ActiveSet)?.into_optimum().map_or(f64::NAN, |o| o.objective),
        )
    };
    let slope = (value(1e-5)? - value(-1e-5)?) / 2e-5;
    check.equal(format!("∂p*/∂u of constraint {dearest} against −λ"), slope, -lambda[dearest], 1e-3);
    let mut stream = run.stream(1);
    let (a, b): (Vec<f64>, Vec<f64>) = ((0..m).map(|_| stream.uniform()).collect(), (0..m).map(|_| stream.uniform()).collect());
    let middle: Vec<f64> = a.iter().zip(&b).map(|(a, b)| 0.5 * (a + b)).collect();
    let (da, db) = (base.dual(&prices_of(a))?, base.dual(&prices_of(b))?);
    check.at_most("concave: mean of two values of d against the value between", 0.5 * (da + db), base.dual(&prices_of(middle))?);
    let mut points = Vec::new();
    for k in -10..=10 {
        let u = 0.01 * f64::from(k);
        points.push((u, value(u)?));
    }
    let tangent = vec![(-0.1, o.objective + 0.1 * lambda[dearest]), (0.1, o.objective - 0.1 * lambda[dearest])];
    check.draw(
        Chart::new("The optimum as a constraint is relaxed", "u", "p*(u)")
            .with(Series::line("p*", points))
            .with(Series::dashed("−λ u", tangent)),
    );
    Ok(check)
}

fn slacks(p: &QuadraticProgram, x: &[f64], m: usize) -> Vec<f64> {
    // The slackness of multiplier e_i is the slack itself.
    let unit = |i: usize| prices_of((0..m).map(|k| f64::from(k == i)).collect());
    (0..m).map(|i| p.kkt(x, &unit(i)).slackness.value).collect()
}

fn two_methods(run: &TheoremRun<'_>) -> Result<TheoremCheck> {
    let p = program(run, run.whole("m"))?;
    let mut check = TheoremCheck::new();
    check.assume("P is positive semidefinite and a point is feasible", true);
    let (a, b) = (p.solve(QpMethod::ActiveSet)?.into_optimum(), p.solve(QpMethod::InteriorPoint)?.into_optimum());
    let (Some(a), Some(b)) = (a, b) else { return Ok(check) };
    check.equal("objectives", a.objective, b.objective, 1e-9);
    check.zero("distance of the points", norm(&sub(&a.x, &b.x)), 1e-6 * (1.0 + norm(&a.x)));
    check.note(format!("{} constraint changes, {} interior steps", a.iterations, b.iterations));
    Ok(check)
}
