//! The book of reference values.

use ermine_core::{Classifier, DatasetRef, Features, Regressor};
use serde_json::{Map, Value, json};

use super::*;

fn near(found: f64, expected: f64, rel: f64, what: &str) {
    let scale = expected.abs().max(1e-300);
    assert!((found - expected).abs() <= rel * scale || found == expected, "{what}: {found} instead of {expected}");
}

fn list(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// Zeros of the book are sums of decreases that cancel; they need a tolerance of the size of what cancels.
fn near_list(found: &[f64], expected: &[f64], rel: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: {found:?} instead of {expected:?}");
    let top = expected.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= rel * e.abs().max(1e-4 * top), "{what}: {f} instead of {e}");
    }
}

fn data_of(case: &Value) -> (Mat<f64>, OwnedTarget, bool) {
    let file = case["data"].as_str().unwrap().trim_start_matches("classic/").trim_end_matches(".csv.gz");
    let table = fixture(file);
    if file == "california_housing" {
        let columns: Vec<Vec<f64>> = table.columns().take(9).map(numbers).collect();
        let rows: Vec<usize> = (0..table.rows()).filter(|&i| columns.iter().all(|c| !c[i].is_nan())).collect();
        assert_eq!(rows.len(), 20433);
        let pick = |c: &Vec<f64>| rows.iter().map(|&i| c[i]).collect::<Vec<_>>();
        let y = pick(&columns[8]).iter().map(|v| v / 100_000.0).collect();
        return (matrix(&columns[..8].iter().map(pick).collect::<Vec<_>>()), OwnedTarget::Real(y), false);
    }
    let columns: Vec<Vec<f64>> = table.columns().map(numbers).collect();
    let (y, x) = columns.split_last().unwrap();
    if file == "diabetes" { (matrix(x), OwnedTarget::Real(y.clone()), false) } else { (matrix(x), labels(y), true) }
}

fn score(model: &TreeModel, x: &Mat<f64>, y: &OwnedTarget) -> f64 {
    let x = Features::F64(x.view());
    match y.view() {
        ermine_core::Target::Class { codes, .. } => {
            let right = model.classify(&x).unwrap().iter().zip(codes).filter(|(a, b)| a == b).count();
            right as f64 / codes.len() as f64
        }
        ermine_core::Target::Real(y) => {
            let p = model.predict(&x).unwrap();
            let mean = y.iter().sum::<f64>() / y.len() as f64;
            let rest: f64 = y.iter().zip(p.as_slice()).map(|(y, p)| (y - p).powi(2)).sum();
            1.0 - rest / y.iter().map(|y| (y - mean).powi(2)).sum::<f64>()
        }
        _ => unreachable!(),
    }
}

fn check_case(case: &Value) {
    let id = case["id"].as_str().unwrap();
    let (x, y, classes) = data_of(case);
    let mut params: Map<String, Value> = case["params"].as_object().unwrap().clone();
    params.entry("criterion").or_insert(json!(if classes { "gini" } else { "squared_error" }));
    let tree = tree(Value::Object(params));
    let model = fit(&tree, &x, &y);
    let n = model.nodes();
    let rel = case["tolerance"]["rel"].as_f64().unwrap();
    let threshold_rel = case["tolerance"]["threshold_rel"].as_f64().unwrap();
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    let path = tree.pruning_path(&data, &Context::default()).unwrap();
    assert!(path.ccp_alphas.is_sorted() && path.impurities.is_sorted(), "{id}: the path descends");
    for (key, value) in case["expected"].as_object().unwrap() {
        let what = format!("{id}, {key}");
        let number = || value.as_f64().unwrap();
        let inside = |found: f64| {
            let range = list(value);
            let wide = 1e-6 * range[1].abs();
            assert!(range[0] - wide <= found && found <= range[1] + wide, "{what}: {found} outside {range:?}");
        };
        let tail = |found: &[f64]| {
            let expected = list(value);
            near_list(&found[found.len() - expected.len()..], &expected, rel, &what);
        };
        match key.as_str() {
            "root_feature" => assert_eq!(f64::from(n.feature[0]), number(), "{what}"),
            "root_threshold" => near(n.threshold[0], number(), threshold_rel, &what),
            "root_impurity" => near(n.impurity[0], number(), rel, &what),
            "n_leaves" => assert_eq!(model.n_leaves() as f64, number(), "{what}"),
            "depth" => assert_eq!(model.depth() as f64, number(), "{what}"),
            "node_count" => assert_eq!(model.node_count() as f64, number(), "{what}"),
            "train_score" => near(score(&model, &x, &y), number(), rel, &what),
            "weighted_leaf_impurity" => near(leaf_impurity(&model), number(), rel, &what),
            "ccp_alphas" => near_list(&path.ccp_alphas, &list(value), rel, &what),
            "ccp_impurities" => near_list(&path.impurities, &list(value), rel, &what),
            "root_feature_range_over_ties" => inside(f64::from(n.feature[0])),
            "root_threshold_range_over_ties" => inside(n.threshold[0]),
            "n_leaves_range_over_ties" => inside(model.n_leaves() as f64),
            "depth_range_over_ties" => inside(model.depth() as f64),
            "node_count_range_over_ties" => inside(model.node_count() as f64),
            "ccp_alphas_range_over_ties" | "ccp_impurities_range_over_ties" => inside(path.ccp_alphas.len() as f64),
            "ccp_alphas_common_tail" => tail(&path.ccp_alphas),
            "ccp_impurities_common_tail" => tail(&path.impurities),
            "feature_importances" => near_list(&model.feature_importances(), &list(value), rel, &what),
            "nodes" => check_nodes(&model, value.as_array().unwrap(), rel, threshold_rel),
            "agreed_by_all_ties" => {}
            other => panic!("{id}: {other} is not checked"),
        }
    }
}

fn check_nodes(model: &TreeModel, expected: &[Value], rel: f64, threshold_rel: f64) {
    let n = model.nodes();
    assert_eq!(model.node_count(), expected.len());
    for (i, e) in expected.iter().enumerate() {
        let whole = |key: &str| e[key].as_i64().unwrap();
        assert_eq!((i64::from(n.left[i]), i64::from(n.right[i])), (whole("left"), whole("right")), "node {i}");
        assert_eq!(n.n_node_samples[i], whole("n"), "node {i}");
        near(n.impurity[i], e["impurity"].as_f64().unwrap(), rel, "impurity");
        near_list(n.value.row(i), &list(&e["value"]), rel, "value");
        if whole("left") >= 0 {
            assert_eq!(i64::from(n.feature[i]), whole("feature"), "node {i}");
            near(n.threshold[i], e["threshold"].as_f64().unwrap(), threshold_rel, "threshold");
        }
    }
}

#[test]
fn the_book_of_trees_is_reproduced() {
    let book: Value =
        serde_json::from_str(&std::fs::read_to_string(format!("{FIXTURES}/reference/trees.json")).unwrap()).unwrap();
    let cases = book["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 17);
    cases.iter().for_each(check_case);
}
