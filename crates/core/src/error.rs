//! One error type: every variant names the thing and the number, and says what to do where that is known.

/// The result of anything that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something failed. `Display` is a whole sentence for a person; [`Error::help`] is the advice.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter has a value outside its range or of the wrong type.
    #[error("parameter \"{name}\" of {learner}: {value} is refused; {expected}")]
    Parameter {
        /// The learner.
        learner: &'static str,
        /// The parameter.
        name: String,
        /// The value that was given, as text.
        value: String,
        /// The accepted values.
        expected: String,
    },
    /// A name that does not exist; `nearest` are similar names.
    #[error("there is no {what} \"{name}\"{}", did_you_mean(.nearest, .known))]
    Unknown {
        /// The kind of thing: "parameter of ridge", "column", "model", "example".
        what: String,
        /// The requested name.
        name: String,
        /// The nearest existing names, best first.
        nearest: Vec<String>,
        /// Where none is near, some that exist, and how many more there are.
        known: (Vec<String>, usize),
    },
    /// Two lengths that must agree do not.
    #[error("{what}: expected {expected}, found {found}")]
    Length {
        /// The things that were counted.
        what: String,
        /// The number that was needed.
        expected: usize,
        /// The number that was found.
        found: usize,
    },
    /// A cell that is not a finite number where one is needed. Rows count from 0.
    #[error("column {column}, row {row}: {value} is not a finite number")]
    NotFinite {
        /// The column, by name when it has one.
        column: String,
        /// The first such row.
        row: usize,
        /// `NaN`, `infinity` or `-infinity`.
        value: String,
    },
    /// A number outside what the learner accepts. Rows count from 0.
    #[error("{what}, row {row}: {value} is out of range; {needed}")]
    OutOfRange {
        /// "target", or the column.
        what: String,
        /// The first such row.
        row: usize,
        /// The number.
        value: f64,
        /// The accepted values: "poisson needs numbers from 0 up".
        needed: String,
    },
    /// A row that is invalid for any other reason. Rows count from 0.
    #[error("{place}, row {row}: {message}")]
    Row {
        /// "target", "sample weight", or the column.
        place: String,
        /// The first such row.
        row: usize,
        /// The problem.
        message: String,
    },
    /// Missing cells for a learner that does not take them.
    #[error("column {column}: {count} missing values (the first in row {row}), and {learner} does not accept missing values")]
    Missing {
        /// The column.
        column: String,
        /// How many cells are missing.
        count: usize,
        /// The first row.
        row: usize,
        /// The learner.
        learner: String,
    },
    /// A column of a kind that the learner cannot read.
    #[error("column {column} is {found}, and {learner} needs {needed}")]
    Kind {
        /// The column.
        column: String,
        /// The actual kind.
        found: String,
        /// The learner.
        learner: String,
        /// The accepted kinds.
        needed: String,
    },
    /// Data that cannot be learned from, for a reason that is not a single cell.
    #[error("{0}")]
    Data(String),
    /// The target is missing or of the wrong sort.
    #[error("target: {0}")]
    Target(String),
    /// Sample weights that are negative, not finite, or all zero.
    #[error("sample weight: {0}")]
    Weight(String),
    /// Prediction on data that does not fit the model.
    #[error("the model was trained on {expected} columns and this data has {found}")]
    Columns {
        /// Columns the model knows.
        expected: usize,
        /// Columns found.
        found: usize,
    },
    /// The observer asked to stop the fit.
    #[error("stopped on request during {0}")]
    Stopped(String),
    /// The deadline passed before there was anything to return.
    #[error("the time limit passed during {0}, before there was a model to return")]
    Deadline(String),
    /// A computation that broke down in spite of valid input.
    #[error("{0}")]
    Numeric(String),
    /// A file that could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The message of the system.
        source: std::io::Error,
    },
    /// A text file whose content is wrong. Lines and columns count from 1.
    #[error("{path}, line {line}, column {column}: {message}")]
    Parse {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
        /// The field, from 1.
        column: u64,
        /// The problem.
        message: String,
    },
    /// A file of a format that is unknown or broken.
    #[error("{path}: {message}")]
    Format {
        /// The file.
        path: String,
        /// The problem.
        message: String,
    },
    /// A model file that is not whole, not safe or not ours.
    #[error("model file: {0}")]
    Model(String),
}

fn did_you_mean(nearest: &[String], known: &(Vec<String>, usize)) -> String {
    let list = |names: &[String]| names.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ");
    match (nearest, known) {
        ([one], _) => format!("; did you mean \"{one}\"?"),
        ([], (names, _)) if names.is_empty() => String::new(),
        ([], (names, 0)) => format!("; there is {}", list(names)),
        ([], (names, more)) => format!("; there is {} and {more} more", list(names)),
        (many, _) => format!("; did you mean one of {}?", list(many)),
    }
}

/// Most names listed where none resembles the unknown one.
const MAX_LISTED_NAMES: usize = 8;

impl Error {
    /// An I/O error with its file.
    pub fn io(path: impl AsRef<std::path::Path>, source: std::io::Error) -> Self {
        Self::Io { path: path.as_ref().display().to_string(), source }
    }

    /// A value that parameter `name` of `learner` cannot have; `expected` describes the accepted values.
    pub fn parameter(
        learner: &'static str,
        name: impl Into<String>,
        value: impl std::fmt::Display,
        expected: impl Into<String>,
    ) -> Self {
        Self::Parameter { learner, name: name.into(), value: value.to_string(), expected: expected.into() }
    }

    /// An unknown name, answered with the nearest of `known`.
    pub fn unknown<'a>(what: impl Into<String>, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        Self::unknown_of(what.into(), name, &known.into_iter().collect::<Vec<_>>())
    }

    fn unknown_of(what: String, name: &str, known: &[&str]) -> Self {
        let nearest = crate::closest_name(name, known.iter().copied());
        let listed = if nearest.is_empty() { MAX_LISTED_NAMES.min(known.len()) } else { 0 };
        let more = if listed > 0 { known.len() - listed } else { 0 };
        let known = (known[..listed].iter().map(|n| n.to_string()).collect(), more);
        Self::Unknown { what, name: name.to_owned(), nearest, known }
    }

    /// The row that the error names, from 0.
    pub fn row(&self) -> Option<usize> {
        match self {
            Self::NotFinite { row, .. } | Self::OutOfRange { row, .. } | Self::Row { row, .. } | Self::Missing { row, .. } => {
                Some(*row)
            }
            _ => None,
        }
    }

    /// The same error with another row number: a row of a block becomes a row of the whole, or a row that counts from 0
    /// one that counts from 1.
    #[must_use]
    pub fn with_row(mut self, new: impl FnOnce(usize) -> usize) -> Self {
        if let Self::NotFinite { row, .. } | Self::OutOfRange { row, .. } | Self::Row { row, .. } | Self::Missing { row, .. } =
            &mut self
        {
            *row = new(*row);
        }
        self
    }

    /// Advice, where there is one obvious thing to do.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Missing { .. } => Some("impute the column, drop it, or use a model that takes missing values, such as tree"),
            Self::NotFinite { .. } => {
                Some("remove or replace the value; a missing value is an empty cell or NaN in a table read with missing markers")
            }
            Self::Kind { .. } => {
                Some("encode the column (one-hot, ordinal), drop it, or use a model that takes categories, such as tree")
            }
            Self::Deadline(_) => Some("raise the time limit or use less data"),
            _ => None,
        }
    }
}
