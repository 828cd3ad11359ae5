//! The interior point: from the middle of the limits to the optimum, in some twenty weighted least-squares steps.
//!
//! Written for the dual: the dual variables u start at 0, which satisfies `Aᵀ u = 0`, and the residuals start as those of least squares, split
//! in two positive parts; both ends stay feasible, so the products of dual variables and residuals are the duality gap.

use ermine_core::{Context, Mat, Progress, Result, Trace};
use ermine_math::linalg::Cholesky;

use super::program::LinearProgram;

/// Gap relative to the objective that leaves no doubt which rows lie on the plane.
const ENOUGH: f64 = 1e-10;
/// Steps beyond which rounding has won.
const STEPS: u64 = 60;
/// Share of the step to the nearest limit.
const BACK_OFF: f64 = 0.999_95;

/// Where the steps ended.
pub struct InteriorPoint {
    pub b: Vec<f64>,
    /// The weight of each row in the last least-squares step: large for rows on the plane.
    pub weight: Vec<f64>,
    pub steps: u64,
}

/// Runs the interior-point steps; `course` gets objective and gap, one row per step.
pub fn solve(program: &LinearProgram, course: &mut Trace, cx: &Context<'_>) -> Result<InteriorPoint> {
    let (n, q) = (program.len(), program.width());
    let (lo, hi) = (&program.lo, &program.hi);
    let width: Vec<f64> = lo.iter().zip(hi).map(|(l, h)| h - l).collect();
    let (mut b, mut r) = least_squares(program, &width);
    let mut fitted = vec![0.0; n];
    let first = program.objective(&r);
    let mean_residual = r.iter().zip(&width).map(|(r, w)| r.abs() * w).sum::<f64>() / width.iter().sum::<f64>();
    if mean_residual == 0.0 || !mean_residual.is_finite() {
        return Ok(InteriorPoint { b, weight: width, steps: 0 });
    }
    let (mut a, mut s): (Vec<f64>, Vec<f64>) = (lo.iter().map(|l| -l).collect(), hi.clone());
    let mut z: Vec<f64> = r.iter().map(|r| (-r).max(0.0) + 0.1 * mean_residual).collect();
    let mut v: Vec<f64> = r.iter().map(|r| r.max(0.0) + 0.1 * mean_residual).collect();
    let (mut weight, mut right) = (vec![0.0; n], vec![0.0; n]);
    let (mut da, mut dz, mut dv) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut steps = 0;
    course.rows.clear();
    loop {
        let gap: f64 = (0..n).map(|i| a[i] * z[i] + s[i] * v[i]).sum();
        let objective = program.objective(&r);
        cx.check(Progress { stage: "interior point", done: steps, total: None, objective: Some(objective) })?;
        course.push(&[objective, gap]);
        if gap <= ENOUGH * objective || gap <= 1e-14 * first || steps >= STEPS || !gap.is_finite() {
            break;
        }
        for i in 0..n {
            weight[i] = 1.0 / (z[i] / a[i] + v[i] / s[i]);
            right[i] = weight[i] * r[i] + (lo[i] + a[i]);
        }
        let factor = factorize(program.gram(&weight));
        let mut db = program.products(&right);
        factor.solve(&mut db);
        program.apply(&db, &mut fitted);
        for i in 0..n {
            da[i] = weight[i] * (r[i] - fitted[i]);
            dz[i] = -z[i] - z[i] / a[i] * da[i];
            dv[i] = -v[i] + v[i] / s[i] * da[i];
        }
        let (dual_step, primal_step) = (longest_dual(&a, &s, &da), longest_primal(&z, &v, &dz, &dv));
        let after: f64 = (0..n)
            .map(|i| {
                (a[i] + dual_step * da[i]) * (z[i] + primal_step * dz[i])
                    + (s[i] - dual_step * da[i]) * (v[i] + primal_step * dv[i])
            })
            .sum();
        let target = (after / gap).powi(3) * gap / (2 * n) as f64;
        for i in 0..n {
            let (low, high) = (target - da[i] * dz[i], target + da[i] * dv[i]);
            right[i] = r[i] + low / a[i] - high / s[i];
        }
        let products: Vec<f64> = (0..n).map(|i| weight[i] * right[i] + (lo[i] + a[i])).collect();
        db = program.products(&products);
        factor.solve(&mut db);
        program.apply(&db, &mut fitted);
        for i in 0..n {
            let (low, high) = (target - da[i] * dz[i], target + da[i] * dv[i]);
            let change = weight[i] * (right[i] - fitted[i]);
            dz[i] = (low - z[i] * change) / a[i] - z[i];
            dv[i] = (high + v[i] * change) / s[i] - v[i];
            da[i] = change;
        }
        let dual_step = (BACK_OFF * longest_dual(&a, &s, &da)).min(1.0);
        let primal_step = (BACK_OFF * longest_primal(&z, &v, &dz, &dv)).min(1.0);
        if !(dual_step.is_finite() && primal_step.is_finite()) || (dual_step < 1e-8 && primal_step < 1e-8) {
            break;
        }
        for i in 0..n {
            a[i] += dual_step * da[i];
            s[i] -= dual_step * da[i];
            z[i] += primal_step * dz[i];
            v[i] += primal_step * dv[i];
            r[i] -= primal_step * fitted[i];
        }
        (0..q).for_each(|j| b[j] += primal_step * db[j]);
        steps += 1;
    }
    (0..n).for_each(|i| weight[i] = 1.0 / (z[i] / a[i] + v[i] / s[i]));
    Ok(InteriorPoint { b, weight, steps })
}

/// The weighted least-squares solution and its residuals.
fn least_squares(program: &LinearProgram, weight: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut b = program.products(&program.y.iter().zip(weight).map(|(y, w)| y * w).collect::<Vec<_>>());
    factorize(program.gram(weight)).solve(&mut b);
    let mut fitted = vec![0.0; program.len()];
    program.apply(&b, &mut fitted);
    let r = program.y.iter().zip(&fitted).map(|(y, f)| y - f).collect();
    (b, r)
}

/// The step length at which the first dual variable reaches its limit; above 1 when none does in a whole step.
fn longest_dual(a: &[f64], s: &[f64], da: &[f64]) -> f64 {
    let mut most = f64::INFINITY;
    for i in 0..a.len() {
        let room = if da[i] < 0.0 { -a[i] / da[i] } else { s[i] / da[i] };
        most = if room < most { room } else { most };
    }
    most.min(1.0 / BACK_OFF)
}

fn longest_primal(z: &[f64], v: &[f64], dz: &[f64], dv: &[f64]) -> f64 {
    let mut most = f64::INFINITY;
    for i in 0..z.len() {
        let one = if dz[i] < 0.0 { -z[i] / dz[i] } else { f64::INFINITY };
        let other = if dv[i] < 0.0 { -v[i] / dv[i] } else { f64::INFINITY };
        let room = one.min(other);
        most = if room < most { room } else { most };
    }
    most.min(1.0 / BACK_OFF)
}

/// A factorization in units in which the diagonal is 1, made regular where columns depend on each other.
struct RegularizedFactor {
    unit: Vec<f64>,
    cholesky: Option<Cholesky>,
}

impl RegularizedFactor {
    fn solve(&self, b: &mut [f64]) {
        b.iter_mut().zip(&self.unit).for_each(|(b, u)| *b *= u);
        if let Some(cholesky) = &self.cholesky {
            cholesky.solve_vec(b);
        }
        b.iter_mut().zip(&self.unit).for_each(|(b, u)| *b *= u);
    }
}

fn factorize(mut a: Mat<f64>) -> RegularizedFactor {
    let n = a.rows();
    let unit: Vec<f64> = (0..n).map(|j| a[(j, j)].sqrt().recip()).map(|u| if u.is_finite() { u } else { 0.0 }).collect();
    for i in 0..n {
        for j in 0..n {
            a[(i, j)] *= unit[i] * unit[j];
        }
    }
    let mut ridge = 4.0 * f64::EPSILON;
    loop {
        (0..n).for_each(|i| a[(i, i)] = 1.0 + ridge);
        match Cholesky::new(a.view()) {
            Ok(cholesky) => return RegularizedFactor { unit, cholesky: Some(cholesky) },
            Err(_) if ridge < 1.0 => ridge *= 100.0,
            Err(_) => return RegularizedFactor { unit, cholesky: None },
        }
    }
}
