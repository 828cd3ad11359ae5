//! Models as functions of one row.

use std::cell::Cell;
use std::sync::Arc;

use crate::blocks::column_label;
use crate::{Error, Features, MatRef, Result, Schema};

/// A cell that names a category which training did not know.
pub const UNKNOWN_CATEGORY: f64 = -1.0;

/// A model made for one row at a time: what [`crate::Regressor::predict`], [`crate::Classifier::proba`] or
/// [`crate::Transformer::transform`] give for this row, to the bit, without threads and without allocating.
///
/// A row is a number for each column of the schema it was made for: numbers as they are, NaN for missing ones; for a category its code in the
/// schema, NaN if it is missing and [`UNKNOWN_CATEGORY`] for a name that is not in the schema.
pub trait RowFunction: Send + Sync {
    /// How many numbers come out.
    fn width(&self) -> usize;
    /// How many numbers of working memory it needs.
    fn scratch(&self) -> usize {
        0
    }
    /// Writes [`RowFunction::width`] numbers to `out`. What is in `scratch` and `out` before does not matter.
    fn run(&self, row: &[f64], scratch: &mut [f64], out: &mut [f64]) -> Result<()>;
    /// The class of a row, as [`crate::Classifier::classify`] gives it; `out` receives what the decision is made of.
    fn classify(&self, row: &[f64], scratch: &mut [f64], out: &mut [f64]) -> Result<u32> {
        self.run(row, scratch, out)?;
        Ok(argmax(out))
    }
}

thread_local! {
    static MEMORY: Cell<Vec<f64>> = const { Cell::new(Vec::new()) };
}

/// Calls `f` with `len` numbers of memory that stays allocated from one call to the next. What is in it is of no meaning.
pub fn with_row_memory<T>(len: usize, f: impl FnOnce(&mut [f64]) -> T) -> T {
    // Taken out, so that a call within the call has memory of its own.
    let mut memory = MEMORY.take();
    if memory.len() < len {
        memory.resize(len, 0.0);
    }
    let result = f(&mut memory[..len]);
    MEMORY.set(memory);
    result
}

/// The place of the largest number; ties go to the first.
fn argmax(values: &[f64]) -> u32 {
    let mut best = 0;
    for (at, v) in values.iter().enumerate().skip(1) {
        if *v > values[best] {
            best = at;
        }
    }
    best as u32
}

/// Whether the category names that a model knows are those of the schema, so that its codes are too.
pub fn codes_agree(schema: &Schema, known: &[Option<Arc<Vec<String>>>]) -> bool {
    let same = |(field, names): (&crate::Field, &Option<Arc<Vec<String>>>)| match names {
        Some(names) => *names == field.categories,
        None => field.categories.is_empty(),
    };
    schema.len() == known.len() && schema.fields.iter().zip(known).all(same)
}

/// The error for a cell that is not finite, in a row for `learner`: it names the column. Nothing where all cells are finite.
pub fn refuse_cell(row: &[f64], schema: &Schema, learner: &str) -> Result<()> {
    if let Some(j) = row.iter().position(|v| v.is_nan()) {
        let column = column_label(Some(schema), j);
        return Err(Error::Missing { column, count: 1, row: 0, learner: learner.to_owned() });
    }
    refuse_infinite_cell(row, schema)
}

/// The error for an infinite cell; missing cells are let through.
pub fn refuse_infinite_cell(row: &[f64], schema: &Schema) -> Result<()> {
    let known: Vec<f64> = row.iter().map(|v| if v.is_nan() { 0.0 } else { *v }).collect();
    Features::F64(MatRef::row_major(&known, 1, known.len())).refuse_non_finite(Some(schema))
}
