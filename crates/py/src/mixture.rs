//! Methods of mixtures besides the capabilities that all models share.

use ermine::Fitted;
use ermine::core::{Error, Mat, Model};
use ermine::learn::mixture::{GmmModel, MixtureOfExpertsModel};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::error::EstimatorName;
use crate::fit::call;
use crate::model::NativeModel;

type Rows<'py> = Bound<'py, PyArray2<f64>>;
type Column<'py, T> = Bound<'py, PyArray1<T>>;

fn rows(py: Python<'_>, m: Mat<f64>) -> PyResult<Rows<'_>> {
    let shape = [m.rows(), m.cols()];
    m.into_vec().into_pyarray(py).reshape(shape)
}

/// The model as the type that a learner makes.
fn of<'a, M: 'static>(fitted: &'a Fitted, what: &str) -> Result<&'a M, Error> {
    let model: &dyn Model = &*fitted.model;
    (model as &dyn std::any::Any)
        .downcast_ref()
        .ok_or_else(|| Error::Data(format!("{} does not {what}", fitted.learner.spec().name)))
}

fn gmm(fitted: &Fitted) -> Result<&GmmModel, Error> {
    of(fitted, "have components")
}

fn experts(fitted: &Fitted) -> Result<&MixtureOfExpertsModel, Error> {
    of(fitted, "have experts")
}

/// Posterior probabilities of the components: a column a component.
#[pyfunction]
pub fn mixture_posterior<'py>(
    py: Python<'py>,
    model: &NativeModel,
    x: &Bound<'py, PyAny>,
    estimator: &str,
) -> PyResult<Rows<'py>> {
    rows(py, model.on(py, x, estimator, |f, x| gmm(f)?.posterior(x))?)
}

/// Rows with their missing cells filled in.
#[pyfunction]
pub fn mixture_impute<'py>(py: Python<'py>, model: &NativeModel, x: &Bound<'py, PyAny>, estimator: &str) -> PyResult<Rows<'py>> {
    rows(py, model.on(py, x, estimator, |f, x| gmm(f)?.impute(x))?)
}

/// Rows drawn from the mixture, and the components they come from.
#[pyfunction]
pub fn mixture_sample<'py>(py: Python<'py>, model: &NativeModel, n: usize, seed: u64) -> PyResult<(Rows<'py>, Column<'py, i64>)> {
    let fitted = &model.fitted;
    let (drawn, labels) = call(py, EstimatorName::NOBODY, || gmm(fitted)?.mixture().sample(n, seed))?;
    let labels: Vec<i64> = labels.into_iter().map(i64::from).collect();
    Ok((rows(py, drawn)?, labels.into_pyarray(py)))
}

/// The weights of the experts for each row.
#[pyfunction]
pub fn experts_gate<'py>(py: Python<'py>, model: &NativeModel, x: &Bound<'py, PyAny>, estimator: &str) -> PyResult<Rows<'py>> {
    rows(py, model.on(py, x, estimator, |f, x| experts(f)?.gate(x))?)
}

/// Mean and variance of the target: two columns.
#[pyfunction]
pub fn experts_moments<'py>(py: Python<'py>, model: &NativeModel, x: &Bound<'py, PyAny>, estimator: &str) -> PyResult<Rows<'py>> {
    let both = model.on(py, x, estimator, |f, x| {
        let numbers = || Error::Data("the model predicts classes".into());
        let (mean, variance) = experts(f)?.mean_and_variance(x)?.ok_or_else(numbers)?;
        Ok(Mat::from_fn(mean.len(), 2, |i, j| if j == 0 { mean[i] } else { variance[i] }))
    })?;
    rows(py, both)
}
