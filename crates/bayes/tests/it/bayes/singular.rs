//! Discriminant analysis where covariances are not of full rank, and other hostile data.

use ermine_bayes::*;
use ermine_core::*;

use crate::bayes::{apart, fit, of, random};

fn two_classes(x: &mut Mat<f64>) -> OwnedTarget {
    for i in (0..x.rows()).filter(|i| i % 2 == 1) {
        x.row_mut(i).iter_mut().for_each(|v| *v = *v * 1.5 + 1.0);
    }
    OwnedTarget::Class { codes: (0..x.rows() as u32).map(|i| i % 2).collect(), names: vec!["even".into(), "odd".into()] }
}

fn with_column(x: &Mat<f64>, column: impl Fn(usize) -> f64) -> Mat<f64> {
    Mat::from_fn(x.rows(), x.cols() + 1, |i, j| if j < x.cols() { x[(i, j)] } else { column(i) })
}

fn notes(model: &dyn Model) -> String {
    model.certificate().unwrap().notes.join("; ")
}

#[test]
fn columns_that_say_nothing_new_change_nothing_and_are_spoken_of() {
    let mut x = random(60, 3, 1);
    let y = two_classes(&mut x);
    let sum = with_column(&x, |i| 2.0 * x[(i, 0)] - x[(i, 2)]);
    let constant = with_column(&x, |_| 1e12);
    let schema = Schema::numbers(["a", "b", "c", "d"]);
    let data =
        |x: &'static Mat<f64>| of(x, Box::leak(Box::new(y.clone()))).with_schema(Some(Box::leak(Box::new(schema.clone()))));
    let (sum, constant): (&'static Mat<f64>, &'static Mat<f64>) = (Box::leak(Box::new(sum)), Box::leak(Box::new(constant)));
    let cx = Context::default();
    for solver in [LdaSolver::Svd, LdaSolver::Lsqr, LdaSolver::Eigen] {
        let lda = Lda { solver, ..Lda::default() };
        let plain = fit(&lda, &x, &y).unwrap();
        let p = plain.proba(&Features::F64(x.view())).unwrap();
        for (wide, word) in [(sum, "rank 3 of 4"), (constant, "constant: \"d\"")] {
            let model = lda.fit_with(&data(wide), &cx).unwrap();
            assert!(apart(&model.proba(&Features::F64(wide.view())).unwrap(), &p) < 1e-9);
            assert!(model.rank() == 3 && notes(&model).contains(word), "{}", notes(&model));
        }
    }
    for solver in [QdaSolver::Svd, QdaSolver::Eigen] {
        let qda = Qda { solver, ..Qda::default() };
        let plain = fit(&qda, &x, &y).unwrap();
        let p = plain.proba(&Features::F64(x.view())).unwrap();
        assert_eq!(notes(&plain), "");
        for (wide, word) in [(sum, "rank 3 of 4"), (constant, "constant within every class: \"d\"")] {
            let model = qda.fit_with(&data(wide), &cx).unwrap();
            assert!(apart(&model.proba(&Features::F64(wide.view())).unwrap(), &p) < 1e-8);
            assert!(model.rank() == 3 && notes(&model).contains(word), "{}", notes(&model));
        }
        // The density is that of the columns that vary.
        let model = qda.fit_with(&data(constant), &cx).unwrap();
        let (a, b) =
            (model.log_density(&Features::F64(constant.view())).unwrap(), plain.log_density(&Features::F64(x.view())).unwrap());
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-8 * b.abs().max(1.0)));
    }
}

#[test]
fn a_column_that_tells_the_classes_apart_by_itself_is_named() {
    let mut x = random(30, 2, 2);
    let y = two_classes(&mut x);
    let x = with_column(&x, |i| f64::from(i as u32 % 2));
    let model = fit(&Lda::default(), &x, &y).unwrap();
    assert!(notes(&model).contains("tells classes apart by itself: 2"), "{}", notes(&model));
}

#[test]
fn a_class_that_does_not_vary_is_where_it_is() {
    // The second column is 7 in one class and varies in the other.
    let mut x = random(40, 2, 3);
    let y = two_classes(&mut x);
    (0..40).step_by(2).for_each(|i| x[(i, 1)] = 7.0);
    let model = fit(&Qda::default(), &x, &y).unwrap();
    assert!(notes(&model).contains("class \"even\"") && notes(&model).contains("1 of 2 directions"), "{}", notes(&model));
    let p = model.proba(&Features::F64(MatRef::row_major(&[0.0, 7.0, 0.0, 6.0], 2, 2))).unwrap();
    assert!(p[(0, 0)] > 0.99 && p[(1, 0)] < 1e-12, "{:?}", p.as_slice());
    // A class of one row is that row.
    let y = OwnedTarget::Class { codes: (0..40).map(|i| u32::from(i == 5)).collect(), names: vec!["many".into(), "one".into()] };
    let model = fit(&Qda::default(), &x, &y).unwrap();
    assert!(notes(&model).contains("class \"one\" (rows of weight 1)"), "{}", notes(&model));
    let predictions = model.classify(&Features::F64(x.view())).unwrap();
    assert_eq!((0..40).filter(|&i| predictions[i] == 1).collect::<Vec<_>>(), [5]);
    // Given shrinkage there is nothing left to be said.
    let shrunk = Qda { reg_param: 0.1, ..Qda::default() };
    assert_eq!(notes(&fit(&shrunk, &x, &y).unwrap()), "");
    assert!(fit(&Lda::default(), &x, &y).unwrap().rank() == 2);
}

#[test]
fn rows_that_say_nothing_about_spread_are_refused_with_the_reason() {
    let x = random(3, 2, 4);
    let y = OwnedTarget::from_labels(&["a", "b", "c"]);
    let e = fit(&Lda::default(), &x, &y).unwrap_err().to_string();
    assert!(e.contains("more rows than classes") && e.contains('3'), "{e}");
    let e = fit(&Qda::default(), &x, &y).unwrap_err().to_string();
    assert!(e.contains("no column varies within a class"), "{e}");
    // Rows that repeat are no better.
    let twice = x.view().take_rows(&[0, 1, 2, 0, 1, 2]);
    let y = OwnedTarget::from_labels(&["a", "b", "c", "a", "b", "c"]);
    for solver in [LdaSolver::Svd, LdaSolver::Lsqr, LdaSolver::Eigen] {
        let e = fit(&Lda { solver, ..Lda::default() }, &twice, &y).unwrap_err().to_string();
        assert!(e.contains("no column varies within a class"), "{e}");
    }
    let one = OwnedTarget::from_labels(&["a"; 6]);
    let model = fit(&Lda::default(), &twice, &one).unwrap();
    assert_eq!(model.proba(&Features::F64(twice.view())).unwrap().as_slice(), [1.0; 6]);
    assert_eq!(model.transform(&Features::F64(twice.view())).unwrap().cols(), 0);
}

#[test]
fn one_column_may_be_a_trillion_times_another() {
    let mut x = random(80, 3, 5);
    let y = two_classes(&mut x);
    let scaled = Mat::from_fn(80, 3, |i, j| x[(i, j)] * [1.0, 1e12, 1e-12][j] + [0.0, 1e12, 0.0][j]);
    let far = |a: &dyn Classifier, b: &dyn Classifier| {
        apart(&a.proba(&Features::F64(x.view())).unwrap(), &b.proba(&Features::F64(scaled.view())).unwrap())
    };
    for solver in [LdaSolver::Svd, LdaSolver::Lsqr, LdaSolver::Eigen] {
        let lda = Lda { solver, ..Lda::default() };
        let (a, b) = (fit(&lda, &x, &y).unwrap(), fit(&lda, &scaled, &y).unwrap());
        assert!(far(&a, &b) < 1e-9 && b.rank() == 3, "{}", far(&a, &b));
    }
    let (a, b) = (fit(&Qda::default(), &x, &y).unwrap(), fit(&Qda::default(), &scaled, &y).unwrap());
    assert!(far(&a, &b) < 1e-9 && b.rank() == 3);
    // Rows a long way from zero keep their digits.
    let moved = Mat::from_fn(80, 3, |i, j| (x[(i, j)] * 1024.0).round() / 1024.0 + 1e9);
    let round = Mat::from_fn(80, 3, |i, j| (x[(i, j)] * 1024.0).round() / 1024.0);
    let (a, b) = (fit(&Lda::default(), &round, &y).unwrap(), fit(&Lda::default(), &moved, &y).unwrap());
    let (p, q) = (a.proba(&Features::F64(round.view())).unwrap(), b.proba(&Features::F64(moved.view())).unwrap());
    assert!(apart(&p, &q) < 1e-6, "{}", apart(&p, &q));
}

#[test]
fn rows_far_away_and_cells_that_are_no_numbers() {
    let mut x = random(40, 2, 6);
    let y = two_classes(&mut x);
    let models: [Box<dyn Model>; 3] = [
        Box::new(fit(&Lda::default(), &x, &y).unwrap()),
        Box::new(fit(&Lda { solver: LdaSolver::Lsqr, ..Lda::default() }, &x, &y).unwrap()),
        Box::new(fit(&Qda::default(), &x, &y).unwrap()),
    ];
    for model in &models {
        let c = model.as_classifier().unwrap();
        let far = Mat::from_vec(4, 2, vec![1e308, -1e308, -1e308, 1e308, 1e200, 1e200, f64::MAX, f64::MAX]);
        let p = c.proba(&Features::F64(far.view())).unwrap();
        assert!((0..4).all(|i| (p.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12), "{:?}", p.as_slice());
        let mut bad = random(5000, 2, 7);
        bad[(4321, 1)] = f64::NAN;
        for e in [
            c.proba(&Features::F64(bad.view())).unwrap_err(),
            c.decision(&Features::F64(bad.view())).unwrap_err(),
            model.as_density().unwrap().log_density(&Features::F64(bad.view())).unwrap_err(),
        ] {
            let e = e.to_string();
            assert!(e.contains("column 1, row 4321: NaN"), "{e}");
        }
    }
    // The wider class takes what is far from both.
    assert_eq!(
        models[2].as_classifier().unwrap().classify(&Features::F64(MatRef::row_major(&[1e300, 1e300], 1, 2))).unwrap(),
        [1]
    );
    let mut bad = x.clone();
    bad[(7, 1)] = f64::INFINITY;
    for e in [fit(&Lda::default(), &bad, &y).unwrap_err(), fit(&Qda::default(), &bad, &y).unwrap_err()] {
        assert_eq!(e.to_string(), "column 1, row 7: infinity is not a finite number");
    }
    let e = fit(&Lda::default(), &Mat::from_fn(40, 2, |i, j| x[(i, j)] * 1e200), &y).unwrap_err().to_string();
    assert!(e.contains("overflow"), "{e}");
}

#[test]
fn classes_without_rows_are_impossible() {
    let mut x = random(40, 2, 8);
    two_classes(&mut x);
    let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).to_vec();
    let y = OwnedTarget::Class { codes: (0..40).map(|i| [1, 3][i % 2]).collect(), names };
    let check = |model: &dyn Model| {
        let p = model.as_classifier().unwrap().proba(&Features::F64(x.view())).unwrap();
        assert!((0..40).all(|i| p[(i, 0)] == 0.0 && p[(i, 2)] == 0.0 && (p[(i, 1)] + p[(i, 3)] - 1.0).abs() < 1e-12));
        let logs = model.as_density().unwrap().log_density(&Features::F64(x.view())).unwrap();
        assert!(logs.iter().all(|l| l.is_finite()));
    };
    for solver in [LdaSolver::Svd, LdaSolver::Lsqr, LdaSolver::Eigen] {
        check(&fit(&Lda { solver, ..Lda::default() }, &x, &y).unwrap());
    }
    check(&fit(&Qda::default(), &x, &y).unwrap());
}
