//! Bayes classifiers against `fixtures/reference/discriminant_nb.json`, against definitions, and on hostile data.

mod discriminant;
mod naive;
mod singular;
mod text;

use ermine_core::*;
use ermine_fixtures::Value;
pub use ermine_fixtures::{near_case as close, numbers as floats};

pub fn case(id: &str) -> Value {
    ermine_fixtures::case("discriminant_nb", id)
}

pub fn table(name: &str) -> Table {
    ermine_data::read_table(ermine_fixtures::data_set(name)).unwrap()
}

/// Numbers and classes of a data set with the class in its last column.
pub fn data(name: &str) -> (Mat<f64>, OwnedTarget) {
    let table = table(name);
    let view = table.view();
    let last = view.cols() - 1;
    let x = Mat::from_fn(view.rows(), last, |i, j| view.numbers(j).unwrap()[i]);
    let labels: Vec<String> = match (view.numbers(last), view.categories(last)) {
        (Some(v), _) => v.iter().map(|v| v.to_string()).collect(),
        (None, Some((codes, names))) => codes.iter().map(|&c| names[c as usize].clone()).collect(),
        _ => panic!("no classes"),
    };
    (x, OwnedTarget::from_labels(&labels))
}

pub fn codes(y: &OwnedTarget) -> Vec<u32> {
    match y {
        OwnedTarget::Class { codes, .. } => codes.clone(),
        _ => panic!("no classes"),
    }
}

pub fn of<'a>(x: &'a Mat<f64>, y: &'a OwnedTarget) -> DatasetRef<'a> {
    DatasetRef::new(Features::F64(x.view())).with_target(y.view())
}

pub fn fit<L: Learner>(learner: &L, x: &Mat<f64>, y: &OwnedTarget) -> Result<L::Model> {
    learner.fit_with(&of(x, y), &Context::default())
}

pub fn random(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    let mut rng = RngStream::new(seed, "test", 0);
    Mat::from_fn(rows, cols, |_, _| rng.normal())
}

pub fn errors(model: &dyn Classifier, x: &Features<'_>, codes: &[u32]) -> usize {
    model.classify(x).unwrap().iter().zip(codes).filter(|(a, b)| a != b).count()
}

pub fn log_loss(model: &dyn Classifier, x: &Features<'_>, codes: &[u32]) -> f64 {
    let logs = model.log_proba(x).unwrap();
    -codes.iter().enumerate().map(|(i, &c)| logs[(i, c as usize)]).sum::<f64>() / codes.len() as f64
}

/// Largest difference of two matrices.
pub fn apart(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
