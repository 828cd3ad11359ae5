//! Tests against closed forms, finite differences, brute force and invariants.

mod behavior;
mod losses;

use ermine_core::{
    AnyLearner, Classifier, Context, DatasetRef, Features, Learner, Mat, Model, ModelWriter, OwnedTarget, Regressor, RngStream,
    Target,
};
use serde_json::{Value, json};

use super::loss::{BoostingLoss, BoostingTarget, quantile};
use super::step::{BoostingSample, early_stop};
use super::{GradientBoosting, GradientBoostingModel};

fn learner(params: Value) -> GradientBoosting {
    let mut learner = GradientBoosting::default();
    learner.set_all(params.as_object().unwrap()).unwrap();
    learner
}

fn fit<'a>(learner: &GradientBoosting, x: &'a Mat<f64>, y: Target<'a>) -> GradientBoostingModel {
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y);
    learner.fit_with(&data, &Context::default()).unwrap()
}

fn bytes(model: &GradientBoostingModel) -> ModelWriter {
    let mut out = ModelWriter::default();
    model.save(&mut out).unwrap();
    out
}

fn normal(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    let mut s = RngStream::new(seed, "normal", 0);
    Mat::from_fn(rows, cols, |_, _| s.normal())
}

fn numbers(x: &Mat<f64>, seed: u64) -> Vec<f64> {
    let mut s = RngStream::new(seed, "numbers", 0);
    (0..x.rows()).map(|i| (x[(i, 0)] * 1.5).sin() + x[(i, 1)].abs() + 0.3 * s.normal()).collect()
}

fn labels(x: &Mat<f64>, count: usize, seed: u64) -> OwnedTarget {
    let mut s = RngStream::new(seed, "labels", 0);
    let label = |i: usize| format!("{}", ((x[(i, 0)] + 0.5 * s.normal()).abs() * 2.0) as usize % count);
    OwnedTarget::from_labels(&(0..x.rows()).map(label).collect::<Vec<_>>())
}
