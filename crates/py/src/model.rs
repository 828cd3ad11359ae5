//! A trained model as Python sees it: capabilities as methods, the arrays and fields of the model file as attributes.

use std::path::PathBuf;

use ermine::Fitted;
use ermine::core::{Error, Features, Mat, MatRef, ModelReader, ModelWriter};
use ermine::learn::tree::forest::ForestModel;
use ermine::learn::tree::gradient_boosting::GradientBoostingModel;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyAttributeError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};

use crate::error::{EstimatorName, raise};
use crate::fit::call;
use crate::input::PyFeatures;

/// A trained model.
#[pyclass(frozen, module = "ermine._native")]
pub struct NativeModel {
    pub(crate) fitted: Fitted,
}

fn lacks(model: &Fitted, what: &str) -> Error {
    Error::Data(format!("{} does not {what}", model.learner.spec().name))
}

/// A matrix as a NumPy array of two dimensions; the elements are moved, not copied.
fn to_numpy(py: Python<'_>, m: Mat<f64>) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let shape = [m.rows(), m.cols()];
    m.into_vec().into_pyarray(py).reshape(shape)
}

impl NativeModel {
    pub fn new(fitted: Fitted) -> Self {
        Self { fitted }
    }

    fn reader(&self) -> PyResult<ModelReader> {
        self.saved_part(ModelWriter::default())
    }

    /// The parts of a model that a writer keeps.
    fn saved_part(&self, mut out: ModelWriter) -> PyResult<ModelReader> {
        self.fitted.model.save(&mut out).map_err(|e| raise(e, EstimatorName::NOBODY))?;
        Ok(out.into_reader())
    }

    /// Calls `work` on features, which for a table are its columns in the model's order.
    pub(crate) fn on<T: Send>(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        estimator: &str,
        work: impl FnOnce(&Fitted, &Features<'_>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let input = PyFeatures::new(x)?;
        let features = input.features()?;
        let fitted = &self.fitted;
        call(py, EstimatorName { estimator, dtype: input.dtype() }, move || match features {
            Features::Table(t) => {
                let table = fitted.align(t.table())?;
                work(fitted, &Features::Table(table.view()))
            }
            other => work(fitted, &other),
        })
    }

    /// Like [`Self::on`], for results that turn out not finite exactly when the features are not.
    fn rows_on<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        estimator: &str,
        work: impl FnOnce(&Fitted, &Features<'_>) -> Result<Mat<f64>, Error> + Send,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_numpy(py, self.on(py, x, estimator, work)?)
    }
}

#[pymethods]
impl NativeModel {
    /// Predicted numbers, one column per target.
    #[pyo3(signature = (x, estimator=""))]
    fn predict<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, estimator: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.rows_on(py, x, estimator, |f, x| f.model.as_regressor().ok_or_else(|| lacks(f, "predict numbers"))?.predict(x))
    }

    /// Probabilities, one column per class.
    #[pyo3(signature = (x, estimator=""))]
    fn proba<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, estimator: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.rows_on(py, x, estimator, |f, x| f.model.as_classifier().ok_or_else(|| lacks(f, "classify"))?.proba(x))
    }

    /// Logarithms of the probabilities, one column per class.
    #[pyo3(signature = (x, estimator=""))]
    fn log_proba<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, estimator: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.rows_on(py, x, estimator, |f, x| f.model.as_classifier().ok_or_else(|| lacks(f, "classify"))?.log_proba(x))
    }

    /// The scores behind the probabilities.
    #[pyo3(signature = (x, estimator=""))]
    fn decision<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, estimator: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.rows_on(py, x, estimator, |f, x| {
            let c = f.model.as_classifier().ok_or_else(|| lacks(f, "classify"))?;
            c.decision(x)?.ok_or_else(|| lacks(f, "have decision scores"))
        })
    }

    /// The code of the most probable class of each row.
    #[pyo3(signature = (x, estimator=""))]
    fn classify<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, estimator: &str) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let codes = self.on(py, x, estimator, |f, x| {
            let codes = f.model.as_classifier().ok_or_else(|| lacks(f, "classify"))?.classify(x)?;
            Ok(codes.into_iter().map(i64::from).collect::<Vec<_>>())
        })?;
        Ok(codes.into_pyarray(py))
    }

    /// The group of each row.
    #[pyo3(signature = (x, estimator=""))]
    fn assign<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, estimator: &str) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let codes = self.on(py, x, estimator, |f, x| {
            let codes = f.model.as_clusterer().ok_or_else(|| lacks(f, "assign rows to groups"))?.assign(x)?;
            Ok(codes.into_iter().map(|c| c as i32).collect::<Vec<_>>())
        })?;
        Ok(codes.into_pyarray(py))
    }

    /// The group of each training row, as long as it is known.
    fn labels<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<i32>>> {
        let labels = self.fitted.model.as_clusterer()?.labels()?;
        Some(labels.iter().map(|&c| c as i32).collect::<Vec<_>>().into_pyarray(py))
    }

    /// The logarithm of the density at each row.
    #[pyo3(signature = (x, estimator=""))]
    fn log_density<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, estimator: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values =
            self.on(py, x, estimator, |f, x| f.model.as_density().ok_or_else(|| lacks(f, "estimate a density"))?.log_density(x))?;
        Ok(values.into_pyarray(py))
    }

    /// The prediction without any features: one number per output.
    fn expected<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let fitted = &self.fitted;
        let explained = fitted
            .model
            .as_attributor()
            .ok_or_else(|| raise(lacks(fitted, "say what its columns add"), EstimatorName::NOBODY))?;
        Ok(explained.base_values().into_pyarray(py))
    }

    /// Attributions of the columns to a prediction, and the expected value: rows, outputs times (columns + 1).
    #[pyo3(signature = (x, estimator=""))]
    fn attributions<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, estimator: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.rows_on(py, x, estimator, |f, x| {
            f.model.as_attributor().ok_or_else(|| lacks(f, "say what its columns add"))?.attributions(x)
        })
    }

    /// The new columns, as float32 when `single`.
    #[pyo3(signature = (x, estimator="", single=false))]
    fn transform<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        estimator: &str,
        single: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let z = self.on(py, x, estimator, |f, x| f.model.as_transformer().ok_or_else(|| lacks(f, "transform"))?.transform(x))?;
        if single {
            let shape = [z.rows(), z.cols()];
            let narrow: Vec<f32> = z.into_vec().into_iter().map(|v| v as f32).collect();
            Ok(narrow.into_pyarray(py).reshape(shape)?.into_any())
        } else {
            Ok(to_numpy(py, z)?.into_any())
        }
    }

    /// The new columns as sparse rows: row pointers, column indices, values. None where the transformation of such rows is
    /// not sparse.
    #[pyo3(signature = (x, estimator=""))]
    #[allow(clippy::type_complexity)]
    fn transform_sparse<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        estimator: &str,
    ) -> PyResult<Option<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>)>> {
        let z = self.on(py, x, estimator, |f, x| {
            let t = f.model.as_transformer().ok_or_else(|| lacks(f, "transform"))?;
            let Some(z) = t.transform_sparse(x)? else { return Ok(None) };
            let (mut ends, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
            for i in 0..z.view().rows() {
                let (indices, cells) = z.view().row(i);
                columns.extend(indices.iter().map(|&j| i64::from(j)));
                values.extend_from_slice(cells);
                ends.push(values.len() as i64);
            }
            Ok(Some((ends, columns, values)))
        })?;
        Ok(z.map(|(ends, columns, values)| (ends.into_pyarray(py), columns.into_pyarray(py), values.into_pyarray(py))))
    }

    /// The inverse transform of the new columns.
    #[pyo3(signature = (z, estimator=""))]
    fn inverse<'py>(
        &self,
        py: Python<'py>,
        z: PyReadonlyArray2<'py, f64>,
        estimator: &str,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let input = PyFeatures::F64(z);
        let Features::F64(z) = input.features()? else { unreachable!("the input is float64") };
        let fitted = &self.fitted;
        let x = call(py, EstimatorName { estimator, dtype: "float64" }, move || inverse(fitted, z))?;
        to_numpy(py, x)
    }

    /// The scores of boosted trees after each round: a list of arrays, rows by outputs.
    #[pyo3(signature = (x, estimator=""))]
    fn boosting_stages<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        estimator: &str,
    ) -> PyResult<Vec<Bound<'py, PyArray2<f64>>>> {
        let stages = self.on(py, x, estimator, |f, x| {
            let mut out = Vec::new();
            boosted(f)?.staged_scores(x, |scores| {
                out.push(scores.clone());
                Ok(())
            })?;
            Ok(out)
        })?;
        stages.into_iter().map(|scores| to_numpy(py, scores)).collect()
    }

    /// The scores of boosted trees: rows by outputs.
    #[pyo3(signature = (x, estimator=""))]
    fn boosting_scores<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        estimator: &str,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.rows_on(py, x, estimator, |f, x| boosted(f)?.scores(x))
    }

    /// The share of each column in what the splits of boosted trees gained.
    fn boosting_importances<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let model = boosted(&self.fitted).map_err(|e| raise(e, EstimatorName::NOBODY))?;
        Ok(model.feature_importances().into_pyarray(py))
    }

    /// Rows that a generator draws, the same for the same seed.
    fn sample<'py>(&self, py: Python<'py>, rows: usize, seed: u64) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let fitted = &self.fitted;
        let drawn = call(py, EstimatorName::NOBODY, move || {
            let model: &dyn ermine::core::Model = &*fitted.model;
            let gan = (model as &dyn std::any::Any).downcast_ref::<ermine::neural::GanModel>();
            gan.ok_or_else(|| lacks(fitted, "draw rows"))?.sample(rows, seed)
        })?;
        to_numpy(py, drawn)
    }

    /// Names of the columns that `transform` makes, given the names of those that come in.
    fn names_out(&self, names: Vec<String>) -> PyResult<Vec<String>> {
        let mut schema = self.fitted.schema.clone();
        if names.len() == schema.len() {
            schema.fields.iter_mut().zip(names).for_each(|(f, n)| f.name = n);
        }
        let t =
            self.fitted.model.as_transformer().ok_or_else(|| raise(lacks(&self.fitted, "transform"), EstimatorName::NOBODY))?;
        Ok(t.schema_out(&schema).names().map(str::to_owned).collect())
    }

    /// The leaf of each row in each tree, as the number of its node within the tree.
    #[pyo3(signature = (x, estimator=""))]
    fn leaves<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>, estimator: &str) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let leaves = self.on(py, x, estimator, |fitted, x| {
            let model = &*fitted.model as &dyn std::any::Any;
            let trees = model
                .downcast_ref::<ForestModel>()
                .map(ForestModel::trees)
                .or_else(|| model.downcast_ref::<GradientBoostingModel>().map(GradientBoostingModel::trees))
                .ok_or_else(|| lacks(fitted, "have trees to look into"))?;
            trees.leaves(x, 0..trees.n_trees())
        })?;
        let shape = [leaves.rows(), leaves.cols()];
        leaves.into_vec().into_pyarray(py).reshape(shape)
    }

    /// An array of the model file, by name; a slash leads into a part ("0/coef").
    fn array<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        array(py, &self.saved_part(ModelWriter::filtered(name))?, name)
    }

    /// A field of the model file as JSON; a slash leads into a part.
    fn field(&self, name: &str) -> PyResult<String> {
        let (parts, last) = name.rsplit_once('/').unwrap_or(("", name));
        let reader = nested_reader(&self.saved_part(ModelWriter::filtered(""))?, parts);
        let value: Value = reader.field(last).map_err(|e| PyKeyError::new_err(e.to_string()))?;
        Ok(value.to_string())
    }

    /// The members of an ensemble that lie under `path`, each a model of its own on the columns of the whole.
    #[pyo3(signature = (path=""))]
    fn members(&self, py: Python<'_>, path: &str) -> PyResult<Vec<NativeModel>> {
        let reader = nested_reader(&self.reader()?, path);
        let old = &self.fitted;
        let all = call(py, EstimatorName::NOBODY, move || {
            let stages: Vec<ermine::PipelineStep> = reader.field("stages")?;
            let mut out = Vec::new();
            while reader.has_child(&out.len().to_string()) {
                let k = out.len();
                let stage = if stages.len() == 1 { &stages[0] } else { &stages[k] };
                let learner = stage.learner().boxed();
                let model = learner.load_any(&reader.child(&k.to_string()))?;
                let certificate = model.certificate().cloned();
                let (schema, target, data) = (old.schema.clone(), old.target.clone(), old.data.clone());
                out.push(Fitted { learner, model, schema, target, data, certificate, seed: old.seed });
            }
            Ok(out)
        })?;
        Ok(all.into_iter().map(NativeModel::new).collect())
    }

    /// All arrays of the model file.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
        let reader = self.reader()?;
        reader.array_names().into_iter().map(|n| Ok((n.to_owned(), array(py, &reader, n)?))).collect()
    }

    /// The learner's name.
    #[getter]
    fn learner(&self) -> &'static str {
        self.fitted.learner.spec().name
    }

    /// The capabilities of the model.
    #[getter]
    fn capabilities(&self) -> Vec<&'static str> {
        let m = &self.fitted.model;
        let all = [
            ("regressor", m.as_regressor().is_some()),
            ("classifier", m.as_classifier().is_some()),
            ("transformer", m.as_transformer().is_some()),
            ("clusterer", m.as_clusterer().is_some()),
            ("density", m.as_density().is_some()),
        ];
        all.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect()
    }

    /// Learner, parameters, columns, target, certificate and trace as JSON.
    fn describe(&self) -> String {
        let f = &self.fitted;
        json!({
            "learner": f.learner.spec().name,
            "params": f.learner.params(),
            "schema": f.schema,
            "target": f.target,
            "seed": f.seed,
            "certificate": f.model.certificate(),
            "trace": f.model.trace(),
        })
        .to_string()
    }

    /// The certificate as JSON, or None.
    fn certificate(&self) -> PyResult<Option<String>> {
        Ok(self.fitted.model.certificate().map(|c| json!(c).to_string()))
    }

    /// The report as JSON.
    fn report(&self) -> String {
        json!(self.fitted.report()).to_string()
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.fitted.to_bytes().map_err(|e| raise(e, EstimatorName::NOBODY))?))
    }

    /// Writes the model file; a failure leaves an older file whole.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        call(py, EstimatorName::NOBODY, || self.fitted.save(path))
    }

    /// A pickle holds the bytes of the model file and the one function that reads them.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let read = py.import("ermine._native")?.getattr("model_from_bytes")?;
        Ok((read, (self.to_bytes(py)?,)))
    }

    /// A model cannot change, so a copy is the model itself.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __repr__(&self) -> String {
        format!("<NativeModel {} of {} columns>", self.fitted.learner.spec().name, self.fitted.schema.len())
    }
}

fn boosted(fitted: &Fitted) -> Result<&ermine::learn::boosting::BoostingModel, Error> {
    let model: &dyn ermine::core::Model = &*fitted.model;
    (model as &dyn std::any::Any).downcast_ref().ok_or_else(|| lacks(fitted, "boost trees"))
}

fn inverse(fitted: &Fitted, z: MatRef<'_, f64>) -> Result<Mat<f64>, Error> {
    let t = fitted.model.as_transformer().ok_or_else(|| lacks(fitted, "transform"))?;
    t.inverse(z)?.ok_or_else(|| lacks(fitted, "have an inverse transform"))
}

/// The reader of a part, whose path has slashes; the whole without a path.
fn nested_reader(reader: &ModelReader, path: &str) -> ModelReader {
    path.split('/').filter(|p| !p.is_empty()).fold(reader.clone(), |r, p| r.child(p))
}

fn array<'py>(py: Python<'py>, reader: &ModelReader, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let (parts, name) = name.rsplit_once('/').unwrap_or(("", name));
    let reader = nested_reader(reader, parts);
    let missing = || PyAttributeError::new_err(format!("the model has no array \"{name}\""));
    let (dtype, _) = reader.array_info(name).ok_or_else(missing)?;
    macro_rules! of {
        ($($d:literal => $t:ty),*) => {
            match dtype.as_str() {
                $($d => {
                    let (shape, values) = reader.array::<$t>(name).map_err(|e| raise(e, EstimatorName::NOBODY))?;
                    Ok(values.into_pyarray(py).reshape(shape)?.into_any())
                })*
                _ => Err(missing()),
            }
        };
    }
    of!("F64" => f64, "F32" => f32, "U8" => u8, "U32" => u32, "I32" => i32, "I64" => i64, "U64" => u64)
}

/// A model like `model` with some of its arrays (float64) and fields (a JSON object) replaced, checked like one from a
/// file. This is how statistics of several batches become one model.
#[pyfunction]
pub fn model_with_arrays(
    py: Python<'_>,
    model: &Bound<'_, NativeModel>,
    arrays: std::collections::BTreeMap<String, numpy::PyReadonlyArrayDyn<'_, f64>>,
    fields: &str,
) -> PyResult<NativeModel> {
    let old = &model.get().fitted;
    let fields: std::collections::BTreeMap<String, Value> =
        serde_json::from_str(fields).map_err(|e| pyo3::exceptions::PyValueError::new_err(e.to_string()))?;
    let mut out = ModelWriter::default();
    old.model.save(&mut out).map_err(|e| raise(e, EstimatorName::NOBODY))?;
    for (name, array) in &arrays {
        let values: Vec<f64> = array.as_array().iter().copied().collect();
        out.array(name, array.shape(), &values);
    }
    for (name, value) in &fields {
        out.field(name, value).map_err(|e| raise(e, EstimatorName::NOBODY))?;
    }
    let learner = old.learner.boxed();
    let (schema, target, seed) = (old.schema.clone(), old.target.clone(), old.seed);
    let data = old.data.clone();
    call(py, EstimatorName::NOBODY, move || {
        let model = learner.load_any(&out.into_reader())?;
        let certificate = model.certificate().cloned();
        Ok(Fitted { learner, model, schema, target, data, certificate, seed })
    })
    .map(NativeModel::new)
}

/// A model made of trained models: an ensemble whose members were trained one by one. `fields` (a JSON object) and `arrays`
/// are those of the learner's model file, members lie under the paths given with them; all is checked like a file.
#[pyfunction]
#[pyo3(signature = (learner, params, fields, arrays, members, names, target, classes, seed=0))]
#[allow(clippy::too_many_arguments)]
pub fn compose(
    py: Python<'_>,
    learner: &str,
    params: &str,
    fields: &str,
    arrays: std::collections::BTreeMap<String, numpy::PyReadonlyArray1<'_, f64>>,
    members: Vec<(String, Py<NativeModel>)>,
    names: Vec<String>,
    target: Vec<String>,
    classes: Vec<String>,
    seed: u64,
) -> PyResult<NativeModel> {
    let bad = |e: serde_json::Error| pyo3::exceptions::PyValueError::new_err(e.to_string());
    let params: serde_json::Map<String, Value> = serde_json::from_str(params).map_err(bad)?;
    let fields: std::collections::BTreeMap<String, Value> = serde_json::from_str(fields).map_err(bad)?;
    let mut learner = ermine::learner(learner).map_err(|e| raise(e, EstimatorName::NOBODY))?;
    learner.set_all(&params).map_err(|e| raise(e, EstimatorName::NOBODY))?;
    let mut out = ModelWriter::default();
    for (name, value) in &fields {
        let (parts, last) = name.rsplit_once('/').unwrap_or(("", name));
        within(&mut out, parts, &mut |w| w.field(last, value)).map_err(|e| raise(e, EstimatorName::NOBODY))?;
    }
    for (name, array) in &arrays {
        out.vec(name, &array.as_array().to_vec());
    }
    for (path, model) in &members {
        let model = &model.get().fitted.model;
        within(&mut out, path, &mut |w| model.save(w)).map_err(|e| raise(e, EstimatorName::NOBODY))?;
    }
    call(py, EstimatorName::NOBODY, move || {
        let model = learner.load_any(&out.into_reader())?;
        let certificate = model.certificate().cloned();
        let target = ermine::core::file::TargetInfo { names: target, classes };
        let (schema, data) = (ermine::core::Schema::numbers(names), Default::default());
        Ok(Fitted { learner, model, schema, target, data, certificate, seed })
    })
    .map(NativeModel::new)
}

/// Writes inside a part, whose path has slashes.
fn within(out: &mut ModelWriter, path: &str, write: &mut dyn FnMut(&mut ModelWriter) -> Result<(), Error>) -> Result<(), Error> {
    match path.split_once('/') {
        _ if path.is_empty() => write(out),
        Some((first, rest)) => out.child(first, |w| within(w, rest, write)),
        None => out.child(path, |w| write(w)),
    }
}

/// Reads the bytes of a model file; whatever they are, the answer is a model or a ValueError.
#[pyfunction]
pub fn model_from_bytes(py: Python<'_>, bytes: Vec<u8>) -> PyResult<NativeModel> {
    call(py, EstimatorName::NOBODY, || Fitted::from_bytes(bytes)).map(NativeModel::new)
}

/// Reads a model file.
#[pyfunction]
pub fn load(py: Python<'_>, path: PathBuf) -> PyResult<NativeModel> {
    call(py, EstimatorName::NOBODY, || Fitted::load(path)).map(NativeModel::new)
}

/// Every learner with its description.
pub fn catalogue_json() -> Value {
    let one = |l: Box<dyn ermine::core::AnyLearner>| {
        let spec = l.spec();
        let defaults = l.params();
        json!({
            "name": spec.name,
            "summary": spec.summary,
            "objective": spec.objective,
            "notes": spec.notes,
            "reference": spec.reference,
            "family": spec.family.title(),
            "tasks": spec.tasks,
            "accepts": {
                "weights": spec.accepts.weights,
                "missing": spec.accepts.missing,
                "categorical": spec.accepts.categorical,
                "sparse": spec.accepts.sparse,
                "passes": spec.accepts.passes,
                "multi_target": spec.accepts.multi_target,
            },
            "params": spec.params.iter().map(|p| json!({
                "name": p.name, "default": defaults.get(p.name), "range": p.range.describe(), "doc": p.doc,
            })).collect::<Vec<_>>(),
        })
    };
    ermine::catalogue().map(one).collect()
}
