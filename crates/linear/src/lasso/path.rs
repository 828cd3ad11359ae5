//! The solutions for a falling sequence of penalties, each from the one before.

use ermine_core::{Context, Error, Mat, ModelReader, ModelWriter, Result};

#[cfg(feature = "fit")]
use super::problem::{LassoPenalty, LassoPoint, LassoProblem};
#[cfg(feature = "fit")]
use super::solver::{LassoSolution, LassoSolver, LassoSolverOptions};
use ermine_math::scale::ldexp;

/// The solutions along a path of one target.
#[derive(Debug, Clone, PartialEq)]
pub struct LassoPath {
    /// The penalties, falling.
    pub alphas: Vec<f64>,
    /// The constant term of each step.
    pub intercepts: Vec<f64>,
    /// The duality gap of each step, in the units of the objective.
    pub gaps: Vec<f64>,
    /// Rounds that each step took.
    pub iterations: Vec<u64>,
    cols: usize,
    /// Where the coefficients of each step start.
    starts: Vec<u64>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

/// A column that comes into the model, or leaves it, at a step of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathEvent {
    /// The step, from 0.
    pub step: usize,
    /// The column.
    pub column: usize,
    /// Whether it comes in.
    pub enters: bool,
    /// Its coefficient after the step.
    pub coef: f64,
}

impl LassoPath {
    fn new(cols: usize) -> Self {
        Self {
            alphas: Vec::new(),
            intercepts: Vec::new(),
            gaps: Vec::new(),
            iterations: Vec::new(),
            cols,
            starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Number of steps.
    pub fn len(&self) -> usize {
        self.alphas.len()
    }

    /// Whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.alphas.is_empty()
    }

    /// Columns and coefficients of a step, where they are not 0.
    pub fn active(&self, step: usize) -> (&[u32], &[f64]) {
        let range = self.starts[step] as usize..self.starts[step + 1] as usize;
        (&self.columns[range.clone()], &self.values[range])
    }

    /// All coefficients of a step.
    pub fn coef(&self, step: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.cols];
        let (columns, values) = self.active(step);
        columns.iter().zip(values).for_each(|(&j, &v)| out[j as usize] = v);
        out
    }

    /// All coefficients, one row per step.
    pub fn coefs(&self) -> Mat<f64> {
        let mut out = Mat::zeros(self.len(), self.cols);
        for step in 0..self.len() {
            out.row_mut(step).copy_from_slice(&self.coef(step));
        }
        out
    }

    /// The columns that come and go, in the order of the steps.
    pub fn changes(&self) -> Vec<PathEvent> {
        let mut out = Vec::new();
        let mut before: &[u32] = &[];
        for step in 0..self.len() {
            let (now, values) = self.active(step);
            for (&column, &coef) in now.iter().zip(values) {
                if before.binary_search(&column).is_err() {
                    out.push(PathEvent { step, column: column as usize, enters: true, coef });
                }
            }
            for &column in before {
                if now.binary_search(&column).is_err() {
                    out.push(PathEvent { step, column: column as usize, enters: false, coef: 0.0 });
                }
            }
            before = now;
        }
        out
    }

    fn push(&mut self, alpha: f64, intercept: f64, coef: impl Iterator<Item = f64>, gap: f64, iterations: u64) {
        self.alphas.push(alpha);
        self.intercepts.push(intercept);
        self.gaps.push(gap);
        self.iterations.push(iterations);
        for (j, b) in coef.enumerate().filter(|(_, b)| *b != 0.0) {
            self.columns.push(j as u32);
            self.values.push(b);
        }
        self.starts.push(self.values.len() as u64);
    }

    pub(super) fn save(&self, out: &mut ModelWriter) {
        out.vec("alphas", &self.alphas);
        out.vec("intercepts", &self.intercepts);
        out.vec("gaps", &self.gaps);
        out.vec("iterations", &self.iterations);
        out.vec("starts", &self.starts);
        out.vec("columns", &self.columns);
        out.vec("values", &self.values);
    }

    pub(super) fn load(input: &ModelReader, cols: usize) -> Result<Self> {
        let alphas: Vec<f64> = input.vec("alphas")?;
        let starts: Vec<u64> = input.vec_of("starts", alphas.len() + 1)?;
        let columns: Vec<u32> = input.vec("columns")?;
        let values = input.vec_of("values", columns.len())?;
        let path = Self {
            intercepts: input.vec_of("intercepts", alphas.len())?,
            gaps: input.vec_of("gaps", alphas.len())?,
            iterations: input.vec_of("iterations", alphas.len())?,
            alphas,
            cols,
            starts,
            columns,
            values,
        };
        let whole = path.starts[0] == 0
            && path.starts.windows(2).all(|w| w[0] <= w[1])
            && path.starts.last() == Some(&(path.columns.len() as u64))
            && (0..path.len()).all(|s| {
                let c = path.active(s).0;
                c.windows(2).all(|w| w[0] < w[1]) && c.iter().all(|&j| (j as usize) < cols)
            });
        let finite = path.alphas.iter().chain(&path.intercepts).chain(&path.values).all(|v| v.is_finite());
        if whole && finite { Ok(path) } else { Err(Error::Model("a path of coefficients that does not hold together".into())) }
    }
}

/// Penalties that fall in equal ratios from the largest that matters to `eps` times it.
pub(super) fn grid(largest: f64, count: usize, eps: f64) -> Vec<f64> {
    // A target without any correlation: any penalty gives 0.
    let largest = if largest > 0.0 { largest } else { f64::MIN_POSITIVE / eps };
    (0..count).map(|k| if count == 1 { largest } else { largest * eps.powf(k as f64 / (count - 1) as f64) }).collect()
}

/// Solves for falling penalties. Stops early when the time is over; `start` are coefficients to start from.
#[cfg(feature = "fit")]
pub(super) fn solve_path(
    problem: &LassoProblem<'_>,
    solver: &mut LassoSolver<'_>,
    target: usize,
    alphas: &[f64],
    (l1_ratio, positive): (f64, bool),
    start: Option<&[f64]>,
    cx: &Context<'_>,
) -> Result<(LassoPath, Vec<LassoSolution>, LassoPoint)> {
    let t = &problem.targets[target];
    let mut path = LassoPath::new(problem.design.cols());
    let mut point = LassoPoint::zero(problem, target);
    if let Some(start) = start {
        for ((b, s), v) in point.b.iter_mut().zip(start).zip(&problem.variance) {
            let s = ldexp(*s, -t.exponent);
            *b = if *v == 0.0 || (positive && s < 0.0) { 0.0 } else { s };
        }
        solver.refresh(target, &mut point);
    } else {
        solver.invalidate();
    }
    let mut outcomes: Vec<LassoSolution> = Vec::new();
    for &alpha in alphas {
        let penalty = problem.scaled(target, LassoPenalty::new(alpha, l1_ratio, positive));
        solver.accept_start = start.is_some() && outcomes.is_empty();
        let outcome = solver.solve(target, penalty, &mut point, cx)?;
        let mean: f64 = point.b.iter().zip(&problem.mean).map(|(b, m)| b * m).sum();
        let back = |v: f64| ldexp(v, t.exponent);
        let gap = ldexp(back(outcome.quality.gap), t.exponent);
        path.push(alpha, back(t.mean - mean), point.b.iter().map(|&b| back(b)), gap, outcome.iterations);
        let stopped = outcome.stopped;
        outcomes.push(outcome);
        if stopped {
            break;
        }
    }
    Ok((path, outcomes, point))
}

/// Options for a path.
#[cfg(feature = "fit")]
pub(super) fn path_options(options: LassoSolverOptions, alphas: &[f64]) -> LassoSolverOptions {
    LassoSolverOptions { path: alphas.len() > 4, ..options }
}
