//! Programs with equalities alone: one linear system.

use ermine_core::{Mat, Result};

use super::matrix::ProgramMatrix;
use super::newton_system::{ANSWER_PRECISION, NewtonPoint, NewtonSystem};
use super::program::QuadraticProgram;

/// The optimum of the program with the inequalities of `active` as equalities and no others: x, multipliers of the equalities, multipliers of
/// `active`.
pub(super) fn on_active(program: &QuadraticProgram, active: &[usize]) -> Result<(Vec<f64>, Vec<f64>, Vec<f64>)> {
    let (n, m) = (program.dim(), program.a.rows());
    let mut rows = Vec::with_capacity((m + active.len()) * n);
    (0..m).for_each(|i| rows.extend(program.a.dense_row(i)));
    active.iter().for_each(|&i| rows.extend(program.g.dense_row(i)));
    let rows = ProgramMatrix::Dense(Mat::from_vec(m + active.len(), n, rows));
    let none = ProgramMatrix::Dense(Mat::zeros(0, n));
    let system = NewtonSystem::new(&program.p, &none, &rows, Vec::new(), ANSWER_PRECISION)?;
    let y = program.b.iter().copied().chain(active.iter().map(|&i| program.h[i])).collect();
    let right = NewtonPoint { x: program.q.iter().map(|q| -q).collect(), y, z: Vec::new() };
    let NewtonPoint { x, mut y, .. } = system.solve(&right);
    let of_active = y.split_off(m);
    Ok((x, y, of_active))
}
