//! The dual problem of all kernel machines here, solved by SMO within working sets.
//!
//! min ½ ΣΣ sᵢαᵢ K sⱼαⱼ - Σ sᵢtᵢαᵢ  over 0 ≤ αᵢ ≤ cᵢ, Σ sᵢαᵢ = 0. In classification every point has one variable with t = s = ±1; in
//! regression it has two, with t = y ∓ ε. See [`ermine_math::kernel::pairs`] for the steps.
//!
//! A working set of a few hundred variables is optimized on its own Gram matrix, which stays in cache; then all errors
//! are updated by one pass over the rows of the Gram matrix that belong to it (Wen et al.: ThunderSVM, JMLR 19, 2018).
//! Rows are computed many at a time and cached within a memory limit. Variables that stay at a bound are left out of
//! the passes until the rest is solved (shrinking).
//!
//! Where the whole matrix is available and small, the first steps use all variables: easy problems are solved before a
//! working set is chosen.
//!
//! Kernel rows are f32. At convergence the errors are recomputed in f64, for all points; if they violate the optimality
//! conditions, the iteration continues from there, with f64 rows if f32 is too coarse.

mod working_set;

use ermine_core::parallel::prelude::*;
use ermine_core::{Context, Error, Features, Progress, Result};
use ermine_math::kernel::pairs::{PairStepsEnd, SmoKernels, WorkingSet};
use ermine_math::kernel::{Kernel, Points};

use super::cache::KernelCache;
use super::classify::MIN_HULL_DISTANCE;

use working_set::SmoSolver;

/// Most variables of a working set.
const MAX_WORKING_SET: usize = 512;
/// Most variables optimized together where the whole matrix is available, and the most such steps per variable.
const MAX_FULL_SET: usize = 2048;
const WHOLE_STEPS: u64 = 20;
/// Points updated per task.
const CHUNK: usize = 1024;
/// Points with a coefficient from which on it pays to compute their kernel matrix once.
const TILED: usize = 2048;
/// Passes between shrinking steps.
const SHRINK_EVERY: u64 = 8;

/// One variable of the dual.
#[derive(Debug, Clone, Copy)]
pub(super) struct DualVariable {
    /// Its point.
    pub base: u32,
    /// s.
    pub sign: f64,
    /// t.
    pub target: f64,
    /// c; may be infinite.
    pub bound: f64,
}

impl DualVariable {
    fn can_increase(&self, alpha: f64) -> bool {
        if self.sign > 0.0 { alpha < self.bound } else { alpha > 0.0 }
    }

    fn can_decrease(&self, alpha: f64) -> bool {
        if self.sign > 0.0 { alpha > 0.0 } else { alpha < self.bound }
    }
}

/// Options of the solver.
#[derive(Debug, Clone, Copy)]
pub(super) struct SmoOptions {
    /// Tolerance of the optimality conditions.
    pub tol: f64,
    pub cache_bytes: usize,
    pub shrinking: bool,
    /// Most steps on pairs.
    pub max_iter: Option<u64>,
}

/// The points of a problem: borrowed in f64, and copied in f32 where that pays.
pub(super) struct SolverPoints<'a> {
    pub double: &'a Points<'a, f64>,
    pub single: Option<F32Points<'a>>,
}

/// Points copied in f32 while the steps need them.
#[derive(Clone, Copy)]
pub(super) struct F32Points<'a> {
    pub kernel: &'a Kernel,
    pub x: &'a Features<'a>,
    pub which: &'a [usize],
}

/// The solution, or the state where the iteration ended.
#[derive(Debug, Clone)]
pub(super) struct SvmSolution {
    /// α of each variable.
    pub alpha: Vec<f64>,
    /// f without its constant, at every point, in f64.
    pub f: Vec<f64>,
    /// The constant.
    pub bias: f64,
    /// Violation of the optimality conditions.
    pub violation: f64,
    pub iterations: u64,
    pub converged: bool,
    /// The pair of variables along which the objective is unbounded.
    pub unbounded: Option<(usize, usize)>,
    /// Whether the objective includes half the square of the constant.
    pub constant_penalized: bool,
}

impl SvmSolution {
    /// Σ sα of each point.
    pub fn coefficients(&self, variables: &[DualVariable]) -> Vec<f64> {
        coefficients(variables, &self.alpha, self.f.len())
    }
}

pub(super) fn coefficients(variables: &[DualVariable], alpha: &[f64], points: usize) -> Vec<f64> {
    let mut out = vec![0.0; points];
    variables.iter().zip(alpha).for_each(|(v, a)| out[v.base as usize] += v.sign * a);
    out
}

/// f at every point, in f64.
pub(crate) fn gradient_f64(points: &Points<'_, f64>, coefficients: &[f64], cx: &Context<'_>) -> Result<Vec<f64>> {
    let n = points.len();
    let mut f = vec![0.0; n];
    let between = || cx.report(Progress { stage: "certificate", done: 0, total: None, objective: None });
    between()?;
    if points.add_precomputed(coefficients, &mut f) {
        return Ok(f);
    }
    let support: Vec<u32> = (0..coefficients.len() as u32).filter(|&i| coefficients[i as usize] != 0.0).collect();
    if points.is_symmetric() && support.len() >= TILED {
        return points.multiply(coefficients, between);
    }
    // Few enough rows that they fit beside the data, enough for an efficient product.
    let group = ((1 << 21) / n.max(1)).clamp(16, 256);
    let mut rows = vec![vec![0.0; n]; group.min(support.len())];
    for part in support.chunks(group) {
        between()?;
        let mut out: Vec<&mut [f64]> = rows.iter_mut().take(part.len()).map(Vec::as_mut_slice).collect();
        points.gram_rows(part, &mut out)?;
        add(&mut f, part.iter().zip(&rows).map(|(&i, row)| (coefficients[i as usize], row.as_slice())).collect());
    }
    Ok(f)
}

/// Adds multiples of rows to sums, chunk by chunk in parallel.
fn add<T: SmoKernels>(sums: &mut [f64], rows: Vec<(f64, &[T])>) {
    sums.par_chunks_mut(CHUNK).enumerate().for_each(|(c, sums)| {
        let range = c * CHUNK..c * CHUNK + sums.len();
        let parts: Vec<(f64, &[T])> = rows.iter().map(|(a, row)| (*a, &row[range.clone()])).collect();
        T::add_rows(sums, &parts);
    });
}

/// The largest error that may move up, and the least that may move down.
pub(super) fn kkt_gap_ends(variables: &[DualVariable], alpha: &[f64], f: &[f64]) -> (f64, f64) {
    let (mut top, mut bottom) = (f64::NEG_INFINITY, f64::INFINITY);
    for (v, &a) in variables.iter().zip(alpha) {
        let e = v.target - f[v.base as usize];
        if v.can_increase(a) && e > top {
            top = e;
        }
        if v.can_decrease(a) && e < bottom {
            bottom = e;
        }
    }
    (top, bottom)
}

/// The constant term: the mean error of the free variables, else the middle of the interval that the others allow.
pub(super) fn bias(variables: &[DualVariable], alpha: &[f64], f: &[f64]) -> f64 {
    let (mut sum, mut free) = (0.0, 0u64);
    for (v, &a) in variables.iter().zip(alpha) {
        if a > 0.0 && a < v.bound {
            sum += v.target - f[v.base as usize];
            free += 1;
        }
    }
    if free > 0 {
        return sum / free as f64;
    }
    match kkt_gap_ends(variables, alpha, f) {
        (top, bottom) if top.is_finite() && bottom.is_finite() => 0.5 * (top + bottom),
        (top, _) if top.is_finite() => top,
        (_, bottom) if bottom.is_finite() => bottom,
        _ => 0.0,
    }
}

/// Solves the dual from `start` (zeros when there is none).
pub(super) fn solve(
    rows: &SolverPoints<'_>,
    variables: &[DualVariable],
    start: Option<Vec<f64>>,
    plan: &SmoOptions,
    cx: &Context<'_>,
) -> Result<SvmSolution> {
    let n = rows.double.len();
    let mut alpha = start.unwrap_or_else(|| vec![0.0; variables.len()]);
    let mut f = gradient_f64(rows.double, &coefficients(variables, &alpha, n), cx)?;
    let (mut iterations, mut use_f32, mut last) = (0, rows.single.is_some(), f64::INFINITY);
    let (mut unbounded, mut stopped, mut met) = (None, false, false);
    // The inner tolerance is slightly smaller, so that rounding in f32 does not cause another round.
    let mut inner = 0.9 * plan.tol;
    if let (top, bottom) = kkt_gap_ends(variables, &alpha, &f)
        && top - bottom > plan.tol
        && let Some(steps) = solve_full(rows.double, variables, &mut alpha, &f, inner, plan)
    {
        iterations = steps;
        f = gradient_f64(rows.double, &coefficients(variables, &alpha, n), cx)?;
    }
    loop {
        let (top, bottom) = kkt_gap_ends(variables, &alpha, &f);
        let violation = (top - bottom).max(0.0);
        if !f.iter().all(|v| v.is_finite()) {
            return Err(Error::Numeric(
                "the kernel has values that are not finite numbers; scale the columns or change the kernel".into(),
            ));
        }
        let converged = violation <= plan.tol;
        if converged || unbounded.is_some() || stopped || met || (violation >= last && !use_f32) {
            let bias = bias(variables, &alpha, &f);
            return Ok(SvmSolution { alpha, f, bias, violation, iterations, converged, unbounded, constant_penalized: false });
        }
        // Each round must at least halve the violation; else f32 is too coarse.
        if violation > 0.5 * last {
            use_f32 = false;
            inner = 0.5 * plan.tol;
        }
        last = violation;
        let limit = plan.max_iter.map_or(u64::MAX, |m| m.saturating_sub(iterations));
        let outcome = match rows.single {
            Some(F32Points { kernel, x, which }) if use_f32 => {
                SmoSolver::new(Points::<f32>::copied_rows(kernel, x, which)?, variables, &alpha, &f, plan)
                    .run(inner, limit, cx)?
            }
            _ => SmoSolver::new(rows.double.clone(), variables, &alpha, &f, plan).run(inner, limit, cx)?,
        };
        // The changes since the last update, which are few near the end.
        let mut moved = coefficients(variables, &outcome.alpha, n);
        moved.iter_mut().zip(coefficients(variables, &alpha, n)).for_each(|(new, old)| *new -= old);
        gradient_f64(rows.double, &moved, cx)?.into_iter().zip(&mut f).for_each(|(change, f)| *f += change);
        alpha = outcome.alpha;
        iterations += outcome.iterations;
        (unbounded, stopped, met) = (outcome.unbounded, outcome.stopped, outcome.met);
    }
}

/// SMO steps on all variables at once, where the matrix is available and small enough; returns their number. Working
/// sets continue from there.
fn solve_full(
    points: &Points<'_, f64>,
    variables: &[DualVariable],
    alpha: &mut [f64],
    f: &[f64],
    tol: f64,
    plan: &SmoOptions,
) -> Option<u64> {
    let n = variables.len();
    let mut row = vec![0.0; points.len()];
    let small = n <= MAX_FULL_SET && n * n * size_of::<f64>() <= plan.cache_bytes / 4;
    // Without bounds variables may diverge, which working sets detect.
    if points.is_empty() || !small || variables.iter().any(|v| v.bound == f64::INFINITY) || !points.precomputed_row(0, &mut row) {
        return None;
    }
    let mut working = WorkingSet::<f64>::default();
    working.resize(n);
    let diagonal = points.diagonal();
    for (k, v) in variables.iter().enumerate() {
        working.set(k, diagonal[v.base as usize], v.target - f[v.base as usize], alpha[k], v.sign, v.bound);
    }
    let limit = plan.max_iter.unwrap_or(u64::MAX).min(WHOLE_STEPS * n as u64);
    let (steps, _) = working.run(n, tol, limit, flat_curvature(&diagonal), |k, out| {
        points.precomputed_row(variables[k].base as usize, &mut row);
        out.iter_mut().zip(variables).for_each(|(o, v)| *o = row[v.base as usize]);
    });
    alpha.copy_from_slice(&working.alpha[..n]);
    Some(steps)
}

/// Curvatures up to this count as zero.
fn flat_curvature(diagonal: &[f64]) -> f64 {
    let largest = diagonal.iter().copied().fold(0.0, f64::max);
    (1e-12 * largest).max(f64::MIN_POSITIVE)
}
