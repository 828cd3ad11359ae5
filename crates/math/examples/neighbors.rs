//! How long a search for the ten nearest neighbors takes by brute force and by the tree, for the rule that chooses between them:
//!
//! ```text
//! cargo run --release -p ermine-math --example neighbors
//! ```
//!
//! Times are for making the index and for 2000 queries; "clusters" are fifty round clouds, as in the benchmark.

use std::time::Instant;

use ermine_core::{Features, Mat, RngStream};
use ermine_math::neighbors::{IndexedPoints, Metric, NeighborIndex, SearchAlgorithm};

fn draw(kind: &str, rows: usize, cols: usize, seed: u64) -> Mat<f32> {
    let mut centers = RngStream::new(0, "centres", 0);
    let centers = Mat::from_fn(50, cols, |_, _| 0.7 * centers.normal());
    let mut s = RngStream::new(seed, "rows", 0);
    let mut out = Mat::filled(rows, cols, 0f32);
    for i in 0..rows {
        let c = s.below(50);
        for j in 0..cols {
            let v = if kind == "uniform" { s.uniform() } else { centers[(c, j)] + s.normal() };
            out[(i, j)] = v as f32;
        }
    }
    out
}

fn main() -> ermine_core::Result<()> {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let (rows, columns, queries) = match sizes[..] {
        [n, p, q] => (vec![n], vec![p], q),
        _ => (vec![500, 1000, 2000, 10_000, 100_000], vec![1, 2, 3, 4, 6, 8, 10, 12, 15, 20], 2000),
    };
    println!(
        "{:<9} {:>7} {:>7}   {:>9} {:>9}   {:>9} {:>9}",
        "rows are", "rows", "columns", "brute fit", "search", "tree fit", "search"
    );
    for kind in ["uniform", "clusters"] {
        for &n in &rows {
            for &p in &columns {
                let (x, q) = (draw(kind, n, p, 1), draw(kind, queries, p, 2));
                let mut times = Vec::new();
                let mut results = Vec::new();
                for method in [SearchAlgorithm::Brute, SearchAlgorithm::Tree] {
                    let start = Instant::now();
                    let points = IndexedPoints::from_features(&Features::F32(x.view()), None, "example")?;
                    let index = NeighborIndex::new(points, Metric::Euclidean, method)?;
                    let fit = start.elapsed();
                    let start = Instant::now();
                    results.push(index.nearest(&Features::F32(q.view()), 10)?);
                    times.extend([fit, start.elapsed()].map(|t| format!("{:.1}ms", 1e3 * t.as_secs_f64())));
                }
                assert_eq!(results[0], results[1], "both ways find the same");
                println!("{kind:<9} {n:>7} {p:>7}   {:>9} {:>9}   {:>9} {:>9}", times[0], times[1], times[2], times[3]);
            }
        }
    }
    Ok(())
}
