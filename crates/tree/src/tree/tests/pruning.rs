//! The choice of pruning by cross-validation, and splits by misclassification.

use ermine_core::{Classifier, Error, Model, ModelReader, OwnedTarget, Section};
use serde_json::json;

use super::*;

/// Two classes by a threshold, one in five labels wrong.
fn noisy(rows: usize, seed: u64) -> (Mat<f64>, OwnedTarget) {
    let x = normal(rows, 3, seed);
    let mut s = RngStream::new(seed, "labels", 1);
    let class = |i: usize, s: &mut RngStream| f64::from((x[(i, 1)] > 0.3) != (s.below(5) == 0));
    let y = labels(&(0..rows).map(|i| class(i, &mut s)).collect::<Vec<_>>());
    (x, y)
}

fn error_rate(model: &TreeModel, x: &Mat<f64>, y: &OwnedTarget) -> f64 {
    let predictions = model.classify(&Features::F64(x.view())).unwrap();
    let (codes, _) = y.view().classes().map(|(c, n)| (c.to_vec(), n.len())).unwrap();
    predictions.iter().zip(&codes).filter(|(a, b)| a != b).count() as f64 / codes.len() as f64
}

#[test]
fn cross_validation_finds_the_tree_that_is_there() {
    let (x, y) = noisy(600, 41);
    let full = fit(&tree(json!({})), &x, &y);
    let best = fit(&tree(json!({"ccp_alpha": "cv"})), &x, &y);
    let small = fit(&tree(json!({"ccp_alpha": "cv", "one_se": true})), &x, &y);
    let choice = best.pruning().unwrap();
    assert!(full.n_leaves() > 50 && best.n_leaves() < 20, "{} leaves of {}", best.n_leaves(), full.n_leaves());
    assert_eq!(small.n_leaves(), 2);
    assert_eq!(choice.leaves[choice.chosen] as usize, best.n_leaves());
    // The sequence is nested: prices rise, leaves fall, from the full tree to its root.
    assert!(choice.alphas.windows(2).all(|w| w[0] < w[1]) && choice.leaves.windows(2).all(|w| w[0] > w[1]));
    assert_eq!((choice.alphas[0], choice.leaves[choice.leaves.len() - 1]), (0.0, 1));
    // The price that was chosen gives the same tree by itself, and the estimate is one of the error on new rows.
    let again = fit(&tree(json!({"ccp_alpha": choice.alpha()})), &x, &y);
    assert_eq!(again.nodes().threshold, best.nodes().threshold);
    let (new_x, new_y) = noisy(4000, 42);
    let (estimate, spread) = (choice.errors[choice.chosen], choice.standard_errors[choice.chosen]);
    let truth = error_rate(&best, &new_x, &new_y);
    assert!((estimate - truth).abs() < 4.0 * spread, "{estimate} for {truth}, give or take {spread}");
    assert!((spread - (estimate * (1.0 - estimate) / 600.0).sqrt()).abs() < 1e-12);
    assert!(truth < error_rate(&full, &new_x, &new_y) - 0.02);
}

#[test]
fn the_errors_of_the_folds_are_those_of_pruned_trees() {
    // By hand: grow without the fold, prune by the price, try on the fold.
    let (x, y) = noisy(90, 43);
    let t = tree(json!({"ccp_alpha": "cv", "folds": 3}));
    let choice = fit(&t, &x, &y).pruning().unwrap().clone();
    let seed = RngStream::new(0, "pruning folds", 0).next_u64();
    let folds = ermine_core::splits::stratified_k_fold(&y.view(), 90, 3, seed).unwrap();
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    for k in 0..choice.alphas.len() {
        let price = choice.alphas.get(k + 1).map_or(f64::MAX, |next| (choice.alphas[k] * next).sqrt());
        let mut wrong = 0;
        for fold in 0..3 {
            let (train, test) = folds.round(fold);
            let (rest, test_rows) = (data.take_rows(&train), data.take_rows(&test));
            let model = tree(json!({"ccp_alpha": price.max(1e-300)})).fit_with(&rest.view(), &Context::default()).unwrap();
            let predictions = model.classify(&test_rows.view().x).unwrap();
            wrong += predictions.iter().zip(test_rows.view().y.classes().unwrap().0).filter(|(a, b)| a != b).count();
        }
        assert!((choice.errors[k] - wrong as f64 / 90.0).abs() < 1e-12, "tree {k}: {} for {wrong}", choice.errors[k]);
    }
}

#[test]
fn numbers_weights_and_trees_of_one_leaf_are_pruned_too() {
    let x = normal(300, 2, 44);
    let mut s = RngStream::new(45, "noise", 0);
    let y = OwnedTarget::Real((0..300).map(|i| f64::from(x[(i, 0)] > 0.0) * 3.0 + s.normal()).collect());
    for criterion in ["squared_error", "absolute_error"] {
        let model = fit(&tree(json!({"ccp_alpha": "cv", "criterion": criterion})), &x, &y);
        assert!((2..12).contains(&model.n_leaves()), "{criterion}: {}", model.n_leaves());
    }
    let weights: Vec<f64> = (0..300).map(|i| (i % 3) as f64 + 0.5).collect();
    let model = fit_weighted(&tree(json!({"ccp_alpha": "cv"})), &x, &y, Some(&weights));
    assert!((2..12).contains(&model.n_leaves()));
    let flat = OwnedTarget::Real(vec![1.0; 300]);
    assert_eq!(fit(&tree(json!({"ccp_alpha": "cv"})), &x, &flat).n_leaves(), 1);
    let one = Mat::from_vec(1, 1, vec![1.0]);
    assert_eq!(fit(&tree(json!({"ccp_alpha": "cv"})), &one, &OwnedTarget::Real(vec![2.0])).n_leaves(), 1);
}

#[test]
fn the_choice_is_reported_saved_and_checked() {
    let (x, y) = noisy(200, 46);
    let model = fit(&tree(json!({"ccp_alpha": "cv"})), &x, &y);
    let report = model.report(&ermine_core::Schema::unnamed(3));
    let has = |f: &dyn Fn(&Section) -> bool| report.sections.iter().any(f);
    assert!(has(&|s| matches!(s, Section::Table { title, .. } if title.contains("Pruning"))));
    assert!(has(&|s| matches!(s, Section::Tree { nodes, .. } if nodes.len() == model.node_count())));
    let load = |reader: &ModelReader| TreeModel::load(reader);
    let again = load(&bytes(&model).into_reader()).unwrap();
    assert_eq!(again.pruning(), model.pruning());
    assert_eq!(bytes(&again), bytes(&model));
    let mut damaged = bytes(&model);
    damaged.field("pruning_chosen", &10_000).unwrap();
    assert!(matches!(load(&damaged.into_reader()).unwrap_err(), Error::Model(_)));
    let mut wrong = tree(json!({}));
    assert!(AnyLearner::set(&mut wrong, "ccp_alpha", json!("best")).is_err());
}

#[test]
fn misclassification_splits_where_fewest_rows_are_wrong() {
    // Breiman's example in small: the first column leaves 2 of 8 wrong, the second 1; Gini and entropy see it too.
    let x = Mat::from_fn(8, 2, |i, j| if j == 0 { f64::from(i >= 4) } else { f64::from(i >= 3) });
    let y = labels(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
    let model = fit(&tree(json!({"criterion": "misclassification", "max_depth": 1})), &x, &y);
    assert_eq!(model.nodes().feature[0], 1);
    assert_eq!(model.nodes().impurity, [0.5, 0.0, 0.2]);
    // Every split of a deep tree is the best possible, for two classes and for more.
    for classes in [2, 4] {
        let x = coarse(150, 3, 8, 47);
        let mut s = RngStream::new(48, "y", 0);
        let y = labels(&(0..150).map(|_| s.below(classes) as f64).collect::<Vec<_>>());
        let (codes, names) = y.view().classes().map(|(c, n)| (c.to_vec(), n.len())).unwrap();
        let model = fit(&tree(json!({"criterion": "misclassification", "max_depth": 1})), &x, &y);
        let right = |left: &dyn Fn(usize) -> bool| {
            let most = |side: bool| {
                (0..names as u32).map(|c| (0..150).filter(|&i| left(i) == side && codes[i] == c).count()).max().unwrap_or(0)
            };
            most(true) + most(false)
        };
        let best = (0..3).flat_map(|j| (0..7).map(move |v| (j, v as f64))).map(|(j, v)| right(&|i| x[(i, j)] <= v)).max();
        let (j, t) = (model.nodes().feature[0] as usize, model.nodes().threshold[0]);
        assert_eq!(Some(right(&|i| x[(i, j)] <= t)), best, "{classes} classes");
    }
}

#[test]
fn depths_of_none_are_refused_and_of_a_million_are_free() {
    let error = Tree { max_depth: Some(0), ..Tree::default() }.check().unwrap_err();
    assert!(error.to_string().contains("max_depth"), "{error}");
    let (x, y) = noisy(200, 49);
    let deep = fit(&tree(json!({"max_depth": 1_000_000})), &x, &y);
    assert_eq!(deep.nodes().threshold, fit(&tree(json!({})), &x, &y).nodes().threshold);
}
