//! Nearest training rows, for models that predict from them.

use ermine_core::{Cell, DatasetRef, Features, Mat, Result};

use super::regress::cell;
use crate::document::{DocBlock, DocSection, DocTable, TableCell, TableHead};
use crate::format;
use ermine_compose::{Fitted, PipelineModel};

/// Most columns of the examples.
const COLUMNS: usize = 6;

/// A row and the training rows nearest to it.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighborExamples {
    /// The row, from 0.
    pub row: usize,
    /// Training rows, nearest first: number from 0, distance, its target, its cells as text (none without an inverse
    /// transform of the prepared columns).
    pub examples: Vec<(usize, f64, Vec<Cell>, Vec<String>)>,
}

/// The training rows nearest to some rows, for models that predict from them; `None` for others.
pub fn neighborhoods(fitted: &Fitted, x: &Features<'_>, rows: &[usize], k: usize) -> Result<Option<Vec<NeighborExamples>>> {
    let Some(near) = fitted.model.as_neighbor_model() else { return Ok(None) };
    let asked = x.take_rows(rows);
    let mut out = Vec::with_capacity(rows.len());
    for (&row, nearest) in rows.iter().zip(near.nearest_examples(&asked.view(), k)?) {
        let numbers: Vec<usize> = nearest.iter().map(|f| f.0).collect();
        let back = original(fitted, near.training_rows(&numbers)?)?;
        let cells =
            |i: usize| back.as_ref().map_or(Vec::new(), |m| (0..m.cols()).map(|j| cell_of(fitted, m[(i, j)], j)).collect());
        let example = |(i, &(number, far)): (usize, &(usize, f64))| (number, far, near.example_target(number), cells(i));
        out.push(NeighborExamples { row, examples: nearest.iter().enumerate().map(example).collect() });
    }
    Ok(Some(out))
}

/// Prepared rows in the original columns, where there is an inverse transform.
fn original(fitted: &Fitted, rows: Mat<f64>) -> Result<Option<Mat<f64>>> {
    let Some(pipeline) = (&*fitted.model as &dyn std::any::Any).downcast_ref::<PipelineModel>() else { return Ok(Some(rows)) };
    let mut columns = rows;
    for model in pipeline.preparations().iter().rev() {
        match model.as_transformer().map(|t| t.inverse(columns.view())).transpose()?.flatten() {
            Some(before) => columns = before,
            None => return Ok(None),
        }
    }
    Ok(Some(columns))
}

/// A number of a column as text: a category by its name.
fn cell_of(fitted: &Fitted, value: f64, column: usize) -> String {
    match fitted.schema.fields.get(column).map(|f| &f.categories) {
        Some(names) if !names.is_empty() => match value {
            v if v >= 0.0 && v.fract() == 0.0 => names.get(v as usize).cloned().unwrap_or_default(),
            _ => String::new(),
        },
        _ if value.is_nan() => String::new(),
        _ => format::number(value),
    }
}

/// The neighborhoods of the first rows.
pub(super) fn part(fitted: &Fitted, data: &DatasetRef<'_>) -> Result<Option<DocSection>> {
    let rows: Vec<usize> = (0..data.rows().min(3)).collect();
    let Some(examples) = neighborhoods(fitted, &data.x, &rows, 5)? else { return Ok(None) };
    let target = fitted.target.names.first().cloned().unwrap_or_else(|| "target".into());
    let mut part = DocSection::new("Nearest examples")
        .lead("The model predicts from its training rows. These are the nearest ones of the first rows of the data.");
    for near in &examples {
        part = part.with(DocBlock::Table(grid(fitted, data, near, &target)));
    }
    Ok(Some(part))
}

fn grid(fitted: &Fitted, data: &DatasetRef<'_>, near: &NeighborExamples, target: &str) -> DocTable {
    let shown = data.cols().min(COLUMNS);
    let mut heads = vec![TableHead::word("row"), TableHead::number("distance"), TableHead::word(target)];
    heads.extend((0..shown).map(|j| TableHead::word(fitted.schema.name(j))));
    let mut first: Vec<TableCell> = vec![
        TableCell { text: format!("row {}", near.row + 1), strong: true, ..TableCell::default() },
        TableCell::default(),
        TableCell::default(),
    ];
    first.extend((0..shown).map(|j| TableCell::from(cell(&data.x, near.row, j))));
    let mut rows = vec![first];
    for (number, far, answer, cells) in &near.examples {
        let answer: Vec<String> = answer
            .iter()
            .map(|c| match c {
                Cell::Text(t) => t.clone(),
                Cell::Number(v) => format::number(*v),
                Cell::Empty => String::new(),
            })
            .collect();
        let mut row: Vec<TableCell> =
            vec![format!("training row {}", number + 1).into(), format::number(*far).into(), answer.join(", ").into()];
        row.extend((0..shown).map(|j| TableCell::from(cells.get(j).cloned().unwrap_or_default())));
        rows.push(row);
    }
    DocTable { caption: format!("Nearest to row {}", near.row + 1), heads, rows, ..DocTable::default() }
}
