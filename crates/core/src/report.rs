//! Reports of models: tables, curves and sentences, independent of how they are drawn.

use serde::{Deserialize, Serialize};

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// A number.
    Number(f64),
    /// A word.
    Text(String),
    /// Nothing.
    Empty,
}

impl From<f64> for Cell {
    fn from(v: f64) -> Self {
        Self::Number(v)
    }
}
impl From<&str> for Cell {
    fn from(v: &str) -> Self {
        Self::Text(v.to_owned())
    }
}
impl From<String> for Cell {
    fn from(v: String) -> Self {
        Self::Text(v)
    }
}

/// A named line through points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The title.
    pub name: String,
    /// The points.
    pub points: Vec<(f64, f64)>,
}

/// The meaning of the numbers in a column of a table. Headings are for people, and may contain names that people chose;
/// no code interprets them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnMeaning {
    /// No particular meaning.
    #[default]
    Plain,
    /// Coefficients of the columns named in the first cell.
    Coefficient,
    /// In units of the coefficient beside it: a standard error, an end of an interval.
    Width,
    /// p-values of a test.
    Probability,
}

/// A node of a decision tree.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TreeNodeReport {
    /// The condition on the branch from the parent; empty for the root.
    pub condition: String,
    /// Whether rows with a missing value of the condition's column come here too.
    pub takes_missing: bool,
    /// The prediction for rows that end here: a class, a number.
    #[serde(rename = "says")]
    pub prediction: String,
    /// Training rows that came here.
    pub rows: f64,
    /// Shares of the classes among them; empty where numbers are predicted.
    pub shares: Vec<f64>,
    /// The child nodes; none for a leaf.
    pub children: Vec<usize>,
}

/// A part of a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Section {
    /// A paragraph.
    Text(String),
    /// A table.
    Table {
        /// The title.
        title: String,
        /// The headings of the columns.
        columns: Vec<String>,
        /// The meaning of the numbers below each heading; empty where all are plain.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        meanings: Vec<ColumnMeaning>,
        /// The rows.
        rows: Vec<Vec<Cell>>,
    },
    /// Curves over one axis.
    Plot {
        /// The title.
        title: String,
        /// The horizontal axis.
        x: String,
        /// The vertical axis.
        y: String,
        /// The curves.
        curves: Vec<Curve>,
    },
    /// A decision tree.
    Tree {
        /// The title.
        title: String,
        /// The classes of the shares in the nodes; empty where numbers are predicted.
        classes: Vec<String>,
        /// The nodes: the root first, children after their parents.
        nodes: Vec<TreeNodeReport>,
    },
}

/// A report on a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Report {
    /// The parts, in reading order.
    pub sections: Vec<Section>,
}

impl Report {
    /// Adds a paragraph.
    pub fn text(&mut self, text: impl Into<String>) -> &mut Self {
        self.sections.push(Section::Text(text.into()));
        self
    }

    /// Adds a table.
    pub fn table(&mut self, title: impl Into<String>, columns: &[&str], rows: Vec<Vec<Cell>>) -> &mut Self {
        let columns = columns.iter().map(|&c| c.to_owned()).collect();
        self.sections.push(Section::Table { title: title.into(), columns, meanings: Vec::new(), rows });
        self
    }

    /// Adds a table of coefficients: the first cell of a row names a column, or is "(intercept)"; `heads` are the
    /// headings of the others. Columns that have no row have coefficient 0.
    pub fn coefficients(&mut self, title: impl Into<String>, heads: &[(&str, ColumnMeaning)], rows: Vec<Vec<Cell>>) -> &mut Self {
        let columns = std::iter::once("column").chain(heads.iter().map(|h| h.0)).map(str::to_owned).collect();
        let meanings = std::iter::once(ColumnMeaning::Plain).chain(heads.iter().map(|h| h.1)).collect();
        self.sections.push(Section::Table { title: title.into(), columns, meanings, rows });
        self
    }
}
