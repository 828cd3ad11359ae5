//! The best parameters of a support vector machine.

use ermine::prelude::*;

pub fn main() -> ermine::Result<()> {
    let x: Vec<[f64; 2]> = (0..120).map(|i| [f64::from(i % 12) / 6.0 - 1.0, f64::from(i / 12) / 5.0 - 1.0]).collect();
    let y: Vec<&str> = x.iter().map(|row| if row[0] * row[0] + row[1] > 0.2 { "above" } else { "below" }).collect();
    let data = Dataset::try_from((&x, &y))?;
    let best = GridSearch::new(&Svm::default()).over("C", [0.1, 1.0, 10.0]).over("gamma", [0.1, 1.0]).run(&data)?;
    println!("{best}\n{:?}", best.model.classify(&[[0.0, 0.9], [0.0, -0.9]])?);
    Ok(())
}
