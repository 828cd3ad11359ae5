//! One row by the names of its columns.

use ermine_core::{Column, ColumnKind, Error, Result, Schema, Table};

/// A cell of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum RowCell {
    /// A number; NaN is missing.
    Number(f64),
    /// The name of a category.
    Text(String),
    /// Nothing.
    Missing,
}

impl From<f64> for RowCell {
    fn from(v: f64) -> Self {
        Self::Number(v)
    }
}

impl From<&str> for RowCell {
    fn from(v: &str) -> Self {
        Self::Text(v.to_owned())
    }
}

impl From<String> for RowCell {
    fn from(v: String) -> Self {
        Self::Text(v)
    }
}

impl<T: Into<Self>> From<Option<T>> for RowCell {
    fn from(v: Option<T>) -> Self {
        v.map_or(Self::Missing, Into::into)
    }
}

/// A table with one row. What is missing takes the kind that the model expects there.
pub(crate) fn table<'a>(schema: &Schema, cells: impl IntoIterator<Item = (&'a str, RowCell)>) -> Result<Table> {
    let column = |(name, cell): (&'a str, RowCell)| {
        let category = || schema.fields.iter().any(|f| f.name == name && f.kind == ColumnKind::Category);
        let column = match cell {
            RowCell::Number(v) => Column::numbers(vec![v]),
            RowCell::Text(text) => Column::categories(&[Some(text)]),
            RowCell::Missing if category() => Column::categories(&[None::<&str>]),
            RowCell::Missing => Column::numbers(vec![f64::NAN]),
        };
        (name, column)
    };
    let cells: Vec<(&str, RowCell)> = cells.into_iter().collect();
    if let Some((name, _)) = cells.iter().enumerate().find(|(i, (name, _))| cells[..*i].iter().any(|c| c.0 == *name)).map(|c| c.1)
    {
        return Err(Error::Data(format!("the row names column \"{name}\" twice")));
    }
    Table::new(cells.into_iter().map(column))
}
