//! The data set of a program: rows, their target and what belongs to them, borrowed or owned.

use std::borrow::Cow;

use crate::splits::hold_out;
use crate::{
    AsFeatures, AsTarget, Column, DatasetRef, Error, Features, FeaturesCow, Labels, OwnedDataset, OwnedFeatures, OwnedTarget,
    Result, Schema, Table, Target, TargetCow,
};

/// Rows to fit to, and their target.
///
/// It borrows what it is made from where the memory allows it (matrices and arrays in any layout) and copies what it must
/// (vectors of vectors). [`Dataset::into_owned`] gives one that borrows nothing.
///
/// ```
/// use ermine_core::Dataset;
///
/// let x = [[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [4.0, 3.0]];
/// let data = Dataset::try_from((&x, &["a", "b", "a", "b"]))?;
/// let (train, test) = data.split(0.5, 42)?;
/// assert_eq!((train.rows(), test.rows(), data.cols()), (2, 2, 2));
/// assert_eq!(data.labels()?, ["a", "b", "a", "b"]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Dataset<'a> {
    x: FeaturesCow<'a>,
    y: TargetCow<'a>,
    weight: Option<Cow<'a, [f64]>>,
    schema: Option<Cow<'a, Schema>>,
    target_name: Option<Cow<'a, str>>,
}

impl<'a> Dataset<'a> {
    /// Rows without a target, for clustering, reduction and density.
    pub fn from_features(x: &'a (impl AsFeatures + ?Sized)) -> Result<Self> {
        Ok(Self::from_parts(x.as_features()?, TargetCow::Borrowed(Target::None)))
    }

    /// The columns of a table, of which one is the target: categories and text are classes, numbers and dates a
    /// regression. The columns are shared, not copied.
    pub fn from_table(table: &Table, target: &str) -> Result<Self> {
        let column = table.column(target)?;
        if let Some(row) = (0..column.len()).find(|&i| column.is_missing(i)) {
            let place = format!("target, column \"{target}\"");
            return Err(Error::Row { place, row, message: "it is missing; leave such rows out".into() });
        }
        let y = match column {
            Column::Number { values, .. } => OwnedTarget::Real(values.clone()),
            Column::Category { codes, names } => {
                let cells: Vec<&str> = codes.iter().map(|&c| names[c as usize].as_str()).collect();
                OwnedTarget::from_labels(&cells)
            }
            Column::Text(cells) => OwnedTarget::from_labels(&cells.iter().flatten().collect::<Vec<_>>()),
        };
        let x = FeaturesCow::Owned(OwnedFeatures::Table(table.clone().without(&[target])?));
        Ok(Self { target_name: Some(target.to_owned().into()), ..Self::from_parts(x, TargetCow::Owned(y)) })
    }

    /// A data set from its parts; lengths are checked by the fit.
    pub fn from_parts(x: FeaturesCow<'a>, y: TargetCow<'a>) -> Self {
        Self { x, y, weight: None, schema: None, target_name: None }
    }

    /// The same rows with weights: weight 2 is the row twice, weight 0 the row left out.
    pub fn with_weights(self, weight: &'a [f64]) -> Self {
        Self { weight: Some(Cow::Borrowed(weight)), ..self }
    }

    /// The same rows with names for their columns, as errors and reports show them.
    pub fn with_names<S: Into<String>>(self, names: impl IntoIterator<Item = S>) -> Result<Self> {
        let schema = Schema::numbers(names);
        if schema.len() != self.cols() {
            return Err(Error::Length { what: "names of columns".into(), expected: self.cols(), found: schema.len() });
        }
        Ok(Self { schema: Some(Cow::Owned(schema)), ..self })
    }

    /// The same rows with a name for their target.
    pub fn with_target_name(self, name: impl Into<String>) -> Self {
        Self { target_name: Some(Cow::Owned(name.into())), ..self }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.features().rows()
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.features().cols()
    }

    /// The features.
    pub fn features(&self) -> Features<'_> {
        self.x.view()
    }

    /// The numbers of the target; an error when it is classes, or none.
    pub fn target(&self) -> Result<&[f64]> {
        match self.y.view() {
            Target::Real(y) => Ok(y),
            y => Err(y.reals().err().unwrap_or_else(|| Error::Target(format!("it has {} columns", y.n_targets())))),
        }
    }

    /// The classes of the target; an error when it is numbers, or none.
    pub fn labels(&self) -> Result<Labels> {
        let (codes, names) = self.y.view().classes()?;
        Labels::new(codes.to_vec(), names.to_vec())
    }

    /// The weights of the rows, if there are any.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weight.as_deref()
    }

    /// The name of the target, where it is known.
    pub fn target_name(&self) -> Option<&str> {
        self.target_name.as_deref()
    }

    /// Names and kinds of the columns; x0, x1, … where none were given.
    pub fn schema(&self) -> Cow<'_, Schema> {
        self.view().schema_or_unnamed()
    }

    /// A view of the whole: what learners read.
    pub fn view(&self) -> DatasetRef<'_> {
        let base = DatasetRef::new(self.x.view());
        DatasetRef { y: self.y.view(), weight: self.weight.as_deref(), schema: self.schema.as_deref().or(base.schema), ..base }
    }

    /// Training rows and a share of test rows, drawn from the seed; classes keep their shares.
    ///
    /// ```
    /// use ermine_core::Dataset;
    ///
    /// let x: Vec<[f64; 1]> = (0..100).map(|i| [f64::from(i)]).collect();
    /// let y: Vec<bool> = (0..100).map(|i| i % 10 == 0).collect();
    /// let (train, test) = Dataset::try_from((&x, &y))?.split(0.2, 42)?;
    /// assert_eq!((train.rows(), test.rows()), (80, 20));
    /// assert_eq!(test.labels()?.iter().filter(|&label| label == "true").count(), 2);
    /// # Ok::<(), ermine_core::Error>(())
    /// ```
    #[doc(alias = "train_test_split")]
    pub fn split(&self, test_share: f64, seed: u64) -> Result<(Dataset<'static>, Dataset<'static>)> {
        let (train, test) = hold_out(&self.y.view(), self.rows(), test_share, seed)?;
        Ok((self.take_rows(&train), self.take_rows(&test)))
    }

    /// The given rows, in that order.
    pub fn take_rows(&self, rows: &[usize]) -> Dataset<'static> {
        let taken = Dataset::from(self.view().take_rows(rows));
        Dataset { target_name: self.target_name.as_deref().map(|name| name.to_owned().into()), ..taken }
    }

    /// The same rows in memory of their own.
    pub fn into_owned(self) -> Dataset<'static> {
        Dataset {
            x: FeaturesCow::Owned(self.x.into_owned()),
            y: TargetCow::Owned(self.y.into_owned()),
            weight: self.weight.map(|w| Cow::Owned(w.into_owned())),
            schema: self.schema.map(|s| Cow::Owned(s.into_owned())),
            target_name: self.target_name.map(|name| Cow::Owned(name.into_owned())),
        }
    }
}

impl<'a, X: AsFeatures + ?Sized, Y: AsTarget + ?Sized> TryFrom<(&'a X, &'a Y)> for Dataset<'a> {
    type Error = Error;

    fn try_from((x, y): (&'a X, &'a Y)) -> Result<Self> {
        let data = Self::from_parts(x.as_features()?, y.as_target()?);
        match data.y.view().rows() {
            Some(found) if found != data.rows() => {
                Err(Error::Length { what: "rows of the target".into(), expected: data.rows(), found })
            }
            _ => Ok(data),
        }
    }
}

impl TryFrom<(&Table, &str)> for Dataset<'static> {
    type Error = Error;

    fn try_from((table, target): (&Table, &str)) -> Result<Self> {
        Self::from_table(table, target)
    }
}

impl<'a> From<DatasetRef<'a>> for Dataset<'a> {
    fn from(data: DatasetRef<'a>) -> Self {
        Self {
            x: FeaturesCow::Borrowed(data.x),
            y: TargetCow::Borrowed(data.y),
            weight: data.weight.map(Cow::Borrowed),
            schema: data.schema.map(Cow::Borrowed),
            target_name: None,
        }
    }
}

impl From<OwnedDataset> for Dataset<'static> {
    fn from(data: OwnedDataset) -> Self {
        let base = Self::from_parts(FeaturesCow::Owned(data.x), TargetCow::Owned(data.y));
        Self { weight: data.weight.map(Cow::Owned), schema: data.schema.map(Cow::Owned), ..base }
    }
}

impl AsFeatures for Dataset<'_> {
    fn as_features(&self) -> Result<FeaturesCow<'_>> {
        Ok(FeaturesCow::Borrowed(self.features()))
    }
}

/// Whatever can be looked at as rows to fit to: a [`Dataset`], a view, or a pair of features and target.
pub trait AsDataset {
    /// The rows; borrowed where their memory allows it.
    fn as_dataset(&self) -> Result<Dataset<'_>>;
}

impl<D: AsDataset + ?Sized> AsDataset for &D {
    fn as_dataset(&self) -> Result<Dataset<'_>> {
        (**self).as_dataset()
    }
}

impl AsDataset for Dataset<'_> {
    fn as_dataset(&self) -> Result<Dataset<'_>> {
        let target_name = self.target_name.as_deref().map(Cow::Borrowed);
        Ok(Dataset { target_name, ..Dataset::from(self.view()) })
    }
}

impl AsDataset for DatasetRef<'_> {
    fn as_dataset(&self) -> Result<Dataset<'_>> {
        Ok(Dataset::from(*self))
    }
}

impl AsDataset for OwnedDataset {
    fn as_dataset(&self) -> Result<Dataset<'_>> {
        Ok(Dataset::from(self.view()))
    }
}

impl<X: AsFeatures, Y: AsTarget> AsDataset for (X, Y) {
    fn as_dataset(&self) -> Result<Dataset<'_>> {
        Dataset::try_from((&self.0, &self.1))
    }
}
