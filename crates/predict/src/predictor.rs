//! A model with what it needs to predict rows by the names of their columns.

use std::path::Path;

use ermine_compose::{UnseenCategories, align, check_header, load_model, open_file};
use ermine_core::file::{Header, TargetInfo};
use ermine_core::{Error, Features, Mat, Model, Result, Schema, Table};

use crate::row::{self, RowCell};

/// A model as it comes from a file.
pub struct Predictor {
    /// The name of the learner that was trained.
    pub learner: String,
    /// The columns it was trained on.
    pub schema: Schema,
    /// Names of target columns and classes.
    pub target: TargetInfo,
    /// The model.
    pub model: Box<dyn Model>,
}

/// Opens a model file.
///
/// # Errors
/// When it cannot be read, is no model file or is damaged, or when its family is not compiled in.
pub fn load(path: impl AsRef<Path>) -> Result<Predictor> {
    let path = path.as_ref();
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    Predictor::from_bytes(bytes).map_err(|e| Error::Format { path: path.display().to_string(), message: e.to_string() })
}

impl std::fmt::Debug for Predictor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Predictor").field("learner", &self.learner).field("columns", &self.schema.len()).finish_non_exhaustive()
    }
}

impl Predictor {
    /// Reads the bytes of a model file, from this or any earlier release. Whatever the bytes are, the answer is a model that can be
    /// used or an error.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        let (header, reader) = open_file(bytes)?;
        let model = load_model(&header.learner, &reader)?;
        check_header(&header, &*model)?;
        let Header { learner, schema, target, .. } = header;
        Ok(Self { learner, schema, target, model })
    }

    /// A table of one row, from names and cells. Columns may come in any order.
    pub fn row<'a>(&self, cells: impl IntoIterator<Item = (&'a str, RowCell)>) -> Result<Table> {
        row::table(&self.schema, cells)
    }

    /// Numbers: one row per row, one column per target.
    pub fn predict(&self, rows: &Table) -> Result<Mat<f64>> {
        let regressor = self.model.as_regressor().ok_or_else(|| self.cannot("predict numbers"))?;
        regressor.predict(&Features::Table(self.align(rows)?.view()))
    }

    /// Probabilities: one row per row, one column per class of [`Predictor::classes`].
    pub fn proba(&self, rows: &Table) -> Result<Mat<f64>> {
        let classifier = self.model.as_classifier().ok_or_else(|| self.cannot("predict classes"))?;
        classifier.proba(&Features::Table(self.align(rows)?.view()))
    }

    /// The name of the most probable class of each row.
    pub fn classify(&self, rows: &Table) -> Result<Vec<&str>> {
        let classifier = self.model.as_classifier().ok_or_else(|| self.cannot("predict classes"))?;
        let codes = classifier.classify(&Features::Table(self.align(rows)?.view()))?;
        let names = classifier.classes();
        Ok(codes.into_iter().map(|c| names[c as usize].as_str()).collect())
    }

    /// The names of the classes; none where numbers are predicted.
    pub fn classes(&self) -> &[String] {
        self.model.as_classifier().map_or(&[], |c| c.classes())
    }

    /// The new columns of a preparation or a projection.
    pub fn transform(&self, rows: &Table) -> Result<Mat<f64>> {
        let transformer = self.model.as_transformer().ok_or_else(|| self.cannot("transform"))?;
        transformer.transform(&Features::Table(self.align(rows)?.view()))
    }

    /// The names of the columns of [`Predictor::transform`]; none where it does not transform.
    pub fn new_columns(&self) -> Vec<String> {
        let schema = self.model.as_transformer().map(|t| t.schema_out(&self.schema)).unwrap_or_default();
        schema.names().map(str::to_owned).collect()
    }

    /// The cluster of each row, or [`ermine_core::NOISE_LABEL`].
    pub fn assign(&self, rows: &Table) -> Result<Vec<u32>> {
        let clusterer = self.model.as_clusterer().ok_or_else(|| self.cannot("assign clusters"))?;
        clusterer.assign(&Features::Table(self.align(rows)?.view()))
    }

    /// The columns of a table in the order of the model, matched by name; further columns are left out.
    pub fn align(&self, rows: &Table) -> Result<Table> {
        align(rows, &self.schema)
    }

    /// To find values of category columns that training did not know, in tables that [`Predictor::align`] has made.
    pub fn unseen_categories(&self) -> UnseenCategories<'_> {
        UnseenCategories::new(&self.schema)
    }

    fn cannot(&self, what: &str) -> Error {
        let m = &self.model;
        let has = [
            ("predict numbers (predict)", m.as_regressor().is_some()),
            ("predict classes (classify, proba)", m.as_classifier().is_some()),
            ("transform columns (transform)", m.as_transformer().is_some()),
            ("assign clusters (assign)", m.as_clusterer().is_some()),
        ];
        let can: Vec<&str> = has.iter().filter(|h| h.1).map(|h| h.0).collect();
        let can = if can.is_empty() { "give densities (model.as_density)".to_owned() } else { can.join(", ") };
        Error::Data(format!("a model of {} does not {what}; it can {can}", self.learner))
    }
}
