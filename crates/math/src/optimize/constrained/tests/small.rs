//! Problems whose answers are known on paper.

use ermine_core::Mat;

use crate::optimize::constrained::{
    ConstrainedObjective, ConstraintQualification, KktReport, Multipliers, QpMethod, QpOutcome, QuadraticProgram, SlaterPoint,
    solve_smooth,
};

const METHODS: [QpMethod; 2] = [QpMethod::InteriorPoint, QpMethod::ActiveSet];

fn matrix(rows: &[&[f64]]) -> Mat<f64> {
    Mat::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

/// `min x² + y²` with `x + y = 1`: (½, ½), and the price −1 of the equality.
#[test]
fn multipliers_are_prices() {
    for method in METHODS {
        let value = |b: f64| {
            let p = QuadraticProgram::new(matrix(&[&[2.0, 0.0], &[0.0, 2.0]]), vec![0.0, 0.0]).unwrap();
            p.with_equalities(matrix(&[&[1.0, 1.0]]), vec![b]).unwrap().solve(method).unwrap().into_optimum().unwrap()
        };
        let o = value(1.0);
        assert!((o.x[0] - 0.5).abs() < 1e-12 && (o.multipliers.equality[0] + 1.0).abs() < 1e-12, "{o:?}");
        let slope = (value(1.0 + 1e-4).objective - value(1.0 - 1e-4).objective) / 2e-4;
        assert!((slope + o.multipliers.equality[0]).abs() < 1e-7);
    }
}

#[test]
fn a_linear_program_ends_in_a_vertex() {
    // Two products, three machines; the vertex (2, 6) is worth 36.
    let p = QuadraticProgram::new(Mat::zeros(2, 2), vec![-3.0, -5.0]).unwrap();
    let rows = matrix(&[&[1.0, 0.0], &[0.0, 2.0], &[3.0, 2.0], &[-1.0, 0.0], &[0.0, -1.0]]);
    let p = p.with_inequalities(rows, vec![4.0, 12.0, 18.0, 0.0, 0.0]).unwrap();
    for method in METHODS {
        let o = p.solve(method).unwrap().into_optimum().unwrap();
        assert!((o.objective + 36.0).abs() < 1e-9, "{o:?}");
        let prices = [0.0, 1.5, 1.0, 0.0, 0.0];
        assert!(o.multipliers.inequality.iter().zip(prices).all(|(m, w)| (m - w).abs() < 1e-8), "{o:?}");
    }
}

#[test]
fn the_dual_function_is_below_and_touches_at_the_multipliers() {
    let p = QuadraticProgram::new(matrix(&[&[1.0, 0.0], &[0.0, 4.0]]), vec![-1.0, 2.0]).unwrap();
    let p = p.with_inequalities(matrix(&[&[1.0, 1.0], &[-1.0, 2.0]]), vec![-1.0, 0.5]).unwrap();
    let o = p.solve(QpMethod::ActiveSet).unwrap().into_optimum().unwrap();
    let d = |inequality: Vec<f64>| p.dual(&Multipliers { inequality, equality: Vec::new() }).unwrap();
    assert!((d(o.multipliers.inequality.clone()) - o.objective).abs() < 1e-12);
    for l in [[0.0, 0.0], [1.0, 0.5], [3.0, 2.0]] {
        assert!(d(l.to_vec()) <= o.objective + 1e-12);
    }
    // Without curvature the Lagrangian has a minimum for some multipliers only.
    let line =
        QuadraticProgram::new(Mat::zeros(1, 1), vec![1.0]).unwrap().with_inequalities(matrix(&[&[-1.0]]), vec![0.0]).unwrap();
    assert_eq!(line.dual(&Multipliers { inequality: vec![0.5], equality: Vec::new() }).unwrap(), f64::NEG_INFINITY);
    assert!(line.dual(&Multipliers { inequality: vec![1.0], equality: Vec::new() }).unwrap().abs() < 1e-12);
}

#[test]
fn slater_points_are_strictly_inside_or_there_is_none() {
    let base = || QuadraticProgram::new(matrix(&[&[1.0]]), vec![0.0]).unwrap();
    let inside = base().with_inequalities(matrix(&[&[1.0], &[-1.0]]), vec![1.0, 0.5]).unwrap().slater().unwrap();
    let SlaterPoint::Strict { x, margin } = inside else { panic!("{inside:?}") };
    assert!(x[0] < 1.0 && x[0] > -0.5 && (margin - 0.75).abs() < 1e-6);
    let point = base().with_inequalities(matrix(&[&[1.0], &[-1.0]]), vec![1.0, -1.0]).unwrap().slater().unwrap();
    assert!(matches!(point, SlaterPoint::OnlyBoundary { ref x } if (x[0] - 1.0).abs() < 1e-6), "{point:?}");
    let empty = base().with_inequalities(matrix(&[&[1.0], &[-1.0]]), vec![1.0, -2.0]).unwrap().slater().unwrap();
    let SlaterPoint::Empty(c) = empty else { panic!("{empty:?}") };
    assert!(c.residual < 1e-8 && (c.multipliers.inequality[0] - 1.0).abs() < 1e-6);
}

#[test]
fn contradicting_and_repeated_equalities_are_told_apart() {
    let p = || QuadraticProgram::new(matrix(&[&[1.0, 0.0], &[0.0, 1.0]]), vec![0.0, 0.0]).unwrap();
    for method in METHODS {
        let twice = p().with_equalities(matrix(&[&[1.0, 1.0], &[2.0, 2.0]]), vec![1.0, 2.0]).unwrap().solve(method).unwrap();
        let o = twice.into_optimum().unwrap();
        assert!((o.objective - 0.25).abs() < 1e-9 && o.kkt.largest() < 1e-8, "{o:?}");
        let never = p().with_equalities(matrix(&[&[1.0, 1.0], &[2.0, 2.0]]), vec![1.0, 3.0]).unwrap().solve(method).unwrap();
        assert!(matches!(never, QpOutcome::Infeasible(ref c) if c.residual < 1e-7), "{never:?}");
    }
}

#[test]
fn what_is_not_a_program_is_refused() {
    let text = |r: ermine_core::Result<QuadraticProgram>| r.unwrap_err().to_string();
    assert!(text(QuadraticProgram::new(matrix(&[&[1.0, 0.0], &[0.0, -2.0]]), vec![0.0; 2])).contains("-2"));
    assert!(text(QuadraticProgram::new(matrix(&[&[1.0, 1.0], &[0.0, 1.0]]), vec![0.0; 2])).contains("not symmetric"));
    assert!(text(QuadraticProgram::new(matrix(&[&[1.0]]), vec![f64::NAN])).contains("entry 0 of q"));
    let p = QuadraticProgram::new(matrix(&[&[1.0]]), vec![0.0]).unwrap();
    assert!(text(p.clone().with_inequalities(matrix(&[&[1.0]]), vec![f64::INFINITY])).contains("without a bound"));
    assert!(text(p.with_inequalities(matrix(&[&[1.0, 2.0]]), vec![0.0])).contains("columns of G"));
}

/// Rosenbrock's function in the unit disc, Hock and Schittkowski's problem 71, and `min x with x² ≤ 0`, which has no multipliers.
struct Disc;
struct HockSchittkowski71;
struct NoMultipliers;

impl ConstrainedObjective for Disc {
    fn objective(&self, x: &[f64]) -> (f64, Vec<f64>) {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        (a * a + 100.0 * b * b, vec![-2.0 * a - 400.0 * x[0] * b, 200.0 * b])
    }
    fn inequalities(&self, x: &[f64]) -> Vec<(f64, Vec<f64>)> {
        vec![(x[0] * x[0] + x[1] * x[1] - 1.0, vec![2.0 * x[0], 2.0 * x[1]])]
    }
}

impl ConstrainedObjective for HockSchittkowski71 {
    fn objective(&self, x: &[f64]) -> (f64, Vec<f64>) {
        let s = x[0] + x[1] + x[2];
        (x[0] * x[3] * s + x[2], vec![x[3] * (s + x[0]), x[0] * x[3], x[0] * x[3] + 1.0, x[0] * s])
    }
    fn inequalities(&self, x: &[f64]) -> Vec<(f64, Vec<f64>)> {
        let p: f64 = x.iter().product();
        let mut all = vec![(25.0 - p, x.iter().map(|v| -p / v).collect())];
        for i in 0..4 {
            let unit = |s: f64| (0..4).map(|j| if i == j { s } else { 0.0 }).collect::<Vec<f64>>();
            all.push((1.0 - x[i], unit(-1.0)));
            all.push((x[i] - 5.0, unit(1.0)));
        }
        all
    }
    fn equalities(&self, x: &[f64]) -> Vec<(f64, Vec<f64>)> {
        vec![(x.iter().map(|v| v * v).sum::<f64>() - 40.0, x.iter().map(|v| 2.0 * v).collect())]
    }
}

impl ConstrainedObjective for NoMultipliers {
    fn objective(&self, x: &[f64]) -> (f64, Vec<f64>) {
        (x[0], vec![1.0])
    }
    fn inequalities(&self, x: &[f64]) -> Vec<(f64, Vec<f64>)> {
        vec![(x[0] * x[0], vec![2.0 * x[0]])]
    }
}

#[test]
fn smooth_programs_end_at_their_published_optima() {
    let o = solve_smooth(&Disc, &[0.0, 0.0], 1e-9).unwrap();
    // Known to the digits of MATLAB's documentation of fmincon.
    assert!(o.converged && (o.x[0] - 0.7864).abs() < 1e-4 && (o.x[1] - 0.6177).abs() < 1e-4, "{o:?}");
    assert_eq!(o.qualification, ConstraintQualification::IndependentGradients);
    let o = solve_smooth(&HockSchittkowski71, &[1.0, 5.0, 5.0, 1.0], 1e-8).unwrap();
    // f* = 17.0140173 (Hock and Schittkowski 1981).
    assert!(o.converged && (o.objective - 17.014_017_3).abs() < 1e-6, "{o:?}");
    assert!(o.kkt.largest() < 1e-8);
}

#[test]
fn without_a_qualification_there_are_no_multipliers() {
    let o = solve_smooth(&NoMultipliers, &[0.5], 1e-9).unwrap();
    assert!(!o.converged && o.qualification == ConstraintQualification::NotFound && o.x[0].abs() < 0.1, "{o:?}");
}

/// Problems of learners, solved as programs: their own reports agree, and other points have residuals.
#[test]
fn learners_problems_have_the_same_conditions() {
    let x = Mat::from_fn(12, 3, |i, j| ((i * 7 + j * 5) % 11) as f64 / 5.0 - 1.0);
    let y: Vec<f64> = (0..12).map(|i| x[(i, 0)] - 0.8 * x[(i, 1)] + ((i % 3) as f64 - 1.0) * 0.1).collect();
    let g = crate::linalg::product(x.view().t(), x.view());
    let c: Vec<f64> = (0..3).map(|j| (0..12).map(|i| x[(i, j)] * y[i]).sum::<f64>()).collect();
    let q: Vec<f64> = c.iter().map(|v| -v).collect();
    let nnls = QuadraticProgram::new(g.clone(), q.clone()).unwrap();
    let nnls = nnls.with_inequalities(Mat::from_fn(3, 3, |i, j| -f64::from(i == j)), vec![0.0; 3]).unwrap();
    let w = nnls.solve(QpMethod::ActiveSet).unwrap().into_optimum().unwrap().x;
    assert!(w[1].abs() < 1e-12 && KktReport::of_nonnegative_least_squares(&x, &y, &w).largest() < 1e-10, "{w:?}");
    assert!(KktReport::of_nonnegative_least_squares(&x, &y, &[0.5, 0.1, 0.0]).largest() > 1e-2);
    // The lasso with w = u − v.
    let (n, alpha) = (12.0, 0.05);
    let sign = |i: usize| if i < 3 { 1.0 } else { -1.0 };
    let p = Mat::from_fn(6, 6, |i, j| sign(i) * sign(j) * g[(i % 3, j % 3)] / n);
    let q = (0..6).map(|i| alpha - sign(i) * c[i % 3] / n).collect();
    let split =
        QuadraticProgram::new(p, q).unwrap().with_inequalities(Mat::from_fn(6, 6, |i, j| -f64::from(i == j)), vec![0.0; 6]);
    let o = split.unwrap().solve(QpMethod::InteriorPoint).unwrap().into_optimum().unwrap();
    let w: Vec<f64> = (0..3).map(|j| o.x[j] - o.x[j + 3]).collect();
    assert!(KktReport::of_lasso(&x, &y, &w, alpha).largest() < 1e-8, "{:?}", KktReport::of_lasso(&x, &y, &w, alpha));
    assert!(KktReport::of_lasso(&x, &y, &[0.5, 0.1, 0.0], alpha).largest() > 1e-3);
    // A machine on these rows: the dual program, whose multiplier of Σ μ y = 0 is the bias.
    let labels: Vec<f64> = (0..12).map(|i| if y[i] > 0.3 || i == 0 { 1.0 } else { -1.0 }).collect();
    let signed = Mat::from_fn(12, 12, |i, j| labels[i] * labels[j] * (0..3).map(|k| x[(i, k)] * x[(j, k)]).sum::<f64>());
    let rows = Mat::from_fn(24, 12, |i, j| if i % 12 == j { if i < 12 { -1.0 } else { 1.0 } } else { 0.0 });
    let bounds = (0..24).map(|i| if i < 12 { 0.0 } else { 2.0 }).collect();
    let dual = QuadraticProgram::new(signed.clone(), vec![-1.0; 12]).unwrap().with_inequalities(rows, bounds).unwrap();
    let dual = dual.with_equalities(Mat::from_vec(1, 12, labels.clone()), vec![0.0]).unwrap();
    let o = dual.solve(QpMethod::InteriorPoint).unwrap().into_optimum().unwrap();
    let report = KktReport::of_support_vectors(&signed, &labels, &o.x, o.multipliers.equality[0], Some(2.0));
    assert!(report.largest() < 1e-7, "{report:?}");
    assert!(KktReport::of_support_vectors(&signed, &labels, &[0.5; 12], 0.0, Some(2.0)).largest() > 1e-2);
}
