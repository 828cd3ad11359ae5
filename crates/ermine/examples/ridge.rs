//! A regression: fit, predict, measure.

use ermine::prelude::*;

pub fn main() -> ermine::Result<()> {
    let x: Vec<[f64; 2]> = (0..100).map(|i| [f64::from(i), f64::from(i * i % 17)]).collect();
    let y: Vec<f64> = x.iter().map(|row| 3.0 * row[0] - row[1] + 5.0).collect();
    let (train, test) = Dataset::try_from((&x, &y))?.split(0.25, 42)?;
    let model = Ridge { alpha: 0.1.into(), ..Default::default() }.fit(&train)?;
    println!("r2 {:.3}", metrics::r2(test.target()?, &model.predict(&test)?));
    Ok(())
}
