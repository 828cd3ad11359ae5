//! Names and kinds of columns.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The meaning of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKind {
    /// A quantity.
    Number,
    /// One of a set of names.
    Category,
    /// A day or a point in time, kept as days since 1970-01-01.
    Date,
    /// Free text.
    Text,
    /// A name for the row: not a feature.
    Identifier,
}

impl ColumnKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Number, Self::Category, Self::Date, Self::Text, Self::Identifier];

    /// The name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Category => "category",
            Self::Date => "date",
            Self::Text => "text",
            Self::Identifier => "identifier",
        }
    }
}

impl std::fmt::Display for ColumnKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for ColumnKind {
    type Err = Error;
    fn from_str(s: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|k| k.name() == s).ok_or_else(|| Error::unknown("column type", s, Self::ALL.map(Self::name)))
    }
}

/// One column: its name, its kind and, for categories, the names of the codes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// The column's name.
    pub name: String,
    /// The meaning of its cells.
    pub kind: ColumnKind,
    /// Names of the codes of a category column, else empty.
    #[serde(default, skip_serializing_if = "no_names")]
    pub categories: Arc<Vec<String>>,
}

fn no_names(names: &Arc<Vec<String>>) -> bool {
    names.is_empty()
}

/// The columns of a table or matrix, in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// The columns.
    pub fields: Vec<Field>,
}

impl Schema {
    /// Number columns with the given names.
    pub fn numbers<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        let field = |name: S| Field { name: name.into(), kind: ColumnKind::Number, categories: Arc::default() };
        Self { fields: names.into_iter().map(field).collect() }
    }

    /// `count` number columns called x0, x1, ….
    pub fn unnamed(count: usize) -> Self {
        Self::numbers((0..count).map(|j| format!("x{j}")))
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there is no column.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Whether it is `count` columns of numbers or dates.
    pub fn is_numbers(&self, count: usize) -> bool {
        self.len() == count && self.fields.iter().all(|f| matches!(f.kind, ColumnKind::Number | ColumnKind::Date))
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|f| f.name.as_str())
    }

    /// The name of column `j`; a column beyond those that are known is called `x` and its number, as in [`Schema::unnamed`].
    pub fn name(&self, j: usize) -> String {
        self.fields.get(j).map_or_else(|| format!("x{j}"), |f| f.name.clone())
    }

    /// Where the column called `name` is; an unknown name is answered with the nearest.
    pub fn position(&self, name: &str) -> Result<usize> {
        self.fields.iter().position(|f| f.name == name).ok_or_else(|| Error::unknown("column", name, self.names()))
    }
}

/// A column that a parameter refers to: by name, or by its number from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ColumnRef {
    /// Its number, from 0.
    Index(usize),
    /// Its name.
    Name(String),
}

impl ColumnRef {
    /// The index of the column; a name or number that does not exist is an error.
    pub fn position(&self, schema: &Schema) -> Result<usize> {
        match self {
            Self::Name(name) => schema.position(name),
            Self::Index(at) if *at < schema.len() => Ok(*at),
            Self::Index(at) => {
                Err(Error::Data(format!("there is no column number {at}: there are {}, counted from 0", schema.len())))
            }
        }
    }
}

impl From<&str> for ColumnRef {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl std::fmt::Display for ColumnRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Index(at) => write!(f, "{at}"),
            Self::Name(name) => write!(f, "\"{name}\""),
        }
    }
}
