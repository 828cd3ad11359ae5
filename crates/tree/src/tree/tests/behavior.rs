//! Stops, criteria, missing values, categories, constraints.

use ermine_core::{Classifier, Error, Flow, MISSING_CODE, Model, Progress, Regressor, Schema};
use serde_json::json;
use std::sync::Arc;

use super::super::{LEAF, TextStyle};
use super::*;

fn column(values: &[f64]) -> Mat<f64> {
    Mat::from_vec(values.len(), 1, values.to_vec())
}

fn classify(model: &TreeModel, values: &[f64]) -> Vec<u32> {
    model.classify(&Features::F64(column(values).view())).unwrap()
}

const NAN: f64 = f64::NAN;

#[test]
fn missing_values_take_the_side_that_helps() {
    for criterion in ["gini", "entropy"] {
        let t = tree(json!({"criterion": criterion, "max_depth": 2}));
        // Missing is a class of its own.
        let x = column(&[NAN, NAN, NAN, NAN, 0.0, 1.0, 2.0, 3.0, 8.0, 9.0, 11.0, 12.0]);
        let y = labels(&[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0]);
        assert_eq!(classify(&fit(&t, &x, &y), &[NAN, 3.0, 12.0]), [0, 1, 2]);
        // Only missing against present helps.
        let x = column(&[NAN, NAN, NAN, NAN, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        let y = labels(&[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        let m = fit(&t, &x, &y);
        assert_eq!((m.n_leaves(), m.nodes().threshold[0], m.nodes().missing_left[0]), (2, f64::INFINITY, 0));
        // Missing goes with the high values.
        let y = labels(&[1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
        assert_eq!(classify(&fit(&t, &x, &y), &[NAN, 1.2, 4.8]), [1, 0, 1]);
        // One missing value in each class: right wins a tie.
        let x = column(&[1.0, 2.0, 3.0, 5.0, NAN, 10.0, 20.0, 30.0, 60.0, NAN]);
        let y = labels(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        let t = tree(json!({"criterion": criterion, "max_depth": 1}));
        assert_eq!(classify(&fit(&t, &x, &y), &[NAN, 2.3, 34.2]), [1, 0, 1]);
    }
}

#[test]
fn missing_values_not_seen_in_training_go_with_the_greater_weight() {
    let x = column(&[0.0, 1.0, 2.0, 3.0, 8.0, 9.0, 11.0, 12.0, 15.0]);
    let y = OwnedTarget::Real(vec![0.1, 0.2, 0.3, 0.2, 1.4, 1.4, 1.5, 1.6, 2.6]);
    for criterion in ["squared_error", "absolute_error", "poisson", "friedman_mse"] {
        let m = fit(&tree(json!({"criterion": criterion, "max_depth": 1})), &x, &y);
        let p = m.predict(&Features::F64(column(&[NAN, 15.0]).view())).unwrap();
        assert_eq!(p[(0, 0)], p[(1, 0)], "{criterion}");
    }
    let (x, y) = (x.view().take_rows(&[0, 1, 2, 3, 4, 5]), y.view().take_rows(&[0, 1, 2, 3, 4, 5]));
    let m = fit(&tree(json!({"max_depth": 1})), &x, &y);
    assert_eq!(m.nodes().missing_left[0], 1);
}

#[test]
fn absolute_error_predicts_weighted_medians() {
    let t = tree(json!({"criterion": "absolute_error", "max_leaf_nodes": 2}));
    let x = column(&[3.0, 5.0, 3.0, 8.0, 5.0]);
    let y = OwnedTarget::Real(vec![6.0, 7.0, 3.0, 4.0, 3.0]);
    let m = fit_weighted(&t, &x, &y, Some(&[0.6, 0.3, 0.1, 1.0, 0.3]));
    assert_eq!(m.nodes().value.as_slice(), [4.0, 6.0, 4.0]);
    for (found, expected) in m.nodes().impurity.iter().zip([2.5 / 2.3, 0.3 / 0.7, 1.2 / 1.6]) {
        assert!((found - expected).abs() < 1e-12);
    }
    let m = fit(&t, &x, &y);
    assert_eq!(m.nodes().value.as_slice(), [4.0, 4.5, 4.0]);
    assert_eq!(m.nodes().impurity, [1.4, 1.5, 4.0 / 3.0]);
    let t = tree(json!({"criterion": "absolute_error", "max_depth": 1}));
    let y = OwnedTarget::Real(vec![1.0, 1.0, 3.0, 1.0, 2.0]);
    let m = fit_weighted(&t, &column(&[1.0, 2.0, 3.0, 4.0, 5.0]), &y, Some(&[3.0, 3.0, 2.0, 1.0, 2.0]));
    assert_eq!(m.nodes().value.as_slice(), [1.0, 1.0, 2.0]);
    assert_eq!(m.nodes().impurity, [6.0 / 11.0, 0.0, 3.0 / 5.0]);
}

#[test]
fn poisson_never_predicts_zero() {
    let x = Mat::from_vec(8, 2, vec![0., 0., 0., 1., 0., 2., 0., 3., 1., 0., 1., 2., 1., 2., 1., 3.]);
    let y = OwnedTarget::Real(vec![0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0]);
    let least = |criterion: &str| {
        let m = fit(&tree(json!({"criterion": criterion})), &x, &y);
        m.predict(&Features::F64(x.view())).unwrap().as_slice().iter().copied().fold(f64::INFINITY, f64::min)
    };
    assert_eq!(least("squared_error"), 0.0);
    assert!(least("poisson") > 0.0);
    let refused = |y: Vec<f64>| {
        let y = OwnedTarget::Real(y);
        let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
        tree(json!({"criterion": "poisson"})).fit_with(&data, &Context::default()).unwrap_err().to_string()
    };
    assert!(refused(vec![0.0; 8]).contains("not positive"));
    let mut y = vec![1.0; 8];
    y[3] = -0.5;
    assert!(refused(y).contains("target, row 3: -0.5"));
}

#[test]
fn stops_are_respected() {
    let (x, y) = (normal(500, 4, 1), labels(&(0..500).map(|i| f64::from(i % 3 == 0)).collect::<Vec<_>>()));
    for leaves in [json!(null), json!(1000)] {
        let fit = |mut p: serde_json::Value| {
            p["max_leaf_nodes"] = leaves.clone();
            fit(&tree(p), &x, &y)
        };
        let m = fit(json!({"min_samples_split": 30}));
        let n = m.nodes();
        let inner = || (0..m.node_count()).filter(|&i| n.left[i] != LEAF);
        assert!(inner().all(|i| n.n_node_samples[i] >= 30));
        let m = fit(json!({"min_samples_leaf": 0.03}));
        assert!(m.nodes().n_node_samples.iter().all(|&c| c >= 15));
        let m = fit(json!({"min_weight_fraction_leaf": 0.1}));
        assert!(m.nodes().n_node_samples.iter().all(|&c| c >= 50));
        let m = fit(json!({"max_depth": 3}));
        assert_eq!(m.depth(), 3);
        let m = fit(json!({"min_impurity_decrease": 0.002}));
        let n = m.nodes();
        let cost = |i: usize| n.impurity[i] * n.weighted_n_node_samples[i] / 500.0;
        assert!(m.node_count() > 3);
        for i in (0..m.node_count()).filter(|&i| n.left[i] != LEAF) {
            assert!(cost(i) - cost(n.left[i] as usize) - cost(n.right[i] as usize) > 0.002 - 1e-12);
        }
    }
    assert_eq!(fit(&tree(json!({"max_leaf_nodes": 7})), &x, &y).n_leaves(), 7);
    // Whole-number rows and shares of them are different things.
    assert!(Tree::default().set("min_samples_split", json!(1)).is_err());
    assert!(Tree::default().set("min_samples_split", json!(1.0)).is_ok());
    assert!(Tree::default().set("min_samples_leaf", json!(1.5)).is_err());
    assert!(Tree::default().set("class_weight", json!("heavy")).is_err());
}

#[test]
fn splits_without_gain_are_taken_when_something_is_left_to_separate() {
    // On a checkerboard no single split helps.
    let cells: Vec<(usize, usize)> = (0..10).flat_map(|i| (0..10).map(move |j| (i, j))).collect();
    let x = Mat::from_fn(100, 2, |r, j| (if j == 0 { cells[r].0 } else { cells[r].1 }) as f64);
    let y = labels(&cells.iter().map(|&(i, j)| f64::from((i < 5) == (j < 5))).collect::<Vec<_>>());
    for p in [json!({}), json!({"max_features": 1}), json!({"splitter": "random"}), json!({"criterion": "entropy"})] {
        let m = fit(&tree(p), &x, &y);
        assert!(m.nodes().impurity.iter().zip(&m.nodes().left).all(|(&g, &l)| l != LEAF || g == 0.0));
    }
}

#[test]
fn constant_columns_are_drawn_but_never_split() {
    let x = Mat::from_fn(11, 5, |i, j| if j == 0 { [0, 0, 0, 0, 0, 1, 2, 4, 5, 6, 7][i] as f64 } else { 0.0 });
    let y = labels(&[0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0]);
    let m = fit(&tree(json!({"max_features": 1})), &x, &y);
    assert_eq!((m.depth(), m.node_count()), (2, 5));
    let m = fit(&Tree::default(), &Mat::zeros(11, 3), &y);
    assert_eq!((m.node_count(), m.feature_importances()), (1, vec![0.0; 3]));
}

#[test]
fn several_targets_share_one_tree() {
    let x = normal(300, 3, 1);
    let y = Mat::from_fn(300, 2, |i, t| if t == 0 { f64::from(x[(i, 0)] > 0.3) } else { 5.0 * f64::from(x[(i, 2)] > -0.2) });
    let target = OwnedTarget::Reals(y.clone());
    for criterion in ["squared_error", "absolute_error", "poisson"] {
        let m = fit(&tree(json!({"criterion": criterion})), &x, &target);
        if criterion != "poisson" {
            assert_eq!((m.n_leaves(), m.n_targets()), (4, 2), "{criterion}");
            assert_eq!(m.predict(&Features::F64(x.view())).unwrap(), y, "{criterion}");
        }
    }
}

#[test]
fn targets_of_any_size_and_offset_are_told_apart() {
    // Squares of these overflow, differences of those vanish beside the mean.
    for (scale, offset) in [(1e300, 0.0), (1e-300, 0.0), (1.0, 1e12)] {
        let x = column(&(0..100).map(f64::from).collect::<Vec<_>>());
        let y: Vec<f64> = (0..100).map(|i| offset + scale * f64::from(i >= 37)).collect();
        let m = fit(&tree(json!({"max_leaf_nodes": 2})), &x, &OwnedTarget::Real(y.clone()));
        assert_eq!(m.nodes().threshold[0], 36.5);
        assert_eq!(m.predict(&Features::F64(x.view())).unwrap().as_slice(), y);
    }
}

#[test]
fn thresholds_separate_neighboring_values() {
    let next = |v: f64| f64::from_bits(v.to_bits() + 1);
    for low in [1.0, f64::MAX / 2.0, next(f64::MAX / 2.0), 5e-324, 1e-310] {
        let x = column(&[low, next(low)]);
        let m = fit(&Tree::default(), &x, &labels(&[0.0, 1.0]));
        assert_eq!(classify(&m, &[low, next(low)]), [0, 1], "{low:e}");
    }
    let m = fit(&Tree::default(), &column(&[f64::MIN, f64::MAX]), &labels(&[0.0, 1.0]));
    assert_eq!(m.nodes().threshold[0], 0.0);
    let m = fit(&Tree::default(), &column(&[-0.0, 0.0]), &labels(&[0.0, 1.0]));
    assert_eq!(m.node_count(), 1);
}

#[test]
fn infinity_is_refused_by_name() {
    let x = Mat::from_fn(50, 2, |i, j| if (i, j) == (31, 1) { f64::NEG_INFINITY } else { i as f64 });
    let schema = Schema::numbers(["here", "there"]);
    let y = labels(&(0..50).map(|i| f64::from(i % 2)).collect::<Vec<_>>());
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view()).with_schema(Some(&schema));
    let e = Tree::default().fit_with(&data, &Context::default()).unwrap_err().to_string();
    assert!(e.contains("\"there\"") && e.contains("row 31") && e.contains("-infinity"), "{e}");
    let m = fit(&Tree::default(), &column(&[1.0, 2.0]), &labels(&[0.0, 1.0]));
    let e = m.apply(&Features::F64(column(&[1.0, f64::INFINITY]).view())).unwrap_err().to_string();
    assert!(e.contains("column 0, row 1"), "{e}");
}

#[test]
fn class_weights_are_row_weights() {
    let (x, y) = (normal(300, 3, 1), labels(&(0..300).map(|i| f64::from(i % 3)).collect::<Vec<_>>()));
    let a = fit(&tree(json!({"class_weight": {"1": 5.0, "2": 0.0}, "min_samples_leaf": 3})), &x, &y);
    let w: Vec<f64> = (0..300).map(|i| [1.0, 5.0, 0.0][i % 3]).collect();
    let b = fit_weighted(&tree(json!({"min_samples_leaf": 3})), &x, &y, Some(&w));
    assert!(bytes(&a) == bytes(&b));
    let balanced = fit(&tree(json!({"class_weight": "balanced", "max_depth": 4})), &x, &y);
    assert!(bytes(&balanced) == bytes(&fit(&tree(json!({"max_depth": 4})), &x, &y)));
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    let e = tree(json!({"class_weight": {"7": 2.0}})).fit_with(&data, &Context::default()).unwrap_err().to_string();
    assert!(e.contains("\"7\""), "{e}");
}

#[test]
fn monotonic_constraints_hold_everywhere() {
    let x = normal(1500, 3, 11);
    let mut s = RngStream::new(3, "noise", 0);
    let signal: Vec<f64> = (0..1500).map(|i| x[(i, 0)] - 2.0 * x[(i, 1)].tanh() + 0.5 * x[(i, 2)] + 0.7 * s.normal()).collect();
    let numbers = OwnedTarget::Real(signal.clone());
    let classes = labels(&signal.iter().map(|v| f64::from(*v > 0.0)).collect::<Vec<_>>());
    for (y, criterion) in [(&numbers, "squared_error"), (&numbers, "absolute_error"), (&classes, "gini")] {
        for (leaves, splitter) in [(json!(null), "best"), (json!(60), "best"), (json!(null), "random")] {
            let m = fit(
                &tree(json!({"criterion": criterion, "monotonic_cst": [1, -1, 0], "max_leaf_nodes": leaves,
                             "splitter": splitter, "min_samples_leaf": 5})),
                &x,
                y,
            );
            assert!(m.n_leaves() > 20);
            let at = |x: &Mat<f64>| -> Vec<f64> {
                let x = Features::F64(x.view());
                match m.as_regressor() {
                    Some(r) => r.predict(&x).unwrap().into_vec(),
                    None => m.proba(&x).unwrap().view().col_iter(1).collect(),
                }
            };
            let moved = |col: usize| Mat::from_fn(1500, 3, |i, j| x[(i, j)] + if j == col { 0.4 } else { 0.0 });
            let base = at(&x);
            assert!(base.iter().zip(at(&moved(0))).all(|(a, b)| *a <= b), "{criterion}");
            assert!(base.iter().zip(at(&moved(1))).all(|(a, b)| *a >= b), "{criterion}");
        }
    }
    let three = labels(&(0..1500).map(|i| f64::from(i % 3)).collect::<Vec<_>>());
    for (y, cst) in [(&three, json!([1, 0, 0])), (&classes, json!([1]))] {
        let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
        assert!(matches!(
            tree(json!({"monotonic_cst": cst})).fit_with(&data, &Context::default()),
            Err(Error::Parameter { name, .. }) if name == "monotonic_cst"
        ));
    }
}

#[test]
fn pruned_trees_are_nested_and_found_by_their_alpha() {
    let (x, y) = (normal(400, 4, 2), OwnedTarget::Real((0..400).map(|i| f64::from(i % 17)).collect()));
    let t = tree(json!({"max_leaf_nodes": 40}));
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    let path = t.pruning_path(&data, &Context::default()).unwrap();
    let mut last = usize::MAX;
    for (alpha, impurity) in path.ccp_alphas.iter().zip(&path.impurities) {
        let m = fit(&Tree { ccp_alpha: (*alpha).into(), ..t.clone() }, &x, &y);
        assert!(m.node_count() <= last && (leaf_impurity(&m) - impurity).abs() < 1e-9 * path.impurities[0].max(1.0));
        last = m.node_count();
    }
    assert_eq!(last, 1);
}

#[test]
fn random_parts_follow_the_seed() {
    let (x, y) = (normal(500, 8, 2), OwnedTarget::Real((0..500).map(|i| f64::from(i % 13)).collect()));
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    for p in [json!({"max_features": "sqrt"}), json!({"splitter": "random"}), json!({"max_features": 0.5, "splitter": "random"})]
    {
        let t = tree(p);
        let at = |seed| bytes(&t.fit_with(&data, &Context::seeded(seed)).unwrap());
        assert!(at(1) == at(1) && at(1) != at(2));
        // Random splits still end in pure leaves.
        let m = t.fit_with(&data, &Context::seeded(3)).unwrap();
        assert!(leaf_impurity(&m) == 0.0);
    }
}

#[test]
fn observers_and_deadlines_stop_the_growth() {
    let (x, y) = (normal(20_000, 3, 2), OwnedTarget::Real((0..20_000).map(|i| f64::from(i % 101)).collect()));
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    let stop = |p: &Progress| if p.stage == "growing" { Flow::Stop } else { Flow::Continue };
    let e = Tree::default().fit_with(&data, &Context { observer: Some(&stop), ..Context::default() });
    assert!(matches!(e, Err(Error::Stopped(_))));
    // A deadline that passes while the tree grows leaves a smaller tree that says so.
    let wait = |p: &Progress| {
        if p.stage == "growing" {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        Flow::Continue
    };
    let deadline = Some(std::time::Instant::now() + std::time::Duration::from_millis(500));
    let cx = Context { observer: Some(&wait), deadline, ..Context::default() };
    match Tree::default().fit_with(&data, &cx) {
        Ok(m) if !m.certificate().unwrap().converged => assert!(m.n_leaves() < 20_000),
        Ok(m) => assert!(m.n_leaves() > 19_000),
        Err(e) => assert!(matches!(e, Error::Deadline(_))),
    }
}

#[test]
fn a_tree_as_deep_as_it_has_rows_grows_and_predicts() {
    // Alternating classes: each split takes off one row.
    let rows = 12_000;
    let x = column(&(0..rows).map(f64::from).collect::<Vec<_>>());
    let y = labels(&(0..rows).map(|i| f64::from(i % 2)).collect::<Vec<_>>());
    let m = fit(&Tree::default(), &x, &y);
    assert!(m.depth() > 5000, "{}", m.depth());
    assert_eq!(leaf_impurity(&m), 0.0);
    assert!(bytes(&Tree::load(&bytes(&m).into_reader()).unwrap()) == bytes(&m));
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    assert!(Tree::default().pruning_path(&data, &Context::default()).unwrap().ccp_alphas.is_sorted());
    // Targets over many powers of two, sorted.
    let x = column(&(0..3000).map(f64::from).collect::<Vec<_>>());
    let y: Vec<f64> = (0..3000).map(|i| 1.2f64.powi(i)).collect();
    let m = fit(&Tree::default(), &x, &OwnedTarget::Real(y.clone()));
    assert_eq!(m.predict(&Features::F64(x.view())).unwrap().as_slice(), y);
    assert!(m.depth() > 300 && m.rules(&Schema::unnamed(1)).len() == 3000);
    // Sorted rows, classes that alternate in runs.
    let rows = 100_000;
    let x = column(&(0..rows).map(f64::from).collect::<Vec<_>>());
    let y = labels(&(0..rows).map(|i| f64::from((i / 50) % 2)).collect::<Vec<_>>());
    let m = fit(&Tree::default(), &x, &y);
    assert!(m.n_leaves() == 2000 && m.depth() > 100, "{}", m.depth());
}

#[test]
fn categories_and_missing_values_of_penguins_need_no_preparation() {
    let (x, taken) = fixture("penguins").split_off(&["species"]).unwrap();
    let Column::Category { codes, names } = &taken[0].1 else { panic!("species are categories") };
    let y = OwnedTarget::Class { codes: codes.clone(), names: names.to_vec() };
    let data = DatasetRef::new(Features::Table(x.view())).with_target(y.view());
    let m = Tree::default().fit_with(&data, &Context::default()).unwrap();
    let right = m.classify(&data.x).unwrap().iter().zip(codes).filter(|(a, b)| a == b).count();
    // Two penguins have nothing but their island, sex and year, one of each species on its island.
    assert!(right >= 342, "{right} of 344");
    let text = m.to_text(x.schema(), &TextStyle::default());
    assert!(text.contains("flipper_length_mm <="), "{text}");
}

#[test]
fn mushrooms_are_told_apart_by_sets_of_categories() {
    let (x, taken) = fixture("mushrooms").split_off(&["class"]).unwrap();
    let Column::Category { codes, names } = &taken[0].1 else { panic!("classes are categories") };
    let y = OwnedTarget::Class { codes: codes.clone(), names: names.to_vec() };
    let data = DatasetRef::new(Features::Table(x.view())).with_target(y.view());
    let m = Tree::default().fit_with(&data, &Context::default()).unwrap();
    assert_eq!(m.classify(&data.x).unwrap(), *codes);
    assert!(m.n_leaves() <= 12, "{} leaves", m.n_leaves());
    let text = m.to_text(x.schema(), &TextStyle::default());
    assert!(text.starts_with("|--- odor in {"), "{text}");
    assert!(m.rules(x.schema()).iter().map(|r| r.rows).sum::<i64>() == 8124);
}

#[test]
fn categories_are_known_by_name_and_unseen_ones_are_missing() {
    let cells: Vec<Option<&str>> = (0..60).map(|i| ["red", "green", "blue", "grey"].get(i % 5).copied()).collect();
    let table = Table::new([("colour", Column::categories(&cells))]).unwrap();
    let y = OwnedTarget::Real((0..60).map(|i| [1.0, 5.0, 1.0, 5.0, 9.0][i % 5]).collect());
    let data = DatasetRef::new(Features::Table(table.view())).with_target(y.view());
    let m = Tree::default().fit_with(&data, &Context::default()).unwrap();
    assert_eq!(m.n_leaves(), 3);
    let names: Vec<String> = ["violet", "red", "grey"].map(String::from).to_vec();
    let other = Column::Category { codes: vec![1, 2, 0, MISSING_CODE], names: Arc::new(names) };
    let other = Table::new([("colour", other)]).unwrap();
    let p = m.predict(&Features::Table(other.view())).unwrap();
    assert_eq!(p.as_slice(), [1.0, 5.0, 9.0, 9.0]);
    let wrong = Table::new([("colour", Column::numbers(vec![1.0]))]).unwrap();
    let e = m.predict(&Features::Table(wrong.view())).unwrap_err().to_string();
    assert!(e.contains("\"colour\"") && e.contains("categories"), "{e}");
}

#[test]
fn many_categories_are_no_problem() {
    let rows = 40_000;
    let mut s = RngStream::new(1, "many", 0);
    let names: Vec<String> = (0..30_000).map(|c| format!("c{c:05}")).collect();
    let codes: Vec<u32> = (0..rows).map(|_| s.below(names.len()) as u32).collect();
    let high = |c: u32| (c * 7919).is_multiple_of(3);
    let y = OwnedTarget::Real(codes.iter().map(|&c| f64::from(high(c))).collect());
    let table = Table::new([("id", Column::Category { codes, names: Arc::new(names) })]).unwrap();
    let data = DatasetRef::new(Features::Table(table.view())).with_target(y.view());
    let m = Tree::default().fit_with(&data, &Context::default()).unwrap();
    assert_eq!(m.n_leaves(), 2);
    // All-missing columns and one category are constant.
    let empty =
        Table::new([("none", Column::categories::<&str>(&[None, None, None])), ("nan", Column::numbers(vec![NAN; 3]))]).unwrap();
    let y = OwnedTarget::Real(vec![1.0, 2.0, 3.0]);
    let data = DatasetRef::new(Features::Table(empty.view())).with_target(y.view());
    assert_eq!(Tree::default().fit_with(&data, &Context::default()).unwrap().node_count(), 1);
}

#[test]
fn text_and_report_say_what_the_tree_does() {
    let x = column(&[-2.0, -1.0, -1.0, 1.0, 1.0, 2.0]);
    let m = fit(&Tree::default(), &x, &labels(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]));
    let schema = Schema::numbers(["feature_0"]);
    assert_eq!(
        m.to_text(&schema, &TextStyle::default()),
        "|--- feature_0 <= 0.00\n|   |--- class: 0\n|--- feature_0 >  0.00\n|   |--- class: 1\n"
    );
    let weighted = TextStyle { show_weights: true, ..TextStyle::default() };
    assert!(m.to_text(&schema, &weighted).contains("|   |--- weights: [3.00, 0.00] class: 0\n"));
    let rules = m.rules(&schema);
    assert_eq!(rules[1].conditions, ["feature_0 >  0.000000 or missing"]);
    assert_eq!(m.report(&schema).sections.len(), 3);
    assert_eq!(m.certificate().unwrap().objective, Some(0.0));
}

/// The indicators of classes: one target after the other, one column per class.
fn indicators(targets: &[&OwnedTarget]) -> OwnedTarget {
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for target in targets {
        let OwnedTarget::Class { codes, names } = target else { panic!("classes") };
        columns.extend((0..names.len() as u32).map(|k| codes.iter().map(|&c| f64::from(u8::from(c == k))).collect()));
    }
    OwnedTarget::Reals(matrix(&columns))
}

#[test]
fn indicators_grow_the_tree_of_their_classes() {
    let x = normal(200, 3, 41);
    let y = labels(&(0..200).map(|i| (x[(i, 0)] + x[(i, 1)]).clamp(-1.2, 1.2).round()).collect::<Vec<_>>());
    let weight: Vec<f64> = (0..200).map(|i| 0.3 + (i % 7) as f64).collect();
    for criterion in ["gini", "entropy"] {
        let t = tree(json!({"criterion": criterion, "max_depth": 5, "min_impurity_decrease": 0.004}));
        for weight in [None, Some(&weight[..])] {
            let classes = fit_weighted(&t, &x, &y, weight);
            // Twice the same target has the mean of twice the same impurity.
            for targets in [&[&y][..], &[&y, &y]] {
                let several = fit_weighted(&t, &x, &indicators(targets), weight);
                assert_eq!(several.nodes().feature, classes.nodes().feature);
                assert_eq!(several.nodes().threshold, classes.nodes().threshold);
                for (a, b) in several.nodes().impurity.iter().zip(&classes.nodes().impurity) {
                    assert!((a - b).abs() < 1e-12, "{a} for {b}");
                }
            }
        }
        let other = OwnedTarget::Reals(matrix(&[vec![0.5; 200], vec![0.5; 200]]));
        let data = DatasetRef::new(Features::F64(x.view())).with_target(other.view());
        assert!(t.fit_with(&data, &Context::default()).unwrap_err().to_string().contains("as many ones in each row"));
    }
}
