//! Typed tables: columns of numbers with validity, of categories with codes and names, of text.

use std::ops::Range;
use std::sync::Arc;

use crate::{ColumnKind, Error, Field, Mat, Result, Schema};

/// The code of a missing category.
pub const MISSING_CODE: u32 = u32::MAX;

/// One bit per row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bitmap {
    words: Vec<u64>,
    len: usize,
}

impl Bitmap {
    /// `len` bits of one value.
    pub fn filled(len: usize, value: bool) -> Self {
        Self { words: vec![if value { u64::MAX } else { 0 }; len.div_ceil(64)], len }
    }

    /// Number of bits.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no bit.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bit `i`.
    #[inline]
    pub fn get(&self, i: usize) -> bool {
        debug_assert!(i < self.len);
        self.words[i / 64] >> (i % 64) & 1 == 1
    }

    /// Sets bit `i`.
    #[inline]
    pub fn set(&mut self, i: usize, value: bool) {
        debug_assert!(i < self.len);
        let mask = 1u64 << (i % 64);
        if value {
            self.words[i / 64] |= mask;
        } else {
            self.words[i / 64] &= !mask;
        }
    }

    /// Adds a bit at the end.
    pub fn push(&mut self, value: bool) {
        if self.len.is_multiple_of(64) {
            self.words.push(0);
        }
        self.len += 1;
        self.set(self.len - 1, value);
    }
}

impl FromIterator<bool> for Bitmap {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Self {
        let mut out = Self::default();
        bits.into_iter().for_each(|b| out.push(b));
        out
    }
}

/// The cells of one column.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Numbers (or dates as days since 1970-01-01). Where `valid` is present and false the cell is missing and the
    /// value is NaN; without `valid` nothing is missing.
    Number {
        /// The values.
        values: Vec<f64>,
        /// Which cells hold a value.
        valid: Option<Bitmap>,
    },
    /// Categories: codes into `names`, [`MISSING_CODE`] where the cell is missing.
    Category {
        /// One code per row.
        codes: Vec<u32>,
        /// The names behind the codes.
        names: Arc<Vec<String>>,
    },
    /// Text; `None` is missing.
    Text(Vec<Option<String>>),
}

impl Column {
    /// A number column in which NaN means missing.
    pub fn numbers(values: Vec<f64>) -> Self {
        let valid = values.iter().any(|v| v.is_nan()).then(|| values.iter().map(|v| !v.is_nan()).collect());
        Self::Number { values, valid }
    }

    /// A category column from cells; names are sorted, so codes do not depend on the order of rows.
    pub fn categories<S: AsRef<str>>(cells: &[Option<S>]) -> Self {
        let mut names: Vec<String> = cells.iter().flatten().map(|s| s.as_ref().to_owned()).collect();
        names.sort();
        names.dedup();
        let code = |cell: &Option<S>| match cell {
            Some(s) => names.binary_search_by(|n| n.as_str().cmp(s.as_ref())).expect("every cell is among the names") as u32,
            None => MISSING_CODE,
        };
        Self::Category { codes: cells.iter().map(code).collect(), names: Arc::new(names) }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Number { values, .. } => values.len(),
            Self::Category { codes, .. } => codes.len(),
            Self::Text(cells) => cells.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the cell of `row` is missing.
    #[inline]
    pub fn is_missing(&self, row: usize) -> bool {
        match self {
            Self::Number { valid, .. } => valid.as_ref().is_some_and(|v| !v.get(row)),
            Self::Category { codes, .. } => codes[row] == MISSING_CODE,
            Self::Text(cells) => cells[row].is_none(),
        }
    }

    fn append(&mut self, other: Self) {
        let before = self.len();
        match (self, other) {
            (Self::Number { values, valid }, Self::Number { values: more, valid: more_valid }) => {
                if valid.is_some() || more_valid.is_some() {
                    let bits = valid.get_or_insert_with(|| Bitmap::filled(before, true));
                    (0..more.len()).for_each(|i| bits.push(more_valid.as_ref().is_none_or(|v| v.get(i))));
                }
                values.extend(more);
            }
            (Self::Category { codes, .. }, Self::Category { codes: more, .. }) => codes.extend(more),
            (Self::Text(cells), Self::Text(more)) => cells.extend(more),
            _ => panic!("columns of different forms"),
        }
    }

    /// The given rows, in that order.
    pub fn take_rows(&self, rows: &[usize]) -> Self {
        match self {
            Self::Number { values, valid } => Self::Number {
                values: rows.iter().map(|&i| values[i]).collect(),
                valid: valid.as_ref().map(|v| rows.iter().map(|&i| v.get(i)).collect()),
            },
            Self::Category { codes, names } => {
                Self::Category { codes: rows.iter().map(|&i| codes[i]).collect(), names: names.clone() }
            }
            Self::Text(cells) => Self::Text(rows.iter().map(|&i| cells[i].clone()).collect()),
        }
    }
}

/// An owned table: a schema and a column for each of its fields, all of one length. Tables share their columns: a clone, or a table of
/// some of the columns, copies no cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    schema: Arc<Schema>,
    columns: Vec<Arc<Column>>,
    rows: usize,
}

impl Table {
    /// A table from named columns; the schema is derived. Columns of unequal length and duplicate names are errors.
    pub fn new<S: Into<String>>(columns: impl IntoIterator<Item = (S, Column)>) -> Result<Self> {
        let mut fields = Vec::new();
        let mut cells = Vec::new();
        for (name, column) in columns {
            let (kind, categories) = match &column {
                Column::Number { .. } => (ColumnKind::Number, Arc::default()),
                Column::Category { names, .. } => (ColumnKind::Category, names.clone()),
                Column::Text(_) => (ColumnKind::Text, Arc::default()),
            };
            fields.push(Field { name: name.into(), kind, categories });
            cells.push(column);
        }
        Self::with_schema(Schema { fields }, cells)
    }

    /// A table from a schema and its columns. Kinds must match the columns: dates and numbers are number columns,
    /// categories category columns with the names of the field; text and identifiers may be any.
    pub fn with_schema<C: Into<Arc<Column>>>(schema: Schema, columns: Vec<C>) -> Result<Self> {
        let columns: Vec<Arc<Column>> = columns.into_iter().map(C::into).collect();
        if schema.len() != columns.len() {
            return Err(Error::Length { what: "columns of the table".into(), expected: schema.len(), found: columns.len() });
        }
        let rows = columns.first().map_or(0, |c| c.len());
        let mut seen = std::collections::BTreeSet::new();
        for (field, column) in schema.fields.iter().zip(&columns) {
            if !seen.insert(&field.name) {
                return Err(Error::Data(format!("column \"{}\" occurs twice", field.name)));
            }
            if column.len() != rows {
                return Err(Error::Length {
                    what: format!("rows of column \"{}\"", field.name),
                    expected: rows,
                    found: column.len(),
                });
            }
            let fits = match (field.kind, &**column) {
                (ColumnKind::Number | ColumnKind::Date, Column::Number { valid, values }) => {
                    valid.as_ref().is_none_or(|v| v.len() == values.len())
                }
                (ColumnKind::Category, Column::Category { codes, names }) => {
                    **names == *field.categories && codes.iter().all(|&c| c == MISSING_CODE || (c as usize) < names.len())
                }
                (ColumnKind::Text, Column::Text(_)) | (ColumnKind::Identifier, _) => true,
                _ => false,
            };
            if !fits {
                return Err(Error::Data(format!("column \"{}\" does not hold what its kind, {}, says", field.name, field.kind)));
            }
        }
        Ok(Self { schema: Arc::new(schema), columns, rows })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Names and kinds.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// All columns, in order.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = &Column> + Clone {
        self.columns.iter().map(|c| &**c)
    }

    /// Column number `col`.
    pub fn column_at(&self, col: usize) -> &Column {
        &self.columns[col]
    }

    /// Column number `col`, to be shared with another table.
    pub fn shared_column(&self, col: usize) -> Arc<Column> {
        self.columns[col].clone()
    }

    /// The column called `name`.
    pub fn column(&self, name: &str) -> Result<&Column> {
        Ok(&self.columns[self.schema.position(name)?])
    }

    /// A view of the whole.
    pub fn view(&self) -> TableRef<'_> {
        TableRef { table: self, start: 0, rows: self.rows }
    }

    /// The named columns, in that order.
    pub fn select<S: AsRef<str>>(&self, names: &[S]) -> Result<Self> {
        let at = names.iter().map(|n| self.schema.position(n.as_ref())).collect::<Result<Vec<_>>>()?;
        let fields = at.iter().map(|&j| self.schema.fields[j].clone()).collect();
        let columns = at.iter().map(|&j| self.columns[j].clone()).collect();
        Ok(Self { schema: Arc::new(Schema { fields }), columns, rows: self.rows })
    }

    /// The table without the named columns, and the columns that were taken out, in the order of `names`.
    pub fn split_off<S: AsRef<str>>(mut self, names: &[S]) -> Result<(Self, Vec<(Field, Column)>)> {
        let mut schema = Arc::unwrap_or_clone(self.schema);
        let mut out = Vec::new();
        for name in names {
            let at = schema.position(name.as_ref())?;
            out.push((schema.fields.remove(at), Arc::unwrap_or_clone(self.columns.remove(at))));
        }
        Ok((Self { schema: Arc::new(schema), columns: self.columns, rows: self.rows }, out))
    }

    /// The table without the named columns.
    pub fn without<S: AsRef<str>>(mut self, names: &[S]) -> Result<Self> {
        let mut schema = Arc::unwrap_or_clone(self.schema);
        for name in names {
            let at = schema.position(name.as_ref())?;
            schema.fields.remove(at);
            self.columns.remove(at);
        }
        Ok(Self { schema: Arc::new(schema), ..self })
    }

    /// Puts other cells in the place of a column's and returns those; they must be as many, of the same form, and of the same
    /// names where they are categories.
    pub fn replace(&mut self, col: usize, cells: Column) -> Result<Column> {
        if cells.len() != self.rows {
            let what = format!("rows of column \"{}\"", self.schema.fields[col].name);
            return Err(Error::Length { what, expected: self.rows, found: cells.len() });
        }
        let fits = match (&*self.columns[col], &cells) {
            (Column::Number { .. }, Column::Number { .. }) | (Column::Text(_), Column::Text(_)) => true,
            (Column::Category { names, .. }, Column::Category { codes, names: new }) => {
                names == new && codes.iter().all(|&c| c == MISSING_CODE || (c as usize) < names.len())
            }
            _ => false,
        };
        if !fits {
            let name = &self.schema.fields[col].name;
            return Err(Error::Data(format!("column \"{name}\" cannot be replaced by cells of another form")));
        }
        Ok(Arc::unwrap_or_clone(std::mem::replace(&mut self.columns[col], Arc::new(cells))))
    }

    /// Adds the rows of a table with the same schema at the end.
    ///
    /// # Panics
    /// When a column is of another form.
    pub fn append_rows(&mut self, other: Self) {
        assert_eq!(self.columns.len(), other.columns.len(), "tables of different widths");
        for (to, from) in self.columns.iter_mut().zip(other.columns) {
            Arc::make_mut(to).append(Arc::unwrap_or_clone(from));
        }
        self.rows += other.rows;
    }

    /// The given rows, in that order.
    pub fn take_rows(&self, rows: &[usize]) -> Self {
        let columns = self.columns.iter().map(|c| Arc::new(c.take_rows(rows))).collect();
        Self { schema: self.schema.clone(), columns, rows: rows.len() }
    }
}

/// A borrowed range of rows of a table.
#[derive(Debug, Clone, Copy)]
pub struct TableRef<'a> {
    table: &'a Table,
    start: usize,
    rows: usize,
}

impl<'a> TableRef<'a> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.table.columns.len()
    }

    /// Names and kinds.
    pub fn schema(&self) -> &'a Schema {
        &self.table.schema
    }

    /// The underlying table.
    pub fn table(&self) -> &'a Table {
        self.table
    }

    /// The rows of the table in the view.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.rows
    }

    /// The rows of `range` as a view.
    pub fn row_range(&self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.rows, "rows {range:?} of {}", self.rows);
        Self { table: self.table, start: self.start + range.start, rows: range.len() }
    }

    /// The values of number column `col` (NaN where missing), or `None` if it is no number column.
    pub fn numbers(&self, col: usize) -> Option<&'a [f64]> {
        match &*self.table.columns[col] {
            Column::Number { values, .. } => Some(&values[self.range()]),
            _ => None,
        }
    }

    /// Codes and names of category column `col`, or `None` if it is no category column.
    pub fn categories(&self, col: usize) -> Option<(&'a [u32], &'a Arc<Vec<String>>)> {
        match &*self.table.columns[col] {
            Column::Category { codes, names } => Some((&codes[self.range()], names)),
            _ => None,
        }
    }

    /// Whether a cell is missing.
    pub fn is_missing(&self, row: usize, col: usize) -> bool {
        self.table.columns[col].is_missing(self.start + row)
    }

    /// How many cells of a column are missing, and the first such row.
    pub fn missing(&self, col: usize) -> Option<(usize, usize)> {
        if let Column::Number { valid: None, .. } = *self.table.columns[col] {
            return None;
        }
        let mut rows = (0..self.rows).filter(|&i| self.is_missing(i, col));
        rows.next().map(|first| (1 + rows.count(), first))
    }

    /// The given rows, in that order, as an owned table.
    pub fn take_rows(&self, rows: &[usize]) -> Table {
        let shifted: Vec<usize> = rows.iter().map(|i| i + self.start).collect();
        self.table.take_rows(&shifted)
    }

    /// All columns as one matrix of numbers. A column of another kind, or a missing cell, is an error that names
    /// `learner`.
    pub fn to_numbers(&self, learner: &str) -> Result<Mat<f64>> {
        let mut out = Mat::zeros(self.rows, self.cols());
        for (j, field) in self.schema().fields.iter().enumerate() {
            let Some(values) = self.numbers(j) else {
                return Err(Error::Kind {
                    column: format!("\"{}\"", field.name),
                    found: format!("of type {}", field.kind),
                    learner: learner.to_owned(),
                    needed: "numbers".into(),
                });
            };
            if let Some((count, row)) = self.missing(j) {
                return Err(Error::Missing { column: format!("\"{}\"", field.name), count, row, learner: learner.to_owned() });
            }
            for (i, &v) in values.iter().enumerate() {
                out[(i, j)] = v;
            }
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn penguin_like() -> Table {
        Table::new([
            ("mass", Column::numbers(vec![3.7, f64::NAN, 4.1])),
            ("island", Column::categories(&[Some("Torgersen"), Some("Biscoe"), None])),
        ])
        .unwrap()
    }

    #[test]
    fn missing_is_validity_and_codes_are_sorted_names() {
        let t = penguin_like();
        let v = t.view();
        assert_eq!(v.missing(0), Some((1, 1)));
        let (codes, names) = v.categories(1).unwrap();
        assert_eq!(codes, [1, 0, MISSING_CODE]);
        assert_eq!(**names, ["Biscoe", "Torgersen"]);
        assert_eq!(v.row_range(1..3).numbers(0).unwrap()[1], 4.1);
        assert_eq!(t.take_rows(&[2, 2]).view().missing(1), Some((2, 0)));
    }

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        let t = penguin_like();
        let e = t.view().to_numbers("ridge").unwrap_err().to_string();
        assert!(e.contains("\"mass\"") && e.contains("1 missing") && e.contains("ridge"), "{e}");
        let e = t.select(&["island"]).unwrap().view().to_numbers("ridge").unwrap_err().to_string();
        assert!(e.contains("\"island\"") && e.contains("category"), "{e}");
        assert!(t.column("iland").unwrap_err().to_string().contains("did you mean \"island\""));
        let twice = Table::new([("a", Column::numbers(vec![])), ("a", Column::numbers(vec![]))]);
        assert!(twice.unwrap_err().to_string().contains("twice"));
    }
}
