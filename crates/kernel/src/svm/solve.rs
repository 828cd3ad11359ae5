//! The dual problem of all kernel machines here, solved by steps on pairs within working sets.
//!
//! min ½ ΣΣ sᵢαᵢ K sⱼαⱼ - Σ sᵢtᵢαᵢ  over 0 ≤ αᵢ ≤ cᵢ, Σ sᵢαᵢ = 0. In classification every point has one variable with t = s = ±1; in
//! regression it has two, with t = y ∓ ε. See [`ermine_math::kernel::pairs`] for the steps.
//!
//! A working set of a few hundred variables is optimised on its own Gram matrix, which stays in cache; then all errors are brought up to date by
//! one pass over the rows of the Gram matrix that belong to it (Wen et al.: ThunderSVM, JMLR 19, 2018). Rows are computed many at a
//! time and kept within a bound on memory. Variables that rest at a bound are left out of the passes until the rest is solved.
//!
//! Where the whole matrix is there and small, the first steps look at all variables: easy problems are solved before a set is chosen.
//!
//! Rows are singles. When the steps have ended, the errors are computed anew in doubles, for all points; if they are not in order, the steps go on
//! from there, and if singles are too coarse to bring them in order, with rows of doubles.

use ermine_core::{Context, Error, Features, Progress, Result};
use ermine_math::kernel::pairs::{PairStepsEnd, SmoKernels, WorkingSet};
use ermine_math::kernel::{Kernel, Points};
use rayon::prelude::*;

use super::cache::KernelCache;
use super::fit::MIN_HULL_DISTANCE;

/// Most variables of a working set.
const MAX_WORKING_SET: usize = 512;
/// Most variables that are looked at together where the whole matrix is there, and the steps that are taken so, a variable.
const MAX_FULL_SET: usize = 2048;
const WHOLE_STEPS: u64 = 20;
/// Points that one thread brings up to date at a time.
const CHUNK: usize = 1024;
/// Points with a coefficient from which on their own kernel matrix is worth computing once only.
const TILED: usize = 2048;
/// Passes between two looks for variables to leave out.
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

/// How to solve.
#[derive(Debug, Clone, Copy)]
pub(super) struct SmoOptions {
    /// The largest violation of the order of errors at the end.
    pub tol: f64,
    pub cache_bytes: usize,
    pub shrinking: bool,
    /// Most steps on pairs.
    pub max_iter: Option<u64>,
}

/// The rows of a problem: doubles where they lie, and what copies them as singles where that pays.
pub(super) struct SolverPoints<'a> {
    pub double: &'a Points<'a, f64>,
    pub single: Option<F32Points<'a>>,
}

/// Rows that steps copy as singles for as long as they take.
#[derive(Clone, Copy)]
pub(super) struct F32Points<'a> {
    pub kernel: &'a Kernel,
    pub x: &'a Features<'a>,
    pub which: &'a [usize],
}

/// A solved problem, or where the steps ended.
#[derive(Debug, Clone)]
pub(super) struct SvmSolution {
    /// α of each variable.
    pub alpha: Vec<f64>,
    /// f without its constant, at every point, in doubles.
    pub f: Vec<f64>,
    /// The constant.
    pub bias: f64,
    /// How far errors are out of order.
    pub violation: f64,
    pub iterations: u64,
    pub converged: bool,
    /// Steps ended along a pair of variables on which the objective has no bottom.
    pub unbounded: Option<(usize, usize)>,
    /// Whether the objective has half the square of the constant.
    pub constant_penalised: bool,
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

/// f at every point, in doubles.
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
    // Few enough rows that they fit beside the data, enough for a product to be worth its while.
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

/// The constant term: the mean error of the variables between their bounds, else the middle of what the others allow.
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
    let (mut iterations, mut singles, mut last) = (0, rows.single.is_some(), f64::INFINITY);
    let (mut unbounded, mut stopped, mut met) = (None, false, false);
    // Steps end a little below the tolerance, so that rounding in singles does not ask for another round.
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
        if converged || unbounded.is_some() || stopped || met || (violation >= last && !singles) {
            let bias = bias(variables, &alpha, &f);
            return Ok(SvmSolution { alpha, f, bias, violation, iterations, converged, unbounded, constant_penalised: false });
        }
        // Each round must at least halve what the last one left over; else singles are too coarse.
        if violation > 0.5 * last {
            singles = false;
            inner = 0.5 * plan.tol;
        }
        last = violation;
        let limit = plan.max_iter.map_or(u64::MAX, |m| m.saturating_sub(iterations));
        let outcome = match rows.single {
            Some(F32Points { kernel, x, which }) if singles => {
                SmoSolver::new(Points::<f32>::copied_rows(kernel, x, which)?, variables, &alpha, &f, plan)
                    .run(inner, limit, cx)?
            }
            _ => SmoSolver::new(rows.double.clone(), variables, &alpha, &f, plan).run(inner, limit, cx)?,
        };
        // What has moved since the last time, which is little once the end is near.
        let mut moved = coefficients(variables, &outcome.alpha, n);
        moved.iter_mut().zip(coefficients(variables, &alpha, n)).for_each(|(new, old)| *new -= old);
        gradient_f64(rows.double, &moved, cx)?.into_iter().zip(&mut f).for_each(|(change, f)| *f += change);
        alpha = outcome.alpha;
        iterations += outcome.iterations;
        (unbounded, stopped, met) = (outcome.unbounded, outcome.stopped, outcome.met);
    }
}

/// Steps on all variables at once, where the matrix is there and small enough; how many. What they leave over is for working sets.
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
    // Without bounds variables may grow for ever, which working sets look out for.
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

/// The curvature that counts as none.
fn flat_curvature(diagonal: &[f64]) -> f64 {
    let largest = diagonal.iter().copied().fold(0.0, f64::max);
    (1e-12 * largest).max(f64::MIN_POSITIVE)
}

struct SmoResult {
    alpha: Vec<f64>,
    iterations: u64,
    unbounded: Option<(usize, usize)>,
    stopped: bool,
    /// Whether the hulls of both classes were found to meet.
    met: bool,
}

/// The variables and points that still move.
struct SmoSolver<'a, T: SmoKernels> {
    all: &'a [DualVariable],
    /// α of all variables.
    alpha: Vec<f64>,
    /// The numbers of the active ones among all; their points are counted among the active points.
    active: Vec<u32>,
    variables: Vec<DualVariable>,
    points: Points<'a, T>,
    diagonal: Vec<f64>,
    f: Vec<f64>,
    cache: KernelCache<T>,
    flat: f64,
    plan: &'a SmoOptions,
}

impl<'a, T: SmoKernels> SmoSolver<'a, T> {
    fn new(points: Points<'a, T>, all: &'a [DualVariable], alpha: &[f64], f: &[f64], plan: &'a SmoOptions) -> Self {
        let diagonal = points.diagonal();
        Self {
            all,
            alpha: alpha.to_vec(),
            active: (0..all.len() as u32).collect(),
            variables: all.to_vec(),
            cache: KernelCache::new(points.len(), plan.cache_bytes),
            points,
            flat: flat_curvature(&diagonal),
            diagonal,
            f: f.to_vec(),
            plan,
        }
    }

    fn run(mut self, tol: f64, limit: u64, cx: &Context<'_>) -> Result<SmoResult> {
        let size = MAX_WORKING_SET.min(self.cache.capacity()).max(2);
        let mut working = WorkingSet::<T>::default();
        let mut kept: Vec<u32> = Vec::new();
        let (mut iterations, mut unbounded, mut stopped, mut met) = (0, None, false, false);
        for pass in 1.. {
            let (top, bottom) = self.kkt_gap_ends();
            let gap = top - bottom;
            cx.report(Progress { stage: "working sets", done: pass, total: None, objective: None })?;
            if gap <= tol || gap.is_nan() {
                break;
            }
            if self.is_unbounded() {
                met = true;
                break;
            }
            if cx.deadline_passed() || iterations >= limit {
                stopped = true;
                break;
            }
            if self.plan.shrinking && pass % SHRINK_EVERY == 0 {
                self.shrink(top, bottom, &mut kept);
            }
            let chosen = self.choose(size, &kept);
            self.fetch(&chosen)?;
            let columns = self.gather(&chosen, &mut working);
            let most = (limit - iterations).min(200 * size as u64);
            let (steps, ended) = working.run(chosen.len(), (0.5 * tol).max(0.1 * gap), most, self.flat, |i, out| {
                let row = self.cache.row(columns[i]);
                out.iter_mut().zip(&columns).for_each(|(o, &c)| *o = row[c as usize]);
            });
            iterations += steps;
            let moved = self.apply(&chosen, &working);
            if let PairStepsEnd::Unbounded(i, j) = ended {
                unbounded = Some((self.active[chosen[i] as usize] as usize, self.active[chosen[j] as usize] as usize));
                break;
            }
            if !moved {
                // The set is in order though the whole is not: what is left is below the last place of the steps.
                break;
            }
            // The later half stays, so that what has just begun to move can go on.
            kept = if size < 8 { Vec::new() } else { chosen[chosen.len() / 2..].to_vec() };
        }
        Ok(SmoResult { alpha: self.alpha, iterations, unbounded, stopped, met })
    }

    /// Whether variables without bounds grow for ever: the hulls of both classes meet. Then w, which is the difference of a point in
    /// each times the sum of the variables, stays small however they grow.
    fn is_unbounded(&self) -> bool {
        if !self.variables.iter().any(|v| v.bound == f64::INFINITY) {
            return false;
        }
        let (mut norm, mut total) = (0.0, 0.0);
        for (v, &id) in self.variables.iter().zip(&self.active) {
            let a = self.alpha[id as usize];
            norm += v.sign * a * self.f[v.base as usize];
            total += a;
        }
        let largest = self.diagonal.iter().copied().fold(0.0, f64::max);
        total > 0.0 && norm <= (0.25 * MIN_HULL_DISTANCE * MIN_HULL_DISTANCE) * largest * (0.5 * total).powi(2)
    }

    fn error(&self, v: &DualVariable) -> f64 {
        v.target - self.f[v.base as usize]
    }

    fn kkt_gap_ends(&self) -> (f64, f64) {
        let (mut top, mut bottom) = (f64::NEG_INFINITY, f64::INFINITY);
        for (v, &id) in self.variables.iter().zip(&self.active) {
            let (a, e) = (self.alpha[id as usize], self.error(v));
            if v.can_increase(a) && e > top {
                top = e;
            }
            if v.can_decrease(a) && e < bottom {
                bottom = e;
            }
        }
        (top, bottom)
    }

    /// The variables that are furthest out of order: those that were kept, then as many of the largest errors that may move up as of
    /// the least that may move down.
    fn choose(&self, size: usize, kept: &[u32]) -> Vec<u32> {
        let mut inside = vec![false; self.variables.len()];
        let mut chosen: Vec<u32> = kept.to_vec();
        kept.iter().for_each(|&k| inside[k as usize] = true);
        let [mut up, mut down]: [Vec<(f64, u32)>; 2] = Default::default();
        for (k, (v, &id)) in self.variables.iter().zip(&self.active).enumerate() {
            if inside[k] {
                continue;
            }
            let (a, e) = (self.alpha[id as usize], self.error(v));
            if v.can_increase(a) {
                up.push((-e, k as u32));
            }
            if v.can_decrease(a) {
                down.push((e, k as u32));
            }
        }
        for (side, room) in [(&mut up, (size - chosen.len()) / 2), (&mut down, size)] {
            let room = room.min(size - chosen.len());
            let by_error = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            // A variable may be on both sides; enough are looked at that the second side is full nevertheless.
            let look = (2 * size).min(side.len());
            if look == 0 {
                continue;
            }
            if look < side.len() {
                side.select_nth_unstable_by(look - 1, by_error);
            }
            side.truncate(look);
            side.sort_unstable_by(by_error);
            let before = chosen.len();
            for &(_, k) in side.iter() {
                if chosen.len() - before == room {
                    break;
                }
                if !inside[k as usize] {
                    inside[k as usize] = true;
                    chosen.push(k);
                }
            }
        }
        chosen
    }

    /// Sees to it that the rows of the chosen variables are in the cache.
    fn fetch(&mut self, chosen: &[u32]) -> Result<()> {
        let mut bases: Vec<u32> = chosen.iter().map(|&k| self.variables[k as usize].base).collect();
        bases.sort_unstable();
        bases.dedup();
        self.cache.ensure_rows(&bases, &self.points)
    }

    /// Fills the working set but for its matrix; returns the point of each variable.
    fn gather(&self, chosen: &[u32], working: &mut WorkingSet<T>) -> Vec<u32> {
        working.resize(chosen.len());
        for (i, &k) in chosen.iter().enumerate() {
            let v = self.variables[k as usize];
            let alpha = self.alpha[self.active[k as usize] as usize];
            working.set(i, self.diagonal[v.base as usize], self.error(&v), alpha, v.sign, v.bound);
        }
        chosen.iter().map(|&k| self.variables[k as usize].base).collect()
    }

    /// Takes over what the steps found; whether anything moved.
    fn apply(&mut self, chosen: &[u32], working: &WorkingSet<T>) -> bool {
        let mut deltas: Vec<(u32, f64)> = Vec::new();
        for (i, &k) in chosen.iter().enumerate() {
            let id = self.active[k as usize] as usize;
            let delta = working.alpha[i] - self.alpha[id];
            if delta != 0.0 {
                self.alpha[id] = working.alpha[i];
                deltas.push((self.variables[k as usize].base, self.variables[k as usize].sign * delta));
            }
        }
        // Both variables of a point share its row.
        deltas.sort_unstable_by_key(|d| d.0);
        deltas.dedup_by(|b, a| {
            let same = a.0 == b.0;
            if same {
                a.1 += b.1;
            }
            same
        });
        let rows: Vec<(f64, &[T])> = deltas.iter().map(|&(base, d)| (d, self.cache.row(base))).collect();
        add(&mut self.f, rows);
        !deltas.is_empty()
    }

    /// Leaves out variables that rest at a bound and are far from moving, once they are worth it.
    fn shrink(&mut self, top: f64, bottom: f64, kept: &mut [u32]) {
        let mut stays = vec![false; self.variables.len()];
        kept.iter().for_each(|&k| stays[k as usize] = true);
        let mut alive = vec![false; self.points.len()];
        for (k, (v, &id)) in self.variables.iter().zip(&self.active).enumerate() {
            let (a, e) = (self.alpha[id as usize], self.error(v));
            let rests = match (v.can_increase(a), v.can_decrease(a)) {
                (true, true) => false,
                (true, false) => e < bottom,
                (false, true) => e > top,
                (false, false) => true,
            };
            stays[k] |= !rests;
            alive[v.base as usize] |= stays[k];
        }
        let left = alive.iter().filter(|a| **a).count();
        if left as f64 > 0.8 * self.points.len() as f64 {
            return;
        }
        let places: Vec<u32> = (0..self.points.len() as u32).filter(|&i| alive[i as usize]).collect();
        let mut renumbered = vec![u32::MAX; self.points.len()];
        places.iter().enumerate().for_each(|(new, &old)| renumbered[old as usize] = new as u32);
        self.cache.retain(&places, &renumbered);
        self.points.retain(&places);
        self.f = places.iter().map(|&i| self.f[i as usize]).collect();
        self.diagonal = places.iter().map(|&i| self.diagonal[i as usize]).collect();
        let mut variable_number = vec![u32::MAX; self.variables.len()];
        let (mut active, mut variables) = (Vec::new(), Vec::new());
        for (k, v) in self.variables.iter().enumerate() {
            if alive[v.base as usize] {
                variable_number[k] = variables.len() as u32;
                variables.push(DualVariable { base: renumbered[v.base as usize], ..*v });
                active.push(self.active[k]);
            }
        }
        kept.iter_mut().for_each(|k| *k = variable_number[*k as usize]);
        (self.active, self.variables) = (active, variables);
        debug_assert!(self.all.len() >= self.active.len());
    }
}
