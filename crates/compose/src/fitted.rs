//! A trained model with everything needed to use it again: learner, schema, target, and its file.

use std::path::Path;
use std::time::Duration;

use ermine_core::{
    AnyLearner, Certificate, Context, DatasetRef, Error, Model, Report, Result, RowSource, Schema, Table,
    file::{self, DataInfo, FORMAT, Header, ModelWriter, TargetInfo},
};

use crate::{Problem, UnseenCategories, catalogue, models, problem};

/// A trained model with its learner, parameters and data description: the content of a model file.
pub struct Fitted {
    /// The learner with its parameters.
    pub learner: Box<dyn AnyLearner>,
    /// The fitted model.
    pub model: Box<dyn Model>,
    /// The columns it was trained on.
    pub schema: Schema,
    /// The target.
    pub target: TargetInfo,
    /// The training data, and how they were read.
    pub data: DataInfo,
    /// The evidence of the fit.
    pub certificate: Option<Certificate>,
    /// The seed of the fit.
    pub seed: u64,
}

impl std::fmt::Debug for Fitted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fitted")
            .field("learner", &self.learner.spec().name)
            .field("columns", &self.schema.len())
            .finish_non_exhaustive()
    }
}

impl Fitted {
    /// Trains on a problem.
    pub fn train(learner: Box<dyn AnyLearner>, problem: &Problem, cx: &Context<'_>) -> Result<Self> {
        let data = problem.dataset();
        let mut fitted = Self::train_on(learner, &data, problem.target.clone(), cx)
            .map_err(|e| e.with_row(|row| problem.row_of_table(row)))?;
        fitted.data.fingerprint = Some(data.fingerprint());
        Ok(fitted)
    }

    /// Trains on rows in memory; `target` names the target columns.
    pub fn train_on(learner: Box<dyn AnyLearner>, data: &DatasetRef<'_>, target: TargetInfo, cx: &Context<'_>) -> Result<Self> {
        let model = learner.fit_any(data, cx)?;
        Ok(Self::new(learner, model, data.schema_or_unnamed().into_owned(), target, Some(data.rows()), cx))
    }

    /// A model that was trained on these rows elsewhere, by an ensemble of models of cross-validation for example.
    pub fn of_trained(
        learner: Box<dyn AnyLearner>,
        model: Box<dyn Model>,
        data: &DatasetRef<'_>,
        target: TargetInfo,
        cx: &Context<'_>,
    ) -> Self {
        let mut fitted = Self::new(learner, model, data.schema_or_unnamed().into_owned(), target, Some(data.rows()), cx);
        fitted.data.fingerprint = Some(data.fingerprint());
        fitted
    }

    /// Continues a model of the same learner with further rows, or starts when there is none yet.
    pub fn partial_fit(
        learner: Box<dyn AnyLearner>,
        start: Option<&dyn Model>,
        data: &DatasetRef<'_>,
        target: TargetInfo,
        cx: &Context<'_>,
    ) -> Result<Self> {
        let model = learner.partial_fit_any(start, data, cx)?;
        Ok(Self::new(learner, model, data.schema_or_unnamed().into_owned(), target, Some(data.rows()), cx))
    }

    /// Continues from a model of fewer parts to the model of an uninterrupted fit ([`Learner::WARM_START`]), or starts
    /// when there is none yet.
    ///
    /// [`Learner::WARM_START`]: ermine_core::Learner::WARM_START
    pub fn warm_start(
        learner: Box<dyn AnyLearner>,
        start: Option<&dyn Model>,
        data: &DatasetRef<'_>,
        target: TargetInfo,
        cx: &Context<'_>,
    ) -> Result<Self> {
        let model = learner.warm_start_any(start, data, cx)?;
        Ok(Self::new(learner, model, data.schema_or_unnamed().into_owned(), target, Some(data.rows()), cx))
    }

    /// Trains on a problem like [`Fitted::train`], storing the partially trained model in a file as it grows, and
    /// resuming from that file if it exists.
    /// when it is there.
    ///
    /// The file is a model file like any other. It is used when learner, parameters, seed, columns, target and number
    /// of rows are those of this fit; else the error names the difference and nothing is overwritten. It is removed at
    /// the end, when the model is complete.
    pub fn train_with_checkpoint(
        learner: Box<dyn AnyLearner>,
        problem: &Problem,
        path: &Path,
        every: Duration,
        cx: &Context<'_>,
    ) -> Result<Self> {
        if !learner.has_warm_start() {
            return Err(Error::Data(format!("{} does not grow part by part, so there is nothing to keep", learner.spec().name)));
        }
        let data = problem.dataset();
        let header = Header {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            learner: learner.spec().name.to_owned(),
            params: learner.params(),
            schema: data.schema_or_unnamed().into_owned(),
            target: problem.target.clone(),
            data: DataInfo { rows: Some(data.rows() as u64), ..DataInfo::default() },
            certificate: None,
            seed: cx.seed,
        };
        let start = if path.exists() { Some(Self::load(path)?.matching(&header, path)?) } else { None };
        let save = |model: &dyn Model| -> Result<()> {
            let mut out = ModelWriter::default();
            model.save(&mut out)?;
            let header = Header { certificate: model.certificate().cloned(), ..header.clone() };
            file::write_atomic(path, &file::encode(&header, &out)?)
        };
        let cx = Context { checkpoint: Some(&save), checkpoint_every: every, ..*cx };
        let start = start.as_ref().map(|fitted| &*fitted.model);
        let mut fitted = Self::warm_start(learner, start, &data, problem.target.clone(), &cx)
            .map_err(|e| e.with_row(|row| problem.row_of_table(row)))?;
        fitted.data.fingerprint = Some(data.fingerprint());
        if path.exists() {
            std::fs::remove_file(path).map_err(|e| Error::io(path, e))?;
        }
        Ok(fitted)
    }

    /// The model, if it comes from a fit with this header.
    fn matching(self, header: &Header, path: &Path) -> Result<Self> {
        let differs = |what: &str| {
            Err(Error::Data(format!(
                "the checkpoint {} belongs to another fit: its {what} differ; remove it or name another file",
                path.display()
            )))
        };
        if self.learner.spec().name != header.learner || self.learner.params() != header.params {
            return differs("parameters");
        }
        if self.schema != header.schema || self.target != header.target {
            return differs("columns or target");
        }
        if self.data.rows != header.data.rows {
            return differs("numbers of rows");
        }
        if self.seed != header.seed {
            return differs("seeds");
        }
        Ok(self)
    }

    /// Trains on a source of rows that may be larger than memory.
    pub fn train_source(
        learner: Box<dyn AnyLearner>,
        source: &dyn RowSource,
        target: TargetInfo,
        cx: &Context<'_>,
    ) -> Result<Self> {
        let model = learner.fit_source(source, cx)?;
        Ok(Self::new(learner, model, source.schema().clone(), target, source.rows(), cx))
    }

    fn new(
        learner: Box<dyn AnyLearner>,
        model: Box<dyn Model>,
        schema: Schema,
        target: TargetInfo,
        rows: Option<usize>,
        cx: &Context<'_>,
    ) -> Self {
        let data = DataInfo { rows: rows.map(|n| n as u64), ..DataInfo::default() };
        let certificate = model.certificate().cloned();
        Self { learner, model, schema, target, data, certificate, seed: cx.seed }
    }

    /// The columns of a table in the order of the model, matched by name.
    pub fn align(&self, table: &Table) -> Result<Table> {
        problem::align(table, &self.schema)
    }

    /// To find what is unlike the training data in tables that [`Fitted::align`] has made: values of category columns that training
    /// did not know.
    pub fn unseen_categories(&self) -> UnseenCategories<'_> {
        UnseenCategories::new(&self.schema)
    }

    /// Tables and curves for people.
    pub fn report(&self) -> Report {
        self.model.report(&self.schema)
    }

    /// The bytes of the model file. The same model gives the same bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let header = Header {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            learner: self.learner.spec().name.to_owned(),
            params: self.learner.params(),
            schema: self.schema.clone(),
            target: self.target.clone(),
            data: self.data.clone(),
            certificate: self.certificate.clone(),
            seed: self.seed,
        };
        let mut out = ModelWriter::default();
        self.model.save(&mut out)?;
        file::encode(&header, &out)
    }

    /// Reads the bytes of a model file, from this or any earlier release. Whatever the bytes are, the answer is a model
    /// that can be used or an error.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        let (header, reader) = models::open_file(bytes)?;
        let mut learner = catalogue::learner(&header.learner).map_err(|e| Error::Model(e.to_string()))?;
        let params = header.params.as_object().ok_or_else(|| Error::Model("its parameters are no object".into()))?;
        learner.set_all(params).map_err(|e| Error::Model(e.to_string()))?;
        let model = learner.load_any(&reader)?;
        models::check_header(&header, &*model)?;
        let Header { schema, target, data, certificate, seed, .. } = header;
        Ok(Self { learner, model, schema, target, data, certificate, seed })
    }

    /// Saves the model; a failure leaves an older file intact.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        file::write_atomic(path.as_ref(), &self.to_bytes()?)
    }

    /// Opens a saved model.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
        Self::from_bytes(bytes).map_err(|e| Error::Format { path: path.display().to_string(), message: e.to_string() })
    }
}
