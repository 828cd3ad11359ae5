//! Groups of rows.

use ermine::prelude::*;

pub fn main() -> ermine::Result<()> {
    let x: Vec<[f64; 2]> = (0..90).map(|i| [f64::from(i / 30) * 10.0 + f64::from(i % 5), f64::from(i % 7)]).collect();
    let model = KMeans { n_clusters: 3.into(), ..Default::default() }.fit(&Dataset::from_features(&x)?)?;
    println!("{:?}", model.assign(&[[2.0, 3.0], [12.0, 3.0], [22.0, 3.0]])?);
    Ok(())
}
