//! What linear models that reach their optimum in passes over rows share: how rows are read, how curvature is gathered and
//! turned into steps, and the sample of rows to start from.

mod curvature;
mod metric;
mod rows;
mod sample;

pub use curvature::{CurvatureKind, CurvatureSums};
pub use metric::HessianMetric;
pub use rows::{contiguous, next_rows, sparse_dot};
pub use sample::{MOST_ROWS, RowSample, SamplePiece};

/// Whether a new Hessian at the next point is worth its `cost` in passes: at the rate of the last step, would going on with the old one from
/// this distance take longer than two steps with new ones?
pub fn refresh_pays(rate: f64, distance: f64, enough: f64, cost: f64) -> bool {
    rate >= 0.5 || (enough / distance).ln() / rate.ln() > 2.0 * (1.0 + cost)
}

/// Adds a vector to another.
pub fn add(to: &mut [f64], what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(t, w)| *t += w);
}
