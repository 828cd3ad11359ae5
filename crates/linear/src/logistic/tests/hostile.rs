//! Data that is out to break a fit: a right answer, or an error that names the cause.

use super::*;

const ALL: [(PenaltyKind, LogisticSolver); 9] = [
    (PenaltyKind::None, LogisticSolver::Auto),
    (PenaltyKind::L2, LogisticSolver::Auto),
    (PenaltyKind::L1, LogisticSolver::Auto),
    (PenaltyKind::ElasticNet, LogisticSolver::Auto),
    (PenaltyKind::L2, LogisticSolver::Cd),
    (PenaltyKind::L2, LogisticSolver::Gd),
    (PenaltyKind::L1, LogisticSolver::Gd),
    (PenaltyKind::L1, LogisticSolver::Saga),
    (PenaltyKind::L2, LogisticSolver::Sgd),
];

fn finite(model: &LogisticModel) -> bool {
    model.coef().as_slice().iter().chain(model.intercept()).all(|w| w.is_finite())
}

#[test]
fn equal_columns_share_or_split_their_weight_and_leave_the_probabilities_alone() {
    let design = random(200, 3, 2, 61);
    let doubled = Mat::from_fn(200, 6, |i, j| design.x[(i, j % 3)]);
    let other = Design { x: doubled, y: design.y.clone(), names: Vec::new() };
    for (penalty, solver) in ALL {
        let learner = Logistic { penalty, solver, tol: 1e-6, max_iter: 3000, ..Logistic::default() };
        let model = other.fit(&learner);
        assert!(finite(&model), "{penalty:?} {solver:?}");
        if penalty == PenaltyKind::L1 {
            // The penalty of two equal columns is that of one.
            let one = design.fit(&learner);
            let (p, q) = (one.proba(&design.data().x).unwrap(), model.proba(&other.data().x).unwrap());
            assert!(p.as_slice().iter().zip(q.as_slice()).all(|(p, q)| (p - q).abs() < 1e-4), "{solver:?}");
        }
    }
}

#[test]
fn columns_of_any_size_are_fitted_or_named() {
    for power in [-300, -170, 150, 300] {
        let design = random(60, 2, 2, 62);
        let x = Mat::from_fn(60, 2, |i, j| if j == 0 { design.x[(i, j)] * 10f64.powi(power) } else { design.x[(i, j)] });
        let other = Design { x, y: design.y.clone(), names: Vec::new() };
        for (penalty, solver) in ALL {
            let learner = Logistic { penalty, solver, ..Logistic::default() };
            match learner.fit_with(&other.data(), &Context::default()) {
                Ok(model) => assert!(finite(&model), "{penalty:?} {solver:?} 1e{power}"),
                Err(Error::Numeric(m)) => {
                    let large = power > 100 && (m.contains("scale") || m.contains("overflow"));
                    // With a penalty the weight of so small a column is 0, whatever its squares are.
                    let small = power < -100 && penalty == PenaltyKind::None && m.contains("underflow");
                    assert!((large || small) && m.contains("column"), "{penalty:?} {solver:?} 1e{power}: {m}");
                }
                Err(e) => panic!("{penalty:?} {solver:?} 1e{power}: {e}"),
            }
        }
    }
}

#[test]
fn few_rows_one_class_and_no_weight_are_answered_or_refused() {
    let two = design(vec![("a".into(), vec![1.0, 2.0]), ("b".into(), vec![0.0, 0.0])], &["no".into(), "yes".into()]);
    let three = design(vec![("a".into(), vec![1.0, 2.0, 5.0])], &["a".into(), "b".into(), "c".into()]);
    let same = design(vec![("a".into(), vec![1.0, 2.0])], &["a".into(), "a".into()]);
    for (penalty, solver) in ALL {
        let learner = Logistic { penalty, solver, max_iter: 1000, ..Logistic::default() };
        for (design, classes) in [(&two, 2), (&three, 3)] {
            let model = design.fit(&learner);
            assert!(finite(&model), "{penalty:?} {solver:?}");
            let p = model.proba(&design.data().x).unwrap();
            assert!(p.cols() == classes && p.as_slice().iter().all(|p| (0.0..=1.0).contains(p)));
        }
        let error = learner.fit_with(&same.data(), &Context::default()).unwrap_err().to_string();
        assert!(error.contains("\"a\"") && error.contains("2 classes"), "{error}");
        let error = learner.fit_with(&two.data().with_weight(Some(&[0.0, 0.0])), &Context::default()).unwrap_err().to_string();
        assert!(error.contains("all weights are 0"), "{error}");
        let bad = design(vec![("a".into(), vec![1.0, f64::NAN, 2.0])], &["no".into(), "yes".into(), "no".into()]);
        let error = learner.fit_with(&bad.data(), &Context::default()).unwrap_err().to_string();
        assert!(error.contains("NaN") && error.contains('1'), "{error}");
    }
}

#[test]
fn many_sparse_columns_and_few_rows() {
    let mut s = RngStream::new(63, "wide", 0);
    let (n, p) = (100, 100_000);
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for _ in 0..n {
        let mut row: Vec<u32> = (0..50).map(|_| s.below(p) as u32).collect();
        row.sort_unstable();
        row.dedup();
        values.extend(row.iter().map(|_| 1.0 + s.uniform()));
        indices.extend(row);
        indptr.push(values.len());
    }
    let csr = Csr::new(indptr, indices, values, p).unwrap();
    let labels: Vec<String> = (0..n).map(|i| format!("c{}", i % 2)).collect();
    let y = OwnedTarget::from_labels(&labels);
    let data = DatasetRef::new(Features::Csr(csr.view())).with_target(y.view());
    for (penalty, solver) in ALL {
        for fit_intercept in [true, false] {
            let learner = Logistic { penalty, solver, fit_intercept, max_iter: 200, ..Logistic::default() };
            let model = learner.fit_with(&data, &Context::default()).unwrap();
            assert!(finite(&model), "{learner:?}");
            if penalty != PenaltyKind::L1 {
                let right = model.classify(&data.x).unwrap();
                let OwnedTarget::Class { codes, .. } = &y else { unreachable!() };
                assert_eq!(&right, codes, "{learner:?}");
            }
            if penalty == PenaltyKind::None {
                assert!(model.separation().is_some_and(|s| s.complete && s.margin > 0.0), "{:?}", model.certificate());
            }
        }
    }
}

/// Rows in libsvm's text with values as `of` makes them, from the folder that `ERMINE_DATA` names; nothing without it. At least `least` columns.
fn libsvm(name: &str, least: u32, of: fn(f64) -> f64) -> Option<(Csr, OwnedTarget)> {
    let path = std::path::Path::new(&std::env::var_os("ERMINE_DATA")?).join(name);
    let mut text = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()), &mut text).unwrap();
    let (mut indptr, mut indices, mut values, mut labels) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for line in text.lines() {
        let mut cells = line.split_whitespace();
        labels.push(cells.next().unwrap().to_owned());
        for cell in cells {
            let (j, v) = cell.split_once(':').unwrap();
            indices.push(j.parse::<u32>().unwrap() - 1);
            values.push(of(v.parse().unwrap()));
        }
        indptr.push(values.len());
    }
    let cols = indices.iter().max().unwrap() + 1;
    Some((Csr::new(indptr, indices, values, cols.max(least) as usize).unwrap(), OwnedTarget::from_labels(&labels)))
}

#[test]
fn adult_incomes_have_the_reference_objective_and_accuracy() {
    let read = |name: &str| libsvm(name, 123, |v| v);
    let (Some((x, y)), Some((x_test, y_test))) = (read("a9a_train.libsvm.gz"), read("a9a_test.libsvm.gz")) else { return };
    let case = &reference()["logit_l2_a9a"];
    let data = DatasetRef::new(Features::Csr(x.view())).with_target(y.view());
    let OwnedTarget::Class { codes, .. } = &y_test else { unreachable!() };
    for solver in [LogisticSolver::Auto, LogisticSolver::Cd] {
        let learner = Logistic {
            solver,
            fit_intercept: case["params"]["fit_intercept"].as_bool().unwrap_or(false),
            tol: 1e-7,
            ..Logistic::default()
        };
        let model = learner.fit_with(&data, &Context::default()).unwrap();
        let predicted = model.classify(&Features::Csr(x_test.view())).unwrap();
        let right = predicted.iter().zip(codes).filter(|(a, b)| a == b).count() as f64 / codes.len() as f64;
        println!("{solver:?}: accuracy {right}, {:?}", model.certificate());
        assert!(right >= 0.849, "{right}");
        assert_close(&[model.certificate().unwrap().objective.unwrap()], case, "objective");
        let square: f64 = model.coef().as_slice().iter().map(|w| w * w).sum();
        assert_close(&[square], case, "w_norm_sq");
        // The second of the sorted names is "-1": the log odds are those of the other class.
        let turned: Vec<f64> = model.coef().as_slice()[..10].iter().map(|w| -w).collect();
        assert_close(&turned, case, "w_first10");
    }
}

/// scikit-learn 1.9 (lbfgs, its defaults) takes 93 steps to an objective of 2355.92, with an accuracy of 0.7447 on the test rows.
#[test]
fn texts_of_twenty_groups_take_no_more_steps_than_elsewhere() {
    let read = |name: &str| libsvm(name, 32_199, f64::ln_1p);
    let train = read("newsgroups20_bow_train.libsvm.gz");
    let (Some((x, y)), Some((x_test, y_test))) = (train, read("newsgroups20_bow_test.libsvm.gz")) else { return };
    let data = DatasetRef::new(Features::Csr(x.view())).with_target(y.view());
    let model = Logistic::default().fit_with(&data, &Context::default()).unwrap();
    let certificate = model.certificate().unwrap();
    assert!(certificate.converged && certificate.iterations <= 93, "{certificate:?}");
    assert!(certificate.objective.unwrap() <= 2355.92, "{certificate:?}");
    let OwnedTarget::Class { codes, .. } = &y_test else { unreachable!() };
    let predicted = model.classify(&Features::Csr(x_test.view())).unwrap();
    let right = predicted.iter().zip(codes).filter(|(a, b)| a == b).count() as f64 / codes.len() as f64;
    assert!(right >= 0.7437, "{right}");
}
