//! Typed rows: a struct whose fields are the columns of a table.

use std::borrow::Cow;

use crate::{Column, Error, OwnedDataset, OwnedFeatures, OwnedTarget, Result, Table};

/// What a field of a row holds.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum RowCell<'a> {
    /// Nothing: a missing cell.
    Missing,
    /// A number; NaN is a missing cell.
    Number(f64),
    /// The name of a category.
    Name(&'a str),
    /// The number of a category in [`RowKind::Category`].
    Variant(u32),
}

/// What the values of a field are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowKind {
    /// Numbers.
    Number,
    /// False or true: numbers 0 and 1 as a feature, classes as a target.
    Bool,
    /// Names of categories.
    Name,
    /// One of these categories.
    Category(&'static [&'static str]),
}

impl RowKind {
    /// What it is called in a message.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Bool => "bool",
            Self::Name | Self::Category(_) => "category",
        }
    }
}

/// What a field is to a learner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowRole {
    /// A column to learn from.
    Feature,
    /// What is to be predicted.
    Target,
    /// The weight of the row.
    Weight,
}

/// One field of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowField {
    /// The name of the column.
    pub name: &'static str,
    /// What its values are.
    pub kind: RowKind,
    /// Whether a cell may be missing.
    pub optional: bool,
    /// What it is to a learner.
    pub role: RowRole,
}

/// A type that a field of a [`Row`] may have. Enums without fields get it from `#[derive(Category)]`.
pub trait RowValue {
    /// What the values are.
    const KIND: RowKind;
    /// Whether a value may be missing.
    const OPTIONAL: bool = false;
    /// The value as a cell.
    fn cell(&self) -> RowCell<'_>;
}

macro_rules! number_values {
    ($($number:ty)*) => { $(
        impl RowValue for $number {
            const KIND: RowKind = RowKind::Number;
            #[inline]
            fn cell(&self) -> RowCell<'_> {
                RowCell::Number(*self as f64)
            }
        }
    )* };
}
number_values!(f64 f32 u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

impl RowValue for bool {
    const KIND: RowKind = RowKind::Bool;
    #[inline]
    fn cell(&self) -> RowCell<'_> {
        RowCell::Number(f64::from(u8::from(*self)))
    }
}

macro_rules! name_values {
    ($($name:ty)*) => { $(
        impl RowValue for $name {
            const KIND: RowKind = RowKind::Name;
            #[inline]
            fn cell(&self) -> RowCell<'_> {
                RowCell::Name(self)
            }
        }
    )* };
}
name_values!(String &str Cow<'_, str> Box<str>);

impl<T: RowValue> RowValue for Option<T> {
    const KIND: RowKind = T::KIND;
    const OPTIONAL: bool = true;
    #[inline]
    fn cell(&self) -> RowCell<'_> {
        self.as_ref().map_or(RowCell::Missing, T::cell)
    }
}

/// A struct whose fields are the columns of a table. `#[derive(Row)]` of the facade writes it.
///
/// A slice of rows is data for a fit ([`OwnedDataset::from_rows`]), and a model bound to the type predicts row by row.
pub trait Row {
    /// The name of the type, for messages.
    const NAME: &'static str;
    /// The fields, in the order of [`Row::cell`].
    const FIELDS: &'static [RowField];
    /// The value of field number `field`.
    fn cell(&self, field: usize) -> RowCell<'_>;
}

impl OwnedDataset {
    /// Typed rows as data for a fit: a table of the features, and the target and the weights where the type has them. Numbers are the target of
    /// a regression; names, categories and `bool` are the classes of a classification.
    ///
    /// # Errors
    /// When a target or a weight is missing.
    pub fn from_rows<R: Row>(rows: &[R]) -> Result<Self> {
        let of_role = |role: RowRole| R::FIELDS.iter().enumerate().filter(move |(_, f)| f.role == role);
        let features = of_role(RowRole::Feature).map(|(at, field)| (field.name, feature(rows, at, field.kind)));
        let x = Table::new(features)?;
        let y = of_role(RowRole::Target).next().map_or(Ok(OwnedTarget::None), |(at, field)| target(rows, at, field))?;
        let weight = match of_role(RowRole::Weight).next() {
            Some((at, field)) => Some(known_numbers(rows, at, field)?),
            None => None,
        };
        Ok(Self { schema: Some((**x.schema()).clone()), x: OwnedFeatures::Table(x), y, weight })
    }
}

/// The number in a cell, NaN where there is none.
fn number(cell: RowCell<'_>) -> f64 {
    if let RowCell::Number(v) = cell { v } else { f64::NAN }
}

/// The name in a cell.
fn name<'a>(cell: RowCell<'a>, kind: RowKind) -> Option<&'a str> {
    match (cell, kind) {
        (RowCell::Name(name), _) => Some(name),
        (RowCell::Variant(at), RowKind::Category(names)) => names.get(at as usize).copied(),
        (RowCell::Number(v), RowKind::Bool) => Some(if v == 0.0 { "false" } else { "true" }),
        _ => None,
    }
}

fn feature<R: Row>(rows: &[R], at: usize, kind: RowKind) -> Column {
    match kind {
        RowKind::Number | RowKind::Bool => Column::numbers(rows.iter().map(|r| number(r.cell(at))).collect()),
        RowKind::Name | RowKind::Category(_) => {
            Column::categories(&rows.iter().map(|r| name(r.cell(at), kind)).collect::<Vec<_>>())
        }
    }
}

fn known_numbers<R: Row>(rows: &[R], at: usize, field: &RowField) -> Result<Vec<f64>> {
    let what = if field.role == RowRole::Weight { "sample weight" } else { "target" };
    if !matches!(field.kind, RowKind::Number | RowKind::Bool) {
        let message = format!("field \"{}\" of {} is of type {}, not number", field.name, R::NAME, field.kind.name());
        return Err(if what == "target" { Error::Target(message) } else { Error::Weight(message) });
    }
    let one = |(row, r): (usize, &R)| match r.cell(at) {
        RowCell::Number(v) if !v.is_nan() => Ok(v),
        _ => Err(missing(what, field, row)),
    };
    rows.iter().enumerate().map(one).collect()
}

fn missing(what: &str, field: &RowField, row: usize) -> Error {
    Error::Row { place: format!("{what}, field \"{}\"", field.name), row, message: "it is missing".into() }
}

fn target<R: Row>(rows: &[R], at: usize, field: &RowField) -> Result<OwnedTarget> {
    if field.kind == RowKind::Number {
        return Ok(OwnedTarget::Real(known_numbers(rows, at, field)?));
    }
    let one =
        |(row, r): (usize, &R)| name(r.cell(at), field.kind).map(str::to_owned).ok_or_else(|| missing("target", field, row));
    let labels: Vec<String> = rows.iter().enumerate().map(one).collect::<Result<_>>()?;
    Ok(OwnedTarget::from_labels(&labels))
}
