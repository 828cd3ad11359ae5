//! Least squares and ridge against certified and reference values, and the invariances they must have.
#![allow(clippy::excessive_precision)] // Certified values keep the digits they were published with.

mod forms;
mod hostile;
mod reference;
mod solutions;

use ermine_core::{
    Context, Csr, DatasetRef, Error, Features, Learner, Mat, MatRef, Model, ModelWriter, PassLearner, Regressor, RngStream,
    Schema, Target, run_passes, run_passes_blocked, run_passes_source,
};
use ermine_fixtures::{ChunkedSource, TextTable, Value, cases, near, numbers, text};
use ermine_linear::{Ols, OlsModel, Ridge, RidgeAlpha, RidgeModel};
use ermine_math::double_double::Dd;

/// Lines `first..=last` (from 1) of a file of numbers, as rows.
fn lines(path: &str, first: usize, last: usize) -> Vec<Vec<f64>> {
    let parse = |l: &str| l.split_whitespace().map(|v| v.parse().unwrap()).collect();
    text(path).lines().skip(first - 1).take(last - first + 1).map(parse).collect()
}

/// The diabetes table: ten columns and the target.
fn diabetes() -> (Mat<f64>, Vec<f64>) {
    TextTable::read("diabetes").split_target()
}

/// Columns standardized with the population standard deviation of `rows`.
fn standardized(x: &Mat<f64>, rows: &[usize]) -> Mat<f64> {
    let n = rows.len() as f64;
    let moments: Vec<(f64, f64)> = (0..x.cols())
        .map(|j| {
            let mean = rows.iter().map(|&i| x[(i, j)]).sum::<f64>() / n;
            let sd = (rows.iter().map(|&i| (x[(i, j)] - mean).powi(2)).sum::<f64>() / n).sqrt();
            (mean, sd)
        })
        .collect();
    Mat::from_fn(x.rows(), x.cols(), |i, j| (x[(i, j)] - moments[j].0) / moments[j].1)
}

fn data<'a>(x: &'a Mat<f64>, y: &'a [f64]) -> DatasetRef<'a> {
    DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(y))
}

fn ols(x: &Mat<f64>, y: &[f64]) -> OlsModel {
    Ols::default().fit_with(&data(x, y), &Context::default()).unwrap()
}

fn ridge(alpha: f64) -> Ridge {
    Ridge { alpha: RidgeAlpha::One(alpha), ..Ridge::default() }
}

fn random(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    let mut rng = RngStream::new(seed, "least squares test", 0);
    Mat::from_fn(rows, cols, |_, _| rng.normal())
}

fn saved(model: &impl Model) -> ermine_core::ModelReader {
    let mut out = ModelWriter::default();
    model.save(&mut out).unwrap();
    out.into_reader()
}
