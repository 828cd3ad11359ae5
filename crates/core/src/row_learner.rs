//! Learners written row by row: two functions make a model that predicts, is saved and is loaded.

use std::sync::Arc;

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    Classifier, Context, DatasetRef, Error, Features, Learner, Mat, MatRef, Model, ModelReader, ModelWriter, Progress, Regressor,
    Result, RowFunction, Schema, refuse_cell,
};

/// A regression that fits to complete numbers and predicts row by row. [`RowRegressorModel`] makes a [`Model`] of it:
/// forms of data, checks of cells, saving and loading are there.
///
/// The derive macro `Learner` of the facade writes the learner's side: `#[learner(regressor = MyModel)]`.
pub trait RowRegressor: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The learner: its parameters.
    type Params: Learner;
    /// Fits to rows of finite numbers, each of them contiguous.
    fn fit(params: &Self::Params, x: MatRef<'_, f64>, y: &[f64]) -> Result<Self>;
    /// The prediction for a row.
    fn predict(&self, row: &[f64]) -> f64;
}

/// A classification that fits to complete numbers and predicts row by row; see [`RowRegressor`].
pub trait RowClassifier: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The learner: its parameters.
    type Params: Learner;
    /// Fits to rows of finite numbers, each of them contiguous, with a class below `n_classes` for each.
    fn fit(params: &Self::Params, x: MatRef<'_, f64>, classes: &[u32], n_classes: usize) -> Result<Self>;
    /// Writes one number of at least 0 for each class, which are 0 before; probabilities are their shares in the sum.
    fn predict(&self, row: &[f64], proba: &mut [f64]);
}

/// The rows of a fit as contiguous finite numbers, once the learner's parameters and the context have been asked.
fn with_rows<L: Learner, T>(
    learner: &L,
    data: &DatasetRef<'_>,
    cx: &Context<'_>,
    fit: impl FnOnce(MatRef<'_, f64>) -> Result<T>,
) -> Result<T> {
    learner.check()?;
    data.check(&L::SPEC)?;
    cx.check(Progress { stage: "fit", done: 0, total: None, objective: None })?;
    data.x.refuse_non_finite(data.schema)?;
    let mut scratch = Vec::new();
    let rows = data.x.f64_rows(&mut scratch, L::SPEC.name)?;
    match rows.row(0) {
        Some(_) => fit(rows),
        None => fit(rows.to_owned().view()),
    }
}

/// Writes `width` numbers for each row.
fn map_rows(
    x: &Features<'_>,
    columns: usize,
    name: &str,
    width: usize,
    write: impl Fn(&[f64], &mut [f64]) -> Result<(), String>,
) -> Result<Mat<f64>> {
    /// Rows that are copied at a time, where they must be copied.
    const ROWS: usize = 1024;
    x.expect_cols(columns)?;
    let mut out = Mat::zeros(x.rows(), width);
    let (mut scratch, mut cells) = (Vec::new(), vec![0.0; columns]);
    for first in (0..x.rows()).step_by(ROWS) {
        let block = x.row_range(first..x.rows().min(first + ROWS));
        let in_all = |e: Error| e.with_row(|row| row + first);
        block.refuse_non_finite(None).map_err(in_all)?;
        let rows = block.f64_rows(&mut scratch, name).map_err(in_all)?;
        for i in 0..rows.rows() {
            rows.copy_row(i, &mut cells);
            write(&cells, out.row_mut(first + i)).map_err(|message| Error::Row {
                place: format!("prediction of {name}"),
                row: first + i,
                message,
            })?;
        }
    }
    Ok(out)
}

/// The model of a [`RowRegressor`].
#[derive(Debug, Clone)]
pub struct RowRegressorModel<M> {
    columns: usize,
    model: Arc<M>,
}

impl<M: RowRegressor> RowRegressorModel<M> {
    /// What was fitted.
    pub fn inner(&self) -> &M {
        &self.model
    }

    /// [`Learner::fit_rows`] of the learner.
    pub fn fit_rows(params: &M::Params, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Self> {
        let y = data.y.reals();
        with_rows(params, data, cx, |x| {
            let y: Vec<f64> = y?.col_iter(0).collect();
            Ok(Self { columns: x.cols(), model: Arc::new(M::fit(params, x, &y)?) })
        })
    }

    /// [`Learner::load`] of the learner.
    pub fn load(input: &ModelReader) -> Result<Self> {
        Ok(Self { columns: input.field("columns")?, model: Arc::new(input.field("model")?) })
    }
}

impl<M: RowRegressor> Model for RowRegressorModel<M> {
    fn n_features(&self) -> usize {
        self.columns
    }
    fn as_regressor(&self) -> Option<&dyn Regressor> {
        Some(self)
    }
    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("columns", &self.columns)?;
        out.field("model", &*self.model)
    }
}

impl<M: RowRegressor> Regressor for RowRegressorModel<M> {
    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let name = <M::Params as Learner>::SPEC.name;
        map_rows(x, self.columns, name, 1, |row, out| {
            out[0] = self.model.predict(row);
            Ok(())
        })
    }
    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        let (model, name) = (self.model.clone(), <M::Params as Learner>::SPEC.name);
        OwnRow::boxed(schema, self.columns, 1, name, move |row, out| {
            out[0] = model.predict(row);
            Ok(())
        })
    }
}

/// The model of a [`RowClassifier`].
#[derive(Debug, Clone)]
pub struct RowClassifierModel<M> {
    columns: usize,
    classes: Vec<String>,
    model: Arc<M>,
}

impl<M: RowClassifier> RowClassifierModel<M> {
    /// What was fitted.
    pub fn inner(&self) -> &M {
        &self.model
    }

    /// [`Learner::fit_rows`] of the learner.
    pub fn fit_rows(params: &M::Params, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Self> {
        let y = data.y.classes();
        with_rows(params, data, cx, |x| {
            let (codes, names) = y?;
            let model = M::fit(params, x, codes, names.len())?;
            Ok(Self { columns: x.cols(), classes: names.to_vec(), model: Arc::new(model) })
        })
    }

    /// [`Learner::load`] of the learner.
    pub fn load(input: &ModelReader) -> Result<Self> {
        Ok(Self { columns: input.field("columns")?, classes: input.field("classes")?, model: Arc::new(input.field("model")?) })
    }
}

fn row_proba<M: RowClassifier>(model: &M, row: &[f64], out: &mut [f64]) -> Result<(), String> {
    out.fill(0.0);
    model.predict(row, out);
    let sum: f64 = out.iter().sum();
    if !(sum > 0.0 && sum.is_finite()) || out.iter().any(|p| *p < 0.0) {
        return Err(format!("{out:?} are no shares of classes: they must be at least 0, and one above"));
    }
    out.iter_mut().for_each(|p| *p /= sum);
    Ok(())
}

/// Such a model as a function of one row.
struct OwnRow<F> {
    schema: Schema,
    width: usize,
    name: &'static str,
    predict: F,
}

impl<F: Fn(&[f64], &mut [f64]) -> Result<(), String> + Send + Sync + 'static> OwnRow<F> {
    fn boxed(schema: &Schema, columns: usize, width: usize, name: &'static str, predict: F) -> Option<Box<dyn RowFunction>> {
        schema.is_numbers(columns).then(|| Box::new(Self { schema: schema.clone(), width, name, predict }) as _)
    }
}

impl<F: Fn(&[f64], &mut [f64]) -> Result<(), String> + Send + Sync> RowFunction for OwnRow<F> {
    fn width(&self) -> usize {
        self.width
    }
    fn run(&self, row: &[f64], _: &mut [f64], out: &mut [f64]) -> Result<()> {
        if !row.iter().all(|v| v.is_finite()) {
            refuse_cell(row, &self.schema, self.name)?;
        }
        (self.predict)(row, out).map_err(|message| Error::Row { place: format!("prediction of {}", self.name), row: 0, message })
    }
}

impl<M: RowClassifier> Model for RowClassifierModel<M> {
    fn n_features(&self) -> usize {
        self.columns
    }
    fn as_classifier(&self) -> Option<&dyn Classifier> {
        Some(self)
    }
    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("columns", &self.columns)?;
        out.field("classes", &self.classes)?;
        out.field("model", &*self.model)
    }
}

impl<M: RowClassifier> Classifier for RowClassifierModel<M> {
    fn classes(&self) -> &[String] {
        &self.classes
    }
    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let name = <M::Params as Learner>::SPEC.name;
        map_rows(x, self.columns, name, self.classes.len(), |row, out| row_proba(&*self.model, row, out))
    }
    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        let (model, name) = (self.model.clone(), <M::Params as Learner>::SPEC.name);
        OwnRow::boxed(schema, self.columns, self.classes.len(), name, move |row, out| row_proba(&*model, row, out))
    }
}
