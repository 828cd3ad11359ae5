//! The data of a fit: features, target, weights.

use std::borrow::Cow;
use std::ops::Range;

use crate::blocks::column_label;
use crate::{Csr, CsrRef, Error, Mat, MatRef, Result, Schema, Spec, Table, TableRef, Task};

/// Features in one of four forms.
#[derive(Debug, Clone, Copy)]
pub enum Features<'a> {
    /// `f64` in any layout. NaN is a missing value for learners that take those.
    F64(MatRef<'a, f64>),
    /// `f32` in any layout.
    F32(MatRef<'a, f32>),
    /// Sparse rows.
    Csr(CsrRef<'a>),
    /// Typed columns.
    Table(TableRef<'a>),
}

impl<'a> Features<'a> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::F64(m) => m.rows(),
            Self::F32(m) => m.rows(),
            Self::Csr(m) => m.rows(),
            Self::Table(t) => t.rows(),
        }
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        match self {
            Self::F64(m) => m.cols(),
            Self::F32(m) => m.cols(),
            Self::Csr(m) => m.cols(),
            Self::Table(t) => t.cols(),
        }
    }

    /// The rows of `range` as a view.
    pub fn row_range(&self, range: Range<usize>) -> Self {
        match self {
            Self::F64(m) => Self::F64(m.row_range(range)),
            Self::F32(m) => Self::F32(m.row_range(range)),
            Self::Csr(m) => Self::Csr(m.row_range(range)),
            Self::Table(t) => Self::Table(t.row_range(range)),
        }
    }

    /// The given rows, in that order, as an owned copy.
    pub fn take_rows(&self, rows: &[usize]) -> OwnedFeatures {
        match self {
            Self::F64(m) => OwnedFeatures::F64(m.take_rows(rows)),
            Self::F32(m) => OwnedFeatures::F32(m.take_rows(rows)),
            Self::Csr(m) => OwnedFeatures::Csr(m.take_rows(rows)),
            Self::Table(t) => OwnedFeatures::Table(t.take_rows(rows)),
        }
    }

    /// All rows as an owned copy; tables share their columns.
    pub fn to_owned(&self) -> OwnedFeatures {
        match self {
            Self::F64(m) => OwnedFeatures::F64(m.to_owned()),
            Self::F32(m) => OwnedFeatures::F32(m.to_owned()),
            Self::Table(t) if t.rows() == t.table().rows() => OwnedFeatures::Table(t.table().clone()),
            Self::Csr(_) | Self::Table(_) => self.take_rows(&(0..self.rows()).collect::<Vec<_>>()),
        }
    }

    /// The rows as `f64`: a borrowed view when they are `f64` already, else a copy in `scratch`; meant for blocks of
    /// rows, so that the data are never copied whole. Tables must be all numbers without missing values (`learner` is
    /// named in the error).
    pub fn f64_rows<'s>(&self, scratch: &'s mut Vec<f64>, learner: &str) -> Result<MatRef<'s, f64>>
    where
        'a: 's,
    {
        let (rows, cols) = (self.rows(), self.cols());
        match self {
            Self::F64(m) => return Ok(*m),
            Self::F32(m) => {
                scratch.clear();
                scratch.reserve(rows * cols);
                for i in 0..rows {
                    match m.row(i) {
                        Some(row) => scratch.extend(row.iter().map(|&v| f64::from(v))),
                        None => scratch.extend((0..cols).map(|j| f64::from(*m.at(i, j)))),
                    }
                }
            }
            Self::Csr(m) => {
                scratch.clear();
                scratch.resize(rows * cols, 0.0);
                for i in 0..rows {
                    m.copy_row(i, &mut scratch[i * cols..(i + 1) * cols]);
                }
            }
            Self::Table(t) => *scratch = t.to_numbers(learner)?.into_vec(),
        }
        Ok(MatRef::row_major(scratch, rows, cols))
    }

    /// The first cell that is not a finite number, as an error that names it; `schema` gives the column names and rows
    /// count from the start of the view. Learners call it when their sums turn out not finite, so that valid data are
    /// not read twice.
    pub fn refuse_non_finite(&self, schema: Option<&Schema>) -> Result<()> {
        let cell = |row: usize, col: usize, v: f64| Error::NotFinite {
            column: column_label(schema, col),
            row,
            value: if v.is_nan() {
                "NaN".into()
            } else if v > 0.0 {
                "infinity".into()
            } else {
                "-infinity".to_owned()
            },
        };
        for i in 0..self.rows() {
            match self {
                Self::F64(m) => {
                    if let Some(j) = (0..m.cols()).find(|&j| !m.at(i, j).is_finite()) {
                        return Err(cell(i, j, *m.at(i, j)));
                    }
                }
                Self::F32(m) => {
                    if let Some(j) = (0..m.cols()).find(|&j| !m.at(i, j).is_finite()) {
                        return Err(cell(i, j, f64::from(*m.at(i, j))));
                    }
                }
                Self::Csr(m) => {
                    let (indices, values) = m.row(i);
                    if let Some(k) = values.iter().position(|v| !v.is_finite()) {
                        return Err(cell(i, indices[k] as usize, values[k]));
                    }
                }
                Self::Table(t) => {
                    for j in 0..t.cols() {
                        if let Some(values) = t.numbers(j)
                            && !values[i].is_finite()
                            && !t.is_missing(i, j)
                        {
                            return Err(cell(i, j, values[i]));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Refuses data of another width than `expected`.
    pub fn expect_cols(&self, expected: usize) -> Result<()> {
        if self.cols() == expected { Ok(()) } else { Err(Error::Columns { expected, found: self.cols() }) }
    }
}

/// The target.
#[derive(Debug, Clone, Copy)]
pub enum Target<'a> {
    /// Nothing: clustering, reduction, density.
    None,
    /// One number per row.
    Real(&'a [f64]),
    /// Several numbers per row.
    Reals(MatRef<'a, f64>),
    /// One class per row: codes into `names`.
    Class {
        /// One code per row.
        codes: &'a [u32],
        /// The class names, sorted; a name may have no row.
        names: &'a [String],
    },
}

impl<'a> Target<'a> {
    /// Number of rows, if there is a target.
    pub fn rows(&self) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Real(y) => Some(y.len()),
            Self::Reals(y) => Some(y.rows()),
            Self::Class { codes, .. } => Some(codes.len()),
        }
    }

    /// The rows of `range` as a view.
    pub fn row_range(&self, range: Range<usize>) -> Self {
        match self {
            Self::None => Self::None,
            Self::Real(y) => Self::Real(&y[range]),
            Self::Reals(y) => Self::Reals(y.row_range(range)),
            Self::Class { codes, names } => Self::Class { codes: &codes[range], names },
        }
    }

    /// The given rows, in that order, as an owned copy.
    pub fn take_rows(&self, rows: &[usize]) -> OwnedTarget {
        match self {
            Self::None => OwnedTarget::None,
            Self::Real(y) => OwnedTarget::Real(rows.iter().map(|&i| y[i]).collect()),
            Self::Reals(y) => OwnedTarget::Reals(y.take_rows(rows)),
            Self::Class { codes, names } => {
                OwnedTarget::Class { codes: rows.iter().map(|&i| codes[i]).collect(), names: names.to_vec() }
            }
        }
    }

    /// All rows as an owned copy.
    pub fn to_owned(&self) -> OwnedTarget {
        match self {
            Self::None => OwnedTarget::None,
            Self::Real(y) => OwnedTarget::Real(y.to_vec()),
            Self::Reals(y) => OwnedTarget::Reals(y.to_owned()),
            Self::Class { codes, names } => OwnedTarget::Class { codes: codes.to_vec(), names: names.to_vec() },
        }
    }

    /// Number of target columns of a regression.
    pub fn n_targets(&self) -> usize {
        match self {
            Self::Reals(y) => y.cols(),
            Self::None => 0,
            _ => 1,
        }
    }

    /// The target of a regression as a matrix of one or more columns.
    pub fn reals(&self) -> Result<MatRef<'a, f64>> {
        match self {
            Self::Real(y) => Ok(MatRef::row_major(y, y.len(), 1)),
            Self::Reals(y) => Ok(*y),
            Self::Class { .. } => Err(Error::Target("it has classes, and a regression needs numbers".into())),
            Self::None => Err(Error::Target("a regression needs one".into())),
        }
    }

    /// Codes and names of the target of a classification.
    pub fn classes(&self) -> Result<(&'a [u32], &'a [String])> {
        match self {
            Self::Class { codes, names } => Ok((codes, names)),
            Self::None => Err(Error::Target("a classification needs one".into())),
            _ => Err(Error::Target("it has numbers, and a classification needs classes".into())),
        }
    }

    /// The task that the target implies.
    pub fn task(&self) -> Option<Task> {
        match self {
            Self::None => None,
            Self::Real(_) | Self::Reals(_) => Some(Task::Regression),
            Self::Class { .. } => Some(Task::Classification),
        }
    }
}

/// Training rows, borrowed.
#[derive(Debug, Clone, Copy)]
pub struct DatasetRef<'a> {
    /// The features.
    pub x: Features<'a>,
    /// The target.
    pub y: Target<'a>,
    /// One weight per row: weight 2 is the row twice, weight 0 the row left out.
    pub weight: Option<&'a [f64]>,
    /// Names of the columns, where known; used in messages and reports.
    pub schema: Option<&'a Schema>,
}

impl<'a> DatasetRef<'a> {
    /// Features without target.
    pub fn new(x: Features<'a>) -> Self {
        let schema = match &x {
            Features::Table(t) => Some(t.schema()),
            _ => None,
        };
        Self { x, y: Target::None, weight: None, schema }
    }

    /// The same rows with a target.
    pub fn with_target(self, y: Target<'a>) -> Self {
        Self { y, ..self }
    }

    /// The same rows with weights.
    pub fn with_weight(self, weight: Option<&'a [f64]>) -> Self {
        Self { weight, ..self }
    }

    /// The same rows with column names.
    pub fn with_schema(self, schema: Option<&'a Schema>) -> Self {
        Self { schema, ..self }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.x.rows()
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.x.cols()
    }

    /// The weight of a row.
    #[inline]
    pub fn weight_of(&self, row: usize) -> f64 {
        self.weight.map_or(1.0, |w| w[row])
    }

    /// The sum of the weights.
    pub fn total_weight(&self) -> f64 {
        self.weight.map_or(self.rows() as f64, |w| w.iter().sum())
    }

    /// The rows of `range` as a view.
    pub fn row_range(&self, range: Range<usize>) -> Self {
        Self {
            x: self.x.row_range(range.clone()),
            y: self.y.row_range(range.clone()),
            weight: self.weight.map(|w| &w[range]),
            schema: self.schema,
        }
    }

    /// The given rows, in that order, as an owned copy.
    pub fn take_rows(&self, rows: &[usize]) -> OwnedDataset {
        OwnedDataset {
            x: self.x.take_rows(rows),
            y: self.y.take_rows(rows),
            weight: self.weight.map(|w| rows.iter().map(|&i| w[i]).collect()),
            schema: self.schema.cloned(),
        }
    }

    /// The schema, made up (x0, x1, …) when none was given.
    pub fn schema_or_unnamed(&self) -> Cow<'a, Schema> {
        match self.schema {
            Some(schema) => Cow::Borrowed(schema),
            None => Cow::Owned(Schema::unnamed(self.cols())),
        }
    }

    /// The checks that cost nothing next to a fit: lengths, emptiness, weights, target against task, form of the
    /// features against what the learner accepts. Cells are checked by the fit itself, which reads them anyway.
    pub fn check(&self, spec: &Spec) -> Result<()> {
        self.check_block(spec)?;
        if self.has_no_weight() {
            return Err(zero_weight_error());
        }
        Ok(())
    }

    /// Whether all rows have weight 0.
    pub(crate) fn has_no_weight(&self) -> bool {
        self.weight.is_some_and(|w| w.iter().all(|&w| w == 0.0))
    }

    /// [`DatasetRef::check`] for a block of rows, all of which may have weight 0.
    pub fn check_block(&self, spec: &Spec) -> Result<()> {
        let rows = self.rows();
        if rows == 0 {
            return Err(Error::Data(format!("there are 0 rows, and {} needs at least 1", spec.name)));
        }
        if self.cols() == 0 {
            return Err(Error::Data(format!("there are 0 columns, and {} needs at least 1", spec.name)));
        }
        if let Some(found) = self.y.rows()
            && found != rows
        {
            return Err(Error::Length { what: "rows of the target".into(), expected: rows, found });
        }
        if let Some(schema) = self.schema
            && schema.len() != self.cols()
        {
            return Err(Error::Length { what: "columns of the schema".into(), expected: self.cols(), found: schema.len() });
        }
        self.check_weight(spec)?;
        self.check_target(spec)?;
        self.check_form(spec)
    }

    fn check_weight(&self, spec: &Spec) -> Result<()> {
        let Some(weight) = self.weight else { return Ok(()) };
        if !spec.accepts.weights {
            return Err(Error::Weight(format!("{} does not take weights", spec.name)));
        }
        if weight.len() != self.rows() {
            return Err(Error::Length { what: "sample weights".into(), expected: self.rows(), found: weight.len() });
        }
        if let Some(row) = weight.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
            let message = format!("{} is refused; weights are finite and not negative", weight[row]);
            return Err(Error::Row { place: "sample weight".into(), row, message });
        }
        Ok(())
    }

    fn check_target(&self, spec: &Spec) -> Result<()> {
        match self.y.task() {
            None if spec.tasks.iter().all(|t| t.is_supervised()) => Err(Error::Target(format!("{} needs one", spec.name))),
            None => Ok(()),
            Some(task) => {
                // A learner without target ignores one: a preparation inside a pipeline is given the target too.
                if spec.tasks.iter().any(|t| t.is_supervised()) && !spec.tasks.contains(&task) {
                    let has = if task == Task::Classification { "classes" } else { "numbers" };
                    return Err(Error::Target(format!("it has {has}, and {} does not do {task}", spec.name)));
                }
                if matches!(self.y, Target::Reals(y) if y.cols() != 1) && !spec.accepts.multi_target {
                    return Err(Error::Target(format!("{} takes one target column, not {}", spec.name, self.y.n_targets())));
                }
                match self.y {
                    Target::Real(_) | Target::Reals(_) => {
                        let y = self.y.reals()?;
                        for i in 0..y.rows() {
                            if let Some(j) = (0..y.cols()).find(|&j| !y.at(i, j).is_finite()) {
                                let message = format!("{} is not a finite number", y.at(i, j));
                                return Err(Error::Row { place: "target".into(), row: i, message });
                            }
                        }
                        Ok(())
                    }
                    Target::Class { codes, names } => match codes.iter().position(|&c| c as usize >= names.len()) {
                        Some(row) => {
                            let message = format!("there is no class {} of {}", codes[row], names.len());
                            Err(Error::Row { place: "target".into(), row, message })
                        }
                        None => Ok(()),
                    },
                    Target::None => Ok(()),
                }
            }
        }
    }

    fn check_form(&self, spec: &Spec) -> Result<()> {
        let (learner, accepts) = (spec.name, &spec.accepts);
        match self.x {
            Features::Csr(_) if !accepts.sparse => Err(Error::Data(format!("{learner} does not take sparse rows"))),
            Features::Table(t) => {
                for (j, field) in t.schema().fields.iter().enumerate() {
                    let column = || format!("\"{}\"", field.name);
                    let number = t.numbers(j).is_some();
                    let category = accepts.categorical && t.categories(j).is_some();
                    if !number && !category && !spec.accepts_any_column() {
                        return Err(Error::Kind {
                            column: column(),
                            found: format!("of type {}", field.kind),
                            learner: learner.to_owned(),
                            needed: if accepts.categorical { "numbers or categories" } else { "numbers" }.into(),
                        });
                    }
                    if !accepts.missing
                        && let Some((count, row)) = t.missing(j)
                    {
                        return Err(Error::Missing { column: column(), count, row, learner: learner.to_owned() });
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Owned features.
#[derive(Debug, Clone)]
pub enum OwnedFeatures {
    /// `f64`.
    F64(Mat<f64>),
    /// `f32`.
    F32(Mat<f32>),
    /// Sparse rows.
    Csr(Csr),
    /// Typed columns.
    Table(Table),
}

impl OwnedFeatures {
    /// A view of the whole.
    pub fn view(&self) -> Features<'_> {
        match self {
            Self::F64(m) => Features::F64(m.view()),
            Self::F32(m) => Features::F32(m.view()),
            Self::Csr(m) => Features::Csr(m.view()),
            Self::Table(t) => Features::Table(t.view()),
        }
    }
}

/// An owned target.
#[derive(Debug, Clone)]
pub enum OwnedTarget {
    /// Nothing.
    None,
    /// One number per row.
    Real(Vec<f64>),
    /// Several numbers per row.
    Reals(Mat<f64>),
    /// One class per row.
    Class {
        /// One code per row.
        codes: Vec<u32>,
        /// The class names.
        names: Vec<String>,
    },
}

impl OwnedTarget {
    /// A class target from labels; names are sorted.
    pub fn from_labels<S: AsRef<str>>(labels: &[S]) -> Self {
        let mut names: Vec<String> = labels.iter().map(|l| l.as_ref().to_owned()).collect();
        names.sort();
        names.dedup();
        let code = |l: &S| names.binary_search_by(|n| n.as_str().cmp(l.as_ref())).expect("every label is among the names") as u32;
        Self::Class { codes: labels.iter().map(code).collect(), names }
    }

    /// Adds the rows of a target of the same kind at the end.
    ///
    /// # Panics
    /// When it is of another kind.
    pub fn append(&mut self, more: Self) {
        match (self, more) {
            (Self::None, Self::None) => {}
            (Self::Real(a), Self::Real(b)) => a.extend(b),
            (Self::Reals(a), Self::Reals(b)) => a.append_rows(b),
            (Self::Class { codes: a, .. }, Self::Class { codes: b, .. }) => a.extend(b),
            _ => panic!("targets of different kinds"),
        }
    }

    /// A view of the whole.
    pub fn view(&self) -> Target<'_> {
        match self {
            Self::None => Target::None,
            Self::Real(y) => Target::Real(y),
            Self::Reals(y) => Target::Reals(y.view()),
            Self::Class { codes, names } => Target::Class { codes, names },
        }
    }
}

/// Training rows, owned.
#[derive(Debug, Clone)]
pub struct OwnedDataset {
    /// The features.
    pub x: OwnedFeatures,
    /// The target.
    pub y: OwnedTarget,
    /// One weight per row.
    pub weight: Option<Vec<f64>>,
    /// Names of the columns, where known.
    pub schema: Option<Schema>,
}

impl OwnedDataset {
    /// A view of the whole.
    pub fn view(&self) -> DatasetRef<'_> {
        let base = DatasetRef::new(self.x.view());
        DatasetRef { y: self.y.view(), weight: self.weight.as_deref(), schema: self.schema.as_ref().or(base.schema), ..base }
    }
}

/// The error for rows that all have weight 0.
pub(crate) fn zero_weight_error() -> Error {
    Error::Weight("all weights are 0, so no row is left".into())
}
