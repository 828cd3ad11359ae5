//! Tests against the single tree, brute force, invariants and hostile data.

mod behavior;
mod hostile;
mod splits;
pub(super) mod stream;

use ermine_core::{
    AnyLearner, Classifier, Column, Context, DatasetRef, Features, Learner, Mat, Model, ModelWriter, OwnedTarget, Regressor,
    RngStream, Table, Target,
};
use serde_json::{Value, json};

use super::super::ensemble::TreeNode;
use super::super::{MaxFeatures, Tree};
use super::{ForestModel, RandomForest};

pub(super) fn forest(params: Value) -> RandomForest {
    let mut forest = RandomForest::default();
    forest.set_all(params.as_object().unwrap()).unwrap();
    forest
}

/// One tree on all rows and columns.
fn alone(mut params: Value) -> RandomForest {
    for (name, value) in [("n_estimators", json!(1)), ("bootstrap", json!(false)), ("max_features", Value::Null)] {
        params[name] = value;
    }
    forest(params)
}

fn fit<'a>(forest: &RandomForest, x: &'a Mat<f64>, y: Target<'a>, weight: Option<&'a [f64]>) -> ForestModel {
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y).with_weight(weight);
    forest.fit_with(&data, &Context::default()).unwrap()
}

pub(super) fn bytes(model: &ForestModel) -> ModelWriter {
    let mut out = ModelWriter::default();
    model.save(&mut out).unwrap();
    out
}

pub(super) fn normal(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    let mut s = RngStream::new(seed, "normal", 0);
    Mat::from_fn(rows, cols, |_, _| s.normal())
}

/// Values that repeat often, so that ties are frequent.
pub(super) fn coarse(rows: usize, cols: usize, values: usize, seed: u64) -> Mat<f64> {
    let mut s = RngStream::new(seed, "coarse", 0);
    Mat::from_fn(rows, cols, |_, _| s.below(values) as f64)
}

/// Classes that follow the first two columns, with noise.
pub(super) fn classes(x: &Mat<f64>, count: usize, seed: u64) -> OwnedTarget {
    let mut s = RngStream::new(seed, "labels", 0);
    let label = |i: usize| {
        let score = x[(i, 0)] + 0.5 * x[(i, 1)] + 0.7 * s.normal();
        format!("{}", (score.abs() * 3.0) as usize % count)
    };
    let labels: Vec<String> = (0..x.rows()).map(label).collect();
    OwnedTarget::from_labels(&labels)
}

pub(super) fn numbers(x: &Mat<f64>, seed: u64) -> Vec<f64> {
    let mut s = RngStream::new(seed, "numbers", 0);
    (0..x.rows()).map(|i| (x[(i, 0)] * 1.5).sin() + x[(i, 1)].abs() + 0.3 * s.normal()).collect()
}

pub(super) fn with_missing(mut x: Mat<f64>, share: f64, seed: u64) -> Mat<f64> {
    let mut s = RngStream::new(seed, "missing", 0);
    x.as_mut_slice().iter_mut().for_each(|v| {
        if s.uniform() < share {
            *v = f64::NAN;
        }
    });
    x
}

/// The leaf values of a row, by walking down the nodes.
fn walk(nodes: &[TreeNode], row: &[f64]) -> Vec<f64> {
    let mut at = 0;
    while nodes[at].right != 0 {
        let v = row[nodes[at].feature as usize];
        let left = if v.is_nan() { nodes[at].missing_left } else { v <= nodes[at].threshold };
        at = if left { at + 1 } else { nodes[at].right as usize };
    }
    nodes[at].values.clone()
}
