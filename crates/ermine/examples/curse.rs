//! The curse of dimensionality: what "near" means as columns are added.
//!
//! ```text
//! cargo run --release --example curse [FOLDER]
//! ```
//!
//! A thousand points are spread evenly over a cube of d dimensions, and the nearest of them is searched for from the
//! middle of the cube and from further points. With a folder, the figures are written there as SVG.
//!
//! 1. Distances: the nearest point moves away until it is almost as far as the farthest, d(nearest) / d(farthest) → 1.
//! 2. Neighborhoods: the cube that holds 1 % of the points has sides of 0.01^(1/d), soon nearly the whole range of every column.
//! 3. Learning: nearest neighbors predict a target that depends on the first column alone. Each further column is noise, and
//!    the error grows to that of the mean; more rows help little. Least squares, a model of the right form, is not
//!    affected.
//!
//! After Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 2.5.

use ermine::chart::{Chart, Series};
use ermine::core::{AnyLearner, Context, DatasetRef, Features, Mat, RngStream, Target};
use ermine::learn::linear::Ols;
use ermine::learn::neighbors::Knn;
use ermine::math::neighbors::{IndexedPoints, Metric, NeighborIndex, SearchAlgorithm};

const DIMENSIONS: [usize; 12] = [1, 2, 3, 4, 6, 8, 12, 20, 35, 60, 100, 200];
const QUERIES: usize = 200;

fn cube(rows: usize, dimensions: usize, purpose: &str) -> Mat<f64> {
    let mut s = RngStream::new(0, purpose, dimensions as u64);
    Mat::from_fn(rows, dimensions, |_, _| s.uniform())
}

/// The mean of d(nearest) / d(farthest) over queries, and the mean distance of the nearest.
fn contrast(rows: usize, dimensions: usize) -> ermine::Result<(f64, f64)> {
    let (x, q) = (cube(rows, dimensions, "points"), cube(QUERIES, dimensions, "queries"));
    let points = IndexedPoints::from_features(&Features::F64(x.view()), None, "curse")?;
    let neighbors =
        NeighborIndex::new(points, Metric::Euclidean, SearchAlgorithm::Auto)?.nearest(&Features::F64(q.view()), rows)?;
    let (mut ratio, mut nearest) = (0.0, 0.0);
    for i in 0..QUERIES {
        let d = neighbors.distances.row(i);
        ratio += d[0] / d[rows - 1] / QUERIES as f64;
        nearest += d[0] / QUERIES as f64;
    }
    Ok((ratio, nearest))
}

/// 2 x₁ and noise of deviation 0.1: the best predictor has a mean squared error of 0.01 whatever the other columns are.
fn target(x: &Mat<f64>, purpose: &str) -> Vec<f64> {
    let mut s = RngStream::new(1, purpose, x.cols() as u64);
    (0..x.rows()).map(|i| 2.0 * x[(i, 0)] + 0.1 * s.normal()).collect()
}

fn test_error(learner: &dyn AnyLearner, rows: usize, dimensions: usize) -> ermine::Result<f64> {
    let (x, test) = (cube(rows, dimensions, "training"), cube(1000, dimensions, "test"));
    let (y, truth) = (target(&x, "training noise"), target(&test, "test noise"));
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    let model = learner.fit_any(&data, &Context::default())?;
    let regressor = model.as_regressor().ok_or_else(|| ermine::Error::Data("no regression".into()))?;
    let predictions = regressor.predict(&Features::F64(test.view()))?;
    Ok(predictions.as_slice().iter().zip(&truth).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / truth.len() as f64)
}

fn main() -> ermine::Result<()> {
    let rows = 1000;
    let knn = Knn { n_neighbors: 10, ..Knn::default() };
    println!(
        "{:>4} {:>16} {:>16} {:>10} {:>11} {:>11} {:>11}",
        "d", "nearest", "nearest/farthest", "side of 1%", "10-NN 1000", "10-NN 10000", "OLS 100"
    );
    let (mut ratios, mut sides) = (Vec::new(), Vec::new());
    let (mut few, mut many, mut straight) = (Vec::new(), Vec::new(), Vec::new());
    for d in DIMENSIONS {
        let (ratio, nearest) = contrast(rows, d)?;
        let side = 0.01f64.powf(1.0 / d as f64);
        let errors = (test_error(&knn, rows, d)?, test_error(&knn, 10 * rows, d)?);
        // Least squares with as few as a hundred rows, as long as there are more rows than columns.
        let line = if d < 60 { test_error(&Ols::default(), 100, d)? } else { f64::NAN };
        println!("{d:>4} {nearest:>16.4} {ratio:>16.4} {side:>10.3} {:>11.4} {:>11.4} {line:>11.4}", errors.0, errors.1);
        let at = d as f64;
        ratios.push((at, ratio));
        sides.push((at, side));
        few.push((at, errors.0));
        many.push((at, errors.1));
        straight.push((at, line));
    }
    let distances = Chart::new("What is near in many dimensions", "dimensions", "share")
        .log_x()
        .with(Series::line("nearest / farthest distance", ratios))
        .with(Series::line("side of a cube with 1% of the points", sides));
    let best = DIMENSIONS.iter().map(|&d| (d as f64, 0.01)).collect();
    let learning =
        Chart::new("Columns of noise: mean squared error of a prediction", "columns, of which one matters", "mean squared error")
            .log_x()
            .with(Series::line("10 neighbors of 1000 rows", few))
            .with(Series::line("10 neighbors of 10000 rows", many))
            .with(Series::line("least squares, 100 rows", straight))
            .with(Series::line("the best there is", best));
    println!("\n{}\n{}", distances.to_text(100, 16), learning.to_text(100, 16));
    if let Some(folder) = std::env::args().nth(1) {
        for (name, chart) in [("curse-distances.svg", &distances), ("curse-learning.svg", &learning)] {
            let path = std::path::Path::new(&folder).join(name);
            std::fs::write(&path, chart.to_svg()).map_err(|e| ermine::Error::io(&path, e))?;
        }
    }
    Ok(())
}
