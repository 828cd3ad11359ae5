//! Measures against the reference book `fixtures/reference/metrics.json`.

use ermine_core::{Column, Features, Mat, MatRef};
use ermine_learn::metrics::*;
use serde_json::Value;

fn case(id: &str) -> (Value, Value) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/reference/metrics.json");
    let book: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let case = book["cases"].as_array().unwrap().iter().find(|c| c["id"] == id).unwrap().clone();
    (case["params"].clone(), case["expected"].clone())
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn codes(v: &Value) -> Vec<u32> {
    numbers(v).into_iter().map(|x| x as u32).collect()
}

#[track_caller]
fn near(found: f64, expected: &Value) {
    let e = expected.as_f64().unwrap();
    assert!((found - e).abs() <= 1e-12 * e.abs(), "{found} is not {e}");
}

#[test]
fn binary_scores() {
    let (p, e) = case("binary_scores");
    let (y, score, weight) = (codes(&p["y"]), numbers(&p["score"]), numbers(&p["weight"]));
    let positive: Vec<bool> = y.iter().map(|&c| c == 1).collect();
    near(roc_auc(&positive, &score, None).unwrap(), &e["auc"]);
    near(roc_auc(&positive, &score, Some(&weight)).unwrap(), &e["auc_weighted"]);
    near(average_precision(&positive, &score, None).unwrap(), &e["average_precision"]);
    let proba = Mat::from_fn(score.len(), 2, |i, j| if j == 1 { score[i] } else { 1.0 - score[i] });
    near(log_loss(&y, proba.view(), None), &e["log_loss"]);
    near(log_loss(&y, proba.view(), Some(&weight)), &e["log_loss_weighted"]);
    near(brier(&y, proba.view(), None), &e["brier"]);
    let found: Vec<u32> = score.iter().map(|&s| u32::from(s >= 0.5)).collect();
    let table = confusion(&y, &found, 2, None);
    assert_eq!(table.counts.as_slice(), numbers(&e["confusion_tn_fp_fn_tp"]));
    near(accuracy(&y, &found, None), &e["accuracy"]);
    near(balanced_accuracy(&y, &found, 2, None), &e["balanced_accuracy"]);
    let (precision, recall, f1) = precision_recall_f1(&y, &found, 2, 1, None);
    near(precision, &e["precision"]);
    near(recall, &e["recall"]);
    near(f1, &e["f1"]);
    // The book leaves out points on straight stretches; every one it keeps must be on our curve.
    let curve = roc_curve(&positive, &score, None);
    for (fpr, tpr) in numbers(&e["roc_fpr"]).iter().zip(numbers(&e["roc_tpr"])) {
        assert!(
            curve.iter().any(|c| (c.0 - fpr).abs() < 1e-12 && (c.1 - tpr).abs() < 1e-12),
            "({fpr}, {tpr}) is not on the curve"
        );
    }
}

#[test]
fn several_classes() {
    let (p, e) = case("multiclass");
    let (y, found) = (codes(&p["y"]), codes(&p["predicted"]));
    let table = confusion(&y, &found, 4, None);
    let rows: Vec<f64> = e["confusion_rows_true"].as_array().unwrap().iter().flat_map(numbers).collect();
    assert_eq!(table.counts.as_slice(), rows);
    near(table.accuracy(), &e["accuracy"]);
    near(table.f1_macro(), &e["f1_macro"]);
    near(table.balanced_accuracy(), &e["recall_macro"]);
    let proba = Mat::from_fn(y.len(), 4, |i, j| if j == found[i] as usize { 0.7 } else { 0.1 });
    near(log_loss(&y, proba.view(), None), &e["log_loss"]);
    near(brier(&y, proba.view(), None), &e["brier_multi"]);
}

#[test]
fn regression() {
    let (p, e) = case("regression");
    let (y, found) = (numbers(&p["y"]), numbers(&p["predicted"]));
    let (y, found) = (MatRef::row_major(&y, 8, 1), MatRef::row_major(&found, 8, 1));
    near(mse(y, found, None), &e["mse"]);
    near(rmse(y, found, None), &e["rmse"]);
    near(mae(y, found, None), &e["mae"]);
    near(r2(y, found, None), &e["r2"]);
    // Weight 2 is the row twice.
    let rows: Vec<usize> = (0..8).flat_map(|i| vec![i; 1 + i % 2]).collect();
    let weight: Vec<f64> = (0..8).map(|i| 1.0 + f64::from(i % 2)).collect();
    let twice = (y.take_rows(&rows), found.take_rows(&rows));
    assert!((r2(y, found, Some(&weight)) - r2(twice.0.view(), twice.1.view(), None)).abs() < 1e-14);
}

#[test]
fn groupings() {
    let (p, e) = case("clustering_agreement");
    near(adjusted_rand(&codes(&p["true"]), &codes(&p["found"])), &e["ari"]);
    let (_, e) = case("clustering_internal_iris");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/data/iris.csv.gz");
    let (x, target) = ermine_data::read_table(path).unwrap().split_off(&["target"]).unwrap();
    let Column::Number { values, .. } = &target[0].1 else { panic!("numbers") };
    let labels: Vec<u32> = values.iter().map(|&v| v as u32).collect();
    let found = silhouette(&Features::Table(x.view()), &labels).unwrap().unwrap();
    assert!((found - e["silhouette"].as_f64().unwrap()).abs() < 1e-9);
}
