//! Rows for tests.

use ermine_core::{Column, OwnedDataset, OwnedFeatures, OwnedTarget, RngStream, Table};

/// Three classes that follow from a column of so many categories, some of them missing, beside a column of noise.
pub(crate) fn classes_by_level(rows: usize, levels: usize, s: &mut RngStream) -> OwnedDataset {
    let codes: Vec<usize> = (0..rows).map(|_| s.below(levels)).collect();
    let cells: Vec<Option<String>> = codes.iter().map(|c| (c % 50 != 7).then(|| format!("level {c}"))).collect();
    let labels: Vec<&str> = codes.iter().map(|c| ["a", "b", "c"][c % 7 % 3]).collect();
    let x: Vec<f64> = (0..rows).map(|_| s.normal()).collect();
    let cells: Vec<Option<&str>> = cells.iter().map(Option::as_deref).collect();
    let columns = [("word", Column::categories(&cells)), ("size", Column::numbers(x))];
    OwnedDataset {
        x: OwnedFeatures::Table(Table::new(columns).unwrap()),
        y: OwnedTarget::from_labels(&labels),
        weight: None,
        schema: None,
    }
}
