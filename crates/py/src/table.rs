//! Tables: from files, and to and from anything that speaks the Arrow C stream interface.

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::{Date32Type, Float64Type, Int64Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Float64Array, RecordBatch, RecordBatchIterator, RecordBatchReader, StringArray, UInt32Array,
};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field as ArrowField, Schema as ArrowSchema, TimeUnit};
use ermine::core::{Bitmap, Column, ColumnKind, Error, Field, MISSING_CODE, Schema, Table};
use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error::{EstimatorName, raise};
use crate::fit::call;

/// A table that Rust holds.
#[pyclass(frozen, module = "ermine._native")]
pub struct NativeTable {
    pub table: Arc<Table>,
}

const STREAM_NAME: &CStr = c"arrow_array_stream";

fn arrow_error(e: ArrowError) -> PyErr {
    PyValueError::new_err(format!("Arrow: {e}"))
}

#[pymethods]
impl NativeTable {
    /// Reads anything with `__arrow_c_stream__`. Numbers and booleans become number columns, dictionaries and strings
    /// categories, dates and times dates; null is missing, and so is NaN.
    #[staticmethod]
    fn from_arrow(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let capsule = data.call_method0("__arrow_c_stream__")?;
        let capsule = capsule.cast::<PyCapsule>()?;
        let pointer = capsule.pointer_checked(Some(STREAM_NAME))?;
        // SAFETY: a capsule of this name holds a valid ArrowArrayStream, says the Arrow PyCapsule interface, and the name
        // was checked. `from_raw` moves the stream out and leaves a released one behind, so it is released once.
        let reader =
            unsafe { RecordBatchStreamReader::from_raw(pointer.as_ptr().cast::<FFI_ArrowArrayStream>()) }.map_err(|_| {
                PyTypeError::new_err("the Arrow stream does not hold rows of named columns; pass a DataFrame or a table")
            })?;
        // The producer may be written in Python, so the interpreter is kept.
        let schema = reader.schema();
        let batches = reader.collect::<Result<Vec<_>, _>>().map_err(arrow_error)?;
        let table = from_batches(&schema, &batches).map_err(|e| raise(e, EstimatorName::NOBODY))?;
        Ok(Self { table: Arc::new(table) })
    }

    /// The given rows, in that order.
    fn take(&self, rows: numpy::PyReadonlyArray1<'_, i64>) -> PyResult<Self> {
        let n = self.table.rows();
        let rows: Vec<usize> = rows.as_array().iter().map(|&r| usize::try_from(r).unwrap_or(usize::MAX)).collect();
        match rows.iter().find(|r| **r >= n) {
            Some(row) => Err(PyValueError::new_err(format!("there is no row {row} of {n}"))),
            None => Ok(Self { table: Arc::new(self.table.take_rows(&rows)) }),
        }
    }

    /// A table from an iterator over columns: a name, either numbers (float64, NaN is missing) or codes (uint32, 2³² - 1 is
    /// missing), and the names of the categories.
    #[staticmethod]
    fn from_columns(columns: &Bound<'_, PyAny>) -> PyResult<Self> {
        type Item<'py> =
            (String, Option<numpy::PyReadonlyArray1<'py, f64>>, Option<numpy::PyReadonlyArray1<'py, u32>>, Vec<String>);
        let mut out = Vec::new();
        for item in columns.try_iter()? {
            let (name, numbers, codes, categories): Item<'_> = item?.extract()?;
            let column = match (numbers, codes) {
                (Some(values), _) => Column::numbers(values.as_array().iter().copied().collect()),
                (None, Some(codes)) => {
                    Column::Category { codes: codes.as_array().iter().copied().collect(), names: Arc::new(categories) }
                }
                (None, None) => return Err(PyValueError::new_err(format!("column {name} has no cells"))),
            };
            out.push((name, column));
        }
        let table = Table::new(out).map_err(|e| raise(e, EstimatorName::NOBODY))?;
        Ok(Self { table: Arc::new(table) })
    }

    #[getter]
    fn columns(&self) -> Vec<String> {
        self.table.schema().names().map(str::to_owned).collect()
    }

    #[getter]
    fn kinds(&self) -> Vec<&'static str> {
        self.table.schema().fields.iter().map(|f| f.kind.name()).collect()
    }

    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.table.rows(), self.table.columns().len())
    }

    /// All columns as float64, column after column in memory: missing is NaN, a category is its code.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (rows, cols) = self.shape();
        let mut out = Vec::with_capacity(rows * cols);
        for (column, field) in self.table.columns().zip(&self.table.schema().fields) {
            match column {
                Column::Number { values, .. } => out.extend_from_slice(values),
                Column::Category { codes, .. } => {
                    out.extend(codes.iter().map(|&c| if c == MISSING_CODE { f64::NAN } else { f64::from(c) }));
                }
                Column::Text(_) => {
                    return Err(PyValueError::new_err(format!("column \"{}\" is text; drop it or encode it", field.name)));
                }
            }
        }
        let flat = out.into_pyarray(py);
        flat.reshape([cols, rows])?.transpose()
    }

    /// One column: float64 with NaN where missing, or a list of str with None where missing.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let column = self.table.column(name).map_err(|e| raise(e, EstimatorName::NOBODY))?;
        let cells: Vec<Option<&str>> = match column {
            Column::Number { values, .. } => return Ok(values.clone().into_pyarray(py).into_any()),
            Column::Category { codes, names } => {
                codes.iter().map(|&c| (c != MISSING_CODE).then(|| names[c as usize].as_str())).collect()
            }
            Column::Text(cells) => cells.iter().map(Option::as_deref).collect(),
        };
        let objects = py.import("numpy")?.getattr("array")?.call1((cells, py.get_type::<PyAny>()))?;
        Ok(objects)
    }

    /// The named columns, in that order.
    fn select(&self, names: Vec<String>) -> PyResult<Self> {
        let table = self.table.select(&names).map_err(|e| raise(e, EstimatorName::NOBODY))?;
        Ok(Self { table: Arc::new(table) })
    }

    /// The table as an Arrow stream. Numbers without missing cells and codes are borrowed, not copied.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Asking for other types is allowed to be ignored; the consumer casts then.
        let _ = requested_schema;
        let batch = to_batch(&self.table).map_err(arrow_error)?;
        let schema = batch.schema();
        let reader: Box<dyn RecordBatchReader + Send> = Box::new(RecordBatchIterator::new([Ok(batch)], schema));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM_NAME)
    }
}

/// Reads a file as a table; columns are typed by looking.
#[pyfunction]
pub fn read_table(py: Python<'_>, path: &str) -> PyResult<NativeTable> {
    let table = match path.strip_prefix("example:") {
        Some(name) => ermine::data::example(name).map_err(|e| raise(e, EstimatorName::NOBODY))?,
        None => call(py, EstimatorName::NOBODY, || ermine::data::read_table(path))?,
    };
    Ok(NativeTable { table: Arc::new(table) })
}

/// An embedded example.
#[pyfunction]
pub fn example(name: &str) -> PyResult<NativeTable> {
    let table = ermine::data::example(name).map_err(|e| raise(e, EstimatorName::NOBODY))?;
    Ok(NativeTable { table: Arc::new(table) })
}

fn from_batches(schema: &ArrowSchema, batches: &[RecordBatch]) -> Result<Table, Error> {
    let mut fields = Vec::new();
    let mut columns = Vec::new();
    for (j, field) in schema.fields().iter().enumerate() {
        let parts: Vec<ArrayRef> = batches.iter().map(|b| b.column(j).clone()).collect();
        let (kind, column) = column(field, &parts).map_err(|e| Error::Data(format!("column \"{}\": {e}", field.name())))?;
        let categories = match &column {
            Column::Category { names, .. } => names.clone(),
            _ => Arc::default(),
        };
        fields.push(Field { name: field.name().clone(), kind, categories });
        columns.push(column);
    }
    Table::with_schema(Schema { fields }, columns)
}

/// Milliseconds of a day; dates count in days.
const DAY: f64 = 86_400_000.0;

fn column(field: &ArrowField, parts: &[ArrayRef]) -> Result<(ColumnKind, Column), ArrowError> {
    match field.data_type() {
        DataType::Dictionary(_, values) if is_text(values) => {
            let parts =
                parts.iter().map(|p| cast(p, &DataType::Dictionary(Box::new(DataType::UInt32), Box::new(DataType::Utf8))));
            Ok((ColumnKind::Category, dictionary(&parts.collect::<Result<Vec<_>, _>>()?)))
        }
        DataType::Dictionary(_, values) => {
            let plain = parts.iter().map(|p| cast(p, values)).collect::<Result<Vec<_>, _>>()?;
            column(&ArrowField::new(field.name(), (**values).clone(), true), &plain)
        }
        t if is_text(t) => {
            let parts = parts.iter().map(|p| cast(p, &DataType::Utf8)).collect::<Result<Vec<_>, _>>()?;
            Ok((ColumnKind::Category, strings(&parts)))
        }
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => {
            let mut out = NumberBuilder::default();
            for part in parts {
                if matches!(part.data_type(), DataType::Date32) {
                    out.extend(part.as_primitive::<Date32Type>().iter().map(|v| v.map(f64::from)));
                } else {
                    let ms = cast(part, &DataType::Timestamp(TimeUnit::Millisecond, None))?;
                    let ms = cast(&ms, &DataType::Int64)?;
                    out.extend(ms.as_primitive::<Int64Type>().iter().map(|v| v.map(|v| v as f64 / DAY)));
                }
            }
            Ok((ColumnKind::Date, out.column()))
        }
        DataType::Null => {
            let rows = parts.iter().map(|p| p.len()).sum();
            Ok((ColumnKind::Number, Column::Number { values: vec![f64::NAN; rows], valid: Some(Bitmap::filled(rows, false)) }))
        }
        t if t.is_numeric() || *t == DataType::Boolean => {
            let mut out = NumberBuilder::default();
            for part in parts {
                let part = cast(part, &DataType::Float64)?;
                let part = part.as_primitive::<Float64Type>();
                if part.null_count() == 0 {
                    out.values.extend_from_slice(part.values());
                } else {
                    out.extend(part.iter());
                }
            }
            Ok((ColumnKind::Number, out.column()))
        }
        t => Err(ArrowError::CastError(format!("its type, {t}, is none that a learner reads"))),
    }
}

fn is_text(t: &DataType) -> bool {
    matches!(t, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Numbers with NaN where missing.
#[derive(Default)]
struct NumberBuilder {
    values: Vec<f64>,
}

impl NumberBuilder {
    fn extend(&mut self, cells: impl Iterator<Item = Option<f64>>) {
        self.values.extend(cells.map(|v| v.unwrap_or(f64::NAN)));
    }

    fn column(self) -> Column {
        Column::numbers(self.values)
    }
}

/// Categories in the order the dictionaries list them, so that an order the user gave survives.
fn dictionary(parts: &[ArrayRef]) -> Column {
    let mut names: Vec<String> = Vec::new();
    let mut known = std::collections::BTreeMap::new();
    let mut codes = Vec::new();
    for part in parts {
        let part = part.as_dictionary::<UInt32Type>();
        let values = part.values().as_string::<i32>();
        let mut code_of: Vec<u32> = Vec::with_capacity(values.len());
        for value in values.iter() {
            code_of.push(match value {
                None => MISSING_CODE,
                Some(v) => *known.entry(v.to_owned()).or_insert_with(|| {
                    names.push(v.to_owned());
                    names.len() as u32 - 1
                }),
            });
        }
        codes.extend(part.keys().iter().map(|k| k.map_or(MISSING_CODE, |k| code_of[k as usize])));
    }
    Column::Category { codes, names: Arc::new(names) }
}

fn strings(parts: &[ArrayRef]) -> Column {
    let mut known: std::collections::HashMap<&str, u32> = std::collections::HashMap::new();
    let mut seen: Vec<&str> = Vec::new();
    let mut codes: Vec<u32> = Vec::new();
    for part in parts {
        for cell in part.as_string::<i32>().iter() {
            codes.push(match cell {
                None => MISSING_CODE,
                Some(text) => *known.entry(text).or_insert_with(|| {
                    seen.push(text);
                    seen.len() as u32 - 1
                }),
            });
        }
    }
    // Sorted names make the codes independent of the order of rows.
    let mut order: Vec<u32> = (0..seen.len() as u32).collect();
    order.sort_by_key(|&i| seen[i as usize]);
    let mut rank = vec![0; seen.len()];
    order.iter().enumerate().for_each(|(r, &i)| rank[i as usize] = r as u32);
    codes.iter_mut().filter(|c| **c != MISSING_CODE).for_each(|c| *c = rank[*c as usize]);
    Column::Category { codes, names: Arc::new(order.iter().map(|&i| seen[i as usize].to_owned()).collect()) }
}

fn to_batch(table: &Arc<Table>) -> Result<RecordBatch, ArrowError> {
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (field, column) in table.schema().fields.iter().zip(table.columns()) {
        let array: ArrayRef = match column {
            Column::Number { values, valid } => {
                let nulls = valid.as_ref().map(|v| NullBuffer::from_iter((0..v.len()).map(|i| v.get(i))));
                Arc::new(Float64Array::new(lent(table, values), nulls))
            }
            Column::Category { codes, names } => {
                let keys = if codes.contains(&MISSING_CODE) {
                    codes.iter().map(|&c| (c != MISSING_CODE).then_some(c)).collect()
                } else {
                    UInt32Array::new(lent(table, codes), None)
                };
                let names = StringArray::from_iter_values(names.iter());
                Arc::new(DictionaryArray::try_new(keys, Arc::new(names))?)
            }
            Column::Text(cells) => Arc::new(StringArray::from_iter(cells.iter())),
        };
        let mut data_type = array.data_type().clone();
        let array = if field.kind == ColumnKind::Date {
            data_type = DataType::Timestamp(TimeUnit::Millisecond, None);
            let ms: arrow_array::Int64Array =
                array.as_primitive::<Float64Type>().iter().map(|v| v.map(|d| (d * DAY).round() as i64)).collect();
            cast(&ms, &data_type)?
        } else {
            array
        };
        fields.push(ArrowField::new(&field.name, data_type, true));
        arrays.push(array);
    }
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(table.rows()));
    RecordBatch::try_new_with_options(Arc::new(ArrowSchema::new(fields)), arrays, &options)
}

/// A column of the table as an Arrow buffer that keeps the table alive.
fn lent<T: arrow_buffer::ArrowNativeType>(table: &Arc<Table>, values: &[T]) -> ScalarBuffer<T> {
    let bytes = std::mem::size_of_val(values);
    let Some(start) = std::ptr::NonNull::new(values.as_ptr().cast_mut().cast::<u8>()).filter(|_| bytes > 0) else {
        return ScalarBuffer::from(Vec::new());
    };
    // SAFETY: `start` points at `bytes` initialized bytes of a vector inside the table, which is never changed and which
    // the buffer keeps alive through its share of the table.
    let buffer = unsafe { Buffer::from_custom_allocation(start, bytes, Arc::new(table.clone())) };
    ScalarBuffer::new(buffer, 0, values.len())
}
