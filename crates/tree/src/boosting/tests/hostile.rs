//! Data that nobody wishes for.

use super::*;

#[test]
fn a_column_of_a_hundred_thousand_categories() {
    let n = 120_000;
    let cells: Vec<Option<String>> =
        (0..n).map(|i| Some(if i < 40_000 { format!("often{}", i % 50) } else { format!("once{i}") })).collect();
    let y: Vec<f64> = (0..n).map(|i| if i < 40_000 { (i % 50) as f64 } else { -10.0 }).collect();
    let table = Table::new([("c", Column::categories(&cells))]).unwrap();
    let data = DatasetRef::new(Features::Table(table.view())).with_target(Target::Real(&y));
    let learner = Boosting { max_iter: 30, learning_rate: 0.5, ..Boosting::default() };
    let model = learner.fit_with(&data, &Context::default()).unwrap();
    let predictions = model.predict(&data.x).unwrap();
    let worst = predictions.as_slice().iter().zip(&y).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 5.0, "{worst}");
}

#[test]
fn columns_and_targets_without_news() {
    let x = Mat::from_fn(100, 3, |i, j| match j {
        0 => f64::NAN,
        1 => 7.0,
        _ => i as f64,
    });
    let constant = vec![0.1; 100];
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&constant));
    let model = small().fit_with(&data, &Context::default()).unwrap();
    assert!(model.predict(&data.x).unwrap().as_slice().iter().all(|v| *v == 0.1));
    let y: Vec<f64> = (0..100).map(f64::from).collect();
    let model = small().fit_with(&data.with_target(Target::Real(&y)), &Context::default()).unwrap();
    assert_eq!(model.trees().splits()[..2], [0, 0]);
    // Rows differ only in whether a cell is missing.
    let x = Mat::from_fn(100, 1, |i, _| if i < 50 { f64::NAN } else { 1.0 });
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    let learner = Boosting { learning_rate: 1.0, max_iter: 1, ..small() };
    let predictions = learner.fit_with(&data, &Context::default()).unwrap().predict(&data.x).unwrap();
    assert!((predictions[(0, 0)] - 24.5).abs() < 1e-4 && (predictions[(99, 0)] - 74.5).abs() < 1e-4);
}

#[test]
fn one_class_and_absent_classes() {
    let data = classes(200, 3, 2, 71);
    let one = OwnedTarget::Class { codes: vec![0; 200], names: vec!["only".into()] };
    let model = small().fit_with(&data.view().with_target(one.view()), &Context::default()).unwrap();
    assert!(model.proba(&data.view().x).unwrap().as_slice().iter().all(|p| *p == 1.0));
    for names in [2, 4] {
        let absent = OwnedTarget::Class { codes: vec![1; 200], names: (0..names).map(|k| k.to_string()).collect() };
        let model = small().fit_with(&data.view().with_target(absent.view()), &Context::default()).unwrap();
        let p = model.proba(&data.view().x).unwrap();
        assert!((0..200).all(|i| p[(i, 1)] > 0.99 && p.row(i).iter().all(|v| v.is_finite())));
    }
}

#[test]
fn limits_without_limit() {
    let data = regression(300, 3, 72);
    let learner = Boosting { max_depth: Some(1_000_000), max_leaf_nodes: None, min_samples_leaf: 1, max_iter: 3, ..small() };
    let model = learner.fit_with(&data.view(), &Context::default()).unwrap();
    assert!(model.trees().n_leaves(0) > 50);
    let mut depth = Boosting::default();
    assert!(ermine_core::AnyLearner::set(&mut depth, "max_depth", 0.into()).is_err());
    let wide = Boosting { max_bins: 5000, ..small() };
    let many = regression(6000, 2, 73);
    let OwnedFeatures::F64(x) = &many.x else { unreachable!() };
    let spread = Mat::from_fn(6000, 2, |i, j| x[(i, j)] + i as f64 * 1e-6);
    let data = OwnedDataset { x: OwnedFeatures::F64(spread), ..many };
    let (a, b) = (wide.fit_with(&data.view(), &Context::default()), small().fit_with(&data.view(), &Context::default()));
    let last = |m: &BoostingModel| m.trace().unwrap().rows.last().unwrap()[1];
    assert!((last(&a.unwrap()) / last(&b.unwrap()) - 1.0).abs() < 0.1);
}

#[test]
fn infinite_values_and_wrong_parameters_are_refused_by_name() {
    let data = regression(300, 3, 74);
    let OwnedFeatures::F64(x) = &data.x else { unreachable!() };
    let mut bad = x.clone();
    bad[(250, 1)] = f64::INFINITY;
    let e = small().fit_with(&DatasetRef { x: Features::F64(bad.view()), ..data.view() }, &Context::default()).unwrap_err();
    assert!(e.to_string().contains("infinity") && e.to_string().contains('1'), "{e}");
    // Or taken for a number above all others, when that is asked for.
    let mut large = bad.clone();
    large[(250, 1)] = 1e300;
    let fit = |x: &Mat<f64>| {
        let learner = Boosting { allow_infinite: true, ..small() };
        learner.fit_with(&DatasetRef { x: Features::F64(x.view()), ..data.view() }, &Context::default()).unwrap()
    };
    let (a, b) = (fit(&bad), fit(&large));
    assert_eq!(a.predict(&Features::F64(bad.view())).unwrap(), b.predict(&Features::F64(large.view())).unwrap());
    for (learner, word) in [
        (Boosting { monotonic_cst: Some(vec![1]), ..small() }, "monotonic_cst"),
        (Boosting { interaction_cst: Some(InteractionConstraints::Sets(vec![vec![9]])), ..small() }, "interaction_cst"),
        (Boosting { loss: "log_loss".into(), ..small() }, "loss"),
        (Boosting { loss: "quantile".into(), ..small() }, "quantile"),
        (Boosting { goss: true, subsample: 0.5, ..small() }, "subsample"),
        (Boosting { class_weight: Some(ClassWeight::Word("balanced".into())), ..small() }, "class_weight"),
    ] {
        let e = learner.fit_with(&data.view(), &Context::default()).unwrap_err().to_string();
        assert!(e.contains(word), "{word}: {e}");
    }
}

#[test]
fn sparse_rows_and_tables_say_the_same() {
    let data = regression(400, 3, 75);
    let OwnedFeatures::F64(x) = &data.x else { unreachable!() };
    let columns = (0..3).map(|j| (format!("c{j}"), Column::numbers((0..400).map(|i| x[(i, j)]).collect())));
    let table = Table::new(columns).unwrap();
    let a = small().fit_with(&data.view(), &Context::default()).unwrap();
    let b = small().fit_with(&DatasetRef { x: Features::Table(table.view()), ..data.view() }, &Context::default()).unwrap();
    assert!(bytes(&a) == bytes(&b));
}
