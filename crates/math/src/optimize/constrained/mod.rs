//! Constrained optimization: quadratic programs and smooth programs, with multipliers, and the evidence that a point is optimal.
//!
//! A [`QuadraticProgram`] is `min ½ xᵀP x + qᵀx` subject to `G x ≤ h` and `A x = b`, P symmetric positive semidefinite. It is solved by a
//! primal–dual interior-point method ([`QpMethod::InteriorPoint`]: any number of constraints, P singular or zero) or by a dual active-set
//! method ([`QpMethod::ActiveSet`]: few active constraints). The answer is one of three, each with its proof ([`QpOutcome`]): an optimum with
//! multipliers, a [`FarkasCertificate`] that no point is feasible, or a [`DescentRay`] along which the objective falls for ever.
//!
//! Conditions are in the form of Karush, Kuhn and Tucker, with multipliers λ ≥ 0 of the inequalities and ν of the equalities:
//! stationarity `∇f + Gᵀλ + Aᵀν = 0`, primal feasibility, dual feasibility, complementary slackness `λᵢ (G x − h)ᵢ = 0`. A [`KktReport`] has
//! the residual of each and the place where it is largest.
//!
//! ```
//! use ermine_core::Mat;
//! use ermine_math::optimize::constrained::{QpMethod, QuadraticProgram};
//!
//! // ½ |x|² with x₁ + x₂ ≥ 2: the point (1, 1), and a multiplier of 1.
//! let program = QuadraticProgram::new(Mat::from_vec(2, 2, vec![1.0, 0.0, 0.0, 1.0]), vec![0.0, 0.0])?
//!     .with_inequalities(Mat::from_vec(1, 2, vec![-1.0, -1.0]), vec![-2.0])?;
//! let optimum = program.solve(QpMethod::ActiveSet)?.into_optimum().expect("feasible and bounded");
//! assert!((optimum.objective - 1.0).abs() < 1e-12 && (optimum.multipliers.inequality[0] - 1.0).abs() < 1e-12);
//! assert!(optimum.kkt.largest() < 1e-12);
//! # Ok::<(), ermine_core::Error>(())
//! ```

mod active_set;
mod equality_step;
mod instances;
mod interior_point;
mod kkt;
mod matrix;
mod newton_system;
mod polish;
mod program;
mod proximal;
mod recession;
mod slater;
mod smooth;
#[cfg(test)]
mod tests;

use super::dot;
pub use kkt::{KktPlace, KktReport, KktResidual};
pub use matrix::ProgramMatrix;
pub use program::{DescentRay, FarkasCertificate, Multipliers, QpMethod, QpOptimum, QpOutcome, QuadraticProgram};
pub use slater::{ConstraintQualification, SlaterPoint};
pub use smooth::{ConstrainedObjective, SmoothOptimum, solve_smooth};

fn add_scaled(to: &mut [f64], factor: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(t, w)| *t += factor * w);
}

/// The largest absolute value; 0 of nothing.
fn max_abs(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, v| v.abs().max(m))
}
