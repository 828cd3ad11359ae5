//! Data for the checks: small, seeded, and easy enough that every learner has one right result.

use ermine_core::{
    AnyLearner, Column, DatasetRef, Family, Features, Mat, OwnedDataset, OwnedFeatures, OwnedTarget, RngStream, Schema, Table,
    Task, ValueKind,
};
use serde_json::Value;

/// A learner configured for the data of the checks.
pub fn prepare_learner(learner: &dyn AnyLearner) -> Box<dyn AnyLearner> {
    let mut learner = learner.boxed();
    // As many clusters as the data have, and neighborhoods that connect each of them.
    for (name, value) in [("n_clusters", Value::from(3)), ("eps", Value::from(4.0))] {
        if learner.spec().params.iter().any(|p| p.name == name) {
            let _ = learner.set(name, value);
        }
    }
    let spec = learner.spec();
    if spec.tasks.contains(&Task::Density) && spec.tasks.contains(&Task::Clustering) && spec.param("n_components").is_ok() {
        let _ = learner.set("n_components", Value::from(3));
    }
    learner
}

/// A learner configured like [`prepare_learner`], without subsampling of rows and columns: samples depend on their
/// numbers, so that the same model is not expected when these change. Everything else must still not depend on them.
pub fn without_subsampling(learner: &dyn AnyLearner) -> Box<dyn AnyLearner> {
    let mut learner = prepare_learner(learner);
    for (name, value) in [("bootstrap", Value::Bool(false)), ("max_features", Value::Null)] {
        if learner.spec().params.iter().any(|p| p.name == name) {
            let _ = learner.set(name, value);
        }
    }
    learner
}

/// The tasks of a learner that the checks make data for: the supervised ones, or one without target.
pub fn tasks(learner: &dyn AnyLearner) -> Vec<Option<Task>> {
    let supervised: Vec<Option<Task>> = learner.spec().tasks.iter().filter(|t| t.is_supervised()).map(|t| Some(*t)).collect();
    if supervised.is_empty() { vec![None] } else { supervised }
}

/// A valid cell for the learner: where cells are counts or codes, a small integer.
fn cell(learner: &dyn AnyLearner, v: f64) -> f64 {
    match learner.value_kind() {
        ValueKind::Quantities | ValueKind::Bits => v,
        ValueKind::Counts | ValueKind::Codes => (v.abs() / 2.0).floor().min(9.0),
    }
}

/// Three well-separated clusters, columns on different scales: easy for every learner, with a target for any task.
pub fn data(learner: &dyn AnyLearner, task: Option<Task>, rows: usize, cols: usize, seed: u64) -> OwnedDataset {
    let mut s = RngStream::new(seed, "check data", 0);
    let mut x = Mat::zeros(rows, cols);
    let mut group = Vec::with_capacity(rows);
    let mut y = Vec::with_capacity(rows);
    for i in 0..rows {
        let g = if i < 3 { i } else { s.below(3) };
        let mut sum = 0.5;
        for j in 0..cols {
            let center = 6.0 * f64::from(u8::from((g + j) % 3 == 0)) - 2.0;
            let v = center + 0.8 * s.normal();
            x[(i, j)] = cell(learner, v * (1.0 + j as f64));
            sum += v * (1.0 - 0.4 * j as f64);
        }
        group.push(g as u32);
        y.push(sum + 0.3 * s.normal());
    }
    OwnedDataset {
        x: OwnedFeatures::F64(x),
        y: match task {
            Some(Task::Classification) => {
                // Some labels are wrong, so that no class is separable and every likelihood has a maximum.
                let noisy = group.iter().map(|&g| if s.uniform() < 0.1 { s.below(3) as u32 } else { g }).collect();
                OwnedTarget::Class { codes: noisy, names: ["a", "b", "c"].map(String::from).to_vec() }
            }
            Some(_) => OwnedTarget::Real(y),
            None => OwnedTarget::None,
        },
        weight: None,
        schema: Some(Schema::numbers((0..cols).map(|j| format!("column{j}")))),
    }
}

/// The matrix of data made here.
pub fn matrix(data: &OwnedDataset) -> &Mat<f64> {
    match &data.x {
        OwnedFeatures::F64(m) => m,
        _ => unreachable!("the checks make matrices"),
    }
}

/// The same rows with another matrix.
pub fn with_matrix(data: &OwnedDataset, x: Mat<f64>) -> OwnedDataset {
    OwnedDataset { x: OwnedFeatures::F64(x), ..data.clone() }
}

/// A table with a number column, a category column and missing cells in both, and a target for the task.
pub fn mixed_table(learner: &dyn AnyLearner, task: Option<Task>, rows: usize, seed: u64) -> (Table, OwnedTarget) {
    let base = data(learner, task, rows, 2, seed);
    let mut s = RngStream::new(seed, "check table", 0);
    let x = matrix(&base);
    let missing = |s: &mut RngStream| s.uniform() < 0.1;
    let numbers = (0..rows).map(|i| if missing(&mut s) { f64::NAN } else { x[(i, 0)] }).collect();
    let names = ["red", "green", "blue"];
    let cells: Vec<Option<&str>> = (0..rows)
        .map(|i| {
            (!missing(&mut s)).then(|| {
                names[if x[(i, 1)] > 2.0 {
                    0
                } else if x[(i, 1)] > -4.0 {
                    1
                } else {
                    2
                }]
            })
        })
        .collect();
    let table = Table::new([("size", Column::numbers(numbers)), ("colour", Column::categories(&cells))]);
    (table.expect("the columns are sound"), base.y)
}

/// Whether a learner reads category columns only, so that checks on matrices say little.
pub fn is_encoder(learner: &dyn AnyLearner) -> bool {
    learner.spec().family == Family::Preparation && learner.spec().accepts.categorical
}

/// A view of features with the rest of a data set.
pub fn view<'a>(data: &'a OwnedDataset, x: Features<'a>) -> DatasetRef<'a> {
    DatasetRef { x, ..data.view() }
}
