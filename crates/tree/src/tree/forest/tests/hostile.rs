//! Data that breaks things.

use super::*;

fn all() -> [RandomForest; 4] {
    let with =
        |splitter: &str, thresholds: &str| forest(json!({"n_estimators": 5, "splitter": splitter, "thresholds": thresholds}));
    [with("exact", "best"), with("histogram", "best"), with("exact", "random"), with("histogram", "random")]
}

#[test]
fn columns_without_values_are_passed_over() {
    let mut x = normal(100, 3, 1);
    (0..100).for_each(|i| x[(i, 1)] = f64::NAN);
    let y = numbers(&normal(100, 3, 1), 2);
    for learner in all() {
        let model = fit(&learner, &x, Target::Real(&y), None);
        assert_eq!(model.feature_importances()[1], 0.0);
        assert!(model.predict(&Features::F64(x.view())).unwrap().as_slice().iter().all(|v| v.is_finite()));
    }
    // Nothing to split on at all.
    let nothing = Mat::from_fn(50, 2, |_, j| if j == 0 { f64::NAN } else { 3.0 });
    for learner in all() {
        let model = fit(&learner, &nothing, Target::Real(&y[..50]), None);
        assert!((0..5).all(|t| model.trees.n_nodes(t) == 1));
        assert!(model.feature_importances().iter().all(|v| *v == 0.0));
    }
}

#[test]
fn missing_or_not_can_be_the_question() {
    let x = Mat::from_fn(80, 1, |i, _| if i % 2 == 0 { f64::NAN } else { 1.0 });
    let y: Vec<f64> = (0..80).map(|i| f64::from(i % 2)).collect();
    for learner in all() {
        let model = fit(&learner, &x, Target::Real(&y), None);
        let p = model.predict(&Features::F64(x.view())).unwrap();
        assert!((0..80).all(|i| p[(i, 0)] == y[i]));
    }
}

#[test]
fn one_class_and_a_constant_target_are_one_leaf() {
    let x = normal(60, 2, 3);
    let y = OwnedTarget::Class { codes: vec![0; 60], names: vec!["only".into()] };
    for learner in all() {
        let model = fit(&learner, &x, y.view(), None);
        assert!(model.proba(&Features::F64(x.view())).unwrap().as_slice().iter().all(|p| *p == 1.0));
        for value in [0.1, -1e300, 0.0, 1e-320] {
            let y = vec![value; 60];
            let weight: Vec<f64> = (0..60).map(|i| 0.3 + i as f64 / 7.0).collect();
            for weight in [None, Some(&weight[..])] {
                let model = fit(&learner, &x, Target::Real(&y), weight);
                assert!((0..5).all(|t| model.trees.n_nodes(t) == 1), "{value}");
                let p = model.predict(&Features::F64(x.view())).unwrap();
                assert!(p.as_slice().iter().all(|p| (p - value).abs() <= 1e-12 * value.abs()), "{value}: {}", p[(0, 0)]);
            }
        }
    }
}

#[test]
fn infinite_cells_are_refused_by_name() {
    let mut x = normal(50, 3, 4);
    x[(31, 2)] = f64::NEG_INFINITY;
    let y = numbers(&x, 5);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    for learner in all() {
        let e = learner.fit_with(&data, &Context::default()).unwrap_err().to_string();
        assert!(e.contains("column 2") && e.contains("31") && e.contains("-infinity"), "{e}");
    }
    let model = fit(&forest(json!({"n_estimators": 2})), &normal(50, 3, 4), Target::Real(&y), None);
    assert!(model.predict(&data.x).unwrap_err().to_string().contains("-infinity"));
}

#[test]
fn a_hundred_thousand_categories_are_taken() {
    let n = 100_000;
    let names: Vec<String> = (0..n).map(|i| format!("c{i:06}")).collect();
    let cells: Vec<Option<&str>> = names.iter().map(|c| Some(c.as_str())).collect();
    let size: Vec<f64> = (0..n).map(|i| (i % 1000) as f64).collect();
    let table = Table::new([("id", Column::categories(&cells)), ("size", Column::numbers(size))]).unwrap();
    let y: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i % 1000 > 500))).collect();
    let data = DatasetRef::new(Features::Table(table.view())).with_target(Target::Real(&y));
    let learner = RandomForest {
        n_estimators: 2,
        max_depth: Some(3),
        max_features: Some(MaxFeatures::Columns(1)),
        ..RandomForest::default()
    };
    let model = learner.fit_with(&data, &Context::default()).unwrap();
    assert!(model.predict(&data.x).unwrap().as_slice().iter().all(|v| v.is_finite()));
}

#[test]
fn targets_and_weights_of_any_size_are_taken() {
    let x = normal(200, 3, 6);
    let base = numbers(&x, 7);
    for scale in [1e-300, 1e-12, 1e12, 1e300] {
        let y: Vec<f64> = base.iter().map(|v| v * scale).collect();
        for weight in [1e-300, 1.0, 1e300] {
            let weight: Vec<f64> = (0..200).map(|i| weight * (1.0 + f64::from(i % 4) * 0.25)).collect();
            let learner = forest(json!({"n_estimators": 10, "max_features": null, "bootstrap": false}));
            let model = fit(&learner, &x, Target::Real(&y), Some(&weight));
            let p = model.predict(&Features::F64(x.view())).unwrap();
            assert!((0..200).all(|i| (p[(i, 0)] - y[i]).abs() <= 1e-6 * 5.0 * scale), "{scale}");
        }
    }
}

#[test]
fn limits_of_depth_are_limits() {
    let x = normal(100, 2, 8);
    let y = numbers(&x, 9);
    for learner in all() {
        for (depth, most) in [(1u64, 3), (1_000_000, 199)] {
            let model = fit(&RandomForest { max_depth: Some(depth), ..learner.clone() }, &x, Target::Real(&y), None);
            assert!((0..5).all(|t| model.trees.n_nodes(t) > 1 && model.trees.n_nodes(t) <= most));
        }
    }
    assert!(RandomForest::default().set("max_depth", json!(0)).is_err());
    assert!(RandomForest::default().set_all(json!({"bootstrap": false, "oob_score": true}).as_object().unwrap()).is_err());
}

#[test]
fn many_classes_are_taken() {
    for count in [2usize, 3, 5, 17, 65, 257] {
        let n = count * 6;
        let x = Mat::from_fn(n, 2, |i, j| if j == 0 { (i % count) as f64 } else { (i / count) as f64 });
        let labels: Vec<String> = (0..n).map(|i| format!("{:04}", i % count)).collect();
        let y = OwnedTarget::from_labels(&labels);
        let learner = forest(json!({"n_estimators": 20, "max_features": null}));
        let model = fit(&learner, &x, y.view(), None);
        let Target::Class { codes, .. } = y.view() else { unreachable!() };
        assert_eq!(model.classify(&Features::F64(x.view())).unwrap(), codes, "{count} classes");
    }
}
