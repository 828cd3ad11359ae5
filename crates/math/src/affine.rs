//! Affine functions of rows: `X Bᵀ + b`, the prediction of every linear model.

use ermine_core::parallel::prelude::*;
use ermine_core::{CsrRef, Features, Mat, MatRef, Result};

use crate::double_double::fused;

/// Rows per task; the result of a row does not depend on the others.
const ROWS: usize = 256;

fused! {
    /// `out[i, k] = intercept[k] + rows_i · coef_k` for contiguous rows. Every row is summed in the same order,
    /// whatever its neighbors in the block.
    fn affine_rows(rows: MatRef<'_, f64>, coef: &Mat<f64>, intercept: &[f64], out: &mut [f64]) {
        let targets = intercept.len();
        for (i, out) in out.chunks_exact_mut(targets).enumerate() {
            let Some(row) = rows.row(i) else { return };
            for (k, o) in out.iter_mut().enumerate() {
                *o = intercept[k] + dot(row, coef.row(k));
            }
        }
    }
}

/// Sixteen partial sums: enough to keep the adders busy and the same on every processor.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 16;
    let b = &b[..a.len()];
    let mut sums = [0.0; LANES];
    let (a_lanes, b_lanes) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let mut rest = 0.0;
    for (x, y) in a_lanes.remainder().iter().zip(b_lanes.remainder()) {
        rest += x * y;
    }
    for (x, y) in a_lanes.zip(b_lanes) {
        for l in 0..LANES {
            sums[l] += x[l] * y[l];
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        for l in 0..width {
            sums[l] += sums[l + width];
        }
        width /= 2;
    }
    sums[0] + rest
}

/// `X Bᵀ + b` for features in any form: one row of results per row, one column per row of `coef`. X is not copied;
/// `learner` is named when a table has cells that are not numbers.
///
/// # Panics
/// When `coef` and `intercept` do not fit each other or the number of columns.
pub fn affine(x: &Features<'_>, coef: &Mat<f64>, intercept: &[f64], learner: &str) -> Result<Mat<f64>> {
    let (rows, targets) = (x.rows(), intercept.len());
    assert_eq!((coef.rows(), coef.cols()), (targets, x.cols()), "coefficients for other columns");
    let mut out = Mat::zeros(rows, targets);
    if targets == 0 || rows == 0 {
        return Ok(out);
    }
    if let Features::F64(m) = x
        && rows <= ROWS
        && m.row(0).is_some()
    {
        // Not worth asking for threads.
        affine_rows(*m, coef, intercept, out.as_mut_slice());
        return Ok(out);
    }
    out.as_mut_slice().par_chunks_mut(ROWS * targets).enumerate().try_for_each_init(
        Vec::new,
        |scratch, (c, out)| -> Result<()> {
            let first = c * ROWS;
            let block = x.row_range(first..(first + ROWS).min(rows));
            match block {
                Features::Csr(m) => affine_sparse(m, coef, intercept, out),
                Features::F64(m) if m.row(0).is_none() => {
                    scratch.clear();
                    scratch.resize(m.rows() * m.cols(), 0.0);
                    for j in 0..m.cols() {
                        for (i, v) in m.col_iter(j).enumerate() {
                            scratch[i * m.cols() + j] = v;
                        }
                    }
                    affine_rows(MatRef::row_major(scratch, m.rows(), m.cols()), coef, intercept, out);
                }
                _ => {
                    let dense = block.f64_rows(scratch, learner).map_err(|e| e.with_row(|row| row + first))?;
                    affine_rows(dense, coef, intercept, out);
                }
            }
            Ok(())
        },
    )?;
    Ok(out)
}

/// [`affine`] of one row: the same bits, into `out`.
///
/// # Panics
/// When `coef`, `intercept` and `out` do not fit each other or the number of columns.
pub fn affine_row(row: &[f64], coef: &Mat<f64>, intercept: &[f64], out: &mut [f64]) {
    assert_eq!((coef.rows(), coef.cols()), (intercept.len(), row.len()), "coefficients for other columns");
    assert_eq!(out.len(), intercept.len(), "one number per target");
    affine_rows(MatRef::row_major(row, 1, row.len()), coef, intercept, out);
}

/// `(X - center) Bᵀ + b` for dense features: with the differences computed first, no digits are lost where columns are
/// far from 0.
///
/// # Panics
/// When `coef`, `intercept` and `center` do not fit each other or the number of columns.
pub fn affine_about(x: &Features<'_>, center: &[f64], coef: &Mat<f64>, intercept: &[f64], learner: &str) -> Result<Mat<f64>> {
    let (rows, cols, targets) = (x.rows(), x.cols(), intercept.len());
    assert_eq!((coef.rows(), coef.cols(), center.len()), (targets, cols, cols), "coefficients for other columns");
    let mut out = Mat::zeros(rows, targets);
    if targets == 0 || rows == 0 {
        return Ok(out);
    }
    out.as_mut_slice().par_chunks_mut(ROWS * targets).enumerate().try_for_each_init(
        || (Vec::new(), Vec::new()),
        |(scratch, centered), (c, out)| -> Result<()> {
            let first = c * ROWS;
            let block = x.row_range(first..(first + ROWS).min(rows));
            let m = block.f64_rows(scratch, learner).map_err(|e| e.with_row(|row| row + first))?;
            centered.resize(m.rows() * cols, 0.0);
            for (i, row) in centered.chunks_exact_mut(cols).enumerate() {
                m.copy_row(i, row);
                row.iter_mut().zip(center).for_each(|(v, m)| *v -= m);
            }
            affine_rows(MatRef::row_major(centered, m.rows(), cols), coef, intercept, out);
            Ok(())
        },
    )?;
    Ok(out)
}

fn affine_sparse(m: CsrRef<'_>, coef: &Mat<f64>, intercept: &[f64], out: &mut [f64]) {
    for (i, out) in out.chunks_exact_mut(intercept.len()).enumerate() {
        let (indices, values) = m.row(i);
        for (k, o) in out.iter_mut().enumerate() {
            let coef = coef.row(k);
            *o = intercept[k] + indices.iter().zip(values).map(|(&j, v)| v * coef[j as usize]).sum::<f64>();
        }
    }
}

/// `X Bᵀ + b` for sparse rows, with transposed coefficients: row j of `by_column` has those of column j. The cells of a
/// row then read a few whole rows of coefficients.
///
/// # Panics
/// When `by_column` and `intercept` do not fit each other or the number of columns.
pub fn affine_by_columns(x: CsrRef<'_>, by_column: &Mat<f64>, intercept: &[f64]) -> Mat<f64> {
    let (rows, targets) = (x.rows(), intercept.len());
    assert_eq!((by_column.rows(), by_column.cols()), (x.cols(), targets), "coefficients for other columns");
    let mut out = Mat::zeros(rows, targets);
    if targets > 0 {
        out.as_mut_slice().par_chunks_mut(ROWS * targets).enumerate().for_each(|(c, out)| {
            let first = c * ROWS;
            sparse_rows(x.row_range(first..(first + ROWS).min(rows)), by_column, intercept, out);
        });
    }
    out
}

fused! {
    fn sparse_rows(x: CsrRef<'_>, by_column: &Mat<f64>, intercept: &[f64], out: &mut [f64]) {
        let targets = intercept.len();
        for (i, out) in out.chunks_exact_mut(targets).enumerate() {
            out.copy_from_slice(intercept);
            let (indices, values) = x.row(i);
            for (&j, &v) in indices.iter().zip(values) {
                for (o, w) in out.iter_mut().zip(by_column.row(j as usize)) {
                    *o += v * w;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_core::{Csr, RngStream};

    #[test]
    fn every_form_gives_the_definition() {
        let mut rng = RngStream::new(1, "affine", 0);
        for (rows, cols, targets) in [(1, 1, 1), (3, 5, 2), (700, 33, 1), (600, 16, 3), (257, 100, 4)] {
            // Values that are exact in f32, so that all forms are one matrix.
            let x = Mat::from_fn(rows, cols, |i, j| if (i + j) % 3 == 0 { 0.0 } else { f64::from(rng.normal() as f32) });
            let coef = Mat::from_fn(targets, cols, |_, _| rng.normal());
            let intercept: Vec<f64> = (0..targets).map(|_| rng.normal()).collect();
            let dense = affine(&Features::F64(x.view()), &coef, &intercept, "test").unwrap();
            for i in 0..rows {
                for k in 0..targets {
                    let terms: Vec<f64> = (0..cols).map(|j| x[(i, j)] * coef[(k, j)]).collect();
                    let (sum, size) = (terms.iter().sum::<f64>(), terms.iter().map(|t| t.abs()).sum::<f64>());
                    assert!((dense[(i, k)] - intercept[k] - sum).abs() <= 1e-14 * (1.0 + size));
                }
            }
            let by_columns: Vec<f64> = (0..cols).flat_map(|j| x.view().col_iter(j).collect::<Vec<_>>()).collect();
            let columns = Features::F64(MatRef::col_major(&by_columns, rows, cols));
            assert_eq!(affine(&columns, &coef, &intercept, "test").unwrap(), dense);
            let center: Vec<f64> = (0..cols).map(|j| (j % 7) as f64).collect();
            let moved = Mat::from_fn(rows, cols, |i, j| x[(i, j)] - center[j]);
            let about = affine_about(&Features::F64(x.view()), &center, &coef, &intercept, "test").unwrap();
            assert_eq!(about, affine(&Features::F64(moved.view()), &coef, &intercept, "test").unwrap());
            let single = Mat::from_fn(rows, cols, |i, j| x[(i, j)] as f32);
            assert_eq!(affine(&Features::F32(single.view()), &coef, &intercept, "test").unwrap(), dense);
            let (mut indptr, mut indices, mut values) = (vec![0], vec![], vec![]);
            for i in 0..rows {
                for j in (0..cols).filter(|&j| x[(i, j)] != 0.0) {
                    indices.push(j as u32);
                    values.push(x[(i, j)]);
                }
                indptr.push(values.len());
            }
            let sparse = Csr::new(indptr, indices, values, cols).unwrap();
            let sparse_result = affine(&Features::Csr(sparse.view()), &coef, &intercept, "test").unwrap();
            let by_columns = affine_by_columns(sparse.view(), &coef.view().t().to_owned(), &intercept);
            for (a, b) in sparse_result.as_slice().iter().chain(by_columns.as_slice()).zip([dense.as_slice(); 2].concat()) {
                assert!((a - b).abs() < 1e-12);
            }
            // A row's result does not depend on its neighbors.
            let last = Features::F64(x.view().row_range(rows - 1..rows));
            assert_eq!(affine(&last, &coef, &intercept, "test").unwrap().row(0), dense.row(rows - 1));
        }
    }
}
