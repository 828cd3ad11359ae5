//! Preparation and learner as one learner, saved and loaded.

use ermine::prelude::*;

pub fn main() -> ermine::Result<()> {
    let x: Vec<[f64; 2]> = (0..200).map(|i| [f64::from(i % 20), f64::from(i / 20)]).collect();
    let y: Vec<bool> = x.iter().map(|row| row[0] * row[1] > 40.0).collect();
    let (train, test) = Dataset::try_from((&x, &y))?.split(0.25, 42)?;
    let pipeline = Pipeline::new().then(StandardScaler::default()).then(Polynomial::degree(2)).then(Logistic::default());
    let file = std::env::temp_dir().join(format!("pipeline-{}.ermine", std::process::id()));
    Fitted::fit(&pipeline, &train)?.save(&file)?;
    println!("{:.3}", metrics::accuracy(&test.labels()?, &Fitted::load(&file)?.classify(&test)?));
    std::fs::remove_file(&file).map_err(|e| ermine::Error::io(&file, e))
}
