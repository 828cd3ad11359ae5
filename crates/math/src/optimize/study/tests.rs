//! Predicted and observed rates, and the minima of all methods.

use ermine_core::{Mat, RngStream};

use super::*;
use crate::linalg::{PivotedQr, product};
use crate::loss::RowLoss;
use crate::optimize::dot;

/// A quadratic with these eigenvalues in random directions, and where its minimum is.
fn quadratic(values: &[f64], seed: u64) -> (Quadratic, Vec<f64>) {
    let n = values.len();
    let mut s = RngStream::new(seed, "quadratic", 0);
    // Reflections turn the axes: H = I - 2 v vᵀ, three times over.
    let mut a = Mat::from_fn(n, n, |i, j| if i == j { values[i] } else { 0.0 });
    for _ in 0..3 {
        let v: Vec<f64> = (0..n).map(|_| s.normal()).collect();
        let norm = dot(&v, &v);
        let h = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - 2.0 * v[i] * v[j] / norm);
        a = product(product(h.view(), a.view()).view(), h.view());
    }
    let at: Vec<f64> = (0..n).map(|_| s.normal()).collect();
    let b = (0..n).map(|i| dot(a.row(i), &at)).collect();
    (Quadratic::new(a, b), at)
}

fn spread(least: f64, most: f64, n: usize) -> Vec<f64> {
    (0..n).map(|k| least + (most - least) * k as f64 / (n - 1) as f64).collect()
}

#[test]
fn observed_rates_are_the_predicted_ones() {
    for (least, most) in [(1.0, 10.0), (0.5, 40.0), (1e3, 1e5)] {
        let (f, at) = quadratic(&spread(least, most, 12), 1);
        let start = vec![0.3; 12];
        let ball = 0.8 * rate::best_momentum(least, most).1;
        let (root_least, root_most) = (least.sqrt(), most.sqrt());
        let beta = 0.9 * (root_most - root_least) / (root_most + root_least);
        let cases = [
            (OptimizationMethod::FixedStep { step: 1.0 / most }, rate::fixed_step(1.0 / most, least, most)),
            (OptimizationMethod::FixedStep { step: 1.5 / most }, rate::fixed_step(1.5 / most, least, most)),
            (OptimizationMethod::OptimalStep { least, most }, rate::optimal_step(least, most)),
            (OptimizationMethod::Momentum { step: 1.0 / most, momentum: ball }, rate::momentum(1.0 / most, ball, least, most)),
            (
                OptimizationMethod::Nesterov { step: 1.0 / most, momentum: Some(beta) },
                rate::nesterov(1.0 / most, beta, least, most),
            ),
        ];
        for (method, predicted) in cases {
            // As many steps as leave the gradient well above rounding.
            let max_iter = ((1e-11f64).ln() / predicted.ln()) as usize;
            let run = minimize(&f, &start, &method, &StopRule { max_iter, tol: 0.0 });
            let observed = run.observed_rate().unwrap();
            assert!((observed / predicted - 1.0).abs() < 0.01, "{method:?}: {observed} for {predicted}");
            assert!(run.point.iter().zip(&at).all(|(a, b)| (a - b).abs() < 1e-4));
        }
    }
    // At the best momentum two roots coincide, and the error is t times a power: only a long trajectory shows the rate.
    let (f, _) = quadratic(&spread(1.0, 1e4, 12), 2);
    let (step, momentum) = rate::best_momentum(1.0, 1e4);
    let run = minimize(&f, &[0.3; 12], &OptimizationMethod::Momentum { step, momentum }, &StopRule { max_iter: 1000, tol: 0.0 });
    assert!((run.observed_rate().unwrap() / (99.0 / 101.0) - 1.0).abs() < 0.01, "{:?}", run.observed_rate());
    // The best momentum beats the best step, as theory says.
    assert!((rate::momentum(4.0 / 121.0, 81.0 / 121.0, 1.0, 100.0) - 9.0 / 11.0).abs() < 1e-7);
    assert!((rate::optimal_step(1.0, 100.0) - 99.0 / 101.0).abs() < 1e-15);
}

#[test]
fn steps_beyond_the_limit_diverge_and_the_run_says_so() {
    let f = Quadratic::diagonal(&[1.0, 10.0]);
    let run =
        minimize(&f, &[1.0, 1.0], &OptimizationMethod::FixedStep { step: 0.21 }, &StopRule { max_iter: 100_000, tol: 1e-8 });
    assert!(!run.converged && run.course.len() < 100_000);
    assert!(rate::fixed_step(0.21, 1.0, 10.0) > 1.0);
}

#[test]
fn every_method_finds_the_minimum_of_a_quadratic() {
    let (f, at) = quadratic(&spread(1.0, 20.0, 8), 2);
    let all = [
        OptimizationMethod::FixedStep { step: 0.05 },
        OptimizationMethod::OptimalStep { least: 1.0, most: 20.0 },
        OptimizationMethod::Backtracking { first: 1.0 },
        OptimizationMethod::Momentum { step: 0.05, momentum: 0.5 },
        OptimizationMethod::Nesterov { step: 0.05, momentum: None },
        OptimizationMethod::Nesterov { step: 0.05, momentum: Some(0.6) },
        OptimizationMethod::MiniBatch { batch: 1, schedule: StepSchedule::Constant(0.05), seed: 1 },
        OptimizationMethod::Scheduled { schedule: StepSchedule::Inverse { first: 0.09, decay: 1e-3 } },
        OptimizationMethod::Scheduled { schedule: StepSchedule::StepDecay { first: 0.09, factor: 0.9, every: 50 } },
        OptimizationMethod::Newton,
        OptimizationMethod::Lbfgs { memory: 5 },
        OptimizationMethod::CoordinateDescent,
        OptimizationMethod::ProximalGradient { step: 0.05 },
        OptimizationMethod::Fista { step: 0.05 },
    ];
    for method in all {
        let run = minimize(&f, &[0.0; 8], &method, &StopRule { max_iter: 5000, tol: 1e-9 });
        assert!(run.converged, "{method:?}: {:?}", run.course.last());
        assert!(run.point.iter().zip(&at).all(|(a, b)| (a - b).abs() < 1e-6), "{method:?}");
        let trace = run.trace();
        assert_eq!(trace.rows.len(), run.course.len());
        let seconds = trace.column("seconds").unwrap();
        assert!(seconds.windows(2).all(|w| w[0] <= w[1]));
    }
    let adam = OptimizationMethod::Adam { step: 0.05, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };
    let run = minimize(&f, &[0.0; 8], &adam, &StopRule { max_iter: 5000, tol: 1e-6 });
    assert!(run.point.iter().zip(&at).all(|(a, b)| (a - b).abs() < 1e-3), "{:?}", run.point);
    let run = minimize(&f, &[0.0; 8], &OptimizationMethod::Newton, &StopRule::default());
    assert_eq!(run.course.len(), 2);
}

fn rows() -> (Mat<f64>, Vec<f64>) {
    let mut s = RngStream::new(5, "lasso", 0);
    let a = Mat::from_fn(60, 6, |_, _| s.normal());
    let y = (0..60).map(|i| 2.0 * a[(i, 0)] - a[(i, 3)] + 0.1 * s.normal()).collect();
    (a, y)
}

fn lasso(lambda: f64) -> EmpiricalRisk {
    let (a, y) = rows();
    EmpiricalRisk::new(RowLoss::Squared, a, y).penalized(lambda, 0.0)
}

#[test]
fn proximal_methods_meet_the_conditions_of_the_lasso() {
    let f = lasso(0.1);
    for method in [
        OptimizationMethod::Fista { step: 0.3 },
        OptimizationMethod::ProximalGradient { step: 0.3 },
        OptimizationMethod::CoordinateDescent,
    ] {
        let run = minimize(&f, &[0.0; 6], &method, &StopRule { max_iter: 20_000, tol: 1e-12 });
        assert!(run.converged, "{method:?} {:?}", run.course.last());
        let mut g = vec![0.0; 6];
        f.gradient(&run.point, &mut g);
        for (x, g) in run.point.iter().zip(&g) {
            match *x == 0.0 {
                true => assert!(g.abs() <= 0.1 + 1e-9),
                false => assert!((g + 0.1 * x.signum()).abs() < 1e-9, "{method:?} {x} {g}"),
            }
        }
        assert!(run.point.contains(&0.0));
    }
}

#[test]
fn mini_batches_go_to_the_least_squares_solution() {
    let (f, (a, y)) = (lasso(0.0), rows());
    let exact = PivotedQr::new(a.view()).unwrap().solve(Mat::from_vec(60, 1, y).view(), 6);
    let method =
        OptimizationMethod::MiniBatch { batch: 10, schedule: StepSchedule::Inverse { first: 0.2, decay: 0.02 }, seed: 3 };
    let run = minimize(&f, &[0.0; 6], &method, &StopRule { max_iter: 2000, tol: 0.0 });
    for j in 0..6 {
        assert!((run.point[j] - exact[(j, 0)]).abs() < 1e-3, "{:?} {exact:?}", run.point);
    }
}

/// Σ |x_j - j|, which has no gradient at its minimum.
struct Corners;

impl StudyObjective for Corners {
    fn dim(&self) -> usize {
        3
    }
    fn value(&self, x: &[f64]) -> f64 {
        x.iter().enumerate().map(|(j, v)| (v - j as f64).abs()).sum()
    }
    fn gradient(&self, x: &[f64], out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(j, g)| *g = (x[j] - j as f64).signum());
    }
}

#[test]
fn subgradients_keep_the_best_point_and_what_is_missing_ends_a_run() {
    let run = minimize(
        &Corners,
        &[5.0, -5.0, 0.5],
        &OptimizationMethod::Subgradient { schedule: StepSchedule::InverseRoot { first: 1.0 } },
        &StopRule { max_iter: 20_000, tol: 0.0 },
    );
    assert!(run.value < 0.05, "{}", run.value);
    assert!(run.course.iter().all(|m| m.objective >= run.value));
    for method in [
        OptimizationMethod::Newton,
        OptimizationMethod::CoordinateDescent,
        OptimizationMethod::LevenbergMarquardt { damping: 1e-3 },
    ] {
        let run = minimize(&Corners, &[5.0, -5.0, 0.5], &method, &StopRule::default());
        assert!(!run.converged && run.course.len() == 1);
    }
}

#[test]
fn schedules_are_what_they_say() {
    let all = [
        (StepSchedule::Constant(0.5), [0.5, 0.5, 0.5, 0.5]),
        (StepSchedule::Inverse { first: 1.0, decay: 0.5 }, [1.0, 1.0 / 1.5, 0.5, 0.4]),
        (StepSchedule::InverseRoot { first: 2.0 }, [2.0, 2.0 / 2f64.sqrt(), 2.0 / 3f64.sqrt(), 1.0]),
        (StepSchedule::StepDecay { first: 1.0, factor: 0.1, every: 2 }, [1.0, 1.0, 0.1, 0.1]),
    ];
    for (schedule, steps) in all {
        for (t, step) in steps.into_iter().enumerate() {
            assert!((schedule.step(t) - step).abs() < 1e-15, "{schedule:?} {t}");
        }
    }
}

#[test]
fn gradients_of_losses_are_their_differences() {
    let (x, y) = rows();
    let signs: Vec<f64> = y.iter().map(|v| v.signum()).collect();
    let b = [0.3, -0.2, 0.1, 0.5, -0.4, 0.2];
    for (loss, y) in [
        (RowLoss::Squared, &y),
        (RowLoss::Huber { delta: 1.0 }, &y),
        (RowLoss::Logistic, &signs),
        (RowLoss::SquaredHinge, &signs),
    ] {
        let f = EmpiricalRisk::new(loss, x.clone(), y.clone()).penalized(0.0, 0.3);
        let mut g = vec![0.0; 6];
        f.gradient(&b, &mut g);
        let h = f.hessian(&b).unwrap();
        let mut batch = vec![0.0; 6];
        f.batch_gradient(&b, &(0..60).collect::<Vec<_>>(), &mut batch);
        for j in 0..6 {
            let (mut up, mut down) = (b, b);
            up[j] += 1e-5;
            down[j] -= 1e-5;
            let slope = (f.value(&up) - f.value(&down)) / 2e-5;
            assert!((slope - g[j]).abs() < 1e-8, "{loss:?}: {slope} {}", g[j]);
            assert!((batch[j] - g[j]).abs() < 1e-14 && (f.coordinate(&b, j).unwrap().0 - g[j]).abs() < 1e-14);
            assert!(f.coordinate(&b, j).unwrap().1 >= h[(j, j)] - 1e-12);
            let (mut gu, mut gd) = (vec![0.0; 6], vec![0.0; 6]);
            f.gradient(&up, &mut gu);
            f.gradient(&down, &mut gd);
            if matches!(loss, RowLoss::Squared | RowLoss::Logistic) {
                assert!((0..6).all(|k| ((gu[k] - gd[k]) / 2e-5 - h[(k, j)]).abs() < 1e-7), "{loss:?}");
            }
        }
        let (least, most) = f.curvatures(&b).unwrap();
        assert!(0.3 <= least && least < most);
    }
    let f = lasso(0.1).penalized(0.0, 0.2);
    let (r, j) = f.residuals(&b).unwrap();
    let mut g = vec![0.0; 6];
    f.gradient(&b, &mut g);
    assert!((0.5 * dot(&r, &r) - f.value(&b)).abs() < 1e-14);
    assert!((0..6).all(|k| (j.view().col_iter(k).zip(&r).map(|(j, r)| j * r).sum::<f64>() - g[k]).abs() < 1e-14));
    assert!(lasso(0.1).residuals(&b).is_none() && lasso(0.1).hessian(&b).is_none());
}

#[test]
fn rates_on_data_are_the_predicted_ones() {
    let (x, y) = rows();
    let f = EmpiricalRisk::new(RowLoss::Squared, x, y).penalized(0.0, 0.05);
    let (least, most) = f.curvatures(&[0.0; 6]).unwrap();
    let (step, momentum) = (1.0 / most, 0.9 * rate::best_momentum(least, most).1);
    let cases = [
        (OptimizationMethod::FixedStep { step }, rate::fixed_step(step, least, most)),
        (OptimizationMethod::OptimalStep { least, most }, rate::optimal_step(least, most)),
        (OptimizationMethod::Momentum { step, momentum }, rate::momentum(step, momentum, least, most)),
        (OptimizationMethod::Nesterov { step, momentum: Some(0.2) }, rate::nesterov(step, 0.2, least, most)),
    ];
    for (method, predicted) in cases {
        let max_iter = ((1e-11f64).ln() / predicted.ln()) as usize;
        let run = minimize(&f, &[1.0; 6], &method, &StopRule { max_iter, tol: 0.0 });
        let observed = run.observed_rate().unwrap();
        assert!((observed / predicted - 1.0).abs() < 0.01, "{method:?}: {observed} for {predicted}");
    }
}

#[test]
fn logistic_losses_are_minimized_by_every_smooth_method() {
    let (x, y) = rows();
    let signs: Vec<f64> = y.iter().map(|v| v.signum()).collect();
    let f = EmpiricalRisk::new(RowLoss::Logistic, x, signs).penalized(0.0, 0.1);
    let all = [
        OptimizationMethod::Newton,
        OptimizationMethod::Lbfgs { memory: 5 },
        OptimizationMethod::CoordinateDescent,
        OptimizationMethod::Backtracking { first: 1.0 },
        OptimizationMethod::Nesterov { step: 1.0, momentum: Some(0.5) },
        OptimizationMethod::MiniBatch { batch: 60, schedule: StepSchedule::Constant(1.0), seed: 1 },
    ];
    for method in all {
        let run = minimize(&f, &[0.0; 6], &method, &StopRule { max_iter: 5000, tol: 1e-9 });
        let mut g = vec![0.0; 6];
        f.gradient(&run.point, &mut g);
        assert!(run.converged && dot(&g, &g).sqrt() < 1e-8, "{method:?}");
    }
}

#[test]
fn levenberg_marquardt_solves_linear_least_squares() {
    let (f, (a, y)) = (lasso(0.0), rows());
    let exact = PivotedQr::new(a.view()).unwrap().solve(Mat::from_vec(60, 1, y).view(), 6);
    let run = minimize(
        &f,
        &[0.0; 6],
        &OptimizationMethod::LevenbergMarquardt { damping: 1e-3 },
        &StopRule { max_iter: 50, tol: 1e-13 },
    );
    assert!(run.converged && (0..6).all(|j| (run.point[j] - exact[(j, 0)]).abs() < 1e-12), "{:?}", run.course);
}
