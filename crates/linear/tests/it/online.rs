//! Learners that take one step per row, against steps that were written out elsewhere.

use ermine_core::{Context, DatasetRef, Features, Learner, Mat, OwnedTarget};
use ermine_fixtures::{Value, bytes, numbers};
use ermine_linear::{LearningRate, Perceptron, Sgd, SgdLoss, SgdPenalty};

fn case(id: &str) -> Value {
    ermine_fixtures::case("online", id)
}

/// The stream of 45312 rows, when the file is there: `ERMINE_DATA` is the folder that holds `electricity.csv.gz`.
fn electricity(constant: bool) -> Option<(Mat<f64>, OwnedTarget)> {
    let folder = std::env::var("ERMINE_DATA").ok()?;
    let path = format!("{folder}/electricity.csv.gz");
    let text = std::path::Path::new(&path).exists().then(|| String::from_utf8(bytes(path)).unwrap())?;
    let parse = |l: &str| -> Vec<f64> { l.split(',').map(|v| v.parse().unwrap()).collect() };
    let rows: Vec<Vec<f64>> = text.lines().skip(1).map(parse).collect();
    let first = usize::from(constant);
    let x = Mat::from_fn(rows.len(), 6 + first, |i, j| if j < first { 1.0 } else { rows[i][j - first] });
    let codes = rows.iter().map(|r| u32::from(r[6] == 1.0)).collect();
    Some((x, OwnedTarget::Class { codes, names: vec!["0".into(), "1".into()] }))
}

fn assert_near(found: &[f64], want: &[f64], rel: f64) {
    for (a, b) in found.iter().zip(want) {
        assert!((a - b).abs() <= rel * b.abs(), "{a} for {b}");
    }
}

#[test]
fn the_perceptron_makes_the_mistakes_of_the_reference() {
    let Some((x, y)) = electricity(false) else { return };
    let case = case("perceptron_electricity");
    let perceptron = Perceptron { shuffle: false, tol: None, max_iter: 2, ..Perceptron::default() };
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    let model = perceptron.fit_with(&data, &Context::default()).unwrap();
    let want = numbers(&case["expected"]["mistakes_per_pass"]);
    for (&found, want) in model.mistakes()[0].iter().zip(want) {
        assert!((found as f64 - want).abs() <= 1e-3 * want, "{found} for {want}");
    }
    let rel = case["tolerance"]["rel"].as_f64().unwrap();
    assert_near(model.coef().row(0), &numbers(&case["expected"]["w"]), rel);
    assert_near(model.intercept(), &[case["expected"]["b"].as_f64().unwrap()], rel);
}

#[test]
fn passive_aggressive_steps_are_those_of_the_reference() {
    let Some((x, y)) = electricity(true) else { return };
    let case = case("pa1_electricity");
    let sgd = Sgd {
        loss: SgdLoss::Hinge,
        penalty: SgdPenalty::None,
        learning_rate: LearningRate::Pa1,
        eta0: case["params"]["C"].as_f64(),
        fit_intercept: false,
        shuffle: false,
        tol: None,
        max_iter: 1,
        ..Sgd::default()
    };
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    let model = sgd.fit_with(&data, &Context::default()).unwrap();
    let rel = case["tolerance"]["rel"].as_f64().unwrap();
    assert_near(model.coef().row(0), &numbers(&case["expected"]["w"]), rel);
    let trace = ermine_core::Model::trace(&model).unwrap();
    let total = trace.column("loss").unwrap()[0] * x.rows() as f64;
    assert_near(&[total], &[case["expected"]["cumulative_hinge"].as_f64().unwrap()], rel);
    let (found, want) = (trace.column("mistakes").unwrap()[0], case["expected"]["mistakes"].as_f64().unwrap());
    assert!((found - want).abs() <= 1e-3 * want, "{found} for {want}");
}
