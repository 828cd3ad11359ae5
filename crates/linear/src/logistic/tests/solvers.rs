//! Every solver on the same problems: one optimum, and refusals by name.

use super::penalties::assert_optimal;
use super::*;

const SMOOTH: [LogisticSolver; 6] = [
    LogisticSolver::Newton,
    LogisticSolver::Lbfgs,
    LogisticSolver::Gd,
    LogisticSolver::Sgd,
    LogisticSolver::Saga,
    LogisticSolver::Cd,
];
const SPARSE: [LogisticSolver; 3] = [LogisticSolver::Gd, LogisticSolver::Saga, LogisticSolver::Cd];

/// The sparse rows of a design, zeros left out.
fn sparse(x: &Mat<f64>) -> Csr {
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..x.rows() {
        for (j, v) in x.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0) {
            indices.push(j as u32);
            values.push(*v);
        }
        indptr.push(values.len());
    }
    Csr::new(indptr, indices, values, x.cols()).unwrap()
}

#[test]
fn all_solvers_reach_the_same_optimum() {
    for (classes, cols) in [(2, 6), (3, 4)] {
        let mut design = random(300, cols, classes, 31);
        // A third of the cells are 0, columns have other units and places.
        design.x = Mat::from_fn(300, cols, |i, j| if (i * 7 + j * 3) % 3 == 0 { 0.0 } else { design.x[(i, j)] * (1 + j) as f64 });
        let csr = sparse(&design.x);
        let rows = DatasetRef { x: Features::Csr(csr.view()), ..design.data() };
        for (penalty, l1_ratio, solvers) in [
            (PenaltyKind::None, None, &SMOOTH[..]),
            (PenaltyKind::L2, None, &SMOOTH),
            (PenaltyKind::L1, None, &SPARSE),
            (PenaltyKind::ElasticNet, Some(0.4), &SPARSE),
        ] {
            for fit_intercept in [true, false] {
                let base =
                    Logistic { penalty, l1_ratio, c: Some(0.3), fit_intercept, tol: 1e-8, max_iter: 3000, ..Logistic::default() };
                let truth = design.fit(&base);
                let best = truth.certificate().unwrap().objective.unwrap();
                for &solver in solvers {
                    let learner = Logistic { solver, ..base.clone() };
                    let learner = match solver {
                        // What noise allows in so many rounds.
                        LogisticSolver::Sgd => Logistic { tol: 1e-3, max_iter: 400, ..learner },
                        _ => learner,
                    };
                    for data in [design.data(), rows] {
                        let model = learner.fit_with(&data, &Context::default()).unwrap();
                        let certificate = model.certificate().unwrap();
                        let (objective, gap) = (certificate.objective.unwrap(), certificate.duality_gap);
                        let within = if solver == LogisticSolver::Sgd { 1e-4 } else { 1e-12 };
                        assert!((objective - best).abs() <= within * best, "{learner:?}: {objective} instead of {best}");
                        assert!(certificate.converged, "{learner:?}: {certificate:?}");
                        assert_eq!(gap.is_some(), penalty != PenaltyKind::None, "{learner:?}: {certificate:?}");
                        assert!(gap.is_none_or(|g| g >= objective - best - 1e-12 * best), "{certificate:?}");
                        if solver != LogisticSolver::Sgd {
                            assert!(far(&truth, &model) < 1e-5, "{learner:?}: {:e}", far(&truth, &model));
                            assert_optimal(&design, &model, &learner, None, 1e-7);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn traces_begin_at_the_start_and_count_passes() {
    let design = random(300, 5, 3, 8);
    for (solver, max_iter) in [(LogisticSolver::Saga, 1000), (LogisticSolver::Sgd, 12), (LogisticSolver::Sgd, 13)] {
        let learner = Logistic { solver, max_iter, ..Logistic::default() };
        let (model, start) = (design.fit(&learner), design.fit(&Logistic { max_iter: 0, ..learner.clone() }));
        let trace = model.trace().unwrap();
        let (iteration, objective) = (trace.column("iteration").unwrap(), trace.column("objective").unwrap());
        assert!(iteration[0] == 0.0 && iteration.windows(2).all(|w| w[0] < w[1]), "{solver:?}: {iteration:?}");
        assert_eq!(iteration.last().copied(), Some(model.n_iter() as f64), "{solver:?}: {iteration:?}");
        let first = start.certificate().unwrap().objective.unwrap();
        assert!((objective[0] - first).abs() <= 1e-12 * first, "{solver:?}: {} instead of {first}", objective[0]);
        let last = model.certificate().unwrap().objective.unwrap();
        assert!((objective.last().unwrap() - last).abs() <= 1e-9 * last, "{solver:?}: {objective:?} and {last}");
    }
}

#[test]
fn a_solver_that_cannot_take_a_penalty_is_refused_by_name() {
    for solver in ["newton", "lbfgs", "sgd"] {
        let mut any: Box<dyn AnyLearner> = Box::new(Logistic::default());
        any.set("solver", json!(solver)).unwrap();
        let error = any.set("penalty", json!("l1")).unwrap_err().to_string();
        assert!(error.contains(solver) && error.contains("\"cd\"") && error.contains("saga"), "{error}");
        assert!(any.set("l1_ratio", json!(0.5)).is_err() && any.set("l1_ratio", json!(0.0)).is_ok());
    }
    let mut any: Box<dyn AnyLearner> = Box::new(Logistic::default());
    any.set("penalty", json!("l1")).unwrap();
    assert!(any.set("l1_ratio", json!(0.5)).is_err() && any.set("l1_ratio", json!(1.0)).is_ok());
    any.set("penalty", json!("elastic-net")).unwrap();
    assert!(any.set("l1_ratio", json!(0.5)).is_ok() && any.set("l1_ratio", json!(1.5)).is_err());
}

#[test]
fn sparse_rows_with_a_squared_penalty_go_the_dual_way_to_the_same_optimum() {
    let (n, p) = (400, 2500);
    let mut s = RngStream::new(41, "wide", 0);
    let truth: Vec<f64> = (0..p).map(|_| 3.0 * s.normal()).collect();
    let (mut indptr, mut indices, mut values, mut labels) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for _ in 0..n {
        let mut row: Vec<u32> = (0..30).map(|_| s.below(p) as u32).collect();
        row.sort_unstable();
        row.dedup();
        let z: f64 = row.iter().map(|&j| 0.2 * truth[j as usize]).sum();
        labels.push(if s.uniform() < 1.0 / (1.0 + (-z - 0.7).exp()) { "yes" } else { "no" });
        values.extend(row.iter().map(|_| 0.2));
        indices.extend(row);
        indptr.push(values.len());
    }
    let csr = Csr::new(indptr, indices, values, p).unwrap();
    let y = OwnedTarget::from_labels(&labels);
    let weight: Vec<f64> = (0..n).map(|i| (i % 3) as f64).collect();
    let data = DatasetRef::new(Features::Csr(csr.view())).with_target(y.view());
    for (fit_intercept, c) in [(false, 1.0), (false, 30.0), (true, 1.0), (true, 30.0)] {
        for data in [data, data.with_weight(Some(&weight))] {
            let base = Logistic { c: Some(c), fit_intercept, tol: 1e-6, max_iter: 500, ..Logistic::default() };
            let dual = base.fit_with(&data, &Context::default()).unwrap();
            let lbfgs = Logistic { solver: LogisticSolver::Lbfgs, tol: 1e-8, ..base.clone() }
                .fit_with(&data, &Context::default())
                .unwrap();
            let (a, b) = (dual.certificate().unwrap(), lbfgs.certificate().unwrap());
            assert_eq!(a.method, if fit_intercept { "lbfgs" } else { "dual coordinate descent" });
            assert!(a.converged && b.converged, "{a:?} {b:?}");
            let (a, gap, b) = (a.objective.unwrap(), a.duality_gap.unwrap(), b.objective.unwrap());
            assert!(a - b <= gap + 1e-13 * b && a - b <= 1e-9 * b, "{base:?}: {a} {b} {gap}");
            assert!(far(&dual, &lbfgs) < 1e-4, "{:e}", far(&dual, &lbfgs));
        }
    }
}

#[test]
fn a_fit_goes_on_from_its_start() {
    for (classes, penalty, solver) in [
        (2, PenaltyKind::L2, LogisticSolver::Newton),
        (3, PenaltyKind::L2, LogisticSolver::Lbfgs),
        (3, PenaltyKind::L1, LogisticSolver::Cd),
        (2, PenaltyKind::L1, LogisticSolver::Saga),
        (2, PenaltyKind::L2, LogisticSolver::Gd),
    ] {
        let design = random(200, 4, classes, 33);
        let learner = Logistic { penalty, solver, tol: 1e-6, max_iter: 2000, ..Logistic::default() };
        let model = design.fit(&learner);
        let coef = (0..model.coef().rows()).map(|c| model.coef().row(c).to_vec()).collect();
        let start = Some(LogisticStart { coef, intercept: model.intercept().to_vec() });
        let again = design.fit(&Logistic { start: start.clone(), ..learner.clone() });
        assert!(far(&model, &again) < 1e-4, "{solver:?}");
        assert!(
            again.n_iter() <= model.n_iter() && again.n_iter() <= 5,
            "{solver:?}: {} after {}",
            again.n_iter(),
            model.n_iter()
        );
        // With no steps allowed the start is what comes back.
        let still = design.fit(&Logistic { start, max_iter: 0, ..learner.clone() });
        assert!(far(&model, &still) < 1e-12, "{solver:?}");
        let bad = Some(LogisticStart { coef: vec![vec![0.0; 3]], intercept: vec![0.0] });
        let error = Logistic { start: bad, ..learner }.fit_with(&design.data(), &Context::default()).unwrap_err().to_string();
        assert!(error.contains("start") && error.contains('4'), "{error}");
    }
}

#[test]
fn on_a_stream_an_l1_penalty_takes_the_way_in_passes() {
    let design = random(3000, 5, 2, 34);
    let learner = Logistic { penalty: PenaltyKind::L1, c: Some(0.01), tol: 1e-7, max_iter: 1000, ..Logistic::default() };
    let memory = design.fit(&learner);
    let stream = (Logistic::STREAM.unwrap())(&learner, &in_runs(design.data()), &Context::default()).unwrap();
    assert_eq!(stream.certificate().unwrap().method, "gd");
    assert!(far(&memory, &stream) < 1e-6, "{:e}", far(&memory, &stream));
    let zeros = |m: &LogisticModel| m.coef().as_slice().iter().map(|w| *w == 0.0).collect::<Vec<_>>();
    assert_eq!(zeros(&memory), zeros(&stream));
    let error = (Logistic::STREAM.unwrap())(
        &Logistic { solver: LogisticSolver::Cd, ..learner },
        &in_runs(design.data()),
        &Context::default(),
    );
    assert!(error.unwrap_err().to_string().contains("\"gd\""));
}

#[test]
fn threads_do_not_change_the_bits() {
    let design = random(3000, 40, 3, 35);
    let csr = sparse(&design.x);
    let rows = DatasetRef { x: Features::Csr(csr.view()), ..design.data() };
    for (penalty, solver) in [
        (PenaltyKind::L1, LogisticSolver::Cd),
        (PenaltyKind::L2, LogisticSolver::Cd),
        (PenaltyKind::L1, LogisticSolver::Gd),
        (PenaltyKind::L2, LogisticSolver::Saga),
    ] {
        for data in [design.data(), rows] {
            let learner = Logistic { penalty, solver, c: Some(0.05), max_iter: 20, ..Logistic::default() };
            let fit = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| stored(&learner.fit_with(&data, &Context::default()).unwrap()))
            };
            assert_eq!(fit(1), fit(3), "{penalty:?} {solver:?}");
        }
    }
}
