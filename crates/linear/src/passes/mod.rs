//! Shared by linear models that reach their optimum in passes over rows: how rows are read, how curvature is gathered and
//! turned into steps, the search itself, and the sample of rows to start from.

mod curvature;
mod metric;
mod newton;
mod rows;
mod sample;

pub use curvature::{CurvatureKind, CurvatureSums};
pub use metric::HessianMetric;
pub use newton::{NewtonPlan, NewtonSearch, Objective, PassRequest, Termination, squares_underflow};
pub use rows::{contiguous, next_rows, sparse_dot};
pub use sample::{MOST_ROWS, RowSample, SamplePiece};

/// Adds a vector to another.
pub fn add(to: &mut [f64], what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(t, w)| *t += w);
}
