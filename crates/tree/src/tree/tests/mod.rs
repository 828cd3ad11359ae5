//! Tests against reference values, definitions and invariants.

mod behavior;
mod descent;
mod hostile;
mod invariance;
mod naive;
mod pruning;
mod reference;

use ermine_core::{AnyLearner, Column, Context, DatasetRef, Features, Learner, Mat, OwnedTarget, RngStream, Table};
use serde_json::Value;

use super::{Tree, TreeModel};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures");

fn fixture(name: &str) -> Table {
    ermine_data::read_table(format!("{FIXTURES}/data/{name}.csv.gz")).unwrap()
}

/// A column as numbers, whatever it was taken for.
fn numbers(column: &Column) -> Vec<f64> {
    match column {
        Column::Number { values, .. } => values.clone(),
        Column::Category { codes, names } => {
            codes.iter().map(|&c| names.get(c as usize).map_or(f64::NAN, |n| n.parse().unwrap())).collect()
        }
        Column::Text(_) => panic!("text"),
    }
}

fn matrix(columns: &[Vec<f64>]) -> Mat<f64> {
    Mat::from_fn(columns[0].len(), columns.len(), |i, j| columns[j][i])
}

/// Whole numbers as class labels.
fn labels(values: &[f64]) -> OwnedTarget {
    OwnedTarget::from_labels(&values.iter().map(|v| format!("{v}")).collect::<Vec<_>>())
}

fn tree(params: Value) -> Tree {
    let mut tree = Tree::default();
    tree.set_all(params.as_object().unwrap()).unwrap();
    tree
}

fn fit(tree: &Tree, x: &Mat<f64>, y: &OwnedTarget) -> TreeModel {
    fit_weighted(tree, x, y, None)
}

fn fit_weighted(tree: &Tree, x: &Mat<f64>, y: &OwnedTarget, weight: Option<&[f64]>) -> TreeModel {
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view()).with_weight(weight);
    tree.fit_with(&data, &Context::default()).unwrap()
}

/// What a model stores, to compare bits.
fn bytes(model: &TreeModel) -> ermine_core::ModelWriter {
    let mut out = ermine_core::ModelWriter::default();
    ermine_core::Model::save(model, &mut out).unwrap();
    out
}

fn leaf_impurity(model: &TreeModel) -> f64 {
    let n = model.nodes();
    let leaves = (0..model.node_count()).filter(|&i| n.left[i] == super::LEAF);
    leaves.map(|i| n.weighted_n_node_samples[i] / n.weighted_n_node_samples[0] * n.impurity[i]).sum()
}

/// Data with few distinct values, so that ties are frequent.
fn coarse(rows: usize, cols: usize, values: usize, seed: u64) -> Mat<f64> {
    let mut s = RngStream::new(seed, "coarse", 0);
    Mat::from_fn(rows, cols, |_, _| s.below(values) as f64)
}

fn normal(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    let mut s = RngStream::new(seed, "normal", 0);
    Mat::from_fn(rows, cols, |_, _| s.normal())
}
