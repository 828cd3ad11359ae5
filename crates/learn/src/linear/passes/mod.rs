//! What linear models that reach their optimum in passes over rows share: how rows are read, how curvature is gathered and
//! turned into steps, and the sample of rows to start from.

mod curvature;
mod metric;
mod rows;
mod sample;

pub use curvature::{Curvature, CurvatureSums};
pub use metric::Metric;
pub use rows::{contiguous, lie_ahead, sparse_dot};
pub use sample::{MOST_ROWS, Piece, Sample};

/// Adds a vector to another.
pub fn add(to: &mut [f64], what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(t, w)| *t += w);
}
