//! Shared by linear models that reach their optimum in passes over rows: how rows are read, how curvature is gathered and
//! turned into steps, the search itself, and the sample of rows to start from.

#[cfg(feature = "fit")]
mod curvature;
#[cfg(feature = "fit")]
mod metric;
#[cfg(feature = "fit")]
mod newton;
mod rows;
#[cfg(feature = "fit")]
mod sample;

#[cfg(feature = "fit")]
pub use curvature::{CurvatureKind, CurvatureSums};
#[cfg(feature = "fit")]
pub use metric::HessianMetric;
#[cfg(feature = "fit")]
pub use newton::{NewtonPlan, NewtonSearch, Objective, PassRequest, Termination, squares_underflow};
pub use rows::{contiguous, next_rows, sparse_dot};
#[cfg(feature = "fit")]
pub use sample::{MOST_ROWS, RowSample, SamplePiece};

/// Adds a vector to another.
pub fn add(to: &mut [f64], what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(t, w)| *t += w);
}
