//! Python's arrays as borrowed features.

use std::sync::Arc;

use ermine::core::{CsrRef, Error, Features, MatRef, Table};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::error::{EstimatorName, raise};
use crate::table::NativeTable;

/// Features held for the length of a call. Dense arrays are borrowed in any layout; of sparse rows only the row
/// pointers are converted, when their values are f64 and their indices 32-bit, as SciPy makes them.
pub enum PyFeatures<'py> {
    /// f64 values.
    F64(PyReadonlyArray2<'py, f64>),
    /// f32 values.
    F32(PyReadonlyArray2<'py, f32>),
    /// Sparse rows.
    Csr { indptr: Vec<usize>, indices: PyIndices<'py>, values: PyValues<'py>, cols: usize },
    /// A table.
    Table(Arc<Table>),
}

/// Column indices, borrowed or converted.
pub enum PyIndices<'py> {
    Borrowed(PyReadonlyArray1<'py, i32>),
    Owned(Vec<u32>),
}

/// Stored values, borrowed or converted.
pub enum PyValues<'py> {
    Borrowed(PyReadonlyArray1<'py, f64>),
    Owned(Vec<f64>),
}

impl<'py> PyFeatures<'py> {
    /// Reads a NumPy array of two dimensions, a SciPy CSR matrix or a [`NativeTable`].
    pub fn new(x: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(table) = x.cast::<NativeTable>() {
            return Ok(Self::Table(table.get().table.clone()));
        }
        if let Ok(a) = x.cast::<PyArray2<f64>>() {
            return Ok(Self::F64(a.try_readonly().map_err(|e| PyValueError::new_err(e.to_string()))?));
        }
        if let Ok(a) = x.cast::<PyArray2<f32>>() {
            return Ok(Self::F32(a.try_readonly().map_err(|e| PyValueError::new_err(e.to_string()))?));
        }
        if x.hasattr("indptr")? {
            return Self::csr(x);
        }
        let kind = x.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "X is a {kind}; it must be a two-dimensional array of float64 or float32, CSR rows or a table"
        )))
    }

    fn csr(x: &Bound<'py, PyAny>) -> PyResult<Self> {
        let (_, cols): (usize, usize) = x.getattr("shape")?.extract()?;
        let out_of_range = || PyValueError::new_err("the sparse matrix has an index that is negative or beyond 32 bits");
        let indptr = x.getattr("indptr")?;
        let indptr: Vec<usize> = if let Ok(p) = indptr.cast::<PyArray1<i32>>() {
            let p = p.readonly();
            p.as_array().iter().map(|&v| usize::try_from(v)).collect::<Result<_, _>>().map_err(|_| out_of_range())?
        } else {
            let p = indptr.cast::<PyArray1<i64>>()?.readonly();
            p.as_array().iter().map(|&v| usize::try_from(v)).collect::<Result<_, _>>().map_err(|_| out_of_range())?
        };
        let indices = x.getattr("indices")?;
        let indices = match indices.cast::<PyArray1<i32>>() {
            Ok(i) if i.is_contiguous() => PyIndices::Borrowed(i.readonly()),
            Ok(i) => PyIndices::Owned(i.readonly().as_array().iter().map(|&v| v as u32).collect()),
            Err(_) => {
                let i = indices.cast::<PyArray1<i64>>()?.readonly();
                let narrow = i.as_array().iter().map(|&v| u32::try_from(v)).collect::<Result<_, _>>();
                PyIndices::Owned(narrow.map_err(|_| out_of_range())?)
            }
        };
        let data = x.getattr("data")?;
        let values = match data.cast::<PyArray1<f64>>() {
            Ok(v) if v.is_contiguous() => PyValues::Borrowed(v.readonly()),
            Ok(v) => PyValues::Owned(v.readonly().as_array().to_vec()),
            Err(_) => {
                PyValues::Owned(data.cast::<PyArray1<f32>>()?.readonly().as_array().iter().map(|&v| f64::from(v)).collect())
            }
        };
        Ok(Self::Csr { indptr, indices, values, cols })
    }

    /// The view a learner is given.
    pub fn features(&self) -> PyResult<Features<'_>> {
        Ok(match self {
            Self::F64(a) => Features::F64(view(a)?),
            Self::F32(a) => Features::F32(view(a)?),
            Self::Csr { indptr, indices, values, cols } => {
                let indices = match indices {
                    PyIndices::Borrowed(i) => {
                        let signed = i.as_slice().map_err(|e| PyValueError::new_err(e.to_string()))?;
                        // SAFETY: i32 and u32 have the same size and alignment and every bit pattern is valid for
                        // both. A negative index becomes a huge one, which `CsrRef::new` refuses.
                        unsafe { std::slice::from_raw_parts(signed.as_ptr().cast::<u32>(), signed.len()) }
                    }
                    PyIndices::Owned(i) => i,
                };
                let values = match values {
                    PyValues::Borrowed(v) => v.as_slice().map_err(|e| PyValueError::new_err(e.to_string()))?,
                    PyValues::Owned(v) => v,
                };
                Features::Csr(CsrRef::new(indptr, indices, values, *cols).map_err(|e| raise(e, EstimatorName::NOBODY))?)
            }
            Self::Table(t) => Features::Table(t.view()),
        })
    }

    /// The name of the element type.
    pub fn dtype(&self) -> &'static str {
        if matches!(self, Self::F32(_)) { "float32" } else { "float64" }
    }
}

/// A strided view of a NumPy array.
fn view<'a, T: Element>(a: &'a PyReadonlyArray2<'_, T>) -> PyResult<MatRef<'a, T>> {
    let size = size_of::<T>();
    let (&[rows, cols], &[row_step, col_step]) = (a.shape(), a.strides()) else {
        return Err(PyValueError::new_err("X must have two dimensions"));
    };
    if rows == 0 || cols == 0 {
        return Ok(MatRef::row_major(&[], rows, cols));
    }
    // A length-1 axis is never stepped along; NumPy may give it any stride.
    let stride = |len: usize, step: isize| match usize::try_from(step) {
        _ if len == 1 => Ok(0),
        Ok(step) if step % size == 0 => Ok(step / size),
        _ => Err(PyValueError::new_err(format!("X has a stride of {step} bytes; pass a copy of it"))),
    };
    let (row_stride, col_stride) = (stride(rows, row_step)?, stride(cols, col_step)?);
    let too_long = || PyValueError::new_err("X is larger than memory can be");
    let last = (rows - 1)
        .checked_mul(row_stride)
        .and_then(|r| (cols - 1).checked_mul(col_stride)?.checked_add(r))
        .ok_or_else(too_long)?;
    let start = a.data().cast_const();
    if !start.is_aligned() {
        return Err(PyValueError::new_err("X is not aligned in memory; pass a copy of it"));
    }
    // SAFETY: `start` is aligned and points at element (0, 0); with the non-negative strides that NumPy reports, element
    // (rows - 1, cols - 1) lies `last` elements on and everything between belongs to the same buffer. The borrow `a`
    // keeps the array alive and readable, and keeps Rust from writing to it, as long as the view lives.
    let data = unsafe { std::slice::from_raw_parts(start, last + 1) };
    // A one-row or one-column matrix counts as contiguous along its length-1 axis.
    let row_stride = if rows == 1 { cols * col_stride.max(1) } else { row_stride };
    let col_stride = if cols == 1 { 1 } else { col_stride };
    MatRef::strided(data, rows, cols, row_stride, col_stride).ok_or_else(too_long)
}

/// Refuses features with a cell that is not a finite number, in scikit-learn's words and with the cell named. With
/// `allow_nan`, NaN stands for a missing value and only infinity is refused.
#[pyfunction]
#[pyo3(signature = (x, estimator="", allow_nan=false))]
pub fn refuse_non_finite(py: Python<'_>, x: &Bound<'_, PyAny>, estimator: &str, allow_nan: bool) -> PyResult<()> {
    let input = PyFeatures::new(x)?;
    let features = input.features()?;
    let bad_cell = crate::threads::detached(py, || Ok::<_, Error>(first_bad(&features, allow_nan)))?;
    match bad_cell {
        Ok(None) => Ok(()),
        Ok(Some(error)) | Err(error) => Err(raise(error, EstimatorName { estimator, dtype: input.dtype() })),
    }
}

/// Rows looked at by one task.
const RUN: usize = 4096;

/// The first cell that is not finite (or, with `allow_nan`, infinite), as an error.
pub fn first_bad(x: &Features<'_>, allow_nan: bool) -> Option<Error> {
    use rayon::prelude::*;
    let runs = x.rows().div_ceil(RUN);
    let bad = (0..runs).into_par_iter().find_first(|&r| {
        let part = x.row_range(r * RUN..((r + 1) * RUN).min(x.rows()));
        if allow_nan { first_infinite(&part).is_some() } else { !all_finite(&part) }
    })?;
    let start = bad * RUN;
    let part = x.row_range(start..((bad + 1) * RUN).min(x.rows()));
    let mut error = if allow_nan { first_infinite(&part)? } else { part.refuse_non_finite(None).err()? };
    if let Error::NotFinite { row, .. } = &mut error {
        *row += start;
    }
    Some(error)
}

fn all_finite(x: &Features<'_>) -> bool {
    // A product with zero keeps NaN and turns infinity into NaN, so one addition per cell finds both.
    match x {
        Features::F64(m) if m.as_row_major().is_some() => m.as_row_major().is_none_or(|v| sum_of_zeros(v) == 0.0),
        Features::F32(m) if m.as_row_major().is_some() => m.as_row_major().is_none_or(|v| v.iter().all(|v| v.is_finite())),
        Features::F64(m) if m.row_stride() == 1 => (0..m.cols()).all(|j| m.col(j).is_none_or(|v| sum_of_zeros(v) == 0.0)),
        _ => x.refuse_non_finite(None).is_ok(),
    }
}

fn sum_of_zeros(values: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (chunks, rest) = values.as_chunks::<8>();
    for c in chunks {
        for (lane, v) in lanes.iter_mut().zip(c) {
            *lane += v * 0.0;
        }
    }
    lanes.iter().sum::<f64>() + rest.iter().map(|v| v * 0.0).sum::<f64>()
}

fn first_infinite(x: &Features<'_>) -> Option<Error> {
    let error = |row: usize, col: usize, v: f64| Error::NotFinite {
        column: col.to_string(),
        row,
        value: if v > 0.0 { "infinity".into() } else { "-infinity".to_owned() },
    };
    (0..x.rows()).find_map(|i| match x {
        Features::F64(m) => (0..m.cols()).find(|&j| m.at(i, j).is_infinite()).map(|j| error(i, j, *m.at(i, j))),
        Features::F32(m) => (0..m.cols()).find(|&j| m.at(i, j).is_infinite()).map(|j| error(i, j, f64::from(*m.at(i, j)))),
        Features::Csr(m) => {
            let (indices, values) = m.row(i);
            values.iter().position(|v| v.is_infinite()).map(|k| error(i, indices[k] as usize, values[k]))
        }
        Features::Table(t) => (0..t.cols()).find_map(|j| t.numbers(j).filter(|v| v[i].is_infinite()).map(|v| error(i, j, v[i]))),
    })
}
