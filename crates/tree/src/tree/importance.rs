//! Importances of columns: how much the splits on each gained.

use ermine_core::order::argsort_descending;
use ermine_core::{Cell, Report, Schema};

/// Gains of the columns as shares of their sum; all 0 where nothing was gained.
pub(crate) fn gain_shares(mut gains: Vec<f64>) -> Vec<f64> {
    let sum: f64 = gains.iter().sum();
    gains.iter_mut().for_each(|g| *g = if sum > 0.0 { *g / sum } else { 0.0 });
    gains
}

/// The table of the columns, the most important first; `more` is the further cell of a column where there are three heads.
pub(crate) fn report_importances(
    report: &mut Report,
    schema: &Schema,
    title: &str,
    heads: &[&str],
    importances: &[f64],
    more: impl Fn(usize) -> Option<f64>,
) {
    let row = |j: usize| {
        let numbers = std::iter::once(importances[j]).chain(more(j)).map(Cell::Number);
        std::iter::once(Cell::Text(schema.name(j))).chain(numbers).collect()
    };
    report.table(title, heads, argsort_descending(importances).into_iter().map(row).collect());
}
