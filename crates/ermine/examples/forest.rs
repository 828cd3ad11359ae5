//! A classification, cross-validated.

use ermine::prelude::*;

pub fn main() -> ermine::Result<()> {
    let x: Vec<[f64; 2]> = (0..300).map(|i| [f64::from(i % 20), f64::from(i / 20)]).collect();
    let y: Vec<bool> = x.iter().map(|row| (row[0] - 10.0).abs() + (row[1] - 7.0).abs() < 7.0).collect();
    let data = Dataset::try_from((&x, &y))?;
    println!("{}", cross_validate(&RandomForest { n_estimators: 50, ..Default::default() }, &data, 5)?);
    Ok(())
}
