//! Programs whose P is singular, by the active-set method: proximal steps.
//!
//! Whether there is an optimum is settled first. Each step minimizes the objective plus `ε/2 |x − x_k|²`, which is strictly convex. For quadratic programs the steps
//! end on the active set of an optimum after a few, and the equations of that set give it exactly.

use ermine_core::{Error, Mat, Result};

use super::active_set::{ActiveSetEnd, DualActiveSet, infeasible};
use super::polish::polish;
use super::program::{QpOutcome, QuadraticProgram};
use super::recession::descent_ray;
use super::{add_scaled, max_abs};
use crate::linalg::Cholesky;

/// Steps at most.
const MAX_STEPS: usize = 500;
/// ε as a share of the size of P.
const PULL: f64 = 1e-4;
/// Residuals at which the answer is taken.
const TOL: f64 = 1e-11;

pub(super) fn solve(program: &QuadraticProgram, p: &Mat<f64>) -> Result<QpOutcome> {
    let n = program.dim();
    let size = (0..n).fold(0.0, |m: f64, i| m.max(p[(i, i)]));
    let pull = PULL * if size > 0.0 { size } else { max_abs(&program.q).max(1.0) };
    let lifted = Mat::from_fn(n, n, |i, j| p[(i, j)] + if i == j { pull } else { 0.0 });
    let factor = Cholesky::new(lifted.view())?;
    let set = DualActiveSet::new(program, &factor);
    let mut x = vec![0.0; n];
    let mut best = f64::INFINITY;
    let mut total = 0;
    let ray = descent_ray(program)?;
    for _ in 0..MAX_STEPS {
        let mut q = program.q.clone();
        add_scaled(&mut q, -pull, &x);
        let (next, multipliers, steps) = match set.run(&q)? {
            ActiveSetEnd::Infeasible(m) => return infeasible(program, m),
            ActiveSetEnd::Optimal { x, multipliers, steps } => (x, multipliers, steps),
        };
        if let Some(ray) = ray {
            return Ok(QpOutcome::Unbounded(ray));
        }
        total += steps;
        let (at, of) = polish(program, next.clone(), multipliers);
        let optimum = program.optimum(at, of, total);
        best = best.min(optimum.kkt.largest_relative());
        if optimum.kkt.largest_relative() <= TOL {
            return Ok(QpOutcome::Optimal(optimum));
        }
        x = next;
    }
    Err(Error::Numeric(format!("{MAX_STEPS} proximal steps end at a relative residual of {best:.1e}; use the interior point")))
}
