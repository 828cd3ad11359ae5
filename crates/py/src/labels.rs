//! Class labels as codes.

use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

/// The distinct labels, and the code of each row.
type EncodedLabels<'py> = (Vec<i64>, Bound<'py, PyArray1<u32>>);

/// Labels that are whole numbers from a small range: the distinct ones in ascending order and the code of each row, by
/// counting instead of sorting. `None` when the range is too wide for that or the type is another.
#[pyfunction]
pub fn encode_integers<'py>(y: &Bound<'py, PyAny>) -> PyResult<Option<EncodedLabels<'py>>> {
    macro_rules! try_type {
        ($($t:ty),*) => {$(
            if let Ok(a) = y.cast::<PyArray1<$t>>() {
                return Ok(encode(y.py(), &a.readonly()));
            }
        )*};
    }
    try_type!(i64, i32, u8, i8, i16, u16, u32, bool);
    Ok(None)
}

trait Label: Element + Copy {
    fn to_i64(self) -> i64;
}
macro_rules! label {
    ($($t:ty),*) => {$(impl Label for $t { fn to_i64(self) -> i64 { i64::from(self) } })*};
}
label!(i64, i32, i16, i8, u8, u16, u32, bool);

/// Up to this many possible labels, whatever the number of rows.
const SMALL_RANGE: u64 = 1 << 16;

fn encode<'py, T: Label>(py: Python<'py>, y: &PyReadonlyArray1<'py, T>) -> Option<EncodedLabels<'py>> {
    let y = y.as_array();
    let (low, high) = y.iter().fold((i64::MAX, i64::MIN), |(l, h), v| (l.min(v.to_i64()), h.max(v.to_i64())));
    if low > high {
        return Some((Vec::new(), PyArray1::from_vec(py, Vec::new())));
    }
    let span = high.abs_diff(low);
    if span >= SMALL_RANGE.max(y.len() as u64) {
        return None;
    }
    let mut code = vec![u32::MAX; span as usize + 1];
    y.iter().for_each(|v| code[v.to_i64().abs_diff(low) as usize] = 0);
    let mut classes = Vec::new();
    for (offset, c) in code.iter_mut().enumerate() {
        if *c == 0 {
            *c = classes.len() as u32;
            classes.push(low + offset as i64);
        }
    }
    let codes: Vec<u32> = y.iter().map(|v| code[v.to_i64().abs_diff(low) as usize]).collect();
    Some((classes, PyArray1::from_vec(py, codes)))
}
