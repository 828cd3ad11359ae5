//! Optimization methods for study: one interface, and every run returns its trajectory.
//!
//! The textbook forms of the methods, with the parameters of their theory; [`rate`] has the predicted convergence
//! rates. [`EmpiricalRisk`] is the objective of learners on data. Learners use [`super::LbfgsDescent`] and solvers of
//! their own.
//!
//! ```
//! use ermine_math::optimize::study::{OptimizationMethod, Quadratic, StopRule, minimize, rate};
//!
//! // ½ (x² + 10 y²), from (10, 1): the worst start for steepest descent.
//! let f = Quadratic::diagonal(&[1.0, 10.0]);
//! let method = OptimizationMethod::OptimalStep { least: 1.0, most: 10.0 };
//! let run = minimize(&f, &[10.0, 1.0], &method, &StopRule::default());
//! assert!(run.converged && run.value < 1e-12);
//! assert!((run.observed_rate().unwrap() - rate::optimal_step(1.0, 10.0)).abs() < 1e-6);
//! ```

mod curved;
mod method;
mod objective;
pub mod rate;
mod run;
mod steps;

#[cfg(test)]
mod tests;

pub use method::{OptimizationMethod, StepSchedule};
pub use objective::{EmpiricalRisk, Quadratic, StudyObjective};
pub use run::{OptimizationRun, StopRule, TrajectoryPoint, minimize};
