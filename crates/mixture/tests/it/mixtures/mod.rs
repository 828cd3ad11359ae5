//! Mixtures against references, definitions and the theory.

mod choice;
mod classifier;
mod definition;
mod em;
mod experts;
mod hostile;
mod kmeans;
mod missing;
mod monotone;
mod reference;
mod uses;

use ermine_core::*;
use ermine_mixture::{Gmm, GmmModel};

/// The number columns of a fixture before its target.
fn fixture(name: &str) -> Mat<f64> {
    let path = format!("{}/../../fixtures/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let table = ermine_data::read_table(path).unwrap();
    let columns: Vec<Vec<f64>> = (table.schema().fields.iter().zip(table.columns()))
        .filter(|(f, _)| f.name != "target")
        .map(|(_, c)| match c {
            Column::Number { values, .. } => values.clone(),
            _ => panic!("no numbers"),
        })
        .collect();
    Mat::from_fn(table.rows(), columns.len(), |i, j| columns[j][i])
}

/// The classes of a fixture with a target.
fn target(name: &str) -> OwnedTarget {
    let path = format!("{}/../../fixtures/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let table = ermine_data::read_table(path).unwrap();
    let at = table.schema().position("target").unwrap();
    let labels: Vec<String> = match table.column_at(at) {
        Column::Category { codes, names } => codes.iter().map(|&c| names[c as usize].clone()).collect(),
        Column::Number { values, .. } => values.iter().map(|v| v.to_string()).collect(),
        Column::Text(_) => panic!("no classes"),
    };
    OwnedTarget::from_labels(&labels)
}

fn features(x: &Mat<f64>) -> Features<'_> {
    Features::F64(x.view())
}

fn fit(learner: &Gmm, x: &Mat<f64>) -> Result<GmmModel> {
    learner.fit_with(&DatasetRef::new(features(x)), &Context::default())
}

/// Rows of `k` groups with covariances of their own: a random factor each.
fn groups(rows: usize, cols: usize, k: usize, apart: f64, seed: u64) -> Mat<f64> {
    let mut s = RngStream::new(seed, "groups", 0);
    let centers = Mat::from_fn(k, cols, |_, _| apart * s.normal());
    let factors: Vec<Mat<f64>> = (0..k)
        .map(|_| {
            Mat::from_fn(cols, cols, |i, j| {
                if i == j {
                    0.3 + s.uniform()
                } else if j < i {
                    0.6 * s.normal()
                } else {
                    0.0
                }
            })
        })
        .collect();
    let mut x = Mat::zeros(rows, cols);
    for i in 0..rows {
        let c = if i < k { i } else { s.below(k) };
        let z: Vec<f64> = (0..cols).map(|_| s.normal()).collect();
        for j in 0..cols {
            x[(i, j)] = centers[(c, j)] + factors[c].row(j).iter().zip(&z).map(|(l, z)| l * z).sum::<f64>();
        }
    }
    x
}

/// The given rows as lists.
fn lists(x: &Mat<f64>, rows: &[usize]) -> Vec<Vec<f64>> {
    rows.iter().map(|&i| x.row(i).to_vec()).collect()
}

fn objective(model: &GmmModel) -> Vec<f64> {
    model.trace().unwrap().column("objective").unwrap()
}
