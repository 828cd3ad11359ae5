//! Feature maps: new columns computed from others, in front of any learner.

mod apply;
mod fourier;
mod function;
mod placement;
mod polynomial;
mod radial;
mod spline;
mod uncorrelate;

pub use apply::apply;
pub use fourier::{Fourier, FourierModel, PeriodChoice};
pub use function::{Function, FunctionModel};
pub use polynomial::{Degree, Polynomial, PolynomialModel};
pub use radial::{CenterChoice, ClusterCenters, Radial, RadialModel};
pub use spline::{Extrapolation, HandleMissing, KnotChoice, Spline, SplineModel};
pub use uncorrelate::{DroppedColumn, KeepRule, Uncorrelate, UncorrelateModel};

/// Placement of knots or centers along a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KnotPlacement {
    /// At equal distances from the least to the greatest cell.
    Uniform,
    /// At quantiles of the cells, the least and the greatest included.
    Quantile,
}
