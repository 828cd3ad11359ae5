//! Searches for neighbors: in rows of their own, or in those of a fitted model.

use ermine::core::{Error, Mat, Schema};
use ermine::learn::neighbors::{Knn, KnnModel};
use ermine::math::neighbors::{IndexedPoints, NeighborIndex, SearchAlgorithm};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::error::EstimatorName;
use crate::fit::call;
use crate::input::PyFeatures;
use crate::model::NativeModel;

/// Rows made ready to be searched in.
#[pyclass(frozen, module = "ermine._native")]
pub struct NativeIndex {
    index: NeighborIndex,
}

#[pymethods]
impl NativeIndex {
    /// Rows to search in. `params` are those of the learner `knn`, as JSON, that say what near means and how to search.
    #[new]
    #[pyo3(signature = (x, params, estimator="", names=None))]
    fn new(py: Python<'_>, x: &Bound<'_, PyAny>, params: &str, estimator: &str, names: Option<Vec<String>>) -> PyResult<Self> {
        let knn: Knn = serde_json::from_str(params).map_err(|e| PyValueError::new_err(format!("parameters: {e}")))?;
        let schema = names.map(Schema::numbers);
        let input = PyFeatures::new(x)?;
        let features = input.features()?;
        let index = call(py, EstimatorName { estimator, dtype: input.dtype() }, || {
            let points = IndexedPoints::from_features(&features, schema.as_ref(), estimator)?;
            let method = if matches!(points, IndexedPoints::Csr(_)) { SearchAlgorithm::Brute } else { knn.method() };
            NeighborIndex::new(points, knn.metric(), method)
        })?;
        Ok(Self { index })
    }

    /// The algorithm: "brute" or "kd_tree".
    #[getter]
    fn method(&self) -> &'static str {
        if self.index.method() == SearchAlgorithm::Tree { "kd_tree" } else { "brute" }
    }
}

/// The index of a [`NativeIndex`] or of a fitted model.
fn index_of<'a>(holder: &'a Bound<'_, PyAny>) -> PyResult<&'a NeighborIndex> {
    if let Ok(index) = holder.cast::<NativeIndex>() {
        return Ok(&index.get().index);
    }
    let model = holder.cast::<NativeModel>().ok().map(|m| &*m.get().fitted.model as &dyn std::any::Any);
    let model = model.and_then(|m| m.downcast_ref::<KnnModel>());
    model.map(KnnModel::index).ok_or_else(|| PyTypeError::new_err("neighbors are searched for in an index or a model of knn"))
}

type PyNeighbors<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<i64>>);
type PyNeighborLists<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<i64>>);

/// Distances and numbers of the `k` nearest rows of each row of `x`.
#[pyfunction]
#[pyo3(signature = (holder, x, k, estimator=""))]
pub fn neighbors<'py>(
    py: Python<'py>,
    holder: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    k: usize,
    estimator: &str,
) -> PyResult<PyNeighbors<'py>> {
    let index = index_of(holder)?;
    let input = PyFeatures::new(x)?;
    let features = input.features()?;
    let (distances, rows) = call(py, EstimatorName { estimator, dtype: input.dtype() }, || -> Result<_, Error> {
        let nearest = index.nearest(&features, k)?;
        let shape = (nearest.rows.rows(), nearest.rows.cols());
        let rows: Vec<i64> = nearest.rows.into_vec().into_iter().map(i64::from).collect();
        Ok((nearest.distances, Mat::from_vec(shape.0, shape.1, rows)))
    })?;
    let shape = [distances.rows(), distances.cols()];
    Ok((distances.into_vec().into_pyarray(py).reshape(shape)?, rows.into_vec().into_pyarray(py).reshape(shape)?))
}

/// The rows within `radius` of each row of `x`: where those of each row begin and end, their distances, their numbers.
#[pyfunction]
#[pyo3(signature = (holder, x, radius, estimator=""))]
pub fn neighbors_within<'py>(
    py: Python<'py>,
    holder: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    radius: f64,
    estimator: &str,
) -> PyResult<PyNeighborLists<'py>> {
    let index = index_of(holder)?;
    let input = PyFeatures::new(x)?;
    let features = input.features()?;
    let lists = call(py, EstimatorName { estimator, dtype: input.dtype() }, || index.within(&features, radius))?;
    let ends: Vec<i64> = lists.ends.into_iter().map(|e| e as i64).collect();
    let rows: Vec<i64> = lists.rows.into_iter().map(i64::from).collect();
    Ok((ends.into_pyarray(py), lists.distances.into_pyarray(py), rows.into_pyarray(py)))
}

/// The groups of rows whose neighbors and core rows are known: -1 for those that no core row has as a neighbor.
#[pyfunction]
pub fn connect_neighbors<'py>(
    py: Python<'py>,
    ends: Vec<usize>,
    rows: Vec<u32>,
    core: Vec<bool>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let n = core.len();
    let sound =
        ends.len() == n + 1 && ends.is_sorted() && ends.last() == Some(&rows.len()) && rows.iter().all(|&row| (row as usize) < n);
    if !sound {
        return Err(PyValueError::new_err("neighbors of other rows than these"));
    }
    let labels = ermine::learn::cluster::connect_neighbors(&ends, &rows, &core);
    let labels: Vec<i64> = labels.into_iter().map(|l| if l == ermine::core::NOISE_LABEL { -1 } else { i64::from(l) }).collect();
    Ok(labels.into_pyarray(py))
}
