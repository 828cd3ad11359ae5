//! The linear machines.

use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, Model, Target};
use ermine_kernel::svm::Svm;
use ermine_linear::{LinearSvm, LinearSvmPenalty, LinearSvmSolver, MultiClass, SvmLoss};

use crate::kernel_machines::{a9a, case, classes, columns, matrix, scaled, standardized, with_classes, within};

fn gap(model: &impl Model) -> f64 {
    let c = model.certificate().unwrap();
    c.duality_gap.unwrap() / c.objective.unwrap()
}

#[test]
fn squared_hinge_on_a9a() {
    let (x, y) = a9a("a9a_train.libsvm.gz", usize::MAX);
    let (test, test_y) = a9a("a9a_test.libsvm.gz", usize::MAX);
    let targets = classes(&y);
    let data = with_classes(Features::Csr(x.view()), &targets);
    let expected = &case("linear_l2svm_a9a")["expected"];
    let number = |name: &str| expected[name].as_f64().unwrap();
    for (method, tol, max_iter) in [(LinearSvmSolver::Newton, 1e-9, 100), (LinearSvmSolver::Descent, 1e-8, 20_000)] {
        let learner = LinearSvm { c: 0.1, fit_intercept: false, tol, max_iter, method, ..LinearSvm::default() };
        let model = learner.fit_with(&data, &Context::default()).unwrap();
        let objective = model.certificate().unwrap().objective.unwrap();
        within(objective, number("objective"), 1e-7 * objective, "objective");
        assert!(model.certificate().unwrap().converged && gap(&model) < 1e-9, "{}", gap(&model));
        let norm: f64 = model.coef().as_slice().iter().map(|w| w * w).sum();
        within(norm, number("w_norm_sq"), 1e-7 * norm, "squared norm");
        for (j, want) in expected["w_first10"].as_array().unwrap().iter().enumerate() {
            within(model.coef()[(0, j)], want.as_f64().unwrap(), 1e-7 * norm.sqrt(), "weight");
        }
        let predicted = model.classify(&Features::Csr(test.view())).unwrap();
        let hits = predicted.iter().zip(&test_y).filter(|(a, b)| f64::from(**a) == **b).count();
        within(hits as f64 / test_y.len() as f64, number("test_accuracy"), 1e-4, "accuracy");
    }
}

#[test]
fn hinge_on_a9a() {
    let (x, y) = a9a("a9a_train.libsvm.gz", 5000);
    let targets = classes(&y);
    let data = with_classes(Features::Csr(x.view()), &targets);
    let learner =
        LinearSvm { c: 0.1, loss: SvmLoss::Hinge, fit_intercept: false, tol: 1e-4, max_iter: 20_000, ..LinearSvm::default() };
    let model = learner.fit_with(&data, &Context::default()).unwrap();
    let expected = case("linear_l1svm_a9a5000")["expected"]["objective"].as_f64().unwrap();
    let objective = model.certificate().unwrap().objective.unwrap();
    within(objective, expected, 1e-5 * expected, "objective");
    assert!(objective - model.certificate().unwrap().duality_gap.unwrap() <= expected * (1.0 + 1e-9), "the gap is a bound");
    // Pegasos comes close, and reports how close.
    let steps = LinearSvm { method: LinearSvmSolver::Pegasos, max_iter: 100, ..learner };
    let other = steps.fit_with(&data, &Context::default()).unwrap();
    let reached = other.certificate().unwrap().objective.unwrap();
    assert!(reached >= expected * (1.0 - 1e-9) && reached < 1.02 * expected, "{reached} next to {expected}");
    assert!(reached - other.certificate().unwrap().duality_gap.unwrap() <= expected * (1.0 + 1e-9), "the gap is a bound");
}

#[test]
fn regression_is_that_of_the_kernel_machine() {
    // A constant column of large value takes the penalty off the constant term.
    let (x, y) = scaled("diabetes");
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    let learner =
        LinearSvm { c: 10.0, epsilon: 10.0, tol: 1e-5, max_iter: 1_000_000, intercept_scaling: 30.0, ..LinearSvm::default() };
    let model = learner.fit_with(&data, &Context::default()).unwrap();
    assert!(model.certificate().unwrap().converged && gap(&model) < 1e-7, "{:?}", model.certificate());
    let exact = Svm { kernel: "linear".into(), c: Some(10.0), epsilon: 10.0, tol: 1e-6, ..Svm::default() };
    let exact = exact.fit_with(&data, &Context::default()).unwrap();
    let objective = model.certificate().unwrap().objective.unwrap();
    within(objective, exact.machines()[0].primal, 3e-4 * objective, "objective");
    // The square by both methods: one optimum.
    let by = |method| {
        let squared = LinearSvm { loss: SvmLoss::SquaredEpsilonInsensitive, c: 0.1, tol: 1e-6, method, ..learner.clone() };
        let model = squared.fit_with(&data, &Context::default()).unwrap();
        assert!(model.certificate().unwrap().converged && gap(&model) < 1e-9, "{method:?}: {}", gap(&model));
        model
    };
    let (rows, steps) = (by(LinearSvmSolver::Descent), by(LinearSvmSolver::Newton));
    for (a, b) in
        rows.coef().as_slice().iter().chain(rows.intercept()).zip(steps.coef().as_slice().iter().chain(steps.intercept()))
    {
        within(*a, *b, 1e-4 * a.abs().max(1.0), "coefficient");
    }
}

#[test]
fn an_l1_penalty_leaves_few_columns_and_a_small_gap() {
    let (x, y) = scaled("breast_cancer");
    let targets = classes(&y);
    let data = with_classes(Features::F64(x.view()), &targets);
    let learner = LinearSvm { penalty: LinearSvmPenalty::L1, c: 0.02, tol: 1e-8, max_iter: 5000, ..LinearSvm::default() };
    let model = learner.fit_with(&data, &Context::default()).unwrap();
    assert!(model.certificate().unwrap().converged && gap(&model) < 1e-6, "{}", gap(&model));
    let left = model.coef().as_slice().iter().filter(|w| **w != 0.0).count();
    assert!((3..25).contains(&left), "{left} columns are left");
}

#[test]
fn all_classes_in_one_problem() {
    let mut columns = columns("iris");
    let y = columns.pop().unwrap();
    let x = matrix(&columns.iter().map(|c| standardized(c)).collect::<Vec<_>>());
    let codes: Vec<u32> = y.iter().map(|&v| v as u32).collect();
    let names = ["a", "b", "c"].map(String::from);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Class { codes: &codes, names: &names });
    let learner = LinearSvm { multi_class: MultiClass::CrammerSinger, tol: 1e-7, max_iter: 100_000, ..LinearSvm::default() };
    let model = learner.fit_with(&data, &Context::default()).unwrap();
    assert!(model.certificate().unwrap().converged && gap(&model) < 1e-5, "{}", gap(&model));
    let hits = model.classify(&data.x).unwrap().iter().zip(&codes).filter(|(a, b)| a == b).count();
    assert!(hits >= 144, "{hits}");
    // The weights of the classes sum to 0 at the optimum.
    for j in 0..4 {
        within((0..3).map(|k| model.coef()[(k, j)]).sum(), 0.0, 1e-9, "sum of weights");
    }
}

#[test]
fn newton_steps_end_where_a_weight_of_two_is_the_row_twice() {
    let (x, y) = scaled("breast_cancer");
    let n = y.len();
    let weight: Vec<f64> = (0..n).map(|i| (i % 3) as f64).collect();
    let repeated: Vec<usize> = (0..n).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let targets = classes(&y);
    let data = with_classes(Features::F64(x.view()), &targets);
    let weighted = data.with_weight(Some(&weight));
    // At the default tolerance: the steps end at the optimum itself.
    let a = LinearSvm::default().fit_with(&weighted, &Context::default()).unwrap();
    let b = LinearSvm::default().fit_with(&data.take_rows(&repeated).view(), &Context::default()).unwrap();
    assert_eq!(a.certificate().unwrap().method, "newton");
    for (a, b) in a.coef().as_slice().iter().chain(a.intercept()).zip(b.coef().as_slice().iter().chain(b.intercept())) {
        within(*a, *b, 1e-8, "coefficient");
    }
}
