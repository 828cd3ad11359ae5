//! The cells of rows as trees read them, in any form of rows.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use ermine_core::{CsrRef, Error, Features, MISSING_CODE, MatRef, Result, TableRef};

use super::compiled::RawNumber;

/// Cells as numbers: NaN is missing, a category is its code in the model.
pub(super) trait FeatureAccess: Sync {
    /// Whether there may be category columns.
    const CATEGORIES: bool;
    /// Whether every column is numbers that can be read.
    const PLAIN: bool = false;
    /// Numbers as they come.
    type Raw: RawNumber;
    fn raw(&self, row: usize, col: usize) -> Self::Raw;
    #[inline(always)]
    fn get(&self, row: usize, col: usize) -> f64 {
        self.raw(row, col).into()
    }
}

impl FeatureAccess for MatRef<'_, f64> {
    const CATEGORIES: bool = false;
    const PLAIN: bool = true;
    type Raw = f64;
    #[inline(always)]
    fn raw(&self, row: usize, col: usize) -> f64 {
        *self.at(row, col)
    }
}

impl FeatureAccess for MatRef<'_, f32> {
    const CATEGORIES: bool = false;
    const PLAIN: bool = true;
    type Raw = f32;
    #[inline(always)]
    fn raw(&self, row: usize, col: usize) -> f32 {
        *self.at(row, col)
    }
}

enum TableColumn<'a> {
    Number(&'a [f64]),
    Category(&'a [u32], &'a [f64]),
}

/// The columns of a table.
pub(super) struct TableCells<'a>(Vec<TableColumn<'a>>);

impl<'a> TableCells<'a> {
    pub(super) fn new(table: TableRef<'a>, maps: &'a CodeMaps) -> Self {
        let column = |j: usize| match (table.numbers(j), table.categories(j), &maps.0[j]) {
            (_, Some((codes, _)), Some(map)) => TableColumn::Category(codes, map),
            (numbers, ..) => TableColumn::Number(numbers.unwrap_or_default()),
        };
        Self((0..table.cols()).map(column).collect())
    }
}

impl FeatureAccess for TableCells<'_> {
    const CATEGORIES: bool = true;
    type Raw = f64;
    #[inline]
    fn raw(&self, row: usize, col: usize) -> f64 {
        match &self.0[col] {
            TableColumn::Number(values) => values[row],
            TableColumn::Category(codes, map) if codes[row] != MISSING_CODE => map[codes[row] as usize],
            TableColumn::Category(..) => f64::NAN,
        }
    }
}

/// Sparse rows, spread out over the columns that are read.
pub(super) struct SparseCells<'a> {
    place: &'a [u32],
    width: usize,
    cells: Vec<f64>,
}

impl<'a> SparseCells<'a> {
    /// `place` has the place of each column among those that are read, of which there are `width`, or `u32::MAX`.
    pub(super) fn new(rows: CsrRef<'_>, place: &'a [u32], width: usize) -> Self {
        let mut cells = vec![0.0; rows.rows() * width];
        for (i, out) in cells.chunks_exact_mut(width).enumerate() {
            let (indices, values) = rows.row(i);
            for (&j, &v) in indices.iter().zip(values) {
                if let Some(out) = out.get_mut(place[j as usize] as usize) {
                    *out = v;
                }
            }
        }
        Self { place, width, cells }
    }
}

impl FeatureAccess for SparseCells<'_> {
    const CATEGORIES: bool = false;
    type Raw = f64;
    #[inline]
    fn raw(&self, row: usize, col: usize) -> f64 {
        self.cells[row * self.width + self.place[col] as usize]
    }
}

/// For each category column the code of the model for each code of the data, NaN for names the model does not know.
#[derive(Default)]
pub(crate) struct CodeMaps(Vec<Option<Vec<f64>>>);

impl CodeMaps {
    /// Finds the codes by name; columns of another kind than in training are refused.
    pub(crate) fn new(x: &Features<'_>, categories: &[Option<Arc<Vec<String>>>]) -> Result<Self> {
        let Features::Table(t) = x else {
            return match categories.iter().position(Option::is_some) {
                Some(j) => Err(wrong_kind(x, j, "of type number", "categories")),
                None => Ok(Self(Vec::new())),
            };
        };
        let of = |(j, known): (usize, &Option<Arc<Vec<String>>>)| {
            let names_here = match (t.numbers(j), t.categories(j)) {
                (Some(_), _) => None,
                (None, Some((_, names))) => Some(names),
                (None, None) => return Err(wrong_kind(x, j, "neither numbers nor categories", "one of them")),
            };
            match (known, names_here) {
                (None, None) => Ok(None),
                (Some(_), None) => Err(wrong_kind(x, j, "of type number", "categories")),
                (None, Some(_)) => Err(wrong_kind(x, j, "of type category", "numbers")),
                (Some(known), Some(names_here)) => {
                    let codes: BTreeMap<&str, usize> = known.iter().enumerate().map(|(c, name)| (name.as_str(), c)).collect();
                    Ok(Some(names_here.iter().map(|name| codes.get(name.as_str()).map_or(f64::NAN, |&c| c as f64)).collect()))
                }
            }
        };
        Ok(Self(categories.iter().enumerate().map(of).collect::<Result<_>>()?))
    }

    /// The codes of a category column.
    pub(crate) fn of(&self, column: usize) -> Option<&[f64]> {
        self.0.get(column)?.as_deref()
    }
}

fn column_name(x: &Features<'_>, j: usize) -> String {
    match x {
        Features::Table(t) => format!("\"{}\"", t.schema().fields[j].name),
        _ => j.to_string(),
    }
}

fn wrong_kind(x: &Features<'_>, j: usize, found: &str, needed: &str) -> Error {
    Error::Kind {
        column: column_name(x, j),
        found: found.into(),
        learner: "this model".into(),
        needed: format!("{needed}, as in training"),
    }
}

/// The first cell that is so. There is hardly ever one, and to ask only whether there is goes many cells at a time.
fn first<T: Copy>(cells: &[T], is: impl Fn(T) -> bool) -> Option<usize> {
    let any = cells.iter().fold(false, |any, &v| any | is(v));
    if any { cells.iter().position(|&v| is(v)) } else { None }
}

/// Refuses infinite cells among some rows, naming the first.
pub(crate) fn refuse_infinite(x: &Features<'_>, rows: Range<usize>) -> Result<()> {
    let refuse = |row: usize, col: usize, value: f64| {
        let value = if value > 0.0 { "infinity" } else { "-infinity" };
        Err(Error::NotFinite { column: column_name(x, col), row, value: value.into() })
    };
    for row in rows.clone() {
        let infinite = match x {
            Features::F64(m) => match m.row(row) {
                Some(cells) => first(cells, f64::is_infinite).map(|j| (j, cells[j])),
                None => (0..m.cols()).find(|&j| m.at(row, j).is_infinite()).map(|j| (j, *m.at(row, j))),
            },
            Features::F32(m) => match m.row(row) {
                Some(cells) => first(cells, f32::is_infinite).map(|j| (j, f64::from(cells[j]))),
                None => (0..m.cols()).find(|&j| m.at(row, j).is_infinite()).map(|j| (j, f64::from(*m.at(row, j)))),
            },
            Features::Csr(m) => {
                let (indices, values) = m.row(row);
                values.iter().position(|v| v.is_infinite()).map(|k| (indices[k] as usize, values[k]))
            }
            Features::Table(_) => None,
        };
        if let Some((col, value)) = infinite {
            return refuse(row, col, value);
        }
    }
    if let Features::Table(t) = x {
        for j in 0..t.cols() {
            if let Some(values) = t.numbers(j)
                && let Some(row) = rows.clone().find(|&i| values[i].is_infinite())
            {
                return refuse(row, j, values[row]);
            }
        }
    }
    Ok(())
}
