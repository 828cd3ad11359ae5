//! A model of one's own on the trait behind all mixtures: images of digits as mixtures of Bernoulli distributions.
//!
//! `cargo run --release -p ermine-mixture --example bernoulli_mixture` finds ten kinds of images in the 1797 digits of 8 by 8 pixels, without being
//! told which digit is which, and draws what it takes each kind for.

mod model;

use ermine_core::{Column, Context, DatasetRef, Error, Features, Mat, Result};
use ermine_mixture::em::{EmStop, fit};
use model::{BernoulliMixture, MixtureParams};

fn main() -> Result<()> {
    let table = ermine_data::read_table("example:digits")?;
    // A pixel of few shades reads as a category.
    let shades = |c: &Column| -> Vec<f64> {
        match c {
            Column::Number { values, .. } => values.clone(),
            Column::Category { codes, names } => {
                codes.iter().map(|&c| names.get(c as usize).and_then(|n| n.parse().ok()).unwrap_or(f64::NAN)).collect()
            }
            Column::Text(_) => Vec::new(),
        }
    };
    let pixels: Vec<Vec<f64>> = table.columns().take(64).map(shades).collect();
    if pixels.len() < 64 || pixels.iter().any(|p| p.len() != table.rows()) {
        return Err(Error::Data(format!("there are {} pixels, not 64", pixels.len())));
    }
    let x = Mat::from_fn(table.rows(), 64, |i, j| f64::from(u8::from(pixels[j][i] >= 8.0)));
    let data = DatasetRef::new(Features::F64(x.view()));
    let model = BernoulliMixture { smoothing: 1.0 };
    let rules = EmStop { tol: 1e-6, max_iter: 500 };
    let mut best = None;
    for seed in 0..5 {
        let result = fit(&model, MixtureParams::random(10, 64, seed), &data, &rules, &Context::default())?;
        println!("start {seed}: {} steps, log likelihood {:.1}", result.iterations, result.objective.log_likelihood);
        if best.as_ref().is_none_or(|b: &ermine_mixture::em::EmResult<_>| result.objective.value() > b.objective.value()) {
            best = Some(result);
        }
    }
    if let Some(best) = best {
        for k in 0..10 {
            println!("\ncomponent {k}, {:.0} % of the images", 100.0 * best.parameters.weights[k]);
            for line in best.parameters.ones.row(k).chunks(8) {
                println!("  {}", line.iter().map(|p| [' ', '.', ':', 'o', '#'][(p * 4.99) as usize]).collect::<String>());
            }
        }
    }
    Ok(())
}
