//! Rows that arrive in runs.

use ermine_core::{Error, Result};

use super::*;
use crate::test_rows::classes_by_level;
use ermine_fixtures::ChunkedSource;

fn streamed(forest: &RandomForest, data: &DatasetRef<'_>, run: usize) -> Result<ForestModel> {
    (RandomForest::STREAM.unwrap())(forest, &ChunkedSource::new(*data, &[run]), &Context::seeded(5))
}

/// Rows with missing cells, as numbers.
fn numbers(rows: usize) -> Mat<f64> {
    let mut x = normal(rows, 4, 40);
    (0..rows).step_by(17).for_each(|i| x[(i, 2)] = f64::NAN);
    // A column of few values, one of them both zeros.
    (0..rows).for_each(|i| x[(i, 3)] = [0.0, -0.0, 1.0, 7.5][i % 4]);
    x
}

#[test]
fn a_stream_has_the_bytes_of_memory() {
    for rows in [300, 12_345] {
        let x = numbers(rows);
        let labels = classes(&normal(rows, 4, 41), 3, 42);
        let y: Vec<f64> = (0..rows).map(|i| x[(i, 0)] * 2.0 - x[(i, 1)]).collect();
        let weight: Vec<f64> = (0..rows).map(|i| (i % 5) as f64 * 0.5).collect();
        let real = OwnedTarget::Real(y);
        for (target, weight) in [(&labels, None), (&labels, Some(&weight[..])), (&real, None), (&real, Some(&weight[..]))] {
            let data = DatasetRef::new(Features::F64(x.view())).with_target(target.view()).with_weight(weight);
            for params in [
                json!({"n_estimators": 3, "oob_score": true}),
                json!({"n_estimators": 3, "thresholds": "random", "max_bins": 31}),
            ] {
                let forest = forest(params);
                let memory = bytes(&forest.fit_with(&data, &Context::seeded(5)).unwrap());
                for run in [777, 5000] {
                    assert!(bytes(&streamed(&forest, &data, run).unwrap()) == memory, "{rows} rows in runs of {run}");
                }
            }
        }
    }
}

#[test]
fn categories_and_class_weights_have_the_bytes_of_memory() {
    let rows = 11_000;
    let mut s = RngStream::new(3, "levels", 0);
    for levels in [6, 400] {
        let data = classes_by_level(rows, levels, &mut s);
        for class_weight in [Value::Null, json!("balanced"), json!({"a": 2.5, "b": 0.0}), json!("balanced_subsample")] {
            let forest = forest(json!({"n_estimators": 2, "class_weight": class_weight, "splitter": "histogram"}));
            let memory = bytes(&forest.fit_with(&data.view(), &Context::seeded(5)).unwrap());
            let stream = bytes(&streamed(&forest, &data.view(), 1999).unwrap());
            assert!(stream == memory, "{levels} levels, class weights {class_weight}");
        }
    }
}

#[test]
fn runs_without_weight_are_passed_over() {
    let x = numbers(12_000);
    let y: Vec<f64> = (0..12_000).map(|i| x[(i, 0)]).collect();
    let weight: Vec<f64> = (0..12_000).map(|i| f64::from(u8::from(!(200..600).contains(&i)))).collect();
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y)).with_weight(Some(&weight));
    let forest = forest(json!({"n_estimators": 1}));
    let memory = bytes(&forest.fit_with(&data, &Context::seeded(5)).unwrap());
    assert!(bytes(&streamed(&forest, &data, 200).unwrap()) == memory);
    let none = vec![0.0; 12_000];
    let error = streamed(&forest, &data.with_weight(Some(&none)), 200).unwrap_err();
    assert!(error.to_string().contains("all weights are 0"), "{error}");
}

#[test]
fn what_needs_rows_in_memory_is_refused() {
    let x = numbers(12_000);
    let y: Vec<f64> = (0..12_000).map(|i| x[(i, 0)]).collect();
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    for (params, words) in [
        (json!({"splitter": "exact"}), "a stream is cut into bins"),
        (json!({"permutation_importances": true}), "needs the rows in memory"),
        (json!({"criterion": "absolute_error"}), "sorts all rows"),
        (json!({"class_weight": "balanced_subsample"}), "null for a regression"),
    ] {
        let error = streamed(&forest(params), &data, 5000).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let cx = Context { memory: Some(1000), ..Context::default() };
    let small = (RandomForest::STREAM.unwrap())(&forest(json!({})), &ChunkedSource::new(data, &[5000]), &cx);
    assert!(matches!(&small, Err(Error::Data(m)) if m.contains("its histogram takes")), "{small:?}");
}
