//! Rays along which the objective falls.

use ermine_core::{Mat, Result};

use super::interior_point::solve_or_stall;
use super::max_abs;
use super::program::{DescentRay, QpOutcome, QuadraticProgram};
use crate::linalg::{eigen_symmetric, product};

/// Eigenvalues of P below this share of the largest are 0.
const NULL: f64 = 1e-11;
/// Entries of a row along the null space below this share of the row are rounding: as constraints they would fix what is free.
const ROUNDING: f64 = 1e-11;
/// Slope per unit of the ray above which there is none.
const FLAT: f64 = 1e-8;
/// Residual of a ray whose slope is −1.
const RAY_TOL: f64 = 1e-7;

/// The steepest d with `P d = 0`, `G d ≤ 0`, `A d = 0`, if the objective falls along it: a linear program over the null space of P, in a box.
pub(super) fn descent_ray(program: &QuadraticProgram) -> Result<Option<DescentRay>> {
    let eigen = eigen_symmetric(program.p.to_dense().view())?;
    let largest = eigen.values.first().copied().unwrap_or(0.0);
    let null: Vec<usize> = (0..eigen.values.len()).filter(|&k| eigen.values[k] <= NULL * largest).collect();
    let basis = Mat::from_fn(null.len(), program.dim(), |k, j| eigen.vectors[(null[k], j)]);
    let slope: Vec<f64> = (0..null.len()).map(|k| super::dot(basis.row(k), &program.q)).collect();
    if max_abs(&slope) <= FLAT * max_abs(&program.q) {
        return Ok(None);
    }
    let k = null.len();
    let mut rows = along(&program.g, &basis);
    rows.append_rows(Mat::from_fn(2 * k, k, |i, j| if i % k == j { if i < k { 1.0 } else { -1.0 } } else { 0.0 }));
    let bounds: Vec<f64> = (0..rows.rows()).map(|i| f64::from(i >= program.h.len())).collect();
    let fixed = along(&program.a, &basis);
    let restrict: Vec<usize> = (0..fixed.rows()).filter(|&i| fixed.row(i).iter().any(|v| *v != 0.0)).collect();
    let fixed = fixed.view().take_rows(&restrict);
    let steepest = QuadraticProgram::new(Mat::zeros(k, k), slope)?
        .with_inequalities(rows, bounds)?
        .with_equalities(fixed, vec![0.0; restrict.len()])?;
    let Ok(QpOutcome::Optimal(o)) = solve_or_stall(&steepest) else { return Ok(None) };
    let direction = (0..program.dim()).map(|j| (0..k).map(|i| o.x[i] * basis[(i, j)]).sum()).collect();
    let falls = o.objective < -FLAT * max_abs(&program.q);
    Ok(program.ray(direction).filter(|r| falls && r.residual <= RAY_TOL * (1.0 + max_abs(&r.direction))))
}

/// The rows of a matrix in the coordinates of the basis, without what is rounding.
fn along(m: &super::ProgramMatrix, basis: &Mat<f64>) -> Mat<f64> {
    let mut rows = product(m.to_dense().view(), basis.view().t());
    for i in 0..rows.rows() {
        let least = ROUNDING * m.row_size(i);
        rows.row_mut(i).iter_mut().filter(|v| v.abs() <= least).for_each(|v| *v = 0.0);
    }
    rows
}
