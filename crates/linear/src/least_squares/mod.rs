//! Least squares with an optional ridge penalty and sign constraint: what ols and ridge share.
//!
//! The first pass gathers weighted moments in f64. When the scaled normal equations are well conditioned and the fit
//! is not near perfect, they are solved there and the data is never read again. Otherwise a second pass gathers the same
//! products in double-double, which holds every digit that f64 data can determine; the numerical rank is then judged
//! by the rounding of the data, and a deficient problem gets the solution of least length. Columns so large or small
//! that their squares leave the range of f64 are brought back by powers of two, after a pass that looks for their size.
//!
//! A penalty that is to be chosen is chosen after the first sums, by one more pass ([`loo`]).
//!
//! Sparse rows go to double-double at once, since few products are not zero. Wide data in memory, fewer rows than columns, is
//! solved in the space of its rows ([`row_space`]), and sparse data with many rows and many columns by conjugate gradients ([`iterative`]).

#[cfg(feature = "fit")]
mod exact;
#[cfg(feature = "fit")]
mod iterative;
mod loo;
#[cfg(feature = "fit")]
mod moments;
#[cfg(feature = "fit")]
mod nonnegative;
#[cfg(feature = "fit")]
mod pass;
#[cfg(feature = "fit")]
mod row_space;
mod solution_family;

pub(crate) use loo::AlphaGrid;
pub use loo::RidgePath;
#[cfg(feature = "fit")]
pub(crate) use loo::cross_validate;
#[cfg(feature = "fit")]
pub use pass::{LeastSquaresPartial, LeastSquaresState};
#[cfg(feature = "fit")]
pub(crate) use pass::{add, add_moments, empty, finish, start};
pub(crate) use solution_family::{SolutionFamily, complement};

use ermine_core::{Context, DatasetRef, Error, Features, FoldAssignment, Mat, Result};
use ermine_math::scale::ldexp;

/// Implements [`PassLearner`](ermine_core::PassLearner) for a learner that has a least-squares `problem` and makes a `model` of its
/// solution; `$check` refuses settings that need all rows in memory.
macro_rules! impl_passes {
    ($learner:ty, $model:ty, |$this:tt| $check:expr) => {
        impl ermine_core::PassLearner for $learner {
            type State = least_squares::LeastSquaresState;
            type Partial = least_squares::LeastSquaresPartial;

            fn block_rows(&self, cols: usize) -> usize {
                ermine_math::moments::block_rows(cols)
            }

            fn initial_state(&self, head: &DatasetRef<'_>, _: &Context<'_>) -> Result<Self::State> {
                let check = |$this: &Self| -> Result<()> { $check };
                check(self)?;
                least_squares::start(&self.problem(), head)
            }

            fn empty_partial(&self, state: &Self::State) -> Self::Partial {
                least_squares::empty(state)
            }

            fn add_block(&self, state: &Self::State, part: &mut Self::Partial, rows: &DatasetRef<'_>) -> Result<()> {
                least_squares::add(&self.problem(), state, part, rows)
            }

            fn finish(
                &self,
                state: Self::State,
                total: Self::Partial,
                _: &Context<'_>,
            ) -> Result<ermine_core::PassStep<Self::State, $model>> {
                Ok(match least_squares::finish(&self.problem(), state, total)? {
                    ermine_core::PassStep::NextPass(state, objective) => ermine_core::PassStep::NextPass(state, objective),
                    ermine_core::PassStep::Done(solution) => ermine_core::PassStep::Done(self.model(solution)),
                })
            }
        }
    };
}
pub(crate) use impl_passes;

/// The request.
#[derive(Clone, Copy)]
pub(crate) struct LeastSquaresProblem<'a> {
    /// For messages.
    pub learner: &'static str,
    pub fit_intercept: bool,
    pub positive: bool,
    /// The penalty on the squared coefficients: one number, or one per target; empty for none.
    pub penalty: &'a [f64],
    /// The grid from which the penalty is chosen, in place of `penalty`.
    pub grid: Option<AlphaGrid<'a>>,
    /// Whether the singular values of X are wanted.
    pub spectrum: bool,
    /// Whether the space of all minimizers is wanted, where there are many.
    pub family: bool,
}

impl LeastSquaresProblem<'_> {
    fn penalty_of(&self, target: usize) -> f64 {
        match self.penalty {
            [] => 0.0,
            [one] => *one,
            many => many[target],
        }
    }

    /// Refuses a list of penalties that has not one per target.
    fn check_penalties(&self, targets: usize) -> Result<()> {
        match self.penalty.len() {
            0 | 1 => Ok(()),
            count if count == targets => Ok(()),
            found => Err(Error::Length { what: "penalties (alpha), one per target".into(), expected: targets, found }),
        }
    }

    /// The largest penalty known beforehand.
    fn largest_penalty(&self) -> Option<f64> {
        let all = self.grid.and_then(|g| g.alphas).unwrap_or(self.penalty);
        all.iter().copied().reduce(f64::max).filter(|a| *a > 0.0)
    }
}

/// The error for a coefficient beyond the range of f64.
pub(crate) fn coefficient_overflow(column: usize) -> Error {
    Error::Numeric(format!(
        "the coefficient of column {column} is too large for a double; scale the column up or the target down"
    ))
}

/// Rows or columns, whichever are fewer, up to which a spectrum is waited for.
const SPECTRUM: usize = 8192;

/// Solves data of special shape in memory; `None` for all other data, which is solved in passes.
#[cfg(feature = "fit")]
pub(crate) fn in_memory(
    problem: &LeastSquaresProblem<'_>,
    data: &DatasetRef<'_>,
    cx: &Context<'_>,
) -> Result<Option<LeastSquaresSolution>> {
    if problem.positive {
        return Ok(None);
    }
    if problem.grid.is_some() {
        let small = data.rows().min(data.cols());
        if small > SPECTRUM {
            return Err(Error::Data(format!(
                "{} rows and {} columns: alpha is chosen from the spectrum of a table of {small} by {small}, and the limit is \
                 {SPECTRUM}; give alpha a number",
                data.rows(),
                data.cols()
            )));
        }
        return if data.rows() <= data.cols() { row_space::solve(problem, data, cx).map(Some) } else { Ok(None) };
    }
    if iterative::is_applicable(data) {
        return iterative::solve(problem, data, cx).map(Some);
    }
    if row_space::is_applicable(data) {
        return row_space::solve(problem, data, cx).map(Some);
    }
    Ok(None)
}

/// Whether fits without a fold go through the passes, so that they follow from totals. Which rows these are matters to no setting.
#[cfg(feature = "fit")]
pub(crate) fn adds_up(data: &DatasetRef<'_>, cut: &FoldAssignment<'_>) -> bool {
    let (cols, width) = (data.cols(), data.cols() + data.y.n_targets());
    let iterative = matches!(data.x, Features::Csr(_)) && cols > pass::EXACT_COLS;
    // Sparse rows are summed in double-double, twice the numbers.
    cut.min_training_rows() > cols && !iterative && cut.fits_memory(2 * width * width)
}

/// The optimality conditions of a least-squares fit, and how far they are violated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResidualCheck {
    /// The weighted mean of the residuals over their standard deviation; NaN without intercept, where it need not be 0.
    pub mean: f64,
    /// The largest correlation, by absolute value, of the residuals and a column.
    pub correlation: f64,
}

/// The solution, for all targets. Sums of squares are in units of 4^-exponent, so that they do not overflow in any units of y.
#[derive(Debug, Clone)]
pub(crate) struct LeastSquaresSolution {
    /// One row per target.
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
    /// Standard errors for a residual standard deviation of one unit of y times 2^exponent: one row per target, intercept first. Only of
    /// a problem without penalty and constraint whose coefficients are determined; NaN for a constant column.
    pub unit_error: Option<Mat<f64>>,
    /// The trace of the matrix that turns y into fitted values, the intercept apart.
    pub effective_df: Vec<f64>,
    /// Singular values of the centered, weighted X, largest first.
    pub singular: Option<Vec<f64>>,
    /// Numerical rank of the centered X.
    pub rank: usize,
    /// Rows with a weight above 0.
    pub rows: u64,
    /// The sum of the logarithms of the weights above 0.
    pub log_weight: f64,
    /// All minimizers, on request and where there are many.
    pub family: Option<SolutionFamily>,
    /// Violation of the optimality conditions, one per target.
    pub checks: Option<Vec<ResidualCheck>>,
    /// Largest violation of the optimality conditions, relative to the scale of the problem.
    pub residual: f64,
    /// Condition number of the scaled normal equations, estimated.
    pub condition: Option<f64>,
    pub method: &'static str,
    pub steps: u64,
    pub converged: bool,
    pub notes: Vec<String>,
    /// The errors by which the penalty was chosen.
    pub path: Option<RidgePath>,
}

impl LeastSquaresSolution {
    /// A solution of zeros for targets of which `tss` has the sums of squares, in units of 4^-exponent.
    fn zeros(method: &'static str, cols: usize, rows: u64, log_weight: f64, exponent: Vec<i32>, tss: Vec<f64>) -> Self {
        let targets = tss.len();
        Self {
            coef: Mat::zeros(targets, cols),
            intercept: vec![0.0; targets],
            rss: vec![0.0; targets],
            tss,
            penalty: vec![0.0; targets],
            exponent,
            unit_error: None,
            effective_df: vec![0.0; targets],
            singular: None,
            rank: 0,
            rows,
            log_weight,
            family: None,
            checks: None,
            residual: 0.0,
            condition: None,
            method,
            steps: 1,
            converged: true,
            notes: Vec::new(),
            path: None,
        }
    }

    /// Enters the coefficient of a column, which must be a finite number.
    fn set_coef(&mut self, target: usize, column: usize, value: f64) -> Result<()> {
        if !value.is_finite() {
            return Err(coefficient_overflow(column));
        }
        self.coef[(target, column)] = value;
        Ok(())
    }

    /// Enters the largest condition of a system that was solved.
    fn raise_condition(&mut self, condition: f64) {
        self.condition = Some(self.condition.unwrap_or(1.0).max(condition));
    }

    /// The objective over all targets, where it is a double.
    pub fn objective(&self) -> Option<f64> {
        let total: f64 = (0..self.rss.len()).map(|k| ldexp(self.rss[k] + self.penalty[k], -2 * self.exponent[k])).sum();
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
            notes: self.path.iter().flat_map(|p| &p.notes).chain(&self.notes).cloned().collect(),
            ..Default::default()
        }
    }
}
