//! Reading cells of any form of features, with missing ones as NaN, and writing new columns by blocks of rows.

use crate::parallel::prelude::*;
use crate::{Error, Features, Mat, MatRef, Result, Schema};

/// Rows transformed at a time.
const BLOCK: usize = 4096;

/// Rows as `f64` with NaN for missing cells: a borrowed view where they are `f64` already, else a copy in `scratch`.
/// Meant for blocks of rows.
pub fn numbers<'s, 'a: 's>(x: &Features<'a>, scratch: &'s mut Vec<f64>, learner: &str) -> Result<MatRef<'s, f64>> {
    let Features::Table(t) = x else { return x.f64_rows(scratch, learner) };
    let (rows, cols) = (t.rows(), t.cols());
    scratch.clear();
    scratch.resize(rows * cols, 0.0);
    for (j, field) in t.schema().fields.iter().enumerate() {
        let values = t.numbers(j).ok_or_else(|| Error::Kind {
            column: format!("\"{}\"", field.name),
            found: format!("of type {}", field.kind),
            learner: learner.to_owned(),
            needed: "numbers".into(),
        })?;
        for (i, &v) in values.iter().enumerate() {
            scratch[i * cols + j] = v;
        }
    }
    Ok(MatRef::row_major(scratch, rows, cols))
}

/// A column for an error message: its quoted name when known, else its number from 0.
pub fn column_label(schema: Option<&Schema>, column: usize) -> String {
    match schema.and_then(|s| s.fields.get(column)) {
        Some(field) => format!("\"{}\"", field.name),
        None => column.to_string(),
    }
}

/// The first infinite cell of the columns that `look` picks, as an error; missing cells are let through. Learners call it
/// when their sums are not finite, so that valid data is not read twice.
pub fn check_finite(x: &Features<'_>, schema: Option<&Schema>, look: &dyn Fn(usize) -> bool) -> Result<()> {
    let cell = |row: usize, column: usize, v: f64| -> Result<()> {
        if !v.is_infinite() || !look(column) {
            return Ok(());
        }
        let value = if v > 0.0 { "infinity" } else { "-infinity" }.into();
        Err(Error::NotFinite { column: column_label(schema, column), row, value })
    };
    for i in 0..x.rows() {
        match x {
            Features::F64(m) => (0..m.cols()).try_for_each(|j| cell(i, j, *m.at(i, j)))?,
            Features::F32(m) => (0..m.cols()).try_for_each(|j| cell(i, j, f64::from(*m.at(i, j))))?,
            Features::Csr(m) => {
                let (indices, values) = m.row(i);
                indices.iter().zip(values).try_for_each(|(&j, &v)| cell(i, j as usize, v))?;
            }
            Features::Table(t) => {
                (0..t.cols()).try_for_each(|j| t.numbers(j).map_or(Ok(()), |values| cell(i, j, values[i])))?;
            }
        }
    }
    Ok(())
}

/// Makes `cols` new columns, block of rows by block of rows, in parallel. `make` gets a block and the number of its
/// first row, and writes the block's rows.
pub fn by_blocks(
    x: &Features<'_>,
    cols: usize,
    make: impl Fn(&Features<'_>, usize, &mut [f64]) -> Result<()> + Sync,
) -> Result<Mat<f64>> {
    let rows = x.rows();
    let mut out = Mat::zeros(rows, cols);
    if cols == 0 {
        return Ok(out);
    }
    let results: Vec<Result<()>> = out
        .as_mut_slice()
        .par_chunks_mut(BLOCK * cols)
        .enumerate()
        .map(|(b, chunk)| {
            let first = b * BLOCK;
            make(&x.row_range(first..rows.min(first + BLOCK)), first, chunk).map_err(|e| e.with_row(|row| row + first))
        })
        .collect();
    // The error of the first row, whichever thread met one first.
    results.into_iter().collect::<Result<()>>()?;
    Ok(out)
}

/// Refuses a matrix of another width than the columns a transformation made.
pub fn expect_width(z: MatRef<'_, f64>, expected: usize) -> Result<()> {
    if z.cols() == expected { Ok(()) } else { Err(Error::Columns { expected, found: z.cols() }) }
}
