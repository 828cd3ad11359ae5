//! Probabilities of one row at a time.

use ermine_core::{MatRef, Result, RowFunction, Schema, refuse_cell};
use ermine_math::loss::exp_in_place;
use ermine_math::tall_skinny::scores;

use super::model::LogisticModel;

/// What is exponentiated for the probabilities: minus the size of a score, or the differences to the greatest.
pub(super) fn exponents(e: &mut [f64]) {
    match e {
        [e] => *e = -e.abs(),
        e => {
            let max = e.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            e.iter_mut().for_each(|e| *e -= max);
        }
    }
}

/// The probabilities of a row from its scores and their exponentials, in the columns of the classes that had rows.
pub(super) fn probabilities(present: &[u32], z: &[f64], e: &mut [f64], out: &mut [f64]) {
    if let ([z], [e]) = (z, &mut *e) {
        let (likely, unlikely) = (1.0 / (1.0 + *e), *e / (1.0 + *e));
        let (first, second) = if *z < 0.0 { (likely, unlikely) } else { (unlikely, likely) };
        (out[present[0] as usize], out[present[1] as usize]) = (first, second);
        return;
    }
    let total: f64 = e.iter().sum();
    present.iter().zip(e).for_each(|(&code, e)| out[code as usize] = *e / total);
}

/// The place of the class among those that had rows.
pub(super) fn most_probable(z: &[f64]) -> usize {
    match z {
        [z] => usize::from(*z > 0.0),
        z => (1..z.len()).fold(0, |best, c| if z[c] > z[best] { c } else { best }),
    }
}

/// A logistic regression as a function of one row.
pub(super) struct LogisticOfRow {
    model: LogisticModel,
    schema: Schema,
}

impl LogisticOfRow {
    pub fn new(model: &LogisticModel, schema: &Schema) -> Option<Self> {
        schema.is_numbers(model.coef.cols()).then(|| Self { model: model.clone(), schema: schema.clone() })
    }

    fn scores(&self, row: &[f64], z: &mut [f64]) -> Result<()> {
        let LogisticModel { coef, intercept, .. } = &self.model;
        scores(MatRef::row_major(row, 1, row.len()), coef.as_slice(), coef.cols(), intercept, z, &[]);
        if z.iter().all(|z| z.is_finite()) { Ok(()) } else { refuse_cell(row, &self.schema, super::Logistic::NAME) }
    }
}

impl RowFunction for LogisticOfRow {
    fn width(&self) -> usize {
        self.model.classes.len()
    }

    fn scratch(&self) -> usize {
        2 * self.model.intercept.len()
    }

    fn run(&self, row: &[f64], scratch: &mut [f64], out: &mut [f64]) -> Result<()> {
        let (z, e) = scratch[..self.scratch()].split_at_mut(self.model.intercept.len());
        self.scores(row, z)?;
        e.copy_from_slice(z);
        exponents(e);
        exp_in_place(e);
        out.fill(0.0);
        probabilities(&self.model.present, z, e, out);
        Ok(())
    }

    fn classify(&self, row: &[f64], scratch: &mut [f64], _: &mut [f64]) -> Result<u32> {
        let z = &mut scratch[..self.model.intercept.len()];
        self.scores(row, z)?;
        Ok(self.model.present[most_probable(z)])
    }
}
