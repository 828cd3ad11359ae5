//! Polishing of a dual solution: the linear system of the variables between their bounds.
//!
//! SMO steps end when the errors are ordered up to a tolerance. With the active bounds known by then, the rest is a
//! linear system: the errors of all free variables equal one constant. An active-set method solves it, releases bounds
//! with a multiplier of the wrong sign and stops at bounds in its way; every step lowers the objective.

use ermine_core::{Context, Mat, Result};
use ermine_math::kernel::Points;
use ermine_math::linalg::Cholesky;

use super::solve::{DualVariable, SvmSolution, bias, coefficients, gradient_f64, kkt_gap_ends};

/// Most free variables for which the system is solved.
const MOST: usize = 400;
/// Most systems solved.
const ROUNDS: usize = 60;

/// Improves a converged solution; leaves it unchanged where that is not possible.
pub(super) fn polish(
    points: &Points<'_, f64>,
    variables: &[DualVariable],
    solution: &mut SvmSolution,
    cx: &Context<'_>,
) -> Result<()> {
    if !solution.converged || points.is_empty() {
        return Ok(());
    }
    let scale = variables.iter().map(|v| v.target.abs()).fold(f64::MIN_POSITIVE, f64::max);
    let good = 1e-11 * scale;
    let mut alpha = solution.alpha.clone();
    let mut f = solution.f.clone();
    let mut best: (f64, Option<Vec<f64>>) = (solution.violation, None);
    for _ in 0..ROUNDS {
        if cx.deadline_passed() {
            break;
        }
        let mut free: Vec<usize> = (0..alpha.len()).filter(|&k| alpha[k] > 0.0 && alpha[k] < variables[k].bound).collect();
        let b = bias(variables, &alpha, &f);
        let (top, bottom) = kkt_gap_ends(variables, &alpha, &f);
        if top - bottom <= good {
            break;
        }
        if let Some(worst) = wrong_multiplier(variables, &alpha, &f, &free, b, good) {
            free.push(worst);
            free.sort_unstable();
        }
        if free.len() < 2 || free.len() > MOST {
            break;
        }
        let Some(step) = direction(points, variables, &free, &f, b)? else { break };
        let before = alpha.clone();
        if !step_within_bounds(variables, &free, &step, &mut alpha) {
            // The released variable is blocked at once: the rest is optimal.
            break;
        }
        // Few variables moved: their rows suffice to update f.
        let moved: Vec<f64> = alpha.iter().zip(&before).map(|(new, old)| new - old).collect();
        let change = gradient_f64(points, &coefficients(variables, &moved, points.len()), cx)?;
        f.iter_mut().zip(change).for_each(|(f, c)| *f += c);
        let (top, bottom) = kkt_gap_ends(variables, &alpha, &f);
        let violation = (top - bottom).max(0.0);
        if violation < best.0 {
            best = (violation, Some(alpha.clone()));
        }
        solution.iterations += 1;
    }
    // The result is accepted if it holds with f recomputed without accumulated rounding.
    if let Some(alpha) = best.1 {
        let f = gradient_f64(points, &coefficients(variables, &alpha, points.len()), cx)?;
        let (top, bottom) = kkt_gap_ends(variables, &alpha, &f);
        let violation = (top - bottom).max(0.0);
        if violation < solution.violation {
            solution.bias = bias(variables, &alpha, &f);
            (solution.alpha, solution.f, solution.violation) = (alpha, f, violation);
        }
    }
    Ok(())
}

/// The variable at a bound whose multiplier has the wrong sign by most, if by more than the errors of the free variables.
fn wrong_multiplier(variables: &[DualVariable], alpha: &[f64], f: &[f64], free: &[usize], b: f64, good: f64) -> Option<usize> {
    if free.is_empty() {
        return None;
    }
    let error = |k: usize| variables[k].target - f[variables[k].base as usize] - b;
    let spread = free.iter().map(|&k| error(k).abs()).fold(0.0, f64::max);
    let violation = |k: usize| match (alpha[k] > 0.0, variables[k].sign > 0.0) {
        (false, true) | (true, false) => error(k),
        (true, true) | (false, false) => -error(k),
    };
    let at_bound = (0..alpha.len()).filter(|k| free.binary_search(k).is_err());
    let worst = at_bound.map(|k| (violation(k), k)).fold((0.0, usize::MAX), |a, b| if b.0 > a.0 { b } else { a });
    (worst.1 != usize::MAX && worst.0 > spread.max(good)).then_some(worst.1)
}

/// Moves the free variables along a step as far as their bounds allow; false where they allow nothing.
fn step_within_bounds(variables: &[DualVariable], free: &[usize], step: &[f64], alpha: &mut [f64]) -> bool {
    let mut length: f64 = 1.0;
    for (&k, &d) in free.iter().zip(step) {
        let room = if d > 0.0 {
            (variables[k].bound - alpha[k]) / d
        } else if d < 0.0 {
            -alpha[k] / d
        } else {
            f64::INFINITY
        };
        length = length.min(room);
    }
    if length <= 0.0 || length.is_nan() {
        return false;
    }
    for (&k, &d) in free.iter().zip(step) {
        let moved = alpha[k] + length * d;
        let room = if d > 0.0 { (variables[k].bound - alpha[k]) / d } else { -alpha[k] / d };
        alpha[k] = match (room <= length, d > 0.0) {
            _ if d == 0.0 => alpha[k],
            (true, true) => variables[k].bound,
            (true, false) => 0.0,
            _ => moved.clamp(0.0, variables[k].bound),
        };
    }
    true
}

/// The step of the free variables to the minimum on their plane: K d + c = errors, Σ d = 0, in terms of d = s Δα.
fn direction(
    points: &Points<'_, f64>,
    variables: &[DualVariable],
    free: &[usize],
    f: &[f64],
    b: f64,
) -> Result<Option<Vec<f64>>> {
    let n = free.len();
    let bases: Vec<u32> = free.iter().map(|&k| variables[k].base).collect();
    let own = points.take(&bases);
    let mut rows = vec![vec![0.0; n]; n];
    let mut out: Vec<&mut [f64]> = rows.iter_mut().map(Vec::as_mut_slice).collect();
    own.gram_rows(&(0..n as u32).collect::<Vec<_>>(), &mut out)?;
    let k = Mat::from_fn(n, n, |i, j| 0.5 * (rows[i][j] + rows[j][i]));
    let trace = (0..n).map(|i| k[(i, i)].abs()).sum::<f64>() / n as f64;
    // Equal or dependent rows make the system singular; a small diagonal term selects one of its solutions, and
    // iterative refinement below removes its effect where it matters.
    let Some(factor) = [1e-10, 1e-7].into_iter().find_map(|tiny| {
        let ridged = Mat::from_fn(n, n, |i, j| k[(i, j)] + if i == j { tiny * trace } else { 0.0 });
        Cholesky::new(ridged.view()).ok()
    }) else {
        return Ok(None);
    };
    let ones = vec![1.0; n];
    let solve = |b: &[f64]| {
        let mut x = b.to_vec();
        factor.solve_vec(&mut x);
        x
    };
    let u = solve(&ones);
    let sum_u: f64 = u.iter().sum();
    let errors: Vec<f64> = free.iter().map(|&v| variables[v].target - f[variables[v].base as usize] - b).collect();
    let mut d = vec![0.0; n];
    let mut c = 0.0;
    for _ in 0..6 {
        let residual: Vec<f64> =
            (0..n).map(|i| errors[i] - c - k.row(i).iter().zip(&d).map(|(k, d)| k * d).sum::<f64>()).collect();
        let v = solve(&residual);
        let shift = (v.iter().sum::<f64>() + d.iter().sum::<f64>()) / sum_u;
        d.iter_mut().zip(v.iter().zip(&u)).for_each(|(d, (v, u))| *d += v - shift * u);
        c += shift;
    }
    if !d.iter().all(|v| v.is_finite()) {
        return Ok(None);
    }
    Ok(Some(d.iter().zip(free).map(|(d, &v)| d * variables[v].sign).collect()))
}
