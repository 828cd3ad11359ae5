//! Decisions from probabilities: the natives of `ermine.decide`, over `eval::decide`.

use ermine::core::{Error, Mat, MatRef, Result as Found};
use ermine::learn::decide::{
    Calibration, CostMatrix, ProbabilityMap, SelfTraining, ThresholdBound, UncertaintyMeasure, random_order, threshold_for_fnr,
    threshold_for_fpr,
};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value;

use crate::error::EstimatorName;
use crate::fit::call;

type Matrix<'py> = PyReadonlyArray2<'py, f64>;
type Column<'py, T> = Bound<'py, PyArray1<T>>;

fn dense<'a>(m: &'a Matrix<'_>) -> PyResult<MatRef<'a, f64>> {
    let values = m.as_slice().map_err(|_| PyValueError::new_err("probabilities and costs must be contiguous"))?;
    match m.is_c_contiguous() {
        true => Ok(MatRef::row_major(values, m.shape()[0], m.shape()[1])),
        false => Ok(MatRef::col_major(values, m.shape()[0], m.shape()[1])),
    }
}

fn flat<'a, T: numpy::Element>(column: &'a PyReadonlyArray1<'_, T>) -> PyResult<&'a [T]> {
    column.as_slice().map_err(|_| PyValueError::new_err("columns must be contiguous"))
}

fn numbers<'py>(py: Python<'py>, of: impl IntoIterator<Item = usize>) -> Column<'py, i64> {
    of.into_iter().map(|v| v as i64).collect::<Vec<i64>>().into_pyarray(py)
}

/// A choice by its name.
fn named<T>(what: &str, name: &str, known: &str, read: fn(Value) -> serde_json::Result<T>) -> PyResult<T> {
    let unknown = |_| PyValueError::new_err(format!("{what} is {name:?}; it must be one of {known}"));
    read(Value::from(name)).map_err(unknown)
}

fn uncertainty(how: &str) -> PyResult<UncertaintyMeasure> {
    named("how", &how.replace('_', "-"), "'least_confident', 'margin', 'entropy', 'random'", serde_json::from_value)
}

fn costs(matrix: MatRef<'_, f64>, abstain: Option<f64>) -> Found<CostMatrix> {
    let costs = CostMatrix::new(Mat::from_fn(matrix.rows(), matrix.cols(), |t, a| *matrix.at(t, a)))?;
    match abstain {
        Some(cost) => costs.with_abstention(cost),
        None => Ok(costs),
    }
}

/// The action of least expected cost of each row, -1 for declining, and that cost.
#[pyfunction]
#[pyo3(signature = (proba, cost, abstain=None))]
pub fn decide_actions<'py>(
    py: Python<'py>,
    proba: Matrix<'py>,
    cost: Matrix<'py>,
    abstain: Option<f64>,
) -> PyResult<(Column<'py, i64>, Column<'py, f64>)> {
    let (proba, cost) = (dense(&proba)?, dense(&cost)?);
    let (action, expected) = call(py, EstimatorName::NOBODY, || -> Result<_, Error> {
        let costs = costs(cost, abstain)?;
        let made = costs.decide(proba)?;
        let code = |&a: &u32| if Some(a) == costs.abstention() { -1 } else { i64::from(a) };
        Ok((made.action.iter().map(code).collect::<Vec<i64>>(), made.expected))
    })?;
    Ok((action.into_pyarray(py), expected.into_pyarray(py)))
}

/// The probability of the second of two classes from which on calling it is the cheaper action.
#[pyfunction]
pub fn decide_cost_threshold(py: Python<'_>, cost: Matrix<'_>) -> PyResult<Option<f64>> {
    let cost = dense(&cost)?;
    call(py, EstimatorName::NOBODY, || Ok(costs(cost, None)?.threshold()))
}

/// A threshold that keeps a bound on the rate of false positives (`rate` is "fpr") or false negatives ("fnr"): the threshold, the confidence, the
/// rate on these rows, the rate of the other error.
#[pyfunction]
pub fn decide_threshold(
    py: Python<'_>,
    rate: &str,
    positive: PyReadonlyArray1<'_, bool>,
    score: PyReadonlyArray1<'_, f64>,
    bound: f64,
    confidence: f64,
) -> PyResult<(f64, f64, f64, f64)> {
    let (positive, score) = (flat(&positive)?, flat(&score)?);
    let find = match rate {
        "fpr" => threshold_for_fpr,
        "fnr" => threshold_for_fnr,
        other => return Err(PyValueError::new_err(format!("rate is {other:?}; it must be one of 'fpr', 'fnr'"))),
    };
    let ThresholdBound { threshold, confidence, rate, other, .. } =
        call(py, EstimatorName::NOBODY, || find(positive, score, bound, confidence))?;
    Ok((threshold, confidence, rate, other))
}

/// A map from probabilities to honest ones.
#[pyclass(frozen, module = "ermine._native")]
pub struct NativeCalibration {
    map: ProbabilityMap,
}

#[pymethods]
impl NativeCalibration {
    /// Learns a map. `method` is "sigmoid" or "isotonic", `codes` say which column is the true class of each row.
    #[new]
    #[pyo3(signature = (method, codes, proba, weight=None))]
    fn new(
        py: Python<'_>,
        method: &str,
        codes: PyReadonlyArray1<'_, u32>,
        proba: Matrix<'_>,
        weight: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let how: Calibration = named("method", method, "'sigmoid', 'isotonic'", serde_json::from_value)?;
        let (codes, proba) = (flat(&codes)?, dense(&proba)?);
        let weight = weight.as_ref().map(flat).transpose()?;
        let map = call(py, EstimatorName::NOBODY, || ProbabilityMap::fit(how, codes, proba, weight))?;
        Ok(Self { map })
    }

    /// Honest probabilities.
    fn apply<'py>(&self, py: Python<'py>, proba: Matrix<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let proba = dense(&proba)?;
        let calibrated = call(py, EstimatorName::NOBODY, || self.map.apply(proba))?;
        let shape = [calibrated.rows(), calibrated.cols()];
        calibrated.into_vec().into_pyarray(py).reshape(shape)
    }

    /// The map as JSON.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.map).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    /// A map from its JSON.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        let map = serde_json::from_str(text).map_err(|e| PyValueError::new_err(format!("no calibration: {e}")))?;
        Ok(Self { map })
    }
}

/// How unsure the probabilities of each row are; larger is more so.
#[pyfunction]
pub fn decide_uncertainty<'py>(py: Python<'py>, how: &str, proba: Matrix<'py>) -> PyResult<Column<'py, f64>> {
    let (how, proba) = (uncertainty(how)?, dense(&proba)?);
    Ok(call(py, EstimatorName::NOBODY, || Ok(how.of_rows(proba)))?.into_pyarray(py))
}

/// The numbers of the rows to ask for, the least sure first; the first of equally unsure ones.
#[pyfunction]
pub fn decide_ask<'py>(py: Python<'py>, how: &str, proba: Matrix<'py>, count: usize) -> PyResult<Column<'py, i64>> {
    let (how, proba) = (uncertainty(how)?, dense(&proba)?);
    let asked = call(py, EstimatorName::NOBODY, || Ok(how.most_uncertain(proba, count)))?;
    Ok(numbers(py, asked))
}

/// The order of queries without uncertainty.
#[pyfunction]
pub fn decide_order(py: Python<'_>, rows: usize, seed: u64) -> Column<'_, i64> {
    numbers(py, random_order(rows, seed))
}

/// The rows whose label self-training takes over, the surest first, and the columns of their labels.
#[pyfunction]
#[pyo3(signature = (proba, threshold, most=None))]
pub fn decide_sure<'py>(
    py: Python<'py>,
    proba: Matrix<'py>,
    threshold: f64,
    most: Option<usize>,
) -> PyResult<(Column<'py, i64>, Column<'py, i64>)> {
    let proba = dense(&proba)?;
    let plan = SelfTraining { threshold, most, ..SelfTraining::default() };
    let (rows, classes) = call(py, EstimatorName::NOBODY, || -> Result<_, Error> {
        plan.check()?;
        let most_likely = ermine::core::argmax_rows(proba);
        Ok(plan.sure(proba, &most_likely).into_iter().map(|(row, class)| (row, class as usize)).unzip::<_, _, Vec<_>, Vec<_>>())
    })?;
    Ok((numbers(py, rows), numbers(py, classes)))
}
