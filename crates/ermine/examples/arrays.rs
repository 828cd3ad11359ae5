//! Arrays of `ndarray` in and out; the crate has to be built with its feature of that name.

use ermine::prelude::*;
use ndarray::{Array1, Array2};

pub fn main() -> ermine::Result<()> {
    let x = Array2::from_shape_fn((60, 2), |(i, j)| ((i * (j + 3)) % 11) as f64);
    let y: Array1<f64> = x.column(0).to_owned() * 2.0 - x.column(1);
    let model = Ols::default().fit(&(&x, &y))?;
    let predicted = Array1::from(model.predict(&x)?);
    assert!((&predicted - &y).iter().all(|error| error.abs() < 1e-9));
    let scores: Array2<f64> = Pca::default().fit(&Dataset::from_features(&x)?)?.transform(&x)?.into();
    println!("{:?}", scores.dim());
    Ok(())
}
