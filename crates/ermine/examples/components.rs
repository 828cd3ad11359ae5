//! Fewer columns that keep most of the variance.

use ermine::prelude::*;

pub fn main() -> ermine::Result<()> {
    let x: Vec<[f64; 3]> = (0..50).map(|i| [f64::from(i), f64::from(2 * i + i % 3), f64::from(i % 5)]).collect();
    let model = Pca { n_components: Some(1.into()), ..Default::default() }.fit(&Dataset::from_features(&x)?)?;
    println!("{} columns became {}", model.n_features(), model.transform(&x)?.cols());
    Ok(())
}
