//! Gathers the sums of a block of rows.

use ermine_core::{CsrRef, DatasetRef, Error, Features, Mat, MatRef, Result};
use ermine_math::double_double::{Dd, DdGram, Residuals};
use ermine_math::moments::Moments;

use super::{LeastSquaresPartial, LeastSquaresPhase, LeastSquaresState, LeastSquaresSums};
use crate::least_squares::LeastSquaresProblem;
use ermine_math::scale::power;

/// Elements of a block that are brought to dense f64 at a time.
const CHUNK: usize = 1 << 16;
/// Rows whose residuals are taken at a time.
const CORRECTED_ROWS: usize = 256;
/// Magnitudes beyond this may have squares beyond the range of f64.
const SQUARE_OVERFLOW: f64 = 1e140;

/// Adds a block of rows.
pub(crate) fn add(
    problem: &LeastSquaresProblem<'_>,
    stage: &LeastSquaresState,
    totals: &mut LeastSquaresPartial,
    rows: &DatasetRef<'_>,
) -> Result<()> {
    match (&stage.kind, &mut totals.0) {
        (LeastSquaresPhase::Moments, LeastSquaresSums::Moments { moments, log_weight, overflow }) => {
            add_moments(problem, stage, moments, rows)?;
            *log_weight += log_of(rows.weight);
            if !moments.is_finite() {
                // With finite cells only the squares overflowed; the end of the pass sees to that.
                rows.x.refuse_non_finite(rows.schema)?;
                *overflow = true;
            } else if stage.exponents.is_empty() && moments.scatter_diagonal().contains(&0.0) {
                // A column of one value, or of values so large that the differences of their squares are lost.
                let mut sizes = vec![0.0; stage.cols + stage.targets];
                each_row(problem, rows, |_, w, row| {
                    if w > 0.0 {
                        larger(&mut sizes, row)
                    }
                })?;
                *overflow |= sizes.iter().any(|s| *s > SQUARE_OVERFLOW);
            }
        }
        (LeastSquaresPhase::ExponentRange, LeastSquaresSums::ExponentRange(sizes)) => {
            each_row(problem, rows, |_, w, row| {
                if w > 0.0 {
                    larger(sizes, row);
                }
            })?;
        }
        (LeastSquaresPhase::Exact { shift }, LeastSquaresSums::Exact { gram, rows: count, log_weight }) => {
            *log_weight += log_of(rows.weight);
            *count += (0..rows.rows()).filter(|&i| rows.weight_of(i) > 0.0).count() as u64;
            match rows.x {
                Features::Csr(x) if stage.exponents.is_empty() && shift.iter().all(|s| *s == 0.0) => {
                    add_sparse(gram, x, rows)?;
                }
                _ => {
                    let scales = stage.scales();
                    each_row(problem, rows, |_, w, row| {
                        if w > 0.0 {
                            gram.add_row(w, |j| Dd::sum(row[j] * scales[j], -shift[j]));
                        }
                    })?;
                    gram.flush();
                }
            }
            if !gram.is_finite() {
                rows.x.refuse_non_finite(rows.schema)?;
            }
        }
        (LeastSquaresPhase::Refine { moments, coef, .. }, LeastSquaresSums::Refine(residuals)) => {
            add_residuals(problem, stage, moments, coef, residuals, rows)?;
        }
        (LeastSquaresPhase::LeaveOneOut { spectrum, .. }, LeastSquaresSums::LeaveOneOut(errors)) => {
            if let Some(grid) = &problem.grid {
                spectrum.add(problem, grid, errors, rows, true)?;
            }
        }
        _ => return Err(Error::Data("partial results of another pass".into())),
    }
    Ok(())
}

pub(super) fn larger(sizes: &mut [f64], row: &[f64]) {
    sizes.iter_mut().zip(row).for_each(|(s, v)| *s = s.max(v.abs()));
}

/// Visits rows of [X | Y] as f64, with number and weight; a chunk is copied at a time.
pub(super) fn each_row(
    problem: &LeastSquaresProblem<'_>,
    rows: &DatasetRef<'_>,
    mut visit: impl FnMut(usize, f64, &[f64]),
) -> Result<()> {
    let (cols, y) = (rows.cols(), rows.y.reals()?);
    let mut scratch = Vec::new();
    let mut row = vec![0.0; cols + y.cols()];
    let step = (CHUNK / cols).max(16);
    for first in (0..rows.rows()).step_by(step) {
        let block = rows.x.row_range(first..(first + step).min(rows.rows()));
        let x = block.f64_rows(&mut scratch, problem.learner)?;
        for i in 0..x.rows() {
            x.copy_row(i, &mut row[..cols]);
            y.copy_row(first + i, &mut row[cols..]);
            visit(first + i, rows.weight_of(first + i), &row);
        }
    }
    Ok(())
}

/// Adds the moments of a block of rows, in the units of the stage.
pub(crate) fn add_moments(
    problem: &LeastSquaresProblem<'_>,
    stage: &LeastSquaresState,
    moments: &mut Moments,
    rows: &DatasetRef<'_>,
) -> Result<()> {
    let y = rows.y.reals()?;
    if y.cols() != stage.targets || rows.cols() != stage.cols {
        return Err(Error::Columns { expected: stage.cols, found: rows.cols() });
    }
    if !stage.exponents.is_empty() {
        let (cols, scales) = (stage.cols, stage.exponents.iter().map(|&e| power(e)).collect::<Vec<f64>>());
        let (mut x, mut targets) = (Mat::zeros(rows.rows(), cols), Mat::zeros(rows.rows(), stage.targets));
        each_row(problem, rows, |i, _, row| {
            x.row_mut(i).iter_mut().zip(row).zip(&scales).for_each(|((o, v), s)| *o = v * s);
            targets.row_mut(i).iter_mut().zip(&row[cols..]).zip(&scales[cols..]).for_each(|((o, v), s)| *o = v * s);
        })?;
        moments.add(x.view(), Some(targets.view()), rows.weight);
        return Ok(());
    }
    match rows.x {
        Features::F64(x) => moments.add(x, Some(y), rows.weight),
        Features::F32(x) => moments.add(x, Some(y), rows.weight),
        _ => {
            let mut scratch = Vec::new();
            let step = (16 * CHUNK / stage.cols).max(64);
            for first in (0..rows.rows()).step_by(step) {
                let range = first..(first + step).min(rows.rows());
                let x: MatRef<'_, f64> = rows.x.row_range(range.clone()).f64_rows(&mut scratch, problem.learner)?;
                moments.add(x, Some(y.row_range(range.clone())), rows.weight.map(|w| &w[range]));
            }
        }
    }
    Ok(())
}

/// Products of a block of sparse rows about zero; double-double has digits enough to center them afterwards.
fn add_sparse(gram: &mut DdGram, x: CsrRef<'_>, rows: &DatasetRef<'_>) -> Result<()> {
    let (cols, y) = (x.cols(), rows.y.reals()?);
    let (mut cells, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..x.rows() {
        let (indices, stored) = x.row(i);
        let w = rows.weight_of(i);
        if w == 0.0 {
            if stored.iter().any(|v| !v.is_finite()) {
                rows.x.refuse_non_finite(rows.schema)?;
            }
            continue;
        }
        cells.clear();
        cells.extend(indices.iter().map(|&j| j as usize).zip(stored.iter().copied()));
        cells.sort_by_key(|c| c.0);
        columns.clear();
        values.clear();
        for &(j, v) in &cells {
            // Equal columns add up.
            if columns.last() == Some(&j) {
                *values.last_mut().expect("as many values as columns") += v;
            } else {
                columns.push(j);
                values.push(v);
            }
        }
        for k in 0..y.cols() {
            columns.push(cols + k);
            values.push(*y.at(i, k));
        }
        gram.add_sparse_row(w, &columns, &values);
    }
    Ok(())
}

/// The sum of the logarithms of the weights above 0.
fn log_of(weight: Option<&[f64]>) -> f64 {
    weight.map_or(0.0, |w| w.iter().filter(|w| **w > 0.0).map(|w| w.ln()).sum())
}

/// Residuals of a block, some hundred rows at a time, by column.
fn add_residuals(
    problem: &LeastSquaresProblem<'_>,
    stage: &LeastSquaresState,
    moments: &Moments,
    coef: &[Dd],
    residuals: &mut Residuals,
    rows: &DatasetRef<'_>,
) -> Result<()> {
    let width = stage.cols + stage.targets;
    let (scales, mean) = (stage.scales(), moments.mean());
    let middle = |j: usize| if problem.fit_intercept { -mean[j] } else { 0.0 };
    for first in (0..rows.rows()).step_by(CORRECTED_ROWS) {
        let part = rows.row_range(first..(first + CORRECTED_ROWS).min(rows.rows()));
        let weight: Vec<f64> = (0..part.rows()).map(|i| part.weight_of(i)).filter(|w| *w > 0.0).collect();
        let n = weight.len();
        let (mut hi, mut lo) = (vec![0.0; n * width], vec![0.0; n * width]);
        let mut i = 0;
        each_row(problem, &part, |_, w, row| {
            if w > 0.0 {
                for (j, v) in row.iter().enumerate() {
                    let d = Dd::sum(v * scales[j], middle(j));
                    (hi[j * n + i], lo[j * n + i]) = (d.hi, d.lo);
                }
                i += 1;
            }
        })?;
        residuals.add(&weight, &hi, &lo, coef);
    }
    Ok(())
}
