//! Least squares with an optional ridge penalty and sign constraint: what ols and ridge share.
//!
//! The first pass gathers weighted moments in doubles. When the scaled normal equations are well conditioned and the fit
//! is not near perfect, they are solved there and the data is never read again. Otherwise a second pass gathers the same
//! products in double-double, which holds every digit that data of doubles can determine; the numerical rank is then judged
//! by the rounding of the data, and a deficient problem gets the solution of least length. Columns so large or small
//! that their squares leave the range of doubles are brought back by powers of two, after a pass that looks for their size.
//!
//! Sparse rows go to double-double at once, since few products are not zero. Wide data in memory, fewer rows than columns, is
//! solved in the space of its rows ([`wide`]), and sparse data that is large both ways by steps ([`iterative`]).

mod exact;
mod iterative;
mod moments;
mod nonnegative;
mod pass;
mod scale;
mod wide;

pub use pass::{Stage, Totals};
pub(crate) use pass::{add, add_moments, empty, finish, start};
pub(crate) use scale::{exponent_of, ldexp, power};

use ermine_core::{Context, Dataset, Mat, Result};

/// What is asked for.
pub(crate) struct Problem<'a> {
    /// For messages.
    pub learner: &'static str,
    pub fit_intercept: bool,
    pub positive: bool,
    /// The penalty on the squared coefficients: one number, or one a target; empty for none.
    pub penalty: &'a [f64],
    /// Whether the singular values of X are asked for.
    pub spectrum: bool,
}

impl Problem<'_> {
    fn penalty_of(&self, target: usize) -> f64 {
        match self.penalty {
            [] => 0.0,
            [one] => *one,
            many => many[target],
        }
    }
}

/// Solves in memory what has a shape of its own; `None` for all other data, which goes through the passes.
pub(crate) fn in_memory(problem: &Problem<'_>, data: &Dataset<'_>, cx: &Context<'_>) -> Result<Option<Solution>> {
    if problem.positive {
        return Ok(None);
    }
    if iterative::suits(data) {
        return iterative::solve(problem, data, cx).map(Some);
    }
    if wide::suits(data) {
        return wide::solve(problem, data, cx).map(Some);
    }
    Ok(None)
}

/// The answer, for all targets. Sums of squares are in units of 4^-exponent, so that they exist whatever the units of y.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    /// A row a target.
    pub coef: Mat<f64>,
    pub intercept: Vec<f64>,
    /// Residual sum of squares, weighted.
    pub rss: Vec<f64>,
    /// Sum of squares about the mean, or about zero without intercept, weighted.
    pub tss: Vec<f64>,
    /// The penalty term, in the units of `rss`.
    pub penalty: Vec<f64>,
    /// y was multiplied by 2^exponent before its squares were summed.
    pub exponent: Vec<i32>,
    /// Standard errors for a residual standard deviation of one unit of y times 2^exponent: a row a target, intercept first. Only of
    /// a problem without penalty and constraint whose coefficients are determined; NaN for a constant column.
    pub unit_error: Option<Mat<f64>>,
    /// The trace of the matrix that turns y into fitted values, the intercept apart.
    pub effective_df: Vec<f64>,
    /// Singular values of the centred, weighted X, largest first.
    pub singular: Option<Vec<f64>>,
    /// Numerical rank of the centred X.
    pub rank: usize,
    /// Rows with a weight above 0.
    pub rows: u64,
    /// The sum of the logarithms of the weights above 0.
    pub log_weight: f64,
    /// Largest violation of the optimality conditions, relative to the scale of the problem.
    pub residual: f64,
    /// Condition number of the scaled normal equations, estimated.
    pub condition: Option<f64>,
    pub method: &'static str,
    pub steps: u64,
    pub converged: bool,
    pub notes: Vec<String>,
}

impl Solution {
    /// The objective over all targets, where it is a double.
    pub fn objective(&self) -> Option<f64> {
        let total: f64 = (0..self.rss.len()).map(|k| scale::ldexp(self.rss[k] + self.penalty[k], -2 * self.exponent[k])).sum();
        total.is_finite().then_some(total)
    }

    /// The evidence of the fit.
    pub fn certificate(&self) -> ermine_core::Certificate {
        ermine_core::Certificate {
            method: self.method.into(),
            objective: self.objective(),
            kkt_residual: Some(self.residual),
            condition: self.condition,
            rank: Some(self.rank),
            iterations: self.steps,
            converged: self.converged,
            notes: self.notes.clone(),
            ..Default::default()
        }
    }
}
