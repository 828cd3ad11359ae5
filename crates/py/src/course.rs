//! The course: what `ermine.course` asks of `ermine_course`.

use ermine::core::{Error, Mat, Result as Found};
use ermine::course::{CHAPTERS, TheoremData, TheoremInput, theorem};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::error::EstimatorName;
use crate::fit::call;

/// The chapters with their theorems as JSON.
#[pyfunction]
pub fn course_chapters() -> String {
    let param = |p: &ermine::course::TheoremParam| json!({"name": p.name, "default": p.default, "low": p.low, "high": p.high, "meaning": p.meaning});
    let one = |t: &ermine::course::Theorem| {
        let params: Vec<Value> = t.params.iter().map(param).collect();
        json!({"id": t.id, "statement": t.statement, "notes": t.notes, "takes_data": t.takes_data, "params": params})
    };
    let chapters: Vec<Value> = CHAPTERS
        .iter()
        .map(|c| json!({"chapter": c.number, "title": c.title, "theorems": c.theorems.iter().map(one).collect::<Vec<_>>()}))
        .collect();
    Value::from(chapters).to_string()
}

/// Runs a theorem: the result as JSON, as text, and its picture as SVG.
#[pyfunction]
#[pyo3(signature = (id, settings, seed, data=None))]
pub fn course_run(
    py: Python<'_>,
    id: &str,
    settings: Vec<(String, f64)>,
    seed: u64,
    data: Option<(PyReadonlyArray2<'_, f64>, PyReadonlyArray1<'_, f64>)>,
) -> PyResult<(String, String, Option<String>)> {
    let rows = data.map(|(x, y)| {
        let x = x.as_array();
        (Mat::from_fn(x.nrows(), x.ncols(), |i, j| x[(i, j)]), y.as_array().to_vec())
    });
    let run = move || -> Found<(String, String, Option<String>), Error> {
        let mut input = settings.iter().fold(TheoremInput::new().seed(seed), |i, (name, value)| i.set(name, *value));
        if let Some((x, y)) = rows {
            input = input.data(TheoremData::new(x, y)?);
        }
        let check = theorem(id)?.run(&input)?;
        Ok((check.to_json().to_string(), check.to_text(), check.chart.as_ref().map(|c| c.to_svg())))
    };
    call(py, EstimatorName::NOBODY, run)
}
