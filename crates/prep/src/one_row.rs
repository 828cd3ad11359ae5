//! Preparations as functions of one row.

use ermine_core::{Result, RowFunction, Schema};

/// A number made of each number of a row; none for other columns than numbers.
pub(crate) fn map_numbers(
    schema: &Schema,
    columns: usize,
    map: impl Fn(&[f64], &mut [f64]) + Send + Sync + 'static,
) -> Option<Box<dyn RowFunction>> {
    schema.is_numbers(columns).then(|| Box::new(MappedNumbers { columns, map }) as _)
}

struct MappedNumbers<F> {
    columns: usize,
    map: F,
}

impl<F: Fn(&[f64], &mut [f64]) + Send + Sync> RowFunction for MappedNumbers<F> {
    fn width(&self) -> usize {
        self.columns
    }

    fn run(&self, row: &[f64], _: &mut [f64], out: &mut [f64]) -> Result<()> {
        (self.map)(row, out);
        Ok(())
    }
}
