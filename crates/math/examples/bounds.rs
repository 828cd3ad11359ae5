//! How long a step of k-means takes with all distances and with bounds, for the rule that chooses between them:
//!
//! ```text
//! cargo run --release -p ermine-math --example bounds
//! ```
//!
//! Rows are round clouds, their centers `spread` standard deviations from 0 in every column; one thread, f32. "compared" is
//! the share of pairs of rows and groups of centers that bounds did not rule out.

use std::time::Instant;

use ermine_core::RngStream;
use ermine_math::distance::{Centers, StridedRows};

fn main() {
    println!(
        "{:>7} {:>7} {:>5} {:>6} {:>5}   {:>9} {:>9} {:>9}",
        "rows", "columns", "k", "spread", "step", "all", "bounds", "compared"
    );
    for (rows, cols, k, spread) in [
        (200_000, 20, 10, 0.5),
        (200_000, 20, 32, 0.5),
        (200_000, 20, 100, 0.5),
        (200_000, 20, 100, 2.0),
        (40_000, 128, 100, 0.5),
        (40_000, 128, 32, 0.5),
        (100_000, 20, 1000, 0.5),
        (200_000, 4, 100, 2.0),
    ] {
        let mut s = RngStream::new(0, "clouds", 0);
        let clouds: Vec<f64> = (0..k * cols).map(|_| spread * s.normal()).collect();
        let mut x = Vec::with_capacity(rows * cols);
        for _ in 0..rows {
            let c = s.below(k);
            x.extend((0..cols).map(|j| (clouds[c * cols + j] + s.normal()) as f32));
        }
        let view = StridedRows::new(&x, rows, cols, cols).expect("whole rows");
        let mut centers: Vec<f64> =
            (0..k).flat_map(|_| view.row(s.below(rows)).iter().map(|&v| f64::from(v)).collect::<Vec<_>>()).collect();
        let (mut labels, mut plain) = (vec![0u32; rows], vec![0u32; rows]);
        let mut lower = Vec::new();
        let mut before: Option<Centers<f32>> = None;
        for step in 0..40 {
            let ready = Centers::<f32>::new(&centers, k, cols);
            lower.resize(rows * ready.groups(), f32::NEG_INFINITY);
            let moves = before.as_ref().map_or_else(|| vec![0.0; ready.groups()], |b| ready.center_moves(b));
            let (mut all, mut bounded) = (ready.sums(), ready.sums());
            let start = Instant::now();
            ready.nearest_and_sum(view, None, &mut plain, &mut all);
            let full = start.elapsed();
            let start = Instant::now();
            let compared = ready.bounded_and_sum(view, None, &mut labels, &mut lower, &moves, &mut bounded);
            let quick = start.elapsed();
            assert_eq!(labels, plain, "both ways find the same");
            if [0, 1, 2, 4, 8, 12, 19, 29, 39].contains(&step) {
                let share = compared as f64 / (rows * ready.groups()) as f64;
                println!(
                    "{rows:>7} {cols:>7} {k:>5} {spread:>6} {step:>5}   {:>7.1}ms {:>7.1}ms {share:>9.3}",
                    1e3 * full.as_secs_f64(),
                    1e3 * quick.as_secs_f64()
                );
            }
            for c in (0..k).filter(|&c| all.weight()[c] > 0.0) {
                for (j, r) in all.residual(&ready, c).enumerate() {
                    centers[c * cols + j] += r / all.weight()[c];
                }
            }
            before = Some(ready);
        }
    }
}
