//! Support vector machines with the exact solver.

use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, Mat, Model, Regressor, Target};
use ermine_kernel::kernel::GammaChoice;
use ermine_kernel::svm::{Svm, SvmModel, SvmSolver};
use ermine_math::kernel::Kernel;
use serde_json::Value;

use crate::kernel_machines::{a9a, case, classes, columns, german, matrix, scaled, with_classes, within};

fn learner(case: &Value) -> Svm {
    let params = &case["params"];
    let kernel = case["model"].as_str().unwrap().rsplit(' ').next().unwrap();
    Svm {
        c: params["C"].as_f64(),
        kernel: kernel.into(),
        gamma: params["gamma"].as_f64().map_or(Svm::default().gamma, GammaChoice::Number),
        degree: params["degree"].as_u64().unwrap_or(3) as u32,
        coef0: params["coef0"].as_f64().unwrap_or(0.0),
        epsilon: params["epsilon"].as_f64().unwrap_or(0.1),
        tol: 1e-5,
        ..Svm::default()
    }
}

/// What holds for every solution: the certificate agrees with the model, and primal and dual meet.
fn sound(model: &SvmModel, tol: f64) {
    let certificate = model.certificate().unwrap();
    assert!(certificate.converged && certificate.kkt_residual.unwrap() <= tol, "{certificate:?}");
    for m in model.machines() {
        assert!(m.dual <= m.primal * (1.0 + 1e-12) + 1e-12, "the dual {} is above the primal {}", m.dual, m.primal);
        within(m.dual, m.primal, 1e-4 * m.primal, "the dual meets the primal");
    }
}

fn compare(id: &str, x: Features<'_>, y: &[f64]) {
    let case = case(id);
    let (expected, tolerance) = (&case["expected"], &case["tolerance"]);
    let number = |name: &str| expected[name].as_f64().unwrap();
    let learner = learner(&case);
    let targets = classes(y);
    let data = with_classes(x, &targets);
    let model = learner.fit_with(&data, &Context::default()).unwrap();
    sound(&model, learner.tol);
    let machine = &model.machines()[0];
    let rel = tolerance["objective_rel"].as_f64().unwrap();
    within(machine.dual, -number("dual_objective"), rel * machine.dual, &format!("{id}: dual objective"));
    within(machine.norm_squared, number("w_norm_sq"), 1e-4 * number("w_norm_sq"), &format!("{id}: norm"));
    within(-machine.bias, number("bias"), tolerance["bias_abs"].as_f64().unwrap(), &format!("{id}: bias"));
    let c = learner.c.unwrap();
    let count = model.dual_coef().as_slice().iter().filter(|a| a.abs() > 1e-7 * c).count();
    if case["note"].is_null() {
        within(count as f64, number("n_sv"), 1.0, &format!("{id}: support vectors"));
        within(machine.bounded as f64, number("n_bounded_sv"), 1.0, &format!("{id}: bounded ones"));
    }
    let scores = model.decision(&x).unwrap().unwrap();
    for (i, want) in expected["decision_first10"].as_array().unwrap().iter().enumerate() {
        within(scores[(i, 0)], want.as_f64().unwrap(), tolerance["decision_abs"].as_f64().unwrap(), &format!("{id}: row {i}"));
    }
    let right = model.classify(&x).unwrap().iter().zip(y).filter(|(a, b)| f64::from(**a) == **b).count();
    within(right as f64 / y.len() as f64, number("train_accuracy"), 1.0 / y.len() as f64, &format!("{id}: accuracy"));
}

#[test]
fn breast_cancer() {
    let (x, y) = scaled("breast_cancer");
    for id in [
        "svc_linear_breast_cancer_C1",
        "svc_linear_breast_cancer_C0.01",
        "svc_rbf_breast_cancer_C1_g0.03333",
        "svc_rbf_breast_cancer_C10_g0.01",
        "svc_rbf_breast_cancer_C100_g0.1",
        "svc_poly3_breast_cancer",
    ] {
        compare(id, Features::F64(x.view()), &y);
    }
}

#[test]
fn a9a_sparse() {
    let (x, y) = a9a("a9a_train.libsvm.gz", 2000);
    for id in ["svc_linear_a9a2000_C1", "svc_rbf_a9a2000_C1_g0.00813", "svc_rbf_a9a2000_C8_g0.03"] {
        compare(id, Features::Csr(x.view()), &y);
    }
}

#[test]
fn a9a_dense_and_in_small_caches() {
    let (x, y) = a9a("a9a_train.libsvm.gz", 2000);
    let dense = x.view().to_dense();
    compare("svc_rbf_a9a2000_C8_g0.03", Features::F64(dense.view()), &y);
    let targets = classes(&y);
    let data = with_classes(Features::F64(dense.view()), &targets);
    let at = |cache_mb: f64, shrinking: bool| {
        let learner = Svm { c: Some(8.0), gamma: GammaChoice::Number(0.03), tol: 1e-6, cache_mb, shrinking, ..Svm::default() };
        learner.fit_with(&data, &Context::default()).unwrap().machines()[0].clone()
    };
    let whole = at(200.0, true);
    for (cache_mb, shrinking) in [(200.0, false), (0.5, true), (0.01, true)] {
        let other = at(cache_mb, shrinking);
        assert!(other.converged && other.violation <= 1e-6);
        within(other.dual, whole.dual, 1e-9 * whole.dual, "the dual, whatever the cache");
    }
}

#[test]
fn german_credit() {
    let (x, y) = german();
    compare("svc_rbf_german", Features::F64(x.view()), &y);
}

#[test]
fn digits_in_pairs() {
    let case = case("svc_ovo_digits");
    let mut columns = columns("digits");
    let y = columns.pop().unwrap();
    let all = Mat::from_fn(y.len(), 64, |i, j| columns[j][i] / 16.0);
    let (test, train): (Vec<usize>, Vec<usize>) = (0..y.len()).partition(|i| i % 4 == 0);
    let names: Vec<String> = (0..10).map(|d| d.to_string()).collect();
    let codes = |rows: &[usize]| rows.iter().map(|&i| y[i] as u32).collect::<Vec<_>>();
    let (x, held, own) = (all.view().take_rows(&train), all.view().take_rows(&test), codes(&train));
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Class { codes: &own, names: &names });
    let learner = Svm { c: Some(10.0), gamma: GammaChoice::Number(0.05), tol: 1e-4, ..Svm::default() };
    let model = learner.fit_with(&data, &Context::default()).unwrap();
    sound(&model, learner.tol);
    assert_eq!(model.machines().len(), 45);
    let predicted = model.classify(&Features::F64(held.view())).unwrap();
    let errors = predicted.iter().zip(codes(&test)).filter(|(a, b)| **a != *b).count();
    within(errors as f64, case["expected"]["test_errors"].as_f64().unwrap(), 1.0, "errors");
    within(model.support().len() as f64, case["expected"]["n_sv"].as_f64().unwrap(), 3.0, "support vectors");
    // Scores of classes agree with votes, and probabilities with the truth.
    let scores = model.decision(&Features::F64(held.view())).unwrap().unwrap();
    assert_eq!((scores.rows(), scores.cols()), (test.len(), 10));
    let p = model.proba(&Features::F64(held.view())).unwrap();
    let loss: f64 = codes(&test).iter().enumerate().map(|(i, &c)| -p[(i, c as usize)].ln()).sum::<f64>() / test.len() as f64;
    assert!(loss < 0.1, "log loss {loss}");
    // Cross-validated scores are less certain; they still separate the classes.
    let careful = Svm { probability: true, ..learner }.fit_with(&data, &Context::default()).unwrap();
    let q = careful.proba(&Features::F64(held.view())).unwrap();
    let loss: f64 = codes(&test).iter().enumerate().map(|(i, &c)| -q[(i, c as usize)].ln()).sum::<f64>() / test.len() as f64;
    assert!(loss < 0.1, "log loss of held-out sigmoids {loss}");
}

#[test]
fn regression_on_diabetes() {
    let (x, y) = scaled("diabetes");
    for id in ["svr_linear_diabetes_C10_e10", "svr_rbf_diabetes_C100_e10", "svr_rbf_diabetes_C10_e1"] {
        let case = case(id);
        let (expected, learner) = (&case["expected"], Svm { tol: 1e-6, ..learner(&case) });
        let number = |name: &str| expected[name].as_f64().unwrap();
        let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
        let model = learner.fit_with(&data, &Context::default()).unwrap();
        sound(&model, learner.tol);
        let machine = &model.machines()[0];
        within(machine.dual, -number("dual_objective"), 1e-6 * machine.dual, id);
        within(machine.support as f64, number("n_sv"), 1.0, &format!("{id}: support vectors"));
        within(machine.bounded as f64, number("n_bounded_sv"), 1.0, &format!("{id}: bounded ones"));
        within(machine.bias, number("bias"), 1e-3, &format!("{id}: bias"));
        let predicted = model.predict(&data.x).unwrap();
        for (i, want) in expected["prediction_first10"].as_array().unwrap().iter().enumerate() {
            within(predicted[(i, 0)], want.as_f64().unwrap(), 1e-3, &format!("{id}: row {i}"));
        }
        let mse = y.iter().enumerate().map(|(i, y)| (y - predicted[(i, 0)]).powi(2)).sum::<f64>() / y.len() as f64;
        within(mse, number("train_mse"), 1e-4 * mse, &format!("{id}: mean squared error"));
    }
}

#[test]
fn a_precomputed_kernel_and_formulas_are_the_kernel_itself() {
    let (x, y) = scaled("breast_cancer");
    let targets = classes(&y);
    let data = with_classes(Features::F64(x.view()), &targets);
    let kernel: Kernel = "rbf(0.03) + 0.01 * linear".parse().unwrap();
    let plain = Svm { kernel: kernel.clone().into(), ..Svm::default() }.fit_with(&data, &Context::default()).unwrap();
    let by_text =
        Svm { kernel: "rbf(0.03) + 0.01 * linear".into(), ..Svm::default() }.fit_with(&data, &Context::default()).unwrap();
    assert_eq!(plain.dual_coef(), by_text.dual_coef());
    let gram = kernel.gram(x.view(), x.view()).unwrap();
    let precomputed = with_classes(Features::F64(gram.view()), &targets);
    let by_matrix = Svm { kernel: "precomputed".into(), ..Svm::default() }.fit_with(&precomputed, &Context::default()).unwrap();
    let (a, b) = (plain.decision(&data.x).unwrap().unwrap(), by_matrix.decision(&precomputed.x).unwrap().unwrap());
    (0..x.rows()).for_each(|i| within(a[(i, 0)], b[(i, 0)], 1e-8, "score"));
    let user = Kernel::user(|a, b| {
        let d: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
        (-0.03 * d).exp() + 0.01 * a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>()
    });
    let own = Svm { kernel: user.into(), ..Svm::default() }.fit_with(&data, &Context::default()).unwrap();
    let c = own.decision(&data.x).unwrap().unwrap();
    (0..x.rows()).for_each(|i| within(a[(i, 0)], c[(i, 0)], 1e-8, "score by a function"));
    let mut out = ermine_core::ModelWriter::default();
    assert!(own.save(&mut out).is_err(), "a function cannot be saved");
}

#[test]
fn slacks_and_margins_are_those_of_the_scores() {
    let (x, y) = scaled("breast_cancer");
    let targets = classes(&y);
    let data = with_classes(Features::F64(x.view()), &targets);
    let model = Svm { tol: 1e-7, ..Svm::default() }.fit_with(&data, &Context::default()).unwrap();
    let scores = model.decision(&data.x).unwrap().unwrap();
    for (k, &row) in model.support().iter().enumerate() {
        let s = 2.0 * y[row as usize] - 1.0;
        within(model.slack()[(0, k)], (1.0 - s * scores[(row as usize, 0)]).max(0.0), 1e-9, "slack");
    }
    let machine = &model.machines()[0];
    within(machine.margin(), 1.0 / machine.norm_squared.sqrt(), 0.0, "margin");
    let sum: f64 = model.slack().as_slice().iter().sum();
    within(machine.primal, 0.5 * machine.norm_squared + sum, 1e-6 * machine.primal, "primal");
}

#[test]
fn weights_are_prices() {
    let columns = columns("iris");
    let rows: Vec<usize> = (50..150).collect();
    let x = matrix(&columns[..4].iter().map(|c| rows.iter().map(|&i| c[i]).collect()).collect::<Vec<_>>());
    let y: Vec<f64> = rows.iter().map(|&i| columns[4][i] - 1.0).collect();
    let targets = classes(&y);
    let data = with_classes(Features::F64(x.view()), &targets);
    let gamma = GammaChoice::Number(0.3);
    let learner = Svm { gamma: gamma.clone(), tol: 1e-7, ..Svm::default() };
    let tripled = Svm { c: Some(3.0), ..learner.clone() }.fit_with(&data, &Context::default()).unwrap();
    let weight = vec![3.0; 100];
    let weighted = learner.fit_with(&data.with_weight(Some(&weight)), &Context::default()).unwrap();
    within(tripled.machines()[0].dual, weighted.machines()[0].dual, 1e-9 * tripled.machines()[0].dual, "dual");
    let by_class = ermine_core::ClassWeight::Factors([("0".to_owned(), 2.0)].into());
    let balanced = Svm { class_weight: Some(by_class), ..learner.clone() }.fit_with(&data, &Context::default()).unwrap();
    let weight: Vec<f64> = y.iter().map(|&v| 2.0 - v).collect();
    let weighted = learner.fit_with(&data.with_weight(Some(&weight)), &Context::default()).unwrap();
    within(balanced.machines()[0].dual, weighted.machines()[0].dual, 1e-9 * weighted.machines()[0].dual, "dual by class");
}

#[test]
fn a_fit_goes_on_from_an_earlier_one() {
    let (x, y) = scaled("breast_cancer");
    let targets = classes(&y);
    let data = with_classes(Features::F64(x.view()), &targets);
    let at = |c: f64| Svm { c: Some(c), tol: 1e-6, ..Svm::default() };
    let first = at(1.0).fit_with(&data, &Context::default()).unwrap();
    // At its own optimum there is nothing to do.
    let same = at(1.0).fit_from(&first, &data, &Context::default()).unwrap();
    assert_eq!(same.machines()[0].iterations, 0);
    within(same.machines()[0].dual, first.machines()[0].dual, 1e-9 * first.machines()[0].dual, "the same optimum");
    // Next to it, with larger and with smaller bounds, less than from nothing.
    let (x, y) = a9a("a9a_train.libsvm.gz", 2000);
    let targets = classes(&y);
    let data = with_classes(Features::Csr(x.view()), &targets);
    let at = |c: f64| Svm { c: Some(c), gamma: GammaChoice::Number(0.03), tol: 1e-4, ..Svm::default() };
    let first = at(8.0).fit_with(&data, &Context::default()).unwrap();
    for c in [7.5, 8.5] {
        let cold = at(c).fit_with(&data, &Context::default()).unwrap();
        let warm = at(c).fit_from(&first, &data, &Context::default()).unwrap();
        sound(&warm, 1e-4);
        within(warm.machines()[0].dual, cold.machines()[0].dual, 1e-8 * cold.machines()[0].dual, "the dual");
        let (less, more) = (warm.machines()[0].iterations, cold.machines()[0].iterations);
        assert!(2 * less < more, "C={c}: {less} steps from an earlier fit, {more} from nothing");
    }
    // Numbers, and several classes.
    let (x, y) = scaled("diabetes");
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    let learner = Svm { c: Some(10.0), epsilon: 10.0, tol: 1e-5, ..Svm::default() };
    let numbers = learner.fit_with(&data, &Context::default()).unwrap();
    assert_eq!(learner.fit_from(&numbers, &data, &Context::default()).unwrap().machines()[0].iterations, 0);
    let columns = columns("iris");
    let codes: Vec<u32> = columns[4].iter().map(|&v| v as u32).collect();
    let names = ["a", "b", "c"].map(String::from);
    let x = matrix(&columns[..4]);
    let three = DatasetRef::new(Features::F64(x.view())).with_target(Target::Class { codes: &codes, names: &names });
    let model = Svm::default().fit_with(&three, &Context::default()).unwrap();
    let again = Svm::default().fit_from(&model, &three, &Context::default()).unwrap();
    assert!(again.machines().iter().all(|m| m.iterations == 0));
    assert_eq!(again.support(), model.support());
    // Mismatched models are an error.
    let message = Svm::default().fit_from(&numbers, &three, &Context::default()).unwrap_err().to_string();
    assert!(message.contains("row") || message.contains("numbers"), "{message}");
    assert!(learner.fit_from(&model, &data, &Context::default()).unwrap_err().to_string().contains("classes"));
}

#[test]
fn subgradient_steps_bound_the_optimum_from_both_sides() {
    let (x, y) = scaled("breast_cancer");
    let targets = classes(&y);
    let data = with_classes(Features::F64(x.view()), &targets);
    let learner = Svm { method: SvmSolver::Pegasos, max_iter: Some(569 * 400), ..Svm::default() };
    let model = learner.fit_with(&data, &Context::default()).unwrap();
    // A penalized constant is one more feature: the exact machine of the kernel + 1, whose own constant is then
    // useless, has the same optimum up to that constant; with it free, its objective can only be lower.
    let machine = &model.machines()[0];
    let below = Svm { tol: 1e-6, ..Svm::default() }.fit_with(&data, &Context::default()).unwrap().machines()[0].primal;
    assert!(machine.dual <= machine.primal && machine.primal >= below * (1.0 - 1e-9), "{machine:?}");
    assert!(machine.primal - machine.dual < 0.02 * machine.primal, "{machine:?}");
    assert_eq!(machine.iterations, 569 * 400);
    within(machine.violation, (machine.primal - machine.dual) / machine.primal, 1e-9, "the gap");
    // Its objective is that of its scores.
    let scores = model.decision(&data.x).unwrap().unwrap();
    let hinge: f64 = y.iter().enumerate().map(|(i, y)| (1.0 - (2.0 * y - 1.0) * scores[(i, 0)]).max(0.0)).sum();
    within(machine.primal, 0.5 * (machine.norm_squared + machine.bias.powi(2)) + hinge, 1e-9 * machine.primal, "objective");
    // More rounds come nearer.
    let fewer = Svm { max_iter: Some(569 * 10), ..learner.clone() }.fit_with(&data, &Context::default()).unwrap();
    assert!(fewer.machines()[0].violation > 3.0 * machine.violation, "{} {}", fewer.machines()[0].violation, machine.violation);
    assert!(Svm { c: None, ..learner.clone() }.check().is_err());
    let numbers = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    assert!(learner.fit_with(&numbers, &Context::default()).unwrap_err().to_string().contains("classes"));
}

#[test]
fn pairs_side_by_side_have_the_bits_of_one_after_the_other() {
    let mut columns = columns("digits");
    let y = columns.pop().unwrap();
    let x = Mat::from_fn(y.len(), 64, |i, j| columns[j][i] / 16.0);
    let codes: Vec<u32> = y.iter().map(|&v| v as u32).collect();
    let names: Vec<String> = (0..10).map(|d| d.to_string()).collect();
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Class { codes: &codes, names: &names });
    // With one matrix for all pairs, and with too little memory for it.
    for cache_mb in [200.0, 2.0] {
        let learner = Svm { c: Some(5.0), cache_mb, ..Svm::default() };
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| learner.fit_with(&data, &Context::default()).unwrap())
        };
        let one = on(1);
        sound(&one, learner.tol);
        for threads in [2, 7] {
            let other = on(threads);
            assert_eq!(one.dual_coef(), other.dual_coef(), "{threads} threads, a cache of {cache_mb} MB");
            assert_eq!(one.machines(), other.machines(), "{threads} threads, a cache of {cache_mb} MB");
        }
    }
}
